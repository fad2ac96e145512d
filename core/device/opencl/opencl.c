/* opencl.c - the OpenCL target: what fs_target_ops asks for, on a device of libOpenCL.so.1. */
#include <stdio.h>

#include "core/device/opencl/internal.h"

static enum fs_status sync_all(struct fs_target *t, struct fs_diags *d) {
  return fs_opencl_wait(fs_opencl_of(t), d);
}

static struct fs_timer *timer_new(struct fs_target *t) {
  (void)t;
  return fs_calloc(1, sizeof(struct fs_timer));
}
static double timer_seconds(struct fs_target *t, struct fs_timer *timer) {
  (void)t;
  return timer->seconds;
}
static void timer_free(struct fs_target *t, struct fs_timer *timer) {
  (void)t;
  free(timer);
}

static void footprint(struct fs_target *t, const struct fs_plan *plan,
                      const struct fs_kernel *kernel, struct fs_footprint *out,
                      struct fs_home *places) {
  *out = (struct fs_footprint){.threads = 1, .blocks = 1};
  if (fs_emit_has(kernel, FS_OPENCL_C))
    fs_emit_footprint(plan, kernel, &t->device, out, places);
}

static void close_target(struct fs_target *target) {
  struct opencl *t = fs_opencl_of(target);
  if (t->host) t->host->ops->close(t->host);
  if (t->queue) fs_cl.finish(t->queue);
  if (t->last) fs_cl.event_free(t->last);
  while (t->rooms.len) fs_cl.free(t->context, t->rooms.data[--t->rooms.len].base);
  FS_VEC_FREE(&t->rooms);
  if (t->queue) fs_cl.queue_free(t->queue);
  if (t->context) fs_cl.context_free(t->context);
  free(t);
}

static const struct fs_target_ops opencl_ops = {
  .name = "opencl",
  .form = "opencl",
  .language = "c",
  .alloc = fs_opencl_alloc,
  .free = fs_opencl_free,
  .trim = fs_opencl_trim,
  .memory = fs_opencl_memory,
  .upload = fs_opencl_upload,
  .download = fs_opencl_download,
  .copy = fs_opencl_copy,
  .prepare = fs_opencl_prepare,
  .release = fs_opencl_release,
  .launch = fs_opencl_launch,
  .sync = sync_all,
  .timer_new = timer_new,
  .timer_seconds = timer_seconds,
  .timer_free = timer_free,
  .footprint = footprint,
  .code_text = fs_opencl_code_text,
  .close = close_target,
};

/* -- the device ---------------------------------------------------------------------- */

/* What the planner must know. Warps of 32 share nothing here, and blocks cannot wait for each
 * other. What a device does not tell is guessed by its kind. */
void fs_opencl_describe(struct fs_device *v, bool gpu) {
  v->is_cuda = true;
  v->dialect = FS_OPENCL_C;
  v->regs = 65536;
  v->bandwidth = gpu ? 300e9 : FS_MIN(14e9 * v->units, 300e9);
  v->peak_bandwidth = v->bandwidth;
  v->cache_bandwidth = 4 * v->bandwidth;
  v->launch = gpu ? 1e-5 : 2e-5;
}

static void describe(struct opencl *t) {
  struct fs_device *v = &t->base.device;
  bool gpu = fs_cl_number(t->device, CL_DEVICE_KIND) & CL_DEVICE_IS_GPU;
  fs_cl_text(t->device, CL_DEVICE_NAMED, v->name, sizeof v->name);
  fs_cl_text(t->device, CL_DRIVER_NAMED, v->driver, sizeof v->driver);
  snprintf(v->arch, sizeof v->arch, "opencl");
  v->units = (int)FS_MAX(1, fs_cl_number(t->device, CL_DEVICE_UNITS));
  v->max_threads = (int)FS_MIN(fs_cl_number(t->device, CL_DEVICE_MOST_THREADS), 256);
  v->shared_bytes = (int64_t)fs_cl_number(t->device, CL_DEVICE_LOCAL_BYTES);
  v->cache_bytes = (int64_t)FS_MAX(fs_cl_number(t->device, CL_DEVICE_CACHE_BYTES), 1 << 20);
  v->memory_bytes = (int64_t)fs_cl_number(t->device, CL_DEVICE_BYTES);
  v->flops = 1e6 * (double)FS_MAX(fs_cl_number(t->device, CL_DEVICE_CLOCK_MHZ), 1000) * v->units *
             (gpu ? 128 : 16);
  fs_opencl_describe(v, gpu);
}

/* Why a device will not do, or NULL. */
static const char *lacks(void *device) {
  if (!(fs_cl_number(device, CL_DEVICE_SHARED_MEMORY) & CL_SVM_BUFFERS))
    return "memory that it shares with the host (coarse-grained SVM, of OpenCL 2.0)";
  if (!fs_cl_number(device, CL_DEVICE_F64)) return "numbers of f64 (cl_khr_fp64)";
  if (fs_cl_number(device, CL_DEVICE_MOST_THREADS) < 256) return "work groups of 256";
  return NULL;
}

struct fs_target *fs_opencl_open(int index, struct fs_diags *d) {
  void *device = fs_cl_device(index, d);
  cl_int r = CL_OK;
  if (!device) return NULL;
  struct opencl *t = fs_calloc(1, sizeof *t);
  t->base.ops = &opencl_ops;
  t->device = device;
  describe(t);
  const char *why = lacks(device);
  if (why) {
    fs_env_error(d, "no-opencl", NULL, "%s has no %s", t->base.device.name, why);
    free(t);
    return NULL;
  }
  t->context = fs_cl.context_new(NULL, 1, &device, NULL, NULL, &r);
  if (t->context && r == CL_OK)
    t->queue = fs_cl.queue_new(t->context, device, CL_QUEUE_TIMES, &r);
  if (t->queue && r == CL_OK) return &t->base;
  fs_env_error(d, "no-opencl", NULL, "%s does not start: %s", t->base.device.name, fs_cl_words(r));
  close_target(&t->base);
  return NULL;
}
