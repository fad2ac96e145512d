/* contest.c - the last block run again beside itself: `:again`, `:race [k]` and `:check`; and as
 * another plan from now on: `:choose k`. */
#include "core/session/internal.h"

#include <math.h>
#include <stdlib.h>

#include "core/model/predict.h"
#include "core/plan/plan.h"
#include "core/run/agree.h"
#include "core/run/blocks.h"
#include "core/run/compile.h"
#include "core/run/search.h"
#include "core/view/view.h"

enum {
  USUAL_RUNS = 20, MOST_RUNS = 10000,
  USUAL_PLANS = 3, MOST_PLANS = 32, /* beside the one in use and the one without fusion */
  RACE_RUNS = 40, CHECK_RUNS = 1
};
static const double RACE_SECONDS = 0.5; /* ... for each plan, if it takes long */

enum special { IN_USE = 0, NO_FUSION = -1, NO_PINS = -2, LIBRARY = -3 };

struct contest {
  struct fs_session *s;
  struct fs_block *block;   /* in use */
  struct fs_plan *plans[MOST_PLANS + 3]; /* the others, until the search has them */
  int rank[MOST_PLANS + 4]; /* of each that runs: of fs_plan_ranked(), or enum special */
  int n;                    /* of `plans` */
  struct fs_search found;
  struct fs_agreement agree[MOST_PLANS + 4];
};

/* -- who takes part ------------------------------------------------------------------ */

/* Nothing where there is no block that can run again; then words say so. */
static struct fs_block *the_block(struct fs_session *s, struct fs_words *c) {
  struct fs_block *b = fs_session_current_block(s, c->out);
  if (b && !b->plan->kernels.len) {
    fs_str_puts(c->out, "the last block needs no kernel\n");
    return NULL;
  }
  return b;
}

static bool is_among(const struct contest *c, const struct fs_plan *plan) {
  bool same = fs_session_same_plan(c->block->plan, plan);
  for (int k = 0; k < c->n; k++) same |= fs_session_same_plan(c->plans[k], plan);
  return same;
}

static void take(struct contest *c, struct fs_plan *plan, int rank) {
  if (is_among(c, plan)) {
    fs_plan_free(plan);
    return;
  }
  c->plans[c->n++] = plan;
  c->rank[c->n] = rank;
}

/* What the planner would do where nothing is held together, apart, or aimed at. */
static void take_free(struct contest *c, const struct fs_plan_options *held) {
  struct fs_plan_options options = {.strategy = FS_SMART, .effort = held->effort};
  bool any = held->n_pins || held->n_kernel_pins || held->strategy != FS_SMART;
  struct fs_plan *plan = any ? fs_plan_make(fs_graph_copy(c->block->plan->graph),
                                            &fs_session_target(c->s)->device, &options) : NULL;
  if (plan) take(c, plan, NO_PINS);
}

/* One operation after the other, products with vectors as calls of the library. */
static void take_library(struct contest *c) {
  struct fs_graph *calls = fs_graph_as_calls(c->block->plan->graph);
  if (!calls) return;
  take(c, fs_session_unfused_plan(c->s, calls), LIBRARY);
  fs_graph_free(calls);
}

static void take_alternatives(struct contest *c, const struct fs_plan *unfused, int k) {
  struct fs_session *s = c->s;
  struct fs_plan *plans[MOST_PLANS + 1];
  struct fs_plan_request q = fs_plan_request(fs_session_runner(s), c->block->plan->graph, &s->diags);
  int n = fs_plan_ranked(c->block->plan->graph, &fs_session_target(s)->device, &q.options, k + 1,
                         plans);
  take_free(c, &q.options);
  for (int x = 0; x < n; x++) {
    if (c->n < k + (c->n && c->rank[1] == NO_PINS) && !fs_session_same_plan(plans[x], unfused)) take(c, plans[x], x + 1);
    else fs_plan_free(plans[x]);
  }
  fs_plan_request_free(&q);
}

/* -- running ------------------------------------------------------------------------- */

