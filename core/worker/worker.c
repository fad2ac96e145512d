/* worker.c - the front's side of a worker: its process, its requests, and the loop
 * that reads what it says. See worker.h; rebuild.c has what comes after a
 * death. */
#include "core/worker/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/spawn.h"

enum {
  HISTORY_KEPT = 1000,
  PRUNE_AT = 300,       /* entries of the journal                           */
  TICK_MS = 50,         /* how often an unanswered interrupt is looked at   */
  PIECE = 64 << 10
};

/* With a flood of output between the two, an interrupt counts as unanswered only
 * after so many times the patience. */
static const double flood_factor = 5;

/* -- events ---------------------------------------------------------------- */

/* The front end's frames are not to be jumped over by anything of ours. */
void fs_worker_emit(struct fs_worker *w, json_t *gives) {
  if (gives && w->config.on_event) w->config.on_event(w->config.user, gives);
  json_decref(gives);
}

void fs_worker_say(struct fs_worker *w, const char *severity, const char *id,
                   const char *message, const char *hint) {
  json_t *e = json_object();
  json_object_set_new(e, "event", json_string("diagnostic"));
  json_object_set_new(e, "severity", json_string(severity));
  json_object_set_new(e, "id", json_string(id));
  json_object_set_new(e, "message", fs_json_text(message, strlen(message)));
  if (hint) json_object_set_new(e, "hint", fs_json_text(hint, strlen(hint)));
  fs_worker_emit(w, e);
}

/* What the process had written when it ended, to one of its streams. */
static void take_leftovers(struct fs_worker *w, int k) {
  struct fs_str all = {0};
  char *piece = fs_malloc(PIECE);
  ssize_t n;
  while ((n = read(w->pipes[k], piece, PIECE)) > 0 || (n < 0 && errno == EINTR))
    if (n > 0) fs_str_put(&all, piece, (size_t)n);
  free(piece);
  if (all.len) {
    json_t *e = json_object();
    json_object_set_new(e, "event", json_string("text"));
    json_object_set_new(e, "stream", json_string(k ? "stderr" : "stdout"));
    json_object_set_new(e, "text", fs_json_text(all.data, all.len));
    fs_worker_emit(w, e);
  }
  fs_str_free(&all);
}

/* -- the process ----------------------------------------------------------- */

/* All ends are closed on exec; those that the worker is to have are moved above
 * the numbers that it finds them under, so that no move hides another. */
static bool above(int *fd) {
  if (*fd < 0 || *fd > FS_WORKER_ERRORS) return *fd >= 0;
  int moved = fcntl(*fd, F_DUPFD_CLOEXEC, FS_WORKER_ERRORS + 1);
  close(*fd);
  *fd = moved;
  return moved >= 0;
}

struct ends { int socket[2], out[2], err[2]; };

static void close_pair(int fd[2]) {
  for (int k = 0; k < 2; k++)
    if (fd[k] >= 0) close(fd[k]);
}

static bool open_ends(struct ends *e) {
  *e = (struct ends){{-1, -1}, {-1, -1}, {-1, -1}};
  bool ok = !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, e->socket) &&
            !pipe2(e->out, O_CLOEXEC) && !pipe2(e->err, O_CLOEXEC);
  for (int k = 0; k < 2 && ok; k++)
    ok = above(&e->socket[k]) && above(&e->out[k]) && above(&e->err[k]);
  if (ok)
    ok = !fcntl(e->out[0], F_SETFL, O_NONBLOCK) &&
         !fcntl(e->err[0], F_SETFL, O_NONBLOCK);
  if (ok) return true;
  close_pair(e->socket), close_pair(e->out), close_pair(e->err);
  return false;
}

