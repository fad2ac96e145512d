/* builtins_fold.c - reduce() with an associative function of the user.
 *
 * Elements stay in order, so the function need not be commutative. Eight neighbours are put
 * together, one after the other, for all eights at once: f(f(f(x[1:8:n], x[2:8:n]), ...), x[8:8:n])
 * is maps of views, which is one kernel. So are eights of the results, and so on; what is left
 * over comes last. Several arrays, in a list or a record, go together: f takes two and gives one. */
#include "core/eval/builtins.h"
#include "core/eval/index.h"

enum { NEIGHBOURS = 8, SHORT = 64, MOST_ARRAYS = 8 };

/* An array, or those of a list, in its order. */
struct parts {
  struct fs_val v[MOST_ARRAYS];
};

struct fold {
  struct fs_call *c;
  struct fs_func *f;
  const struct fs_val *as; /* what was given */
  int n, axis;
};

static void drop(const struct fold *f, struct parts *p) {
  for (int k = 0; k < f->n; k++) fs_val_unref(p->v[k]);
  *p = (struct parts){0};
}

/* -- arguments and results of the function ------------------------------------------- */

/* As the function takes it. */
static struct fs_val packed(const struct fold *f, const struct parts *p) {
  bool list = fs_is_list(f->as);
  struct fs_val out = {.kind = f->as->kind};
  if (list) out.list = fs_list_new(f->n);
  for (int k = 0; k < f->n; k++) {
    struct fs_val x = fs_val_ref(p->v[k]);
    x.of_element = true;
    if (!list) return x;
    fs_list_add(out.list, f->as->list->names ? f->as->list->names[k] : NULL, x);
  }
  return out;
}

static enum fs_status bad_result(const struct fold *f, const struct fs_val *got) {
  bool list = fs_is_list(f->as);
  return fs_in_error(f->c->in, f->c->arg_spans[0], "bad-reduction",
                     list ? "of {x, y} and {u, v} it gives a list of two, of records one with the "
                            "same fields"
                          : "for instance: reduce((a, b) -> a + b - a*b, x)",
                     "the function of reduce puts two elements together to one, and gives %s",
                     fs_val_text(got));
}

/* One array of a result; a number stands for all elements. */
static enum fs_status take_result(const struct fold *f, const struct fs_shape *shape,
                                  const struct fs_val *got, struct fs_val *out) {
  struct fs_tv t;
  if (got->kind != FS_V_TENSOR && !fs_val_is_host(got)) return bad_result(f, got);
  enum fs_status st = fs_tv_of(f->c->in, got, f->c->arg_spans[0], NULL, &t);
  if (st != FS_OK) return st;
  bool one = !t.shape.rank;
  if (!one && (t.shape.rank != shape->rank || memcmp(t.shape.dim, shape->dim,
                                                     sizeof *shape->dim * (size_t)shape->rank)))
    return bad_result(f, got);
  if (one && shape->rank) t = fs_tv_repeat(f->c->in, t.node, shape);
  *out = fs_tv_value(f->c->in, &t);
  return FS_OK;
}

static enum fs_status unpacked(const struct fold *f, const struct fs_shape *shape,
                               const struct fs_val *got, struct parts *out) {
  const struct fs_list *l = fs_is_list(f->as) ? f->as->list : NULL;
  enum fs_status st = FS_OK;
  *out = (struct parts){0};
  if (!l) return take_result(f, shape, got, &out->v[0]);
  if (got->kind != f->as->kind || got->list->len != f->n) return bad_result(f, got);
  for (int k = 0; k < f->n && st == FS_OK; k++) {
    int64_t at = l->names ? fs_list_find(got->list, l->names[k]) : k;
    if (at < 0) return bad_result(f, got);
    st = take_result(f, shape, &got->list->items[at], &out->v[k]);
  }
  return st;
}

