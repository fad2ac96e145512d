==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 489 blocks, each once, 16 waves of 8 pieces, bounds for 5
shared: 0 B; waits
slots: 0 1 2; params: 0 int
// c = a*3 - b
//
// scheme flat; 1000000 elements; 256 threads; 4 lanes x 2 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 5;
constexpr fs_index FS_TILES = 489;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, long long p0
) {
  fs_after_kernels();
  const int *const a0 = (const int *)s0;
  const int *const a1 = (const int *)s1;
  int *const a2 = (int *)s2;
  const int t = threadIdx.x;
  const int v0 = (int)p0;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    int v1[2][4] = {};
    int v3[2][4] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      const bool in = j < 1000000;
      if (in) fs_load(v1[c], a0 + j);
      if (in) fs_load(v3[c], a1 + j);
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      const bool in = j < 1000000;
      int v4[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const int v2 = v0 * v1[c][e];
        v4[e] = v2 - v3[c][e];
      }
      if (in) fs_store(a2 + j, v4);
    }
  }
}
