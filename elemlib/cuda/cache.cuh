// cache.cuh - what loads tell the second-level cache, sm_80 and later (PTX ISA 7.4,
// "createpolicy", ".L2::cache_hint"). A host that imitates the device has no such
// cache.

//@ fs_cache_stays
// Goes when it was used longest ago, as any data.
__device__ __forceinline__ unsigned long long fs_cache_stays() {
  unsigned long long policy = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
#endif
  return policy;
}

//@ fs_cache_passes
// Goes before all else.
__device__ __forceinline__ unsigned long long fs_cache_passes() {
  unsigned long long policy = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
#endif
  return policy;
}

//@ fs_cache_lasts
// Goes after all else.
__device__ __forceinline__ unsigned long long fs_cache_lasts() {
  unsigned long long policy = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
#endif
  return policy;
}

//@ fs_words_by
// Some words at once, of data that nothing writes in this launch, by a policy. Volatile,
// so that no compiler moves it before the wait for earlier kernels (fs_after_kernels()).
template <int N>
__device__ __forceinline__ void fs_words_by(unsigned (&x)[N], const unsigned *from,
                                            unsigned long long policy) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (N % 4 == 0) {
#pragma unroll
    for (int w = 0; w < N; w += 4)
      asm volatile("ld.global.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
                   : "=r"(x[w]), "=r"(x[w + 1]), "=r"(x[w + 2]), "=r"(x[w + 3])
                   : "l"(from + w), "l"(policy));
  } else if constexpr (N == 2) {
    asm volatile("ld.global.L2::cache_hint.v2.b32 {%0, %1}, [%2], %3;"
                 : "=r"(x[0]), "=r"(x[1]) : "l"(from), "l"(policy));
  } else {
#pragma unroll
    for (int w = 0; w < N; w++)
      asm volatile("ld.global.L2::cache_hint.b32 %0, [%1], %2;"
                   : "=r"(x[w]) : "l"(from + w), "l"(policy));
  }
#endif
}

//@ fs_load_by
// fs_load() by a policy.
template <typename T, int N, typename S>
__device__ __forceinline__ void fs_load_by(T (&v)[N], const S *from,
                                           unsigned long long policy) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (sizeof(S) * N % 4 == 0) {
    unsigned x[sizeof(S) * N / 4];
    fs_words_by(x, reinterpret_cast<const unsigned *>(from), policy);
    fs_values(v, x, S());
  } else {
    fs_load(v, from);
  }
#else
  fs_load(v, from);
#endif
}
