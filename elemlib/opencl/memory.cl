// memory.cl - how elements lie in memory, in OpenCL C: loads and stores of one element and of
// N neighbours.

//@ fs_from_f16
FS_INLINE float fs_from_f16(ushort h) {
  const uint sign = (uint)(h & 0x8000) << 16, rest = h & 0x7fffu;
  if (rest >= 0x7c00)  // infinite, NaN
    return as_float(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
  if (rest >= 0x0400) return as_float(sign | ((rest << 13) + 0x38000000u));
  const float tiny = (float)rest * 5.9604644775390625e-8f;  // 2^-24
  return sign ? -tiny : tiny;
}

//@ fs_to_f16
// To the nearest, ties to even.
FS_INLINE ushort fs_to_f16(float f) {
  const uint u = as_uint(f), rest = u & 0x7fffffffu, sign = u >> 16 & 0x8000u;
  if (rest > 0x7f800000u) return (ushort)(sign | 0x7e00u);
  if (rest >= 0x477ff000u) return (ushort)(sign | 0x7c00u);
  if (rest < 0x38800000u) {  // below 2^-14: let an addition round
    const float x = as_float(rest) + 0.5f;
    return (ushort)(sign | (as_uint(x) - 0x3f000000u));
  }
  const uint even = rest >> 13 & 1;
  return (ushort)(sign | ((rest - 0x38000000u + 0xfffu + even) >> 13));
}

//@ fs_from_bf16
FS_INLINE float fs_from_bf16(ushort h) { return as_float((uint)h << 16); }

//@ fs_to_bf16
FS_INLINE ushort fs_to_bf16(float f) {
  const uint u = as_uint(f);
  if ((u & 0x7fffffffu) > 0x7f800000u) return (ushort)(u >> 16 | 0x40u);  // NaN
  return (ushort)((u + 0x7fffu + (u >> 16 & 1)) >> 16);
}

//@ fs_round_f16
FS_INLINE float fs_round_f16(float f) { return fs_from_f16(fs_to_f16(f)); }

//@ fs_round_bf16
FS_INLINE float fs_round_bf16(float f) { return fs_from_bf16(fs_to_bf16(f)); }

// Integers that are computed in wider ones: round wraps around, clip gives the nearest of
// the type, which a float becomes.
//@ fs_round_u8
FS_INLINE int fs_round_u8(int x) { return (uchar)x; }

//@ fs_clip_u8
FS_INLINE int fs_clip_u8(int x) { return clamp(x, (int)0, (int)255); }

//@ fs_round_i8
FS_INLINE int fs_round_i8(int x) { return (char)x; }

//@ fs_clip_i8
FS_INLINE int fs_clip_i8(int x) { return clamp(x, (int)-128, (int)127); }

//@ fs_round_u16
FS_INLINE int fs_round_u16(int x) { return (ushort)x; }

//@ fs_clip_u16
FS_INLINE int fs_clip_u16(int x) { return clamp(x, (int)0, (int)65535); }

//@ fs_round_i16
FS_INLINE int fs_round_i16(int x) { return (short)x; }

//@ fs_clip_i16
FS_INLINE int fs_clip_i16(int x) { return clamp(x, (int)-32768, (int)32767); }

//@ fs_round_u32
FS_INLINE long fs_round_u32(long x) { return (uint)x; }

//@ fs_clip_u32
FS_INLINE long fs_clip_u32(long x) { return clamp(x, (long)0, (long)4294967295L); }

//@ fs_get T:f16,bf16
// The element's value, in the type it is computed in; put is the way back.
FS_INLINE T fs_get_$T(TS x) { return fs_from_$T(x); }

//@ fs_get T:bool
FS_INLINE bool fs_get_bool(uchar x) { return x != 0; }

//@ fs_get T
FS_INLINE T fs_get_$T(TS x) { return x; }

//@ fs_put T:f16,bf16
#define fs_put_$T(to, x) ((to) = fs_to_$T(x))

//@ fs_put T
#define fs_put_$T(to, x) ((to) = (x))

//@ fs_load T:i32,i64,u64,f32,f64 N:2,4,8,16
FS_INLINE void fs_load_$T_$N(T *v, __global const T *from) {
  vstore$N(vload$N(0, from), 0, v);
}

//@ fs_load T N
FS_INLINE void fs_load_$T_$N(T *v, __global const TS *from) {
#pragma unroll
  for (int e = 0; e < N; e++) v[e] = fs_get_$T(from[e]);
}

//@ fs_load_local T N
FS_INLINE void fs_load_local_$T_$N(T *v, __local const T *from) {
#pragma unroll
  for (int e = 0; e < N; e++) v[e] = from[e];
}

//@ fs_load_shifted M T N
FS_INLINE void fs_load_shifted_$M_$T_$N(T *v, __global const TS *from) {
#pragma unroll
  for (int e = 0; e < N; e++) v[e] = fs_get_$T(from[e]);
}

//@ fs_load_spaced M T N
FS_INLINE void fs_load_spaced_$M_$T_$N(T *v, __global const TS *from) {
#pragma unroll
  for (int e = 0; e < N; e++) v[e] = fs_get_$T(from[2 * e]);
}

//@ fs_load_first T N
// As fs_load_some(), and the others are 0.
FS_INLINE void fs_load_first_$T_$N(T *v, __global const TS *from, int k) {
#pragma unroll
  for (int e = 0; e < N; e++) v[e] = e < k ? fs_get_$T(from[e]) : 0;
}

//@ fs_load_first_whole T N
#define fs_load_first_whole_$T_$N(v, from, k, whole) fs_load_first_$T_$N(v, from, k)

//@ fs_load_some T N
// The first k of N neighbours; what lies behind is left as it is.
FS_INLINE void fs_load_some_$T_$N(T *v, __global const TS *from, int k) {
#pragma unroll
  for (int e = 0; e < N; e++)
    if (e < k) v[e] = fs_get_$T(from[e]);
}

//@ fs_load_apart T N
// The first k of N elements that lie `stride` apart (0: all the same one).
FS_INLINE void fs_load_apart_$T_$N(T *v, __global const TS *from, fs_index stride, int k) {
#pragma unroll
  for (int e = 0; e < N; e++)
    if (e < k) v[e] = fs_get_$T(from[e * stride]);
}

//@ fs_within
// The place nearest to `at` of those from `low` to `last`.
FS_INLINE fs_index fs_within(fs_index at, fs_index low, fs_index last) {
  at = at < low ? low : at;
  return at > last ? last : at;
}

//@ fs_load_within T N
// The first k of N elements that lie `stride` apart from place `at` on, each the nearest of
// those from `low` to `last`.
FS_INLINE void fs_load_within_$T_$N(T *v, __global const TS *from, fs_index at, fs_index stride,
                                    fs_index low, fs_index last, int k) {
#pragma unroll
  for (int e = 0; e < N; e++)
    if (e < k) v[e] = fs_get_$T(from[fs_within(at + e * stride, low, last)]);
}

//@ fs_place T
// Where the element lies that an index of a list means: they count from 1.
FS_INLINE fs_index fs_place_$T(TS index) { return (fs_index)fs_get_$T(index) - 1; }

//@ fs_load_by_list T L N
// The first k of N elements, each where its index of a list says: `apart` elements on for each
// index, and `stride` for each of the N.
FS_INLINE void fs_load_by_list_$T_$L_$N(T *v, __global const TS *from, fs_index stride,
                                            fs_index apart, __global const LS *list,
                                            fs_index step, int k) {
#pragma unroll
  for (int e = 0; e < N; e++)
    if (e < k) v[e] = fs_get_$T(from[fs_place_$L(list[e * step]) * apart + e * stride]);
}

//@ fs_load_by_list_near T L N
#define fs_load_by_list_near_$T_$L_$N(v, from, stride, apart, list, k) \
  fs_load_by_list_$T_$L_$N(v, from, stride, apart, list, 1, k)

//@ fs_load_turned T M N
// M x N elements that lie N times `stride` apart by M neighbours: those of a matrix's columns,
// as rows.
FS_INLINE void fs_load_turned_$T_$M_$N(T (*v)[N], __global const TS *from, fs_index stride) {
#pragma unroll
  for (int e = 0; e < N; e++)
#pragma unroll
    for (int b = 0; b < M; b++) v[b][e] = fs_get_$T(from[e * stride + b]);
}

//@ fs_store T:i32,i64,u64,f32,f64 N:2,4,8,16
FS_INLINE void fs_store_$T_$N(__global T *to, const T *v) { vstore$N(vload$N(0, v), 0, to); }

//@ fs_store T N
FS_INLINE void fs_store_$T_$N(__global TS *to, const T *v) {
#pragma unroll
  for (int e = 0; e < N; e++) fs_put_$T(to[e], v[e]);
}

//@ fs_store_local T N
FS_INLINE void fs_store_local_$T_$N(__local T *to, const T *v) {
#pragma unroll
  for (int e = 0; e < N; e++) to[e] = v[e];
}

//@ fs_store_some T N
FS_INLINE void fs_store_some_$T_$N(__global TS *to, const T *v, int k) {
#pragma unroll
  for (int e = 0; e < N; e++)
    if (e < k) fs_put_$T(to[e], v[e]);
}

//@ fs_store_shifted T N
#define fs_store_shifted_$T_$N(to, v, k) fs_store_some_$T_$N(to, v, k)

//@ fs_store_apart T N
FS_INLINE void fs_store_apart_$T_$N(__global TS *to, const T *v, fs_index stride, int k) {
#pragma unroll
  for (int e = 0; e < N; e++)
    if (e < k) fs_put_$T(to[e * stride], v[e]);
}

//@ fs_fresh T
// An element that another block wrote in this launch.
FS_INLINE T fs_fresh_$T(__global const T *from) {
  return *(volatile __global const T *)from;
}
