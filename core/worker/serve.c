/* serve.c - the process in which a session runs (worker.h): requests come
 * over a socket, events and the session's state go back.
 *
 * What libraries write to stdout and stderr ends in pipes whose other ends this
 * process reads itself, before each event that it sends and in a thread of its
 * own meanwhile: so texts and events keep their order, and no library ever waits
 * for a full pipe. The front has the same ends, for what is left after a crash.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/eval/witness.h"
#include "core/run/tunings.h"
#include "core/ranks/ranks.h"
#include "core/session/internal.h"
#include "core/device/cuda/compiler.h"
#include "core/worker/worker.h"
#include "core/worker/wire.h"

enum {
  TEXT_MAX = 4096,   /* bytes of one variable's text             */
  TEXTS_MAX = 500,   /* variables of one input that get a text   */
  PIECE = 64 << 10,
  ASK_POLL_MS = 50   /* how soon an interrupt ends a question    */
};

/* One of stdout and stderr. */
struct capture {
  const char *stream;
  int fd;
  struct fs_str held; /* the beginning of a character */
};

struct worker {
  struct fs_wire wire;
  pthread_mutex_t lock;        /* of sending, and of the captures */
  struct capture captures[2];
  struct fs_session *s;
  struct fs_witness witness;
  json_t *done;                /* the last event of the input, kept back    */
  bool replay;                 /* of the input: nothing of it is shown      */
  int64_t blocks;              /* that were run, before the input           */
  uint64_t told;               /* the stamp up to which variables were told */
  json_t *stamps, *settings, *pins; /* as told                              */
};

/* -- sending --------------------------------------------------------------- */

/* With the lock held. Nobody there any more: this process has no purpose. */
static void send_frame(struct worker *w, const json_t *head) {
  if (!fs_wire_put(&w->wire, head, NULL, 0)) return; /* too large: left out */
  if (!fs_wire_flush(&w->wire, true)) _exit(0);
}

/* The length up to which `s` has whole characters. */
static size_t whole_characters(const struct fs_str *s) {
  size_t at = s->len, back = 0;
  while (back < 3 && at && ((unsigned char)s->data[at - 1] & 0xc0) == 0x80)
    at--, back++;
  if (!at) return s->len;
  unsigned char lead = (unsigned char)s->data[at - 1];
  size_t needs = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return needs > back + 1 ? at - 1 : s->len;
}

static void send_captured(struct worker *w, struct capture *c, bool all) {
  size_t len = all ? c->held.len : whole_characters(&c->held);
  if (!len) return;
  json_t *e = json_object();
  json_object_set_new(e, "event", json_string("text"));
  json_object_set_new(e, "stream", json_string(c->stream));
  json_object_set_new(e, "text", fs_json_text(c->held.data, len));
  if (!w->replay) send_frame(w, e);
  json_decref(e);
  memmove(c->held.data, c->held.data + len, c->held.len - len);
  c->held.len -= len;
}

/* With the lock held: what the pipes have now. */
static void drain(struct worker *w, bool all) {
  for (int k = 0; k < 2; k++) {
    struct capture *c = &w->captures[k];
    char piece[PIECE];
    ssize_t n;
    while ((n = read(c->fd, piece, sizeof piece)) > 0) {
      fs_str_put(&c->held, piece, (size_t)n);
      send_captured(w, c, false);
    }
    if (all) send_captured(w, c, true);
  }
}

static void send_in_order(struct worker *w, const json_t *head) {
  fflush(stdout);
  fflush(stderr);
  pthread_mutex_lock(&w->lock);
  drain(w, false);
  send_frame(w, head);
  pthread_mutex_unlock(&w->lock);
}

/* Reads the pipes while the session computes; ends the process with its front. */
static void *watch(void *user) {
  struct worker *w = user;
  for (;;) {
    struct pollfd fds[3] = {
      {.fd = w->captures[0].fd, .events = POLLIN},
      {.fd = w->captures[1].fd, .events = POLLIN},
      {.fd = w->wire.fd, .events = POLLRDHUP}};
    if (poll(fds, 3, -1) < 0 && errno != EINTR) return NULL;
    if (fds[2].revents & (POLLRDHUP | POLLHUP | POLLERR)) _exit(0);
    if (!(fds[0].revents | fds[1].revents)) continue;
    pthread_mutex_lock(&w->lock);
    drain(w, false);
    pthread_mutex_unlock(&w->lock);
  }
}

