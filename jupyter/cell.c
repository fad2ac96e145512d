/* cell.c - see cell.h.
 *
 * A value is held back until the next event: the last one of an input is its
 * result, the others are displays. A plan stands above the result. That of a quick
 * block is shown at the end, as it was measured, since an input that fails shows its
 * error and no plan. A block that has run for SHOW_AFTER seconds shows its
 * prediction, below the plans of the blocks before it; what was measured replaces it
 * in the same display; not to consoles, which replace nothing that they have shown.
 * Below that stands from the second second on how long it has run, of how long,
 * until what was measured comes.
 */
#include "jupyter/cell.h"

#include <stdio.h>

#include "core/view/view.h"
#include "jupyter/comms.h"

#define SHOW_AFTER 0.1  /* seconds */
#define PROGRESS_STEP 0.1
#define TELL_AFTER 2.0
#define TELL_EVERY 1.0

enum {
  MAX_OUTPUTS = 40, /* then values become text: a notebook shows 50 of a cell */
  MAX_PLANS = 8,    /* then one line tells of the others                     */
  WIDTH = 100
};

struct fs_cell_plan {
  char id[48];
  json_t *event;   /* the newest          */
  double due;      /* when to show it     */
  bool shown, measured;
};

/* -- publishing -------------------------------------------------------------- */

static void publish(struct fs_cell *c, const char *type, json_t *content) {
  if (c->silent) json_decref(content);
  else fs_publish(c->port, c->request, type, content, NULL);
}

static void publish_text(struct fs_cell *c, const char *stream,
                         const char *text, size_t len) {
  if (c->silent) return;
  size_t take = fs_utf8_cut(text, len, c->s->output_limit - c->printed);
  c->printed += take;
  c->swallowed += len - take;
  if (take < len) c->printed = c->s->output_limit;
  fs_publish_text(c->port, c->request, stream, text, take);
}

/* What a display id means is for the whole session, so it has the process in it. */
static json_t *display(const struct fs_cell *c, const char *id, json_t *data,
                       json_t *metadata) {
  json_t *transient = json_object();
  if (id) {
    struct fs_str whole = {0};
    fs_str_printf(&whole, "%.8s-%d-%s", c->s->seal.session, c->count, id);
    json_object_set_new(transient, "display_id",
                        json_stringn(fs_str_text(&whole), whole.len));
    fs_str_free(&whole);
  }
  return json_pack("{so so so}", "data", data, "metadata",
                   metadata ? metadata : json_object(), "transient",
                   transient);
}

static void release(struct fs_cell *c) {
  json_t *held = c->held;
  c->held = NULL;
  if (!held) return;
  if (c->outputs < MAX_OUTPUTS) {
    c->outputs++;
    json_t *m = json_object_get(held, "metadata");
    publish(c, "display_data",
            display(c, NULL, json_incref(json_object_get(held, "data")),
                    json_incref(m)));
  } else {
    const char *text = json_string_value(
        json_object_get(json_object_get(held, "data"), "text/plain"));
    if (text) publish_text(c, "stdout", text, strlen(text));
    publish_text(c, "stdout", "\n", 1);
  }
  json_decref(held);
}

/* -- plans ------------------------------------------------------------------- */

#define PLAN_TYPE "application/vnd.fusible.plan+json"

/* The plan as data says whose it is: a choice is taken for plans of this session only. */
static json_t *signed_data(const struct fs_cell *c, json_t *gives) {
  char owner[40];
  json_t *data = json_copy(gives), *plan = json_copy(json_object_get(data, PLAN_TYPE));
  fs_comms_owner(c->s, owner);
  if (plan) json_object_set_new(plan, "kernel", json_string(owner));
  if (plan) json_object_set_new(data, PLAN_TYPE, plan);
  json_decref(gives);
  return data;
}

