/* render.c - see render.h. */
#include "repl/render.h"

#include <math.h>
#include <unistd.h>

#include "core/view/view.h"
#include "repl/picture.h"
#include "repl/progress.h"
#include "repl/term.h"

/* A loop may run many different blocks: of so many the plans are shown. */
enum { PLANS_SHOWN = 8 };

struct fs_render {
  const struct fs_options *options;
  struct fs_session *session;
  enum fs_render_mode mode;
  unsigned reading;    /* FS_READ_... of this input             */
  struct fs_str paged; /* what may go to the pager              */
  json_t *plans;       /* of this input, for its end            */
  bool lost;           /* there was no memory to show something */
};

struct fs_render *fs_render_new(const struct fs_options *options) {
  struct fs_render *r = fs_calloc(1, sizeof *r);
  r->options = options;
  return r;
}

void fs_render_free(struct fs_render *r) {
  json_decref(r->plans);
  fs_str_free(&r->paged);
  free(r);
}

void fs_render_attach(struct fs_render *r, struct fs_session *session) {
  r->session = session;
}

static void put(FILE *out, const struct fs_str *s) {
  fs_progress_write(out, fs_str_text(s), s->len);
}

static const char *text_of(const json_t *event, const char *key) {
  const char *s = json_string_value(json_object_get(event, key));
  return s ? s : "";
}

/* -- plans ----------------------------------------------------------------- */

/* Lines that the terminal would break anywhere are cut at words. */
static void wrap_lines(struct fs_str *s, const struct fs_look *look, FILE *out) {
  struct fs_str wrapped = {0};
  if (!isatty(fileno(out))) return;
  fs_term_wrap(fs_str_text(s), look->width, &wrapped);
  fs_str_free(s);
  *s = wrapped;
}

static FILE *plan_stream(const struct fs_render *r) {
  return r->mode == FS_RENDER_PROMPT ? stdout : stderr;
}

/* A command asked for it (`:plan`): shown at once, in its turn. */
static void show_asked(struct fs_render *r, const json_t *plan) {
  FILE *out = plan_stream(r);
  struct fs_look look = fs_term_look(out);
  struct fs_str s = {0};
  if (!strcmp(text_of(plan, "form"), "line")) fs_plan_put_line(plan, &look, &s);
  else fs_plan_put_box(plan, &look, &s);
  wrap_lines(&s, &look, out);
  if (r->reading & FS_READ_PAGED) fs_str_put(&r->paged, fs_str_text(&s), s.len);
  else put(out, &s);
  fs_str_free(&s);
}

static void put_boxes(const struct fs_render *r, const struct fs_look *look,
                      struct fs_str *s) {
  size_t k, n = json_array_size(r->plans);
  const json_t *plan;
  json_array_foreach(r->plans, k, plan) {
    if (r->mode == FS_RENDER_PROMPT && k == PLANS_SHOWN) {
      fs_str_printf(s, "... and %zu more plans\n", n - k);
      return;
    }
    fs_plan_put_box(plan, look, s);
  }
}

/* A script's blocks have a line each, an input at the prompt one for all. */
static void put_lines(const struct fs_render *r, const struct fs_look *look,
                      struct fs_str *s) {
  size_t k, n = json_array_size(r->plans);
  const json_t *plan;
  if (r->mode == FS_RENDER_SCRIPT || n == 1)
    json_array_foreach(r->plans, k, plan) {
      if (n > 1)
        fs_str_printf(s, "block %lld: ", (long long)json_integer_value(
                                             json_object_get(plan, "block")));
      fs_plan_put_line(plan, look, s);
    }
  if (n > 1) fs_plan_put_summary(r->plans, look, s);
}

/* The plans of an input, when all its values are out. */
static void show_plans(struct fs_render *r) {
  if (!r->plans) return;
  const char *form =
      r->session ? fs_session_setting(r->session, "plan") : "line";
  FILE *out = plan_stream(r);
  struct fs_look look = fs_term_look(out);
  struct fs_str s = {0};
  if (!strcmp(form, "box")) put_boxes(r, &look, &s);
  if (!strcmp(form, "line")) put_lines(r, &look, &s);
  wrap_lines(&s, &look, out);
  put(out, &s);
  fs_str_free(&s);
  json_decref(r->plans);
  r->plans = NULL;
}

static void on_plan(struct fs_render *r, const json_t *event) {
  const char *state = text_of(event, "state");
  if (*state && strcmp(state, "measured")) return; /* for live displays */
  if (*text_of(event, "form")) {
    show_asked(r, event);
    return;
  }
  if (!r->plans) r->plans = json_array();
  json_array_append_new(r->plans, json_deep_copy(event));
}

/* -- diagnostics ----------------------------------------------------------- */

static const char *severity_color(const char *severity) {
  if (!strcmp(severity, "error")) return "1;31";
  return strcmp(severity, "warning") ? "1;36" : "1;33";
}

