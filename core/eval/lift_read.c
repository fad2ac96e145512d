/* lift_read.c - elements that a nest reads, for all of its rounds: see lift_lane.h.
 *
 * Views where subscripts are counters; of neighbours at a border loose ones, that may lead out of
 * the array; else what lists of places choose. */
#include "core/eval/lift_lane.h"

#include <stdlib.h>

/* Whether a subscript is of several counters: no axis of a view is that. */
static bool is_crossed(const struct fs_lift_nest *n, const struct fs_lift_access *a) {
  const struct fs_lift_item *it = &n->items.data[a->item];
  for (int d = 0; d < a->shape.rank; d++) {
    int counters = 0;
    for (int l = 0; l < it->depth; l++)
      counters += a->sub[d].k[l] != 0 && n->loops.data[it->loops[l]].count > 1;
    if (counters > 1) return true;
  }
  return false;
}

bool fs_lift_vector(struct fs_lift_tracer *t, const struct fs_lift_array *of, struct fs_tv *out) {
  struct fs_shape all = {1, {fs_shape_count(&of->tv.shape)}};
  *out = of->tv;
  bool stored = fs_node(fs_block_graph(t->in), of->tv.node)->kind == FS_ND_INPUT;
  bool wants = fs_squeezed(&out->shape).rank > 1 && !stored;
  t->n->wants_stored |= wants && !of->changed;
  if (wants || (fs_squeezed(&out->shape).rank > 1 && t->in->explain)) return false;
  t->st = fs_tv_reshape(t->in, *out, &all, out);
  return t->st == FS_OK;
}

/* How the elements of an access lie in memory, if its array does. */
static struct fs_layout layout_of(const struct fs_lift_tracer *t, const struct fs_lift_access *a,
                                  fs_id input, struct fs_shape *shape) {
  const struct fs_graph *g = fs_block_graph(t->in);
  const struct fs_lift_item *it = &t->n->items.data[a->item];
  struct fs_layout from = g->inputs.data[fs_node(g, input)->slot].layout;
  struct fs_layout out = {.offset = from.offset};
  *shape = (struct fs_shape){.rank = FS_LIFT_DEPTH};
  for (int l = 0, axis = 0; l < FS_LIFT_DEPTH; l++) {
    bool used = false;
    int64_t stride = 0;
    for (int d = 0, s = 0; d < a->shape.rank; d++) {
      used |= a->sub[d].k[l] != 0;
      if (a->shape.dim[d] > 1) stride += a->sub[d].k[l] * from.stride[s++];
    }
    shape->dim[l] = used ? t->n->loops.data[it->loops[l]].count : 1;
    if (shape->dim[l] > 1) out.stride[axis++] = stride;
  }
  for (int d = 0, s = 0; d < a->shape.rank; d++)
    if (a->shape.dim[d] > 1) out.offset += a->sub[d].c * from.stride[s++];
  return out;
}

/* Whether no element is there for two rounds: x[n*i + j], not x[i + j], which would be read as
 * if it had as many elements as there are rounds. */
static bool is_nested(const struct fs_layout *l, const struct fs_shape *shape) {
  for (int x = 0; x < shape->rank; x++) {
    int64_t below = 0;
    for (int y = 0; y < shape->rank; y++)
      if (y != x && (llabs(l->stride[y]) < llabs(l->stride[x]) ||
                     (llabs(l->stride[y]) == llabs(l->stride[x]) && y > x)))
        below += (shape->dim[y] - 1) * llabs(l->stride[y]);
    if (l->stride[x] && llabs(l->stride[x]) <= below) return false;
  }
  return true;
}

static bool is_input(const struct fs_lift_tracer *t, const struct fs_lift_array *of) {
  const struct fs_node *n = fs_node(fs_block_graph(t->in), of->tv.node);
  return n->kind == FS_ND_INPUT && n->shape.rank;
}

/* Of an array in memory, as it lies there; false: that is no way through it. */
static bool read_stored(struct fs_lift_tracer *t, const struct fs_lift_access *a,
                        const struct fs_lift_array *of, struct fs_tv *out) {
  struct fs_shape shape;
  struct fs_layout l = layout_of(t, a, of->tv.node, &shape);
  struct fs_shape sq = fs_squeezed(&shape);
  if (is_crossed(t->n, a) && !is_nested(&l, &sq)) return false;
  *out = (struct fs_tv){fs_graph_loose(fs_block_graph(t->in), of->tv.node, &l, &sq),
                        of->tv.dtype, shape};
  return true;
}