/* The forms that came with the event, or the plain one. */
static json_t *plan_data(const struct fs_cell *c, const json_t *event) {
  json_t *data = json_object_get(event, "data");
  if (json_is_object(data) && json_object_get(data, "text/plain"))
    return signed_data(c, json_incref(data));
  const struct fs_look look = {.width = WIDTH, .color = false, .utf8 = true};
  struct fs_str text = {0}, html = {0};
  fs_plan_put_box(event, &look, &text);
  while (text.len && text.data[text.len - 1] == '\n') text.data[--text.len] = 0;
  fs_str_puts(&html, "<pre>");
  fs_str_put_html(&html, fs_str_text(&text), text.len);
  fs_str_puts(&html, "</pre>");
  data = json_pack("{ss ss so}", "text/plain", fs_str_text(&text), "text/html",
                   fs_str_text(&html), PLAN_TYPE, fs_plan_brief(event));
  fs_str_free(&text);
  fs_str_free(&html);
  return signed_data(c, data);
}

static bool has_kernels(const json_t *event) {
  return json_array_size(json_object_get(event, "kernels")) > 0;
}

/* The same with a line below. */
static json_t *with_line(json_t *gives, const char *line) {
  json_t *data = json_copy(gives);
  struct fs_str text = {0}, html = {0};
  const char *plain = json_string_value(json_object_get(data, "text/plain"));
  const char *rich = json_string_value(json_object_get(data, "text/html"));
  fs_str_printf(&text, "%s%s%s", plain ? plain : "", plain ? "\n" : "", line);
  fs_str_puts(&html, rich ? rich : "");
  fs_str_puts(&html, "<p>");
  fs_str_put_html(&html, line, strlen(line));
  fs_str_puts(&html, "</p>");
  json_object_set_new(data, "text/plain", json_stringn(text.data, text.len));
  json_object_set_new(data, "text/html", json_stringn(html.data, html.len));
  fs_str_free(&text);
  fs_str_free(&html);
  json_decref(gives);
  return data;
}

/* line: of what runs now, or NULL. */
static void show_plan(struct fs_cell *c, struct fs_cell_plan *p, const char *line) {
  json_t *data = plan_data(c, p->event);
  if (line) data = with_line(data, line);
  publish(c, p->shown ? "update_display_data" : "display_data",
          display(c, p->id, data, NULL));
  c->outputs += !p->shown;
  p->shown = true;
}

static struct fs_cell_plan *find_plan(struct fs_cell *c, const char *id) {
  for (int k = 0; k < c->plans.len; k++)
    if (!strcmp(c->plans.data[k]->id, id)) return c->plans.data[k];
  struct fs_cell_plan *p = fs_calloc(1, sizeof *p);
  snprintf(p->id, sizeof p->id, "%s", id);
  *FS_PUSH(&c->plans) = p;
  return p;
}

/* What a command makes of a plan that was shown before: it says so in words. */
static bool is_of_choice(const char *state) {
  return state && (!strcmp(state, "considered") || !strcmp(state, "again"));
}

static void on_plan(struct fs_cell *c, const json_t *event) {
  const char *id = json_string_value(json_object_get(event, "id"));
  const char *state = json_string_value(json_object_get(event, "state"));
  if (c->silent || !has_kernels(event) || is_of_choice(state)) return;
  if (json_object_get(event, "form")) { /* a command shows it */
    release(c);
    c->outputs++;
    publish(c, "display_data", display(c, NULL, plan_data(c, event), NULL));
    return;
  }
  struct fs_cell_plan *p = find_plan(c, id ? id : "plan");
  bool launched = state && !strcmp(state, "launched");
  if (launched) p->due = fs_now() + SHOW_AFTER;
  p->measured = !launched;
  if (state && !strcmp(state, "withdrawn")) {
    json_decref(p->event);
    p->event = NULL;
    if (p->shown)
      publish(c, "update_display_data",
              display(c, p->id, json_pack("{ss ss}", "text/plain", "",
                                          "text/html", ""), NULL));
    return;
  }
  json_decref(p->event);
  p->event = json_deep_copy(event);
  if (p->shown) show_plan(c, p, NULL);
}

