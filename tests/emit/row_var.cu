==== h200
> code: cuda
# k1 row
launch: 128 threads, at most 4875 blocks, 5 a unit, bounds for 5
shared: 0 B; workspace 768 B and 13568 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 3 2 4
typedef int fs_index;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store fs_fresh
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

// reduce.cuh: fs_lanes fs_warp fs_across fs_block fs_side fs_gather fs_add_parts fs_slices fs_parts
// barrier.cuh: fs_after_kernels fs_grid_barrier
// phase 1 of the launch
// v = reduce("var", A, 1)
//
// scheme row, in strips; 6000 rows of 400; 128 threads, 32 on a row; 1 lane x 1 vector; 16 rows at once
namespace phase1 {
constexpr int FS_THREADS = 128, FS_RESIDENT = 5;
constexpr fs_index FS_STRIPS = 13;
constexpr fs_index FS_PARTS_MOST = 375;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 16;
constexpr fs_index FS_M = 6000;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *work, unsigned *counters
) {
  const double *const a0 = (const double *)s0;
  double *const a1 = (double *)s1;
  fs_spread_state<double> *const w1 =
      (fs_spread_state<double> *)((char *)work + 256);
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    fs_spread_state<double> r1 = fs_spread_state<double>{0};
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      double v0[4] = {};
      {
        const fs_index j = strip * 32 + t;
        const bool in = j < 400;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (b * 4 + sub);
          if (in) v0[b] = fs_get(a0[i * 400 + j]);
        }
      }
      {
        const fs_index j = strip * 32 + t;
        const bool in = j < 400;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (b * 4 + sub);
          r1 = fs_spread::with(r1, v0[b]);
        }
      }
    }
    {
      fs_spread_state<double> *const side = (fs_spread_state<double> *)scratch;
      __syncthreads();
      side[sub * 32 + 0 + t] = r1;
      __syncthreads();
      for (int v = threadIdx.x; v < 32; v += 128) {
        const int t = v % 32;
        const fs_index j = strip * 32 + t;
        const bool in = j < 400;
        fs_spread_state<double> x[1];
        fs_side<fs_spread, 4>(x, side, v, 32);
        if (in) *(w1 + part * 416 + j) = x[0];
      }
    }
  }
  fs_grid_barrier(counters);
  for (fs_index unit = blockIdx.x; unit < 50; unit += gridDim.x) {
    const int lane = threadIdx.x % 8;
    const int slice = threadIdx.x / 8;
    const fs_index at = unit * 8 + lane * 1;
    const fs_index x = unit * 8 + threadIdx.x;
    fs_spread_state<double> sum1[1];
    sum1[0] = fs_spread_state<double>{0};
    fs_add_parts<fs_spread, 4>(sum1, w1, at, slice, parts, 16, 416);
    fs_spread_state<double> x1 = fs_spread_state<double>{0};
    x1 = fs_slices<fs_spread, 8>(sum1, (fs_spread_state<double> *)scratch, 128,
        x1);
    if (threadIdx.x < 8) {
      const fs_index j = x;
      if (j < 400) {
        const double v1 = fs_spread::result(x1);
        fs_put(a1[j], v1);
      }
    }
  }
}
}  // namespace phase1

// phase 2 of the launch
// w = var(A)
//
// scheme flat; 2400000 elements; 128 threads; 2 lanes x 8 vectors
namespace phase2 {
constexpr int FS_THREADS = 128, FS_RESIDENT = 5;
constexpr fs_index FS_TILES = 1172;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *work, unsigned *counters, double &c3,
        double &c4
) {
  const double *const a0 = (const double *)s0;
  const double *const a1 = (const double *)s1;
  double *const a2 = (double *)s2;
  fs_spread_state<double> *const w3 =
      (fs_spread_state<double> *)((char *)work + 256);
  alignas(16) __shared__ double scratch[16];
  const int t = threadIdx.x;
  const double v1 = c3;
  fs_spread_state<double> r3[2];
#pragma unroll
  for (int e = 0; e < 2; e++) {
    r3[e] = fs_spread_state<double>{0};
  }
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    double v0[8][2] = {};
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (tile * 1024 + (c * 128 + t)) * 2;
      const bool in = j < 2400000;
      if (in) fs_load(v0[c], a0 + j);
    }
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (tile * 1024 + (c * 128 + t)) * 2;
      const bool in = j < 2400000;
#pragma unroll
      for (int e = 0; e < 2; e++) {
        const double v2 = v0[c][e] - v1;
        if (in) r3[e] = fs_spread::with(r3[e], v2);
      }
    }
  }
  {
    const fs_spread_state<double> x = fs_block<fs_spread,
        4>(fs_lanes<fs_spread>(r3), (fs_spread_state<double> *)scratch);
    if (threadIdx.x == 0) w3[blockIdx.x] = x;
    __syncthreads();
  }
  fs_grid_barrier(counters);
  fs_spread_state<double> x3 = fs_gather<fs_spread,
      6>(w3, gridDim.x, 128, fs_spread_state<double>{0});
  const double v3 = fs_spread::result(fs_block<fs_spread,
      4>(x3, (fs_spread_state<double> *)scratch));
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a2[0], v3);
  c4 = v3;
}
}  // namespace phase2

extern "C" __global__ void __launch_bounds__(128, 5)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *work
) {
  fs_after_kernels();
  unsigned *const counters = (unsigned *)work;
  double c3 = fs_get(*(const double *)s2);
  double c4 = 0;
  phase1::fs_kernel(s0, s1, (char *)work + 256, counters);
  phase2::fs_kernel(s3, s2, s4, (char *)work + 512 + 13312LL * gridDim.x,
      counters, c3, c4);
}
# k2 flat
it is a phase of the launch before it
==== plain
> code: cuda
# k1 row
launch: 128 threads, at most 4875 blocks, 5 a unit, bounds for 5
shared: 0 B; workspace 768 B and 13568 B a block, 256 B of zeros; cooperative
slots: 0 1 3 2 4
typedef int fs_index;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store fs_fresh
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

