/* past.c - the inputs of the session: `:history`, and `:save FILE.fs`, a script of them. */
#include "core/session/internal.h"

#include <stdio.h>

#include "core/base/datafile.h"
#include "core/lang/parse.h"

enum { HISTORY_KEPT = 1000, USUAL_LINES = 20, STORED_MOST = 64 << 20 };

void fs_session_remember(struct fs_session *s, const char *text, size_t len,
                         enum fs_past_kind kind) {
  while (len && memchr(" \t\r\n", text[len - 1], 4)) len--;
  if (!len || len > 1 << 20) return;
  if (s->history.len == HISTORY_KEPT) {
    free(s->history.data[0].text);
    memmove(s->history.data, s->history.data + 1,
            sizeof(*s->history.data) * (HISTORY_KEPT - 1));
    s->history.len--;
  }
  char *copy = fs_strndup(text, len); /* first: without memory the list stays as it is */
  *FS_PUSH(&s->history) = (struct fs_past_input){copy, kind};
}

/* -- :history ------------------------------------------------------------------------ */

/* "   12  text", further lines below the first. */
static void put_numbered(struct fs_str *out, int number, const char *text) {
  fs_str_printf(out, "%5d  ", number);
  for (const char *at = text; *at;) {
    size_t len = strcspn(at, "\n");
    fs_str_put(out, at, len);
    at += len + (at[len] == '\n');
    fs_str_puts(out, *at ? "\n       " : "");
  }
  fs_str_puts(out, "\n");
}

typedef FS_VEC(char *) texts;

static bool is_stamp(const char *line) {
  return line[0] == '#' && line[1] >= '0' && line[1] <= '9';
}

/* Entries of the history file: texts behind lines of `#` and a time. */
static void take_stored(const char *at, texts *out) {
  struct fs_str entry = {0};
  while (*at) {
    size_t len = strcspn(at, "\n");
    bool stamp = is_stamp(at);
    if (!stamp) fs_str_printf(&entry, "%s%.*s", entry.len ? "\n" : "", (int)len, at);
    at += len + (at[len] == '\n');
    if (entry.len && (!*at || is_stamp(at))) {
      *FS_PUSH(out) = fs_strdup(fs_str_text(&entry));
      fs_str_clear(&entry);
    }
  }
  fs_str_free(&entry);
}

/* `:history -g [n]`: what all sessions have stored. */
static void put_stored(struct fs_words *c, long n) {
  struct fs_str path = {0}, text = {0};
  texts all = {0};
  if (!fs_history_path(&path)) fs_str_puts(c->out, "no history is stored\n");
  else if (fs_text_read(fs_str_text(&path), STORED_MOST, false, &text))
    fs_str_puts(c->out, "no history is stored yet\n");
  take_stored(fs_str_text(&text), &all);
  for (int k = all.len - (int)FS_MIN(n, (long)all.len); k < all.len; k++)
    put_numbered(c->out, k + 1, all.data[k]);
  for (int k = 0; k < all.len; k++) free(all.data[k]);
  FS_VEC_FREE(&all);
  fs_str_free(&text);
  fs_str_free(&path);
}

static void put_own(struct fs_session *s, struct fs_words *c, long n) {
  for (int k = s->history.len - (int)FS_MIN(n, (long)s->history.len); k < s->history.len; k++)
    put_numbered(c->out, k + 1, s->history.data[k].text);
}

enum fs_status fs_session_history(struct fs_session *s, struct fs_words *c) {
  bool stored = c->n && !strcmp(c->word[0], "-g");
  const char *word = c->n > stored ? c->word[stored] : NULL;
  char *end = NULL;
  long n = word ? strtol(word, &end, 10) : USUAL_LINES;
  bool file = word && *word != '-' && strpbrk(word, "./");
  if (c->n > 1 + stored || n < 0 || (word && *end && !file)) return FS_ERR_USER;
  if (file && !stored) {
    struct fs_str text = {0};
    for (int k = 0; k < s->history.len; k++)
      fs_str_printf(&text, "%s\n", s->history.data[k].text);
    enum fs_status st = fs_session_save_text(s, c, word, &text);
    fs_str_free(&text);
    return st;
  }
  if (file) return FS_ERR_USER;
  if (stored) put_stored(c, n);
  else put_own(s, c, n);
  return FS_OK;
}

/* -- :save session.fs ---------------------------------------------------------------- */

/* Where its last statement begins, for `ans = ` before it. */
static size_t last_statement(const char *text) {
  struct fs_diags diags;
  struct fs_arena *arena = fs_arena_new();
  struct fs_stmt *stmts = NULL;
  size_t at = 0;
  fs_diags_init(&diags);
  if (!fs_parse(&diags, arena, fs_source_add(&diags, "input", text, strlen(text)), &stmts))
    for (struct fs_stmt *t = stmts; t; t = t->next)
      if (t->kind == FS_ST_EXPR && !t->silent) at = t->span.begin;
  fs_diags_free(&diags);
  fs_arena_free(arena);
  return at;
}

/* Whether the inputs from k on read `ans`. */
static bool answer_is_read(const struct fs_session *s, int k) {
  for (; k < s->history.len; k++)
    for (const char *at = s->history.data[k].text; (at = strstr(at, "ans")); at++) {
      bool inside = at > s->history.data[k].text && fs_is_identifier((char[]){at[-1], 0});
      char after[5] = {'a', 'n', 's', at[3], 0};
      if (!inside && (!at[3] || !fs_is_identifier(after))) return true;
    }
  return false;
}

enum fs_status fs_session_save_script(struct fs_session *s, struct fs_words *c) {
  struct fs_str text = {0};
  int n = 0, left_out = 0;
  for (int k = 0; k < s->history.len; k++) {
    const struct fs_past_input *in = &s->history.data[k];
    if (in->kind == FS_PAST_FAILED) left_out++;
    if (in->kind == FS_PAST_FAILED || in->kind == FS_PAST_ASKED) continue;
    size_t at = in->kind == FS_PAST_ANSWERED && answer_is_read(s, k + 1)
                    ? last_statement(in->text) : 0;
    bool names = in->kind == FS_PAST_ANSWERED && answer_is_read(s, k + 1);
    fs_str_put(&text, in->text, at);
    fs_str_printf(&text, "%s%s\n", names ? "ans = " : "", in->text + at);
    n++;
  }
  enum fs_status st = fs_session_save_text(s, c, c->word[0], &text);
  fs_str_free(&text);
  if (st) return st;
  fs_str_printf(c->out, "it has %d input%s", n, n == 1 ? "" : "s");
  if (s->history.len == HISTORY_KEPT) fs_str_printf(c->out, " of the last %d", HISTORY_KEPT);
  if (left_out) fs_str_printf(c->out, ", without %d that ended in a mistake", left_out);
  fs_str_printf(c->out, "; `fusible run %s` runs it\n", c->word[0]);
  return FS_OK;
}
