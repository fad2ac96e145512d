// memory.cuh - how elements lie in memory: types as stored, loads and stores of
// one element and of N neighbours. Only here does a kernel touch global memory.
// On the device the conversions are single instructions; the bit code beside
// them is for compilers that do not know the device's assembler.

//@ fs_from_f16
__device__ __forceinline__ float fs_from_f16(unsigned short h) {
#ifdef __CUDA_ARCH__
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
#else
  const unsigned sign = (unsigned)(h & 0x8000) << 16;
  const unsigned rest = h & 0x7fffu;
  if (rest >= 0x7c00)  // infinite, NaN
    return __uint_as_float(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
  if (rest >= 0x0400) return __uint_as_float(sign | ((rest << 13) + 0x38000000u));
  const float tiny = (float)rest * 5.9604644775390625e-8f;  // 2^-24
  return sign ? -tiny : tiny;
#endif
}

//@ fs_to_f16
// To the nearest, ties to even.
__device__ __forceinline__ unsigned short fs_to_f16(float f) {
#ifdef __CUDA_ARCH__
  unsigned short h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
  return h;
#else
  const unsigned u = __float_as_uint(f), rest = u & 0x7fffffffu;
  const unsigned sign = u >> 16 & 0x8000u;
  if (rest > 0x7f800000u) return (unsigned short)(sign | 0x7e00u);
  if (rest >= 0x477ff000u) return (unsigned short)(sign | 0x7c00u);
  if (rest < 0x38800000u) {  // below 2^-14: let an addition round
    const float x = __uint_as_float(rest) + 0.5f;
    return (unsigned short)(sign | (__float_as_uint(x) - 0x3f000000u));
  }
  const unsigned even = rest >> 13 & 1;
  return (unsigned short)(sign | ((rest - 0x38000000u + 0xfffu + even) >> 13));
#endif
}

//@ fs_from_bf16
__device__ __forceinline__ float fs_from_bf16(unsigned short h) {
  return __uint_as_float((unsigned)h << 16);
}

//@ fs_to_bf16
__device__ __forceinline__ unsigned short fs_to_bf16(float f) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned pair;  // two at once: one alone takes four times as long
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(0.0f), "f"(f));
  return (unsigned short)pair;
#else
  const unsigned u = __float_as_uint(f);
  if ((u & 0x7fffffffu) > 0x7f800000u)
    return (unsigned short)(u >> 16 | 0x40u);  // NaN
  return (unsigned short)((u + 0x7fffu + (u >> 16 & 1)) >> 16);
#endif
}

//@ fs_round_f16
__device__ __forceinline__ float fs_round_f16(float f) {
  return fs_from_f16(fs_to_f16(f));
}

//@ fs_round_bf16
__device__ __forceinline__ float fs_round_bf16(float f) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned pair;  // the upper half is the float
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(f), "f"(0.0f));
  return __uint_as_float(pair);
#else
  return fs_from_bf16(fs_to_bf16(f));
#endif
}

// Integers that are computed in wider ones: round wraps around, clip gives the nearest of
// the type, which a float becomes.
//@ fs_round_u8
__device__ __forceinline__ int fs_round_u8(int x) { return (unsigned char)x; }

//@ fs_clip_u8
__device__ __forceinline__ int fs_clip_u8(int x) {
  return x < 0 ? 0 : x > 255 ? 255 : x;
}

//@ fs_round_i8
__device__ __forceinline__ int fs_round_i8(int x) { return (signed char)x; }

//@ fs_clip_i8
__device__ __forceinline__ int fs_clip_i8(int x) {
  return x < -128 ? -128 : x > 127 ? 127 : x;
}

//@ fs_round_u16
__device__ __forceinline__ int fs_round_u16(int x) { return (unsigned short)x; }

//@ fs_clip_u16
__device__ __forceinline__ int fs_clip_u16(int x) {
  return x < 0 ? 0 : x > 65535 ? 65535 : x;
}

//@ fs_round_i16
__device__ __forceinline__ int fs_round_i16(int x) { return (short)x; }

