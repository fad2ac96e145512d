==== h200
> code: cuda
# k1 tile
launch: 256 threads, at most 784 blocks, bounds for 3
shared: 0 B; workspace 31616 B and 0 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2 3
// y = A*v; a = reduce("argmax", A, 2)
//
// scheme row, in parts; 16 rows of 4194304; 256 threads; 4 lanes x 4 vectors
typedef long long fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 3;
constexpr fs_index FS_STRIPS = 49;
constexpr fs_index FS_PARTS_MOST = 16;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 1;
constexpr fs_index FS_M = 16;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store fs_fresh
// spot.cuh: fs_spot
// reduce.cuh: fs_add
struct fs_first_largest {
  template <typename T>
  __device__ __forceinline__ static T best(T a, T b) { return fs_max(a, b); }
  template <typename T>
  __device__ __forceinline__ static T of(T a, T b) { return fs_first_of<fs_first_largest>(a, b); }
};

// reduce.cuh: fs_lanes fs_warp fs_across fs_block fs_add_parts fs_slices fs_parts
// barrier.cuh: fs_after_kernels fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  long long *const a3 = (long long *)s3;
  float *const w2 = (float *)((char *)work + 256);
  fs_spot<float> *const w3 = (fs_spot<float> *)((char *)work + 6528);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      const fs_index i = first;
      float r2[4] = {};
      fs_spot<float> r3[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r3[e] = fs_spot<float>{__int_as_float(0xff800000),
            9223372036854775807LL};
      }
      for (fs_index h = strip * 21; h < (strip + 1) * 21 && h < 1024; h++) {
        float v0[4][4];
        float v1[4][4];
#pragma unroll
        for (int c = 0; c < 4; c++) {
          const fs_index j = (h * 1024 + (c * 256 + t)) * 4;
          fs_load(v0[c], a0 + (i * 4194304 + j));
          fs_load(v1[c], a1 + j);
        }
#pragma unroll
        for (int c = 0; c < 4; c++) {
          const fs_index j = (h * 1024 + (c * 256 + t)) * 4;
#pragma unroll
          for (int e = 0; e < 4; e++) {
            r2[e] = fmaf(v0[c][e], v1[c][e], r2[e]);
            r3[e] = fs_first_largest::of(r3[e],
                fs_spot<float>{v0[c][e], j + 1 + e});
          }
        }
      }
      {
        const float x = fs_block<fs_add,
            8>(fs_lanes<fs_add>(r2), (float *)scratch);
        if (t == 0) w2[strip * 32 + i] = x;
        __syncthreads();
      }
      {
        const fs_spot<float> x = fs_block<fs_first_largest,
            8>(fs_lanes<fs_first_largest>(r3), (fs_spot<float> *)scratch);
        if (t == 0) w3[strip * 32 + i] = x;
        __syncthreads();
      }
    }
  }
  fs_grid_barrier(counters);
  for (fs_index unit = blockIdx.x; unit < 2; unit += gridDim.x) {
    const int lane = threadIdx.x % 8;
    const int slice = threadIdx.x / 8;
    const fs_index at = unit * 8 + lane * 1;
    const fs_index x = unit * 8 + threadIdx.x;
    float sum2[1];
    sum2[0] = 0;
    fs_add_parts<fs_add, 4>(sum2, w2, at, slice, 49, 32, 32);
    float x2 = 0;
    x2 = fs_slices<fs_add, 8>(sum2, (float *)scratch, 256, x2);
    fs_spot<float> sum3[1];
    sum3[0] = fs_spot<float>{__int_as_float(0xff800000), 9223372036854775807LL};
    fs_add_parts<fs_first_largest, 4>(sum3, w3, at, slice, 49, 32, 32);
    fs_spot<float> x3 = fs_spot<float>{__int_as_float(0xff800000),
        9223372036854775807LL};
    x3 = fs_slices<fs_first_largest,
        8>(sum3, (fs_spot<float> *)scratch, 256, x3);
    if (threadIdx.x < 8) {
      const fs_index i = x;
      if (i < 16) {
        const float v2 = x2;
        const long long v3 = x3.at;
        fs_put(a2[i], v2);
        fs_put(a3[i], v3);
      }
    }
  }
}
> code: cuda
# k1 tile
launch: 256 threads, at most 20 blocks, bounds for 2
shared: 0 B; workspace 2304 B and 0 B a block, 256 B of zeros; waits; cooperative
slots: 0 1
// s = logsumexp(B, 2)
//
// scheme row, in parts; 5 rows of 300001; 256 threads; 8 lanes x 4 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr fs_index FS_STRIPS = 4;
constexpr fs_index FS_PARTS_MOST = 5;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 1;
constexpr fs_index FS_M = 5;

