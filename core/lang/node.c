/* node.c - nodes of the tree, made by hand: see node.h. */
#include "core/lang/node.h"

const char *const fs_border_words[FS_BORDERS] = {"checked", "clamped", "mirror", "wrapped",
                                                 "zeros"};

struct fs_expr *fs_ex_node(struct fs_arena *arena, enum fs_expr_kind kind, struct fs_span span,
                           int n, struct fs_expr *const *args) {
  struct fs_expr *e = FS_NEW(arena, struct fs_expr);
  *e = (struct fs_expr){.kind = kind, .span = span, .op_span = span, .height = 1, .n_args = n};
  e->args = FS_NEW_N(arena, struct fs_expr *, n ? n : 1);
  for (int k = 0; k < n; k++) {
    e->args[k] = args[k];
    e->height = FS_MAX(e->height, args[k]->height + 1);
  }
  return e;
}

struct fs_expr *fs_ex_name(struct fs_arena *arena, struct fs_span span, const char *name) {
  struct fs_expr *e = fs_ex_node(arena, FS_EX_NAME, span, 0, NULL);
  e->text = name;
  e->text_len = strlen(name);
  return e;
}

struct fs_expr *fs_ex_number(struct fs_arena *arena, struct fs_span span, double x, bool whole) {
  struct fs_expr *e = fs_ex_node(arena, FS_EX_NUMBER, span, 0, NULL);
  e->number = x;
  e->is_int = whole;
  return e;
}

struct fs_expr *fs_ex_binary(struct fs_arena *arena, enum fs_ast_op op, struct fs_expr *a,
                             struct fs_expr *b) {
  struct fs_expr *args[] = {a, b};
  struct fs_expr *e = fs_ex_node(arena, FS_EX_BINARY, fs_span_join(a->span, b->span), 2, args);
  e->op = op;
  return e;
}

struct fs_expr *fs_ex_with_args(struct fs_arena *arena, const struct fs_expr *e,
                                struct fs_expr *const *args) {
  struct fs_expr *out = fs_ex_node(arena, e->kind, e->span, e->n_args, args);
  out->op = e->op;
  out->number = e->number;
  out->is_int = e->is_int;
  out->text = e->text;
  out->text_len = e->text_len;
  return out;
}

struct fs_expr *fs_ex_call(struct fs_arena *arena, const char *function, struct fs_span span,
                           int n, struct fs_expr *const *args) {
  struct fs_expr *all[FS_EX_ARGS + 1] = {fs_ex_name(arena, span, function)};
  for (int k = 0; k < n; k++) all[k + 1] = args[k];
  return fs_ex_node(arena, FS_EX_CALL, span, n + 1, all);
}

struct fs_stmt *fs_st_node(struct fs_arena *arena, enum fs_stmt_kind kind, struct fs_span span) {
  struct fs_stmt *s = FS_NEW(arena, struct fs_stmt);
  *s = (struct fs_stmt){.kind = kind, .span = span, .silent = true};
  return s;
}

void fs_st_target(struct fs_arena *arena, struct fs_stmt *s, const char *name,
                  struct fs_span span) {
  s->targets = FS_NEW(arena, struct fs_param);
  s->targets[0] = (struct fs_param){.name = name, .span = span};
  s->n_targets = 1;
}

bool fs_st_has_jump(const struct fs_stmt *list) {
  for (const struct fs_stmt *s = list; s; s = s->next)
    if (s->kind == FS_ST_BREAK || s->kind == FS_ST_CONTINUE || fs_st_has_jump(s->body) ||
        fs_st_has_jump(s->orelse))
      return true;
  return false;
}
