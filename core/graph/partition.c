/* partition.c - the graph of one rank's parts, made of the graph of the whole arrays.
 *
 * in:  a simplified graph of which some inputs are cut     out: the same values, of shapes that
 * one rank has: what is cut has its part of the axis, the last ranks' filled up with anything
 *
 * Layouts go from operands to results, as in GSPMD (Xu et al. 2021): maps of what is cut are cut,
 * and what is whole is sliced for them; a reduction over the cut axis is one of the part, and
 * then one over ranks; a product of cut rows and a whole matrix is cut, one along a cut axis is
 * summed over ranks. What has no rule is computed of whole operands, which all ranks gather.
 *
 * The graph is the same on all ranks, so that all make the same plan: what depends on the rank
 * is how far an input or a generator is shifted (per_rank), until fs_graph_place().
 *
 * needs: a simplified graph, no input of which fs_graph_wants_whole(); spoils: ids */
#include "core/graph/internal.h"

#include "core/ranks/ranks.h"

enum { DEEPEST = 32, /* maps above each other of which a part is computed once more */
       ALIGNED = 256 /* bytes: so far on are ranks that read parts of one array where it lies */ };

struct local {
  int axis;                  /* along which it is cut, -1: it is whole */
  fs_id own;                 /* so */
  fs_id whole;               /* and where it was wanted otherwise: whole, cut along an axis */
  fs_id cut[FS_MAX_RANK];
};

struct cutter {
  const struct fs_graph *from;
  struct fs_graph *to;
  struct local *at;          /* by node of `from` */
  const struct fs_links *links;
};

static int64_t whole_extent(int64_t extent) { return fs_cut_part(extent) * fs_ranks(); }
static bool is_padded(int64_t extent) { return whole_extent(extent) != extent; }

static struct fs_shape part_shape(struct fs_shape s, int axis) {
  if (axis >= 0) s.dim[axis] = fs_cut_part(s.dim[axis]);
  return s;
}

/* -- calls over ranks -------------------------------------------------------------- */

/* The node with an axis in front of the others, and the view that puts it back. */
static fs_id to_front(struct cutter *c, fs_id id, int axis) {
  struct fs_shape s = fs_node(c->to, id)->shape, out = s;
  struct fs_view v = {.src_rank = s.rank};
  for (int k = 0; k < s.rank; k++) {
    v.axis[k] = (int8_t)(k == axis ? 0 : k < axis ? k + 1 : k);
    v.step[k] = 1;
    out.dim[v.axis[k]] = s.dim[k];
  }
  return fs_graph_view(c->to, id, &v, &out);
}

/* Of a node whose first axis is `axis` of the shape. */
static fs_id from_front(struct cutter *c, fs_id id, int axis, const struct fs_shape *shape) {
  struct fs_view v = {.src_rank = shape->rank};
  for (int k = 0; k < shape->rank; k++) {
    v.axis[k] = (int8_t)(k == 0 ? axis : k <= axis ? k - 1 : k);
    v.step[k] = 1;
  }
  return fs_graph_view(c->to, id, &v, shape);
}

static fs_id call(struct cutter *c, enum fs_lib_op op, const struct fs_shape *result, fs_id a) {
  struct fs_node n = *fs_node(c->to, a);
  return fs_graph_lib(c->to, op, n.dtype, result, a, &n.shape, 0, NULL, FS_LIB_IN_RANGE);
}

/* All of what is cut along an axis of the shape. */
static fs_id gathered(struct cutter *c, fs_id id, int axis, const struct fs_shape *shape) {
  fs_id front = to_front(c, id, axis);
  struct fs_shape all = fs_node(c->to, front)->shape;
  all.dim[0] = whole_extent(shape->dim[axis]);
  return from_front(c, call(c, FS_LIB_ALL_GATHER, &all, front), axis, shape);
}

/* Whether a node of the new graph is the same at every index of an axis. */
static bool repeats(const struct cutter *c, const struct fs_node *n, int axis) {
  if (n->kind == FS_ND_INPUT) return !c->to->inputs.data[n->slot].layout.stride[axis];
  if (n->kind != FS_ND_VIEW) return false;
  for (int s = 0; s < n->view.src_rank; s++)
    if (n->view.axis[s] == axis) return false;
  return true;
}

/* An input that is repeated along some axes, but not along `axis`, once; *to: what that axis then
 * is, *repeats: the view that repeats it again. 0: it is no such input. */
static fs_id input_once(struct cutter *c, fs_id id, int axis, int *to, struct fs_view *repeats) {
  struct fs_node n = *fs_node(c->to, id);
  struct fs_shape once = {0};
  if (n.kind != FS_ND_INPUT) return 0;
  struct fs_graph_input in = c->to->inputs.data[n.slot];
  *repeats = (struct fs_view){0};
  for (int k = 0; k < n.shape.rank; k++) {
    if (!in.layout.stride[k]) continue;
    if (k == axis) *to = once.rank;
    in.layout.stride[once.rank] = in.layout.stride[k];
    repeats->axis[once.rank] = (int8_t)k, repeats->step[once.rank] = 1;
    once.dim[once.rank++] = n.shape.dim[k];
  }
  if (once.rank == n.shape.rank) return 0;
  repeats->src_rank = once.rank;
  for (int k = once.rank; k < FS_MAX_RANK; k++) in.layout.stride[k] = 0;
  return fs_graph_input_like(c->to, &in, n.dtype, &once);
}

