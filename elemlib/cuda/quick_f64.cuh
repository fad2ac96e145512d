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

//@ fs_erf_table
// By columns, of which threads read 16 entries of 8 bytes at once (tools/erf_table.py):
// a number c next to k*25/64 whose error function lies next to an f64, that, and the
// coefficients of a polynomial of degree 13 about c, the last four in f32.
struct alignas(8) fs_floats {
  float a, b;
};
struct fs_erf_columns {
  double c[11][16];
  fs_floats tail[2][16];
};
__device__ const fs_erf_columns fs_erf_table = {
    {{0, 0x1.900008ecp-2, 0x1.8ffff692p-1, 0x1.2c00000bp0, 0x1.9000000dp0,
      0x1.f3fffff6p0, 0x1.2bffffec8p1, 0x1.5dffffe9p1, 0x1.900005p1, 0x1.c1ffee8p1,
      0x1.f3fffep1, 0x1.12fffecp2, 0x1.2c178p2, 0x1.45128p2, 0x1.5e0ep2, 0x1.773a8p2},
     {0, 0x1.ad689f09e95e5p-2, 0x1.76286b2f9c4c7p-1, 0x1.ce1962c72a66p-1,
      0x1.f21c9f157e1aep-1, 0x1.fd0f531776278p-1, 0x1.ff87b190e1cecp-1,
      0x1.fff18ebe1c02fp-1, 0x1.fffeb3ec07491p-1, 0x1.ffffe9bf2a65fp-1,
      0x1.fffffee3cc0fp-1, 0x1.fffffff57631p-1, 0x1.ffffffffb6c1cp-1,
      0x1.fffffffffe808p-1, 0x1.fffffffffffa3p-1, 0x1.fffffffffffffp-1},
     {0x1.20dd750429b6dp0, 0x1.eff8c150f571p-1, 0x1.39cccab8f5b9dp-1,
      0x1.24a5537c715d4p-2, 0x1.92470a21e0105p-4, 0x1.978ae8f38c83dp-6,
      0x1.30499c2984e87p-8, 0x1.4ee143e50b07ap-11, 0x1.0f9dd8fdc171ap-14,
      0x1.44bbbe70af055p-18, 0x1.1e1ea8681831ap-22, 0x1.7398040554bcep-27,
      0x1.5eec10a9b3c1bp-32, 0x1.f0138aca14314p-38, 0x1.02740d97199dfp-43,
      0x1.7f71205bbcd2ep-50},
     {0, -0x1.837a5fabbf6e9p-2, -0x1.ea4ff131f6d2cp-2, -0x1.56f1bde267f3ep-2,
      -0x1.3a477ff4adda8p-3, -0x1.8dfda775e1824p-5, -0x1.649642e97a252p-7,
      -0x1.c9d7fab50ed6fp-10, -0x1.a866a85a937dep-13, -0x1.1d68f7479f13ep-16,
      -0x1.1769ef5788ff3p-20, -0x1.8f2c4a813bd4ep-25, -0x1.9b5cda32644bbp-30,
      -0x1.3af6544e025cbp-35, -0x1.6168cced359a9p-41, -0x1.19032adfda9f4p-47},
     {-0x1.812746b0379e6p-2, -0x1.cb7beb6cd0f33p-3, 0x1.715e03a1c1033p-5,
      0x1.54c0d67272087p-3, 0x1.0453f8f93381ep-3, 0x1.c24b2083de45dp-5,
      0x1.fa73d90c56c5ap-7, 0x1.856615692f014p-9, 0x1.a37322cfdfb5ep-12,
      0x1.40ef222c1e834p-15, 0x1.5fe5fc8116c3bp-19, 0x1.161fe14e764cfp-23,
      0x1.3a2a2177dbba7p-28, 0x1.05761e70aaec9p-33, 0x1.3cc8a7a74990cp-39,
      0x1.0e9964596b43ap-45},
     {0, 0x1.5c0fcb18d8e79p-3, 0x1.22cdc8a03445cp-3, 0x1.cf82b9339cfap-7,
      -0x1.8a7c6a344af89p-5, -0x1.33137b3b5aca2p-5, -0x1.daa3013b62f54p-7,
      -0x1.c812e759fbbcep-9, -0x1.245413ee2623fp-11, -0x1.024962ca9dd4dp-14,
      -0x1.405dc344270e4p-18, -0x1.1a22653bbd7d3p-22, -0x1.5f2257ab8b6ap-27,
      -0x1.3ee240dc53f02p-32, -0x1.a271f516a5017p-38, -0x1.80eb11309f3d2p-44},
     {0x1.ce2f21a041ffbp-4, 0x1.4dd79d1f4e26bp-5, -0x1.da5099b3d3228p-5,
      -0x1.cf38b972939a1p-5, -0x1.075c07d630f49p-7, 0x1.a342ba01a7b98p-7,
      0x1.25094320a6d51p-7, 0x1.7e02d9b07a3e6p-9, 0x1.2e7e3ea89dcaap-11,
      0x1.3b1346131f54ap-14, 0x1.bfc99939ca8bbp-18, 0x1.bb332064c23cdp-22,
      0x1.31ba05cc11feep-26, 0x1.30542a4019808p-31, 0x1.b1fcb2c9ab145p-37,
      0x1.af0e54f658bbbp-43},
     {0, -0x1.9ebc1fea431efp-5, -0x1.7557b720eded8p-6, 0x1.2c17272ae0ad4p-6,
      0x1.16f9c9a318f64p-6, 0x1.b4bbc61ec7253p-10, -0x1.997578c6b6e01p-9,
      -0x1.c52294732894ep-10, -0x1.da4921e8d0044p-12, -0x1.2c5a292ba3126p-14,
      -0x1.f1a0270987106p-18, -0x1.17c716b1e9875p-21, -0x1.af06b268bf8e2p-26,
      -0x1.d8bc8a768313fp-31, -0x1.6fb9fbf2e372fp-36, -0x1.8b8c50c8f6623p-42},
     {-0x1.b82ce30efc605p-6, -0x1.0997437d307f5p-8, 0x1.353318798263fp-6,
      0x1.e06b83991b5a8p-8, -0x1.74c2fcc3adbc5p-8, -0x1.04937e9a28092p-8,
      -0x1.3903f8e8d311p-15, 0x1.583413e603621p-11, 0x1.176cd1ecbe7c8p-12,
      0x1.c55992372dedap-15, 0x1.c0c504d45a116p-18, 0x1.22b7162f21cbfp-21,
      0x1.f8a6da9a9d6dep-26, 0x1.32caaac6082e4p-30, 0x1.057fabe5c3d0ep-35,
      0x1.31a38799805a8p-41},
     {0, 0x1.7074894cc1a7p-7, 0x1.39c8be6fb11cp-10, -0x1.8df7e80a1106fp-8,
      -0x1.760c66d747d6ep-10, 0x1.9f5a24ac30297p-10, 0x1.6a6d86296e3b7p-11,
      -0x1.48c1c2eaa60a5p-14, -0x1.d2ac4bcce5f35p-14, -0x1.0dbab81d162a6p-15,
      -0x1.4b9e0ca240955p-18, -0x1.f8add052f4fc8p-22, -0x1.f33574e54213ep-26,
      -0x1.52ebd850e2aa2p-30, -0x1.3e2e6ac8f18fdp-35, -0x1.959f6cca3c83dp-41},
     {0x1.565bc6dd2aef1p-8, -0x1.8a686d7fb3d13p-13, -0x1.fc3718745bfb6p-9,
      0x1.471f421304439p-13, 0x1.a3cdb9611e2aap-10, 0x1.66563b643ac05p-14,
      -0x1.71ebc39777043p-12, -0x1.4fa98e3e35cd4p-14, 0x1.aafde3e380392p-16,
      0x1.ea4c6c2dafc9ep-17, 0x1.913400d84a4cdp-19, 0x1.70d790d5665a2p-22,
      0x1.a60a4c3a77a63p-26, 0x1.42e4570da5981p-30, 0x1.4fe3236fe1db3p-35,
      0x1.d508dcf40caadp-41}},
    {{{0.000000000e+00f, -8.547598845e-04f}, {-1.984130125e-03f, 1.716715778e-04f},
      {3.929194645e-04f, 5.786229158e-04f}, {1.042973134e-03f, -2.477176604e-04f},
      {-2.467142767e-04f, -1.919532806e-04f}, {-3.150661942e-04f, 9.789152682e-05f},
      {4.246355093e-05f, 3.963320705e-05f}, {5.770434655e-05f, -1.559037992e-05f},
      {3.874376034e-06f, -6.366120488e-06f}, {-4.558213277e-06f, 5.223207609e-07f},
      {-1.456901714e-06f, 5.455769951e-07f}, {-2.116303506e-07f, 1.091377300e-07f},
      {-1.786651005e-08f, 1.121484328e-08f}, {-9.734725248e-10f, 7.070945496e-10f},
      {-3.530178927e-11f, 2.887722353e-11f}, {-8.473486669e-13f, 7.676502663e-13f}},
     {{0.000000000e+00f, 1.188552560e-04f}, {2.853939659e-04f, -4.081405132e-05f},
      {-1.320483279e-04f, -6.476455019e-05f}, {-1.090289225e-04f, 5.384138058e-05f},
      {8.590863581e-05f, 6.283262337e-06f}, {1.621533193e-05f, -1.840252844e-05f},
      {-2.167256389e-05f, 2.205670853e-06f}, {-1.740990342e-06f, 2.884308515e-06f},
      {2.708186230e-06f, -3.998582940e-07f}, {3.948906055e-07f, -2.824899923e-07f},
      {-1.326292960e-07f, 2.869651183e-09f}, {-4.645180596e-08f, 1.507053859e-08f},
      {-6.180753243e-09f, 2.825080392e-09f}, {-4.655884012e-10f, 2.589190251e-10f},
      {-2.190345821e-11f, 1.405539400e-11f}, {-6.572532232e-13f, 4.735914352e-13f}}}};

//@ fs_erf_f64
// Within 2.1 ulp and without a branch: a polynomial about the nearest place of a table
// (after Gal and Bachelis, ACM Trans. Math. Softw. 17:1, 1991).
__device__ __forceinline__ double fs_erf_f64(double x) {
  const int upper = __double2hiint(x), most = 0x40180000;  // of 6: erf is 1
  int above = upper & 0x7fffffff, below = __double2loint(x);
  if (above >= most && (above | (below != 0)) <= 0x7ff00000) above = most, below = 0;
  const double a = __hiloint2double(above, below);
  const int i = __double2loint(fma(a, 2.56, 0x1.8p52)) & 15;
  const double t = a - fs_erf_table.c[0][i];
  const fs_floats u = fs_erf_table.tail[0][i], w = fs_erf_table.tail[1][i];
  const float t32 = (float)t;
  const float small = fmaf(fmaf(fmaf(w.b, t32, w.a), t32, u.b), t32, u.a);
  double y = (double)small;
#pragma unroll
  for (int k = 10; k > 0; k--) y = fma(y, t, fs_erf_table.c[k][i]);
  return __hiloint2double(__double2hiint(y) | (upper & (int)0x80000000),
                          __double2loint(y));
}
