/* rebuild.c - what happens when a worker is gone: one sentence, another
 * worker, and the journal once more. Inputs that cannot be as they were are named:
 * those that were interrupted in the middle, those whose files are others now, and
 * those that end the process again.
 *
 *   lost ──▶ spawn ──▶ ready ──▶ replay, replay, ... ──▶ "12 inputs were replayed"
 *    ▲                             │ dies: this input is left out
 *    └─────────────────────────────┘ at most RESTARTS times
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "core/worker/internal.h"

enum {
  RESTARTS = 3,      /* of one rebuilding                               */
  STARTS = 3,        /* of processes that end before they are ready     */
  SENDS = 3,         /* of one input that no worker began               */
  NAMES_MAX = 8      /* variables named of one input                    */
};
static const double progress_step = 0.1;

/* -- words ----------------------------------------------------------------- */

static void put_status(int status, struct fs_str *out) {
  if (WIFSIGNALED(status)) {
    const char *name = sigabbrev_np(WTERMSIG(status));
    fs_str_printf(out, "was ended by SIG%s", name ? name : "NAL");
  } else if (WEXITSTATUS(status) == 4) {
    fs_str_puts(out, "ended: the host has no memory left for it, or it has a "
                     "defect");
  } else {
    fs_str_printf(out, "ended with status %d", WEXITSTATUS(status));
  }
}

static void put_cause(enum fs_worker_cause cause, int status,
                      struct fs_str *out) {
  switch (cause) {
    case FS_CAUSE_DIED:
      fs_str_puts(out, "the session's process ");
      put_status(status, out);
      break;
    case FS_CAUSE_LOST:
      fs_str_puts(out, "the GPU is of no more use to the session's process");
      break;
    case FS_CAUSE_RANK:
      fs_str_puts(out, "one of the session's ranks has ended");
      break;
    case FS_CAUSE_STUCK:
      fs_str_printf(out, "the session's process did not stop within %.0f s",
                    FS_WORKER_PATIENCE);
      break;
    case FS_CAUSE_BROKEN:
      fs_str_puts(out, "the session's process sent what makes no sense");
      break;
  }
}

static void put_entry(const struct fs_entry *e, struct fs_str *out) {
  fs_str_put_safe(out, e->name, strlen(e->name));
}

/* ", x, y and 3 more (<repl:7> was interrupted)"; the names are not as they were from here
 * on. */
static void put_missing(struct fs_worker *w, const struct fs_entry *e,
                        const char *why) {
  struct fs_str *out = &w->rebuild.missing;
  int n = 0;
  for (char **name = e->changed; name && *name; name++, n++) {
    if (w->rebuild.changed) json_object_set_new(w->rebuild.changed, *name, json_true());
    if (n >= NAMES_MAX) continue;
    fs_str_puts(out, ", ");
    fs_str_put_safe(out, *name, strlen(*name));
  }
  /* A function of a file has no name here: anything may be made by it. */
  if (!n && w->rebuild.changed) json_object_set_new(w->rebuild.changed, "", json_true());
  if (n > NAMES_MAX) fs_str_printf(out, " and %d more", n - NAMES_MAX);
  fs_str_puts(out, n ? " (" : ", ");
  put_entry(e, out);
  fs_str_printf(out, " %s%s", why, n ? ")" : "");
}

static void tell_death(struct fs_worker *w, enum fs_worker_cause cause,
                       int status, enum fs_worker_phase phase) {
  struct fs_str s = {0};
  put_cause(cause, status, &s);
  if (phase == FS_WORKER_RUNNING && w->request.started && w->request.entry) {
    fs_str_puts(&s, " while it ran ");
    put_entry(w->request.entry, &s);
  }
  fs_str_puts(&s, "; another one takes its place");
  fs_worker_say(w, "error", "worker-died", fs_str_text(&s), NULL);
  fs_str_free(&s);
}

static void tell_progress(struct fs_worker *w) {
  struct fs_rebuild *r = &w->rebuild;
  double now = fs_now();
  if (now - r->told < progress_step) return;
  r->told = now;
  double by_time = w->journal.seconds > 0
                       ? r->done_seconds / w->journal.seconds : 1;
  json_t *e = json_object();
  json_object_set_new(e, "event", json_string("progress"));
  json_object_set_new(e, "what", json_string("rebuilding the session"));
  json_object_set_new(e, "done", json_real(FS_MIN(by_time, 1.0)));
  json_object_set_new(e, "seconds", json_real(now - r->began));
  fs_worker_emit(w, e);
}

