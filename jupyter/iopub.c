/* iopub.c - the publisher: one thread owns the XPUB socket, so that what one
 * thread publishes arrives in its order. Text is gathered for a moment: a loop
 * of print() becomes few messages. */
#include <errno.h>
#include <stdio.h>
#include <zmq.h>

#include "jupyter/server.h"

#define IOPUB_DOOR "inproc://iopub"

enum {
  GATHER_MS = 50, GATHER_BYTES = 8 << 10,
  WELCOMES = 8,      /* topics that are welcomed in one go, at most ... */
  WELCOME_MS = 50,   /* ... after which others wait for so long         */
  TOPIC_BYTES = 511  /* how long one may be                             */
};

static const double WELCOME_SECONDS = .01; /* spent on who subscribes, in one round */

enum kind { MESSAGE, TEXT, FLUSH };

/* One thing to publish, on its way to the publisher. */
struct item {
  enum kind kind;
  char type[32];         /* of the message; of TEXT the stream */
  struct fs_str parent, metadata, content;
};

static void item_free(struct item *i) {
  fs_str_free(&i->parent);
  fs_str_free(&i->metadata);
  fs_str_free(&i->content);
  free(i);
}

/* -- the side of the other threads ------------------------------------------- */

void *fs_iopub_port(struct fs_server *s) {
  void *port = fs_net_inproc(s, ZMQ_DEALER, IOPUB_DOOR, false);
  return port;
}

static struct item *new_item(enum kind kind, const char *type,
                             const struct fs_request *parent) {
  struct item *i = fs_calloc(1, sizeof *i);
  i->kind = kind;
  snprintf(i->type, sizeof i->type, "%s", type);
  if (parent) fs_str_put(&i->parent, parent->header, parent->header_len);
  else fs_str_puts(&i->parent, "{}");
  return i;
}

void fs_publish(void *port, const struct fs_request *parent, const char *type,
                json_t *content, json_t *metadata) {
  struct item *i = new_item(MESSAGE, type, parent);
  fs_json_put(content, &i->content);
  fs_json_put(metadata, &i->metadata);
  json_decref(content);
  json_decref(metadata);
  fs_net_pass(port, i);
}

void fs_publish_text(void *port, const struct fs_request *parent,
                     const char *stream, const char *text, size_t len) {
  if (!len) return;
  struct item *i = new_item(TEXT, stream, parent);
  fs_str_put(&i->content, text, len);
  fs_net_pass(port, i);
}

void fs_publish_status(void *port, const struct fs_request *parent,
                       const char *state) {
  fs_publish(port, parent, "status",
             json_pack("{ss}", "execution_state", state), NULL);
}

void fs_publish_flush(void *port) {
  fs_net_pass(port, new_item(FLUSH, "", NULL));
  struct item *answer = fs_net_take(port, true);
  if (answer) item_free(answer);
}

/* -- the publisher ----------------------------------------------------------- */

/* What a subscriber asked for. */
struct topic {
  size_t len;
  char name[TOPIC_BYTES];
};

struct publisher {
  struct fs_server *s;
  void *out, *in;
  struct item *text;     /* gathered so far, or NULL */
  double since;
  struct topic topics[WELCOMES]; /* that are to be welcomed ...               */
  int topics_n;
  double welcomed_at;    /* ... and when some were, last                      */
  double until;          /* when those who subscribe have had their time of a round */
};

static void send_message(struct publisher *p, const char *type,
                         const struct fs_part *topic, const char *parent,
                         size_t parent_len, const struct fs_str *metadata,
                         const struct fs_str *content) {
  struct fs_str header = {0};
  char signature[FS_SEAL_HEX];
  fs_seal_header(&p->s->seal, type, &header);
  const char *meta = metadata && metadata->len ? metadata->data : "{}";
  struct fs_part parts[4] = {{header.data, header.len}, {parent, parent_len},
                              {meta, strlen(meta)},
                              {content->data, content->len}};
  fs_seal_sign(&p->s->seal, parts, signature);
  zmq_send(p->out, topic->data, topic->len, ZMQ_SNDMORE);
  zmq_send(p->out, "<IDS|MSG>", 9, ZMQ_SNDMORE);
  zmq_send(p->out, signature, strlen(signature), ZMQ_SNDMORE);
  for (int k = 0; k < 4; k++)
    zmq_send(p->out, parts[k].data, parts[k].len, k < 3 ? ZMQ_SNDMORE : 0);
  fs_guard_published(p->s, header.len + parent_len + content->len);
  fs_str_free(&header);
}

static void send_item(struct publisher *p, const struct item *i) {
  char topic[96];
  int len = snprintf(topic, sizeof topic, "kernel.%s.%s", p->s->seal.session,
                     i->type);
  send_message(p, i->type, &(struct fs_part){topic, (size_t)len},
               i->parent.data, i->parent.len, &i->metadata, &i->content);
}

/* Bytes at the end that are the beginning of a character: they wait for the
 * rest. */
static size_t whole_characters(const char *text, size_t len) {
  size_t at = len;
  while (at && len - at < 4 && ((unsigned char)text[at - 1] & 0xc0) == 0x80)
    at--;
  if (!at) return len;
  unsigned char first = (unsigned char)text[at - 1];
  size_t wants = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return len - (at - 1) < wants ? at - 1 : len;
}

