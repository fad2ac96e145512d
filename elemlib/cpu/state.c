/* state.c - reductions whose states have several words: places, variances, logsumexp.
 *
 * Along a row a strip's largest value is found first, as for `max`. Only where that is no
 * worse than what earlier strips had is the strip searched for its place, and only where it
 * is well above is a sum of exponentials scaled anew. A variance takes a strip's mean first.
 * All this while the strip lies in the first cache. Along columns a line is kept for each word.
 */
#include <float.h>
#include <math.h>

#include "elemlib/cpu/parts.h"

struct spot_f {
  double value;
  int64_t at;
};
struct spot_i {
  int64_t value, at;
};
struct spot_u {
  uint64_t value;
  int64_t at;
};

#define fs_is_before(a, b)                                                    \
  ((b).value != (b).value ? (a).value == (a).value || (b).at < (a).at         \
                          : (b).value == (a).value && (b).at < (a).at)
#define FS_REDUCE_OP(...)
#define FS_STATE_OP(...)
#define FS_SPOT_OP(id, name, types, result, first, functor, merge, cost, doc) \
  FS_INLINE struct spot_f functor##_f(struct spot_f a, struct spot_f b) {     \
    return merge;                                                             \
  }                                                                           \
  FS_INLINE struct spot_i functor##_i(struct spot_i a, struct spot_i b) {     \
    return merge;                                                             \
  }                                                                           \
  FS_INLINE struct spot_u functor##_u(struct spot_u a, struct spot_u b) {     \
    return merge;                                                             \
  }
#include "core/graph/reductions.def"

/* -- rows ----------------------------------------------------------------- */

/* The first element that is `best`; there is one. */
#define FIND_BY(LANES, T, SAME)                                               \
  for (; k + LANES <= n; k += LANES) {                                        \
    int any = 0;                                                              \
    for (int q = 0; q < LANES; q++) any |= SAME(x[k + q], best);              \
    if (any) break;                                                           \
  }
#define FIND(NAME, T, SAME)                                                   \
  FS_INLINE int64_t NAME(const T *x, int64_t n, T best) {                     \
    int64_t k = 0;                                                            \
    FIND_BY(64, T, SAME)                                                      \
    FIND_BY(8, T, SAME)                                                       \
    while (k < n - 1 && !(SAME(x[k], best))) k++;                             \
    return k;                                                                 \
  }
#define EQUAL(a, b) ((a) == (b))
#define EQUAL_F(a, b) (((a) == (b)) | (((a) != (a)) & ((b) != (b))))
FIND(find_i32, int32_t, EQUAL)
FIND(find_i64, int64_t, EQUAL)
FIND(find_u64, uint64_t, EQUAL)
FIND(find_f32, float, EQUAL_F)
FIND(find_f64, double, EQUAL_F)

