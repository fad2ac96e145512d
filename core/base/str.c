/* str.c - the string builder, and numbers as people read them. */
#include "core/base/base.h"

#include <math.h>
#include <stdio.h>

static void reserve(struct fs_str *s, size_t more) {
  size_t need = s->len + more + 1;
  if (need <= s->cap) return;
  size_t cap = FS_MAX(s->cap * (s->cap < 4096 ? 4 : 2), (size_t)128);
  if (cap < need) cap = need;
  s->data = fs_realloc(s->data, cap);
  s->cap = cap;
}

void fs_str_put(struct fs_str *s, const char *text, size_t len) {
  reserve(s, len);
  if (len) memcpy(s->data + s->len, text, len);
  s->len += len;
  s->data[s->len] = '\0';
}

void fs_str_puts(struct fs_str *s, const char *text) {
  fs_str_put(s, text, strlen(text));
}

void fs_str_vprintf(struct fs_str *s, const char *fmt, va_list args) {
  enum { AS_A_RULE = 64 }; /* most lines fit at once */
  va_list again;
  va_copy(again, args);
  reserve(s, AS_A_RULE);
  size_t room = s->cap - s->len;
  int len = vsnprintf(s->data + s->len, room, fmt, args);
  if (len >= 0 && (size_t)len >= room) {
    reserve(s, (size_t)len);
    vsnprintf(s->data + s->len, (size_t)len + 1, fmt, again);
  }
  if (len >= 0) s->len += (size_t)len;
  s->data[s->len] = '\0';
  va_end(again);
}

void fs_str_printf(struct fs_str *s, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fs_str_vprintf(s, fmt, args);
  va_end(args);
}

void fs_str_clear(struct fs_str *s) {
  s->len = 0;
  if (s->data) s->data[0] = '\0';
}

void fs_str_free(struct fs_str *s) {
  free(s->data);
  *s = (struct fs_str){0};
}

const char *fs_str_text(const struct fs_str *s) {
  return s->data ? s->data : "";
}

/* Three significant digits: 1.00 GiB, 64.0 KiB, 512 MiB. */
void fs_str_put_bytes(struct fs_str *s, double bytes) {
  static const char *const units[] = {"B",   "KiB", "MiB", "GiB",
                                      "TiB", "PiB", "EiB"};
  size_t unit = 0;
  /* 1023.5 would print as 1024 */
  while (bytes >= (unit ? 1023.5 : 1024) && unit + 1 < FS_LEN(units)) {
    bytes /= 1024;
    unit++;
  }
  int digits = unit == 0 ? 0 : bytes < 9.995 ? 2 : bytes < 99.95 ? 1 : 0;
  fs_str_printf(s, "%.*f %s", digits, bytes, units[unit]);
}

void fs_str_put_seconds(struct fs_str *s, double seconds) {
  if (isnan(seconds)) {
    fs_str_puts(s, "~");
    return;
  }
  const char *unit = "s";
  double value = seconds;
  if (fabs(seconds) < 1e-4) {
    fs_str_printf(s, "%.1f \xc2\xb5s", seconds * 1e6);
    return;
  }
  if (fabs(seconds) < 0.9995) {
    unit = "ms";
    value = seconds * 1e3;
  }
  double size = fabs(value);
  int digits = size < 9.9995 ? 3 : size < 99.995 ? 2 : 1;
  fs_str_printf(s, "%.*f %s", digits, value, unit);
}

/* The bytes of the line up to the end of a sentence; 0: it goes on. */
static size_t sentence_end(const char *line, size_t len) {
  for (size_t k = 0; k < len; k++)
    if (line[k] == '.' && (k + 1 == len || line[k + 1] == ' ') && (!k || line[k - 1] != '.'))
      return k + 1;
  return 0;
}

void fs_str_put_sentence(struct fs_str *s, const char *comment) {
  struct fs_str sentence = {0};
  size_t first = 0, ended = 0;
  bool several = strchr(comment, '\n');
  for (const char *at = comment; *at && !ended;) {
    at += strspn(at, "# ");
    size_t len = strcspn(at, "\n");
    if (several) ended = sentence_end(at, len);
    if (first) fs_str_puts(&sentence, " ");
    fs_str_put(&sentence, at, ended ? ended : len);
    if (!first) first = sentence.len;
    at += len + (at[len] == '\n');
  }
  fs_str_put(s, fs_str_text(&sentence), several && !ended ? first : sentence.len);
  fs_str_free(&sentence);
}

static bool is_of_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

size_t fs_word_length(const char *p, const char *end) {
  size_t n = 0;
  while (p + n < end && is_of_word(p[n])) n++;
  return n;
}
