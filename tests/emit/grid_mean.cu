==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 489 blocks, bounds for 6
shared: 0 B; workspace 256 B and 8 B a block, 256 B of zeros; waits
slots: 0 1; params: 0 float
// m = mean(p)
//
// scheme flat; 1000000 elements; 256 threads; 4 lanes x 2 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 6;
constexpr fs_index FS_TILES = 489;

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
  float *const w1 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x;
  const float v2 = (float)p0;
  float r1[4] = {};
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0[2][4] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      const bool in = j < 1000000;
      if (in) fs_load(v0[c], a0 + j);
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      const bool in = j < 1000000;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        if (in) r1[e] = r1[e] + v0[c][e];
      }
    }
  }
  {
    const float x = fs_block<fs_add, 8>(fs_lanes<fs_add>(r1), (float *)scratch);
    if (threadIdx.x == 0) w1[blockIdx.x] = x;
    __syncthreads();
  }
  if (!fs_last_block(counters)) return;
  float x1 = fs_gather<fs_add, 4>(w1, gridDim.x, 256, 0);
  const float v1 = fs_block<fs_add, 8>(x1, (float *)scratch);
  __syncthreads();
  const float v3 = v1 / v2;
  if (threadIdx.x == 0) fs_put(a1[0], v3);
}
# k2 flat
launch: 256 threads, at most 977 blocks, bounds for 6
shared: 0 B; workspace 512 B and 256 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2 3 4
typedef int fs_index;

// quick.cuh: fs_reciprocal fs_div fs_last_step fs_div_or_0
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store fs_fresh
// reduce.cuh: fs_add fs_lanes fs_warp fs_block fs_fewer fs_gather
// barrier.cuh: fs_after_kernels fs_grid_barrier
// phase 1 of the launch
// v = p - m; s = v'*v
//
// scheme flat; 1000000 elements; 256 threads; 4 lanes x 2 vectors
namespace phase1 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 6;
constexpr fs_index FS_TILES = 489;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *work, unsigned *counters,
        float &c3
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  float *const a3 = (float *)s3;
  float *const w3 = (float *)((char *)work + 256);
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x;
  const float v1 = fs_get(a1[0]);
  float r3[4] = {};
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0[2][4] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      const bool in = j < 1000000;
      if (in) fs_load(v0[c], a0 + j);
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      const bool in = j < 1000000;
      float v2[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v2[e] = v0[c][e] - v1;
        if (in) r3[e] = fmaf(v2[e], v2[e], r3[e]);
      }
      if (in) fs_store(a2 + j, v2);
    }
  }
  {
    const float x = fs_block<fs_add, 8>(fs_lanes<fs_add>(r3), (float *)scratch);
    if (threadIdx.x == 0) w3[blockIdx.x] = x;
    __syncthreads();
  }
  fs_grid_barrier(counters);
  float x3 = fs_gather<fs_add, 2>(w3, fs_fewer(gridDim.x, 489), 256, 0);
  const float v3 = fs_block<fs_add, 8>(x3, (float *)scratch);
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a3[0], v3);
  c3 = v3;
}
}  // namespace phase1

// phase 2 of the launch
// w = v/sqrt(s)
//
// scheme flat; 1000000 elements; 256 threads; 4 lanes x 1 vector
namespace phase2 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 6;
constexpr fs_index FS_TILES = 977;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, float &c3
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x;
  const float v0 = c3;
  const float v1 = sqrtf(v0);
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v2[4] = {};
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 1000000;
      if (in) fs_load(v2, a1 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 1000000;
      float v3[4];
      bool rare = false;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v3[e] = fs_div_or_0(v2[e], v1, rare);
      }
      if (rare) {
#pragma unroll
        for (int e = 0; e < 4; e++) {
          v3[e] = fs_div(v2[e], v1);
        }
      }
      if (in) fs_store(a2 + j, v3);
    }
  }
}
}  // namespace phase2

