/* lift_trace.c - the items of a nest, one after the other: see lift_nest.h. */
#include <math.h>

#include "core/eval/lift_lane.h"

/* -- reductions ------------------------------------------------------------------ */

/* What an item has and one more round brings. */
static bool put_together(struct fs_lift_tracer *t, const struct fs_lift_item *it,
                         const struct fs_lane *a, const struct fs_lane *b, struct fs_lane *out) {
  struct fs_lane pair[2] = {*a, *b};
  if (!it->extreme) return fs_lane_binary(t, it->op, it->s->expr->span, a, b, out);
  enum fs_map_op op = it->reduce == FS_RD_MAXR ? FS_OP_MAX : FS_OP_MIN;
  return fs_lane_map(t, op, it->s->expr->span, pair, out);
}

/* Whether this is a number of the source, or an array of one; or any number of the host. */
static bool is_number(struct fs_lift_tracer *t, const struct fs_lane *a, double x, bool any) {
  struct fs_graph *g = fs_block_graph(t->in);
  if (a->kind == FS_LANE_NUMBER)
    return (any || a->number.literal) && a->number.number == x && !signbit(a->number.number);
  if (a->kind != FS_LANE_TENSOR) return false;
  const struct fs_node *n = fs_node(g, a->tv.node);
  if (n->kind == FS_ND_VIEW && !fs_node(g, n->src[0])->shape.rank) n = fs_node(g, n->src[0]);
  if (n->kind != FS_ND_PARAM || g->literals.data[n->slot] < 0) return false;
  const struct fs_number *v = &g->params.data[n->slot];
  return fs_dtype_is_float(n->dtype) ? v->f == x && !signbit(v->f) : (double)v->i == x;
}

/* Whether what rounds begin with changes nothing: 1*x is x, and 0 + x unless x is -0. That is
 * no sum of several floats, which begins with a 0 of its own; but where all products of a sum of
 * products underflow, it may be, and stays so if a library has made it. What a library has made
 * would take a kernel of its own to add to, so that there other numbers have other plans. */
static bool begins_with_nothing(struct fs_lift_tracer *t, const struct fs_lift_item *it,
                                const struct fs_lane *first, const struct fs_tv *all) {
  const struct fs_graph *g = fs_block_graph(t->in);
  const struct fs_node *n = fs_node(g, all->node);
  bool made = n->kind == FS_ND_LIB;
  if (it->reduce == FS_RD_PROD) return is_number(t, first, 1, made);
  if (it->reduce != FS_RD_SUM || it->op != FS_AO_ADD || !is_number(t, first, 0, made)) return false;
  if (!fs_dtype_is_float(all->dtype) || made) return true;
  const struct fs_node *each = fs_node(g, n->src[0]);
  return n->kind == FS_ND_REDUCE && !(each->kind == FS_ND_MAP && each->op == FS_OP_MUL);
}

/* The type that the value has after one round and after every further one. */
static bool type_of(struct fs_lift_tracer *t, const struct fs_lift_item *it,
                    const struct fs_lane *first, const struct fs_lane *each,
                    enum fs_dtype *out) {
  struct fs_lane once, twice;
  if (!put_together(t, it, first, each, &once) || once.kind != FS_LANE_TENSOR) return false;
  if (!put_together(t, it, &once, each, &twice)) return false;
  *out = once.tv.dtype;
  return twice.tv.dtype == *out;
}

/* What the rounds of loop l up to each come to, of a value of type dt. */
static struct fs_tv so_far(struct fs_lift_tracer *t, const struct fs_lift_item *it, int reduce,
                           struct fs_tv value) {
  struct fs_shape full = {FS_LIFT_DEPTH, {1, 1, 1, 1}};
  enum fs_lib_op op = reduce == FS_RD_SUM    ? FS_LIB_CUMSUM
                      : reduce == FS_RD_PROD ? FS_LIB_CUMPROD
                      : reduce == FS_RD_MAXR ? FS_LIB_CUMMAX
                                             : FS_LIB_CUMMIN;
  bool sums = op == FS_LIB_CUMSUM || op == FS_LIB_CUMPROD;
  unsigned axis = 0;
  for (int l = 0; l < FS_LIFT_DEPTH; l++) full.dim[l] = fs_shape_dim(&value.shape, l);
  full.dim[it->along] = t->n->loops.data[it->loops[it->along]].count;
  if (full.dim[it->along] == 1) return value;
  for (int l = 0; l < it->along; l++) axis += full.dim[l] > 1;
  struct fs_graph *g = fs_block_graph(t->in);
  value.node = fs_tv_spread(t->in, &value, &full);
  if (!fs_node(g, value.node)->shape.rank) value = fs_tv_repeat(t->in, value.node, &full);
  struct fs_shape sq = fs_squeezed(&full);
  enum fs_dtype dt = sums ? fs_dtype_sum(value.dtype) : fs_dtype_number(value.dtype);
  struct fs_tv out = {0, dt, full};
  out.node = fs_graph_lib(g, op, dt, &full, value.node, &sq, 0, NULL, axis);
  return out;
}

