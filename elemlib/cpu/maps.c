/* maps.c - the map operations of core/graph/ops.def on strips, made of its rows.
 *
 * Operations that are one instruction are plain loops, which the compiler turns
 * into vectors of the set this file is compiled for. Transcendental functions
 * go through the C library's vector forms (libmvec) where it has them: always
 * on whole vectors, with padded tails, so that an element's value does not
 * depend on where in a strip it stands.
 */
#include "elemlib/cpu/parts.h"
#include "elemlib/cpu/simd.h"
#include "elemlib/cpu/scalar.h"

#define op_root(x) _Generic((x), fs_vf: fs_vsqrt_f32, fs_vd: fs_vsqrt_f64)(x)

/* -- shapes of loops ---------------------------------------------------------
 * U is what integers are cast to in order to wrap around. A body is inlined once per pattern
 * with constant scalar flags. */

#define UNARY(NAME, TI, TO, EXPR, W)                                    \
  static void NAME(void *out, const void *a_, const void *b_,           \
                   const void *c_, int64_t n) {                         \
    typedef W U __attribute__((unused));                                \
    const TI *a = a_;                                                   \
    TO *o = out;                                                        \
    (void)b_, (void)c_;                                                 \
    FS_EACH(k, n) {                                                     \
      TI x = a[k];                                                      \
      o[k] = (TO)(EXPR);                                                \
    }                                                                   \
  }

#define BINARY_P(NAME)                                                  \
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

#define BINARY(NAME, TI, TO, EXPR, W)                                   \
  FS_INLINE void NAME##_body(void *out, const void *a_, const void *b_, \
                             int64_t n, bool sa, bool sb) {             \
    typedef W U __attribute__((unused));                                \
    const TI *a = a_, *b = b_;                                          \
    TI a0 = a[0], b0 = b[0];                                            \
    TO *o = out;                                                        \
    FS_EACH(k, n) {                                                     \
      TI x = sa ? a0 : a[k], y = sb ? b0 : b[k];                        \
      o[k] = (TO)(EXPR);                                                \
    }                                                                   \
  }                                                                     \
  BINARY_P(NAME)

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
  BINARY_P(NAME)

/* Remainders of floats: pieces as vectors, of which those with a rare operand are done again. */
#define REMAINDER(NAME, T, B)                                           \
  FS_INLINE void NAME##_body(void *out, const void *a_, const void *b_, \
                             int64_t n, bool sa, bool sb) {             \
    enum { PIECE = 64 };                                                \
    const T *a = a_, *b = b_;                                           \
    T a0 = a[0], b0 = b[0], *o = out, got[PIECE];                       \
    for (int64_t at = 0; at < n; at += PIECE) {                         \
      int64_t some = n - at < PIECE ? n - at : PIECE;                   \
      B rare = 0;                                                       \
      FS_EACH(k, some) {                                                \
        T x = sa ? a0 : a[at + k], y = sb ? b0 : b[at + k];             \
        got[k] = near_mod_##T(x, y, &rare);                             \
      }                                                                 \
      for (int64_t k = 0; rare && k < some; k++)                        \
        got[k] = mod_##T(sa ? a0 : a[at + k], sb ? b0 : b[at + k]);     \
      memcpy(o + at, got, sizeof(T) * (size_t)some);                    \
    }                                                                   \
  }                                                                     \
  BINARY_P(NAME)

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

/* -- the routines: NAME is the operation with its type -------------------------- */

#define OUT_S(T) T
#define OUT_B(T) fs_u8
#define LOOP_1(NAME, T, U, TO, C) UNARY(NAME, T, TO, C, U)
#define LOOP_2(NAME, T, U, TO, C) BINARY(NAME, T, TO, C, U)
#define LOOP_3(NAME, T, U, TO, C) TERNARY(NAME, T, TO, C)

#define LOOPS_F(n, id, r, C)                              \
  LOOP_##n(id##_fs_f32, fs_f32, fs_f32, OUT_##r(fs_f32), C) \
  LOOP_##n(id##_fs_f64, fs_f64, fs_f64, OUT_##r(fs_f64), C)
