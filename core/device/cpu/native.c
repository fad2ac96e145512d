/* native.c - see native.h. */
#include "core/device/cpu/native.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/datafile.h"
#include "core/base/spawn.h"
#include "core/emit/user.h"
#include "core/device/cache.h"

enum { MAX_LOG = 16 << 10, MAX_OBJECT = 16 << 20, PATIENCE = 60 };

/* No fast-math, no contraction: a routine gives the same bits wherever it is
 * fused, and those of CUDA but for the functions of the mathematical library.
 * All are known to gcc and to clang. */
static const char *const flags[] = {
    "-x", "c", "-std=gnu11", "-O3", "-march=native", "-ffp-contract=off",
    "-fno-trapping-math", "-fno-math-errno", "-fno-strict-aliasing",
    "-fPIC", "-shared", "-fvisibility=hidden",
    "-fdiagnostics-color=never", "-ftabstop=1",
    "-Werror=implicit-function-declaration", "-Werror=implicit-int",
    "-Werror=return-type"};

static struct {
  FS_VEC(struct fs_native *) loaded;
  char why[512];
} native;

static const char *compiler(void) {
  const char *own = getenv("FUSIBLE_CC");
  return own && *own ? own : "cc";
}

/* -- finding the compiler ------------------------------------------------------- */

static bool is_program(const char *path, struct stat *st) {
  return stat(path, st) == 0 && S_ISREG(st->st_mode) && access(path, X_OK) == 0;
}

/* The compiler's file, by PATH, and what tells it from another version. */
static bool find_compiler(struct fs_str *path, struct fs_str *version) {
  const char *name = compiler(), *dirs = getenv("PATH");
  struct stat st;
  bool found = false;
  if (strchr(name, '/')) {
    fs_str_puts(path, name);
    found = is_program(name, &st);
  }
  for (const char *p = dirs; !found && p && *p && !strchr(name, '/');) {
    size_t n = strcspn(p, ":");
    fs_str_clear(path);
    fs_str_put(path, p, n);
    fs_str_printf(path, "/%s", name);
    found = n && is_program(fs_str_text(path), &st);
    p += n + (p[n] == ':');
  }
  if (found)
    fs_str_printf(version, "%s %lld %lld", fs_str_text(path),
                  (long long)st.st_size, (long long)st.st_mtime);
  return found;
}

/* -march=native means this: model and abilities of the processor. */
static void put_processor(struct fs_str *out) {
  FILE *f = fopen("/proc/cpuinfo", "re");
  char line[4096];
  bool model = false, able = false;
  while (f && !(model && able) && fgets(line, sizeof line, f)) {
    bool is_model = !strncmp(line, "model name", 10);
    bool is_flags = !strncmp(line, "flags", 5) || !strncmp(line, "Features", 8);
    if ((is_model && !model) || (is_flags && !able)) fs_str_puts(out, line);
    model |= is_model;
    able |= is_flags;
  }
  if (f) fclose(f);
}

/* -- a folder of our own -------------------------------------------------------------- */

static bool make_folder(char *path, size_t size) {
  const char *run = getenv("XDG_RUNTIME_DIR"), *tmp = getenv("TMPDIR");
  const char *bases[] = {run, tmp, "/tmp"};
  for (size_t k = 0; k < FS_LEN(bases); k++) {
    if (!bases[k] || bases[k][0] != '/') continue;
    int n = snprintf(path, size, "%s/fusible-XXXXXX", bases[k]);
    if (n > 0 && (size_t)n < size && mkdtemp(path)) return true; /* 0700 */
  }
  snprintf(native.why, sizeof native.why,
           "no folder for the compiler's output could be made: %s",
           strerror(errno));
  return false;
}

/* With what a compiler that was killed has left there. */
static void remove_folder(const char *path) {
  DIR *folder = opendir(path);
  for (struct dirent *e; folder && (e = readdir(folder));)
    if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) unlinkat(dirfd(folder), e->d_name, 0);
  if (folder) closedir(folder);
  rmdir(path);
}