/* -- products of matrices ------------------------------------------------------------ */

static unsigned axes_of(const struct fs_lane *a) {
  unsigned axes = 0;
  for (int l = 0; l < a->tv.shape.rank; l++) axes |= (unsigned)(a->tv.shape.dim[l] > 1) << l;
  return axes;
}

/* As a matrix of rows along the one axis and columns along the other. */
static struct fs_tv as_matrix(struct fs_interp *in, struct fs_tv a, unsigned rows, unsigned columns) {
  struct fs_shape shape = {.rank = 0};
  for (int l = 0; l < a.shape.rank; l++)
    if ((rows | columns) >> l & 1) shape.dim[shape.rank++] = a.shape.dim[l];
  a.shape = shape;
  return rows < columns ? a : fs_tv_transpose(in, a);
}

/* A sum over k of x[i, k]*y[k, j], of floats of type dt, is a product of matrices. */
static bool multiplied(struct fs_lift_tracer *t, const struct fs_lift_item *it, unsigned over,
                       enum fs_dtype dt, struct fs_tv *out) {
  const struct fs_expr *e = it->value;
  struct fs_lane a, b;
  bool product = e->kind == FS_EX_BINARY && (e->op == FS_AO_MUL || e->op == FS_AO_EMUL);
  if (it->reduce != FS_RD_SUM || !product || !fs_dtype_is_float(dt)) return false;
  if (!fs_lane_of(t, e->args[0], &a) || !fs_lane_of(t, e->args[1], &b)) return false;
  if (a.kind != FS_LANE_TENSOR || b.kind != FS_LANE_TENSOR ||
      fs_dtype_promote(a.tv.dtype, b.tv.dtype) != dt)
    return false;
  unsigned x = axes_of(&a), y = axes_of(&b), k = x & y;
  unsigned rows = x & ~k, columns = y & ~k;
  bool one_each = k && rows && columns && !(k & (k - 1)) && !(rows & (rows - 1)) &&
                  !(columns & (columns - 1));
  for (int l = 0; l < it->depth; l++) /* nor is there another loop to add up over */
    if (over >> l & 1 && t->n->loops.data[it->loops[l]].count == 1) over &= ~(1u << l);
  if (!one_each || over != k) return false;
  bool turned = rows > columns; /* the lane's axes are in the order of the loops */
  struct fs_tv p = as_matrix(t->in, turned ? b.tv : a.tv, turned ? columns : rows, k);
  struct fs_tv q = as_matrix(t->in, turned ? a.tv : b.tv, k, turned ? rows : columns);
  t->in->span = e->span;
  t->st = fs_tv_multiply(t->in, p, e->span, q, e->span, e->span, out);
  struct fs_shape shape = {FS_LIFT_DEPTH, {1, 1, 1, 1}};
  for (int l = 0; l < FS_LIFT_DEPTH; l++)
    shape.dim[l] = (rows | columns) >> l & 1 ? FS_MAX(a.tv.shape.dim[l], b.tv.shape.dim[l]) : 1;
  out->shape = shape;
  return t->st == FS_OK;
}

/* -- numbers of the host -------------------------------------------------------------- */

static bool is_whole(const struct fs_lane *a, double *least, double *most) {
  *least = a->kind == FS_LANE_NUMBER ? a->number.number : a->least;
  *most = a->kind == FS_LANE_NUMBER ? a->number.number : a->most;
  if (a->kind == FS_LANE_COUNT) return a->last.kind == FS_SC_INT;
  return a->kind == FS_LANE_NUMBER && a->number.kind == FS_V_NUMBER && a->number.is_int;
}

