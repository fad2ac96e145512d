==== h200
> code: cuda
# k1 flat
launch: 128 threads, at most 1954 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits
slots: 0 1; params: 2 int, 3 int, 0 int, 1 int
// z = w + rand(1000000) + randn(1000000)
//
// scheme flat; 1000000 elements; 128 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 1954;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// philox.cuh: fs_philox fs_uniform_f32 fs_normal_f32
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, long long p0, long long p1, long long p2, long long p3
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x;
  const long long v1 = (long long)p0;
  const long long v2 = (long long)p1;
  const long long v5 = (long long)p2;
  const long long v6 = (long long)p3;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0[4] = {};
    {
      const fs_index j = (tile * 128 + t) * 4;
      const bool in = j < 1000000;
      if (in) fs_load(v0, a0 + j);
    }
    {
      const fs_index j = (tile * 128 + t) * 4;
      const bool in = j < 1000000;
      float v8[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v3 = fs_uniform_f32(j + e, v1, v2);
        const float v4 = v0[e] + v3;
        const float v7 = fs_normal_f32(j + e, v5, v6);
        v8[e] = v7 + v4;
      }
      if (in) fs_store(a1 + j, v8);
    }
  }
}
