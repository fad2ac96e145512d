/* measure_call.c - what a call of a user's function takes: measured once,
 * at its first use on a calibrated device, before the block that has it is
 * planned.
 *
 * The function runs alone, on a runner of its own: some calls first, to see how
 * slow it is, then as many as take some milliseconds. While this is planned, a
 * call counts as one second, so that the kernel's amount of FS_TM_USER is the
 * number of its calls, by which fs_calibrate_call() finds what one takes. On a GPU a
 * routine over elements takes some microseconds even for few calls, which is told
 * apart by the first run. */
#include <math.h>

#include "core/ranks/ranks.h"
#include "core/session/internal.h"

#include "core/plan/kernels/launches.h"

static const double LONG_RUN = 0.005, BUDGET = 0.05; /* seconds */
enum { MOST_RUNS = 9 };

struct call {
  const struct fs_user *u;
  struct fs_target *target;
  struct fs_runner *runner;
  struct fs_diags diags;
  double seconds;            /* of a run; 0: there was none  */
  struct fs_work work;       /* ... of its kernel            */
  double each;               /* of a call                    */
  double delay;              /* of one alone                 */
};

/* -- operands ------------------------------------------------------------------ */

/* Tame ones: small positive numbers; square matrices have a larger diagonal. */
static double value_at(const struct fs_user *u, const struct fs_user_element *e,
                       int64_t k) {
  int64_t at = k % e->count;
  bool square = e->rank == 2 && e->dim[0] == e->dim[1];
  double x = 0.25 + (double)(k * 37 % 64) / 128;
  if (square && at / e->dim[1] == at % e->dim[1]) x += 4;
  return fs_dtype_is_float(u->compute) ? x : floor(4 * x);
}

static struct fs_shape shape_of(const struct fs_user_element *e, int64_t n) {
  struct fs_shape s = {.rank = 1, .dim = {n}};
  for (int a = 0; a < e->rank; a++) s.dim[s.rank++] = e->dim[a];
  return s;
}

static enum fs_status operand(struct call *c, const struct fs_user_element *e,
                              int64_t n, struct fs_tensor **out) {
  struct fs_shape shape = shape_of(e, n);
  int64_t count = n * e->count;
  size_t size = fs_dtype_size(c->u->compute);
  char *bytes = fs_malloc((size_t)count * size);
  for (int64_t k = 0; k < count; k++) {
    double x = value_at(c->u, e, k);
    fs_element_put(c->u->compute, bytes + (size_t)k * size,
                   (struct fs_number){.f = x, .i = (int64_t)x});
  }
  enum fs_status st = fs_tensor_upload(c->target, c->u->compute, &shape, bytes,
                                       out, &c->diags);
  free(bytes);
  return st;
}

/* -- runs ------------------------------------------------------------------------- */

static fs_id build(struct call *c, struct fs_graph *g,
                   struct fs_tensor *const *args, int64_t n) {
  const struct fs_user *u = c->u;
  struct fs_shape batch = {.rank = 1, .dim = {n}};
  fs_id src[FS_USER_ARGS];
  for (int k = 0; k < u->n_args; k++) {
    struct fs_number half = {.f = 0.5, .i = 1};
    struct fs_graph_source from = fs_tensor_source(args[k]);
    bool one = u->by_instance && u->arg[k].type == FS_UT_SCALAR;
    src[k] = one ? fs_graph_param(g, u->compute, half)
                 : fs_graph_input(g, &from, u->compute, &args[k]->shape,
                                  &args[k]->layout, NULL);
  }
  return fs_graph_user(g, u, &batch, src, u->compute);
}

/* One run of n calls: its seconds. */
static enum fs_status run_once(struct call *c, struct fs_tensor *const *args,
                               int64_t n, struct fs_block **block,
                               double *seconds) {
  struct fs_graph *g = fs_graph_new();
  fs_id id = build(c, g, args, n);
  struct fs_shape shape = shape_of(&c->u->result, n);
  struct fs_tensor *out = fs_tensor_lazy(g, id, &shape);
  fs_graph_output(g, id, NULL);
  enum fs_status st = fs_run_graph(c->runner, g, &out, &c->diags, block,
                                   &c->diags);
  if (st == FS_OK) st = fs_runner_sync(c->runner, &c->diags);
  *seconds = -1;
  if (st == FS_OK && (*block)->plan->kernels.len == 1)
    *seconds = (*block)->measured[0];
  if (out->state == FS_TS_LAZY) {
    out->state = FS_TS_LOST;
    out->graph = NULL;
  }
  fs_tensor_unref(out);
  fs_graph_free(g);
  return st;
}

