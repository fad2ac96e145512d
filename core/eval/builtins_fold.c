/* builtins_fold.c - reduce() and scan() with an associative function of the user.
 *
 * Elements stay in order, so the function need not be commutative. Eight neighbours are put
 * together, one after the other, for all eights at once: f(f(f(x[1:8:n], x[2:8:n]), ...), x[8:8:n])
 * is maps of views, which is one kernel. So are eights of the results, and so on; what is left
 * over comes last. Several arrays, in a list or a record, go together: f takes two and gives one.
 *
 * A scan keeps what each eight comes to on the way. A scan of what the eights come to says what
 * lies before each of them, which all its elements are put behind. (G. E. Blelloch: Prefix sums
 * and their applications. CMU-CS-90-190, 1990.) */
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
                          : "for instance: (a, b) -> a + b - a*b",
                     "the function of %s puts two elements together to one, and gives %s",
                     f->c->builtin->name, fs_val_text(got));
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

/* -- all on the way ---------------------------------------------------------------------- */

/* What is made of an array part by part. */
struct result {
  const struct fs_shape *shape;
  struct fs_tv all[MOST_ARRAYS];
};

static struct parts shared(const struct fold *f, const struct parts *p) {
  struct parts out = {0};
  for (int k = 0; k < f->n; k++) out.v[k] = fs_val_ref(p->v[k]);
  return out;
}

/* Every step-th of the result from `first` on is p, which has `count` along the axis. */
static enum fs_status put_part(const struct fold *f, struct result *r, int64_t first, int64_t step,
                               int64_t count, const struct parts *p) {
  struct fs_interp *in = f->c->in;
  enum fs_status st = FS_OK;
  for (int k = 0; k < f->n && st == FS_OK; k++) {
    struct fs_tv t, *all = &r->all[k];
    struct fs_shape whole = fs_squeezed(r->shape), part = *r->shape;
    struct fs_view v = {.src_rank = whole.rank};
    st = fs_tv_of(in, &p->v[k], f->c->arg_spans[1], NULL, &t);
    if (st != FS_OK) break;
    part.dim[f->axis] = count;
    for (int d = 0, at = 0, place = 0; d < part.rank; d++) {
      bool along = d == f->axis;
      if (r->shape->dim[d] == 1) continue;
      v.axis[at] = (int8_t)(part.dim[d] > 1 ? place++ : -1);
      v.off[at] = along ? first : 0;
      v.step[at++] = part.dim[d] == 1 ? 0 : along ? step : 1;
    }
    enum fs_dtype dt = fs_dtype_promote(all->dtype, t.dtype);
    if (all->node) *all = fs_tv_cast(in, *all, dt);
    part = fs_squeezed(&part);
    all->node = fs_graph_update(fs_block_graph(in), all->node, dt, &whole, fs_tv_cast(in, t, dt).node,
                                &part, &v);
    all->dtype = dt;
    all->shape = *r->shape;
  }
  return st;
}

/* p[at], alone: a part of one. */
static enum fs_status one_of(const struct fold *f, const struct parts *p, int64_t at,
                             struct parts *out) {
  return every(f, p, at, 1, 1, out);
}

static enum fs_status scan_all(const struct fold *f, struct parts *p, int64_t n,
                               const struct fs_shape *shape);

/* Groups from the second one on, of which `on` has what their elements come to: behind what all
 * groups before come to (`before`, one less than there are groups). */
static enum fs_status put_behind(const struct fold *f, const struct parts *before,
                                 const struct parts *on, int64_t m, struct parts *out) {
  struct parts later = {0};
  enum fs_status st = every(f, on, 1, 1, m - 1, &later);
  *out = shared(f, before);
  if (st == FS_OK) st = put_together(f, out, &later);
  drop(f, &later);
  return st;
}

/* The elements of m groups of g, given what they come to within each group; *last: what all come
 * to. */
static enum fs_status join_groups(const struct fold *f, const struct parts *way, int64_t g, int64_t m,
                                  const struct fs_shape *shape, struct result *r,
                                  struct parts *last) {
  struct parts sums = shared(f, &way[g - 1]), before = {0};
  struct fs_shape groups = *shape;
  groups.dim[f->axis] = m;
  enum fs_status st = m > 1 ? scan_all(f, &sums, m, &groups) : FS_OK;
  if (st == FS_OK && m > 1) st = every(f, &sums, 0, 1, m - 1, &before);
  for (int64_t k = 0; k < g - 1 && st == FS_OK; k++) {
    struct parts first = {0}, later = {0};
    st = one_of(f, &way[k], 0, &first);
    if (st == FS_OK) st = put_part(f, r, k, 1, 1, &first);
    if (st == FS_OK && m > 1) st = put_behind(f, &before, &way[k], m, &later);
    if (st == FS_OK && m > 1) st = put_part(f, r, g + k, g, m - 1, &later);
    drop(f, &first);
    drop(f, &later);
  }
  if (st == FS_OK) st = put_part(f, r, g - 1, g, m, &sums);
  if (st == FS_OK) st = one_of(f, &sums, m - 1, last);
  drop(f, &before);
  drop(f, &sums);
  return st;
}

