/* session.c - the session: targets, evaluation under an out-of-memory guard, and
 * everything that happens as events. See session.h for the contract and
 * internal.h for the other files. */
#include "core/plan/plan.h"
#include "core/ranks/ranks.h"
#include "core/run/blocks.h"
#include "core/session/internal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "core/base/account.h"
#include "core/eval/files.h"
#include "core/lang/parse.h"
#include "core/view/view.h"

/* -- what the interpreter reports -------------------------------------------- */

static void on_text(void *user, const char *text, size_t len) {
  fs_session_say(user, "stdout", text, len);
}

static void put_complex(const struct fs_val *v, json_t *e) {
  static const char *const names[] = {"re", "im"};
  for (int k = 0; k < 2 && fs_val_is_complex_number(v); k++)
    if (isfinite(v->complex->part[k].number))
      json_object_set_new(e, names[k], json_real(v->complex->part[k].number));
}

static json_t *value_event(const char *name, const struct fs_val *v,
                           const struct fs_str *text,
                           const struct fs_str *html) {
  const struct fs_tensor *like = fs_val_like(v);
  json_t *e = json_object(), *data = json_object();
  json_object_set_new(e, "event", json_string("value"));
  if (name) fs_set_text(e, "name", name);
  json_object_set_new(e, "kind", json_string(fs_session_kind(v)));
  if (like) {
    json_object_set_new(e, "shape", fs_json_shape(&like->shape));
    json_object_set_new(e, "dtype", json_string(fs_val_type_name(v)));
  }
  if (v->kind == FS_V_NUMBER && isfinite(v->number))
    json_object_set_new(e, "number", json_real(v->number));
  put_complex(v, e);
  json_object_set_new(data, "text/plain",
                      fs_json_text(fs_str_text(text), text->len));
  if (html->len)
    json_object_set_new(data, "text/html",
                        fs_json_text(fs_str_text(html), html->len));
  json_object_set_new(e, "data", data);
  return e;
}

static void on_show(void *user, const char *name, struct fs_val v,
                    struct fs_span span) {
  struct fs_session *s = user;
  struct fs_str text = {0}, html = {0};
  (void)span;
  if (v.kind == FS_V_NONE) return;
  enum fs_status st = fs_show_both(name, &v, &s->show, &text,
                                   s->rich ? &html : NULL, &s->diags);
  json_t *elements = NULL;
  if (!st && s->elements) st = fs_session_elements(s, &v, s->elements, &elements);
  json_t *event = st ? NULL : value_event(name, &v, &text, &html);
  if (elements) json_object_set_new(event, "elements", elements);
  if (!st)
    fs_session_emit(s, event);
  else if (!s->show_status)
    s->show_status = st;
  if (!name && !(s->flags & FS_EVAL_SCRIPT)) {
    fs_interp_set(s->in, "ans", fs_val_ref(v));
    s->past_kind = FS_PAST_ANSWERED;
  }
  fs_str_free(&text);
  fs_str_free(&html);
}

static void on_block(void *user, struct fs_block *block, int number) {
  struct fs_session *s = user;
  fs_session_end_expecting(s);
  if (s->dump && block->runs <= 1) {
    struct fs_str text = {0};
    fs_session_dump(s, block, s->dump, &text);
    fs_session_answer(s, "stdout", &text);
    fs_str_free(&text);
  }
  if (block->runs <= 1) fs_pins_tell(s, block->plan);
  fs_session_record(s, block, number);
}

static void on_late(void *user, struct fs_block *block, const char *name) {
  fs_session_record_late(user, block, name);
}

static void on_launch(void *user, struct fs_block *block) {
  fs_session_keep_times(user, block);
  fs_session_announce(user, block);
  fs_session_expect(user, block);
}

static void on_change(void *user, struct fs_block *block, enum fs_change change) {
  fs_session_settle(user, block, change);
}

