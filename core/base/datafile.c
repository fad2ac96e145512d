/* datafile.c - see datafile.h. */
#include "core/base/datafile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

const char FS_DATA_ABSENT[] = "is not there";

bool fs_data_path(const char *name, struct fs_str *out) {
  const char *base = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  if (base && base[0] == '/') {
    fs_str_printf(out, "%s/fusible/%s", base, name);
    return true;
  }
  if (!home || home[0] != '/') return false;
  fs_str_printf(out, "%s/.local/share/fusible/%s", home, name);
  return true;
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

static void make_folders(const char *file) {
  char *copy = fs_strdup(file);
  for (char *slash = strchr(copy + 1, '/'); slash;
       slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(copy, 0700); /* fails if it exists, or the open below will tell */
    *slash = '/';
  }
  free(copy);
}

static bool write_all(int fd, const char *text, size_t len) {
  while (len) {
    ssize_t n = write(fd, text, len);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text += n, len -= (size_t)n;
  }
  return true;
}

const char *fs_data_write(const char *path, const char *text, size_t len) {
  static unsigned counter;
  struct fs_str beside = {0};
  fs_str_printf(&beside, "%s.%ld-%u", path, (long)getpid(), counter++);
  make_folders(path);
  int fd = open(beside.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool ok = fd >= 0 && write_all(fd, text, len) && fsync(fd) == 0;
  int error = errno;
  if (fd >= 0 && close(fd) && ok) ok = false, error = errno;
  if (ok && rename(beside.data, path)) ok = false, error = errno;
  if (fd >= 0 && !ok) unlink(beside.data);
  fs_str_free(&beside);
  return ok ? NULL : strerror(error);
}
