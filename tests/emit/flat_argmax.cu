==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 489 blocks, bounds for 6
shared: 0 B; workspace 256 B and 16 B a block, 256 B of zeros; waits
slots: 0 1
// k = argmax(x)
//
// scheme flat; 1000000 elements; 256 threads; 4 lanes x 2 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 6;
constexpr fs_index FS_TILES = 489;

// maps.cuh: fs_max
// memory.cuh: fs_from_f16 fs_to_f16 fs_get fs_put fs_f16 fs_pack fs_load fs_fresh
// spot.cuh: fs_spot
struct fs_first_largest {
  template <typename T>
  __device__ __forceinline__ static T best(T a, T b) { return fs_max(a, b); }
  template <typename T>
  __device__ __forceinline__ static T of(T a, T b) { return fs_first_of<fs_first_largest>(a, b); }
};

// reduce.cuh: fs_lanes fs_warp fs_block fs_gather
// barrier.cuh: fs_after_kernels fs_last_block
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *work
) {
  fs_after_kernels();
  const fs_f16 *const a0 = (const fs_f16 *)s0;
  long long *const a1 = (long long *)s1;
  fs_spot<float> *const w1 = (fs_spot<float> *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[16];
  const int t = threadIdx.x;
  fs_spot<float> r1[4];
#pragma unroll
  for (int e = 0; e < 4; e++) {
    r1[e] = fs_spot<float>{__int_as_float(0xff800000), 2147483647};
  }
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
        if (in) r1[e] = fs_first_largest::of(r1[e],
            fs_spot<float>{v0[c][e], j + 1 + e});
      }
    }
  }
  {
    const fs_spot<float> x = fs_block<fs_first_largest,
        8>(fs_lanes<fs_first_largest>(r1), (fs_spot<float> *)scratch);
    if (threadIdx.x == 0) w1[blockIdx.x] = x;
    __syncthreads();
  }
  if (!fs_last_block(counters)) return;
  fs_spot<float> x1 = fs_gather<fs_first_largest,
      4>(w1, gridDim.x, 256, fs_spot<float>{__int_as_float(0xff800000),
      2147483647});
  const long long v1 = fs_block<fs_first_largest,
      8>(x1, (fs_spot<float> *)scratch).at;
  __syncthreads();
  if (threadIdx.x == 0) fs_put(a1[0], v1);
}
==== plain
> code: cuda
# k1 flat
launch: 256 threads, at most 489 blocks, bounds for 6
shared: 0 B; workspace 256 B and 16 B a block, 256 B of zeros
slots: 0 1
// k = argmax(x)
//
// scheme flat; 1000000 elements; 256 threads; 4 lanes x 2 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 6;
constexpr fs_index FS_TILES = 489;

// maps.cuh: fs_max
// memory.cuh: fs_from_f16 fs_to_f16 fs_get fs_put fs_f16 fs_pack fs_load fs_fresh
// spot.cuh: fs_spot
struct fs_first_largest {
  template <typename T>
  __device__ __forceinline__ static T best(T a, T b) { return fs_max(a, b); }
  template <typename T>
  __device__ __forceinline__ static T of(T a, T b) { return fs_first_of<fs_first_largest>(a, b); }
};

// reduce.cuh: fs_lanes fs_warp fs_block fs_gather
// barrier.cuh: fs_last_block
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *work
) {
  const fs_f16 *const a0 = (const fs_f16 *)s0;
  long long *const a1 = (long long *)s1;
  fs_spot<float> *const w1 = (fs_spot<float> *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[16];
  const int t = threadIdx.x;
  fs_spot<float> r1[4];
#pragma unroll
  for (int e = 0; e < 4; e++) {
    r1[e] = fs_spot<float>{__int_as_float(0xff800000), 2147483647};
  }
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
        if (in) r1[e] = fs_first_largest::of(r1[e],
            fs_spot<float>{v0[c][e], j + 1 + e});
      }
    }
  }
  {
    const fs_spot<float> x = fs_block<fs_first_largest,
        8>(fs_lanes<fs_first_largest>(r1), (fs_spot<float> *)scratch);
    if (threadIdx.x == 0) w1[blockIdx.x] = x;
    __syncthreads();
  }
  if (!fs_last_block(counters)) return;
  fs_spot<float> x1 = fs_gather<fs_first_largest,
      4>(w1, gridDim.x, 256, fs_spot<float>{__int_as_float(0xff800000),
      2147483647});
  const long long v1 = fs_block<fs_first_largest,
      8>(x1, (fs_spot<float> *)scratch).at;
  __syncthreads();
  if (threadIdx.x == 0) fs_put(a1[0], v1);
}
