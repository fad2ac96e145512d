/* index.c - A[i, j] and A[i, j] = v.
 *
 * Subscripts that are numbers, ranges or `:` make a view (no copy, no kernel);
 * lists stay where they are and are checked as they are used (GATHER, INVERT), masks
 * become lists (FIND), for which the host reads how many elements they choose.
 * Assigning makes a new version of the tensor: values are pure.
 *
 * Extents of the result: a number drops its dimension when it is the last one
 * and leaves an extent of 1 otherwise, so A[i, :] is a row and A[:, j] a column.
 */
#include <math.h>
#include <stdio.h>

#include "core/eval/index.h"

void fs_subs_free(struct fs_subs *subs) {
  for (int k = 0; k < subs->n; k++) {
    fs_val_unref(subs->s[k].list);
    fs_val_unref(subs->s[k].inside);
  }
}

/* -- reading subscripts ---------------------------------------------------- */

static enum fs_status range_sub(struct fs_interp *in, const struct fs_val *v,
                                const struct fs_sub_of *of, struct fs_sub *out) {
  out->kind = FS_SUB_RANGE;
  out->count = fs_range_count(v);
  out->first = out->step = 1;
  if (out->count < 1) return FS_OK;
  double last = v->start + (double)(out->count - 1) * v->step;
  int64_t unused;
  enum fs_status st = fs_sub_int(in, v->start, out->span, of, &out->first);
  if (st == FS_OK) st = fs_sub_int(in, last, out->span, of, &unused);
  if (st == FS_OK && v->step != floor(v->step))
    st = fs_in_error(in, out->span, "bad-index", NULL,
                     "the step of an index range must be whole");
  out->step = out->count > 1 ? fs_number_of_real(v->step).i : 1;
  return st;
}

/* A tensor as a subscript. */
static enum fs_status tensor_sub(struct fs_interp *in, const struct fs_val *v,
                                 int64_t extent, bool assigned, struct fs_sub *out) {
  const struct fs_shape *shape = &v->tensor->shape;
  struct fs_tv t;
  bool mask = v->tensor->dtype == FS_BOOL;
  enum fs_status st = mask ? FS_OK : fs_block_alone(in);
  if (st != FS_OK) return st;
  out->kind = mask ? FS_SUB_MASK : FS_SUB_LIST;
  out->count = fs_shape_count(shape);
  if (mask && out->count != extent)
    return fs_in_error(in, out->span, "shape-mismatch",
                       "a mask has one truth value for each element it chooses "
                       "from",
                       "the mask is %s, but there are %lld elements",
                       fs_shape_text(shape), (long long)extent);
  if (!mask && !extent && out->count)
    return fs_in_error(in, out->span, "out-of-range", "isempty(x) asks whether there is any",
                       "an index is out of range: there are no elements to choose from");
  if (mask) {
    out->list = fs_val_ref(*v);
    return assigned ? FS_OK : fs_sub_find(in, out);
  }
  if (!assigned) {
    out->list = fs_val_ref(*v);
    return FS_OK;
  }
  st = fs_tv_of(in, v, out->span, NULL, &t);
  if (st == FS_OK) st = fs_tv_flatten(in, &t);
  if (st == FS_OK) out->list = fs_tv_value(in, &t);
  return st;
}

/* A list whose shape does not count. */
static enum fs_status flatten_list(struct fs_interp *in, struct fs_sub *s) {
  struct fs_tv t;
  if (s->kind != FS_SUB_LIST) return FS_OK;
  enum fs_status st = fs_tv_of(in, &s->list, s->span, NULL, &t);
  if (st == FS_OK) st = fs_tv_flatten(in, &t);
  if (st != FS_OK) return st;
  fs_val_unref(s->list);
  s->list = fs_tv_value(in, &t);
  return FS_OK;
}

/* -- borders: A[0:n; mirror] ----------------------------------------------- */

static bool is_within(const struct fs_val *range, int64_t extent) {
  double last = range->start + (double)(fs_range_count(range) - 1) * range->step;
  return fmin(range->start, last) >= 1 && fmax(range->start, last) <= (double)extent;
}

/* A list, or a range that leaves the array. */
static enum fs_status border_list(struct fs_interp *in, const struct fs_sub_of *of,
                                  struct fs_sub *out, struct fs_val *v) {
  struct fs_tv list, inside;
  enum fs_status st = fs_tv_of(in, v, out->span, NULL, &list);
  if (st != FS_OK) return st;
  in->span = out->span;
  bool each = v->of_element;
  if (of->border == FS_BORDER_ZEROS) {
    inside = fs_border_inside(in, list, of->extent);
    out->inside = fs_tv_value(in, &inside);
  }
  list = fs_border_places(in, of->border, list, of->extent);
  fs_val_unref(*v);
  *v = fs_tv_value(in, &list);
  v->of_element = each;
  return FS_OK;
}

/* Brings a subscript inside, as far as it is one of whole numbers. */
static enum fs_status apply_border(struct fs_interp *in, const struct fs_sub_of *of,
                                   struct fs_sub *out, struct fs_val *v) {
  const double most = 0x1p53;
  double x = 0;
  bool lists = v->kind == FS_V_TENSOR && v->tensor->shape.rank > 0;
  if (!of->border || !of->extent || (lists && v->tensor->dtype == FS_BOOL)) return FS_OK;
  if (lists) return border_list(in, of, out, v);
  if (v->kind == FS_V_RANGE) {
    bool whole = v->start == floor(v->start) && v->step == floor(v->step);
    bool none = fs_range_count(v) < 1 || is_within(v, of->extent);
    return whole && !none ? border_list(in, of, out, v) : FS_OK;
  }
  enum fs_status st = fs_read_number(in, v, out->span, "an index", &x);
  if (st != FS_OK || x != floor(x) || fabs(x) > most) return st;
  int64_t place = fs_border_place(of->border, (int64_t)x, of->extent);
  if (of->border == FS_BORDER_ZEROS && place != (int64_t)x) out->inside = fs_val_bool(false);
  fs_val_unref(*v);
  *v = fs_val_number((double)place, true);
  return FS_OK;
}

/* What was chosen, or 0 where a subscript was outside; the part has the shape of a list, if one
 * stands alone. */
static enum fs_status put_zeros(struct fs_interp *in, const struct fs_subs *subs,
                                struct fs_tv *t) {
  for (int k = 0; k < subs->n; k++) {
    const struct fs_sub *s = &subs->s[k];
    struct fs_tv inside;
    if (s->inside.kind == FS_V_NONE) continue;
    enum fs_status st = fs_tv_of(in, &s->inside, s->span, NULL, &inside);
    if (st != FS_OK) return st;
    if (s->inside.kind == FS_V_BOOL) {
      inside = fs_tv_number(in, 0, FS_BOOL);
    } else if (subs->given == 1) {
      inside.shape = t->shape;
    } else {
      st = fs_tv_flatten(in, &inside);
      if (st != FS_OK) return st;
      inside.shape = (struct fs_shape){.rank = t->shape.rank};
      for (int d = 0; d < t->shape.rank; d++)
        inside.shape.dim[d] = d == k ? t->shape.dim[d] : 1;
    }
    *t = fs_tv_choose(in, inside, *t, fs_tv_number(in, 0, t->dtype));
  }
  return FS_OK;
}

