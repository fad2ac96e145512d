// library.cuh - the small kernels around library calls on the device. A program
// is memory.cuh, the head of this file, and the one piece (`//@ name`) that is
// wanted, with FS_FROM, FS_TO, FS_OTHER defined as element types as stored.
// Strides are in elements.

typedef long long fs_long;
struct alignas(16) fs_words {  // of any elements, where they are only moved
  unsigned word[4];
};

__device__ __forceinline__ fs_long fs_thread() {
  return (fs_long)blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ fs_long fs_threads() {
  return (fs_long)gridDim.x * blockDim.x;
}

//@ fs_copy
// to(i, j) = from(i, j), converted, over m x n. `part` 1 puts 0 below the diagonal, 2
// ones on it and 0 above; a `from` of null makes the identity. Unless `bad` is null, *bad gets bit 0
// of an element that is not finite, and bit 1 of one that is not a number.
extern "C" __global__ void fs_copy(const FS_FROM *from, fs_long from_i,
                                   fs_long from_j, FS_TO *to, fs_long to_i,
                                   fs_long to_j, fs_long m, fs_long n,
                                   int part, int *bad) {
  using value = decltype(fs_get(*to));
  constexpr int AT_ONCE = 4;  // loads on their way
  const fs_long step_i = fs_threads() / n, step_j = fs_threads() % n;
  fs_long i = fs_thread() / n, j = fs_thread() % n;
  while (i < m) {
    value x[AT_ONCE];
    FS_TO *place[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
      place[k] = i < m ? &to[i * to_i + j * to_j] : nullptr;
      if (place[k] && !from) x[k] = (value)(i == j);
      if (place[k] && from) {
        const auto y = fs_get(from[i * from_i + j * from_j]);
        if (bad && !((double)y - (double)y == 0)) {
          const int bits = y != y ? 3 : 1;
          if ((*(volatile int *)bad & bits) != bits) atomicOr(bad, bits);
        }
        x[k] = part == 1 && i > j ? (value)0 : (value)y;
        if (part == 2 && i <= j) x[k] = (value)(i == j);
      }
      i += step_i;  // no division for each element: one takes longer than its copy
      j += step_j;
      if (j >= n) {
        j -= n;
        i++;
      }
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
      if (place[k]) fs_put(*place[k], x[k]);
  }
}

//@ fs_gather
// to(e, j) = from(index[e] - 1, j) for `count` indices and j < width, of elements of
// one type or words of several. 2^log_lanes threads take a row side by side. The first
// wrong index (by position, from 1) goes to *wrong, which starts at the largest number.
extern "C" __global__ void fs_gather(const FS_FROM *from, fs_long from_i,
                                     fs_long from_j, const FS_OTHER *index,
                                     fs_long index_i, FS_TO *to, fs_long to_i,
                                     fs_long to_j, fs_long count, fs_long width,
                                     fs_long extent, int log_lanes,
                                     unsigned long long *wrong) {
  constexpr int AT_ONCE = 4;  // rows on their way
  const fs_long step = fs_threads() >> log_lanes;
  const int lanes = 1 << log_lanes, lane = threadIdx.x & (lanes - 1);
  for (fs_long first = fs_thread() >> log_lanes; first < count;
       first += AT_ONCE * step) {
    fs_long row[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
      const fs_long e = first + k * step;
      const double x = e < count ? (double)fs_get(index[e * index_i]) : 1;
      const bool good = x >= 1 && x <= (double)extent && floor(x) == x;
      if (!good) atomicMin(wrong, (unsigned long long)(e + 1));
      row[k] = good ? (fs_long)x - 1 : 0;
    }
    for (fs_long j = lane; j < width; j += lanes) {
      FS_FROM x[AT_ONCE];
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++) x[k] = from[row[k] * from_i + j * from_j];
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++)
        if (first + k * step < count) to[(first + k * step) * to_i + j * to_j] = x[k];
    }
  }
}

//@ fs_find
// The positions, from 1, of the true elements of a mask, in two launches of the same
// blocks, each of which takes `share` elements, a multiple of 2048. The first (`to`
// is null) puts the numbers of true elements into counts[]; the second adds up those
// before its block and writes the positions.
__device__ __forceinline__ int fs_find_sum(int x, int (&sum)[256]) {
  const int t = threadIdx.x;  // of the threads up to this one
  sum[t] = x;
  __syncthreads();
  for (int far = 1; far < 256; far *= 2) {
    const int add = t >= far ? sum[t - far] : 0;
    __syncthreads();
    sum[t] += add;
    __syncthreads();
  }
  return sum[t];
}

extern "C" __global__ void fs_find(const FS_FROM *mask, fs_long mask_i, fs_long n,
                                   fs_long share, fs_long *counts, FS_TO *to,
                                   fs_long to_i) {
  constexpr int EACH = 8;
  __shared__ int sum[256], place[256 * EACH];
  __shared__ fs_long before[256];
  const int t = threadIdx.x;
  fs_long found = 0;
  if (to) {
    before[t] = 0;
    for (int b = t; b < blockIdx.x; b += 256) before[t] += counts[b];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
      if (t < half) before[t] += before[t + half];
      __syncthreads();
    }
    found = before[0];
  }
  const fs_long end = n < (blockIdx.x + 1) * share ? n : (blockIdx.x + 1) * share;
  for (fs_long tile = blockIdx.x * share; tile < end; tile += 256 * EACH) {
    unsigned bits = 0;
    const fs_long first = tile + t * EACH;
#pragma unroll
    for (int k = 0; k < EACH; k++)
      if (first + k < end && fs_get(mask[(first + k) * mask_i])) bits |= 1u << k;
    const int mine = __popc(bits), up_to = fs_find_sum(mine, sum), all = sum[255];
    if (to) {
      int at = up_to - mine;
#pragma unroll
      for (int k = 0; k < EACH; k++)
        if (bits >> k & 1) place[at++] = t * EACH + k;
      __syncthreads();
      for (int k = t; k < all; k += 256)
        to[(found + k) * to_i] = tile + place[k] + 1;
    }
    found += all;
    __syncthreads();
  }
  if (!to && t == 0) counts[blockIdx.x] = found;
}

//@ fs_lines
// An array as lines, of whose elements a block of 256 threads has tiles: 2^log_lines lines
// of 2048 >> log_lines places, and in all the `share` places of one of `parts`.
// `lines_first`: threads side by side read neighbouring lines.
struct fs_line_args {
  fs_long n, count, step_from, step_to;  // lines, and from element to element in one
  fs_long dim[5], from_stride[5], to_stride[5];
  fs_long groups, parts, share;
  int log_lines, lines_first;
};

