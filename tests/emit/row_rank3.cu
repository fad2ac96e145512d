==== h200
> code: cuda
# k1 row
launch: 256 threads, at most 188 blocks, bounds for 2
shared: 0 B; waits
slots: 0 1
// s = sum(A, 3)
//
// scheme row; 3000 rows of 700; 256 threads, 32 on a row; 4 lanes x 6 vectors; 16 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 16;
constexpr fs_index FS_M = 3000;

// memory.cuh: fs_get fs_put fs_pack fs_load
// reduce.cuh: fs_add fs_lanes fs_warp
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float r1[2][4] = {};
    float v0[2][6][4] = {};
#pragma unroll
    for (int c = 0; c < 6; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 700;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + (b * 8 + sub);
        const bool ok = i < 3000;
        if (ok && in) fs_load(v0[b][c], a0 + (i * 704 + j));
      }
    }
#pragma unroll
    for (int c = 0; c < 6; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 700;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + (b * 8 + sub);
        const bool ok = i < 3000;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          if (in) r1[b][e] = r1[b][e] + v0[b][c][e];
        }
      }
    }
    float v1[2];
#pragma unroll
    for (int b = 0; b < 2; b++) {
      v1[b] = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r1[b]));
    }
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + (b * 8 + sub);
      const bool ok = i < 3000;
      if (t == 0 && ok) fs_put(a1[i], v1[b]);
    }
  }
}
