/* scan.c - running sums, products and extremes on host memory, along lines of an array.
 *
 * A task has a strip of neighbouring lines, and of their places one share. Where there are
 * several shares of a line, their totals come first. All of it depends on shapes alone, so
 * every number of threads gives the same bits. Floats are computed in f64; what a sum
 * carries along has what it was rounded by beside it, and starts anew every STEP elements,
 * so its error does not grow with the length of a line. */
#include <math.h>

#include "core/device/cpu/lapack.h"

enum { AT_ONCE = 64, SHARE = 1 << 15, STRIP = 64, STEP = 16 };

union carry {
  struct { double value, rest; } f; /* f.value + f.rest */
  int64_t i;
};
union values {
  double f[AT_ONCE];
  int64_t i[AT_ONCE];
};

struct job {
  const struct fs_lib_call *c;
  struct fs_lib_lines from, to;
  bool integers;
  int64_t strip, strips, parts; /* lines of a strip, and how many */
  union carry *totals; /* of a line's parts, by line; then what is before each part */
  bool only_totals;
};

/* -- what is done with one element after the other -------------------------------- */

static union carry nothing(const struct job *j) {
  enum fs_lib_op op = j->c->op;
  union carry c;
  if (j->integers)
    c.i = op == FS_LIB_CUMSUM    ? 0
          : op == FS_LIB_CUMPROD ? 1
          : op == FS_LIB_CUMMAX  ? fs_dtype_least(j->c->out.dtype)
                                 : fs_dtype_most(j->c->out.dtype);
  else
    c.f.value = op == FS_LIB_CUMSUM    ? 0
                : op == FS_LIB_CUMPROD ? 1
                : op == FS_LIB_CUMMAX  ? -INFINITY
                                       : INFINITY;
  if (!j->integers) c.f.rest = 0;
  return c;
}

/* A sum's rounding is kept as long as there is one. */
static void carry_sum(union carry *c, double x, double rest) {
  double sum = c->f.value + x, part = sum - c->f.value;
  double lost = (c->f.value - (sum - part)) + (x - part);
  c->f.rest = sum - sum == 0 ? c->f.rest + (rest + lost) : 0;
  c->f.value = sum;
}

static void sum_floats(double *x, int64_t n, union carry *c) {
  for (int64_t k = 0; k < n; k += STEP) {
    double sum = 0;
    for (int64_t e = k; e < FS_MIN(k + STEP, n); e++) {
      sum += x[e];
      x[e] = c->f.value + (c->f.rest + sum);
    }
    carry_sum(c, sum, 0);
  }
}

#define FS_EACH(TYPE, X, SO_FAR, NEXT)                        \
  {                                                           \
    TYPE a = SO_FAR;                                          \
    for (int64_t e = 0; e < n; e++) {                         \
      const TYPE b = (X)[e];                                  \
      (X)[e] = a = NEXT;                                      \
    }                                                         \
    SO_FAR = a;                                               \
  }                                                           \
  break

/* Replaces n elements by what is so far. */
static void scan(const struct job *j, union values *x, int64_t n, union carry *c) {
  if (!j->integers) {
    switch (j->c->op) {
      case FS_LIB_CUMSUM: sum_floats(x->f, n, c); break;
      case FS_LIB_CUMPROD: FS_EACH(double, x->f, c->f.value, a * b);
      case FS_LIB_CUMMAX: FS_EACH(double, x->f, c->f.value, a > b || a != a ? a : b);
      default: FS_EACH(double, x->f, c->f.value, a < b || a != a ? a : b);
    }
    return;
  }
  const int64_t sign = fs_dtype_is_signed(j->c->out.dtype) ? 0 : INT64_MIN;
  switch (j->c->op) { /* sums and products wrap around */
    case FS_LIB_CUMSUM:
      FS_EACH(int64_t, x->i, c->i, (int64_t)((uint64_t)a + (uint64_t)b));
    case FS_LIB_CUMPROD:
      FS_EACH(int64_t, x->i, c->i, (int64_t)((uint64_t)a * (uint64_t)b));
    case FS_LIB_CUMMAX: FS_EACH(int64_t, x->i, c->i, (a ^ sign) > (b ^ sign) ? a : b);
    default: FS_EACH(int64_t, x->i, c->i, (a ^ sign) < (b ^ sign) ? a : b);
  }
}

/* What two parts come to together. */
static union carry join(const struct job *j, union carry a, union carry b) {
  union values one;
  if (!j->integers && j->c->op == FS_LIB_CUMSUM) {
    carry_sum(&a, b.f.value, b.f.rest);
    return a;
  }
  if (j->integers) one.i[0] = b.i;
  else one.f[0] = b.f.value;
  scan(j, &one, 1, &a);
  return a;
}

/* -- elements as they lie ------------------------------------------------------------ */

