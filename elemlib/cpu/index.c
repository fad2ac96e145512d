/* index.c - strips that are functions of the index: iota and random numbers. */
#include "elemlib/cpu/parts.h"
#include "elemlib/cpu/philox.h"
#include "elemlib/cpu/simd.h"

#define IOTA(NAME, T, EXPR)                                               \
  void FS_SYM(fs_iota_##NAME)(void *out, const void *start,               \
                              const void *step, int64_t base,             \
                              int64_t stride, int64_t n) {                \
    T a = *(const T *)start, b = *(const T *)step, *o = out;              \
    FS_EACH(k, n) {                                                       \
      int64_t index = base + k * stride;                                  \
      o[k] = (T)(EXPR);                                                   \
    }                                                                     \
  }
IOTA(u8, uint8_t, (a + b * index) != 0)
IOTA(i32, int32_t, (uint32_t)a + (uint32_t)b * (uint32_t)index)
IOTA(i64, int64_t, (uint64_t)a + (uint64_t)b * (uint64_t)index)
IOTA(u64, uint64_t, a + b * (uint64_t)index)
IOTA(f32, float, a + b * (float)index)
IOTA(f64, double, a + b * (double)index)

/* -- uniform ---------------------------------------------------------------------
 * Consecutive elements (step 1) share counters: LANES counters give 4 * LANES
 * f32 numbers. Other steps take one counter per element. */

#define UNIFORM(NAME, T, SHIFT, PICK)                                     \
  static void NAME##_dense(T *o, int64_t base, int64_t n, uint64_t seed,  \
                           uint64_t stream) {                             \
    enum { LANES = FS_PHILOX_LANES, PER = 1 << SHIFT };                   \
    uint64_t c[LANES];                                                    \
    uint32_t w[LANES][4];                                                 \
    T block[LANES * PER];                                                 \
    for (int64_t k = 0; k < n;) {                                         \
      int64_t first = (base + k) & (PER - 1);                             \
      int64_t count = FS_MIN(n - k, LANES * PER - first);                 \
      for (int q = 0; q < LANES; q++)                                     \
        c[q] = ((uint64_t)(base + k) >> SHIFT) + (uint64_t)q;             \
      fs_philox(c, stream, seed, w);                                      \
      T *to = count == LANES * PER ? o + k : block;                       \
      for (int q = 0; q < LANES; q++)                                     \
        for (int p = 0; p < PER; p++) to[q * PER + p] = PICK(w[q], p);    \
      if (to == block) memcpy(o + k, block + first, sizeof(T) * (size_t)count); \
      k += count;                                                         \
    }                                                                     \
  }                                                                       \
  static void NAME##_apart(T *o, int64_t base, int64_t step, int64_t n,   \
                           uint64_t seed, uint64_t stream) {              \
    enum { LANES = FS_PHILOX_LANES, PER = 1 << SHIFT };                   \
    uint64_t c[LANES];                                                    \
    uint32_t w[LANES][4];                                                 \
    for (int64_t k = 0; k < n; k += LANES) {                              \
      for (int q = 0; q < LANES; q++)                                     \
        c[q] = (uint64_t)(base + (k + q) * step) >> SHIFT;                \
      fs_philox(c, stream, seed, w);                                      \
      for (int64_t q = 0; q < FS_MIN(LANES, n - k); q++) {                \
        int64_t p = (base + (k + q) * step) & (PER - 1);                  \
        o[k + q] = PICK(w[q], p);                                         \
      }                                                                   \
    }                                                                     \
  }                                                                       \
  void FS_SYM(fs_uniform_##NAME)(void *out, int64_t base, int64_t step,   \
                                 int64_t n, uint64_t seed,                \
                                 uint64_t stream) {                       \
    if (step == 1) NAME##_dense(out, base, n, seed, stream);              \
    else NAME##_apart(out, base, step, n, seed, stream);                  \
  }
#define PICK_F32(w, p) ((float)(int32_t)((w)[p] >> 8) * 0x1p-24f)
#define PICK_F64(w, p)                                                     \
  ((double)(int64_t)(((uint64_t)(w)[2 * (p)] << 32 | (w)[2 * (p) + 1]) >> 11) * \
   0x1p-53)
UNIFORM(f32, float, 2, PICK_F32)
UNIFORM(f64, double, 1, PICK_F64)

/* -- normal --------------------------------------------------------------- */

#define NORMAL(NAME, T, CT, TWO_PI)                                       \
  void FS_SYM(fs_normal_##NAME)(void *out, int64_t base, int64_t step,    \
                                int64_t n, uint64_t seed,                 \
                                uint64_t stream) {                        \
    enum { LANES = FS_PHILOX_LANES };                                     \
    uint64_t c[LANES];                                                    \
    uint32_t w[LANES][4];                                                 \
    T *o = out, r[LANES], angle[LANES], even[LANES], odd[LANES];          \
    for (int64_t k = 0; k < n;) {                                         \
      int64_t at = base + k * step, first = step == 1 ? at & 1 : 0;       \
      int64_t count = step == 1 ? 2 * LANES - first : LANES;              \
      count = FS_MIN(count, n - k);                                       \
      for (int q = 0; q < LANES; q++)                                     \
        c[q] = step == 1 ? ((uint64_t)at >> 1) + (uint64_t)q              \
                         : (uint64_t)(at + q * step) >> 1;                \
      fs_philox(c, stream | 1ull << 63, seed, w);                         \
      for (int q = 0; q < LANES; q++) {                                   \
        r[q] = ((T)w[q][0] + (T)1) * (T)0x1p-32;                          \
        angle[q] = TWO_PI * ((T)w[q][1] * (T)0x1p-32);                    \
      }                                                                   \
      MAP(LOG, CT)(r, r, NULL, NULL, LANES);                              \
      for (int q = 0; q < LANES; q++) r[q] = (T)-2 * r[q];                \
      MAP(SQRT, CT)(r, r, NULL, NULL, LANES);                             \
      MAP(COS, CT)(even, angle, NULL, NULL, LANES);                       \
      MAP(SIN, CT)(odd, angle, NULL, NULL, LANES);                        \
      for (int64_t q = 0; q < count; q++) {                               \
        int64_t lane = step == 1 ? (first + q) >> 1 : q;                  \
        bool is_odd = (at + q * step) & 1;                                \
        o[k + q] = r[lane] * (is_odd ? odd[lane] : even[lane]);           \
      }                                                                   \
      k += count;                                                         \
    }                                                                     \
  }
#define MAP(OP, CT) FS_SYM(fs_maps)[FS_OP_##OP][CT][0]
NORMAL(f32, float, FS_CT_F32, 6.28318530717958647692f)
NORMAL(f64, double, FS_CT_F64, 6.28318530717958647692)
