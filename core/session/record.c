/* record.c - the blocks that an input runs: what was planned, what it was predicted to
 * cost and what it took. A block that runs many times in one input has one record. */
#include "core/plan/plan.h"
#include "core/run/blocks.h"
#include "core/session/internal.h"

#include <math.h>
#include <stdio.h>

enum { MAX_RECORDS = 200, COLLECT_EVERY = 256 };

/* -- the blocks of an input -------------------------------------------------- */

/* Where the work of a block was written: the same block at another place is a
 * plan of its own for the user. */
static struct fs_span place_of(const struct fs_block *block) {
  const struct fs_plan *plan = block->plan;
  for (int k = 0; k < plan->kernels.len; k++)
    if (plan->kernels.data[k].calls.len)
      return fs_node(plan->graph, plan->kernels.data[k].calls.data[0])->stmt;
  return (struct fs_span){0};
}

static bool is_of(const struct fs_plan_record *r,
                  const struct fs_block *block) {
  if (r->number != block->number) return false;
  struct fs_span at = place_of(block);
  return r->place.source == at.source && r->place.begin == at.begin && r->place.end == at.end;
}

static bool from_one_place(const struct fs_plan_record *a, const struct fs_plan_record *b) {
  return a->place.source == b->place.source && a->place.begin == b->place.begin &&
         a->place.end == b->place.end;
}

static bool same_place(const struct fs_plan_record *a, const struct fs_plan_record *b) {
  return a->number == b->number && from_one_place(a, b);
}

/* Where it is in a list, -1: nowhere; `likely` is looked at first. */
static int find_in(const struct fs_session *s, const fs_plan_records *list,
                   const struct fs_block *block, int likely) {
  const struct fs_runner *runner = fs_session_runner(s);
  for (int k = list->len, at = likely; k >= 0; at = --k)
    if (at < list->len && is_of(list->data[at], block) && list->data[at]->runner == runner)
      return at;
  return -1;
}

struct fs_plan_record *fs_session_find_record(struct fs_session *s,
                                          const struct fs_block *block) {
  int at = find_in(s, &s->records, block, s->found);
  if (at >= 0) s->found = at;
  return at >= 0 ? s->records.data[at] : NULL;
}

void fs_session_unref_record(struct fs_plan_record *r) {
  if (--r->refs) return;
  fs_session_drop_records(&r->late);
  json_decref(r->event);
  fs_graph_words_free(r->words);
  free(r->each);
  free(r->name);
  free(r);
}

void fs_session_drop_records(fs_plan_records *list) {
  for (int k = 0; k < list->len; k++) fs_session_unref_record(list->data[k]);
  FS_VEC_FREE(list);
}

/* How many blocks of a list come from where `r` does. */
static int count_before(const fs_plan_records *list, const struct fs_plan_record *r) {
  for (int k = list->len - 1; k >= 0; k--)
    if (from_one_place(list->data[k], r)) return list->data[k]->before + 1;
  return 0;
}

bool fs_session_shows(const struct fs_session *s, int k) {
  const struct fs_plan_record *r = s->records.data[k];
  if (r->before < FS_SHOWN_OF_PLACE || k == fs_session_main_plan(s)) return true;
  for (int i = k + 1; i < s->records.len; i++)
    if (from_one_place(s->records.data[i], r)) return false;
  return true;
}

/* Of a loop what is not shown goes first, of a long script its beginning, but for the
 * times. */
static void drop_one(struct fs_session *s) {
  int k = 0;
  while (k < s->records.len && s->records.data[k]->before < FS_SHOWN_OF_PLACE) k++;
  if (k == s->records.len) k = 0;
  struct fs_plan_record **at = s->records.data + k;
  if ((*at)->unread) fs_session_collect(s);
  fs_session_add_up(s, *at, &s->dropped);
  fs_session_unref_record(*at);
  s->records.len--;
  memmove(at, at + 1, sizeof *at * (size_t)(s->records.len - k));
}

