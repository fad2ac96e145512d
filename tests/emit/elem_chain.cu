==== h200
added inv3(A:3x3) -> 3x3
added mulv(A:3x3, x:3) -> 3
> code: cuda
# k1 instance
launch: 64 threads, at most 1563 blocks, each once, bounds for 1
shared: 0 B; waits
slots: 0 1 2
// y = mulv(inv3(A), x)
//
// scheme instance; 100003 rows of 3; 64 threads; 1 lane x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 64, FS_RESIDENT = 1;
constexpr int FS_INSTANCES = 64, FS_LANES_EACH = 1;
constexpr fs_index FS_M = 100003;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_some fs_store fs_store_some
// barrier.cuh: fs_after_kernels
// the user's function inv3, routine 1
#define FS_TYPE float
#define FS_C(x) ((FS_TYPE)(x))
#define FS_AT(name, ...) FS_AT_##name(__VA_ARGS__)
#define FS_AT_A(y, x) fs_a0[(y) * 3 + (x)]
#define FS_PUT(y, x, value) (fs_r[(y) * 3 + (x)] = (value))
#define FS_LANES 1
#define FS_LANE fs_lane
#define FS_SCRATCH(k) fs_scratch[k]
#define FS_SYNC() ((void)0)
__device__ __forceinline__ void fs_user_354a4c8eea297c8b(const FS_TYPE *fs_a0, FS_TYPE *fs_r, FS_TYPE *fs_scratch, int fs_lane, unsigned fs_mask) {
  (void)fs_scratch, (void)fs_lane, (void)fs_mask;
#line 12 "../../examples/elem/inv3.elem"
  for (int e = FS_LANE; e < 9; e += FS_LANES) {
    int y = e / 3, x = e % 3;
    int y1 = (y + 1) % 3, y2 = (y + 2) % 3;
    int x1 = (x + 1) % 3, x2 = (x + 2) % 3;
    FS_SCRATCH(e) = FS_AT(A, y1, x1) * FS_AT(A, y2, x2) -
                    FS_AT(A, y1, x2) * FS_AT(A, y2, x1);
  }
  FS_SYNC();
  FS_TYPE det = FS_AT(A, 0, 0) * FS_SCRATCH(0) +
                FS_AT(A, 0, 1) * FS_SCRATCH(1) +
                FS_AT(A, 0, 2) * FS_SCRATCH(2);
  for (int e = FS_LANE; e < 9; e += FS_LANES)
    FS_PUT(e % 3, e / 3, FS_SCRATCH(e) / det);
#line 117 "fusible.cu"
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

// the user's function mulv, routine 1
#define FS_TYPE float
#define FS_C(x) ((FS_TYPE)(x))
#define FS_AT(name, ...) FS_AT_##name(__VA_ARGS__)
#define FS_AT_A(y, x) fs_a0[(y) * 3 + (x)]
#define FS_AT_x(y) fs_a1[(y)]
#define FS_PUT(y, value) (fs_r[(y)] = (value))
#define FS_LANES 1
#define FS_LANE fs_lane
#define FS_SCRATCH(k) fs_scratch[k]
#define FS_SYNC() ((void)0)
__device__ __forceinline__ void fs_user_2c00a3fdd52b50e3(const FS_TYPE *fs_a0, const FS_TYPE *fs_a1, FS_TYPE *fs_r, FS_TYPE *fs_scratch, int fs_lane, unsigned fs_mask) {
  (void)fs_scratch, (void)fs_lane, (void)fs_mask;
#line 9 "../../examples/elem/mulv.elem"
  for (int y = FS_LANE; y < 3; y += FS_LANES)
    FS_PUT(y, FS_AT(A, y, 0) * FS_AT(x, 0) + FS_AT(A, y, 1) * FS_AT(x, 1) +
              FS_AT(A, y, 2) * FS_AT(x, 2));
#line 146 "fusible.cu"
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
#undef FS_AT_x

extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x;
  const fs_index first = (fs_index)blockIdx.x * FS_INSTANCES;
  alignas(16) __shared__ float e0[FS_INSTANCES * 9];
  alignas(16) __shared__ float e1[FS_INSTANCES * 9];
  alignas(16) __shared__ float e3[FS_INSTANCES * 3];
  alignas(16) __shared__ float e4[FS_INSTANCES * 3];
  // A
#pragma unroll
  for (int x0 = 4 * t; x0 < FS_INSTANCES * 9; x0 += 4 * FS_THREADS) {
    const int left = FS_M - first < FS_INSTANCES ? (int)(FS_M - first) * 9 :
        FS_INSTANCES * 9;
    float w0[4] = {};
    fs_load_some(w0, a0 + (first * 9 + x0), left - x0 < 4 ? left - x0 : 4);
#pragma unroll
    for (int e = 0; e < 4; e++) {
      const int x = x0 + e;
      float value = 0;  // of instances beyond the last
      if (x < left) {
        const float v0 = w0[e];
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
      float scratch[9];  // of one thread: in registers
      fs_user_354a4c8eea297c8b(e0 + own * 9, e1 + own * 9, scratch, lane, mask);
    }
  }
  __syncthreads();
  // A is e1
  // x
#pragma unroll
  for (int x0 = 4 * t; x0 < FS_INSTANCES * 3; x0 += 4 * FS_THREADS) {
    const int left = FS_M - first < FS_INSTANCES ? (int)(FS_M - first) * 3 :
        FS_INSTANCES * 3;
    float w1[4] = {};
    fs_load_some(w1, a1 + (first * 3 + x0), left - x0 < 4 ? left - x0 : 4);
#pragma unroll
    for (int e = 0; e < 4; e++) {
      const int x = x0 + e;
      float value = 0;  // of instances beyond the last
      if (x < left) {
        const float v2 = w1[e];
        value = v2;
      }
      e3[x] = value;
    }
  }
  __syncthreads();
  if (t < FS_INSTANCES * 1) {
    const int own = t, lane = 0;
    if (first + own < FS_M) {
      const unsigned mask = 1u << t % 32;
      fs_user_2c00a3fdd52b50e3(e1 + own * 9, e3 + own * 3, e4 + own * 3,
          (float *)nullptr, lane, mask);
    }
  }
  __syncthreads();
#pragma unroll
  for (int x0 = 4 * t; x0 < FS_INSTANCES * 3; x0 += 4 * FS_THREADS) {
    const int left = FS_M - first < FS_INSTANCES ? (int)(FS_M - first) * 3 :
        FS_INSTANCES * 3;
    float w2[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      const int x = x0 + e;
      const float v3 = e4[x];
      w2[e] = v3;
    }
    fs_store_some(a2 + (first * 3 + x0), w2, left - x0 < 4 ? left - x0 : 4);
  }
}