extern "C" __global__ void __launch_bounds__(256, 6)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *work
) {
  fs_after_kernels();
  unsigned *const counters = (unsigned *)work;
  float c3 = 0;
  phase1::fs_kernel(s0, s1, s2, s3, (char *)work + 256, counters, c3);
  phase2::fs_kernel(s3, s2, s4, c3);
}
# k3 flat
it is a phase of the launch before it
==== a100
> code: cuda
# k1 flat
launch: 256 threads, at most 489 blocks, bounds for 6
shared: 0 B; workspace 256 B and 8 B a block, 256 B of zeros
slots: 0 1; params: 0 float
// m = mean(p)
//
// scheme flat; 1000000 elements; 256 threads; 4 lanes x 2 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 6;
constexpr fs_index FS_TILES = 489;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_fresh
// reduce.cuh: fs_add fs_lanes fs_warp fs_block fs_gather
// barrier.cuh: fs_last_block
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0, void *work
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  float *const w1 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x;
  const float v2 = (float)p0;
  float r1[4] = {};
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0[2][4] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      const bool in = j < 1000000;
      if (in) fs_load(v0[c], a0 + j);
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      const bool in = j < 1000000;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        if (in) r1[e] = r1[e] + v0[c][e];
      }
    }
  }
  {
    const float x = fs_block<fs_add, 8>(fs_lanes<fs_add>(r1), (float *)scratch);
    if (threadIdx.x == 0) w1[blockIdx.x] = x;
    __syncthreads();
  }
  if (!fs_last_block(counters)) return;
  float x1 = fs_gather<fs_add, 3>(w1, gridDim.x, 256, 0);
  const float v1 = fs_block<fs_add, 8>(x1, (float *)scratch);
  __syncthreads();
  const float v3 = v1 / v2;
  if (threadIdx.x == 0) fs_put(a1[0], v3);
}
# k2 flat
launch: 256 threads, at most 977 blocks, bounds for 8
shared: 0 B; workspace 512 B and 256 B a block, 256 B of zeros; cooperative
slots: 0 1 2 3 4
typedef int fs_index;

// quick.cuh: fs_reciprocal fs_div fs_last_step fs_div_or_0
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store fs_fresh
// reduce.cuh: fs_add fs_lanes fs_warp fs_block fs_gather
// barrier.cuh: fs_grid_barrier
// phase 1 of the launch
// v = p - m; s = v'*v
//
// scheme flat; 1000000 elements; 256 threads; 4 lanes x 1 vector
namespace phase1 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 977;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *work, unsigned *counters,
        float &c3
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  float *const a3 = (float *)s3;
  float *const w3 = (float *)((char *)work + 256);
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x;
  const float v1 = fs_get(a1[0]);
  float r3[4] = {};
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0[4] = {};
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 1000000;
      if (in) fs_load(v0, a0 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 1000000;
      float v2[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v2[e] = v0[e] - v1;
        if (in) r3[e] = fmaf(v2[e], v2[e], r3[e]);
      }
      if (in) fs_store(a2 + j, v2);
    }
  }
  {
    const float x = fs_block<fs_add, 8>(fs_lanes<fs_add>(r3), (float *)scratch);
    if (threadIdx.x == 0) w3[blockIdx.x] = x;
    __syncthreads();
  }
  fs_grid_barrier(counters);
  float x3 = fs_gather<fs_add, 4>(w3, gridDim.x, 256, 0);
  const float v3 = fs_block<fs_add, 8>(x3, (float *)scratch);
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a3[0], v3);
  c3 = v3;
}
}  // namespace phase1

// phase 2 of the launch
// w = v/sqrt(s)
//
// scheme flat; 1000000 elements; 256 threads; 4 lanes x 1 vector
namespace phase2 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 977;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, float &c3
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x;
  const float v0 = c3;
  const float v1 = sqrtf(v0);
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v2[4] = {};
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 1000000;
      if (in) fs_load(v2, a1 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 4;
      const bool in = j < 1000000;
      float v3[4];
      bool rare = false;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v3[e] = fs_div_or_0(v2[e], v1, rare);
      }
      if (rare) {
#pragma unroll
        for (int e = 0; e < 4; e++) {
          v3[e] = fs_div(v2[e], v1);
        }
      }
      if (in) fs_store(a2 + j, v3);
    }
  }
}
}  // namespace phase2

extern "C" __global__ void __launch_bounds__(256, 8)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *work
) {
  unsigned *const counters = (unsigned *)work;
  float c3 = 0;
  phase1::fs_kernel(s0, s1, s2, s3, (char *)work + 256, counters, c3);
  phase2::fs_kernel(s3, s2, s4, c3);
}
# k3 flat
it is a phase of the launch before it
