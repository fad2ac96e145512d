/* code.c - kernels of the CUDA target: emit, compile or find in the cache, load,
 * launch.
 *
 * Everything that can be decided once is decided in prepare: grid, attributes,
 * workspace, the argument array. A launch only writes pointers and numbers into
 * that array and calls the driver.
 */
#include <stdio.h>

#include "core/device/cuda/build.h"
#include "core/device/cuda/foreign.h"
#include "core/plan/plan.h"

/* -- modules that codes share -------------------------------------------------------------- */

/* Full code that is loaded. Blocks that differ in where their slices begin have plans of
 * their own and one machine code: the rounds of `for k = 1:n; A[k, :] = ...`. */
struct fs_module {
  struct fs_kernel_key key;
  char *source;              /* and its hash: finds it without the key, which takes longer */
  uint64_t text;
  CUmodule module;
  CUfunction function;
  int uses;                  /* codes that have it: no two of one block, whose nodes in a
                                graph are told apart by their functions (replay.c) */
  struct fs_module *next;
};

static struct fs_module *find_module(const struct cuda *t, const struct fs_build *builds,
                                     int n, const struct fs_kernel_key *key) {
  for (int k = 0; k < n; k++)
    if (!memcmp(&builds[k].key, key, sizeof *key)) return NULL;
  struct fs_module *m = t->modules;
  while (m && memcmp(&m->key, key, sizeof *key)) m = m->next;
  return m;
}

/* The same of a text, which with line tables is not all that code depends on. */
static struct fs_module *find_text(const struct cuda *t, const struct fs_build *builds, int n,
                                   const char *source) {
  uint64_t text = fs_hash(source, strlen(source), 1);
  struct fs_module *m = fs_nvrtc_line_tables() ? NULL : t->modules;
  while (m && (m->text != text || strcmp(m->source, source))) m = m->next;
  for (int k = 0; k < n && m; k++)
    if (!memcmp(&builds[k].key, &m->key, sizeof m->key)) return NULL;
  return m;
}

static void share_module(struct cuda *t, struct fs_code *c) {
  struct fs_module *m = fs_calloc(1, sizeof *m);
  const char *source = c->emitted.source;
  *m = (struct fs_module){.key = c->key, .source = fs_strdup(source),
                          .text = fs_hash(source, strlen(source), 1), .module = c->module,
                          .function = c->function, .uses = 1, .next = t->modules};
  t->modules = c->shared = m;
}

static void take_module(struct fs_module *m, struct fs_code *c) {
  c->shared = m;
  c->module = m->module;
  c->function = m->function;
  m->uses++;
}

/* A kernel that runs keeps its module, at worst for good. */
static void unload(struct cuda *t, struct fs_code *c) {
  if (c->shared && --c->shared->uses) return;
  if (c->module && fs_cuda_settle(t)) {
    fs_cu.module_unload(c->module);
    if (c->before) fs_cu.module_unload(c->before);
  }
  struct fs_module **m = &t->modules;
  while (*m && *m != c->shared) m = &(*m)->next;
  if (c->shared && *m) *m = c->shared->next;
  if (c->shared) free(c->shared->source);
  free(c->shared);
}

/* -- one kernel ---------------------------------------------------------------------------- */

/* Of blocks that come in clusters: a cluster lies in one group of multiprocessors,
 * which need not hold a whole number of them. */
static int64_t resident_clusters(const struct fs_code *c, int64_t blocks) {
  const struct fs_emitted *e = &c->emitted;
  unsigned size = (unsigned)e->cluster;
  struct cu_launch_attribute cluster = {.id = CU_LAUNCH_CLUSTER,
                                        .value.dim = {size, 1, 1}};
  struct cu_launch launch = {.grid = {size, 1, 1},
                             .block = {(unsigned)e->threads, 1, 1},
                             .shared = (unsigned)e->shared_bytes,
                             .attributes = &cluster, .n_attributes = 1};
  int clusters = 0;
  if (fs_cu.clusters && fs_cu.clusters(&clusters, c->function, &launch) == CU_OK)
    return (int64_t)clusters * size;
  return blocks / 2; /* a driver that does not tell: what any group holds */
}

