/* linalg.c - what `*`, `\`, `^` and the factorisations mean.
 *
 * Products with a vector are a map over the matrix and a reduction, so that they
 * fuse; only matrix * matrix is a library call.
 *
 *   A*p     reduce sum over j of A[i,j] .* p[j]        x'*y   sum of x .* y
 *   x'*A    reduce sum over i of x[i] .* A[i,j]        x*y'   x[i] .* y[j]
 */
#include <math.h>
#include <stdio.h>

#include "core/eval/trace.h"

/* -- products -------------------------------------------------------------- */

static enum fs_status product_error(struct fs_interp *in, struct fs_tv a,
                                    struct fs_span a_span, struct fs_tv b,
                                    struct fs_span b_span,
                                    struct fs_span span) {
  const char *x = fs_in_text(in, a_span), *y = fs_in_text(in, b_span);
  const char *p = fs_in_operand(in, a_span), *q = fs_in_operand(in, b_span);
  char hint[300];
  if (a.shape.rank > 2 || b.shape.rank > 2) {
    struct fs_shape ma = fs_matrix_of(&a.shape), mb = fs_matrix_of(&b.shape);
    if (ma.dim[1] == mb.dim[0])
      snprintf(hint, sizeof hint, "dimensions before the last two are counted from the right, "
                                  "and must be equal, or 1 to be repeated");
    else
      snprintf(hint, sizeof hint, "* multiplies the matrices in the last two dimensions: those of "
               "%s need %lld row%s", q, (long long)ma.dim[1], ma.dim[1] == 1 ? "" : "s");
  } else if (a.shape.rank == 1 && b.shape.rank == 1) {
    bool same = a.shape.dim[0] == b.shape.dim[0];
    snprintf(hint, sizeof(hint),
             same ? "two columns: %s.*%s is elementwise, %s*%s the dot product"
                  : "two columns: %s*%s is the outer product", p, same ? q : fs_in_transposed(in, b_span),
             fs_in_transposed(in, a_span), q);
    return fs_in_error(in, span, "column-times-column", hint,
                       "cannot multiply two columns: %s is %s, %s is %s", x,
                       fs_shape_text(&a.shape), y, fs_shape_text(&b.shape));
  } else if (fs_shape_equal(&a.shape, &b.shape)) {
    snprintf(hint, sizeof(hint), "%s.*%s is elementwise, %s*%s a product of matrices", p, q, p,
             fs_in_transposed(in, b_span));
  } else if (fs_cols(&a.shape) == fs_cols(&b.shape)) {
    snprintf(hint, sizeof(hint), "transposed it would fit: %s*%s", p,
             fs_in_transposed(in, b_span));
  } else if (fs_rows(&a.shape) == fs_rows(&b.shape)) {
    snprintf(hint, sizeof(hint), "transposed it would fit: %s*%s",
             fs_in_transposed(in, a_span), q);
  } else {
    snprintf(hint, sizeof(hint), "%s*%s needs %s to have %lld row%s", x, y, y,
             (long long)fs_cols(&a.shape), fs_cols(&a.shape) == 1 ? "" : "s");
  }
  return fs_in_error(in, span, "shape-mismatch", hint,
                     "shapes do not fit for *: %s is %s, %s is %s", x,
                     fs_shape_text(&a.shape), y, fs_shape_text(&b.shape));
}

/* A matrix operand of a library call, perhaps as the transpose of what lies in
 * memory: then *trans. */
static fs_id library_operand(struct fs_interp *in, struct fs_tv *a,
                             bool *trans) {
  struct fs_graph *g = fs_block_graph(in);
  const struct fs_node *nd = fs_node(g, a->node);
  *trans = false;
  if (nd->shape.rank != 2) return a->node;
  if (nd->kind == FS_ND_INPUT) {
    const struct fs_layout *l = &g->inputs.data[nd->slot].layout;
    *trans = l->stride[0] == 1 && l->stride[1] != 1;
  } else if (nd->kind == FS_ND_VIEW) {
    const struct fs_view *v = &nd->view;
    *trans = v->src_rank == 2 && v->axis[0] == 1 && v->axis[1] == 0 &&
             v->step[0] == 1 && v->step[1] == 1;
  }
  if (*trans) *a = fs_tv_transpose(in, *a);
  return a->node;
}

