/* Kernels as they stand in samples and benchmarks. */
#include <stdio.h>
#ifndef DATA_TYPE
#define DATA_TYPE float
#endif
#if 0
this is passed over
#elif defined(DATA_TYPE)
typedef DATA_TYPE real;
#else
neither is this
#endif
static const int SIZE = 4;
constexpr float HALF = 0.5f;
__global__ void saxpy(int n, float a, const float * __restrict__ x, float * __restrict__ y) {
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int stride = gridDim.x * blockDim.x;
  for (; i < n; i += stride) y[i] = a * x[i] + y[i];
}
__global__ void hotspot(const float *temp, const float *power, float *out, int rows, int cols, float cap, float rx, float ry, float rz, float amb) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= cols) return;
  int N = r > 0 ? r - 1 : 0;
  int S = r < rows - 1 ? r + 1 : rows - 1;
  int W = (c > 0) ? c - 1 : 0;
  int E = (c < cols - 1) ? c + 1 : cols - 1;
  float t = temp[r * cols + c];
  out[r * cols + c] = t + cap * (power[r * cols + c] + (temp[S * cols + c] + temp[N * cols + c] - 2.0f * t) * ry + (temp[r * cols + E] + temp[r * cols + W] - 2.0f * t) * rx + (amb - t) * rz);
}
#define MIN(a, b) ((a) <= (b) ? (a) : (b))
__global__ void pathfinder(const int *wall, const int *src, int *dst, int cols, int row) {
  int tx = blockIdx.x * blockDim.x + threadIdx.x;
  if (tx < cols) {
    int best = src[tx];
    if (tx > 0) best = MIN(best, src[tx - 1]);
    if (tx < cols - 1) best = MIN(best, src[tx + 1]);
    dst[tx] = best + wall[row * cols + tx];
  }
}
__global__ void srad(const float *J, float *dN, float *dS, float *C, int rows, int cols) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < rows && j < cols) {
    float Jc = J[i * cols + j];
    float n, s;
    if (i == 0) { n = 0.0f; s = J[(i + 1) * cols + j] - Jc; }
    else if (i == rows - 1) { n = J[(i - 1) * cols + j] - Jc; s = 0.0f; }
    else { n = J[(i - 1) * cols + j] - Jc; s = J[(i + 1) * cols + j] - Jc; }
    dN[i * cols + j] = n;
    dS[i * cols + j] = s;
    C[i * cols + j] = n * n + s * s;
  }
}
#define NX 5
#define NY 7
__global__ void atax_kernel1(DATA_TYPE *A, DATA_TYPE *x, DATA_TYPE *tmp) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < NX) {
    tmp[i] = 0;
    int j;
    for (j = 0; j < NY; j++) {
      tmp[i] += A[i * NY + j] * x[j];
    }
  }
}
#undef NI
#undef NJ
#define NI 4
#define NJ 5
#define NK 6
#define ALPHA 2.0f
#define BETA 3.0f
__global__ void gemm_kernel(DATA_TYPE *a, DATA_TYPE *b, DATA_TYPE *c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if ((i < NI) && (j < NJ)) {
    c[i * NJ + j] *= BETA;
    int k;
    for (k = 0; k < NK; k++) {
      c[i * NJ + j] += ALPHA * a[i * NK + k] * b[k * NJ + j];
    }
  }
}
#undef NI
#undef NJ
#define NI 6
#define NJ 7
__global__ void Convolution2D_kernel(DATA_TYPE *A, DATA_TYPE *B) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  DATA_TYPE c11, c12, c13, c21, c22, c23, c31, c32, c33;
  c11 = +2;  c21 = +5;  c31 = -8;
  c12 = -3;  c22 = +6;  c32 = -9;
  c13 = +4;  c23 = +7;  c33 = +1;
  if ((i < NI-1) && (j < NJ-1) && (i > 0) && (j > 0)) {
    B[i * NJ + j] =  c11 * A[(i - 1) * NJ + (j - 1)]  + c21 * A[(i - 1) * NJ + (j + 0)] + c31 * A[(i - 1) * NJ + (j + 1)]
      + c12 * A[(i + 0) * NJ + (j - 1)]  + c22 * A[(i + 0) * NJ + (j + 0)] +  c32 * A[(i + 0) * NJ + (j + 1)]
      + c13 * A[(i + 1) * NJ + (j - 1)]  + c23 * A[(i + 1) * NJ + (j + 0)] +  c33 * A[(i + 1) * NJ + (j + 1)];
  }
}
__global__ void local_array(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float acc[SIZE];
  #pragma unroll
  for (int k = 0; k < SIZE; k++) acc[k] = A[i * SIZE + k];
  float best = acc[0];
  for (int k = 1; k < SIZE; k++) best = fmaxf(best, acc[k]);
  y[i] = best + acc[SIZE - 1];
}
__global__ void rotate(const float *p, float *q, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float R[3][3] = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
  if (i < n) {
    for (int r = 0; r < 3; r++) {
      float s = 0.f;
      for (int c = 0; c < 3; c++) s += R[r][c] * p[3 * i + c];
      q[3 * i + r] = s;
    }
  }
}
__global__ void pick(const int *k, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  switch (k[i]) {
    case 0: y[i] = x[i]; break;
    case 1: y[i] = -x[i]; break;
    default: y[i] = 0;
  }
}
template <typename T> __global__ void scale(const T *x, T *y, T a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
__global__ void rgb2gray(const unsigned char *rgb, unsigned char *gray, int w, int h) {
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x < w && y < h) {
    int off = y * w + x;
    unsigned char r = rgb[3 * off], g = rgb[3 * off + 1], b = rgb[3 * off + 2];
    gray[off] = 0.25f * r + 0.5f * g + 0.25f * b;
  }
}
__device__ int clampi(int v, int lo, int hi) { return v < lo ? lo : (v > hi ? hi : v); }
__global__ void box(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float s = 0.0f;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      s += in[clampi(y + dy, 0, h - 1) * w + clampi(x + dx, 0, w - 1)];
  out[y * w + x] = s / 9.0f;
}
__global__ void collatz(const float *a, int *n_steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = a[i]; int c = 0;
  do { v = v * HALF; c++; } while (v > 1.0f);
  n_steps[i] = c;
}
__device__ float quarter(float x) {
  float y = x;
  if (x < 0) y = -y;
  else if (x > 8) return 8.0f;
  y += 4;
  return y * 0.25f;
}
__global__ void quarters(const real *x, real *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = quarter(x[i]) + HALF;
}
__global__ void strided(const real *x, real *y, int n) {
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  while (tid < n) {
    y[tid] = 2 * x[tid];
    tid += blockDim.x * gridDim.x;
  }
}
__global__ void chosen(const real *x, const int *k, real *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  real w[SIZE - 1];
  for (int j = 0; j < 3; j++) w[j] = x[3 * i + j];
  for (int j = 0; j < 2; j++)
    if (w[j] > w[j + 1]) {
      real t = w[j];
      w[j] = w[j + 1];
      w[j + 1] = t;
    }
  y[i] = w[k[i]];
}

// Integers without a sign, of which products wrap around and shifts bring no sign.
__global__ void hashed(const unsigned int *x, unsigned int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned int h = x[i] * 2654435761u;
    h = h ^ (h >> 16);
    h = h * 1664525u + 1013904223u;
    y[i] = h / 3u + (h % 7);
  }
}

__global__ void above(const unsigned int *x, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 2147483648u;
}

// Small integers are ints where they are computed with.
__global__ void packed(const signed char *a, const uint16_t *b, short *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = (short)((a[i] << 8) | (b[i] & 0xff));
}

__global__ void brighter(unsigned char *image, int by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int v = image[i] + by;
    image[i] = v > 255 ? 255 : v;
  }
}

// Bytes as places: 255 + 1 is 256
__global__ void tallied(const unsigned char *data, int n, unsigned int *h) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&h[data[i]], 1);
}

__global__ void table_of_bytes(const signed char *data, const float *t, float *y, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < n) y[i] = t[data[i] + 128];
}