//@ fs_clip_i16
__device__ __forceinline__ int fs_clip_i16(int x) {
  return x < -32768 ? -32768 : x > 32767 ? 32767 : x;
}

//@ fs_round_u32
__device__ __forceinline__ long long fs_round_u32(long long x) { return (unsigned)x; }

//@ fs_clip_u32
__device__ __forceinline__ long long fs_clip_u32(long long x) {
  return x < 0 ? 0 : x > 4294967295LL ? 4294967295LL : x;
}

//@ fs_get
// The element's value, in the type it is computed in; put is the way back.
template <typename T>
__device__ __forceinline__ T fs_get(T x) {
  return x;
}

//@ fs_put
template <typename T>
__device__ __forceinline__ void fs_put(T &to, T x) {
  to = x;
}

//@ fs_bool
struct fs_bool {
  unsigned char byte;
};
__device__ __forceinline__ bool fs_get(fs_bool x) { return x.byte != 0; }
__device__ __forceinline__ void fs_put(fs_bool &to, bool x) { to.byte = x; }

//@ fs_f16
struct fs_f16 {
  unsigned short bits;
};
__device__ __forceinline__ float fs_get(fs_f16 x) { return fs_from_f16(x.bits); }
__device__ __forceinline__ void fs_put(fs_f16 &to, float x) {
  to.bits = fs_to_f16(x);
}

//@ fs_bf16
struct fs_bf16 {
  unsigned short bits;
};
__device__ __forceinline__ float fs_get(fs_bf16 x) {
  return fs_from_bf16(x.bits);
}
__device__ __forceinline__ void fs_put(fs_bf16 &to, float x) {
  to.bits = fs_to_bf16(x);
}

//@ fs_u8
struct fs_u8 {
  unsigned char number;
};
__device__ __forceinline__ int fs_get(fs_u8 x) { return x.number; }
__device__ __forceinline__ void fs_put(fs_u8 &to, int x) { to.number = (unsigned char)x; }

//@ fs_i8
struct fs_i8 {
  signed char number;
};
__device__ __forceinline__ int fs_get(fs_i8 x) { return x.number; }
__device__ __forceinline__ void fs_put(fs_i8 &to, int x) { to.number = (signed char)x; }

//@ fs_u16
struct fs_u16 {
  unsigned short number;
};
__device__ __forceinline__ int fs_get(fs_u16 x) { return x.number; }
__device__ __forceinline__ void fs_put(fs_u16 &to, int x) { to.number = (unsigned short)x; }

//@ fs_i16
struct fs_i16 {
  short number;
};
__device__ __forceinline__ int fs_get(fs_i16 x) { return x.number; }
__device__ __forceinline__ void fs_put(fs_i16 &to, int x) { to.number = (short)x; }

//@ fs_u32
struct fs_u32 {
  unsigned number;
};
__device__ __forceinline__ long long fs_get(fs_u32 x) { return x.number; }
__device__ __forceinline__ void fs_put(fs_u32 &to, long long x) { to.number = (unsigned)x; }

//@ fs_u64
typedef unsigned long long fs_u64;

//@ fs_pack
// N neighbours that lie on a multiple of their size: one access of the device
// up to 16 bytes.
template <typename S, int N>
struct alignas(sizeof(S) * N < 16 ? sizeof(S) * N : 16) fs_pack {
  S e[N];
};

//@ fs_values
// The values of N elements of S that lie in words.
template <typename T, int N, int W, typename S>
__device__ __forceinline__ void fs_values(T (&v)[N], const unsigned (&word)[W], S) {
  union {
    unsigned word[W];
    S e[N];
  } x;
#pragma unroll
  for (int w = 0; w < W; w++) x.word[w] = word[w];
#pragma unroll
  for (int e = 0; e < N; e++) v[e] = fs_get(x.e[e]);
}

