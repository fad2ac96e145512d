==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 329 blocks, each once, 16 waves of 8 pieces, bounds for 7
shared: 0 B; waits
slots: 0 1 2
// C = A .* B
//
// scheme flat; 336000 elements; 256 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 7;
constexpr fs_index FS_TILES = 329;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0[4] = {};
    float v1[4] = {};
    {
      const fs_index g = tile * 256 + t;
      const fs_index j0 = g / 1400;
      const fs_index j1 = g % 1400 * 4;
      const bool in = g < 84000;
      if (in) fs_load(v0, a0 + (j0 * 5600 + j1));
      if (in) fs_load(v1, a1 + j1);
    }
    {
      const fs_index g = tile * 256 + t;
      const fs_index j0 = g / 1400;
      const fs_index j1 = g % 1400 * 4;
      const bool in = g < 84000;
      float v2[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v2[e] = v0[e] * v1[e];
      }
      if (in) fs_store(a2 + (j0 * 5600 + j1), v2);
    }
  }
}
