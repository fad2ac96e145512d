/* reduce.c - reductions of strips in a fixed order.
 *
 * Along a row: each vector lane takes every LANES-th element, lanes are folded
 * pairwise, f32 lanes in double, into the caller's cell; the walker's strips
 * are short, so no f32 lane takes more than ~250 terms (1,024 where a vector is
 * of 16 bytes). Along columns: plain
 * accumulators per column, at most ~1000 terms, folded in double.
 */
#include "elemlib/cpu/parts.h"
#include "elemlib/cpu/simd.h"

/* -- folding lanes -------------------------------------------------------- */

/* In registers, where the set has words for halves: by way of memory it took longer than
 * to sum the 64 elements of a row. The order is the same. */
#if defined __AVX2__
FS_INLINE double fold_four(__m256d x) {
  __m128d two = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}
#endif
FS_INLINE double fold_f64(fs_vd v) {
#if defined __AVX512F__
  __m512d x = (__m512d)v;
  return fold_four(
      _mm256_add_pd(_mm512_castpd512_pd256(x), _mm512_extractf64x4_pd(x, 1)));
#elif defined __AVX2__
  return fold_four((__m256d)v);
#else
  double t[FS_VD];
  fs_store_f64(t, v);
  for (int half = FS_VD / 2; half > 0; half /= 2)
    for (int k = 0; k < half; k++) t[k] += t[k + half];
  return t[0];
#endif
}
FS_INLINE double fold_f32(fs_vf v) {
#if defined __AVX512F__
  __m512 x = (__m512)v;
  __m256 upper =
      _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x), 1));
  fs_vd lo = (fs_vd)_mm512_cvtps_pd(_mm512_castps512_ps256(x));
  fs_vd hi = (fs_vd)_mm512_cvtps_pd(upper);
  return fold_f64(lo + hi);
#else
  double t[FS_VF];
  for (int k = 0; k < FS_VF; k++) t[k] = (double)v[k];
  for (int half = FS_VF / 2; half > 0; half /= 2)
    for (int k = 0; k < half; k++) t[k] += t[k + half];
  return t[0];
#endif
}

/* Four vectors at once, each to its cell: where rows are narrow, folds take longer than
 * products. The sums are those of a fold of each. */
#if defined __AVX512F__
FS_INLINE void fold_rows_f64(const fs_vd *v, union fs_cell *acc) {
  enum { LOW = 0x44, HIGH = 0xee, EVEN = 0x88, ODD = 0xdd };
  __m512d a = (__m512d)v[0], b = (__m512d)v[1], c = (__m512d)v[2], d = (__m512d)v[3];
  __m512d ab = _mm512_add_pd(_mm512_shuffle_f64x2(a, b, LOW),
                             _mm512_shuffle_f64x2(a, b, HIGH));
  __m512d cd = _mm512_add_pd(_mm512_shuffle_f64x2(c, d, LOW),
                             _mm512_shuffle_f64x2(c, d, HIGH));
  __m512d two = _mm512_add_pd(_mm512_shuffle_f64x2(ab, cd, EVEN),
                              _mm512_shuffle_f64x2(ab, cd, ODD));
  __m512d one = _mm512_add_pd(two, _mm512_permute_pd(two, 0x55));
  __m256d sums = _mm512_castpd512_pd256(
      _mm512_permutexvar_pd(_mm512_set_epi64(0, 0, 0, 0, 6, 4, 2, 0), one));
  _mm256_storeu_pd(&acc->f, _mm256_add_pd(_mm256_loadu_pd(&acc->f), sums));
}
FS_INLINE fs_vd halves_f32(fs_vf v) {
  __m512 x = (__m512)v;
  __m256 upper =
      _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x), 1));
  return (fs_vd)_mm512_cvtps_pd(_mm512_castps512_ps256(x)) +
         (fs_vd)_mm512_cvtps_pd(upper);
}
FS_INLINE void fold_rows_f32(const fs_vf *v, union fs_cell *acc) {
  fs_vd wide[4];
  for (int r = 0; r < 4; r++) wide[r] = halves_f32(v[r]);
  fold_rows_f64(wide, acc);
}
#else
FS_INLINE void fold_rows_f64(const fs_vd *v, union fs_cell *acc) {
  for (int r = 0; r < 4; r++) acc[r].f += fold_f64(v[r]);
}
FS_INLINE void fold_rows_f32(const fs_vf *v, union fs_cell *acc) {
  for (int r = 0; r < 4; r++) acc[r].f += fold_f32(v[r]);
}
#endif

