/* plan.c - a statement block's plan: calls, fusions, cover, slots.
 *
 *   graph -calls/-> clusters -kernels/, cover/-> candidates -cover/-> kernels
 */
#include <math.h>

#include "core/base/account.h"
#include "core/base/sums.h"
#include "core/model/calibration.h"
#include "core/plan/cover/cover.h"
#include "core/plan/plan.h"

#include <stdio.h>

/* Combinations of which strategy minmemory takes the one of least peak. */
enum { MEMORY_CHOICES = 16 };

/* A block's plan being made. */
struct planner {
  struct fs_calls calls;
  struct fs_maker maker;
  struct fs_fusions fusions;
  struct fs_plan *plan;                /* being put together                 */
};

/* -- kernels in order ---------------------------------------------------------- */

static void add_kernel(struct planner *p, struct fs_kernel *k) {
  for (int c = 0; c < k->calls.len; c++) {
    struct fs_kernel copies[FS_MOST_COPIES];
    fs_id id = k->calls.data[c];
    if (fs_node(p->calls.g, id)->kind != FS_ND_UPDATE || !fs_plan_needs_copy(&p->calls, id))
      continue;
    int n = fs_kernel_copies(&p->maker, id, copies);
    for (int x = 0; x < n; x++) *FS_PUSH(&p->plan->kernels) = copies[x];
  }
  *FS_PUSH(&p->plan->kernels) = *k;
}

/* A kernel of a combination, free of the window that it was chosen in. */
struct part {
  int n;
  fs_id *calls;
  struct fs_impl impl;
};

/* A window's combinations, cheapest first. */
struct listed {
  int n;
  double *costs;
  int *lens;
  bool *varied;         /* has a kernel whose setting is not the best of its kind */
  struct part **parts;
};

static struct listed list_window(struct planner *p, int k) {
  struct fs_combination *found = FS_NEW_N(p->maker.arena, struct fs_combination, k + 1);
  struct listed l = {.n = fs_plan_combine(&p->fusions, k, found)};
  l.costs = FS_NEW_N(p->maker.arena, double, l.n + 1);
  l.lens = FS_NEW_N(p->maker.arena, int, l.n + 1);
  l.varied = FS_NEW_N(p->maker.arena, bool, l.n + 1);
  l.parts = FS_NEW_N(p->maker.arena, struct part *, l.n + 1);
  for (int c = 0; c < l.n; c++) {
    l.costs[c] = found[c].cost;
    l.lens[c] = found[c].n;
    l.parts[c] = FS_NEW_N(p->maker.arena, struct part, found[c].n + 1);
    for (int x = 0; x < found[c].n; x++) {
      struct fs_pick pick = found[c].picks[x];
      struct part *part = &l.parts[c][x];
      part->n = fs_plan_members(&p->fusions, &p->fusions.candidates.data[pick.candidate].set,
                                &part->calls);
      part->impl = p->fusions.impls.data[pick.impl];
      l.varied[c] |= pick.variant != part->impl.variant;
      part->impl.variant = pick.variant;
    }
  }
  return l;
}

static void add_parts(struct planner *p, const struct part *parts, int n) {
  for (int k = 0; k < n && !fs_interrupted(); k++) {
    struct fs_kernel kernel;
    fs_kernel_get(&p->maker, parts[k].calls, parts[k].n, &parts[k].impl, &kernel);
    add_kernel(p, &kernel);
  }
}

/* -- slots ------------------------------------------------------------------------ */

struct slots {
  struct planner *p;
  int *of;     /* per node: slot + 1 */
  int *output; /* per node: the first output that is it or a view of it, + 1 */
};

static int slot_of(struct slots *s, fs_id id) {
  if (s->of[id]) return s->of[id] - 1;
  const struct fs_graph *g = s->p->calls.g;
  const struct fs_node *nd = fs_node(g, id);
  if (nd->kind == FS_ND_UPDATE && nd->src[0] && !fs_plan_needs_copy(&s->p->calls, id)) {
    int base = slot_of(s, nd->src[0]); /* written in place */
    s->of[id] = base + 1;
    struct fs_slot *slot = &s->p->plan->slots.data[base];
    int out = s->output[id] - 1;
    if (out >= 0) slot->kind = FS_SLOT_RESULT, slot->index = out;
    return base;
  }
  struct fs_slot slot = {.kind = FS_SLOT_TEMP, .index = -1, .dtype = nd->dtype,
                         .shape = nd->shape, .first = -1,
                         .last = -1, .node = id};
  if (nd->kind == FS_ND_INPUT) {
    slot.kind = FS_SLOT_INPUT;
    slot.index = nd->slot;
    slot.layout = fs_graph_input_layout(g, nd->slot);
  } else {
    slot.layout = fs_layout_new(nd->dtype, &nd->shape, &slot.count);
    int out = s->output[id] - 1;
    if (out >= 0) slot.kind = FS_SLOT_RESULT, slot.index = out;
  }
  *FS_PUSH(&s->p->plan->slots) = slot;
  s->of[id] = s->p->plan->slots.len;
  return s->of[id] - 1;
}

