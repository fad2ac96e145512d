/* place.c - where statements run: the CPU and the CUDA device, each with its runner, what
 * is known of how fast it is, and the move from one to the other. */
#include <stdio.h>

#include "core/ranks/ranks.h"
#include "core/session/internal.h"

static struct fs_runner *new_runner(const struct fs_session *s,
                                    struct fs_target *target) {
  struct fs_runner *r = fs_runner_new(target);
  fs_runner_options(r)->heard = fs_session_hears_times(s);
  fs_runner_options(r)->strategy = s->strategy;
  fs_runner_options(r)->effort = s->effort;
  fs_runner_options(r)->timed = true;
  fs_runner_options(r)->hasty = s->hasty;
  fs_runner_options(r)->pins = s->pins.data;
  fs_runner_options(r)->n_pins = s->pins.len;
  fs_runner_options(r)->kernel_pins = s->kernel_pins.data;
  fs_runner_options(r)->n_kernel_pins = s->kernel_pins.len;
  fs_runner_options(r)->launching = s->launching;
  fs_runner_options(r)->changing = s->changing;
  fs_runner_options(r)->user = (void *)(uintptr_t)s;
  return r;
}

/* What is known of how fast the device is: from earlier sessions, else from a device
 * of its kind. The reference device of the tests has no history and costs by the book, or,
 * if FUSIBLE_REFERENCE_DEVICE is "measured", those of one that was measured. */
static void find_model(struct fs_session *s, struct fs_place *p) {
  struct fs_device *device = &p->target->device;
  const char *reference = getenv("FUSIBLE_REFERENCE_DEVICE");
  bool history = !reference, by_book = reference && strcmp(reference, "measured");
  struct fs_str notice = {0};
  if (history) p->calibration = fs_calibration_load(device, &notice);
  else if (by_book) p->calibration = fs_calibration_plain(device);
  if (!p->calibration) p->calibration = fs_calibration_reference(device);
  device->calibration = p->calibration;
  if (!history || fs_rank() > 0) return;
  if (notice.len) fs_session_note(s, "calibration", "%s", notice.data);
  fs_str_clear(&notice);
  p->learned = fs_learned_open(device, &notice);
  if (notice.len) fs_session_note(s, "calibration", "%s", notice.data);
  fs_str_free(&notice);
}

/* All ranks plan by what the leader knows of its device, or they would plan differently. */
static void open_model(struct fs_session *s, struct fs_place *p) {
  find_model(s, p);
  struct fs_device *device = &p->target->device;
  const struct fs_calibration *own = device->calibration;
  fs_ranks_share(device, sizeof *device, &s->diags);
  fs_ranks_share(p->calibration, sizeof *p->calibration, &s->diags);
  device->calibration = own;
}

/* What was learned is kept if there is memory to write it. */
static void close_learned(struct fs_learned *learned) {
  jmp_buf out_of_memory;
  jmp_buf *volatile outer = fs_oom_guard(&out_of_memory);
  if (!setjmp(out_of_memory)) fs_learned_close(learned);
  fs_oom_guard(outer);
}

static void close_place(struct fs_place *p) {
  if (p->runner) fs_runner_free(p->runner);
  if (p->target) p->target->ops->close(p->target);
  close_learned(p->learned);
  free(p->calibration);
  *p = (struct fs_place){0};
}

/* Devices of OpenCL have the numbers from this one on. */
enum { MOST_DEVICES = 1024 };

static struct fs_target *open_gpu(int index, struct fs_diags *d) {
  if (index >= MOST_DEVICES) return fs_opencl_open(index - MOST_DEVICES, d);
  return fs_cuda_open(index, d);
}

static void name_target(struct fs_session *s, bool gpu) {
  bool opencl = s->device_index >= MOST_DEVICES;
  int number = s->device_index % MOST_DEVICES;
  const char *name = !gpu ? "cpu" : opencl ? "opencl" : "cuda";
  if (gpu && number) snprintf(s->target_name, sizeof s->target_name, "%s:%d", name, number);
  else snprintf(s->target_name, sizeof s->target_name, "%s", name);
}

