// fiber.h - runs CUDA C on a host: every thread of every block is a fiber.
//
// Test only. Standing before an emitted kernel text, it lets a C++ compiler of
// the host build that text unmodified. Fibers switch where the device's threads
// wait for each other: barriers, shuffles, polling. All blocks are alive at once,
// so grid barriers work; shared memory is one section of the program that is
// exchanged when another block's fibers run. Threads that wait for ever are
// found and reported. x86-64 switches by hand, other machines by ucontext.
//
// The compiler reads this for each of thousands of texts. So it is short: the fibers
// themselves are in fiber.cc, compiled once, and of the host's headers come those of C
// alone, since <cmath> is ten times as long as all of this.
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS

#define FS_ON_HOST
#define FIBER_EXPORT __attribute__((visibility("default")))
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __constant__ static
#define __shared__ static __attribute__((section("fiber_shared")))

struct fiber_dim3 {
  unsigned x, y, z;
};

#pragma GCC visibility push(hidden)

// -- fibers (fiber.cc) --------------------------------------------------------------

extern fiber_dim3 threadIdx, blockIdx, blockDim, gridDim;
extern "C" char __start_fiber_shared[], __stop_fiber_shared[];

// Runs a grid; 0, or -1 when threads wait for ever.
int fiber_launch_grid(const fiber_dim3 &grid, const fiber_dim3 &block, size_t dynamic,
                      void (*entry)(void *), void *argument);
unsigned char *fiber_dynamic();
// What lane `from` of this warp gives as *x, of `size` bytes, goes to *x.
void fiber_exchange(void *x, size_t size, unsigned from);
// Waiting for what others do.
void __nanosleep(unsigned);
// All threads of a block; whether x of one of them is not 0.
int __syncthreads_or(int x);
// The lanes of the mask wait for each other; groups of lanes do not overlap.
void __syncwarp(unsigned mask = ~0u);
unsigned __ballot_sync(unsigned, int x);
int __all_sync(unsigned, int x);
// All threads of `size` neighbouring blocks wait for each other.
void fiber_cluster_barrier(unsigned size);
// Into the shared memory of another block, which lies aside while this one runs.
void fiber_cluster_put(void *to, const void *from, size_t bytes, unsigned block);
// An mbarrier: bytes still to come, then arrivals still to come, arrivals of a
// phase, and the phase.
void fiber_mbarrier_init(unsigned long long *bar, int arrivals);
void fiber_mbarrier_step(unsigned long long *bar, int bytes, int arrivals);
// May come before the barrier expects it: its bytes are owed until then.
void fiber_cluster_send(void *to, const void *from, size_t bytes, unsigned long long *bar,
                        unsigned block);
// The words of a map as tests/fake/driver.c packs them: base, columns, rows, bytes
// from row to row, columns and rows of the box, bytes of an element.
void fiber_tensor_copy(void *to, const unsigned long long *map, int column, int row,
                       unsigned long long *bar);

// -- what the device offers ---------------------------------------------------------

static void __syncthreads() { __syncthreads_or(0); }

template <typename T>
static T fiber_shuffle(T x, unsigned from) {
  fiber_exchange(&x, sizeof x, from);
  return x;
}
template <typename T>
static T __shfl_xor_sync(unsigned, T x, int lane_mask) {
  return fiber_shuffle(x, threadIdx.x % 32 ^ (unsigned)lane_mask);
}
template <typename T>
static T __shfl_sync(unsigned, T x, int from, int width) {
  const unsigned lane = threadIdx.x % 32;
  return fiber_shuffle(x, lane - lane % (unsigned)width + (unsigned)(from % width));
}
static void __threadfence() {}

template <typename T>
static T atomicAdd(T *p, T x) {
  const T old = *p;
  *p += x;
  return old;
}
template <typename T>
static T atomicMin(T *p, T x) {
  const T old = *p;
  if (x < old) *p = x;
  return old;
}
template <typename T>
static T atomicMax(T *p, T x) {
  const T old = *p;
  if (x > old) *p = x;
  return old;
}
static int atomicOr(int *p, int x) {
  const int old = *p;
  *p |= x;
  return old;
}

// <math.h> has them for double; C++ and CUDA choose by the type.
template <typename T>
struct fiber_whole {};
#define FIBER_WHOLE(type) \
  template <>             \
  struct fiber_whole<type> { using in = double; };
