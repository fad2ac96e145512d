/* builtins_math.c - elementwise functions, reductions, map and reduce, linear
 * algebra. On host numbers elementwise functions compute at once. */
#include "core/eval/builtins.h"
#include "core/eval/complex.h"
#include "core/eval/scalar.h"

#include <math.h>

/* -- elementwise functions ------------------------------------------------- */

static enum fs_status map_on_host(struct fs_call *c) {
  struct fs_scalar x[3];
  bool literal = true;
  for (int k = 0; k < c->n; k++) {
    literal &= c->args[k].literal;
    x[k] = fs_scalar_of(&c->args[k]);
  }
  c->out[0] = fs_scalar_value(fs_scalar_map((enum fs_map_op)c->builtin->data, x));
  c->out[0].literal = literal && c->out[0].kind == FS_V_NUMBER;
  return FS_OK;
}

/* What the largest, the smallest, the sum and the product of one number on the host
 * are: itself, but a truth counts, as in an array. */
static enum fs_status reduce_on_host(struct fs_call *c) {
  struct fs_val v = c->args[0];
  c->out[0] = v.kind == FS_V_BOOL ? fs_val_number(v.number, true) : v;
  c->out[0].literal = v.literal;
  return FS_OK;
}

/* Whether no partial product of a range's whole numbers leaves i64. After 63 factors that
 * are not -1, 0 or 1 it has. */
static bool product_fits(const struct fs_val *r) {
  double product = 1, x = r->start;
  int64_t n = fs_range_count(r);
  for (int64_t k = 0; k < n && fabs(product) < 0x1p63; k++, x += r->step) {
    if (x == 0) return true;
    product *= x;
  }
  return fabs(product) < 0x1p63;
}

static bool holds_zero(const struct fs_val *r) {
  double k = -r->start / r->step;
  return k == floor(k) && k >= 0 && k < (double)fs_range_count(r);
}

/* How many elements are put together over some dimensions, or all. */
static int64_t count_over(const struct fs_shape *s, unsigned dims) {
  int64_t n = 1;
  for (int k = 0; k < s->rank; k++) n *= !dims || dims >> k & 1 ? s->dim[k] : 1;
  return n;
}

/* Products of whole numbers may leave i64, and wrap. Those of a range are computed in f64
 * then; those of elements that nobody has seen are warned of where they may well do so, unless
 * overflow.h sees to it. */
static void as_factors(struct fs_call *c, const struct fs_val *v, unsigned dims, bool so_far,
                       struct fs_tv *x) {
  enum { MANY = 20 };
  int64_t n = count_over(&x->shape, dims);
  if (fs_dtype_is_float(x->dtype) || x->dtype == FS_BOOL) return;
  if (v->kind == FS_V_RANGE) {
    bool fits = product_fits(v) || (!so_far && holds_zero(v));
    if (!fits) *x = fs_tv_cast(c->in, *x, FS_F64);
  } else if (n > MANY && !c->in->lib_depth && (so_far || !c->in->overflow)) {
    fs_tell_once(c->in->diags, FS_WARNING, c->span, "integer-product",
                 "in double precision it is prod(f64(x)), cumprod(f64(x))",
                 "a product of %lld whole numbers wraps around where it is 2^63 or more",
                 (long long)n);
  }
}

/* Nothing has neither a largest element nor a place for it. */
static enum fs_status check_some(struct fs_call *c, enum fs_reduce_op op, int k,
                                 const struct fs_shape *shape, unsigned dims) {
  bool extreme = op == FS_RD_MAXR || op == FS_RD_MINR || fs_reduces_to_place(op);
  if (!extreme || count_over(shape, dims)) return FS_OK;
  if (dims && !count_over(shape, ~dims)) return FS_OK; /* of as many lines: none */
  return fs_in_error(c->in, c->arg_spans[k], "empty", "isempty(x) asks whether there is any",
                     "there is no %s of no elements: %s is %s", fs_reduce_ops[op].name,
                     fs_in_text(c->in, c->arg_spans[k]), fs_shape_text(shape));
}

/* Argument k over the dimensions that argument k + 1 says; m, i = max(x) gives places as well. */
static enum fs_status reduce_arg(struct fs_call *c, enum fs_reduce_op op, int k) {
  unsigned dims;
  struct fs_tv a;
  enum fs_status st = fs_arg_dims(c, k + 1, &dims);
  if (st == FS_OK) st = fs_arg_tv(c, k, &a);
  if (st == FS_OK) st = check_some(c, op, k, &a.shape, dims);
  if (st != FS_OK) return st;
  if (op == FS_RD_PROD) as_factors(c, &c->args[k], dims, false, &a);
  fs_give(c, fs_tv_reduce_over(c->in, op, a, dims));
  if (c->want < 2 || (op != FS_RD_MAXR && op != FS_RD_MINR)) return FS_OK;
  op = op == FS_RD_MAXR ? FS_RD_ARGMAX : FS_RD_ARGMIN;
  struct fs_tv places = fs_tv_reduce_over(c->in, op, a, dims);
  c->out[1] = fs_tv_value(c->in, &places);
  return FS_OK;
}