/* -- dot products --------------------------------------------------------- */

/* ROWS rows at once against one x; two accumulators per row. The tail goes to the
 * lanes as well: added one by one, 29 elements took longer than the 832 before. */
#define DOT_ROWS(T, V, LANES, SFX)                                       \
  FS_INLINE void dot_rows_##SFX(const T *const *row, const int count,    \
                                const T *x, int64_t n,                   \
                                union fs_cell *acc) {                    \
    V s0[4] = {0}, s1[4] = {0};                                          \
    int64_t k = 0;                                                       \
    for (; k + 2 * LANES <= n; k += 2 * LANES) {                         \
      V x0 = fs_load_##SFX(x + k), x1 = fs_load_##SFX(x + k + LANES);    \
      for (int r = 0; r < count; r++) {                                  \
        s0[r] = fs_fma_##SFX(fs_load_##SFX(row[r] + k), x0, s0[r]);      \
        s1[r] = fs_fma_##SFX(fs_load_##SFX(row[r] + k + LANES), x1,      \
                             s1[r]);                                     \
      }                                                                  \
    }                                                                    \
    if (k + LANES <= n) {                                                \
      V x0 = fs_load_##SFX(x + k);                                       \
      for (int r = 0; r < count; r++)                                    \
        s0[r] = fs_fma_##SFX(fs_load_##SFX(row[r] + k), x0, s0[r]);      \
      k += LANES;                                                        \
    }                                                                    \
    if (k < n) {                                                         \
      V x0 = fs_load_part_##SFX(x + k, n - k);                           \
      for (int r = 0; r < count; r++)                                    \
        s1[r] = fs_fma_##SFX(fs_load_part_##SFX(row[r] + k, n - k), x0,  \
                             s1[r]);                                     \
    }                                                                    \
    for (int r = 0; r < count; r++) s0[r] += s1[r];                      \
    if (count == 4) fold_rows_##SFX(s0, acc);                            \
    else acc->f += fold_##SFX(s0[0]);                                    \
  }                                                                      \
  void FS_SYM(fs_rowdot_##SFX)(const void *const *rows, int n_rows,      \
                               const void *x, int64_t n,                 \
                               union fs_cell *acc) {                     \
    const T *const *row = (const T *const *)rows;                        \
    int r = 0;                                                           \
    for (; r + 4 <= n_rows; r += 4)                                      \
      dot_rows_##SFX(row + r, 4, x, n, acc + r);                         \
    for (; r < n_rows; r++) {                                            \
      if (row[r] == x) dot_rows_##SFX(row + r, 1, row[r], n, acc + r);   \
      else dot_rows_##SFX(row + r, 1, x, n, acc + r);                    \
    } /* of itself: read once */                                         \
  }
DOT_ROWS(float, fs_vf, FS_VF, f32)
DOT_ROWS(double, fs_vd, FS_VD, f64)

/* Products of f32 in f64, where all of them fit: norms have no overflow. Loads and
 * conversions are as fast as the caches. */
FS_INLINE void dot_wide(const float *a, const float *b, const bool square,
                        int64_t n, union fs_cell *acc) {
  enum { AT_ONCE = 4 };
  fs_vd s[AT_ONCE] = {0};
  int64_t k = 0;
  for (; k + AT_ONCE * FS_VD <= n; k += AT_ONCE * FS_VD)
    for (int q = 0; q < AT_ONCE; q++) {
      fs_vd x = fs_load_wide(a + k + q * FS_VD);
      fs_vd y = square ? x : fs_load_wide(b + k + q * FS_VD);
      s[q] = fs_fma_f64(x, y, s[q]);
    }
  double tail = 0;
  for (; k < n; k++) tail = fs_fma1_f64((double)a[k], (double)b[k], tail);
  acc->f += fold_f64((s[0] + s[1]) + (s[2] + s[3])) + tail;
}

