/* lapack.c - library kernels on host memory: solves and factorisations by LAPACK, and which
 * file has the others.
 *
 * The routines are column-major and overwrite their operands, so every factorisation works on a
 * packed column-major copy.
 */
#include "core/device/cpu/lapack.h"

#include <inttypes.h>
#include <math.h>

#include "core/base/apart.h"
#include "core/device/cpu/blas.h"
#include "core/device/cpu/packed.h"
#include "core/plan/kernels/launches.h"
#include "elemlib/cpu/routines.h"

/* -- solves ------------------------------------------------------------------ */

/* A NaN in the matrix is in every element of a solution or inverse. LAPACK would choose
 * pivots around it, and give some numbers that look good. */
static bool has_nan(const struct fs_packed *a, int64_t count) {
  int found = 0;
  if (a->wide)
    for (int64_t e = 0; e < count; e++) found |= isnan(((double *)a->data)[e]);
  else
    for (int64_t e = 0; e < count; e++) found |= isnan(((float *)a->data)[e]);
  return found;
}

/* Whether it has one; then all of the result is. */
static bool gives_nan(const struct fs_lib_call *c, const struct fs_packed *a, int64_t count) {
  bool nan = has_nan(a, count);
  if (nan) fs_lib_fill(&c->out, NAN);
  return nan;
}

/* What is in a row or column: bit 0, something but zeros; bit 1, a NaN. */
#define FS_LOOK(TYPE)                            \
  for (int64_t e = 0; e < n; e++) {              \
    TYPE x = ((const TYPE *)p)[e];               \
    some |= x != 0, nan |= x != x;               \
  }
static int contents(const void *p, int64_t n, int wide) {
  int some = 0, nan = 0;
  if (wide) FS_LOOK(double) else FS_LOOK(float)
  return some | nan << 1;
}
#undef FS_LOOK

/* A square matrix that lies as 'R' or 'C' says, looked at row by row or column by column
 * until both sides of its diagonal have something. */
static struct fs_lib_form form_of(const struct fs_blas_operand *a, int64_t n, int wide) {
  int size = wide ? 8 : 4, before = 0, after = 0;
  struct fs_lib_form f = {0};
  for (int64_t k = 0; k < n && !(before && after); k++) {
    const char *line = (const char *)a->ptr + k * a->ld * size;
    int middle = contents(line + k * size, 1, wide);
    before |= contents(line, k, wide);
    after |= contents(line + (k + 1) * size, n - k - 1, wide);
    f.nan |= (before | middle | after) >> 1;
    if (!middle && !f.zero) f.zero = k + 1;
  }
  f.below = a->order == 'R' ? before : after;
  f.above = a->order == 'R' ? after : before;
  return f;
}

/* By substitution. The operand may lie in either order: rows are the columns of A'. */
static enum fs_status solve_triangular(const struct fs_lib_call *c, int wide,
                                       const struct fs_blas_operand *a, bool upper,
                                       struct fs_lib_scratch *s) {
  int n = (int)c->a.dim[0], k = (int)c->b.dim[1], ld = (int)a->ld, step = 1;
  bool rows = a->order == 'R';
  const char *uplo = upper != rows ? "U" : "L", *trans = rows ? "T" : "N";
  const double one64 = 1;
  const float one32 = 1;
  struct fs_packed b = fs_packed_columns(s, &c->b, wide, n);
  if (s->failed) return FS_ERR_ENV;
  if (k == 1)
    fs_blas.trsv[wide](uplo, trans, "N", &n, a->ptr, &ld, b.data, &step, 1, 1, 1);
  else
    fs_blas.trsm[wide]("L", uplo, trans, "N", &n, &k,
                       wide ? (const void *)&one64 : (const void *)&one32, a->ptr, &ld,
                       b.data, &n, 1, 1, 1, 1);
  fs_unpack(&c->out, &b);
  return FS_OK;
}

static enum fs_status solve_square(const struct fs_lib_call *c, int wide,
                                   struct fs_lib_scratch *s, int *info) {
  int n = (int)c->a.dim[0], k = (int)c->b.dim[1];
  struct fs_blas_operand as_it_is = fs_blas_operand(s, &c->a, wide, false);
  if (s->failed) return FS_ERR_ENV;
  struct fs_lib_form form = form_of(&as_it_is, n, wide);
  if (!form.above || !form.below) {
    if (form.nan) fs_lib_fill(&c->out, NAN);
    else if (form.zero) *info = (int)form.zero;
    else return solve_triangular(c, wide, &as_it_is, !form.below, s);
    return FS_OK;
  }
  struct fs_packed a = fs_packed_columns(s, &c->a, wide, n);
  struct fs_packed b = fs_packed_columns(s, &c->b, wide, n);
  int *pivots = fs_lib_take(s, n, sizeof *pivots);
  if (s->failed) return FS_ERR_ENV;
  if (gives_nan(c, &a, (int64_t)n * n)) return FS_OK;
  fs_blas.gesv[wide](&n, &k, a.data, &n, pivots, b.data, &n, info);
  if (!*info) fs_unpack(&c->out, &b);
  return FS_OK;
}

