// quick_test.h - stands behind elemlib/cuda/quick*.cuh: tests/test_quick.py.
#ifdef __CUDACC__
#include <cstdio>
#include <cstring>
#endif

// Counters of one check: operands that failed, operands that were rare though they
// are ordinary, and the largest error in units in the last place (as bits, so that
// atomicMax orders it).
struct qt_count {
  unsigned long long wrong, rare;
  unsigned worst;
};

__device__ static bool qt_same(float a, float b) {
  return a == b ? __float_as_uint(a) == __float_as_uint(b) : a != a && b != b;
}

// Exponents between -60 and 60.
__device__ static bool qt_ordinary(float x) {
  return fabsf(x) > 0x1p-60f && fabsf(x) < 0x1p60f;
}

__device__ static float qt_ulps(float got, double want) {
  if (got != got || want != want) return (got != got) == (want != want) ? 0 : 1e9f;
  if ((double)got == want || got == (float)want) return 0.5f;
  int power = 0;
  frexp(want, &power);
  return (float)(fabs(got - want) / ldexp(1.0, power < -125 ? -149 : power - 24));
}

__device__ static unsigned qt_mix(unsigned long long z) {
  z = (z + 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 29) * 0x94d049bb133111ebull;
  return (unsigned)(z >> 32);
}

__device__ static float qt_bf16(float f) {  // to the nearest, ties to even
  const unsigned u = __float_as_uint(f);
  if (f != f) return f;
  return __uint_as_float((u + 0x7fffu + (u >> 16 & 1)) & 0xffff0000u);
}

__device__ static float qt_bf16_ulps(float got, double want) {
  if (got != got || want != want) return (got != got) == (want != want) ? 0 : 1e9f;
  if ((double)got == want || got == qt_bf16((float)want)) return 0.5f;
  int power = 0;
  frexp(want, &power);
  return (float)(fabs(got - want) / ldexp(1.0, power < -125 ? -133 : power - 8));
}

// As qt_one(), of bf16: two numbers in `bits`, or one in its upper half.
__device__ static void qt_bf16_one(int which, unsigned bits, qt_count &c) {
  const float x = __uint_as_float(bits & 0xffff0000u);
  bool rare = false, ordinary = qt_ordinary(x);
  float ulps = 0;
  if (which == 6) {
    const float b = __uint_as_float(bits << 16), z = qt_bf16(x / b);
    ordinary &= qt_ordinary(b) && qt_ordinary(z);
    const float y = qt_bf16(fs_div_bf16(x, b, rare));
    c.wrong += !rare && !qt_same(y, z);
  } else if (which == 7) {
    const float y = qt_bf16(fs_sqrt_bf16(x, rare));
    ordinary &= x > 0;
    c.wrong += !rare && !qt_same(y, qt_bf16(sqrtf(x)));
  } else if (which == 8) {
    const float y = fs_log_bf16(x, rare), z = fs_log_bf16(x);
    ordinary &= x > 0;
    c.wrong += !rare && !qt_same(y, z);
    ulps = qt_bf16_ulps(qt_bf16(z), log((double)x));
  } else if (which == 9) {
    ulps = qt_bf16_ulps(qt_bf16(fs_exp_bf16(x)), exp((double)x));
  } else {
    const float y = fs_erf_bf16(x);
    c.wrong += !qt_same(-y, fs_erf_bf16(-x)) || !(fabsf(y) <= 1.0f || y != y);
    ulps = qt_bf16_ulps(qt_bf16(y), erf((double)x));
  }
  c.rare += rare && ordinary;
  const unsigned u = __float_as_uint(ulps);
  if (u > c.worst) c.worst = u;
}

// Whether both halves of y are what f gives of those of x, if the short way was right.
template <typename F>
__device__ static void qt_two(fs_pair<fs_bf16> y, fs_pair<fs_bf16> x, bool rare,
                              bool ordinary, qt_count &c, F f) {
  for (int h = 0; h < 2; h++)
    c.wrong += !rare && !qt_same(fs_half(y, h), qt_bf16(f(fs_half(x, h), fs_half(x, 1 - h))));
  c.rare += rare && ordinary;
}

