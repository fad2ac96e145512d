==== h200
> code: cuda
# k1 row
launch: 256 threads, at most 1024 blocks, 1 a unit, bounds for 1
shared: 196608 B; workspace 512 B and 16384 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2 3
typedef int fs_index;

// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_store
// cache.cuh: fs_cache_stays fs_cache_passes fs_words_by fs_load_by
// reduce.cuh: fs_add fs_lanes fs_warp fs_across fs_fold fs_add_parts fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_after_kernels fs_grid_barrier
// bulk.cuh: FS_RING fs_shared_address fs_bulk_init fs_bulk_expect fs_bulk_copy fs_bulk_copy fs_bulk_wait
// phase 1 of the launch
// v = sum(A, 2); w = A'*v
//
// scheme row; 4096 rows of 4096; 256 threads; 4 lanes x 4 vectors; 4 rows at once; ring of 12 rows
namespace phase1 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 4;
constexpr fs_index FS_M = 4096;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *work, unsigned *counters
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  float *const a2 = (float *)s2;
  float *const w2 = (float *)((char *)work + 256);
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  __shared__ float part1[2][4][8];
  int turn = 0;
  const unsigned long long stays = fs_cache_stays();
  const unsigned long long passes = fs_cache_passes();
  FS_RING(ring);
  __shared__ unsigned long long ready[3];
  if (threadIdx.x == 0) fs_bulk_init(ready, 3);
  __syncthreads();
#pragma unroll 1
  for (int s = 0; s < 3; s++) {
    const fs_index row = (fs_index)blockIdx.x * FS_ROWS + s *
        (fs_index)gridDim.x * FS_ROWS;
    if (threadIdx.x == 0 && row < 4096) {
      fs_bulk_expect(&ready[s], FS_ROWS * 16384);
      for (int b = 0; b < FS_ROWS; b++) {
        fs_bulk_copy(ring + s * 65536 + b * 16384, a0 + (row + b) * 4096, 16384,
            &ready[s], (row + b) < 1728 ? stays : passes);
      }
    }
  }
  int stage = 0;
  unsigned wave = 0;
  float r2[4][4] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const unsigned char *const slot = ring + stage * 65536;
    fs_bulk_wait(&ready[stage], wave);
    float r1[4][4] = {};
    float v0[4][4][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + b;
        fs_load(v0[b][c], (const float *)(slot + b * 16384) + j);
      }
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + b;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          r1[b][e] = r1[b][e] + v0[b][c][e];
        }
      }
    }
    float v1[4];
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r1[b]));
      if (threadIdx.x % 32 == 0) part1[turn][b][threadIdx.x / 32] = x;
    }
    __syncthreads();
    if (threadIdx.x == 0 && first + 3 * (fs_index)gridDim.x * FS_ROWS < 4096) {
      const fs_index row = first + 3 * (fs_index)gridDim.x * FS_ROWS;
      fs_bulk_expect(&ready[stage], FS_ROWS * 16384);
      for (int b = 0; b < FS_ROWS; b++) {
        fs_bulk_copy(ring + stage * 65536 + b * 16384, a0 + (row + b) * 4096,
            16384, &ready[stage], (row + b) < 1728 ? stays : passes);
      }
    }
#pragma unroll
    for (int b = 0; b < 4; b++) {
      v1[b] = fs_fold<fs_add, 8>(part1[turn][b]);
    }
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_index i = first + b;
      if (t == 0) fs_put(a1[i], v1[b]);
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + b;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          r2[c][e] = fmaf(v0[b][c][e], v1[b], r2[c][e]);
        }
      }
    }
    if (++stage == 3) {
      stage = 0;
      wave ^= 1;
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
#pragma unroll
  for (int c = 0; c < 4; c++) {
    const fs_index j = (c * 256 + t) * 4;
    fs_store(w2 + part * 4096 + j, r2[c]);
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  float part2[5][4];
  fs_fetch(part2, w2, (fs_index)blockIdx.x * 32 + lane * 4, slice, 32,
      (fs_index)gridDim.x, 4096, 0);
  for (fs_index unit = blockIdx.x; unit < 128; unit += gridDim.x) {
    const fs_index x = unit * 32 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 32 && j < 4096;
    float sum2[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum2[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum2, part2);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_add, 1>(sum2, w2, at, slice, (fs_index)gridDim.x, 32,
          4096);
    }
    float x2 = 0;
    x2 = fs_slices<fs_add, 8>(sum2, (float *)scratch, 256, x2);
    if (own) {
      const float v2 = x2;
      fs_put(a2[j], v2);
    }
  }
}
}  // namespace phase1

// phase 2 of the launch, behind a barrier
// u = A*w
//
// scheme row; 4096 rows of 4096; 256 threads; 4 lanes x 4 vectors; 4 rows at once
namespace phase2 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 4;
constexpr fs_index FS_M = 4096;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  __shared__ float part2[2][4][8];
  int turn = 0;
  const unsigned long long stays = fs_cache_stays();
  const unsigned long long passes = fs_cache_passes();
  float v1[4][4];
#pragma unroll
  for (int c = 0; c < 4; c++) {
    const fs_index j = (c * 256 + t) * 4;
    fs_load(v1[c], a1 + j);
  }
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float r2[4][4] = {};
    float v0[4][4][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + b;
        fs_load_by(v0[b][c], a0 + (i * 4096 + j), i < 2304 ? stays : passes);
      }
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 4;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + b;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          r2[b][e] = fmaf(v0[b][c][e], v1[c][e], r2[b][e]);
        }
      }
    }
    float v2[4] = {};
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r2[b]));
      if (threadIdx.x % 32 == 0) part2[turn][b][threadIdx.x / 32] = x;
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll
      for (int b = 0; b < 4; b++) {
        v2[b] = fs_fold<fs_add, 8>(part2[turn][b]);
      }
    }
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_index i = first + b;
      if (t == 0) fs_put(a2[i], v2[b]);
    }
  }
}
}  // namespace phase2

extern "C" __global__ void __launch_bounds__(256, 1)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *work
) {
  fs_after_kernels();
  unsigned *const counters = (unsigned *)work;
  phase1::fs_kernel(s0, s1, s2, (char *)work + 256, counters);
  fs_grid_barrier(counters);
  phase2::fs_kernel(s0, s2, s3);
}
# k2 row
it is a phase of the launch before it
