/* lift_choice.c - lanes that are one of two, as a condition says: see lift_lane.h. */
#include "core/eval/lift_lane.h"

#include <math.h>

enum { MOST_SPLITS = 256 };

/* -- trees ------------------------------------------------------------------------ */

static bool same_mask(const struct fs_tv *a, const struct fs_tv *b) {
  return a->node == b->node && !memcmp(&a->shape, &b->shape, sizeof a->shape);
}

static struct fs_lane either(struct fs_lift_tracer *t, struct fs_tv mask,
                             const struct fs_lane *yes, const struct fs_lane *no) {
  struct fs_lane_choice *c = FS_NEW(t->arena, struct fs_lane_choice);
  *c = (struct fs_lane_choice){mask, *yes, *no, false};
  return (struct fs_lane){.kind = FS_LANE_EITHER, .choice = c};
}

struct fs_lane fs_lane_given(struct fs_lift_tracer *t, struct fs_lane a, struct fs_tv mask,
                             bool truth) {
  if (a.kind != FS_LANE_EITHER) return a;
  const struct fs_lane_choice *c = a.choice;
  if (same_mask(&c->mask, &mask)) return fs_lane_given(t, truth ? c->yes : c->no, mask, truth);
  struct fs_lane yes = fs_lane_given(t, c->yes, mask, truth);
  struct fs_lane no = fs_lane_given(t, c->no, mask, truth);
  return either(t, c->mask, &yes, &no);
}

static bool same_lane(const struct fs_lane *a, const struct fs_lane *b) {
  if (a->kind != b->kind) return false;
  if (a->kind == FS_LANE_TENSOR) return same_mask(&a->tv, &b->tv) && a->tv.dtype == b->tv.dtype;
  if (a->kind == FS_LANE_EITHER) return a->choice == b->choice;
  if (a->kind == FS_LANE_NUMBER) {
    const struct fs_val *x = &a->number, *y = &b->number;
    return x->kind == y->kind && x->is_int == y->is_int && x->literal == y->literal &&
           !memcmp(&x->number, &y->number, sizeof x->number);
  }
  return a->kind == FS_LANE_NONE;
}

static bool has_none(const struct fs_lane *a) {
  if (a->kind != FS_LANE_EITHER) return a->kind == FS_LANE_NONE;
  return has_none(&a->choice->yes) || has_none(&a->choice->no);
}

/* A choice of choices between the same two is one: `m = 0` nine times, each under a condition. */
static bool one_choice(struct fs_lift_tracer *t, const struct fs_lane *mask,
                       const struct fs_lane *yes, const struct fs_lane *no, struct fs_lane *out) {
  const struct fs_lane *some = no->kind == FS_LANE_EITHER ? no : yes;
  if (some->kind != FS_LANE_EITHER || has_none(yes) || has_none(no)) return false;
  const struct fs_lane *x = &some->choice->yes, *y = &some->choice->no;
  struct fs_tv is, m = mask->tv, other = some->choice->mask;
  if (yes->kind == FS_LANE_EITHER && no->kind == FS_LANE_EITHER) {
    if (!same_lane(&yes->choice->yes, x) || !same_lane(&yes->choice->no, y)) return false;
    is = fs_tv_choose(t->in, m, yes->choice->mask, other);
  } else if (some == no && same_lane(yes, x)) {
    is = fs_tv_map2(t->in, FS_OP_OR, m, other);
  } else if (some == yes && same_lane(no, y)) {
    is = fs_tv_map2(t->in, FS_OP_AND, m, other);
  } else {
    return false;
  }
  *out = either(t, is, x, y);
  return true;
}

struct fs_lane fs_lane_join(struct fs_lift_tracer *t, const struct fs_lane *mask,
                            const struct fs_lane *yes, const struct fs_lane *no) {
  struct fs_lane out;
  if (mask->kind == FS_LANE_NUMBER) return mask->number.number != 0 ? *yes : *no;
  if (same_lane(yes, no)) return *yes;
  if (one_choice(t, mask, yes, no, &out)) return out;
  bool merge = yes->kind == FS_LANE_TENSOR && no->kind == FS_LANE_TENSOR &&
               yes->tv.dtype == no->tv.dtype;
  if (!merge) return either(t, mask->tv, yes, no);
  return (struct fs_lane){.kind = FS_LANE_TENSOR, .loose = yes->loose || no->loose,
                          .tv = fs_tv_choose(t->in, mask->tv, yes->tv, no->tv)};
}