static void on_plot(void *user, const struct fs_plot *plot) {
  fs_session_show_plot(user, plot);
}

static enum fs_status on_kernels(void *user, struct fs_plot *plot,
                                 bool times) {
  return times ? fs_session_predictions(user, plot)
               : fs_session_roofline(user, plot);
}

static void on_progress(void *user, const char *what, double done,
                        double seconds) {
  json_t *e = json_object();
  json_object_set_new(e, "event", json_string("progress"));
  fs_set_text(e, "what", what);
  json_object_set_new(e, "done", isfinite(done) ? json_real(done)
                                                : json_null());
  json_object_set_new(e, "seconds", json_real(seconds));
  fs_session_emit(user, e);
}

static void on_function(void *user, const struct fs_user *form) {
  fs_session_measure_call(user, form);
}

static char *on_ask(void *user, const char *prompt, bool secret) {
  struct fs_session *s = user;
  jmp_buf *guard = fs_oom_guard(NULL);
  char *line = s->config.ask(s->config.user, prompt, secret);
  fs_oom_guard(guard);
  return fs_session_share_line(s, line);
}

static enum fs_status on_command(void *user, const char *line,
                                 struct fs_span span) {
  return fs_session_command(user, line, span);
}

/* -- without memory ---------------------------------------------------------- */

/* When the host has no memory left, what the statement held on the host is given
 * up and the session goes on. To tell of it takes memory too: for that, some is
 * put aside, and one event is ready. */
enum { SPARE_BYTES = 256 << 10 };

static void put_aside(struct fs_session *s) {
  if (!s->spare) s->spare = malloc(SPARE_BYTES);
}

static json_t *no_memory_event(void) {
  json_t *e = json_object();
  json_object_set_new(e, "event", json_string("diagnostic"));
  json_object_set_new(e, "severity", json_string("error"));
  json_object_set_new(e, "id", json_string("out-of-memory"));
  json_object_set_new(e, "message", json_string("out of memory on the host"));
  json_object_set_new(e, "hint", json_string("smaller blocks or fewer "
                                             "variables need less"));
  return e;
}

/* jansson gives NULL where it has no memory, and then events with holes in them;
 * so it jumps as all else does. */
static void *json_memory(size_t size) { return fs_malloc(size); }

/* -- life -------------------------------------------------------------------- */

struct fs_session *fs_session_new(const struct fs_session_config *config,
                                  const char **error) {
  char target[64];
  if (!fs_session_meet(config, target, sizeof target, error)) return NULL;
  json_set_alloc_funcs(json_memory, free);
  struct fs_session *s = fs_calloc(1, sizeof *s);
  s->no_memory_event = no_memory_event();
  s->config = *config;
  s->config.target = NULL; /* not kept: the caller's text may go away */
  s->seed = 1;
  s->threads = config->threads;
  fs_diags_init(&s->diags);
  fs_settings_init(s);
  s->launching = on_launch;
  s->changing = on_change;
  if (!fs_places_open(s, target, error)) {
    fs_diags_free(&s->diags);
    json_decref(s->no_memory_event);
    free(s);
    return NULL;
  }
  struct fs_interp_host host = {.user = s, .text = on_text, .show = on_show,
                                .block = on_block, .late = on_late, .plot = on_plot,
                                .kernels = on_kernels,
                                .progress = on_progress,
                                .function = on_function,
                                .look = &s->show,
                                .ask = config->ask ? on_ask : NULL,
                                .command = on_command};
  s->in = fs_interp_new(&s->diags, s->cpu.runner, s->cpu.target, &host);
  fs_session_emit_diags(s);
  return s;
}

