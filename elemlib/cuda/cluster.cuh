// cluster.cuh - thread blocks that share a row, sm_90 and later: each reaches the
// shared memory of the others (distributed shared memory, PTX ISA 7.8, "mapa",
// "barrier.cluster"). A host that imitates the device (tests/fiber) brings its own.

//@ fs_cluster_rank
// This block's place among the N blocks of its cluster.
template <int N>
__device__ __forceinline__ int fs_cluster_rank() {
  return (int)(blockIdx.x % N);
}

//@ fs_cluster_barrier
// All threads of all N blocks. What any wrote to shared memory before it, every
// thread of the cluster sees after it.
template <int N>
__device__ __forceinline__ void fs_cluster_barrier() {
#ifdef FS_ON_HOST
  fiber_cluster_barrier(N);
#else
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

//@ fs_cluster_put
// x to the place of `to` in the shared memory of block `rank` of the cluster.
template <int N, typename T>
__device__ __forceinline__ void fs_cluster_put(T *to, T x, unsigned rank) {
#ifdef FS_ON_HOST
  fiber_cluster_put(to, &x, sizeof x, blockIdx.x / N * N + rank);
#else
  unsigned at;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(at)
      : "r"(fs_shared_address(to)), "r"(rank));
  if constexpr (sizeof(T) == 8)
    asm volatile("st.shared::cluster.b64 [%0], %1;" ::"r"(at),
                 "l"(*reinterpret_cast<const unsigned long long *>(&x))
                 : "memory");
  else
    asm volatile("st.shared::cluster.b32 [%0], %1;" ::"r"(at),
                 "r"(*reinterpret_cast<const unsigned *>(&x))
                 : "memory");
#endif
}

//@ fs_cluster_put_words
// The same of a state of several words of 8 bytes.
template <int N, typename T>
__device__ __forceinline__ void fs_cluster_put_words(T *to, T x, unsigned rank) {
  union {
    T state;
    long long word[sizeof(T) / 8];
  } all;
  all.state = x;
#pragma unroll
  for (int k = 0; k < (int)(sizeof(T) / 8); k++)
    fs_cluster_put<N>(reinterpret_cast<long long *>(to) + k, all.word[k], rank);
}

//@ fs_cluster_send
// x to the place of `to` in the shared memory of block `rank` of the cluster, and its
// bytes to the barrier object `bar` of that block, which expects them.
template <int N, typename T>
__device__ __forceinline__ void fs_cluster_send(T *to, T x, unsigned rank,
                                                unsigned long long *bar) {
#ifdef FS_ON_HOST
  fiber_cluster_send(to, &x, sizeof x, bar, blockIdx.x / N * N + rank);
#else
  unsigned at, its;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(at)
      : "r"(fs_shared_address(to)), "r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(its)
      : "r"(fs_shared_address(bar)), "r"(rank));
  if constexpr (sizeof(T) == 8)
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 "
        "[%0], %1, [%2];" ::"r"(at),
        "l"(*reinterpret_cast<const unsigned long long *>(&x)), "r"(its)
        : "memory");
  else
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 "
        "[%0], %1, [%2];" ::"r"(at),
        "r"(*reinterpret_cast<const unsigned *>(&x)), "r"(its)
        : "memory");
#endif
}
