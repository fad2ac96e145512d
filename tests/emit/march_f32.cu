==== h200
> code: cuda
# k1 row
launch: 256 threads, at most 5001 blocks, 2 a unit, bounds for 2
shared: 0 B; workspace 512 B and 1280 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2 3 5; params: 0 float, 1 float
typedef int fs_index;

// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_store
// cache.cuh: fs_cache_stays fs_cache_passes fs_words_by fs_load_by
// reduce.cuh: fs_add fs_lanes fs_warp fs_across fs_side fs_add_parts fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_after_kernels fs_grid_barrier
// phase 1 of the launch
// x1 = 2*A'*u + v
//
// scheme row; 160001 rows of 264; 256 threads, 64 on a row; 4 lanes x 2 vectors; 32 rows at once
namespace phase1 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 64, FS_ROWS = 32;
constexpr fs_index FS_M = 160001;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, float p0, void *work, unsigned
        *counters
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a2 = (const float *)s2;
  float *const a3 = (float *)s3;
  float *const w2 = (float *)((char *)work + 256);
  alignas(16) __shared__ double scratch[1024];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v3 = (float)p0;
  const unsigned long long stays = fs_cache_stays();
  const unsigned long long passes = fs_cache_passes();
  float r2[2][4] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float v1[8];
#pragma unroll
    for (int b = 0; b < 8; b++) {
      const fs_index i = first + (b * 4 + sub);
      const bool ok = i < 160001;
      v1[b] = ok ? fs_get(a1[i]) : (float)0;
    }
    float v0[8][2][4] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 64 + t) * 4;
      const bool in = j < 264;
#pragma unroll
      for (int b = 0; b < 8; b++) {
        const fs_index i = first + (b * 4 + sub);
        const bool ok = i < 160001;
        if (ok && in) fs_load_by(v0[b][c], a0 + (i * 288 + j), i < 17873 ? stays
            : passes);
      }
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 64 + t) * 4;
      const bool in = j < 264;
#pragma unroll
      for (int b = 0; b < 8; b++) {
        const fs_index i = first + (b * 4 + sub);
        const bool ok = i < 160001;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          if (ok) r2[c][e] = fmaf(v0[b][c][e], v1[b], r2[c][e]);
        }
      }
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
  {
    float *const side = (float *)scratch;
    __syncthreads();
    fs_store(side + (sub * 128 + 0 + t) * 4, r2[0]);
    fs_store(side + (sub * 128 + 64 + t) * 4, r2[1]);
    __syncthreads();
    for (int v = threadIdx.x; v < 128; v += 256) {
      const int c = 0 + v / 64;
      const int t = v % 64;
      const fs_index j = (c * 64 + t) * 4;
      const bool in = j < 264;
      float x[4];
      fs_side<fs_add, 4>(x, side, v, 128);
      if (in) fs_store(w2 + part * 288 + j, x);
    }
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  float part2[9][4];
  fs_fetch(part2, w2, (fs_index)blockIdx.x * 32 + lane * 4, slice, 32,
      (fs_index)gridDim.x, 288, 0);
  for (fs_index unit = blockIdx.x; unit < 9; unit += gridDim.x) {
    const fs_index x = unit * 32 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 32 && j < 264;
    const float v5 = own ? fs_get(a2[j]) : (float)0;
    float sum2[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum2[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum2, part2);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_add, 1>(sum2, w2, at, slice, (fs_index)gridDim.x, 32,
          288);
    }
    float x2 = 0;
    x2 = fs_slices<fs_add, 8>(sum2, (float *)scratch, 256, x2);
    if (own) {
      const float v2 = x2;
      const float v4 = v3 * v2;
      const float v6 = v5 + v4;
      fs_put(a3[j], v6);
    }
  }
}
}  // namespace phase1