#define SPOT_ROW(NAME, T, SFX, S, MEMBER, OP, EXTREME, LEAST)                 \
  static void NAME##_row_##SFX(const void *x, int64_t n, int64_t first,       \
                               int64_t step, union fs_cell *acc) {            \
    union fs_cell best = {.MEMBER = (LEAST)};                                 \
    FS_SYM(fs_rows)[EXTREME][FS_CT_OF_##SFX](x, n, &best);                    \
    struct spot_##S old = {acc[0].MEMBER, acc[1].i};                          \
    struct spot_##S b = {best.MEMBER, first};                                 \
    if (n <= 0 || OP##_##S(old, b).at != first) return;                       \
    b.at = first + step * find_##SFX(x, n, (T)best.MEMBER);                   \
    b = OP##_##S(old, b);                                                     \
    acc[0].MEMBER = b.value;                                                  \
    acc[1].i = b.at;                                                          \
  }

/* -- columns -------------------------------------------------------------- */

/* Whether a keeps its place before b, but where b alone is NaN. */
#define KEEPS_MAX(a, b) ((b) <= (a))
#define KEEPS_MIN(a, b) ((b) >= (a))

/* Where places ascend, equals change nothing. Few columns are gone down one by one. */
#define SPOT_COL(NAME, T, SFX, S, OP, KEEPS)                                  \
  FS_INLINE void NAME##_down_##SFX(const void *const *rows, int n_rows,       \
                                   int64_t first, int64_t step, int64_t k,    \
                                   T *value, int64_t *at) {                   \
    T a = value[k];                                                           \
    int64_t p = at[k];                                                        \
    for (int r = 0; r < n_rows; r++) {                                        \
      T b = ((const T *)rows[r])[k];                                          \
      bool takes = !KEEPS(a, b) & (a == a);                                   \
      a = takes ? b : a;                                                      \
      p = takes ? first + r * step : p;                                       \
    }                                                                         \
    value[k] = a;                                                             \
    at[k] = p;                                                                \
  }                                                                           \
  static void NAME##_col_##SFX(const void *const *rows, int n_rows,           \
                               int64_t first, int64_t step, int64_t n,        \
                               void *heads, union fs_cell *rest, int64_t pitch) { \
    (void)pitch;                                                              \
    enum { FEW = 16 };                                                        \
    T *value = heads;                                                         \
    int64_t *at = &rest->i;                                                   \
    int64_t k = 0;                                                            \
    for (; step && n < FEW && k < n; k++)                                     \
      NAME##_down_##SFX(rows, n_rows, first, step, k, value, at);             \
    for (int r = 0; r < n_rows && step && n >= FEW; r++) {                    \
      const T *x = rows[r];                                                   \
      const int64_t here = first + r * step;                                  \
      FS_EACH(e, n) {                                                         \
        T a = value[e], b = x[e];                                             \
        int64_t p = at[e];                                                    \
        bool takes = !KEEPS(a, b) & (a == a);                                 \
        value[e] = takes ? b : a;                                             \
        at[e] = takes ? here : p;                                             \
      }                                                                       \
    }                                                                         \
    for (int r = 0; r < n_rows && !step; r++)                                 \
      for (k = 0; k < n; k++) {                                               \
        struct spot_##S a = {value[k], at[k]};                                \
        a = OP##_##S(a, (struct spot_##S){((const T *)rows[r])[k], first});   \
        value[k] = (T)a.value;                                                \
        at[k] = a.at;                                                         \
      }                                                                       \
  }                                                                           \
  static void NAME##_fold_##SFX(const void *heads, const union fs_cell *rest, \
                                int64_t pitch, int64_t n, union fs_cell *cells) { \
    (void)pitch;                                                              \
    const T *value = heads;                                                   \
    for (int64_t k = 0; k < n; k++) {                                         \
      struct spot_##S a, b = {value[k], rest[k].i};                           \
      memcpy(&a, cells + 2 * k, sizeof a);                                    \
      a = OP##_##S(a, b);                                                     \
      memcpy(cells + 2 * k, &a, sizeof a);                                    \
    }                                                                         \
  }

#define SPOT_MERGE(NAME, S, OP)                                               \
  static void NAME##_merge_##S(const union fs_cell *part, int64_t n,          \
                               union fs_cell *cells) {                        \
    for (int64_t k = 0; k < n; k++) {                                         \
      struct spot_##S a, b;                                                   \
      memcpy(&a, cells + 2 * k, sizeof a);                                    \
      memcpy(&b, part + 2 * k, sizeof b);                                     \
      a = OP##_##S(a, b);                                                     \
      memcpy(cells + 2 * k, &a, sizeof a);                                    \
    }                                                                         \
  }

