/* library.c - reads an FS_LIBRARY kernel into plain matrices, and holds the
 * messages that both targets give when a library call cannot be done. */
#include "core/device/library.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/graph/fourier.h"
#include "core/plan/kernels/launches.h"
#include "core/ranks/ranks.h"

/* Gives each extent of `full` its stride: extents of 1 were squeezed away, the
 * others take the strides of `layout` in order. */
static void read_array(const struct fs_plan *plan, int slot,
                       const struct fs_layout *layout,
                       const struct fs_shape *full, void *const *slots,
                       struct fs_lib_array *out) {
  memset(out, 0, sizeof *out);
  out->dtype = plan->slots.data[slot].dtype;
  out->rank = FS_MAX(full->rank, 2);
  int axis = 0;
  for (int k = 0; k < out->rank; k++) {
    out->dim[k] = fs_shape_dim(full, k);
    out->stride[k] = out->dim[k] == 1 ? 0 : layout->stride[axis++];
  }
  char *base = slots ? slots[slot] : NULL;
  if (base)
    base += layout->offset * (int64_t)fs_dtype_size(out->dtype);
  out->ptr = base;
}

struct fs_lib_array fs_lib_transposed(struct fs_lib_array a) {
  int64_t dim = a.dim[0], stride = a.stride[0];
  a.dim[0] = a.dim[1], a.stride[0] = a.stride[1];
  a.dim[1] = dim, a.stride[1] = stride;
  return a;
}

static struct fs_shape matrix(int64_t rows, int64_t cols) {
  return (struct fs_shape){.rank = 2, .dim = {rows, cols}};
}

/* The unsqueezed shape of the result. */
static struct fs_shape result_shape(const struct fs_lib_call *c,
                                    const struct fs_shape *index,
                                    const struct fs_shape *result) {
  const struct fs_lib_array *a = &c->a;
  switch (c->op) {
    case FS_LIB_GEMM: return matrix(a->dim[0], c->b.dim[1]);
    case FS_LIB_SOLVE: return matrix(a->dim[1], c->b.dim[1]);
    case FS_LIB_GATHER: {
      if (c->by_element) return *index;
      struct fs_shape s = {.rank = a->rank};
      for (int k = 0; k < a->rank; k++) s.dim[k] = a->dim[k];
      s.dim[0] = fs_shape_count(index);
      return s;
    }
    case FS_LIB_FIND: case FS_LIB_INVERT: return matrix(fs_shape_count(result), 1);
    case FS_LIB_RESHAPE: case FS_LIB_ALL_REDUCE: case FS_LIB_ALL_GATHER: case FS_LIB_OWN_PART:
      return *result;
    case FS_LIB_COMBINE: return matrix(a->dim[0] - fs_shape_count(index), a->dim[1]);
    case FS_LIB_FFT: case FS_LIB_RFFT: case FS_LIB_IRFFT:
    case FS_LIB_CUMSUM: case FS_LIB_CUMPROD: case FS_LIB_CUMMAX: case FS_LIB_CUMMIN:
    case FS_LIB_SORT: case FS_LIB_ARGSORT: {
      struct fs_shape s = {.rank = a->rank};
      for (int k = 0; k < a->rank; k++) s.dim[k] = a->dim[k];
      if (fs_lib_is_fourier(c->op)) {
        s.dim[c->axis] = 1;
        s.dim[c->axis] = fs_shape_count(result) / fs_shape_count(&s);
      }
      return s;
    }
    default: return fs_lib_result(c->op, a->dim[0], a->dim[1]);
  }
}

struct fs_lib_array fs_lib_result_part(const struct fs_lib_call *c, int k) {
  struct fs_lib_part p = fs_lib_part(c->op, k, c->a.dim[0], c->a.dim[1]);
  struct fs_lib_array part = c->out;
  int64_t first = p.row * part.stride[0] + p.col * part.stride[1];
  if (part.ptr) part.ptr = (char *)part.ptr + first * (int64_t)fs_dtype_size(part.dtype);
  part.dim[0] = p.rows, part.dim[1] = p.cols;
  return p.transposed ? fs_lib_transposed(part) : part;
}

