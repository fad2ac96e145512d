==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 1171875 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits; lasts
slots: 0 1; params: 0 float
// z = 2*w
//
// scheme flat; 1200000000 elements; 256 threads; 4 lanes x 1 vector
typedef long long fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 1171875;

// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_store
// cache.cuh: fs_cache_lasts fs_words_by fs_load_by
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
  const unsigned long long lasts = fs_cache_lasts();
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1[4];
    {
      const fs_index j = (tile * 256 + t) * 4;
      fs_load_by(v1, a0 + j, lasts);
    }
    {
      const fs_index j = (tile * 256 + t) * 4;
      float v2[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v2[e] = v0 * v1[e];
      }
      fs_store(a1 + j, v2);
    }
  }
}
==== a100
> code: cuda
# k1 flat
launch: 256 threads, at most 1171875 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B
slots: 0 1; params: 0 float
// z = 2*w
//
// scheme flat; 1200000000 elements; 256 threads; 4 lanes x 1 vector
typedef long long fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 1171875;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x;
  const float v0 = (float)p0;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1[4];
    {
      const fs_index j = (tile * 256 + t) * 4;
      fs_load(v1, a0 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 4;
      float v2[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v2[e] = v0 * v1[e];
      }
      fs_store(a1 + j, v2);
    }
  }
}
