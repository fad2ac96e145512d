==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 1954 blocks, bounds for 7
shared: 0 B; workspace 512 B and 256 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2 3 4 5 7 6; params: 5 double, 1 int, 0 int, 2 int, 3 int, 4 int, 0 float
typedef int fs_index;

// maps.cuh: fs_max fs_idiv fs_shl fs_shr fs_mod
// quick.cuh: fs_reciprocal fs_div fs_last_step fs_div_or_0
// memory.cuh: fs_get fs_put fs_bool fs_u64 fs_pack fs_load fs_store fs_fresh
// reduce.cuh: fs_larger fs_lanes fs_warp fs_block fs_gather
// barrier.cuh: fs_after_kernels fs_grid_barrier
// phase 1 of the launch
// r = u64(x*1e15)
//
// scheme flat; 1000000 elements; 256 threads; 2 lanes x 1 vector
namespace phase1 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 7;
constexpr fs_index FS_TILES = 1954;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, double p0
) {
  const double *const a0 = (const double *)s0;
  fs_u64 *const a1 = (fs_u64 *)s1;
  const int t = threadIdx.x;
  const double v0 = (double)p0;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    double v1[2] = {};
    {
      const fs_index j = (tile * 256 + t) * 2;
      const bool in = j < 1000000;
      if (in) fs_load(v1, a0 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 2;
      const bool in = j < 1000000;
      fs_u64 v3[2];
#pragma unroll
      for (int e = 0; e < 2; e++) {
        const double v2 = v0 * v1[e];
        v3[e] = v2 == v2 ? __double2ull_rz(v2) : 0;
      }
      if (in) fs_store(a1 + j, v3);
    }
  }
}
}  // namespace phase1

// phase 2 of the launch
// p = bitxor(shr(a, 33), a) .* 3 + idiv(a, b); q = mod(a, b) > i; s = max(a); t = f32(a)/3
//
// scheme flat; 1000000 elements; 256 threads; 2 lanes x 1 vector
namespace phase2 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 7;
constexpr fs_index FS_TILES = 1954;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, long long p0,
        long long p1, long long p2, long long p3, long long p4, float p5, void
        *work, unsigned *counters, fs_u64 &c6
) {
  const fs_u64 *const a0 = (const fs_u64 *)s0;
  const fs_u64 *const a1 = (const fs_u64 *)s1;
  fs_u64 *const a2 = (fs_u64 *)s2;
  fs_bool *const a3 = (fs_bool *)s3;
  float *const a5 = (float *)s4;
  fs_u64 *const a4 = (fs_u64 *)s5;
  fs_u64 *const w18 = (fs_u64 *)((char *)work + 256);
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x;
  const fs_u64 v1 = (fs_u64)p0;
  const fs_u64 v4 = (fs_u64)p1;
  const long long v9 = (long long)p2;
  const long long v10 = (long long)p3;
  const long long v12 = (long long)p4;
  const float v20 = (float)p5;
  fs_u64 r18[2] = {};
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    fs_u64 v0[2] = {};
    fs_u64 v6[2] = {};
    {
      const fs_index j = (tile * 256 + t) * 2;
      const bool in = j < 1000000;
      if (in) fs_load(v0, a0 + j);
      if (in) fs_load(v6, a1 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 2;
      const bool in = j < 1000000;
      fs_u64 v8[2];
      bool v17[2];
      float v21[2];
      bool rare = false;
#pragma unroll
      for (int e = 0; e < 2; e++) {
        const fs_u64 v2 = fs_shr(v0[e], v1);
        const fs_u64 v3 = v0[e] ^ v2;
        const fs_u64 v5 = v4 * v3;
        const fs_u64 v7 = fs_idiv(v0[e], v6[e]);
        v8[e] = v5 + v7;
        const long long v11 = v9 + v10 * (long long)(j + e);
        const bool v13 = v11 < v12;
        const fs_u64 v14 = fs_mod(v0[e], v6[e]);
        const fs_u64 v15 = (fs_u64)v11;
        const bool v16 = v14 > v15;
        v17[e] = v13 | v16;
        const float v19 = (float)v0[e];
        v21[e] = fs_div_or_0(v19, v20, rare);
      }
      if (rare) {
#pragma unroll
        for (int e = 0; e < 2; e++) {
          const fs_u64 v2 = fs_shr(v0[e], v1);
          const fs_u64 v3 = v0[e] ^ v2;
          const fs_u64 v5 = v4 * v3;
          const fs_u64 v7 = fs_idiv(v0[e], v6[e]);
          v8[e] = v5 + v7;
          const long long v11 = v9 + v10 * (long long)(j + e);
          const bool v13 = v11 < v12;
          const fs_u64 v14 = fs_mod(v0[e], v6[e]);
          const fs_u64 v15 = (fs_u64)v11;
          const bool v16 = v14 > v15;
          v17[e] = v13 | v16;
          const float v19 = (float)v0[e];
          v21[e] = fs_div(v19, v20);
        }
      }
#pragma unroll
      for (int e = 0; e < 2; e++) {
        if (in) r18[e] = fs_max(r18[e], v0[e]);
      }
      if (in) fs_store(a2 + j, v8);
      if (in) fs_store(a3 + j, v17);
      if (in) fs_store(a5 + j, v21);
    }
  }
  {
    const fs_u64 x = fs_block<fs_larger,
        8>(fs_lanes<fs_larger>(r18), (fs_u64 *)scratch);
    if (threadIdx.x == 0) w18[blockIdx.x] = x;
    __syncthreads();
  }
  fs_grid_barrier(counters);
  fs_u64 x18 = fs_gather<fs_larger, 4>(w18, gridDim.x, 256, 0);
  const fs_u64 v18 = fs_block<fs_larger, 8>(x18, (fs_u64 *)scratch);
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a4[0], v18);
  c6 = v18;
}
}  // namespace phase2

extern "C" __global__ void __launch_bounds__(256, 7)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, void *s6, void
        *s7, double p0, long long p1, long long p2, long long p3, long long p4,
        long long p5, float p6, void *work
) {
  fs_after_kernels();
  unsigned *const counters = (unsigned *)work;
  fs_u64 c6 = 0;
  phase1::fs_kernel(s0, s1, p0);
  phase2::fs_kernel(s2, s3, s4, s5, s6, s7, p1, p2, p3, p4, p5, p6, (char *)work
      + 256, counters, c6);
}
# k2 flat
it is a phase of the launch before it
