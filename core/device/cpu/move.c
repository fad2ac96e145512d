/* move.c - elements moved on host memory, and their places found: GATHER, FIND,
 * INVERT, RESHAPE; rows put to others: COMBINE. */
#include "core/ranks/ranks.h"
#include <math.h>
#include <string.h>

#include "core/device/cpu/lapack.h"

enum { AT_ONCE = 1024 };

/* -- reading lists --------------------------------------------------------------- */

/* A whole number from 1 to `extent`, less 1; or -1. */
static inline int64_t place_of(double x, int64_t extent) {
  return x >= 1 && x <= (double)extent && floor(x) == x ? (int64_t)x - 1 : -1;
}

static inline int64_t whole_place(int64_t x, int64_t extent) {
  return x >= 1 && x <= extent ? x - 1 : -1;
}

/* Elements first .. first + n - 1 of a list, as places from 0 on; -1 for what is not
 * a whole number from 1 to `extent`. */
static void read_places(const struct fs_lib_array *list, int64_t first, int64_t n,
                        int64_t extent, int64_t *out) {
  int64_t stride = fs_lib_list_stride(list);
  const char *p = (const char *)list->ptr +
                  first * stride * (int64_t)fs_dtype_size(list->dtype);
  switch (list->dtype) {
#define FS_DTYPE_C(id, stored, value, number, ...)                         \
  case FS_##id:                                                            \
    for (int64_t e = 0; e < n; e++) {                                      \
      const stored x = ((const stored *)p)[e * stride];                    \
      out[e] = fs_dtype_is_float(FS_##id) ? place_of(number, extent)       \
                                          : whole_place(number, extent);   \
    }                                                                      \
    break;
#include "core/graph/dtypes.def"
    default: break;
  }
}

static double value_at(const struct fs_lib_array *list, int64_t e) {
  return fs_element_get(list->dtype, (const char *)list->ptr +
                        e * fs_lib_list_stride(list) * (int64_t)fs_dtype_size(list->dtype)).f;
}

/* The error of the first wrong one of `n` places that were read from `first` on. */
static enum fs_status check_places(const struct fs_lib_call *c,
                                   const struct fs_lib_array *list, int64_t first,
                                   const int64_t *place, int64_t n,
                                   struct fs_diags *d) {
  for (int64_t e = 0; e < n; e++) {
    if (place[e] >= 0) continue;
    return fs_lib_bad_index(c, value_at(list, first + e), first + e + 1, d);
  }
  return fs_interrupted() ? FS_INTERRUPTED : FS_OK;
}

/* -- GATHER ------------------------------------------------------------------------ */

struct rows {                     /* of the operand, to the result          */
  const char *from;
  char *to;
  int64_t from_i, from_j, to_i, to_j, width;      /* in elements            */
};

static struct rows rows_of(const struct fs_lib_call *c) {
  const struct fs_lib_array *a = &c->a, *o = &c->out;
  if (c->by_element)
    return (struct rows){a->ptr, o->ptr, fs_lib_list_stride(a), 0, fs_lib_list_stride(o), 0, 1};
  return (struct rows){a->ptr, o->ptr, a->stride[0], a->stride[1],
                       o->stride[0], o->stride[1], a->dim[1]};
}

#define FS_COPY_ROWS(TYPE)                                                     \
  for (int64_t e = 0; e < n; e++) {                                            \
    const TYPE *from = (const TYPE *)r->from + place[e] * r->from_i;           \
    TYPE *to = (TYPE *)r->to + (first + e) * r->to_i;                          \
    for (int64_t j = 0; j < r->width; j++) to[j * r->to_j] = from[j * r->from_j]; \
  }                                                                            \
  break

#define FS_COPY_COLUMNS(TYPE)                                                  \
  for (int64_t j = 0; j < r->width; j++) {                                     \
    const TYPE *from = (const TYPE *)r->from + j * r->from_j;                  \
    TYPE *to = (TYPE *)r->to + first * r->to_i + j * r->to_j;                  \
    for (int64_t e = 0; e < n; e++) to[e * r->to_i] = from[place[e] * r->from_i]; \
  }                                                                            \
  break

/* Columns are chosen row by row, in which they are neighbours. */
static void copy_columns(const struct rows *r, size_t size, int64_t first,
                         const int64_t *place, int64_t n) {
  switch (size) {
    case 1: FS_COPY_COLUMNS(uint8_t);
    case 2: FS_COPY_COLUMNS(uint16_t);
    case 4: FS_COPY_COLUMNS(uint32_t);
    default: FS_COPY_COLUMNS(uint64_t);
  }
}

static void copy_rows(const struct rows *r, size_t size, int64_t first,
                      const int64_t *place, int64_t n) {
  bool dense = r->width > 1 && r->from_j == 1 && r->to_j == 1;
  if (dense) {
    for (int64_t e = 0; e < n; e++)
      memcpy(r->to + (first + e) * r->to_i * (int64_t)size,
             r->from + place[e] * r->from_i * (int64_t)size, size * (size_t)r->width);
    return;
  }
  if (r->width > 1 && llabs(r->from_i) < llabs(r->from_j)) {
    copy_columns(r, size, first, place, n);
    return;
  }
  switch (size) {
    case 1: FS_COPY_ROWS(uint8_t);
    case 2: FS_COPY_ROWS(uint16_t);
    case 4: FS_COPY_ROWS(uint32_t);
    default: FS_COPY_ROWS(uint64_t);
  }
}

static enum fs_status gather(const struct fs_lib_call *c, struct fs_diags *d) {
  int64_t count = fs_lib_count(&c->b), place[AT_ONCE];
  int64_t extent = c->by_element ? fs_lib_count(&c->a) : c->a.dim[0];
  struct rows rows = rows_of(c);
  enum fs_status status = FS_OK;
  for (int64_t e = 0; e < count && status == FS_OK; e += AT_ONCE) {
    int64_t n = FS_MIN(count - e, AT_ONCE);
    read_places(&c->b, e, n, extent, place);
    status = check_places(c, &c->b, e, place, n, d);
    if (status == FS_OK) copy_rows(&rows, fs_dtype_size(c->a.dtype), e, place, n);
  }
  return status;
}

/* -- FIND, INVERT -------------------------------------------------------------------- */

/* The result has as many elements as are true: who asked has counted them. */
static enum fs_status find(const struct fs_lib_call *c) {
  int64_t n = fs_lib_count(&c->a), most = fs_lib_count(&c->out), found = 0;
  int64_t from_i = fs_lib_list_stride(&c->a), to_i = fs_lib_list_stride(&c->out);
  const uint8_t *mask = c->a.ptr;
  int64_t *to = c->out.ptr;
  for (int64_t e = 0; e < n && found < most; e++) {
    to[found * to_i] = e + 1; /* no branch, which a mask would make a guess */
    found += mask[e * from_i] != 0;
  }
  return FS_OK;
}

static enum fs_status invert(const struct fs_lib_call *c, struct fs_diags *d) {
  int64_t count = fs_lib_count(&c->a), extent = fs_lib_count(&c->out);
  int64_t to_i = fs_lib_list_stride(&c->out), place[AT_ONCE], *to = c->out.ptr;
  int32_t *to_small = c->out.dtype == FS_I32 ? c->out.ptr : NULL;
  enum fs_status status = FS_OK;
  for (int64_t j = 0; j < extent; j++)
    if (to_small)
      to_small[j * to_i] = 0;
    else
      to[j * to_i] = 0;
  for (int64_t e = 0; e < count && status == FS_OK; e += AT_ONCE) {
    int64_t n = FS_MIN(count - e, AT_ONCE);
    read_places(&c->a, e, n, extent, place);
    status = check_places(c, &c->a, e, place, n, d);
    for (int64_t k = 0; k < n && status == FS_OK; k++)
      if (to_small)
        to_small[place[k] * to_i] = (int32_t)(e + k + 1);
      else
        to[place[k] * to_i] = e + k + 1;
  }
  return status;
}

/* -- RESHAPE -------------------------------------------------------------------------- */

struct walk {                     /* through an array, row-major               */
  int rank;                       /* >= 1: extents of 1 are left out           */
  int64_t dim[FS_MAX_RANK], stride[FS_MAX_RANK], at[FS_MAX_RANK], offset;
};

static struct walk walk_of(const struct fs_lib_array *a) {
  struct walk w = {.rank = 0};
  for (int k = 0; k < a->rank; k++) {
    if (a->dim[k] == 1) continue;
    w.dim[w.rank] = a->dim[k];
    w.stride[w.rank++] = a->stride[k];
  }
  if (!w.rank) w.dim[w.rank++] = 1;
  return w;
}

/* How many elements are left in the row that the walk is in. */
static int64_t left_in_row(const struct walk *w) {
  return w->dim[w->rank - 1] - w->at[w->rank - 1];
}

/* Goes on by n elements, n <= left_in_row(). */
static void advance(struct walk *w, int64_t n) {
  int k = w->rank - 1;
  w->at[k] += n;
  w->offset += n * w->stride[k];
  for (; k > 0 && w->at[k] == w->dim[k]; k--) {
    w->offset += w->stride[k - 1] - w->at[k] * w->stride[k];
    w->at[k] = 0;
    w->at[k - 1]++;
  }
}

#define FS_COPY_RUN(TYPE)                                              \
  for (int64_t e = 0; e < n; e++)                                      \
    ((TYPE *)to)[e * to_step] = ((const TYPE *)from)[e * from_step];   \
  break

static void copy_run(char *to, int64_t to_step, const char *from, int64_t from_step,
                     int64_t n, int64_t size) {
  if (to_step == 1 && from_step == 1) {
    memcpy(to, from, (size_t)(n * size));
    return;
  }
  switch (size) {
    case 1: FS_COPY_RUN(uint8_t);
    case 2: FS_COPY_RUN(uint16_t);
    case 4: FS_COPY_RUN(uint32_t);
    default: FS_COPY_RUN(uint64_t);
  }
}

/* n elements to where the elements from number `first` on go, row by row. */
static void put_run(char *out, const struct walk *to, int64_t first, const char *from,
                    int64_t from_step, int64_t n, int64_t size) {
  int64_t row_step = to->rank == 2 ? to->stride[0] : 0, step = to->stride[to->rank - 1];
  int64_t width = to->dim[to->rank - 1];
  for (int64_t done = 0, some; done < n; done += some) {
    int64_t row = (first + done) / width, column = (first + done) % width;
    some = FS_MIN(n - done, width - column);
    copy_run(out + (row * row_step + column * step) * size, step,
             from + done * from_step * size, from_step, some, size);
  }
}

/* The rows of a matrix whose columns lie closer together than its rows: in strips of
 * columns, so that what is read with one element is there for its neighbours. */
static enum fs_status reshape_columns(const struct fs_lib_call *c, const struct walk *from,
                                      const struct walk *to) {
  enum { STRIP = 32 };
  int64_t m = from->dim[0], n = from->dim[1], size = (int64_t)fs_dtype_size(c->a.dtype);
  for (int64_t i0 = 0; i0 < m; i0 += STRIP) {
    for (int64_t j0 = 0; j0 < n; j0 += STRIP)
      for (int64_t i = i0; i < FS_MIN(i0 + STRIP, m); i++)
        put_run(c->out.ptr, to, i * n + j0,
                (const char *)c->a.ptr +
                    (i * from->stride[0] + j0 * from->stride[1]) * size,
                from->stride[1], FS_MIN(STRIP, n - j0), size);
    if (fs_interrupted()) return FS_INTERRUPTED;
  }
  return FS_OK;
}

static enum fs_status reshape(const struct fs_lib_call *c) {
  struct walk from = walk_of(&c->a), to = walk_of(&c->out);
  if (from.rank == 2 && to.rank <= 2 && from.stride[0] < from.stride[1])
    return reshape_columns(c, &from, &to);
  int64_t from_step = from.stride[from.rank - 1], to_step = to.stride[to.rank - 1];
  int64_t count = fs_lib_count(&c->a), size = (int64_t)fs_dtype_size(c->a.dtype);
  for (int64_t done = 0, n; done < count; done += n) {
    n = FS_MIN(FS_MIN(left_in_row(&from), left_in_row(&to)), 1 << 20);
    const char *f = (const char *)c->a.ptr + from.offset * size;
    copy_run((char *)c->out.ptr + to.offset * size, to_step, f, from_step, n, size);
    advance(&from, n);
    advance(&to, n);
    if (fs_interrupted()) return FS_INTERRUPTED;
  }
  return FS_OK;
}

/* -- COMBINE --------------------------------------------------------------------------- */

/* p and q put together. Whole numbers are added and multiplied as unsigned ones of 64 bits,
 * which wrap around. */
#define FS_TOGETHER(value, wide)                                      \
  switch (c->by) {                                                    \
    case FS_LIB_ADD: next = (value)((wide)p + (wide)q); break;        \
    case FS_LIB_SUB: next = (value)((wide)p - (wide)q); break;        \
    case FS_LIB_MUL: next = (value)((wide)p * (wide)q); break;        \
    case FS_LIB_DIV: next = (value)((wide)p / (wide)q); break;        \
    case FS_LIB_MAX: next = p > q || p != p ? p : q; break;                    \
    default: next = p < q || p != p ? p : q;                          \
  }

/* Puts row `e` of those behind the first ones to row `place`, from 0. */
#define FS_DTYPE_C(id, stored, value, number, element)                            \
  static void put_##id(const struct fs_lib_call *c, int64_t e, int64_t place) {   \
    const struct fs_lib_array *a = &c->a, *o = &c->out;                           \
    const stored *from = (const stored *)a->ptr + (o->dim[0] + e) * a->stride[0]; \
    stored *to = (stored *)o->ptr + place * o->stride[0];                         \
    for (int64_t j = 0; j < o->dim[1]; j++) {                                     \
      stored x = from[j * a->stride[1]];                                          \
      const value q = (value)(number);                                            \
      x = to[j * o->stride[1]];                                                   \
      const value p = (value)(number);                                            \
      value next;                                                                 \
      FS_TOGETHER(value, __typeof__((value)0 + (uint64_t)0))                      \
      const double f = (double)next;                                              \
      const int64_t i = (int64_t)next;                                            \
      to[j * o->stride[1]] = element;                                             \
      (void)f, (void)i;                                                           \
    }                                                                             \
  }
