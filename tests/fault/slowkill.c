/* slowkill.c - loaded with LD_PRELOAD: who has interrupted a process goes on SLOWKILL_MS
 * milliseconds later. Writing to what is no file (freed memory has no good numbers, with
 * MALLOC_PERTURB_) ends the process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int kill(pid_t pid, int number) {
  void *fn = dlsym(RTLD_NEXT, "kill");
  const char *ms = getenv("SLOWKILL_MS");
  int (*real)(pid_t, int);
  memcpy(&real, &fn, sizeof fn);
  int status = real(pid, number);
  if (ms && number == SIGINT) usleep(1000 * (useconds_t)atol(ms));
  return status;
}

ssize_t write(int fd, const void *data, size_t size) {
  void *fn = dlsym(RTLD_NEXT, "write");
  ssize_t (*real)(int, const void *, size_t);
  memcpy(&real, &fn, sizeof fn);
  ssize_t n = real(fd, data, size);
  if (n < 0 && errno == EBADF) abort();
  return n;
}
