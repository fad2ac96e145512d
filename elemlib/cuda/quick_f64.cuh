// quick_f64.cuh - as quick.cuh, of f64. The compiler's own functions branch, and put
// each constant into registers by two instructions for one element: without a branch
// several elements share them. What the f64 units need not do is left to others: the
// upper half of a number is compared as a float, and the highest terms of a
// polynomial, below 2^-28 of its value, are computed in f32.

//@ FS_COEFFICIENT
// A number whose lower half is not 0, which no instruction of f64 holds. Large kernels
// that compute much have them in constant memory: one instruction before the loop brings
// each. Short kernels would wait for the first look at it.
#ifndef FS_COEFFICIENT
#define FS_COEFFICIENT constexpr double
#endif

//@ fs_upper
// Orders as |x| does; infinite or NaN from 2^1017 on.
__device__ __forceinline__ float fs_upper(double x) {
  return fabsf(__int_as_float(__double2hiint(x)));
}

//@ fs_first_reciprocal
// 1/x with 20 bits, never a power of 2: next to 1/x of the number below a power of 2, from
// which no step would lead away.
__device__ __forceinline__ double fs_first_reciprocal(double x) {
#ifdef __CUDA_ARCH__
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
#else
  const double y = 1.0 / x;  // the device loses what is subnormal
  const double r = fabs(x) < 0x1p-1022   ? copysign(1.0 / 0.0, x)
                   : fabs(y) < 0x1p-1022 ? copysign(0.0, x)
                                         : y;
#endif
  return __hiloint2double(__double2hiint(r), 1);
}

//@ fs_reciprocal_f64
// 1/x within 2 ulp.
__device__ __forceinline__ double fs_reciprocal_f64(double x) {
  const double r = fs_first_reciprocal(x), e = fma(-x, r, 1.0);
  return fma(fma(e, e, e), r, r);
}

//@ fs_div_f64
// As fs_div() of quick.cuh. The reciprocal r is within 1/2 + 2^-27 ulp, which suffices as
// 1/2 does: quotients lie 2^-53/b ulp at least from where rounding changes, 1 <= b < 2,
// and r's error moves them by less but for b above 2 - 2^-26, where r is rounded correctly.
// No b has its reciprocal lost: from 2^1017 on its upper half is NaN. And a, which is b*q,
// is not so small that its remainder is not exact.
__device__ __forceinline__ double fs_div_f64(double a, double b, bool &rare) {
  double r = fs_first_reciprocal(b);
  r = fma(r, fma(-b, r, 1.0), r);
  r = fma(r, fma(-b, r, 1.0), r);
  double q = a * r;
  q = fma(r, fma(-b, q, a), q);
  rare |= !(fs_upper(b) >= __int_as_float(0x20b00000));  // 2^-500
  rare |= !(fs_upper(q) >= __int_as_float(0x26f00000));  // 2^-400
  return q;
}

//@ fs_last_step_f64
// As fs_last_step() of quick.cuh.
__device__ __forceinline__ float fs_last_step_f64(double a, double r, double e, double &q) {
#ifdef __CUDA_ARCH__
  float least;
  asm("{\n.reg .pred p;\nsetp.neu.f64 p, %4, 0d0000000000000000;\n"
      "@p fma.rn.f64 %0, %2, %3, %0;\nselp.f32 %1, 0f26f00000, 0f00000000, p;\n}"
      : "+d"(q), "=f"(least) : "d"(r), "d"(e), "d"(a));
  return least;
#else
  if (a != 0.0) q = fma(r, e, q);
  return a != 0.0 ? __int_as_float(0x26f00000) : 0.0f;  // 2^-400
#endif
}

