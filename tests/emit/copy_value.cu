==== h200
> code: cuda
# k1 tile
launch: 256 threads, at most 256 blocks, each once, bounds for 4
shared: 0 B; waits
slots: 0 1; params: 0 float
// A[1001:2000, 2001:3000]' + 1
//
// scheme tile, turned in registers; 1000 rows of 1000; 256 threads, 8 on a row; 4 lanes x 1 vector; 128 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
constexpr fs_index FS_STRIPS = 32;
constexpr fs_index FS_PARTS_MOST = 8;
constexpr int FS_ROW_THREADS = 8, FS_ROWS = 128;
constexpr fs_index FS_M = 1000;

// memory.cuh: fs_get fs_put fs_pack fs_load_turned fs_store
// reduce.cuh: fs_parts
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  const float v0 = (float)p0;
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      float v1[4][4] = {};
      {
        const fs_index j = (strip * 8 + t) * 4;
        const bool in = j < 1000;
        {
          const fs_index i = first + sub * 4;
          if (i < 1000 && in) fs_load_turned(v1, a0 + (i + j * 4000),
              (fs_index)4000);
        }
      }
      {
        const fs_index j = (strip * 8 + t) * 4;
        const bool in = j < 1000;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (sub * 4 + b);
          const bool ok = i < 1000;
          float v2[4];
#pragma unroll
          for (int e = 0; e < 4; e++) {
            v2[e] = v0 + v1[b][e];
          }
          if (ok && in) fs_store(a1 + (i * 1024 + j), v2);
        }
      }
    }
  }
}
# k2 flat
launch: 256 threads, at most 11719 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits; lasts
slots: 2 3
// copy before A[1001:2000, 2001:3000] = A[1001:2000, 2001:3000]' + 1
//
// scheme flat; 12000000 elements; 256 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 11719;

// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_store
// cache.cuh: fs_cache_lasts fs_words_by fs_load_by
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x;
  const unsigned long long lasts = fs_cache_lasts();
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0[4] = {};
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 12000000;
      if (in) fs_load_by(v0, a0 + j, lasts);
    }
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 12000000;
      if (in) fs_store(a1 + j, v0);
    }
  }
}
# k3 flat
launch: 256 threads, at most 977 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits
slots: 1 4
// A[1001:2000, 2001:3000] = A[1001:2000, 2001:3000]' + 1
//
// scheme flat; 1000000 elements; 256 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 977;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0[4] = {};
    {
      const fs_index g = tile * 256 + t;
      const fs_index j0 = g / 250;
      const fs_index j1 = g % 250 * 4;
      const bool in = g < 250000;
      if (in) fs_load(v0, a0 + (j0 * 1024 + j1));
    }
    {
      const fs_index g = tile * 256 + t;
      const fs_index j0 = g / 250;
      const fs_index j1 = g % 250 * 4;
      const bool in = g < 250000;
      if (in) fs_store(a1 + (j0 * 4000 + j1), v0);
    }
  }
}
