// canary.cu - a kernel with the fault that each tool of compute-sanitizer is there
// to find; scripts/gpu-check fails when one is not reported.
//   nvcc -o canary canary.cu; compute-sanitizer --tool memcheck ./canary memcheck
// And one, `relay`, without a fault that racecheck reports all the same.
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

// Warps hand over numbers by mbarriers, at which the first lane arrives for its warp,
// behind __syncwarp: ordered by the memory model of PTX (causality order goes through
// the barrier of the warp), as in the march scheme. racecheck does not follow it, so
// forms that do so are left to the other tools (sanitize.py). Once it follows, this is
// silent, and they can be given to it.
__device__ unsigned shared_at(const void *p) {
  return (unsigned)__cvta_generic_to_shared(p);
}
__device__ void relay_wait(unsigned long long *bar, unsigned parity) {
  asm volatile(
      "{\n.reg .pred p;\nagain: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;"
      "\n@!p bra again;\n}" ::"r"(shared_at(bar)), "r"(parity) : "memory");
}
__device__ void relay_arrive(unsigned long long *bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_at(bar))
               : "memory");
}
__global__ void relay(int *out) {
  __shared__ unsigned long long full, empty;
  __shared__ int x[64];
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(shared_at(&full)));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_at(&empty)));
  }
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 4; k++) {
    if (threadIdx.x >= 32) {
      if (k) relay_wait(&empty, (k - 1) & 1);
      x[threadIdx.x - 32] = k + (int)threadIdx.x;
      __syncwarp();
      if (threadIdx.x % 32 == 0) relay_arrive(&full);
    } else {
      relay_wait(&full, k & 1);
      sum += x[threadIdx.x] + x[63 - threadIdx.x];
      __syncwarp();
      if (threadIdx.x == 0) relay_arrive(&empty);
    }
  }
  if (threadIdx.x < 32) out[threadIdx.x] = sum;
}

int main(int argc, char **argv) {
  const char *tool = argc > 1 ? argv[1] : "";
  int *in, *out;
  cudaMalloc(&in, 256);
  cudaMalloc(&out, 256);
  if (!strcmp(tool, "memcheck")) beyond_the_end<<<1, 64>>>(out);
  else if (!strcmp(tool, "racecheck")) unordered<<<1, 64>>>(out);
  else if (!strcmp(tool, "relay")) relay<<<1, 96>>>(out);
  else if (!strcmp(tool, "initcheck")) not_written<<<1, 64>>>(in, out);
  else not_all_arrive<<<1, 64>>>(out);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
