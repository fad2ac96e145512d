/* test_cpu_matrix.c - the CPU target against naive loops: kernels over matrices,
 * with reductions in every direction, phases, transposed operands, several axes. */
#include "core/graph/internal.h"
#include "tests/unit/cpu_kernels.h"
#include "tests/unit/reductions.h"

/* -- reductions over each direction --------------------------------------- */

struct matrix_case {
  enum fs_dtype dt;
  enum fs_reduce_op op;
  int64_t m, n, pitch;
  bool transposed;
  int a, p, r, q, s, full, loose;
};

static double at(const struct made *x, const struct matrix_case *c, int64_t i,
                 int64_t j) {
  return get(x, c->a, c->transposed ? j * c->pitch + i : i * c->pitch + j);
}
/* Rounded apart: what a variance or an exponential comes to. */
static bool same(const struct matrix_case *c, double a, double b) {
  double u = !fs_reduce_ops[c->op].also ? 0 : c->dt == FS_F64 ? 1e-14 : 1e-6;
  return a == b || (a != a && b != b) || fabs(a - b) <= u * (fabs(b) + 1);
}

/* The reduction of what (i, j) in these ranges has, as a number or a place. A state with
 * fields joins its elements one by one, where the target takes strips. */
static double reduced(const struct made *x, const struct matrix_case *c, int64_t i0, int64_t i1,
                      int64_t j0, int64_t j1) {
  double all = ref_first(c->op, c->dt);
  struct ref_spot spot = {all, INT64_MAX};
  int64_t place = 0;
  double *of = fs_calloc((size_t)((i1 - i0) * (j1 - j0) + 1), sizeof *of);
  for (int64_t i = i0; i < i1; i++)
    for (int64_t j = j0; j < j1; j++) {
      all = ref_merge(c->op, all, at(x, c, i, j));
      spot = ref_merge_spot(c->op, spot, (struct ref_spot){at(x, c, i, j), ++place});
      of[place - 1] = at(x, c, i, j);
    }
  if (fs_reduce_ops[c->op].also) all = ref_reduce_state(c->op, of, place);
  free(of);
  return fs_reduces_to_place((int)c->op) ? (double)spot.at : all;
}

static void verify_reductions(struct made *x, void *user) {
  const struct matrix_case *c = user;
  for (int64_t i = 0; i < c->m; i++) {
    double row = reduced(x, c, i, i + 1, 0, c->n);
    check(same(c, get(x, c->q, i), row), "row %lld: %g, not %g", (long long)i, get(x, c->q, i), row);
  }
  for (int64_t j = 0; j < c->n; j++) {
    double col = reduced(x, c, 0, c->m, j, j + 1);
    check(same(c, get(x, c->s, j), col), "column %lld: %g, not %g", (long long)j, get(x, c->s, j),
          col);
  }
  double all = reduced(x, c, 0, c->m, 0, c->n);
  check(same(c, get(x, c->full, 0), all), "all: %g, not %g", get(x, c->full, 0), all);
}

static void test_reduction(enum fs_scheme scheme, enum fs_reduce_op op,
                           enum fs_dtype dt, int64_t m, int64_t n,
                           bool transposed) {
  struct matrix_case c = {.dt = dt, .op = op, .m = m, .n = n,
                          .transposed = transposed};
  c.pitch = (transposed ? m : n) + 5;
  struct made *x = new_kernel(scheme, m, n);
  c.a = input(x, dt, c.pitch * (transposed ? n : m) + 1);
  int64_t count = x->plan.slots.data[c.a].count;
  for (int64_t k = 0; k < count; k++) {
    double v = get(x, c.a, k);
    if (op == FS_RD_PROD) v = k % 9973 == 7 ? 2 : k % 2 ? 1 : -1;
    if (dt == FS_BOOL) v = op == FS_RD_ALL ? k % 97 != 5 : k % 97 == 5;
    put_element(dt, x->slot[c.a], k, v);
  }
  if (fs_dtype_is_float(dt) && op >= FS_RD_MAXR && m * n > 40)
    put_element(dt, x->slot[c.a], 17, NAN);
  enum fs_dtype out = fs_reduce_result(op, dt);
  c.q = result(x, out, m), c.s = result(x, out, n), c.full = result(x, out, 1);
  int a = load(x, 0, c.a, 0, transposed ? 1 : c.pitch,
               transposed ? c.pitch : 1);
  int rows = reduce(x, 0, op, out, FS_VARIES_J, a, -1);
  int cols = reduce(x, 0, op, out, FS_VARIES_I, a, -1);
  int all = reduce(x, 0, op, out, 3, a, -1);
  store(x, scheme == FS_ROW ? 1 : FS_END, rows, c.q, 0, 1, 0);
  store(x, FS_END, cols, c.s, 0, 0, 1);
  store(x, FS_END, all, c.full, 0, 0, 0);
  snprintf(context, sizeof context, "%s %s %s %lldx%lld%s",
           scheme == FS_ROW ? "row" : "tile", fs_reduce_ops[op].name,
           fs_dtype_name(dt), (long long)m, (long long)n,
           transposed ? " transposed" : "");
  run(x, verify_reductions, &c);
  free_kernel(x);
}

