// fourier.cuh - Fourier transforms along lines, pieces of programs as library.cuh has them.

//@ fs_fourier_lines
// Fourier transforms along lines of FS_LENGTH numbers: what is read of a line's two parts as the
// complex numbers that are transformed forwards, and what becomes of these. FS_OP: 0 fft, 1 rfft,
// 2 irfft; FS_REAL: there are no imaginary parts; FS_DIVIDED: by the length; FS_NEAR: numbers of a
// line are neighbours, and there are as many as are taken.
struct fs_fourier_args {
  fs_long n, taken, parts;  // length; numbers of it that there are; real parts of a result
  fs_long count, step_re, step_im, step_to;
  fs_long dim[5], re_stride[5], im_stride[5], to_stride[5];
  int lines_first;  // threads side by side read neighbouring lines
};
// Where a line begins.
struct fs_fourier_at {
  fs_long re, im, to;
};

__device__ __forceinline__ fs_fourier_at fs_fourier_line(const fs_fourier_args &a, fs_long line) {
  fs_fourier_at at = {0, 0, 0};
#pragma unroll
  for (int k = 4; k >= 0; k--) {
    if (a.dim[k] == 1) continue;
    const fs_long up = line / a.dim[k], i = line - up * a.dim[k];
    at.re += i * a.re_stride[k];
    at.im += i * a.im_stride[k];
    at.to += i * a.to_stride[k];
    line = up;
  }
  return at;
}

// Number e. Half a transform is mirrored, its parts are exchanged, and its first number and, of an
// even length, its last are real.
template <typename T>
__device__ __forceinline__ fs_complex<T> fs_fourier_take(const T *re, const T *im,
                                                         const fs_fourier_args &a,
                                                         const fs_fourier_at &at, fs_long e) {
  const bool half = FS_OP == 2, mirrored = half && 2 * e > FS_LENGTH;
  const fs_long k = mirrored ? FS_LENGTH - e : e;
  fs_complex<T> z = {0, 0};
  const bool taken = FS_NEAR || k < a.taken;
  if (taken) z.re = re[at.re + k * (FS_NEAR ? 1 : a.step_re)];
  if (!FS_REAL && taken && !(half && (k == 0 || 2 * k == FS_LENGTH)))
    z.im = im[at.im + k * (FS_NEAR ? 1 : a.step_im)];
  if (!half) return z;
  return {mirrored ? -z.im : z.im, z.re};
}

// Number k of what is transformed; of real numbers those up to n/2, which have the others.
template <typename T>
__device__ __forceinline__ void fs_fourier_give(T *to, const fs_fourier_args &a,
                                                const fs_fourier_at &at, fs_long k,
                                                fs_complex<T> z) {
  const T n = (T)(FS_LENGTH);
  const bool real = FS_OP != 2 && FS_REAL, ends = k == 0 || 2 * k == FS_LENGTH;
  if (real && ends) z.im = 0;
  if (FS_DIVIDED) z.re /= n, z.im /= n;
  const fs_long step = FS_NEAR ? 1 : a.step_to;
  T *const line = to + at.to, *const parts = line + a.parts * step;
  if (FS_OP == 2) {
    line[k * step] = z.im;
    return;
  }
  line[k * step] = z.re;
  parts[k * step] = z.im;
  if (FS_OP || !FS_REAL || ends) return;
  line[(FS_LENGTH - k) * step] = z.re;
  parts[(FS_LENGTH - k) * step] = -z.im;
}

#define FS_GIVEN (FS_OP != 2 && (FS_OP || FS_REAL) ? FS_LENGTH / 2 + 1 : FS_LENGTH)

