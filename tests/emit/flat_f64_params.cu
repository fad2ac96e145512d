==== h200
> code: cuda
# k1 flat
launch: 256 threads, at most 1954 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits
slots: 0 1; params: 1 double, 0 double
// z = 0.1*w + 3
//
// scheme flat; 1000000 elements; 256 threads; 2 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 1954;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, double p0, double p1
) {
  fs_after_kernels();
  const double *const a0 = (const double *)s0;
  double *const a1 = (double *)s1;
  const int t = threadIdx.x;
  const double v0 = (double)p0;
  const double v3 = (double)p1;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    double v1[2] = {};
    {
      const fs_index j = (tile * 256 + t) * 2;
      const bool in = j < 1000000;
      if (in) fs_load(v1, a0 + j);
    }
    {
      const fs_index j = (tile * 256 + t) * 2;
      const bool in = j < 1000000;
      double v4[2];
#pragma unroll
      for (int e = 0; e < 2; e++) {
        const double v2 = v0 * v1[e];
        v4[e] = v3 + v2;
      }
      if (in) fs_store(a1 + j, v4);
    }
  }
}