static const int64_t sizes[] = {1, 2, 3, 31, 32, 33, 1000, 1025};

static void test_reductions(void) {
  static const enum fs_dtype types[] = {FS_BOOL, FS_I32, FS_I64, FS_F32,
                                        FS_F64};
  for (int op = 0; op < FS_REDUCE_OP_COUNT; op++)
    for (size_t t = 0; t < FS_LEN(types); t++) {
      bool logic = fs_reduce_ops[op].types == 'B', real = fs_reduce_ops[op].types == 'F';
      if (logic != (types[t] == FS_BOOL) || (real && !fs_dtype_is_float(types[t]))) continue;
      for (int scheme = FS_ROW; scheme <= FS_TILE; scheme++)
        for (int tr = 0; tr < 2; tr++) {
          test_reduction(scheme, op, types[t], 33, 31, tr);
          test_reduction(scheme, op, types[t], 70, 1500, tr);
        }
    }
  for (size_t a = 0; a < FS_LEN(sizes); a++)
    for (size_t b = 0; b < FS_LEN(sizes); b++)
      for (int scheme = FS_ROW; scheme <= FS_TILE; scheme++)
        test_reduction(scheme, FS_RD_SUM, FS_F32, sizes[a], sizes[b], (a + b) & 1);
  test_reduction(FS_ROW, FS_RD_SUM, FS_F32, 0, 5, false);
  test_reduction(FS_ROW, FS_RD_SUM, FS_F32, 5, 0, false);
  test_reduction(FS_TILE, FS_RD_MAXR, FS_I32, 5, 0, false);
  test_reduction(FS_ROW, FS_RD_SUM, FS_F32, 5000, 3, false);
  test_reduction(FS_ROW, FS_RD_SUM, FS_I32, 3, 70000, false);
  test_reduction(FS_TILE, FS_RD_SUM, FS_F32, 3, 70000, false);
}

/* -- the sequences of the paper ------------------------------------------- */

static void verify_bicgk(struct made *x, void *user) {
  const struct matrix_case *c = user;
  for (int64_t i = 0; i < c->m; i++) {
    double q = 0;
    for (int64_t j = 0; j < c->n; j++) q += at(x, c, i, j) * get(x, c->p, j);
    check(get(x, c->q, i) == q, "q[%lld] = %g, not %g", (long long)i,
          get(x, c->q, i), q);
  }
  double loose = 0;
  for (int64_t j = 0; j < c->n; j++) {
    double s = 0;
    for (int64_t i = 0; i < c->m; i++) s += at(x, c, i, j) * get(x, c->r, i);
    s = 2 * s + get(x, c->p, j);
    check(get(x, c->s, j) == s, "s[%lld] = %g, not %g", (long long)j,
          get(x, c->s, j), s);
    for (int64_t i = 0; i < c->m; i++) loose += at(x, c, i, j) * get(x, c->p, j);
  }
  check(get(x, c->loose, 0) == loose + 1, "full product %g, not %g",
        get(x, c->loose, 0), loose + 1);
}

