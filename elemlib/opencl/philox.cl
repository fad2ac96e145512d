// philox.cl - random numbers as a function of seed, stream and the element's index, in OpenCL
// C: those of the CPU target, see elemlib/cpu/philox.h.

//@ fs_philox
typedef struct {
  uint w[4];
} fs_random4;
FS_INLINE fs_random4 fs_philox(ulong index, ulong seed, ulong stream) {
  uint c0 = (uint)index, c1 = (uint)(index >> 32);
  uint c2 = (uint)stream, c3 = (uint)(stream >> 32);
  uint k0 = (uint)seed, k1 = (uint)(seed >> 32);
  for (int round = 0; round < 10; round++) {
    const ulong p = 0xD2511F53ul * c0, q = 0xCD9E8D57ul * c2;
    c0 = (uint)(q >> 32) ^ c1 ^ k0;
    c1 = (uint)q;
    c2 = (uint)(p >> 32) ^ c3 ^ k1;
    c3 = (uint)p;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return (fs_random4){{c0, c1, c2, c3}};
}

//@ fs_uniform_f32
FS_INLINE float fs_uniform_f32(ulong index, ulong seed, ulong stream) {
  const fs_random4 r = fs_philox(index >> 2, seed, stream);
  return (float)(r.w[index & 3] >> 8) * 5.9604644775390625e-8f;  // 2^-24
}

//@ fs_uniform_f64
FS_INLINE double fs_uniform_f64(ulong index, ulong seed, ulong stream) {
  const fs_random4 r = fs_philox(index >> 1, seed, stream);
  const uint high = index & 1 ? r.w[2] : r.w[0], low = index & 1 ? r.w[3] : r.w[1];
  const ulong bits = (ulong)high << 32 | low;
  return (double)(bits >> 11) * 1.1102230246251565e-16;  // 2^-53
}

//@ fs_normal_f32
FS_INLINE float fs_normal_f32(ulong index, ulong seed, ulong stream) {
  const fs_random4 r = fs_philox(index >> 1, seed, stream | 1ul << 63);
  const float u = ((float)r.w[0] + 1.0f) * 2.3283064365386963e-10f;  // 2^-32
  const float angle = 6.28318530717958647692f * ((float)r.w[1] * 2.3283064365386963e-10f);
  const float radius = sqrt(-2.0f * log(u));
  return radius * (index & 1 ? sin(angle) : cos(angle));
}

//@ fs_normal_f64
FS_INLINE double fs_normal_f64(ulong index, ulong seed, ulong stream) {
  const fs_random4 r = fs_philox(index >> 1, seed, stream | 1ul << 63);
  const double u = ((double)r.w[0] + 1.0) * 2.3283064365386963e-10;
  const double angle = 6.28318530717958647692 * ((double)r.w[1] * 2.3283064365386963e-10);
  const double radius = sqrt(-2.0 * log(u));
  return radius * (index & 1 ? sin(angle) : cos(angle));
}