/* The size that a routine asked for in its first work element. */
static int work_size(const double *query, int wide) {
  float f;
  memcpy(&f, query, sizeof f);
  /* A float rounds sizes above 2^24 down; ask for a little more. */
  double size = wide ? *query : (double)f * (1 + 0x1p-22);
  return size < INT32_MAX ? (int)ceil(size) : INT32_MAX;
}

/* Whether the triangle that gels left has a diagonal element that is only
 * rounding: then the columns (rows) depend on each other. */
static bool is_deficient(const struct fs_packed *a, int64_t m, int64_t n) {
  double most = 0, least = INFINITY;
  for (int64_t i = 0; i < FS_MIN(m, n); i++) {
    double x = fabs(fs_packed_get(a, i + i * m));
    most = FS_MAX(most, x), least = FS_MIN(least, x);
  }
  double unit = a->wide ? 0x1p-50 : 0x1p-21; /* four roundings */
  return !(least > unit * (double)FS_MAX(m, n) * most);
}

static enum fs_status solve_least_squares(const struct fs_lib_call *c, int wide,
                                          struct fs_lib_scratch *s, int *info) {
  int m = (int)c->a.dim[0], n = (int)c->a.dim[1], k = (int)c->b.dim[1];
  int ldb = FS_MAX(m, n), ask = -1;
  struct fs_packed a = fs_packed_columns(s, &c->a, wide, m);
  struct fs_packed b = fs_packed_columns(s, &c->b, wide, ldb);
  if (s->failed) return FS_ERR_ENV;
  if (gives_nan(c, &a, (int64_t)m * n)) return FS_OK;
  double query = 0;
  fs_blas.gels[wide]("N", &m, &n, &k, a.data, &m, b.data, &ldb, &query, &ask, info,
                     1);
  int size = work_size(&query, wide);
  void *work = fs_lib_take(s, size, wide ? 8 : 4);
  if (s->failed) return FS_ERR_ENV;
  fs_blas.gels[wide]("N", &m, &n, &k, a.data, &m, b.data, &ldb, work, &size, info,
                     1);
  if (!*info && is_deficient(&a, m, n)) *info = 1;
  if (!*info) fs_unpack(&c->out, &b);
  return FS_OK;
}

static enum fs_status solve(const struct fs_lib_call *c, int wide,
                            struct fs_lib_scratch *s, int *info) {
  return c->a.dim[0] == c->a.dim[1] ? solve_square(c, wide, s, info)
                                    : solve_least_squares(c, wide, s, info);
}

static enum fs_status invert(const struct fs_lib_call *c, int wide,
                             struct fs_lib_scratch *s, int *info) {
  int n = (int)c->a.dim[0], ask = -1;
  struct fs_packed a = fs_packed_columns(s, &c->a, wide, n);
  int *pivots = fs_lib_take(s, n, sizeof *pivots);
  if (s->failed) return FS_ERR_ENV;
  if (gives_nan(c, &a, (int64_t)n * n)) return FS_OK;
  fs_blas.getrf[wide](&n, &n, a.data, &n, pivots, info);
  if (*info) return FS_OK;
  double query = 0;
  fs_blas.getri[wide](&n, a.data, &n, pivots, &query, &ask, info);
  int size = work_size(&query, wide);
  void *work = fs_lib_take(s, size, wide ? 8 : 4);
  if (s->failed) return FS_ERR_ENV;
  fs_blas.getri[wide](&n, a.data, &n, pivots, work, &size, info);
  if (!*info) fs_unpack(&c->out, &a);
  return FS_OK;
}

/* -- factorisations ------------------------------------------------------------ */

static enum fs_status cholesky(const struct fs_lib_call *c, int wide,
                               struct fs_lib_scratch *s, int *info) {
  int n = (int)c->a.dim[0];
  struct fs_packed a = fs_packed_columns(s, &c->a, wide, n);
  if (s->failed) return FS_ERR_ENV;
  fs_blas.potrf[wide]("U", &n, a.data, &n, info, 1);
  if (*info) return FS_OK;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j + 1; i < n; i++) fs_packed_put(&a, i + j * n, 0);
  fs_unpack(&c->out, &a);
  return FS_OK;
}

