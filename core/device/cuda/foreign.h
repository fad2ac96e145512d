/* foreign.h - kernels as the user wrote them, on the CUDA target. */
#ifndef FS_CUDA_FOREIGN_H
#define FS_CUDA_FOREIGN_H

#include "core/device/cuda/library.h"

/* What a launch takes: addresses by parameter, and memory that it has for itself. */
struct cuda_foreign_run {
  void *address[FS_FOREIGN_PARAMS];
  struct { void *p; size_t bytes; } room[FS_FOREIGN_PARAMS];
  int n_rooms;
};

/* FS_ERR_USER: NVRTC does not compile it. */
enum fs_status fs_cuda_foreign_prepare(struct cuda *t, struct fs_code *c, struct fs_diags *d);
/* Operands without gaps; what is written as it begins. Then fs_cuda_foreign_start(). */
enum fs_status fs_cuda_foreign_ready(struct cuda *t, const struct fs_code *c, void *const *slots,
                                     struct cuda_foreign_run *run, struct fs_diags *d);
enum fs_status fs_cuda_foreign_start(struct cuda *t, const struct fs_code *c,
                                     struct cuda_foreign_run *run, struct fs_diags *d);

#endif
