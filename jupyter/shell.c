/* shell.c - the thread with the session: it owns the shell and stdin sockets and
 * the worker. One loop waits for all of them, so nothing here takes long: while
 * an input runs in the worker, completion, help and history are answered at once
 * from what the front knows. Inputs wait in a queue and run one by one. */
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <zmq.h>

#include "jupyter/answers.h"
#include "jupyter/cell.h"
#include "jupyter/comms.h"
#include "jupyter/history.h"

enum phase { IDLE, RUNNING, EXPRESSIONS, CHOOSING };

struct shell {
  struct fs_server *s;
  void *router, *input, *door, *port;
  struct fs_worker *worker;
  bool stopped;            /* no more inputs: the end is near */
  FS_VEC(struct fs_request *) queue;
  enum phase phase;
  struct fs_request *running;
  struct fs_cell cell;
  int count;               /* inputs so far */
  char started[40];
  bool asking;             /* an input_request waits for its reply */
  struct {                 /* the last failure that ends a Run All */
    char *session;         /* of the client that sent the input */
    char *subshell;        /* that it was for */
    int64_t at, ahead;     /* milliseconds: when; our clock ahead of the client's */
    double until;          /* when what was sent before it has arrived */
  } failure;

  /* After an input that went well: its user_expressions, one by one. */
  json_t *reply, *expressions, *results;
  void *expression;        /* iterator */
  json_t *value, *trouble; /* of the one that runs */

  FS_VEC(char *) subshells; /* their ids */
  char *last_served;        /* the subshell of the input that began last */

  struct fs_comms comms;
  struct fs_choice choice; /* the message of one that runs */
};

/* A round takes so many messages at most, and what is not for us for so long, that a flood
 * of them does not keep the worker waiting. */
enum { AT_ONCE = 256 };
static const double HOSTILE_SECONDS = .005;

/* -- replies ----------------------------------------------------------------- */

static void reply(struct shell *h, const struct fs_request *r,
                  json_t *content) {
  char type[64];
  json_t *metadata = NULL;
  snprintf(type, sizeof type, "%.*s_reply",
           (int)FS_MIN(strlen(r->type) - strlen("_request"), (size_t)40),
           r->type);
  if (r == h->running)
    metadata = json_pack("{ss sb}", "started", h->started, "dependencies_met",
                         1);
  fs_net_reply(h->s, h->router, r, type, content, metadata);
}

static bool wants(const struct fs_request *r, const char *key, bool otherwise) {
  json_t *v = json_object_get(r->content, key);
  return json_is_boolean(v) ? json_is_true(v) : otherwise;
}

/* Without a count: JupyterLab would number the cell as if it had run. */
static void abort_one(struct shell *h, struct fs_request *r) {
  fs_publish_status(h->port, r, "busy");
  fs_publish_flush(h->port);
  reply(h, r,
        json_pack("{ss ss ss s[s] s[] s{}}", "status", "error", "ename",
                  "Aborted", "evalue", "an earlier input failed", "traceback",
                  "Aborted: an earlier input failed", "payload",
                  "user_expressions"));
  fs_publish_status(h->port, r, "idle");
  fs_request_free(r);
}

static bool is_input(const struct fs_request *r) { return !strcmp(r->type, "execute_request"); }

/* Inputs of the subshell that wait are not run any more; what is sent from now on is. */
static void abort_queue(struct shell *h, const char *subshell) {
  int kept = 0;
  for (int k = 0; k < h->queue.len; k++) {
    struct fs_request *r = h->queue.data[k];
    if (is_input(r) && !strcmp(r->subshell, subshell)) abort_one(h, r);
    else h->queue.data[kept++] = r;
  }
  h->queue.len = kept;
}

enum { UNSEEN = 100, DAY = 86400000 }; /* milliseconds */

/* How far our clock is ahead of the client's, by a request that came without delay. A
 * date of another day is no clock's. */
static int64_t clock_ahead(const struct fs_request *r) {
  int64_t ahead = r->received - r->sent;
  return r->sent < 0 || ahead > DAY || ahead < -DAY ? 0 : ahead;
}