/* x[i + j]: chosen by the list of all its places. */
static bool choose_elements(struct fs_lift_tracer *t, const struct fs_lift_access *a,
                            const struct fs_lift_array *of, struct fs_lane *out) {
  struct fs_affine at = fs_lift_constant(0);
  int64_t n = fs_shape_count(&a->shape);
  struct fs_tv all;
  if (is_input(t, of) && read_stored(t, a, of, &out->tv)) return true;
  if (n > FS_LIFT_MOST || !fs_lift_vector(t, of, &all)) return false;
  for (int d = 0; d < a->shape.rank; d++) { /* less than n in all rounds */
    at.c = at.c * a->shape.dim[d] + a->sub[d].c;
    for (int l = 0; l < FS_LIFT_DEPTH; l++)
      at.k[l] = at.k[l] * a->shape.dim[d] + a->sub[d].k[l];
  }
  at.c++;
  struct fs_tv list = fs_lift_counted(t, &at);
  struct fs_graph *g = fs_block_graph(t->in);
  if (!fs_graph_is_list(g, list.node, n)) return false;
  struct fs_shape sq = fs_squeezed(&list.shape);
  out->tv.shape = list.shape;
  out->tv.node = fs_graph_lib(g, FS_LIB_GATHER, all.dtype, &sq, all.node, &all.shape, list.node,
                              &sq, FS_LIB_IN_RANGE);
  return true;
}

static void look(struct fs_lift_tracer *t, struct fs_tv bad, struct fs_tv *wrong) {
  struct fs_lane out = {.kind = FS_LANE_TENSOR, .tv = bad};
  struct fs_lane mask = fs_lift_mask(t, t->at, 0);
  mask = fs_lane_both(t, &mask, &t->extra);
  out = fs_lane_both(t, &out, &mask);
  if (out.kind == FS_LANE_NUMBER) return;
  struct fs_tv any = fs_lift_reduced(t, FS_RD_ANY, out.tv, (1u << FS_LIFT_DEPTH) - 1);
  *wrong = wrong->node ? fs_tv_map2(t->in, FS_OP_OR, *wrong, any) : any;
}

void fs_lift_look(struct fs_lift_tracer *t, struct fs_tv bad) {
  if (t->in_region) t->region_look(t, bad);
  else look(t, bad, &t->wrong);
}

void fs_lift_look_late(struct fs_lift_tracer *t, struct fs_tv bad) { look(t, bad, &t->late); }

/* Between whole numbers that are inside. */
static bool is_measured_inside(const struct fs_lane *a, int64_t extent) {
  return a->kind == FS_LANE_COUNT && a->last.kind == FS_SC_INT && a->least >= 1 &&
         a->most <= (double)extent;
}

static bool place_of(struct fs_lift_tracer *t, const struct fs_lane *lane, int64_t extent,
                     struct fs_tv *sub, bool *inside) {
  struct fs_lane a = *lane;
  if (a.loose) return false;
  if (a.kind == FS_LANE_NUMBER && !t->in_region) return false;
  if (a.kind > FS_LANE_TENSOR) return false;
  struct fs_tv at = fs_lane_tv(t, &a), low, high;
  bool real = fs_dtype_is_float(at.dtype);
  if (at.dtype == FS_BOOL) return false;
  *inside = is_measured_inside(&a, extent) ||
            fs_graph_is_list(fs_block_graph(t->in), at.node, extent);
  if (!*inside) {
    struct fs_tv wide = fs_tv_cast(t->in, at, real ? FS_F64 : FS_I64);
    low = fs_tv_map2(t->in, FS_OP_GE, wide, fs_tv_number(t->in, 1, wide.dtype));
    high = fs_tv_map2(t->in, FS_OP_LE, wide, fs_tv_number(t->in, (double)extent, wide.dtype));
    low = fs_tv_map2(t->in, FS_OP_AND, low, high);
    high = real ? fs_tv_map2(t->in, FS_OP_EQ, wide, fs_tv_map1(t->in, FS_OP_FLOOR, wide)) : low;
    low = fs_tv_map2(t->in, FS_OP_AND, low, high);
    fs_lift_look(t, fs_tv_map1(t->in, FS_OP_NOT, low));
  }
  *sub = fs_tv_map2(t->in, FS_OP_SUB, fs_tv_cast(t->in, at, FS_I64),
                    fs_tv_number(t->in, 1, FS_I64));
  return true;
}

