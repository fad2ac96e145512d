/* choices.c - `:block`: an earlier block as the one that commands are about; and what choices
 * make of it as plan events, for a front end that draws plans. */
#include "core/session/internal.h"

#include <stdlib.h>

#include "core/plan/plan.h"
#include "core/run/search.h"

/* -- :block ---------------------------------------------------------------------------- */

/* The k-th record of an input, newest first; NULL behind the last. */
static struct fs_plan_record *record_at(const struct fs_session *s, int k) {
  const fs_plan_records *lists[] = {&s->records, &s->last_plans, &s->past};
  for (size_t x = 0; x < FS_LEN(lists); x++) {
    if (k < lists[x]->len) return lists[x]->data[lists[x]->len - 1 - k];
    k -= lists[x]->len;
  }
  return NULL;
}

/* Whether its block is still there to be run again. */
static bool is_kept(const struct fs_session *s, const struct fs_plan_record *r) {
  return r->kept && r->runner == fs_session_runner(s) && r->kept->plan->kernels.len;
}

static struct fs_plan_record *record_of(const struct fs_session *s, const struct fs_block *b) {
  struct fs_plan_record *r;
  for (int k = 0; (r = record_at(s, k)); k++)
    if (r->kept == b) return r;
  return NULL;
}

static struct fs_plan_record *record_numbered(const struct fs_session *s, long number) {
  struct fs_plan_record *r;
  for (int k = 0; (r = record_at(s, k)); k++)
    if (r->user_number == number && is_kept(s, r)) return r;
  return NULL;
}

/* "* 3  q = A*p; s = A'*r" */
static void put_block(struct fs_session *s, struct fs_plan_record *r, struct fs_str *out) {
  size_t k;
  json_t *one, *event = fs_session_event_of(s, r);
  fs_str_printf(out, "%c%4d  ", r->kept == s->last_block ? '*' : ' ', r->user_number);
  json_array_foreach(json_object_get(event, "statements"), k, one)
    fs_str_printf(out, "%s%s", k ? "; " : "", json_string_value(json_object_get(one, "text")));
  fs_str_puts(out, "\n");
}

/* Each block once, by its last input. */
static void put_blocks(struct fs_session *s, struct fs_str *out) {
  struct fs_plan_record *r;
  int n = 0;
  for (int k = 0; (r = record_at(s, k)); k++) {
    int first = 0;
    while (record_at(s, first)->kept != r->kept) first++;
    if (first < k || !is_kept(s, r)) continue;
    put_block(s, r, out);
    n++;
  }
  if (!n) fs_str_puts(out, "no statement has needed a kernel yet\n");
}

enum fs_status fs_session_choose_number(struct fs_session *s, struct fs_words *words) {
  char *end = NULL;
  if (words->n > 1) return FS_ERR_USER;
  fs_session_choose_block(s);
  if (!words->n) {
    put_blocks(s, words->out);
    return FS_OK;
  }
  long number = strtol(words->word[0], &end, 10);
  if (*end || number < 1) return FS_ERR_USER;
  struct fs_plan_record *r = record_numbered(s, number);
  if (!r)
    return fs_error(&s->diags, words->span, "no-block", ":block lists those that are kept",
                    ":block: block %ld is not kept, or there was none", number);
  fs_plan_records only = {0};
  *FS_PUSH(&only) = r;
  r->refs++;
  fs_session_drop_records(&s->last_plans);
  s->last_plans = only;
  s->last_main = 0;
  s->last_block = r->kept;
  s->last_runner = r->runner;
  json_decref(s->account);
  s->account = NULL;
  return FS_OK;
}

/* -- events of choices ------------------------------------------------------------------ */

static void send(struct fs_session *s, const struct fs_block *b, json_t *gives, const char *state) {
  const struct fs_plan_record *r = record_of(s, b);
  if (r) json_object_set_new(gives, "id", json_sprintf("plan-%d", r->id));
  if (r) json_object_set_new(gives, "block", json_integer(r->user_number));
  json_object_set_new(gives, "state", json_string(state));
  json_object_set_new(gives, "pins", fs_pins_json(s, b->plan->graph));
  fs_session_emit(s, gives);
}

void fs_session_tell_considered(struct fs_session *s, const struct fs_block *b,
                                struct fs_plan *now) {
  if (!s->rich) return;
  fs_plan_price_unfused(now, &fs_session_target(s)->device);
  fs_session_correct(s, now);
  send(s, b, fs_plan_event(now, &s->diags, fs_session_target(s)), "considered");
}

void fs_session_tell_again(struct fs_session *s, struct fs_block *b,
                           const struct fs_candidate *m) {
  const struct fs_plan *plan = b->plan;
  if (!s->rich || !m->each) return;
  struct fs_times series = {0};
  fs_times_add(&series, m->measured);
  double *predicted = fs_calloc((size_t)plan->kernels.len + 1, sizeof *predicted);
  for (int k = 0; k < plan->kernels.len; k++) predicted[k] = plan->kernels.data[k].predicted;
  fs_plan_price_unfused(b->plan, &fs_session_target(s)->device);
  fs_session_correct(s, b->plan);
  json_t *event = fs_block_event(b, true, predicted, plan->predicted,
                                 plan->found->unfused_predicted, &s->diags, fs_session_target(s));
  const struct fs_measured measured = {
    .times = m->each, .series = &series, .runs = m->n_times, .loops = "",
    .grain = fs_model_grain(&fs_session_target(s)->device)};
  fs_plan_event_measured(event, &measured);
  free(predicted);
  send(s, b, event, "again");
}
