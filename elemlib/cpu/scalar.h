/* scalar.h - what the C expressions of core/graph/ops.def call, and conversions, for one element.
 *
 * Routines of the CPU target are loops over these (maps.c, convert.c); the C text of a region
 * begins with this file (core/device/cpu/body.c), so both have the same bits. It includes
 * nothing but what a compiler brings. */
#ifndef FS_CPU_SCALAR_H
#define FS_CPU_SCALAR_H

#include <stdbool.h>
#include <stdint.h>

#ifndef FS_INLINE
#define FS_INLINE static inline __attribute__((always_inline, unused))
#endif

typedef uint8_t fs_u8;
typedef int32_t fs_i32;
typedef int64_t fs_i64;
typedef uint64_t fs_u64;
typedef float fs_f32;
typedef double fs_f64;

/* Remainder with the sign of the divisor; x mod 0 is 0 for integers. */
#define MOD_INT(T)                                    \
  FS_INLINE T mod_##T(T x, T y) {                     \
    if (y == 0 || y == -1) return 0;                  \
    T r = x % y;                                      \
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;  \
  }
MOD_INT(fs_i32)
MOD_INT(fs_i64)
FS_INLINE fs_u64 mod_fs_u64(fs_u64 x, fs_u64 y) { return y ? x % y : 0; }

/* Integers: the quotient that goes with mod; shifts, beyond the width all bits are gone. */
#define BITS_INT(T, UT, BITS, POPCOUNT)                                        \
  FS_INLINE T idiv_##T(T x, T y) {                                             \
    if (y == 0 || y == -1) return y ? (T)((UT)0 - (UT)x) : 0;                  \
    return x / y - (x % y != 0 && (x < 0) != (y < 0));                         \
  }                                                                            \
  FS_INLINE T shl_##T(T x, T y) {                                              \
    T left = y < 0 || y >= BITS ? 0 : y, right = y >= 0 ? 0 : y <= -BITS ? BITS - 1 : -y; \
    return y >= BITS ? 0 : y >= 0 ? (T)((UT)x << left) : x >> right;           \
  }                                                                            \
  FS_INLINE T shr_##T(T x, T y) { return y <= -BITS ? 0 : shl_##T(x, -y); }    \
  FS_INLINE T popcount_##T(T x) { return POPCOUNT((UT)x); }
BITS_INT(fs_i32, uint32_t, 32, __builtin_popcount)
BITS_INT(fs_i64, uint64_t, 64, __builtin_popcountll)
FS_INLINE fs_u64 idiv_fs_u64(fs_u64 x, fs_u64 y) { return y ? x / y : 0; }
FS_INLINE fs_u64 shl_fs_u64(fs_u64 x, fs_u64 y) { return y > 63 ? 0 : x << (y & 63); }
FS_INLINE fs_u64 shr_fs_u64(fs_u64 x, fs_u64 y) { return y > 63 ? 0 : x >> (y & 63); }
FS_INLINE fs_u64 popcount_fs_u64(fs_u64 x) { return (fs_u64)__builtin_popcountll(x); }

/* Of floats: with quotients that are not large, the remainder of the quotient rounded down is exact,
 * or that quotient is one too large. Few operands are of another kind, of which *rare gets a bit:
 * theirs is the library's. */
#define MOD_FLOAT(T, B, SFX, NEAR)                                              \
  FS_INLINE T abs_##T(T x) { return __builtin_fabs##SFX(x); }                   \
  FS_INLINE T signed_mod_##T(T m, T x, T y) { /* m of what they are without signs */ \
    T signs = __builtin_copysign##SFX(1, x) * __builtin_copysign##SFX(1, y);    \
    T rest = abs_##T(y) - m, other = m > 0 ? rest : m;                          \
    return __builtin_copysign##SFX(signs < 0 ? other : m, y);                   \
  }                                                                             \
  FS_INLINE T near_mod_##T(T x, T y, B *rare) {                                 \
    T a = abs_##T(x), b = abs_##T(y), q = __builtin_trunc##SFX(a / b);          \
    T m = FS_FMA##SFX(-q, b, a), back = m + b;                                  \
    T large = q < NEAR ? b : (T)__builtin_inf();                                \
    *rare |= large < (T)__builtin_inf() ? 0 : 1;                                \
    return signed_mod_##T(m < 0 ? back : m, x, y);                              \
  }                                                                             \
  FS_INLINE T mod_##T(T x, T y) {                                               \
    B rare = 0;                                                                 \
    T near = near_mod_##T(x, y, &rare);                                         \
    if (rare) near = signed_mod_##T(abs_##T(__builtin_fmod##SFX(x, y)), x, y);  \
    return near;                                                                \
  }
#ifdef __FMA__
#define FS_FMA(x, y, z) __builtin_fma(x, y, z)
#define FS_FMAf(x, y, z) __builtin_fmaf(x, y, z)
MOD_FLOAT(fs_f32, uint32_t, f, 0x1p22f)
MOD_FLOAT(fs_f64, uint64_t, , 0x1p51)
#else /* all of them are rare: a call for each fma would take longer than one for fmod */
#define FS_FMA(x, y, z) (z)
#define FS_FMAf(x, y, z) (z)
MOD_FLOAT(fs_f32, uint32_t, f, 0)
MOD_FLOAT(fs_f64, uint64_t, , 0)
#endif

