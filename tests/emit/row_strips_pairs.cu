==== h200
k1 runs with scheme row when the block comes again: ~98.9 µs, not ~95.0 µs
> code: cuda
# k1 row
launch: 256 threads, at most 8192 blocks, each once, bounds for 3
shared: 0 B; waits; lasts
slots: 0 1 2 3
// B = A .* C - u'
//
// scheme row, in strips; 8192 rows of 8192; 256 threads; 8 lanes x 1 vector; 4 rows at once, in pairs
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 3;
constexpr fs_index FS_STRIPS = 4;
constexpr fs_index FS_PARTS_MOST = 2048;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 4;
constexpr fs_index FS_M = 8192;

// memory.cuh: fs_from_f16 fs_to_f16 fs_from_bf16 fs_to_bf16 fs_get fs_put fs_f16 fs_bf16 fs_pack fs_values fs_bf16 fs_load fs_load_shifted fs_load_spaced fs_load_if fs_words_some fs_load_first fs_load_some fs_load_apart fs_store fs_store_some fs_store_apart
// cache.cuh: fs_cache_lasts fs_words_by fs_load_by
// pairs.cuh: fs_pair fs_load_pairs_by
// reduce.cuh: fs_parts
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3
) {
  fs_after_kernels();
  const fs_bf16 *const a0 = (const fs_bf16 *)s0;
  const fs_bf16 *const a1 = (const fs_bf16 *)s1;
  const fs_bf16 *const a2 = (const fs_bf16 *)s2;
  fs_bf16 *const a3 = (fs_bf16 *)s3;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  const unsigned long long lasts = fs_cache_lasts();
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    fs_pair<fs_bf16> v3[4];
    {
      const fs_index j = (strip * 256 + t) * 8;
      fs_load(v3, a2 + j);
    }
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      fs_pair<fs_bf16> v0[4][4];
      fs_pair<fs_bf16> v1[4][4];
      {
        const fs_index j = (strip * 256 + t) * 8;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + b;
          fs_load_pairs_by(v0[b], a0 + (i * 8192 + j), lasts);
        }
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + b;
          fs_load_pairs_by(v1[b], a1 + (i * 8192 + j), lasts);
        }
      }
      {
        const fs_index j = (strip * 256 + t) * 8;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + b;
          fs_pair<fs_bf16> v4[4];
#pragma unroll
          for (int e = 0; e < 4; e++) {
            const fs_pair<fs_bf16> v2 = v0[b][e] * v1[b][e];
            v4[e] = v2 - v3[e];
          }
          fs_store(a3 + (i * 8192 + j), v4);
        }
      }
    }
  }
}