/* At a good end: the plans that were not shown while they ran. */
static void show_plans(struct fs_cell *c) {
  int shown = 0, more = 0;
  for (int k = 0; k < c->plans.len; k++) {
    struct fs_cell_plan *p = c->plans.data[k];
    if (!p->event || !p->measured) continue;
    if (p->shown) {
      shown++;
      continue;
    }
    if (shown == MAX_PLANS) {
      more++;
      continue;
    }
    shown++;
    show_plan(c, p, NULL);
  }
  if (!more) return;
  struct fs_str text = {0};
  fs_str_printf(&text, "and %d more block%s: :plan all\n", more,
                more == 1 ? "" : "s");
  publish_text(c, "stdout", fs_str_text(&text), text.len);
  fs_str_free(&text);
}

/* -- progress ---------------------------------------------------------------- */

static json_t *progress_data(const char *text, double done) {
  struct fs_str html = {0};
  if (done >= 0)
    fs_str_printf(&html, "<progress value=\"%.3f\" max=\"1\"></progress> ",
                  FS_MIN(done, 1.0));
  fs_str_put_html(&html, text, strlen(text));
  json_t *data = json_pack("{ss ss}", "text/plain", text, "text/html",
                           fs_str_text(&html));
  fs_str_free(&html);
  return data;
}

static void put_progress(struct fs_cell *c, const char *text, double done) {
  publish(c, c->progress_at > 0 ? "update_display_data" : "display_data",
          display(c, "progress", progress_data(text, done), NULL));
  c->outputs += !(c->progress_at > 0);
  c->progress_at = fs_now();
}

/* -- what runs, of how long -- */

static void put_running(struct fs_cell *c, const char *line) {
  json_t *data = line ? progress_data(line, -1)
                      : json_pack("{ss ss}", "text/plain", "", "text/html", "");
  publish(c, c->has_line ? "update_display_data" : "display_data",
          display(c, "running", data, NULL));
  c->outputs += !c->has_line;
  c->has_line = true;
}

/* Nothing of it stays. */
static void end_running(struct fs_cell *c) {
  if (c->told_at > 0 && !c->running) put_running(c, NULL);
  else if (c->told_at > 0 && !c->running->measured) show_plan(c, c->running, NULL);
  c->running = NULL;
  c->expected = 0;
}

static void begin_running(struct fs_cell *c, const json_t *event) {
  const char *plan = json_string_value(json_object_get(event, "plan"));
  end_running(c);
  c->expected = json_number_value(json_object_get(event, "expected"));
  c->launched = fs_now();
  c->told_at = 0;
  for (int k = 0; k < c->plans.len && plan; k++)
    if (!strcmp(c->plans.data[k]->id, plan)) c->running = c->plans.data[k];
}

/* Seconds until the line is due; < 0: there is none. */
static double until_told(const struct fs_cell *c) {
  if (!(c->expected > 0) || !c->live) return -1;
  double due = c->told_at > 0 ? c->told_at + TELL_EVERY : c->launched + TELL_AFTER;
  return FS_MAX(due - fs_now(), 0.0);
}

static void tell_running(struct fs_cell *c) {
  struct fs_str line = {0};
  if (until_told(c) != 0) return;
  fs_str_puts(&line, "running \u00b7");
  fs_plan_put_elapsed(&line, fs_now() - c->launched, c->expected);
  if (c->running && c->running->shown) {
    show_plan(c, c->running, fs_str_text(&line));
  } else {
    if (c->running) c->running = NULL; /* more plans than are shown */
    put_running(c, fs_str_text(&line));
  }
  c->told_at = fs_now();
  fs_str_free(&line);
}

