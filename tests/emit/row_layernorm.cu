==== h200
> code: cuda
# k1 row
launch: 256 threads, at most 4096 blocks, each once, bounds for 4
shared: 0 B; waits; lasts
slots: 0 1 2; params: 0 float, 2 float, 1 float
// m = mean(A, 2); B = (A - m)./sqrt(mean((A - m).^2, 2) + 1e-5)
//
// scheme row; 4096 rows of 4096; 256 threads; 4 lanes x 4 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 1;
constexpr fs_index FS_M = 4096;

// quick.cuh: fs_reciprocal fs_div fs_last_step fs_div_or_0
// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_store
// cache.cuh: fs_cache_lasts fs_words_by fs_load_by
// reduce.cuh: fs_add fs_lanes fs_warp fs_fold
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, float p0, float p1, float p2
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v2 = (float)p0;
  const float v6 = (float)p1;
  const float v8 = (float)p2;
  __shared__ float part1[2][8];
  __shared__ float part5[2][8];
  int turn = 0;
  const unsigned long long lasts = fs_cache_lasts();
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first;
    float r1[4] = {};
    float v0[4][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
      fs_load_by(v0[c], a0 + (i * 4096 + j), lasts);
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r1[e] = r1[e] + v0[c][e];
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r1));
      if (threadIdx.x % 32 == 0) part1[turn][threadIdx.x / 32] = x;
    }
    __syncthreads();
    const float v1 = fs_fold<fs_add, 8>(part1[turn]);
    turn ^= 1;  // the next sums go beside these
    const float v3 = v1 / v2;
    if (t == 0) fs_put(a1[i], v3);
    float r5[4] = {};
    float v4[4][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v4[c][e] = v0[c][e] - v3;
        r5[e] = fmaf(v4[c][e], v4[c][e], r5[e]);
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r5));
      if (threadIdx.x % 32 == 0) part5[turn][threadIdx.x / 32] = x;
    }
    __syncthreads();
    const float v5 = fs_fold<fs_add, 8>(part5[turn]);
    turn ^= 1;  // the next sums go beside these
    const float v7 = v5 / v6;
    const float v9 = v8 + v7;
    const float v10 = sqrtf(v9);
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
      float v12[4];
      bool rare = false;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v12[e] = fs_div_or_0(v4[c][e], v10, rare);
      }
      if (rare) {
#pragma unroll
        for (int e = 0; e < 4; e++) {
          v12[e] = fs_div(v4[c][e], v10);
        }
      }
      fs_store(a2 + (i * 4096 + j), v12);
    }
  }
}
==== h100
> code: cuda
# k1 row
launch: 256 threads, at most 4096 blocks, each once, bounds for 4
shared: 0 B; waits; lasts
slots: 0 1 2; params: 0 float, 2 float, 1 float
// m = mean(A, 2); B = (A - m)./sqrt(mean((A - m).^2, 2) + 1e-5)
//
// scheme row; 4096 rows of 4096; 256 threads; 4 lanes x 4 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 1;
constexpr fs_index FS_M = 4096;

// quick.cuh: fs_reciprocal fs_div fs_last_step fs_div_or_0
// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_store
// cache.cuh: fs_cache_lasts fs_words_by fs_load_by
// reduce.cuh: fs_add fs_lanes fs_warp fs_fold
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, float p0, float p1, float p2
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v2 = (float)p0;
  const float v6 = (float)p1;
  const float v8 = (float)p2;
  __shared__ float part1[2][8];
  __shared__ float part5[2][8];
  int turn = 0;
  const unsigned long long lasts = fs_cache_lasts();
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first;
    float r1[4] = {};
    float v0[4][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
      fs_load_by(v0[c], a0 + (i * 4096 + j), lasts);
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r1[e] = r1[e] + v0[c][e];
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r1));
      if (threadIdx.x % 32 == 0) part1[turn][threadIdx.x / 32] = x;
    }
    __syncthreads();
    const float v1 = fs_fold<fs_add, 8>(part1[turn]);
    turn ^= 1;  // the next sums go beside these
    const float v3 = v1 / v2;
    if (t == 0) fs_put(a1[i], v3);
    float r5[4] = {};
    float v4[4][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v4[c][e] = v0[c][e] - v3;
        r5[e] = fmaf(v4[c][e], v4[c][e], r5[e]);
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r5));
      if (threadIdx.x % 32 == 0) part5[turn][threadIdx.x / 32] = x;
    }
    __syncthreads();
    const float v5 = fs_fold<fs_add, 8>(part5[turn]);
    turn ^= 1;  // the next sums go beside these
    const float v7 = v5 / v6;
    const float v9 = v8 + v7;
    const float v10 = sqrtf(v9);
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
      float v12[4];
      bool rare = false;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v12[e] = fs_div_or_0(v4[c][e], v10, rare);
      }
      if (rare) {
#pragma unroll
        for (int e = 0; e < 4; e++) {
          v12[e] = fs_div(v4[c][e], v10);
        }
      }
      fs_store(a2 + (i * 4096 + j), v12);
    }
  }
}
==== a100
> code: cuda
# k1 row
launch: 256 threads, at most 4096 blocks, each once, bounds for 4
shared: 0 B
slots: 0 1 2; params: 0 float, 2 float, 1 float
// m = mean(A, 2); B = (A - m)./sqrt(mean((A - m).^2, 2) + 1e-5)
//
// scheme row; 4096 rows of 4096; 256 threads; 4 lanes x 4 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 1;
constexpr fs_index FS_M = 4096;

// quick.cuh: fs_reciprocal fs_div fs_last_step fs_div_or_0
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_lanes fs_warp fs_fold
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, float p0, float p1, float p2
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v2 = (float)p0;
  const float v6 = (float)p1;
  const float v8 = (float)p2;
  __shared__ float part1[2][8];
  __shared__ float part5[2][8];
  int turn = 0;
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first;
    float r1[4] = {};
    float v0[4][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
      fs_load(v0[c], a0 + (i * 4096 + j));
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r1[e] = r1[e] + v0[c][e];
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r1));
      if (threadIdx.x % 32 == 0) part1[turn][threadIdx.x / 32] = x;
    }
    __syncthreads();
    const float v1 = fs_fold<fs_add, 8>(part1[turn]);
    turn ^= 1;  // the next sums go beside these
    const float v3 = v1 / v2;
    if (t == 0) fs_put(a1[i], v3);
    float r5[4] = {};
    float v4[4][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v4[c][e] = v0[c][e] - v3;
        r5[e] = fmaf(v4[c][e], v4[c][e], r5[e]);
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r5));
      if (threadIdx.x % 32 == 0) part5[turn][threadIdx.x / 32] = x;
    }
    __syncthreads();
    const float v5 = fs_fold<fs_add, 8>(part5[turn]);
    turn ^= 1;  // the next sums go beside these
    const float v7 = v5 / v6;
    const float v9 = v8 + v7;
    const float v10 = sqrtf(v9);
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
      float v12[4];
      bool rare = false;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v12[e] = fs_div_or_0(v4[c][e], v10, rare);
      }
      if (rare) {
#pragma unroll
        for (int e = 0; e < 4; e++) {
          v12[e] = fs_div(v4[c][e], v10);
        }
      }
      fs_store(a2 + (i * 4096 + j), v12);
    }
  }
}