static void note_failure(struct shell *h, const struct fs_request *r) {
  free(h->failure.session);
  free(h->failure.subshell);
  h->failure.session = fs_strdup(r->session);
  h->failure.subshell = fs_strdup(r->subshell);
  h->failure.at = fs_seal_now();
  h->failure.ahead = clock_ahead(r);
  h->failure.until = fs_now() + 1;
}

/* JupyterLab sends the cells of a Run All over some time: one may arrive when an
 * earlier one has failed already, although it was sent before anybody could know.
 * Its date tells, by the client's own clock, of which the input that failed has told
 * how far it is off. The next cell may even be made when this kernel has failed and
 * the browser has not heard of it: what names its cell comes from a notebook, where no
 * person answers a failure within a tenth of a second. Other programs that send after
 * the failure are never meant, nor other clients. */
static bool sent_before_failure(const struct shell *h,
                                const struct fs_request *r) {
  if (fs_now() > h->failure.until || r->sent < 0) return false;
  if (strcmp(r->session, h->failure.session)) return false;
  if (strcmp(r->subshell, h->failure.subshell)) return false;
  bool cell = json_object_get(r->metadata, "cellId") != NULL;
  int64_t sent = r->sent + h->failure.ahead;
  return sent < h->failure.at + (cell ? UNSEEN : 0) && sent > h->failure.at - DAY;
}

/* -- the course of an input -------------------------------------------------- */

static void receive_all(struct shell *h);

static void finish(struct shell *h, bool failed) {
  struct fs_request *r = h->running;
  bool stop = failed && wants(r, "stop_on_error", true);
  if (stop) {
    note_failure(h, r);
    receive_all(h); /* what was sent before the reply is known */
  }
  fs_publish_flush(h->port);
  reply(h, r, h->reply);
  h->reply = NULL;
  fs_publish_status(h->port, r, "idle");
  h->phase = IDLE;
  h->running = NULL;
  fs_cell_free(&h->cell);
  if (stop) abort_queue(h, r->subshell);
  fs_request_free(r);
}

static bool evaluate(struct shell *h, const char *text, size_t len,
                     unsigned flags) {
  char name[32];
  snprintf(name, sizeof name, "<cell:%d>", h->cell.count);
  return fs_worker_eval(h->worker, name, text, len, flags);
}

static bool next_expression(struct shell *h) {
  if (!h->expression) return false;
  json_t *code = json_object_iter_value(h->expression);
  h->value = h->trouble = NULL;
  return json_is_string(code) &&
         evaluate(h, json_string_value(code), json_string_length(code),
                  FS_EVAL_BLOCK);
}

static json_t *expression_result(struct shell *h) {
  if (!h->trouble && h->value)
    return json_pack("{ss sO s{}}", "status", "ok", "data", h->value,
                     "metadata");
  json_t *t = h->trouble;
  json_t *id = json_object_get(t, "id"), *words = json_object_get(t, "message");
  const char *picture =
      json_string_value(json_object_get(t, "rendered"));
  if (!t)
    return json_pack("{ss ss ss s[]}", "status", "error", "ename", "no-value",
                     "evalue", "the expression gives no value", "traceback");
  return json_pack("{ss sO sO s[s]}", "status", "error", "ename", id, "evalue",
                   words, "traceback", picture ? picture : "");
}

static void end_expression(struct shell *h) {
  json_object_set_new(h->results, json_object_iter_key(h->expression),
                      expression_result(h));
  json_decref(h->value);
  json_decref(h->trouble);
  h->value = h->trouble = NULL;
  h->expression = json_object_iter_next(h->expressions, h->expression);
}

static void run_expressions(struct shell *h) {
  while (h->expression && !next_expression(h)) end_expression(h);
  if (h->expression) return;
  json_object_set_new(h->reply, "user_expressions", h->results);
  h->results = h->expressions = NULL;
  finish(h, false);
}

static bool is_blank(const char *text) {
  return !text[strspn(text, " \t\r\n")];
}

/* Whether an input has a number, and a place in the history. */
static bool counts(const struct fs_request *r) {
  const char *code = json_string_value(json_object_get(r->content, "code"));
  return code && !is_blank(code) && !wants(r, "silent", false) &&
         wants(r, "store_history", true);
}

