==== h200
> code: cuda
# k1 row
launch: 256 threads, at most 1024 blocks, each once, bounds for 2
shared: 0 B; waits; lasts
slots: 0 1 2 3 4
// B = A.*u' + v'; s = sum(B, 2)
//
// scheme row; 8192 rows of 1024; 256 threads, 32 on a row; 4 lanes x 8 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 8;
constexpr fs_index FS_M = 8192;

// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_store
// cache.cuh: fs_cache_lasts fs_words_by fs_load_by
// reduce.cuh: fs_add fs_lanes fs_warp
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a2 = (const float *)s2;
  float *const a3 = (float *)s3;
  float *const a4 = (float *)s4;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const unsigned long long lasts = fs_cache_lasts();
  float v1[8][4];
  float v3[8][4];
#pragma unroll
  for (int c = 0; c < 8; c++) {
    const fs_index j = (c * 32 + t) * 4;
    fs_load(v1[c], a1 + j);
    fs_load(v3[c], a2 + j);
  }
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first + sub;
    float r5[4] = {};
    float v0[8][4];
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (c * 32 + t) * 4;
      fs_load_by(v0[c], a0 + (i * 1024 + j), lasts);
    }
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (c * 32 + t) * 4;
      float v4[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0[c][e] * v1[c][e];
        v4[e] = v3[c][e] + v2;
        r5[e] = r5[e] + v4[e];
      }
      fs_store(a3 + (i * 1024 + j), v4);
    }
    const float v5 = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r5));
    if (t == 0) fs_put(a4[i], v5);
  }
}
==== a100
> code: cuda
# k1 row
launch: 256 threads, at most 1024 blocks, each once, bounds for 2
shared: 0 B
slots: 0 1 2 3 4
// B = A.*u' + v'; s = sum(B, 2)
//
// scheme row; 8192 rows of 1024; 256 threads, 32 on a row; 4 lanes x 8 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 8;
constexpr fs_index FS_M = 8192;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_lanes fs_warp
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a2 = (const float *)s2;
  float *const a3 = (float *)s3;
  float *const a4 = (float *)s4;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  float v1[8][4];
  float v3[8][4];
#pragma unroll
  for (int c = 0; c < 8; c++) {
    const fs_index j = (c * 32 + t) * 4;
    fs_load(v1[c], a1 + j);
    fs_load(v3[c], a2 + j);
  }
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first + sub;
    float r5[4] = {};
    float v0[8][4];
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (c * 32 + t) * 4;
      fs_load(v0[c], a0 + (i * 1024 + j));
    }
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (c * 32 + t) * 4;
      float v4[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0[c][e] * v1[c][e];
        v4[e] = v3[c][e] + v2;
        r5[e] = r5[e] + v4[e];
      }
      fs_store(a3 + (i * 1024 + j), v4);
    }
    const float v5 = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r5));
    if (t == 0) fs_put(a4[i], v5);
  }
}
