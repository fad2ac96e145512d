/* run.c - graphs run as blocks: simplified, looked up or recalled, launched, timed. */
#include "core/run/launch.h"

#include "core/base/account.h"
#include "core/ranks/ranks.h"
#include "core/plan/plan.h"
#include "core/run/compile.h"
#include "core/run/layouts.h"
#include "core/run/memo.h"

enum {
  TIMED_RUNS = 3 /* of a block at one place between two syncs: a loop's later rounds
                    run without events, which cost more than a small launch  */
};

struct fs_runner *fs_runner_new(struct fs_target *target) {
  struct fs_runner *r = fs_calloc(1, sizeof *r);
  r->target = target;
  r->recall = fs_calloc(1, sizeof *r->recall);
  r->options = (struct fs_run_options){.strategy = FS_SMART, .timed = true,
                                       .heard = true};
  return r;
}

static void fs_blocks_forget_families(struct fs_runner *r) {
  for (int k = 0; k < r->families.len; k++) FS_VEC_FREE(&r->families.data[k].sizes);
  r->families.len = 0;
}

void fs_runner_clear(struct fs_runner *r) {
  fs_recall_clear(r->recall);
  for (int k = 0; k < r->blocks.len; k++)
    fs_block_free(r->blocks.data[k], r->target);
  r->blocks.len = r->timing.len = 0;
  memset(r->by_hash, 0, sizeof r->by_hash);
  r->nodes = 0;
  fs_blocks_forget_families(r);
}

void fs_runner_free(struct fs_runner *r) {
  if (!r) return;
  fs_runner_clear(r);
  FS_VEC_FREE(&r->blocks);
  FS_VEC_FREE(&r->timing);
  FS_VEC_FREE(&r->families);
  FS_VEC_FREE(&r->wholes);
  fs_tunings_free(r->tunings);
  free(r->recall);
  free(r);
}

struct fs_run_options *fs_runner_options(struct fs_runner *r) {
  return &r->options;
}

struct fs_epoch fs_run_epoch(const struct fs_runner *r, int64_t language) {
  return (struct fs_epoch){.runner = r, .strategy = r->options.strategy, .language = language};
}

struct fs_target *fs_runner_target(const struct fs_runner *r) {
  return r->target;
}

const struct fs_graph *fs_planned_graph(const struct fs_block *b) { return b->plan->graph; }
bool fs_block_computes(const struct fs_block *b) { return b->plan->kernels.len > 0; }

struct fs_block *fs_runner_last(const struct fs_runner *r) { return r->last; }

bool fs_runner_waits(const struct fs_runner *r) { return fs_target_waits(r->target); }

void fs_runner_cache_stats(const struct fs_runner *r, int64_t *hits,
                           int64_t *misses) {
  *hits = r->hits;
  *misses = r->misses;
}

/* -- running ---------------------------------------------------------------------- */

/* Events around each kernel keep the host and the device from running ahead. */
bool fs_run_is_timed(const struct fs_runner *r, const struct fs_block *b) {
  return r->options.timed && !b->untimed && b->timed_runs < TIMED_RUNS &&
         (r->options.heard || b->timed_in_all < TIMED_RUNS);
}

/* What all ranks must do alike, so that none waits for another: kernels and calls, in order. */
static uint64_t steps_of(const struct fs_plan *plan) {
  uint64_t hash = 0;
  for (int k = 0; fs_ranks() > 1 && k < plan->kernels.len; k++) {
    const struct fs_kernel *kn = &plan->kernels.data[k];
    hash = hash * 31 + (kn->lib_node ? 8u + fs_node(plan->graph, kn->lib_node)->op : 1);
  }
  return hash;
}