static fs_id own_part(struct cutter *c, fs_id whole, int axis) {
  struct fs_node n = *fs_node(c->to, whole);
  struct fs_shape part = part_shape(n.shape, axis);
  struct fs_view again;
  int to = 0;
  static const int all[FS_MAX_RANK] = {0, 1, 2, 3, 4, 5};
  struct fs_view first = fs_view_axes(n.shape.rank, all);
  if (repeats(c, &n, axis)) return fs_graph_view(c->to, whole, &first, &part);
  fs_id once = input_once(c, whole, axis, &to, &again);
  if (once) return fs_graph_view(c->to, own_part(c, once, to), &again, &part);
  fs_id front = to_front(c, whole, axis);
  struct fs_shape of = part_shape(fs_node(c->to, front)->shape, 0);
  return from_front(c, call(c, FS_LIB_OWN_PART, &of, front), axis, &part);
}

/* -- values in the layout that somebody wants --------------------------------------- */

static fs_id literal(struct cutter *c, enum fs_dtype dt, double x) {
  return fs_graph_literal(c->to, dt, (struct fs_number){x, fs_dtype_integer(dt, x)});
}

/* All of a part of an input that is repeated along some axes: of what is repeated. 0: it is not. */
static fs_id gathered_once(struct cutter *c, fs_id own, int axis, const struct fs_shape *shape) {
  struct fs_view repeats;
  int to = 0;
  fs_id input = input_once(c, own, axis, &to, &repeats);
  if (!input) return 0;
  struct fs_shape all = fs_node(c->to, input)->shape;
  for (int k = 0; k < all.rank; k++) all.dim[k] = shape->dim[repeats.axis[k]];
  return fs_graph_view(c->to, gathered(c, input, to, &all), &repeats, shape);
}

static fs_id whole(struct cutter *c, fs_id id);

/* What repeats something is made whole by repeating all of that. */
static fs_id new_whole(struct cutter *c, fs_id id) {
  const struct fs_node *n = fs_node(c->from, id);
  struct local l = c->at[id];
  fs_id once = 0;
  if (n->kind == FS_ND_INPUT) once = gathered_once(c, l.own, l.axis, &n->shape);
  if (n->kind == FS_ND_VIEW &&
      fs_shape_count(&n->shape) > fs_shape_count(&fs_node(c->from, n->src[0])->shape))
    once = fs_graph_view(c->to, whole(c, n->src[0]), &n->view, &n->shape);
  fs_graph_come_from(c->to, n);
  return once ? once : gathered(c, l.own, l.axis, &n->shape);
}

static fs_id whole(struct cutter *c, fs_id id) {
  if (c->at[id].axis < 0) return c->at[id].own;
  if (!c->at[id].whole) {
    fs_id made = new_whole(c, id);
    c->at[id].whole = made;
  }
  return c->at[id].whole;
}

/* The part of an input where it lies, if parts begin as well aligned as all of it does. */
static fs_id part_of_input(struct cutter *c, const struct fs_node *n, int axis) {
  struct fs_graph_input in = c->to->inputs.data[n->slot];
  struct fs_shape part = part_shape(n->shape, axis);
  int64_t step = part.dim[axis] * in.layout.stride[axis];
  if (in.layout.reach || is_padded(n->shape.dim[axis]) ||
      step * (int64_t)fs_dtype_size(n->dtype) % ALIGNED)
    return 0;
  in.layout.per_rank = step;
  in.known = (struct fs_known){0};
  return fs_graph_input_like(c->to, &in, n->dtype, &part);
}

/* The part of a generator: the same numbers, of indices further on. */
static fs_id part_of_generator(struct cutter *c, struct fs_node n, int axis) {
  n.shape = part_shape(n.shape, axis);
  n.rand_per_rank = n.shape.dim[axis] * n.rand_stride[axis];
  return fs_graph_intern(c->to, &n);
}

static fs_id part(struct cutter *c, fs_id id, int axis, int depth);

/* Where axis `axis` of a view comes from, if it is all of one axis of the source, as it is, and of
 * no other: that axis; -1: from none, it is repeated; -2: from something else. */
static int source_axis(const struct fs_graph *g, const struct fs_node *n, int axis) {
  int found = -1;
  const struct fs_shape *src = &fs_node(g, n->src[0])->shape;
  for (int s = 0; s < n->view.src_rank; s++) {
    if (n->view.axis[s] != axis) continue;
    bool all = n->view.off[s] == 0 && n->view.step[s] == 1 && src->dim[s] == n->shape.dim[axis];
    if (found >= 0 || !all) return -2;
    found = s;
  }
  return found;
}

static fs_id part_of_view(struct cutter *c, const struct fs_node *n, int axis, int depth) {
  int from = source_axis(c->from, n, axis);
  struct fs_shape shape = part_shape(n->shape, axis);
  if (from == -2) return 0;
  fs_id src = from < 0 ? whole(c, n->src[0]) : part(c, n->src[0], from, depth + 1);
  fs_graph_come_from(c->to, n);
  return fs_graph_view(c->to, src, &n->view, &shape);
}

