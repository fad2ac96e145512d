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

#include "elemlib/cpu/simd.h"

enum { FS_PHILOX_LANES = 16 };

/* Ten rounds on LANES counters: lane k counts c[k] and gives the words w[k]. Each word
 * lies in the lower half of 64 bits, of which a product takes these alone: so nothing
 * has to be masked, and both of its halves are words again. */
FS_INLINE void fs_philox(const uint64_t *c, uint64_t stream, uint64_t seed,
                         uint32_t w[FS_PHILOX_LANES][4]) {
  enum { VECTOR = FS_VB / 8 };
  const uint64_t low = 0xffffffffu, m0 = 0xD2511F53u, m1 = 0xCD9E8D57u;
  for (int k = 0; k < FS_PHILOX_LANES; k += VECTOR) {
    fs_vu x0, x1, x2 = (fs_vu){0} + (stream & low), x3 = (fs_vu){0} + (stream >> 32);
    memcpy(&x0, c + k, sizeof x0);
    x1 = x0 >> 32;
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
      fs_vu p0 = fs_mul_low(x0, (fs_vu){0} + m0), p1 = fs_mul_low(x2, (fs_vu){0} + m1);
      x0 = (p1 >> 32) ^ x1 ^ k0;
      x1 = p1;
      x2 = (p0 >> 32) ^ x3 ^ k1;
      x3 = p0;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    fs_vu one = (x0 & low) | x1 << 32, other = (x2 & low) | x3 << 32;
    for (int q = 0; q < VECTOR; q++) {
      uint64_t pair[2] = {one[q], other[q]};
      memcpy(w[k + q], pair, sizeof pair);
    }
  }
}

#endif