static void turn_column(const struct fs_packed *v, int64_t j, int64_t m) {
  for (int64_t i = 0; i < m; i++) {
    int64_t e = i * v->si + j * v->sj;
    fs_packed_put(v, e, 0 - fs_packed_get(v, e));
  }
}

/* The signs of columns that may be turned are made such that all targets agree: the
 * largest component (the first of equals) or, `by_diagonal`, that on the diagonal is not
 * negative. The columns of `with` (NULL: none) turn along. */
static void fix_signs(const struct fs_packed *v, int64_t m, int64_t n, bool by_diagonal,
                      const struct fs_packed *with, int64_t with_m) {
  for (int64_t j = 0; j < n; j++) {
    double most = by_diagonal ? fs_packed_get(v, j * v->si + j * v->sj) : 0;
    for (int64_t i = 0; i < m && !by_diagonal; i++) {
      double x = fs_packed_get(v, i * v->si + j * v->sj);
      if (fabs(x) > fabs(most)) most = x;
    }
    if (most >= 0) continue;
    turn_column(v, j, m);
    if (with) turn_column(with, j, with_m);
  }
}

static enum fs_status eigen(const struct fs_lib_call *c, int wide,
                            struct fs_lib_scratch *s, int *info) {
  int n = (int)c->a.dim[0], ask = -1, isize = 0;
  bool vectors = c->op == FS_LIB_EIGVECS;
  const char *job = vectors ? "V" : "N";
  struct fs_packed a = fs_packed_columns(s, &c->a, wide, n);
  struct fs_packed w = {.wide = wide, .si = 1, .sj = n};
  w.data = fs_lib_take(s, n, wide ? 8 : 4);
  if (s->failed) return FS_ERR_ENV;
  double query = 0;
  fs_blas.syevd[wide](job, "U", &n, a.data, &n, w.data, &query, &ask, &isize, &ask,
                      info, 1, 1);
  int size = work_size(&query, wide);
  void *work = fs_lib_take(s, size, wide ? 8 : 4);
  int *iwork = fs_lib_take(s, isize, sizeof *iwork);
  if (s->failed) return FS_ERR_ENV;
  fs_blas.syevd[wide](job, "U", &n, a.data, &n, w.data, work, &size, iwork, &isize,
                      info, 1, 1);
  if (*info) return FS_OK;
  if (vectors) fix_signs(&a, n, n, false, NULL, 0);
  fs_unpack(&c->out, vectors ? &a : &w);
  return FS_OK;
}

static enum fs_status singular(const struct fs_lib_call *c, int wide,
                               struct fs_lib_scratch *s, int *info) {
  int m = (int)c->a.dim[0], n = (int)c->a.dim[1], least = FS_MIN(m, n), ask = -1;
  bool vectors = c->op == FS_LIB_SVD;
  const char *job = vectors ? "S" : "N";
  struct fs_packed a = fs_packed_columns(s, &c->a, wide, m), u = {0}, vt = {0};
  struct fs_packed w = fs_packed_new(s, wide, least, 1);
  if (vectors) {
    u = fs_packed_new(s, wide, m, least);
    vt = fs_packed_new(s, wide, least, n);
  }
  int *iwork = fs_lib_take(s, 8 * (int64_t)least, sizeof *iwork);
  if (s->failed) return FS_ERR_ENV;
  double query = 0;
  fs_blas.gesdd[wide](job, &m, &n, a.data, &m, w.data, u.data, &m, vt.data, &least,
                      &query, &ask, iwork, info, 1);
  int size = work_size(&query, wide);
  void *work = fs_lib_take(s, size, wide ? 8 : 4);
  if (s->failed) return FS_ERR_ENV;
  fs_blas.gesdd[wide](job, &m, &n, a.data, &m, w.data, u.data, &m, vt.data, &least, work,
                      &size, iwork, info, 1);
  if (*info) return FS_OK;
  if (!vectors) return fs_unpack(&c->out, &w), FS_OK;
  struct fs_packed v = {vt.data, wide, vt.sj, vt.si};
  fix_signs(&u, m, least, false, &v, n);
  fs_unpack_part(c, 0, &u);
  fs_unpack_part(c, 1, &w);
  fs_unpack_part(c, 2, &v);
  return FS_OK;
}

/* The upper triangle of what a factorisation left in `a`, as a rows x cols matrix. */
static struct fs_packed triangle_of(struct fs_lib_scratch *s, const struct fs_packed *a,
                                    int64_t rows,
                                 int64_t cols) {
  struct fs_packed r = fs_packed_new(s, a->wide, rows, cols);
  for (int64_t j = 0; j < cols && r.data; j++)
    for (int64_t i = 0; i < rows; i++)
      fs_packed_put(&r, i + j * rows, i > j ? 0 : fs_packed_get(a, i + j * a->sj));
  return r;
}