/* Functions of the user may go on for ever where there are no numbers of theirs. */
static bool may_be_cut(const struct fs_graph *g, const struct fs_node *n, int axis) {
  if (!n->user) return true;
  for (int k = 0; k < n->n_src; k++)
    if (fs_node(g, n->src[k])->kind == FS_ND_TABLE) return false;
  return !is_padded(n->shape.dim[axis]);
}

static fs_id map_of_parts(struct cutter *c, const struct fs_node *n, int axis, int depth) {
  fs_id src[FS_MOST_SRC];
  for (int k = 0; k < n->n_src; k++)
    src[k] = fs_node(c->from, n->src[k])->shape.rank ? part(c, n->src[k], axis, depth + 1)
                                                     : whole(c, n->src[k]);
  fs_graph_come_from(c->to, n);
  return fs_graph_map_like(c->to, n, src);
}

/* The part along `axis` of a node that is whole or cut otherwise. */
static fs_id new_part(struct cutter *c, fs_id id, int axis, int depth) {
  const struct fs_node *n = fs_node(c->from, id);
  const struct fs_node *own = fs_node(c->to, c->at[id].own);
  fs_id out = 0;
  if (c->at[id].axis < 0 && depth < DEEPEST) {
    fs_graph_come_from(c->to, n);
    if (n->kind == FS_ND_INPUT && own->kind == FS_ND_INPUT) out = part_of_input(c, own, axis);
    if (n->kind == FS_ND_IOTA || n->kind == FS_ND_RAND || n->kind == FS_ND_RANDN)
      out = part_of_generator(c, *own, axis);
    if (n->kind == FS_ND_VIEW) out = part_of_view(c, n, axis, depth);
    if (n->kind == FS_ND_MAP && may_be_cut(c->from, n, axis))
      out = map_of_parts(c, n, axis, depth);
  }
  return out ? out : own_part(c, whole(c, id), axis);
}

static fs_id part(struct cutter *c, fs_id id, int axis, int depth) {
  struct local *l = &c->at[id];
  if (l->axis == axis) return l->own;
  if (!l->cut[axis]) {
    fs_id made = new_part(c, id, axis, depth);
    c->at[id].cut[axis] = made;
  }
  return c->at[id].cut[axis];
}

/* The indices of a cut axis that this rank has, from 0 in all. */
static fs_id own_index(struct cutter *c, int axis, const struct fs_shape *part) {
  struct fs_node iota = {.kind = FS_ND_IOTA, .dtype = FS_I64, .n_src = 2};
  iota.src[0] = literal(c, FS_I64, 0), iota.src[1] = literal(c, FS_I64, 1);
  iota.shape = (struct fs_shape){1, {part->dim[axis]}};
  iota.rand_stride[0] = 1;
  iota.rand_per_rank = part->dim[axis];
  return fs_graph_intern(c->to, &iota);
}

/* What is not there, behind the last index of an axis, as a number that counts for nothing. */
static fs_id masked(struct cutter *c, fs_id id, int axis, int64_t extent, double nothing) {
  struct fs_node n = *fs_node(c->to, id);
  if (!is_padded(extent)) return id;
  fs_id there = own_index(c, axis, &n.shape);
  fs_id limit = literal(c, FS_I64, (double)extent);
  there = fs_graph_map(c->to, FS_OP_LT, 2, (fs_id[]){there, limit}, FS_BOOL);
  there = fs_graph_view(c->to, there, &(struct fs_view){1, {(int8_t)axis}, {0}, {1}}, &n.shape);
  fs_id src[] = {there, id, literal(c, n.dtype, nothing)};
  return fs_graph_map(c->to, FS_OP_WHERE, 3, src, n.dtype);
}

/* What each rank has, ranks along the first axis. */
static fs_id of_ranks(struct cutter *c, fs_id own) {
  struct fs_node n = *fs_node(c->to, own);
  struct fs_shape all = {.rank = n.shape.rank + 1, .dim = {fs_ranks()}};
  for (int k = 0; k < n.shape.rank; k++) all.dim[k + 1] = n.shape.dim[k];
  return call(c, FS_LIB_ALL_GATHER, &all, own);
}

/* A view of what is cut along `axis` that takes indices of one rank's part alone, as A[3, :] does:
 * each sends what lies there in its own, and all take that rank's. 0: it is no such view. */
static fs_id view_of_one(struct cutter *c, fs_id own, int axis, struct fs_view v,
                         const struct fs_shape *shape) {
  const struct fs_shape *from = &fs_node(c->to, own)->shape;
  int64_t part = from->dim[axis], n = v.axis[axis] < 0 ? 1 : shape->dim[v.axis[axis]];
  int64_t first = v.off[axis], last = first + v.step[axis] * (n - 1), rank = first / part;
  struct fs_view theirs = {.src_rank = shape->rank + 1, .axis = {-1}, .off = {rank}};
  bool less = fs_shape_count(shape) < fs_shape_count(from);
  if (!n || last / part != rank || shape->rank == FS_MAX_RANK || !less) return 0;
  for (int k = 0; k < shape->rank; k++) theirs.axis[k + 1] = (int8_t)k, theirs.step[k + 1] = 1;
  v.off[axis] -= rank * part;
  return fs_graph_view(c->to, of_ranks(c, fs_graph_view(c->to, own, &v, shape)), &theirs, shape);
}

/* -- rules ---------------------------------------------------------------------------- */

