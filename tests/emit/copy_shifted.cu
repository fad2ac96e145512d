==== h200
> code: cuda
# k1 flat
launch: 128 threads, at most 196 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; workspace 256 B and 0 B a block, 256 B of zeros; waits
slots: 0 1 1+4
typedef int fs_index;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_shifted fs_load_some fs_load_apart fs_store fs_store_shifted
// barrier.cuh: fs_after_kernels
// phase 1 of the launch
// copy around x[2:end] = x[1:end-1] + x[2:end]
//
// scheme flat; 1 element; 128 threads; 1 lane x 1 vector
namespace phase1 {
constexpr int FS_THREADS = 128, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 1;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x;
  const float v0 = fs_get(a0[0]);
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a1[0], v0);
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
  }
}
}  // namespace phase1

// phase 2 of the launch
// x[2:end] = x[1:end-1] + x[2:end]
//
// scheme flat; 99999 elements; 128 threads; 4 lanes x 1 vector
namespace phase2 {
constexpr int FS_THREADS = 128, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 196;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s0 + 1;
  float *const a2 = (float *)s1;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0[4] = {};
    float v1[4] = {};
    {
      const fs_index j = (tile * 128 + t) * 4;
      const int k = !(j < 99999) ? 0 : 99999 - j < 4 ? int(99999 - j) : 4;
      if (j + 8 <= 99999) {
        fs_load(v0, a0 + j);
        fs_load_shifted<1>(v1, a1 + j);
      } else {
        fs_load_some(v0, a0 + j, k);
        fs_load_apart(v1, a1 + j, (fs_index)1, k);
      }
    }
    {
      const fs_index j = (tile * 128 + t) * 4;
      const int k = !(j < 99999) ? 0 : 99999 - j < 4 ? int(99999 - j) : 4;
      float v2[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v2[e] = v0[e] + v1[e];
      }
      fs_store_shifted<1>(a2 + j, v2, k);
    }
  }
}
}  // namespace phase2

extern "C" __global__ void __launch_bounds__(128, 8)
fs_kernel(
    void *s0, void *s1, void *s2, void *work
) {
  fs_after_kernels();
  unsigned *const counters = (unsigned *)work;
  phase1::fs_kernel(s0, s1);
  phase2::fs_kernel(s0, s2);
}
# k2 flat
it is a phase of the launch before it