// maps.cuh: fs_max
// memory.cuh: fs_from_bf16 fs_to_bf16 fs_get fs_put fs_bf16 fs_pack fs_values fs_bf16 fs_load fs_load_if fs_words_some fs_load_first fs_load_some fs_store fs_fresh
// state.cuh: fs_in_words fs_spread_state fs_finite fs_power_of_e
template <typename T>
struct fs_log_sum_state {
  T at; T sum;
};

struct fs_log_sum {
  template <typename T>
  __device__ __forceinline__ static T of(T s, T t) { s.sum = s.sum * fs_power_of_e(s.at - fs_max(s.at, t.at)) + t.sum * fs_power_of_e(t.at - fs_max(s.at, t.at)); s.at = fs_max(s.at, t.at); return s; }
  template <typename T>
  __device__ __forceinline__ static auto result(T s) { return s.at + fs_log_of(s.sum); }
  template <typename T, typename X>
  __device__ __forceinline__ static T with(T s, X x) { if (x > s.at + 1) { s.sum *= fs_power_of_e(s.at - fs_finite(x)); s.at = fs_finite(x); } s.sum += fs_power_of_e(x - s.at); return s; }
};

// reduce.cuh: fs_lanes fs_warp fs_across fs_block fs_add_parts fs_slices fs_parts
// barrier.cuh: fs_after_kernels fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *work
) {
  fs_after_kernels();
  const fs_bf16 *const a0 = (const fs_bf16 *)s0;
  float *const a1 = (float *)s1;
  fs_log_sum_state<float> *const w1 =
      (fs_log_sum_state<float> *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      const fs_index i = first;
      fs_log_sum_state<float> r1[8];
#pragma unroll
      for (int e = 0; e < 8; e++) {
        r1[e] = fs_log_sum_state<float>{-0x1.fffffep127f};
      }
      for (fs_index h = strip * 10; h < (strip + 1) * 10 && h < 37; h++) {
        float v0[4][8] = {};
#pragma unroll
        for (int c = 0; c < 4; c++) {
          const fs_index j = (h * 1024 + (c * 256 + t)) * 8;
          const int k = !(j < 300001) ? 0 : 300001 - j < 8 ? int(300001 - j) :
              8;
          fs_load_first(v0[c], a0 + (i * 300032 + j), k);
        }
#pragma unroll
        for (int c = 0; c < 4; c++) {
          const fs_index j = (h * 1024 + (c * 256 + t)) * 8;
          const int k = !(j < 300001) ? 0 : 300001 - j < 8 ? int(300001 - j) :
              8;
#pragma unroll
          for (int e = 0; e < 8; e++) {
            if (e < k) r1[e] = fs_log_sum::with(r1[e], v0[c][e]);
          }
        }
      }
      {
        const fs_log_sum_state<float> x = fs_block<fs_log_sum,
            8>(fs_lanes<fs_log_sum>(r1), (fs_log_sum_state<float> *)scratch);
        if (t == 0) w1[strip * 32 + i] = x;
        __syncthreads();
      }
    }
  }
  fs_grid_barrier(counters);
  for (fs_index unit = blockIdx.x; unit < 1; unit += gridDim.x) {
    const int lane = threadIdx.x % 8;
    const int slice = threadIdx.x / 8;
    const fs_index at = unit * 8 + lane * 1;
    const fs_index x = unit * 8 + threadIdx.x;
    fs_log_sum_state<float> sum1[1];
    sum1[0] = fs_log_sum_state<float>{-0x1.fffffep127f};
    fs_add_parts<fs_log_sum, 4>(sum1, w1, at, slice, 4, 32, 32);
    fs_log_sum_state<float> x1 = fs_log_sum_state<float>{-0x1.fffffep127f};
    x1 = fs_slices<fs_log_sum,
        8>(sum1, (fs_log_sum_state<float> *)scratch, 256, x1);
    if (threadIdx.x < 8) {
      const fs_index i = x;
      if (i < 5) {
        const float v1 = fs_log_sum::result(x1);
        fs_put(a1[i], v1);
      }
    }
  }
}
==== a100
> code: cuda
# k1 tile
launch: 256 threads, at most 1264 blocks, bounds for 3
shared: 0 B; workspace 50816 B and 0 B a block, 256 B of zeros; cooperative
slots: 0 1 2 3
// y = A*v; a = reduce("argmax", A, 2)
//
// scheme row, in parts; 16 rows of 4194304; 256 threads; 4 lanes x 4 vectors
typedef long long fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 3;
constexpr fs_index FS_STRIPS = 79;
constexpr fs_index FS_PARTS_MOST = 16;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 1;
constexpr fs_index FS_M = 16;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store fs_fresh
// spot.cuh: fs_spot
// reduce.cuh: fs_add
struct fs_first_largest {
  template <typename T>
  __device__ __forceinline__ static T best(T a, T b) { return fs_max(a, b); }
  template <typename T>
  __device__ __forceinline__ static T of(T a, T b) { return fs_first_of<fs_first_largest>(a, b); }
};

