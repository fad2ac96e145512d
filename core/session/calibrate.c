/* calibrate.c - :calibrate: runs generated kernels of every kind on the
 * device and fits the model's costs to what they took.
 *
 * The kernels come the normal way: statements are evaluated by an interpreter of
 * their own, on the session's device, with a runner of their own. The cases are a
 * table: statements, the element types and sizes they are run with, and the
 * scheme that the planner is led to. What a case does beside what it is for does
 * not matter: the fit (model/fit.c) takes all of them together. */
#include "core/session/calibrate.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "core/eval/files.h"
#include "core/plan/plan.h"
#include "core/run/search.h"
#include "core/session/cases.h"
#include "core/session/work_json.h"

static const double TIME_LIMIT = 56, QUICK_LIMIT = 4; /* seconds of measuring */

/* -- a run of measurements --------------------------------------------------------- */

/* A CPU's kernels are measured so many times at most, some ten seconds apart. */
enum { PASSES = 9 };

struct visits {
  int n;
  double seconds[PASSES];
};

/* How a place is calibrated. */
struct manner {
  bool gpu;                  /* the cases and sizes of a GPU */
  bool rests;                /* threads fall asleep between inputs, and are to be measured so */
  bool settings;             /* those of a kernel are timed, too */
  int passes;                /* over all kernels: caches, memory and processors that are shared
                                with others change within seconds; see usual() */
  double visit;              /* seconds for a kernel in a pass. With 12 ms on a GPU more kernels
                                are measured, and predictions are worse: 7 to 9 % at the 95th
                                percentile, not 6 */
  int least;                 /* runs in a visit */
  int settled;               /* the first runs / settled are left out: what caches hold of a
                                block settles in them; 0: none */
  int64_t operands;          /* elements to measure an operation with */
  int64_t most[FS_CASE_TYPES]; /* elements, of a type */
  unsigned order[FS_CASE_TYPES]; /* f32 first: time may run out. On a GPU f64 comes last, of
                                which most is measured: what is left out of a type there has
                                the tables of f32 */
};
static const struct manner manners[2] = {
    {.rests = true, .passes = PASSES, .visit = 0.006, .least = 3, .settled = 2,
     .operands = 1 << 16, .order = {0, 1, 2, 3, 4},
     .most = {INT64_MAX, 8 << 20, 8 << 20, 8 << 20, 8 << 20}},
    {.gpu = true, .settings = true, .passes = 1, .visit = 0.03, .least = 5,
     .operands = 1 << 22, .order = {0, 2, 4, 3, 1},
     .most = {INT64_MAX, 40 << 20, 160 << 20, 160 << 20, 80 << 20}}};

struct calibrating {
  const struct manner *manner;
  struct fs_session *s;
  struct fs_target *target;
  struct fs_runner *runner;
  struct fs_interp *in;
  struct fs_diags diags;
  struct fs_calibration lead[FS_LEADS]; /* [0]: costs of a device of its kind */
  const struct fs_calibration *before;
  int64_t peak;                 /* of memory, before it                       */
  FS_VEC(struct fs_sample) samples;
  FS_VEC(uint64_t) names;       /* of the samples: block, type, sizes, kernel  */
  FS_VEC(struct fs_block *) ran;
  json_t *raw;                  /* or NULL */
  FS_VEC(struct visits) visits; /* of the samples, on a CPU                   */
  bool quick;
  int pass;                     /* the first is 0; later ones bring nothing new */
  const char *type;             /* of the values that cases are run on        */
  enum fs_case_lead led;                /* where the runner's plans were led to */
  double start, limit, told, last; /* last: seconds of the last kernels */
  double compiling;             /* seconds of it, where it was done ahead */
  int done, all, left_out;
  struct fs_chain chain;        /* phases: 0 if it was not measured            */
  struct visits joined, apart, ahead; /* of the chain, each time that it ran   */
};

static void on_text(void *user, const char *text, size_t len) {
  (void)user, (void)text, (void)len;
}
static void on_show(void *user, const char *name, struct fs_val v,
                    struct fs_span span) {
  (void)user, (void)name, (void)v, (void)span;
}
static void on_progress(void *user, const char *what, double done,
                        double seconds) {
  (void)user, (void)what, (void)done, (void)seconds;
}
static enum fs_status on_command(void *user, const char *line,
                                 struct fs_span span) {
  (void)user, (void)line, (void)span;
  return FS_OK;
}
static void on_block(void *user, struct fs_block *block, int number) {
  struct calibrating *c = user;
  (void)number;
  *FS_PUSH(&c->ran) = block;
}

/* Costs that make one scheme the cheapest wherever it can be. */
static void lead_to(struct fs_calibration *c, enum fs_scheme scheme) {
  static const unsigned moves[] = {FS_TM_READ_FLAT, FS_TM_READ_ROW,
                                   FS_TM_READ_TILE};
  memset(c, 0, sizeof *c);
  c->cost[FS_TM_LAUNCH] = 1e-6;
  for (int k = 0; k < 3; k++)
    for (int side = 0; side < 2; side++)
      for (int x = 0; x < FS_KNOTS; x++)
        c->curve[moves[k] + (unsigned)side - FS_TM_SYNC_END][x] =
            k == (int)scheme ? 1e-12 : 1e-9;
  for (int x = 0; x < FS_KNOTS; x++)
    c->curve[FS_TM_STRIDED - FS_TM_SYNC_END][x] = 1e-10;
}

