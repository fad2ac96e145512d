// state.cuh - what states of reductions need that have several fields. The fields, and how
// elements join them, the emitter makes of core/graph/reductions.def.

//@ fs_in_words
// A state as words of 8 bytes, of each of which `each` makes another.
template <template <typename> class S, typename T, typename F>
__device__ __forceinline__ S<T> fs_in_words(const S<T> &s, const F &each) {
  union {
    S<T> state;
    long long word[sizeof(S<T>) / 8];
  } x;
  x.state = s;
#pragma unroll
  for (int k = 0; k < (int)(sizeof(S<T>) / 8); k++) x.word[k] = each(x.word[k], k);
  return x.state;
}

//@ fs_spread_state fs_log_sum_state
template <template <typename> class S, typename T>
__device__ __forceinline__ S<T> __shfl_xor_sync(unsigned threads, S<T> s, int mask) {
  return fs_in_words(s, [&](long long x, int) { return __shfl_xor_sync(threads, x, mask); });
}
template <template <typename> class S, typename T>
__device__ __forceinline__ S<T> fs_fresh(const S<T> *from) {
  const long long *words = reinterpret_cast<const long long *>(from);
  return fs_in_words(S<T>{}, [&](long long, int k) { return fs_fresh(words + k); });
}

//@ fs_finite
// x, as the largest or the least finite number if it is infinite.
__device__ __forceinline__ float fs_finite(float x) {
  return fminf(fmaxf(x, -0x1.fffffep127f), 0x1.fffffep127f);
}
__device__ __forceinline__ double fs_finite(double x) {
  return fmin(fmax(x, -0x1.fffffffffffffp1023), 0x1.fffffffffffffp1023);
}

//@ fs_power_of_e fs_log_of
__device__ __forceinline__ float fs_power_of_e(float x) { return expf(x); }
__device__ __forceinline__ double fs_power_of_e(double x) { return exp(x); }
__device__ __forceinline__ float fs_log_of(float x) { return logf(x); }
__device__ __forceinline__ double fs_log_of(double x) { return log(x); }