/* The columns below the diagonal, which is 1. */
static struct fs_packed unit_triangle_of(struct fs_lib_scratch *s, const struct fs_packed *a,
                                         int64_t rows,
                                      int64_t cols) {
  struct fs_packed l = fs_packed_new(s, a->wide, rows, cols);
  for (int64_t j = 0; j < cols && l.data; j++)
    for (int64_t i = 0; i < rows; i++)
      fs_packed_put(&l, i + j * rows, i > j ? fs_packed_get(a, i + j * a->sj) : i == j);
  return l;
}

/* A pivot of 0 is no error: L*U is A all the same. */
static enum fs_status lu(const struct fs_lib_call *c, int wide, struct fs_lib_scratch *s,
                         int *info) {
  int m = (int)c->a.dim[0], n = (int)c->a.dim[1], k = FS_MIN(m, n);
  struct fs_packed a = fs_packed_columns(s, &c->a, wide, m);
  struct fs_packed order = fs_packed_new(s, 1, m + (int64_t)n, 1);
  int *pivots = fs_lib_take(s, k, sizeof *pivots);
  if (s->failed) return FS_ERR_ENV;
  bool nan = has_nan(&a, (int64_t)m * n);
  if (!nan) fs_blas.getrf[wide](&m, &n, a.data, &m, pivots, info);
  if (*info < 0) return FS_OK;
  *info = 0;
  struct fs_packed l = unit_triangle_of(s, &a, m, k), u = triangle_of(s, &a, k, n);
  if (s->failed) return FS_ERR_ENV;
  fs_lib_order(pivots, nan ? 0 : k, m, n, order.data);
  struct fs_packed signs = order;
  signs.data = (double *)order.data + m;
  if (nan) fs_lib_fill(&c->out, NAN);
  else fs_unpack_part(c, 0, &l), fs_unpack_part(c, 1, &u);
  fs_unpack_part(c, 2, &order);
  fs_unpack_part(c, 3, &signs);
  return FS_OK;
}

static enum fs_status qr(const struct fs_lib_call *c, int wide, struct fs_lib_scratch *s,
                         int *info) {
  int m = (int)c->a.dim[0], n = (int)c->a.dim[1], k = FS_MIN(m, n), ask = -1;
  bool both = c->op == FS_LIB_QR;
  struct fs_packed a = fs_packed_columns(s, &c->a, wide, m), tau = fs_packed_new(s, wide, k, 1);
  if (s->failed) return FS_ERR_ENV;
  if (gives_nan(c, &a, (int64_t)m * n)) return FS_OK;
  double query = 0;
  fs_blas.geqrf[wide](&m, &n, a.data, &m, tau.data, &query, &ask, info);
  int size = work_size(&query, wide);
  if (both) fs_blas.orgqr[wide](&m, &k, &k, a.data, &m, tau.data, &query, &ask, info);
  if (both) size = FS_MAX(size, work_size(&query, wide));
  void *work = fs_lib_take(s, size, wide ? 8 : 4);
  if (s->failed) return FS_ERR_ENV;
  fs_blas.geqrf[wide](&m, &n, a.data, &m, tau.data, work, &size, info);
  struct fs_packed r = triangle_of(s, &a, k, n), rows = {r.data, wide, r.sj, r.si};
  if (s->failed) return FS_ERR_ENV;
  if (both) fs_blas.orgqr[wide](&m, &k, &k, a.data, &m, tau.data, work, &size, info);
  fix_signs(&rows, n, k, true, both ? &a : NULL, m);
  if (!both) return fs_unpack(&c->out, &r), FS_OK;
  fs_unpack_part(c, 0, &a);
  fs_unpack_part(c, 1, &r);
  return FS_OK;
}

/* -- eigenvalues of any matrix, complex matrices ---------------------------------- */

/* A complex matrix, column by column, both parts of an element side by side. */
static struct fs_packed complex_columns(struct fs_lib_scratch *s, const struct fs_lib_call *c,
                                        int wide) {
  int64_t m = c->a.dim[0], n = c->a.dim[1];
  struct fs_packed z = fs_packed_new(s, wide, 2 * m, n);
  for (int64_t j = 0; j < n && z.data; j++)
    for (int64_t i = 0; i < m; i++) {
      fs_packed_put(&z, 2 * (i + j * m), fs_lib_get(c->a.dtype, fs_lib_at(&c->a, i, j)));
      fs_packed_put(&z, 2 * (i + j * m) + 1, fs_lib_get(c->b.dtype, fs_lib_at(&c->b, i, j)));
    }
  return z;
}

