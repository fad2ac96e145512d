/* compiler.c - both sides of a process that compiles; see compiler.h.
 *
 * They lie on one machine and are one version of one program, so numbers go as they
 * are in memory. The process says hello when NVRTC is loaded; then it answers one job
 * after the other. It ends with its socket, so with the program that started it.
 */
#include "core/device/cuda/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/spawn.h"

enum { SOCKET = 3, POLL_MS = 20, LONGEST = 1 << 28 };

/* What follows: `arch`, `source` and, unless it is 0, `other`, the source for quick code;
 * or `image` and `log`: without their final NULs. */
struct ask { uint32_t arch, source, other, quick; };
struct told { uint32_t image, log, quick; };

/* What both must be alike in for images to be the same: program, options, NVRTC. */
struct hello { char text[PATH_MAX + 512]; };

static void fill(struct hello *h) {
  memset(h, 0, sizeof *h);
  snprintf(h->text, sizeof h->text, "%s\n%s\n%s", FS_VERSION, fs_nvrtc_options(),
           fs_nvrtc_identity());
}

/* -- the program ------------------------------------------------------------------ */

static pthread_once_t looked = PTHREAD_ONCE_INIT;
static char program[PATH_MAX]; /* empty: none */

/* `fusible` beside the running program, which may be another one. */
static void find_program(void) {
  static const char name[] = "fusible";
  ssize_t n = readlink("/proc/self/exe", program, sizeof program - sizeof name);
  while (n > 0 && program[n - 1] != '/') n--;
  if (n > 0) memcpy(program + n, name, sizeof name);
  if (n <= 0 || access(program, X_OK)) program[0] = '\0';
}

/* Whether the program is there to be started. */
static bool is_present(void) {
  pthread_once(&looked, find_program);
  return program[0] != '\0';
}

/* With nothing that is open here, for it would stay open as long as the process; and no
 * output: what is wrong is told by the thread that then compiles itself. */
static int spawn(int socket, pid_t *pid) {
  char name[] = "fusible", flag[] = "--compiler";
  char *argv[] = {name, flag, (char *)(uintptr_t)fs_nvrtc_path(), NULL};
  posix_spawn_file_actions_t files;
  if (posix_spawn_file_actions_init(&files)) return ENOMEM;
  int bad = posix_spawn_file_actions_adddup2(&files, socket, SOCKET);
  for (int fd = 0; fd < SOCKET; fd++)
    bad |= posix_spawn_file_actions_addopen(&files, fd, "/dev/null",
                                            fd ? O_WRONLY : O_RDONLY, 0);
  bad |= posix_spawn_file_actions_addclosefrom_np(&files, SOCKET + 1);
  if (!bad) bad = fs_spawn_apart(pid, program, argv, &files);
  posix_spawn_file_actions_destroy(&files);
  return bad;
}

