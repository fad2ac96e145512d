/* trace.c - values as nodes: type promotion, broadcasting, elementwise
 * operations, reductions, transposes and reshapes. */
#include <math.h>
#include <stdio.h>

#include "core/eval/trace.h"

#include "core/eval/overflow.h"

struct fs_shape fs_shape_of(int rank, const int64_t *dims) {
  struct fs_shape s = {.rank = rank};
  for (int k = 0; k < rank; k++) s.dim[k] = dims[k];
  return s;
}

struct fs_shape fs_shape_scalar(void) {
  return (struct fs_shape){0};
}

/* -- numbers --------------------------------------------------------------- */

/* As a tensor of the type would hold it, so that it is the same number wherever it is cast. */
static struct fs_number number_of(enum fs_dtype dt, double x) {
  x = fs_dtype_round(dt, x);
  return (struct fs_number){x, fs_dtype_integer(dt, x)};
}

fs_id fs_param(struct fs_interp *in, enum fs_dtype dt, double x) {
  return fs_graph_param(fs_block_graph(in), dt, number_of(dt, x));
}

static struct fs_tv number_node(struct fs_interp *in, const struct fs_val *v,
                                enum fs_dtype dt) {
  return v->literal ? fs_tv_literal(in, v->number, dt) : fs_tv_number(in, v->number, dt);
}

struct fs_tv fs_tv_number(struct fs_interp *in, double x, enum fs_dtype like) {
  return (struct fs_tv){fs_param(in, like, x), like, fs_shape_scalar()};
}

struct fs_tv fs_tv_literal(struct fs_interp *in, double x, enum fs_dtype like) {
  fs_id id = fs_graph_literal(fs_block_graph(in), like, number_of(like, x));
  return (struct fs_tv){id, like, fs_shape_scalar()};
}

static bool holds_number(enum fs_dtype dt, double x) {
  return fs_dtype_real_of(dt, fs_dtype_integer(dt, x)) == x &&
         x < fs_dtype_real_of(dt, fs_dtype_most(dt)) + 1;
}

enum fs_dtype fs_number_type(const struct fs_val *v, enum fs_dtype like) {
  if (v->kind == FS_V_BOOL) return FS_BOOL;
  if (fs_dtype_is_float(like)) return like;
  enum fs_dtype own = fs_dtype_number(like);
  for (enum fs_dtype dt = own; v->is_int && dt < FS_DTYPE_COUNT; dt++)
    if (fs_dtype_is_integer(dt) && fs_dtype_holds(dt, own) && holds_number(dt, v->number))
      return dt;
  return fs_dtype_real(like);
}

static enum fs_status range_node(struct fs_interp *in, const struct fs_val *v,
                                 struct fs_span span,
                                 const enum fs_dtype *like,
                                 struct fs_tv *out) {
  int64_t n = fs_range_count(v);
  bool ints = fs_range_is_whole(v);
  enum fs_dtype dt = ints ? FS_I64 : in->floats;
  if (!ints && like && *like == FS_F64) dt = FS_F64;
  struct fs_shape shape = {1, {n}};
  enum fs_status st = fs_check_size(in, dt, &shape, span);
  if (st == FS_OK) *out = fs_tv_iota(in, dt, n, v->start, v->step);
  return st;
}

enum fs_status fs_tv_of(struct fs_interp *in, const struct fs_val *v,
                        struct fs_span span, const enum fs_dtype *like,
                        struct fs_tv *out) {
  enum fs_dtype dt;
  enum fs_status st = FS_OK;
  switch (v->kind) {
    case FS_V_NUMBER:
      dt = like ? fs_number_type(v, *like) : in->floats;
      *out = number_node(in, v, dt);
      return FS_OK;
    case FS_V_BOOL:
      *out = fs_tv_number(in, v->number, FS_BOOL);
      return FS_OK;
    case FS_V_RANGE: return range_node(in, v, span, like, out);
    case FS_V_TENSOR:
      st = fs_block_read(in, v->tensor, &out->node);
      out->dtype = v->tensor->dtype;
      out->shape = v->tensor->shape;
      return st;
    case FS_V_COMPLEX:
      return fs_in_error(in, span, "complex-value", "re(z), im(z) and abs(z) are real",
                         "%s is %s; real numbers are needed here",
                         fs_in_text(in, span), fs_val_text(v));
    default:
      return fs_in_error(in, span, "wrong-type", NULL,
                         "%s is %s; numbers are needed here",
                         fs_in_text(in, span), fs_val_text(v));
  }
}