/* Whether elements that lie opposite each other are no further from conjugates than rounding. */
static bool is_hermitian(const struct fs_packed *z, int64_t n) {
  double most = 0, far = 0, unit = z->wide ? 0x1p-53 : 0x1p-24;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i <= j; i++) {
      int64_t a = 2 * (i + j * n), b = 2 * (j + i * n);
      double re = fs_packed_get(z, a), im = fs_packed_get(z, a + 1);
      most = fmax(most, fmax(fabs(re), fabs(im)));
      far = fmax(far, fmax(fabs(re - fs_packed_get(z, b)), fabs(im + fs_packed_get(z, b + 1))));
    }
  return far <= most * (double)n * unit;
}

/* Element (i, j) of result k, in both parts. */
static void put_complex(const struct fs_lib_call *c, int k, int64_t i, int64_t j, double re,
                        double im) {
  for (int part = 0; part < 2; part++) {
    struct fs_lib_array to = fs_lib_result_part(c, 2 * k + part);
    fs_lib_put(to.dtype, fs_lib_at(&to, i, j), part ? im : re);
  }
}

/* A vector of n complex numbers of a packed array: where its parts are, how far an element is from
 * the next, and what imaginary parts are times. */
struct vector {
  const struct fs_packed *in;
  int64_t re, im, step, n;
  double sign;
};

/* What makes the largest component real and positive: a number re + i*im of magnitude 1. */
struct turn {
  int64_t most; /* the component: the first of equals */
  double re, im;
};

static struct turn turn_of(const struct vector *v) {
  struct turn t = {0, 1, 0};
  double size = 0;
  for (int64_t i = 0; i < v->n; i++) {
    double x = fs_packed_get(v->in, v->re + i * v->step);
    double y = v->sign * fs_packed_get(v->in, v->im + i * v->step);
    if (!(hypot(x, y) > size * (1 + 0x1p-20))) continue;
    size = hypot(x, y);
    t = (struct turn){i, x / size, -y / size};
  }
  return t;
}

/* The turned vector as column j of result k; component `real` is real. */
static void put_turned(const struct fs_lib_call *c, int k, int64_t j, const struct vector *v,
                       const struct turn *t, int64_t real) {
  for (int64_t i = 0; i < v->n; i++) {
    double a = fs_packed_get(v->in, v->re + i * v->step);
    double b = v->sign * fs_packed_get(v->in, v->im + i * v->step);
    put_complex(c, k, i, j, a * t->re - b * t->im, i == real ? 0 : a * t->im + b * t->re);
  }
}

/* Eigenvector j, whose parts are at v[re] and v[im]. */
static void put_vector(const struct fs_lib_call *c, const struct fs_packed *v, int64_t re,
                       int64_t im, int64_t step, double sign, int64_t j) {
  struct vector x = {v, re, im, step, c->a.dim[0], sign};
  struct turn t = turn_of(&x);
  put_turned(c, 1, j, &x, &t, t.most);
}

/* Of a complex matrix; Hermitian ones as such. */
static enum fs_status eigen_of_complex(const struct fs_lib_call *c, int wide,
                                       struct fs_lib_scratch *s, int *info) {
  int n = (int)c->a.dim[0], ask = -1, one = 1;
  bool vectors = c->op == FS_LIB_EIG;
  const char *job = vectors ? "V" : "N";
  struct fs_packed a = complex_columns(s, c, wide), w = fs_packed_new(s, wide, 2 * (int64_t)n, 1);
  struct fs_packed v = fs_packed_new(s, wide, 2 * (int64_t)n, vectors ? n : 1);
  struct fs_packed room = fs_packed_new(s, wide, 3 * (int64_t)n, 1);
  if (s->failed) return FS_ERR_ENV;
  double query[2] = {0};
  bool hermitian = is_hermitian(&a, n);
  for (int pass = 0, size = ask; pass < 2; pass++) { /* the first asks */
    void *work = pass ? fs_lib_take(s, 2 * (int64_t)size, wide ? 8 : 4) : query;
    if (s->failed) return FS_ERR_ENV;
    if (hermitian)
      fs_blas.heev[wide](job, "U", &n, a.data, &n, w.data, work, &size, room.data, info, 1, 1);
    else
      fs_blas.geev_complex[wide]("N", job, &n, a.data, &n, w.data, NULL, &one, v.data, &n, work,
                                 &size, room.data, info, 1, 1);
    if (!pass) size = work_size(query, wide);
  }
  for (int64_t j = 0; j < n && !*info; j++) {
    int64_t at = hermitian ? j : 2 * j;
    put_complex(c, 0, j, 0, fs_packed_get(&w, at), hermitian ? 0 : fs_packed_get(&w, at + 1));
    if (vectors) put_vector(c, hermitian ? &a : &v, 2 * j * n, 2 * j * n + 1, 2, 1, j);
  }
  return FS_OK;
}

