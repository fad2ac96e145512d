/* builtins_make.c - constructors, shapes, conversions. */
#include "core/eval/builtins.h"
#include "core/ranks/ranks.h"
#include "core/eval/list.h"

#include <math.h>

#include "core/lang/parse.h"

/* -- constructors ---------------------------------------------------------- */

enum fs_status fs_bi_zeros(struct fs_call *c) {
  struct fs_shape shape;
  enum fs_dtype dt = c->in->floats;
  enum fs_status st = fs_arg_shape(c, 0, &shape, &dt);
  if (st != FS_OK) return st;
  return fs_give(c, fs_tv_fill(c->in, dt, &shape, c->builtin->data));
}

enum fs_status fs_bi_zeros_like(struct fs_call *c) {
  struct fs_tv like;
  enum fs_status st = fs_arg_tv(c, 0, &like);
  if (st != FS_OK) return st;
  return fs_give(c, fs_tv_fill(c->in, like.dtype, &like.shape, c->builtin->data));
}

enum fs_status fs_bi_fill(struct fs_call *c) {
  struct fs_shape shape;
  const struct fs_val *v = &c->args[0];
  enum fs_dtype dt = c->in->floats, none = FS_DTYPE_COUNT, asked = none;
  if (v->kind == FS_V_TENSOR) dt = v->tensor->dtype;
  if (v->kind == FS_V_BOOL) dt = FS_BOOL;
  if (c->args[c->n - 1].kind == FS_V_STRING)
    fs_dtype_from_name(c->args[c->n - 1].string->text, &asked);
  if (asked != none) dt = asked;
  enum fs_status st = fs_arg_shape(c, 1, &shape, &dt);
  struct fs_tv value;
  if (st == FS_OK) st = fs_tv_as(c->in, v, c->arg_spans[0], dt, &value);
  if (st != FS_OK) return st;
  if (!fs_tv_is_one(&value))
    return fs_in_error(c->in, c->arg_spans[0], "shape-mismatch",
                       "the value comes first: fill(value, m, n)",
                       "fill repeats one value, not %s",
                       fs_shape_text(&value.shape));
  struct fs_shape squeezed = fs_squeezed(&shape);
  struct fs_view all = {0};
  if (squeezed.rank)
    value.node = fs_graph_view(fs_block_graph(c->in), value.node, &all,
                               &squeezed);
  value.shape = shape;
  return fs_give(c, value);
}

enum fs_status fs_bi_eye(struct fs_call *c) {
  struct fs_shape shape;
  enum fs_dtype dt = c->in->floats;
  enum fs_status st = fs_arg_shape(c, 0, &shape, &dt);
  if (st != FS_OK) return st;
  if (shape.rank > 2)
    return fs_in_error(c->in, c->span, "bad-shape", NULL,
                       "an identity matrix has two dimensions");
  int64_t m = shape.dim[0], n = shape.rank == 2 ? shape.dim[1] : m;
  shape = fs_shape_of(2, (int64_t[]){m, n});
  st = fs_check_extents(c->in, dt, &shape, c->span);
  return st == FS_OK ? fs_give(c, fs_tv_eye(c->in, dt, m, n)) : st;
}

enum fs_status fs_bi_rand(struct fs_call *c) {
  struct fs_shape shape;
  enum fs_dtype dt = c->in->floats;
  enum fs_status st = fs_arg_shape(c, 0, &shape, &dt);
  if (st != FS_OK) return st;
  if (!fs_dtype_is_float(dt))
    return fs_in_error(c->in, c->arg_spans[c->n - 1], "wrong-type",
                       "for whole numbers: i32(floor(10*rand(n)))",
                       "random numbers have a float type, not %s",
                       fs_dtype_name(dt));
  if (c->in->elementwise && fs_shape_count(&shape) > 1)
    return fs_several_each(c->in, c->span, &shape);
  if (c->in->elementwise) { /* every element has its own */
    shape = c->in->element_shape;
    c->in->saw_element = true;
  }
  return fs_give(c, fs_tv_rand(c->in, c->builtin->data, dt, &shape));
}

