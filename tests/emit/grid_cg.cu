==== h200
> code: cuda
# k1 row
launch: 256 threads, at most 512 blocks, bounds for 2
shared: 0 B; workspace 512 B and 256 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2 4 5 6 7 8 9 10 11
typedef int fs_index;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store fs_fresh
// reduce.cuh: fs_add fs_lanes fs_warp fs_block fs_fold fs_gather
// barrier.cuh: fs_after_kernels fs_grid_barrier
// phase 1 of the launch
// q = A*p; alpha = rho/(p'*q); z1 = z + alpha*p
//
// scheme row; 2048 rows of 2048; 256 threads, 128 on a row; 4 lanes x 4 vectors; 4 rows at once
namespace phase1 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 128, FS_ROWS = 4;
constexpr fs_index FS_M = 2048;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, void *s6, void
        *work, unsigned *counters, float &c5
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const float *const a3 = (const float *)s1;
  const float *const a4 = (const float *)s3;
  float *const a5 = (float *)s4;
  const float *const a6 = (const float *)s1;
  const float *const a7 = (const float *)s5;
  float *const a8 = (float *)s6;
  float *const w4 = (float *)((char *)work + 256);
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v5 = fs_get(a4[0]);
  float r4 = 0;
  __shared__ float part2[2][2][8];
  int turn = 0;
  float v1[4][4];
#pragma unroll
  for (int c = 0; c < 4; c++) {
    const fs_index j = (c * 128 + t) * 4;
    fs_load(v1[c], a1 + j);
  }
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float v3[2];
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + (b * 2 + sub);
      v3[b] = fs_get(a3[i]);
    }
    float r2[2][4] = {};
    float v0[2][4][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 128 + t) * 4;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + (b * 2 + sub);
        fs_load(v0[b][c], a0 + (i * 2048 + j));
      }
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 128 + t) * 4;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + (b * 2 + sub);
#pragma unroll
        for (int e = 0; e < 4; e++) {
          r2[b][e] = fmaf(v0[b][c][e], v1[c][e], r2[b][e]);
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
        v2[b] = fs_fold<fs_add, 4>(part2[turn][b] + sub * 4);
      }
    }
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + (b * 2 + sub);
      if (t == 0) fs_put(a2[i], v2[b]);
      if (t == 0) r4 = fmaf(v3[b], v2[b], r4);
    }
  }
  {
    const float x = fs_block<fs_add, 8>(r4, (float *)scratch);
    if (threadIdx.x == 0) w4[blockIdx.x] = x;
    __syncthreads();
  }
  fs_grid_barrier(counters);
  float x4 = fs_gather<fs_add, 2>(w4, gridDim.x, 256, 0);
  const float v4 = fs_block<fs_add, 8>(x4, (float *)scratch);
  __syncthreads();
  const float v6 = v5 / v4;
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a5[0], v6);
  c5 = v6;
  for (fs_index x = (fs_index)blockIdx.x * 256 + threadIdx.x; x < 2048; x +=
      (fs_index)gridDim.x * 256) {
    const fs_index j = x;
    if (j < 2048) {
      const float v7 = fs_get(a6[j]);
      const float v8 = v6 * v7;
      const float v9 = fs_get(a7[j]);
      const float v10 = v9 + v8;
      fs_put(a8[j], v10);
    }
  }
}
}  // namespace phase1

// phase 2 of the launch
// r1 = r - alpha*q; rho1 = r1'*r1
//
// scheme flat; 2048 elements; 256 threads; 4 lanes x 2 vectors; all of them in each block
namespace phase2 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr fs_index FS_TILES = 1;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, float &c5, float &c10
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a2 = (const float *)s2;
  float *const a3 = (float *)s3;
  float *const a4 = (float *)s4;
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x;
  const float v0 = c5;
  float r5[4] = {};
  for (fs_index tile = 0; tile < FS_TILES; tile++) {
    float v1[2][4];
    float v3[2][4];
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      fs_load(v1[c], a1 + j);
      fs_load(v3[c], a2 + j);
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      float v4[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0 * v1[c][e];
        v4[e] = v3[c][e] - v2;
        r5[e] = fmaf(v4[e], v4[e], r5[e]);
      }
      if ((tile * 2 + c) % (int)gridDim.x == (int)blockIdx.x)
          fs_store(a3 + j, v4);
    }
  }
  const float v5 = fs_block<fs_add, 8>(fs_lanes<fs_add>(r5), (float *)scratch);
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a4[0], v5);
  c10 = v5;
}
}  // namespace phase2

