==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 118 blocks, bounds for 4
shared: 0 B; workspace 256 B and 0 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2 3; params: 1 int, 2 int, 3 int, 4 int, 5 int, 0 int
typedef int fs_index;

// maps.cuh: fs_mod
// memory.cuh: fs_get fs_put fs_pack fs_load fs_place fs_load_by_list
// reduce.cuh: fs_add fs_lanes fs_warp
// barrier.cuh: fs_after_kernels fs_grid_barrier
// phase 1 of the launch
// P = mod((1:300)*(1:100)', 100) + 1
//
// scheme flat; 30000 elements; 256 threads; 1 lane x 1 vector
namespace phase1 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
constexpr fs_index FS_TILES = 118;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, long long p0, long long p1, long long p2, long long p3, long long
        p4, long long p5
) {
  long long *const a0 = (long long *)s0;
  const int t = threadIdx.x;
  const long long v0 = (long long)p0;
  const long long v1 = (long long)p1;
  const long long v3 = (long long)p2;
  const long long v4 = (long long)p3;
  const long long v7 = (long long)p4;
  const long long v9 = (long long)p5;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    {
      const fs_index g = tile * 256 + t;
      const fs_index j0 = g / 100;
      const fs_index j1 = g % 100;
      const bool in = g < 30000;
      const long long v2 = v0 + v1 * (long long)(j0);
      const long long v5 = v3 + v4 * (long long)(j1);
      const long long v6 = v2 * v5;
      const long long v8 = fs_mod(v6, v7);
      const long long v10 = v9 + v8;
      if (in) fs_put(a0[j0 * 100 + j1], v10);
    }
  }
}
}  // namespace phase1

// phase 2 of the launch, behind a barrier
// q = sum(C .* v[P], 2)
//
// scheme row; 300 rows of 100; 256 threads, 32 on a row; 4 lanes x 1 vector
namespace phase2 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 8;
constexpr fs_index FS_M = 300;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *s3
) {
  const float *const a0 = (const float *)s0;
  const float *const a2 = (const float *)s1;
  const long long *const a1 = (const long long *)s2;
  float *const a3 = (float *)s3;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first + sub;
    const bool ok = i < 300;
    float r2[4] = {};
    float v0[4] = {};
    float v1[4] = {};
    {
      const fs_index j = t * 4;
      const bool in = j < 100;
      if (ok && in) fs_load(v0, a0 + (i * 100 + j));
      if (ok) fs_load_by_list(v1, a2, (fs_index)0, (fs_index)1, a1 +
          (i * 100 + j), in ? 4 : 0);
    }
    {
      const fs_index j = t * 4;
      const bool in = j < 100;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        if (in) r2[e] = fmaf(v0[e], v1[e], r2[e]);
      }
    }
    const float v2 = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r2));
    if (t == 0 && ok) fs_put(a3[i], v2);
  }
}
}  // namespace phase2

extern "C" __global__ void __launch_bounds__(256, 4)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, long long p0, long long p1, long
        long p2, long long p3, long long p4, long long p5, void *work
) {
  fs_after_kernels();
  unsigned *const counters = (unsigned *)work;
  phase1::fs_kernel(s0, p0, p1, p2, p3, p4, p5);
  fs_grid_barrier(counters);
  phase2::fs_kernel(s1, s2, s0, s3);
}
# k2 row
it is a phase of the launch before it