static void begin(struct calibrating *c, struct fs_session *s, bool quick) {
  struct fs_interp_host host = {.user = c, .text = on_text, .show = on_show,
                                .block = on_block, .progress = on_progress,
                                .command = on_command};
  *c = (struct calibrating){.s = s, .target = fs_session_target(s),
                            .type = "", .quick = quick, .start = fs_now()};
  c->manner = &manners[c->target->device.is_cuda];
  c->limit = quick ? QUICK_LIMIT : TIME_LIMIT;
  c->before = c->target->device.calibration;
  c->peak = c->target->peak;
  fs_diags_init(&c->diags);
  c->runner = fs_runner_new(c->target);
  fs_runner_options(c->runner)->apart = true;
  c->in = fs_interp_new(&c->diags, c->runner, c->target, &host);
  struct fs_calibration *rough = fs_calibration_reference(&c->target->device);
  c->lead[0] = *rough;
  free(rough);
  lead_to(&c->lead[FS_LEAD_FLAT], FS_FLAT);
  lead_to(&c->lead[FS_LEAD_ROW], FS_ROW);
  lead_to(&c->lead[FS_LEAD_TILE], FS_TILE);
  lead_to(&c->lead[FS_LEAD_STRIDED], FS_ROW);
  c->lead[FS_LEAD_STRIDED].cost[FS_TM_FOLD] = 1; /* rather than fold over rows */
}

/* The device has its memory back, and what was used of it here is no peak of the
 * session's. */
static void leave_memory(struct calibrating *c) {
  int64_t used, cached, available;
  c->target->ops->trim(c->target);
  c->target->ops->memory(c->target, &used, &cached, &available);
  c->target->peak = FS_MAX(c->peak, used);
}

static void end(struct calibrating *c) {
  c->target->device.calibration = c->before;
  fs_interp_free(c->in);
  fs_runner_free(c->runner);
  leave_memory(c);
  fs_diags_free(&c->diags);
  FS_VEC_FREE(&c->samples);
  FS_VEC_FREE(&c->names);
  FS_VEC_FREE(&c->visits);
  FS_VEC_FREE(&c->ran);
  json_decref(c->raw);
}

static void tell(struct calibrating *c, const char *what) {
  double now = fs_now(), spent = now - c->start;
  double share = (double)c->done / FS_MAX(c->all, 1);
  if (now - c->told < 0.2) return;
  c->told = now;
  double left = share > 0 ? spent * (1 - share) / share : c->limit;
  struct fs_str text = {0};
  fs_str_printf(&text, "calibrating: %s", what);
  json_t *e = json_object();
  json_object_set_new(e, "event", json_string("progress"));
  json_object_set_new(e, "what", json_string(fs_str_text(&text)));
  json_object_set_new(e, "done", json_real(share));
  json_object_set_new(e, "seconds",
                      json_real(FS_MIN(left, FS_MAX(c->limit - spent, 0))));
  fs_session_emit(c->s, e);
  fs_str_free(&text);
}

static enum fs_status eval(struct calibrating *c, const char *text) {
  return fs_interp_eval(c->in, "calibrate", text, strlen(text), 0);
}

/* -- one measurement ------------------------------------------------------------------ */

static void keep_raw(struct calibrating *c, const char *text, int64_t m,
                     int64_t n, const struct fs_kernel *k, double seconds) {
  if (!c->raw) return;
  json_t *o = fs_work_json(&k->work);
  json_object_set_new(o, "text", json_string(text));
  json_object_set_new(o, "m", json_integer(m));
  json_object_set_new(o, "n", json_integer(n));
  json_object_set_new(o, "columns", json_integer(k->space.n));
  json_t *tune = json_array();
  for (int x = 0; x < FS_TUNING_ROWS; x++)
    json_array_append_new(tune, json_integer(fs_tuning_value(&k->tune, x)));
  json_object_set_new(o, "tune", tune);
  json_object_set_new(o, "seconds", json_real(seconds));
  json_object_set_new(o, "passes", json_pack("[f]", seconds));
  json_object_set_new(o, "at", json_real(fs_now() - c->start));
  json_array_append_new(c->raw, o);
}

enum { MOST_RUNS = 20, MOST_KERNELS = 8, LEAST = 10 };

static uint64_t name_of(const struct calibrating *c, const char *text, int64_t m,
                        int64_t n, int kernel) {
  char sizes[80];
  snprintf(sizes, sizeof sizes, "%s %lld %lld %d %d", c->type, (long long)m,
           (long long)n, (int)c->led, kernel);
  return fs_hash(sizes, strlen(sizes), fs_hash(text, strlen(text), 0));
}

/* What counts of a CPU's passes: a third of them took less. What others take of a machine
 * adds to a time and never shortens it, and errors are relative: by the median, what
 * comes while they are at rest was predicted up to half too long, and by the lower third,
 * what comes while they are at work a tenth too short. */
static double usual(double *times, int n) {
  fs_sort_numbers(times, n);
  int at = (n - 1) / 3, rest = (n - 1) % 3;
  return times[at] + (rest ? rest / 3.0 * (times[at + 1] - times[at]) : 0);
}

/* What was measured in an earlier pass, too. */
static bool measured_before(struct calibrating *c, uint64_t name, double seconds) {
  for (int k = 0; k < c->names.len && c->pass > 0; k++) {
    struct visits *v = &c->visits.data[k];
    double sorted[PASSES];
    if (c->names.data[k] != name || v->n == PASSES) continue;
    v->seconds[v->n++] = seconds;
    memcpy(sorted, v->seconds, sizeof sorted);
    if (c->raw) {
      json_t *o = json_array_get(c->raw, (size_t)k);
      json_array_append_new(json_object_get(o, "passes"), json_real(seconds));
      json_object_set_new(o, "seconds", json_real(usual(sorted, v->n)));
    }
    c->samples.data[k].seconds = usual(sorted, v->n);
    return true;
  }
  return false;
}

static void keep_sample(struct calibrating *c, uint64_t name,
                        const struct fs_work *work, double seconds) {
  *FS_PUSH(&c->names) = name;
  *FS_PUSH(&c->visits) = (struct visits){1, {seconds}};
  *FS_PUSH(&c->samples) = (struct fs_sample){*work, seconds};
}

/* Whether a GPU's cache held something else than the kernel leaves there for itself:
 * another one of the block has gone over more than it has room for, in an order of its
 * own. A*x of 4096 x 4096 takes an H200 14.3 us, and 19.4 behind A'*y. */
