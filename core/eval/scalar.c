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

struct fs_scalar fs_scalar_map(enum fs_map_op op, const struct fs_scalar *a) {
  double x[3] = {0};
  bool ints = true;
  const struct fs_map_op_info *info = &fs_map_ops[op];
  for (int k = 0; k < info->arity; k++) {
    x[k] = a[k].x;
    ints = ints && is_whole(a[k]);
  }
  double r = fs_map_number(op, x);
  if (info->result == 'B') return truth(r != 0);
  bool whole = info->whole == 'I' || (info->whole == 'W' && ints);
  return number(r, whole && fabs(r) <= LARGEST_INT);
}