/* -- borders -------------------------------------------------------------------------- */

static bool with_number(struct fs_lift_tracer *t, enum fs_map_op op, const struct fs_lane *a,
                        int64_t x, struct fs_lane *out) {
  struct fs_lane pair[2] = {*a, {.number = fs_val_number((double)x, true)}};
  return fs_lane_map(t, op, t->in->span, pair, out);
}

static bool wrap(struct fs_lift_tracer *t, const struct fs_lane *a, int64_t n,
                 struct fs_lane *out) {
  return with_number(t, FS_OP_SUB, a, 1, out) && with_number(t, FS_OP_MOD, out, n, out) &&
         with_number(t, FS_OP_ADD, out, 1, out);
}

/* As fs_border_places() does it, of numbers of the host. */
static bool border_counts(struct fs_lift_tracer *t, enum fs_border b, int64_t n,
                          struct fs_lane *a) {
  struct fs_lane pair[2];
  switch (b) {
    case FS_BORDER_WRAPPED: return wrap(t, a, n, a);
    case FS_BORDER_MIRROR:
      return wrap(t, a, 2 * n, &pair[0]) && with_number(t, FS_OP_SUB, &pair[0], 2 * n + 1, &pair[1]) &&
             fs_lane_map(t, FS_OP_NEG, t->in->span, &pair[1], &pair[1]) &&
             fs_lane_map(t, FS_OP_MIN, t->in->span, pair, a);
    default: return with_number(t, FS_OP_MAX, a, 1, a) && with_number(t, FS_OP_MIN, a, n, a);
  }
}

static bool keep_inside(struct fs_lift_tracer *t, enum fs_border b, int64_t n, struct fs_lane *a) {
  if (!b) return true;
  if (a->kind == FS_LANE_COUNT || a->kind == FS_LANE_NUMBER) return border_counts(t, b, n, a);
  if (a->kind != FS_LANE_TENSOR || !fs_dtype_is_integer(a->tv.dtype)) return false;
  a->tv = fs_border_places(t->in, b, a->tv, n);
  return true;
}

bool fs_lift_place(struct fs_lift_tracer *t, const struct fs_expr *e, enum fs_border border,
                   int64_t extent, struct fs_tv *sub, bool *inside) {
  struct fs_lane a;
  return fs_lane_of(t, e, &a) && keep_inside(t, border, extent, &a) &&
         place_of(t, &a, extent, sub, inside);
}

/* What stands in subscript d, before its border. */
static bool given_place(struct fs_lift_tracer *t, const struct fs_lift_access *a, int d,
                        struct fs_lane *out) {
  if (!a->counted[d].known) return fs_lane_of(t, a->place[d], out);
  *out = fs_lane_count(t, &a->counted[d]);
  return true;
}

/* The same behind it. */
static bool kept_place(struct fs_lift_tracer *t, const struct fs_lift_access *a, int d,
                       struct fs_lane *out) {
  return given_place(t, a, d, out) &&
         keep_inside(t, (enum fs_border)a->border[d], a->shape.dim[d], out);
}

/* 0 where a border of zeros has it. */
static bool put_zeros(struct fs_lift_tracer *t, const struct fs_lift_access *a,
                      struct fs_lane *out) {
  struct fs_lane inside = {.number = fs_val_bool(true)}, at, side;
  for (int d = 0; d < a->shape.rank; d++) {
    if (a->border[d] != FS_BORDER_ZEROS) continue;
    if (!given_place(t, a, d, &at)) return false;
    for (int k = 0; k < 2; k++) {
      if (!with_number(t, k ? FS_OP_LE : FS_OP_GE, &at, k ? a->shape.dim[d] : 1, &side) ||
          !fs_lane_truth(t, &side, &side))
        return false;
      inside = fs_lane_both(t, &inside, &side);
    }
  }
  if (inside.kind == FS_LANE_NUMBER && inside.number.number != 0) return true;
  struct fs_tv zero = fs_tv_number(t->in, 0, out->tv.dtype);
  out->tv = fs_tv_choose(t->in, fs_lane_tv(t, &inside), out->tv, zero);
  return true;
}

