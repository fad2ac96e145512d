/* code.c - kernels of the OpenCL target: their texts compiled or found in the cache, and
 * started. Library calls and functions of the user run on the host, in the same memory. */
#include "core/device/cache.h"
#include "core/device/opencl/internal.h"
#include "core/plan/plan.h"

static const char *options_of(const struct opencl *t) {
  return t->base.fast_math ? "-w -cl-std=CL1.2 -cl-fast-relaxed-math"
         : t->base.flushes ? "-w -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt "
                             "-cl-denorms-are-zero"
                           : "-w -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt";
}

/* -- compiling -------------------------------------------------------------------- */

static struct fs_kernel_key key_of(const struct opencl *t, const char *text) {
  const char *texts[] = {"opencl", text, options_of(t), t->base.device.name, t->base.device.driver};
  return fs_kernel_key((int)FS_LEN(texts), texts);
}

static cl_int build(struct opencl *t, void *program) {
  return fs_cl.build(program, 1, &t->device, options_of(t), NULL, NULL);
}

/* What the cache has of it, or NULL. */
static void *load(struct opencl *t, const struct fs_kernel_key *key) {
  size_t size = 0;
  cl_int r = CL_OK, status = CL_OK;
  void *image = fs_kernel_cache_get(key, &size);
  if (!image) return NULL;
  const unsigned char *bytes = image;
  void *program = fs_cl.program_load(t->context, 1, &t->device, &size, &bytes, &status, &r);
  free(image);
  if (program && r == CL_OK && status == CL_OK && build(t, program) == CL_OK) return program;
  if (program) fs_cl.program_free(program);
  fs_kernel_cache_drop(key);
  return NULL;
}

static void keep(void *program, const struct fs_kernel_key *key) {
  size_t size = 0;
  if (fs_cl.program_info(program, CL_PROGRAM_IMAGE_SIZES, sizeof size, &size, NULL) != CL_OK ||
      !size)
    return;
  unsigned char *image = fs_calloc(size, 1);
  if (fs_cl.program_info(program, CL_PROGRAM_IMAGES, sizeof image, &image, NULL) == CL_OK)
    fs_kernel_cache_put(key, image, size);
  free(image);
}

/* The compiler's first complaint. */
static enum fs_status refuse(struct opencl *t, void *program, const struct fs_code *c, cl_int r,
                             struct fs_diags *d) {
  size_t size = 0;
  fs_cl.build_info(program, t->device, CL_PROGRAM_LOG, 0, NULL, &size);
  char *log = fs_calloc(size + 1, 1);
  if (size) fs_cl.build_info(program, t->device, CL_PROGRAM_LOG, size, log, NULL);
  const char *line = strstr(log, "error: ");
  line = line ? line + strlen("error: ") : *log ? log : fs_cl_words(r);
  int n = (int)strcspn(line, "\n");
  fs_env_error(d, "compile-failed", "this is a fault of Fusible: please report it with the input",
               "the compiler of %s does not take the kernel of `%.200s`: %.*s",
               t->base.device.name, c->does, FS_MIN(n, 300), line);
  free(log);
  return FS_ERR_ENV;
}

static enum fs_status compile(struct opencl *t, struct fs_code *c, struct fs_diags *d) {
  const char *text = c->emitted.source;
  struct fs_kernel_key key = key_of(t, text);
  cl_int r = CL_OK;
  c->program = load(t, &key);
  if (!c->program) {
    c->program = fs_cl.program_new(t->context, 1, &text, NULL, &r);
    if (!c->program || r != CL_OK) return fs_opencl_fail(t, r, "taking a kernel's text", d);
    r = build(t, c->program);
    if (r != CL_OK) return refuse(t, c->program, c, r, d);
    keep(c->program, &key);
  }
  c->kernel = fs_cl.kernel_new(c->program, "fs_kernel", &r);
  return c->kernel && r == CL_OK ? FS_OK : fs_opencl_fail(t, r, "loading a kernel", d);
}

/* -- one kernel -------------------------------------------------------------------- */

