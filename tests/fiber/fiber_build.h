/* fiber_build.h - a kernel text as a shared object that runs it on the host (fiber.h).
 *
 * Objects are kept in FIBER_DIR, build/fiber, by the hash of what the compiler sees of their
 * text: every suite asks for it here, so a text is compiled once, and not again in the next
 * run of the suites.
 * The folder has fiber.h and the fibers compiled before (`make unit`); when they change,
 * make empties it. The C library is not searched for what an object needs: the process that
 * loads it has that. So a text takes 75 ms in place of 170. tests/run.py removes what was
 * not asked for in a week.
 */
#ifndef FIBER_BUILD_H
#define FIBER_BUILD_H

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { FIBER_NAME = sizeof FIBER_DIR + 34, FIBER_PATH = FIBER_NAME + 80 };

static const char *fiber_compiler(void) {
  const char *own = getenv("CXX");
  return own && *own ? own : "c++";
}

/* The compiler's exit status, -1 without one; its messages go to the file `log`. */
static int fiber_compile(const char *source, const char *target, const char *log) {
  char *argv[] = {(char *)fiber_compiler(), "@" FIBER_DIR "/flags", "-shared", "-nostdlib",
                  "-include", FIBER_DIR "/fiber.h", "-o", (char *)target, (char *)source,
                  FIBER_DIR "/fiber.o", "-lgcc", NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t pid;
  int failed = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 1;
  while (!failed && waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  return failed || !WIFEXITED(status) ? -1 : WEXITSTATUS(status);
}

static uint64_t fiber_hash(uint64_t hash, const char *text, size_t len) {
  for (size_t n = 0; n < len; n++) hash = (hash ^ (unsigned char)text[n]) * 1099511628211u;
  return hash;
}

/* Two hashes of 64 bits of compiler and text, without its remarks and where it comes from:
 * FNV-1a from two starts. */
static void fiber_name(const char *text, size_t len, char out[FIBER_NAME]) {
  uint64_t hash[2] = {1469598103934665603u, 0x9e3779b97f4a7c15u};
  const char *compiler = fiber_compiler(), *end = text + len;
  for (int k = 0; k < 2; k++) {
    hash[k] = fiber_hash(hash[k], compiler, strlen(compiler));
    for (const char *line = text, *next; line < end; line = next) {
      const char *stop = memchr(line, '\n', (size_t)(end - line));
      next = stop ? stop + 1 : end;
      size_t n = (size_t)(next - line);
      if (n > 6 && !memcmp(line, "#line ", 6)) continue;
      const char *remark = memmem(line, n, "//", 2);
      hash[k] = fiber_hash(hash[k], line, remark ? (size_t)(remark - line) : n);
    }
  }
  snprintf(out, FIBER_NAME, FIBER_DIR "/%016llx%016llx", (unsigned long long)hash[0],
           (unsigned long long)hash[1]);
}

static bool fiber_write(const char *path, const char *text, size_t len) {
  FILE *f = fopen(path, "wb");
  if (!f) return false;
  bool ok = fwrite(text, 1, len, f) == len;
  return fclose(f) == 0 && ok;
}

/* A file's bytes and a zero behind them, from malloc(); NULL: it cannot be read. */
static char *fiber_read(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  long len = ftell(f);
  rewind(f);
  char *data = len < 0 ? NULL : malloc((size_t)len + 1);
  if (data) *size = fread(data, 1, (size_t)len, f), data[*size] = 0;
  fclose(f);
  return data;
}

/* The file that has the text as a shared object goes to `path`. False: it does not
 * compile, and *log, from malloc(), has what the compiler says, NULL if it says nothing. */
static bool fiber_build(const char *text, size_t len, char path[FIBER_PATH], char **log) {
  char base[FIBER_NAME], source[FIBER_PATH], made[FIBER_PATH], said[FIBER_PATH];
  fiber_name(text, len, base);
  snprintf(path, FIBER_PATH, "%s.so", base);
  *log = NULL;
  if (utimensat(AT_FDCWD, path, NULL, 0) == 0) return true; /* it was asked for */
  long own = (long)getpid();
  uintptr_t here = (uintptr_t)&path; /* of this thread */
  snprintf(source, FIBER_PATH, "%s.%ld.%zx.cc", base, own, (size_t)here);
  snprintf(made, FIBER_PATH, "%s.%ld.%zx.new", base, own, (size_t)here);
  snprintf(said, FIBER_PATH, "%s.%ld.%zx.log", base, own, (size_t)here);
  bool ok = fiber_write(source, text, len) && fiber_compile(source, made, said) == 0 &&
            rename(made, path) == 0;
  size_t read;
  if (!ok) *log = fiber_read(said, &read);
  unlink(source), unlink(made), unlink(said);
  return ok;
}

#endif