void FS_SYM(fs_rowdot_wide)(const void *const *rows, int n_rows, const void *x,
                            int64_t n, union fs_cell *acc) {
  for (int r = 0; r < n_rows; r++)
    if (rows[r] == x) dot_wide(rows[r], rows[r], true, n, acc + r);
    else dot_wide(rows[r], x, false, n, acc + r);
}

/* -- one row -------------------------------------------------------------- */

#define SUM_ROW(T, V, LANES, SFX)                                        \
  static void sum_##SFX(const void *x_, int64_t n, union fs_cell *acc) { \
    const T *x = x_;                                                     \
    V s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};                            \
    int64_t k = 0;                                                       \
    for (; k + 4 * LANES <= n; k += 4 * LANES) {                         \
      s0 += fs_load_##SFX(x + k);                                        \
      s1 += fs_load_##SFX(x + k + LANES);                                \
      s2 += fs_load_##SFX(x + k + 2 * LANES);                            \
      s3 += fs_load_##SFX(x + k + 3 * LANES);                            \
    }                                                                    \
    for (; k + LANES <= n; k += LANES) s0 += fs_load_##SFX(x + k);       \
    if (k < n) s1 += fs_load_part_##SFX(x + k, n - k);                   \
    acc->f += fold_##SFX((s0 + s1) + (s2 + s3));                         \
  }
SUM_ROW(float, fs_vf, FS_VF, f32)
SUM_ROW(double, fs_vd, FS_VD, f64)

/* Eight interleaved partial results, folded in order: the compiler makes one
 * vector of them. */
#define EIGHT_ROW(NAME, T, ACC, MEMBER, INIT, STEP)                      \
  static void NAME(const void *x_, int64_t n, union fs_cell *acc) {      \
    const T *x = x_;                                                     \
    ACC s[8];                                                            \
    for (int q = 0; q < 8; q++) s[q] = (INIT);                           \
    int64_t k = 0;                                                       \
    for (; k + 8 <= n; k += 8)                                           \
      for (int q = 0; q < 8; q++) s[q] = STEP(s[q], (ACC)x[k + q]);      \
    for (; k < n; k++) s[0] = STEP(s[0], (ACC)x[k]);                     \
    for (int q = 1; q < 8; q++) s[0] = STEP(s[0], s[q]);                 \
    acc->MEMBER = STEP(acc->MEMBER, s[0]);                               \
  }
#define ADD_I(a, b) ((int64_t)((uint64_t)(a) + (uint64_t)(b)))
#define MUL_I(a, b) ((int64_t)((uint64_t)(a) * (uint64_t)(b)))
#define ADD_F(a, b) ((a) + (b))
#define MUL_F(a, b) ((a) * (b))
#define MIN_I(a, b) ((a) <= (b) ? (a) : (b))
#define MAX_I(a, b) ((a) >= (b) ? (a) : (b))
#define MIN_F(a, b) ((((a) <= (b)) | ((a) != (a))) ? (a) : (b))
#define MAX_F(a, b) ((((a) >= (b)) | ((a) != (a))) ? (a) : (b))
#define OR_I(a, b) ((a) | ((b) != 0))
#define AND_I(a, b) ((a) & ((b) != 0))

