/* loop_value.c - operations on registers of loops, as operators and elementwise functions mean
 * them: see loop.h. Those of scalar tensors are the routines that kernels have. */
#include <math.h>

#include "core/eval/loop.h"
#include "core/eval/trace.h"
#include "elemlib/cpu/routines.h"

double fs_loop_number(const struct fs_loop_register *a) {
  bool whole = !fs_loop_is_host(a) && !fs_dtype_is_float((enum fs_dtype)(a->tag - FS_LT_TENSOR));
  return whole ? (double)a->i : a->x;
}

static const struct fs_routines *routines(void) {
  static const struct fs_routines *r;
  if (!r) r = fs_cpu_routines(NULL);
  return r;
}

static struct fs_scalar scalar_of(const struct fs_loop_register *a) {
  return (struct fs_scalar){.x = a->x, .kind = (enum fs_scalar_kind)a->tag};
}

static void set_scalar(struct fs_loop_register *out, struct fs_scalar a) {
  *out = (struct fs_loop_register){.x = a.x, .tag = (uint8_t)a.kind};
}

static struct fs_val value_of(const struct fs_loop_register *a) {
  return fs_scalar_value(scalar_of(a));
}

static enum fs_dtype dtype_of(const struct fs_loop_register *a) {
  return (enum fs_dtype)(a->tag - FS_LT_TENSOR);
}

/* -- as a type ------------------------------------------------------------------- */

union cell {
  double f64;
  float f32;
  int64_t i64;
  int32_t i32;
  uint8_t truth;
};

/* In the type that dt is computed in. */
static void put(enum fs_dtype dt, const struct fs_loop_register *a, union cell *out) {
  switch (fs_ctype_of(dt)) {
    case FS_CT_BOOL: out->truth = (uint8_t)a->i; break;
    case FS_CT_I32: out->i32 = (int32_t)a->i; break;
    case FS_CT_I64:
    case FS_CT_U64: out->i64 = a->i; break;
    case FS_CT_F32: out->f32 = (float)a->x; break;
    default: out->f64 = a->x; break;
  }
}

static void get(enum fs_dtype dt, const union cell *a, struct fs_loop_register *out) {
  struct fs_loop_register r = {.tag = (uint8_t)(FS_LT_TENSOR + dt)};
  switch (fs_ctype_of(dt)) {
    case FS_CT_BOOL: r.i = a->truth; break;
    case FS_CT_I32: r.i = a->i32; break;
    case FS_CT_I64:
    case FS_CT_U64: r.i = a->i64; break;
    case FS_CT_F32: r.x = (double)a->f32; break;
    default: r.x = a->f64; break;
  }
  *out = r;
}

/* A number of the host as a scalar tensor beside one of type `like`. */
static void beside(const struct fs_loop_register *a, const enum fs_dtype *like,
                   struct fs_loop_register *out) {
  struct fs_val v = value_of(a);
  enum fs_dtype dt = like ? fs_number_type(&v, *like) : FS_F32;
  if (a->tag == FS_SC_BOOL) dt = FS_BOOL;
  struct fs_loop_register r = {.tag = (uint8_t)(FS_LT_TENSOR + dt)};
  if (fs_dtype_is_float(dt)) r.x = fs_dtype_round(dt, a->x);
  else r.i = fs_dtype_integer(dt, a->x);
  *out = r;
}

static void convert(enum fs_dtype to, const struct fs_loop_register *a, union cell *out) {
  enum fs_dtype from = dtype_of(a);
  union cell x;
  put(from, a, &x);
  fs_convert_fn *round = from == to ? NULL : fs_rounds(routines(), to, true, from);
  routines()->convert[fs_ctype_of(from)][fs_ctype_of(to)](out, &x, 1);
  if (round) round(out, out, 1);
}

/* -- operations --------------------------------------------------------------------- */

static bool map_tensors(enum fs_map_op op, int n, const struct fs_loop_register *a,
                        struct fs_loop_register *out) {
  const struct fs_map_op_info *info = &fs_map_ops[op];
  int first = op == FS_OP_WHERE;
  bool typed = false;
  enum fs_dtype like = FS_F32, dt = FS_BOOL;
  struct fs_loop_register t[3];
  union cell x[3] = {{0}}, result = {0};
  for (int k = first; k < n; k++) {
    if (fs_loop_is_host(&a[k])) continue;
    if (typed && info->result == 'B' && fs_dtype_are_apart(like, dtype_of(&a[k]))) return false;
    like = typed ? fs_dtype_promote(like, dtype_of(&a[k])) : dtype_of(&a[k]);
    typed = true;
  }
  for (int k = 0; k < n; k++) {
    if (fs_loop_is_host(&a[k])) beside(&a[k], k >= first && typed ? &like : NULL, &t[k]);
    else t[k] = a[k];
    if (k == first) dt = dtype_of(&t[k]);
    if (k > first) dt = fs_dtype_promote(dt, dtype_of(&t[k]));
  }
  dt = fs_class_dtype(info->types, dt);
  if (fs_dtype_is_half(dt) || (fs_map_takes_integers(op) && fs_dtype_is_float(dt))) return false;
  for (int k = 0; k < n; k++) convert(k < first ? FS_BOOL : dt, &t[k], &x[k]);
  fs_map_fn *fn = routines()->map[op][fs_ctype_of(dt)][0];
  if (!fn) return false;
  fn(&result, &x[0], &x[1], &x[2], 1);
  fs_convert_fn *round = info->result == 'B' ? NULL : routines()->round[dt];
  if (round) round(&result, &result, 1);
  get(info->result == 'B' ? FS_BOOL : dt, &result, out);
  return true;
}