static enum fs_status read_sub(struct fs_interp *in, const struct fs_expr *e,
                               const struct fs_sub_of *of, struct fs_sub *out) {
  *out = (struct fs_sub){.span = e->span};
  if (e->kind == FS_EX_COLON) {
    *out = (struct fs_sub){FS_SUB_RANGE, 1, 1, of->extent, {FS_V_NONE}, e->span, false, false};
    return FS_OK;
  }
  struct fs_val v;
  *FS_PUSH(&in->index_end) = of->extent;
  enum fs_status st = fs_eval(in, e, &v);
  in->index_end.len--;
  if (st != FS_OK) return st;
  double x = 0;
  bool truth = v.kind == FS_V_BOOL || (v.kind == FS_V_TENSOR && !v.tensor->shape.rank &&
                                       v.tensor->dtype == FS_BOOL);
  if (!truth) st = apply_border(in, of, out, &v);
  if (st != FS_OK) {
  } else if (truth) {
    st = fs_in_error(in, e->span, "bad-index",
                     "a mask has as many elements as what it chooses from; one of two values "
                     "is where(condition, a, b)",
                     "an index must be a number, not a truth value");
  } else if (v.kind == FS_V_RANGE) {
    st = range_sub(in, &v, of, out);
  } else if (v.kind == FS_V_TENSOR && v.tensor->shape.rank > 0) {
    st = tensor_sub(in, &v, of->extent, of->assigned, out);
  } else {
    st = fs_read_number(in, &v, e->span, "an index", &x);
    out->kind = FS_SUB_INT;
    out->count = 1;
    if (st == FS_OK) st = fs_sub_int(in, x, e->span, of, &out->first);
  }
  out->of_element = in->elementwise && v.of_element && out->kind != FS_SUB_INT;
  fs_val_unref(v);
  return st;
}

/* Element i of all is one of each dimension. */
static void one_of_all(const struct fs_shape *shape, struct fs_subs *subs) {
  struct fs_sub one = subs->s[0];
  int64_t at = one.first - 1;
  for (int k = shape->rank - 1; k >= 0; k--) {
    subs->s[k] = one;
    subs->s[k].first = at % shape->dim[k] + 1;
    at /= shape->dim[k];
  }
  subs->n = shape->rank;
  subs->linear = false;
}

/* Reads the subscripts of `e` for a value of the given shape, which gets as
 * many dimensions as there are subscripts: x[i] of a row is x[1, i]. What is
 * `assigned` to may be nothing. */
enum fs_status fs_subs_read(struct fs_interp *in, const struct fs_expr *e,
                                struct fs_shape *shape, bool assigned,
                                struct fs_subs *out) {
  int n = e->n_args - 1;
  *out = (struct fs_subs){.given = n};
  if (n < 1 || n > FS_MAX_RANK || (n > 1 && n < shape->rank))
    return fs_in_error(in, e->span, "bad-index", NULL,
                       "%s is %s and needs %d subscripts, not %d",
                       fs_in_text(in, e->args[0]->span), fs_shape_text(shape), FS_MAX(shape->rank, 1), n);
  bool row = n == 1 && shape->rank == 2 && shape->dim[0] == 1;
  bool column = shape->rank < 2 || (shape->rank == 2 && shape->dim[1] == 1);
  enum fs_status st;
  if (n == 1 && !row && !column) {
    struct fs_sub_of all = {fs_shape_count(shape), FS_NO_DIM, shape->rank, assigned,
                            fs_border_of(e, 0)};
    out->n = 1;
    out->linear = true;
    st = read_sub(in, e->args[1], &all, &out->s[0]);
    if (st == FS_OK && !assigned) st = flatten_list(in, &out->s[0]);
    if (st == FS_OK && out->s[0].kind == FS_SUB_INT) one_of_all(shape, out);
    return st;
  }
  while (shape->rank < n) shape->dim[shape->rank++] = 1;
  out->n = shape->rank;
  for (int k = 0; k < out->n; k++)
    out->s[k] = (struct fs_sub){FS_SUB_INT, 1, 0, 1, {FS_V_NONE}, e->span, false, false};
  int first = row ? 1 : 0;
  for (int k = 0; k < n; k++) {
    int d = first + k;
    struct fs_sub_of of = {shape->dim[d], d, shape->rank, assigned, fs_border_of(e, k)};
    st = read_sub(in, e->args[1 + k], &of, &out->s[d]);
    if (st == FS_OK && n > 1 && !assigned) st = flatten_list(in, &out->s[d]);
    if (st != FS_OK) return st;
  }
  return FS_OK;
}

/* Inside map() an index by an element chooses one element for each: what is chosen for all
 * of them has their shape. */
static enum fs_status chosen_by_element(struct fs_interp *in, const struct fs_expr *e,
                                        const struct fs_subs *subs, struct fs_tv *t) {
  int by = 0;
  struct fs_shape each = fs_subs_shape(subs);
  for (int k = 0; k < subs->n; k++) {
    by += subs->s[k].of_element;
    if (subs->s[k].of_element && k < each.rank) each.dim[k] = 1;
  }
  if (!by) return FS_OK;
  if (fs_shape_count(&each) > 1) return fs_several_each(in, e->span, &each);
  if (by > 1)
    return fs_in_error(in, e->span, "element",
                       "with a = A[:], the elements row by row, A[i, j] is "
                       "a[(i - 1)*size(A, 2) + j]",
                       "map takes one index from its elements, and %s has %d",
                       fs_in_text(in, e->span), by);
  return fs_tv_reshape(in, *t, &in->element_shape, t);
}

/* What subscripts that were read choose of a real value; `subs` NULL: all of it, as a column.
 * each: inside map(), where an index may be one for each element. */
static enum fs_status choose_real(struct fs_interp *in, const struct fs_expr *e,
                                  const struct fs_subs *subs, const struct fs_val *whole,
                                  const struct fs_shape *shape, bool each, struct fs_val *out) {
  struct fs_tv t;
  enum fs_status st;
  if (!subs) {
    st = fs_tv_of(in, whole, e->span, NULL, &t);
    in->span = e->span;
    if (st == FS_OK) st = fs_tv_flatten(in, &t);
  } else {
    st = fs_subs_choose(in, subs, whole, shape, e->span, &t);
    if (st == FS_OK) st = put_zeros(in, subs, &t);
    if (st == FS_OK && each) st = chosen_by_element(in, e, subs, &t);
  }
  if (st == FS_OK) *out = fs_tv_value(in, &t);
  return st;
}