struct fs_plan_record *fs_session_new_record(struct fs_session *s, fs_plan_records *list,
                                         struct fs_block *block, int number) {
  int n = block->plan->kernels.len;
  struct fs_plan_record *r =
      fs_calloc(1, sizeof *r + 2 * (size_t)n * sizeof(double));
  if (list == &s->records && list->len == MAX_RECORDS) drop_one(s);
  *r = (struct fs_plan_record){
      .refs = 1, .runner = fs_session_runner(s), .number = block->number,
      .place = place_of(block), .kept = block, .user_number = number, .n = n,
      .id = ++s->plan_ids, .cached = block->runs > 1};
  r->before = count_before(list, r);
  *FS_PUSH(list) = r;
  fs_session_correct(s, block->plan);
  r->predicted_all = block->plan->predicted;
  r->unfused = block->plan->found->unfused ? block->plan->found->unfused_predicted : NAN;
  for (int k = 0; k < n; k++) {
    r->first += block->plan->kernels.data[k].first;
    r->times[k] = block->plan->kernels.data[k].predicted;
    r->times[n + k] = -1;
  }
  return r;
}

/* Of several runs a kernel has the median of those that were warm; one has the times of
 * the run that was timed. */
static void choose_times(struct fs_plan_record *r, double *out) {
  for (int k = 0; k < r->n; k++) {
    out[k] = r->times[r->n + k];
    if (r->each && r->each[k].n && out[k] >= 0)
      out[k] = fs_times_quantile(&r->each[k], 0.5);
  }
  bool alone = r->n == 1 && r->warm.n && out[0] >= 0;
  if (alone) out[0] = fs_times_quantile(&r->warm, 0.5);
}

static void put_late(struct fs_session *s, struct fs_plan_record *r);

/* What is known only when the kernels have run. */
static void put_measured(struct fs_session *s, struct fs_plan_record *r) {
  if (!r->event) return;
  double *times = fs_malloc(((size_t)r->n + 1) * sizeof *times);
  choose_times(r, times);
  struct fs_measured m = {
    .times = times, .series = r->warm.n ? &r->warm : &r->all, .runs = r->runs,
    .quick = r->quick, .loops = r->loops, .arithmetic = r->arithmetic,
    .cold = r->all.n && !r->warm.n,
    .grain = fs_model_grain(&fs_runner_target(r->runner)->device)};
  fs_plan_event_measured(r->event, &m);
  json_object_set_new(r->event, "timed", json_integer(r->all.n));
  if (r->all.n) json_object_set_new(r->event, "total", json_real(r->all.sum));
  put_late(s, r);
  free(times);
}

static double corrected_unfused(const struct fs_session *s, const struct fs_plan *plan) {
  const struct fs_learned *l = fs_session_learned(s);
  double sum = 0; /* not a number where one of them depends on data */
  for (int k = 0; k < plan->found->unfused_kernels; k++)
    sum += plan->found->unfused[k].first * fs_learned_factor_of(l, plan->found->unfused[k].name);
  return sum;
}

/* In the words of its run. */
static json_t *describe_block(struct fs_session *s, struct fs_plan_record *r) {
  struct fs_graph *g = (struct fs_graph *)r->kept->plan->graph;
  if (r->words) fs_graph_exchange_words(g, r->words);
  json_t *event = fs_block_event(r->kept, r->cached, r->times, r->predicted_all, r->unfused,
                                 &s->diags, fs_runner_target(r->runner));
  if (r->words) fs_graph_exchange_words(g, r->words);
  return event;
}

json_t *fs_session_event_of(struct fs_session *s, struct fs_plan_record *r) {
  char id[32];
  if (r->event) return r->event;
  snprintf(id, sizeof id, "plan-%d", r->id);
  struct fs_plan *plan = r->kept->plan;
  if (isnan(r->unfused)) {
    fs_plan_price_unfused(plan, &fs_runner_target(r->runner)->device);
    r->unfused = corrected_unfused(s, plan);
  }
  r->event = describe_block(s, r);
  json_object_set_new(r->event, "id", json_string(id));
  json_object_set_new(r->event, "block", json_integer(r->user_number));
  if (r->is_late)
    json_object_set_new(r->event, "late_value",
                        r->name ? fs_json_text(r->name, strlen(r->name)) : json_string(""));
  if (r->runs && !r->block) put_measured(s, r);
  return r->event;
}