/* In the common type, as products with vectors are. Two matrices of half precision go to
 * the library as such: its sums are f32 (a GPU's from matrix units, ten times as fast as
 * those of f32), rounded once. */
static struct fs_tv gemm(struct fs_interp *in, struct fs_tv a, struct fs_tv b) {
  enum fs_dtype dt = fs_dtype_promote(a.dtype, b.dtype);
  bool ta, tb;
  struct fs_tv out = {0, dt, {2, {fs_rows(&a.shape), fs_cols(&b.shape)}}};
  a = fs_tv_cast(in, a, dt);
  b = fs_tv_cast(in, b, dt);
  fs_id x = library_operand(in, &a, &ta), y = library_operand(in, &b, &tb);
  out.node = fs_graph_lib(fs_block_graph(in), FS_LIB_GEMM, dt, &out.shape, x,
                          &a.shape, y, &b.shape, (unsigned)(ta | tb << 1));
  return out;
}

/* Whether a product is so small that a library takes longer to be called than it computes,
 * 4 x 4 matrices and what has no more products. As a sum it fuses with what is around it. */
static bool is_tiny(int64_t m, int64_t k, int64_t n, enum fs_dtype dt) {
  enum { PRODUCTS = 64 };
  if (!fs_dtype_is_full(dt)) return false;
  return m <= PRODUCTS && k <= PRODUCTS && n <= PRODUCTS && m * k * n <= PRODUCTS;
}

/* Of integer matrices, which no library has, and of tiny ones: the m x k x n products are
 * summed. */
static struct fs_tv summed_product(struct fs_interp *in, struct fs_tv a, struct fs_tv b) {
  int64_t m = fs_rows(&a.shape), k = fs_cols(&a.shape), n = fs_cols(&b.shape);
  a.shape = fs_shape_of(3, (int64_t[]){m, k, 1});
  b.shape = fs_shape_of(3, (int64_t[]){1, k, n});
  struct fs_tv out =
      fs_tv_reduce(in, FS_RD_SUM, fs_tv_map2(in, FS_OP_MUL, a, b), 2);
  out.shape = fs_shape_of(2, (int64_t[]){m, n});
  return out;
}

/* Sums of integer products are i64 (u64), and so is each product: a product that wrapped
 * around in i32 would be lost in a sum that had room for it. A column by a row is no
 * sum: it is an outer product, of the elements' own type. */
static struct fs_tv factor_of_sums(struct fs_interp *in, struct fs_tv a,
                                   const struct fs_tv *b) {
  bool outer = fs_cols(&a.shape) == 1 && a.shape.rank == 1;
  enum fs_dtype dt = fs_dtype_promote(a.dtype, b->dtype);
  return outer || fs_dtype_is_float(dt) ? a : fs_tv_cast(in, a, fs_dtype_sum(dt));
}

/* The diagonal of a matrix that has zeros beside it whatever its elements are: diag(w), eye(n),
 * -diag(w)'. A number if all of it is that. */
static bool take_diagonal(struct fs_interp *in, struct fs_tv a, int left, struct fs_tv *d) {
  const struct fs_graph *g = fs_block_graph(in);
  const struct fs_node nd = *fs_node(g, a.node);
  if (left <= 0 || a.shape.rank != 2 || nd.shape.rank != 2 || nd.shape.dim[0] != nd.shape.dim[1])
    return false;
  if (nd.kind == FS_ND_VIEW && nd.view.src_rank == 2) {
    bool turned = nd.view.axis[0] == 1 && nd.view.axis[1] == 0;
    bool whole = fs_shape_equal(&fs_node(g, nd.src[0])->shape, &nd.shape) &&
                 nd.view.step[0] == 1 && nd.view.step[1] == 1;
    a.node = nd.src[0];
    return turned && whole && take_diagonal(in, a, left - 1, d);
  }
  if (nd.kind != FS_ND_MAP) return false;
  if (nd.dtype == FS_BOOL && fs_graph_is_eye(g, a.node)) {
    *d = fs_tv_number(in, 1, FS_BOOL);
    return true;
  }
  bool chosen = nd.op == FS_OP_WHERE;
  if (chosen && !(fs_graph_is_eye(g, nd.src[0]) && fs_graph_is_zero(g, nd.src[2]))) return false;
  if (!chosen && nd.op != FS_OP_CAST && nd.op != FS_OP_NEG) return false;
  fs_id from = nd.src[chosen];
  *d = (struct fs_tv){from, fs_node(g, from)->dtype, fs_node(g, from)->shape};
  if (chosen && d->shape.rank) *d = fs_tv_diagonal(in, *d, 0);
  if (!chosen && !take_diagonal(in, *d, left - 1, d)) return false;
  if (nd.op == FS_OP_NEG) return fs_tv_map(in, FS_OP_NEG, 1, d, &in->span, in->span, "-", d) == FS_OK;
  *d = fs_tv_cast(in, *d, nd.dtype);
  return true;
}