// Where the lines of a tile begin.
__device__ __forceinline__ void fs_tile_lines(const fs_line_args &a, fs_long first, int lines,
                                              fs_long (&from_at)[256],
                                              fs_long (&to_at)[256]) {
  const int t = threadIdx.x;
  if (t >= lines) return;
  fs_long line = first + t < a.count ? first + t : a.count - 1, from = 0, to = 0;
#pragma unroll
  for (int k = 4; k >= 0; k--) {
    if (a.dim[k] == 1) continue;
    const fs_long up = line / a.dim[k], at = line - up * a.dim[k];
    from += at * a.from_stride[k];
    to += at * a.to_stride[k];
    line = up;
  }
  from_at[t] = from;
  to_at[t] = to;
}

//@ fs_scan
// What the elements up to each of a line come to (fs_cumsum ...). Of each half of a tile a thread has 4
// neighbours. Of more parts than one there are two launches: the first (`to` is null) puts
// the totals of each part into totals[part*count + line], the second begins with those
// before its own.
// What is carried along, and what rounding took from it.
template <typename T>
struct fs_carry {
  T value, rest;
};

template <typename Op, typename T>
__device__ __forceinline__ void fs_carry_on(fs_carry<T> &c, T x, T rest) {
  const T sum = Op::of(c.value, x);
  c.rest = Op::lost(c.value, x, sum, c.rest + rest);
  c.value = sum;
}

template <typename Op, typename T>
__device__ __forceinline__ void fs_scan_fold(fs_carry<T> (&carries)[256], int stride) {
  for (int half = 128; half >= stride; half /= 2) {  // line t % stride, in carries[t]
    if ((int)threadIdx.x < half)
      fs_carry_on<Op>(carries[threadIdx.x], carries[threadIdx.x + half].value,
                      carries[threadIdx.x + half].rest);
    __syncthreads();
  }
}

// Of 4 neighbours in each half of the tile's line: x[] becomes what there is up to each in the
// line; gives what there is in all of it.
template <typename Op, typename T>
__device__ __forceinline__ T fs_scan_tile(T (&x)[8], int threads, T (&sums)[2][8]) {
  const unsigned all = 0xffffffffu;
  const int t = threadIdx.x, lane = t & 31, wide = threads < 32 ? threads : 32;
#pragma unroll
  for (int k = 1; k < 4; k++) {
    x[k] = Op::of(x[k - 1], x[k]);
    x[4 + k] = Op::of(x[3 + k], x[4 + k]);
  }
  T up_to[2] = {x[3], x[7]}, before[2], total[2];
  for (int far = 1; far < wide; far *= 2) {
#pragma unroll
    for (int h = 0; h < 2; h++) {
      const T add = __shfl_sync(all, up_to[h], lane >= far ? lane - far : lane, 32);
      if ((lane & (wide - 1)) >= far) up_to[h] = Op::of(add, up_to[h]);
    }
  }
#pragma unroll
  for (int h = 0; h < 2; h++) {
    before[h] = __shfl_sync(all, up_to[h], lane ? lane - 1 : 0, 32);
    total[h] = __shfl_sync(all, up_to[h], lane | (wide - 1), 32);
  }
  bool begins = (lane & (wide - 1)) == 0;
  if (threads > 32) {
    if (lane == 31) sums[0][t / 32] = up_to[0], sums[1][t / 32] = up_to[1];
    __syncthreads();
    const int first = t / threads * (threads / 32);
#pragma unroll
    for (int h = 0; h < 2; h++) {
      T earlier = sums[h][first];
      total[h] = earlier;
      for (int w = 1; w < threads / 32; w++) {
        if (first + w < t / 32) earlier = Op::of(earlier, sums[h][first + w]);
        total[h] = Op::of(total[h], sums[h][first + w]);
      }
      if (first < t / 32) before[h] = begins ? earlier : Op::of(earlier, before[h]);
    }
    begins &= first == t / 32;
  }
  before[1] = begins ? total[0] : Op::of(total[0], before[1]);
#pragma unroll
  for (int k = 0; k < 4; k++) {
    if (!begins) x[k] = Op::of(before[0], x[k]);
    x[4 + k] = Op::of(before[1], x[4 + k]);
  }
  return Op::of(total[0], total[1]);
}

// Where 4 neighbours of a line are one access, its tiles as far as they are whole; gives where it
// ended. Each thread reads and writes what it scans.
template <typename T>
__device__ __forceinline__ void fs_halves(T (&x)[8], const FS_FROM *at) {
  T half[2][4];
  fs_load(half[0], at);
  fs_load(half[1], at + 1024);
#pragma unroll
  for (int k = 0; k < 8; k++) x[k] = half[k / 4][k % 4];
}
template <typename Op, typename T>
__device__ __forceinline__ fs_long fs_scan_whole(const FS_FROM *from, FS_TO *to, fs_long at,
                                                 fs_long end, fs_carry<T> &carry,
                                                 T (&sums)[2][2][8]) {
  constexpr int TILE = 2048;
  const FS_FROM *read = from + at + threadIdx.x * 4;
  FS_TO *write = to + at + threadIdx.x * 4;
  if ((unsigned long long)read % alignof(fs_pack<FS_FROM, 4>) ||
      (unsigned long long)write % alignof(fs_pack<FS_TO, 4>))
    return at;
  T next[8];
  if (at + TILE <= end) fs_halves(next, read);
  for (int turn = 0; at + TILE <= end; at += TILE, turn ^= 1) {
    T x[8];
#pragma unroll
    for (int k = 0; k < 8; k++) x[k] = next[k];
    read += TILE;
    if (at + 2 * TILE <= end) fs_halves(next, read);  // while this tile is worked on
    const T total = fs_scan_tile<Op>(x, 256, sums[turn]);
#pragma unroll
    for (int h = 0; h < 2; h++) {
      T four[4];
#pragma unroll
      for (int k = 0; k < 4; k++) four[k] = Op::with(carry.value, carry.rest, x[4 * h + k]);
      fs_store(write + h * (TILE / 2), four);
    }
    fs_carry_on<Op>(carry, total, (T)0);
    write += TILE;
  }
  return at;
}

