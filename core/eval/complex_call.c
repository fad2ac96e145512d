/* complex_call.c - calls of built-in functions with complex arguments, and functions that make
 * complex values or take them apart. */
#include "core/eval/builtins.h"
#include "core/eval/complex.h"
#include "core/lang/parse.h"

static bool names_type(const struct fs_val *v, enum fs_dtype *part) {
  return v->kind == FS_V_STRING && fs_cx_type_from_name(v->string->text, part);
}

/* A last argument "c64" or "c128" of those that take a type. */
static bool asks_for_type(const struct fs_call *c, enum fs_dtype *part) {
  static const char makers[] = " zeros ones fill eye rand randn linspace ";
  return c->n && names_type(&c->args[c->n - 1], part) && fs_has_word(makers, c->builtin->name);
}

bool fs_takes_complex(const struct fs_call *c) {
  enum fs_dtype part;
  bool any = false;
  for (int k = 0; k < c->n; k++) any = any || fs_val_is_complex(&c->args[k]);
  return (any && !(c->builtin->traits & FS_BT_COMPLEX)) || asks_for_type(c, &part);
}

static enum fs_status give(struct fs_call *c, const struct fs_cx *z) {
  c->out[0] = fs_cx_value(c->in, z);
  return FS_OK;
}

/* Argument k, which may be complex. */
static enum fs_status arg(struct fs_call *c, int k, struct fs_cx *out) {
  return fs_cx_of(c->in, &c->args[k], c->arg_spans[k], FS_F64, out);
}

/* -- by parts ---------------------------------------------------------------- */

/* Calls the function with parts of the first argument: real ones, imaginary ones. */
static enum fs_status call_with(struct fs_call *c, struct fs_val first, struct fs_val *out) {
  struct fs_val *args = fs_malloc(sizeof *args * (size_t)c->n);
  struct fs_call inner = *c;
  memcpy(args, c->args, sizeof *args * (size_t)c->n);
  args[0] = first;
  inner.args = args;
  inner.out = out;
  inner.want = 1;
  enum fs_status st = c->builtin->fn(&inner);
  free(args);
  return st;
}

static enum fs_status of_parts(struct fs_call *c) {
  struct fs_val part[2] = {{FS_V_NONE}, {FS_V_NONE}};
  const struct fs_val *of = c->args[0].complex->part;
  enum fs_status st = FS_OK;
  for (int k = 0; k < 2 && st == FS_OK; k++) {
    st = call_with(c, of[k], &part[k]);
    if (st == FS_OK && part[k].kind == FS_V_TENSOR) { /* of halves and the like it is wider */
      struct fs_cx t = {.real = true};
      st = fs_tv_of(c->in, &part[k], c->span, NULL, &t.re);
      struct fs_val old = part[k];
      if (st == FS_OK) t.re = fs_tv_cast(c->in, t.re, fs_cx_part_type(t.re.dtype));
      if (st == FS_OK) part[k] = fs_tv_value(c->in, &t.re);
      fs_val_unref(old);
    }
  }
  if (st == FS_OK) c->out[0] = fs_val_complex(part[0], part[1]);
  else fs_val_unref(part[0]);
  return st;
}

/* any, all, find: of where the argument is not 0. */
static enum fs_status of_truth(struct fs_call *c) {
  struct fs_cx z;
  enum fs_status st = arg(c, 0, &z);
  if (st != FS_OK) return st;
  struct fs_tv truth = fs_cx_truth(c->in, &z);
  struct fs_val mask = fs_tv_value(c->in, &truth);
  st = call_with(c, mask, &c->out[0]);
  fs_val_unref(mask);
  return st;
}

/* -- constructors ------------------------------------------------------------ */

/* The imaginary parts of random numbers are drawn behind the real ones; of what else is made
 * here they are 0 but where fill() has some. */
