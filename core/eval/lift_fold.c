/* lift_fold.c - all rounds of some loops of a nest as one value. */
#include "core/eval/lift_lane.h"

#include <math.h>

struct fs_tv fs_lift_identity(struct fs_lift_tracer *t, enum fs_reduce_op op, enum fs_dtype dt) {
  bool most = op == FS_RD_MINR, least = op == FS_RD_MAXR;
  double x = op == FS_RD_PROD || op == FS_RD_ALL;
  struct fs_number v = {.f = most ? INFINITY : least ? -INFINITY : x, .i = (int64_t)x};
  if (most) v.i = fs_dtype_most(dt);
  if (least) v.i = fs_dtype_least(dt);
  if (dt == FS_BOOL) v.f = (double)(v.i = most || x != 0);
  fs_id id = fs_graph_param(fs_block_graph(t->in), dt, v);
  return (struct fs_tv){id, dt, fs_shape_scalar()};
}

struct fs_lane fs_lift_rounds(struct fs_lift_tracer *t, int l) {
  struct fs_lane out = {.kind = FS_LANE_COUNT, .affine = fs_lift_constant(1)};
  int64_t count = t->n->loops.data[t->n->items.data[t->at].loops[l]].count;
  out.affine.k[l] = 1;
  out.least = 1;
  out.most = (double)count;
  out.last = (struct fs_scalar){.x = out.most, .kind = FS_SC_INT};
  return out;
}

struct fs_tv fs_lift_reduced(struct fs_lift_tracer *t, enum fs_reduce_op op, struct fs_tv value,
                             unsigned over) {
  const struct fs_lift_item *it = &t->n->items.data[t->at];
  over &= (1u << it->depth) - 1;
  struct fs_shape full = {FS_LIFT_DEPTH, {1, 1, 1, 1}}, kept;
  unsigned axes = 0;
  for (int l = 0; l < FS_LIFT_DEPTH; l++) {
    full.dim[l] = fs_shape_dim(&value.shape, l);
    if (over >> l & 1) full.dim[l] = t->n->loops.data[it->loops[l]].count;
  }
  kept = full;
  for (int l = 0, place = 0; l < FS_LIFT_DEPTH; l++) {
    if (over >> l & 1 && full.dim[l] > 1) axes |= 1u << place;
    if (over >> l & 1) kept.dim[l] = 1;
    place += full.dim[l] > 1;
  }
  if (!axes) return (struct fs_tv){value.node, value.dtype, kept};
  struct fs_graph *g = fs_block_graph(t->in);
  value.node = fs_tv_spread(t->in, &value, &full);
  if (!fs_node(g, value.node)->shape.rank) value = fs_tv_repeat(t->in, value.node, &full);
  fs_id id = fs_graph_reduce(g, op, value.node, axes);
  struct fs_tv out = {id, fs_node(g, id)->dtype, kept};
  return out;
}

struct fs_tv fs_lift_first(struct fs_lift_tracer *t, int at) {
  const struct fs_lift_item *it = &t->n->items.data[at];
  int l = it->depth - 1;
  t->at = at;
  struct fs_lane round = fs_lift_rounds(t, l);
  double count = (double)t->n->loops.data[it->loops[l]].count;
  struct fs_tv none = fs_tv_number(t->in, count + 1, FS_I64);
  struct fs_tv place = fs_tv_choose(t->in, fs_lane_tv(t, &t->lanes[at]), fs_lane_tv(t, &round), none);
  return fs_lift_reduced(t, FS_RD_MINR, place, 1u << l);
}
