==== h200
> code: cuda
# k1 row
launch: 512 threads, at most 47 blocks, 2 a unit, bounds for 2
shared: 0 B; workspace 256 B and 256 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 3 2 4
// q = A*p; s = A'*r
//
// scheme row; 3000 rows of 45; 512 threads, 32 on a row; 1 lane x 2 vectors; 64 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 64;
constexpr fs_index FS_M = 3000;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_warp fs_across fs_side fs_add_parts fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_after_kernels fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a3 = (const float *)s2;
  float *const a2 = (float *)s3;
  float *const a4 = (float *)s4;
  float *const w4 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[1024];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  float v1[2] = {};
#pragma unroll
  for (int c = 0; c < 2; c++) {
    const fs_index j = c * 32 + t;
    const bool in = j < 45;
    if (in) v1[c] = fs_get(a1[j]);
  }
  float r4[2] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float v3[4];
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_index i = first + (b * 16 + sub);
      const bool ok = i < 3000;
      v3[b] = ok ? fs_get(a3[i]) : (float)0;
    }
    float r2[4] = {};
    float v0[4][2] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = c * 32 + t;
      const bool in = j < 45;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + (b * 16 + sub);
        const bool ok = i < 3000;
        if (ok && in) v0[b][c] = fs_get(a0[i * 45 + j]);
      }
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = c * 32 + t;
      const bool in = j < 45;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + (b * 16 + sub);
        const bool ok = i < 3000;
        if (in) r2[b] = fmaf(v0[b][c], v1[c], r2[b]);
        if (ok) r4[c] = fmaf(v0[b][c], v3[b], r4[c]);
      }
    }
    float v2[4];
#pragma unroll
    for (int b = 0; b < 4; b++) {
      v2[b] = fs_warp<fs_add, 32>(r2[b]);
    }
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_index i = first + (b * 16 + sub);
      const bool ok = i < 3000;
      if (t == 0 && ok) fs_put(a2[i], v2[b]);
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
  {
    float *const side = (float *)scratch;
    __syncthreads();
    side[sub * 64 + 0 + t] = r4[0];
    side[sub * 64 + 32 + t] = r4[1];
    __syncthreads();
    for (int v = threadIdx.x; v < 64; v += 512) {
      const int c = 0 + v / 32;
      const int t = v % 32;
      const fs_index j = c * 32 + t;
      const bool in = j < 45;
      float x[1];
      fs_side<fs_add, 16>(x, side, v, 64);
      if (in) *(w4 + part * 64 + j) = x[0];
    }
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  float part4[5][4];
  fs_fetch(part4, w4, (fs_index)blockIdx.x * 32 + lane * 4, slice, 64,
      (fs_index)gridDim.x, 64, 0);
  for (fs_index unit = blockIdx.x; unit < 2; unit += gridDim.x) {
    const fs_index x = unit * 32 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 32 && j < 45;
    float sum4[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum4[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum4, part4);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_add, 1>(sum4, w4, at, slice, (fs_index)gridDim.x, 64, 64);
    }
    float x4 = 0;
    x4 = fs_slices<fs_add, 8>(sum4, (float *)scratch, 512, x4);
    if (own) {
      const float v4 = x4;
      fs_put(a4[j], v4);
    }
  }
}
==== a100
> code: cuda
# k1 row
launch: 512 threads, at most 94 blocks, 2 a unit, bounds for 2
shared: 0 B; workspace 256 B and 256 B a block, 256 B of zeros; cooperative
slots: 0 1 3 2 4
// q = A*p; s = A'*r
//
// scheme row; 3000 rows of 45; 512 threads, 32 on a row; 1 lane x 2 vectors; 32 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 32;
constexpr fs_index FS_M = 3000;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_warp fs_across fs_side fs_add_parts fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *work
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a3 = (const float *)s2;
  float *const a2 = (float *)s3;
  float *const a4 = (float *)s4;
  float *const w4 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[1024];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  float v1[2] = {};
#pragma unroll
  for (int c = 0; c < 2; c++) {
    const fs_index j = c * 32 + t;
    const bool in = j < 45;
    if (in) v1[c] = fs_get(a1[j]);
  }
  float r4[2] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float v3[2];
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + (b * 16 + sub);
      const bool ok = i < 3000;
      v3[b] = ok ? fs_get(a3[i]) : (float)0;
    }
    float r2[2] = {};
    float v0[2][2] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = c * 32 + t;
      const bool in = j < 45;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + (b * 16 + sub);
        const bool ok = i < 3000;
        if (ok && in) v0[b][c] = fs_get(a0[i * 45 + j]);
      }
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = c * 32 + t;
      const bool in = j < 45;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + (b * 16 + sub);
        const bool ok = i < 3000;
        if (in) r2[b] = fmaf(v0[b][c], v1[c], r2[b]);
        if (ok) r4[c] = fmaf(v0[b][c], v3[b], r4[c]);
      }
    }
    float v2[2];
#pragma unroll
    for (int b = 0; b < 2; b++) {
      v2[b] = fs_warp<fs_add, 32>(r2[b]);
    }
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + (b * 16 + sub);
      const bool ok = i < 3000;
      if (t == 0 && ok) fs_put(a2[i], v2[b]);
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
  {
    float *const side = (float *)scratch;
    __syncthreads();
    side[sub * 64 + 0 + t] = r4[0];
    side[sub * 64 + 32 + t] = r4[1];
    __syncthreads();
    for (int v = threadIdx.x; v < 64; v += 512) {
      const int c = 0 + v / 32;
      const int t = v % 32;
      const fs_index j = c * 32 + t;
      const bool in = j < 45;
      float x[1];
      fs_side<fs_add, 16>(x, side, v, 64);
      if (in) *(w4 + part * 64 + j) = x[0];
    }
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  float part4[4][4];
  fs_fetch(part4, w4, (fs_index)blockIdx.x * 32 + lane * 4, slice, 64,
      (fs_index)gridDim.x, 64, 0);
  for (fs_index unit = blockIdx.x; unit < 2; unit += gridDim.x) {
    const fs_index x = unit * 32 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 32 && j < 45;
    float sum4[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum4[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum4, part4);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_add, 1>(sum4, w4, at, slice, (fs_index)gridDim.x, 64, 64);
    }
    float x4 = 0;
    x4 = fs_slices<fs_add, 8>(sum4, (float *)scratch, 512, x4);
    if (own) {
      const float v4 = x4;
      fs_put(a4[j], v4);
    }
  }
}