/* x[idx] chooses elements, A[idx, :] rows. For a column both are the same; for
 * a 1 x n row the number of elements of the result tells. */
static bool gathers_elements(const struct fs_node *node,
                             const struct fs_lib_array *a, int64_t indices) {
  int64_t wide = 0;
  for (int k = 0; k < a->rank; k++) wide += a->dim[k] != 1;
  return wide <= 1 && fs_shape_count(&node->shape) == indices;
}

struct fs_lib_array fs_lib_operand(const struct fs_plan *plan, const struct fs_kernel *kernel,
                                   int k, void *const *slots) {
  const struct fs_node *call = fs_node(plan->graph, kernel->lib_node);
  const struct fs_shape *shape = k < 0 ? &call->shape
                                       : &fs_node(plan->graph, call->src[k])->shape;
  struct fs_lib_array out;
  read_array(plan, kernel->lib_slots[k + 1], &kernel->lib_layout[k + 1], shape, slots, &out);
  return out;
}

/* -- batches -------------------------------------------------------------------------- */

/* Of an array of matrices the first one; `step` gets how far the next ones are. */
static void take_first(const struct fs_shape *batch, struct fs_lib_array *a, int64_t *step) {
  int outer = a->rank - 2;
  for (int k = 0; k < batch->rank; k++) step[k] = 0;
  for (int k = 0; k < outer; k++) step[batch->rank - outer + k] = a->stride[k];
  for (int k = 0; k < 2 && outer > 0; k++)
    a->dim[k] = a->dim[outer + k], a->stride[k] = a->stride[outer + k];
  a->rank = 2;
}

/* Whether an array goes on from one matrix to the next as it does from axis k + 1 to k. */
static bool goes_on(const struct fs_lib_call *c, int k) {
  for (int i = 0; i < 3; i++)
    if (c->step[i][k] != c->batch.dim[k + 1] * c->step[i][k + 1]) return false;
  return true;
}

static void drop_axis(struct fs_lib_call *c, int k) {
  for (int x = k + 1; x < c->batch.rank; x++) {
    c->batch.dim[x - 1] = c->batch.dim[x];
    for (int i = 0; i < 3; i++) c->step[i][x - 1] = c->step[i][x];
  }
  c->batch.rank--;
}

/* Axes that are walked as one become one. */
static void join_axes(struct fs_lib_call *c) {
  for (int k = c->batch.rank - 1; k >= 0; k--) {
    if (c->batch.dim[k] == 1) {
      drop_axis(c, k);
    } else if (k + 1 < c->batch.rank && goes_on(c, k)) {
      c->batch.dim[k + 1] *= c->batch.dim[k];
      drop_axis(c, k);
    }
  }
}

/* C' = B'*A', of a product whose result is a column: then it is a row. */
static void turn_product(struct fs_lib_call *c) {
  struct fs_lib_array a = c->a;
  c->a = fs_lib_transposed(c->b), c->b = fs_lib_transposed(a);
  c->out = fs_lib_transposed(c->out);
  for (int x = 0; x < c->batch.rank; x++) {
    int64_t step = c->step[1][x];
    c->step[1][x] = c->step[2][x], c->step[2][x] = step;
  }
}

/* Matrices below each other, all multiplied by the same one, are one matrix, and so are columns
 * that one matrix is multiplied by. */
static void join_rows(struct fs_lib_call *c) {
  int last = c->batch.rank - 1;
  if (last < 0 || c->op != FS_LIB_GEMM) return;
  if (!c->step[1][last] && c->b.dim[1] == 1) turn_product(c);
  if (c->step[2][last]) return;
  int64_t rows = c->a.dim[0];
  if (rows == 1) c->a.stride[0] = c->step[1][last], c->out.stride[0] = c->step[0][last];
  if (c->step[1][last] != rows * c->a.stride[0]) return;
  if (c->step[0][last] != rows * c->out.stride[0]) return;
  c->a.dim[0] = c->out.dim[0] = rows * c->batch.dim[last];
  drop_axis(c, last);
}

