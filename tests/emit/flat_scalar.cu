==== h200
> code: cuda
# k1 flat
launch: 64 threads, at most 1 blocks, each once, bounds for 8
shared: 0 B; waits
slots: 0 1 2
// c = a*b + sqrt(a)
//
// scheme flat; 1 element; 64 threads; 1 lane x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 64, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 1;

// memory.cuh: fs_get fs_put
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x;
  const float v0 = fs_get(a0[0]);
  const float v1 = sqrtf(v0);
  const float v2 = fs_get(a1[0]);
  const float v3 = v0 * v2;
  const float v4 = v1 + v3;
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a2[0], v4);
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
  }
}