static int spawn(const struct fs_worker *w, const struct ends *e, pid_t *pid) {
  char parent[24], program[] = "fusible", flag[] = "--worker";
  char *argv[] = {program, flag, parent, NULL};
  posix_spawn_file_actions_t files;
  snprintf(parent, sizeof parent, "%ld", (long)getpid());
  if (posix_spawn_file_actions_init(&files)) return ENOMEM;
  int bad = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY,
                                             0);
  bad |= posix_spawn_file_actions_adddup2(&files, e->out[1], 1);
  bad |= posix_spawn_file_actions_adddup2(&files, e->err[1], 2);
  bad |= posix_spawn_file_actions_adddup2(&files, e->socket[1],
                                          FS_WORKER_SOCKET);
  bad |= posix_spawn_file_actions_adddup2(&files, e->out[0], FS_WORKER_OUTPUT);
  bad |= posix_spawn_file_actions_adddup2(&files, e->err[0], FS_WORKER_ERRORS);
  bad |= posix_spawn_file_actions_addclosefrom_np(&files,
                                                  FS_WORKER_ERRORS + 1);
  if (!bad) bad = fs_spawn_apart(pid, w->program, argv, &files);
  posix_spawn_file_actions_destroy(&files);
  return bad;
}

static void send_start(struct fs_worker *w) {
  json_t *o = json_object();
  json_object_set_new(o, "do", json_string("start"));
  if (w->target) json_object_set_new(o, "target", json_string(w->target));
  json_object_set_new(o, "threads", json_integer(w->config.threads));
  fs_wire_put(&w->wire, o, NULL, 0);
  json_decref(o);
}

static void watch(struct fs_worker *w, int fd, uint32_t events) {
  struct epoll_event e = {.events = events, .data.fd = fd};
  if (epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &e) && errno == EEXIST)
    epoll_ctl(w->epoll, EPOLL_CTL_MOD, fd, &e);
}

/* Waits for room to send only while there is something to send. */
static void watch_socket(struct fs_worker *w) {
  if (w->wire.fd >= 0)
    watch(w, w->wire.fd,
          EPOLLIN | (fs_wire_pending(&w->wire) ? (uint32_t)EPOLLOUT : 0u));
}

static void flush_wire(struct fs_worker *w) {
  fs_wire_flush(&w->wire, false); /* a death is seen by reading */
  watch_socket(w);
}

bool fs_worker_spawn(struct fs_worker *w) {
  struct ends e;
  pid_t pid = 0;
  if (!open_ends(&e)) return false;
  int bad = spawn(w, &e, &pid);
  close(e.socket[1]), close(e.out[1]), close(e.err[1]);
  if (bad) {
    close(e.socket[0]), close(e.out[0]), close(e.err[0]);
    errno = bad;
    return false;
  }
  w->wire = (struct fs_wire){.fd = e.socket[0]};
  w->pipes[0] = e.out[0];
  w->pipes[1] = e.err[0];
  atomic_store(&w->pid, pid);
  w->phase = FS_WORKER_STARTING;
  w->interrupted = 0;
  w->asking = w->served = false;
  send_start(w);
  flush_wire(w);
  return true;
}

int fs_worker_reap(struct fs_worker *w) {
  int status = 0;
  pid_t pid = atomic_load(&w->pid);
  if (!pid) return 0;
  /* A process that ended by itself keeps its own status. */
  pid_t got = waitpid(pid, &status, WNOHANG);
  if (got == 0) {
    kill(pid, SIGKILL);
    while ((got = waitpid(pid, &status, 0)) < 0 && errno == EINTR) {}
  }
  atomic_store(&w->pid, 0); /* from here on nobody may signal it */
  for (int k = 0; k < 2; k++) {
    take_leftovers(w, k);
    close(w->pipes[k]);
    w->pipes[k] = -1;
  }
  fs_wire_free(&w->wire);
  return got == pid ? status : 0;
}

/* -- life ------------------------------------------------------------------ */

static char *copy_or_null(const char *text) {
  return text ? fs_strdup(text) : NULL;
}

