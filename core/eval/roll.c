/* roll.c - circshift: elements moved on along dimensions, the last first.
 *
 *   circshift(x, 1)[i, j] = x[i - 1, j; wrapped]
 *
 * Of an array that is stored it is a choice of two views along each dimension, which kernels that
 * use it read by offsets; of what a block computes a copy of two parts. */
#include <math.h>
#include <stdlib.h>

#include "core/eval/builtins.h"

struct roll {
  struct fs_interp *in;
  int64_t by[FS_MAX_RANK]; /* places, from 0 to less than the extent */
};

static bool is_literal(const struct fs_graph *g, fs_id id, int64_t x) {
  const struct fs_node *n = fs_node(g, id);
  return n->kind == FS_ND_PARAM && g->literals.data[n->slot] >= 0 && g->params.data[n->slot].i == x;
}

/* The mask that first_ones() has made before: of all stencils of a block there is one for each
 * border. The places are part of the graph in any case, as the offsets of what is read. */
static fs_id made_before(const struct fs_graph *g, int64_t extent, int64_t count) {
  for (fs_id id = (fs_id)g->nodes.len - 1; id > 0; id--) {
    const struct fs_node *n = fs_node(g, id), *i = fs_node(g, n->src[0]);
    if (n->kind == FS_ND_MAP && n->op == FS_OP_LT && i->kind == FS_ND_IOTA && !i->rand_base &&
        i->rand_stride[0] == 1 && n->shape.rank == 1 && n->shape.dim[0] == extent &&
        is_literal(g, i->src[0], 0) && is_literal(g, i->src[1], 1) &&
        is_literal(g, n->src[1], count))
      return id;
  }
  return 0;
}

/* Where the first `count` places of dimension d are, over all of a shape. */
static struct fs_tv first_ones(struct fs_interp *in, const struct fs_shape *shape, int d,
                               int64_t count) {
  struct fs_graph *g = fs_block_graph(in);
  struct fs_tv mask = {made_before(g, shape->dim[d], count), FS_BOOL, {.rank = shape->rank}};
  for (int k = 0; k < shape->rank; k++) mask.shape.dim[k] = k == d ? shape->dim[d] : 1;
  if (mask.node) return mask;
  fs_id from = fs_tv_literal(in, 0, FS_I64).node, step = fs_tv_literal(in, 1, FS_I64).node;
  fs_id i = fs_graph_iota(g, FS_I64, shape->dim[d], from, step);
  fs_id end = fs_tv_literal(in, (double)count, FS_I64).node;
  mask.node = fs_graph_map(g, FS_OP_LT, 2, (fs_id[]){i, end}, FS_BOOL);
  return mask;
}

/* What is stored, from dimension d on: *at is how it lies. */
static struct fs_tv choose_from(struct roll *r, const struct fs_tv *x, int d, struct fs_layout at) {
  int axis_of[FS_MAX_RANK];
  struct fs_shape sq = fs_squeeze(&x->shape, axis_of);
  while (d < x->shape.rank && !r->by[d]) d++;
  if (d == x->shape.rank)
    return (struct fs_tv){fs_graph_loose(fs_block_graph(r->in), x->node, &at, &sq), x->dtype,
                          x->shape};
  struct fs_layout last = at;
  int64_t stride = at.stride[axis_of[d]];
  at.offset -= r->by[d] * stride;
  last.offset += (x->shape.dim[d] - r->by[d]) * stride;
  struct fs_tv front = choose_from(r, x, d + 1, last), rest = choose_from(r, x, d + 1, at);
  return fs_tv_choose(r->in, first_ones(r->in, &x->shape, d, r->by[d]), front, rest);
}