struct fs_val fs_tv_value(struct fs_interp *in, const struct fs_tv *t) {
  return fs_block_value(in, t->node, &t->shape);
}

enum fs_status fs_tv_operands(struct fs_interp *in, int n,
                              const struct fs_val *v,
                              const struct fs_span *spans, struct fs_tv *out) {
  /* First what has a type of its own, then the numbers beside it. */
  enum fs_dtype like = FS_BOOL;
  bool any = false;
  for (int k = 0; k < n; k++) {
    if (v[k].kind == FS_V_NUMBER || v[k].kind == FS_V_BOOL) continue;
    enum fs_status st = fs_tv_of(in, &v[k], spans[k], NULL, &out[k]);
    if (st != FS_OK) return st;
    like = any ? fs_dtype_promote(like, out[k].dtype) : out[k].dtype;
    any = true;
  }
  for (int k = 0; k < n; k++)
    if (v[k].kind == FS_V_NUMBER || v[k].kind == FS_V_BOOL)
      fs_tv_of(in, &v[k], spans[k], any ? &like : NULL, &out[k]);
  return FS_OK;
}

struct fs_tv fs_tv_cast(struct fs_interp *in, struct fs_tv t,
                        enum fs_dtype dt) {
  if (t.dtype == dt) return t;
  t.node = fs_graph_cast(fs_block_graph(in), t.node, dt);
  t.dtype = dt;
  return t;
}

enum fs_status fs_tv_as(struct fs_interp *in, const struct fs_val *v,
                        struct fs_span span, enum fs_dtype dt,
                        struct fs_tv *out) {
  if (v->kind == FS_V_NUMBER && fs_dtype_is_integer(dt)) {
    *out = number_node(in, v, dt);
    return FS_OK;
  }
  enum fs_status st = fs_tv_of(in, v, span, &dt, out);
  if (st == FS_OK) *out = fs_tv_cast(in, *out, dt);
  return st;
}

/* -- broadcasting ---------------------------------------------------------- */

/* The common shape, or false. Dimensions are aligned from the left. */
static bool common_shape(const struct fs_shape *a, const struct fs_shape *b,
                         struct fs_shape *out) {
  struct fs_shape s = {.rank = FS_MAX(a->rank, b->rank)};
  for (int k = 0; k < s.rank; k++) {
    int64_t x = fs_shape_dim(a, k), y = fs_shape_dim(b, k);
    if (x != y && x != 1 && y != 1) return false;
    s.dim[k] = x == 1 ? y : x;
  }
  *out = s;
  return true;
}

/* s without leading extents of 1, until it has no more than so many. */
static struct fs_shape without_leading(struct fs_shape s, int rank) {
  int n = 0;
  while (s.rank - n > rank && s.dim[n] == 1) n++;
  for (int k = n; k < s.rank; k++) s.dim[k - n] = s.dim[k];
  s.rank -= n;
  return s;
}

static bool common_from_left(int n, const struct fs_tv *src, struct fs_shape *out) {
  struct fs_shape shape = src[0].shape;
  for (int k = 1; k < n; k++)
    if (!common_shape(&shape, &src[k].shape, &shape)) return false;
  *out = shape;
  return true;
}

/* The common shape where those of more dimensions than a matrix beside them only have extents of
 * 1 in front of it, and no operand would have the shape otherwise: H[k, :, :] + A is a matrix. */
static bool common_without_leading(int n, const struct fs_tv *src, struct fs_shape *out) {
  int rank = FS_MAX_RANK, most = 0;
  for (int k = 0; k < n; k++) {
    if (src[k].shape.rank >= 2) rank = FS_MIN(rank, src[k].shape.rank);
    most = FS_MAX(most, src[k].shape.rank);
  }
  struct fs_shape shape = fs_shape_scalar();
  for (int k = 0; k < n && rank < most; k++) {
    struct fs_shape s = without_leading(src[k].shape, rank);
    if (s.rank > rank || !common_shape(&shape, &s, &shape)) return false;
  }
  if (rank < most) *out = shape;
  return rank < most;
}

fs_id fs_tv_spread(struct fs_interp *in, const struct fs_tv *t,
                   const struct fs_shape *shape) {
  int axis_of[FS_MAX_RANK];
  struct fs_shape to = fs_squeeze(shape, axis_of), own = without_leading(t->shape, shape->rank);
  struct fs_shape from = fs_squeezed(&own);
  if (from.rank == 0 || from.rank == to.rank) return t->node;
  int axes[FS_MAX_RANK], n = 0;
  for (int k = 0; k < own.rank; k++)
    if (own.dim[k] != 1) axes[n++] = axis_of[k];
  struct fs_view v = fs_view_axes(n, axes);
  return fs_graph_view(fs_block_graph(in), t->node, &v, &to);
}

