/* wire.c - see wire.h. */
#include "core/worker/wire.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEADER = 8, PIECE = 256 << 10, KEPT = 1 << 20 };

void fs_wire_free(struct fs_wire *w) {
  if (w->fd >= 0) close(w->fd);
  fs_str_free(&w->in);
  fs_str_free(&w->out);
  *w = (struct fs_wire){.fd = -1};
}

/* -- reading --------------------------------------------------------------- */

/* Forgets what was used of a buffer; after something large also its memory. */
static void drop_used(struct fs_str *s, size_t *used) {
  if (!*used) return;
  s->len -= *used;
  if (s->len) memmove(s->data, s->data + *used, s->len);
  else if (s->cap > KEPT) fs_str_free(s);
  *used = 0;
}

static uint32_t number_at(const char *p) {
  const unsigned char *b = (const unsigned char *)p;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
         (uint32_t)b[3] << 24;
}

enum fs_wire_status fs_wire_next(struct fs_wire *w, struct fs_frame *frame) {
  size_t have = w->in.len - w->taken;
  *frame = (struct fs_frame){NULL};
  if (have < HEADER) return FS_WIRE_NOTHING;
  const char *at = w->in.data + w->taken;
  uint32_t head = number_at(at), blob = number_at(at + 4);
  if (head > FS_WIRE_HEAD_MAX || blob > FS_WIRE_BLOB_MAX) return FS_WIRE_BROKEN;
  if (have - HEADER < (size_t)head + blob) return FS_WIRE_NOTHING;
  frame->head = json_loadb(at + HEADER, head, JSON_REJECT_DUPLICATES, NULL);
  w->taken += HEADER + (size_t)head + blob;
  if (!json_is_object(frame->head)) {
    json_decref(frame->head);
    frame->head = NULL;
    return FS_WIRE_BROKEN;
  }
  frame->blob = at + HEADER + head;
  frame->len = blob;
  return FS_WIRE_FRAME;
}

bool fs_wire_fill(struct fs_wire *w) {
  char *piece = fs_malloc(PIECE);
  ssize_t n;
  drop_used(&w->in, &w->taken);
  do n = recv(w->fd, piece, PIECE, MSG_DONTWAIT);
  while (n < 0 && errno == EINTR);
  bool nothing = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  if (n > 0) fs_str_put(&w->in, piece, (size_t)n);
  free(piece);
  return n > 0 || nothing;
}

/* -- writing --------------------------------------------------------------- */

static void put_number(struct fs_str *s, size_t value) {
  char bytes[4];
  for (int k = 0; k < 4; k++) bytes[k] = (char)(value >> 8 * k & 0xff);
  fs_str_put(s, bytes, sizeof bytes);
}

bool fs_wire_put(struct fs_wire *w, const json_t *head, const char *blob,
                 size_t len) {
  char *text = json_dumps(head, JSON_COMPACT);
  size_t head_len = text ? strlen(text) : 0;
  bool fits = text && head_len <= FS_WIRE_HEAD_MAX && len <= FS_WIRE_BLOB_MAX;
  if (fits) {
    drop_used(&w->out, &w->sent);
    put_number(&w->out, head_len);
    put_number(&w->out, len);
    fs_str_put(&w->out, text, head_len);
    if (len) fs_str_put(&w->out, blob, len);
  }
  free(text);
  return fits;
}

bool fs_wire_pending(const struct fs_wire *w) { return w->sent < w->out.len; }

bool fs_wire_flush(struct fs_wire *w, bool wait) {
  while (fs_wire_pending(w)) {
    ssize_t n = send(w->fd, w->out.data + w->sent, w->out.len - w->sent,
                     MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      w->sent += (size_t)n;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!wait) return true;
      poll(&(struct pollfd){.fd = w->fd, .events = POLLOUT}, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  drop_used(&w->out, &w->sent);
  return true;
}
