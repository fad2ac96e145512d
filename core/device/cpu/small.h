/* small.h - forms for the CPU of the program's routines over small matrices (core/graph/user.h). */
#ifndef FS_CPU_SMALL_H
#define FS_CPU_SMALL_H

#include <stdatomic.h>

#include "core/graph/user.h"

/* The first instance that failed, as fs_small_fault() has it; 0: none did. Threads share it. */
struct fs_small_fault {
  _Atomic uint64_t word;
};

/* Instances first .. first+n-1, whose elements lie one after the other in out and in[]; of f64 if
 * `wide`, else of f32. */
void fs_small_run(const struct fs_small *s, bool wide, void *out, const void *const *in,
                  int64_t first, int64_t n, struct fs_small_fault *fault);

#endif
