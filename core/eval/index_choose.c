/* index_choose.c - what subscripts that were read choose, and where it lies: see index.h. */
#include <math.h>
#include <stdio.h>

#include "core/eval/index.h"

/* ", where i = 3, j = 1": the rounds of the loops around it. */
static void put_rounds(const struct fs_interp *in, const struct fs_round *r, struct fs_str *out) {
  if (!r || r->scope != in->scope) return;
  put_rounds(in, r->around, out);
  fs_str_printf(out, "%s%.60s = %s", out->len ? ", " : ", where ", r->counter,
                fs_number_text(r->value));
}

static enum fs_status range_error(struct fs_interp *in, struct fs_span span,
                                  double index, const struct fs_sub_of *of) {
  const char *hint = "indices count from 1";
  if (of->assigned && index > (double)of->extent)
    hint = of->rank > 2 || of->dim == FS_NO_DIM ? "assigning does not make a tensor larger"
           : of->dim == 0 ? "assigning does not make it longer; [x; y] puts y below x"
                          : "assigning does not make it wider; [x, y] puts y beside x";
  struct fs_str where = {0};
  put_rounds(in, in->round, &where);
  char extent[64];
  if (of->dim == FS_NO_DIM)
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

enum fs_status fs_sub_int(struct fs_interp *in, double x,
                                struct fs_span span, const struct fs_sub_of *of,
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

/* -- places ------------------------------------------------------------------ */

enum fs_status fs_tv_places(struct fs_interp *in, const struct fs_shape *whole, int n,
                            const struct fs_val *v, const struct fs_span *spans,
                            struct fs_span span, struct fs_tv *out) {
  struct fs_subs subs = {.n = n};
  for (int k = 0; k < n; k++) {
    struct fs_sub *s = &subs.s[k];
    struct fs_sub_of of = {whole->dim[k], k, whole->rank, false};
    struct fs_tv list;
    enum fs_status st = fs_tv_of(in, &v[k], spans[k], NULL, &list);
    if (st != FS_OK) return st;
    struct fs_shape shape = list.shape, count = {1, {fs_shape_count(&shape)}};
    double x = 0;
    *s = (struct fs_sub){.kind = FS_SUB_LIST, .step = 1, .count = count.dim[0], .span = spans[k]};
    if (fs_val_is_host(&v[k])) {
      s->kind = FS_SUB_RANGE;
      st = fs_read_number(in, &v[k], spans[k], "an index", &x);
      if (st == FS_OK) st = fs_sub_int(in, x, spans[k], &of, &s->first);
    } else {
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