/* What a replayed input says was said before; that the device is another one now
 * was not. */
static bool is_said_again(const json_t *event) {
  const char *id = json_string_value(json_object_get(event, "id"));
  return id && !strcmp(id, "no-gpu");
}

static void on_event(void *user, const json_t *event) {
  struct worker *w = user;
  const char *kind = json_string_value(json_object_get(event, "event"));
  if (kind && !strcmp(kind, "done")) {
    json_decref(w->done);
    w->done = json_deep_copy(event);
  } else if (!w->replay || is_said_again(event)) {
    send_in_order(w, event);
  }
}

/* The front answers by a frame; until then only an interrupt ends the waiting. */
static char *on_ask(void *user, const char *prompt, bool secret) {
  struct worker *w = user;
  struct fs_frame f;
  json_t *e = json_object();
  json_object_set_new(e, "event", json_string("ask"));
  json_object_set_new(e, "prompt", fs_json_text(prompt, strlen(prompt)));
  json_object_set_new(e, "password", json_boolean(secret));
  send_in_order(w, e);
  json_decref(e);
  while (!fs_interrupted()) {
    enum fs_wire_status st = fs_wire_next(&w->wire, &f);
    if (st == FS_WIRE_BROKEN) _exit(4);
    if (st == FS_WIRE_FRAME) {
      const char *what = json_string_value(json_object_get(f.head, "do"));
      bool answer = what && !strcmp(what, "answer");
      bool end = json_is_true(json_object_get(f.head, "end"));
      json_decref(f.head);
      if (answer) return end ? NULL : fs_strndup(f.blob, f.len);
      continue;
    }
    struct pollfd p = {.fd = w->wire.fd, .events = POLLIN};
    if (poll(&p, 1, ASK_POLL_MS) > 0 && !fs_wire_fill(&w->wire)) _exit(0);
  }
  return NULL;
}

/* -- the state ------------------------------------------------------------- */

static void set_text(json_t *o, const char *key, const struct fs_str *text) {
  size_t len = fs_utf8_cut(fs_str_text(text), text->len, TEXT_MAX);
  json_object_set_new(o, key, fs_json_text(fs_str_text(text), len));
}

static void describe(struct worker *w, const char *name, json_t *o) {
  struct fs_str text = {0};
  fs_session_describe(w->s, name, 0, &text);
  set_text(o, "text", &text);
  const char *kind = json_string_value(json_object_get(o, "kind"));
  if (kind && !strcmp(kind, "function")) {
    fs_str_clear(&text);
    fs_session_describe(w->s, name, 1, &text);
    set_text(o, "source", &text);
  }
  fs_str_free(&text);
  fs_diags_clear(&w->s->diags);
}

static json_t *variable(struct worker *w, const struct fs_interp_var *v,
                        bool with_text) {
  json_t *o = fs_session_variable(w->s, v);
  json_object_set_new(o, "stamp", json_integer((json_int_t)v->stamp));
  if (with_text) describe(w, v->name, o);
  return o;
}

/* Names with the stamps of their values; a value that was only to be computed
 * when it is read counts as another one when it was. */
static json_int_t signature(const struct fs_interp_var *v) {
  struct fs_tensor *t[2];
  bool stored = fs_val_tensors(&v->value, t) > 0;
  for (int k = 0, n = fs_val_tensors(&v->value, t); k < n; k++)
    stored = stored && t[k]->state == FS_TS_STORED;
  return (json_int_t)(v->stamp << 1 | stored);
}

/* Of what was told, names that are not there any more. */
static void tell_gone(struct worker *w, json_t *state) {
  struct fs_interp_var v;
  json_t *stamp, *left = json_object(), *gone = json_array();
  const char *name;
  for (int k = 0; fs_interp_var_at(w->s->in, k, &v) && !v.from_prelude; k++)
    json_object_set(left, v.name, json_object_get(w->stamps, v.name));
  json_object_foreach(w->stamps, name, stamp)
    if (!json_object_get(left, name)) json_array_append_new(gone, json_string(name));
  json_object_set_new(state, "gone", gone);
  json_decref(w->stamps);
  w->stamps = left;
}

