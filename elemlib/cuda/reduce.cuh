// reduce.cuh - reductions in a warp and in a block, always in the same order. How two
// states are merged, the emitter makes of core/graph/reductions.def.

//@ fs_lanes
// The N partial results of one thread, as a tree.
template <typename Op, typename T, int N>
__device__ __forceinline__ T fs_lanes(const T (&v)[N]) {
  T x[N];
#pragma unroll
  for (int e = 0; e < N; e++) x[e] = v[e];
#pragma unroll
  for (int w = N / 2; w > 0; w /= 2)
#pragma unroll
    for (int e = 0; e < w; e++) x[e] = Op::of(x[e], x[e + w]);
  return x[0];
}

//@ fs_warp
// Over groups of W neighbouring threads of a warp (W a power of two); every
// thread gets the result. The whole warp must come here.
template <typename Op, int W, typename T>
__device__ __forceinline__ T fs_warp(T x) {
#pragma unroll
  for (int o = W / 2; o > 0; o /= 2)
    x = Op::of(x, __shfl_xor_sync(0xffffffffu, x, o));
  return x;
}

//@ fs_from_lanes
// x of each of the first N of W neighbouring threads of a warp (W a power of two). The
// whole warp must come here.
template <int W, typename T, int N>
__device__ __forceinline__ void fs_from_lanes(T (&v)[N], T x) {
#pragma unroll
  for (int k = 0; k < N; k++) v[k] = __shfl_sync(0xffffffffu, x, k, W);
}

//@ fs_across
// Over the threads of a warp that lie a multiple of LANES apart, N results each;
// every thread gets the results. The whole warp must come here.
template <typename Op, int LANES, typename T, int N>
__device__ __forceinline__ void fs_across(T (&v)[N]) {
#pragma unroll
  for (int o = LANES; o < 32; o *= 2)
#pragma unroll
    for (int e = 0; e < N; e++)
      v[e] = Op::of(v[e], __shfl_xor_sync(0xffffffffu, v[e], o));
}

//@ fs_block
// Over all threads of a block of W warps; every thread gets the result. `part`
// is shared memory for W elements; free again after the next barrier.
template <typename Op, int W, typename T>
__device__ __forceinline__ T fs_block(T x, T *part) {
  x = fs_warp<Op, 32>(x);
  if (W == 1) return x;
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
  __syncthreads();
  x = part[0];
#pragma unroll
  for (int w = 1; w < W; w++) x = Op::of(x, part[w]);
  return x;
}

//@ fs_fold
// N partial results that lie side by side.
template <typename Op, int N, typename T>
__device__ __forceinline__ T fs_fold(const T *part) {
  T x = part[0];
#pragma unroll
  for (int w = 1; w < N; w++) x = Op::of(x, part[w]);
  return x;
}

//@ fs_side
// Vector v of N results that each of SIDES rows of the block has, `width` vectors of a row after
// those of the last one: put together, row after row.
template <typename Op, int SIDES, typename T, int N>
__device__ __forceinline__ void fs_side(T (&x)[N], const T *side, int v, int width) {
  fs_load(x, side + v * N);
#pragma unroll
  for (int row = 1; row < SIDES; row++) {
    T y[N];
    fs_load(y, side + (row * width + v) * N);
#pragma unroll
    for (int e = 0; e < N; e++) x[e] = Op::of(x[e], y[e]);
  }
}

//@ fs_fewer
__device__ __forceinline__ unsigned fs_fewer(unsigned a, unsigned b) { return a < b ? a : b; }

//@ fs_gather
// What `count` blocks left, of which each of `threads` takes one in so many: the loads of K are
// under way at once. `none` is neutral.
template <typename Op, int K, typename T, typename X>
__device__ __forceinline__ T fs_gather(const T *from, unsigned count, int threads, X none) {
  T part[K ? K : 1], x = none;
#pragma unroll
  for (int k = 0; k < K; k++) {
    const unsigned b = threadIdx.x + k * threads;
    part[k] = b < count ? fs_fresh(from + b) : none;
  }
#pragma unroll
  for (int k = 0; k < K; k++) x = Op::of(x, part[k]);
  for (unsigned b = threadIdx.x + K * threads; b < count; b += threads)
    x = Op::of(x, fs_fresh(from + b));
  return x;
}

//@ fs_add_parts
// Adds parts b, b + step, ... of `parts`, of each the N results from `at` on, UNROLL loads at once.
template <typename Op, int UNROLL, typename T, int N>
__device__ __forceinline__ void fs_add_parts(T (&sum)[N], const T *from, fs_index at,
                                             fs_index b, fs_index parts, int step,
                                             fs_index pitch) {
#pragma unroll UNROLL
  for (; b < parts && at < pitch; b += step) {
    T more[N];
    fs_load(more, from + b * pitch + at);
#pragma unroll
    for (int e = 0; e < N; e++) sum[e] = Op::of(sum[e], more[e]);
  }
}

//@ fs_fetch
// Loads K of those parts, which are under way at once; what is not there is neutral.
template <int K, typename T, int N, typename X>
__device__ __forceinline__ void fs_fetch(T (&part)[K][N], const T *from, fs_index at,
                                         fs_index slice, int step, fs_index parts,
                                         fs_index pitch, X none) {
#pragma unroll
  for (int k = 0; k < K; k++) {
    const fs_index b = slice + k * step;
#pragma unroll
    for (int e = 0; e < N; e++) part[k][e] = none;
    if (b < parts && at < pitch) fs_load(part[k], from + b * pitch + at);
  }
}

//@ fs_add_fetched
template <typename Op, typename T, int K, int N>
__device__ __forceinline__ void fs_add_fetched(T (&sum)[N], const T (&part)[K][N]) {
#pragma unroll
  for (int k = 0; k < K; k++)
#pragma unroll
    for (int e = 0; e < N; e++) sum[e] = Op::of(sum[e], part[k][e]);
}

//@ fs_slices
// N results of each of LANES lanes, put together over the slices of a block: those of a warp by
// shuffles, then the warps', in order. Thread k has result k of the LANES * N, others `none`.
template <typename Op, int LANES, typename T, int N>
__device__ __forceinline__ T fs_slices(T (&v)[N], T *part, int threads, T none) {
  if (LANES < 32) fs_across<Op, LANES>(v);
  __syncthreads();
  if (threadIdx.x % 32 < LANES)
    fs_store(part + (threadIdx.x / 32 * LANES + threadIdx.x % LANES) * N, v);
  __syncthreads();
  T x = none;
#pragma unroll
  for (int w = 0; w < threads / 32 && threadIdx.x < LANES * N; w++)
    x = Op::of(x, part[w * LANES * N + threadIdx.x]);
  return x;
}

//@ fs_parts
// Into how many parts the rows are dealt out: enough for every block of the grid
// to have work, at most one per block, so that partial results have room.
__device__ __forceinline__ fs_index fs_parts(fs_index strips, fs_index most) {
  const fs_index blocks = gridDim.x;
  fs_index parts = blocks / strips;
  if (strips * 8 > blocks) parts = (8 * blocks + strips - 1) / strips;
  if (parts > blocks) parts = blocks;
  if (parts > most) parts = most;
  return parts < 1 ? 1 : parts;
}
