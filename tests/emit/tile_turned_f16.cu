==== h200
> code: cuda
# k1 tile
launch: 256 threads, at most 2048 blocks, each once, bounds for 2
shared: 0 B; waits; lasts
slots: 0 1 2
// B = A' + C
//
// scheme tile, turned in registers; 4096 rows of 4096; 256 threads, 8 on a row; 8 lanes x 1 vector; 128 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr fs_index FS_STRIPS = 64;
constexpr fs_index FS_PARTS_MOST = 32;
constexpr int FS_ROW_THREADS = 8, FS_ROWS = 128;
constexpr fs_index FS_M = 4096;

// memory.cuh: fs_from_f16 fs_to_f16 fs_round_f16 fs_get fs_put fs_f16 fs_pack fs_values fs_load fs_load_turned fs_store
// cache.cuh: fs_cache_lasts fs_words_by fs_load_by
// reduce.cuh: fs_parts
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2
) {
  fs_after_kernels();
  const fs_f16 *const a0 = (const fs_f16 *)s0;
  const fs_f16 *const a1 = (const fs_f16 *)s1;
  fs_f16 *const a2 = (fs_f16 *)s2;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  const unsigned long long lasts = fs_cache_lasts();
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      float v0[4][8];
      float v1[4][8];
      {
        const fs_index j = (strip * 8 + t) * 8;
        {
          const fs_index i = first + sub * 4;
          fs_load_turned(v0, a0 + (i + j * 4096), (fs_index)4096);
        }
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (sub * 4 + b);
          fs_load_by(v1[b], a1 + (i * 4096 + j), lasts);
        }
      }
      {
        const fs_index j = (strip * 8 + t) * 8;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (sub * 4 + b);
          float v2[8];
#pragma unroll
          for (int e = 0; e < 8; e++) {
            v2[e] = fs_round_f16(v0[b][e] + v1[b][e]);
          }
          fs_store(a2 + (i * 4096 + j), v2);
        }
      }
    }
  }
}
