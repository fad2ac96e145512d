==== h200
> code: cuda
# k1 flat
launch: 128 threads, at most 391 blocks, bounds for 8
shared: 0 B; workspace 256 B and 0 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2 3; params: 1 int, 2 int, 3 int, 4 int, 0 int, 5 float
typedef int fs_index;

// maps.cuh: fs_mod
// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_some fs_place fs_load_by_list fs_store fs_store_some
// barrier.cuh: fs_after_kernels fs_grid_barrier
// phase 1 of the launch
// p = mod(31*(1:100003), 100003) + 1
//
// scheme flat; 100003 elements; 128 threads; 2 lanes x 1 vector
namespace phase1 {
constexpr int FS_THREADS = 128, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 391;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, long long p0, long long p1, long long p2, long long p3, long long
        p4
) {
  long long *const a0 = (long long *)s0;
  const int t = threadIdx.x;
  const long long v0 = (long long)p0;
  const long long v1 = (long long)p1;
  const long long v2 = (long long)p2;
  const long long v5 = (long long)p3;
  const long long v7 = (long long)p4;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    {
      const fs_index j = (tile * 128 + t) * 2;
      const int k = !(j < 100003) ? 0 : 100003 - j < 2 ? int(100003 - j) : 2;
      long long v8[2];
#pragma unroll
      for (int e = 0; e < 2; e++) {
        const long long v3 = v1 + v2 * (long long)(j + e);
        const long long v4 = v0 * v3;
        const long long v6 = fs_mod(v4, v5);
        v8[e] = v7 + v6;
      }
      fs_store_some(a0 + j, v8, k);
    }
  }
}
}  // namespace phase1

// phase 2 of the launch, behind a barrier
// z = w[p] - 2*v
//
// scheme flat; 100003 elements; 128 threads; 4 lanes x 1 vector
namespace phase2 {
constexpr int FS_THREADS = 128, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 196;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, float p0
) {
  const float *const a0 = (const float *)s0;
  const float *const a2 = (const float *)s1;
  const long long *const a1 = (const long long *)s2;
  float *const a3 = (float *)s3;
  const int t = threadIdx.x;
  const float v0 = (float)p0;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1[4] = {};
    float v3[4] = {};
    {
      const fs_index j = (tile * 128 + t) * 4;
      const int k = !(j < 100003) ? 0 : 100003 - j < 4 ? int(100003 - j) : 4;
      fs_load_some(v1, a0 + j, k);
      fs_load_by_list(v3, a2, (fs_index)0, (fs_index)1, a1 + (j), k);
    }
    {
      const fs_index j = (tile * 128 + t) * 4;
      const int k = !(j < 100003) ? 0 : 100003 - j < 4 ? int(100003 - j) : 4;
      float v4[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0 * v1[e];
        v4[e] = v3[e] - v2;
      }
      fs_store_some(a3 + j, v4, k);
    }
  }
}
}  // namespace phase2

extern "C" __global__ void __launch_bounds__(128, 8)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, long long p0, long long p1, long
        long p2, long long p3, long long p4, float p5, void *work
) {
  fs_after_kernels();
  unsigned *const counters = (unsigned *)work;
  phase1::fs_kernel(s0, p0, p1, p2, p3, p4);
  fs_grid_barrier(counters);
  phase2::fs_kernel(s1, s2, s0, s3, p5);
}
# k2 flat
it is a phase of the launch before it
==== a100
> code: cuda
# k1 flat
launch: 128 threads, at most 391 blocks, bounds for 8
shared: 0 B; workspace 256 B and 0 B a block, 256 B of zeros; cooperative
slots: 0 1 2 3; params: 1 int, 2 int, 3 int, 4 int, 0 int, 5 float
typedef int fs_index;

// maps.cuh: fs_mod
// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_some fs_place fs_load_by_list fs_store fs_store_some
// barrier.cuh: fs_grid_barrier
// phase 1 of the launch
// p = mod(31*(1:100003), 100003) + 1
//
// scheme flat; 100003 elements; 128 threads; 2 lanes x 1 vector
namespace phase1 {
constexpr int FS_THREADS = 128, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 391;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, long long p0, long long p1, long long p2, long long p3, long long
        p4
) {
  long long *const a0 = (long long *)s0;
  const int t = threadIdx.x;
  const long long v0 = (long long)p0;
  const long long v1 = (long long)p1;
  const long long v2 = (long long)p2;
  const long long v5 = (long long)p3;
  const long long v7 = (long long)p4;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    {
      const fs_index j = (tile * 128 + t) * 2;
      const int k = !(j < 100003) ? 0 : 100003 - j < 2 ? int(100003 - j) : 2;
      long long v8[2];
#pragma unroll
      for (int e = 0; e < 2; e++) {
        const long long v3 = v1 + v2 * (long long)(j + e);
        const long long v4 = v0 * v3;
        const long long v6 = fs_mod(v4, v5);
        v8[e] = v7 + v6;
      }
      fs_store_some(a0 + j, v8, k);
    }
  }
}
}  // namespace phase1

// phase 2 of the launch, behind a barrier
// z = w[p] - 2*v
//
// scheme flat; 100003 elements; 128 threads; 4 lanes x 1 vector
namespace phase2 {
constexpr int FS_THREADS = 128, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 196;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, float p0
) {
  const float *const a0 = (const float *)s0;
  const float *const a2 = (const float *)s1;
  const long long *const a1 = (const long long *)s2;
  float *const a3 = (float *)s3;
  const int t = threadIdx.x;
  const float v0 = (float)p0;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1[4] = {};
    float v3[4] = {};
    {
      const fs_index j = (tile * 128 + t) * 4;
      const int k = !(j < 100003) ? 0 : 100003 - j < 4 ? int(100003 - j) : 4;
      fs_load_some(v1, a0 + j, k);
      fs_load_by_list(v3, a2, (fs_index)0, (fs_index)1, a1 + (j), k);
    }
    {
      const fs_index j = (tile * 128 + t) * 4;
      const int k = !(j < 100003) ? 0 : 100003 - j < 4 ? int(100003 - j) : 4;
      float v4[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0 * v1[e];
        v4[e] = v3[e] - v2;
      }
      fs_store_some(a3 + j, v4, k);
    }
  }
}
}  // namespace phase2

extern "C" __global__ void __launch_bounds__(128, 8)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, long long p0, long long p1, long
        long p2, long long p3, long long p4, float p5, void *work
) {
  unsigned *const counters = (unsigned *)work;
  phase1::fs_kernel(s0, p0, p1, p2, p3, p4);
  fs_grid_barrier(counters);
  phase2::fs_kernel(s1, s2, s0, s3, p5);
}
# k2 flat
it is a phase of the launch before it