template <typename Op, typename T>
__device__ __forceinline__ void fs_scan(const FS_FROM *from, FS_TO *to, fs_carry<T> *totals,
                                        const fs_line_args &a) {
  constexpr int TILE = 2048, EACH = 8;
  __shared__ T tile[TILE + TILE / 32], sums[2][2][8];
  __shared__ fs_carry<T> carries[256];
  __shared__ fs_long from_at[256], to_at[256];
  const int t = threadIdx.x, lines = 1 << a.log_lines, log_places = 11 - a.log_lines;
  const int places = TILE >> a.log_lines, mine = t * EACH >> log_places;
  const fs_long part = blockIdx.x / a.groups;
  const fs_long first = blockIdx.x % a.groups << a.log_lines, begin = part * a.share;
  const fs_long end = a.n < begin + a.share ? a.n : begin + a.share;
  const int open = a.count - first < lines ? (int)(a.count - first) : lines;
  fs_tile_lines(a, first, lines, from_at, to_at);
  carries[t] = {Op::template none<T>(), 0};
  __syncthreads();
  const int own = t & (lines - 1);
  for (fs_long p = t >> a.log_lines; to && p < part && own < open; p += 256 >> a.log_lines) {
    const fs_carry<T> c = totals[p * a.count + first + own];
    fs_carry_on<Op>(carries[t], c.value, c.rest);
  }
  __syncthreads();
  if (to && part) fs_scan_fold<Op>(carries, lines);
  fs_carry<T> carry = {Op::template none<T>(), 0};
  if (to) carry = carries[mine];
  // A thread reads and writes 8 places of one line, `apart` from each other, of which others scan
  // some; or, where a line lies in whole vectors, those that it scans.
  const int apart = 256 >> a.log_lines, line = a.lines_first ? own : mine;
  const int place = a.lines_first ? t >> a.log_lines : t & (apart - 1);
  const int where = line << log_places | place;
  fs_long at = begin;
  if (to && lines == 1 && a.step_from == 1 && a.step_to == 1)
    at = fs_scan_whole<Op>(from + from_at[0], to + to_at[0], begin, end, carry, sums);
  const FS_FROM *read = from + from_at[line] + (at + place) * a.step_from;
  FS_TO *write = to + to_at[line] + (at + place) * a.step_to;
  const auto left_of = [&](fs_long at) {  // of its places, in the tile that begins at `at`
    return line < open ? (int)(end - at < places ? end - at : places) - place : 0;
  };
  const auto load = [&](T(&x)[EACH], fs_long at) {
    const int left = left_of(at);
#pragma unroll
    for (int k = 0; k < EACH; k++) {
      x[k] = Op::template none<T>();
      if (k * apart < left) x[k] = (T)fs_get(*read);
      read += apart * a.step_from;
    }
  };
  const int low = mine << log_places | (t & (apart - 1)) * 4, high = low + apart * 4;
  const int scans[2] = {low + low / 32, high + high / 32};
  T next[EACH];
  load(next, at);
  for (; at < end; at += places) {
    T x[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) x[k] = next[k];
    load(next, at + places);  // while this tile is worked on
    if (!to) {  // more parts than one: all of x[] are of line `own`
#pragma unroll
      for (int k = 1; k < EACH; k++) x[0] = Op::of(x[0], x[k]);
      fs_carry_on<Op>(carries[t], x[0], (T)0);
      continue;
    }
#pragma unroll
    for (int k = 0, w = where; k < EACH; k++, w += apart) tile[w + w / 32] = x[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++) x[k] = tile[scans[k / 4] + k % 4];
    const T total = fs_scan_tile<Op>(x, apart, sums[0]);
#pragma unroll
    for (int k = 0; k < EACH; k++)
      tile[scans[k / 4] + k % 4] = Op::with(carry.value, carry.rest, x[k]);
    fs_carry_on<Op>(carry, total, (T)0);
    __syncthreads();
    const int left = left_of(at);
#pragma unroll
    for (int k = 0, w = where; k < EACH; k++, w += apart) {
      if (k * apart < left) fs_put(*write, tile[w + w / 32]);
      write += apart * a.step_to;
    }
  }
  if (to) return;
  __syncthreads();
  fs_scan_fold<Op>(carries, lines);
  if (t < open) totals[part * a.count + first + t] = carries[t];
}

// What fs_scan is told of an operation: the value of nothing, of two, of what is carried and
// one more; and what the rest of a carry is when `sum` has become of a and b.
typedef FS_TO fs_scan_stored;
typedef decltype(fs_get(fs_scan_stored())) fs_scanned;
constexpr int FS_SCAN_BLOCKS = sizeof(fs_scanned) < 8 ? 4 : 3;  // whose registers suffice
__device__ __forceinline__ fs_long fs_plus(fs_long a, fs_long b) {
  return (fs_long)((unsigned long long)a + (unsigned long long)b);
}
__device__ __forceinline__ fs_long fs_times(fs_long a, fs_long b) {
  return (fs_long)((unsigned long long)a * (unsigned long long)b);
}
__device__ __forceinline__ fs_u64 fs_plus(fs_u64 a, fs_u64 b) { return a + b; }
__device__ __forceinline__ fs_u64 fs_times(fs_u64 a, fs_u64 b) { return a * b; }
__device__ __forceinline__ float fs_plus(float a, float b) { return a + b; }
__device__ __forceinline__ double fs_plus(double a, double b) { return a + b; }
__device__ __forceinline__ float fs_times(float a, float b) { return a * b; }
__device__ __forceinline__ double fs_times(double a, double b) { return a * b; }

struct fs_no_rest {
  template <typename T>
  static __device__ __forceinline__ T lost(T, T, T, T) {
    return 0;
  }
};

//@ fs_cumsum
struct fs_sum_so_far {
  template <typename T>
  static __device__ __forceinline__ T none() {
    return 0;
  }
  template <typename T>
  static __device__ __forceinline__ T of(T a, T b) {
    return fs_plus(a, b);
  }
  template <typename T>
  static __device__ __forceinline__ T with(T value, T rest, T x) {
    return fs_plus(value, fs_plus(rest, x));
  }
  template <typename T>
  static __device__ __forceinline__ T lost(T a, T b, T sum, T rest) {
    const T part = sum - a;
    return sum - sum == 0 ? rest + ((a - (sum - part)) + (b - part)) : 0;
  }
  static __device__ __forceinline__ fs_long lost(fs_long, fs_long, fs_long, fs_long) {
    return 0;
  }
  static __device__ __forceinline__ fs_u64 lost(fs_u64, fs_u64, fs_u64, fs_u64) { return 0; }
};
extern "C" __global__ void __launch_bounds__(256, FS_SCAN_BLOCKS)
    fs_cumsum(const FS_FROM *from, FS_TO *to, fs_carry<fs_scanned> *totals,
          const fs_line_args a) {
  fs_scan<fs_sum_so_far>(from, to, totals, a);
}

