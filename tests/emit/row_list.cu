==== h200
> code: cuda
# k1 flat
launch: 512 threads, at most 75 blocks, 2 a unit, bounds for 2
shared: 0 B; workspace 512 B and 4096 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2 3 4; params: 1 int, 2 int, 3 int, 4 int, 0 int
typedef int fs_index;

// maps.cuh: fs_mod
// memory.cuh: fs_get fs_put fs_pack fs_load fs_place fs_store
// reduce.cuh: fs_add fs_lanes fs_warp fs_across fs_fold fs_side fs_add_parts fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_after_kernels fs_grid_barrier
// phase 1 of the launch
// p = mod(7*(1:300), 500) + 1
//
// scheme flat; 300 elements; 512 threads; 1 lane x 1 vector
namespace phase1 {
constexpr int FS_THREADS = 512, FS_RESIDENT = 2;
constexpr fs_index FS_TILES = 1;

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
      const fs_index j = tile * 512 + t;
      const bool in = j < 300;
      const long long v3 = v1 + v2 * (long long)(j);
      const long long v4 = v0 * v3;
      const long long v6 = fs_mod(v4, v5);
      const long long v8 = v7 + v6;
      if (in) fs_put(a0[j], v8);
    }
  }
}
}  // namespace phase1

// phase 2 of the launch, behind a barrier
// q = A[p, :]*v; s = A[p, :]'*q
//
// scheme row; 300 rows of 1024; 512 threads, 128 on a row; 4 lanes x 2 vectors
namespace phase2 {
constexpr int FS_THREADS = 512, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 128, FS_ROWS = 4;
constexpr fs_index FS_M = 300;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *work, unsigned
        *counters
) {
  const float *const a0 = (const float *)s0;
  const float *const a2 = (const float *)s1;
  const long long *const a1 = (const long long *)s2;
  float *const a3 = (float *)s3;
  float *const a4 = (float *)s4;
  float *const w3 = (float *)((char *)work + 256);
  alignas(16) __shared__ double scratch[2048];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  __shared__ float part2[2][16];
  int turn = 0;
  float v0[2][4];
#pragma unroll
  for (int c = 0; c < 2; c++) {
    const fs_index j = (c * 128 + t) * 4;
    fs_load(v0[c], a0 + j);
  }
  float r3[2][4] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first + sub;
    float r2[4] = {};
    float v1[2][4];
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 128 + t) * 4;
      fs_load(v1[c], a2 + (fs_place<fs_index>(a1[i]) * 1024 + j));
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 128 + t) * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r2[e] = fmaf(v1[c][e], v0[c][e], r2[e]);
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r2));
      if (threadIdx.x % 32 == 0) part2[turn][threadIdx.x / 32] = x;
    }
    __syncthreads();
    const float v2 = fs_fold<fs_add, 4>(part2[turn] + sub * 4);
    turn ^= 1;  // the next sums go beside these
    if (t == 0) fs_put(a3[i], v2);
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 128 + t) * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r3[c][e] = fmaf(v1[c][e], v2, r3[c][e]);
      }
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
  {
    float *const side = (float *)scratch;
    __syncthreads();
    fs_store(side + (sub * 256 + 0 + t) * 4, r3[0]);
    fs_store(side + (sub * 256 + 128 + t) * 4, r3[1]);
    __syncthreads();
    for (int v = threadIdx.x; v < 256; v += 512) {
      const int c = 0 + v / 128;
      const int t = v % 128;
      const fs_index j = (c * 128 + t) * 4;
      float x[4];
      fs_side<fs_add, 4>(x, side, v, 256);
      fs_store(w3 + part * 1024 + j, x);
    }
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  float part3[5][4];
  fs_fetch(part3, w3, (fs_index)blockIdx.x * 32 + lane * 4, slice, 64,
      (fs_index)gridDim.x, 1024, 0);
  for (fs_index unit = blockIdx.x; unit < 32; unit += gridDim.x) {
    const fs_index x = unit * 32 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 32 && j < 1024;
    float sum3[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum3[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum3, part3);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_add, 1>(sum3, w3, at, slice, (fs_index)gridDim.x, 64,
          1024);
    }
    float x3 = 0;
    x3 = fs_slices<fs_add, 8>(sum3, (float *)scratch, 512, x3);
    if (own) {
      const float v3 = x3;
      fs_put(a4[j], v3);
    }
  }
}
}  // namespace phase2

extern "C" __global__ void __launch_bounds__(512, 2)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, long long p0, long long
        p1, long long p2, long long p3, long long p4, void *work
) {
  fs_after_kernels();
  unsigned *const counters = (unsigned *)work;
  phase1::fs_kernel(s0, p0, p1, p2, p3, p4);
  fs_grid_barrier(counters);
  phase2::fs_kernel(s1, s2, s0, s3, s4, (char *)work + 256, counters);
}
# k2 row
it is a phase of the launch before it
==== a100
> code: cuda
# k1 flat
launch: 512 threads, at most 75 blocks, 2 a unit, bounds for 2
shared: 0 B; workspace 512 B and 4096 B a block, 256 B of zeros; cooperative
slots: 0 1 2 3 4; params: 1 int, 2 int, 3 int, 4 int, 0 int
typedef int fs_index;

