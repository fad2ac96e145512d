==== h200
> code: cuda
# k1 row
launch: 512 threads, at most 188 blocks, 1 a unit, bounds for 1
shared: 0 B; workspace 256 B and 1664 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2
// k = all(M, 2); e = any(M, 1)
//
// scheme row; 3000 rows of 400; 512 threads, 64 on a row; 4 lanes x 2 vectors; 16 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 64, FS_ROWS = 16;
constexpr fs_index FS_M = 3000;

// memory.cuh: fs_get fs_put fs_bool fs_pack fs_load fs_store
// reduce.cuh: fs_or fs_and fs_lanes fs_warp fs_across fs_fold fs_side fs_add_parts fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_after_kernels fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *work
) {
  fs_after_kernels();
  const fs_bool *const a0 = (const fs_bool *)s0;
  fs_bool *const a1 = (fs_bool *)s1;
  fs_bool *const a2 = (fs_bool *)s2;
  int *const w2 = (int *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[2048];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  __shared__ int part1[2][2][16];
  int turn = 0;
  int r2[2][4] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    int r1[2][4];
#pragma unroll
    for (int b = 0; b < 2; b++) {
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r1[b][e] = 1;
      }
    }
    bool v0[2][2][4] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 64 + t) * 4;
      const bool in = j < 400;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + (b * 8 + sub);
        const bool ok = i < 3000;
        if (ok && in) fs_load(v0[b][c], a0 + (i * 400 + j));
      }
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 64 + t) * 4;
      const bool in = j < 400;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + (b * 8 + sub);
        const bool ok = i < 3000;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          if (in) r1[b][e] = r1[b][e] & (int)v0[b][c][e];
          if (ok) r2[c][e] = r2[c][e] | (int)v0[b][c][e];
        }
      }
    }
    bool v1[2] = {};
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const int x = fs_warp<fs_and, 32>(fs_lanes<fs_and>(r1[b]));
      if (threadIdx.x % 32 == 0) part1[turn][b][threadIdx.x / 32] = x;
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll
      for (int b = 0; b < 2; b++) {
        v1[b] = fs_fold<fs_and, 2>(part1[turn][b] + sub * 2) != 0;
      }
    }
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + (b * 8 + sub);
      const bool ok = i < 3000;
      if (t == 0 && ok) fs_put(a1[i], v1[b]);
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
  {
    int *const side = (int *)scratch;
    __syncthreads();
    fs_store(side + (sub * 128 + 0 + t) * 4, r2[0]);
    fs_store(side + (sub * 128 + 64 + t) * 4, r2[1]);
    __syncthreads();
    for (int v = threadIdx.x; v < 128; v += 512) {
      const int c = 0 + v / 64;
      const int t = v % 64;
      const fs_index j = (c * 64 + t) * 4;
      const bool in = j < 400;
      int x[4];
      fs_side<fs_or, 8>(x, side, v, 128);
      if (in) fs_store(w2 + part * 416 + j, x);
    }
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  int part2[3][4];
  fs_fetch(part2, w2, (fs_index)blockIdx.x * 32 + lane * 4, slice, 64,
      (fs_index)gridDim.x, 416, 0);
  for (fs_index unit = blockIdx.x; unit < 13; unit += gridDim.x) {
    const fs_index x = unit * 32 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 32 && j < 400;
    int sum2[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum2[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_or>(sum2, part2);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_or, 1>(sum2, w2, at, slice, (fs_index)gridDim.x, 64, 416);
    }
    int x2 = 0;
    x2 = fs_slices<fs_or, 8>(sum2, (int *)scratch, 512, x2);
    if (own) {
      const bool v2 = x2 != 0;
      fs_put(a2[j], v2);
    }
  }
}
