==== h200
> code: cuda
# k1 row
launch: 256 threads, at most 8192 blocks, bounds for 3
shared: 0 B; waits
slots: 0 1
// s = sum(A, 1)
//
// scheme row; 16777216 rows of 4; 256 threads, 1 on a row; 1 lane x 4 vectors; 2048 rows at once
typedef long long fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 3;
constexpr int FS_ROW_THREADS = 1, FS_ROWS = 2048;
constexpr fs_index FS_M = 16777216;

// memory.cuh: fs_get fs_put
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float r1[8] = {};
    float v0[8][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = c * 1 + t;
#pragma unroll
      for (int b = 0; b < 8; b++) {
        const fs_index i = first + (b * 256 + sub);
        v0[b][c] = fs_get(a0[i + j * 16777216]);
      }
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = c * 1 + t;
#pragma unroll
      for (int b = 0; b < 8; b++) {
        const fs_index i = first + (b * 256 + sub);
        r1[b] = r1[b] + v0[b][c];
      }
    }
    float v1[8];
#pragma unroll
    for (int b = 0; b < 8; b++) {
      v1[b] = r1[b];
    }
#pragma unroll
    for (int b = 0; b < 8; b++) {
      const fs_index i = first + (b * 256 + sub);
      if (t == 0) fs_put(a1[i], v1[b]);
    }
  }
}
> code: cuda
# k1 row
launch: 64 threads, at most 938 blocks, bounds for 3
shared: 0 B; waits
slots: 0 1 2
// v = var(B, 1)
//
// scheme row; 30001 rows of 50; 64 threads, 2 on a row; 1 lane x 25 vectors
typedef int fs_index;
constexpr int FS_THREADS = 64, FS_RESIDENT = 3;
constexpr int FS_ROW_THREADS = 2, FS_ROWS = 32;
constexpr fs_index FS_M = 30001;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_fresh
// state.cuh: fs_in_words fs_spread_state
template <typename T>
struct fs_spread_state {
  long long n; double shift; double sum; double squares;
};

struct fs_spread {
  template <typename T>
  __device__ __forceinline__ static T of(T s, T t) { if (!s.n) s = t; else if (t.n) { double p = (double)s.n; double q = (double)t.n; double ms = s.sum / p; double mt = t.sum / q; double apart = (s.shift - t.shift) + (ms - mt); s.squares = ((s.squares - s.sum * ms) + (t.squares - t.sum * mt)) + apart * apart * (p * q / (p + q)); s.shift = (p * (s.shift + ms) + q * (t.shift + mt)) / (p + q); s.sum = 0; s.n += t.n; }; return s; }
  template <typename T>
  __device__ __forceinline__ static auto result(T s) { return fs_max(s.squares - s.sum * (s.sum / (double)s.n), 0.0) / (double)(s.n - 1); }
  template <typename T, typename X>
  __device__ __forceinline__ static T with(T s, X x) { if (!(s.n & (s.n - 1))) { double mean = s.n ? s.sum / (double)s.n : (double)x; s.squares -= s.sum * mean; s.shift += mean; s.sum = 0; } double d = (double)x - s.shift; s.n += 1; s.sum += d; s.squares += d * d; return s; }
};

// reduce.cuh: fs_warp
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2
) {
  fs_after_kernels();
  const double *const a0 = (const double *)s0;
  const double *const a1 = (const double *)s1;
  double *const a2 = (double *)s2;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first + sub;
    const bool ok = i < 30001;
    const double v1 = ok ? fs_get(a1[i]) : (double)0;
    fs_spread_state<double> r3 = fs_spread_state<double>{0};
    double v0[25] = {};
#pragma unroll
    for (int c = 0; c < 25; c++) {
      const fs_index j = c * 2 + t;
      if (ok) v0[c] = fs_get(a0[i + j * 30016]);
    }
#pragma unroll
    for (int c = 0; c < 25; c++) {
      const fs_index j = c * 2 + t;
      const double v2 = v0[c] - v1;
      r3 = fs_spread::with(r3, v2);
    }
    const double v3 = fs_spread::result(fs_warp<fs_spread, 2>(r3));
    if (t == 0 && ok) fs_put(a2[i], v3);
  }
}