/* c = c + 1: sums, and the largest and least of them, of whole numbers that stay exact. */
static bool count_rounds(struct fs_lift_tracer *t, const struct fs_lift_item *it,
                         const struct fs_lane *first, const struct fs_lane *each,
                         const struct fs_lane *mask, unsigned over, struct fs_lane *out) {
  const double most = 0x1p53;
  struct fs_lane all = {.kind = FS_LANE_COUNT};
  double rounds = 1, low, high, from, to;
  bool sum = it->reduce == FS_RD_SUM, extreme = it->reduce == FS_RD_MAXR || it->reduce == FS_RD_MINR;
  if (!is_whole(first, &from, &to) || !is_whole(each, &low, &high)) return false;
  for (int l = 0; l < it->depth && sum; l++)
    if (over >> l & 1) rounds *= (double)t->n->loops.data[it->loops[l]].count;
  double far = fmax(fabs(low), fabs(high)) * rounds;
  if ((!sum && !extreme) || far + fmax(fabs(from), fabs(to)) > most) return false;
  struct fs_tv value = fs_tv_cast(t->in, fs_lane_tv(t, each), FS_I64);
  enum fs_reduce_op op = (enum fs_reduce_op)it->reduce;
  if (mask->kind == FS_LANE_TENSOR)
    value = fs_tv_choose(t->in, mask->tv, value, fs_lift_identity(t, op, FS_I64));
  all.tv = it->running ? so_far(t, it, op, value) : fs_lift_reduced(t, op, value, over);
  if (!sum && mask->kind == FS_LANE_TENSOR) { /* of no round at all */
    struct fs_tv start = fs_tv_cast(t->in, fs_lane_tv(t, first), FS_I64);
    all.tv = fs_tv_map2(t->in, op == FS_RD_MAXR ? FS_OP_MAX : FS_OP_MIN, all.tv, start);
  }
  all.least = sum ? fmin(0, low) * rounds : fmin(low, from);
  all.most = sum ? fmax(0, high) * rounds : fmax(high, to);
  all.last = (struct fs_scalar){.x = all.most, .kind = FS_SC_INT};
  all.measured = true;
  *out = all;
  return begins_with_nothing(t, it, first, &all.tv) || put_together(t, it, first, &all, out);
}

/* A round that is not executed changes nothing. */
static struct fs_tv masked(struct fs_lift_tracer *t, const struct fs_lift_item *it,
                           const struct fs_lane *mask, struct fs_tv value) {
  if (mask->kind != FS_LANE_TENSOR) return value;
  struct fs_tv none = fs_lift_identity(t, (enum fs_reduce_op)it->reduce, value.dtype);
  return fs_tv_choose(t->in, mask->tv, value, none);
}

/* Whether there was a round at all, or one so far. */
static struct fs_lane any_round(struct fs_lift_tracer *t, const struct fs_lift_item *it,
                                const struct fs_lane *mask, unsigned over) {
  struct fs_lane out = *mask;
  if (mask->kind != FS_LANE_TENSOR) return out;
  bool surely = !it->running;
  for (int k = t->at; t->n->items.data[k].guard >= 0; k = t->n->items.data[k].guard) {
    const struct fs_lift_item *c = &t->n->items.data[t->n->items.data[k].guard];
    if (c->depth > it->level || it->kind == FS_LIFT_ELEMENT)
      surely &= c->of_range && c->surely && (over >> (c->depth - 1) & 1);
  }
  if (surely) return (struct fs_lane){.number = fs_val_bool(true)};
  if (it->running)
    out.tv = fs_tv_cast(t->in, so_far(t, it, FS_RD_MAXR, fs_tv_cast(t->in, out.tv, FS_I32)),
                        FS_BOOL);
  else
    out.tv = fs_lift_reduced(t, FS_RD_ANY, out.tv, over);
  return out;
}

/* What the rounds made, or what they began with where there was none. The largest of what they
 * began with and of no number is that, so that there nothing is to be chosen within one type. */
static struct fs_lane or_first(struct fs_lift_tracer *t, const struct fs_lift_item *it,
                               const struct fs_lane *first, const struct fs_lane *mask,
                               unsigned over, struct fs_lane made) {
  bool extreme = it->reduce == FS_RD_MAXR || it->reduce == FS_RD_MINR;
  if (extreme && first->kind == FS_LANE_TENSOR && first->tv.dtype == made.tv.dtype) return made;
  struct fs_lane any = any_round(t, it, mask, over), out = fs_lane_join(t, &any, &made, first);
  if (extreme && out.kind == FS_LANE_EITHER && first->kind == FS_LANE_NUMBER) {
    struct fs_lane_choice *c = FS_NEW(t->arena, struct fs_lane_choice);
    *c = *out.choice;
    c->same = true;
    out.choice = c;
  }
  return out;
}

