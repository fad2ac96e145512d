==== h200
> code: cuda
# k1 row
launch: 256 threads, at most 60 blocks, bounds for 4
shared: 0 B; workspace 256 B and 8 B a block, 256 B of zeros; waits
slots: 0+12 1+12 2 3; sizes: 3 641 704 256 60
// s = M[1:k, k:700]*x[k:700]; sum(s)
//
// scheme row, in chunks; any size; 256 threads; 1 lane x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 1;
#define FS_M size4

// memory.cuh: fs_get fs_put fs_fresh
// reduce.cuh: fs_add fs_warp fs_block fs_fold fs_gather
// barrier.cuh: fs_after_kernels fs_last_block
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, fs_index size0, fs_index size1,
        fs_index size2, fs_index size3, fs_index size4, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  float *const a3 = (float *)s3;
  float *const w3 = (float *)((char *)work + size3);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  float r3 = 0;
  __shared__ float part2[2][8];
  int turn = 0;
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first;
    float r2 = 0;
    for (fs_index h = 0; h < size0; h++) {
      float v0 = 0;
      float v1 = 0;
      {
        const fs_index j = h * 256 + t;
        const bool in = j < size1;
        if (in) v0 = fs_get(a0[i * size2 + j]);
        if (in) v1 = fs_get(a1[j]);
      }
      {
        const fs_index j = h * 256 + t;
        const bool in = j < size1;
        if (in) r2 = fmaf(v0, v1, r2);
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(r2);
      if (threadIdx.x % 32 == 0) part2[turn][threadIdx.x / 32] = x;
    }
    __syncthreads();
    const float v2 = fs_fold<fs_add, 8>(part2[turn]);
    turn ^= 1;  // the next sums go beside these
    if (t == 0) fs_put(a2[i], v2);
    if (t == 0) r3 = r3 + v2;
  }
  {
    const float x = fs_block<fs_add, 8>(r3, (float *)scratch);
    if (threadIdx.x == 0) w3[blockIdx.x] = x;
    __syncthreads();
  }
  if (!fs_last_block(counters)) return;
  float x3 = fs_gather<fs_add, 3>(w3, gridDim.x, 256, 0);
  const float v3 = fs_block<fs_add, 8>(x3, (float *)scratch);
  __syncthreads();
  if (threadIdx.x == 0) fs_put(a3[0], v3);
}
# k2 flat
launch: 256 threads, at most 69 blocks, bounds for 4
shared: 0 B; workspace 256 B and 8 B a block, 256 B of zeros; waits
slots: 4+12 5 6 3 7; params: 0 float; sizes: 69881 256 69
// b = max(x[k:70000-k] + 2*k); t = t + b + sum(s)
//
// scheme flat; any size; 256 threads; 1 lane x 4 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
#define FS_TILES size2

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_fresh
// reduce.cuh: fs_larger fs_warp fs_block fs_gather
// barrier.cuh: fs_after_kernels fs_last_block
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, float p0, fs_index size0,
        fs_index size1, fs_index size2, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const float *const a2 = (const float *)s2;
  const float *const a3 = (const float *)s3;
  float *const a4 = (float *)s4;
  float *const w3 = (float *)((char *)work + size1);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x;
  const float v0 = (float)p0;
  const float v4 = fs_get(a2[0]);
  const float v6 = fs_get(a3[0]);
  float r3 = __int_as_float(0xff800000);
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1[4] = {};
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = tile * 1024 + (c * 256 + t);
      const bool in = j < size0;
      if (in) v1[c] = fs_get(a0[j]);
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = tile * 1024 + (c * 256 + t);
      const bool in = j < size0;
      const float v2 = v0 + v1[c];
      if (in) r3 = fs_max(r3, v2);
    }
  }
  {
    const float x = fs_block<fs_larger, 8>(r3, (float *)scratch);
    if (threadIdx.x == 0) w3[blockIdx.x] = x;
    __syncthreads();
  }
  if (!fs_last_block(counters)) return;
  float x3 = fs_gather<fs_larger,
      3>(w3, gridDim.x, 256, __int_as_float(0xff800000));
  const float v3 = fs_block<fs_larger, 8>(x3, (float *)scratch);
  __syncthreads();
  if (threadIdx.x == 0) fs_put(a1[0], v3);
  const float v5 = v4 + v3;
  const float v7 = v6 + v5;
  if (threadIdx.x == 0) fs_put(a4[0], v7);
}
==== a100
> code: cuda
# k1 row
launch: 256 threads, at most 60 blocks, bounds for 4
shared: 0 B; workspace 256 B and 8 B a block, 256 B of zeros
slots: 0+12 1+12 2 3; sizes: 3 641 704 256 60
// s = M[1:k, k:700]*x[k:700]; sum(s)
//
// scheme row, in chunks; any size; 256 threads; 1 lane x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 1;
#define FS_M size4