/* Rows, or columns, times the elements of a diagonal: what is 0 beside it is not multiplied. */
static bool scaled_product(struct fs_interp *in, struct fs_tv a, struct fs_tv b,
                           struct fs_tv *out) {
  enum { MOST_DEEP = 8 };
  struct fs_tv left, right;
  bool rows = take_diagonal(in, a, MOST_DEEP, &left);
  bool columns = take_diagonal(in, b, MOST_DEEP, &right);
  int64_t n = fs_cols(&a.shape);
  if (rows && columns) {
    struct fs_tv product = fs_tv_map2(in, FS_OP_MUL, left, right);
    *out = fs_tv_choose(in, fs_tv_eye(in, FS_BOOL, n, n), product,
                        fs_tv_number(in, 0, product.dtype));
  } else if (rows) {
    *out = fs_tv_map2(in, FS_OP_MUL, left, b);
  } else if (columns) {
    *out = fs_tv_map2(in, FS_OP_MUL, a, right.shape.rank ? fs_tv_transpose(in, right) : right);
  }
  return rows || columns;
}

static struct fs_tv matrix_product(struct fs_interp *in, struct fs_tv a,
                                   struct fs_tv b) {
  int64_t m = fs_rows(&a.shape), k = fs_cols(&a.shape), n = fs_cols(&b.shape);
  struct fs_tv out;
  a = factor_of_sums(in, a, &b);
  if (scaled_product(in, a, b, &out)) return out;
  if (k == 1) {
    out = fs_tv_map2(in, FS_OP_MUL, a, b);
  } else if (n == 1) {
    struct fs_tv row = fs_tv_transpose(in, b);
    out = fs_tv_reduce(in, FS_RD_SUM, fs_tv_map2(in, FS_OP_MUL, a, row), 2);
  } else if (m == 1) {
    struct fs_tv col = fs_tv_transpose(in, a);
    out = fs_tv_reduce(in, FS_RD_SUM, fs_tv_map2(in, FS_OP_MUL, col, b), 1);
  } else {
    enum fs_dtype dt = fs_dtype_promote(a.dtype, b.dtype);
    bool library = fs_dtype_is_float(dt) && !is_tiny(m, k, n, dt);
    return library ? gemm(in, a, b) : summed_product(in, a, b);
  }
  bool dot = b.shape.rank == 1 && m == 1;
  if (dot)
    out.shape = fs_shape_scalar();
  else if (b.shape.rank == 1)
    out.shape = fs_shape_of(1, &m);
  else
    out.shape = fs_shape_of(2, (int64_t[]){m, n});
  return out;
}

/* -- batches: matrices are the last two dimensions ---------------------------- */

/* The same elements as batch ++ last, the batch with leading extents of 1 up to `rank`. */
static struct fs_tv spread(struct fs_tv a, int rank, int n, const int64_t *last) {
  struct fs_shape batch = fs_batch_of(&a.shape), tail = fs_shape_of(n, last), all = {.rank = rank};
  for (int k = 0; k < rank; k++)
    all.dim[k] = k < rank - batch.rank ? 1 : batch.dim[k - rank + batch.rank];
  a.shape = fs_batched(&all, &tail);
  return a;
}

/* Whether results are columns or rows, of which one matrix for all does not make a product of
 * matrices that a library is worth. */
