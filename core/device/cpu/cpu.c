/* cpu.c - the CPU target: what fs_target_ops asks for, on host memory.
 *
 * Kernels are walked (walk.h), so preparing one takes microseconds; everything
 * is synchronous, so a timer is the clock around a launch.
 */
#include "core/device/cpu/instance.h"
#include "core/device/cpu/lapack.h"
#include "core/device/cpu/walk.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

struct cpu {
  struct fs_target base;
  struct fs_memory *memory;
  struct fs_pool *pool;
  const struct fs_routines *r;
  void *scratch, *work;        /* grown to what the largest kernel asked */
  size_t scratch_bytes, work_bytes;
};

struct fs_timer {
  double seconds;
};

static struct cpu *cpu_of(struct fs_target *t) { return (struct cpu *)t; }

/* -- memory --------------------------------------------------------------- */

static enum fs_status cpu_alloc(struct fs_target *t, size_t bytes,
                                void **out) {
  return fs_memory_get(cpu_of(t)->memory, bytes, out);
}

static void cpu_free(struct fs_target *t, void *ptr, size_t bytes) {
  fs_memory_put(cpu_of(t)->memory, ptr, bytes);
}

static void cpu_trim(struct fs_target *t) {
  struct cpu *c = cpu_of(t);
  fs_memory_put(c->memory, c->scratch, c->scratch_bytes);
  fs_memory_put(c->memory, c->work, c->work_bytes);
  c->scratch = c->work = NULL;
  c->scratch_bytes = c->work_bytes = 0;
  fs_memory_trim(c->memory);
}

static void cpu_memory(struct fs_target *t, int64_t *used, int64_t *cached,
                       int64_t *available) {
  fs_memory_stats(cpu_of(t)->memory, used, cached, available);
}

/* One part of a copy: some rows, or a piece of a single long one. */
struct copy_job {
  char *dst;
  const char *src;
  int64_t dst_pitch, src_pitch, width, rows, per_task;
};

static void copy_task(void *user, int64_t k, int worker) {
  const struct copy_job *j = user;
  (void)worker;
  int64_t first = k * j->per_task, n = FS_MIN(j->per_task, j->rows - first);
  for (int64_t r = first; r < first + n; r++)
    memmove(j->dst + r * j->dst_pitch, j->src + r * j->src_pitch,
            (size_t)j->width);
}

static enum fs_status cpu_copy(struct fs_target *t, void *dst,
                               int64_t dst_pitch, const void *src,
                               int64_t src_pitch, int64_t width, int64_t rows,
                               struct fs_diags *d) {
  struct cpu *c = cpu_of(t);
  struct copy_job j = {dst, src, dst_pitch, src_pitch, width, rows, 1};
  enum { PART = 1 << 20 };
  (void)d;
  if (width <= 0 || rows <= 0) return FS_OK;
  bool dense = rows == 1 || (dst_pitch == width && src_pitch == width);
  if (dense && width * rows >= 2 * PART) { /* whole parts, then the rest */
    int64_t bytes = width * rows, parts = bytes / PART;
    j.dst_pitch = j.src_pitch = j.width = PART;
    j.rows = parts;
    memmove(j.dst + parts * PART, j.src + parts * PART,
            (size_t)(bytes - parts * PART));
  }
  j.per_task = FS_MAX(1, PART / j.width);
  int threads = j.width * j.rows < PART ? 1 : fs_pool_threads(c->pool);
  return fs_pool_run(c->pool, threads, (j.rows + j.per_task - 1) / j.per_task,
                     copy_task, &j);
}

/* -- kernels -------------------------------------------------------------- */

static void cpu_release(struct fs_target *t, struct fs_code *code) {
  (void)t;
  if (!code) return;
  fs_walk_free(code->walk);
  fs_instance_free(code->instance);
  free(code);
}

/* The user's function of the kernel that has no C form here, or NULL. */
static const struct fs_user *unusable(const struct fs_kernel *k,
                                      const char **why) {
  const struct fs_user *u;
  int n = 0;
  while ((u = fs_kernel_function(k, n)) &&
         (u->region || u->small || fs_native_get(u, NULL, why)))
    n++;
  return u;
}

static bool make_code(struct cpu *c, struct fs_code *code, const char **why) {
  const struct fs_kernel *k = code->kernel;
  if (k->lib_node) return true;
  if (k->n_applied)
    code->instance = fs_instance_new(code->plan, k, c->r, why);
  else
    code->walk = fs_walk_new(code->plan, k, c->r, &c->base.device, why);
  return code->instance || code->walk;
}