bool fs_lane_each(struct fs_lift_tracer *t, int n, const struct fs_lane *a, fs_lane_fn *fn,
                  const void *how, struct fs_lane *out) {
  struct fs_lane b[3], result[2];
  int k = 0;
  for (int j = 0; j < n; j++)
    if (a[j].kind == FS_LANE_NONE)
      return fs_lift_refuse(t->n, t->in->stmt, "may read what an earlier round made");
  while (k < n && a[k].kind != FS_LANE_EITHER) k++;
  if (k == n) return fn(t, how, a, out);
  if (++t->splits > MOST_SPLITS) return false;
  struct fs_lane mask = {.kind = FS_LANE_TENSOR, .tv = a[k].choice->mask};
  for (int truth = 0; truth < 2; truth++) {
    for (int j = 0; j < n; j++) b[j] = fs_lane_given(t, a[j], mask.tv, truth);
    if (!fs_lane_each(t, n, b, fn, how, &result[truth])) return false;
  }
  *out = fs_lane_join(t, &mask, &result[1], &result[0]);
  return true;
}

/* -- one of two sums of counters ------------------------------------------------------ */

/* where(i > 1, i - 1, 2) is i - 1, or 2; mod(i, n) + 1 is i - n + 1, or i + 1. As subscripts
 * they are one of two views. */

static bool has_parts(const struct fs_lane *a) {
  return a->parts && !a->affine.known && a->parts_of == a->tv.node;
}

static bool is_sums(const struct fs_lane *a) { return a->affine.known || has_parts(a); }

static const struct fs_lane_choice *choice_of(struct fs_lift_tracer *t, struct fs_tv mask,
                                              struct fs_lane yes, struct fs_lane no) {
  struct fs_lane_choice *c = FS_NEW(t->arena, struct fs_lane_choice);
  *c = (struct fs_lane_choice){mask, yes, no};
  return c;
}

/* What is one of two is named by the node that says which, until it has one of its own. */
static struct fs_lane one_of(struct fs_lift_tracer *t, struct fs_tv mask, struct fs_lane yes,
                             struct fs_lane no) {
  struct fs_lane out = {.kind = FS_LANE_COUNT, .tv = mask, .parts_of = mask.node};
  out.parts = choice_of(t, mask, yes, no);
  return out;
}

static struct fs_lane constant(int64_t c) {
  return (struct fs_lane){.kind = FS_LANE_COUNT, .affine = fs_lift_constant(c)};
}

void fs_lane_note_limit(struct fs_lift_tracer *t, enum fs_map_op op, const struct fs_lane *a,
                        fs_id is) {
  bool up = op == FS_OP_GE || op == FS_OP_GT, strict = op == FS_OP_LT || op == FS_OP_GT;
  if (!up && op != FS_OP_LE && op != FS_OP_LT) return;
  struct fs_lane turned[2] = {a[up ? 0 : 1], a[up ? 1 : 0]};
  struct fs_lane_limit *l = FS_NEW(t->arena, struct fs_lane_limit);
  *l = (struct fs_lane_limit){is, fs_lane_affine(FS_OP_SUB, turned), t->limits};
  l->least_zero.c -= strict;
  if (l->least_zero.known) t->limits = l;
}

/* `yes` where a is not less than b, else `no`. */
static struct fs_lane where_more(struct fs_lift_tracer *t, const struct fs_lane *a,
                                 const struct fs_lane *b, const struct fs_lane *yes,
                                 const struct fs_lane *no) {
  struct fs_lane both[2] = {*a, *b};
  struct fs_affine by = fs_lane_affine(FS_OP_SUB, both);
  struct fs_range r = {-1, 0};
  if (by.known) r = fs_lift_bounds(t->n, t->at, &by);
  if (r.first >= 0) return *yes;
  if (r.last < 0) return *no;
  struct fs_tv mask = fs_tv_map2(t->in, FS_OP_GE, fs_lane_tv(t, a), fs_lane_tv(t, b));
  fs_lane_note_limit(t, FS_OP_GE, both, mask.node);
  return one_of(t, mask, *yes, *no);
}

