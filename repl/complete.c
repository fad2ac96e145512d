/* complete.c - Tab: names from the session with their type and a line of help.
 * Readline thinks in words of the line, the session in byte ranges of the whole
 * entry; matches are cut or extended to fit between the two. */
#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>

#include <readline/readline.h>

#include "repl/line.h"
#include "repl/term.h"

enum { LISTED = 40 };

static struct fs_session *session;
static const struct fs_str *pending;
static json_t *answers; /* of the last Tab: {"text","type","doc"} */

static const char *text_of(const json_t *o, const char *key) {
  const char *s = json_string_value(json_object_get(o, key));
  return s ? s : "";
}

/* -- matches --------------------------------------------------------------- */

/* Readline replaces line[start..point); the candidate replaces line[begin..).*/
static char *fit(const char *candidate, size_t begin, size_t start) {
  struct fs_str s = {0};
  if (begin > start) fs_str_put(&s, rl_line_buffer + start, begin - start);
  size_t skip = begin < start ? FS_MIN(start - begin, strlen(candidate)) : 0;
  fs_str_puts(&s, candidate + skip);
  return s.data ? s.data : fs_strdup("");
}

static size_t common_prefix(const char *a, const char *b) {
  size_t n = 0;
  while (a[n] && a[n] == b[n]) n++;
  while (n && ((unsigned char)a[n] & 0xc0) == 0x80) n--; /* whole characters */
  return n;
}

/* The array that Readline wants: what all share, then, if there are several,
 * all, then NULL. Given to Readline, which frees it with free(). */
static char **as_matches(size_t begin, size_t start) {
  size_t n = json_array_size(answers), i;
  const json_t *answer;
  if (!n) return NULL;
  char **matches = fs_calloc(n + 2, sizeof *matches);
  if (n == 1) {
    matches[0] = fit(text_of(json_array_get(answers, 0), "text"), begin, start);
    return matches;
  }
  json_array_foreach(answers, i, answer)
    matches[i + 1] = fit(text_of(answer, "text"), begin, start);
  size_t shared = strlen(matches[1]);
  for (i = 2; i <= n; i++)
    shared = FS_MIN(shared, common_prefix(matches[1], matches[i]));
  matches[0] = fs_strndup(matches[1], shared);
  return matches;
}

static bool is_folder(const char *name) {
  struct stat st;
  char *path = tilde_expand(name);
  bool folder = path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
  free(path);
  return folder;
}

static const char *open_quote(void) {
  const char *quote = NULL;
  for (const char *c = rl_line_buffer; c < rl_line_buffer + rl_point; c++)
    if (*c == '"') quote = quote ? NULL : c;
  return quote;
}

/* A file that is found closes the quote, a folder is gone on from. Readline would close
 * the quote of both. */
static void end_names(void) {
  json_t *a;
  size_t i;
  bool alone = json_array_size(answers) == 1 && open_quote() && rl_line_buffer[rl_point] != '"';
  rl_filename_completion_desired = 0;
  json_array_foreach(answers, i, a) {
    const char *name = text_of(a, "text"), *end = alone ? "\"" : "";
    if (is_folder(name)) end = name[strlen(name) - 1] == '/' ? "" : "/";
    struct fs_str ended = {0};
    fs_str_printf(&ended, "%s%s", name, end);
    json_object_set_new(a, "text", json_string(fs_str_text(&ended)));
    fs_str_free(&ended);
  }
}

/* Inside "...", and the session knows nothing: names of files. */
static char **file_matches(size_t start) {
  const char *quote = open_quote();
  if (!quote) return NULL;
  size_t begin = (size_t)(quote + 1 - rl_line_buffer);
  char *typed = fs_strndup(quote + 1, (size_t)rl_point - begin), *name;
  answers = json_array();
  for (int state = 0; (name = rl_filename_completion_function(typed, state));
       state = 1) {
    json_array_append_new(answers, json_pack("{ss,ss,ss}", "text", name,
                                             "type", "path", "doc", ""));
    free(name);
  }
  free(typed);
  end_names();
  return as_matches(begin, start);
}

