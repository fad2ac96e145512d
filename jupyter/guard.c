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
#include <limits.h>
#include <linux/filter.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "jupyter/server.h"

enum {
  HELD = 3 << 20,          /* bytes of unproven peers, not taken yet           */
  TOPICS = 8 << 10, TOPICS_A_SECOND = 256, /* bytes that a subscriber may send */
  UNREAD = 24 << 20,       /* bytes that a subscriber may leave unread ...     */
  STALLED = 1,             /* ... once it has read nothing for so many seconds, */
  ALL_UNREAD = 48 << 20,   /* and all of these together                        */
  FRAME = 9,               /* bytes before a frame, at most; encrypted, more:  */
  SEALED = 64,
  HANDSHAKE = 512,         /* bytes, at most, that nobody takes; encrypted:    */
  SEALED_HANDSHAKE = 4096,
  STRANGERS = 128,         /* unproven connections of a channel, at most       */
  CUT = 64,                /* ... and such that were cut off, before new ones wait */
  CHECKED = 4 << 20, CHECKED_A_SECOND = 8 << 20, /* bytes of theirs whose signature ... */
  SHORT = 4 << 10,         /* ... is checked, but for short messages           */
  FILES = 4096, OTHER_FILES = 128, /* descriptors: wanted, and not of connections */
  PAUSE_MS = 2, IDLE_MS = 250
};

static const double LEAVING = 0.3, /* seconds until the library has let go   */
                    MUTE = 1;      /* seconds in which whoever is heard is taken from */

struct peer {
  int fd, ours;            /* the library's descriptor, which it may close; a copy; -1: cut */
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
  FS_VEC(int) places;         /* of the peer with each descriptor, from 1; 0: none */
  int listener[FS_CHANNELS];  /* a copy of the library's descriptor; -1 */
  int cut;                    /* of the peers        */
  bool closed;                /* nobody is let in    */
  int strangers;              /* STRANGERS, or as many as there are descriptors for */
  double checked, checked_at; /* bytes of theirs, of late */
  void *monitor[FS_CHANNELS]; /* the guard thread's */
  atomic_ullong published;    /* bytes on IOPub     */
  double left_at;             /* when a proven client's shell went last */
  bool unheard;               /* a peer was cut off that the library does not read ... */
  double told_at;             /* ... and when the log was last told so */
};

/* -- connections --------------------------------------------------------------- */

/* The place of the library's descriptor, or -1. Each message asks. */
static int find(const struct fs_guard *g, int fd) {
  return fd >= 0 && fd < g->places.len ? g->places.data[fd] - 1 : -1;
}

static bool is_cut(const struct peer *p) { return p->ours < 0; }

/* While the library has not let go of those who were cut off, nobody new is let in: who
 * connects faster than it closes would take all descriptors. The system drops what asks for
 * a connection, and a client asks again after a second. */
static void open_or_close(struct fs_guard *g) {
  bool closed = g->cut > (g->closed ? CUT / 2 : CUT);
  struct sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
  struct sock_fprog all = {1, &drop};
  if (closed == g->closed) return;
  for (int k = 0; k < FS_CHANNELS; k++)
    setsockopt(g->listener[k], SOL_SOCKET, closed ? SO_ATTACH_FILTER : SO_DETACH_FILTER, &all,
               sizeof all);
  g->closed = closed;
}

static void forget(struct fs_guard *g, int k) {
  struct peer *p = &g->peers.data[k];
  if (p->proven && p->channel == FS_SHELL) g->left_at = fs_now();
  if (!is_cut(p)) close(p->ours);
  else g->cut--;
  g->places.data[p->fd] = 0;
  *p = g->peers.data[--g->peers.len];
  if (k < g->peers.len) g->places.data[p->fd] = k + 1;
  open_or_close(g);
}

/* The library sees the end of the connection once what it has read of it was taken. What it
 * has not read goes at once. */
static void cut(struct fs_guard *g, struct peer *p) {
  if (is_cut(p)) return;
  shutdown(p->ours, SHUT_RDWR);
  while (recv(p->ours, NULL, INT_MAX, MSG_TRUNC | MSG_DONTWAIT) > 0)
    ;
  close(p->ours);
  p->ours = -1;
  g->cut++;
  open_or_close(g);
}

/* Of the unproven connections of a channel one more than there may be: on shell and
 * control the oldest goes, as a client shows at once that it has the key, and comes again
 * if it had nothing to say; elsewhere the newest, which keeps those who are there. */