// phase 2 of the launch, behind a barrier
// w1 = 3*A*x1
//
// scheme row; 160001 rows of 264; 256 threads, 32 on a row; 4 lanes x 3 vectors; 32 rows at once
namespace phase2 {
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 32;
constexpr fs_index FS_M = 160001;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, float p0
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v3 = (float)p0;
  const unsigned long long stays = fs_cache_stays();
  const unsigned long long passes = fs_cache_passes();
  float v1[3][4] = {};
#pragma unroll
  for (int c = 0; c < 3; c++) {
    const fs_index j = (c * 32 + t) * 4;
    const bool in = j < 264;
    if (in) fs_load(v1[c], a1 + j);
  }
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float r2[4][4] = {};
    float v0[4][3][4] = {};
#pragma unroll
    for (int c = 0; c < 3; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 264;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + (b * 8 + sub);
        const bool ok = i < 160001;
        if (ok && in) fs_load_by(v0[b][c], a0 + (i * 288 + j), i < 35746 ? stays
            : passes);
      }
    }
#pragma unroll
    for (int c = 0; c < 3; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 264;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + (b * 8 + sub);
        const bool ok = i < 160001;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          if (in) r2[b][e] = fmaf(v0[b][c][e], v1[c][e], r2[b][e]);
        }
      }
    }
    float v2[4];
#pragma unroll
    for (int b = 0; b < 4; b++) {
      v2[b] = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r2[b]));
    }
    float v4[4];
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_index i = first + (b * 8 + sub);
      const bool ok = i < 160001;
      v4[b] = v3 * v2[b];
      if (t == 0 && ok) fs_put(a2[i], v4[b]);
    }
  }
}
}  // namespace phase2

extern "C" __global__ void __launch_bounds__(256, 2)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, float p0, float p1, void
        *work
) {
  fs_after_kernels();
  unsigned *const counters = (unsigned *)work;
  phase1::fs_kernel(s0, s1, s2, s3, p0, (char *)work + 256, counters);
  fs_grid_barrier(counters);
  phase2::fs_kernel(s0, s3, s4, p1);
}
# k2 row
it is a phase of the launch before it
==== h100
> code: cuda
# k1 row
launch: 256 threads, at most 5001 blocks, 2 a unit, bounds for 2
shared: 0 B; workspace 256 B and 1152 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2 3; params: 0 float
// x1 = 2*A'*u + v
//
// scheme row; 160001 rows of 264; 256 threads, 64 on a row; 4 lanes x 2 vectors; 32 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 64, FS_ROWS = 32;
constexpr fs_index FS_M = 160001;

// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_store
// cache.cuh: fs_cache_stays fs_cache_passes fs_words_by fs_load_by
// reduce.cuh: fs_add fs_across fs_side fs_add_parts fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_after_kernels fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, float p0, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a2 = (const float *)s2;
  float *const a3 = (float *)s3;
  float *const w2 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[1024];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v3 = (float)p0;
  const unsigned long long stays = fs_cache_stays();
  const unsigned long long passes = fs_cache_passes();
  float r2[2][4] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float v1[8];
#pragma unroll
    for (int b = 0; b < 8; b++) {
      const fs_index i = first + (b * 4 + sub);
      const bool ok = i < 160001;
      v1[b] = ok ? fs_get(a1[i]) : (float)0;
    }
    float v0[8][2][4] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 64 + t) * 4;
      const bool in = j < 264;
#pragma unroll
      for (int b = 0; b < 8; b++) {
        const fs_index i = first + (b * 4 + sub);
        const bool ok = i < 160001;
        if (ok && in) fs_load_by(v0[b][c], a0 + (i * 288 + j), i < 14894 ? stays
            : passes);
      }
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 64 + t) * 4;
      const bool in = j < 264;
