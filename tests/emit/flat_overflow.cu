==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 489 blocks, bounds for 4
shared: 0 B; workspace 256 B and 16 B a block, 256 B of zeros; waits
slots: 0 1 2; params: 0 int, 1 int, 2 int
// s = sum(x)
//
// scheme flat; 1000000 elements; 256 threads; 2 lanes x 4 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
constexpr fs_index FS_TILES = 489;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_fresh
// reduce.cuh: fs_add fs_lanes fs_warp fs_block fs_gather
// barrier.cuh: fs_after_kernels fs_last_block
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, long long p0, long long p1, long long p2, void
        *work
) {
  fs_after_kernels();
  const long long *const a0 = (const long long *)s0;
  long long *const a1 = (long long *)s1;
  long long *const a2 = (long long *)s2;
  long long *const w1 = (long long *)((char *)work + 256);
  long long *const w4 = (long long *)((char *)work + 256 + 8LL * gridDim.x);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x;
  const long long v5 = (long long)p0;
  const long long v11 = (long long)p1;
  const long long v12 = (long long)p2;
  long long r1[2] = {};
  long long r4[2] = {};
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    long long v0[4][2] = {};
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (tile * 1024 + (c * 256 + t)) * 2;
      const bool in = j < 1000000;
      if (in) fs_load(v0[c], a0 + j);
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = (tile * 1024 + (c * 256 + t)) * 2;
      const bool in = j < 1000000;
#pragma unroll
      for (int e = 0; e < 2; e++) {
        if (in) r1[e] = r1[e] + v0[c][e];
        const long long v3 = v0[c][e] >> 4 * (int)sizeof(v0[c][e]);
        if (in) r4[e] = r4[e] + v3;
      }
    }
  }
  {
    const long long x = fs_block<fs_add,
        8>(fs_lanes<fs_add>(r1), (long long *)scratch);
    if (threadIdx.x == 0) w1[blockIdx.x] = x;
    __syncthreads();
  }
  {
    const long long x = fs_block<fs_add,
        8>(fs_lanes<fs_add>(r4), (long long *)scratch);
    if (threadIdx.x == 0) w4[blockIdx.x] = x;
    __syncthreads();
  }
  if (!fs_last_block(counters)) return;
  long long x1 = fs_gather<fs_add, 3>(w1, gridDim.x, 256, 0);
  const long long v1 = fs_block<fs_add, 8>(x1, (long long *)scratch);
  __syncthreads();
  long long x4 = fs_gather<fs_add, 3>(w4, gridDim.x, 256, 0);
  const long long v4 = fs_block<fs_add, 8>(x4, (long long *)scratch);
  __syncthreads();
  if (threadIdx.x == 0) fs_put(a1[0], v1);
  const long long v2 = v1 >> 4 * (int)sizeof(v1);
  const long long v6 = v4 * v5;
  const long long v7 = v1 - v6;
  const long long v8 = v7 >> 4 * (int)sizeof(v7);
  const long long v9 = v4 + v8;
  const bool v10 = v2 != v9;
  const long long v13 = v10 ? v11 : v12;
  if (threadIdx.x == 0) fs_put(a2[0], v13);
}
