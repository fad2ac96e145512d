// maps.cl - what maps call, in OpenCL C.
//
// Every file of this folder is cut into pieces: a line `//@ name PARAMETERS` opens the piece
// that a text takes when it mentions the name with arguments: `//@ fs_load T N` is there for
// fs_load_f32_4. In the piece T is the type that elements are computed in (float), TS that
// they are stored in, N a number, OP a reduction; $T, $N and $OP are the arguments as they
// stand in names. `T:f32,f64` takes these types alone. A piece stands behind those that it uses.

//@ fs_one
#define fs_one 1

//@ fs_min T
// The smaller; NaN if either is NaN.
FS_INLINE T fs_min_$T(T a, T b) { return a < b || a != a ? a : b; }

//@ fs_max T
// The larger; NaN if either is NaN.
FS_INLINE T fs_max_$T(T a, T b) { return a > b || a != a ? a : b; }

//@ fs_abs T:f16,bf16,f32,f64
FS_INLINE T fs_abs_$T(T a) { return fabs(a); }

//@ fs_abs T
FS_INLINE T fs_abs_$T(T a) { return a < 0 ? -a : a; }

//@ fs_sign T
// -1, 0 or 1; NaN stays NaN.
FS_INLINE T fs_sign_$T(T a) { return a != a ? a : (T)((a > 0) - (a < 0)); }

//@ fs_isfinite T
FS_INLINE bool fs_isfinite_$T(T a) { return a - a == 0; }

//@ fs_mod T:f16,bf16,f32,f64
// The remainder with the sign of the divisor; an integer divided by 0 gives 0.
FS_INLINE T fs_mod_$T(T a, T b) {
  const T r = fmod(a, b);
  if (r == 0) return copysign((T)0, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

//@ fs_mod T
FS_INLINE T fs_mod_$T(T a, T b) {
  if (b == 0 || (b == (T)-1 && (T)-1 < 0)) return 0;
  const T r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

//@ fs_idiv T
// The quotient rounded down, which goes with fs_mod; 0 where b is 0.
FS_INLINE T fs_idiv_$T(T a, T b) {
  if (b == 0 || (b == (T)-1 && (T)-1 < 0)) return b == 0 ? 0 : -a;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

//@ fs_shl T:u64
FS_INLINE ulong fs_shl_u64(ulong a, ulong n) { return n > 63 ? 0 : a << n; }

//@ fs_shr T:u64
FS_INLINE ulong fs_shr_u64(ulong a, ulong n) { return n > 63 ? 0 : a >> n; }

//@ fs_shl T
// n places to the left, or -n to the right: beyond the width all bits are gone.
FS_INLINE T fs_shl_$T(T a, T n) {
  const T most = 8 * (T)sizeof(T) - 1;
  if (n >= 0) return n > most ? 0 : a << n;
  return a >> (n < -most ? most : -n);
}

//@ fs_shr T
FS_INLINE T fs_shr_$T(T a, T n) {
  return n < 1 - 8 * (T)sizeof(T) ? 0 : fs_shl_$T(a, -n);
}

//@ fs_popcount T
FS_INLINE T fs_popcount_$T(T a) { return popcount(a); }

//@ fs_log T
FS_INLINE T fs_log_$T(T a) { return log(a); }

//@ fs_erf T
FS_INLINE T fs_erf_$T(T a) { return erf(a); }
