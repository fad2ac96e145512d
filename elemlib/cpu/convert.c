/* convert.c - moving strips: types, strides, transposes, half precision. */
#include "elemlib/cpu/parts.h"
#include "elemlib/cpu/simd.h"
#include "elemlib/cpu/scalar.h"

/* -- between compute types ------------------------------------------------ */

#define CONVERT(FROM, TO, TI, TO_T, EXPR)                              \
  static void FROM##_to_##TO(void *out, const void *in, int64_t n) {   \
    const TI *a = in;                                                  \
    TO_T *o = out;                                                     \
    FS_EACH(k, n) {                                                    \
      TI x = a[k];                                                     \
      o[k] = (TO_T)(EXPR);                                             \
    }                                                                  \
  }

CONVERT(u8, u8, uint8_t, uint8_t, x)
CONVERT(u8, i32, uint8_t, int32_t, x)
CONVERT(u8, i64, uint8_t, int64_t, x)
CONVERT(u8, u64, uint8_t, uint64_t, x)
CONVERT(u8, f32, uint8_t, float, x)
CONVERT(u8, f64, uint8_t, double, x)
CONVERT(i32, u8, int32_t, uint8_t, x != 0)
CONVERT(i32, i32, int32_t, int32_t, x)
CONVERT(i32, i64, int32_t, int64_t, x)
CONVERT(i32, u64, int32_t, uint64_t, (int64_t)x)
CONVERT(i32, f32, int32_t, float, x)
CONVERT(i32, f64, int32_t, double, x)
CONVERT(i64, u8, int64_t, uint8_t, x != 0)
CONVERT(i64, i32, int64_t, int32_t, (uint32_t)(uint64_t)x)
CONVERT(i64, i64, int64_t, int64_t, x)
CONVERT(i64, u64, int64_t, uint64_t, x)
CONVERT(i64, f32, int64_t, float, x)
CONVERT(i64, f64, int64_t, double, x)
CONVERT(u64, u8, uint64_t, uint8_t, x != 0)
CONVERT(u64, i32, uint64_t, int32_t, (uint32_t)x)
CONVERT(u64, i64, uint64_t, int64_t, x)
CONVERT(u64, u64, uint64_t, uint64_t, x)
CONVERT(u64, f32, uint64_t, float, x)
CONVERT(u64, f64, uint64_t, double, x)
CONVERT(f32, u8, float, uint8_t, x != 0)
CONVERT(f32, i32, float, int32_t, i32_of_f32(x))
CONVERT(f32, i64, float, int64_t, i64_of_f32(x))
CONVERT(f32, u64, float, uint64_t, u64_of_f32(x))
CONVERT(f32, f32, float, float, x)
CONVERT(f32, f64, float, double, x)
CONVERT(f64, u8, double, uint8_t, x != 0)
CONVERT(f64, i32, double, int32_t, i32_of_f64(x))
CONVERT(f64, i64, double, int64_t, i64_of_f64(x))
CONVERT(f64, u64, double, uint64_t, u64_of_f64(x))
CONVERT(f64, f32, double, float, x)
CONVERT(f64, f64, double, double, x)

#define FROM(A)                                                         \
  {                                                                     \
    [FS_CT_BOOL] = A##_to_u8, [FS_CT_I32] = A##_to_i32,                   \
    [FS_CT_I64] = A##_to_i64, [FS_CT_U64] = A##_to_u64,                 \
    [FS_CT_F32] = A##_to_f32, [FS_CT_F64] = A##_to_f64                  \
  }
fs_convert_fn *const FS_SYM(fs_converts)[FS_CT_COUNT][FS_CT_COUNT] = {
  [FS_CT_BOOL] = FROM(u8),   [FS_CT_I32] = FROM(i32), [FS_CT_I64] = FROM(i64),
  [FS_CT_U64] = FROM(u64), [FS_CT_F32] = FROM(f32), [FS_CT_F64] = FROM(f64),
};

/* -- integers that are computed in wider ones, T in C ------------------------
 * round wraps around; clip gives the nearest of the type: what a float becomes. */