/* q = A*p; s = 2*(A'*r) + p; f = sum of A.*p' + 1 */
static void test_bicgk(enum fs_scheme scheme, enum fs_dtype dt, int64_t m,
                       int64_t n, bool transposed) {
  struct matrix_case c = {.dt = dt, .m = m, .n = n, .transposed = transposed};
  c.pitch = (transposed ? m : n) + 3;
  struct made *x = new_kernel(scheme, m, n);
  c.a = input(x, dt, c.pitch * (transposed ? n : m));
  c.p = input(x, dt, n), c.r = input(x, dt, m);
  c.q = result(x, dt, m), c.s = result(x, dt, n), c.loose = result(x, dt, 1);
  int a = load(x, 0, c.a, 0, transposed ? 1 : c.pitch,
               transposed ? c.pitch : 1);
  int p = load(x, 0, c.p, 0, 0, 1), r = load(x, 0, c.r, 0, 1, 0);
  int q = reduce(x, 0, FS_RD_SUM, dt, FS_VARIES_J, a, p);
  int s = reduce(x, 0, FS_RD_SUM, dt, FS_VARIES_I, a, r);
  int f = reduce(x, 0, FS_RD_SUM, dt, 3, a, p);
  store(x, scheme == FS_ROW ? 1 : FS_END, q, c.q, 0, 1, 0);
  int two = param(x, FS_END, dt, 2), one = param(x, FS_END, dt, 1);
  int pe = load(x, FS_END, c.p, 0, 0, 1);
  int t = map(x, FS_END, FS_OP_MUL, dt, two, s, -1);
  store(x, FS_END, map(x, FS_END, FS_OP_ADD, dt, t, pe, -1), c.s, 0, 0, 1);
  store(x, FS_END, map(x, FS_END, FS_OP_ADD, dt, f, one, -1), c.loose, 0, 0, 0);
  snprintf(context, sizeof context, "bicgk %d %s %lldx%lld", scheme,
           fs_dtype_name(dt), (long long)m, (long long)n);
  run(x, verify_bicgk, &c);
  free_kernel(x);
}

static void verify_atax(struct made *x, void *user) {
  const struct matrix_case *c = user;
  double *y = fs_calloc((size_t)c->n + 1, sizeof *y);
  for (int64_t i = 0; i < c->m; i++) {
    double t = 0;
    for (int64_t j = 0; j < c->n; j++) t += at(x, c, i, j) * get(x, c->p, j);
    check(get(x, c->q, i) == 3 * t, "t[%lld]", (long long)i);
    for (int64_t j = 0; j < c->n; j++) y[j] += at(x, c, i, j) * 3 * t;
  }
  for (int64_t j = 0; j < c->n; j++)
    check(get(x, c->s, j) == y[j], "y[%lld] = %g, not %g", (long long)j,
          get(x, c->s, j), y[j]);
  free(y);
}

/* t = 3*(A*p); y = A'*t */
static void test_atax(enum fs_dtype dt, int64_t m, int64_t n, bool transposed) {
  struct matrix_case c = {.dt = dt, .m = m, .n = n, .transposed = transposed};
  c.pitch = (transposed ? m : n) + 3;
  struct made *x = new_kernel(FS_ROW, m, n);
  c.a = input(x, dt, c.pitch * (transposed ? n : m));
  if (m * n > 20000 && dt == FS_F32) /* keep sums below 2^24 */
    for (int64_t k = 0; k < x->plan.slots.data[c.a].count; k++)
      ((float *)x->slot[c.a])[k] = k % 3 ? 0 : 1;
  c.p = input(x, dt, n);
  c.q = result(x, dt, m), c.s = result(x, dt, n);
  int a = load(x, 0, c.a, 0, transposed ? 1 : c.pitch,
               transposed ? c.pitch : 1);
  int p = load(x, 0, c.p, 0, 0, 1);
  int t = reduce(x, 0, FS_RD_SUM, dt, FS_VARIES_J, a, p);
  int three = param(x, 0, dt, 3);
  int u = map(x, 1, FS_OP_MUL, dt, three, t, -1);
  store(x, 1, u, c.q, 0, 1, 0);
  int y = reduce(x, 1, FS_RD_SUM, dt, FS_VARIES_I, a, u);
  store(x, FS_END, y, c.s, 0, 0, 1);
  snprintf(context, sizeof context, "atax %s %lldx%lld%s", fs_dtype_name(dt),
           (long long)m, (long long)n, transposed ? " transposed" : "");
  run(x, verify_atax, &c);
  free_kernel(x);
}

static void verify_softmax(struct made *x, void *user) {
  const struct matrix_case *c = user;
  for (int64_t i = 0; i < c->m; i++) {
    double top = -INFINITY, sum = 0;
    for (int64_t j = 0; j < c->n; j++) top = fmax(top, at(x, c, i, j));
    for (int64_t j = 0; j < c->n; j++) sum += exp(at(x, c, i, j) - top);
    for (int64_t j = 0; j < c->n; j++) {
      double want = exp(at(x, c, i, j) - top) / sum, got = get(x, c->s, i * c->n + j);
      check(fabs(got - want) <= 1e-6 * want + 1e-40, "softmax [%lld,%lld] = %g, "
            "not %g", (long long)i, (long long)j, got, want);
    }
  }
}