static enum fs_status run(struct contest *c, int repeats, double seconds, bool compare) {
  struct fs_session *s = c->s;
  struct fs_progress p = {s, compare ? "race" : "again", fs_now(), 0};
  struct fs_search_options o = {.race = c->block, .plans = c->plans, .n_plans = c->n,
                                .repeats = repeats, .seconds = seconds,
                                .progress = fs_session_on_progress, .user = &p};
  enum fs_status st = fs_session_collect(s);
  if (st == FS_OK) st = fs_compile_rest(c->block, fs_session_target(s), NULL, &s->diags);
  if (st != FS_OK) return st;
  st = fs_search_block(s->last_runner, c->block, &o, &s->diags, &c->found, &s->diags);
  c->n = 0; /* the search has them */
  if (st == FS_OK && c->found.interrupted) fs_interrupt_clear();
  if (st != FS_OK || !compare) return st;
  struct fs_block *blocks[MOST_PLANS + 4];
  for (int k = 0; k < c->found.list.len; k++) blocks[k] = c->found.list.data[k].block;
  return fs_agree(s->last_runner, c->block, blocks, c->found.list.len, &s->diags, c->agree,
                  &s->diags);
}

static void finish(struct contest *c) {
  for (int k = 0; k < c->n; k++) fs_plan_free(c->plans[k]);
  fs_search_free(&c->found);
}

/* -- words --------------------------------------------------------------------------- */

static void put_seconds(struct fs_str *out, int width, double seconds) {
  struct fs_str cell = {0};
  if (seconds >= 0) fs_str_put_seconds(&cell, seconds);
  else fs_str_puts(&cell, "-");
  fs_str_put_right(out, width, &cell);
  fs_str_free(&cell);
}

/* Half of the range in which half of the runs lie, in shares of the median: "8 %". */
static void put_spread(struct fs_str *out, const struct fs_candidate *m) {
  fs_str_printf(out, "  %4.0f %%", 50 * (m->high - m->low) / m->measured);
}

/* The time that nothing could do without, in seconds; not a number: it is not known. */
static double limit_of(const struct contest *c, const struct fs_candidate *m) {
  double limit = 0;
  const struct fs_plan *plan = m->block ? m->block->plan : NULL;
  for (int k = 0; plan && k < plan->kernels.len; k++) {
    const struct fs_kernel *kn = &plan->kernels.data[k];
    double one = kn->work.unknown || fs_plan_leaves_out(plan, k)
                     ? 0 : fs_predict_limit(&kn->work, kn->bound, &c->found.target->device);
    limit = one > 0 || fs_plan_leaves_out(plan, k) ? limit + one : NAN;
  }
  return limit > 0 ? limit : NAN;
}

/* Its share of what the plan took: "62 %". */
static void put_share(const struct contest *c, struct fs_str *out, const struct fs_candidate *m) {
  double limit = limit_of(c, m);
  if (isfinite(limit)) fs_str_printf(out, "  %3.0f %%", 100 * limit / m->measured);
  else fs_str_puts(out, "      -");
}

/* By rank: of a plan that has one, "plan". */
static const char *name_of(int rank) {
  static const char *const names[] = {[-IN_USE] = "in use", [-NO_FUSION] = "no fusion",
                                      [-NO_PINS] = "no pins", [-LIBRARY] = "library"};
  return rank > 0 ? "plan" : names[-rank];
}

static void put_name(struct fs_str *out, int rank) {
  if (rank > 0) fs_str_printf(out, "%s %-5d", name_of(rank), rank);
  else fs_str_printf(out, "%-10s", name_of(rank));
}

/* Of the largest element, or none: "3.1e-08", "none". */
static void put_error(struct fs_str *out, double error) {
  if (error > 0) fs_str_printf(out, "%.1e", error);
  else fs_str_puts(out, "none");
}