void fs_session_free(struct fs_session *s) {
  if (!s) return;
  fs_session_leave_ranks(s);
  fs_session_end_plans(s, false);
  fs_session_drop_records(&s->last_plans);
  fs_session_drop_records(&s->past);
  fs_interp_free(s->in);
  fs_pins_clear(s);
  fs_kernel_pins_clear(s);
  FS_VEC_FREE(&s->timed);
  fs_left_free(s->last_left);
  fs_places_close(s);
  fs_session_drop_pictures(s);
  json_decref(s->no_memory_event);
  fs_mirror_free(s);
  free(s->spare);
  for (int k = 0; k < s->history.len; k++) free(s->history.data[k].text);
  FS_VEC_FREE(&s->history);
  FS_VEC_FREE(&s->records);
  FS_VEC_FREE(&s->waiting);
  json_decref(s->account);
  fs_diags_free(&s->diags);
  free(s);
}

void fs_session_interrupt(struct fs_session *s) {
  (void)s;
  fs_interrupt_request();
}

/* -- evaluation -------------------------------------------------------------- */

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static enum fs_completeness completeness(const char *text, size_t len,
                                         int *indent) {
  struct fs_diags diags;
  struct fs_arena *arena = fs_arena_new();
  struct fs_stmt *stmts;
  fs_diags_init(&diags);
  enum fs_status st = fs_parse(
      &diags, arena, fs_source_add(&diags, "input", text, len), &stmts);
  fs_diags_free(&diags);
  fs_arena_free(arena);
  if (st == FS_INCOMPLETE) *indent = fs_parse_indent(text, len);
  return st == FS_OK ? FS_COMPLETE
         : st == FS_INCOMPLETE ? FS_NEEDS_MORE : FS_INVALID;
}

/* The statements of `:explain begin`, whose block may go on in further lines; NULL: the text
 * is something else. */
static const char *explained(const char *text, size_t begin, size_t end) {
  if (begin == end || text[begin] != ':') return NULL;
  size_t at = begin + 1, word = at;
  while (at < end && isalpha((unsigned char)text[at])) at++;
  struct fs_str words = {0};
  const struct fs_command *c = fs_command_find(text + word, at - word, &words);
  fs_str_free(&words);
  return c && c->id == FS_CMD_EXPLAIN ? text + at : NULL;
}

/* Whether the first line of what is explained ends inside a block or bracket. */
static bool goes_on(const char *statements, const char *end) {
  int indent;
  const char *newline = memchr(statements, '\n', (size_t)(end - statements));
  return newline && completeness(statements, (size_t)(newline - statements), &indent) ==
                        FS_NEEDS_MORE;
}

/* Whether the text is one `:command` or `?name` line and nothing else, or `:explain` of
 * statements in several lines. */
static bool is_command_line(const char *text, size_t len, size_t *begin,
                            size_t *end) {
  *begin = 0;
  *end = len;
  while (*begin < len && is_space(text[*begin])) ++*begin;
  while (*end > *begin && is_space(text[*end - 1])) --*end;
  if (*begin == *end) return false;
  if (memchr(text + *begin, '\n', *end - *begin)) {
    const char *statements = explained(text, *begin, *end);
    return statements && goes_on(statements, text + *end);
  }
  return text[*begin] == ':' || text[*begin] == '?';
}

/* A word by itself, or with one behind it, of which the command is then about. */
static const struct { const char *word, *alone, *about; } spoken[] = {
  {"quit", ":quit", NULL}, {"quit()", ":quit", NULL}, {"exit", ":quit", NULL},
  {"exit()", ":quit", NULL}, {"help", ":help", ":help"}, {"help()", ":help", NULL},
  {"doc", ":help", ":help"}, {"apropos", ":help functions", ":help functions"},
  {"lookfor", ":help functions", ":help functions"}, {"who", ":vars", NULL},
  {"whos", ":vars", NULL}};

static bool is_variable(struct fs_session *s, const char *name, size_t len) {
  struct fs_interp_var v;
  for (int k = 0; fs_interp_var_at(s->in, k, &v); k++)
    if (strlen(v.name) == len && !memcmp(v.name, name, len)) return true;
  return false;
}

