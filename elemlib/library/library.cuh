// library.cuh - the small kernels around library calls on the device. A program
// is memory.cuh, the head of this file, and the one piece (`//@ name`) that is
// wanted, with FS_FROM, FS_TO, FS_OTHER defined as element types as stored.
// Strides are in elements.

typedef long long fs_long;

__device__ __forceinline__ fs_long fs_thread() {
  return (fs_long)blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ fs_long fs_threads() {
  return (fs_long)gridDim.x * blockDim.x;
}

//@ fs_copy
// to(i, j) = from(i, j), converted, over m x n. `only_upper` puts 0 below the
// diagonal; a `from` of null makes the identity. Unless `bad` is null, *bad gets bit 0
// of an element that is not finite, and bit 1 of one that is not a number.
extern "C" __global__ void fs_copy(const FS_FROM *from, fs_long from_i,
                                   fs_long from_j, FS_TO *to, fs_long to_i,
                                   fs_long to_j, fs_long m, fs_long n,
                                   int only_upper, int *bad) {
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
        x[k] = only_upper && i > j ? (value)0 : (value)y;
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
struct fs_gather_args {
  fs_long count, width, extent;  // indices; elements of a row; things to choose
  fs_long index_dim[4], index_stride[4];
  fs_long row_from, row_to;      // stride from one chosen thing to the next
  fs_long dim[4], from[4], to[4];
  int by_element;                // the result has the index's shape
};

__device__ __forceinline__ fs_long fs_offset(fs_long e, const fs_long *dim,
                                             const fs_long *stride) {
  fs_long offset = 0;
  for (int k = 3; k >= 0; k--) {
    offset += e % dim[k] * stride[k];
    e /= dim[k];
  }
  return offset;
}

// to[e, ...] = from[index[e] - 1, ...]. The first wrong index (by position, from
// 1) goes to *wrong, which starts at the largest number.
extern "C" __global__ void fs_gather(const FS_FROM *from, const FS_OTHER *index,
                                     FS_TO *to, const fs_gather_args a,
                                     unsigned long long *wrong) {
  using value = decltype(fs_get(*to));
  for (fs_long g = fs_thread(); g < a.count * a.width; g += fs_threads()) {
    const fs_long e = g / a.width, w = g % a.width;
    const double x =
        (double)fs_get(index[fs_offset(e, a.index_dim, a.index_stride)]);
    if (!(x >= 1 && x <= (double)a.extent) || floor(x) != x) {
      atomicMin(wrong, (unsigned long long)(e + 1));
      continue;
    }
    const fs_long row = (fs_long)x - 1;
    const fs_long f = row * a.row_from + fs_offset(w, a.dim, a.from);
    const fs_long t = a.by_element ? fs_offset(e, a.index_dim, a.to)
                                   : e * a.row_to + fs_offset(w, a.dim, a.to);
    fs_put(to[t], (value)fs_get(from[f]));
  }
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
// Turns each column of the column-major n x n matrix so that its component of
// largest magnitude (the first of equals) is positive. One block per column.
extern "C" __global__ void fs_signs(FS_TO *v, fs_long n) {
  __shared__ FS_TO best[256];
  __shared__ fs_long where[256];
  FS_TO *column = v + (fs_long)blockIdx.x * n;
  const int t = threadIdx.x;
  FS_TO most = 0;
  fs_long at = n;
  for (fs_long i = t; i < n; i += 256) {
    const FS_TO x = column[i] < 0 ? -column[i] : column[i];
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
  const bool turn = where[0] < n && column[where[0]] < 0;
  __syncthreads();
  if (turn)
    for (fs_long i = t; i < n; i += 256) column[i] = -column[i];
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