static bool open_loop(struct fs_worker *w) {
  w->epoll = epoll_create1(EPOLL_CLOEXEC);
  w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  w->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (w->epoll < 0 || w->wake < 0 || w->timer < 0) return false;
  watch(w, w->wake, EPOLLIN);
  watch(w, w->timer, EPOLLIN);
  return true;
}

struct fs_worker *fs_worker_new(const struct fs_worker_config *config,
                                const char **error) {
  static char words[256];
  struct fs_worker *w = fs_calloc(1, sizeof *w);
  struct fs_session_config local = {.target = "cpu", .threads = 1};
  w->config = *config;
  w->program = fs_strdup(config->program ? config->program : "/proc/self/exe");
  w->target = copy_or_null(config->target);
  w->wire.fd = w->pipes[0] = w->pipes[1] = -1;
  w->memory = json_object();
  bool ok = open_loop(w) && fs_worker_spawn(w);
  if (!ok)
    snprintf(words, sizeof words,
             "the session's process could not be started: %s", strerror(errno));
  *error = words;
  if (ok) ok = (w->mirror = fs_session_new(&local, error)) != NULL;
  if (ok) {
    fs_mirror_update(w->mirror, NULL);
    return w;
  }
  fs_worker_free(w);
  return NULL;
}

void fs_worker_free(struct fs_worker *w) {
  if (!w) return;
  w->config.on_event = NULL;
  fs_worker_reap(w);
  int fds[] = {w->epoll, w->wake, w->timer};
  for (size_t k = 0; k < FS_LEN(fds); k++)
    if (fds[k] >= 0) close(fds[k]);
  fs_journal_clear(&w->journal);
  fs_entry_free(w->request.entry);
  fs_session_free(w->mirror);
  for (int k = 0; k < w->history.len; k++) free(w->history.data[k].text);
  FS_VEC_FREE(&w->history);
  fs_str_free(&w->rebuild.missing);
  json_decref(w->rebuild.changed);
  json_decref(w->rebuild.functions);
  json_decref(w->memory);
  json_decref(w->random);
  json_decref(w->pins);
  free(w->program);
  free(w->target);
  free(w->error);
  free(w);
}

/* -- requests -------------------------------------------------------------- */

void fs_worker_send(struct fs_worker *w, const struct fs_entry *e,
                    bool replay) {
  static const char *const what[] = {"eval", "define", "set"};
  json_t *o = json_object();
  struct fs_str blob = {0};
  json_object_set_new(o, "do", json_string(what[e->kind]));
  json_object_set_new(o, "name_len", json_integer((json_int_t)strlen(e->name)));
  json_object_set_new(o, "flags", json_integer((json_int_t)e->flags));
  if (e->random) json_object_set(o, "random", e->random);
  if (replay) {
    json_object_set_new(o, "replay", json_true());
    if (e->times) json_object_set(o, "times", e->times);
    if (e->answers) json_object_set(o, "answers", e->answers);
  }
  fs_str_puts(&blob, e->name);
  fs_str_put(&blob, e->text, e->len);
  fs_wire_put(&w->wire, o, blob.data, blob.len);
  fs_str_free(&blob);
  json_decref(o);
  flush_wire(w);
}

static json_t *done_event(const char *status, double seconds) {
  json_t *e = json_object();
  json_object_set_new(e, "event", json_string("done"));
  json_object_set_new(e, "status", json_string(status));
  json_object_set_new(e, "seconds", json_real(seconds));
  return e;
}

/* The request is over; what it was is forgotten unless the journal has it. */
void fs_worker_end_request(struct fs_worker *w, enum fs_result result,
                           const json_t *done) {
  bool eval = w->request.on && w->request.kind == FS_ENTRY_EVAL;
  double seconds = fs_now() - w->request.began;
  fs_entry_free(w->request.entry);
  w->request = (struct fs_request){.on = false};
  w->result = result;
  w->interrupted = 0;
  w->asking = false;
  atomic_store(&w->interrupt, false);
  if (!eval) return;
  if (done) fs_worker_emit(w, json_deep_copy(done));
  else
    fs_worker_emit(w, done_event(result == FS_RESULT_INTERRUPTED
                                     ? "interrupted" : "environment",
                                 seconds));
}

