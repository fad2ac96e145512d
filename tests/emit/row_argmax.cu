==== h200
> code: cuda
# k1 row
launch: 512 threads, at most 750 blocks, 1 a unit, bounds for 1
shared: 0 B; workspace 256 B and 6672 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2 3
// r = rowargmax(A); c = colargmin(A); k = argmax(A)
//
// scheme row; 6000 rows of 400; 512 threads, 256 on a row; 1 lane x 2 vectors; 8 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 8;
constexpr fs_index FS_M = 6000;

// maps.cuh: fs_min fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store fs_fresh
// spot.cuh: fs_spot
struct fs_first_largest {
  template <typename T>
  __device__ __forceinline__ static T best(T a, T b) { return fs_max(a, b); }
  template <typename T>
  __device__ __forceinline__ static T of(T a, T b) { return fs_first_of<fs_first_largest>(a, b); }
};

struct fs_first_smallest {
  template <typename T>
  __device__ __forceinline__ static T best(T a, T b) { return fs_min(a, b); }
  template <typename T>
  __device__ __forceinline__ static T of(T a, T b) { return fs_first_of<fs_first_smallest>(a, b); }
};

// reduce.cuh: fs_lanes fs_warp fs_across fs_block fs_fold fs_side fs_gather fs_add_parts fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_after_kernels fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  long long *const a1 = (long long *)s1;
  long long *const a2 = (long long *)s2;
  long long *const a3 = (long long *)s3;
  fs_spot<float> *const w2 = (fs_spot<float> *)((char *)work + 256);
  fs_spot<float> *const w3 = (fs_spot<float> *)((char *)work + 256 + 6656LL *
      gridDim.x);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[2048];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  fs_spot<float> r3 = fs_spot<float>{__int_as_float(0xff800000), 2147483647};
  __shared__ fs_spot<float> part1[2][4][16];
  int turn = 0;
  fs_spot<float> r2[2];
#pragma unroll
  for (int c = 0; c < 2; c++) {
    r2[c] = fs_spot<float>{__int_as_float(0x7f800000), 2147483647};
  }
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    fs_spot<float> r1[4];
#pragma unroll
    for (int b = 0; b < 4; b++) {
      r1[b] = fs_spot<float>{__int_as_float(0xff800000), 2147483647};
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
        if (in) r1[b] = fs_first_largest::of(r1[b],
            fs_spot<float>{v0[b][c], j + 1});
        r2[c] = fs_first_smallest::of(r2[c], fs_spot<float>{v0[b][c], i + 1});
        if (in) r3 = fs_first_largest::of(r3,
            fs_spot<float>{v0[b][c], i * 400 + j + 1});
      }
    }
    long long v1[4] = {};
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_spot<float> x = fs_warp<fs_first_largest, 32>(r1[b]);
      if (threadIdx.x % 32 == 0) part1[turn][b][threadIdx.x / 32] = x;
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll
      for (int b = 0; b < 4; b++) {
        v1[b] = fs_fold<fs_first_largest, 8>(part1[turn][b] + sub * 8).at;
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
    fs_spot<float> *const side = (fs_spot<float> *)scratch;
    __syncthreads();
    side[sub * 512 + 0 + t] = r2[0];
    side[sub * 512 + 256 + t] = r2[1];
    __syncthreads();
    for (int v = threadIdx.x; v < 512; v += 512) {
      const int c = 0 + v / 256;
      const int t = v % 256;
      const fs_index j = c * 256 + t;
      const bool in = j < 400;
      fs_spot<float> x[1];
      fs_side<fs_first_smallest, 2>(x, side, v, 512);
      if (in) *(w2 + part * 416 + j) = x[0];
    }
  }
  __syncthreads();
  {
    const fs_spot<float> x = fs_block<fs_first_largest,
        16>(r3, (fs_spot<float> *)scratch);
    if (threadIdx.x == 0) w3[blockIdx.x] = x;
    __syncthreads();
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  fs_spot<float> part2[3][1];
  fs_fetch(part2, w2, (fs_index)blockIdx.x * 8 + lane * 1, slice, 64,
      (fs_index)gridDim.x, 416,
      fs_spot<float>{__int_as_float(0x7f800000), 2147483647});
  fs_spot<float> x3 = fs_gather<fs_first_largest,
      0>(w3, gridDim.x, 512, fs_spot<float>{__int_as_float(0xff800000),
      2147483647});
  const long long v3 = fs_block<fs_first_largest,
      16>(x3, (fs_spot<float> *)scratch).at;
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a3[0], v3);
  for (fs_index unit = blockIdx.x; unit < 50; unit += gridDim.x) {
    const fs_index x = unit * 8 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 8 && j < 400;
    fs_spot<float> sum2[1];
    sum2[0] = fs_spot<float>{__int_as_float(0x7f800000), 2147483647};
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_first_smallest>(sum2, part2);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 8 + lane * 1;
      fs_add_parts<fs_first_smallest,
          1>(sum2, w2, at, slice, (fs_index)gridDim.x, 64, 416);
    }
    fs_spot<float> x2 = fs_spot<float>{__int_as_float(0x7f800000), 2147483647};
    x2 = fs_slices<fs_first_smallest,
        8>(sum2, (fs_spot<float> *)scratch, 512, x2);
    if (own) {
      const long long v2 = x2.at;
      fs_put(a2[j], v2);
    }
  }
}
==== a100
> code: cuda
# k1 row
launch: 512 threads, at most 750 blocks, 1 a unit, bounds for 1
shared: 0 B; workspace 256 B and 6672 B a block, 256 B of zeros; cooperative
slots: 0 1 2 3
// r = rowargmax(A); c = colargmin(A); k = argmax(A)
//
// scheme row; 6000 rows of 400; 512 threads, 256 on a row; 1 lane x 2 vectors; 8 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 8;
constexpr fs_index FS_M = 6000;