static void tell_end(struct fs_worker *w) {
  struct fs_rebuild *r = &w->rebuild;
  struct fs_str s = {0};
  if (r->replayed)
    fs_str_printf(&s, "%d input%s replayed in %.2f s", r->replayed,
                  r->replayed == 1 ? " was" : "s were", fs_now() - r->began);
  else fs_str_puts(&s, "no input was to be replayed");
  if (r->left_out)
    fs_str_printf(&r->missing, ", %d more input%s", r->left_out,
                  r->left_out == 1 ? "" : "s");
  if (r->missing.len)
    fs_str_printf(&s, "; not as before: %s", r->missing.data + 2);
  else if (r->replayed)
    fs_str_puts(&s, "; the variables are as before");
  fs_worker_say(w, r->missing.len ? "warning" : "note", "rebuilt",
                fs_str_text(&s), NULL);
  fs_str_free(&s);
}

/* -- after a death --------------------------------------------------------- */

/* Whether the journal is to be replayed, not only its settings. */
static bool wanted(struct fs_worker *w) {
  const char *how = fs_session_setting(w->mirror, "rebuild");
  int inputs = fs_journal_inputs(&w->journal);
  if (!inputs) return true;
  if (how && !strcmp(how, "off")) return false;
  if (how && !strcmp(how, "ask") && w->config.ask_rebuild)
    return w->config.ask_rebuild(w->config.user, inputs, w->journal.seconds);
  return true;
}

void fs_worker_fail(struct fs_worker *w, const char *words) {
  free(w->error);
  w->error = fs_strdup(words);
  w->phase = FS_WORKER_FAILED;
  w->rebuild.on = false;
  fs_worker_go_on(w);
}

static void respawn(struct fs_worker *w) {
  struct fs_str s = {0};
  if (fs_worker_spawn(w)) return;
  fs_str_printf(&s, "the session's process could not be started: %s",
                strerror(errno));
  fs_worker_fail(w, fs_str_text(&s));
  fs_str_free(&s);
}

/* The input that ran in the replay is left out from now on. */
static void leave_out(struct fs_worker *w) {
  struct fs_rebuild *r = &w->rebuild;
  if (r->next >= w->journal.list.len) return;
  put_missing(w, w->journal.list.data[r->next],
              "does not end in this process");
  fs_journal_remove(&w->journal, r->next);
  if (++r->restarts > RESTARTS) r->cancelled = true;
}

static void forget_changed(struct fs_rebuild *r) {
  json_decref(r->changed);
  json_decref(r->functions);
  r->changed = r->functions = NULL;
}

static void begin(struct fs_worker *w) {
  struct fs_rebuild *r = &w->rebuild;
  fs_str_clear(&r->missing);
  forget_changed(r);
  *r = (struct fs_rebuild){.on = true, .began = fs_now(), .missing = r->missing,
                           .changed = json_object()};
  if (wanted(w)) return;
  fs_str_printf(&r->missing, ", all variables (:set rebuild %s)",
                fs_session_setting(w->mirror, "rebuild"));
  fs_journal_keep_settings(&w->journal);
  json_decref(w->pins);
  w->pins = NULL;
}

void fs_worker_retry(struct fs_worker *w) {
  w->in_vain = FS_MIN(w->in_vain, STARTS - 1);
  begin(w);
  respawn(w);
}

void fs_worker_lost(struct fs_worker *w, enum fs_worker_cause cause) {
  enum fs_worker_phase phase = w->phase;
  if (!fs_worker_pid(w)) return;
  int status = fs_worker_reap(w);
  w->interrupted = 0;
  if (!w->served) w->in_vain++;
  tell_death(w, cause, status, phase);
  if (w->in_vain >= STARTS) {
    fs_worker_fail(w, "the session's process ends as soon as it is started");
    return;
  }
  if (phase == FS_WORKER_REPLAYING) leave_out(w);
  if (phase == FS_WORKER_RUNNING) /* stuck: it was to be stopped */
    w->request.ended = w->request.started || w->request.sent >= SENDS ||
                       cause == FS_CAUSE_STUCK;
  if (!w->rebuild.on) begin(w);
  w->rebuild.next = w->rebuild.replayed = 0;
  w->rebuild.done_seconds = 0;
  fs_mirror_clear(w->mirror);
  respawn(w);
}

/* -- the replay ------------------------------------------------------------ */

