/* rewrite.h - rules of the user: `rule A.*X + Y + t -> opt1(A, X, Y, t)`. */
#ifndef FS_REWRITE_H
#define FS_REWRITE_H

#include "core/eval/interp.h"
#include "core/lang/ast.h"

enum { FS_REWRITE_NAMES = 16 }; /* of a rule, at most */

/* What a rule has for an array: its right side, to be called with what its names stand for. */
struct fs_rewriting {
  const char *rule;        /* borrowed */
  struct fs_func *f;       /* borrowed */
  int n;
  struct fs_val args[FS_REWRITE_NAMES]; /* with references */
};

/* An FS_ST_RULE, and its right side as a function of the names of the left one: from now on, in
 * place of one whose left side is written alike. */
enum fs_status fs_rewrite_define(struct fs_interp *in, const struct fs_stmt *s,
                                 struct fs_func *gives);
/* *v is what the expression has come to. Whether that is an array that its operation has just made,
 * and a rule fits it. */
bool fs_rewrite_find(struct fs_interp *in, const struct fs_expr *e, const struct fs_val *v,
                     struct fs_rewriting *out);
/* The right side of rule k, from 0, borrowed. */
struct fs_func *fs_rewrite_function(const struct fs_interp *in, int k);
/* Forgets all of them. */
void fs_rewrites_clear(struct fs_interp *in);

#endif