/* mod(a, n) of what is not far from 0 ... n - 1. */
static bool wrapped(struct fs_lift_tracer *t, const struct fs_lane *a, struct fs_lane *out) {
  struct fs_range r = fs_lift_bounds(t->n, t->at, &a[0].affine);
  int64_t n = a[1].affine.c;
  struct fs_lane less = a[0], more = a[0], zero = constant(0);
  for (int l = 0; l < FS_LIFT_DEPTH; l++)
    if (a[1].affine.k[l]) return false;
  if (n <= 0 || r.first < -n || r.last >= 2 * n) return false;
  less.affine.c -= n;
  more.affine.c += n;
  *out = r.last >= n ? where_more(t, &a[0], &a[1], &less, &a[0]) : a[0];
  if (r.first < 0) *out = where_more(t, &a[0], &zero, out, &more);
  return true;
}

static bool of_sums(struct fs_lift_tracer *t, enum fs_map_op op, const struct fs_lane *a,
                    struct fs_lane *out) {
  struct fs_lane zero = constant(0), minus = constant(0);
  *out = (struct fs_lane){.kind = FS_LANE_COUNT};
  switch (op) {
    case FS_OP_MAX: *out = where_more(t, &a[0], &a[1], &a[0], &a[1]); return true;
    case FS_OP_MIN: *out = where_more(t, &a[1], &a[0], &a[0], &a[1]); return true;
    case FS_OP_ABS:
      minus.affine = fs_lane_affine(FS_OP_NEG, a);
      if (minus.affine.known) *out = where_more(t, &a[0], &zero, &a[0], &minus);
      return minus.affine.known;
    case FS_OP_MOD: return wrapped(t, a, out);
    default: out->affine = fs_lane_affine(op, a); return out->affine.known;
  }
}

/* Of what may be parts, part by part. */
static bool of_parts(struct fs_lift_tracer *t, enum fs_map_op op, const struct fs_lane *a,
                     struct fs_lane *out) {
  int n = fs_map_ops[op].arity, k = 0;
  struct fs_lane b[2] = {a[0], a[n - 1]}, yes, no;
  while (k < n && !has_parts(&a[k])) k++;
  if (k == n) return of_sums(t, op, b, out);
  fs_id mask = a[k].parts->mask.node;
  for (int yes_too = 1; yes_too >= 0; yes_too--) { /* both go by one condition together */
    for (int s = k; s < n; s++)
      if (has_parts(&a[s]) && a[s].parts->mask.node == mask)
        b[s] = yes_too ? a[s].parts->yes : a[s].parts->no;
    if (!of_parts(t, op, b, yes_too ? &yes : &no)) return false;
  }
  *out = one_of(t, a[k].parts->mask, yes, no);
  return true;
}

void fs_lane_find_parts(struct fs_lift_tracer *t, enum fs_map_op op, const struct fs_lane *a,
                        const struct fs_tv *src, struct fs_lane *out) {
  int n = fs_map_ops[op].arity;
  struct fs_lane found = {0};
  for (int k = op == FS_OP_WHERE; k < n; k++)
    if (!is_sums(&a[k])) return;
  if (op == FS_OP_WHERE) found = one_of(t, src[0], a[1], a[2]);
  else if (n > 2 || !of_parts(t, op, a, &found)) return;
  out->affine = found.affine;
  out->parts = found.parts;
  out->parts_of = out->tv.node;
}

/* What a mask says where it is `truth`. */
struct known {
  const struct fs_lift_tracer *t;
  int n;
  struct fs_affine least_zero[8];
};

static void add_known(struct known *k, fs_id mask, bool truth) {
  const struct fs_node *n = fs_node(fs_block_graph(k->t->in), mask);
  if (n->kind == FS_ND_VIEW) add_known(k, n->src[0], truth);
  if (n->kind != FS_ND_MAP || k->n == 8) return;
  if (n->op == FS_OP_NOT) add_known(k, n->src[0], !truth);
  if (n->op == (truth ? FS_OP_AND : FS_OP_OR))
    for (int s = 0; s < 2; s++) add_known(k, n->src[s], truth);
  for (const struct fs_lane_limit *l = k->t->limits; l; l = l->next)
    if (l->node == mask && k->n < 8) {
      struct fs_affine g = l->least_zero;
      if (!truth) g.c = -g.c - 1;
      for (int d = 0; d < FS_LIFT_DEPTH && !truth; d++) g.k[d] = -g.k[d];
      k->least_zero[k->n++] = g;
      return;
    }
}

