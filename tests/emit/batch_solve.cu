==== h200
> code: cuda
# k1 instance
launch: 64 threads, at most 1563 blocks, each once, bounds for 1
shared: 0 B; waits
slots: 0 1 2; params: 0 double
// x = 2*(A\b)
//
// scheme instance; 100003 rows of 3; 64 threads; 1 lane x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 64, FS_RESIDENT = 1;
constexpr int FS_INSTANCES = 64, FS_LANES_EACH = 1;
constexpr fs_index FS_M = 100003;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_some fs_store fs_store_some
// barrier.cuh: fs_after_kernels
// the user's function solve, routine 1
#ifndef FS_FAULTS
#define FS_FAULTS // which instance failed first
__device__ unsigned long long fs_fault;
#endif
#define FS_TYPE double
#define FS_C(x) ((FS_TYPE)(x))
#define FS_AT(name, ...) FS_AT_##name(__VA_ARGS__)
#define FS_AT_A(y, x) fs_a0[(y) * 3 + (x)]
#define FS_AT_B(y) fs_a1[(y)]
#define FS_PUT(y, value) (fs_r[(y)] = (value))
#define FS_LANES 1
#define FS_LANE fs_lane
#define FS_SCRATCH(k) fs_scratch[k]
#define FS_SYNC() ((void)0)
__device__ __forceinline__ void fs_user_c05348b5410ce101(const FS_TYPE *fs_a0, const FS_TYPE *fs_a1, FS_TYPE *fs_r, FS_TYPE *fs_scratch, int fs_lane, unsigned fs_mask) {
  (void)fs_scratch, (void)fs_lane, (void)fs_mask;
#line 1 "fusible.h"
#define FS_N 3
#define FS_INNER 3
#define FS_K 1
#define FS_ROOM 1
#define FS_NEAR FS_C(9.5367431640625e-07)
#define FS_UNROLL _Pragma("unroll")
#define FS_A(y, x) FS_AT(A, y, x)
#define FS_B(y, x) FS_AT(B, y)
#define FS_X(y, x, value) FS_PUT(y, value)
#define FS_FAIL(k) FS_FAULT(k)
#define FS_FAULT(k) atomicMax(&fs_fault, ~(((unsigned long long)blockIdx.x * FS_INSTANCES + threadIdx.x) << 16 | 0 << 8 | (k)))
/* LU with row exchanges of an FS_N x FS_N matrix whose elements are FS_A(y, x): in registers of a
 * GPU's thread, since every place is known to the compiler. FS_K columns FS_B(y, x), of which there
 * is room for FS_ROOM, become the solution, which FS_X(y, x, value) takes; with FS_K of 0 that
 * takes the determinant. A NaN in the matrix is in all of the result. FS_FAIL(k) says that pivot k,
 * from 1, is 0. */
  FS_TYPE a[FS_N][FS_N], b[FS_N][FS_ROOM], nan = 0, product = 1;
  int zero = 0;
  FS_UNROLL
  for (int y = 0; y < FS_N; y++) {
    FS_UNROLL
    for (int x = 0; x < FS_N; x++) {
      a[y][x] = FS_A(y, x);
      nan = a[y][x] != a[y][x] ? a[y][x] : nan;
    }
    FS_UNROLL
    for (int x = 0; x < FS_K; x++) b[y][x] = FS_B(y, x);
  }
  FS_UNROLL
  for (int c = 0; c < FS_N; c++) {
    FS_UNROLL
    for (int y = c + 1; y < FS_N; y++) { /* the largest comes to the top */
      int larger = fabs(a[y][c]) > fabs(a[c][c]);
      FS_UNROLL
      for (int x = c; x < FS_N; x++) {
        FS_TYPE top = a[c][x], other = a[y][x];
        a[c][x] = larger ? other : top;
        a[y][x] = larger ? top : other;
      }
      FS_UNROLL
      for (int x = 0; x < FS_K; x++) {
        FS_TYPE top = b[c][x], other = b[y][x];
        b[c][x] = larger ? other : top;
        b[y][x] = larger ? top : other;
      }
      product = larger ? -product : product;
    }
    zero = zero == 0 && a[c][c] == 0 ? c + 1 : zero;
    product *= a[c][c];
    FS_UNROLL
    for (int y = c + 1; y < FS_N; y++) {
      FS_TYPE factor = a[y][c] / a[c][c];
      FS_UNROLL
      for (int x = c + 1; x < FS_N; x++) a[y][x] -= factor * a[c][x];
      FS_UNROLL
      for (int x = 0; x < FS_K; x++) b[y][x] -= factor * b[c][x];
    }
  }
  product = zero ? 0 : product;
  if (FS_K == 0) FS_X(0, 0, nan != nan ? nan : product);
  if (FS_K > 0 && zero && nan == nan) FS_FAIL(zero);
  FS_UNROLL
  for (int y = FS_N - 1; y >= 0; y--) {
    FS_UNROLL
    for (int x = 0; x < FS_K; x++) {
      FS_UNROLL
      for (int c = y + 1; c < FS_N; c++) b[y][x] -= a[y][c] * b[c][x];
      b[y][x] /= a[y][y];
      FS_X(y, x, nan != nan ? nan : b[y][x]);
    }
  }
#undef FS_N
#undef FS_INNER
#undef FS_K
#undef FS_ROOM
#undef FS_NEAR
#undef FS_UNROLL
#undef FS_A
#undef FS_B
#undef FS_X
#undef FS_FAIL
#undef FS_FAULT
#line 191 "fusible.cu"
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
#undef FS_AT_B

extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, double p0
) {
  fs_after_kernels();
  const double *const a0 = (const double *)s0;
  const double *const a1 = (const double *)s1;
  double *const a2 = (double *)s2;
  const int t = threadIdx.x;
  const fs_index first = (fs_index)blockIdx.x * FS_INSTANCES;
  alignas(16) __shared__ double e0[FS_INSTANCES * 9];
  alignas(16) __shared__ double e1[FS_INSTANCES * 3];
  alignas(16) __shared__ double e2[FS_INSTANCES * 3];
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
  // B
#pragma unroll
  for (int x0 = 2 * t; x0 < FS_INSTANCES * 3; x0 += 2 * FS_THREADS) {
    const int left = FS_M - first < FS_INSTANCES ? (int)(FS_M - first) * 3 :
        FS_INSTANCES * 3;
    double w1[2] = {};
    fs_load_some(w1, a1 + (first * 3 + x0), left - x0 < 2 ? left - x0 : 2);
#pragma unroll
    for (int e = 0; e < 2; e++) {
      const int x = x0 + e;
      double value = 0;  // of instances beyond the last
      if (x < left) {
        const double v1 = w1[e];
        value = v1;
      }
      e1[x] = value;
    }
  }
  __syncthreads();
  if (t < FS_INSTANCES * FS_LANES_EACH) {
    const int own = t, lane = 0;
    if (first + own < FS_M) {
      const unsigned mask = 1u << t % 32;
      fs_user_c05348b5410ce101(e0 + own * 9, e1 + own * 3, e2 + own * 3,
          (double *)nullptr, lane, mask);
    }
  }
  __syncthreads();
#pragma unroll
  for (int x0 = 2 * t; x0 < FS_INSTANCES * 3; x0 += 2 * FS_THREADS) {
    const int left = FS_M - first < FS_INSTANCES ? (int)(FS_M - first) * 3 :
        FS_INSTANCES * 3;
    double w2[2];
#pragma unroll
    for (int e = 0; e < 2; e++) {
      const int x = x0 + e;
      const double v2 = e2[x];
      const double v3 = (double)p0;
      const double v4 = v3 * v2;
      w2[e] = v4;
    }
    fs_store_some(a2 + (first * 3 + x0), w2, left - x0 < 2 ? left - x0 : 2);
  }
}
