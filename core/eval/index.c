/* index.c - A[i, j]; index_put.c has A[i, j] = v.
 *
 * Subscripts that are numbers, ranges or `:` make a view (no copy, no kernel);
 * lists stay where they are and are checked as they are used (GATHER, INVERT), masks
 * become lists (FIND), for which the host reads how many elements they choose.
 *
 * Extents of the result: a number drops its dimension when it is the last one
 * and leaves an extent of 1 otherwise, so A[i, :] is a row and A[:, j] a column.
 */
#include <math.h>
#include <stdio.h>

#include "core/eval/index.h"

void fs_subs_free(struct fs_subs *subs) {
  for (int k = 0; k < subs->n; k++) fs_val_unref(subs->s[k].list);
}

/* -- reading subscripts ---------------------------------------------------- */

/* What subscripts are held against: one dimension of a value, which is read or
 * `assigned` to. */
struct sub_of {
  int64_t extent;
  int dim; /* NO_DIM: all elements as one, row by row */
  int rank;
  bool assigned;
};
#define NO_DIM (-1)

/* ", where i = 3, j = 1": the rounds of the loops around it. */
static void put_rounds(const struct fs_interp *in, const struct fs_round *r, struct fs_str *out) {
  if (!r || r->scope != in->scope) return;
  put_rounds(in, r->around, out);
  fs_str_printf(out, "%s%.60s = %s", out->len ? ", " : ", where ", r->counter,
                fs_number_text(r->value));
}

static enum fs_status range_error(struct fs_interp *in, struct fs_span span,
                                  double index, const struct sub_of *of) {
  const char *hint = "indices count from 1";
  if (of->assigned && index > (double)of->extent)
    hint = of->rank > 2 || of->dim == NO_DIM ? "assigning does not make a tensor larger"
           : of->dim == 0 ? "assigning does not make it longer; [x; y] puts y below x"
                          : "assigning does not make it wider; [x, y] puts y beside x";
  struct fs_str where = {0};
  put_rounds(in, in->round, &where);
  char extent[64];
  if (of->dim == NO_DIM)
    snprintf(extent, sizeof extent, "there are %lld elements", (long long)of->extent);
  else
    snprintf(extent, sizeof extent, "dimension %d has extent %lld", of->dim + 1,
             (long long)of->extent);
  enum fs_status st = fs_in_error(in, span, "out-of-range", hint,
                                  "index %s is out of range: %s%s", fs_number_text(index),
                                  extent, fs_str_text(&where));
  fs_str_free(&where);
  return st;
}

static enum fs_status check_int(struct fs_interp *in, double x,
                                struct fs_span span, const struct sub_of *of,
                                int64_t *out) {
  if (x != floor(x))
    return fs_in_error(in, span, "bad-index", NULL,
                       "an index must be a whole number, not %s",
                       fs_number_text(x));
  int64_t i = fabs(x) < 9e15 ? (int64_t)x : -1;
  *out = i;
  if (i >= 1 && i <= of->extent) return FS_OK;
  return range_error(in, span, x, of);
}

static enum fs_status range_sub(struct fs_interp *in, const struct fs_val *v,
                                const struct sub_of *of, struct fs_sub *out) {
  out->kind = FS_SUB_RANGE;
  out->count = fs_range_count(v);
  out->first = out->step = 1;
  if (out->count < 1) return FS_OK;
  double last = v->start + (double)(out->count - 1) * v->step;
  int64_t unused;
  enum fs_status st = check_int(in, v->start, out->span, of, &out->first);
  if (st == FS_OK) st = check_int(in, last, out->span, of, &unused);
  if (st == FS_OK && v->step != floor(v->step))
    st = fs_in_error(in, out->span, "bad-index", NULL,
                     "the step of an index range must be whole");
  out->step = out->count > 1 ? fs_number_of_real(v->step).i : 1;
  return st;
}

enum fs_status fs_tv_flatten(struct fs_interp *in, struct fs_tv *t) {
  struct fs_shape all = {1, {fs_shape_count(&t->shape)}};
  return fs_tv_reshape(in, *t, &all, t);
}

