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

//@ fs_load_by
// fs_load() of data that nothing writes in this launch, by a policy. Volatile, so that
// no compiler moves it before the wait for earlier kernels (fs_after_kernels()).
template <typename T, int N, typename S>
__device__ __forceinline__ void fs_load_by(T (&v)[N], const S *from,
                                           unsigned long long policy) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  constexpr int WORDS = sizeof(S) * N / 4;
  if constexpr (sizeof(S) * N % 16 == 0) {
    union {
      unsigned word[WORDS];
      S e[N];
    } x;
#pragma unroll
    for (int w = 0; w < WORDS; w += 4)
      asm volatile(
          "ld.global.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
          : "=r"(x.word[w]), "=r"(x.word[w + 1]), "=r"(x.word[w + 2]),
            "=r"(x.word[w + 3])
          : "l"(reinterpret_cast<const unsigned *>(from) + w), "l"(policy));
#pragma unroll
    for (int e = 0; e < N; e++) v[e] = fs_get(x.e[e]);
  } else {
    fs_load(v, from);
  }
#else
  fs_load(v, from);
#endif
}
