// maps.cuh - what the map operations of core/graph/ops.def call.
//
// Every file of this folder is cut into pieces: a line `//@ names` opens the
// piece that defines these names. The emitter puts a piece into a kernel's text
// exactly when the text (or a piece already taken) mentions one of its names.

//@ fs_one
constexpr int fs_one = 1;  // takes the type of the other operand

//@ fs_min
// The smaller; NaN if either is NaN.
template <typename T>
__device__ __forceinline__ T fs_min(T a, T b) {
  return a < b || a != a ? a : b;
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ __forceinline__ float fs_min(float a, float b) {
  float c;  // one instruction; the compiler makes three of the test
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b));
  return c;
}
#endif

//@ fs_max
// The larger; NaN if either is NaN.
template <typename T>
__device__ __forceinline__ T fs_max(T a, T b) {
  return a > b || a != a ? a : b;
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ __forceinline__ float fs_max(float a, float b) {
  float c;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b));
  return c;
}
#endif

//@ fs_abs
template <typename T>
__device__ __forceinline__ T fs_abs(T a) {
  return a < T(0) ? T(-a) : a;
}
__device__ __forceinline__ float fs_abs(float a) { return fabsf(a); }
__device__ __forceinline__ double fs_abs(double a) { return fabs(a); }

//@ fs_sign
// -1, 0 or 1; NaN stays NaN.
template <typename T>
__device__ __forceinline__ T fs_sign(T a) {
  return a != a ? a : T((a > T(0)) - (a < T(0)));
}

//@ fs_isfinite
template <typename T>
__device__ __forceinline__ bool fs_isfinite(T a) {
  return a - a == T(0);
}

//@ fs_idiv
// The quotient rounded down, which goes with fs_mod; 0 where b is 0.
template <typename T>
__device__ __forceinline__ T fs_idiv(T a, T b) {
  if (b == T(0) || T(-1) == b && T(-1) < T(0)) return b == T(0) ? T(0) : T(-a);
  return T(a / b - (a % b != T(0) && (a < T(0)) != (b < T(0))));
}

//@ fs_shl
// n places to the left, or -n to the right: beyond the width all bits are gone.
template <typename T>
__device__ __forceinline__ T fs_shl(T a, T n) {
  constexpr int most = 8 * (int)sizeof(T) - 1;
  if (n >= T(0)) return n > T(most) ? T(0) : T((unsigned long long)a << n);
  return a >> (n < T(-most) ? T(most) : T(-n));
}

//@ fs_shr
__device__ __forceinline__ unsigned long long fs_shr(unsigned long long a, unsigned long long n) {
  return n > 63 ? 0 : a >> n;
}
template <typename T>
__device__ __forceinline__ T fs_shr(T a, T n) {
  return n < T(1 - 8 * (int)sizeof(T)) ? T(0) : fs_shl(a, T(-n));
}

//@ fs_popcount
__device__ __forceinline__ unsigned long long fs_popcount(unsigned long long a) {
  return __popc((unsigned)a) + __popc((unsigned)(a >> 32));
}
__device__ __forceinline__ int fs_popcount(int a) { return __popc((unsigned)a); }
__device__ __forceinline__ long long fs_popcount(long long a) {
  return __popc((unsigned)a) + __popc((unsigned)((unsigned long long)a >> 32));
}

//@ fs_mod
// The remainder with the sign of the divisor; an integer divided by 0 gives 0. In 64 bits that
// of a power of 2 is the last bits, which takes a tenth of a division.
template <typename T>
__device__ __forceinline__ T fs_mod(T a, T b) {
  if (sizeof(T) == 8 && b > T(0) && !(b & T(b - T(1)))) return a & T(b - T(1));
  if (b == T(0) || T(-1) == b && T(-1) < T(0)) return T(0);
  const T r = a % b;
  return r != T(0) && (r < T(0)) != (b < T(0)) ? T(r + b) : r;
}
__device__ __forceinline__ float fs_mod(float a, float b) {
  const float r = fmodf(a, b);
  if (r == 0.0f) return copysignf(0.0f, b);
  return (r < 0.0f) != (b < 0.0f) ? r + b : r;
}
__device__ __forceinline__ double fs_mod(double a, double b) {
  const double r = fmod(a, b);
  if (r == 0.0) return copysign(0.0, b);
  return (r < 0.0) != (b < 0.0) ? r + b : r;
}
