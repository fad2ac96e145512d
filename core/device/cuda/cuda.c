/* cuda.c - opens a CUDA device as a target: context, stream, limits, timers. */
#include <glob.h>
#include <pthread.h>
#include <stdio.h>

#include "core/device/cuda/internal.h"

/* -- the device's limits ----------------------------------------------------------- */

static int attribute(CUdevice device, int which) {
  int value = 0;
  return fs_cu.device_attribute(&value, which, device) == CU_OK ? value : 0;
}

/* FUSIBLE_L2: what is planned for matrices that no cache holds can be tried, and
 * looked at with slow tools, at sizes that one does. */
static int64_t cache_bytes(CUdevice device) {
  const char *given = getenv("FUSIBLE_L2");
  long long bytes = given ? strtoll(given, NULL, 10) : 0;
  return bytes > 0 ? bytes : attribute(device, CU_DEV_L2_BYTES);
}

/* What copies reach of the clock times the bus width, both edges (an H200: 4.3e12 bytes
 * per second of 4.8e12; what only reads reaches 4.67e12). */
#define COPIES 0.87

/* Bytes per second off chip that no kernel exceeds. */
static double peak_bandwidth(CUdevice device) {
  double clock = 1e3 * attribute(device, CU_DEV_MEMORY_KHZ);
  double bytes = attribute(device, CU_DEV_BUS_BITS) / 8.0;
  double rate = 2 * clock * bytes;
  if (rate >= 1e10) return rate;
  /* drivers that hide the clock */
  return fs_generation_of(10 * attribute(device, CU_DEV_CC_MAJOR))->bandwidth / COPIES;
}

static void read_limits(struct cuda *t) {
  struct fs_device *dev = &t->base.device;
  CUdevice id = t->device;
  dev->is_cuda = true;
  if (fs_cu.device_name(dev->name, sizeof dev->name, id) != CU_OK)
    snprintf(dev->name, sizeof dev->name, "CUDA device %d", id);
  dev->cc = 10 * attribute(id, CU_DEV_CC_MAJOR) + attribute(id, CU_DEV_CC_MINOR);
  dev->units = FS_MAX(attribute(id, CU_DEV_UNITS), 1);
  dev->max_threads = FS_MAX(attribute(id, CU_DEV_MAX_THREADS), 32);
  dev->shared_bytes = FS_MAX(attribute(id, CU_DEV_SHARED_OPTIN),
                             attribute(id, CU_DEV_SHARED));
  dev->regs = attribute(id, CU_DEV_REGS_PER_UNIT);
  dev->cooperative =
      fs_cu.launch_cooperative && attribute(id, CU_DEV_COOPERATIVE);
  dev->cache_bytes = cache_bytes(id);
  size_t total = 0;
  fs_cu.device_memory(&total, id);
  dev->memory_bytes = (int64_t)total;
  dev->peak_bandwidth = peak_bandwidth(id);
  dev->bandwidth = COPIES * dev->peak_bandwidth;
  double clock = 1e3 * attribute(id, CU_DEV_CLOCK_KHZ);
  if (clock < 1e8) clock = 1.5e9;
  /* 24 bytes a clock for each unit: near what kernels in L2 reach. */
  dev->cache_bandwidth = FS_MAX(24 * clock * dev->units, 1.2 * dev->bandwidth);
  snprintf(dev->driver, sizeof dev->driver, "CUDA %d.%d",
           fs_cu_version() / 1000, fs_cu_version() % 1000 / 10);
  dev->launch = 3.5e-6;
  dev->flops = 2 * clock * dev->units * fs_generation_of(dev->cc)->cores;
}

static enum fs_status cuda_sync(struct fs_target *target, struct fs_diags *d) {
  struct cuda *t = fs_cuda_of(target);
  fs_cuda_enter(t);
  return fs_cuda_wait(t, d);
}

/* -- timers ------------------------------------------------------------------------ */

static void timer_free(struct fs_target *target, struct fs_timer *timer) {
  if (!timer) return;
  fs_cuda_enter(fs_cuda_of(target));
  if (timer->begin) fs_cu.event_destroy(timer->begin);
  if (timer->end) fs_cu.event_destroy(timer->end);
  fs_cuda_counter_free(timer->counter);
  free(timer);
}

static struct fs_timer *timer_new(struct fs_target *target) {
  fs_cuda_enter(fs_cuda_of(target));
  struct fs_timer *timer = fs_calloc(1, sizeof *timer);
  if (fs_cu.event_create(&timer->begin, 0) != CU_OK) timer->begin = NULL;
  if (fs_cu.event_create(&timer->end, 0) != CU_OK) timer->end = NULL;
  return timer;
}

static double timer_seconds(struct fs_target *target, struct fs_timer *timer) {
  float ms = 0;
  fs_cuda_enter(fs_cuda_of(target));
  if (!timer->recorded ||
      fs_cu.event_elapsed(&ms, timer->begin, timer->end) != CU_OK)
    return -1;
  return 1e-3 * ms;
}

/* -- open and close ------------------------------------------------------------------ */

static struct cuda *volatile left_behind; /* not lost: leak checkers find it */

static void cuda_close(struct fs_target *target) {
  struct cuda *t = fs_cuda_of(target);
  fs_cuda_behind_close(t);
  if (t->context) {
    fs_cuda_enter(t);
    /* Taking anything from under a kernel that never ends would wait for it. */
    if (t->stream && !fs_cuda_settle(t)) {
      left_behind = t;
      return;
    }
    fs_cuda_library_close(t);
    fs_cuda_memory_close(t);
    fs_cuda_pace_close(t);
    if (t->stream) fs_cu.stream_destroy(t->stream);
    fs_cuda_leave();
    fs_cu.context_release(t->device);
  }
  free(t);
}