/* Blocks that can run at the same time on the whole device. */
static enum fs_status resident_blocks(struct cuda *t, const struct fs_code *c,
                                      int64_t *out, struct fs_diags *d) {
  int per_unit = 0;
  CUresult r = fs_cu.occupancy(&per_unit, c->function, c->emitted.threads,
                               (size_t)c->emitted.shared_bytes);
  if (r != CU_OK) return fs_cuda_fail(t, r, "sizing a kernel", d);
  if (c->quick && per_unit < FS_MAX(1, c->emitted.per_unit)) return FS_ERR_ENV;
  t->crowded = per_unit < 1 && c->n_phases > 1;
  if (t->crowded) return FS_ERR_ENV; /* each alone will do */
  if (per_unit < 1)
    return fs_env_error(d, "driver-error", NULL,
                        "a kernel of %d threads and %lld bytes of shared "
                        "memory does not fit on %s (`%s`)", c->emitted.threads,
                        (long long)c->emitted.shared_bytes,
                        t->base.device.name, c->does);
  *out = (int64_t)per_unit * t->base.device.units;
  if (c->emitted.cluster > 1) *out = resident_clusters(c, *out);
  if (!c->emitted.n_maps || *out >= c->emitted.max_blocks) return FS_OK;
  if (c->quick) return FS_ERR_ENV;
  t->narrow = true; /* blocks that go in step need all their clusters at once */
  return FS_ERR_ENV;
}

/* As many blocks as are resident together, so that the work is spread once, or
 * some waves of such, each block with some pieces or more; no more than have
 * something to do. */
static void choose_grid(struct fs_code *c, int64_t resident, int units) {
  const struct fs_emitted *e = &c->emitted;
  if (e->per_unit) resident = FS_MIN(resident, (int64_t)e->per_unit * units);
  int64_t room = resident;
  if (e->waves > 1)
    room *= FS_MAX(1, FS_MIN(e->waves, e->max_blocks / (e->pieces * FS_MAX(1, room))));
  if (e->one_wave_each) room = e->max_blocks;
  int64_t x = FS_MIN(FS_MAX(e->max_blocks, 1), FS_MAX(room, 1));
  if (e->cluster > 1) x = FS_MAX(x / e->cluster, 1) * e->cluster;
  c->blocks = (unsigned)FS_MIN(x, INT32_MAX);
}

static enum fs_status make_workspace(struct cuda *t, struct fs_code *c,
                                     struct fs_diags *d) {
  const struct fs_emitted *e = &c->emitted;
  int64_t bytes = e->work_base + e->work_per_block * (int64_t)c->blocks;
  if (bytes <= 0) return FS_OK;
  enum fs_status status = fs_cuda_scratch(t, (size_t)bytes, &c->work, d);
  if (status != FS_OK) return status;
  c->work_bytes = (size_t)bytes;
  /* All of it, not only the counters: the fold reads whole vectors of columns,
   * beyond the last one too, and drops what it read there. */
  return fs_cuda_zero(&t->base, c->work, (size_t)bytes, d);
}

static void make_args(struct fs_code *c) {
  const struct fs_emitted *e = &c->emitted;
  int n = e->n_slots + e->n_params, maps = e->n_maps;
  c->values = fs_calloc((size_t)n + 1, sizeof *c->values);
  void **arg = c->args = fs_calloc((size_t)(n + e->n_sizes + 1 + maps), sizeof *c->args);
  c->maps = maps ? aligned_alloc(64, sizeof *c->maps * (size_t)maps) : NULL;
  for (int k = 0; k < n; k++) *arg++ = &c->values[k];
  for (int k = 0; k < e->n_sizes; k++) *arg++ = &e->sizes[k];
  *arg++ = &c->values[n];
  for (int k = 0; k < maps; k++) *arg++ = &c->maps[k];
  c->values[n].pointer = c->work;
}

/* Blocks of a function that run at once on a multiprocessor if each had `more` bytes of
 * shared memory than it asks for, or as many as a block may have; -1: the driver does not
 * tell. It counts none of more bytes than the function was set up for. */
static int blocks_with(const struct cuda *t, const struct fs_code *c, int more) {
  int fixed = 0, per_unit = 0;
  if (fs_cu.function_get(&fixed, CU_FN_SHARED, c->function) != CU_OK) return -1;
  int64_t bytes = FS_MIN(c->emitted.shared_bytes + more,
                         t->base.device.shared_bytes - fixed);
  bytes = FS_MAX(bytes, c->emitted.shared_bytes);
  if (fs_cu.function_set(c->function, CU_FN_MAX_DYNAMIC_SHARED, (int)bytes) != CU_OK ||
      fs_cu.occupancy(&per_unit, c->function, c->emitted.threads, (size_t)bytes) != CU_OK)
    return -1;
  return per_unit;
}