/* The same of both parts of a complex one, each of which may end the block. */
enum fs_status fs_subs_choose_value(struct fs_interp *in, const struct fs_expr *e,
                             const struct fs_subs *subs, const struct fs_val *whole,
                             const struct fs_shape *shape, bool each, struct fs_val *out) {
  struct fs_val part[2] = {{FS_V_NONE}, {FS_V_NONE}};
  if (!fs_val_is_complex(whole)) return choose_real(in, e, subs, whole, shape, each, out);
  enum fs_status st = FS_OK;
  for (int k = 0; k < 2 && st == FS_OK; k++)
    st = choose_real(in, e, subs, &whole->complex->part[k], shape, each, &part[k]);
  if (st == FS_OK) {
    *out = fs_val_complex(part[0], part[1]);
    return FS_OK;
  }
  fs_val_unref(part[0]);
  return st;
}

static enum fs_status index_value(struct fs_interp *in, const struct fs_expr *e,
                                  const struct fs_val *base, struct fs_val *out) {
  struct fs_subs subs = {0};
  struct fs_cx t;
  enum fs_status st = fs_cx_of(in, base, e->args[0]->span, FS_F32, &t);
  if (st != FS_OK) return st;
  struct fs_shape shape = t.re.shape;
  struct fs_val keep = fs_cx_value(in, &t); /* subscripts may end the block */
  bool all = fs_subs_all(e);
  if (!all) st = fs_subs_read(in, e, &shape, false, &subs);
  if (st == FS_OK)
    st = fs_subs_choose_value(in, e, all ? NULL : &subs, &keep, &shape, in->elementwise, out);
  fs_subs_free(&subs);
  fs_val_unref(keep);
  return st;
}

/* What stands in s[...] of strings and lists, whose `end` is the last element; NONE: `:`. */
enum fs_status fs_eval_sub(struct fs_interp *in, const struct fs_expr *e,
                               const struct fs_val *base, struct fs_val *sub) {
  *sub = (struct fs_val){FS_V_NONE};
  if (e->borders)
    return fs_in_error(in, e->span, "bad-index", NULL, "%s is %s, which has no border",
                       fs_in_text(in, e->args[0]->span), fs_val_text(base));
  if (e->n_args != 2)
    return fs_in_error(in, e->span, "bad-index", NULL, "%s is %s and needs one subscript",
                       fs_in_text(in, e->args[0]->span), fs_val_text(base));
  if (e->args[1]->kind == FS_EX_COLON) return FS_OK;
  *FS_PUSH(&in->index_end) = fs_pick_extent(base);
  enum fs_status st = fs_eval(in, e->args[1], sub);
  in->index_end.len--;
  return st;
}

static enum fs_status index_host(struct fs_interp *in, const struct fs_expr *e,
                                 const struct fs_val *base, struct fs_val *out) {
  struct fs_val sub;
  enum fs_status st = fs_eval_sub(in, e, base, &sub);
  if (st == FS_OK) st = fs_pick(in, base, &sub, e->args[1]->span, out);
  fs_val_unref(sub);
  return st;
}

enum fs_status fs_eval_index(struct fs_interp *in, const struct fs_expr *e,
                             struct fs_val *out) {
  struct fs_val base;
  enum fs_status st = fs_eval(in, e->args[0], &base);
  if (st != FS_OK) return st;
  in->span = e->span;
  if (base.kind == FS_V_STRING || fs_is_list(&base)) {
    st = index_host(in, e, &base, out);
    fs_val_unref(base);
    return st;
  }
  if (base.kind == FS_V_FUNCTION)
    st = fs_in_error(in, e->span, "wrong-type", "call it with ( )",
                     "%s is a function and cannot be indexed",
                     fs_in_text(in, e->args[0]->span));
  else
    st = fs_refuse_element(in, &base, e->span, "an index");
  if (st == FS_OK) st = index_value(in, e, &base, out);
  fs_val_unref(base);
  return st;
}

enum fs_status fs_index_column(struct fs_interp *in, const struct fs_val *v,
                               int64_t k, struct fs_span span,
                               struct fs_val *out) {
  struct fs_tv t;
  struct fs_val re, im;
  if (fs_val_is_complex(v)) {
    enum fs_status bad = fs_index_column(in, &v->complex->part[0], k, span, &re);
    if (bad != FS_OK) return bad;
    fs_index_column(in, &v->complex->part[1], k, span, &im); /* as the other part */
    *out = fs_val_complex(re, im);
    return FS_OK;
  }
  enum fs_status st = fs_tv_of(in, v, span, NULL, &t);
  if (st != FS_OK) return st;
  if (t.shape.rank > 2)
    return fs_in_error(in, span, "wrong-type", NULL,
                       "a loop goes through vectors and matrices, not %s",
                       fs_shape_text(&t.shape));
  struct fs_subs subs = {.n = FS_MAX(t.shape.rank, 1)};
  if (!t.shape.rank) t.shape = fs_shape_of(1, (int64_t[]){1});
  subs.s[0] = (struct fs_sub){FS_SUB_RANGE, 1, 1, t.shape.dim[0], {FS_V_NONE}, span};
  subs.s[subs.n - 1] = (struct fs_sub){FS_SUB_INT, k + 1, 0, 1, {FS_V_NONE}, span};
  if (subs.n == 2 && t.shape.dim[0] == 1) subs.s[0].kind = FS_SUB_INT;
  struct fs_shape part;
  struct fs_view view = fs_subs_view(&subs, &t.shape, &part);
  struct fs_shape sq = fs_squeezed(&part);
  t.node = fs_graph_view(fs_block_graph(in), t.node, &view, &sq);
  t.shape = fs_subs_shape(&subs);
  *out = fs_tv_value(in, &t);
  return FS_OK;
}

/* -- A[i, j] = v ----------------------------------------------------------- */

struct update {
  struct fs_tv whole, value;
  struct fs_span value_span, span;
};

static enum fs_status value_error(struct fs_interp *in, const struct update *u,
                                  const struct fs_shape *part) {
  return fs_in_error(in, u->span, "shape-mismatch",
                     "the value must be a scalar or fill the part exactly",
                     "shapes do not fit: the part is %s, %s is %s",
                     fs_shape_text(part), fs_in_text(in, u->value_span),
                     fs_shape_text(&u->value.shape));
}

static enum fs_status assign_view(struct fs_interp *in, struct update *u,
                                  const struct fs_subs *subs) {
  struct fs_shape part, chosen = fs_subs_shape(subs);
  struct fs_view v = fs_subs_view(subs, &u->whole.shape, &part);
  struct fs_shape sq = fs_squeezed(&part), have = fs_squeezed(&u->value.shape);
  if (have.rank && !fs_shape_equal(&sq, &have))
    return value_error(in, u, &chosen);
  struct fs_shape whole = fs_squeezed(&u->whole.shape);
  if (!whole.rank) {
    u->whole.node = u->value.node;
    return FS_OK;
  }
  u->whole.node =
      fs_graph_update(fs_block_graph(in), u->whole.node, u->whole.dtype, &whole,
                      u->value.node, &sq, &v);
  return FS_OK;
}

