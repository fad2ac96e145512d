==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 1953 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits
slots: 0 3; params: 0 float
// B = A[1:end-2, :] + 2*A[2:end-1, :] + A[3:end, :]
//
// scheme flat; 1999800 elements; 256 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 1953;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0 + 100;
  const float *const a1 = (const float *)s0;
  const float *const a2 = (const float *)s0 + 200;
  float *const a3 = (float *)s1;
  const int t = threadIdx.x;
  const float v0 = (float)p0;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1[4] = {};
    float v3[4] = {};
    float v5[4] = {};
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 1999800;
      if (in) fs_load(v1, a0 + j);
      if (in) fs_load(v3, a1 + j);
      if (in) fs_load(v5, a2 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 1999800;
      float v6[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0 * v1[e];
        const float v4 = v3[e] + v2;
        v6[e] = v5[e] + v4;
      }
      if (in) fs_store(a3 + j, v6);
    }
  }
}
==== a100
> code: cuda
# k1 flat
launch: 256 threads, at most 1953 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B
slots: 0 3; params: 0 float
// B = A[1:end-2, :] + 2*A[2:end-1, :] + A[3:end, :]
//
// scheme flat; 1999800 elements; 256 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 1953;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0
) {
  const float *const a0 = (const float *)s0 + 100;
  const float *const a1 = (const float *)s0;
  const float *const a2 = (const float *)s0 + 200;
  float *const a3 = (float *)s1;
  const int t = threadIdx.x;
  const float v0 = (float)p0;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1[4] = {};
    float v3[4] = {};
    float v5[4] = {};
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 1999800;
      if (in) fs_load(v1, a0 + j);
      if (in) fs_load(v3, a1 + j);
      if (in) fs_load(v5, a2 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 1999800;
      float v6[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0 * v1[e];
        const float v4 = v3[e] + v2;
        v6[e] = v5[e] + v4;
      }
      if (in) fs_store(a3 + j, v6);
    }
  }
}
