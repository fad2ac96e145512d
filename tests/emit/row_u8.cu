==== h200
> code: cuda
# k1 row
launch: 256 threads, at most 375 blocks, each once, bounds for 3
shared: 0 B; waits
slots: 0 2 3 1; params: 0 int, 1 int
// s = sum(A, 2); t = max(A, 2); k = A > 3
//
// scheme row; 3000 rows of 400; 256 threads, 32 on a row; 4 lanes x 4 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 3;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 8;
constexpr fs_index FS_M = 3000;

// maps.cuh: fs_max
// memory.cuh: fs_round_u8 fs_get fs_put fs_bool fs_u8 fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_lanes fs_warp
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, long long p0, long long p1
) {
  fs_after_kernels();
  const fs_u8 *const a0 = (const fs_u8 *)s0;
  fs_u8 *const a2 = (fs_u8 *)s1;
  fs_bool *const a3 = (fs_bool *)s2;
  long long *const a1 = (long long *)s3;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const int v2 = fs_round_u8((int)p0);
  const int v4 = fs_round_u8((int)p1);
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first + sub;
    long long r1[4] = {};
    int v0[4][4] = {};
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 400;
      if (in) fs_load(v0[c], a0 + (i * 400 + j));
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 400;
      int v3[4];
      bool v5[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        if (in) r1[e] = r1[e] + (long long)(v0[c][e]);
        v3[e] = fs_round_u8(fs_max(v2, v0[c][e]));
        v5[e] = v0[c][e] > v4;
      }
      if (in) fs_store(a2 + (i * 400 + j), v3);
      if (in) fs_store(a3 + (i * 400 + j), v5);
    }
    const long long v1 = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r1));
    if (t == 0) fs_put(a1[i], v1);
  }
}