static enum fs_status cpu_prepare(struct fs_target *t,
                                  const struct fs_plan *plan,
                                  const struct fs_diags *sources, int n,
                                  const struct fs_kernel *const *kernels,
                                  struct fs_code **codes, struct fs_diags *d) {
  struct cpu *c = cpu_of(t);
  (void)sources;
  for (int k = 0; k < n; k++) {
    const char *why = NULL;
    struct fs_code *code = codes[k] = fs_calloc(1, sizeof *code);
    code->plan = plan;
    code->kernel = kernels[k];
    const struct fs_user *user = unusable(kernels[k], &why);
    bool stopped = fs_interrupted();
    if (!stopped && !user && make_code(c, code, &why)) continue;
    for (; k >= 0; k--) {
      cpu_release(t, codes[k]);
      codes[k] = NULL;
    }
    if (stopped) return FS_INTERRUPTED;
    if (user) return fs_native_refuse(user, why, d);
    return fs_env_error(d, "walk", NULL, "the plan has %s", why);
  }
  return FS_OK;
}

static bool cpu_resize(struct fs_target *t, struct fs_code *code) {
  if (code->walk) return fs_walk_resize(code->walk, &t->device);
  return !code->instance;
}

static void cpu_footprint(struct fs_target *t, const struct fs_plan *plan,
                          const struct fs_kernel *kernel,
                          struct fs_footprint *out, struct fs_home *places) {
  struct cpu *c = cpu_of(t);
  const char *why;
  struct fs_code code = {.plan = plan, .kernel = kernel};
  *out = (struct fs_footprint){.threads = 1, .blocks = 1};
  if (unusable(kernel, &why) || !make_code(c, &code, &why)) return;
  if (code.walk) fs_walk_footprint(code.walk, out, places);
  else fs_instance_footprint(code.instance, out, places);
  fs_walk_free(code.walk);
  fs_instance_free(code.instance);
}

static enum fs_status grow(struct cpu *c, void **block, size_t *have,
                           size_t want, struct fs_diags *d) {
  if (*have >= want) return FS_OK;
  fs_memory_put(c->memory, *block, *have);
  *block = NULL;
  *have = 0;
  if (fs_memory_get(c->memory, want, block) != FS_OK) {
    fs_memory_trim(c->memory);
    if (fs_memory_get(c->memory, want, block) != FS_OK)
      return fs_env_error(d, "out-of-memory", NULL,
                          "no host memory left for the partial results of a "
                          "kernel (%.1f MiB)", (double)want / (1 << 20));
  }
  *have = want;
  return FS_OK;
}

/* From the next page on: fs_walk_run() is given such memory, and grow() one page more. */
enum { PAGE = 4096 };
static char *from_page(void *block) {
  return (char *)(((uintptr_t)block + PAGE - 1) / PAGE * PAGE);
}

static enum fs_status cpu_launch(struct fs_target *t, struct fs_code *code,
                                 void *const *slots,
                                 const struct fs_number *params,
                                 struct fs_timer *timer, struct fs_diags *d) {
  struct cpu *c = cpu_of(t);
  const struct fs_walk *w = code->walk;
  int threads = fs_pool_threads(c->pool);
  enum fs_status st = FS_OK;
  const struct fs_instance_walk *instance = code->instance;
  if (instance)
    st = grow(c, &c->scratch, &c->scratch_bytes,
              (size_t)fs_instance_scratch(instance) * (size_t)threads, d);
  if (st != FS_OK) return st;
  if (w) {
    st = grow(c, &c->scratch, &c->scratch_bytes,
              (size_t)w->scratch * (size_t)threads + PAGE, d);
    if (st == FS_OK)
      st = grow(c, &c->work, &c->work_bytes, (size_t)w->work + PAGE, d);
    if (st != FS_OK) return st;
  }
  if (!w && !instance) fs_lapack_present(NULL); /* loading it is no kernel's time */
  double start = timer ? fs_now() : 0;
  uint64_t fault = 0;
  if (w) st = fs_walk_run(w, c->pool, threads, from_page(c->scratch),
                          from_page(c->work), slots, params);
  else if (instance)
    st = fs_instance_run(instance, c->pool, threads, c->scratch, slots, params, &fault);
  else st = fs_lapack_run(code->plan, code->kernel, slots, c->pool, threads, d);
  if (timer) timer->seconds = fs_now() - start;
  return st == FS_OK && fault ? fs_lib_small_failed(code->plan, code->kernel, fault, d) : st;
}

static enum fs_status cpu_sync(struct fs_target *t, struct fs_diags *d) {
  (void)t, (void)d;
  return FS_OK;
}

static struct fs_timer *cpu_timer_new(struct fs_target *t) {
  (void)t;
  return fs_calloc(1, sizeof(struct fs_timer));
}
static double cpu_timer_seconds(struct fs_target *t, struct fs_timer *timer) {
  (void)t;
  return timer->seconds;
}
static void cpu_timer_free(struct fs_target *t, struct fs_timer *timer) {
  (void)t;
  free(timer);
}

static bool cpu_loops(const struct fs_code *code, char *out, size_t size) {
  return code->walk && fs_walk_loops(code->walk, out, size);
}

