/* maps.c - the map operations of core/graph/ops.def on strips.
 *
 * Operations that are one instruction are plain loops, which the compiler turns
 * into vectors of the set this file is compiled for. Transcendental functions
 * go through the C library's vector forms (libmvec) where it has them: always
 * on whole vectors, with padded tails, so that an element's value does not
 * depend on where in a strip it stands.
 */
#include "elemlib/cpu/parts.h"
#include "elemlib/cpu/simd.h"

/* -- shapes of loops ---------------------------------------------------------
 * A body is inlined once per pattern with constant scalar flags. */

#define UNARY(NAME, TI, TO, EXPR)                                       \
  static void NAME(void *out, const void *a_, const void *b_,           \
                   const void *c_, int64_t n) {                         \
    const TI *a = a_;                                                   \
    TO *o = out;                                                        \
    (void)b_, (void)c_;                                                 \
    FS_EACH(k, n) {                                                     \
      TI x = a[k];                                                      \
      o[k] = (TO)(EXPR);                                                \
    }                                                                   \
  }

#define BINARY(NAME, TI, TO, EXPR)                                      \
  FS_INLINE void NAME##_body(void *out, const void *a_, const void *b_, \
                             int64_t n, bool sa, bool sb) {             \
    const TI *a = a_, *b = b_;                                          \
    TI a0 = a[0], b0 = b[0];                                            \
    TO *o = out;                                                        \
    FS_EACH(k, n) {                                                     \
      TI x = sa ? a0 : a[k], y = sb ? b0 : b[k];                        \
      o[k] = (TO)(EXPR);                                                \
    }                                                                   \
  }                                                                     \
  static void NAME##_0(void *o, const void *a, const void *b,           \
                       const void *c, int64_t n) {                      \
    (void)c;                                                            \
    NAME##_body(o, a, b, n, false, false);                              \
  }                                                                     \
  static void NAME##_1(void *o, const void *a, const void *b,           \
                       const void *c, int64_t n) {                      \
    (void)c;                                                            \
    NAME##_body(o, a, b, n, true, false);                               \
  }                                                                     \
  static void NAME##_2(void *o, const void *a, const void *b,           \
                       const void *c, int64_t n) {                      \
    (void)c;                                                            \
    NAME##_body(o, a, b, n, false, true);                               \
  }

#define TERNARY_P(NAME, P)                                              \
  static void NAME##_##P(void *o, const void *a, const void *b,         \
                         const void *c, int64_t n) {                    \
    NAME##_body(o, a, b, c, n, (P)&1, (P)&2, (P)&4);                    \
  }
#define TERNARY(NAME, TA, T, EXPR)                                      \
  FS_INLINE void NAME##_body(void *out, const void *a_, const void *b_, \
                             const void *c_, int64_t n, bool sa,        \
                             bool sb, bool sc) {                        \
    const TA *a = a_;                                                   \
    const T *b = b_, *c = c_;                                           \
    TA a0 = a[0];                                                       \
    T b0 = b[0], c0 = c[0], *o = out;                                   \
    FS_EACH(k, n) {                                                     \
      TA x = sa ? a0 : a[k];                                            \
      T y = sb ? b0 : b[k], z = sc ? c0 : c[k];                         \
      o[k] = (T)(EXPR);                                                 \
    }                                                                   \
  }                                                                     \
  TERNARY_P(NAME, 0) TERNARY_P(NAME, 1) TERNARY_P(NAME, 2)              \
  TERNARY_P(NAME, 3) TERNARY_P(NAME, 4) TERNARY_P(NAME, 5)              \
  TERNARY_P(NAME, 6)

/* Rows of the table. An operation whose operands are all scalars is called
 * with n = 1 and pattern 0. */
#define ROW1(NAME) {NAME, NAME, NAME, NAME, NAME, NAME, NAME, NAME}
#define ROW2(NAME) \
  {NAME##_0, NAME##_1, NAME##_2, NAME##_0, NAME##_0, NAME##_1, NAME##_2, NAME##_0}
#define ROW3(NAME)                                                  \
  {NAME##_0, NAME##_1, NAME##_2, NAME##_3, NAME##_4, NAME##_5,      \
   NAME##_6, NAME##_0}

typedef uint8_t fs_u8;
typedef int32_t fs_i32;
typedef int64_t fs_i64;
typedef float fs_f32;
typedef double fs_f64;

/* -- scalar helpers ------------------------------------------------------- */

/* Remainder with the sign of the divisor; x mod 0 is 0 for integers. */
#define MOD_INT(T)                                    \
  FS_INLINE T mod_##T(T x, T y) {                     \
    if (y == 0 || y == -1) return 0;                  \
    T r = x % y;                                      \
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;  \
  }
MOD_INT(fs_i32)
MOD_INT(fs_i64)

#define MOD_FLOAT(T, FMOD, COPYSIGN)                       \
  FS_INLINE T mod_##T(T x, T y) {                          \
    T r = FMOD(x, y);                                      \
    if (r == 0) return COPYSIGN((T)0, y);                  \
    return (r < 0) != (y < 0) ? r + y : r;                 \
  }