/* Softmax of rows, in three sweeps, as the planner writes it. */
static void test_softmax(int64_t m, int64_t n) {
  struct matrix_case c = {.dt = FS_F32, .m = m, .n = n, .pitch = n + 1};
  struct made *x = new_kernel(FS_ROW, m, n);
  c.a = input(x, FS_F32, c.pitch * m), c.s = result(x, FS_F32, m * n);
  int a = load(x, 0, c.a, 0, c.pitch, 1);
  int top = reduce(x, 0, FS_RD_MAXR, FS_F32, FS_VARIES_J, a, -1);
  int d1 = map(x, 1, FS_OP_SUB, FS_F32, a, top, -1);
  int e1 = map(x, 1, FS_OP_EXP, FS_F32, d1, -1, -1);
  int sum = reduce(x, 1, FS_RD_SUM, FS_F32, FS_VARIES_J, e1, -1);
  int d2 = map(x, 2, FS_OP_SUB, FS_F32, a, top, -1);
  int e2 = map(x, 2, FS_OP_EXP, FS_F32, d2, -1, -1);
  x->k.values.data[d2].same_as = d1;
  x->k.values.data[e2].same_as = e1;
  store(x, 2, map(x, 2, FS_OP_DIV, FS_F32, e2, sum, -1), c.s, 0, n, 1);
  snprintf(context, sizeof context, "softmax %lldx%lld", (long long)m,
           (long long)n);
  run(x, verify_softmax, &c);
  free_kernel(x);
}

static void verify_gemver(struct made *x, void *user) {
  const struct matrix_case *c = user;
  double *s = fs_calloc((size_t)c->n + 1, sizeof *s);
  for (int64_t i = 0; i < c->m; i++)
    for (int64_t j = 0; j < c->n; j++) {
      double b = at(x, c, i, j) + get(x, c->r, i) * get(x, c->p, j) +
                 get(x, c->q, i) * get(x, c->full, j);
      s[j] += b * get(x, c->r, i);
      check(get(x, c->loose, i * c->pitch + j) == b, "B[%lld,%lld]",
            (long long)i, (long long)j);
    }
  for (int64_t j = 0; j < c->n; j++)
    check(get(x, c->s, j) == s[j], "column %lld: %g, not %g", (long long)j,
          get(x, c->s, j), s[j]);
  free(s);
}

/* B = A + r*p' + q*w'; s = B'*r */
static void test_gemver(enum fs_scheme scheme, int64_t m, int64_t n) {
  struct matrix_case c = {.dt = FS_F32, .m = m, .n = n, .pitch = n + 2};
  struct made *x = new_kernel(scheme, m, n);
  c.a = input(x, FS_F32, c.pitch * m), c.p = input(x, FS_F32, n);
  c.r = input(x, FS_F32, m), c.q = input(x, FS_F32, m);
  c.full = input(x, FS_F32, n);
  c.loose = result(x, FS_F32, c.pitch * m), c.s = result(x, FS_F32, n);
  int a = load(x, 0, c.a, 0, c.pitch, 1), p = load(x, 0, c.p, 0, 0, 1);
  int r = load(x, 0, c.r, 0, 1, 0), q = load(x, 0, c.q, 0, 1, 0);
  int w = load(x, 0, c.full, 0, 0, 1);
  int t = map(x, 0, FS_OP_MUL, FS_F32, r, p, -1);
  int b = map(x, 0, FS_OP_ADD, FS_F32, a, t, -1);
  int u = map(x, 0, FS_OP_MUL, FS_F32, q, w, -1);
  b = map(x, 0, FS_OP_ADD, FS_F32, b, u, -1);
  store(x, 0, b, c.loose, 0, c.pitch, 1);
  int s = reduce(x, 0, FS_RD_SUM, FS_F32, FS_VARIES_I, b, r);
  store(x, FS_END, s, c.s, 0, 0, 1);
  snprintf(context, sizeof context, "gemver %lldx%lld", (long long)m,
           (long long)n);
  run(x, verify_gemver, &c);
  free_kernel(x);
}

