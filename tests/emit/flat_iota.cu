==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 977 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits
slots: 0 1; params: 0 int, 1 int, 2 int
// z = w + 2*(1:1000000)
//
// scheme flat; 1000000 elements; 256 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 977;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, long long p0, long long p1, long long p2
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x;
  const long long v0 = (long long)p0;
  const long long v1 = (long long)p1;
  const long long v2 = (long long)p2;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v6[4] = {};
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 1000000;
      if (in) fs_load(v6, a0 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 1000000;
      float v7[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const long long v3 = v1 + v2 * (long long)(j + e);
        const long long v4 = v0 * v3;
        const float v5 = (float)v4;
        v7[e] = v6[e] + v5;
      }
      if (in) fs_store(a1 + j, v7);
    }
  }
}