/* Whether b fits a once it is transposed: then that is the hint. Two columns would give
 * a matrix, which is hardly what was meant. */
static bool fits_transposed(const struct fs_shape *a,
                            const struct fs_shape *b) {
  struct fs_shape t = {.rank = 2, .dim = {fs_cols(b), fs_rows(b)}}, s;
  if (b->rank > 2 || !common_shape(a, &t, &s)) return false;
  int64_t elements = fs_shape_count(&s);
  return elements && (elements == fs_shape_count(a) || elements == fs_shape_count(&t));
}

static enum fs_status shape_error(struct fs_interp *in, int n,
                                  const struct fs_tv *src,
                                  const struct fs_span *spans,
                                  struct fs_span span, const char *what) {
  char hint[160] = "extents must be equal, or 1 to be repeated";
  int other = n - 1;
  struct fs_shape s;
  for (int k = 1; k < n; k++)
    if (!common_shape(&src[0].shape, &src[k].shape, &s)) {
      other = k;
      break;
    }
  const struct fs_tv *a = &src[0], *b = &src[other];
  if (fits_transposed(&a->shape, &b->shape))
    snprintf(hint, sizeof(hint), "transposed it would fit: %s",
             fs_in_transposed(in, spans[other]));
  return fs_in_error(in, span, "shape-mismatch", hint,
                     "shapes do not fit for %s: %s is %s, %s is %s", what,
                     fs_in_text(in, spans[0]), fs_shape_text(&a->shape),
                     fs_in_text(in, spans[other]), fs_shape_text(&b->shape));
}

enum fs_status fs_tv_common(struct fs_interp *in, int n,
                            const struct fs_tv *src,
                            const struct fs_span *spans, struct fs_span span,
                            const char *what, struct fs_shape *out) {
  bool fits = common_from_left(n, src, out), whole = false;
  for (int k = 0; k < n && fits; k++) whole |= fs_shape_equal(out, &src[k].shape);
  if (whole || common_without_leading(n, src, out) || fits) return FS_OK;
  return shape_error(in, n, src, spans, span, what);
}

/* u64 beside integers with a sign: what is below 0 is below all of u64, and the others have the
 * same bits there. So it is exact. */
static enum fs_status compare_apart(struct fs_interp *in, enum fs_map_op op,
                                    const struct fs_tv *src, const struct fs_span *spans,
                                    struct fs_span span, const char *what, struct fs_tv *out) {
  int with_sign = src[0].dtype == FS_U64;
  struct fs_tv bits[2] = {fs_tv_cast(in, src[0], FS_U64), fs_tv_cast(in, src[1], FS_U64)};
  struct fs_tv zero = fs_tv_literal(in, 0, src[with_sign].dtype);
  struct fs_tv below = fs_tv_map2(in, FS_OP_LT, src[with_sign], zero);
  enum fs_status st = fs_tv_map(in, op, 2, bits, spans, span, what, out);
  if (st != FS_OK) return st;
  bool less = op == FS_OP_LT || op == FS_OP_LE, more = op == FS_OP_GT || op == FS_OP_GE;
  bool then = op == FS_OP_NE || (with_sign ? more : less);
  if (then) *out = fs_tv_map2(in, FS_OP_OR, *out, below);
  else *out = fs_tv_map2(in, FS_OP_AND, *out, fs_tv_map1(in, FS_OP_NOT, below));
  return FS_OK;
}

enum fs_status fs_tv_map(struct fs_interp *in, enum fs_map_op op, int n,
                         const struct fs_tv *src, const struct fs_span *spans,
                         struct fs_span span, const char *what,
                         struct fs_tv *out) {
  struct fs_shape shape;
  bool compares = fs_map_ops[op].types == 'N' && fs_map_ops[op].result == 'B';
  if (compares && fs_dtype_are_apart(src[0].dtype, src[1].dtype))
    return compare_apart(in, op, src, spans, span, what, out);
  enum fs_status st = fs_tv_common(in, n, src, spans, span, what, &shape);
  if (st != FS_OK) return st;
  fs_id ids[3] = {0};
  for (int k = 0; k < n; k++) ids[k] = fs_tv_spread(in, &src[k], &shape);
  struct fs_graph *g = fs_block_graph(in);
  out->node = fs_graph_map(g, op, n, ids, src[0].dtype);
  out->dtype = fs_node(g, out->node)->dtype;
  out->shape = shape;
  return FS_OK;
}

