// fourier.cuh - Fourier transforms of lines within an instance of a kernel.

//@ fs_complex
template <typename T>
struct fs_complex {
  T re, im;
};
template <typename T>
__device__ __forceinline__ fs_complex<T> fs_complex_plus(fs_complex<T> a, fs_complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <typename T>
__device__ __forceinline__ fs_complex<T> fs_complex_minus(fs_complex<T> a, fs_complex<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <typename T>
__device__ __forceinline__ fs_complex<T> fs_complex_times(fs_complex<T> a, fs_complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// a + s*b and a + s*i*b
template <typename T>
__device__ __forceinline__ fs_complex<T> fs_complex_along(fs_complex<T> a, fs_complex<T> b, T s) {
  return {a.re + s * b.re, a.im + s * b.im};
}
template <typename T>
__device__ __forceinline__ fs_complex<T> fs_complex_across(fs_complex<T> a, fs_complex<T> b, T s) {
  return {a.re - s * b.im, a.im + s * b.re};
}

//@ fs_fourier_few
// The transform of a few numbers in registers.
template <int R, typename T>
__device__ __forceinline__ void fs_fourier_few(fs_complex<T> (&x)[R]) {
  if constexpr (R == 2) {
    const fs_complex<T> a = x[0];
    x[0] = fs_complex_plus(a, x[1]);
    x[1] = fs_complex_minus(a, x[1]);
  } else if constexpr (R == 3) {
    const fs_complex<T> sum = fs_complex_plus(x[1], x[2]), diff = fs_complex_minus(x[1], x[2]);
    const fs_complex<T> mid = fs_complex_along(x[0], sum, (T)-0.5);
    x[0] = fs_complex_plus(x[0], sum);
    x[1] = fs_complex_across(mid, diff, (T)-0.86602540378443864676);
    x[2] = fs_complex_across(mid, diff, (T)0.86602540378443864676);
  } else if constexpr (R == 4) {
    const fs_complex<T> p = fs_complex_plus(x[0], x[2]), m = fs_complex_minus(x[0], x[2]);
    const fs_complex<T> q = fs_complex_plus(x[1], x[3]), d = fs_complex_minus(x[1], x[3]);
    x[0] = fs_complex_plus(p, q);
    x[1] = {m.re + d.im, m.im - d.re};
    x[2] = fs_complex_minus(p, q);
    x[3] = {m.re - d.im, m.im + d.re};
  } else if constexpr (R == 8) {
    fs_complex<T> even[4] = {x[0], x[2], x[4], x[6]}, odd[4] = {x[1], x[3], x[5], x[7]};
    fs_fourier_few<4>(even);
    fs_fourier_few<4>(odd);
    const T h = (T)0.70710678118654752440;
    odd[1] = {h * (odd[1].re + odd[1].im), h * (odd[1].im - odd[1].re)};
    odd[2] = {odd[2].im, -odd[2].re};
    odd[3] = {h * (odd[3].im - odd[3].re), -h * (odd[3].re + odd[3].im)};
#pragma unroll
    for (int j = 0; j < 4; j++) {
      x[j] = fs_complex_plus(even[j], odd[j]);
      x[j + 4] = fs_complex_minus(even[j], odd[j]);
    }
  } else if constexpr (R == 16) {
    const T c = (T)0.92387953251128675613, s = (T)0.38268343236508977173;
    const T h = (T)0.70710678118654752440;
    const fs_complex<T> w[10] = {{1, 0},   {c, -s},  {h, -h}, {s, -c},  {0, -1},
                                 {-s, -c}, {-h, -h}, {-c, -s}, {-1, 0}, {-c, s}};
    fs_complex<T> y[4][4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
#pragma unroll
      for (int j = 0; j < 4; j++) y[k][j] = x[k + 4 * j];
      fs_fourier_few<4>(y[k]);
#pragma unroll
      for (int j = 1; k && j < 4; j++) y[k][j] = fs_complex_times(y[k][j], w[k * j]);
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
      fs_complex<T> z[4] = {y[0][j], y[1][j], y[2][j], y[3][j]};
      fs_fourier_few<4>(z);
#pragma unroll
      for (int k = 0; k < 4; k++) x[j + 4 * k] = z[k];
    }
  } else if constexpr (R == 5) {
    const T c1 = (T)0.30901699437494742410, c2 = (T)-0.80901699437494742410;
    const T s1 = (T)0.95105651629515357212, s2 = (T)0.58778525229247312917;
    const fs_complex<T> t1 = fs_complex_plus(x[1], x[4]), t2 = fs_complex_plus(x[2], x[3]);
    const fs_complex<T> d1 = fs_complex_minus(x[1], x[4]), d2 = fs_complex_minus(x[2], x[3]);
    const fs_complex<T> a = fs_complex_along(fs_complex_along(x[0], t1, c1), t2, c2);
    const fs_complex<T> b = fs_complex_along(fs_complex_along(x[0], t1, c2), t2, c1);
    const fs_complex<T> u = {s1 * d1.re + s2 * d2.re, s1 * d1.im + s2 * d2.im};
    const fs_complex<T> v = {s2 * d1.re - s1 * d2.re, s2 * d1.im - s1 * d2.im};
    x[0] = fs_complex_plus(x[0], fs_complex_plus(t1, t2));
    x[1] = fs_complex_across(a, u, (T)-1);
    x[2] = fs_complex_across(b, v, (T)-1);
    x[3] = fs_complex_across(b, v, (T)1);
    x[4] = fs_complex_across(a, u, (T)1);
  }
}

//@ fs_circle fs_roots
// exp(-2 pi i k/N), k < N, in a device's memory: from within an eighth of the circle, where the
// series of sine and cosine end early.
template <int N, typename T>
struct fs_circle {
  fs_complex<T> at[N];
  constexpr fs_circle() : at() {
    for (long long k = 0; k < N; k++) {
      long long t = 8 * k;
      const bool below = t > 4 * N;
      if (below) t = 8 * N - t;
      const bool left = t > 2 * N;
      if (left) t = 4 * N - t;
      const bool steep = t > N;
      if (steep) t = 2 * N - t;
      const double angle = 0.78539816339744830962 * (double)t / N, z = -angle * angle;
      double c = 1, s = 1;
      for (int i = 18; i > 0; i -= 2) {
        c = 1 + c * z / (i * (i - 1));
        s = 1 + s * z / (i * (i + 1));
      }
      s *= angle;
      if (t == N) c = s = 0.70710678118654752440;
      const double x = steep ? s : c, y = steep ? c : s;
      at[k].re = (T)(left ? -x : x);
      at[k].im = (T)(below ? y : -y);
    }
  }
};
template <int N, typename T>
__device__ const fs_circle<N, T> fs_roots{};

//@ fs_fourier_line
// The transform of a line of N numbers, which take(k) gives, by LANES threads, to give(k, z): in
// passes of R numbers and MORE, as elemlib/cpu/fourier.c has them. Of what is left of the line, RUN
// transforms stand side by side, and some numbers of each go through a thread's registers. Between
// passes the parts of numbers are in x and y, of N + N/32 places, so that threads side by side meet
// different banks; wait() waits for the line's threads.
__device__ __forceinline__ constexpr int fs_fourier_spot(int at) { return at + at / 32; }
template <int N, int LANES, int RUN, int R, int... MORE, typename T, class TAKE, class GIVE,
          class WAIT>
__device__ __forceinline__ void fs_fourier_line(const TAKE &take, const GIVE &give,
                                                const WAIT &wait, T *x, T *y, int lane) {
  constexpr int SHARE = N / R, EACH = (SHARE + LANES - 1) / LANES;
  constexpr bool FIRST = RUN == 1, LAST = sizeof...(MORE) == 0;
  fs_complex<T> z[EACH][R];
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    const int v = lane + i * LANES;
    if (SHARE % LANES && v >= SHARE) continue;
#pragma unroll
    for (int j = 0; j < R; j++) {
      const int at = v + j * SHARE;
      if constexpr (FIRST) z[i][j] = take(at);
      else z[i][j] = {x[fs_fourier_spot(at)], y[fs_fourier_spot(at)]};
    }
  }
  if constexpr (!FIRST && !LAST) wait();
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    const int v = lane + i * LANES;
    if (SHARE % LANES && v >= SHARE) continue;
    const int turn = v / RUN * RUN, begins = v - turn + turn * R;
    fs_fourier_few<R>(z[i]);
#pragma unroll
    for (int j = 0; j < R; j++) {
      const int at = begins + j * RUN;
      if constexpr (LAST) {
        give(at, z[i][j]);
      } else {
        fs_complex<T> w = z[i][j];
        if (j && turn) w = fs_complex_times(w, fs_roots<N, T>.at[turn * j]);
        x[fs_fourier_spot(at)] = w.re;
        y[fs_fourier_spot(at)] = w.im;
      }
    }
  }
  if constexpr (!LAST) {
    wait();
    fs_fourier_line<N, LANES, RUN * R, MORE...>(take, give, wait, x, y, lane);
  }
}
