/* kernel.h - kernels in CUDA C and OpenCL C as functions of the language. */
#ifndef FS_KERNEL_H
#define FS_KERNEL_H

#include "core/eval/interp.h"

/* Reads the kernels of a file, whose path is as seen from the text at `span`. Gives one function
 * for each; at `name` (NULL: any) the one that is called so, which is the only one then. `how`:
 * words of fs_as_is_words(), NULL: they are only read. */
enum fs_status fs_kernel_load(struct fs_interp *in, const char *path, const char *name,
                              const char *how, struct fs_span span, int *n,
                              struct fs_func ***out);

/* The function of the language that a kernel is for these arguments, with a reference; or NULL
 * where it runs as it is written: out[0 .. *got) is what it gives. */
enum fs_status fs_kernel_form(struct fs_interp *in, struct fs_func *f, int n,
                              const struct fs_val *args, const struct fs_span *spans,
                              struct fs_span span, struct fs_func **form, int want,
                              struct fs_val *out, int *got);

#endif
