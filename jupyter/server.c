/* server.c - what all threads of the kernel use: its log, its worker, its end. */
#include <signal.h>
#include <stdio.h>

#include "core/base/datafile.h"
#include "jupyter/server.h"

void fs_log(const char *fmt, ...) {
  struct fs_str text = {0};
  va_list args;
  va_start(args, fmt);
  fs_str_vprintf(&text, fmt, args);
  va_end(args);
  fprintf(stderr, "fusible-kernel: %s\n", fs_str_text(&text));
  fs_str_free(&text);
}

void fs_server_stop(struct fs_server *s) {
  atomic_store(&s->stopping, true);
  pthread_kill(s->main, SIGTERM);
}

void fs_server_set_worker(struct fs_server *s, struct fs_worker *w) {
  pthread_mutex_lock(&s->worker_lock);
  s->worker = w;
  pthread_mutex_unlock(&s->worker_lock);
}

void fs_server_interrupt(struct fs_server *s) {
  pthread_mutex_lock(&s->worker_lock);
  if (s->worker) fs_worker_interrupt(s->worker);
  pthread_mutex_unlock(&s->worker_lock);
}

void fs_log_unkept(struct fs_server *s) {
  int error = atomic_exchange(&s->seal.unkept, 0);
  struct fs_str folder = {0};
  if (!error) return;
  fs_xdg_path("XDG_STATE_HOME", ".local/state", "seen", &folder);
  fs_log("a restart of this kernel will not know the messages of before: %s: %s",
         fs_str_text(&folder), strerror(error));
  fs_str_free(&folder);
}
