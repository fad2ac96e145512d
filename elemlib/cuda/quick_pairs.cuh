// quick_pairs.cuh - functions of quick_bf16.cuh of two neighbours in a register, with
// the same results. In place of a flag for each element, the extremes of both are
// kept, by one instruction: the least and the largest magnitude of what is divided by,
// and the lowest of what must be positive.

//@ fs_extremes
struct fs_extremes {
  fs_pair<fs_bf16> least = {0x7f807f80u}, lowest = {0x7f807f80u};  // infinite
  fs_pair<fs_bf16> largest = {0};
};

//@ fs_note_divisor
// NaN stays; the signs of what is kept mean nothing.
__device__ __forceinline__ void fs_note_divisor(fs_extremes &seen,
                                                fs_pair<fs_bf16> x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 860
  asm("min.NaN.xorsign.abs.bf16x2 %0, %0, %1;" : "+r"(seen.least.bits) : "r"(x.bits));
  asm("max.NaN.xorsign.abs.bf16x2 %0, %0, %1;" : "+r"(seen.largest.bits) : "r"(x.bits));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned bits = x.bits & 0x7fff7fffu;
  asm("min.NaN.bf16x2 %0, %0, %1;" : "+r"(seen.least.bits) : "r"(bits));
  asm("max.NaN.bf16x2 %0, %0, %1;" : "+r"(seen.largest.bits) : "r"(bits));
#else
  for (int h = 0; h < 2; h++) {
    const float a = fabsf(fs_half(seen.least, h)), b = fabsf(fs_half(x, h));
    const float c = fabsf(fs_half(seen.largest, h));
    if (!(a <= b)) fs_set_half(seen.least, h, fs_to_bf16(a != a ? a : b));
    if (!(c >= b)) fs_set_half(seen.largest, h, fs_to_bf16(c != c ? c : b));
  }
#endif
}

//@ fs_note_lowest
__device__ __forceinline__ void fs_note_lowest(fs_extremes &seen,
                                               fs_pair<fs_bf16> x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("min.NaN.bf16x2 %0, %0, %1;" : "+r"(seen.lowest.bits) : "r"(x.bits));
#else
  for (int h = 0; h < 2; h++) {
    const float a = fs_half(seen.lowest, h), b = fs_half(x, h);
    if (!(a <= b)) fs_set_half(seen.lowest, h, fs_to_bf16(a != a ? a : b));
  }
#endif
}

//@ fs_is_rare
// Whether an operand was one that the short ways are not made for.
__device__ __forceinline__ bool fs_is_rare(const fs_extremes &seen) {
  fs_extremes all = {{0x7f807f80u}, {seen.least.bits & 0x7fff7fffu}, {0}};
  fs_note_lowest(all, seen.lowest);
  bool common = true;
  for (int h = 0; h < 2; h++)
    common &= (fs_half(all.lowest, h) >= 0x1p-126f) &
              (fabsf(fs_half(seen.largest, h)) <= 0x1p126f);
  return !common;
}

//@ fs_div_two
// By a divisor whose reciprocal the device's instruction does not lose. Quotients may
// be 0, infinite or subnormal: even there one that is not halfway between two numbers
// of bf16 is 2^-9 of their distance away from it.
__device__ __forceinline__ fs_pair<fs_bf16> fs_div_two(fs_pair<fs_bf16> a,
                                                       fs_pair<fs_bf16> b,
                                                       fs_extremes &seen) {
  fs_note_divisor(seen, b);
  return fs_two<fs_bf16>(fs_half(a, 0) * fs_reciprocal(fs_half(b, 0)),
                         fs_half(a, 1) * fs_reciprocal(fs_half(b, 1)));
}
__device__ __forceinline__ fs_pair<fs_bf16> fs_div_two(fs_pair<fs_bf16> a, float b,
                                                       fs_extremes &seen) {
  return fs_div_two(a, fs_both<fs_bf16>(b), seen);
}
__device__ __forceinline__ fs_pair<fs_bf16> fs_div_two(float a, fs_pair<fs_bf16> b,
                                                       fs_extremes &seen) {
  return fs_div_two(fs_both<fs_bf16>(a), b, seen);
}

//@ fs_sqrt_two
__device__ __forceinline__ fs_pair<fs_bf16> fs_sqrt_two(fs_pair<fs_bf16> x,
                                                        fs_extremes &seen) {
  fs_note_lowest(seen, x);
  return fs_two<fs_bf16>(fs_sqrt_approx(fs_half(x, 0)),
                         fs_sqrt_approx(fs_half(x, 1)));
}

//@ fs_log_two
__device__ __forceinline__ fs_pair<fs_bf16> fs_log_two(fs_pair<fs_bf16> x,
                                                       fs_extremes &seen) {
  fs_note_lowest(seen, x);
  return fs_two<fs_bf16>(0.69314718f * fs_log2_approx(fs_half(x, 0)),
                         0.69314718f * fs_log2_approx(fs_half(x, 1)));
}

//@ fs_erf_two
// What is near enough is made so for both.
__device__ __forceinline__ fs_pair<fs_bf16> fs_erf_two(fs_pair<fs_bf16> x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 860
  asm("min.NaN.xorsign.abs.bf16x2 %0, %0, %1;" : "+r"(x.bits) : "r"(0x40104010u));
  return fs_two<fs_bf16>(fs_erf_near(fs_half(x, 0)), fs_erf_near(fs_half(x, 1)));
#else
  return fs_two<fs_bf16>(fs_erf_bf16(fs_half(x, 0)), fs_erf_bf16(fs_half(x, 1)));
#endif
}

//@ fs_rsqrt_two
// Correctly rounded: those of numbers of 8 bits are further than 2^-18 from where the
// rounding changes, too.
__device__ __forceinline__ fs_pair<fs_bf16> fs_rsqrt_two(fs_pair<fs_bf16> x,
                                                         fs_extremes &seen) {
  fs_note_lowest(seen, x);
  return fs_two<fs_bf16>(fs_rsqrt_approx(fs_half(x, 0)),
                         fs_rsqrt_approx(fs_half(x, 1)));
}