// The functions of two numbers of bf16 in a register, against those of one.
__device__ static void qt_pair_one(unsigned bits, qt_count &c) {
  const fs_pair<fs_bf16> x = {bits}, turned = {bits >> 16 | bits << 16};
  const float a = fs_half(x, 0), b = fs_half(x, 1);
  const bool ordinary = qt_ordinary(a) && qt_ordinary(b);
  const bool positive = ordinary && a > 0 && b > 0;
  fs_extremes divided, root, inverse, logarithm;
  const fs_pair<fs_bf16> q = fs_div_two(x, turned, divided);
  qt_two(q, x, fs_is_rare(divided), ordinary, c, [](float u, float v) { return u / v; });
  fs_extremes one;
  fs_div_two(x, fs_both<fs_bf16>(3.0f), one);
  c.rare += fs_is_rare(one);  // whatever is divided
  fs_extremes both;
  const fs_pair<fs_bf16> part = fs_div_of_seen(x, turned, both);
  const fs_pair<fs_bf16> l = fs_log_two(part, both);
  qt_two(l, x, fs_is_rare(both), positive, c, [](float u, float v) {
    return fs_log_bf16(qt_bf16(u / v));
  });
  fs_extremes below;
  const fs_pair<fs_bf16> divisor = fs_both<fs_bf16>(b) * fs_sqrt_two(x, below);
  const fs_pair<fs_bf16> t = fs_div_two(turned, divisor);
  qt_two(t, x, fs_is_rare(below) | !fs_is_factor(b), positive, c,
         [b](float u, float v) { return v / qt_bf16(b * qt_bf16(sqrtf(u))); });
  const fs_pair<fs_bf16> s = fs_sqrt_two(x, root), r = fs_rsqrt_two(x, inverse);
  qt_two(s, x, fs_is_rare(root), positive, c, [](float u, float) { return sqrtf(u); });
  qt_two(r, x, fs_is_rare(inverse), positive, c,
         [](float u, float) { return 1.0f / sqrtf(u); });
  const fs_pair<fs_bf16> g = fs_log_two(x, logarithm);
  qt_two(g, x, fs_is_rare(logarithm), positive, c,
         [](float u, float) { return fs_log_bf16(u); });
  qt_two(fs_erf_two(x), x, false, false, c, [](float u, float) { return fs_erf_bf16(u); });
  qt_two(fs_erf_looked_up(x, fs_erf_values), x, false, false, c,
         [](float u, float) { return fs_erf_bf16(u); });
}

#ifdef __CUDACC__
typedef double qt_exact;  // the device's functions, within 2 ulp
#else
typedef long double qt_exact;
#endif

__device__ static float qt_f64_ulps(double got, qt_exact want) {
  if (got != got || want != want) return (got != got) == (want != want) ? 0 : 1e9f;
  if (got == want || got == (double)want) return 0;
  int power = 0;
  frexp((double)want, &power);
  if (power < -1021) power = -1021;
  return (float)(fabs((double)(got - want)) / ldexp(1.0, power - 53));
}

__device__ static bool qt_f64_same(double a, double b) {
  if (a != b) return a != a && b != b;
  return __double2hiint(a) == __double2hiint(b);  // 0 with its sign
}

// Any f64 (from two numbers of 32 bits), one between 1 and 4, one that decreases
// with `bits` from 8 to what is next to 0.
__device__ static double qt_f64_operand(int kind, unsigned bits, unsigned more) {
  if (kind == 0) return __hiloint2double((int)bits, (int)more);
  const double u = 1 + bits * 0x1p-32 + more * 0x1p-52;
  return kind == 1 ? u * u : ldexp(u, 2 - (int)(more % 64)) * (bits % 2 ? 1 : -1);
}