#define FS_CT_OF_i32 FS_CT_I32
#define FS_CT_OF_i64 FS_CT_I64
#define FS_CT_OF_u64 FS_CT_U64
#define FS_CT_OF_f32 FS_CT_F32
#define FS_CT_OF_f64 FS_CT_F64
#define SPOTS(NAME, OP, EXTREME, KEEPS, LEAST_I, LEAST_U, LEAST_F)           \
  SPOT_ROW(NAME, int32_t, i32, i, i, OP, EXTREME, LEAST_I)                    \
  SPOT_ROW(NAME, int64_t, i64, i, i, OP, EXTREME, LEAST_I)                    \
  SPOT_ROW(NAME, uint64_t, u64, u, u, OP, EXTREME, LEAST_U)                   \
  SPOT_ROW(NAME, float, f32, f, f, OP, EXTREME, LEAST_F)                      \
  SPOT_ROW(NAME, double, f64, f, f, OP, EXTREME, LEAST_F)                     \
  SPOT_COL(NAME, int32_t, i32, i, OP, KEEPS)                                  \
  SPOT_COL(NAME, int64_t, i64, i, OP, KEEPS)                                  \
  SPOT_COL(NAME, uint64_t, u64, u, OP, KEEPS)                                 \
  SPOT_COL(NAME, float, f32, f, OP, KEEPS)                                    \
  SPOT_COL(NAME, double, f64, f, OP, KEEPS)                                   \
  SPOT_MERGE(NAME, i, OP)                                                     \
  SPOT_MERGE(NAME, u, OP)                                                     \
  SPOT_MERGE(NAME, f, OP)
SPOTS(argmax, fs_first_largest, FS_RD_MAXR, KEEPS_MAX, INT64_MIN, 0, -__builtin_inf())
SPOTS(argmin, fs_first_smallest, FS_RD_MINR, KEEPS_MIN, INT64_MAX, UINT64_MAX, __builtin_inf())

static void place_finish(const union fs_cell *cells, int64_t n, union fs_cell *out) {
  for (int64_t k = 0; k < n; k++) out[k] = cells[2 * k + 1];
}

/* -- states of floats ------------------------------------------------------ */

#define fs_max(a, b) ((a) >= (b) || (a) != (a) ? (a) : (b))
#define fs_log_of log
/* exp(x), x <= 0; the C library takes long where nothing is left. */
FS_INLINE double fs_power_of_e(double x) { return x == 0 ? 1 : x < -746 ? 0 : exp(x); }
#define T double
#define FS_REDUCE_OP(...)
#define FS_SPOT_OP(...)
#define FS_STATE_OP(id, name, types, result, first, functor, words, fields, join, merge, \
                    finish, ...)                                                         \
  struct functor {                                                                       \
    fields;                                                                              \
  };                                                                                     \
  FS_INLINE void functor##_merge(struct functor *into, const union fs_cell *other) {     \
    struct functor s = *into, t;                                                         \
    memcpy(&t, other, sizeof t);                                                         \
    merge;                                                                               \
    *into = s;                                                                           \
  }                                                                                      \
  static void functor##_merges(const union fs_cell *part, int64_t n, union fs_cell *cells) { \
    for (int64_t k = 0; k < n; k++, part += words, cells += words) {                     \
      struct functor s;                                                                  \
      memcpy(&s, cells, sizeof s);                                                       \
      functor##_merge(&s, part);                                                         \
      memcpy(cells, &s, sizeof s);                                                       \
    }                                                                                    \
  }                                                                                      \
  FS_INLINE void functor##_fold(const void *heads, const union fs_cell *rest, int64_t pitch, \
                             int64_t n, union fs_cell *cells) {                          \
    const union fs_cell *head = heads;                                                   \
    for (int64_t k = 0; k < n; k++) {                                                    \
      union fs_cell one[words] = {head[k]};                                              \
      for (int w = 1; w < words; w++) one[w] = rest[(w - 1) * pitch + k];                \
      functor##_merges(one, 1, cells + k * words);                                       \
    }                                                                                    \
  }                                                                                      \
  FS_INLINE void functor##_finish(const union fs_cell *cells, int64_t n, union fs_cell *out) { \
    for (int64_t k = 0; k < n; k++) {                                                    \
      struct functor s;                                                                  \
      memcpy(&s, cells + k * words, sizeof s);                                           \
      out[k].f = finish;                                                                 \
    }                                                                                    \
  }
