/* plan.c - a statement block's plan: calls, fusions, cover, slots.
 *
 *   graph -calls.c-> clusters -fuse.c, kernel.c-> candidates -cover.c-> kernels
 */
#include "core/plan/planner.h"

const char *const fs_scheme_names[] = {"flat", "row", "tile", "library"};

const char *const fs_strategy_names[] = {
  [FS_SMART] = "smart", [FS_MIN_SYNC] = "minsync",
  [FS_MIN_MEMORY] = "minmemory", [FS_NO_REORDER] = "noreorder",
  [FS_MANUAL] = "manual", [FS_FUSE_OFF] = "off"};

const char *const fs_rule_names[FS_RULE_COUNT] = {
  [FS_RULE_NONE] = "", [FS_RULE_LEVEL] = "level",
  [FS_RULE_CONVEX] = "convex", [FS_RULE_SHAPE] = "shape",
  [FS_RULE_ON_CHIP] = "on-chip", [FS_RULE_LIBRARY] = "library",
  [FS_RULE_BARRIER] = "barrier", [FS_RULE_ORDER] = "order",
  [FS_RULE_PIN] = "pin", [FS_RULE_APART] = "apart",
  [FS_RULE_DOMINATED] = "dominated", [FS_RULE_PRICE] = "price",
  [FS_RULE_LIMIT] = "limit"};

static void free_kernel(struct fs_kernel *k) {
  FS_VEC_FREE(&k->values);
  FS_VEC_FREE(&k->steps);
  FS_VEC_FREE(&k->accesses);
  FS_VEC_FREE(&k->calls);
}

void fs_plan_reject(struct fs_planner *p, fs_id a, fs_id b, const char *rule) {
  struct fs_plan *plan = p->plan;
  for (int k = 0; k < plan->rejections.len; k++)
    if (plan->rejections.data[k].a == a && plan->rejections.data[k].b == b)
      return;
  *FS_PUSH(&plan->rejections) =
      (struct fs_rejection){.a = a, .b = b, .rule = rule};
}

/* -- kernels in order ---------------------------------------------------------- */

static bool needs_copy(const struct fs_planner *p, fs_id update) {
  const struct fs_node *nd = fs_node(p->g, update);
  if (!nd->src[0]) return false;
  const struct fs_node *base = fs_node(p->g, nd->src[0]);
  const struct fs_call_info *info = &p->info[nd->src[0]];
  bool ours = base->kind != FS_ND_INPUT && base->kind != FS_ND_VIEW;
  return !(ours && info->n_uses == 1 && !info->is_output);
}

static void add_kernel(struct fs_planner *p, struct fs_kernel *k) {
  for (int c = 0; c < k->calls.len; c++) {
    fs_id id = k->calls.data[c];
    if (fs_node(p->g, id)->kind != FS_ND_UPDATE || !needs_copy(p, id)) continue;
    struct fs_kernel copy;
    fs_kernel_copy(p, id, &copy);
    *FS_PUSH(&p->plan->kernels) = copy;
  }
  *FS_PUSH(&p->plan->kernels) = *k;
}

static void free_candidates(struct fs_planner *p, const bool *taken) {
  for (int k = 0; k < p->candidates.len; k++)
    if (!taken || !taken[k]) free_kernel(&p->candidates.data[k].kernel);
  p->candidates.len = 0;
}

static bool plan_window(struct fs_planner *p, enum fs_strategy strategy) {
  bool complete = fs_plan_candidates(p, strategy);
  if (!complete) {
    free_candidates(p, NULL);
    return false;
  }
  p->plan->n_candidates += p->candidates.len;
  int rows = p->window_end - p->window;
  int *chosen = FS_NEW_N(p->arena, int, FS_MAX(rows, p->candidates.len));
  int n = fs_plan_cover(p, strategy, chosen);
  bool *taken = FS_NEW_N(p->arena, bool, p->candidates.len);
  for (int k = 0; k < n; k++) {
    taken[chosen[k]] = true;
    add_kernel(p, &p->candidates.data[chosen[k]].kernel);
  }
  free_candidates(p, taken);
  return true;
}

/* -- slots ------------------------------------------------------------------------ */

struct slots {
  struct fs_planner *p;
  int *of; /* per node: slot + 1 */
};

static int output_index(const struct fs_graph *g, fs_id base) {
  for (int k = 0; k < g->outputs.len; k++)
    if (fs_plan_base(g, g->outputs.data[k]) == base) return k;
  return -1;
}