static void on_progress(struct fs_cell *c, const json_t *event) {
  if (json_object_get(event, "expected")) {
    begin_running(c, event);
    return;
  }
  const char *what = json_string_value(json_object_get(event, "what"));
  json_t *part = json_object_get(event, "done");
  double done = json_is_number(part) ? json_number_value(part) : -1;
  double seconds = json_number_value(json_object_get(event, "seconds"));
  if (fs_now() - c->progress_at < PROGRESS_STEP) return;
  if (!what) what = "running";
  snprintf(c->progressed, sizeof c->progressed, "%.*s · %.0f s",
           (int)FS_MIN(strcspn(what, ":"), 40), what, seconds);
  if (done >= 0)
    snprintf(c->progress, sizeof c->progress, "%.40s %.0f %% · %.0f s",
             what, 100 * FS_MIN(done, 1.0), seconds);
  else
    snprintf(c->progress, sizeof c->progress, "%.40s · %.0f s", what, seconds);
  put_progress(c, c->progress, done);
}

static void end_progress(struct fs_cell *c, bool well) {
  char text[sizeof c->progress + 32];
  if (!(c->progress_at > 0)) return;
  snprintf(text, sizeof text, "%s, %s", well ? c->progressed : c->progress,
           well ? "done" : "stopped");
  put_progress(c, text, well ? 1 : -1);
}

/* -- the other events -------------------------------------------------------- */

static void on_text(struct fs_cell *c, const json_t *event) {
  const json_t *text = json_object_get(event, "text");
  const char *stream = json_string_value(json_object_get(event, "stream"));
  size_t len = json_string_length(text);
  if (!len) return;
  if (c->paged && stream && !strcmp(stream, "stdout")) {
    fs_str_put(&c->pages, json_string_value(text), len);
    return;
  }
  release(c);
  publish_text(c, stream ? stream : "stdout", json_string_value(text), len);
}

static void on_value(struct fs_cell *c, const json_t *event) {
  json_t *data = json_object_get(event, "data");
  release(c);
  if (!json_is_object(data)) return;
  c->held = json_pack("{sO sO*}", "data", data, "metadata",
                      json_object_get(event, "metadata"));
  if (!json_object_get(c->held, "metadata"))
    json_object_set_new(c->held, "metadata", json_object());
}

static void on_display(struct fs_cell *c, const json_t *event) {
  json_t *data = json_object_get(event, "data");
  release(c);
  if (!json_is_object(data)) return;
  c->outputs++;
  publish(c, "display_data",
          display(c, NULL, json_incref(data),
                  json_incref(json_object_get(event, "metadata"))));
}

static void put_lines(json_t *lines, const char *text) {
  for (const char *at = text; *at;) {
    size_t len = strcspn(at, "\n");
    json_array_append_new(lines, json_stringn(at, len));
    at += len + (at[len] == '\n');
  }
}

void fs_cell_fail(struct fs_cell *c, const char *ename, const char *evalue) {
  if (!c->traceback) {
    c->traceback = json_array();
    c->ename = fs_strdup(ename);
    c->evalue = fs_strdup(evalue);
  }
}

static void on_diagnostic(struct fs_cell *c, const json_t *event) {
  const char *severity = json_string_value(json_object_get(event, "severity"));
  const char *id = json_string_value(json_object_get(event, "id"));
  const char *message = json_string_value(json_object_get(event, "message"));
  const char *picture = json_string_value(json_object_get(event, "rendered"));
  if (!message) message = "";
  if (severity && !strcmp(severity, "error")) {
    fs_cell_fail(c, id ? id : "error", message);
    put_lines(c->traceback, picture ? picture : message);
    return;
  }
  if (id && !strcmp(id, "interrupted")) return; /* the error says it */
  release(c);
  struct fs_str text = {0};
  if (picture && *picture) fs_str_puts(&text, picture);
  else fs_str_printf(&text, "%s: %s", severity ? severity : "note", message);
  if (!text.len || text.data[text.len - 1] != '\n') fs_str_puts(&text, "\n");
  publish_text(c, "stderr", fs_str_text(&text), text.len);
  fs_str_free(&text);
}

static void on_clear(struct fs_cell *c, const json_t *event) {
  release(c);
  bool wait = json_is_true(json_object_get(event, "wait"));
  publish(c, "clear_output", json_pack("{sb}", "wait", (int)wait));
}

