==== h200
0
> code: cuda
# k1 row
launch: 128 threads, at most 63872 blocks, each once, bounds for 6
shared: 0 B; waits
slots: 0+4 7; params: 0 float
// V = U[1:end-2,2:end-1,2:end-1] + U[3:end,2:end-1,2:end-1] + U[2:end-1,1:end-2,2:end-1] + U[2:end-1,3:end,2:end-1] + U[2:end-1,2:end-1,1:end-2] + U[2:end-1,2:end-1,3:end] - 6*U[2:end-1,2:end-1,2:end-1]
//
// scheme row, in strips; 510 rows of 253980; 128 threads; 4 lanes x 1 vector; 4 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 6;
constexpr fs_index FS_STRIPS = 499;
constexpr fs_index FS_PARTS_MOST = 128;
constexpr int FS_ROW_THREADS = 128, FS_ROWS = 4;
constexpr fs_index FS_M = 510;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_shifted fs_load_some fs_load_apart fs_store fs_store_some
// reduce.cuh: fs_parts
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0 + 524288;
  const float *const a1 = (const float *)s0;
  const float *const a2 = (const float *)s0 + 261632;
  const float *const a3 = (const float *)s0 + 262656;
  const float *const a4 = (const float *)s0 + 262143;
  const float *const a5 = (const float *)s0 + 262145;
  const float *const a6 = (const float *)s0 + 262144;
  float *const a7 = (float *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  const float v11 = (float)p0;
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      {
        const fs_index g = strip * 128 + t;
        const fs_index j0 = g / 125;
        const fs_index j1 = g % 125 * 4;
        const int k = !(g < 63750) ? 0 : 498 - j1 < 4 ? int(498 - j1) : 4;
        if (k > 0 && j1 + 8 <= 498 && first + 4 <= 510) {
          float v0[4][4];
          float v1[4][4];
          float v3[4][4];
          float v5[4][4];
          float v7[4][4];
          float v9[4][4];
          float v12[4][4];
#pragma unroll
          for (int b = 0; b < 4; b++) {
            const fs_index i = first + b;
            fs_load_shifted<1>(v0[b], a0 + (i * 262144 + j0 * 512 + j1));
          }
#pragma unroll
          for (int b = 0; b < 4; b++) {
            const fs_index i = first + b;
            fs_load_shifted<1>(v1[b], a1 + (i * 262144 + j0 * 512 + j1));
          }
#pragma unroll
          for (int b = 0; b < 4; b++) {
            const fs_index i = first + b;
            fs_load_shifted<1>(v3[b], a2 + (i * 262144 + j0 * 512 + j1));
          }
#pragma unroll
          for (int b = 0; b < 4; b++) {
            const fs_index i = first + b;
            fs_load_shifted<1>(v5[b], a3 + (i * 262144 + j0 * 512 + j1));
          }
#pragma unroll
          for (int b = 0; b < 4; b++) {
            const fs_index i = first + b;
            fs_load(v7[b], a4 + (i * 262144 + j0 * 512 + j1));
          }
#pragma unroll
          for (int b = 0; b < 4; b++) {
            const fs_index i = first + b;
            fs_load_shifted<2>(v9[b], a5 + (i * 262144 + j0 * 512 + j1));
          }
#pragma unroll
          for (int b = 0; b < 4; b++) {
            const fs_index i = first + b;
            fs_load_shifted<1>(v12[b], a6 + (i * 262144 + j0 * 512 + j1));
          }
#pragma unroll
          for (int b = 0; b < 4; b++) {
            const fs_index i = first + b;
            float v14[4];
#pragma unroll
            for (int e = 0; e < 4; e++) {
              const float v2 = v0[b][e] + v1[b][e];
              const float v4 = v3[b][e] + v2;
              const float v6 = v5[b][e] + v4;
              const float v8 = v7[b][e] + v6;
              const float v10 = v9[b][e] + v8;
              const float v13 = v11 * v12[b][e];
              v14[e] = v10 - v13;
            }
            fs_store(a7 + (i * 261120 + j0 * 512 + j1), v14);
          }
        } else {
#pragma unroll 1
          for (int b = 0; b < 4; b++) {
            const fs_index i = first + b;
            const bool ok = i < 510;
            float v0[4] = {};
            float v1[4] = {};
            float v3[4] = {};
            float v5[4] = {};
            float v7[4] = {};
            float v9[4] = {};
            float v12[4] = {};
            if (ok) fs_load_apart(v0, a0 + (i * 262144 + j0 * 512 + j1),
                (fs_index)1, k);
            if (ok) fs_load_apart(v1, a1 + (i * 262144 + j0 * 512 + j1),
                (fs_index)1, k);
            if (ok) fs_load_apart(v3, a2 + (i * 262144 + j0 * 512 + j1),
                (fs_index)1, k);
            if (ok) fs_load_apart(v5, a3 + (i * 262144 + j0 * 512 + j1),
                (fs_index)1, k);
            if (ok) fs_load_some(v7, a4 + (i * 262144 + j0 * 512 + j1), k);
            if (ok) fs_load_apart(v9, a5 + (i * 262144 + j0 * 512 + j1),
                (fs_index)1, k);
            if (ok) fs_load_apart(v12, a6 + (i * 262144 + j0 * 512 + j1),
                (fs_index)1, k);
            float v14[4];
#pragma unroll
            for (int e = 0; e < 4; e++) {
              const float v2 = v0[e] + v1[e];
              const float v4 = v3[e] + v2;
              const float v6 = v5[e] + v4;
              const float v8 = v7[e] + v6;
              const float v10 = v9[e] + v8;
              const float v13 = v11 * v12[e];
              v14[e] = v10 - v13;
            }
            if (ok) fs_store_some(a7 + (i * 261120 + j0 * 512 + j1), v14, k);
          }
        }
      }
    }
  }
}
