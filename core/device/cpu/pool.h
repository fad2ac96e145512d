/* pool.h - worker threads for kernels: fork, join, nothing else. */
#ifndef FS_CPU_POOL_H
#define FS_CPU_POOL_H

#include "core/base/base.h"

struct fs_pool;

/* `threads` counts the caller. Threads that cannot be started are done without:
 * fs_pool_threads() says how many there are. */
struct fs_pool *fs_pool_new(int threads);
void fs_pool_free(struct fs_pool *p);
int fs_pool_threads(const struct fs_pool *p);
/* Whether threads should have a job that is not worth waking them for: none sleeps, so it
 * costs next to nothing to hand out; or such jobs come so close that who is called for this one
 * will be awake for the next. Who then does one alone says when it is over. */
bool fs_pool_would_help(struct fs_pool *p);
void fs_pool_was_alone(struct fs_pool *p);

/* Runs task(user, k, worker) for k = 0 .. n-1, in any order, on up to `threads`
 * threads; worker < threads tells which. Returns when all have run, or
 * FS_INTERRUPTED when fs_interrupted() was seen between two tasks and the rest
 * was left out. Borrows `user`. */
typedef void fs_task_fn(void *user, int64_t k, int worker);
enum fs_status fs_pool_run(struct fs_pool *p, int threads, int64_t n,
                           fs_task_fn *task, void *user);

#endif