/* Operations on bits take integers, and whole numbers that the host holds. */
static enum fs_status want_integers(struct fs_call *c) {
  const double once = 0x1p53;
  for (int k = 0; k < c->n; k++) {
    const struct fs_val *v = &c->args[k];
    bool real = v->kind == FS_V_TENSOR && fs_dtype_is_float(v->tensor->dtype);
    if (v->kind == FS_V_NUMBER) real = !v->is_int || fabs(v->number) > once;
    if (v->kind == FS_V_RANGE) real = !fs_range_is_whole(v);
    if (real)
      return fs_in_error(c->in, c->arg_spans[k], "wrong-type",
                         "i64(x) makes integers of it, fractions cut off",
                         "%s takes integers, not %s", c->builtin->name,
                         v->kind == FS_V_TENSOR ? fs_dtype_name(v->tensor->dtype)
                                                : fs_in_text(c->in, c->arg_spans[k]));
  }
  return FS_OK;
}

/* max(A, [], dim): the middle argument stands for one that is not there. */
static enum fs_status extreme_along(struct fs_call *c) {
  if (!fs_is_left_out(&c->args[1]))
    return fs_in_error(c->in, c->arg_spans[1], "wrong-type",
                       "max(A, [], dim) goes along a dimension, max(max(x, y), z) takes three values",
                       "between a value and a dimension stands []");
  struct fs_val args[2] = {c->args[0], c->args[2]};
  struct fs_span spans[2] = {c->arg_spans[0], c->arg_spans[2]};
  struct fs_call along = *c;
  along.n = 2;
  along.args = args;
  along.arg_spans = spans;
  along.want = FS_MAX(c->want, 1);
  if (fs_val_is_host(&args[0])) {
    unsigned dims;
    enum fs_status st = fs_arg_dims(&along, 1, &dims);
    if (st == FS_OK && c->want > 1) c->out[1] = fs_val_number(1, true);
    if (st == FS_OK) c->out[0] = fs_val_ref(args[0]);
    return st;
  }
  return reduce_arg(&along, c->builtin->data == FS_OP_MIN ? FS_RD_MINR : FS_RD_MAXR, 0);
}

enum fs_status fs_bi_map_op(struct fs_call *c) {
  enum fs_map_op op = (enum fs_map_op)c->builtin->data;
  bool host = true;
  if ((op == FS_OP_MIN || op == FS_OP_MAX) && c->n == 3) return extreme_along(c);
  if (fs_map_takes_integers(op) && want_integers(c) != FS_OK) return FS_ERR_USER;
  for (int k = 0; k < c->n; k++) host = host && fs_val_is_host(&c->args[k]);
  if ((op == FS_OP_MIN || op == FS_OP_MAX) && (c->n == 1 || c->want > 1)) {
    if (host && c->want > 1) c->out[1] = fs_val_number(1, true);
    return host ? reduce_on_host(c)
                : reduce_arg(c, op == FS_OP_MIN ? FS_RD_MINR : FS_RD_MAXR, 0);
  }
  if (host) return map_on_host(c);
  struct fs_tv src[3], out;
  /* The mask of where() has no part in the type of the result. */
  int first = op == FS_OP_WHERE;
  enum fs_status st = first ? fs_arg_tv(c, 0, &src[0]) : FS_OK;
  if (st == FS_OK)
    st = fs_tv_operands(c->in, c->n - first, c->args + first,
                        c->arg_spans + first, src + first);
  if (st == FS_OK)
    st = fs_tv_map(c->in, op, c->n, src, c->arg_spans, c->span,
                   fs_map_ops[op].name, &out);
  return st == FS_OK ? fs_give(c, out) : st;
}

/* -- reductions ------------------------------------------------------------ */

enum fs_status fs_bi_reduce_op(struct fs_call *c) {
  unsigned dims;
  enum fs_reduce_op op = (enum fs_reduce_op)c->builtin->data;
  if (fs_val_is_host(&c->args[0])) {
    enum fs_status st = fs_arg_dims(c, 1, &dims);
    if (st != FS_OK) return st;
    if (op != FS_RD_ANY && op != FS_RD_ALL) return reduce_on_host(c);
    c->out[0] = fs_val_bool(c->args[0].number != 0);
    return FS_OK;
  }
  return reduce_arg(c, op, 0);
}

/* -- along lines ----------------------------------------------------------------------- */

/* What goes along a dimension of x: of all of a matrix (dim 0) along its elements row by
 * row. *axis is that of the squeezed shape, < 0: there is one element in every line. */
static enum fs_status line_arg(struct fs_call *c, int dim, struct fs_tv *x, int *axis) {
  enum fs_status st = fs_arg_tv(c, 0, x);
  struct fs_shape flat = st == FS_OK ? fs_squeezed(&x->shape) : (struct fs_shape){0};
  if (st == FS_OK && !dim && flat.rank > 1) {
    flat = (struct fs_shape){1, {fs_shape_count(&x->shape)}};
    st = fs_tv_reshape(c->in, *x, &flat, x);
  }
  if (st != FS_OK) return st;
  int axis_of[FS_MAX_RANK];
  fs_squeeze(&x->shape, axis_of);
  *axis = dim ? -1 : flat.rank - 1;
  if (dim && dim <= x->shape.rank) *axis = axis_of[dim - 1];
  return FS_OK;
}

