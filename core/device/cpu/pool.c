/* pool.c - worker threads that spin briefly and then sleep.
 *
 * The caller publishes a job under a new generation number. Everyone, the caller
 * too, has a share of the tasks, the same of every job of so many, and takes them from
 * its front; who has done its own takes from the backs of the others'. So a thread finds
 * in its caches what it had there of an array when the last kernel went over it. Where
 * threads do not share a last cache - a virtual machine's processors may, now and then -
 * kernels whose arrays fit took up to five times as long while a task went to whoever
 * came first. A worker that finds no new generation spins for a while, so that the next
 * kernel of a block finds it awake, and then sleeps on a futex. The caller spins longer
 * for the last task: to be woken up takes tens of microseconds, as much as many a kernel.
 *
 * So a caller that has done all tasks itself does not wait for those who are still
 * waking up: a worker enters a job before it takes tasks, and a caller that finds no
 * task left closes the job and waits for those inside only.
 *
 * Workers stay off the processor of the caller. Left to themselves, schedulers that
 * pack what sleeps much onto few processors wake both on one, and a kernel of less
 * than some milliseconds is over before anyone moves: half its speed on a virtual
 * machine of two processors.
 */
#include "core/device/cpu/pool.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_THREADS = 1024 };
static const uint32_t CLOSED = 1U << 31; /* nobody enters the job any more */

static const double WORKER_SPINS = 50e-6, CALLER_SPINS = 300e-6; /* seconds */
enum { CLOSE_JOBS = 4 }; /* what four of them lose alone is what it costs to wake somebody */

/* Tasks first .. first + n - 1. taken: how many from the front, and << 32 how many from
 * the back; each may be more than there were. */
struct share {
  _Alignas(64) _Atomic uint64_t taken;
  int64_t first, n;
};

struct fs_pool {
  int threads;
  pthread_t *id;
  int caller;                  /* its processor at the last job; -1: unknown */
  _Atomic uint32_t generation; /* futex: a new job, or the end       */
  _Atomic uint32_t inside;     /* futex: workers in the job, and CLOSED */
  _Atomic uint32_t sleepers;
  _Atomic bool caller_sleeps;
  _Atomic bool quit, stopped;
  struct share *share;         /* of each thread                     */
  double left;                 /* when the caller had done its last job alone */
  int close;                   /* how many such came soon after another */
  int wanted;
  fs_task_fn *task;
  void *user;
};

struct worker_start {
  struct fs_pool *pool;
  int index;
};

static void futex_wait(_Atomic uint32_t *word, uint32_t value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}
static void futex_wake(_Atomic uint32_t *word, int count) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static void pause_briefly(void) {
#if defined __x86_64__
  __builtin_ia32_pause();
#endif
}

/* Whether the word changed from `value` (changes: or to it) within so long. */
static bool spin(_Atomic uint32_t *word, uint32_t value, bool changes,
                 double seconds) {
  enum { A_LOOK_AT_THE_CLOCK = 32 };
  double end = 0;
  for (int k = 0;; k++) {
    bool same = atomic_load_explicit(word, memory_order_acquire) == value;
    if (same != changes) return true;
    if (k % A_LOOK_AT_THE_CLOCK == 0) {
      double now = fs_now();
      if (k == 0) end = now + seconds;
      else if (now > end) return false;
    }
    pause_briefly();
  }
}

/* A task of the share, or -1. */
static int64_t take(struct share *s, bool own) {
  uint64_t one = own ? 1 : 1ULL << 32;
  uint64_t taken = atomic_load_explicit(&s->taken, memory_order_relaxed);
  for (int look = 0; look < 2; look++) {
    int64_t front = (uint32_t)taken, back = (int64_t)(taken >> 32);
    if (front + back >= s->n) return -1;
    if (look) return s->first + (own ? front : s->n - 1 - back);
    taken = atomic_fetch_add_explicit(&s->taken, one, memory_order_relaxed);
  }
  return -1;
}

static void take_tasks(struct fs_pool *p, int worker) {
  for (int turn = 0; turn < p->wanted; turn++) {
    struct share *of = &p->share[(worker + turn) % p->wanted];
    for (int64_t k; (k = take(of, turn == 0)) >= 0;) {
      if (fs_interrupted()) {
        atomic_store(&p->stopped, true);
        return;
      }
      p->task(p->user, k, worker);
    }
  }
}

static void deal(struct fs_pool *p, int64_t n) {
  for (int k = 0; k < p->wanted; k++) {
    struct share *s = &p->share[k];
    s->first = n * k / p->wanted;
    s->n = n * (k + 1) / p->wanted - s->first;
    atomic_store_explicit(&s->taken, 0, memory_order_relaxed);
  }
}

static uint32_t wait_for_job(struct fs_pool *p, uint32_t seen) {
  if (spin(&p->generation, seen, true, WORKER_SPINS))
    return atomic_load(&p->generation);
  atomic_fetch_add(&p->sleepers, 1);
  uint32_t now;
  while ((now = atomic_load(&p->generation)) == seen)
    futex_wait(&p->generation, seen);
  atomic_fetch_sub(&p->sleepers, 1);
  return now;
}