static void number_slots(struct planner *p) {
  struct fs_plan *plan = p->plan;
  struct slots s = {.p = p, .of = FS_NEW_N(p->maker.arena, int, p->calls.g->nodes.len),
                    .output = FS_NEW_N(p->maker.arena, int, p->calls.g->nodes.len)};
  for (int k = p->calls.g->outputs.len - 1; k >= 0; k--)
    s.output[fs_plan_base(p->calls.g, p->calls.g->outputs.data[k])] = k + 1;
  FS_EACH_AT(&plan->kernels, kn) {
    for (int a = 0; a < kn->accesses.len; a++)
      kn->accesses.data[a].slot = slot_of(&s, (fs_id)kn->accesses.data[a].slot);
    for (int l = 0; kn->lib_node && l < FS_LIB_SLOTS; l++)
      kn->lib_slots[l] = kn->lib_slots[l] ? slot_of(&s, (fs_id)kn->lib_slots[l]) : -1;
  }
  fs_plan_touch_slots(plan);
  int n = FS_MAX(1, p->calls.g->outputs.len);
  plan->result_slot = FS_NEW_N(plan->arena, int, n);
  plan->result_layout = FS_NEW_N(plan->arena, struct fs_layout, n);
  for (int k = 0; k < p->calls.g->outputs.len; k++) {
    fs_id id = p->calls.g->outputs.data[k];
    plan->result_slot[k] = slot_of(&s, fs_plan_base(p->calls.g, id));
    plan->result_layout[k] = fs_plan_layout(p->calls.g, id);
  }
}

static int part_of(struct fs_plan *plan, int slot, fs_id update) {
  for (int k = 0; k < plan->slots.len; k++)
    if (plan->slots.data[k].kind == FS_SLOT_PART && plan->slots.data[k].node == update)
      return k;
  struct fs_slot part = plan->slots.data[slot];
  part.kind = FS_SLOT_PART;
  part.index = slot;
  part.count = 0;
  part.node = update;
  *FS_PUSH(&plan->slots) = part;
  return plan->slots.len - 1;
}

/* Gives updates whose part may lie elsewhere a pointer of their own. Comes when all is
 * decided that goes by which slot a kernel reads or writes. */
static void divide_slots(struct fs_plan *plan) {
  FS_EACH_AT(&plan->kernels, kn) {
    bool parts = !kn->copies || kn->copies == FS_COPIES_VALUE;
    for (int x = 0; parts && x < kn->accesses.len; x++) {
      struct fs_access *a = &kn->accesses.data[x];
      fs_id update = a->stored ? kn->steps.data[a->step].node : 0;
      if (a->stored && fs_node(plan->graph, update)->anchored)
        a->slot = part_of(plan, a->slot, update);
    }
  }
}

/* -- figures ------------------------------------------------------------------------ */

/* The most bytes that results and temporaries take at once. Whole numbers: the order of the
 * sums does not count. */
static double peak_of(struct planner *p, const struct fs_plan *plan) {
  int n = plan->kernels.len;
  double *change = FS_NEW_N(p->maker.arena, double, n + 2), live = 0, most = 0;
  FS_EACH_AT(&plan->slots, sl) {
    double bytes = (double)sl->count * (double)fs_dtype_size(sl->dtype);
    if (sl->kind == FS_SLOT_INPUT) continue;
    change[FS_MAX(sl->first, 0)] += bytes;
    if (sl->kind != FS_SLOT_RESULT) change[sl->last + 1] -= bytes;
  }
  for (int k = 0; k < n; k++) {
    live += change[k];
    most = FS_MAX(most, live);
  }
  return most;
}

/* What kernels take longer for their place in the plan. */
static void price_places(struct planner *p) {
  struct fs_plan *plan = p->plan;
  bool awake = false;
  fs_plan_price_changes(&p->maker, plan);
  for (int k = 0; k < plan->kernels.len && !awake; k++)
    awake = fs_kernel_wakes(&plan->kernels.data[k], p->maker.device);
  if (!plan->kernels.len) return;
  struct fs_kernel *first = &plan->kernels.data[0];
  first->first = first->predicted = first->first + fs_predict_start(p->maker.device);
}

