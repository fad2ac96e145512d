==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 489 blocks, each once, 16 waves of 8 pieces, bounds for 4
shared: 0 B; waits
slots: 0 1 2 3
// k = m && (v < w)
//
// scheme flat; 1000000 elements; 256 threads; 4 lanes x 2 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
constexpr fs_index FS_TILES = 489;

// memory.cuh: fs_get fs_put fs_bool fs_pack fs_load fs_store
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const fs_bool *const a2 = (const fs_bool *)s2;
  fs_bool *const a3 = (fs_bool *)s3;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0[2][4] = {};
    float v1[2][4] = {};
    bool v3[2][4] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      const bool in = j < 1000000;
      if (in) fs_load(v0[c], a0 + j);
      if (in) fs_load(v1[c], a1 + j);
      if (in) fs_load(v3[c], a2 + j);
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      const bool in = j < 1000000;
      bool v4[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const bool v2 = v0[c][e] < v1[c][e];
        v4[e] = v3[c][e] & v2;
      }
      if (in) fs_store(a3 + j, v4);
    }
  }
}