static char *cpu_code_text(struct fs_target *t, struct fs_code *code,
                           const char *form, const char **why) {
  (void)t;
  if (strcmp(form, "walk")) {
    *why = "kernels of the cpu target are walked, not compiled: the only form "
           "is \"walk\"";
    return NULL;
  }
  if (!code->walk && !code->instance) {
    *why = "a library call has no code of its own";
    return NULL;
  }
  struct fs_str s = {0};
  if (code->instance) fs_instance_print(code->instance, &s);
  else fs_walk_print(code->walk, &s);
  char *text = fs_strdup(fs_str_text(&s));
  fs_str_free(&s);
  return text;
}

static void cpu_close(struct fs_target *t) {
  struct cpu *c = cpu_of(t);
  cpu_trim(t);
  fs_bodies_close();
  fs_pool_free(c->pool);
  fs_memory_free_all(c->memory);
  free(c);
}

/* -- the device ----------------------------------------------------------- */

static int processors(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set)) return 1;
  return FS_MAX(1, CPU_COUNT(&set));
}

static void read_name(char *name, size_t size) {
  char line[256];
  FILE *f = fopen("/proc/cpuinfo", "re");
  snprintf(name, size, "CPU");
  while (f && fgets(line, sizeof line, f)) {
    char *value = strchr(line, ':');
    if (strncmp(line, "model name", 10) || !value) continue;
    value += strspn(value, ": \t");
    value[strcspn(value, "\n")] = 0;
    if (*value) snprintf(name, size, "%.127s", value);
    break;
  }
  if (f) fclose(f);
}

static int64_t cache_size(int name, int64_t otherwise) {
  int64_t bytes = sysconf(name);
  return bytes > 0 ? bytes : otherwise;
}

/* Sums 512 KiB twice: what one processor reads from its own caches. */
static double measure_cache(const struct fs_routines *r) {
  enum { N = 1 << 17 };
  float *x = fs_calloc(N, sizeof *x);
  double best = 1;
  for (int k = 0; k < 5; k++) {
    union fs_cell c = {0};
    double start = fs_now();
    for (int j = 0; j < N; j += 1024)
      r->row[FS_RD_SUM][FS_CT_F32](x + j, 1024, &c);
    best = FS_MIN(best, fs_now() - start);
  }
  free(x);
  return N * sizeof(float) / FS_MAX(best, 1e-7);
}

/* A device of round figures, so that golden plans are the same everywhere. */
static void describe_reference(struct fs_device *v) {
  v->units = 2;
  v->cache_bytes = 32 << 20;
  v->cache_bandwidth = 100e9;
  v->bandwidth = 20e9;
  v->flops = 80e9;
}

static void describe(struct cpu *c) {
  struct fs_device *v = &c->base.device;
  int threads = fs_pool_threads(c->pool);
  read_name(v->name, sizeof v->name);
  snprintf(v->arch, sizeof v->arch, "%s", c->r->isa);
  v->units = threads;
  v->max_threads = 1;
  v->core_cache_bytes = cache_size(_SC_LEVEL2_CACHE_SIZE, 1 << 20);
  /* A virtual machine reports the chip's whole last level, of which it has but a
   * share: no more than so much for each thread is believed. */
  v->cache_bytes = FS_MIN(cache_size(_SC_LEVEL3_CACHE_SIZE, v->core_cache_bytes),
                          (int64_t)threads * (8 << 20) + v->core_cache_bytes);
  v->memory_bytes = fs_memory_total(c->memory);
  double core = measure_cache(c->r);
  v->cache_bandwidth = core * threads;
  /* A core streams some 14 GB/s from memory, a socket a few hundred. */
  v->bandwidth = FS_MIN(FS_MIN(14e9, core / 2) * threads, 300e9);
  v->launch = 2e-6;
  v->flops = 2.5e9 * 2 * (c->r->vector_bytes / 4) * threads;
  if (!getenv("FUSIBLE_REFERENCE_DEVICE")) return;
  v->core_cache_bytes = 1 << 20;
  describe_reference(v);
}

static const struct fs_target_ops cpu_ops = {
  .name = "cpu",
  .form = "walk",
  .language = "c",
  .alloc = cpu_alloc,
  .free = cpu_free,
  .trim = cpu_trim,
  .memory = cpu_memory,
  .upload = cpu_copy,
  .download = cpu_copy,
  .copy = cpu_copy,
  .prepare = cpu_prepare,
  .release = cpu_release,
  .resize = cpu_resize,
  .launch = cpu_launch,
  .sync = cpu_sync,
  .timer_new = cpu_timer_new,
  .timer_seconds = cpu_timer_seconds,
  .timer_free = cpu_timer_free,
  .footprint = cpu_footprint,
  .loops = cpu_loops,
  .code_text = cpu_code_text,
  .close = cpu_close,
};

struct fs_target *fs_cpu_open(int threads, const char *isa) {
  struct cpu *c = fs_calloc(1, sizeof *c);
  c->base.ops = &cpu_ops;
  c->memory = fs_memory_new(&c->base.peak);
  c->pool = fs_pool_new(threads > 0 ? threads : processors());
  if (!c->pool) fs_oom_raise();
  c->r = fs_cpu_routines(isa);
  describe(c);
  return &c->base;
}
