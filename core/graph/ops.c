/* ops.c - the tables that ops.def and reductions.def describe. */
#include "core/graph/graph.h"

#include <math.h>

#define FS_CLASS_A 'A'
#define FS_CLASS_N 'N'
#define FS_CLASS_F 'F'
#define FS_CLASS_B 'B'
#define FS_CLASS_I 'I'
#define FS_CLASS_U 'U'
#define FS_RESULT_S 'S'
#define FS_RESULT_B 'B'
#define FS_WHOLE_R 'R'
#define FS_WHOLE_W 'W'
#define FS_WHOLE_I 'I'

const struct fs_map_op_info fs_map_ops[FS_MAP_OP_COUNT + 1] = {
#define FS_MAP_OP(id, name, arity, types, result, commutes, infix, cuda, way, c, whole, cost, \
                  code, doc) \
  [FS_OP_##id] = {name, arity, FS_CLASS_##types, FS_RESULT_##result, FS_WHOLE_##whole, commutes,  \
                  cost, code, infix, cuda, doc},
#include "core/graph/ops.def"
  [FS_OP_USER] = {"user", 0, 'N', 'S', 'R', false, 1, 1, "", "", "a function of the user"},
};

/* -- of numbers --------------------------------------------------------------- */

typedef double U;
static double op_neg(double x) { return -x; }
static double op_abs(double x) { return fabs(x); }
static double op_sign(double x) { return isnan(x) ? NAN : (x > 0) - (x < 0); }
static double op_root(double x) { return sqrt(x); }
static double op_fma(double x, double y, double z) { return fma(x, y, z); }
static bool op_finite(double x) { return isfinite(x); }
static double op_min(double x, double y) { return isnan(x) || isnan(y) ? NAN : x < y ? x : y; }
static double op_max(double x, double y) { return isnan(x) || isnan(y) ? NAN : x > y ? x : y; }
static double op_mod(double x, double y) {
  double r = fmod(x, y);
  if (r == 0) return copysign(0, y);
  return (r < 0) != (y < 0) ? r + y : r;
}
#define op_fn(f, x) f(x)
static int64_t op_idiv(int64_t x, int64_t y) {
  if (y == 0 || y == -1) return y ? (int64_t)(0 - (uint64_t)x) : 0;
  return x / y - (x % y != 0 && (x < 0) != (y < 0));
}
static int64_t op_shl(int64_t x, int64_t y) {
  if (y > 63) return 0;
  return y >= 0 ? (int64_t)((uint64_t)x << y) : x >> (y < -63 ? 63 : -y);
}
static int64_t op_shr(int64_t x, int64_t y) { return y < -63 ? 0 : op_shl(x, -y); }
static int op_popcount(int64_t x) { return __builtin_popcountll((uint64_t)x); }

double fs_map_number(enum fs_map_op op, const double *operands) {
  switch (op) {
#define OPERANDS_1(T, t) T x = (operands[0])t;
#define OPERANDS_2(T, t) T x = (operands[0])t, y = (operands[1])t;
#define OPERANDS_3(T, t) T x = (operands[0])t, y = (operands[1])t, z = (operands[2])t;
#define OPERANDS_A(n) OPERANDS_##n(double, )
#define OPERANDS_N(n) OPERANDS_##n(double, )
#define OPERANDS_F(n) OPERANDS_##n(double, )
#define OPERANDS_B(n) OPERANDS_##n(int, != 0)
#define OPERANDS_I(n) WHOLE_##n
#define OPERANDS_U(n) WHOLE_##n
#define WHOLE_1 int64_t x = fs_dtype_integer(FS_I64, operands[0]);
#define WHOLE_2 WHOLE_1 int64_t y = fs_dtype_integer(FS_I64, operands[1]);
#define VALUE_LOOP(n, c) (c)
#define VALUE_NONE(n, c) (c)
#define VALUE_MOD(n, c) (c)
#define VALUE_VECTOR(n, c) (c)
#define VALUE_MATH(n, f) CALL_##n(f)
#define CALL_1(f) f(x)
#define CALL_2(f) f(x, y)
#define FS_MAP_OP(id, name, n, types, result, commutes, infix, cuda, way, c, ...) \
  case FS_OP_##id: {                                                              \
    OPERANDS_##types(n)                                                           \
    return (double)(VALUE_##way(n, c));                                           \
  }
#include "core/graph/ops.def"
    default: return NAN;
  }
}

bool fs_map_takes_integers(enum fs_map_op op) {
  return fs_map_ops[op].types == 'I' || fs_map_ops[op].types == 'U';
}