/* Whether quick code leaves full code the grid that it takes, which may have some bytes
 * of shared memory more, and whether its arrays, which lie in local memory (some 700
 * bytes for each thread that the device can run), find room beside the user's. */
static bool is_quick_fit(const struct cuda *t, const struct fs_code *c) {
  enum { MORE_SHARED = 1024, THREADS = 2048 };
  int local = 0;
  size_t free_bytes = 0, total = 0;
  if (fs_cu.function_get(&local, CU_FN_LOCAL, c->function) != CU_OK ||
      fs_cu.memory_info(&free_bytes, &total) != CU_OK)
    return false;
  return blocks_with(t, c, MORE_SHARED) >= FS_MAX(1, c->emitted.per_unit) &&
         (size_t)local * THREADS * (size_t)t->base.device.units < free_bytes / 4;
}

/* Everything between machine code and the first launch. */
static enum fs_status set_up(struct cuda *t, struct fs_code *c,
                             struct fs_diags *d) {
  CUresult r = CU_OK;
  if (c->quick && !is_quick_fit(t, c)) return FS_ERR_ENV;
  int shared = (int)c->emitted.shared_bytes;
  if (shared > 0 || c->quick)
    r = fs_cu.function_set(c->function, CU_FN_MAX_DYNAMIC_SHARED, shared);
  if (fs_cuda_again(t, r)) /* drivers may load code as late as this, or as its first launch */
    r = fs_cu.function_set(c->function, CU_FN_MAX_DYNAMIC_SHARED, shared);
  if (r != CU_OK)
    return fs_cuda_fail(t, r, "asking for shared memory", d);
  int64_t resident = 0;
  enum fs_status status = resident_blocks(t, c, &resident, d);
  if (status != FS_OK) return status;
  choose_grid(c, resident, t->base.device.units);
  status = make_workspace(t, c, d);
  if (status == FS_OK) make_args(c);
  return status;
}

/* The device that a kernel is written for. What every device can do is all that is used
 * where the user says so, and for blocks in step where too few of them run at once. */
static const struct fs_device *written_for(const struct cuda *t, const struct fs_kernel *k) {
  const char *kernels = getenv("FUSIBLE_KERNELS");
  bool plain = kernels && !strcmp(kernels, "plain");
  return plain || (t->narrow && fs_scheme_of(k)->in_step) ? &t->plain : &t->base.device;
}

/* How many of the n kernels are phases of the launch that the first one starts:
 * those that the plan has joined to it. */
static int phases_of(const struct fs_kernel *const *kernels, int n) {
  int k = 1;
  while (k < n && kernels[k] == kernels[0] + k && kernels[k]->joint != FS_LAUNCH)
    k++;
  return k;
}

static void put_does(const struct fs_plan *plan, const struct fs_kernel *kernels,
                     int n, const struct fs_diags *sources, struct fs_str *out) {
  for (int k = 0; k < n; k++) {
    if (k) fs_str_puts(out, "; ");
    fs_kernel_does(plan, &kernels[k], sources, out);
  }
}

/* A text in front of which stands how it is to be compiled (nvrtc.c). Takes the text. */
static char *asking(const struct cuda *t, char *gives) {
  const char *ask = t->base.fast_math ? FS_NVRTC_FAST : t->base.flushes ? FS_NVRTC_FLUSH : "";
  if (!gives || !*ask) return gives;
  struct fs_str out = {0};
  fs_str_printf(&out, "%s%s", ask, gives);
  free(gives);
  return out.data;
}

/* The code of n kernels in one launch. */
static struct fs_code *new_code(struct cuda *t, const struct fs_plan *plan,
                                const struct fs_kernel *kernel, int n,
                                const struct fs_diags *sources) {
  struct fs_code *c = fs_calloc(1, sizeof *c);
  struct fs_str does = {0};
  put_does(plan, kernel, n, sources, &does);
  c->does = does.data ? does.data : fs_strdup("");
  c->plan = plan;
  c->kernel = kernel;
  c->sources = sources;
  c->n_phases = n;
  for (int k = 0; k < n; k++)
    for (int q = 0; q < kernel[k].n_applied; q++)
      c->may_fail |= fs_small_may_fail(kernel[k].applied[q].user->small);
  c->library = kernel->lib_node;
  const struct fs_node *call = fs_node(plan->graph, kernel->lib_node);
  if (c->library && call->user) c->foreign = call->user->foreign;
  if (c->library) return c;
  if (n > 1)
    fs_emit_grid(plan, kernel, n, written_for(t, kernel), sources,
                 &c->emitted);
  else
    fs_emit_cuda(plan, kernel, written_for(t, kernel), sources,
                 &c->emitted);
  c->emitted.source = asking(t, c->emitted.source);
  return c;
}