//@ fs_div_f64_or_0
// As fs_div_f64(), where a is often 0.
__device__ __forceinline__ double fs_div_f64_or_0(double a, double b, bool &rare) {
  double r = fs_first_reciprocal(b);
  r = fma(r, fma(-b, r, 1.0), r);
  r = fma(r, fma(-b, r, 1.0), r);
  double q = a * r;
  const float least = fs_last_step_f64(a, r, fma(-b, q, a), q);
  rare |= !(fs_upper(b) >= __int_as_float(0x20b00000));  // 2^-500
  rare |= !(fs_upper(q) >= least);
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

//@ fs_ln2_f64
// ln(2) * 2^-20, of which logarithms and exponentials take a multiple of 2^20.
FS_COEFFICIENT fs_ln2_f64 = 0x1.62e42fefa39efp-21;

//@ fs_log_3 fs_log_5 fs_log_7 fs_log_9
FS_COEFFICIENT fs_log_3 = 0x1.5555555555593p-4;
FS_COEFFICIENT fs_log_5 = 0x1.999999997fb32p-7;
FS_COEFFICIENT fs_log_7 = 0x1.2492494217af4p-9;
FS_COEFFICIENT fs_log_9 = 0x1.c71c51e7e1c4fp-12;

//@ fs_log_f64
// Within 3 ulp: x = 2^k * m with sqrt(1/2) <= m < sqrt(2), and log(m) =
// 2*atanh(s/2), s = 2*(m - 1)/(m + 1), an odd minimax polynomial. `power` is 2^20 * k.
__device__ __forceinline__ double fs_log_f64(double x, bool &rare) {
  const int upper = __double2hiint(x);
  const int power = (upper - 0x3fe6a09e) & (int)0xfff00000;
  const double m = __hiloint2double(upper - power, __double2loint(x));
  const double s = (m - 1.0) * fs_reciprocal_f64(fma(m, 0.5, 0.5)), z = s * s;
  const float z32 = (float)z;
  float small = 4.51584265e-06f;
  small = fmaf(small, z32, 1.86937286e-05f);
  small = fmaf(small, z32, 8.8786961e-05f);
  double p = fma((double)small, z, fs_log_9);
  p = fma(p, z, fs_log_7);
  p = fma(p, z, fs_log_5);
  p = fma(p, z, fs_log_3);
  const double y = fma(s, z * p, s);
  rare |= !(__int_as_float(upper) >= __int_as_float(0x00100000));
  return fma((double)power, fs_ln2_f64, y);
}
__device__ __forceinline__ double fs_log_f64(double x) {
  bool rare = false;
  const double y = fs_log_f64(x, rare);
  return rare ? log(x) : y;
}

//@ fs_exp_scale fs_exp_rest fs_exp_2 fs_exp_3 fs_exp_4 fs_exp_5 fs_exp_6 fs_exp_7 fs_exp_8
// 2^20/ln(2), what ln(2) * 2^-20 lacks, and the terms of q.
FS_COEFFICIENT fs_exp_scale = 0x1.71547652b82fep20;
FS_COEFFICIENT fs_exp_rest = 0x1.abc9e3b39803fp-76;
FS_COEFFICIENT fs_exp_2 = 0x1.000000000000cp-1;
FS_COEFFICIENT fs_exp_3 = 0x1.5555555555561p-3;
FS_COEFFICIENT fs_exp_4 = 0x1.555555554fffcp-5;
FS_COEFFICIENT fs_exp_5 = 0x1.111111110d607p-7;
FS_COEFFICIENT fs_exp_6 = 0x1.6c16c185b36ecp-10;
FS_COEFFICIENT fs_exp_7 = 0x1.a01a01baf0761p-13;
FS_COEFFICIENT fs_exp_8 = 0x1.a0199670bc8cdp-16;

//@ fs_exp_f64
// Within 1.5 ulp: x = k*ln(2) + r, and 1 + r + r^2*q(r) with a minimax polynomial q.
// `power` is 2^20 * k, which `t` has in its lower half as k.
__device__ __forceinline__ double fs_exp_f64(double x, bool &rare) {
  const double t = fma(x, fs_exp_scale, 0x1.8p72), power = t - 0x1.8p72;
  double r = fma(power, -fs_ln2_f64, x);
  r = fma(power, -fs_exp_rest, r);
  const float r32 = (float)r;
  float small = 2.51179013e-08f;
  small = fmaf(small, r32, 2.76313293e-07f);
  small = fmaf(small, r32, 2.75572162e-06f);
  double q = fma((double)small, r, fs_exp_8);
  q = fma(q, r, fs_exp_7);
  q = fma(q, r, fs_exp_6);
  q = fma(q, r, fs_exp_5);
  q = fma(q, r, fs_exp_4);
  q = fma(q, r, fs_exp_3);
  q = fma(q, r, fs_exp_2);
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

//@ FS_ERF_WORDS fs_erf_words
// By 16 columns of a word for each of 32 places (tools/erf_table.py). What is called
// `words` below is this table, or a copy of it in shared memory.
constexpr int FS_ERF_WORDS = 512;
alignas(16) __device__ const unsigned fs_erf_words[FS_ERF_WORDS] = {
    0, 0x3fc86786, 0x3fd86442, 0x3fe24962, 0x3fe863b3, 0x3fee7af8, 0x3ff24957,
    0x3ff555d9, 0x3ff860f9, 0x3ffb6d39, 0x3ffe795f, 0x4000c28c, 0x4002497c, 0x4003cfc0,
    0x4005553a, 0x4006dbf3, 0x4008618f, 0x4009e731, 0x400b6df6, 0x400cf36d, 0x400e79e7,
    0x40100000, 0x4010c30c, 0x40118618, 0x40124924, 0x40130c30, 0x4013cf3c, 0x40149249,
    0x40155555, 0x40161861, 0x4016db6d, 0x40179e79, 0, 0x463567f5, 0xf0e8c0a6,
    0xac80750b, 0x50bfb454, 0xb1d0ada9, 0x916d8242, 0xb599cbb4, 0x5d19786b, 0xd98be693,
    0x54c645d7, 0x142a643b, 0x8e7da6fb, 0x5c889e79, 0x3c75f157, 0x5e051f55, 0xc3a9e673,
    0x34787cde, 0x657e7e15, 0x5a142345, 0xd9a3934f, 0xf7b91176, 0xfe55f9be, 0xffb032c8,
    0xfff2133c, 0xfffdbca0, 0xffffa84d, 0xfffff3a3, 0xfffffe61, 0xffffffcd, 0xfffffffa,
    0xffffffff, 0, 0x3fcb3514, 0x3fda3f1c, 0x3fe29794, 0x3fe7014d, 0x3fea4e20,
    0x3fec9b6d, 0x3fee1a07, 0x3fef0098, 0x3fef8250, 0x3fefc616, 0x3fefe706, 0x3feff5f4,
    0x3feffc38, 0x3feffeab, 0x3fefff90, 0x3fefffdd, 0x3feffff6, 0x3feffffd, 0x3fefffff,
    0x3fefffff, 0x3fefffff, 0x3fefffff, 0x3fefffff, 0x3fefffff, 0x3fefffff, 0x3fefffff,
    0x3fefffff, 0x3fefffff, 0x3fefffff, 0x3fefffff, 0x3fefffff, 0x50429b6d, 0x836e2785,
    0x312c2640, 0x67df5c5, 0x1cef5566, 0x66f3fe6b, 0x4c663acb, 0x12484a87, 0x11d4aef1,
    0xf9d385f6, 0x5c503d7b, 0x2f8149c9, 0xe72b4f10, 0xe40d2d3, 0xd5f066a6, 0xb5d7701f,
    0x69356487, 0xeb7f99ce, 0xcea46457, 0xbd878349, 0x5931656b, 0x88aeb235, 0x8adfdf37,
    0x19fd49f5, 0xceaebd0a, 0xb8ba83d1, 0x2096038e, 0x579f98cf, 0xc78b7de6, 0xcf3a778a,
    0x7159cbd5, 0xf9da1cad, 0x3ff20dd7, 0x3ff168d9, 0x3fef39fa, 0x3fea0c60, 0x3fe432d9,
    0x3fdd25e7, 0x3fd38f17, 0x3fc86721, 0x3fbc57c4, 0x3fae9795, 0x3f9eb61b, 0x3f8caf92,
    0x3f78dc63, 0x3f641071, 0x3f4e2de7, 0x3f350a34, 0x3f1b5e02, 0x3f008e00, 0x3ee28f0e,
    0x3ec36f12, 0x3ea2dbf2, 0x3e810b14, 0x3e5ca61a, 0x3e3664ae, 0x3e10474d, 0x3de602ae,
    0x3dbbad80, 0x3d902ef7, 0x3d6199f0, 0x3d31cdb4, 0x3d00bf66, 0x3ccd4dad, 0x6b037a5a,
    0xfe9e5def, 0x2b8a4d99, 0xc193a5d3, 0x8d4f50a7, 0xa5e56672, 0x538a337a, 0xef233f51,
    0x6dd01cb4, 0x43f8c868, 0x540a1bfd, 0xebb71eb, 0x8aaa1299, 0x49de6c4, 0x20c6ae7,
    0xfc93ebf3, 0xb9809969, 0x2ea9d574, 0xb58f9b03, 0x7b2b04, 0x58a715f8, 0x308c50a1,
    0xe9cca0f1, 0x19aab520, 0x779078c6, 0xdd97b639, 0x47b02893, 0xb29776ec, 0x67613469,
    0x413d9d60, 0xd561c2, 0xbdfccf53, 0xbfd81274, 0xbfd5866f, 0xbfcd8a43, 0xbfb81830,
    0x3fa16e4b, 0x3fbfa829, 0x3fc50681, 0x3fc4cb05, 0x3fc135aa, 0x3fb8dd6b, 0x3fb00248,
    0x3fa297db, 0x3f939439, 0x3f82d60e, 0x3f70a039, 0x3f5ae09f, 0x3f440ac8, 0x3f2b8bf9,
    0x3f116876, 0x3ef4663b, 0x3ed6059e, 0x3eb603a5, 0x3e945d59, 0x3e7170fa, 0x3e4babb3,
    0x3e245660, 0x3dfbb530, 0x3dd17f67, 0x3da47e7f, 0x3d76437f, 0x3d466fdf, 0x3d14faea,
    0, 0x74def63f, 0xfecdc9a2, 0x7506ce23, 0x95d972e0, 0xa8a5ade, 0x395778c4,
    0x1a933ecc, 0xbc408231, 0x17d0a60d, 0x753b6d4a, 0xab003669, 0x509fa2a2, 0xeaf12ec,
    0x7a72c31d, 0xb9c25ef9, 0x69cf463e, 0x6d9053e8, 0x8dcbc4eb, 0x9625ef4b, 0x14c5c34b,
    0x2527f397, 0x3880f466, 0xd5c9bc91, 0xc14ddaf5, 0x57f55a6c, 0xeb578418, 0x35d40a17,
    0xa3745ad0, 0x7b1b54cf, 0xef6593e3, 0x19788cc1, 0, 0x3fb9e92d, 0x3fc57f45,
    0x3fc74a24, 0x3fc2dda0, 0x3fb5f113, 0x3f9719ec, 0xbf982206, 0xbfa7a751, 0xbfa92481,
    0xbfa4bdfb, 0xbf9cefbe, 0xbf91a452, 0xbf832ec2, 0xbf72d06f, 0xbf60b1e5, 0xbf4b10b9,
    0xbf34109d, 0xbf1b312c, 0xbf00fd8b, 0xbee379fd, 0xbec4980e, 0xbea41577, 0xbe821499,
    0xbe5e12c4, 0xbe371e91, 0xbe107041, 0xbde5a14a, 0xbdba58ff, 0xbd8db87b, 0xbd5f0e52,
    0xbd2e11c9, 0x1a03ba5f, 0x7ae6ba0d, 0x8d933910, 0xfc953a25, 0x45793a1f, 0xe47d3954,
    0x1e7eb957, 0xe869b9b6, 0xdac9b973, 0xbe9b81b, 0x6be038b2, 0xf5b538d0, 0x26023868,
    0x18ac371e, 0xb933b75b, 0x9feb77f, 0xb55ab718, 0x11c0b654, 0x191bb3a1, 0xf1883556,
    0x412d353b, 0xdc734d7, 0x59143445, 0xa6783397, 0xdb4e32cb, 0xd6c331ef, 0xc95a30fd,
    0xcc932fef, 0x163e2ecd, 0x9c382d9f, 0x1a202c62, 0x70d52b12, 0x3fbce2f2, 0x3fb7daa7,
    0x3fa656de, 0xbf8b59dd, 0xbfac3c49, 0xbfb1db60, 0xbfae82d1, 0xbfa283ff, 0xbf88f10d,
    0x3f729057, 0x3f88c9d1, 0x3f8a2f83, 0x3f8483af, 0x3f7ab3ba, 0x3f6e2920, 0x3f5e1997,
    0x3f4afb41, 0x3f35daea, 0x3f200913, 0x3f0588d2, 0x3eea600d, 0x3ecda5f1, 0x3eae9c12,
    0x3e8d1152, 0x3e696b97, 0x3e447e3f, 0x3e1e7c5c, 0x3df4ef8a, 0x3dca912d, 0x3d9f2a18,
    0x3d70e7a5, 0x3d40f7f2, 0, 0xbfa0d9e3, 0xbfa9c4ae, 0xbfa78a2d, 0xbf99e66a,
    0xbf473a89, 0x3f91164d, 0x3f96e533, 0x3f92f2f6, 0x3f8583e3, 0x3f698ca9, 0xbf56d3d0,
    0xbf68e37b, 0xbf679f5f, 0xbf60c653, 0xbf53c3e5, 0xbf443146, 0xbf323ccd, 0xbf1d670b,
    0xbf05722a, 0xbeec4c6f, 0xbed10505, 0xbeb2b348, 0xbe92d032, 0xbe715ce9, 0xbe4d723b,
    0xbe26f897, 0xbe0080bd, 0xbdd5dbd2, 0xbdaab5ae, 0xbd7e211c, 0xbd4f64cd, 0xbf9b82ce,
    0xbf94e1de, 0xbf741a84, 0x3f85e2c6, 0x3f9315e6, 0x3f913444, 0x3f81e610, 0x3f1817dd,
    0xbf751eaf, 0xbf797e9d, 0xbf72c177, 0xbf621b55, 0xbf3a42aa, 0x3f3ffde4, 0x3f4665c1,
    0x3f41f076, 0x3f365127, 0x3f275611, 0x3f152ae4, 0x3f010c09, 0x3ee88576, 0x3ecfd7c6,
    0x3eb2bed8, 0x3e941690, 0x3e73a6e2, 0x3e51977e, 0x3e2cdfbd, 0x3e05c1bd, 0x3dde254d,
    0x3db338d4, 0x3d869537, 0x3d587634, 0, 0x3c0379cb, 0x3c385bb2, 0x3c0866d2,
    0x3af4ead4, 0xbb7c3ce4, 0xbbc6fe91, 0xbb9e0021, 0xbb032780, 0x39da3236, 0x3ac62f00,
    0x3abede01, 0x3a66b189, 0x39a5840d, 0xb78d932c, 0xb90b0320, 0xb905981a, 0xb8b12ee8,
    0xb83d7fef, 0xb7ad3bf3, 0xb70a5134, 0xb644639e, 0xb57a17b6, 0xb48fc1d6, 0xb395e811,
    0xb28e4c1b, 0xb1769a36, 0xb0437c2a, 0xaf0e0886, 0xadbd734f, 0xac683ee5, 0xab02f923,
    0x3bab2d7f, 0x3b6d9622, 0x35b7483b, 0xbb4d7776, 0xbb811ff2, 0xbb20b491, 0xb924a04f,
    0x3ab8ef7d, 0x3adc3a93, 0x3a89da8b, 0x39834879, 0xb9821ab6, 0xb9c185bc, 0xb98cd9ff,
    0xb900e01d, 0xb7bad2c8, 0x37a85e56, 0x37db8c50, 0x379d0ff9, 0x372c8e70, 0x369de670,
    0x35fa127a, 0x352e920d, 0x34596aa4, 0x33736e96, 0x32766f53, 0x31627a49, 0x303d930a,
    0x2f10e4a2, 0x2dcaa9e7, 0x2c81e495, 0x2b18d49a, 0, 0xbacc8075, 0xbb02c16b,
    0xba92c3ee, 0x398ba4c7, 0x3a966c19, 0x3a91e6cb, 0x39fc2e70, 0xb9224228, 0xb9e31b2a,
    0xb9beabbe, 0xb922a417, 0x374764b5, 0x38a0c192, 0x388f9501, 0x38185e56, 0x372fac16,
    0xb5fdf852, 0xb6a0d586, 0xb67d13f0, 0xb60e65ff, 0xb58285dd, 0xb4cc6173, 0xb40c008e,
    0xb32a3481, 0xb2395225, 0xb135e14b, 0xb021a836, 0xaf0299e3, 0xadc05985, 0xac81686e,
    0xab1f60ea};

//@ fs_word fs_two_words
__device__ __forceinline__ int fs_word(const unsigned *place, int column) {
  return (int)place[column * 32];
}
__device__ __forceinline__ double fs_two_words(const unsigned *place, int column) {
  return __hiloint2double(fs_word(place, column + 1), fs_word(place, column));
}

//@ fs_erf_places
FS_COEFFICIENT fs_erf_places = 5.25;  // to a unit, in fs_erf_words

//@ fs_erf_f64
// Within 1.7 ulp: a polynomial about the nearest place of the table. What is not a number
// is rare, and all beyond 5.999 as that is, of which it is 1.
__device__ __forceinline__ double fs_erf_f64(double x, const unsigned *words, bool &rare) {
  const int upper = __double2hiint(x);
  const float most = __int_as_float(0x4017ff00);
  const float above = fs_upper(x) < most ? fs_upper(x) : most;
  const double a = __hiloint2double(__float_as_int(above), __double2loint(x));
  const unsigned *const place = words + __double2loint(fma(a, fs_erf_places, 0x1.8p52));
  const double c = __hiloint2double(fs_word(place, 0), 0), t = a - c;
  const double a1 = fs_two_words(place, 3), a3 = fs_two_words(place, 5);
  const double a4 = fs_two_words(place, 7), a5 = fs_two_words(place, 9);
  const double a6 = __hiloint2double(fs_word(place, 11), __double2loint(a4) << 20);
  const double a7 = __hiloint2double(fs_word(place, 12), __double2loint(a3) << 23);
  const float t32 = (float)t;
  float small = __int_as_float(__double2loint(a5) << 16);
  small = fmaf(small, t32, __int_as_float(fs_word(place, 15)));
  small = fmaf(small, t32, __int_as_float(fs_word(place, 14)));
  small = fmaf(small, t32, __int_as_float(fs_word(place, 13)));
  double y = fma((double)small, t, a7);
  y = fma(y, t, a6);
  y = fma(y, t, a5);
  y = fma(y, t, a4);
  y = fma(y, t, a3);
  y = fma(y, t, -c * a1);
  y = fma(y, t, a1);
  y = fma(y, t, fs_two_words(place, 1));
  rare |= !(fs_upper(x) <= __int_as_float(0x7f700000));  // 2^1016
  return __hiloint2double(__double2hiint(y) | (upper & (int)0x80000000),
                          __double2loint(y));
}
__device__ __forceinline__ double fs_erf_f64(double x, const unsigned *words) {
  bool rare = false;
  const double y = fs_erf_f64(x, words, rare);
  return x == x ? y : x;
}