/* A sum of counters; *inside: it is in range in all rounds. */
static struct fs_tv counted_place(struct fs_lift_tracer *t, const struct fs_lift_access *a, int d,
                                  bool *inside) {
  int64_t extent = a->shape.dim[d];
  struct fs_range r = fs_lift_bounds(t->n, a->item, &a->sub[d]);
  struct fs_tv sub = fs_lift_counted(t, &a->sub[d]), zero = fs_tv_number(t->in, 0, FS_I64);
  *inside = r.first >= 0 && r.last < extent;
  if (*inside || a->border[d] || fs_lift_is_inside(t->n, a, &a->sub[d], extent)) return sub;
  struct fs_tv low = fs_tv_map2(t->in, FS_OP_LT, sub, zero);
  struct fs_tv end = fs_tv_number(t->in, (double)extent, FS_I64);
  fs_lift_look(t, fs_tv_map2(t->in, FS_OP_OR, low, fs_tv_map2(t->in, FS_OP_GE, sub, end)));
  return sub;
}

/* Places from 1 to n, in 32 bits where they fit: a list of them is stored and read again. */
static struct fs_tv as_list(struct fs_lift_tracer *t, struct fs_tv places, int64_t n) {
  return n < INT32_MAX ? fs_tv_cast(t->in, places, FS_I32) : places;
}

bool fs_lift_places(struct fs_lift_tracer *t, const struct fs_lift_access *a, struct fs_tv *out) {
  int64_t n = fs_shape_count(&a->shape);
  struct fs_tv list = fs_tv_number(t->in, 1, FS_I64), sub;
  struct fs_lane at;
  for (int64_t d = a->shape.rank - 1, stride = 1; d >= 0; stride *= a->shape.dim[d--]) {
    struct fs_tv by = fs_tv_number(t->in, (double)stride, FS_I64);
    bool inside = false;
    if (!a->place[d]) sub = counted_place(t, a, (int)d, &inside);
    else if (!kept_place(t, a, (int)d, &at) ||
             !place_of(t, &at, a->shape.dim[d], &sub, &inside))
      return false;
    if (!inside) {
      double last = (double)(a->shape.dim[d] - 1);
      sub = fs_tv_map2(t->in, FS_OP_MAX, sub, fs_tv_number(t->in, 0, FS_I64));
      sub = fs_tv_map2(t->in, FS_OP_MIN, sub, fs_tv_number(t->in, last, FS_I64));
    }
    list = fs_tv_map2(t->in, FS_OP_ADD, list, fs_tv_map2(t->in, FS_OP_MUL, sub, by));
  }
  *out = as_list(t, list, n);
  return fs_graph_is_list(fs_block_graph(t->in), out->node, n);
}

/* Elements by places of which some are computed, or outside of the array: these are another
 * one's, which nobody takes. */
static bool choose_places(struct fs_lift_tracer *t, const struct fs_lift_access *a,
                          const struct fs_lift_array *of, struct fs_lane *out) {
  struct fs_tv all, list;
  if (fs_shape_count(&a->shape) > FS_LIFT_MOST || !fs_lift_vector(t, of, &all)) return false;
  if (!all.shape.rank || all.shape.dim[0] == 1 || !fs_lift_places(t, a, &list)) return false;
  struct fs_shape sq = fs_squeezed(&list.shape);
  t->in->span = a->e->span;
  out->tv.shape = list.shape;
  out->tv.node = fs_graph_lib(fs_block_graph(t->in), FS_LIB_GATHER, all.dtype, &sq, all.node,
                              &all.shape, list.node, &sq, FS_LIB_IN_RANGE);
  return true;
}

/* The loop that a subscript counts by; -1: none, or several. */
static int only_counter(const struct fs_lift_nest *n, const struct fs_lift_access *a, int d) {
  const struct fs_lift_item *it = &n->items.data[a->item];
  int found = -1;
  for (int l = 0; l < it->depth; l++) {
    if (!a->sub[d].k[l] || n->loops.data[it->loops[l]].count == 1) continue;
    if (found >= 0) return -1;
    found = l;
  }
  return found;
}

/* Of several subscripts, each of a counter of its own, the only one that may be out of range; or
 * -1. axis[d]: its place among them, by the order of the loops. */