static void put_sgr(struct fs_str *out, const char *sgr, const char *text,
                    size_t len) {
  fs_str_printf(out, "\033[%sm", sgr);
  fs_str_put(out, text, len);
  fs_str_puts(out, "\033[0m");
}

/* One line of the picture: place and severity, carets, hint, or source. */
static void put_diag_line(struct fs_str *out, const char *line, size_t len,
                          bool first, const char *severity) {
  char *copy = fs_strndup(line, len);
  const char *word = first ? strstr(copy, severity) : NULL;
  size_t n = strlen(severity);
  if (word && word[n] == ':') {
    size_t before = (size_t)(word - copy);
    put_sgr(out, "1", copy, before);
    put_sgr(out, severity_color(severity), word, n + 1);
    put_sgr(out, "1", word + n + 1, len - before - n - 1);
  } else if (len && strspn(copy, " \t^~|") == len) {
    put_sgr(out, "1;32", copy, len);
  } else if (!strncmp(copy, "hint:", 5)) {
    put_sgr(out, "1;36", copy, 5);
    fs_str_put(out, copy + 5, len - 5);
  } else {
    fs_str_put(out, copy, len);
  }
  free(copy);
}

/* The lines of running text, cut at words; source lines and carets stay as they are. */
static void wrap_words(struct fs_str *rendered, int width) {
  struct fs_str wrapped = {0};
  for (const char *at = fs_str_text(rendered); *at;) {
    size_t len = strcspn(at, "\n") + 1;
    char *line = fs_strndup(at, FS_MIN(len, strlen(at)));
    if (!strncmp(line, "  ", 2)) fs_str_puts(&wrapped, line);
    else fs_term_wrap(line, width, &wrapped);
    at += strlen(line);
    free(line);
  }
  fs_str_free(rendered);
  *rendered = wrapped;
}

static void put_diagnostic(struct fs_str *out, const json_t *event,
                           bool color) {
  const char *rendered = text_of(event, "rendered");
  const char *severity = text_of(event, "severity");
  struct fs_str plain = {0};
  if (*rendered) {
    fs_str_puts(&plain, rendered);
  } else {
    fs_str_printf(&plain, "%s: ", severity);
    fs_str_puts(&plain, text_of(event, "message"));
    if (*text_of(event, "hint"))
      fs_str_printf(&plain, "\nhint: %s", text_of(event, "hint"));
  }
  if (isatty(STDERR_FILENO)) wrap_words(&plain, fs_term_look(stderr).width);
  const char *at = fs_str_text(&plain);
  for (bool first = true; *at; first = false) {
    size_t len = strcspn(at, "\n");
    if (color) put_diag_line(out, at, len, first, severity);
    else fs_str_put(out, at, len);
    fs_str_puts(out, "\n");
    at += len + (at[len] == '\n');
  }
  fs_str_free(&plain);
}

/* -- events ---------------------------------------------------------------- */

static void result_text(struct fs_render *r, const char *text) {
  struct fs_str s = {0};
  if (r->reading & FS_READ_WRAPPED && isatty(STDOUT_FILENO))
    (r->reading & FS_READ_PROSE ? fs_term_wrap_prose : fs_term_wrap)(
        text, fs_term_look(stdout).width, &s);
  else
    fs_str_puts(&s, text);
  if (r->reading & FS_READ_PAGED) fs_str_put(&r->paged, fs_str_text(&s), s.len);
  else fs_progress_write(stdout, fs_str_text(&s), s.len);
  fs_str_free(&s);
}

static void on_text(struct fs_render *r, const json_t *event) {
  const char *text = text_of(event, "text");
  if (!strcmp(text_of(event, "stream"), "stderr"))
    fs_progress_write(stderr, text, strlen(text));
  else
    result_text(r, text);
}

static void on_value(struct fs_render *r, const json_t *event) {
  const char *text = text_of(json_object_get(event, "data"), "text/plain");
  size_t len = strlen(text);
  result_text(r, text);
  if (len && text[len - 1] != '\n') result_text(r, "\n");
}

/* One line of a plot: runs of columns that show the same series in its colour. */
static void put_inked(struct fs_str *out, const char *line, size_t len,
                      const char *ink) {
  static const char *const colors[] = {"34", "31", "32", "35", "33",
                                       "36", "37", "91", "95", "93"};
  char now = ' ';
  for (size_t i = 0; i < len;) {
    uint32_t code;
    int n = FS_MAX(fs_utf8_decode(line + i, len - i, &code), 1);
    int columns = fs_utf8_width(line + i, (size_t)n);
    char next = *ink >= '0' && *ink <= '9' ? *ink : ' ';
    if (next != now && now != ' ') fs_str_puts(out, "\033[0m");
    if (next != now && next != ' ')
      fs_str_printf(out, "\033[%sm", colors[next - '0']);
    now = next;
    fs_str_put(out, line + i, (size_t)n);
    i += (size_t)n;
    for (int k = 0; k < columns && *ink; k++) ink++;
  }
  if (now != ' ') fs_str_puts(out, "\033[0m");
}