//@ fs_cumprod
struct fs_product_so_far : fs_no_rest {
  template <typename T>
  static __device__ __forceinline__ T none() {
    return 1;
  }
  template <typename T>
  static __device__ __forceinline__ T of(T a, T b) {
    return fs_times(a, b);
  }
  template <typename T>
  static __device__ __forceinline__ T with(T value, T, T x) {
    return fs_times(value, x);
  }
};
extern "C" __global__ void __launch_bounds__(256, FS_SCAN_BLOCKS)
    fs_cumprod(const FS_FROM *from, FS_TO *to, fs_carry<fs_scanned> *totals,
          const fs_line_args a) {
  fs_scan<fs_product_so_far>(from, to, totals, a);
}

//@ fs_extreme
// The largest (`sign` 1) or the smallest so far; NaN from the first one on.
template <int sign>
struct fs_extreme_so_far : fs_no_rest {
  static __device__ __forceinline__ void lowest(float &x) {
    x = __uint_as_float(0xff800000u);
  }
  static __device__ __forceinline__ void lowest(double &x) {
    x = (double)__uint_as_float(0xff800000u);
  }
  static __device__ __forceinline__ void lowest(int &x) { x = -0x7fffffff - 1; }
  static __device__ __forceinline__ void lowest(fs_long &x) {
    x = -0x7fffffffffffffffll - 1;
  }
  static __device__ __forceinline__ void lowest(fs_u64 &x) { x = 0; }
  template <typename T>
  static __device__ __forceinline__ T none() {
    T x;
    lowest(x);
    return sign > 0 ? x : -1 - x;  // of integers, too, the highest
  }
  template <typename T>
  static __device__ __forceinline__ T of(T a, T b) {
    return (sign > 0 ? a > b : a < b) || a != a ? a : b;
  }
  template <typename T>
  static __device__ __forceinline__ T with(T value, T, T x) {
    return of(value, x);
  }
};

//@ fs_cummax
extern "C" __global__ void __launch_bounds__(256, FS_SCAN_BLOCKS)
    fs_cummax(const FS_FROM *from, FS_TO *to, fs_carry<fs_scanned> *totals,
          const fs_line_args a) {
  fs_scan<fs_extreme_so_far<1>>(from, to, totals, a);
}

//@ fs_cummin
extern "C" __global__ void __launch_bounds__(256, FS_SCAN_BLOCKS)
    fs_cummin(const FS_FROM *from, FS_TO *to, fs_carry<fs_scanned> *totals,
          const fs_line_args a) {
  fs_scan<fs_extreme_so_far<-1>>(from, to, totals, a);
}

//@ fs_keys
// Whole numbers in the order of values: NaN is behind all, zeros are one. `down` turns the
// order of all but NaN.
template <typename T>
__device__ __forceinline__ T fs_float_key(T bits, T sign, T infinite, bool down) {
  const T rest = bits & (T)~sign;
  if (rest > infinite) return (T)~(T)0;
  const T key = rest == 0 ? sign : bits & sign ? (T)~bits : (T)(bits | sign);
  return down ? (T)~key : key;
}
__device__ __forceinline__ unsigned char fs_key(fs_bool x, bool down) {
  return (x.byte != 0) != down;
}
// Integers of the width of `bits`; of those with a sign it is `sign`.
template <typename T>
__device__ __forceinline__ T fs_integer_key(T bits, T sign, bool down) {
  const T key = (T)(bits ^ sign);
  return down ? (T)~key : key;
}
__device__ __forceinline__ unsigned char fs_key(fs_u8 x, bool down) {
  return fs_integer_key<unsigned char>(x.number, 0, down);
}
__device__ __forceinline__ unsigned char fs_key(fs_i8 x, bool down) {
  return fs_integer_key<unsigned char>((unsigned char)x.number, 0x80, down);
}
__device__ __forceinline__ unsigned short fs_key(fs_u16 x, bool down) {
  return fs_integer_key<unsigned short>(x.number, 0, down);
}
__device__ __forceinline__ unsigned short fs_key(fs_i16 x, bool down) {
  return fs_integer_key<unsigned short>((unsigned short)x.number, 0x8000, down);
}
__device__ __forceinline__ unsigned fs_key(int x, bool down) {
  return fs_integer_key<unsigned>((unsigned)x, 0x80000000u, down);
}
__device__ __forceinline__ unsigned fs_key(fs_u32 x, bool down) {
  return fs_integer_key<unsigned>(x.number, 0, down);
}
__device__ __forceinline__ unsigned long long fs_key(fs_long x, bool down) {
  return fs_integer_key<unsigned long long>((unsigned long long)x, 1ull << 63, down);
}
__device__ __forceinline__ unsigned long long fs_key(fs_u64 x, bool down) {
  return fs_integer_key<unsigned long long>(x, 0, down);
}
__device__ __forceinline__ unsigned short fs_key(fs_f16 x, bool down) {
  return fs_float_key<unsigned short>(x.bits, 0x8000, 0x7c00, down);
}
__device__ __forceinline__ unsigned short fs_key(fs_bf16 x, bool down) {
  return fs_float_key<unsigned short>(x.bits, 0x8000, 0x7f80, down);
}
__device__ __forceinline__ unsigned fs_key(float x, bool down) {
  return fs_float_key<unsigned>(__float_as_uint(x), 0x80000000u, 0x7f800000u, down);
}
__device__ __forceinline__ unsigned long long fs_key(double x, bool down) {
  return fs_float_key<unsigned long long>((unsigned long long)__double_as_longlong(x),
                                          1ull << 63, 0x7ffull << 52, down);
}