EIGHT_ROW(prod_f32, float, double, f, 1, MUL_F)
EIGHT_ROW(prod_f64, double, double, f, 1, MUL_F)
/* Truth values: a byte holds the sum of 255. */
static void sum_u8(const void *x_, int64_t n, union fs_cell *acc) {
  enum { LANES = 64, MOST = 255 };
  const uint8_t *x = x_;
  int64_t sum = 0;
  while (n >= LANES) {
    uint8_t part[LANES] = {0};
    int64_t rows = n / LANES < MOST ? n / LANES : MOST;
    for (int64_t r = 0; r < rows; r++, x += LANES)
      for (int k = 0; k < LANES; k++) part[k] = (uint8_t)(part[k] + x[k]);
    for (int k = 0; k < LANES; k++) sum += part[k];
    n -= rows * LANES;
  }
  for (int64_t k = 0; k < n; k++) sum += x[k];
  acc->i += sum;
}
EIGHT_ROW(sum_i32, int32_t, int64_t, i, 0, ADD_I)
EIGHT_ROW(sum_i64, int64_t, int64_t, i, 0, ADD_I)
EIGHT_ROW(sum_u64, uint64_t, uint64_t, u, 0, ADD_F)
EIGHT_ROW(prod_u8, uint8_t, int64_t, i, 1, MUL_I)
EIGHT_ROW(prod_i32, int32_t, int64_t, i, 1, MUL_I)
EIGHT_ROW(prod_i64, int64_t, int64_t, i, 1, MUL_I)
EIGHT_ROW(prod_u64, uint64_t, uint64_t, u, 1, MUL_F)
EIGHT_ROW(min_u8, uint8_t, int64_t, i, INT64_MAX, MIN_I)
EIGHT_ROW(min_i32, int32_t, int64_t, i, INT64_MAX, MIN_I)
EIGHT_ROW(min_i64, int64_t, int64_t, i, INT64_MAX, MIN_I)
EIGHT_ROW(min_u64, uint64_t, uint64_t, u, UINT64_MAX, MIN_I)
EIGHT_ROW(max_u8, uint8_t, int64_t, i, INT64_MIN, MAX_I)
EIGHT_ROW(max_i32, int32_t, int64_t, i, INT64_MIN, MAX_I)
EIGHT_ROW(max_i64, int64_t, int64_t, i, INT64_MIN, MAX_I)
EIGHT_ROW(max_u64, uint64_t, uint64_t, u, 0, MAX_I)
EIGHT_ROW(any_u8, uint8_t, int64_t, i, 0, OR_I)
EIGHT_ROW(all_u8, uint8_t, int64_t, i, 1, AND_I)

/* Largest and smallest: 32 partial results in the operand's own type. */
#define EXTREME_ROW(NAME, T, INIT, STEP)                                 \
  static void NAME(const void *x_, int64_t n, union fs_cell *acc) {      \
    const T *x = x_;                                                     \
    enum { LANES = 128 / sizeof(T) };                                    \
    T s[LANES];                                                          \
    for (int q = 0; q < LANES; q++) s[q] = (INIT);                       \
    int64_t k = 0;                                                       \
    for (; k + LANES <= n; k += LANES)                                   \
      for (int q = 0; q < LANES; q++) s[q] = STEP(s[q], x[k + q]);       \
    for (; k + 8 <= n; k += 8)                                           \
      for (int q = 0; q < 8; q++) s[q] = STEP(s[q], x[k + q]);           \
    for (int q = 0; q < 8 && k < n && n >= 8; q++)                       \
      s[q] = STEP(s[q], x[n - 8 + q]); /* some of them once more */      \
    for (; k < n && n < 8; k++) s[0] = STEP(s[0], x[k]);                 \
    for (int half = LANES / 2; half > 0; half /= 2)                      \
      for (int q = 0; q < half; q++) s[q] = STEP(s[q], s[q + half]);     \
    acc->f = STEP(acc->f, (double)s[0]);                                 \
  }
EXTREME_ROW(min_f32, float, __builtin_inff(), MIN_F)
EXTREME_ROW(min_f64, double, __builtin_inf(), MIN_F)
EXTREME_ROW(max_f32, float, -__builtin_inff(), MAX_F)
EXTREME_ROW(max_f64, double, -__builtin_inf(), MAX_F)

#define NUMBERS(NAME)                                                   \
  {                                                                     \
    [FS_CT_BOOL] = NAME##_u8, [FS_CT_I32] = NAME##_i32,                   \
    [FS_CT_I64] = NAME##_i64, [FS_CT_U64] = NAME##_u64,                 \
    [FS_CT_F32] = NAME##_f32, [FS_CT_F64] = NAME##_f64                  \
  }
fs_row_fn *const FS_SYM(fs_rows)[FS_REDUCE_OP_COUNT][FS_CT_COUNT] = {
  [FS_RD_SUM] = NUMBERS(sum),
  [FS_RD_PROD] = NUMBERS(prod),
  [FS_RD_MAXR] = NUMBERS(max),
  [FS_RD_MINR] = NUMBERS(min),
  [FS_RD_ANY] = {[FS_CT_BOOL] = any_u8},
  [FS_RD_ALL] = {[FS_CT_BOOL] = all_u8},
};

