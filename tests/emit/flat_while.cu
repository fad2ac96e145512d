==== h200
> code: cuda
# k1 flat
launch: 128 threads, at most 98 blocks, 16 waves of 8 pieces, bounds for 8
shared: 0 B; workspace 256 B and 8 B a block, 256 B of zeros; waits
slots: 0 1 2 3 4; params: 0 int
// for i: while q >= 1
//
// scheme flat; 100003 elements; 128 threads; 4 lanes x 2 vectors
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 98;

// maps.cuh: fs_abs
// memory.cuh: fs_get fs_put fs_bool fs_pack fs_load fs_load_some fs_store fs_store_some fs_fresh
// reduce.cuh: fs_or fs_lanes fs_warp fs_block fs_gather
// barrier.cuh: fs_after_kernels fs_last_block
// while
__device__ __forceinline__ float fs_user_6c16882db3c6ebc9(float r0) {
  float r1 = 0;
  double r3 = 0;
  bool r5 = 0;
  float r7 = 0;
  double r9 = 0;
  r1 = r0;
  r3 = 0x0p+0;
  {
    for (;;) {
      asm volatile("");
      r5 = r1 >= 0x1p+0f;
      if (!r5) goto l0;
      {
        r1 = r1 / 0x1p+1f;
        r3 = r3 + 0x1p+0;
      }
    l2:;
    }
  }
l0:;
  return r1;
}

// while
__device__ __forceinline__ double fs_user_4e2b2f5ffbfb2059(float r0) {
  float r1 = 0;
  double r3 = 0;
  bool r5 = 0;
  float r7 = 0;
  double r9 = 0;
  r1 = r0;
  r3 = 0x0p+0;
  {
    for (;;) {
      asm volatile("");
      r5 = r1 >= 0x1p+0f;
      if (!r5) goto l0;
      {
        r1 = r1 / 0x1p+1f;
        r3 = r3 + 0x1p+0;
      }
    l2:;
    }
  }
l0:;
  return r3;
}

extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, long long p0, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const float *const a2 = (const float *)s2;
  long long *const a3 = (long long *)s3;
  fs_bool *const a4 = (fs_bool *)s4;
  int *const w10 = (int *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[4];
  const int t = threadIdx.x;
  const float v2 = fs_get(a2[0]);
  const double v3 = fs_user_4e2b2f5ffbfb2059(v2);
  const long long v4 = v3 == v3 ? __double2ll_rz(v3) : 0;
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a3[0], v4);
  const long long v8 = (long long)p0;
  int r10[4] = {};
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0[2][4] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 256 + (c * 128 + t)) * 4;
      const int k = !(j < 100003) ? 0 : 100003 - j < 4 ? int(100003 - j) : 4;
      fs_load_some(v0[c], a0 + j, k);
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 256 + (c * 128 + t)) * 4;
      const int k = !(j < 100003) ? 0 : 100003 - j < 4 ? int(100003 - j) : 4;
      float v1[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v1[e] = e < k ? fs_user_6c16882db3c6ebc9(v0[c][e]) : (float)0;
        const double v5 = e < k ? fs_user_4e2b2f5ffbfb2059(v0[c][e]) :
            (double)0;
        const long long v6 = v5 == v5 ? __double2ll_rz(v5) : 0;
        const long long v7 = fs_abs(v6);
        const bool v9 = v7 > v8;
        if (e < k) r10[e] = r10[e] | (int)v9;
      }
      fs_store_some(a1 + j, v1, k);
    }
  }
  {
    const int x = fs_block<fs_or, 4>(fs_lanes<fs_or>(r10), (int *)scratch);
    if (threadIdx.x == 0) w10[blockIdx.x] = x;
    __syncthreads();
  }
  if (!fs_last_block(counters)) return;
  int x10 = fs_gather<fs_or, 8>(w10, gridDim.x, 128, 0);
  const bool v10 = fs_block<fs_or, 4>(x10, (int *)scratch) != 0;
  __syncthreads();
  if (threadIdx.x == 0) fs_put(a4[0], v10);
}
