/* session.c - the session: targets, evaluation under an out-of-memory guard, and
 * everything that happens as events. See session.h for the contract and
 * internal.h for the other files. */
#include "core/session/internal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "core/base/account.h"
#include "core/eval/files.h"
#include "core/lang/parse.h"
#include "core/view/view.h"

enum { HISTORY_KEPT = 1000 };

/* -- events ------------------------------------------------------------------ */

/* The front end's frames are not to be jumped over (it may hold locks): it has a
 * handler of its own, or the memory that it cannot get ends the process. */
void fs_session_emit(struct fs_session *s, json_t *gives) {
  jmp_buf *guard = fs_oom_guard(NULL);
  if (gives && s->config.on_event)
    s->config.on_event(s->config.user, gives);
  fs_oom_guard(guard);
  json_decref(gives);
}

void fs_session_say(struct fs_session *s, const char *stream, const char *text,
                    size_t len) {
  if (!len) return;
  json_t *e = json_object();
  json_object_set_new(e, "event", json_string("text"));
  json_object_set_new(e, "stream", json_string(stream));
  json_object_set_new(e, "text", fs_json_text(text, len));
  fs_session_emit(s, e);
}

void fs_session_answer(struct fs_session *s, const char *stream,
                       struct fs_str *text) {
  char *p = text->data;
  while (s->show.ascii && p && (p = strstr(p, "\u00b5s"))) {
    *p++ = 'u';
    memmove(p, p + 1, strlen(p));
    text->len--;
  }
  fs_session_say(s, stream, fs_str_text(text), text->len);
}

static void set_text(json_t *o, const char *key, const char *text) {
  if (text)
    json_object_set_new(o, key, fs_json_text(text, strlen(text)));
}

static void emit_diag(struct fs_session *s, const struct fs_diag *d) {
  static const char *const severities[] = {"note", "warning", "error"};
  struct fs_str picture = {0};
  json_t *e = json_object();
  json_object_set_new(e, "event", json_string("diagnostic"));
  json_object_set_new(e, "severity", json_string(severities[d->severity]));
  set_text(e, "id", d->id);
  const struct fs_source *source =
      d->span.source ? fs_source_get(&s->diags, d->span.source) : NULL;
  if (source) {
    int line, column;
    fs_span_position(&s->diags, d->span, &line, &column);
    set_text(e, "source", source->name);
    json_object_set_new(e, "line", json_integer(line));
    json_object_set_new(e, "column", json_integer(column));
  }
  set_text(e, "message", d->message);
  set_text(e, "hint", d->hint);
  fs_diag_render(&s->diags, d, &picture);
  json_object_set_new(e, "rendered",
                      fs_json_text(fs_str_text(&picture), picture.len));
  fs_str_free(&picture);
  fs_session_emit(s, e);
}

static void emit_diags(struct fs_session *s) {
  for (int k = 0; k < s->diags.list.len; k++)
    emit_diag(s, &s->diags.list.data[k]);
  fs_diags_clear(&s->diags);
}

void fs_session_note(struct fs_session *s, const char *id, const char *fmt,
                     ...) {
  struct fs_str text = {0};
  va_list args;
  va_start(args, fmt);
  fs_str_vprintf(&text, fmt, args);
  va_end(args);
  json_t *e = json_object();
  json_object_set_new(e, "event", json_string("diagnostic"));
  json_object_set_new(e, "severity", json_string("note"));
  json_object_set_new(e, "id", json_string(id));
  set_text(e, "message", fs_str_text(&text));
  fs_str_free(&text);
  fs_session_emit(s, e);
}

/* -- what the interpreter reports -------------------------------------------- */

static void on_text(void *user, const char *text, size_t len) {
  fs_session_say(user, "stdout", text, len);
}

static json_t *value_event(const char *name, const struct fs_val *v,
                           const struct fs_str *text,
                           const struct fs_str *html) {
  static const char *const kinds[] = {"nothing", "number", "bool", "string",
                                      "range", "function", "tensor"};
  json_t *e = json_object(), *data = json_object();
  json_object_set_new(e, "event", json_string("value"));
  if (name) set_text(e, "name", name);
  json_object_set_new(e, "kind", json_string(kinds[v->kind]));
  if (v->kind == FS_V_TENSOR) {
    json_object_set_new(e, "shape", fs_json_shape(&v->tensor->shape));
    json_object_set_new(e, "dtype",
                        json_string(fs_dtype_name(v->tensor->dtype)));
  }
  if (v->kind == FS_V_NUMBER && isfinite(v->number))
    json_object_set_new(e, "number", json_real(v->number));
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
  if (!st && s->elements && v.kind == FS_V_TENSOR)
    st = fs_session_elements(s, v.tensor, s->elements, &elements);
  json_t *event = st ? NULL : value_event(name, &v, &text, &html);
  if (elements) json_object_set_new(event, "elements", elements);
  if (!st)
    fs_session_emit(s, event);
  else if (!s->show_status)
    s->show_status = st;
  fs_str_free(&text);
  fs_str_free(&html);
}

