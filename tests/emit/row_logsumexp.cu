==== h200
> code: cuda
# k1 row
launch: 512 threads, at most 750 blocks, 1 a unit, bounds for 1
shared: 0 B; workspace 256 B and 6672 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2 3
// r = logsumexp(A, 2); c = logsumexp(A, 1); k = logsumexp(A)
//
// scheme row; 6000 rows of 400; 512 threads, 256 on a row; 1 lane x 2 vectors; 8 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 8;
constexpr fs_index FS_M = 6000;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store fs_fresh
// state.cuh: fs_in_words fs_spread_state fs_finite fs_power_of_e
template <typename T>
struct fs_log_sum_state {
  T at; T sum;
};

struct fs_log_sum {
  template <typename T>
  __device__ __forceinline__ static T of(T s, T t) { s.sum = s.sum * fs_power_of_e(s.at - fs_max(s.at, t.at)) + t.sum * fs_power_of_e(t.at - fs_max(s.at, t.at)); s.at = fs_max(s.at, t.at); return s; }
  template <typename T>
  __device__ __forceinline__ static auto result(T s) { return s.at + fs_log_of(s.sum); }
  template <typename T, typename X>
  __device__ __forceinline__ static T with(T s, X x) { if (x > s.at + 1) { s.sum *= fs_power_of_e(s.at - fs_finite(x)); s.at = fs_finite(x); } s.sum += fs_power_of_e(x - s.at); return s; }
};

// reduce.cuh: fs_warp fs_across fs_block fs_fold fs_side fs_gather fs_add_parts fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_after_kernels fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  float *const a2 = (float *)s2;
  float *const a3 = (float *)s3;
  fs_log_sum_state<float> *const w2 =
      (fs_log_sum_state<float> *)((char *)work + 256);
  fs_log_sum_state<float> *const w3 =
      (fs_log_sum_state<float> *)((char *)work + 256 + 6656LL * gridDim.x);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[2048];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  fs_log_sum_state<float> r3 = fs_log_sum_state<float>{-0x1.fffffep127f};
  __shared__ fs_log_sum_state<float> part1[2][4][16];
  int turn = 0;
  fs_log_sum_state<float> r2[2];
