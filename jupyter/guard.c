/* guard.c - the thread that watches connections: what a peer without the key sends
 * takes little memory, and a subscriber that does not read is let go.
 *
 * The library bounds one frame and the number of messages, but not the frames of a
 * message that never ends, nor bytes. So the guard hears of every connection (the
 * library's monitor tells its descriptor) and holds what the system has received on
 * it against what was taken from it as whole messages. A peer that has shown no signed
 * message may have HELD bytes in between, all of these together: each byte can cost
 * 32, as a frame of two bytes is an object of 64. It is woken by what arrives, so it
 * does nothing while nobody sends. Local sockets (ipc) tell no sizes: who reaches
 * those is this user.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "jupyter/server.h"

enum {
  HELD = 3 << 20,          /* bytes of unproven peers, not taken yet           */
  TOPICS = 8 << 10, TOPICS_A_SECOND = 256, /* bytes that a subscriber may send */
  UNREAD = 24 << 20,       /* bytes that a subscriber may leave unread ...     */
  STALLED = 1,             /* ... once it has read nothing for so many seconds */
  FRAME = 9,               /* bytes before a frame, at most; encrypted, more:  */
  SEALED = 64,
  HANDSHAKE = 512,         /* bytes, at most, that nobody takes; encrypted:    */
  SEALED_HANDSHAKE = 4096,
  PAUSE_MS = 2, IDLE_MS = 250
};

static const double LEAVING = 0.3, /* seconds until the library has let go   */
                    MUTE = 1;      /* seconds in which whoever is heard is taken from */

struct peer {
  int fd, ours;            /* the library's descriptor, which it may close; a copy */
  enum fs_channel channel;
  bool proven;             /* it has sent a signed message                 */
  uint64_t taken;          /* of what it sent                              */
  double since, heard_at;  /* when all that it had sent was taken  */
  uint64_t published;      /* by all, when it came                         */
  uint64_t acked;          /* of what it was sent, when it last read some: */
  double read_at;
};

struct fs_guard {
  pthread_mutex_t lock;
  FS_VEC(struct peer) peers;
  void *monitor[FS_CHANNELS]; /* the guard thread's */
  atomic_ullong published;    /* bytes on IOPub     */
  double left_at;             /* when a proven client's shell went last */
};

/* -- connections --------------------------------------------------------------- */

static int find(const struct fs_guard *g, int fd) {
  for (int k = g->peers.len - 1; k >= 0; k--)
    if (g->peers.data[k].fd == fd) return k;
  return -1;
}

static void forget(struct fs_guard *g, int k) {
  if (g->peers.data[k].proven && g->peers.data[k].channel == FS_SHELL)
    g->left_at = fs_now();
  close(g->peers.data[k].ours);
  g->peers.data[k] = g->peers.data[--g->peers.len];
}

/* The library sees the end of the connection and drops what it has of it. */
static void cut(struct peer *p) { shutdown(p->ours, SHUT_RDWR); }

static void meet(struct fs_guard *g, enum fs_channel channel, int fd) {
  int old = find(g, fd), ours = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (old >= 0) forget(g, old);
  if (ours < 0) return; /* gone already */
  double now = fs_now();
  *FS_PUSH(&g->peers) = (struct peer){
      .fd = fd, .ours = ours, .channel = channel, .since = now, .read_at = now, .heard_at = now,
      .published = atomic_load(&g->published)};
}

/* An event is two frames: its number and value, and an address. */
static void hear(struct fs_guard *g, enum fs_channel channel) {
  unsigned char event[6];
  while (zmq_recv(g->monitor[channel], event, sizeof event, ZMQ_DONTWAIT) == 6) {
    uint16_t what;
    int32_t value;
    char address[8];
    memcpy(&what, event, sizeof what);
    memcpy(&value, event + 2, sizeof value);
    zmq_recv(g->monitor[channel], address, sizeof address, 0);
    pthread_mutex_lock(&g->lock);
    int k = find(g, value);
    if (what == ZMQ_EVENT_ACCEPTED) meet(g, channel, value);
    else if (k >= 0) forget(g, k);
    pthread_mutex_unlock(&g->lock);
  }
}

/* -- what they hold ------------------------------------------------------------- */

static bool sizes_of(const struct peer *p, struct tcp_info *out) {
  socklen_t size = sizeof *out;
  memset(out, 0, sizeof *out);
  return !getsockopt(p->ours, IPPROTO_TCP, TCP_INFO, out, &size);
}

/* Bytes that it sent and nobody has taken. What was taken is counted generously. */
static uint64_t holds(struct peer *p, const struct tcp_info *sizes) {
  p->taken = FS_MIN(p->taken, sizes->tcpi_bytes_received);
  return sizes->tcpi_bytes_received - p->taken;
}

static bool talks_too_much(const struct peer *p, const struct tcp_info *sizes) {
  double may = TOPICS + TOPICS_A_SECOND * (fs_now() - p->since);
  return (double)sizes->tcpi_bytes_received > may;
}

static bool reads_nothing(const struct fs_guard *g, struct peer *p,
                          const struct tcp_info *sizes) {
  int queued = 0;
  double now = fs_now();
  if (sizes->tcpi_bytes_acked != p->acked || ioctl(p->ours, TIOCOUTQ, &queued) ||
      !queued) {
    p->acked = sizes->tcpi_bytes_acked;
    p->read_at = now;
    return false;
  }
  uint64_t sent = atomic_load(&g->published) - p->published;
  return now - p->read_at > STALLED && sent > p->acked + UNREAD;
}

