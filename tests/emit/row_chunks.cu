==== h200
k1 runs with scheme row when the block comes again: ~8.9 µs, not ~8.8 µs
> code: cuda
# k1 row
launch: 256 threads, at most 50 blocks, bounds for 2
shared: 0 B; waits
slots: 0 1 2
// q = A*x
//
// scheme row, in chunks; 100 rows of 65536; 256 threads; 4 lanes x 4 vectors; 2 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 2;
constexpr fs_index FS_M = 100;

// memory.cuh: fs_get fs_put fs_pack fs_load
// reduce.cuh: fs_add fs_lanes fs_warp fs_fold
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  __shared__ float part2[2][2][8];
  int turn = 0;
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float r2[2][4] = {};
    for (fs_index h = 0; h < 16; h++) {
      float v0[2][4][4];
      float v1[4][4];
#pragma unroll
      for (int c = 0; c < 4; c++) {
        const fs_index j = (h * 1024 + (c * 256 + t)) * 4;
#pragma unroll
        for (int b = 0; b < 2; b++) {
          const fs_index i = first + b;
          fs_load(v0[b][c], a0 + (i * 65536 + j));
        }
        fs_load(v1[c], a1 + j);
      }
#pragma unroll
      for (int c = 0; c < 4; c++) {
        const fs_index j = (h * 1024 + (c * 256 + t)) * 4;
#pragma unroll
        for (int b = 0; b < 2; b++) {
          const fs_index i = first + b;
#pragma unroll
          for (int e = 0; e < 4; e++) {
            r2[b][e] = fmaf(v0[b][c][e], v1[c][e], r2[b][e]);
          }
        }
      }
    }
    float v2[2] = {};
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r2[b]));
      if (threadIdx.x % 32 == 0) part2[turn][b][threadIdx.x / 32] = x;
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll
      for (int b = 0; b < 2; b++) {
        v2[b] = fs_fold<fs_add, 8>(part2[turn][b]);
      }
    }
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + b;
      if (t == 0) fs_put(a2[i], v2[b]);
    }
  }
}
==== a100
k1 runs with scheme row when the block comes again: ~13.5 µs
> code: cuda
# k1 row
launch: 256 threads, at most 100 blocks, bounds for 3
shared: 0 B
slots: 0 1 2
// q = A*x
//
// scheme row, in chunks; 100 rows of 65536; 256 threads; 4 lanes x 4 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 3;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 1;
constexpr fs_index FS_M = 100;

// memory.cuh: fs_get fs_put fs_pack fs_load
// reduce.cuh: fs_add fs_lanes fs_warp fs_fold
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  __shared__ float part2[2][8];
  int turn = 0;
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first;
    float r2[4] = {};
    for (fs_index h = 0; h < 16; h++) {
      float v0[4][4];
      float v1[4][4];
#pragma unroll
      for (int c = 0; c < 4; c++) {
        const fs_index j = (h * 1024 + (c * 256 + t)) * 4;
        fs_load(v0[c], a0 + (i * 65536 + j));
        fs_load(v1[c], a1 + j);
      }
#pragma unroll
      for (int c = 0; c < 4; c++) {
        const fs_index j = (h * 1024 + (c * 256 + t)) * 4;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          r2[e] = fmaf(v0[c][e], v1[c][e], r2[e]);
        }
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r2));
      if (threadIdx.x % 32 == 0) part2[turn][threadIdx.x / 32] = x;
    }
    __syncthreads();
    const float v2 = fs_fold<fs_add, 8>(part2[turn]);
    turn ^= 1;  // the next sums go beside these
    if (t == 0) fs_put(a2[i], v2);
  }
}