static void on_block(void *user, struct fs_block *block, int number) {
  fs_session_record(user, block, number);
}

static void on_late(void *user, struct fs_block *block, const char *name) {
  fs_session_record_late(user, block, name);
}

static void on_launch(void *user, struct fs_block *block) {
  fs_session_keep_times(user, block);
  fs_session_announce(user, block);
  fs_session_expect(user, block);
}

static void on_change(void *user, struct fs_block *block, bool gone) {
  fs_session_settle(user, block, gone);
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
  set_text(e, "what", what);
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
  return line;
}

static enum fs_status on_command(void *user, const char *line,
                                 struct fs_span span) {
  return fs_session_command(user, line, span);
}

/* -- targets ----------------------------------------------------------------- */

static struct fs_place *place(const struct fs_session *s) {
  return (struct fs_place *)(uintptr_t)(s->on_cuda ? &s->cuda : &s->cpu);
}

struct fs_target *fs_session_target(const struct fs_session *s) {
  return place(s)->target;
}

struct fs_runner *fs_session_runner(const struct fs_session *s) {
  return place(s)->runner;
}

/* Kernels are measured in every input whose times are shown. */
static bool hears_times(const struct fs_session *s) {
  return s->time || strcmp(s->plan_form, "off") != 0;
}

static struct fs_runner *new_runner(const struct fs_session *s,
                                    struct fs_target *target) {
  struct fs_runner *r = fs_runner_new(target);
  fs_runner_options(r)->heard = hears_times(s);
  fs_runner_options(r)->strategy = s->strategy;
  fs_runner_options(r)->effort = s->effort;
  fs_runner_options(r)->timed = true;
  fs_runner_options(r)->hasty = s->hasty;
  fs_runner_options(r)->pins = s->pins.data;
  fs_runner_options(r)->n_pins = s->pins.len;
  fs_runner_options(r)->kernel_pins = s->kernel_pins.data;
  fs_runner_options(r)->n_kernel_pins = s->kernel_pins.len;
  fs_runner_options(r)->launching = on_launch;
  fs_runner_options(r)->changing = on_change;
  fs_runner_options(r)->user = (void *)(uintptr_t)s;
  return r;
}

/* What is known of how fast the device is: from earlier sessions, else from a device
 * of its kind. The reference device of the tests has no history and costs by the book, or,
 * if FUSIBLE_REFERENCE_DEVICE is "measured", those of one that was measured. */
static void open_model(struct fs_session *s, struct fs_place *p) {
  struct fs_device *device = &p->target->device;
  const char *reference = getenv("FUSIBLE_REFERENCE_DEVICE");
  bool history = !reference, by_book = reference && strcmp(reference, "measured");
  struct fs_str notice = {0};
  if (history) p->calibration = fs_calibration_load(device, &notice);
  else if (by_book) p->calibration = fs_calibration_plain(device);
  if (!p->calibration) p->calibration = fs_calibration_reference(device);
  device->calibration = p->calibration;
  if (!history) return;
  if (notice.len) fs_session_note(s, "calibration", "%s", notice.data);
  fs_str_clear(&notice);
  p->learned = fs_learned_open(device, &notice);
  if (notice.len) fs_session_note(s, "calibration", "%s", notice.data);
  fs_str_free(&notice);
}

/* What was learned is kept if there is memory to write it. */
static void close_learned(struct fs_learned *learned) {
  jmp_buf out_of_memory;
  jmp_buf *volatile outer = fs_oom_guard(&out_of_memory);
  if (!setjmp(out_of_memory)) fs_learned_close(learned);
  fs_oom_guard(outer);
}

static void close_place(struct fs_place *p) {
  if (p->runner) fs_runner_free(p->runner);
  if (p->target) p->target->ops->close(p->target);
  close_learned(p->learned);
  free(p->calibration);
  *p = (struct fs_place){0};
}

