// quick_f64.cuh - as quick.cuh, of f64. The compiler's own functions branch, and put
// each constant into registers by two instructions for one element: without a branch
// several elements share them. What the f64 units need not do is left to others: the
// upper half of a number is compared as a float, and the highest terms of a
// polynomial, below 2^-28 of its value, are computed in f32.

//@ fs_upper
// Orders as |x| does; infinite or NaN from 2^1017 on.
__device__ __forceinline__ float fs_upper(double x) {
  return fabsf(__int_as_float(__double2hiint(x)));
}

//@ fs_reciprocal_f64
// 1/x within 2 ulp. The device's approximation has 20 bits.
__device__ __forceinline__ double fs_reciprocal_f64(double x) {
#ifdef __CUDA_ARCH__
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
#else
  double r = __hiloint2double(__double2hiint(1.0 / x), 0);
#endif
  const double e = fma(-x, r, 1.0);
  return fma(fma(e, e, e), r, r);
}

//@ fs_div_f64
__device__ __forceinline__ double fs_div_f64(double a, double b, bool &rare) {
  double r = fs_reciprocal_f64(b);
  r = fma(r, fma(-b, r, 1.0), r);
  double q = a * r;
  q = fma(r, fma(-b, q, a), q);
  const float least = __int_as_float(0x07b00000);  // 2^-900
  rare |= !(fs_upper(a) >= least) | !(fs_upper(q) >= least);
  return q;
}

//@ fs_sqrt_f64
__device__ __forceinline__ double fs_sqrt_f64(double x, bool &rare) {
#ifdef __CUDA_ARCH__
  double r;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
#else
  double r = __hiloint2double(__double2hiint(1.0 / sqrt(x)), 0);
#endif
  const double e = fma(-x, r * r, 1.0);
  r = fma(fma(e, 0.375, 0.5), e * r, r);
  const double s = x * r;
  const double half =
      __hiloint2double(__double2hiint(r) - 0x00100000, __double2loint(r));
  const float upper = __int_as_float(__double2hiint(x));
  rare |= !(upper >= __int_as_float(0x07b00000));
  return fma(fma(-s, s, x), half, s);
}

//@ fs_log_f64
// Within 3 ulp: x = 2^k * m with sqrt(1/2) <= m < sqrt(2), and log(m) =
// 2*atanh(s), s = (m - 1)/(m + 1), an odd minimax polynomial.
__device__ __forceinline__ double fs_log_f64(double x, bool &rare) {
  const int upper = __double2hiint(x);
  const int power = (upper - 0x3fe6a09e) & (int)0xfff00000;
  const double m = __hiloint2double(upper - power, __double2loint(x));
  const double s = (m - 1.0) * fs_reciprocal_f64(m + 1.0), z = s * s;
  const float z32 = (float)z;
  float small = 0.0739875636f;
  small = fmaf(small, z32, 0.0765695139f);
  small = fmaf(small, z32, 0.0909178488f);
  double p = fma((double)small, z, 0x1.c71c51e7e1c4fp-4);
  p = fma(p, z, 0x1.2492494217af4p-3);
  p = fma(p, z, 0x1.999999997fb32p-3);
  p = fma(p, z, 0x1.5555555555593p-2);
  const double twice = s + s, y = fma(twice, z * p, twice);
  const double k =  // from 2^52 + 2^31 + k, whose bits are at hand
      __hiloint2double(0x43300000, power >> 20 ^ (int)0x80000000) -
      0x1.00000800p52;
  rare |= !(__int_as_float(upper) >= __int_as_float(0x00100000));
  return fma(k, 0x1.62e42fefa39efp-1, y);
}
__device__ __forceinline__ double fs_log_f64(double x) {
  bool rare = false;
  const double y = fs_log_f64(x, rare);
  return rare ? log(x) : y;
}