/* The next command line of a comm's message; behind the last its answer. */
static void choose_on(struct shell *h) {
  const char *line;
  while ((line = fs_choice_next(&h->choice, h->s))) {
    if (fs_worker_eval(h->worker, "<plan>", line, strlen(line), FS_EVAL_BLOCK)) return;
    fs_choice_took(&h->choice, FS_RESULT_ERROR);
  }
  struct fs_request *r = h->running;
  fs_choice_end(&h->choice);
  fs_choice_free(&h->choice);
  fs_publish_status(h->port, r, "idle");
  h->phase = IDLE;
  h->running = NULL;
  fs_request_free(r);
}

static void begin_choice(struct shell *h, struct fs_request *r) {
  fs_publish_status(h->port, r, "busy");
  if (fs_choice_begin(&h->choice, &h->comms, h->port, r)) {
    h->running = r;
    h->phase = CHOOSING;
    choose_on(h);
    return;
  }
  fs_choice_free(&h->choice);
  fs_publish_status(h->port, r, "idle");
  fs_request_free(r);
}

/* The worker is done with an input. */
static void ended(struct shell *h) {
  bool failed;
  if (h->phase == CHOOSING) {
    fs_choice_took(&h->choice, fs_worker_result(h->worker));
    choose_on(h);
    return;
  }
  if (h->phase == EXPRESSIONS) {
    end_expression(h);
    run_expressions(h);
    return;
  }
  h->asking = false;
  h->reply = fs_cell_end(&h->cell, fs_worker_result(h->worker), &failed);
  const char *code =
      json_string_value(json_object_get(h->running->content, "code"));
  if (code && counts(h->running))
    fs_past_add(h->count, code, h->cell.result,
                wants(h->running, "allow_stdin", true));
  h->expressions = json_object_get(h->running->content, "user_expressions");
  h->expression = failed ? NULL : json_object_iter(h->expressions);
  if (!h->expression) {
    finish(h, failed);
    return;
  }
  h->results = json_object();
  h->phase = EXPRESSIONS;
  run_expressions(h);
}

static void begin(struct shell *h, struct fs_request *r) {
  json_t *code = json_object_get(r->content, "code");
  const char *text = json_string_value(code);
  bool silent = json_is_true(json_object_get(r->content, "silent"));
  fs_seal_date(h->started);
  h->running = r;
  h->phase = RUNNING;
  h->count += counts(r);
  fs_cell_begin(&h->cell, h->s, h->port, r, h->count);
  fs_publish_status(h->port, r, "busy");
  if (!silent)
    fs_publish(h->port, r, "execute_input",
               json_pack("{ss si}", "code", text ? text : "",
                         "execution_count", h->count), NULL);
  unsigned flags = FS_EVAL_BLOCK | (silent ? FS_EVAL_SILENT : 0);
  if (text && evaluate(h, text, json_string_length(code), flags)) return;
  bool failed;
  fs_cell_fail(&h->cell, "request", "the request has no code");
  h->reply = fs_cell_end(&h->cell, FS_RESULT_ERROR, &failed);
  finish(h, failed);
}

/* Subshells take turns: what waits for another one than the last comes first. */
static struct fs_request *take_next(struct shell *h) {
  int k = 0;
  while (k < h->queue.len && h->last_served && !strcmp(h->queue.data[k]->subshell, h->last_served))
    k++;
  if (k == h->queue.len) k = 0;
  struct fs_request *r = h->queue.data[k];
  h->queue.len--;
  memmove(h->queue.data + k, h->queue.data + k + 1,
          sizeof *h->queue.data * (size_t)(h->queue.len - k));
  free(h->last_served);
  h->last_served = fs_strdup(r->subshell);
  return r;
}

static void begin_next(struct shell *h) {
  while (h->phase == IDLE && h->queue.len && !h->stopped) {
    struct fs_request *r = take_next(h);
    if (is_input(r)) begin(h, r);
    else begin_choice(h, r);
  }
}

/* -- what the worker says ---------------------------------------------------- */

/* False: the client that sent the input has no connection for questions. One that has just
 * opened it may still shake hands: cut off then, it would answer where nobody listens. One
 * whose routing id was taken when it came gets it when it comes again. */