static enum fs_status run_block(struct fs_launch *l, bool timed,
                                struct fs_tensor **handles,
                                struct fs_diags *d) {
  struct fs_runner *r = l->r;
  fs_launch_clear(l);
  enum fs_status st = fs_launch_take_over(l, d);
  bool held = fs_launch_takes_over(l);
  if (st == FS_OK) st = fs_compile_rest(l->block, r->target, l->now->skip, d);
  for (int s = 0; fs_ranks() > 1 && st == FS_OK && s < l->block->plan->slots.len; s++)
    st = fs_launch_slot(l, s, d);
  st = fs_ranks_agree_on(st, steps_of(l->block->plan), d);
  if (held) fs_interrupt_hold(true);
  if (st == FS_OK) st = fs_launch_start(l, timed, d);
  if (held) fs_interrupt_hold(false);
  if (l->overwrites) fs_launch_end_overwriting(l, st == FS_OK);
  if (st == FS_OK && l->more && !timed && fs_runner_waits(l->r)) fs_launch_rounds(l, d);
  if (st == FS_OK) st = fs_launch_give_results(l, handles, d);
  if (st == FS_OK) fs_launch_remember_lists(l);
  if (st == FS_OK) fs_block_outlive(r, l->block);
  for (int s = 0; s < l->block->plan->slots.len; s++)
    fs_storage_unref(l->now->storages[s]);
  return st;
}

static void read_timers(struct fs_runner *r, struct fs_block *b) {
  for (int i = 0; i < b->plan->kernels.len; i++)
    b->measured[i] =
        b->left_out[i] ? FS_LEFT_OUT
        : b->codes[i] ? r->target->ops->timer_seconds(r->target, b->timers[i])
                      : 0; /* its launch has the time of all phases */
}

static void remember_timing(struct fs_runner *r, struct fs_block *b) {
  b->timed_runs++;
  b->timed_cold = b->cold;
  b->timed_in_all += b->timed_in_all < TIMED_RUNS && !b->quick;
  memcpy(b->left_out, b->bound->skip, (size_t)b->plan->kernels.len * sizeof *b->left_out);
  if (fs_runner_waits(r)) read_timers(r, b);
  for (int k = 0; k < r->timing.len; k++)
    if (r->timing.data[k] == b) return;
  *FS_PUSH(&r->timing) = b;
}

/* -- finding the block of a traced graph ---------------------------------------- */

/* For :tune, which runs the block again. */
static void remember_inputs(struct fs_block *b) {
  for (int k = 0; k < b->plan->graph->inputs.len; k++) {
    const struct fs_storage *s = b->bound->inputs[k]->storage;
    b->inputs[k] = (struct fs_block_input){s->serial, s->bytes};
  }
}

/* Where names, the order of statements or a chosen effort count, the graph is not all of it. */
bool fs_run_may_recall(const struct fs_runner *r) {
  return !r->options.n_pins && !r->options.n_kernel_pins && !r->options.effort &&
         r->options.strategy != FS_NO_REORDER &&
         r->options.strategy != FS_MANUAL;
}

/* The block of a graph that was traced before: nothing is simplified again. */
static struct fs_block *recall(struct fs_runner *r, struct fs_graph *g) {
  fs_graph_anchor(g);
  const struct fs_recalled *p = fs_recall_find(r->recall, g, fs_run_epoch(r, 0));
  if (!p) return NULL;
  fs_recall_move(p, g);
  struct fs_block *b = p->memo.life->block;
  int n_inputs = b->plan->graph->inputs.len;
  int n_params = b->plan->graph->params.len;
  for (int k = 0; k < n_inputs; k++)
    b->bound->inputs[k] = g->inputs.data[p->from[k]].tensor;
  for (int k = 0; k < n_params; k++) {
    int from = p->from[n_inputs + k];
    b->bound->params[k] = (from < 0 ? b->plan->graph : g)->params.data[from < 0 ? k : from];
  }
  b->last_used = ++r->clock;
  r->hits++;
  return b;
}

static void drop_wholes(struct fs_runner *r) {
  FS_EACH_AT(&r->wholes, t) fs_tensor_unref(*t);
  r->wholes.len = 0;
}

/* Inputs of which no rank could read its part become whole, those of one array once; where
 * nothing is run (no `d`), they are taken to be. */
