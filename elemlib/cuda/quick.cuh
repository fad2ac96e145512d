// quick.cuh - short ways of operations on f32 that the device has no instruction
// for. The compiler's own division, square root and logarithm test their operands
// one by one and branch to long routines where they are very large or small, which
// keeps it from computing several elements side by side. Here one flag is set for
// all of them, `rare`: where it is, the emitter's text does all lanes once more by
// the forms without the flag. Both forms give the same result wherever the flag is
// not set, so an element never depends on its neighbours.

//@ fs_lane fs_set_lane
// Element e of what stays in registers, which have no numbers: all are looked at. Code
// that is compiled quickly has arrays in memory, and would keep the loop.
template <typename T, int N>
__device__ __forceinline__ T fs_lane(const T (&v)[N], int e) {
#ifdef FS_QUICK
  return v[e];
#else
  T x = v[0];
#pragma unroll
  for (int k = 1; k < N; k++) x = e == k ? v[k] : x;
  return x;
#endif
}

template <typename T, int N>
__device__ __forceinline__ void fs_set_lane(T (&v)[N], int e, T x) {
#ifdef FS_QUICK
  v[e] = x;
#else
#pragma unroll
  for (int k = 0; k < N; k++) v[k] = e == k ? x : v[k];
#endif
}

//@ fs_copy_table
// A table of whole 16 bytes, by all threads of a block.
struct alignas(16) fs_four_words {
  unsigned w[4];
};
template <int THREADS, typename T, int N>
__device__ __forceinline__ void fs_copy_table(T (&to)[N], const T (&from)[N]) {
  constexpr int FOURS = (int)(sizeof(T) * N / 16);
#pragma unroll
  for (int first = 0; first < FOURS; first += THREADS) {
    const int k = first + threadIdx.x;
    if (k < FOURS) ((fs_four_words *)to)[k] = ((const fs_four_words *)from)[k];
  }
  __syncthreads();
}

//@ fs_reciprocal
// 1/x within 1 ulp; 0 and infinity in place of subnormal results and operands.
__device__ __forceinline__ float fs_reciprocal(float x) {
#ifdef __CUDA_ARCH__
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
#else
  if (fabsf(x) < 0x1p-126f) return copysignf(1.0f / 0.0f, x);
  const float r = 1.0f / x;
  return fabsf(r) < 0x1p-126f ? copysignf(0.0f, r) : r;
#endif
}

//@ fs_div
// a / b, correctly rounded: a quotient with its exact remainder (Markstein, IBM J.
// Res. Dev. 34:1, 1990). The remainder is exact unless a is tiny; b that is tiny,
// huge, 0, infinite or NaN makes q 0 or NaN.
__device__ __forceinline__ float fs_div(float a, float b, bool &rare) {
  float r = fs_reciprocal(b);
  r = fmaf(r, fmaf(-b, r, 1.0f), r);
  float q = a * r;
  q = fmaf(r, fmaf(-b, q, a), q);
  rare |= !(fabsf(a) >= 0x1p-100f) | !(fabsf(q) >= 0x1p-100f);
  return q;
}
// Of any operands, in double: quotients of floats are neither tiny nor huge there, and at
// least 2^-49 of them away from where rounding changes, or exact. In place of the
// compiler's long routine, which is longer.
__device__ __forceinline__ float fs_div(float a, float b) {
  const double d = b;
#ifdef __CUDA_ARCH__
  double r;  // 20 bits of 1/d
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(d));
#else
  double r = __hiloint2double(__double2hiint(1.0 / d), 0);
#endif
  r = fma(r, fma(-d, r, 1.0), r);
  double q = a * r;
  q = fma(r, fma(-d, q, (double)a), q);
  const float x = fabsf(a), y = fabsf(b), most = 0x1.fffffep127f;
  const bool known = y > 0.0f && y <= most;
  if (known && x > 0.0f && x <= most) return (float)q;
  return a * (known ? copysignf(1.0f, b) : fs_reciprocal(b));
}

