/* philox.h - random numbers as a function of (seed, stream, index).
 *
 * Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as
 * 1, 2, 3, 2011). For the element at linear index L of the sequence chosen by
 * the 64-bit numbers `seed` and `stream`, with
 *
 *   block(c, s) = philox4x32_10(counter {lo32(c), hi32(c), lo32(s), hi32(s)},
 *                               key {lo32(seed), hi32(seed)}) = words w0..w3
 *
 * uniform f32   block(L >> 2, stream), w = w[L & 3]:   (w >> 8) * 2^-24
 * uniform f64   block(L >> 1, stream), p = 2 * (L & 1):
 *               (((uint64) w[p] << 32 | w[p + 1]) >> 11) * 2^-53
 * normal        block(L >> 1, stream | 1 << 63), words w0, w1 (Box-Muller):
 *               u1 = (T(w0) + 1) * 2^-32,  angle = 2 pi * (T(w1) * 2^-32),
 *               r = sqrt(-2 * log(u1)),
 *               r * cos(angle) for even L, r * sin(angle) for odd L,
 *               every operation in the arithmetic of T (f32 or f64)
 *
 * Other types are made from the f32 numbers. All of it is the same on every
 * target, but for the last bits of log, sin and cos.
 */
#ifndef FS_CPU_PHILOX_H
#define FS_CPU_PHILOX_H

#include <stdint.h>

enum { FS_PHILOX_LANES = 16 };

/* Ten rounds on LANES counters side by side: lane k counts c[k]; w[word][k]. */
static inline __attribute__((always_inline)) void fs_philox(
    const uint64_t *c, uint64_t stream, uint64_t seed,
    uint32_t w[4][FS_PHILOX_LANES]) {
  uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
  for (int k = 0; k < FS_PHILOX_LANES; k++) {
    w[0][k] = (uint32_t)c[k];
    w[1][k] = (uint32_t)(c[k] >> 32);
    w[2][k] = (uint32_t)stream;
    w[3][k] = (uint32_t)(stream >> 32);
  }
  for (int round = 0; round < 10; round++) {
    for (int k = 0; k < FS_PHILOX_LANES; k++) {
      uint64_t p0 = (uint64_t)w[0][k] * 0xD2511F53u;
      uint64_t p1 = (uint64_t)w[2][k] * 0xCD9E8D57u;
      uint32_t x1 = w[1][k], x3 = w[3][k];
      w[0][k] = (uint32_t)(p1 >> 32) ^ x1 ^ k0;
      w[1][k] = (uint32_t)p1;
      w[2][k] = (uint32_t)(p0 >> 32) ^ x3 ^ k1;
      w[3][k] = (uint32_t)p0;
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

#endif