static void put_bits(struct fs_str *out, const struct fs_agreement *g, bool narrow) {
  if (!g->compared) fs_str_puts(out, "not compared");
  else if (!g->differ) fs_str_puts(out, narrow ? "same bits" : "the same bits");
  else if (narrow) fs_str_printf(out, "%lld differ", (long long)g->differ);
  else
    fs_str_printf(out, "%lld of %lld elements differ", (long long)g->differ,
                  (long long)g->elements);
}

/* What a screen has room for: all columns; without the limit; without what was predicted and
 * the spread; only the time, the speed and the bits. */
enum room { ALL, NO_LIMIT, FEW, LEAST };
enum { WORDS_FROM = 108 }; /* columns: then what differs is said in words */

static enum room room_of(const struct fs_session *s) {
  int width = s->show.width;
  return width >= 88 ? ALL : width >= 77 ? NO_LIMIT : width >= 58 ? FEW : LEAST;
}

static void put_heads(const struct contest *c, enum room room, struct fs_str *out) {
  fs_str_printf(out, "%10s", "");
  if (room < LEAST) fs_str_puts(out, "  kernels");
  if (room < FEW) fs_str_puts(out, "  predicted");
  fs_str_puts(out, "     median");
  if (room < FEW) fs_str_puts(out, "  spread");
  fs_str_printf(out, "       %s", c->s->show.ascii ? "x" : "×");
  if (room < NO_LIMIT) fs_str_puts(out, "  limit");
  if (room < LEAST) fs_str_puts(out, "    error");
  fs_str_puts(out, "\n");
}

static void put_shared_error(const struct contest *c, struct fs_str *out, int k) {
  struct fs_str cell = {0};
  if (c->agree[k].has_error) put_error(&cell, c->agree[k].error);
  fs_str_puts(out, "  ");
  fs_str_put_right(out, 7, &cell);
  fs_str_free(&cell);
}

static void put_racer(struct contest *c, enum room room, struct fs_str *out, int k) {
  const struct fs_candidate *m = &c->found.list.data[k];
  const struct fs_plan *plan = m->block ? m->block->plan : NULL;
  double first = c->found.list.data[0].measured;
  double predicted = plan ? fs_plan_expects(plan).predicted : NAN;
  put_name(out, c->rank[k]);
  if (room < LEAST) fs_str_printf(out, "  %7d", m->kernels);
  if (room < FEW) fs_str_puts(out, "  ");
  if (room < FEW) put_seconds(out, 9, isnan(predicted) ? -1 : predicted);
  fs_str_puts(out, "  ");
  put_seconds(out, 9, m->measured);
  if (m->measured < 0) {
    fs_str_printf(out, "  did not run: %s\n", m->trouble ? m->trouble : "it was stopped");
    return;
  }
  if (room < FEW) put_spread(out, m);
  if (first > 0) fs_str_printf(out, "  %6.2f", m->measured / first);
  else fs_str_puts(out, "       -");
  if (room < NO_LIMIT) put_share(c, out, m);
  if (room < LEAST) put_shared_error(c, out, k);
  if (k) fs_str_puts(out, "  ");
  if (k) put_bits(out, &c->agree[k], c->s->show.width < WORDS_FROM);
  fs_str_puts(out, "\n");
}

static bool leaves_copies_out(const struct contest *c) {
  bool any = false;
  for (int k = 0; k < c->block->plan->kernels.len; k++)
    any |= fs_plan_leaves_out(c->block->plan, k);
  return any;
}

/* What could not be compared, of plans that ran. */
static void put_uncompared(const struct contest *c, struct fs_str *out) {
  bool compared = true, errors = true;
  for (int k = 0; k < c->found.list.len; k++) {
    if (c->found.list.data[k].measured < 0) continue;
    compared &= c->agree[k].compared;
    errors &= c->agree[k].has_error;
  }
  if (!compared) fs_str_puts(out, "not compared: the results did not find room twice\n");
  if (!errors && fs_agree_has_error(c->block->plan->graph))
    fs_str_puts(out, "no errors: the block in f64 did not find room\n");
}