enum fs_status fs_bi_so_far(struct fs_call *c) {
  enum fs_lib_op op = (enum fs_lib_op)c->builtin->data;
  bool extreme = op == FS_LIB_CUMMAX || op == FS_LIB_CUMMIN;
  int dim, axis;
  struct fs_tv x;
  enum fs_status st = fs_arg_dim(c, 1, &dim);
  if (st == FS_OK && fs_val_is_host(&c->args[0])) return reduce_on_host(c);
  if (st == FS_OK) st = line_arg(c, dim, &x, &axis);
  if (st != FS_OK) return st;
  if (op == FS_LIB_CUMPROD) as_factors(c, &c->args[0], dim ? 1u << (dim - 1) : 0, true, &x);
  enum fs_dtype dt = x.dtype; /* as of sum and max */
  dt = extreme ? fs_dtype_number(dt) : fs_dtype_sum(dt);
  if (axis < 0) return fs_give(c, fs_tv_cast(c->in, x, dt));
  struct fs_shape squeezed = fs_squeezed(&x.shape);
  struct fs_tv out = {0, dt, x.shape};
  out.node = fs_graph_lib(fs_block_graph(c->in), op, dt, &x.shape, x.node, &squeezed, 0,
                          NULL, (unsigned)axis);
  return fs_give(c, out);
}

/* Takes a last argument "descend" or "ascend" off. */
static enum fs_status order_arg(struct fs_call *c, bool *descending) {
  const char *word = NULL;
  *descending = false;
  if (c->n < 2 || c->args[c->n - 1].kind != FS_V_STRING)
    return c->n < 3 ? FS_OK : fs_arg_string(c, 2, "the order", &word);
  word = c->args[--c->n].string->text;
  *descending = strcmp(word, "descend") == 0;
  if (*descending || strcmp(word, "ascend") == 0) return FS_OK;
  return fs_in_error(c->in, c->arg_spans[c->n], "unknown-order",
                     "orders are \"ascend\" and \"descend\"",
                     "there is no order '%.40s'", word);
}

/* What one of SORT and ARGSORT gives into result k. */
static enum fs_status sorted(struct fs_call *c, enum fs_lib_op op, bool descending, int k) {
  int dim, axis;
  struct fs_tv x;
  enum fs_status st = fs_arg_dim(c, 1, &dim);
  if (st == FS_OK && fs_val_is_host(&c->args[0])) {
    c->out[k] = op == FS_LIB_SORT ? c->args[0] : fs_val_number(1, true);
    return FS_OK;
  }
  if (st == FS_OK) st = line_arg(c, dim, &x, &axis);
  if (st != FS_OK) return st;
  if (axis < 0) {
    struct fs_tv alone = op == FS_LIB_SORT ? x : fs_tv_all_first(c->in, &x.shape);
    c->out[k] = fs_tv_value(c->in, &alone);
    return FS_OK;
  }
  enum fs_dtype dt = op == FS_LIB_SORT ? x.dtype : FS_I64;
  struct fs_shape squeezed = fs_squeezed(&x.shape);
  struct fs_tv out = {0, dt, x.shape};
  out.node = fs_graph_lib(fs_block_graph(c->in), op, dt, &x.shape, x.node, &squeezed, 0,
                          NULL, (unsigned)axis | (descending ? FS_LIB_DESCENDING : 0));
  c->out[k] = fs_tv_value(c->in, &out);
  return FS_OK;
}

/* `s, p = sort(x)`: the positions as well. */
enum fs_status fs_bi_sort(struct fs_call *c) {
  enum fs_lib_op op = (enum fs_lib_op)c->builtin->data;
  bool descending, both = c->want > 1 && op == FS_LIB_SORT;
  enum fs_status st = order_arg(c, &descending);
  if (st == FS_OK) st = sorted(c, op, descending, 0);
  if (st == FS_OK && both) st = sorted(c, FS_LIB_ARGSORT, descending, 1);
  return st;
}

enum fs_status fs_bi_mean(struct fs_call *c) {
  unsigned dims;
  struct fs_tv a;
  enum fs_status st = fs_arg_dims(c, 1, &dims);
  if (st == FS_OK && fs_val_is_host(&c->args[0])) {
    c->out[0] = fs_val_number(c->args[0].number, false);
    return FS_OK;
  }
  if (st == FS_OK) st = fs_arg_tv(c, 0, &a);
  if (st != FS_OK) return st;
  int64_t count = count_over(&a.shape, dims);
  enum fs_dtype dt = fs_dtype_real(a.dtype), on = fs_dtype_compute(dt);
  /* In f32 for 16-bit floats: f16 holds neither large sums nor large counts. */
  struct fs_tv sum = fs_tv_reduce_over(c->in, FS_RD_SUM, fs_tv_cast(c->in, a, on), dims);
  struct fs_tv mean = fs_tv_map2(c->in, FS_OP_DIV, sum,
                                 fs_tv_number(c->in, (double)count, on));
  return fs_give(c, fs_tv_cast(c->in, mean, dt));
}