/* first op e op e ... over the loops in `over`, of the rounds that the mask has. */
static bool reduce_rounds(struct fs_lift_tracer *t, const struct fs_lift_item *it,
                          const struct fs_lane *first, const struct fs_lane *mask,
                          unsigned over, struct fs_lane *out) {
  struct fs_lane each, all = {.kind = FS_LANE_TENSOR};
  enum fs_dtype dt;
  struct fs_tv value;
  bool logic = it->reduce == FS_RD_ALL || it->reduce == FS_RD_ANY;
  bool truth = it->reduce == FS_RD_ANY;
  if (logic && first->kind == FS_LANE_NUMBER && (first->number.number != 0) == truth) {
    struct fs_lane any = any_round(t, it, mask, over);
    all = (struct fs_lane){.number = fs_val_bool(truth)}; /* it has decided */
    *out = fs_lane_join(t, &any, &all, first);
    return true;
  }
  if (!fs_lane_of(t, it->value, &each) || each.kind >= FS_LANE_EITHER) return false;
  if (count_rounds(t, it, first, &each, mask, over, out)) return true;
  if (!type_of(t, it, first, &each, &dt)) return false;
  if (it->running || mask->kind == FS_LANE_TENSOR || !multiplied(t, it, over, dt, &value)) {
    if (t->st != FS_OK || !fs_lane_beside(t, &each, &dt, &value)) return false;
    value = masked(t, it, mask, fs_tv_cast(t->in, value, dt));
    value = it->running ? so_far(t, it, it->reduce, value)
                        : fs_lift_reduced(t, (enum fs_reduce_op)it->reduce, value, over);
  }
  t->in->span = it->s->expr->span;
  all.tv = fs_tv_cast(t->in, value, dt);
  if (begins_with_nothing(t, it, first, &value)) *out = all;
  else if (!put_together(t, it, first, &all, out)) return false;
  if (out->kind != FS_LANE_TENSOR || out->tv.dtype != dt) return false;
  bool sum = it->reduce == FS_RD_SUM || it->reduce == FS_RD_PROD;
  out->loose = each.loose || first->loose || (sum && fs_dtype_is_float(dt));
  *out = or_first(t, it, first, mask, over, *out);
  return true;
}

/* -- elements ---------------------------------------------------------------------- */

/* Whether the value may be put into an array of type dt. */
static bool may_put(const struct fs_lane *a, enum fs_dtype dt) {
  bool whole = a->kind != FS_LANE_TENSOR, fits = true;
  double low = a->least, high = a->most;
  if (fs_dtype_is_float(dt)) return true;
  if (a->kind == FS_LANE_TENSOR) return !fs_dtype_is_float(a->tv.dtype);
  if (a->kind == FS_LANE_NUMBER) {
    low = high = a->number.number;
    whole = low == floor(low);
  } else if (a->last.kind == FS_SC_REAL) {
    whole = false;
  }
  if (fs_dtype_is_integer(dt))
    fits = low >= (double)fs_dtype_least(dt) && high < fs_dtype_real_of(dt, fs_dtype_most(dt)) + 1;
  return whole && fits;
}

struct put {
  const struct fs_lift_item *it;
  enum fs_dtype dt;
};

static bool as_part(struct fs_lift_tracer *t, const void *how, const struct fs_lane *a,
                    struct fs_lane *part) {
  const struct fs_lift_item *it = ((const struct put *)how)->it;
  enum fs_dtype dt = ((const struct put *)how)->dt;
  struct fs_tv *out = &part->tv;
  *part = (struct fs_lane){.kind = FS_LANE_TENSOR, .loose = a->loose};
  if (!may_put(a, dt)) return false;
  if (a->kind == FS_LANE_COUNT) {
    if (!fs_lane_beside(t, a, &dt, out)) return false;
    *out = fs_tv_cast(t->in, *out, dt);
    return true;
  }
  struct fs_val v = a->kind == FS_LANE_NUMBER ? fs_val_ref(a->number) : fs_tv_value(t->in, &a->tv);
  t->st = fs_tv_for_part(t->in, &v, it->s->expr->span, dt, out);
  if (a->kind == FS_LANE_TENSOR) out->shape = a->tv.shape;
  fs_val_unref(v);
  return t->st == FS_OK;
}

/* The rounds from first to last along an axis. */
static struct fs_tv rounds_of(struct fs_interp *in, struct fs_tv a, int axis,
                              const struct fs_range *r) {
  int64_t n = r->last - r->first + 1;
  struct fs_view v = {0};
  struct fs_shape out = a.shape;
  if (fs_shape_dim(&a.shape, axis) == 1 || (!r->first && n == a.shape.dim[axis])) return a;
  if (n == 1) return fs_tv_at(in, a, axis, r->first);
  out.dim[axis] = n;
  for (int l = 0; l < a.shape.rank; l++) {
    if (a.shape.dim[l] == 1) continue;
    v.axis[v.src_rank] = (int8_t)v.src_rank;
    v.off[v.src_rank] = l == axis ? r->first : 0;
    v.step[v.src_rank++] = 1;
  }
  struct fs_shape sq = fs_squeezed(&out);
  return (struct fs_tv){fs_graph_view(fs_block_graph(in), a.node, &v, &sq), a.dtype, out};
}

/* The element keeps what it has in the rounds that are not executed; false: which of several
 * rounds is the last one that is differs. */
