==== h200
> code: cuda
# k1 flat
launch: 64 threads, at most 16 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits
slots: 0 1; params: 1 float, 0 float
// z = alpha*w + beta
//
// scheme flat; 4096 elements; 64 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 64, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 16;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0, float p1
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x;
  const float v0 = (float)p0;
  const float v3 = (float)p1;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1[4];
    {
      const fs_index j = (tile * 64 + t) * 4;
      fs_load(v1, a0 + j);
    }
    {
      const fs_index j = (tile * 64 + t) * 4;
      float v4[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0 * v1[e];
        v4[e] = v3 + v2;
      }
      fs_store(a1 + j, v4);
    }
  }
}
