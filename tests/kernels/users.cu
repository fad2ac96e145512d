// Kernels as users have them, from memory: samples, tutorials, courses.
#include <stdio.h>
#include <math.h>
#include <cuda_runtime.h>

#define BLOCK_SIZE 16
#define TILE_DIM 32
#define BLOCK_ROWS 8
#define BLOCK 256
#define MASK_WIDTH 5
#define RADIUS 3
#define EPS 1e-5f

__constant__ float Mask[MASK_WIDTH];
__constant__ float gauss[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
__constant__ int sobel_x[9] = {-1, 0, 1, -2, 0, 2, -1, 0, 1};

// 1
__global__ void saxpy(int n, float a, float *x, float *y) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < n) y[i] = a*x[i] + y[i];
}

// 2
__global__ void vectorAdd(const float *A, const float *B, float *C, int numElements) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < numElements) {
    C[i] = A[i] + B[i] + 0.0f;
  }
}

// 3
__global__ void reduce0(int *g_idata, int *g_odata) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x*blockDim.x + threadIdx.x;
  sdata[tid] = g_idata[i];
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2*s) == 0) {
      sdata[tid] += sdata[tid + s];
    }
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

// 4
__global__ void reduce1(int *g_idata, int *g_odata) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x*blockDim.x + threadIdx.x;
  sdata[tid] = g_idata[i];
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    int index = 2*s*tid;
    if (index < blockDim.x) {
      sdata[index] += sdata[index + s];
    }
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

// 5
__global__ void reduce3(float *g_idata, float *g_odata, unsigned int n) {
  __shared__ float sdata[BLOCK];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x*(blockDim.x*2) + threadIdx.x;
  sdata[tid] = g_idata[i] + g_idata[i + blockDim.x];
  __syncthreads();
  for (unsigned int s = blockDim.x/2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

// 6
__global__ void dot(const float *a, const float *b, float *c, int N) {
  __shared__ float cache[BLOCK];
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  int cacheIndex = threadIdx.x;
  float temp = 0;
  while (tid < N) {
    temp += a[tid] * b[tid];
    tid += blockDim.x * gridDim.x;
  }
  cache[cacheIndex] = temp;
  __syncthreads();
  int i = blockDim.x/2;
  while (i != 0) {
    if (cacheIndex < i) cache[cacheIndex] += cache[cacheIndex + i];
    __syncthreads();
    i /= 2;
  }
  if (cacheIndex == 0) c[blockIdx.x] = cache[0];
}

// 7
__global__ void transposeCoalesced(float *odata, const float *idata) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  int width = gridDim.x * TILE_DIM;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    tile[threadIdx.y + j][threadIdx.x] = idata[(y + j)*width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    odata[(y + j)*width + x] = tile[threadIdx.x][threadIdx.y + j];
}

// 8
__global__ void transposeTile(float *out, const float *in, int width, int height) {
  __shared__ float tile[BLOCK_SIZE][BLOCK_SIZE + 1];
  int xIndex = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  int yIndex = blockIdx.y * BLOCK_SIZE + threadIdx.y;
  if ((xIndex < width) && (yIndex < height)) {
    unsigned int index_in = yIndex * width + xIndex;
    tile[threadIdx.y][threadIdx.x] = in[index_in];
  }
  __syncthreads();
  xIndex = blockIdx.y * BLOCK_SIZE + threadIdx.x;
  yIndex = blockIdx.x * BLOCK_SIZE + threadIdx.y;
  if ((xIndex < height) && (yIndex < width)) {
    unsigned int index_out = yIndex * height + xIndex;
    out[index_out] = tile[threadIdx.x][threadIdx.y];
  }
}

// 9
__global__ void stencil_1d(int *in, int *out) {
  __shared__ int temp[BLOCK + 2*RADIUS];
  int gindex = threadIdx.x + blockIdx.x*blockDim.x + RADIUS;
  int lindex = threadIdx.x + RADIUS;
  temp[lindex] = in[gindex];
  if (threadIdx.x < RADIUS) {
    temp[lindex - RADIUS] = in[gindex - RADIUS];
    temp[lindex + BLOCK] = in[gindex + BLOCK];
  }
  __syncthreads();
  int result = 0;
  for (int offset = -RADIUS; offset <= RADIUS; offset++)
    result += temp[lindex + offset];
  out[gindex - RADIUS] = result;
}

// 10
__global__ void histo_kernel(unsigned int *buffer, long size, unsigned int *histo) {
  __shared__ unsigned int temp[256];
  temp[threadIdx.x] = 0;
  __syncthreads();
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int offset = blockDim.x * gridDim.x;
  while (i < size) {
    atomicAdd(&temp[buffer[i]], 1);
    i += offset;
  }
  __syncthreads();
  atomicAdd(&(histo[threadIdx.x]), temp[threadIdx.x]);
}

// 11
__global__ void histogram(const int *data, int *bins, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i]], 1);
}

