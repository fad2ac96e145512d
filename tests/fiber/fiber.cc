// fiber.cc - the fibers of fiber.h: threads that wait for each other, and their order.
#include "tests/fiber/fiber.h"

#include <stdio.h>
#include <sys/mman.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif

fiber_dim3 threadIdx, blockIdx, blockDim = {1, 1, 1}, gridDim = {1, 1, 1};
static unsigned fiber_n_threads = 1, fiber_n_blocks = 1;  // of a block, of the grid

// Number k along x, then y, then z.
static fiber_dim3 fiber_place(unsigned k, const fiber_dim3 &in) {
  return {k % in.x, k / in.x % in.y, k / in.x / in.y};
}
static unsigned fiber_index_of(const fiber_dim3 &at, const fiber_dim3 &in) {
  return (at.z * in.y + at.y) * in.x + at.x;
}

// At least one element, so that the section exists in every program.
static __attribute__((section("fiber_shared"), used)) char fiber_anchor[16];

// -- fibers ---------------------------------------------------------------------

enum fiber_state { FIBER_READY, FIBER_BARRIER, FIBER_SHUFFLE, FIBER_SPIN, FIBER_DONE };

struct fiber_warp {
  unsigned turn, arrived;
  unsigned sync_turn[32], sync_arrived[32];  // by first lane of a group
  uint64_t value[2][32];
};

struct fiber_block {
  fiber_warp *warps;
  char *shared, *dynamic;
  int sum, result;  // of __syncthreads_or
};

struct fiber_thread {
#ifdef __x86_64__
  void *stack_pointer;
#else
  ucontext_t context;
#endif
  char *stack;  // of FIBER_STACK bytes while it runs; null before and after
  fiber_state state;
  unsigned turn;  // of the shuffle it waits in
};

struct fiber_cluster {
  unsigned turn, arrived;
};
static fiber_thread *fiber_now;
static fiber_block *fiber_block_now, *fiber_blocks;
static fiber_cluster *fiber_clusters;
static void (*fiber_entry)(void *);
static void *fiber_argument;
enum { FIBER_STACK = 128 << 10 };

#ifdef __x86_64__
static void *fiber_scheduler;

// Saves the callee's registers and this stack, and goes on with the other.
__attribute__((naked, noinline)) static void fiber_switch(void **, void *) {
  asm volatile(
      "pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n"
      "pushq %r15\n movq %rsp, (%rdi)\n movq %rsi, %rsp\n popq %r15\n"
      "popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n ret\n");
}
static void fiber_yield() {
  fiber_switch(&fiber_now->stack_pointer, fiber_scheduler);
}
static void fiber_resume(fiber_thread *f) {
  fiber_switch(&fiber_scheduler, f->stack_pointer);
}
#else
static ucontext_t fiber_scheduler;
static void fiber_yield() {
  swapcontext(&fiber_now->context, &fiber_scheduler);
}
static void fiber_resume(fiber_thread *f) {
  swapcontext(&fiber_scheduler, &f->context);
}
#endif

static void fiber_main() {
  fiber_entry(fiber_argument);
  fiber_now->state = FIBER_DONE;
  fiber_yield();
  abort();  // a finished fiber is never resumed
}

// Stacks that nobody has: first those that were given back, whose memory is there, then
// the rest. A kernel whose threads never wait needs one.
static char *fiber_given_back, *fiber_rest;

static char **fiber_next(char *stack) { return (char **)(stack + FIBER_STACK) - 1; }

static void fiber_begin(fiber_thread *f) {
  char *stack = f->stack = fiber_given_back ? fiber_given_back : fiber_rest;
  if (fiber_given_back)
    fiber_given_back = *fiber_next(stack);
  else
    fiber_rest += FIBER_STACK;
#ifdef __x86_64__
  void **top = (void **)(stack + FIBER_STACK) - 2;
  *top = (void *)fiber_main;  // the stack is misaligned by 8 there, as after a call
  f->stack_pointer = top - 6;
#else
  getcontext(&f->context);
  f->context.uc_stack.ss_sp = stack;
  f->context.uc_stack.ss_size = FIBER_STACK;
  f->context.uc_link = nullptr;
  makecontext(&f->context, fiber_main, 0);
#endif
}