static bool is_crossed(const struct calibrating *c, const struct fs_kernel *k, int ran) {
  static const double ROOM = 0.75; /* of it; 0.6 x 60 MB is still held */
  const struct fs_device *d = &c->target->device;
  return c->manner->gpu && ran > 1 && k->work.working_set > ROOM * (double)d->cache_bytes;
}

static void keep_samples(struct calibrating *c, const char *text, int64_t m,
                         int64_t n, double times[MOST_KERNELS][MOST_RUNS],
                         int runs) {
  const struct fs_plan *plan = c->ran.data[0]->plan;
  int all = FS_MIN(plan->kernels.len, MOST_KERNELS), ran = 0;
  int early = c->manner->settled ? runs / c->manner->settled : 0;
  double median[MOST_KERNELS];
  for (int k = 0; k < all; k++) { /* a copy that is left out takes no time */
    median[k] = fs_median(times[k] + early, runs - early);
    ran += median[k] > 0;
  }
  for (int k = 0; k < all; k++) {
    double seconds = median[k];
    if (!(seconds > 0)) continue;
    if (k > 0 && ran > 1) seconds += FS_MAX(c->chain.ahead, 0); /* as if it were alone */
    c->last = seconds;
    if (is_crossed(c, &plan->kernels.data[k], ran)) continue;
    uint64_t name = name_of(c, text, m, n, k);
    if (measured_before(c, name, seconds)) continue;
    keep_sample(c, name, &plan->kernels.data[k].work, seconds);
    keep_raw(c, text, m, n, &plan->kernels.data[k], seconds);
  }
}

static void rest(const struct calibrating *c) {
  struct timespec pause = {.tv_nsec = 100000};
  if (c->manner->rests) nanosleep(&pause, NULL);
}

/* Runs it until its times can be told; one column of `times` for each run. No runs:
 * it was more blocks than one, which is no measurement. */
static enum fs_status time_block(struct calibrating *c, const char *text,
                                 double times[MOST_KERNELS][MOST_RUNS],
                                 int *runs) {
  double begun = fs_now(), budget = c->quick ? 0.005 : c->manner->visit;
  int least = c->quick ? 2 : c->manner->least;
  enum fs_status st = FS_OK;
  *runs = 0;
  for (int warm = c->quick ? 1 : 2; *runs < MOST_RUNS && !st;) {
    c->ran.len = 0;
    rest(c);
    st = eval(c, text);
    if (!st) st = fs_runner_sync(c->runner, &c->diags);
    if (st || c->ran.len != 1) return st;
    if (warm-- > 0) {
      begun = fs_now();
      continue;
    }
    const struct fs_block *b = c->ran.data[0];
    for (int k = 0; k < b->plan->kernels.len && k < MOST_KERNELS; k++)
      times[k][*runs] = b->measured[k];
    ++*runs;
    if (*runs >= least && fs_now() - begun > budget) break;
  }
  return st;
}

static enum fs_status measure(struct calibrating *c, const char *text, int64_t m,
                              int64_t n) {
  double times[MOST_KERNELS][MOST_RUNS];
  int runs;
  enum fs_status st = time_block(c, text, times, &runs);
  if (!st && runs) keep_samples(c, text, m, n, times, runs);
  return st;
}

/* -- settings of threads ---------------------------------------------------------- */

enum { MOST_LISTED = 24, MOST_SETTINGS = FS_MAX_VARIANTS + 1 };

/* Of a kernel's settings: only the plan's own, a few, some, all. */
enum settings { OWN, FEW_SETTINGS = 2, SOME = 3, ALL_SETTINGS = MOST_SETTINGS };

/* All where they matter most and time allows: for f32 matrices of some size, neither
 * thin nor flat, in kernels that are chosen: few tile kernels that sum are, and fewer
 * that walk against the grain. */
static enum settings settings_at(const struct fs_calibration_case *of, unsigned t,
                                 struct fs_extent e) {
  enum { SMALL = 500, LARGE = 10000, SMALLEST = 100000 };
  enum fs_case_group group = of->group;
  if (group > FS_CASE_CUBES) return OWN;
  bool chosen = of->lead == FS_LEAD_TILE ? of->sizes == FS_SIZES_EVERY
                                         : of->lead != FS_LEAD_STRIDED;
  if (t > 0 || !chosen || of->sizes == FS_SIZES_BRIEF ||
      (group == FS_CASE_MATRICES && e.m * e.n < SMALLEST))
    return FEW_SETTINGS;
  bool usual = FS_MIN(e.m, e.n) > SMALL && FS_MAX(e.m, e.n) < LARGE;
  return group == FS_CASE_MATRICES && usual ? ALL_SETTINGS : SOME;
}

/* The plans of a graph that are one kernel of the scheme of the first one, which
 * is among them. Gives how many; they are given. */
static int settings_of(struct calibrating *c, const struct fs_plan *first,
                       enum settings most,
                       struct fs_plan *out[MOST_SETTINGS]) {
  struct fs_plan *list[MOST_LISTED];
  struct fs_plan_options options = {.strategy = FS_SMART, .variants = true};
  int n = 0, listed = 0;
  if (first->kernels.len == 1 && !first->kernels.data[0].lib_node)
    listed = fs_plan_ranked(first->graph, &c->target->device, &options,
                            MOST_LISTED, list);
  for (int k = 0; k < listed; k++) {
    const struct fs_kernel *mine = &list[k]->kernels.data[0];
    bool take = n < (int)most && list[k]->kernels.len == 1 &&
                mine->scheme == first->kernels.data[0].scheme &&
                !strcmp(mine->work.pattern, first->kernels.data[0].work.pattern);
    if (take) out[n++] = list[k];
    else fs_plan_free(list[k]);
  }
  return n;
}

static bool is_setting(const struct fs_kernel *k, const struct fs_tuning *t) {
  return !memcmp(&k->tune, t, sizeof *t);
}