/* The command that somebody at a prompt means by words as other prompts have them, where no
 * variable is called so: given; else NULL. */
static char *spoken_command(struct fs_session *s, const char *text, size_t len) {
  size_t n = 0, letters = 0;
  if (s->flags & FS_EVAL_SCRIPT) return NULL;
  while (n < len && text[n] != ' ') n++;
  while (letters < n && text[letters] != '(') letters++;
  size_t rest = n;
  while (rest < len && text[rest] == ' ') rest++;
  for (size_t k = rest; k < len; k++)
    if (!isalnum((unsigned char)text[k]) && text[k] != '_') return NULL;
  for (size_t w = 0; w < FS_LEN(spoken); w++) {
    if (strlen(spoken[w].word) != n || memcmp(spoken[w].word, text, n)) continue;
    const char *command = rest < len ? spoken[w].about : spoken[w].alone;
    if (!command || is_variable(s, text, letters)) return NULL;
    struct fs_str line = {0};
    fs_str_printf(&line, "%s%s%.*s", command, rest < len ? " " : "", (int)(len - rest), text + rest);
    return line.data;
  }
  return NULL;
}

/* Of the text of the input being run. */
static uint32_t add_source(struct fs_session *s, const char *name, const char *text,
                           size_t len) {
  uint32_t source = fs_source_add(&s->diags, name, text, len);
  fs_source_place(&s->diags, source, name, (int)(s->flags / FS_EVAL_LINE));
  return source;
}

/* Frees the line, which text[begin, end) stands for. */
static enum fs_status eval_command(struct fs_session *s, const char *name,
                                   const char *text, size_t len, size_t begin,
                                   size_t end, char *line) {
  uint32_t source = add_source(s, name, text, len);
  struct fs_span span = {source, (uint32_t)begin, (uint32_t)end};
  s->past_kind = fs_session_changes(line) ? FS_PAST_WELL : FS_PAST_ASKED;
  enum fs_status st = fs_session_command(s, line, span);
  free(line);
  return st;
}

/* The parser's own words for a text that ends too early. */
static enum fs_status report_incomplete(struct fs_session *s, const char *name,
                                        const char *text, size_t len) {
  struct fs_arena *arena = fs_arena_new();
  struct fs_stmt *stmts;
  uint32_t source = add_source(s, name, text, len);
  enum fs_status st = fs_parse_final(&s->diags, arena, source, &stmts);
  fs_arena_free(arena);
  if (st == FS_ERR_USER) return st;
  return fs_error(&s->diags, (struct fs_span){source, (uint32_t)len,
                                              (uint32_t)len},
                  "incomplete", NULL, "the text ends too early");
}

static enum fs_status eval_text(struct fs_session *s, const char *name,
                                const char *text, size_t len) {
  size_t begin, end;
  bool command = is_command_line(text, len, &begin, &end);
  char *line = command ? fs_strndup(text + begin, end - begin)
                       : spoken_command(s, text + begin, end - begin);
  if (line) return eval_command(s, name, text, len, begin, end, line);
  enum fs_status st = begin < end ? fs_session_ready(s) : FS_OK;
  if (!st && s->dump & 1 && begin < end) {
    struct fs_str tree = {0};
    fs_dump_ast(text, len, &tree);
    fs_session_answer(s, "stdout", &tree);
    fs_str_free(&tree);
  }
  if (!st) st = fs_interp_eval(s->in, name, text, len, s->flags);
  s->returned = st == FS_OK && fs_interp_returned(s->in);
  return st == FS_INCOMPLETE ? report_incomplete(s, name, text, len) : st;
}