/* Pairs of complex vectors of a real matrix are the real and imaginary parts of the first. */
static enum fs_status any_eigen(const struct fs_lib_call *c, int wide, struct fs_lib_scratch *s,
                                int *info) {
  if (c->has_b) return eigen_of_complex(c, wide, s, info);
  int n = (int)c->a.dim[0], ask = -1, one = 1;
  bool vectors = c->op == FS_LIB_EIG;
  const char *job = vectors ? "V" : "N";
  struct fs_packed a = fs_packed_columns(s, &c->a, wide, n);
  struct fs_packed v = fs_packed_new(s, wide, n, vectors ? n : 1);
  struct fs_packed wr = fs_packed_new(s, wide, n, 1), wi = fs_packed_new(s, wide, n, 1);
  if (s->failed) return FS_ERR_ENV;
  double query = 0;
  fs_blas.geev[wide]("N", job, &n, a.data, &n, wr.data, wi.data, NULL, &one, v.data, &n, &query,
                     &ask, info, 1, 1);
  int size = work_size(&query, wide);
  void *work = fs_lib_take(s, size, wide ? 8 : 4);
  if (s->failed) return FS_ERR_ENV;
  fs_blas.geev[wide]("N", job, &n, a.data, &n, wr.data, wi.data, NULL, &one, v.data, &n, work,
                     &size, info, 1, 1);
  for (int64_t j = 0; j < n && !*info; j++) {
    double im = fs_packed_get(&wi, j);
    put_complex(c, 0, j, 0, fs_packed_get(&wr, j), im);
    if (!vectors) continue;
    int64_t re = (im < 0 ? j - 1 : j) * n;
    put_vector(c, &v, re, im == 0 ? re : re + n, 1, im == 0 ? 0 : im < 0 ? -1 : 1, j);
  }
  return FS_OK;
}

/* A = U*T*U': of a real matrix T has blocks of two where eigenvalues are a pair. */
static enum fs_status schur(const struct fs_lib_call *c, int wide, struct fs_lib_scratch *s,
                            int *info) {
  int n = (int)c->a.dim[0], ask = -1, first = 0, words = c->has_b ? 2 : 1;
  struct fs_packed a = c->has_b ? complex_columns(s, c, wide)
                                : fs_packed_columns(s, &c->a, wide, n);
  struct fs_packed u = fs_packed_new(s, wide, (int64_t)words * n, n);
  struct fs_packed w = fs_packed_new(s, wide, 2 * (int64_t)n, 1);
  struct fs_packed room = fs_packed_new(s, wide, n, 1);
  if (s->failed) return FS_ERR_ENV;
  double query[2] = {0};
  void *wi = (char *)w.data + (wide ? 8 : 4) * (size_t)n;
  for (int pass = 0, size = ask; pass < 2; pass++) { /* the first asks */
    void *work = pass ? fs_lib_take(s, words * (int64_t)size, wide ? 8 : 4) : query;
    if (s->failed) return FS_ERR_ENV;
    if (c->has_b)
      fs_blas.gees_complex[wide]("V", "N", NULL, &n, a.data, &n, &first, w.data, u.data, &n, work,
                                 &size, room.data, NULL, info, 1, 1);
    else
      fs_blas.gees[wide]("V", "N", NULL, &n, a.data, &n, &first, w.data, wi, u.data, &n, work,
                         &size, NULL, info, 1, 1);
    if (!pass) size = work_size(query, wide);
  }
  for (int64_t j = 0; j < n && !*info; j++)
    for (int64_t i = 0; i < n; i++) {
      int64_t e = words * (i + j * n);
      put_complex(c, 0, i, j, fs_packed_get(&a, e), c->has_b ? fs_packed_get(&a, e + 1) : 0);
      put_complex(c, 1, i, j, fs_packed_get(&u, e), c->has_b ? fs_packed_get(&u, e + 1) : 0);
    }
  return FS_OK;
}