#define LOOPS_I(n, id, r, C)                                \
  LOOP_##n(id##_fs_i32, fs_i32, uint32_t, OUT_##r(fs_i32), C) \
  LOOP_##n(id##_fs_i64, fs_i64, uint64_t, OUT_##r(fs_i64), C) \
  LOOP_##n(id##_fs_u64, fs_u64, uint64_t, OUT_##r(fs_u64), C)
#define LOOPS_U LOOPS_I
#define LOOPS_N(n, id, r, C) LOOPS_I(n, id, r, C) LOOPS_F(n, id, r, C)
#define LOOPS_B(n, id, r, C) LOOP_##n(id##_fs_u8, fs_u8, fs_u8, fs_u8, C)
/* Of any type are a copy, and a choice by a bool of two others. */
#define LOOPS_A(n, id, r, C) LOOPS_A##n(id, r, C)
#define LOOPS_A1(id, r, C) LOOPS_B(1, id, r, C) LOOPS_N(1, id, r, C)
#define LOOPS_A3(id, r, C)                                                  \
  TERNARY(id##_fs_u8, fs_u8, fs_u8, C) TERNARY(id##_fs_i32, fs_u8, fs_i32, C) \
  TERNARY(id##_fs_i64, fs_u8, fs_i64, C) TERNARY(id##_fs_u64, fs_u8, fs_u64, C) \
  TERNARY(id##_fs_f32, fs_u8, fs_f32, C) TERNARY(id##_fs_f64, fs_u8, fs_f64, C)

#define WAY_NONE(n, id, types, r, C)
#define WAY_LOOP(n, id, types, r, C) LOOPS_##types(n, id, r, C)
#define WAY_MOD(n, id, types, r, C)                     \
  LOOP_2(id##_fs_i32, fs_i32, uint32_t, fs_i32, C)      \
  LOOP_2(id##_fs_i64, fs_i64, uint64_t, fs_i64, C)      \
  LOOP_2(id##_fs_u64, fs_u64, uint64_t, fs_u64, C)      \
  REMAINDER(id##_fs_f32, fs_f32, uint32_t)              \
  REMAINDER(id##_fs_f64, fs_f64, uint64_t)
#define WAY_VECTOR(n, id, types, r, C)                   \
  VECTOR1(id##_fs_f32, float, fs_vf, FS_VF, f32, C)      \
  VECTOR1(id##_fs_f64, double, fs_vd, FS_VD, f64, C)
#define WAY_MATH(n, id, types, r, F) MATH##n(id, F)
#define FS_MAP_OP(id, name, n, types, result, commutes, infix, cuda, way, c, ...) \
  WAY_##way(n, id, types, result, c)
#include "core/graph/ops.def"

/* -- the table ------------------------------------------------------------ */

#define ROWS_F(R, id) [FS_CT_F32] = R(id##_fs_f32), [FS_CT_F64] = R(id##_fs_f64)
#define ROWS_I(R, id)                                             \
  [FS_CT_I32] = R(id##_fs_i32), [FS_CT_I64] = R(id##_fs_i64),     \
  [FS_CT_U64] = R(id##_fs_u64)
#define ROWS_U ROWS_I
#define ROWS_N(R, id) ROWS_I(R, id), ROWS_F(R, id)
#define ROWS_B(R, id) [FS_CT_BOOL] = R(id##_fs_u8)
#define ROWS_A(R, id) ROWS_B(R, id), ROWS_N(R, id)
#define TABLE_NONE(n, id, types) {{0}}
#define TABLE_LOOP(n, id, types) {ROWS_##types(ROW##n, id)}
#define TABLE_MOD TABLE_LOOP
#define TABLE_VECTOR TABLE_LOOP
#define TABLE_MATH TABLE_LOOP

fs_map_fn *const FS_SYM(fs_maps)[FS_MAP_OP_COUNT][FS_CT_COUNT][8] = {
#define FS_MAP_OP(id, name, n, types, result, commutes, infix, cuda, way, ...) \
  [FS_OP_##id] = TABLE_##way(n, id, types),
#include "core/graph/ops.def"
};
