/* edit.c - see edit.h. */
#include "repl/edit.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "core/base/datafile.h"
#include "core/lang/ast.h"
#include "repl/line.h"
#include "repl/term.h"

bool fs_is_edit(const char *entry) {
  size_t len = strcspn(entry, " \t\r\n");
  return len > 2 && !strncmp(entry, ":edit", len) && len <= 5;
}

/* The newest input that is not itself a command; or "". */
static const char *last_input(void) {
  const char *found = "", *text;
  for (int k = 0; (text = fs_history_at(k)); k++)
    if (*text != ':' && *text != '?') found = text;
  return found;
}

static const char *source_of(struct fs_worker *worker, const char *name) {
  const json_t *v = worker ? json_object_get(fs_worker_variables(worker), name) : NULL;
  const char *told = json_string_value(json_object_get(v, "source"));
  const char *head = told ? strchr(told, '\n') : NULL; /* "f(x)    your function" */
  return head ? head + 1 : told;
}

/* False: it said no, by its exit status. */
static bool run_editor(const char *path) {
  static const char editor[] = "${VISUAL:-${EDITOR:-vi}} \"$FUSIBLE_EDITED\"";
  enum fs_term_mode old = fs_term_set_mode(FS_TERM_PAGER, NULL);
  enum fs_term_input typed = fs_term_input();
  fs_term_set_input(FS_TERM_LINES);
  setenv("FUSIBLE_EDITED", path, 1);
  fflush(stdout);
  int status = system(editor);
  unsetenv("FUSIBLE_EDITED");
  fs_term_set_input(typed);
  fs_term_set_mode(old, NULL);
  return status == 0;
}

/* The file holds `text` (NULL: what it holds) when the editor opens it. */
static bool edit_file(const char *path, struct fs_str *entry) {
  bool well = run_editor(path);
  fs_str_clear(entry);
  const char *why = well ? fs_text_read(path, FS_MAX_SOURCE, false, entry) : NULL;
  if (why) fprintf(stderr, "fusible: %s: %s\n", path, why);
  return well && !why && strspn(fs_str_text(entry), " \t\r\n") < entry->len;
}

static bool edit_text(const char *text, struct fs_str *entry) {
  char *path;
  int fd = fs_temporary_file(".fs", &path);
  bool well = fd >= 0 && fs_write_all(fd, text, strlen(text)) && fs_write_all(fd, "\n", 1);
  if (!well) fprintf(stderr, "fusible: no file for the editor: %s\n", strerror(errno));
  if (fd >= 0) close(fd);
  if (well) well = edit_file(path, entry);
  if (fd >= 0) unlink(path);
  free(path);
  return well;
}

/* As if it had been typed. */
static void echo(const struct fs_str *entry) {
  const char *prompt = "fs> ";
  for (const char *at = fs_str_text(entry); *at; prompt = "... ") {
    size_t len = strcspn(at, "\n");
    fprintf(stderr, "%s%.*s\n", prompt, (int)len, at);
    at += len + (at[len] == '\n');
  }
}

bool fs_edit(struct fs_worker *worker, struct fs_str *entry) {
  const char *text = fs_str_text(entry), *at = text + strcspn(text, " \t\n");
  at += strspn(at, " \t\n");
  char *name = fs_strndup(at, strcspn(at, " \t\r\n"));
  size_t len = strlen(name);
  const char *source = *name ? source_of(worker, name) : last_input();
  bool file = len > 3 && !strcmp(name + len - 3, ".fs"), well = false;
  if (file) well = edit_file(name, entry);
  else if (source) well = edit_text(source, entry);
  else fprintf(stderr, "fusible: there is no function %s, and no script of that name\n", name);
  if (well) {
    while (entry->len && strchr(" \t\r\n", entry->data[entry->len - 1]))
      entry->data[--entry->len] = 0;
    echo(entry);
    fs_history_add(fs_str_text(entry));
  } else if (file || source) {
    fputs("nothing is run\n", stderr);
  }
  free(name);
  return well;
}
