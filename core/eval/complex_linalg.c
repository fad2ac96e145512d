/* complex_linalg.c - products, solves and inverses of complex matrices, by those of real ones. */
#include "core/eval/complex.h"

/* -- products ---------------------------------------------------------------- */

/* Four real products, two where a factor is real. */
enum fs_status fs_cx_multiply(struct fs_interp *in, struct fs_cx a, struct fs_span a_span,
                              struct fs_cx b, struct fs_span b_span, struct fs_span span,
                              struct fs_cx *out) {
  struct fs_tv rr, ri, ir, ii;
  enum fs_status st = fs_tv_multiply(in, a.re, a_span, b.re, b_span, span, &rr);
  if (st == FS_OK && !b.real) st = fs_tv_multiply(in, a.re, a_span, b.im, b_span, span, &ri);
  if (st == FS_OK && !a.real) st = fs_tv_multiply(in, a.im, a_span, b.re, b_span, span, &ir);
  if (st == FS_OK && !a.real && !b.real)
    st = fs_tv_multiply(in, a.im, a_span, b.im, b_span, span, &ii);
  if (st != FS_OK) return st;
  *out = (struct fs_cx){rr, a.real ? ri : ir, a.real && b.real};
  if (a.real || b.real) return FS_OK;
  out->re = fs_tv_map2(in, FS_OP_SUB, rr, ii);
  out->im = fs_tv_map2(in, FS_OP_ADD, ri, ir);
  return FS_OK;
}

enum fs_status fs_cx_power(struct fs_interp *in, struct fs_cx a, struct fs_span a_span, int64_t n,
                           struct fs_span span, struct fs_cx *out) {
  int64_t m = fs_rows(&a.re.shape);
  if (a.re.shape.rank != 2 || m != fs_cols(&a.re.shape))
    return fs_in_error(in, a_span, "shape-mismatch", "for the power of every element write .^",
                       "^ needs a square matrix: %s is %s", fs_in_text(in, a_span),
                       fs_shape_text(&a.re.shape));
  enum fs_status st = FS_OK;
  if (n < 0) st = fs_cx_inverse(in, a, "a negative power", span, &a);
  *out = (struct fs_cx){.re = fs_tv_eye(in, a.re.dtype, m, m), .real = true};
  bool have = false;
  for (uint64_t k = n < 0 ? (uint64_t)-n : (uint64_t)n; k && st == FS_OK; k >>= 1) {
    if (k & 1 && have) st = fs_cx_multiply(in, *out, span, a, span, span, out);
    else if (k & 1) *out = a, have = true;
    if (k > 1 && st == FS_OK) st = fs_cx_multiply(in, a, span, a, span, span, &a);
  }
  return st;
}

/* -- solves ------------------------------------------------------------------ */

/* [re, -im; im, re], which multiplies [x; y] as the complex matrix does x + yi. */
static enum fs_status as_real(struct fs_interp *in, const struct fs_cx *a, struct fs_span span,
                              struct fs_tv *out) {
  struct fs_shape batch = fs_batch_of(&a->re.shape), one = fs_matrix_of(&a->re.shape);
  struct fs_shape full = fs_batched(&batch, &one);
  struct fs_tv re = a->re, im = a->im;
  re.shape = im.shape = full;
  struct fs_tv upper[] = {re, fs_tv_map1(in, FS_OP_NEG, im)}, lower[] = {im, re}, rows[2];
  struct fs_span spans[] = {span, span};
  enum fs_status st = fs_tv_concat(in, full.rank, 2, upper, spans, span, &rows[0]);
  if (st == FS_OK) st = fs_tv_concat(in, full.rank, 2, lower, spans, span, &rows[1]);
  return st == FS_OK ? fs_tv_concat(in, full.rank - 1, 2, rows, spans, span, out) : st;
}

/* The part of a matrix from a row and column on, in `shape`. */
static struct fs_tv block(struct fs_interp *in, const struct fs_tv *whole, int64_t row,
                          int64_t col, const struct fs_shape *shape) {
  struct fs_shape one = fs_matrix_of(shape);
  struct fs_lib_part p = {.row = row, .col = col, .rows = one.dim[0], .cols = one.dim[1]};
  struct fs_tv out = fs_tv_part(in, whole, &p);
  out.shape = *shape;
  return out;
}

static enum fs_status check_rows(struct fs_interp *in, const struct fs_cx *a,
                                 struct fs_span a_span, const struct fs_cx *b,
                                 struct fs_span b_span, struct fs_span span) {
  struct fs_shape a2 = fs_matrix_of(&a->re.shape), b2 = fs_matrix_of(&b->re.shape);
  struct fs_shape outer = fs_batch_of(&a->re.shape), inner = fs_batch_of(&b->re.shape), both;
  if (b->re.shape.rank && a2.dim[0] == b2.dim[0] && fs_batches_fit(&outer, &inner, &both))
    return FS_OK;
  return fs_in_error(in, span, "shape-mismatch", "A\\b needs as many rows in b as in A",
                     "shapes do not fit for \\: %s is %s, %s is %s", fs_in_text(in, a_span),
                     fs_shape_text(&a->re.shape), fs_in_text(in, b_span),
                     fs_shape_text(&b->re.shape));
}

/* A real matrix has both parts of b beside each other on the right; of a complex one b has its
 * parts below each other. */
