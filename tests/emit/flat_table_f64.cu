==== h200
> code: cuda
# k1 flat
launch: 128 threads, at most 15625 blocks, 16 waves of 4 pieces, bounds for 8
shared: 0 B; waits; lasts
slots: 0 1
// z = erf(w)
//
// scheme flat; 4000000 elements; 128 threads; 2 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 15625;
#define FS_COEFFICIENT __constant__ double

// quick.cuh: fs_copy_table
// quick_f64.cuh: FS_COEFFICIENT fs_upper FS_ERF_WORDS fs_word fs_erf_places fs_erf_f64
// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_store
// cache.cuh: fs_cache_lasts fs_words_by fs_load_by
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1
) {
  alignas(16) __shared__ unsigned words[FS_ERF_WORDS];
  fs_copy_table<FS_THREADS>(words, fs_erf_words);
  fs_after_kernels();
  const double *const a0 = (const double *)s0;
  double *const a1 = (double *)s1;
  const int t = threadIdx.x;
  const unsigned long long lasts = fs_cache_lasts();
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    double v0[2];
    {
      const fs_index j = (tile * 128 + t) * 2;
      fs_load_by(v0, a0 + j, lasts);
    }
    {
      const fs_index j = (tile * 128 + t) * 2;
      double v1[2];
      bool rare = false;
#pragma unroll
      for (int e = 0; e < 2; e++) {
        v1[e] = fs_erf_f64(v0[e], words, rare);
      }
      if (rare) {
#pragma unroll
        for (int e = 0; e < 2; e++) {
          v1[e] = fs_erf_f64(v0[e], words);
        }
      }
      fs_store(a1 + j, v1);
    }
  }
}