//@ fs_sort_tile
// Lines of at most 2048 elements, those of a tile in shared memory by a bitonic network,
// keys and then places: `to` gets the values, or `at` their places from 1.
extern "C" __global__ void fs_sort_tile(const FS_FROM *from, FS_FROM *to, fs_long *at,
                                        const fs_line_args a, int down) {
  constexpr int TILE = 2048, EACH = 8;
  typedef unsigned long long word;
  constexpr bool WIDE = sizeof(FS_FROM) == 8;  // else key and place are one word
  __shared__ word key[TILE];
  __shared__ unsigned short place[WIDE ? TILE : 1];
  __shared__ fs_long from_at[256], to_at[256];
  const int t = threadIdx.x, lines = 1 << a.log_lines, log_places = 11 - a.log_lines;
  const int places = TILE >> a.log_lines;
  const fs_long first = (fs_long)blockIdx.x << a.log_lines;
  const int open = a.count - first < lines ? (int)(a.count - first) : lines;
  fs_tile_lines(a, first, lines, from_at, to_at);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < EACH; k++) {
    const int e = k * 256 + t;
    const int line = a.lines_first ? e & (lines - 1) : e >> log_places;
    const int p = a.lines_first ? e >> a.log_lines : e & (places - 1);
    word x = ~0ull >> (WIDE ? 0 : 21);
    if (line < open && p < a.n) {
      x = (word)fs_key(from[from_at[line] + p * a.step_from], down != 0);
      if (!WIDE) x = x << 11 | (word)p;
    }
    key[line << log_places | p] = x;
    if (WIDE) place[line << log_places | p] = (unsigned short)p;
  }
  __syncthreads();
  for (int size = 2; size <= places; size *= 2)
    for (int far = size / 2; far > 0; far /= 2) {
      for (int e = t; e < TILE / 2; e += 256) {
        const int i = 2 * e - (e & (far - 1)), j = i + far;
        const word x = key[i], y = key[j];
        const bool after = x > y || (WIDE && x == y && place[i] > place[j]);
        if (after == ((i & size & (places - 1)) == 0)) {
          key[i] = y;
          key[j] = x;
          if (WIDE) {
            const unsigned short p = place[i];
            place[i] = place[j];
            place[j] = p;
          }
        }
      }
      __syncthreads();
    }
#pragma unroll
  for (int k = 0; k < EACH; k++) {
    const int e = k * 256 + t;
    const int line = a.lines_first ? e & (lines - 1) : e >> log_places;
    const int p = a.lines_first ? e >> a.log_lines : e & (places - 1);
    if (line >= open || p >= a.n) continue;
    const int slot = line << log_places | p;
    const int was = WIDE ? place[slot] : (int)(key[slot] & 2047);
    const fs_long out = to_at[line] + p * a.step_to;
    if (at) at[out] = was + 1;
    else to[out] = from[from_at[line] + was * a.step_from];
  }
}

//@ fs_radix
// What the kernels of a pass of a sort by eight bits of the keys share. A block takes one part
// of one line, tile by tile; of a tile a warp has neighbours, of which a thread has every
// 32nd. fs_digits puts how many elements have each digit into
// counts[(line*(parts + 1) + part)*256 + digit]; then, if a line is more parts than one, it
// has another launch, whose blocks have 32 digits of a line, and puts how many there are in
// the parts before in their place, and in that of part `parts` how many there are in all.
// fs_sort or fs_argsort moves the elements, those of one digit in their order.

// The lanes among `lanes` whose digits have the same bit.
__device__ __forceinline__ unsigned fs_same_bit(unsigned lanes, unsigned digit, unsigned bit) {
#ifdef __CUDA_ARCH__
  unsigned same;
  asm volatile("{\n.reg .pred p;\nand.b32 %0, %1, %2;\nsetp.ne.u32 p, %0, 0;\n"
               "vote.sync.ballot.b32 %0, p, 0xffffffff;\n@!p not.b32 %0, %0;\n}"
               : "=r"(same) : "r"(digit), "r"(bit));
#else
  const unsigned set = __ballot_sync(0xffffffffu, (digit & bit) != 0);
  const unsigned same = digit & bit ? set : ~set;
#endif
  return lanes & same;
}

// How many elements with this digit the warp has had, counted in seen[].
__device__ __forceinline__ int fs_digit_rank(unsigned digit, bool valid, int (&seen)[256]) {
  const unsigned below = (1u << (threadIdx.x & 31)) - 1;
  unsigned peers = __ballot_sync(0xffffffffu, valid);
#pragma unroll
  for (unsigned bit = 1; bit < 256; bit *= 2) peers = fs_same_bit(peers, digit, bit);
  const int before = seen[digit];
  __syncwarp();
  if (valid && !(peers & below)) seen[digit] = before + __popc(peers);
  __syncwarp();
  return before + __popc(peers & below);
}

template <int EACH>
__device__ __forceinline__ void fs_load_column(FS_FROM (&x)[EACH], const FS_FROM *from,
                                              fs_long apart, int left) {
#pragma unroll
  for (int k = 0; k < EACH; k++, from += apart) {
    x[k] = {};
    if (k * 32 < left) x[k] = *from;
  }
}
__device__ __forceinline__ unsigned fs_digit(FS_FROM x, int shift, bool down) {
  return (unsigned)(fs_key(x, down) >> shift) & 255;
}

//@ fs_digits
__device__ __forceinline__ void fs_add_parts(fs_long *counts, const fs_line_args &a,
                                             fs_long (&sums)[256]) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
  counts += blockIdx.x / 8 * (a.parts + 1) * 256 + blockIdx.x % 8 * 32 + lane;
  const fs_long each = (a.parts + 7) / 8;
  const fs_long first = each * warp, end = first + each < a.parts ? first + each : a.parts;
  fs_long mine = 0, before = 0;
#pragma unroll 8
  for (fs_long p = first; p < end; p++) mine += counts[p * 256];
  sums[threadIdx.x] = mine;
  __syncthreads();
  for (int w = 0; w < warp; w++) before += sums[w * 32 + lane];
  if (warp == 7) counts[a.parts * 256] = before + mine;
#pragma unroll 8
  for (fs_long p = first; p < end; p++) {
    const fs_long n = counts[p * 256];
    counts[p * 256] = before;
    before += n;
  }
}

extern "C" __global__ void __launch_bounds__(256, 5)
    fs_digits(const FS_FROM *from, fs_long *counts, const fs_line_args a, int shift, int down,
              int adds) {
  constexpr int EACH = 8, TILE = 256 * EACH;
  __shared__ int seen[8][256];
  __shared__ fs_long from_at[256], to_at[256];
  if (adds) {
    fs_add_parts(counts, a, from_at);
    return;
  }
  const int t = threadIdx.x, warp = t / 32, own = warp * (32 * EACH) + (t & 31);
  const fs_long line = blockIdx.x / a.parts, part = blockIdx.x % a.parts;
  const fs_long end = a.n < (part + 1) * a.share ? a.n : (part + 1) * a.share;
  fs_tile_lines(a, line, 1, from_at, to_at);
  for (int w = 0; w < 8; w++) seen[w][t] = 0;
  __syncthreads();
  const FS_FROM *const line_from = from + from_at[0];
  for (fs_long first = part * a.share; first < end; first += TILE) {
    const int n = end - first < TILE ? (int)(end - first) : TILE;
    FS_FROM x[EACH];
    fs_load_column(x, line_from + (first + own) * a.step_from, 32 * a.step_from, n - own);
#pragma unroll
    for (int k = 0; k < EACH; k++)
      fs_digit_rank(fs_digit(x[k], shift, down != 0), own + k * 32 < n, seen[warp]);
  }
  __syncthreads();
  fs_long n = 0;
  for (int w = 0; w < 8; w++) n += seen[w][t];
  counts[(line * (a.parts + 1) + part) * 256 + t] = n;
}