#pragma unroll
  for (int c = 0; c < 2; c++) {
    r2[c] = fs_log_sum_state<float>{-0x1.fffffep127f};
  }
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    fs_log_sum_state<float> r1[4];
#pragma unroll
    for (int b = 0; b < 4; b++) {
      r1[b] = fs_log_sum_state<float>{-0x1.fffffep127f};
    }
    float v0[4][2] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = c * 256 + t;
      const bool in = j < 400;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + (b * 2 + sub);
        if (in) v0[b][c] = fs_get(a0[i * 416 + j]);
      }
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = c * 256 + t;
      const bool in = j < 400;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + (b * 2 + sub);
        if (in) r1[b] = fs_log_sum::with(r1[b], v0[b][c]);
        r2[c] = fs_log_sum::with(r2[c], v0[b][c]);
        if (in) r3 = fs_log_sum::with(r3, v0[b][c]);
      }
    }
    float v1[4] = {};
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_log_sum_state<float> x = fs_warp<fs_log_sum, 32>(r1[b]);
      if (threadIdx.x % 32 == 0) part1[turn][b][threadIdx.x / 32] = x;
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll
      for (int b = 0; b < 4; b++) {
        v1[b] = fs_log_sum::result(fs_fold<fs_log_sum,
            8>(part1[turn][b] + sub * 8));
      }
    }
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_index i = first + (b * 2 + sub);
      if (t == 0) fs_put(a1[i], v1[b]);
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
  {
    fs_log_sum_state<float> *const side = (fs_log_sum_state<float> *)scratch;
    __syncthreads();
    side[sub * 512 + 0 + t] = r2[0];
    side[sub * 512 + 256 + t] = r2[1];
    __syncthreads();
    for (int v = threadIdx.x; v < 512; v += 512) {
      const int c = 0 + v / 256;
      const int t = v % 256;
      const fs_index j = c * 256 + t;
      const bool in = j < 400;
      fs_log_sum_state<float> x[1];
      fs_side<fs_log_sum, 2>(x, side, v, 512);
      if (in) *(w2 + part * 416 + j) = x[0];
    }
  }
  __syncthreads();
  {
    const fs_log_sum_state<float> x = fs_block<fs_log_sum,
        16>(r3, (fs_log_sum_state<float> *)scratch);
    if (threadIdx.x == 0) w3[blockIdx.x] = x;
    __syncthreads();
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  fs_log_sum_state<float> part2[3][1];
  fs_fetch(part2, w2, (fs_index)blockIdx.x * 8 + lane * 1, slice, 64,
      (fs_index)gridDim.x, 416, fs_log_sum_state<float>{-0x1.fffffep127f});
  fs_log_sum_state<float> x3 = fs_gather<fs_log_sum,
      0>(w3, gridDim.x, 512, fs_log_sum_state<float>{-0x1.fffffep127f});
  const float v3 = fs_log_sum::result(fs_block<fs_log_sum,
      16>(x3, (fs_log_sum_state<float> *)scratch));
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a3[0], v3);
  for (fs_index unit = blockIdx.x; unit < 50; unit += gridDim.x) {
    const fs_index x = unit * 8 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 8 && j < 400;
    fs_log_sum_state<float> sum2[1];
    sum2[0] = fs_log_sum_state<float>{-0x1.fffffep127f};
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_log_sum>(sum2, part2);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 8 + lane * 1;
      fs_add_parts<fs_log_sum, 1>(sum2, w2, at, slice, (fs_index)gridDim.x, 64,
          416);
    }
    fs_log_sum_state<float> x2 = fs_log_sum_state<float>{-0x1.fffffep127f};
    x2 = fs_slices<fs_log_sum,
        8>(sum2, (fs_log_sum_state<float> *)scratch, 512, x2);
    if (own) {
      const float v2 = fs_log_sum::result(x2);
      fs_put(a2[j], v2);
    }
  }
}
==== plain
> code: cuda
# k1 row
launch: 512 threads, at most 750 blocks, 1 a unit, bounds for 1
shared: 0 B; workspace 256 B and 6672 B a block, 256 B of zeros; cooperative
slots: 0 1 2 3
// r = logsumexp(A, 2); c = logsumexp(A, 1); k = logsumexp(A)
//
// scheme row; 6000 rows of 400; 512 threads, 256 on a row; 1 lane x 2 vectors; 8 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 8;
constexpr fs_index FS_M = 6000;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store fs_fresh
// state.cuh: fs_in_words fs_spread_state fs_finite fs_power_of_e
template <typename T>
struct fs_log_sum_state {
  T at; T sum;
};

struct fs_log_sum {
  template <typename T>
  __device__ __forceinline__ static T of(T s, T t) { s.sum = s.sum * fs_power_of_e(s.at - fs_max(s.at, t.at)) + t.sum * fs_power_of_e(t.at - fs_max(s.at, t.at)); s.at = fs_max(s.at, t.at); return s; }
  template <typename T>
  __device__ __forceinline__ static auto result(T s) { return s.at + fs_log_of(s.sum); }
  template <typename T, typename X>
  __device__ __forceinline__ static T with(T s, X x) { if (x > s.at + 1) { s.sum *= fs_power_of_e(s.at - fs_finite(x)); s.at = fs_finite(x); } s.sum += fs_power_of_e(x - s.at); return s; }
};

// reduce.cuh: fs_warp fs_across fs_block fs_fold fs_side fs_gather fs_add_parts fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *work
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  float *const a2 = (float *)s2;
  float *const a3 = (float *)s3;
  fs_log_sum_state<float> *const w2 =
      (fs_log_sum_state<float> *)((char *)work + 256);
  fs_log_sum_state<float> *const w3 =
      (fs_log_sum_state<float> *)((char *)work + 256 + 6656LL * gridDim.x);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[2048];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  fs_log_sum_state<float> r3 = fs_log_sum_state<float>{-0x1.fffffep127f};
  __shared__ fs_log_sum_state<float> part1[2][4][16];
  int turn = 0;
  fs_log_sum_state<float> r2[2];
