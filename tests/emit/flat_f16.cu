==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 489 blocks, each once, 16 waves of 8 pieces, bounds for 7
shared: 0 B; waits
slots: 0 1 2
// z = w - w.*v
//
// scheme flat; 1000000 elements; 256 threads; 8 lanes x 1 vector, in pairs
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 7;
constexpr fs_index FS_TILES = 489;

// memory.cuh: fs_from_f16 fs_to_f16 fs_from_bf16 fs_to_bf16 fs_get fs_put fs_f16 fs_bf16 fs_pack fs_values fs_bf16 fs_load fs_load_shifted fs_load_spaced fs_load_if fs_words_some fs_load_first fs_load_some fs_load_apart fs_store fs_store_some fs_store_apart
// pairs.cuh: fs_pair
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2
) {
  fs_after_kernels();
  const fs_f16 *const a0 = (const fs_f16 *)s0;
  const fs_f16 *const a1 = (const fs_f16 *)s1;
  fs_f16 *const a2 = (fs_f16 *)s2;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    fs_pair<fs_f16> v0[4] = {};
    fs_pair<fs_f16> v1[4] = {};
    {
      const fs_index j = (tile * 256 + t) * 8;
      const bool in = j < 1000000;
      if (in) fs_load(v0, a0 + j);
      if (in) fs_load(v1, a1 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 8;
      const bool in = j < 1000000;
      fs_pair<fs_f16> v3[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const fs_pair<fs_f16> v2 = v0[e] * v1[e];
        v3[e] = v0[e] - v2;
      }
      if (in) fs_store(a2 + j, v3);
    }
  }
}
==== a100
> code: cuda
# k1 flat
launch: 256 threads, at most 489 blocks, each once, 16 waves of 8 pieces, bounds for 7
shared: 0 B
slots: 0 1 2
// z = w - w.*v
//
// scheme flat; 1000000 elements; 256 threads; 8 lanes x 1 vector, in pairs
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 7;
constexpr fs_index FS_TILES = 489;

// memory.cuh: fs_from_f16 fs_to_f16 fs_from_bf16 fs_to_bf16 fs_get fs_put fs_f16 fs_bf16 fs_pack fs_values fs_bf16 fs_load fs_load_shifted fs_load_spaced fs_load_if fs_words_some fs_load_first fs_load_some fs_load_apart fs_store fs_store_some fs_store_apart
// pairs.cuh: fs_pair
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2
) {
  const fs_f16 *const a0 = (const fs_f16 *)s0;
  const fs_f16 *const a1 = (const fs_f16 *)s1;
  fs_f16 *const a2 = (fs_f16 *)s2;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    fs_pair<fs_f16> v0[4] = {};
    fs_pair<fs_f16> v1[4] = {};
    {
      const fs_index j = (tile * 256 + t) * 8;
      const bool in = j < 1000000;
      if (in) fs_load(v0, a0 + j);
      if (in) fs_load(v1, a1 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 8;
      const bool in = j < 1000000;
      fs_pair<fs_f16> v3[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const fs_pair<fs_f16> v2 = v0[e] * v1[e];
        v3[e] = v0[e] - v2;
      }
      if (in) fs_store(a2 + j, v3);
    }
  }
}
==== plain
> code: cuda
# k1 flat
launch: 256 threads, at most 489 blocks, each once, 16 waves of 8 pieces, bounds for 7
shared: 0 B
slots: 0 1 2
// z = w - w.*v
//
// scheme flat; 1000000 elements; 256 threads; 8 lanes x 1 vector, in pairs
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 7;
constexpr fs_index FS_TILES = 489;

// memory.cuh: fs_from_f16 fs_to_f16 fs_from_bf16 fs_to_bf16 fs_get fs_put fs_f16 fs_bf16 fs_pack fs_values fs_bf16 fs_load fs_load_shifted fs_load_spaced fs_load_if fs_words_some fs_load_first fs_load_some fs_load_apart fs_store fs_store_some fs_store_apart
// pairs.cuh: fs_pair
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2
) {
  const fs_f16 *const a0 = (const fs_f16 *)s0;
  const fs_f16 *const a1 = (const fs_f16 *)s1;
  fs_f16 *const a2 = (fs_f16 *)s2;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    fs_pair<fs_f16> v0[4] = {};
    fs_pair<fs_f16> v1[4] = {};
    {
      const fs_index j = (tile * 256 + t) * 8;
      const bool in = j < 1000000;
      if (in) fs_load(v0, a0 + j);
      if (in) fs_load(v1, a1 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 8;
      const bool in = j < 1000000;
      fs_pair<fs_f16> v3[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const fs_pair<fs_f16> v2 = v0[e] * v1[e];
        v3[e] = v0[e] - v2;
      }
      if (in) fs_store(a2 + j, v3);
    }
  }
}