/* The values of linspace() in f64: a + k*step, and b itself where rounding misses it. */
static enum fs_status spaced(struct fs_call *c, int64_t n, double a, double b, double step,
                             struct fs_tv *out) {
  struct fs_interp *in = c->in;
  *out = fs_tv_iota(in, FS_F64, n, a, step);
  if (n == 1 || a + step * (double)(n - 1) == b) return FS_OK;
  struct fs_tv k = fs_tv_iota(in, FS_I64, n, 0, 1);
  struct fs_tv last = fs_tv_number(in, (double)(n - 1), FS_I64);
  struct fs_tv src[] = {fs_tv_map2(in, FS_OP_EQ, k, last), fs_tv_number(in, b, FS_F64),
                        *out};
  struct fs_span spans[] = {c->span, c->span, c->span};
  return fs_tv_map(in, FS_OP_WHERE, 3, src, spans, c->span, "linspace", out);
}

/* Integers are cut from what lies between them. f32 and what is shorter does not see
 * whether the last value is the end or beside it in f64. */
enum fs_status fs_bi_linspace(struct fs_call *c) {
  double a = 0, b = 0;
  enum fs_dtype dt = c->in->floats;
  struct fs_shape shape;
  enum fs_status st =
      fs_read_number(c->in, &c->args[0], c->arg_spans[0], "the begin", &a);
  if (st == FS_OK)
    st = fs_read_number(c->in, &c->args[1], c->arg_spans[1], "the end", &b);
  if (st == FS_OK) st = fs_arg_shape(c, 2, &shape, &dt);
  if (st != FS_OK) return st;
  if (shape.rank != 1)
    return fs_in_error(c->in, c->span, "bad-shape", NULL,
                       "linspace(a, b, n) needs the number of values n");
  int64_t n = shape.dim[0];
  double step = n > 1 ? (b - a) / (double)(n - 1) : 0;
  bool steps = fs_dtype_is_float(dt) ? dt != FS_F64 : a == floor(a) && step == floor(step);
  if (steps) return fs_give(c, fs_tv_iota(c->in, dt, n, a, step));
  struct fs_tv t;
  st = spaced(c, n, a, b, step, &t);
  return st == FS_OK ? fs_give(c, fs_tv_cast(c->in, t, dt)) : st;
}

/* -- shapes ---------------------------------------------------------------- */

/* The shape of any value without computing it. */
static enum fs_status arg_extents(struct fs_call *c, struct fs_shape *out) {
  const struct fs_val *v = &c->args[0];
  *out = fs_shape_scalar();
  const struct fs_tensor *t = fs_val_like(v);
  if (t) *out = t->shape;
  if (v->kind == FS_V_RANGE) *out = (struct fs_shape){1, {fs_range_count(v)}};
  if (fs_is_list(v)) *out = (struct fs_shape){1, {v->list->len}};
  if (v->kind == FS_V_FUNCTION || v->kind == FS_V_NONE)
    return fs_in_error(c->in, c->arg_spans[0], "wrong-type", NULL,
                       "%s has no extents", fs_val_text(v));
  return FS_OK;
}

/* m, n = size(A) gives numbers, size(A) alone a vector of at least two. */
enum fs_status fs_bi_size(struct fs_call *c) {
  struct fs_shape s;
  int dim;
  enum fs_status st = arg_extents(c, &s);
  if (st == FS_OK) st = fs_arg_dim(c, 1, &dim);
  if (st != FS_OK) return st;
  if (dim) {
    c->out[0] = fs_val_number((double)fs_shape_dim(&s, dim - 1), true);
    return FS_OK;
  }
  if (c->want > 1) {
    for (int k = 0; k < c->want; k++)
      c->out[k] = fs_val_number((double)fs_shape_dim(&s, k), true);
    return FS_OK;
  }
  struct fs_shape two = {1, {FS_MAX(s.rank, 2)}};
  int64_t extents[FS_MAX_RANK];
  for (int k = 0; k < two.dim[0]; k++) extents[k] = fs_shape_dim(&s, k);
  struct fs_tensor *t = NULL;
  st = fs_tensor_upload(c->in->target, FS_I64, &two, extents, &t, c->in->diags);
  if (st == FS_OK) c->out[0] = fs_val_tensor(t);
  return st;
}

