/* eigen.c - eig of any square matrix: of one that is its own conjugate transpose the eigenvalues
 * are real, in order, and the vectors orthonormal; else both are complex. Which it is must be known
 * before the statements behind it are traced, so the matrix is looked at. */
#include <math.h>

#include "core/eval/builtins.h"
#include "core/eval/complex.h"

/* Whether opposite elements are no further apart than sums of n products round: n*u of the largest
 * magnitude, and no more than EIGVALS takes. NaN is no difference. */
static enum fs_status is_hermitian(struct fs_call *c, const struct fs_cx *z, bool halves,
                                   bool *out) {
  struct fs_interp *in = c->in;
  enum fs_dtype dt = z->re.dtype;
  double unit = halves ? 0x1p-11 : dt == FS_F32 ? 0x1p-24 : 0x1p-53, is = 0;
  double part = FS_MIN(unit * (double)fs_rows(&z->re.shape), halves ? 0x1p-5 : 0x1p-10);
  struct fs_cx turned = fs_cx_transpose(in, *z, true);
  struct fs_tv far = fs_tv_map1(in, FS_OP_ABS, fs_tv_map2(in, FS_OP_SUB, z->re, turned.re));
  struct fs_tv size = fs_tv_map1(in, FS_OP_ABS, z->re);
  if (!z->real) {
    struct fs_tv im = fs_tv_map2(in, FS_OP_SUB, z->im, turned.im);
    far = fs_tv_map2(in, FS_OP_MAX, far, fs_tv_map1(in, FS_OP_ABS, im));
    size = fs_tv_map2(in, FS_OP_MAX, size, fs_tv_map1(in, FS_OP_ABS, z->im));
  }
  struct fs_tv most = fs_tv_reduce(in, FS_RD_MAXR, size, 0);
  struct fs_tv bound = fs_tv_map2(in, FS_OP_MUL, most, fs_tv_number(in, part, dt));
  struct fs_tv apart = fs_tv_map2(in, FS_OP_GT, fs_tv_reduce(in, FS_RD_MAXR, far, 0), bound);
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

/* By LAPACK's geev, or, of a Hermitian matrix, heevd: `real` eigenvalues. */
static enum fs_status general(struct fs_call *c, const struct fs_cx *z, bool real) {
  enum fs_lib_op op = c->want > 1 ? FS_LIB_EIG : FS_LIB_EIG_VALUES;
  int64_t n = fs_rows(&z->re.shape);
  struct fs_shape full = {2, {n, n}}, result = fs_lib_result(op, n, n);
  struct fs_tv whole = {0, z->re.dtype, result};
  whole.node = fs_graph_lib(fs_block_graph(c->in), op, z->re.dtype, &result, z->re.node, &full,
                            z->real ? 0 : z->im.node, &full, 0);
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
  int64_t n = fs_rows(&z->re.shape);
  struct fs_shape full = {2, {n, n}}, result = fs_lib_result(FS_LIB_SCHUR, n, n);
  struct fs_tv whole = {0, z->re.dtype, result};
  whole.node = fs_graph_lib(fs_block_graph(c->in), FS_LIB_SCHUR, z->re.dtype, &result, z->re.node,
                            &full, z->real ? 0 : z->im.node, &full, 0);
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
  if (z->re.shape.rank <= 2 && fs_rows(&z->re.shape) == fs_cols(&z->re.shape)) return FS_OK;
  return fs_in_error(c->in, c->span, "shape-mismatch", NULL, "%s needs a square matrix, not %s",
                     c->builtin->name, fs_shape_text(&z->re.shape));
}

enum fs_status fs_bi_eig(struct fs_call *c) {
  struct fs_cx z;
  struct fs_tv a;
  bool hermitian = true, halves;
  enum fs_status st = matrix(c, &z, &halves);
  if (st != FS_OK) return st;
  if (fs_rows(&z.re.shape)) st = is_hermitian(c, &z, halves, &hermitian);
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