static int may_leave(const struct fs_lift_nest *n, const struct fs_lift_access *a, int *axis) {
  int found = -1, loop[FS_MAX_RANK];
  for (int d = 0; d < a->shape.rank; d++) {
    struct fs_range r = fs_lift_bounds(n, a->item, &a->sub[d]);
    bool inside = r.first >= 0 && r.last < a->shape.dim[d];
    loop[d] = only_counter(n, a, d);
    if (a->shape.dim[d] == 1 || loop[d] < 0 || (!inside && found >= 0)) return -1;
    if (!inside) found = d;
    axis[d] = 0;
    for (int e = 0; e < d; e++) {
      if (loop[e] == loop[d]) return -1;
      axis[loop[e] < loop[d] ? d : e]++;
    }
  }
  return a->shape.rank > 1 ? found : -1;
}

/* x[i - 1, j] under a condition: rows by a list of as many numbers as i counts. */
static bool choose_along(struct fs_lift_tracer *t, const struct fs_lift_access *a,
                         const struct fs_lift_array *of, struct fs_lane *out) {
  struct fs_graph *g = fs_block_graph(t->in);
  int axis[FS_MAX_RANK], at = may_leave(t->n, a, axis), rank = a->shape.rank;
  if (at < 0) return false;
  struct fs_shape sq = fs_squeezed(&out->tv.shape), from = sq, chosen = sq;
  struct fs_view v = {.src_rank = (int8_t)rank}, back = {.src_rank = (int8_t)rank};
  for (int d = 0; d < rank; d++) { /* the list's axis is the first */
    int to = d == at ? 0 : axis[d] + (axis[d] < axis[at]);
    from.dim[to] = d == at ? a->shape.dim[d] : sq.dim[axis[d]];
    chosen.dim[to] = sq.dim[axis[d]];
    v.axis[d] = (int8_t)to;
    back.axis[to] = (int8_t)axis[d];
    back.step[to] = v.step[d] = 1;
    for (int l = 0; l < FS_LIFT_DEPTH && d != at; l++)
      if (a->sub[d].k[l]) v.step[d] = a->sub[d].k[l];
    if (d != at) v.off[d] = a->sub[d].c;
  }
  bool inside;
  struct fs_tv list = counted_place(t, a, at, &inside);
  double last = (double)(a->shape.dim[at] - 1);
  list = fs_tv_map2(t->in, FS_OP_MAX, list, fs_tv_number(t->in, 0, FS_I64));
  list = fs_tv_map2(t->in, FS_OP_MIN, list, fs_tv_number(t->in, last, FS_I64));
  list = fs_tv_map2(t->in, FS_OP_ADD, list, fs_tv_number(t->in, 1, FS_I64));
  list = as_list(t, list, a->shape.dim[at]);
  if (!fs_graph_is_list(g, list.node, a->shape.dim[at])) return false;
  struct fs_shape numbers = fs_squeezed(&list.shape);
  fs_id rows = fs_graph_view(g, of->tv.node, &v, &from);
  out->tv.node = fs_graph_lib(g, FS_LIB_GATHER, of->tv.dtype, &chosen, rows, &from, list.node,
                              &numbers, FS_LIB_OF_ROWS | FS_LIB_IN_RANGE);
  if (axis[at]) out->tv.node = fs_graph_view(g, out->tv.node, &back, &sq);
  return true;
}

/* Whether an array is in memory. If it is computed in this block, which has to store it, the
 * block may end before the nest: then it is, and *asks. */
static bool is_stored(struct fs_lift_tracer *t, const struct fs_lift_array *of, bool *asks) {
  const struct fs_node *n = fs_node(fs_block_graph(t->in), of->tv.node);
  if (is_input(t, of)) return true;
  *asks = !of->changed && !t->n->cut && n->shape.rank && n->kind != FS_ND_PARAM;
  t->n->wants_stored |= *asks;
  return false;
}

/* x[i - 1, j - 1] under a condition: neighbours of an array that is stored. Where they are
 * outside of it another element stands in for them, which nobody takes. */
static bool read_loosely(struct fs_lift_tracer *t, const struct fs_lift_access *a,
                         const struct fs_lift_array *of, struct fs_lane *out, bool *asks) {
  bool inside;
  if (!is_stored(t, of, asks)) return false;
  struct fs_tv found;
  if (!read_stored(t, a, of, &found)) return false;
  for (int d = 0; d < a->shape.rank; d++) counted_place(t, a, d, &inside);
  out->tv = found;
  return true;
}

