/* test_library.c - library kernels: products, solves, factorisations, gathers, in
 * every element type and with transposed, padded and strided operands, against
 * plain loops. Each case runs on host memory; and, where a CUDA driver is there
 * (a real one, or that of tests/fake), on the device too. Operands must come out
 * as they went in, and nothing between the elements of a result may change.
 * Prints "N passed, N failed". */
#include "tests/unit/library_jobs.h"

/* -- GEMM ------------------------------------------------------------------------- */

static double product_at(const struct mat *a, const struct mat *b,
                         unsigned trans, int64_t i, int64_t j) {
  int64_t depth = trans & 1 ? a->rows : a->cols;
  double sum = 0;
  for (int64_t k = 0; k < depth; k++)
    sum += (trans & 1 ? get(a, k, i) : get(a, i, k)) *
           (trans & 2 ? get(b, j, k) : get(b, k, j));
  return sum;
}

static void try_gemm(enum fs_dtype dt, enum fs_dtype out_dt, int64_t m,
                     int64_t n, int64_t k, unsigned trans, enum how ha,
                     enum how hb, enum how ho, bool on_gpu) {
  struct mat a = mat_new(dt, trans & 1 ? k : m, trans & 1 ? m : k, ha);
  struct mat b = mat_new(dt, trans & 2 ? n : k, trans & 2 ? k : n, hb);
  struct mat c = mat_new(out_dt, m, n, ho);
  bool narrow = dt == FS_F16 || dt == FS_BF16;
  fill_integers(&a, narrow ? 2 : dt == FS_BOOL ? 1 : 8);
  fill_integers(&b, narrow ? 2 : dt == FS_BOOL ? 1 : 8);
  struct job job;
  job_begin(&job, FS_LIB_GEMM, &c, &a, &b, trans);
  enum fs_status status = run(&job, on_gpu);
  bool equal = status == FS_OK;
  for (int64_t i = 0; i < m && equal; i++)
    for (int64_t j = 0; j < n && equal; j++)
      equal = get(&c, i, j) == as_element(out_dt, product_at(&a, &b, trans, i, j));
  CHECK(equal, "gemm %s->%s %dx%dx%d trans %u %s %s %s%s: %s",
        fs_dtype_name(dt), fs_dtype_name(out_dt), (int)m, (int)n, (int)k, trans,
        how_names[ha], how_names[hb], how_names[ho], on_gpu ? " gpu" : "",
        message());
  job_end(&job);
  free(a.data), free(b.data), free(c.data);
}

static void test_gemm(bool on_gpu) {
  for (int dt = 0; dt < FS_DTYPE_COUNT; dt++)
    for (unsigned trans = 0; trans < 4; trans++) {
      enum fs_dtype out = dt == FS_BOOL ? FS_I64 : (enum fs_dtype)dt;
      try_gemm((enum fs_dtype)dt, out, 7, 5, 11, trans, ROWS, ROWS, ROWS,
               on_gpu);
      try_gemm((enum fs_dtype)dt, out, 1, 5, 11, trans, PADDED, COLUMNS, ROWS,
               on_gpu);
    }
  for (int h = 0; h < 64; h++)
    try_gemm(h % 2 ? FS_F32 : FS_F64, h % 2 ? FS_F32 : FS_F64, 6, 9, 4,
             (unsigned)h % 4, (enum how)(h & 3), (enum how)(h >> 2 & 3),
             (enum how)(h >> 4 & 3), on_gpu);
  try_gemm(FS_F32, FS_F32, 1, 1, 33, 0, ROWS, ROWS, ROWS, on_gpu);
  try_gemm(FS_F32, FS_F32, 70, 1, 33, 0, ROWS, ROWS, PADDED, on_gpu);
  try_gemm(FS_F64, FS_F64, 33, 1, 1, 2, ROWS, ROWS, ROWS, on_gpu);
  try_gemm(FS_I32, FS_I64, 65, 33, 130, 1, ROWS, APART, ROWS, on_gpu);
}

/* A matrix by its own transpose: what any product is, and symmetric to the last bit. */
static void try_square(enum fs_dtype dt, int64_t n, int64_t k, unsigned trans,
                       enum how ha, enum how ho, bool on_gpu) {
  struct mat a = mat_new(dt, trans & 1 ? k : n, trans & 1 ? n : k, ha);
  struct mat c = mat_new(dt, n, n, ho);
  struct job job;
  for (int rounded = 0; rounded <= (fs_dtype_is_float(dt) && !on_gpu); rounded++) {
    if (rounded) fill_random(&a);
    else fill_integers(&a, dt == FS_F16 || dt == FS_BF16 ? 2 : 8);
    job_begin(&job, FS_LIB_GEMM, &c, &a, &a, trans);
    bool equal = run(&job, on_gpu) == FS_OK;
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < n; j++)
        equal = equal && get(&c, i, j) == (rounded ? get(&c, j, i)
                                                   : as_element(dt, product_at(&a, &a, trans, i, j)));
    CHECK(equal, "square %s %dx%d trans %u %s %s", fs_dtype_name(dt), (int)n, (int)k,
          trans, how_names[ha], how_names[ho]);
    job_end(&job);
  }
  free(a.data), free(c.data);
}

static void test_squares(bool on_gpu) {
  for (int h = 0; h < 32; h++)
    for (int dt = FS_I32; dt < FS_DTYPE_COUNT; dt++)
      try_square((enum fs_dtype)dt, 1 + 3 * h % 50, 1 + 7 * h % 40, 1 + (unsigned)h % 2,
                 (enum how)(h >> 1 & 3), (enum how)(h >> 3 & 3), on_gpu);
}

/* y = op(m)*x */
static void apply(const struct mat *m, bool turned, const double *x, double *y) {
  int64_t rows = turned ? m->cols : m->rows, cols = turned ? m->rows : m->cols;
  for (int64_t i = 0; i < rows; i++) {
    y[i] = 0;
    for (int64_t j = 0; j < cols; j++)
      y[i] += (turned ? get(m, j, i) : get(m, i, j)) * x[j];
  }
}

/* C*x = A*(B*x) for two vectors x of small integers: a sum over half a row would differ. */
static bool is_product(const struct mat *c, const struct mat *a, const struct mat *b,
                       unsigned trans) {
  int64_t m = c->rows, n = c->cols, k = trans & 1 ? a->rows : a->cols;
  double *x = fs_malloc((size_t)(n + k + 2 * m) * sizeof *x), *bx = x + n, *abx = bx + k;
  bool equal = true;
  for (int round = 0; round < 2; round++) {
    for (int64_t j = 0; j < n; j++) x[j] = 1 + floor(random_unit() * 1000);
    apply(b, trans & 2, x, bx);
    apply(a, trans & 1, bx, abx);
    apply(c, false, x, abx + m);
    equal = equal && !memcmp(abx, abx + m, (size_t)m * sizeof *x);
  }
  free(x);
  return equal;
}

/* Products that the CPU computes in parts, and one that is the largest without. */
static void test_large(void) {
  static const struct { int m, n, k; unsigned trans; bool square; } cases[] = {
      {2200, 2000, 2100, 0}, {2000, 2200, 2100, 3}, {100, 40000, 2200, 2},
      {520, 530, 33000, 1},  {2048, 1024, 4096, 0}, {2100, 2100, 2000, 1, true},
      {520, 520, 33000, 2, true}};
  for (int s = 0; s < (int)FS_LEN(cases); s++) {
    int m = cases[s].m, n = cases[s].n, k = cases[s].k, wide = s % 2;
    unsigned trans = cases[s].trans;
    enum fs_dtype dt = wide ? FS_F64 : FS_F32;
    struct mat a = mat_new(dt, trans & 1 ? k : m, trans & 1 ? m : k, ROWS);
    struct mat b = mat_new(dt, trans & 2 ? n : k, trans & 2 ? k : n, ROWS);
    struct mat c = mat_new(dt, m, n, wide ? COLUMNS : ROWS);
    fill_integers(&a, 8), fill_integers(&b, 8);
    struct mat *other = cases[s].square ? &a : &b;
    struct job job;
    job_begin(&job, FS_LIB_GEMM, &c, &a, other, trans);
    bool equal = run(&job, false) == FS_OK && is_product(&c, &a, other, trans);
    CHECK(equal, "large %s %dx%dx%d trans %u: %s", fs_dtype_name(dt), m, n, k, trans,
          message());
    fs_interrupt_request();
    CHECK(run(&job, false) == FS_INTERRUPTED, "%dx%dx%d: not interrupted", m, n, k);
    fs_interrupt_clear();
    job_end(&job);
    free(a.data), free(b.data), free(c.data);
  }
}