static void fiber_end(fiber_thread *f) {
  *fiber_next(f->stack) = fiber_given_back;
  fiber_given_back = f->stack;
  f->stack = nullptr;
}

static void fiber_wait(fiber_state state) {
  const fiber_dim3 mine = threadIdx;
  fiber_now->state = state;
  fiber_yield();
  threadIdx = mine;
}

// -- what the device offers ---------------------------------------------------------

unsigned char *fiber_dynamic() { return (unsigned char *)fiber_block_now->dynamic; }

void __nanosleep(unsigned) { fiber_wait(FIBER_SPIN); }

int __syncthreads_or(int x) {
  fiber_block_now->sum |= x != 0;
  fiber_wait(FIBER_BARRIER);
  return fiber_block_now->result;
}

void fiber_exchange(void *x, size_t size, unsigned from) {
  fiber_warp *w = &fiber_block_now->warps[threadIdx.x / 32];
  const unsigned lane = threadIdx.x % 32, turn = w->turn;
  memcpy(&w->value[turn & 1][lane], x, size);
  if (++w->arrived == 32) {
    w->arrived = 0;
    w->turn++;
  } else {
    fiber_now->turn = turn;
    fiber_wait(FIBER_SHUFFLE);
  }
  memcpy(x, &w->value[turn & 1][from], size);
}

unsigned __ballot_sync(unsigned, int x) {
  fiber_warp *w = &fiber_block_now->warps[threadIdx.x / 32];
  const unsigned turn = w->turn;
  unsigned set = 0;
  fiber_shuffle((uint64_t)(x != 0), 0);
  for (unsigned lane = 0; lane < 32; lane++) set |= (unsigned)w->value[turn & 1][lane] << lane;
  return set;
}

int __all_sync(unsigned mask, int x) {
  for (int o = 16; o > 0; o /= 2) x &= __shfl_xor_sync(mask, x != 0, o);
  return x;
}

// How often waiting threads were let go: who waits again at once has moved.
static unsigned long fiber_releases;

void __syncwarp(unsigned mask) {
  fiber_warp *w = &fiber_block_now->warps[threadIdx.x / 32];
  const int group = __builtin_ctz(mask);
  const unsigned turn = w->sync_turn[group];
  if (++w->sync_arrived[group] == (unsigned)__builtin_popcount(mask)) {
    w->sync_arrived[group] = 0;
    w->sync_turn[group]++;
    fiber_releases++;
  }
  while (w->sync_turn[group] == turn) __nanosleep(0);
}

void fiber_cluster_barrier(unsigned size) {
  fiber_cluster *c = &fiber_clusters[blockIdx.x / size];
  const unsigned turn = c->turn;
  if (++c->arrived == size * blockDim.x) {
    c->arrived = 0;
    c->turn++;
    fiber_releases++;
  }
  while (c->turn == turn) __nanosleep(0);
}

// What this block calls p, of another block: one of the shared variables, or of the
// dynamic ones.
static char *fiber_remote(void *p, unsigned block) {
  char *at = (char *)p;
  if (at >= __start_fiber_shared && at < __stop_fiber_shared)
    return block == blockIdx.x
               ? at
               : fiber_blocks[block].shared + (at - __start_fiber_shared);
  return fiber_blocks[block].dynamic + (at - fiber_block_now->dynamic);
}

void fiber_cluster_put(void *to, const void *from, size_t bytes, unsigned block) {
  memcpy(fiber_remote(to, block), from, bytes);
}