void fs_worker_end_interrupted(struct fs_worker *w) {
  fs_worker_say(w, "note", "interrupted", "interrupted", NULL);
  fs_worker_end_request(w, FS_RESULT_INTERRUPTED, NULL);
}

void fs_worker_go_on(struct fs_worker *w) {
  struct fs_request *r = &w->request;
  if (w->phase == FS_WORKER_FAILED && r->on) {
    fs_worker_say(w, "error", "worker-failed",
                  w->error ? w->error
                           : "the session's process could not be started", NULL);
    fs_worker_end_request(w, FS_RESULT_ENVIRONMENT, NULL);
  }
  if (w->phase != FS_WORKER_IDLE || !r->on) return;
  if (r->ended) {
    fs_worker_end_request(w, FS_RESULT_ENVIRONMENT, NULL);
    return;
  }
  json_decref(r->entry->random);
  r->entry->random = json_incref(w->random);
  r->sent++;
  w->phase = FS_WORKER_RUNNING;
  fs_worker_send(w, r->entry, false);
}

static bool request(struct fs_worker *w, enum fs_entry_kind kind,
                    const char *name, const char *text, size_t len,
                    unsigned flags) {
  if (w->request.on || len + strlen(name) > FS_WIRE_BLOB_MAX) return false;
  w->request = (struct fs_request){
    .on = true, .kind = kind, .entry = fs_entry_new(kind, name, text, len, flags),
    .began = fs_now()};
  atomic_store(&w->interrupt, false);
  w->result = FS_RESULT_ENVIRONMENT;
  if (w->phase == FS_WORKER_FAILED) fs_worker_retry(w);
  else fs_worker_go_on(w);
  return true;
}

/* The lines of :history, for the next worker. */
static void keep_history(struct fs_worker *w, const char *text, size_t len) {
  if (len > 1 << 20) return;
  if (w->history.len == HISTORY_KEPT) {
    free(w->history.data[0].text);
    memmove(w->history.data, w->history.data + 1,
            sizeof *w->history.data * (HISTORY_KEPT - 1));
    w->history.len--;
  }
  char *copy = fs_strndup(text, len); /* first: without memory the list stays as it is */
  *FS_PUSH(&w->history) = (struct fs_past_input){copy, FS_PAST_FAILED};
}

bool fs_worker_eval(struct fs_worker *w, const char *name, const char *text,
                    size_t len, unsigned flags) {
  if (w->request.on) return false;
  if (!(flags & FS_EVAL_REPLAY)) keep_history(w, text, len);
  return request(w, FS_ENTRY_EVAL, name, text, len, flags);
}

static enum fs_result finish(struct fs_worker *w) {
  while (w->request.on) fs_worker_pump(w, -1);
  return w->result;
}

enum fs_result fs_worker_run(struct fs_worker *w, const char *name,
                             const char *text, size_t len, unsigned flags) {
  if (!fs_worker_eval(w, name, text, len, flags)) return FS_RESULT_ERROR;
  return finish(w);
}

enum fs_result fs_worker_define(struct fs_worker *w, const char *name,
                                const char *value) {
  if (!request(w, FS_ENTRY_DEFINE, name, value, strlen(value), 0))
    return FS_RESULT_ERROR;
  return finish(w);
}

enum fs_result fs_worker_set(struct fs_worker *w, const char *name,
                             const char *value) {
  if (!request(w, FS_ENTRY_SET, name, value, strlen(value), 0))
    return FS_RESULT_ERROR;
  return finish(w);
}

bool fs_worker_answer(struct fs_worker *w, const char *text) {
  if (!w->asking || w->phase != FS_WORKER_RUNNING) return false;
  json_t *o = json_object();
  json_object_set_new(o, "do", json_string("answer"));
  if (!text) json_object_set_new(o, "end", json_true());
  fs_wire_put(&w->wire, o, text, text ? strlen(text) : 0);
  json_decref(o);
  w->asking = false;
  flush_wire(w);
  return true;
}