/* The block that ran, with the other settings of its kernel. They run close after
 * each other, the block as somebody would run it: what is between the two for the
 * block's own setting counts for the others, too. */
static enum fs_status measure_settings(struct calibrating *c, const char *text,
                                       int64_t m, int64_t n,
                                       enum settings most) {
  struct fs_plan *plans[MOST_SETTINGS];
  if (!c->manner->settings || c->ran.len != 1 || c->quick) return FS_OK;
  const struct fs_plan *first = c->ran.data[0]->plan;
  struct fs_search_options o = {.plans = plans, .repeats = 7, .seconds = 0.02};
  o.n_plans = settings_of(c, first, most, plans);
  if (!o.n_plans) return FS_OK;
  struct fs_tuning own = first->kernels.data[0].tune;
  double between = 0, seconds = c->last;
  struct fs_search r;
  enum fs_status st = fs_search_block(c->runner, c->ran.data[0], &o, &c->diags,
                                      &r, &c->diags);
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < r.list.len; k++) {
      const struct fs_candidate *x = &r.list.data[k];
      if (!(x->measured > 0) || !x->block) continue;
      const struct fs_kernel *kernel = &x->block->plan->kernels.data[0];
      bool mine = is_setting(kernel, &own);
      if (pass == 0 && mine) between = seconds - x->measured;
      if (pass == 0 || mine) continue;
      double all = x->measured + FS_MIN(FS_MAX(between, -2e-6), 5e-6);
      keep_sample(c, 0, &kernel->work, all);
      keep_raw(c, text, m, n, kernel, all);
    }
  fs_search_free(&r);
  return st;
}

/* -- compiling ahead --------------------------------------------------------------- */

/* What will be run is compiled several texts at once: on a GPU compiling would take
 * most of the time. */
struct ahead {
  struct calibrating *c;
  enum settings settings;
  FS_VEC(struct fs_plan *) plans;
};

static void take_graph(void *user, struct fs_graph *g, struct fs_layout *results) {
  struct ahead *a = user;
  struct fs_plan *settings[MOST_SETTINGS];
  struct fs_plan *plan =
      fs_explain_graph(a->c->runner, g, &a->c->diags, NULL, NULL);
  (void)results;
  int n = a->settings ? settings_of(a->c, plan, a->settings, settings) : 0;
  *FS_PUSH(&a->plans) = plan;
  for (int k = 0; k < n; k++) *FS_PUSH(&a->plans) = settings[k];
}

static void look_ahead(struct ahead *a, const char *text) {
  fs_interp_explain(a->c->in, "calibrate", text, strlen(text), take_graph, a);
  fs_diags_clear(&a->c->diags);
}

static void compile_ahead(struct ahead *a) {
  struct calibrating *c = a->c;
  double begun = fs_now();
  c->target->ops->warm(c->target, a->plans.len,
                       (const struct fs_plan *const *)a->plans.data, &c->diags);
  c->compiling += fs_now() - begun;
  for (int k = 0; k < a->plans.len; k++) fs_plan_free(a->plans.data[k]);
  FS_VEC_FREE(&a->plans);
}

static bool compiles_ahead(const struct calibrating *c) {
  return c->target->ops->warm != NULL;
}

/* "$(rand(n))" with the type's name. */
static char *with_type(const char *text, const char *type) {
  struct fs_str s = {0};
  for (; *text; text++) {
    if (*text == '$') fs_str_puts(&s, type);
    else fs_str_put(&s, text, 1);
  }
  return s.data ? s.data : fs_strdup("");
}

static bool fits(const struct calibrating *c, int64_t m, int64_t n) {
  int64_t used, cached, available;
  c->target->ops->memory(c->target, &used, &cached, &available);
  double bytes = 8.0 * (double)m * (double)n * 6;
  return bytes < 0.5 * (double)(available + cached);
}

/* Out of memory, or a library that is not there, costs this case and no more. */
static enum fs_status passed_over(struct calibrating *c, enum fs_status st) {
  fs_diags_clear(&c->diags);
  return st == FS_INTERRUPTED || c->target->lost ? st : FS_OK;
}

static enum fs_status set_sizes(struct calibrating *c, int64_t m, int64_t n) {
  char sizes[80];
  snprintf(sizes, sizeof sizes, "m = %lld; n = %lld;", (long long)m,
           (long long)n);
  c->target->device.calibration = &c->lead[0];
  fs_interp_reset(c->in);
  return eval(c, sizes);
}

static enum fs_status set_up(struct calibrating *c, const char *setup, int64_t m,
                             int64_t n) {
  enum fs_status st = set_sizes(c, m, n);
  return st ? st : eval(c, setup);
}

static enum fs_status run_block(struct calibrating *c, const char *block,
                                int64_t m, int64_t n, enum fs_case_lead lead,
                                enum settings settings) {
  c->target->device.calibration = &c->lead[lead];
  if (lead != c->led) { /* else a plan for the same statements would be used */
    c->ran.len = 0;
    fs_runner_clear(c->runner);
  }
  c->led = lead;
  enum fs_status st = measure(c, block, m, n);
  if (!st && settings) st = measure_settings(c, block, m, n, settings);
  return passed_over(c, st);
}

static int types_in(unsigned mask) {
  int n = 0;
  for (; mask; mask >>= 1) n += mask & 1;
  return n;
}

/* The time is up: but for a device that is so slow that there is nothing to fit
 * by yet. */
static bool late(const struct calibrating *c) {
  double spent = fs_now() - c->start;
  return spent > (c->samples.len < LEAST ? 12 : 1) * c->limit;
}

/* The largest sizes are for f32; library calls end where one would take long. */
static bool too_much(const struct calibrating *c, enum fs_case_group group, unsigned t,
                     int64_t m, int64_t n) {
  if (group == FS_CASE_LIBRARY || group == FS_CASE_SLOW_LIBRARY) return c->last > 0.01;
  return m * n > c->manner->most[t];
}

