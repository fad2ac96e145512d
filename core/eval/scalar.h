/* scalar.h - arithmetic of numbers on the host: what operators and elementwise functions
 * mean for them, wherever they are computed. */
#ifndef FS_SCALAR_H
#define FS_SCALAR_H

#include "core/eval/value.h"
#include "core/graph/graph.h"
#include "core/lang/ast.h"

enum fs_scalar_kind { FS_SC_NONE, FS_SC_REAL, FS_SC_INT, FS_SC_BOOL };

/* A number or a truth value (0, 1) of the language, without what else a value may be. */
struct fs_scalar {
  double x;
  enum fs_scalar_kind kind;
  bool given;                /* for who computes with variables: it is what it was before */
};

/* Of a value that fs_val_is_host(). */
static inline struct fs_scalar fs_scalar_of(const struct fs_val *v) {
  enum fs_scalar_kind number = v->is_int ? FS_SC_INT : FS_SC_REAL;
  return (struct fs_scalar){v->number, v->kind == FS_V_BOOL ? FS_SC_BOOL : number, false};
}

static inline struct fs_val fs_scalar_value(struct fs_scalar a) {
  if (a.kind == FS_SC_BOOL) return (struct fs_val){.kind = FS_V_BOOL, .number = a.x};
  return (struct fs_val){.kind = FS_V_NUMBER, .number = a.x, .is_int = a.kind == FS_SC_INT};
}

/* && and || of both operands; who evaluates them decides whether there are two. */
struct fs_scalar fs_scalar_binary(enum fs_ast_op op, struct fs_scalar a, struct fs_scalar b);
struct fs_scalar fs_scalar_unary(enum fs_ast_op op, struct fs_scalar a);
/* Of as many operands as the operation has. */
struct fs_scalar fs_scalar_map(enum fs_map_op op, const struct fs_scalar *a);

#endif
