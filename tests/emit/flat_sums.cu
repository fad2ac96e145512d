==== h200
> code: cuda
# k1 flat
launch: 128 threads, at most 48829 blocks, bounds for 8
shared: 0 B; workspace 256 B and 24 B a block, 256 B of zeros; waits
slots: 0 2 1 3 4
// s = sum(w); d = w'*v; t = max(v)
//
// scheme flat; 50000000 elements; 128 threads; 4 lanes x 2 vectors
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 48829;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_fresh
// cache.cuh: fs_cache_stays fs_cache_passes fs_words_by fs_load_by
// reduce.cuh: fs_add fs_larger fs_lanes fs_warp fs_block fs_gather
// barrier.cuh: fs_after_kernels fs_last_block
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a2 = (const float *)s1;
  float *const a1 = (float *)s2;
  float *const a3 = (float *)s3;
  float *const a4 = (float *)s4;
  float *const w1 = (float *)((char *)work + 256);
  float *const w3 = (float *)((char *)work + 256 + 8LL * gridDim.x);
  float *const w4 = (float *)((char *)work + 256 + 16LL * gridDim.x);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[4];
  const int t = threadIdx.x;
  float r1[4] = {};
  float r3[4] = {};
  float r4[4];
#pragma unroll
  for (int e = 0; e < 4; e++) {
    r4[e] = __int_as_float(0xff800000);
  }
  const unsigned long long stays = fs_cache_stays();
  const unsigned long long passes = fs_cache_passes();
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0[2][4] = {};
    float v2[2][4] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 256 + (c * 128 + t)) * 4;
      const bool in = j < 50000000;
      if (in) fs_load_by(v0[c], a0 + j, j < 4718592 ? stays : passes);
      if (in) fs_load_by(v2[c], a2 + j, j < 4718592 ? stays : passes);
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 256 + (c * 128 + t)) * 4;
      const bool in = j < 50000000;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        if (in) r1[e] = r1[e] + v0[c][e];
        if (in) r3[e] = fmaf(v0[c][e], v2[c][e], r3[e]);
        if (in) r4[e] = fs_max(r4[e], v2[c][e]);
      }
    }
  }
  {
    const float x = fs_block<fs_add, 4>(fs_lanes<fs_add>(r1), (float *)scratch);
    if (threadIdx.x == 0) w1[blockIdx.x] = x;
    __syncthreads();
  }
  {
    const float x = fs_block<fs_add, 4>(fs_lanes<fs_add>(r3), (float *)scratch);
    if (threadIdx.x == 0) w3[blockIdx.x] = x;
    __syncthreads();
  }
  {
    const float x = fs_block<fs_larger,
        4>(fs_lanes<fs_larger>(r4), (float *)scratch);
    if (threadIdx.x == 0) w4[blockIdx.x] = x;
    __syncthreads();
  }
  if (!fs_last_block(counters)) return;
  float x1 = fs_gather<fs_add, 8>(w1, gridDim.x, 128, 0);
  const float v1 = fs_block<fs_add, 4>(x1, (float *)scratch);
  __syncthreads();
  float x3 = fs_gather<fs_add, 8>(w3, gridDim.x, 128, 0);
  const float v3 = fs_block<fs_add, 4>(x3, (float *)scratch);
  __syncthreads();
  float x4 = fs_gather<fs_larger,
      8>(w4, gridDim.x, 128, __int_as_float(0xff800000));
  const float v4 = fs_block<fs_larger, 4>(x4, (float *)scratch);
  __syncthreads();
  if (threadIdx.x == 0) fs_put(a1[0], v1);
  if (threadIdx.x == 0) fs_put(a3[0], v3);
  if (threadIdx.x == 0) fs_put(a4[0], v4);
}
==== h100
> code: cuda
# k1 flat
launch: 256 threads, at most 24415 blocks, bounds for 5
shared: 0 B; workspace 256 B and 24 B a block, 256 B of zeros; waits
slots: 0 2 1 3 4
// s = sum(w); d = w'*v; t = max(v)
//
// scheme flat; 50000000 elements; 256 threads; 4 lanes x 2 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 5;
constexpr fs_index FS_TILES = 24415;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_fresh
// cache.cuh: fs_cache_stays fs_cache_passes fs_words_by fs_load_by
// reduce.cuh: fs_add fs_larger fs_lanes fs_warp fs_block fs_gather
// barrier.cuh: fs_after_kernels fs_last_block
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a2 = (const float *)s1;
  float *const a1 = (float *)s2;
  float *const a3 = (float *)s3;
  float *const a4 = (float *)s4;
  float *const w1 = (float *)((char *)work + 256);
  float *const w3 = (float *)((char *)work + 256 + 8LL * gridDim.x);
  float *const w4 = (float *)((char *)work + 256 + 16LL * gridDim.x);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x;
  float r1[4] = {};
  float r3[4] = {};
  float r4[4];