/* Calls step(s, user) with a guard for when there is no memory. */
static enum fs_status guarded(struct fs_session *s,
                              enum fs_status (*step)(struct fs_session *s,
                                                     void *user),
                              void *user) {
  jmp_buf out_of_memory;
  jmp_buf *volatile old = fs_oom_guard(&out_of_memory);
  volatile enum fs_status st = FS_ERR_ENV;
  if (!setjmp(out_of_memory)) {
    put_aside(s);
    st = step(s, user);
  } else {
    fs_oom_guard(old);
    fs_interrupt_hold(false); /* what jumped may have had them wait */
    free(s->spare);
    s->spare = NULL;
    fs_interp_recover(s->in);
    s->no_memory = true;
  }
  fs_oom_guard(old);
  return st;
}

struct input {
  const char *name, *text;
  size_t len;
  unsigned flags;
  double seconds;
  enum fs_status st;
  enum fs_result result;
};

static enum fs_status remember_step(struct fs_session *s, void *user) {
  const struct input *i = user;
  fs_session_remember(s, i->text, i->len, i->st ? FS_PAST_FAILED : s->past_kind);
  return FS_OK;
}

static void hear_times(const struct fs_session *s, const struct fs_place *p) {
  if (p->runner) fs_runner_options(p->runner)->heard = fs_session_hears_times(s);
}

static enum fs_status eval_step(struct fs_session *s, void *user) {
  const struct input *i = user;
  fs_session_end_plans(s, false); /* left only by an input without memory */
  hear_times(s, &s->cpu);
  hear_times(s, &s->cuda);
  fs_account_to(FS_PART_HOST);
  enum fs_status st = eval_text(s, i->name, i->text, i->len);
  enum fs_status synced = fs_session_collect(s);
  if (!st) st = synced;
  if (!st) st = s->show_status;
  if (st) s->past_kind = FS_PAST_FAILED;
  return st;
}

static void say_times(struct fs_session *s, double seconds) {
  struct fs_str text = {0};
  const struct fs_look look = {.utf8 = true};
  fs_str_puts(&text, "time: ");
  fs_str_put_seconds(&text, seconds);
  if (s->blocks_run) {
    fs_str_puts(&text, " (");
    fs_account_put(s->account, ", ", &look, &text);
    fs_str_puts(&text, ")");
  }
  fs_str_puts(&text, "\n");
  fs_session_answer(s, "stderr", &text);
  fs_str_free(&text);
}

/* Files and memory that are not there: a mistake of the text, by which nothing is lost, but
 * for who runs a script it is the system that said no. */
static bool system_refused(const struct fs_session *s) {
  static const char *const ids[] = {"file-system", "no-file", "too-large"};
  for (int k = s->diags.list.len - 1; k >= 0; k--) {
    const struct fs_diag *d = &s->diags.list.data[k];
    if (d->severity != FS_ERROR) continue;
    for (size_t i = 0; i < FS_LEN(ids); i++)
      if (!strcmp(d->id, ids[i])) return true;
    return false;
  }
  return false;
}

static enum fs_result result_of(const struct fs_session *s,
                                enum fs_status st) {
  if (s->quit) return FS_RESULT_QUIT;
  if (st == FS_ERR_USER && s->flags & FS_EVAL_SCRIPT && system_refused(s))
    return FS_RESULT_ENVIRONMENT;
  switch (st) {
    case FS_OK:
      return s->returned && s->flags & FS_EVAL_PART ? FS_RESULT_RETURNED
                                                    : FS_RESULT_OK;
    case FS_ERR_ENV: return FS_RESULT_ENVIRONMENT;
    case FS_INTERRUPTED: return FS_RESULT_INTERRUPTED;
    default: return FS_RESULT_ERROR;
  }
}

static const char *result_word(enum fs_result r) {
  switch (r) {
    case FS_RESULT_OK: case FS_RESULT_RETURNED: return "ok";
    case FS_RESULT_ENVIRONMENT: return "environment";
    case FS_RESULT_INTERRUPTED: return "interrupted";
    case FS_RESULT_QUIT: return "quit";
    default: return "error";
  }
}