// 12
__global__ void softmax_rows(const float *x, float *y, int rows, int cols) {
  int row = blockIdx.x*blockDim.x + threadIdx.x;
  if (row < rows) {
    float maxval = -INFINITY;
    for (int j = 0; j < cols; j++) {
      maxval = fmaxf(maxval, x[row*cols + j]);
    }
    float sum = 0.0f;
    for (int j = 0; j < cols; j++) {
      y[row*cols + j] = expf(x[row*cols + j] - maxval);
      sum += y[row*cols + j];
    }
    for (int j = 0; j < cols; j++) {
      y[row*cols + j] /= sum;
    }
  }
}

// 13
__global__ void softmax_block(const float *input, float *output, int n) {
  __shared__ float s[BLOCK];
  int row = blockIdx.x, tid = threadIdx.x;
  const float *x = input + row*n;
  float *y = output + row*n;
  float m = -1e30f;
  for (int i = tid; i < n; i += blockDim.x) m = fmaxf(m, x[i]);
  s[tid] = m;
  __syncthreads();
  for (int k = blockDim.x/2; k > 0; k /= 2) {
    if (tid < k) s[tid] = fmaxf(s[tid], s[tid + k]);
    __syncthreads();
  }
  m = s[0];
  __syncthreads();
  float sum = 0;
  for (int i = tid; i < n; i += blockDim.x) sum += expf(x[i] - m);
  s[tid] = sum;
  __syncthreads();
  for (int k = blockDim.x/2; k > 0; k /= 2) {
    if (tid < k) s[tid] += s[tid + k];
    __syncthreads();
  }
  sum = s[0];
  for (int i = tid; i < n; i += blockDim.x) y[i] = expf(x[i] - m)/sum;
}

// 14
__global__ void layernorm(const float *inp, const float *weight, const float *bias, float *out, int N, int C) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < N) {
    const float *x = inp + idx * C;
    float m = 0.0f;
    for (int i = 0; i < C; i++) m += x[i];
    m = m / C;
    float v = 0.0f;
    for (int i = 0; i < C; i++) {
      float xshift = x[i] - m;
      v += xshift * xshift;
    }
    v = v / C;
    float s = 1.0f / sqrtf(v + EPS);
    float *out_idx = out + idx * C;
    for (int i = 0; i < C; i++) {
      float n = (s * (x[i] - m));
      float o = n * weight[i] + bias[i];
      out_idx[i] = o;
    }
  }
}

// 15
__global__ void scan_serial(const float *in, float *out, int rows, int n) {
  int r = blockIdx.x*blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float acc = 0;
  for (int i = 0; i < n; i++) {
    acc += in[r*n + i];
    out[r*n + i] = acc;
  }
}

// 16
__global__ void hillis_scan(float *g_odata, float *g_idata, int n) {
  extern __shared__ float temp[];
  int thid = threadIdx.x;
  int pout = 0, pin = 1;
  temp[pout*n + thid] = (thid > 0) ? g_idata[thid - 1] : 0;
  __syncthreads();
  for (int offset = 1; offset < n; offset *= 2) {
    pout = 1 - pout;
    pin = 1 - pout;
    if (thid >= offset) temp[pout*n + thid] = temp[pin*n + thid] + temp[pin*n + thid - offset];
    else temp[pout*n + thid] = temp[pin*n + thid];
    __syncthreads();
  }
  g_odata[thid] = temp[pout*n + thid];
}