static int slot_of(struct slots *s, fs_id id) {
  if (s->of[id]) return s->of[id] - 1;
  const struct fs_graph *g = s->p->g;
  const struct fs_node *nd = fs_node(g, id);
  if (nd->kind == FS_ND_UPDATE && nd->src[0] && !needs_copy(s->p, id)) {
    int base = slot_of(s, nd->src[0]); /* written in place */
    s->of[id] = base + 1;
    struct fs_slot *slot = &s->p->plan->slots.data[base];
    int out = output_index(g, id);
    if (out >= 0) slot->kind = FS_SLOT_RESULT, slot->index = out;
    return base;
  }
  struct fs_slot slot = {.kind = FS_SLOT_TEMP, .index = -1, .dtype = nd->dtype,
                         .shape = nd->shape, .first = -1,
                         .last = -1, .node = id};
  if (nd->kind == FS_ND_INPUT) {
    slot.kind = FS_SLOT_INPUT;
    slot.index = nd->slot;
    slot.layout = g->inputs.data[nd->slot].layout;
  } else {
    slot.layout = fs_layout_new(nd->dtype, &nd->shape, &slot.count);
    int out = output_index(g, id);
    if (out >= 0) slot.kind = FS_SLOT_RESULT, slot.index = out;
  }
  *FS_PUSH(&s->p->plan->slots) = slot;
  s->of[id] = s->p->plan->slots.len;
  return s->of[id] - 1;
}

static void touch(struct fs_plan *plan, int slot, int kernel) {
  struct fs_slot *s = &plan->slots.data[slot];
  if (s->first < 0) s->first = kernel;
  s->last = kernel;
}

static void number_slots(struct fs_planner *p) {
  struct fs_plan *plan = p->plan;
  struct slots s = {.p = p, .of = FS_NEW_N(p->arena, int, p->g->nodes.len)};
  for (int k = 0; k < plan->kernels.len; k++) {
    struct fs_kernel *kn = &plan->kernels.data[k];
    for (int a = 0; a < kn->accesses.len; a++) {
      kn->accesses.data[a].slot = slot_of(&s, (fs_id)kn->accesses.data[a].slot);
      touch(plan, kn->accesses.data[a].slot, k);
    }
    for (int l = 0; kn->scheme == FS_LIBRARY && l < 3; l++) {
      if (!kn->lib_slots[l]) {
        kn->lib_slots[l] = -1;
        continue;
      }
      kn->lib_slots[l] = slot_of(&s, (fs_id)kn->lib_slots[l]);
      touch(plan, kn->lib_slots[l], k);
    }
  }
  int n = FS_MAX(1, p->g->outputs.len);
  plan->result_slot = FS_NEW_N(plan->arena, int, n);
  plan->result_layout = FS_NEW_N(plan->arena, struct fs_layout, n);
  for (int k = 0; k < p->g->outputs.len; k++) {
    fs_id id = p->g->outputs.data[k];
    plan->result_slot[k] = slot_of(&s, fs_plan_base(p->g, id));
    plan->result_layout[k] = fs_plan_layout(p->g, id);
  }
}

/* -- figures ------------------------------------------------------------------------ */

static void sum_up(struct fs_planner *p) {
  struct fs_plan *plan = p->plan;
  for (int k = 0; k < plan->kernels.len; k++) {
    plan->predicted += plan->kernels.data[k].predicted;
    plan->bytes += plan->kernels.data[k].bytes_read +
                   plan->kernels.data[k].bytes_written;
  }
  for (int k = 0; k < plan->kernels.len; k++) {
    double live = 0;
    for (int s = 0; s < plan->slots.len; s++) {
      const struct fs_slot *sl = &plan->slots.data[s];
      bool now = sl->first <= k && (k <= sl->last || sl->kind == FS_SLOT_RESULT);
      if (sl->kind != FS_SLOT_INPUT && now)
        live += (double)sl->count * (double)fs_dtype_size(sl->dtype);
    }
    plan->peak_bytes = FS_MAX(plan->peak_bytes, live);
  }
}

