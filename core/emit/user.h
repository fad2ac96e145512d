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
/* ... and of its loads and, as argument u->n_args, its store, where it has them:
 *   template <class F> void f_load0(F number, T *chip, T *scratch, int lane,
 *                                   unsigned mask)    number(k) is number k
 *   template <class F> void f_store(const T *chip, F put, T *scratch, int lane,
 *                                   unsigned mask)    put(k, value) takes it */
void fs_user_put_move_name(const struct fs_user *u, int arg, struct fs_str *out);

/* The same in C: `fs_user`, and `fs_load0` ..., `fs_store` where it has them. */
void fs_user_put_c(const struct fs_user *u, struct fs_str *out);

#endif