FIBER_WHOLE(int) FIBER_WHOLE(unsigned) FIBER_WHOLE(long) FIBER_WHOLE(unsigned long)
FIBER_WHOLE(long long) FIBER_WHOLE(unsigned long long)
#define FIBER_MATH(name)                                                   \
  static float name(float x) { return name##f(x); }                        \
  static long double name(long double x) { return name##l(x); }            \
  template <typename T>                                                    \
  static typename fiber_whole<T>::in name(T x) { return name((double)x); }
FIBER_MATH(acos) FIBER_MATH(acosh) FIBER_MATH(asin) FIBER_MATH(asinh) FIBER_MATH(atan)
FIBER_MATH(atanh) FIBER_MATH(cbrt) FIBER_MATH(ceil) FIBER_MATH(cos) FIBER_MATH(cosh)
FIBER_MATH(erf) FIBER_MATH(erfc) FIBER_MATH(exp) FIBER_MATH(exp2) FIBER_MATH(expm1)
FIBER_MATH(fabs) FIBER_MATH(floor) FIBER_MATH(lgamma) FIBER_MATH(log) FIBER_MATH(log10)
FIBER_MATH(log1p) FIBER_MATH(log2) FIBER_MATH(rint) FIBER_MATH(round) FIBER_MATH(sin)
FIBER_MATH(sinh) FIBER_MATH(sqrt) FIBER_MATH(tan) FIBER_MATH(tanh) FIBER_MATH(tgamma)
FIBER_MATH(trunc)
#define FIBER_MATH_2(name) \
  static float name(float x, float y) { return name##f(x, y); }
FIBER_MATH_2(atan2) FIBER_MATH_2(copysign) FIBER_MATH_2(fmax) FIBER_MATH_2(fmin)
FIBER_MATH_2(fmod) FIBER_MATH_2(hypot) FIBER_MATH_2(pow)
static float fma(float x, float y, float z) { return fmaf(x, y, z); }
static float ldexp(float x, int y) { return ldexpf(x, y); }
static float abs(float x) { return fabsf(x); }
static double abs(double x) { return fabs(x); }
static long long abs(long long x) { return llabs(x); }
#undef isnan
#undef isinf
#undef isfinite
#undef signbit
template <typename T>
static bool isnan(T x) { return __builtin_isnan(x); }
template <typename T>
static bool isinf(T x) { return __builtin_isinf(x); }
template <typename T>
static bool isfinite(T x) { return __builtin_isfinite(x); }
template <typename T>
static bool signbit(T x) { return __builtin_signbit(x); }

// What kernels of users call besides.
#define __expf expf
#define __logf logf
#define rsqrtf(x) (1.0f / sqrtf(x))
static float __fdividef(float a, float b) { return a / b; }
template <typename T>
static T max(T a, T b) { return a < b ? b : a; }
template <typename T>
static T min(T a, T b) { return b < a ? b : a; }

template <typename To, typename From>
static To fiber_bits(From x) {
  To y;
  memcpy(&y, &x, sizeof y);
  return y;
}
static float __uint_as_float(unsigned x) { return fiber_bits<float>(x); }
static float __int_as_float(int x) { return fiber_bits<float>(x); }
static int __double2hiint(double x) { return (int)(fiber_bits<int64_t>(x) >> 32); }
static int __double2loint(double x) { return (int)fiber_bits<int64_t>(x); }
static double __hiloint2double(int high, int low) {
  return fiber_bits<double>((int64_t)high << 32 | (unsigned)low);
}
static int __float_as_int(float x) { return fiber_bits<int>(x); }
static unsigned __umulhi(unsigned x, unsigned y) {
  return (unsigned)((unsigned long long)x * y >> 32);
}
static unsigned __float_as_uint(float x) { return fiber_bits<unsigned>(x); }
static double __longlong_as_double(long long x) { return fiber_bits<double>(x); }
static long long __double_as_longlong(double x) { return fiber_bits<long long>(x); }
static int __popc(unsigned x) { return __builtin_popcount(x); }

template <class I, class F>
static I fiber_saturate(F x) {
  const I least = (I)1 << (8 * sizeof(I) - 1);
  if (x != x) return sizeof(I) == 8 || sizeof(F) == 8 ? least : 0;
  if (x >= -(F)least) return ~least;
  return x < (F)least ? least : (I)x;
}
static int __float2int_rz(float x) { return fiber_saturate<int>(x); }
static int __double2int_rz(double x) { return fiber_saturate<int>(x); }
static long long __float2ll_rz(float x) { return fiber_saturate<long long>(x); }
static long long __double2ll_rz(double x) { return fiber_saturate<long long>(x); }
template <class F>
static unsigned long long fiber_saturate_whole(F x) {  // of NaN what is not asked for
  if (!(x > 0)) return x != x ? 1ull << 63 : 0;
  return x >= (F)18446744073709551616.0 ? ~0ull : (unsigned long long)x;
}
static unsigned long long __float2ull_rz(float x) { return fiber_saturate_whole(x); }
static unsigned long long __double2ull_rz(double x) { return fiber_saturate_whole(x); }
static size_t __cvta_generic_to_shared(const void *p) { return (size_t)p; }
// A bulk copy comes at once: whoever is not done with the old bytes will show.
// Of *ready, the low half counts bytes still to come, the high half phases.
static void fiber_bulk_copy(void *to, const void *from, unsigned bytes,
                            unsigned long long *ready) {
  memcpy(to, from, bytes);
  *ready -= bytes;
  if ((unsigned)*ready == 0) *ready += 1ull << 32;
}

static void fiber_mbarrier_arrive(unsigned long long *bar, unsigned bytes) {
  fiber_mbarrier_step(bar, (int)bytes, 1);
}
static bool fiber_mbarrier_test(unsigned long long *bar, unsigned parity) {
  return (*bar >> 56 & 1) != parity;
}
static int fiber_launch(unsigned blocks, unsigned threads, size_t dynamic,
                        void (*entry)(void *), void *argument) {
  return fiber_launch_grid({blocks, 1, 1}, {threads, 1, 1}, dynamic, entry, argument);
}

// Calls a kernel by what a driver has of it: pointers to its arguments.
template <typename... A>
struct fiber_bound {
  fiber_bound(void (*f)(A...), A... a) { f(a...); }
};
template <typename... A>
static void fiber_call(void (*f)(A...), void **args) {
  fiber_bound<A...>{f, *(A *)*args++...};  // from left to right, as in all braces
}

#pragma GCC visibility pop
