/* test_cpu.c - the CPU target against naive loops: every operation on every type,
 * conversions, half precision, flat kernels, random numbers, memory, interrupts. */
#include <sched.h>
#include <sys/mman.h>

#include "core/device/cpu/memory.h"
#include "core/device/cpu/pool.h"
#include "elemlib/cpu/routines.h"
#include "tests/unit/cpu_kernels.h"

/* -- map operations ------------------------------------------------------- */

static const double specials[] = {
  0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -3.0, 3.7, -3.7, 2.5, -2.5, 1e-40,
  -1e-40, 1e-8, -1e-8, 1e30, -1e30, 88.5, -104.0, 709.5, 100000.5, 3.4e38,
  2147483648.0, -9.3e18, 7.0, -7.0, 0.99, 1e300, -1e300, 1e-310, INFINITY,
  -INFINITY, NAN, 20.25, 4.6051702, 1.5707964, 12345.678, 255.0
};

static double round_to(enum fs_dtype dt, double v) {
  return dt == FS_F32 ? (double)(float)v : v;
}

/* The operation on doubles; for f32 the arguments are exact and the result is
 * rounded by the caller, which is right for + - * / and sqrt. */
/* Of operands of a type. What one operation makes exact is written down here; what is rounded
 * more than once, functions above all, is the table's expression in double. */
static double reference(enum fs_map_op op, enum fs_dtype dt, double a, double b,
                        double c) {
  bool is_int = !fs_dtype_is_float(dt);
  double r;
  switch (op) {
    case FS_OP_COPY: return a;
    case FS_OP_ADD: return a + b;
    case FS_OP_SUB: return a - b;
    case FS_OP_MUL: return a * b;
    case FS_OP_DIV: return a / b;
    case FS_OP_MOD:
      if (is_int && b == 0) return 0;
      r = fmod(a, b);
      if (r == 0) return is_int ? 0 : copysign(0.0, b);
      return (r < 0) != (b < 0) ? (dt == FS_F32 ? (double)((float)r + (float)b)
                                                : r + b) : r;
    case FS_OP_MIN: return a != a ? a : b != b ? b : a <= b ? a : b;
    case FS_OP_MAX: return a != a ? a : b != b ? b : a >= b ? a : b;
    case FS_OP_EQ: return a == b;
    case FS_OP_NE: return a != b;
    case FS_OP_LT: return a < b;
    case FS_OP_LE: return a <= b;
    case FS_OP_GT: return a > b;
    case FS_OP_GE: return a >= b;
    case FS_OP_AND: return a != 0 && b != 0;
    case FS_OP_OR: return a != 0 || b != 0;
    case FS_OP_NOT: return a == 0;
    case FS_OP_NEG: return is_int ? 0 - a : -a;
    case FS_OP_ABS: return fabs(a);
    case FS_OP_SIGN: return a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a;
    case FS_OP_SQUARE: return a * a;
    case FS_OP_SQRT: return sqrt(a);
    case FS_OP_RSQRT: return dt == FS_F32 ? (double)(1.0f / sqrtf((float)a))
                                          : 1.0 / sqrt(a);
    case FS_OP_FLOOR: return floor(a);
    case FS_OP_CEIL: return ceil(a);
    case FS_OP_ROUND: return rint(a);
    case FS_OP_TRUNC: return trunc(a);
    case FS_OP_ISNAN: return a != a;
    case FS_OP_ISFINITE: return a - a == 0;
    case FS_OP_FMA: return dt == FS_F32 ? (double)fmaf((float)a, (float)b,
                                                       (float)c)
                                        : fma(a, b, c);
    case FS_OP_WHERE: return a != 0 ? b : c;
    case FS_OP_CLAMP:
      r = reference(FS_OP_MIN, dt, a, c, 0);
      return reference(FS_OP_MAX, dt, b, r, 0);
    default: break;
  }
  if (op == FS_OP_POPCOUNT && dt == FS_I32) a = (double)(uint32_t)(int32_t)a;
  r = fs_map_number(op, (double[]){a, b, c});
  return dt == FS_I32 ? (int32_t)(int64_t)r : r;
}

/* Whether it is rounded more than once. */
static bool is_rough(enum fs_map_op op) {
  switch (op) {
    case FS_OP_DIV: case FS_OP_SQRT: case FS_OP_RSQRT: case FS_OP_FLOOR: case FS_OP_CEIL:
    case FS_OP_ROUND: case FS_OP_TRUNC: case FS_OP_ISNAN: case FS_OP_ISFINITE:
      return false;
    default: return fs_map_is_special(op);
  }
}

/* Within 4 units in the last place (functions), or equal; NaN, infinities and
 * the sign of zero always the same. */
static bool close_to(enum fs_map_op op, enum fs_dtype dt, double got,
                     double want) {
  if (!fs_dtype_is_float(dt)) return got == want;
  double w = round_to(dt, want);
  if (w != w) return got != got;
  if (got == w) return w != 0 || signbit(got) == signbit(w);
  if (!is_rough(op)) return false;
  double ulp = dt == FS_F32 ? 0x1p-23 : 0x1p-52;
  double tiny = dt == FS_F32 ? 0x1p-149 : 0x1p-1074;
  if (isinf(w) || isinf(got)) /* one step from the largest number */
    return fabs(want) > (dt == FS_F32 ? 3.402821e38 : 1.797691e308) &&
           fabs(got) > (dt == FS_F32 ? 3.402821e38 : 1.797691e308) &&
           signbit(want) == signbit(got);
  return fabs(got - want) <= 4 * ulp * fabs(want) + 4 * tiny;
}