static void put_end(const struct contest *c, struct fs_str *out) {
  bool errors = false;
  int runs = 0;
  for (int k = 0; k < c->found.list.len; k++) {
    errors |= c->agree[k].has_error;
    runs = FS_MAX(runs, c->found.list.data[k].n_times);
  }
  fs_str_printf(out, "%d runs of each, in turns\n", runs);
  if (errors)
    fs_str_puts(out, "error: the largest, to the same without fusion in f64, in shares of the "
                     "largest element\n");
  put_uncompared(c, out);
  if (leaves_copies_out(c))
    fs_str_puts(out, "copies before updates are timed here, which a run does without\n");
  if (c->found.list.len == 1) fs_str_puts(out, "there is no other plan of this block\n");
  if (c->found.stand_ins)
    fs_str_puts(out, "some inputs are not there any more; storage of their size stood in for "
                     "them\n");
  if (c->found.interrupted) fs_str_puts(out, "stopped early: this is what ran so far\n");
}

static void put_race(struct contest *c, struct fs_str *out) {
  enum room room = room_of(c->s);
  put_heads(c, room, out);
  for (int k = 0; k < c->found.list.len; k++) put_racer(c, room, out, k);
  put_end(c, out);
}

/* -- as data ------------------------------------------------------------------------- */

static json_t *racer_json(const struct contest *c, int k) {
  const struct fs_candidate *m = &c->found.list.data[k];
  const struct fs_agreement *g = &c->agree[k];
  const struct fs_plan *plan = m->block ? m->block->plan : NULL;
  const int rank = c->rank[k];
  bool ran = m->measured > 0;
  json_t *o = json_object();
  json_object_set_new(o, "plan", json_string(name_of(rank)));
  json_object_set_new(o, "rank", rank > 0 ? json_integer(rank) : json_null());
  json_object_set_new(o, "kernels", json_integer(m->kernels));
  json_object_set_new(o, "predicted", fs_json_known(plan ? fs_plan_expects(plan).predicted : NAN));
  json_object_set_new(o, "measured", fs_json_known(m->measured));
  json_object_set_new(o, "low", fs_json_known(ran ? m->low : NAN));
  json_object_set_new(o, "high", fs_json_known(ran ? m->high : NAN));
  json_object_set_new(o, "share", fs_json_known(ran ? limit_of(c, m) / m->measured : NAN));
  json_object_set_new(o, "error", g->has_error ? fs_json_known(g->error) : json_null());
  json_object_set_new(o, "differ", g->compared ? json_integer(g->differ) : json_null());
  json_object_set_new(o, "elements", g->compared ? json_integer(g->elements) : json_null());
  fs_set_text(o, "trouble", m->trouble);
  return o;
}

static void put_race_json(struct contest *c, struct fs_str *out) {
  json_t *o = json_object(), *list = json_array();
  for (int k = 0; k < c->found.list.len; k++) json_array_append_new(list, racer_json(c, k));
  json_object_set_new(o, "runs", json_integer(c->found.list.data[0].n_times));
  json_object_set_new(o, "plans", list);
  char *text = json_dumps(o, JSON_INDENT(1));
  fs_str_printf(out, "%s\n", text ? text : "");
  free(text);
  json_decref(o);
}

/* -- commands ------------------------------------------------------------------------ */

/* Takes a last word `json` away. */
static bool takes_json(struct fs_words *c) {
  bool json = c->n && !strcmp(c->word[c->n - 1], "json");
  c->n -= json;
  return json;
}

/* A whole number of at least 1, the only word; *n stays without one. */
static bool read_count(const struct fs_words *c, int most, int *n) {
  char *end = NULL;
  if (!c->n) return true;
  long k = strtol(c->word[0], &end, 10);
  *n = (int)FS_MIN(k, (long)most);
  return c->n == 1 && !*end && k >= 1;
}

