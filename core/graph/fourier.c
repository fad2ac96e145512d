/* fourier.c - see fourier.h. */
#include "core/graph/fourier.h"

#include <math.h>

bool fs_fourier_fits(int64_t n, enum fs_dtype dt) {
  if (n > FS_FOURIER_BYTES / 2 / (int64_t)fs_dtype_size(dt)) return false;
  for (int p = 2; p <= 5; p++)
    while (n % p == 0) n /= p;
  return n == 1;
}

int fs_fourier_radices(int64_t n, int *out) {
  int twos = 0, k = 0;
  for (; n % 2 == 0; n /= 2) twos++;
  for (int passes = (twos + 3) / 4; passes; passes--) {
    int log = (twos + passes - 1) / passes;
    out[k++] = 1 << log;
    twos -= log;
  }
  for (int r = 3; r <= 5; r += 2)
    for (; n % r == 0; n /= r) out[k++] = r;
  if (!k) out[k++] = 1;
  return k;
}

static int64_t lines_of(const struct fs_node *nd) {
  int64_t extent = fs_shape_dim(&nd->lib_shape[0], nd->lib_flags & FS_LIB_AXIS);
  return fs_shape_count(&nd->lib_shape[0]) / FS_MAX(extent, 1);
}

int64_t fs_fourier_length(const struct fs_node *nd) {
  int64_t out = fs_shape_count(&nd->shape) / FS_MAX(lines_of(nd), 1);
  if (nd->op == FS_LIB_IRFFT) return out;
  if (nd->op == FS_LIB_FFT) return out / 2;
  return out - 2 + !!(nd->lib_flags & FS_LIB_ODD);
}

double fs_fourier_flops(const struct fs_node *nd) {
  double n = (double)fs_fourier_length(nd), each = nd->n_src == 2 ? 5 : 2.5;
  return (double)lines_of(nd) * each * n * log2(FS_MAX(n, 2));
}

double fs_fourier_around(const struct fs_node *nd) {
  int64_t n = fs_fourier_length(nd);
  double trips = 1 + ceil(log2((double)n + 1) / 12);
  if (fs_fourier_fits(n, nd->dtype)) return 0;
  return 2 * (double)fs_dtype_size(nd->dtype) * (double)n * (double)lines_of(nd) * trips;
}
