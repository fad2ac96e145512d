/* fourier.c - fft, ifft, rfft, irfft: calls along one dimension whose results are two parts. */
#include "core/eval/builtins.h"
#include "core/eval/complex.h"
#include "core/eval/elem.h"
#include "core/graph/fourier.h"

#include <math.h>

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

/* -- lines in a kernel with what is around them ------------------------------------------- */

/* How the routine takes and gives numbers, as elemlib/library/fourier.cuh has it for kernels alone:
 * half a transform is mirrored, its parts are exchanged, and its ends are real. */
static const char lines_text[] =
    "  constexpr int n = FS_LENGTH;\n"
    "  const auto take = [&](int e) -> fs_complex<FS_TYPE> {\n"
    "    const bool mirrored = FS_OP == 2 && 2 * e > n;\n"
    "    const int k = mirrored ? n - e : e;\n"
    "    fs_complex<FS_TYPE> z = {0, 0};\n"
    "    if (k < FS_TAKEN) z = {FS_AT(re, k), FS_IM(k)};\n"
    "    if (FS_OP == 2 && (k == 0 || 2 * k == n)) z.im = 0;\n"
    "    if (FS_OP == 2) z = {mirrored ? -z.im : z.im, z.re};\n"
    "    return z;\n"
    "  };\n"
    "  const auto give = [&](int k, fs_complex<FS_TYPE> z) {\n"
    "    const bool real = FS_OP != 2 && FS_REAL, ends = k == 0 || 2 * k == n;\n"
    "    if (real && 2 * k > n) return;  // the others have it\n"
    "    if (real && ends) z.im = 0;\n"
    "    if (FS_DIVIDED) z = {z.re / n, z.im / n};\n"
    "    if (FS_OP == 2) z = {z.im, 0};\n"
    "    FS_PUT(k, z.re, z.im);\n"
    "    if (FS_OP == 0 && real && !ends) FS_PUT(n - k, z.re, -z.im);\n"
    "  };\n"
    "  fs_fourier_line<n, FS_LANES, 1, FS_RADICES>(\n"
    "      take, give, [&] { FS_SYNC(); }, fs_scratch, fs_scratch + FS_ROOM, FS_LANE);\n";

static void put_line_text(const struct transform *t, int64_t taken, bool real, int room,
                          struct fs_str *out) {
  static const char *const names[] = {"LENGTH", "OP", "REAL", "DIVIDED", "TAKEN", "ROOM", "IM(k)",
                                      "RADICES"};
  int radix[FS_FOURIER_PASSES], passes = fs_fourier_radices(t->n, radix);
  int values[] = {(int)t->n, (int)(t->op - FS_LIB_FFT), real, t->back, (int)taken, room};
  for (size_t k = 0; k < FS_LEN(values); k++)
    fs_str_printf(out, "#define FS_%s %d\n", names[k], values[k]);
  fs_str_printf(out, "#define FS_IM(k) %s\n#define FS_RADICES ", real ? "0" : "FS_AT(im, k)");
  for (int k = 0; k < passes; k++) fs_str_printf(out, k ? ", %d" : "%d", radix[k]);
  fs_str_printf(out, "\n%s", lines_text);
  for (size_t k = 0; k < FS_LEN(names); k++)
    fs_str_printf(out, "#undef FS_%.*s\n", (int)strcspn(names[k], "("), names[k]);
}

static struct fs_user_element line_of(const char *name, enum fs_dtype dt, int64_t n) {
  return (struct fs_user_element){.type = FS_UT_SMALL, .name = name, .compute = dt, .rank = 1,
                                  .dim = {n}, .count = (int)n, .chip_rank = 1, .chip = {n},
                                  .chip_count = (int)n};
}

/* Threads of a line: as many as have 16 numbers each, or those of the largest radix. */
static int threads_of(int64_t n) {
  enum { WARP = 32 };
  int radix[FS_FOURIER_PASSES], most = 1, passes = fs_fourier_radices(n, radix), threads = 1;
  for (int k = 0; k < passes; k++) most = FS_MAX(most, radix[k]);
  while (threads < WARP && threads * most < n) threads *= 2;
  return threads * most < n ? (int)fs_round_up(fs_ceil_div(n, most), WARP) : threads;
}

/* The routine that makes the transform of a line, which kernels call; NULL: there is none. */
static const struct fs_user *routine(struct fs_interp *in, const struct transform *t,
                                     const struct fs_tv *re, bool real) {
  enum { LEAST = 8 };
  const struct fs_shape *s = &re->shape;
  int64_t taken = s->dim[t->axis], parts = t->op == FS_LIB_FFT ? t->n : t->n / 2 + 1;
  int room = (int)(t->n + t->n / 32), size = (int)fs_dtype_size(re->dtype);
  bool fits = t->n >= LEAST && t->n * size <= FS_FOURIER_BYTES / 2 &&
              fs_fourier_fits(t->n, re->dtype);
  if (!in->target || strcmp(in->target->ops->language, "cuda") || !fits || taken < 2 ||
      t->axis != s->rank - 1 || taken > (t->op == FS_LIB_IRFFT ? parts : t->n))
    return NULL;
  struct fs_user u = {.name = "fft", .by_instance = true, .compute = re->dtype, .streams = true,
                      .piece = "fs_fourier_line",
                      .pairs = t->op != FS_LIB_IRFFT, .threads = threads_of(t->n), .impl = 1,
                      .n_args = real ? 1 : 2, .scratch = 2 * room};
  if (t->op == FS_LIB_RFFT) u.name = "rfft";
  if (t->op == FS_LIB_IRFFT) u.name = "irfft";
  u.arg[0] = line_of("re", re->dtype, taken);
  if (!real) u.arg[1] = line_of("im", re->dtype, taken);
  u.result = line_of("", re->dtype, t->op == FS_LIB_IRFFT ? t->n : 2 * parts);
  u.flops = 5 * (double)t->n * log2((double)t->n);
  struct fs_str text = {0};
  put_line_text(t, taken, real, room, &text);
  u.cuda = (struct fs_user_text){fs_str_text(&text), "fusible.h", 1};
  u.hash = fs_elem_hash(&u);
  const struct fs_user *known = fs_elem_kept(in, &u);
  if (!known) {
    u.cuda.text = fs_arena_strndup(in->elem_arena, text.data, text.len);
    known = fs_elem_keep(in, u);
  }
  fs_str_free(&text);
  return known;
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
  const struct fs_user *line = routine(in, t, &re, z->real);
  if (line) whole.node = fs_graph_lib_or(fs_block_graph(in), whole.node, line);
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