struct fs_lib_call fs_lib_call_nth(const struct fs_lib_call *c, int64_t k) {
  struct fs_lib_call one = *c;
  struct fs_lib_array *array[3] = {&one.out, &one.a, &one.b};
  int64_t rest = k, at[3] = {0};
  for (int x = c->batch.rank - 1; x >= 0; x--) {
    for (int i = 0; i < 3; i++) at[i] += rest % c->batch.dim[x] * c->step[i][x];
    rest /= c->batch.dim[x];
  }
  for (int i = 0; i < 3; i++)
    if (array[i]->ptr)
      array[i]->ptr = (char *)array[i]->ptr + at[i] * (int64_t)fs_dtype_size(array[i]->dtype);
  one.batch.rank = 0;
  one.nth = k + 1;
  return one;
}

/* The result of a call for each matrix of a batch, and of all of them. */
static void read_batch(const struct fs_plan *plan, const struct fs_kernel *k, void *const *slots,
                       struct fs_lib_call *c) {
  const struct fs_node *node = fs_node(plan->graph, k->lib_node);
  struct fs_shape batch = fs_lib_sizes(node).batch;
  take_first(&batch, &c->a, c->step[1]);
  if (c->has_b) take_first(&batch, &c->b, c->step[2]);
  struct fs_shape one = result_shape(c, &node->lib_shape[1], &node->shape);
  if (one.rank == 1) one.dim[one.rank++] = 1;
  struct fs_shape full = fs_batched(&batch, &one);
  read_array(plan, k->lib_slots[0], &k->lib_layout[0], &full, slots, &c->out);
  take_first(&batch, &c->out, c->step[0]);
  c->batch = batch;
  join_axes(c);
  join_rows(c);
}

void fs_lib_call_read(const struct fs_plan *plan, const struct fs_kernel *k,
                      void *const *slots, struct fs_lib_call *out) {
  const struct fs_node *node = fs_node(plan->graph, k->lib_node);
  memset(out, 0, sizeof *out);
  out->op = node->op;
  out->span = node->span;
  out->has_b = node->n_src > 1;
  out->with_itself = fs_lib_with_itself(node);
  out->of_halves = node->lib_flags & FS_LIB_OF_HALVES;
  out->in_range = node->lib_flags & FS_LIB_IN_RANGE;
  out->axis = fs_lib_is_along(node->op) ? node->lib_flags & FS_LIB_AXIS : 0;
  out->length = fs_lib_is_fourier(node->op) ? fs_fourier_length(node) : 0;
  out->divided = fs_lib_is_fourier(node->op) && node->lib_flags & FS_LIB_NTH;
  out->descending = node->lib_flags & FS_LIB_DESCENDING;
  out->by = node->op == FS_LIB_COMBINE ? node->lib_flags & FS_LIB_BY : 0;
  out->chosen = node->lib_flags & FS_LIB_OF_ROWS      ? "row"
                : node->lib_flags & FS_LIB_OF_COLUMNS ? "column"
                                                      : "element";
  read_array(plan, k->lib_slots[1], &k->lib_layout[1], &node->lib_shape[0],
             slots, &out->a);
  if (out->has_b)
    read_array(plan, k->lib_slots[2], &k->lib_layout[2], &node->lib_shape[1],
               slots, &out->b);
  if (fs_lib_takes_batches(node->op) && fs_lib_sizes(node).batch.rank) {
    read_batch(plan, k, slots, out);
    return;
  }
  bool product = out->op == FS_LIB_GEMM;
  if (product && (node->lib_flags & FS_LIB_TRANS_A)) out->a = fs_lib_transposed(out->a);
  if (product && (node->lib_flags & FS_LIB_TRANS_B)) out->b = fs_lib_transposed(out->b);
  if (out->op == FS_LIB_GATHER)
    out->by_element = gathers_elements(node, &out->a, fs_lib_count(&out->b));
  struct fs_shape full = result_shape(out, &node->lib_shape[1], &node->shape);
  read_array(plan, k->lib_slots[0], &k->lib_layout[0], &full, slots, &out->out);
}