#include "core/graph/reductions.def"
#undef T

/* A strip's spread about its mean, which a first sum gives well enough. */
#define SPREAD_ROW(SFX, TYPE, LOAD)                                                      \
  static void spread_row_##SFX(const void *x_, int64_t n, int64_t first, int64_t step,   \
                               union fs_cell *acc) {                                     \
    (void)first, (void)step;                                                             \
    const TYPE *x = x_;                                                                  \
    if (n <= 0) return;                                                                  \
    union fs_cell sum = {.f = 0};                                                        \
    FS_SYM(fs_rows)[FS_RD_SUM][FS_CT_OF_##SFX](x, n, &sum);                              \
    double mean = sum.f / (double)n, s = 0, q = 0;                                       \
    fs_vd v = (fs_vd){0} + mean, s0 = {0}, s1 = {0}, q0 = {0}, q1 = {0};                 \
    int64_t k = 0;                                                                       \
    for (; k + 2 * FS_VD <= n; k += 2 * FS_VD) {                                         \
      fs_vd a = LOAD(x + k) - v, b = LOAD(x + k + FS_VD) - v;                            \
      s0 += a, s1 += b;                                                                  \
      q0 = fs_fma_f64(a, a, q0), q1 = fs_fma_f64(b, b, q1);                              \
    }                                                                                    \
    for (; k < n; k++) {                                                                 \
      double a = (double)x[k] - mean;                                                    \
      s += a, q = fs_fma1_f64(a, a, q);                                                  \
    }                                                                                    \
    for (int e = 0; e < FS_VD; e++) s += (s0 + s1)[e], q += (q0 + q1)[e];                \
    struct fs_spread all, strip = {n, mean, s, q};                                       \
    memcpy(&all, acc, sizeof all);                                                       \
    union fs_cell cells[4];                                                              \
    memcpy(cells, &strip, sizeof strip);                                                 \
    fs_spread_merge(&all, cells);                                                        \
    memcpy(acc, &all, sizeof all);                                                       \
  }

/* The rows at hand have a mean and squares about it, which then meet those of the column:
 * `part` is their share of its elements, `both` the weight of how far the means are apart. */
#define SPREAD_COL(SFX, TYPE, LOAD)                                                      \
  FS_INLINE void spread_cols_##SFX(const TYPE *const *row, const int count, int64_t n,   \
                                   double *mean, double *squares, double part,           \
                                   double both) {                                        \
    double each = 1 / (double)count;                                                     \
    int64_t k = 0;                                                                       \
    for (; k + FS_VD <= n; k += FS_VD) {                                                 \
      fs_vd x[8], m = {0}, q = {0};                                                      \
      for (int r = 0; r < count; r++) m += x[r] = LOAD(row[r] + k);                      \
      m *= each;                                                                         \
      for (int r = 0; r < count; r++) q = fs_fma_f64(x[r] - m, x[r] - m, q);             \
      fs_vd old = fs_load_f64(mean + k), d = m - old;                                    \
      fs_store_f64(squares + k, fs_load_f64(squares + k) + (q + d * d * both));          \
      fs_store_f64(mean + k, old + d * part);                                            \
    }                                                                                    \
    for (; k < n; k++) {                                                                 \
      double m = 0, q = 0;                                                               \
      for (int r = 0; r < count; r++) m += (double)row[r][k];                            \
      m *= each;                                                                         \
      for (int r = 0; r < count; r++)                                                    \
        q = fs_fma1_f64((double)row[r][k] - m, (double)row[r][k] - m, q);                \
      double d = m - mean[k];                                                            \
      squares[k] += q + d * d * both;                                                    \
      mean[k] += d * part;                                                               \
    }                                                                                    \
  }                                                                                      \
  static void spread_col_##SFX(const void *const *rows, int n_rows, int64_t first,       \
                               int64_t step, int64_t n, void *heads, union fs_cell *rest, \
                               int64_t pitch) {                                          \
    (void)first, (void)step;                                                             \
    union fs_cell *count = heads;                                                        \
    const int64_t had = n > 0 ? count->i : 0;                                            \
    for (int r = 0, some; r < n_rows; r += some) {                                       \
      const TYPE *const *row = (const TYPE *const *)rows + r;                            \
      double p = (double)(had + r), *mean = &rest->f, *squares = mean + 2 * pitch;       \
      some = n_rows - r >= 8 ? 8 : 1;                                                    \
      double part = some / (p + some);                                                   \
      if (some == 8) spread_cols_##SFX(row, 8, n, mean, squares, part, p * part);        \
      else spread_cols_##SFX(row, 1, n, mean, squares, part, p * part);                  \
    }                                                                                    \
    for (int64_t k = 0; k < n; k++) count[k].i = had + n_rows;                           \
  }