/* Every small size: libraries have code of their own for what is left over. */
static void test_sizes(bool on_gpu) {
  for (int n = 1; n <= 48; n++)
    for (int wide = 0; wide <= 1; wide++)
      try_gemm(wide ? FS_F64 : FS_F32, wide ? FS_F64 : FS_F32, n, 49 - n, 1 + 7 * n % 45,
               (unsigned)n % 4, ROWS, ROWS, ROWS, on_gpu);
}

/* Integer products wrap around like elementwise ones. */
static void test_wrap(bool on_gpu) {
  struct mat a = mat_new(FS_I64, 2, 2, ROWS), b = mat_new(FS_I64, 2, 2, ROWS);
  struct mat c = mat_new(FS_I64, 2, 2, ROWS);
  for (int k = 0; k < 4; k++) {
    *(int64_t *)place(&a, k / 2, k % 2) = INT64_MAX - k;
    *(int64_t *)place(&b, k / 2, k % 2) = 3 + k;
  }
  struct job job;
  job_begin(&job, FS_LIB_GEMM, &c, &a, &b, 0);
  bool ok = run(&job, on_gpu) == FS_OK;
  for (int k = 0; k < 4 && ok; k++) {
    uint64_t sum = 0;
    for (int e = 0; e < 2; e++)
      sum += *(uint64_t *)place(&a, k / 2, e) * *(uint64_t *)place(&b, e, k % 2);
    ok = *(uint64_t *)place(&c, k / 2, k % 2) == sum;
  }
  CHECK(ok, "wrapping product: %s", message());
  job_end(&job);
  free(a.data), free(b.data), free(c.data);
}

/* -- solves and factorisations ------------------------------------------------------ */

static double tolerance(enum fs_dtype dt) { return dt == FS_F64 ? 1e-9 : 2e-3; }

static void try_solve(enum fs_dtype dt, int64_t m, int64_t n, int64_t k,
                      enum how how, bool on_gpu) {
  struct mat a = mat_new(dt, m, n, how), b = mat_new(dt, m, k, ROWS);
  struct mat x = mat_new(dt, n, k, how == ROWS ? ROWS : PADDED);
  fill_random(&a), fill_random(&b);
  for (int64_t i = 0; i < FS_MIN(m, n); i++) put(&a, i, i, get(&a, i, i) + 3);
  struct job job;
  job_begin(&job, FS_LIB_SOLVE, &x, &a, &b, 0);
  enum fs_status status = run(&job, on_gpu);
  /* A'(A x - b) = 0 holds for square, tall and (with A x = b) wide ones. */
  double worst = 0;
  for (int64_t e = 0; e < k && status == FS_OK; e++)
    for (int64_t j = 0; j < n; j++) {
      double sum = 0;
      for (int64_t i = 0; i < m; i++) {
        double r = -get(&b, i, e);
        for (int64_t l = 0; l < n; l++) r += get(&a, i, l) * get(&x, l, e);
        sum += get(&a, i, j) * r;
      }
      worst = FS_MAX(worst, fabs(sum));
    }
  CHECK(status == FS_OK && worst < tolerance(dt),
        "solve %s %dx%d\\%d %s%s: residual %g, %s", fs_dtype_name(dt), (int)m,
        (int)n, (int)k, how_names[how], on_gpu ? " gpu" : "", worst, message());
  job_end(&job);
  free(a.data), free(b.data), free(x.data);
}

enum triangle { UPPER, LOWER, DIAGONAL, ALMOST };
static const char *const triangle_names[] = {"upper", "lower", "diagonal", "almost"};

/* Small integers with some ones beside a diagonal of powers of two, so that substitution
 * is exact; ALMOST is UPPER with .3 in the lower left corner. */
static struct mat triangular(enum fs_dtype dt, int64_t n, enum triangle which, enum how how) {
  struct mat a = mat_new(dt, n, n, how);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) put(&a, i, j, i == j ? (i % 3 == 2 ? -2 : 1) : i > j ? -0.0 : 0);
  for (int64_t i = 0; i + 1 < n && which != DIAGONAL; i++) {
    int64_t j = i + 1 + (int64_t)(random_unit() * (double)(n - i - 1));
    put(&a, which == LOWER ? j : i, which == LOWER ? i : j, random_unit() < 0.5 ? -2 : 2);
  }
  if (which == ALMOST) put(&a, n - 1, 0, 0.3);
  return a;
}

static void try_triangular(enum fs_dtype dt, int64_t n, int64_t k, enum triangle which,
                           enum how how, bool on_gpu) {
  struct mat a = triangular(dt, n, which, how), b = mat_new(dt, n, k, how);
  struct mat x = mat_new(dt, n, k, how == ROWS ? ROWS : PADDED);
  struct mat want = mat_new(dt, n, k, ROWS);
  fill_integers(&want, 3);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < k; j++) put(&b, i, j, product_at(&a, &want, 0, i, j));
  struct job job;
  job_begin(&job, FS_LIB_SOLVE, &x, &a, &b, 0);
  enum fs_status status = run(&job, on_gpu);
  double worst = 0;
  for (int64_t i = 0; i < n && status == FS_OK; i++)
    for (int64_t j = 0; j < k; j++)
      worst = FS_MAX(worst, fabs(get(&x, i, j) - get(&want, i, j)));
  CHECK(status == FS_OK && worst <= (which == ALMOST ? 1e-3 : 0),
        "%s %s %d\\%d %s%s: %g off, %s", triangle_names[which], fs_dtype_name(dt), (int)n,
        (int)k, how_names[how], on_gpu ? " gpu" : "", worst, message());
  job_end(&job);
  free(a.data), free(b.data), free(x.data), free(want.data);
}

/* NaN anywhere is everywhere in the solution; 0 on the diagonal is an error. */
static void try_bad_triangular(enum fs_dtype dt, int64_t n, enum triangle which, enum how how,
                               bool on_gpu) {
  struct mat b = mat_new(dt, n, 2, ROWS), x = mat_new(dt, n, 2, PADDED);
  fill_integers(&b, 3);
  for (int place = 0; place < 4; place++) {
    struct mat a = triangular(dt, n, which, how);
    put(&a, place == 1 ? n - 1 : place == 3 ? n / 2 : 0,
        place == 2 ? n - 1 : place == 3 ? n / 2 : 0, place == 3 ? 0 : NAN);
    struct job job;
    job_begin(&job, FS_LIB_SOLVE, &x, &a, &b, 0);
    enum fs_status status = run(&job, on_gpu);
    bool all = status == FS_OK;
    for (int64_t e = 0; e < 2 * n && all; e++) all = isnan(get(&x, e / 2, e % 2));
    char pivot[40];
    snprintf(pivot, sizeof pivot, "pivot %d of %d is zero", (int)(n / 2 + 1), (int)n);
    bool refused = status == FS_ERR_USER && strstr(message(), pivot);
    CHECK(place == 3 ? refused : all, "%s %s %d %s with %s at %d%s: %d %s",
          triangle_names[which], fs_dtype_name(dt), (int)n, how_names[how],
          place == 3 ? "0" : "NaN", place, on_gpu ? " gpu" : "", status, message());
    job_end(&job);
    free(a.data);
  }
  free(b.data), free(x.data);
}

