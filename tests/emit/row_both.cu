==== h200
> code: cuda
# k1 row
launch: 256 threads, at most 2016 blocks, 4 a unit, bounds for 4
shared: 0 B; workspace 256 B and 8200 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2 3
// s = sum(A .* C, 1); t = max(A)
//
// scheme row, in strips; 2001 rows of 2048; 256 threads, 32 on a row; 4 lanes x 1 vector; 16 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
constexpr fs_index FS_STRIPS = 16;
constexpr fs_index FS_PARTS_MOST = 126;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 16;
constexpr fs_index FS_M = 2001;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store fs_fresh
// reduce.cuh: fs_add fs_larger fs_lanes fs_warp fs_across fs_block fs_side fs_gather fs_add_parts fs_slices fs_parts
// barrier.cuh: fs_after_kernels fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  float *const a3 = (float *)s3;
  float *const w2 = (float *)((char *)work + 256);
  float *const w3 = (float *)((char *)work + 256 + 8192LL * gridDim.x);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  float r3[4];
#pragma unroll
  for (int e = 0; e < 4; e++) {
    r3[e] = __int_as_float(0xff800000);
  }
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    float r2[4] = {};
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      float v0[2][4] = {};
      float v1[2][4] = {};
      {
        const fs_index j = (strip * 32 + t) * 4;
#pragma unroll
        for (int b = 0; b < 2; b++) {
          const fs_index i = first + (b * 8 + sub);
          const bool ok = i < 2001;
          if (ok) fs_load(v0[b], a0 + (i * 2048 + j));
        }
#pragma unroll
        for (int b = 0; b < 2; b++) {
          const fs_index i = first + (b * 8 + sub);
          const bool ok = i < 2001;
          if (ok) fs_load(v1[b], a1 + (i * 2048 + j));
        }
      }
      {
        const fs_index j = (strip * 32 + t) * 4;
#pragma unroll
        for (int b = 0; b < 2; b++) {
          const fs_index i = first + (b * 8 + sub);
          const bool ok = i < 2001;
#pragma unroll
          for (int e = 0; e < 4; e++) {
            if (ok) r2[e] = fmaf(v0[b][e], v1[b][e], r2[e]);
            if (ok) r3[e] = fs_max(r3[e], v0[b][e]);
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
        float x[4];
        fs_side<fs_add, 8>(x, side, v, 32);
        fs_store(w2 + part * 2048 + j, x);
      }
    }
  }
  __syncthreads();
  {
    const float x = fs_block<fs_larger,
        8>(fs_lanes<fs_larger>(r3), (float *)scratch);
    if (threadIdx.x == 0) w3[blockIdx.x] = x;
    __syncthreads();
  }
  fs_grid_barrier(counters);
  float x3 = fs_gather<fs_larger,
      3>(w3, gridDim.x, 256, __int_as_float(0xff800000));
  const float v3 = fs_block<fs_larger, 8>(x3, (float *)scratch);
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a3[0], v3);
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
      if (j < 2048) {
        const float v2 = x2;
        fs_put(a2[j], v2);
      }
    }
  }
}