/* *a = f(*a, *b), as map() calls it. */
static enum fs_status put_together(const struct fold *f, struct parts *a, const struct parts *b) {
  struct fs_interp *in = f->c->in;
  struct fs_val args[2] = {packed(f, a), packed(f, b)}, got = {FS_V_NONE};
  struct fs_span spans[2] = {f->c->arg_spans[1], f->c->arg_spans[1]};
  struct fs_shape shape = a->v[0].tensor->shape, outer = in->element_shape;
  bool before = in->elementwise, saw = in->saw_element;
  struct parts made = {0};
  int n = 0;
  in->elementwise = true;
  in->element_shape = shape;
  enum fs_status st = fs_call_func(in, f->f, 2, args, spans, f->c->span, 1, &got, &n);
  in->elementwise = before;
  in->element_shape = outer;
  in->saw_element = saw;
  if (st == FS_OK) st = unpacked(f, &shape, &got, &made);
  fs_val_unref(args[0]);
  fs_val_unref(args[1]);
  fs_val_unref(got);
  drop(f, st == FS_OK ? a : &made);
  if (st == FS_OK) *a = made;
  return st;
}

/* -- elements in order ---------------------------------------------------------------- */

/* Every step-th from `first` on, `count` of them. */
static enum fs_status every(const struct fold *f, const struct parts *p, int64_t first,
                            int64_t step, int64_t count, struct parts *out) {
  struct fs_interp *in = f->c->in;
  *out = (struct parts){0};
  for (int k = 0; k < f->n; k++) {
    struct fs_tv t;
    struct fs_view v = {0};
    enum fs_status st = fs_tv_of(in, &p->v[k], f->c->arg_spans[1], NULL, &t);
    if (st != FS_OK) return st;
    for (int d = 0, place = 0; d < t.shape.rank; d++) {
      bool along = d == f->axis;
      int64_t n = along ? count : t.shape.dim[d];
      if (t.shape.dim[d] == 1) continue;
      v.axis[v.src_rank] = (int8_t)(n > 1 ? place++ : -1);
      v.off[v.src_rank] = along ? first : 0;
      v.step[v.src_rank++] = n == 1 ? 0 : along ? step : 1;
    }
    t.shape.dim[f->axis] = count;
    struct fs_shape sq = fs_squeezed(&t.shape);
    t.node = fs_graph_view(fs_block_graph(in), t.node, &v, &sq);
    out->v[k] = fs_tv_value(in, &t);
  }
  return FS_OK;
}

/* m groups of g neighbours from the first element on, each to one. */
static enum fs_status put_groups(const struct fold *f, const struct parts *p, int64_t first,
                                 int64_t g, int64_t m, struct parts *out) {
  enum fs_status st = every(f, p, first, g, m, out);
  for (int64_t k = 1; k < g && st == FS_OK; k++) {
    struct parts next;
    st = every(f, p, first + k, g, m, &next);
    if (st == FS_OK) st = put_together(f, out, &next);
    drop(f, &next);
  }
  return st;
}

/* All n along the axis, to one. */
static enum fs_status put_all(const struct fold *f, struct parts *p, int64_t n) {
  struct parts tail = {0}, left = {0}, groups = {0};
  enum fs_status st = FS_OK;
  while (n > 1 && st == FS_OK) {
    int64_t g = FS_MIN(n, NEIGHBOURS), m = n / g, rest = n - m * g;
    if (rest) {
      st = put_groups(f, p, m * g, rest, 1, &left);
      if (st == FS_OK && tail.v[0].kind != FS_V_NONE) st = put_together(f, &left, &tail);
      drop(f, &tail);
      tail = left;
      left = (struct parts){0};
    }
    if (st == FS_OK) st = put_groups(f, p, 0, g, m, &groups);
    drop(f, p);
    *p = groups;
    groups = (struct parts){0};
    if (n > SHORT) fs_block_barrier(f->c->in); /* what follows reads what is stored */
    n = m;
  }
  if (st == FS_OK && tail.v[0].kind != FS_V_NONE) st = put_together(f, p, &tail);
  drop(f, &tail);
  return st;
}

