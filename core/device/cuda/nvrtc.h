/* nvrtc.h - the run-time compiler: CUDA C text to machine code. */
#ifndef FS_CUDA_NVRTC_H
#define FS_CUDA_NVRTC_H

#include <stdatomic.h>

#include "core/base/base.h"

typedef struct nvrtc_program *nvrtcProgram;

/* Loads NVRTC: $FUSIBLE_NVRTC, else the places of fs_cuda_find_library().
 * `driver` is the driver's CUDA version (13000), which prefers a compiler whose
 * code it can load, or 0. False with a sentence in *why (kept). Thread-safe;
 * remembers the outcome. */
bool fs_nvrtc_load(int driver, const char **why);

/* Version as 13000; the library's file, kept; both after loading. */
int fs_nvrtc_version(void);
const char *fs_nvrtc_path(void);
/* Path, size and date of that file: an update in place is another compiler. */
const char *fs_nvrtc_identity(void);
/* Whether it can compile quickly, as far as is known: it may still refuse. */
bool fs_nvrtc_is_quick(void);
void fs_nvrtc_not_quick(void);
/* Whether code gets line tables for profilers: $FUSIBLE_LINEINFO=1. */
bool fs_nvrtc_line_tables(void);

/* What to compile for a device of compute capability `cc` (90): "sm_90a", or
 * "compute_89" when NVRTC is older than the device and the driver must finish
 * the work. False if NVRTC has nothing that runs there. */
bool fs_nvrtc_arch(int cc, char *out, size_t size);

/* What a text begins with that is to be compiled so: it tells texts apart, too. */
#define FS_NVRTC_FAST "#define FS_FAST_MATH\n"
#define FS_NVRTC_FLUSH "#define FS_FLUSH_SUBNORMALS\n"

/* One compilation. `image` and `log` are from malloc() and the caller's. */
struct fs_nvrtc_job {
  const char *source, *arch;  /* "sm_90a"; "compute_90a" makes PTX */
  bool quick;                 /* in half the time, for code that is slower and computes
                                 the same. Turned off where this NVRTC cannot: then
                                 the image is a full one */
  const char *quick_source;   /* the text for that; NULL: the same */
  bool as_it_is;              /* a text of the user: sums of products may round once, as
                                 compilers have it by default */
  const atomic_bool *stop;    /* ends it when true; NULL: fs_interrupted() does */
  void *image;                /* NULL if it failed; PTX has a final NUL */
  size_t size;
  char *log;                  /* may be NULL */
  bool cancelled;             /* fs_interrupted() turned true inside */
};
/* Thread-safe once loaded. */
void fs_nvrtc_compile(struct fs_nvrtc_job *job);
/* Whether it is to end, or need not begin. */
bool fs_nvrtc_is_stopped(const struct fs_nvrtc_job *job);
/* The same for jobs[0..n), on as many threads as there are processors; many of them in
 * as many processes (batch.c). */
void fs_nvrtc_compile_all(struct fs_nvrtc_job *jobs, int n);

/* The options, one text, for cache keys. */
const char *fs_nvrtc_options(void);

#endif
