==== h200
added leaky(x:each, a:scalar) -> each
> code: cuda
# k1 row
launch: 256 threads, at most 2048 blocks, bounds for 2
shared: 0 B; waits
slots: 0 1; params: 1 float, 0 float
// q = sum(leaky(X, 0.5) .* 2, 2)
//
// scheme row; 4096 rows of 4096; 256 threads; 4 lanes x 4 vectors; 2 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 2;
constexpr fs_index FS_M = 4096;

// memory.cuh: fs_get fs_put fs_pack fs_values fs_load
// cache.cuh: fs_cache_stays fs_cache_passes fs_words_by fs_load_by
// reduce.cuh: fs_add fs_lanes fs_warp fs_fold
// barrier.cuh: fs_after_kernels
// the user's function leaky, routine 1
#define FS_TYPE float
#define FS_C(x) ((FS_TYPE)(x))
__device__ __forceinline__ FS_TYPE fs_user_34db645fe4012764(FS_TYPE x, FS_TYPE a) {
#line 7 "../../examples/elem/leaky.elem"
  return x > 0 ? x : a * x;
#line 167 "fusible.cu"
}
#undef FS_TYPE
#undef FS_C

extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0, float p1
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v1 = (float)p0;
  const float v3 = (float)p1;
  __shared__ float part4[2][2][8];
  int turn = 0;
  const unsigned long long stays = fs_cache_stays();
  const unsigned long long passes = fs_cache_passes();
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float r4[2][4] = {};
    float v0[2][4][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + b;
        fs_load_by(v0[b][c], a0 + (i * 4096 + j), i < 2304 ? stays : passes);
      }
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + b;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          const float v2 = fs_user_34db645fe4012764(v0[b][c][e], v1);
          r4[b][e] = fmaf(v2, v3, r4[b][e]);
        }
      }
    }
    float v4[2] = {};
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r4[b]));
      if (threadIdx.x % 32 == 0) part4[turn][b][threadIdx.x / 32] = x;
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll
      for (int b = 0; b < 2; b++) {
        v4[b] = fs_fold<fs_add, 8>(part4[turn][b]);
      }
    }
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + b;
      if (t == 0) fs_put(a1[i], v4[b]);
    }
  }
}
==== a100
added leaky(x:each, a:scalar) -> each
> code: cuda
# k1 row
launch: 256 threads, at most 2048 blocks, bounds for 2
shared: 0 B
slots: 0 1; params: 1 float, 0 float
// q = sum(leaky(X, 0.5) .* 2, 2)
//
// scheme row; 4096 rows of 4096; 256 threads; 4 lanes x 4 vectors; 2 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 2;
constexpr fs_index FS_M = 4096;

// memory.cuh: fs_get fs_put fs_pack fs_load
// reduce.cuh: fs_add fs_lanes fs_warp fs_fold
// the user's function leaky, routine 1
#define FS_TYPE float
#define FS_C(x) ((FS_TYPE)(x))
__device__ __forceinline__ FS_TYPE fs_user_34db645fe4012764(FS_TYPE x, FS_TYPE a) {
#line 7 "../../examples/elem/leaky.elem"
  return x > 0 ? x : a * x;
#line 86 "fusible.cu"
}
#undef FS_TYPE
#undef FS_C

extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0, float p1
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v1 = (float)p0;
  const float v3 = (float)p1;
  __shared__ float part4[2][2][8];
  int turn = 0;
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float r4[2][4] = {};
    float v0[2][4][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + b;
        fs_load(v0[b][c], a0 + (i * 4096 + j));
      }
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + b;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          const float v2 = fs_user_34db645fe4012764(v0[b][c][e], v1);
          r4[b][e] = fmaf(v2, v3, r4[b][e]);
        }
      }
    }
    float v4[2] = {};
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r4[b]));
      if (threadIdx.x % 32 == 0) part4[turn][b][threadIdx.x / 32] = x;
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll
      for (int b = 0; b < 2; b++) {
        v4[b] = fs_fold<fs_add, 8>(part4[turn][b]);
      }
    }
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + b;
      if (t == 0) fs_put(a1[i], v4[b]);
    }
  }
}
