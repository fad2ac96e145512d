/* tcp.c - ranks that Slurm or torchrun started, perhaps on several hosts: each has a connection
 * to rank 0, which gathers what all bring and sends it to all.
 *
 * Every message begins with its length, so that ranks which came for different things notice. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/ranks/ranks.h"

enum { USUAL_WAIT = 30, RETRY_MS = 100, MAGIC = 0x46735231 };

struct hello {
  uint32_t magic;
  int32_t rank, size;
};

static struct {
  int fd[FS_MOST_RANKS];     /* of rank 0: to each other; of others [0]: to rank 0; -1: none */
  int rank, size;
} net;

static char words[320];      /* what went wrong */

/* -- who takes part ------------------------------------------------------------------ */

struct start {
  int rank, size, port;
  char host[256];            /* of rank 0 */
};

static bool number(const char *name, int *out) {
  const char *value = getenv(name);
  char *end = NULL;
  long k = value ? strtol(value, &end, 10) : -1;
  *out = (int)k;
  return value && end != value && !*end && k >= 0 && k < 1 << 30;
}

/* torchrun's own server has MASTER_PORT; then the next one is free. */
static bool by_torchrun(struct start *s) {
  const char *host = getenv("MASTER_ADDR"), *agent = getenv("TORCHELASTIC_USE_AGENT_STORE");
  if (!host || !number("RANK", &s->rank) || !number("WORLD_SIZE", &s->size) ||
      !number("MASTER_PORT", &s->port))
    return false;
  if (agent && !strcasecmp(agent, "true")) s->port++;
  snprintf(s->host, sizeof s->host, "%s", host);
  return s->size > 1;
}

/* "node07" of "node[07-12,19],other". */
static void first_host(const char *list, char *out, size_t size) {
  size_t n = strcspn(list, "[,");
  size_t digits = list[n] == '[' ? strcspn(list + n + 1, "-,]") : 0;
  snprintf(out, size, "%.*s%.*s", (int)n, list, (int)digits, list + n + (digits > 0));
}

/* A script of sbatch has SLURM_PROCID as well; only what srun starts has a step. */
static bool by_slurm(struct start *s) {
  const char *hosts = getenv("SLURM_STEP_NODELIST"), *given = getenv("MASTER_ADDR");
  int job = 0, step = 0;
  if (!hosts) hosts = getenv("SLURM_JOB_NODELIST");
  if (!number("SLURM_STEP_ID", &step) || !number("SLURM_PROCID", &s->rank) ||
      !(number("SLURM_STEP_NUM_TASKS", &s->size) || number("SLURM_NTASKS", &s->size)) ||
      !(hosts || given))
    return false;
  if (given) snprintf(s->host, sizeof s->host, "%s", given);
  else first_host(hosts, s->host, sizeof s->host);
  number("SLURM_JOB_ID", &job);
  if (!number("MASTER_PORT", &s->port)) s->port = 20000 + (job + 7 * step) % 12000;
  return s->size > 1;
}

/* -- bytes --------------------------------------------------------------------------- */

static bool failed(void) {
  bool silent = errno == ETIMEDOUT || errno == EHOSTUNREACH || errno == ENETUNREACH;
  if (silent)
    snprintf(words, sizeof words, "the host of another rank has not answered for %d s",
             USUAL_WAIT);
  return false;
}

static bool put(int fd, const void *data, size_t bytes) {
  for (const char *at = data; bytes;) {
    ssize_t n = send(fd, at, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return failed();
    at += n, bytes -= (size_t)n;
  }
  return true;
}

static bool get(int fd, void *data, size_t bytes) {
  errno = 0;
  for (char *at = data; bytes;) {
    ssize_t n = recv(fd, at, bytes, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return failed();
    at += n, bytes -= (size_t)n;
  }
  return true;
}

static bool send_piece(int fd, const void *data, size_t bytes) {
  uint64_t n = bytes;
  return put(fd, &n, sizeof n) && put(fd, data, bytes);
}

static bool receive_piece(int fd, void *data, size_t bytes) {
  uint64_t n;
  return get(fd, &n, sizeof n) && n == bytes && get(fd, data, bytes);
}

static bool gather(void *all, size_t block) {
  char *bytes = all;
  if (net.rank)
    return send_piece(net.fd[0], bytes + (size_t)net.rank * block, block) &&
           receive_piece(net.fd[0], all, block * (size_t)net.size);
  for (int r = 1; r < net.size; r++)
    if (!receive_piece(net.fd[r], bytes + (size_t)r * block, block)) return false;
  for (int r = 1; r < net.size; r++)
    if (!send_piece(net.fd[r], all, block * (size_t)net.size)) return false;
  return true;
}

static bool share(void *data, size_t bytes) {
  if (net.rank) return receive_piece(net.fd[0], data, bytes);
  for (int r = 1; r < net.size; r++)
    if (!send_piece(net.fd[r], data, bytes)) return false;
  return true;
}

static void end(void) {
  for (int r = 0; r < FS_MOST_RANKS; r++) {
    if (net.fd[r] >= 0) close(net.fd[r]);
    net.fd[r] = -1;
  }
}

static const struct fs_carrier carrier = {"TCP", gather, share, end, words};

/* -- connections --------------------------------------------------------------------- */

static int wait_seconds(void) {
  int seconds;
  return number("FUSIBLE_RANKS_WAIT", &seconds) ? seconds : USUAL_WAIT;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A connection to a host that went silent ends by itself. */
static void prepare(int fd) {
  int yes = 1, idle = USUAL_WAIT / 3, each = USUAL_WAIT / 6, count = 4, ms = USUAL_WAIT * 1000;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &each, sizeof each);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms);
}

/* What a connection says at first must come within some seconds; then there is no limit. */
static void limit(int fd, int seconds) {
  struct timeval t = {.tv_sec = seconds};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
}

static int connect_to(const struct addrinfo *list) {
  for (const struct addrinfo *a = list; a; a = a->ai_next) {
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) continue;
    int code = connect(fd, a->ai_addr, a->ai_addrlen) ? errno : 0;
    struct pollfd p = {fd, POLLOUT, 0};
    socklen_t size = sizeof code;
    if (code == EINPROGRESS && poll(&p, 1, 1000) == 1)
      getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size);
    if (!code && !fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK)) return fd;
    close(fd);
  }
  return -1;
}