static void begin_input(struct fs_session *s, unsigned flags) {
  fs_diags_clear(&s->diags);
  fs_interrupt_clear();
  s->flags = flags;
  s->no_memory = false;
  s->quit = s->returned = s->accounted = false;
  s->show_status = FS_OK;
  s->past_kind = FS_PAST_WELL;
  s->blocks_run = s->announced = 0;
  s->dropped = (struct fs_totals){0};
  s->kernels = (struct fs_times){0};
  s->busy = true;
  fs_ranks_together(true);
}

/* Sent once for each time that it happened. */
static void tell_no_memory(struct fs_session *s) {
  if (s->no_memory) fs_session_emit(s, json_incref(s->no_memory_event));
  s->no_memory = false;
}

/* Inputs that run no block, as commands, leave the account for :plan. */
static void close_account(struct fs_session *s, double seconds) {
  fs_session_end_late(s);
  s->accounted = s->records.len > 0;
  if (!s->accounted) return;
  json_t *old = s->account;
  s->account = fs_session_account(s, seconds);
  json_decref(old);
}

/* Once a session, where a prediction that is nothing but a guess was far off. */
static void hint_at_calibrating(struct fs_session *s) {
  const double worth = 50e-6;
  double ratio = json_number_value(json_object_get(s->account, "ratio"));
  double measured = json_number_value(json_object_get(s->account, "measured"));
  const char *quality = fs_model_quality(&fs_session_target(s)->device);
  if (!s->accounted || s->told_uncalibrated || strcmp(quality, "uncalibrated")) return;
  if (!(ratio > 0) || fabs(log2(ratio)) < 1 || measured < worth) return;
  s->told_uncalibrated = true;
  fs_session_note(s, "uncalibrated", "predictions are guesses on a device that is not "
                  "calibrated: `:calibrate` measures it, once");
}

/* Diagnostics first; plans only when all went well; `done` last. */
static enum fs_result end_input(struct fs_session *s, enum fs_status st,
                                double seconds) {
  enum fs_result result = result_of(s, st);
  fs_interrupt_clear();
  tell_no_memory(s);
  fs_session_emit_diags(s);
  if (result == FS_RESULT_INTERRUPTED)
    fs_session_note(s, "interrupted", "interrupted");
  bool well = result == FS_RESULT_OK || result == FS_RESULT_QUIT ||
              result == FS_RESULT_RETURNED;
  if (well && fs_session_hears_times(s)) close_account(s, seconds);
  if (well && s->time) say_times(s, seconds);
  if (well) hint_at_calibrating(s);
  fs_session_end_plans(s, well);
  json_t *e = json_object();
  json_object_set_new(e, "event", json_string("done"));
  json_object_set_new(e, "status", json_string(result_word(result)));
  json_object_set_new(e, "seconds", json_real(seconds));
  if (s->accounted) json_object_set(e, "account", s->account);
  fs_session_emit(s, e);
  s->busy = false;
  fs_ranks_together(false);
  return result;
}

static enum fs_status end_step(struct fs_session *s, void *user) {
  struct input *i = user;
  i->result = end_input(s, i->st, i->seconds);
  return FS_OK;
}

/* What is left to tell may need memory too: then once more, with less to tell. */
static enum fs_result end_guarded(struct fs_session *s, struct input *i) {
  i->result = FS_RESULT_ENVIRONMENT;
  if (guarded(s, end_step, i)) {
    i->st = FS_ERR_ENV;
    guarded(s, end_step, i);
  }
  tell_no_memory(s);
  s->busy = false;
  fs_ranks_together(false);
  return i->result;
}

enum fs_result fs_session_eval(struct fs_session *s, const char *name,
                               const char *text, size_t len, unsigned flags) {
  double start = fs_account_begin(FS_PART_NONE);
  struct input i = {.name = name, .text = text, .len = len, .flags = flags};
  fs_session_tell_eval(s, name, text, len, flags);
  begin_input(s, flags);
  i.st = guarded(s, eval_step, &i);
  if (!(flags & FS_EVAL_REPLAY)) guarded(s, remember_step, &i);
  fs_account_to(FS_PART_NONE);
  i.seconds = fs_account.since - start;
  return end_guarded(s, &i);
}