static void send_history(struct fs_worker *w) {
  json_t *o = json_object();
  json_object_set_new(o, "do", json_string("remember"));
  bool comes = w->request.on && !w->request.ended && /* it adds itself */
               w->request.kind == FS_ENTRY_EVAL;
  int n = FS_MAX(w->history.len - comes, 0);
  for (int k = 0; k < n; k++) {
    const struct fs_past_input *in = &w->history.data[k];
    json_object_set_new(o, "kind", json_integer(in->kind));
    fs_wire_put(&w->wire, o, in->text, strlen(in->text));
  }
  json_decref(o);
}

/* Before the inputs: their blocks are to run as they did. */
static void send_pins(struct fs_worker *w) {
  if (!w->pins) return;
  json_t *o = json_object();
  json_object_set_new(o, "do", json_string("pins"));
  json_object_set(o, "pins", w->pins);
  fs_wire_put(&w->wire, o, NULL, 0);
  json_decref(o);
}

static void finish(struct fs_worker *w) {
  bool stopped = w->interrupted && w->request.on && !w->request.ended;
  w->interrupted = 0;
  w->rebuild.on = false;
  w->phase = FS_WORKER_IDLE;
  tell_end(w);
  forget_changed(&w->rebuild);
  if (stopped) fs_worker_end_interrupted(w);
  else fs_worker_go_on(w);
}

/* Names that it gives a value are as they were again, unless it reads one that is not, or a
 * file that is not. */
static void note_inputs(struct fs_worker *w, struct fs_entry *e) {
  struct fs_rebuild *r = &w->rebuild;
  struct fs_str files = {0};
  fs_entry_put_files(e, &files);
  if (files.len) {
    put_missing(w, e, "read other files");
    fs_str_puts(&r->missing, fs_str_text(&files));
  } else if (json_object_size(r->changed) && e->changed && *e->changed) {
    bool any = fs_entry_is_opaque(e) || json_object_get(r->changed, "");
    if (!any && !r->functions) r->functions = fs_journal_functions(&w->journal);
    if (any || fs_entry_reads(e, r->changed, r->functions))
      put_missing(w, e, any ? "may depend on those" : "depends on those");
    else
      for (char **name = e->changed; *name; name++) json_object_del(r->changed, *name);
  }
  fs_str_free(&files);
}

/* Who does not want to wait for variables has settings all the same. */
static void replay_next(struct fs_worker *w) {
  struct fs_rebuild *r = &w->rebuild;
  while (r->next < w->journal.list.len) {
    struct fs_entry *e = w->journal.list.data[r->next];
    if (r->cancelled && !e->settings) {
      r->left_out++;
    } else if (e->result == FS_RESULT_INTERRUPTED) {
      put_missing(w, e, "was interrupted");
    } else {
      note_inputs(w, e);
      w->phase = FS_WORKER_REPLAYING;
      fs_worker_send(w, e, true);
      return;
    }
    fs_journal_remove(&w->journal, r->next);
  }
  finish(w);
}

void fs_rebuild_begin(struct fs_worker *w) {
  send_history(w);
  send_pins(w);
  replay_next(w);
}

/* Whether a name that it gives a value was not yet said to be another one. */
static bool is_news(const struct fs_rebuild *r, const struct fs_entry *e) {
  bool any = false;
  for (char **name = e->changed; name && *name; name++)
    any |= !json_object_get(r->changed, *name);
  return any;
}

void fs_rebuild_replayed(struct fs_worker *w, int result,
                         const json_t *state) {
  struct fs_rebuild *r = &w->rebuild;
  struct fs_entry *e = w->journal.list.data[r->next];
  fs_worker_take_state(w, state);
  if (r->cancelled && result == FS_RESULT_INTERRUPTED) {
    put_missing(w, e, "was interrupted");
    fs_journal_remove(&w->journal, r->next);
    replay_next(w);
    return;
  }
  if (result != e->result)
    put_missing(w, e, "ended otherwise than before");
  else if (e->timed > (int64_t)json_array_size(e->times))
    put_missing(w, e, "depends on the time");
  else if (is_news(r, e) && !fs_entry_is_planned_as(e, state))
    put_missing(w, e, "was planned by other costs");
  fs_entry_replayed(e, state);
  r->done_seconds += e->seconds;
  r->replayed += !e->settings; /* those may be the front's own */
  r->next++;
  tell_progress(w);
  replay_next(w);
}