struct op_case {
  enum fs_map_op op;
  enum fs_dtype dt, out;
  int arity, pattern; /* bit k: operand k is a parameter */
  int64_t n;
  int in[3], res;
  double scalar[3];
};

static double as_type(enum fs_dtype dt, double v) {
  if (dt == FS_F32) return (double)(float)v;
  if (dt == FS_F64) return v;
  if (dt == FS_BOOL) return v != 0;
  if (v != v || fabs(v) > 4e4) return 11;
  return trunc(v);
}

static void verify_op(struct made *x, void *user) {
  const struct op_case *c = user;
  for (int64_t k = 0; k < c->n; k++) {
    double in[3] = {0};
    for (int a = 0; a < c->arity; a++)
      in[a] = c->pattern >> a & 1 ? c->scalar[a] : get(x, c->in[a], k);
    double want = reference(c->op, c->dt, in[0], in[1], in[2]);
    double got = get(x, c->res, k);
    check(close_to(c->op, c->out, got, want), "%s %s n=%lld [%lld] pattern %d: "
          "%.9g, %.9g, %.9g gives %.17g, not %.17g", fs_map_ops[c->op].name,
          fs_dtype_name(c->dt), (long long)c->n, (long long)k, c->pattern,
          in[0], in[1], in[2], got, want);
  }
}

static void test_op(enum fs_map_op op, enum fs_dtype dt, int pattern,
                    int64_t n) {
  const struct fs_map_op_info *info = &fs_map_ops[op];
  struct op_case c = {.op = op, .dt = dt, .arity = info->arity,
                      .pattern = pattern, .n = n};
  c.out = info->result == 'B' ? FS_BOOL : dt;
  struct made *x = new_kernel(FS_FLAT, 1, n);
  int in[3] = {-1, -1, -1}, count = (int)FS_LEN(specials);
  for (int a = 0; a < c.arity; a++) {
    enum fs_dtype t = op == FS_OP_WHERE && a == 0 ? FS_BOOL : dt;
    if (pattern >> a & 1) {
      c.scalar[a] = as_type(t, specials[random_word() % (unsigned)count]);
      in[a] = param(x, 0, t, c.scalar[a]);
      continue;
    }
    c.in[a] = input(x, t, n);
    for (int64_t k = 0; k < n; k++) {
      int64_t at = a == 0 ? k % count : a == 1 ? k / count % count
                                               : (k * 7 + 3) % count;
      put_element(t, x->slot[c.in[a]], k, as_type(t, specials[at]));
    }
    in[a] = load(x, 0, c.in[a], 0, 0, 1);
  }
  c.res = result(x, c.out, n);
  int v = map(x, 0, op, c.out, in[0], in[1], in[2]);
  x->k.values.data[v].varies = FS_VARIES_J;
  store(x, 0, v, c.res, 0, 0, 1);
  snprintf(context, sizeof context, "op %s", info->name);
  run(x, verify_op, &c);
  free_kernel(x);
}

static bool allowed(enum fs_map_op op, enum fs_dtype dt) {
  switch (fs_map_ops[op].types) {
    case 'A': return true;
    case 'N': return dt != FS_BOOL;
    case 'F': return fs_dtype_is_float(dt);
    case 'I': case 'U': return fs_dtype_is_integer(dt);
    default: return dt == FS_BOOL;
  }
}

static void test_ops(void) {
  static const enum fs_dtype types[] = {FS_BOOL, FS_I32, FS_I64, FS_F32,
                                        FS_F64};
  int64_t all = (int64_t)(FS_LEN(specials) * FS_LEN(specials));
  for (int op = 0; op < FS_MAP_OP_COUNT; op++) {
    if (op == FS_OP_CAST) continue;
    for (size_t t = 0; t < FS_LEN(types); t++) {
      if (!allowed(op, types[t])) continue;
      int patterns = 1 << fs_map_ops[op].arity;
      for (int p = 0; p < patterns; p++) {
        test_op(op, types[t], p, p ? 333 : all);
        if (p == 0) test_op(op, types[t], 0, 3);
      }
    }
  }
}

/* Remainders of floats are exact, of operands of all kinds: bits, near a multiple, far apart. */
static void test_remainders(void) {
  enum { N = 64 };
  for (int round = 0; round < 3000; round++) {
    double a[N], b[N], got[N];
    float small_a[N], small_b[N], small[N];
    for (int k = 0; k < N; k++) {
      uint64_t u = random_word(), v = random_word();
      int far = (int)(v >> 7 & 1023);
      memcpy(&b[k], &v, sizeof v);
      if (round % 4 == 1) b[k] = specials[v % FS_LEN(specials)];
      if (round % 4 == 2) b[k] = (double)(v % 2000) - 1000;
      memcpy(&a[k], &u, sizeof u);
      if (round % 4 == 1) a[k] = specials[u % FS_LEN(specials)];
      else if (u & 1) a[k] = b[k] * (double)(u >> (8 + far % 56));
      else if (u & 2) a[k] = ldexp((double)(int64_t)u, -far);
      if (u & 4) a[k] = nextafter(a[k], u & 8 ? INFINITY : -INFINITY);
      small_a[k] = (float)a[k];
      small_b[k] = (float)b[k];
    }
    int n = 1 + (int)(random_word() % N);
    for (int i = 0; i < n_isas; i++) {
      const struct fs_routines *r = fs_cpu_routines(isas[i]);
      r->map[FS_OP_MOD][FS_CT_F64][0](got, a, b, NULL, n);
      r->map[FS_OP_MOD][FS_CT_F32][0](small, small_a, small_b, NULL, n);
      for (int k = 0; k < n; k++) {
        double want = reference(FS_OP_MOD, FS_F64, a[k], b[k], 0);
        float few = (float)reference(FS_OP_MOD, FS_F32, (double)small_a[k], (double)small_b[k], 0);
        check((want != want && got[k] != got[k]) || !memcmp(&want, &got[k], sizeof want),
              "%s: mod(%a, %a) is %a, not %a", isas[i], a[k], b[k], got[k], want);
        check((few != few && small[k] != small[k]) || !memcmp(&few, &small[k], sizeof few),
              "%s: mod(%a, %a) is %a, not %a of f32", isas[i], (double)small_a[k],
              (double)small_b[k], (double)small[k], (double)few);
      }
    }
  }
}