/* Types but f32 do with fewer sizes, and on a GPU with two that are uneven. Of f64 those
 * near a GPU's cache are others. Of many short rows a GPU has kernels that are chosen for
 * such, in f32. */
static bool wanted(const struct calibrating *c, const struct fs_calibration_case *of,
                   unsigned t, int x, struct fs_extent e) {
  enum { LARGE = 1 << 21, TALL = 50000 };
  enum fs_case_sizes sizes = of->sizes;
  enum fs_case_group group = of->group;
  bool cuda = c->manner->gpu;
  bool doubles = t == 1 && group == FS_CASE_MATRICES && e.m * e.n > LARGE;
  bool few = sizes == FS_SIZES_FEW || sizes == FS_SIZES_BRIEF ||
             sizes == FS_SIZES_CPU_FEW ||
             (t > 0 && cuda && !doubles);
  if (sizes == (cuda ? FS_SIZES_CPU_FEW : FS_SIZES_GPU_UNEVEN)) return false;
  if (group == FS_CASE_MATRICES && cuda && e.m > TALL)
    return t == 0 && (of->lead == FS_LEAD_ROW || of->lead == FS_LEAD_FLAT);
  if (group == FS_CASE_MATRICES && cuda && e.n > 512 && e.n % 4)
    return (sizes == FS_SIZES_UNEVEN || sizes == FS_SIZES_GPU_UNEVEN) &&
           (t == 0 || e.n == 1001 || e.n == 5003);
  return !few || x % 2 == 1 || (group == FS_CASE_MATRICES && e.n >= 12288);
}

/* The CPU target walks a tile kernel as a row kernel where it neither turns anything nor
 * divides columns (plan/kernels/work.c), and a second time the same is not measured. */
static bool is_known(const struct calibrating *c, const struct fs_calibration_case *of,
                     struct fs_extent e) {
  enum { DIVIDED = 1 << 14 };
  return !c->manner->gpu && of->lead == FS_LEAD_TILE &&
         of->sizes != FS_SIZES_EVERY &&
         e.n < DIVIDED;
}

/* The plans of all cases of a group at one size and type, whose values are there. */
static void cases_ahead(struct ahead *a, enum fs_case_group group, unsigned t, int x,
                        struct fs_extent e) {
  struct calibrating *c = a->c;
  for (size_t k = 0; k < fs_case_count; k++) {
    if (fs_cases[k].group != group || !(fs_cases[k].types >> t & 1) ||
        !wanted(c, &fs_cases[k], t, x, e))
      continue;
    char *block = with_type(fs_cases[k].block, fs_case_types[t]);
    c->target->device.calibration = &c->lead[fs_cases[k].lead];
    a->settings = c->quick ? OWN : settings_at(&fs_cases[k], t, e);
    look_ahead(a, block);
    free(block);
  }
}

static bool any_wanted(const struct calibrating *c, enum fs_case_group group, unsigned t,
                       int x, struct fs_extent e) {
  bool any = false;
  for (size_t k = 0; k < fs_case_count; k++)
    any |= fs_cases[k].group == group && fs_cases[k].types >> t & 1 &&
           wanted(c, &fs_cases[k], t, x, e);
  return any;
}

/* What makes the values of all sizes of a group. */
static void look_at_setups(struct ahead *a, enum fs_case_group group, unsigned t) {
  struct calibrating *c = a->c;
  struct fs_extents e = fs_case_extents(group, c->manner->gpu);
  char *setup = with_type(fs_case_setups[group], fs_case_types[t]);
  for (int x = 0; x < e.n; x++) {
    int64_t m = e.at[x].m, n = e.at[x].n;
    bool skip = !fits(c, m, n) || too_much(c, group, t, m, n) ||
                !any_wanted(c, group, t, x, e.at[x]);
    if (!skip && set_sizes(c, m, n) == FS_OK) look_ahead(a, setup);
  }
  free(setup);
}

/* Of all groups and types: few kernels each, but a batch of some size together. */
static void setups_ahead(struct calibrating *c) {
  struct ahead a = {.c = c};
  if (!compiles_ahead(c) || c->quick) return;
  tell(c, "values");
  for (enum fs_case_group group = 0; group < FS_CASE_GROUPS; group++)
    for (unsigned t = 0; t < FS_CASE_TYPES; t++) look_at_setups(&a, group, t);
  compile_ahead(&a);
}

static bool is_skipped(const struct calibrating *c, enum fs_case_group group, unsigned t,
                       int x, struct fs_extent e) {
  return !fits(c, e.m, e.n) || too_much(c, group, t, e.m, e.n) ||
         (c->quick && (x % 3 || e.m * e.n > 1 << 18));
}

/* Compiles what the sizes from `from` on take, and gives the one after them: of several
 * at once, since every time the threads wait for the one that has the longest text, and
 * have processes to start. */
static enum fs_status sizes_ahead(struct calibrating *c, enum fs_case_group group,
                                  unsigned t, const struct fs_extents *e, int from,
                                  int *to) {
  enum { TOGETHER = 300 }; /* some two seconds of compiling */
  struct ahead a = {.c = c};
  enum fs_status st = FS_OK;
  *to = e->n;
  if (!compiles_ahead(c) || group > FS_CASE_CUBES || late(c)) return FS_OK;
  char *setup = with_type(fs_case_setups[group], fs_case_types[t]);
  for (int x = from; x < e->n && !st && a.plans.len < TOGETHER; x++) {
    struct fs_extent size = e->at[x];
    *to = x + 1;
    if (fs_interrupted()) st = FS_INTERRUPTED;
    if (st || is_skipped(c, group, t, x, size) || !any_wanted(c, group, t, x, size))
      continue;
    st = set_up(c, setup, size.m, size.n);
    if (!st) cases_ahead(&a, group, t, x, size);
    else st = passed_over(c, st);
  }
  fs_interp_reset(c->in);
  compile_ahead(&a);
  free(setup);
  return st;
}