const char *fs_cuda_lined(struct fs_code *c) {
  if (!c->lined)
    c->lined = fs_emit_lines(c->plan, c->kernel, c->sources, c->emitted.source);
  return c->lined;
}

void fs_cuda_release(struct fs_target *target, struct fs_code *c) {
  struct cuda *t = fs_cuda_of(target);
  if (!c) return;
  fs_cuda_enter(t);
  for (int k = 0; k < FS_RECENT; k++)
    if (t->recent[k] == c) t->recent[k] = NULL;
  unload(t, c);
  if (c->later) fs_cuda_later_drop(t, c->later);
  if (c->work) fs_cuda_free(target, c->work, c->work_bytes);
  if (!c->library) fs_emitted_free(&c->emitted);
  free(c->values);
  free(c->args);
  free(c->maps);
  free(c->does);
  free(c->lined);
  free(c);
}

static bool has_user_code(const struct fs_kernel *k) {
  return k->has.user || k->n_applied > 0;
}

/* Full code in place of quick code must find the grid that this had where sums depend on
 * it: as many blocks as fit on a multiprocessor at least, by the bounds that both keep to.
 * Of clusters, how many fit is more than that. */
static bool has_fixed_sums(const struct fs_emitted *e) {
  if (!e->work_per_block) return true;
  return e->cluster == 1 && e->per_unit > 0 && e->bounds >= e->per_unit;
}

/* Rows that a cluster shares: quick code of them has not been tried on a GPU. */
static bool shares_rows(const struct fs_emitted *e) {
  return e->cluster > 1 && !e->n_maps;
}

double fs_cuda_seconds(const struct fs_code *c) {
  double seconds = c->kernel->first;
  for (int k = 1; k < c->n_phases; k++) seconds += c->kernel[k].first;
  return seconds;
}

/* Whether quick code gives its result sooner. It is several times slower, which a kernel
 * that runs for long would not make good, and short texts take NVRTC no less time. What
 * the user wrote is compiled as it always is. */
static bool is_worth_haste(const struct fs_code *c) {
  enum { SHORT_TEXT = 5000 };
  const double longest = 2e-3;
  for (int k = 0; k < c->n_phases; k++)
    if (has_user_code(&c->kernel[k])) return false;
  return fs_cuda_seconds(c) < longest && strlen(c->emitted.source) >= SHORT_TEXT &&
         !shares_rows(&c->emitted) && has_fixed_sums(&c->emitted);
}

char *fs_cuda_quick_text(const struct cuda *t, const struct fs_code *c) {
  if (c->n_phases > 1) return NULL;
  return asking(t, fs_emit_quick(c->plan, c->kernel, written_for(t, c->kernel), c->sources));
}

char *fs_cuda_loops_text(const struct cuda *t, const struct fs_code *c) {
  if (c->n_phases > 1) return NULL;
  return fs_emit_loops(c->plan, c->kernel, written_for(t, c->kernel));
}

/* Finds the code of a kernel, or prepares to compile it. */
static void begin_build(struct cuda *t, struct fs_code *c, struct fs_build *builds, int at) {
  struct fs_build *b = &builds[at];
  b->loaded = find_text(t, builds, at, c->emitted.source);
  if (b->loaded) {
    b->key = b->loaded->key;
  } else {
    b->key = fs_build_key(t, c->emitted.source, fs_cuda_lined(c));
    b->loaded = find_module(t, builds, at, &b->key);
  }
  fs_build_begin(t, b, c->emitted.source, b->loaded ? NULL : fs_cuda_lined(c));
  b->job.quick = t->base.hasty && !b->loaded && !b->cached && is_worth_haste(c);
  if (b->job.quick) b->job.quick_source = b->other = fs_cuda_quick_text(t, c);
  c->key = b->key;
}