SPREAD_ROW(f32, float, fs_load_wide)
SPREAD_ROW(f64, double, fs_load_f64)
SPREAD_COL(f32, float, fs_load_wide)
SPREAD_COL(f64, double, fs_load_f64)

/* Raises what exponents are taken away from to `top`, as far as that is finite. */
FS_INLINE void raise(double top, double most, double *at, double *sum) {
  double to = top < most ? top : most;
  *sum *= fs_power_of_e(*at - to);
  *at = to;
}

/* `x - at` and its exponential, piece by piece. */
enum { PIECE = 512, COLUMNS = 256, MOST_ROWS = 64, AT_ONCE = 8 };
/* Where nothing has been added to any of the cells yet they become what is added. */
FS_INLINE bool took_first(const double *at, const union fs_cell *sum, int64_t n,
                          union fs_cell *cells) {
  int64_t any = 0;
  for (int64_t e = 0; e < n; e++) any += cells[2 * e + 1].f != 0;
  for (int64_t e = 0; e < n && !any; e++) cells[2 * e].f = at[e], cells[2 * e + 1] = sum[e];
  return !any;
}

/* Of two sums one is scaled, that of the smaller elements; where one has nothing yet the exponent
 * is 0, whose exponential needs no exception. */
static void log_sum_fold(const void *heads, const union fs_cell *rest, int64_t pitch, int64_t n,
                         union fs_cell *cells) {
  (void)pitch;
  double scale[COLUMNS];
  for (int64_t k = 0, some; k < n; k += some, cells += 2 * some) {
    const double *at = (const double *)heads + k;
    some = FS_MIN(n - k, COLUMNS);
    if (took_first(at, rest + k, some, cells)) continue;
    for (int64_t e = 0; e < some; e++) {
      bool both = cells[2 * e + 1].f != 0 && rest[k + e].f != 0;
      scale[e] = both ? -fabs(cells[2 * e].f - at[e]) : 0;
    }
    FS_SYM(fs_maps)[FS_OP_EXP][FS_CT_F64][0](scale, scale, NULL, NULL, some);
    for (int64_t e = 0; e < some; e++) {
      union fs_cell *c = cells + 2 * e;
      bool kept = c->f >= at[e];
      c[1].f = c[1].f * (kept ? 1 : scale[e]) + rest[k + e].f * (kept ? scale[e] : 1);
      c->f = kept ? c->f : at[e];
    }
  }
}

