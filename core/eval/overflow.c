/* overflow.c - sums and products of integers that leave their type are told of.
 *
 * Integers wrap around, so a sum w is right but for a multiple of 2^64. Beside it, in the same trip
 * over the data, the upper halves of the elements are summed: h. The lower halves of fewer than 2^31
 * elements sum up to less than 2^63, which is what w - 2^32*h is exactly. With its upper half h is the
 * true sum over 2^32, rounded down, and w wrapped around where that is not its own upper half.
 *
 * Products, and sums of products that may wrap around themselves, have the same elements put together
 * in f64 beside them: v. Of n elements in t steps v
 * is further from the true value than 2^63 only if n*t is above 2^52, and a product that fits has
 * 63 factors at most that are not -1, 0 or 1. So |w - v| >= 2^63 says that w wrapped around,
 * whatever the order of the sum is. Of the products in a matrix product v has those of the
 * factors in f64: they are told of as well.
 *
 * A block has one word for all of its sums, which is computed where they are and read when the
 * block has run. */
#include "core/eval/overflow.h"

void fs_overflow_keep(struct fs_interp *in, fs_id reduction) {
  const struct fs_node *n = fs_node(in->graph, reduction);
  if (!in->overflow || in->explain || in->loading_prelude || n->kind != FS_ND_REDUCE) return;
  if ((n->op != FS_RD_SUM && n->op != FS_RD_PROD) || !fs_dtype_is_integer(n->dtype)) return;
  if (fs_graph_fits(in->graph, reduction)) return;
  for (int k = 0; k < in->sums.len; k++)
    if (in->sums.data[k].node == reduction) return;
  *FS_PUSH(&in->sums) = (struct fs_kept_sum){reduction, n->span, n->op == FS_RD_PROD, n->dtype};
}

static fs_id number(struct fs_graph *g, enum fs_dtype dt, double x) {
  return fs_graph_literal(g, dt, fs_number_of_real(x));
}

static fs_id map(struct fs_graph *g, enum fs_map_op op, fs_id a, fs_id b) {
  return fs_graph_map(g, op, 2, (fs_id[]){a, b}, FS_F64);
}

/* A factor of a product of matrices was converted before; from what it was it is the same. */
static fs_id in_double(struct fs_graph *g, fs_id id) {
  const struct fs_node n = *fs_node(g, id);
  bool product = n.kind == FS_ND_MAP && n.op == FS_OP_MUL;
  if (product) return map(g, FS_OP_MUL, in_double(g, n.src[0]), in_double(g, n.src[1]));
  if (n.kind == FS_ND_MAP && n.op == FS_OP_CAST) {
    enum fs_dtype from = fs_node(g, n.src[0])->dtype;
    if (from != n.dtype && fs_dtype_promote(from, n.dtype) == n.dtype && n.dtype == FS_I64)
      id = n.src[0];
  }
  return fs_graph_cast(g, id, FS_F64);
}

static bool goes_by_halves(const struct fs_graph *g, const struct fs_node *n) {
  const struct fs_node *src = fs_node(g, n->src[0]);
  double count = 1;
  for (int k = 0; k < src->shape.rank; k++)
    if (n->axes >> k & 1) count *= (double)src->shape.dim[k];
  bool product = src->kind == FS_ND_MAP && src->op == FS_OP_MUL;
  return n->op == FS_RD_SUM && (n->dtype == FS_I64 || n->dtype == FS_U64) && count < 0x1p31 &&
         src->dtype == n->dtype && (!product || fs_graph_product_fits(g, n->src[0]));
}

/* Where the upper half of the sum is not what the upper halves come to. */
static fs_id halves_differ(struct fs_graph *g, fs_id sum, const struct fs_node *n) {
  fs_id x = n->src[0], half = fs_graph_map(g, FS_OP_HIGHBITS, 1, &x, n->dtype);
  fs_id h = fs_graph_reduce(g, FS_RD_SUM, half, n->axes);
  fs_id lower = map(g, FS_OP_SUB, sum, map(g, FS_OP_MUL, h, number(g, n->dtype, 0x1p32)));
  lower = fs_graph_map(g, FS_OP_HIGHBITS, 1, &lower, n->dtype);
  fs_id own = fs_graph_map(g, FS_OP_HIGHBITS, 1, &sum, n->dtype);
  return map(g, FS_OP_NE, map(g, FS_OP_ADD, h, lower), own);
}