/* Moves everything to the CUDA device, opening it if need be. The reason of a
 * failure is in `d`. */
static enum fs_status move_to_cuda(struct fs_session *s, struct fs_diags *d) {
  enum fs_status collected = fs_session_collect(s); /* from the old runner */
  if (collected) return collected;
  struct fs_place fresh = s->cuda;
  bool reopen = !fresh.target || fresh.index != s->device_index;
  if (reopen) {
    fresh = (struct fs_place){.target = open_gpu(s->device_index, d), .index = s->device_index};
    if (fs_ranks_agree(fresh.target ? FS_OK : FS_ERR_ENV, d) && fresh.target) close_place(&fresh);
    if (!fresh.target) {
      s->cuda.lost = fs_diags_has(d, "device-fault");
      return FS_ERR_ENV;
    }
    open_model(s, &fresh);
    fs_target_computes(fresh.target, s->fast_math, s->flushes);
    fresh.runner = new_runner(s, fresh.target);
  }
  enum fs_status st = fs_interp_retarget(s->in, fresh.runner, fresh.target);
  if (st) {
    if (reopen) close_place(&fresh);
    return st;
  }
  if (reopen) {
    fs_session_forget_blocks(s, s->cuda.runner);
    close_place(&s->cuda);
  }
  s->cuda = fresh;
  s->on_cuda = true;
  s->wants_cuda = false;
  name_target(s, true);
  return FS_OK;
}

/* The last failure's words, without its place. */
static const char *last_words(const struct fs_diags *d) {
  return d->list.len ? d->list.data[d->list.len - 1].message : "it failed";
}

enum fs_status fs_session_ready(struct fs_session *s) {
  if (!s->wants_cuda) return FS_OK;
  if (s->must_have_cuda) return move_to_cuda(s, &s->diags);
  struct fs_diags words;
  fs_diags_init(&words);
  s->wants_cuda = false;
  if (move_to_cuda(s, &words)) {
    name_target(s, false);
    fs_session_note(s, "no-gpu", "the CPU is used: %s", last_words(&words));
  }
  fs_diags_free(&words);
  return FS_OK;
}

/* "cuda", "cuda:2" and "opencl:1"; gives -1 for what is neither. */
static int parse_gpu(const char *name) {
  bool opencl = !strncmp(name, "opencl", 6);
  if (!opencl && strncmp(name, "cuda", 4)) return -1;
  const char *number = name + (opencl ? 6 : 4);
  int first = opencl ? MOST_DEVICES : 0;
  if (!*number) return first;
  char *end;
  long k = strtol(number + 1, &end, 10);
  bool ok = *number == ':' && number[1] && !*end && k >= 0 && k < MOST_DEVICES;
  return ok ? first + (int)k : -1;
}

static enum fs_status use_cpu(struct fs_session *s) {
  enum fs_status st = fs_session_collect(s); /* from the old runner */
  if (!st && s->on_cuda)
    st = fs_interp_retarget(s->in, s->cpu.runner, s->cpu.target);
  if (st) return st;
  s->on_cuda = s->wants_cuda = s->must_have_cuda = false;
  name_target(s, false);
  return FS_OK;
}

enum fs_status fs_session_use(struct fs_session *s, const char *name,
                              struct fs_span span) {
  int index = parse_gpu(name);
  if (!strcmp(name, "auto")) {
    if (s->on_cuda || !fs_cuda_present()) return FS_OK;
    s->wants_cuda = true;
    s->must_have_cuda = false;
    s->device_index = 0;
    return fs_session_ready(s);
  }
  if (!strcmp(name, "cpu")) return use_cpu(s);
  bool several = strchr(name, '-') || strchr(name, '*');
  if (index < 0)
    return fs_error(&s->diags, span, "unknown-target",
                    several ? "several devices are chosen at the start: fusible --target 'cuda:*'"
                            : NULL,
                    "there is no target %s: it is auto, cpu, cuda or opencl", name);
  if (s->on_cuda && index == s->cuda.index) return FS_OK;
  int old = s->device_index;
  bool wanted = s->wants_cuda;
  s->device_index = index;
  enum fs_status st = move_to_cuda(s, &s->diags);
  if (!st) {
    s->must_have_cuda = true;
    return FS_OK;
  }
  s->device_index = old;
  s->wants_cuda = wanted;
  return st;
}

