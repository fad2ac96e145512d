==== h200
> code: cuda
# k1 row
launch: 128 threads, at most 257 blocks, each once, bounds for 4
shared: 0 B; waits
slots: 0 1; params: 0 float; sizes: 1027 127 200
// P = softmax(M[1:k+1000, 1:k+100])
//
// scheme row; any size; 128 threads, 32 on a row; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 4;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 4;
#define FS_M size0

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_some fs_store_apart
// reduce.cuh: fs_add fs_larger fs_lanes fs_warp
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0, fs_index size0, fs_index size1, fs_index size2
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v5 = (float)p0;
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first + sub;
    const bool ok = i < size0;
    float r1[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      r1[e] = __int_as_float(0xff800000);
    }
    float v0[4] = {};
    {
      const fs_index j = t * 4;
      const int k = !(j < size1) ? 0 : size1 - j < 4 ? int(size1 - j) : 4;
      if (ok) fs_load_some(v0, a0 + (i * size2 + j), k);
    }
    {
      const fs_index j = t * 4;
      const int k = !(j < size1) ? 0 : size1 - j < 4 ? int(size1 - j) : 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        if (e < k) r1[e] = fs_max(r1[e], v0[e]);
      }
    }
    const float v1 = fs_warp<fs_larger, 32>(fs_lanes<fs_larger>(r1));
    float r4[4] = {};
    float v3[4];
    {
      const fs_index j = t * 4;
      const int k = !(j < size1) ? 0 : size1 - j < 4 ? int(size1 - j) : 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0[e] - v1;
        v3[e] = expf(v2);
        if (e < k) r4[e] = r4[e] + v3[e];
      }
    }
    const float v4 = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r4));
    const float v6 = v5 / v4;
    {
      const fs_index j = t * 4;
      const int k = !(j < size1) ? 0 : size1 - j < 4 ? int(size1 - j) : 4;
      float v9[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v9[e] = v6 * v3[e];
      }
      if (ok) fs_store_apart(a1 + (i * size1 + j), v9, (fs_index)1, k);
    }
  }
}
==== a100
> code: cuda
# k1 row
launch: 128 threads, at most 258 blocks, each once, bounds for 4
shared: 0 B
slots: 0 1; params: 0 float; sizes: 1030 130 200
// P = softmax(M[1:k+1000, 1:k+100])
//
// scheme row; any size; 128 threads, 32 on a row; 4 lanes x 2 vectors
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 4;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 4;
#define FS_M size0

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_some fs_store_apart
// reduce.cuh: fs_add fs_larger fs_lanes fs_warp
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0, fs_index size0, fs_index size1, fs_index size2
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v5 = (float)p0;
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first + sub;
    const bool ok = i < size0;
    float r1[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      r1[e] = __int_as_float(0xff800000);
    }
    float v0[2][4] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const int k = !(j < size1) ? 0 : size1 - j < 4 ? int(size1 - j) : 4;
      if (ok) fs_load_some(v0[c], a0 + (i * size2 + j), k);
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const int k = !(j < size1) ? 0 : size1 - j < 4 ? int(size1 - j) : 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        if (e < k) r1[e] = fs_max(r1[e], v0[c][e]);
      }
    }
    const float v1 = fs_warp<fs_larger, 32>(fs_lanes<fs_larger>(r1));
    float r4[4] = {};
    float v3[2][4];
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const int k = !(j < size1) ? 0 : size1 - j < 4 ? int(size1 - j) : 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0[c][e] - v1;
        v3[c][e] = expf(v2);
        if (e < k) r4[e] = r4[e] + v3[c][e];
      }
    }
    const float v4 = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r4));
    const float v6 = v5 / v4;
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const int k = !(j < size1) ? 0 : size1 - j < 4 ? int(size1 - j) : 4;
      float v9[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v9[e] = v6 * v3[c][e];
      }
      if (ok) fs_store_apart(a1 + (i * size1 + j), v9, (fs_index)1, k);
    }
  }
}