static bool are_host(int n, const struct fs_loop_register *a) {
  for (int k = 0; k < n; k++)
    if (!fs_loop_is_host(&a[k])) return false;
  return true;
}

bool fs_loop_map(enum fs_map_op op, int n, const struct fs_loop_register *a,
                 struct fs_loop_register *out) {
  struct fs_scalar x[3] = {{0}};
  if (!are_host(n, a)) return map_tensors(op, n, a, out);
  for (int k = 0; k < n; k++) {
    x[k] = scalar_of(&a[k]);
    if (fs_map_takes_integers(op) && x[k].kind == FS_SC_REAL) return false;
  }
  set_scalar(out, fs_scalar_map(op, x));
  return true;
}

/* x^2 and x^3; other powers of tensors are made of several operations. */
static bool power(const struct fs_loop_register *a, const struct fs_loop_register *b,
                  struct fs_loop_register *out) {
  struct fs_loop_register x[2] = {*a, *a};
  bool two = fs_loop_is_host(b) && b->x == 2, three = fs_loop_is_host(b) && b->x == 3;
  if (!two && !three) return false;
  if (!map_tensors(FS_OP_SQUARE, 1, a, &x[0])) return false;
  *out = x[0];
  return two || map_tensors(FS_OP_MUL, 2, x, out);
}

bool fs_loop_binary(enum fs_ast_op op, const struct fs_loop_register *a,
                    const struct fs_loop_register *b, struct fs_loop_register *out) {
  struct fs_loop_register pair[2] = {*a, *b};
  enum fs_map_op map;
  if (are_host(2, pair)) {
    set_scalar(out, fs_scalar_binary(op, scalar_of(a), scalar_of(b)));
    return true;
  }
  if (op == FS_AO_POW || op == FS_AO_EPOW) return power(a, b, out);
  return fs_operator_map(op, &map) && map_tensors(map, 2, pair, out);
}

bool fs_loop_unary(enum fs_ast_op op, const struct fs_loop_register *a,
                   struct fs_loop_register *out) {
  if (fs_loop_is_host(a)) {
    set_scalar(out, fs_scalar_unary(op, scalar_of(a)));
    return true;
  }
  *out = *a;
  out->given = false;
  return op == FS_AO_PLUS ||
         map_tensors(op == FS_AO_NEG ? FS_OP_NEG : FS_OP_NOT, 1, a, out);
}

bool fs_loop_cast(enum fs_dtype dt, const struct fs_loop_register *a,
                  struct fs_loop_register *out) {
  union cell x;
  struct fs_loop_register r = *a;
  bool whole = a->x == floor(a->x) && fabs(a->x) <= 0x1p53;
  if (fs_loop_is_host(a) && !fs_dtype_is_float(dt) && (!whole || dt == FS_BOOL)) return false;
  if (fs_loop_is_host(a) && fs_dtype_is_integer(dt)) {
    r = (struct fs_loop_register){.i = fs_dtype_integer(dt, a->x), .tag = FS_LT_I64};
    if ((double)r.i != a->x) return false;
  } else if (fs_loop_is_host(a)) {
    beside(a, &dt, &r);
  }
  convert(dt, &r, &x);
  get(dt, &x, out);
  return true;
}

/* -- elements that are written ---------------------------------------------------------- */

bool fs_loop_put(enum fs_dtype dt, const struct fs_loop_register *a, bool *narrows,
                 struct fs_number *out) {
  bool host = fs_loop_is_host(a), whole = host && a->x == floor(a->x);
  struct fs_loop_register r = *a;
  union cell x;
  if (host && !fs_dtype_is_float(dt)) {
    bool fits = dt == FS_BOOL ? a->tag != FS_SC_REAL
                              : (double)fs_dtype_integer(dt, a->x) == a->x && a->x < 0x1p63;
    bool exact = a->tag != FS_SC_REAL || fabs(a->x) <= 0x1p24;
    if (!whole || !fits || !exact) return false;
    int64_t i = dt == FS_BOOL ? a->x != 0 : (int64_t)a->x;
    *out = (struct fs_number){(double)i, i};
    return true;
  }
  if (host) beside(a, &dt, &r);
  if (!host && fs_dtype_is_float(dtype_of(a)) && !fs_dtype_is_float(dt)) return false;
  if (!host && dtype_of(a) == FS_F64 && dt == FS_F32 && !*narrows) return false;
  convert(dt, &r, &x);
  get(dt, &x, &r);
  *out = fs_dtype_is_float(dt) ? (struct fs_number){.f = r.x} : (struct fs_number){.i = r.i};
  return true;
}
