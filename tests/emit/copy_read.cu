==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 11719 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits; lasts
slots: 0 1
// copy before A[1001:2000, :] = A[1001:2000, :]*A[1500, 7]
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
# k2 flat
launch: 64 threads, at most 1 blocks, each once, bounds for 8
shared: 0 B; waits
slots: 2+7984024 4
// copy read by A[1001:2000, :] = A[1001:2000, :]*A[1500, 7]
//
// scheme flat; 1 element; 64 threads; 1 lane x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 64, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 1;

// memory.cuh: fs_get fs_put
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x;
  const float v0 = fs_get(a0[0]);
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a1[0], v0);
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
  }
}
# k3 flat
launch: 256 threads, at most 3907 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits
slots: 4 3 5
// A[1001:2000, :] = A[1001:2000, :]*A[1500, 7]
//
// scheme flat; 4000000 elements; 256 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 3907;

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
  const float v0 = fs_get(a0[0]);
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1[4] = {};
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 4000000;
      if (in) fs_load(v1, a1 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 4000000;
      float v2[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v2[e] = v0 * v1[e];
      }
      if (in) fs_store(a2 + j, v2);
    }
  }
}
