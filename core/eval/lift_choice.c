/* lift_choice.c - lanes that are one of two, as a condition says: see lift_lane.h. */
#include "core/eval/lift_lane.h"

enum { MOST_SPLITS = 256 };

/* -- trees ------------------------------------------------------------------------ */

static bool same_mask(const struct fs_tv *a, const struct fs_tv *b) {
  return a->node == b->node && !memcmp(&a->shape, &b->shape, sizeof a->shape);
}

static struct fs_lane either(struct fs_lift_tracer *t, struct fs_tv mask,
                             const struct fs_lane *yes, const struct fs_lane *no) {
  struct fs_lane_choice *c = FS_NEW(t->arena, struct fs_lane_choice);
  *c = (struct fs_lane_choice){mask, *yes, *no};
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