// maps.cuh: fs_min fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store fs_fresh
// spot.cuh: fs_spot
struct fs_first_largest {
  template <typename T>
  __device__ __forceinline__ static T best(T a, T b) { return fs_max(a, b); }
  template <typename T>
  __device__ __forceinline__ static T of(T a, T b) { return fs_first_of<fs_first_largest>(a, b); }
};

struct fs_first_smallest {
  template <typename T>
  __device__ __forceinline__ static T best(T a, T b) { return fs_min(a, b); }
  template <typename T>
  __device__ __forceinline__ static T of(T a, T b) { return fs_first_of<fs_first_smallest>(a, b); }
};

// reduce.cuh: fs_lanes fs_warp fs_across fs_block fs_fold fs_side fs_gather fs_add_parts fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *work
) {
  const float *const a0 = (const float *)s0;
  long long *const a1 = (long long *)s1;
  long long *const a2 = (long long *)s2;
  long long *const a3 = (long long *)s3;
  fs_spot<float> *const w2 = (fs_spot<float> *)((char *)work + 256);
  fs_spot<float> *const w3 = (fs_spot<float> *)((char *)work + 256 + 6656LL *
      gridDim.x);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[2048];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  fs_spot<float> r3 = fs_spot<float>{__int_as_float(0xff800000), 2147483647};
  __shared__ fs_spot<float> part1[2][4][16];
  int turn = 0;
  fs_spot<float> r2[2];
#pragma unroll
  for (int c = 0; c < 2; c++) {
    r2[c] = fs_spot<float>{__int_as_float(0x7f800000), 2147483647};
  }
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    fs_spot<float> r1[4];
#pragma unroll
    for (int b = 0; b < 4; b++) {
      r1[b] = fs_spot<float>{__int_as_float(0xff800000), 2147483647};
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
        if (in) r1[b] = fs_first_largest::of(r1[b],
            fs_spot<float>{v0[b][c], j + 1});
        r2[c] = fs_first_smallest::of(r2[c], fs_spot<float>{v0[b][c], i + 1});
        if (in) r3 = fs_first_largest::of(r3,
            fs_spot<float>{v0[b][c], i * 400 + j + 1});
      }
    }
    long long v1[4] = {};
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_spot<float> x = fs_warp<fs_first_largest, 32>(r1[b]);
      if (threadIdx.x % 32 == 0) part1[turn][b][threadIdx.x / 32] = x;
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll
      for (int b = 0; b < 4; b++) {
        v1[b] = fs_fold<fs_first_largest, 8>(part1[turn][b] + sub * 8).at;
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
    fs_spot<float> *const side = (fs_spot<float> *)scratch;
    __syncthreads();
    side[sub * 512 + 0 + t] = r2[0];
    side[sub * 512 + 256 + t] = r2[1];
    __syncthreads();
    for (int v = threadIdx.x; v < 512; v += 512) {
      const int c = 0 + v / 256;
      const int t = v % 256;
      const fs_index j = c * 256 + t;
      const bool in = j < 400;
      fs_spot<float> x[1];
      fs_side<fs_first_smallest, 2>(x, side, v, 512);
      if (in) *(w2 + part * 416 + j) = x[0];
    }
  }
  __syncthreads();
  {
    const fs_spot<float> x = fs_block<fs_first_largest,
        16>(r3, (fs_spot<float> *)scratch);
    if (threadIdx.x == 0) w3[blockIdx.x] = x;
    __syncthreads();
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  fs_spot<float> part2[2][1];
  fs_fetch(part2, w2, (fs_index)blockIdx.x * 8 + lane * 1, slice, 64,
      (fs_index)gridDim.x, 416,
      fs_spot<float>{__int_as_float(0x7f800000), 2147483647});
  fs_spot<float> x3 = fs_gather<fs_first_largest,
      0>(w3, gridDim.x, 512, fs_spot<float>{__int_as_float(0xff800000),
      2147483647});
  const long long v3 = fs_block<fs_first_largest,
      16>(x3, (fs_spot<float> *)scratch).at;
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a3[0], v3);
  for (fs_index unit = blockIdx.x; unit < 50; unit += gridDim.x) {
    const fs_index x = unit * 8 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 8 && j < 400;
    fs_spot<float> sum2[1];
    sum2[0] = fs_spot<float>{__int_as_float(0x7f800000), 2147483647};
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_first_smallest>(sum2, part2);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 8 + lane * 1;
      fs_add_parts<fs_first_smallest,
          1>(sum2, w2, at, slice, (fs_index)gridDim.x, 64, 416);
    }
    fs_spot<float> x2 = fs_spot<float>{__int_as_float(0x7f800000), 2147483647};
    x2 = fs_slices<fs_first_smallest,
        8>(sum2, (fs_spot<float> *)scratch, 512, x2);
    if (own) {
      const long long v2 = x2.at;
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
// r = rowargmax(A); c = colargmin(A); k = argmax(A)
//
// scheme row; 6000 rows of 400; 512 threads, 256 on a row; 1 lane x 2 vectors; 8 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 8;
constexpr fs_index FS_M = 6000;

// maps.cuh: fs_min fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store fs_fresh
// spot.cuh: fs_spot
struct fs_first_largest {
  template <typename T>
  __device__ __forceinline__ static T best(T a, T b) { return fs_max(a, b); }
  template <typename T>
  __device__ __forceinline__ static T of(T a, T b) { return fs_first_of<fs_first_largest>(a, b); }
};

struct fs_first_smallest {
  template <typename T>
  __device__ __forceinline__ static T best(T a, T b) { return fs_min(a, b); }
  template <typename T>
  __device__ __forceinline__ static T of(T a, T b) { return fs_first_of<fs_first_smallest>(a, b); }
};

// reduce.cuh: fs_lanes fs_warp fs_across fs_block fs_fold fs_side fs_gather fs_add_parts fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *work
) {
  const float *const a0 = (const float *)s0;
  long long *const a1 = (long long *)s1;
  long long *const a2 = (long long *)s2;
  long long *const a3 = (long long *)s3;
  fs_spot<float> *const w2 = (fs_spot<float> *)((char *)work + 256);
  fs_spot<float> *const w3 = (fs_spot<float> *)((char *)work + 256 + 6656LL *
      gridDim.x);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[2048];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  fs_spot<float> r3 = fs_spot<float>{__int_as_float(0xff800000), 2147483647};
  __shared__ fs_spot<float> part1[2][4][16];
  int turn = 0;
  fs_spot<float> r2[2];
#pragma unroll
  for (int c = 0; c < 2; c++) {
    r2[c] = fs_spot<float>{__int_as_float(0x7f800000), 2147483647};
  }
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    fs_spot<float> r1[4];
#pragma unroll
    for (int b = 0; b < 4; b++) {
      r1[b] = fs_spot<float>{__int_as_float(0xff800000), 2147483647};
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
        if (in) r1[b] = fs_first_largest::of(r1[b],
            fs_spot<float>{v0[b][c], j + 1});
        r2[c] = fs_first_smallest::of(r2[c], fs_spot<float>{v0[b][c], i + 1});
        if (in) r3 = fs_first_largest::of(r3,
            fs_spot<float>{v0[b][c], i * 400 + j + 1});
      }
    }
    long long v1[4] = {};
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_spot<float> x = fs_warp<fs_first_largest, 32>(r1[b]);
      if (threadIdx.x % 32 == 0) part1[turn][b][threadIdx.x / 32] = x;
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll
      for (int b = 0; b < 4; b++) {
        v1[b] = fs_fold<fs_first_largest, 8>(part1[turn][b] + sub * 8).at;
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
    fs_spot<float> *const side = (fs_spot<float> *)scratch;
    __syncthreads();
    side[sub * 512 + 0 + t] = r2[0];
    side[sub * 512 + 256 + t] = r2[1];
    __syncthreads();
    for (int v = threadIdx.x; v < 512; v += 512) {
      const int c = 0 + v / 256;
      const int t = v % 256;
      const fs_index j = c * 256 + t;
      const bool in = j < 400;
      fs_spot<float> x[1];
      fs_side<fs_first_smallest, 2>(x, side, v, 512);
      if (in) *(w2 + part * 416 + j) = x[0];
    }
  }
  __syncthreads();
  {
    const fs_spot<float> x = fs_block<fs_first_largest,
        16>(r3, (fs_spot<float> *)scratch);
    if (threadIdx.x == 0) w3[blockIdx.x] = x;
    __syncthreads();
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  fs_spot<float> part2[3][1];
  fs_fetch(part2, w2, (fs_index)blockIdx.x * 8 + lane * 1, slice, 64,
      (fs_index)gridDim.x, 416,
      fs_spot<float>{__int_as_float(0x7f800000), 2147483647});
  fs_spot<float> x3 = fs_gather<fs_first_largest,
      0>(w3, gridDim.x, 512, fs_spot<float>{__int_as_float(0xff800000),
      2147483647});
  const long long v3 = fs_block<fs_first_largest,
      16>(x3, (fs_spot<float> *)scratch).at;
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a3[0], v3);
  for (fs_index unit = blockIdx.x; unit < 50; unit += gridDim.x) {
    const fs_index x = unit * 8 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 8 && j < 400;
    fs_spot<float> sum2[1];
    sum2[0] = fs_spot<float>{__int_as_float(0x7f800000), 2147483647};
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_first_smallest>(sum2, part2);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 8 + lane * 1;
      fs_add_parts<fs_first_smallest,
          1>(sum2, w2, at, slice, (fs_index)gridDim.x, 64, 416);
    }
    fs_spot<float> x2 = fs_spot<float>{__int_as_float(0x7f800000), 2147483647};
    x2 = fs_slices<fs_first_smallest,
        8>(sum2, (fs_spot<float> *)scratch, 512, x2);
    if (own) {
      const long long v2 = x2.at;
      fs_put(a2[j], v2);
    }
  }
}