/* A value over all ranks, of what each rank has of it. */
static fs_id over_ranks(struct cutter *c, enum fs_reduce_op op, fs_id own) {
  struct fs_node n = *fs_node(c->to, own);
  bool adds = op == FS_RD_SUM &&
              (n.dtype == FS_F32 || n.dtype == FS_F64 || n.dtype == FS_I64);
  if (adds) return call(c, FS_LIB_ALL_REDUCE, &n.shape, own);
  return fs_graph_reduce(c->to, op, of_ranks(c, own), 1);
}

/* What each rank has of a sum of halves is not rounded yet: that is done once, at the end. */
static fs_id reduced_over_ranks(struct cutter *c, enum fs_reduce_op op, fs_id src, unsigned axes) {
  enum fs_dtype dt = fs_node(c->to, src)->dtype;
  bool adds = op == FS_RD_SUM || op == FS_RD_PROD || op == FS_RD_LOGSUMEXP;
  bool widens = fs_dtype_is_half(dt) && adds;
  if (widens) src = fs_graph_cast(c->to, src, fs_dtype_compute(dt));
  fs_id made = over_ranks(c, op, fs_graph_reduce(c->to, op, src, axes));
  return widens ? fs_graph_cast(c->to, made, dt) : made;
}

/* The array repeated along these axes of a shape. */
static fs_id spread(struct cutter *c, fs_id id, unsigned axes, const struct fs_shape *shape) {
  struct fs_view v = {0};
  for (int k = 0; k < shape->rank; k++)
    if (!(axes >> k & 1)) v.axis[v.src_rank] = (int8_t)k, v.step[v.src_rank++] = 1;
  return fs_graph_view(c->to, id, &v, shape);
}

static fs_id map2(struct cutter *c, enum fs_map_op op, fs_id a, fs_id b) {
  return fs_graph_map(c->to, op, 2, (fs_id[]){a, b}, fs_node(c->to, a)->dtype);
}

/* The first rank that has the extreme says where it is; each has `count` places. */
static fs_id spot_over_ranks(struct cutter *c, enum fs_reduce_op op, fs_id src, unsigned axes,
                             double count) {
  enum fs_reduce_op extreme = op == FS_RD_ARGMAX ? FS_RD_MAXR : FS_RD_MINR;
  fs_id values = of_ranks(c, fs_graph_reduce(c->to, extreme, src, axes));
  fs_id places = of_ranks(c, fs_graph_reduce(c->to, op, src, axes));
  struct fs_shape all = fs_node(c->to, places)->shape;
  fs_id first = spread(c, fs_graph_reduce(c->to, op, values, 1), 1, &all);
  fs_id number = fs_graph_iota(c->to, FS_I64, fs_ranks(), literal(c, FS_I64, 1),
                               literal(c, FS_I64, 1));
  number = spread(c, number, ~1u, &all);
  fs_id before = map2(c, FS_OP_SUB, number, literal(c, FS_I64, 1));
  fs_id there = map2(c, FS_OP_ADD, places, map2(c, FS_OP_MUL, before, literal(c, FS_I64, count)));
  fs_id src3[] = {map2(c, FS_OP_EQ, first, number), there, literal(c, FS_I64, 0)};
  return fs_graph_reduce(c->to, FS_RD_SUM, fs_graph_map(c->to, FS_OP_WHERE, 3, src3, FS_I64), 1);
}

/* Where all ranks have as many elements: of their means and variances (Chan, Golub, LeVeque). */
static fs_id var_of_ranks(struct cutter *c, fs_id src, unsigned axes, double count) {
  fs_id wide = fs_graph_cast(c->to, src, FS_F64), each = literal(c, FS_F64, count);
  fs_id own = map2(c, FS_OP_DIV, fs_graph_reduce(c->to, FS_RD_SUM, wide, axes), each);
  fs_id means = of_ranks(c, own);
  fs_id spreads = of_ranks(c, fs_graph_cast(c->to, fs_graph_reduce(c->to, FS_RD_VAR, src, axes),
                                            FS_F64));
  fs_id between = fs_graph_reduce(c->to, FS_RD_VAR, means, 1);
  fs_id within = fs_graph_reduce(c->to, FS_RD_SUM, spreads, 1);
  double ranks = fs_ranks(), n = ranks * count;
  within = map2(c, FS_OP_MUL, within, literal(c, FS_F64, (count - 1) / (n - 1)));
  between = map2(c, FS_OP_MUL, between, literal(c, FS_F64, count * (ranks - 1) / (n - 1)));
  return map2(c, FS_OP_ADD, within, between);
}

/* Else: of how far elements are away from the mean of all. */
static fs_id var_about_mean(struct cutter *c, fs_id src, unsigned axes, int axis, int64_t extent,
                            double n) {
  fs_id wide = fs_graph_cast(c->to, src, FS_F64);
  struct fs_shape shape = fs_node(c->to, wide)->shape;
  fs_id sum = fs_graph_reduce(c->to, FS_RD_SUM, masked(c, wide, axis, extent, 0), axes);
  fs_id mean = map2(c, FS_OP_DIV, over_ranks(c, FS_RD_SUM, sum), literal(c, FS_F64, n));
  fs_id away = masked(c, map2(c, FS_OP_SUB, wide, spread(c, mean, axes, &shape)), axis, extent, 0);
  fs_id squares = fs_graph_reduce(c->to, FS_RD_SUM, map2(c, FS_OP_MUL, away, away), axes);
  return map2(c, FS_OP_DIV, over_ranks(c, FS_RD_SUM, squares), literal(c, FS_F64, n - 1));
}