//@ fs_move
// A pass moves values to `to` unless it is null, and places, which are in `index` (null: as
// they are now), to `index_to`, or from 1 to `at`.
template <typename T>
__device__ __forceinline__ T fs_up_to(T x, T (&sums)[8]) {  // x of the threads so far
  const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  for (int far = 1; far < 32; far *= 2) {
    const T add = __shfl_sync(0xffffffffu, x, lane >= far ? lane - far : lane, 32);
    if (lane >= far) x += add;
  }
  if (lane == 31) sums[warp] = x;
  __syncthreads();
  for (int w = 0; w < warp; w++) x += sums[w];
  __syncthreads();
  return x;
}

template <bool places>
__device__ __forceinline__ void fs_move(const FS_FROM *from, const FS_OTHER *index,
                                        FS_FROM *to, FS_OTHER *index_to, fs_long *at,
                                        const fs_long *counts, const fs_line_args &a,
                                        int shift, bool down) {
  constexpr int EACH = sizeof(FS_FROM) < 8 && sizeof(FS_OTHER) < 8 ? 16 : 8;
  constexpr int TILE = 256 * EACH;
  __shared__ int seen[8][256], sums[8];
  __shared__ fs_long behind[256], from_at[256], to_at[256], far_sums[8];
  __shared__ FS_FROM tile[TILE];
  __shared__ FS_OTHER tile_index[places ? TILE : 1];
  const int t = threadIdx.x, warp = t / 32, own = warp * (32 * EACH) + (t & 31);
  const fs_long line = blockIdx.x / a.parts, part = blockIdx.x % a.parts;
  const fs_long end = a.n < (part + 1) * a.share ? a.n : (part + 1) * a.share;
  fs_tile_lines(a, line, 1, from_at, to_at);
  for (int w = 0; w < 8; w++) seen[w][t] = 0;
  counts += line * (a.parts + 1) * 256;
  const fs_long all = counts[(a.parts > 1 ? a.parts : 0) * 256 + t];
  fs_long next = fs_up_to(all, far_sums) - all;  // where the next element with digit t goes
  if (a.parts > 1) next += counts[part * 256 + t];
  __syncthreads();
  const FS_FROM *const line_from = from + from_at[0];
  FS_FROM *const line_to = to + to_at[0];
  for (fs_long first = part * a.share; first < end; first += TILE) {
    const int n = end - first < TILE ? (int)(end - first) : TILE;
    FS_FROM x[EACH];
    int found[EACH];  // the digit, and how many the warp had before
    fs_load_column(x, line_from + (first + own) * a.step_from, 32 * a.step_from, n - own);
#pragma unroll
    for (int k = 0; k < EACH; k++) {
      const unsigned digit = fs_digit(x[k], shift, down);
      found[k] = (int)(digit << 16) | fs_digit_rank(digit, own + k * 32 < n, seen[warp]);
    }
    __syncthreads();
    int count[8], mine = 0;  // of digit t, in the tile
#pragma unroll
    for (int w = 0; w < 8; w++) mine += count[w] = seen[w][t];
    int start = fs_up_to(mine, sums) - mine;
    behind[t] = next - start;
    next += mine;
#pragma unroll
    for (int w = 0; w < 8; w++) {
      seen[w][t] = start;
      start += count[w];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++) {
      if (own + k * 32 >= n) continue;
      const int slot = seen[warp][found[k] >> 16] + (found[k] & 0xffff);
      const fs_long place = first + own + k * 32;
      tile[slot] = x[k];
      if (places) tile_index[slot] = index ? index[line * a.n + place] : (FS_OTHER)place;
    }
    __syncthreads();
    for (int w = 0; w < 8; w++) seen[w][t] = 0;
#pragma unroll 4
    for (int e = t; e < n; e += 256) {
      const FS_FROM y = tile[e];
      const fs_long out = behind[fs_digit(y, shift, down)] + e;
      if (to) line_to[out * a.step_to] = y;
      if (places && index_to) index_to[line * a.n + out] = tile_index[e];
      if (places && at) at[to_at[0] + out * a.step_to] = (fs_long)tile_index[e] + 1;
    }
    __syncthreads();
  }
}

//@ fs_sort
extern "C" __global__ void __launch_bounds__(256, 2)
    fs_sort(const FS_FROM *from, const FS_OTHER *index, FS_FROM *to, FS_OTHER *index_to,
            fs_long *at, const fs_long *counts, const fs_line_args a, int shift, int down) {
  fs_move<false>(from, index, to, index_to, at, counts, a, shift, down != 0);
}

//@ fs_argsort
extern "C" __global__ void __launch_bounds__(256, 2)
    fs_argsort(const FS_FROM *from, const FS_OTHER *index, FS_FROM *to, FS_OTHER *index_to,
               fs_long *at, const fs_long *counts, const fs_line_args a, int shift, int down) {
  fs_move<true>(from, index, to, index_to, at, counts, a, shift, down != 0);
}

//@ fs_invert
// at[j - 1] = the last position, from 1, at which `index` has j, or 0; in two launches:
// the first (`index` is null) makes all `extent` of them 0. Wrong ones as fs_gather.
extern "C" __global__ void fs_invert(const FS_OTHER *index, fs_long index_i,
                                     fs_long count, FS_TO *at, fs_long at_i,
                                     fs_long extent,
                                     unsigned long long *wrong) {
  if (!index)
    for (fs_long e = fs_thread(); e < extent; e += fs_threads()) at[e * at_i] = 0;
  for (fs_long e = fs_thread(); index && e < count; e += fs_threads()) {
    const double x = (double)fs_get(index[e * index_i]);
    if (x >= 1 && x <= (double)extent && floor(x) == x)
      atomicMax(&at[((fs_long)x - 1) * at_i], (FS_TO)(e + 1));
    else
      atomicMin(wrong, (unsigned long long)(e + 1));
  }
}

//@ fs_put_to
// As fs_combine says; whole numbers wrap around.
template <typename T>
__device__ __forceinline__ T fs_put_to(T a, T b, int by) {
  const bool whole = (T)0.5 == 0;
  const unsigned long long x = (unsigned long long)(fs_long)a, y = (unsigned long long)(fs_long)b;
  if (by == 4) return a > b || a != a ? a : b;
  if (by == 5) return a < b || a != a ? a : b;
  if (whole) return (T)(fs_long)(by == 0 ? x + y : by == 1 ? x - y : x * y);
  return by == 0 ? (T)(a + b) : by == 1 ? (T)(a - b) : by == 2 ? (T)(a * b) : (T)(a / b);
}

