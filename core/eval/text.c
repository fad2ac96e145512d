/* text.c - strings as rows of code points: how many there are, and where one begins. */
#include "core/eval/interp.h"

/* What is no UTF-8 counts byte by byte. */
static size_t step(const char *text, size_t len) {
  uint32_t point;
  if (!((unsigned char)*text & 0x80)) return 1;
  int n = fs_utf8_decode(text, len, &point);
  return n > 0 ? (size_t)n : 1;
}

size_t fs_text_count(const char *text, size_t len) {
  size_t n = 0;
  for (size_t at = 0; at < len; n++) at += step(text + at, len - at);
  return n;
}

size_t fs_text_place(const char *text, size_t len, size_t count) {
  size_t at = 0;
  for (size_t n = 0; at < len && n < count; n++) at += step(text + at, len - at);
  return at;
}

/* Where every so many code points begin, so that a string is gone over once, not for each. */
enum { MARKED = 64 };

static void mark(struct fs_string *s) {
  if (s->counted) return;
  FS_VEC(size_t) marks = {0};
  size_t at = 0, n = 0;
  for (; at < s->len; n++) {
    if (n % MARKED == 0) *FS_PUSH(&marks) = at;
    at += step(s->text + at, s->len - at);
  }
  s->count = n;
  s->counted = true;
  if (n == s->len) FS_VEC_FREE(&marks); /* each is a byte */
  s->marks = marks.data;
}

size_t fs_string_count(struct fs_string *s) {
  mark(s);
  return s->count;
}

size_t fs_string_place(struct fs_string *s, size_t k) {
  mark(s);
  if (!s->marks) return k;
  if (k >= s->count) return s->len;
  size_t at = s->marks[k / MARKED];
  return at + fs_text_place(s->text + at, s->len - at, k % MARKED);
}