/* Where position i of `n` is chosen, and by which element of the list (the last
 * one that names it), as tensors: where(chosen, value[which], old). */
static enum fs_status invert_list(struct fs_interp *in, const struct fs_sub *s,
                                  int64_t n, unsigned of, struct fs_tv *chosen,
                                  struct fs_tv *which) {
  bool small = s->count <= INT32_MAX; /* the whole is as long: half the bytes */
  struct fs_tv list, last = {0, small ? FS_I32 : FS_I64, fs_shape_of(1, &n)};
  enum fs_status st = fs_tv_of(in, &s->list, s->span, NULL, &list);
  if (st != FS_OK) return st;
  in->span = s->span;
  struct fs_graph *g = fs_block_graph(in);
  if (fs_graph_is_list(g, list.node, n)) of |= FS_LIB_IN_RANGE;
  last.node = fs_graph_lib(g, FS_LIB_INVERT, last.dtype, &last.shape, list.node,
                           &list.shape, 0, NULL, of);
  *chosen = fs_tv_map2(in, FS_OP_GT, last, fs_tv_number(in, 0, last.dtype));
  *which = fs_tv_map2(in, FS_OP_MAX, last, fs_tv_number(in, 1, last.dtype));
  return FS_OK;
}

/* whole = where(chosen, value, whole). */
static enum fs_status put_where(struct fs_interp *in, const struct update *u,
                                struct fs_tv chosen, struct fs_tv value,
                                struct fs_tv *whole) {
  struct fs_tv src[3] = {chosen, value, *whole};
  struct fs_span spans[3] = {u->span, u->span, u->span};
  in->span = u->span;
  return fs_tv_map(in, FS_OP_WHERE, 3, src, spans, u->span, "=", whole);
}

/* The value of each row of the whole that `which` names the element for. */
static enum fs_status value_rows(struct fs_interp *in, const struct update *u,
                                 struct fs_shape part, struct fs_tv which, int dim,
                                 struct fs_tv *value) {
  struct fs_shape rows = part;
  if (dim == 1) rows = fs_shape_of(2, (int64_t[]){part.dim[1], part.dim[0]});
  struct fs_shape a = fs_squeezed(&rows);
  if (dim == 1 && value->shape.rank == 2) *value = fs_tv_transpose(in, *value);
  struct fs_shape b = fs_squeezed(&value->shape);
  value->shape = rows;
  if (!fs_shape_equal(&a, &b)) return value_error(in, u, &part);
  return fs_tv_gather(in, *value, which, 0, value);
}

/* Of a mask too, which has a scalar put and so needs no `which`. */
static enum fs_status find_chosen(struct fs_interp *in, const struct fs_sub *s, int64_t n,
                                  unsigned of, struct fs_tv *chosen, struct fs_tv *which) {
  if (s->kind != FS_SUB_MASK) return invert_list(in, s, n, of, chosen, which);
  enum fs_status st = fs_tv_of(in, &s->list, s->span, NULL, chosen);
  return st == FS_OK ? fs_tv_flatten(in, chosen) : st;
}

/* A list or mask along dimension `dim` of a vector or matrix, everything along
 * the other. */
static enum fs_status assign_list(struct fs_interp *in, struct update *u,
                                  const struct fs_sub *s, int dim, unsigned of) {
  struct fs_tv whole = u->whole, chosen, which, value = u->value;
  if (dim == 1) whole = fs_tv_transpose(in, whole);
  enum fs_status st = find_chosen(in, s, fs_rows(&whole.shape), of, &chosen, &which);
  if (st != FS_OK) return st;
  if (fs_tv_is_one(&value)) {
    value.shape = fs_shape_scalar();
  } else {
    struct fs_shape part = u->whole.shape;
    part.dim[dim] = s->count;
    st = value_rows(in, u, part, which, dim, &value);
  }
  if (st == FS_OK) st = put_where(in, u, chosen, value, &whole);
  if (st != FS_OK) return st;
  struct fs_shape shape = u->whole.shape;
  u->whole = dim == 1 ? fs_tv_transpose(in, whole) : whole;
  u->whole.shape = shape;
  return FS_OK;
}

/* A list or mask along dimension `dim` of a matrix, a number or a range along the other:
 * assigned to within the rows or columns that this names, which then take their places. */
static enum fs_status assign_within(struct fs_interp *in, struct update *u,
                                    const struct fs_subs *subs, int dim) {
  const struct fs_sub *list = &subs->s[dim];
  struct fs_subs band = *subs;
  band.s[dim] = (struct fs_sub){FS_SUB_RANGE, 1, 1, u->whole.shape.dim[dim], {FS_V_NONE}, list->span};
  struct update part = *u;
  struct fs_view v = fs_subs_view(&band, &u->whole.shape, &part.whole.shape);
  struct fs_shape sq = fs_squeezed(&part.whole.shape);
  part.whole.node = fs_graph_view(fs_block_graph(in), u->whole.node, &v, &sq);
  enum fs_status st = assign_list(in, &part, list, dim, fs_subs_words(subs, dim));
  if (st != FS_OK) return st;
  u->value = part.whole;
  return assign_view(in, u, &band);
}

/* Lists or masks along both dimensions of a matrix: each row that one chooses crosses each
 * column that the other does. */
static enum fs_status assign_crossings(struct fs_interp *in, struct update *u,
                                       const struct fs_subs *subs) {
  struct fs_shape part = fs_subs_shape(subs), all = u->whole.shape;
  struct fs_tv chosen[2], which[2], value = u->value;
  for (int k = 0; k < 2; k++) {
    enum fs_status st = find_chosen(in, &subs->s[k], all.dim[k], fs_subs_words(subs, k),
                                    &chosen[k], &which[k]);
    if (st != FS_OK) return st;
    chosen[k].shape = fs_shape_of(1, &all.dim[k]);
  }
  if (fs_tv_is_one(&value)) {
    value.shape = fs_shape_scalar();
  } else {
    struct fs_shape a = fs_squeezed(&part), b = fs_squeezed(&value.shape);
    if (!fs_shape_equal(&a, &b)) return value_error(in, u, &part);
    value.shape = part;
    enum fs_status st = fs_tv_gather(in, value, which[0], 0, &value);
    if (st == FS_OK) st = fs_tv_gather(in, fs_tv_transpose(in, value), which[1], 0, &value);
    if (st != FS_OK) return st;
    value.shape = fs_shape_of(2, (int64_t[]){all.dim[1], all.dim[0]});
    value = fs_tv_transpose(in, value);
  }
  chosen[0] = fs_tv_map2(in, FS_OP_AND, chosen[0], fs_tv_transpose(in, chosen[1]));
  return put_where(in, u, chosen[0], value, &u->whole);
}

