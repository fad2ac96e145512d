/* kernel.h - kernels in CUDA C and OpenCL C as functions of the language. */
#ifndef FS_KERNEL_H
#define FS_KERNEL_H

#include "core/eval/interp.h"

/* Reads the kernels of a file, whose path is as seen from the text at `span`. Gives one function
 * for each; at `name` (NULL: any) the one that is called so, which is the only one then. */
enum fs_status fs_kernel_load(struct fs_interp *in, const char *path, const char *name,
                              struct fs_span span, int *n, struct fs_func ***out);

/* The function of the language that a kernel is for these arguments, with a reference. */
enum fs_status fs_kernel_form(struct fs_interp *in, struct fs_func *f, int n,
                              const struct fs_val *args, const struct fs_span *spans,
                              struct fs_span span, struct fs_func **out);

#endif