#pragma unroll
  for (int e = 0; e < 4; e++) {
    r4[e] = __int_as_float(0xff800000);
  }
  const unsigned long long stays = fs_cache_stays();
  const unsigned long long passes = fs_cache_passes();
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0[2][4] = {};
    float v2[2][4] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      const bool in = j < 50000000;
      if (in) fs_load_by(v0[c], a0 + j, j < 3932160 ? stays : passes);
      if (in) fs_load_by(v2[c], a2 + j, j < 3932160 ? stays : passes);
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      const bool in = j < 50000000;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        if (in) r1[e] = r1[e] + v0[c][e];
        if (in) r3[e] = fmaf(v0[c][e], v2[c][e], r3[e]);
        if (in) r4[e] = fs_max(r4[e], v2[c][e]);
      }
    }
  }
  {
    const float x = fs_block<fs_add, 8>(fs_lanes<fs_add>(r1), (float *)scratch);
    if (threadIdx.x == 0) w1[blockIdx.x] = x;
    __syncthreads();
  }
  {
    const float x = fs_block<fs_add, 8>(fs_lanes<fs_add>(r3), (float *)scratch);
    if (threadIdx.x == 0) w3[blockIdx.x] = x;
    __syncthreads();
  }
  {
    const float x = fs_block<fs_larger,
        8>(fs_lanes<fs_larger>(r4), (float *)scratch);
    if (threadIdx.x == 0) w4[blockIdx.x] = x;
    __syncthreads();
  }
  if (!fs_last_block(counters)) return;
  float x1 = fs_gather<fs_add, 3>(w1, gridDim.x, 256, 0);
  const float v1 = fs_block<fs_add, 8>(x1, (float *)scratch);
  __syncthreads();
  float x3 = fs_gather<fs_add, 3>(w3, gridDim.x, 256, 0);
  const float v3 = fs_block<fs_add, 8>(x3, (float *)scratch);
  __syncthreads();
  float x4 = fs_gather<fs_larger,
      3>(w4, gridDim.x, 256, __int_as_float(0xff800000));
  const float v4 = fs_block<fs_larger, 8>(x4, (float *)scratch);
  __syncthreads();
  if (threadIdx.x == 0) fs_put(a1[0], v1);
  if (threadIdx.x == 0) fs_put(a3[0], v3);
  if (threadIdx.x == 0) fs_put(a4[0], v4);
}
==== a100
> code: cuda
# k1 flat
launch: 256 threads, at most 24415 blocks, bounds for 5
shared: 0 B; workspace 256 B and 24 B a block, 256 B of zeros
slots: 0 2 1 3 4
// s = sum(w); d = w'*v; t = max(v)
//
// scheme flat; 50000000 elements; 256 threads; 4 lanes x 2 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 5;
constexpr fs_index FS_TILES = 24415;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_fresh
// reduce.cuh: fs_add fs_larger fs_lanes fs_warp fs_block fs_gather
// barrier.cuh: fs_last_block
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *work
) {
  const float *const a0 = (const float *)s0;
  const float *const a2 = (const float *)s1;
  float *const a1 = (float *)s2;
  float *const a3 = (float *)s3;
  float *const a4 = (float *)s4;
  float *const w1 = (float *)((char *)work + 256);
  float *const w3 = (float *)((char *)work + 256 + 8LL * gridDim.x);
  float *const w4 = (float *)((char *)work + 256 + 16LL * gridDim.x);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[8];
  const int t = threadIdx.x;
  float r1[4] = {};
  float r3[4] = {};
  float r4[4];
#pragma unroll
  for (int e = 0; e < 4; e++) {
    r4[e] = __int_as_float(0xff800000);
  }
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0[2][4] = {};
    float v2[2][4] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      const bool in = j < 50000000;
      if (in) fs_load(v0[c], a0 + j);
      if (in) fs_load(v2[c], a2 + j);
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 512 + (c * 256 + t)) * 4;
      const bool in = j < 50000000;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        if (in) r1[e] = r1[e] + v0[c][e];
        if (in) r3[e] = fmaf(v0[c][e], v2[c][e], r3[e]);
        if (in) r4[e] = fs_max(r4[e], v2[c][e]);
      }
    }
  }
  {
    const float x = fs_block<fs_add, 8>(fs_lanes<fs_add>(r1), (float *)scratch);
    if (threadIdx.x == 0) w1[blockIdx.x] = x;
    __syncthreads();
  }
  {
    const float x = fs_block<fs_add, 8>(fs_lanes<fs_add>(r3), (float *)scratch);
    if (threadIdx.x == 0) w3[blockIdx.x] = x;
    __syncthreads();
  }
  {
    const float x = fs_block<fs_larger,
        8>(fs_lanes<fs_larger>(r4), (float *)scratch);
    if (threadIdx.x == 0) w4[blockIdx.x] = x;
    __syncthreads();
  }
  if (!fs_last_block(counters)) return;
  float x1 = fs_gather<fs_add, 3>(w1, gridDim.x, 256, 0);
  const float v1 = fs_block<fs_add, 8>(x1, (float *)scratch);
  __syncthreads();
  float x3 = fs_gather<fs_add, 3>(w3, gridDim.x, 256, 0);
  const float v3 = fs_block<fs_add, 8>(x3, (float *)scratch);
  __syncthreads();
  float x4 = fs_gather<fs_larger,
      3>(w4, gridDim.x, 256, __int_as_float(0xff800000));
  const float v4 = fs_block<fs_larger, 8>(x4, (float *)scratch);
  __syncthreads();
  if (threadIdx.x == 0) fs_put(a1[0], v1);
  if (threadIdx.x == 0) fs_put(a3[0], v3);
  if (threadIdx.x == 0) fs_put(a4[0], v4);
}
