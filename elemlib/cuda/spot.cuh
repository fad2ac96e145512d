// spot.cuh - the state of a reduction to a place: a value, and where it is.

//@ fs_spot fs_is_before
template <typename T>
struct fs_spot {
  T value;
  long long at;
};
template <typename T>
__device__ __forceinline__ fs_spot<T> __shfl_xor_sync(unsigned threads, fs_spot<T> x, int mask) {
  return {__shfl_xor_sync(threads, x.value, mask), __shfl_xor_sync(threads, x.at, mask)};
}
template <typename T>
__device__ __forceinline__ fs_spot<T> fs_fresh(const fs_spot<T> *from) {
  return {fs_fresh(&from->value), fs_fresh(&from->at)};
}
// Whether b comes first: both are the same, or NaN, and b is the earlier one, or b alone is NaN.
template <typename T>
__device__ __forceinline__ bool fs_is_before(fs_spot<T> a, fs_spot<T> b) {
  if (b.value != b.value) return a.value == a.value || b.at < a.at;
  return b.value == a.value && b.at < a.at;
}
