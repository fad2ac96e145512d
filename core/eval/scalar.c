/* scalar.c - see scalar.h. */
#include "core/eval/scalar.h"

#include <math.h>

/* Beyond it not every whole number is a double. */
static const double LARGEST_INT = 0x1p53;

static struct fs_scalar truth(bool b) {
  return (struct fs_scalar){.x = b, .kind = FS_SC_BOOL};
}

/* Of integers there is no -0. */
static struct fs_scalar number(double x, bool is_int) {
  if (is_int && x == 0) x = 0;
  return (struct fs_scalar){.x = x, .kind = is_int ? FS_SC_INT : FS_SC_REAL};
}

static bool is_whole(struct fs_scalar a) { return a.kind != FS_SC_REAL; }

/* -- operators -------------------------------------------------------------- */

struct fs_scalar fs_scalar_binary(enum fs_ast_op op, struct fs_scalar a, struct fs_scalar b) {
  double x = a.x, y = b.x, r = 0;
  bool ints = is_whole(a) && is_whole(b);
  switch (op) {
    case FS_AO_ADD: r = x + y; break;
    case FS_AO_SUB: r = x - y; break;
    case FS_AO_MUL:
    case FS_AO_EMUL: r = x * y; break;
    case FS_AO_DIV:
    case FS_AO_EDIV: return number(x / y, false);
    case FS_AO_SOLVE: return number(y / x, false);
    case FS_AO_POW:
    case FS_AO_EPOW:
      r = pow(x, y);
      ints = ints && y >= 0;
      break;
    case FS_AO_EQ: return truth(x == y);
    case FS_AO_NE: return truth(x != y);
    case FS_AO_LT: return truth(x < y);
    case FS_AO_LE: return truth(x <= y);
    case FS_AO_GT: return truth(x > y);
    case FS_AO_GE: return truth(x >= y);
    case FS_AO_AND: return truth(x != 0 && y != 0);
    default: return truth(x != 0 || y != 0);
  }
  return number(r, ints && fabs(r) <= LARGEST_INT);
}

struct fs_scalar fs_scalar_unary(enum fs_ast_op op, struct fs_scalar a) {
  if (op == FS_AO_NEG) return number(-a.x, is_whole(a));
  return op == FS_AO_NOT ? truth(a.x == 0) : a;
}

/* -- elementwise functions -------------------------------------------------- */

static double modulo(double x, double y) {
  double r = fmod(x, y);
  if (r == 0) return copysign(0, y);
  return (r < 0) != (y < 0) ? r + y : r;
}

static double least(double x, double y) {
  return isnan(x) || isnan(y) ? NAN : x < y ? x : y;
}

static double most(double x, double y) {
  return isnan(x) || isnan(y) ? NAN : x > y ? x : y;
}

/* Sets *whole when whole arguments give a whole result. */
static double map(enum fs_map_op op, const double *x, bool *whole) {
  *whole = true;
  switch (op) {
    case FS_OP_COPY:
    case FS_OP_CAST: return x[0];
    case FS_OP_ADD: return x[0] + x[1];
    case FS_OP_SUB: return x[0] - x[1];
    case FS_OP_MUL: return x[0] * x[1];
    case FS_OP_MOD: return modulo(x[0], x[1]);
    case FS_OP_MIN: return least(x[0], x[1]);
    case FS_OP_MAX: return most(x[0], x[1]);
    case FS_OP_NEG: return -x[0];
    case FS_OP_ABS: return fabs(x[0]);
    case FS_OP_SIGN: return isnan(x[0]) ? NAN : (x[0] > 0) - (x[0] < 0);
    case FS_OP_SQUARE: return x[0] * x[0];
    case FS_OP_FLOOR: return floor(x[0]);
    case FS_OP_CEIL: return ceil(x[0]);
    case FS_OP_ROUND: return rint(x[0]);
    case FS_OP_TRUNC: return trunc(x[0]);
    case FS_OP_WHERE: return x[0] != 0 ? x[1] : x[2];
    case FS_OP_CLAMP: return most(x[1], least(x[0], x[2]));
    case FS_OP_EQ: return x[0] == x[1];
    case FS_OP_NE: return x[0] != x[1];
    case FS_OP_LT: return x[0] < x[1];
    case FS_OP_LE: return x[0] <= x[1];
    case FS_OP_GT: return x[0] > x[1];
    case FS_OP_GE: return x[0] >= x[1];
    case FS_OP_AND: return x[0] != 0 && x[1] != 0;
    case FS_OP_OR: return x[0] != 0 || x[1] != 0;
    case FS_OP_NOT: return x[0] == 0;
    case FS_OP_ISNAN: return isnan(x[0]) != 0;
    case FS_OP_ISFINITE: return isfinite(x[0]) != 0;
    default: break;
  }
  *whole = false;
  switch (op) {
    case FS_OP_DIV: return x[0] / x[1];
    case FS_OP_POW: return pow(x[0], x[1]);
    case FS_OP_ATAN2: return atan2(x[0], x[1]);
    case FS_OP_HYPOT: return hypot(x[0], x[1]);
    case FS_OP_SQRT: return sqrt(x[0]);
    case FS_OP_RSQRT: return 1 / sqrt(x[0]);
    case FS_OP_EXP: return exp(x[0]);
    case FS_OP_EXPM1: return expm1(x[0]);
    case FS_OP_LOG: return log(x[0]);
    case FS_OP_LOG1P: return log1p(x[0]);
    case FS_OP_LOG2: return log2(x[0]);
    case FS_OP_LOG10: return log10(x[0]);
    case FS_OP_SIN: return sin(x[0]);
    case FS_OP_COS: return cos(x[0]);
    case FS_OP_TAN: return tan(x[0]);
    case FS_OP_ASIN: return asin(x[0]);
    case FS_OP_ACOS: return acos(x[0]);
    case FS_OP_ATAN: return atan(x[0]);
    case FS_OP_SINH: return sinh(x[0]);
    case FS_OP_COSH: return cosh(x[0]);
    case FS_OP_TANH: return tanh(x[0]);
    case FS_OP_ERF: return erf(x[0]);
    case FS_OP_ERFC: return erfc(x[0]);
    case FS_OP_FMA: return fma(x[0], x[1], x[2]);
    default: return NAN;
  }
}

struct fs_scalar fs_scalar_map(enum fs_map_op op, const struct fs_scalar *a) {
  double x[3] = {0};
  bool ints = true, whole;
  for (int k = 0; k < fs_map_ops[op].arity; k++) {
    x[k] = a[k].x;
    ints = ints && is_whole(a[k]);
  }
  double r = map(op, x, &whole);
  bool rounding = op == FS_OP_FLOOR || op == FS_OP_CEIL || op == FS_OP_ROUND ||
                  op == FS_OP_TRUNC;
  if (fs_map_ops[op].result == 'B') return truth(r != 0);
  return number(r, ((ints && whole) || rounding) && fabs(r) <= LARGEST_INT);
}