// 17
__global__ void matrixMultiply(const float *A, const float *B, float *C, int numARows, int numAColumns, int numBColumns) {
  int Row = blockIdx.y*blockDim.y + threadIdx.y;
  int Col = blockIdx.x*blockDim.x + threadIdx.x;
  if ((Row < numARows) && (Col < numBColumns)) {
    float Pvalue = 0;
    for (int k = 0; k < numAColumns; ++k)
      Pvalue += A[Row*numAColumns + k]*B[k*numBColumns + Col];
    C[Row*numBColumns + Col] = Pvalue;
  }
}

// 18: the sample of the toolkit
__device__ int never(int x) { return x; }
__global__ void matrixMulCUDA(float *C, float *A, float *B, int wA, int wB) {
  int bx = blockIdx.x;
  int by = blockIdx.y;
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int aBegin = wA * BLOCK_SIZE * by;
  int aEnd = aBegin + wA - 1;
  int aStep = BLOCK_SIZE;
  int bBegin = BLOCK_SIZE * bx;
  int bStep = BLOCK_SIZE * wB;
  float Csub = 0;
  for (int a = aBegin, b = bBegin; a <= aEnd; a += aStep, b += bStep) {
    __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
    As[ty][tx] = A[a + wA * ty + tx];
    Bs[ty][tx] = B[b + wB * ty + tx];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BLOCK_SIZE; ++k) {
      Csub += As[ty][k] * Bs[k][tx];
    }
    __syncthreads();
  }
  int c = wB * BLOCK_SIZE * by + BLOCK_SIZE * bx;
  C[c + wB * ty + tx] = Csub;
}