static void make_room(struct fs_guard *g, enum fs_channel channel) {
  struct peer *oldest = NULL, *newest = NULL;
  int n = 0;
  for (int k = 0; k < g->peers.len; k++) {
    struct peer *p = &g->peers.data[k];
    if (p->channel != channel || p->proven || is_cut(p)) continue;
    if (!oldest || p->since < oldest->since) oldest = p;
    if (!newest || p->since >= newest->since) newest = p;
    n++;
  }
  if (n > g->strangers)
    cut(g, channel == FS_SHELL || channel == FS_CONTROL ? oldest : newest);
}

static void meet(struct fs_guard *g, enum fs_channel channel, int fd) {
  int old = find(g, fd), ours = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (old >= 0) forget(g, old);
  if (ours < 0) return; /* gone already */
  while (g->places.len <= fd) *FS_PUSH(&g->places) = 0;
  double now = fs_now();
  *FS_PUSH(&g->peers) = (struct peer){
      .fd = fd, .ours = ours, .channel = channel, .since = now, .read_at = now, .heard_at = now,
      .published = atomic_load(&g->published)};
  g->places.data[fd] = g->peers.len;
  make_room(g, channel);
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
    if (what == ZMQ_EVENT_LISTENING) g->listener[channel] = fcntl(value, F_DUPFD_CLOEXEC, 0);
    else if (what == ZMQ_EVENT_ACCEPTED) meet(g, channel, value);
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

/* Bytes that wait for a subscriber who has read nothing of late. */
static uint64_t leaves_unread(const struct fs_guard *g, struct peer *p,
                              const struct tcp_info *sizes) {
  int queued = 0;
  double now = fs_now();
  if (sizes->tcpi_bytes_acked != p->acked || ioctl(p->ours, TIOCOUTQ, &queued) ||
      !queued) {
    p->acked = sizes->tcpi_bytes_acked;
    p->read_at = now;
    return 0;
  }
  uint64_t sent = atomic_load(&g->published) - p->published;
  return now - p->read_at > STALLED && sent > p->acked ? sent - p->acked : 0;
}

/* Subscribers. A message that waits costs as much for each of them as a short one has
 * bytes. Whether there is something to read. */
static bool check_subscribers(struct fs_guard *g) {
  struct peer *worst = NULL;
  uint64_t all = 0, most = 0;
  bool waits = false;
  for (int k = 0; k < g->peers.len; k++) {
    struct peer *p = &g->peers.data[k];
    struct tcp_info sizes;
    if (p->channel != FS_IOPUB || is_cut(p) || !sizes_of(p, &sizes)) continue;
    uint64_t unread = leaves_unread(g, p, &sizes);
    if (talks_too_much(p, &sizes) || unread > UNREAD) cut(g, p);
    else all += unread;
    if (!is_cut(p) && unread > most) most = unread, worst = p;
    waits |= sizes.tcpi_notsent_bytes > 0;
  }
  if (all > ALL_UNREAD && worst) cut(g, worst);
  return waits;
}

/* With the lock held. Whether somebody has not read, or not been read, yet. */
static bool check(struct fs_guard *g, uint64_t handshake) {
  struct peer *worst = NULL;
  uint64_t all = 0, most = 0;
  bool waits = check_subscribers(g);
  for (int k = 0; k < g->peers.len; k++) {
    struct peer *p = &g->peers.data[k];
    struct tcp_info sizes;
    if (p->channel == FS_IOPUB || is_cut(p) || !sizes_of(p, &sizes)) continue;
    uint64_t held = p->proven ? 0 : holds(p, &sizes);
    all += held;
    if (held > most) most = held, worst = p;
    if (held <= handshake) p->heard_at = fs_now();
    else if (fs_now() - p->heard_at > MUTE) cut(g, p), g->unheard = true;
    waits |= held > handshake;
  }
  if (all > HELD && worst) cut(g, worst);
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

/* A signature takes longer to check than its bytes take to arrive; of who was cut off none
 * is, so that the library soon comes to the end of what it has read. */
bool fs_guard_may_check(struct fs_server *s, int fd, size_t bytes) {
  struct fs_guard *g = s->guard;
  pthread_mutex_lock(&g->lock);
  int k = find(g, fd);
  bool gone = k >= 0 && is_cut(&g->peers.data[k]);
  bool may = !gone && (bytes <= SHORT || (k >= 0 && g->peers.data[k].proven));
  if (!may && !gone) {
    double now = fs_now();
    g->checked = FS_MAX(0.0, g->checked - CHECKED_A_SECOND * (now - g->checked_at));
    g->checked_at = now;
    may = g->checked + (double)bytes <= CHECKED;
    if (may) g->checked += (double)bytes;
  }
  pthread_mutex_unlock(&g->lock);
  return may;
}

void fs_guard_not_ours(struct fs_server *s, int fd) {
  struct fs_guard *g = s->guard;
  pthread_mutex_lock(&g->lock);
  int k = find(g, fd);
  if (k >= 0 && !g->peers.data[k].proven) cut(g, &g->peers.data[k]);
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
    any = p->proven && p->channel == FS_SHELL && !is_cut(p) &&
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
      cut(g, &g->peers.data[k]);
  pthread_mutex_unlock(&g->lock);
}

void fs_guard_published(struct fs_server *s, size_t bytes) {
  atomic_fetch_add(&s->guard->published, bytes);
}

/* -- the thread ------------------------------------------------------------------- */

/* How many strangers there are descriptors for: two a connection, the library's and
 * ours. Who opens more than the system gives would keep clients out. */
static int room_for_strangers(void) {
  struct rlimit files = {1024, 1024};
  getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur < FILES) {
    files.rlim_cur = FS_MIN(files.rlim_max, (rlim_t)FILES);
    setrlimit(RLIMIT_NOFILE, &files);
    getrlimit(RLIMIT_NOFILE, &files);
  }
  int each = ((int)FS_MIN(files.rlim_cur, (rlim_t)FILES) - OTHER_FILES) / (2 * FS_CHANNELS);
  return FS_MAX(4, FS_MIN(each, (int)STRANGERS));
}

bool fs_guard_open(struct fs_server *s) {
  struct fs_guard *g = s->guard = fs_calloc(1, sizeof *g);
  char address[32];
  g->strangers = room_for_strangers();
  pthread_mutex_init(&g->lock, NULL);
  for (int k = 0; k < FS_CHANNELS; k++) {
    snprintf(address, sizeof address, "inproc://monitor-%d", k);
    g->listener[k] = -1;
    if (zmq_socket_monitor(s->socket[k], address,
                           ZMQ_EVENT_LISTENING | ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_CLOSED |
                               ZMQ_EVENT_DISCONNECTED))
      return false;
    g->monitor[k] = fs_net_inproc(s, ZMQ_PAIR, address, false);
    if (!g->monitor[k]) return false;
  }
  return true;
}

/* Who is not read cannot be answered either: only the log can be told, at most once a
 * second. */
static void tell_unheard(struct fs_guard *g) {
  double now = fs_now();
  if (g->unheard && (!g->told_at || now - g->told_at >= 1)) {
    fs_log("a client was cut off, as what it sends cannot be read: another client has its "
           "routing id, or its message does not end");
    g->told_at = now;
  }
  g->unheard = false;
}

/* Waits for news of connections, or for what arrives on one. */
static bool await(struct fs_guard *g, bool waits) {
  FS_VEC(zmq_pollitem_t) items = {NULL, 0, 0};
  for (int k = 0; k < FS_CHANNELS; k++)
    *FS_PUSH(&items) = (zmq_pollitem_t){g->monitor[k], 0, ZMQ_POLLIN, 0};
  pthread_mutex_lock(&g->lock);
  for (int k = 0; k < g->peers.len; k++)
    if (!is_cut(&g->peers.data[k]))
      *FS_PUSH(&items) = (zmq_pollitem_t){NULL, g->peers.data[k].ours, ZMQ_POLLIN, 0};
  pthread_mutex_unlock(&g->lock);
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
    tell_unheard(g);
    nanosleep(&(struct timespec){0, PAUSE_MS * 1000000}, NULL);
  }
  for (int k = 0; k < FS_CHANNELS; k++) {
    zmq_close(g->monitor[k]);
    if (g->listener[k] >= 0) close(g->listener[k]);
  }
  while (g->peers.len) forget(g, g->peers.len - 1);
  return NULL;
}

void fs_guard_free(struct fs_server *s) {
  if (!s->guard) return;
  FS_VEC_FREE(&s->guard->peers);
  FS_VEC_FREE(&s->guard->places);
  pthread_mutex_destroy(&s->guard->lock);
  free(s->guard);
  s->guard = NULL;
}