/* Builds the generated kernels among codes[0..n); builds[] is parallel. */
static enum fs_status build_codes(struct cuda *t, int n, struct fs_code **codes,
                                  struct fs_diags *d) {
  struct fs_build *builds = fs_calloc((size_t)FS_MAX(n, 1), sizeof *builds);
  struct fs_code **made = fs_calloc((size_t)FS_MAX(n, 1), sizeof *made);
  int count = 0;
  for (int k = 0; k < n; k++) {
    if (!codes[k] || codes[k]->library) continue;
    begin_build(t, codes[k], builds, count);
    made[count++] = codes[k];
  }
  enum fs_status status = fs_build_finish(builds, count, d);
  for (int k = 0; k < count && status == FS_OK; k++) {
    struct fs_build *b = &builds[k];
    struct fs_build *from = b->same_as >= 0 ? &builds[b->same_as] : b;
    if (b->loaded)
      take_module(b->loaded, made[k]);
    else
      status = fs_build_load(t, from, "fs_kernel", &made[k]->module,
                          &made[k]->function, d);
    made[k]->quick = from->job.quick;
    if (status == FS_OK && !b->loaded && !made[k]->quick && b->same_as < 0)
      share_module(t, made[k]);
    if (status == FS_OK) status = set_up(t, made[k], d);
    t->rushed |= status == FS_ERR_ENV && made[k]->quick;
  }
  for (int k = 0; k < count && status == FS_OK; k++)
    if (made[k]->quick)
      made[k]->later = fs_cuda_later(t, &builds[k].key, builds[k].job.source);
  for (int k = 0; k < count; k++) fs_build_free(&builds[k]);
  free(builds);
  free(made);
  return status;
}

/* The user's function of a kernel that has no CUDA form, or NULL. */
static const struct fs_user *unusable(const struct fs_kernel *k) {
  const struct fs_user *u;
  for (int n = 0; (u = fs_kernel_function(k, n)) && (u->region || u->cuda.text);) n++;
  return u;
}

/* A program of loops that breaks a rule is a fault of ours. */
static enum fs_status check_code(const struct fs_code *c, struct fs_diags *d) {
  if (!c || !c->emitted.broken) return FS_OK;
  return fs_env_error(d, "broken-rule", "this is a fault of Fusible: please report it with the input",
                      "the loops of `%.200s`: %s", c->does, c->emitted.broken);
}

/* `join`: kernels that the plan has joined are one launch. Nothing is left of a
 * failure. */
static enum fs_status make_codes(struct cuda *t, const struct fs_plan *plan,
                                 const struct fs_diags *sources, int n,
                                 const struct fs_kernel *const *kernels,
                                 bool join, struct fs_code **codes,
                                 struct fs_diags *d) {
  t->crowded = false;
  for (int k = 0, phases; k < n; k += phases) {
    phases = join ? phases_of(kernels + k, n - k) : 1;
    codes[k] = new_code(t, plan, kernels[k], phases, sources);
    for (int x = 1; x < phases; x++) codes[k + x] = NULL;
  }
  enum fs_status status = FS_OK;
  for (int k = 0; k < n && status == FS_OK; k++) status = check_code(codes[k], d);
  if (status == FS_OK) status = build_codes(t, n, codes, d);
  for (int k = 0; k < n && status == FS_OK; k++)
    if (codes[k] && codes[k]->library)
      status = codes[k]->foreign ? fs_cuda_foreign_prepare(t, codes[k], d)
                                 : fs_cuda_library_prepare(t, codes[k], d);
  for (int k = 0; k < n && status != FS_OK; k++) {
    fs_cuda_release(&t->base, codes[k]);
    codes[k] = NULL;
  }
  return status;
}

enum fs_status fs_cuda_prepare(struct fs_target *target,
                               const struct fs_plan *plan,
                               const struct fs_diags *sources, int n,
                               const struct fs_kernel *const *kernels,
                               struct fs_code **codes, struct fs_diags *d) {
  struct cuda *t = fs_cuda_of(target);
  for (int k = 0; k < n; k++) {
    const struct fs_user *u = unusable(kernels[k]);
    if (u)
      return fs_env_error(d, "elem-no-form", "add a routine for `cuda` or `any`, "
                          "or use :target cpu",
                          "the CUDA target needs a CUDA form of `%.100s`, and "
                          "the function has none", u->name);
  }
  fs_cuda_enter(t);
  bool narrow = t->narrow, hasty = t->base.hasty;
  t->rushed = false;
  enum fs_status status = make_codes(t, plan, sources, n, kernels, true, codes, d);
  t->base.hasty = false;
  if (status != FS_OK && t->rushed)
    status = make_codes(t, plan, sources, n, kernels, true, codes, d);
  if (status != FS_OK && t->narrow && !narrow)
    status = make_codes(t, plan, sources, n, kernels, true, codes, d);
  if (status != FS_OK && t->crowded)
    status = make_codes(t, plan, sources, n, kernels, false, codes, d);
  t->base.hasty = hasty;
  fs_build_warn(d);
  return status;
}

