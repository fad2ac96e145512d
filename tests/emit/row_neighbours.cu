==== h200
0
> code: cuda
# k1 row
launch: 128 threads, at most 8184 blocks, each once, bounds for 6
shared: 0 B; waits
slots: 0 5; params: 0 float, 1 float, 3 float
// V = (H[1:end-4,:] + 4*H[2:end-3,:] + 6*H[3:end-2,:] + 4*H[4:end-1,:] + H[5:end,:])/16
//
// scheme row, in strips; 4092 rows of 4096; 128 threads; 4 lanes x 1 vector; 4 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 6;
constexpr fs_index FS_STRIPS = 8;
constexpr fs_index FS_PARTS_MOST = 1023;
constexpr int FS_ROW_THREADS = 128, FS_ROWS = 4;
constexpr fs_index FS_M = 4092;

// quick.cuh: fs_reciprocal fs_div fs_last_step fs_div_or_0
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_parts
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0, float p1, float p2
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0 + 12288;
  const float *const a1 = (const float *)s0 + 8192;
  const float *const a2 = (const float *)s0 + 4096;
  const float *const a3 = (const float *)s0;
  const float *const a4 = (const float *)s0 + 16384;
  float *const a5 = (float *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  const float v0 = (float)p0;
  const float v3 = (float)p1;
  const float v14 = (float)p2;
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      float v1[4][4];
      float v4[4][4];
      float v6[4][4];
      float v8[4][4];
      float v12[4][4];
      {
        const fs_index j = (strip * 128 + t) * 4;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + b;
          fs_load(v1[b], a0 + (i * 4096 + j));
        }
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + b;
          fs_load(v4[b], a1 + (i * 4096 + j));
        }
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + b;
          fs_load(v6[b], a2 + (i * 4096 + j));
        }
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + b;
          fs_load(v8[b], a3 + (i * 4096 + j));
        }
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + b;
          fs_load(v12[b], a4 + (i * 4096 + j));
        }
      }
      {
        const fs_index j = (strip * 128 + t) * 4;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + b;
          float v15[4];
          bool rare = false;
#pragma unroll
          for (int e = 0; e < 4; e++) {
            const float v2 = v0 * v1[b][e];
            const float v5 = v3 * v4[b][e];
            const float v7 = v0 * v6[b][e];
            const float v9 = v8[b][e] + v7;
            const float v10 = v5 + v9;
            const float v11 = v2 + v10;
            const float v13 = v12[b][e] + v11;
            v15[e] = fs_div_or_0(v13, v14, rare);
          }
          if (rare) {
#pragma unroll
            for (int e = 0; e < 4; e++) {
              const float v2 = v0 * v1[b][e];
              const float v5 = v3 * v4[b][e];
              const float v7 = v0 * v6[b][e];
              const float v9 = v8[b][e] + v7;
              const float v10 = v5 + v9;
              const float v11 = v2 + v10;
              const float v13 = v12[b][e] + v11;
              v15[e] = fs_div(v13, v14);
            }
          }
          fs_store(a5 + (i * 4096 + j), v15);
        }
      }
    }
  }
}