//@ fs_last_step
// The last step of a quotient, q + r*e of its remainder e: where a is 0, q = a*r has the
// sign that the sum would lose. Gives what neither a nor the quotient may be below.
__device__ __forceinline__ float fs_last_step(float a, float r, float e, float &q) {
#ifdef __CUDA_ARCH__
  float least;
  asm("{\n.reg .pred p;\nsetp.neu.f32 p, %4, 0f00000000;\n"
      "@p fma.rn.f32 %0, %2, %3, %0;\nselp.f32 %1, 0f0d800000, 0f00000000, p;\n}"
      : "+f"(q), "=f"(least) : "f"(r), "f"(e), "f"(a));
  return least;
#else
  if (a != 0.0f) q = fmaf(r, e, q);
  return a != 0.0f ? 0x1p-100f : 0.0f;
#endif
}

//@ fs_div_or_0
// As fs_div(), where a is often 0: that is not rare, for two instructions more.
__device__ __forceinline__ float fs_div_or_0(float a, float b, bool &rare) {
  float r = fs_reciprocal(b);
  r = fmaf(r, fmaf(-b, r, 1.0f), r);
  float q = a * r;
  const float least = fs_last_step(a, r, fmaf(-b, q, a), q);
  rare |= !(fabsf(a) >= least) | !(fabsf(q) >= least);
  return q;
}

//@ fs_sqrt
// The square root, correctly rounded, in the same way.
__device__ __forceinline__ float fs_sqrt(float x, bool &rare) {
#ifdef __CUDA_ARCH__
  float r;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
#else
  const float r = 1.0f / sqrtf(x);
#endif
  const float s = x * r;
  const float y = fmaf(fmaf(-s, s, x), 0.5f * fabsf(r), s);
  rare |= !(y >= 0x1p-50f);
  return y;
}
__device__ __forceinline__ float fs_sqrt(float x) {
  const bool tiny = x < 0x1p-99f;
  bool rare = false;
  const float y = fs_sqrt(tiny ? x * 0x1p64f : x, rare);
  if (x == 0.0f || x > 0x1.fffffep127f) return x;
  return tiny ? y * 0x1p-32f : y;
}

//@ fs_sqrt_or_0
// As fs_sqrt(), where x is often 0 or below, as under a condition that it is not.
__device__ __forceinline__ float fs_sqrt_or_0(float x, bool &rare) {
  const float above = fmaxf(x, 0x1p-126f);
#ifdef __CUDA_ARCH__
  float r;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(above));
#else
  const float r = 1.0f / sqrtf(above);
#endif
  const float s = x * r;
  const float y = fmaf(fmaf(-s, s, x), 0.5f * r, s);  // has the sign of x
  rare |= !((y >= 0x1p-50f) | (y <= 0.0f));
  return y < 0.0f ? __int_as_float(0x7fffffff) : y;
}

//@ fs_log
// The natural logarithm, within 1 ulp: x = 2^k * (1 + f) with 2/3 <= 1 + f < 4/3,
// and a minimax polynomial for log(1 + f) = f + f^2 * p(f).
__device__ __forceinline__ float fs_log(float x, bool &rare) {
  const int power = (__float_as_int(x) - 0x3f2aaaab) & (int)0xff800000;
  const float f = __int_as_float(__float_as_int(x) - power) - 1.0f;
  const float k = (float)power;  // times 2^23
  float p = 0.14025992f;
  p = fmaf(p, f, -0.15388548f);
  p = fmaf(p, f, 0.13995896f);
  p = fmaf(p, f, -0.16415962f);
  p = fmaf(p, f, 0.20011162f);
  p = fmaf(p, f, -0.25007819f);
  p = fmaf(p, f, 0.33333198f);
  p = fmaf(p, f, -0.49999936f);
  p = fmaf(f, p * f, f);
  rare |= !(fabsf(k) <= 125.0f * 0x1p23f);
  return fmaf(k, 0.69314718f * 0x1p-23f, p);
}
__device__ __forceinline__ float fs_log(float x) {
  bool rare = false;
  const float y = fs_log(x, rare);
  return rare ? logf(x) : y;
}