// As qt_one(), of f64.
__device__ static void qt_f64_one(int which, unsigned long long k, qt_count &c) {
  const int kind = (int)(k % 3);
  const double x = qt_f64_operand(kind, qt_mix(k), qt_mix(~k));
  bool rare = false, tame = kind == 1 || (kind == 2 && x > 0);
  float ulps = 0;
  if (which == 11) {
    const double b = qt_f64_operand(kind, qt_mix(k + 5), qt_mix(k + 7));
    const double y = fs_div_f64(x, b, rare);
    tame |= kind == 2;
    bool rare0 = false;
    c.wrong += !rare && !qt_f64_same(y, x / b);
    c.wrong += !qt_f64_same(fs_div_f64_or_0(x, b, rare0), x / b) && !rare0;
    c.rare += rare0 && tame;
  } else if (which == 12) {
    const double y = fs_sqrt_f64(x, rare);
    c.wrong += !rare && !qt_f64_same(y, sqrt(x));
  } else if (which == 13) {
    const double near = kind == 2 ? 1 + x / 8 : x, z = fs_log_f64(near);
    tame = kind == 1 || (kind == 2 && near > 0);
    const double y = fs_log_f64(near, rare);
    c.wrong += !rare && !qt_f64_same(y, z);
    ulps = qt_f64_ulps(z, log((qt_exact)near));
  } else if (which == 14) {
    const double wide = kind == 1 ? 100 * (x - 2) : x, z = fs_exp_f64(wide);
    const double y = fs_exp_f64(wide, rare);
    tame |= kind == 2;
    c.wrong += !rare && !qt_f64_same(y, z);
    ulps = qt_f64_ulps(z, exp((qt_exact)wide));
  } else {
    const double y = fs_erf_f64(x, fs_erf_words);
    c.wrong += !qt_f64_same(-y, fs_erf_f64(-x, fs_erf_words)) || !(fabs(y) <= 1 || y != y);
    ulps = qt_f64_ulps(y, erf((qt_exact)x));
  }
  c.rare += rare && tame;
  const unsigned u = __float_as_uint(ulps);
  if (u > c.worst) c.worst = u;
}

// Operand number k of check number `which`; adds to c.
// Any two floats; results of all sizes, of any number and of a number and 0.1 to 8.
__device__ static void qt_pow_one(unsigned long long k, unsigned bits, qt_count &c) {
  const unsigned other = qt_mix(k);
  const float any = __uint_as_float(other), part = (float)(other >> 8) * 0x1p-24f;
  const float x = __uint_as_float(k % 3 ? bits & 0x7fffffffu : bits);
  const float log2_x = (float)log2((double)x);
  const float y = k % 3 == 0 ? any : k % 3 == 1 ? (250.0f * part - 125.0f) / log2_x
                                                : 0.1f + 7.9f * part;
  bool rare = false, rare0 = false;
  const float z = fs_pow(x, y, rare), z0 = fs_pow_or_0(x, y, rare0), w = fs_pow(x, y);
  c.wrong += (!rare && !qt_same(z, w)) || (!rare0 && !qt_same(z0, w));
  c.wrong += rare0 && x == 0 && y > 0 && !signbit(x);
  c.rare += (rare || rare0) && x >= 0x1p-126f && fabsf(y * log2_x) < 124.0f;
  const unsigned u = __float_as_uint(qt_ulps(w, pow((double)x, (double)y)));
  if (u > c.worst) c.worst = u;
}