/* Squares are summed in a type that holds those of every element: f64 has them of
 * f32 and bf16, f32 of f16. Of f64 there is no such type: see norm_f64(). */
static enum fs_dtype squares_type(enum fs_dtype dt) {
  return dt == FS_F16 ? FS_F32 : FS_F64;
}

static struct fs_tv root_of_squares(struct fs_interp *in, struct fs_tv x, unsigned dims) {
  struct fs_tv squares = fs_tv_map1(in, FS_OP_SQUARE, x);
  return fs_tv_map1(in, FS_OP_SQRT, fs_tv_reduce_over(in, FS_RD_SUM, squares, dims));
}

/* x times a power of 2, in f64. */
static struct fs_tv scaled(struct fs_interp *in, struct fs_tv x, int power) {
  return fs_tv_map2(in, FS_OP_MUL, x, fs_tv_literal(in, ldexp(1, power), FS_F64));
}

/* In f64 squares may overflow or vanish, so they are summed three times in one trip over
 * memory: as they are, of elements made small, and of elements made large (after Blue, A
 * Portable Fortran Program to Find the Euclidean Norm of a Vector, 1978). Which sum counts,
 * the plain one tells; what it gives without overflow or underflow keeps its bits. What is
 * made small gets 2^-500 more, so that squares of ordinary elements are no subnormal numbers,
 * which take a CPU long; of large elements that is rounded away. */
static struct fs_tv norm_f64(struct fs_interp *in, struct fs_tv x, unsigned dims) {
  enum { DOWN = 538, UP = 563 };
  struct fs_tv fma[3] = {x, fs_tv_literal(in, ldexp(1, -DOWN), FS_F64),
                         fs_tv_literal(in, ldexp(1, -500), FS_F64)};
  struct fs_span spans[3] = {in->span, in->span, in->span};
  struct fs_tv down = x;
  fs_tv_map(in, FS_OP_FMA, 3, fma, spans, in->span, "", &down);
  struct fs_tv large = root_of_squares(in, down, dims);
  struct fs_tv small = root_of_squares(in, scaled(in, x, UP), dims);
  struct fs_tv plain = root_of_squares(in, x, dims);
  struct fs_tv least = fs_tv_literal(in, ldexp(1, -450), FS_F64);
  struct fs_tv most = fs_tv_literal(in, ldexp(1, 500), FS_F64);
  struct fs_tv norm = fs_tv_choose(in, fs_tv_map2(in, FS_OP_LT, plain, least),
                                   scaled(in, small, -UP), plain);
  return fs_tv_choose(in, fs_tv_map2(in, FS_OP_GT, plain, most), scaled(in, large, DOWN), norm);
}

enum fs_status fs_bi_norm(struct fs_call *c) {
  struct fs_tv a;
  unsigned dims;
  enum fs_status st = fs_arg_dims(c, 1, &dims);
  if (st == FS_OK && fs_val_is_host(&c->args[0])) {
    c->out[0] = fs_val_number(fabs(c->args[0].number), false);
    return FS_OK;
  }
  if (st == FS_OK) st = fs_arg_tv(c, 0, &a);
  if (st != FS_OK) return st;
  enum fs_dtype dt = fs_dtype_real(a.dtype);
  a = fs_tv_cast(c->in, fs_tv_cast(c->in, a, dt), squares_type(dt));
  struct fs_tv root = dt == FS_F64 ? norm_f64(c->in, a, dims) : root_of_squares(c->in, a, dims);
  return fs_give(c, fs_tv_cast(c->in, root, fs_dtype_compute(dt)));
}

enum fs_status fs_bi_dot(struct fs_call *c) {
  struct fs_tv v[2];
  if (fs_val_is_host(&c->args[0]) && fs_val_is_host(&c->args[1]))
    return fs_eval_binary(c->in, FS_AO_MUL, &c->args[0], c->arg_spans[0],
                          &c->args[1], c->arg_spans[1], c->span, &c->out[0]);
  enum fs_status st = fs_tv_operands(c->in, 2, c->args, c->arg_spans, v);
  if (st != FS_OK) return st;
  int64_t n = fs_shape_count(&v[0].shape), m = fs_shape_count(&v[1].shape);
  if (n != m || !fs_is_vector(&v[0].shape) || !fs_is_vector(&v[1].shape))
    return fs_in_error(c->in, c->span, "shape-mismatch", NULL,
                       "dot needs two vectors of one length: %s is %s, %s is %s",
                       fs_in_text(c->in, c->arg_spans[0]),
                       fs_shape_text(&v[0].shape),
                       fs_in_text(c->in, c->arg_spans[1]),
                       fs_shape_text(&v[1].shape));
  v[0].shape = v[1].shape = fs_shape_of(1, &n);
  enum fs_dtype dt = fs_dtype_promote(v[0].dtype, v[1].dtype);
  if (!fs_dtype_is_float(dt)) v[0] = fs_tv_cast(c->in, v[0], fs_dtype_sum(dt)); /* as x'*y */
  struct fs_tv products = fs_tv_map2(c->in, FS_OP_MUL, v[0], v[1]);
  return fs_give(c, fs_tv_reduce(c->in, FS_RD_SUM, products, 0));
}

