/* asis.h - kernels that run as they are written: fused with nothing, on a GPU. */
#ifndef FS_ASIS_H
#define FS_ASIS_H

#include "core/eval/interp.h"
#include "core/lang/cuda_c.h"

/* How the user wants it started; 0: that follows. */
struct fs_as_is {
  int64_t grid[3], block[3], shared;
};

/* "asis block=16x16 grid=4x4 shared=1024 out=C": also which of their arrays n kernels write. */
enum fs_status fs_as_is_words(struct fs_interp *in, const char *words, struct fs_span span, int n,
                              struct fs_c_kernel *kernels, struct fs_as_is *out);
/* Whether calls run it so on this target; else they go by what it computes. FS_ERR_USER: neither
 * can be. */
enum fs_status fs_as_is_runs(struct fs_interp *in, const struct fs_func *f, struct fs_span span,
                             bool *runs);
/* A call; given[] says which parameters the arguments are of. */
enum fs_status fs_as_is_call(struct fs_interp *in, const struct fs_func *f,
                             struct fs_c_given *given, const struct fs_val *args,
                             const struct fs_span *spans, struct fs_span span,
                             int want, struct fs_val *out, int *got);

#endif