static bool keep_others(struct fs_lift_tracer *t, const struct fs_lift_array *of,
                        const struct fs_lane *mask, const struct fs_range *rounds,
                        const struct fs_view *v, const struct fs_shape *part,
                        struct fs_tv *value) {
  struct fs_tv is = mask->tv, old = {of->tv.node, of->tv.dtype, *part};
  struct fs_shape sq = fs_squeezed(part);
  for (int l = 0; l < FS_LIFT_DEPTH; l++) {
    is = rounds_of(t->in, is, l, &rounds[l]);
    bool several = fs_shape_dim(&is.shape, l) > 1 || fs_shape_dim(&value->shape, l) > 1;
    if (part->dim[l] == 1 && several)
      return fs_lift_refuse(t->n, t->in->stmt, "is set in several rounds, under a condition");
  }
  if (v->src_rank) old.node = fs_graph_view(fs_block_graph(t->in), of->tv.node, v, &sq);
  *value = fs_tv_choose(t->in, is, *value, old);
  return true;
}

/* The loops of which the element that an item writes does not depend. */
static unsigned loops_beside(const struct fs_lift_nest *n, const struct fs_lift_item *it) {
  const struct fs_lift_access *w = &n->accesses.data[it->target];
  unsigned over = 0;
  for (int l = 0; l < it->depth; l++) {
    bool used = false;
    for (int d = 0; d < w->shape.rank; d++) used |= w->sub[d].k[l] != 0;
    if (!used) over |= 1u << l;
  }
  return over;
}

/* Of the rounds in which one element is set the last one that is executed. */
static bool last_executed(struct fs_lift_tracer *t, unsigned beside, struct fs_lane *put,
                          struct fs_lane *mask) {
  struct fs_lane none = {.kind = FS_LANE_NONE}, a = fs_lane_join(t, mask, put, &none);
  for (int l = FS_LIFT_DEPTH - 1; l >= 0; l--) {
    if (!(beside >> l & 1) || t->n->loops.data[t->n->items.data[t->at].loops[l]].count == 1) continue;
    if (!fs_lane_settle(t, &a, l, &none)) return false;
  }
  if (a.kind != FS_LANE_EITHER) return false;
  *mask = (struct fs_lane){.kind = FS_LANE_TENSOR, .tv = a.choice->mask};
  *put = a.choice->yes;
  return put->kind == FS_LANE_TENSOR && a.choice->no.kind == FS_LANE_NONE;
}

/* What replaces all of an array, by axes in another order, is the array. */
static bool is_whole_array(const struct fs_view *v, const struct fs_shape *whole,
                           const struct fs_shape *part, struct fs_view *turned) {
  bool turns = false;
  *turned = (struct fs_view){.src_rank = (int8_t)part->rank};
  if (v->src_rank != whole->rank || part->rank != whole->rank) return false;
  for (int d = 0; d < whole->rank; d++) {
    int axis = v->axis[d];
    if (axis < 0 || v->off[d] || v->step[d] != 1 || part->dim[axis] != whole->dim[d]) return false;
    turned->axis[axis] = (int8_t)d;
    turned->step[axis] = 1;
    turns |= axis != d;
  }
  return turns;
}

/* Replaces the elements that the item writes: what the last round has for each. */
static bool put_elements(struct fs_lift_tracer *t, const struct fs_lift_item *it,
                         const struct fs_lane *a, const struct fs_lane *when) {
  const struct fs_lift_access *w = &t->n->accesses.data[it->target];
  struct fs_lift_array *of = fs_lift_array(t, w->name);
  struct put how = {it, of ? of->tv.dtype : FS_F32};
  struct fs_lane put;
  struct fs_shape part;
  struct fs_range rounds[FS_LIFT_DEPTH] = {{0, 0}};
  struct fs_lane kept = *when, *mask = &kept;
  if (!of) return false;
  bool same = a->kind == FS_LANE_EITHER && a->choice->same && a->choice->yes.tv.dtype == how.dt;
  if (!fs_lane_each(t, 1, same ? &a->choice->yes : a, as_part, &how, &put)) return false;
  of->loose |= put.loose;
  if (fs_lift_is_computed(w)) return fs_lift_scatter(t, of, w, &put.tv, mask);
  if (mask->kind == FS_LANE_TENSOR && !last_executed(t, loops_beside(t->n, it), &put, mask))
    return false;
  struct fs_tv value = put.tv;
  for (int l = 0; l < it->depth; l++) {
    rounds[l].last = t->n->loops.data[it->loops[l]].count - 1;
    if (w->guarded) rounds[l] = fs_lift_guarded_rounds(t->n, t->at, l);
    if (rounds[l].first > rounds[l].last) return true; /* none is executed */
  }
  struct fs_view v = fs_lift_view(t->n, w, rounds, &part);
  t->in->span = it->s->span;
  for (int l = 0; l < FS_LIFT_DEPTH; l++) value = rounds_of(t->in, value, l, &rounds[l]);
  if (mask->kind == FS_LANE_TENSOR && !keep_others(t, of, mask, rounds, &v, &part, &value))
    return false;
  for (int l = 0; l < FS_LIFT_DEPTH; l++)
    if (part.dim[l] == 1) value = fs_tv_at(t->in, value, l, fs_shape_dim(&value.shape, l) - 1);
  struct fs_shape whole = fs_squeezed(&of->tv.shape), sq = fs_squeezed(&part);
  fs_id node = fs_tv_spread(t->in, &value, &part);
  struct fs_view turned;
  of->changed = true;
  bool has_all = fs_node(fs_block_graph(t->in), node)->shape.rank == sq.rank; /* no fill */
  if (whole.rank && has_all && is_whole_array(&v, &whole, &sq, &turned)) {
    of->tv.node = fs_graph_view(fs_block_graph(t->in), node, &turned, &whole);
    return true;
  }
  of->tv.node = whole.rank ? fs_graph_update(fs_block_graph(t->in), of->tv.node, of->tv.dtype,
                                             &whole, node, &sq, &v)
                           : node;
  return true;
}

