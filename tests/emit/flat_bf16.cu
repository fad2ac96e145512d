==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 489 blocks, each once, 16 waves of 8 pieces, bounds for 7
shared: 0 B; waits
slots: 0 1 2; params: 0 two bf16
// z = max(w, v) + 0.5*v
//
// scheme flat; 1000003 elements; 256 threads; 8 lanes x 1 vector, in pairs
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 7;
constexpr fs_index FS_TILES = 489;

// maps.cuh: fs_max
// memory.cuh: fs_from_f16 fs_to_f16 fs_from_bf16 fs_to_bf16 fs_get fs_put fs_f16 fs_bf16 fs_pack fs_values fs_bf16 fs_load fs_load_shifted fs_load_spaced fs_load_if fs_words_some fs_load_first fs_load_some fs_load_apart fs_store fs_store_some fs_store_apart
// pairs.cuh: fs_pair
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, unsigned p0
) {
  fs_after_kernels();
  const fs_bf16 *const a0 = (const fs_bf16 *)s0;
  const fs_bf16 *const a1 = (const fs_bf16 *)s1;
  fs_bf16 *const a2 = (fs_bf16 *)s2;
  const int t = threadIdx.x;
  const fs_pair<fs_bf16> b0 = {p0};
  const float v0 = fs_half(b0, 1);
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    fs_pair<fs_bf16> v1[4] = {};
    fs_pair<fs_bf16> v3[4] = {};
    {
      const fs_index j = (tile * 256 + t) * 8;
      const int k = !(j < 1000003) ? 0 : 1000003 - j < 8 ? int(1000003 - j) : 8;
      fs_load_first(v1, a0 + j, k);
      fs_load_first(v3, a1 + j, k);
    }
    {
      const fs_index j = (tile * 256 + t) * 8;
      const int k = !(j < 1000003) ? 0 : 1000003 - j < 8 ? int(1000003 - j) : 8;
      fs_pair<fs_bf16> v5[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const fs_pair<fs_bf16> v2 = b0 * v1[e];
        const fs_pair<fs_bf16> v4 =
            fs_two<fs_bf16>(fs_max(fs_half(v1[e], 0), fs_half(v3[e], 0)),
            fs_max(fs_half(v1[e], 1), fs_half(v3[e], 1)));
        v5[e] = v2 + v4;
      }
      fs_store_some(a2 + j, v5, k);
    }
  }
}
==== a100
> code: cuda
# k1 flat
launch: 256 threads, at most 489 blocks, each once, 16 waves of 8 pieces, bounds for 7
shared: 0 B
slots: 0 1 2; params: 0 two bf16
// z = max(w, v) + 0.5*v
//
// scheme flat; 1000003 elements; 256 threads; 8 lanes x 1 vector, in pairs
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 7;
constexpr fs_index FS_TILES = 489;

// maps.cuh: fs_max
// memory.cuh: fs_from_f16 fs_to_f16 fs_from_bf16 fs_to_bf16 fs_get fs_put fs_f16 fs_bf16 fs_pack fs_values fs_bf16 fs_load fs_load_shifted fs_load_spaced fs_load_if fs_words_some fs_load_first fs_load_some fs_load_apart fs_store fs_store_some fs_store_apart
// pairs.cuh: fs_pair
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, unsigned p0
) {
  const fs_bf16 *const a0 = (const fs_bf16 *)s0;
  const fs_bf16 *const a1 = (const fs_bf16 *)s1;
  fs_bf16 *const a2 = (fs_bf16 *)s2;
  const int t = threadIdx.x;
  const fs_pair<fs_bf16> b0 = {p0};
  const float v0 = fs_half(b0, 1);
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    fs_pair<fs_bf16> v1[4] = {};
    fs_pair<fs_bf16> v3[4] = {};
    {
      const fs_index j = (tile * 256 + t) * 8;
      const int k = !(j < 1000003) ? 0 : 1000003 - j < 8 ? int(1000003 - j) : 8;
      fs_load_first(v1, a0 + j, k);
      fs_load_first(v3, a1 + j, k);
    }
    {
      const fs_index j = (tile * 256 + t) * 8;
      const int k = !(j < 1000003) ? 0 : 1000003 - j < 8 ? int(1000003 - j) : 8;
      fs_pair<fs_bf16> v5[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const fs_pair<fs_bf16> v2 = b0 * v1[e];
        const fs_pair<fs_bf16> v4 =
            fs_two<fs_bf16>(fs_max(fs_half(v1[e], 0), fs_half(v3[e], 0)),
            fs_max(fs_half(v1[e], 1), fs_half(v3[e], 1)));
        v5[e] = v2 + v4;
      }
      fs_store_some(a2 + j, v5, k);
    }
  }
}
