/* lift_scatter.c - elements that are written at computed places:
 *
 *     for i = 1:n; h[k[i]] = h[k[i]] + w[i]; end
 *
 * What each place gets last is found by inverting the list of places; what is added to it is
 * put to it in the order of the rounds (combine.c). */
#include "core/eval/lift_lane.h"

/* All rounds of item t->at, one after the other. */
static bool all_rounds(struct fs_lift_tracer *t, struct fs_tv a, struct fs_tv *out) {
  const struct fs_lift_item *it = &t->n->items.data[t->at];
  struct fs_shape full = {FS_LIFT_DEPTH, {1, 1, 1, 1}}, sq, all;
  for (int l = 0; l < it->depth; l++) full.dim[l] = t->n->loops.data[it->loops[l]].count;
  sq = fs_squeezed(&full);
  all = (struct fs_shape){1, {fs_shape_count(&full)}};
  struct fs_graph *g = fs_block_graph(t->in);
  if (all.dim[0] < 2 || all.dim[0] > FS_LIFT_MOST) return false;
  fs_id node = fs_tv_spread(t->in, &a, &full);
  if (!fs_node(g, node)->shape.rank) node = fs_tv_repeat(t->in, node, &full).node;
  if (sq.rank > 1) node = fs_graph_lib(g, FS_LIB_RESHAPE, a.dtype, &all, node, &sq, 0, NULL, 0);
  *out = (struct fs_tv){node, a.dtype, all};
  return true;
}

static struct fs_tv library(struct fs_lift_tracer *t, enum fs_lib_op op, enum fs_dtype dt,
                            int64_t n, struct fs_tv a, const struct fs_tv *list, unsigned flags) {
  struct fs_shape shape = {1, {n}};
  fs_id node = fs_graph_lib(fs_block_graph(t->in), op, dt, &shape, a.node, &a.shape,
                            list ? list->node : 0, list ? &list->shape : NULL, flags);
  return (struct fs_tv){node, dt, shape};
}

static struct fs_tv gather(struct fs_lift_tracer *t, struct fs_tv a, struct fs_tv list) {
  return library(t, FS_LIB_GATHER, a.dtype, list.shape.dim[0], a, &list, FS_LIB_IN_RANGE);
}

static struct fs_tv head(struct fs_lift_tracer *t, struct fs_tv a, int64_t n) {
  struct fs_view v = {.src_rank = 1, .axis = {0}, .step = {1}};
  struct fs_shape shape = {1, {n}};
  return (struct fs_tv){fs_graph_view(fs_block_graph(t->in), a.node, &v, &shape), a.dtype, shape};
}

/* The places of all rounds, from 1 to n; n + 1: the round is not executed. */
static bool places_of(struct fs_lift_tracer *t, const struct fs_lift_access *w, int64_t n,
                      const struct fs_lane *mask, struct fs_tv *out) {
  struct fs_tv at;
  if (!fs_lift_places(t, w, &at)) return false;
  if (mask->kind == FS_LANE_TENSOR)
    at = fs_tv_choose(t->in, mask->tv, at, fs_tv_number(t->in, (double)n + 1, at.dtype));
  return all_rounds(t, at, out) && fs_graph_is_list(fs_block_graph(t->in), out->node, n + 1);
}

/* A vector of at least two elements. */
static bool is_vector(struct fs_lift_tracer *t, const struct fs_lift_array *of, int64_t *n) {
  *n = fs_shape_count(&of->tv.shape);
  return (fs_squeezed(&of->tv.shape).rank == 1 && *n < FS_LIFT_MOST) ||
         fs_lift_refuse(t->n, t->in->stmt, "is at a computed place of what is no vector");
}

static void put(struct fs_lift_tracer *t, struct fs_lift_array *of, struct fs_tv chosen,
                struct fs_tv value, const struct fs_tv *before) {
  of->tv.node = fs_tv_choose(t->in, chosen, value, *before).node;
  of->changed = true;
}

bool fs_lift_scatter(struct fs_lift_tracer *t, struct fs_lift_array *of,
                     const struct fs_lift_access *w, const struct fs_tv *value,
                     const struct fs_lane *mask) {
  struct fs_tv at, values, one = fs_tv_number(t->in, 1, FS_I64);
  int64_t n;
  if (!is_vector(t, of, &n) || !places_of(t, w, n, mask, &at)) return false;
  if (!all_rounds(t, *value, &values)) return false;
  struct fs_tv before = {of->tv.node, of->tv.dtype, {1, {n}}};
  struct fs_tv last = library(t, FS_LIB_INVERT, FS_I64, n + 1, at, NULL, FS_LIB_IN_RANGE);
  last = head(t, last, n);
  struct fs_tv which = fs_tv_map2(t->in, FS_OP_MAX, last, one);
  put(t, of, fs_tv_map2(t->in, FS_OP_GE, last, one), gather(t, values, which), &before);
  return true;
}

/* A row more, which nobody reads: where a round puts that is not executed. */
static bool with_one_more(struct fs_lift_tracer *t, struct fs_tv *a) {
  struct fs_tv parts[2] = {*a, fs_tv_fill(t->in, a->dtype, &(struct fs_shape){1, {1}}, 0)};
  struct fs_span spans[2] = {t->in->span, t->in->span};
  t->st = fs_tv_concat(t->in, 1, 2, parts, spans, t->in->span, a);
  return t->st == FS_OK;
}

bool fs_lift_scatter_put(struct fs_lift_tracer *t, struct fs_lift_array *of,
                         const struct fs_lift_access *w, const struct fs_tv *value,
                         const struct fs_lane *mask, int by) {
  struct fs_tv at, values;
  int64_t n;
  bool skips = mask->kind == FS_LANE_TENSOR;
  if (!is_vector(t, of, &n) || of->tv.dtype == FS_BOOL) return false;
  if (!places_of(t, w, n, mask, &at) || !all_rounds(t, *value, &values)) return false;
  struct fs_tv whole = {of->tv.node, of->tv.dtype, {1, {n}}};
  if (skips && !with_one_more(t, &whole)) return false;
  t->st = fs_tv_combine(t->in, by, whole, at, 0, values, t->in->span, &whole);
  if (t->st != FS_OK) return false;
  of->tv.node = (skips ? head(t, whole, n) : whole).node;
  of->changed = true;
  return true;
}