/* A reduction along the cut axis, of the parts; 0: it has no rule. */
static fs_id merged(struct cutter *c, const struct fs_node *n, int axis, fs_id src) {
  const struct fs_shape *s = &fs_node(c->from, n->src[0])->shape;
  enum fs_dtype dt = fs_node(c->to, src)->dtype;
  double count = (double)fs_cut_part(s->dim[axis]), all = (double)s->dim[axis];
  for (int k = 0; k < s->rank; k++)
    if (k != axis && n->axes >> k & 1) count *= (double)s->dim[k], all *= (double)s->dim[k];
  if (s->rank > FS_MAX_RANK - 1) return 0;
  switch (n->op) {
    case FS_RD_ARGMAX:
    case FS_RD_ARGMIN: /* places go on from rank to rank only along the outermost axis */
      if (n->axes & ((1u << axis) - 1)) return 0;
      src = masked(c, src, axis, s->dim[axis], fs_reduce_first(n->op, dt));
      return spot_over_ranks(c, n->op, src, n->axes, count);
    case FS_RD_VAR:
      src = is_padded(s->dim[axis]) || count < 2
                ? var_about_mean(c, src, n->axes, axis, s->dim[axis], all)
                : var_of_ranks(c, src, n->axes, count);
      return fs_graph_cast(c->to, src, dt);
    default:
      src = masked(c, src, axis, s->dim[axis], fs_reduce_first(n->op, dt));
      return reduced_over_ranks(c, n->op, src, n->axes);
  }
}

static struct local cut_reduce(struct cutter *c, const struct fs_node *n) {
  int axis = c->at[n->src[0]].axis, kept = 0;
  fs_id src = c->at[n->src[0]].own;
  for (int k = 0; k < axis; k++) kept += !(n->axes >> k & 1);
  if (!(n->axes >> axis & 1))
    return (struct local){kept, fs_graph_reduce(c->to, n->op, src, n->axes)};
  fs_id made = merged(c, n, axis, src);
  if (!made) made = fs_graph_reduce(c->to, n->op, whole(c, n->src[0]), n->axes);
  return (struct local){-1, made};
}

/* The axis of a matrix operand that is its dimension `dim`, where extents of 1 are no axes. */
static int axis_of(const struct fs_shape *lib, int dim) {
  int axis = 0;
  for (int k = 0; k < dim; k++) axis += fs_shape_dim(lib, k) != 1;
  return fs_shape_dim(lib, dim) != 1 ? axis : -1;
}

/* One product for each rank: of A along dimension x, of B along dimension y, -1: of all. */
static fs_id product(struct cutter *c, const struct fs_node *n, int x, int y, bool inner) {
  struct fs_shape lib[2] = {n->lib_shape[0], n->lib_shape[1]}, result = {.rank = 2};
  int dims[2] = {x, y};
  fs_id src[2];
  for (int k = 0; k < 2; k++) {
    int axis = dims[k] < 0 ? -1 : axis_of(&lib[k], dims[k]);
    src[k] = axis < 0 ? whole(c, n->src[k]) : part(c, n->src[k], axis, 0);
    if (axis >= 0 && inner) src[k] = masked(c, src[k], axis, lib[k].dim[dims[k]], 0);
    if (axis >= 0) lib[k].dim[dims[k]] = fs_cut_part(lib[k].dim[dims[k]]);
  }
  result.dim[0] = fs_shape_dim(&lib[0], n->lib_flags & FS_LIB_TRANS_A ? 1 : 0);
  result.dim[1] = fs_shape_dim(&lib[1], n->lib_flags & FS_LIB_TRANS_B ? 0 : 1);
  fs_graph_come_from(c->to, n);
  return fs_graph_lib(c->to, FS_LIB_GEMM, n->dtype, &result, src[0], &lib[0], src[1], &lib[1],
                      n->lib_flags);
}

static double bytes_of(const struct fs_node *n) {
  return (double)fs_shape_count(&n->shape) * (double)fs_dtype_size(n->dtype);
}

/* Of two matrices of which one at least is cut. Whether a product along a cut axis is summed, or
 * its operands gathered, goes by what has to be moved. */
static struct local cut_product(struct cutter *c, const struct fs_node *n) {
  const struct fs_shape *a = &n->lib_shape[0], *b = &n->lib_shape[1];
  int rows = n->lib_flags & FS_LIB_TRANS_A ? 1 : 0, cols = n->lib_flags & FS_LIB_TRANS_B ? 0 : 1;
  const struct local *x = &c->at[n->src[0]], *y = &c->at[n->src[1]];
  bool x_rows = x->axis >= 0 && x->axis == axis_of(a, rows);
  bool y_cols = y->axis >= 0 && y->axis == axis_of(b, cols);
  bool x_inner = x->axis >= 0 && !x_rows, y_inner = y->axis >= 0 && !y_cols;
  double moved = (x->axis >= 0 && !x_rows ? bytes_of(fs_node(c->from, n->src[0])) : 0) +
                 (y->axis >= 0 && !y_cols ? bytes_of(fs_node(c->from, n->src[1])) : 0);
  bool full = n->dtype == FS_F32 || n->dtype == FS_F64;
  if ((x_inner || y_inner) && !(x_rows || y_cols) && full && 2 * bytes_of(n) < moved)
    return (struct local){-1, over_ranks(c, FS_RD_SUM,
                                         product(c, n, 1 - rows, 1 - cols, true))};
  if (x_rows) return (struct local){0, product(c, n, rows, -1, false)};
  if (y_cols)
    return (struct local){fs_shape_dim(a, rows) == 1 ? 0 : 1, product(c, n, -1, cols, false)};
  return (struct local){-1, product(c, n, -1, -1, false)};
}

