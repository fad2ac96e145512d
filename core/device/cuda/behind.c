/* behind.c - the full compilation of kernels that already run as quickly compiled
 * code.
 *
 * One thread works through them while statements run, below them in priority, and ends
 * when there are none. What it makes goes to the cache on disk at once; the kernel takes
 * it from here before a later launch (code.c). Closing the target ends it within some
 * 70 ms, and a process may end at any time. The thread allocates nothing that may jump.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "core/device/cuda/internal.h"

enum state { WAITS, RUNS, ENDED };

struct fs_later {
  char *source, *arch;
  struct fs_kernel_key key;
  struct fs_nvrtc_job job;   /* the image, once it has ended */
  enum state state;
  int wanted;                /* kernels that wait for it */
  struct fs_later *next;
};

struct fs_behind {
  pthread_mutex_t lock;      /* for all below, and state and wanted of the list */
  pthread_t thread;
  bool started, running;     /* to be joined; will look at the list again */
  atomic_bool stop;
  struct fs_later *list;     /* first come, first served */
};

static void free_later(struct fs_later *l) {
  free(l->source);
  free(l->arch);
  free(l->job.image);
  free(l->job.log);
  free(l);
}

/* Frees what has ended and nobody wants. */
static void sweep(struct fs_behind *b) {
  for (struct fs_later **at = &b->list; *at;) {
    struct fs_later *l = *at;
    if (l->wanted || l->state != ENDED) {
      at = &l->next;
      continue;
    }
    *at = l->next;
    free_later(l);
  }
}

static struct fs_later *next_of(struct fs_behind *b) {
  struct fs_later *l = b->list;
  while (l && l->state != WAITS) l = l->next;
  return atomic_load(&b->stop) ? NULL : l;
}

/* Linux gives a thread a priority of its own. */
static void step_back(void) {
#ifdef __linux__
  setpriority(PRIO_PROCESS, 0, 10);
#endif
}

static void *work(void *user) {
  struct fs_behind *b = user;
  step_back();
  pthread_mutex_lock(&b->lock);
  for (struct fs_later *l; (l = next_of(b));) {
    l->state = RUNS;
    pthread_mutex_unlock(&b->lock);
    fs_nvrtc_compile(&l->job);
    if (l->job.image) fs_kernel_cache_add(&l->key, l->job.image, l->job.size);
    pthread_mutex_lock(&b->lock);
    l->state = ENDED;
    sweep(b);
  }
  b->running = false;
  pthread_mutex_unlock(&b->lock);
  return NULL;
}

/* Ctrl-C is for the thread of the session. `running` is set first: the thread may have
 * ended, and said so, before it is known here that there is one. */
static bool start(struct fs_behind *b) {
  sigset_t all, before;
  if (b->started) pthread_join(b->thread, NULL); /* it is past its last look */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  b->running = true;
  b->started = pthread_create(&b->thread, NULL, work, b) == 0;
  if (!b->started) b->running = false;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return b->started;
}

static struct fs_behind *behind_of(struct cuda *t) {
  if (t->behind) return t->behind;
  t->behind = fs_calloc(1, sizeof *t->behind);
  pthread_mutex_init(&t->behind->lock, NULL);
  return t->behind;
}

/* One that waits or is under way already. */
static struct fs_later *join(struct fs_behind *b, const struct fs_kernel_key *key) {
  pthread_mutex_lock(&b->lock);
  struct fs_later *l = b->list;
  while (l && (l->state == ENDED || memcmp(&l->key, key, sizeof *key))) l = l->next;
  if (l) l->wanted++;
  pthread_mutex_unlock(&b->lock);
  return l;
}

struct fs_later *fs_cuda_later(struct cuda *t, const struct fs_kernel_key *key,
                               const char *source) {
  struct fs_behind *b = behind_of(t);
  struct fs_later *same = join(b, key);
  if (same) return same;
  struct fs_later *l = fs_calloc(1, sizeof *l);
  *l = (struct fs_later){.source = fs_strdup(source), .arch = fs_strdup(t->arch),
                         .key = *key, .wanted = 1};
  l->job = (struct fs_nvrtc_job){.source = l->source, .arch = l->arch,
                                 .stop = &b->stop};
  pthread_mutex_lock(&b->lock);
  struct fs_later **end = &b->list;
  while (*end) end = &(*end)->next;
  *end = l;
  bool running = b->running;
  pthread_mutex_unlock(&b->lock);
  /* Without a thread the kernel stays as it is. */
  if (!running && !start(b)) l->state = ENDED;
  return l;
}

bool fs_cuda_later_ended(struct cuda *t, struct fs_later *l, const void **image) {
  pthread_mutex_lock(&t->behind->lock);
  bool ended = l->state == ENDED;
  pthread_mutex_unlock(&t->behind->lock);
  if (ended) *image = l->job.image;
  return ended;
}

void fs_cuda_later_drop(struct cuda *t, struct fs_later *l) {
  pthread_mutex_lock(&t->behind->lock);
  l->wanted--;
  sweep(t->behind);
  pthread_mutex_unlock(&t->behind->lock);
}

int fs_cuda_behind(struct fs_target *target) {
  struct cuda *t = fs_cuda_of(target);
  int n = 0;
  if (!t->behind) return 0;
  pthread_mutex_lock(&t->behind->lock);
  for (struct fs_later *l = t->behind->list; l; l = l->next) n += l->state != ENDED;
  pthread_mutex_unlock(&t->behind->lock);
  return n;
}

void fs_cuda_behind_close(struct cuda *t) {
  struct fs_behind *b = t->behind;
  if (!b) return;
  atomic_store(&b->stop, true);
  if (b->started) pthread_join(b->thread, NULL);
  while (b->list) {
    struct fs_later *l = b->list;
    b->list = l->next;
    free_later(l);
  }
  pthread_mutex_destroy(&b->lock);
  free(b);
  t->behind = NULL;
}