/* What it read and had to compute first, a row each. */
static void put_late(struct fs_session *s, struct fs_plan_record *r) {
  static const char *const keys[] = {"bytes", "first", "predicted", "measured", "ratio",
                                     "cold", "runs", "timed", "total", "block",
                                     "planned_s", "jit_s", "cached"};
  json_t *list = json_array();
  for (int k = 0; k < r->late.len; k++) {
    json_t *event = fs_session_event_of(s, r->late.data[k]), *row = json_object();
    json_t *kernels = json_object_get(event, "kernels");
    json_object_set(row, "name", json_object_get(event, "late_value"));
    json_object_set(row, "does", json_object_get(json_array_get(kernels, 0), "does"));
    for (size_t i = 0; i < FS_LEN(keys); i++)
      if (json_object_get(event, keys[i]))
        json_object_set(row, keys[i], json_object_get(event, keys[i]));
    json_array_append_new(list, row);
  }
  json_object_set_new(r->event, "late", list);
}

json_t *fs_session_events_of(struct fs_session *s,
                             const fs_plan_records *list) {
  json_t *all = json_array();
  for (int k = 0; k < list->len; k++)
    json_array_append(all, fs_session_event_of(s, list->data[k]));
  return all;
}

/* To describe a plan takes long, and mostly nobody looks. */
static void settle_record(struct fs_session *s, struct fs_plan_record *r,
                          enum fs_change change) {
  bool words = change == FS_OTHER_WORDS;
  if (words && !r->event && !r->words) r->words = fs_graph_words(fs_planned_graph(r->kept));
  if (!words) fs_session_event_of(s, r);
  if (change == FS_GONE) r->kept = r->block = NULL;
}

static void settle_list(struct fs_session *s, const fs_plan_records *list,
                        const struct fs_block *block, const struct fs_runner *runner,
                        enum fs_change change) {
  for (int k = 0; k < list->len; k++) {
    struct fs_plan_record *r = list->data[k];
    if (r->kept && (block ? r->kept == block : r->runner == runner))
      settle_record(s, r, change);
  }
  for (int k = 0; k < list->len; k++)
    if (list->data[k]->late.len)
      settle_list(s, &list->data[k]->late, block, runner, change);
}

static void settle(struct fs_session *s, const struct fs_block *block,
                   const struct fs_runner *runner, enum fs_change change) {
  settle_list(s, &s->records, block, runner, change);
  settle_list(s, &s->waiting, block, runner, change);
  settle_list(s, &s->last_plans, block, runner, change);
  settle_list(s, &s->past, block, runner, change);
}

void fs_session_settle(struct fs_session *s, struct fs_block *block, enum fs_change change) {
  settle(s, block, NULL, change);
  if (change == FS_GONE && s->last_block == block) s->last_block = NULL;
}

/* One block has one set of timers, wherever it is written. */
void fs_session_keep_times(struct fs_session *s, struct fs_block *block) {
  const struct fs_plan_record *r = fs_session_find_record(s, block);
  bool others = false;
  block->timed_runs = r ? r->timed : 0;
  if (!fs_run_is_timed(fs_session_runner(s), block)) return;
  for (int k = 0; k < s->records.len; k++) {
    const struct fs_plan_record *q = s->records.data[k];
    others |= q != r && q->block == block && q->unread;
  }
  if (!others) return;
  fs_session_collect(s);
  block->timed_runs = r ? r->timed : 0;
}

/* Of a block that was prepared just now: what its kernels take of a GPU. Those that
 * share a launch have only the figures of it. */