static void test_sequences(void) {
  for (size_t a = 0; a < FS_LEN(sizes); a++)
    for (size_t b = 0; b < FS_LEN(sizes); b++) {
      test_bicgk(FS_ROW, FS_F32, sizes[a], sizes[b], false);
      test_bicgk(FS_TILE, FS_F64, sizes[a], sizes[b], (a + b) & 1);
      test_atax((a ^ b) & 1 ? FS_F32 : FS_F64, sizes[a], sizes[b], (a + b) % 3 == 0);
      test_gemver((a + b) & 1 ? FS_ROW : FS_TILE, sizes[a], sizes[b]);
      test_softmax(sizes[a], sizes[b]);
    }
  test_bicgk(FS_ROW, FS_F32, 5000, 3, false);
  test_bicgk(FS_ROW, FS_F32, 300, 4099, true);
  test_atax(FS_F32, 40, 9000, false);
  test_softmax(5, 300000);
}

static void verify_axes(struct made *k, void *user) {
  (void)user;
  const float *a = k->slot[0], *b = k->slot[1], *r = k->slot[2];
  int64_t d0 = 3, d1 = 5, d2 = 7, d3 = 11;
  for (int64_t i = 0; i < d0 * d1; i++) {
    double sum = 0;
    for (int64_t j = 0; j < d2 * d3; j++) {
      int64_t x0 = i / d1, x1 = i % d1, x2 = j / d3, x3 = j % d3;
      double v = (double)a[x3 * 200 + x2 * 20 + x1 * 4 + x0];
      check((double)b[x0 * 1000 + x1 * 100 + x2 * 12 + x3] == v + 1, "axes %lld %lld",
            (long long)i, (long long)j);
      sum += v;
    }
    check((double)r[(i / d1) + (i % d1) * 3] == sum, "row %lld", (long long)i);
  }
}

/* Four axes that cannot be collapsed, permuted on the way. */
static void test_axes(void) {
  struct made *k = new_kernel(FS_ROW, 15, 77);
  struct fs_space *s = &k->k.space;
  s->n_outer = s->n_inner = 2;
  s->dim[0] = 3, s->dim[1] = 5, s->dim[2] = 7, s->dim[3] = 11;
  input(k, FS_F32, 2400);
  result(k, FS_F32, 3000);
  result(k, FS_F32, 15);
  int a = load(k, 0, 0, 0, 1, 1);
  int64_t in[4] = {1, 4, 20, 200}, out[4] = {1000, 100, 12, 1}, row[4] = {1, 3};
  memcpy(k->k.accesses.data[0].stride, in, sizeof in);
  int one = param(k, 0, FS_F32, 1);
  store(k, 0, map(k, 0, FS_OP_ADD, FS_F32, a, one, -1), 1, 0, 1, 1);
  memcpy(k->k.accesses.data[1].stride, out, sizeof out);
  int sum = reduce(k, 0, FS_RD_SUM, FS_F32, FS_VARIES_J, a, -1);
  store(k, 1, sum, 2, 0, 1, 0);
  memcpy(k->k.accesses.data[2].stride, row, sizeof row);
  snprintf(context, sizeof context, "four axes");
  run(k, verify_axes, NULL);
  free_kernel(k);
}

static void verify_spread(struct made *k, void *user) {
  (void)user;
  const float *u = k->slot[0], *v = k->slot[1];
  const float *b = k->slot[2], *s = k->slot[3], *q = k->slot[4];
  int64_t m = k->k.space.m, n = k->k.space.n;
  double su = 0, sv = 0;
  for (int64_t i = 0; i < m; i++) su += (double)u[i];
  for (int64_t j = 0; j < n; j++) sv += (double)v[j];
  for (int64_t i = 0; i < m; i++) {
    check((double)q[i] == sv, "row sums");
    for (int64_t j = 0; j < n; j++)
      check(b[i * n + j] == u[i], "spread [%lld,%lld]", (long long)i, (long long)j);
  }
  for (int64_t j = 0; j < n; j++)
    check((double)s[j] == su, "column sums %g, not %g", (double)s[j], su);
  check((double)*(float *)k->slot[5] == su * su, "sum of u squared");
  check((double)*(float *)k->slot[6] == sv + (double)n, "vector sum");
}

