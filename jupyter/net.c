/* net.c - sockets and messages on them; see server.h. */
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <zmq.h>

#include "jupyter/server.h"

enum {
  LINGER_MS = 1000,     /* for the last reply to leave     */
  HANDSHAKE_MS = 2000,  /* then a mute connection is closed */
  LARGE = 64 << 20, SMALL = 1 << 20, TINY = 4 << 10, TOPIC = 512,
  /* Messages that wait to be sent to a client, then further ones are dropped. Who sends
   * beats waits for each. */
  UNREAD = 8192, UNREAD_BEATS = 16,
  /* Messages of a client that the library reads ahead; further ones wait with it. */
  AHEAD = 16
};

static const struct {
  int type;
  int largest; /* message that is taken */
} kinds[FS_CHANNELS] = {
  [FS_SHELL] = {ZMQ_ROUTER, LARGE},
  [FS_IOPUB] = {ZMQ_XPUB, TOPIC},
  [FS_STDIN] = {ZMQ_ROUTER, SMALL},
  [FS_CONTROL] = {ZMQ_ROUTER, LARGE},
  [FS_HEART] = {ZMQ_ROUTER, TINY},
};

static void set_number(void *socket, int option, int value) {
  zmq_setsockopt(socket, option, &value, sizeof value);
}

/* False when the socket would not be as safe as the connection file wants it: keys of
 * other characters than Z85 has, or a library that is made without encryption. */
static bool set_options(struct fs_server *s, void *socket,
                        enum fs_channel channel) {
  int64_t largest = kinds[channel].largest;
  zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &largest, sizeof largest);
  set_number(socket, ZMQ_LINGER, LINGER_MS);
  set_number(socket, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS);
  set_number(socket, ZMQ_RCVHWM, AHEAD);
  set_number(socket, ZMQ_SNDHWM, channel == FS_HEART ? UNREAD_BEATS : UNREAD);
  if (channel == FS_STDIN) set_number(socket, ZMQ_ROUTER_MANDATORY, 1);
  if (kinds[channel].type == ZMQ_XPUB)
    set_number(socket, ZMQ_XPUB_VERBOSE, 1); /* welcome every subscriber */
  if (strchr(s->connection.ip, ':') && strcmp(s->connection.transport, "ipc"))
    set_number(socket, ZMQ_IPV6, 1);
  const struct fs_connection *c = &s->connection;
  int serves = 1;
  return !c->curve ||
         (!zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &serves, sizeof serves) &&
          !zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, c->curve_public, 41) &&
          !zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, c->curve_secret, 41));
}

void *fs_net_open(struct fs_server *s, enum fs_channel channel, struct fs_str *error) {
  void *socket = zmq_socket(s->zmq, kinds[channel].type);
  if (socket && set_options(s, socket, channel)) return socket;
  if (socket) {
    fs_str_puts(error, "the connection file's curve keys cannot be used");
    zmq_close(socket);
  } else {
    fs_str_printf(error, "cannot open a socket: %s", zmq_strerror(errno));
  }
  return NULL;
}

bool fs_net_bind(struct fs_server *s, enum fs_channel channel, struct fs_str *error) {
  struct fs_str endpoint = {0};
  fs_connection_endpoint(&s->connection, channel, &endpoint);
  bool bound = !zmq_bind(s->socket[channel], fs_str_text(&endpoint));
  if (!bound)
    fs_str_printf(error, "cannot listen at %s: %s", fs_str_text(&endpoint),
                  zmq_strerror(errno));
  fs_str_free(&endpoint);
  return bound;
}

int fs_net_fd(void *socket) {
  int fd = -1;
  size_t size = sizeof fd;
  zmq_getsockopt(socket, ZMQ_FD, &fd, &size);
  return fd;
}

/* Who has a routing id keeps it: anybody can ask for a client's, and would get its
 * replies. But a page that is reloaded comes with the id of its old connection, which
 * may still stand: when one is about to go, who comes may have its id. The library
 * looks at the option when it is asked for events, so here is where that is decided. */
