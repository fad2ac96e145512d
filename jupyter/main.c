/* main.c - the program `fusible-kernel`: Jupyter's kernel for Fusible. Started by
 * a Jupyter server with the path of a connection file (docs/jupyter.md). The
 * session itself runs in a worker process, which is this program again. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/datafile.h"
#include "jupyter/server.h"

enum { EXIT_USAGE = 2, EXIT_ENVIRONMENT = 3, OUTPUT_LIMIT = 16 << 20,
       THREADS = 5 };

static const char usage[] =
    "usage: fusible-kernel [--no-key] [-f] CONNECTION_FILE\n"
    "\n"
    "Jupyter's kernel for Fusible, started by a Jupyter server.\n"
    "`fusible kernel install` makes it known to Jupyter.\n"
    "\n"
    "  -f FILE       the connection file\n"
    "  --no-key      accept a connection file without a key: anybody who can\n"
    "                reach the ports can then run code\n"
    "  --help, --version\n"
    "Other arguments are ignored: programs that start kernels add their own.\n"
    "\n"
    "Environment: FUSIBLE_TARGET, FUSIBLE_THREADS as for fusible;\n"
    "FUSIBLE_OUTPUT_LIMIT, bytes of text that a cell may print (16 MiB)\n";

/* -- threads ----------------------------------------------------------------- */

/* Echoes, with the address in front; nothing else happens on this socket. What a
 * client sends is one short frame. */
static void *heart_run(void *server) {
  enum { FRAMES = 4 };
  struct fs_server *s = server;
  void *socket = s->socket[FS_HEART];
  zmq_pollitem_t item = {socket, 0, ZMQ_POLLIN, 0};
  enum fs_received got = FS_NOTHING;
  struct fs_frames f;
  while (got != FS_CLOSED && (zmq_poll(&item, 1, -1) >= 0 || errno == EINTR)) {
    got = fs_net_take_frames(s, socket, FRAMES, &f);
    for (int k = 0; got == FS_GOT && f.n <= FRAMES && k < f.n; k++)
      zmq_msg_send(&f.message[k], socket,
                   ZMQ_DONTWAIT | (k + 1 < f.n ? ZMQ_SNDMORE : 0));
    fs_net_drop_frames(&f);
  }
  zmq_close(socket);
  return NULL;
}

static bool start_threads(struct fs_server *s, pthread_t thread[THREADS]) {
  void *(*const run[THREADS])(void *) = {fs_guard_run, fs_iopub_run, heart_run,
                                         fs_shell_run, fs_control_run};
  for (int k = 0; k < THREADS; k++)
    if (pthread_create(&thread[k], NULL, run[k], s)) return false;
  return true;
}

static void block_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, NULL); /* threads inherit it */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN); /* past the limit of a file's size, write() says so */
}

/* SIGINT interrupts the input; SIGTERM and SIGHUP end. A kernel whose server is
 * gone ends too: it was started in a process session of its own, so nothing else
 * would tell it. */
static void wait_for_end(struct fs_server *s, pid_t parent) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  bool watched = getenv("JPY_PARENT_PID") != NULL;
  const struct timespec second = {1, 0};
  for (;;) {
    int got = sigtimedwait(&set, NULL, &second);
    if (got == SIGINT) {
      fs_server_interrupt(s);
    } else if (got > 0) {
      return;
    }
    if (watched && getppid() != parent) {
      fs_log("the process that started this kernel is gone");
      return;
    }
  }
}

static void *end_context(void *zmq) {
  zmq_ctx_term(zmq); /* waits until what was sent has left, a second at most */
  return NULL;
}

/* Every thread sees its context end, closes its sockets and returns. The process
 * does not wait longer than a lingering message may take. */
static void stop_threads(struct fs_server *s, pthread_t thread[THREADS]) {
  struct timespec until;
  pthread_t last;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 2;
  zmq_ctx_shutdown(s->zmq);
  for (int k = 0; k < THREADS; k++)
    if (pthread_timedjoin_np(thread[k], NULL, &until)) _exit(0);
  if (pthread_create(&last, NULL, end_context, s->zmq) ||
      pthread_timedjoin_np(last, NULL, &until))
    _exit(0);
}

/* The files of ipc sockets: the library leaves them behind. */
static void remove_files(const struct fs_server *s) {
  struct fs_str path = {0};
  for (int k = 0; k < FS_CHANNELS; k++) {
    fs_str_clear(&path);
    fs_connection_endpoint(&s->connection, (enum fs_channel)k, &path);
    if (!strncmp(fs_str_text(&path), "ipc://", 6)) unlink(path.data + 6);
  }
  fs_str_free(&path);
}

/* -- start ------------------------------------------------------------------- */

static bool open_all(struct fs_server *s, struct fs_str *error) {
  s->zmq = zmq_ctx_new();
  for (int k = 0; s->zmq && k < FS_CHANNELS; k++)
    if (!(s->socket[k] = fs_net_open(s, (enum fs_channel)k, error))) return false;
  return s->zmq && fs_guard_open(s);
}

static bool bind_all(struct fs_server *s, struct fs_str *error) {
  for (int k = 0; k < FS_CHANNELS; k++)
    if (!fs_net_bind(s, (enum fs_channel)k, error)) return false;
  return !s->connection.registration_port || fs_register(s);
}

