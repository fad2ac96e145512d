/* fourier.c - fft, ifft, rfft, irfft: calls along one dimension whose results are two parts. */
#include "core/eval/builtins.h"
#include "core/eval/complex.h"

/* A transform as it is asked for. */
struct transform {
  enum fs_lib_op op;
  bool back;
  int axis;
  int64_t n;       /* of numbers */
};

/* The dimension: of a row its second, else the first unless one is named. Beyond those that
 * there are extents are 1. */
static enum fs_status axis_arg(struct fs_call *c, struct fs_cx *z, int *axis) {
  struct fs_shape *shape = &z->re.shape;
  int64_t dim = 0;
  *axis = shape->rank == 2 && shape->dim[0] == 1;
  if (c->n < 3 || fs_is_left_out(&c->args[2])) return FS_OK;
  enum fs_status st = fs_arg_int(c, 2, "the dimension", &dim);
  if (st != FS_OK) return st;
  if (dim < 0) dim += shape->rank + 1;
  if (dim < 1 || dim > FS_MAX_RANK)
    return fs_in_error(c->in, c->arg_spans[2], "bad-dimension",
                       "1 goes down the columns, 2 along the rows, -1 along the last dimension",
                       "there is no dimension %s", fs_in_text(c->in, c->arg_spans[2]));
  *axis = (int)dim - 1;
  while (shape->rank < dim) shape->dim[shape->rank++] = 1;
  z->im.shape = *shape;
  return FS_OK;
}

/* The length: as many numbers as there are, or, of IRFFT, as half a transform stands for. */
static enum fs_status length_arg(struct fs_call *c, const struct fs_shape *shape,
                                 struct transform *t) {
  int64_t have = shape->dim[t->axis];
  t->n = t->op == FS_LIB_IRFFT ? 2 * (have - 1) : have;
  if (c->n < 2 || fs_is_left_out(&c->args[1])) {
    if (t->n > 0 || t->op != FS_LIB_IRFFT) return FS_OK;
    return fs_in_error(c->in, c->span, "bad-length", "irfft(z, 1) gives one number",
                       "irfft needs a length here: %s is %s", fs_in_text(c->in, c->arg_spans[0]),
                       fs_shape_text(shape));
  }
  enum fs_status st = fs_arg_int(c, 1, "the length", &t->n);
  if (st != FS_OK || t->n >= 0) return st;
  return fs_in_error(c->in, c->arg_spans[1], "bad-length",
                     "fft(x, [], -1) goes along the last dimension",
                     "the length of a transform is 0 or more, not %lld", (long long)t->n);
}

/* `n` places along the axis, from `first` on. */
static struct fs_tv places(struct fs_interp *in, const struct fs_tv *whole, int axis,
                           int64_t first, int64_t n) {
  int to[FS_MAX_RANK], from[FS_MAX_RANK];
  struct fs_tv out = *whole;
  out.shape.dim[axis] = n;
  struct fs_shape squeezed = fs_squeeze(&out.shape, to);
  struct fs_view v = {.src_rank = fs_squeeze(&whole->shape, from).rank};
  for (int d = 0; d < whole->shape.rank; d++) {
    if (from[d] < 0) continue;
    v.axis[from[d]] = (int8_t)to[d];
    v.step[from[d]] = to[d] >= 0;
    v.off[from[d]] = d == axis ? first : 0;
  }
  out.node = fs_graph_view(fs_block_graph(in), whole->node, &v, &squeezed);
  return out;
}

/* The call, and its parts. Backwards is forwards with the parts exchanged, of operands and of
 * results; of real numbers it has the opposite imaginary parts. */