/* -- what the worker says -------------------------------------------------- */

void fs_worker_take_state(struct fs_worker *w, const json_t *state) {
  json_t *memory = json_object_get(state, "memory");
  json_t *random = json_object_get(state, "random");
  json_t *pins = json_object_get(state, "pins");
  fs_mirror_update(w->mirror, state);
  if (json_is_object(memory)) {
    json_decref(w->memory);
    w->memory = json_incref(memory);
  }
  if (pins && !w->rebuild.on) {
    json_decref(w->pins);
    w->pins = json_incref(pins);
  }
  if (json_array_size(random) == 2 && !w->rebuild.on) {
    json_decref(w->random);
    w->random = json_incref(random);
  }
}

static void on_ready(struct fs_worker *w, const json_t *head) {
  const char *error = json_string_value(json_object_get(head, "error"));
  if (w->phase != FS_WORKER_STARTING) {
    fs_worker_lost(w, FS_CAUSE_BROKEN);
    return;
  }
  if (error) {
    fs_worker_reap(w);
    free(w->error);
    w->error = fs_strdup(error);
    w->phase = FS_WORKER_FAILED;
    w->rebuild.on = false;
    fs_worker_go_on(w);
    return;
  }
  fs_worker_take_state(w, json_object_get(head, "state"));
  w->phase = FS_WORKER_IDLE;
  if (w->rebuild.on) {
    fs_rebuild_begin(w);
    return;
  }
  fs_worker_go_on(w);
}

/* `:reset -f`, however shortened: there are no variables after it. */
static bool is_reset(const struct fs_worker *w, const struct fs_entry *e) {
  const char *text = e->text + strspn(e->text, " \t\r\n");
  struct fs_str words = {0};
  if (e->kind != FS_ENTRY_EVAL || *text != ':') return false;
  const struct fs_command *c =
      fs_command_find(text + 1, strcspn(text + 1, " \t\r\n"), &words);
  fs_str_free(&words);
  return c && c->id == FS_CMD_RESET && !json_object_size(w->mirror->mirror.variables);
}

/* Commands that leave behind what is neither a variable nor a setting: pins of
 * statements, functions of the user. `:pin` is about the block that ran last, which a
 * rebuilding may not run: what it chose is kept as data (send_pins). */
static bool keeps_more(const struct fs_entry *e) {
  static const char *const names[] = {"fuse", "split", "elem"};
  const char *line = e->kind == FS_ENTRY_EVAL ? e->text : NULL;
  bool found = false;
  for (; line && !found; line = strchr(line, '\n')) {
    struct fs_str words = {0};
    line += strspn(line, " \t\r\n");
    if (*line != ':') continue;
    const struct fs_command *c =
        fs_command_find(line + 1, strcspn(line + 1, " \t\r\n"), &words);
    fs_str_free(&words);
    for (size_t k = 0; c && k < FS_LEN(names); k++)
      found |= !strcmp(c->name, names[k]);
  }
  return found;
}

/* Keeps the input if a session without it would be another one. */
static void enter(struct fs_worker *w, int result, const json_t *state) {
  struct fs_entry *e = w->request.entry;
  fs_entry_outcome(e, result, fs_now() - w->request.began, state);
  if (keeps_more(e)) e->settings = false;
  if (!fs_entry_matters(e, state)) return;
  w->request.entry = NULL;
  if (is_reset(w, e)) fs_journal_reset(&w->journal);
  fs_journal_add(&w->journal, e);
  if (w->journal.list.len > 2 * w->journal.pruned_at + PRUNE_AT)
    fs_journal_prune(&w->journal);
}