// The same of whole numbers in memory, which any order gives the same.
__device__ __forceinline__ void fs_put_at_once(int *to, int x, int by) {
  if (by < 2) atomicAdd((unsigned *)to, by ? 0u - (unsigned)x : (unsigned)x);
  else if (by == 4) atomicMax(to, x);
  else atomicMin(to, x);
}
__device__ __forceinline__ void fs_put_at_once(fs_long *to, fs_long x, int by) {
  const unsigned long long y = (unsigned long long)x;
  if (by < 2) atomicAdd((unsigned long long *)to, by ? 0ull - y : y);
  else if (by == 4) atomicMax(to, x);
  else atomicMin(to, x);
}
__device__ __forceinline__ void fs_put_at_once(fs_u64 *to, fs_u64 x, int by) {
  if (by < 2) atomicAdd(to, by ? 0ull - x : x);
  else if (by == 4) atomicMax(to, x);
  else atomicMin(to, x);
}
template <typename S, typename T>
__device__ __forceinline__ void fs_put_at_once(S *, T, int) {}

//@ fs_combine
// The first `rows` rows of `from`, to which those behind them, `count`, are put (0 adds, 1
// subtracts, 2 multiplies, 3 divides, 4 takes the larger, 5 the smaller; NaN if either is)
// at the places `at`, from 1; in two launches: the first (`put` is 0) copies. If `put` is 1,
// all are put at once. If it is 2, `order` tells from 1 where the places are in ascending
// order; of those that are one, the thread of the first puts all, as they stand. Wrong ones
// as fs_gather.
extern "C" __global__ void fs_combine(const FS_FROM *from, fs_long from_i, fs_long from_j,
                                      const FS_OTHER *at, fs_long at_i, const fs_long *order,
                                      fs_long count, FS_TO *to, fs_long to_i, fs_long to_j,
                                      fs_long rows, fs_long width, int by, int put,
                                      unsigned long long *wrong) {
  for (fs_long e = fs_thread(); e < (put ? count : rows) * width; e += fs_threads()) {
    const fs_long i = e / width, j = e % width;
    if (!put) {
      to[i * to_i + j * to_j] = from[i * from_i + j * from_j];
      continue;
    }
    const fs_long of = put == 1 ? i : order[i] - 1;
    const double x = (double)fs_get(at[of * at_i]);
    if (!(x >= 1 && x <= (double)rows && floor(x) == x)) {
      atomicMin(wrong, (unsigned long long)(of + 1));
      continue;
    }
    FS_TO *const place = &to[((fs_long)x - 1) * to_i + j * to_j];
    if (put == 1) {
      fs_put_at_once(place, fs_get(from[(rows + i) * from_i + j * from_j]), by);
      continue;
    }
    if (i > 0 && (double)fs_get(at[(order[i - 1] - 1) * at_i]) == x) continue;
    FS_TO so_far = *place;
    for (fs_long k = i; k < count && (double)fs_get(at[(order[k] - 1) * at_i]) == x; k++)
      fs_put(so_far, fs_put_to(fs_get(so_far),
                               fs_get(from[(rows + order[k] - 1) * from_i + j * from_j]), by));
    *place = so_far;
  }
}

//@ fs_tally
// What fs_combine does in its second launch if `put` is 1, where the places are few: a block
// puts its share to `copies` tables of its own on chip, of which each warp has one, and then
// these to memory. Neighbours that are put to one place would wait for each other there.
extern "C" __global__ void fs_tally(const FS_FROM *from, fs_long from_i, fs_long from_j,
                                    const FS_OTHER *at, fs_long at_i, fs_long count, FS_TO *to,
                                    fs_long to_i, fs_long to_j, fs_long rows, fs_long width,
                                    int by, int copies, unsigned long long *wrong) {
  __shared__ FS_TO table[FS_TALLY_BYTES / sizeof(FS_TO)];
  const FS_TO top = (FS_TO)(1ull << (8 * sizeof(FS_TO) - 1)), least = top < (FS_TO)0 ? top : 0;
  const FS_TO none = by < 2 ? 0 : by == 4 ? least : (FS_TO)~least;
  const int places = (int)(rows * width), warp = (int)threadIdx.x / 32;
  FS_TO *const mine = &table[warp % copies * places];
  for (int k = (int)threadIdx.x; k < copies * places; k += (int)blockDim.x) table[k] = none;
  __syncthreads();
  for (fs_long e = fs_thread(); e < count * width; e += fs_threads()) {
    const fs_long i = width == 1 ? e : e / width, j = e - i * width;
    const double x = (double)fs_get(at[i * at_i]);
    if (x >= 1 && x <= (double)rows && floor(x) == x)
      fs_put_at_once(&mine[((int)x - 1) * (int)width + (int)j],
                     fs_get(from[(rows + i) * from_i + j * from_j]), by);
    else
      atomicMin(wrong, (unsigned long long)(i + 1));
  }
  __syncthreads();
  const int join = by < 2 ? 0 : by;
  for (int k = (int)threadIdx.x; k < places; k += (int)blockDim.x) {
    FS_TO all = table[k];
    for (int c = 1; c < copies; c++) all = fs_put_to(all, table[c * places + k], join);
    if (all != none)
      fs_put_at_once(&to[k / width * to_i + k % width * to_j], all, join);
  }
}

//@ fs_reshape
// The elements of one array, row-major, to another of other extents.
struct fs_reshape_args {
  fs_long count;
  fs_long from_dim[6], from_stride[6], to_dim[6], to_stride[6];
};

// Of element e, row-major. `whole` counts in 32 bits where that is enough: divisions
// are most of the work.
template <typename whole>
__device__ __forceinline__ fs_long fs_offset(whole e, const fs_long *dim,
                                             const fs_long *stride) {
  fs_long offset = 0;
#pragma unroll
  for (int k = 5; k >= 0; k--) {
    if (dim[k] == 1) continue;
    const whole up = k ? e / (whole)dim[k] : 0;
    offset += (fs_long)(e - up * (whole)dim[k]) * stride[k];
    e = up;
  }
  return offset;
}

extern "C" __global__ void fs_reshape(const FS_FROM *from, FS_TO *to,
                                      const fs_reshape_args a) {
  if (a.count < 1ll << 32)
    for (fs_long e = fs_thread(); e < a.count; e += fs_threads())
      to[fs_offset((unsigned)e, a.to_dim, a.to_stride)] =
          from[fs_offset((unsigned)e, a.from_dim, a.from_stride)];
  else
    for (fs_long e = fs_thread(); e < a.count; e += fs_threads())
      to[fs_offset(e, a.to_dim, a.to_stride)] =
          from[fs_offset(e, a.from_dim, a.from_stride)];
}