static void learn_registers(struct fs_session *s, const struct fs_block *block) {
  struct fs_learned *l = fs_session_learned(s);
  struct fs_target *t = fs_session_target(s);
  const struct fs_plan *plan = block->plan;
  for (int k = 0; l && t->ops->taken && k < plan->kernels.len; k++) {
    const struct fs_kernel *kn = &plan->kernels.data[k];
    bool alone = kn->joint == FS_LAUNCH && fs_launch_end(plan, k) == k + 1;
    struct fs_footprint guess = {0}, taken = {0};
    if (!alone || kn->lib_node || !block->codes[k]) continue;
    if (!t->ops->taken(t, block->codes[k], &taken)) continue;
    struct fs_home *places = fs_calloc((size_t)kn->values.len + 1, sizeof *places);
    t->ops->footprint(t, plan, kn, &guess, places);
    free(places);
    fs_learned_add_registers(l, &kn->work, guess.registers, taken.registers);
  }
}

static void add_times(struct fs_session *s, struct fs_plan_record *r, const struct fs_times *t,
                      bool cold) {
  fs_times_add_all(&r->all, t);
  if (!cold && !r->quick) fs_times_add_all(&r->warm, t);
  if (!r->is_late) fs_times_add_all(&s->kernels, t);
}

/* The times of the kernels in the block's last timed run. */
static void take_times(struct fs_plan_record *r, const struct fs_block *b) {
  size_t bytes = sizeof(double) * (size_t)r->n;
  if (!b->timed_cold || !r->each) memcpy(r->times + r->n, b->measured, bytes);
  if (b->timed_cold || b->quick) return;
  if (!r->each) r->each = fs_calloc((size_t)r->n + 1, sizeof *r->each);
  for (int k = 0; k < r->n; k++)
    if (b->measured[k] >= 0) fs_times_add(&r->each[k], b->measured[k]);
}

/* What a run of it is, without the copies that were not needed. */
static void count_kernels(struct fs_plan_record *r, const struct fs_block *block) {
  r->first = 0;
  for (int k = 0; k < r->n; k++) {
    const struct fs_kernel *kernel = &block->plan->kernels.data[k];
    if (block->bound->skip[k]) {
      r->spared += kernel->predicted;
      continue;
    }
    r->first += kernel->first;
    r->moves += kernel->bytes_read + kernel->bytes_written;
    r->launches += kernel->joint == FS_LAUNCH;
  }
}

/* Of several kernels the first whose loops are not compiled says how they run. */
static void take_loops(struct fs_session *s, struct fs_plan_record *r,
                       const struct fs_block *block) {
  const struct fs_target_ops *ops = fs_session_target(s)->ops;
  char said[sizeof r->loops];
  *r->loops = 0;
  for (int k = 0; ops->loops && k < block->plan->kernels.len; k++) {
    if (!block->codes[k] || !ops->loops(block->codes[k], said, sizeof said)) continue;
    if (!*r->loops || *said == 'i') memcpy(r->loops, said, sizeof said);
    if (*said == 'i') return;
  }
}

/* A run of the record's block is over, or was started. */
static void count_run(struct fs_session *s, struct fs_plan_record *r,
                      struct fs_block *block) {
  bool waits = fs_runner_waits(r->runner);
  if (!r->runs) count_kernels(r, block);
  r->runs += block->in_a_row;
  r->quick = block->quick;
  r->arithmetic = fs_target_arithmetic(fs_runner_target(r->runner));
  take_loops(s, r, block);
  r->block = r->kept = block;
  if (waits) add_times(s, r, &block->row, block->cold);
  if (block->timed_runs <= r->timed) return;
  r->timed = block->timed_runs;
  r->unread = true;
  if (waits) take_times(r, block);
}

/* The late values that were waiting for the block that reads them. */
static void take_late(struct fs_session *s, struct fs_plan_record *r) {
  for (int k = 0; k < s->waiting.len; k++) {
    struct fs_plan_record *late = s->waiting.data[k], *same = NULL;
    for (int i = 0; i < r->late.len && !same; i++)
      if (same_place(r->late.data[i], late)) same = r->late.data[i];
    if (!same) {
      *FS_PUSH(&r->late) = late;
      continue;
    }
    same->runs += late->runs;
    fs_times_add_all(&same->all, &late->all);
    fs_times_add_all(&same->warm, &late->warm);
    fs_session_unref_record(late);
  }
  s->waiting.len = 0;
}