void fs_lib_order(const int *pivots, int64_t k, int64_t m, int64_t n, double *out) {
  double sign = 1;
  for (int64_t i = 0; i < m; i++) out[i] = (double)(i + 1);
  for (int64_t i = 0; i < k; i++) {
    int64_t other = pivots[i] - 1;
    double row = out[i];
    out[i] = out[other], out[other] = row;
    if (other != i) sign = -sign;
  }
  for (int64_t j = 0; j < n; j++) out[m + j] = sign;
}

bool fs_lib_moves(enum fs_lib_op op) {
  return op == FS_LIB_GATHER || op == FS_LIB_FIND || op == FS_LIB_INVERT ||
         op == FS_LIB_RESHAPE || op == FS_LIB_COMBINE || fs_lib_is_along(op) ||
         fs_lib_is_of_ranks(op);
}

/* -- over ranks ------------------------------------------------------------------------ */

bool fs_lib_is_of_ranks(enum fs_lib_op op) {
  return op == FS_LIB_ALL_REDUCE || op == FS_LIB_ALL_GATHER || op == FS_LIB_OWN_PART;
}

int64_t fs_lib_place(const struct fs_lib_call *c) {
  int ranks = c->op == FS_LIB_ALL_GATHER ? fs_ranks() : 1;
  for (int k = 0; k < c->out.rank; k++)
    if (c->out.dim[k] > 1) return c->out.stride[k] * (c->out.dim[k] / ranks);
  return 1;
}

struct fs_lib_call fs_lib_own_copy(const struct fs_lib_call *c) {
  struct fs_lib_call one = *c;
  one.op = FS_LIB_RESHAPE;
  if (c->op == FS_LIB_ALL_GATHER) {
    int64_t size = (int64_t)fs_dtype_size(c->out.dtype);
    if (one.out.ptr) one.out.ptr = (char *)one.out.ptr + fs_rank() * fs_lib_place(c) * size;
    one.out.dim[0] /= fs_ranks();
  } else if (c->op == FS_LIB_OWN_PART) {
    int64_t size = (int64_t)fs_dtype_size(c->a.dtype), part = c->out.dim[0];
    int64_t first = FS_MIN(fs_rank() * part, c->a.dim[0]);
    if (one.a.ptr) one.a.ptr = (char *)one.a.ptr + first * c->a.stride[0] * size;
    one.a.dim[0] = one.out.dim[0] = FS_MIN(part, c->a.dim[0] - first);
  }
  return one;
}

int64_t fs_lib_count(const struct fs_lib_array *a) {
  int64_t count = 1;
  for (int k = 0; k < a->rank; k++) count *= a->dim[k];
  return count;
}

int64_t fs_lib_list_stride(const struct fs_lib_array *a) {
  int64_t stride = 0;
  for (int k = 0; k < a->rank; k++)
    if (a->dim[k] > 1) stride = a->stride[k];
  return stride;
}

struct fs_lib_lines fs_lib_lines_of(const struct fs_lib_array *a, int axis) {
  struct fs_lib_lines l = {.n = a->dim[axis], .count = 1, .step = a->stride[axis]};
  int at = FS_MAX_RANK - 1;
  for (int k = a->rank - 1; k >= 0; k--) {
    if (k == axis || a->dim[k] == 1) continue;
    at--;
    l.dim[at] = a->dim[k];
    l.stride[at] = a->stride[k];
    l.count *= a->dim[k];
  }
  while (at--) l.dim[at] = 1;
  return l;
}

int64_t fs_lib_line(const struct fs_lib_lines *l, int64_t k) {
  int64_t offset = 0;
  for (int i = FS_MAX_RANK - 2; i >= 0; i--) {
    offset += k % l->dim[i] * l->stride[i];
    k /= l->dim[i];
  }
  return offset;
}

bool fs_lib_lines_first(const struct fs_lib_lines *l) {
  return l->count > 1 && llabs(l->stride[FS_MAX_RANK - 2]) < llabs(l->step);
}