static bool is_vector_product(const struct fs_tv *a, const struct fs_tv *b) {
  struct fs_shape of_a = fs_matrix_of(&a->shape), of_b = fs_matrix_of(&b->shape);
  struct fs_shape outer = fs_batch_of(&a->shape), inner = fs_batch_of(&b->shape);
  int64_t m = of_a.dim[0], k = of_a.dim[1], n = of_b.dim[1];
  bool one = (m == 1 && fs_shape_count(&inner) == 1) || (n == 1 && fs_shape_count(&outer) == 1);
  bool small = FS_MAX(k, m * n) <= FS_SMALL_MOST;
  return (m == 1 || n == 1) && (m == n || !one || small);
}

/* Products whose results are a column or a row, and those of integers, are maps and a reduction
 * as far as there are dimensions for them. */
static struct fs_tv batch_product(struct fs_interp *in, struct fs_tv a, struct fs_tv b,
                                  const struct fs_shape *batch) {
  struct fs_shape of_a = fs_matrix_of(&a.shape), of_b = fs_matrix_of(&b.shape);
  int64_t m = of_a.dim[0], k = of_a.dim[1], n = of_b.dim[1];
  struct fs_shape one = {2, {m, n}}, result = fs_batched(batch, &one);
  enum fs_dtype dt = fs_dtype_promote(a.dtype, b.dtype);
  bool summed = !fs_dtype_is_float(dt) || is_vector_product(&a, &b);
  struct fs_tv out;
  if (k == 1) {
    out = fs_tv_map2(in, FS_OP_MUL, spread(a, batch->rank, 2, of_a.dim),
                     spread(b, batch->rank, 2, of_b.dim));
  } else if (summed && batch->rank + 3 <= FS_MAX_RANK) {
    if (!fs_dtype_is_float(dt)) a = fs_tv_cast(in, a, fs_dtype_sum(dt));
    struct fs_tv x = spread(a, batch->rank, 3, (int64_t[]){m, k, 1});
    struct fs_tv y = spread(b, batch->rank, 3, (int64_t[]){1, k, n});
    out = fs_tv_reduce(in, FS_RD_SUM, fs_tv_map2(in, FS_OP_MUL, x, y), batch->rank + 2);
  } else if (fs_dtype_is_float(dt) && fs_tv_small(in, FS_SMALL_PRODUCT, dt, a, &b, &out)) {
    return out;
  } else {
    if (!fs_dtype_is_float(dt)) dt = fs_dtype_sum(dt);
    struct fs_shape sa = a.shape, sb = b.shape;
    if (sa.rank < 2) sa = of_a;
    if (sb.rank < 2) sb = of_b;
    out.dtype = dt;
    out.node = fs_graph_lib(fs_block_graph(in), FS_LIB_GEMM, dt, &result,
                            fs_tv_cast(in, a, dt).node, &sa, fs_tv_cast(in, b, dt).node, &sb, 0);
  }
  out.shape = result;
  if (b.shape.rank == 1) out.shape.rank--;
  return out;
}

void fs_tv_drop_leading(struct fs_tv *a) {
  while (a->shape.rank > 2 && a->shape.dim[0] == 1) {
    for (int k = 1; k < a->shape.rank; k++) a->shape.dim[k - 1] = a->shape.dim[k];
    a->shape.rank--;
  }
}

enum fs_status fs_tv_multiply(struct fs_interp *in, struct fs_tv a,
                              struct fs_span a_span, struct fs_tv b,
                              struct fs_span b_span, struct fs_span span,
                              struct fs_tv *out) {
  if (!fs_tv_is_one(&a) && !fs_tv_is_one(&b)) {
    fs_tv_drop_leading(&a);
    fs_tv_drop_leading(&b);
  }
  bool small = a.shape.rank <= 2 && b.shape.rank <= 2;
  struct fs_shape outer = fs_batch_of(&a.shape), inner = fs_batch_of(&b.shape), batch;
  bool one = fs_tv_is_one(&a) || fs_tv_is_one(&b);
  if (!small && !one && fs_matrix_of(&a.shape).dim[1] == fs_matrix_of(&b.shape).dim[0] &&
      fs_batches_fit(&outer, &inner, &batch)) {
    *out = batch_product(in, a, b, &batch);
    return FS_OK;
  }
  bool fits = small && a.shape.rank > 0 && b.shape.rank > 0 &&
              fs_cols(&a.shape) == fs_rows(&b.shape);
  if (fits) {
    *out = matrix_product(in, a, b);
    return FS_OK;
  }
  if (one) {
    struct fs_tv src[2] = {a, b};
    struct fs_span spans[2] = {a_span, b_span};
    return fs_tv_map(in, FS_OP_MUL, 2, src, spans, span, "*", out);
  }
  return product_error(in, a, a_span, b, b_span, span);
}

