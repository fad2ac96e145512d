/* pace.c - how far the host runs ahead of the device.
 *
 * Launches return at once, so a loop of long kernels would fill the driver's queue
 * with a thousand of them, and Ctrl-C had to wait for all. Marks (events) stand in
 * the stream about every tenth of a second of predicted work; before the host goes
 * past the mark that it has just set, the one before must have been reached. So at
 * most two tenths are on their way, which is enough for the device never to wait, and
 * blocks of microseconds meet a mark once in thousands of launches.
 *
 * What was predicted may be far from what is (nothing is calibrated, a function of
 * the user): the time between two marks corrects it, for this purpose only, and until
 * it is known marks are close to each other. */
#include <sched.h>
#include <time.h>

#include "core/base/account.h"
#include "core/device/cuda/internal.h"

static const double BETWEEN = 0.1; /* seconds of work between two marks */
enum { FEW = 8, MANY = 128 };      /* launches between them, whatever they take:
                                      at first, and when all goes as predicted */

static struct cu_event *mark(const struct cuda_pace *p, int64_t k) {
  return p->marks[k % FS_MARKS];
}

static bool set_mark(struct cuda *t) {
  struct cuda_pace *p = &t->pace;
  CUevent *e = &p->marks[p->n % FS_MARKS];
  if (!*e && fs_cu.event_create(e, 0) != CU_OK) *e = NULL;
  if (!*e || fs_cu.event_record(*e, fs_cuda_stream(t)) != CU_OK) return false;
  p->promised[p->n++ % FS_MARKS] = p->ahead;
  p->ahead = 0;
  p->launches = 0;
  return true;
}

/* Until the mark before the last is reached; learns from the time since the one
 * before that. Failures of the device are for those who wait for results. */
static enum fs_status reach(struct cuda *t) {
  struct cuda_pace *p = &t->pace;
  struct timespec pause = {.tv_nsec = 100000};
  double begin = 0;
  float ms = 0;
  int64_t at = p->n - 2;
  CUresult r;
  while ((r = fs_cu.event_query(mark(p, at))) == CU_NOT_READY) {
    if (fs_interrupted()) return FS_INTERRUPTED;
    double now = fs_now();
    if (begin == 0) begin = now;
    if (now - begin < 1e-3)
      sched_yield();
    else
      nanosleep(&pause, NULL);
  }
  if (r == CU_OK) r = fs_cu.event_elapsed(&ms, mark(p, at - 1), mark(p, at));
  double promised = p->promised[at % FS_MARKS];
  if (r == CU_OK && promised > 0)
    p->factor = FS_MIN(FS_MAX(1e-3 * ms / promised, 0.1), 1e6);
  if (r == CU_OK && 1e-3 * ms < BETWEEN) p->most = FS_MIN(2 * p->most, MANY);
  return FS_OK;
}

enum fs_status fs_cuda_pace(struct cuda *t, double seconds) {
  struct cuda_pace *p = &t->pace;
  if (p->n == 0) p->most = FEW; /* no mark yet: most inputs never set one */
  p->ahead += FS_MAX(seconds, 1e-7);
  double factor = p->factor > 0 ? p->factor : 1;
  if (++p->launches < p->most && p->ahead * factor < BETWEEN) return FS_OK;
  if (!set_mark(t) || p->n < FS_MARKS) return FS_OK;
  enum fs_part before = fs_account_to(fs_account_kernels());
  enum fs_status st = reach(t);
  fs_account_to(before);
  return st;
}

void fs_cuda_pace_rest(struct cuda *t) {
  t->pace.n = t->pace.launches = 0;
  t->pace.ahead = 0;
}

void fs_cuda_pace_close(struct cuda *t) {
  for (int k = 0; k < FS_MARKS; k++)
    if (t->pace.marks[k]) fs_cu.event_destroy(t->pace.marks[k]);
  t->pace = (struct cuda_pace){0};
}