/* All cases of a group at one size and type. */
static enum fs_status run_sized(struct calibrating *c, enum fs_case_group group,
                                unsigned t, int x, struct fs_extent e) {
  enum fs_status st = FS_OK;
  bool made = false, skip = is_skipped(c, group, t, x, e);
  char *setup = with_type(fs_case_setups[group], fs_case_types[t]);
  c->type = fs_case_types[t];
  for (size_t k = 0; k < fs_case_count && !st; k++) {
    if (fs_cases[k].group != group || !(fs_cases[k].types >> t & 1)) continue;
    c->done++;
    tell(c, fs_cases[k].what);
    if (fs_interrupted()) st = FS_INTERRUPTED;
    if (skip || st || is_known(c, &fs_cases[k], e) ||
        !wanted(c, &fs_cases[k], t, x, e))
      continue;
    if (late(c)) {
      c->left_out += c->pass == 0;
      continue;
    }
    if (!made) st = passed_over(c, set_up(c, setup, e.m, e.n));
    made = true;
    char *block = with_type(fs_cases[k].block, fs_case_types[t]);
    if (!st) st = run_block(c, block, e.m, e.n, fs_cases[k].lead,
                            settings_at(&fs_cases[k], t, e));
    free(block);
  }
  fs_interp_reset(c->in);
  free(setup);
  return st;
}

static bool has_type(enum fs_case_group group, unsigned t) {
  for (size_t k = 0; k < fs_case_count; k++)
    if (fs_cases[k].group == group && fs_cases[k].types >> t & 1) return true;
  return false;
}

static enum fs_status run_group(struct calibrating *c, enum fs_case_group group,
                                unsigned t) {
  int ahead = 0; /* sizes below are compiled */
  struct fs_extents e = fs_case_extents(group, c->manner->gpu);
  enum fs_status st = FS_OK;
  c->last = 0;
  if (!has_type(group, t)) return FS_OK;
  for (int x = 0; x < e.n && !st; x++) {
    if (x == ahead) st = sizes_ahead(c, group, t, &e, x, &ahead);
    if (!st) st = run_sized(c, group, t, x, e.at[x]);
  }
  return st;
}

/* -- barriers ---------------------------------------------------------------------- */

/* The same kernels as phases of one launch and with a launch each: products of a
 * small matrix, each of which needs all of the one before. Not so small that the device
 * would wait for the host, which takes some 3.5 us for a kernel and its events. */
static const char *const chain = "b = A*a; c = A*b; d = A*c; e = A*d; f = A*e;";
enum { CHAIN_SIZE = 1024 };

/* One of the two. phases: 0 if they were not the kernels that were meant. */
static enum fs_status time_chain(struct calibrating *c, bool apart, double *seconds,
                                 double *ahead, int *phases) {
  double times[MOST_KERNELS][MOST_RUNS];
  int runs = 0;
  *phases = 0;
  fs_runner_clear(c->runner);
  fs_runner_options(c->runner)->apart = apart;
  enum fs_status st = time_block(c, chain, times, &runs);
  if (st || !runs) return st;
  const struct fs_plan *plan = c->ran.data[0]->plan;
  int n = plan->kernels.len, launches = fs_plan_launches(plan);
  if (n > MOST_KERNELS || launches != (apart ? n : 1)) return FS_OK;
  *phases = n;
  *seconds = 0;
  double first = fs_median(times[0], runs);
  for (int k = 0; k < n; k++) *seconds += fs_median(times[k], runs);
  *ahead = first - (*seconds - first) / FS_MAX(n - 1, 1);
  return FS_OK;
}

static double middle_of(struct visits *v, double seconds) {
  double sorted[PASSES];
  if (v->n < PASSES) v->seconds[v->n++] = seconds;
  memcpy(sorted, v->seconds, sizeof sorted);
  return fs_median(sorted, v->n);
}

/* What both took goes to `made` at the end: the medians of the visits, some seconds
 * apart, since it is differences of a tenth of a microsecond that count. */
static void keep_chain(struct calibrating *c, double joined, double apart, double ahead,
                       int phases) {
  c->chain = (struct fs_chain){.joined = middle_of(&c->joined, joined),
                               .apart = middle_of(&c->apart, apart),
                               .ahead = middle_of(&c->ahead, ahead),
                               .phases = phases, .barriers = phases - 1};
}

/* Both, where the device has such launches. */
static enum fs_status run_barriers(struct calibrating *c) {
  struct fs_run_options *o = fs_runner_options(c->runner);
  int phases = 0, kernels = 0;
  if (!c->target->device.cooperative || (c->chain.phases && late(c))) return FS_OK;
  tell(c, "barriers");
  enum fs_status st = set_up(c, "A = f32(rand(n, n)); a = f32(rand(n));", 1, CHAIN_SIZE);
  enum fs_strategy before = o->strategy;
  o->strategy = FS_MIN_SYNC; /* joins whatever it takes */
  double joined = 0, apart = 0, ahead = 0, none;
  if (!st) st = time_chain(c, false, &joined, &none, &phases);
  if (!st) st = time_chain(c, true, &apart, &ahead, &kernels);
  if (!st && kernels == phases && phases > 1)
    keep_chain(c, joined, apart, ahead, phases);
  o->strategy = before;
  o->apart = true;
  fs_runner_clear(c->runner);
  fs_interp_reset(c->in);
  return passed_over(c, st);
}

/* -- operations: all of the table ------------------------------------------------------ */