/* -- compiling ahead ------------------------------------------------------------------------ */

static void let_go(struct cuda *t) {
  for (int k = 0; t->warm && k < t->warm->list.len; k++)
    fs_build_free(&t->warm->list.data[k]);
  if (t->warm) FS_VEC_FREE(&t->warm->list);
  free(t->warm);
  t->warm = NULL;
}

static void warm_kernel(struct cuda *t, const struct fs_plan *plan,
                        const struct fs_kernel *kernel, int n,
                        const struct fs_diags *sources, struct fs_code **codes,
                        struct fs_builds *w) {
  struct fs_code *c = new_code(t, plan, kernel, n, sources);
  *codes = c;
  if (c->library) return;
  struct fs_build *b = FS_PUSH(&w->list);
  *b = (struct fs_build){.key = fs_build_key(t, c->emitted.source, fs_cuda_lined(c))};
  fs_build_begin(t, b, c->emitted.source, fs_cuda_lined(c));
}

void fs_cuda_warm(struct fs_target *target, int n,
                  const struct fs_plan *const *plans,
                  const struct fs_diags *sources) {
  struct cuda *t = fs_cuda_of(target);
  struct fs_builds *w = fs_calloc(1, sizeof *w);
  FS_VEC(struct fs_code *) codes = {0};
  struct fs_diags unheard;
  fs_diags_init(&unheard);
  fs_cuda_enter(t);
  let_go(t);
  for (int p = 0; p < n; p++)
    for (int k = 0, end; k < plans[p]->kernels.len; k = end) {
      end = fs_launch_end(plans[p], k);
      warm_kernel(t, plans[p], &plans[p]->kernels.data[k], end - k, sources,
                  FS_PUSH(&codes), w);
    }
  fs_build_finish(w->list.data, w->list.len, &unheard);
  for (int k = 0; k < codes.len; k++) fs_cuda_release(target, codes.data[k]);
  FS_VEC_FREE(&codes);
  fs_diags_free(&unheard);
  t->warm = w;
  if (!n) let_go(t);
}

/* -- full code for quick --------------------------------------------------------------------- */

/* Loads the image into *to, which is else as the code that has run. */
static bool load_full(struct cuda *t, struct fs_code *to, const void *image) {
  int64_t resident = 0;
  unsigned blocks = to->blocks;
  to->module = NULL;
  CUresult r = image ? fs_cu.module_load(&to->module, image) : CU_INVALID_IMAGE;
  if (fs_cuda_again(t, r)) r = fs_cu.module_load(&to->module, image);
  if (r != CU_OK) return false;
  bool ok = fs_cu.module_function(&to->function, to->module, "fs_kernel") == CU_OK;
  if (ok && to->emitted.shared_bytes > 0)
    ok = fs_cu.function_set(to->function, CU_FN_MAX_DYNAMIC_SHARED,
                            (int)to->emitted.shared_bytes) == CU_OK;
  ok = ok && resident_blocks(t, to, &resident, NULL) == FS_OK;
  if (ok) choose_grid(to, resident, t->base.device.units);
  if (to->emitted.work_per_block) ok &= to->blocks == blocks;
  if (!ok) fs_cu.module_unload(to->module);
  return ok;
}

void fs_cuda_renew(struct cuda *t, struct fs_code *c) {
  const void *image = NULL;
  if (!c->later || !fs_cuda_later_ended(t, c->later, &image)) return;
  struct fs_code full = *c;
  if (load_full(t, &full, image)) {
    full.quick = false;
    full.before = c->module;
    *c = full;
  }
  fs_cuda_later_drop(t, c->later);
  c->later = NULL;
}

bool fs_cuda_is_quick(const struct fs_code *code) { return code->quick; }

/* -- launching --------------------------------------------------------------------------- */

static int map_type(enum fs_dtype dt) {
  static const uint8_t maps[] = {
#define FS_DTYPE_CUDA(id, stored, value, lowest, highest, map, blas) [FS_##id] = CU_MAP_##map,
#include "core/graph/dtypes.def"
  };
  return maps[dt];
}