struct fs_tv fs_tv_map1(struct fs_interp *in, enum fs_map_op op,
                        struct fs_tv a) {
  struct fs_tv out = a;
  fs_tv_map(in, op, 1, &a, &in->span, in->span, "", &out);
  return out;
}

struct fs_tv fs_tv_map2(struct fs_interp *in, enum fs_map_op op, struct fs_tv a,
                        struct fs_tv b) {
  struct fs_tv src[2] = {a, b}, out = a;
  struct fs_span spans[2] = {in->span, in->span};
  fs_tv_map(in, op, 2, src, spans, in->span, "", &out);
  return out;
}

struct fs_tv fs_tv_choose(struct fs_interp *in, struct fs_tv mask, struct fs_tv a,
                          struct fs_tv b) {
  struct fs_tv src[3] = {mask, a, b}, out = a;
  struct fs_span spans[3] = {in->span, in->span, in->span};
  fs_tv_map(in, FS_OP_WHERE, 3, src, spans, in->span, "", &out);
  return out;
}

/* -- reductions ------------------------------------------------------------ */

struct fs_tv fs_tv_all_first(struct fs_interp *in, const struct fs_shape *shape) {
  struct fs_tv one = fs_tv_number(in, 1, FS_I64);
  struct fs_shape squeezed = fs_squeezed(shape);
  struct fs_view fill = {0};
  if (squeezed.rank)
    one.node = fs_graph_view(fs_block_graph(in), one.node, &fill, &squeezed);
  one.shape = *shape;
  return one;
}

struct fs_tv fs_tv_reduce(struct fs_interp *in, enum fs_reduce_op op,
                          struct fs_tv a, int dim) {
  return fs_tv_reduce_over(in, op, a, dim ? 1u << (dim - 1) : 0);
}

struct fs_tv fs_tv_reduce_over(struct fs_interp *in, enum fs_reduce_op op,
                               struct fs_tv a, unsigned dims) {
  struct fs_graph *g = fs_block_graph(in);
  int axis_of[FS_MAX_RANK];
  fs_squeeze(&a.shape, axis_of);
  unsigned axes = 0;
  for (int k = 0; k < a.shape.rank; k++)
    if ((!dims || dims >> k & 1) && axis_of[k] >= 0) axes |= 1u << axis_of[k];
  struct fs_tv out = a;
  if (!axes && fs_reduces_to_place(op)) out.node = fs_tv_all_first(in, &a.shape).node;
  else if (!axes && op == FS_RD_VAR) out.node = fs_tv_fill(in, a.dtype, &a.shape, NAN).node; /* 0/0 */
  else out.node = fs_graph_reduce(g, op, a.node, axes);
  fs_overflow_keep(in, out.node);
  out.dtype = fs_node(g, out.node)->dtype;
  for (int k = 0; k < a.shape.rank; k++)
    if (!dims || dims >> k & 1) out.shape.dim[k] = 1;
  while (out.shape.rank && (!dims || dims >> (out.shape.rank - 1) & 1)) out.shape.rank--;
  return out;
}

/* -- transpose, reshape ---------------------------------------------------- */

struct fs_tv fs_tv_transpose(struct fs_interp *in, struct fs_tv a) {
  fs_tv_drop_leading(&a);
  struct fs_tv out = a;
  int64_t m = fs_rows(&a.shape), n = fs_cols(&a.shape);
  if (a.shape.rank > 2) {
    int order[FS_MAX_RANK], rank = a.shape.rank;
    for (int k = 0; k < rank; k++) order[k] = k;
    order[rank - 2] = rank - 1, order[rank - 1] = rank - 2;
    return fs_tv_permute(in, a, rank, order);
  }
  if (a.shape.rank == 0) return a;
  if (a.shape.rank == 1 || m == 1 || n == 1) {
    bool row = a.shape.rank == 2 && m == 1;
    out.shape = row ? fs_shape_of(1, &n) : fs_shape_of(2, (int64_t[]){n, m});
    return out;
  }
  int axes[2] = {1, 0};
  struct fs_view v = fs_view_axes(2, axes);
  out.shape = fs_shape_of(2, (int64_t[]){n, m});
  out.node = fs_graph_view(fs_block_graph(in), a.node, &v, &out.shape);
  return out;
}