// 19: the course's, with borders
__global__ void matmul_tiled(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float sA[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float sB[BLOCK_SIZE][BLOCK_SIZE];
  int row = blockIdx.y * BLOCK_SIZE + threadIdx.y;
  int col = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  float acc = 0.0f;
  for (int t = 0; t < (K + BLOCK_SIZE - 1) / BLOCK_SIZE; ++t) {
    if (row < M && t * BLOCK_SIZE + threadIdx.x < K)
      sA[threadIdx.y][threadIdx.x] = A[row * K + t * BLOCK_SIZE + threadIdx.x];
    else
      sA[threadIdx.y][threadIdx.x] = 0.0f;
    if (col < N && t * BLOCK_SIZE + threadIdx.y < K)
      sB[threadIdx.y][threadIdx.x] = B[(t * BLOCK_SIZE + threadIdx.y) * N + col];
    else
      sB[threadIdx.y][threadIdx.x] = 0.0f;
    __syncthreads();
    for (int k = 0; k < BLOCK_SIZE; ++k)
      acc += sA[threadIdx.y][k] * sB[k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = acc;
}

// 20
__global__ void convolution_1D_basic(const float *N, float *P, int Width) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  float Pvalue = 0;
  int N_start_point = i - (MASK_WIDTH/2);
  for (int j = 0; j < MASK_WIDTH; j++) {
    if (N_start_point + j >= 0 && N_start_point + j < Width) {
      Pvalue += N[N_start_point + j]*Mask[j];
    }
  }
  if (i < Width) P[i] = Pvalue;
}

// 21
__global__ void gauss3(const float *in, float *out, int w, int h) {
  int x = blockIdx.x*blockDim.x + threadIdx.x;
  int y = blockIdx.y*blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  float s = 0;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++)
      s += gauss[j + 1][i + 1]*in[(y + j)*w + x + i];
  out[y*w + x] = s/16;
}

// 22
__global__ void rgb2gray(const float *rgb, float *gray, int width, int height) {
  int x = threadIdx.x + blockIdx.x*blockDim.x;
  int y = threadIdx.y + blockIdx.y*blockDim.y;
  if (x < width && y < height) {
    int grayOffset = y*width + x;
    int rgbOffset = grayOffset*3;
    float r = rgb[rgbOffset];
    float g = rgb[rgbOffset + 1];
    float b = rgb[rgbOffset + 2];
    gray[grayOffset] = 2*r + 7*g + b;
  }
}

// 23
__device__ int iterations(float cr, float ci, int most) {
  float zr = 0, zi = 0;
  int k = 0;
  while (k < most && zr*zr + zi*zi < 4.0f) {
    float t = zr*zr - zi*zi + cr;
    zi = 2*zr*zi + ci;
    zr = t;
    k++;
  }
  return k;
}
__global__ void mandelbrot(int *out, int width, int height, float x0, float y0, float step, int most) {
  int px = blockIdx.x*blockDim.x + threadIdx.x, py = blockIdx.y*blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  out[py*width + px] = iterations(x0 + px*step, y0 + py*step, most);
}

// 24
__global__ void bodyForce(const float *px, const float *py, const float *pz, float *fx, float dt, int n) {
  int i = blockDim.x*blockIdx.x + threadIdx.x;
  if (i < n) {
    float Fx = 0.0f;
    for (int tile = 0; tile < gridDim.x; tile++) {
      __shared__ float sx[BLOCK], sy[BLOCK], sz[BLOCK];
      sx[threadIdx.x] = px[tile*blockDim.x + threadIdx.x];
      sy[threadIdx.x] = py[tile*blockDim.x + threadIdx.x];
      sz[threadIdx.x] = pz[tile*blockDim.x + threadIdx.x];
      __syncthreads();
      for (int j = 0; j < BLOCK; j++) {
        float dx = sx[j] - px[i];
        float dy = sy[j] - py[i];
        float dz = sz[j] - pz[i];
        float d2 = dx*dx + dy*dy + dz*dz + 1.0f;
        float inv = rsqrtf(d2);
        Fx += dx*inv*inv*inv;
      }
      __syncthreads();
    }
    fx[i] += dt*Fx;
  }
}

// 25
__device__ inline float cndGPU(float d) {
  const float A1 = 0.31938153f;
  const float A2 = -0.356563782f;
  const float A3 = 1.781477937f;
  const float A4 = -1.821255978f;
  const float A5 = 1.330274429f;
  const float RSQRT2PI = 0.39894228040143267793994605993438f;
  float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
  float cnd = RSQRT2PI * __expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
  if (d > 0) cnd = 1.0f - cnd;
  return cnd;
}
__device__ inline void BlackScholesBodyGPU(float &CallResult, float &PutResult, float S, float X, float T, float R, float V) {
  float sqrtT, expRT;
  float d1, d2, CNDD1, CNDD2;
  sqrtT = __fdividef(1.0F, rsqrtf(T));
  d1 = __fdividef(__logf(S / X) + (R + 0.5f * V * V) * T, V * sqrtT);
  d2 = d1 - V * sqrtT;
  CNDD1 = cndGPU(d1);
  CNDD2 = cndGPU(d2);
  expRT = __expf(-R * T);
  CallResult = S * CNDD1 - X * expRT * CNDD2;
  PutResult = X * expRT * (1.0f - CNDD2) - S * (1.0f - CNDD1);
}
__launch_bounds__(128) __global__ void BlackScholesGPU(float *d_CallResult, float *d_PutResult, float *d_StockPrice, float *d_OptionStrike, float *d_OptionYears, float Riskfree, float Volatility, int optN) {
  const int opt = blockDim.x * blockIdx.x + threadIdx.x;
  if (opt < optN) {
    float callResult, putResult;
    BlackScholesBodyGPU(callResult, putResult, d_StockPrice[opt], d_OptionStrike[opt], d_OptionYears[opt], Riskfree, Volatility);
    d_CallResult[opt] = callResult;
    d_PutResult[opt] = putResult;
  }
}

// 26
__global__ void jacobi(const float *u, float *unew, const float *f, int nx, int ny) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (i < nx - 1 && j < ny - 1) {
    unew[j*nx + i] = 0.25f*(u[j*nx + i - 1] + u[j*nx + i + 1] + u[(j - 1)*nx + i] + u[(j + 1)*nx + i] - f[j*nx + i]);
  }
}