/* -- map and reduce with functions ----------------------------------------- */

/* The shape that the arrays of map() have together. */
static enum fs_status element_shape(struct fs_call *c, struct fs_shape *shape) {
  struct fs_tv t[2] = {{0}}; /* those so far, the next one */
  enum fs_status st = FS_OK;
  *shape = (struct fs_shape){0};
  for (int k = 1; k < c->n && st == FS_OK; k++) {
    struct fs_span spans[] = {c->arg_spans[FS_MAX(k - 1, 1)], c->arg_spans[k]};
    const struct fs_val *v = &c->args[k];
    if (v->kind == FS_V_RANGE) t[1].shape = (struct fs_shape){1, {fs_range_count(v)}};
    else if (fs_val_like(v)) t[1].shape = fs_val_like(v)->shape;
    else continue;
    t[0].shape = *shape;
    st = fs_tv_common(c->in, 2, t, spans, c->span, "map", shape);
  }
  return st;
}

static enum fs_status complex_as_often(struct fs_call *c, const struct fs_shape *shape) {
  struct fs_val *got = &c->out[0], pair[] = {*got, c->args[1]};
  struct fs_span spans[] = {c->span, c->arg_spans[1]};
  struct fs_cx z[2];
  enum fs_status st = fs_cx_operands(c->in, fs_val_is_host(&pair[1]) ? 1 : 2, pair, spans, z);
  if (st != FS_OK) return st;
  z[0].re = fs_tv_repeat(c->in, z[0].re.node, shape);
  z[0].im = fs_tv_repeat(c->in, z[0].im.node, shape);
  fs_val_unref(*got);
  *got = fs_cx_value(c->in, &z[0]);
  return FS_OK;
}

/* A function may give the same for all elements: that is there as often as they are. */
static enum fs_status as_often(struct fs_call *c, const struct fs_shape *shape) {
  struct fs_val *got = &c->out[0], pair[] = {c->args[1], *got};
  struct fs_span spans[] = {c->arg_spans[1], c->span};
  struct fs_tv t[2];
  if (fs_val_is_complex(got)) return complex_as_often(c, shape);
  for (int k = 2; k < c->n && fs_val_is_host(&pair[0]); k++) pair[0] = c->args[k];
  enum fs_status st = fs_tv_operands(c->in, 2, pair, spans, t);
  if (st == FS_OK && got->kind == FS_V_BOOL) st = fs_tv_of(c->in, got, c->span, NULL, &t[1]);
  if (st != FS_OK) return st;
  fs_val_unref(*got);
  *got = (struct fs_val){FS_V_NONE};
  return fs_give(c, fs_tv_repeat(c->in, t[1].node, shape));
}

/* What the function gave, which stands for one number of each element. */
static enum fs_status take_mapped(struct fs_call *c, const struct fs_shape *shape) {
  struct fs_val *got = &c->out[0];
  const struct fs_tensor *t = fs_val_like(got);
  bool array = t && t->shape.rank > 0;
  if (!t && !fs_val_is_host(got) && !fs_val_is_complex_number(got))
    return fs_in_error(c->in, c->arg_spans[0], "wrong-type", NULL,
                       "the function of map must give numbers, not %s", fs_val_text(got));
  bool defined = c->args[0].func->kind == FS_FN_USER;
  if (array && defined && !got->of_element && fs_shape_count(&t->shape) > 1)
    return fs_in_error(c->in, c->arg_spans[0], "element",
                       "a loop makes an array for each element",
                       "map needs one number for each element, and the function gives an array "
                       "of %s",
                       fs_shape_text(&t->shape));
  return array || !shape->rank ? FS_OK : as_often(c, shape);
}

enum fs_status fs_bi_map(struct fs_call *c) {
  struct fs_interp *in = c->in;
  if (c->args[0].kind != FS_V_FUNCTION)
    return fs_in_error(in, c->arg_spans[0], "wrong-type",
                       "for instance: map(x -> x^2 + 1, A)",
                       "the first argument of map must be a function, not %s",
                       fs_val_text(&c->args[0]));
  bool before = in->elementwise, saw = in->saw_element;
  struct fs_shape outer = in->element_shape, shape;
  int got = 0;
  enum fs_status st = element_shape(c, &shape);
  if (st != FS_OK) return st;
  in->elementwise = true;
  in->element_shape = shape;
  for (int k = 1; k < c->n; k++) c->args[k].of_element = true;
  st = fs_call_func(in, c->args[0].func, c->n - 1, c->args + 1, c->arg_spans + 1, c->span, 1,
                    c->out, &got);
  in->elementwise = before;
  in->element_shape = outer;
  in->saw_element = saw;
  if (st == FS_OK && got) st = take_mapped(c, &shape);
  c->out[0].of_element = false;
  if (st == FS_OK) return FS_OK;
  fs_val_unref(c->out[0]);
  c->out[0] = (struct fs_val){FS_V_NONE};
  return st;
}

