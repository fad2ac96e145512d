/* simd.h - vectors of the instruction set that a file is compiled for.
 *
 * GNU vector types of the native width, the few operations that they do not
 * spell (fma, square root, rounding), and names with the set as suffix.
 */
#ifndef FS_CPU_SIMD_H
#define FS_CPU_SIMD_H

#include "elemlib/cpu/routines.h"

#include <math.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

#define FS_GLUE_(name, isa) name##_##isa
#define FS_GLUE(name, isa) FS_GLUE_(name, isa)
#define FS_SYM(name) FS_GLUE(name, FS_ISA) /* fs_maps -> fs_maps_avx2 */

#if defined __AVX512F__
#define FS_VB 64
#elif defined __AVX2__
#define FS_VB 32
#else
#define FS_VB 16
#endif
enum { FS_VF = FS_VB / 4, FS_VD = FS_VB / 8 };

typedef float fs_vf __attribute__((vector_size(FS_VB)));
typedef double fs_vd __attribute__((vector_size(FS_VB)));
typedef uint64_t fs_vu __attribute__((vector_size(FS_VB)));
typedef float fs_vf_mem
    __attribute__((vector_size(FS_VB), aligned(4), may_alias));
typedef double fs_vd_mem
    __attribute__((vector_size(FS_VB), aligned(8), may_alias));

#define FS_INLINE static inline __attribute__((always_inline, unused))

FS_INLINE fs_vf fs_load_f32(const float *p) { return *(const fs_vf_mem *)p; }
FS_INLINE fs_vd fs_load_f64(const double *p) { return *(const fs_vd_mem *)p; }
FS_INLINE void fs_store_f32(float *p, fs_vf v) { *(fs_vf_mem *)p = v; }
FS_INLINE void fs_store_f64(double *p, fs_vd v) { *(fs_vd_mem *)p = v; }

/* The first n of a vector's elements, n no more than all of them; zeros after them, and
 * what lies there is neither read nor written. */
#if defined __AVX512F__
FS_INLINE fs_vf fs_load_part_f32(const float *p, int64_t n) {
  return (fs_vf)_mm512_maskz_loadu_ps((__mmask16)((1U << n) - 1), p);
}
FS_INLINE fs_vd fs_load_part_f64(const double *p, int64_t n) {
  return (fs_vd)_mm512_maskz_loadu_pd((__mmask8)((1U << n) - 1), p);
}
FS_INLINE void fs_store_part_f32(float *p, fs_vf v, int64_t n) {
  _mm512_mask_storeu_ps(p, (__mmask16)((1U << n) - 1), (__m512)v);
}
FS_INLINE void fs_store_part_f64(double *p, fs_vd v, int64_t n) {
  _mm512_mask_storeu_pd(p, (__mmask8)((1U << n) - 1), (__m512d)v);
}
#elif defined __AVX2__
FS_INLINE __m256i fs_part_f32(int64_t n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
FS_INLINE __m256i fs_part_f64(int64_t n) {
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}
FS_INLINE fs_vf fs_load_part_f32(const float *p, int64_t n) {
  return (fs_vf)_mm256_maskload_ps(p, fs_part_f32(n));
}
FS_INLINE fs_vd fs_load_part_f64(const double *p, int64_t n) {
  return (fs_vd)_mm256_maskload_pd(p, fs_part_f64(n));
}
FS_INLINE void fs_store_part_f32(float *p, fs_vf v, int64_t n) {
  _mm256_maskstore_ps(p, fs_part_f32(n), (__m256)v);
}
FS_INLINE void fs_store_part_f64(double *p, fs_vd v, int64_t n) {
  _mm256_maskstore_pd(p, fs_part_f64(n), (__m256d)v);
}
#else
#define FS_PARTS(SFX, T, V)                                         \
  FS_INLINE V fs_load_part_##SFX(const T *p, int64_t n) {           \
    V v = {0};                                                      \
    for (int64_t k = 0; k < n; k++) v[k] = p[k];                    \
    return v;                                                       \
  }                                                                 \
  FS_INLINE void fs_store_part_##SFX(T *p, V v, int64_t n) {        \
    for (int64_t k = 0; k < n; k++) p[k] = v[k];                    \
  }