static void test_triangular(bool on_gpu) {
  static const int64_t sizes[] = {2, 3, 33, 130};
  for (int t = FS_F32; t <= FS_F64; t++)
    for (int s = 0; s < 4; s++)
      for (int how = 0; how < 4; how++)
        for (int which = UPPER; which <= ALMOST; which++) {
          enum fs_dtype dt = (enum fs_dtype)t;
          enum triangle form = (enum triangle)which;
          try_triangular(dt, sizes[s], 1, form, (enum how)how, on_gpu);
          try_triangular(dt, sizes[s], 1 + how, form, (enum how)how, on_gpu);
          if (form != ALMOST)
            try_bad_triangular(dt, sizes[s], form, (enum how)how, on_gpu);
        }
}

/* Symmetric and positive definite. */
static struct mat definite(enum fs_dtype dt, int64_t n, enum how how) {
  struct mat a = mat_new(dt, n, n, how);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j <= i; j++) {
      double v = i == j ? 4 + (double)i / 8 : random_unit() - 0.5;
      put(&a, i, j, v);
      put(&a, j, i, get(&a, i, j));
    }
  return a;
}

static void try_inverse(enum fs_dtype dt, int64_t n, enum how how, bool on_gpu) {
  struct mat a = definite(dt, n, how), x = mat_new(dt, n, n, PADDED);
  if (n > 1) put(&a, 0, 1, 2.5);
  struct job job;
  job_begin(&job, FS_LIB_INV, &x, &a, NULL, 0);
  enum fs_status status = run(&job, on_gpu);
  double worst = 0;
  for (int64_t i = 0; i < n && status == FS_OK; i++)
    for (int64_t j = 0; j < n; j++)
      worst = FS_MAX(worst, fabs(product_at(&a, &x, 0, i, j) - (i == j)));
  CHECK(status == FS_OK && worst < tolerance(dt), "inv %s %d: %g, %s",
        fs_dtype_name(dt), (int)n, worst, message());
  job_end(&job);
  free(a.data), free(x.data);
}

static void try_cholesky(enum fs_dtype dt, int64_t n, enum how how,
                         bool on_gpu) {
  struct mat a = definite(dt, n, how), r = mat_new(dt, n, n, ROWS);
  struct job job;
  job_begin(&job, FS_LIB_CHOL, &r, &a, NULL, 0);
  enum fs_status status = run(&job, on_gpu);
  double worst = 0;
  for (int64_t i = 0; i < n && status == FS_OK; i++)
    for (int64_t j = 0; j < n; j++) {
      worst = FS_MAX(worst, fabs(product_at(&r, &r, 1, i, j) - get(&a, i, j)));
      if (i > j && get(&r, i, j) != 0) worst = INFINITY;
    }
  CHECK(status == FS_OK && worst < tolerance(dt), "chol %s %d: %g, %s",
        fs_dtype_name(dt), (int)n, worst, message());
  job_end(&job);
  free(a.data), free(r.data);
}

static void try_eigen(enum fs_dtype dt, int64_t n, enum how how, bool on_gpu) {
  struct mat a = definite(dt, n, how);
  struct mat v = mat_new(dt, n, n, PADDED), w = mat_new(dt, n, 1, ROWS);
  struct job job;
  job_begin(&job, FS_LIB_EIGVALS, &w, &a, NULL, 0);
  enum fs_status status = run(&job, on_gpu);
  job_end(&job);
  job_begin(&job, FS_LIB_EIGVECS, &v, &a, NULL, 0);
  if (status == FS_OK) status = run(&job, on_gpu);
  job_end(&job);
  double worst = 0;
  for (int64_t j = 0; j < n && status == FS_OK; j++) {
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
      double left = product_at(&a, &v, 0, i, j), x = get(&v, i, j);
      worst = FS_MAX(worst, fabs(left - get(&w, j, 0) * x));
      if (fabs(x) > fabs(most)) most = x;
    }
    if (most <= 0 || (j && get(&w, j, 0) < get(&w, j - 1, 0))) worst = INFINITY;
  }
  CHECK(status == FS_OK && worst < tolerance(dt), "eig %s %d: %g, %s",
        fs_dtype_name(dt), (int)n, worst, message());
  free(a.data), free(v.data), free(w.data);
}

/* One pair of elements differs by as much as is taken for rounding, or by more. */
static void try_symmetry(enum fs_dtype dt, int64_t n, bool halves, double factor,
                         bool on_gpu) {
  double allowed = halves ? 0x1p-5 : dt == FS_F32 ? 0x1p-10 : 0x1p-20;
  struct mat a = definite(dt, n, ROWS), w = mat_new(dt, n, 1, ROWS);
  double most = 0;
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) most = FS_MAX(most, fabs(get(&a, i, j)));
  put(&a, n - 1, 0, get(&a, 0, n - 1) + factor * allowed * most);
  struct job job;
  job_begin(&job, FS_LIB_EIGVALS, &w, &a, NULL, halves ? FS_LIB_OF_HALVES : 0);
  enum fs_status status = run(&job, on_gpu);
  CHECK(status == (factor > 1 ? FS_ERR_USER : FS_OK),
        "symmetry %s %d%s %g: %s", fs_dtype_name(dt), (int)n,
        halves ? " of halves" : "", factor, message());
  job_end(&job);
  free(a.data), free(w.data);
}

/* What the device finds in a column-major matrix. */
static void try_device_symmetry(enum fs_dtype dt, int64_t n) {
  struct mat a = mat_new(dt, n, n, COLUMNS);
  a.offset = 0;
  double most = 0, differ = 0;
  fill_random(&a);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) {
      most = FS_MAX(most, fabs(get(&a, i, j)));
      differ = FS_MAX(differ, fabs(get(&a, i, j) - get(&a, j, i)));
    }
  int64_t bytes = n * n * (int64_t)fs_dtype_size(dt);
  struct cuda *t = (struct cuda *)gpu;
  struct cuda_own *own = NULL;
  struct cuda_own_call call = {.t = t, .own = &own, .d = &diags};
  void *p = NULL, *found = NULL;
  double got[2] = {-1, -1};
  bool ok = gpu->ops->alloc(gpu, (size_t)bytes, &p) == FS_OK &&
            gpu->ops->alloc(gpu, sizeof got, &found) == FS_OK &&
            fs_cuda_zero(gpu, found, sizeof got, &diags) == FS_OK &&
            gpu->ops->upload(gpu, p, 0, a.data, 0, bytes, 1, &diags) == FS_OK &&
            fs_cuda_own_asymmetry(&call, dt, p, n, found) == FS_OK &&
            gpu->ops->download(gpu, got, 0, found, 0, sizeof got, 1,
                               &diags) == FS_OK;
  CHECK(ok && got[0] == most && got[1] == differ,
        "asymmetry %s %d: %g %g, not %g %g: %s", fs_dtype_name(dt), (int)n, got[0],
        got[1], most, differ, message());
  if (p) gpu->ops->free(gpu, p, (size_t)bytes);
  if (found) gpu->ops->free(gpu, found, sizeof got);
  fs_cuda_own_free(own);
  free(a.data);
}

static void test_symmetry(bool on_gpu) {
  static const int64_t sizes[] = {2, 31, 33, 70};
  for (int s = 0; s < 4; s++)
    for (int t = FS_F32; t <= FS_F64; t++) {
      enum fs_dtype dt = (enum fs_dtype)t;
      for (int more = 0; more < 2; more++) {
        try_symmetry(dt, sizes[s], false, more ? 1.5 : 0.5, on_gpu);
        if (dt == FS_F32) try_symmetry(dt, sizes[s], true, more ? 1.5 : 0.5, on_gpu);
      }
      if (on_gpu) try_device_symmetry(dt, sizes[s]);
    }
}

/* The sum of their squares is that of the elements; descending. */
static void try_singular(enum fs_dtype dt, int64_t m, int64_t n, bool on_gpu) {
  struct mat a = mat_new(dt, m, n, PADDED);
  struct mat w = mat_new(dt, FS_MIN(m, n), 1, ROWS);
  fill_random(&a);
  struct job job;
  job_begin(&job, FS_LIB_SVDVALS, &w, &a, NULL, 0);
  enum fs_status status = run(&job, on_gpu);
  double left = 0, right = 0;
  bool sorted = true;
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) left += get(&a, i, j) * get(&a, i, j);
  for (int64_t i = 0; i < w.rows && status == FS_OK; i++) {
    right += get(&w, i, 0) * get(&w, i, 0);
    sorted = sorted && (!i || get(&w, i, 0) <= get(&w, i - 1, 0));
  }
  CHECK(status == FS_OK && sorted && fabs(left - right) < tolerance(dt),
        "svd %s %dx%d: %g against %g, %s", fs_dtype_name(dt), (int)m, (int)n,
        left, right, message());
  job_end(&job);
  free(a.data), free(w.data);
}

