/* elem.c - the command `:elem`: functions of the user. */
#include "core/session/internal.h"

#include <sys/stat.h>

#include "core/base/datafile.h"
#include "core/eval/witness.h"
#include "core/lang/elem.h"

/* -- the list ------------------------------------------------------------------ */

static void put_row(const struct fs_elem *e, struct fs_str *out) {
  struct fs_str sign = {0};
  fs_elem_signature(e, e->name, &sign);
  bool fits = sign.len <= 34;
  fs_str_printf(out, "  %-34s%s%*s", fs_str_text(&sign), fits ? "" : "\n",
                fits ? 2 : 38, "");
  fs_str_put_safe(out, e->doc, strlen(e->doc));
  fs_str_puts(out, "\n");
  fs_str_free(&sign);
}

static void put_list(struct fs_session *s, struct fs_str *out) {
  int library, n = fs_interp_elem_count(s->in, &library);
  fs_str_puts(out, "elementary functions of the library\n");
  for (int k = 0; k < library; k++) put_row(fs_interp_elem_at(s->in, k), out);
  fs_str_puts(out, n > library ? "\nyours\n"
                               : "\n`:elem FILE` adds one of yours: see "
                                 ":help elem\n");
  for (int k = library; k < n; k++) put_row(fs_interp_elem_at(s->in, k), out);
}

void fs_session_own_elems(struct fs_session *s, struct fs_str *out) {
  int library, n = fs_interp_elem_count(s->in, &library);
  for (int k = library; k < n; k++) {
    fs_elem_signature(fs_interp_elem_at(s->in, k),
                      fs_interp_elem_at(s->in, k)->name, out);
    fs_str_puts(out, "  your elementary function\n");
  }
}

/* -- files ------------------------------------------------------------------------ */

/* The path as seen from here, else from the text that the command stands in. */
static char *find_file(struct fs_session *s, const char *name,
                       struct fs_span span) {
  const struct fs_source *src = fs_source_get(&s->diags, span.source);
  const char *slash = src ? strrchr(src->name, '/') : NULL;
  struct stat st;
  if (!stat(name, &st) || !slash || name[0] == '/') return fs_strdup(name);
  struct fs_str path = {0};
  fs_str_put(&path, src->name, (size_t)(slash - src->name) + 1);
  fs_str_puts(&path, name);
  if (!stat(fs_str_text(&path), &st)) return path.data;
  fs_str_free(&path);
  return fs_strdup(name);
}

static enum fs_status read_file(struct fs_session *s, const char *path,
                                struct fs_span span, struct fs_str *out) {
  enum { MOST = 1 << 20 };
  const char *why = fs_text_read(path, MOST, false, out);
  if (why)
    return fs_error(&s->diags, span, "no-file",
                    "see :help elem for what such a file holds",
                    "cannot read the function `%.300s`: %s", path, why);
  fs_witness_read_text(path, out);
  return FS_OK;
}

static enum fs_status add_file(struct fs_session *s, const char *name,
                               struct fs_span span, struct fs_str *out) {
  struct fs_str text = {0};
  char *path = find_file(s, name, span);
  enum fs_status st = read_file(s, path, span, &text);
  if (st == FS_OK)
    st = fs_interp_elem_add(s->in, path, fs_str_text(&text), text.len, out);
  fs_str_free(&text);
  free(path);
  return st;
}

/* -- the command -------------------------------------------------------------------- */

enum fs_status fs_session_elem(struct fs_session *s, int n,
                               const char *const *word, struct fs_span span,
                               struct fs_str *out, bool *usage) {
  *usage = false;
  if (n == 0) {
    put_list(s, out);
    return FS_OK;
  }
  if (n == 1) return add_file(s, word[0], span, out);
  char *end = NULL;
  bool any = n == 3 && !strcmp(word[2], "auto");
  long impl = n == 3 && !any ? strtol(word[2], &end, 10) : 0;
  *usage = n != 3 || strcmp(word[1], "impl") ||
           (!any && (!end || *end || impl < 1 || impl > 1000));
  if (*usage) return FS_OK;
  enum fs_status st = fs_interp_elem_choose(s->in, word[0], (int)impl, span);
  if (st == FS_OK && any)
    fs_str_printf(out, "plans choose the routine of %s\n", word[0]);
  else if (st == FS_OK)
    fs_str_printf(out, "calls of %s take routine %ld\n", word[0], impl);
  return st;
}