/* The median counts, as of what the calibration has measured. */
static enum fs_status run_all(struct call *c, struct fs_tensor *const *args,
                              int64_t n) {
  struct fs_block *block = NULL;
  double times[MOST_RUNS + 1], start = 0;
  int runs = 0;
  for (int k = 0; k <= MOST_RUNS; k++) {
    double seconds;
    if (fs_interrupted()) return FS_INTERRUPTED;
    enum fs_status st = run_once(c, args, n, &block, &seconds);
    if (st != FS_OK) return st;
    if (!(seconds > 0)) return FS_ERR_ENV; /* no time: nothing to learn from */
    if (k == 0) start = fs_now();          /* compiled, and warm */
    if (k > 0 || seconds > LONG_RUN) times[runs++] = seconds;
    if (seconds > BUDGET || fs_now() - start > BUDGET) break;
  }
  if (!runs) return FS_ERR_ENV;
  c->seconds = fs_median(times, runs);
  c->work = block->plan->kernels.data[0].work;
  c->each = fs_calibrate_call(&c->work, c->seconds, &c->target->device);
  return FS_OK;
}

static enum fs_status run_sized(struct call *c, int64_t n) {
  struct fs_tensor *args[FS_USER_ARGS] = {0};
  enum fs_status st = FS_OK;
  for (int k = 0; k < c->u->n_args && !st; k++)
    st = operand(c, &c->u->arg[k], n, &args[k]);
  if (!st) st = run_all(c, args, n);
  for (int k = 0; k < c->u->n_args; k++) fs_tensor_unref(args[k]);
  return st;
}

/* A call takes what many take for each beyond the delay, which is what few take beyond
 * that. Each of the two is found with what the other was last: it changes little, since
 * many take far longer than a delay. */
static void tell_apart(struct call *c, const struct fs_work *few, double seconds) {
  enum { ROUNDS = 3 };
  const struct fs_device *d = &c->target->device;
  if (!fs_device_has_warps(d) || !c->u->by_instance) return;
  for (int k = 0; k < ROUNDS; k++) {
    c->delay = FS_MIN(fs_calibrate_delay(few, seconds, c->each, d), c->seconds / 2);
    c->each = fs_calibrate_call(&c->work, c->seconds - c->delay, d);
  }
}

static enum fs_status measure(struct call *c) {
  const struct fs_device_class *of = fs_device_class(&c->target->device);
  int64_t first = of->calls, most = of->most_calls;
  int64_t widest = c->u->result.count;
  for (int k = 0; k < c->u->n_args; k++)
    widest = FS_MAX(widest, c->u->arg[k].count);
  enum fs_status st = run_sized(c, first);
  if (st != FS_OK || c->seconds > LONG_RUN / 2) return st;
  double fits = (double)first * LONG_RUN / c->seconds, few_seconds = c->seconds;
  struct fs_work few = c->work;
  st = run_sized(c, (int64_t)FS_MIN(fits, (double)FS_MAX(most / widest, first)));
  if (st == FS_OK) tell_apart(c, &few, few_seconds);
  return st;
}

/* -- for the session ------------------------------------------------------------------- */

static void tell(struct fs_session *s, const struct call *c) {
  struct fs_str each = {0}, threads = {0};
  if (fs_device_has_warps(&c->target->device) && c->u->by_instance)
    fs_str_printf(&threads, " on %d thread%s", c->u->threads,
                  c->u->threads == 1 ? "" : "s");
  if (c->each > 0) fs_str_printf(&each, "%.3g ns", 1e9 * c->each);
  else fs_str_puts(&each, "nothing beyond its moves");
  fs_session_note(s, "function-measured", "%s%s was measured for predictions: a "
                  "call takes %s on %s", c->u->name, fs_str_text(&threads),
                  fs_str_text(&each),
                  c->target->device.name);
  fs_str_free(&each);
  fs_str_free(&threads);
}

void fs_session_measure_call(struct fs_session *s, const struct fs_user *u) {
  struct fs_calibration *known = fs_session_calibration(s);
  struct call c = {.u = u, .target = fs_session_target(s)};
  if (fs_ranks() > 1 || !known->measured || c.target->device.calibration != known ||
      fs_call_seconds(&c.target->device, u->hash) >= 0)
    return;
  fs_diags_init(&c.diags);
  c.runner = fs_runner_new(c.target);
  fs_runner_options(c.runner)->timed = true;
  fs_runner_options(c.runner)->apart = true;
  fs_call_keep(known, u->hash, 1, 0);
  enum fs_status st = measure(&c);
  /* What fails here fails in the statement too, which says why. */
  fs_call_keep(known, u->hash, st == FS_OK || c.seconds > 0 ? c.each : -1, c.delay);
  if (st == FS_OK) {
    const char *why = fs_calibration_save(known, &c.target->device);
    tell(s, &c);
    if (why)
      fs_session_note(s, "not-stored", "what it takes could not be stored: %s",
                      why);
  }
  fs_runner_free(c.runner);
  fs_diags_free(&c.diags);
}