/* Result k of a call that has several, as a matrix of its own; the stack is `rows`. */
static struct mat part_of(const struct mat *whole, enum fs_lib_op op, int k, int64_t m,
                          int64_t n) {
  struct fs_lib_part p = fs_lib_part(op, k, m, n);
  struct mat part = *whole;
  part.offset += p.row * whole->si + p.col * whole->sj;
  part.rows = p.transposed ? p.cols : p.rows, part.cols = p.transposed ? p.rows : p.cols;
  if (p.transposed) part.si = whole->sj, part.sj = whole->si;
  return part;
}

/* How far the columns are from being orthonormal. */
static double askew(const struct mat *q) {
  double worst = 0;
  for (int64_t i = 0; i < q->cols; i++)
    for (int64_t j = 0; j <= i; j++)
      worst = FS_MAX(worst, fabs(product_at(q, q, 1, i, j) - (i == j)));
  return worst;
}

static double largest_of_column(const struct mat *q, int64_t j) {
  double most = 0;
  for (int64_t i = 0; i < q->rows; i++)
    if (fabs(get(q, i, j)) > fabs(most)) most = get(q, i, j);
  return most;
}

/* Columns beyond `rank` are those before again, or 0. */
static struct mat of_rank(enum fs_dtype dt, int64_t m, int64_t n, int64_t rank,
                          enum how how) {
  struct mat a = mat_new(dt, m, n, how);
  fill_random(&a);
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = rank; j < n; j++) put(&a, i, j, rank ? get(&a, i, j % rank) : 0);
  return a;
}

static void try_svd(enum fs_dtype dt, int64_t m, int64_t n, int64_t rank, enum how how,
                    bool on_gpu) {
  struct fs_shape s = fs_lib_result(FS_LIB_SVD, m, n);
  struct mat a = of_rank(dt, m, n, rank, how), whole = mat_new(dt, s.dim[0], s.dim[1], how);
  struct job job;
  job_begin(&job, FS_LIB_SVD, &whole, &a, NULL, 0);
  enum fs_status status = run(&job, on_gpu);
  struct mat u = part_of(&whole, FS_LIB_SVD, 0, m, n), w = part_of(&whole, FS_LIB_SVD, 1, m, n),
             v = part_of(&whole, FS_LIB_SVD, 2, m, n);
  double worst = FS_MAX(askew(&u), askew(&v));
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      double sum = -get(&a, i, j);
      for (int64_t k = 0; k < w.rows; k++) sum += get(&u, i, k) * get(&w, k, 0) * get(&v, j, k);
      worst = FS_MAX(worst, fabs(sum));
    }
  for (int64_t k = 0; k < w.rows; k++)
    if (!(largest_of_column(&u, k) > 0) || !(get(&w, k, 0) >= 0) ||
        (k && get(&w, k, 0) > get(&w, k - 1, 0)))
      worst = INFINITY;
  CHECK(status == FS_OK && worst < tolerance(dt) / 10, "svd %s %dx%d of rank %d %s%s: %g, %s",
        fs_dtype_name(dt), (int)m, (int)n, (int)rank, how_names[how], on_gpu ? " gpu" : "",
        worst, message());
  job_end(&job);
  free(a.data), free(whole.data);
}

/* Q*R, R alone, the triangle, its diagonal. */
static void try_qr(enum fs_dtype dt, int64_t m, int64_t n, int64_t rank, enum how how,
                   bool on_gpu) {
  struct fs_shape s = fs_lib_result(FS_LIB_QR, m, n);
  struct mat a = of_rank(dt, m, n, rank, how), whole = mat_new(dt, s.dim[0], s.dim[1], how);
  struct mat alone = mat_new(dt, FS_MIN(m, n), n, how);
  struct job job;
  job_begin(&job, FS_LIB_QR_R, &alone, &a, NULL, 0);
  enum fs_status status = run(&job, on_gpu);
  job_end(&job);
  job_begin(&job, FS_LIB_QR, &whole, &a, NULL, 0);
  if (status == FS_OK) status = run(&job, on_gpu);
  struct mat q = part_of(&whole, FS_LIB_QR, 0, m, n), r = part_of(&whole, FS_LIB_QR, 1, m, n);
  double worst = askew(&q);
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++)
      worst = FS_MAX(worst, fabs(product_at(&q, &r, 0, i, j) - get(&a, i, j)));
  for (int64_t i = 0; i < r.rows; i++)
    for (int64_t j = 0; j < n; j++) {
      if (i > j && (get(&r, i, j) != 0 || signbit(get(&r, i, j)))) worst = INFINITY;
      if (i == j && !(get(&r, i, j) >= 0)) worst = INFINITY;
      if (rank >= FS_MIN(m, n)) /* else the rows are no longer unique */
        worst = FS_MAX(worst, fabs(get(&r, i, j) - get(&alone, i, j)));
    }
  CHECK(status == FS_OK && worst < tolerance(dt) / 10, "qr %s %dx%d of rank %d %s%s: %g, %s",
        fs_dtype_name(dt), (int)m, (int)n, (int)rank, how_names[how], on_gpu ? " gpu" : "",
        worst, message());
  job_end(&job);
  free(a.data), free(whole.data), free(alone.data);
}

/* L*U is A with its rows in another order, of which the sign is told. */
static void try_lu(enum fs_dtype dt, int64_t m, int64_t n, int64_t rank, enum how how,
                   bool on_gpu) {
  struct fs_shape s = fs_lib_result(FS_LIB_LU, m, n);
  struct mat a = of_rank(dt, m, n, rank, how), whole = mat_new(dt, s.dim[0], s.dim[1], how);
  struct job job;
  job_begin(&job, FS_LIB_LU, &whole, &a, NULL, 0);
  enum fs_status status = run(&job, on_gpu);
  struct mat part[4];
  for (int k = 0; k < 4; k++) part[k] = part_of(&whole, FS_LIB_LU, k, m, n);
  const struct mat *l = &part[0], *u = &part[1], *p = &part[2];
  double worst = 0;
  int even = 1; /* every pair of rows that changed its order is one exchange */
  for (int64_t i = 0; i < m && status == FS_OK; i++) {
    int64_t row = (int64_t)get(p, i, 0) - 1;
    for (int64_t j = 0; j < n && row >= 0 && row < m; j++)
      worst = FS_MAX(worst, fabs(product_at(l, u, 0, i, j) - get(&a, row, j)));
    for (int64_t k = 0; k < i; k++) {
      if (get(p, k, 0) == get(p, i, 0)) worst = INFINITY;
      if (get(p, k, 0) > get(p, i, 0)) even = -even;
    }
    for (int64_t j = 0; j < l->cols; j++)
      if (fabs(get(l, i, j)) > 1 || (i <= j && get(l, i, j) != (i == j))) worst = INFINITY;
    for (int64_t j = 0; j < n && i < u->rows; j++)
      if (i > j && get(u, i, j) != 0) worst = INFINITY;
  }
  for (int64_t j = 0; j < n; j++)
    if (get(&part[3], j, 0) != even) worst = INFINITY;
  CHECK(status == FS_OK && worst < tolerance(dt) / 10, "lu %s %dx%d of rank %d %s%s: %g, %s",
        fs_dtype_name(dt), (int)m, (int)n, (int)rank, how_names[how], on_gpu ? " gpu" : "",
        worst, message());
  job_end(&job);
  free(a.data), free(whole.data);
}