// memory.cuh: fs_get fs_put fs_fresh
// reduce.cuh: fs_add fs_warp fs_block fs_fold fs_gather
// barrier.cuh: fs_last_block
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, fs_index size0, fs_index size1,
        fs_index size2, fs_index size3, fs_index size4, void *work
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  float *const a3 = (float *)s3;
  float *const w3 = (float *)((char *)work + size3);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  float r3 = 0;
  __shared__ float part2[2][8];
  int turn = 0;
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first;
    float r2 = 0;
    for (fs_index h = 0; h < size0; h++) {
      float v0 = 0;
      float v1 = 0;
      {
        const fs_index j = h * 256 + t;
        const bool in = j < size1;
        if (in) v0 = fs_get(a0[i * size2 + j]);
        if (in) v1 = fs_get(a1[j]);
      }
      {
        const fs_index j = h * 256 + t;
        const bool in = j < size1;
        if (in) r2 = fmaf(v0, v1, r2);
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(r2);
      if (threadIdx.x % 32 == 0) part2[turn][threadIdx.x / 32] = x;
    }
    __syncthreads();
    const float v2 = fs_fold<fs_add, 8>(part2[turn]);
    turn ^= 1;  // the next sums go beside these
    if (t == 0) fs_put(a2[i], v2);
    if (t == 0) r3 = r3 + v2;
  }
  {
    const float x = fs_block<fs_add, 8>(r3, (float *)scratch);
    if (threadIdx.x == 0) w3[blockIdx.x] = x;
    __syncthreads();
  }
  if (!fs_last_block(counters)) return;
  float x3 = fs_gather<fs_add, 2>(w3, gridDim.x, 256, 0);
  const float v3 = fs_block<fs_add, 8>(x3, (float *)scratch);
  __syncthreads();
  if (threadIdx.x == 0) fs_put(a3[0], v3);
}
# k2 flat
launch: 256 threads, at most 69 blocks, bounds for 4
shared: 0 B; workspace 256 B and 8 B a block, 256 B of zeros
slots: 4+12 5 6 3 7; params: 0 float; sizes: 69881 256 69
// b = max(x[k:70000-k] + 2*k); t = t + b + sum(s)
//
// scheme flat; any size; 256 threads; 1 lane x 4 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
#define FS_TILES size2

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_fresh
// reduce.cuh: fs_larger fs_warp fs_block fs_gather
// barrier.cuh: fs_last_block
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, float p0, fs_index size0,
        fs_index size1, fs_index size2, void *work
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const float *const a2 = (const float *)s2;
  const float *const a3 = (const float *)s3;
  float *const a4 = (float *)s4;
  float *const w3 = (float *)((char *)work + size1);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x;
  const float v0 = (float)p0;
  const float v4 = fs_get(a2[0]);
  const float v6 = fs_get(a3[0]);
  float r3 = __int_as_float(0xff800000);
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1[4] = {};
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = tile * 1024 + (c * 256 + t);
      const bool in = j < size0;
      if (in) v1[c] = fs_get(a0[j]);
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const fs_index j = tile * 1024 + (c * 256 + t);
      const bool in = j < size0;
      const float v2 = v0 + v1[c];
      if (in) r3 = fs_max(r3, v2);
    }
  }
  {
    const float x = fs_block<fs_larger, 8>(r3, (float *)scratch);
    if (threadIdx.x == 0) w3[blockIdx.x] = x;
    __syncthreads();
  }
  if (!fs_last_block(counters)) return;
  float x3 = fs_gather<fs_larger,
      2>(w3, gridDim.x, 256, __int_as_float(0xff800000));
  const float v3 = fs_block<fs_larger, 8>(x3, (float *)scratch);
  __syncthreads();
  if (threadIdx.x == 0) fs_put(a1[0], v3);
  const float v5 = v4 + v3;
  const float v7 = v6 + v5;
  if (threadIdx.x == 0) fs_put(a4[0], v7);
}