/* "fname(a, b)" or "a + b"; a square is a power. */
static void put_call(struct fs_str *s, const struct fs_map_op_info *op,
                     const char *a, const char *b, const char *c) {
  if (*op->infix && op->arity == 2)
    fs_str_printf(s, "(%s %s %s)", a, op->infix, b);
  else if (*op->infix && op->arity == 1)
    fs_str_printf(s, "(%s%s)", op->infix, a);
  else if (op == &fs_map_ops[FS_OP_SQUARE]) fs_str_printf(s, "%s.^2", a);
  else if (op->arity == 1) fs_str_printf(s, "%s(%s)", op->name, a);
  else if (op->arity == 2) fs_str_printf(s, "%s(%s, %s)", op->name, a, b);
  else fs_str_printf(s, "%s(%s, %s, %s)", op->name, a, b, c);
}

/* Four calls of the operation in one statement; false where the language has no
 * word for it. */
static bool op_statement(int op, bool integer, struct fs_str *s) {
  const struct fs_map_op_info *info = &fs_map_ops[op];
  if (op == FS_OP_COPY || op == FS_OP_CAST) return false;
  if (info->types == 'F' && integer) return false;
  if (fs_map_takes_integers((enum fs_map_op)op) && !integer) return false;
  bool bits = info->types == 'B' || op == FS_OP_WHERE;
  fs_str_puts(s, "z = ");
  const char *args[] = {"x", "y", "v", "w", "x", "y"};
  for (int k = 0; k < 4; k++) {
    char first[24];
    snprintf(first, sizeof first, bits ? "(%s > 0)" : "%s", args[k]);
    bool both = info->types == 'B';
    char second[24];
    snprintf(second, sizeof second, both ? "(%s > 0)" : "%s", args[k + 1]);
    if (k) fs_str_puts(s, " + ");
    if (info->result == 'B') fs_str_puts(s, "f32");
    if (info->result == 'B') fs_str_puts(s, "(");
    put_call(s, info, first, second, args[k + 2]);
    if (info->result == 'B') fs_str_puts(s, ")");
  }
  fs_str_puts(s, ";");
  return true;
}

/* Whether the operation is measured with the type: all are with f32 and f64. */
static bool takes_operation(const struct calibrating *c, int op, int type) {
  return !(c->quick && op % 5) && !(type == 3 && op % 4) && !(type == 2 && op % 2);
}

static void operations_ahead(struct calibrating *c, int type) {
  struct ahead a = {.c = c};
  if (!compiles_ahead(c)) return;
  c->target->device.calibration = &c->lead[0];
  for (int op = 0; op < FS_MAP_OP_COUNT; op++) {
    struct fs_str text = {0};
    if (takes_operation(c, op, type) && op_statement(op, type == 2, &text))
      look_ahead(&a, text.data);
    fs_str_free(&text);
  }
  compile_ahead(&a);
}

static enum fs_status run_operations(struct calibrating *c) {
  static const char *const types[] = {"f32", "f64", "i32", "f16"};
  int64_t n = c->manner->operands;
  enum fs_status st = FS_OK;
  for (int t = 0; t < 4 && !st; t++) {
    char *setup = with_type("x = $(0.1 + rand(n)/2); y = $(0.1 + rand(n)/2); "
                            "v = $(0.1 + rand(n)/2); w = $(0.1 + rand(n)/2);",
                            types[t]);
    c->type = types[t];
    st = passed_over(c, set_up(c, setup, 1, n));
    if (!st && !late(c)) operations_ahead(c, t);
    for (int op = 0; op < FS_MAP_OP_COUNT && !st; op++, c->done++) {
      struct fs_str text = {0};
      tell(c, "operations");
      if (fs_interrupted()) st = FS_INTERRUPTED;
      else if (!takes_operation(c, op, t)) continue;
      else if (late(c)) c->left_out += c->pass == 0;
      else if (op_statement(op, t == 2, &text))
        st = run_block(c, text.data, 1, n, FS_LEAD_NOWHERE, OWN);
      fs_str_free(&text);
    }
    free(setup);
  }
  return st;
}

/* -- the command ---------------------------------------------------------------------------- */

static enum fs_status run_kernels(struct calibrating *c) {
  enum fs_status st = FS_OK;
  if (c->pass == 0) setups_ahead(c);
  for (size_t k = 0; k < FS_CASE_TYPES && !st; k++) {
    unsigned t = c->manner->order[k];
    st = run_group(c, FS_CASE_VECTORS, t);
    if (!st && c->pass == 0) st = run_barriers(c);
    if (!st) st = run_group(c, FS_CASE_MATRICES, t);
    if (!st) st = run_group(c, FS_CASE_CUBES, t);
    if (t == 0 && !st) st = run_operations(c);
    if (!st && c->pass == 0) st = run_group(c, FS_CASE_LIBRARY, t);
  }
  return st;
}

/* Kernels are measured again and again, as far as there is time. What a block will meet is
 * not the best that there ever is. */
static enum fs_status run_all(struct calibrating *c) {
  for (size_t k = 0; k < fs_case_count; k++)
    c->all += types_in(fs_cases[k].types) * fs_case_extents(fs_cases[k].group, c->manner->gpu).n;
  c->all += 4 * FS_MAP_OP_COUNT;
  c->all *= c->manner->passes;
  enum fs_status st = run_kernels(c);
  for (unsigned t = 0; t < FS_CASE_TYPES && !st; t++)
    st = run_group(c, FS_CASE_SLOW_LIBRARY, t);
  for (c->pass = 1; c->pass < c->manner->passes && !c->quick && !st; c->pass++)
    st = run_kernels(c);
  return st;
}

static void put_cost(struct fs_str *out, const char *name, double seconds) {
  fs_str_printf(out, "  %-11s ", name);
  fs_str_put_seconds(out, seconds);
  fs_str_puts(out, "\n");
}

/* Working sets of which rates are told, as far as they were measured. */
static const double shown[] = {256 << 10, 4 << 20, 16 << 20, 256 << 20};

static size_t count_shown(const struct fs_calibration *c) {
  size_t n = 1;
  while (n < FS_LEN(shown) && (!(c->reach > 0) || shown[n] <= c->reach)) n++;
  return n;
}

