/* Naive kernels as programmers write them: those of Yang and Zhou, and a few more. */
#define A(y, x) A[(y)*n + (x)]
#define B(y, x) B[(y)*w + (x)]
#define C(y, x) C[(y)*w + (x)]
__global__ void tmv(float *A, float *x, float *y, int n, int m) {
  float sum = 0;
  for (int i = 0; i < m; i++) sum += A(i, idx)*x[i];
  y[idx] = sum;
}
__global__ void mm(float *A, float *B, float *C, int n, int w) {
  float sum = 0;
  for (int i = 0; i < n; i++) {
    float a, b;
    a = A(idy, i);
    b = B(i, idx);
    sum += a*b;
  }
  C(idy, idx) = sum;
}
__global__ void vv(const float *a, const float *b, float *c) { c[idx] = a[idx]*b[idx]; }
__global__ void rd(const float *a, float *c, int len) {
  float sum = 0;
  for (int i = 0; i < len; i++) sum += a[i];
  c[idx] = sum;
}
__global__ void dot(const float *a, const float *b, float *c, int len) {
  int t = threadIdx.x;
  if (t > 0) return;
  float sum = 0;
  for (int i = 0; i < len; i++) sum += a[i]*b[i];
  *c = sum;
}
__global__ void crd(const float *re, const float *im, float *c, float *d, int len) {
  float x = 0, y = 0;
  for (int i = 0; i < len; i++) {
    x += re[i];
    y += im[i];
  }
  if (idx == 0) { c[idx] = x; d[idx] = y; }
}
__global__ void tp(float *A, float *C, int n, int w) { C(idx, idy) = A(idy, idx); }
__global__ void conv(float *A, float *K, float *C, int n, int w, int kw, int kh) {
  float sum = 0;
  for (int j = 0; j < kh; j++)
    for (int i = 0; i < kw; i++) sum += A(idy + j, idx + i)*K[j*kw + i];
  C(idy, idx) = sum;
}
__global__ void imregionmax(float *A, float *C, int n, int w, int h) {
  int x = blockIdx.x*blockDim.x + threadIdx.x, y = blockIdx.y*blockDim.y + threadIdx.y;
  if (x >= n || y >= h) return;
  int m = 1;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++)
      if (y + j >= 0 && y + j < h && x + i >= 0 && x + i < n)
        if (A(y + j, x + i) > A(y, x)) m = 0;
  C[y*n + x] = m;
}
__global__ void demosaic(float *A, float *G, int n, int h) {
  if (idx >= n || idy >= h) return;
  float g = A(idy, idx);
  if (idx > 0 && idx < n - 1 && idy > 0 && idy < h - 1 && (idx + idy) % 2 == 0)
    g = (A(idy, idx - 1) + A(idy, idx + 1) + A(idy - 1, idx) + A(idy + 1, idx))*0.25f;
  G[idy*n + idx] = g;
}
__global__ void strsm(float *A, float *B, int n, int w) {
  for (int i = 0; i < n; i++) {
    float s = B(i, idx);
    for (int j = 0; j < i; j++) s -= A(i, j)*B(j, idx);
    B(i, idx) = s/A(i, i);
  }
}
__global__ void half_of(const float *a, float *c, int n) {
  int i = blockIdx.x*256 + threadIdx.x;
  if (i < n) {
    float t = a[i];
    c[i] = t/2;
  }
}
__global__ void prefix(const float *a, float *c, int n) {
  if (threadIdx.x != 0) return;
  float s = 0;
  int i;
  for (i = 0; i < n; i++) {
    s += a[i];
    c[threadIdx.x + i] = s;
  }
}
__global__ void rows(float A[][5], float c[]) {
  float m = A[blockIdx.x][0];
  for (int j = 1; j < 5; ++j) m = max(m, A[blockIdx.x][j]);
  *(c + blockIdx.x) = m;
}
__global__ void count(const int *a, int *low, int *high, int limit, int n) {
  int x = 0, y = 0;
  for (int i = 0; i < n; i++) {
    x += a[i] < limit;
    if (a[i] >= limit) y++;
  }
  if (idx == 0) { low[0] = x; high[0] = y; }
}
__global__ void cube(const float *a, float *c, int nx, int ny, int nz) {
  int x = blockIdx.x*blockDim.x + threadIdx.x, y = blockIdx.y*blockDim.y + threadIdx.y;
  int z = blockDim.z*blockIdx.z + threadIdx.z;
  if (x < nx && y < ny && z < nz) c[(z*ny + y)*nx + x] = 2*a[(z*ny + y)*nx + x] + z;
}
__device__ float square(float t) { return t*t; }
__device__ inline float twice_square(float t, int more) { return 2*square(t) + more; }
__global__ void stride(const float *x, float *y, int n) {
  for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x)
    y[i] = twice_square(x[i] > 0 ? x[i] : 0, 1);
}
__global__ void mirrored(float *A, float *C, int n, int w) {
  if (idx >= n || idy >= w) return;
  float s = 0;
  for (int k = -1; k <= 0; k++) {
    int j = idx + k < 0 ? -(idx + k) : idx + k;
    s += A(idy, j);
  }
  C[idy*n + idx] = s;
}
__global__ void remains(const int *a, const int *b, int *c) { c[idx] = a[idx] % b[idx] % 3; }