/* -- solves and factorisations --------------------------------------------- */

/* Libraries work in f32 and f64. */
static enum fs_dtype library_type(enum fs_dtype dt) {
  return fs_dtype_compute(fs_dtype_real(dt));
}

static enum fs_status solve_error(struct fs_interp *in, struct fs_tv a, struct fs_span a_span,
                                  struct fs_tv b, struct fs_span b_span, struct fs_span span) {
  struct fs_shape a2 = fs_matrix_of(&a.shape), b2 = fs_matrix_of(&b.shape);
  bool batched = a.shape.rank > 2 || b.shape.rank > 2, rows = a2.dim[0] == b2.dim[0];
  char hint[200] = "A\\b needs as many rows in b as in A";
  if (batched && rows && b.shape.rank)
    snprintf(hint, sizeof hint, "dimensions before the last two are counted from the right, and "
                                "must be equal, or 1 to be repeated");
  else if (batched && b.shape.rank == a.shape.rank - 1 && b2.dim[1] == a2.dim[0])
    snprintf(hint, sizeof hint, "a right side for each matrix is a matrix of one column, "
                                "reshape(%s, [size(%s), 1])", fs_in_text(in, b_span),
             fs_in_text(in, b_span));
  return fs_in_error(in, span, "shape-mismatch", hint,
                     "shapes do not fit for \\: %s is %s, %s is %s", fs_in_text(in, a_span),
                     fs_shape_text(&a.shape), fs_in_text(in, b_span), fs_shape_text(&b.shape));
}

/* One matrix and a batch of right sides, which are put beside each other: it is factored once. */
static enum fs_status solve_side_by_side(struct fs_interp *in, struct fs_tv a,
                                         struct fs_span a_span, struct fs_tv b,
                                         struct fs_span b_span, struct fs_span span,
                                         struct fs_tv *out) {
  int rank = b.shape.rank, rows_first[FS_MAX_RANK], back[FS_MAX_RANK];
  rows_first[0] = rank - 2, rows_first[rank - 1] = rank - 1;
  back[rank - 2] = 0, back[rank - 1] = rank - 1;
  for (int k = 0; k < rank - 2; k++) rows_first[k + 1] = k, back[k] = k + 1;
  struct fs_tv wide = fs_tv_permute(in, b, rank, rows_first);
  struct fs_shape apart = wide.shape, beside = {2, {apart.dim[0], 1}};
  for (int k = 1; k < rank; k++) beside.dim[1] *= apart.dim[k];
  wide = fs_tv_in_rows(in, wide, &beside);
  enum fs_status st = fs_tv_solve(in, a, a_span, wide, b_span, span, out);
  if (st != FS_OK) return st;
  apart.dim[0] = fs_cols(&a.shape);
  *out = fs_tv_permute(in, fs_tv_in_rows(in, *out, &apart), rank, back);
  return FS_OK;
}