#pragma unroll
  for (int c = 0; c < 2; c++) {
    r2[c] = fs_log_sum_state<float>{-0x1.fffffep127f};
  }
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    fs_log_sum_state<float> r1[4];
#pragma unroll
    for (int b = 0; b < 4; b++) {
      r1[b] = fs_log_sum_state<float>{-0x1.fffffep127f};
    }
    float v0[4][2] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = c * 256 + t;
      const bool in = j < 400;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + (b * 2 + sub);
        if (in) v0[b][c] = fs_get(a0[i * 416 + j]);
      }
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = c * 256 + t;
      const bool in = j < 400;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + (b * 2 + sub);
        if (in) r1[b] = fs_log_sum::with(r1[b], v0[b][c]);
        r2[c] = fs_log_sum::with(r2[c], v0[b][c]);
        if (in) r3 = fs_log_sum::with(r3, v0[b][c]);
      }
    }
    float v1[4] = {};
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_log_sum_state<float> x = fs_warp<fs_log_sum, 32>(r1[b]);
      if (threadIdx.x % 32 == 0) part1[turn][b][threadIdx.x / 32] = x;
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll
      for (int b = 0; b < 4; b++) {
        v1[b] = fs_log_sum::result(fs_fold<fs_log_sum,
            8>(part1[turn][b] + sub * 8));
      }
    }
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_index i = first + (b * 2 + sub);
      if (t == 0) fs_put(a1[i], v1[b]);
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
  {
    fs_log_sum_state<float> *const side = (fs_log_sum_state<float> *)scratch;
    __syncthreads();
    side[sub * 512 + 0 + t] = r2[0];
    side[sub * 512 + 256 + t] = r2[1];
    __syncthreads();
    for (int v = threadIdx.x; v < 512; v += 512) {
      const int c = 0 + v / 256;
      const int t = v % 256;
      const fs_index j = c * 256 + t;
      const bool in = j < 400;
      fs_log_sum_state<float> x[1];
      fs_side<fs_log_sum, 2>(x, side, v, 512);
      if (in) *(w2 + part * 416 + j) = x[0];
    }
  }
  __syncthreads();
  {
    const fs_log_sum_state<float> x = fs_block<fs_log_sum,
        16>(r3, (fs_log_sum_state<float> *)scratch);
    if (threadIdx.x == 0) w3[blockIdx.x] = x;
    __syncthreads();
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  fs_log_sum_state<float> part2[3][1];
  fs_fetch(part2, w2, (fs_index)blockIdx.x * 8 + lane * 1, slice, 64,
      (fs_index)gridDim.x, 416, fs_log_sum_state<float>{-0x1.fffffep127f});
  fs_log_sum_state<float> x3 = fs_gather<fs_log_sum,
      0>(w3, gridDim.x, 512, fs_log_sum_state<float>{-0x1.fffffep127f});
  const float v3 = fs_log_sum::result(fs_block<fs_log_sum,
      16>(x3, (fs_log_sum_state<float> *)scratch));
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a3[0], v3);
  for (fs_index unit = blockIdx.x; unit < 50; unit += gridDim.x) {
    const fs_index x = unit * 8 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 8 && j < 400;
    fs_log_sum_state<float> sum2[1];
    sum2[0] = fs_log_sum_state<float>{-0x1.fffffep127f};
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_log_sum>(sum2, part2);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 8 + lane * 1;
      fs_add_parts<fs_log_sum, 1>(sum2, w2, at, slice, (fs_index)gridDim.x, 64,
          416);
    }
    fs_log_sum_state<float> x2 = fs_log_sum_state<float>{-0x1.fffffep127f};
    x2 = fs_slices<fs_log_sum,
        8>(sum2, (fs_log_sum_state<float> *)scratch, 512, x2);
    if (own) {
      const float v2 = fs_log_sum::result(x2);
      fs_put(a2[j], v2);
    }
  }
}