/* How many elements of a mask are true: of one handle it is counted once. */
static enum fs_status count_true(struct fs_interp *in, const struct fs_val *mask,
                                 struct fs_span span, int64_t *count) {
  struct fs_tensor *m = mask->tensor;
  struct fs_tv t;
  double found = 0;
  enum fs_status st = fs_force(in, m); /* it is used twice */
  *count = m->true_known ? m->n_true : 0;
  if (st != FS_OK || m->true_known) return st;
  st = fs_tv_of(in, mask, span, NULL, &t);
  if (st != FS_OK) return st;
  struct fs_tv sum = fs_tv_reduce(in, FS_RD_SUM, fs_tv_cast(in, t, FS_I64), 0);
  struct fs_val number = fs_tv_value(in, &sum);
  st = fs_read_number(in, &number, span, "a count", &found);
  fs_val_unref(number);
  if (st != FS_OK) return st;
  *count = m->n_true = (int64_t)found;
  m->true_known = true;
  return FS_OK;
}

enum fs_status fs_find_true(struct fs_interp *in, const struct fs_val *mask,
                            struct fs_span span, struct fs_val *out, int64_t *count) {
  struct fs_tv t;
  enum fs_status st = count_true(in, mask, span, count);
  *out = (struct fs_val){FS_V_NONE};
  if (st != FS_OK) return st;
  st = fs_tv_of(in, mask, span, NULL, &t);
  if (st == FS_OK) st = fs_tv_flatten(in, &t);
  if (st != FS_OK) return st;
  struct fs_tv list = {0, FS_I64, fs_shape_of(1, count)};
  list.node = fs_graph_lib(fs_block_graph(in), FS_LIB_FIND, FS_I64, &list.shape,
                           t.node, &t.shape, 0, NULL, 0);
  *out = fs_tv_value(in, &list);
  return FS_OK;
}