/* The places from `first` on of dimension d. */
static struct fs_tv slice(struct fs_interp *in, const struct fs_tv *x, int d, int64_t first,
                          int64_t count) {
  int from[FS_MAX_RANK], to[FS_MAX_RANK];
  struct fs_shape sq = fs_squeeze(&x->shape, from);
  struct fs_tv out = *x;
  struct fs_view v = {.src_rank = sq.rank};
  out.shape.dim[d] = count;
  struct fs_shape part = fs_squeeze(&out.shape, to);
  for (int k = 0; k < x->shape.rank; k++) {
    if (from[k] < 0) continue;
    v.axis[from[k]] = (int8_t)to[k];
    v.step[from[k]] = to[k] >= 0;
    v.off[from[k]] = k == d ? first : 0;
  }
  out.node = fs_graph_view(fs_block_graph(in), x->node, &v, &part);
  return out;
}

static enum fs_status copy_along(struct roll *r, struct fs_call *c, struct fs_tv *x) {
  struct fs_span spans[2] = {c->span, c->span};
  for (int d = 0; d < x->shape.rank; d++) {
    int64_t n = x->shape.dim[d], k = r->by[d];
    if (!k) continue;
    struct fs_tv parts[2] = {slice(r->in, x, d, n - k, k), slice(r->in, x, d, 0, n - k)};
    enum fs_status st = fs_tv_concat(r->in, d + 1, 2, parts, spans, c->span, x);
    if (st != FS_OK) return st;
  }
  return FS_OK;
}

/* A scalar that is stored, a number, or what is computed of such; the block goes on. */
static bool peek(struct fs_call *c, fs_id id, double *out) {
  const struct fs_graph *g = fs_block_graph(c->in);
  struct fs_node n = *fs_node(g, id);
  struct fs_shape one = fs_shape_scalar();
  double x[3];
  if (n.shape.rank) return false;
  if (n.kind == FS_ND_PARAM) {
    struct fs_number p = g->params.data[n.slot];
    *out = fs_dtype_is_integer(n.dtype) ? fs_dtype_real_of(n.dtype, p.i) : p.f;
    return true;
  }
  if (n.kind == FS_ND_INPUT) {
    struct fs_val v = fs_block_value(c->in, id, &one);
    bool good = fs_read_number(c->in, &v, c->span, "it", out) == FS_OK;
    fs_val_unref(v);
    return good;
  }
  if (n.kind != FS_ND_MAP || n.op == FS_OP_USER) return false;
  for (int k = 0; k < n.n_src; k++)
    if (!peek(c, n.src[k], &x[k])) return false;
  *out = fs_map_number((enum fs_map_op)n.op, x);
  return true;
}

/* The same of [0, cy[i], cx[i]], which puts scalars in its places. */
static bool peek_all(struct fs_call *c, const struct fs_tv *t, double **out, int64_t *count) {
  int64_t n = fs_shape_count(&t->shape);
  bool put[FS_MAX_RANK] = {false}, good = n <= FS_MAX_RANK;
  double x[FS_MAX_RANK];
  fs_id id = t->node;
  for (int left = FS_MAX_RANK; good && left && id; left--) {
    struct fs_node u = *fs_node(fs_block_graph(c->in), id);
    if (!u.shape.rank) {
      good = n == 1 && peek(c, id, x);
      put[0] = good;
      break;
    }
    int64_t at = u.view.off[0];
    good = u.kind == FS_ND_UPDATE && u.shape.rank == 1 && u.view.axis[0] < 0 && at < n;
    if (good && !put[at]) good = put[at] = peek(c, u.src[1], &x[at]);
    id = u.src[0];
  }
  for (int64_t k = 0; good && k < n; k++) good = put[k];
  if (!good) return false;
  *count = n;
  *out = fs_calloc((size_t)n, sizeof **out);
  memcpy(*out, x, sizeof **out * (size_t)n);
  return true;
}

/* The places of argument 1: one, or one for each of the first dimensions. */
static enum fs_status read_places(struct fs_call *c, double **by, int64_t *n) {
  struct fs_tv t;
  enum fs_status st = FS_OK;
  if (c->args[1].kind == FS_V_NUMBER) {
    *by = fs_calloc(1, sizeof **by);
    **by = c->args[1].number;
    *n = 1;
  } else if ((st = fs_arg_tv(c, 1, &t)) == FS_OK && !peek_all(c, &t, by, n)) {
    struct fs_val v = fs_tv_value(c->in, &t);
    st = fs_read_all(c->in, v.tensor, by, n);
    fs_val_unref(v);
  }
  for (int64_t k = 0; st == FS_OK && k < *n; k++)
    if ((*by)[k] != floor((*by)[k]) || fabs((*by)[k]) > 0x1p53)
      st = fs_in_error(c->in, c->arg_spans[1], "wrong-type", "round(k) is the nearest whole number",
                       "circshift moves by whole places");
  return st;
}

