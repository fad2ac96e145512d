==== h200
0
> code: cuda
# k1 row
launch: 128 threads, at most 32768 blocks, each once, bounds for 6
shared: 0 B; waits
slots: 0+4 5; params: 0 float, 1 float
// V = (U[1:end-2,2:end-1] + U[3:end,2:end-1] + U[2:end-1,1:end-2] + U[2:end-1,3:end] + 4*U[2:end-1,2:end-1])/8
//
// scheme row, in strips; 8190 rows of 8190; 128 threads; 4 lanes x 1 vector; 4 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 6;
constexpr fs_index FS_STRIPS = 16;
constexpr fs_index FS_PARTS_MOST = 2048;
constexpr int FS_ROW_THREADS = 128, FS_ROWS = 4;
constexpr fs_index FS_M = 8190;

// quick.cuh: fs_reciprocal fs_div fs_last_step fs_div_or_0
// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_shifted fs_load_some fs_load_apart fs_store fs_store_some
// reduce.cuh: fs_parts
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0, float p1
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s0 + 16384;
  const float *const a2 = (const float *)s0 + 8191;
  const float *const a3 = (const float *)s0 + 8193;
  const float *const a4 = (const float *)s0 + 8192;
  float *const a5 = (float *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  const float v7 = (float)p0;
  const float v11 = (float)p1;
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      {
        const fs_index j = (strip * 128 + t) * 4;
        const int k = !(j < 8190) ? 0 : 8190 - j < 4 ? int(8190 - j) : 4;
        if (k > 0 && first + 5 <= 8190) {
          float v0[4][4];
          float v1[4][4];
          float v3[4][4];
          float v5[4][4];
          float v8[4][4];
#pragma unroll
          for (int b = 0; b < 4; b++) {
            const fs_index i = first + b;
            fs_load_shifted<1>(v0[b], a0 + (i * 8192 + j));
          }
#pragma unroll
          for (int b = 0; b < 4; b++) {
            const fs_index i = first + b;
            fs_load_shifted<1>(v1[b], a1 + (i * 8192 + j));
          }
#pragma unroll
          for (int b = 0; b < 4; b++) {
            const fs_index i = first + b;
            fs_load(v3[b], a2 + (i * 8192 + j));
          }
#pragma unroll
          for (int b = 0; b < 4; b++) {
            const fs_index i = first + b;
            fs_load_shifted<2>(v5[b], a3 + (i * 8192 + j));
          }
#pragma unroll
          for (int b = 0; b < 4; b++) {
            const fs_index i = first + b;
            fs_load_shifted<1>(v8[b], a4 + (i * 8192 + j));
          }
#pragma unroll
          for (int b = 0; b < 4; b++) {
            const fs_index i = first + b;
            float v12[4];
            bool rare = false;
#pragma unroll
            for (int e = 0; e < 4; e++) {
              const float v2 = v0[b][e] + v1[b][e];
              const float v4 = v3[b][e] + v2;
              const float v6 = v5[b][e] + v4;
              const float v9 = v7 * v8[b][e];
              const float v10 = v6 + v9;
              v12[e] = fs_div_or_0(v10, v11, rare);
            }
            if (rare) {
#pragma unroll
              for (int e = 0; e < 4; e++) {
                const float v2 = v0[b][e] + v1[b][e];
                const float v4 = v3[b][e] + v2;
                const float v6 = v5[b][e] + v4;
                const float v9 = v7 * v8[b][e];
                const float v10 = v6 + v9;
                v12[e] = fs_div(v10, v11);
              }
            }
            fs_store_some(a5 + (i * 8192 + j), v12, k);
          }
        } else {
#pragma unroll 1
          for (int b = 0; b < 4; b++) {
            const fs_index i = first + b;
            const bool ok = i < 8190;
            float v0[4] = {};
            float v1[4] = {};
            float v3[4] = {};
            float v5[4] = {};
            float v8[4] = {};
            if (ok) fs_load_apart(v0, a0 + (i * 8192 + j), (fs_index)1, k);
            if (ok) fs_load_apart(v1, a1 + (i * 8192 + j), (fs_index)1, k);
            if (ok) fs_load_some(v3, a2 + (i * 8192 + j), k);
            if (ok) fs_load_apart(v5, a3 + (i * 8192 + j), (fs_index)1, k);
            if (ok) fs_load_apart(v8, a4 + (i * 8192 + j), (fs_index)1, k);
            float v12[4];
            bool rare = false;
#pragma unroll
            for (int e = 0; e < 4; e++) {
              const float v2 = v0[e] + v1[e];
              const float v4 = v3[e] + v2;
              const float v6 = v5[e] + v4;
              const float v9 = v7 * v8[e];
              const float v10 = v6 + v9;
              v12[e] = fs_div_or_0(v10, v11, rare);
            }
            if (rare) {
#pragma unroll
              for (int e = 0; e < 4; e++) {
                const float v2 = v0[e] + v1[e];
                const float v4 = v3[e] + v2;
                const float v6 = v5[e] + v4;
                const float v9 = v7 * v8[e];
                const float v10 = v6 + v9;
                v12[e] = fs_div(v10, v11);
              }
            }
            if (ok) fs_store_some(a5 + (i * 8192 + j), v12, k);
          }
        }
      }
    }
  }
}