/* -- items ---------------------------------------------------------------------------- */

/* What a local name is before its reduction begins. */
static bool first_value(struct fs_lift_tracer *t, const struct fs_lift_item *it,
                        struct fs_lane *out) {
  if (it->init < 0) return fs_lift_outside(t, it->name, it->s->span, out);
  *out = t->lanes[it->init];
  return true;
}

/* -- searches ------------------------------------------------------------------------- */

/* Whether any round sets the name, and which one: the first that has the largest. NaN is never
 * larger, nor is anything larger than it. */
static bool trace_search(struct fs_lift_tracer *t, const struct fs_lift_item *it,
                         struct fs_lane *out) {
  struct fs_lane x, m, place = {.kind = FS_LANE_COUNT}, best = {.kind = FS_LANE_TENSOR};
  struct fs_lane mask = fs_lift_mask(t, t->at, it->level);
  unsigned over = ((1u << it->depth) - 1) & ~((1u << it->level) - 1);
  if (!fs_lane_of(t, it->value, &x) || x.kind != FS_LANE_TENSOR || x.loose) return false;
  if (x.tv.dtype == FS_BOOL || (mask.kind == FS_LANE_NUMBER && !mask.number.number)) return false;
  if (!first_value(t, it, &m)) return false;
  m = fs_lift_given(t, t->at, m);
  if (m.kind >= FS_LANE_EITHER || m.loose) return false;
  double all = 1;
  place.affine = fs_lift_constant(1);
  for (int l = it->depth - 1; l >= it->level; l--) {
    place.affine.k[l] = (int64_t)all;
    all *= (double)t->n->loops.data[it->loops[l]].count;
    if (all > FS_LIFT_MOST) return false;
  }
  enum fs_reduce_op op = (enum fs_reduce_op)it->reduce;
  struct fs_tv none = fs_lift_identity(t, op, x.tv.dtype), value = x.tv, at, is;
  if (fs_dtype_is_float(x.tv.dtype))
    value = fs_tv_choose(t->in, fs_tv_map2(t->in, FS_OP_EQ, value, value), value, none);
  value = masked(t, it, &mask, value);
  best.tv = fs_lift_reduced(t, op, value, over);
  is = fs_tv_map2(t->in, FS_OP_EQ, value, best.tv);
  if (mask.kind == FS_LANE_TENSOR) is = fs_tv_map2(t->in, FS_OP_AND, is, mask.tv);
  at = fs_lane_tv(t, &place);
  struct fs_tv far = fs_tv_number(t->in, all + 1, FS_I64);
  struct fs_tv first = fs_lift_reduced(t, FS_RD_MINR, fs_tv_choose(t->in, is, at, far), over);
  t->found[t->at] = fs_tv_map2(t->in, FS_OP_EQ, at, first);
  struct fs_lane some = {.kind = FS_LANE_TENSOR, .tv = fs_tv_map2(t->in, FS_OP_LT, first, far)};
  struct fs_lane taken, *a = it->extreme ? &m : &best, *b = it->extreme ? &best : &m;
  if (!fs_lane_binary(t, it->op, it->s->span, a, b, &taken)) return false;
  if (!fs_lane_truth(t, &taken, out)) return false;
  *out = fs_lane_both(t, &some, out);
  return true;
}