//@ fs_fourier_pack
// Lines as complex numbers, one line after the other.
extern "C" __global__ void fs_fourier_pack(const FS_FROM *re, const FS_FROM *im,
                                           fs_complex<FS_FROM> *to, const fs_fourier_args a) {
  for (fs_long k = fs_thread(); k < a.count * a.n; k += fs_threads()) {
    const fs_long line = a.lines_first ? k % a.count : k / a.n;
    const fs_long e = a.lines_first ? k / a.count : k % a.n;
    to[line * a.n + e] = fs_fourier_take(re, im, a, fs_fourier_line(a, line), e);
  }
}

//@ fs_fourier_unpack
extern "C" __global__ void fs_fourier_unpack(const fs_complex<FS_TO> *from, FS_TO *to,
                                             const fs_fourier_args a) {
  const fs_long given = FS_GIVEN;
  for (fs_long k = fs_thread(); k < a.count * given; k += fs_threads()) {
    const fs_long line = a.lines_first ? k % a.count : k / given;
    const fs_long e = a.lines_first ? k / a.count : k % given;
    fs_fourier_give(to, a, fs_fourier_line(a, line), e, from[line * a.n + e]);
  }
}

//@ fs_fourier
// Lines of FS_LENGTH numbers, FS_LINES of them in a block, in passes of FS_RADICES as
// elemlib/cpu/fourier.c has them: of what is left of a line, RUN transforms side by side, some
// numbers of each go through a thread's registers. The first pass reads memory and the last one
// writes it; between them numbers are in the block's own. FS_LINES_FIRST: threads side by side
// have neighbouring lines.
constexpr int FS_RADIX[] = {FS_RADICES}, FS_PASSES = sizeof FS_RADIX / sizeof *FS_RADIX;
constexpr int FS_POINTS = FS_LINES * FS_LENGTH;

// exp(-2 pi i k/n), k < n, which are made when the program is loaded.
__device__ fs_complex<FS_TO> fs_roots[FS_LENGTH];
extern "C" __global__ void fs_fourier_roots() {
  constexpr fs_long n = FS_LENGTH;
  for (fs_long k = fs_thread(); k < n; k += fs_threads()) {
    fs_long t = 8 * k;  // from within an eighth of the circle
    const bool below = t > 4 * n;
    if (below) t = 8 * n - t;
    const bool left = t > 2 * n;
    if (left) t = 4 * n - t;
    const bool steep = t > n;
    if (steep) t = 2 * n - t;
    const double angle = 0.78539816339744830962 * (double)t / (double)n;
    const double c = t == n ? 0.70710678118654752440 : cos(angle);
    const double s = t == n ? 0.70710678118654752440 : sin(angle);
    const double x = steep ? s : c, y = steep ? c : s;
    fs_roots[k] = {(FS_TO)(left ? -x : x), (FS_TO)(below ? y : -y)};
  }
}

// Where number `at` of a line lies in the block's memory: places that threads side by side want
// are in banks of their own.
__device__ __forceinline__ int fs_fourier_place(int line, int at) {
  const int place = FS_LINES_FIRST ? at * FS_LINES + line : line * FS_LENGTH + at;
  return place + place / 32;
}
// ... and number at + j*STEP, of which fs_fourier_place() gave the first.
template <int STEP>
__device__ __forceinline__ int fs_fourier_next(int place, int line, int at, int j) {
  constexpr int FAR = FS_LINES_FIRST ? STEP * FS_LINES : STEP;
  return FAR % 32 ? fs_fourier_place(line, at + j * STEP) : place + j * (FAR + FAR / 32);
}

// R numbers of the share v of a line.
template <int R, bool FIRST, typename T>
__device__ __forceinline__ void fs_fourier_bring(fs_complex<T> (&z)[R], const T *re, const T *im,
                                                 const fs_fourier_args &a,
                                                 const fs_fourier_at &begin, int line, int v,
                                                 const T *x, const T *y) {
  constexpr int SHARE = FS_LENGTH / R;
  const int first = fs_fourier_place(line, v);
#pragma unroll
  for (int j = 0; j < R; j++) {
    const int at = v + j * SHARE, place = fs_fourier_next<SHARE>(first, line, v, j);
    if constexpr (FIRST) z[j] = fs_fourier_take(re, im, a, begin, at);
    else z[j] = {x[place], y[place]};
  }
}

