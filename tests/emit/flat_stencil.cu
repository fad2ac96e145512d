==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 977 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits
slots: 0 3; params: 0 float
// z = w[1:end-4] + 2*w[2:end-3] + w[5:end]
//
// scheme flat; 999997 elements; 256 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 977;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_shifted fs_load_some fs_load_apart fs_store fs_store_some
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0 + 1;
  const float *const a1 = (const float *)s0;
  const float *const a2 = (const float *)s0 + 4;
  float *const a3 = (float *)s1;
  const int t = threadIdx.x;
  const float v0 = (float)p0;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1[4] = {};
    float v3[4] = {};
    float v5[4] = {};
    {
      const fs_index j = (tile * 256 + t) * 4;
      const int k = !(j < 999997) ? 0 : 999997 - j < 4 ? int(999997 - j) : 4;
      if (j + 8 <= 999997) {
        fs_load_shifted<1>(v1, a0 + j);
        fs_load(v3, a1 + j);
        fs_load(v5, a2 + j);
      } else {
        fs_load_apart(v1, a0 + j, (fs_index)1, k);
        fs_load_some(v3, a1 + j, k);
        fs_load_some(v5, a2 + j, k);
      }
    }
    {
      const fs_index j = (tile * 256 + t) * 4;
      const int k = !(j < 999997) ? 0 : 999997 - j < 4 ? int(999997 - j) : 4;
      float v6[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0 * v1[e];
        const float v4 = v3[e] + v2;
        v6[e] = v5[e] + v4;
      }
      fs_store_some(a3 + j, v6, k);
    }
  }
}
==== a100
> code: cuda
# k1 flat
launch: 256 threads, at most 977 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B
slots: 0 3; params: 0 float
// z = w[1:end-4] + 2*w[2:end-3] + w[5:end]
//
// scheme flat; 999997 elements; 256 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 977;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_shifted fs_load_some fs_load_apart fs_store fs_store_some
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0
) {
  const float *const a0 = (const float *)s0 + 1;
  const float *const a1 = (const float *)s0;
  const float *const a2 = (const float *)s0 + 4;
  float *const a3 = (float *)s1;
  const int t = threadIdx.x;
  const float v0 = (float)p0;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1[4] = {};
    float v3[4] = {};
    float v5[4] = {};
    {
      const fs_index j = (tile * 256 + t) * 4;
      const int k = !(j < 999997) ? 0 : 999997 - j < 4 ? int(999997 - j) : 4;
      if (j + 8 <= 999997) {
        fs_load_shifted<1>(v1, a0 + j);
        fs_load(v3, a1 + j);
        fs_load(v5, a2 + j);
      } else {
        fs_load_apart(v1, a0 + j, (fs_index)1, k);
        fs_load_some(v3, a1 + j, k);
        fs_load_some(v5, a2 + j, k);
      }
    }
    {
      const fs_index j = (tile * 256 + t) * 4;
      const int k = !(j < 999997) ? 0 : 999997 - j < 4 ? int(999997 - j) : 4;
      float v6[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0 * v1[e];
        const float v4 = v3[e] + v2;
        v6[e] = v5[e] + v4;
      }
      fs_store_some(a3 + j, v6, k);
    }
  }
}