/* -- the call ---------------------------------------------------------------------------- */

/* Array k: a column of all elements, unless a dimension is given; the shape is that of the first. */
static enum fs_status take_array(const struct fold *f, const struct fs_val *v, bool all,
                                 struct fs_shape *shape, int k, struct fs_val *out) {
  struct fs_call *c = f->c;
  struct fs_tv t;
  enum fs_status st = fs_tv_of(c->in, v, c->arg_spans[1], NULL, &t);
  if (st != FS_OK) return st;
  if (k && (t.shape.rank != shape->rank || memcmp(&t.shape.dim, &shape->dim,
                                                  sizeof *shape->dim * (size_t)shape->rank)))
    return fs_in_error(c->in, c->arg_spans[1], "shape-mismatch", NULL,
                       "arrays that are put together have one shape: %s and %s",
                       fs_shape_text(shape), fs_shape_text(&t.shape));
  *shape = t.shape;
  if (all) st = fs_tv_flatten(c->in, &t);
  if (st == FS_OK) *out = fs_tv_value(c->in, &t);
  return st;
}

static enum fs_status take_arrays(struct fold *f, bool all, struct fs_shape *shape,
                                  struct parts *out) {
  const struct fs_list *l = fs_is_list(f->as) ? f->as->list : NULL;
  enum fs_status st = FS_OK;
  if (l && (l->len < 1 || l->len > MOST_ARRAYS))
    return fs_in_error(f->c->in, f->c->arg_spans[1], "bad-reduction", NULL,
                       "one to %d arrays are put together, not %lld", (int)MOST_ARRAYS,
                       (long long)l->len);
  f->n = l ? (int)l->len : 1;
  for (int k = 0; k < f->n && st == FS_OK; k++)
    st = take_array(f, l ? &l->items[k] : f->as, all, shape, k, &out->v[k]);
  return st;
}

/* The dimension is gone where it was the last one. */
static enum fs_status without_axis(const struct fold *f, struct parts *p) {
  for (int k = 0; k < f->n; k++) {
    struct fs_tv t;
    enum fs_status st = fs_tv_of(f->c->in, &p->v[k], f->c->arg_spans[1], NULL, &t);
    if (st != FS_OK) return st;
    if (f->axis == t.shape.rank - 1) t.shape.rank--;
    fs_val_unref(p->v[k]);
    p->v[k] = fs_tv_value(f->c->in, &t);
  }
  return FS_OK;
}

enum fs_status fs_fold(struct fs_call *c, unsigned dims) {
  struct fold f = {c, c->args[0].func, &c->args[1], 0, 0};
  struct fs_shape shape = {0};
  struct parts p = {0};
  fs_again_stop(c->in); /* as rounds with map() */
  enum fs_status st = take_arrays(&f, !dims, &shape, &p);
  if (st == FS_OK && dims & (dims - 1))
    st = fs_in_error(c->in, c->arg_spans[2], "bad-dimension", "one after the other, the last one first",
                     "a function of the user puts elements together along one dimension");
  while (dims > 1u << f.axis) f.axis++;
  if (st == FS_OK && dims && f.axis >= shape.rank) dims = 0; /* of one element each */
  else if (st == FS_OK) {
    int64_t n = p.v[0].tensor->shape.dim[f.axis];
    if (n < 1)
      st = fs_in_error(c->in, c->arg_spans[1], "empty", "isempty(x) asks whether there is any",
                       "no elements cannot be put together: %s is %s",
                       fs_in_text(c->in, c->arg_spans[1]), fs_shape_text(&shape));
    if (st == FS_OK) st = put_all(&f, &p, n);
    if (st == FS_OK) st = without_axis(&f, &p);
  }
  if (st == FS_OK) {
    c->out[0] = packed(&f, &p);
    c->out[0].of_element = false;
    for (int k = 0; k < f.n && fs_is_list(f.as); k++) c->out[0].list->items[k].of_element = false;
  }
  drop(&f, &p);
  return st;
}
