==== h200
k1 runs with scheme tile when the block comes again: ~14.2 µs, not ~5.8 µs
> code: cuda
# k1 tile
launch: 256 threads, at most 2188 blocks, bounds for 4
shared: 0 B; workspace 560384 B and 0 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 3 2 4
// q = A*v; s = A'*u
//
// scheme tile; 3 rows of 70001; 256 threads, 32 on a row; 1 lane x 1 vector; 32 rows at once; 1 tile a block
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
constexpr fs_index FS_M = 3, FS_ITERATIONS = 1;
constexpr fs_index FS_STRIPS = 2188, FS_PARTS = 1;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_warp fs_across fs_side fs_add_parts fs_slices
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
  float *const w2 = (float *)((char *)work + 256);
  float *const w4 = (float *)((char *)work + 280320);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % 32;    // column of the tile
  const int sub = threadIdx.x / 32;  // first row of the tile
  for (fs_index work = blockIdx.x; work < FS_PARTS * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    float v1 = 0;
    {
      const fs_index j = strip * 32 + t;
      const bool in = j < 70001;
      if (in) v1 = fs_get(a1[j]);
    }
    float r4 = 0;
    const fs_index begin = part * (32 * FS_ITERATIONS);
    const fs_index end =
        FS_M - begin < 32 * FS_ITERATIONS ? FS_M : begin + 32 * FS_ITERATIONS;
    for (fs_index first = begin; first < end; first += 32) {
      float v3[4];
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + (b * 8 + sub);
        const bool ok = i < 3;
        v3[b] = ok ? fs_get(a3[i]) : (float)0;
      }
      float r2[4] = {};
      float v0[4] = {};
      {
        const fs_index j = strip * 32 + t;
        const bool in = j < 70001;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (b * 8 + sub);
          const bool ok = i < 3;
          if (ok && in) v0[b] = fs_get(a0[i * 70016 + j]);
        }
      }
      {
        const fs_index j = strip * 32 + t;
        const bool in = j < 70001;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (b * 8 + sub);
          const bool ok = i < 3;
          if (in) r2[b] = fmaf(v0[b], v1, r2[b]);
          if (ok) r4 = fmaf(v0[b], v3[b], r4);
        }
      }
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + (b * 8 + sub);
        const bool ok = i < 3;
        const float x = fs_warp<fs_add, 32>(r2[b]);
        if (t == 0 && ok) w2[strip * 32 + i] = x;
      }
    }
    {
      float *const side = (float *)scratch;
      __syncthreads();
      side[sub * 32 + 0 + t] = r4;
      __syncthreads();
      for (int v = threadIdx.x; v < 32; v += 256) {
        const int t = v % 32;
        const fs_index j = strip * 32 + t;
        const bool in = j < 70001;
        float x[1];
        fs_side<fs_add, 8>(x, side, v, 32);
        if (in) *(w4 + part * 70016 + j) = x[0];
      }
    }
  }
  fs_grid_barrier(counters);
  for (fs_index unit = blockIdx.x; unit < 547; unit += gridDim.x) {
    const int lane = threadIdx.x % 32;
    const int slice = threadIdx.x / 32;
    const fs_index at = unit * 128 + lane * 4;
    const fs_index x = unit * 128 + threadIdx.x;
    float sum4[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum4[e] = 0;
    }
    fs_add_parts<fs_add, 4>(sum4, w4, at, slice, 1, 8, 70016);
    float x4 = 0;
    x4 = fs_slices<fs_add, 32>(sum4, (float *)scratch, 256, x4);
    if (threadIdx.x < 128) {
      const fs_index j = x;
      if (j < 70001) {
        const float v4 = x4;
        fs_put(a4[j], v4);
      }
    }
  }
  for (fs_index unit = blockIdx.x; unit < 1; unit += gridDim.x) {
    const int lane = threadIdx.x % 8;
    const int slice = threadIdx.x / 8;
    const fs_index at = unit * 32 + lane * 4;
    const fs_index x = unit * 32 + threadIdx.x;
    float sum2[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum2[e] = 0;
    }
    fs_add_parts<fs_add, 4>(sum2, w2, at, slice, 2188, 32, 32);
    float x2 = 0;
    x2 = fs_slices<fs_add, 8>(sum2, (float *)scratch, 256, x2);
    if (threadIdx.x < 32) {
      const fs_index i = x;
      if (i < 3) {
        const float v2 = x2;
        fs_put(a2[i], v2);
      }
    }
  }
}
==== a100
k1 runs with scheme tile when the block comes again: ~15.7 µs, not ~6.6 µs
> code: cuda
# k1 tile
launch: 256 threads, at most 2188 blocks, bounds for 4
shared: 0 B; workspace 560384 B and 0 B a block, 256 B of zeros; cooperative
slots: 0 1 3 2 4
// q = A*v; s = A'*u
//
// scheme tile; 3 rows of 70001; 256 threads, 32 on a row; 1 lane x 1 vector; 32 rows at once; 1 tile a block
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
constexpr fs_index FS_M = 3, FS_ITERATIONS = 1;
constexpr fs_index FS_STRIPS = 2188, FS_PARTS = 1;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_warp fs_across fs_side fs_add_parts fs_slices
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
  float *const w2 = (float *)((char *)work + 256);
  float *const w4 = (float *)((char *)work + 280320);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % 32;    // column of the tile
  const int sub = threadIdx.x / 32;  // first row of the tile
  for (fs_index work = blockIdx.x; work < FS_PARTS * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    float v1 = 0;
    {
      const fs_index j = strip * 32 + t;
      const bool in = j < 70001;
      if (in) v1 = fs_get(a1[j]);
    }
    float r4 = 0;
    const fs_index begin = part * (32 * FS_ITERATIONS);
    const fs_index end =
        FS_M - begin < 32 * FS_ITERATIONS ? FS_M : begin + 32 * FS_ITERATIONS;
    for (fs_index first = begin; first < end; first += 32) {
      float v3[4];
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + (b * 8 + sub);
        const bool ok = i < 3;
        v3[b] = ok ? fs_get(a3[i]) : (float)0;
      }
      float r2[4] = {};
      float v0[4] = {};
      {
        const fs_index j = strip * 32 + t;
        const bool in = j < 70001;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (b * 8 + sub);
          const bool ok = i < 3;
          if (ok && in) v0[b] = fs_get(a0[i * 70016 + j]);
        }
      }
      {
        const fs_index j = strip * 32 + t;
        const bool in = j < 70001;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (b * 8 + sub);
          const bool ok = i < 3;
          if (in) r2[b] = fmaf(v0[b], v1, r2[b]);
          if (ok) r4 = fmaf(v0[b], v3[b], r4);
        }
      }
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + (b * 8 + sub);
        const bool ok = i < 3;
        const float x = fs_warp<fs_add, 32>(r2[b]);
        if (t == 0 && ok) w2[strip * 32 + i] = x;
      }
    }
    {
      float *const side = (float *)scratch;
      __syncthreads();
      side[sub * 32 + 0 + t] = r4;
      __syncthreads();
      for (int v = threadIdx.x; v < 32; v += 256) {
        const int t = v % 32;
        const fs_index j = strip * 32 + t;
        const bool in = j < 70001;
        float x[1];
        fs_side<fs_add, 8>(x, side, v, 32);
        if (in) *(w4 + part * 70016 + j) = x[0];
      }
    }
  }
  fs_grid_barrier(counters);
  for (fs_index unit = blockIdx.x; unit < 547; unit += gridDim.x) {
    const int lane = threadIdx.x % 32;
    const int slice = threadIdx.x / 32;
    const fs_index at = unit * 128 + lane * 4;
    const fs_index x = unit * 128 + threadIdx.x;
    float sum4[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum4[e] = 0;
    }
    fs_add_parts<fs_add, 4>(sum4, w4, at, slice, 1, 8, 70016);
    float x4 = 0;
    x4 = fs_slices<fs_add, 32>(sum4, (float *)scratch, 256, x4);
    if (threadIdx.x < 128) {
      const fs_index j = x;
      if (j < 70001) {
        const float v4 = x4;
        fs_put(a4[j], v4);
      }
    }
  }
  for (fs_index unit = blockIdx.x; unit < 1; unit += gridDim.x) {
    const int lane = threadIdx.x % 8;
    const int slice = threadIdx.x / 8;
    const fs_index at = unit * 32 + lane * 4;
    const fs_index x = unit * 32 + threadIdx.x;
    float sum2[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum2[e] = 0;
    }
    fs_add_parts<fs_add, 4>(sum2, w2, at, slice, 2188, 32, 32);
    float x2 = 0;
    x2 = fs_slices<fs_add, 8>(sum2, (float *)scratch, 256, x2);
    if (threadIdx.x < 32) {
      const fs_index i = x;
      if (i < 3) {
        const float v2 = x2;
        fs_put(a2[i], v2);
      }
    }
  }
}
