==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 326 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits
slots: 0 1; params: 0 float
// z = w[1:3:end] + 1
//
// scheme flat; 333334 elements; 256 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 326;

// memory.cuh: fs_get fs_put fs_pack fs_load_apart fs_store fs_store_some
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x;
  const float v0 = (float)p0;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1[4] = {};
    {
      const fs_index j = (tile * 256 + t) * 4;
      const int k = !(j < 333334) ? 0 : 333334 - j < 4 ? int(333334 - j) : 4;
      fs_load_apart(v1, a0 + (j * 3), (fs_index)3, k);
    }
    {
      const fs_index j = (tile * 256 + t) * 4;
      const int k = !(j < 333334) ? 0 : 333334 - j < 4 ? int(333334 - j) : 4;
      float v2[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v2[e] = v0 + v1[e];
      }
      fs_store_some(a1 + j, v2, k);
    }
  }
}