/* What a name is set to there. */
static bool trace_found(struct fs_lift_tracer *t, const struct fs_lift_item *it,
                        struct fs_lane *out) {
  struct fs_lane before = {.kind = FS_LANE_NONE}, value;
  unsigned over = ((1u << it->depth) - 1) & ~((1u << it->level) - 1);
  if (it->init >= 0) before = t->lanes[it->init];
  if (!fs_lane_of(t, it->value, &value) || value.kind >= FS_LANE_EITHER) return false;
  value = fs_lane_pick(t, value, over, &t->found[it->search]);
  value = fs_lane_join(t, &t->lanes[it->search], &value, &before);
  *out = fs_lift_under(t, it->search, it->level, value, before);
  return true;
}

static bool trace_local(struct fs_lift_tracer *t, const struct fs_lift_item *it,
                        struct fs_lane *out) {
  struct fs_lane before, value, mask;
  if (it->search >= 0) return trace_found(t, it, out);
  if (it->reduce == FS_LIFT_NO_REDUCE) {
    bool known = fs_lift_before(t, t->at, &before);
    mask = fs_lift_mask(t, t->at, 0);
    bool never = mask.kind == FS_LANE_NUMBER && mask.number.number == 0;
    if (!known || (!never && !fs_lane_of(t, it->value, &value))) return false;
    *out = never ? before : fs_lift_under(t, t->at, it->depth, value, before);
    return true;
  }
  int level = it->running ? it->along : it->level;
  unsigned over = ((1u << it->depth) - 1) & ~((1u << level) - 1);
  mask = fs_lift_mask(t, t->at, level);
  bool never = mask.kind == FS_LANE_NUMBER && mask.number.number == 0;
  if (!first_value(t, it, &before)) return false;
  struct fs_lane first = fs_lift_given(t, t->at, before);
  if (first.kind >= FS_LANE_EITHER) return false;
  value = first;
  if (!never && !reduce_rounds(t, it, &first, &mask, over, &value)) return false;
  *out = fs_lift_under(t, t->at, level, value, before);
  return true;
}

/* Of enum fs_lib_way; -1: there is none. */
static int put_by(const struct fs_lift_item *it) {
  switch (it->reduce) {
    case FS_RD_SUM: return it->op == FS_AO_SUB ? FS_LIB_SUB : FS_LIB_ADD;
    case FS_RD_PROD: return FS_LIB_MUL;
    case FS_RD_MAXR: return FS_LIB_MAX;
    case FS_RD_MINR: return FS_LIB_MIN;
    default: return -1;
  }
}

/* h[k[i]] = h[k[i]] + e */
static bool trace_scatter(struct fs_lift_tracer *t, const struct fs_lift_item *it,
                          const struct fs_lane *first, const struct fs_lane *mask) {
  const struct fs_lift_access *w = &t->n->accesses.data[it->target];
  struct fs_lane each;
  enum fs_dtype dt;
  struct fs_tv value;
  if (put_by(it) < 0 || !fs_lane_of(t, it->value, &each)) return false;
  if (each.kind >= FS_LANE_EITHER || !type_of(t, it, first, &each, &dt)) return false;
  struct fs_lift_array *of = fs_lift_array(t, w->name);
  if (!of || dt != of->tv.dtype || !fs_lane_beside(t, &each, &dt, &value)) return false;
  of->loose |= each.loose;
  value = fs_tv_cast(t->in, value, dt);
  t->in->span = it->s->span;
  return fs_lift_scatter_put(t, of, w, &value, mask, put_by(it));
}

static bool trace_element(struct fs_lift_tracer *t, const struct fs_lift_item *it) {
  struct fs_lane first, value, mask = fs_lift_mask(t, t->at, 0);
  if (mask.kind == FS_LANE_NUMBER && mask.number.number == 0) return true;
  if (it->reduce == FS_LIFT_NO_REDUCE)
    return fs_lane_of(t, it->value, &value) && put_elements(t, it, &value, &mask);
  const struct fs_expr *before = it->running ? t->n->accesses.data[it->init].e : it->s->expr2;
  if (it->running && mask.kind == FS_LANE_TENSOR) return false;
  if (!fs_lane_of(t, before, &first)) return false;
  if (fs_lift_is_computed(&t->n->accesses.data[it->target]))
    return trace_scatter(t, it, &first, &mask);
  enum fs_dtype dt = first.tv.dtype;
  if (it->running) first.tv = fs_tv_at(t->in, first.tv, it->along, 0);
  struct fs_lane always = {.number = fs_val_bool(true)};
  if (!reduce_rounds(t, it, &first, &mask, loops_beside(t->n, it), &value)) return false;
  /* What is wider than the element is rounded once, at the end. */
  bool fits = value.kind == FS_LANE_EITHER || value.tv.dtype == dt || fs_dtype_is_float(dt);
  return fits && put_elements(t, it, &value, &always);
}

