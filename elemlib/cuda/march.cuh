// march.cuh - what the march scheme is made of, sm_90 and later: barrier objects
// on which warps of different roles wait for each other, copies of tiles by tensor
// maps, and numbers that blocks post to each other. A host that imitates the device
// (tests/fiber) brings its own copies and barriers.

//@ fs_mbarrier_init
__device__ __forceinline__ void fs_mbarrier_init(unsigned long long *bar,
                                                 int arrivals) {
#ifdef FS_ON_HOST
  fiber_mbarrier_init(bar, arrivals);
#else
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
                   fs_shared_address(bar)),
               "r"(arrivals));
#endif
}

//@ fs_mbarrier_expect
// One arrival, and so many bytes that copies will bring.
__device__ __forceinline__ void fs_mbarrier_expect(unsigned long long *bar,
                                                   unsigned bytes) {
#ifdef FS_ON_HOST
  fiber_mbarrier_arrive(bar, bytes);
#else
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
          fs_shared_address(bar)),
      "r"(bytes)
      : "memory");
#endif
}

//@ fs_mbarrier_arrive
__device__ __forceinline__ void fs_mbarrier_arrive(unsigned long long *bar) {
#ifdef FS_ON_HOST
  fiber_mbarrier_arrive(bar, 0);
#else
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(
                   fs_shared_address(bar))
               : "memory");
#endif
}

//@ fs_mbarrier_test
// Whether the phase of this parity has ended.
__device__ __forceinline__ bool fs_mbarrier_test(unsigned long long *bar,
                                                 unsigned parity) {
#ifdef FS_ON_HOST
  return fiber_mbarrier_test(bar, parity);
#else
  unsigned done;
  asm volatile(
      "{\n.reg .pred p;\n"
      "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n"
      "selp.u32 %0, 1, 0, p;\n}"
      : "=r"(done)
      : "r"(fs_shared_address(bar)), "r"(parity)
      : "memory");
  return done;
#endif
}

//@ fs_mbarrier_wait
__device__ __forceinline__ void fs_mbarrier_wait(unsigned long long *bar,
                                                 unsigned parity) {
#ifdef FS_ON_HOST
  while (!fiber_mbarrier_test(bar, parity)) __nanosleep(0);
#else
  unsigned done;
  do {
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(fs_shared_address(bar)), "r"(parity)
        : "memory");
  } while (!done);
#endif
}

//@ fs_pause
// Where a thread looks again for what another brings.
__device__ __forceinline__ void fs_pause() {
#ifdef FS_ON_HOST
  __nanosleep(0);
#endif
}

//@ fs_tensor_map
// A matrix, and the box of it that one copy takes (CUtensorMap).
struct alignas(64) fs_tensor_map {
  unsigned long long word[16];
};

//@ fs_tensor_copy
// The box at this column and row into shared memory (128 byte aligned); zeros
// where it leaves the matrix. By one thread.
__device__ __forceinline__ void fs_tensor_copy(void *to,
                                               const fs_tensor_map &map,
                                               int column, int row,
                                               unsigned long long *bar,
                                               unsigned long long policy) {
#ifdef FS_ON_HOST
  fiber_tensor_copy(to, map.word, column, row, bar);
#else
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global"
      ".mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1, {%3, %4}], [%2], %5;" ::"r"(fs_shared_address(to)),
      "l"(&map), "r"(fs_shared_address(bar)), "r"(column), "r"(row),
      "l"(policy)
      : "memory");
#endif
}

//@ fs_before_copies
// What this thread has read and written of shared memory is over before copies that are
// started after it, by threads that wait for it, write there.
__device__ __forceinline__ void fs_before_copies() {
#ifndef FS_ON_HOST
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

//@ fs_words
// A pack of 16 bytes that waits in registers, where the compiler would keep and move
// elements of 16 bits each alone.
struct alignas(16) fs_words {
  unsigned long long word[2];
};

//@ fs_load_words
template <typename P, typename T, int N>
__device__ __forceinline__ void fs_load_words(T (&v)[N], const fs_words &x) {
  P pack;
  memcpy(&pack, &x, sizeof x);
  fs_load(v, pack.e);
}

//@ fs_words_of
template <typename P>
__device__ __forceinline__ fs_words fs_words_of(const P &pack) {
  fs_words x;
  memcpy(&x, &pack, sizeof x);
  return x;
}

//@ fs_post
// A number for other blocks: every word of it travels with the number of its
// round, in one access, so that who sees the round has the word (no fence). Words lie
// STRIDE apart.
template <int STRIDE, typename T>
__device__ __forceinline__ void fs_post(unsigned long long *at, T x,
                                        unsigned round) {
  constexpr int WORDS = sizeof(T) / 4;
  unsigned word[WORDS];
  memcpy(word, &x, sizeof x);
#pragma unroll
  for (int w = 0; w < WORDS; w++) {
    const unsigned long long both = (unsigned long long)round << 32 | word[w];
#ifdef FS_ON_HOST
    at[w * STRIDE] = both;
#else
    asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(at + w * STRIDE), "l"(both)
                 : "memory");
#endif
  }
}

//@ fs_fold_lanes
// Over the lanes of a warp that are a multiple of STEP apart; each gets the result.
template <typename Op, int STEP, typename T>
__device__ __forceinline__ T fs_fold_lanes(T x) {
  __syncwarp();
#pragma unroll
  for (int o = STEP; o < 32; o *= 2)
    x = Op::of(x, __shfl_xor_sync(0xffffffffu, x, o));
  return x;
}