// reduce.cuh: fs_lanes fs_warp fs_across fs_block fs_side fs_gather fs_add_parts fs_slices fs_parts
// barrier.cuh: fs_grid_barrier
// phase 1 of the launch
// v = reduce("var", A, 1)
//
// scheme row, in strips; 6000 rows of 400; 128 threads, 32 on a row; 1 lane x 1 vector; 16 rows at once
namespace phase1 {
constexpr int FS_THREADS = 128, FS_RESIDENT = 5;
constexpr fs_index FS_STRIPS = 13;
constexpr fs_index FS_PARTS_MOST = 375;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 16;
constexpr fs_index FS_M = 6000;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *work, unsigned *counters
) {
  const double *const a0 = (const double *)s0;
  double *const a1 = (double *)s1;
  fs_spread_state<double> *const w1 =
      (fs_spread_state<double> *)((char *)work + 256);
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    fs_spread_state<double> r1 = fs_spread_state<double>{0};
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      double v0[4] = {};
      {
        const fs_index j = strip * 32 + t;
        const bool in = j < 400;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (b * 4 + sub);
          if (in) v0[b] = fs_get(a0[i * 400 + j]);
        }
      }
      {
        const fs_index j = strip * 32 + t;
        const bool in = j < 400;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (b * 4 + sub);
          r1 = fs_spread::with(r1, v0[b]);
        }
      }
    }
    {
      fs_spread_state<double> *const side = (fs_spread_state<double> *)scratch;
      __syncthreads();
      side[sub * 32 + 0 + t] = r1;
      __syncthreads();
      for (int v = threadIdx.x; v < 32; v += 128) {
        const int t = v % 32;
        const fs_index j = strip * 32 + t;
        const bool in = j < 400;
        fs_spread_state<double> x[1];
        fs_side<fs_spread, 4>(x, side, v, 32);
        if (in) *(w1 + part * 416 + j) = x[0];
      }
    }
  }
  fs_grid_barrier(counters);
  for (fs_index unit = blockIdx.x; unit < 50; unit += gridDim.x) {
    const int lane = threadIdx.x % 8;
    const int slice = threadIdx.x / 8;
    const fs_index at = unit * 8 + lane * 1;
    const fs_index x = unit * 8 + threadIdx.x;
    fs_spread_state<double> sum1[1];
    sum1[0] = fs_spread_state<double>{0};
    fs_add_parts<fs_spread, 4>(sum1, w1, at, slice, parts, 16, 416);
    fs_spread_state<double> x1 = fs_spread_state<double>{0};
    x1 = fs_slices<fs_spread, 8>(sum1, (fs_spread_state<double> *)scratch, 128,
        x1);
    if (threadIdx.x < 8) {
      const fs_index j = x;
      if (j < 400) {
        const double v1 = fs_spread::result(x1);
        fs_put(a1[j], v1);
      }
    }
  }
}
}  // namespace phase1

// phase 2 of the launch
// w = var(A)
//
// scheme flat; 2400000 elements; 128 threads; 2 lanes x 8 vectors
namespace phase2 {
constexpr int FS_THREADS = 128, FS_RESIDENT = 5;
constexpr fs_index FS_TILES = 1172;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *work, unsigned *counters, double &c3,
        double &c4
) {
  const double *const a0 = (const double *)s0;
  const double *const a1 = (const double *)s1;
  double *const a2 = (double *)s2;
  fs_spread_state<double> *const w3 =
      (fs_spread_state<double> *)((char *)work + 256);
  alignas(16) __shared__ double scratch[16];
  const int t = threadIdx.x;
  const double v1 = c3;
  fs_spread_state<double> r3[2];
#pragma unroll
  for (int e = 0; e < 2; e++) {
    r3[e] = fs_spread_state<double>{0};
  }
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    double v0[8][2] = {};
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (tile * 1024 + (c * 128 + t)) * 2;
      const bool in = j < 2400000;
      if (in) fs_load(v0[c], a0 + j);
    }
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (tile * 1024 + (c * 128 + t)) * 2;
      const bool in = j < 2400000;
#pragma unroll
      for (int e = 0; e < 2; e++) {
        const double v2 = v0[c][e] - v1;
        if (in) r3[e] = fs_spread::with(r3[e], v2);
      }
    }
  }
  {
    const fs_spread_state<double> x = fs_block<fs_spread,
        4>(fs_lanes<fs_spread>(r3), (fs_spread_state<double> *)scratch);
    if (threadIdx.x == 0) w3[blockIdx.x] = x;
    __syncthreads();
  }
  fs_grid_barrier(counters);
  fs_spread_state<double> x3 = fs_gather<fs_spread,
      6>(w3, gridDim.x, 128, fs_spread_state<double>{0});
  const double v3 = fs_spread::result(fs_block<fs_spread,
      4>(x3, (fs_spread_state<double> *)scratch));
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a2[0], v3);
  c4 = v3;
}
}  // namespace phase2

extern "C" __global__ void __launch_bounds__(128, 5)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *work
) {
  unsigned *const counters = (unsigned *)work;
  double c3 = fs_get(*(const double *)s2);
  double c4 = 0;
  phase1::fs_kernel(s0, s1, (char *)work + 256, counters);
  phase2::fs_kernel(s3, s2, s4, (char *)work + 512 + 13312LL * gridDim.x,
      counters, c3, c4);
}
# k2 flat
it is a phase of the launch before it