enum fs_status fs_lib_bad_index(const struct fs_lib_call *c, double value,
                                int64_t position, struct fs_diags *d) {
  int64_t extent = fs_lib_count(&c->out);
  if (c->op == FS_LIB_GATHER)
    extent = c->by_element ? fs_lib_count(&c->a) : c->a.dim[0];
  if (c->op == FS_LIB_COMBINE) extent = c->out.dim[0];
  char text[32];
  snprintf(text, sizeof text, "%g", value);
  if (isnan(value)) strcpy(text, "NaN");
  if (floor(value) != value)
    return fs_error(d, c->span, "bad-index", "indices count from 1",
                    "an index must be a whole number, not %s (number %" PRId64
                    " of the list)", text, position);
  return fs_error(d, c->span, "out-of-range", "indices count from 1",
                  "index %.0f (number %" PRId64 " of the list) is out of range: "
                  "there %s %" PRId64 " %s%s", value, position,
                  extent == 1 ? "is" : "are", extent, c->chosen, extent == 1 ? "" : "s");
}

/* "the matrix", or which of a batch; of a buffer of the caller's. */
static const char *the_matrix(const struct fs_lib_call *c, char out[48]) {
  snprintf(out, 48, c->nth ? "matrix %" PRId64 " of the batch" : "the matrix", c->nth);
  return out;
}

enum fs_status fs_lib_failed(const struct fs_lib_call *c, int64_t info,
                             struct fs_diags *d) {
  char which[48];
  switch (c->op) {
    case FS_LIB_CHOL:
      return fs_error(d, c->span, "not-positive-definite",
                      "chol needs a symmetric matrix whose eigenvalues are "
                      "all positive",
                      "%s is not positive definite: its leading %" PRId64 "x%" PRId64
                      " part fails", the_matrix(c, which), info, info);
    case FS_LIB_SOLVE:
      if (c->a.dim[0] != c->a.dim[1])
        return fs_error(d, c->span, "singular",
                        "remove dependent columns, or add a ridge term",
                        "the columns of the %" PRId64 "x%" PRId64 " matrix are "
                        "not independent, so there is no single least-squares "
                        "solution", c->a.dim[0], c->a.dim[1]);
      /* fall through */
    case FS_LIB_INV:
      return fs_error(d, c->span, "singular",
                      "check for equal or zero rows and columns",
                      "%s is singular: pivot %" PRId64 " of %" PRId64 " is zero",
                      the_matrix(c, which), info, c->a.dim[0]);
    default:
      return fs_error(d, c->span, "no-convergence",
                      "look for NaN or infinite elements",
                      "the decomposition of the %" PRId64 "x%" PRId64
                      " matrix did not converge", c->a.dim[0], c->a.dim[1]);
  }
}

static const char *const not_symmetric_hint =
    "chol needs a symmetric matrix; where only rounding makes the difference, take (A + A')/2";

enum fs_status fs_lib_small_failed(const struct fs_plan *plan, const struct fs_kernel *k,
                                   uint64_t fault, struct fs_diags *d) {
  static const enum fs_lib_op ops[FS_SMALL_OPS] = {
      [FS_SMALL_SOLVE] = FS_LIB_SOLVE, [FS_SMALL_INV] = FS_LIB_INV, [FS_SMALL_CHOL] = FS_LIB_CHOL};
  uint64_t op = ~fault >> 8 & 0xff, info = ~fault & 0xff;
  struct fs_lib_call c = {.nth = (int64_t)(~fault >> 16) + 1};
  for (int q = k->n_applied - 1; q >= 0; q--) {
    const struct fs_small *s = k->applied[q].user->small;
    if (!s || s->op != (enum fs_small_op)op) continue;
    c.op = ops[op], c.a.dim[0] = c.a.dim[1] = s->n;
    c.span = fs_node(plan->graph, k->applied[q].node)->span;
  }
  char which[48];
  if (info != FS_SMALL_ASYMMETRIC) return fs_lib_failed(&c, (int64_t)info, d);
  return fs_error(d, c.span, "not-symmetric", not_symmetric_hint, "%s is not symmetric",
                  the_matrix(&c, which));
}