enum fs_status fs_bi_length(struct fs_call *c) {
  struct fs_shape s;
  enum fs_status st = arg_extents(c, &s);
  if (st != FS_OK) return st;
  int64_t longest = 1;
  for (int k = 0; k < s.rank; k++) longest = FS_MAX(longest, s.dim[k]);
  if (!fs_shape_count(&s)) longest = 0;
  if (c->args[0].kind == FS_V_RANGE || fs_is_list(&c->args[0])) longest = s.dim[0];
  if (c->args[0].kind == FS_V_STRING) longest = (int64_t)fs_string_count(c->args[0].string);
  c->out[0] = fs_val_number((double)longest, true);
  return FS_OK;
}

enum fs_status fs_bi_numel(struct fs_call *c) {
  struct fs_shape s;
  enum fs_status st = arg_extents(c, &s);
  if (st == FS_OK)
    c->out[0] = fs_val_number((double)fs_shape_count(&s), true);
  return st;
}

enum fs_status fs_bi_isempty(struct fs_call *c) {
  struct fs_shape s;
  enum fs_status st = arg_extents(c, &s);
  bool none = !fs_shape_count(&s);
  if (c->args[0].kind == FS_V_STRING) none = !c->args[0].string->len;
  if (st == FS_OK) c->out[0] = fs_val_bool(none);
  return st;
}

enum fs_status fs_bi_ndims(struct fs_call *c) {
  struct fs_shape s;
  enum fs_status st = arg_extents(c, &s);
  if (st == FS_OK) c->out[0] = fs_val_number(s.rank, true);
  if (st == FS_OK && s.rank == 2 && !strcmp(c->builtin->name, "rank") && !c->in->lib_depth)
    fs_tell_other(c->in->diags, FS_OTHER_RANK, c->span);
  return st;
}

enum fs_status fs_bi_dtype(struct fs_call *c) {
  static const char *const kinds[] = {"none", "number", "bool", "string",
                                      "range", "function", "tensor", "list",
                                      "record", "complex"};
  const struct fs_val *v = &c->args[0];
  const char *name = fs_val_like(v) ? fs_val_type_name(v) : kinds[v->kind];
  c->out[0] = fs_val_string(name, strlen(name));
  return FS_OK;
}

enum fs_status fs_bi_cast(struct fs_call *c) {
  enum fs_dtype dt = (enum fs_dtype)c->builtin->data;
  struct fs_tv t;
  enum fs_status st = fs_tv_as(c->in, &c->args[0], c->arg_spans[0], dt, &t);
  return st == FS_OK ? fs_give(c, t) : st;
}

/* reshape(x, [], n): where one extent is [], what makes it fit. It is 1 at first; the arguments
 * are copies, of which nobody has a reference. */
static enum fs_status find_rest(struct fs_call *c, int *at, int *hole) {
  enum fs_dtype dt = FS_BOOL;
  struct fs_shape before;
  enum fs_status st = FS_OK;
  *hole = 0;
  for (int k = 1; k < c->n && st == FS_OK; k++) {
    const struct fs_val *v = &c->args[k];
    if (v->kind != FS_V_TENSOR || fs_shape_count(&v->tensor->shape)) continue;
    if (*hole)
      return fs_in_error(c->in, c->arg_spans[k], "bad-shape", NULL,
                         "only one extent can be what is left");
    struct fs_call head = *c;
    head.n = *hole = k;
    st = fs_arg_shape(&head, 1, &before, &dt);
    *at = before.rank;
    c->args[k] = fs_val_number(1, true);
  }
  return st;
}