/* A scalar where a mask of the whole's shape is true. */
static enum fs_status assign_where(struct fs_interp *in, struct update *u,
                                   const struct fs_sub *s) {
  struct fs_tv chosen;
  enum fs_status st = fs_tv_of(in, &s->list, s->span, NULL, &chosen);
  struct fs_tv value = u->value;
  value.shape = fs_shape_scalar();
  chosen.shape = u->whole.shape;
  return st == FS_OK ? put_where(in, u, chosen, value, &u->whole) : st;
}

/* A range of all elements, where a view of them is that of a line. */
static enum fs_status assign_line(struct fs_interp *in, struct update *u,
                                  const struct fs_subs *subs, const struct fs_view *v) {
  struct fs_shape part = fs_shape_of(1, &subs->s[0].count), whole = u->whole.shape;
  struct fs_shape sq = fs_squeezed(&part), have = fs_squeezed(&u->value.shape);
  if (have.rank && !fs_shape_equal(&sq, &have)) return value_error(in, u, &part);
  u->whole.node = fs_graph_update(fs_block_graph(in), u->whole.node, u->whole.dtype, &whole,
                                  u->value.node, &sq, v);
  return FS_OK;
}

static enum fs_status assign_linear(struct fs_interp *in, struct update *u,
                                    const struct fs_subs *subs) {
  const struct fs_sub *s = &subs->s[0];
  struct fs_view lies;
  if (fs_subs_line(subs, &u->whole.shape, &lies)) return assign_line(in, u, subs, &lies);
  struct fs_shape shape = u->whole.shape, whole = fs_squeezed(&shape), mask;
  mask = s->kind == FS_SUB_MASK ? fs_squeezed(&s->list.tensor->shape) : fs_shape_scalar();
  if (fs_shape_equal(&whole, &mask)) return assign_where(in, u, s);
  struct fs_val keep = fs_tv_value(in, &u->value); /* flatten ends the block */
  enum fs_status st = fs_tv_flatten(in, &u->whole);
  if (st == FS_OK) st = fs_tv_of(in, &keep, u->value_span, NULL, &u->value);
  fs_val_unref(keep);
  if (st == FS_OK)
    st = s->kind == FS_SUB_RANGE ? assign_view(in, u, subs) : assign_list(in, u, s, 0, 0);
  if (st == FS_OK) st = fs_tv_reshape(in, u->whole, &shape, &u->whole);
  return st;
}

/* Lists in a value of three dimensions or more: the places are a list of all elements. */
static enum fs_status assign_places(struct fs_interp *in, struct update *u,
                                    const struct fs_subs *subs) {
  struct fs_shape shape = u->whole.shape, all = {1, {fs_shape_count(&shape)}}, a, b;
  struct fs_shape part = fs_subs_shape(subs), count = {1, {fs_shape_count(&part)}};
  struct update flat = *u;
  struct fs_tv places;
  a = fs_squeezed(&part), b = fs_squeezed(&u->value.shape);
  if (b.rank && !fs_shape_equal(&a, &b)) return value_error(in, u, &part);
  enum fs_status st = fs_subs_places(in, subs, &shape, &places);
  if (st != FS_OK) return st;
  places = fs_tv_in_rows(in, places, &count);
  flat.whole = fs_tv_in_rows(in, u->whole, &all);
  if (b.rank) flat.value = fs_tv_in_rows(in, u->value, &count);
  struct fs_sub list = {.kind = FS_SUB_LIST, .count = count.dim[0], .span = u->span,
                     .list = fs_tv_value(in, &places)};
  st = assign_list(in, &flat, &list, 0, FS_LIB_IN_RANGE);
  fs_val_unref(list.list);
  if (st == FS_OK) u->whole = fs_tv_in_rows(in, flat.whole, &shape);
  return st;
}

static bool chooses_nothing(const struct fs_subs *subs) {
  for (int k = 0; k < subs->n; k++)
    if (subs->s[k].count == 0) return true;
  return false;
}

static enum fs_status assign_part(struct fs_interp *in, struct update *u,
                                  const struct fs_subs *subs) {
  if (chooses_nothing(subs)) {
    struct fs_shape chosen = fs_subs_shape(subs);
    struct fs_shape a = fs_squeezed(&chosen), b = fs_squeezed(&u->value.shape);
    bool fits = fs_tv_is_one(&u->value) || fs_shape_equal(&a, &b);
    return fits ? FS_OK : value_error(in, u, &chosen);
  }
  if (subs->linear) return assign_linear(in, u, subs);
  int lists = 0, dim = 0, narrow = 0;
  for (int k = 0; k < subs->n; k++) {
    const struct fs_sub *s = &subs->s[k];
    if (s->kind >= FS_SUB_LIST) {
      lists++;
      dim = k;
    } else if (s->count != u->whole.shape.dim[k] || s->step < 0) {
      narrow++;
    }
  }
  if (!lists) return assign_view(in, u, subs);
  if (subs->n > 2) return assign_places(in, u, subs);
  if (lists == 1 && !narrow)
    return assign_list(in, u, &subs->s[dim], dim, fs_subs_words(subs, dim));
  return lists == 1 ? assign_within(in, u, subs, dim) : assign_crossings(in, u, subs);
}

/* A[:] = v: a scalar, a value of A's shape, or all elements as a column. */
static enum fs_status assign_all(struct fs_interp *in, struct update *u) {
  struct fs_shape shape = u->whole.shape, *have = &u->value.shape;
  struct fs_subs subs = {.n = shape.rank};
  if (have->rank != 1 || have->dim[0] != fs_shape_count(&shape)) {
    for (int k = 0; k < shape.rank; k++)
      subs.s[k] = (struct fs_sub){FS_SUB_RANGE, 1, 1, shape.dim[k], {FS_V_NONE}, u->span};
    return assign_view(in, u, &subs);
  }
  return fs_tv_reshape(in, u->value, &shape, &u->whole);
}

/* What is added to a part must not make it larger. */
static enum fs_status check_added(struct fs_interp *in, const struct fs_expr *e,
                                  const struct fs_shape *part,
                                  const struct fs_val *value) {
  if (!fs_val_like(value) || (e->op != FS_AO_ADD && e->op != FS_AO_SUB))
    return FS_OK;
  const struct fs_shape *have = &fs_val_like(value)->shape;
  bool fits = true; /* extents of 1 at the end of either count as none */
  for (int k = 0; k < have->rank; k++)
    fits = fits && (have->dim[k] == 1 || have->dim[k] == fs_shape_dim(part, k));
  if (fits || fs_shape_count(have) == 1) return FS_OK;
  return fs_in_error(in, e->span, "shape-mismatch",
                     "the value must be a scalar or fill the part exactly",
                     "shapes do not fit: the part is %s, %s is %s",
                     fs_shape_text(part), fs_in_text(in, e->args[1]->span),
                     fs_shape_text(have));
}

