==== h200
> code: cuda
# k1 row
launch: 128 threads, at most 1500 blocks, each once, bounds for 4
shared: 0 B; waits
slots: 0 1; params: 0 float
// P = softmax(A)
//
// scheme row; 6000 rows of 400; 128 threads, 32 on a row; 4 lanes x 4 vectors
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 4;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 4;
constexpr fs_index FS_M = 6000;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_larger fs_lanes fs_warp
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0
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
    float r1[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      r1[e] = __int_as_float(0xff800000);
    }
    float v0[4][4] = {};
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 400;
      if (in) fs_load(v0[c], a0 + (i * 416 + j));
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 400;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        if (in) r1[e] = fs_max(r1[e], v0[c][e]);
      }
    }
    const float v1 = fs_warp<fs_larger, 32>(fs_lanes<fs_larger>(r1));
    float r4[4] = {};
    float v3[4][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 400;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0[c][e] - v1;
        v3[c][e] = expf(v2);
        if (in) r4[e] = r4[e] + v3[c][e];
      }
    }
    const float v4 = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r4));
    const float v6 = v5 / v4;
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 400;
      float v9[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v9[e] = v6 * v3[c][e];
      }
      if (in) fs_store(a1 + (i * 416 + j), v9);
    }
  }
}
==== h100
> code: cuda
# k1 row
launch: 128 threads, at most 1500 blocks, each once, bounds for 4
shared: 0 B; waits
slots: 0 1; params: 0 float
// P = softmax(A)
//
// scheme row; 6000 rows of 400; 128 threads, 32 on a row; 4 lanes x 4 vectors
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 4;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 4;
constexpr fs_index FS_M = 6000;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_larger fs_lanes fs_warp
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0
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
    float r1[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      r1[e] = __int_as_float(0xff800000);
    }
    float v0[4][4] = {};
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 400;
      if (in) fs_load(v0[c], a0 + (i * 416 + j));
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 400;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        if (in) r1[e] = fs_max(r1[e], v0[c][e]);
      }
    }
    const float v1 = fs_warp<fs_larger, 32>(fs_lanes<fs_larger>(r1));
    float r4[4] = {};
    float v3[4][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 400;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0[c][e] - v1;
        v3[c][e] = expf(v2);
        if (in) r4[e] = r4[e] + v3[c][e];
      }
    }
    const float v4 = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r4));
    const float v6 = v5 / v4;
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 400;
      float v9[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v9[e] = v6 * v3[c][e];
      }
      if (in) fs_store(a1 + (i * 416 + j), v9);
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
// scheme row; 6000 rows of 400; 128 threads, 32 on a row; 4 lanes x 4 vectors
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 4;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 4;
constexpr fs_index FS_M = 6000;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_larger fs_lanes fs_warp
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
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
    float v0[4][4] = {};
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 400;
      if (in) fs_load(v0[c], a0 + (i * 416 + j));
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 400;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        if (in) r1[e] = fs_max(r1[e], v0[c][e]);
      }
    }
    const float v1 = fs_warp<fs_larger, 32>(fs_lanes<fs_larger>(r1));
    float r4[4] = {};
    float v3[4][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 400;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0[c][e] - v1;
        v3[c][e] = expf(v2);
        if (in) r4[e] = r4[e] + v3[c][e];
      }
    }
    const float v4 = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r4));
    const float v6 = v5 / v4;
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 400;
      float v9[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v9[e] = v6 * v3[c][e];
      }
      if (in) fs_store(a1 + (i * 416 + j), v9);
    }
  }
}
==== plain
> code: cuda
# k1 row
launch: 128 threads, at most 1500 blocks, each once, bounds for 4
shared: 0 B
slots: 0 1; params: 0 float
// P = softmax(A)
//
// scheme row; 6000 rows of 400; 128 threads, 32 on a row; 4 lanes x 4 vectors
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 4;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 4;
constexpr fs_index FS_M = 6000;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_larger fs_lanes fs_warp
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
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
    float v0[4][4] = {};
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 400;
      if (in) fs_load(v0[c], a0 + (i * 416 + j));
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 400;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        if (in) r1[e] = fs_max(r1[e], v0[c][e]);
      }
    }
    const float v1 = fs_warp<fs_larger, 32>(fs_lanes<fs_larger>(r1));
    float r4[4] = {};
    float v3[4][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 400;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0[c][e] - v1;
        v3[c][e] = expf(v2);
        if (in) r4[e] = r4[e] + v3[c][e];
      }
    }
    const float v4 = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r4));
    const float v6 = v5 / v4;
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 400;
      float v9[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v9[e] = v6 * v3[c][e];
      }
      if (in) fs_store(a1 + (i * 416 + j), v9);
    }
  }
}
