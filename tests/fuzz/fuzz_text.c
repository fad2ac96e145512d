/* fuzz_text.c - what happens to a text before any of it runs: lexer, parser and printer of
 * the tree, whether an entry is complete and how the next line is indented, diagnostics with
 * carets, completion and help at the cursor, and a pasted transcript taken apart. The
 * session is there for the names that it knows, and runs nothing of the input. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>

#include "core/lang/parse.h"
#include "repl/line.h"
#include "tests/fuzz/alone.h"

enum { MOST_TEXT = 1024, SELDOM = 16 /* completion: it takes most of the time */ };

/* Completion of paths reads one folder, whichever is asked for (FUZZ_LINK_text). */
static bool completing;

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
DIR *__wrap_opendir(const char *path) {
  return __real_opendir(completing ? alone_folder : path);
}

static void need(bool holds) {
  if (!holds) abort();
}

static bool is_utf8(const char *text, size_t len) {
  json_t *s = json_stringn(text, len);
  json_decref(s);
  return s != NULL;
}

/* Each error stands within the text, and what is shown of it is UTF-8. */
static bool look_at_errors(const struct fs_diags *diags, size_t len) {
  bool any = false;
  for (int k = 0; k < diags->list.len; k++) {
    const struct fs_diag *d = &diags->list.data[k];
    struct fs_str shown = {0};
    any |= d->severity == FS_ERROR;
    need(d->span.begin <= d->span.end && d->span.end <= len + 1); /* the end has a place */
    fs_diag_render(diags, d, &shown);
    need(shown.len && is_utf8(shown.data, shown.len));
    fs_str_free(&shown);
  }
  return any;
}

/* The status of a parser, which said what is wrong if that is so. *tree: its tree. */
static enum fs_status parse(const char *text, size_t len, bool final, struct fs_str *tree) {
  struct fs_diags diags;
  struct fs_arena *arena = fs_arena_new();
  struct fs_stmt *list = NULL;
  fs_diags_init(&diags);
  uint32_t source = fs_source_add(&diags, "<fuzz>", text, len);
  enum fs_status st = (final ? fs_parse_final : fs_parse)(&diags, arena, source, &list);
  need(st == FS_OK || st == FS_ERR_USER || (st == FS_INCOMPLETE && !final && !list));
  need(look_at_errors(&diags, len) == (st == FS_ERR_USER));
  fs_ast_dump(st ? NULL : list, tree);
  fs_arena_free(arena);
  fs_diags_free(&diags);
  return st;
}

static enum fs_status look_at_tree(const char *text, size_t len) {
  struct fs_str once = {0}, again = {0};
  enum fs_status st = parse(text, len, false, &once), last = parse(text, len, true, &again);
  need(last == (st == FS_INCOMPLETE ? FS_ERR_USER : st));
  need(once.len == again.len && (!once.len || !memcmp(once.data, again.data, once.len)));
  fs_str_free(&once);
  fs_str_free(&again);
  return st;
}

static void look_at_answers(struct fs_session *s, const char *text, size_t len, size_t at) {
  size_t begin, end, k;
  json_t *a;
  completing = true;
  json_t *answers = fs_session_complete(s, text, len, at, &begin, &end);
  completing = false;
  need(begin <= end && end == at);
  json_array_foreach(answers, k, a)
    need(!strncmp(json_string_value(json_object_get(a, "text")), text + begin,
                  strnlen(text + begin, end - begin)));
  json_decref(answers);
}

static void look_at_help(struct fs_session *s, const char *text, size_t len, size_t at) {
  json_t *help = fs_session_inspect(s, text, len, at, (int)(at & 1));
  need(json_is_boolean(json_object_get(help, "found")));
  json_decref(help);
}

static void look_at_paste(const char *text, size_t len) {
  char *copy = fs_strndup(text, len);
  struct fs_str out = {0};
  fs_line_strip_prompts(copy, len & 1, &out);
  need(out.len <= strlen(copy) + 1);
  need(fs_parse_outdent(copy) >= 0);
  fs_str_free(&out);
  free(copy);
}

static void on_event(void *user, const json_t *event) {
  (void)user;
  need(json_is_object(event));
}

static struct fs_session *session(void) {
  static const char names[] = "alpha = 3; A = [1, 2; 3, 4]; naïve = A*alpha; s = \"text\";\n"
                              "# twice as much\ntwice(x) = 2*x; \n";
  static struct fs_session *s;
  if (s) return s;
  s = alone_session(on_event);
  need(fs_session_eval(s, "<names>", names, strlen(names), FS_EVAL_SCRIPT) == FS_RESULT_OK);
  return s;
}

/* `:explain` of a block that goes on: its command is no statement. */
static bool is_explained(const char *text, size_t len) {
  size_t at = 0;
  while (at < len && memchr(" \t\r\n", text[at], 4)) at++;
  return at < len && text[at] == ':';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  enum fs_other what;
  struct fs_span comment, word;
  int indent = 0;
  if (size > MOST_TEXT) return 0;
  struct fs_session *s = session();
  enum fs_status st = look_at_tree(text, size);
  enum fs_completeness end = fs_session_is_complete(s, text, size, &indent);
  need(indent >= 0 && (st != FS_INCOMPLETE || fs_parse_indent(text, size) == indent ||
                       end != FS_NEEDS_MORE || is_explained(text, size)));
  if (size % SELDOM == 0) look_at_answers(s, text, size, size / (1 + size / SELDOM % 2));
  look_at_help(s, text, size, size);
  look_at_help(s, text, size, size / 2);
  if (fs_other_comment(text, size, &what, &comment, &word))
    need(comment.begin <= comment.end && comment.end <= size);
  look_at_paste(text, size);
  return 0;
}
