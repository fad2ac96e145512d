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
