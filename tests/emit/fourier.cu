==== h200
> code: cuda
# k1 instance
launch: 128 threads, at most 125 blocks, each once, bounds for 1
shared: 0 B; waits
slots: 0 1 2; params: 0 float
// Y = re(ifft(w.*fft(X, [], 2), [], 2)) - 1
//
// scheme instance; 1000 rows of 96; 128 threads; 1 lane x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 1;
constexpr int FS_INSTANCES = 8, FS_LANES_EACH = 16;
constexpr fs_index FS_M = 1000;

// memory.cuh: fs_get fs_put
// barrier.cuh: fs_after_kernels
// fourier.cuh: fs_complex fs_fourier_few fs_circle fs_fourier_line
// the user's function fft, routine 1
#define FS_TYPE float
#define FS_C(x) ((FS_TYPE)(x))
#define FS_AT(name, ...) FS_AT_##name(__VA_ARGS__)
#define FS_AT_re(y) fs_a0((y))
#define FS_PUT(k, re, im) fs_r(k, re, im)
#define FS_LANES 16
#define FS_LANE fs_lane
#define FS_SCRATCH(k) fs_scratch[k]
#define FS_SYNC() __syncwarp(fs_mask)
template <class FS_IN0, class FS_OUT>
__device__ __forceinline__ void fs_user_59852eeb6aa8b880(FS_IN0 fs_a0, FS_OUT fs_r, FS_TYPE *fs_scratch, int fs_lane, unsigned fs_mask) {
  (void)fs_scratch, (void)fs_lane, (void)fs_mask;
#line 1 "fusible.h"
#define FS_LENGTH 96
#define FS_OP 0
#define FS_REAL 1
#define FS_DIVIDED 0
#define FS_TAKEN 96
#define FS_ROOM 99
#define FS_IM(k) 0
#define FS_RADICES 8, 4, 3
  constexpr int n = FS_LENGTH;
  const auto take = [&](int e) -> fs_complex<FS_TYPE> {
    const bool mirrored = FS_OP == 2 && 2 * e > n;
    const int k = mirrored ? n - e : e;
    fs_complex<FS_TYPE> z = {0, 0};
    if (k < FS_TAKEN) z = {FS_AT(re, k), FS_IM(k)};
    if (FS_OP == 2 && (k == 0 || 2 * k == n)) z.im = 0;
    if (FS_OP == 2) z = {mirrored ? -z.im : z.im, z.re};
    return z;
  };
  const auto give = [&](int k, fs_complex<FS_TYPE> z) {
    const bool real = FS_OP != 2 && FS_REAL, ends = k == 0 || 2 * k == n;
    if (real && 2 * k > n) return;  // the others have it
    if (real && ends) z.im = 0;
    if (FS_DIVIDED) z = {z.re / n, z.im / n};
    if (FS_OP == 2) z = {z.im, 0};
    FS_PUT(k, z.re, z.im);
    if (FS_OP == 0 && real && !ends) FS_PUT(n - k, z.re, -z.im);
  };
  fs_fourier_line<n, FS_LANES, 1, FS_RADICES>(
      take, give, [&] { FS_SYNC(); }, fs_scratch, fs_scratch + FS_ROOM, FS_LANE);
#undef FS_LENGTH
#undef FS_OP
#undef FS_REAL
#undef FS_DIVIDED
#undef FS_TAKEN
#undef FS_ROOM
#undef FS_IM
#undef FS_RADICES
#line 259 "fusible.cu"
}
#undef FS_TYPE
#undef FS_C
#undef FS_AT
#undef FS_PUT
#undef FS_LANES
#undef FS_LANE
#undef FS_SCRATCH
#undef FS_SYNC
#undef FS_AT_re

