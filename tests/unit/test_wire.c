/* test_wire.c - frames between a front and its worker, byte by byte: how they look,
 * in which pieces they may come, how large they may be, and who does not read. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/worker/wire.h"

static int passed, failed;

static void check(bool ok, const char *what) {
  if (ok) passed++;
  else failed++, printf("FAILED: %s\n", what);
}

/* A wire without a socket, to which this came. */
static struct fs_wire came(const void *bytes, size_t len) {
  struct fs_wire w = {.fd = -1};
  fs_str_put(&w.in, bytes, len);
  return w;
}

static enum fs_wire_status first_of(const void *bytes, size_t len) {
  struct fs_wire w = came(bytes, len);
  struct fs_frame f;
  enum fs_wire_status st = fs_wire_next(&w, &f);
  check(f.head == NULL || st == FS_WIRE_FRAME, "only a frame has a head");
  json_decref(f.head);
  fs_wire_free(&w);
  return st;
}

/* -- bytes --------------------------------------------------------------------- */

static void test_bytes(void) {
  struct fs_wire w = {.fd = -1};
  json_t *head = json_pack("{s:i}", "a", 1);
  check(fs_wire_put(&w, head, "xy\0z", 4), "a frame");
  check(w.out.len == 8 + 7 + 4 && !memcmp(w.out.data, "\7\0\0\0\4\0\0\0{\"a\":1}xy\0z", 19),
        "its bytes");
  check(fs_wire_pending(&w), "it waits");
  fs_wire_free(&w);
  check(!fs_wire_pending(&w) && w.fd == -1, "and is gone");
  json_decref(head);
}

/* Lengths of all four bytes, in both places. */
static void test_lengths(void) {
  enum { LEN = 0x010203 };
  struct fs_wire w = {.fd = -1};
  struct fs_frame f;
  char *text = fs_malloc(LEN + 1);
  memset(text, 'x', LEN);
  text[LEN] = 0;
  json_t *head = json_pack("{s:s}", "a", text);
  check(fs_wire_put(&w, head, text, LEN), "a large frame");
  check(!memcmp(w.out.data, "\x0b\2\1\0\3\2\1\0", 8), "lengths are little endian");
  fs_str_put(&w.in, w.out.data, w.out.len);
  check(fs_wire_next(&w, &f) == FS_WIRE_FRAME && f.len == LEN && json_equal(f.head, head),
        "and read again");
  json_decref(f.head);
  json_decref(head);
  fs_wire_free(&w);
  free(text);
}

static void test_limits(void) {
  check(first_of("", 0) == FS_WIRE_NOTHING, "no bytes");
  check(first_of("\2\0\0\0\0\0\0", 7) == FS_WIRE_NOTHING, "a part of the lengths");
  check(first_of("\2\0\0\0\0\0\0\0{", 9) == FS_WIRE_NOTHING, "a part of the head");
  check(first_of("\2\0\0\0\1\0\0\0{}", 10) == FS_WIRE_NOTHING, "the blob is missing");
  check(first_of("\2\0\0\0\0\0\0\0{}", 10) == FS_WIRE_FRAME, "all of it");
  check(first_of("\0\0\0\0\0\0\0\0", 8) == FS_WIRE_BROKEN, "no head");
  check(first_of("\0\0\0\4\0\0\0\0", 8) == FS_WIRE_NOTHING, "the largest head");
  check(first_of("\1\0\0\4\0\0\0\0", 8) == FS_WIRE_BROKEN, "a larger one");
  check(first_of("\2\0\0\0\0\0\0\x10", 8) == FS_WIRE_NOTHING, "the largest blob");
  check(first_of("\2\0\0\0\1\0\0\x10", 8) == FS_WIRE_BROKEN, "a larger one");
  check(first_of("\2\0\0\0\0\0\0\0[]", 10) == FS_WIRE_BROKEN, "no object");
  check(first_of("\2\0\0\0\0\0\0\0{x", 10) == FS_WIRE_BROKEN, "no JSON");
  check(first_of("\x0d\0\0\0\0\0\0\0{\"a\":1,\"a\":2}", 21) == FS_WIRE_BROKEN,
        "a key that is there twice");
}

/* What is too large, or no object, is not sent; nothing of it stays. */
static void test_too_large(void) {
  struct fs_wire w = {.fd = -1};
  json_t *head = json_object();
  check(!fs_wire_put(&w, head, "", (size_t)FS_WIRE_BLOB_MAX + 1), "a blob that is too large");
  char *text = fs_malloc(FS_WIRE_HEAD_MAX + 1);
  memset(text, 'x', FS_WIRE_HEAD_MAX);
  text[FS_WIRE_HEAD_MAX] = 0;
  json_object_set_new(head, "a", json_string(text));
  free(text);
  check(!fs_wire_put(&w, head, NULL, 0), "a head that is too large");
  check(!fs_wire_put(&w, NULL, NULL, 0), "no head");
  check(!fs_wire_pending(&w) && !w.out.len, "nothing waits");
  json_decref(head);
  fs_wire_free(&w);
}