static void sum_up(struct planner *p) {
  struct fs_plan *plan = p->plan;
  for (int k = 0; k < plan->kernels.len; k++) {
    plan->predicted += plan->kernels.data[k].predicted;
    plan->bytes += plan->kernels.data[k].bytes_read + plan->kernels.data[k].bytes_written;
  }
  plan->peak_bytes = peak_of(p, plan);
}

/* -- the planner ---------------------------------------------------------------------- */

static void open_planner(struct planner *p, const struct fs_graph *g,
                         const struct fs_device *device,
                         const struct fs_plan_options *options, bool join, bool repeat) {
  *p = (struct planner){.plan = NULL};
  fs_calls_make(&p->calls, g, options, join, repeat);
  fs_maker_open(&p->maker, &p->calls, device, options, !options->like);
  fs_fusions_open(&p->fusions, &p->maker);
}

static void finish(struct planner *p) {
  fs_fusions_close(&p->fusions);
  fs_maker_close(&p->maker);
  fs_calls_free(&p->calls);
}

static void drop_plan(struct fs_plan *plan) {
  for (int k = 0; k < plan->kernels.len; k++)
    fs_kernel_free(&plan->kernels.data[k]);
  FS_VEC_FREE(&plan->kernels);
  FS_VEC_FREE(&plan->slots);
  FS_VEC_FREE(&plan->found->rejections);
  FS_VEC_FREE(&plan->found->pins);
  FS_VEC_FREE(&plan->found->kernel_pins);
  fs_arena_free(plan->arena);
  free(plan);
}

/* Opens the plan that kernels are added to. */
static void begin_plan(struct planner *p, int rank) {
  struct fs_plan *plan = p->plan = fs_calloc(1, sizeof *p->plan);
  plan->arena = fs_arena_new();
  plan->found = FS_NEW(plan->arena, struct fs_findings);
  plan->graph = p->calls.g;
  snprintf(plan->found->quality, sizeof plan->found->quality, "%s",
           fs_model_quality(p->maker.device));
  plan->found->rank = rank;
  plan->found->n_calls = p->calls.list.len;
}

static void note(const struct planner *p, struct fs_plan *plan,
                 const struct fs_kernel_pin *pin, struct fs_kernel_pin_result *r) {
  for (int k = 0; k < plan->kernels.len; k++) {
    struct fs_kernel *kn = &plan->kernels.data[k];
    int64_t value[FS_TRAITS];
    if (kn->copies || fs_plan_kernel_pin(&p->maker, kn->calls.data, kn->calls.len) != pin)
      continue;
    fs_kernel_traits(p->calls.g, kn, value);
    if (!fs_traits_fit(r->pin.value, value)) continue;
    struct fs_str words = {0};
    fs_traits_put(r->pin.value, &words);
    kn->by_hand = fs_arena_strndup(plan->arena, fs_str_text(&words), words.len);
    fs_str_free(&words);
    r->kernel = k;
  }
}

/* Says in the plan which kernels are as pinned. */
static void note_kernel_pins(const struct planner *p, struct fs_plan *plan) {
  for (int k = 0; k < p->maker.options->n_kernel_pins; k++) {
    struct fs_kernel_pin pin = p->maker.options->kernel_pins[k];
    fs_id *calls = FS_NEW_N(plan->arena, fs_id, pin.n_calls + 1);
    memcpy(calls, pin.calls, sizeof *calls * (size_t)pin.n_calls);
    pin.calls = calls;
    struct fs_kernel_pin_result *r = FS_PUSH(&plan->found->kernel_pins);
    *r = (struct fs_kernel_pin_result){pin, -1};
    note(p, plan, &p->maker.options->kernel_pins[k], r);
  }
}

