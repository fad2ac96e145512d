// spot.cuh - the state of a reduction to a place: a value, and where it is.

//@ fs_spot fs_first_of
template <typename T>
struct fs_spot {
  T value;
  fs_index at;
};
template <typename T>
__device__ __forceinline__ fs_spot<T> __shfl_xor_sync(unsigned threads, fs_spot<T> x, int mask) {
  return {__shfl_xor_sync(threads, x.value, mask), __shfl_xor_sync(threads, x.at, mask)};
}
template <typename T>
__device__ __forceinline__ fs_spot<T> fs_fresh(const fs_spot<T> *from) {
  return {fs_fresh(&from->value), fs_fresh(&from->at)};
}
// Where x is, if its value is the best one or NaN, which then is the best one; else behind
// all places.
template <typename T>
__device__ __forceinline__ fs_index fs_place_if(fs_spot<T> x, T best) {
  const fs_index last = fs_index(sizeof(fs_index) == 8 ? 0x7fffffffffffffffLL : 0x7fffffffLL);
  return x.value == best || x.value != x.value ? x.at : last;
}
__device__ __forceinline__ fs_index fs_earlier(fs_index a, fs_index b) { return b < a ? b : a; }
// The better one; of two that are the same, or NaN, the earlier one.
template <typename Op, typename T>
__device__ __forceinline__ fs_spot<T> fs_first_of(fs_spot<T> a, fs_spot<T> b) {
  const T best = Op::best(a.value, b.value);
  return {best, fs_earlier(fs_place_if(a, best), fs_place_if(b, best))};
}
// In a thread, and in a warp: first the value, then where it is.
template <typename Op, typename T, int N>
__device__ __forceinline__ fs_spot<T> fs_lanes(const fs_spot<T> (&v)[N]) {
  T best = v[0].value;
#pragma unroll
  for (int e = 1; e < N; e++) best = Op::best(best, v[e].value);
  fs_index at = fs_place_if(v[0], best);
#pragma unroll
  for (int e = 1; e < N; e++) at = fs_earlier(at, fs_place_if(v[e], best));
  return {best, at};
}
template <typename Op, int W, typename T>
__device__ __forceinline__ fs_spot<T> fs_warp(fs_spot<T> x) {
  T best = x.value;
#pragma unroll
  for (int o = W / 2; o > 0; o /= 2) best = Op::best(best, __shfl_xor_sync(0xffffffffu, best, o));
  fs_index at = fs_place_if(x, best);
#pragma unroll
  for (int o = W / 2; o > 0; o /= 2) at = fs_earlier(at, __shfl_xor_sync(0xffffffffu, at, o));
  return {best, at};
}