/* -- columns -------------------------------------------------------------- */

/* The rows at hand are summed before they meet the accumulator: it then takes an
 * eighth of the additions, and its rounding error shrinks likewise. */
#define COL_DOT(T, V, LANES, SFX)                                        \
  FS_INLINE V col_dots_##SFX(const T *const *row, const int count,       \
                             const V *c, int64_t k) {                    \
    V s = fs_load_##SFX(row[0] + k) * c[0];                              \
    for (int r = 1; r < count; r++)                                      \
      s = fs_fma_##SFX(fs_load_##SFX(row[r] + k), c[r], s);              \
    return fs_load_##SFX(row[count] + k) + s;                            \
  }                                                                      \
  FS_INLINE void col_dot_##SFX(const T *const *rows, const int count,    \
                               const T *coef, int64_t n, T *acc) {       \
    const T *row[9];                                                     \
    V c[8];                                                              \
    for (int r = 0; r < count; r++) c[r] = (V){0} + coef[r];             \
    for (int r = 0; r < count; r++) row[r] = rows[r];                    \
    row[count] = acc;                                                    \
    int64_t k = 0;                                                       \
    for (; k + 2 * LANES <= n; k += 2 * LANES) {                         \
      V s = col_dots_##SFX(row, count, c, k);                            \
      V t = col_dots_##SFX(row, count, c, k + LANES);                    \
      fs_store_##SFX(acc + k, s);                                        \
      fs_store_##SFX(acc + k + LANES, t);                                \
    }                                                                    \
    if (k + LANES <= n) {                                                \
      fs_store_##SFX(acc + k, col_dots_##SFX(row, count, c, k));         \
      k += LANES;                                                        \
    }                                                                    \
    for (; k < n; k++) {                                                 \
      T s = row[0][k] * coef[0];                                         \
      for (int r = 1; r < count; r++)                                    \
        s = fs_fma1_##SFX(row[r][k], coef[r], s);                        \
      acc[k] += s;                                                       \
    }                                                                    \
  }                                                                      \
  void FS_SYM(fs_coldot_##SFX)(const void *const *rows, int n_rows,      \
                               const void *coef_, int64_t n,             \
                               void *acc) {                              \
    const T *const *row = (const T *const *)rows;                        \
    const T *coef = coef_;                                               \
    int r = 0;                                                           \
    for (; r + 8 <= n_rows; r += 8)                                      \
      col_dot_##SFX(row + r, 8, coef + r, n, acc);                       \
    for (; r + 4 <= n_rows; r += 4)                                      \
      col_dot_##SFX(row + r, 4, coef + r, n, acc);                       \
    for (; r < n_rows; r++) col_dot_##SFX(row + r, 1, coef + r, n, acc); \
  }                                                                      \
  FS_INLINE V col_products_##SFX(const T *const *a, const T *const *b,   \
                                 const int count, const bool square,     \
                                 const T *acc, int64_t k) {              \
    V x = fs_load_##SFX(a[0] + k);                                       \
    V s = x * (square ? x : fs_load_##SFX(b[0] + k));                    \
    for (int r = 1; r < count; r++) {                                    \
      x = fs_load_##SFX(a[r] + k);                                       \
      s = fs_fma_##SFX(x, square ? x : fs_load_##SFX(b[r] + k), s);      \
    }                                                                    \
    return fs_load_##SFX(acc + k) + s;                                   \
  }                                                                      \
  FS_INLINE void col_mul_##SFX(const T *const *a_, const T *const *b_,   \
                               const int count, const bool square,       \
                               int64_t n, T *acc) {                      \
    const T *a[8], *b[8];                                                \
    for (int r = 0; r < count; r++) a[r] = a_[r], b[r] = b_[r];          \
    int64_t k = 0;                                                       \
    for (; k + 2 * LANES <= n; k += 2 * LANES) {                         \
      V s = col_products_##SFX(a, b, count, square, acc, k);             \
      V t = col_products_##SFX(a, b, count, square, acc, k + LANES);     \
      fs_store_##SFX(acc + k, s);                                        \
      fs_store_##SFX(acc + k + LANES, t);                                \
    }                                                                    \
    for (; k < n; k++) {                                                 \
      T s = a[0][k] * b[0][k];                                           \
      for (int r = 1; r < count; r++)                                    \
        s = fs_fma1_##SFX(a[r][k], b[r][k], s);                          \
      acc[k] += s;                                                       \
    }                                                                    \
  }                                                                      \
  void FS_SYM(fs_colmul_##SFX)(const void *const *a_,                    \
                               const void *const *b_, int n_rows,        \
                               int64_t n, void *acc) {                   \
    const T *const *a = (const T *const *)a_;                            \
    const T *const *b = (const T *const *)b_;                            \
    int r = 0;                                                           \
    for (; a[0] == b[0] && r + 8 <= n_rows; r += 8) /* squares */        \
      col_mul_##SFX(a + r, b + r, 8, true, n, acc);                      \
    for (; r + 4 <= n_rows; r += 4)                                      \
      col_mul_##SFX(a + r, b + r, 4, false, n, acc);                     \
    for (; r < n_rows; r++)                                              \
      col_mul_##SFX(a + r, b + r, 1, false, n, acc);                     \
  }