static void set_last(struct fs_session *s, struct fs_block *block, struct fs_runner *runner) {
  s->last_block = block;
  s->last_runner = runner;
  fs_left_free(s->last_left);
  s->last_left = NULL;
}

void fs_session_record(struct fs_session *s, struct fs_block *block,
                       int number) {
  struct fs_plan_record *r = fs_session_find_record(s, block);
  s->last_number = number;
  set_last(s, block, fs_session_runner(s));
  if (!r) r = fs_session_new_record(s, &s->records, block, number);
  if (block->runs <= 1 && !block->plan->found->like) learn_registers(s, block);
  r->last = number;
  count_run(s, r, block);
  take_late(s, r);
  /* Blocks stay in the runner's cache for much longer than this. Where nothing was
   * measured, the device is not waited for. */
  int turns = s->blocks_run / COLLECT_EVERY;
  s->blocks_run += (int)block->in_a_row;
  if (s->blocks_run / COLLECT_EVERY == turns || !fs_run_waits(fs_session_runner(s))) return;
  fs_session_collect(s);
  for (int k = 0; k < s->records.len; k++) s->records.data[k]->timed = 0;
}

void fs_session_record_late(struct fs_session *s, struct fs_block *block,
                            const char *name) {
  int at = find_in(s, &s->waiting, block, 0);
  struct fs_plan_record *r = at >= 0 ? s->waiting.data[at] : NULL;
  if (!r) {
    r = fs_session_new_record(s, &s->waiting, block, s->last_number + 1);
    r->is_late = true;
    r->name = name ? fs_strdup(name) : NULL;
  }
  count_run(s, r, block);
}

/* Runs that touched new memory, or were a block's first, say nothing of the model. */
static void learn(struct fs_session *s, struct fs_block *block) {
  struct fs_learned *l = fs_session_learned(s);
  bool fresh = block->fresh;
  block->fresh = false;
  if (!l || !fresh || block->timed_cold) return;
  for (int k = 0; k < block->plan->kernels.len; k++)
    if (fs_launch_end(block->plan, k) == k + 1 && !block->plan->kernels.data[k].work.unknown &&
        block->plan->kernels.data[k].joint == FS_LAUNCH)
      fs_learned_add(l, &block->plan->kernels.data[k].work,
                     block->plan->kernels.data[k].first, block->measured[k]);
}

void fs_session_correct(const struct fs_session *s, struct fs_plan *plan) {
  const struct fs_learned *l = fs_session_learned(s);
  plan->predicted = 0;
  for (int k = 0; k < plan->kernels.len; k++) {
    struct fs_kernel *kernel = &plan->kernels.data[k];
    kernel->predicted = kernel->first * fs_learned_factor(l, &kernel->work);
    kernel->registers_factor = fs_learned_registers(l, &kernel->work);
    plan->predicted += kernel->predicted;
  }
  if (plan->found->unfused) plan->found->unfused_predicted = corrected_unfused(s, plan);
}

/* A run whose times were not known when it returned. */
static void take_run(struct fs_session *s, struct fs_plan_record *r) {
  double sum = 0;
  take_times(r, r->block);
  for (int k = 0; k < r->n; k++) sum += FS_MAX(r->block->measured[k], 0);
  struct fs_times one = {0};
  fs_times_add(&one, sum);
  add_times(s, r, &one, r->block->timed_cold);
}

static void collect_list(struct fs_session *s, fs_plan_records *list, bool well) {
  for (int k = 0; k < list->len; k++) {
    struct fs_plan_record *r = list->data[k];
    if (r->late.len) collect_list(s, &r->late, well);
    if (!r->block) continue;
    if (well && r->unread && !fs_runner_waits(r->runner)) take_run(s, r);
    if (well && !r->unread && !r->measured) /* none of its last runs was timed */
      memcpy(r->times + r->n, r->block->measured, sizeof(double) * (size_t)r->n);
    r->measured |= r->unread;
    if (well) learn(s, r->block);
    put_measured(s, r);
    r->block = NULL;
    r->unread = false;
  }
}

