/* Tiles in shared memory, as samples have them. */
#undef TILE
#define TILE 16
__global__ void matmul_tiled(const float *A, const float *B, float *C, int N) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty;
  int col = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int t = 0; t < N / TILE; ++t) {
    As[ty][tx] = A[row * N + t * TILE + tx];
    Bs[ty][tx] = B[(t * TILE + ty) * N + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}
#undef TILE_DIM
#define TILE_DIM 16
__global__ void transpose_tiled(float *odata, const float *idata, int width, int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = idata[y * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  odata[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
#undef RADIUS
#define RADIUS 2
#undef BLOCK_SIZE
#define BLOCK_SIZE 8
__global__ void stencil_1d(const int *in, int *out, int n) {
  __shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
  int gindex = threadIdx.x + blockIdx.x * blockDim.x;
  int lindex = threadIdx.x + RADIUS;
  temp[lindex] = in[gindex + RADIUS];
  if (threadIdx.x < RADIUS) {
    temp[lindex - RADIUS] = in[gindex];
    temp[lindex + BLOCK_SIZE] = in[gindex + BLOCK_SIZE + RADIUS];
  }
  __syncthreads();
  int result = 0;
  for (int offset = -RADIUS; offset <= RADIUS; offset++)
    result += temp[lindex + offset];
  out[gindex] = result;
}
#undef BLOCK
#define BLOCK 64
__global__ void reduce0(const float *g_idata, float *g_odata, unsigned int n) {
  __shared__ float sdata[BLOCK];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  sdata[tid] = (i < n) ? g_idata[i] : 0;
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}
#undef R
#define R 1
#undef BX
#define BX 4
#undef BY
#define BY 4
__global__ void tiled_blur(const float *in, float *out, int w, int h) {
  __shared__ float tile[BY + 2 * R][BX + 2 * R];
  int x = blockIdx.x * BX + threadIdx.x;
  int y = blockIdx.y * BY + threadIdx.y;
  int lx = threadIdx.x + R, ly = threadIdx.y + R;
  tile[ly][lx] = in[y * w + x];
  if (threadIdx.x < R) {
    tile[ly][lx - R] = x >= R ? in[y * w + x - R] : 0.0f;
    tile[ly][lx + BX] = x + BX < w ? in[y * w + x + BX] : 0.0f;
  }
  __syncthreads();
  if (x < w && y < h) out[y * w + x] = tile[ly][lx - 1] + tile[ly][lx] + tile[ly][lx + 1];
}
#define SIZE 4
__kernel void mmul(__global const float *A, __global const float *B, __global float *C, int n) {
  __local float a[SIZE][SIZE], b[SIZE][SIZE];
  const int bx = get_group_id(0), by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
  const int row = by * SIZE + ty, col = bx * SIZE + tx;
  float sum = 0;
  for (int t = 0; t < n / SIZE; t++) {
    a[ty][tx] = A[row * n + t * SIZE + tx];
    b[ty][tx] = B[(t * SIZE + ty) * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < SIZE; k++) sum += a[ty][k] * b[k][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  C[row * n + col] = sum;
}
__global__ void most(const float *x, float *y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? x[i] : -99.0f;
  __syncthreads();
  for (int part = blockDim.x / 2; part > 0; part /= 2) {
    if (t < part) s[t] = fmaxf(s[t], s[t + part]);
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