static enum fs_status make(struct fs_call *c, enum fs_dtype type) {
  const char *name = fs_dtype_name(type);
  struct fs_val *args = fs_malloc(sizeof *args * (size_t)c->n);
  struct fs_val part[2] = {{FS_V_NONE}, {FS_V_NONE}};
  struct fs_call inner = *c;
  bool random = fs_has_word(" rand randn ", c->builtin->name);
  bool fill = !strcmp(c->builtin->name, "fill");
  enum fs_status st = FS_OK;
  memcpy(args, c->args, sizeof *args * (size_t)c->n);
  args[c->n - 1] = fs_val_string(name, strlen(name));
  inner.args = args;
  inner.want = 1;
  for (int k = 0; k < 2 && st == FS_OK && (!k || random || fill); k++) {
    struct fs_val value = fs_cx_part(&c->args[0], k);
    if (fill) args[0] = value;
    inner.out = &part[k];
    st = c->builtin->fn(&inner);
    fs_val_unref(value);
  }
  fs_val_unref(args[c->n - 1]);
  free(args);
  if (st == FS_OK && part[1].kind == FS_V_NONE) {
    struct fs_tv zero = fs_tv_fill(c->in, type, &part[0].tensor->shape, 0);
    part[1] = fs_tv_value(c->in, &zero);
  }
  if (st == FS_OK) c->out[0] = fs_val_complex(part[0], part[1]);
  else fs_val_unref(part[0]);
  return st;
}

/* -- functions of their own ---------------------------------------------------- */

/* The elements begin, begin + 1, ... of a vector. */
static struct fs_tv piece(struct fs_interp *in, struct fs_tv x, int64_t begin, int64_t n) {
  struct fs_lib_part p = {.row = begin, .rows = n, .cols = 1, .vector = true};
  x.shape = (struct fs_shape){2, {x.shape.dim[0], 1}};
  return fs_tv_part(in, &x, &p);
}

static struct fs_cx pieces(struct fs_interp *in, const struct fs_cx *z, int64_t begin, int64_t n) {
  return (struct fs_cx){piece(in, z->re, begin, n), piece(in, z->im, begin, n), false};
}

/* The first half times the second, until one element is left. A place without a partner waits. */
static enum fs_status product(struct fs_call *c) {
  struct fs_cx z, rest = {.real = true};
  struct fs_interp *in = c->in;
  if (c->n > 1)
    return fs_in_error(in, c->arg_spans[1], "complex-value", "prod(A[:, 1]) of one column",
                       "products of complex numbers along a dimension are not there");
  if (fs_val_is_complex_number(&c->args[0])) {
    c->out[0] = fs_val_ref(c->args[0]);
    return FS_OK;
  }
  struct fs_val parts[2] = {{FS_V_NONE}, {FS_V_NONE}};
  int64_t n = fs_shape_count(&fs_val_like(&c->args[0])->shape);
  struct fs_shape flat = {1, {n}};
  enum fs_status st = FS_OK;
  for (int k = 0; k < 2 && st == FS_OK; k++) { /* each may end the block */
    struct fs_tv t;
    st = fs_tv_of(in, &c->args[0].complex->part[k], c->arg_spans[0], NULL, &t);
    if (st == FS_OK) st = fs_tv_reshape(in, t, &flat, &t);
    if (st == FS_OK) parts[k] = fs_tv_value(in, &t);
  }
  if (st == FS_OK && !n) {
    enum fs_dtype dt = parts[0].tensor->dtype;
    z = (struct fs_cx){fs_tv_literal(in, 1, dt), fs_tv_literal(in, 0, dt), false};
    st = give(c, &z);
    fs_val_unref(parts[0]);
    fs_val_unref(parts[1]);
    return st;
  }
  struct fs_val whole = fs_val_complex(parts[0], parts[1]);
  if (st == FS_OK) st = fs_cx_of(in, &whole, c->arg_spans[0], FS_F64, &z);
  rest.re = fs_tv_literal(in, 1, FS_F32);
  bool waits = false;
  for (int64_t m; st == FS_OK && n > 1; n = m) {
    m = n / 2;
    struct fs_cx low = pieces(in, &z, 0, m), high = pieces(in, &z, m, m);
    struct fs_cx last = n % 2 ? pieces(in, &z, n - 1, 1) : rest;
    if (n % 2) rest = waits ? fs_cx_mul(in, rest, last) : last, waits = true;
    z = fs_cx_mul(in, low, high);
    z.re.shape = z.im.shape = (struct fs_shape){1, {m}};
  }
  if (st == FS_OK && waits) z = fs_cx_mul(in, z, rest);
  if (st == FS_OK) z.re.shape = z.im.shape = fs_shape_scalar();
  if (st == FS_OK) st = give(c, &z);
  fs_val_unref(whole);
  return st;
}