static const struct {
  const char *name;
  enum fs_reduce_op op;
} reductions[] = {
    {"sum", FS_RD_SUM},  {"+", FS_RD_SUM},   {"add", FS_RD_SUM},
    {"prod", FS_RD_PROD}, {"*", FS_RD_PROD}, {"mul", FS_RD_PROD},
    {"max", FS_RD_MAXR}, {"min", FS_RD_MINR}, {"any", FS_RD_ANY},
    {"||", FS_RD_ANY},   {"or", FS_RD_ANY},  {"all", FS_RD_ALL},
    {"&&", FS_RD_ALL},   {"and", FS_RD_ALL},
    {"argmax", FS_RD_ARGMAX}, {"argmin", FS_RD_ARGMIN},
    {"var", FS_RD_VAR}, {"logsumexp", FS_RD_LOGSUMEXP}};

static bool reduction_by_name(const char *name, enum fs_reduce_op *op) {
  for (size_t k = 0; k < FS_LEN(reductions); k++)
    if (strcmp(reductions[k].name, name) == 0) {
      *op = reductions[k].op;
      return true;
    }
  return false;
}

static bool names_param(const struct fs_expr *e, const struct fs_func *f,
                        int k) {
  return e->kind == FS_EX_NAME && strcmp(e->text, f->params[k].name) == 0;
}

/* Both parameters, in whatever order: none of the reductions minds. */
static bool takes_both(struct fs_expr *const *args, const struct fs_func *f) {
  return (names_param(args[0], f, 0) && names_param(args[1], f, 1)) ||
         (names_param(args[0], f, 1) && names_param(args[1], f, 0));
}

/* Whether the function means the built-in by that name, not one that hides it. */
static bool means_builtin(struct fs_interp *in, const struct fs_func *f,
                          const char *name) {
  for (int k = 0; k < f->captures.len; k++)
    if (!strcmp(f->captures.data[k].name, name)) return false;
  if (!f->from_prelude && fs_scope_find(&in->globals, name)) return false;
  struct fs_val v;
  if (!fs_lookup(in, name, &v)) return false;
  bool builtin = v.kind == FS_V_FUNCTION && v.func->kind == FS_FN_BUILTIN;
  fs_val_unref(v);
  return builtin;
}

/* (x, y) -> x + y, x * y, x && y, x || y, max(x, y), min(x, y). */
static bool reduction_by_lambda(struct fs_interp *in, const struct fs_func *f,
                                enum fs_reduce_op *op) {
  const struct fs_expr *e = f->expr;
  if (f->kind != FS_FN_USER || !e || f->n_params != 2) return false;
  if (e->kind == FS_EX_CALL && e->n_args == 3 &&
      e->args[0]->kind == FS_EX_NAME && takes_both(e->args + 1, f)) {
    const char *name = e->args[0]->text;
    bool minmax = strcmp(name, "max") == 0 || strcmp(name, "min") == 0;
    return minmax && means_builtin(in, f, name) && reduction_by_name(name, op);
  }
  if (e->kind != FS_EX_BINARY || !takes_both(e->args, f)) return false;
  switch (e->op) {
    case FS_AO_ADD: return reduction_by_name("sum", op);
    case FS_AO_MUL:
    case FS_AO_EMUL: return reduction_by_name("prod", op);
    case FS_AO_AND: return reduction_by_name("all", op);
    case FS_AO_OR: return reduction_by_name("any", op);
    default: return false;
  }
}

/* Whether the first argument says one of them, by a name or a function. */
static bool is_known(const struct fs_call *c, enum fs_reduce_op *op) {
  const struct fs_val *f = &c->args[0];
  if (f->kind == FS_V_STRING) return reduction_by_name(f->string->text, op);
  if (f->kind != FS_V_FUNCTION) return false;
  return (f->func->kind == FS_FN_BUILTIN && reduction_by_name(f->func->name, op)) ||
         reduction_by_lambda(c->in, f->func, op);
}

enum fs_status fs_bi_reduce(struct fs_call *c) {
  enum fs_reduce_op op = FS_RD_SUM;
  bool known = is_known(c, &op);
  unsigned dims = 0;
  if (!known && c->args[0].kind == FS_V_FUNCTION) {
    enum fs_status st = fs_arg_dims(c, 2, &dims);
    return st == FS_OK ? fs_fold(c, dims) : st;
  }
  if (!known)
    return fs_in_error(c->in, c->arg_spans[0], "bad-reduction",
                       "sum prod max min any all argmax argmin var logsumexp, or (x, y) -> x + y, x*y, "
                       "x && y, x || y, max(x, y), min(x, y)",
                       "reduce cannot put values together with this");
  return reduce_arg(c, op, 1);
}