/* NaN anywhere is everywhere, but in the order of rows. */
static void try_lu_nan(enum fs_dtype dt, bool on_gpu) {
  struct fs_shape s = fs_lib_result(FS_LIB_LU, 5, 3);
  struct mat a = of_rank(dt, 5, 3, 3, PADDED), whole = mat_new(dt, s.dim[0], s.dim[1], ROWS);
  put(&a, 4, 2, NAN);
  struct job job;
  job_begin(&job, FS_LIB_LU, &whole, &a, NULL, 0);
  bool good = run(&job, on_gpu) == FS_OK;
  for (int k = 0; k < 4; k++) {
    struct mat part = part_of(&whole, FS_LIB_LU, k, 5, 3);
    for (int64_t i = 0; i < part.rows; i++)
      for (int64_t j = 0; j < part.cols; j++)
        good = good && (k < 2 ? isnan(get(&part, i, j)) : get(&part, i, j) == (k == 2 ? i + 1 : 1));
  }
  CHECK(good, "lu of NaN, %s%s: %s", fs_dtype_name(dt), on_gpu ? " gpu" : "", message());
  job_end(&job);
  free(a.data), free(whole.data);
}

/* NaN anywhere is everywhere. */
static void try_qr_nan(enum fs_dtype dt, enum fs_lib_op op, bool on_gpu) {
  struct fs_shape s = fs_lib_result(op, 5, 3);
  struct mat a = of_rank(dt, 5, 3, 3, PADDED), whole = mat_new(dt, s.dim[0], s.dim[1], ROWS);
  put(&a, 4, 2, NAN);
  struct job job;
  job_begin(&job, op, &whole, &a, NULL, 0);
  bool all = run(&job, on_gpu) == FS_OK;
  for (int64_t e = 0; e < s.dim[0] * s.dim[1]; e++)
    all = all && isnan(get(&whole, e / s.dim[1], e % s.dim[1]));
  CHECK(all, "%s of NaN, %s%s: %s", fs_lib_op_names[op], fs_dtype_name(dt),
        on_gpu ? " gpu" : "", message());
  job_end(&job);
  free(a.data), free(whole.data);
}

/* The kernel of the device alone: cuSOLVER need not be there. */
static void try_device_signs(enum fs_dtype dt, int64_t m, int64_t n, bool by_diagonal) {
  struct mat v = mat_new(dt, m, n, COLUMNS), turned = mat_new(dt, m, n, COLUMNS);
  v.offset = turned.offset = 0;
  fill_random(&v);
  int64_t bytes = m * n * (int64_t)fs_dtype_size(dt);
  struct cuda_own *own = NULL;
  struct cuda_own_call call = {.t = (struct cuda *)gpu, .own = &own, .d = &diags};
  struct fs_lib_array x = {.dtype = dt, .rank = 2, .dim = {m, n}, .stride = {1, m}};
  void *p = NULL, *q = NULL;
  bool ok = gpu->ops->alloc(gpu, (size_t)bytes, &p) == FS_OK &&
            gpu->ops->alloc(gpu, (size_t)bytes, &q) == FS_OK &&
            gpu->ops->upload(gpu, p, 0, v.data, 0, bytes, 1, &diags) == FS_OK &&
            gpu->ops->upload(gpu, q, 0, v.data, 0, bytes, 1, &diags) == FS_OK;
  struct fs_lib_array y = x;
  x.ptr = p, y.ptr = q;
  ok = ok && fs_cuda_own_signs(&call, &x, by_diagonal, &y) == FS_OK &&
       gpu->ops->download(gpu, turned.data, 0, q, 0, bytes, 1, &diags) == FS_OK;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) {
      double decides = by_diagonal ? get(&v, j, j) : largest_of_column(&v, j);
      double sign = decides < 0 ? -1 : 1;
      ok = ok && get(&turned, i, j) == sign * get(&v, i, j);
    }
  CHECK(ok, "signs %s %dx%d: %s", fs_dtype_name(dt), (int)m, (int)n, message());
  if (p) gpu->ops->free(gpu, p, (size_t)bytes);
  if (q) gpu->ops->free(gpu, q, (size_t)bytes);
  fs_cuda_own_free(own);
  free(v.data), free(turned.data);
}

/* The parts of a matrix that copies leave. */
static void try_device_parts(enum fs_dtype dt, int64_t m, int64_t n, enum fs_cuda_part part) {
  struct mat a = mat_new(dt, m, n, COLUMNS), got = mat_new(FS_F32, m, n, ROWS);
  a.offset = got.offset = 0;
  fill_random(&a);
  int64_t size = (int64_t)fs_dtype_size(dt), count = m * n;
  struct cuda_own *own = NULL;
  struct cuda_own_call call = {.t = (struct cuda *)gpu, .own = &own, .d = &diags};
  struct fs_lib_array x = {.dtype = dt, .rank = 2, .dim = {m, n}, .stride = {1, m}};
  struct fs_lib_array y = {.dtype = FS_F32, .rank = 2, .dim = {m, n}, .stride = {n, 1}};
  bool ok = gpu->ops->alloc(gpu, (size_t)(count * size), &x.ptr) == FS_OK &&
            gpu->ops->alloc(gpu, (size_t)(count * 4), &y.ptr) == FS_OK &&
            gpu->ops->upload(gpu, x.ptr, 0, a.data, 0, count * size, 1, &diags) == FS_OK &&
            fs_cuda_own_copy(&call, &x, &y, part, NULL) == FS_OK &&
            gpu->ops->download(gpu, got.data, 0, y.ptr, 0, count * 4, 1, &diags) == FS_OK;
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      double want = (float)get(&a, i, j);
      if (part == FS_CUDA_UPPER && i > j) want = 0;
      if (part == FS_CUDA_UNIT_LOWER && i <= j) want = i == j;
      ok = ok && get(&got, i, j) == want;
    }
  CHECK(ok, "part %d of %s %dx%d: %s", (int)part, fs_dtype_name(dt), (int)m, (int)n, message());
  if (x.ptr) gpu->ops->free(gpu, x.ptr, (size_t)(count * size));
  if (y.ptr) gpu->ops->free(gpu, y.ptr, (size_t)(count * 4));
  fs_cuda_own_free(own);
  free(a.data), free(got.data);
}

/* What has several results, of matrices of all forms and of less than full rank. */
static void test_factors(bool on_gpu) {
  static const int64_t sizes[][3] = {{1, 1, 1},    {1, 5, 5},   {5, 1, 1},   {2, 2, 2},
                                     {31, 33, 33}, {33, 31, 31}, {200, 3, 3}, {3, 200, 200},
                                     {33, 33, 33}, {33, 33, 7},  {40, 9, 4},  {9, 40, 4},
                                     {7, 5, 0},    {1, 1, 0}};
  for (int t = FS_F32; t <= FS_F64; t++)
    for (size_t k = 0; k < FS_LEN(sizes); k++)
      for (int how = 0; how < 4; how++) {
        const int64_t *s = sizes[k];
        try_svd((enum fs_dtype)t, s[0], s[1], s[2], (enum how)how, on_gpu);
        try_qr((enum fs_dtype)t, s[0], s[1], s[2], (enum how)how, on_gpu);
        try_lu((enum fs_dtype)t, s[0], s[1], s[2], (enum how)how, on_gpu);
      }
  try_svd(FS_F32, 257, 130, 130, ROWS, on_gpu);
  try_svd(FS_F64, 130, 257, 257, PADDED, on_gpu);
  try_qr(FS_F32, 257, 130, 130, ROWS, on_gpu);
  try_qr(FS_F64, 130, 257, 257, PADDED, on_gpu);
  try_lu(FS_F32, 257, 130, 130, ROWS, on_gpu);
  try_lu(FS_F64, 130, 257, 257, PADDED, on_gpu);
  for (int t = FS_F32; t <= FS_F64; t++) {
    try_lu_nan((enum fs_dtype)t, on_gpu);
    try_qr_nan((enum fs_dtype)t, FS_LIB_QR, on_gpu);
    try_qr_nan((enum fs_dtype)t, FS_LIB_QR_R, on_gpu);
  }
  for (int t = FS_F32; on_gpu && t <= FS_F64; t++) {
    try_device_signs((enum fs_dtype)t, 1, 3, false);
    try_device_signs((enum fs_dtype)t, 70, 5, false);
    try_device_signs((enum fs_dtype)t, 700, 33, false);
    try_device_signs((enum fs_dtype)t, 300, 70, true);
    for (int part = FS_CUDA_ALL; part <= FS_CUDA_UNIT_LOWER; part++)
      try_device_parts((enum fs_dtype)t, 40, 33 + 5 * part, (enum fs_cuda_part)part);
  }
}