#pragma unroll
      for (int b = 0; b < 8; b++) {
        const fs_index i = first + (b * 4 + sub);
        const bool ok = i < 160001;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          if (ok) r2[c][e] = fmaf(v0[b][c][e], v1[b], r2[c][e]);
        }
      }
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
  {
    float *const side = (float *)scratch;
    __syncthreads();
    fs_store(side + (sub * 128 + 0 + t) * 4, r2[0]);
    fs_store(side + (sub * 128 + 64 + t) * 4, r2[1]);
    __syncthreads();
    for (int v = threadIdx.x; v < 128; v += 256) {
      const int c = 0 + v / 64;
      const int t = v % 64;
      const fs_index j = (c * 64 + t) * 4;
      const bool in = j < 264;
      float x[4];
      fs_side<fs_add, 4>(x, side, v, 128);
      if (in) fs_store(w2 + part * 288 + j, x);
    }
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  float part2[9][4];
  fs_fetch(part2, w2, (fs_index)blockIdx.x * 32 + lane * 4, slice, 32,
      (fs_index)gridDim.x, 288, 0);
  for (fs_index unit = blockIdx.x; unit < 9; unit += gridDim.x) {
    const fs_index x = unit * 32 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 32 && j < 264;
    const float v5 = own ? fs_get(a2[j]) : (float)0;
    float sum2[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum2[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum2, part2);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_add, 1>(sum2, w2, at, slice, (fs_index)gridDim.x, 32,
          288);
    }
    float x2 = 0;
    x2 = fs_slices<fs_add, 8>(sum2, (float *)scratch, 256, x2);
    if (own) {
      const float v2 = x2;
      const float v4 = v3 * v2;
      const float v6 = v5 + v4;
      fs_put(a3[j], v6);
    }
  }
}
# k2 row
launch: 256 threads, at most 5001 blocks, bounds for 2
shared: 0 B; waits
slots: 4 3 5; params: 1 float
// w1 = 3*A*x1
//
// scheme row; 160001 rows of 264; 256 threads, 32 on a row; 4 lanes x 3 vectors; 32 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 32;
constexpr fs_index FS_M = 160001;

// memory.cuh: fs_get fs_put fs_pack fs_values fs_load
// cache.cuh: fs_cache_stays fs_cache_passes fs_words_by fs_load_by
// reduce.cuh: fs_add fs_lanes fs_warp
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, float p0
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v3 = (float)p0;
  const unsigned long long stays = fs_cache_stays();
  const unsigned long long passes = fs_cache_passes();
  float v1[3][4] = {};
#pragma unroll
  for (int c = 0; c < 3; c++) {
    const fs_index j = (c * 32 + t) * 4;
    const bool in = j < 264;
    if (in) fs_load(v1[c], a1 + j);
  }
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float r2[4][4] = {};
    float v0[4][3][4] = {};
#pragma unroll
    for (int c = 0; c < 3; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 264;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + (b * 8 + sub);
        const bool ok = i < 160001;
        if (ok && in) fs_load_by(v0[b][c], a0 + (i * 288 + j), i < 29789 ? stays
            : passes);
      }
    }
#pragma unroll
    for (int c = 0; c < 3; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 264;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + (b * 8 + sub);
        const bool ok = i < 160001;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          if (in) r2[b][e] = fmaf(v0[b][c][e], v1[c][e], r2[b][e]);
        }
      }
    }
    float v2[4];
#pragma unroll
    for (int b = 0; b < 4; b++) {
      v2[b] = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r2[b]));
    }
    float v4[4];
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_index i = first + (b * 8 + sub);
      const bool ok = i < 160001;
      v4[b] = v3 * v2[b];
      if (t == 0 && ok) fs_put(a2[i], v4[b]);
    }
  }
}
==== a100
> code: cuda
# k1 row
launch: 256 threads, at most 10001 blocks, 3 a unit, bounds for 3
shared: 0 B; workspace 256 B and 1152 B a block, 256 B of zeros; cooperative
slots: 0 1 2 3; params: 0 float
// x1 = 2*A'*u + v
//
// scheme row; 160001 rows of 264; 256 threads, 128 on a row; 4 lanes x 1 vector; 16 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 3;
constexpr int FS_ROW_THREADS = 128, FS_ROWS = 16;
constexpr fs_index FS_M = 160001;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_across fs_side fs_add_parts fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, float p0, void *work
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a2 = (const float *)s2;
  float *const a3 = (float *)s3;
  float *const w2 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v3 = (float)p0;
  float r2[4] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float v1[8];