static void end_plan(struct planner *p) {
  struct fs_plan *plan = p->plan;
  number_slots(p);
  fs_plan_find_in_place(plan);
  fs_plan_copy_less(&p->maker, plan);
  fs_plan_join(&p->maker, plan, p->fusions.pins);
  fs_plan_find_in_place(plan);
  price_places(p);
  note_kernel_pins(p, plan);
  sum_up(p);
  divide_slots(plan);
  double reach = p->maker.device->calibration->reach;
  if (reach > 0 && p->calls.working_set > 1.5 * reach) /* an estimate, then */
    snprintf(plan->found->quality, sizeof plan->found->quality, "%.22s, estimated",
             fs_model_quality(p->maker.device));
  plan->found->strategy = p->maker.options->strategy;
  if (!p->maker.options->like) fs_plan_choice(plan);
  plan->any_size = p->maker.options->any_size;
  plan->found->n_candidates = (int)p->fusions.space.legal;
  plan->found->n_combinations = (int)FS_MIN(p->fusions.space.combinations, 2e9);
  p->fusions.space.combinations_more |= p->fusions.space.combinations > plan->found->n_combinations;
  plan->found->space = p->fusions.space;
  plan->found->space.implementations += p->maker.implementations;
  plan->found->space.pruned[FS_RULE_DOMINATED] += p->maker.dominated;
  for (int k = 0; k < p->fusions.rejections.len; k++)
    *FS_PUSH(&plan->found->rejections) = p->fusions.rejections.data[k];
  for (int k = 0; k < p->maker.options->n_pins; k++) {
    struct fs_pin_result r = p->fusions.pins[k];
    /* Pins that are possible alone can still forbid each other. */
    if (!r.rule && p->maker.options->strategy != FS_FUSE_OFF && r.a && r.b &&
        (fs_plan_kernel_of(plan, r.a) == fs_plan_kernel_of(plan, r.b)) != r.pin.together)
      r.rule = FS_RULE_PIN;
    *FS_PUSH(&plan->found->pins) = r;
  }
}

typedef FS_VEC(struct listed) windows;

static void build_plan(struct planner *p, int rank, const windows *w, const int *choice) {
  begin_plan(p, rank);
  for (int x = 0; x < w->len; x++)
    add_parts(p, w->data[x].parts[choice[x]], w->data[x].lens[choice[x]]);
  end_plan(p);
}

/* Plans of the k best choices of a combination for each window, on copies of the
 * graph but for the first. */
static int put_together(struct planner *p, const windows *w, int k, struct fs_plan **out) {
  int n = w->len;
  struct fs_arena *arena = p->maker.arena;
  const double **costs = FS_NEW_N(arena, const double *, n + 1);
  int *lens = FS_NEW_N(arena, int, n + 1), *index = FS_NEW_N(arena, int, k * (n + 1));
  double *sums = FS_NEW_N(arena, double, k);
  for (int x = 0; x < n; x++) {
    costs[x] = w->data[x].costs;
    lens[x] = w->data[x].n;
  }
  int found = fs_rank_sums(n, costs, lens, k, sums, index);
  p->fusions.space.listed = found;
  for (int f = 0; f < found; f++) {
    build_plan(p, f + 1, w, index + (size_t)f * (size_t)n);
    if (f) p->plan->graph = fs_graph_copy(p->calls.g);
    out[f] = p->plan;
  }
  return found;
}

/* -- by the price of joined launches ----------------------------------------------- */

/* Which kernels join a launch is known of a whole plan only. So combinations are
 * listed twice, by the sums of their kernels with a launch each, and as phases; of
 * both lists the plans are made, joined and priced. The first few of each decide what
 * is the first plan, however many are wanted and whether or not other settings are
 * listed: fewer of large blocks, of which to make a plan takes long. */
enum { MOST_HEADS = 4, HEADS_CLUSTERS = 22 };

static int heads_of(const struct planner *p) {
  return FS_MAX(1, FS_MIN(MOST_HEADS, HEADS_CLUSTERS / p->calls.clusters.len));
}

struct priced {
  struct fs_plan *plan;
  double seconds;
  int at;
  uint64_t choice;   /* of its text */
  bool again;        /* a better one is the same once it is joined */
};