//@ fs_bf16
// The upper half of a word is its value where it stands: an instruction in place of two, by
// which the compiler takes it out and shifts it up again.
template <int N, int W>
__device__ __forceinline__ void fs_values(float (&v)[N], const unsigned (&word)[W],
                                          fs_bf16) {
#pragma unroll
  for (int e = 0; e < N; e++)
    v[e] = __uint_as_float(e % 2 ? word[e / 2] & 0xffff0000u : word[e / 2] << 16);
}
template <int N>
__device__ __forceinline__ void fs_load(float (&v)[N], const fs_bf16 *from) {
  const fs_pack<unsigned, N / 2> x =
      *reinterpret_cast<const fs_pack<unsigned, N / 2> *>(from);
  fs_values(v, x.e, fs_bf16());
}

//@ fs_load
template <typename T, int N, typename S>
__device__ __forceinline__ void fs_load(T (&v)[N], const S *from) {
  const fs_pack<S, N> x = *reinterpret_cast<const fs_pack<S, N> *>(from);
#pragma unroll
  for (int e = 0; e < N; e++) v[e] = fs_get(x.e[e]);
}
#ifdef FS_QUICK
// What is computed as it is stored: code that is compiled quickly would keep the loop.
template <typename T, int N>
__device__ __forceinline__ void fs_load(T (&v)[N], const T *from) {
  const fs_pack<T, N> x = *reinterpret_cast<const fs_pack<T, N> *>(from);
  memcpy(v, x.e, sizeof v);
}
#endif

//@ fs_load_shifted
// N neighbours that begin SHIFT behind a multiple of their size, out of the two
// whole vectors that they lie in.
template <int SHIFT, typename T, int N, typename S>
__device__ __forceinline__ void fs_load_shifted(T (&v)[N], const S *from) {
  const fs_pack<S, N> *const p =
      reinterpret_cast<const fs_pack<S, N> *>(from - SHIFT);
  const fs_pack<S, N> x = p[0], y = p[1];
#pragma unroll
  for (int e = 0; e < N; e++)
    v[e] = fs_get(e + SHIFT < N ? x.e[(e + SHIFT) % N] : y.e[(e + SHIFT) % N]);
}

//@ fs_load_spaced
// N elements, every second one from SHIFT behind a multiple of a vector's size, out
// of the whole vectors that they lie in.
template <int SHIFT, typename T, int N, typename S>
__device__ __forceinline__ void fs_load_spaced(T (&v)[N], const S *from) {
  constexpr int VECTORS = (SHIFT + 2 * (N - 1)) / N + 1;
  const fs_pack<S, N> *const p =
      reinterpret_cast<const fs_pack<S, N> *>(from - SHIFT);
  fs_pack<S, N> x[VECTORS];
#pragma unroll
  for (int k = 0; k < VECTORS; k++) x[k] = p[k];
#pragma unroll
  for (int e = 0; e < N; e++)
    v[e] = fs_get(x[(SHIFT + 2 * e) / N].e[(SHIFT + 2 * e) % N]);
}

//@ fs_load_if
// BYTES (2 to 16, a multiple of 4 but for 2) at a multiple of their size where `there`;
// else x stays. A predicate, since loads behind a branch wait for those before it.
template <int BYTES>
__device__ __forceinline__ void fs_load_if(bool there, unsigned *x, const void *from) {
#ifdef __CUDA_ARCH__
  if constexpr (BYTES == 16)
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %5, 0;\n"
                 "@p ld.global.v4.u32 {%0, %1, %2, %3}, [%4];\n}"
                 : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3])
                 : "l"(from), "r"((unsigned)there) : "memory");
  else if constexpr (BYTES == 8)
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %3, 0;\n"
                 "@p ld.global.v2.u32 {%0, %1}, [%2];\n}"
                 : "+r"(x[0]), "+r"(x[1])
                 : "l"(from), "r"((unsigned)there) : "memory");
  else if constexpr (BYTES == 4)
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %2, 0;\n"
                 "@p ld.global.u32 %0, [%1];\n}"
                 : "+r"(*x) : "l"(from), "r"((unsigned)there) : "memory");
  else
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %2, 0;\n"
                 "@p ld.global.u16 %0, [%1];\n}"
                 : "+r"(*x) : "l"(from), "r"((unsigned)there) : "memory");