MOD_FLOAT(fs_f32, fmodf, copysignf)
MOD_FLOAT(fs_f64, fmod, copysign)

/* -- one-instruction operations ------------------------------------------- */

#define COPY_OF(T) UNARY(copy_##T, T, T, x)
COPY_OF(fs_u8) COPY_OF(fs_i32) COPY_OF(fs_i64) COPY_OF(fs_f32) COPY_OF(fs_f64)

/* Signed arithmetic wraps (through the unsigned type U). */
#define ARITH_INT(T, U)                                     \
  BINARY(add_##T, T, T, (U)x + (U)y)                        \
  BINARY(sub_##T, T, T, (U)x - (U)y)                        \
  BINARY(mul_##T, T, T, (U)x * (U)y)                        \
  UNARY(neg_##T, T, T, 0 - (U)x)                            \
  UNARY(abs_##T, T, T, x < 0 ? 0 - (U)x : (U)x)             \
  UNARY(sign_##T, T, T, (x > 0) - (x < 0))                  \
  UNARY(square_##T, T, T, (U)x * (U)x)                      \
  BINARY(min_##T, T, T, x <= y ? x : y)                     \
  BINARY(max_##T, T, T, x >= y ? x : y)                     \
  TERNARY(clamp_##T, T, T, (x <= z ? x : z) <= y ? y : (x <= z ? x : z))
ARITH_INT(fs_i32, uint32_t)
ARITH_INT(fs_i64, uint64_t)

/* Maximum and minimum give the first operand if it is NaN or they are equal. */
#define MIN_F(x, y) ((((x) <= (y)) | ((x) != (x))) ? (x) : (y))
#define MAX_F(x, y) ((((x) >= (y)) | ((x) != (x))) ? (x) : (y))
#define ARITH_FLOAT(T, FABS, FMA)                           \
  BINARY(add_##T, T, T, x + y)                              \
  BINARY(sub_##T, T, T, x - y)                              \
  BINARY(mul_##T, T, T, x * y)                              \
  BINARY(div_##T, T, T, x / y)                              \
  UNARY(neg_##T, T, T, -x)                                  \
  UNARY(abs_##T, T, T, FABS(x))                             \
  UNARY(sign_##T, T, T, x > 0 ? (T)1 : x < 0 ? (T)-1 : x == 0 ? (T)0 : x) \
  UNARY(square_##T, T, T, x * x)                            \
  BINARY(min_##T, T, T, MIN_F(x, y))                        \
  BINARY(max_##T, T, T, MAX_F(x, y))                        \
  UNARY(isnan_##T, T, fs_u8, x != x)                        \
  UNARY(isfinite_##T, T, fs_u8, FABS(x) <= MAX_OF_##T)      \
  TERNARY(fma_##T, T, T, FMA(x, y, z))                      \
  FS_INLINE T clamp1_##T(T x, T lo, T hi) {                 \
    T m = MIN_F(x, hi);                                     \
    return MAX_F(lo, m);                                    \
  }                                                         \
  TERNARY(clamp_##T, T, T, clamp1_##T(x, y, z))
#define MAX_OF_fs_f32 __FLT_MAX__
#define MAX_OF_fs_f64 __DBL_MAX__
ARITH_FLOAT(fs_f32, __builtin_fabsf, __builtin_fmaf)
ARITH_FLOAT(fs_f64, __builtin_fabs, __builtin_fma)

#define COMPARE(T)                     \
  BINARY(eq_##T, T, fs_u8, x == y)     \
  BINARY(ne_##T, T, fs_u8, x != y)     \
  BINARY(lt_##T, T, fs_u8, x < y)      \
  BINARY(le_##T, T, fs_u8, x <= y)     \
  BINARY(gt_##T, T, fs_u8, x > y)      \
  BINARY(ge_##T, T, fs_u8, x >= y)     \
  BINARY(mod_op_##T, T, T, mod_##T(x, y))
COMPARE(fs_i32) COMPARE(fs_i64) COMPARE(fs_f32) COMPARE(fs_f64)

BINARY(and_fs_u8, fs_u8, fs_u8, x & y)
BINARY(or_fs_u8, fs_u8, fs_u8, x | y)
BINARY(eq_fs_u8, fs_u8, fs_u8, x == y)
BINARY(ne_fs_u8, fs_u8, fs_u8, x != y)
UNARY(not_fs_u8, fs_u8, fs_u8, x ^ 1)

#define WHERE_OF(T) TERNARY(where_##T, fs_u8, T, x ? y : z)
WHERE_OF(fs_u8) WHERE_OF(fs_i32) WHERE_OF(fs_i64) WHERE_OF(fs_f32)
WHERE_OF(fs_f64)

UNARY(floor_fs_f32, fs_f32, fs_f32, __builtin_floorf(x))
UNARY(floor_fs_f64, fs_f64, fs_f64, __builtin_floor(x))
UNARY(ceil_fs_f32, fs_f32, fs_f32, __builtin_ceilf(x))
UNARY(ceil_fs_f64, fs_f64, fs_f64, __builtin_ceil(x))
UNARY(round_fs_f32, fs_f32, fs_f32, __builtin_rintf(x))
UNARY(round_fs_f64, fs_f64, fs_f64, __builtin_rint(x))
UNARY(trunc_fs_f32, fs_f32, fs_f32, __builtin_truncf(x))
UNARY(trunc_fs_f64, fs_f64, fs_f64, __builtin_trunc(x))

/* -- functions on whole vectors ------------------------------------------- */

#define VECTOR1(NAME, T, V, LANES, SFX, EXPR)                           \
  static void NAME(void *out, const void *a_, const void *b_,           \
                   const void *c_, int64_t n) {                         \
    const T *a = a_;                                                    \
    T *o = out;                                                         \
    int64_t k = 0;                                                      \
    (void)b_, (void)c_;                                                 \
    for (; k + LANES <= n; k += LANES) {                                \
      V x = fs_load_##SFX(a + k);                                       \
      fs_store_##SFX(o + k, EXPR);                                      \
    }                                                                   \
    if (k == n) return;                                                 \
    T tail[LANES];                                                      \
    for (int64_t t = 0; t < LANES; t++)                                 \
      tail[t] = k + t < n ? a[k + t] : (T)0.5;                          \
    V x = fs_load_##SFX(tail);                                          \
    fs_store_##SFX(tail, EXPR);                                         \
    memcpy(o + k, tail, sizeof(T) * (size_t)(n - k));                   \
  }

#define VECTOR2(NAME, T, V, LANES, SFX, EXPR)                           \
  FS_INLINE void NAME##_body(void *out, const void *a_, const void *b_, \
                             int64_t n, bool sa, bool sb) {             \
    const T *a = a_, *b = b_;                                           \
    T *o = out, ta[LANES], tb[LANES];                                   \
    V x = (V){0} + a[0], y = (V){0} + b[0];                             \
    int64_t k = 0;                                                      \
    for (; k + LANES <= n; k += LANES) {                                \
      if (!sa) x = fs_load_##SFX(a + k);                                \
      if (!sb) y = fs_load_##SFX(b + k);                                \
      fs_store_##SFX(o + k, EXPR);                                      \
    }                                                                   \
    if (k == n) return;                                                 \
    for (int64_t t = 0; t < LANES; t++) {                               \
      ta[t] = sa ? a[0] : k + t < n ? a[k + t] : (T)0.5;                \
      tb[t] = sb ? b[0] : k + t < n ? b[k + t] : (T)0.5;                \
    }                                                                   \
    x = fs_load_##SFX(ta), y = fs_load_##SFX(tb);                       \
    fs_store_##SFX(ta, EXPR);                                           \
    memcpy(o + k, ta, sizeof(T) * (size_t)(n - k));                     \
  }                                                                     \
  static void NAME##_0(void *o, const void *a, const void *b,           \
                       const void *c, int64_t n) {                      \
    (void)c;                                                            \
    NAME##_body(o, a, b, n, false, false);                              \
  }                                                                     \
  static void NAME##_1(void *o, const void *a, const void *b,           \
                       const void *c, int64_t n) {                      \
    (void)c;                                                            \
    NAME##_body(o, a, b, n, true, false);                               \
  }                                                                     \
  static void NAME##_2(void *o, const void *a, const void *b,           \
                       const void *c, int64_t n) {                      \
    (void)c;                                                            \
    NAME##_body(o, a, b, n, false, true);                               \
  }

#define ONE_F32 ((fs_vf){0} + 1.0f)
#define ONE_F64 ((fs_vd){0} + 1.0)
VECTOR1(sqrt_fs_f32, float, fs_vf, FS_VF, f32, fs_vsqrt_f32(x))
VECTOR1(sqrt_fs_f64, double, fs_vd, FS_VD, f64, fs_vsqrt_f64(x))
VECTOR1(rsqrt_fs_f32, float, fs_vf, FS_VF, f32, ONE_F32 / fs_vsqrt_f32(x))
VECTOR1(rsqrt_fs_f64, double, fs_vd, FS_VD, f64, ONE_F64 / fs_vsqrt_f64(x))

/* The names follow the vector function ABI: _ZGV, set (b SSE, d AVX2, e
 * AVX-512), N (no mask), lanes, one v per operand. */
#if defined __AVX512F__
#define MVEC_F32(v, f) _ZGVeN16##v##_##f
#define MVEC_F64(v, f) _ZGVeN8##v##_##f
#elif defined __AVX2__
#define MVEC_F32(v, f) _ZGVdN8##v##_##f
#define MVEC_F64(v, f) _ZGVdN4##v##_##f
#else
#define MVEC_F32(v, f) _ZGVbN4##v##_##f
#define MVEC_F64(v, f) _ZGVbN2##v##_##f
#endif

#define MATH1_MVEC(NAME, F)                                             \
  fs_vf MVEC_F32(v, F##f)(fs_vf);                                       \
  fs_vd MVEC_F64(v, F)(fs_vd);                                          \
  VECTOR1(NAME##_fs_f32, float, fs_vf, FS_VF, f32, MVEC_F32(v, F##f)(x)) \
  VECTOR1(NAME##_fs_f64, double, fs_vd, FS_VD, f64, MVEC_F64(v, F)(x))
#define MATH2_MVEC(NAME, F)                                             \
  fs_vf MVEC_F32(vv, F##f)(fs_vf, fs_vf);                               \
  fs_vd MVEC_F64(vv, F)(fs_vd, fs_vd);                                  \
  VECTOR2(NAME##_fs_f32, float, fs_vf, FS_VF, f32,                      \
          MVEC_F32(vv, F##f)(x, y))                                     \
  VECTOR2(NAME##_fs_f64, double, fs_vd, FS_VD, f64, MVEC_F64(vv, F)(x, y))
#define MATH1_LIBM(NAME, F)                                             \
  UNARY(NAME##_fs_f32, fs_f32, fs_f32, F##f(x))                         \
  UNARY(NAME##_fs_f64, fs_f64, fs_f64, F(x))
#define MATH2_LIBM(NAME, F)                                             \
  BINARY(NAME##_fs_f32, fs_f32, fs_f32, F##f(x, y))                     \
  BINARY(NAME##_fs_f64, fs_f64, fs_f64, F(x, y))

#if defined __x86_64__ && defined __GLIBC__ && \
    (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 35)
#define MATH1 MATH1_MVEC
#define MATH2 MATH2_MVEC
#else
#define MATH1 MATH1_LIBM
#define MATH2 MATH2_LIBM
#endif

MATH2(pow, pow)
MATH2(atan2, atan2)
MATH2(hypot, hypot)
MATH1(exp, exp)
MATH1(expm1, expm1)
MATH1(log, log)
MATH1(log1p, log1p)
MATH1(log2, log2)
MATH1(log10, log10)
MATH1(sin, sin)
MATH1(cos, cos)
MATH1(tan, tan)
MATH1(asin, asin)
MATH1(acos, acos)
MATH1(atan, atan)
MATH1(sinh, sinh)
MATH1(cosh, cosh)
MATH1(tanh, tanh)
MATH1(erf, erf)
MATH1(erfc, erfc)

/* -- the table ------------------------------------------------------------ */

#define FLOATS(R, NAME) [FS_CT_F32] = R(NAME##_fs_f32), \
                        [FS_CT_F64] = R(NAME##_fs_f64)
#define NUMBERS(R, NAME) [FS_CT_I32] = R(NAME##_fs_i32), \
                         [FS_CT_I64] = R(NAME##_fs_i64), FLOATS(R, NAME)
#define ALL(R, NAME) [FS_CT_BOOL] = R(NAME##_fs_u8), NUMBERS(R, NAME)

fs_map_fn *const FS_SYM(fs_maps)[FS_MAP_OP_COUNT][FS_CT_COUNT][8] = {
  [FS_OP_COPY] = {ALL(ROW1, copy)},
  [FS_OP_ADD] = {NUMBERS(ROW2, add)},
  [FS_OP_SUB] = {NUMBERS(ROW2, sub)},
  [FS_OP_MUL] = {NUMBERS(ROW2, mul)},
  [FS_OP_DIV] = {FLOATS(ROW2, div)},
  [FS_OP_POW] = {FLOATS(ROW2, pow)},
  [FS_OP_MOD] = {NUMBERS(ROW2, mod_op)},
  [FS_OP_MIN] = {NUMBERS(ROW2, min)},
  [FS_OP_MAX] = {NUMBERS(ROW2, max)},
  [FS_OP_ATAN2] = {FLOATS(ROW2, atan2)},
  [FS_OP_HYPOT] = {FLOATS(ROW2, hypot)},
  [FS_OP_EQ] = {ALL(ROW2, eq)},
  [FS_OP_NE] = {ALL(ROW2, ne)},
  [FS_OP_LT] = {NUMBERS(ROW2, lt)},
  [FS_OP_LE] = {NUMBERS(ROW2, le)},
  [FS_OP_GT] = {NUMBERS(ROW2, gt)},
  [FS_OP_GE] = {NUMBERS(ROW2, ge)},
  [FS_OP_AND] = {[FS_CT_BOOL] = ROW2(and_fs_u8)},
  [FS_OP_OR] = {[FS_CT_BOOL] = ROW2(or_fs_u8)},
  [FS_OP_NOT] = {[FS_CT_BOOL] = ROW1(not_fs_u8)},
  [FS_OP_NEG] = {NUMBERS(ROW1, neg)},
  [FS_OP_ABS] = {NUMBERS(ROW1, abs)},
  [FS_OP_SIGN] = {NUMBERS(ROW1, sign)},
  [FS_OP_SQUARE] = {NUMBERS(ROW1, square)},
  [FS_OP_SQRT] = {FLOATS(ROW1, sqrt)},
  [FS_OP_RSQRT] = {FLOATS(ROW1, rsqrt)},
  [FS_OP_EXP] = {FLOATS(ROW1, exp)},
  [FS_OP_EXPM1] = {FLOATS(ROW1, expm1)},
  [FS_OP_LOG] = {FLOATS(ROW1, log)},
  [FS_OP_LOG1P] = {FLOATS(ROW1, log1p)},
  [FS_OP_LOG2] = {FLOATS(ROW1, log2)},
  [FS_OP_LOG10] = {FLOATS(ROW1, log10)},
  [FS_OP_SIN] = {FLOATS(ROW1, sin)},
  [FS_OP_COS] = {FLOATS(ROW1, cos)},
  [FS_OP_TAN] = {FLOATS(ROW1, tan)},
  [FS_OP_ASIN] = {FLOATS(ROW1, asin)},
  [FS_OP_ACOS] = {FLOATS(ROW1, acos)},
  [FS_OP_ATAN] = {FLOATS(ROW1, atan)},
  [FS_OP_SINH] = {FLOATS(ROW1, sinh)},
  [FS_OP_COSH] = {FLOATS(ROW1, cosh)},
  [FS_OP_TANH] = {FLOATS(ROW1, tanh)},
  [FS_OP_ERF] = {FLOATS(ROW1, erf)},
  [FS_OP_ERFC] = {FLOATS(ROW1, erfc)},
  [FS_OP_FLOOR] = {FLOATS(ROW1, floor)},
  [FS_OP_CEIL] = {FLOATS(ROW1, ceil)},
  [FS_OP_ROUND] = {FLOATS(ROW1, round)},
  [FS_OP_TRUNC] = {FLOATS(ROW1, trunc)},
  [FS_OP_ISNAN] = {FLOATS(ROW1, isnan)},
  [FS_OP_ISFINITE] = {FLOATS(ROW1, isfinite)},
  [FS_OP_FMA] = {FLOATS(ROW3, fma)},
  [FS_OP_WHERE] = {ALL(ROW3, where)},
  [FS_OP_CLAMP] = {NUMBERS(ROW3, clamp)},
};