/* Values that vary over less than what they are used over. */
static void test_spread(int64_t m, int64_t n) {
  struct made *k = new_kernel(FS_ROW, m, n);
  input(k, FS_F32, m), input(k, FS_F32, n);
  result(k, FS_F32, m * n), result(k, FS_F32, n), result(k, FS_F32, m);
  result(k, FS_F32, 1), result(k, FS_F32, 1);
  int u = load(k, 0, 0, 0, 1, 0), v = load(k, 0, 1, 0, 0, 1);
  int ub = spread(k, 0, u, 3), vb = spread(k, 0, v, 3);
  store(k, 0, ub, 2, 0, n, 1);
  int cols = reduce(k, 0, FS_RD_SUM, FS_F32, FS_VARIES_I, ub, -1);
  int rows = reduce(k, 0, FS_RD_SUM, FS_F32, FS_VARIES_J, vb, -1);
  int full = reduce(k, 0, FS_RD_SUM, FS_F32, FS_VARIES_I, u, -1);
  int vec = reduce(k, 0, FS_RD_SUM, FS_F32, FS_VARIES_J, v, -1); /* scalar */
  store(k, 1, rows, 4, 0, 1, 0);
  int one = param(k, 0, FS_F32, 1);
  int nn = param(k, 0, FS_F32, (double)n);
  int t = map(k, 1, FS_OP_MUL, FS_F32, one, nn, -1);
  store(k, 1, map(k, 1, FS_OP_ADD, FS_F32, vec, t, -1), 6, 0, 0, 0);
  store(k, FS_END, cols, 3, 0, 0, 1);
  store(k, FS_END, map(k, FS_END, FS_OP_SQUARE, FS_F32, full, -1, -1), 5, 0, 0,
        0);
  snprintf(context, sizeof context, "spread %lldx%lld", (long long)m,
           (long long)n);
  run(k, verify_spread, NULL);
  free_kernel(k);
}

enum { APART = 3 }; /* elements of the vector */

static void verify_vectors(struct made *k, void *user) {
  (void)user;
  const float *a = k->slot[0], *v = k->slot[1], *q = k->slot[2], *b = k->slot[3];
  int64_t m = k->k.space.m, n = k->k.space.n;
  for (int64_t i = 0; i < m; i++) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += (double)a[i * n + j] * (double)v[1 + APART * j];
    check((double)q[i] == sum, "product with a column: %g, not %g", (double)q[i], sum);
    for (int64_t j = 0; j < n; j++)
      check(b[i * n + j] == a[i * n + j] - v[1 + APART * j], "[%lld,%lld]", (long long)i,
            (long long)j);
  }
}

/* How often the text of the kernel says so. */
static int says(struct made *k, const char *what) {
  struct fs_target *t = targets[0][0];
  const struct fs_kernel *kernel = &k->k;
  struct fs_code *code = NULL;
  const char *why;
  int n = 0;
  fs_kernel_look(&k->k);
  if (t->ops->prepare(t, &k->plan, &diags, 1, &kernel, &code, &diags) != FS_OK) return -1;
  char *text = t->ops->code_text(t, code, "walk", &why);
  for (const char *at = text; at && (at = strstr(at, what)); at++) n++;
  free(text);
  t->ops->release(t, code);
  return n;
}

/* A strided vector that two sweeps want: copied once where there are many groups. */
static void test_vectors(int64_t m, int64_t n, bool many) {
  struct made *k = new_kernel(FS_ROW, m, n);
  input(k, FS_F32, m * n), input(k, FS_F32, 1 + APART * n);
  result(k, FS_F32, m), result(k, FS_F32, m * n);
  int a = load(k, 0, 0, 0, n, 1), v = load(k, 0, 1, 1, 0, APART);
  int q = reduce(k, 0, FS_RD_SUM, FS_F32, FS_VARIES_J, a, v);
  store(k, 1, q, 2, 0, 1, 0);
  store(k, 1, map(k, 1, FS_OP_SUB, FS_F32, a, v, -1), 3, 0, n, 1);
  snprintf(context, sizeof context, "strided vector %lldx%lld", (long long)m,
           (long long)n);
  run(k, verify_vectors, NULL);
  check(says(k, "v1[j] = load f32") == (many ? 1 : 2) &&
            says(k, "as it was kept for all rows") == (many ? 2 : 0),
        "the vector is copied once for all groups, if they are many");
  free_kernel(k);
}

int main(void) {
  fs_diags_init(&diags);
  open_targets();
  test_reductions();
  test_sequences();
  test_axes();
  test_spread(1, 1);
  test_spread(70, 33);
  test_spread(33, 2500);
  test_vectors(70, 2500, true);
  test_vectors(400, 20, true);
  test_vectors(2, 2500, false);
  return finish_tests();
}