/* The bytes of the shared object, or NULL. */
static void *read_object(const char *folder, size_t *size) {
  char path[sizeof((struct fs_native_job *)NULL)->folder + 16];
  snprintf(path, sizeof path, "%s/routine.so", folder);
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  struct stat st;
  void *bytes = NULL;
  if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
      st.st_uid == geteuid() && st.st_size > 0 && st.st_size <= MAX_OBJECT &&
      (bytes = malloc((size_t)st.st_size))) {
    size_t at = 0;
    for (ssize_t n; at < (size_t)st.st_size; at += (size_t)n) {
      n = read(fd, (char *)bytes + at, (size_t)st.st_size - at);
      if (n < 0 && errno == EINTR) n = 0;
      else if (n <= 0) break;
    }
    if (at != (size_t)st.st_size) {
      free(bytes);
      bytes = NULL;
    }
    *size = at;
  }
  if (fd >= 0) close(fd);
  if (!bytes)
    snprintf(native.why, sizeof native.why, "%s made no shared object",
             compiler());
  return bytes;
}

/* -- running it -------------------------------------------------------------------- */

enum { LIFELINE = 3, FIRST_FREE = 4, NICE = 15 };

/* Runs the compiler in a folder, which is $1, with messages in English, as they are read. The
 * first process waits for the end of this one, of which its lifeline is told, and then ends all
 * of them and takes the folder away. */
static char script[] =
    "d=$1; shift\n"
    "{ read x <&3; trap '' TERM; kill -TERM 0; rm -rf \"$d\"; kill -KILL 0; } >/dev/null 2>&1 &\n"
    "ulimit -t 120\n"
    "LC_ALL=C TMPDIR=\"$d\" \"$@\" 3<&-\n"
    "s=$?; kill -KILL $!; exit $s\n";

/* Where no number that a child is given is in the way. */
static int high(int fd) {
  int to = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE);
  if (fd >= 0) close(fd);
  return to;
}

static int memory_file(const char *name, const struct fs_str *text) {
  int fd = high(memfd_create(name, MFD_CLOEXEC));
  bool ok = fd >= 0 && (!text || (fs_write_all(fd, fs_str_text(text), text->len) &&
                                  lseek(fd, 0, SEEK_SET) == 0));
  if (ok || fd < 0) return fd;
  close(fd);
  return -1;
}

static int spawn(struct fs_native_job *j, const char *program, int in, int lifeline) {
  char name[] = "sh", flag[] = "-c", to[] = "-o", input[] = "-", library[] = "-lm";
  char object[sizeof j->folder + 16];
  char *argv[FS_LEN(flags) + 12] = {name, flag, script, name, j->folder,
                                    (char *)(uintptr_t)program};
  int n = 6;
  snprintf(object, sizeof object, "%s/routine.so", j->folder);
  for (size_t k = 0; k < FS_LEN(flags); k++) argv[n++] = (char *)(uintptr_t)flags[k];
  argv[n++] = to, argv[n++] = object, argv[n++] = input, argv[n] = library;
  posix_spawn_file_actions_t files;
  if (posix_spawn_file_actions_init(&files)) return ENOMEM;
  int bad = posix_spawn_file_actions_adddup2(&files, in, 0);
  bad |= posix_spawn_file_actions_adddup2(&files, j->log, 1);
  bad |= posix_spawn_file_actions_adddup2(&files, j->log, 2);
  bad |= posix_spawn_file_actions_adddup2(&files, lifeline, LIFELINE);
  bad |= posix_spawn_file_actions_addclosefrom_np(&files, FIRST_FREE);
  if (!bad) bad = fs_spawn_apart(&j->pid, "/bin/sh", argv, &files);
  posix_spawn_file_actions_destroy(&files);
  return bad;
}

static void close_job(struct fs_native_job *j) {
  if (j->lifeline >= 0) close(j->lifeline);
  if (j->log >= 0) close(j->log);
  if (j->folder[0]) remove_folder(j->folder);
  j->lifeline = j->log = -1;
  j->folder[0] = 0;
}

