/* slowthread.c - loaded with LD_PRELOAD: who makes a thread goes on SLOWTHREAD_MS
 * milliseconds after it has begun, as on a machine that has other things to do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*create)(pthread_t *thread, const pthread_attr_t *how, void *(*work)(void *),
                      void *user);

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*work)(void *),
                   void *user) {
  void *fn = dlsym(RTLD_NEXT, "pthread_create");
  const char *ms = getenv("SLOWTHREAD_MS");
  create real;
  memcpy(&real, &fn, sizeof fn);
  int status = real(thread, how, work, user);
  if (ms) usleep(1000 * (useconds_t)atol(ms));
  return status;
}
