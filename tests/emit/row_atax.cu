==== h200
> code: cuda
# k1 row
launch: 256 threads, at most 600 blocks, 1 a unit, bounds for 1
shared: 196608 B; workspace 256 B and 65536 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2
// y = A'*(A*x)
//
// scheme row; 600 rows of 16384; 256 threads; 4 lanes x 16 vectors; ring of 3 rows
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 1;
constexpr fs_index FS_M = 600;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_lanes fs_warp fs_across fs_fold fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_after_kernels fs_grid_barrier
// bulk.cuh: FS_RING fs_shared_address fs_bulk_init fs_bulk_expect fs_bulk_copy fs_bulk_copy fs_bulk_wait
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  float *const w3 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  __shared__ float part2[2][8];
  int turn = 0;
  FS_RING(ring);
  __shared__ unsigned long long ready[3];
  if (threadIdx.x == 0) fs_bulk_init(ready, 3);
  __syncthreads();
#pragma unroll 1
  for (int s = 0; s < 3; s++) {
    const fs_index row = (fs_index)blockIdx.x + s * (fs_index)gridDim.x;
    if (threadIdx.x == 0 && row < 600) {
      fs_bulk_expect(&ready[s], 65536);
      fs_bulk_copy(ring + s * 65536, a0 + row * 16384, 65536, &ready[s]);
    }
  }
  int stage = 0;
  unsigned wave = 0;
  float v1[16][4];
#pragma unroll
  for (int c = 0; c < 16; c++) {
    const fs_index j = (c * 256 + t) * 4;
    fs_load(v1[c], a1 + j);
  }
  float r3[16][4] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first;
    const unsigned char *const slot = ring + stage * 65536;
    fs_bulk_wait(&ready[stage], wave);
    float r2[4] = {};
    float v0[16][4];
#pragma unroll
    for (int c = 0; c < 16; c++) {
      const fs_index j = (c * 256 + t) * 4;
      fs_load(v0[c], (const float *)slot + j);
    }
#pragma unroll
    for (int c = 0; c < 16; c++) {
      const fs_index j = (c * 256 + t) * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r2[e] = fmaf(v0[c][e], v1[c][e], r2[e]);
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r2));
      if (threadIdx.x % 32 == 0) part2[turn][threadIdx.x / 32] = x;
    }
    __syncthreads();
    if (threadIdx.x == 0 && i + 3 * (fs_index)gridDim.x < 600) {
      const fs_index row = i + 3 * (fs_index)gridDim.x;
      fs_bulk_expect(&ready[stage], 65536);
      fs_bulk_copy(ring + stage * 65536, a0 + row * 16384, 65536,
          &ready[stage]);
    }
    const float v2 = fs_fold<fs_add, 8>(part2[turn]);
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int c = 0; c < 16; c++) {
      const fs_index j = (c * 256 + t) * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r3[c][e] = fmaf(v0[c][e], v2, r3[c][e]);
      }
    }
    if (++stage == 3) {
      stage = 0;
      wave ^= 1;
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
#pragma unroll
  for (int c = 0; c < 16; c++) {
    const fs_index j = (c * 256 + t) * 4;
    fs_store(w3 + part * 16384 + j, r3[c]);
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 16;
  const int slice = threadIdx.x / 16;
  float part3[9][4];
  fs_fetch(part3, w3, (fs_index)blockIdx.x * 64 + lane * 4, slice, 16,
      (fs_index)gridDim.x, 16384, 0);
  for (fs_index unit = blockIdx.x; unit < 256; unit += gridDim.x) {
    const fs_index x = unit * 64 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 64 && j < 16384;
    float sum3[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum3[e] = 0;
    }
    fs_add_fetched<fs_add>(sum3, part3);
    fs_fetch(part3, w3, (unit + gridDim.x) * 64 + lane * 4, slice, 16,
        (fs_index)gridDim.x, 16384, 0);
    float x3 = 0;
    x3 = fs_slices<fs_add, 16>(sum3, (float *)scratch, 256, x3);
    if (own) {
      const float v3 = x3;
      fs_put(a2[j], v3);
    }
  }
}
==== a100
> code: cuda
# k1 row
launch: 512 threads, at most 600 blocks, 1 a unit, bounds for 1
shared: 0 B; workspace 256 B and 65536 B a block, 256 B of zeros; cooperative
slots: 0 1 2
// y = A'*(A*x)
//
// scheme row; 600 rows of 16384; 512 threads; 4 lanes x 8 vectors
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 512, FS_ROWS = 1;
constexpr fs_index FS_M = 600;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_lanes fs_warp fs_across fs_fold fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *work
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  float *const w3 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[1024];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  __shared__ float part2[2][16];
  int turn = 0;
  float n0[8][4] = {};
  {
    const fs_index i = (fs_index)blockIdx.x;
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (c * 512 + t) * 4;
      fs_load(n0[c], a0 + (i * 16384 + j));
    }
  }
  float r3[8][4] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first;
    float r2[4] = {};
    float v0[8][4];
    float v1[8][4];
#pragma unroll
    for (int c = 0; c < 8; c++) {
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v0[c][e] = n0[c][e];
      }
    }
    if (first + (fs_index)gridDim.x < FS_M) {
      const fs_index i = first + (fs_index)gridDim.x;
#pragma unroll
      for (int c = 0; c < 8; c++) {
        const fs_index j = (c * 512 + t) * 4;
        fs_load(n0[c], a0 + (i * 16384 + j));
      }
    }
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (c * 512 + t) * 4;
      fs_load(v1[c], a1 + j);
    }
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (c * 512 + t) * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r2[e] = fmaf(v0[c][e], v1[c][e], r2[e]);
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r2));
      if (threadIdx.x % 32 == 0) part2[turn][threadIdx.x / 32] = x;
    }
    __syncthreads();
    const float v2 = fs_fold<fs_add, 16>(part2[turn]);
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = (c * 512 + t) * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r3[c][e] = fmaf(v0[c][e], v2, r3[c][e]);
      }
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
#pragma unroll
  for (int c = 0; c < 8; c++) {
    const fs_index j = (c * 512 + t) * 4;
    fs_store(w3 + part * 16384 + j, r3[c]);
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 32;
  const int slice = threadIdx.x / 32;
  float part3[7][4];
  fs_fetch(part3, w3, (fs_index)blockIdx.x * 128 + lane * 4, slice, 16,
      (fs_index)gridDim.x, 16384, 0);
  for (fs_index unit = blockIdx.x; unit < 128; unit += gridDim.x) {
    const fs_index x = unit * 128 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 128 && j < 16384;
    float sum3[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum3[e] = 0;
    }
    fs_add_fetched<fs_add>(sum3, part3);
    fs_fetch(part3, w3, (unit + gridDim.x) * 128 + lane * 4, slice, 16,
        (fs_index)gridDim.x, 16384, 0);
    float x3 = 0;
    x3 = fs_slices<fs_add, 32>(sum3, (float *)scratch, 512, x3);
    if (own) {
      const float v3 = x3;
      fs_put(a2[j], v3);
    }
  }
}