/* U, s and V of a complex matrix. A column of V turns with that of U: A*v = s*u holds for both. */
static enum fs_status singular_of_complex(const struct fs_lib_call *c, int wide,
                                          struct fs_lib_scratch *s, int *info) {
  int m = (int)c->a.dim[0], n = (int)c->a.dim[1], least = FS_MIN(m, n), ask = -1;
  int64_t small = least, large = FS_MAX(m, n);
  int64_t once = FS_MAX(5 * small + 7, 2 * large + 2 * small + 1);
  struct fs_packed a = complex_columns(s, c, wide), w = fs_packed_new(s, wide, small, 1);
  struct fs_packed u = fs_packed_new(s, wide, 2 * (int64_t)m, small);
  struct fs_packed vt = fs_packed_new(s, wide, 2 * small, n);
  struct fs_packed room = fs_packed_new(s, wide, small, once);
  int *order = fs_lib_take(s, 8 * small, sizeof *order);
  if (s->failed) return FS_ERR_ENV;
  double query[2] = {0};
  for (int pass = 0, size = ask; pass < 2; pass++) { /* the first asks */
    void *work = pass ? fs_lib_take(s, 2 * (int64_t)size, wide ? 8 : 4) : query;
    if (s->failed) return FS_ERR_ENV;
    fs_blas.gesdd_complex[wide]("S", &m, &n, a.data, &m, w.data, u.data, &m, vt.data, &least, work,
                                &size, room.data, order, info, 1);
    if (!pass) size = work_size(query, wide);
  }
  if (*info) return FS_OK;
  fs_unpack_part(c, 2, &w);
  for (int64_t j = 0; j < small; j++) {
    struct vector left = {&u, 2 * j * m, 2 * j * m + 1, 2, m, 1};
    struct vector right = {&vt, 2 * j, 2 * j + 1, 2 * small, n, -1};
    struct turn t = turn_of(&left);
    put_turned(c, 0, j, &left, &t, t.most);
    put_turned(c, 2, j, &right, &t, -1);
  }
  return FS_OK;
}

/* -- entry ---------------------------------------------------------------------- */

/* LAPACK's iterations may not end, or run wild, on NaN and infinities. */
static bool all_finite(const struct fs_lib_array *a) {
  if (!fs_dtype_is_float(a->dtype)) return true;
  for (int64_t i = 0; i < a->dim[0]; i++)
    for (int64_t j = 0; j < a->dim[1]; j++)
      if (!isfinite(fs_lib_get(a->dtype, fs_lib_at(a, i, j)))) return false;
  return true;
}

/* A routine of LAPACK on its way: what it is asked, and how it went. */
struct routine {
  struct fs_lib_call call;
  int info;
  enum fs_status status;
};

static void run_routine(void *arg) {
  static enum fs_status (*const routine[FS_LIB_OP_COUNT])(
      const struct fs_lib_call *, int, struct fs_lib_scratch *, int *) = {
      [FS_LIB_SOLVE] = solve,       [FS_LIB_INV] = invert,
      [FS_LIB_CHOL] = cholesky,     [FS_LIB_EIGVALS] = eigen,
      [FS_LIB_EIGVECS] = eigen,     [FS_LIB_SVDVALS] = singular,
      [FS_LIB_SVD] = singular,      [FS_LIB_QR] = qr,
      [FS_LIB_QR_R] = qr,           [FS_LIB_LU] = lu,
      [FS_LIB_EIG] = any_eigen,     [FS_LIB_EIG_VALUES] = any_eigen,
      [FS_LIB_SCHUR] = schur,       [FS_LIB_SVD_BOTH] = singular_of_complex};
  struct routine *r = arg;
  const struct fs_lib_call *c = &r->call;
  int wide = c->a.dtype == FS_F64 || c->out.dtype == FS_F64 ||
             (c->has_b && c->b.dtype == FS_F64);
  struct fs_lib_scratch s = {0};
  r->status = routine[c->op](c, wide, &s, &r->info);
  fs_lib_drop(&s);
}

/* Whether a routine takes some 50 ms or more: as a cube of that many elements. */
static bool is_long(const struct fs_lib_call *c) {
  double m = (double)c->a.dim[0], n = (double)c->a.dim[1], least = FS_MIN(m, n);
  double right = c->has_b ? (double)c->b.dim[1] : 0;
  return least * least * (FS_MAX(m, n) + right) > (fs_lib_iterates(c->op) ? 0x1p27 : 0x1p30);
}

/* Elements of the same type between arrays of the same extents. */
static void copy_elements(const struct fs_lib_array *from, const struct fs_lib_array *to) {
  size_t size = fs_dtype_size(to->dtype);
  bool lines = to->stride[1] == 1 && from->stride[1] == 1;
  for (int64_t i = 0; i < to->dim[0]; i++) {
    if (lines) memcpy(fs_lib_at(to, i, 0), fs_lib_at(from, i, 0), size * (size_t)to->dim[1]);
    for (int64_t j = 0; j < to->dim[1] && !lines; j++)
      memcpy(fs_lib_at(to, i, j), fs_lib_at(from, i, j), size);
  }
}

/* A long routine cannot look for interrupts: a copy of the process does it, into shared
 * memory. Without that it is done here. */
