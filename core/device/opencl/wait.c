/* wait.c - words for a failure of OpenCL, and the wait for what was started. */
#include <sched.h>
#include <time.h>

#include "core/device/opencl/internal.h"

enum fs_status fs_opencl_fail(struct opencl *t, cl_int error, const char *doing,
                              struct fs_diags *d) {
  if (error == CL_NO_MEMORY || error == CL_NO_RESOURCES || error == CL_NO_HOST_MEMORY)
    return fs_env_error(d, "out-of-memory", "free values that are not needed, or take smaller ones",
                        "%s has not enough free memory for %.200s", t->base.device.name, doing);
  return fs_env_error(d, "driver-error", NULL, "OpenCL failed at %.200s: %s", doing,
                      fs_cl_words(error));
}

/* Asks again and again, so that Ctrl-C is seen. */
static enum fs_status wait_event(struct opencl *t, struct fs_diags *d) {
  cl_int state = CL_EVENT_DONE;
  double begin = fs_now();
  while (t->last) {
    cl_int r = fs_cl.event_info(t->last, CL_EVENT_STATE, sizeof state, &state, NULL);
    if (r != CL_OK) state = r;
    if (state <= CL_EVENT_DONE) break;
    if (fs_interrupted()) return FS_INTERRUPTED;
    double waited = fs_now() - begin;
    struct timespec pause = {.tv_nsec = (long)FS_MIN(waited * 1e9 / 64, 1e6)};
    if (waited < 1e-4) sched_yield();
    else nanosleep(&pause, NULL);
  }
  if (state < 0) return fs_opencl_fail(t, state, "running kernels", d);
  return FS_OK;
}

enum fs_status fs_opencl_wait(struct opencl *t, struct fs_diags *d) {
  enum fs_status st = wait_event(t, d);
  if (st == FS_INTERRUPTED) return st;
  if (t->last) fs_cl.event_free(t->last);
  t->last = NULL;
  fs_cl.finish(t->queue);
  return st;
}

enum fs_status fs_opencl_wait_for(struct opencl *t, struct fs_timer *timer, struct fs_diags *d) {
  cl_ulong begin = 0, end = 0;
  enum fs_status st = wait_event(t, d);
  timer->seconds = 0;
  if (st || !t->last) return st;
  if (fs_cl.event_times(t->last, CL_TIME_STARTED, sizeof begin, &begin, NULL) == CL_OK &&
      fs_cl.event_times(t->last, CL_TIME_ENDED, sizeof end, &end, NULL) == CL_OK && end > begin)
    timer->seconds = 1e-9 * (double)(end - begin);
  return FS_OK;
}