// phase 3 of the launch
// p1 = r1 + (rho1/rho)*p
//
// scheme flat; 2048 elements; 256 threads; 4 lanes x 1 vector
namespace phase3 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr fs_index FS_TILES = 2;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, float &c10, float &c4
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a2 = (const float *)s2;
  const float *const a3 = (const float *)s3;
  float *const a4 = (float *)s4;
  const int t = threadIdx.x;
  const float v0 = c10;
  const float v1 = c4;
  const float v2 = v0 / v1;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v3[4];
    float v5[4];
    {
      const fs_index j = (tile * 256 + t) * 4;
      fs_load(v3, a2 + j);
      fs_load(v5, a3 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 4;
      float v6[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v4 = v2 * v3[e];
        v6[e] = v4 + v5[e];
      }
      fs_store(a4 + j, v6);
    }
  }
}
}  // namespace phase3

extern "C" __global__ void __launch_bounds__(256, 2)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, void *s6, void
        *s7, void *s8, void *s9, void *s10, void *work
) {
  fs_after_kernels();
  unsigned *const counters = (unsigned *)work;
  float c5 = 0;
  float c10 = 0;
  float c4 = fs_get(*(const float *)s3);
  phase1::fs_kernel(s0, s1, s2, s3, s4, s5, s6, (char *)work + 256, counters,
      c5);
  phase2::fs_kernel(s4, s2, s7, s8, s9, c5, c10);
  phase3::fs_kernel(s9, s3, s1, s8, s10, c10, c4);
}
# k2 flat
it is a phase of the launch before it
# k3 flat
it is a phase of the launch before it
==== h100
> code: cuda
# k1 row
launch: 256 threads, at most 512 blocks, bounds for 2
shared: 0 B; workspace 512 B and 256 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2 4 5 6 7 8 9 10 11
typedef int fs_index;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store fs_fresh
// reduce.cuh: fs_add fs_lanes fs_warp fs_block fs_fold fs_gather
// barrier.cuh: fs_after_kernels fs_grid_barrier
// phase 1 of the launch
// q = A*p; alpha = rho/(p'*q); z1 = z + alpha*p
//
// scheme row; 2048 rows of 2048; 256 threads, 128 on a row; 4 lanes x 4 vectors; 4 rows at once
namespace phase1 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 128, FS_ROWS = 4;
constexpr fs_index FS_M = 2048;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, void *s6, void
        *work, unsigned *counters, float &c5
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const float *const a3 = (const float *)s1;
  const float *const a4 = (const float *)s3;
  float *const a5 = (float *)s4;
  const float *const a6 = (const float *)s1;
  const float *const a7 = (const float *)s5;
  float *const a8 = (float *)s6;
  float *const w4 = (float *)((char *)work + 256);
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v5 = fs_get(a4[0]);
  float r4 = 0;
  __shared__ float part2[2][2][8];
  int turn = 0;
  float v1[4][4];
#pragma unroll
  for (int c = 0; c < 4; c++) {
    const fs_index j = (c * 128 + t) * 4;
    fs_load(v1[c], a1 + j);
  }
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float v3[2];
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + (b * 2 + sub);
      v3[b] = fs_get(a3[i]);
    }
    float r2[2][4] = {};
    float v0[2][4][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 128 + t) * 4;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + (b * 2 + sub);
        fs_load(v0[b][c], a0 + (i * 2048 + j));
      }
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 128 + t) * 4;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + (b * 2 + sub);
#pragma unroll
        for (int e = 0; e < 4; e++) {
          r2[b][e] = fmaf(v0[b][c][e], v1[c][e], r2[b][e]);
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
        v2[b] = fs_fold<fs_add, 4>(part2[turn][b] + sub * 4);
      }
    }
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + (b * 2 + sub);
      if (t == 0) fs_put(a2[i], v2[b]);
      if (t == 0) r4 = fmaf(v3[b], v2[b], r4);
    }
  }
  {
    const float x = fs_block<fs_add, 8>(r4, (float *)scratch);
    if (threadIdx.x == 0) w4[blockIdx.x] = x;
    __syncthreads();
  }
  fs_grid_barrier(counters);
  float x4 = fs_gather<fs_add, 2>(w4, gridDim.x, 256, 0);
  const float v4 = fs_block<fs_add, 8>(x4, (float *)scratch);
  __syncthreads();
  const float v6 = v5 / v4;
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a5[0], v6);
  c5 = v6;
  for (fs_index x = (fs_index)blockIdx.x * 256 + threadIdx.x; x < 2048; x +=
      (fs_index)gridDim.x * 256) {
    const fs_index j = x;
    if (j < 2048) {
      const float v7 = fs_get(a6[j]);
      const float v8 = v6 * v7;
      const float v9 = fs_get(a7[j]);
      const float v10 = v9 + v8;
      fs_put(a8[j], v10);
    }
  }
}
}  // namespace phase1