struct fs_tv fs_tv_permute(struct fs_interp *in, struct fs_tv a, int n, const int *order) {
  struct fs_tv out = {0, a.dtype, {.rank = n}};
  int from[FS_MAX_RANK], to[FS_MAX_RANK], axes[FS_MAX_RANK];
  while (a.shape.rank < n) a.shape.dim[a.shape.rank++] = 1;
  for (int k = 0; k < n; k++) out.shape.dim[k] = a.shape.dim[order[k]];
  struct fs_shape squeezed = fs_squeeze(&out.shape, to);
  int rank = fs_squeeze(&a.shape, from).rank;
  for (int k = 0; k < n; k++)
    if (from[order[k]] >= 0) axes[from[order[k]]] = to[k];
  struct fs_view v = fs_view_axes(rank, axes);
  out.node = fs_graph_view(fs_block_graph(in), a.node, &v, &squeezed);
  return out;
}

/* Layout of `shape` over the elements of a squeezed layout that lies so that the
 * same row-major order can be walked; false if it does not. Axes of the old
 * shape that are dense in each other are merged first. */
static bool relayout(const struct fs_shape *old, const struct fs_layout *from,
                     const struct fs_shape *shape, struct fs_layout *out) {
  int64_t dim[FS_MAX_RANK], stride[FS_MAX_RANK];
  int n = 0;
  for (int k = 0; k < old->rank; k++) {
    if (n && stride[n - 1] == old->dim[k] * from->stride[k]) {
      dim[n - 1] *= old->dim[k];
      stride[n - 1] = from->stride[k];
    } else {
      dim[n] = old->dim[k];
      stride[n++] = from->stride[k];
    }
  }
  *out = (struct fs_layout){.offset = from->offset};
  int at = n - 1;
  int64_t done = 1; /* elements of dim[at] that are covered already */
  for (int k = shape->rank - 1; k >= 0; k--) {
    if (shape->dim[k] == 1) continue;
    if (at >= 0 && done == dim[at]) at--, done = 1;
    if (at < 0 || dim[at] % (done * shape->dim[k])) return false;
    out->stride[k] = stride[at] * done;
    done *= shape->dim[k];
  }
  return true;
}

/* A stored value in another shape: a view where its layout allows it, else a copy. */
static enum fs_status reshape_stored(struct fs_interp *in, struct fs_tensor *t,
                                     const struct fs_shape *shape,
                                     struct fs_tv *out) {
  struct fs_shape old = fs_squeezed(&t->shape), want = fs_squeezed(shape);
  struct fs_layout from = {.offset = t->layout.offset}, to;
  for (int k = 0, a = 0; k < t->shape.rank; k++)
    if (t->shape.dim[k] != 1) from.stride[a++] = t->layout.stride[k];
  enum fs_status st;
  *out = (struct fs_tv){0, t->dtype, *shape};
  if (!relayout(&old, &from, &want, &to)) {
    fs_id node;
    st = fs_block_read(in, t, &node);
    if (st == FS_OK)
      out->node = fs_graph_lib(fs_block_graph(in), FS_LIB_RESHAPE, t->dtype, shape, node,
                               &t->shape, 0, NULL, 0);
    return st;
  }
  struct fs_tensor *fresh =
      fs_tensor_stored(fs_storage_ref(t->storage), t->dtype, &want, &to);
  st = fs_block_read(in, fresh, &out->node);
  fs_tensor_unref(fresh);
  return st;
}

enum fs_status fs_tv_reshape(struct fs_interp *in, struct fs_tv a,
                             const struct fs_shape *shape, struct fs_tv *out) {
  struct fs_shape old = fs_squeezed(&a.shape);
  struct fs_shape new = fs_squeezed(shape);
  if (!fs_shape_count(shape)) {
    *out = fs_tv_repeat(in, a.node, shape);
    return FS_OK;
  }
  if (fs_shape_equal(&old, &new)) {
    *out = a;
    out->shape = *shape;
    return FS_OK;
  }
  struct fs_val v = fs_tv_value(in, &a);
  enum fs_status st = fs_force(in, v.tensor);
  if (st == FS_OK) st = reshape_stored(in, v.tensor, shape, out);
  fs_val_unref(v);
  return st;
}

struct fs_tv fs_tv_iota(struct fs_interp *in, enum fs_dtype dt, int64_t n,
                        double start, double step) {
  /* Counting in f64 keeps the ends of 0:0.1:1 where they belong. */
  enum fs_dtype made = fs_dtype_is_float(dt) ? FS_F64 : FS_I64;
  struct fs_tv out = {0, made, {1, {n}}};
  fs_id a = fs_param(in, made, start), s = fs_param(in, made, step);
  out.node = n == 1 ? a : fs_graph_iota(fs_block_graph(in), made, n, a, s);
  return fs_tv_cast(in, out, dt);
}
