/* counter.c - what the GPU counts of a launch, by CUPTI's range profiler (CUDA 12.6 and later),
 * which is loaded when somebody asks.
 *
 * A launch is a range of the user, which is counted in as many passes as the metrics need; each
 * pass is another launch with the same operands. */
#include "core/device/cuda/internal.h"

#include <math.h>

enum { NO_METRIC = 17, BUSY = 26, VIRTUAL = 33, NOT_PERMITTED = 35, OTHER_PROFILER = 39,
       VIRTUAL_NOT_PERMITTED = 40 };
enum { RANGE_PROFILER = 0, USER_RANGE = 2, USER_REPLAY = 3 };

/* The parameters of CUPTI's functions: their size up to the last field that is known, and NULL. */
#define PARAMS(name, ...)                      \
  struct name {                                \
    size_t size;                               \
    void *reserved;                            \
    __VA_ARGS__                                \
  }
PARAMS(cupti_nothing, );
PARAMS(cupti_chip, size_t device; const char *name;);
PARAMS(cupti_host, int kind; const char *chip; const uint8_t *available; void *host;);
PARAMS(cupti_host_end, void *host;);
PARAMS(cupti_metrics, void *host; const char **names; size_t n;);
PARAMS(cupti_image_size, void *host; size_t bytes;);
PARAMS(cupti_image, void *host; size_t bytes; uint8_t *image;);
PARAMS(cupti_values, void *host; const uint8_t *data; size_t bytes, range; const char **names;
       size_t n; double *values;);
PARAMS(cupti_enable, CUcontext context; void *profiler;);
PARAMS(cupti_profiler, void *profiler;);
PARAMS(cupti_data_size, void *profiler; const char **names; size_t n, ranges; uint32_t nodes;
       size_t bytes;);
PARAMS(cupti_data, void *profiler; size_t bytes; uint8_t *data;);
PARAMS(cupti_config, void *profiler; size_t image_bytes; const uint8_t *image; size_t data_bytes;
       uint8_t *data; int range, replay; size_t ranges; uint16_t levels, first_level; size_t pass;
       uint16_t level;);
PARAMS(cupti_push, void *profiler; const char *name;);
PARAMS(cupti_stop, void *profiler; size_t pass, level; uint8_t all;);
PARAMS(cupti_decode, void *profiler; size_t dropped;);
#define SIZE(type, last) (offsetof(struct type, last) + sizeof ((struct type *)NULL)->last)

struct cupti {
  int (*start_up)(struct cupti_nothing *);
  int (*chip)(struct cupti_chip *);
  int (*host_new)(struct cupti_host *);
  int (*host_end)(struct cupti_host_end *);
  int (*add)(struct cupti_metrics *);
  int (*image_size)(struct cupti_image_size *);
  int (*image)(struct cupti_image *);
  int (*values)(struct cupti_values *);
  int (*enable)(struct cupti_enable *);
  int (*disable)(struct cupti_profiler *);
  int (*data_size)(struct cupti_data_size *);
  int (*data)(struct cupti_data *);
  int (*config)(struct cupti_config *);
  int (*start)(struct cupti_profiler *);
  int (*push)(struct cupti_push *);
  int (*pop)(struct cupti_profiler *);
  int (*stop)(struct cupti_stop *);
  int (*decode)(struct cupti_decode *);
  int (*words)(int status, const char **out);
};

struct cuda_counter {
  struct cupti f;
  void *host, *profiler;
  const char *names[FS_COUNTS];   /* of the metrics that the GPU has, */
  enum fs_count which[FS_COUNTS]; /* ... and which they are           */
  size_t n;
  uint8_t *image, *data;
  size_t image_bytes, data_bytes;
  int status;                     /* of CUPTI: the first that was not 0 */
  bool done;                      /* all passes were run */
};