static enum fs_status make_whole(struct fs_runner *r, struct fs_graph *g, struct fs_diags *d) {
  enum fs_status st = FS_OK;
  bool *wants = fs_calloc((size_t)g->inputs.len + 1, sizeof *wants);
  for (int k = 0; k < g->inputs.len; k++) wants[k] = fs_graph_wants_whole(g, k);
  for (int k = 0; k < g->inputs.len && st == FS_OK; k++) {
    const void *cut = g->inputs.data[k].storage;
    struct fs_tensor *t = NULL;
    if (!wants[k]) continue;
    if (d) st = fs_tensor_whole(g->inputs.data[k].tensor, &t, d);
    if (t) *FS_PUSH(&r->wholes) = t;
    for (int j = k; j < g->inputs.len && st == FS_OK; j++) {
      struct fs_graph_input *other = &g->inputs.data[j];
      if (other->storage != cut || !wants[j]) continue;
      wants[j] = false;
      other->cut = (struct fs_cut){0};
      if (t) other->tensor = t, other->storage = t->storage;
    }
  }
  free(wants);
  return st;
}

/* The graph of this rank's parts; axes: of the outputs. */
static struct fs_graph *take_part(struct fs_graph *whole, const struct fs_links *links,
                                  struct fs_graph **axes) {
  *axes = fs_graph_partition(whole, links);
  struct fs_graph *own = fs_graph_simplify(*axes);
  fs_graph_place(own);
  fs_graph_free(whole);
  return own;
}

/* The graph that is planned. */
static enum fs_status simplify(struct fs_runner *r, const struct fs_graph *g,
                               struct fs_graph **out, struct fs_diags *d) {
  const struct fs_plan_options o = {.strategy = r->options.strategy, .effort = r->options.effort};
  struct fs_graph *simple = fs_graph_simplify(g), *axes = NULL;
  const struct fs_links links = fs_device_links(&r->target->device);
  if (fs_graph_is_cut(simple, &links)) {
    enum fs_status st = make_whole(r, simple, d);
    if (st != FS_OK) {
      fs_graph_free(simple);
      return st;
    }
    simple = take_part(simple, &links, &axes);
  }
  *out = fs_products_choose(&r->products, simple, &r->target->device, &o);
  for (int k = 0; axes && k < axes->output_axes.len; k++) {
    *FS_PUSH(&(*out)->output_axes) = axes->output_axes.data[k];
    *FS_PUSH(&(*out)->output_extents) = axes->output_extents.data[k];
  }
  fs_graph_free(axes);
  return FS_OK;
}

/* Simplifies the graph, and finds or compiles its block. */
static enum fs_status bind(struct fs_runner *r, const struct fs_graph *g,
                           const struct fs_diags *sources,
                           struct fs_block **out, struct fs_diags *d) {
  struct fs_graph *simple = NULL;
  enum fs_status st = simplify(r, g, &simple, d);
  if (st != FS_OK) return st;
  if (fs_interrupted()) { /* simplifying was cut short */
    fs_graph_free(simple);
    return FS_INTERRUPTED;
  }
  st = fs_block_find(r, simple, sources, out, d);
  if (st != FS_OK) return st; /* fs_compile() freed the graph */
  struct fs_bound *now = (*out)->bound;
  for (int k = 0; k < simple->inputs.len; k++)
    now->inputs[k] = simple->inputs.data[k].tensor;
  for (int k = 0; k < simple->params.len; k++)
    now->params[k] = simple->params.data[k];
  bool recalls = fs_run_may_recall(r) && !simple->output_axes.len;
  if (recalls) fs_recall_put(r->recall, g, simple, *out, fs_run_epoch(r, 0));
  if ((*out)->plan->graph != simple) fs_graph_free(simple);
  return FS_OK;
}

static bool is_quick(const struct fs_runner *r, const struct fs_block *b) {
  const struct fs_target_ops *ops = r->target->ops;
  for (int k = 0; ops->is_quick && k < b->plan->kernels.len; k++)
    if (b->codes[k] && ops->is_quick(b->codes[k])) return true;
  return false;
}

/* What was described of quick code is not so of full code. */
static void look_at_code(const struct fs_runner *r, struct fs_block *b) {
  bool before = b->quick;
  b->quick = is_quick(r, b);
  if (!before || b->quick || !b->drop_described) return;
  b->drop_described(b->described);
  b->described = NULL;
}

