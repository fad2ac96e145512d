/* ops.c - the tables that ops.def describes. */
#include "core/graph/graph.h"

const struct fs_map_op_info fs_map_ops[FS_MAP_OP_COUNT + 1] = {
#define FS_MAP_OP(id, name, arity, types, result, infix, cuda, doc) \
  [FS_OP_##id] = {name, arity, types, result, infix, cuda, doc},
#include "core/graph/ops.def"
  [FS_OP_USER] = {"user", 0, 'N', 'S', "", "", "a function of the user"},
};

const struct fs_reduce_op_info fs_reduce_ops[FS_REDUCE_OP_COUNT] = {
#define FS_REDUCE_OP(id, name, types, result, neutral, doc) \
  [FS_RD_##id] = {name, types, result, neutral, doc},
#include "core/graph/ops.def"
};

const char *const fs_lib_op_names[FS_LIB_OP_COUNT] = {
    [FS_LIB_GEMM] = "gemm",       [FS_LIB_SOLVE] = "solve",
    [FS_LIB_INV] = "inv",         [FS_LIB_CHOL] = "chol",
    [FS_LIB_EIGVALS] = "eigvals", [FS_LIB_EIGVECS] = "eigvecs",
    [FS_LIB_SVDVALS] = "svdvals", [FS_LIB_GATHER] = "gather",
    [FS_LIB_FIND] = "find",       [FS_LIB_INVERT] = "invert",
    [FS_LIB_RESHAPE] = "reshape",
};

bool fs_lib_takes_any(enum fs_lib_op op, int k) {
  return op == FS_LIB_FIND || op == FS_LIB_INVERT || (op == FS_LIB_GATHER && k == 1);
}