static void name_target(struct fs_session *s, bool cuda) {
  if (cuda && s->device_index)
    snprintf(s->target_name, sizeof s->target_name, "cuda:%d",
             s->device_index);
  else
    snprintf(s->target_name, sizeof s->target_name, cuda ? "cuda" : "cpu");
}

/* Moves everything to the CUDA device, opening it if need be. The reason of a
 * failure is in `d`. */
static enum fs_status move_to_cuda(struct fs_session *s, struct fs_diags *d) {
  enum fs_status collected = fs_session_collect(s); /* from the old runner */
  if (collected) return collected;
  struct fs_place fresh = s->cuda;
  bool reopen = !fresh.target || fresh.index != s->device_index;
  if (reopen) {
    fresh = (struct fs_place){.target = fs_cuda_open(s->device_index, d),
                              .index = s->device_index};
    if (!fresh.target) return FS_ERR_ENV;
    open_model(s, &fresh);
    fresh.runner = new_runner(s, fresh.target);
  }
  enum fs_status st = fs_interp_retarget(s->in, fresh.runner, fresh.target);
  if (st) {
    if (reopen) close_place(&fresh);
    return st;
  }
  if (reopen) {
    fs_session_forget_blocks(s, s->cuda.runner);
    close_place(&s->cuda);
  }
  s->cuda = fresh;
  s->on_cuda = true;
  s->wants_cuda = false;
  name_target(s, true);
  return FS_OK;
}

/* The last failure's words, without its place. */
static const char *last_words(const struct fs_diags *d) {
  return d->list.len ? d->list.data[d->list.len - 1].message : "it failed";
}

enum fs_status fs_session_ready(struct fs_session *s) {
  if (!s->wants_cuda) return FS_OK;
  if (s->must_have_cuda) return move_to_cuda(s, &s->diags);
  struct fs_diags words;
  fs_diags_init(&words);
  s->wants_cuda = false;
  if (move_to_cuda(s, &words)) {
    name_target(s, false);
    fs_session_note(s, "no-gpu", "the CPU is used: %s", last_words(&words));
  }
  fs_diags_free(&words);
  return FS_OK;
}

/* "cuda" and "cuda:2"; gives -1 for what is neither. */
static int parse_cuda(const char *name) {
  if (strncmp(name, "cuda", 4)) return -1;
  if (!name[4]) return 0;
  char *end;
  long k = strtol(name + 5, &end, 10);
  return name[4] == ':' && name[5] && !*end && k >= 0 && k < 1024 ? (int)k
                                                                  : -1;
}

static enum fs_status use_cpu(struct fs_session *s) {
  enum fs_status st = fs_session_collect(s); /* from the old runner */
  if (!st && s->on_cuda)
    st = fs_interp_retarget(s->in, s->cpu.runner, s->cpu.target);
  if (st) return st;
  s->on_cuda = s->wants_cuda = s->must_have_cuda = false;
  name_target(s, false);
  return FS_OK;
}

enum fs_status fs_session_use(struct fs_session *s, const char *name,
                              struct fs_span span) {
  int index = parse_cuda(name);
  if (!strcmp(name, "auto")) {
    if (s->on_cuda || !fs_cuda_present()) return FS_OK;
    s->wants_cuda = true;
    s->must_have_cuda = false;
    s->device_index = 0;
    return fs_session_ready(s);
  }
  if (!strcmp(name, "cpu")) return use_cpu(s);
  if (index < 0)
    return fs_error(&s->diags, span, "unknown-target", NULL,
                    "there is no target %s: it is auto, cpu or cuda", name);
  if (s->on_cuda && index == s->cuda.index) return FS_OK;
  int old = s->device_index;
  bool wanted = s->wants_cuda;
  s->device_index = index;
  enum fs_status st = move_to_cuda(s, &s->diags);
  if (!st) {
    s->must_have_cuda = true;
    return FS_OK;
  }
  s->device_index = old;
  s->wants_cuda = wanted;
  return st;
}

enum fs_status fs_session_set_threads(struct fs_session *s, int threads) {
  struct fs_target *target = fs_cpu_open(threads, NULL);
  if (!target)
    return fs_env_error(&s->diags, "threads", NULL,
                        "%d threads could not be started", threads);
  struct fs_place fresh = {.target = target, .runner = new_runner(s, target)};
  open_model(s, &fresh);
  enum fs_status st = fs_session_collect(s); /* from the old runner */
  if (!st && !s->on_cuda)
    st = fs_interp_retarget(s->in, fresh.runner, fresh.target);
  if (st) {
    close_place(&fresh);
    return st;
  }
  fs_session_forget_blocks(s, s->cpu.runner);
  close_place(&s->cpu);
  s->cpu = fresh;
  s->threads = threads;
  return FS_OK;
}