#define NARROW(NAME, T, C, LEAST, MOST)                                \
  void FS_SYM(fs_load_##NAME)(void *out, const void *in, int64_t n) {  \
    const T *a = in;                                                   \
    C *o = out;                                                        \
    FS_EACH(k, n) { o[k] = a[k]; }                                     \
  }                                                                    \
  void FS_SYM(fs_store_##NAME)(void *out, const void *in, int64_t n) { \
    const C *a = in;                                                   \
    T *o = out;                                                        \
    FS_EACH(k, n) { o[k] = (T)a[k]; }                                  \
  }                                                                    \
  void FS_SYM(fs_round_##NAME)(void *out, const void *in, int64_t n) { \
    const C *a = in;                                                   \
    C *o = out;                                                        \
    FS_EACH(k, n) { o[k] = (T)a[k]; }                                  \
  }                                                                    \
  void FS_SYM(fs_clip_##NAME)(void *out, const void *in, int64_t n) {  \
    const C *a = in;                                                   \
    C *o = out;                                                        \
    FS_EACH(k, n) { o[k] = a[k] < LEAST ? LEAST : a[k] > MOST ? MOST : a[k]; } \
  }
NARROW(u8, uint8_t, int32_t, 0, UINT8_MAX)
NARROW(i8, int8_t, int32_t, INT8_MIN, INT8_MAX)
NARROW(u16, uint16_t, int32_t, 0, UINT16_MAX)
NARROW(i16, int16_t, int32_t, INT16_MIN, INT16_MAX)
NARROW(u32, uint32_t, int64_t, 0, UINT32_MAX)

/* -- half precision ------------------------------------------------------- */

FS_INLINE uint32_t bits_of(float x) {
  uint32_t u;
  memcpy(&u, &x, 4);
  return u;
}
FS_INLINE float float_of(uint32_t u) {
  float x;
  memcpy(&x, &u, 4);
  return x;
}

FS_INLINE uint16_t bf16_of(float x) {
  uint32_t u = bits_of(x);
  uint32_t even = (u + 0x7fffu + ((u >> 16) & 1)) >> 16;
  return (uint16_t)(x != x ? (u >> 16 | 0x40u) : even);
}

void FS_SYM(fs_load_bf16)(void *out, const void *in, int64_t n) {
  const uint16_t *a = in;
  uint32_t *o = out;
  FS_EACH(k, n) { o[k] = (uint32_t)a[k] << 16; }
}
void FS_SYM(fs_store_bf16)(void *out, const void *in, int64_t n) {
  const float *a = in;
  uint16_t *o = out;
  FS_EACH(k, n) { o[k] = bf16_of(a[k]); }
}
void FS_SYM(fs_round_bf16)(void *out, const void *in, int64_t n) {
  const float *a = in;
  uint32_t *o = out;
  FS_EACH(k, n) { o[k] = (uint32_t)bf16_of(a[k]) << 16; }
}

#if defined __F16C__
FS_INLINE float f32_of_f16(uint16_t h) { return _cvtsh_ss(h); }
FS_INLINE uint16_t f16_of(float x) {
  return (uint16_t)_cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT);
}
FS_INLINE void load8(float *o, const uint16_t *a) {
  _mm256_storeu_ps(o, _mm256_cvtph_ps(_mm_loadu_si128((const void *)a)));
}
FS_INLINE __m128i half8(const float *a) {
  return _mm256_cvtps_ph(_mm256_loadu_ps(a), _MM_FROUND_TO_NEAREST_INT);
}
FS_INLINE void store8(uint16_t *o, const float *a) {
  _mm_storeu_si128((void *)o, half8(a));
}
FS_INLINE void round8(float *o, const float *a) {
  _mm256_storeu_ps(o, _mm256_cvtph_ps(half8(a)));
}
#else
/* Subnormal halves are multiples of 2^-24, so one product is exact. */
FS_INLINE float f32_of_f16(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16, rest = h & 0x7fffu;
  if (rest >= 0x7c00u) { /* infinite, or NaN, made quiet */
    uint32_t quiet = rest > 0x7c00u ? 0x400000u : 0;
    return float_of(sign | 0x7f800000u | (rest & 0x3ffu) << 13 | quiet);
  }
  if (rest < 0x400u) {
    float tiny = (float)rest * 0x1p-24f;
    return float_of(bits_of(tiny) | sign);
  }
  return float_of(sign | ((rest << 13) + (112u << 23)));
}
FS_INLINE uint16_t f16_of(float x) {
  uint32_t u = bits_of(x), sign = u >> 16 & 0x8000u, a = u & 0x7fffffffu;
  if (a > 0x7f800000u) /* NaN keeps the upper bits of its payload */
    return (uint16_t)(sign | 0x7e00u | (a >> 13 & 0x1ffu));
  if (a >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);
  if (a < 0x38800000u) { /* subnormal half: the adder does the rounding */
    float shifted = float_of(a) + 0.5f;
    return (uint16_t)(sign | (bits_of(shifted) - bits_of(0.5f)));
  }
  uint32_t even = a + 0xfffu + (a >> 13 & 1);
  return (uint16_t)(sign | ((even - (112u << 23)) >> 13));
}
FS_INLINE void load8(float *o, const uint16_t *a) {
  for (int k = 0; k < 8; k++) o[k] = f32_of_f16(a[k]);
}
FS_INLINE void store8(uint16_t *o, const float *a) {
  for (int k = 0; k < 8; k++) o[k] = f16_of(a[k]);
}
FS_INLINE void round8(float *o, const float *a) {
  for (int k = 0; k < 8; k++) o[k] = f32_of_f16(f16_of(a[k]));
}
#endif

