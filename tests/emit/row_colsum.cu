==== h200
> code: cuda
# k1 row
launch: 512 threads, at most 1024 blocks, 1 a unit, bounds for 1
shared: 0 B; workspace 256 B and 16384 B a block, 256 B of zeros; waits; cooperative
slots: 0 1
// s = sum(A, 1)
//
// scheme row; 4096 rows of 4096; 512 threads; 4 lanes x 2 vectors; 4 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 512, FS_ROWS = 4;
constexpr fs_index FS_M = 4096;

// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_store
// cache.cuh: fs_cache_stays fs_cache_passes fs_words_by fs_load_by
// reduce.cuh: fs_add fs_across fs_add_parts fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_after_kernels fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  float *const w1 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[1024];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const unsigned long long stays = fs_cache_stays();
  const unsigned long long passes = fs_cache_passes();
  float r1[2][4] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float v0[4][2][4];
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 512 + t) * 4;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + b;
        fs_load_by(v0[b][c], a0 + (i * 4096 + j), i < 1728 ? stays : passes);
      }
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 512 + t) * 4;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + b;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          r1[c][e] = r1[c][e] + v0[b][c][e];
        }
      }
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
#pragma unroll
  for (int c = 0; c < 2; c++) {
    const fs_index j = (c * 512 + t) * 4;
    fs_store(w1 + part * 4096 + j, r1[c]);
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  float part1[3][4];
  fs_fetch(part1, w1, (fs_index)blockIdx.x * 32 + lane * 4, slice, 64,
      (fs_index)gridDim.x, 4096, 0);
  for (fs_index unit = blockIdx.x; unit < 128; unit += gridDim.x) {
    const fs_index x = unit * 32 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 32 && j < 4096;
    float sum1[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum1[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum1, part1);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_add, 1>(sum1, w1, at, slice, (fs_index)gridDim.x, 64,
          4096);
    }
    float x1 = 0;
    x1 = fs_slices<fs_add, 8>(sum1, (float *)scratch, 512, x1);
    if (own) {
      const float v1 = x1;
      fs_put(a1[j], v1);
    }
  }
}
