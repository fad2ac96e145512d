/* node.h - nodes of the tree for who reads another language into it: of an arena, with their
 * heights. Texts are borrowed and must outlive the tree. */
#ifndef FS_LANG_NODE_H
#define FS_LANG_NODE_H

#include "core/lang/ast.h"

struct fs_expr *fs_ex_node(struct fs_arena *arena, enum fs_expr_kind kind, struct fs_span span,
                           int n, struct fs_expr *const *args);
struct fs_expr *fs_ex_name(struct fs_arena *arena, struct fs_span span, const char *name);
struct fs_expr *fs_ex_number(struct fs_arena *arena, struct fs_span span, double x, bool whole);
struct fs_expr *fs_ex_binary(struct fs_arena *arena, enum fs_ast_op op, struct fs_expr *a,
                             struct fs_expr *b);
/* A copy of `e` with others in place of its operands, as many. */
struct fs_expr *fs_ex_with_args(struct fs_arena *arena, const struct fs_expr *e,
                                struct fs_expr *const *args);
/* A call of a function of at most FS_EX_ARGS arguments. */
enum { FS_EX_ARGS = 8 };
struct fs_expr *fs_ex_call(struct fs_arena *arena, const char *function, struct fs_span span,
                           int n, struct fs_expr *const *args);
/* A statement that shows nothing; and the name that it assigns to. */
struct fs_stmt *fs_st_node(struct fs_arena *arena, enum fs_stmt_kind kind, struct fs_span span);
void fs_st_target(struct fs_arena *arena, struct fs_stmt *s, const char *name,
                  struct fs_span span);
/* Whether `break` or `continue` stands anywhere in a list of statements. */
bool fs_st_has_jump(const struct fs_stmt *list);

#endif