#include "core/graph/dtypes.def"

static enum fs_status combine(const struct fs_lib_call *c, struct fs_diags *d) {
  static void (*const put[FS_DTYPE_COUNT])(const struct fs_lib_call *, int64_t, int64_t) = {
#define FS_DTYPE_C(id, ...) [FS_##id] = put_##id,
#include "core/graph/dtypes.def"
  };
  int64_t count = fs_lib_count(&c->b), rows = c->out.dim[0], place[AT_ONCE];
  struct fs_lib_call first = *c;
  first.a.dim[0] = rows;
  enum fs_status status = reshape(&first);
  for (int64_t e = 0; e < count && status == FS_OK; e += AT_ONCE) {
    int64_t n = FS_MIN(count - e, AT_ONCE);
    read_places(&c->b, e, n, rows, place);
    status = check_places(c, &c->b, e, place, n, d);
    for (int64_t k = 0; k < n && status == FS_OK; k++) put[c->a.dtype](c, e + k, place[k]);
  }
  return status;
}

/* -- over ranks ------------------------------------------------------------------------- */

static enum fs_status over_ranks(const struct fs_lib_call *c, struct fs_diags *d) {
  struct fs_lib_call own = fs_lib_own_copy(c);
  int64_t place = fs_lib_place(c);
  if (fs_lib_count(&own.a)) reshape(&own);
  if (c->op == FS_LIB_OWN_PART) return FS_OK;
  if (c->op == FS_LIB_ALL_GATHER)
    return fs_ranks_gather(c->out.ptr, (size_t)place * fs_dtype_size(c->out.dtype), d);
  switch (c->out.dtype) {
    case FS_F32: return fs_ranks_add_f32(c->out.ptr, place, d);
    case FS_F64: return fs_ranks_add_f64(c->out.ptr, place, d);
    default: return fs_ranks_add_i64(c->out.ptr, place, d);
  }
}

enum fs_status fs_move_call(const struct fs_lib_call *c, struct fs_diags *d) {
  if (fs_lib_is_of_ranks(c->op)) return over_ranks(c, d);
  switch (c->op) {
    case FS_LIB_GATHER: return gather(c, d);
    case FS_LIB_FIND: return find(c);
    case FS_LIB_RESHAPE: return reshape(c);
    case FS_LIB_COMBINE: return combine(c, d);
    default: return invert(c, d);
  }
}
