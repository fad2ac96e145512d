/* tune.c - `:tune`: the empirical search over the last block's plans, as
 * a table, and what is kept of it. */
#include "core/session/internal.h"

#include <math.h>
#include <stdio.h>

#include "core/plan/plan.h"
#include "core/run/blocks.h"
#include "core/run/search.h"
#include "core/run/tunings.h"
#include "core/view/view.h"

enum { USUAL_K = 8, MOST_K = 256 };

void fs_session_on_progress(void *user, const char *what, double done) {
  struct fs_progress *p = user;
  double now = fs_now();
  if (now - p->last < 0.1) return;
  p->last = now;
  json_t *e = json_object();
  char text[32];
  snprintf(text, sizeof text, "%s: %s", p->command, what);
  json_object_set_new(e, "event", json_string("progress"));
  json_object_set_new(e, "what", json_string(text));
  json_object_set_new(e, "done", json_real(done));
  json_object_set_new(e, "seconds", json_real(now - p->began));
  fs_session_emit(p->s, e);
}

/* -- the table --------------------------------------------------------------------- */

static void put_cell(struct fs_str *out, int width, const struct fs_str *cell) {
  fs_str_puts(out, "  ");
  fs_str_put_right(out, width, cell);
}

static void put_prediction(struct fs_session *s, struct fs_str *out, int width,
                           const struct fs_plan *plan) {
  const struct fs_look look = {.utf8 = !s->show.ascii};
  double first = 0;
  struct fs_str cell = {0};
  for (int k = 0; plan && k < plan->kernels.len; k++)
    first += plan->kernels.data[k].work.unknown ? NAN : plan->kernels.data[k].first;
  if (plan)
    fs_plan_put_prediction(&cell, &look, first, isnan(first) ? NAN : plan->predicted, true);
  else fs_str_puts(&cell, "-");
  put_cell(out, width, &cell);
  fs_str_free(&cell);
}

static void put_time(struct fs_str *out, int width, double seconds) {
  struct fs_str cell = {0};
  if (seconds >= 0) fs_str_put_seconds(&cell, seconds);
  else fs_str_puts(&cell, "-");
  put_cell(out, width, &cell);
  fs_str_free(&cell);
}

/* In what it differs from the first one of the same kernels, else from the first. */
static void put_settings(struct fs_session *s, struct fs_str *out,
                         const struct fs_search *r, int k) {
  const struct fs_block *mine = r->list.data[k].block;
  struct fs_str words = {0};
  bool same = false;
  for (int x = 0; x < k && mine && !same; x++) {
    const struct fs_block *other = r->list.data[x].block;
    struct fs_str text = {0};
    if (other)
      same = fs_plan_put_settings(mine->plan, other->plan, &r->target->device, &s->diags,
                                  &text);
    if (other && (same || !words.len)) {
      fs_str_clear(&words);
      fs_str_puts(&words, fs_str_text(&text));
    }
    fs_str_free(&text);
  }
  if (words.len) fs_str_printf(out, "  %s", fs_str_text(&words));
  fs_str_free(&words);
}

static void put_candidate(struct fs_session *s, struct fs_str *out,
                          const struct fs_search *r, int k, int width) {
  const struct fs_candidate *c = &r->list.data[k];
  const struct fs_plan *plan = c->block ? c->block->plan : NULL;
  fs_str_printf(out, "  %4d  %7d", c->rank, c->kernels);
  put_prediction(s, out, width, plan);
  put_time(out, 10, c->measured);
  if (plan && c->measured >= 0 && fs_plan_expects(plan).predicted > 0)
    fs_str_printf(out, "  %6.2f", c->measured / plan->predicted);
  else
    fs_str_puts(out, "       -");
  if (c->trouble) fs_str_printf(out, "  %s", c->trouble);
  else if (k == r->best) fs_str_puts(out, "  chosen");
  put_settings(s, out, r, k);
  fs_str_puts(out, "\n");
}

static void put_table(struct fs_session *s, struct fs_str *out, const struct fs_search *r) {
  int width = 10;
  bool copies = false;
  for (int k = 0; k < r->list.len; k++) {
    struct fs_plan *plan = r->list.data[k].block ? r->list.data[k].block->plan : NULL;
    struct fs_str cell = {0};
    if (plan) fs_session_correct(s, plan);
    put_prediction(s, &cell, 0, plan);
    width = FS_MAX(width, fs_utf8_width(fs_str_text(&cell), cell.len) - 2);
    for (int x = 0; plan && x < plan->kernels.len; x++) copies |= fs_plan_leaves_out(plan, x);
    fs_str_free(&cell);
  }
  fs_str_printf(out, "  rank  kernels  %*s    measured   ratio\n", width, "predicted");
  for (int k = 0; k < r->list.len; k++) put_candidate(s, out, r, k, width);
  if (copies)
    fs_str_puts(out, "copies before updates are timed and predicted here, which a run does "
                     "without\n");
}

