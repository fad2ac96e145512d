/* choose.c - see choose.h. The list is drawn in its place again after each key. */
#include "repl/choose.h"

#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "core/view/view.h"
#include "repl/keys.h"
#include "repl/term.h"

bool fs_is_choose(const char *entry) {
  const char *term = getenv("TERM");
  size_t len = strcspn(entry, " \t\r\n");
  bool alone = entry[len + strspn(entry + len, " \t\r\n")] == 0;
  return alone && len > 3 && len <= 7 && !strncmp(entry, ":choose", len) &&
         isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
}

/* -- the list ------------------------------------------------------------------------ */

struct chooser {
  json_t *plans;      /* of `:alternatives json`: the last is the one without fusion */
  int n, at, lines;   /* that can be chosen; the marked one; drawn lines */
};

static const char *text_of(const json_t *o, const char *key) {
  const char *s = json_string_value(json_object_get(o, key));
  return s ? s : "";
}

static double number_of(const json_t *o, const char *key) {
  const json_t *v = json_object_get(o, key);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

static void put_time(struct fs_str *out, const struct fs_look *look, double seconds) {
  struct fs_str cell = {0};
  if (isnan(seconds)) fs_str_puts(&cell, look->utf8 ? "\u2014" : "-");
  else fs_str_put_seconds(&cell, seconds);
  int used = fs_utf8_width(fs_str_text(&cell), cell.len);
  const char *micro = look->utf8 ? NULL : strstr(fs_str_text(&cell), "\u00b5");
  fs_str_printf(out, "%*s", FS_MAX(10 - used, 1), "");
  if (micro) fs_str_printf(out, "%.*su%s", (int)(micro - cell.data), cell.data, micro + 2);
  else fs_str_puts(out, fs_str_text(&cell));
  fs_str_free(&cell);
}

/* " 2 kernels   0.403 ms   0.323 ms  q = A*p | s = A'*r", cut to the screen. */
static void put_plan(struct fs_str *out, const json_t *plan, const struct fs_look *look) {
  const json_t *kernels = json_object_get(plan, "kernels"), *kernel;
  struct fs_str line = {0};
  size_t k;
  double rank = number_of(plan, "rank");
  if (isnan(rank)) fs_str_puts(&line, "  -");
  else fs_str_printf(&line, "%3.0f", rank);
  fs_str_printf(&line, " %c %7zu", json_is_true(json_object_get(plan, "chosen")) ? '*' : ' ',
                json_array_size(kernels));
  put_time(&line, look, number_of(plan, "predicted"));
  put_time(&line, look, number_of(plan, "measured"));
  json_array_foreach(kernels, k, kernel)
    fs_str_printf(&line, "%s%s", k ? " | " : "  ", text_of(kernel, "does"));
  size_t len = line.len;
  while (fs_utf8_width(line.data, len) > look->width - 3) len--;
  while (len && len < line.len && ((unsigned char)line.data[len] & 0xc0) == 0x80) len--;
  fs_str_put(out, line.data, len);
  fs_str_free(&line);
}

static void draw(struct chooser *c) {
  struct fs_look look = fs_term_look(stdout);
  struct fs_str out = {0};
  const char *keys = look.width < 60 ? "Enter races, p takes it, q leaves"
                                     : "arrows move, Enter races, p takes it, q leaves";
  if (c->lines) fs_str_printf(&out, "\r\033[%dA\033[J", c->lines);
  fs_str_puts(&out, "  plan   kernels predicted  measured\r\n");
  for (int k = 0; k < c->n; k++) {
    bool marked = k == c->at;
    if (marked && look.color) fs_str_puts(&out, "\033[7m");
    fs_str_puts(&out, marked ? "> " : "  ");
    put_plan(&out, json_array_get(c->plans, (size_t)k), &look);
    if (marked && look.color) fs_str_puts(&out, "\033[0m");
    fs_str_puts(&out, "\r\n");
  }
  fs_str_printf(&out, "%s\r\n", keys);
  c->lines = c->n + 2;
  fwrite(out.data, 1, out.len, stdout);
  fflush(stdout);
  fs_str_free(&out);
}

static void wipe(struct chooser *c) {
  if (c->lines) printf("\r\033[%dA\033[J", c->lines);
  fflush(stdout);
  c->lines = 0;
}

/* As many as the screen has room for; without the one that has no number. */
static bool fetch(struct chooser *c, const struct fs_choose_host *host) {
  char *told = host->ask(host->user, ":alternatives json");
  json_decref(c->plans);
  c->plans = told ? json_loads(told, 0, NULL) : NULL;
  free(told);
  c->n = 0;
  int room = FS_MAX(fs_term_rows() - 4, 1);
  while (c->n < room && !isnan(number_of(json_array_get(c->plans, (size_t)c->n), "rank"))) c->n++;
  c->at = FS_MIN(c->at, FS_MAX(c->n - 1, 0));
  return c->n > 0;
}

/* -- keys ---------------------------------------------------------------------------- */

enum key { KEY_NONE, KEY_UP, KEY_DOWN, KEY_RACE, KEY_TAKE, KEY_LEAVE };

/* Whether more of a sequence of keys comes at once. */
static bool next_byte(char *c) {
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  if (!fs_keys_waiting() && poll(&in, 1, 100) > 0) fs_keys_fetch();
  return fs_keys_waiting() && fs_keys_read(c, 1) == 1;
}

static enum key read_escape(void) {
  char c;
  if (!next_byte(&c)) return KEY_LEAVE; /* Escape alone */
  if (c != '[' && c != 'O') return KEY_NONE;
  while (next_byte(&c))
    if (c >= '@' && c <= '~') return c == 'A' ? KEY_UP : c == 'B' ? KEY_DOWN : KEY_NONE;
  return KEY_NONE;
}

static enum key read_key(void) {
  char c;
  switch (fs_term_wait()) {
    case FS_TERM_INTERRUPT: return KEY_LEAVE;
    case FS_TERM_STOP: fs_term_stop(); return KEY_NONE;
    case FS_TERM_RESIZE: return KEY_NONE;
    case FS_TERM_KEY: break;
  }
  if (fs_keys_read(&c, 1) != 1) return KEY_LEAVE;
  switch (c) {
    case '\033': return read_escape();
    case '\r': case '\n': return KEY_RACE;
    case 'k': return KEY_UP;
    case 'j': return KEY_DOWN;
    case 'p': return KEY_TAKE;
    case 'q': case 4: return KEY_LEAVE;
    default: return KEY_NONE;
  }
}

/* False: it is over; *more says whether the session goes on. */
static bool act(struct chooser *c, const struct fs_choose_host *host, enum key key, bool *more) {
  char command[32];
  if (key == KEY_UP) c->at = FS_MAX(c->at - 1, 0);
  if (key == KEY_DOWN) c->at = FS_MIN(c->at + 1, c->n - 1);
  if (key != KEY_LEAVE && key != KEY_RACE && key != KEY_TAKE) return true;
  wipe(c);
  if (key == KEY_LEAVE) return false;
  snprintf(command, sizeof command, ":choose %d", c->at + 1);
  *more = host->run(host->user, key == KEY_RACE ? ":race" : command);
  return *more && key == KEY_RACE && fetch(c, host);
}

bool fs_choose(const struct fs_choose_host *host) {
  struct chooser c = {0};
  bool more = true;
  if (!fetch(&c, host)) {
    json_decref(c.plans);
    return host->run(host->user, ":choose"); /* which says why */
  }
  for (int k = 0; k < c.n; k++)
    if (json_is_true(json_object_get(json_array_get(c.plans, (size_t)k), "chosen"))) c.at = k;
  enum fs_term_input typed = fs_term_input();
  do {
    fs_term_set_input(FS_TERM_UNSEEN);
    draw(&c);
  } while (act(&c, host, read_key(), &more));
  fs_term_set_input(typed);
  json_decref(c.plans);
  return more;
}