__device__ static void qt_one(int which, unsigned long long k, unsigned bits,
                              qt_count &c) {
  if (which == 16) {
    qt_pair_one(bits, c);
    return;
  }
  if (which == 17) {
    qt_pow_one(k, bits, c);
    return;
  }
  if (which > 10) {
    qt_f64_one(which, k, c);
    return;
  }
  if (which > 5) {
    if (which == 6 || bits % 65536 == 0) qt_bf16_one(which, bits, c);
    return;
  }
  const float x = __uint_as_float(bits);
  bool rare = false, ordinary = qt_ordinary(x);
  float ulps = 0;
  if (which == 0) {
    const float y = fs_sqrt(x, rare);
    ordinary &= x > 0;
    c.wrong += !rare && !qt_same(y, sqrtf(x));
    c.wrong += !qt_same(fs_sqrt(x), sqrtf(x));
    bool rare0 = false;
    c.wrong += !qt_same(fs_sqrt_or_0(x, rare0), sqrtf(x)) && !rare0;
    c.wrong += rare0 && (!rare || x <= 0);
  } else if (which <= 2) {  // any two floats; two of neighbouring exponents
    const unsigned other = qt_mix(k);
    const float a = which == 1 ? x : __uint_as_float((bits & 0x807fffffu) | 0x3f800000u);
    const float b = __uint_as_float(which == 1 ? other
                                    : (other & 0x807fffffu) | 0x3f800000u);
    const float y = fs_div(a, b, rare), z = a / b;
    ordinary = qt_ordinary(a) && qt_ordinary(b) && qt_ordinary(z);
    bool rare0 = false;
    c.wrong += !rare && !qt_same(y, z);
    c.wrong += !qt_same(fs_div(a, b), z);
    c.wrong += !qt_same(fs_div_or_0(a, b, rare0), z) && !rare0;
    c.rare += rare0 && ordinary;
  } else if (which == 3) {
    const float y = fs_log(x, rare), z = fs_log(x);
    ordinary &= x > 0;
    c.wrong += !rare && !qt_same(y, z);
    ulps = qt_ulps(z, log((double)x));
  } else {
    const float y = fs_erf(x);
    c.wrong += !qt_same(-y, fs_erf(-x)) || !(fabsf(y) <= 1.0f || y != y);
    ulps = qt_ulps(y, erf((double)x));
  }
  c.rare += rare && ordinary;
  const unsigned u = __float_as_uint(ulps);
  if (u > c.worst) c.worst = u;
}

// Zeros, infinities, NaN, the ends of the ranges, each beside each.
__device__ static float qt_special(int k) {
  const float list[] = {0.0f,         1.0f,        3.0f,         0x1p-149f,
                        0x1p-126f,    0x1p-100f,   0x1p-99f,     0x1p100f,
                        0x1p126f,     0x1.8p127f,  0x1.fffffep127f, 1.0f / 0.0f,
                        0.0f / 0.0f,  0x1.fffffep-127f, 0.7f,    1e-30f};
  return k & 16 ? -list[k & 15] : list[k & 15];
}

__device__ static double qt_f64_special(int k) {
  const double list[] = {0.0,         1.0,        3.0,         0x1p-1074,
                         0x1p-1022,   0x1p-900,   0x1p-899,    0x1p900,
                         0x1p1022,    0x1.8p1023, 1.0 / 0.0,   0.0 / 0.0,
                         0x1.fffffffffffffp-1023, 708.3, 6.1,
                         0x1.fffffffffffffp0};
  return k & 16 ? -list[k & 15] : list[k & 15];
}

__device__ static void qt_specials(qt_count &c) {
  for (int k = 0; k < 32 * 32; k++) {
    const float a = qt_special(k / 32), b = qt_special(k % 32);
    bool rare = false;
    const float q = fs_div(a, b, rare);
    c.wrong += (!rare && !qt_same(q, a / b)) || !qt_same(fs_div(a, b), a / b);
    bool rare0 = false;
    const float q0 = fs_div_or_0(a, b, rare0);
    c.wrong += (!rare0 && !qt_same(q0, a / b)) || (rare0 && (!rare || (a == 0 && qt_ordinary(b))));
    const float z = powf(a, b), z0 = fs_pow(a, b);
    c.wrong += z == 0 || z == 1 || z - z != 0
                   ? !qt_same(z0, z)
                   : qt_ulps(z0, pow((double)a, (double)b)) > 3.5f;
    bool rare16 = false;
    const float u = qt_bf16(a), v = qt_bf16(b), w = qt_bf16(fs_div_bf16(u, v, rare16));
    c.wrong += (!rare16 && !qt_same(w, qt_bf16(u / v))) || (rare16 && u == 0 && qt_ordinary(v));
  }
  for (int k = 0; k < 32 * 32; k++) {
    const double a = qt_f64_special(k / 32), b = qt_f64_special(k % 32);
    bool rare = false;
    const double q = fs_div_f64(a, b, rare);
    c.wrong += !rare && !qt_f64_same(q, a / b);
    bool rare0 = false;
    const double q0 = fs_div_f64_or_0(a, b, rare0);
    c.wrong += (!rare0 && !qt_f64_same(q0, a / b)) ||
               (rare0 && (!rare || (a == 0 && qt_ordinary((float)b))));
  }
  for (int k = 0; k < 32; k++) {
    const double x = qt_f64_special(k);
    bool rare = false;
    const double y = fs_sqrt_f64(x, rare);
    c.wrong += !rare && !qt_f64_same(y, sqrt(x));
    c.wrong += qt_f64_ulps(fs_log_f64(x), log((qt_exact)x)) > 4.0f;
    c.wrong += qt_f64_ulps(fs_exp_f64(x), exp((qt_exact)x)) > 4.0f &&
               !qt_f64_same(fs_exp_f64(x), exp(x));
    c.wrong += qt_f64_ulps(fs_erf_f64(x, fs_erf_words), erf((qt_exact)x)) > 3.0f;
  }
  for (int k = 0; k < 32; k++)
    for (int which = 0; which < 5; which++) {
      qt_count one = {0, 0, 0};
      if (which == 0 || which > 2)
        qt_one(which, 0, __float_as_uint(qt_special(k)), one);
      c.wrong += one.wrong + (__uint_as_float(one.worst) > 3.0f);
    }
}