/* Calls along an axis that each rank has whole. */
static bool goes_along_another(const struct cutter *c, const struct fs_node *n) {
  bool scan = fs_lib_is_scan(n->op) || fs_lib_is_sort(n->op);
  int axis = c->at[n->src[0]].axis;
  return scan && axis >= 0 && axis != (n->lib_flags & FS_LIB_AXIS) &&
         fs_shape_equal(&n->lib_shape[0], &n->shape);
}

static struct local cut_call(struct cutter *c, const struct fs_node *n) {
  struct local l = {.axis = -1};
  struct fs_node made = *n;
  if (n->op == FS_LIB_LAY) {
    l.axis = (int)n->lib_flags - 1;
    l.own = l.axis < 0 ? whole(c, n->src[0]) : part(c, n->src[0], l.axis, 0);
    return l;
  }
  bool one = n->op == FS_LIB_GEMM && n->lib_shape[0].rank <= 2 && n->lib_shape[1].rank <= 2;
  if (one && (c->at[n->src[0]].axis >= 0 || c->at[n->src[1]].axis >= 0)) return cut_product(c, n);
  bool along = goes_along_another(c, n);
  if (along) {
    l.axis = c->at[n->src[0]].axis;
    made.shape = made.lib_shape[0] = part_shape(n->shape, l.axis);
  }
  for (int k = 0; k < n->n_src; k++)
    made.src[k] = along ? c->at[n->src[k]].own : whole(c, n->src[k]);
  fs_graph_come_from(c->to, n);
  l.own = fs_graph_intern(c->to, &made);
  return l;
}

/* Bytes of an operand without what is repeated. */
static double bytes_once(const struct fs_graph *g, fs_id id) {
  const struct fs_node *n = fs_node(g, id), *src = n;
  if (n->kind == FS_ND_INPUT) return fs_graph_input_bytes(g, n);
  if (n->kind == FS_ND_VIEW) src = fs_node(g, n->src[0]);
  return FS_MIN(bytes_of(n), bytes_of(src));
}

/* The axis of a map: that of the operands for which the least has to be moved of others. */
static int axis_of_map(const struct cutter *c, const struct fs_node *n) {
  int best = -1;
  double least = 0;
  for (int k = 0; k < n->n_src; k++) {
    int axis = c->at[n->src[k]].axis;
    double moved = 0;
    if (axis < 0 || !may_be_cut(c->from, n, axis)) continue;
    for (int j = 0; j < n->n_src; j++)
      if (c->at[n->src[j]].axis >= 0 && c->at[n->src[j]].axis != axis)
        moved += bytes_once(c->from, n->src[j]);
    if (best < 0 || moved < least) best = axis, least = moved;
  }
  return best;
}

static int axis_of_view(const struct cutter *c, const struct fs_node *n) {
  int axis = c->at[n->src[0]].axis;
  int to = axis < 0 ? -1 : n->view.axis[axis];
  return to >= 0 && source_axis(c->from, n, to) == axis ? to : -1;
}

/* Of an update of all indices of the cut axis: that axis, and of the part. */
static int axis_of_update(const struct cutter *c, const struct fs_node *n, int *of_part) {
  const struct fs_shape *p = &fs_node(c->from, n->src[1])->shape;
  for (int axis = 0; axis < n->shape.rank; axis++) {
    int v = n->view.axis[axis], uses = 0;
    bool wants = (n->src[0] && c->at[n->src[0]].axis == axis) ||
                 (v >= 0 && c->at[n->src[1]].axis == v);
    if (!wants || v < 0) continue;
    for (int s = 0; s < n->view.src_rank; s++) uses += n->view.axis[s] == v;
    bool all = uses == 1 && n->view.off[axis] == 0 && n->view.step[axis] == 1 &&
               p->dim[v] == n->shape.dim[axis];
    *of_part = v;
    if (all) return axis;
  }
  return -1;
}

/* An update of one index of the cut axis, as A[3, :] = x: each rank has that index to be any of its
 * own, and takes what was there before at all others. */