static void add_places(struct roll *r, const struct fs_tv *x, int d, double by) {
  int64_t n = d < x->shape.rank ? x->shape.dim[d] : 1;
  if (n < 2) return;
  int64_t k = (int64_t)fmod(by, (double)n);
  r->by[d] = k < 0 ? k + n : k;
}

static enum fs_status places_along(struct fs_call *c, struct fs_tv *x, struct roll *r) {
  double *by = NULL;
  int64_t n = 0;
  unsigned dims = 0;
  struct fs_call of = *c; /* the dimension is one of the first argument */
  struct fs_val args[2] = {c->args[0], c->args[c->n - 1]};
  struct fs_span spans[2] = {c->arg_spans[0], c->arg_spans[c->n - 1]};
  of.args = args;
  of.arg_spans = spans;
  of.n = 2;
  int64_t longest = 1;
  for (int d = 0; d < x->shape.rank; d++) longest = FS_MAX(longest, x->shape.dim[d]);
  enum fs_status st = read_places(c, &by, &n);
  if (st == FS_OK && c->n == 3) st = fs_arg_dims(&of, 1, &dims);
  bool empty = !fs_shape_count(&x->shape);
  if (st == FS_OK && !empty && c->n == 2 && n == 1 && fs_shape_count(&x->shape) != longest)
    st = fs_in_error(c->in, c->span, "wrong-count",
                     "circshift(A, [k, l]) moves down by k and on by l, circshift(A, k, 1) down",
                     "a matrix has more than one dimension to go along");
  if (st == FS_OK && (n < 1 || n > FS_MAX(x->shape.rank, 1)) && !dims)
    st = fs_in_error(c->in, c->arg_spans[1], "wrong-count", NULL,
                     "there are more places than dimensions: %s is %s",
                     fs_in_text(c->in, c->arg_spans[0]), fs_shape_text(&x->shape));
  if (st == FS_OK && dims >> FS_MAX(x->shape.rank, 1))
    st = fs_in_error(c->in, c->arg_spans[2], "bad-dimension", NULL,
                     "circshift goes along a dimension that there is: %s is %s",
                     fs_in_text(c->in, c->arg_spans[0]), fs_shape_text(&x->shape));
  for (int d = 0; st == FS_OK && !empty && d < FS_MAX_RANK; d++) {
    if (dims) {
      if (dims >> d & 1) add_places(r, x, d, by[0]);
    } else if (n > 1 ? d < n : fs_shape_dim(&x->shape, d) == longest) {
      add_places(r, x, d, by[n > 1 ? d : 0]);
      if (n == 1) break;
    }
  }
  free(by);
  return st;
}

enum fs_status fs_bi_circshift(struct fs_call *c) {
  struct fs_tv x;
  struct roll r = {.in = c->in};
  enum fs_status st = fs_arg_tv(c, 0, &x);
  if (st == FS_OK) st = places_along(c, &x, &r);
  if (st == FS_OK) st = fs_arg_tv(c, 0, &x); /* to read the places may end the block */
  if (st != FS_OK) return st;
  const struct fs_graph *g = fs_block_graph(c->in);
  const struct fs_node *n = fs_node(g, x.node);
  bool some = false;
  for (int d = 0; d < FS_MAX_RANK; d++) some |= r.by[d] != 0;
  if (some && n->kind == FS_ND_INPUT && n->shape.rank)
    x = choose_from(&r, &x, 0, g->inputs.data[n->slot].layout);
  else if (some)
    st = copy_along(&r, c, &x);
  return st == FS_OK ? fs_give(c, x) : st;
}