void fiber_mbarrier_init(unsigned long long *bar, int arrivals) {
  *bar = (unsigned long long)arrivals << 32 | (unsigned long long)arrivals << 44;
}
void fiber_mbarrier_step(unsigned long long *bar, int bytes, int arrivals) {
  const unsigned left = (unsigned)*bar + bytes;
  unsigned due = (*bar >> 32 & 0xfff) - arrivals;
  const unsigned all = *bar >> 44 & 0xfff;
  unsigned long long phase = *bar >> 56 & 1;
  if (left == 0 && due == 0) due = all, phase ^= 1;
  *bar = (unsigned long long)left | (unsigned long long)due << 32 |
         (unsigned long long)all << 44 | phase << 56;
}

void fiber_cluster_send(void *to, const void *from, size_t bytes, unsigned long long *bar,
                        unsigned block) {
  memcpy(fiber_remote(to, block), from, bytes);
  fiber_mbarrier_step((unsigned long long *)fiber_remote(bar, block), -(int)bytes, 0);
}

void fiber_tensor_copy(void *to, const unsigned long long *map, int column, int row,
                       unsigned long long *bar) {
  const unsigned long long size = map[6], wide = map[4] * size;
  for (unsigned long long r = 0; r < map[5]; r++) {
    char *line = (char *)to + r * wide;
    memset(line, 0, wide);
    if (row + r >= map[2] || column >= (long long)map[1]) continue;
    const unsigned long long left = (map[1] - column) * size;
    memcpy(line, (char *)map[0] + (row + r) * map[3] + column * size,
           left < wide ? left : wide);
  }
  fiber_mbarrier_step(bar, -(int)(map[5] * wide), 0);
}

// -- the scheduler -----------------------------------------------------------------

// Lets every thread of a warp go on to where it waits; true if anything moved.
static bool fiber_run_warp(fiber_thread *threads, fiber_block *b, unsigned warp) {
  bool moved = false;
  for (unsigned t = warp * 32; t < warp * 32 + 32 && t < fiber_n_threads; t++) {
    fiber_thread *f = &threads[t];
    const bool spins = f->state == FIBER_SPIN;
    if (f->state == FIBER_SHUFFLE && b->warps[warp].turn != f->turn)
      f->state = FIBER_READY;
    if (f->state != FIBER_READY && !spins) continue;
    fiber_now = f;
    threadIdx = fiber_place(t, blockDim);
    f->state = FIBER_READY;
    if (!f->stack) fiber_begin(f);
    fiber_resume(f);
    if (f->state == FIBER_DONE) fiber_end(f);
    moved |= !(spins && f->state == FIBER_SPIN);
  }
  return moved;
}

// Opens the barrier that all threads wait at, if they do.
static bool fiber_open_barrier(fiber_thread *threads, fiber_block *b) {
  unsigned barrier = 0, done = 0;
  for (unsigned t = 0; t < fiber_n_threads; t++) {
    barrier += threads[t].state == FIBER_BARRIER;
    done += threads[t].state == FIBER_DONE;
  }
  if (!barrier || barrier + done != fiber_n_threads) return false;
  b->result = b->sum;
  b->sum = 0;
  for (unsigned t = 0; t < fiber_n_threads; t++)
    if (threads[t].state == FIBER_BARRIER) threads[t].state = FIBER_READY;
  return true;
}

// Runs one block's fibers until none can go on, or for a while: warps that look
// together for what other blocks bring (__all_sync) never stop by themselves. True
// if anything moved. In one block of three the warps keep step; in the others the
// first, or the last, runs as far as it can before the next: what they tell each
// other without a barrier is wrong in one of them.
static bool fiber_run_block(fiber_thread *threads, fiber_block *b) {
  const unsigned warps = (fiber_n_threads + 31) / 32;
  const unsigned order = (fiber_index_of(blockIdx, gridDim) + fiber_n_blocks) % 3;
  bool moved = false;
  for (int passes = 0; passes < 256; passes++) {
    bool pass = false;
    for (unsigned k = 0; k < warps; k++) {
      const unsigned warp = order == 2 ? warps - 1 - k : k;
      int steps = order ? 64 : 1;
      while (steps-- > 0 && fiber_run_warp(threads, b, warp)) pass = true;
    }
    pass |= fiber_open_barrier(threads, b);
    moved |= pass;
    if (!pass) break;
  }
  return moved;
}