/* -- operations that share a pass ----------------------------------------- */

/* w = (a first b) second c, or c second (a first b); every operation rounded. */
struct pair_case {
  int first, second, swapped, pattern, in[3], res;
  enum fs_dtype dt;
  double scalar[3];
};

static double arith(int op, enum fs_dtype dt, double a, double b) {
  double r = op == FS_OP_ADD ? a + b : op == FS_OP_SUB ? a - b : a * b;
  return round_to(dt, r);
}

static void verify_pair(struct made *x, void *user) {
  const struct pair_case *c = user;
  for (int64_t k = 0; k < x->k.space.n; k++) {
    double in[3];
    for (int a = 0; a < 3; a++)
      in[a] = c->pattern >> a & 1 ? c->scalar[a] : get(x, c->in[a], k);
    double t = arith(c->first, c->dt, in[0], in[1]);
    double want = c->swapped ? arith(c->second, c->dt, in[2], t)
                             : arith(c->second, c->dt, t, in[2]);
    double got = get(x, c->res, k);
    check(want != want ? got != got : got == want && signbit(got) == signbit(want),
          "[%lld] pattern %d: %.17g, not %.17g", (long long)k, c->pattern, got,
          want);
  }
}

static void test_pair(struct pair_case c) {
  int64_t n = (int64_t)(FS_LEN(specials) * 27 + 5);
  struct made *x = new_kernel(FS_FLAT, 1, n);
  int v[3];
  for (int a = 0; a < 3; a++) {
    c.scalar[a] = as_type(c.dt, specials[random_word() % FS_LEN(specials)]);
    if (c.pattern >> a & 1) {
      v[a] = param(x, 0, c.dt, c.scalar[a]);
      continue;
    }
    c.in[a] = input(x, c.dt, n);
    for (int64_t k = 0; k < n; k++)
      put_element(c.dt, x->slot[c.in[a]], k,
                  specials[random_word() % FS_LEN(specials)]);
    v[a] = load(x, 0, c.in[a], 0, 0, 1);
  }
  c.res = result(x, c.dt, n);
  int t = map(x, 0, c.first, c.dt, v[0], v[1], -1);
  int w = c.swapped ? map(x, 0, c.second, c.dt, v[2], t, -1)
                    : map(x, 0, c.second, c.dt, t, v[2], -1);
  x->k.values.data[w].varies = FS_VARIES_J;
  store(x, 0, w, c.res, 0, 0, 1);
  snprintf(context, sizeof context, "pair %s %s", fs_map_ops[c.first].name,
           fs_map_ops[c.second].name);
  run(x, verify_pair, &c);
  free_kernel(x);
}

static void test_pairs(void) {
  static const int ops[] = {FS_OP_ADD, FS_OP_SUB, FS_OP_MUL};
  for (int f = 0; f < 3; f++)
    for (int s = 0; s < 3; s++)
      for (int side = 0; side < 2; side++)
        for (int p = 0; p < 8; p++)
          test_pair((struct pair_case){ops[f], ops[s], side, p, {0}, 0,
                                       (p + s) & 1 ? FS_F32 : FS_F64, {0}});
}

/* A long chain over a matrix, where places are reused: rows, columns, both. */
static void verify_chain(struct made *x, void *user) {
  (void)user;
  int64_t m = x->k.space.m, n = x->k.space.n;
  const float *a = x->slot[0], *u = x->slot[1], *v = x->slot[2];
  const float *r = x->slot[3];
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      float t = a[i * n + j], first = t * u[i], s = first;
      for (int k = 0; k < 6; k++) {
        float p = s * v[j], q = t - u[i];
        s = 0.5f * p + 0.25f * q;
        t = t + s * 0.125f;
      }
      float want = (s > t ? s : t) - first;
      check(r[i * n + j] == want, "chain [%lld,%lld] %g, not %g", (long long)i,
            (long long)j, (double)r[i * n + j], (double)want);
    }
}

