==== h200
> code: cuda
# k1 flat
launch: 512 threads, at most 977 blocks, each once, 16 waves of 8 pieces, bounds for 3
shared: 0 B; waits
slots: 0 1 2; params: 0 int
// c = mod(a, b + 1)
//
// scheme flat; 1000000 elements; 512 threads; 2 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 3;
constexpr fs_index FS_TILES = 977;

// maps.cuh: fs_mod
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, long long p0
) {
  fs_after_kernels();
  const long long *const a0 = (const long long *)s0;
  const long long *const a1 = (const long long *)s1;
  long long *const a2 = (long long *)s2;
  const int t = threadIdx.x;
  const long long v0 = (long long)p0;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    long long v1[2] = {};
    long long v3[2] = {};
    {
      const fs_index j = (tile * 512 + t) * 2;
      const bool in = j < 1000000;
      if (in) fs_load(v1, a0 + j);
      if (in) fs_load(v3, a1 + j);
    }
    {
      const fs_index j = (tile * 512 + t) * 2;
      const bool in = j < 1000000;
      long long v4[2];
#pragma unroll
      for (int e = 0; e < 2; e++) {
        const long long v2 = v0 + v1[e];
        v4[e] = fs_mod(v3[e], v2);
      }
      if (in) fs_store(a2 + j, v4);
    }
  }
}
