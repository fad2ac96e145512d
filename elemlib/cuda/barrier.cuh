// barrier.cuh - waiting for other blocks. The counters lie at the beginning of
// the workspace; they are zero at the first launch, and but for the highest bit of
// the barrier's zero again when a kernel ends.

//@ fs_after_kernels
// Before anything is read or written: a kernel may be started while those before
// it end, and this waits until they have and all that they wrote is there. Does
// nothing in one that was started after them. Before sm_90 (`:code ptx sm_80`) all are.
__device__ __forceinline__ void fs_after_kernels() {
#if !defined(FS_ON_HOST) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

//@ fs_grid_barrier
// All blocks of the grid must be resident. What any thread wrote before it, every
// thread sees after it; as often in a launch as is wanted. The lower 31 bits count
// those that came, of which the first block makes up what is missing to 2^31: then
// they are zero again, and the highest bit has turned, which the others wait for.
// Release and acquire are cumulative: they order what the block's other threads did
// before, or do behind, the block's own barriers, in less time than fences. A block that
// is alone waits for nobody.
__device__ __forceinline__ void fs_grid_barrier(unsigned *counter) {
  __syncthreads();
  if (gridDim.x == 1) return;
  if (threadIdx.x == 0) {
    const unsigned top = 0x80000000u;
    const unsigned comes = blockIdx.x == 0 ? top - (gridDim.x - 1) : 1u;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    unsigned before, now;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
                 : "=r"(before) : "l"(counter), "r"(comes) : "memory");
    do
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                   : "=r"(now) : "l"(counter) : "memory");
    while (((now ^ before) & top) == 0);
#else
    __threadfence();
    const unsigned before = atomicAdd(counter, comes);
    while (((*(volatile unsigned *)counter ^ before) & top) == 0)
      __nanosleep(20);
    __threadfence();
#endif
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