static fs_id update_of_one(struct cutter *c, const struct fs_node *n, int axis) {
  struct fs_shape of = fs_node(c->from, n->src[1])->shape, shape = part_shape(n->shape, axis);
  struct fs_view v = n->view, repeats = {.src_rank = of.rank};
  if (v.axis[axis] >= 0 || of.rank == FS_MAX_RANK) return 0;
  for (int k = 0; k < of.rank; k++) repeats.axis[k] = (int8_t)k, repeats.step[k] = 1;
  v.axis[axis] = (int8_t)of.rank, v.off[axis] = 0, v.step[axis] = 1;
  of.dim[of.rank++] = shape.dim[axis];
  fs_id base = c->at[n->src[0]].own, value = whole(c, n->src[1]);
  fs_graph_come_from(c->to, n);
  value = fs_graph_view(c->to, value, &repeats, &of);
  fs_id there = fs_graph_update(c->to, base, n->dtype, &shape, value, &of, &v);
  fs_id at = own_index(c, axis, &shape);
  fs_id one = fs_graph_literal(c->to, FS_I64, (struct fs_number){(double)n->view.off[axis],
                                                                 n->view.off[axis]});
  at = fs_graph_map(c->to, FS_OP_EQ, 2, (fs_id[]){at, one}, FS_BOOL);
  at = fs_graph_view(c->to, at, &(struct fs_view){1, {(int8_t)axis}, {0}, {1}}, &shape);
  return fs_graph_map(c->to, FS_OP_WHERE, 3, (fs_id[]){at, there, base}, n->dtype);
}

static struct local cut_update(struct cutter *c, const struct fs_node *n) {
  int base_axis = n->src[0] ? c->at[n->src[0]].axis : -1;
  fs_id one = base_axis < 0 ? 0 : update_of_one(c, n, base_axis);
  if (one) return (struct local){base_axis, one};
  int of_part = -1, axis = axis_of_update(c, n, &of_part);
  struct fs_shape shape = part_shape(n->shape, axis);
  struct fs_shape of = part_shape(fs_node(c->from, n->src[1])->shape, of_part);
  bool cuts = axis >= 0;
  if (!cuts) of = fs_node(c->from, n->src[1])->shape;
  fs_id base = !n->src[0] ? 0 : cuts ? part(c, n->src[0], axis, 0) : whole(c, n->src[0]);
  fs_id value = cuts ? part(c, n->src[1], of_part, 0) : whole(c, n->src[1]);
  fs_graph_come_from(c->to, n);
  return (struct local){axis,
                        fs_graph_update(c->to, base, n->dtype, &shape, value, &of, &n->view)};
}

/* An input that is not cut as its array is: a view of all of that. */
static fs_id slice_of_whole(struct cutter *c, const struct fs_node *n) {
  struct fs_graph_input in = c->from->inputs.data[n->slot];
  struct fs_cut_whole w;
  struct fs_cut cut = in.cut;
  fs_cut_view(&cut, &n->shape, &in.layout, &w);
  struct fs_shape part = w.shape;
  part.dim[w.axis] = cut.part;
  in.layout = w.own;
  in.known = (struct fs_known){0};
  in.cut = (struct fs_cut){0};
  in.dying = false;
  fs_id own = fs_graph_input_like(c->to, &in, n->dtype, &part);
  fs_id one = view_of_one(c, own, w.axis, w.view, &n->shape);
  return one ? one : fs_graph_view(c->to, gathered(c, own, w.axis, &w.shape), &w.view, &n->shape);
}

static struct local cut_input(struct cutter *c, const struct fs_node *n) {
  struct fs_graph_input in = c->from->inputs.data[n->slot];
  struct fs_shape shape = n->shape;
  struct local l = {.axis = -1};
  if (in.cut.part) {
    struct fs_layout own;
    l.axis = fs_cut_axis(&in.cut, &n->shape, &in.layout, &own);
    if (l.axis < 0) return (struct local){-1, slice_of_whole(c, n)};
    in.layout = own;
    in.known = (struct fs_known){0};
    in.cut = (struct fs_cut){0};
    shape = part_shape(shape, l.axis);
  }
  l.own = fs_graph_input_like(c->to, &in, n->dtype, &shape);
  return l;
}

static struct local cut_other(struct cutter *c, struct fs_node n) {
  for (int k = 0; k < n.n_src; k++) n.src[k] = whole(c, n.src[k]);
  return (struct local){-1, fs_graph_intern(c->to, &n)};
}

static struct local cut_view(struct cutter *c, const struct fs_node *n) {
  int axis = axis_of_view(c, n), cut = c->at[n->src[0]].axis;
  struct fs_shape shape = part_shape(n->shape, axis);
  bool one = axis < 0 && cut >= 0;
  fs_id made = one ? view_of_one(c, c->at[n->src[0]].own, cut, n->view, &n->shape) : 0;
  if (made) return (struct local){-1, made};
  fs_id src = axis < 0 ? whole(c, n->src[0]) : c->at[n->src[0]].own;
  return (struct local){axis, fs_graph_view(c->to, src, &n->view, &shape)};
}

static struct local cut_map(struct cutter *c, const struct fs_node *n) {
  int axis = axis_of_map(c, n);
  if (axis >= 0) return (struct local){axis, map_of_parts(c, n, axis, 0)};
  fs_id src[FS_MOST_SRC];
  for (int k = 0; k < n->n_src; k++) src[k] = whole(c, n->src[k]);
  fs_graph_come_from(c->to, n);
  return (struct local){-1, fs_graph_map_like(c->to, n, src)};
}

static struct local cut_node(struct cutter *c, const struct fs_node *n) {
  switch (n->kind) {
    case FS_ND_INPUT: return cut_input(c, n);
    case FS_ND_MAP: return cut_map(c, n);
    case FS_ND_VIEW: return cut_view(c, n);
    case FS_ND_UPDATE: return cut_update(c, n);
    case FS_ND_LIB: return cut_call(c, n);
    case FS_ND_REDUCE:
      if (c->at[n->src[0]].axis >= 0) return cut_reduce(c, n);
      return (struct local){-1, fs_graph_reduce(c->to, n->op, whole(c, n->src[0]), n->axes)};
    default: return cut_other(c, *n);
  }
}