enum fs_status fs_bi_reshape(struct fs_call *call) {
  struct fs_val args[FS_MAX_RANK + 1];
  struct fs_call with = *call, *c = &with;
  struct fs_shape shape;
  int at = 0, hole = 0;
  enum fs_dtype dt = FS_BOOL; /* for the size check: it exists already */
  struct fs_tv t;
  memcpy(args, call->args, sizeof *args * (size_t)call->n);
  c->args = args;
  if (c->args[c->n - 1].kind == FS_V_STRING)
    return fs_in_error(c->in, c->arg_spans[c->n - 1], "wrong-type", NULL,
                       "reshape keeps the type");
  enum fs_status st = find_rest(c, &at, &hole);
  if (st == FS_OK) st = fs_arg_shape(c, 1, &shape, &dt);
  if (st == FS_OK) st = fs_arg_tv(c, 0, &t);
  if (st != FS_OK) return st;
  int64_t rest = fs_shape_count(&shape);
  if (hole) shape.dim[at] = rest > 0 ? fs_shape_count(&t.shape) / rest : 0;
  if (fs_shape_count(&shape) != fs_shape_count(&t.shape))
    return fs_in_error(c->in, c->span, "shape-mismatch",
                       "the number of elements must stay the same",
                       "cannot reshape: %s is %s (%lld elements), the new shape "
                       "%s has %lld", fs_in_text(c->in, c->arg_spans[0]),
                       fs_shape_text(&t.shape),
                       (long long)fs_shape_count(&t.shape),
                       fs_shape_text(&shape),
                       (long long)fs_shape_count(&shape));
  st = fs_tv_reshape(c->in, t, &shape, &t);
  return st == FS_OK ? fs_give(call, t) : st;
}

/* permute(A, order): dimension k of the result is dimension order[k] of A. */
enum fs_status fs_bi_permute(struct fs_call *c) {
  struct fs_tv t, list;
  double *x = NULL;
  int64_t n = 0;
  int order[FS_MAX_RANK];
  unsigned seen = 0;
  enum fs_status st = fs_arg_tv(c, 1, &list);
  if (st != FS_OK) return st;
  struct fs_val all = fs_tv_value(c->in, &list);
  st = fs_read_all(c->in, all.tensor, &x, &n);
  fs_val_unref(all);
  if (st == FS_OK) st = fs_arg_tv(c, 0, &t);
  if (st == FS_OK && n <= FS_MAX_RANK)
    for (int64_t k = 0; k < n; k++) {
      order[k] = x[k] >= 1 && x[k] <= (double)n && x[k] == floor(x[k]) ? (int)x[k] - 1 : 0;
      seen |= 1u << order[k];
    }
  free(x);
  if (st != FS_OK) return st;
  if (n > FS_MAX_RANK || n < t.shape.rank || seen != (1u << n) - 1)
    return fs_in_error(c->in, c->arg_spans[1], "bad-dimension",
                       "of three dimensions [2, 1, 3] puts the second first",
                       "the order must have each dimension once: %s is %s",
                       fs_in_text(c->in, c->arg_spans[0]), fs_shape_text(&t.shape));
  return fs_give(c, fs_tv_permute(c->in, t, (int)n, order));
}

/* squeeze(x): without extents of 1. */
enum fs_status fs_bi_squeeze(struct fs_call *c) {
  struct fs_tv t;
  enum fs_status st = fs_arg_tv(c, 0, &t);
  if (st != FS_OK) return st;
  t.shape = fs_squeezed(&t.shape);
  return fs_give(c, t);
}

/* shard(A, d), whole(A): where the elements lie; of one rank they are as they are. */
enum fs_status fs_bi_lay(struct fs_call *c) {
  struct fs_tv t;
  int dim = 1, axis = 0;
  bool cuts = c->builtin->data == 1;
  enum fs_status st = c->n > 1 ? fs_arg_dim(c, 1, &dim) : FS_OK;
  if (st == FS_OK) st = fs_arg_tv(c, 0, &t);
  if (st != FS_OK) return st;
  if (cuts && fs_tv_is_one(&t))
    return fs_in_error(c->in, c->arg_spans[0], "bad-shape", NULL,
                       "shard needs an array: one element cannot be cut");
  if (cuts && c->n == 1 && t.shape.dim[0] == 1) /* a row */
    while (fs_shape_dim(&t.shape, dim - 1) == 1) dim++;
  if (cuts && fs_shape_dim(&t.shape, dim - 1) == 1)
    return fs_in_error(c->in, c->arg_spans[c->n - 1], "bad-shape", NULL,
                       "dimension %d has one index, which cannot be cut", dim);
  if (fs_ranks() == 1 || fs_tv_is_one(&t) || !fs_shape_count(&t.shape)) return fs_give(c, t);
  for (int k = 0; k < dim - 1; k++) axis += t.shape.dim[k] != 1;
  struct fs_shape squeezed = fs_squeezed(&t.shape);
  t.node = fs_graph_lib(fs_block_graph(c->in), FS_LIB_LAY, t.dtype, &squeezed, t.node, &squeezed,
                        0, NULL, cuts ? (unsigned)axis + 1 : 0);
  return fs_give(c, t);
}