/* What the block would take with a kernel for each call, for comparison. */
static void price_unfused(struct fs_planner *p) {
  struct fs_plan *plan = p->plan;
  for (int c = 0; c < p->calls.len; c++) {
    struct fs_kernel k;
    fs_id id = p->calls.data[c];
    if (p->info[id].role == FS_RL_LIBRARY) fs_kernel_library(p, id, &k);
    else if (fs_kernel_build(p, &id, 1, &k)) continue;
    plan->unfused_predicted += k.predicted;
    plan->unfused_bytes += k.bytes_read + k.bytes_written;
    plan->unfused_kernels++;
    free_kernel(&k);
  }
}

/* -- the planner ---------------------------------------------------------------------- */

static void init(struct fs_planner *p, const struct fs_graph *g,
                 const struct fs_device *device) {
  *p = (struct fs_planner){.g = g, .device = device, .arena = fs_arena_new()};
  size_t n = (size_t)g->nodes.len;
  p->holder = FS_NEW_N(p->arena, int, n);
  p->holder_stamp = FS_NEW_N(p->arena, int, n);
  p->member_stamp = FS_NEW_N(p->arena, int, n);
  p->plan = fs_calloc(1, sizeof *p->plan);
  p->plan->arena = fs_arena_new();
  p->plan->graph = g;
  p->plan->quality = "uncalibrated";
}

static void finish(struct fs_planner *p) {
  for (int c = 0; c < p->clusters.len; c++) {
    struct fs_cluster *cl = &p->clusters.data[c];
    FS_VEC_FREE(&cl->nodes);
    FS_VEC_FREE(&cl->before);
    FS_VEC_FREE(&cl->after);
    FS_VEC_FREE(&cl->beside);
  }
  FS_VEC_FREE(&p->clusters);
  FS_VEC_FREE(&p->calls);
  FS_VEC_FREE(&p->candidates);
  fs_arena_free(p->arena);
}

static void drop_plan(struct fs_plan *plan) {
  for (int k = 0; k < plan->kernels.len; k++) free_kernel(&plan->kernels.data[k]);
  FS_VEC_FREE(&plan->kernels);
  FS_VEC_FREE(&plan->slots);
  FS_VEC_FREE(&plan->rejections);
  FS_VEC_FREE(&plan->pins);
  fs_arena_free(plan->arena);
  free(plan);
}

/* Plans with these liberties; NULL if some cluster then has no kernel. */
static struct fs_plan *try_plan(const struct fs_graph *g,
                                const struct fs_device *device,
                                enum fs_strategy strategy, bool join,
                                bool repeat) {
  struct fs_planner p;
  init(&p, g, device);
  fs_plan_calls(&p, join, repeat);
  p.plan->n_calls = p.calls.len;
  bool ok = true;
  for (p.window = 0; ok && p.window < p.clusters.len; p.window = p.window_end) {
    p.window_end = FS_MIN(p.clusters.len, p.window + FS_MAX_SET);
    ok = plan_window(&p, strategy);
  }
  if (ok) {
    number_slots(&p);
    sum_up(&p);
    price_unfused(&p);
  } else {
    drop_plan(p.plan);
  }
  finish(&p);
  return ok ? p.plan : NULL;
}

struct fs_plan *fs_plan_make(struct fs_graph *simplified,
                             const struct fs_device *device,
                             const struct fs_plan_options *options) {
  enum fs_strategy strategy = options->strategy;
  double start = fs_now();
  struct fs_plan *plan = NULL;
  if (strategy != FS_FUSE_OFF)
    plan = try_plan(simplified, device, strategy, true, true);
  if (!plan) plan = try_plan(simplified, device, strategy, false, true);
  if (!plan) plan = try_plan(simplified, device, strategy, false, false);
  for (int k = 0; k < plan->kernels.len; k++)
    if (plan->kernels.data[k].scheme != FS_LIBRARY)
      fs_tune(&plan->kernels.data[k], device);
  for (int k = 0; k < options->n_pins; k++)
    *FS_PUSH(&plan->pins) = (struct fs_pin_result){.pin = options->pins[k]};
  plan->rank = 1;
  plan->plan_seconds = fs_now() - start;
  return plan;
}

int fs_plan_ranked(const struct fs_graph *simplified,
                   const struct fs_device *device,
                   const struct fs_plan_options *options, int k,
                   struct fs_plan **out) {
  if (k < 1) return 0;
  out[0] = fs_plan_make(fs_graph_copy(simplified), device, options);
  return 1;
}

void fs_plan_free(struct fs_plan *plan) {
  if (!plan) return;
  struct fs_graph *g = (struct fs_graph *)plan->graph;
  drop_plan(plan);
  fs_graph_free(g);
}