/* The job at hand, if it is not over: one may come late, or for the job after. */
static bool enter(struct fs_pool *p) {
  uint32_t now = atomic_load(&p->inside);
  while (!(now & CLOSED))
    if (atomic_compare_exchange_weak(&p->inside, &now, now + 1)) return true;
  return false;
}

static void leave(struct fs_pool *p) {
  if (atomic_fetch_sub(&p->inside, 1) == CLOSED + 1 && atomic_load(&p->caller_sleeps))
    futex_wake(&p->inside, 1);
}

static void *worker_main(void *arg) {
  struct worker_start start = *(struct worker_start *)arg;
  struct fs_pool *p = start.pool;
  uint32_t seen = 0;
  free(arg);
  for (;;) {
    seen = wait_for_job(p, seen);
    if (atomic_load(&p->quit)) return NULL;
    if (!enter(p)) continue;
    if (start.index < p->wanted) take_tasks(p, start.index);
    leave(p);
  }
}

/* Workers leave signals to the thread that runs the session. */
static bool start_worker(struct fs_pool *p, int index) {
  struct worker_start *start = fs_malloc(sizeof *start);
  sigset_t all, old;
  *start = (struct worker_start){p, index};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  bool ok = pthread_create(&p->id[index], NULL, worker_main, start) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (!ok) free(start);
  return ok;
}

struct fs_pool *fs_pool_new(int threads) {
  struct fs_pool *p = NULL;
  threads = FS_MAX(1, FS_MIN(threads, MAX_THREADS));
  if (posix_memalign((void **)&p, 64, sizeof *p)) return NULL;
  memset(p, 0, sizeof *p);
  size_t bytes = (size_t)threads * sizeof *p->share;
  if (posix_memalign((void **)&p->share, 64, bytes)) {
    free(p);
    return NULL;
  }
  p->id = fs_calloc((size_t)threads, sizeof *p->id);
  p->caller = -1;
  atomic_store(&p->inside, CLOSED);
  for (p->threads = 1; p->threads < threads; p->threads++)
    if (!start_worker(p, p->threads)) break;
  return p;
}

static void publish(struct fs_pool *p) {
  atomic_fetch_add(&p->generation, 1);
  if (atomic_load(&p->sleepers) > 0) futex_wake(&p->generation, INT_MAX);
}

/* Where the caller may run, but where it is. A caller with but one processor leaves
 * the workers where they are. */
static void keep_apart(struct fs_pool *p) {
  int here = sched_getcpu();
  cpu_set_t set;
  if (here == p->caller || here < 0 || here >= CPU_SETSIZE) return;
  p->caller = here;
  if (sched_getaffinity(0, sizeof set, &set)) return;
  CPU_CLR(here, &set);
  for (int k = 1; k < p->threads && CPU_COUNT(&set); k++)
    pthread_setaffinity_np(p->id[k], sizeof set, &set);
}

void fs_pool_free(struct fs_pool *p) {
  if (!p) return;
  atomic_store(&p->quit, true);
  publish(p);
  for (int k = 1; k < p->threads; k++) pthread_join(p->id[k], NULL);
  free(p->id);
  free(p->share);
  free(p);
}

int fs_pool_threads(const struct fs_pool *p) { return p->threads; }

bool fs_pool_would_help(struct fs_pool *p) {
  if (atomic_load_explicit(&p->sleepers, memory_order_relaxed) == 0) return true;
  bool close = fs_now() - p->left < WORKER_SPINS;
  p->close = close ? p->close + 1 : 0;
  if (p->close < CLOSE_JOBS) return false;
  p->close = 0;
  return true;
}

void fs_pool_was_alone(struct fs_pool *p) { p->left = fs_now(); }

static void join(struct fs_pool *p) {
  atomic_fetch_or(&p->inside, CLOSED);
  if (spin(&p->inside, CLOSED, false, CALLER_SPINS)) return;
  atomic_store(&p->caller_sleeps, true);
  uint32_t left;
  while ((left = atomic_load(&p->inside)) != CLOSED) futex_wait(&p->inside, left);
  atomic_store(&p->caller_sleeps, false);
}

enum fs_status fs_pool_run(struct fs_pool *p, int threads, int64_t n,
                           fs_task_fn *task, void *user) {
  if (threads <= 1 || n <= 1 || p->threads == 1) {
    for (int64_t k = 0; k < n; k++) {
      if (fs_interrupted()) return FS_INTERRUPTED;
      task(user, k, 0);
    }
    return FS_OK;
  }
  p->wanted = FS_MIN(threads, p->threads);
  p->task = task;
  p->user = user;
  keep_apart(p);
  atomic_store(&p->stopped, false);
  deal(p, n);
  atomic_store(&p->inside, 0); /* opens it: all it reads is there */
  publish(p);
  take_tasks(p, 0);
  join(p);
  return atomic_load(&p->stopped) ? FS_INTERRUPTED : FS_OK;
}
