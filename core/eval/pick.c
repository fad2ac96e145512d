/* pick.c - s[i] of what has elements and is on the host: strings. */
#include <math.h>

#include "core/eval/interp.h"

/* Positions from 1: a number, a range or a list of them. */
struct picked {
  bool one;            /* an element itself, not what has one */
  int64_t n;
  double start, step;
  double *list;        /* or NULL: from `start` on by `step` */
};

static enum fs_status check_place(struct fs_interp *in, double x, int64_t extent,
                                  const struct fs_val *base, struct fs_span span) {
  if (x != floor(x))
    return fs_in_error(in, span, "not-whole", NULL, "an index must be a whole number, not %s",
                       fs_number_text(x));
  if (x >= 1 && x <= (double)extent) return FS_OK;
  return fs_in_error(in, span, "out-of-range", x == 0 ? "indices count from 1" : NULL,
                     "index %s is out of range: %s has %lld element%s", fs_number_text(x),
                     fs_val_text(base), (long long)extent, extent == 1 ? "" : "s");
}

static enum fs_status read_range(struct fs_interp *in, const struct fs_val *v, int64_t extent,
                                 const struct fs_val *base, struct fs_span span,
                                 struct picked *p) {
  p->n = fs_range_count(v);
  p->start = v->start;
  p->step = v->step;
  if (!p->n) return FS_OK;
  enum fs_status st = check_place(in, v->start, extent, base, span);
  double last = v->start + v->step * (double)(p->n - 1);
  return st == FS_OK ? check_place(in, last, extent, base, span) : st;
}

/* A mask or a list of positions, which are read. */
static enum fs_status read_list(struct fs_interp *in, const struct fs_val *v, int64_t extent,
                                const struct fs_val *base, struct fs_span span,
                                struct picked *p) {
  int64_t n = 0;
  enum fs_status st = fs_read_all(in, v->tensor, &p->list, &n);
  if (st != FS_OK) return st;
  bool mask = v->tensor->dtype == FS_BOOL;
  if (mask && n != extent)
    return fs_in_error(in, span, "shape-mismatch", NULL,
                       "the mask has %lld truth values for %lld elements", (long long)n,
                       (long long)extent);
  for (int64_t k = 0; k < n && st == FS_OK; k++) {
    if (!mask) st = check_place(in, p->list[k], extent, base, span);
    if (!mask) p->n++;
    else if (p->list[k] != 0) p->list[p->n++] = (double)(k + 1);
  }
  return st;
}

static enum fs_status read_picked(struct fs_interp *in, const struct fs_val *v, int64_t extent,
                                  const struct fs_val *base, struct fs_span span,
                                  struct picked *p) {
  *p = (struct picked){.start = 1, .step = 1, .n = extent};
  if (v->kind == FS_V_NONE) return FS_OK;
  if (v->kind == FS_V_RANGE) return read_range(in, v, extent, base, span, p);
  if (v->kind == FS_V_BOOL)
    return fs_in_error(in, span, "bad-index", NULL,
                       "an index must be a number, not a truth value");
  p->n = 0;
  if (v->kind == FS_V_TENSOR && v->tensor->shape.rank > 0)
    return read_list(in, v, extent, base, span, p);
  p->one = true;
  p->n = 1;
  enum fs_status st = fs_read_number(in, v, span, "an index", &p->start);
  return st == FS_OK ? check_place(in, p->start, extent, base, span) : st;
}

/* Element k of those picked, from 0. */
static size_t place_of(const struct picked *p, int64_t k) {
  return (size_t)(p->list ? p->list[k] : p->start + (double)k * p->step) - 1;
}

static struct fs_val pick_text(struct fs_string *s, const struct picked *p) {
  struct fs_str out = {0};
  if (!p->list && p->step == 1 && p->n) {
    size_t from = fs_string_place(s, place_of(p, 0));
    return fs_val_string(s->text + from, fs_string_place(s, place_of(p, p->n - 1) + 1) - from);
  }
  for (int64_t k = 0; k < p->n; k++) {
    size_t from = fs_string_place(s, place_of(p, k)), to = fs_string_place(s, place_of(p, k) + 1);
    fs_str_put(&out, s->text + from, to - from);
  }
  struct fs_val v = fs_val_string(fs_str_text(&out), out.len);
  fs_str_free(&out);
  return v;
}

int64_t fs_pick_extent(const struct fs_val *base) {
  return (int64_t)fs_string_count(base->string);
}

enum fs_status fs_pick(struct fs_interp *in, const struct fs_val *base, const struct fs_val *sub,
                       struct fs_span span, struct fs_val *out) {
  struct picked p;
  enum fs_status st = read_picked(in, sub, fs_pick_extent(base), base, span, &p);
  if (st == FS_OK) *out = pick_text(base->string, &p);
  free(p.list);
  return st;
}