static void test_chain(int64_t m, int64_t n) {
  struct made *x = new_kernel(FS_ROW, m, n);
  input(x, FS_F32, m * n), input(x, FS_F32, m), input(x, FS_F32, n);
  result(x, FS_F32, m * n);
  int t = load(x, 0, 0, 0, n, 1), u = load(x, 0, 1, 0, 1, 0),
      v = load(x, 0, 2, 0, 0, 1);
  int half = param(x, 0, FS_F32, 0.5), quarter = param(x, 0, FS_F32, 0.25),
      eighth = param(x, 0, FS_F32, 0.125);
  int s = map(x, 0, FS_OP_MUL, FS_F32, t, u, -1), first = s;
  for (int k = 0; k < 6; k++) {
    int p = map(x, 0, FS_OP_MUL, FS_F32, s, v, -1);
    int q = map(x, 0, FS_OP_SUB, FS_F32, t, u, -1);
    p = map(x, 0, FS_OP_MUL, FS_F32, half, p, -1);
    q = map(x, 0, FS_OP_MUL, FS_F32, quarter, q, -1);
    s = map(x, 0, FS_OP_ADD, FS_F32, p, q, -1);
    t = map(x, 0, FS_OP_ADD, FS_F32, t,
            map(x, 0, FS_OP_MUL, FS_F32, s, eighth, -1), -1);
  }
  int larger = map(x, 0, FS_OP_GT, FS_BOOL, s, t, -1);
  int w = map(x, 0, FS_OP_WHERE, FS_F32, larger, s, t);
  store(x, 0, map(x, 0, FS_OP_SUB, FS_F32, w, first, -1), 3, 0, n, 1);
  snprintf(context, sizeof context, "chain %lldx%lld", (long long)m,
           (long long)n);
  run(x, verify_chain, NULL);
  free_kernel(x);
}

/* A function's value must not depend on where in a strip an element stands. */
static void verify_shift(struct made *x, void *user) {
  int64_t n = *(int64_t *)user;
  const float *all = x->slot[1], *part = x->slot[2];
  check(!memcmp(all + 3, part, sizeof(float) * (size_t)(n - 3)),
        "value depends on the position");
}

static void test_positions(void) {
  for (int op = 0; op < FS_MAP_OP_COUNT; op++) {
    if (!is_rough(op) || fs_map_takes_integers(op)) continue;
    int64_t n = 1000;
    struct made *x = new_kernel(FS_FLAT, 1, n - 3);
    int in = input(x, FS_F32, n), all = result(x, FS_F32, n),
        part = result(x, FS_F32, n - 3);
    for (int64_t k = 0; k < n; k++)
      ((float *)x->slot[in])[k] =
          k % 5 ? (float)small() * 0.37f
                : (float)specials[(size_t)k % FS_LEN(specials)];
    int binary = fs_map_ops[op].arity == 2;
    int a = load(x, 0, in, 3, 0, 1), b = load(x, 0, in, 0, 0, 1);
    store(x, 0, map(x, 0, op, FS_F32, a, binary ? a : -1, -1), part, 0, 0, 1);
    store(x, 0, map(x, 0, op, FS_F32, b, binary ? b : -1, -1), all, 0, 0, 1);
    x->k.space.dim[0] = x->k.space.n = n - 3;
    snprintf(context, sizeof context, "position %s", fs_map_ops[op].name);
    /* `all` lacks its last three: the comparison stays within the rest. */
    int64_t m = n - 3;
    run(x, verify_shift, &m);
    free_kernel(x);
  }
}

static void verify_cast(struct made *x, void *user) {
  enum fs_dtype to = *(enum fs_dtype *)user;
  enum fs_dtype from = x->plan.slots.data[0].dtype;
  for (int64_t k = 0; k < x->k.space.n; k++) {
    double v = get(x, 0, k), want = v, got = get(x, 1, k);
    if (to == FS_BOOL) want = v != 0;
    if (to == FS_F32) want = (double)(float)v;
    if (to == FS_I32 || to == FS_I64) {
      double top = to == FS_I32 ? 2147483647.0 : 9223372036854775807.0;
      want = v != v ? 0 : v >= top ? top : v <= -top - 1 ? -top - 1 : trunc(v);
      if (from == FS_I64 && to == FS_I32)
        want = (double)(int32_t)((const int64_t *)x->slot[0])[k];
    }
    check(want != want ? got != got : got == want, "cast %s to %s of %g: %g",
          fs_dtype_name(from), fs_dtype_name(to), v, got);
  }
}

static void test_casts(void) {
  static const enum fs_dtype types[] = {FS_BOOL, FS_I32, FS_I64, FS_F32,
                                        FS_F64};
  int64_t n = (int64_t)FS_LEN(specials);
  for (size_t a = 0; a < FS_LEN(types); a++) {
    for (size_t b = 0; b < FS_LEN(types); b++) {
      struct made *x = new_kernel(FS_FLAT, 1, n);
      enum fs_dtype to = types[b];
      int in = input(x, types[a], n), out = result(x, to, n);
      for (int64_t k = 0; k < n; k++)
        put_element(types[a], x->slot[in], k,
                    fs_dtype_is_float(types[a]) ? specials[k]
                                                : as_type(types[a], specials[k]));
      int v = load(x, 0, in, 0, 0, 1);
      store(x, 0, map(x, 0, FS_OP_CAST, to, v, -1, -1), out, 0, 0, 1);
      snprintf(context, sizeof context, "cast");
      run(x, verify_cast, &to);
      free_kernel(x);
    }
  }
}

/* -- half precision ------------------------------------------------------- */

static double half_value(uint16_t h) {
  int e = h >> 10 & 31, f = h & 1023;
  double v = e == 31 ? (f ? NAN : INFINITY)
             : e     ? ldexp(1024 + f, e - 25)
                     : ldexp(f, -24);
  return h & 0x8000 ? -v : v;
}
static double bfloat_value(uint16_t h) {
  uint32_t u = (uint32_t)h << 16;
  float f;
  memcpy(&f, &u, 4);
  return (double)f;
}

