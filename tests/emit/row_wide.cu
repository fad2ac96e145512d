==== h200
> code: cuda
# k1 row
launch: 256 threads, at most 40000 blocks, bounds for 2
shared: 0 B; waits
slots: 0 1
// s = sum(A, 2)
//
// scheme row, in chunks; 40000 rows of 60000; 256 threads; 8 lanes x 4 vectors
typedef long long fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 1;
constexpr fs_index FS_M = 40000;

// memory.cuh: fs_from_f16 fs_to_f16 fs_round_f16 fs_get fs_put fs_f16 fs_pack fs_values fs_load
// cache.cuh: fs_cache_stays fs_cache_passes fs_words_by fs_load_by
// reduce.cuh: fs_add fs_lanes fs_warp fs_fold
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1
) {
  fs_after_kernels();
  const fs_f16 *const a0 = (const fs_f16 *)s0;
  fs_f16 *const a1 = (fs_f16 *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  __shared__ float part1[2][8];
  int turn = 0;
  const unsigned long long stays = fs_cache_stays();
  const unsigned long long passes = fs_cache_passes();
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first;
    float r1[8] = {};
    for (fs_index h = 0; h < 8; h++) {
      float v0[4][8] = {};
#pragma unroll
      for (int c = 0; c < 4; c++) {
        const fs_index j = (h * 1024 + (c * 256 + t)) * 8;
        const bool in = j < 60000;
        if (in) fs_load_by(v0[c], a0 + (i * 60032 + j), i < 314 ? stays :
            passes);
      }
#pragma unroll
      for (int c = 0; c < 4; c++) {
        const fs_index j = (h * 1024 + (c * 256 + t)) * 8;
        const bool in = j < 60000;
#pragma unroll
        for (int e = 0; e < 8; e++) {
          if (in) r1[e] = r1[e] + v0[c][e];
        }
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r1));
      if (threadIdx.x % 32 == 0) part1[turn][threadIdx.x / 32] = x;
    }
    __syncthreads();
    const float v1 = fs_round_f16(fs_fold<fs_add, 8>(part1[turn]));
    turn ^= 1;  // the next sums go beside these
    if (t == 0) fs_put(a1[i], v1);
  }
}
==== a100
> code: cuda
# k1 row
launch: 256 threads, at most 40000 blocks, bounds for 2
shared: 0 B
slots: 0 1
// s = sum(A, 2)
//
// scheme row, in chunks; 40000 rows of 60000; 256 threads; 8 lanes x 4 vectors
typedef long long fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 1;
constexpr fs_index FS_M = 40000;

// memory.cuh: fs_from_f16 fs_to_f16 fs_round_f16 fs_get fs_put fs_f16 fs_pack fs_load
// reduce.cuh: fs_add fs_lanes fs_warp fs_fold
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1
) {
  const fs_f16 *const a0 = (const fs_f16 *)s0;
  fs_f16 *const a1 = (fs_f16 *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  __shared__ float part1[2][8];
  int turn = 0;
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first;
    float r1[8] = {};
    for (fs_index h = 0; h < 8; h++) {
      float v0[4][8] = {};
#pragma unroll
      for (int c = 0; c < 4; c++) {
        const fs_index j = (h * 1024 + (c * 256 + t)) * 8;
        const bool in = j < 60000;
        if (in) fs_load(v0[c], a0 + (i * 60032 + j));
      }
#pragma unroll
      for (int c = 0; c < 4; c++) {
        const fs_index j = (h * 1024 + (c * 256 + t)) * 8;
        const bool in = j < 60000;
#pragma unroll
        for (int e = 0; e < 8; e++) {
          if (in) r1[e] = r1[e] + v0[c][e];
        }
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r1));
      if (threadIdx.x % 32 == 0) part1[turn][threadIdx.x / 32] = x;
    }
    __syncthreads();
    const float v1 = fs_round_f16(fs_fold<fs_add, 8>(part1[turn]));
    turn ^= 1;  // the next sums go beside these
    if (t == 0) fs_put(a1[i], v1);
  }
}