static void read(const struct job *j, int64_t offset, int64_t n, union values *out) {
  const struct fs_lib_array *a = &j->c->a;
  const char *p = (const char *)a->ptr + offset * (int64_t)fs_dtype_size(a->dtype);
  int64_t step = j->from.step;
  switch (a->dtype) {
#define FS_DTYPE_C(id, stored, value, number, ...)                      \
  case FS_##id:                                                         \
    for (int64_t e = 0; e < n; e++) {                                   \
      const stored x = ((const stored *)p)[e * step];                   \
      if (fs_dtype_is_float(FS_##id)) out->f[e] = (double)(number);     \
      else out->i[e] = (int64_t)(number);                               \
    }                                                                   \
    break;
#include "core/graph/dtypes.def"
    default: break;
  }
}

static void write(const struct job *j, int64_t offset, int64_t n, const union values *x) {
  const struct fs_lib_array *o = &j->c->out;
  char *p = (char *)o->ptr + offset * (int64_t)fs_dtype_size(o->dtype);
  int64_t step = j->to.step;
  switch (o->dtype) {
#define FS_DTYPE_C(id, stored, value, number, element)                  \
  case FS_##id:                                                         \
    for (int64_t e = 0; e < n; e++) {                                   \
      const double f = x->f[e];                                         \
      const int64_t i = x->i[e];                                        \
      ((stored *)p)[e * step] = element;                                \
      (void)f, (void)i;                                                 \
    }                                                                   \
    break;
#include "core/graph/dtypes.def"
    default: break;
  }
}

/* -- tasks ------------------------------------------------------------------------------ */

static void task(void *user, int64_t k, int worker) {
  struct job *j = user;
  int64_t first = k / j->parts * j->strip, part = k % j->parts;
  int lines = (int)FS_MIN(j->strip, j->from.count - first);
  int64_t from[STRIP], to[STRIP], end = FS_MIN((part + 1) * SHARE, j->from.n);
  union carry carry[STRIP];
  union values x;
  (void)worker;
  for (int l = 0; l < lines; l++) {
    from[l] = fs_lib_line(&j->from, first + l);
    to[l] = fs_lib_line(&j->to, first + l);
    bool begins = j->only_totals || j->parts == 1;
    carry[l] = begins ? nothing(j) : j->totals[(first + l) * j->parts + part];
  }
  for (int64_t at = part * SHARE; at < end; at += AT_ONCE) {
    int64_t n = FS_MIN(AT_ONCE, end - at);
    for (int l = 0; l < lines; l++) {
      read(j, from[l] + at * j->from.step, n, &x);
      scan(j, &x, n, &carry[l]);
      if (!j->only_totals) write(j, to[l] + at * j->to.step, n, &x);
    }
  }
  for (int l = 0; l < lines && j->only_totals; l++)
    j->totals[(first + l) * j->parts + part] = carry[l];
}

static enum fs_status run(struct job *j, struct fs_pool *pool) {
  int64_t tasks = j->strips * j->parts;
  int threads = pool && j->from.n * j->from.count > SHARE / 8
                    ? fs_pool_threads(pool) : 1;
  if (pool) return fs_pool_run(pool, threads, tasks, task, j);
  for (int64_t k = 0; k < tasks; k++) {
    if (fs_interrupted()) return FS_INTERRUPTED;
    task(j, k, 0);
  }
  return FS_OK;
}

/* Totals of parts to what is before each part. */
static void add_up(struct job *j) {
  for (int64_t l = 0; l < j->from.count; l++) {
    union carry *of = j->totals + l * j->parts, before = nothing(j);
    for (int64_t p = 0; p < j->parts; p++) {
      union carry next = join(j, before, of[p]);
      of[p] = before;
      before = next;
    }
  }
}

enum fs_status fs_scan_call(const struct fs_lib_call *c, struct fs_pool *pool) {
  struct job j = {.c = c, .from = fs_lib_lines_of(&c->a, c->axis),
                  .to = fs_lib_lines_of(&c->out, c->axis),
                  .integers = !fs_dtype_is_float(c->out.dtype)};
  enum fs_status st = FS_OK;
  if (!fs_lib_count(&c->a)) return FS_OK;
  /* Columns side by side are read some cache lines wide. */
  j.strip = STRIP;
  if (!fs_lib_lines_first(&j.from))
    j.strip = FS_MIN(FS_MAX(SHARE / 2 / j.from.n, 1), STRIP);
  j.strips = (j.from.count + j.strip - 1) / j.strip;
  j.parts = (j.from.n + SHARE - 1) / SHARE;
  if (j.parts > 1) {
    j.totals = fs_calloc((size_t)(j.from.count * j.parts), sizeof *j.totals);
    j.only_totals = true;
    st = run(&j, pool);
    if (st == FS_OK) add_up(&j);
    j.only_totals = false;
  }
  if (st == FS_OK) st = run(&j, pool);
  free(j.totals);
  return st;
}