/* Those of which all on the way is at hand. */
static const struct running {
  enum fs_reduce_op op;
  enum fs_lib_op lib;
  enum fs_map_op map;
} running[] = {{FS_RD_SUM, FS_LIB_CUMSUM, FS_OP_ADD}, {FS_RD_PROD, FS_LIB_CUMPROD, FS_OP_MUL},
               {FS_RD_MAXR, FS_LIB_CUMMAX, FS_OP_MAX}, {FS_RD_MINR, FS_LIB_CUMMIN, FS_OP_MIN}};

static enum fs_status run_known(struct fs_call *c, const struct running *r, bool dim) {
  struct fs_builtin so_far = *c->builtin;
  struct fs_call all = *c;
  struct fs_tv x[2], out;
  so_far.data = r->lib;
  all.builtin = &so_far;
  all.args++;
  all.arg_spans++;
  all.n = dim ? 2 : 1;
  enum fs_status st = fs_bi_so_far(&all);
  if (st != FS_OK || c->n < 4) return st;
  st = fs_arg_tv(c, 3, &x[0]);
  if (st == FS_OK)
    st = fs_tv_operands(c->in, 2, (struct fs_val[]){c->args[3], c->out[0]},
                        (struct fs_span[]){c->arg_spans[3], c->arg_spans[1]}, x);
  if (st == FS_OK && !fs_tv_is_one(&x[0]))
    st = fs_in_error(c->in, c->arg_spans[3], "bad-reduction", NULL,
                     "scan begins with one element, not with %s", fs_val_text(&c->args[3]));
  if (st == FS_OK)
    st = fs_tv_map(c->in, r->map, 2, x, (struct fs_span[]){c->arg_spans[3], c->arg_spans[1]},
                   c->span, "scan", &out);
  fs_val_unref(c->out[0]);
  c->out[0] = st == FS_OK ? fs_tv_value(c->in, &out) : (struct fs_val){FS_V_NONE};
  return st;
}

enum fs_status fs_bi_scan(struct fs_call *c) {
  enum fs_reduce_op op = FS_RD_SUM;
  const struct running *r = NULL;
  const struct fs_val *f = &c->args[0];
  bool none = c->n > 2 && c->args[2].kind == FS_V_TENSOR && !fs_shape_count(&c->args[2].tensor->shape);
  int dim = 0;
  enum fs_status st = none ? FS_OK : fs_arg_dim(c, 2, &dim);
  for (size_t k = 0; k < FS_LEN(running) && is_known(c, &op); k++)
    if (running[k].op == op) r = &running[k];
  if (st != FS_OK) return st;
  bool list = c->args[1].kind == FS_V_LIST || c->args[1].kind == FS_V_RECORD;
  if (r && !list) return run_known(c, r, dim);
  if (f->kind == FS_V_FUNCTION) return fs_scan(c, dim);
  return fs_in_error(c->in, c->arg_spans[0], "bad-reduction",
                     "sum prod max min, or a function: (a, b) -> a + b - a*b",
                     "scan cannot put values together with this");
}

/* -- linear algebra -------------------------------------------------------- */

static enum fs_status factor(struct fs_call *c, enum fs_lib_op op,
                             struct fs_val *out) {
  struct fs_tv a, r;
  enum fs_status st = fs_arg_tv(c, 0, &a);
  if (st == FS_OK)
    st = fs_tv_factor(c->in, op, c->builtin->name, a, c->span, &r);
  if (st == FS_OK) *out = fs_tv_value(c->in, &r);
  return st;
}

enum fs_status fs_bi_factor(struct fs_call *c) {
  return factor(c, (enum fs_lib_op)c->builtin->data, &c->out[0]);
}

/* Calls with several results; who wants one gets it from `alone`, which costs less. */
static const struct several {
  enum fs_lib_op op, alone;
  int results, indices; /* how many; the one that counts rows, or -1 */
} several[] = {{FS_LIB_SVD, FS_LIB_SVDVALS, 3, -1},
               {FS_LIB_QR, FS_LIB_QR_R, 2, -1},
               {FS_LIB_LU, FS_LIB_LU, 3, 2}};

enum fs_status fs_bi_factors(struct fs_call *c) {
  const struct several *s = several;
  while (s->op != (enum fs_lib_op)c->builtin->data) s++;
  if (c->want == 1 && s->alone != s->op) return factor(c, s->alone, &c->out[0]);
  struct fs_tv a, r[3];
  int n = FS_MIN(c->want, s->results);
  enum fs_status st = fs_arg_tv(c, 0, &a);
  if (st == FS_OK) st = fs_tv_factors(c->in, s->op, c->builtin->name, a, c->span, n, r);
  for (int k = 0; k < n && st == FS_OK; k++) {
    if (k == s->indices) r[k] = fs_tv_cast(c->in, r[k], FS_I64);
    c->out[k] = fs_tv_value(c->in, &r[k]);
  }
  return st;
}

/* The product of the pivots, with the sign of their rows' permutation; 0 where one is 0,
 * even if the others' product is infinite. */