static bool ask_client(struct shell *h, const char *prompt, bool password) {
  enum { TRIES = 24, HANDS = 5, PAUSE = 50000000 };
  for (int k = 0; k < TRIES; k++) {
    if (fs_net_reply(h->s, h->input, h->running, "input_request",
                     json_pack("{ss sb}", "prompt", prompt, "password", (int)password),
                     NULL))
      return true;
    if (k == HANDS) fs_guard_clear(h->s, FS_STDIN);
    nanosleep(&(struct timespec){0, PAUSE}, NULL);
  }
  return false;
}

/* ask() in the language: a question for who sent the input. */
static void on_ask(struct shell *h, const json_t *event) {
  const char *prompt = json_string_value(json_object_get(event, "prompt"));
  struct fs_request *old;
  enum fs_received got;
  if (!wants(h->running, "allow_stdin", true)) {
    fs_worker_answer(h->worker, NULL);
    return;
  }
  double until = fs_now() + HOSTILE_SECONDS;
  while ((got = fs_net_receive(h->s, h->input, &old)) == FS_GOT ||
         (got == FS_DROPPED && fs_now() < until))
    if (got == FS_GOT) fs_request_free(old); /* answers nobody waits for */
  fs_publish_flush(h->port);
  h->asking = ask_client(h, prompt ? prompt : "",
                         json_is_true(json_object_get(event, "password")));
  if (!h->asking) fs_worker_answer(h->worker, NULL);
}

/* An answer from the client that was asked: a client has one address on all of its
 * sockets. Others have the key too, but their user has not seen the question. */
static bool is_answer(const struct shell *h, const struct fs_request *r) {
  const struct fs_request *asked = h->running;
  if (strcmp(r->type, "input_reply") || r->ids.len != asked->ids.len) return false;
  for (int k = 0; k < r->ids.len; k++)
    if (r->ids.data[k].len != asked->ids.data[k].len ||
        memcmp(r->ids.data[k].data, asked->ids.data[k].data, r->ids.data[k].len))
      return false;
  return true;
}

static void on_input(struct shell *h, const struct fs_request *r) {
  json_t *value = json_object_get(r->content, "value");
  const char *text = json_string_value(value);
  if (!h->asking || !is_answer(h, r)) return;
  h->asking = false;
  fs_worker_answer(h->worker, text && strcmp(text, "\004") ? text : NULL);
}

/* With `:set rebuild ask`: whether the inputs are to run again. Called inside of a
 * pump, so only the answer and the end of the kernel are waited for. Nobody to ask:
 * yes. */
static bool on_rebuild(void *user, int inputs, double seconds) {
  struct shell *h = user;
  struct fs_request *r = NULL;
  char words[128];
  bool yes = true, waiting = true;
  if (!h->running || !wants(h->running, "allow_stdin", true)) return true;
  snprintf(words, sizeof words, "run %d input%s again, about %.1f s? [Y/n] ",
           inputs, inputs == 1 ? "" : "s", seconds);
  fs_publish_flush(h->port);
  if (!ask_client(h, words, false)) return true;
  zmq_pollitem_t items[] = {{h->input, 0, ZMQ_POLLIN, 0},
                            {h->door, 0, ZMQ_POLLIN, 0}};
  while (waiting && zmq_poll(items, 2, -1) >= 0) {
    if (items[1].revents) return false; /* control has something: usually the end */
    if (fs_net_receive(h->s, h->input, &r) != FS_GOT) continue;
    const char *text =
        json_string_value(json_object_get(r->content, "value"));
    waiting = !is_answer(h, r);
    yes = waiting || !text || (*text != 'n' && *text != 'N' && *text != '\004');
    fs_request_free(r);
  }
  return yes;
}

/* Between inputs: a worker that died, or was replaced. */
static void on_idle_event(struct shell *h, const json_t *event) {
  const char *text = json_string_value(json_object_get(event, "text"));
  if (!text) text = json_string_value(json_object_get(event, "message"));
  if (!text) return;
  fs_log("%s", text);
  fs_publish_text(h->port, NULL, "stderr", text, strlen(text));
  if (!*text || text[strlen(text) - 1] != '\n')
    fs_publish_text(h->port, NULL, "stderr", "\n", 1);
}