static bool trace_one(struct fs_lift_tracer *t, int at) {
  const struct fs_lift_item *it = &t->n->items.data[at];
  struct fs_lane value;
  t->at = at;
  t->in->span = t->in->stmt = it->kind == FS_LIFT_CONDITION ? it->value->span : fs_lift_span(it);
  if (it->region >= 0) return it->region != at || fs_lift_region(t);
  if (it->kind == FS_LIFT_LOCAL) return trace_local(t, it, &t->lanes[at]);
  if (it->kind == FS_LIFT_ELEMENT) return trace_element(t, it);
  if (it->ended >= 0) {
    struct fs_lane round = fs_lift_rounds(t, it->depth - 1);
    struct fs_tv place = fs_lane_tv(t, &round), first = fs_lift_first(t, it->ended);
    enum fs_map_op op = it->before ? FS_OP_LT : FS_OP_EQ;
    t->at = at;
    t->lanes[at] = (struct fs_lane){.kind = FS_LANE_TENSOR};
    t->lanes[at].tv = fs_tv_map2(t->in, op, place, first);
    return true;
  }
  if (it->search >= 0) return trace_search(t, it, &t->lanes[at]);
  if (it->stop && t->n->stopped) {
    t->lanes[at] = (struct fs_lane){.number = fs_val_bool(false)};
    return true;
  }
  return fs_lane_of(t, it->value, &value) && fs_lane_truth(t, &value, &t->lanes[at]);
}

static bool trace_item(struct fs_lift_tracer *t, int at) {
  const struct fs_lift_item *it = &t->n->items.data[at];
  if (trace_one(t, at)) return true;
  return fs_lift_refuse(t->n, fs_lift_span(it), "might have another type or other bits for all rounds at once");
}

/* -- afterwards ------------------------------------------------------------------------- */

static struct fs_lift_tracer *tracer_new(struct fs_lift_nest *n) {
  struct fs_lift_tracer *t = fs_calloc(1, sizeof *t);
  *t = (struct fs_lift_tracer){.n = n, .in = n->in, .arena = fs_arena_new()};
  t->extra = (struct fs_lane){.number = fs_val_bool(true)};
  t->stmt = n->in->stmt;
  t->span = n->in->span;
  return t;
}

static void tracer_free(struct fs_lift_tracer *t) {
  t->in->stmt = t->stmt;
  t->in->span = t->span;
  FS_VEC_FREE(&t->arrays);
  FS_VEC_FREE(&t->bound);
  fs_arena_free(t->arena);
  free(t);
}

/* -- loops that end early ---------------------------------------------------------------- */

/* The first round that a condition ends: how many are before it. */
static bool find_stop(struct fs_lift_tracer *t, int64_t *rounds) {
  struct fs_lift_nest *n = t->n;
  struct fs_tv first = {0};
  double count = (double)n->loops.data[0].count, found = 0;
  for (int k = 0; k < n->items.len; k++) {
    if (!n->items.data[k].stop) continue;
    t->at = k;
    struct fs_lane mask = fs_lift_mask(t, k, 0), place = fs_lift_rounds(t, 0);
    mask = fs_lane_both(t, &t->lanes[k], &mask);
    struct fs_tv none = fs_tv_number(t->in, count + 1, FS_I64);
    struct fs_tv at = fs_tv_choose(t->in, fs_lane_tv(t, &mask), fs_lane_tv(t, &place), none);
    at = fs_lift_reduced(t, FS_RD_MINR, at, 1);
    first = first.node ? fs_tv_map2(t->in, FS_OP_MIN, first, at) : at;
  }
  first.shape = fs_shape_scalar();
  struct fs_val v = fs_tv_value(t->in, &first);
  t->st = fs_read_number(t->in, &v, t->in->span, "a round", &found);
  fs_val_unref(v);
  *rounds = (int64_t)found - 1;
  return t->st == FS_OK;
}

bool fs_lift_stop(struct fs_lift_nest *n, int64_t *rounds, enum fs_status *st) {
  int last = -1;
  *rounds = n->loops.data[0].count;
  for (int k = 0; k < n->items.len; k++)
    if (n->items.data[k].stop) last = k;
  if (last < 0 || n->stopped) return true;
  if (n->in->explain) return false;
  struct fs_lift_tracer *t = tracer_new(n);
  bool done = true;
  for (int k = 0; k <= last && done; k++) done = trace_item(t, k);
  done = done && !t->wrong.node && find_stop(t, rounds);
  *st = t->st;
  tracer_free(t);
  return done;
}

bool fs_lift_trace(struct fs_lift_nest *n, enum fs_status *st) {
  struct fs_lift_tracer *t = tracer_new(n);
  bool done = true;
  for (int k = 0; k < n->items.len && done; k++) done = trace_item(t, k);
  done = done && fs_lift_give(t);
  *st = t->st;
  tracer_free(t);
  return done;
}