/* After each input, of however many variables: what stays as it was costs a look. */
static void tell_variables(struct worker *w, json_t *state) {
  json_t *changed = json_object();
  struct fs_interp_var v;
  int texts = 0;
  size_t names = 0;
  for (; fs_interp_var_at(w->s->in, (int)names, &v) && !v.from_prelude; names++) {
    json_t *told = json_object_get(w->stamps, v.name);
    if (told && json_integer_value(told) == signature(&v)) continue;
    json_object_set_new(w->stamps, v.name, json_integer(signature(&v)));
    json_object_set_new(changed, v.name, variable(w, &v, texts++ < TEXTS_MAX));
  }
  json_object_set_new(state, "vars", changed);
  if (json_object_size(w->stamps) > names) tell_gone(w, state);
  else json_object_set_new(state, "gone", json_array());
}

static void tell_settings(struct worker *w, json_t *state) {
  const char *name, *values, *doc;
  json_t *changed = json_object();
  for (int k = 0; fs_setting_at(k, &name, &values, &doc); k++) {
    const char *value = fs_session_setting(w->s, name);
    const char *old = json_string_value(json_object_get(w->settings, name));
    if (old && !strcmp(old, value)) continue;
    json_object_set_new(w->settings, name, json_string(value));
    json_object_set_new(changed, name, json_string(value));
  }
  json_object_set_new(state, "settings", changed);
}

/* What `:pin` chose is told whole, for it is kept by blocks, not by names. */
static void tell_pins(struct worker *w, json_t *state) {
  json_t *now = fs_kernel_pins_json(w->s);
  if (!json_equal(now, w->pins)) json_object_set(state, "pins", now);
  json_decref(w->pins);
  w->pins = now;
}

static bool is_lost(const struct fs_session *s) {
  const struct fs_target *t = s->cuda.target;
  if (fs_ranks_lost()) return true;
  return s->cuda.lost || (t && (t->lost || t->stuck));
}

/* An interrupt does not wait for the kernel that runs. One that goes on would be
 * met by the next input: better say so now, while the front still listens. */
static void settle(const struct fs_session *s) {
  struct fs_target *t = s->cuda.target;
  if (t && t->ops->settle && !is_lost(s))
    t->ops->settle(t, 0.75 * FS_WORKER_PATIENCE);
}

static void tell_memory(struct worker *w, json_t *state) {
  struct fs_target *t = fs_session_target(w->s);
  int64_t used = 0, kept = 0, available = 0;
  t->ops->memory(t, &used, &kept, &available);
  json_t *o = json_object();
  json_object_set_new(o, "used", json_integer(used));
  json_object_set_new(o, "kept", json_integer(kept));
  json_object_set_new(o, "free", json_integer(available));
  json_object_set_new(o, "device",
                      fs_json_text(t->device.name, strlen(t->device.name)));
  json_object_set_new(state, "memory", o);
}

/* File names of any bytes as hex of these: JSON has text only. */
static json_t *as_hex(const char *bytes) {
  struct fs_str s = {0};
  for (const char *p = bytes; *p; p++)
    fs_str_printf(&s, "%02x", (unsigned char)*p);
  json_t *o = json_string(fs_str_text(&s));
  fs_str_free(&s);
  return o;
}

/* What chose the plans of the input's blocks, if it ran any: a session that comes back may
 * plan them by other costs. */
static void tell_planned(struct worker *w, json_t *state) {
  struct fs_runner *r = fs_session_runner(w->s);
  const struct fs_calibration *c = fs_session_target(w->s)->device.calibration;
  int64_t hits, misses;
  double sum = 0;
  fs_runner_cache_stats(r, &hits, &misses);
  bool any = hits + misses != w->blocks;
  w->blocks = hits + misses;
  if (!any) return;
  for (unsigned t = 0; t < FS_TM_COUNT; t++)
    if (c->cost[t] > 0) sum += log(c->cost[t]);
  json_t *o = json_array();
  json_array_append_new(o, json_real(sum));
  json_array_append_new(o, json_integer((json_int_t)fs_tunings_mark(fs_runner_tunings(r))));
  json_object_set_new(state, "planned", o);
}

static json_t *file_json(const struct fs_stamp *s) {
  int64_t v[FS_STAMP_NUMBERS];
  json_t *o = json_array();
  fs_stamp_numbers(s, v);
  json_array_append_new(o, as_hex(s->path));
  for (int k = 0; k < FS_STAMP_NUMBERS; k++)
    json_array_append_new(o, json_integer(v[k]));
  return o;
}

