/* blas.c - OpenBLAS, or any BLAS and LAPACK: found and loaded when the first routine is run.
 *
 * The library is called by its Fortran names, so one shared object of either
 * kind is enough.
 */
#include "core/device/cpu/blas.h"

#include <dlfcn.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/account.h"
#include "core/device/cpu/lapack.h"

struct fs_blas fs_blas;

static void *find(void *const *handles, const char *symbol) {
  for (int k = 0; handles[k]; k++) {
    void *fn = dlsym(handles[k], symbol);
    if (fn) return fn;
  }
  return NULL;
}

/* A function pointer from dlsym()'s object pointer, as POSIX allows. */
static void set_fn(void *slot, void *fn) { memcpy(slot, &fn, sizeof fn); }

static bool resolve(void *const *handles) {
#define X(name, args)                                        \
  set_fn(&fs_blas.name[0], find(handles, "s" #name "_"));        \
  set_fn(&fs_blas.name[1], find(handles, "d" #name "_"));        \
  if (!fs_blas.name[0] || !fs_blas.name[1]) return false;
  FS_BLAS_FNS(X)
#undef X
#define X(name, symbol, args)                                \
  set_fn(&fs_blas.name[0], find(handles, "c" symbol));           \
  set_fn(&fs_blas.name[1], find(handles, "z" symbol));           \
  if (!fs_blas.name[0] || !fs_blas.name[1]) return false;
  FS_COMPLEX_FNS(X)
#undef X
  set_fn(&fs_blas.set_threads, find(handles, "openblas_set_num_threads"));
  set_fn(&fs_blas.core, find(handles, "openblas_get_corename"));
  set_fn(&fs_blas.config, find(handles, "openblas_get_config"));
  return true;
}

/* Like dlopen(), but a lack of memory is told as one, and then the next need of
 * the library tries again. */
static void *open_library(const char *name) {
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  const char *error = handle ? NULL : dlerror();
  if (error && strstr(error, "memory")) fs_oom_raise();
  return handle;
}

/* What OpenBLAS maps, by version 0.3 on x86-64: a buffer of 129 MiB and a stack of 8 MiB
 * for each of its threads, and itself. Beside it the pool's threads take memory. */
static const size_t blas_buffer_bytes = (size_t)132 << 20, blas_thread_bytes = (size_t)160 << 20,
                    blas_other_bytes = (size_t)64 << 20, pool_bytes = (size_t)192 << 20;

static bool is_room_for(size_t bytes) {
  void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, bytes);
  return true;
}

/* OpenBLAS starts a thread for each processor, and one that cannot have its buffer asks
 * for it for ever. So where address space is limited (ulimit -v) and there is not ample
 * room for all of them, it is to start none beside the caller's; no room for that one
 * either is a lack of memory. */
static void make_room(void) {
  const char *said = getenv("OPENBLAS_NUM_THREADS");
  long asked = said ? strtol(said, NULL, 10) : 0;
  long all = FS_MAX(asked > 0 ? asked : sysconf(_SC_NPROCESSORS_ONLN), 1);
  if (is_room_for((size_t)all * blas_thread_bytes + blas_other_bytes + pool_bytes)) return;
  if (!is_room_for(blas_thread_bytes + blas_other_bytes)) fs_oom_raise();
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  fs_blas.most_threads = 1;
}

/* The caller's own buffer is mapped by its first product that is not small, and then
 * kept: that product is here, while there is room. */
static void take_buffer(void) {
  const int n = 160;
  const float one = 1;
  if (!is_room_for(blas_buffer_bytes)) fs_oom_raise();
  float *zeros = fs_malloc(sizeof *zeros * 2 * n * n);
  memset(zeros, 0, sizeof *zeros * 2 * n * n);
  fs_blas.gemm[0]("N", "N", &n, &n, &n, &one, zeros, &n, zeros, &n, &one, zeros + n * n, &n, 1, 1);
  free(zeros);
}

/* The kernels of OpenBLAS for this processor ("core"), or NULL: its own choice. It knows
 * processors by their numbers, and gives one that is newer than itself those for SSE3:
 * a product of 2000 x 2000 doubles by version 0.3.21 then takes 4 times as long. What a
 * processor can tells more. Every size from 1 to 300 of what is called here was right with
 * both of these, in f32 and f64, beside plain loops. */
static const char *core_of_features(void) {
  const char *isa = fs_cpu_routines(NULL)->isa;
  return !strcmp(isa, "avx512") ? "SkylakeX" : !strcmp(isa, "avx2") ? "Haswell" : NULL;
}

/* It reads its core from the environment while it is loaded; what the user set there
 * stays. */
static void load(void) {
  static const char *const sets[][3] = {{"libopenblas.so.0"},
                                        {"libopenblas.so.0", "liblapack.so.3"},
                                        {"libblas.so.3", "liblapack.so.3"},
                                        {"libblas.so", "liblapack.so"}};
  static const char variable[] = "OPENBLAS_CORETYPE";
  const char *said = getenv(variable), *core = core_of_features();
  bool choose = !(said && *said) && core;
  make_room();
  if (choose) setenv(variable, core, 1);
  for (size_t s = 0; s < FS_LEN(sets) && !fs_blas.ok; s++) {
    void *handles[4] = {0};
    for (int n = 0, k = 0; k < 3 && sets[s][k]; k++)
      if ((handles[n] = open_library(sets[s][k]))) n++;
    fs_blas.ok = resolve(handles);
    fs_blas.name = sets[s][0];
  }
  if (choose) unsetenv(variable);
  if (fs_blas.ok) take_buffer();
  bool taken = fs_blas.core && !strcasecmp(fs_blas.core(), choose ? core : said ? said : "");
  fs_blas.core_by = !taken ? "the library itself" : choose ? "the processor's features" : variable;
  fs_blas.tried = true;
}

bool fs_lapack_present(const char **why) {
  if (!fs_blas.tried) {
    enum fs_part before = fs_account_to(FS_PART_COMPILING); /* and loading */
    load();
    fs_account_to(before);
  }
  if (!fs_blas.ok && why)
    *why = "no BLAS/LAPACK library was found; Debian's package libopenblas0 "
           "has one";
  return fs_blas.ok;
}

void fs_lapack_print(struct fs_str *out) {
  const char *why = NULL;
  if (!fs_lapack_present(&why)) {
    fs_str_puts(out, why);
    return;
  }
  const char *config = fs_blas.config ? fs_blas.config() : fs_blas.name; /* "OpenBLAS 0.3.21 ..." */
  const char *space = strchr(config, ' '), *end = space ? strchr(space + 1, ' ') : NULL;
  fs_str_put_safe(out, config, end ? (size_t)(end - config) : strlen(config));
  if (!fs_blas.core) return;
  fs_str_puts(out, ", kernels for ");
  fs_str_put_safe(out, fs_blas.core(), strlen(fs_blas.core()));
  fs_str_printf(out, " (chosen by %s)", fs_blas.core_by);
}