#else
  if (there) memcpy(x, from, BYTES);
#endif
}

//@ fs_words_some
// The first k of N neighbours of 2 bytes, in N / 2 words; what lies behind is 0. `whole`:
// k is 0 or N. No byte behind them is read: rows have none there that was written.
template <int N>
__device__ __forceinline__ void fs_words_some(unsigned *word, const void *from, int k,
                                              bool whole) {
  constexpr int E = N < 8 ? N : 8;  // of one load
#pragma unroll
  for (int c = 0; c < N; c += E, k -= E) {
    const unsigned short *const at = (const unsigned short *)from + c;
    unsigned *const x = word + c / 2;
#pragma unroll
    for (int w = 0; w < E / 2; w++) x[w] = 0;
    fs_load_if<2 * E>(k >= E, x, at);
    if (whole) continue;
#pragma unroll
    for (int e = 0; e < E; e += 2) {
      if (e + 2 < E) fs_load_if<4>(k >= e + 2 && k < E, x + e / 2, at + e);
      fs_load_if<2>(k == e + 1, x + e / 2, at + e);
    }
  }
}

//@ fs_load_first
// As fs_load_some(), of neighbours of 2 bytes, and the others are 0. `whole`: k is 0 or N.
template <typename T, int N, typename S>
__device__ __forceinline__ void fs_load_first(T (&v)[N], const S *from, int k,
                                              bool whole = false) {
  unsigned word[N / 2];
  S x[N];
  fs_words_some<N>(word, from, k, whole);
  memcpy(x, word, sizeof x);
#pragma unroll
  for (int e = 0; e < N; e++) v[e] = fs_get(x[e]);
}

//@ fs_load_some
// The first k of N neighbours; what lies behind is left as it is.
template <typename T, int N, typename S>
__device__ __forceinline__ void fs_load_some(T (&v)[N], const S *from, int k) {
  if (k == N) {
    fs_load(v, from);
  } else {
#pragma unroll
    for (int e = 0; e < N; e++)
      if (e < k) v[e] = fs_get(from[e]);
  }
}

//@ fs_load_apart
// The first k of N elements that lie `stride` apart (0: all the same one).
template <typename T, int N, typename S, typename I>
__device__ __forceinline__ void fs_load_apart(T (&v)[N], const S *from,
                                              I stride, int k) {
#pragma unroll
  for (int e = 0; e < N; e++)
    if (e < k) v[e] = fs_get(from[e * stride]);
}

//@ fs_within
// The place nearest to `at` of those from `low` to `last`.
template <typename I>
__device__ __forceinline__ I fs_within(I at, I low, I last) {
  at = at < low ? low : at;
  return at > last ? last : at;
}

//@ fs_load_within
// The first k of N elements that lie `stride` apart from place `at` on, each the nearest of
// those from `low` to `last`.
template <typename T, int N, typename S, typename I>
__device__ __forceinline__ void fs_load_within(T (&v)[N], const S *from, I at, I stride, I low,
                                               I last, int k) {
#pragma unroll
  for (int e = 0; e < N; e++)
    if (e < k) v[e] = fs_get(from[fs_within(at + e * stride, low, last)]);
}

//@ fs_place
// Where the element lies that an index of a list means: they count from 1.
template <typename I, typename S>
__device__ __forceinline__ I fs_place(S index) {
  return (I)fs_get(index) - 1;
}

//@ fs_load_by_list
// The first k of N elements, each where its index of a list says: `apart` elements on for
// each index, and `stride` for each of the N.
template <typename T, int N, typename S, typename L, typename I>
__device__ __forceinline__ void fs_load_by_list(T (&v)[N], const S *from, I stride, I apart,
                                                const L *list, I step, int k) {
#pragma unroll
  for (int e = 0; e < N; e++)
    if (e < k) v[e] = fs_get(from[fs_place<I>(list[e * step]) * apart + e * stride]);
}
// By a list whose N indices are neighbours on a multiple of their size, if k is N.
template <typename T, int N, typename S, typename L, typename I>
__device__ __forceinline__ void fs_load_by_list(T (&v)[N], const S *from, I stride, I apart,
                                                const L *list, int k) {
  if (k == N) {
    const fs_pack<L, N> x = *reinterpret_cast<const fs_pack<L, N> *>(list);
#pragma unroll
    for (int e = 0; e < N; e++)
      v[e] = fs_get(from[fs_place<I>(x.e[e]) * apart + e * stride]);
  } else {
    fs_load_by_list(v, from, stride, apart, list, I(1), k);
  }
}

