==== h200
k1 runs with scheme row when the block comes again: ~0.200 ms, not ~0.199 ms
> code: cuda
# k1 row
launch: 256 threads, at most 32768 blocks, each once, bounds for 3
shared: 0 B; waits; lasts
slots: 0 1 2
// B = A .* u
//
// scheme row, in strips; 16384 rows of 8192; 256 threads; 4 lanes x 1 vector; 4 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 3;
constexpr fs_index FS_STRIPS = 8;
constexpr fs_index FS_PARTS_MOST = 4096;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 4;
constexpr fs_index FS_M = 16384;

// memory.cuh: fs_from_bf16 fs_to_bf16 fs_get fs_put fs_bf16 fs_pack fs_values fs_bf16 fs_load fs_store
// cache.cuh: fs_cache_lasts fs_words_by fs_load_by
// reduce.cuh: fs_parts
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const fs_bf16 *const a1 = (const fs_bf16 *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  const unsigned long long lasts = fs_cache_lasts();
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      float v0[4];
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + b;
        v0[b] = fs_get(a0[i]);
      }
      float v1[4][4];
      {
        const fs_index j = (strip * 256 + t) * 4;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + b;
          fs_load_by(v1[b], a1 + (i * 8192 + j), lasts);
        }
      }
      {
        const fs_index j = (strip * 256 + t) * 4;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + b;
          float v3[4];
#pragma unroll
          for (int e = 0; e < 4; e++) {
            const float v2 = v1[b][e];
            v3[e] = v0[b] * v2;
          }
          fs_store(a2 + (i * 8192 + j), v3);
        }
      }
    }
  }
}