static void on_event(void *user, const json_t *event) {
  struct shell *h = user;
  const char *name = json_string_value(json_object_get(event, "event"));
  if (!name) return;
  if (h->phase == RUNNING && !strcmp(name, "ask")) {
    on_ask(h, event);
  } else if (h->phase == RUNNING) {
    fs_cell_event(&h->cell, event);
  } else if (h->phase != IDLE && !strcmp(name, "ask")) {
    fs_worker_answer(h->worker, NULL); /* a front end computes them: nobody reads */
  } else if (h->phase == CHOOSING) {
    fs_choice_event(&h->choice, event);
  } else if (h->phase == EXPRESSIONS) {
    if (!strcmp(name, "value") && !h->value)
      h->value = json_incref(json_object_get(event, "data"));
    const char *severity =
        json_string_value(json_object_get(event, "severity"));
    if (severity && !strcmp(severity, "error") && !h->trouble)
      h->trouble = json_incref((json_t *)(uintptr_t)event);
  } else {
    on_idle_event(h, event);
  }
}

/* -- requests ---------------------------------------------------------------- */

static void publish_close(struct shell *h, const struct fs_request *r, const char *id,
                          json_t *gives_data) {
  fs_publish(h->port, r, "comm_close",
             json_pack("{ss so}", "comm_id", id ? id : "", "data",
                       gives_data ? gives_data : json_object()), NULL);
}

static void open_comm(struct shell *h, const struct fs_request *r) {
  const char *id = json_string_value(json_object_get(r->content, "comm_id"));
  char *oldest = NULL;
  json_t *refused = fs_comms_open(&h->comms, h->s, r->content, &oldest);
  if (oldest) publish_close(h, r, oldest, NULL);
  if (refused) publish_close(h, r, id, refused);
  free(oldest);
}

static json_t *connect_info(const struct fs_server *s) {
  const int *p = s->connection.port;
  return json_pack("{ss si si si si si}", "status", "ok", "shell_port",
                   p[FS_SHELL], "iopub_port", p[FS_IOPUB], "stdin_port",
                   p[FS_STDIN], "control_port", p[FS_CONTROL], "hb_port",
                   p[FS_HEART]);
}

/* The content of the reply, or NULL where there is none. */
static json_t *answer(struct shell *h, const struct fs_request *r) {
  if (!strcmp(r->type, "kernel_info_request")) return fs_kernel_info();
  if (!strcmp(r->type, "comm_info_request")) return fs_comms_info(&h->comms, r->content);
  if (!strcmp(r->type, "connect_request")) return connect_info(h->s);
  if (!strcmp(r->type, "history_request")) return fs_past_answer(r->content);
  if (h->stopped) return NULL;
  if (!strcmp(r->type, "complete_request"))
    return fs_answer_complete(h->worker, r->content);
  if (!strcmp(r->type, "inspect_request"))
    return fs_answer_inspect(h->worker, r->content);
  if (!strcmp(r->type, "is_complete_request"))
    return fs_answer_is_complete(h->worker, r->content);
  return NULL;
}

static void stop(struct shell *h) {
  if (h->stopped) return;
  h->stopped = true;
  fs_server_set_worker(h->s, NULL);
  fs_worker_free(h->worker);
  h->worker = NULL;
  fs_past_close();
  if (h->phase == IDLE) return;
  h->phase = IDLE; /* what was running gets no answer */
  fs_cell_free(&h->cell);
  fs_choice_free(&h->choice);
  fs_request_free(h->running);
  json_decref(h->reply);
  json_decref(h->results);
  json_decref(h->value);
  json_decref(h->trouble);
  h->running = NULL;
  h->reply = h->results = h->value = h->trouble = NULL;
}

/* Deprecated here, but some still send it. */
static void shut_down(struct shell *h, const struct fs_request *r) {
  bool restart = json_is_true(json_object_get(r->content, "restart"));
  json_t *content =
      json_pack("{ss sb}", "status", "ok", "restart", (int)restart);
  stop(h);
  atomic_store(&h->s->stopping, true);
  fs_publish(h->port, r, "shutdown_reply", json_incref(content), NULL);
  fs_publish_flush(h->port);
  reply(h, r, content);
}

/* -- subshells ----------------------------------------------------------------- */

enum { MOST_SUBSHELLS = 64 };