//@ fs_pow fs_power_of
// x to the y, within 2 ulp: log2(x) = k + (2/ln(2))*atanh(s), s = f/(2 + f), as fs_log()
// cuts x, in two floats; then 2^n times a polynomial for 2^u, |u| <= 1/2. 72 instructions
// without a branch: x.^y of 2^26 elements takes an H200 .21 ms, by the compiler's powf()
// .26. Other than positive numbers are rare, and results beyond 2^125 or below its inverse.
__device__ __forceinline__ float fs_power_of(float x, float y, bool &rare) {
  const int power = (__float_as_int(x) - 0x3f2aaaab) & (int)0xff800000;
  const float m = __int_as_float(__float_as_int(x) - power), f = m - 1.0f;
  const float d = m + 1.0f, d_rest = m - (d - 1.0f);
  const float r = fs_reciprocal(d), s = f * r, z = s * s;
  const float s_rest = fmaf(-s, d_rest, fmaf(-s, d, f)) * r;
  float p = 0.0990637913f;
  p = fmaf(p, z, 0.110820167f);
  p = fmaf(p, z, 0.142861336f);
  p = fmaf(p, z, 0.199999973f);
  p = fmaf(p, z, 0.333333343f);
  const float w = z * p, w_rest = fmaf(z, p, -w) + fmaf(s, s, -z) * p;
  const float t = fmaf(s, w, fmaf(s, w_rest, fmaf(s_rest, z, s_rest)));
  const float a = s + t, a_rest = t - (a - s);
  const float b = a * 2.88539004f, k = (float)power * 0x1p-23f;
  const float b_rest =
      fmaf(a, 2.88539004f, -b) + fmaf(a, 3.85259773e-08f, a_rest * 2.88539004f);
  const float l = k + b, l_rest = (b - (l - k)) + b_rest;
  const float v = y * l, v_rest = fmaf(y, l_rest, fmaf(y, l, -v));
  const float shifted = v + 0x1.8p23f, u = (v - (shifted - 0x1.8p23f)) + v_rest;
  float q = 1.54697316e-4f;
  q = fmaf(q, u, 1.33910852e-3f);
  q = fmaf(q, u, 9.61783715e-3f);
  q = fmaf(q, u, 5.55033237e-2f);
  q = fmaf(q, u, 0.240226507f);
  q = fmaf(q, u, 0.693147182f);
  q = fmaf(q, u, 1.0f);
  rare |= !(fabsf(v) < 125.0f);
  return __int_as_float(__float_as_int(q) + (__float_as_int(shifted) << 23));
}
__device__ __forceinline__ float fs_pow(float x, float y, bool &rare) {
  rare |= (unsigned)__float_as_int(x) - 0x00800000u >= 0x7f000000u;
  return fs_power_of(x, y, rare);
}
__device__ __forceinline__ float fs_pow(float x, float y) {
  bool rare = false;
  const float z = fs_pow(x, y, rare);
  return rare ? powf(x, y) : z;
}

//@ fs_pow_or_0
// As fs_pow(), where x is often 0: that is not rare if y is positive.
__device__ __forceinline__ float fs_pow_or_0(float x, float y, bool &rare) {
  const bool zero = (__float_as_int(x) == 0) & (y > 0.0f);
  rare |= ((unsigned)__float_as_int(x) - 0x00800000u >= 0x7f000000u) & !zero;
  const float z = fs_power_of(zero ? 1.0f : x, y, rare);
  return zero ? 0.0f : z;
}

//@ fs_erf
// The error function, within 3 ulp and without a branch: x + x*p(x^2) below 0.7,
// and 1 - 2^q(x) above; minimax polynomials.
__device__ __forceinline__ float fs_erf(float x) {
  const float a = fabsf(x), z = x * x;
  float p = 4.27013962e-3f;
  p = fmaf(p, z, -2.64631845e-2f);
  p = fmaf(p, z, 0.112766623f);
  p = fmaf(p, z, -0.376121908f);
  p = fmaf(p, z, 0.128379121f);
  p = fmaf(a, p, a);
  float q = -2.14118022e-3f;
  q = fmaf(q, a, 2.49128511e-2f);
  q = fmaf(q, a, -0.138306841f);
  q = fmaf(q, a, -0.929458618f);
  q = fmaf(q, a, -1.62232757f);
  q = fmaf(q, a, -1.09559926e-3f);
#ifdef __CUDA_ARCH__
  float rest;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(rest) : "f"(q));
#else
  const float rest = exp2f(q);
#endif
  return copysignf(a >= 0.7f ? 1.0f - rest : p, x);
}