static bool is_within(const struct known *k, const struct fs_lane *a, int64_t extent) {
  if (a->affine.known) {
    struct fs_range r = fs_lift_range_where(k->t->n, k->t->at, &a->affine, k->n, k->least_zero);
    return r.first >= 0 && r.last < extent;
  }
  struct known yes = *k, no = *k;
  add_known(&yes, a->parts->mask.node, true);
  add_known(&no, a->parts->mask.node, false);
  return is_within(&yes, &a->parts->yes, extent) && is_within(&no, &a->parts->no, extent);
}

/* Each part that is one place in all rounds that take it as that place, which is read once:
 * behind a mirror x[2 - i] stands for x[i - 1] where i is 1. */
static struct fs_lane narrowed(const struct known *k, const struct fs_lane *a) {
  struct fs_lane out = *a;
  if (a->affine.known) {
    struct fs_range r = fs_lift_range_where(k->t->n, k->t->at, &a->affine, k->n, k->least_zero);
    if (r.first == r.last) out.affine = fs_lift_constant(r.first);
    return out;
  }
  struct known yes = *k, no = *k;
  add_known(&yes, a->parts->mask.node, true);
  add_known(&no, a->parts->mask.node, false);
  out.parts = choice_of((struct fs_lift_tracer *)k->t, a->parts->mask,
                        narrowed(&yes, &a->parts->yes), narrowed(&no, &a->parts->no));
  return out;
}

bool fs_lane_is_inside(const struct fs_lift_tracer *t, const struct fs_lane *a, int64_t extent) {
  struct known k = {.t = t};
  return is_within(&k, a, extent);
}

/* EITHER of counts. */
static bool joined(struct fs_lift_tracer *t, const struct fs_lane *a, struct fs_lane *out) {
  struct fs_lane yes, no;
  *out = *a;
  if (a->kind == FS_LANE_NUMBER && a->number.kind == FS_V_NUMBER && a->number.is_int &&
      fabs(a->number.number) <= FS_LIFT_MOST)
    *out = constant((int64_t)a->number.number);
  if (a->kind != FS_LANE_EITHER) return out->kind == FS_LANE_COUNT && !out->measured && is_sums(out);
  if (!joined(t, &a->choice->yes, &yes) || !joined(t, &a->choice->no, &no)) return false;
  *out = one_of(t, a->choice->mask, yes, no);
  out->tv = fs_tv_choose(t->in, a->choice->mask, fs_lane_tv(t, &yes), fs_lane_tv(t, &no));
  out->parts_of = out->tv.node;
  return true;
}

static int leaves_of(const struct fs_lane *a) {
  return a->affine.known ? 1 : leaves_of(&a->parts->yes) + leaves_of(&a->parts->no);
}

bool fs_lane_sums(struct fs_lift_tracer *t, const struct fs_lane *a, int64_t by,
                  struct fs_lane *out, int *leaves) {
  struct fs_lane pair[2] = {{0}, constant(by)};
  struct fs_tv whole;
  if (!joined(t, a, &pair[0])) return false;
  whole = fs_lane_tv(t, &pair[0]);
  if (!of_parts(t, FS_OP_SUB, pair, out)) return false;
  struct known nothing = {.t = t};
  *out = narrowed(&nothing, out);
  out->tv = whole;
  out->parts_of = whole.node;
  *leaves = leaves_of(out);
  return true;
}

/* -- conditions --------------------------------------------------------------------- */

static bool truth_of(struct fs_lift_tracer *t, const void *how, const struct fs_lane *a,
                     struct fs_lane *out) {
  (void)how;
  if (a->loose) /* by its last bits it might be another */
    return fs_lift_refuse(t->n, t->in->stmt, "decides by a sum of floats");
  *out = (struct fs_lane){.kind = FS_LANE_TENSOR, .tv = fs_lane_tv(t, a)};
  out->tv = fs_tv_cast(t->in, out->tv, FS_BOOL);
  return true;
}

bool fs_lane_truth(struct fs_lift_tracer *t, const struct fs_lane *a, struct fs_lane *out) {
  if (a->kind != FS_LANE_NUMBER) return fs_lane_each(t, 1, a, truth_of, NULL, out);
  *out = (struct fs_lane){.number = fs_val_bool(a->number.number != 0)};
  return true;
}

