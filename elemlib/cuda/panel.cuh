// panel.cuh - what the panel scheme is made of, sm_90 and later: barrier objects
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

//@ FS_KEEP_NOT
// How the L2 cache treats what a copy reads: first to go, or as it comes.
#define FS_KEEP_NOT 0x12F0000000000000ull
#define FS_KEEP_AWHILE 0x1000000000000000ull

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

//@ fs_post
// A number for other blocks: every word of it travels with the number of its
// round, in one access, so that who sees the round has the word (no fence).
template <typename T>
__device__ __forceinline__ void fs_post(unsigned long long *at, T x,
                                        unsigned round) {
  constexpr int WORDS = sizeof(T) / 4;
  unsigned word[WORDS];
  memcpy(word, &x, sizeof x);
#pragma unroll
  for (int w = 0; w < WORDS; w++) {
    const unsigned long long both = (unsigned long long)round << 32 | word[w];
#ifdef FS_ON_HOST
    at[w] = both;
#else
    asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(at + w), "l"(both)
                 : "memory");
#endif
  }
}

//@ fs_posted
// Whether that round's number is there; then it is in x.
template <typename T>
__device__ __forceinline__ bool fs_posted(const unsigned long long *at, T &x,
                                          unsigned round) {
  constexpr int WORDS = sizeof(T) / 4;
  unsigned word[WORDS];
  bool there = true;
#pragma unroll
  for (int w = 0; w < WORDS; w++) {
    unsigned long long both;
#ifdef FS_ON_HOST
    both = at[w];
#else
    asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];"
                 : "=l"(both)
                 : "l"(at + w)
                 : "memory");
#endif
    there &= (unsigned)(both >> 32) == round;
    word[w] = (unsigned)both;
  }
  memcpy(&x, word, sizeof x);
  return there;
}

//@ fs_sum_posted
// The 8 numbers of each of N blocks, folded in a fixed order: a lane gets that of
// column lane % 8. By a whole warp, which looks until all are there: at 128 blocks'
// at once, for every look takes a trip to the cache.
template <typename Op, int N, typename T>
__device__ __forceinline__ T fs_sum_posted(const unsigned long long *from,
                                           unsigned round, T neutral) {
  constexpr int WORDS = sizeof(T) / 4, AT_ONCE = 32 / WORDS;
  const int lane = threadIdx.x % 32;
  T sum = neutral;
  for (int first = 0; first < N; first += 4 * AT_ONCE) {
    T x[AT_ONCE];
    bool there;
    do {
      there = true;
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++) {
        const int block = first + 4 * k + lane / 8;
        x[k] = neutral;
        if (block < N)
          there &= fs_posted(from + (block * 8 + lane % 8) * WORDS, x[k], round);
      }
      if (!there) fs_pause();
    } while (!there);
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) sum = Op::of(sum, x[k]);
  }
  __syncwarp();
  sum = Op::of(sum, __shfl_xor_sync(0xffffffffu, sum, 8));
  return Op::of(sum, __shfl_xor_sync(0xffffffffu, sum, 16));
}

//@ fs_take_posted
// N numbers, by a whole warp: a lane looks for all of its own at once.
template <int N, typename T>
__device__ __forceinline__ void fs_take_posted(const unsigned long long *from,
                                               T *to, unsigned round) {
  constexpr int WORDS = sizeof(T) / 4, EACH = (N + 31) / 32;
  const int lane = threadIdx.x % 32;
  T x[EACH];
  bool there;
  do {
    there = true;
#pragma unroll
    for (int k = 0; k < EACH; k++)
      there &= fs_posted(from + (k * 32 + lane) % N * WORDS, x[k], round);
    if (!there) fs_pause();
  } while (!there);
#pragma unroll
  for (int k = 0; k < EACH; k++) to[(k * 32 + lane) % N] = x[k];
}

//@ fs_gates
// What the warps of a panel kernel wait for; an array has one for each slot.
struct fs_gates {
  unsigned long long kept[FS_SLOTS], kept_free[FS_SLOTS];  // tiles that stay
  unsigned long long first[FS_SHORT], first_free[FS_SHORT];  // rows that do not
  unsigned long long again[FS_SHORT], again_free[FS_SHORT];  // ... read again
  unsigned long long part[FS_PARTS], part_free[FS_PARTS];  // sums of warps
  unsigned long long mail[FS_MAILS], mail_free[FS_MAILS];  // finished columns
};
__device__ __forceinline__ void fs_gates_open(fs_gates &gate, int workers) {
  for (int s = 0; s < FS_SLOTS; s++) {
    fs_mbarrier_init(&gate.kept[s], 1);
    fs_mbarrier_init(&gate.kept_free[s], workers);
  }
  for (int s = 0; s < FS_SHORT; s++) {
    fs_mbarrier_init(&gate.first[s], 1);
    fs_mbarrier_init(&gate.first_free[s], workers);
    fs_mbarrier_init(&gate.again[s], 1);
    fs_mbarrier_init(&gate.again_free[s], workers);
  }
  for (int s = 0; s < FS_PARTS; s++) {
    fs_mbarrier_init(&gate.part[s], workers);
    fs_mbarrier_init(&gate.part_free[s], 1);
  }
  for (int s = 0; s < FS_MAILS; s++) {
    fs_mbarrier_init(&gate.mail[s], 1);
    fs_mbarrier_init(&gate.mail_free[s], workers);
  }
#ifndef FS_ON_HOST
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

//@ fs_turn
// Use number k of a ring of N slots: the slot, and the parity of its barrier.
template <int N>
__device__ __forceinline__ unsigned fs_turn(int k) {
  return k / N & 1;
}