static void test_factorisations(bool on_gpu) {
  static const enum fs_dtype types[] = {FS_F32, FS_F64};
  static const int64_t sizes[] = {1, 2, 31, 33};
  for (int t = 0; t < 2; t++)
    for (int s = 0; s < 4; s++)
      for (int how = 0; how < 4; how++) {
        int64_t n = sizes[s];
        try_solve(types[t], n, n, how + 1, (enum how)how, on_gpu);
        try_inverse(types[t], n, (enum how)how, on_gpu);
        try_cholesky(types[t], n, (enum how)how, on_gpu);
        try_eigen(types[t], n, (enum how)how, on_gpu);
        try_singular(types[t], n, n + how, on_gpu);
        try_singular(types[t], n + how, n, on_gpu);
      }
  for (int t = 0; t < 2; t++) {
    try_solve(types[t], 20, 6, 2, PADDED, on_gpu);
    try_solve(types[t], 6, 20, 2, ROWS, on_gpu);
    try_solve(types[t], 50, 1, 1, APART, on_gpu);
  }
}

/* -- errors --------------------------------------------------------------------------- */

static void expect(enum fs_lib_op op, struct mat *out, struct mat *a,
                   struct mat *b, const char *id, const char *words,
                   bool on_gpu) {
  struct job job;
  job_begin(&job, op, out, a, b, 0);
  enum fs_status status = run(&job, on_gpu);
  bool found = diags.list.len == 1 && !strcmp(diags.list.data[0].id, id) &&
               strstr(message(), words) &&
               diags.list.data[0].span.begin == 4;
  CHECK(status == FS_ERR_USER && found, "wanted %s \"%s\", got %d %s: %s", id,
        words, status, diags.list.len ? diags.list.data[0].id : "", message());
  job_end(&job);
}

static void test_errors(bool on_gpu) {
  struct mat a = mat_new(FS_F32, 3, 3, ROWS), b = mat_new(FS_F32, 3, 1, ROWS);
  struct mat x = mat_new(FS_F32, 3, 1, ROWS), y = mat_new(FS_F32, 3, 3, ROWS);
  struct mat tall = mat_new(FS_F32, 3, 2, ROWS), z = mat_new(FS_F32, 2, 1, ROWS);
  for (int k = 0; k < 9; k++) put(&a, k / 3, k % 3, 1);
  for (int k = 0; k < 3; k++) put(&b, k, 0, k), put(&tall, k, 0, k + 0.1),
      put(&tall, k, 1, 3 * (k + 0.1));
  expect(FS_LIB_SOLVE, &x, &a, &b, "singular", "pivot 2 of 3", on_gpu);
  expect(FS_LIB_SOLVE, &z, &tall, &b, "singular", "3x2", on_gpu);
  expect(FS_LIB_INV, &y, &a, NULL, "singular", "singular", on_gpu);
  put(&a, 2, 0, 1.5);
  static const enum fs_lib_op symmetric[] = {FS_LIB_CHOL, FS_LIB_EIGVALS,
                                             FS_LIB_EIGVECS};
  for (size_t k = 0; k < FS_LEN(symmetric); k++)
    expect(symmetric[k], k == 1 ? &x : &y, &a, NULL, "not-symmetric",
           "element [1, 3] is 1, and [3, 1] is 1.5", on_gpu);
  put(&a, 2, 0, 1);
  put(&a, 1, 1, -5);
  expect(FS_LIB_CHOL, &y, &a, NULL, "not-positive-definite", "2x2", on_gpu);
  put(&a, 1, 1, NAN);
  expect(FS_LIB_EIGVALS, &x, &a, NULL, "no-convergence", "3x3", on_gpu);
  expect(FS_LIB_SVDVALS, &x, &a, NULL, "no-convergence", "3x3", on_gpu);
  struct mat stack = mat_new(FS_F32, 7, 3, ROWS);
  expect(FS_LIB_SVD, &stack, &a, NULL, "no-convergence", "3x3", on_gpu);
  free(stack.data);
  expect(FS_LIB_INV, &tall, &tall, NULL, "shape-mismatch", "3x2", on_gpu);
  free(a.data), free(b.data), free(x.data), free(y.data), free(tall.data);
  free(z.data);
}

/* -- GATHER --------------------------------------------------------------------------- */

static void try_gather(enum fs_dtype dt, enum fs_dtype index_dt, int64_t rows,
                       int64_t cols, bool elements, enum how how, bool on_gpu) {
  int64_t extent = elements ? rows * cols : rows, n = 2 * extent + 1;
  struct mat a = mat_new(dt, rows, cols, how);
  struct mat index = mat_new(index_dt, n, 1, how == APART ? APART : ROWS);
  bool across = elements && rows == 1;
  struct mat out = mat_new(dt, across ? 1 : n, across ? n : elements ? 1 : cols,
                           how == ROWS ? ROWS : PADDED);
  fill_integers(&a, 9);
  int64_t *want = fs_calloc((size_t)n, sizeof *want);
  for (int64_t e = 0; e < n; e++) {
    want[e] = (int64_t)(random_unit() * (double)extent);
    put(&index, e, 0, (double)want[e] + 1);
  }
  struct job job;
  job_begin(&job, FS_LIB_GATHER, &out, &a, &index, 0);
  bool ok = run(&job, on_gpu) == FS_OK;
  for (int64_t e = 0; e < n && ok; e++)
    for (int64_t j = 0; j < (elements ? 1 : cols) && ok; j++) {
      double got = across ? get(&out, 0, e) : get(&out, e, j);
      double wanted = across ? get(&a, 0, want[e]) : get(&a, want[e], j);
      ok = got == wanted;
    }
  CHECK(ok, "gather %s by %s %dx%d %s%s: %s", fs_dtype_name(dt),
        fs_dtype_name(index_dt), (int)rows, (int)cols, how_names[how],
        on_gpu ? " gpu" : "", message());
  job_end(&job);
  free(a.data), free(index.data), free(out.data), free(want);
}

static void test_gather(bool on_gpu) {
  static const enum fs_dtype index[] = {FS_I32, FS_I64, FS_F32};
  for (int dt = 0; dt < FS_DTYPE_COUNT; dt++)
    for (int how = 0; how < 4; how++) {
      enum fs_dtype ix = index[(dt + how) % 3];
      try_gather((enum fs_dtype)dt, ix, 9, 1, true, (enum how)how, on_gpu);
      try_gather((enum fs_dtype)dt, ix, 1, 9, true, (enum how)how, on_gpu);
      try_gather((enum fs_dtype)dt, ix, 6, 5, false, (enum how)how, on_gpu);
      try_gather((enum fs_dtype)dt, ix, 1, 5, false, (enum how)how, on_gpu);
      try_gather((enum fs_dtype)dt, ix, 7, 64, false, (enum how)how, on_gpu);
    }
  struct mat a = mat_new(FS_F32, 4, 1, ROWS), out = mat_new(FS_F32, 3, 1, ROWS);
  struct mat index_mat = mat_new(FS_F32, 3, 1, ROWS), at = mat_new(FS_I64, 4, 1, ROWS);
  fill_integers(&a, 5);
  struct mat rows = mat_new(FS_F32, 4 + 3, 2, ROWS), to = mat_new(FS_F32, 4, 2, ROWS);
  fill_integers(&rows, 5);
  static const double bad[] = {0, 5, 1.5, NAN, -1, 1e30};
  static const char *const words[] = {
      "index 0 (number 2 of the list) is out of range: there are 4 elements",
      "index 5 (number 2", "a whole number, not 1.5 (number 2 of the list)",
      "a whole number, not NaN", "index -1 ", "out of range"};
  static const char *const codes[] = {"out-of-range", "out-of-range", "bad-index",
                                      "bad-index", "out-of-range", "out-of-range"};
  for (size_t k = 0; k < FS_LEN(bad); k++) {
    put(&index_mat, 0, 0, 1), put(&index_mat, 1, 0, bad[k]);
    put(&index_mat, 2, 0, 77);
    expect(FS_LIB_GATHER, &out, &a, &index_mat, codes[k], words[k], on_gpu);
    expect(FS_LIB_INVERT, &at, &index_mat, NULL, codes[k], words[k], on_gpu);
    expect(FS_LIB_COMBINE, &to, &rows, &index_mat, codes[k], words[k], on_gpu);
  }
  free(rows.data), free(to.data);
  free(a.data), free(out.data), free(index_mat.data), free(at.data);
}

