/* ops.c - the tables that ops.def and reductions.def describe. */
#include "core/graph/graph.h"

const struct fs_map_op_info fs_map_ops[FS_MAP_OP_COUNT + 1] = {
#define FS_MAP_OP(id, name, arity, types, result, infix, cuda, doc) \
  [FS_OP_##id] = {name, arity, types, result, infix, cuda, doc},
#include "core/graph/ops.def"
  [FS_OP_USER] = {"user", 0, 'N', 'S', "", "", "a function of the user"},
};

const struct fs_reduce_op_info fs_reduce_ops[FS_REDUCE_OP_COUNT] = {
#define FS_REDUCE_OP(id, name, types, result, first, functor, merge, cost, doc) \
  [FS_RD_##id] = {name, #types[0], #result[0], FS_FIRST_##first, #functor, #merge, \
                  FS_COST_##cost, doc},
#include "core/graph/reductions.def"
};

const char *const fs_lib_op_names[FS_LIB_OP_COUNT] = {
    [FS_LIB_GEMM] = "gemm",       [FS_LIB_SOLVE] = "solve",
    [FS_LIB_INV] = "inv",         [FS_LIB_CHOL] = "chol",
    [FS_LIB_EIGVALS] = "eigvals", [FS_LIB_EIGVECS] = "eigvecs",
    [FS_LIB_SVDVALS] = "svdvals", [FS_LIB_GATHER] = "gather",
    [FS_LIB_FIND] = "find",       [FS_LIB_INVERT] = "invert",
    [FS_LIB_RESHAPE] = "reshape", [FS_LIB_SVD] = "svd",
    [FS_LIB_QR] = "qr",           [FS_LIB_QR_R] = "qr_r",
    [FS_LIB_LU] = "lu",
    [FS_LIB_CUMSUM] = "cumsum",   [FS_LIB_CUMPROD] = "cumprod",
    [FS_LIB_CUMMAX] = "cummax",   [FS_LIB_CUMMIN] = "cummin",
    [FS_LIB_SORT] = "sort",       [FS_LIB_ARGSORT] = "argsort",
};

bool fs_lib_takes_any(enum fs_lib_op op, int k) {
  return op == FS_LIB_FIND || op == FS_LIB_INVERT || fs_lib_is_scan(op) ||
         op == FS_LIB_ARGSORT ||
         (op == FS_LIB_GATHER && k == 1);
}

bool fs_lib_wants_square(enum fs_lib_op op) {
  return op == FS_LIB_INV || op == FS_LIB_CHOL || op == FS_LIB_EIGVALS ||
         op == FS_LIB_EIGVECS;
}

bool fs_lib_iterates(enum fs_lib_op op) {
  return op == FS_LIB_EIGVALS || op == FS_LIB_EIGVECS || op == FS_LIB_SVDVALS ||
         op == FS_LIB_SVD;
}

bool fs_lib_has_parts(enum fs_lib_op op) {
  return op == FS_LIB_SVD || op == FS_LIB_QR || op == FS_LIB_LU;
}

struct fs_shape fs_lib_result(enum fs_lib_op op, int64_t m, int64_t n) {
  int64_t least = FS_MIN(m, n);
  switch (op) {
    case FS_LIB_EIGVALS:
    case FS_LIB_SVDVALS: return (struct fs_shape){1, {least}};
    case FS_LIB_SVD: return (struct fs_shape){2, {m + n + 1, least}};
    case FS_LIB_QR: return (struct fs_shape){2, {m + n, least}};
    case FS_LIB_LU: return (struct fs_shape){2, {m + n, least + 1}};
    case FS_LIB_QR_R: return (struct fs_shape){2, {least, n}};
    default: return (struct fs_shape){2, {m, n}};
  }
}

struct fs_lib_part fs_lib_part(enum fs_lib_op op, int k, int64_t m, int64_t n) {
  int64_t least = FS_MIN(m, n);
  const struct fs_lib_part first = {0, 0, m, least, false, false},
                           transposed = {m, 0, n, least, true, false},
                           of_svd[] = {first, {m + n, 0, 1, least, true, true},
                                       {m, 0, n, least, false, false}},
                           of_lu[] = {first, transposed, {0, least, m, 1, false, true},
                                      {m, least, n, 1, false, true}};
  if (op == FS_LIB_SVD) return of_svd[k];
  return op == FS_LIB_LU ? of_lu[k] : k ? transposed : first;
}