COL_DOT(float, fs_vf, FS_VF, f32)
COL_DOT(double, fs_vd, FS_VD, f64)

/* Each operand is read once, whatever STEP does with it: what is read under a
 * condition keeps the compiler from making vectors of it. */
#define COL(NAME, T, ACC, STEP)                                          \
  static void NAME(const void *const *rows, int n_rows, int64_t n,       \
                   void *acc_) {                                         \
    ACC *acc = acc_;                                                     \
    int r = 0;                                                           \
    for (; r + 4 <= n_rows; r += 4) {                                    \
      const T *a = rows[r], *b = rows[r + 1], *c = rows[r + 2],          \
              *d = rows[r + 3];                                          \
      FS_EACH(k, n) {                                                    \
        ACC p = (ACC)a[k], q = (ACC)b[k], s = (ACC)STEP(p, q);           \
        ACC u = (ACC)c[k], v = (ACC)d[k], t = (ACC)STEP(u, v);           \
        ACC w = (ACC)STEP(s, t), old = acc[k];                           \
        acc[k] = (ACC)STEP(old, w);                                      \
      }                                                                  \
    }                                                                    \
    for (; r < n_rows; r++) {                                            \
      const T *a = rows[r];                                              \
      FS_EACH(k, n) {                                                    \
        ACC old = acc[k], p = (ACC)a[k];                                 \
        acc[k] = (ACC)STEP(old, p);                                      \
      }                                                                  \
    }                                                                    \
  }
/* Sums of floats, eight rows at once: that many rows are read from memory faster than
 * one after the other, with the accumulators between them. */
#define SUM_COL(T, V, LANES, SFX)                                        \
  FS_INLINE V sum_rows_##SFX(const T *const *row, const int count,       \
                             const T *acc, int64_t k) {                  \
    V s = fs_load_##SFX(row[0] + k);                                     \
    for (int r = 1; r < count; r++) s += fs_load_##SFX(row[r] + k);      \
    return fs_load_##SFX(acc + k) + s;                                   \
  }                                                                      \
  FS_INLINE void col_sum_##SFX##_of(const void *const *rows,             \
                                    const int count, int64_t n, T *acc) {\
    const T *row[8];                                                     \
    for (int r = 0; r < count; r++) row[r] = rows[r];                    \
    int64_t k = 0;                                                       \
    for (; k + 2 * LANES <= n; k += 2 * LANES) {                         \
      V s = sum_rows_##SFX(row, count, acc, k);                          \
      V t = sum_rows_##SFX(row, count, acc, k + LANES);                  \
      fs_store_##SFX(acc + k, s);                                        \
      fs_store_##SFX(acc + k + LANES, t);                                \
    }                                                                    \
    for (int64_t left; k < n; k += left) {                               \
      left = FS_MIN(n - k, (int64_t)LANES);                              \
      V s = fs_load_part_##SFX(row[0] + k, left);                        \
      for (int r = 1; r < count; r++)                                    \
        s += fs_load_part_##SFX(row[r] + k, left);                       \
      s = fs_load_part_##SFX(acc + k, left) + s;                         \
      fs_store_part_##SFX(acc + k, s, left);                             \
    }                                                                    \
  }                                                                      \
  static void col_sum_##SFX(const void *const *rows, int n_rows,         \
                            int64_t n, void *acc) {                      \
    int r = 0;                                                           \
    for (; r + 8 <= n_rows; r += 8) col_sum_##SFX##_of(rows + r, 8, n, acc); \
    for (; r + 4 <= n_rows; r += 4) col_sum_##SFX##_of(rows + r, 4, n, acc); \
    for (; r < n_rows; r++) col_sum_##SFX##_of(rows + r, 1, n, acc);     \
  }