void FS_SYM(fs_load_f16)(void *out, const void *in, int64_t n) {
  const uint16_t *a = in;
  float *o = out;
  int64_t k = 0;
  for (; k + 8 <= n; k += 8) load8(o + k, a + k);
  for (; k < n; k++) o[k] = f32_of_f16(a[k]);
}
void FS_SYM(fs_store_f16)(void *out, const void *in, int64_t n) {
  const float *a = in;
  uint16_t *o = out;
  int64_t k = 0;
  for (; k + 8 <= n; k += 8) store8(o + k, a + k);
  for (; k < n; k++) o[k] = f16_of(a[k]);
}
void FS_SYM(fs_round_f16)(void *out, const void *in, int64_t n) {
  const float *a = in;
  float *o = out;
  int64_t k = 0;
  for (; k + 8 <= n; k += 8) round8(o + k, a + k);
  for (; k < n; k++) o[k] = f32_of_f16(f16_of(a[k]));
}

/* -- strides -------------------------------------------------------------- */

/* Pieces of 16 rows that come soon: hardware expects no strides of a page and more.
 * To the second cache, since rows of 2^k bytes have but a few places in the first. */
FS_INLINE void expect(const void *at, int64_t pitch) {
  enum { AHEAD = 48 };
  const char *a = at;
  for (int64_t c = AHEAD; c < AHEAD + 16; c++)
    __builtin_prefetch((const char *)((uintptr_t)a + (uintptr_t)(c * pitch)), 0, 2);
}

#define MOVES(SIZE, T)                                                     \
  void FS_SYM(fs_gather_##SIZE)(void *out, const void *in, int64_t stride, \
                                int64_t n) {                               \
    const T *a = in;                                                       \
    T *o = out;                                                            \
    for (int64_t k = 0; k < n; k++) o[k] = a[k * stride];                  \
  }                                                                        \
  void FS_SYM(fs_scatter_##SIZE)(void *out, int64_t stride,                \
                                 const void *in, int64_t n) {              \
    const T *a = in;                                                       \
    T *o = out;                                                            \
    for (int64_t k = 0; k < n; k++) o[k * stride] = a[k];                  \
  }                                                                        \
  void FS_SYM(fs_fill_##SIZE)(void *out, const void *in, int64_t n) {      \
    T x = *(const T *)in, *o = out;                                        \
    FS_EACH(k, n) { o[k] = x; }                                            \
  }                                                                        \
  void FS_SYM(fs_transpose_##SIZE)(void *out, int64_t pitch,               \
                                   const void *in, int64_t stride,         \
                                   int64_t rows, int64_t n) {              \
    const T *a = in;                                                       \
    T *o = out;                                                            \
    int64_t k = 0;                                                         \
    for (; k + 16 <= n; k += 16) {                                         \
      int64_t r = 0;                                                       \
      expect(a + k * stride, stride * SIZE);                               \
      for (; r + 16 <= rows; r += 16)                                      \
        block_##SIZE(o + r * pitch + k, pitch, a + k * stride + r, stride); \
      for (; r < rows; r++)                                                \
        for (int64_t c = k; c < k + 16; c++)                               \
          o[r * pitch + c] = a[c * stride + r];                            \
    }                                                                      \
    for (; k < n; k++)                                                     \
      for (int64_t r = 0; r < rows; r++)                                   \
        o[r * pitch + k] = a[k * stride + r];                              \
  }

/* Transposes 16 x 16 elements so that both sides are read and written in whole pieces of
 * rows: through a copy that stays in the first-level cache, or where there are vectors
 * that hold a few elements, in squares that stay in registers. */
