/* lift_guard.c - what the conditions over an item say of its counters: see lift_nest.h.
 *
 * A condition that compares sums of counters is g >= 0 of such a sum g, or several of them. A
 * subscript a is at least the least that a - f*g is anywhere, for any f >= 0. */
#include "core/eval/lift_nest.h"

#include <stdlib.h>

enum { MOST_LIMITS = 16 };

struct limits {
  const struct fs_lift_nest *n;
  int item, len;                 /* the condition; how many */
  struct fs_affine least_zero[MOST_LIMITS];
};

bool fs_lift_stands_under(const struct fs_lift_nest *n, int at, int guard, bool otherwise) {
  for (int k = at; n->items.data[k].guard >= 0; k = n->items.data[k].guard)
    if (n->items.data[k].guard == guard && n->items.data[k].otherwise == otherwise) return true;
  return false;
}

/* a - b - less >= 0 */
static void add_limit(struct limits *w, const struct fs_affine *a, const struct fs_affine *b,
                      int less) {
  struct fs_affine g = *a;
  if (w->len == MOST_LIMITS) return;
  g.c -= b->c + less;
  for (int l = 0; l < FS_LIFT_DEPTH; l++) g.k[l] -= b->k[l];
  w->least_zero[w->len++] = g;
}

static enum fs_ast_op opposite(enum fs_ast_op op) {
  switch (op) {
    case FS_AO_LT: return FS_AO_GE;
    case FS_AO_LE: return FS_AO_GT;
    case FS_AO_GT: return FS_AO_LE;
    case FS_AO_GE: return FS_AO_LT;
    case FS_AO_EQ: return FS_AO_NE;
    case FS_AO_NE: return FS_AO_EQ;
    case FS_AO_AND: return FS_AO_OR;
    case FS_AO_OR: return FS_AO_AND;
    default: return op;
  }
}

/* What holds if the expression is `truth`. */
static void add_limits(struct limits *w, const struct fs_expr *e, bool truth) {
  if (e->kind == FS_EX_UNARY && e->op == FS_AO_NOT) add_limits(w, e->args[0], !truth);
  if (e->kind != FS_EX_BINARY) return;
  enum fs_ast_op op = truth ? e->op : opposite(e->op);
  if (op == FS_AO_AND) {
    add_limits(w, e->args[0], truth);
    add_limits(w, e->args[1], truth);
    return;
  }
  if (op < FS_AO_EQ || op > FS_AO_GE || op == FS_AO_NE) return;
  struct fs_affine a = fs_lift_affine(w->n, e->args[0], w->item, 0);
  struct fs_affine b = fs_lift_affine(w->n, e->args[1], w->item, 0);
  if (!a.known || !b.known) return;
  if (op == FS_AO_GT || op == FS_AO_GE || op == FS_AO_EQ) add_limit(w, &a, &b, op == FS_AO_GT);
  if (op == FS_AO_LT || op == FS_AO_LE || op == FS_AO_EQ) add_limit(w, &b, &a, op == FS_AO_LT);
}

static struct limits limits_of(const struct fs_lift_nest *n, int item) {
  struct limits w = {.n = n};
  for (int k = item; n->items.data[k].guard >= 0; k = w.item) {
    w.item = n->items.data[k].guard;
    add_limits(&w, n->items.data[w.item].value, !n->items.data[k].otherwise);
  }
  return w;
}

/* Rounds of every loop, from 0. */
struct box {
  struct fs_range of[FS_LIFT_DEPTH];
};

static struct fs_range over_box(const struct fs_affine *a, const struct box *b) {
  struct fs_range r = {a->c, a->c};
  for (int l = 0; l < FS_LIFT_DEPTH; l++) {
    int64_t x = a->k[l] * b->of[l].first, y = a->k[l] * b->of[l].last;
    r.first += FS_MIN(x, y);
    r.last += FS_MAX(x, y);
  }
  return r;
}

static int64_t floor_div(int64_t a, int64_t b) {
  int64_t q = a / b;
  return a % b && (a < 0) != (b < 0) ? q - 1 : q;
}

