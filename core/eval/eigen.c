/* eigen.c - eig of any square matrix, or of each of a batch: of one that is its own conjugate
 * transpose the eigenvalues are real, in order, and the vectors orthonormal; else both are complex.
 * Which it is must be known before the statements behind it are traced, so the matrix is looked
 * at; of a batch all are complex if one is. */
#include <math.h>

#include "core/eval/builtins.h"
#include "core/eval/complex.h"

/* Of each matrix of a batch, or of one. */
static struct fs_tv largest(struct fs_interp *in, struct fs_tv a) {
  unsigned last = a.shape.rank > 2 ? 3u << (a.shape.rank - 2) : 0;
  return fs_tv_reduce_over(in, FS_RD_MAXR, a, last);
}

/* Whether opposite elements, of all matrices, are no further apart than sums of n products
 * round: n*u of the largest
 * magnitude, and no more than EIGVALS takes. NaN is no difference. */
static enum fs_status is_hermitian(struct fs_call *c, const struct fs_cx *z, bool halves,
                                   bool *out) {
  struct fs_interp *in = c->in;
  enum fs_dtype dt = z->re.dtype;
  double unit = halves ? 0x1p-11 : dt == FS_F32 ? 0x1p-24 : 0x1p-53, is = 0;
  double n = (double)fs_matrix_of(&z->re.shape).dim[0];
  double part = FS_MIN(unit * n, halves ? 0x1p-5 : 0x1p-10);
  struct fs_cx turned = fs_cx_transpose(in, *z, true);
  struct fs_tv far = fs_tv_map1(in, FS_OP_ABS, fs_tv_map2(in, FS_OP_SUB, z->re, turned.re));
  struct fs_tv size = fs_tv_map1(in, FS_OP_ABS, z->re);
  if (!z->real) {
    struct fs_tv im = fs_tv_map2(in, FS_OP_SUB, z->im, turned.im);
    far = fs_tv_map2(in, FS_OP_MAX, far, fs_tv_map1(in, FS_OP_ABS, im));
    size = fs_tv_map2(in, FS_OP_MAX, size, fs_tv_map1(in, FS_OP_ABS, z->im));
  }
  struct fs_tv bound = fs_tv_map2(in, FS_OP_MUL, largest(in, size), fs_tv_number(in, part, dt));
  struct fs_tv apart = fs_tv_map2(in, FS_OP_GT, largest(in, far), bound);
  apart = fs_tv_reduce(in, FS_RD_ANY, apart, 0);
  struct fs_val value = fs_tv_value(in, &apart);
  enum fs_status st = fs_read_number(in, &value, c->span, "the symmetry", &is);
  fs_val_unref(value);
  *out = !is;
  return st;
}

/* Result k of a call, in both parts. */
static struct fs_cx part_of(struct fs_interp *in, const struct fs_tv *whole, enum fs_lib_op op,
                            int k, int64_t n) {
  struct fs_lib_part re = fs_lib_part(op, 2 * k, n, n), im = fs_lib_part(op, 2 * k + 1, n, n);
  return (struct fs_cx){fs_tv_part(in, whole, &re), fs_tv_part(in, whole, &im), false};
}

/* A call that takes each matrix of z, of extents n x n. */
static struct fs_tv call_of(struct fs_interp *in, enum fs_lib_op op, const struct fs_cx *z,
                            int64_t *n) {
  struct fs_shape one = fs_matrix_of(&z->re.shape), batch = fs_batch_of(&z->re.shape);
  struct fs_shape full = fs_batched(&batch, &one), result;
  *n = one.dim[0];
  result = fs_lib_result(op, *n, *n);
  result = fs_batched(&batch, &result);
  struct fs_tv whole = {0, z->re.dtype, result};
  whole.node = fs_graph_lib(fs_block_graph(in), op, z->re.dtype, &result, z->re.node, &full,
                            z->real ? 0 : z->im.node, &full, 0);
  return whole;
}

/* By LAPACK's geev, or, of a Hermitian matrix, heevd: `real` eigenvalues. */
static enum fs_status general(struct fs_call *c, const struct fs_cx *z, bool real) {
  enum fs_lib_op op = c->want > 1 ? FS_LIB_EIG : FS_LIB_EIG_VALUES;
  int64_t n;
  struct fs_tv whole = call_of(c->in, op, z, &n);
  for (int k = 0; k < FS_MIN(c->want, 2); k++) {
    struct fs_cx part = part_of(c->in, &whole, op, k, n);
    part.real = real && k == 0;
    c->out[k] = fs_cx_value(c->in, &part);
  }
  return FS_OK;
}

/* Of a symmetric one. */
static enum fs_status symmetric(struct fs_call *c, struct fs_tv a) {
  static const enum fs_lib_op ops[] = {FS_LIB_EIGVALS, FS_LIB_EIGVECS};
  for (int k = 0; k < FS_MIN(c->want, 2); k++) {
    struct fs_tv r;
    enum fs_status st = fs_tv_factor(c->in, ops[k], "eig", a, c->span, &r);
    if (st != FS_OK) return st;
    c->out[k] = fs_tv_value(c->in, &r);
  }
  return FS_OK;
}

/* The results of a call that has two, U and T for schur. */
static enum fs_status two_of(struct fs_call *c, const struct fs_cx *z) {
  int64_t n;
  struct fs_tv whole = call_of(c->in, FS_LIB_SCHUR, z, &n);
  for (int k = 0; k < FS_MIN(c->want, 2); k++) { /* alone it gives T */
    struct fs_cx part = part_of(c->in, &whole, FS_LIB_SCHUR, c->want > 1 && !k, n);
    part.real = z->real;
    c->out[k] = fs_cx_value(c->in, &part);
  }
  return FS_OK;
}

/* The matrix, as it is traced now. */
static enum fs_status matrix(struct fs_call *c, struct fs_cx *z, bool *halves) {
  enum fs_status st = fs_cx_of(c->in, &c->args[0], c->arg_spans[0], FS_F32, z);
  if (st != FS_OK) return st;
  fs_tv_drop_leading(&z->re);
  *halves = fs_dtype_is_half(z->re.dtype);
  enum fs_dtype dt = fs_cx_part_type(z->re.dtype);
  z->re = fs_tv_cast(c->in, z->re, dt);
  if (!z->real) fs_tv_drop_leading(&z->im);
  struct fs_shape one = fs_matrix_of(&z->re.shape);
  if (one.dim[0] == one.dim[1]) return FS_OK;
  return fs_in_error(c->in, c->span, "shape-mismatch", NULL, "%s needs a square matrix, not %s",
                     c->builtin->name, fs_shape_text(&z->re.shape));
}

enum fs_status fs_bi_eig(struct fs_call *c) {
  struct fs_cx z;
  struct fs_tv a;
  bool hermitian = true, halves;
  enum fs_status st = matrix(c, &z, &halves);
  if (st != FS_OK) return st;
  if (fs_shape_count(&z.re.shape)) st = is_hermitian(c, &z, halves, &hermitian);
  if (st == FS_OK) st = matrix(c, &z, &halves); /* a block of its own follows */
  if (st != FS_OK) return st;
  if (!hermitian || !z.real) return general(c, &z, hermitian);
  st = fs_arg_tv(c, 0, &a);
  return st == FS_OK ? symmetric(c, a) : st;
}

enum fs_status fs_bi_schur(struct fs_call *c) {
  struct fs_cx z;
  bool halves;
  enum fs_status st = matrix(c, &z, &halves);
  return st == FS_OK ? two_of(c, &z) : st;
}