/* Elements that are left over, one after the other behind what comes before them. */
static enum fs_status put_rest(const struct fold *f, const struct parts *p, int64_t from, int64_t n,
                               struct result *r, struct parts *last) {
  enum fs_status st = FS_OK;
  for (int64_t k = from; k < n && st == FS_OK; k++) {
    struct parts next = {0};
    st = one_of(f, p, k, &next);
    if (st == FS_OK) st = put_together(f, last, &next);
    if (st == FS_OK) st = put_part(f, r, k, 1, 1, last);
    drop(f, &next);
  }
  return st;
}

/* Each of the n elements along the axis becomes what all up to it come to. */
static enum fs_status scan_all(const struct fold *f, struct parts *p, int64_t n,
                               const struct fs_shape *shape) {
  int64_t g = FS_MIN(n, NEIGHBOURS), m = n / g;
  struct parts way[NEIGHBOURS] = {{{{0}}}}, last = {0};
  struct result r = {.shape = shape};
  enum fs_status st = n > 1 ? every(f, p, 0, g, m, &way[0]) : FS_OK;
  if (n < 2) return FS_OK;
  for (int64_t k = 1; k < g && st == FS_OK; k++) {
    struct parts next = {0};
    way[k] = shared(f, &way[k - 1]);
    st = every(f, p, k, g, m, &next);
    if (st == FS_OK) st = put_together(f, &way[k], &next);
    drop(f, &next);
  }
  for (int k = 0; k < f->n && st == FS_OK; k++)
    r.all[k].dtype = fs_dtype_promote(way[0].v[k].tensor->dtype, way[g - 1].v[k].tensor->dtype);
  if (n > SHORT) fs_block_barrier(f->c->in);
  if (st == FS_OK) st = join_groups(f, way, g, m, shape, &r, &last);
  if (st == FS_OK) st = put_rest(f, p, m * g, n, &r, &last);
  for (int k = 0; k < NEIGHBOURS; k++) drop(f, &way[k]);
  drop(f, &last);
  if (st != FS_OK) return st;
  drop(f, p);
  for (int k = 0; k < f->n; k++) p->v[k] = fs_tv_value(f->c->in, &r.all[k]);
  return FS_OK;
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

static void give(const struct fold *f, const struct parts *p) {
  struct fs_val *out = &f->c->out[0];
  *out = packed(f, p);
  out->of_element = false;
  for (int k = 0; k < f->n && fs_is_list(f->as); k++) out->list->items[k].of_element = false;
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
  if (st == FS_OK) give(&f, &p);
  drop(&f, &p);
  return st;
}

/* Without a dimension along the elements of a vector, or of all row by row, as cumsum(). */
static enum fs_status find_axis(struct fold *f, int dim, struct fs_shape *shape, struct parts *p) {
  f->axis = dim - 1;
  if (dim) return FS_OK;
  for (int d = 0; d < shape->rank; d++)
    if (shape->dim[d] != 1) f->axis = d;
  if (fs_squeezed(shape).rank < 2) return FS_OK;
  drop(f, p);
  f->axis = 0;
  enum fs_status st = take_arrays(f, true, shape, p);
  *shape = (struct fs_shape){1, {fs_shape_count(shape)}};
  return st;
}

/* The start value, beside each element of p: of a list one number for each array. */
static enum fs_status take_start(const struct fold *f, const struct parts *p,
                                 const struct fs_shape *shape, struct parts *out) {
  const struct fs_val *start = &f->c->args[3];
  const struct fs_list *l = fs_is_list(f->as) ? f->as->list : NULL;
  bool fits = !l || (start->kind == f->as->kind && start->list->len == f->n);
  enum fs_status st = FS_OK;
  for (int k = 0; k < f->n && fits && st == FS_OK; k++) {
    int64_t at = l && l->names ? fs_list_find(start->list, l->names[k]) : k;
    const struct fs_val *v = l && at >= 0 ? &start->list->items[at] : start;
    struct fs_tv t;
    st = fs_tv_of(f->c->in, v, f->c->arg_spans[3], &p->v[k].tensor->dtype, &t);
    if (st != FS_OK) break;
    fits = fs_tv_is_one(&t);
    if (fits && shape->rank) t = fs_tv_repeat(f->c->in, t.node, shape);
    if (fits) out->v[k] = fs_tv_value(f->c->in, &t);
  }
  if (fits || st != FS_OK) return st;
  return fs_in_error(f->c->in, f->c->arg_spans[3], "bad-reduction",
                     l ? "a list or record of numbers, as the function takes it" : NULL,
                     "scan begins with one element, not with %s", fs_val_text(start));
}

enum fs_status fs_scan(struct fs_call *c, int dim) {
  struct fold f = {c, c->args[0].func, &c->args[1], 0, 0};
  struct fs_shape shape = {0};
  struct parts p = {0}, start = {0};
  fs_again_stop(c->in);
  enum fs_status st = take_arrays(&f, false, &shape, &p);
  if (st == FS_OK) st = find_axis(&f, dim, &shape, &p);
  if (st == FS_OK && f.axis >= 0 && f.axis < shape.rank && shape.dim[f.axis] > 1)
    st = scan_all(&f, &p, shape.dim[f.axis], &shape);
  if (st == FS_OK && c->n > 3) {
    st = take_start(&f, &p, &shape, &start);
    if (st == FS_OK) st = put_together(&f, &start, &p);
    drop(&f, &p);
    p = start;
    start = (struct parts){0};
  }
  if (st == FS_OK) give(&f, &p);
  drop(&f, &p);
  return st;
}