COL(col_sum_u8, uint8_t, int64_t, ADD_I)
COL(col_sum_i32, int32_t, int64_t, ADD_I)
COL(col_sum_i64, int64_t, int64_t, ADD_I)
COL(col_sum_u64, uint64_t, uint64_t, ADD_F)
SUM_COL(float, fs_vf, FS_VF, f32)
SUM_COL(double, fs_vd, FS_VD, f64)
COL(col_prod_u8, uint8_t, int64_t, MUL_I)
COL(col_prod_i32, int32_t, int64_t, MUL_I)
COL(col_prod_i64, int64_t, int64_t, MUL_I)
COL(col_prod_u64, uint64_t, uint64_t, MUL_F)
COL(col_prod_f32, float, float, MUL_F)
COL(col_prod_f64, double, double, MUL_F)
COL(col_min_u8, uint8_t, uint8_t, MIN_I)
COL(col_min_i32, int32_t, int32_t, MIN_I)
COL(col_min_i64, int64_t, int64_t, MIN_I)
COL(col_min_u64, uint64_t, uint64_t, MIN_I)
COL(col_max_u8, uint8_t, uint8_t, MAX_I)
COL(col_max_i32, int32_t, int32_t, MAX_I)
COL(col_max_i64, int64_t, int64_t, MAX_I)
COL(col_max_u64, uint64_t, uint64_t, MAX_I)

/* Largest and smallest of floats: vectors by hand, since compilers make none of
 * comparisons that may be of NaN. */
#define EXTREME_COL(NAME, T, V, LANES, SFX, BETTER)                      \
  FS_INLINE V better_##NAME(V x, V y) {                                  \
    __typeof__(x BETTER y) m = (x BETTER y) | (x != x);                  \
    return (V)((m & (__typeof__(m))x) | (~m & (__typeof__(m))y));        \
  }                                                                      \
  static void NAME(const void *const *rows, int n_rows, int64_t n,       \
                   void *acc_) {                                         \
    T *acc = acc_;                                                       \
    int64_t k = 0;                                                       \
    for (; k + LANES <= n; k += LANES) {                                 \
      V s = fs_load_##SFX(acc + k);                                      \
      for (int r = 0; r < n_rows; r++)                                   \
        s = better_##NAME(s, fs_load_##SFX((const T *)rows[r] + k));     \
      fs_store_##SFX(acc + k, s);                                        \
    }                                                                    \
    if (k == n) return;                                                  \
    V s = fs_load_part_##SFX(acc + k, n - k);                            \
    for (int r = 0; r < n_rows; r++)                                     \
      s = better_##NAME(s, fs_load_part_##SFX((const T *)rows[r] + k,    \
                                              n - k));                   \
    fs_store_part_##SFX(acc + k, s, n - k);                              \
  }
EXTREME_COL(col_min_f32, float, fs_vf, FS_VF, f32, <=)
EXTREME_COL(col_min_f64, double, fs_vd, FS_VD, f64, <=)
EXTREME_COL(col_max_f32, float, fs_vf, FS_VF, f32, >=)
EXTREME_COL(col_max_f64, double, fs_vd, FS_VD, f64, >=)
COL(col_any_u8, uint8_t, uint8_t, OR_I)
COL(col_all_u8, uint8_t, uint8_t, AND_I)