// What is made of them, where RUN transforms stand side by side.
template <int R, int RUN, bool LAST, typename T>
__device__ __forceinline__ void fs_fourier_put(fs_complex<T> (&z)[R], T *to,
                                               const fs_fourier_args &a, const fs_fourier_at &begin,
                                               int line, int v, T *x, T *y) {
  const int turn = v / RUN * RUN, begins = v - turn + turn * R;
  const int first = fs_fourier_place(line, begins);
  fs_fourier_few<R>(z);
#pragma unroll
  for (int j = 0; j < R; j++) {
    const int at = begins + j * RUN, place = fs_fourier_next<RUN>(first, line, begins, j);
    if constexpr (LAST) {
      if (at < FS_GIVEN) fs_fourier_give(to, a, begin, at, z[j]);
    } else {
      const fs_complex<T> w = j && turn ? fs_complex_times(z[j], fs_roots[turn * j]) : z[j];
      x[place] = w.re;
      y[place] = w.im;
    }
  }
}

template <int PASS, int RUN, typename T>
__device__ __forceinline__ void fs_fourier_passes(const T *re, const T *im, T *to,
                                                  const fs_fourier_args &a, int lines,
                                                  const fs_fourier_at *begin, T *x, T *y) {
  constexpr int R = FS_RADIX[PASS], SHARE = FS_LENGTH / R, ALL = FS_POINTS / R;
  constexpr int EACH = (ALL + FS_THREADS - 1) / FS_THREADS;
  constexpr bool FIRST = PASS == 0, LAST = PASS == FS_PASSES - 1;
  fs_complex<T> z[EACH][R];
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    const int u = (int)threadIdx.x + i * FS_THREADS;
    const int line = FS_LINES_FIRST ? u % FS_LINES : u / SHARE;
    const int v = FS_LINES_FIRST ? u / FS_LINES : u % SHARE;
    if (v < SHARE && line < lines)
      fs_fourier_bring<R, FIRST>(z[i], re, im, a, begin[line], line, v, x, y);
  }
  if (!FIRST && !LAST) __syncthreads();
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    const int u = (int)threadIdx.x + i * FS_THREADS;
    const int line = FS_LINES_FIRST ? u % FS_LINES : u / SHARE;
    const int v = FS_LINES_FIRST ? u / FS_LINES : u % SHARE;
    if (v < SHARE && line < lines)
      fs_fourier_put<R, RUN, LAST>(z[i], to, a, begin[line], line, v, x, y);
  }
  if constexpr (!LAST) {
    __syncthreads();
    fs_fourier_passes<PASS + 1, RUN * R>(re, im, to, a, lines, begin, x, y);
  }
}

extern "C" __global__ void __launch_bounds__(FS_THREADS)
    fs_fourier(const FS_FROM *re, const FS_FROM *im, FS_TO *to, const fs_fourier_args a) {
#ifdef FS_ON_HOST
  unsigned char *const fs_dynamic = fiber_dynamic();
#else
  extern __shared__ __align__(16) unsigned char fs_dynamic[];
#endif
  __shared__ fs_fourier_at begin[FS_LINES];
  FS_TO *const x = (FS_TO *)fs_dynamic, *const y = x + FS_POINTS + FS_POINTS / 32;
  const fs_long first = (fs_long)blockIdx.x * FS_LINES;
  const int lines = a.count - first < FS_LINES ? (int)(a.count - first) : FS_LINES;
  for (int k = threadIdx.x; k < lines; k += FS_THREADS) begin[k] = fs_fourier_line(a, first + k);
  __syncthreads();
  fs_fourier_passes<0, 1>(re, im, to, a, lines, begin, x, y);
}