void fs_cell_event(struct fs_cell *c, const json_t *event) {
  static const struct {
    const char *name;
    void (*take)(struct fs_cell *c, const json_t *event);
  } table[] = {{"text", on_text}, {"value", on_value}, {"plan", on_plan},
               {"diagnostic", on_diagnostic}, {"progress", on_progress},
               {"display", on_display}, {"clear", on_clear}};
  const char *name = json_string_value(json_object_get(event, "event"));
  for (size_t k = 0; name && k < FS_LEN(table); k++)
    if (!strcmp(table[k].name, name)) table[k].take(c, event);
}

/* -- the course of an input -------------------------------------------------- */

/* Whether the code is one line that asks for help: `?name`, `:help`. */
static bool is_page(const char *code) {
  const char *text = code + strspn(code, " \t\r\n");
  const char *newline = strchr(text, '\n');
  if (newline && newline[strspn(newline, " \t\r\n")]) return false;
  if (*text == '?') return true;
  size_t len = strcspn(text, " \t\r\n");
  return len > 1 && len <= 5 && !strncmp(text, ":help", len);
}

void fs_cell_begin(struct fs_cell *c, struct fs_server *s, void *port,
                   const struct fs_request *request, int count) {
  const char *code =
      json_string_value(json_object_get(request->content, "code"));
  *c = (struct fs_cell){.s = s, .port = port, .request = request,
                        .count = count};
  c->silent = json_is_true(json_object_get(request->content, "silent"));
  c->paged = code && is_page(code);
  c->notebook = json_object_get(request->metadata, "cellId") != NULL;
  /* A console has somebody to answer questions, and no cells. */
  json_t *asks = json_object_get(request->content, "allow_stdin");
  c->live = c->notebook || json_is_false(asks);
}

int fs_cell_wait(const struct fs_cell *c) {
  double soonest = -1;
  for (int k = 0; k < c->plans.len; k++) {
    const struct fs_cell_plan *p = c->plans.data[k];
    if (p->shown || p->measured || !p->event || !c->live) continue;
    double left = FS_MAX(p->due - fs_now(), 0.0);
    if (soonest < 0 || left < soonest) soonest = left;
  }
  double told = until_told(c);
  if (told >= 0 && (soonest < 0 || told < soonest)) soonest = told;
  return soonest < 0 ? -1 : (int)(1000 * soonest) + 1;
}

static bool is_due(const struct fs_cell *c, const struct fs_cell_plan *p) {
  return c->live && p->event && !p->shown && !p->measured && p->due <= fs_now();
}

/* Plans stand in the order of their blocks: with one that is due come those before it. */
void fs_cell_tick(struct fs_cell *c) {
  int shown = 0, end = 0;
  for (int k = 0; k < c->plans.len; k++) {
    shown += c->plans.data[k]->shown;
    if (is_due(c, c->plans.data[k])) end = k + 1;
  }
  for (int k = 0; k < end; k++) {
    struct fs_cell_plan *p = c->plans.data[k];
    if (p->shown || !p->event) continue;
    p->due = fs_now() + 1e9;
    if (shown++ < MAX_PLANS) show_plan(c, p, NULL);
  }
  tell_running(c);
}

/* The picture with its carets, the word "error" in red, and as the last line what
 * a front end shows that has room for one. */
static json_t *error_content(struct fs_cell *c) {
  json_t *lines = c->traceback;
  const char *first = json_string_value(json_array_get(lines, 0));
  const char *word = first ? strstr(first, "error:") : NULL;
  struct fs_str text = {0};
  if (word) {
    fs_str_put(&text, first, (size_t)(word - first));
    fs_str_printf(&text, "\033[1;31merror:\033[0m%s", word + 6);
    json_array_set_new(lines, 0, json_stringn(text.data, text.len));
  }
  fs_str_clear(&text);
  fs_str_printf(&text, "%s: %s", c->ename, c->evalue);
  json_array_append_new(lines, json_stringn(text.data, text.len));
  fs_str_free(&text);
  return json_pack("{ss ss sO}", "ename", c->ename, "evalue", c->evalue,
                   "traceback", lines);
}