/* Rank 0 may begin later than this one. */
static bool join_leader(const struct start *s, double deadline) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
  struct hello me = {MAGIC, s->rank, s->size};
  char port[16];
  int fd = -1;
  snprintf(port, sizeof port, "%d", s->port);
  while (fd < 0 && now() < deadline) {
    if (!list && getaddrinfo(s->host, port, &hints, &list)) list = NULL;
    if (list) fd = connect_to(list);
    if (fd < 0) poll(NULL, 0, RETRY_MS);
  }
  if (list) freeaddrinfo(list);
  if (fd >= 0) net.fd[0] = fd;
  return fd >= 0 && put(fd, &me, sizeof me);
}

static int listen_at(int port) {
  int yes = 1, no = 0, fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
  struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  bool old = fd < 0;
  if (old) fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (!old) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  bool good = !(old ? bind(fd, (struct sockaddr *)&four, sizeof four)
                    : bind(fd, (struct sockaddr *)&six, sizeof six)) &&
              !listen(fd, FS_MOST_RANKS);
  if (good) return fd;
  close(fd);
  return -1;
}

/* One more of the others; who says something else than they do is sent away. */
static bool admit(int listener, const struct start *s) {
  struct hello other;
  int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (fd < 0) return false;
  limit(fd, 2);
  bool good = get(fd, &other, sizeof other) && other.magic == MAGIC && other.size == s->size &&
              other.rank > 0 && other.rank < s->size && net.fd[other.rank] < 0;
  limit(fd, 0);
  if (good) net.fd[other.rank] = fd;
  else close(fd);
  return good;
}

static bool await_others(const struct start *s, double deadline) {
  int listener = listen_at(s->port), there = 1;
  if (listener < 0) {
    snprintf(words, sizeof words, "rank 0 cannot listen at port %d: %s", s->port,
             strerror(errno));
    return false;
  }
  while (there < s->size && now() < deadline) {
    struct pollfd p = {listener, POLLIN, 0};
    if (poll(&p, 1, RETRY_MS) == 1) there += admit(listener, s);
  }
  close(listener);
  for (int r = 1; r < s->size && there < s->size; r++)
    if (net.fd[r] < 0) {
      snprintf(words, sizeof words, "rank %d did not answer within %d s", r, wait_seconds());
      return false;
    }
  return true;
}

const struct fs_carrier *fs_tcp_start(int *rank, int *size, const char **error) {
  struct start s = {0};
  *error = NULL;
  if (!by_torchrun(&s) && !by_slurm(&s)) return NULL;
  *error = words;
  if (s.size > FS_MOST_RANKS || s.rank >= s.size || s.port < 1 || s.port > 65535) {
    snprintf(words, sizeof words, "there can be no rank %d of %d at port %d, of %d ranks at most",
             s.rank, s.size, s.port, FS_MOST_RANKS);
    return NULL;
  }
  for (int r = 0; r < FS_MOST_RANKS; r++) net.fd[r] = -1;
  net.rank = s.rank, net.size = s.size;
  double deadline = now() + wait_seconds();
  if (s.rank && !join_leader(&s, deadline))
    snprintf(words, sizeof words, "rank 0 at %.200s, port %d, did not answer within %d s", s.host,
             s.port, wait_seconds());
  else if (s.rank || await_others(&s, deadline)) {
    for (int r = 0; r < s.size; r++)
      if (net.fd[r] >= 0) prepare(net.fd[r]);
    *rank = s.rank, *size = s.size;
    *error = NULL, *words = 0;
    return &carrier;
  }
  end();
  return NULL;
}