enum fs_status fs_session_race_plans(struct fs_session *s, struct fs_words *words) {
  struct contest c = {.s = s};
  int k = USUAL_PLANS;
  bool json = takes_json(words);
  if (!read_count(words, MOST_PLANS, &k)) return FS_ERR_USER;
  c.block = the_block(s, words);
  if (!c.block) return FS_OK;
  struct fs_plan *unfused = fs_session_unfused_plan(s, c.block->plan->graph);
  take_alternatives(&c, unfused, k);
  take(&c, unfused, NO_FUSION);
  take_library(&c);
  enum fs_status st = run(&c, RACE_RUNS, RACE_SECONDS * (c.n + 1), true);
  for (int x = 0; x < c.found.list.len && st == FS_OK; x++) {
    const struct fs_candidate *m = &c.found.list.data[x];
    if (m->block && c.rank[x] != LIBRARY) fs_session_keep_timed_plan(s, m->block->plan, m->measured);
  }
  for (int x = 0; x < c.found.list.len; x++)
    if (c.found.list.data[x].block) fs_session_correct(s, c.found.list.data[x].block->plan);
  if (st == FS_OK && json) put_race_json(&c, words->out);
  else if (st == FS_OK) put_race(&c, words->out);
  finish(&c);
  return st;
}

/* Where pins or the strategy have changed since the block ran: its plan by those of now. */
static void take_current(struct contest *c) {
  struct fs_session *s = c->s;
  if (fs_runner_is_current(s->last_runner, c->block, &s->diags)) return;
  const struct fs_graph *g = c->block->plan->graph;
  struct fs_plan_request q = fs_plan_request(s->last_runner, g, &s->diags);
  struct fs_plan *now = fs_plan_make(fs_graph_copy(g), &fs_session_target(s)->device, &q.options);
  fs_plan_request_free(&q);
  if (now) c->plans[c->n++] = now;
}

/* The block runs as that plan from here on, if it could be run. */
static void adopt_current(struct contest *c, struct fs_str *out) {
  struct fs_candidate *m = &c->found.list.data[1];
  if (c->found.list.len < 2) return;
  if (!m->block || m->measured < 0) {
    fs_str_printf(out, "as it is planned now it did not run: %s\n",
                  m->trouble ? m->trouble : "it was stopped");
    return;
  }
  fs_session_put_change(c->s, c->block->plan, m->block->plan, out);
  c->found.best = 1;
  fs_session_settle(c->s, c->block, FS_OTHER_PLAN);
  fs_search_adopt(&c->found, c->block);
  fs_runner_rehash(c->s->last_runner, c->block, &c->s->diags);
}

static void put_again(struct contest *c, struct fs_str *out) {
  const struct fs_candidate *m = &c->found.list.data[c->found.best];
  fs_session_correct(c->s, c->block->plan);
  double predicted = fs_plan_expects(c->block->plan).predicted;
  fs_str_printf(out, "%d run%s: median ", m->n_times, m->n_times == 1 ? "" : "s");
  fs_str_put_seconds(out, m->measured);
  fs_str_puts(out, ", half of them ");
  fs_str_put_seconds(out, m->low);
  fs_str_puts(out, " to ");
  fs_str_put_seconds(out, m->high);
  if (predicted > 0) {
    fs_str_puts(out, "; predicted ");
    fs_str_put_seconds(out, predicted);
  }
  fs_str_puts(out, c->found.interrupted ? "; stopped early\n" : "\n");
}

enum fs_status fs_session_again(struct fs_session *s, struct fs_words *words) {
  struct contest c = {.s = s};
  int n = USUAL_RUNS;
  if (!read_count(words, MOST_RUNS, &n)) return FS_ERR_USER;
  c.block = the_block(s, words);
  if (!c.block) return FS_OK;
  take_current(&c);
  enum fs_status st = run(&c, n, INFINITY, false);
  if (st == FS_OK) {
    c.found.best = 0;
    adopt_current(&c, words->out);
    put_again(&c, words->out);
    fs_session_tell_again(s, c.block, &c.found.list.data[c.found.best]);
  }
  finish(&c);
  return st;
}

