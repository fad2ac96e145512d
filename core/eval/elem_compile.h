/* elem_compile.h - a user's routines compiled alone, before anything is fused with
 * them: what is wrong in them is said of the user's file. */
#ifndef FS_ELEM_COMPILE_H
#define FS_ELEM_COMPILE_H

#include "core/eval/elem.h"

/* Compiles every routine of a native function for every type: the CUDA forms by
 * NVRTC, the C forms by the system's compiler, where these are there. Where
 * the function will not run, and why, goes to *said, a line each. FS_ERR_USER if a
 * routine does not compile. */
enum fs_status fs_elem_compile(struct fs_interp *in, const struct fs_elem *e,
                               struct fs_str *said);

#endif