/* Makes a mask the list of the positions of its true elements. */
enum fs_status fs_sub_find(struct fs_interp *in, struct fs_sub *s) {
  struct fs_val list;
  enum fs_status st = fs_find_true(in, &s->list, s->span, &list, &s->count);
  if (st != FS_OK) return st;
  fs_val_unref(s->list);
  s->list = list;
  s->kind = FS_SUB_LIST;
  s->was_mask = true;
  return FS_OK;
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

static enum fs_status read_sub(struct fs_interp *in, const struct fs_expr *e,
                               const struct sub_of *of, struct fs_sub *out) {
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
  if (truth) {
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
    *out = (struct fs_sub){FS_SUB_INT, 0, 0, 1, {FS_V_NONE}, e->span, false, false};
    if (st == FS_OK) st = check_int(in, x, e->span, of, &out->first);
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
    struct sub_of all = {fs_shape_count(shape), NO_DIM, shape->rank, assigned};
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
    struct sub_of of = {shape->dim[d], d, shape->rank, assigned};
    st = read_sub(in, e->args[1 + k], &of, &out->s[d]);
    if (st == FS_OK && n > 1 && !assigned) st = flatten_list(in, &out->s[d]);
    if (st != FS_OK) return st;
  }
  return FS_OK;
}

/* -- views ----------------------------------------------------------------- */

/* The shape that subscripts choose; lists count like ranges. */
struct fs_shape fs_subs_shape(const struct fs_subs *subs) {
  struct fs_shape s = {.rank = subs->n};
  for (int k = 0; k < subs->n; k++) s.dim[k] = subs->s[k].count;
  while (s.rank > 0 && subs->s[s.rank - 1].kind == FS_SUB_INT) s.rank--;
  return s;
}

/* The view from the chosen part to the whole; lists take everything. `part` is
 * the part's shape with all dimensions of the whole. */
struct fs_view fs_subs_view(const struct fs_subs *subs,
                                const struct fs_shape *shape,
                                struct fs_shape *part) {
  int whole_axis[FS_MAX_RANK], part_axis[FS_MAX_RANK];
  part->rank = shape->rank;
  for (int k = 0; k < shape->rank; k++)
    part->dim[k] =
        subs->s[k].kind >= FS_SUB_LIST ? shape->dim[k] : subs->s[k].count;
  struct fs_shape sq = fs_squeeze(shape, whole_axis);
  fs_squeeze(part, part_axis);
  struct fs_view v = {.src_rank = sq.rank};
  for (int k = 0; k < shape->rank; k++) {
    int a = whole_axis[k];
    if (a < 0) continue;
    const struct fs_sub *s = &subs->s[k];
    bool list = s->kind >= FS_SUB_LIST;
    v.axis[a] = (int8_t)part_axis[k];
    v.step[a] = part_axis[k] < 0 ? 0 : list ? 1 : s->step;
    v.off[a] = list ? 0 : s->first - 1;
  }
  return v;
}

/* A range of all elements of a matrix, row by row, as a view of the matrix: part of a row or
 * of a column, a diagonal. False: it goes around a corner. */
bool fs_subs_line(const struct fs_subs *subs, const struct fs_shape *shape, struct fs_view *v) {
  const struct fs_sub *s = &subs->s[0];
  if (shape->rank != 2 || s->kind != FS_SUB_RANGE || s->count < 1) return false;
  int64_t cols = shape->dim[1], i = (s->first - 1) / cols, j = (s->first - 1) % cols;
  for (int way = 0; way < 2; way++) {
    int64_t right = s->step % cols - (way ? (s->step % cols < 0 ? -cols : cols) : 0);
    int64_t down = (s->step - right) / cols, more = s->count - 1;
    int64_t row = i + more * down, col = j + more * right;
    if (row < 0 || row >= shape->dim[0] || col < 0 || col >= cols) continue;
    int8_t axis = more ? 0 : -1;
    *v = (struct fs_view){2, {axis, axis}, {i, j}, {more ? down : 0, more ? right : 0}};
    for (int d = 0; d < 2 && more; d++)
      if (!v->step[d]) v->axis[d] = -1;
    return true;
  }
  return false;
}

/* -- gathering ------------------------------------------------------------- */

enum fs_status fs_tv_gather(struct fs_interp *in, struct fs_tv a, struct fs_tv list,
                            unsigned of, struct fs_tv *out) {
  struct fs_shape sq = fs_squeezed(&a.shape), result = a.shape;
  result.dim[0] = fs_shape_count(&list.shape);
  if (result.rank == 0) result.rank = 1;
  if (list.shape.rank > 1) result = list.shape;
  *out = (struct fs_tv){0, a.dtype, result};
  struct fs_graph *g = fs_block_graph(in);
  if (sq.rank == 0 && fs_graph_is_list(g, list.node, 1)) { /* chosen n times */
    struct fs_view none = {0};
    struct fs_shape to = fs_squeezed(&result);
    out->node = to.rank ? fs_graph_view(g, a.node, &none, &to) : a.node;
    return FS_OK;
  }
  struct fs_shape from = sq.rank == 0 ? fs_shape_of(1, (int64_t[]){1})
                         : a.shape.rank == 1 || fs_cols(&a.shape) == 1
                             ? fs_shape_of(1, a.shape.dim)
                             : a.shape;
  if (fs_graph_is_list(g, list.node, from.dim[0])) of |= FS_LIB_IN_RANGE;
  out->node = fs_graph_lib(g, FS_LIB_GATHER, a.dtype, &result, a.node, &from, list.node,
                           &list.shape, of);
  return FS_OK;
}

unsigned fs_subs_words(const struct fs_subs *subs, int k) {
  if (subs->n != 2) return 0;
  return k == 1 ? FS_LIB_OF_COLUMNS : FS_LIB_OF_ROWS;
}

/* The elements, row by row, in a shape of as many. */
struct fs_tv fs_tv_in_rows(struct fs_interp *in, struct fs_tv a, const struct fs_shape *shape) {
  struct fs_shape from = fs_squeezed(&a.shape), to = fs_squeezed(shape);
  if (from.rank > 1 || to.rank > 1)
    a.node = fs_graph_lib(fs_block_graph(in), FS_LIB_RESHAPE, a.dtype, &to, a.node, &from, 0,
                          NULL, 0);
  a.shape = *shape;
  return a;
}

/* Which place, row by row and from `first`, the elements have that one subscript of dimension
 * k names, as far as this subscript tells; along dimension k. */
static enum fs_status places_along(struct fs_interp *in, const struct fs_subs *subs, int k,
                                   const struct fs_shape *whole, int first, struct fs_tv *out) {
  const struct fs_sub *s = &subs->s[k];
  enum fs_dtype dt = fs_shape_count(whole) <= INT32_MAX ? FS_I32 : FS_I64;
  double stride = 1;
  for (int d = k + 1; d < whole->rank; d++) stride *= (double)whole->dim[d];
  bool list = s->kind >= FS_SUB_LIST;
  int64_t n = list ? whole->dim[k] : s->count;
  struct fs_tv places = fs_tv_iota(in, dt, n, first + (list ? 0 : (double)(s->first - 1) * stride),
                                   list ? stride : (double)s->step * stride);
  enum fs_status st = FS_OK;
  if (list) {
    struct fs_tv chosen;
    st = fs_tv_of(in, &s->list, s->span, NULL, &chosen);
    in->span = s->span;
    if (st == FS_OK) st = fs_tv_gather(in, places, chosen, fs_subs_words(subs, k), &places);
  }
  places.shape = (struct fs_shape){.rank = whole->rank};
  for (int d = 0; d < whole->rank; d++) places.shape.dim[d] = d == k ? s->count : 1;
  *out = places;
  return st;
}

/* The places, row by row, of all elements where what the subscripts choose crosses. */
enum fs_status fs_subs_places(struct fs_interp *in, const struct fs_subs *subs,
                                      const struct fs_shape *whole, struct fs_tv *out) {
  for (int k = 0; k < subs->n; k++) {
    struct fs_tv at;
    enum fs_status st = places_along(in, subs, k, whole, k == subs->n - 1, &at);
    if (st != FS_OK) return st;
    *out = k ? fs_tv_map2(in, FS_OP_ADD, *out, at) : at;
  }
  return FS_OK;
}

/* Lists in a value of three dimensions or more. */
static enum fs_status gather_crossings(struct fs_interp *in, const struct fs_subs *subs,
                                       const struct fs_shape *shape, struct fs_tv *t) {
  struct fs_tv places;
  enum fs_status st = fs_tv_flatten(in, t);
  if (st == FS_OK) st = fs_subs_places(in, subs, shape, &places);
  if (st == FS_OK) st = fs_tv_gather(in, *t, places, FS_LIB_IN_RANGE, t);
  return st;
}

static bool has_list(const struct fs_subs *subs) {
  for (int k = 0; k < subs->n; k++)
    if (subs->s[k].kind >= FS_SUB_LIST) return true;
  return false;
}

/* Applies the list subscripts one after the other. */
static enum fs_status gather_lists(struct fs_interp *in,
                                   const struct fs_subs *subs, struct fs_tv *t) {
  for (int k = 0; k < subs->n; k++) {
    const struct fs_sub *s = &subs->s[k];
    if (s->kind != FS_SUB_LIST) continue;
    struct fs_tv from = *t, got, list;
    if (k == 1) from = fs_tv_transpose(in, from);
    enum fs_status st = fs_tv_of(in, &s->list, s->span, NULL, &list);
    in->span = s->span;
    if (st == FS_OK) st = fs_tv_flatten(in, &list);
    if (st == FS_OK) st = fs_tv_gather(in, from, list, fs_subs_words(subs, k), &got);
    if (st != FS_OK) return st;
    if (k == 1) {
      got.shape = fs_shape_of(2, (int64_t[]){fs_rows(&got.shape),
                                             fs_cols(&got.shape)});
      got = fs_tv_transpose(in, got);
    }
    *t = got;
  }
  return FS_OK;
}

/* The list of x[J] where J is no vector: the result has its shape. NULL: there is none. */
static const struct fs_sub *list_of_shape(const struct fs_subs *subs) {
  const struct fs_sub *s = &subs->s[0]; /* of a row, its second one */
  if (subs->given != 1 || subs->linear) return NULL;
  if (s->kind != FS_SUB_LIST && subs->n > 1) s++;
  if (s->kind != FS_SUB_LIST) return NULL;
  struct fs_shape sq = fs_squeezed(&s->list.tensor->shape);
  return sq.rank > 1 ? s : NULL;
}

static enum fs_status gather_in_shape(struct fs_interp *in, const struct fs_sub *s,
                                      struct fs_tv *t) {
  struct fs_tv list;
  struct fs_shape shape = s->list.tensor->shape;
  enum fs_status st = fs_tv_flatten(in, t);
  struct fs_val whole = fs_tv_value(in, t);
  if (st == FS_OK) st = fs_tv_of(in, &s->list, s->span, NULL, &list);
  bool known = st == FS_OK && fs_graph_is_list(fs_block_graph(in), list.node,
                                               fs_shape_count(&t->shape));
  if (st == FS_OK && !known) st = fs_tv_flatten(in, &list);
  if (st == FS_OK) st = fs_tv_of(in, &whole, s->span, NULL, t);
  in->span = s->span;
  if (st == FS_OK) st = fs_tv_gather(in, *t, list, 0, t);
  fs_val_unref(whole);
  return st != FS_OK || known ? st : fs_tv_reshape(in, *t, &shape, t);
}

/* A[:]: every element of a value, as a column. */
bool fs_subs_all(const struct fs_expr *e) {
  return e->n_args == 2 && e->args[1]->kind == FS_EX_COLON;
}

/* What subscripts that were read choose of `whole`, seen in the shape that they
 * were read for. */
enum fs_status fs_subs_choose(struct fs_interp *in, const struct fs_subs *subs,
                                  const struct fs_val *whole,
                                  const struct fs_shape *shape,
                                  struct fs_span span, struct fs_tv *t) {
  enum fs_status st = fs_tv_of(in, whole, span, NULL, t);
  in->span = span;
  t->shape = *shape;
  if (st != FS_OK) return st;
  if (subs->linear) {
    struct fs_tv list;
    struct fs_view lies;
    if (fs_subs_line(subs, shape, &lies)) {
      t->shape = fs_shape_of(1, &subs->s[0].count);
      struct fs_shape line = fs_squeezed(&t->shape);
      t->node = fs_graph_view(fs_block_graph(in), t->node, &lies, &line);
      return FS_OK;
    }
    st = fs_tv_flatten(in, t);
    if (subs->s[0].kind == FS_SUB_RANGE) {
      struct fs_shape line;
      lies = fs_subs_view(subs, &t->shape, &line);
      t->shape = line;
      line = fs_squeezed(&line);
      t->node = fs_graph_view(fs_block_graph(in), t->node, &lies, &line);
      return st;
    }
    if (st == FS_OK) st = fs_tv_of(in, &subs->s[0].list, span, NULL, &list);
    in->span = subs->s[0].span;
    return st == FS_OK ? fs_tv_gather(in, *t, list, 0, t) : st;
  }
  const struct fs_sub *by = list_of_shape(subs);
  if (by) return gather_in_shape(in, by, t);
  struct fs_shape part;
  if (subs->n > 2 && has_list(subs)) {
    st = gather_crossings(in, subs, shape, t);
    t->shape = fs_subs_shape(subs);
    return st;
  }
  struct fs_view v = fs_subs_view(subs, shape, &part);
  struct fs_shape sq = fs_squeezed(&part);
  t->node = fs_graph_view(fs_block_graph(in), t->node, &v, &sq);
  t->shape = part;
  st = gather_lists(in, subs, t);
  t->shape = fs_subs_shape(subs);
  return st;
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

/* -- places ------------------------------------------------------------------ */

enum fs_status fs_tv_places(struct fs_interp *in, const struct fs_shape *whole, int n,
                            const struct fs_val *v, const struct fs_span *spans,
                            struct fs_span span, struct fs_tv *out) {
  struct fs_subs subs = {.n = n};
  for (int k = 0; k < n; k++) {
    struct fs_sub *s = &subs.s[k];
    struct sub_of of = {whole->dim[k], k, whole->rank, false};
    struct fs_tv list;
    enum fs_status st = fs_tv_of(in, &v[k], spans[k], NULL, &list);
    struct fs_shape shape = list.shape, count = {1, {fs_shape_count(&shape)}};
    double x = 0;
    *s = (struct fs_sub){.kind = FS_SUB_LIST, .step = 1, .count = count.dim[0], .span = spans[k]};
    if (fs_val_is_host(&v[k])) {
      s->kind = FS_SUB_RANGE;
      st = fs_read_number(in, &v[k], spans[k], "an index", &x);
      if (st == FS_OK) st = check_int(in, x, spans[k], &of, &s->first);
    } else if (st == FS_OK) {
      list = fs_tv_in_rows(in, list, &count);
      s->list = fs_tv_value(in, &list);
    }
    struct fs_tv at;
    if (st == FS_OK) st = places_along(in, &subs, k, whole, k == n - 1, &at);
    fs_val_unref(s->list);
    if (st != FS_OK) return st;
    at.shape = count;
    at = fs_tv_in_rows(in, at, &shape);
    struct fs_tv both[2] = {*out, at};
    struct fs_span two[2] = {spans[FS_MAX(k - 1, 0)], spans[k]};
    if (!k) *out = at;
    else st = fs_tv_map(in, FS_OP_ADD, 2, both, two, span, "places", out);
    if (st != FS_OK) return st;
  }
  *out = fs_tv_cast(in, *out, FS_I64);
  return FS_OK;
}
