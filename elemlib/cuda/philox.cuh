// philox.cuh - random numbers as a function of seed, stream and the element's
// index: Philox4x32 with 10 rounds (Salmon, Moraes, Dror, Shaw: Parallel random
// numbers: as easy as 1, 2, 3, 2011). The numbers are those of the CPU target,
// see elemlib/cpu/philox.h. A counter serves four (f32) or two neighbours; the
// compiler computes it once for the lanes of a vector.

//@ fs_philox
struct fs_random4 {
  unsigned w[4];
};
__device__ __forceinline__ fs_random4 fs_philox(unsigned long long index,
                                                unsigned long long seed,
                                                unsigned long long stream) {
  unsigned c0 = (unsigned)index, c1 = (unsigned)(index >> 32);
  unsigned c2 = (unsigned)stream, c3 = (unsigned)(stream >> 32);
  unsigned k0 = (unsigned)seed, k1 = (unsigned)(seed >> 32);
#pragma unroll
  for (int round = 0; round < 10; round++) {
    const unsigned long long p = 0xD2511F53ull * c0, q = 0xCD9E8D57ull * c2;
    c0 = (unsigned)(q >> 32) ^ c1 ^ k0;
    c1 = (unsigned)q;
    c2 = (unsigned)(p >> 32) ^ c3 ^ k1;
    c3 = (unsigned)p;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

//@ fs_uniform_f32
__device__ __forceinline__ float fs_uniform_f32(unsigned long long index,
                                                unsigned long long seed,
                                                unsigned long long stream) {
  const fs_random4 r = fs_philox(index >> 2, seed, stream);
  return (float)(r.w[index & 3] >> 8) * 5.9604644775390625e-8f;  // 2^-24
}

//@ fs_uniform_f64
__device__ __forceinline__ double fs_uniform_f64(unsigned long long index,
                                                 unsigned long long seed,
                                                 unsigned long long stream) {
  const fs_random4 r = fs_philox(index >> 1, seed, stream);
  const unsigned high = index & 1 ? r.w[2] : r.w[0];
  const unsigned low = index & 1 ? r.w[3] : r.w[1];
  const unsigned long long bits = (unsigned long long)high << 32 | low;
  return (double)(bits >> 11) * 1.1102230246251565e-16;  // 2^-53
}

//@ fs_normal_f32
__device__ __forceinline__ float fs_normal_f32(unsigned long long index,
                                               unsigned long long seed,
                                               unsigned long long stream) {
  const fs_random4 r = fs_philox(index >> 1, seed, stream | 1ull << 63);
  const float u = ((float)r.w[0] + 1.0f) * 2.3283064365386963e-10f;  // 2^-32
  const float angle =
      6.28318530717958647692f * ((float)r.w[1] * 2.3283064365386963e-10f);
  const float radius = sqrtf(-2.0f * logf(u));
  return radius * (index & 1 ? sinf(angle) : cosf(angle));
}

//@ fs_normal_f64
__device__ __forceinline__ double fs_normal_f64(unsigned long long index,
                                                unsigned long long seed,
                                                unsigned long long stream) {
  const fs_random4 r = fs_philox(index >> 1, seed, stream | 1ull << 63);
  const double u = ((double)r.w[0] + 1.0) * 2.3283064365386963e-10;
  const double angle =
      6.28318530717958647692 * ((double)r.w[1] * 2.3283064365386963e-10);
  const double radius = sqrt(-2.0 * log(u));
  return radius * (index & 1 ? sin(angle) : cos(angle));
}