/* What came of the input that was the last for :history. */
static void keep_kind(struct fs_worker *w, enum fs_past_kind kind) {
  struct fs_past_input *last = w->history.len ? &w->history.data[w->history.len - 1] : NULL;
  const struct fs_entry *e = w->request.entry;
  if (last && e && e->kind == FS_ENTRY_EVAL && !strncmp(last->text, e->text, e->len))
    last->kind = kind;
}

static void on_done(struct fs_worker *w, const json_t *head) {
  const json_t *state = json_object_get(head, "state");
  const json_t *done = json_object_get(head, "event");
  int result = (int)json_integer_value(json_object_get(head, "result"));
  bool lost = json_is_true(json_object_get(state, "lost"));
  enum fs_worker_cause cause = json_is_true(json_object_get(state, "stuck"))  ? FS_CAUSE_STUCK
                               : json_is_true(json_object_get(state, "rank")) ? FS_CAUSE_RANK
                                                                              : FS_CAUSE_LOST;
  if (w->phase == FS_WORKER_REPLAYING) {
    /* What an interrupt ended may be read here before that there was one is. */
    w->rebuild.cancelled |= atomic_load(&w->interrupt);
    if (lost) fs_worker_lost(w, cause);
    else fs_rebuild_replayed(w, result, state);
    return;
  }
  if (w->phase != FS_WORKER_RUNNING || !w->request.started) {
    fs_worker_lost(w, FS_CAUSE_BROKEN);
    return;
  }
  if (lost) {
    fs_worker_lost(w, cause);
    return;
  }
  fs_worker_take_state(w, state);
  keep_kind(w, (enum fs_past_kind)json_integer_value(json_object_get(head, "past")));
  enter(w, result, state);
  w->phase = FS_WORKER_IDLE;
  fs_worker_end_request(w, (enum fs_result)result,
                        json_is_object(done) ? done : NULL);
}

static void on_frame(struct fs_worker *w, const json_t *head) {
  const char *is = json_string_value(json_object_get(head, "is"));
  const char *event = json_string_value(json_object_get(head, "event"));
  if (is && !strcmp(is, "ready")) {
    on_ready(w, head);
  } else if (is && !strcmp(is, "started")) {
    if (w->phase == FS_WORKER_RUNNING) w->request.started = true;
    w->served = true;
    w->in_vain = 0;
  } else if (is && !strcmp(is, "done")) {
    on_done(w, head);
  } else if (event) {
    w->asking |= !strcmp(event, "ask");
    if (strcmp(event, "done")) /* only ours ends an input */
      fs_worker_emit(w, json_deep_copy(head));
  } else {
    fs_worker_lost(w, FS_CAUSE_BROKEN);
  }
}

/* -- interrupts ------------------------------------------------------------ */

void fs_worker_interrupt(struct fs_worker *w) {
  int error = errno;
  pid_t pid = atomic_load(&w->pid);
  uint64_t one = 1;
  atomic_store(&w->interrupt, true);
  if (pid) kill(pid, SIGINT);
  ssize_t unused = write(w->wake, &one, sizeof one);
  (void)unused;
  errno = error;
}

void fs_worker_pause(struct fs_worker *w, bool stopped) {
  pid_t pid = atomic_load(&w->pid);
  if (pid) kill(pid, stopped ? SIGSTOP : SIGCONT);
}

static void set_timer(struct fs_worker *w, bool on) {
  struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};
  struct itimerspec when = {{0}, {0}};
  if (on) when = (struct itimerspec){tick, tick};
  timerfd_settime(w->timer, 0, &when, NULL);
}

static bool has_input(int fd) {
  struct pollfd p = {.fd = fd, .events = POLLIN};
  return fd >= 0 && poll(&p, 1, 0) > 0;
}

/* An interrupt may come between two inputs of the worker: so it is repeated until the
 * input is over. One that is starting does not listen yet, and would die of it. */
