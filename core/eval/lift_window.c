/* lift_window.c - a short inner loop over neighbours, round by round: what stands in it, with
 * numbers in place of its counter. `A[i + u, j + v]` of two counters is a list of places; with a
 * number it is a view, which a kernel reads by an offset.
 *
 *     for u = -1:1; s += x[i + u]; end       s += x[i + -1]; s += x[i + 0]; s += x[i + 1];
 */
#include "core/eval/lift_nest.h"

enum { MOST_ROUNDS = 32 };

static bool mentions(const struct fs_expr *e, const char *name) {
  if (e->kind == FS_EX_NAME && !strcmp(e->text, name)) return true;
  for (int k = 0; k < e->n_args; k++)
    if (mentions(e->args[k], name)) return true;
  return false;
}

/* Whether an expression has another counter, or is a subscript of a loop that `moves`. */
static bool has_counter(const struct fs_lift_nest *n, const struct fs_expr *e, const char *but) {
  for (int l = 0; l < n->n_path; l++) {
    const char *name = n->loops.data[n->path[l]].name;
    if (strcmp(name, but) && mentions(e, name)) return true;
  }
  return false;
}

/* Whether the counter is added to another one in a subscript; `moves`: or is one, since its loop
 * begins at another one. */
static bool has_window(const struct fs_lift_nest *n, const struct fs_expr *e, const char *name,
                       bool moves, bool inside) {
  bool sum = e->kind == FS_EX_BINARY && (e->op == FS_AO_ADD || e->op == FS_AO_SUB);
  if (inside && sum && mentions(e, name) && has_counter(n, e, name)) return true;
  if (inside && moves && e->kind == FS_EX_NAME && !strcmp(e->text, name)) return true;
  for (int k = 0; k < e->n_args; k++)
    if (has_window(n, e->args[k], name, moves, inside || (e->kind == FS_EX_INDEX && k > 0)))
      return true;
  return false;
}

static bool any_window(const struct fs_lift_nest *n, const struct fs_stmt *list, const char *name,
                       bool moves) {
  for (const struct fs_stmt *s = list; s; s = s->next)
    if ((s->expr && has_window(n, s->expr, name, moves, false)) ||
        (s->expr2 && has_window(n, s->expr2, name, moves, false)) ||
        any_window(n, s->body, name, moves) || any_window(n, s->orelse, name, moves))
      return true;
  return false;
}

static bool has_break(const struct fs_stmt *list) {
  for (const struct fs_stmt *s = list; s; s = s->next)
    if (s->kind == FS_ST_BREAK || s->kind == FS_ST_WHILE || has_break(s->body) ||
        has_break(s->orelse))
      return true;
  return false;
}

bool fs_lift_is_window(const struct fs_lift_nest *n, const struct fs_stmt *s, int64_t count,
                       bool moves) {
  return !n->whole && count <= MOST_ROUNDS && s->body && !has_break(s->body) &&
         any_window(n, s->body, s->targets[0].name, moves);
}

/* -- copies ------------------------------------------------------------------------------- */

/* With `value` in place of a name. */
static struct fs_expr *copy_expr(struct fs_arena *arena, const struct fs_expr *e, const char *name,
                                 const struct fs_expr *value) {
  bool is_it = e->kind == FS_EX_NAME && !strcmp(e->text, name);
  struct fs_expr *out = FS_NEW(arena, struct fs_expr);
  *out = is_it ? *value : *e;
  out->span = e->span;
  if (is_it || !e->n_args) return out;
  out->args = FS_NEW_N(arena, struct fs_expr *, e->n_args);
  for (int k = 0; k < e->n_args; k++) {
    out->args[k] = copy_expr(arena, e->args[k], name, value);
    out->height = FS_MAX(out->height, out->args[k]->height + 1);
  }
  return out;
}

static struct fs_stmt *copy_list(struct fs_arena *arena, const struct fs_stmt *list,
                                 const char *name, const struct fs_expr *value) {
  struct fs_stmt *first = NULL, **at = &first;
  for (const struct fs_stmt *s = list; s; s = s->next) {
    struct fs_stmt *out = *at = FS_NEW(arena, struct fs_stmt);
    *out = *s;
    out->next = NULL;
    out->loop = NULL;
    out->lift = NULL;
    if (s->expr) out->expr = copy_expr(arena, s->expr, name, value);
    if (s->expr2) out->expr2 = copy_expr(arena, s->expr2, name, value);
    if (s->kind == FS_ST_INDEXED && s->expr && s->expr->n_args && s->expr->args[0] == s->expr2)
      out->expr->args[0] = out->expr2;
    out->body = copy_list(arena, s->body, name, value);
    out->orelse = copy_list(arena, s->orelse, name, value);
    at = &out->next;
  }
  return first;
}

struct fs_stmt *fs_lift_window_round(struct fs_lift_nest *n, const struct fs_stmt *s,
                                     struct fs_expr *begin, double round) {
  struct fs_expr number = {.kind = FS_EX_NUMBER, .span = s->expr->span, .number = round,
                           .is_int = true, .height = 1}, sum = number, *value = &number;
  if (begin) {
    sum = (struct fs_expr){.kind = FS_EX_BINARY, .op = FS_AO_ADD, .span = s->expr->span,
                           .op_span = s->expr->span, .n_args = 2, .height = begin->height + 1};
    sum.args = FS_NEW_N(n->arena, struct fs_expr *, 2);
    sum.args[0] = begin;
    sum.args[1] = FS_NEW(n->arena, struct fs_expr);
    *sum.args[1] = number;
    value = &sum;
  }
  return copy_list(n->arena, s->body, s->targets[0].name, value);
}
