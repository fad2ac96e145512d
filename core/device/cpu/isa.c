/* isa.c - which of the routines, compiled for several instruction sets, this processor can run. */
#include <string.h>

#include "elemlib/cpu/routines.h"

const struct fs_routines *fs_cpu_routines(const char *isa) {
#if defined __x86_64__
  __builtin_cpu_init(); /* asks the system too: XGETBV for the registers */
  bool avx2 = __builtin_cpu_supports("avx2") &&
              __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512cd");
  if (avx512 && (!isa || !strcmp(isa, "avx512"))) return &fs_routines_avx512;
  if (avx2 && (!isa || strcmp(isa, "plain"))) return &fs_routines_avx2;
#else
  (void)isa;
#endif
  return &fs_routines_plain;
}