/* The tensor maps of a launch: the slots may lie elsewhere than the last time. */
static CUresult fill_maps(const struct fs_code *c, void *const *slots) {
  for (int k = 0; k < c->emitted.n_maps; k++) {
    const struct fs_emitted_map *m = &c->emitted.maps[k];
    unsigned long long size = fs_dtype_size(m->dtype);
    unsigned long long dims[2] = {(unsigned long long)m->columns,
                                  (unsigned long long)m->rows};
    unsigned long long stride = (unsigned long long)m->stride * size;
    unsigned box[2] = {(unsigned)m->box_columns, (unsigned)m->box_rows};
    unsigned steps[2] = {1, 1};
    char *base = (char *)slots[c->emitted.slots[m->slot]] +
                 m->offset * (int64_t)size;
    CUresult r = !fs_cu.tensor_map ? CU_INVALID_VALUE
                     : fs_cu.tensor_map(&c->maps[k], map_type(m->dtype), 2, base,
                                        dims, &stride, box, steps, 0, 0,
                                        CU_MAP_PROMOTE_128, 0);
    if (r != CU_OK) return r;
  }
  return CU_OK;
}

/* Kernels that wait for those before them by themselves may be put on the device
 * while those end; the gap between two is a microsecond shorter (H200). */
static CUresult start_early(struct cuda *t, const struct fs_code *c) {
  const struct fs_emitted *e = &c->emitted;
  struct cu_launch_attribute early = {.id = CU_LAUNCH_PROGRAMMATIC,
                                      .value.allowed = 1};
  struct cu_launch how = {.grid = {c->blocks, 1, 1},
                          .block = {(unsigned)e->threads, 1, 1},
                          .shared = (unsigned)e->shared_bytes,
                          .stream = fs_cuda_stream(t),
                          .attributes = &early,
                          .n_attributes = 1};
  return fs_cu.launch_ex(&how, c->function, c->args, NULL);
}

CUresult fs_cuda_start(struct cuda *t, const struct fs_code *c, bool early) {
  const struct fs_emitted *e = &c->emitted;
  unsigned threads = (unsigned)e->threads, shared = (unsigned)e->shared_bytes;
  bool alone = c->blocks == 1; /* waits for no other block */
  if (e->cooperative && !alone && fs_cu.launch_cooperative)
    return fs_cu.launch_cooperative(c->function, c->blocks, 1, 1, threads, 1, 1, shared,
                                    fs_cuda_stream(t), c->args);
  if (early && e->waits && fs_cu.launch_ex) return start_early(t, c);
  return fs_cu.launch(c->function, c->blocks, 1, 1, threads, 1, 1,
                      shared, fs_cuda_stream(t), c->args, NULL);
}

CUresult fs_cuda_bind(struct fs_code *c, void *const *slots,
                      const struct fs_number *params) {
  const struct fs_emitted *e = &c->emitted;
  union cuda_arg *value = c->values;
  if (c->library) return CU_OK;
  for (int k = 0; k < e->n_slots; k++)
    value++->pointer = (char *)slots[e->slots[k]] + e->slot_bytes[k];
  for (int k = 0; k < e->n_params; k++, value++) {
    const struct fs_number *p = &params[e->params[k]];
    switch (e->param_type[k]) {
      case FS_PARAM_INT: value->integer = p->i; break;
      case FS_PARAM_DOUBLE: value->number = p->f; break;
      case FS_PARAM_FLOAT: value->single = (float)p->f; break;
      default: value->halves = fs_param_twice(e->param_type[k], p->f);
    }
  }
  return fill_maps(c, slots);
}

static CUresult start_with_room(struct cuda *t, const struct fs_code *c, bool early) {
  CUresult r = fs_cuda_start(t, c, early);
  return fs_cuda_again(t, r) ? fs_cuda_start(t, c, early) : r;
}