/* Several in one piece; each blob is there until the next is asked for. */
static void test_several(void) {
  static const char bytes[] = "\2\0\0\0\2\0\0\0{}ab\2\0\0\0\1\0\0\0{}c\2\0\0";
  struct fs_wire w = came(bytes, sizeof bytes - 1);
  struct fs_frame f;
  check(fs_wire_next(&w, &f) == FS_WIRE_FRAME && f.len == 2 && !memcmp(f.blob, "ab", 2),
        "the first");
  json_decref(f.head);
  check(fs_wire_next(&w, &f) == FS_WIRE_FRAME && f.len == 1 && *f.blob == 'c', "the second");
  json_decref(f.head);
  check(fs_wire_next(&w, &f) == FS_WIRE_NOTHING && w.in.len - w.taken == 3, "a rest");
  fs_wire_free(&w);
  check(!w.taken && !w.sent, "that is forgotten with the wire");
}

/* -- sockets ------------------------------------------------------------------- */

struct pair { struct fs_wire a, b; };

static struct pair connected(void) {
  int fd[2] = {-1, -1};
  check(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd), "sockets");
  return (struct pair){{.fd = fd[0]}, {.fd = fd[1]}};
}

static void test_pieces(void) {
  struct pair p = connected();
  struct fs_frame f;
  check(fs_wire_fill(&p.b) && fs_wire_next(&p.b, &f) == FS_WIRE_NOTHING, "nothing yet");
  static const char bytes[] = "\7\0\0\0\1\0\0\0{\"a\":1}x";
  for (size_t k = 0; k < sizeof bytes - 1; k++) {
    check(fs_wire_next(&p.b, &f) == FS_WIRE_NOTHING, "not all of it");
    if (send(p.a.fd, bytes + k, 1, 0) != 1) check(false, "a byte is sent");
    check(fs_wire_fill(&p.b), "a byte comes");
  }
  check(fs_wire_next(&p.b, &f) == FS_WIRE_FRAME && *f.blob == 'x', "the last byte");
  json_decref(f.head);
  fs_wire_fill(&p.b);
  check(!p.b.in.len && !p.b.taken, "what was taken is dropped");
  fs_wire_free(&p.a);
  check(!fs_wire_fill(&p.b), "the other end is closed");
  check(!fs_wire_put(&p.b, NULL, NULL, 0) && fs_wire_flush(&p.b, true), "nothing to send");
  json_t *head = json_object();
  fs_wire_put(&p.b, head, NULL, 0);
  check(!fs_wire_flush(&p.b, true), "nobody reads");
  json_decref(head);
  fs_wire_free(&p.b);
}

enum { FRAMES = 40, LARGE = 300000 };

/* Takes frames until all are there; a signal may come in between. */
static void *reader(void *user) {
  struct fs_wire *w = user;
  struct fs_frame f;
  intptr_t good = 0;
  for (int n = 0; n < FRAMES;) {
    enum fs_wire_status st = fs_wire_next(w, &f);
    if (st == FS_WIRE_BROKEN) break;
    if (st == FS_WIRE_FRAME) {
      bool right = f.len == LARGE && f.blob[0] == (char)n && f.blob[LARGE - 1] == (char)n;
      good += right && json_integer_value(json_object_get(f.head, "n")) == n;
      json_decref(f.head);
      n++;
    } else if (!fs_wire_fill(w)) {
      break;
    }
    usleep(100);
  }
  return (void *)good;
}

/* More than a socket holds: without waiting a part of it goes, with it all. */
static void test_flood(void) {
  struct pair p = connected();
  pthread_t thread;
  char *blob = fs_malloc(LARGE);
  for (int k = 0; k < FRAMES; k++) {
    json_t *head = json_pack("{s:i}", "n", k);
    memset(blob, k, LARGE);
    fs_wire_put(&p.a, head, blob, LARGE);
    json_decref(head);
  }
  check(fs_wire_flush(&p.a, false) && fs_wire_pending(&p.a) && p.a.sent > 0,
        "a part goes without waiting");
  size_t waits = p.a.out.len - p.a.sent;
  json_t *none = json_object();
  fs_wire_put(&p.a, none, NULL, 0); /* behind what waits */
  json_decref(none);
  check(p.a.out.len - p.a.sent == waits + 10, "the rest is still there");
  void *good = NULL;
  pthread_create(&thread, NULL, reader, &p.b);
  check(fs_wire_flush(&p.a, true) && !fs_wire_pending(&p.a), "all goes with waiting");
  check(!p.a.out.len && p.a.out.cap <= 1 << 20, "and its memory is given back");
  pthread_join(thread, &good);
  check((intptr_t)good == FRAMES, "and comes as it was");
  free(blob);
  fs_wire_free(&p.a);
  fs_wire_free(&p.b);
}

int main(void) {
  signal(SIGPIPE, SIG_DFL); /* a wire that is closed must not raise it */
  test_bytes();
  test_lengths();
  test_limits();
  test_too_large();
  test_several();
  test_pieces();
  test_flood();
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