static int fiber_report(const fiber_thread *threads, unsigned total) {
  unsigned count[5] = {0};
  for (unsigned t = 0; t < total; t++) count[threads[t].state]++;
  fprintf(stderr,
          "fiber: threads wait for ever: %u at a barrier, %u in a shuffle, %u "
          "polling, %u finished\n",
          count[FIBER_BARRIER], count[FIBER_SHUFFLE], count[FIBER_SPIN],
          count[FIBER_DONE]);
  return -1;
}

static int fiber_schedule(fiber_thread *threads, fiber_block *blocks) {
  const size_t shared = (size_t)(__stop_fiber_shared - __start_fiber_shared);
  const unsigned total = fiber_n_blocks * fiber_n_threads;
  for (int idle = 0; idle < 3;) {
    const unsigned long released = fiber_releases;
    bool moved = false;
    for (unsigned b = 0; b < fiber_n_blocks; b++) {
      blockIdx = fiber_place(b, gridDim);
      fiber_block_now = &blocks[b];
      memcpy(__start_fiber_shared, blocks[b].shared, shared);
      moved |= fiber_run_block(threads + (size_t)b * fiber_n_threads, &blocks[b]);
      memcpy(blocks[b].shared, __start_fiber_shared, shared);
    }
    unsigned done = 0;
    for (unsigned t = 0; t < total; t++) done += threads[t].state == FIBER_DONE;
    if (done == total) return 0;
    idle = moved || released != fiber_releases ? 0 : idle + 1;
  }
  return fiber_report(threads, total);
}

int fiber_launch_grid(const fiber_dim3 &grid, const fiber_dim3 &block, size_t dynamic,
                      void (*entry)(void *), void *argument) {
  const unsigned blocks = grid.x * grid.y * grid.z, threads = block.x * block.y * block.z;
  const size_t total = (size_t)blocks * threads;
  const size_t shared = (size_t)(__stop_fiber_shared - __start_fiber_shared);
  char *stacks = (char *)mmap(nullptr, total * FIBER_STACK,
                              PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == (char *)MAP_FAILED) return -1;
  fiber_thread *t = (fiber_thread *)calloc(total, sizeof *t);
  fiber_block *b = (fiber_block *)calloc(blocks, sizeof *b);
  fiber_given_back = nullptr, fiber_rest = stacks;
  for (unsigned k = 0; k < blocks; k++) {
    b[k].warps = (fiber_warp *)calloc((threads + 31) / 32, sizeof(fiber_warp));
    b[k].shared = (char *)malloc(shared);
    b[k].dynamic = (char *)aligned_alloc(128, (dynamic + 255) / 128 * 128);
    memset(b[k].shared, 0xa5, shared);  // nobody may rely on what was there
    memset(b[k].dynamic, 0xa5, dynamic);
  }
  fiber_blocks = b;
  fiber_clusters = (fiber_cluster *)calloc(blocks, sizeof *fiber_clusters);
  fiber_entry = entry;
  fiber_argument = argument;
  gridDim = grid, blockDim = block;
  fiber_n_blocks = blocks, fiber_n_threads = threads;
  const int failed = fiber_schedule(t, b);
  for (unsigned k = 0; k < blocks; k++) {
    free(b[k].warps);
    free(b[k].shared);
    free(b[k].dynamic);
  }
  free(fiber_clusters);
  free(t);
  free(b);
  munmap(stacks, total * FIBER_STACK);
  return failed;
}