/* -- the whole -------------------------------------------------------------------------- */

/* For tests: whatever is stored is cut along its first axis. */
static bool cuts_all(void) {
  static int known; /* 1: no, 2: yes */
  const char *set = known ? NULL : getenv("FUSIBLE_CUT_ALL");
  if (!known) known = set && *set && strcmp(set, "0") ? 2 : 1;
  return known == 2;
}

/* Of what each rank can make its part of, without making all of it. */
static bool lies_by_rows(const struct fs_graph *g, fs_id id, const struct fs_links *links) {
  const struct fs_node *n = fs_node(g, id);
  bool made = n->kind == FS_ND_MAP || n->kind == FS_ND_IOTA || n->kind == FS_ND_RAND ||
              n->kind == FS_ND_RANDN || n->kind == FS_ND_VIEW;
  return links && made && fs_lay_pays(&n->shape, n->dtype, links);
}

bool fs_graph_is_cut(const struct fs_graph *g, const struct fs_links *links) {
  if (fs_ranks() == 1) return false;
  if (cuts_all()) return true;
  FS_EACH_AT(&g->outputs, id)
    if (lies_by_rows(g, *id, links)) return true;
  FS_EACH_AT(&g->inputs, in)
    if (in->cut.part) return true;
  FS_EACH_AT(&g->nodes, n)
    if (n->kind == FS_ND_LIB && n->op == FS_LIB_LAY) return true;
  return false;
}

bool fs_graph_wants_whole(const struct fs_graph *g, int input) {
  const struct fs_graph_input *in = &g->inputs.data[input];
  struct fs_layout own;
  struct fs_cut_whole unused;
  if (!in->cut.part) return false;
  for (int id = 1; id < g->nodes.len; id++) {
    const struct fs_node *n = fs_node(g, (fs_id)id);
    if (n->kind == FS_ND_INPUT && n->slot == input &&
        fs_cut_axis(&in->cut, &n->shape, &in->layout, &own) < 0 &&
        !fs_cut_view(&in->cut, &n->shape, &in->layout, &unused))
      return true;
    if (n->kind == FS_ND_TABLE && fs_node(g, n->src[0])->slot == input) return true;
  }
  return false;
}

/* Outputs that are the same of one rank, but cut in one and whole in the other, are two. */
static void put_outputs(struct cutter *c) {
  const struct fs_graph *g = c->from;
  for (int k = 0; k < g->outputs.len; k++) {
    struct local *l = &c->at[g->outputs.data[k]];
    fs_id own = l->own;
    int axis = l->axis;
    if (axis < 0 && ((cuts_all() && fs_node(g, g->outputs.data[k])->shape.rank) ||
                     lies_by_rows(g, g->outputs.data[k], c->links))) {
      axis = 0;
      own = part(c, g->outputs.data[k], 0, 0);
    }
    for (int j = 0; j < k && axis >= 0; j++) {
      const struct fs_shape *s = &fs_node(g, g->outputs.data[j])->shape;
      if (c->to->outputs.data[j] != own) continue;
      if (c->to->output_axes.data[j] == axis &&
          s->dim[axis] == fs_node(g, g->outputs.data[k])->shape.dim[axis])
        continue;
      axis = -1;
      own = whole(c, g->outputs.data[k]);
    }
    fs_graph_output(c->to, own, g->output_names.data[k]);
    *FS_PUSH(&c->to->output_axes) = axis;
    *FS_PUSH(&c->to->output_extents) =
        axis < 0 ? 0 : fs_node(g, g->outputs.data[k])->shape.dim[axis];
  }
}

struct fs_graph *fs_graph_partition(const struct fs_graph *g, const struct fs_links *links) {
  struct cutter c = {.from = g, .to = fs_graph_new(), .links = links};
  int segment = 0;
  c.at = fs_calloc((size_t)g->nodes.len, sizeof *c.at);
  for (int k = 0; k < g->params.len; k++) {
    *FS_PUSH(&c.to->params) = g->params.data[k];
    *FS_PUSH(&c.to->literals) = g->literals.data[k];
  }
  for (int id = 1; id < g->nodes.len; id++) {
    for (; segment < g->barriers.len && g->barriers.data[segment] <= (fs_id)id; segment++)
      *FS_PUSH(&c.to->barriers) = (fs_id)c.to->nodes.len;
    fs_graph_come_from(c.to, fs_node(g, (fs_id)id));
    struct local made = cut_node(&c, fs_node(g, (fs_id)id));
    c.at[id] = made;
  }
  put_outputs(&c);
  free(c.at);
  return c.to;
}

void fs_graph_place(struct fs_graph *g) {
  FS_EACH_AT(&g->inputs, in) {
    int64_t by = in->layout.per_rank * fs_rank();
    in->layout.offset += by;
    if (in->anchored) in->anchor += by;
    in->layout.per_rank = 0;
  }
  FS_EACH_AT(&g->nodes, n) {
    n->rand_base += n->rand_per_rank * fs_rank();
    n->rand_per_rank = 0;
  }
}
