==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 489 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits
slots: 0 1 2; params: 0 int
// c = a .* b + 3
//
// scheme flat; 1000000 elements; 256 threads; 8 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 489;

// memory.cuh: fs_round_u8 fs_get fs_put fs_u8 fs_pack fs_load fs_store
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, long long p0
) {
  fs_after_kernels();
  const fs_u8 *const a0 = (const fs_u8 *)s0;
  const fs_u8 *const a1 = (const fs_u8 *)s1;
  fs_u8 *const a2 = (fs_u8 *)s2;
  const int t = threadIdx.x;
  const int v3 = fs_round_u8((int)p0);
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    int v0[8] = {};
    int v1[8] = {};
    {
      const fs_index j = (tile * 256 + t) * 8;
      const bool in = j < 1000000;
      if (in) fs_load(v0, a0 + j);
      if (in) fs_load(v1, a1 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 8;
      const bool in = j < 1000000;
      int v4[8];
#pragma unroll
      for (int e = 0; e < 8; e++) {
        const int v2 = fs_round_u8(v0[e] * v1[e]);
        v4[e] = fs_round_u8(v3 + v2);
      }
      if (in) fs_store(a2 + j, v4);
    }
  }
}
