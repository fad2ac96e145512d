// barrier.cuh - waiting for other blocks. The counters lie at the beginning of
// the workspace; they are zero at launch and zero again when the kernel ends.

//@ fs_grid_barrier
// All blocks of the grid must be resident. Once per launch. What any thread
// wrote before it, every thread sees after it.
__device__ __forceinline__ void fs_grid_barrier(unsigned *counter) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&counter[0], 1u);
    while (*(volatile unsigned *)&counter[0] < gridDim.x) __nanosleep(20);
    __threadfence();
    if (atomicAdd(&counter[1], 1u) == gridDim.x - 1) {
      counter[0] = 0;  // the last one to leave
      counter[1] = 0;
    }
  }
  __syncthreads();
}

//@ fs_last_block
// True in the block that comes here last: it sees what all others wrote.
__device__ __forceinline__ bool fs_last_block(unsigned *counter) {
  __threadfence();
  __syncthreads();
  int last = 0;
  if (threadIdx.x == 0) {
    last = atomicAdd(&counter[2], 1u) == gridDim.x - 1;
    if (last) counter[2] = 0;
    __threadfence();
  }
  return __syncthreads_or(last);
}
