==== h200
> code: cuda
# k1 row
launch: 256 threads, at most 300 blocks, 2 a unit, bounds for 2
shared: 0 B; workspace 256 B and 4992 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2 3
// s = sum(A, 1); t = sum(A.^2, 1); m = colmax(A)
//
// scheme row, in strips; 600 rows of 400; 256 threads, 32 on a row; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr fs_index FS_STRIPS = 4;
constexpr fs_index FS_PARTS_MOST = 75;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 8;
constexpr fs_index FS_M = 600;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_larger fs_across fs_side fs_add_parts fs_slices fs_parts
// barrier.cuh: fs_after_kernels fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  float *const a2 = (float *)s2;
  float *const a3 = (float *)s3;
  float *const w1 = (float *)((char *)work + 256);
  float *const w2 = (float *)((char *)work + 256 + 1664LL * gridDim.x);
  float *const w3 = (float *)((char *)work + 256 + 3328LL * gridDim.x);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    float r1[4] = {};
    float r2[4] = {};
    float r3[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      r3[e] = __int_as_float(0xff800000);
    }
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      const fs_index i = first + sub;
      float v0[4] = {};
      {
        const fs_index j = (strip * 32 + t) * 4;
        const bool in = j < 400;
        if (in) fs_load(v0, a0 + (i * 416 + j));
      }
      {
        const fs_index j = (strip * 32 + t) * 4;
        const bool in = j < 400;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          r1[e] = r1[e] + v0[e];
          r2[e] = fmaf(v0[e], v0[e], r2[e]);
          r3[e] = fs_max(r3[e], v0[e]);
        }
      }
    }
    {
      float *const side = (float *)scratch;
      __syncthreads();
      fs_store(side + (sub * 32 + 0 + t) * 4, r1);
      __syncthreads();
      for (int v = threadIdx.x; v < 32; v += 256) {
        const int t = v % 32;
        const fs_index j = (strip * 32 + t) * 4;
        const bool in = j < 400;
        float x[4];
        fs_side<fs_add, 8>(x, side, v, 32);
        if (in) fs_store(w1 + part * 416 + j, x);
      }
    }
    {
      float *const side = (float *)scratch;
      __syncthreads();
      fs_store(side + (sub * 32 + 0 + t) * 4, r2);
      __syncthreads();
      for (int v = threadIdx.x; v < 32; v += 256) {
        const int t = v % 32;
        const fs_index j = (strip * 32 + t) * 4;
        const bool in = j < 400;
        float x[4];
        fs_side<fs_add, 8>(x, side, v, 32);
        if (in) fs_store(w2 + part * 416 + j, x);
      }
    }
    {
      float *const side = (float *)scratch;
      __syncthreads();
      fs_store(side + (sub * 32 + 0 + t) * 4, r3);
      __syncthreads();
      for (int v = threadIdx.x; v < 32; v += 256) {
        const int t = v % 32;
        const fs_index j = (strip * 32 + t) * 4;
        const bool in = j < 400;
        float x[4];
        fs_side<fs_larger, 8>(x, side, v, 32);
        if (in) fs_store(w3 + part * 416 + j, x);
      }
    }
  }
  fs_grid_barrier(counters);
  for (fs_index unit = blockIdx.x; unit < 13; unit += gridDim.x) {
    const int lane = threadIdx.x % 8;
    const int slice = threadIdx.x / 8;
    const fs_index at = unit * 32 + lane * 4;
    const fs_index x = unit * 32 + threadIdx.x;
    float sum1[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum1[e] = 0;
    }
    fs_add_parts<fs_add, 4>(sum1, w1, at, slice, parts, 32, 416);
    float x1 = 0;
    x1 = fs_slices<fs_add, 8>(sum1, (float *)scratch, 256, x1);
    float sum2[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum2[e] = 0;
    }
    fs_add_parts<fs_add, 4>(sum2, w2, at, slice, parts, 32, 416);
    float x2 = 0;
    x2 = fs_slices<fs_add, 8>(sum2, (float *)scratch, 256, x2);
    float sum3[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum3[e] = __int_as_float(0xff800000);
    }
    fs_add_parts<fs_larger, 4>(sum3, w3, at, slice, parts, 32, 416);
    float x3 = __int_as_float(0xff800000);
    x3 = fs_slices<fs_larger, 8>(sum3, (float *)scratch, 256, x3);
    if (threadIdx.x < 32) {
      const fs_index j = x;
      if (j < 400) {
        const float v1 = x1;
        const float v2 = x2;
        const float v3 = x3;
        fs_put(a1[j], v1);
        fs_put(a2[j], v2);
        fs_put(a3[j], v3);
      }
    }
  }
}
==== a100
> code: cuda
# k1 row
launch: 256 threads, at most 300 blocks, 2 a unit, bounds for 2
shared: 0 B; workspace 256 B and 4992 B a block, 256 B of zeros; cooperative
slots: 0 1 2 3
// s = sum(A, 1); t = sum(A.^2, 1); m = colmax(A)
//
// scheme row, in strips; 600 rows of 400; 256 threads, 32 on a row; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr fs_index FS_STRIPS = 4;
constexpr fs_index FS_PARTS_MOST = 75;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 8;
constexpr fs_index FS_M = 600;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_larger fs_across fs_side fs_add_parts fs_slices fs_parts
// barrier.cuh: fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *work
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  float *const a2 = (float *)s2;
  float *const a3 = (float *)s3;
  float *const w1 = (float *)((char *)work + 256);
  float *const w2 = (float *)((char *)work + 256 + 1664LL * gridDim.x);
  float *const w3 = (float *)((char *)work + 256 + 3328LL * gridDim.x);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    float r1[4] = {};
    float r2[4] = {};
    float r3[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      r3[e] = __int_as_float(0xff800000);
    }
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      const fs_index i = first + sub;
      float v0[4] = {};
      {
        const fs_index j = (strip * 32 + t) * 4;
        const bool in = j < 400;
        if (in) fs_load(v0, a0 + (i * 416 + j));
      }
      {
        const fs_index j = (strip * 32 + t) * 4;
        const bool in = j < 400;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          r1[e] = r1[e] + v0[e];
          r2[e] = fmaf(v0[e], v0[e], r2[e]);
          r3[e] = fs_max(r3[e], v0[e]);
        }
      }
    }
    {
      float *const side = (float *)scratch;
      __syncthreads();
      fs_store(side + (sub * 32 + 0 + t) * 4, r1);
      __syncthreads();
      for (int v = threadIdx.x; v < 32; v += 256) {
        const int t = v % 32;
        const fs_index j = (strip * 32 + t) * 4;
        const bool in = j < 400;
        float x[4];
        fs_side<fs_add, 8>(x, side, v, 32);
        if (in) fs_store(w1 + part * 416 + j, x);
      }
    }
    {
      float *const side = (float *)scratch;
      __syncthreads();
      fs_store(side + (sub * 32 + 0 + t) * 4, r2);
      __syncthreads();
      for (int v = threadIdx.x; v < 32; v += 256) {
        const int t = v % 32;
        const fs_index j = (strip * 32 + t) * 4;
        const bool in = j < 400;
        float x[4];
        fs_side<fs_add, 8>(x, side, v, 32);
        if (in) fs_store(w2 + part * 416 + j, x);
      }
    }
    {
      float *const side = (float *)scratch;
      __syncthreads();
      fs_store(side + (sub * 32 + 0 + t) * 4, r3);
      __syncthreads();
      for (int v = threadIdx.x; v < 32; v += 256) {
        const int t = v % 32;
        const fs_index j = (strip * 32 + t) * 4;
        const bool in = j < 400;
        float x[4];
        fs_side<fs_larger, 8>(x, side, v, 32);
        if (in) fs_store(w3 + part * 416 + j, x);
      }
    }
  }
  fs_grid_barrier(counters);
  for (fs_index unit = blockIdx.x; unit < 13; unit += gridDim.x) {
    const int lane = threadIdx.x % 8;
    const int slice = threadIdx.x / 8;
    const fs_index at = unit * 32 + lane * 4;
    const fs_index x = unit * 32 + threadIdx.x;
    float sum1[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum1[e] = 0;
    }
    fs_add_parts<fs_add, 4>(sum1, w1, at, slice, parts, 32, 416);
    float x1 = 0;
    x1 = fs_slices<fs_add, 8>(sum1, (float *)scratch, 256, x1);
    float sum2[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum2[e] = 0;
    }
    fs_add_parts<fs_add, 4>(sum2, w2, at, slice, parts, 32, 416);
    float x2 = 0;
    x2 = fs_slices<fs_add, 8>(sum2, (float *)scratch, 256, x2);
    float sum3[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum3[e] = __int_as_float(0xff800000);
    }
    fs_add_parts<fs_larger, 4>(sum3, w3, at, slice, parts, 32, 416);
    float x3 = __int_as_float(0xff800000);
    x3 = fs_slices<fs_larger, 8>(sum3, (float *)scratch, 256, x3);
    if (threadIdx.x < 32) {
      const fs_index j = x;
      if (j < 400) {
        const float v1 = x1;
        const float v2 = x2;
        const float v3 = x3;
        fs_put(a1[j], v1);
        fs_put(a2[j], v2);
        fs_put(a3[j], v3);
      }
    }
  }
}