// reduce.cuh: fs_lanes fs_warp fs_across fs_block fs_add_parts fs_slices fs_parts
// barrier.cuh: fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *work
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  long long *const a3 = (long long *)s3;
  float *const w2 = (float *)((char *)work + 256);
  fs_spot<float> *const w3 = (fs_spot<float> *)((char *)work + 10368);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      const fs_index i = first;
      float r2[4] = {};
      fs_spot<float> r3[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r3[e] = fs_spot<float>{__int_as_float(0xff800000),
            9223372036854775807LL};
      }
      for (fs_index h = strip * 13; h < (strip + 1) * 13 && h < 1024; h++) {
        float v0[4][4];
        float v1[4][4];
#pragma unroll
        for (int c = 0; c < 4; c++) {
          const fs_index j = (h * 1024 + (c * 256 + t)) * 4;
          fs_load(v0[c], a0 + (i * 4194304 + j));
          fs_load(v1[c], a1 + j);
        }
#pragma unroll
        for (int c = 0; c < 4; c++) {
          const fs_index j = (h * 1024 + (c * 256 + t)) * 4;
#pragma unroll
          for (int e = 0; e < 4; e++) {
            r2[e] = fmaf(v0[c][e], v1[c][e], r2[e]);
            r3[e] = fs_first_largest::of(r3[e],
                fs_spot<float>{v0[c][e], j + 1 + e});
          }
        }
      }
      {
        const float x = fs_block<fs_add,
            8>(fs_lanes<fs_add>(r2), (float *)scratch);
        if (t == 0) w2[strip * 32 + i] = x;
        __syncthreads();
      }
      {
        const fs_spot<float> x = fs_block<fs_first_largest,
            8>(fs_lanes<fs_first_largest>(r3), (fs_spot<float> *)scratch);
        if (t == 0) w3[strip * 32 + i] = x;
        __syncthreads();
      }
    }
  }
  fs_grid_barrier(counters);
  for (fs_index unit = blockIdx.x; unit < 2; unit += gridDim.x) {
    const int lane = threadIdx.x % 8;
    const int slice = threadIdx.x / 8;
    const fs_index at = unit * 8 + lane * 1;
    const fs_index x = unit * 8 + threadIdx.x;
    float sum2[1];
    sum2[0] = 0;
    fs_add_parts<fs_add, 4>(sum2, w2, at, slice, 79, 32, 32);
    float x2 = 0;
    x2 = fs_slices<fs_add, 8>(sum2, (float *)scratch, 256, x2);
    fs_spot<float> sum3[1];
    sum3[0] = fs_spot<float>{__int_as_float(0xff800000), 9223372036854775807LL};
    fs_add_parts<fs_first_largest, 4>(sum3, w3, at, slice, 79, 32, 32);
    fs_spot<float> x3 = fs_spot<float>{__int_as_float(0xff800000),
        9223372036854775807LL};
    x3 = fs_slices<fs_first_largest,
        8>(sum3, (fs_spot<float> *)scratch, 256, x3);
    if (threadIdx.x < 8) {
      const fs_index i = x;
      if (i < 16) {
        const float v2 = x2;
        const long long v3 = x3.at;
        fs_put(a2[i], v2);
        fs_put(a3[i], v3);
      }
    }
  }
}
> code: cuda
# k1 tile
launch: 256 threads, at most 40 blocks, bounds for 2
shared: 0 B; workspace 4352 B and 0 B a block, 256 B of zeros; cooperative
slots: 0 1
// s = logsumexp(B, 2)
//
// scheme row, in parts; 5 rows of 300001; 256 threads; 8 lanes x 4 vectors
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr fs_index FS_STRIPS = 8;
constexpr fs_index FS_PARTS_MOST = 5;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 1;
constexpr fs_index FS_M = 5;

