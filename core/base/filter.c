/* filter.c - see filter.h. Files without names stand in for pipes, so that neither
 * side ever waits for the other. */
#include "core/base/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/datafile.h"

/* A file that has no name, with this text in it; or -1. */
static int file_of(const char *s, size_t len) {
  int fd = memfd_create("fusible-filter", MFD_CLOEXEC);
  if (fd >= 0 && fs_write_all(fd, s, len) && !lseek(fd, 0, SEEK_SET)) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

/* 0, or an errno; ENOENT when there is no such program. */
static int start(char *const argv[], int in, int out, pid_t *pid) {
  posix_spawn_file_actions_t files;
  int bad = posix_spawn_file_actions_init(&files);
  if (bad) return bad;
  bad = posix_spawn_file_actions_adddup2(&files, in, 0);
  if (!bad) bad = posix_spawn_file_actions_adddup2(&files, out, 1);
  if (!bad)
    bad = posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  if (!bad) bad = posix_spawnp(pid, argv[0], &files, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&files);
  return bad;
}

/* Whether it ended well in time; else it is ended. */
static bool await(pid_t pid, double seconds) {
  double begun = fs_now();
  int status = 0;
  for (;;) {
    pid_t got = waitpid(pid, &status, WNOHANG);
    if (got == pid) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (got < 0 && errno != EINTR) return false;
    if (fs_interrupted() || fs_now() - begun > seconds) {
      kill(pid, SIGKILL);
      while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
      return false;
    }
    poll(NULL, 0, 1);
  }
}

static bool take(int fd, size_t most, struct fs_str *out) {
  char part[1 << 14];
  size_t before = out->len;
  ssize_t n = 0;
  lseek(fd, 0, SEEK_SET);
  while (out->len - before <= most && (n = read(fd, part, sizeof part)) > 0)
    fs_str_put(out, part, (size_t)n);
  if (!n) return true;
  out->len = before;
  if (out->data) out->data[before] = 0;
  return false;
}

enum fs_filter fs_filter_run(char *const argv[], const char *in, size_t len,
                             size_t most, double seconds, struct fs_str *out) {
  int from = file_of(in, len), to = file_of("", 0);
  pid_t pid = -1;
  int bad = from < 0 || to < 0 ? EIO : start(argv, from, to, &pid);
  enum fs_filter result = FS_FILTER_FAILED;
  if (bad == ENOENT || bad == EACCES) result = FS_FILTER_MISSING;
  else if (!bad && await(pid, seconds) && take(to, most, out))
    result = FS_FILTER_OK;
  if (from >= 0) close(from);
  if (to >= 0) close(to);
  return result;
}