static bool start(struct fs_native_job *j, const char *program, const struct fs_str *text,
                  bool behind) {
  int ends[2] = {-1, -1}, in = memory_file("fusible-text", text);
  bool ok = in >= 0 && pipe2(ends, O_CLOEXEC) == 0;
  int theirs = high(ends[0]);
  j->lifeline = ends[1];
  j->log = memory_file("fusible-log", NULL);
  ok = ok && j->log >= 0 && theirs >= 0;
  int bad = ok ? 0 : errno;
  if (ok && !make_folder(j->folder, sizeof j->folder)) j->folder[0] = 0, ok = false;
  else if (ok) ok = !(bad = spawn(j, program, in, theirs));
  if (ok && behind) setpriority(PRIO_PGRP, (id_t)j->pid, NICE);
  if (bad)
    snprintf(native.why, sizeof native.why, "%s could not be started: %s", program,
             strerror(bad));
  if (in >= 0) close(in);
  if (theirs >= 0) close(theirs);
  if (!ok) close_job(j);
  return ok;
}

bool fs_native_has_room(void) {
  static const int64_t room = 512 << 20;
  struct rlimit most;
  long long kib = -1;
  char line[128];
  FILE *f = fopen("/proc/meminfo", "re");
  while (f && fgets(line, sizeof line, f) && sscanf(line, "MemAvailable: %lld", &kib) != 1) {}
  if (f) fclose(f);
  bool limited = !getrlimit(RLIMIT_AS, &most) && most.rlim_cur != RLIM_INFINITY;
  return !limited && (kib < 0 || kib << 10 > room);
}

bool fs_native_has_ended(struct fs_native_job *j) {
  if (!j->pid) return true;
  if (j->owner != getpid()) return false; /* of whom this process is a copy */
  int status = -1;
  pid_t got = waitpid(j->pid, &status, WNOHANG);
  if (got == 0 || (got < 0 && errno == EINTR)) return false;
  j->pid = 0;
  j->status = got > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return true;
}

bool fs_native_wait(struct fs_native_job *j) {
  double end = fs_now() + PATIENCE;
  while (!fs_native_has_ended(j)) {
    const struct timespec nap = {.tv_nsec = 1000000};
    if (fs_interrupted() || fs_now() > end) return false;
    nanosleep(&nap, NULL);
  }
  return true;
}

void fs_native_cancel(struct fs_native_job *j) {
  if (j->pid && j->owner == getpid()) {
    kill(-j->pid, SIGKILL);
    while (waitpid(j->pid, NULL, 0) < 0 && errno == EINTR) {}
  }
  j->pid = 0;
  free(j->object);
  j->object = NULL;
  close_job(j);
}

/* -- loading --------------------------------------------------------------------------- */

/* The memory file stays open: the loader knows libraries by their path, and a
 * number that was used again would give it the old one. */
static void *load_object(const void *bytes, size_t size) {
  int fd = memfd_create("fusible-routine", MFD_CLOEXEC);
  char path[64];
  bool ok = fd >= 0 && fs_write_all(fd, bytes, size);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  void *handle = ok ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (handle) return handle;
  const char *reason = dlerror();
  snprintf(native.why, sizeof native.why,
           "the compiled routine could not be loaded: %s",
           reason ? reason : strerror(errno));
  if (fd >= 0) close(fd);
  return NULL;
}

static struct fs_kernel_key key_of(const struct fs_str *text,
                                   const struct fs_str *version) {
  struct fs_str all = {0};
  for (size_t k = 0; k < FS_LEN(flags); k++)
    fs_str_printf(&all, "%s ", flags[k]);
  put_processor(&all);
  const char *texts[] = {"native", FS_VERSION, fs_str_text(version),
                         fs_str_text(&all), fs_str_text(text)};
  struct fs_kernel_key key = fs_kernel_key((int)FS_LEN(texts), texts);
  fs_str_free(&all);
  return key;
}

/* -- a text ------------------------------------------------------------------------------ */