static bool listen_all(struct fs_server *s) {
  struct fs_str error = {0};
  bool ok = open_all(s, &error) && bind_all(s, &error);
  if (error.len) fs_log("%s", fs_str_text(&error));
  fs_str_free(&error);
  return ok;
}

static bool is_number(const char *text, long long max, long long *out) {
  char *end;
  *out = strtoll(text, &end, 10);
  return *text && !*end && *out >= 0 && *out <= max;
}

static bool read_environment(struct fs_server *s) {
  const char *target = getenv("FUSIBLE_TARGET");
  const char *threads = getenv("FUSIBLE_THREADS");
  const char *limit = getenv("FUSIBLE_OUTPUT_LIMIT");
  long long n = 0, bytes = OUTPUT_LIMIT;
  if (threads && *threads && !is_number(threads, 4096, &n)) {
    fs_log("FUSIBLE_THREADS is no number: %s", threads);
    return false;
  }
  if (limit && *limit && !is_number(limit, 1LL << 40, &bytes)) {
    fs_log("FUSIBLE_OUTPUT_LIMIT is no number: %s", limit);
    return false;
  }
  s->target = target && *target ? target : "auto";
  s->threads = (int)n;
  s->output_limit = (size_t)bytes;
  s->persistent = true;
  return true;
}

/* A file for each key: a kernel that is restarted has the one of before. Files of
 * kernels that are long gone go. */
static void keep_signatures(struct fs_server *s) {
  enum { DAYS = 7 };
  unsigned char hash[16];
  char name[33];
  struct fs_str path = {0}, folder = {0};
  struct dirent *entry;
  struct stat st;
  crypto_generichash(hash, sizeof hash, s->seal.key, s->seal.key_len, NULL, 0);
  sodium_bin2hex(name, sizeof name, hash, sizeof hash);
  fs_xdg_path("XDG_STATE_HOME", ".local/state", "seen/", &folder);
  if (!folder.len) return;
  fs_str_printf(&path, "%s%s", folder.data, name);
  fs_make_folders(path.data, 0700);
  DIR *all = opendir(folder.data);
  while (all && (entry = readdir(all)))
    if (!fstatat(dirfd(all), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
        S_ISREG(st.st_mode) && time(NULL) - st.st_mtime > DAYS * 86400)
      unlinkat(dirfd(all), entry->d_name, 0);
  if (all) closedir(all);
  fs_seal_keep(&s->seal, path.data);
  fs_log_unkept(s);
  fs_str_free(&path);
  fs_str_free(&folder);
}

static bool is_loopback(const char *ip) {
  return !strncmp(ip, "127.", 4) || !strcmp(ip, "::1") || !strcmp(ip, "[::1]") ||
         !strcmp(ip, "localhost");
}

/* Signed messages can still be read on their way. */
static void warn_of_network(const struct fs_connection *c) {
  if (c->curve || !strcmp(c->transport, "ipc") || is_loopback(c->ip)) return;
  fs_log("WITHOUT ENCRYPTION at %s: the network can read all messages; start the "
         "kernel with CurveZMQ (transport_encryption of Jupyter's KernelManager)",
         c->ip);
}

static int serve(const char *path, bool keyless) {
  static struct fs_server s = {.worker_lock = PTHREAD_MUTEX_INITIALIZER};
  struct fs_str error = {0};
  pthread_t thread[THREADS];
  pid_t parent = getppid();
  s.main = pthread_self();
  if (!fs_connection_read(path, keyless, &s.connection, &error)) {
    fs_log("%s", fs_str_text(&error));
    fs_str_free(&error);
    return EXIT_ENVIRONMENT;
  }
  if (!read_environment(&s)) return EXIT_USAGE;
  if (!fs_seal_init(&s.seal, s.connection.key)) return EXIT_ENVIRONMENT;
  fs_seal_scheme(&s.seal, s.connection.scheme);
  if (keyless && !*s.connection.key)
    fs_log("WITHOUT A KEY: whoever reaches the ports of %s runs code as you",
           s.connection.ip);
  keep_signatures(&s);
  warn_of_network(&s.connection);
  block_signals();
  if (!listen_all(&s) || !start_threads(&s, thread)) return EXIT_ENVIRONMENT;
  wait_for_end(&s, parent);
  remove_files(&s);
  stop_threads(&s, thread);
  fs_guard_free(&s);
  fs_seal_free(&s.seal);
  return 0;
}

int main(int argc, char **argv) {
  const char *path = NULL;
  bool keyless = false;
  if (argc > 1 && !strcmp(argv[1], "--worker"))
    return fs_worker_main(argc, argv);
  if (argc > 1 && !strcmp(argv[1], "--rank")) return fs_session_follow(true);
  for (int k = 1; k < argc; k++) {
    if (!strcmp(argv[k], "--help") || !strcmp(argv[k], "-h")) {
      fputs(usage, stdout);
      return 0;
    } else if (!strcmp(argv[k], "--version")) {
      puts("fusible-kernel " FS_VERSION);
      return 0;
    } else if (!strcmp(argv[k], "--no-key")) {
      keyless = true;
    } else if (!strcmp(argv[k], "-f") && k + 1 < argc && !path) {
      path = argv[++k];
    } else if (*argv[k] != '-' && !path) {
      path = argv[k];
    } else { /* `jupyter run file.fs` hands the file's name on */
      fs_log("an argument without a meaning here: %s", argv[k]);
    }
  }
  if (path) return serve(path, keyless);
  fputs(usage, stderr);
  return EXIT_USAGE;
}