FS_PARTS(f32, float, fs_vf)
FS_PARTS(f64, double, fs_vd)
#endif

/* As many f32 as a vector has f64, widened. */
FS_INLINE fs_vd fs_load_wide(const float *p) {
#if defined __AVX512F__
  return (fs_vd)_mm512_cvtps_pd(_mm256_loadu_ps(p));
#elif defined __AVX2__
  return (fs_vd)_mm256_cvtps_pd(_mm_loadu_ps(p));
#else
  fs_vd v;
  for (int k = 0; k < FS_VD; k++) v[k] = (double)p[k];
  return v;
#endif
}

/* Iterations are independent even where out is an operand's own strip. */
#if defined __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* loops that call libm */
#define FS_EACH(k, n) \
  _Pragma("clang loop vectorize(assume_safety)") \
  for (int64_t k = 0; k < (n); k++)
#else
#define FS_EACH(k, n) \
  _Pragma("GCC ivdep") for (int64_t k = 0; k < (n); k++)
#endif

/* x*y + z with one rounding where the set has it; dot products on older
 * processors round twice (a library call per element would cost more than the
 * half bit is worth). */
FS_INLINE fs_vf fs_fma_f32(fs_vf x, fs_vf y, fs_vf z) {
#if defined __AVX512F__
  return (fs_vf)_mm512_fmadd_ps((__m512)x, (__m512)y, (__m512)z);
#elif defined __AVX2__
  return (fs_vf)_mm256_fmadd_ps((__m256)x, (__m256)y, (__m256)z);
#else
  return x * y + z;
#endif
}
FS_INLINE fs_vd fs_fma_f64(fs_vd x, fs_vd y, fs_vd z) {
#if defined __AVX512F__
  return (fs_vd)_mm512_fmadd_pd((__m512d)x, (__m512d)y, (__m512d)z);
#elif defined __AVX2__
  return (fs_vd)_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)z);
#else
  return x * y + z;
#endif
}
/* The same for one element of a tail. */
FS_INLINE float fs_fma1_f32(float x, float y, float z) {
#if defined __FMA__
  return __builtin_fmaf(x, y, z);
#else
  return x * y + z;
#endif
}
FS_INLINE double fs_fma1_f64(double x, double y, double z) {
#if defined __FMA__
  return __builtin_fma(x, y, z);
#else
  return x * y + z;
#endif
}

/* Products of the lower halves. */
FS_INLINE fs_vu fs_mul_low(fs_vu x, fs_vu y) {
#if defined __AVX512F__
  return (fs_vu)_mm512_mul_epu32((__m512i)x, (__m512i)y);
#elif defined __AVX2__
  return (fs_vu)_mm256_mul_epu32((__m256i)x, (__m256i)y);
#elif defined __SSE2__
  return (fs_vu)_mm_mul_epu32((__m128i)x, (__m128i)y);
#else
  return (x & 0xffffffffu) * (y & 0xffffffffu);
#endif
}

FS_INLINE fs_vf fs_vsqrt_f32(fs_vf x) {
#if defined __AVX512F__
  return (fs_vf)_mm512_sqrt_ps((__m512)x);
#elif defined __AVX2__
  return (fs_vf)_mm256_sqrt_ps((__m256)x);
#elif defined __SSE2__
  return (fs_vf)_mm_sqrt_ps((__m128)x);
#else
  for (int k = 0; k < FS_VF; k++) x[k] = sqrtf(x[k]);
  return x;
#endif
}
FS_INLINE fs_vd fs_vsqrt_f64(fs_vd x) {
#if defined __AVX512F__
  return (fs_vd)_mm512_sqrt_pd((__m512d)x);
#elif defined __AVX2__
  return (fs_vd)_mm256_sqrt_pd((__m256d)x);
#elif defined __SSE2__
  return (fs_vd)_mm_sqrt_pd((__m128d)x);
#else
  for (int k = 0; k < FS_VD; k++) x[k] = sqrt(x[k]);
  return x;
#endif
}

#endif