static void log_sum_finish(const union fs_cell *cells, int64_t n, union fs_cell *out) {
  double log_of[COLUMNS];
  for (int64_t k = 0, some; k < n; k += some, cells += 2 * some) {
    some = FS_MIN(n - k, COLUMNS);
    for (int64_t e = 0; e < some; e++) log_of[e] = cells[2 * e + 1].f;
    FS_SYM(fs_maps)[FS_OP_LOG][FS_CT_F64][0](log_of, log_of, NULL, NULL, some);
    for (int64_t e = 0; e < some; e++) out[k + e].f = cells[2 * e].f + log_of[e];
  }
}

#define LOG_SUM(SFX, TYPE, MOST)                                                         \
  static void log_sum_row_##SFX(const void *x_, int64_t n, int64_t first, int64_t step,  \
                                union fs_cell *acc) {                                    \
    (void)first, (void)step;                                                             \
    const TYPE *x = x_;                                                                  \
    union fs_cell top = {.f = -__builtin_inf()};                                         \
    FS_SYM(fs_rows)[FS_RD_MAXR][FS_CT_OF_##SFX](x, n, &top);                             \
    if (top.f > acc[0].f + 1) raise(top.f, MOST, &acc[0].f, &acc[1].f);                  \
    const TYPE at = (TYPE)acc[0].f;                                                      \
    TYPE t[PIECE];                                                                       \
    for (int64_t k = 0, some; k < n; k += some) {                                        \
      some = FS_MIN(n - k, PIECE);                                                       \
      for (int64_t e = 0; e < some; e++) t[e] = x[k + e] - at;                           \
      FS_SYM(fs_maps)[FS_OP_EXP][FS_CT_OF_##SFX][0](t, t, NULL, NULL, some);             \
      FS_SYM(fs_rows)[FS_RD_SUM][FS_CT_OF_##SFX](t, some, acc + 1);                      \
    }                                                                                    \
  }                                                                                      \
  FS_INLINE void log_sum_cols_##SFX(const void *const *rows, int n_rows, int64_t n,      \
                                    double *from, double *sum) {                         \
    TYPE top[COLUMNS], at[COLUMNS], more[COLUMNS] = {0}, t[AT_ONCE * COLUMNS];           \
    const void *part[MOST_ROWS];                                                         \
    const int at_once = (int)FS_MIN(AT_ONCE * COLUMNS / n, MOST_ROWS);                   \
    int64_t above = 0;                                                                   \
    FS_EACH(e, n) { top[e] = -__builtin_inff(); }                                        \
    FS_SYM(fs_cols)[FS_RD_MAXR][FS_CT_OF_##SFX](rows, n_rows, n, top);                   \
    FS_EACH(e, n) { above += (double)top[e] > from[e] + 1; }                             \
    for (int64_t e = 0; e < n && above; e++)                                             \
      if ((double)top[e] > from[e] + 1) raise((double)top[e], MOST, from + e, sum + e);  \
    FS_EACH(e, n) { at[e] = (TYPE)from[e]; }                                             \
    for (int r = 0, some; r < n_rows; r += some) {                                       \
      some = FS_MIN(n_rows - r, at_once);                                                \
      for (int q = 0; q < some; q++) {                                                   \
        const TYPE *x = rows[r + q];                                                     \
        TYPE *to = t + q * n;                                                            \
        part[q] = to;                                                                    \
        FS_EACH(e, n) { to[e] = x[e] - at[e]; }                                          \
      }                                                                                  \
      FS_SYM(fs_maps)[FS_OP_EXP][FS_CT_OF_##SFX][0](t, t, NULL, NULL, some * n);         \
      FS_SYM(fs_cols)[FS_RD_SUM][FS_CT_OF_##SFX](part, some, n, more);                   \
    }                                                                                    \
    FS_EACH(e, n) { sum[e] += (double)more[e]; }                                         \
  }                                                                                      \
  static void log_sum_col_##SFX(const void *const *rows, int n_rows, int64_t first,      \
                                int64_t step, int64_t n, void *heads, union fs_cell *rest, \
                                int64_t pitch) {                                         \
    (void)first, (void)step, (void)pitch;                                                \
    const void *part[MOST_ROWS];                                                         \
    for (int64_t k = 0; k < n; k += COLUMNS)                                             \
      for (int r = 0; r < n_rows; r += MOST_ROWS) {                                      \
        int some = FS_MIN(n_rows - r, MOST_ROWS);                                        \
        for (int q = 0; q < some; q++) part[q] = (const TYPE *)rows[r + q] + k;          \
        log_sum_cols_##SFX(part, some, FS_MIN(n - k, COLUMNS), (double *)heads + k,      \
                           &rest[k].f);                                                  \
      }                                                                                  \
  }
LOG_SUM(f32, float, FLT_MAX)
LOG_SUM(f64, double, DBL_MAX)

/* -- tables ---------------------------------------------------------------- */

#define BY_NUMBER(NAME)                                                       \
  {                                                                           \
    [FS_CT_I32] = NAME##_i32, [FS_CT_I64] = NAME##_i64,                       \
    [FS_CT_U64] = NAME##_u64,                                                 \
    [FS_CT_F32] = NAME##_f32, [FS_CT_F64] = NAME##_f64                        \
  }
#define OF_FLOATS(NAME) {[FS_CT_F32] = NAME##_f32, [FS_CT_F64] = NAME##_f64}
#define BY_STATE(NAME)                                                        \
  {                                                                           \
    [FS_CT_I32] = NAME##_i, [FS_CT_I64] = NAME##_i, [FS_CT_U64] = NAME##_u,   \
    [FS_CT_F32] = NAME##_f, [FS_CT_F64] = NAME##_f                            \
  }
#define EITHER(NAME) {[FS_CT_F32] = NAME, [FS_CT_F64] = NAME}
fs_state_row_fn *const FS_SYM(fs_state_rows)[FS_REDUCE_OP_COUNT][FS_CT_COUNT] = {
  [FS_RD_ARGMAX] = BY_NUMBER(argmax_row), [FS_RD_ARGMIN] = BY_NUMBER(argmin_row),
  [FS_RD_VAR] = OF_FLOATS(spread_row), [FS_RD_LOGSUMEXP] = OF_FLOATS(log_sum_row)};
fs_state_col_fn *const FS_SYM(fs_state_cols)[FS_REDUCE_OP_COUNT][FS_CT_COUNT] = {
  [FS_RD_ARGMAX] = BY_NUMBER(argmax_col), [FS_RD_ARGMIN] = BY_NUMBER(argmin_col),
  [FS_RD_VAR] = OF_FLOATS(spread_col), [FS_RD_LOGSUMEXP] = OF_FLOATS(log_sum_col)};
fs_state_fold_fn *const FS_SYM(fs_state_folds)[FS_REDUCE_OP_COUNT][FS_CT_COUNT] = {
  [FS_RD_ARGMAX] = BY_NUMBER(argmax_fold), [FS_RD_ARGMIN] = BY_NUMBER(argmin_fold),
  [FS_RD_VAR] = EITHER(fs_spread_fold), [FS_RD_LOGSUMEXP] = EITHER(log_sum_fold)};
fs_state_merge_fn *const FS_SYM(fs_state_merges)[FS_REDUCE_OP_COUNT][FS_CT_COUNT] = {
  [FS_RD_ARGMAX] = BY_STATE(argmax_merge), [FS_RD_ARGMIN] = BY_STATE(argmin_merge),
  [FS_RD_VAR] = EITHER(fs_spread_merges), [FS_RD_LOGSUMEXP] = EITHER(fs_log_sum_merges)};
fs_state_finish_fn *const FS_SYM(fs_state_finishes)[FS_REDUCE_OP_COUNT] = {
  [FS_RD_ARGMAX] = place_finish, [FS_RD_ARGMIN] = place_finish,
  [FS_RD_VAR] = fs_spread_finish, [FS_RD_LOGSUMEXP] = log_sum_finish};