/* With the lock held. Whether somebody has not read, or not been read, yet. */
static bool check(struct fs_guard *g, uint64_t handshake) {
  struct peer *worst = NULL;
  uint64_t all = 0, most = 0;
  bool waits = false;
  for (int k = 0; k < g->peers.len; k++) {
    struct peer *p = &g->peers.data[k];
    struct tcp_info sizes;
    if (!sizes_of(p, &sizes)) continue;
    if (p->channel == FS_IOPUB) {
      if (talks_too_much(p, &sizes) || reads_nothing(g, p, &sizes)) cut(p);
      waits |= sizes.tcpi_notsent_bytes > 0;
      continue;
    }
    uint64_t held = p->proven ? 0 : holds(p, &sizes);
    all += held;
    if (held > most) most = held, worst = p;
    /* Of somebody with another's routing id nothing is ever read. It may come again. */
    if (held <= handshake) p->heard_at = fs_now();
    else if (fs_now() - p->heard_at > MUTE) cut(p);
    waits |= held > handshake;
  }
  if (all > HELD && worst) cut(worst);
  return waits;
}

/* -- the other threads ------------------------------------------------------------ */

void fs_guard_took(struct fs_server *s, int fd, size_t bytes, int frames) {
  struct fs_guard *g = s->guard;
  size_t each = FRAME + (s->connection.curve ? SEALED : 0);
  pthread_mutex_lock(&g->lock);
  int k = find(g, fd);
  if (k >= 0) g->peers.data[k].taken += bytes + each * (size_t)frames;
  pthread_mutex_unlock(&g->lock);
}

void fs_guard_proven(struct fs_server *s, int fd) {
  struct fs_guard *g = s->guard;
  pthread_mutex_lock(&g->lock);
  int k = find(g, fd);
  if (k >= 0) g->peers.data[k].proven = true;
  pthread_mutex_unlock(&g->lock);
}

bool fs_guard_leaving(struct fs_server *s) {
  struct fs_guard *g = s->guard;
  char byte;
  pthread_mutex_lock(&g->lock);
  bool any = g->left_at > 0 && fs_now() - g->left_at < LEAVING;
  for (int k = 0; k < g->peers.len && !any; k++) {
    const struct peer *p = &g->peers.data[k];
    any = p->proven && p->channel == FS_SHELL &&
          recv(p->ours, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }
  pthread_mutex_unlock(&g->lock);
  return any;
}

void fs_guard_clear(struct fs_server *s, enum fs_channel channel) {
  struct fs_guard *g = s->guard;
  pthread_mutex_lock(&g->lock);
  for (int k = 0; k < g->peers.len; k++)
    if (g->peers.data[k].channel == channel && !g->peers.data[k].proven)
      cut(&g->peers.data[k]);
  pthread_mutex_unlock(&g->lock);
}

void fs_guard_published(struct fs_server *s, size_t bytes) {
  atomic_fetch_add(&s->guard->published, bytes);
}

/* -- the thread ------------------------------------------------------------------- */

bool fs_guard_open(struct fs_server *s) {
  struct fs_guard *g = s->guard = fs_calloc(1, sizeof *g);
  char address[32];
  pthread_mutex_init(&g->lock, NULL);
  for (int k = 0; k < FS_CHANNELS; k++) {
    snprintf(address, sizeof address, "inproc://monitor-%d", k);
    if (zmq_socket_monitor(s->socket[k], address,
                           ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_CLOSED |
                               ZMQ_EVENT_DISCONNECTED))
      return false;
    g->monitor[k] = fs_net_inproc(s, ZMQ_PAIR, address, false);
    if (!g->monitor[k]) return false;
  }
  return true;
}

/* Waits for news of connections, or for what arrives on one. */
static bool await(struct fs_guard *g, bool waits) {
  FS_VEC(zmq_pollitem_t) items = {NULL, 0, 0};
  for (int k = 0; k < FS_CHANNELS; k++)
    *FS_PUSH(&items) = (zmq_pollitem_t){g->monitor[k], 0, ZMQ_POLLIN, 0};
  for (int k = 0; k < g->peers.len; k++) /* only this thread changes their number */
    *FS_PUSH(&items) = (zmq_pollitem_t){NULL, g->peers.data[k].ours, ZMQ_POLLIN, 0};
  bool ok = zmq_poll(items.data, items.len, waits ? IDLE_MS : -1) >= 0 ||
            errno == EINTR;
  FS_VEC_FREE(&items);
  return ok;
}

void *fs_guard_run(void *server) {
  struct fs_server *s = server;
  struct fs_guard *g = s->guard;
  bool waits = false;
  while (await(g, waits)) {
    for (int k = 0; k < FS_CHANNELS; k++) hear(g, (enum fs_channel)k);
    pthread_mutex_lock(&g->lock);
    waits = check(g, s->connection.curve ? SEALED_HANDSHAKE : HANDSHAKE);
    pthread_mutex_unlock(&g->lock);
    nanosleep(&(struct timespec){0, PAUSE_MS * 1000000}, NULL);
  }
  for (int k = 0; k < FS_CHANNELS; k++) zmq_close(g->monitor[k]);
  while (g->peers.len) forget(g, g->peers.len - 1);
  return NULL;
}

void fs_guard_free(struct fs_server *s) {
  if (!s->guard) return;
  FS_VEC_FREE(&s->guard->peers);
  pthread_mutex_destroy(&s->guard->lock);
  free(s->guard);
  s->guard = NULL;
}
