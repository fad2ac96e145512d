// bulk.cuh - bulk asynchronous copies from global to shared memory, sm_90 and
// later. One thread starts a copy; whoever needs the data waits on the stage's
// barrier object, whose phase flips when all announced bytes have come. A host
// that imitates the device (tests/fiber) brings its own copies.

//@ FS_RING
#ifdef FS_ON_HOST
#define FS_RING(name) unsigned char *const name = fiber_dynamic()
#else
#define FS_RING(name) extern __shared__ __align__(128) unsigned char name[]
#endif

//@ fs_shared_address
__device__ __forceinline__ unsigned fs_shared_address(const void *p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

//@ fs_bulk_init
// Before the first copy, by one thread; the block's barrier must follow.
__device__ __forceinline__ void fs_bulk_init(unsigned long long *ready,
                                             int stages) {
#ifdef FS_ON_HOST
  for (int s = 0; s < stages; s++) ready[s] = 0;
#else
#pragma unroll 1
  for (int s = 0; s < stages; s++)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(
        fs_shared_address(ready + s)));
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

//@ fs_bulk_fence
// What was written by stores and seen through a barrier, copies that this thread
// starts from here on see, too.
__device__ __forceinline__ void fs_bulk_fence() {
#ifndef FS_ON_HOST
  asm volatile("fence.proxy.async;" ::: "memory");
#endif
}

//@ fs_bulk_expect
__device__ __forceinline__ void fs_bulk_expect(unsigned long long *ready,
                                               unsigned bytes) {
#ifdef FS_ON_HOST
  *ready += bytes;
#else
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
          fs_shared_address(ready)),
      "r"(bytes)
      : "memory");
#endif
}

//@ fs_bulk_copy
// Addresses and size are multiples of 16.
__device__ __forceinline__ void fs_bulk_copy(void *to, const void *from,
                                             unsigned bytes,
                                             unsigned long long *ready) {
#ifdef FS_ON_HOST
  fiber_bulk_copy(to, from, bytes, ready);
#else
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1], %2, [%3];" ::"r"(fs_shared_address(to)),
      "l"(from), "r"(bytes), "r"(fs_shared_address(ready))
      : "memory");
#endif
}

//@ fs_bulk_copy
// The same by a cache policy (cache.cuh).
__device__ __forceinline__ void fs_bulk_copy(void *to, const void *from,
                                             unsigned bytes,
                                             unsigned long long *ready,
                                             unsigned long long policy) {
#ifdef FS_ON_HOST
  (void)policy;
  fiber_bulk_copy(to, from, bytes, ready);
#else
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(fs_shared_address(to)),
      "l"(from), "r"(bytes), "r"(fs_shared_address(ready)), "l"(policy)
      : "memory");
#endif
}

//@ fs_bulk_wait
__device__ __forceinline__ void fs_bulk_wait(unsigned long long *ready,
                                             unsigned phase) {
#ifdef FS_ON_HOST
  while ((*ready >> 32 & 1) == phase) __nanosleep(0);
#else
  unsigned done;
  do {
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(fs_shared_address(ready)), "r"(phase)
        : "memory");
  } while (!done);
#endif
}