static void verify_half(struct made *x, void *user) {
  bool brain = *(bool *)user;
  const uint16_t *in = x->slot[0], *same = x->slot[1], *third = x->slot[2];
  const float *wide = x->slot[3];
  for (int64_t k = 0; k < 65536; k++) {
    double v = brain ? bfloat_value(in[k]) : half_value(in[k]);
    double got = brain ? bfloat_value(same[k]) : half_value(same[k]);
    check(v != v ? got != got : in[k] == same[k], "half %04x became %04x",
          in[k], same[k]);
    check(v != v ? wide[k] != wide[k] : (double)wide[k] == v,
          "half %04x reads as %g", in[k], (double)wide[k]);
    /* v/3 rounded: no other half may be nearer. */
    double t = (double)((float)v / 3.0f);
    double r = brain ? bfloat_value(third[k]) : half_value(third[k]);
    double big = brain ? 3.3e38 : 65504.0;
    if (t != t) check(r != r, "third of %g", v);
    else if (fabs(t) > big) check(isinf(t) ? r == t : true, "third of %g", v);
    else
      for (int d = -1; d <= 1; d += 2) {
        uint16_t other = (uint16_t)(third[k] + d);
        double o = brain ? bfloat_value(other) : half_value(other);
        if (o != o || signbit(o) != signbit(r)) continue;
        check(fabs(r - t) < fabs(o - t) ||
                  (fabs(r - t) == fabs(o - t) && !(third[k] & 1)),
              "third of %g is %g, not %g", v, r, o);
      }
  }
}

static void test_half(void) {
  for (int brain = 0; brain < 2; brain++) {
    enum fs_dtype dt = brain ? FS_BF16 : FS_F16;
    struct made *x = new_kernel(FS_FLAT, 1, 65536);
    int in = add_slot(x, FS_SLOT_INPUT, dt, 65536, NULL);
    for (int k = 0; k < 65536; k++) ((uint16_t *)x->slot[in])[k] = (uint16_t)k;
    int same = result(x, dt, 65536), third = result(x, dt, 65536),
        wide = result(x, FS_F32, 65536);
    int v = load(x, 0, in, 0, 0, 1);
    store(x, 0, map(x, 0, FS_OP_COPY, dt, v, -1, -1), same, 0, 0, 1);
    int three = param(x, 0, dt, 3);
    store(x, 0, map(x, 0, FS_OP_DIV, dt, v, three, -1), third, 0, 0, 1);
    store(x, 0, map(x, 0, FS_OP_CAST, FS_F32, v, -1, -1), wide, 0, 0, 1);
    snprintf(context, sizeof context, "half %d", brain);
    bool user = brain;
    run(x, verify_half, &user);
    free_kernel(x);
  }
}

/* -- flat kernels --------------------------------------------------------- */

struct flat_case {
  int64_t n, sx, sy;
  int x, y, w, d, cross;
};

static void verify_flat(struct made *k, void *user) {
  const struct flat_case *c = user;
  double dot = 0, sum = 0;
  for (int64_t j = 0; j < c->n; j++) {
    int64_t jx = c->sx > 0 ? j * c->sx : (j - c->n + 1) * c->sx;
    double x = get(k, c->x, jx), y = get(k, c->y, j * c->sy);
    check(get(k, c->w, 2 * j + 1) == 2 * x - 3 * y, "w[%lld] = %g",
          (long long)j, get(k, c->w, 2 * j + 1));
    dot += x * y;
    sum += x;
  }
  check(get(k, c->d, 0) == dot, "dot %g, not %g", get(k, c->d, 0), dot);
  check(get(k, c->cross, 0) == dot + sum, "end %g", get(k, c->cross, 0));
}

static void test_flat(enum fs_dtype dt, int64_t n, int64_t sx, int64_t sy) {
  struct flat_case c = {.n = n, .sx = sx, .sy = sy};
  struct made *k = new_kernel(FS_FLAT, 1, n);
  c.x = input(k, dt, n * llabs(sx)), c.y = input(k, dt, n * sy);
  c.w = result(k, dt, 2 * n + 1);
  c.d = result(k, dt, 1), c.cross = result(k, dt, 1);
  int x = load(k, 0, c.x, sx < 0 ? (1 - n) * sx : 0, 0, sx);
  int y = load(k, 0, c.y, 0, 0, sy);
  int a = param(k, 0, dt, 2), b = param(k, 0, dt, -3);
  int t = map(k, 0, FS_OP_MUL, dt, a, x, -1);
  int u = map(k, 0, FS_OP_MUL, dt, b, y, -1);
  store(k, 0, map(k, 0, FS_OP_ADD, dt, t, u, -1), c.w, 1, 0, 2);
  int d = reduce(k, 0, FS_RD_SUM, dt, FS_VARIES_J, x, y);
  int s = reduce(k, 0, FS_RD_SUM, dt, FS_VARIES_J, x, -1);
  store(k, FS_END, d, c.d, 0, 0, 0);
  store(k, FS_END, map(k, FS_END, FS_OP_ADD, dt, d, s, -1), c.cross, 0, 0, 0);
  snprintf(context, sizeof context, "flat %s n=%lld", fs_dtype_name(dt),
           (long long)n);
  run(k, verify_flat, &c);
  free_kernel(k);
}

/* -- generators ----------------------------------------------------------- */