/* -- neighbours whose subscripts are one of two ----------------------------------------- */

enum { MOST_LEAVES = 9 };

/* Each of them is an element; x[where(i > 1, i - 1, 2), j] is x[i - 1, j], or x[2, j]. */
static bool read_parts(struct fs_lift_tracer *t, struct fs_lift_access *a,
                       const struct fs_lift_array *of, struct fs_lane *sub, int d,
                       struct fs_tv *out) {
  struct fs_tv part[2];
  if (d == a->shape.rank) return read_stored(t, a, of, out);
  struct fs_lane whole = sub[d];
  if (whole.affine.known) {
    a->sub[d] = whole.affine;
    return read_parts(t, a, of, sub, d + 1, out);
  }
  for (int k = 0; k < 2; k++) {
    sub[d] = k ? whole.parts->yes : whole.parts->no;
    if (!read_parts(t, a, of, sub, d, &part[k])) return false;
  }
  sub[d] = whole;
  *out = fs_tv_choose(t->in, whole.parts->mask, part[1], part[0]);
  return true;
}

/* Whether all subscripts are such, and none of them can be wrong. */
static bool find_sums(struct fs_lift_tracer *t, const struct fs_lift_access *a,
                      struct fs_lane *sub) {
  int all = 1;
  for (int d = 0; d < a->shape.rank; d++) {
    struct fs_lane at;
    int leaves = 1;
    if (!a->place[d]) {
      bool inside;
      counted_place(t, a, d, &inside);
      sub[d] = (struct fs_lane){.kind = FS_LANE_COUNT, .affine = a->sub[d]};
      continue;
    }
    if (!kept_place(t, a, d, &at) || !fs_lane_sums(t, &at, 1, &sub[d], &leaves) ||
        (!fs_lane_is_inside(t, &sub[d], a->shape.dim[d]) &&
         !fs_graph_is_list(fs_block_graph(t->in), sub[d].tv.node, a->shape.dim[d])))
      return false;
    all *= leaves;
  }
  return all <= MOST_LEAVES;
}

static bool read_neighbours(struct fs_lift_tracer *t, const struct fs_lift_access *a,
                            const struct fs_lift_array *of, struct fs_lane *out, bool *asks) {
  struct fs_lane sub[FS_MAX_RANK];
  if (!find_sums(t, a, sub) || !is_stored(t, of, asks)) return false;
  struct fs_lift_access copy = *a;
  return read_parts(t, &copy, of, sub, 0, &out->tv);
}

/* The element, but for zeros behind a border. */
static bool read_element(struct fs_lift_tracer *t, const struct fs_lift_access *a,
                         const struct fs_lift_array *of, struct fs_lane *out) {
  struct fs_shape shape;
  struct fs_view v = fs_lift_view(t->n, a, NULL, &shape);
  struct fs_shape sq = fs_squeezed(&shape);
  *out = (struct fs_lane){.kind = FS_LANE_TENSOR, .tv = {of->tv.node, of->tv.dtype, shape}};
  out->loose = of->loose;
  t->in->span = a->e->span;
  bool counted = a->guarded && !fs_lift_is_computed(a), asks = false;
  if (counted && read_loosely(t, a, of, out, &asks)) return true;
  if (!counted && fs_lift_is_computed(a) && read_neighbours(t, a, of, out, &asks)) return true;
  if (asks) return false;
  if (counted && choose_along(t, a, of, out)) return true;
  if (a->guarded || fs_lift_is_computed(a)) return choose_places(t, a, of, out);
  if (is_crossed(t->n, a)) return choose_elements(t, a, of, out);
  if (v.src_rank) out->tv.node = fs_graph_view(fs_block_graph(t->in), of->tv.node, &v, &sq);
  return true;
}

bool fs_lift_element(struct fs_lift_tracer *t, const struct fs_expr *e,
                         struct fs_lane *out) {
  const struct fs_lift_access *a = NULL;
  for (int k = 0; k < t->n->accesses.len && !a; k++)
    if (t->n->accesses.data[k].e == e && t->n->accesses.data[k].item == t->at)
      a = &t->n->accesses.data[k];
  const struct fs_lift_array *of = a ? fs_lift_array(t, a->name) : NULL;
  return of && read_element(t, a, of, out) && put_zeros(t, a, out);
}