/* Whether an element of the reduction wrapped around. */
static fs_id wrapped(struct fs_graph *g, fs_id reduction) {
  const struct fs_node n = *fs_node(g, reduction);
  unsigned all = (1u << n.shape.rank) - 1;
  fs_graph_come_from(g, &n);
  if (goes_by_halves(g, &n)) {
    fs_id far = halves_differ(g, reduction, &n);
    return all ? fs_graph_reduce(g, FS_RD_ANY, far, all) : far;
  }
  fs_id v = fs_graph_reduce(g, (enum fs_reduce_op)n.op, in_double(g, n.src[0]), n.axes);
  fs_id apart = map(g, FS_OP_SUB, fs_graph_cast(g, reduction, FS_F64), v);
  apart = fs_graph_map(g, FS_OP_ABS, 1, &apart, FS_F64);
  fs_id far = map(g, FS_OP_GE, apart, number(g, FS_F64, 0x1p63));
  return all ? fs_graph_reduce(g, FS_RD_ANY, far, all) : far;
}

/* What the results so far are computed from. */
static bool *find_needed(const struct fs_graph *g) {
  bool *needed = fs_calloc((size_t)g->nodes.len, sizeof *needed);
  for (int k = 0; k < g->outputs.len; k++) needed[g->outputs.data[k]] = true;
  for (fs_id id = (fs_id)g->nodes.len - 1; id > 0; id--)
    for (int k = 0; needed[id] && k < fs_node(g, id)->n_src; k++)
      if (fs_node(g, id)->src[k]) needed[fs_node(g, id)->src[k]] = true;
  return needed;
}

struct fs_tensor *fs_overflow_word(struct fs_interp *in) {
  struct fs_graph *g = in->graph;
  if (!in->sums.len) return NULL;
  bool *needed = find_needed(g);
  fs_id word = 0;
  for (int k = in->sums.len - 1; k >= 0; k--) {
    fs_id sum = in->sums.data[k].node;
    if (!needed[sum]) continue;
    fs_id here = number(g, FS_I64, k + 1), none = word ? word : number(g, FS_I64, 0);
    word = fs_graph_map(g, FS_OP_WHERE, 3, (fs_id[]){wrapped(g, sum), here, none}, FS_I64);
  }
  free(needed);
  if (!word) return NULL;
  struct fs_tensor *t = fs_tensor_lazy(g, word, &(struct fs_shape){0});
  *FS_PUSH(&in->handles) = t;
  fs_graph_output(g, word, NULL);
  return in->word = fs_tensor_ref(t);
}

static enum fs_status tell(struct fs_interp *in, const struct fs_kept_sum *s) {
  return fs_error(in->diags, s->span, "integer-overflow",
                  s->product ? "prod(f64(x)) has no such end" : "sum(f64(x)) has no such end",
                  "this %s is beyond %s: it wraps around", s->product ? "product" : "sum",
                  fs_dtype_name(s->dtype));
}

enum fs_status fs_overflow_look(struct fs_interp *in) {
  struct fs_tensor *t = in->word;
  int64_t first[FS_MAX_RANK] = {0}, count[FS_MAX_RANK], k = 0;
  if (!t) return FS_OK;
  for (int d = 0; d < FS_MAX_RANK; d++) count[d] = 1;
  enum fs_status st = FS_OK;
  if (t->state == FS_TS_STORED) st = fs_tensor_download(t, first, count, &k, in->diags);
  if (st == FS_OK && k > 0 && k <= in->sums.len) st = tell(in, &in->sums.data[k - 1]);
  fs_overflow_drop(in);
  return st;
}

void fs_overflow_drop(struct fs_interp *in) {
  fs_tensor_unref(in->word);
  in->word = NULL;
  in->sums.len = 0;
}
