// canary.cu - a kernel with the fault that each tool of compute-sanitizer is there
// to find; scripts/gpu-check fails when one is not reported.
//   nvcc -o canary canary.cu; compute-sanitizer --tool memcheck ./canary memcheck
#include <cstdio>
#include <cstring>

__global__ void beyond_the_end(int *p) { p[threadIdx.x + (1 << 20)] = 1; }

__global__ void unordered(int *out) {
  __shared__ int x[64];
  x[threadIdx.x] = (int)threadIdx.x;
  out[threadIdx.x] = x[63 - threadIdx.x];  // no barrier before this
}

__global__ void not_written(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x] + 1;
}

__global__ void not_all_arrive(int *out) {
  if (threadIdx.x < 16) __syncthreads();
  out[threadIdx.x] = 1;
}

int main(int argc, char **argv) {
  const char *tool = argc > 1 ? argv[1] : "";
  int *in, *out;
  cudaMalloc(&in, 256);
  cudaMalloc(&out, 256);
  if (!strcmp(tool, "memcheck")) beyond_the_end<<<1, 64>>>(out);
  else if (!strcmp(tool, "racecheck")) unordered<<<1, 64>>>(out);
  else if (!strcmp(tool, "initcheck")) not_written<<<1, 64>>>(in, out);
  else not_all_arrive<<<1, 64>>>(out);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
