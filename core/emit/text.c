/* text.c - lines, loops and small strings of the generated text. */
#include <limits.h>

#include "core/emit/writer.h"

static void put_indent(struct em *em) {
  for (int k = 0; k < em->indent; k++) fs_str_puts(em->s, "  ");
}

/* Where to break a text that is longer than `room`: at the last of those blanks
 * that lie in the fewest brackets. 0: nowhere. */
static size_t break_at(const char *text, size_t room) {
  size_t best = 0;
  int depth = 0, least = INT_MAX;
  for (size_t k = 0; k <= room; k++) {
    if (text[k] == '(' || text[k] == '[' || text[k] == '{') depth++;
    if (text[k] == ')' || text[k] == ']' || text[k] == '}') depth--;
    if (text[k] != ' ' || k <= room / 3 || depth > least) continue;
    best = k;
    least = depth;
  }
  return best;
}

/* Breaks a line that would go beyond column 80. */
static void put_wrapped(struct em *em, const char *text, size_t len) {
  int depth = em->indent;
  while (len > 0) {
    size_t room = 80 - 2 * (size_t)em->indent, cut = 0;
    if (len > room && strncmp(text, "//", 2) && text[0] != '#')
      cut = break_at(text, room);
    if (!cut) cut = len;
    put_indent(em);
    fs_str_put(em->s, text, cut);
    fs_str_puts(em->s, "\n");
    while (cut < len && text[cut] == ' ') cut++;
    text += cut;
    len -= cut;
    em->indent = depth + 2;
  }
  em->indent = depth;
}

static void put_line(struct em *em, const char *fmt, va_list args)
    FS_PRINTF(2, 0);
static void put_line(struct em *em, const char *fmt, va_list args) {
  fs_str_clear(&em->making);
  fs_str_vprintf(&em->making, fmt, args);
  put_wrapped(em, fs_str_text(&em->making), em->making.len);
}

void em_line(struct em *em, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  put_line(em, fmt, args);
  va_end(args);
}

void em_open(struct em *em, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  put_line(em, fmt, args);
  va_end(args);
  em->indent++;
}

void em_close(struct em *em) {
  em->indent--;
  em_line(em, "}");
}

void em_for(struct em *em, const char *var, int count) {
  if (count <= 1) return;
  fs_str_puts(em->s, "#pragma unroll\n");
  em_open(em, "for (int %s = 0; %s < %d; %s++) {", var, var, count, var);
}

void em_close_for(struct em *em, int count) {
  if (count > 1) em_close(em);
}

const char *em_fmt(struct em *em, const char *fmt, ...) {
  va_list args;
  fs_str_clear(&em->making);
  va_start(args, fmt);
  fs_str_vprintf(&em->making, fmt, args);
  va_end(args);
  return fs_arena_strndup(em->arena, fs_str_text(&em->making), em->making.len);
}

const char *em_size(struct em *em, int64_t x) {
  struct fs_emitted *o = em->out;
  int at = 0;
  while (at < o->n_sizes && o->sizes[at] != x) at++;
  if (at == o->n_sizes) {
    o->sizes = fs_realloc(o->sizes, sizeof *o->sizes * (size_t)++o->n_sizes);
    o->sizes[at] = x;
  }
  return em_fmt(em, "size%d", at);
}

const char *em_int(struct em *em, int64_t x) {
  if (em->any_size && x > 1) return em_size(em, x);
  bool small = x >= -INT_MAX && x <= INT_MAX;
  return em_fmt(em, small ? "%lld" : "%lldLL", (long long)x);
}

const char *em_and(struct em *em, const char *a, const char *b) {
  if (!*a) return b;
  if (!*b) return a;
  return em_fmt(em, "%s && %s", a, b);
}

static const char *dims(struct em *em, bool b, bool c, int lanes) {
  struct fs_str s = {0};
  if (b && em->B > 1) fs_str_printf(&s, "[%d]", em->B);
  if (c && em->C > 1) fs_str_printf(&s, "[%d]", em->C);
  if (lanes > 1) fs_str_printf(&s, "[%d]", lanes);
  const char *text = fs_arena_strndup(em->arena, fs_str_text(&s), s.len);
  fs_str_free(&s);
  return text;
}

const char *em_dims(struct em *em, bool b, bool c, bool e) {
  return dims(em, b, c, e ? em_lanes(em) : 1);
}

const char *em_acc_dims(struct em *em, bool b, bool c, bool e) {
  return dims(em, b, c, e ? em->V : 1);
}