enum fs_status fs_lib_check(const struct fs_lib_call *c, struct fs_diags *d) {
  if (fs_lib_wants_square(c->op) && c->a.dim[0] != c->a.dim[1])
    return fs_error(d, c->span, "shape-mismatch", NULL,
                    "%s needs a square matrix, not %" PRId64 "x%" PRId64,
                    fs_lib_op_names[c->op], c->a.dim[0], c->a.dim[1]);
  for (int k = 0; k < 2; k++)
    if (!fs_lib_moves(c->op) &&
        (c->a.dim[k] > INT32_MAX || (c->has_b && c->b.dim[k] > INT32_MAX)))
      return fs_error(d, c->span, "too-large", NULL,
                      "%s takes extents up to 2147483647",
                      fs_lib_op_names[c->op]);
  if (c->op == FS_LIB_LU && c->out.dtype == FS_F32 && c->a.dim[0] > 1 << 24)
    return fs_error(d, c->span, "too-large", "f64(A) counts further",
                    "lu in f32 takes up to 16777216 rows: f32 cannot count more");
  return FS_OK;
}

/* -- symmetry ------------------------------------------------------------------ */

double fs_lib_asymmetry_allowed(const struct fs_lib_call *c, double most) {
  if (c->op != FS_LIB_CHOL && c->op != FS_LIB_EIGVALS && c->op != FS_LIB_EIGVECS)
    return -1;
  /* Far more than products and inverses round, far less than a matrix shows that is
   * not meant to be symmetric. In f64 there is room for numbers that were f32. */
  return most * (c->of_halves ? 0x1p-5 : c->a.dtype == FS_F32 ? 0x1p-10 : 0x1p-20);
}

/* What two triangles of a matrix are found to be. */
struct asymmetry {
  double most, differ; /* the largest magnitude, and difference ... */
  int64_t i, j;        /* ... of [i, j] and [j, i], from 0 */
};

static double element(const struct fs_lib_array *a, int64_t i, int64_t j) {
  int64_t e = i * a->stride[0] + j * a->stride[1];
  return a->dtype == FS_F32 ? (double)((const float *)a->ptr)[e]
                            : ((const double *)a->ptr)[e];
}

/* Rows from i0 and columns from j0 on, and what lies opposite. */
static void compare_tile(const struct fs_lib_array *a, int64_t i0, int64_t j0,
                         int64_t side, struct asymmetry *found) {
  int64_t i1 = FS_MIN(i0 + side, a->dim[0]), j1 = FS_MIN(j0 + side, a->dim[0]);
  double most = found->most, differ = found->differ;
  for (int64_t i = i0; i < i1; i++)
    for (int64_t j = FS_MAX(i, j0); j < j1; j++) {
      double x = element(a, i, j), y = element(a, j, i);
      if (fabs(x) > most) most = fabs(x);
      if (fabs(y) > most) most = fabs(y);
      if (fabs(x - y) > differ) {
        differ = fabs(x - y);
        found->i = i, found->j = j;
      }
    }
  found->most = most, found->differ = differ;
}

enum fs_status fs_lib_check_symmetry(const struct fs_lib_call *c,
                                     struct fs_diags *d) {
  enum { SIDE = 32 }; /* so that columns are not walked a line per element */
  struct asymmetry found = {0};
  if (fs_lib_asymmetry_allowed(c, 0) < 0) return FS_OK;
  for (int64_t i = 0; i < c->a.dim[0]; i += SIDE)
    for (int64_t j = i; j < c->a.dim[0]; j += SIDE)
      compare_tile(&c->a, i, j, SIDE, &found);
  if (!(found.differ > fs_lib_asymmetry_allowed(c, found.most))) return FS_OK;
  double x = element(&c->a, found.i, found.j), y = element(&c->a, found.j, found.i);
  char which[48];
  return fs_error(d, c->span, "not-symmetric",
                  c->op == FS_LIB_CHOL
                      ? not_symmetric_hint
                      : "eig(A) takes any square matrix; where only rounding makes the "
                        "difference, take (A + A')/2",
                  "%s is not symmetric: element [%" PRId64 ", %" PRId64
                  "] is %.7g, and [%" PRId64 ", %" PRId64 "] is %.7g",
                  the_matrix(c, which), found.i + 1, found.j + 1, x, found.j + 1, found.i + 1, y);
}
