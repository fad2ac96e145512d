/* context.c - what all calls of the driver need: the context of the thread, words for a
 * failure, and the wait for what was started. */
#include <sched.h>
#include <time.h>

#include "core/base/account.h"
#include "core/device/cuda/internal.h"

/* -- failures --------------------------------------------------------------------- */

void fs_cuda_started(struct cuda *t, const struct fs_code *code) {
  t->recent[t->n_recent++ % FS_RECENT] = code;
  fs_cuda_lasting(t, code);
}

static const struct fs_code *recent(const struct cuda *t, int k) {
  return t->recent[(t->n_recent - k) % FS_RECENT];
}

static bool is_named(const struct cuda *t, int k) {
  for (int later = 1; later < k; later++)
    if (recent(t, later) && !strcmp(recent(t, later)->does, recent(t, k)->does)) return true;
  return false;
}

/* "`q = A*p`", or "one of `...`, `...`" for the kernels that may be to blame. */
static void blame(const struct cuda *t, struct fs_str *out) {
  int n = (int)FS_MIN(t->n_recent, FS_RECENT), named = 0;
  struct fs_str who = {0};
  for (int k = 1; k <= n && named <= 4; k++) { /* the last ones first */
    if (!recent(t, k) || is_named(t, k)) continue;
    if (++named > 4) fs_str_puts(&who, ", ...");
    else fs_str_printf(&who, "%s`%.200s`", named > 1 ? ", " : "", recent(t, k)->does);
  }
  if (named) fs_str_printf(out, "%s%s", named > 1 ? "one of " : "", who.data);
  fs_str_free(&who);
}

void fs_cuda_lose(struct cuda *t, CUresult r) {
  if (!t->base.lost) t->late = r;
  t->base.lost = true;
}

static enum fs_status fail_fatal(struct cuda *t, CUresult r, const char *doing,
                                 struct fs_diags *d) {
  static const char *const hint = "this process has lost the GPU and all that is on it";
  struct fs_str who = {0};
  blame(t, &who);
  fs_cuda_lose(t, r);
  t->reported = true;
  if (who.len)
    fs_env_error(d, "device-fault", hint, "the GPU stopped with %s; it was running %s",
                 fs_cu_words(r), who.data);
  else
    fs_env_error(d, "device-fault", hint, "the GPU stopped with %s while %s", fs_cu_words(r),
                 doing);
  fs_str_free(&who);
  return FS_ERR_ENV;
}

enum fs_status fs_cuda_fail(struct cuda *t, CUresult r, const char *doing,
                            struct fs_diags *d) {
  if (!d) {
    if (fs_cu_is_fatal(r)) fs_cuda_lose(t, r);
    return FS_ERR_ENV;
  }
  if (t->reported && fs_diags_has(d, "device-fault")) return FS_ERR_ENV; /* it is said */
  if (t->reported)
    return fs_env_error(d, "device-lost", "start another session",
                        "the GPU cannot be used any more in this session, "
                        "since it stopped with a fault before");
  if (t->base.lost) return fail_fatal(t, t->late, doing, d);
  if (fs_cu_is_fatal(r)) return fail_fatal(t, r, doing, d);
  if (r == CU_OUT_OF_MEMORY)
    return fs_env_error(d, "out-of-memory", "free values that are not needed, "
                        "or take smaller ones",
                        "the GPU has not enough free memory for %s", doing);
  const char *name = NULL;
  if (!fs_cu.error_name || fs_cu.error_name(r, &name) != CU_OK || !name)
    name = "unknown error";
  return fs_env_error(d, "driver-error", NULL,
                      "the CUDA driver failed at %s: %s (%s, %d)", doing,
                      fs_cu_words(r), name, r);
}

/* -- waiting ----------------------------------------------------------------------- */

static _Thread_local CUcontext current;

void fs_cuda_enter(struct cuda *t) {
  if (current == t->context) return;
  if (fs_cu.context_set(t->context) == CU_OK) current = t->context;
}

void fs_cuda_leave(void) {
  fs_cu.context_set(NULL);
  current = NULL;
}

/* Asks again and again, so that Ctrl-C is seen, with pauses of a share of the time that it
 * has waited, which the answer may come later for it; without, where that is less than
 * what a pause takes anyway. (Pauses up to a millisecond from the first one on made 40
 * steps of 0.25 to 0.35 ms 6 % longer.) */
static enum fs_status wait_for(struct cuda *t, struct fs_diags *d) {
  const double share = 1.0 / 128, least = 100e-6, most = 1e-3; /* seconds */
  double begin = 0;
  for (int k = 0;; k++) {
    CUresult r = fs_cu.stream_query(fs_cuda_stream(t));
    if (r == CU_OK && t->base.lost) r = t->late;
    if (r == CU_OK) {
      t->n_recent = 0;
      fs_cuda_pace_rest(t);
      fs_cuda_lasting_rest(t);
      t->base.stuck = false;
      return FS_OK;
    }
    if (r != CU_NOT_READY) return fs_cuda_fail(t, r, "waiting for kernels", d);
    if (fs_interrupted()) return FS_INTERRUPTED;
    double now = fs_now();
    if (k == 0) begin = now;
    double wait = FS_MIN(share * (now - begin), most);
    struct timespec pause = {.tv_nsec = (long)(1e9 * wait)};
    if (wait < least) sched_yield();
    else nanosleep(&pause, NULL);
  }
}

enum fs_status fs_cuda_wait(struct cuda *t, struct fs_diags *d) {
  enum fs_part before = fs_account_to(fs_account_kernels());
  enum fs_status st = wait_for(t, d);
  fs_account_to(before);
  return st;
}

bool fs_cuda_settle_for(struct fs_target *target, double limit) {
  struct cuda *t = fs_cuda_of(target);
  double begin = fs_now();
  CUresult r;
  while ((r = fs_cu.stream_query(fs_cuda_stream(t))) == CU_NOT_READY) {
    if (fs_now() - begin >= limit) {
      t->base.stuck = true;
      return false;
    }
    struct timespec pause = {.tv_nsec = 100000};
    nanosleep(&pause, NULL);
  }
  return true;
}

bool fs_cuda_settle(struct cuda *t) {
  return fs_cuda_settle_for(&t->base, t->base.stuck ? 0 : 2);
}