bool fs_compiler_start(struct fs_compiler *c) {
  int ends[2];
  *c = (struct fs_compiler){.fd = -1};
  if (!is_present() || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
    return false;
  /* On its own number dup2() would leave it closed on exec; and there are the others. */
  int theirs = fcntl(ends[1], F_DUPFD_CLOEXEC, SOCKET + 1);
  bool ok = theirs >= 0 && !spawn(theirs, &c->pid);
  if (theirs >= 0) close(theirs);
  close(ends[1]);
  if (!ok) {
    close(ends[0]);
    return false;
  }
  c->fd = ends[0];
  return true;
}

void fs_compiler_end(struct fs_compiler *c) {
  int status;
  if (c->fd < 0) return;
  close(c->fd);
  c->fd = -1;
  kill(c->pid, SIGKILL);
  while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {}
}

/* -- a job, on this side ------------------------------------------------------------ */

/* One transfer after another; the first that fails is the last. */
struct talk {
  int fd;
  const struct fs_nvrtc_job *job;
  bool failed, stopped;
};

static void transfer(struct talk *t, void *data, size_t n, bool out) {
  char *at = data;
  while (n && !t->failed) {
    ssize_t r = out ? send(t->fd, at, n, MSG_NOSIGNAL | MSG_DONTWAIT)
                    : recv(t->fd, at, n, MSG_DONTWAIT);
    struct pollfd p = {.fd = t->fd, .events = out ? POLLOUT : POLLIN};
    bool wait = r < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (r > 0) at += r, n -= (size_t)r;
    else if (!wait && !(r < 0 && errno == EINTR)) t->failed = true;
    else if (fs_nvrtc_is_stopped(t->job)) t->failed = t->stopped = true;
    else if (wait) poll(&p, 1, POLL_MS);
  }
}

static void put(struct talk *t, const void *data, size_t n) {
  transfer(t, (void *)(uintptr_t)data, n, true);
}

/* n bytes and a NUL, from malloc(). */
static char *get_bytes(struct talk *t, size_t n) {
  char *data = n <= LONGEST ? malloc(n + 1) : NULL;
  t->failed |= !data;
  if (!data) return NULL;
  data[n] = '\0';
  transfer(t, data, n, false);
  return data;
}

static void get_hello(struct talk *t) {
  struct hello mine, theirs;
  fill(&mine);
  transfer(t, &theirs, sizeof theirs, false);
  if (!t->failed) t->failed = memcmp(&mine, &theirs, sizeof mine);
}

/* The job is as it was unless all of it came. */
static void get_answer(struct talk *t, struct fs_nvrtc_job *job) {
  struct told told = {0};
  char *image = NULL, *log = NULL;
  transfer(t, &told, sizeof told, false);
  if (!t->failed && told.image) image = get_bytes(t, told.image);
  if (!t->failed && told.log) log = get_bytes(t, told.log);
  if (t->failed) {
    free(image);
    free(log);
    return;
  }
  if (job->quick && !told.quick) fs_nvrtc_not_quick();
  job->quick = told.quick;
  job->image = image;
  job->size = told.image;
  job->log = log;
}

bool fs_compiler_run(struct fs_compiler *c, struct fs_nvrtc_job *job) {
  struct talk t = {.fd = c->fd, .job = job};
  bool quick = job->quick && fs_nvrtc_is_quick();
  size_t arch = strlen(job->arch), source = strlen(job->source);
  size_t other = quick && job->quick_source ? strlen(job->quick_source) : 0;
  struct ask ask = {(uint32_t)arch, (uint32_t)source, (uint32_t)other, quick};
  if (c->fd < 0 || arch > LONGEST || source > LONGEST || other > LONGEST) return false;
  job->image = NULL, job->log = NULL, job->size = 0, job->cancelled = false;
  put(&t, &ask, sizeof ask);
  put(&t, job->arch, arch);
  put(&t, job->source, source);
  if (other) put(&t, job->quick_source, other);
  if (!c->known) get_hello(&t);
  if (!t.failed) c->known = true;
  get_answer(&t, job);
  job->cancelled = t.stopped;
  if (t.failed) fs_compiler_end(c);
  return !t.failed || t.stopped;
}

/* -- the process ---------------------------------------------------------------------- */

/* Ends with the other side, in the midst of whatever it is. */
static void *watch(void *none) {
  struct pollfd p = {.fd = SOCKET, .events = POLLRDHUP};
  while (poll(&p, 1, -1) < 0 && errno == EINTR) {}
  (void)none;
  _exit(0);
}

static void give(const void *data, size_t n) {
  for (const char *at = data; n;) {
    ssize_t r = send(SOCKET, at, n, MSG_NOSIGNAL);
    if (r < 0 && errno != EINTR) _exit(0);
    if (r > 0) at += r, n -= (size_t)r;
  }
}

static void take(void *data, size_t n) {
  for (char *at = data; n;) {
    ssize_t r = recv(SOCKET, at, n, 0);
    if (r == 0 || (r < 0 && errno != EINTR)) _exit(0);
    if (r > 0) at += r, n -= (size_t)r;
  }
}

static char *take_text(size_t n) {
  char *text = n <= LONGEST ? malloc(n + 1) : NULL;
  if (!text) _exit(1);
  text[n] = '\0';
  take(text, n);
  return text;
}

static void serve(void) {
  struct ask ask;
  take(&ask, sizeof ask);
  char *arch = take_text(ask.arch), *source = take_text(ask.source);
  char *other = ask.other ? take_text(ask.other) : NULL;
  struct fs_nvrtc_job job = {.source = source, .arch = arch, .quick = ask.quick,
                             .quick_source = other};
  fs_nvrtc_compile(&job);
  size_t log = job.log ? strlen(job.log) : 0;
  if (job.size > LONGEST || log > LONGEST) _exit(1);
  struct told told = {job.image ? (uint32_t)job.size : 0, (uint32_t)log, job.quick};
  give(&told, sizeof told);
  give(job.image, told.image);
  give(job.log, told.log);
  free(job.image);
  free(job.log);
  free(arch);
  free(source);
  free(other);
}

int fs_compiler_main(int argc, char **argv) {
  struct hello hello;
  pthread_t thread;
  int type;
  socklen_t size = sizeof type;
  if (argc != 3 || getsockopt(SOCKET, SOL_SOCKET, SO_TYPE, &type, &size)) {
    fputs("fusible: --compiler is for the program's own use\n", stderr);
    return 2;
  }
  setenv("FUSIBLE_NVRTC", argv[2], 1);
  if (!fs_nvrtc_load(0, NULL)) return 1;
  fill(&hello);
  give(&hello, sizeof hello);
  if (pthread_create(&thread, NULL, watch, NULL)) return 1;
  for (;;) serve();
}
