/* batch.c - arrays of matrices, which are their last two dimensions: shapes of calls that take
 * one matrix after the other. */
#include "core/graph/graph.h"

bool fs_lib_takes_batches(enum fs_lib_op op) {
  switch (op) {
    case FS_LIB_GEMM: case FS_LIB_SOLVE: case FS_LIB_INV: case FS_LIB_CHOL:
    case FS_LIB_EIGVALS: case FS_LIB_EIGVECS: case FS_LIB_SVDVALS: case FS_LIB_SVD:
    case FS_LIB_QR: case FS_LIB_QR_R: case FS_LIB_LU: case FS_LIB_EIG: case FS_LIB_EIG_VALUES:
    case FS_LIB_SCHUR: case FS_LIB_SVD_BOTH: return true;
    default: return false;
  }
}

struct fs_shape fs_matrix_of(const struct fs_shape *s) {
  int first = FS_MAX(s->rank - 2, 0);
  return (struct fs_shape){2, {fs_shape_dim(s, first), fs_shape_dim(s, first + 1)}};
}

struct fs_shape fs_batch_of(const struct fs_shape *s) {
  struct fs_shape out = {.rank = FS_MAX(s->rank - 2, 0)};
  for (int k = 0; k < out.rank; k++) out.dim[k] = s->dim[k];
  return out;
}

struct fs_shape fs_batched(const struct fs_shape *batch, const struct fs_shape *matrix) {
  struct fs_shape out = *batch;
  for (int k = 0; k < matrix->rank; k++) out.dim[out.rank++] = matrix->dim[k];
  return out;
}

bool fs_batches_fit(const struct fs_shape *a, const struct fs_shape *b, struct fs_shape *out) {
  *out = (struct fs_shape){.rank = FS_MAX(a->rank, b->rank)};
  for (int k = 1; k <= out->rank; k++) {
    int64_t x = k <= a->rank ? a->dim[a->rank - k] : 1, y = k <= b->rank ? b->dim[b->rank - k] : 1;
    if (x != y && x != 1 && y != 1) return false;
    out->dim[out->rank - k] = x == 1 ? y : x;
  }
  return true;
}

struct fs_lib_sizes fs_lib_sizes(const struct fs_node *call) {
  struct fs_shape a = fs_matrix_of(&call->lib_shape[0]), b = fs_matrix_of(&call->lib_shape[1]);
  struct fs_shape outer = fs_batch_of(&call->lib_shape[0]), inner = {0};
  bool product = call->op == FS_LIB_GEMM;
  bool ta = product && call->lib_flags & FS_LIB_TRANS_A;
  bool tb = product && call->lib_flags & FS_LIB_TRANS_B;
  struct fs_lib_sizes s = {.rows = a.dim[ta], .columns = a.dim[!ta], .right = b.dim[!tb]};
  if (call->n_src > 1) inner = fs_batch_of(&call->lib_shape[1]);
  fs_batches_fit(&outer, &inner, &s.batch);
  return s;
}

double fs_lib_count_of(const struct fs_node *call) {
  struct fs_lib_sizes s = fs_lib_sizes(call);
  return fs_lib_takes_batches(call->op) ? (double)fs_shape_count(&s.batch) : 1;
}

/* A product of all of a batch with one matrix is one product, as far as rows are concerned. */
double fs_lib_calls(const struct fs_node *call) {
  struct fs_lib_sizes s = fs_lib_sizes(call);
  struct fs_shape outer = fs_batch_of(&call->lib_shape[0]), inner = fs_batch_of(&call->lib_shape[1]);
  bool one = fs_shape_count(&inner) == 1 || (fs_shape_count(&outer) == 1 && s.right == 1);
  return call->op == FS_LIB_GEMM && one ? 1 : fs_lib_count_of(call);
}