// 27
__global__ void bitonic_sort_step(float *dev_values, int j, int k) {
  unsigned int i, ixj;
  i = threadIdx.x + blockDim.x * blockIdx.x;
  ixj = i^j;
  if ((ixj) > i) {
    if ((i & k) == 0) {
      if (dev_values[i] > dev_values[ixj]) {
        float temp = dev_values[i];
        dev_values[i] = dev_values[ixj];
        dev_values[ixj] = temp;
      }
    }
    if ((i & k) != 0) {
      if (dev_values[i] < dev_values[ixj]) {
        float temp = dev_values[i];
        dev_values[i] = dev_values[ixj];
        dev_values[ixj] = temp;
      }
    }
  }
}

// 28
__global__ void gather(const float *src, const int *index, float *dst, int n) {
  for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x)
    dst[i] = src[index[i]];
}

// 29
__global__ void scatter(const float *src, const int *index, float *dst, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < n) dst[index[i]] = src[i];
}

// 30
__global__ void spmv_csr_scalar_kernel(const int num_rows, const int *ptr, const int *indices, const float *data, const float *x, float *y) {
  int row = blockDim.x * blockIdx.x + threadIdx.x;
  if (row < num_rows) {
    float dot = 0;
    int row_start = ptr[row];
    int row_end = ptr[row + 1];
    for (int jj = row_start; jj < row_end; jj++)
      dot += data[jj] * x[indices[jj]];
    y[row] += dot;
  }
}

// 31
__global__ void sobel(const float *in, float *out, int w, int h) {
  int x = blockIdx.x*blockDim.x + threadIdx.x;
  int y = blockIdx.y*blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
    float dx = (-1*in[(y - 1)*w + (x - 1)]) + (-2*in[y*w + (x - 1)]) + (-1*in[(y + 1)*w + (x - 1)]) +
               (in[(y - 1)*w + (x + 1)]) + (2*in[y*w + (x + 1)]) + (in[(y + 1)*w + (x + 1)]);
    float dy = (in[(y - 1)*w + (x - 1)]) + (2*in[(y - 1)*w + x]) + (in[(y - 1)*w + (x + 1)]) +
               (-1*in[(y + 1)*w + (x - 1)]) + (-2*in[(y + 1)*w + x]) + (-1*in[(y + 1)*w + (x + 1)]);
    out[y*w + x] = sqrtf(dx*dx + dy*dy);
  }
}

// 32
__global__ void sobel_table(const float *in, float *out, int w, int h) {
  int x = blockIdx.x*blockDim.x + threadIdx.x;
  int y = blockIdx.y*blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float gx = 0;
  for (int j = -1; j <= 1; j++) {
    for (int i = -1; i <= 1; i++) {
      int xx = min(max(x + i, 0), w - 1);
      int yy = min(max(y + j, 0), h - 1);
      gx += sobel_x[(j + 1)*3 + i + 1]*in[yy*w + xx];
    }
  }
  out[y*w + x] = gx;
}

// 33
__global__ void bilateral(const float *in, float *out, int w, int h, int r, float sr) {
  int x = blockIdx.x*blockDim.x + threadIdx.x;
  int y = blockIdx.y*blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0, norm = 0, center = in[y*w + x];
  for (int dy = -r; dy <= r; dy++)
    for (int dx = -r; dx <= r; dx++) {
      int cx = x + dx, cy = y + dy;
      if (cx < 0 || cy < 0 || cx >= w || cy >= h) continue;
      float v = in[cy*w + cx];
      float d = v - center;
      float weight = d*d < sr ? 1.0f : 0.0f;
      sum += weight*v;
      norm += weight;
    }
  out[y*w + x] = sum/norm;
}