struct fs_lane fs_lane_both(struct fs_lift_tracer *t, const struct fs_lane *a,
                            const struct fs_lane *b) {
  if (a->kind == FS_LANE_NUMBER) return a->number.number != 0 ? *b : *a;
  if (b->kind == FS_LANE_NUMBER) return b->number.number != 0 ? *a : *b;
  return (struct fs_lane){.kind = FS_LANE_TENSOR,
                          .tv = fs_tv_map2(t->in, FS_OP_AND, a->tv, b->tv)};
}

struct fs_lane fs_lane_not(struct fs_lift_tracer *t, const struct fs_lane *a) {
  if (a->kind == FS_LANE_NUMBER)
    return (struct fs_lane){.number = fs_val_bool(a->number.number == 0)};
  return (struct fs_lane){.kind = FS_LANE_TENSOR, .tv = fs_tv_map1(t->in, FS_OP_NOT, a->tv)};
}

struct fs_lane fs_lift_mask(struct fs_lift_tracer *t, int at, int level) {
  struct fs_lane out = {.number = fs_val_bool(true)};
  const struct fs_lift_item *items = t->n->items.data;
  for (int k = at; items[k].guard >= 0; k = items[k].guard) {
    if (items[items[k].guard].depth <= level) continue;
    struct fs_lane c = t->lanes[items[k].guard];
    if (items[k].otherwise) c = fs_lane_not(t, &c);
    out = fs_lane_both(t, &c, &out);
  }
  return out;
}

struct fs_lane fs_lift_given(struct fs_lift_tracer *t, int at, struct fs_lane a) {
  const struct fs_lift_item *items = t->n->items.data;
  for (int k = at; items[k].guard >= 0; k = items[k].guard) {
    const struct fs_lane *c = &t->lanes[items[k].guard];
    if (c->kind == FS_LANE_TENSOR) a = fs_lane_given(t, a, c->tv, !items[k].otherwise);
  }
  return a;
}

struct fs_lane fs_lift_under(struct fs_lift_tracer *t, int at, int level, struct fs_lane value,
                             struct fs_lane before) {
  const struct fs_lift_item *items = t->n->items.data;
  for (int k = at; items[k].guard >= 0; k = items[k].guard) {
    const struct fs_lane *c = &t->lanes[items[k].guard];
    if (items[items[k].guard].depth > level) continue;
    struct fs_lane other = fs_lift_given(t, items[k].guard, before);
    if (c->kind == FS_LANE_TENSOR) other = fs_lane_given(t, other, c->tv, items[k].otherwise);
    value = items[k].otherwise ? fs_lane_join(t, c, &other, &value)
                               : fs_lane_join(t, c, &value, &other);
  }
  return value;
}

/* -- what a name was last ------------------------------------------------------------- */

/* Where there is a value. */
static struct fs_lane defined(struct fs_lift_tracer *t, const struct fs_lane *a) {
  struct fs_lane truth = {.number = fs_val_bool(a->kind != FS_LANE_NONE)};
  if (a->kind != FS_LANE_EITHER) return truth;
  struct fs_lane yes = defined(t, &a->choice->yes), no = defined(t, &a->choice->no);
  if (yes.kind == FS_LANE_NUMBER && no.kind == FS_LANE_NUMBER &&
      yes.number.number == no.number.number)
    return yes;
  struct fs_lane mask = {.kind = FS_LANE_TENSOR, .tv = a->choice->mask};
  struct fs_lane other = fs_lane_not(t, &mask);
  if (yes.kind == FS_LANE_NUMBER && no.kind == FS_LANE_NUMBER)
    return yes.number.number != 0 ? mask : other;
  yes = fs_lane_both(t, &mask, &yes);
  no = fs_lane_both(t, &other, &no);
  if (yes.kind == FS_LANE_NUMBER) return no; /* false */
  if (no.kind == FS_LANE_NUMBER) return yes;
  return (struct fs_lane){.kind = FS_LANE_TENSOR,
                          .tv = fs_tv_map2(t->in, FS_OP_OR, yes.tv, no.tv)};
}

