==== h200
> code: cuda
# k1 flat
launch: 128 threads, at most 1954 blocks, each once, 16 waves of 8 pieces, bounds for 6
shared: 0 B; workspace 256 B and 0 B a block, 256 B of zeros; waits
slots: 0 1 2 3 4 5; params: 0 int, 1 int, 2 int, 3 int
typedef int fs_index;

// maps.cuh: fs_idiv fs_shl fs_shr fs_popcount fs_mod
// memory.cuh: fs_round_u8 fs_round_u32 fs_get fs_put fs_u8 fs_u32 fs_pack fs_load fs_store
// barrier.cuh: fs_after_kernels
// phase 1 of the launch
// p = bitxor(shl(a, 3), shr(a, 5))
//
// scheme flat; 1000000 elements; 128 threads; 8 lanes x 1 vector
namespace phase1 {
constexpr int FS_THREADS = 128, FS_RESIDENT = 6;
constexpr fs_index FS_TILES = 977;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, long long p0, long long p1
) {
  const fs_u8 *const a0 = (const fs_u8 *)s0;
  fs_u8 *const a1 = (fs_u8 *)s1;
  const int t = threadIdx.x;
  const int v1 = fs_round_u8((int)p0);
  const int v3 = fs_round_u8((int)p1);
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    int v0[8] = {};
    {
      const fs_index j = (tile * 128 + t) * 8;
      const bool in = j < 1000000;
      if (in) fs_load(v0, a0 + j);
    }
    {
      const fs_index j = (tile * 128 + t) * 8;
      const bool in = j < 1000000;
      int v5[8];
#pragma unroll
      for (int e = 0; e < 8; e++) {
        const int v2 = fs_round_u8(fs_shl(v0[e], v1));
        const int v4 = fs_round_u8(fs_shr(v0[e], v3));
        v5[e] = fs_round_u8(v2 ^ v4);
      }
      if (in) fs_store(a1 + j, v5);
    }
  }
}
}  // namespace phase1

// phase 2 of the launch
// q = idiv(b, 7) + popcount(b)
//
// scheme flat; 1000000 elements; 128 threads; 4 lanes x 2 vectors
namespace phase2 {
constexpr int FS_THREADS = 128, FS_RESIDENT = 6;
constexpr fs_index FS_TILES = 977;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, long long p0
) {
  const int *const a0 = (const int *)s0;
  int *const a1 = (int *)s1;
  const int t = threadIdx.x;
  const int v2 = (int)p0;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    int v0[2][4] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 256 + (c * 128 + t)) * 4;
      const bool in = j < 1000000;
      if (in) fs_load(v0[c], a0 + j);
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 256 + (c * 128 + t)) * 4;
      const bool in = j < 1000000;
      int v4[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const int v1 = fs_popcount(v0[c][e]);
        const int v3 = fs_idiv(v0[c][e], v2);
        v4[e] = v1 + v3;
      }
      if (in) fs_store(a1 + j, v4);
    }
  }
}
}  // namespace phase2

// phase 3 of the launch
// r = bitand(bitnot(c), 255)
//
// scheme flat; 1000000 elements; 128 threads; 4 lanes x 1 vector
namespace phase3 {
constexpr int FS_THREADS = 128, FS_RESIDENT = 6;
constexpr fs_index FS_TILES = 1954;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, long long p0
) {
  const fs_u32 *const a0 = (const fs_u32 *)s0;
  fs_u32 *const a1 = (fs_u32 *)s1;
  const int t = threadIdx.x;
  const long long v2 = fs_round_u32((long long)p0);
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    long long v0[4] = {};
    {
      const fs_index j = (tile * 128 + t) * 4;
      const bool in = j < 1000000;
      if (in) fs_load(v0, a0 + j);
    }
    {
      const fs_index j = (tile * 128 + t) * 4;
      const bool in = j < 1000000;
      long long v3[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const long long v1 = fs_round_u32(~v0[e]);
        v3[e] = fs_round_u32(v2 & v1);
      }
      if (in) fs_store(a1 + j, v3);
    }
  }
}
}  // namespace phase3

extern "C" __global__ void __launch_bounds__(128, 6)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, long long p0,
        long long p1, long long p2, long long p3, void *work
) {
  fs_after_kernels();
  unsigned *const counters = (unsigned *)work;
  phase1::fs_kernel(s0, s1, p0, p1);
  phase2::fs_kernel(s2, s3, p2);
  phase3::fs_kernel(s4, s5, p3);
}
# k2 flat
it is a phase of the launch before it
# k3 flat
it is a phase of the launch before it
