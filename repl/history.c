/* history.c - the history file. Entries are written with timestamps, which is
 * what keeps a multi-line entry one entry, and appended one by one, so that
 * sessions side by side do not overwrite each other's. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <readline/history.h>

#include "core/base/datafile.h"
#include "repl/line.h"

/* Entries and bytes that are kept; bytes of a file that is read. */
enum { KEPT = 10000, KEPT_BYTES = 8 << 20, MOST_BYTES = 64 << 20 };

static char *path; /* NULL: nothing is stored */

static char *history_path(void) {
  struct fs_str s = {0};
  if (fs_history_path(&s)) return s.data;
  fs_str_free(&s);
  return NULL;
}

/* Makes the file if there is none. NULL, or why it is not to be read. */
static const char *find_fault(const char *file) {
  struct stat st;
  int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
  if (fd < 0) return strerror(errno);
  const char *why = NULL;
  if (fstat(fd, &st)) why = strerror(errno);
  else if (!S_ISREG(st.st_mode)) why = "it is not a regular file";
  else if (st.st_size > MOST_BYTES) why = "it has more than 64 MiB";
  close(fd);
  return why;
}

/* What could not be read or written is said once; then the file is left alone. */
static void give_up(const char *what, int error) {
  if (!error) return;
  fprintf(stderr, "fusible: %s: %s: %s\n", what, path, strerror(error));
  free(path);
  path = NULL;
}

/* A file may hold more than is written to it now: what is too long for an entry, and
 * the oldest above KEPT_BYTES, goes. */
static void drop_excess(void) {
  size_t all = 0;
  bool any = false;
  for (int k = history_length - 1; k >= 0; k--) {
    size_t len = strlen(history_get(history_base + k)->line);
    bool keep = len <= FS_HISTORY_LONGEST && all + len <= KEPT_BYTES;
    if (keep) all += len;
    else free_history_entry(remove_history(k));
    any |= !keep;
  }
  if (any) give_up("the history is not kept", write_history(path));
}

void fs_history_open(bool persistent) {
  using_history();
  stifle_history(KEPT);
  history_comment_char = '#';
  history_write_timestamps = 1; /* before read_history(): see line.h */
  path = persistent ? history_path() : NULL;
  if (!path) return;
  fs_make_folders(path, 0700);
  const char *why = find_fault(path);
  if (why) {
    fprintf(stderr, "fusible: no history: %s: %s\n", path, why);
    free(path);
    path = NULL;
    return;
  }
  give_up("no history", read_history(path));
  if (path) drop_excess();
}

/* A line that starts with # and a digit would be read back as a timestamp, so
 * a space is put before it. */
static char *guarded(const char *entry) {
  struct fs_str s = {0};
  for (const char *c = entry; *c; c++) {
    bool starts = c == entry || c[-1] == '\n';
    if (starts && c[0] == '#' && c[1] >= '0' && c[1] <= '9')
      fs_str_puts(&s, " ");
    fs_str_put(&s, c, 1);
  }
  while (s.len && (s.data[s.len - 1] == '\n' || s.data[s.len - 1] == ' '))
    s.data[--s.len] = 0;
  return s.data;
}

/* Writes the last entry as write_history() does, but all of it however often the system
 * takes less. 0 or an errno. */
static int append(void) {
  const HIST_ENTRY *last = history_get(history_base + history_length - 1);
  struct fs_str s = {0};
  fs_str_printf(&s, "%s\n%s\n", last->timestamp, last->line);
  int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
  int error = fd >= 0 && fs_write_all(fd, s.data, s.len) ? 0 : errno;
  if (fd >= 0) close(fd);
  fs_str_free(&s);
  return error;
}

void fs_history_add(const char *entry) {
  if (strlen(entry) > FS_HISTORY_LONGEST) return;
  char *text = guarded(entry);
  HIST_ENTRY *last =
      history_length ? history_get(history_base + history_length - 1) : NULL;
  if (text && *text && !(last && !strcmp(last->line, text))) {
    add_history(text);
    if (path) give_up("the history is not kept from here on", append());
  }
  free(text);
}

const char *fs_history_at(int k) {
  HIST_ENTRY *entry = history_get(history_base + k);
  return entry ? entry->line : NULL;
}

void fs_history_close(void) {
  int error = path ? history_truncate_file(path, KEPT) : 0;
  if (error != ENOENT) give_up("the history could not be shortened", error);
  free(path);
  path = NULL;
}