bool fs_net_ready(struct fs_server *s, void *router) {
  int events = 0;
  size_t size = sizeof events;
  set_number(router, ZMQ_ROUTER_HANDOVER, fs_guard_leaving(s));
  return zmq_getsockopt(router, ZMQ_EVENTS, &events, &size) || events & ZMQ_POLLIN;
}

void *fs_net_inproc(struct fs_server *s, int type, const char *address,
                    bool bind) {
  void *socket = zmq_socket(s->zmq, type);
  if (!socket) return NULL;
  set_number(socket, ZMQ_LINGER, 0);
  if (!(bind ? zmq_bind(socket, address) : zmq_connect(socket, address)))
    return socket;
  zmq_close(socket);
  return NULL;
}

/* -- receiving --------------------------------------------------------------- */

/* All frames of a message, so that the next one begins at its first. */
enum fs_received fs_net_take_frames(struct fs_server *s, void *socket, int most,
                                    struct fs_frames *out) {
  int more = 1, frames = 0;
  size_t size = sizeof more, bytes = 0;
  *out = (struct fs_frames){.fd = -1};
  for (int flags = ZMQ_DONTWAIT; more; flags = 0) {
    zmq_msg_t message;
    zmq_msg_init(&message);
    int got;
    do got = zmq_msg_recv(&message, socket, flags);
    while (got < 0 && errno == EINTR);
    if (got < 0) return errno == EAGAIN ? FS_NOTHING : FS_CLOSED;
    zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size);
    bytes += zmq_msg_size(&message);
    frames++;
    if (frames > 1) out->fd = zmq_msg_get(&message, ZMQ_SRCFD); /* not of the id */
    if (out->n < most) out->message[out->n++] = message;
    else zmq_msg_close(&message), out->n = most + 1;
  }
  out->bytes = bytes;
  fs_guard_took(s, out->fd, bytes, frames);
  return FS_GOT;
}

static struct fs_request *keep(struct fs_message *m) {
  struct fs_request *r = fs_calloc(1, sizeof *r);
  for (int k = 0; k < m->n_ids; k++) {
    char *copy = fs_malloc(m->ids[k].len + 1);
    memcpy(copy, m->ids[k].data, m->ids[k].len);
    *FS_PUSH(&r->ids) = (struct fs_part){copy, m->ids[k].len};
  }
  r->header_len = m->raw_header.len;
  r->header = fs_malloc(r->header_len + 1);
  memcpy(r->header, m->raw_header.data, r->header_len);
  r->header[r->header_len] = 0;
  r->type = fs_strdup(m->type);
  const char *session = json_string_value(json_object_get(m->header, "session"));
  const char *subshell = json_string_value(json_object_get(m->header, "subshell_id"));
  const char *date = json_string_value(json_object_get(m->header, "date"));
  r->session = fs_strdup(session ? session : "");
  r->subshell = fs_strdup(subshell ? subshell : "");
  r->sent = date ? fs_seal_time(date) : -1;
  r->received = fs_seal_now();
  r->content = json_incref(m->content);
  r->metadata = json_incref(m->metadata);
  return r;
}

void fs_request_free(struct fs_request *r) {
  if (!r) return;
  for (int k = 0; k < r->ids.len; k++) free((char *)(uintptr_t)r->ids.data[k].data);
  FS_VEC_FREE(&r->ids);
  free(r->header);
  free(r->type);
  free(r->session);
  free(r->subshell);
  json_decref(r->content);
  json_decref(r->metadata);
  free(r);
}

/* At most one line a second, however many there are. */
static void log_dropped(struct fs_server *s, enum fs_seal_status why) {
  static _Atomic time_t last;
  static const char *const words[] = {
    [FS_SEAL_BAD_FRAMES] = "frames are missing",
    [FS_SEAL_BAD_SIGNATURE] = "its signature is wrong",
    [FS_SEAL_REPLAYED] = "it came before",
    [FS_SEAL_BAD_JSON] = "its JSON is wrong",
    [FS_SEAL_UNCHECKED] = "clients that have not shown the key send too much"};
  time_t now = time(NULL), then = atomic_load(&last);
  int n = atomic_fetch_add(&s->dropped, 1) + 1;
  if (now == then || !atomic_compare_exchange_strong(&last, &then, now))
    return;
  atomic_fetch_sub(&s->dropped, n);
  fs_log("%d message%s dropped; the last because %s", n, n == 1 ? "" : "s",
         words[why]);
}

