==== h200
> code: cuda
# k1 row
launch: 256 threads, at most 2048 blocks, 1 a unit, bounds for 1
shared: 196608 B; workspace 256 B and 32768 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 3 2 4
// q = A*p; s = A'*r
//
// scheme row; 8192 rows of 8192; 256 threads; 8 lanes x 4 vectors; 4 rows at once; ring of 12 rows
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 4;
constexpr fs_index FS_M = 8192;

// memory.cuh: fs_from_bf16 fs_to_bf16 fs_round_bf16 fs_get fs_put fs_bf16 fs_pack fs_values fs_bf16 fs_load fs_store
// cache.cuh: fs_cache_stays fs_cache_passes
// reduce.cuh: fs_add fs_lanes fs_warp fs_across fs_fold fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_after_kernels fs_grid_barrier
// bulk.cuh: FS_RING fs_shared_address fs_bulk_init fs_bulk_expect fs_bulk_copy fs_bulk_copy fs_bulk_wait
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *work
) {
  fs_after_kernels();
  const fs_bf16 *const a0 = (const fs_bf16 *)s0;
  const fs_bf16 *const a1 = (const fs_bf16 *)s1;
  const fs_bf16 *const a3 = (const fs_bf16 *)s2;
  fs_bf16 *const a2 = (fs_bf16 *)s3;
  fs_bf16 *const a4 = (fs_bf16 *)s4;
  float *const w4 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  __shared__ float part2[2][4][8];
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
    if (threadIdx.x == 0 && row < 8192) {
      fs_bulk_expect(&ready[s], FS_ROWS * 16384);
      for (int b = 0; b < FS_ROWS; b++) {
        fs_bulk_copy(ring + s * 65536 + b * 16384, a0 + (row + b) * 8192, 16384,
            &ready[s], (row + b) < 1152 ? stays : passes);
      }
    }
  }
  int stage = 0;
  unsigned wave = 0;
  float v1[4][8];
#pragma unroll
  for (int c = 0; c < 4; c++) {
    const fs_index j = (c * 256 + t) * 8;
    fs_load(v1[c], a1 + j);
  }
  float r4[4][8] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float v3[4];
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_index i = first + b;
      v3[b] = fs_get(a3[i]);
    }
    const unsigned char *const slot = ring + stage * 65536;
    fs_bulk_wait(&ready[stage], wave);
    float r2[4][8] = {};
    float v0[4][4][8];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 8;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + b;
        fs_load(v0[b][c], (const fs_bf16 *)(slot + b * 16384) + j);
      }
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 8;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + b;
#pragma unroll
        for (int e = 0; e < 8; e++) {
          r2[b][e] = fmaf(v0[b][c][e], v1[c][e], r2[b][e]);
          r4[c][e] = fmaf(v0[b][c][e], v3[b], r4[c][e]);
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
    if (threadIdx.x == 0 && first + 3 * (fs_index)gridDim.x * FS_ROWS < 8192) {
      const fs_index row = first + 3 * (fs_index)gridDim.x * FS_ROWS;
      fs_bulk_expect(&ready[stage], FS_ROWS * 16384);
      for (int b = 0; b < FS_ROWS; b++) {
        fs_bulk_copy(ring + stage * 65536 + b * 16384, a0 + (row + b) * 8192,
            16384, &ready[stage], (row + b) < 1152 ? stays : passes);
      }
    }
    if (t < 32) {
#pragma unroll
      for (int b = 0; b < 4; b++) {
        v2[b] = fs_round_bf16(fs_fold<fs_add, 8>(part2[turn][b]));
      }
    }
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_index i = first + b;
      if (t == 0) fs_put(a2[i], v2[b]);
    }
    if (++stage == 3) {
      stage = 0;
      wave ^= 1;
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
#pragma unroll
  for (int c = 0; c < 4; c++) {
    const fs_index j = (c * 256 + t) * 8;
    fs_store(w4 + part * 8192 + j, r4[c]);
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  float part4[5][4];
  fs_fetch(part4, w4, (fs_index)blockIdx.x * 32 + lane * 4, slice, 32,
      (fs_index)gridDim.x, 8192, 0);
  for (fs_index unit = blockIdx.x; unit < 256; unit += gridDim.x) {
    const fs_index x = unit * 32 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 32 && j < 8192;
    float sum4[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum4[e] = 0;
    }
    fs_add_fetched<fs_add>(sum4, part4);
    fs_fetch(part4, w4, (unit + gridDim.x) * 32 + lane * 4, slice, 32,
        (fs_index)gridDim.x, 8192, 0);
    float x4 = 0;
    x4 = fs_slices<fs_add, 8>(sum4, (float *)scratch, 256, x4);
    if (own) {
      const float v4 = fs_round_bf16(x4);
      fs_put(a4[j], v4);
    }
  }
}
==== h100
> code: cuda
# k1 row
launch: 256 threads, at most 2048 blocks, 1 a unit, bounds for 1
shared: 196608 B; workspace 256 B and 32768 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 3 2 4
// q = A*p; s = A'*r
//
// scheme row; 8192 rows of 8192; 256 threads; 8 lanes x 4 vectors; 4 rows at once; ring of 12 rows
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 4;
constexpr fs_index FS_M = 8192;

// memory.cuh: fs_from_bf16 fs_to_bf16 fs_round_bf16 fs_get fs_put fs_bf16 fs_pack fs_values fs_bf16 fs_load fs_store
// cache.cuh: fs_cache_stays fs_cache_passes
// reduce.cuh: fs_add fs_lanes fs_warp fs_across fs_fold fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_after_kernels fs_grid_barrier
// bulk.cuh: FS_RING fs_shared_address fs_bulk_init fs_bulk_expect fs_bulk_copy fs_bulk_copy fs_bulk_wait
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *work
) {
  fs_after_kernels();
  const fs_bf16 *const a0 = (const fs_bf16 *)s0;
  const fs_bf16 *const a1 = (const fs_bf16 *)s1;
  const fs_bf16 *const a3 = (const fs_bf16 *)s2;
  fs_bf16 *const a2 = (fs_bf16 *)s3;
  fs_bf16 *const a4 = (fs_bf16 *)s4;
  float *const w4 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  __shared__ float part2[2][4][8];
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
    if (threadIdx.x == 0 && row < 8192) {
      fs_bulk_expect(&ready[s], FS_ROWS * 16384);
      for (int b = 0; b < FS_ROWS; b++) {
        fs_bulk_copy(ring + s * 65536 + b * 16384, a0 + (row + b) * 8192, 16384,
            &ready[s], (row + b) < 960 ? stays : passes);
      }
    }
  }
  int stage = 0;
  unsigned wave = 0;
  float v1[4][8];
