/* failio.c - loaded with LD_PRELOAD: lets one call on files fail, for
 * tests/test_io.py.
 *
 *   FAILIO_FOLDER=path   calls on files in this folder and below count
 *   FAILIO_AT=n          the n-th of them (from 1) fails; 0: none
 *   FAILIO_HOW=name      with EIO, ENOSPC, EACCES or EINTR (and then not again);
 *                        or SHORT: a read or write of one byte only
 *   FAILIO_OUT=path      at exit: how many calls there were, and which one failed
 *
 * open, read, write, fsync, fchmod, fchown, ftruncate and rename in all their forms count.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long counted;
static char failed[64] = "-";

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

/* The function of the library, as the type of what stands for it here. */
#define REAL(name) \
  static __typeof__(name) *real; \
  if (!real) { \
    void *found = next(#name); \
    memcpy(&real, &found, sizeof real); \
  }

static int is_inside(const char *path) {
  const char *folder = getenv("FAILIO_FOLDER");
  return folder && path && !strncmp(path, folder, strlen(folder));
}

static int is_file_inside(int fd) {
  char link[64], path[512];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, sizeof path - 1);
  if (n <= 0) return 0;
  path[n] = 0;
  return is_inside(path);
}

enum { GO_ON, FAIL, SHORT };

static int judge(const char *name, int counts) {
  const char *at = getenv("FAILIO_AT"), *how = getenv("FAILIO_HOW");
  static const struct { const char *name; int number; } errors[] = {
    {"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EACCES", EACCES}, {"EINTR", EINTR}};
  if (!counts) return GO_ON;
  long n = atomic_fetch_add(&counted, 1) + 1;
  if (!at || !how || n != atol(at)) return GO_ON;
  snprintf(failed, sizeof failed, "%s", name);
  if (!strcmp(how, "SHORT")) return SHORT;
  for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
    if (!strcmp(how, errors[k].name)) errno = errors[k].number;
  return FAIL;
}

__attribute__((destructor)) static void end(void) {
  const char *path = getenv("FAILIO_OUT");
  FILE *out = path ? fopen(path, "w") : NULL;
  if (!out) return;
  fprintf(out, "%ld %s\n", atomic_load(&counted), failed);
  fclose(out);
}

/* A relative path is one of the folder that the tests run in. */
static int path_counts(const char *path) { return path[0] != '/' || is_inside(path); }

#define OPEN(name)                                              \
  int name(const char *path, int flags, ...) {                  \
    REAL(name)                                                  \
    va_list args;                                               \
    va_start(args, flags);                                      \
    int mode = flags & O_CREAT ? va_arg(args, int) : 0;         \
    va_end(args);                                               \
    const char *what = flags & O_DIRECTORY ? "open-folder" : "open"; \
    return judge(what, path_counts(path)) == FAIL               \
               ? -1                                             \
               : real(path, flags, mode);                       \
  }
OPEN(open)
OPEN(open64)

/* A file of a folder that is open. */
static int entry_counts(int folder, const char *path) {
  return path[0] == '/' || folder == AT_FDCWD ? path_counts(path) : is_file_inside(folder);
}

#define OPEN_AT(name)                                           \
  int name(int folder, const char *path, int flags, ...) {      \
    REAL(name)                                                  \
    va_list args;                                               \
    va_start(args, flags);                                      \
    int mode = flags & O_CREAT ? va_arg(args, int) : 0;         \
    va_end(args);                                               \
    const char *what = flags & O_DIRECTORY ? "open-folder" : "open"; \
    return judge(what, entry_counts(folder, path)) == FAIL      \
               ? -1                                             \
               : real(folder, path, flags, mode);               \
  }
OPEN_AT(openat)
OPEN_AT(openat64)

#define TRANSFER(name, what, type, parameters, ...)                        \
  ssize_t name(int fd, type data, size_t n parameters) {                   \
    REAL(name)                                                             \
    int verdict = judge(what, is_file_inside(fd));                         \
    if (verdict == FAIL) return -1;                                        \
    if (verdict == SHORT && n > 1) n = 1;                                  \
    return real(fd, data, n __VA_ARGS__);                                  \
  }
#define COMMA ,
TRANSFER(read, "read", void *, )
TRANSFER(write, "write", const void *, )
TRANSFER(pread, "read", void *, COMMA off_t at, COMMA at)
TRANSFER(pread64, "read", void *, COMMA off_t at, COMMA at)
TRANSFER(pwrite, "write", const void *, COMMA off_t at, COMMA at)
TRANSFER(pwrite64, "write", const void *, COMMA off_t at, COMMA at)

/* What `read` is where the compiler knows the size of the buffer. */
ssize_t __read_chk(int fd, void *data, size_t n, size_t room);
ssize_t __read_chk(int fd, void *data, size_t n, size_t room) {
  if (n > room) abort();
  return read(fd, data, n);
}
ssize_t __pread_chk(int fd, void *data, size_t n, off_t at, size_t room);
ssize_t __pread_chk(int fd, void *data, size_t n, off_t at, size_t room) {
  if (n > room) abort();
  return pread(fd, data, n, at);
}

int fsync(int fd) {
  REAL(fsync)
  int folder = (fcntl(fd, F_GETFL) & O_DIRECTORY) != 0;
  return judge(folder ? "fsync-folder" : "fsync", is_file_inside(fd)) == FAIL ? -1 : real(fd);
}
int fchmod(int fd, mode_t mode) {
  REAL(fchmod)
  return judge("fchmod", is_file_inside(fd)) == FAIL ? -1 : real(fd, mode);
}
int ftruncate(int fd, off_t len) {
  REAL(ftruncate)
  return judge("ftruncate", is_file_inside(fd)) == FAIL ? -1 : real(fd, len);
}
int renameat(int a, const char *from, int b, const char *to) {
  REAL(renameat)
  return judge("rename", entry_counts(a, from)) == FAIL ? -1 : real(a, from, b, to);
}
int rename(const char *from, const char *to) {
  REAL(rename)
  return judge("rename", path_counts(from)) == FAIL ? -1 : real(from, to);
}
