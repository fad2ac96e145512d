==== h200
> code: cuda
# k1 flat
launch: 512 threads, at most 977 blocks, each once, 16 waves of 8 pieces, bounds for 3
shared: 0 B; waits
slots: 0 1 2
// z = w./v
//
// scheme flat; 1000000 elements; 512 threads; 2 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 3;
constexpr fs_index FS_TILES = 977;

// quick.cuh: fs_reciprocal fs_div fs_last_step
// quick_f64.cuh: fs_upper fs_first_reciprocal fs_div_f64 fs_last_step_f64 fs_div_f64_or_0
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2
) {
  fs_after_kernels();
  const double *const a0 = (const double *)s0;
  const double *const a1 = (const double *)s1;
  double *const a2 = (double *)s2;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    double v0[2] = {};
    double v1[2] = {};
    {
      const fs_index j = (tile * 512 + t) * 2;
      const bool in = j < 1000000;
      if (in) fs_load(v0, a0 + j);
      if (in) fs_load(v1, a1 + j);
    }
    {
      const fs_index j = (tile * 512 + t) * 2;
      const bool in = j < 1000000;
      double v2[2];
      bool rare = false;
#pragma unroll
      for (int e = 0; e < 2; e++) {
        v2[e] = fs_div_f64_or_0(v0[e], v1[e], rare);
      }
      if (rare) {
#pragma unroll
        for (int e = 0; e < 2; e++) {
          v2[e] = v0[e] / v1[e];
        }
      }
      if (in) fs_store(a2 + j, v2);
    }
  }
}
==== a100
> code: cuda
# k1 flat
launch: 256 threads, at most 1954 blocks, each once, 16 waves of 8 pieces, bounds for 7
shared: 0 B
slots: 0 1 2
// z = w./v
//
// scheme flat; 1000000 elements; 256 threads; 2 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 7;
constexpr fs_index FS_TILES = 1954;

// quick.cuh: fs_reciprocal fs_div fs_last_step
// quick_f64.cuh: fs_upper fs_first_reciprocal fs_div_f64 fs_last_step_f64 fs_div_f64_or_0
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2
) {
  const double *const a0 = (const double *)s0;
  const double *const a1 = (const double *)s1;
  double *const a2 = (double *)s2;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    double v0[2] = {};
    double v1[2] = {};
    {
      const fs_index j = (tile * 256 + t) * 2;
      const bool in = j < 1000000;
      if (in) fs_load(v0, a0 + j);
      if (in) fs_load(v1, a1 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 2;
      const bool in = j < 1000000;
      double v2[2];
      bool rare = false;
#pragma unroll
      for (int e = 0; e < 2; e++) {
        v2[e] = fs_div_f64_or_0(v0[e], v1[e], rare);
      }
      if (rare) {
#pragma unroll
        for (int e = 0; e < 2; e++) {
          v2[e] = v0[e] / v1[e];
        }
      }
      if (in) fs_store(a2 + j, v2);
    }
  }
}
