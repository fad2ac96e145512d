// Sums over the lanes of a warp, as courses and samples have them.
__inline__ __device__ float warp_sum(float val) {
  for (int offset = warpSize/2; offset > 0; offset /= 2)
    val += __shfl_down_sync(0xffffffff, val, offset);
  return val;
}

__inline__ __device__ float block_sum(float val) {
  static __shared__ float shared[32];
  int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
  val = warp_sum(val);
  if (lane == 0) shared[wid] = val;
  __syncthreads();
  val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : 0;
  if (wid == 0) val = warp_sum(val);
  return val;
}

__global__ void strided(const float *x, float *out, int n) {
  float sum = 0.0f;
  for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x) sum += x[i];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(~0u, sum, offset);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, sum);
}

__global__ void by_blocks(const float *in, float *out, int N) {
  static __shared__ float shared[32];
  float sum = 0;
  for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < N; i += blockDim.x*gridDim.x) sum += in[i];
  int lane = threadIdx.x & 31;
  int wid = threadIdx.x >> 5;
  sum = warp_sum(sum);
  if (lane == 0) shared[wid] = sum;
  __syncthreads();
  sum = lane < blockDim.x/warpSize ? shared[lane] : 0;
  if (threadIdx.x < 32) sum = warp_sum(sum);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

__global__ void called(const float *x, float *out, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.0f;
  v = block_sum(v);
  if (threadIdx.x == 0) atomicAdd(out, v);
}

// block=64
__global__ void each_block(const float *x, float *out, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.0f;
  v = block_sum(v);
  if (threadIdx.x == 0) out[blockIdx.x] = 2*v + 1;
}

__global__ void written_out(const int *x, int *out, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  int v = i < n ? x[i] : 0;
  v += __shfl_xor_sync(0xffffffff, v, 16);
  v += __shfl_xor_sync(0xffffffff, v, 8);
  v += __shfl_xor_sync(0xffffffff, v, 4);
  v += __shfl_xor_sync(0xffffffff, v, 2);
  v += __shfl_xor_sync(0xffffffff, v, 1);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

__global__ void largest(const int *x, int *out, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  int v = i < n ? x[i] : -999;
  for (int m = 1; m < 32; m <<= 1) v = max(v, __shfl_xor_sync(__activemask(), v, m, 32));
  if (!(threadIdx.x % 32)) atomicMax(out, v);
}

__global__ void row_sums(const float *x, float *y, int n) {
  float sum = 0;
  for (int j = threadIdx.x; j < n; j += blockDim.x) sum += x[blockIdx.x*n + j];
  sum = block_sum(sum);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