/* The value where there is one. */
static struct fs_lane stripped(struct fs_lift_tracer *t, const struct fs_lane *a) {
  if (a->kind != FS_LANE_EITHER) return *a;
  struct fs_lane yes = stripped(t, &a->choice->yes), no = stripped(t, &a->choice->no);
  if (yes.kind == FS_LANE_NONE) return no;
  if (no.kind == FS_LANE_NONE) return yes;
  struct fs_lane mask = {.kind = FS_LANE_TENSOR, .tv = a->choice->mask};
  return fs_lane_join(t, &mask, &yes, &no);
}

static bool varies(const struct fs_lane *a, int l) {
  if (a->kind == FS_LANE_EITHER)
    return fs_shape_dim(&a->choice->mask.shape, l) > 1 || varies(&a->choice->yes, l) ||
           varies(&a->choice->no, l);
  if (a->kind == FS_LANE_NUMBER || a->kind == FS_LANE_NONE) return false;
  return a->affine.known ? a->affine.k[l] != 0 : fs_shape_dim(&a->tv.shape, l) > 1;
}

/* Everywhere as it is in the last round of the loop at depth l. */
static struct fs_lane at_end(struct fs_lift_tracer *t, struct fs_lane a, int l) {
  if (a.kind == FS_LANE_NUMBER || a.kind == FS_LANE_NONE || !varies(&a, l)) return a;
  if (a.kind == FS_LANE_EITHER) {
    struct fs_tv mask = a.choice->mask;
    struct fs_lane yes = at_end(t, a.choice->yes, l), no = at_end(t, a.choice->no, l);
    mask = fs_tv_at(t->in, mask, l, fs_shape_dim(&mask.shape, l) - 1);
    return either(t, mask, &yes, &no);
  }
  int loop = t->n->items.data[t->at].loops[l];
  if (a.affine.known) {
    a.affine.c += a.affine.k[l] * (t->n->loops.data[loop].count - 1);
    a.affine.k[l] = 0;
  } else {
    a.tv = fs_tv_at(t->in, a.tv, l, fs_shape_dim(&a.tv.shape, l) - 1);
  }
  return a;
}

struct fs_lane fs_lane_pick(struct fs_lift_tracer *t, struct fs_lane a, unsigned over,
                            const struct fs_tv *is) {
  bool along = false;
  for (int l = 0; l < FS_LIFT_DEPTH; l++) along |= (over >> l & 1) && varies(&a, l);
  if (!along) return a;
  struct fs_tv tv = fs_lane_tv(t, &a);
  struct fs_tv none = fs_lift_identity(t, FS_RD_MAXR, tv.dtype);
  bool truth = tv.dtype == FS_BOOL;
  tv = fs_lift_reduced(t, truth ? FS_RD_ANY : FS_RD_MAXR, fs_tv_choose(t->in, *is, tv, none),
                       over);
  if (a.kind == FS_LANE_TENSOR) a.tv = tv;
  else a = fs_lane_measured(&a, tv);
  return a;
}

bool fs_lane_settle(struct fs_lift_tracer *t, struct fs_lane *a, int l,
                    const struct fs_lane *before) {
  struct fs_lane has = defined(t, a);
  if (!has_none(a)) {
    *a = at_end(t, *a, l);
    return true;
  }
  if (has.kind == FS_LANE_NUMBER && has.number.number == 0) {
    *a = *before;
    return true;
  }
  struct fs_lane value = stripped(t, a), place = fs_lift_rounds(t, l);
  if (value.kind == FS_LANE_EITHER) return false;
  if (has.kind == FS_LANE_NUMBER || !varies(&has, l)) {
    value = at_end(t, value, l);
    *a = fs_lane_join(t, &has, &value, before);
    return true;
  }
  struct fs_tv zero = fs_tv_number(t->in, 0, FS_I64), at = fs_lane_tv(t, &place), last;
  last = fs_lift_reduced(t, FS_RD_MAXR, fs_tv_choose(t->in, has.tv, at, zero), 1u << l);
  struct fs_tv is = fs_tv_map2(t->in, FS_OP_EQ, at, last);
  struct fs_lane any = {.kind = FS_LANE_TENSOR, .tv = fs_tv_map2(t->in, FS_OP_GT, last, zero)};
  value = fs_lane_pick(t, value, 1u << l, &is);
  *a = fs_lane_join(t, &any, &value, before);
  return true;
}
