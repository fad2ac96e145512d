==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 489 blocks, 16 waves of 8 pieces, bounds for 5
shared: 0 B; workspace 256 B and 8 B a block, 256 B of zeros; waits
slots: 0 1 2 3; params: 0 float
// z = w - 2*v; r = z'*v
//
// scheme flat; 1000000 elements; 256 threads; 4 lanes x 2 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 5;
constexpr fs_index FS_TILES = 489;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store fs_fresh
// reduce.cuh: fs_add fs_lanes fs_warp fs_block fs_gather
// barrier.cuh: fs_after_kernels fs_last_block
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, float p0, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  float *const a3 = (float *)s3;
  float *const w5 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x;
  const float v0 = (float)p0;
  float r5[4] = {};
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1[2][4] = {};
    float v3[2][4] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      const bool in = j < 1000000;
      if (in) fs_load(v1[c], a0 + j);
      if (in) fs_load(v3[c], a1 + j);
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      const bool in = j < 1000000;
      float v4[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0 * v1[c][e];
        v4[e] = v3[c][e] - v2;
        if (in) r5[e] = fmaf(v1[c][e], v4[e], r5[e]);
      }
      if (in) fs_store(a2 + j, v4);
    }
  }
  {
    const float x = fs_block<fs_add, 8>(fs_lanes<fs_add>(r5), (float *)scratch);
    if (threadIdx.x == 0) w5[blockIdx.x] = x;
    __syncthreads();
  }
  if (!fs_last_block(counters)) return;
  float x5 = fs_gather<fs_add, 3>(w5, gridDim.x, 256, 0);
  const float v5 = fs_block<fs_add, 8>(x5, (float *)scratch);
  __syncthreads();
  if (threadIdx.x == 0) fs_put(a3[0], v5);
}
==== a100
> code: cuda
# k1 flat
launch: 256 threads, at most 977 blocks, 16 waves of 8 pieces, bounds for 7
shared: 0 B; workspace 256 B and 8 B a block, 256 B of zeros
slots: 0 1 2 3; params: 0 float
// z = w - 2*v; r = z'*v
//
// scheme flat; 1000000 elements; 256 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 7;
constexpr fs_index FS_TILES = 977;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store fs_fresh
// reduce.cuh: fs_add fs_lanes fs_warp fs_block fs_gather
// barrier.cuh: fs_last_block
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, float p0, void *work
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  float *const a3 = (float *)s3;
  float *const w5 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x;
  const float v0 = (float)p0;
  float r5[4] = {};
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1[4] = {};
    float v3[4] = {};
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 1000000;
      if (in) fs_load(v1, a0 + j);
      if (in) fs_load(v3, a1 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 1000000;
      float v4[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0 * v1[e];
        v4[e] = v3[e] - v2;
        if (in) r5[e] = fmaf(v1[e], v4[e], r5[e]);
      }
      if (in) fs_store(a2 + j, v4);
    }
  }
  {
    const float x = fs_block<fs_add, 8>(fs_lanes<fs_add>(r5), (float *)scratch);
    if (threadIdx.x == 0) w5[blockIdx.x] = x;
    __syncthreads();
  }
  if (!fs_last_block(counters)) return;
  float x5 = fs_gather<fs_add, 3>(w5, gridDim.x, 256, 0);
  const float v5 = fs_block<fs_add, 8>(x5, (float *)scratch);
  __syncthreads();
  if (threadIdx.x == 0) fs_put(a3[0], v5);
}
