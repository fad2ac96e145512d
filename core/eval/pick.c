/* pick.c - s[i] and s.x of what has elements and is on the host: strings, lists, records; and
 * changes of lists where they lie. */
#include <math.h>
#include <stdio.h>

#include "core/eval/interp.h"
#include "core/eval/list.h"

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

enum fs_status fs_list_check_depth(struct fs_interp *in, int depth, struct fs_span span) {
  if (depth <= FS_LIST_DEPTH) return FS_OK;
  return fs_in_error(in, span, "too-deep", NULL, "lists are nested more than %d deep",
                     FS_LIST_DEPTH);
}

struct names_of {
  const struct fs_list *list;
  int64_t k;
};

static const char *next_name(void *user) {
  struct names_of *n = user;
  return n->k < n->list->len ? n->list->names[n->k++] : NULL;
}

enum fs_status fs_list_no_field(struct fs_interp *in, const struct fs_list *l, const char *name,
                                struct fs_span span) {
  struct names_of names = {l, l->names ? 0 : l->len};
  const char *near = fs_near_miss(name, next_name, &names);
  char hint[300];
  snprintf(hint, sizeof hint, "did you mean '%.200s'?", near ? near : "");
  return fs_in_error(in, span, "unknown-field", near ? hint : NULL,
                     "the record has no field '%.200s'", name);
}

enum fs_status fs_list_field(struct fs_interp *in, const struct fs_val *base, const char *name,
                             struct fs_span span, struct fs_val *out) {
  if (base->kind != FS_V_RECORD)
    return fs_in_error(in, span, "wrong-type",
                       base->kind == FS_V_TENSOR
                           ? "functions are called: A', size(A), sum(x), not A.T, A.shape, x.sum()"
                           : "a record is {x = 1, y = 2}",
                       "only records have fields, and this is %s", fs_val_text(base));
  int64_t k = fs_list_find(base->list, name);
  if (k < 0) return fs_list_no_field(in, base->list, name, span);
  *out = fs_val_ref(base->list->items[k]);
  return FS_OK;
}

static struct fs_val pick_list(const struct fs_list *l, const struct picked *p) {
  if (p->one) return fs_val_ref(l->items[place_of(p, 0)]);
  struct fs_list *some = fs_list_new(p->n);
  for (int64_t k = 0; k < p->n; k++) fs_list_add(some, NULL, fs_val_ref(l->items[place_of(p, k)]));
  return (struct fs_val){.kind = FS_V_LIST, .list = some};
}

int64_t fs_pick_extent(const struct fs_val *base) {
  return base->kind == FS_V_STRING ? (int64_t)fs_string_count(base->string) : base->list->len;
}

enum fs_status fs_pick_place(struct fs_interp *in, const struct fs_val *base,
                             const struct fs_val *sub, struct fs_span span, bool add,
                             int64_t *out) {
  if (base->kind == FS_V_RECORD) {
    if (sub->kind != FS_V_STRING)
      return fs_in_error(in, span, "bad-index", "s.x, or s[\"x\"]",
                         "fields of a record have names, and this is %s", fs_val_text(sub));
    *out = fs_list_find(base->list, sub->string->text);
    if (*out >= 0) return FS_OK;
    *out = base->list->len;
    return add ? FS_OK : fs_list_no_field(in, base->list, sub->string->text, span);
  }
  struct picked p;
  enum fs_status st = read_picked(in, sub, base->list->len + add, base, span, &p);
  if (st == FS_OK && !p.one)
    st = fs_in_error(in, span, "bad-index", NULL, "one element of a list is assigned at a time");
  if (st == FS_OK) *out = (int64_t)p.start - 1;
  free(p.list);
  return st;
}

enum fs_status fs_pick(struct fs_interp *in, const struct fs_val *base, const struct fs_val *sub,
                       struct fs_span span, struct fs_val *out) {
  struct picked p;
  int64_t at = 0;
  if (base->kind == FS_V_RECORD) {
    enum fs_status found = fs_pick_place(in, base, sub, span, false, &at);
    if (found == FS_OK) *out = fs_val_ref(base->list->items[at]);
    return found;
  }
  enum fs_status st = read_picked(in, sub, fs_pick_extent(base), base, span, &p);
  if (st == FS_OK)
    *out = base->kind == FS_V_STRING ? pick_text(base->string, &p) : pick_list(base->list, &p);
  free(p.list);
  return st;
}

/* -- changes --------------------------------------------------------------------- */

/* What was there goes to the log, which says where; FS_V_NONE: nothing was. */
static void log_change(struct fs_interp *in, struct fs_list *l, int64_t at) {
  bool logs = (in->scope == &in->globals && in->running) || in->scope->tries;
  bool added = at == l->len;
  if (!logs) {
    if (!added) fs_val_unref(l->items[at]);
    return;
  }
  *FS_PUSH(&in->undo) = (struct fs_undo){
      .scope = in->scope, .list = l, .at = at,
      .old = added ? (struct fs_val){FS_V_NONE} : l->items[at]};
  l->refs++;
  l->logged++;
}

static struct fs_list *copy_of(const struct fs_list *l) {
  struct fs_list *copy = fs_list_new(l->len + 1);
  for (int64_t k = 0; k < l->len; k++)
    fs_list_add(copy, l->names ? l->names[k] : NULL, fs_val_ref(l->items[k]));
  copy->depth = l->depth;
  return copy;
}

/* The list with another value at a place: itself if nobody else holds it, or a copy. own:
 * nobody else holds those around it. */
static struct fs_list *with_change(struct fs_interp *in, struct fs_list *l,
                                   const struct fs_list_step *steps, int n, bool own,
                                   struct fs_val v) {
  int64_t at = steps->at;
  own = own && l->refs == 1 + l->logged;
  if (n > 1) {
    struct fs_list *old = l->items[at].list;
    struct fs_list *now = with_change(in, old, steps + 1, n - 1, own, v);
    if (now == old) {
      l->depth = FS_MAX(l->depth, 1 + now->depth);
      return l;
    }
    v = (struct fs_val){.kind = l->items[at].kind, .list = now};
  }
  struct fs_list *to = own ? l : copy_of(l);
  v.literal = false;
  if (at == to->len) {
    fs_list_grow(to, steps->name != NULL);
    char *name = steps->name ? fs_strdup(steps->name) : NULL;
    if (own) log_change(in, to, at);
    if (name) to->names[at] = name;
    to->items[to->len++] = v;
  } else if (own) {
    log_change(in, to, at);
    to->items[at] = v;
  } else {
    fs_val_unref(to->items[at]);
    to->items[at] = v;
  }
  to->depth = FS_MAX(to->depth, 1 + fs_list_depth(&v));
  return to;
}

void fs_list_put(struct fs_interp *in, const char *name, const struct fs_list_step *steps, int n,
                 struct fs_val v) {
  struct fs_var *var = fs_scope_var(in->scope, name);
  struct fs_list *old = var->value.list;
  struct fs_list *now = with_change(in, old, steps, n, true, v);
  if (now == old) fs_list_ref(now); /* its name gets it once more, which marks it as changed */
  if (now == old) fs_touch(in, name, var, (struct fs_val){.kind = var->value.kind, .list = now});
  else fs_assign(in, name, (struct fs_val){.kind = var->value.kind, .list = now});
}