// maps.cuh: fs_max
// memory.cuh: fs_from_bf16 fs_to_bf16 fs_get fs_put fs_bf16 fs_pack fs_values fs_bf16 fs_load fs_load_if fs_words_some fs_load_first fs_load_some fs_store fs_fresh
// state.cuh: fs_in_words fs_spread_state fs_finite fs_power_of_e
template <typename T>
struct fs_log_sum_state {
  T at; T sum;
};

struct fs_log_sum {
  template <typename T>
  __device__ __forceinline__ static T of(T s, T t) { s.sum = s.sum * fs_power_of_e(s.at - fs_max(s.at, t.at)) + t.sum * fs_power_of_e(t.at - fs_max(s.at, t.at)); s.at = fs_max(s.at, t.at); return s; }
  template <typename T>
  __device__ __forceinline__ static auto result(T s) { return s.at + fs_log_of(s.sum); }
  template <typename T, typename X>
  __device__ __forceinline__ static T with(T s, X x) { if (x > s.at + 1) { s.sum *= fs_power_of_e(s.at - fs_finite(x)); s.at = fs_finite(x); } s.sum += fs_power_of_e(x - s.at); return s; }
};

// reduce.cuh: fs_lanes fs_warp fs_across fs_block fs_add_parts fs_slices fs_parts
// barrier.cuh: fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *work
) {
  const fs_bf16 *const a0 = (const fs_bf16 *)s0;
  float *const a1 = (float *)s1;
  fs_log_sum_state<float> *const w1 =
      (fs_log_sum_state<float> *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      const fs_index i = first;
      fs_log_sum_state<float> r1[8];
#pragma unroll
      for (int e = 0; e < 8; e++) {
        r1[e] = fs_log_sum_state<float>{-0x1.fffffep127f};
      }
      for (fs_index h = strip * 5; h < (strip + 1) * 5 && h < 37; h++) {
        float v0[4][8] = {};
#pragma unroll
        for (int c = 0; c < 4; c++) {
          const fs_index j = (h * 1024 + (c * 256 + t)) * 8;
          const int k = !(j < 300001) ? 0 : 300001 - j < 8 ? int(300001 - j) :
              8;
          fs_load_first(v0[c], a0 + (i * 300032 + j), k);
        }
#pragma unroll
        for (int c = 0; c < 4; c++) {
          const fs_index j = (h * 1024 + (c * 256 + t)) * 8;
          const int k = !(j < 300001) ? 0 : 300001 - j < 8 ? int(300001 - j) :
              8;
#pragma unroll
          for (int e = 0; e < 8; e++) {
            if (e < k) r1[e] = fs_log_sum::with(r1[e], v0[c][e]);
          }
        }
      }
      {
        const fs_log_sum_state<float> x = fs_block<fs_log_sum,
            8>(fs_lanes<fs_log_sum>(r1), (fs_log_sum_state<float> *)scratch);
        if (t == 0) w1[strip * 32 + i] = x;
        __syncthreads();
      }
    }
  }
  fs_grid_barrier(counters);
  for (fs_index unit = blockIdx.x; unit < 1; unit += gridDim.x) {
    const int lane = threadIdx.x % 8;
    const int slice = threadIdx.x / 8;
    const fs_index at = unit * 8 + lane * 1;
    const fs_index x = unit * 8 + threadIdx.x;
    fs_log_sum_state<float> sum1[1];
    sum1[0] = fs_log_sum_state<float>{-0x1.fffffep127f};
    fs_add_parts<fs_log_sum, 4>(sum1, w1, at, slice, 8, 32, 32);
    fs_log_sum_state<float> x1 = fs_log_sum_state<float>{-0x1.fffffep127f};
    x1 = fs_slices<fs_log_sum,
        8>(sum1, (fs_log_sum_state<float> *)scratch, 256, x1);
    if (threadIdx.x < 8) {
      const fs_index i = x;
      if (i < 5) {
        const float v1 = fs_log_sum::result(x1);
        fs_put(a1[i], v1);
      }
    }
  }
}