static int find_subshell(const struct shell *h, const char *id) {
  for (int k = 0; k < h->subshells.len; k++)
    if (!strcmp(h->subshells.data[k], id)) return k;
  return -1;
}

static json_t *no_subshell(const char *why) {
  return json_pack("{ss ss ss s[s]}", "status", "error", "ename", "no-subshell", "evalue", why,
                   "traceback", why);
}

static const char not_there[] = "there is no subshell of this id";

/* The reply to what control was asked about them. */
static json_t *answer_subshells(struct shell *h, const struct fs_query *q) {
  if (q->what == FS_ASK_SUBSHELLS) {
    json_t *list = json_array();
    for (int k = 0; k < h->subshells.len; k++)
      json_array_append_new(list, json_string(h->subshells.data[k]));
    return json_pack("{ss so}", "status", "ok", "subshell_id", list);
  }
  if (q->what == FS_ASK_NEW_SUBSHELL) {
    static int made; /* of this one thread */
    struct fs_str id = {0};
    if (h->subshells.len == MOST_SUBSHELLS) return no_subshell("there are 64 subshells already");
    fs_str_printf(&id, "%.8s-%d", h->s->seal.session, ++made);
    *FS_PUSH(&h->subshells) = fs_strdup(fs_str_text(&id));
    json_t *content = json_pack("{ss ss}", "status", "ok", "subshell_id", fs_str_text(&id));
    fs_str_free(&id);
    return content;
  }
  int k = find_subshell(h, q->subshell);
  if (k < 0) return no_subshell(not_there);
  abort_queue(h, q->subshell);
  free(h->subshells.data[k]);
  h->subshells.data[k] = h->subshells.data[--h->subshells.len];
  return json_pack("{ss}", "status", "ok");
}

/* Messages of comms wait for their turn, with inputs. */
static bool has_turn(const struct shell *h, const struct fs_request *r) {
  const char *id = json_string_value(json_object_get(r->content, "comm_id"));
  return is_input(r) || (!strcmp(r->type, "comm_msg") && fs_comms_find(&h->comms, id));
}

/* Whether the request is for a subshell that is not there; then it has been answered. */
static bool goes_astray(struct shell *h, struct fs_request *r) {
  size_t len = strlen(r->type), tail = strlen("_request");
  if (!*r->subshell || find_subshell(h, r->subshell) >= 0) return false;
  fs_publish_status(h->port, r, "busy");
  fs_publish_flush(h->port);
  if (len > tail && !strcmp(r->type + len - tail, "_request")) reply(h, r, no_subshell(not_there));
  fs_publish_status(h->port, r, "idle");
  fs_request_free(r);
  return true;
}

static void on_request(struct shell *h, struct fs_request *r) {
  if (goes_astray(h, r)) return;
  if (has_turn(h, r)) {
    if (is_input(r) && h->phase == IDLE && sent_before_failure(h, r)) abort_one(h, r);
    else *FS_PUSH(&h->queue) = r;
    return;
  }
  fs_publish_status(h->port, r, "busy");
  bool end = !strcmp(r->type, "shutdown_request");
  json_t *content = end ? NULL : answer(h, r);
  if (end) {
    shut_down(h, r);
  } else if (content) {
    reply(h, r, content);
  } else if (!strcmp(r->type, "comm_open")) {
    open_comm(h, r);
  } else if (!strcmp(r->type, "comm_close")) {
    fs_comms_close(&h->comms, json_string_value(json_object_get(r->content, "comm_id")));
  } else if (strncmp(r->type, "comm_", 5)) {
    fs_log("no answer to %.40s", r->type);
  }
  fs_publish_status(h->port, r, "idle");
  fs_request_free(r);
  if (!end) return;
  fs_publish_flush(h->port);
  fs_server_stop(h->s);
}

static void receive_all(struct shell *h) {
  struct fs_request *r;
  double until = fs_now() + HOSTILE_SECONDS;
  for (int k = 0; k < AT_ONCE; k++) {
    enum fs_received got = fs_net_receive(h->s, h->router, &r);
    if (got == FS_GOT) on_request(h, r);
    else if (got != FS_DROPPED || fs_now() > until) return;
  }
}