/* Philox4x32-10 as published. */
static void philox(const uint32_t c0[4], uint64_t seed, uint32_t out[4]) {
  uint32_t c[4], k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
  memcpy(c, c0, sizeof c);
  for (int r = 0; r < 10; r++) {
    uint64_t a = (uint64_t)0xD2511F53u * c[0], b = (uint64_t)0xCD9E8D57u * c[2];
    uint32_t n[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k0, (uint32_t)b,
                     (uint32_t)(a >> 32) ^ c[3] ^ k1, (uint32_t)a};
    memcpy(c, n, sizeof c);
    k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
  }
  memcpy(out, c, sizeof c);
}
static void block_of(uint64_t c, uint64_t stream, uint64_t seed, uint32_t w[4]) {
  uint32_t counter[4] = {(uint32_t)c, (uint32_t)(c >> 32), (uint32_t)stream,
                         (uint32_t)(stream >> 32)};
  philox(counter, seed, w);
}

struct random_case {
  int64_t m, n, base, si, sj;
};

static void verify_random(struct made *k, void *user) {
  const struct random_case *c = user;
  uint64_t seed = 12345678901ull, stream = 77;
  for (int64_t i = 0; i < c->m; i++)
    for (int64_t j = 0; j < c->n; j++) {
      uint64_t L = (uint64_t)(c->base + i * c->si + j * c->sj);
      uint32_t w[4];
      int64_t at_ij = i * c->n + j;
      block_of(L >> 2, stream, seed, w);
      check(get(k, 0, at_ij) == (w[L & 3] >> 8) * 0x1p-24, "uniform f32 %llu",
            (unsigned long long)L);
      block_of(L >> 1, stream, seed, w);
      uint64_t bits = (uint64_t)w[2 * (L & 1)] << 32 | w[2 * (L & 1) + 1];
      check(get(k, 1, at_ij) == (double)(bits >> 11) * 0x1p-53, "uniform f64");
      block_of(L >> 1, stream | 1ull << 63, seed, w);
      double r = sqrt(-2 * log((w[0] + 1.0) * 0x1p-32));
      double angle = 6.283185307179586 * (w[1] * 0x1p-32);
      double want = L & 1 ? r * sin(angle) : r * cos(angle);
      check(fabs(get(k, 3, at_ij) - want) <= 1e-14 * (r + 1), "normal f64 %g, not %g",
            get(k, 3, at_ij), want);
      check(fabs(get(k, 2, at_ij) - want) <= 4e-6 * (r + 1), "normal f32 %g, not %g",
            get(k, 2, at_ij), want);
      check(get(k, 4, at_ij) == 5 + 3 * (double)L, "iota");
    }
}

static void test_random(int64_t m, int64_t n, int64_t base, int64_t si,
                        int64_t sj) {
  struct random_case c = {m, n, base, si, sj};
  struct made *k = new_kernel(FS_ROW, m, n);
  static const enum fs_dtype types[] = {FS_F32, FS_F64, FS_F32, FS_F64, FS_I64};
  int seed = param(k, 0, FS_I64, 12345678901.0);
  int stream = param(k, 0, FS_I64, 77);
  int start = param(k, 0, FS_I64, 5), inc = param(k, 0, FS_I64, 3);
  for (int t = 0; t < 5; t++) {
    result(k, types[t], m * n);
    int v = value(k, types[t], 3, 0);
    struct fs_step *s = step(k, t == 4 ? FS_SP_IOTA : FS_SP_RAND, 0);
    s->op = t == 2 || t == 3;
    s->out = v;
    s->in[0] = t == 4 ? start : seed;
    s->in[1] = t == 4 ? inc : stream;
    s->affine = (struct fs_affine){base, {si, sj}};
    store(k, 0, v, t, 0, n, 1);
  }
  snprintf(context, sizeof context, "random %lldx%lld", (long long)m,
           (long long)n);
  run(k, verify_random, &c);
  free_kernel(k);
}

/* Known answers of the algorithm's authors. */
static void test_philox(void) {
  uint32_t zero[4] = {0}, ones[4] = {~0u, ~0u, ~0u, ~0u}, out[4];
  static const uint32_t want0[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                                    0x9b00dbd8};
  static const uint32_t want1[4] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6,
                                    0x6d5451fd};
  snprintf(context, sizeof context, "philox");
  philox(zero, 0, out);
  check(!memcmp(out, want0, sizeof out), "zero counter");
  philox(ones, ~0ull, out);
  check(!memcmp(out, want1, sizeof out), "counter of ones");
}

/* -- accuracy, memory, interrupts ----------------------------------------- */

static void verify_accuracy(struct made *k, void *user) {
  (void)user;
  int64_t n = k->k.space.n;
  const float *x = k->slot[0], *y = k->slot[1];
  double dot = 0, size = 0;
  for (int64_t j = 0; j < n; j++) {
    dot += (double)x[j] * (double)y[j];
    size += fabs((double)x[j] * (double)y[j]);
  }
  double error = fabs(get(k, 2, 0) - dot);
  check(error <= 8 * 0x1p-24 * size, "error %g of %g", error, size);
}