#define BLOCK(SIZE, T)                                                     \
  FS_INLINE void block_##SIZE(T *o, int64_t pitch, const T *a,             \
                              int64_t stride) {                            \
    T t[16][16];                                                           \
    for (int c = 0; c < 16; c++)                                           \
      memcpy(t[c], a + c * stride, sizeof(t[c]));                          \
    for (int r = 0; r < 16; r++) {                                         \
      T row[16];                                                           \
      for (int c = 0; c < 16; c++) row[c] = t[c][r];                       \
      memcpy(o + r * pitch, row, sizeof(row));                             \
    }                                                                      \
  }
#if defined __SSE2__
FS_INLINE __m128i load16(const void *p) { return _mm_loadu_si128(p); }
FS_INLINE void square_4(uint32_t *o, int64_t pitch, const uint32_t *a, int64_t stride) {
  __m128i c0 = load16(a), c1 = load16(a + stride), c2 = load16(a + 2 * stride),
          c3 = load16(a + 3 * stride);
  __m128i low01 = _mm_unpacklo_epi32(c0, c1), low23 = _mm_unpacklo_epi32(c2, c3),
          high01 = _mm_unpackhi_epi32(c0, c1), high23 = _mm_unpackhi_epi32(c2, c3);
  _mm_storeu_si128((void *)o, _mm_unpacklo_epi64(low01, low23));
  _mm_storeu_si128((void *)(o + pitch), _mm_unpackhi_epi64(low01, low23));
  _mm_storeu_si128((void *)(o + 2 * pitch), _mm_unpacklo_epi64(high01, high23));
  _mm_storeu_si128((void *)(o + 3 * pitch), _mm_unpackhi_epi64(high01, high23));
}
FS_INLINE void square_8(uint64_t *o, int64_t pitch, const uint64_t *a, int64_t stride) {
  __m128i c0 = load16(a), c1 = load16(a + stride);
  _mm_storeu_si128((void *)o, _mm_unpacklo_epi64(c0, c1));
  _mm_storeu_si128((void *)(o + pitch), _mm_unpackhi_epi64(c0, c1));
}
#define SQUARES(SIZE, T)                                                   \
  FS_INLINE void block_##SIZE(T *o, int64_t pitch, const T *a,             \
                              int64_t stride) {                            \
    for (int r = 0; r < 16; r += 16 / SIZE)                                \
      for (int c = 0; c < 16; c += 16 / SIZE)                              \
        square_##SIZE(o + r * pitch + c, pitch, a + c * stride + r, stride); \
  }
SQUARES(4, uint32_t) SQUARES(8, uint64_t)
#else
BLOCK(4, uint32_t) BLOCK(8, uint64_t)
#endif
BLOCK(1, uint8_t) BLOCK(2, uint16_t)
MOVES(1, uint8_t) MOVES(2, uint16_t) MOVES(4, uint32_t) MOVES(8, uint64_t)

/* Writes whole cache lines past the caches: a large result need not be read
 * before it is written. Others see it after a call without bytes, which waits until all
 * is written: to wait after every piece takes as long as the piece. */
void FS_SYM(fs_stream)(void *out, const void *in, int64_t bytes) {
#if defined __x86_64__
  if (bytes <= 0) { /* memcpy() takes no NULL, not even for nothing */
    _mm_sfence();
    return;
  }
  char *o = out;
  const char *a = in;
  int64_t head = -(int64_t)(uintptr_t)o & 63;
  if (head > bytes) head = bytes;
  memcpy(o, a, (size_t)head);
  int64_t k = head;
  for (; k + 64 <= bytes; k += 64) {
#if defined __AVX512F__
    _mm512_stream_si512((void *)(o + k), _mm512_loadu_si512(a + k));
#elif defined __AVX2__
    __m256i lo = _mm256_loadu_si256((const void *)(a + k));
    __m256i hi = _mm256_loadu_si256((const void *)(a + k + 32));
    _mm256_stream_si256((void *)(o + k), lo);
    _mm256_stream_si256((void *)(o + k + 32), hi);
#else
    for (int q = 0; q < 64; q += 16)
      _mm_stream_si128((void *)(o + k + q),
                       _mm_loadu_si128((const void *)(a + k + q)));
#endif
  }
  memcpy(o + k, a + k, (size_t)(bytes - k));
#else
  if (bytes > 0) memcpy(out, in, (size_t)bytes);
#endif
}