// phase 2 of the launch
// r1 = r - alpha*q; rho1 = r1'*r1
//
// scheme flat; 2048 elements; 256 threads; 4 lanes x 2 vectors; all of them in each block
namespace phase2 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr fs_index FS_TILES = 1;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, float &c5, float &c10
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a2 = (const float *)s2;
  float *const a3 = (float *)s3;
  float *const a4 = (float *)s4;
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x;
  const float v0 = c5;
  float r5[4] = {};
  for (fs_index tile = 0; tile < FS_TILES; tile++) {
    float v1[2][4];
    float v3[2][4];
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      fs_load(v1[c], a1 + j);
      fs_load(v3[c], a2 + j);
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      float v4[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0 * v1[c][e];
        v4[e] = v3[c][e] - v2;
        r5[e] = fmaf(v4[e], v4[e], r5[e]);
      }
      if ((tile * 2 + c) % (int)gridDim.x == (int)blockIdx.x)
          fs_store(a3 + j, v4);
    }
  }
  const float v5 = fs_block<fs_add, 8>(fs_lanes<fs_add>(r5), (float *)scratch);
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a4[0], v5);
  c10 = v5;
}
}  // namespace phase2

// phase 3 of the launch
// p1 = r1 + (rho1/rho)*p
//
// scheme flat; 2048 elements; 256 threads; 4 lanes x 1 vector
namespace phase3 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr fs_index FS_TILES = 2;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, float &c10, float &c4
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a2 = (const float *)s2;
  const float *const a3 = (const float *)s3;
  float *const a4 = (float *)s4;
  const int t = threadIdx.x;
  const float v0 = c10;
  const float v1 = c4;
  const float v2 = v0 / v1;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v3[4];
    float v5[4];
    {
      const fs_index j = (tile * 256 + t) * 4;
      fs_load(v3, a2 + j);
      fs_load(v5, a3 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 4;
      float v6[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v4 = v2 * v3[e];
        v6[e] = v4 + v5[e];
      }
      fs_store(a4 + j, v6);
    }
  }
}
}  // namespace phase3

extern "C" __global__ void __launch_bounds__(256, 2)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, void *s6, void
        *s7, void *s8, void *s9, void *s10, void *work
) {
  fs_after_kernels();
  unsigned *const counters = (unsigned *)work;
  float c5 = 0;
  float c10 = 0;
  float c4 = fs_get(*(const float *)s3);
  phase1::fs_kernel(s0, s1, s2, s3, s4, s5, s6, (char *)work + 256, counters,
      c5);
  phase2::fs_kernel(s4, s2, s7, s8, s9, c5, c10);
  phase3::fs_kernel(s9, s3, s1, s8, s10, c10, c4);
}
# k2 flat
it is a phase of the launch before it
# k3 flat
it is a phase of the launch before it
==== a100
> code: cuda
# k1 row
launch: 256 threads, at most 512 blocks, bounds for 2
shared: 0 B; workspace 768 B and 512 B a block, 256 B of zeros; cooperative
slots: 0 1 2 4 5 6 7 8 9 10 11
typedef int fs_index;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_fresh
// reduce.cuh: fs_add fs_lanes fs_warp fs_block fs_fold fs_fewer fs_gather
// barrier.cuh: fs_grid_barrier
// phase 1 of the launch
// q = A*p; alpha = rho/(p'*q); z1 = z + alpha*p
//
// scheme row; 2048 rows of 2048; 256 threads, 128 on a row; 4 lanes x 4 vectors; 4 rows at once
namespace phase1 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 128, FS_ROWS = 4;
constexpr fs_index FS_M = 2048;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, void *s6, void
        *work, unsigned *counters, float &c5
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const float *const a3 = (const float *)s1;
  const float *const a4 = (const float *)s3;
  float *const a5 = (float *)s4;
  const float *const a6 = (const float *)s1;
  const float *const a7 = (const float *)s5;
  float *const a8 = (float *)s6;
  float *const w4 = (float *)((char *)work + 256);
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v5 = fs_get(a4[0]);
  float r4 = 0;
  __shared__ float part2[2][2][8];
  int turn = 0;
  float v1[4][4];
