// Kernels with what users have around them, for tests/test_asis.py: they run as they are written.
#include <stdio.h>
#include <cuda_runtime.h>
#include "helper.h"
using namespace std;
typedef float real;
#define N 4
#define CHECK(x) if ((x) != cudaSuccess) { printf("%s\n", "no \"luck\""); exit('\n'); }
__constant__ float weights[3] = {1, 2, 3};
__constant__ float late[3];
__device__ real twice(real x) { return 2*x; }
template <typename T> __device__ T thrice(T x) { return 3*x; }
static float on_host(float x) { return x; }
float *d_a, *d_b;

__global__ void axpy(int k, const real *x, real *y, float a) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  y[i] += a*x[i]*k;
}

__global__ void two(const float *__restrict__ x, float *a, float *b, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i >= n) return;
  a[i] = twice(x[i]);
  b[n - 1 - i] = thrice(x[i])*weights[i % 3];
}

__global__ void odd(double *x, double *y, const unsigned int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i >= n) goto end;
  y[i] = x[i] + 1;
end:;
}

extern "C" __global__ __launch_bounds__(256) void square(const long long *x, long long *y,
                                                         bool up, size_t n) {
  for (size_t i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x)
    y[i] = up ? x[i]*x[i] : -x[i];
}

__global__ void places(int *r, int columns) {
  int j = blockIdx.x*blockDim.x + threadIdx.x, i = blockIdx.y*blockDim.y + threadIdx.y;
  r[i*columns + j] = 1000*i + j;
}

__global__ void tiled(const float *A, const float *B, float *C, int n) {
  __shared__ float As[4][4], Bs[4][4];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y*4 + ty, col = blockIdx.x*4 + tx;
  float sum = 0;
  for (int t = 0; t < n/4; t++) {
    As[ty][tx] = A[row*n + t*4 + tx];
    Bs[ty][tx] = B[(t*4 + ty)*n + col];
    __syncthreads();
    for (int k = 0; k < 4; k++) sum += As[ty][k]*Bs[k][tx];
    __syncthreads();
  }
  C[row*n + col] = sum;
}

__global__ void halves(const float *x, float *y) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x*blockDim.x + t];
  __syncthreads();
  for (int k = blockDim.x/2; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (!t) y[blockIdx.x] = s[0];
}

__global__ void set_late(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x]*late[0]; }
__global__ void bytes(const unsigned char *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; }
__global__ void wrong(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x] + no_such_name; }
template <typename T> __global__ void any(const T *x, T *y) { y[threadIdx.x] = x[threadIdx.x]; }

int main(int argc, char **argv) {
  CHECK(cudaMalloc(&d_a, N*sizeof(float)));
  axpy<<<1, N>>>(1, d_a, d_b, on_host(2.f));
  return 0;
}