#pragma unroll
    for (int b = 0; b < 8; b++) {
      const fs_index i = first + (b * 2 + sub);
      const bool ok = i < 160001;
      v1[b] = ok ? fs_get(a1[i]) : (float)0;
    }
    float v0[8][4] = {};
    {
      const fs_index j = t * 4;
      const bool in = j < 264;
#pragma unroll
      for (int b = 0; b < 8; b++) {
        const fs_index i = first + (b * 2 + sub);
        const bool ok = i < 160001;
        if (ok && in) fs_load(v0[b], a0 + (i * 288 + j));
      }
    }
    {
      const fs_index j = t * 4;
      const bool in = j < 264;
#pragma unroll
      for (int b = 0; b < 8; b++) {
        const fs_index i = first + (b * 2 + sub);
        const bool ok = i < 160001;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          if (ok) r2[e] = fmaf(v0[b][e], v1[b], r2[e]);
        }
      }
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
  {
    float *const side = (float *)scratch;
    __syncthreads();
    fs_store(side + (sub * 128 + 0 + t) * 4, r2);
    __syncthreads();
    for (int v = threadIdx.x; v < 128; v += 256) {
      const int t = v % 128;
      const fs_index j = t * 4;
      const bool in = j < 264;
      float x[4];
      fs_side<fs_add, 2>(x, side, v, 128);
      if (in) fs_store(w2 + part * 288 + j, x);
    }
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  float part2[11][4];
  fs_fetch(part2, w2, (fs_index)blockIdx.x * 32 + lane * 4, slice, 32,
      (fs_index)gridDim.x, 288, 0);
  for (fs_index unit = blockIdx.x; unit < 9; unit += gridDim.x) {
    const fs_index x = unit * 32 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 32 && j < 264;
    const float v5 = own ? fs_get(a2[j]) : (float)0;
    float sum2[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum2[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum2, part2);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_add, 1>(sum2, w2, at, slice, (fs_index)gridDim.x, 32,
          288);
    }
    float x2 = 0;
    x2 = fs_slices<fs_add, 8>(sum2, (float *)scratch, 256, x2);
    if (own) {
      const float v2 = x2;
      const float v4 = v3 * v2;
      const float v6 = v5 + v4;
      fs_put(a3[j], v6);
    }
  }
}
# k2 row
launch: 256 threads, at most 10001 blocks, bounds for 3
shared: 0 B
slots: 4 3 5; params: 1 float
// w1 = 3*A*x1
//
// scheme row; 160001 rows of 264; 256 threads, 32 on a row; 4 lanes x 3 vectors; 16 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 3;
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 16;
constexpr fs_index FS_M = 160001;

// memory.cuh: fs_get fs_put fs_pack fs_load
// reduce.cuh: fs_add fs_lanes fs_warp
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, float p0
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v3 = (float)p0;
  float v1[3][4] = {};
#pragma unroll
  for (int c = 0; c < 3; c++) {
    const fs_index j = (c * 32 + t) * 4;
    const bool in = j < 264;
    if (in) fs_load(v1[c], a1 + j);
  }
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float r2[2][4] = {};
    float v0[2][3][4] = {};
#pragma unroll
    for (int c = 0; c < 3; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 264;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + (b * 8 + sub);
        const bool ok = i < 160001;
        if (ok && in) fs_load(v0[b][c], a0 + (i * 288 + j));
      }
    }
#pragma unroll
    for (int c = 0; c < 3; c++) {
      const fs_index j = (c * 32 + t) * 4;
      const bool in = j < 264;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + (b * 8 + sub);
        const bool ok = i < 160001;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          if (in) r2[b][e] = fmaf(v0[b][c][e], v1[c][e], r2[b][e]);
        }
      }
    }
    float v2[2];
#pragma unroll
    for (int b = 0; b < 2; b++) {
      v2[b] = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r2[b]));
    }
    float v4[2];
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + (b * 8 + sub);
      const bool ok = i < 160001;
      v4[b] = v3 * v2[b];
      if (t == 0 && ok) fs_put(a2[i], v4[b]);
    }
  }
}