enum fs_status fs_session_set_threads(struct fs_session *s, int threads) {
  struct fs_target *target = fs_cpu_open(threads, NULL);
  if (!target)
    return fs_env_error(&s->diags, "threads", NULL,
                        "%d threads could not be started", threads);
  struct fs_place fresh = {.target = target, .runner = new_runner(s, target)};
  open_model(s, &fresh);
  enum fs_status st = fs_session_collect(s); /* from the old runner */
  if (!st && !s->on_cuda)
    st = fs_interp_retarget(s->in, fresh.runner, fresh.target);
  if (st) {
    close_place(&fresh);
    return st;
  }
  fs_session_forget_blocks(s, s->cpu.runner);
  close_place(&s->cpu);
  s->cpu = fresh;
  s->threads = threads;
  return FS_OK;
}

enum fs_status fs_session_compute(struct fs_session *s, bool fast, bool flushes) {
  struct fs_place *p = &s->cuda;
  enum fs_status st = fs_session_collect(s);
  if (st) return st;
  s->fast_math = fast;
  s->flushes = flushes;
  if (!p->target) return FS_OK;
  fs_session_forget_blocks(s, p->runner);
  fs_runner_clear(p->runner);
  fs_target_computes(p->target, fast, flushes);
  return FS_OK;
}

void fs_session_take_calibration(struct fs_session *s,
                                 struct fs_calibration *c) {
  struct fs_place *p = fs_session_place(s);
  if (!c) c = fs_calibration_reference(&p->target->device);
  fs_session_collect(s);
  fs_session_forget_blocks(s, p->runner);
  fs_runner_clear(p->runner);
  p->target->device.calibration = c;
  free(p->calibration);
  p->calibration = c;
  fs_learned_forget(p->learned); /* corrections of other predictions */
}

/* Which target is asked for. */
static bool choose_target(struct fs_session *s, const char *name, const char **error) {
  static char words[512];
  int index = parse_gpu(name);
  name_target(s, false);
  if (!strcmp(name, "cpu")) return true;
  if (strcmp(name, "auto") && index < 0) {
    snprintf(words, sizeof words,
             "there is no target '%.64s': it is auto, cpu, cuda or opencl", name);
    *error = words;
    return false;
  }
  bool there = index < MOST_DEVICES && fs_cuda_present();
  s->must_have_cuda = index >= 0;
  s->device_index = FS_MAX(index, 0);
  s->wants_cuda = there;
  if (there) name_target(s, true);
  if (there || !s->must_have_cuda) return true;
  struct fs_diags reason;
  fs_diags_init(&reason);
  s->cuda.target = open_gpu(s->device_index, &reason);
  snprintf(words, sizeof words, "%.*s", (int)sizeof words - 1,
           last_words(&reason));
  fs_diags_free(&reason);
  if (s->cuda.target) { /* a device that shows no node; good as it is */
    close_place(&s->cuda);
    s->wants_cuda = true;
    name_target(s, true);
    return true;
  }
  *error = words;
  return false;
}

bool fs_places_open(struct fs_session *s, const char *name, const char **error) {
  if (!choose_target(s, name, error)) return false;
  s->cpu.target = fs_cpu_open(s->threads, NULL);
  if (!s->cpu.target) {
    *error = "the threads of the CPU target could not be started";
    return false;
  }
  s->cpu.runner = new_runner(s, s->cpu.target);
  open_model(s, &s->cpu);
  return true;
}

void fs_places_close(struct fs_session *s) {
  close_place(&s->cuda);
  close_place(&s->cpu);
}
