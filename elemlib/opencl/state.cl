// state.cl - states of reductions that have several fields, in OpenCL C. The fields, and how
// elements join them, the emitter makes of core/graph/reductions.def.

//@ fs_spot T
// A value, and where it is.
typedef struct {
  T value;
  fs_index at;
} fs_spot_$T;

//@ fs_place_if T
// Where x is, if its value is the best one or NaN, which then is the best one; else behind all
// places.
FS_INLINE fs_index fs_place_if_$T(fs_spot_$T x, T best) {
  const fs_index last = sizeof(fs_index) == 8 ? (fs_index)0x7fffffffffffffffL : 0x7fffffff;
  return x.value == best || x.value != x.value ? x.at : last;
}

//@ fs_earlier
FS_INLINE fs_index fs_earlier(fs_index a, fs_index b) { return b < a ? b : a; }

//@ fs_first_largest_of_spot T
// The better one; of two that are the same, or NaN, the earlier one.
FS_INLINE fs_spot_$T fs_first_largest_of_spot_$T(fs_spot_$T a, fs_spot_$T b) {
  const T best = fs_max_$T(a.value, b.value);
  return (fs_spot_$T){best, fs_earlier(fs_place_if_$T(a, best), fs_place_if_$T(b, best))};
}

//@ fs_first_smallest_of_spot T
FS_INLINE fs_spot_$T fs_first_smallest_of_spot_$T(fs_spot_$T a, fs_spot_$T b) {
  const T best = fs_min_$T(a.value, b.value);
  return (fs_spot_$T){best, fs_earlier(fs_place_if_$T(a, best), fs_place_if_$T(b, best))};
}

//@ fs_finite T:f64
// x, as the largest or the least finite number if it is infinite.
FS_INLINE double fs_finite_f64(double x) {
  return fmin(fmax(x, -0x1.fffffffffffffp1023), 0x1.fffffffffffffp1023);
}

//@ fs_finite T
FS_INLINE float fs_finite_$T(float x) {
  return fmin(fmax(x, -0x1.fffffep127f), 0x1.fffffep127f);
}

//@ fs_power_of_e T
FS_INLINE T fs_power_of_e_$T(T x) { return exp(x); }

//@ fs_log_of T
FS_INLINE T fs_log_of_$T(T x) { return log(x); }
