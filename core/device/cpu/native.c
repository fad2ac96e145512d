/* native.c - see native.h. */
#include "core/device/cpu/native.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/datafile.h"
#include "core/emit/user.h"
#include "core/device/cache.h"

extern char **environ;

enum { MAX_LOG = 16 << 10, MAX_OBJECT = 16 << 20, PATIENCE = 60 };

/* No fast-math, no contraction: a routine gives the same bits wherever it is
 * fused, and those of CUDA but for the functions of the mathematical library.
 * All are known to gcc and to clang. */
static const char *const flags[] = {
    "-x", "c", "-std=gnu11", "-O3", "-march=native", "-ffp-contract=off",
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

/* -- running it -------------------------------------------------------------------- */

struct job {
  const char *text;
  size_t len, sent;
  struct fs_str log;
  pid_t pid;
  int in, err;
};

/* Our environment with messages in English, as they are read. The list is from
 * malloc(), the texts are borrowed. */
static char **environment(void) {
  static char plain[] = "LC_ALL=C";
  int n = 0, m = 0;
  while (environ[n]) n++;
  char **out = fs_calloc((size_t)n + 2, sizeof *out);
  for (int k = 0; k < n; k++)
    if (strncmp(environ[k], "LC_ALL=", 7)) out[m++] = environ[k];
  out[m] = plain;
  return out;
}

static bool start(struct job *j, const char *program, const char *to) {
  int in[2], err[2];
  if (pipe2(in, O_CLOEXEC)) return false;
  if (pipe2(err, O_CLOEXEC)) {
    close(in[0]), close(in[1]);
    return false;
  }
  const char *argv[FS_LEN(flags) + 6];
  int n = 0;
  argv[n++] = program;
  for (size_t k = 0; k < FS_LEN(flags); k++) argv[n++] = flags[k];
  argv[n++] = "-o";
  argv[n++] = to;
  argv[n++] = "-";
  argv[n++] = "-lm";
  argv[n] = NULL;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attr;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, err[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  posix_spawnattr_init(&attr);
  posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP); /* not our Ctrl-C */
  char **env = environment();
  int r = posix_spawn(&j->pid, program, &actions, &attr, (char **)argv, env);
  free(env);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attr);
  close(in[0]), close(err[1]);
  j->in = in[1], j->err = err[0];
  if (r == 0) return true;
  close(in[1]), close(err[0]);
  return false;
}

/* Writes the text and reads the messages; false when the user or the time ended
 * it. */
static bool converse(struct job *j) {
  double end = fs_now() + PATIENCE;
  fcntl(j->in, F_SETFL, O_NONBLOCK);
  while (fs_now() < end && !fs_interrupted()) {
    struct pollfd p[2] = {{.fd = j->err, .events = POLLIN},
                          {.fd = j->in, .events = POLLOUT}};
    if (poll(p, j->in >= 0 ? 2 : 1, 50) < 0 && errno != EINTR) return false;
    if (j->in >= 0 && p[1].revents) {
      ssize_t n = write(j->in, j->text + j->sent, j->len - j->sent);
      if (n > 0) j->sent += (size_t)n;
      if (j->sent == j->len || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        close(j->in);
        j->in = -1;
      }
    }
    if (!p[0].revents) continue;
    char part[4096];
    ssize_t n = read(j->err, part, sizeof part);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) return true;
    if (n > 0 && j->log.len < MAX_LOG) fs_str_put(&j->log, part, (size_t)n);
  }
  return false;
}

/* The exit status, or -1 with the sentence. */
static int run_compiler(struct job *j, const char *program, const char *to) {
  struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
  sigaction(SIGPIPE, &ignore, &old); /* it may end before it read all */
  int status = -1;
  if (start(j, program, to)) {
    bool done = converse(j);
    if (!done) kill(-j->pid, SIGKILL);
    if (j->in >= 0) close(j->in);
    close(j->err);
    while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR) {}
    status = done && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (status < 0)
      snprintf(native.why, sizeof native.why, "%s was stopped before it ended",
               program);
  } else {
    snprintf(native.why, sizeof native.why, "%s could not be started: %s",
             program, strerror(errno));
  }
  sigaction(SIGPIPE, &old, NULL);
  return status;
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

/* The bytes of the shared object, or NULL. */
static void *read_object(const char *path, size_t *size) {
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

static void *build(const char *program, const struct fs_str *text, size_t *size,
                   char **log) {
  char folder[512], path[560];
  if (!make_folder(folder, sizeof folder)) return NULL;
  snprintf(path, sizeof path, "%s/routine.so", folder);
  struct job j = {.text = fs_str_text(text), .len = text->len, .in = -1};
  int status = run_compiler(&j, program, path);
  void *object = status == 0 ? read_object(path, size) : NULL;
  unlink(path);
  rmdir(folder);
  if (status > 0) {
    *log = fs_strdup(fs_str_text(&j.log));
    snprintf(native.why, sizeof native.why, "%s refused the routine", program);
  }
  fs_str_free(&j.log);
  return object;
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

static struct fs_native *resolve(const struct fs_user *u, void *handle) {
  struct fs_native *n = fs_calloc(1, sizeof *n);
  void *fn = dlsym(handle, "fs_entry");
  n->hash = u->hash;
  memcpy(&n->entry, &fn, sizeof fn);
  if (fn) return n;
  free(n);
  snprintf(native.why, sizeof native.why, "the compiled routine has no entry");
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

static struct fs_native *make(const struct fs_user *u, char **log) {
  struct fs_str text = {0}, program = {0}, version = {0};
  struct fs_native *n = NULL;
  size_t size = 0;
  void *object = NULL;
  fs_user_put_c(u, &text);
  if (find_compiler(&program, &version)) {
    struct fs_kernel_key key = key_of(&text, &version);
    object = fs_kernel_cache_get(&key, &size);
    bool cached = object != NULL;
    if (!object) object = build(fs_str_text(&program), &text, &size, log);
    void *handle = object ? load_object(object, size) : NULL;
    if (handle) n = resolve(u, handle);
    if (n && !cached) fs_kernel_cache_put(&key, object, size);
    if (!n && cached) fs_kernel_cache_drop(&key);
  } else {
    snprintf(native.why, sizeof native.why,
             "the CPU target builds C routines with the system's C compiler, "
             "and there is no `%s`", compiler());
  }
  free(object);
  fs_str_free(&text);
  fs_str_free(&program);
  fs_str_free(&version);
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
  if (u->c.text) n = make(u, &said);
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
