==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 11719 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits; lasts
slots: 0 1
// copy before A[k, 2:3999] = A[k, 1:3998] + A[k, 3:4000]
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
launch: 64 threads, at most 16 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits
slots: 2+304000 5
// A[k, 2:3999] = A[k, 1:3998] + A[k, 3:4000]
//
// scheme flat; 3998 elements; 64 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 64, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 16;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_shifted fs_load_some fs_load_apart fs_store fs_store_some
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0 + 2;
  const float *const a1 = (const float *)s0;
  float *const a2 = (float *)s1;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0[4] = {};
    float v1[4] = {};
    {
      const fs_index j = (tile * 64 + t) * 4;
      const int k = !(j < 3998) ? 0 : 3998 - j < 4 ? int(3998 - j) : 4;
      if (j + 8 <= 3998) {
        fs_load_shifted<2>(v0, a0 + j);
        fs_load(v1, a1 + j);
      } else {
        fs_load_apart(v0, a0 + j, (fs_index)1, k);
        fs_load_some(v1, a1 + j, k);
      }
    }
    {
      const fs_index j = (tile * 64 + t) * 4;
      const int k = !(j < 3998) ? 0 : 3998 - j < 4 ? int(3998 - j) : 4;
      float v2[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v2[e] = v0[e] + v1[e];
      }
      fs_store_some(a2 + j, v2, k);
    }
  }
}
# k3 flat
launch: 64 threads, at most 16 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits
slots: 5 1+304004
// copy to the part by A[k, 2:3999] = A[k, 1:3998] + A[k, 3:4000]
//
// scheme flat; 3998 elements; 64 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 64, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 16;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_some fs_store fs_store_shifted
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
      const int k = !(j < 3998) ? 0 : 3998 - j < 4 ? int(3998 - j) : 4;
      fs_load_some(v0, a0 + j, k);
    }
    {
      const fs_index j = (tile * 64 + t) * 4;
      const int k = !(j < 3998) ? 0 : 3998 - j < 4 ? int(3998 - j) : 4;
      fs_store_shifted<1>(a1 + j, v0, k);
    }
  }
}
# k4 flat
launch: 256 threads, at most 11719 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits; lasts
slots: 1 4
// copy before A[k, 1:50] = A[k, 50:-1:1]
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
# k5 flat
launch: 64 threads, at most 1 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits
slots: 1+304196 4+304000
// A[k, 1:50] = A[k, 50:-1:1]
//
// scheme flat; 50 elements; 64 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 64, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 1;

// memory.cuh: fs_get fs_put fs_pack fs_load_apart fs_store fs_store_some
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
      const int k = !(j < 50) ? 0 : 50 - j < 4 ? int(50 - j) : 4;
      fs_load_apart(v0, a0 + (j * -1), (fs_index)-1, k);
    }
    {
      const fs_index j = (tile * 64 + t) * 4;
      const int k = !(j < 50) ? 0 : 50 - j < 4 ? int(50 - j) : 4;
      fs_store_some(a1 + j, v0, k);
    }
  }
}
