// barrier.cuh - waiting for other blocks. The counters lie at the beginning of
// the workspace; they are zero at launch and zero again when the kernel ends.

//@ fs_grid_barrier
// All blocks of the grid must be resident. Once per launch. What any thread
// wrote before it, every thread sees after it: the block's barrier and then the
// fence of one thread pass on what the others wrote. The result is for
// fs_grid_leave(), which comes at the end: nobody waits for it here.
__device__ __forceinline__ unsigned fs_grid_barrier(unsigned *counter) {
  unsigned left = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&counter[0], 1u);
    while (*(volatile unsigned *)&counter[0] < gridDim.x) __nanosleep(20);
    __threadfence();
    left = atomicAdd(&counter[1], 1u);
  }
  __syncthreads();
  return left;
}

//@ fs_grid_leave
// By all threads of all blocks: the counters are zero again.
__device__ __forceinline__ void fs_grid_leave(unsigned *counter,
                                              unsigned left) {
  if (threadIdx.x == 0 && left == gridDim.x - 1) {
    counter[0] = 0;  // the last one that passed the barrier
    counter[1] = 0;
  }
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