enum fs_status fs_cx_solve(struct fs_interp *in, struct fs_cx a, struct fs_span a_span,
                           struct fs_cx b, struct fs_span b_span, struct fs_span span,
                           struct fs_cx *out) {
  if (fs_tv_is_one(&a.re)) {
    *out = fs_cx_div(in, b, a);
    return FS_OK;
  }
  enum fs_status st = check_rows(in, &a, a_span, &b, b_span, span);
  if (st != FS_OK) return st;
  struct fs_shape of_a = fs_matrix_of(&a.re.shape), of_b = fs_matrix_of(&b.re.shape), batch;
  struct fs_shape outer = fs_batch_of(&a.re.shape), inner = fs_batch_of(&b.re.shape);
  fs_batches_fit(&outer, &inner, &batch);
  struct fs_shape one = {2, {of_a.dim[1], of_b.dim[1]}}, x = fs_batched(&batch, &one);
  struct fs_shape full = fs_batched(&inner, &of_b);
  struct fs_tv m = a.re, re = b.re, im = fs_cx_im(in, &b), right, both;
  re.shape = full;
  im = b.real ? fs_tv_repeat(in, im.node, &full) : im;
  im.shape = full;
  struct fs_tv parts[] = {re, im};
  struct fs_span spans[] = {span, span};
  if (!a.real) st = as_real(in, &a, span, &m);
  if (st == FS_OK) st = fs_tv_concat(in, full.rank - !a.real, 2, parts, spans, span, &right);
  if (st == FS_OK) st = fs_tv_solve(in, m, a_span, right, b_span, span, &both);
  if (st != FS_OK) return st;
  struct fs_cx z = {block(in, &both, 0, 0, &x),
                    block(in, &both, a.real ? 0 : one.dim[0], a.real ? one.dim[1] : 0, &x),
                    false};
  if (b.re.shape.rank == 1) z.re.shape.rank = z.im.shape.rank = x.rank - 1;
  *out = z;
  return FS_OK;
}

/* A real matrix has each eigenvalue, and each singular value, of the complex one twice. */
enum fs_status fs_cx_values(struct fs_interp *in, enum fs_lib_op op, const char *what,
                            struct fs_cx a, struct fs_span span, struct fs_tv *out) {
  struct fs_shape shape = a.re.shape;
  struct fs_tv m, both;
  struct fs_shape one = fs_matrix_of(&shape);
  if (fs_lib_wants_square(op) && one.dim[0] != one.dim[1])
    return fs_in_error(in, span, "shape-mismatch", NULL, "%s needs a %smatrix, not %s", what,
                       fs_lib_wants_square(op) ? "square " : "", fs_shape_text(&shape));
  enum fs_status st = as_real(in, &a, span, &m);
  if (st == FS_OK) st = fs_tv_factor(in, op, what, m, span, &both);
  if (st != FS_OK) return st;
  int last = both.shape.rank - 1;
  int64_t n = both.shape.dim[last] / 2;
  *out = both;
  out->shape.dim[last] = n;
  if (!fs_shape_count(&out->shape)) return FS_OK;
  last = fs_squeezed(&both.shape).rank - 1;
  struct fs_view second = {.src_rank = last + 1};
  for (int k = 0; k < last; k++) second.axis[k] = (int8_t)k, second.step[k] = 1;
  second.axis[last] = (int8_t)(n > 1 ? last : -1);
  second.step[last] = n > 1 ? 2 : 0;
  struct fs_shape squeezed = fs_squeezed(&out->shape);
  out->node = fs_graph_view(fs_block_graph(in), both.node, &second, &squeezed);
  return FS_OK;
}

enum fs_status fs_cx_svd(struct fs_interp *in, struct fs_cx a, int n, struct fs_cx *out) {
  fs_tv_drop_leading(&a.re);
  fs_tv_drop_leading(&a.im);
  struct fs_shape one = fs_matrix_of(&a.re.shape), batch = fs_batch_of(&a.re.shape);
  struct fs_shape full = fs_batched(&batch, &one);
  struct fs_shape result = fs_lib_result(FS_LIB_SVD_BOTH, one.dim[0], one.dim[1]);
  result = fs_batched(&batch, &result);
  struct fs_tv whole = {0, a.re.dtype, result};
  whole.node = fs_graph_lib(fs_block_graph(in), FS_LIB_SVD_BOTH, a.re.dtype, &result, a.re.node,
                            &full, a.im.node, &full, 0);
  for (int k = 0; k < n; k++) {
    struct fs_lib_part re = fs_lib_part(FS_LIB_SVD_BOTH, 2 * k, one.dim[0], one.dim[1]), im = re;
    if (k != 1) im = fs_lib_part(FS_LIB_SVD_BOTH, 2 * k + 1, one.dim[0], one.dim[1]);
    out[k] = (struct fs_cx){fs_tv_part(in, &whole, &re), fs_tv_part(in, &whole, &im), k == 1};
  }
  return FS_OK;
}

enum fs_status fs_cx_inverse(struct fs_interp *in, struct fs_cx a, const char *what,
                             struct fs_span span, struct fs_cx *out) {
  struct fs_tv m, inv;
  struct fs_shape shape = a.re.shape, one = fs_matrix_of(&shape), batch = fs_batch_of(&shape);
  int64_t n = one.dim[0];
  if (n != one.dim[1])
    return fs_in_error(in, span, "shape-mismatch", NULL, "%s needs a square matrix, not %s", what,
                       fs_shape_text(&shape));
  enum fs_status st = as_real(in, &a, span, &m);
  if (st == FS_OK) st = fs_tv_factor(in, FS_LIB_INV, what, m, span, &inv);
  if (st != FS_OK) return st;
  shape = fs_batched(&batch, &one);
  *out = (struct fs_cx){block(in, &inv, 0, 0, &shape), block(in, &inv, n, 0, &shape), false};
  return FS_OK;
}