static void put_rates(struct fs_str *out, const char *name,
                      const struct fs_calibration *c, unsigned read,
                      unsigned write) {
  fs_str_printf(out, "  %-11s", name);
  for (size_t k = 0; k < count_shown(c); k++) {
    double r = fs_move_cost(c->curve[read - FS_TM_SYNC_END], shown[k]);
    double w = fs_move_cost(c->curve[write - FS_TM_SYNC_END], shown[k]);
    fs_str_puts(out, k ? ",  " : " ");
    fs_str_put_bytes(out, r > 0 ? 1 / r : 0);
    fs_str_puts(out, "/s + ");
    fs_str_put_bytes(out, w > 0 ? 1 / w : 0);
    fs_str_puts(out, "/s");
  }
  fs_str_puts(out, "\n");
}

void fs_calibration_report(const struct fs_calibration *c,
                           struct fs_str *out) {
  fs_str_printf(out, "  %-11s on %s, %d kernels, typical error %.1f %%\n",
                "calibrated", c->date, c->samples, 100 * c->error);
  put_cost(out, "launch", c->cost[FS_TM_LAUNCH]);
  put_cost(out, "fold", c->cost[FS_TM_FOLD]);
  if (c->follow > 0) put_cost(out, "the next", c->follow);
  if (c->barrier > 0) put_cost(out, "barrier", c->barrier);
  fs_str_puts(out, "  reading and writing, with ");
  for (size_t k = 0; k < count_shown(c); k++)
    fs_str_printf(out, "%s%.0f %s", k ? ", " : "",
                  shown[k] / (shown[k] < 1 << 20 ? 1 << 10 : 1 << 20),
                  shown[k] < 1 << 20 ? "KiB" : "MiB");
  fs_str_puts(out, " in use:\n");
  put_rates(out, "flat", c, FS_TM_READ_FLAT, FS_TM_WRITE_FLAT);
  put_rates(out, "row", c, FS_TM_READ_ROW, FS_TM_WRITE_ROW);
  put_rates(out, "tile", c, FS_TM_READ_TILE, FS_TM_WRITE_TILE);
  fs_str_printf(out, "  %-11s %.0f %% hides behind the moves\n", "computing",
                100 * c->overlap);
  if (count_shown(c) < FS_LEN(shown)) {
    fs_str_printf(out, "  %-11s with more than ", "estimated");
    fs_str_put_bytes(out, c->reach);
    fs_str_puts(out, " in use: `:calibrate` measures that, too\n");
  }
}

static void report(struct calibrating *c, const struct fs_calibration *made,
                   struct fs_str *out) {
  fs_str_printf(out, "calibrated %s in %.1f s", c->target->device.name,
                fs_now() - c->start);
  if (c->compiling > 0) fs_str_printf(out, ", %.1f s of them to compile", c->compiling);
  fs_str_puts(out, "\n");
  fs_calibration_report(made, out);
  if (c->left_out)
    fs_str_printf(out, "  %-11s %d of %d measurements, for want of time or "
                  "memory\n", "left out", c->left_out, c->all);
}

/* Whether the file could be written, before a minute goes into what is for it. */
static enum fs_status try_raw(const struct fs_file_ctx *raw) {
  struct fs_writer w;
  enum fs_status st = fs_writer_open(raw, &w);
  if (!st) fs_writer_drop(&w);
  return st;
}

/* Every measurement, with what the calibration says of it. */
static enum fs_status save_raw(struct calibrating *c, const struct fs_calibration *made,
                               const struct fs_file_ctx *raw) {
  for (int k = 0; k < c->samples.len; k++)
    json_object_set_new(
        json_array_get(c->raw, (size_t)k), "fitted",
        json_real(fs_calibrated(&c->samples.data[k].work, made).seconds));
  char *text = json_dumps(c->raw, JSON_COMPACT | JSON_REAL_PRECISION(7));
  struct fs_writer w;
  enum fs_status st = fs_writer_open(raw, &w);
  if (!st && (st = fs_writer_put(&w, text, strlen(text)))) fs_writer_drop(&w);
  else if (!st) st = fs_writer_commit(&w);
  free(text);
  return st;
}

/* Why the measurements did not come to their end. */
static enum fs_status device_error(struct calibrating *c) {
  const char *why = NULL;
  for (int k = 0; k < c->diags.list.len && !why; k++)
    why = c->diags.list.data[k].message;
  return fs_env_error(&c->s->diags, "calibrate", NULL, "%s",
                      why ? why : "the device failed");
}

/* Measures and fits; changes nothing of the session and on disk. */
static enum fs_status make(struct calibrating *c, struct fs_calibration *made) {
  enum fs_status st = run_all(c);
  c->target->device.calibration = c->before;
  if (st) return st == FS_ERR_ENV ? device_error(c) : st;
  if (!fs_calibration_fit(c->samples.data, c->samples.len, &c->target->device, made))
    return fs_env_error(&c->s->diags, "calibrate", NULL,
                        "the device measured too few kernels to calibrate by");
  if (c->chain.phases > 1) fs_calibration_chain(made, &c->chain);
  return FS_OK;
}

enum fs_status fs_session_calibrate(struct fs_session *s, bool quick,
                                    const struct fs_file_ctx *raw,
                                    struct fs_str *out) {
  enum fs_status st = raw ? try_raw(raw) : FS_OK;
  if (st) return st;
  struct calibrating *c = fs_calloc(1, sizeof *c);
  struct fs_calibration *made = fs_calloc(1, sizeof *made);
  begin(c, s, quick);
  if (raw) c->raw = json_array();
  st = make(c, made);
  if (!st && raw) st = save_raw(c, made, raw);
  const char *why = st ? NULL : fs_calibration_save(made, &c->target->device);
  if (why)
    fs_session_note(s, "not-stored", "the calibration holds for this session "
                    "only: it could not be stored: %s", why);
  if (!st) report(c, made, out);
  end(c);
  free(c);
  if (!st) fs_session_take_calibration(s, made);
  else free(made);
  return st;
}