void fs_session_take_calibration(struct fs_session *s,
                                 struct fs_calibration *c) {
  struct fs_place *p = place(s);
  if (!c) c = fs_calibration_reference(&p->target->device);
  fs_session_collect(s);
  fs_session_forget_blocks(s, p->runner);
  fs_runner_clear(p->runner);
  p->target->device.calibration = c;
  free(p->calibration);
  p->calibration = c;
  fs_learned_forget(p->learned); /* corrections of other predictions */
}

struct fs_calibration *fs_session_calibration(const struct fs_session *s) {
  return place(s)->calibration;
}

struct fs_learned *fs_session_learned(const struct fs_session *s) {
  return s->learn ? place(s)->learned : NULL;
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

/* Which target the configuration asks for. */
static bool choose_target(struct fs_session *s, const char **error) {
  static char words[512];
  const char *name = s->config.target ? s->config.target : "auto";
  int index = parse_cuda(name);
  name_target(s, false);
  if (!strcmp(name, "cpu")) return true;
  if (strcmp(name, "auto") && index < 0) {
    snprintf(words, sizeof words,
             "there is no target '%.64s': it is auto, cpu or cuda", name);
    *error = words;
    return false;
  }
  bool there = fs_cuda_present();
  s->must_have_cuda = index >= 0;
  s->device_index = FS_MAX(index, 0);
  s->wants_cuda = there;
  if (there) name_target(s, true);
  if (there || !s->must_have_cuda) return true;
  struct fs_diags reason;
  fs_diags_init(&reason);
  s->cuda.target = fs_cuda_open(s->device_index, &reason);
  snprintf(words, sizeof words, "%.*s", (int)sizeof words - 1,
           last_words(&reason));
  fs_diags_free(&reason);
  if (s->cuda.target) { /* a device that shows no node; good as it is */
    close_place(&s->cuda);
    s->wants_cuda = true;
    name_target(s, true);
    return true;
  }
  *error = words;
  return false;
}

struct fs_session *fs_session_new(const struct fs_session_config *config,
                                  const char **error) {
  json_set_alloc_funcs(json_memory, free);
  struct fs_session *s = fs_calloc(1, sizeof *s);
  s->no_memory_event = no_memory_event();
  s->config = *config;
  s->config.target = NULL; /* not kept: the caller's text may go away */
  s->seed = 1;
  s->threads = config->threads;
  fs_diags_init(&s->diags);
  fs_settings_init(s);
  s->config.target = config->target;
  bool ok = choose_target(s, error);
  s->config.target = NULL;
  if (ok && !(s->cpu.target = fs_cpu_open(config->threads, NULL))) {
    *error = "the threads of the CPU target could not be started";
    ok = false;
  }
  if (!ok) {
    fs_diags_free(&s->diags);
    json_decref(s->no_memory_event);
    free(s);
    return NULL;
  }
  s->cpu.runner = new_runner(s, s->cpu.target);
  open_model(s, &s->cpu);
  struct fs_interp_host host = {.user = s, .text = on_text, .show = on_show,
                                .block = on_block, .late = on_late, .plot = on_plot,
                                .kernels = on_kernels,
                                .progress = on_progress,
                                .function = on_function,
                                .look = &s->show,
                                .ask = config->ask ? on_ask : NULL,
                                .command = on_command};
  s->in = fs_interp_new(&s->diags, s->cpu.runner, s->cpu.target, &host);
  emit_diags(s);
  return s;
}

void fs_session_free(struct fs_session *s) {
  if (!s) return;
  fs_session_end_plans(s, false);
  fs_session_drop_records(&s->last_plans);
  fs_session_drop_records(&s->past);
  fs_interp_free(s->in);
  fs_pins_clear(s);
  fs_kernel_pins_clear(s);
  FS_VEC_FREE(&s->timed);
  close_place(&s->cuda);
  close_place(&s->cpu);
  fs_session_drop_pictures(s);
  json_decref(s->no_memory_event);
  fs_mirror_free(s);
  free(s->spare);
  for (int k = 0; k < s->history.len; k++) free(s->history.data[k]);
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

/* Of the text of the input being run. */
static uint32_t add_source(struct fs_session *s, const char *name, const char *text,
                           size_t len) {
  uint32_t source = fs_source_add(&s->diags, name, text, len);
  fs_source_place(&s->diags, source, name, (int)(s->flags / FS_EVAL_LINE));
  return source;
}

static enum fs_status eval_command(struct fs_session *s, const char *name,
                                   const char *text, size_t len, size_t begin,
                                   size_t end) {
  uint32_t source = add_source(s, name, text, len);
  struct fs_span span = {source, (uint32_t)begin, (uint32_t)end};
  char *line = fs_strndup(text + begin, end - begin);
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
  if (is_command_line(text, len, &begin, &end))
    return eval_command(s, name, text, len, begin, end);
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

void fs_session_remember(struct fs_session *s, const char *text, size_t len) {
  while (len && is_space(text[len - 1])) len--;
  if (!len || len > 1 << 20) return;
  if (s->history.len == HISTORY_KEPT) {
    free(s->history.data[0]);
    memmove(s->history.data, s->history.data + 1,
            sizeof(*s->history.data) * (HISTORY_KEPT - 1));
    s->history.len--;
  }
  char *copy = fs_malloc(len + 1);
  memcpy(copy, text, len);
  copy[len] = 0;
  *FS_PUSH(&s->history) = copy;
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

static void hear_times(const struct fs_session *s, const struct fs_place *p) {
  if (p->runner) fs_runner_options(p->runner)->heard = hears_times(s);
}

static enum fs_status eval_step(struct fs_session *s, void *user) {
  const struct input *i = user;
  fs_session_end_plans(s, false); /* left only by an input without memory */
  hear_times(s, &s->cpu);
  hear_times(s, &s->cuda);
  fs_account_to(FS_PART_HOST);
  enum fs_status st = eval_text(s, i->name, i->text, i->len);
  if (!(i->flags & FS_EVAL_REPLAY)) fs_session_remember(s, i->text, i->len);
  enum fs_status synced = fs_session_collect(s);
  if (!st) st = synced;
  return st ? st : s->show_status;
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
  s->blocks_run = s->announced = 0;
  s->dropped = (struct fs_totals){0};
  s->kernels = (struct fs_times){0};
  s->busy = true;
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
  emit_diags(s);
  if (result == FS_RESULT_INTERRUPTED)
    fs_session_note(s, "interrupted", "interrupted");
  bool well = result == FS_RESULT_OK || result == FS_RESULT_QUIT ||
              result == FS_RESULT_RETURNED;
  if (well && hears_times(s)) close_account(s, seconds);
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
  return i->result;
}

enum fs_result fs_session_eval(struct fs_session *s, const char *name,
                               const char *text, size_t len, unsigned flags) {
  double start = fs_account_begin(FS_PART_NONE);
  struct input i = {.name = name, .text = text, .len = len, .flags = flags};
  begin_input(s, flags);
  i.st = guarded(s, eval_step, &i);
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

static struct fs_val string_value(const char *text) {
  size_t len = strlen(text);
  struct fs_string *copy = fs_malloc(sizeof *copy + len + 1);
  copy->refs = 1;
  copy->len = len;
  memcpy(copy->text, text, len + 1);
  return (struct fs_val){.kind = FS_V_STRING, .string = copy};
}

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
    v = string_value(value);
  }
  fs_interp_set(s->in, name, v);
  fs_interp_set_given(s->in, name);
  return FS_OK;
}

static enum fs_status define_step(struct fs_session *s, void *user) {
  const struct input *i = user;
  enum fs_status st = define(s, i->name, i->text);
  emit_diags(s);
  return st;
}

static enum fs_status set_step(struct fs_session *s, void *user) {
  const struct input *i = user;
  enum fs_status st =
      fs_setting_change(s, i->name, i->text, (struct fs_span){0});
  emit_diags(s);
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
  return result;
}

enum fs_result fs_session_define(struct fs_session *s, const char *name,
                                 const char *value) {
  return short_input(s, name, value, define_step);
}

static enum fs_status check_step(struct fs_session *s, void *user) {
  (void)user;
  fs_interp_warn_unread(s->in);
  emit_diags(s);
  return FS_OK;
}

enum fs_result fs_session_check_defined(struct fs_session *s) {
  return short_input(s, NULL, NULL, check_step);
}

enum fs_result fs_session_set(struct fs_session *s, const char *name,
                              const char *value) {
  return short_input(s, name, value, set_step);
}