static void tell_swallowed(struct fs_cell *c) {
  if (!c->swallowed) return;
  struct fs_str text = {0};
  fs_str_puts(&text, "\n... ");
  fs_str_put_bytes(&text, (double)c->swallowed);
  fs_str_puts(&text, " more were printed; what a cell shows is limited\n");
  fs_publish_text(c->port, c->request, "stderr", text.data, text.len);
  fs_str_free(&text);
}

/* A console ends by what the reply asks for; a notebook ignores that. */
static void tell_of_quit(struct fs_cell *c) {
  static const char text[] =
      "a notebook's kernel goes on: its menu ends it (Kernel, Shut Down Kernel)\n";
  publish_text(c, "stderr", text, sizeof text - 1);
}

static json_t *end_badly(struct fs_cell *c, enum fs_result result) {
  if (result == FS_RESULT_INTERRUPTED)
    fs_cell_fail(c, "interrupted", "the input was interrupted");
  fs_cell_fail(c, "error", "the input failed");
  end_progress(c, false);
  release(c);
  if (!c->silent) tell_swallowed(c);
  json_t *content = error_content(c);
  publish(c, "error", json_deep_copy(content));
  json_object_set_new(content, "status", json_string("error"));
  json_object_set_new(content, "payload", json_array());
  return content;
}

static void put_result(struct fs_cell *c) {
  if (!c->held) return;
  const char *text = json_string_value(
      json_object_get(json_object_get(c->held, "data"), "text/plain"));
  if (text) c->result = fs_strndup(text, FS_MIN(strlen(text), (size_t)1000));
  json_object_set_new(c->held, "execution_count", json_integer(c->count));
  publish(c, "execute_result", c->held);
  c->held = NULL;
}

static json_t *payloads(struct fs_cell *c, bool quit) {
  json_t *list = json_array();
  if (c->pages.len)
    json_array_append_new(
        list, json_pack("{ss si s{so}}", "source", "page", "start", 0, "data",
                        "text/plain",
                        json_stringn(c->pages.data, c->pages.len)));
  if (quit)
    json_array_append_new(list, json_pack("{ss sb}", "source", "ask_exit",
                                          "keepkernel", 0));
  return list;
}

/* An error that did not end the input: a worker that died before the input began,
 * which then ran in the next one. */
static void put_mended(struct fs_cell *c) {
  json_t *line;
  size_t k;
  json_array_foreach(c->traceback, k, line) {
    const char *text = json_string_value(line);
    if (text) publish_text(c, "stderr", text, strlen(text));
    publish_text(c, "stderr", "\n", 1);
  }
}

json_t *fs_cell_end(struct fs_cell *c, enum fs_result result, bool *failed) {
  *failed = result != FS_RESULT_OK && result != FS_RESULT_QUIT;
  end_running(c);
  json_t *content;
  if (*failed) {
    content = end_badly(c, result);
  } else {
    end_progress(c, true);
    put_mended(c);
    show_plans(c);
    put_result(c);
    if (result == FS_RESULT_QUIT && c->notebook) tell_of_quit(c);
    if (!c->silent) tell_swallowed(c);
    content = json_pack("{ss so}", "status", "ok", "payload",
                        payloads(c, result == FS_RESULT_QUIT));
  }
  json_object_set_new(content, "execution_count", json_integer(c->count));
  json_object_set_new(content, "user_expressions", json_object());
  return content;
}

void fs_cell_free(struct fs_cell *c) {
  for (int k = 0; k < c->plans.len; k++) {
    json_decref(c->plans.data[k]->event);
    free(c->plans.data[k]);
  }
  FS_VEC_FREE(&c->plans);
  json_decref(c->held);
  json_decref(c->traceback);
  fs_str_free(&c->pages);
  free(c->ename);
  free(c->evalue);
  free(c->result);
  *c = (struct fs_cell){.s = NULL};
}