// maps.cuh: fs_mod
// memory.cuh: fs_get fs_put fs_pack fs_load fs_place fs_store
// reduce.cuh: fs_add fs_lanes fs_warp fs_across fs_fold fs_side fs_add_parts fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_grid_barrier
// phase 1 of the launch
// p = mod(7*(1:300), 500) + 1
//
// scheme flat; 300 elements; 512 threads; 1 lane x 1 vector
namespace phase1 {
constexpr int FS_THREADS = 512, FS_RESIDENT = 2;
constexpr fs_index FS_TILES = 1;

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
      const fs_index j = tile * 512 + t;
      const bool in = j < 300;
      const long long v3 = v1 + v2 * (long long)(j);
      const long long v4 = v0 * v3;
      const long long v6 = fs_mod(v4, v5);
      const long long v8 = v7 + v6;
      if (in) fs_put(a0[j], v8);
    }
  }
}
}  // namespace phase1

// phase 2 of the launch, behind a barrier
// q = A[p, :]*v; s = A[p, :]'*q
//
// scheme row; 300 rows of 1024; 512 threads, 128 on a row; 4 lanes x 2 vectors
namespace phase2 {
constexpr int FS_THREADS = 512, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 128, FS_ROWS = 4;
constexpr fs_index FS_M = 300;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *work, unsigned
        *counters
) {
  const float *const a0 = (const float *)s0;
  const float *const a2 = (const float *)s1;
  const long long *const a1 = (const long long *)s2;
  float *const a3 = (float *)s3;
  float *const a4 = (float *)s4;
  float *const w3 = (float *)((char *)work + 256);
  alignas(16) __shared__ double scratch[2048];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  __shared__ float part2[2][16];
  int turn = 0;
  float v0[2][4];
#pragma unroll
  for (int c = 0; c < 2; c++) {
    const fs_index j = (c * 128 + t) * 4;
    fs_load(v0[c], a0 + j);
  }
  float r3[2][4] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first + sub;
    float r2[4] = {};
    float v1[2][4];
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 128 + t) * 4;
      fs_load(v1[c], a2 + (fs_place<fs_index>(a1[i]) * 1024 + j));
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 128 + t) * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r2[e] = fmaf(v1[c][e], v0[c][e], r2[e]);
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r2));
      if (threadIdx.x % 32 == 0) part2[turn][threadIdx.x / 32] = x;
    }
    __syncthreads();
    const float v2 = fs_fold<fs_add, 4>(part2[turn] + sub * 4);
    turn ^= 1;  // the next sums go beside these
    if (t == 0) fs_put(a3[i], v2);
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 128 + t) * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r3[c][e] = fmaf(v1[c][e], v2, r3[c][e]);
      }
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
  {
    float *const side = (float *)scratch;
    __syncthreads();
    fs_store(side + (sub * 256 + 0 + t) * 4, r3[0]);
    fs_store(side + (sub * 256 + 128 + t) * 4, r3[1]);
    __syncthreads();
    for (int v = threadIdx.x; v < 256; v += 512) {
      const int c = 0 + v / 128;
      const int t = v % 128;
      const fs_index j = (c * 128 + t) * 4;
      float x[4];
      fs_side<fs_add, 4>(x, side, v, 256);
      fs_store(w3 + part * 1024 + j, x);
    }
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  float part3[4][4];
  fs_fetch(part3, w3, (fs_index)blockIdx.x * 32 + lane * 4, slice, 64,
      (fs_index)gridDim.x, 1024, 0);
  for (fs_index unit = blockIdx.x; unit < 32; unit += gridDim.x) {
    const fs_index x = unit * 32 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 32 && j < 1024;
    float sum3[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum3[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum3, part3);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_add, 1>(sum3, w3, at, slice, (fs_index)gridDim.x, 64,
          1024);
    }
    float x3 = 0;
    x3 = fs_slices<fs_add, 8>(sum3, (float *)scratch, 512, x3);
    if (own) {
      const float v3 = x3;
      fs_put(a4[j], v3);
    }
  }
}
}  // namespace phase2

extern "C" __global__ void __launch_bounds__(512, 2)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, long long p0, long long
        p1, long long p2, long long p3, long long p4, void *work
) {
  unsigned *const counters = (unsigned *)work;
  phase1::fs_kernel(s0, p0, p1, p2, p3, p4);
  fs_grid_barrier(counters);
  phase2::fs_kernel(s1, s2, s0, s3, s4, (char *)work + 256, counters);
}
# k2 row
it is a phase of the launch before it