static void tell_witness(struct worker *w, json_t *state) {
  const struct fs_witness *seen = &w->witness;
  json_t *files = json_array(), *times = json_array();
  for (int k = 0; k < seen->read.len; k++)
    json_array_append_new(files, file_json(&seen->read.data[k]));
  for (int k = 0; k < seen->times.len; k++)
    json_array_append_new(times, json_real(seen->times.data[k]));
  json_object_set_new(state, "files", files);
  json_object_set_new(state, "times", times);
  json_t *answers = json_array();
  for (int k = 0; k < seen->answers.len; k++)
    json_array_append_new(answers, json_string(seen->answers.data[k]));
  json_object_set_new(state, "answers", answers);
  json_object_set_new(state, "times_told", json_integer(seen->times_told));
}

/* All that the front keeps of the session, as far as it has changed. */
static json_t *state(struct worker *w) {
  json_t *o = json_object();
  int64_t seed, stream;
  uint64_t stamp = fs_interp_stamp(w->s->in);
  json_object_set_new(o, "changed", json_boolean(stamp != w->told));
  fs_interp_random(w->s->in, &seed, &stream);
  json_t *random = json_array();
  json_array_append_new(random, json_integer(seed));
  json_array_append_new(random, json_integer(stream));
  json_object_set_new(o, "random", random);
  if (!is_lost(w->s)) {
    tell_variables(w, o);
    if (stamp != w->told || !w->told) tell_memory(w, o);
  }
  json_object_set_new(o, "lost", json_boolean(is_lost(w->s)));
  json_object_set_new(o, "rank", json_boolean(fs_ranks_lost()));
  json_object_set_new(o, "stuck", json_boolean(w->s->cuda.target &&
                                               w->s->cuda.target->stuck));
  tell_settings(w, o);
  tell_pins(w, o);
  tell_witness(w, o);
  if (!is_lost(w->s)) tell_planned(w, o);
  w->told = stamp;
  return o;
}

/* -- requests -------------------------------------------------------------- */

/* The blob of a request as two texts, each with its NUL. */
struct texts {
  char *name, *text;
  size_t len;
};

static bool take_texts(const struct fs_frame *f, struct texts *out) {
  json_int_t n = json_integer_value(json_object_get(f->head, "name_len"));
  if (n < 0 || (size_t)n > f->len) return false;
  out->name = fs_strndup(f->blob, (size_t)n);
  out->len = f->len - (size_t)n;
  out->text = fs_malloc(out->len + 1);
  if (out->len) memcpy(out->text, f->blob + n, out->len);
  out->text[out->len] = 0;
  return true;
}

static void send_done(struct worker *w, int result) {
  json_t *o = json_object();
  json_object_set_new(o, "is", json_string("done"));
  json_object_set_new(o, "result", json_integer(result));
  if (result == FS_RESULT_INTERRUPTED) settle(w->s);
  if (w->done) json_object_set(o, "event", w->done);
  if (result == FS_RESULT_OK) json_object_set_new(o, "past", json_integer(w->s->past_kind));
  json_object_set_new(o, "state", state(w));
  fflush(stdout);
  fflush(stderr);
  pthread_mutex_lock(&w->lock);
  drain(w, true);
  send_frame(w, o);
  w->replay = false;
  pthread_mutex_unlock(&w->lock);
  json_decref(o);
}

/* Puts the session where it was when the input ran first. */
static void prepare(struct worker *w, const json_t *head) {
  size_t k;
  json_t *at, *random = json_object_get(head, "random");
  fs_witness_clear(&w->witness);
  w->replay = json_is_true(json_object_get(head, "replay"));
  w->witness.replay = w->replay;
  json_array_foreach(json_object_get(head, "times"), k, at)
    if (w->replay && k < FS_WITNESS_TIMES)
      *FS_PUSH(&w->witness.times) = json_number_value(at);
  json_array_foreach(json_object_get(head, "answers"), k, at)
    if (json_is_string(at)) fs_witness_answered(json_string_value(at));
  if (json_array_size(random) == 2)
    fs_interp_set_random(w->s->in,
                         json_integer_value(json_array_get(random, 0)),
                         json_integer_value(json_array_get(random, 1)));
}

