==== h200
k1 runs with scheme row when the block comes again: ~8.2 µs
> code: cuda
# k1 row
launch: 512 threads, at most 656 blocks, 2 a unit, bounds for 2
shared: 0 B; workspace 256 B and 8192 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2
// s = A'*u
//
// scheme row, in strips; 2601 rows of 2043; 512 threads, 32 on a row; 4 lanes x 1 vector; 64 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 2;
constexpr fs_index FS_STRIPS = 16;
constexpr fs_index FS_PARTS_MOST = 41;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 64;
constexpr fs_index FS_M = 2601;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_some fs_store
// reduce.cuh: fs_add fs_across fs_side fs_add_parts fs_slices fs_parts
// barrier.cuh: fs_after_kernels fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  float *const w2 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[1024];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    float r2[4] = {};
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      float v1[4];
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + (b * 16 + sub);
        const bool ok = i < 2601;
        v1[b] = ok ? fs_get(a1[i]) : (float)0;
      }
      float v0[4][4] = {};
      {
        const fs_index j = (strip * 32 + t) * 4;
        const int k = !(j < 2043) ? 0 : 2043 - j < 4 ? int(2043 - j) : 4;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (b * 16 + sub);
          const bool ok = i < 2601;
          if (ok) fs_load_some(v0[b], a0 + (i * 2048 + j), k);
        }
      }
      {
        const fs_index j = (strip * 32 + t) * 4;
        const int k = !(j < 2043) ? 0 : 2043 - j < 4 ? int(2043 - j) : 4;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (b * 16 + sub);
          const bool ok = i < 2601;
#pragma unroll
          for (int e = 0; e < 4; e++) {
            if (ok) r2[e] = fmaf(v0[b][e], v1[b], r2[e]);
          }
        }
      }
    }
    {
      float *const side = (float *)scratch;
      __syncthreads();
      fs_store(side + (sub * 32 + 0 + t) * 4, r2);
      __syncthreads();
      for (int v = threadIdx.x; v < 32; v += 512) {
        const int t = v % 32;
        const fs_index j = (strip * 32 + t) * 4;
        const int k = !(j < 2043) ? 0 : 2043 - j < 4 ? int(2043 - j) : 4;
        float x[4];
        fs_side<fs_add, 16>(x, side, v, 32);
        if (k > 0) fs_store(w2 + part * 2048 + j, x);
      }
    }
  }
  fs_grid_barrier(counters);
  for (fs_index unit = blockIdx.x; unit < 64; unit += gridDim.x) {
    const int lane = threadIdx.x % 8;
    const int slice = threadIdx.x / 8;
    const fs_index at = unit * 32 + lane * 4;
    const fs_index x = unit * 32 + threadIdx.x;
    float sum2[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum2[e] = 0;
    }
    fs_add_parts<fs_add, 4>(sum2, w2, at, slice, parts, 64, 2048);
    float x2 = 0;
    x2 = fs_slices<fs_add, 8>(sum2, (float *)scratch, 512, x2);
    if (threadIdx.x < 32) {
      const fs_index j = x;
      if (j < 2043) {
        const float v2 = x2;
        fs_put(a2[j], v2);
      }
    }
  }
}
==== a100
k1 runs with scheme row when the block comes again: ~11.5 µs
> code: cuda
# k1 row
launch: 256 threads, at most 1312 blocks, 2 a unit, bounds for 2
shared: 0 B; workspace 256 B and 8192 B a block, 256 B of zeros; cooperative
slots: 0 1 2
// s = A'*u
//
// scheme row, in strips; 2601 rows of 2043; 256 threads, 32 on a row; 4 lanes x 1 vector; 32 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr fs_index FS_STRIPS = 16;
constexpr fs_index FS_PARTS_MOST = 82;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 32;
constexpr fs_index FS_M = 2601;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_some fs_store
// reduce.cuh: fs_add fs_across fs_side fs_add_parts fs_slices fs_parts
// barrier.cuh: fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *work
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  float *const w2 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    float r2[4] = {};
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      float v1[4];
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + (b * 8 + sub);
        const bool ok = i < 2601;
        v1[b] = ok ? fs_get(a1[i]) : (float)0;
      }
      float v0[4][4] = {};
      {
        const fs_index j = (strip * 32 + t) * 4;
        const int k = !(j < 2043) ? 0 : 2043 - j < 4 ? int(2043 - j) : 4;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (b * 8 + sub);
          const bool ok = i < 2601;
          if (ok) fs_load_some(v0[b], a0 + (i * 2048 + j), k);
        }
      }
      {
        const fs_index j = (strip * 32 + t) * 4;
        const int k = !(j < 2043) ? 0 : 2043 - j < 4 ? int(2043 - j) : 4;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (b * 8 + sub);
          const bool ok = i < 2601;
#pragma unroll
          for (int e = 0; e < 4; e++) {
            if (ok) r2[e] = fmaf(v0[b][e], v1[b], r2[e]);
          }
        }
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
        const int k = !(j < 2043) ? 0 : 2043 - j < 4 ? int(2043 - j) : 4;
        float x[4];
        fs_side<fs_add, 8>(x, side, v, 32);
        if (k > 0) fs_store(w2 + part * 2048 + j, x);
      }
    }
  }
  fs_grid_barrier(counters);
  for (fs_index unit = blockIdx.x; unit < 64; unit += gridDim.x) {
    const int lane = threadIdx.x % 8;
    const int slice = threadIdx.x / 8;
    const fs_index at = unit * 32 + lane * 4;
    const fs_index x = unit * 32 + threadIdx.x;
    float sum2[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum2[e] = 0;
    }
    fs_add_parts<fs_add, 4>(sum2, w2, at, slice, parts, 32, 2048);
    float x2 = 0;
    x2 = fs_slices<fs_add, 8>(sum2, (float *)scratch, 256, x2);
    if (threadIdx.x < 32) {
      const fs_index j = x;
      if (j < 2043) {
        const float v2 = x2;
        fs_put(a2[j], v2);
      }
    }
  }
}