void fs_net_drop_frames(struct fs_frames *f) {
  for (int k = 0; k < f->n && k < FS_SEAL_FRAMES; k++) zmq_msg_close(&f->message[k]);
}

enum fs_received fs_net_receive(struct fs_server *s, void *socket,
                                struct fs_request **gives) {
  struct fs_frames f;
  struct fs_message m;
  struct fs_part part[FS_SEAL_FRAMES];
  enum fs_received got = fs_net_take_frames(s, socket, FS_SEAL_FRAMES, &f);
  if (got == FS_GOT) {
    for (int k = 0; k < FS_MIN(f.n, FS_SEAL_FRAMES); k++)
      part[k] = (struct fs_part){zmq_msg_data(&f.message[k]),
                                 zmq_msg_size(&f.message[k])};
    enum fs_seal_status st = f.n > FS_SEAL_FRAMES ? FS_SEAL_BAD_FRAMES
                             : !fs_guard_may_check(s, f.fd, f.bytes)
                                 ? FS_SEAL_UNCHECKED
                                 : fs_message_read(&s->seal, part, f.n, &m);
    fs_log_unkept(s);
    if (st) {
      log_dropped(s, st);
      if (st == FS_SEAL_BAD_FRAMES || st == FS_SEAL_BAD_SIGNATURE)
        fs_guard_not_ours(s, f.fd);
      got = FS_DROPPED;
    } else {
      fs_guard_proven(s, f.fd);
      *gives = keep(&m);
      fs_message_free(&m);
    }
  }
  fs_net_drop_frames(&f);
  return got;
}

/* -- sending ----------------------------------------------------------------- */

bool fs_net_reply(struct fs_server *s, void *socket,
                  const struct fs_request *to, const char *type,
                  json_t *content, json_t *metadata) {
  struct fs_str header = {0}, meta = {0}, body = {0};
  char signature[FS_SEAL_HEX];
  fs_seal_header(&s->seal, type, &header);
  fs_json_put(metadata, &meta);
  fs_json_put(content, &body);
  struct fs_part parts[4] = {{header.data, header.len},
                              {to->header, to->header_len},
                              {meta.data, meta.len}, {body.data, body.len}};
  fs_seal_sign(&s->seal, parts, signature);
  bool there = true;
  for (int k = 0; k < to->ids.len && there; k++)
    there = zmq_send(socket, to->ids.data[k].data, to->ids.data[k].len,
                     ZMQ_SNDMORE | ZMQ_DONTWAIT) >= 0;
  if (there) {
    zmq_send(socket, FS_DELIMITER, strlen(FS_DELIMITER), ZMQ_SNDMORE);
    zmq_send(socket, signature, strlen(signature), ZMQ_SNDMORE);
  }
  for (int k = 0; k < 4 && there; k++)
    zmq_send(socket, parts[k].data, parts[k].len, k < 3 ? ZMQ_SNDMORE : 0);
  fs_str_free(&header);
  fs_str_free(&meta);
  fs_str_free(&body);
  json_decref(content);
  json_decref(metadata);
  return there;
}

/* The library that carries the pointers is not seen by the thread sanitizer: it
 * is told that what happened before the sending is seen by the receiver. */
#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#else
#define __tsan_acquire(address) (void)(address)
#define __tsan_release(address) (void)(address)
#endif

void fs_net_pass(void *socket, void *pointer) {
  __tsan_release(pointer);
  while (zmq_send(socket, &pointer, sizeof pointer, 0) < 0 && errno == EINTR) {}
}

void *fs_net_take(void *socket, bool wait) {
  void *pointer = NULL;
  int n;
  do n = zmq_recv(socket, &pointer, sizeof pointer, wait ? 0 : ZMQ_DONTWAIT);
  while (n < 0 && errno == EINTR);
  if (n != sizeof pointer) return NULL;
  __tsan_acquire(pointer);
  return pointer;
}