enum fs_status fs_bi_det(struct fs_call *c) {
  struct fs_tv a, r[4];
  enum fs_status st = fs_arg_tv(c, 0, &a);
  if (st != FS_OK) return st;
  fs_tv_drop_leading(&a);
  struct fs_shape one = fs_matrix_of(&a.shape), batch = fs_batch_of(&a.shape);
  if (one.dim[0] != one.dim[1])
    return fs_in_error(c->in, c->span, "shape-mismatch", NULL,
                       "det needs a square matrix, not %s", fs_shape_text(&a.shape));
  if (fs_tv_small(c->in, FS_SMALL_DET, fs_dtype_compute(fs_dtype_real(a.dtype)), a, NULL, &r[0]))
    return fs_give(c, r[0]);
  st = fs_tv_factors(c->in, FS_LIB_LU, "det", a, c->span, 4, r);
  if (st != FS_OK) return st;
  struct fs_tv unit = fs_tv_literal(c->in, 1, r[1].dtype);
  if (!one.dim[0]) return fs_give(c, batch.rank ? fs_tv_repeat(c->in, unit.node, &batch) : unit);
  int last = batch.rank ? batch.rank + 1 : 0; /* all of a vector */
  struct fs_tv pivots = fs_tv_diagonal(c->in, r[1], 0), zero = fs_tv_number(c->in, 0, pivots.dtype);
  struct fs_tv sign = fs_tv_reduce(c->in, FS_RD_MAXR, r[3], last);
  struct fs_tv product = fs_tv_reduce(c->in, FS_RD_PROD, pivots, last);
  struct fs_tv singular = fs_tv_map2(c->in, FS_OP_EQ, pivots, zero);
  struct fs_tv src[] = {fs_tv_reduce(c->in, FS_RD_ANY, singular, last), zero,
                        fs_tv_map2(c->in, FS_OP_MUL, sign, product)};
  struct fs_span spans[] = {c->span, c->span, c->span};
  st = fs_tv_map(c->in, FS_OP_WHERE, 3, src, spans, c->span, "det", &a);
  return st == FS_OK ? fs_give(c, a) : st;
}

enum fs_status fs_bi_solve(struct fs_call *c) {
  return fs_eval_binary(c->in, FS_AO_SOLVE, &c->args[0], c->arg_spans[0],
                        &c->args[1], c->arg_spans[1], c->span, &c->out[0]);
}

enum fs_status fs_bi_trace(struct fs_call *c) {
  struct fs_tv a;
  enum fs_status st = fs_arg_tv(c, 0, &a);
  if (st != FS_OK) return st;
  fs_tv_drop_leading(&a);
  struct fs_shape one = fs_matrix_of(&a.shape);
  if (one.dim[0] != one.dim[1])
    return fs_in_error(c->in, c->span, "shape-mismatch", NULL,
                       "trace needs a square matrix, not %s",
                       fs_shape_text(&a.shape));
  a = fs_tv_diagonal(c->in, a, 0);
  return fs_give(c, fs_tv_reduce(c->in, FS_RD_SUM, a, a.shape.rank > 1 ? a.shape.rank : 0));
}

enum fs_status fs_bi_find(struct fs_call *c) {
  struct fs_tv x;
  struct fs_val list;
  int64_t count = 0;
  if (c->args[0].kind == FS_V_STRING && c->n == 2) return fs_text_find(c);
  enum fs_status st = c->n == 1 ? fs_arg_tv(c, 0, &x)
                                : fs_in_error(c->in, c->arg_spans[0], "wrong-type",
                                              "of a mask it is find(mask)",
                                              "find with two arguments takes texts, not %s",
                                              fs_val_text(&c->args[0]));
  if (st != FS_OK) return st;
  x = fs_tv_cast(c->in, x, FS_BOOL);
  struct fs_val mask = fs_tv_value(c->in, &x);
  st = fs_find_true(c->in, &mask, c->arg_spans[0], &list, &count);
  fs_val_unref(mask);
  if (st == FS_OK) c->out[0] = list;
  return st;
}

/* places(A, i, j): the places that A[i[k], j[k]] have among all elements. */
enum fs_status fs_bi_places(struct fs_call *c) {
  struct fs_tv out = {0};
  const struct fs_val *v = &c->args[0];
  struct fs_shape whole = v->kind == FS_V_TENSOR ? v->tensor->shape : fs_shape_scalar();
  if (v->kind == FS_V_RANGE) whole = fs_shape_of(1, (int64_t[]){fs_range_count(v)});
  if (c->n - 1 != whole.rank)
    return fs_in_error(c->in, c->span, "bad-index", NULL, "%s is %s and needs %d indices, not %d",
                       fs_in_text(c->in, c->arg_spans[0]), fs_shape_text(&whole), whole.rank,
                       c->n - 1);
  enum fs_status st = fs_tv_places(c->in, &whole, whole.rank, c->args + 1, c->arg_spans + 1,
                                   c->span, &out);
  return st == FS_OK ? fs_give(c, out) : st;
}
