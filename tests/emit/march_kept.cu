==== h200
> code: cuda
# k1 row
launch: 256 threads, at most 5001 blocks, 3 a unit, bounds for 3
shared: 65536 B; workspace 256 B and 4096 B a block, 256 B of zeros; waits; cooperative
slots: 0 1
// sum(A, 1)
//
// scheme row; 40001 rows of 1024; 256 threads; 4 lanes x 1 vector; 8 rows at once; ring of 16 rows
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 3;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 8;
constexpr fs_index FS_M = 40001;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// cache.cuh: fs_cache_stays fs_cache_passes
// reduce.cuh: fs_add fs_across fs_add_parts fs_slices
// barrier.cuh: fs_after_kernels fs_grid_barrier
// bulk.cuh: FS_RING fs_shared_address fs_bulk_init fs_bulk_expect fs_bulk_copy fs_bulk_copy fs_bulk_wait
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  float *const w1 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const unsigned long long stays = fs_cache_stays();
  const unsigned long long passes = fs_cache_passes();
  FS_RING(ring);
  __shared__ unsigned long long ready[2];
  if (threadIdx.x == 0) fs_bulk_init(ready, 2);
  __syncthreads();
#pragma unroll 1
  for (int s = 0; s < 2; s++) {
    const fs_index row = (fs_index)blockIdx.x * FS_ROWS + s *
        (fs_index)gridDim.x * FS_ROWS;
    if (threadIdx.x == 0 && row < 40001) {
      const int rows = FS_M - row < FS_ROWS ? FS_M - row : FS_ROWS;
      fs_bulk_expect(&ready[s], rows * 4096);
      for (int b = 0; b < rows; b++) {
        fs_bulk_copy(ring + s * 32768 + b * 4096, a0 + (row + b) * 1024, 4096,
            &ready[s], (row + b) < 4608 ? stays : passes);
      }
    }
  }
  int stage = 0;
  unsigned wave = 0;
  float r1[4] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const unsigned char *const slot = ring + stage * 32768;
    fs_bulk_wait(&ready[stage], wave);
    float v0[8][4] = {};
    {
      const fs_index j = t * 4;
#pragma unroll
      for (int b = 0; b < 8; b++) {
        const fs_index i = first + b;
        const bool ok = i < 40001;
        if (ok) {
          fs_load(v0[b], (const float *)(slot + b * 4096) + j);
        }
      }
    }
    {
      const fs_index j = t * 4;
#pragma unroll
      for (int b = 0; b < 8; b++) {
        const fs_index i = first + b;
        const bool ok = i < 40001;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          if (ok) r1[e] = r1[e] + v0[b][e];
        }
      }
    }
    __syncthreads();
    if (threadIdx.x == 0 && first + 2 * (fs_index)gridDim.x * FS_ROWS < 40001) {
      const fs_index row = first + 2 * (fs_index)gridDim.x * FS_ROWS;
      const int rows = FS_M - row < FS_ROWS ? FS_M - row : FS_ROWS;
      fs_bulk_expect(&ready[stage], rows * 4096);
      for (int b = 0; b < rows; b++) {
        fs_bulk_copy(ring + stage * 32768 + b * 4096, a0 + (row + b) * 1024,
            4096, &ready[stage], (row + b) < 4608 ? stays : passes);
      }
    }
    if (++stage == 2) {
      stage = 0;
      wave ^= 1;
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
  {
    const fs_index j = t * 4;
    fs_store(w1 + part * 1024 + j, r1);
  }
  fs_grid_barrier(counters);
  for (fs_index unit = blockIdx.x; unit < 32; unit += gridDim.x) {
    const int lane = threadIdx.x % 8;
    const int slice = threadIdx.x / 8;
    const fs_index at = unit * 32 + lane * 4;
    const fs_index x = unit * 32 + threadIdx.x;
    float sum1[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum1[e] = 0;
    }
    fs_add_parts<fs_add, 4>(sum1, w1, at, slice, (fs_index)gridDim.x, 32, 1024);
    float x1 = 0;
    x1 = fs_slices<fs_add, 8>(sum1, (float *)scratch, 256, x1);
    if (threadIdx.x < 32) {
      const fs_index j = x;
      if (j < 1024) {
        const float v1 = x1;
        fs_put(a1[j], v1);
      }
    }
  }
}
# k2 flat
launch: 256 threads, at most 40001 blocks, each once, 16 waves of 8 pieces, bounds for 7
shared: 0 B; waits; lasts
slots: 0 1 2
// D = A + sum(A, 1)
//
// scheme flat; 40961024 elements; 256 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 7;
constexpr fs_index FS_TILES = 40001;

// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_store
// cache.cuh: fs_cache_lasts fs_words_by fs_load_by
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x;
  const unsigned long long lasts = fs_cache_lasts();
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0[4];
    float v1[4];
    {
      const fs_index g = tile * 256 + t;
      const fs_index j0 = g / 256;
      const fs_index j1 = g % 256 * 4;
      fs_load_by(v0, a0 + (j0 * 1024 + j1), lasts);
      fs_load_by(v1, a1 + j1, lasts);
    }
    {
      const fs_index g = tile * 256 + t;
      const fs_index j0 = g / 256;
      const fs_index j1 = g % 256 * 4;
      float v2[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v2[e] = v0[e] + v1[e];
      }
      fs_store(a2 + (j0 * 1024 + j1), v2);
    }
  }
}