/* Of the parts' norms, each of which overflows no earlier than it must. */
static enum fs_status norm(struct fs_call *c) {
  struct fs_val part[2] = {{FS_V_NONE}, {FS_V_NONE}};
  const struct fs_val *of = c->args[0].complex->part;
  struct fs_tv t[2];
  if (fs_val_is_complex_number(&c->args[0])) {
    fs_cx_host_function(FS_OP_ABS, &c->args[0], &c->out[0]);
    return FS_OK;
  }
  enum fs_status st = call_with(c, of[0], &part[0]);
  if (st == FS_OK) st = call_with(c, of[1], &part[1]);
  if (st == FS_OK) st = fs_tv_of(c->in, &part[0], c->span, NULL, &t[0]);
  if (st == FS_OK) st = fs_tv_of(c->in, &part[1], c->span, NULL, &t[1]);
  if (st == FS_OK) st = fs_give(c, fs_tv_map2(c->in, FS_OP_HYPOT, t[0], t[1]));
  fs_val_unref(part[0]);
  fs_val_unref(part[1]);
  return st;
}

/* The first vector is conjugated. */
static enum fs_status dot(struct fs_call *c) {
  struct fs_cx z[2], products;
  enum fs_status st = fs_cx_operands(c->in, 2, c->args, c->arg_spans, z);
  if (st != FS_OK) return st;
  int64_t n = fs_shape_count(&z[0].re.shape), m = fs_shape_count(&z[1].re.shape);
  if (n != m || !fs_is_vector(&z[0].re.shape) || !fs_is_vector(&z[1].re.shape))
    return fs_in_error(c->in, c->span, "shape-mismatch", NULL,
                       "dot needs two vectors of one length: %s is %s, %s is %s",
                       fs_in_text(c->in, c->arg_spans[0]), fs_shape_text(&z[0].re.shape),
                       fs_in_text(c->in, c->arg_spans[1]), fs_shape_text(&z[1].re.shape));
  for (int k = 0; k < 2; k++) z[k].re.shape = z[k].im.shape = fs_shape_of(1, &n);
  z[0] = fs_cx_transpose(c->in, z[0], true);
  st = fs_cx_multiply(c->in, z[0], c->arg_spans[0], z[1], c->arg_spans[1], c->span, &products);
  return st == FS_OK ? give(c, &products) : st;
}

static enum fs_status inverse(struct fs_call *c) {
  struct fs_cx z;
  enum fs_status st = arg(c, 0, &z);
  if (st == FS_OK) st = fs_cx_inverse(c->in, z, c->builtin->name, c->span, &z);
  return st == FS_OK ? give(c, &z) : st;
}

/* Eigenvalues of a Hermitian matrix, singular values. */
static enum fs_status values(struct fs_call *c) {
  struct fs_cx z;
  struct fs_tv out;
  bool singular = !strcmp(c->builtin->name, "svdvals") || !strcmp(c->builtin->name, "svd");
  enum fs_status st = arg(c, 0, &z);
  if (st == FS_OK)
    st = fs_cx_values(c->in, singular ? FS_LIB_SVDVALS : FS_LIB_EIGVALS, c->builtin->name, z,
                      c->span, &out);
  return st == FS_OK ? fs_give(c, out) : st;
}

static enum fs_status svd(struct fs_call *c) {
  struct fs_cx z, out[3];
  int n = FS_MIN(c->want, 3);
  enum fs_status st = n > 1 ? arg(c, 0, &z) : values(c);
  if (st != FS_OK || n < 2) return st;
  if (z.real) z.im = fs_cx_im(c->in, &z);
  st = fs_cx_svd(c->in, z, n, out);
  for (int k = 0; k < n && st == FS_OK; k++) c->out[k] = fs_cx_value(c->in, &out[k]);
  return st;
}