static const char *const metrics[FS_COUNTS] = {
#define COUNT(id, name) [FS_COUNT_##id] = name,
#define WAIT(id, name, words) \
  [FS_COUNT_##id] = "smsp__average_warps_issue_stalled_" name "_per_issue_active.ratio",
#include "core/device/counts.def"
#undef COUNT
#undef WAIT
};

static bool load(struct cupti *f, struct fs_str *why) {
  static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so", NULL};
  static const struct fs_cuda_symbol symbols[] = {
      {"cuptiProfilerInitialize", offsetof(struct cupti, start_up), true},
      {"cuptiDeviceGetChipName", offsetof(struct cupti, chip), true},
      {"cuptiProfilerHostInitialize", offsetof(struct cupti, host_new), true},
      {"cuptiProfilerHostDeinitialize", offsetof(struct cupti, host_end), true},
      {"cuptiProfilerHostConfigAddMetrics", offsetof(struct cupti, add), true},
      {"cuptiProfilerHostGetConfigImageSize", offsetof(struct cupti, image_size), true},
      {"cuptiProfilerHostGetConfigImage", offsetof(struct cupti, image), true},
      {"cuptiProfilerHostEvaluateToGpuValues", offsetof(struct cupti, values), true},
      {"cuptiRangeProfilerEnable", offsetof(struct cupti, enable), true},
      {"cuptiRangeProfilerDisable", offsetof(struct cupti, disable), true},
      {"cuptiRangeProfilerGetCounterDataSize", offsetof(struct cupti, data_size), true},
      {"cuptiRangeProfilerCounterDataImageInitialize", offsetof(struct cupti, data), true},
      {"cuptiRangeProfilerSetConfig", offsetof(struct cupti, config), true},
      {"cuptiRangeProfilerStart", offsetof(struct cupti, start), true},
      {"cuptiRangeProfilerPushRange", offsetof(struct cupti, push), true},
      {"cuptiRangeProfilerPopRange", offsetof(struct cupti, pop), true},
      {"cuptiRangeProfilerStop", offsetof(struct cupti, stop), true},
      {"cuptiRangeProfilerDecodeData", offsetof(struct cupti, decode), true},
      {"cuptiGetResultString", offsetof(struct cupti, words), false}};
  struct fs_str tried = {0};
  void *handle =
      fs_cuda_find_library("FUSIBLE_CUPTI", names, "cuda_cupti", fs_nvrtc_path(), &tried);
  fs_str_free(&tried);
  if (handle && fs_cuda_resolve(handle, symbols, FS_LEN(symbols), f)) return true;
  fs_str_puts(why, handle ? "CUPTI (libcupti.so) is older than CUDA 12.6"
                          : "CUPTI (libcupti.so) was not found; pip's nvidia-cuda-cupti or "
                            "NVIDIA's CUDA toolkit has it");
  return false;
}

static void put_why(const struct cuda_counter *c, struct fs_str *why) {
  const char *words = NULL;
  switch (c->status) {
    case NOT_PERMITTED:
    case VIRTUAL_NOT_PERMITTED:
      fs_str_puts(why, "the driver lets administrators alone read counters "
                       "(its option NVreg_RestrictProfilingToAdminUsers=0 lets everybody)");
      return;
    case BUSY:
    case OTHER_PROFILER: fs_str_puts(why, "another profiler has the GPU's counters"); return;
    case VIRTUAL: fs_str_puts(why, "this virtual GPU has no counters"); return;
    default:
      if (c->f.words) c->f.words(c->status, &words);
      fs_str_printf(why, "CUPTI gave %s", words ? words : "an error");
  }
}

static bool note(struct cuda_counter *c, int status) {
  if (!c->status) c->status = status;
  return !c->status;
}

/* The metrics that this kind of GPU has. */
static bool choose(struct cuda_counter *c) {
  for (int k = 0; k < FS_COUNTS; k++) {
    const char *name = metrics[k];
    struct cupti_metrics p = {SIZE(cupti_metrics, n), NULL, c->host, &name, 1};
    int status = c->f.add(&p);
    if (status == NO_METRIC) continue;
    if (!note(c, status)) return false;
    c->which[c->n] = (enum fs_count)k;
    c->names[c->n++] = name;
  }
  return c->n > 0 || note(c, NO_METRIC);
}

static bool open_host(struct cuda *t, struct cuda_counter *c) {
  struct cupti_nothing nothing = {SIZE(cupti_nothing, reserved), NULL};
  struct cupti_chip chip = {SIZE(cupti_chip, name), NULL, (size_t)t->device, NULL};
  if (!note(c, c->f.start_up(&nothing)) || !note(c, c->f.chip(&chip))) return false;
  struct cupti_host host = {SIZE(cupti_host, host), NULL, RANGE_PROFILER, chip.name, NULL, NULL};
  if (!note(c, c->f.host_new(&host))) return false;
  c->host = host.host;
  if (!choose(c)) return false;
  struct cupti_image_size size = {SIZE(cupti_image_size, bytes), NULL, c->host, 0};
  if (!note(c, c->f.image_size(&size))) return false;
  c->image_bytes = size.bytes;
  c->image = fs_calloc(1, size.bytes + 1);
  struct cupti_image image = {SIZE(cupti_image, image), NULL, c->host, size.bytes, c->image};
  return note(c, c->f.image(&image));
}

static bool open_profiler(struct cuda *t, struct cuda_counter *c) {
  struct cupti_enable enable = {SIZE(cupti_enable, profiler), NULL, t->context, NULL};
  if (!note(c, c->f.enable(&enable))) return false;
  c->profiler = enable.profiler;
  struct cupti_data_size size = {SIZE(cupti_data_size, bytes), NULL, c->profiler, c->names, c->n,
                                 1, 1, 0};
  if (!note(c, c->f.data_size(&size))) return false;
  c->data_bytes = size.bytes;
  c->data = fs_calloc(1, size.bytes + 1);
  struct cupti_data data = {SIZE(cupti_data, data), NULL, c->profiler, size.bytes, c->data};
  if (!note(c, c->f.data(&data))) return false;
  struct cupti_config config = {
      .size = SIZE(cupti_config, level), .profiler = c->profiler,
      .image_bytes = c->image_bytes, .image = c->image, .data_bytes = c->data_bytes,
      .data = c->data, .range = USER_RANGE, .replay = USER_REPLAY, .ranges = 1, .levels = 1,
      .first_level = 1};
  return note(c, c->f.config(&config));
}

struct fs_timer *fs_cuda_counter_new(struct fs_target *target, struct fs_str *why) {
  struct cuda *t = fs_cuda_of(target);
  struct cuda_counter *c = fs_calloc(1, sizeof *c);
  fs_cuda_enter(t);
  if (load(&c->f, why)) {
    if (open_host(t, c) && open_profiler(t, c)) {
      struct fs_timer *timer = fs_calloc(1, sizeof *timer);
      timer->counter = c;
      return timer;
    }
    put_why(c, why);
  }
  fs_cuda_counter_free(c);
  return NULL;
}

void fs_cuda_counter_begin(struct cuda_counter *c) {
  struct cupti_profiler p = {SIZE(cupti_profiler, profiler), NULL, c->profiler};
  struct cupti_push push = {SIZE(cupti_push, name), NULL, c->profiler, "launch"};
  if (!c->status && note(c, c->f.start(&p))) note(c, c->f.push(&push));
}

void fs_cuda_counter_end(struct cuda *t, struct cuda_counter *c) {
  struct cupti_profiler p = {SIZE(cupti_profiler, profiler), NULL, c->profiler};
  struct cupti_stop stop = {.size = SIZE(cupti_stop, all), .profiler = c->profiler};
  fs_cuda_wait(t, NULL); /* what fails, the next wait tells */
  if (c->status || !note(c, c->f.pop(&p)) || !note(c, c->f.stop(&stop))) return;
  c->done = stop.all;
}

bool fs_cuda_counts(struct fs_target *t, struct fs_timer *timer, double out[FS_COUNTS],
                    struct fs_str *why) {
  struct cuda_counter *c = timer->counter;
  double values[FS_COUNTS];
  for (int k = 0; k < FS_COUNTS; k++) out[k] = NAN;
  fs_cuda_enter(fs_cuda_of(t));
  if (!c->status && !c->done) return false;
  struct cupti_decode decode = {SIZE(cupti_decode, dropped), NULL, c->profiler, 0};
  struct cupti_values p = {SIZE(cupti_values, values), NULL, c->host, c->data, c->data_bytes, 0,
                           c->names, c->n, values};
  if (c->status || !note(c, c->f.decode(&decode)) || !note(c, c->f.values(&p))) {
    put_why(c, why);
    return true;
  }
  for (size_t k = 0; k < c->n; k++) out[c->which[k]] = values[k];
  return true;
}

void fs_cuda_counter_free(struct cuda_counter *c) {
  if (!c) return;
  struct cupti_profiler p = {SIZE(cupti_profiler, profiler), NULL, c->profiler};
  struct cupti_host_end end = {SIZE(cupti_host_end, host), NULL, c->host};
  if (c->profiler) c->f.disable(&p);
  if (c->host) c->f.host_end(&end);
  free(c->image);
  free(c->data);
  free(c);
}