#pragma unroll
  for (int c = 0; c < 4; c++) {
    const fs_index j = (c * 128 + t) * 4;
    fs_load(v1[c], a1 + j);
  }
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float v3[2];
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + (b * 2 + sub);
      v3[b] = fs_get(a3[i]);
    }
    float r2[2][4] = {};
    float v0[2][4][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 128 + t) * 4;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + (b * 2 + sub);
        fs_load(v0[b][c], a0 + (i * 2048 + j));
      }
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 128 + t) * 4;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + (b * 2 + sub);
#pragma unroll
        for (int e = 0; e < 4; e++) {
          r2[b][e] = fmaf(v0[b][c][e], v1[c][e], r2[b][e]);
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
        v2[b] = fs_fold<fs_add, 4>(part2[turn][b] + sub * 4);
      }
    }
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + (b * 2 + sub);
      if (t == 0) fs_put(a2[i], v2[b]);
      if (t == 0) r4 = fmaf(v3[b], v2[b], r4);
    }
  }
  {
    const float x = fs_block<fs_add, 8>(r4, (float *)scratch);
    if (threadIdx.x == 0) w4[blockIdx.x] = x;
    __syncthreads();
  }
  fs_grid_barrier(counters);
  float x4 = fs_gather<fs_add, 0>(w4, gridDim.x, 256, 0);
  const float v4 = fs_block<fs_add, 8>(x4, (float *)scratch);
  __syncthreads();
  const float v6 = v5 / v4;
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a5[0], v6);
  c5 = v6;
  for (fs_index x = (fs_index)blockIdx.x * 256 + threadIdx.x; x < 2048; x +=
      (fs_index)gridDim.x * 256) {
    const fs_index j = x;
    if (j < 2048) {
      const float v7 = fs_get(a6[j]);
      const float v8 = v6 * v7;
      const float v9 = fs_get(a7[j]);
      const float v10 = v9 + v8;
      fs_put(a8[j], v10);
    }
  }
}
}  // namespace phase1

// phase 2 of the launch
// r1 = r - alpha*q; rho1 = r1'*r1
//
// scheme flat; 2048 elements; 256 threads; 1 lane x 1 vector
namespace phase2 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr fs_index FS_TILES = 8;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *work, unsigned
        *counters, float &c5, float &c10
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a2 = (const float *)s2;
  float *const a3 = (float *)s3;
  float *const a4 = (float *)s4;
  float *const w5 = (float *)((char *)work + 256);
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x;
  const float v0 = c5;
  float r5 = 0;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1;
    float v3;
    {
      const fs_index j = tile * 256 + t;
      v1 = fs_get(a1[j]);
      v3 = fs_get(a2[j]);
    }
    {
      const fs_index j = tile * 256 + t;
      const float v2 = v0 * v1;
      const float v4 = v3 - v2;
      r5 = fmaf(v4, v4, r5);
      fs_put(a3[j], v4);
    }
  }
  {
    const float x = fs_block<fs_add, 8>(r5, (float *)scratch);
    if (threadIdx.x == 0) w5[blockIdx.x] = x;
    __syncthreads();
  }
  fs_grid_barrier(counters);
  float x5 = fs_gather<fs_add, 0>(w5, fs_fewer(gridDim.x, 8), 256, 0);
  const float v5 = fs_block<fs_add, 8>(x5, (float *)scratch);
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a4[0], v5);
  c10 = v5;
}
}  // namespace phase2

// phase 3 of the launch
// p1 = r1 + (rho1/rho)*p
//
// scheme flat; 2048 elements; 256 threads; 1 lane x 1 vector
namespace phase3 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr fs_index FS_TILES = 8;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, float &c10, float &c4
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a2 = (const float *)s2;
  const float *const a3 = (const float *)s3;
  float *const a4 = (float *)s4;
  const int t = threadIdx.x;
  const float v0 = c10;
  const float v1 = c4;
  const float v2 = v0 / v1;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v3;
    float v5;
    {
      const fs_index j = tile * 256 + t;
      v3 = fs_get(a2[j]);
      v5 = fs_get(a3[j]);
    }
    {
      const fs_index j = tile * 256 + t;
      const float v4 = v2 * v3;
      const float v6 = v4 + v5;
      fs_put(a4[j], v6);
    }
  }
}
}  // namespace phase3

extern "C" __global__ void __launch_bounds__(256, 2)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, void *s6, void
        *s7, void *s8, void *s9, void *s10, void *work
) {
  unsigned *const counters = (unsigned *)work;
  float c5 = 0;
  float c10 = 0;
  float c4 = fs_get(*(const float *)s3);
  phase1::fs_kernel(s0, s1, s2, s3, s4, s5, s6, (char *)work + 256, counters,
      c5);
  phase2::fs_kernel(s4, s2, s7, s8, s9, (char *)work + 512 + 256LL * gridDim.x,
      counters, c5, c10);
  phase3::fs_kernel(s9, s3, s1, s8, s10, c10, c4);
}
# k2 flat
it is a phase of the launch before it
# k3 flat
it is a phase of the launch before it
