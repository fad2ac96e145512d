==== h200
false false
> code: cuda
# k1 flat
launch: 256 threads, at most 40 blocks, bounds for 2
shared: 0 B; workspace 256 B and 0 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2 3 4
typedef int fs_index;

// memory.cuh: fs_get fs_put fs_pack fs_load
// reduce.cuh: fs_add fs_lanes fs_warp fs_fold
// barrier.cuh: fs_after_kernels fs_grid_barrier
// phase 1 of the launch
// [A, A]
//
// scheme flat; 10000 elements; 256 threads; 1 lane x 1 vector
namespace phase1 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr fs_index FS_TILES = 40;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  float *const a2 = (float *)s1 + 2000;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0 = 0;
    {
      const fs_index g = tile * 256 + t;
      const fs_index j0 = g / 2000;
      const fs_index j1 = g % 2000;
      const bool in = g < 10000;
      if (in) v0 = fs_get(a0[j0 * 2016 + j1]);
    }
    {
      const fs_index g = tile * 256 + t;
      const fs_index j0 = g / 2000;
      const fs_index j1 = g % 2000;
      const bool in = g < 10000;
      if (in) fs_put(a1[j0 * 4000 + j1], v0);
      if (in) fs_put(a2[j0 * 4000 + j1], v0);
    }
  }
}
}  // namespace phase1

// phase 2 of the launch
// [p; p]
//
// scheme flat; 2000 elements; 256 threads; 1 lane x 1 vector
namespace phase2 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr fs_index FS_TILES = 8;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  float *const a2 = (float *)s1 + 2000;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0 = 0;
    {
      const fs_index j = tile * 256 + t;
      const bool in = j < 2000;
      if (in) v0 = fs_get(a0[j]);
    }
    {
      const fs_index j = tile * 256 + t;
      const bool in = j < 2000;
      if (in) fs_put(a1[j], v0);
      if (in) fs_put(a2[j], v0);
    }
  }
}
}  // namespace phase2

// phase 3 of the launch, behind a barrier
// q = [A, A]*[p; p]
//
// scheme row; 5 rows of 4000; 256 threads; 4 lanes x 4 vectors; 2 rows at once
namespace phase3 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 2;
constexpr fs_index FS_M = 5;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  __shared__ float part2[2][2][8];
  int turn = 0;
  float v1[4][4] = {};
#pragma unroll
  for (int c = 0; c < 4; c++) {
    const fs_index j = (c * 256 + t) * 4;
    const bool in = j < 4000;
    if (in) fs_load(v1[c], a1 + j);
  }
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float r2[2][4] = {};
    float v0[2][4][4] = {};
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
      const bool in = j < 4000;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + b;
        const bool ok = i < 5;
        if (ok && in) fs_load(v0[b][c], a0 + (i * 4000 + j));
      }
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
      const bool in = j < 4000;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + b;
        const bool ok = i < 5;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          if (in) r2[b][e] = fmaf(v0[b][c][e], v1[c][e], r2[b][e]);
        }
      }
    }
    float v2[2] = {};
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r2[b]));
      if (threadIdx.x % 32 == 0) part2[turn][b][threadIdx.x / 32] = x;
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll
      for (int b = 0; b < 2; b++) {
        v2[b] = fs_fold<fs_add, 8>(part2[turn][b]);
      }
    }
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + b;
      const bool ok = i < 5;
      if (t == 0 && ok) fs_put(a2[i], v2[b]);
    }
  }
}
}  // namespace phase3

extern "C" __global__ void __launch_bounds__(256, 2)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *work
) {
  fs_after_kernels();
  unsigned *const counters = (unsigned *)work;
  phase1::fs_kernel(s0, s1);
  phase2::fs_kernel(s2, s3);
  fs_grid_barrier(counters);
  phase3::fs_kernel(s1, s3, s4);
}
# k2 flat
it is a phase of the launch before it
# k3 row
it is a phase of the launch before it
==== a100
false false
> code: cuda
# k1 flat
launch: 256 threads, at most 40 blocks, bounds for 3
shared: 0 B; workspace 256 B and 0 B a block, 256 B of zeros; cooperative
slots: 0 1 1+8000 2 3 4
typedef int fs_index;