bool fs_native_begin(struct fs_native_job *j, const struct fs_str *text, bool behind,
                     const char **why) {
  struct fs_str program = {0}, version = {0};
  *j = (struct fs_native_job){.lifeline = -1, .log = -1, .owner = getpid()};
  *why = native.why;
  bool found = find_compiler(&program, &version), ok = false;
  if (found) {
    j->key = key_of(text, &version);
    j->object = fs_kernel_cache_get(&j->key, &j->size);
    j->cached = j->object != NULL;
    ok = j->cached || start(j, fs_str_text(&program), text, behind);
  } else {
    snprintf(native.why, sizeof native.why,
             "the CPU target builds C routines with the system's C compiler, "
             "and there is no `%s`", compiler());
  }
  fs_str_free(&program);
  fs_str_free(&version);
  return ok;
}

/* What it has said, from malloc(). */
static char *read_log(const struct fs_native_job *j) {
  char *log = fs_calloc(1, MAX_LOG + 1);
  ssize_t n = pread(j->log, log, MAX_LOG, 0);
  log[n > 0 ? n : 0] = 0;
  return log;
}

void *fs_native_end(struct fs_native_job *j, char **log, const char **why) {
  void *entry = NULL;
  *why = native.why;
  if (!j->cached && j->status == 0) j->object = read_object(j->folder, &j->size);
  else if (!j->cached && j->status > 0)
    snprintf(native.why, sizeof native.why, "%s refused the routine", compiler());
  else if (!j->cached)
    snprintf(native.why, sizeof native.why, "%s was stopped before it ended", compiler());
  if (log && !j->cached && j->status > 0) *log = read_log(j);
  void *handle = j->object ? load_object(j->object, j->size) : NULL;
  if (handle && !(entry = dlsym(handle, "fs_entry")))
    snprintf(native.why, sizeof native.why, "the compiled routine has no entry");
  if (entry && !j->cached) fs_kernel_cache_put(&j->key, j->object, j->size);
  if (!entry && j->cached) fs_kernel_cache_drop(&j->key);
  free(j->object);
  j->object = NULL;
  close_job(j);
  return entry;
}

/* -- users' routines ------------------------------------------------------------------------ */

static struct fs_native *make(const struct fs_user *u, char **log, const char **why) {
  struct fs_str text = {0};
  struct fs_native_job j;
  void *entry = NULL;
  fs_native_put_text(u, &text);
  bool begun = fs_native_begin(&j, &text, false, why);
  fs_str_free(&text);
  if (!begun) return NULL;
  if (fs_native_wait(&j)) entry = fs_native_end(&j, log, why);
  else {
    snprintf(native.why, sizeof native.why, "%s was stopped before it ended", compiler());
    fs_native_cancel(&j);
  }
  if (!entry) return NULL;
  struct fs_native *n = fs_calloc(1, sizeof *n);
  n->hash = u->hash;
  memcpy(&n->entry, &entry, sizeof entry);
  return n;
}

const struct fs_native *fs_native_get(const struct fs_user *u, char **log,
                                      const char **why) {
  char *said = NULL;
  for (int k = 0; k < native.loaded.len; k++)
    if (native.loaded.data[k]->hash == u->hash) return native.loaded.data[k];
  native.why[0] = 0;
  *why = native.why;
  struct fs_native *n = NULL;
  if (u->c.text) n = make(u, &said, why);
  else snprintf(native.why, sizeof native.why,
                "the CPU target needs a C form of `%.100s`, and the function "
                "has none", u->name);
  if (n) *FS_PUSH(&native.loaded) = n;
  if (log) *log = said;
  else free(said);
  return n;
}

enum fs_status fs_native_refuse(const struct fs_user *u, const char *why,
                                struct fs_diags *d) {
  return fs_env_error(d, "elem-no-form",
                      u->c.text ? "install a C compiler (Debian: gcc), or name "
                                  "one by FUSIBLE_CC"
                                : "give it a routine for `c` or `any`, or use "
                                  ":target cuda",
                      "%s", why);
}