//@ fs_exp_f64
// Within 1.5 ulp: x = k*ln(2) + r, and 1 + r + r^2*q(r) with a minimax polynomial q.
__device__ __forceinline__ double fs_exp_f64(double x, bool &rare) {
  const double t = fma(x, 0x1.71547652b82fep0, 0x1.8p52), k = t - 0x1.8p52;
  double r = fma(k, -0x1.62e42fefa39efp-1, x);
  r = fma(k, -0x1.abc9e3b39803fp-56, r);
  const float r32 = (float)r;
  float small = 2.51179013e-08f;
  small = fmaf(small, r32, 2.76313293e-07f);
  small = fmaf(small, r32, 2.75572162e-06f);
  double q = fma((double)small, r, 0x1.a0199670bc8cdp-16);
  q = fma(q, r, 0x1.a01a01baf0761p-13);
  q = fma(q, r, 0x1.6c16c185b36ecp-10);
  q = fma(q, r, 0x1.111111110d607p-7);
  q = fma(q, r, 0x1.555555554fffcp-5);
  q = fma(q, r, 0x1.5555555555561p-3);
  q = fma(q, r, 0x1.000000000000cp-1);
  const double y = fma(fma(q, r, 1.0), r, 1.0);
  rare |= !(fs_upper(x) <= __int_as_float(0x40862000));  // 708
  return __hiloint2double(__double2hiint(y) + __double2loint(t) * 0x00100000,
                          __double2loint(y));
}
__device__ __forceinline__ double fs_exp_f64(double x) {
  bool rare = false;
  const double y = fs_exp_f64(x, rare);
  return rare ? exp(x) : y;
}

//@ fs_erf_f64
// Within 4 ulp and without a branch: 1 - 2^w, w = x*p(x) by a minimax polynomial, of
// which 2^w - 1 = (2^h - 1) + 2^h * (2^f - 1) with h a multiple of 1/2 and
// 2^f - 1 = f*q(f), so that nothing is lost where x is small.
__device__ __forceinline__ double fs_erf_f64(double x) {
  const int upper = __double2hiint(x), most = 0x40180000;  // of 6: erf is 1
  int above = upper & 0x7fffffff, below = __double2loint(x);
  if (above >= most && (above | (below != 0)) <= 0x7ff00000) above = most, below = 0;
  const double a = __hiloint2double(above, below);
  double p = -0x1.32b1c0c9fe29fp-46;
  p = fma(p, a, 0x1.823283b64ec80p-41);
  p = fma(p, a, -0x1.bab5905a3c23dp-37);
  p = fma(p, a, 0x1.2eef760b4c7cep-33);
  p = fma(p, a, -0x1.0e1c5bdd0731dp-30);
  p = fma(p, a, 0x1.389dd502d169ap-28);
  p = fma(p, a, -0x1.81cae8cf5d19fp-27);
  p = fma(p, a, -0x1.9efa5088302e3p-27);
  p = fma(p, a, 0x1.0db072ef9b42cp-22);
  p = fma(p, a, -0x1.4a9f2b07d877ep-20);
  p = fma(p, a, 0x1.d67f64466bb6ap-19);
  p = fma(p, a, -0x1.592078adf33e8p-18);
  p = fma(p, a, -0x1.0eaf912f1b0c6p-18);
  p = fma(p, a, 0x1.62e108a8c8598p-15);
  p = fma(p, a, -0x1.850675c240d30p-14);
  p = fma(p, a, -0x1.3a1d88e516bb4p-15);
  p = fma(p, a, 0x1.be613a2d663cap-11);
  p = fma(p, a, -0x1.40bf89afba070p-9);
  p = fma(p, a, 0x1.3c77244c9df42p-12);
  p = fma(p, a, 0x1.c4242cf7c9883p-6);
  p = fma(p, a, -0x1.2fa7eecb1446fp-3);
  p = fma(p, a, -0x1.d63ed74995a1bp-1);
  p = fma(p, a, -0x1.a0be83d8d032cp+0);
  const double w = a * p, t = w + 0x1.8p51;  // its lower bits: 2*h
  const double f = w - (t - 0x1.8p51);
  const int twice = __double2loint(t);
  const double power = __hiloint2double(
      (twice & 1 ? 0x3ff6a09e : 0x3ff00000) + (twice >> 1) * 0x00100000,
      twice & 1 ? 0x667f3bcd : 0);
  const double missing =  // of the root of 2
      __hiloint2double(twice & 1 ? 0xbc93b3ef : 0, 0);
  const float f32 = (float)f;
  float small = 7.0597288e-09f;
  small = fmaf(small, f32, 1.01850358e-07f);
  small = fmaf(small, f32, 1.32154835e-06f);
  small = fmaf(small, f32, 1.525273e-05f);
  double q = fma((double)small, f, 0x1.430912f8c853ep-13);
  q = fma(q, f, 0x1.5d87fe7906057p-10);
  q = fma(q, f, 0x1.3b2ab6fba4e2cp-7);
  q = fma(q, f, 0x1.c6b08d704a060p-5);
  q = fma(q, f, 0x1.ebfbdff82c58fp-3);
  q = fma(q, f, 0x1.62e42fefa39efp-1);
  const double g = fma(f, q, missing), y = fma(-power, g, 1.0 - power);
  return __hiloint2double(__double2hiint(y) | (upper & (int)0x80000000),
                          __double2loint(y));
}