/* As many blocks as are at work together, but where nothing is summed all that there are. */
static size_t groups_of(const struct opencl *t, const struct fs_emitted *e) {
  int64_t room = (int64_t)t->base.device.units * FS_MAX(1, e->per_unit ? e->per_unit : e->bounds);
  if (e->waves > 1)
    room *= FS_MAX(1, FS_MIN(e->waves, e->max_blocks / (e->pieces * FS_MAX(1, room))));
  if (e->one_wave_each) room = e->max_blocks;
  return (size_t)FS_MAX(1, FS_MIN(FS_MIN(e->max_blocks, room), INT32_MAX));
}

static enum fs_status make_workspace(struct opencl *t, struct fs_code *c, struct fs_diags *d) {
  const struct fs_emitted *e = &c->emitted;
  c->work_bytes = (size_t)(e->work_base + e->work_per_block * (int64_t)c->groups);
  if (!c->work_bytes) return FS_OK;
  if (fs_opencl_alloc(&t->base, c->work_bytes, &c->work))
    return fs_env_error(d, "out-of-memory", NULL,
                        "the device has no memory left for the partial results of a kernel");
  char *zeros = fs_calloc(FS_MAX(1, (size_t)e->work_zeroed), 1);
  enum fs_status st = fs_opencl_upload(&t->base, c->work, 0, zeros, 0, e->work_zeroed, 1, d);
  free(zeros);
  return st;
}

static enum fs_status make(struct opencl *t, struct fs_code *c, const struct fs_kernel *k,
                           const struct fs_diags *sources, struct fs_diags *d) {
  fs_emit_cuda(c->plan, k, &t->base.device, sources, &c->emitted);
  if (c->emitted.broken)
    return fs_env_error(d, "broken-rule",
                        "this is a fault of Fusible: please report it with the input",
                        "the loops of `%.200s`: %s", c->does, c->emitted.broken);
  enum fs_status st = compile(t, c, d);
  c->groups = groups_of(t, &c->emitted);
  return st ? st : make_workspace(t, c, d);
}

/* What is not written in OpenCL C is the host's. */
static enum fs_status make_on_host(struct opencl *t, struct fs_code *c, const struct fs_kernel *k,
                                   const struct fs_diags *sources, struct fs_diags *d) {
  if (!t->host) t->host = fs_cpu_open(0, NULL);
  if (!t->host) return fs_env_error(d, "threads", NULL, "threads could not be started");
  c->tuned = *k;
  fs_tune(&c->tuned, &t->host->device);
  const struct fs_kernel *tuned = &c->tuned;
  return t->host->ops->prepare(t->host, c->plan, sources, 1, &tuned, &c->host, d);
}

void fs_opencl_release(struct fs_target *target, struct fs_code *c) {
  struct opencl *t = fs_opencl_of(target);
  if (!c) return;
  if (c->host) t->host->ops->release(t->host, c->host);
  if (t->last) fs_cl.finish(t->queue);
  if (c->kernel) fs_cl.kernel_free(c->kernel);
  if (c->program) fs_cl.program_free(c->program);
  fs_opencl_free(target, c->work, c->work_bytes);
  fs_emitted_free(&c->emitted);
  free(c->does);
  free(c);
}

enum fs_status fs_opencl_prepare(struct fs_target *target, const struct fs_plan *plan,
                                 const struct fs_diags *sources, int n,
                                 const struct fs_kernel *const *kernels, struct fs_code **codes,
                                 struct fs_diags *d) {
  struct opencl *t = fs_opencl_of(target);
  enum fs_status st = FS_OK;
  for (int k = 0; k < n; k++) codes[k] = NULL;
  for (int k = 0; k < n && !st; k++) {
    struct fs_code *c = codes[k] = fs_calloc(1, sizeof *c);
    struct fs_str does = {0};
    fs_kernel_does(plan, kernels[k], sources, &does);
    c->does = does.data ? does.data : fs_strdup("");
    c->plan = plan;
    bool host = kernels[k]->lib_node || !fs_emit_has(kernels[k], FS_OPENCL_C);
    if (fs_interrupted()) st = FS_INTERRUPTED;
    else if (host) st = make_on_host(t, c, kernels[k], sources, d);
    else st = make(t, c, kernels[k], sources, d);
  }
  for (int k = 0; k < n && st; k++) {
    fs_opencl_release(target, codes[k]);
    codes[k] = NULL;
  }
  return st;
}