static bool is_one(const struct fs_val *v) {
  const struct fs_tensor *t = fs_val_like(v);
  return fs_val_is_host(v) || fs_val_is_complex_number(v) || (t && fs_shape_count(&t->shape) == 1);
}

/* A row times a column is one number, which would fill the part without a word. */
static enum fs_status check_product(struct fs_interp *in, const struct fs_expr *e,
                                    const struct fs_shape *part,
                                    const struct fs_val *value, struct fs_val *product) {
  bool array = fs_val_like(value) && !is_one(value);
  if (e->op != FS_AO_MUL || !array || fs_shape_count(part) == 1 || !is_one(product))
    return FS_OK;
  fs_val_unref(*product);
  *product = (struct fs_val){FS_V_NONE};
  return fs_in_error(in, e->span, "shape-mismatch",
                     "elements are multiplied by .*, as in x = x .* y",
                     "shapes do not fit: the part is %s, the product one number",
                     fs_shape_text(part));
}

/* As where a part is assigned: extents of 1 count as none, so that what fills the part
 * exactly has its shape. `*=` and `/=` take their operands as they are. */
static enum fs_status fill_part(struct fs_interp *in, const struct fs_expr *e,
                                const struct fs_tensor *part, struct fs_val *value) {
  bool adds = e->op == FS_AO_ADD || e->op == FS_AO_SUB;
  if (!adds || (!fs_val_like(value) && value->kind != FS_V_RANGE)) return FS_OK;
  struct fs_cx t;
  enum fs_status st = value->kind == FS_V_RANGE
                          ? fs_tv_of(in, value, e->args[1]->span, &part->dtype, &t.re)
                          : fs_cx_of(in, value, e->args[1]->span, part->dtype, &t);
  if (st != FS_OK) return st;
  t.real = !fs_val_is_complex(value);
  struct fs_shape a = fs_squeezed(&part->shape), b = fs_squeezed(&t.re.shape);
  if (fs_shape_equal(&part->shape, &t.re.shape) || !fs_shape_equal(&a, &b)) return FS_OK;
  t.re.shape = t.im.shape = part->shape;
  struct fs_val filling = fs_cx_value(in, &t);
  filling.of_element = value->of_element;
  fs_val_unref(*value);
  *value = filling;
  return FS_OK;
}

/* -- A[list] += v ---------------------------------------------------------- */

/* Of `A[list] += v`, where a list may name a place more than once: how each element of v is
 * put to its place, of enum fs_lib_way; -1: as where a part is assigned. */
static int put_by(const struct fs_expr *e, const struct fs_subs *subs, const struct fs_val *right,
                  enum fs_dtype dt) {
  bool repeats = false, one = is_one(right);
  for (int k = 0; k < subs->n; k++)
    repeats |= subs->s[k].kind == FS_SUB_LIST && !subs->s[k].was_mask && subs->s[k].count > 1;
  if (!repeats || dt == FS_BOOL) return -1;
  switch (e->op) {
    case FS_AO_ADD: return FS_LIB_ADD;
    case FS_AO_SUB: return FS_LIB_SUB;
    case FS_AO_MUL: return one ? FS_LIB_MUL : -1;
    case FS_AO_DIV: return one ? FS_LIB_DIV : -1;
    default: return -1;
  }
}

/* Lists along several dimensions: the whole and what is put are vectors then. */
static enum fs_status put_to_crossings(struct fs_interp *in, struct update *u,
                                       const struct fs_subs *subs, int by, struct fs_tv rows) {
  struct fs_shape shape = u->whole.shape, all = {1, {fs_shape_count(&shape)}};
  struct fs_shape count = {1, {fs_shape_count(&rows.shape)}};
  struct fs_tv at, whole = fs_tv_cast(in, u->whole, rows.dtype);
  enum fs_status st = fs_subs_places(in, subs, &shape, &at);
  if (st == FS_OK)
    st = fs_tv_combine(in, by, fs_tv_in_rows(in, whole, &all), fs_tv_in_rows(in, at, &count), 0,
                       fs_tv_in_rows(in, rows, &count), u->span, &whole);
  if (st == FS_OK) u->whole = fs_tv_in_rows(in, fs_tv_cast(in, whole, u->whole.dtype), &shape);
  return st;
}

/* A list along dimension `dim`, a number, a range or everything along the other, within
 * which is put. */
static enum fs_status put_to_lines(struct fs_interp *in, struct update *u,
                                   const struct fs_subs *subs, int dim, int by, struct fs_tv rows) {
  struct fs_subs band = *subs;
  const struct fs_sub *s = &subs->s[dim];
  band.s[dim] = (struct fs_sub){FS_SUB_RANGE, 1, 1, u->whole.shape.dim[dim], {FS_V_NONE}, s->span,
                             false, false};
  struct fs_tv part = fs_tv_cast(in, u->whole, rows.dtype), list;
  struct fs_view v = fs_subs_view(&band, &u->whole.shape, &part.shape);
  struct fs_shape sq = fs_squeezed(&part.shape), shape = part.shape;
  part.node = fs_graph_view(fs_block_graph(in), part.node, &v, &sq);
  enum fs_status st = fs_tv_of(in, &s->list, s->span, NULL, &list);
  if (st != FS_OK) return st;
  if (dim == 1) part = fs_tv_transpose(in, part), rows = fs_tv_transpose(in, rows);
  in->span = s->span;
  st = fs_tv_combine(in, by, part, list, fs_subs_words(subs, dim), rows, u->span, &part);
  if (st != FS_OK) return st;
  if (dim == 1) part = fs_tv_transpose(in, part);
  part.shape = shape;
  u->value = fs_tv_cast(in, part, u->whole.dtype);
  return assign_view(in, u, &band);
}

/* `right` as one element for each that is chosen, of the type that both have together. */
static enum fs_status chosen_rows(struct fs_interp *in, const struct fs_val *right,
                                  const struct update *u, const struct fs_shape *part,
                                  enum fs_dtype together, struct fs_tv *out) {
  enum fs_status st = fs_tv_of(in, right, u->value_span, &together, out);
  if (st != FS_OK) return st;
  *out = fs_tv_cast(in, *out, together);
  if (fs_tv_is_one(out)) *out = fs_tv_repeat(in, out->node, part);
  else out->node = fs_tv_spread(in, out, part);
  out->shape = *part;
  return FS_OK;
}

