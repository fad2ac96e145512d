/* lift_give.c - what names are after a nest.
 *
 * A local name that a condition gives its value may be one of several, of other types: a
 * number of the host or a scalar tensor. Which one it is the host reads when all has been
 * traced, together with what it has to know of subscripts; so the block runs once. */
#include "core/eval/lift_lane.h"

enum { MOST_PARTS = 32 };

/* Of a tree of choices, in the order in which it is walked: masks, and values. */
struct part {
  enum fs_lane_kind kind;
  struct fs_val v;           /* EITHER: the mask; a reference */
  bool is_number;            /* COUNT: of the kind of */
  enum fs_scalar_kind as;
  int other;                 /* EITHER: the part where it is false; the next one is the first */
};

struct final {
  const char *name;
  struct fs_span span;
  int n_parts;
  struct part parts[MOST_PARTS];
};

struct finals {
  struct fs_lift_tracer *t;
  FS_VEC(struct final) of;
  FS_VEC(struct fs_val) arrays; /* as t->arrays */
  struct fs_val wrong;
  bool reads;                   /* the host has to */
};

static struct fs_val scalar_value(struct fs_lift_tracer *t, struct fs_tv tv) {
  tv.shape = fs_shape_scalar();
  return fs_tv_value(t->in, &tv);
}

static bool add_part(struct finals *f, struct final *to, const struct fs_lane *a) {
  if (to->n_parts == MOST_PARTS) return false;
  struct part *p = &to->parts[to->n_parts++];
  *p = (struct part){.kind = a->kind};
  switch (a->kind) {
    case FS_LANE_NUMBER: p->v = fs_val_ref(a->number); break;
    case FS_LANE_TENSOR: p->v = scalar_value(f->t, a->tv); break;
    case FS_LANE_COUNT:
      p->is_number = true;
      p->as = a->last.kind;
      f->reads |= a->measured;
      p->v = a->measured ? scalar_value(f->t, a->tv) : fs_scalar_value(a->last);
      if (a->affine.known) p->v.number = (double)a->affine.c;
      break;
    case FS_LANE_EITHER:
      f->reads = true;
      p->v = scalar_value(f->t, a->choice->mask);
      if (!add_part(f, to, &a->choice->yes)) return false;
      p->other = to->n_parts;
      return add_part(f, to, &a->choice->no);
    case FS_LANE_NONE: break;
  }
  return true;
}

static struct final *add_final(struct finals *f, const char *name, struct fs_span span) {
  struct final *out = FS_PUSH(&f->of);
  out->name = name;
  out->span = span;
  out->n_parts = 0;
  return out;
}

static bool is_last(const struct fs_lift_nest *n, int at) {
  for (int k = at + 1; k < n->items.len; k++)
    if (!strcmp(n->items.data[k].name, n->items.data[at].name)) return false;
  return true;
}

static bool add_locals(struct finals *f) {
  struct fs_lift_tracer *t = f->t;
  for (int k = 0; k < t->n->items.len; k++) {
    const struct fs_lift_item *it = &t->n->items.data[k];
    if (it->kind != FS_LIFT_LOCAL || !is_last(t->n, k)) continue;
    t->at = k;
    t->in->span = t->in->stmt = fs_lift_span(it);
    struct fs_lane a = t->lanes[k];
    if (!fs_lane_last(t, &a, 0, it->level)) return false;
    if (!add_part(f, add_final(f, it->name, fs_lift_span(it)), &a)) return false;
  }
  return true;
}

/* Whether nothing but ends of ranges is above an item. */
static bool only_ranges(const struct fs_lift_nest *n, int at) {
  for (int k = n->items.data[at].guard; k >= 0; k = n->items.data[k].guard)
    if (!n->items.data[k].of_range) return false;
  return true;
}

/* The last round in which a loop is reached, as far as ranges of counters say that; false: it
 * would take long to find, or there are other conditions, too. */
static bool last_round(const struct fs_lift_nest *n, const struct fs_lift_loop *l, int64_t *round) {
  enum { MOST_STEPS = 1 << 20 };
  const struct fs_lift_item *it = &n->items.data[l->first];
  int at = it->of_range ? l->first : it->guard; /* the range of the loop, or of one around it */
  for (int d = 0; d <= l->depth; d++) round[d] = n->loops.data[it->loops[d]].count - 1;
  while (at >= 0 && (!n->items.data[at].of_range || n->items.data[at].depth > l->depth + 1))
    at = n->items.data[at].guard;
  if (at < 0) return true;
  if (!only_ranges(n, at)) return false;
  for (int step = 0; step < MOST_STEPS; step++) {
    int d = l->depth;
    if (fs_lift_holds(n, at, round)) return true;
    while (d >= 0 && !round[d]) d--;
    if (d < 0) return false;
    round[d]--;
    for (d++; d <= l->depth; d++) round[d] = n->loops.data[it->loops[d]].count - 1;
  }
  return false;
}

/* Of a loop that a `break` ends, under no condition: its counter in the last round. */
static struct fs_lane ended_at(struct fs_lift_tracer *t, const struct fs_lift_loop *l) {
  struct fs_tv first = fs_lift_first(t, l->ends);
  const struct fs_lift_item *it = &t->n->items.data[l->ends];
  int64_t begin = l->begin.c;
  for (int d = 0; d < l->depth; d++) {
    int64_t last = t->n->loops.data[it->loops[d]].count - 1;
    first = fs_tv_at(t->in, first, d, fs_shape_dim(&first.shape, d) - 1);
    begin += l->begin.k[d] * last;
  }
  struct fs_tv most = fs_tv_number(t->in, (double)l->count, FS_I64);
  struct fs_tv rounds = fs_tv_map2(t->in, FS_OP_MIN, first, most);
  rounds = fs_tv_map2(t->in, FS_OP_MUL, rounds, fs_tv_number(t->in, (double)l->step, FS_I64));
  rounds = fs_tv_map2(t->in, FS_OP_ADD, rounds,
                      fs_tv_number(t->in, (double)(begin - l->step), FS_I64));
  struct fs_lane like = {.last = {.kind = FS_SC_INT}};
  return fs_lane_measured(&like, rounds);
}

