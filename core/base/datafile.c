/* datafile.c - see datafile.h. */
#include "core/base/datafile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

const char FS_DATA_ABSENT[] = "is not there";

bool fs_xdg_path(const char *variable, const char *fallback, const char *name,
                 struct fs_str *out) {
  const char *base = getenv(variable), *home = getenv("HOME");
  if (base && base[0] == '/') {
    fs_str_printf(out, "%s/fusible/%s", base, name);
    return true;
  }
  if (!home || home[0] != '/') return false;
  fs_str_printf(out, "%s/%s/fusible/%s", home, fallback, name);
  return true;
}

bool fs_data_path(const char *name, struct fs_str *out) {
  return fs_xdg_path("XDG_DATA_HOME", ".local/share", name, out);
}

static bool read_all(int fd, size_t size, struct fs_str *out) {
  char part[4096];
  while (size) {
    ssize_t n = read(fd, part, FS_MIN(size, sizeof part));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;
    fs_str_put(out, part, (size_t)n);
    size -= (size_t)n;
  }
  return true;
}

const char *fs_data_read(const char *path, size_t most, struct fs_str *out) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return FS_DATA_ABSENT;
  if (fd < 0) return errno == ELOOP ? "is a link" : "cannot be opened";
  const char *why = NULL;
  if (fstat(fd, &st) || !S_ISREG(st.st_mode)) why = "is not a regular file";
  else if (st.st_size > (off_t)most) why = "is too long";
  else if (!read_all(fd, (size_t)st.st_size, out)) why = "cannot be read";
  close(fd);
  return why;
}

const char *fs_text_read_fd(int fd, size_t most, struct fs_str *out) {
  static char why[40];
  char part[65536];
  size_t begin = out->len;
  for (;;) {
    ssize_t n = read(fd, part, sizeof part);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return strerror(errno);
    if (!n) return NULL;
    if (out->len - begin + (size_t)n > most) break;
    fs_str_put(out, part, (size_t)n);
  }
  snprintf(why, sizeof why, "it has more than %zu MiB", most >> 20);
  return why;
}

const char *fs_text_read(const char *path, size_t most, bool streams,
                         struct fs_str *out) {
  struct stat st;
  /* Opening a pipe waits for who writes to it: only where one is wanted. */
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (streams ? 0 : O_NONBLOCK));
  if (fd < 0) return strerror(errno);
  const char *why = NULL;
  if (fstat(fd, &st)) why = strerror(errno);
  else if (S_ISDIR(st.st_mode)) why = strerror(EISDIR);
  else if (!streams && !S_ISREG(st.st_mode)) why = "it is not a regular file";
  else why = fs_text_read_fd(fd, most, out);
  close(fd);
  return why;
}

const char *fs_others_can_write(const struct stat *st) {
  if (st->st_uid != geteuid() && st->st_uid != 0)
    return "belongs to another user";
  return st->st_mode & 022 ? "can be written by others" : NULL;
}

bool fs_history_path(struct fs_str *out) {
  const char *given = getenv("FUSIBLE_HISTORY");
  if (given) fs_str_puts(out, given);
  return given ? *given != 0 : fs_xdg_path("XDG_STATE_HOME", ".local/state", "history", out);
}

int fs_make_folders(const char *file, unsigned mode) {
  int error = 0;
  char *copy = fs_strdup(file);
  for (char *slash = strchr(copy + 1, '/'); slash;
       slash = strchr(slash + 1, '/')) {
    *slash = 0;
    if (mkdir(copy, mode) && errno != EEXIST && !error) error = errno;
    *slash = '/';
  }
  free(copy);
  return error;
}

bool fs_write_all(int fd, const void *data, size_t len) {
  for (const char *at = data; len;) {
    ssize_t n = write(fd, at, len);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n, len -= (size_t)n;
  }
  return true;
}

const char *fs_data_write(const char *path, const char *text, size_t len) {
  static unsigned counter;
  struct fs_str beside = {0};
  fs_str_printf(&beside, "%s.%ld-%u", path, (long)getpid(), counter++);
  int no_folder = fs_make_folders(path, 0700);
  int fd = open(beside.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool ok = fd >= 0 && fs_write_all(fd, text, len) && fsync(fd) == 0;
  int error = fd < 0 && no_folder ? no_folder : errno;
  if (fd >= 0 && close(fd) && ok) ok = false, error = errno;
  if (ok && rename(beside.data, path)) ok = false, error = errno;
  if (fd >= 0 && !ok) unlink(beside.data);
  fs_str_free(&beside);
  return ok ? NULL : strerror(error);
}

int fs_temporary_file(const char *suffix, char **path) {
  const char *folder = getenv("TMPDIR");
  struct fs_str name = {0};
  fs_str_printf(&name, "%s/fusible-XXXXXX%s",
                folder && folder[0] == '/' ? folder : "/tmp", suffix);
  int fd = mkostemps(name.data, (int)strlen(suffix), O_CLOEXEC);
  *path = name.data;
  if (fd < 0) fs_str_free(&name), *path = NULL;
  return fd;
}
