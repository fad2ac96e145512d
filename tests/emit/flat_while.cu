==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 196 blocks, 16 waves of 8 pieces, bounds for 8
shared: 0 B; workspace 256 B and 8 B a block, 256 B of zeros; waits
slots: 0 1 2 3; params: 0 int
// for i: while q >= 1
//
// scheme flat; 100003 elements; 256 threads; 2 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 196;

// maps.cuh: fs_abs
// memory.cuh: fs_get fs_put fs_bool fs_pack fs_load fs_load_some fs_store fs_store_some fs_fresh
// reduce.cuh: fs_or fs_lanes fs_warp fs_block
// barrier.cuh: fs_after_kernels fs_last_block
// while
__device__ __forceinline__ float fs_user_446f992599af3523(float r0) {
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
__device__ __forceinline__ double fs_user_6e30df1dbe1ebd21(float r0) {
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
    void *s0, void *s1, void *s2, void *s3, long long p0, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  long long *const a2 = (long long *)s2;
  fs_bool *const a3 = (fs_bool *)s3;
  int *const w7 = (int *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x;
  const long long v5 = (long long)p0;
  int r7[2] = {};
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0[2] = {};
    {
      const fs_index j = (tile * 256 + t) * 2;
      const int k = !(j < 100003) ? 0 : 100003 - j < 2 ? int(100003 - j) : 2;
      fs_load_some(v0, a0 + j, k);
    }
    {
      const fs_index j = (tile * 256 + t) * 2;
      const int k = !(j < 100003) ? 0 : 100003 - j < 2 ? int(100003 - j) : 2;
      float v1[2];
      long long v3[2];
#pragma unroll
      for (int e = 0; e < 2; e++) {
        v1[e] = e < k ? fs_user_446f992599af3523(v0[e]) : (float)0;
        const double v2 = e < k ? fs_user_6e30df1dbe1ebd21(v0[e]) : (double)0;
        v3[e] = v2 == v2 ? __double2ll_rz(v2) : 0;
        const long long v4 = fs_abs(v3[e]);
        const bool v6 = v4 > v5;
        if (e < k) r7[e] = r7[e] | (int)v6;
      }
      fs_store_some(a1 + j, v1, k);
      fs_store_some(a2 + j, v3, k);
    }
  }
  {
    const int x = fs_block<fs_or, 8>(fs_lanes<fs_or>(r7), (int *)scratch);
    if (threadIdx.x == 0) w7[blockIdx.x] = x;
    __syncthreads();
  }
  if (!fs_last_block(counters)) return;
  int x7 = 0;
  const int part7_0 = threadIdx.x < gridDim.x ? fs_fresh(w7 + threadIdx.x) : 0;
  const int part7_1 = threadIdx.x + 256 < gridDim.x ?
      fs_fresh(w7 + threadIdx.x + 256) : 0;
  const int part7_2 = threadIdx.x + 512 < gridDim.x ?
      fs_fresh(w7 + threadIdx.x + 512) : 0;
  const int part7_3 = threadIdx.x + 768 < gridDim.x ?
      fs_fresh(w7 + threadIdx.x + 768) : 0;
  const int part7_4 = threadIdx.x + 1024 < gridDim.x ?
      fs_fresh(w7 + threadIdx.x + 1024) : 0;
  x7 = x7 | part7_0;
  x7 = x7 | part7_1;
  x7 = x7 | part7_2;
  x7 = x7 | part7_3;
  x7 = x7 | part7_4;
  for (unsigned b = threadIdx.x + 1280; b < gridDim.x; b += 256)
    x7 = x7 | fs_fresh(w7 + b);
  const bool v7 = fs_block<fs_or, 8>(x7, (int *)scratch) != 0;
  __syncthreads();
  if (threadIdx.x == 0) fs_put(a3[0], v7);
}