// memory.cuh: fs_get fs_put fs_pack fs_load
// reduce.cuh: fs_add fs_lanes fs_warp fs_fold
// barrier.cuh: fs_grid_barrier
// phase 1 of the launch
// [A, A]
//
// scheme flat; 10000 elements; 256 threads; 1 lane x 1 vector
namespace phase1 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 3;
constexpr fs_index FS_TILES = 40;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0 = 0;
    {
      const fs_index g = tile * 256 + t;
      const fs_index j0 = g / 2000;
      const fs_index j1 = g % 2000;
      const bool in = g < 10000;
      if (in) v0 = fs_get(a0[j0 * 2016 + j1]);
    }
    {
      const fs_index g = tile * 256 + t;
      const fs_index j0 = g / 2000;
      const fs_index j1 = g % 2000;
      const bool in = g < 10000;
      if (in) fs_put(a1[j0 * 4000 + j1], v0);
    }
  }
}
}  // namespace phase1

// phase 2 of the launch, behind a barrier
// [A, A]
//
// scheme flat; 10000 elements; 256 threads; 1 lane x 1 vector
namespace phase2 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 3;
constexpr fs_index FS_TILES = 40;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0 = 0;
    {
      const fs_index g = tile * 256 + t;
      const fs_index j0 = g / 2000;
      const fs_index j1 = g % 2000;
      const bool in = g < 10000;
      if (in) v0 = fs_get(a0[j0 * 2016 + j1]);
    }
    {
      const fs_index g = tile * 256 + t;
      const fs_index j0 = g / 2000;
      const fs_index j1 = g % 2000;
      const bool in = g < 10000;
      if (in) fs_put(a1[j0 * 4000 + j1], v0);
    }
  }
}
}  // namespace phase2

// phase 3 of the launch
// [p; p]
//
// scheme flat; 2000 elements; 256 threads; 1 lane x 1 vector
namespace phase3 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 3;
constexpr fs_index FS_TILES = 8;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  float *const a2 = (float *)s1 + 2000;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0 = 0;
    {
      const fs_index j = tile * 256 + t;
      const bool in = j < 2000;
      if (in) v0 = fs_get(a0[j]);
    }
    {
      const fs_index j = tile * 256 + t;
      const bool in = j < 2000;
      if (in) fs_put(a1[j], v0);
      if (in) fs_put(a2[j], v0);
    }
  }
}
}  // namespace phase3

// phase 4 of the launch, behind a barrier
// q = [A, A]*[p; p]
//
// scheme row; 5 rows of 4000; 256 threads; 4 lanes x 4 vectors
namespace phase4 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 3;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 1;
constexpr fs_index FS_M = 5;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  __shared__ float part2[2][8];
  int turn = 0;
  float n0[4][4] = {};
  if ((fs_index)blockIdx.x < FS_M) {
    const fs_index i = (fs_index)blockIdx.x;
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
      const bool in = j < 4000;
      if (in) fs_load(n0[c], a0 + (i * 4000 + j));
    }
  }
  float v1[4][4] = {};
#pragma unroll
  for (int c = 0; c < 4; c++) {
    const fs_index j = (c * 256 + t) * 4;
    const bool in = j < 4000;
    if (in) fs_load(v1[c], a1 + j);
  }
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first;
    float r2[4] = {};
    float v0[4][4] = {};
#pragma unroll
    for (int c = 0; c < 4; c++) {
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v0[c][e] = n0[c][e];
      }
    }
    if (first + (fs_index)gridDim.x < FS_M) {
      const fs_index i = first + (fs_index)gridDim.x;
#pragma unroll
      for (int c = 0; c < 4; c++) {
        const fs_index j = (c * 256 + t) * 4;
        const bool in = j < 4000;
        if (in) fs_load(n0[c], a0 + (i * 4000 + j));
      }
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
      const bool in = j < 4000;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        if (in) r2[e] = fmaf(v0[c][e], v1[c][e], r2[e]);
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r2));
      if (threadIdx.x % 32 == 0) part2[turn][threadIdx.x / 32] = x;
    }
    __syncthreads();
    const float v2 = fs_fold<fs_add, 8>(part2[turn]);
    turn ^= 1;  // the next sums go beside these
    if (t == 0) fs_put(a2[i], v2);
  }
}
}  // namespace phase4

extern "C" __global__ void __launch_bounds__(256, 3)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, void *work
) {
  unsigned *const counters = (unsigned *)work;
  phase1::fs_kernel(s0, s1);
  fs_grid_barrier(counters);
  phase2::fs_kernel(s0, s2);
  phase3::fs_kernel(s3, s4);
  fs_grid_barrier(counters);
  phase4::fs_kernel(s1, s4, s5);
}
# k2 flat
it is a phase of the launch before it
# k3 flat
it is a phase of the launch before it
# k4 row
it is a phase of the launch before it
