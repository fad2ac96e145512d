/* batch.c - many kernels compiled at once. */
#include <pthread.h>
#include <sched.h>

#include "core/device/cuda/compiler.h"

enum { MOST = 16 };

struct batch {
  struct fs_nvrtc_job **order; /* the longest text first: nobody waits for it alone */
  int n;
  bool apart;                  /* each thread has a process */
  atomic_int next;
};

static int by_length(const void *a, const void *b) {
  size_t x = strlen((*(struct fs_nvrtc_job *const *)a)->source);
  size_t y = strlen((*(struct fs_nvrtc_job *const *)b)->source);
  return (x < y) - (x > y);
}

static void *work(void *user) {
  struct batch *b = user;
  struct fs_compiler c = {.fd = -1};
  bool apart = b->apart && fs_compiler_start(&c);
  for (int k; (k = atomic_fetch_add(&b->next, 1)) < b->n;) {
    struct fs_nvrtc_job *job = b->order[k];
    job->cancelled = fs_nvrtc_is_stopped(job);
    if (job->cancelled) continue;
    if (apart) apart = fs_compiler_run(&c, job);
    if (!apart) fs_nvrtc_compile(job);
  }
  fs_compiler_end(&c);
  return NULL;
}

/* How many threads; with a process each where that pays. On 16 processors (an H200's
 * host) 160 kernels took 1.50 s in threads and 0.83 s in processes, 16 kernels 0.26 and
 * 0.22 s, with the start of the processes; on eight and six processors processes were
 * 7 to 18 % faster, on four and two they were as fast. Each takes 30 MB. */
static int share(struct batch *b) {
  enum { PROCESSORS = 6, KERNELS = 16 };
  cpu_set_t cpus;
  const char *given = getenv("FUSIBLE_COMPILERS");
  int cores = 1;
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) cores = CPU_COUNT(&cpus);
  int wanted = FS_MIN(b->n, FS_MIN(cores, MOST));
  b->apart = cores >= PROCESSORS && b->n >= KERNELS;
  if (given && *given) {
    int processes = FS_MIN(b->n, FS_MIN(atoi(given), MOST));
    b->apart = processes > 0 && b->n > 1;
    if (b->apart) wanted = processes;
  }
  return wanted;
}

void fs_nvrtc_compile_all(struct fs_nvrtc_job *jobs, int n) {
  struct batch b = {.n = n};
  b.order = fs_calloc((size_t)FS_MAX(n, 1), sizeof *b.order);
  for (int k = 0; k < n; k++) b.order[k] = &jobs[k];
  qsort(b.order, (size_t)n, sizeof *b.order, by_length);
  int wanted = share(&b), started = 0;
  pthread_t threads[MOST];
  while (started < wanted - 1 &&
         pthread_create(&threads[started], NULL, work, &b) == 0)
    started++;
  work(&b); /* this thread too: no thread at all is still right */
  while (started) pthread_join(threads[--started], NULL);
  free(b.order);
}