/* -- what the table's expressions call ------------------------------------ */

#define OP_INT(T, U)                                                            \
  FS_INLINE T neg_##T(T x) { return (T)(0 - (U)x); }                            \
  FS_INLINE T abs_##T(T x) { return (T)(x < 0 ? 0 - (U)x : (U)x); }             \
  FS_INLINE T sign_##T(T x) { return (x > 0) - (x < 0); }                       \
  FS_INLINE T min_##T(T x, T y) { return x <= y ? x : y; }                      \
  FS_INLINE T max_##T(T x, T y) { return x >= y ? x : y; }
OP_INT(fs_i32, uint32_t)
OP_INT(fs_i64, uint64_t)
FS_INLINE fs_u64 neg_fs_u64(fs_u64 x) { return 0 - x; }
FS_INLINE fs_u64 abs_fs_u64(fs_u64 x) { return x; }
FS_INLINE fs_u64 sign_fs_u64(fs_u64 x) { return x > 0; }
FS_INLINE fs_u64 min_fs_u64(fs_u64 x, fs_u64 y) { return x <= y ? x : y; }
FS_INLINE fs_u64 max_fs_u64(fs_u64 x, fs_u64 y) { return x >= y ? x : y; }

/* Maximum and minimum give the first operand if it is NaN or they are equal. */
#define OP_FLOAT(T)                                                             \
  FS_INLINE T neg_##T(T x) { return -x; }                                       \
  FS_INLINE T sign_##T(T x) { return x > 0 ? (T)1 : x < 0 ? (T)-1 : x == 0 ? (T)0 : x; } \
  FS_INLINE T min_##T(T x, T y) { return (x <= y) | (x != x) ? x : y; }         \
  FS_INLINE T max_##T(T x, T y) { return (x >= y) | (x != x) ? x : y; }
OP_FLOAT(fs_f32)
OP_FLOAT(fs_f64)

#define FLOATS_OF(NAME) fs_f32: NAME##_fs_f32, fs_f64: NAME##_fs_f64
#define WHOLE_OF(NAME) fs_i32: NAME##_fs_i32, fs_i64: NAME##_fs_i64, fs_u64: NAME##_fs_u64
#define NUMBERS_OF(NAME) WHOLE_OF(NAME), FLOATS_OF(NAME)
#define op_neg(x) _Generic((x), NUMBERS_OF(neg))(x)
#define op_abs(x) _Generic((x), NUMBERS_OF(abs))(x)
#define op_sign(x) _Generic((x), NUMBERS_OF(sign))(x)
#define op_min(x, y) _Generic((x), NUMBERS_OF(min))(x, y)
#define op_max(x, y) _Generic((x), NUMBERS_OF(max))(x, y)
#define op_idiv(x, y) _Generic((x), WHOLE_OF(idiv))(x, y)
#define op_shl(x, y) _Generic((x), WHOLE_OF(shl))(x, y)
#define op_shr(x, y) _Generic((x), WHOLE_OF(shr))(x, y)
#define op_popcount(x) _Generic((x), WHOLE_OF(popcount))(x)
#define op_mod(x, y) _Generic((x), NUMBERS_OF(mod))(x, y)
#define op_fn(F, x) \
  _Generic((x), fs_f32: __builtin_##F##f((fs_f32)(x)), fs_f64: __builtin_##F((fs_f64)(x)))
#define op_fma(x, y, z)                                                     \
  _Generic((x), fs_f32: __builtin_fmaf((fs_f32)(x), (fs_f32)(y), (fs_f32)(z)), \
           fs_f64: __builtin_fma((fs_f64)(x), (fs_f64)(y), (fs_f64)(z)))
#define op_finite(x) (op_abs(x) <= _Generic((x), fs_f32: __FLT_MAX__, fs_f64: __DBL_MAX__))

/* Float to integer rounds towards zero, saturates, and makes NaN 0 (C leaves these cases
 * undefined). A number is true unless it is 0. */
#define INT_OF(NAME, T, F, LOW, HIGH, TMIN, TMAX)                      \
  FS_INLINE T NAME(F x) {                                              \
    bool low = x < (F)(LOW), high = x >= (F)(HIGH), bad = x != x;      \
    F safe = (low | high | bad) ? (F)0 : x;                            \
    T t = (T)safe;                                                     \
    return low ? (TMIN) : high ? (TMAX) : t;                           \
  }
INT_OF(i32_of_f32, int32_t, float, -2147483648.0f, 2147483648.0f, INT32_MIN,
       INT32_MAX)
INT_OF(i64_of_f32, int64_t, float, -9223372036854775808.0f,
       9223372036854775808.0f, INT64_MIN, INT64_MAX)
INT_OF(i32_of_f64, int32_t, double, -2147483648.0, 2147483648.0, INT32_MIN,
       INT32_MAX)
INT_OF(i64_of_f64, int64_t, double, -9223372036854775808.0,
       9223372036854775808.0, INT64_MIN, INT64_MAX)
INT_OF(u64_of_f32, uint64_t, float, 0.0f, 18446744073709551616.0f, 0, UINT64_MAX)
INT_OF(u64_of_f64, uint64_t, double, 0.0, 18446744073709551616.0, 0, UINT64_MAX)

#endif
