/* spot.c - reductions to a place: where the first of the largest, or smallest, is.
 *
 * Along a row a strip's largest value is found first, as for `max`; only where that is no
 * worse than what earlier strips had is the strip searched for it, while it lies in the first
 * cache. Along columns a line of values and one of places are kept.
 */
#include "elemlib/cpu/parts.h"

struct spot_f {
  double value;
  int64_t at;
};
struct spot_i {
  int64_t value, at;
};

#define fs_is_before(a, b)                                                    \
  ((b).value != (b).value ? (a).value == (a).value || (b).at < (a).at         \
                          : (b).value == (a).value && (b).at < (a).at)
#define FS_REDUCE_OP(...)
#define FS_SPOT_OP(id, name, types, result, first, functor, merge, cost, doc) \
  FS_INLINE struct spot_f functor##_f(struct spot_f a, struct spot_f b) {     \
    return merge;                                                             \
  }                                                                           \
  FS_INLINE struct spot_i functor##_i(struct spot_i a, struct spot_i b) {     \
    return merge;                                                             \
  }
#include "core/graph/reductions.def"

/* -- rows ----------------------------------------------------------------- */

/* The first element that is `best`; there is one. */
#define FIND(NAME, T, SAME)                                                   \
  FS_INLINE int64_t NAME(const T *x, int64_t n, T best) {                     \
    enum { LANES = 64 };                                                      \
    int64_t k = 0;                                                            \
    for (; k + LANES <= n; k += LANES) {                                      \
      int any = 0;                                                            \
      for (int q = 0; q < LANES; q++) any |= SAME(x[k + q], best);            \
      if (any) break;                                                         \
    }                                                                         \
    while (k < n - 1 && !(SAME(x[k], best))) k++;                             \
    return k;                                                                 \
  }
#define EQUAL(a, b) ((a) == (b))
#define EQUAL_F(a, b) (((a) == (b)) | (((a) != (a)) & ((b) != (b))))
FIND(find_i32, int32_t, EQUAL)
FIND(find_i64, int64_t, EQUAL)
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
                               void *values, int64_t *at) {                   \
    enum { FEW = 16 };                                                        \
    T *value = values;                                                        \
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
  static void NAME##_fold_##SFX(const void *values, const int64_t *at,        \
                                int64_t n, union fs_cell *cells) {            \
    const T *value = values;                                                  \
    for (int64_t k = 0; k < n; k++) {                                         \
      struct spot_##S a, b = {value[k], at[k]};                               \
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
#define FS_CT_OF_f32 FS_CT_F32
#define FS_CT_OF_f64 FS_CT_F64
#define SPOTS(NAME, OP, EXTREME, KEEPS, LEAST_I, LEAST_F)                    \
  SPOT_ROW(NAME, int32_t, i32, i, i, OP, EXTREME, LEAST_I)                    \
  SPOT_ROW(NAME, int64_t, i64, i, i, OP, EXTREME, LEAST_I)                    \
  SPOT_ROW(NAME, float, f32, f, f, OP, EXTREME, LEAST_F)                      \
  SPOT_ROW(NAME, double, f64, f, f, OP, EXTREME, LEAST_F)                     \
  SPOT_COL(NAME, int32_t, i32, i, OP, KEEPS)                                  \
  SPOT_COL(NAME, int64_t, i64, i, OP, KEEPS)                                  \
  SPOT_COL(NAME, float, f32, f, OP, KEEPS)                                    \
  SPOT_COL(NAME, double, f64, f, OP, KEEPS)                                   \
  SPOT_MERGE(NAME, i, OP)                                                     \
  SPOT_MERGE(NAME, f, OP)
SPOTS(argmax, fs_first_largest, FS_RD_MAXR, KEEPS_MAX, INT64_MIN, -__builtin_inf())
SPOTS(argmin, fs_first_smallest, FS_RD_MINR, KEEPS_MIN, INT64_MAX, __builtin_inf())

#define BY_NUMBER(NAME)                                                       \
  {                                                                           \
    [FS_CT_I32] = NAME##_i32, [FS_CT_I64] = NAME##_i64,                       \
    [FS_CT_F32] = NAME##_f32, [FS_CT_F64] = NAME##_f64                        \
  }
fs_spot_row_fn *const FS_SYM(fs_spot_rows)[FS_REDUCE_OP_COUNT][FS_CT_COUNT] = {
  [FS_RD_ARGMAX] = BY_NUMBER(argmax_row), [FS_RD_ARGMIN] = BY_NUMBER(argmin_row)};
fs_spot_col_fn *const FS_SYM(fs_spot_cols)[FS_REDUCE_OP_COUNT][FS_CT_COUNT] = {
  [FS_RD_ARGMAX] = BY_NUMBER(argmax_col), [FS_RD_ARGMIN] = BY_NUMBER(argmin_col)};
fs_spot_fold_fn *const FS_SYM(fs_spot_folds)[FS_REDUCE_OP_COUNT][FS_CT_COUNT] = {
  [FS_RD_ARGMAX] = BY_NUMBER(argmax_fold), [FS_RD_ARGMIN] = BY_NUMBER(argmin_fold)};
fs_spot_merge_fn *const FS_SYM(fs_spot_merges)[FS_REDUCE_OP_COUNT][2] = {
  [FS_RD_ARGMAX] = {argmax_merge_i, argmax_merge_f},
  [FS_RD_ARGMIN] = {argmin_merge_i, argmin_merge_f}};