/* Runs a block whose inputs and params are bound. traced, dying: of struct fs_launch. */
static enum fs_status run_bound(struct fs_runner *r, struct fs_block *b,
                                const struct fs_graph *traced, const bool *dying,
                                struct fs_tensor **handles, struct fs_rounds *more,
                                struct fs_diags *d) {
  struct fs_launch l = {.r = r, .block = b, .traced = traced, .dying = dying, .now = b->bound,
                     .more = more};
  remember_inputs(b);
  bool timed = fs_run_is_timed(r, b);
  int64_t touched = fs_account.touched;
  enum fs_status st = run_block(&l, timed, handles, d);
  if (st != FS_OK) return st;
  b->cold = !b->runs || fs_account.touched > touched;
  r->last = b;
  if (b->quick || !b->runs) look_at_code(r, b);
  b->in_a_row = 1 + (more ? more->done : 0);
  b->runs += b->in_a_row;
  if (timed) remember_timing(r, b);
  return FS_OK;
}

enum fs_status fs_run_graph(struct fs_runner *r, struct fs_graph *g,
                            struct fs_tensor **handles,
                            const struct fs_diags *sources,
                            struct fs_block **out, struct fs_diags *d) {
  struct fs_block *b = fs_run_may_recall(r) ? recall(r, g) : NULL;
  enum fs_status st = b ? FS_OK : bind(r, g, sources, &b, d);
  if (st != FS_OK) { /* where the others have got further than this rank */
    drop_wholes(r);
    return fs_ranks_agree(st, d);
  }
  if (out && r->options.launching) r->options.launching(r->options.user, b);
  st = run_bound(r, b, g, NULL, handles, NULL, d);
  drop_wholes(r);
  if (st == FS_OK && out) *out = b;
  return st;
}

/* -- without a graph -------------------------------------------------------------- */

enum fs_status fs_run_again(struct fs_runner *r, struct fs_block *b,
                            struct fs_tensor *const *inputs, const bool *dying,
                            const struct fs_number *params, const fs_anchor_list *anchors,
                            struct fs_tensor **handles, struct fs_rounds *more,
                            struct fs_diags *d) {
  struct fs_graph *g = (struct fs_graph *)b->plan->graph;
  fs_graph_put_anchors(g, anchors);
  for (int k = 0; k < g->inputs.len; k++)
    b->bound->inputs[k] = (struct fs_tensor *)inputs[k];
  for (int k = 0; k < g->params.len; k++) b->bound->params[k] = params[k];
  b->last_used = ++r->clock;
  r->hits++;
  if (r->options.launching) r->options.launching(r->options.user, b);
  return run_bound(r, b, NULL, dying, handles, more, d);
}

struct fs_plan *fs_explain_graph(struct fs_runner *r, struct fs_graph *g,
                                 const struct fs_diags *sources,
                                 bool (*seen)(void *user, uint64_t hash), void *user) {
  struct fs_graph *simple = NULL;
  simplify(r, g, &simple, NULL);
  struct fs_plan_request q = fs_plan_request(r, simple, sources);
  uint64_t hash = fs_block_hash(&q.options, simple);
  struct fs_plan *plan = NULL;
  if (fs_interrupted() || (seen && seen(user, hash))) {
    fs_graph_free(simple);
  } else {
    q.options.choice = fs_block_tuned_choice(r, hash, NULL);
    plan = fs_plan_make(simple, &r->target->device, &q.options);
    fs_plan_mark_tuned(plan, q.options.choice);
  }
  fs_plan_request_free(&q);
  return plan;
}

bool fs_run_waits(const struct fs_runner *r) { return r->timing.len > 0; }

enum fs_status fs_runner_sync(struct fs_runner *r, struct fs_diags *d) {
  enum fs_status st = r->target->ops->sync(r->target, d);
  for (int k = 0; k < r->timing.len && st == FS_OK; k++) {
    struct fs_block *b = r->timing.data[k];
    b->timed_runs = 0;
    b->fresh = !b->quick;
    read_timers(r, b);
  }
  r->timing.len = 0;
  return st;
}
