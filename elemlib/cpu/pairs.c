/* pairs.c - two or three arithmetic operations in one pass over a strip.
 *
 * Every operation is rounded by itself, so the bits are those of separate
 * passes; what is saved is writing and reading the strip between them. A chain
 * of n operations in one pass each takes about twice as long as in n/2 pairs
 * once its strips are in the first-level cache.
 */
#include "elemlib/cpu/parts.h"
#include "elemlib/cpu/simd.h"

#define PAIR_P(NAME, P)                                                 \
  static void NAME##_##P(void *o, const void *a, const void *b,         \
                         const void *c, int64_t n) {                    \
    NAME##_body(o, a, b, c, n, (P)&1, (P)&2, (P)&4);                    \
  }
#define PAIR(NAME, T, EXPR)                                             \
  FS_INLINE void NAME##_body(void *out, const void *a_, const void *b_, \
                             const void *c_, int64_t n, bool sa,        \
                             bool sb, bool sc) {                        \
    const T *a = a_, *b = b_, *c = c_;                                  \
    T a0 = a[0], b0 = b[0], c0 = c[0], *o = out;                        \
    FS_EACH(k, n) {                                                     \
      T x = sa ? a0 : a[k], y = sb ? b0 : b[k], z = sc ? c0 : c[k];     \
      o[k] = EXPR;                                                      \
    }                                                                   \
  }                                                                     \
  PAIR_P(NAME, 0) PAIR_P(NAME, 1) PAIR_P(NAME, 2) PAIR_P(NAME, 3)       \
  PAIR_P(NAME, 4) PAIR_P(NAME, 5) PAIR_P(NAME, 6)

#define PAIRS(NAME, T, T1)               \
  PAIR(NAME##_add, T, (T1) + z)          \
  PAIR(NAME##_sub, T, (T1) - z)          \
  PAIR(NAME##_mul, T, (T1) * z)          \
  PAIR(NAME##_rsub, T, z - (T1))
#define FIRSTS(T)                        \
  PAIRS(add_##T, T, x + y)               \
  PAIRS(sub_##T, T, x - y)               \
  PAIRS(mul_##T, T, x * y)
FIRSTS(float)
FIRSTS(double)

#define PATTERNS(NAME)                                              \
  {NAME##_0, NAME##_1, NAME##_2, NAME##_3, NAME##_4, NAME##_5, NAME##_6, NULL}
#define SECONDS(NAME)                                               \
  {                                                                 \
    [FS_PAIR_ADD] = PATTERNS(NAME##_add),                           \
    [FS_PAIR_SUB] = PATTERNS(NAME##_sub),                           \
    [FS_PAIR_MUL] = PATTERNS(NAME##_mul),                           \
    [FS_PAIR_RSUB] = PATTERNS(NAME##_rsub)                          \
  }
#define TYPES(NAME) {SECONDS(NAME##_float), SECONDS(NAME##_double)}
fs_map_fn *const FS_SYM(fs_pairs)[FS_PAIR_RSUB][2][FS_PAIR_COUNT][8] = {
  [FS_PAIR_ADD] = TYPES(add),
  [FS_PAIR_SUB] = TYPES(sub),
  [FS_PAIR_MUL] = TYPES(mul),
};

#define AXPBY(NAME, T)                                                  \
  void FS_SYM(fs_axpby_##NAME)(void *out, const void *x_,               \
                               const void *y_, const void *ab_,         \
                               int64_t n) {                             \
    const T *x = x_, *y = y_, *ab = ab_;                                \
    T a = ab[0], b = ab[1], *o = out;                                   \
    FS_EACH(k, n) { o[k] = a * x[k] + b * y[k]; }                       \
  }
AXPBY(f32, float)
AXPBY(f64, double)