static void insist(struct fs_worker *w) {
  double since = fs_now() - w->interrupted;
  pid_t pid = atomic_load(&w->pid);
  bool silent = !has_input(w->wire.fd) || since > flood_factor *
                                                      FS_WORKER_PATIENCE;
  if (since >= FS_WORKER_PATIENCE && silent) fs_worker_lost(w, FS_CAUSE_STUCK);
  else if (pid && w->phase != FS_WORKER_STARTING) kill(pid, SIGINT);
}

static void interrupt_now(struct fs_worker *w) {
  bool waits = w->phase == FS_WORKER_STARTING && !w->rebuild.on;
  if (w->rebuild.on) w->rebuild.cancelled = true;
  if (waits && w->request.on) fs_worker_end_interrupted(w);
  if (!w->interrupted) w->interrupted = fs_now();
  set_timer(w, true);
}

/* -- the loop -------------------------------------------------------------- */

static void empty(int fd) {
  uint64_t count;
  ssize_t unused = read(fd, &count, sizeof count);
  (void)unused;
}

/* A frame may end the worker: then the wire is another one's, and has nothing yet. */
static void read_frames(struct fs_worker *w) {
  struct fs_frame f;
  enum fs_wire_status st;
  bool open = fs_wire_fill(&w->wire);
  while ((st = fs_wire_next(&w->wire, &f)) == FS_WIRE_FRAME) {
    on_frame(w, f.head);
    json_decref(f.head);
  }
  if (st == FS_WIRE_BROKEN) fs_worker_lost(w, FS_CAUSE_BROKEN);
  else if (!open) fs_worker_lost(w, FS_CAUSE_DIED);
}

static void handle(struct fs_worker *w, const struct epoll_event *e) {
  if (e->data.fd == w->wake) {
    empty(w->wake);
  } else if (e->data.fd == w->timer) {
    empty(w->timer);
    if (w->interrupted) insist(w);
    else set_timer(w, false);
  } else if (e->data.fd == w->wire.fd) {
    if (e->events & EPOLLOUT) flush_wire(w);
    if (e->events & ~(uint32_t)EPOLLOUT) read_frames(w);
  }
}

/* Without memory for its books the front ends, rather than jumping out of them. */
bool fs_worker_pump(struct fs_worker *w, int timeout_ms) {
  struct epoll_event e;
  jmp_buf *guard = fs_oom_guard(NULL);
  fs_worker_go_on(w);
  if (fs_worker_busy(w) || timeout_ms >= 0) {
    int n = epoll_wait(w->epoll, &e, 1, timeout_ms);
    if (n > 0) handle(w, &e);
  }
  if (atomic_exchange(&w->interrupt, false) && fs_worker_busy(w))
    interrupt_now(w);
  fs_oom_guard(guard);
  return fs_worker_busy(w);
}

bool fs_worker_busy(const struct fs_worker *w) {
  return w->request.on || w->rebuild.on;
}

bool fs_worker_ready(struct fs_worker *w, const char **error) {
  while (w->phase == FS_WORKER_STARTING || w->rebuild.on) {
    struct epoll_event e;
    if (epoll_wait(w->epoll, &e, 1, -1) > 0) handle(w, &e);
    if (!atomic_exchange(&w->interrupt, false)) continue;
    fs_worker_reap(w);
    fs_worker_fail(w, "interrupted while the session's process started");
  }
  *error = w->error;
  return w->phase != FS_WORKER_FAILED;
}

/* -- questions ------------------------------------------------------------- */

int fs_worker_fd(const struct fs_worker *w) { return w->epoll; }

enum fs_result fs_worker_result(const struct fs_worker *w) {
  return w->result;
}

struct fs_session *fs_worker_session(struct fs_worker *w) { return w->mirror; }

const json_t *fs_worker_variables(const struct fs_worker *w) {
  return w->mirror->mirror.variables;
}

const json_t *fs_worker_memory(const struct fs_worker *w) { return w->memory; }

int fs_worker_pid(const struct fs_worker *w) {
  return (int)atomic_load(&w->pid);
}