#ifdef __CUDACC__
__global__ void qt_run(int which, qt_count *out) {
  qt_count c = {0, 0, 0};
  const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
  const unsigned long long begin = blockIdx.x * (unsigned long long)blockDim.x;
  if (which == 5) {
    if (begin + threadIdx.x == 0) qt_specials(c);
  } else {
    for (unsigned long long k = begin + threadIdx.x; k < 1ull << 32; k += step)
      qt_one(which, k, (unsigned)k, c);
  }
  atomicAdd(&out->wrong, c.wrong);
  atomicAdd(&out->rare, c.rare);
  atomicMax(&out->worst, c.worst);
}
static void qt_check(int which, qt_count *c) {
  qt_count *on;
  cudaMallocManaged(&on, sizeof *on);
  *on = *c;
  qt_run<<<2048, 256>>>(which, on);
  if (cudaDeviceSynchronize() != cudaSuccess) on->wrong++;
  *c = *on;
}
#else
static void qt_check(int which, qt_count *c) {
  if (which == 5) {
    qt_specials(*c);
    return;
  }
  const bool two = which < 7 || which > 15;
  for (unsigned long long k = 0; k < 1ull << 32; k += two ? 1021 : 65536)
    qt_one(which, k, (unsigned)k, *c);
}
#endif

int main() {
  static const char *const names[] = {"sqrt", "div", "div of mantissas", "log",
                                      "erf", "special values", "bf16 div",
                                      "bf16 sqrt", "bf16 log", "bf16 exp",
                                      "bf16 erf",  "f64 div",  "f64 sqrt",
                                      "f64 log",   "f64 exp",  "f64 erf",
                                      "bf16 pairs", "pow"};
  const float most[] = {0,     0,     0,     1.5f, 3.0f, 0,    0,    0,
                        0.52f, 0.51f, 0.59f, 0,    0,    3.0f, 1.5f, 1.7f, 0,    3.5f};
  const float slack = sizeof(qt_exact) > 8 ? 0.0f : 2.0f;  // of the device's own
  for (int which = 0; which < 18; which++) {
    qt_count c = {0, 0, 0};
    qt_check(which, &c);
    printf("%s %s: %llu wrong\n", c.wrong ? "no" : "ok", names[which], c.wrong);
    if (which != 4 && which != 5 && which != 9 && which != 10 && which != 15)
      printf("%s %s: %llu ordinary operands go the long way\n",
             c.rare ? "no" : "ok", names[which], c.rare);
    float ulps;
    memcpy(&ulps, &c.worst, sizeof ulps);
    if (most[which] > 0)
      printf("%s %s: within %.3f ulp\n",
             ulps <= most[which] + (which > 10 ? slack : 0) ? "ok" : "no",
             names[which], ulps);
  }
  return 0;
}