/* -- FIND, INVERT ------------------------------------------------------------------- */

/* `share`: of how many elements one is true. */
static void try_find(int64_t n, int64_t share, enum how how, bool on_gpu) {
  struct mat mask = mat_new(FS_BOOL, n, 1, how);
  int64_t *want = fs_calloc((size_t)n, sizeof *want), count = 0;
  for (int64_t e = 0; e < n; e++) {
    bool is = share == 1 || random_unit() * (double)share < 1 || (e == n - 1 && !count);
    put(&mask, e, 0, is);
    if (is) want[count++] = e + 1;
  }
  struct mat out = mat_new(FS_I64, count, 1, how);
  struct job job;
  job_begin(&job, FS_LIB_FIND, &out, &mask, NULL, 0);
  bool ok = run(&job, on_gpu) == FS_OK && guards_hold(&out);
  for (int64_t e = 0; e < count && ok; e++) ok = get(&out, e, 0) == (double)want[e];
  CHECK(ok, "find 1 of %d in %d %s%s: %s", (int)share, (int)n, how_names[how],
        on_gpu ? " gpu" : "", message());
  job_end(&job);
  free(mask.data), free(out.data), free(want);
}

static void try_invert(enum fs_dtype dt, int64_t count, int64_t n, enum how how,
                       bool on_gpu) {
  struct mat index = mat_new(dt, count, 1, how);
  struct mat at = mat_new(count % 2 ? FS_I64 : FS_I32, n, 1, how);
  int64_t *want = fs_calloc((size_t)n, sizeof *want);
  for (int64_t e = 0; e < count; e++) {
    int64_t j = (int64_t)(random_unit() * (double)n);
    put(&index, e, 0, (double)j + 1);
    want[j] = e + 1;
  }
  struct job job;
  job_begin(&job, FS_LIB_INVERT, &at, &index, NULL, 0);
  bool ok = run(&job, on_gpu) == FS_OK && guards_hold(&at);
  for (int64_t j = 0; j < n && ok; j++) ok = get(&at, j, 0) == (double)want[j];
  CHECK(ok, "invert %d of %s in %d %s%s: %s", (int)count, fs_dtype_name(dt), (int)n,
        how_names[how], on_gpu ? " gpu" : "", message());
  job_end(&job);
  free(index.data), free(at.data), free(want);
}

static void test_find(bool on_gpu) {
  static const int64_t n[] = {1, 7, 33, 2047, 2048, 2049, 100001, 5000011};
  for (size_t k = 0; k < FS_LEN(n); k++)
    for (int64_t share = k < 7 ? 1 : 100; share <= (k < 7 ? 10000 : 100); share *= 100)
      try_find(n[k], share, k < 7 ? (enum how)(k % 4) : ROWS, on_gpu);
  static const enum fs_dtype types[] = {FS_I32, FS_I64, FS_F16, FS_BF16, FS_F32, FS_F64};
  for (size_t k = 0; k < FS_LEN(types); k++)
    for (int how = 0; how < 4; how++) {
      try_invert(types[k], 40, 31, (enum how)how, on_gpu);
      try_invert(types[k], 1, 100, (enum how)how, on_gpu);
      if (types[k] != FS_F16 && types[k] != FS_BF16)
        try_invert(types[k], 3000, 100000, (enum how)how, on_gpu);
    }
}

/* -- COMBINE --------------------------------------------------------------------------- */

/* Whole numbers: every order of additions gives the same; of few places, each is named many
 * times. Halves of small numbers are exact, too. */
static void try_combine(enum fs_dtype dt, enum fs_dtype list, int64_t rows, int64_t count,
                        int64_t width, enum how how, unsigned by, bool on_gpu) {
  struct mat a = mat_new(dt, rows + count, width, how), index = mat_new(list, count, 1, how);
  struct mat out = mat_new(dt, rows, width, how);
  double *want = fs_calloc((size_t)(rows * width), sizeof *want);
  fill_integers(&a, 3);
  if (by == 2 || by == 3) /* powers of two */
    for (int64_t i = rows; i < rows + count; i++)
      for (int64_t j = 0; j < width; j++) put(&a, i, j, (i + j) % 2 && i % 16 ? 1 : 2);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < width; j++) want[i * width + j] = get(&a, i, j);
  for (int64_t e = 0; e < count; e++) {
    int64_t i = (int64_t)(random_unit() * (double)rows);
    put(&index, e, 0, (double)i + 1);
    for (int64_t j = 0; j < width; j++) {
      double *p = &want[i * width + j], q = get(&a, rows + e, j);
      *p = by == 0   ? *p + q
           : by == 1 ? *p - q
           : by == 2 ? *p * q
           : by == 3 ? *p / q
           : by == 4 ? fmax(*p, q)
                     : fmin(*p, q);
    }
  }
  struct job job;
  job_begin(&job, FS_LIB_COMBINE, &out, &a, &index, by);
  bool ok = run(&job, on_gpu) == FS_OK && guards_hold(&out);
  for (int64_t e = 0; e < rows * width && ok; e++)
    ok = get(&out, e / width, e % width) == want[e];
  CHECK(ok, "combine %d of %s x %d in %d by %u %s%s: %s", (int)count, fs_dtype_name(dt),
        (int)width, (int)rows, by, how_names[how], on_gpu ? " gpu" : "", message());
  job_end(&job);
  free(a.data), free(index.data), free(out.data), free(want);
}

static void test_combine(bool on_gpu) {
  static const enum fs_dtype types[] = {FS_I32, FS_I64, FS_F16, FS_BF16, FS_F32, FS_F64};
  for (size_t k = 0; k < FS_LEN(types); k++)
    for (int how = 0; how < 4; how++)
      for (unsigned by = 0; by < FS_LIB_BYS; by++) {
        if (by == 3 && !fs_dtype_is_float(types[k])) continue;
        try_combine(types[k], types[(k + by) % 6], 7, 20, 1, (enum how)how, by, on_gpu);
        try_combine(types[k], FS_I32, 1, 5, 3, (enum how)how, by, on_gpu);
        if (types[k] == FS_F64 && by < 2)
          try_combine(types[k], FS_I64, 300, 5000, how == 1 ? 33 : 1, (enum how)how, by, on_gpu);
        if (!fs_dtype_is_integer(types[k]) || by == 2) continue;
        try_combine(types[k], FS_I32, 7, 20000, 1, (enum how)how, by, on_gpu); /* few places */
        try_combine(types[k], FS_I64, 40, 3001, 3, (enum how)how, by, on_gpu);
        try_combine(types[k], FS_F64, 2048, 17000, 1, (enum how)how, by, on_gpu);
      }
}

/* -- along lines ----------------------------------------------------------------------- */

/* Element e of a line. */
static double along(const struct mat *m, int axis, int64_t line, int64_t e) {
  return axis ? get(m, line, e) : get(m, e, line);
}

/* Whether a line is what it should be: exact, since all numbers are small and whole. */
static bool line_holds(enum fs_lib_op op, const struct mat *out, const struct mat *a, int axis,
                       int64_t line, int64_t n) {
  double sum = 0, left = 0, last = -1e9, last_at = 0;
  for (int64_t e = 0; e < n; e++) {
    double x = along(a, axis, line, e), y = along(out, axis, line, e), value = y;
    sum += x;
    if (op == FS_LIB_CUMSUM && y != sum) return false;
    if (op == FS_LIB_CUMSUM) continue;
    if (op == FS_LIB_ARGSORT) {
      if (!(y >= 1 && y <= (double)n)) return false;
      value = along(a, axis, line, (int64_t)y - 1);
      if (value == last && y <= last_at) return false;
      last_at = y;
    }
    left += x * x * x + x - (value * value * value + value);
    if (value < last) return false;
    last = value;
  }
  return left == 0;
}