static void run(struct worker *w, const char *what, const struct fs_frame *f) {
  struct texts t;
  unsigned flags =
      (unsigned)json_integer_value(json_object_get(f->head, "flags"));
  int result = FS_RESULT_ERROR;
  if (!take_texts(f, &t)) _exit(4);
  prepare(w, f->head);
  json_decref(w->done);
  w->done = NULL;
  json_t *started = json_object();
  json_object_set_new(started, "is", json_string("started"));
  send_in_order(w, started);
  json_decref(started);
  if (!strcmp(what, "eval"))
    result = (int)fs_session_eval(w->s, t.name, t.text, t.len,
                                  flags | (w->replay ? FS_EVAL_REPLAY : 0));
  else if (!strcmp(what, "define"))
    result = (int)fs_session_define(w->s, t.name, t.text);
  else
    result = (int)fs_session_set(w->s, t.name, t.text);
  send_done(w, result);
  free(t.name);
  free(t.text);
}

static void start(struct worker *w, const json_t *head) {
  const char *error = NULL;
  struct fs_session_config config = {
    .target = json_string_value(json_object_get(head, "target")),
    .threads = (int)json_integer_value(json_object_get(head, "threads")),
    .on_event = on_event, .user = w, .ask = on_ask};
  w->s = fs_session_new(&config, &error);
  json_t *o = json_object();
  json_object_set_new(o, "is", json_string("ready"));
  if (!w->s)
    json_object_set_new(o, "error",
                        fs_json_text(error ? error : "", strlen(error ? error
                                                                      : "")));
  else
    json_object_set_new(o, "state", state(w));
  send_in_order(w, o);
  json_decref(o);
}

/* The front is the same program: what does not fit its requests is a defect. */
static void serve(struct worker *w, const struct fs_frame *f) {
  const char *what = json_string_value(json_object_get(f->head, "do"));
  if (!what) _exit(4);
  if (!strcmp(what, "start") && !w->s)
    start(w, f->head);
  else if (!w->s)
    return;
  else if (!strcmp(what, "eval") || !strcmp(what, "define") ||
           !strcmp(what, "set"))
    run(w, what, f);
  else if (!strcmp(what, "pins"))
    fs_kernel_pins_restore(w->s, json_object_get(f->head, "pins"));
  else if (!strcmp(what, "remember"))
    fs_session_remember(w->s, f->blob, f->len,
                        (enum fs_past_kind)json_integer_value(json_object_get(f->head, "kind")));
}

static void serve_all(struct worker *w) {
  struct fs_frame f;
  for (;;) {
    enum fs_wire_status st;
    while ((st = fs_wire_next(&w->wire, &f)) == FS_WIRE_FRAME) {
      serve(w, &f);
      json_decref(f.head);
    }
    if (st == FS_WIRE_BROKEN) _exit(4);
    struct pollfd p = {.fd = w->wire.fd, .events = POLLIN};
    if (poll(&p, 1, -1) < 0 && errno != EINTR) return;
    if (p.revents && !fs_wire_fill(&w->wire)) return;
  }
}

/* -- the process ----------------------------------------------------------- */

static void on_interrupt(int number) {
  (void)number;
  fs_interrupt_request();
}

/* It must not outlive its front: the kernel ends it with the thread that made it,
 * and watch() when the socket closes. */
static bool join_front(int argc, char **argv) {
  long parent = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
  struct sigaction action = {.sa_handler = on_interrupt};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) return false;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
  setvbuf(stdout, NULL, _IOLBF, 1 << 12);
  for (int fd = FS_WORKER_SOCKET; fd <= FS_WORKER_ERRORS; fd++)
    if (fcntl(fd, F_SETFD, FD_CLOEXEC)) return false;
  return true;
}

int fs_worker_main(int argc, char **argv) {
  static struct worker w = {
    .wire = {.fd = FS_WORKER_SOCKET},
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .captures = {{.stream = "stdout", .fd = FS_WORKER_OUTPUT},
                 {.stream = "stderr", .fd = FS_WORKER_ERRORS}}};
  pthread_t thread;
  sigset_t all, old;
  if (!join_front(argc, argv)) return 4;
  w.stamps = json_object();
  w.settings = json_object();
  w.pins = json_array();
  fs_witness_set(&w.witness);
  sigfillset(&all); /* signals are the main thread's */
  pthread_sigmask(SIG_SETMASK, &all, &old);
  bool watched = !pthread_create(&thread, NULL, watch, &w);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (!watched) return 4;
  serve_all(&w);
  _exit(0); /* no time is lost with giving back what the system takes */
}

int fs_worker_compile(int argc, char **argv) { return fs_compiler_main(argc, argv); }
