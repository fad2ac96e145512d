/* text.c - lines, loops and small strings of the generated text. */
#include <limits.h>
#include <stdio.h>

#include "core/emit/writer.h"

/* Keeps a text in the arena. */
static const char *keep(struct em *em, const char *fmt, va_list args) FS_PRINTF(2, 0);
static const char *keep(struct em *em, const char *fmt, va_list args) {
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, fmt, again);
  size_t n = (size_t)FS_MAX(0, length) + 1;
  va_end(again);
  char *text = fs_arena_alloc(em->w.arena, n);
  vsnprintf(text, n, fmt, args);
  return text;
}

/* The statement gets the unrolling that was asked for. */
static struct fs_lp *add(struct em *em, struct fs_lp *x) {
  x->unroll = em->w.unroll;
  em->w.unroll = FS_LP_UNROLL_AS_IT_IS;
  return x;
}

void em_line(struct em *em, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  add(em, fs_lp_add(&em->w, FS_LP_TEXT, keep(em, fmt, args)));
  va_end(args);
}

void em_say(struct em *em, enum fs_lp_kind kind, const struct fs_step *s, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  add(em, fs_lp_add(&em->w, kind, keep(em, fmt, args)))->step = s;
  va_end(args);
}

void em_line_in(struct em *em, int shift, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  add(em, fs_lp_add(&em->w, FS_LP_TEXT, keep(em, fmt, args)))->shift = shift;
  va_end(args);
}

void em_block(struct em *em, const char *note) {
  fs_lp_open(&em->w, FS_LP_BLOCK, NULL)->note = note;
}

void em_if(struct em *em, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fs_lp_open(&em->w, FS_LP_IF, keep(em, fmt, args));
  va_end(args);
}

void em_if_bare(struct em *em, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fs_lp_open(&em->w, FS_LP_IF, keep(em, fmt, args))->bare = true;
  va_end(args);
}

void em_else(struct em *em, const char *note) { fs_lp_else(&em->w, note); }

void em_loop(struct em *em, enum fs_lp_axis axis, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  add(em, fs_lp_open(&em->w, FS_LP_FOR, keep(em, fmt, args)))->axis = axis;
  va_end(args);
}

void em_function(struct em *em, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fs_lp_open(&em->w, FS_LP_FUNCTION, keep(em, fmt, args));
  va_end(args);
}

void em_close(struct em *em) { fs_lp_close(&em->w); }

void em_unroll(struct em *em, int rounds) { em->w.unroll = rounds; }

void em_for(struct em *em, const char *var, int count) {
  enum fs_lp_axis axis = *var == 'b'   ? FS_LP_ROW
                         : *var == 'c' ? FS_LP_VECTOR
                         : *var == 'e' ? FS_LP_LANE
                                       : FS_LP_SERIAL;
  if (count <= 1) return;
  em_unroll(em, FS_LP_UNROLL_ALL);
  em_loop(em, axis, "int %s = 0; %s < %d; %s++", var, var, count, var);
  em->w.at->extent = count;
}

void em_close_for(struct em *em, int count) {
  if (count > 1) em_close(em);
}

const char *em_fmt(struct em *em, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  const char *text = keep(em, fmt, args);
  va_end(args);
  return text;
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
  if (em->how->any_size && x > 1) return em_size(em, x);
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
  if (b && em->how->rows > 1) fs_str_printf(&s, "[%d]", em->how->rows);
  if (c && em->how->vectors > 1) fs_str_printf(&s, "[%d]", em->how->vectors);
  if (lanes > 1) fs_str_printf(&s, "[%d]", lanes);
  const char *text = fs_arena_strndup(em->w.arena, fs_str_text(&s), s.len);
  fs_str_free(&s);
  return text;
}

const char *em_dims(struct em *em, bool b, bool c, bool e) {
  return dims(em, b, c, e ? em_lanes(em) : 1);
}

const char *em_acc_dims(struct em *em, bool b, bool c, bool e) {
  return dims(em, b, c, e ? em->how->lanes : 1);
}
