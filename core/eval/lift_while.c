/* lift_while.c - what a `while` sets and reads: see lift_while.h. */
#include "core/eval/lift_while.h"

static bool refuse(struct fs_lift_no *no, struct fs_span span, const char *why) {
  if (!no->why) *no = (struct fs_lift_no){span, why};
  return false;
}

int fs_lift_set(const struct fs_lift_sets *sets, const char *name) {
  for (int k = 0; k < sets->n; k++)
    if (!strcmp(sets->name[k], name)) return k;
  return -1;
}

/* -- which names -------------------------------------------------------------------- */

static bool find_name(const struct fs_stmt *s, struct fs_lift_sets *out, struct fs_lift_no *no) {
  if (s->n_targets != 1) return refuse(no, s->span, "gives several names");
  if (fs_lift_set(out, s->targets[0].name) >= 0) return true;
  if (out->n == FS_LIFT_SETS) return refuse(no, s->span, "is one name too many in a `while`");
  out->name[out->n++] = s->targets[0].name;
  return true;
}

static bool find_names(const struct fs_stmt *list, struct fs_lift_sets *out,
                       struct fs_lift_no *no) {
  for (const struct fs_stmt *s = list; s; s = s->next) {
    switch (s->kind) {
      case FS_ST_BREAK:
      case FS_ST_CONTINUE: break;
      case FS_ST_IF:
      case FS_ST_WHILE:
        if (!find_names(s->body, out, no) || !find_names(s->orelse, out, no)) return false;
        break;
      case FS_ST_FOR:
        if (s->expr->kind != FS_EX_RANGE)
          return refuse(no, s->expr->span, "is no range of numbers");
        if (!find_name(s, out, no) || !find_names(s->body, out, no)) return false;
        break;
      case FS_ST_ASSIGN:
        if (!find_name(s, out, no)) return false;
        break;
      default: return refuse(no, s->span, "is no assignment to a name, and stands in a `while`");
    }
  }
  return true;
}

/* -- which of them are read first ----------------------------------------------------- */

static void read_names(const struct fs_expr *e, struct fs_lift_sets *sets, unsigned known) {
  int k = e->kind == FS_EX_NAME ? fs_lift_set(sets, e->text) : -1;
  if (k >= 0 && !(known >> k & 1)) sets->needed[k] = true;
  for (int a = 0; a < e->n_args; a++) read_names(e->args[a], sets, known);
}

/* The names that are set behind a list on every way, of those that go on there. */
static unsigned set_by(const struct fs_lift_sets *sets, const struct fs_stmt *s) {
  return 1u << fs_lift_set(sets, s->targets[0].name);
}

static unsigned read_list(const struct fs_stmt *list, struct fs_lift_sets *sets, unsigned known) {
  for (const struct fs_stmt *s = list; s; s = s->next) {
    if (s->kind == FS_ST_BREAK || s->kind == FS_ST_CONTINUE) return ~0u;
    read_names(s->expr, sets, known);
    if (s->kind == FS_ST_ASSIGN) known |= set_by(sets, s);
    if (s->kind == FS_ST_FOR) read_list(s->body, sets, known | set_by(sets, s));
    if (s->kind == FS_ST_WHILE) read_list(s->body, sets, known);
    if (s->kind == FS_ST_IF)
      known = read_list(s->body, sets, known) & read_list(s->orelse, sets, known);
  }
  return known;
}

bool fs_lift_sets(const struct fs_stmt *s, struct fs_lift_sets *out, struct fs_lift_no *no) {
  bool counts = s->kind == FS_ST_FOR;
  *out = (struct fs_lift_sets){.n = 0};
  if (counts && s->expr->kind != FS_EX_RANGE)
    return refuse(no, s->expr->span, "is no range of numbers");
  if (counts && !find_name(s, out, no)) return false;
  if (!find_names(s->body, out, no)) return false;
  if (!out->n) return refuse(no, s->expr->span, "is the condition of a `while` that sets nothing");
  read_names(s->expr, out, 0);
  read_list(s->body, out, counts ? set_by(out, s) : 0);
  return true;
}

/* -- what is read ------------------------------------------------------------------------ */

static bool mentions(const struct fs_expr *e, const struct fs_lift_sets *sets) {
  if (e->kind == FS_EX_NAME) return fs_lift_set(sets, e->text) >= 0;
  for (int k = 0; k < e->n_args; k++)
    if (mentions(e->args[k], sets)) return true;
  return false;
}

static bool list_mentions(const struct fs_stmt *list, const struct fs_lift_sets *sets) {
  for (const struct fs_stmt *s = list; s; s = s->next)
    if ((s->expr && mentions(s->expr, sets)) || list_mentions(s->body, sets) ||
        list_mentions(s->orelse, sets))
      return true;
  return false;
}

bool fs_lift_while_mentions(const struct fs_stmt *s, const char *name) {
  struct fs_lift_sets one = {.n = 1, .name = {name}};
  return mentions(s->expr, &one) || list_mentions(s->body, &one);
}

static bool visit_expr(const struct fs_expr *e, const struct fs_lift_sets *sets,
                       const struct fs_lift_visit *v, struct fs_lift_no *no) {
  if (e->kind == FS_EX_NUMBER || e->kind == FS_EX_BOOL) return true;
  if (!mentions(e, sets)) return v->outside(v->user, e);
  bool call = e->kind == FS_EX_CALL;
  switch (e->kind) {
    case FS_EX_NAME: return true;
    case FS_EX_UNARY:
      if (e->op != FS_AO_TRANSPOSE) break;
      return refuse(no, e->span, "is transposed");
    case FS_EX_BINARY:
      if (e->op != FS_AO_SOLVE) break;
      return refuse(no, e->span, "is no operation on single elements");
    case FS_EX_CALL:
      if (!v->call || v->call(v->user, e)) break;
      return refuse(no, e->span, "is not made of elements, numbers and functions of them");
    case FS_EX_INDEX:
      if (!v->table(v->user, e)) return refuse(no, e->span, "is at a place that a `while` computes");
      call = true;
      break;
    default: return refuse(no, e->span, "is no element and no number");
  }
  for (int k = call; k < e->n_args; k++)
    if (!visit_expr(e->args[k], sets, v, no)) return false;
  return true;
}

/* Its condition, or the ends of its range. */
static bool visit_head(const struct fs_stmt *s, const struct fs_lift_sets *sets,
                       const struct fs_lift_visit *v, struct fs_lift_no *no) {
  if (s->kind != FS_ST_FOR) return !s->expr || visit_expr(s->expr, sets, v, no);
  for (int k = 0; k < s->expr->n_args; k++)
    if (!visit_expr(s->expr->args[k], sets, v, no)) return false;
  return true;
}

static bool visit_list(const struct fs_stmt *list, const struct fs_lift_sets *sets,
                       const struct fs_lift_visit *v, struct fs_lift_no *no) {
  for (const struct fs_stmt *s = list; s; s = s->next) {
    if (!visit_head(s, sets, v, no)) return false;
    if (!visit_list(s->body, sets, v, no) || !visit_list(s->orelse, sets, v, no)) return false;
  }
  return true;
}

bool fs_lift_while_visit(const struct fs_stmt *s, const struct fs_lift_sets *sets,
                         const struct fs_lift_visit *visit, struct fs_lift_no *no) {
  return visit_head(s, sets, visit, no) && visit_list(s->body, sets, visit, no);
}