static int by_price(const void *a, const void *b) {
  const struct priced *x = a, *y = b;
  if (x->seconds != y->seconds) return x->seconds < y->seconds ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

static double first_of(const struct fs_plan *plan) {
  double sum = 0;
  for (int k = 0; k < plan->kernels.len; k++)
    if (!fs_plan_leaves_out(plan, k)) sum += plan->kernels.data[k].first;
  return sum;
}

static uint64_t hash_of(const struct listed *l, int c) {
  uint64_t h = 1;
  for (int k = 0; k < l->lens[c]; k++) {
    const struct part *part = &l->parts[c][k];
    const struct fs_impl *impl = &part->impl;
    h = fs_hash(part->calls, sizeof *part->calls * (size_t)part->n, h);
    h = fs_hash(&impl->scheme, sizeof impl->scheme, h);
    h = fs_hash(&impl->inner, sizeof impl->inner, h);
    h = fs_hash(&impl->variant, sizeof impl->variant, h);
  }
  return h;
}

static int ascending(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Makes and prices the combinations of list `which`; those of the list before it
 * that come again are left out. */
static int price_list(struct planner *p, const windows *w, int which, struct priced *out, int n) {
  const struct listed *l = &w->data[which], *before = &w->data[0];
  windows one = {.data = (struct listed *)(uintptr_t)l, .len = 1};
  uint64_t *known = fs_malloc(sizeof *known * (size_t)(before->n + 1));
  int n_known = which ? before->n : 0, heads = heads_of(p), n_heads = 0;
  for (int c = 0; c < n_known; c++) known[c] = hash_of(before, c);
  qsort(known, (size_t)n_known, sizeof *known, ascending);
  for (int c = 0; c < l->n; c++) {
    uint64_t hash = hash_of(l, c);
    bool head = !l->varied[c] && n_heads < heads;
    int at = which * heads + (head ? n_heads++ : 2 * heads + c);
    if (n_known && bsearch(&hash, known, (size_t)n_known, sizeof *known, ascending))
      continue;
    build_plan(p, 1, &one, &c);
    const char *choice = p->plan->found->choice;
    out[n++] = (struct priced){p->plan, first_of(p->plan), at,
                               fs_hash(choice, strlen(choice), 1), false};
  }
  free(known);
  return n;
}

static int by_choice(const void *a, const void *b) {
  const struct priced *const *x = a, *const *y = b;
  if ((*x)->choice != (*y)->choice) return (*x)->choice < (*y)->choice ? -1 : 1;
  return (*x > *y) - (*x < *y); /* as they lie in their list */
}

/* Phases walk as the one that takes longest does: what differed in the settings of
 * others is the same then. */
static void find_again(struct priced *all, int n) {
  struct priced **sorted = fs_malloc(sizeof *sorted * (size_t)(n + 1));
  for (int x = 0; x < n; x++) sorted[x] = &all[x];
  qsort(sorted, (size_t)n, sizeof *sorted, by_choice);
  for (int x = 1; x < n; x++)
    sorted[x]->again = sorted[x]->choice == sorted[x - 1]->choice;
  free(sorted);
}

/* Which of the heads is the first plan. */
static int first_plan(const struct planner *p, const struct priced *all, int n) {
  int best = 0, heads = 2 * heads_of(p);
  for (int x = 1; x < n; x++)
    if (all[x].at < heads && by_price(&all[x], &all[best]) < 0) best = x;
  if (all[best].seconds > all[0].seconds * (1 - fs_share(FS_PLAN_WORTH_JOINING))) best = 0;
  double most = all[best].seconds * (1 + fs_share(FS_PLAN_WORTH_A_KERNEL));
  for (int x = 0; x < n; x++)
    if (all[x].at < heads && all[x].seconds < most &&
        all[x].plan->kernels.len < all[best].plan->kernels.len)
      best = x;
  return best;
}

/* The plan of the least price among the heads, then the others. */
static int put_by_price(struct planner *p, const windows *w, int k, struct fs_plan **out) {
  int n = 0;
  struct priced *all = fs_malloc(sizeof *all * (size_t)(w->data[0].n + w->data[1].n));
  for (int which = 0; which < 2; which++) n = price_list(p, w, which, all, n);
  int best = first_plan(p, all, n);
  struct priced first = all[best];
  all[best] = all[0];
  all[0] = first;
  if (n > 1) qsort(all + 1, (size_t)n - 1, sizeof *all, by_price);
  find_again(all, n);
  int found = 0;
  for (int x = 0; x < n; x++) {
    if (found == k || all[x].again) {
      drop_plan(all[x].plan);
      continue;
    }
    if (found) all[x].plan->graph = fs_graph_copy(p->calls.g);
    out[found++] = all[x].plan;
  }
  for (int x = 0; x < found; x++) out[x]->found->space.listed = found;
  free(all);
  return found;
}

/* Of each list, for k plans: some are the same when they are joined. */
static int listed_for(const struct planner *p, int k) {
  enum { MOST_SPARE = 64 };
  int spare = k > 1 ? FS_MIN(k, MOST_SPARE) : 0;
  return FS_MAX(k + spare, heads_of(p));
}

/* Whether the price of launches can decide: where it is known, of one window, under
 * strategies that go by time. */
static bool decides_by_price(const struct planner *p) {
  return fs_plan_may_join(&p->maker) && p->calls.clusters.len > 1 &&
         p->calls.clusters.len <= FS_MAX_SET &&
         (p->maker.options->strategy == FS_SMART || p->maker.options->strategy == FS_NO_REORDER);
}

/* Plans with these liberties; 0 if some cluster then has no kernel. */
static int try_plans(const struct fs_graph *g, const struct fs_device *device,
                     const struct fs_plan_options *options, bool join,
                     bool repeat, int k, struct fs_plan **out) {
  struct planner p;
  windows w = {0};
  open_planner(&p, g, device, options, join, repeat);
  bool ok = true, by_prices = p.fusions.by_prices = decides_by_price(&p);
  int wanted = by_prices ? listed_for(&p, k) : k;
  for (struct fs_fusions *f = &p.fusions; ok && f->end < p.calls.clusters.len;) {
    f->begin = f->end;
    int left = p.calls.clusters.len - f->begin, n = (left + FS_MAX_SET - 1) / FS_MAX_SET;
    f->end = f->begin + (left + n - 1) / n; /* windows of one size */
    f->candidates.len = f->impls.len = 0;
    f->as_phases = false;
    ok = fs_plan_candidates(f);
    if (!ok) break;
    fs_plan_count(f);
    *FS_PUSH(&w) = list_window(&p, wanted);
    f->as_phases = by_prices;
    if (by_prices) *FS_PUSH(&w) = list_window(&p, wanted);
  }
  int n = !ok ? 0 : by_prices ? put_by_price(&p, &w, k, out) : put_together(&p, &w, k, out);
  for (int x = 0; x < n; x++) out[x]->found->joins = join, out[x]->found->repeats = repeat;
  FS_VEC_FREE(&w);
  finish(&p);
  return n;
}

/* Whether the planner sees the calls of the plan's kernel as that has them. */
static bool knows(const struct planner *p, const struct fs_plan *plan, const struct fs_kernel *k) {
  bool all = plan->found->n_calls == p->calls.list.len;
  for (int c = 0; c < k->calls.len; c++)
    all &= p->calls.info[k->calls.data[c]].role == FS_RL_CALL;
  return all;
}

/* Whether threads that sleep are called by a kernel before it, as sum_up() has it. */
static bool finds_awake(const struct fs_plan *plan, const struct fs_kernel *kernel) {
  bool awake = false;
  for (const struct fs_kernel *k = plan->kernels.data; k < kernel; k++)
    awake |= fs_kernel_is_caller(k);
  return awake;
}

/* in: the plan that the kernel is part of, or NULL. */
static void put_words(struct fs_plan *plan, const struct fs_plan *in,
                      const struct fs_kernel *k, struct fs_setting *s) {
  struct fs_str text = {0};
  fs_kernel_put_routines(plan, k, &text);
  s->routines = fs_arena_strndup(plan->arena, fs_str_text(&text), text.len);
  fs_str_clear(&text);
  fs_kernel_put_walk(plan->graph, in, k, &text);
  s->walk = fs_arena_strndup(plan->arena, fs_str_text(&text), text.len);
  fs_str_free(&text);
}

static void add_setting(struct planner *p, struct fs_plan *plan, const struct fs_kernel *kernel,
                        const struct fs_impl *impl, fs_setting_list *out) {
  struct fs_kernel k;
  fs_kernel_make(&p->maker, kernel->calls.data, kernel->calls.len, impl, &k);
  if (!finds_awake(plan, kernel)) fs_kernel_wakes(&k, p->maker.device);
  struct fs_setting *s = FS_PUSH(out);
  *s = (struct fs_setting){.scheme = k.scheme, .m = k.space.m, .n = k.space.n,
                           .tune = k.tune, .first = k.first, .work = k.work};
  fs_kernel_traits(p->calls.g, &k, s->value);
  put_words(plan, NULL, &k, s);
  fs_kernel_free(&k);
}

/* In the order of cover.c: by what the planner counts them for. */
static void list_settings(struct planner *p, struct fs_plan *plan, const struct fs_kernel *kernel,
                          fs_setting_list *out) {
  FS_VEC(double) cost = {0};
  fs_impl_list impls = {0};
  p->maker.keep_all = true;
  fs_kernel_survey(&p->maker, kernel->calls.data, kernel->calls.len, &impls);
  for (int i = 0; i < impls.len; i++)
    for (int v = 0; v < impls.data[i].variants; v++) {
      struct fs_impl impl = impls.data[i];
      double mine = impl.each[v];
      impl.variant = v;
      add_setting(p, plan, kernel, &impl, out);
      struct fs_setting last = out->data[out->len - 1];
      int at = out->len - 1;
      *FS_PUSH(&cost) = mine;
      for (; at > 0 && cost.data[at - 1] > mine; at--) {
        cost.data[at] = cost.data[at - 1];
        out->data[at] = out->data[at - 1];
      }
      cost.data[at] = mine;
      out->data[at] = last;
    }
  FS_VEC_FREE(&cost);
  FS_VEC_FREE(&impls);
}

/* A kernel that was not chosen among these, since it serves other sizes, too, or was made
 * for others, is one of them as it is; unless it shares its launch, which settings do not. */
static void add_own_setting(struct fs_plan *plan, const struct fs_kernel *k, fs_setting_list *out) {
  int kernel = (int)(k - plan->kernels.data);
  struct fs_setting own = {.scheme = k->scheme, .m = k->space.m, .n = k->space.n,
                           .tune = k->tune, .first = k->first, .work = k->work};
  fs_kernel_traits(plan->graph, k, own.value);
  bool there = !out->len || k->joint != FS_LAUNCH || fs_launch_end(plan, kernel) > kernel + 1;
  for (int x = 0; x < out->len; x++)
    there |= !memcmp(out->data[x].value, own.value, sizeof own.value);
  if (there) return;
  put_words(plan, plan, k, &own);
  *FS_PUSH(out) = own;
}

void fs_plan_settings(struct fs_plan *plan, const struct fs_device *device,
                      const struct fs_plan_options *options, int kernel, fs_setting_list *out) {
  const struct fs_kernel *k = &plan->kernels.data[kernel];
  struct fs_plan_options free_of = *options;
  free_of.kernel_pins = NULL;
  free_of.n_kernel_pins = 0;
  bool found = k->lib_node || k->copies;
  for (int repeat = 1; repeat >= 0 && !found; repeat--) {
    struct planner p;
    open_planner(&p, plan->graph, device, &free_of, false, repeat);
    found = knows(&p, plan, k);
    if (found) list_settings(&p, plan, k, out);
    finish(&p);
  }
  double start = kernel == 0 ? fs_predict_start(device) : 0; /* as end_plan() has it */
  for (int x = 0; x < out->len; x++) out->data[x].first += start + k->change;
  add_own_setting(plan, k, out);
}

/* The least peak memory first, then as they were. */
static void sort_by_memory(struct fs_plan **plans, int n) {
  for (int k = 1; k < n; k++) {
    struct fs_plan *plan = plans[k];
    int at = k;
    for (; at > 0 && plans[at - 1]->peak_bytes > plan->peak_bytes; at--)
      plans[at] = plans[at - 1];
    plans[at] = plan;
  }
}

/* The first plan is the one that keeps the caller's graph. */
static void give_graph(struct fs_plan **plans, int n, const struct fs_graph *g) {
  for (int k = 1; k < n; k++) {
    if (plans[k]->graph != g) continue;
    plans[k]->graph = plans[0]->graph;
    plans[0]->graph = g;
  }
}

/* Keeps the graph: it is the first plan's. */
static int make_plans(struct fs_graph *g, const struct fs_device *device,
                      const struct fs_plan_options *o, int k, struct fs_plan **out) {
  double start = fs_now();
  bool keep = o->strategy == FS_FUSE_OFF || o->strategy == FS_NO_REORDER ||
              o->strategy == FS_MANUAL;
  bool memory = o->strategy == FS_MIN_MEMORY;
  int n = 0, wanted = memory ? FS_MAX(k, MEMORY_CHOICES) : k;
  struct fs_plan **plans = fs_calloc((size_t)wanted, sizeof *plans);
  if (!keep) n = try_plans(g, device, o, true, true, wanted, plans);
  if (!n) n = try_plans(g, device, o, false, true, wanted, plans);
  if (!n) n = try_plans(g, device, o, false, false, wanted, plans);
  if (memory) sort_by_memory(plans, n);
  give_graph(plans, n, g);
  for (int i = 0; i < n; i++) {
    plans[i]->found->plan_seconds = fs_now() - start;
    plans[i]->found->rank = i + 1;
    if (i < k) out[i] = plans[i];
    else fs_plan_free(plans[i]);
  }
  free(plans);
  return FS_MIN(n, k);
}

/* The plan of options->like for the sizes of this graph, or NULL: its kernels, of which
 * nothing is decided anew. */
static struct fs_plan *make_like(const struct fs_graph *g, const struct fs_device *device,
                                 const struct fs_plan_options *options) {
  const struct fs_plan *like = options->like;
  struct planner p;
  double start = fs_now();
  open_planner(&p, g, device, options, like->found->joins, like->found->repeats);
  begin_plan(&p, 1);
  bool ok = p.calls.list.len == like->found->n_calls && g->nodes.len == like->graph->nodes.len;
  for (int k = 0; ok && k < like->kernels.len; k++) {
    struct fs_kernel kernel;
    if (like->kernels.data[k].copies) continue; /* comes with its update */
    ok = fs_kernel_make_like(&p.maker, &like->kernels.data[k], &kernel);
    if (ok) add_kernel(&p, &kernel);
  }
  struct fs_plan *plan = p.plan;
  p.fusions.space = like->found->space;
  for (int k = 0; k < like->found->rejections.len; k++)
    *FS_PUSH(&p.fusions.rejections) = like->found->rejections.data[k];
  if (ok) {
    end_plan(&p);
    plan->found->joins = like->found->joins;
    plan->found->repeats = like->found->repeats;
    plan->found->like = true;
    plan->found->plan_seconds = fs_now() - start;
  } else {
    drop_plan(plan);
  }
  finish(&p);
  return ok ? plan : NULL;
}

/* -- without fusion ------------------------------------------------------------------ */

/* The kernels of the plan being put together that a run has. */
static void list_unfused(const struct planner *p, struct fs_plan *of) {
  struct fs_findings *f = of->found;
  f->unfused = FS_NEW_N(of->arena, struct fs_unfused, p->plan->kernels.len + 1);
  for (int k = 0; k < p->plan->kernels.len; k++) {
    const struct fs_kernel *kn = &p->plan->kernels.data[k];
    if (fs_plan_leaves_out(p->plan, k)) continue;
    struct fs_unfused *u = &f->unfused[f->unfused_kernels++];
    u->first = kn->work.unknown ? NAN : kn->first;
    fs_learned_name(&kn->work, u->name);
    f->unfused_predicted += u->first;
    f->unfused_bytes += kn->bytes_read + kn->bytes_written;
  }
}

void fs_plan_price_unfused(struct fs_plan *plan, const struct fs_device *device) {
  struct planner p;
  struct fs_findings *f = plan->found;
  if (f->unfused) return;
  struct fs_pin *pins = FS_NEW_N(plan->arena, struct fs_pin, f->pins.len + 1);
  for (int k = 0; k < f->pins.len; k++) pins[k] = f->pins.data[k].pin;
  struct fs_plan_options options = {.any_size = plan->any_size, .strategy = f->strategy,
                                    .pins = pins, .n_pins = f->pins.len};
  fs_interrupt_hold(true); /* half of it is no price */
  open_planner(&p, plan->graph, device, &options, f->joins, f->repeats);
  begin_plan(&p, 1);
  for (int c = 0; c < p.calls.list.len; c++) {
    struct fs_kernel k;
    struct fs_impl best;
    if (!fs_kernel_alone(&p.maker, p.calls.list.data[c], &best)) continue;
    fs_kernel_get(&p.maker, &p.calls.list.data[c], 1, &best, &k);
    add_kernel(&p, &k);
  }
  number_slots(&p);
  fs_plan_find_in_place(p.plan);
  price_places(&p);
  list_unfused(&p, plan);
  drop_plan(p.plan);
  finish(&p);
  fs_interrupt_hold(false);
}

static struct fs_plan *plan_anew(struct fs_graph *simplified, const struct fs_device *device,
                                 const struct fs_plan_options *options) {
  struct fs_plan *plan = NULL;
  if (options->choice) plan = fs_plan_chosen(simplified, device, options);
  if (plan) { /* on a copy: the graph was to be kept */
    fs_graph_free((struct fs_graph *)plan->graph);
    plan->graph = simplified;
  } else {
    make_plans(simplified, device, options, 1, &plan);
  }
  return plan;
}

struct fs_plan *fs_plan_make(struct fs_graph *simplified, const struct fs_device *device,
                             const struct fs_plan_options *options) {
  enum fs_part before = fs_account_to(FS_PART_PLANNING);
  struct fs_plan *plan = options->like ? make_like(simplified, device, options) : NULL;
  if (!plan) plan = plan_anew(simplified, device, options);
  fs_account_to(before);
  return plan;
}

int fs_plan_ranked(const struct fs_graph *simplified, const struct fs_device *device,
                   const struct fs_plan_options *options, int k, struct fs_plan **out) {
  if (k < 1) return 0;
  enum fs_part before = fs_account_to(FS_PART_PLANNING);
  int n = make_plans(fs_graph_copy(simplified), device, options, k, out);
  fs_account_to(before);
  return n;
}

void fs_plan_free(struct fs_plan *plan) {
  if (!plan) return;
  struct fs_graph *g = (struct fs_graph *)plan->graph;
  drop_plan(plan);
  fs_graph_free(g);
}