static void test_accuracy(int64_t n) {
  struct made *k = new_kernel(FS_FLAT, 1, n);
  input(k, FS_F32, n), input(k, FS_F32, n), result(k, FS_F32, 1);
  for (int s = 0; s < 2; s++)
    for (int64_t j = 0; j < n; j++)
      ((float *)k->slot[s])[j] = (float)(random_word() >> 40) * 0x1p-24f;
  int x = load(k, 0, 0, 0, 0, 1), y = load(k, 0, 1, 0, 0, 1);
  store(k, FS_END, reduce(k, 0, FS_RD_SUM, FS_F32, FS_VARIES_J, x, y), 2, 0, 0,
        0);
  snprintf(context, sizeof context, "accuracy n=%lld", (long long)n);
  run(k, verify_accuracy, NULL);
  free_kernel(k);
}

static void test_memory(void) {
  struct fs_target *t = targets[0][1];
  int64_t used, cached, available;
  void *p = NULL, *q = NULL;
  snprintf(context, sizeof context, "memory");
  check(t->ops->alloc(t, (size_t)4e18, &p) == FS_ERR_ENV && !p, "4 exabytes");
  check(t->ops->alloc(t, SIZE_MAX, &p) == FS_ERR_ENV, "SIZE_MAX");
  check(t->ops->alloc(t, 1000ull << 30, &p) == FS_ERR_ENV, "1000 GiB");
  check(t->ops->alloc(t, 0, &p) == FS_OK && p, "nothing");
  t->ops->free(t, p, 0);
  for (size_t bytes = 1; bytes < 64u << 20; bytes = bytes * 3 + 1) {
    check(t->ops->alloc(t, bytes, &p) == FS_OK, "%zu bytes", bytes);
    check((uintptr_t)p % 256 == 0, "alignment of %zu bytes", bytes);
    memset(p, 1, bytes);
    t->ops->free(t, p, bytes);
  }
  t->ops->memory(t, &used, &cached, &available);
  check(used >= 0 && cached > 0 && available > 0, "statistics");
  t->ops->alloc(t, 8 << 20, &p);
  t->ops->free(t, p, 8 << 20);
  t->ops->alloc(t, 8 << 20, &q);
  check(p == q, "a freed block is used again");
  t->ops->free(t, q, 8 << 20);
  t->ops->trim(t);
  t->ops->memory(t, &used, &cached, &available);
  check(cached == 0, "trim");
}

static void test_copies(void) {
  struct fs_target *t = targets[0][1];
  enum { ROWS = 37, WIDTH = 100001, PITCH = 100352 };
  char *a = fs_malloc(ROWS * WIDTH), *b = fs_malloc(ROWS * WIDTH);
  void *p = NULL;
  snprintf(context, sizeof context, "copies");
  for (int k = 0; k < ROWS * WIDTH; k++) a[k] = (char)random_word();
  check(t->ops->alloc(t, ROWS * PITCH, &p) == FS_OK, "alloc");
  t->ops->upload(t, p, PITCH, a, WIDTH, WIDTH, ROWS, &diags);
  t->ops->download(t, b, WIDTH, p, PITCH, WIDTH, ROWS, &diags);
  check(!memcmp(a, b, ROWS * WIDTH), "there and back, by rows");
  t->ops->copy(t, p, WIDTH, a, WIDTH, WIDTH, ROWS, &diags);
  check(!memcmp(a, p, ROWS * WIDTH), "dense");
  t->ops->free(t, p, ROWS * PITCH);
  free(a);
  free(b);
}

static void test_interrupt(void) {
  snprintf(context, sizeof context, "interrupt");
  struct made *k = new_kernel(FS_FLAT, 1, 1 << 20);
  input(k, FS_F32, 1 << 20), result(k, FS_F32, 1 << 20);
  int x = load(k, 0, 0, 0, 0, 1);
  store(k, 0, map(k, 0, FS_OP_EXP, FS_F32, x, -1, -1), 1, 0, 0, 1);
  const struct fs_kernel *kernel = &k->k;
  fs_kernel_look(&k->k);
  for (int t = 0; t < 3; t++) {
    struct fs_target *target = targets[0][t];
    struct fs_code *code = NULL;
    struct fs_timer *timer = target->ops->timer_new(target);
    target->ops->prepare(target, &k->plan, &diags, 1, &kernel, &code, &diags);
    fs_interrupt_request();
    check(target->ops->launch(target, code, k->slot, k->param, timer, &diags) ==
              FS_INTERRUPTED, "stops");
    fs_interrupt_clear();
    check(target->ops->launch(target, code, k->slot, k->param, timer, &diags) ==
              FS_OK, "runs again");
    check(target->ops->timer_seconds(target, timer) > 0, "time");
    target->ops->timer_free(target, timer);
    target->ops->release(target, code);
  }
  free_kernel(k);
}

/* -- the pool ------------------------------------------------------------- */

enum { POOL_TASKS = 64 };

struct seen {
  int cpu[POOL_TASKS], worker[POOL_TASKS];
};

static void see(void *user, int64_t k, int worker) {
  struct seen *s = user;
  double until = fs_now() + 20e-6;
  s->cpu[k] = sched_getcpu();
  s->worker[k] = worker;
  while (fs_now() < until) continue;
}

/* Workers that slept wake up where the caller is not. A caller that is moved in
 * between is none of the pool's business: so most runs, not all. */
static void test_apart(void) {
  snprintf(context, sizeof context, "pool");
  enum { RUNS = 40 };
  struct fs_pool *p = fs_pool_new(2);
  cpu_set_t set;
  int together = 0;
  bool one = sched_getaffinity(0, sizeof set, &set) || CPU_COUNT(&set) < 2;
  for (int r = 0; r < RUNS; r++) {
    struct seen s = {0};
    struct timespec pause = {.tv_nsec = 200000};
    bool met = false;
    nanosleep(&pause, NULL);
    int here = sched_getcpu();
    check(fs_pool_run(p, 2, POOL_TASKS, see, &s) == FS_OK, "pool");
    for (int k = 0; k < POOL_TASKS; k++)
      met |= s.worker[k] == 1 && s.cpu[k] == here;
    together += met;
  }
  check(one || together < RUNS / 4, "workers on the caller's processor");
  fs_pool_free(p);
}