enum fs_status fs_bi_vec(struct fs_call *c) {
  struct fs_tv t;
  enum fs_status st = fs_arg_tv(c, 0, &t);
  if (st != FS_OK) return st;
  struct fs_shape all = {1, {fs_shape_count(&t.shape)}};
  st = fs_tv_reshape(c->in, t, &all, &t);
  return st == FS_OK ? fs_give(c, t) : st;
}

enum fs_status fs_bi_transpose(struct fs_call *c) {
  struct fs_tv t;
  enum fs_status st = fs_arg_tv(c, 0, &t);
  return st == FS_OK ? fs_give(c, fs_tv_transpose(c->in, t)) : st;
}

/* The matrix of n + |k| rows whose diagonal k right of the main one is a vector. Chosen, not
 * multiplied: NaN and Inf stay in their place. */
static enum fs_status diagonal_matrix(struct fs_call *c, struct fs_tv x, int64_t k,
                                      struct fs_tv *out) {
  struct fs_interp *in = c->in;
  int64_t more = k < 0 ? -k : k, n = x.shape.dim[0] + more;
  struct fs_shape full = fs_shape_of(2, (int64_t[]){n, n});
  struct fs_span spans[3] = {c->span, c->span, c->span};
  enum fs_status st = fs_check_size(in, x.dtype, &full, c->span);
  if (st == FS_OK && more) { /* of row i it is element i; below the main diagonal of column i */
    struct fs_tv parts[2] = {x, fs_tv_fill(in, x.dtype, &(struct fs_shape){1, {more}}, 0)};
    st = fs_tv_concat(in, 1, 2, parts, spans, c->span, &x);
  }
  if (st != FS_OK) return st;
  if (k < 0) x = fs_tv_transpose(in, x);
  struct fs_tv row = fs_tv_iota(in, FS_I64, n, (double)k, 1);
  struct fs_tv column = fs_tv_transpose(in, fs_tv_iota(in, FS_I64, n, 0, 1));
  struct fs_tv src[3] = {k ? fs_tv_map2(in, FS_OP_EQ, row, column) : fs_tv_eye(in, FS_BOOL, n, n),
                         x, fs_tv_number(in, 0, x.dtype)};
  return fs_tv_map(in, FS_OP_WHERE, 3, src, spans, c->span, "diag", out);
}

enum fs_status fs_bi_diag(struct fs_call *c) {
  struct fs_tv t;
  int64_t k = 0;
  enum fs_status st = c->n > 1 ? fs_arg_int(c, 1, "the diagonal", &k) : FS_OK;
  if (st == FS_OK) st = fs_arg_tv(c, 0, &t);
  if (st != FS_OK) return st;
  if (k > INT32_MAX || k < -INT32_MAX)
    return fs_in_error(c->in, c->arg_spans[1], "bad-shape", NULL, "there is no such diagonal");
  fs_tv_drop_leading(&t);
  if (t.shape.rank == 2) return fs_give(c, fs_tv_diagonal(c->in, t, k));
  if (t.shape.rank != 1)
    return fs_in_error(c->in, c->span, "shape-mismatch", NULL,
                       "diag needs a matrix or a column, not %s",
                       fs_shape_text(&t.shape));
  st = diagonal_matrix(c, t, k, &t);
  return st == FS_OK ? fs_give(c, t) : st;
}