/* One part of the determinants of a batch, as numbers of the type. */
static enum fs_status put_part(struct fs_call *c, const double *x, const struct fs_shape *batch,
                               enum fs_dtype dt, struct fs_tv *out) {
  struct fs_tensor *t;
  if (!batch->rank) {
    *out = fs_tv_number(c->in, *x, dt);
    return FS_OK;
  }
  enum fs_status st = fs_tensor_upload(fs_interp_target(c->in), FS_F64, batch, x, &t, c->in->diags);
  if (st != FS_OK) return st;
  struct fs_val v = fs_val_tensor(t);
  st = fs_tv_of(c->in, &v, c->span, NULL, out);
  if (st == FS_OK) *out = fs_tv_cast(c->in, *out, dt);
  fs_val_unref(v);
  return st;
}

/* On the host, one matrix after the other. */
static enum fs_status determinant(struct fs_call *c) {
  const struct fs_tensor *like = fs_val_like(&c->args[0]);
  double *x[2] = {NULL, NULL};
  struct fs_tensor *t[2];
  int64_t n = 0;
  if (!like) {
    c->out[0] = fs_val_ref(c->args[0]);
    return FS_OK;
  }
  struct fs_shape one = fs_matrix_of(&like->shape), batch = fs_batch_of(&like->shape);
  while (batch.rank && batch.dim[0] == 1) {
    for (int k = 1; k < batch.rank; k++) batch.dim[k - 1] = batch.dim[k];
    batch.rank--;
  }
  if (one.dim[0] != one.dim[1])
    return fs_in_error(c->in, c->span, "shape-mismatch", NULL,
                       "det needs a square matrix, not %s", fs_shape_text(&like->shape));
  fs_val_tensors(&c->args[0], t);
  enum fs_status st = fs_read_all(c->in, t[0], &x[0], &n);
  if (st == FS_OK) st = fs_read_all(c->in, t[1], &x[1], &n);
  int64_t count = fs_shape_count(&batch), each = one.dim[0] * one.dim[0];
  double *out[2];
  for (int k = 0; k < 2; k++) out[k] = fs_calloc((size_t)count + 1, sizeof(double));
  for (int64_t k = 0; k < count && st == FS_OK; k++) {
    double det[2] = {0, 0};
    st = fs_cx_host_det(one.dim[0], x[0] + k * each, x[1] + k * each, det);
    out[0][k] = det[0], out[1][k] = det[1];
  }
  struct fs_cx z = {.real = false};
  if (st == FS_OK) st = put_part(c, out[0], &batch, t[0]->dtype, &z.re);
  if (st == FS_OK) st = put_part(c, out[1], &batch, t[0]->dtype, &z.im);
  for (int k = 0; k < 2; k++) free(x[k]), free(out[k]);
  return st == FS_OK ? give(c, &z) : st;
}

static enum fs_status refuse(struct fs_call *c) {
  static const char ordered[] =
      " max min sort argsort cummax cummin mod clamp argmax argmin ";
  const char *name = c->builtin->name;
  int k = 0;
  while (k + 1 < c->n && !fs_val_is_complex(&c->args[k])) k++;
  if (fs_has_word(ordered, name)) return fs_cx_no_order(c->in, c->span);
  return fs_in_error(c->in, c->arg_spans[k], "complex-value",
                     "re(z), im(z), abs(z) and arg(z) are real",
                     "%s does not take complex numbers, and this is %s", name,
                     fs_val_text(&c->args[k]));
}

/* One part of L (l) or of U, of matrices whose elimination lies in x. */
static enum fs_status put_factor(struct fs_call *c, const double *x, const struct fs_shape *one,
                                 const struct fs_shape *batch, bool l, bool imag,
                                 enum fs_dtype dt, struct fs_tv *out) {
  int64_t m = one->dim[0], n = one->dim[1], least = FS_MIN(m, n);
  struct fs_shape own = fs_shape_of(2, (int64_t[]){l ? m : least, l ? least : n});
  struct fs_shape all = fs_batched(batch, &own);
  int64_t rows = own.dim[0], columns = own.dim[1], count = fs_shape_count(batch);
  double *y = fs_calloc((size_t)fs_shape_count(&all) + 1, sizeof *y), *to = y;
  for (int64_t b = 0; b < count; b++, x += m * n)
    for (int64_t i = 0; i < rows; i++)
      for (int64_t j = 0; j < columns; j++)
        *to++ = (l ? j < i : j >= i) ? x[i * n + j] : l && i == j && !imag;
  enum fs_status st = put_part(c, y, &all, dt, out);
  free(y);
  return st;
}

