==== h200
> code: cuda
# k1 tile
launch: 256 threads, at most 4096 blocks, each once, bounds for 3
shared: 0 B; waits; lasts
slots: 0 2
// B = A + A'
//
// scheme tile, turned in registers; 4096 rows of 4096; 256 threads, 8 on a row; 4 lanes x 1 vector; 128 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 3;
constexpr fs_index FS_STRIPS = 128;
constexpr fs_index FS_PARTS_MOST = 32;
constexpr fs_index FS_PIECES = 4096;
constexpr int FS_OF_SQUARE = 4, FS_ABREAST = 4;
constexpr int FS_ROW_THREADS = 8, FS_ROWS = 128;
constexpr fs_index FS_M = 4096;

// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_load_turned fs_store
// cache.cuh: fs_cache_lasts fs_words_by fs_load_by
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s0;
  float *const a2 = (float *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the tile's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // rows among the tile's
  const unsigned long long lasts = fs_cache_lasts();
  for (fs_index work = blockIdx.x; work < FS_PIECES; work += gridDim.x) {
    const int square = work / FS_OF_SQUARE, piece = work % FS_OF_SQUARE;
    const int shell = (int)sqrtf((float)square), place = square - shell * shell;
    const fs_index across = place % 2 ? shell : place / 2;
    const fs_index down = place % 2 ? place / 2 : shell;
    const fs_index strip = across * FS_ABREAST + piece % FS_ABREAST;
    const fs_index first = (down * (FS_OF_SQUARE / FS_ABREAST) +
                            piece / FS_ABREAST) * FS_ROWS;
    if (strip >= FS_STRIPS || first >= FS_M) continue;
    {
      float v0[4][4];
      float v1[4][4];
      {
        const fs_index j = (strip * 8 + t) * 4;
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
        const fs_index j = (strip * 8 + t) * 4;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (sub * 4 + b);
          float v2[4];
#pragma unroll
          for (int e = 0; e < 4; e++) {
            v2[e] = v0[b][e] + v1[b][e];
          }
          fs_store(a2 + (i * 4096 + j), v2);
        }
      }
    }
  }
}
==== a100
> code: cuda
# k1 tile
launch: 256 threads, at most 4096 blocks, each once, bounds for 3
shared: 0 B
slots: 0 2
// B = A + A'
//
// scheme tile, turned in registers; 4096 rows of 4096; 256 threads, 8 on a row; 4 lanes x 1 vector; 128 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 3;
constexpr fs_index FS_STRIPS = 128;
constexpr fs_index FS_PARTS_MOST = 32;
constexpr fs_index FS_PIECES = 4096;
constexpr int FS_OF_SQUARE = 4, FS_ABREAST = 4;
constexpr int FS_ROW_THREADS = 8, FS_ROWS = 128;
constexpr fs_index FS_M = 4096;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_turned fs_store
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s0;
  float *const a2 = (float *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the tile's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // rows among the tile's
  for (fs_index work = blockIdx.x; work < FS_PIECES; work += gridDim.x) {
    const int square = work / FS_OF_SQUARE, piece = work % FS_OF_SQUARE;
    const int shell = (int)sqrtf((float)square), place = square - shell * shell;
    const fs_index across = place % 2 ? shell : place / 2;
    const fs_index down = place % 2 ? place / 2 : shell;
    const fs_index strip = across * FS_ABREAST + piece % FS_ABREAST;
    const fs_index first = (down * (FS_OF_SQUARE / FS_ABREAST) +
                            piece / FS_ABREAST) * FS_ROWS;
    if (strip >= FS_STRIPS || first >= FS_M) continue;
    {
      float v0[4][4];
      float v1[4][4];
      {
        const fs_index j = (strip * 8 + t) * 4;
        {
          const fs_index i = first + sub * 4;
          fs_load_turned(v0, a0 + (i + j * 4096), (fs_index)4096);
        }
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (sub * 4 + b);
          fs_load(v1[b], a1 + (i * 4096 + j));
        }
      }
      {
        const fs_index j = (strip * 8 + t) * 4;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (sub * 4 + b);
          float v2[4];
#pragma unroll
          for (int e = 0; e < 4; e++) {
            v2[e] = v0[b][e] + v1[b][e];
          }
          fs_store(a2 + (i * 4096 + j), v2);
        }
      }
    }
  }
}