static char **attempt(const char *word, int start, int end) {
  struct fs_str whole = {0};
  size_t begin = 0, stop = 0, before = pending->len;
  (void)word, (void)end;
  rl_attempted_completion_over = 1;
  rl_completion_append_character = 0;
  fs_str_puts(&whole, fs_str_text(pending));
  fs_str_puts(&whole, rl_line_buffer);
  json_decref(answers);
  answers = fs_session_complete(session, fs_str_text(&whole), whole.len,
                                before + (size_t)rl_point, &begin, &stop);
  fs_str_free(&whole);
  if (!json_array_size(answers)) {
    json_decref(answers);
    answers = NULL;
    return file_matches((size_t)start);
  }
  begin = begin > before ? begin - before : 0;
  const char *type = text_of(json_array_get(answers, 0), "type");
  if (!strcmp(type, "path")) end_names();
  if (!strcmp(type, "command") || !strcmp(type, "option"))
    rl_completion_append_character = ' ';
  return as_matches(begin, (size_t)start);
}

/* -- the list -------------------------------------------------------------- */

static int width_of(const char *s) { return fs_utf8_width(s, strlen(s)); }

static void pad_to(struct fs_str *s, const char *text, int width) {
  fs_str_put_safe(s, text, strlen(text));
  for (int i = width_of(text); i < width; i++) fs_str_puts(s, " ");
}

/* Cuts `s` to the screen's width, so that one match takes one line. */
static void cut(struct fs_str *s, int width) {
  while (s->len && fs_utf8_width(s->data, s->len) >= width)
    s->data[--s->len] = 0;
}

static void put_described(const json_t *a, int name, int type,
                          const struct fs_look *look) {
  struct fs_str line = {0};
  pad_to(&line, text_of(a, "text"), name + 2);
  pad_to(&line, text_of(a, "type"), type + 2);
  fs_str_put_safe(&line, text_of(a, "doc"), strcspn(text_of(a, "doc"), "\n"));
  cut(&line, look->width);
  fprintf(rl_outstream, "%s\n", fs_str_text(&line));
  fs_str_free(&line);
}

/* Too many for a line each: names only, in columns. */
static void put_columns(int name, const struct fs_look *look) {
  size_t i;
  const json_t *a;
  int per_line = FS_MAX(look->width / (name + 2), 1);
  int most = per_line * FS_MAX(fs_term_rows() - 3, 5);
  struct fs_str line = {0};
  json_array_foreach(answers, i, a) {
    if ((int)i >= most) break;
    pad_to(&line, text_of(a, "text"), name + 2);
    if ((int)(i + 1) % per_line == 0) fs_str_puts(&line, "\n");
  }
  size_t left = json_array_size(answers) - i;
  if (line.len && line.data[line.len - 1] != '\n') fs_str_puts(&line, "\n");
  if (left) fs_str_printf(&line, "... %zu more\n", left);
  fputs(fs_str_text(&line), rl_outstream);
  fs_str_free(&line);
}

static void display(char **matches, int count, int longest) {
  struct fs_look look = fs_term_look(rl_outstream);
  int name = 0, type = 0;
  size_t i;
  const json_t *a;
  (void)matches, (void)count, (void)longest;
  json_array_foreach(answers, i, a) {
    name = FS_MAX(name, width_of(text_of(a, "text")));
    type = FS_MAX(type, width_of(text_of(a, "type")));
  }
  fputs("\n", rl_outstream);
  if (json_array_size(answers) > LISTED)
    put_columns(name, &look);
  else
    json_array_foreach(answers, i, a) put_described(a, name, type, &look);
  fflush(rl_outstream);
  rl_forced_update_display();
}

/* Tab indents at the beginning of a line, completes elsewhere. */
static int tab(int count, int key) {
  for (int i = 0; i < rl_point; i++)
    if (rl_line_buffer[i] != ' ') return rl_complete(count, key);
  if (!pending->len) return rl_complete(count, key);
  return rl_insert_text("  ") ? 0 : 0;
}

void fs_complete_init(struct fs_session *s, const struct fs_str *before) {
  session = s;
  pending = before;
  rl_completer_word_break_characters = " \t\n\"'`@$><=;|&{}()[]+-*/^!,~?\\";
  rl_basic_quote_characters = ""; /* end_names() closes quotes */
  rl_attempted_completion_function = attempt;
  rl_completion_display_matches_hook = display;
  rl_ignore_completion_duplicates = 0;
  rl_sort_completion_matches = 0; /* the list is drawn from `answers` */
  rl_variable_bind("show-all-if-ambiguous", "on");
  rl_add_defun("fusible-complete", tab, '\t');
}