// 34
__global__ void kmeans_assign(const float *points, const float *centroids, int *labels, int n, int k, int d) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i >= n) return;
  float best = FLT_MAX;
  int best_c = 0;
  for (int c = 0; c < k; ++c) {
    float dist = 0;
    for (int j = 0; j < d; ++j) {
      float diff = points[i*d + j] - centroids[c*d + j];
      dist += diff*diff;
    }
    if (dist < best) {
      best = dist;
      best_c = c;
    }
  }
  labels[i] = best_c;
}

// 35
__global__ void relu(float *x, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] > 0 ? x[i] : 0;
}

// 36
__global__ void game_of_life(const int *in, int *out, int w, int h) {
  int x = blockIdx.x*blockDim.x + threadIdx.x;
  int y = blockIdx.y*blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int n = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      if (dx == 0 && dy == 0) continue;
      n += in[((y + dy + h) % h)*w + (x + dx + w) % w];
    }
  out[y*w + x] = n == 3 || (n == 2 && in[y*w + x]);
}

// 37
__global__ void monte_carlo_pi(const float *xs, const float *ys, int *count, int n) {
  int tid = blockIdx.x*blockDim.x + threadIdx.x;
  int stride = blockDim.x*gridDim.x;
  int local = 0;
  for (int i = tid; i < n; i += stride)
    if (xs[i]*xs[i] + ys[i]*ys[i] <= 1.0f) local++;
  atomicAdd(count, local);
}

// 38
__global__ void heat3d(const float *in, float *out, int nx, int ny, int nz) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  int j = blockIdx.y*blockDim.y + threadIdx.y;
  int k = blockIdx.z*blockDim.z + threadIdx.z;
  if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1 && k > 0 && k < nz - 1) {
    int c = i + j*nx + k*nx*ny;
    out[c] = in[c - 1] + in[c + 1] + in[c - nx] + in[c + nx] + in[c - nx*ny] + in[c + nx*ny] - 6*in[c];
  }
}

// 39
__device__ float row_sum(const float *row, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) s += row[i];
  return s;
}
__device__ void swap_if(float &a, float &b, bool c) {
  if (c) {
    float t = a;
    a = b;
    b = t;
  }
}
__global__ void row_means(const float *A, float *mean, int m, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < m) mean[i] = row_sum(A + i*n, n)/n + row_sum(&A[i*n + 1], 2);
}

// 40
__global__ void ordered(const float *x, const float *y, float *low, float *high, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = x[i], b = y[i];
  swap_if(a, b, a > b);
  low[i] = a;
  high[i] = b;
}

// 41: a row for each block
__global__ void rms_rows(const float *inp, float *out, float *means, int C) {
  __shared__ float shared[BLOCK];
  int idx_row = blockIdx.x;
  int tid = threadIdx.x;
  const float *x = inp + idx_row * C;
  float sum = 0.0f, least = INFINITY;
  for (int i = tid; i < C; i += blockDim.x) {
    sum += x[i];
    least = fminf(x[i], least);
  }
  shared[tid] = sum;
  __syncthreads();
  for (int stride = blockDim.x >> 1; stride > 0; stride >>= 1) {
    if (tid < stride) shared[tid] = shared[tid] + shared[tid + stride];
    __syncthreads();
  }
  float mean = shared[0] / C;
  __syncthreads();
  shared[tid] = least;
  __syncthreads();
  for (int stride = blockDim.x >> 1; stride > 0; stride >>= 1) {
    if (tid < stride) shared[tid] = min(shared[tid], shared[tid + stride]);
    __syncthreads();
  }
  least = shared[0];
  if (tid == 0) {
    means[idx_row] = mean;
  }
  for (int i = tid; i < C; i += blockDim.x) out[idx_row * C + i] = x[i] - least + mean;
}

// 42: each thread begins with 1, so it depends on how many there are
__global__ void one_each(const float *x, float *y, int n) {
  __shared__ float s[BLOCK];
  float sum = 1;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[blockIdx.x*n + i];
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int k = blockDim.x/2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = s[0];
}

