// pairs.cuh - two neighbours of a half type in one register, added and multiplied at
// once: each result is the one of f32 arithmetic rounded to the type
// (core/kernel/pairs.c). The device's instructions are fma for bf16, where older ones
// have no sum or product: 1*a + b, and a*b - 0.

//@ fs_pair
template <typename S>
struct fs_pair {
  unsigned bits;
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ __forceinline__ unsigned fs_round_two(float low, float high, fs_f16) {
  unsigned bits;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}
__device__ __forceinline__ unsigned fs_round_two(float low, float high, fs_bf16) {
  unsigned bits;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}
#endif

// x, which is a number of S, twice.
template <typename S>
__device__ __forceinline__ fs_pair<S> fs_both(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return {fs_round_two(x, x, S())};
#else
  S s;
  fs_put(s, x);
  return {s.bits * 0x10001u};
#endif
}
#ifdef __CUDA_ARCH__
// The upper half of x: the compiler permutes a number that all threads have before a
// loop, but rounds it again in each turn.
template <>
__device__ __forceinline__ fs_pair<fs_bf16> fs_both<fs_bf16>(float x) {
  return {__byte_perm(__float_as_uint(x), 0, 0x3232)};
}
#endif

template <typename S>
__device__ __forceinline__ float fs_half(fs_pair<S> x, int h) {
  S s;
  s.bits = (unsigned short)(x.bits >> 16 * h);
  return fs_get(s);
}
template <typename S>
__device__ __forceinline__ void fs_set_half(fs_pair<S> &x, int h, unsigned short bits) {
  x.bits = (x.bits & 0xffff0000u >> 16 * h) | (unsigned)bits << 16 * h;
}
// Both rounded, by one instruction.
template <typename S>
__device__ __forceinline__ fs_pair<S> fs_two(float low, float high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return {fs_round_two(low, high, S())};
#else
  S a, b;
  fs_put(a, low);
  fs_put(b, high);
  return {a.bits | (unsigned)b.bits << 16};
#endif
}

#ifdef __CUDA_ARCH__
#define FS_PAIR_OP(name, op, f16, b, bf16)                                     \
  __device__ __forceinline__ fs_pair<fs_f16> name(fs_pair<fs_f16> x,           \
                                                  fs_pair<fs_f16> y) {         \
    fs_pair<fs_f16> z;                                                         \
    asm(f16 " %0, %1, %2;" : "=r"(z.bits) : "r"(x.bits), "r"(y.bits));         \
    return z;                                                                  \
  }                                                                            \
  __device__ __forceinline__ fs_pair<fs_bf16> name(fs_pair<fs_bf16> x,         \
                                                   fs_pair<fs_bf16> y) {       \
    fs_pair<fs_bf16> z;                                                        \
    asm("fma.rn.bf16x2 %0, " bf16 ";"                                          \
        : "=r"(z.bits) : "r"(x.bits), "r"(y.bits), "r"(b));                    \
    return z;                                                                  \
  }
#else
#define FS_PAIR_OP(name, op, f16, b, bf16)                                     \
  template <typename S>                                                        \
  fs_pair<S> name(fs_pair<S> x, fs_pair<S> y) {                                \
    return fs_two<S>(fs_half(x, 0) op fs_half(y, 0),                           \
                     fs_half(x, 1) op fs_half(y, 1));                          \
  }
#endif
FS_PAIR_OP(operator+, +, "add.rn.f16x2", 0x3f803f80u, "%1, %3, %2")
FS_PAIR_OP(operator-, -, "sub.rn.f16x2", 0xbf80bf80u, "%2, %3, %1")
FS_PAIR_OP(operator*, *, "mul.rn.f16x2", 0x80008000u, "%1, %2, %3")
#undef FS_PAIR_OP

#define FS_PAIR_MIXED(name)                                                    \
  template <typename S>                                                        \
  __device__ __forceinline__ fs_pair<S> name(fs_pair<S> x, float y) {          \
    return name(x, fs_both<S>(y));                                             \
  }                                                                            \
  template <typename S>                                                        \
  __device__ __forceinline__ fs_pair<S> name(float x, fs_pair<S> y) {          \
    return name(fs_both<S>(x), y);                                             \
  }
FS_PAIR_MIXED(operator+)
FS_PAIR_MIXED(operator-)
FS_PAIR_MIXED(operator*)
#undef FS_PAIR_MIXED
template <typename S>
__device__ __forceinline__ fs_pair<S> operator-(fs_pair<S> x) {
  return {x.bits ^ 0x80008000u};
}

// As the functions of memory.cuh of the same names.
template <int N, typename S>
__device__ __forceinline__ void fs_load(fs_pair<S> (&v)[N], const S *from) {
  const fs_pack<unsigned, N> x = *(const fs_pack<unsigned, N> *)from;
#pragma unroll
  for (int e = 0; e < N; e++) v[e].bits = x.e[e];
}
template <int SHIFT, int N, typename S>
__device__ __forceinline__ void fs_load_shifted(fs_pair<S> (&v)[N], const S *from) {
  const fs_pack<unsigned, N> *const p = (const fs_pack<unsigned, N> *)(from - SHIFT);
  const fs_pack<unsigned, N> x = p[0], y = p[1];
#pragma unroll
  for (int e = 0; e < N; e++) {
    const int k = e + SHIFT / 2;
    const unsigned low = k < N ? x.e[k % N] : y.e[k % N];
    const unsigned high = k + 1 < N ? x.e[(k + 1) % N] : y.e[(k + 1) % N];
    v[e].bits = SHIFT % 2 ? low >> 16 | high << 16 : low;
  }
}
template <int SHIFT, int N, typename S>
__device__ __forceinline__ void fs_load_spaced(fs_pair<S> (&v)[N], const S *from) {
  constexpr int VECTORS = (SHIFT + 2 * (2 * N - 1)) / (2 * N) + 1;
  const fs_pack<unsigned, N> *const p = (const fs_pack<unsigned, N> *)(from - SHIFT);
  fs_pack<unsigned, N> x[VECTORS];
#pragma unroll
  for (int k = 0; k < VECTORS; k++) x[k] = p[k];
#pragma unroll
  for (int e = 0; e < N; e++) {
    const int k = SHIFT / 2 + 2 * e;
    const unsigned low = x[k / N].e[k % N], high = x[(k + 1) / N].e[(k + 1) % N];
    v[e].bits = SHIFT % 2 ? low >> 16 | (high & 0xffff0000u)
                          : (low & 0xffffu) | high << 16;
  }
}
template <int N, typename S, typename I>
__device__ __forceinline__ void fs_load_apart(fs_pair<S> (&v)[N], const S *from,
                                              I stride, int k) {
#pragma unroll
  for (int e = 0; e < 2 * N; e++)
    if (e < k) fs_set_half(v[e / 2], e % 2, from[e * stride].bits);
}
template <int N, typename S>
__device__ __forceinline__ void fs_load_some(fs_pair<S> (&v)[N], const S *from,
                                             int k) {
  if (k == 2 * N) fs_load(v, from);
  else fs_load_apart(v, from, 1, k);
}
template <int N, typename S>
__device__ __forceinline__ void fs_load_first(fs_pair<S> (&v)[N], const S *from, int k,
                                              bool whole = false) {
  unsigned x[N];
  fs_words_some<2 * N>(x, from, k, whole);
#pragma unroll
  for (int e = 0; e < N; e++) v[e].bits = x[e];
}
template <int N, typename S>
__device__ __forceinline__ void fs_store(S *to, const fs_pair<S> (&v)[N]) {
  fs_pack<unsigned, N> x;
#pragma unroll
  for (int e = 0; e < N; e++) x.e[e] = v[e].bits;
  *(fs_pack<unsigned, N> *)to = x;
}
template <int N, typename S, typename I>
__device__ __forceinline__ void fs_store_apart(S *to, const fs_pair<S> (&v)[N],
                                               I stride, int k) {
#pragma unroll
  for (int e = 0; e < 2 * N; e++)
    if (e < k) to[e * stride].bits = (unsigned short)(v[e / 2].bits >> 16 * (e % 2));
}
template <int N, typename S>
__device__ __forceinline__ void fs_store_some(S *to, const fs_pair<S> (&v)[N],
                                              int k) {
  if (k == 2 * N) fs_store(to, v);
  else fs_store_apart(to, v, 1, k);
}

//@ fs_load_pairs_by
// fs_load() of pairs that nothing writes in this launch, by a policy (cache.cuh).
template <int N, typename S>
__device__ __forceinline__ void fs_load_pairs_by(fs_pair<S> (&v)[N], const S *from,
                                                 unsigned long long policy) {
  unsigned word[N];
  fs_load_by(word, (const unsigned *)from, policy);
#pragma unroll
  for (int e = 0; e < N; e++) v[e].bits = word[e];
}