/* As a picture, where the terminal shows some and the setting allows it. */
static bool show_picture(struct fs_render *r, const json_t *event) {
  const char *how = text_of(event, "pictures");
  const char *svg = text_of(json_object_get(event, "data"), "image/svg+xml");
  return *how && *svg && !(r->reading & FS_READ_PAGED) &&
         fs_picture_show(svg, how, r->options->interactive);
}

static void on_display(struct fs_render *r, const json_t *event) {
  if (show_picture(r, event)) return;
  const char *at = text_of(json_object_get(event, "data"), "text/plain");
  const json_t *ink = json_object_get(event, "ink");
  bool color = fs_term_look(stdout).color;
  struct fs_str s = {0};
  for (size_t k = 0; *at; k++) {
    size_t len = strcspn(at, "\n");
    const char *marks = json_string_value(json_array_get(ink, k));
    put_inked(&s, at, len, color && marks ? marks : "");
    fs_str_puts(&s, "\n");
    at += len + (at[len] == '\n');
  }
  result_text(r, fs_str_text(&s));
  fs_str_free(&s);
}

static void on_diagnostic(const json_t *event) {
  struct fs_str s = {0};
  put_diagnostic(&s, event, fs_term_look(stderr).color);
  put(stderr, &s);
  fs_str_free(&s);
}

static void on_progress(const json_t *event) {
  const json_t *done = json_object_get(event, "done");
  const json_t *expected = json_object_get(event, "expected");
  if (expected) {
    fs_progress_expect(json_is_number(expected) ? json_number_value(expected) : NAN);
    return;
  }
  fs_progress_note(text_of(event, "what"),
                   json_is_number(done) ? json_number_value(done) : -1);
}

static void put_json(const json_t *event) {
  char *line = json_dumps(event, JSON_COMPACT);
  struct fs_str s = {0};
  if (!line) return; /* only when memory is short */
  fs_str_puts(&s, line);
  fs_str_puts(&s, "\n");
  put(stdout, &s);
  fs_str_free(&s);
  free(line);
}

static void show_event(struct fs_render *r, const json_t *event) {
  const char *kind = text_of(event, "event");
  if (!strcmp(kind, "progress")) on_progress(event);
  if (r->options->json) put_json(event);
  else if (!strcmp(kind, "text")) on_text(r, event);
  else if (!strcmp(kind, "value")) on_value(r, event);
  else if (!strcmp(kind, "display")) on_display(r, event);
  else if (!strcmp(kind, "plan")) on_plan(r, event);
  else if (!strcmp(kind, "diagnostic")) on_diagnostic(event);
  else if (!strcmp(kind, "clear") && isatty(STDOUT_FILENO))
    fs_progress_write(stdout, "\033[H\033[2J", 7);
}

/* The session must not be jumped over: what cannot be shown is missing, and the
 * exit code tells of it. */
static void sheltered(struct fs_render *r, const json_t *event,
                      void (*show)(struct fs_render *r, const json_t *event)) {
  jmp_buf out_of_memory;
  jmp_buf *volatile old = fs_oom_guard(&out_of_memory);
  if (setjmp(out_of_memory)) {
    fputs("fusible: out of memory on the host: some output is missing\n",
          stderr);
    r->lost = true;
  } else {
    show(r, event);
  }
  fs_oom_guard(old);
}

void fs_render_event(void *user, const json_t *event) {
  sheltered(user, event, show_event);
}

bool fs_render_lost(const struct fs_render *r) { return r->lost; }

void fs_render_begin(struct fs_render *r, enum fs_render_mode mode,
                     unsigned reading) {
  r->mode = mode;
  r->reading = reading;
  json_decref(r->plans);
  r->plans = NULL;
  fs_str_clear(&r->paged);
}

static void show_rest(struct fs_render *r, const json_t *event) {
  (void)event;
  show_plans(r);
  if (r->paged.len) fs_term_page(fs_str_text(&r->paged));
  fs_str_clear(&r->paged);
}

void fs_render_end(struct fs_render *r) {
  sheltered(r, NULL, show_rest);
  fs_picture_settle();
}

void fs_render_failure(struct fs_render *r, const char *id, const char *fmt,
                       ...) {
  struct fs_str message = {0};
  va_list args;
  va_start(args, fmt);
  fs_str_vprintf(&message, fmt, args);
  va_end(args);
  if (r->options->json) {
    json_t *event = json_pack("{ss,ss,ss,ss}", "event", "diagnostic",
                              "severity", "error", "id", id, "message",
                              fs_str_text(&message));
    if (event) put_json(event);
    json_decref(event);
  } else {
    fprintf(stderr, "fusible: %s\n", fs_str_text(&message));
  }
  fs_str_free(&message);
}