/* g >= 0, where the others bring as much as they can. */
static void narrow(struct box *b, const struct fs_affine *g) {
  for (int l = 0; l < FS_LIFT_DEPTH; l++) {
    struct fs_affine others = *g;
    struct fs_range *r = &b->of[l];
    others.k[l] = 0;
    int64_t most = over_box(&others, b).last;
    if (g->k[l] > 0) r->first = FS_MAX(r->first, -floor_div(most, g->k[l]));
    if (g->k[l] < 0) r->last = FS_MIN(r->last, floor_div(most, -g->k[l]));
  }
}

static bool is_empty(const struct box *b) {
  for (int l = 0; l < FS_LIFT_DEPTH; l++)
    if (b->of[l].first > b->of[l].last) return true;
  return false;
}

static struct box box_of(const struct fs_lift_nest *n, int item, const struct limits *w) {
  struct box b = {{{0, 0}}};
  const struct fs_lift_item *it = &n->items.data[item];
  for (int l = 0; l < it->depth; l++) b.of[l].last = n->loops.data[it->loops[l]].count - 1;
  for (int k = 0; k < w->len && !is_empty(&b); k++) narrow(&b, &w->least_zero[k]);
  return b;
}

struct fs_range fs_lift_guarded_rounds(const struct fs_lift_nest *n, int item, int depth) {
  struct limits w = limits_of(n, item);
  struct box b = box_of(n, item, &w);
  return is_empty(&b) ? (struct fs_range){0, -1} : b.of[depth];
}

/* Of a + f*g. */
static struct fs_range over_sum(const struct fs_affine *a, int64_t f, const struct fs_affine *g,
                                const struct box *b) {
  struct fs_affine s = *a;
  s.c += f * g->c;
  for (int l = 0; l < FS_LIFT_DEPTH; l++) s.k[l] += f * g->k[l];
  return over_box(&s, b);
}

bool fs_lift_holds(const struct fs_lift_nest *n, int item, const int64_t *t) {
  struct limits w = limits_of(n, item);
  struct box b = {{{0, 0}}};
  w.item = item;
  if (n->items.data[item].of_range) add_limits(&w, n->items.data[item].value, true);
  for (int l = 0; l < n->items.data[item].depth; l++) b.of[l] = (struct fs_range){t[l], t[l]};
  for (int k = 0; k < w.len; k++)
    if (over_box(&w.least_zero[k], &b).first < 0) return false;
  return true;
}

static struct fs_range range_under(const struct limits *w, int item, const struct fs_affine *a) {
  struct box b = box_of(w->n, item, w);
  if (is_empty(&b)) return (struct fs_range){0, -1};
  struct fs_range r = over_box(a, &b);
  for (int k = 0; k < w->len; k++)
    for (int l = 0; l < FS_LIFT_DEPTH; l++) {
      const struct fs_affine *g = &w->least_zero[k];
      if (!g->k[l] || !a->k[l] || a->k[l] % g->k[l]) continue;
      int64_t f = llabs(a->k[l] / g->k[l]);
      r.first = FS_MAX(r.first, over_sum(a, -f, g, &b).first);
      r.last = FS_MIN(r.last, over_sum(a, f, g, &b).last);
    }
  return r;
}

bool fs_lift_is_inside(const struct fs_lift_nest *n, const struct fs_lift_access *access,
                       const struct fs_affine *a, int64_t extent) {
  struct limits w = limits_of(n, access->item);
  w.item = access->item;
  if (access->behind) add_limits(&w, access->behind, !access->behind_or);
  struct fs_range r = range_under(&w, access->item, a);
  return r.first >= 0 && r.last < extent;
}

struct fs_range fs_lift_range_where(const struct fs_lift_nest *n, int item,
                                    const struct fs_affine *a, int n_others,
                                    const struct fs_affine *others) {
  struct limits w = limits_of(n, item);
  for (int k = 0; k < n_others && w.len < MOST_LIMITS; k++) w.least_zero[w.len++] = others[k];
  return range_under(&w, item, a);
}