#pragma unroll
  for (int c = 0; c < 4; c++) {
    const fs_index j = (c * 256 + t) * 8;
    fs_load(v1[c], a1 + j);
  }
  float r4[4][8] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float v3[4];
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_index i = first + b;
      v3[b] = fs_get(a3[i]);
    }
    const unsigned char *const slot = ring + stage * 65536;
    fs_bulk_wait(&ready[stage], wave);
    float r2[4][8] = {};
    float v0[4][4][8];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 8;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + b;
        fs_load(v0[b][c], (const fs_bf16 *)(slot + b * 16384) + j);
      }
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 256 + t) * 8;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + b;
#pragma unroll
        for (int e = 0; e < 8; e++) {
          r2[b][e] = fmaf(v0[b][c][e], v1[c][e], r2[b][e]);
          r4[c][e] = fmaf(v0[b][c][e], v3[b], r4[c][e]);
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
    if (threadIdx.x == 0 && first + 3 * (fs_index)gridDim.x * FS_ROWS < 8192) {
      const fs_index row = first + 3 * (fs_index)gridDim.x * FS_ROWS;
      fs_bulk_expect(&ready[stage], FS_ROWS * 16384);
      for (int b = 0; b < FS_ROWS; b++) {
        fs_bulk_copy(ring + stage * 65536 + b * 16384, a0 + (row + b) * 8192,
            16384, &ready[stage], (row + b) < 960 ? stays : passes);
      }
    }
    if (t < 32) {
#pragma unroll
      for (int b = 0; b < 4; b++) {
        v2[b] = fs_round_bf16(fs_fold<fs_add, 8>(part2[turn][b]));
      }
    }
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_index i = first + b;
      if (t == 0) fs_put(a2[i], v2[b]);
    }
    if (++stage == 3) {
      stage = 0;
      wave ^= 1;
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
#pragma unroll
  for (int c = 0; c < 4; c++) {
    const fs_index j = (c * 256 + t) * 8;
    fs_store(w4 + part * 8192 + j, r4[c]);
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  float part4[5][4];
  fs_fetch(part4, w4, (fs_index)blockIdx.x * 32 + lane * 4, slice, 32,
      (fs_index)gridDim.x, 8192, 0);
  for (fs_index unit = blockIdx.x; unit < 256; unit += gridDim.x) {
    const fs_index x = unit * 32 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 32 && j < 8192;
    float sum4[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum4[e] = 0;
    }
    fs_add_fetched<fs_add>(sum4, part4);
    fs_fetch(part4, w4, (unit + gridDim.x) * 32 + lane * 4, slice, 32,
        (fs_index)gridDim.x, 8192, 0);
    float x4 = 0;
    x4 = fs_slices<fs_add, 8>(sum4, (float *)scratch, 256, x4);
    if (own) {
      const float v4 = fs_round_bf16(x4);
      fs_put(a4[j], v4);
    }
  }
}
==== a100
> code: cuda
# k1 row
launch: 512 threads, at most 2048 blocks, 1 a unit, bounds for 1
shared: 0 B; workspace 256 B and 32768 B a block, 256 B of zeros; cooperative
slots: 0 1 3 2 4
// q = A*p; s = A'*r
//
// scheme row; 8192 rows of 8192; 512 threads; 8 lanes x 2 vectors; 4 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 512, FS_ROWS = 4;
constexpr fs_index FS_M = 8192;

// memory.cuh: fs_from_bf16 fs_to_bf16 fs_round_bf16 fs_get fs_put fs_bf16 fs_pack fs_values fs_bf16 fs_load fs_store
// reduce.cuh: fs_add fs_lanes fs_warp fs_across fs_fold fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *work
) {
  const fs_bf16 *const a0 = (const fs_bf16 *)s0;
  const fs_bf16 *const a1 = (const fs_bf16 *)s1;
  const fs_bf16 *const a3 = (const fs_bf16 *)s2;
  fs_bf16 *const a2 = (fs_bf16 *)s3;
  fs_bf16 *const a4 = (fs_bf16 *)s4;
  float *const w4 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[1024];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  __shared__ float part2[2][4][16];
  int turn = 0;
  float v1[2][8];
#pragma unroll
  for (int c = 0; c < 2; c++) {
    const fs_index j = (c * 512 + t) * 8;
    fs_load(v1[c], a1 + j);
  }
  float r4[2][8] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float v3[4];
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_index i = first + b;
      v3[b] = fs_get(a3[i]);
    }
    float r2[4][8] = {};
    float v0[4][2][8];
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 512 + t) * 8;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + b;
        fs_load(v0[b][c], a0 + (i * 8192 + j));
      }
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 512 + t) * 8;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + b;
#pragma unroll
        for (int e = 0; e < 8; e++) {
          r2[b][e] = fmaf(v0[b][c][e], v1[c][e], r2[b][e]);
          r4[c][e] = fmaf(v0[b][c][e], v3[b], r4[c][e]);
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
        v2[b] = fs_round_bf16(fs_fold<fs_add, 16>(part2[turn][b]));
      }
    }
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_index i = first + b;
      if (t == 0) fs_put(a2[i], v2[b]);
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
#pragma unroll
  for (int c = 0; c < 2; c++) {
    const fs_index j = (c * 512 + t) * 8;
    fs_store(w4 + part * 8192 + j, r4[c]);
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 16;
  const int slice = threadIdx.x / 16;
  float part4[4][4];
  fs_fetch(part4, w4, (fs_index)blockIdx.x * 64 + lane * 4, slice, 32,
      (fs_index)gridDim.x, 8192, 0);
  for (fs_index unit = blockIdx.x; unit < 128; unit += gridDim.x) {
    const fs_index x = unit * 64 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 64 && j < 8192;
    float sum4[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum4[e] = 0;
    }
    fs_add_fetched<fs_add>(sum4, part4);
    fs_fetch(part4, w4, (unit + gridDim.x) * 64 + lane * 4, slice, 32,
        (fs_index)gridDim.x, 8192, 0);
    float x4 = 0;
    x4 = fs_slices<fs_add, 16>(sum4, (float *)scratch, 512, x4);
    if (own) {
      const float v4 = fs_round_bf16(x4);
      fs_put(a4[j], v4);
    }
  }
}
