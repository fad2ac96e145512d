==== h200
> code: cuda
# k1 row
launch: 128 threads, at most 4096 blocks, each once, bounds for 4
shared: 0 B; waits; lasts
slots: 0 3; params: 0 int, 1 int, 2 int, 3 int, 4 int, 5 int, 6 int, 7 int, 8 int, 9 int, 10 int, 11 int
// i > 1 && j > 1; for i, j: s += A[i - 1, j - 1]; i < 4096 && j < 4096; for i, j: s += A[i + 1, j + 1]
//
// scheme row, in strips; 4096 rows of 4096; 128 threads; 4 lanes x 1 vector; 8 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 4;
constexpr fs_index FS_STRIPS = 8;
constexpr fs_index FS_PARTS_MOST = 512;
constexpr int FS_ROW_THREADS = 128, FS_ROWS = 8;
constexpr fs_index FS_M = 4096;

// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_load_shifted fs_within fs_load_within fs_store
// cache.cuh: fs_cache_lasts fs_words_by fs_load_by
// reduce.cuh: fs_parts
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, long long p0, long long p1, long long p2, long long p3,
        long long p4, long long p5, long long p6, long long p7, long long p8,
        long long p9, long long p10, long long p11
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s0 - 4097;
  const float *const a2 = (const float *)s0 + 4097;
  float *const a3 = (float *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  const long long v0 = (long long)p0;
  const long long v1 = (long long)p1;
  const long long v3 = (long long)p2;
  const long long v7 = (long long)p3;
  const long long v8 = (long long)p4;
  const long long v10 = (long long)p5;
  const long long v15 = (long long)p6;
  const long long v16 = (long long)p7;
  const long long v18 = (long long)p8;
  const long long v22 = (long long)p9;
  const long long v23 = (long long)p10;
  const long long v25 = (long long)p11;
  const unsigned long long lasts = fs_cache_lasts();
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    bool v13[4];
    bool v21[4];
    {
      const fs_index j = (strip * 128 + t) * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const long long v9 = v7 + v8 * (long long)(j + e);
        const bool v11 = v9 < v10;
        const long long v12 = (long long)v11;
        v13[e] = v12 != 0;
        const long long v17 = v15 + v16 * (long long)(j + e);
        const bool v19 = v17 > v18;
        const long long v20 = (long long)v19;
        v21[e] = v20 != 0;
      }
    }
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      long long v2[8];
      bool v4[8];
      long long v5[8];
      bool v6[8];
      long long v24[8];
      bool v26[8];
      long long v27[8];
      bool v28[8];
#pragma unroll
      for (int b = 0; b < 8; b++) {
        const fs_index i = first + b;
        v2[b] = v0 + v1 * (long long)(i);
        v4[b] = v2[b] < v3;
        v5[b] = (long long)v4[b];
        v6[b] = v5[b] != 0;
        v24[b] = v22 + v23 * (long long)(i);
        v26[b] = v24[b] > v25;
        v27[b] = (long long)v26[b];
        v28[b] = v27[b] != 0;
      }
      {
        const fs_index j = (strip * 128 + t) * 4;
        if (first + 9 <= 4096 && first * 4096 + j >= 4101 && first * 4096 + j <=
            16744439) {
          float v30[8][4];
          float v31[8][4];
          float v34[8][4];
#pragma unroll
          for (int b = 0; b < 8; b++) {
            const fs_index i = first + b;
            fs_load(v30[b], a0 + (i * 4096 + j));
          }
#pragma unroll
          for (int b = 0; b < 8; b++) {
            const fs_index i = first + b;
            fs_load_shifted<3>(v31[b], a1 + (i * 4096 + j));
          }
#pragma unroll
          for (int b = 0; b < 8; b++) {
            const fs_index i = first + b;
            fs_load_shifted<1>(v34[b], a2 + (i * 4096 + j));
          }
#pragma unroll
          for (int b = 0; b < 8; b++) {
            const fs_index i = first + b;
            float v36[4];
#pragma unroll
            for (int e = 0; e < 4; e++) {
              const bool v14 = v6[b] & v13[e];
              const bool v29 = v21[e] & v28[b];
              const float v32 = v30[b][e] + v31[b][e];
              const float v33 = v29 ? v32 : v30[b][e];
              const float v35 = v34[b][e] + v33;
              v36[e] = v14 ? v35 : v33;
            }
            fs_store(a3 + (i * 4096 + j), v36);
          }
        } else {
#pragma unroll 1
          for (int b = 0; b < 8; b++) {
            const fs_index i = first + b;
            float v30[4];
            float v31[4];
            float v34[4];
            fs_load_by(v30, a0 + (i * 4096 + j), lasts);
            fs_load_within(v31, a1, (fs_index)(i * 4096 + j), (fs_index)1,
                (fs_index)4097, (fs_index)16781312, 4);
            fs_load_within(v34, a2, (fs_index)(i * 4096 + j), (fs_index)1,
                (fs_index)-4097, (fs_index)16773118, 4);
            float v36[4];
#pragma unroll
            for (int e = 0; e < 4; e++) {
              const bool v14 = v6[b] & v13[e];
              const bool v29 = v21[e] & v28[b];
              const float v32 = v30[e] + v31[e];
              const float v33 = v29 ? v32 : v30[e];
              const float v35 = v34[e] + v33;
              v36[e] = v14 ? v35 : v33;
            }
            fs_store(a3 + (i * 4096 + j), v36);
          }
        }
      }
    }
  }
}