static void receive_input(struct shell *h) {
  struct fs_request *r;
  double until = fs_now() + HOSTILE_SECONDS;
  for (int k = 0; k < AT_ONCE; k++) {
    enum fs_received got = fs_net_receive(h->s, h->input, &r);
    if (got == FS_GOT) {
      if (!h->stopped) on_input(h, r);
      fs_request_free(r);
    } else if (got != FS_DROPPED || fs_now() > until) {
      return;
    }
  }
}

static void answer_control(struct shell *h) {
  struct fs_query *q = fs_net_take(h->door, false);
  if (!q) return;
  if (q->what == FS_ASK_STOP) {
    stop(h);
  } else if (q->what != FS_ASK_STATE) {
    q->answer = answer_subshells(h, q);
  } else if (!h->stopped) {
    q->answer = json_pack(
        "{so so si}", "variables",
        json_deep_copy(fs_worker_variables(h->worker)), "memory",
        json_deep_copy(fs_worker_memory(h->worker)), "pid",
        fs_worker_pid(h->worker));
  }
  fs_net_pass(h->door, q);
}

/* -- the thread -------------------------------------------------------------- */

static bool open_worker(struct shell *h) {
  const char *error = NULL;
  struct fs_worker_config config = {.target = h->s->target,
                                    .threads = h->s->threads,
                                    .on_event = on_event, .user = h,
                                    .ask_rebuild = on_rebuild};
  h->worker = fs_worker_new(&config, &error);
  if (!h->worker) {
    fs_log("%s", error ? error : "no session could be started");
    return false;
  }
  fs_server_set_worker(h->s, h->worker);
  return true;
}

/* One round: waits, then serves everybody who has something. */
static bool serve(struct shell *h) {
  zmq_pollitem_t items[] = {{NULL, fs_net_fd(h->router), ZMQ_POLLIN, 0},
                            {NULL, fs_net_fd(h->input), ZMQ_POLLIN, 0},
                            {h->door, 0, ZMQ_POLLIN, 0},
                            {NULL, 0, ZMQ_POLLIN, 0}};
  int n = 3, wait = h->phase == RUNNING ? fs_cell_wait(&h->cell) : -1;
  if (!h->stopped) items[n++].fd = fs_worker_fd(h->worker);
  /* an input may be over before it began: when no worker can be started */
  if (h->phase != IDLE && !fs_worker_busy(h->worker)) wait = 0;
  if (fs_net_ready(h->s, h->router) || fs_net_ready(h->s, h->input)) wait = 0;
  if (zmq_poll(items, n, wait) < 0 && errno != EINTR) return false;
  answer_control(h);
  if (fs_net_ready(h->s, h->input)) receive_input(h);
  if (fs_net_ready(h->s, h->router)) receive_all(h);
  if (!h->stopped) {
    if (items[3].revents) fs_worker_pump(h->worker, 0);
    if (h->phase != IDLE && !fs_worker_busy(h->worker)) ended(h);
    if (h->phase == RUNNING) fs_cell_tick(&h->cell);
  }
  begin_next(h);
  return true;
}

void *fs_shell_run(void *server) {
  struct shell h = {.s = server};
  h.router = h.s->socket[FS_SHELL];
  h.input = h.s->socket[FS_STDIN];
  h.port = fs_iopub_port(h.s);
  h.door = fs_net_inproc(h.s, ZMQ_PAIR, FS_SHELL_DOOR, true);
  fs_publish_status(h.port, NULL, "starting");
  fs_past_open(h.s->persistent);
  if (open_worker(&h)) {
    fs_worker_set(h.worker, "rich", "on");
    fs_worker_set(h.worker, "plan", "line");
    while (serve(&h)) {}
  } else {
    fs_server_stop(h.s);
  }
  stop(&h);
  for (int k = 0; k < h.queue.len; k++) fs_request_free(h.queue.data[k]);
  FS_VEC_FREE(&h.queue);
  free(h.failure.session);
  free(h.failure.subshell);
  free(h.last_served);
  for (int k = 0; k < h.subshells.len; k++) free(h.subshells.data[k]);
  FS_VEC_FREE(&h.subshells);
  fs_comms_free(&h.comms);
  zmq_close(h.router);
  zmq_close(h.input);
  zmq_close(h.door);
  zmq_close(h.port);
  return NULL;
}