/* Whether an instance of the kernel that was started last failed: waits for it. */
static enum fs_status look_for_fault(struct cuda *t, const struct fs_code *c, struct fs_diags *d) {
  CUdeviceptr word = 0;
  size_t bytes = 0;
  uint64_t fault = 0;
  CUresult r = fs_cu.module_global(&word, &bytes, c->module, "fs_fault");
  if (r != CU_OK) return fs_cuda_fail(t, r, "looking at a kernel", d);
  enum fs_status status = fs_cuda_download(&t->base, &fault, 0, (const void *)(uintptr_t)word, 0,
                                           sizeof fault, 1, d);
  if (status != FS_OK || !fault) return status;
  status = fs_cuda_zero(&t->base, (void *)(uintptr_t)word, sizeof fault, d);
  for (int k = 0; k < c->n_phases && status == FS_OK; k++)
    for (int q = 0; q < c->kernel[k].n_applied && status == FS_OK; q++)
      if (fs_small_may_fail(c->kernel[k].applied[q].user->small))
        status = fs_lib_small_failed(c->plan, &c->kernel[k], fault, d);
  return status;
}

static enum fs_status call_library(struct cuda *t, const struct fs_code *c, void *const *slots,
                                   struct cuda_foreign_run *run, struct fs_diags *d) {
  return c->foreign ? fs_cuda_foreign_start(t, c, run, d)
                    : fs_cuda_library_launch(t, c, slots, d);
}

/* Between two events a kernel starts when the one before has ended: it is what is
 * measured. Once it is started nothing but a lost device is a failure of the launch: it
 * will overwrite what it is to, and without its second event only has no time. */
static enum fs_status start_timed(struct cuda *t, const struct fs_code *c,
                                  void *const *slots, struct cuda_foreign_run *run,
                                  struct fs_timer *timer, struct fs_diags *d) {
  bool held = fs_cuda_hold(t);
  enum fs_status status = FS_OK;
  CUresult r = fs_cu.event_record(timer->begin, fs_cuda_stream(t));
  if (r == CU_OK && c->library)
    status = call_library(t, c, slots, run, d);
  else if (r == CU_OK)
    r = start_with_room(t, c, false);
  if (r == CU_OK && status == FS_OK) {
    r = fs_cu.event_record(timer->end, fs_cuda_stream(t));
    timer->recorded = r == CU_OK;
    if (!fs_cu_is_fatal(r)) r = CU_OK;
  }
  if (held) fs_cuda_unhold(t);
  if (r == CU_OK && status == FS_OK && c->may_fail) status = look_for_fault(t, c, d);
  return r == CU_OK ? status : fs_cuda_fail(t, r, "starting a kernel", d);
}

/* Nothing else runs while a launch is counted. */
static enum fs_status start_counted(struct cuda *t, const struct fs_code *c, void *const *slots,
                                    struct cuda_foreign_run *run, struct cuda_counter *counter,
                                    struct fs_diags *d) {
  enum fs_status status = fs_cuda_wait(t, d);
  CUresult r = CU_OK;
  if (status != FS_OK) return status;
  fs_cuda_counter_begin(counter);
  if (c->library) status = call_library(t, c, slots, run, d);
  else r = start_with_room(t, c, false);
  fs_cuda_counter_end(t, counter);
  if (r == CU_OK && status == FS_OK && c->may_fail) status = look_for_fault(t, c, d);
  return r == CU_OK ? status : fs_cuda_fail(t, r, "starting a kernel", d);
}

enum fs_status fs_cuda_launch(struct fs_target *target, struct fs_code *c,
                              void *const *slots,
                              const struct fs_number *params,
                              struct fs_timer *timer, struct fs_diags *d) {
  struct cuda *t = fs_cuda_of(target);
  fs_cuda_enter(t);
  struct cuda_counter *counter = timer ? timer->counter : NULL;
  if (timer && (!timer->begin || !timer->end)) timer = NULL;
  enum fs_status status = fs_cuda_pace(t, fs_cuda_seconds(c));
  if (status != FS_OK) return status;
  if (c->later) fs_cuda_renew(t, c);
  fs_cuda_started(t, c);
  CUresult r = fs_cuda_bind(c, slots, params);
  struct cuda_foreign_run run;
  if (r == CU_OK && c->foreign) status = fs_cuda_foreign_ready(t, c, slots, &run, d);
  if (status != FS_OK) return status;
  if (r == CU_OK && counter) return start_counted(t, c, slots, &run, counter, d);
  if (r == CU_OK && timer) return start_timed(t, c, slots, &run, timer, d);
  if (r == CU_OK && c->library) return call_library(t, c, slots, &run, d);
  if (r == CU_OK) r = start_with_room(t, c, true);
  if (r == CU_OK && c->may_fail) return look_for_fault(t, c, d);
  return r == CU_OK ? FS_OK : fs_cuda_fail(t, r, "starting a kernel", d);
}