static void try_along(enum fs_lib_op op, enum fs_dtype dt, int64_t rows, int64_t cols,
                      enum how how, int axis, bool on_gpu) {
  enum fs_dtype to = op == FS_LIB_SORT ? dt
                     : op == FS_LIB_CUMSUM && fs_dtype_is_float(dt) ? dt : FS_I64;
  struct mat a = mat_new(dt, rows, cols, how);
  struct mat out = mat_new(to, rows, cols, (enum how)((how + 1) % 4));
  fill_integers(&a, 3);
  struct job job;
  job_begin(&job, op, &out, &a, NULL, (unsigned)axis);
  bool ok = run(&job, on_gpu) == FS_OK && guards_hold(&out);
  for (int64_t line = 0; line < (axis ? rows : cols) && ok; line++)
    ok = line_holds(op, &out, &a, axis, line, axis ? cols : rows);
  CHECK(ok, "%s of %dx%d %s along %d %s%s: %s", fs_lib_op_names[op], (int)rows, (int)cols,
        fs_dtype_name(dt), axis, how_names[how], on_gpu ? " gpu" : "", message());
  job_end(&job);
  free(a.data), free(out.data);
}

static void test_along(bool on_gpu) {
  static const enum fs_lib_op ops[] = {FS_LIB_CUMSUM, FS_LIB_SORT, FS_LIB_ARGSORT};
  static const enum fs_dtype types[] = {FS_F32, FS_F64, FS_I32, FS_I64, FS_BOOL};
  static const int64_t shapes[][2] = {{1, 9}, {40000, 1}, {3, 2049}, {2048, 5}, {300, 33},
                                      {4099, 2}, {7, 2}, {2, 70000}};
  for (size_t o = 0; o < FS_LEN(ops); o++)
    for (size_t t = 0; t < FS_LEN(types); t++)
      for (size_t k = 0; k < FS_LEN(shapes); k++)
        for (int axis = 0; axis < 2; axis++)
          try_along(ops[o], types[t], shapes[k][0], shapes[k][1], (enum how)((k + t) % 4), axis,
                    on_gpu);
}

/* -- calls that fail ------------------------------------------------------------------- */

/* One call of each kind, and of each layout that takes another way; the last is CASES - 1. */
enum { CASES = 33 };
static void try_case(int k) {
  switch (k) {
    case 0: try_gemm(FS_F32, FS_F32, 7, 5, 11, 0, ROWS, ROWS, ROWS, true); break;
    case 1: try_gemm(FS_F64, FS_F64, 7, 5, 11, 3, APART, COLUMNS, APART, true); break;
    case 2: try_gemm(FS_F32, FS_F32, 7, 5, 11, 1, PADDED, APART, COLUMNS, true); break;
    case 3: try_gemm(FS_I32, FS_I64, 7, 5, 11, 0, ROWS, ROWS, ROWS, true); break;
    case 4: try_solve(FS_F64, 7, 7, 2, ROWS, true); break;
    case 5: try_solve(FS_F32, 9, 4, 2, APART, true); break;
    case 6: try_inverse(FS_F32, 6, COLUMNS, true); break;
    case 7: try_cholesky(FS_F64, 6, ROWS, true); break;
    case 8: try_eigen(FS_F64, 6, ROWS, true); break;
    case 9: try_singular(FS_F64, 7, 4, true); break;
    case 10: try_svd(FS_F64, 7, 4, 4, ROWS, true); break;
    case 11: try_svd(FS_F32, 4, 7, 7, PADDED, true); break;
    case 12: try_qr(FS_F64, 7, 4, 4, ROWS, true); break;
    case 13: try_qr(FS_F32, 4, 7, 7, APART, true); break;
    case 14: try_lu(FS_F64, 7, 4, 4, ROWS, true); break;
    case 15: try_lu(FS_F64, 5, 5, 3, ROWS, true); break; /* has a pivot of 0 */
    case 16: try_triangular(FS_F64, 6, 2, UPPER, ROWS, true); break;
    case 17: try_triangular(FS_F32, 6, 2, LOWER, APART, true); break;
    case 18: try_lu_nan(FS_F64, true); break;
    case 19: try_qr_nan(FS_F64, FS_LIB_QR_R, true); break;
    case 20: try_symmetry(FS_F64, 6, false, 2, true); break;
    case 21: try_gather(FS_F32, FS_I64, 6, 4, false, ROWS, true); break;
    case 22: try_gather(FS_F64, FS_F64, 1, 9, true, APART, true); break;
    case 23: try_find(100, 3, APART, true); break;
    case 24: try_invert(FS_I32, 40, 31, ROWS, true); break;
    case 25: try_along(FS_LIB_CUMSUM, FS_F32, 3, 9, ROWS, 1, true); break;
    case 26: try_along(FS_LIB_CUMSUM, FS_F64, 40000, 1, ROWS, 0, true); break;
    case 27: try_along(FS_LIB_SORT, FS_F32, 3, 9, ROWS, 1, true); break;
    case 28: try_along(FS_LIB_SORT, FS_F32, 4099, 2, APART, 0, true); break;
    case 29: try_along(FS_LIB_ARGSORT, FS_I64, 3, 9, ROWS, 1, true); break;
    case 30: try_along(FS_LIB_ARGSORT, FS_F32, 1, 4099, ROWS, 1, true); break;
    case 31: try_combine(FS_F64, FS_F32, 7, 5000, 3, APART, 0, true); break;
    default: try_along(FS_LIB_SORT, FS_BOOL, 4099, 2, ROWS, 0, true);
  }
}

/* Every call that a library kernel makes of the driver, of cuBLAS and of cuSOLVER fails once,
 * on a device on which it is the first. */
static void test_failing(void) {
  static const char *const libraries[] = {"driver", "cublas", "cusolver"};
  const char *base = getenv("TMPDIR");
  int failures = 0;
  snprintf(once, sizeof once, "%s/fusible-once-%d", base ? base : "/tmp", (int)getpid());
  for (int k = 0; k < CASES; k++)
    for (size_t l = 0; l < FS_LEN(libraries); l++)
      for (int code = 1; code <= 2; code++) {
        failing.over = false;
        for (failing.n = 1; !failing.over; failing.n++, failures++) {
          failing.library = NULL;
          if (gpu) gpu->ops->close(gpu);
          gpu = fs_cuda_open(0, &diags);
          if (!gpu) abort();
          failing.library = libraries[l], failing.code = code;
          try_case(k);
        }
        failures--;
      }
  failing.library = NULL;
  printf("%d calls failed\n", failures);
}

int main(int argc, char **argv) {
  fs_diags_init(&diags);
  const char *why = NULL;
  if (!fs_lapack_present(&why)) fprintf(stderr, "%s\n", why);
  if (fs_cuda_present()) {
    gpu = fs_cuda_open(0, &diags);
    CHECK(gpu != NULL, "cuda: %s", message());
  }
  if (argc > 1 && !strcmp(argv[1], "failing")) {
    test_failing();
    gpu->ops->close(gpu);
    fs_diags_free(&diags);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
  }
  for (int on_gpu = 0; on_gpu <= (gpu != NULL); on_gpu++) {
    test_gemm(on_gpu);
    test_sizes(on_gpu);
    if (!on_gpu) test_large();
    test_squares(on_gpu);
    test_wrap(on_gpu);
    test_factorisations(on_gpu);
    test_factors(on_gpu);
    test_triangular(on_gpu);
    test_symmetry(on_gpu);
    test_errors(on_gpu);
    test_gather(on_gpu);
    test_find(on_gpu);
    test_combine(on_gpu);
    test_along(on_gpu);
  }
  if (gpu) gpu->ops->close(gpu);
  fs_diags_free(&diags);
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