//@ fs_product
// c = a * b in integers, which wrap around; m x k by k x n.
extern "C" __global__ void fs_product(const FS_FROM *a, fs_long a_i,
                                      fs_long a_k, const FS_OTHER *b,
                                      fs_long b_k, fs_long b_j, FS_TO *c,
                                      fs_long c_i, fs_long c_j, fs_long m,
                                      fs_long n, fs_long depth) {
  using value = decltype(fs_get(*c));
  for (fs_long e = fs_thread(); e < m * n; e += fs_threads()) {
    const fs_long i = e / n, j = e % n;
    unsigned long long sum = 0;
    for (fs_long k = 0; k < depth; k++)
      sum += (unsigned long long)(fs_long)fs_get(a[i * a_i + k * a_k]) *
             (unsigned long long)(fs_long)fs_get(b[k * b_k + j * b_j]);
    fs_put(c[i * c_i + j * c_j], (value)(fs_long)sum);
  }
}

//@ fs_signs
// Turns each column of the m x n matrix v so that its component of largest magnitude
// (the first of equals) or, `by_diagonal`, that on the diagonal is not negative, and with
// it that column of the with_m x n matrix `with`, if that is not null. One block per column.
extern "C" __global__ void fs_signs(FS_TO *v, fs_long v_i, fs_long v_j, fs_long m,
                                    int by_diagonal, FS_TO *with, fs_long with_i,
                                    fs_long with_j, fs_long with_m) {
  __shared__ FS_TO best[256];
  __shared__ fs_long where[256];
  FS_TO *column = v + (fs_long)blockIdx.x * v_j;
  const int t = threadIdx.x;
  FS_TO most = 0;
  fs_long at = m;
  if (by_diagonal && t == 0) at = blockIdx.x, most = 1;
  for (fs_long i = t; i < m && !by_diagonal; i += 256) {
    const FS_TO x = column[i * v_i] < 0 ? -column[i * v_i] : column[i * v_i];
    if (x > most) most = x, at = i;
  }
  best[t] = most;
  where[t] = at;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half && (best[t + half] > best[t] || (best[t + half] == best[t] &&
                                                  where[t + half] < where[t])))
      best[t] = best[t + half], where[t] = where[t + half];
    __syncthreads();
  }
  const bool turn = where[0] < m && column[where[0] * v_i] < 0;
  __syncthreads();
  if (!turn) return;
  for (fs_long i = t; i < m; i += 256) column[i * v_i] = 0 - column[i * v_i];
  if (!with) return;
  column = with + (fs_long)blockIdx.x * with_j;
  for (fs_long i = t; i < with_m; i += 256) column[i * with_i] = 0 - column[i * with_i];
}

//@ fs_form
// Where an n x n matrix has something but zeros, its rows or columns being the lines:
// found[0] gets bit 0 for elements before the diagonal in their lines, bit 1 for those
// behind it, bit 2 for a NaN anywhere; found[1] becomes n - k for the first k, from 0, with
// 0 on the diagonal. Both start at 0. A block of 256 threads takes one of the `parts` of a
// line; when bits 0 and 1 are there, nobody asks for more.
extern "C" __global__ void fs_form(const FS_FROM *a, fs_long line, fs_long along,
                                   fs_long n, int parts, int *found) {
  constexpr int EACH = 16;
  __shared__ int known, seen;
  if (threadIdx.x == 0) {
    known = *(volatile int *)found;
    seen = 0;
  }
  __syncthreads();
  if ((known & 3) == 3) return;
  const fs_long k = blockIdx.x / parts;
  const fs_long first = (fs_long)(blockIdx.x % parts) * (256 * EACH) + threadIdx.x;
  int bits = 0;
  FS_FROM part[EACH];
#pragma unroll
  for (int t = 0; t < EACH; t++)
    if (first + t * 256 < n) part[t] = a[k * line + (first + t * 256) * along];
#pragma unroll
  for (int t = 0; t < EACH; t++) {
    const fs_long e = first + t * 256;
    if (e >= n) break;
    const auto x = fs_get(part[t]);
    if (x != x) bits |= 4;
    if (x != 0 && e != k) bits |= e < k ? 1 : 2;
    if (x == 0 && e == k) atomicMax(&found[1], (int)(n - k));
  }
  if (bits & ~known) atomicOr(&seen, bits);
  __syncthreads();
  if (threadIdx.x == 0 && seen) atomicOr(found, seen);
}

//@ fs_asymmetry
// Of the column-major n x n matrix: found[0] becomes its largest magnitude, found[1]
// the largest difference of two elements that lie opposite each other, both as the
// bits of doubles, which are ordered as the numbers from 0 on are. They start at 0;
// NaN counts as nothing. 256 threads; a block looks at a tile and the one opposite.
extern "C" __global__ void fs_asymmetry(const FS_FROM *a, fs_long n,
                                        unsigned long long *found) {
  __shared__ FS_FROM tile[32][33];
  __shared__ double most[256], apart[256];
  const int t = threadIdx.x, x = t % 32, y = t / 32;
  const fs_long tiles = (n + 31) / 32;
  most[t] = apart[t] = 0;
  for (fs_long k = blockIdx.x; k < tiles * tiles; k += gridDim.x) {
    const fs_long i0 = k % tiles * 32, j0 = k / tiles * 32;
    if (i0 > j0) continue;
    for (int r = y; r < 32; r += 8)  // [i0 + x, j0 + r], columns in their order
      tile[r][x] = i0 + x < n && j0 + r < n ? a[i0 + x + (j0 + r) * n] : 0;
    __syncthreads();
    for (int r = y; r < 32; r += 8) {
      if (j0 + x >= n || i0 + r >= n) continue;
      const double u = (double)tile[x][r], v = (double)a[j0 + x + (i0 + r) * n];
      most[t] = fmax(most[t], fmax(fabs(u), fabs(v)));
      apart[t] = fmax(apart[t], fabs(u - v));
    }
    __syncthreads();
  }
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) {
      most[t] = fmax(most[t], most[t + half]);
      apart[t] = fmax(apart[t], apart[t + half]);
    }
    __syncthreads();
  }
  if (t) return;
  atomicMax(&found[0], (unsigned long long)__double_as_longlong(most[0]));
  atomicMax(&found[1], (unsigned long long)__double_as_longlong(apart[0]));
}
