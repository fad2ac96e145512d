==== h200
> code: cuda
# k1 flat
launch: 128 threads, at most 23438 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits; lasts
slots: 0 1 2; params: 0 float, 1 float
// B = A + 1; D = B*2
//
// scheme flat; 12000000 elements; 128 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 23438;

// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_store
// cache.cuh: fs_cache_lasts fs_words_by fs_load_by
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, float p0, float p1
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x;
  const float v0 = (float)p0;
  const float v3 = (float)p1;
  const unsigned long long lasts = fs_cache_lasts();
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1[4] = {};
    {
      const fs_index j = (tile * 128 + t) * 4;
      const bool in = j < 12000000;
      if (in) fs_load_by(v1, a0 + j, lasts);
    }
    {
      const fs_index j = (tile * 128 + t) * 4;
      const bool in = j < 12000000;
      float v2[4];
      float v4[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v2[e] = v0 + v1[e];
        v4[e] = v3 * v2[e];
      }
      if (in) fs_store(a1 + j, v2);
      if (in) fs_store(a2 + j, v4);
    }
  }
}
# k2 flat
launch: 256 threads, at most 11719 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits; lasts
slots: 1 3
// copy before C[5:104, 7] = b
//
// scheme flat; 12000000 elements; 256 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 11719;

// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_store
// cache.cuh: fs_cache_lasts fs_words_by fs_load_by
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x;
  const unsigned long long lasts = fs_cache_lasts();
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0[4] = {};
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 12000000;
      if (in) fs_load_by(v0, a0 + j, lasts);
    }
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 12000000;
      if (in) fs_store(a1 + j, v0);
    }
  }
}
# k3 flat
launch: 64 threads, at most 1 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits
slots: 4 5
// C[5:104, 7] = b
//
// scheme flat; 100 elements; 64 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 64, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 1;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store_apart
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0[4] = {};
    {
      const fs_index j = (tile * 64 + t) * 4;
      const bool in = j < 100;
      if (in) fs_load(v0, a0 + j);
    }
    {
      const fs_index j = (tile * 64 + t) * 4;
      const bool in = j < 100;
      fs_store_apart(a1 + (j * 4000), v0, (fs_index)4000, in ? 4 : 0);
    }
  }
}