// the user's function fft, routine 1
#define FS_TYPE float
#define FS_C(x) ((FS_TYPE)(x))
#define FS_AT(name, ...) FS_AT_##name(__VA_ARGS__)
#define FS_AT_re(y) fs_a0((y))
#define FS_AT_im(y) fs_a1((y))
#define FS_PUT(k, re, im) fs_r(k, re, im)
#define FS_LANES 16
#define FS_LANE fs_lane
#define FS_SCRATCH(k) fs_scratch[k]
#define FS_SYNC() __syncwarp(fs_mask)
template <class FS_IN0, class FS_IN1, class FS_OUT>
__device__ __forceinline__ void fs_user_ac7eda29a9fa351a(FS_IN0 fs_a0, FS_IN1 fs_a1, FS_OUT fs_r, FS_TYPE *fs_scratch, int fs_lane, unsigned fs_mask) {
  (void)fs_scratch, (void)fs_lane, (void)fs_mask;
#line 1 "fusible.h"
#define FS_LENGTH 96
#define FS_OP 0
#define FS_REAL 0
#define FS_DIVIDED 1
#define FS_TAKEN 96
#define FS_ROOM 99
#define FS_IM(k) FS_AT(im, k)
#define FS_RADICES 8, 4, 3
  constexpr int n = FS_LENGTH;
  const auto take = [&](int e) -> fs_complex<FS_TYPE> {
    const bool mirrored = FS_OP == 2 && 2 * e > n;
    const int k = mirrored ? n - e : e;
    fs_complex<FS_TYPE> z = {0, 0};
    if (k < FS_TAKEN) z = {FS_AT(re, k), FS_IM(k)};
    if (FS_OP == 2 && (k == 0 || 2 * k == n)) z.im = 0;
    if (FS_OP == 2) z = {mirrored ? -z.im : z.im, z.re};
    return z;
  };
  const auto give = [&](int k, fs_complex<FS_TYPE> z) {
    const bool real = FS_OP != 2 && FS_REAL, ends = k == 0 || 2 * k == n;
    if (real && 2 * k > n) return;  // the others have it
    if (real && ends) z.im = 0;
    if (FS_DIVIDED) z = {z.re / n, z.im / n};
    if (FS_OP == 2) z = {z.im, 0};
    FS_PUT(k, z.re, z.im);
    if (FS_OP == 0 && real && !ends) FS_PUT(n - k, z.re, -z.im);
  };
  fs_fourier_line<n, FS_LANES, 1, FS_RADICES>(
      take, give, [&] { FS_SYNC(); }, fs_scratch, fs_scratch + FS_ROOM, FS_LANE);
#undef FS_LENGTH
#undef FS_OP
#undef FS_REAL
#undef FS_DIVIDED
#undef FS_TAKEN
#undef FS_ROOM
#undef FS_IM
#undef FS_RADICES
#line 323 "fusible.cu"
}
#undef FS_TYPE
#undef FS_C
#undef FS_AT
#undef FS_PUT
#undef FS_LANES
#undef FS_LANE
#undef FS_SCRATCH
#undef FS_SYNC
#undef FS_AT_re
#undef FS_AT_im

extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, float p0
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a2 = (const float *)s1;
  float *const a3 = (float *)s2;
  const int t = threadIdx.x;
  const fs_index first = (fs_index)blockIdx.x * FS_INSTANCES;
  alignas(16) __shared__ float e1[FS_INSTANCES * 193];
  __shared__ float scratch0[FS_INSTANCES * 198];
  __syncthreads();
  if (t < FS_INSTANCES * FS_LANES_EACH) {
    const int own = t / 16, lane = t % 16;
    const unsigned mask = 0xffffu << (t % 32 / 16 * 16);
    const fs_index i = first + own;
    const auto number0 = [&](int j) -> float {
      const fs_index x = own * 96 + j;
      const float v0 = fs_get(a0[first * 96 + x]);
      return v0;
    };
    const auto put1 = [&](int j, float re, float im) {
      const float v1 = re;
      const float v2 = im;
      e1[own * 193 + j + 0] = re;
      e1[own * 193 + j + 96] = im;
    };
    fs_user_59852eeb6aa8b880(number0, put1, scratch0 + own * 198, lane, mask);
  }
  __syncthreads();
  __syncthreads();
  if (t < FS_INSTANCES * 16) {
    const int own = t / 16, lane = t % 16;
    const unsigned mask = 0xffffu << (t % 32 / 16 * 16);
    const fs_index i = first + own;
    const auto number2 = [&](int j) -> float {
      const fs_index x = own * 96 + j;
      const float v2 = e1[own * 193 + j + 96];
      const float v3 = fs_get(a1[j]);
      const float v4 = v3 * v2;
      return v4;
    };
    const auto number3 = [&](int j) -> float {
      const fs_index x = own * 96 + j;
      const float v1 = e1[own * 193 + j + 0];
      const float v5 = fs_get(a2[j]);
      const float v6 = v5 * v1;
      return v6;
    };
    const auto put4 = [&](int j, float re, float im) {
      const fs_index x = own * 96 + j;
      const float v7 = re;
      const float v8 = im;
      const float v9 = (float)p0;
      const float v10 = v8 - v9;
      fs_put(a3[first * 96 + x], v10);
    };
    fs_user_ac7eda29a9fa351a(number2, number3, put4, scratch0 + own * 198, lane,
        mask);
  }
  __syncthreads();
}
