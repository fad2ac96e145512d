/* plan.c - plans as events: as predicted when a block is launched, and as measured when
 * the input is over. */
#include <math.h>
#include <stdio.h>

#include "core/plan/plan.h"
#include "core/session/internal.h"

enum { MAX_ANNOUNCED = FS_SHOWN_OF_PLACE }; /* of one input: a notebook keeps few outputs */

static void send_plan(struct fs_session *s, struct fs_plan_record *r,
                      const char *state) {
  json_t *event = fs_session_event_of(s, r);
  json_object_set_new(event, "state", json_string(state));
  if (s->account && !strcmp(state, "measured"))
    json_object_set(event, "account", s->account);
  bool rich = s->rich && strcmp(state, "withdrawn");
  bool here = r->runs && r->runner == fs_session_runner(s); /* its code can be
                                            shown; a launch does not wait for it */
  fs_session_emit(s, rich ? fs_session_rich_plan(s, event,
                                                 here ? r->kept : NULL)
                          : json_incref(event));
}

/* Nothing of an input that has failed already: its error is what counts. */
void fs_session_announce(struct fs_session *s, struct fs_block *block) {
  if (!s->rich || !s->busy || !strcmp(s->plan_form, "off")) return;
  if (s->announced == MAX_ANNOUNCED || fs_session_find_record(s, block)) return;
  for (int k = 0; k < s->diags.list.len; k++)
    if (s->diags.list.data[k].severity == FS_ERROR) return;
  struct fs_plan_record *r = fs_session_new_record(s, &s->records, block, s->last_number + 1);
  json_t *event = fs_session_event_of(s, r);
  json_object_set_new(event, "runs", json_integer(0));
  json_object_set_new(event, "cached", json_boolean(block->runs > 0));
  if (block->runs) json_object_set_new(event, "jit_s", json_null());
  r->announced = true;
  s->announced++;
  send_plan(s, r, "launched");
}

/* What runs less long needs no sign of life. */
static const double LONG = 0.5;

static void send_expected(struct fs_session *s, double seconds, const char *plan) {
  json_t *e = json_object();
  json_object_set_new(e, "event", json_string("progress"));
  json_object_set_new(e, "what", json_string("running"));
  json_object_set_new(e, "done", json_null());
  json_object_set_new(e, "seconds", json_real(0));
  json_object_set_new(e, "expected", fs_json_known(seconds));
  if (plan) json_object_set_new(e, "plan", json_string(plan));
  fs_session_emit(s, e);
}

void fs_session_expect(struct fs_session *s, struct fs_block *block) {
  char id[32] = "";
  struct fs_expected e = fs_plan_expects(block->plan);
  if (!s->busy || !(e.first >= LONG / 2)) return; /* runs teach a factor of two at most */
  fs_session_correct(s, block->plan);
  e = fs_plan_expects(block->plan);
  const struct fs_plan_record *r = fs_session_find_record(s, block);
  if (r && r->announced) snprintf(id, sizeof id, "plan-%d", r->id);
  s->expecting = e.predicted >= LONG;
  if (s->expecting) send_expected(s, e.predicted, *id ? id : NULL);
}

/* A GPU goes on when its block was launched. */
void fs_session_end_expecting(struct fs_session *s) {
  if (s->expecting && !s->on_cuda) send_expected(s, NAN, NULL);
  s->expecting = false;
}

/* What was announced and did not come to run. */
static void drop_failed(struct fs_session *s) {
  int kept = 0;
  for (int k = 0; k < s->records.len; k++) {
    struct fs_plan_record *r = s->records.data[k];
    if (r->runs) {
      s->records.data[kept++] = r;
      continue;
    }
    send_plan(s, r, "withdrawn");
    fs_session_unref_record(r);
  }
  s->records.len = kept;
}

void fs_session_end_plans(struct fs_session *s, bool send) {
  fs_session_end_late(s);
  drop_failed(s);
  if (s->records.len) {
    s->last_main = (size_t)fs_session_main_plan(s);
    fs_session_choose_block(s);
  }
  for (int k = 0; k < s->records.len; k++) {
    struct fs_plan_record *r = s->records.data[k];
    bool shown = send && strcmp(s->plan_form, "off") && fs_session_shows(s, k);
    if (shown) send_plan(s, r, "measured");
    else if (r->announced) send_plan(s, r, "withdrawn");
    fs_session_keep_past(s, r);
  }
  if (!s->records.len) return;
  fs_plan_records old = s->last_plans;
  s->last_plans = s->records;
  s->records = old;
  for (int k = 0; k < old.len; k++) fs_session_unref_record(old.data[k]);
  s->records.len = 0;
}