/* On the host, one matrix after the other. */
static enum fs_status lu(struct fs_call *c) {
  const struct fs_tensor *like = fs_val_like(&c->args[0]);
  double *x[2] = {NULL, NULL};
  struct fs_tensor *t[2], *order;
  int64_t size = 0;
  if (!like) return refuse(c);
  struct fs_shape one = fs_matrix_of(&like->shape), batch = fs_batch_of(&like->shape);
  fs_val_tensors(&c->args[0], t);
  enum fs_status st = fs_read_all(c->in, t[0], &x[0], &size);
  if (st == FS_OK) st = fs_read_all(c->in, t[1], &x[1], &size);
  int64_t m = one.dim[0], n = one.dim[1], count = fs_shape_count(&batch);
  int64_t *row = fs_calloc((size_t)(count * m) + 1, sizeof *row);
  bool odd;
  for (int64_t k = 0; k < count && st == FS_OK; k++)
    st = fs_cx_host_lu(m, n, x[0] + k * m * n, x[1] + k * m * n, row + k * m, &odd);
  for (int f = 0; f < FS_MIN(c->want, 2) && st == FS_OK; f++) {
    struct fs_cx z = {.real = false};
    st = put_factor(c, x[0], &one, &batch, !f, false, t[0]->dtype, &z.re);
    if (st == FS_OK) st = put_factor(c, x[1], &one, &batch, !f, true, t[0]->dtype, &z.im);
    if (st == FS_OK) c->out[f] = fs_cx_value(c->in, &z);
  }
  if (st == FS_OK && c->want > 2) {
    struct fs_shape own = fs_shape_of(1, &m), all = fs_batched(&batch, &own);
    st = fs_tensor_upload(fs_interp_target(c->in), FS_I64, &all, row, &order, c->in->diags);
    if (st == FS_OK) c->out[2] = fs_val_tensor(order);
  }
  free(row), free(x[0]), free(x[1]);
  return st;
}

/* -- elementwise ------------------------------------------------------------- */

static enum fs_status where(struct fs_call *c) {
  struct fs_cx mask, z[2], out = {.real = false};
  enum fs_status st = arg(c, 0, &mask);
  if (st == FS_OK) st = fs_cx_operands(c->in, 2, c->args + 1, c->arg_spans + 1, z);
  if (st != FS_OK) return st;
  struct fs_tv m = fs_cx_truth(c->in, &mask);
  struct fs_tv re[] = {m, z[0].re, z[1].re};
  st = fs_tv_map(c->in, FS_OP_WHERE, 3, re, c->arg_spans, c->span, "where", &out.re);
  struct fs_tv im[] = {m, fs_cx_im(c->in, &z[0]), fs_cx_im(c->in, &z[1])};
  out.real = z[0].real && z[1].real;
  if (st == FS_OK && !out.real)
    st = fs_tv_map(c->in, FS_OP_WHERE, 3, im, c->arg_spans, c->span, "where", &out.im);
  return st == FS_OK ? give(c, &out) : st;
}

static enum fs_status elementwise(struct fs_call *c) {
  enum fs_map_op op = (enum fs_map_op)c->builtin->data;
  enum fs_ast_op operator;
  struct fs_cx z;
  if (op == FS_OP_WHERE) return where(c);
  if (c->n == 2 && fs_map_operator(op, &operator))
    return fs_cx_binary(c->in, operator, c->args, c->arg_spans, c->span, &c->out[0]);
  if (c->n != 1) return refuse(c);
  if (fs_val_is_complex_number(&c->args[0]))
    return fs_cx_host_function(op, &c->args[0], &c->out[0]) ? FS_OK : refuse(c);
  enum fs_status st = arg(c, 0, &z);
  if (st != FS_OK) return st;
  return fs_cx_function(c->in, op, z, &z) ? give(c, &z) : refuse(c);
}

/* -- calls ------------------------------------------------------------------- */

static const struct {
  const char *name;
  enum fs_status (*fn)(struct fs_call *c);
} own[] = {{"any", of_truth}, {"all", of_truth}, {"find", of_truth}, {"prod", product},
           {"norm", norm},    {"dot", dot},      {"inv", inverse},   {"det", determinant},
           {"eigvals", values}, {"svd", svd}, {"svdvals", values}, {"lu", lu}};