static enum fs_status assign_combined(struct fs_interp *in, struct update *u,
                                      const struct fs_subs *subs, int by,
                                      const struct fs_val *right, enum fs_dtype together) {
  struct fs_shape part = fs_subs_shape(subs), shape = u->whole.shape;
  struct fs_subs all = *subs;
  struct fs_tv rows;
  int lists = 0, dim = 0;
  for (int k = 0; k < subs->n; k++)
    if (subs->s[k].kind >= FS_SUB_LIST) lists++, dim = k;
  if (subs->linear) {
    u->whole = fs_tv_in_rows(in, u->whole, &(struct fs_shape){1, {fs_shape_count(&shape)}});
    all.n = 1;
  }
  enum fs_status st = chosen_rows(in, right, u, &part, together, &rows);
  if (st == FS_OK)
    st = lists > 1 || all.n > 2 ? put_to_crossings(in, u, subs, by, rows)
                   : put_to_lines(in, u, &all, dim, by, rows);
  if (st == FS_OK && subs->linear) u->whole = fs_tv_in_rows(in, u->whole, &shape);
  return st;
}

/* `A[i] += e`: the part and e, put together. The subscripts were read once: they
 * may draw random numbers, and both uses must mean the same elements. */
static enum fs_status compound_value(struct fs_interp *in,
                                     const struct fs_stmt *s,
                                     const struct fs_val *base,
                                     const struct fs_shape *shape,
                                     const struct fs_subs *subs,
                                     struct fs_val *out, struct fs_val *right) {
  const struct fs_expr *e = s->expr, *left = s->expr2;
  struct fs_val part = {FS_V_NONE};
  enum fs_status st = fs_eval(in, e->args[1], right);
  if (st != FS_OK || chooses_nothing(subs)) {
    if (st == FS_OK) *out = fs_val_ref(*right);
    return st;
  }
  st = fs_subs_choose_value(in, left, fs_subs_all(left) ? NULL : subs, base, shape, false, &part);
  if (st != FS_OK) return st;
  const struct fs_tensor *like = fs_val_like(&part);
  st = fill_part(in, e, like, right);
  if (st == FS_OK) st = check_added(in, e, &like->shape, right);
  if (st == FS_OK)
    st = fs_eval_binary(in, e->op, &part, left->span, right, e->args[1]->span, e->span, out);
  if (st == FS_OK) st = check_product(in, e, &like->shape, right, out);
  fs_val_unref(part);
  return st;
}

/* What a statement puts to which part of a value, and the subscripts that say so. */
struct put {
  const struct fs_stmt *s;
  struct fs_shape full;    /* the whole as the subscripts see it */
  struct fs_subs subs;
  struct fs_val value, right;
  bool compound;
};

/* A real tensor gets the value in the part; `right` is what it was made of by `+=` and the like. */
static enum fs_status update_real(struct fs_interp *in, const struct put *p,
                                  const struct fs_val *base, const struct fs_val *value,
                                  const struct fs_val *right, struct fs_val *out) {
  const struct fs_expr *e = p->s->expr2;
  struct update u = {.value_span = p->s->expr->span, .span = p->s->span};
  struct fs_tv together;
  int by = -1;
  in->span = p->s->span;
  enum fs_status st = fs_tv_of(in, base, e->span, NULL, &u.whole);
  if (st == FS_OK && p->compound && !chooses_nothing(&p->subs)) {
    by = put_by(p->s->expr, &p->subs, right, u.whole.dtype);
    if (by >= 0) st = fs_tv_of(in, value, u.value_span, NULL, &together);
  }
  if (st == FS_OK) st = fs_tv_for_part(in, value, u.value_span, u.whole.dtype, &u.value);
  u.whole.shape = p->full;
  if (st == FS_OK)
    st = fs_subs_all(e) ? assign_all(in, &u)
         : by >= 0 ? assign_combined(in, &u, &p->subs, by, right, together.dtype)
                   : assign_part(in, &u, &p->subs);
  u.whole.shape = base->tensor->shape;
  if (st == FS_OK) *out = fs_tv_value(in, &u.whole);
  return st;
}

/* A complex tensor whose parts are f64. */
static bool is_wide(const struct fs_val *v) {
  const struct fs_tensor *t = v->kind == FS_V_COMPLEX ? fs_val_like(v) : NULL;
  return t && t->dtype == FS_F64;
}

/* Each part of a complex tensor gets that of the value; so does what a list names twice, but for
 * products and quotients, which mix the parts. */
static enum fs_status update_complex(struct fs_interp *in, const struct put *p,
                                     const struct fs_val *base, struct fs_val *out) {
  struct fs_val part[2] = {{FS_V_NONE}, {FS_V_NONE}};
  enum fs_status st = FS_OK;
  int by = p->compound ? put_by(p->s->expr, &p->subs, &p->right, FS_F32) : -1;
  if (by >= FS_LIB_MUL && fs_val_is_complex(&p->right))
    return fs_in_error(in, p->s->span, "wrong-type", "a loop does it one by one",
                       "a list may not name places twice where they are multiplied or divided "
                       "by complex numbers");
  if (is_wide(&p->value) && !is_wide(base))
    fs_tell_narrowed(in, p->s->expr->span, fs_complex_name(FS_F64), fs_complex_name(FS_F32));
  for (int k = 0; k < 2 && st == FS_OK; k++) {
    bool factor = by >= FS_LIB_MUL;
    struct fs_val value = fs_cx_part(&p->value, k);
    struct fs_val right = factor ? fs_val_ref(p->right) : fs_cx_part(&p->right, k);
    st = update_real(in, p, &base->complex->part[k], &value, &right, &part[k]);
    fs_val_unref(value);
    fs_val_unref(right);
  }
  if (st == FS_OK) *out = fs_val_complex(part[0], part[1]);
  else fs_val_unref(part[0]);
  return st;
}

/* A part of `base` gets the statement's value: what that gives. A plain value is
 * computed before the subscripts, which see the old tensor either way. */
static enum fs_status update_tensor(struct fs_interp *in,
                                    const struct fs_stmt *s,
                                    const struct fs_val *base,
                                    struct fs_val *out) {
  const struct fs_expr *e = s->expr2;
  struct put p = {.s = s, .full = fs_val_like(base)->shape};
  p.compound = s->expr->kind == FS_EX_BINARY && s->expr->args[0] == e;
  enum fs_status st = p.compound ? FS_OK : fs_eval(in, s->expr, &p.value);
  if (st == FS_OK && !fs_subs_all(e)) st = fs_subs_read(in, e, &p.full, true, &p.subs);
  for (int k = 0; k < p.subs.n && st == FS_OK; k++)
    if (p.subs.s[k].kind == FS_SUB_MASK && (p.subs.n > 2 || !is_one(&p.value)))
      st = fs_sub_find(in, &p.subs.s[k]);
  if (st == FS_OK && p.compound)
    st = compound_value(in, s, base, &p.full, &p.subs, &p.value, &p.right);
  if (st == FS_OK)
    st = fs_val_is_complex(base) ? update_complex(in, &p, base, out)
                                 : update_real(in, &p, base, &p.value, &p.right, out);
  fs_subs_free(&p.subs);
  fs_val_unref(p.value);
  fs_val_unref(p.right);
  return st;
}

