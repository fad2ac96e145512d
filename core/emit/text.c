/* text.c - lines, loops and small strings of the generated text. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/emit/writer.h"

/* The statement gets the unrolling that was asked for. */
static struct fs_lp *unrolled(const struct fs_writer *w, struct fs_lp *x) {
  x->unroll = w->lp->unroll;
  w->lp->unroll = FS_LP_UNROLL_AS_IT_IS;
  return x;
}

struct fs_lp *w_add(const struct fs_writer *w, enum fs_lp_kind kind, const struct fs_step *s,
                    const char *text) {
  struct fs_lp *x = unrolled(w, fs_lp_add(w->lp, kind, text));
  x->step = s;
  return x;
}

struct fs_lp *w_open(const struct fs_writer *w, enum fs_lp_kind kind, enum fs_lp_axis axis,
                     const char *text) {
  struct fs_lp *x = fs_lp_open(w->lp, kind, text);
  x->axis = axis;
  return kind == FS_LP_FOR ? unrolled(w, x) : x;
}

fs_steps w_marked(const struct fs_writer *w, const bool *marks) {
  return W_STEPS(w, s, marks[w_number(w, s)]);
}

void w_define(const struct fs_writer *w, enum fs_lp_kind kind, const struct fs_step *s, int v,
              const char *rhs) {
  w_say(w, kind, s, "const %s v%d = %s;", w_value_type(w_val(w, v)->dtype), v, rhs);
  fs_lp_declare(w->lp, w->lp->at->last, v, 0);
}

void w_unroll(const struct fs_writer *w, int rounds) { w->lp->unroll = rounds; }

void w_for(const struct fs_writer *w, const char *var, int count) {
  enum fs_lp_axis axis = *var == 'b'   ? FS_LP_ROW
                         : *var == 'c' ? FS_LP_VECTOR
                         : *var == 'e' ? FS_LP_LANE
                                       : FS_LP_SERIAL;
  if (count <= 1) {
    w_group(w);
    return;
  }
  w_unroll(w, FS_LP_UNROLL_ALL);
  const char *rounds = w_fmt(w, "int %s = 0; %s < %d; %s++", var, var, count, var);
  w_open(w, FS_LP_FOR, axis, axis == FS_LP_SERIAL ? rounds : NULL)->extent = count;
}

void w_for_in_braces(const struct fs_writer *w, const char *var, int count) {
  if (count <= 1) w_block(w, NULL);
  else w_for(w, var, count);
}

const char *w_fmt(const struct fs_writer *w, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  int length = vsnprintf(NULL, 0, fmt, args);
  va_end(args);
  size_t n = (size_t)FS_MAX(0, length) + 1;
  char *text = fs_arena_alloc(w->lp->arena, n);
  va_start(args, fmt);
  vsnprintf(text, n, fmt, args);
  va_end(args);
  return text;
}

const char *w_keep(const struct fs_writer *w, struct fs_str *s) {
  const char *text = fs_arena_strndup(w->lp->arena, fs_str_text(s), s->len);
  fs_str_free(s);
  return text;
}

const char *w_size(const struct fs_writer *w, int64_t x) {
  struct fs_emitted *o = w->args->out;
  int at = 0;
  while (at < o->n_sizes && o->sizes[at] != x) at++;
  if (at == o->n_sizes) {
    o->sizes = fs_realloc(o->sizes, sizeof *o->sizes * (size_t)++o->n_sizes);
    o->sizes[at] = x;
  }
  return w_fmt(w, "size%d", at);
}

const char *w_int(const struct fs_writer *w, int64_t x) {
  if (w->how->any_size && x < -1) return w_fmt(w, "-%s", w_size(w, -x));
  if (w->how->any_size && x > 1) return w_size(w, x);
  bool small = x >= -INT_MAX && x <= INT_MAX;
  return w_fmt(w, small ? "%lld" : "%lldLL", (long long)x);
}

const char *w_and(const struct fs_writer *w, const char *a, const char *b) {
  if (!*a) return b;
  if (!*b) return a;
  return w_fmt(w, "%s && %s", a, b);
}

static const char *dims(const struct fs_writer *w, unsigned over, int lanes) {
  struct fs_str s = {0};
  if (over & FS_LP_ROWS && w->how->rows > 1) fs_str_printf(&s, "[%d]", w->how->rows);
  if (over & FS_LP_VECTORS && w->how->vectors > 1) fs_str_printf(&s, "[%d]", w->how->vectors);
  if (over & FS_LP_LANES && lanes > 1) fs_str_printf(&s, "[%d]", lanes);
  return w_keep(w, &s);
}

const char *w_dims(const struct fs_writer *w, unsigned over) { return dims(w, over, w_lanes(w)); }

const char *w_acc_dims(const struct fs_writer *w, unsigned over) {
  return dims(w, over, w->how->lanes);
}