static enum fs_status run_apart(struct routine *r) {
  const struct fs_lib_array to = r->call.out;
  size_t size = fs_dtype_size(to.dtype), head = FS_MAX(sizeof *r, (size_t)64);
  size_t bytes = head + size * (size_t)fs_lib_count(&to);
  struct routine *shared = fs_apart_take(bytes);
  int signal = 0;
  enum fs_status status = FS_ERR_ENV;
  if (shared) {
    *shared = *r;
    shared->call.out.ptr = (char *)shared + head;
    shared->call.out.stride[0] = to.dim[1], shared->call.out.stride[1] = 1;
    status = fs_apart_run(run_routine, shared, &signal);
  }
  if (status == FS_OK) {
    r->info = shared->info, r->status = shared->status;
    if (r->status == FS_OK && !r->info) copy_elements(&shared->call.out, &to);
  }
  if (status == FS_INTERRUPTED) r->status = status;
  if (status == FS_ERR_ENV && signal) r->status = status; /* most likely for want of memory */
  if (status == FS_ERR_ENV && !signal) run_routine(r);
  fs_apart_drop(shared, bytes);
  return r->status;
}

static enum fs_status factor(const struct fs_lib_call *c, struct fs_diags *d) {
  int64_t count = fs_lib_count(&c->out);
  if (!count) return FS_OK;
  if (!fs_lib_count(&c->a)) { /* nothing known: the smallest solution is 0 */
    fs_lib_fill(&c->out, 0);
    return FS_OK;
  }
  bool finite = !fs_lib_iterates(c->op) || (all_finite(&c->a) && (!c->has_b || all_finite(&c->b)));
  if (!finite) return fs_lib_failed(c, 1, d);
  struct routine r = {.call = *c};
  if (is_long(c)) run_apart(&r);
  else run_routine(&r);
  enum fs_status status = r.status;
  int info = r.info;
  if (status == FS_ERR_ENV) status = fs_lib_no_memory(c, d);
  if (status == FS_OK && info < 0)
    return fs_error(d, c->span, "too-large", NULL,
                    "%s of %" PRId64 "x%" PRId64 " is more than LAPACK can do",
                    fs_lib_op_names[c->op], c->a.dim[0], c->a.dim[1]);
  return status == FS_OK && info ? fs_lib_failed(c, info, d) : status;
}

/* One product or factorisation, in one of several threads or alone. */
static enum fs_status run_one(const struct fs_lib_call *call, struct fs_diags *d) {
  enum fs_status status = fs_lib_check_symmetry(call, d);
  if (status != FS_OK) return status;
  return call->op == FS_LIB_GEMM ? fs_lib_gemm(call, d) : factor(call, d);
}

static void use_threads(int threads) {
  if (fs_blas.most_threads) threads = FS_MIN(threads, fs_blas.most_threads);
  if (fs_blas.set_threads) fs_blas.set_threads(FS_MAX(threads, 1));
}

enum fs_status fs_lapack_call(const struct fs_lib_call *call, struct fs_pool *pool,
                              int threads, struct fs_diags *d) {
  enum fs_status status = fs_lib_check(call, d);
  if (status != FS_OK) return status;
  if (fs_lib_is_scan(call->op)) return fs_scan_call(call, pool);
  if (fs_lib_is_sort(call->op)) return fs_sort_call(call, pool, d);
  if (fs_lib_is_fourier(call->op))
    return fs_fourier_call(call, pool, fs_cpu_routines(NULL)->fourier, d);
  if (fs_lib_moves(call->op)) return fs_move_call(call, d);
  const char *why = NULL;
  bool present = fs_lapack_present(&why);
  bool integers = call->op == FS_LIB_GEMM &&
                  !fs_dtype_is_float(call->a.dtype) &&
                  !fs_dtype_is_float(call->b.dtype);
  if (!present && !integers)
    return fs_env_error(d, "no-lapack", NULL, "%s needs a library: %s",
                        fs_lib_op_names[call->op], why);
  if (call->batch.rank)
    return fs_batch_run(call, fs_blas.most_threads ? NULL : pool, threads, use_threads, run_one, d);
  use_threads(threads);
  return run_one(call, d);
}

enum fs_status fs_lapack_run(const struct fs_plan *plan, const struct fs_kernel *k,
                             void *const *slots, struct fs_pool *pool, int threads,
                             struct fs_diags *d) {
  struct fs_lib_call call; /* of the target that there was when it was planned */
  if (fs_node(plan->graph, k->lib_node)->op == FS_LIB_KERNEL)
    return fs_env_error(d, "kernel-as-is", NULL, "a kernel as it is written needs a GPU");
  fs_lib_call_read(plan, k, slots, &call);
  return fs_lapack_call(&call, pool, threads, d);
}