/* The text that was gathered, as one message; `all`: also half a character. */
static void send_text(struct publisher *p, bool all) {
  struct item *i = p->text;
  if (!i) return;
  p->text = NULL;
  size_t len = all ? i->content.len
                   : whole_characters(i->content.data, i->content.len);
  struct item *rest = NULL;
  if (len < i->content.len) {
    rest = new_item(TEXT, i->type, NULL);
    fs_str_clear(&rest->parent);
    fs_str_put(&rest->parent, i->parent.data, i->parent.len);
    fs_str_put(&rest->content, i->content.data + len, i->content.len - len);
  }
  if (len) {
    json_t *text = json_stringn(i->content.data, len);
    if (!text) { /* no UTF-8: as visible escapes */
      struct fs_str safe = {0};
      fs_str_put_safe(&safe, i->content.data, len);
      text = json_stringn(fs_str_text(&safe), safe.len);
      fs_str_free(&safe);
    }
    json_t *content = json_pack("{ss so}", "name", i->type, "text", text);
    fs_str_clear(&i->content);
    fs_json_put(content, &i->content);
    json_decref(content);
    snprintf(i->type, sizeof i->type, "stream");
    send_item(p, i);
  }
  item_free(i);
  p->text = rest;
  p->since = fs_now();
}

static void gather(struct publisher *p, struct item *i) {
  struct item *old = p->text;
  bool same = old && !strcmp(old->type, i->type) &&
              old->parent.len == i->parent.len &&
              !memcmp(old->parent.data, i->parent.data, i->parent.len);
  if (!same) {
    send_text(p, true);
    p->text = i;
    p->since = fs_now();
  } else {
    fs_str_put(&old->content, i->content.data, i->content.len);
    item_free(i);
  }
  if (p->text->content.len >= GATHER_BYTES) send_text(p, false);
}

/* Tells the subscribers of a topic, before anything else, that they are some. */
static void send_welcome(struct publisher *p, const struct topic *t) {
  json_t *name = json_stringn(t->name, t->len);
  if (!name) return;
  json_t *content = json_pack("{so}", "subscription", name);
  struct fs_str text = {0};
  fs_json_put(content, &text);
  send_message(p, "iopub_welcome", &(struct fs_part){t->name, t->len}, "{}", 2, NULL,
               &text);
  fs_str_free(&text);
  json_decref(content);
}

/* `t` is to be welcomed. There is room for the empty topic at any time. */
static void note_topic(struct publisher *p, const struct topic *t) {
  for (int k = 0; k < p->topics_n; k++)
    if (p->topics[k].len == t->len && !memcmp(p->topics[k].name, t->name, t->len)) return;
  if (p->topics_n < (t->len ? WELCOMES - 1 : WELCOMES)) p->topics[p->topics_n++] = *t;
}

/* Milliseconds until topics may be welcomed again. */
static double welcome_wait(const struct publisher *p) {
  return WELCOME_MS - 1000 * (fs_now() - p->welcomed_at);
}

/* New subscribers: what they ask for is taken at once, as the library keeps without a
 * limit what is not; each topic is welcomed once, for all of its subscribers, and no
 * more than WELCOMES of them in WELCOME_MS: a welcome goes to every subscriber that its
 * topic fits, so a peer who asks for thousands would keep the others busy with them.
 * Every real client asks for the empty topic. An event is one byte, 1 for a subscription,
 * and the topic. */
static void welcome(struct publisher *p) {
  char event[1 + TOPIC_BYTES];
  int n;
  while (fs_now() < p->until &&
         (n = zmq_recv(p->out, event, sizeof event, ZMQ_DONTWAIT)) >= 0) {
    if (n < 1 || n > (int)sizeof event || event[0] != 1) continue;
    struct topic t = {.len = (size_t)n - 1};
    memcpy(t.name, event + 1, t.len);
    note_topic(p, &t);
  }
  if (!p->topics_n || welcome_wait(p) > 0) return;
  for (int k = 0; k < p->topics_n; k++) send_welcome(p, &p->topics[k]);
  p->topics_n = 0;
  p->welcomed_at = fs_now();
}

/* One item from the door, with the address of the port that it came through. */
static bool take_item(struct publisher *p) {
  char id[256];
  int n = zmq_recv(p->in, id, sizeof id, ZMQ_DONTWAIT);
  if (n < 0) return false;
  struct item *i = fs_net_take(p->in, true);
  if (!i) return false;
  if (i->kind == TEXT) {
    gather(p, i);
    return true;
  }
  welcome(p);
  send_text(p, true);
  if (i->kind == MESSAGE) {
    send_item(p, i);
    item_free(i);
  } else {
    zmq_send(p->in, id, (size_t)n, ZMQ_SNDMORE);
    fs_net_pass(p->in, i);
  }
  return true;
}

/* Milliseconds that the publisher may sleep, -1: until something comes. */
static long may_sleep(const struct publisher *p) {
  double left = 1e9;
  if (p->text) left = GATHER_MS - 1000 * (fs_now() - p->since);
  if (p->topics_n) left = FS_MIN(left, welcome_wait(p));
  return left > 1e8 ? -1 : left > 0 ? (long)left + 1 : 0;
}

void *fs_iopub_run(void *server) {
  struct publisher p = {.s = server, .welcomed_at = -1};
  p.out = p.s->socket[FS_IOPUB];
  p.in = fs_net_inproc(p.s, ZMQ_ROUTER, IOPUB_DOOR, true);
  zmq_pollitem_t items[] = {{p.in, 0, ZMQ_POLLIN, 0}, {p.out, 0, ZMQ_POLLIN, 0}};
  for (;;) {
    if (zmq_poll(items, 2, may_sleep(&p)) < 0 && errno != EINTR) break;
    p.until = fs_now() + WELCOME_SECONDS;
    welcome(&p);
    for (int k = 0; k < 256 && take_item(&p); k++) {}
    if (p.text && 1000 * (fs_now() - p.since) >= GATHER_MS) send_text(&p, false);
  }
  if (p.text) item_free(p.text);
  zmq_close(p.in);
  zmq_close(p.out);
  return NULL;
}