bool fs_map_is_library(enum fs_map_op op) {
  enum { LOOP, MOD, VECTOR, MATH, NONE };
  static const uint8_t ways[FS_MAP_OP_COUNT] = {
#define FS_MAP_OP(id, name, arity, types, result, commutes, infix, cuda, way, ...) \
  [FS_OP_##id] = way,
#include "core/graph/ops.def"
  };
  return ways[op] == MATH;
}

/* -- reductions, libraries ----------------------------------------------------- */

const struct fs_reduce_op_info fs_reduce_ops[FS_REDUCE_OP_COUNT] = {
#define FS_REDUCE_OP(id, name, types, result, first, functor, merge, cost, doc) \
  [FS_RD_##id] = {name, #types[0], #result[0], FS_FIRST_##first, #functor, #merge, \
                  FS_COST_##cost, doc, NULL, 1},
#define FS_SPOT_OP(id, name, types, result, first, functor, merge, cost, doc) \
  [FS_RD_##id] = {name, #types[0], #result[0], FS_FIRST_##first, #functor, "", \
                  FS_COST_##cost, doc, "fs_spot", 2},
#define FS_STATE_OP(id, name, types, result, first, functor, words, fields, join, merge, \
                    finish, also, cost, doc) \
  [FS_RD_##id] = {name, #types[0], #result[0], FS_FIRST_##first, #functor, "", \
                  FS_COST_##cost, doc, #functor "_state", words, FS_OP_##also},
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
    [FS_LIB_EIG] = "eig",         [FS_LIB_EIG_VALUES] = "eig_values",
    [FS_LIB_SCHUR] = "schur",     [FS_LIB_SVD_BOTH] = "svd_both",
    [FS_LIB_CUMSUM] = "cumsum",   [FS_LIB_CUMPROD] = "cumprod",
    [FS_LIB_CUMMAX] = "cummax",   [FS_LIB_CUMMIN] = "cummin",
    [FS_LIB_SORT] = "sort",       [FS_LIB_ARGSORT] = "argsort",
    [FS_LIB_FFT] = "fft",         [FS_LIB_RFFT] = "rfft",
    [FS_LIB_IRFFT] = "irfft",
    [FS_LIB_COMBINE] = "combine", [FS_LIB_KERNEL] = "kernel",
    [FS_LIB_ALL_REDUCE] = "all-reduce", [FS_LIB_ALL_GATHER] = "all-gather",
    [FS_LIB_OWN_PART] = "own-part", [FS_LIB_LAY] = "lay",
};

const enum fs_map_op fs_lib_by[FS_LIB_BYS] = {
    [FS_LIB_ADD] = FS_OP_ADD, [FS_LIB_SUB] = FS_OP_SUB, [FS_LIB_MUL] = FS_OP_MUL,
    [FS_LIB_DIV] = FS_OP_DIV, [FS_LIB_MAX] = FS_OP_MAX, [FS_LIB_MIN] = FS_OP_MIN};

bool fs_lib_takes_any(enum fs_lib_op op, int k) {
  return op == FS_LIB_FIND || op == FS_LIB_INVERT || fs_lib_is_scan(op) ||
         op == FS_LIB_ARGSORT ||
         ((op == FS_LIB_GATHER || op == FS_LIB_COMBINE) && k == 1);
}

bool fs_lib_has_both(enum fs_lib_op op) {
  return op == FS_LIB_EIG || op == FS_LIB_EIG_VALUES || op == FS_LIB_SCHUR || op == FS_LIB_SVD_BOTH;
}

bool fs_lib_wants_square(enum fs_lib_op op) {
  return op == FS_LIB_INV || op == FS_LIB_CHOL || op == FS_LIB_EIGVALS ||
         op == FS_LIB_EIGVECS || (fs_lib_has_both(op) && op != FS_LIB_SVD_BOTH);
}

bool fs_lib_iterates(enum fs_lib_op op) {
  return op == FS_LIB_EIGVALS || op == FS_LIB_EIGVECS || op == FS_LIB_SVDVALS ||
         op == FS_LIB_SVD || fs_lib_has_both(op);
}

bool fs_lib_has_parts(enum fs_lib_op op) {
  return op == FS_LIB_SVD || op == FS_LIB_QR || op == FS_LIB_LU || fs_lib_has_both(op);
}

struct fs_shape fs_lib_result(enum fs_lib_op op, int64_t m, int64_t n) {
  int64_t least = FS_MIN(m, n);
  switch (op) {
    case FS_LIB_EIGVALS:
    case FS_LIB_SVDVALS: return (struct fs_shape){1, {least}};
    case FS_LIB_SVD: return (struct fs_shape){2, {m + n + 1, least}};
    case FS_LIB_SVD_BOTH: return (struct fs_shape){2, {2 * m + 2 * n + 1, least}};
    case FS_LIB_QR: return (struct fs_shape){2, {m + n, least}};
    case FS_LIB_LU: return (struct fs_shape){2, {m + n, least + 1}};
    case FS_LIB_QR_R: return (struct fs_shape){2, {least, n}};
    case FS_LIB_EIG: return (struct fs_shape){2, {n, 2 * n + 2}};
    case FS_LIB_EIG_VALUES: return (struct fs_shape){2, {n, 2}};
    case FS_LIB_SCHUR: return (struct fs_shape){2, {n, 4 * n}};
    default: return (struct fs_shape){2, {m, n}};
  }
}

struct fs_lib_part fs_lib_part(enum fs_lib_op op, int k, int64_t m, int64_t n) {
  int64_t least = FS_MIN(m, n);
  const struct fs_lib_part first = {0, 0, m, least, false, false},
                           transposed = {m, 0, n, least, true, false},
                           of_svd[] = {first, {m + n, 0, 1, least, true, true},
                                       {m, 0, n, least, false, false}},
                           of_both[] = {first, {m, 0, m, least, false, false},
                                        {2 * m + 2 * n, 0, 1, least, true, true}, {0},
                                        {2 * m, 0, n, least, false, false},
                                        {2 * m + n, 0, n, least, false, false}},
                           of_lu[] = {first, transposed, {0, least, m, 1, false, true},
                                      {m, least, n, 1, false, true}},
                           of_eig[] = {{0, 0, n, 1, false, true}, {0, 1, n, 1, false, true},
                                       {0, 2, n, n, false, false}, {0, 2 + n, n, n, false, false}};
  if (op == FS_LIB_SCHUR) return (struct fs_lib_part){0, k * n, n, n, false, false};
  if (op == FS_LIB_EIG || op == FS_LIB_EIG_VALUES) return of_eig[k];
  if (op == FS_LIB_SVD) return of_svd[k];
  if (op == FS_LIB_SVD_BOTH) return of_both[k];
  return op == FS_LIB_LU ? of_lu[k] : k ? transposed : first;
}
