==== h200
added inv3_serial(A:3x3) -> 3x3
> code: cuda
# k1 instance
launch: 64 threads, at most 1563 blocks, each once, bounds for 1
shared: 0 B; waits
slots: 0 1
// B = inv3_serial(A)
//
// scheme instance; 100003 rows of 9; 64 threads; 1 lane x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 64, FS_RESIDENT = 1;
constexpr int FS_INSTANCES = 64, FS_LANES_EACH = 1;
constexpr fs_index FS_M = 100003;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_some fs_store fs_store_some
// barrier.cuh: fs_after_kernels
// the user's function inv3_serial, routine 1
#define FS_TYPE double
#define FS_C(x) ((FS_TYPE)(x))
#define FS_AT(name, ...) FS_AT_##name(__VA_ARGS__)
#define FS_AT_A(y, x) fs_a0[(y) * 3 + (x)]
#define FS_PUT(y, x, value) (fs_r[(y) * 3 + (x)] = (value))
#define FS_LANES 1
#define FS_LANE fs_lane
#define FS_SCRATCH(k) fs_scratch[k]
#define FS_SYNC() ((void)0)
__device__ __forceinline__ void fs_user_65422cacaa531abe(const FS_TYPE *fs_a0, FS_TYPE *fs_r, FS_TYPE *fs_scratch, int fs_lane, unsigned fs_mask) {
  (void)fs_scratch, (void)fs_lane, (void)fs_mask;
#line 8 "../../examples/elem/inv3_serial.elem"
  FS_TYPE det = 0;
  for (int e = 0; e < 9; e++) {
    int y = e / 3, x = e % 3;
    int y1 = (y + 1) % 3, y2 = (y + 2) % 3;
    int x1 = (x + 1) % 3, x2 = (x + 2) % 3;
    FS_TYPE cofactor = FS_AT(A, y1, x1) * FS_AT(A, y2, x2) -
                       FS_AT(A, y1, x2) * FS_AT(A, y2, x1);
    FS_SCRATCH(e) = cofactor;
    if (y == 0) det += FS_AT(A, 0, x) * cofactor;
  }
  for (int e = 0; e < 9; e++) FS_PUT(e % 3, e / 3, FS_SCRATCH(e) / det);
#line 115 "fusible.cu"
}
#undef FS_TYPE
#undef FS_C
#undef FS_AT
#undef FS_PUT
#undef FS_LANES
#undef FS_LANE
#undef FS_SCRATCH
#undef FS_SYNC
#undef FS_AT_A

extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1
) {
  fs_after_kernels();
  const double *const a0 = (const double *)s0;
  double *const a1 = (double *)s1;
  const int t = threadIdx.x;
  const fs_index first = (fs_index)blockIdx.x * FS_INSTANCES;
  alignas(16) __shared__ double e0[FS_INSTANCES * 9];
  alignas(16) __shared__ double e1[FS_INSTANCES * 9];
  // A
#pragma unroll
  for (int x0 = 2 * t; x0 < FS_INSTANCES * 9; x0 += 2 * FS_THREADS) {
    const int left = FS_M - first < FS_INSTANCES ? (int)(FS_M - first) * 9 :
        FS_INSTANCES * 9;
    double w0[2] = {};
    fs_load_some(w0, a0 + (first * 9 + x0), left - x0 < 2 ? left - x0 : 2);
#pragma unroll
    for (int e = 0; e < 2; e++) {
      const int x = x0 + e;
      double value = 0;  // of instances beyond the last
      if (x < left) {
        const double v0 = w0[e];
        value = v0;
      }
      e0[x] = value;
    }
  }
  __syncthreads();
  if (t < FS_INSTANCES * FS_LANES_EACH) {
    const int own = t, lane = 0;
    if (first + own < FS_M) {
      const unsigned mask = 1u << t % 32;
      double scratch[9];  // of one thread: in registers
      fs_user_65422cacaa531abe(e0 + own * 9, e1 + own * 9, scratch, lane, mask);
    }
  }
  __syncthreads();
#pragma unroll
  for (int x0 = 2 * t; x0 < FS_INSTANCES * 9; x0 += 2 * FS_THREADS) {
    const int left = FS_M - first < FS_INSTANCES ? (int)(FS_M - first) * 9 :
        FS_INSTANCES * 9;
    double w1[2];
#pragma unroll
    for (int e = 0; e < 2; e++) {
      const int x = x0 + e;
      const double v1 = e1[x];
      w1[e] = v1;
    }
    fs_store_some(a1 + (first * 9 + x0), w1, left - x0 < 2 ? left - x0 : 2);
  }
}