// 43: counts by rows of blocks
__global__ void counts(const int *data, int *bins, int n) {
  __shared__ int s[5];
  for (int b = threadIdx.x; b < 5; b += blockDim.x) s[b] = 0;
  __syncthreads();
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&s[data[i]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < 5; b += blockDim.x) atomicAdd(&bins[b], s[b]);
}

// 44: loops of any condition and step
__global__ void is_prime(const int *x, int *y, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = x[i], prime = v > 1;
  for (int d = 2; d*d <= v; d++)
    if (v % d == 0) {
      prime = 0;
      break;
    }
  y[i] = prime;
}
__global__ void gcds(const int *x, const int *y, int *g, int *bits, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i >= n) return;
  int a, b, rounds = 0, k;
  for (a = x[i], b = y[i]; b != 0; rounds++) {
    int t = a % b;
    a = b;
    b = t;
  }
  g[i] = a + 0*rounds;
  int most = 0;
  for (k = 1; k <= x[i]; k *= 2) most++;
  bits[i] = most;
}

// 45: these depend on the launch
__global__ void all_add(const float *x, float *y, float *count, int n) {
  __shared__ float s[BLOCK];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[blockIdx.x*n + i];
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int k = blockDim.x/2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  atomicAdd(count, 1);
  if (threadIdx.x == 0) y[blockIdx.x] = s[0];
}
__global__ void first_counts(const int *data, int *bins, int n) {
  __shared__ int s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&s[data[i]], 1);
  __syncthreads();
  if (blockIdx.x == 0) atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
__global__ void column_parts(const float *in, float *out, int w) {
  __shared__ float tile[TILE_DIM][TILE_DIM];
  int x = blockIdx.x*TILE_DIM + threadIdx.x, y = blockIdx.y*TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j)*w + x];
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) sum += tile[threadIdx.y + j][threadIdx.x];
  atomicMax(&out[x], sum);
}
// Places by names of their own, and in larger types.
__global__ void named_places(const float *u, float *v, int n) {
  int bx = blockIdx.x, tx = (int)threadIdx.x;
  int i = bx * (int)blockDim.x + tx;
  if (i < n) v[i] = 2*u[i];
}
__global__ void large_places(const float *u, float *v, const size_t nx, const size_t ny, const float h2) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  size_t j = static_cast<size_t>(blockIdx.y) * blockDim.y + threadIdx.y;
  if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1) {
    const size_t p = j*nx + i;
    v[p] = (u[p-1] + u[p+1] + u[p-nx] + u[p+nx] - static_cast<float>(4)*u[p])/h2;
  }
}
__global__ void large_strides(const float *u, float *v, size_t n) {
  for (size_t i = (size_t)blockIdx.x*blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x*gridDim.x)
    v[i] = 3*u[i];
}
// PolyBench: gesummv, mvt, syrk; Rodinia: Fan1.
__global__ void gesummv_kernel(int n, float alpha, float beta, float *A, float *B, float *tmp, float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int j;
    for (j = 0; j < n; j++) {
      tmp[i] += A[i * n + j] * x[j];
      y[i] += B[i * n + j] * x[j];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
  }
}
__global__ void mvt_kernel2(int n, float *a, float *x2, float *y_2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int j;
    for (j = 0; j < n; j++) x2[i] += a[j * n + i] * y_2[j];
  }
}
__global__ void syrk_kernel(int ni, int nj, float alpha, float beta, float *a, float *c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if ((i < ni) && (j < ni)) {
    c[i * ni + j] *= beta;
    int k;
    for (k = 0; k < nj; k++) c[i * ni + j] += alpha * a[i * nj + k] * a[j * nj + k];
  }
}
__global__ void Fan1(float *m_cuda, float *a_cuda, int Size, int t) {
  if (threadIdx.x + blockIdx.x * blockDim.x >= Size-1-t) return;
  *(m_cuda+Size*(blockDim.x*blockIdx.x+threadIdx.x+t+1)+t) =
      *(a_cuda+Size*(blockDim.x*blockIdx.x+threadIdx.x+t+1)+t) / *(a_cuda+Size*t+t);
}

int main(void) { return 0; }
