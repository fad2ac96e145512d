/* centred.c - sums of squares about a mean that are made in one pass with the mean.
 *
 *   sum((A - v).^2, d), v made of sum(A, d)  ->  q - 2*w*s + n*w^2
 *
 * with D = f64(A) - a, s = sum(D, d), q = sum(D.^2, d), w = f64(v) - a, where a is the first element
 * of A along d. It holds for every v. (a - mean)^2 <= n*variance, so q is at most n + 1 times what is
 * left, and rounding comes to some n*2^-53 of it. */
#include "core/graph/internal.h"

enum { STEPS = 4 }; /* maps between the sum and v */

/* Whether v is made of the sum of `a` along the axes, and of numbers. */
static bool is_of_sum(const struct fs_graph *g, fs_id v, fs_id a, unsigned axes, int steps) {
  const struct fs_node *n = fs_node(g, v);
  if (n->kind == FS_ND_REDUCE) return n->op == FS_RD_SUM && n->src[0] == a && n->axes == axes;
  if (n->kind != FS_ND_MAP || n->user || !steps) return false;
  bool found = false;
  for (int k = 0; k < n->n_src; k++) found |= is_of_sum(g, n->src[k], a, axes, steps - 1);
  return found;
}

/* The difference whose squares a reduction sums up, or NULL. */
static const struct fs_node *difference(const struct fs_graph *g, const struct fs_node *reduce) {
  if (reduce->kind != FS_ND_REDUCE || reduce->op != FS_RD_SUM || reduce->dtype != FS_F32)
    return NULL;
  const struct fs_node *square = fs_node(g, reduce->src[0]);
  if (square->kind != FS_ND_MAP || square->op != FS_OP_SQUARE) return NULL;
  const struct fs_node *x = fs_node(g, square->src[0]);
  return x->kind == FS_ND_MAP && x->op == FS_OP_SUB ? x : NULL;
}

bool fs_graph_is_centred(const struct fs_graph *g, const struct fs_node *reduce) {
  const struct fs_node *x = difference(g, reduce);
  if (!x) return false;
  const struct fs_node *v = fs_node(g, x->src[1]);
  fs_id a = x->src[0];
  if (v->kind != FS_ND_VIEW || fs_node(g, a)->dtype != FS_F32 || fs_node_is_fill(fs_node(g, a)))
    return v->kind == FS_ND_MAP && !v->shape.rank && is_of_sum(g, x->src[1], a, reduce->axes, STEPS);
  for (int k = 0; k < v->view.src_rank; k++) /* the same along what is summed over */
    if (v->view.axis[k] < 0 || reduce->axes >> v->view.axis[k] & 1) return false;
  return is_of_sum(g, v->src[0], a, reduce->axes, STEPS);
}

/* The axis of the result that axis k of what is summed is. */
static int8_t axis_left(unsigned axes, int k) {
  return (int8_t)__builtin_popcount(~axes & ((1u << k) - 1));
}

fs_id fs_graph_centred(struct fs_graph *g, const struct fs_node *reduce) {
  const struct fs_node x = *difference(g, reduce);
  const unsigned axes = reduce->axes;
  const struct fs_shape whole = fs_node(g, x.src[0])->shape;
  struct fs_shape left = {0};
  struct fs_view first = {.src_rank = whole.rank}, down = first;
  for (int k = 0; k < whole.rank; k++) {
    bool summed = axes >> k & 1;
    first.axis[k] = summed ? -1 : (int8_t)k, down.axis[k] = summed ? -1 : axis_left(axes, k);
    first.step[k] = down.step[k] = !summed;
    if (!summed) left.dim[left.rank++] = whole.dim[k];
  }
  struct fs_node v = *fs_node(g, x.src[1]);
  fs_id mean = x.src[1];
  for (int k = 0; v.kind == FS_ND_VIEW && k < v.view.src_rank; k++)
    v.view.axis[k] = axis_left(axes, v.view.axis[k]);
  if (v.kind == FS_ND_VIEW) mean = fs_graph_view(g, v.src[0], &v.view, &left);
  double n = (double)fs_shape_count(&whole) / (double)fs_shape_count(&left);
  fs_id begin = fs_graph_cast(g, fs_graph_view(g, x.src[0], &first, &whole), FS_F64);
  fs_id at = fs_graph_cast(g, fs_graph_view(g, x.src[0], &down, &left), FS_F64);
#define MAP(op, a, b) fs_graph_map(g, FS_OP_##op, 2, (fs_id[]){a, b}, FS_F64)
  fs_id d = MAP(SUB, fs_graph_cast(g, x.src[0], FS_F64), begin);
  fs_id s = fs_graph_reduce(g, FS_RD_SUM, d, axes);
  fs_id q = fs_graph_reduce(g, FS_RD_SUM, fs_graph_map(g, FS_OP_SQUARE, 1, &d, FS_F64), axes);
  fs_id w = MAP(SUB, fs_graph_cast(g, mean, FS_F64), at);
  fs_id all = fs_graph_extent(g, FS_F64, n);
  fs_id rest = MAP(SUB, MAP(ADD, s, s), MAP(MUL, all, w));
  return fs_graph_cast(g, MAP(SUB, q, MAP(MUL, w, rest)), FS_F32);
#undef MAP
}
