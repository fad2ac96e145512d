==== h200
> code: cuda
# k1 row
launch: 256 threads, at most 1995 blocks, bounds for 4
shared: 0 B; waits
slots: 0+4 1; params: 1 float, 0 float; sizes: 8 1995 2016
// B = 2*A[k:end, k:end] + 1; s = sum(B, 2)
//
// scheme row, in chunks; any size; 256 threads; 1 lane x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 1;
#define FS_M size1

// memory.cuh: fs_get fs_put
// reduce.cuh: fs_add fs_warp fs_fold
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0, float p1, fs_index size0, fs_index size1,
        fs_index size2
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v0 = (float)p0;
  const float v3 = (float)p1;
  __shared__ float part5[2][8];
  int turn = 0;
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first;
    float r5 = 0;
    for (fs_index h = 0; h < size0; h++) {
      float v1 = 0;
      {
        const fs_index j = h * 256 + t;
        const bool in = j < size1;
        if (in) v1 = fs_get(a0[i * size2 + j]);
      }
      {
        const fs_index j = h * 256 + t;
        const bool in = j < size1;
        const float v2 = v0 * v1;
        const float v4 = v3 + v2;
        if (in) r5 = r5 + v4;
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(r5);
      if (threadIdx.x % 32 == 0) part5[turn][threadIdx.x / 32] = x;
    }
    __syncthreads();
    const float v5 = fs_fold<fs_add, 8>(part5[turn]);
    turn ^= 1;  // the next sums go beside these
    if (t == 0) fs_put(a1[i], v5);
  }
}
==== a100
> code: cuda
# k1 row
launch: 256 threads, at most 1995 blocks, bounds for 4
shared: 0 B
slots: 0+4 1; params: 1 float, 0 float; sizes: 8 1995 2016
// B = 2*A[k:end, k:end] + 1; s = sum(B, 2)
//
// scheme row, in chunks; any size; 256 threads; 1 lane x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 1;
#define FS_M size1

// memory.cuh: fs_get fs_put
// reduce.cuh: fs_add fs_warp fs_fold
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0, float p1, fs_index size0, fs_index size1,
        fs_index size2
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v0 = (float)p0;
  const float v3 = (float)p1;
  __shared__ float part5[2][8];
  int turn = 0;
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first;
    float r5 = 0;
    for (fs_index h = 0; h < size0; h++) {
      float v1 = 0;
      {
        const fs_index j = h * 256 + t;
        const bool in = j < size1;
        if (in) v1 = fs_get(a0[i * size2 + j]);
      }
      {
        const fs_index j = h * 256 + t;
        const bool in = j < size1;
        const float v2 = v0 * v1;
        const float v4 = v3 + v2;
        if (in) r5 = r5 + v4;
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(r5);
      if (threadIdx.x % 32 == 0) part5[turn][threadIdx.x / 32] = x;
    }
    __syncthreads();
    const float v5 = fs_fold<fs_add, 8>(part5[turn]);
    turn ^= 1;  // the next sums go beside these
    if (t == 0) fs_put(a1[i], v5);
  }
}
