// quick_bf16.cuh - functions of bf16. What they give is rounded to 8 bits, so that the
// device's approximations of f32, good to 22, are all that is needed: before the
// rounding every result is within 2^-14 of the exact one (log next to 1: 2^-13; erf:
// 2^-11).
// Quotients and roots are correctly rounded ones: those of numbers of 8 bits are
// further than 2^-18 from where the rounding changes. `rare` as in quick.cuh:
// operands that the approximations are not made for.

//@ fs_exp2_approx
// 2^x within 2^-22; 0 in place of subnormal results.
__device__ __forceinline__ float fs_exp2_approx(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return exp2f(x);
#endif
}

//@ fs_div_bf16
// By a divisor whose reciprocal is not lost, as fs_div_two(): any a will do. The product
// with r makes NaN of a quotient by what is too small, and takes no sign from 0.
__device__ __forceinline__ float fs_div_bf16(float a, float b, bool &rare) {
  const float r = fs_reciprocal(b), q = fmaf(a, r, -0.0f * fabsf(r));
  rare |= !(fabsf(r) >= 0x1p-126f) | (q != q);
  return q;
}

//@ fs_sqrt_approx
__device__ __forceinline__ float fs_sqrt_approx(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return sqrtf(x);
#endif
}

//@ fs_rsqrt_approx
__device__ __forceinline__ float fs_rsqrt_approx(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1.0f / sqrtf(x);
#endif
}

//@ fs_log2_approx
__device__ __forceinline__ float fs_log2_approx(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return log2f(x);
#endif
}

//@ fs_sqrt_bf16
__device__ __forceinline__ float fs_sqrt_bf16(float x, bool &rare) {
  rare |= !(x >= 0x1p-126f);
  return fs_sqrt_approx(x);
}

//@ fs_log_bf16
__device__ __forceinline__ float fs_log_bf16(float x, bool &rare) {
  rare |= !(x >= 0x1p-126f);
  return 0.69314718f * fs_log2_approx(x);
}
__device__ __forceinline__ float fs_log_bf16(float x) {
  bool rare = false;
  const float y = fs_log_bf16(x, rare);
  return rare ? logf(x) : y;
}

//@ fs_exp_bf16
// The square of half the power: subnormal results are not lost.
__device__ __forceinline__ float fs_exp_bf16(float x) {
  const float y = fs_exp2_approx(0.72134752f * x);
  return y * y;
}

//@ fs_erf_near
// Up to 2.25, where it is rounded to 1: x times a minimax polynomial of x^2, within
// 2^-11.2. Below 2^-9 it is rounded to what 1155/1024 times x is (fs_erf_looked_up()).
__device__ __forceinline__ float fs_erf_near(float x) {
  const float z = x * x;
  float p = -8.80234802e-05f;
  p = fmaf(p, z, 1.9797904e-3f);
  p = fmaf(p, z, -1.88558381e-2f);
  p = fmaf(p, z, 0.10275124f);
  p = fmaf(p, z, -0.371079803f);
  p = fmaf(p, z, 1.12792969f);
  return p * x;
}

//@ fs_erf_bf16
__device__ __forceinline__ float fs_erf_bf16(float x) {
  return fs_erf_near(fabsf(x) > 2.25f ? copysignf(2.25f, x) : x);
}