/* -- s.x = v, l[2].y[3] = v ----------------------------------------------------- */

enum { MOST_STEPS = FS_LIST_DEPTH };

/* A statement's place: the parts from the variable on, and the steps that are known. */
struct place {
  const struct fs_expr *parts[MOST_STEPS];
  struct fs_list_step steps[MOST_STEPS];
  struct fs_val names[MOST_STEPS];      /* texts that steps have their names from */
  int n, done;
};

/* One step from a list or record. last: nothing has to be there. */
static enum fs_status step_into(struct fs_interp *in, struct place *p, const struct fs_val *at,
                                bool last) {
  const struct fs_expr *e = p->parts[p->done];
  struct fs_list_step *s = &p->steps[p->done];
  struct fs_val *sub = &p->names[p->done];
  if (e->kind == FS_EX_FIELD) {
    if (at->kind != FS_V_RECORD) {
      struct fs_val none;
      return fs_list_field(in, at, e->text, e->op_span, &none);
    }
    *sub = fs_val_string(e->text, e->text_len);
  }
  enum fs_status st = e->kind == FS_EX_FIELD ? FS_OK : fs_eval_sub(in, e, at, sub);
  struct fs_span span = e->kind == FS_EX_FIELD ? e->op_span : e->args[1]->span;
  if (st == FS_OK) st = fs_pick_place(in, at, sub, span, last, &s->at);
  s->name = sub->kind == FS_V_STRING ? sub->string->text : NULL;
  p->done++;
  return st;
}

/* Goes as far as lists go: *at is what lies there, or NULL where the last step adds. */
static enum fs_status walk_place(struct fs_interp *in, struct place *p,
                                 const struct fs_val **at) {
  enum fs_status st = FS_OK;
  while (p->done < p->n && st == FS_OK && fs_is_list(*at)) {
    const struct fs_list *l = (*at)->list;
    st = step_into(in, p, *at, p->done + 1 == p->n);
    if (st != FS_OK) return st;
    int64_t k = p->steps[p->done - 1].at;
    *at = k < l->len ? &l->items[k] : NULL;
    if (!*at) return FS_OK;
  }
  return st;
}

/* The value that the place gets: of a part of a tensor the changed tensor. */
static enum fs_status place_value(struct fs_interp *in, const struct fs_stmt *s,
                                  const struct place *p, const struct fs_val *at,
                                  struct fs_val *out) {
  if (p->done == p->n) {
    enum fs_status st = fs_eval(in, s->expr, out);
    return st == FS_OK && out->kind == FS_V_NONE ? fs_no_value(in, s->expr) : st;
  }
  const struct fs_expr *e = p->parts[p->done];
  if (p->done + 1 < p->n || e->kind == FS_EX_FIELD || !fs_val_like(at)) {
    struct fs_val none;
    if (e->kind == FS_EX_FIELD) return fs_list_field(in, at, e->text, e->op_span, &none);
    return fs_in_error(in, e->span, "wrong-type", NULL,
                       "only parts of tensors and lists can be assigned; %s is %s",
                       fs_in_text(in, e->args[0]->span), fs_val_text(at));
  }
  struct fs_val base = fs_val_ref(*at);
  enum fs_status st = update_tensor(in, s, &base, out);
  fs_val_unref(base);
  return st;
}

static enum fs_status put_at_place(struct fs_interp *in, const struct fs_stmt *s,
                                   struct place *p) {
  const char *name = s->targets[0].name;
  struct fs_val base, v;
  bool found = fs_lookup(in, name, &base);
  if (!found && p->parts[0]->kind != FS_EX_FIELD)
    return fs_in_error(in, s->targets[0].span, "unknown-name", "make it first: l = {}, s = {x = 1}",
                       "there is nothing called '%.100s' to assign a part of", name);
  if (!found) base = (struct fs_val){.kind = FS_V_RECORD, .list = fs_list_new(0)};
  const struct fs_val *at = &base;
  enum fs_status st = walk_place(in, p, &at);
  if (st == FS_OK) st = place_value(in, s, p, at, &v);
  if (st == FS_OK && p->done) {
    st = fs_list_check_depth(in, p->done + fs_list_depth(&v), s->span);
    if (st != FS_OK) fs_val_unref(v);
  }
  /* A name of the globals that a function changes becomes one of its own. */
  bool own = found && fs_scope_var(in->scope, name);
  if (st == FS_OK && !own) fs_assign(in, name, fs_val_ref(base));
  fs_val_unref(base);
  if (st != FS_OK) return st;
  if (p->done) fs_list_put(in, name, p->steps, p->done, v);
  else fs_assign(in, name, v);
  return FS_OK;
}

enum fs_status fs_exec_place(struct fs_interp *in, const struct fs_stmt *s) {
  struct place p = {.n = 0};
  for (const struct fs_expr *e = s->expr2; e->kind != FS_EX_NAME; e = e->args[0]) p.n++;
  enum fs_status st = p.n <= MOST_STEPS ? FS_OK : fs_list_check_depth(in, p.n, s->expr2->span);
  if (st != FS_OK) return st;
  const struct fs_expr *e = s->expr2;
  for (int k = p.n - 1; k >= 0; k--, e = e->args[0]) p.parts[k] = e;
  st = put_at_place(in, s, &p);
  for (int k = 0; k < p.done; k++) fs_val_unref(p.names[k]);
  const struct fs_val *now = fs_scope_find(in->scope, s->targets[0].name);
  if (st == FS_OK && now && !s->silent && !in->call_depth)
    st = fs_observe(in, s->targets[0].name, *now, s->span);
  return st;
}

enum fs_status fs_exec_indexed(struct fs_interp *in, const struct fs_stmt *s) {
  const struct fs_expr *target = s->expr2->args[0];
  const char *name = s->targets[0].name;
  struct fs_val base, out;
  if (!fs_lookup(in, name, &base))
    return fs_in_error(in, target->span, "unknown-name",
                       "make it first, for instance with zeros(m, n)",
                       "there is no tensor '%.100s' to assign a part of", name);
  if (fs_is_list(&base)) {
    fs_val_unref(base);
    return fs_exec_place(in, s);
  }
  if (!fs_val_like(&base)) {
    enum fs_status wrong =
        fs_in_error(in, target->span, "wrong-type",
                    base.kind == FS_V_RANGE
                        ? "f32(...) or i64(...) makes a tensor of it first"
                        : NULL,
                    "only parts of tensors can be assigned; '%.100s' is %s",
                    name, fs_val_text(&base));
    fs_val_unref(base);
    return wrong;
  }
  enum fs_status st = update_tensor(in, s, &base, &out);
  fs_val_unref(base);
  if (st != FS_OK) return st;
  fs_assign(in, name, fs_val_ref(out));
  if (!s->silent && !in->call_depth) st = fs_observe(in, name, out, s->span);
  fs_val_unref(out);
  return st;
}
