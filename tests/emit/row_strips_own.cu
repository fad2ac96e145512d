==== h200
> code: cuda
# k1 row
launch: 256 threads, at most 16384 blocks, 3 a unit, bounds for 3
shared: 0 B; workspace 256 B and 32768 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 3 4 5 2; params: 0 float
// t = B'*u; w = u + 3*v; z = w .* u
//
// scheme row, in strips; 16384 rows of 8192; 256 threads; 4 lanes x 1 vector; 8 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 3;
constexpr fs_index FS_STRIPS = 8;
constexpr fs_index FS_PARTS_MOST = 2048;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 8;
constexpr fs_index FS_M = 16384;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_across fs_add_parts fs_slices fs_parts
// barrier.cuh: fs_after_kernels fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, float p0, void
        *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a3 = (const float *)s2;
  float *const a4 = (float *)s3;
  float *const a5 = (float *)s4;
  float *const a2 = (float *)s5;
  float *const w2 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  const float v3 = (float)p0;
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    float r2[4] = {};
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      float v1[8];
#pragma unroll
      for (int b = 0; b < 8; b++) {
        const fs_index i = first + b;
        v1[b] = fs_get(a1[i]);
      }
      float v0[8][4];
      {
        const fs_index j = (strip * 256 + t) * 4;
#pragma unroll
        for (int b = 0; b < 8; b++) {
          const fs_index i = first + b;
          fs_load(v0[b], a0 + (i * 8192 + j));
        }
      }
      if (strip == 0) {
        float v4[8];
        float v5[8];
        float v6[8];
        float v7[8];
#pragma unroll
        for (int b = 0; b < 8; b++) {
          const fs_index i = first + b;
          v4[b] = fs_get(a3[i]);
        }
#pragma unroll
        for (int b = 0; b < 8; b++) {
          const fs_index i = first + b;
          v5[b] = v3 * v4[b];
          v6[b] = v1[b] + v5[b];
          if (t == 0) fs_put(a4[i], v6[b]);
          v7[b] = v1[b] * v6[b];
          if (t == 0) fs_put(a5[i], v7[b]);
        }
      }
      {
        const fs_index j = (strip * 256 + t) * 4;
#pragma unroll
        for (int b = 0; b < 8; b++) {
          const fs_index i = first + b;
#pragma unroll
          for (int e = 0; e < 4; e++) {
            r2[e] = fmaf(v0[b][e], v1[b], r2[e]);
          }
        }
      }
    }
    {
      const fs_index j = (strip * 256 + t) * 4;
      fs_store(w2 + part * 8192 + j, r2);
    }
  }
  fs_grid_barrier(counters);
  for (fs_index unit = blockIdx.x; unit < 256; unit += gridDim.x) {
    const int lane = threadIdx.x % 8;
    const int slice = threadIdx.x / 8;
    const fs_index at = unit * 32 + lane * 4;
    const fs_index x = unit * 32 + threadIdx.x;
    float sum2[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum2[e] = 0;
    }
    fs_add_parts<fs_add, 4>(sum2, w2, at, slice, parts, 32, 8192);
    float x2 = 0;
    x2 = fs_slices<fs_add, 8>(sum2, (float *)scratch, 256, x2);
    if (threadIdx.x < 32) {
      const fs_index j = x;
      if (j < 8192) {
        const float v2 = x2;
        fs_put(a2[j], v2);
      }
    }
  }
}