enum fs_status fs_tv_solve(struct fs_interp *in, struct fs_tv a,
                           struct fs_span a_span, struct fs_tv b,
                           struct fs_span b_span, struct fs_span span,
                           struct fs_tv *out) {
  fs_tv_drop_leading(&a);
  fs_tv_drop_leading(&b);
  if (fs_tv_is_one(&a)) {
    a.shape = fs_shape_scalar();
    struct fs_tv src[2] = {b, a};
    struct fs_span spans[2] = {b_span, a_span};
    return fs_tv_map(in, FS_OP_DIV, 2, src, spans, span, "\\", out);
  }
  struct fs_shape a2 = fs_matrix_of(&a.shape), b2 = fs_matrix_of(&b.shape), batch;
  struct fs_shape outer = fs_batch_of(&a.shape), inner = fs_batch_of(&b.shape);
  bool fits = b.shape.rank > 0 && a2.dim[0] == b2.dim[0];
  if (!fits || !fs_batches_fit(&outer, &inner, &batch))
    return solve_error(in, a, a_span, b, b_span, span);
  if (!outer.rank && inner.rank) return solve_side_by_side(in, a, a_span, b, b_span, span, out);
  enum fs_dtype dt = library_type(fs_dtype_promote(a.dtype, b.dtype));
  if (fs_tv_small(in, FS_SMALL_SOLVE, dt, a, &b, out)) return FS_OK;
  a = fs_tv_cast(in, a, dt);
  b = fs_tv_cast(in, b, dt);
  struct fs_shape x = {b.shape.rank == 1 ? 1 : 2, {a2.dim[1], b2.dim[1]}};
  *out = (struct fs_tv){0, dt, fs_batched(&batch, &x)};
  a2 = fs_batched(&outer, &a2), b2 = fs_batched(&inner, &b2);
  out->node = fs_graph_lib(fs_block_graph(in), FS_LIB_SOLVE, dt, &out->shape,
                           a.node, &a2, b.node, &b2, 0);
  return FS_OK;
}

enum fs_status fs_tv_factor(struct fs_interp *in, enum fs_lib_op op,
                            const char *what, struct fs_tv a,
                            struct fs_span span, struct fs_tv *out) {
  fs_tv_drop_leading(&a);
  struct fs_shape full = fs_matrix_of(&a.shape), batch = fs_batch_of(&a.shape);
  int64_t m = full.dim[0], n = full.dim[1];
  bool square = fs_lib_wants_square(op);
  if (square && m != n)
    return fs_in_error(in, span, "shape-mismatch", NULL,
                       "%s needs a %smatrix, not %s", what, square ? "square " : "",
                       fs_shape_text(&a.shape));
  enum fs_dtype dt = library_type(a.dtype);
  bool small = op == FS_LIB_INV || op == FS_LIB_CHOL;
  if (small && fs_tv_small(in, op == FS_LIB_INV ? FS_SMALL_INV : FS_SMALL_CHOL, dt, a, NULL, out))
    return FS_OK;
  bool halves = fs_dtype_is_half(a.dtype);
  a = fs_tv_cast(in, a, dt);
  struct fs_shape result = fs_lib_result(op, m, n);
  full = fs_batched(&batch, &full), result = fs_batched(&batch, &result);
  *out = (struct fs_tv){0, dt, result};
  out->node = fs_graph_lib(fs_block_graph(in), op, dt, &result, a.node, &full,
                           0, NULL, halves ? FS_LIB_OF_HALVES : 0);
  return FS_OK;
}

struct fs_tv fs_tv_part(struct fs_interp *in, const struct fs_tv *whole,
                        const struct fs_lib_part *p) {
  int64_t first[2] = {p->row, p->col}, extent[2] = {p->rows, p->cols};
  struct fs_shape one = {2, {extent[p->transposed], extent[!p->transposed]}};
  struct fs_shape batch = fs_batch_of(&whole->shape), shape = fs_batched(&batch, &one);
  int to[FS_MAX_RANK], from[FS_MAX_RANK], outer = batch.rank;
  struct fs_shape squeezed = fs_squeeze(&shape, to);
  struct fs_view v = {.src_rank = fs_squeeze(&whole->shape, from).rank};
  for (int d = 0; d < outer; d++)
    if (from[d] >= 0) v.axis[from[d]] = (int8_t)to[d], v.step[from[d]] = 1;
  for (int d = 0; d < 2; d++) {
    int at = from[outer + d];
    if (at < 0) continue;
    v.axis[at] = (int8_t)to[outer + (p->transposed ? 1 - d : d)];
    v.step[at] = extent[d] > 1;
    v.off[at] = first[d];
  }
  if (p->vector) shape.rank = outer + 1;
  return (struct fs_tv){fs_graph_view(fs_block_graph(in), whole->node, &v, &squeezed),
                        whole->dtype, shape};
}

