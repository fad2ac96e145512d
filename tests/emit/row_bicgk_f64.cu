==== h200
> code: cuda
# k1 row
launch: 512 threads, at most 1024 blocks, 1 a unit, bounds for 1
shared: 0 B; workspace 256 B and 16384 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 3 2 4
// q = A*p; s = A'*r
//
// scheme row; 2048 rows of 2048; 512 threads; 2 lanes x 2 vectors; 2 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 512, FS_ROWS = 2;
constexpr fs_index FS_M = 2048;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_lanes fs_warp fs_across fs_fold fs_add_parts fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_after_kernels fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *work
) {
  fs_after_kernels();
  const double *const a0 = (const double *)s0;
  const double *const a1 = (const double *)s1;
  const double *const a3 = (const double *)s2;
  double *const a2 = (double *)s3;
  double *const a4 = (double *)s4;
  double *const w4 = (double *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[1024];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  __shared__ double part2[2][2][16];
  int turn = 0;
  double v1[2][2];
#pragma unroll
  for (int c = 0; c < 2; c++) {
    const fs_index j = (c * 512 + t) * 2;
    fs_load(v1[c], a1 + j);
  }
  double r4[2][2] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    double v3[2];
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + b;
      v3[b] = fs_get(a3[i]);
    }
    double r2[2][2] = {};
    double v0[2][2][2];
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 512 + t) * 2;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + b;
        fs_load(v0[b][c], a0 + (i * 2048 + j));
      }
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 512 + t) * 2;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + b;
#pragma unroll
        for (int e = 0; e < 2; e++) {
          r2[b][e] = fma(v0[b][c][e], v1[c][e], r2[b][e]);
          r4[c][e] = fma(v0[b][c][e], v3[b], r4[c][e]);
        }
      }
    }
    double v2[2] = {};
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const double x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r2[b]));
      if (threadIdx.x % 32 == 0) part2[turn][b][threadIdx.x / 32] = x;
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll
      for (int b = 0; b < 2; b++) {
        v2[b] = fs_fold<fs_add, 16>(part2[turn][b]);
      }
    }
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + b;
      if (t == 0) fs_put(a2[i], v2[b]);
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
#pragma unroll
  for (int c = 0; c < 2; c++) {
    const fs_index j = (c * 512 + t) * 2;
    fs_store(w4 + part * 2048 + j, r4[c]);
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  double part4[3][2];
  fs_fetch(part4, w4, (fs_index)blockIdx.x * 16 + lane * 2, slice, 64,
      (fs_index)gridDim.x, 2048, 0);
  for (fs_index unit = blockIdx.x; unit < 128; unit += gridDim.x) {
    const fs_index x = unit * 16 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 16 && j < 2048;
    double sum4[2];
#pragma unroll
    for (int e = 0; e < 2; e++) {
      sum4[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum4, part4);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 16 + lane * 2;
      fs_add_parts<fs_add, 1>(sum4, w4, at, slice, (fs_index)gridDim.x, 64,
          2048);
    }
    double x4 = 0;
    x4 = fs_slices<fs_add, 8>(sum4, (double *)scratch, 512, x4);
    if (own) {
      const double v4 = x4;
      fs_put(a4[j], v4);
    }
  }
}
