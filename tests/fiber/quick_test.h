// quick_test.h - stands behind elemlib/cuda/quick.cuh: tests/test_quick.py.
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

// Operand number k of check number `which`; adds to c.
__device__ static void qt_one(int which, unsigned long long k, unsigned bits,
                              qt_count &c) {
  const float x = __uint_as_float(bits);
  bool rare = false, ordinary = qt_ordinary(x);
  float ulps = 0;
  if (which == 0) {
    const float y = fs_sqrt(x, rare);
    ordinary &= x > 0;
    c.wrong += !rare && !qt_same(y, sqrtf(x));
    c.wrong += !qt_same(fs_sqrt(x), sqrtf(x));
  } else if (which <= 2) {  // any two floats; two of neighbouring exponents
    const unsigned other = qt_mix(k);
    const float a = which == 1 ? x : __uint_as_float((bits & 0x807fffffu) | 0x3f800000u);
    const float b = __uint_as_float(which == 1 ? other
                                    : (other & 0x807fffffu) | 0x3f800000u);
    const float y = fs_div(a, b, rare), z = a / b;
    ordinary = qt_ordinary(a) && qt_ordinary(b) && qt_ordinary(z);
    c.wrong += !rare && !qt_same(y, z);
    c.wrong += !qt_same(fs_div(a, b), z);
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

__device__ static void qt_specials(qt_count &c) {
  for (int k = 0; k < 32 * 32; k++) {
    const float a = qt_special(k / 32), b = qt_special(k % 32);
    bool rare = false;
    const float q = fs_div(a, b, rare);
    c.wrong += (!rare && !qt_same(q, a / b)) || !qt_same(fs_div(a, b), a / b);
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
  for (unsigned long long k = 0; k < 1ull << 32; k += 1021)
    qt_one(which, k, (unsigned)k, *c);
}
#endif

int main() {
  static const char *const names[] = {"sqrt", "div", "div of mantissas", "log",
                                      "erf", "special values"};
  const float most[] = {0, 0, 0, 1.5f, 3.0f, 0};
  for (int which = 0; which < 6; which++) {
    qt_count c = {0, 0, 0};
    qt_check(which, &c);
    printf("%s %s: %llu wrong\n", c.wrong ? "no" : "ok", names[which], c.wrong);
    if (which < 4)
      printf("%s %s: %llu ordinary operands go the long way\n",
             c.rare ? "no" : "ok", names[which], c.rare);
    float ulps;
    memcpy(&ulps, &c.worst, sizeof ulps);
    if (most[which] > 0)
      printf("%s %s: within %.3f ulp\n", ulps <= most[which] ? "ok" : "no",
             names[which], ulps);
  }
  return 0;
}