//@ fs_load_turned
// B x N elements that lie N times `stride` apart by B neighbours: those of a
// matrix's columns, as rows.
template <typename T, int B, int N, typename S, typename I>
__device__ __forceinline__ void fs_load_turned(T (&v)[B][N], const S *from,
                                               I stride) {
#pragma unroll
  for (int e = 0; e < N; e++) {
    const fs_pack<S, B> x =
        *reinterpret_cast<const fs_pack<S, B> *>(from + e * stride);
#pragma unroll
    for (int b = 0; b < B; b++) v[b][e] = fs_get(x.e[b]);
  }
}

//@ fs_store
template <typename T, int N, typename S>
__device__ __forceinline__ void fs_store(S *to, const T (&v)[N]) {
  fs_pack<S, N> x;
#pragma unroll
  for (int e = 0; e < N; e++) fs_put(x.e[e], v[e]);
  *reinterpret_cast<fs_pack<S, N> *>(to) = x;
}
#ifdef FS_QUICK
template <typename T, int N>
__device__ __forceinline__ void fs_store(T *to, const T (&v)[N]) {
  fs_pack<T, N> x;
  memcpy(x.e, v, sizeof v);
  *reinterpret_cast<fs_pack<T, N> *>(to) = x;
}
#endif

//@ fs_store_some
template <typename T, int N, typename S>
__device__ __forceinline__ void fs_store_some(S *to, const T (&v)[N], int k) {
  if (k == N) {
    fs_store(to, v);
  } else {
#pragma unroll
    for (int e = 0; e < N; e++)
      if (e < k) fs_put(to[e], v[e]);
  }
}

//@ fs_store_apart
template <typename T, int N, typename S, typename I>
__device__ __forceinline__ void fs_store_apart(S *to, const T (&v)[N],
                                               I stride, int k) {
#pragma unroll
  for (int e = 0; e < N; e++)
    if (e < k) fs_put(to[e * stride], v[e]);
}

//@ fs_store_shifted
// The first k of N neighbours that begin SHIFT behind a multiple of their size, of a warp
// whose lanes have neighbouring vectors: where all are whole, each lane stores the whole
// vector that it has the end of, with what the lane before has of it.
template <int SHIFT, typename T, int N, typename S>
__device__ __forceinline__ void fs_store_shifted(S *to, const T (&v)[N], int k) {
#ifdef __CUDA_ARCH__
  const unsigned all = 0xffffffffu;
  if (__activemask() == all && __all_sync(all, k == N)) {
    const int lane = threadIdx.x % 32;
    T w[N];
#pragma unroll
    for (int e = 0; e < N; e++)
      w[e] = e < SHIFT ? __shfl_up_sync(all, v[(N - SHIFT + e) % N], 1)
                       : v[(N - SHIFT + e) % N];
    if (lane > 0) fs_store(to - SHIFT, w);
#pragma unroll
    for (int e = 0; e < N; e++)
      if (e < N - SHIFT ? lane == 0 : lane == 31) fs_put(to[e], v[e]);
    return;
  }
#endif
#pragma unroll
  for (int e = 0; e < N; e++)
    if (e < k) fs_put(to[e], v[e]);
}

//@ fs_anew
// What is loaded behind this is loaded, even what registers have had before.
__device__ __forceinline__ void fs_anew() { asm volatile("" ::: "memory"); }

//@ fs_fresh
// An element that another block wrote in this launch.
template <typename T>
__device__ __forceinline__ T fs_fresh(const T *from) {
  return *(const volatile T *)from;
}
