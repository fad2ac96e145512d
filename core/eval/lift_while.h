/* lift_while.h - a `while` of a nest, or a `for` that goes on in each round by itself, as its
 * statements say it: which names it sets, and what it reads from outside. Shared by the files
 * lift_*.c only. */
#ifndef FS_LIFT_WHILE_H
#define FS_LIFT_WHILE_H

#include "core/lang/ast.h"

enum { FS_LIFT_SETS = 24 };

struct fs_lift_sets {
  int n;
  const char *name[FS_LIFT_SETS];
  bool needed[FS_LIFT_SETS]; /* it is read before it is set */
};

/* What is wrong with a statement or an expression, or where. */
struct fs_lift_no {
  struct fs_span span;
  const char *why;
};

/* The names that it sets, the counter of a `for` as well. False: it is not of assignments to
 * names, `if`, `while` and `for` alone. */
bool fs_lift_sets(const struct fs_stmt *s, struct fs_lift_sets *out, struct fs_lift_no *no);
/* The place of a name, or -1. */
int fs_lift_set(const struct fs_lift_sets *sets, const char *name);
/* Whether an expression of it, or its condition, has a name. */
bool fs_lift_while_mentions(const struct fs_stmt *s, const char *name);

/* Calls outside() for each largest expression without names that the `while` sets, but for
 * numbers, call() for each other call, and table() for each element at a place that such names
 * say, until one says false. */
struct fs_lift_visit {
  bool (*outside)(void *user, const struct fs_expr *e);
  bool (*call)(void *user, const struct fs_expr *e); /* NULL: none */
  bool (*table)(void *user, const struct fs_expr *e);
  void *user;
};
bool fs_lift_while_visit(const struct fs_stmt *s, const struct fs_lift_sets *sets,
                         const struct fs_lift_visit *visit, struct fs_lift_no *no);

#endif
