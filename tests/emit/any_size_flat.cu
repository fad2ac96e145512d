==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 98 blocks, bounds for 8
shared: 0 B; workspace 256 B and 8 B a block, 256 B of zeros; waits
slots: 0 1; params: 0 float
// y = x[k:end] + 1; s = sum(y)
//
// scheme flat; 100000 elements; 256 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 98;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_fresh
// reduce.cuh: fs_add fs_lanes fs_warp fs_block fs_gather
// barrier.cuh: fs_after_kernels fs_last_block
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  float *const w3 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x;
  const float v0 = (float)p0;
  float r3[4] = {};
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1[4] = {};
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 100000;
      if (in) fs_load(v1, a0 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 100000;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0 + v1[e];
        if (in) r3[e] = r3[e] + v2;
      }
    }
  }
  {
    const float x = fs_block<fs_add, 8>(fs_lanes<fs_add>(r3), (float *)scratch);
    if (threadIdx.x == 0) w3[blockIdx.x] = x;
    __syncthreads();
  }
  if (!fs_last_block(counters)) return;
  float x3 = fs_gather<fs_add, 5>(w3, gridDim.x, 256, 0);
  const float v3 = fs_block<fs_add, 8>(x3, (float *)scratch);
  __syncthreads();
  if (threadIdx.x == 0) fs_put(a1[0], v3);
}