/* -- starting one -------------------------------------------------------------------- */

static cl_int set_param(void *kernel, cl_uint at, enum fs_param_type type,
                        const struct fs_number *p) {
  float single = (float)p->f;
  switch (type) {
    case FS_PARAM_INT: return fs_cl.set(kernel, at, sizeof p->i, &p->i);
    case FS_PARAM_DOUBLE: return fs_cl.set(kernel, at, sizeof p->f, &p->f);
    default: return fs_cl.set(kernel, at, sizeof single, &single);
  }
}

static cl_int set_arguments(struct fs_code *c, void *const *slots,
                            const struct fs_number *params) {
  const struct fs_emitted *e = &c->emitted;
  cl_uint at = 0;
  cl_int r = CL_OK;
  for (int k = 0; k < e->n_slots && r == CL_OK; k++)
    r = fs_cl.set_pointer(c->kernel, at++, (char *)slots[e->slots[k]] + e->slot_bytes[k]);
  for (int k = 0; k < e->n_params && r == CL_OK; k++)
    r = set_param(c->kernel, at++, e->param_type[k], &params[e->params[k]]);
  for (int k = 0; k < e->n_sizes && r == CL_OK; k++)
    r = fs_cl.set(c->kernel, at++, e->wide ? sizeof(int64_t) : sizeof(int32_t), &e->sizes[k]);
  if (c->work && r == CL_OK) r = fs_cl.set_pointer(c->kernel, at++, c->work);
  return r;
}

static enum fs_status run_on_host(struct opencl *t, struct fs_code *c, void *const *slots,
                                  const struct fs_number *params, struct fs_timer *timer,
                                  struct fs_diags *d) {
  struct fs_timer *inner = timer ? t->host->ops->timer_new(t->host) : NULL;
  int n = c->plan->slots.len;
  enum fs_status st = fs_opencl_lend(t, slots, n, d);
  if (!st) st = t->host->ops->launch(t->host, c->host, slots, params, inner, d);
  fs_opencl_take(t, slots, n);
  if (timer) timer->seconds = t->host->ops->timer_seconds(t->host, inner);
  if (inner) t->host->ops->timer_free(t->host, inner);
  return st;
}

enum fs_status fs_opencl_launch(struct fs_target *target, struct fs_code *c, void *const *slots,
                                const struct fs_number *params, struct fs_timer *timer,
                                struct fs_diags *d) {
  struct opencl *t = fs_opencl_of(target);
  size_t group = (size_t)c->emitted.threads, all = group * c->groups;
  void *event = NULL;
  if (c->host) return run_on_host(t, c, slots, params, timer, d);
  cl_int r = set_arguments(c, slots, params);
  if (r == CL_OK)
    r = fs_cl.start(t->queue, c->kernel, 1, NULL, &all, &group, 0, NULL, &event);
  if (r != CL_OK) return fs_opencl_fail(t, r, c->does, d);
  fs_cl.flush(t->queue);
  if (t->last && t->last != event) fs_cl.event_free(t->last);
  t->last = event;
  return timer ? fs_opencl_wait_for(t, timer, d) : FS_OK;
}

char *fs_opencl_code_text(struct fs_target *t, struct fs_code *c, const char *form,
                          const char **why) {
  if (c->host && !strcmp(form, "walk"))
    return fs_opencl_of(t)->host->ops->code_text(fs_opencl_of(t)->host, c->host, form, why);
  if (c->host) *why = "it runs on the host: the only form is \"walk\"";
  else if (!strcmp(form, "opencl")) return fs_strdup(c->emitted.source);
  else if (!strcmp(form, "launch")) return fs_emitted_launch(&c->emitted);
  else *why = "the code of the opencl target is \"opencl\"";
  return NULL;
}
