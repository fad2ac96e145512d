==== h200
> code: cuda
# k1 flat
a copy that no run has needed: it has no code yet
# k2 flat
launch: 256 threads, at most 3 blocks, each once, 16 waves of 8 pieces, bounds for 4
shared: 0 B; waits
slots: 2 7; sizes: 695 704 3
// copy read by A[k+1:end, k] = A[k+1:end, k]/A[k, k]
//
// scheme flat; any size; 256 threads; 1 lane x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
#define FS_TILES size2

// memory.cuh: fs_get fs_put
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, fs_index size0, fs_index size1, fs_index size2
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0 = 0;
    {
      const fs_index j = tile * 256 + t;
      const bool in = j < size0;
      if (in) v0 = fs_get(a0[j * size1]);
    }
    {
      const fs_index j = tile * 256 + t;
      const bool in = j < size0;
      if (in) fs_put(a1[j], v0);
    }
  }
}
# k3 row
launch: 256 threads, at most 1914 blocks, each once, bounds for 4
shared: 0 B; waits
slots: 7 3 8 4+4 5+4 6; sizes: 695 704 22 87
// A[k+1:end, k] = A[k+1:end, k]/A[k, k]; A[k+1:end, k+1:end] -= A[k+1:end, k]*A[k, k+1:end]
//
// scheme row, in strips; any size; 256 threads, 32 on a row; 1 lane x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
#define FS_STRIPS size2
#define FS_PARTS_MOST size3
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 8;
#define FS_M size0

// memory.cuh: fs_get fs_put
// reduce.cuh: fs_parts
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, fs_index size0,
        fs_index size1, fs_index size2, fs_index size3
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const float *const a3 = (const float *)s3;
  const float *const a4 = (const float *)s4;
  float *const a5 = (float *)s5;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  const float v1 = fs_get(a1[0]);
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    float v3 = 0;
    {
      const fs_index j = strip * 32 + t;
      const bool in = j < size0;
      if (in) v3 = fs_get(a3[j]);
    }
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      const fs_index i = first + sub;
      const bool ok = i < size0;
      const float v0 = ok ? fs_get(a0[i]) : (float)0;
      const float v2 = v0 / v1;
      float v5 = 0;
      {
        const fs_index j = strip * 32 + t;
        const bool in = j < size0;
        if (ok && in) v5 = fs_get(a4[i * size1 + j]);
      }
      if (strip == 0) {
        if (t == 0 && ok) fs_put(a2[i * size1], v2);
      }
      {
        const fs_index j = strip * 32 + t;
        const bool in = j < size0;
        const float v4 = v3 * v2;
        const float v6 = v5 - v4;
        if (ok && in) fs_put(a5[i * size1 + j], v6);
      }
    }
  }
}
# k4 flat
launch: 256 threads, at most 1887 blocks, each once, 16 waves of 8 pieces, bounds for 4
shared: 0 B; waits
slots: 6 1+14100; sizes: 695 483025 704 1887
// A[k+1:end, k+1:end] -= A[k+1:end, k]*A[k, k+1:end]
//
// scheme flat; any size; 256 threads; 1 lane x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
#define FS_TILES size3

// memory.cuh: fs_get fs_put
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, fs_index size0, fs_index size1, fs_index size2, fs_index
        size3
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0 = 0;
    {
      const fs_index g = tile * 256 + t;
      const fs_index j0 = g / size0;
      const fs_index j1 = g % size0;
      const bool in = g < size1;
      if (in) v0 = fs_get(a0[j0 * size2 + j1]);
    }
    {
      const fs_index g = tile * 256 + t;
      const fs_index j0 = g / size0;
      const fs_index j1 = g % size0;
      const bool in = g < size1;
      if (in) fs_put(a1[j0 * size2 + j1], v0);
    }
  }
}
==== a100
> code: cuda
# k1 flat
a copy that no run has needed: it has no code yet
# k2 flat
launch: 256 threads, at most 3 blocks, each once, 16 waves of 8 pieces, bounds for 4
shared: 0 B
slots: 2 7; sizes: 695 704 3
// copy read by A[k+1:end, k] = A[k+1:end, k]/A[k, k]
//
// scheme flat; any size; 256 threads; 1 lane x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
#define FS_TILES size2

// memory.cuh: fs_get fs_put
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, fs_index size0, fs_index size1, fs_index size2
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0 = 0;
    {
      const fs_index j = tile * 256 + t;
      const bool in = j < size0;
      if (in) v0 = fs_get(a0[j * size1]);
    }
    {
      const fs_index j = tile * 256 + t;
      const bool in = j < size0;
      if (in) fs_put(a1[j], v0);
    }
  }
}
# k3 row
launch: 256 threads, at most 1914 blocks, each once, bounds for 4
shared: 0 B
slots: 7 3 8 4+4 5+4 6; sizes: 695 704 22 87
// A[k+1:end, k] = A[k+1:end, k]/A[k, k]; A[k+1:end, k+1:end] -= A[k+1:end, k]*A[k, k+1:end]
//
// scheme row, in strips; any size; 256 threads, 32 on a row; 1 lane x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
#define FS_STRIPS size2
#define FS_PARTS_MOST size3
constexpr int FS_ROW_THREADS = 32, FS_ROWS = 8;
#define FS_M size0

// memory.cuh: fs_get fs_put
// reduce.cuh: fs_parts
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, fs_index size0,
        fs_index size1, fs_index size2, fs_index size3
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const float *const a3 = (const float *)s3;
  const float *const a4 = (const float *)s4;
  float *const a5 = (float *)s5;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  const float v1 = fs_get(a1[0]);
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    float v3 = 0;
    {
      const fs_index j = strip * 32 + t;
      const bool in = j < size0;
      if (in) v3 = fs_get(a3[j]);
    }
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      const fs_index i = first + sub;
      const bool ok = i < size0;
      const float v0 = ok ? fs_get(a0[i]) : (float)0;
      const float v2 = v0 / v1;
      float v5 = 0;
      {
        const fs_index j = strip * 32 + t;
        const bool in = j < size0;
        if (ok && in) v5 = fs_get(a4[i * size1 + j]);
      }
      if (strip == 0) {
        if (t == 0 && ok) fs_put(a2[i * size1], v2);
      }
      {
        const fs_index j = strip * 32 + t;
        const bool in = j < size0;
        const float v4 = v3 * v2;
        const float v6 = v5 - v4;
        if (ok && in) fs_put(a5[i * size1 + j], v6);
      }
    }
  }
}
# k4 flat
launch: 256 threads, at most 1887 blocks, each once, 16 waves of 8 pieces, bounds for 4
shared: 0 B
slots: 6 1+14100; sizes: 695 483025 704 1887
// A[k+1:end, k+1:end] -= A[k+1:end, k]*A[k, k+1:end]
//
// scheme flat; any size; 256 threads; 1 lane x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
#define FS_TILES size3

// memory.cuh: fs_get fs_put
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, fs_index size0, fs_index size1, fs_index size2, fs_index
        size3
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0 = 0;
    {
      const fs_index g = tile * 256 + t;
      const fs_index j0 = g / size0;
      const fs_index j1 = g % size0;
      const bool in = g < size1;
      if (in) v0 = fs_get(a0[j0 * size2 + j1]);
    }
    {
      const fs_index g = tile * 256 + t;
      const fs_index j0 = g / size0;
      const fs_index j1 = g % size0;
      const bool in = g < size1;
      if (in) fs_put(a1[j0 * size2 + j1], v0);
    }
  }
}