enum fs_status fs_tv_factors(struct fs_interp *in, enum fs_lib_op op,
                             const char *what, struct fs_tv a,
                             struct fs_span span, int n, struct fs_tv *out) {
  struct fs_tv whole;
  fs_tv_drop_leading(&a);
  enum fs_status st = fs_tv_factor(in, op, what, a, span, &whole);
  struct fs_shape one = fs_matrix_of(&a.shape);
  for (int k = 0; k < n && st == FS_OK; k++) {
    struct fs_lib_part p = fs_lib_part(op, k, one.dim[0], one.dim[1]);
    bool order = op == FS_LIB_LU && k == 2 && !one.dim[1] && a.shape.rank <= 2; /* of nothing */
    out[k] = order ? fs_tv_iota(in, whole.dtype, fs_rows(&a.shape), 1, 1)
                   : fs_tv_part(in, &whole, &p);
  }
  return st;
}

struct fs_tv fs_tv_diagonal(struct fs_interp *in, struct fs_tv a, int64_t right) {
  int64_t first[2] = {FS_MAX(-right, 0), FS_MAX(right, 0)};
  struct fs_shape one = fs_matrix_of(&a.shape), batch = fs_batch_of(&a.shape);
  int64_t k = FS_MAX(FS_MIN(one.dim[0] - first[0], one.dim[1] - first[1]), 0);
  int axis_of[FS_MAX_RANK], to[FS_MAX_RANK];
  struct fs_shape sq = fs_squeeze(&a.shape, axis_of), line = fs_shape_of(1, &k);
  struct fs_tv out = {a.node, a.dtype, fs_batched(&batch, &line)};
  struct fs_view v = {.src_rank = sq.rank};
  fs_squeeze(&out.shape, to);
  for (int d = 0; d < a.shape.rank; d++) {
    if (axis_of[d] < 0) continue;
    bool outer = d < batch.rank;
    v.axis[axis_of[d]] = (int8_t)(outer ? to[d] : to[batch.rank]);
    v.step[axis_of[d]] = outer || k > 1;
    v.off[axis_of[d]] = outer ? 0 : first[d - batch.rank];
  }
  struct fs_shape result = fs_squeezed(&out.shape);
  if (sq.rank || !k)
    out.node = fs_graph_view(fs_block_graph(in), a.node, &v, &result);
  return out;
}

/* -- powers ---------------------------------------------------------------- */

enum fs_status fs_tv_power(struct fs_interp *in, struct fs_tv a,
                           struct fs_span a_span, int64_t n,
                           struct fs_span span, struct fs_tv *out) {
  fs_tv_drop_leading(&a);
  if (a.shape.rank != 2 || fs_rows(&a.shape) != fs_cols(&a.shape))
    return fs_in_error(in, span, "shape-mismatch",
                       "for the power of every element write .^",
                       "^ needs a square matrix: %s is %s",
                       fs_in_text(in, a_span), fs_shape_text(&a.shape));
  enum fs_status st = FS_OK;
  if (n < 0) st = fs_tv_factor(in, FS_LIB_INV, "a negative power", a, span, &a);
  if (st != FS_OK) return st;
  uint64_t k = n < 0 ? (uint64_t)-n : (uint64_t)n;
  if (k == 0) {
    *out = fs_tv_eye(in, a.dtype, fs_rows(&a.shape), fs_rows(&a.shape));
    return FS_OK;
  }
  struct fs_tv acc = a;
  bool have = false;
  for (; k; k >>= 1) {
    if (k & 1) {
      acc = have ? matrix_product(in, acc, a) : a;
      have = true;
    }
    if (k > 1) a = matrix_product(in, a, a);
  }
  *out = acc;
  return FS_OK;
}

/* The power of a half sees neither the sign of an infinity nor that of a zero, as C's pow()
 * does not: (-Inf).^1.5 is Inf, (-0).^0.5 is 0, and both roots would keep the sign. */