static const struct fs_target_ops ops = {
    .name = "cuda",
    .form = "cuda",
    .language = "cuda",
    .alloc = fs_cuda_alloc,
    .free = fs_cuda_free,
    .trim = fs_cuda_trim,
    .memory = fs_cuda_memory,
    .upload = fs_cuda_upload,
    .download = fs_cuda_download,
    .copy = fs_cuda_copy,
    .prepare = fs_cuda_prepare,
    .warm = fs_cuda_warm,
    .release = fs_cuda_release,
    .launch = fs_cuda_launch,
    .launch_all = fs_cuda_launch_all,
    .replay_free = fs_cuda_replay_free,
    .sync = cuda_sync,
    .settle = fs_cuda_settle_for,
    .timer_new = timer_new,
    .timer_seconds = timer_seconds,
    .timer_free = timer_free,
    .counter_new = fs_cuda_counter_new,
    .counts = fs_cuda_counts,
    .footprint = fs_cuda_footprint,
    .taken = fs_cuda_taken,
    .is_quick = fs_cuda_is_quick,
    .behind = fs_cuda_behind,
    .code_text = fs_cuda_code_text,
    .close = cuda_close,
};

/* Device `index` if there is one. */
static enum fs_status find_device(struct cuda *t, int index,
                                  struct fs_diags *d) {
  int count = 0;
  CUresult r = fs_cu.device_count(&count);
  if (r != CU_OK) return fs_cuda_fail(t, r, "counting the GPUs", d);
  if (!count)
    return fs_env_error(d, "no-device", NULL, "the NVIDIA driver finds no GPU");
  if (index < 0 || index >= count)
    return fs_env_error(d, "no-device", NULL,
                        "there is no CUDA device %d; the driver has %d, "
                        "counted from 0", index, count);
  r = fs_cu.device_get(&t->device, index);
  return r == CU_OK ? FS_OK : fs_cuda_fail(t, r, "opening the GPU", d);
}

static enum fs_status make_context(struct cuda *t, struct fs_diags *d) {
  CUresult r = fs_cu.context_retain(&t->context, t->device);
  if (r != CU_OK) {
    t->context = NULL;
    return fs_cuda_fail(t, r, "making a context", d);
  }
  fs_cuda_enter(t);
  r = fs_cu.stream_create(&t->stream, CU_STREAM_NON_BLOCKING);
  if (r != CU_OK) {
    t->stream = NULL;
    return fs_cuda_fail(t, r, "making a stream", d);
  }
  fs_cuda_memory_open(t);
  return FS_OK;
}

/* What NVRTC compiles for, and the device's name of it. */
static enum fs_status choose_arch(struct cuda *t, struct fs_diags *d) {
  struct fs_device *dev = &t->base.device;
  const char *why = NULL;
  if (!fs_nvrtc_load(fs_cu_version(), &why))
    return fs_env_error(d, "no-nvrtc",
                        "pip's nvidia-cuda-nvrtc or NVIDIA's CUDA toolkit has "
                        "it; FUSIBLE_NVRTC can name the file", "%s", why);
  if (!fs_nvrtc_arch(dev->cc, t->arch, sizeof t->arch))
    return fs_env_error(d, "no-nvrtc", "an older NVRTC (12.x) may",
                        "NVRTC %d.%d does not compile for %s (compute "
                        "capability %d.%d)", fs_nvrtc_version() / 1000,
                        fs_nvrtc_version() % 1000 / 10, dev->name, dev->cc / 10,
                        dev->cc % 10);
  snprintf(dev->arch, sizeof dev->arch, "%s", t->arch);
  fs_device_of_cc(dev, dev->cc);
  t->plain = fs_device_plain(dev);
  return FS_OK;
}

static void *load_nvrtc(void *driver) {
  fs_nvrtc_load((int)(intptr_t)driver, NULL);
  return NULL;
}

struct fs_target *fs_cuda_open(int index, struct fs_diags *d) {
  const char *why = NULL;
  if (!fs_cu_load(&why)) {
    fs_env_error(d, "no-driver", "the CPU target needs none: `:target cpu`",
                 "%s", why);
    return NULL;
  }
  struct cuda *t = fs_calloc(1, sizeof *t);
  t->base.ops = &ops;
  t->queue.start = fs_cuda_start_waiting;
  t->queue.give_up = fs_cuda_replay_trim;
  /* Reading the 100 MB library and making the context take 0.1 s each. */
  pthread_t loader;
  bool loading = pthread_create(&loader, NULL, load_nvrtc,
                                (void *)(intptr_t)fs_cu_version()) == 0;
  enum fs_status status = find_device(t, index, d);
  if (status == FS_OK) read_limits(t);
  if (status == FS_OK) status = make_context(t, d);
  if (loading) pthread_join(loader, NULL);
  if (status == FS_OK) status = choose_arch(t, d);
  if (status == FS_OK) return &t->base;
  cuda_close(&t->base);
  return NULL;
}

int fs_cuda_count(void) {
  int count = 0;
  bool there = fs_cu_load(NULL) && fs_cu.init(0) == CU_OK;
  return there && fs_cu.device_count(&count) == CU_OK ? count : 0;
}

bool fs_cuda_present(void) {
  static const char *const nodes[] = {"/dev/nvidia[0-9]*", "/dev/dxg"};
  if (!fs_cu_load(NULL)) return false;
  for (size_t k = 0; k < FS_LEN(nodes); k++) {
    glob_t found = {0};
    bool there = glob(nodes[k], 0, NULL, &found) == 0;
    globfree(&found);
    if (there) return true;
  }
  int count = 0; /* containers may show devices under other names */
  return fs_cu.device_count(&count) == CU_OK && count > 0;
}
