/* iopub.c - the publisher: one thread owns the XPUB socket, so that what one
 * thread publishes arrives in its order. Text is gathered for a moment: a loop
 * of print() becomes few messages. */
#include <errno.h>
#include <stdio.h>
#include <zmq.h>

#include "jupyter/server.h"

#define IOPUB_DOOR "inproc://iopub"

enum { GATHER_MS = 50, GATHER_BYTES = 8 << 10 };

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

struct publisher {
  struct fs_server *s;
  void *out, *in;
  struct item *text;     /* gathered so far, or NULL */
  double since;
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

/* A new subscriber: it is told, before anything else, that it is one. The event
 * is one byte, 1 for a subscription, and the topic. */
static void welcome(struct publisher *p) {
  char event[512];
  int n;
  while ((n = zmq_recv(p->out, event, sizeof event, ZMQ_DONTWAIT)) >= 0) {
    if (n < 1 || n > (int)sizeof event || event[0] != 1) continue;
    json_t *topic = json_stringn(event + 1, (size_t)n - 1);
    if (!topic) continue;
    json_t *content = json_pack("{so}", "subscription", topic);
    struct fs_str text = {0};
    fs_json_put(content, &text);
    send_message(p, "iopub_welcome",
                 &(struct fs_part){event + 1, (size_t)n - 1}, "{}", 2, NULL,
                 &text);
    fs_str_free(&text);
    json_decref(content);
  }
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

void *fs_iopub_run(void *server) {
  struct publisher p = {.s = server};
  p.out = p.s->socket[FS_IOPUB];
  p.in = fs_net_inproc(p.s, ZMQ_ROUTER, IOPUB_DOOR, true);
  zmq_pollitem_t items[] = {{p.in, 0, ZMQ_POLLIN, 0}, {p.out, 0, ZMQ_POLLIN, 0}};
  for (;;) {
    long wait = -1;
    if (p.text) {
      double left = GATHER_MS - 1000 * (fs_now() - p.since);
      wait = left > 0 ? (long)left + 1 : 0;
    }
    if (zmq_poll(items, 2, wait) < 0 && errno != EINTR) break;
    welcome(&p);
    for (int k = 0; k < 256 && take_item(&p); k++) {}
    if (p.text && 1000 * (fs_now() - p.since) >= GATHER_MS) send_text(&p, false);
  }
  if (p.text) item_free(p.text);
  zmq_close(p.in);
  zmq_close(p.out);
  return NULL;
}
