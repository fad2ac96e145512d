/* batch.c - library calls for each matrix of a batch, in several threads. */
#include <stdatomic.h>

#include "core/device/cpu/lapack.h"

/* The calls of a batch, in parts that threads take. */
struct batch {
  const struct fs_lib_call *call;
  fs_lib_run *run;
  int64_t count, each;
  _Atomic int64_t failed; /* the first that failed; count: none */
};

static void run_part(void *user, int64_t k, int worker) {
  struct batch *b = user;
  (void)worker;
  for (int64_t at = k * b->each; at < FS_MIN((k + 1) * b->each, b->count); at++) {
    int64_t first = b->failed;
    if (at > first) return;
    struct fs_lib_call one = fs_lib_call_nth(b->call, at);
    if (b->run(&one, NULL) == FS_OK) continue;
    while (at < first && !atomic_compare_exchange_weak(&b->failed, &first, at)) continue;
  }
}

static enum fs_status in_turn(const struct batch *b, struct fs_diags *d) {
  enum fs_status status = FS_OK;
  for (int64_t k = 0; k < b->count && status == FS_OK; k++) {
    struct fs_lib_call one = fs_lib_call_nth(b->call, k);
    status = fs_interrupted() ? FS_INTERRUPTED : b->run(&one, d);
  }
  return status;
}

/* What failed first is done once more, for its message. */
enum fs_status fs_batch_run(const struct fs_lib_call *call, struct fs_pool *pool, int threads,
                            void (*use_threads)(int), fs_lib_run *run, struct fs_diags *d) {
  enum { ROUNDS = 8, LARGE = 1 << 22 }; /* operations of one, about */
  struct batch b = {.call = call, .run = run, .count = fs_shape_count(&call->batch)};
  double m = (double)call->a.dim[0], n = (double)call->a.dim[1];
  double each = m * n * ((call->has_b ? (double)call->b.dim[1] : 0) + FS_MIN(m, n));
  bool apart = each < LARGE && pool;
  use_threads(apart ? 1 : threads);
  if (!apart) return in_turn(&b, d);
  double parts = FS_MIN((double)b.count, FS_MAX(each * (double)b.count / LARGE, 1) * ROUNDS);
  b.each = (int64_t)((double)b.count / parts) + 1;
  b.failed = b.count;
  enum fs_status status =
      fs_pool_run(pool, threads, (b.count + b.each - 1) / b.each, run_part, &b);
  if (status != FS_OK || b.failed == b.count) return status;
  struct fs_lib_call one = fs_lib_call_nth(call, b.failed);
  return run(&one, d);
}