//@ fs_look
// Words first, first + 1 ... of a lane, 32 apart. Addresses are a register and a
// constant: as registers of their own they would not fit.
template <int W, int N>
__device__ __forceinline__ void fs_look(const unsigned long long *at,
                                        unsigned long long (&word)[N]) {
  if constexpr (W < N) {
#ifdef FS_ON_HOST
    word[W] = at[32 * W];
#else
    asm volatile("ld.relaxed.gpu.global.b64 %0, [%1 + %2];"
                 : "=l"(word[W])
                 : "l"(at), "n"(256 * W)
                 : "memory");
#endif
    fs_look<W + 1>(at, word);
  }
}

//@ fs_sum_posted
// The COLUMNS numbers of each of N clusters, folded in a fixed order: a lane gets that
// of column lane % COLUMNS. By a whole warp, which looks until all are there, at all
// at once, for every look takes a trip to the cache. A number of two words has its
// upper one behind all the lower ones.
template <typename Op, int N, int COLUMNS, typename T>
__device__ __forceinline__ T fs_sum_posted(const unsigned long long *from,
                                           unsigned round, T neutral) {
  constexpr int WORDS = sizeof(T) / 4, EACH = (N * COLUMNS + 31) / 32;
  const int lane = threadIdx.x % 32;
  T sum = neutral;
  unsigned long long word[WORDS * EACH];
  bool there;
  do {
    there = true;
    fs_look<0>(from + lane, word);
#pragma unroll
    for (int k = 0; k < WORDS * EACH; k++)
      there &= (unsigned)(word[k] >> 32) == round ||
               k % EACH * 32 + lane >= N * COLUMNS;
    if (!there) fs_pause();
  } while (!there);
#pragma unroll
  for (int k = 0; k < EACH; k++) {
    unsigned half[WORDS];
#pragma unroll
    for (int w = 0; w < WORDS; w++) half[w] = (unsigned)word[w * EACH + k];
    T x;
    memcpy(&x, half, sizeof x);
    if (k * 32 + lane < N * COLUMNS) sum = Op::of(sum, x);
  }
  return fs_fold_lanes<Op, COLUMNS>(sum);
}

//@ fs_sum_posted_each
// The same, where a lane looks for one number after the other: less code.
template <typename Op, int N, int COLUMNS, typename T>
__device__ __forceinline__ T fs_sum_posted_each(const unsigned long long *from,
                                                unsigned round, T neutral) {
  constexpr int WORDS = sizeof(T) / 4, EACH = (N * COLUMNS + 31) / 32;
  const int lane = threadIdx.x % 32;
  T sum = neutral;
  for (int k = 0; k * 32 + lane < N * COLUMNS; k++) {
    unsigned half[WORDS];
    for (int w = 0; w < WORDS; w++) {
      unsigned long long word[1];
      for (;;) {
        fs_look<0>(from + lane + (w * EACH + k) * 32, word);
        if ((unsigned)(word[0] >> 32) == round) break;
        fs_pause();
      }
      half[w] = (unsigned)word[0];
    }
    T x;
    memcpy(&x, half, sizeof x);
    sum = Op::of(sum, x);
  }
  return fs_fold_lanes<Op, COLUMNS>(sum);
}

//@ fs_registers_fewer
// N registers for each thread of four warps that come here together, which leaves some
// for those that take more. 0: as many as they have, and so in code that is not for one
// architecture alone.
template <int N>
__device__ __forceinline__ void fs_registers_fewer() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_SPECIFIC__)
  if constexpr (N > 0) asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
#endif
}

//@ fs_registers_more
template <int N>
__device__ __forceinline__ void fs_registers_more() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_SPECIFIC__)
  if constexpr (N > 0) asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
#endif
}

//@ fs_gates
// What the warps of a march kernel wait for; an array has one for each slot. As many bytes
// as the ring behind it must begin at a multiple of.
struct alignas(128) fs_gates {
  // Where all workers arrive: rows that stay there, that go to registers, sums of warps.
  unsigned long long kept_free[FS_SLOTS], held_free[FS_SHORT], part[FS_PARTS];
  // Where one thread does, or a copy.
  unsigned long long part_free[FS_PARTS], kept[FS_SLOTS], held[FS_SHORT];
  unsigned long long team[FS_MAILS];  // sums of the blocks of the cluster
  unsigned long long mail[FS_MAILS];  // finished columns
  // The last even, the last odd panel whose sums this block has sent: blocks walk in
  // step, so nobody looks for what others send before (looks load the L2 cache).
  volatile int sent[2];
};
// By all threads of the block, each of them one.
__device__ __forceinline__ void fs_gates_open(fs_gates &gate, int workers) {
  unsigned long long *const bar = gate.kept_free + threadIdx.x;
  if (bar < gate.mail + FS_MAILS)
    fs_mbarrier_init(bar, bar < gate.part_free ? workers : 1);
  if (threadIdx.x < 2) gate.sent[threadIdx.x] = -1;
#ifndef FS_ON_HOST
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

//@ fs_lap
#ifdef FS_QUICK
// How many times the N slots were used before use number k >= 0. Code that is compiled
// quickly calls a function even to divide by a known 3.
template <int N>
__device__ __forceinline__ int fs_lap(int k) {
  if constexpr ((N & (N - 1)) != 0)
    return (int)__umulhi((unsigned)k, (unsigned)(0x100000000ull / N + 1));
  return (int)((unsigned)k / N);
}
#endif

//@ FS_PLACE
// Use number k of a ring of N slots: the slot ...
#ifdef FS_QUICK
#define FS_PLACE(k, N) ((k) - fs_lap<N>(k) * (N))
#else
#define FS_PLACE(k, N) ((k) % (N))
#endif

//@ fs_turn
// ... and the parity of its barrier.
template <int N>
__device__ __forceinline__ unsigned fs_turn(int k) {
  return k / N & 1;
}