enum fs_status fs_cx_call(struct fs_call *c) {
  enum fs_dtype type;
  if (asks_for_type(c, &type)) return make(c, type);
  if (c->builtin->traits & FS_BT_MAP) return elementwise(c);
  if (c->builtin->traits & FS_BT_PARTS && fs_val_is_complex(&c->args[0])) return of_parts(c);
  for (size_t k = 0; k < FS_LEN(own); k++)
    if (!strcmp(own[k].name, c->builtin->name)) return own[k].fn(c);
  return refuse(c);
}

/* -- making, taking apart ------------------------------------------------------ */

/* Whether it is a number of the host or real elements; else an error. */
static enum fs_status real_arg(struct fs_call *c, int k) {
  return fs_val_is_complex(&c->args[k]) ? refuse(c) : FS_OK;
}

enum fs_status fs_bi_complex(struct fs_call *c) {
  struct fs_cx z[2];
  struct fs_span spans[] = {c->arg_spans[0], c->n > 1 ? c->arg_spans[1] : c->arg_spans[0]};
  struct fs_val v[] = {c->args[0], c->n > 1 ? c->args[1] : fs_val_number(0, false)};
  if (c->n == 1 && fs_val_is_complex(&v[0])) {
    c->out[0] = fs_val_ref(v[0]);
    return FS_OK;
  }
  enum fs_status st = real_arg(c, 0);
  if (st == FS_OK && c->n > 1) st = real_arg(c, 1);
  if (st != FS_OK) return st;
  if (fs_val_is_host(&v[0]) && fs_val_is_host(&v[1])) {
    struct fs_val re = fs_val_number(v[0].number, false), im = fs_val_number(v[1].number, false);
    re.literal = v[0].literal;
    im.literal = v[1].literal || c->n == 1;
    c->out[0] = fs_val_complex(re, im);
    return FS_OK;
  }
  st = fs_cx_operands(c->in, 2, v, spans, z);
  struct fs_tv src[] = {z[0].re, z[1].re};
  struct fs_shape shape;
  if (st == FS_OK) st = fs_tv_common(c->in, 2, src, spans, c->span, "complex", &shape);
  if (st != FS_OK) return st;
  struct fs_cx whole = fs_cx_pair(c->in, z[0].re, z[1].re);
  return give(c, &whole);
}

enum fs_status fs_bi_to_complex(struct fs_call *c) {
  struct fs_cx z;
  enum fs_dtype dt = (enum fs_dtype)c->builtin->data;
  enum fs_status st = fs_cx_of(c->in, &c->args[0], c->arg_spans[0], dt, &z);
  if (st == FS_OK) c->out[0] = fs_cx_value_as(c->in, &z, dt);
  return st;
}

/* re, im, conj, arg. */
enum fs_status fs_bi_of_complex(struct fs_call *c) {
  enum fs_cx_what what = (enum fs_cx_what)c->builtin->data;
  const struct fs_val *v = &c->args[0];
  struct fs_cx z, out = {.real = true};
  if (fs_val_is_host(v) || fs_val_is_complex_number(v)) {
    fs_cx_host_of(what, v, &c->out[0]);
    return FS_OK;
  }
  if (fs_val_is_complex(v) && what <= FS_CX_IM) {
    c->out[0] = fs_cx_part(v, what == FS_CX_IM);
    return FS_OK;
  }
  enum fs_status st = arg(c, 0, &z);
  if (st != FS_OK) return st;
  switch (what) {
    case FS_CX_RE: out = z; break;
    case FS_CX_IM: out.re = fs_tv_fill(c->in, z.re.dtype, &z.re.shape, 0); break;
    case FS_CX_CONJ: out = fs_cx_conj(c->in, z); break;
    case FS_CX_ARG: out.re = fs_tv_map2(c->in, FS_OP_ATAN2, fs_cx_im(c->in, &z), z.re); break;
  }
  return give(c, &out);
}

enum fs_status fs_bi_isreal(struct fs_call *c) {
  bool number = fs_val_is_host(&c->args[0]) || c->args[0].kind == FS_V_RANGE;
  c->out[0] = fs_val_bool(number || c->args[0].kind == FS_V_TENSOR);
  return FS_OK;
}