/* Tries again with what was put aside. Without memory to look, a text counts as
 * complete: evaluating it will say. */
enum fs_completeness fs_session_is_complete(struct fs_session *s,
                                            const char *text, size_t len,
                                            int *indent) {
  size_t begin, end;
  *indent = 0;
  jmp_buf out_of_memory;
  jmp_buf *volatile old = fs_oom_guard(&out_of_memory);
  volatile enum fs_completeness found = FS_COMPLETE;
  volatile int failed = 0;
  if (setjmp(out_of_memory)) {
    free(s->spare);
    s->spare = NULL;
    failed = failed + 1;
  }
  if (failed < 2) {
    bool command = is_command_line(text, len, &begin, &end);
    const char *statements = explained(text, begin, end);
    if (statements) found = completeness(statements, (size_t)(text + end - statements), indent);
    else if (!command) found = completeness(text, len, indent);
  }
  fs_oom_guard(old);
  return found;
}

/* -- definitions and settings from outside ----------------------------------- */

static enum fs_status define(struct fs_session *s, const char *name,
                             const char *value) {
  struct fs_val v = {0};
  double number;
  if (!fs_is_identifier(name))
    return fs_error(&s->diags, (struct fs_span){0}, "bad-name", NULL,
                    "'%s' cannot be the name of a variable", name);
  if (fs_file_is_loadable(value)) {
    enum fs_status st = fs_session_ready(s);
    if (!st) st = fs_session_load(s, name, value, 0, NULL, (struct fs_span){0}, NULL);
    fs_interp_set_given(s->in, name);
    return st;
  }
  if (!strcmp(value, "true") || !strcmp(value, "false")) {
    v.kind = FS_V_BOOL;
    v.number = *value == 't';
  } else if (fs_file_number(value, strlen(value), &number)) {
    v.kind = FS_V_NUMBER;
    v.number = number;
    v.is_int = strspn(value, "+-0123456789") == strlen(value);
  } else {
    v = fs_val_string(value, strlen(value));
  }
  fs_interp_set(s->in, name, v);
  fs_interp_set_given(s->in, name);
  return FS_OK;
}

static enum fs_status define_step(struct fs_session *s, void *user) {
  const struct input *i = user;
  enum fs_status st = define(s, i->name, i->text);
  fs_session_emit_diags(s);
  return st;
}

static enum fs_status set_step(struct fs_session *s, void *user) {
  const struct input *i = user;
  enum fs_status st =
      fs_setting_change(s, i->name, i->text, (struct fs_span){0});
  fs_session_emit_diags(s);
  return st;
}

static enum fs_result short_input(struct fs_session *s, const char *name,
                                  const char *value,
                                  enum fs_status (*step)(struct fs_session *s,
                                                         void *user)) {
  struct input i = {.name = name, .text = value};
  begin_input(s, 0);
  enum fs_result result = result_of(s, guarded(s, step, &i));
  tell_no_memory(s);
  s->busy = false;
  fs_ranks_together(false);
  return result;
}

enum fs_result fs_session_define(struct fs_session *s, const char *name,
                                 const char *value) {
  fs_session_tell_define(s, name, value);
  return short_input(s, name, value, define_step);
}

static enum fs_status check_step(struct fs_session *s, void *user) {
  (void)user;
  fs_interp_warn_unread(s->in);
  fs_session_emit_diags(s);
  return FS_OK;
}

enum fs_result fs_session_check_defined(struct fs_session *s) {
  return short_input(s, NULL, NULL, check_step);
}

enum fs_result fs_session_set(struct fs_session *s, const char *name,
                              const char *value) {
  fs_session_tell_set(s, name, value);
  return short_input(s, name, value, set_step);
}