enum fs_status fs_session_collect(struct fs_session *s) {
  if (!s->records.len && !s->waiting.len) return FS_OK;
  enum fs_status st = fs_runner_sync(fs_session_runner(s), &s->diags);
  collect_list(s, &s->waiting, !st);
  collect_list(s, &s->records, !st);
  return st;
}

void fs_session_add_up(const struct fs_session *s, const struct fs_plan_record *r,
                       struct fs_totals *out) {
  double runs = (double)r->runs, grain = fs_model_grain(&fs_session_target(s)->device);
  double predicted = r->predicted_all - r->spared, warm = r->warm.sum / (double)r->warm.n;
  bool known = r->warm.n && FS_MIN(predicted, warm) >= grain;
  for (int k = 0; k < r->late.len; k++) fs_session_add_up(s, r->late.data[k], out);
  out->blocks++;
  out->runs += r->runs;
  out->timed += r->all.n;
  out->late_runs += r->is_late ? r->runs : 0;
  out->late_timed += r->is_late ? r->all.n : 0;
  out->launches += runs * r->launches;
  out->moves += runs * r->moves;
  out->first += runs * r->first;
  out->predicted += runs * predicted;
  out->measured += r->all.sum;
  if (!known) return;
  out->warm += r->warm.sum;
  out->warm_predicted += (double)r->warm.n * predicted;
}

/* By the first prediction, so that the choice does not change from run to run. */
static double weight(const struct fs_plan_record *r) {
  return (double)r->runs * r->first;
}

int fs_session_main_plan(const struct fs_session *s) {
  int from = fs_interp_before_last(s->in), best = s->records.len - 1;
  bool found = false;
  for (int k = s->records.len - 1; k >= 0; k--) {
    const struct fs_plan_record *r = s->records.data[k];
    if (r->last <= from) continue;
    if (found && weight(r) <= weight(s->records.data[best])) continue;
    best = k;
    found = true;
  }
  return best;
}

void fs_session_choose_block(struct fs_session *s) {
  int k = fs_session_main_plan(s);
  if (k < 0 || !s->records.data[k]->kept) return;
  set_last(s, s->records.data[k]->kept, s->records.data[k]->runner);
}

static void leave_device(struct fs_session *s) {
  if (!s->last_block) return;
  struct fs_left *left = fs_block_leave(s->last_block);
  set_last(s, NULL, NULL);
  s->last_left = left;
}

/* The last block on the device of now, without a run. */
static void prepare_last(struct fs_session *s) {
  struct fs_block *block;
  struct fs_runner *r = fs_session_runner(s);
  if (fs_run_prepare(r, s->last_left, &s->diags, &block, &s->diags) == FS_OK)
    set_last(s, block, r);
}

struct fs_block *fs_session_current_block(struct fs_session *s, struct fs_str *out) {
  fs_session_choose_block(s);
  if (s->last_runner != fs_session_runner(s)) leave_device(s);
  if (!s->last_block && s->last_left) prepare_last(s);
  if (s->last_block) {
    fs_session_correct(s, s->last_block->plan);
    return s->last_block;
  }
  fs_str_puts(out, "no statement has needed a kernel yet\n");
  return NULL;
}

void fs_session_forget_blocks(struct fs_session *s,
                              const struct fs_runner *runner) {
  if (s->last_runner == runner) leave_device(s);
  settle(s, NULL, runner, FS_GONE);
}

void fs_session_end_late(struct fs_session *s) {
  for (int k = 0; k < s->waiting.len; k++) {
    if (s->records.len == MAX_RECORDS) drop_one(s);
    s->waiting.data[k]->before = count_before(&s->records, s->waiting.data[k]);
    *FS_PUSH(&s->records) = s->waiting.data[k];
  }
  s->waiting.len = 0;
}