/* A counter is what it was before where its loop was never reached. */
static bool add_counters(struct finals *f) {
  struct fs_lift_tracer *t = f->t;
  for (int k = 0; k < t->n->loops.len; k++) {
    const struct fs_lift_loop *l = &t->n->loops.data[k];
    const struct fs_lift_item *it = &t->n->items.data[l->first];
    bool empty = l->window || l->first == t->n->items.len || it->depth <= l->depth ||
                 it->loops[l->depth] != k;
    int64_t round[FS_LIFT_DEPTH] = {0}, last = l->begin.c + l->step * (l->count - 1);
    bool known = empty || last_round(t->n, l, round);
    for (int d = 0; d < l->depth && empty; d++)
      last += l->begin.k[d] * (t->n->loops.data[l->around[d]].count - 1);
    for (int d = 0; d <= l->depth && !empty && known; d++)
      last += d == l->depth ? l->step * (round[d] - l->count + 1) : l->begin.k[d] * round[d];
    if (!known) return false;
    if (l->ends >= 0) {
      struct fs_lane ended = ended_at(t, l);
      if (!add_part(f, add_final(f, l->name, l->s->span), &ended)) return false;
      continue;
    }
    struct fs_lane value = {.number = fs_val_number((double)last, true)}, any;
    struct fs_lane none = {.kind = FS_LANE_NONE};
    if ((l->window || !empty) && !only_ranges(t->n, l->first)) { /* its range is no condition */
      t->at = l->first;
      any = fs_lift_mask(t, l->first, 0);
      if (any.kind == FS_LANE_TENSOR)
        any.tv = fs_lift_reduced(t, FS_RD_ANY, any.tv, (1u << FS_LIFT_DEPTH) - 1);
      value = fs_lane_join(t, &any, &value, &none);
    }
    if (!add_part(f, add_final(f, l->name, l->s->span), &value)) return false;
  }
  return true;
}

/* Names of a kernel's threads end with them. */
static bool ends_names(const struct fs_lift_nest *n) {
  const char *word = n->loops.data[0].s->text;
  return word && !strcmp(word, "kernel");
}

static bool add_all(struct finals *f) {
  struct fs_lift_tracer *t = f->t;
  if (!ends_names(t->n) && (!add_locals(f) || !add_counters(f))) return false;
  for (int k = 0; k < t->arrays.len; k++)
    *FS_PUSH(&f->arrays) = t->arrays.data[k].changed ? fs_tv_value(t->in, &t->arrays.data[k].tv)
                                                     : (struct fs_val){FS_V_NONE};
  if (t->late.node)
    t->wrong = t->wrong.node ? fs_tv_map2(t->in, FS_OP_OR, t->wrong, t->late) : t->late;
  f->reads |= t->wrong.node != 0;
  if (t->wrong.node) f->wrong = scalar_value(t, t->wrong);
  return !f->reads || !t->in->explain;
}

static void free_finals(struct finals *f) {
  for (int k = 0; k < f->of.len; k++)
    for (int p = 0; p < f->of.data[k].n_parts; p++) fs_val_unref(f->of.data[k].parts[p].v);
  for (int k = 0; k < f->arrays.len; k++) fs_val_unref(f->arrays.data[k]);
  fs_val_unref(f->wrong);
  FS_VEC_FREE(&f->of);
  FS_VEC_FREE(&f->arrays);
}

/* The part that is the value; a number of the host is made of it. */
static struct part *chosen(struct finals *f, struct final *of) {
  int p = 0;
  double x = 0;
  struct fs_lift_tracer *t = f->t;
  while (t->st == FS_OK && of->parts[p].kind == FS_LANE_EITHER) {
    bool truth = false;
    t->st = fs_read_bool(t->in, &of->parts[p].v, of->span, &truth);
    p = truth ? p + 1 : of->parts[p].other;
  }
  struct part *out = &of->parts[p];
  if (t->st != FS_OK || !out->is_number) return out;
  t->st = fs_read_number(t->in, &out->v, of->span, "a number", &x);
  fs_val_unref(out->v);
  out->v = fs_scalar_value((struct fs_scalar){.x = x, .kind = out->as});
  return out;
}

static bool give(struct finals *f) {
  struct fs_lift_tracer *t = f->t;
  bool wrong = false;
  struct part *parts[FS_LIFT_ITEMS + FS_LIFT_LOOPS];
  if (t->wrong.node) t->st = fs_read_bool(t->in, &f->wrong, t->in->span, &wrong);
  for (int k = 0; k < f->of.len && t->st == FS_OK && !wrong; k++)
    parts[k] = chosen(f, &f->of.data[k]);
  if (t->st != FS_OK || wrong) return false;
  for (int k = 0; k < f->of.len; k++)
    if (parts[k]->kind != FS_LANE_NONE)
      fs_assign(t->in, f->of.data[k].name, fs_val_ref(parts[k]->v));
  for (int k = 0; k < t->arrays.len; k++)
    if (t->arrays.data[k].changed)
      fs_assign(t->in, t->arrays.data[k].name, fs_val_ref(f->arrays.data[k]));
  return true;
}

bool fs_lift_give(struct fs_lift_tracer *t) {
  struct finals f = {.t = t};
  bool done = add_all(&f) && give(&f);
  free_finals(&f);
  return done;
}
