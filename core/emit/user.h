/* user.h - the texts around a user's routine: what the access macros of
 * elemlib/README.md mean for one function, on both targets.
 *
 * The routine itself is copied with `#line` in front, so that what a compiler
 * says is about the user's file. */
#ifndef FS_EMIT_USER_H
#define FS_EMIT_USER_H

#include "core/graph/user.h"

/* Appends the CUDA function `fs_user_<hash>`:
 *   by element   T f(T x, T a ...)
 *   by instance  void f(element ..., T *result, T *scratch, int lane,
 *                unsigned mask); an element is a T or a const T *
 * Lines that follow are numbered as those of `file` again. */
void fs_user_put_cuda(const struct fs_user *u, const char *file,
                      struct fs_str *out);
/* "fs_user_0123456789abcdef" */
void fs_user_put_name(const struct fs_user *u, struct fs_str *out);

/* A whole text that only has this function, to see whether it compiles. */
void fs_user_alone_cuda(const struct fs_user *u, struct fs_str *out);

/* The whole C text of a shared object with the entries
 *   void fs_entry_P(void *out, const void *a, const void *b, const void *c,
 *                   long n)
 * By element, P = 0..2^n_args-1: as fs_map_fn with that pattern. By instance, P = 0:
 * n instances, the elements of each operand one after the other. */
void fs_user_put_c(const struct fs_user *u, struct fs_str *out);

#endif