fs_col_fn *const FS_SYM(fs_cols)[FS_REDUCE_OP_COUNT][FS_CT_COUNT] = {
  [FS_RD_SUM] = NUMBERS(col_sum),
  [FS_RD_PROD] = NUMBERS(col_prod),
  [FS_RD_MAXR] = NUMBERS(col_max),
  [FS_RD_MINR] = NUMBERS(col_min),
  [FS_RD_ANY] = {[FS_CT_BOOL] = col_any_u8},
  [FS_RD_ALL] = {[FS_CT_BOOL] = col_all_u8},
};

/* -- partial results of several blocks ------------------------------------ */

#define FOLD(NAME, T, MEMBER, ACC, STEP)                                 \
  static void NAME(const void *part_, int64_t n, union fs_cell *cells) { \
    const T *part = part_;                                               \
    FS_EACH(k, n) {                                                      \
      cells[k].MEMBER = STEP(cells[k].MEMBER, (ACC)part[k]);             \
    }                                                                    \
  }
FOLD(fold_sum_i64, int64_t, i, int64_t, ADD_I)
FOLD(fold_sum_u64, uint64_t, u, uint64_t, ADD_F)
FOLD(fold_sum_f32, float, f, double, ADD_F)
FOLD(fold_sum_f64, double, f, double, ADD_F)
FOLD(fold_prod_i64, int64_t, i, int64_t, MUL_I)
FOLD(fold_prod_u64, uint64_t, u, uint64_t, MUL_F)
FOLD(fold_prod_f32, float, f, double, MUL_F)
FOLD(fold_prod_f64, double, f, double, MUL_F)
FOLD(fold_min_u8, uint8_t, i, int64_t, MIN_I)
FOLD(fold_min_i32, int32_t, i, int64_t, MIN_I)
FOLD(fold_min_i64, int64_t, i, int64_t, MIN_I)
FOLD(fold_min_u64, uint64_t, u, uint64_t, MIN_I)
FOLD(fold_min_f32, float, f, double, MIN_F)
FOLD(fold_min_f64, double, f, double, MIN_F)
FOLD(fold_max_u8, uint8_t, i, int64_t, MAX_I)
FOLD(fold_max_i32, int32_t, i, int64_t, MAX_I)
FOLD(fold_max_i64, int64_t, i, int64_t, MAX_I)
FOLD(fold_max_u64, uint64_t, u, uint64_t, MAX_I)
FOLD(fold_max_f32, float, f, double, MAX_F)
FOLD(fold_max_f64, double, f, double, MAX_F)
FOLD(fold_any_u8, uint8_t, i, int64_t, OR_I)
FOLD(fold_all_u8, uint8_t, i, int64_t, AND_I)

#define fold_sum_u8 NULL  /* sums of these types have 64-bit accumulators */
#define fold_sum_i32 NULL
#define fold_prod_u8 NULL
#define fold_prod_i32 NULL
fs_fold_fn *const FS_SYM(fs_folds)[FS_REDUCE_OP_COUNT][FS_CT_COUNT] = {
  [FS_RD_SUM] = NUMBERS(fold_sum),
  [FS_RD_PROD] = NUMBERS(fold_prod),
  [FS_RD_MAXR] = NUMBERS(fold_max),
  [FS_RD_MINR] = NUMBERS(fold_min),
  [FS_RD_ANY] = {[FS_CT_BOOL] = fold_any_u8},
  [FS_RD_ALL] = {[FS_CT_BOOL] = fold_all_u8},
};

#define FINISH(NAME, T)                                                   \
  void FS_SYM(fs_finish_##NAME)(void *out, const union fs_cell *cells,    \
                                int64_t n, bool from_float) {             \
    T *o = out;                                                           \
    if (from_float)                                                       \
      FS_EACH(k, n) { o[k] = (T)cells[k].f; }                             \
    else                                                                  \
      FS_EACH(k, n) { o[k] = (T)cells[k].i; }                             \
  }
FINISH(u8, uint8_t)
FINISH(i32, int32_t)
FINISH(i64, int64_t)
FINISH(u64, uint64_t)
FINISH(f32, float)
FINISH(f64, double)