static void put_summary(struct fs_str *out, const struct fs_search *r) {
  const struct fs_candidate *best = &r->list.data[r->best];
  const struct fs_candidate *first = &r->list.data[0];
  fs_str_printf(out, "%d plan%s timed %d times in ", r->list.len,
                r->list.len == 1 ? "" : "s", best->n_times);
  fs_str_put_seconds(out, r->time_seconds);
  fs_str_puts(out, ", compiled in ");
  fs_str_put_seconds(out, r->compile_seconds);
  if (first->measured > 0 && best != first)
    fs_str_printf(out, "; the chosen one takes %.1f %% less than the first",
                  100 * (1 - best->measured / first->measured));
  fs_str_puts(out, "\n");
  if (r->stand_ins)
    fs_str_puts(out, "some inputs are not there any more; storage of their size "
                     "stood in for them\n");
  if (r->interrupted)
    fs_str_puts(out, "stopped early: this is the best so far\n");
}

/* -- keeping the winner -------------------------------------------------------------- */

void fs_session_keep_best(struct fs_session *s, struct fs_search *r) {
  struct fs_block *b = s->last_block;
  const struct fs_candidate *best = &r->list.data[r->best];
  const struct fs_plan *plan = best->block->plan;
  struct fs_tuning_result result = {
      .block = b->hash, .choice = fs_plan_choice(plan), .rank = best->rank,
      .predicted = best->predicted, .measured = best->measured,
      .first = FS_MAX(r->list.data[0].measured, 0)};
  if (result.choice)
    fs_tunings_put(fs_runner_tunings(s->last_runner), &result, &s->diags);
  fs_session_settle(s, b, FS_OTHER_PLAN);
  fs_search_adopt(r, b);
  b->plan->found->tuned = true;
  memcpy(b->plan->found->quality, "tuned", 6);
}

/* For `:alternatives`. */
static void keep_times(struct fs_session *s, const struct fs_search *r) {
  for (int k = 0; k < r->list.len; k++) {
    const struct fs_candidate *c = &r->list.data[k];
    for (int x = 0; c->block && c->each && x < c->kernels; x++)
      fs_session_keep_timed(s, c->block->plan, x, c->each[x]);
    if (c->block) fs_session_keep_timed_plan(s, c->block->plan, c->measured);
  }
}

static enum fs_status search(struct fs_session *s, int k, struct fs_str *out) {
  struct fs_progress p = {s, "tune", fs_now(), 0};
  struct fs_search_options o = {.k = k, .progress = fs_session_on_progress, .user = &p};
  struct fs_search r;
  enum fs_status st = fs_search_block(s->last_runner, s->last_block, &o,
                                      &s->diags, &r, &s->diags);
  if (st == FS_OK && r.best >= 0) {
    if (r.interrupted) fs_interrupt_clear();
    put_table(s, out, &r);
    put_summary(out, &r);
    keep_times(s, &r);
    fs_session_keep_best(s, &r);
  }
  fs_search_free(&r);
  return st;
}

static enum fs_status forget(struct fs_session *s, struct fs_words *c) {
  bool all = c->n == 2 && !strcmp(c->word[1], "all");
  if (c->n > 2 || (c->n == 2 && !all)) return FS_ERR_USER;
  fs_session_choose_block(s);
  if (!all && !s->last_block) {
    fs_str_puts(c->out, "no statement has needed a kernel yet\n");
    return FS_OK;
  }
  struct fs_runner *r = all ? fs_session_runner(s) : s->last_runner;
  int gone = fs_tunings_forget(fs_runner_tunings(r),
                               all ? 0 : s->last_block->hash, &s->diags);
  enum fs_status st = fs_session_collect(s);
  if (st == FS_OK) fs_runner_forget_tuned(r, all ? 0 : s->last_block->hash);
  if (all)
    fs_str_printf(c->out, "%d tuned block%s forgotten\n", gone,
                  gone == 1 ? "" : "s");
  else
    fs_str_puts(c->out, gone ? "the block runs as predicted again\n"
                             : "the last block was not tuned\n");
  return st;
}

enum fs_status fs_session_tune(struct fs_session *s, struct fs_words *c) {
  long k = USUAL_K;
  char *end = NULL;
  if (c->n && !strcmp(c->word[0], "forget")) return forget(s, c);
  if (c->n) k = strtol(c->word[0], &end, 10);
  if (c->n > 1 || (end && *end) || k < 1) return FS_ERR_USER;
  const struct fs_block *block = fs_session_current_block(s, c->out);
  if (!block) return FS_OK;
  if (!block->plan->kernels.len) {
    fs_str_puts(c->out, "the last block needs no kernel\n");
    return FS_OK;
  }
  enum fs_status st = fs_session_collect(s);
  return st ? st : search(s, (int)FS_MIN(k, MOST_K), c->out);
}