struct shares {
  _Atomic int times[POOL_TASKS], done[2], at_home;
  bool step;    /* the two threads keep step, so that neither runs out of its own tasks */
  double until; /* seconds: nobody waits longer for the other */
};

static void count_share(void *user, int64_t k, int worker) {
  struct shares *s = user;
  struct seen as = {0};
  see(&as, k, worker);
  s->times[k]++;
  s->at_home += worker == (k >= POOL_TASKS / 2);
  s->done[worker]++;
  while (s->step && s->done[!worker] < s->done[worker] && fs_now() < s->until) sched_yield();
}

/* Every task runs once, and each of two threads that keep step does its own half. */
static void test_shares(void) {
  snprintf(context, sizeof context, "shares");
  enum { RUNS = 40, PATIENCE = 300 };
  struct fs_pool *p = fs_pool_new(2);
  cpu_set_t set;
  bool one = sched_getaffinity(0, sizeof set, &set) || CPU_COUNT(&set) < 2, once = true;
  struct shares s = {.step = !one, .until = fs_now() + PATIENCE};
  int at_home = 0;
  for (int r = 0; r < RUNS; r++) {
    s.at_home = s.done[0] = s.done[1] = 0;
    check(fs_pool_run(p, 2, POOL_TASKS, count_share, &s) == FS_OK, "pool");
    at_home += s.at_home == POOL_TASKS;
  }
  for (int k = 0; k < POOL_TASKS; k++) once = once && s.times[k] == RUNS;
  check(once, "each task runs once");
  check(one || at_home == RUNS, "tasks of the own share");
  fs_pool_free(p);
}

/* Threads that sleep are woken for jobs that come close on each other, and for those alone. A
 * caller that waits for a processor in between has not come close: so one of many tries. */
static void test_close(void) {
  snprintf(context, sizeof context, "close");
  enum { TRIES = 2000, APART_NS = 2000000, SOON = 8 };
  struct fs_pool *p = fs_pool_new(2);
  struct timespec pause = {.tv_nsec = APART_NS};
  bool apart = true, close = false;
  for (int t = 0; t < TRIES && apart; t++) { /* until the thread sleeps */
    nanosleep(&pause, NULL);
    apart = fs_pool_would_help(p);
  }
  for (int k = 0; k < SOON; k++) {
    fs_pool_was_alone(p);
    nanosleep(&pause, NULL);
    apart |= fs_pool_would_help(p);
  }
  check(!apart, "jobs far from each other wake nobody");
  for (int t = 0; t < TRIES && !close; t++) {
    for (int k = 0; k < SOON && !close; k++) {
      close = fs_pool_would_help(p);
      fs_pool_was_alone(p);
    }
  }
  check(close, "jobs close on each other wake the others");
  fs_pool_free(p);
}

/* Touching many gigabytes takes seconds: Ctrl-C does not wait for it. */
static void test_untouched(void) {
  snprintf(context, sizeof context, "memory");
  enum { BYTES = 512 << 20, PAGES = BYTES / 4096 };
  int64_t peak = 0;
  struct fs_memory *m = fs_memory_new(&peak);
  void *p = NULL;
  unsigned char *there = fs_calloc(PAGES, 1);
  int touched = 0;
  fs_interrupt_request();
  bool got = fs_memory_get(m, BYTES, &p) == FS_OK;
  fs_interrupt_clear();
  if (got && !mincore(p, BYTES, there))
    for (int k = 0; k < PAGES; k++) touched += there[k] & 1;
  check(got && touched < PAGES / 4, "what is touched after Ctrl-C");
  if (got) fs_memory_put(m, p, BYTES);
  fs_memory_free_all(m);
  free(there);
}

int main(void) {
  fs_diags_init(&diags);
  open_targets();
  printf("CPU target: %s; sets:", targets[0][0]->device.name);
  for (int k = 0; k < n_isas; k++) printf(" %s", isas[k]);
  printf("\n");
  test_philox();
  test_ops();
  test_remainders();
  test_pairs();
  test_chain(1, 1);
  test_chain(33, 31);
  test_chain(9, 3001);
  test_positions();
  test_casts();
  test_half();
  static const int64_t lengths[] = {1, 2, 3, 31, 32, 33, 1000, 1025, 200000};
  for (size_t k = 0; k < FS_LEN(lengths); k++) {
    test_flat(FS_F32, lengths[k], 1, 1);
    test_flat(FS_F64, lengths[k], -1, 3);
    test_flat(FS_I32, lengths[k], 2, 1);
    test_flat(FS_I64, lengths[k], -3, 1);
  }
  test_random(1, 1, 0, 0, 1);
  test_random(7, 101, 3, 101, 1);
  test_random(20, 2100, 6, 5000, 2);
  test_random(3, 50, (1ll << 40) + 1, 1, 3);
  test_accuracy(1000);
  test_accuracy(3000001);
  test_memory();
  test_copies();
  test_interrupt();
  test_untouched();
  test_apart();
  test_shares();
  test_close();
  return finish_tests();
}