static struct fs_cx call(struct fs_interp *in, const struct transform *t, const struct fs_cx *z) {
  struct fs_tv re = z->re, im = z->real ? z->re : z->im, whole = z->re;
  bool exchanged = t->back && !z->real && t->op == FS_LIB_FFT;
  int64_t parts = t->op == FS_LIB_RFFT ? t->n / 2 + 1 : t->n;
  unsigned flags = (unsigned)t->axis | (t->back ? FS_LIB_NTH : 0) |
                   (t->op == FS_LIB_RFFT && t->n % 2 ? FS_LIB_ODD : 0);
  whole.shape.dim[t->axis] = t->op == FS_LIB_IRFFT ? t->n : 2 * parts;
  whole.node = fs_graph_lib(fs_block_graph(in), t->op, re.dtype, &whole.shape,
                            exchanged ? im.node : re.node, &re.shape,
                            z->real ? 0 : exchanged ? re.node : im.node, &re.shape, flags);
  if (t->op == FS_LIB_IRFFT) return (struct fs_cx){.re = whole, .real = true};
  struct fs_tv first = places(in, &whole, t->axis, 0, parts);
  struct fs_tv second = places(in, &whole, t->axis, parts, parts);
  if (t->back && z->real)
    second = fs_tv_map2(in, FS_OP_SUB, fs_tv_literal(in, 0, second.dtype), second);
  return exchanged ? (struct fs_cx){second, first, false} : (struct fs_cx){first, second, false};
}

/* Nothing comes, or nothing goes. */
static struct fs_cx nothing(struct fs_interp *in, const struct transform *t, struct fs_tv x) {
  x.shape.dim[t->axis] = t->op == FS_LIB_RFFT && t->n ? t->n / 2 + 1 : t->n;
  struct fs_tv zero = fs_tv_fill(in, x.dtype, &x.shape, 0);
  return (struct fs_cx){zero, zero, t->op == FS_LIB_IRFFT};
}

/* The argument, of f32 or f64; a number is a column of one. */
static enum fs_status numbers(struct fs_call *c, enum fs_lib_op op, struct fs_cx *z) {
  if (op == FS_LIB_RFFT && fs_val_is_complex(&c->args[0]))
    return fs_in_error(c->in, c->arg_spans[0], "complex-value", "fft(z) takes complex numbers",
                       "rfft takes real numbers, and this is %s", fs_val_text(&c->args[0]));
  enum fs_status st = fs_cx_of(c->in, &c->args[0], c->arg_spans[0], FS_F32, z);
  if (st != FS_OK) return st;
  enum fs_dtype dt = fs_cx_part_type(z->re.dtype);
  z->re = fs_tv_cast(c->in, z->re, dt);
  if (z->real) z->im = z->re;
  else z->im = fs_tv_cast(c->in, z->im, dt);
  if (!z->re.shape.rank) z->re.shape = z->im.shape = fs_shape_of(1, (int64_t[]){1});
  return FS_OK;
}

/* To read a number that is computed yet ends the block, and so comes before nodes are made. */
static enum fs_status read_numbers(struct fs_call *c) {
  enum fs_status st = FS_OK;
  int64_t any;
  for (int k = 1; k < c->n && st == FS_OK; k++) {
    const char *what = k == 1 ? "the length" : "the dimension";
    if (!fs_is_left_out(&c->args[k])) st = fs_arg_int(c, k, what, &any);
  }
  return st;
}

enum fs_status fs_bi_fourier(struct fs_call *c) {
  static const struct { enum fs_lib_op op; bool back; } kinds[] = {
      [FS_FOURIER_FFT] = {FS_LIB_FFT, false},   [FS_FOURIER_IFFT] = {FS_LIB_FFT, true},
      [FS_FOURIER_RFFT] = {FS_LIB_RFFT, false}, [FS_FOURIER_IRFFT] = {FS_LIB_IRFFT, true}};
  struct transform t = {.op = kinds[c->builtin->data].op, .back = kinds[c->builtin->data].back};
  struct fs_cx z;
  enum fs_status st = read_numbers(c);
  if (st == FS_OK) st = numbers(c, t.op, &z);
  if (st == FS_OK) st = axis_arg(c, &z, &t.axis);
  if (st == FS_OK) st = length_arg(c, &z.re.shape, &t);
  if (st != FS_OK) return st;
  struct fs_shape result = z.re.shape;
  result.dim[t.axis] = t.n > INT64_MAX / 4 ? t.n : 2 * (t.n + 1);
  st = fs_check_extents(c->in, z.re.dtype, &result, c->span);
  if (st != FS_OK) return st;
  bool none = !t.n || !fs_shape_count(&z.re.shape);
  z = none ? nothing(c->in, &t, z.re) : call(c->in, &t, &z);
  c->out[0] = fs_cx_value(c->in, &z);
  return FS_OK;
}