static void put_verdict(struct fs_str *out, const struct contest *c) {
  const struct fs_agreement *fused = &c->agree[0], *other = &c->agree[c->found.list.len - 1];
  bool alone = c->found.list.len == 1;
  if (!fused->compared || !other->compared) {
    put_uncompared(c, out);
    return;
  }
  fs_str_puts(out, alone ? "without fusion the plan is the same" : "without fusion: ");
  if (!alone) put_bits(out, other, false);
  fs_str_puts(out, "\n");
  if (!fused->has_error) put_uncompared(c, out);
  if (!fused->has_error) return;
  fs_str_puts(out, "error in shares of the largest element of f64: ");
  put_error(out, fused->error);
  if (!alone && other->has_error) {
    fs_str_puts(out, ", without fusion ");
    put_error(out, other->error);
  }
  fs_str_puts(out, "\n");
}

enum fs_status fs_session_check(struct fs_session *s, struct fs_words *words) {
  struct contest c = {.s = s};
  if (words->n) return FS_ERR_USER;
  c.block = the_block(s, words);
  if (!c.block) return FS_OK;
  take(&c, fs_session_unfused_plan(s, c.block->plan->graph), NO_FUSION);
  enum fs_status st = run(&c, CHECK_RUNS, INFINITY, true);
  if (st == FS_OK) put_verdict(words->out, &c);
  finish(&c);
  return st;
}

/* -- another plan ---------------------------------------------------------------------- */

enum { CHOICE_RUNS = 3 };

/* Plan k of the ranked ones, given; NULL: there are fewer. */
static struct fs_plan *ranked(struct contest *c, int k) {
  struct fs_plan *plans[MOST_PLANS];
  struct fs_plan_request q = fs_plan_request(fs_session_runner(c->s), c->block->plan->graph,
                                             &c->s->diags);
  int n = fs_plan_ranked(c->block->plan->graph, &fs_session_target(c->s)->device, &q.options, k,
                         plans);
  for (int x = 0; x < n; x++)
    if (x != k - 1) fs_plan_free(plans[x]);
  fs_plan_request_free(&q);
  return n == k ? plans[k - 1] : NULL;
}

/* It is compiled and run a few times first: what does not run is not chosen. */
static enum fs_status adopt(struct contest *c, int k, struct fs_str *out) {
  enum fs_status st = run(c, CHOICE_RUNS, INFINITY, false);
  if (st != FS_OK) return st;
  struct fs_candidate *m = &c->found.list.data[1];
  if (!m->block || m->measured < 0) {
    fs_str_printf(out, "plan %d did not run: %s\n", k, m->trouble ? m->trouble : "it was stopped");
    return FS_OK;
  }
  fs_session_put_change(c->s, c->block->plan, m->block->plan, out);
  fs_str_puts(out, "the block runs so from now on; `:tune forget` takes it back\n");
  if (fs_session_timed_plan(c->s, m->block->plan) < 0) /* a race knows better */
    fs_session_keep_timed_plan(c->s, m->block->plan, m->measured);
  m->rank = k;
  c->found.best = 1;
  fs_session_keep_best(c->s, &c->found);
  return FS_OK;
}

enum fs_status fs_session_choose(struct fs_session *s, struct fs_words *words) {
  struct contest c = {.s = s};
  int k = 0;
  if (!words->n) {
    enum fs_status st = fs_session_show_alternatives(s, words);
    if (!st && s->last_block) fs_str_puts(words->out, "`:choose 2` takes plan 2\n");
    return st;
  }
  if (!read_count(words, MOST_PLANS, &k)) return FS_ERR_USER;
  c.block = the_block(s, words);
  struct fs_plan *plan = c.block ? ranked(&c, k) : NULL;
  if (!c.block) return FS_OK;
  if (!plan) {
    words->wrong = "the last block has no such plan";
    words->hint = "`:alternatives` has those that there are";
    return FS_ERR_USER;
  }
  enum fs_status st = FS_OK;
  take(&c, plan, k);
  if (c.n) st = adopt(&c, k, words->out);
  else fs_str_puts(words->out, "the block runs as that plan already\n");
  finish(&c);
  return st;
}