static struct fs_tv unsigned_limits(struct fs_interp *in, double e, struct fs_tv x) {
  if (fs_graph_is_unsigned(fs_block_graph(in), x.node)) return x;
  struct fs_tv lowest = fs_tv_literal(in, -INFINITY, x.dtype), y = x;
  if (fabs(e) == 0.5) y = fs_tv_map2(in, FS_OP_ADD, x, fs_tv_literal(in, 0, x.dtype));
  return fs_tv_choose(in, fs_tv_map2(in, FS_OP_EQ, x, lowest),
                      fs_tv_literal(in, INFINITY, x.dtype), y);
}

/* x.^e for an e that few operations make, of which each rounds once (x.^6: five), in a
 * fraction of the instructions of a power (of f32 on an H100 some 10 to 20 of 90). Nothing
 * on the way is smaller or larger than both x and x.^e, as x.*sqrt(x) would be for -1.5. */
static bool is_product(double e, enum fs_dtype dt) {
  if (e == 5 || e == 6) return fs_dtype_is_float(dt); /* a power of integers is a float */
  return e == 1 || e == 2 || e == 3 || e == 4 || e == 0.5 || e == 1.5 || e == -0.5 ||
         e == -1 || e == -1.5 || e == -2;
}

static struct fs_tv by_products(struct fs_interp *in, double e, struct fs_tv x) {
  bool is_float = fs_dtype_is_float(x.dtype);
  if (e == 1) return fs_tv_map1(in, FS_OP_COPY, x);
  if (e == 2) return fs_tv_map1(in, FS_OP_SQUARE, x);
  if (e == 3 || e == 5) return fs_tv_map2(in, FS_OP_MUL, by_products(in, e - 1, x), x);
  if (e == 4 || e == 6) return fs_tv_map1(in, FS_OP_SQUARE, by_products(in, e / 2, x));
  if (!is_float) x = fs_tv_cast(in, x, library_type(x.dtype));
  if (e != floor(e) && is_float) x = unsigned_limits(in, e, x);
  if (e == 0.5) return fs_tv_map1(in, FS_OP_SQRT, x);
  if (e == -0.5) return fs_tv_map1(in, FS_OP_RSQRT, x);
  if (e == 1.5) return fs_tv_map2(in, FS_OP_MUL, x, fs_tv_map1(in, FS_OP_SQRT, x));
  if (e == -1.5) return fs_tv_map2(in, FS_OP_DIV, fs_tv_map1(in, FS_OP_RSQRT, x), x);
  if (e == -2) return fs_tv_map1(in, FS_OP_SQUARE, by_products(in, -1, x));
  return fs_tv_map2(in, FS_OP_DIV, fs_tv_number(in, 1, x.dtype), x);
}

/* Of halves in f32, as a power is, but for those of one or two operations. */
static struct fs_tv power_of(struct fs_interp *in, double e, struct fs_tv x) {
  bool half = fs_dtype_is_half(x.dtype), one = fabs(e) == 0.5 || e == -1;
  if (!half || one || e == 1 || e == 2 || e == 3 || e == 4) return by_products(in, e, x);
  enum fs_dtype dt = x.dtype;
  return fs_tv_cast(in, by_products(in, e, fs_tv_cast(in, x, FS_F32)), dt);
}

bool fs_tv_short_power(struct fs_interp *in, double e, struct fs_tv x, struct fs_tv *out) {
  if (!is_product(e, x.dtype)) return false;
  *out = power_of(in, e, x);
  return true;
}

enum fs_status fs_tv_epow(struct fs_interp *in, const struct fs_val *a,
                          struct fs_span a_span, const struct fs_val *b,
                          struct fs_span b_span, struct fs_span span,
                          struct fs_tv *out) {
  struct fs_tv src[2];
  struct fs_span spans[2] = {a_span, b_span};
  if (b->kind == FS_V_NUMBER && is_product(b->number, FS_F32)) {
    enum fs_status st = fs_tv_of(in, a, a_span, NULL, &src[0]);
    if (st != FS_OK) return st;
    if (fs_tv_short_power(in, b->number, src[0], out)) return FS_OK;
  }
  struct fs_val v[2] = {*a, *b};
  enum fs_status st = fs_tv_operands(in, 2, v, spans, src);
  if (st != FS_OK) return st;
  return fs_tv_map(in, FS_OP_POW, 2, src, spans, span, ".^", out);
}
