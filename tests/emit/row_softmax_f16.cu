==== h200
> code: cuda
# k1 row
launch: 128 threads, at most 1500 blocks, each once, bounds for 4
shared: 0 B; waits
slots: 0 1; params: 0 float
// P = softmax(A)
//
// scheme row; 6000 rows of 1024; 128 threads, 32 on a row; 4 lanes x 8 vectors
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 4;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 4;
constexpr fs_index FS_M = 6000;

// maps.cuh: fs_max
// memory.cuh: fs_from_f16 fs_to_f16 fs_round_f16 fs_get fs_put fs_f16 fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_larger fs_lanes fs_warp
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0
) {
  fs_after_kernels();
  const fs_f16 *const a0 = (const fs_f16 *)s0;
  fs_f16 *const a1 = (fs_f16 *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v5 = (float)p0;
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first + sub;
    float r1[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      r1[e] = __int_as_float(0xff800000);
    }
    float v0[8][4];
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (c * 32 + t) * 4;
      fs_load(v0[c], a0 + (i * 1024 + j));
    }
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (c * 32 + t) * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r1[e] = fs_max(r1[e], v0[c][e]);
      }
    }
    const float v1 = fs_round_f16(fs_warp<fs_larger,
        32>(fs_lanes<fs_larger>(r1)));
    float r4[4] = {};
    float v3[8][4];
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (c * 32 + t) * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = fs_round_f16(v0[c][e] - v1);
        v3[c][e] = fs_round_f16(expf(v2));
        r4[e] = r4[e] + v3[c][e];
      }
    }
    const float v4 = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r4));
    const float v6 = v5 / v4;
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (c * 32 + t) * 4;
      float v11[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v9 = v3[c][e];
        const float v10 = v6 * v9;
        v11[e] = fs_round_f16(v10);
      }
      fs_store(a1 + (i * 1024 + j), v11);
    }
  }
}
==== a100
> code: cuda
# k1 row
launch: 128 threads, at most 1500 blocks, each once, bounds for 4
shared: 0 B
slots: 0 1; params: 0 float
// P = softmax(A)
//
// scheme row; 6000 rows of 1024; 128 threads, 32 on a row; 4 lanes x 8 vectors
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 4;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 4;
constexpr fs_index FS_M = 6000;

// maps.cuh: fs_max
// memory.cuh: fs_from_f16 fs_to_f16 fs_round_f16 fs_get fs_put fs_f16 fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_larger fs_lanes fs_warp
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0
) {
  const fs_f16 *const a0 = (const fs_f16 *)s0;
  fs_f16 *const a1 = (fs_f16 *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v5 = (float)p0;
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first + sub;
    float r1[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      r1[e] = __int_as_float(0xff800000);
    }
    float v0[8][4];
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (c * 32 + t) * 4;
      fs_load(v0[c], a0 + (i * 1024 + j));
    }
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (c * 32 + t) * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r1[e] = fs_max(r1[e], v0[c][e]);
      }
    }
    const float v1 = fs_round_f16(fs_warp<fs_larger,
        32>(fs_lanes<fs_larger>(r1)));
    float r4[4] = {};
    float v3[8][4];
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (c * 32 + t) * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = fs_round_f16(v0[c][e] - v1);
        v3[c][e] = fs_round_f16(expf(v2));
        r4[e] = r4[e] + v3[c][e];
      }
    }
    const float v4 = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r4));
    const float v6 = v5 / v4;
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (c * 32 + t) * 4;
      float v11[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v9 = v3[c][e];
        const float v10 = v6 * v9;
        v11[e] = fs_round_f16(v10);
      }
      fs_store(a1 + (i * 1024 + j), v11);
    }
  }
}
