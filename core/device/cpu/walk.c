/* walk.c - runs the operations that compile.c made: tasks, groups, strips.
 *
 * Every thread has a scratch with two tables of pointers (where each value lies
 * at this moment: one pointer for cells and lines, one per row for tiles) and
 * the places that the operations were given.
 */
#include "core/device/cpu/walk.h"

#include "core/device/cpu/element.h"

#include <float.h>

struct launch {
  const struct fs_walk *w;
  char *scratch, *work;
  void *const *slots;
  const struct fs_number *params;
  enum fs_walk_stage stage;
};

/* One thread's view of the task at hand. */
struct walker {
  const struct fs_walk *w;
  const struct fs_routines *r;
  void *const *slots;
  const struct fs_number *params;
  char *scratch, *work, *cells_base; /* cells_base: scalars' places */
  char **ptr, **row;
  union fs_cell *cells;
  int64_t i0, rows, j0, columns;     /* the present tile            */
  int64_t row_chunk, column_chunk;
};

enum direction { CELL, ALONG_I, ALONG_J };

static struct walker walker_new(const struct launch *l, int thread) {
  const struct fs_walk *w = l->w;
  struct walker x = {.w = w, .r = w->r, .slots = l->slots,
                     .params = l->params, .work = l->work};
  x.scratch = l->scratch + (int64_t)thread * w->scratch;
  x.ptr = (char **)x.scratch;
  x.row = x.ptr + w->n_values;
  x.row = (char **)(((uintptr_t)x.row + 63) / 64 * 64);
  x.cells_base = x.scratch + w->values_at;
  x.cells = (union fs_cell *)(x.scratch + w->cells_at);
  return x;
}

static enum direction direction_of(uint8_t varies) {
  return varies & FS_VARIES_J ? ALONG_J : varies ? ALONG_I : CELL;
}

static char **rows_of(const struct walker *x, int v) {
  return x->row + (int64_t)v * x->w->cut.rows;
}

static bool is_float(enum fs_ctype ct) {
  return ct == FS_CT_F32 || ct == FS_CT_F64;
}

/* -- lines of memory ------------------------------------------------------ */

/* A line of an access: `base` is where element 0 of the direction lies. */
struct line {
  char *base;
  int size;                 /* bytes of a stored element */
  const struct fs_run *run;
  int first, count;         /* the direction's axes      */
  const int64_t *stride;
};

static const struct fs_access *access_of(const struct walker *x, int k) {
  return &x->w->kernel->accesses.data[k];
}

/* -- lists ---------------------------------------------------------------- */

/* Places, from 0, that n elements of a list mean. */
static void read_places(const char *list, enum fs_dtype dt, int64_t stride, int64_t n,
                        int64_t *out) {
  switch (dt) {
#define FS_DTYPE_C(id, stored, value, number, ...)             \
  case FS_##id:                                                \
    for (int64_t e = 0; e < n; e++) {                          \
      const stored x = ((const stored *)list)[e * stride];     \
      out[e] = (int64_t)(number) - 1;                          \
    }                                                          \
    break;
#include "core/graph/dtypes.def"
    default: break;
  }
}

static const char *list_at(const struct walker *x, const struct fs_access *list, int64_t i,
                           int64_t more) {
  const struct fs_space *s = &x->w->kernel->space;
  int64_t at = list->offset + fs_walk_offset(s, 0, s->n_outer, list->stride, i) + more;
  return (const char *)x->slots[list->slot] + at * (int64_t)fs_dtype_size(list->dtype);
}

/* How far a list moves all of row i, in elements. */
static int64_t moved_by_list(const struct walker *x, const struct fs_access *a, int64_t i) {
  const struct fs_access *list = fs_access_list(x->w->kernel, a);
  int64_t place;
  read_places(list_at(x, list, i, 0), list->dtype, 0, 1, &place);
  return place * a->list_stride;
}

static struct line line_of(const struct walker *x, const struct fs_walk_op *op,
                           const struct fs_access *a, enum direction d,
                           int64_t i) {
  const struct fs_space *s = &x->w->kernel->space;
  struct line l = {.size = (int)fs_dtype_size(a->dtype), .stride = a->stride};
  int64_t at = a->offset;
  l.run = d == ALONG_I ? &op->outer : &op->inner;
  l.first = d == ALONG_I ? 0 : s->n_outer;
  l.count = d == ALONG_I ? s->n_outer : s->n_inner;
  if (d == ALONG_J && op->varies & FS_VARIES_I)
    at += op->outer.linear
              ? i * op->outer.stride
              : fs_walk_offset(s, 0, s->n_outer, a->stride, i);
  if (a->list && !op->listed) at += moved_by_list(x, a, i);
  l.base = (char *)x->slots[a->slot] + at * l.size;
  return l;
}

/* The part of a direction from `k` on that has one stride, at most `n`. */
static int64_t piece(const struct walker *x, const struct line *l, int64_t k,
                     int64_t n, char **at) {
  if (l->run->linear) {
    *at = l->base + k * l->run->stride * l->size;
    return n;
  }
  const struct fs_space *s = &x->w->kernel->space;
  int64_t last = s->dim[l->first + l->count - 1];
  *at = l->base + l->size * fs_walk_offset(s, l->first, l->count, l->stride, k);
  return FS_MIN(n, last - k % last);
}

static void read_piece(const struct walker *x, fs_convert_fn *convert,
                       const char *in, int64_t stride, int size, char *out,
                       int64_t n) {
  if (stride == 1) {
    if (convert) convert(out, in, n);
    else memcpy(out, in, (size_t)(n * size));
    return;
  }
  char *to = convert ? x->scratch + x->w->temp_at[0] : out;
  if (stride == 0) x->r->fill[fs_element_log2(size)](to, in, n);
  else x->r->gather[fs_element_log2(size)](to, in, stride, n);
  if (convert) convert(out, to, n);
}

#define FS_PICK(TYPE)                                                          \
  for (int64_t e = 0; e < n; e++) ((TYPE *)out)[e] = ((const TYPE *)from)[place[e]]; \
  break

static void pick(const char *from, const int64_t *place, int size, int64_t n, char *out) {
  switch (size) {
    case 1: FS_PICK(uint8_t);
    case 2: FS_PICK(uint16_t);
    case 4: FS_PICK(uint32_t);
    default: FS_PICK(uint64_t);
  }
}

/* n elements from place `at` of a slot on, some of them beyond what is read of it. */
static void read_loose(const struct walker *x, const struct fs_walk_op *op,
                       const struct fs_access *a, int64_t at, int64_t stride, int64_t n,
                       char *out) {
  enum { AT_ONCE = 256 };
  int size = (int)fs_dtype_size(a->dtype);
  int64_t place[AT_ONCE], last = a->low + a->reach - 1, some;
  char copied[AT_ONCE * sizeof(uint64_t)];
  for (int64_t k = 0; k < n; k += some) {
    some = FS_MIN(n - k, AT_ONCE);
    for (int64_t e = 0; e < some; e++)
      place[e] = FS_MIN(FS_MAX(at + (k + e) * stride, a->low), last);
    char *to = out + k * op->size;
    pick(x->slots[a->slot], place, size, some, op->convert ? copied : to);
    if (op->convert) op->convert(to, copied, some);
  }
}

/* Whether n elements are among those that are read of its slot. */
static bool is_within(const struct fs_access *a, int64_t at, int64_t stride, int64_t n) {
  int64_t end = at + (n - 1) * stride;
  return FS_MIN(at, end) >= a->low && FS_MAX(at, end) < a->low + a->reach;
}

/* n elements, each where the next index of a list says and `step` on from the last one. */
static void pick_run(const struct fs_walk_op *op, const struct fs_access *a, const char *from,
                     int64_t step, const struct fs_access *list, const char *indices,
                     int64_t stride, int64_t n, char *out) {
  enum { AT_ONCE = 256 };
  int size = (int)fs_dtype_size(a->dtype), list_size = (int)fs_dtype_size(list->dtype);
  int64_t place[AT_ONCE], some;
  char copied[AT_ONCE * sizeof(uint64_t)];
  for (int64_t k = 0; k < n; k += some) {
    some = FS_MIN(n - k, AT_ONCE);
    read_places(indices + k * stride * list_size, list->dtype, stride, some, place);
    if (a->list_stride != 1 || step)
      for (int64_t e = 0; e < some; e++) place[e] = place[e] * a->list_stride + (k + e) * step;
    char *to = out + k * op->size;
    pick(from, place, size, some, op->convert ? copied : to);
    if (op->convert) op->convert(to, copied, some);
  }
}

/* Of row i, or of rows: each element where the list says. */
static void read_by_list(const struct walker *x, const struct fs_walk_op *op,
                         const struct line *l, int64_t i, int64_t begin, int64_t n,
                         char *out) {
  const struct fs_space *s = &x->w->kernel->space;
  const struct fs_access *a = access_of(x, op->step->access);
  const struct fs_access *list = fs_access_list(x->w->kernel, a);
  int axis = l->first + l->count - 1;
  bool rows = l->first == 0 && s->n_outer > 0;
  int64_t some;
  for (int64_t k = 0; k < n; k += some) {
    int64_t at = begin + k, from = fs_walk_offset(s, l->first, l->count, l->stride, at);
    int64_t in_list = fs_walk_offset(s, l->first, l->count, list->stride, at);
    some = FS_MIN(n - k, s->dim[axis] - at % s->dim[axis]);
    pick_run(op, a, l->base + from * l->size, l->stride[axis], list,
             list_at(x, list, rows ? 0 : i, in_list), list->stride[axis], some,
             out + k * op->size);
  }
}

/* Whether the tile's rows are one long line of the list, whose elements alone say where. */
static bool is_one_list(const struct walker *x, const struct fs_walk_op *op,
                        const struct fs_access *a) {
  const struct fs_space *s = &x->w->kernel->space;
  const struct fs_access *list = fs_access_list(x->w->kernel, a);
  return op->listed && s->n_outer == 1 && s->n_inner == 1 && x->columns == s->n &&
         !a->stride[0] && !a->stride[1] && list->stride[1] == 1 && list->stride[0] == s->n;
}

/* `i`: of a line along J of a value that varies over I. */
static void read_line(const struct walker *x, const struct fs_walk_op *op,
                      const struct line *l, int64_t i, int64_t begin, int64_t n,
                      char *out) {
  int wide = op->size;
  if (op->listed) {
    read_by_list(x, op, l, i, begin, n, out);
    return;
  }
  for (int64_t k = 0; k < n;) {
    char *at;
    int64_t count = piece(x, l, begin + k, n - k, &at), stride = l->run->stride;
    const struct fs_access *a = access_of(x, op->step->access);
    int64_t place = (at - (char *)x->slots[a->slot]) / l->size;
    if (a->reach && !is_within(a, place, stride, count))
      read_loose(x, op, a, place, stride, count, out + k * wide);
    else
      read_piece(x, op->convert, at, stride, l->size, out + k * wide, count);
    k += count;
  }
}

static void write_piece(const struct walker *x, const struct fs_walk_op *op,
                        char *to, int64_t stride, int size, const char *in,
                        int64_t n) {
  if (stride == 1) {
    if (op->convert) op->convert(to, in, n);
    else if (op->stream) x->r->stream(to, in, n * size);
    else memcpy(to, in, (size_t)(n * size));
    return;
  }
  const char *from = in;
  if (op->convert) {
    char *temp = x->scratch + x->w->temp_at[0];
    op->convert(temp, in, n);
    from = temp;
  }
  x->r->scatter[fs_element_log2(size)](to, stride, from, n);
}

static void write_line(const struct walker *x, const struct fs_walk_op *op,
                       const struct line *l, int64_t begin, int64_t n,
                       const char *in, int wide) {
  for (int64_t k = 0; k < n;) {
    char *at;
    int64_t count = piece(x, l, begin + k, n - k, &at);
    write_piece(x, op, at, l->run->stride, l->size, in + k * wide, count);
    k += count;
  }
}

/* -- cells and lines ------------------------------------------------------ */

static char *place_of(const struct walker *x, const struct fs_walk_op *op) {
  if (op->varies == 0) return x->cells_base + (int64_t)op->out * 16;
  int64_t first = op->varies & FS_VARIES_J ? x->j0 : x->i0;
  if (op->direct >= 0) { /* of unit stride: see find_direct() */
    const struct fs_access *a = access_of(x, op->direct);
    int64_t at = a->offset + first;
    return (char *)x->slots[a->slot] + at * (int64_t)fs_dtype_size(a->dtype);
  }
  if (op->line >= 0) return x->work + x->w->lines_at + op->line + first * op->size;
  return x->scratch + op->at;
}

static void load_line(struct walker *x, const struct fs_walk_op *op,
                      enum direction d, int64_t begin, int64_t n) {
  if (op->mode == FS_LM_KEPT) {
    x->ptr[op->out] = place_of(x, op);
    return;
  }
  const struct fs_access *a = access_of(x, op->step->access);
  struct line l = line_of(x, op, a, d, 0);
  if (op->mode == FS_LM_IN_PLACE && d != CELL) {
    x->ptr[op->out] = l.base + begin * l.size;
    return;
  }
  char *out = x->ptr[op->out] = place_of(x, op);
  if (d == CELL && a->reach)
    read_loose(x, op, a, (l.base - (char *)x->slots[a->slot]) / l.size, 1, 1, out);
  else if (d == CELL)
    read_piece(x, op->convert, l.base, 1, l.size, out, 1);
  else
    read_line(x, op, &l, 0, begin, n, out);
}

static void set_param(struct walker *x, const struct fs_walk_op *op) {
  char *out = x->ptr[op->out] = place_of(x, op);
  fs_element_set(x->w->kernel->values.data[op->out].dtype, x->params[op->step->param], out);
  if (op->round) op->round(out, out, 1);
}

static uint64_t word_of(const struct walker *x, int v) {
  const char *p = x->ptr[v];
  switch (fs_ctype_of(x->w->kernel->values.data[v].dtype)) {
    case FS_CT_BOOL: return *(const uint8_t *)p;
    case FS_CT_I32: return (uint64_t)(int64_t)*(const int32_t *)p;
    case FS_CT_I64: return (uint64_t)*(const int64_t *)p;
    case FS_CT_U64: return *(const uint64_t *)p;
    case FS_CT_F32: return (uint64_t)(int64_t)*(const float *)p;
    default: return (uint64_t)(int64_t)*(const double *)p;
  }
}

/* Elements at linear indices base, base + step, ... */
static void generate(struct walker *x, const struct fs_walk_op *op,
                     int64_t base, int64_t step, int64_t n, char *out) {
  enum fs_ctype ct = fs_ctype_of(x->w->kernel->values.data[op->out].dtype);
  if (op->kind == FS_SP_IOTA) {
    x->r->iota[ct](out, x->ptr[op->in[0]], x->ptr[op->in[1]], base, step, n);
  } else {
    uint64_t seed = word_of(x, op->in[0]), stream = word_of(x, op->in[1]);
    fs_random_fn *const *f = op->step->op ? x->r->normal : x->r->uniform;
    if (is_float(ct)) {
      f[ct == FS_CT_F64](out, base, step, n, seed, stream);
    } else {
      float *temp = (float *)(x->scratch + x->w->temp_at[0]);
      f[0](temp, base, step, n, seed, stream);
      x->r->convert[FS_CT_F32][ct](out, temp, n);
    }
  }
  if (op->round) op->round(out, out, n);
}

static void generate_line(struct walker *x, const struct fs_walk_op *op,
                          enum direction d, int64_t i, int64_t begin,
                          int64_t n, char *out) {
  const struct fs_space *s = &x->w->kernel->space;
  const struct fs_affine *f = &op->step->affine;
  int64_t base = f->base;
  if (d == CELL) {
    generate(x, op, base, 1, 1, out);
    return;
  }
  bool outer = d == ALONG_I;
  if (!outer && op->varies & FS_VARIES_I)
    base += fs_walk_offset(s, 0, s->n_outer, f->stride, i);
  const struct fs_run *run = outer ? &op->outer : &op->inner;
  int first = outer ? 0 : s->n_outer, count = outer ? s->n_outer : s->n_inner;
  int64_t last = s->dim[first + count - 1];
  for (int64_t k = 0; k < n;) {
    int64_t at = begin + k, m = run->linear ? n : FS_MIN(n - k, last - at % last);
    int64_t off = run->linear
                      ? at * run->stride
                      : fs_walk_offset(s, first, count, f->stride, at);
    generate(x, op, base + off, run->stride, m, out + k * op->size);
    k += m;
  }
}

/* Tables of a region are where their arrays lie. Of those results that it has in one run, row r
 * is computed. */
static void run_region(const struct walker *x, const struct fs_walk_op *op, int64_t r,
                       const void *const *in, int64_t n) {
  struct fs_region_call c = {.routines = x->r, .one = op->one, .n = n};
  for (int k = 0; k <= op->others; k++) {
    int v = op[k].out;
    c.out[k] = x->w->varies[v] == FS_VARIES_BOTH ? rows_of(x, v)[r] : x->ptr[v];
  }
  const struct fs_region *region = fs_body_region(op->body);
  for (int k = 0; k < op->n_in; k++) {
    c.in[k] = in[k];
    if (region->registers[k].kind != FS_RR_TABLE) continue;
    const struct fs_access *a = access_of(x, fs_kernel_maker(x->w->kernel, op->in[k])->access);
    c.in[k] = (const char *)x->slots[a->slot] + a->offset * (int64_t)fs_dtype_size(a->dtype);
    c.stride[k] = a->list_stride;
  }
  fs_body_run(op->body, &c);
}

/* One result for all n elements of a line. */
static void spread(const struct walker *x, const struct fs_walk_op *op, char *out, int64_t n) {
  if (op->spread && n > 1) x->r->fill[fs_element_log2(op->size)](out + op->size, out, n - 1);
}

/* Calls the map's routine on n elements; spread: one result for all of them. */
static void call_map(const struct walker *x, const struct fs_walk_op *op,
                     char *out, const void *const *in, int64_t n) {
  int64_t count = op->spread ? 1 : n;
  if (op->convert) op->convert(out, in[0], count);
  else if (op->user) op->user(out, in, op->one, (long)count);
  else op->map(out, in[0], in[1], in[2], count);
  if (op->round) op->round(out, out, count);
  spread(x, op, out, n);
}

/* Row r of a value over the columns of the tile; a value that does not vary
 * over J gives its element. */
static const char *operand(const struct walker *x, int v, int64_t r) {
  uint8_t varies = x->w->varies[v];
  if (varies == FS_VARIES_BOTH) return rows_of(x, v)[r];
  return x->ptr[v] + (varies == FS_VARIES_I ? r * x->w->size[v] : 0);
}

/* The two factors of an axpby side by side, as its routine wants them. */
static const char *factors(const struct walker *x, const struct fs_walk_op *op,
                           int64_t r, char pair[16]) {
  memcpy(pair, operand(x, op->in[2], r), (size_t)op->size);
  memcpy(pair + op->size, operand(x, op->in[3], r), (size_t)op->size);
  return pair;
}

static void map_line(struct walker *x, const struct fs_walk_op *op, int64_t n) {
  const void *in[FS_MOST_SRC] = {NULL};
  if (op->follows) return;
  _Alignas(16) char pair[16];
  char *out = place_of(x, op);
  for (int k = 0; k < op->n_in; k++) in[k] = x->ptr[op->in[k]];
  if (op->axpby) in[2] = factors(x, op, 0, pair);
  x->ptr[op->out] = out;
  if (!op->body) {
    call_map(x, op, out, in, n);
    return;
  }
  for (int k = 1; k <= op->others; k++) x->ptr[op[k].out] = place_of(x, &op[k]);
  run_region(x, op, 0, in, op->spread ? 1 : n);
  for (int k = 0; k <= op->others; k++) spread(x, &op[k], x->ptr[op[k].out], n);
}

static bool skips(const struct walker *x, const struct fs_walk_op *op) {
  return (!(op->walks & FS_VARIES_I) && x->i0 != 0) ||
         (!(op->walks & FS_VARIES_J) && x->column_chunk != 0);
}

static void store_line(struct walker *x, const struct fs_walk_op *op,
                       enum direction d, int64_t begin, int64_t n) {
  if (skips(x, op)) return;
  const struct fs_access *a = access_of(x, op->step->access);
  struct line l = line_of(x, op, a, d, 0);
  const char *in = x->ptr[op->in[0]];
  if (d == CELL) write_piece(x, op, l.base, 1, l.size, in, 1);
  else write_line(x, op, &l, begin, n, in, x->w->size[op->in[0]]);
}

static void reduce(struct walker *x, const struct fs_walk_op *op);

/* An operation on a cell or a line of the present tile. */
static void run_line(struct walker *x, const struct fs_walk_op *op) {
  if (op->once && x->i0 != 0) return;
  enum direction d = direction_of(op->varies);
  int64_t begin = d == ALONG_I ? x->i0 : d == ALONG_J ? x->j0 : 0;
  int64_t n = d == ALONG_I ? x->rows : d == ALONG_J ? x->columns : 1;
  switch (op->kind) {
    case FS_SP_LOAD: load_line(x, op, d, begin, n); break;
    case FS_SP_PARAM: set_param(x, op); break;
    case FS_SP_MAP: map_line(x, op, n); break;
    case FS_SP_STORE: store_line(x, op, d, begin, n); break;
    case FS_SP_REDUCE: reduce(x, op); break;
    case FS_SP_IOTA:
    case FS_SP_RAND:
      x->ptr[op->out] = place_of(x, op);
      generate_line(x, op, d, 0, begin, n, x->ptr[op->out]);
      break;
  }
}

/* -- tiles ---------------------------------------------------------------- */

/* Points the rows of a value at their places, so many bytes apart. */
static void point_rows(const struct walker *x, char **row, char *base,
                       int64_t pitch) {
  for (int64_t r = 0; r < x->rows; r++) row[r] = base + r * pitch;
}

/* The same for what an access has of them, from column x->j0 on. */
static void point_at_access(const struct walker *x, const struct fs_access *a,
                            const struct fs_run *outer, int64_t stride,
                            char **row) {
  const struct fs_space *s = &x->w->kernel->space;
  int64_t size = (int64_t)fs_dtype_size(a->dtype);
  char *base = (char *)x->slots[a->slot] + (a->offset + x->j0 * stride) * size;
  if (outer->linear) {
    point_rows(x, row, base + x->i0 * outer->stride * size, outer->stride * size);
    return;
  }
  for (int64_t r = 0; r < x->rows; r++) {
    int64_t at = fs_walk_offset(s, 0, s->n_outer, a->stride, x->i0 + r);
    if (a->list) at += moved_by_list(x, a, x->i0 + r);
    row[r] = base + size * at;
  }
}

/* Points the rows of a result at its place. */
static char **place_rows(struct walker *x, const struct fs_walk_op *op) {
  char **row = rows_of(x, op->out);
  if (op->direct >= 0) {
    point_at_access(x, access_of(x, op->direct), &op->outer, 1, row);
    return row;
  }
  int64_t pitch = op->kept ? x->w->kernel->space.n : x->columns;
  char *base = x->scratch + op->at + (op->kept ? x->j0 * op->size : 0);
  point_rows(x, row, base, pitch * op->size);
  return row;
}

/* Whether the rows of an access lie one behind the other, as one long row. */
static bool is_whole(const struct walker *x, const struct fs_walk_op *op) {
  return x->rows > 1 && op->outer.linear && op->inner.linear &&
         op->inner.stride == 1 && op->outer.stride == x->columns;
}

/* A row of a loose load that lies within what is read is not copied. */
static bool points_within(const struct walker *x, const struct fs_walk_op *op,
                     const struct fs_access *a, const struct line *l, char **row) {
  if (!a->reach || op->convert || op->kept || !l->run->linear || l->run->stride != 1) return false;
  char *at = l->base + x->j0 * l->size;
  if (!is_within(a, (at - (char *)x->slots[a->slot]) / l->size, 1, x->columns)) return false;
  *row = at;
  return true;
}

static void load_tile(struct walker *x, const struct fs_walk_op *op) {
  if (op->mode == FS_LM_KEPT) {
    place_rows(x, op);
    return;
  }
  const struct fs_access *a = access_of(x, op->step->access);
  char **row = rows_of(x, op->out);
  if (op->mode == FS_LM_IN_PLACE) {
    point_at_access(x, a, &op->outer, op->inner.stride, row);
    return;
  }
  place_rows(x, op);
  if (op->mode == FS_LM_TRANSPOSE) {
    struct line l = line_of(x, op, a, ALONG_J, x->i0);
    int64_t pitch = op->kept ? x->w->kernel->space.n : x->columns;
    x->r->transpose[fs_element_log2(l.size)](
        row[0], pitch, l.base + x->j0 * op->inner.stride * l.size,
        op->inner.stride, x->rows, x->columns);
    return;
  }
  if (is_whole(x, op) && !a->reach && (!op->kept || x->columns == x->w->kernel->space.n)) {
    struct line l = line_of(x, op, a, ALONG_J, x->i0);
    read_piece(x, op->convert, l.base + x->j0 * l.size, 1, l.size, row[0],
               x->rows * x->columns);
    return;
  }
  if (a->list && is_one_list(x, op, a)) {
    struct line l = line_of(x, op, a, ALONG_J, x->i0);
    const struct fs_access *list = fs_access_list(x->w->kernel, a);
    pick_run(op, a, l.base, 0, list, list_at(x, list, x->i0, 0), 1, x->rows * x->columns,
             row[0]);
    return;
  }
  for (int64_t r = 0; r < x->rows; r++) {
    struct line l = line_of(x, op, a, ALONG_J, x->i0 + r);
    if (points_within(x, op, a, &l, &row[r])) continue;
    read_line(x, op, &l, x->i0 + r, x->j0, x->columns, row[r]);
  }
}

/* Whether the rows of a value, more than one, lie one behind the other. Where they are
 * not evenly spaced the first two do not tell, nor do the first and the last. */
static bool is_dense(const struct walker *x, int v) {
  uint8_t varies = x->w->varies[v];
  if (varies == 0) return true;
  char **row = rows_of(x, v);
  return varies == FS_VARIES_BOTH && !x->w->uneven[v] &&
         row[1] - row[0] == x->columns * x->w->size[v];
}

/* Rows of a routine alone: what does not change from row to row is not asked for each,
 * since a narrow row takes no longer than the questions. */
static void map_rows(const struct walker *x, const struct fs_walk_op *op, char **out,
                     int64_t rows, int64_t n) {
  char **in[3] = {NULL};
  static const char none[1]; /* of an operand that there is not */
  const char *at[3] = {none, none, none};
  int64_t step[3] = {0};
  for (int k = 0; k < op->n_in; k++) {
    int v = op->in[k];
    uint8_t varies = x->w->varies[v];
    if (varies == FS_VARIES_BOTH) in[k] = rows_of(x, v);
    else at[k] = x->ptr[v];
    if (varies == FS_VARIES_I) step[k] = x->w->size[v];
  }
  for (int64_t r = 0; r < rows; r++)
    op->map(out[r], in[0] ? in[0][r] : at[0] + r * step[0],
            in[1] ? in[1][r] : at[1] + r * step[1],
            in[2] ? in[2][r] : at[2] + r * step[2], n);
}

/* Rows of which all elements are one operand's are that operand's. */
static void pick_rows(struct walker *x, const struct fs_walk_op *op) {
  char **row = place_rows(x, op);
  const uint8_t *varies = x->w->varies;
  for (int64_t r = 0; r < x->rows; r++) {
    const char *in[3];
    for (int k = 0; k < 3; k++) in[k] = operand(x, op->in[k], r);
    bool one = !(varies[op->in[0]] & FS_VARIES_J) || !memchr(in[0], !*in[0], (size_t)x->columns);
    int of = *in[0] ? 1 : 2;
    if (one && varies[op->in[of]] & FS_VARIES_J) row[r] = (char *)in[of];
    else op->map(row[r], in[0], in[1], in[2], x->columns);
  }
}

static void map_tile(struct walker *x, const struct fs_walk_op *op) {
  char **row = rows_of(x, op->out);
  if (op->follows) return;
  if (op->picks) {
    pick_rows(x, op);
    return;
  }
  if (op->spread && op->map && op->step->op == FS_OP_COPY &&
      x->w->varies[op->in[0]] == FS_VARIES_J) {
    for (int64_t r = 0; r < x->rows; r++) row[r] = x->ptr[op->in[0]];
    return;
  }
  for (int k = 0; k <= op->others; k++) place_rows(x, &op[k]);
  int64_t rows = x->rows, n = x->columns;
  bool dense = rows > 1 && !op->spread;
  for (int k = 0; k <= op->others; k++) dense = dense && is_dense(x, op[k].out);
  for (int k = 0; k < op->n_in; k++) dense = dense && is_dense(x, op->in[k]);
  if (dense) n *= rows, rows = 1;
  if (op->map && !op->round && !op->spread && !op->axpby) {
    map_rows(x, op, row, rows, n);
    return;
  }
  for (int64_t r = 0; r < rows; r++) {
    const void *in[FS_MOST_SRC] = {NULL};
    _Alignas(16) char pair[16];
    for (int k = 0; k < op->n_in; k++) in[k] = operand(x, op->in[k], r);
    if (op->axpby) in[2] = factors(x, op, r, pair);
    if (!op->body) {
      call_map(x, op, row[r], in, n);
      continue;
    }
    run_region(x, op, r, in, op->spread ? 1 : n);
    for (int k = 0; k <= op->others; k++) spread(x, &op[k], rows_of(x, op[k].out)[r], n);
  }
}

/* A tile whose rows are columns of the result goes there in blocks: line by line
 * every element would touch another cache line, and rows that are a power of two
 * apart throw each other out of the caches. */
static bool store_transposed(struct walker *x, const struct fs_walk_op *op,
                             const struct fs_access *a) {
  int v = op->in[0], size = x->w->size[v];
  if (op->convert || op->varies != FS_VARIES_BOTH || a->dtype == FS_BOOL ||
      x->w->varies[v] != FS_VARIES_BOTH || x->rows < 2 || !op->outer.linear ||
      op->outer.stride != 1 || !op->inner.linear || op->inner.stride == 1 ||
      size != (int)fs_dtype_size(a->dtype))
    return false;
  char **row = rows_of(x, v);
  int64_t pitch = row[1] - row[0];
  for (int64_t r = 2; r < x->rows; r++)
    if (row[r] - row[0] != r * pitch) return false;
  if (pitch <= 0 || pitch % size) return false;
  struct line l = line_of(x, op, a, ALONG_J, x->i0);
  x->r->transpose[fs_element_log2(size)](l.base + x->j0 * op->inner.stride * size,
                                 op->inner.stride, row[0], pitch / size,
                                 x->columns, x->rows);
  return true;
}

static void store_tile(struct walker *x, const struct fs_walk_op *op) {
  const struct fs_access *a = access_of(x, op->step->access);
  int v = op->in[0];
  if (store_transposed(x, op, a)) return;
  if (is_whole(x, op) && x->w->varies[v] == FS_VARIES_BOTH && is_dense(x, v)) {
    struct line l = line_of(x, op, a, ALONG_J, x->i0);
    write_piece(x, op, l.base + x->j0 * l.size, 1, l.size, rows_of(x, v)[0],
                x->rows * x->columns);
    return;
  }
  for (int64_t r = 0; r < x->rows; r++) {
    struct line l = line_of(x, op, a, ALONG_J, x->i0 + r);
    write_line(x, op, &l, x->j0, x->columns, operand(x, v, r), x->w->size[v]);
  }
}

static void run_tile(struct walker *x, const struct fs_walk_op *op) {
  switch (op->kind) {
    case FS_SP_LOAD: load_tile(x, op); break;
    case FS_SP_MAP: map_tile(x, op); break;
    case FS_SP_STORE: store_tile(x, op); break;
    case FS_SP_IOTA:
    case FS_SP_RAND: {
      char **row = place_rows(x, op);
      for (int64_t r = 0; r < x->rows; r++)
        generate_line(x, op, ALONG_J, x->i0 + r, x->j0, x->columns, row[r]);
      break;
    }
    default: break;
  }
}

/* -- reductions ----------------------------------------------------------- */

/* Row r of an operand as a strip: a value that does not vary along it is
 * repeated in a temporary one. */
static const char *strip(const struct walker *x, int v, int64_t r, int temp,
                         bool along_j, int64_t n) {
  uint8_t along = along_j ? FS_VARIES_J : FS_VARIES_I;
  const char *p = along_j ? operand(x, v, r) : x->ptr[v];
  if (x->w->varies[v] & along) return p;
  char *out = x->scratch + x->w->temp_at[temp];
  x->r->fill[fs_element_log2(x->w->size[v])](out, p, n);
  return out;
}

/* Which of the elements that a reduction to a place goes over (i, j) is. */
static int64_t place_among(const struct walker *x, const struct fs_walk_op *op, int64_t i,
                           int64_t j) {
  const struct fs_space *s = &x->w->kernel->space;
  const struct fs_affine *a = &op->step->affine;
  return a->base + fs_walk_offset(s, 0, s->n_outer, a->stride, i) +
         fs_walk_offset(s, s->n_outer, s->n_inner, a->stride, j);
}

/* The elements of a strip; where they have places that matter, pieces of those that are
 * evenly apart. */
static void reduce_to_state(const struct walker *x, const struct fs_walk_op *op, const char *a,
                            int64_t r, bool along_j, int64_t n, union fs_cell *cell) {
  const struct fs_space *s = &x->w->kernel->space;
  fs_state_row_fn *state_of = x->r->state_row[op->step->op][op->in_type];
  int last = s->n_outer + (along_j ? s->n_inner : 0) - 1;
  int64_t size = x->w->size[op->in[0]], begin = along_j ? x->j0 : x->i0, some;
  if (!fs_reduces_to_place(op->step->op)) {
    state_of(a, n, 0, 0, cell);
    return;
  }
  for (int64_t k = 0; k < n; k += some) {
    some = FS_MIN(n - k, s->dim[last] - (begin + k) % s->dim[last]);
    int64_t first = along_j ? place_among(x, op, x->i0 + r, begin + k)
                            : place_among(x, op, begin + k, 0);
    state_of(a + k * size, some, first, op->step->affine.stride[last], cell);
  }
}

/* The reduction of one strip of in[0], or in[0]*in[1], into a cell. */
static void reduce_strip(const struct walker *x, const struct fs_walk_op *op,
                         int64_t r, bool along_j, int64_t n,
                         union fs_cell *cell) {
  const char *a = strip(x, op->in[0], r, 0, along_j, n);
  if (op->words > 1) {
    reduce_to_state(x, op, a, r, along_j, n, cell);
    return;
  }
  if (op->n_in < 2) {
    x->r->row[op->step->op][op->in_type](a, n, cell);
    return;
  }
  const char *b = strip(x, op->in[1], r, 1, along_j, n);
  if (op->product) {
    const void *row = a;
    op->dot(&row, 1, b, n, cell);
    return;
  }
  char *t = x->scratch + x->w->temp_at[0];
  op->multiply(t, a, b, NULL, n);
  x->r->row[op->step->op][op->in_type](t, n, cell);
}

static void reduce_rows(struct walker *x, const struct fs_walk_op *op) {
  union fs_cell *cell = x->cells + op->cell;
  int a = op->in[0], b = op->in[1];
  if (op->product && x->w->varies[a] == FS_VARIES_J) {
    int t = a;
    a = b;
    b = t;
  }
  if (op->product && x->w->varies[a] == FS_VARIES_BOTH &&
      x->w->varies[b] == FS_VARIES_J && op->by_i) {
    int64_t at_once = x->w->cut.row_by_row ? 1 : x->rows;
    const void *const *row = (const void *const *)rows_of(x, a);
    for (int64_t r = 0; r < x->rows; r += at_once)
      op->dot(row + r, (int)at_once, x->ptr[b], x->columns, cell + r);
    return;
  }
  int64_t rows = op->by_i ? x->rows : 1;
  for (int64_t r = 0; r < rows; r++)
    reduce_strip(x, op, r, true, x->columns, cell + r * op->words);
}

/* All of a tile whose rows lie one behind the other, in pieces as long as a strip may
 * be: a call for each of many narrow rows takes longer than their elements. */
static bool reduce_whole(const struct walker *x, const struct fs_walk_op *op,
                         union fs_cell *cell) {
  enum { PIECE_BYTES = 32768 };
  if ((op->n_in == 2 && !op->product) || fs_reduces_to_place(op->step->op)) return false;
  for (int k = 0; k < op->n_in; k++)
    if (x->w->varies[op->in[k]] != FS_VARIES_BOTH || !is_dense(x, op->in[k]))
      return false;
  int size = x->w->size[op->in[0]];
  int64_t n = x->rows * x->columns, most = PIECE_BYTES / size;
  const char *a = rows_of(x, op->in[0])[0];
  const char *b = op->n_in == 2 ? rows_of(x, op->in[1])[0] : NULL;
  for (int64_t k = 0; k < n; k += most) {
    const void *row = a + k * size;
    int64_t count = FS_MIN(most, n - k);
    if (b) op->dot(&row, 1, b + k * size, count, cell);
    else if (op->words > 1) x->r->state_row[op->step->op][op->in_type](row, count, 0, 0, cell);
    else x->r->row[op->step->op][op->in_type](row, count, cell);
  }
  return true;
}

static void reduce_all(struct walker *x, const struct fs_walk_op *op) {
  if (skips(x, op)) return;
  union fs_cell *cell = x->cells + op->cell;
  if (!(op->walks & FS_VARIES_J)) {
    reduce_strip(x, op, 0, false, x->rows, cell);
    return;
  }
  int64_t rows = op->walks & FS_VARIES_I ? x->rows : 1;
  if (rows > 1 && reduce_whole(x, op, cell)) return;
  for (int64_t r = 0; r < rows; r++)
    reduce_strip(x, op, r, true, x->columns, cell);
}

static char *column_part(const struct walker *x, const struct fs_walk_op *op,
                         int64_t chunk) {
  int size = fs_ctype_size(fs_col_type(op->step->op, op->in_type));
  return x->work + op->partial +
         (chunk * x->w->kernel->space.n + x->j0) * size;
}

/* The other words that belong to them, behind the first ones of all chunks. */
static union fs_cell *column_rest(const struct walker *x, const struct fs_walk_op *op,
                                  int64_t chunk) {
  int64_t n = x->w->kernel->space.n, chunks = x->w->cut.row_chunks;
  int64_t heads = chunks * n * fs_ctype_size(fs_col_type(op->step->op, op->in_type));
  return (union fs_cell *)(x->work + op->partial + fs_round_up(heads, 8)) + chunk * n + x->j0;
}

static void columns_to_state(struct walker *x, const struct fs_walk_op *op) {
  char *heads = column_part(x, op, x->row_chunk);
  union fs_cell *rest = column_rest(x, op, x->row_chunk);
  int64_t pitch = x->w->cut.row_chunks * x->w->kernel->space.n;
  fs_state_col_fn *reduce_rows_of = x->r->state_col[op->step->op][op->in_type];
  bool even = x->w->kernel->space.n_outer == 1 || !fs_reduces_to_place(op->step->op);
  if (even && x->w->varies[op->in[0]] == FS_VARIES_BOTH) {
    reduce_rows_of((const void *const *)rows_of(x, op->in[0]), (int)x->rows,
                   place_among(x, op, x->i0, x->j0), op->step->affine.stride[0], x->columns,
                   heads, rest, pitch);
    return;
  }
  for (int64_t r = 0; r < x->rows; r++) {
    const void *row = strip(x, op->in[0], r, 0, true, x->columns);
    reduce_rows_of(&row, 1, place_among(x, op, x->i0 + r, x->j0), 0, x->columns, heads, rest,
                   pitch);
  }
}

static void reduce_columns(struct walker *x, const struct fs_walk_op *op) {
  if (op->words > 1) {
    columns_to_state(x, op);
    return;
  }
  char *acc = column_part(x, op, x->row_chunk);
  int a = op->in[0], b = op->in[1];
  int64_t n = x->columns;
  if (op->n_in < 2 && x->w->varies[a] == FS_VARIES_BOTH) {
    x->r->col[op->step->op][op->in_type](
        (const void *const *)rows_of(x, a), (int)x->rows, n, acc);
    return;
  }
  if (op->product && !(x->w->varies[a] & FS_VARIES_J)) {
    int t = a;
    a = b;
    b = t;
  }
  if (op->product && x->w->varies[a] == FS_VARIES_BOTH &&
      x->w->varies[b] == FS_VARIES_I) {
    x->r->coldot[op->in_type]((const void *const *)rows_of(x, a),
                              (int)x->rows, x->ptr[b], n, acc);
    return;
  }
  if (op->product && x->w->varies[a] == FS_VARIES_BOTH &&
      x->w->varies[b] == FS_VARIES_BOTH) {
    x->r->colmul[op->in_type]((const void *const *)rows_of(x, a),
                              (const void *const *)rows_of(x, b), (int)x->rows, n,
                              acc);
    return;
  }
  for (int64_t r = 0; r < x->rows; r++) {
    const void *pa = strip(x, a, r, 0, true, n);
    if (op->n_in == 2) {
      const void *pb = strip(x, b, r, 1, true, n);
      if (op->product) {
        x->r->colmul[op->in_type](&pa, &pb, 1, n, acc);
        continue;
      }
      char *t = x->scratch + x->w->temp_at[0];
      op->multiply(t, pa, pb, NULL, n);
      pa = t;
    }
    x->r->col[op->step->op][op->in_type](&pa, 1, n, acc);
  }
}

/* What a state begins with, as the cell, or the accumulator, of a type has it. */
static union fs_cell neutral(enum fs_reduce_op op, enum fs_ctype ct) {
  static const int64_t limits[][2] = {
      [FS_CT_BOOL] = {0, 1},
      [FS_CT_I32] = {INT32_MIN, INT32_MAX},
      [FS_CT_I64] = {INT64_MIN, INT64_MAX},
      [FS_CT_U64] = {0, -1}}; /* its bits */
  enum fs_first first = fs_reduce_ops[op].first;
  bool high = first == FS_FIRST_HIGHEST, limit = high || first == FS_FIRST_LOWEST;
  if (first == FS_FIRST_LEAST)
    return (union fs_cell){.f = ct == FS_CT_F32 ? -(double)FLT_MAX : -DBL_MAX};
  if (!is_float(ct))
    return (union fs_cell){.i = limit ? limits[ct][high] : first == FS_FIRST_ONE};
  if (limit) return (union fs_cell){.f = high ? __builtin_inf() : -__builtin_inf()};
  return (union fs_cell){.f = first == FS_FIRST_ONE};
}

/* Which other words begin as what. A place is behind all that there are. */
static int64_t rest_begins(const struct fs_walk_op *op) {
  return fs_reduces_to_place(op->step->op) ? INT64_MAX : 0;
}

/* What n states begin with. */
static void begin_cells(const struct fs_walk_op *op, int64_t n, union fs_cell *cells) {
  union fs_cell c = neutral(op->step->op, op->in_type);
  for (int64_t k = 0; k < n; k++) {
    cells[k * op->words] = c;
    for (int w = 1; w < op->words; w++) cells[k * op->words + w].i = rest_begins(op);
  }
}

static void begin_columns(struct walker *x, const struct fs_walk_op *op,
                          int64_t n) {
  enum fs_ctype acc = fs_col_type(op->step->op, op->in_type);
  union fs_cell c = neutral(op->step->op, op->in_type);
  char value[8];
  x->r->finish[acc](value, &c, 1, is_float(op->in_type));
  x->r->fill[fs_element_log2(fs_ctype_size(acc))](
      column_part(x, op, x->row_chunk), value, n);
  union fs_cell *rest = column_rest(x, op, x->row_chunk);
  const struct fs_space *s = &x->w->kernel->space;
  int64_t pitch = x->w->cut.row_chunks * s->n, first = rest_begins(op);
  if (first && s->n_outer == 1 && s->m) first = place_among(x, op, x->i0, x->j0);
  for (int w = 1; w < op->words; w++)
    for (int64_t k = 0; k < n; k++) rest[(w - 1) * pitch + k].i = first;
}

static void finish_cells(const struct walker *x, const struct fs_walk_op *op,
                         union fs_cell *cells, int64_t n, char *out) {
  if (op->words > 1) x->r->state_finish[op->step->op](cells, n, cells);
  x->r->finish[op->out_type](out, cells, n,
                             is_float(op->words > 1 ? op->out_type : op->in_type));
  if (op->round) op->round(out, out, n);
}

/* What the sweep of a phase made over rows becomes lines over I. */
static void finish_rows(struct walker *x, const struct fs_walk_op *op) {
  union fs_cell *cells = x->cells + op->cell;
  if (op->reduce == FS_RM_ROW_END) {
    int64_t m = x->w->kernel->space.m;
    union fs_cell *to = (union fs_cell *)(x->work + op->partial) +
                        op->words * (x->column_chunk * m + x->i0);
    memcpy(to, cells, sizeof *to * (size_t)(op->words * x->rows));
    return;
  }
  char *out = x->ptr[op->out] = place_of(x, op);
  finish_cells(x, op, cells, op->by_i ? x->rows : 1, out);
}

static void reduce(struct walker *x, const struct fs_walk_op *op) {
  switch (op->reduce) {
    case FS_RM_ROW:
    case FS_RM_ROW_END: reduce_rows(x, op); break;
    case FS_RM_COLUMN: reduce_columns(x, op); break;
    case FS_RM_ALL: reduce_all(x, op); break;
  }
}

/* -- tasks ---------------------------------------------------------------- */

static void run_list(struct walker *x, const fs_op_list *list) {
  FS_EACH_AT(list, op) {
    if (op->kind == FS_SP_REDUCE) reduce(x, op);
    else if (op->varies == FS_VARIES_BOTH) run_tile(x, op);
    else run_line(x, op);
  }
}

static void begin_reductions(struct walker *x, const fs_op_list *list,
                             bool rows) {
  FS_EACH_AT(list, op) {
    if (op->kind != FS_SP_REDUCE || op->reduce == FS_RM_COLUMN) continue;
    if (rows != (op->reduce != FS_RM_ALL)) continue;
    begin_cells(op, rows ? x->rows : 1, x->cells + op->cell);
  }
}

/* All phases of rows x->i0 .. i0+rows-1 over columns from..to-1. */
static void run_group(struct walker *x, int64_t from, int64_t to) {
  const struct fs_walk *w = x->w;
  for (int p = 0; p < w->n_phases; p++) {
    const struct fs_walk_phase *ph = &w->phase[p];
    x->j0 = from;
    x->columns = to - from;
    run_list(x, &ph->group);
    begin_reductions(x, &ph->finish, true);
    for (int64_t j = from; ph->strips.len > 0 && j < to; j += w->cut.columns) {
      x->j0 = j;
      x->columns = FS_MIN(w->cut.columns, to - j);
      run_list(x, &ph->strips);
    }
    for (int k = 0; k < ph->finish.len; k++) finish_rows(x, &ph->finish.data[k]);
  }
}

static void begin_task(struct walker *x, int64_t from, int64_t to) {
  const struct fs_walk *w = x->w;
  x->j0 = from;
  for (int p = 0; p < w->n_phases; p++) {
    begin_reductions(x, &w->phase[p].group, false);
    begin_reductions(x, &w->phase[p].strips, false);
    FS_EACH_AT(&w->phase[p].strips, op) {
      if (op->kind == FS_SP_REDUCE && op->reduce == FS_RM_COLUMN)
        begin_columns(x, op, to - from);
    }
  }
}

/* The cells that task k of a stage leaves to the end. */
static void keep_all(const struct walker *x, enum fs_walk_stage stage, int64_t k) {
  FS_EACH_AT(&x->w->all, op) {
    union fs_cell *to = (union fs_cell *)(x->work + op->partial) + k * op->words;
    if (op->stage == stage)
      memcpy(to, x->cells + op->cell, sizeof *to * (size_t)op->words);
  }
}

static void run_task(void *user, int64_t k, int thread) {
  const struct launch *l = user;
  const struct fs_walk *w = l->w;
  struct walker x = walker_new(l, thread);
  x.row_chunk = k / w->cut.column_chunks;
  x.column_chunk = k % w->cut.column_chunks;
  int64_t from = x.column_chunk * w->cut.chunk_columns;
  int64_t to = FS_MIN(from + w->cut.chunk_columns, w->kernel->space.n);
  int64_t first = x.row_chunk * w->cut.chunk_rows;
  int64_t last = FS_MIN(first + w->cut.chunk_rows, w->kernel->space.m);
  x.i0 = first;
  begin_task(&x, from, to);
  run_list(&x, &w->start);
  for (int64_t i = first; i < last; i += w->cut.rows) {
    x.i0 = i;
    x.rows = FS_MIN(w->cut.rows, last - i);
    run_group(&x, from, to);
  }
  keep_all(&x, FS_STAGE_TASKS, k);
  if (w->cut.past) w->r->stream(NULL, NULL, 0);
}

/* Lines of rows k * end_strip and on, before or behind the tasks. */
static void run_lines(void *user, int64_t k, int thread) {
  const struct launch *l = user;
  const struct fs_walk *w = l->w;
  const fs_op_list *list = l->stage == FS_STAGE_BEFORE ? &w->before : &w->after;
  struct walker x = walker_new(l, thread);
  x.i0 = k * w->cut.end_strip;
  x.rows = FS_MIN(w->cut.end_strip, w->kernel->space.m - x.i0);
  begin_reductions(&x, list, false);
  run_list(&x, &w->start);
  run_list(&x, list);
  keep_all(&x, l->stage, k);
}

/* Columns k * FS_WALK_VECTOR and on of what is made for all columns. */
static void run_vectors(void *user, int64_t k, int thread) {
  const struct launch *l = user;
  const struct fs_walk *w = l->w;
  struct walker x = walker_new(l, thread);
  x.j0 = k * FS_WALK_VECTOR;
  x.columns = FS_MIN(FS_WALK_VECTOR, w->kernel->space.n - x.j0);
  run_list(&x, &w->start);
  run_list(&x, &w->vectors);
}

/* -- the end -------------------------------------------------------------- */

/* The type of a cell. */
static enum fs_ctype wide_type(enum fs_ctype ct) {
  return is_float(ct) ? FS_CT_F64 : ct == FS_CT_U64 ? ct : FS_CT_I64;
}

/* The states of a piece, of columns or of rows. */
static void fold_states(struct walker *x, const struct fs_walk_op *op, int64_t n,
                        union fs_cell *cells) {
  const struct fs_walk *w = x->w;
  bool columns = op->reduce == FS_RM_COLUMN;
  for (int64_t c = 0; columns && c < w->cut.row_chunks; c++)
    x->r->state_fold[op->step->op][op->in_type](column_part(x, op, c), column_rest(x, op, c),
                                                w->cut.row_chunks * w->kernel->space.n, n, cells);
  for (int64_t c = 0; !columns && c < w->cut.column_chunks; c++)
    x->r->state_merge[op->step->op][op->in_type](
        (const union fs_cell *)(x->work + op->partial) +
            op->words * (c * w->kernel->space.m + x->i0), n, cells);
  finish_cells(x, op, cells, n, x->ptr[op->out] = place_of(x, op));
}

/* Partial results of ALL reductions, folded in the order of the tasks. */
static void finish_all(struct walker *x, const struct fs_walk_op *op) {
  const union fs_cell *part = (const union fs_cell *)(x->work + op->partial);
  enum fs_reduce_op what = op->step->op;
  union fs_cell c[FS_STATE_WORDS];
  begin_cells(op, 1, c);
  enum fs_ctype wide = wide_type(op->in_type);
  for (int64_t k = 0, n = fs_walk_tasks(x->w, op->stage); k < n; k++) {
    uint8_t bit = (uint8_t)part[k * op->words].i;
    bool small = op->in_type == FS_CT_BOOL && x->r->fold[what][FS_CT_BOOL];
    if (op->words > 1) x->r->state_merge[what][op->in_type](part + op->words * k, 1, c);
    else if (small) x->r->fold[what][FS_CT_BOOL](&bit, 1, c);
    else x->r->fold[what][wide](&part[k], 1, c);
  }
  finish_cells(x, op, c, 1, x->ptr[op->out] = place_of(x, op));
}

/* A piece of the result of a COLUMN or ROW_END reduction. */
static void fold_piece(struct walker *x, const struct fs_walk_op *op) {
  const struct fs_walk *w = x->w;
  bool columns = op->reduce == FS_RM_COLUMN;
  int64_t n = columns ? x->columns : x->rows;
  union fs_cell *cells = (union fs_cell *)(x->scratch + w->temp_at[0]);
  enum fs_ctype acc = fs_col_type(op->step->op, op->in_type);
  begin_cells(op, n, cells);
  if (op->words > 1) {
    fold_states(x, op, n, cells);
    return;
  }
  for (int64_t chunk = 0; columns && chunk < w->cut.row_chunks; chunk++)
    x->r->fold[op->step->op][acc](column_part(x, op, chunk), n, cells);
  int64_t m = w->kernel->space.m;
  for (int64_t chunk = 0; !columns && chunk < w->cut.column_chunks; chunk++) {
    const union fs_cell *part =
        (const union fs_cell *)(x->work + op->partial) + chunk * m + x->i0;
    enum fs_ctype wide = wide_type(op->in_type);
    if (op->step->op == FS_RD_ANY || op->step->op == FS_RD_ALL) {
      for (int64_t k = 0; k < n; k++) {
        bool both = cells[k].i && part[k].i, one = cells[k].i || part[k].i;
        cells[k].i = op->step->op == FS_RD_ANY ? one : both;
      }
    } else {
      x->r->fold[op->step->op][wide](part, n, cells);
    }
  }
  finish_cells(x, op, cells, n, x->ptr[op->out] = place_of(x, op));
}

static struct walker end_walker(const struct launch *l, int thread) {
  struct walker x = walker_new(l, thread);
  x.cells_base = l->work;
  for (int v = 0; v < l->w->n_values; v++)
    if (l->w->varies[v] == 0) x.ptr[v] = x.cells_base + (int64_t)v * 16;
  return x;
}

static void run_end(struct walker *x, const fs_op_list *list) {
  for (int k = 0; k < list->len; k++) {
    if (list->data[k].kind == FS_SP_REDUCE) fold_piece(x, &list->data[k]);
    else run_line(x, &list->data[k]);
  }
}

static void end_rows_task(void *user, int64_t k, int thread) {
  const struct launch *l = user;
  struct walker x = end_walker(l, thread);
  x.i0 = k * l->w->cut.end_strip;
  x.rows = FS_MIN(l->w->cut.end_strip, l->w->kernel->space.m - x.i0);
  x.column_chunk = 0;
  run_end(&x, &l->w->end_rows);
}

static void end_columns_task(void *user, int64_t k, int thread) {
  const struct launch *l = user;
  struct walker x = end_walker(l, thread);
  x.j0 = k * l->w->cut.end_strip;
  x.columns = FS_MIN(l->w->cut.end_strip, l->w->kernel->space.n - x.j0);
  run_end(&x, &l->w->end_columns);
}

static enum fs_status run_ends(struct launch *l, struct fs_pool *pool, int threads) {
  const struct fs_walk *w = l->w;
  const struct fs_space *s = &w->kernel->space;
  struct walker x = end_walker(l, 0);
  for (int k = 0; k < w->all.len; k++) finish_all(&x, &w->all.data[k]);
  run_end(&x, &w->end_cells);
  int64_t strip = w->cut.end_strip;
  enum fs_status st = FS_OK;
  if (w->end_rows.len)
    st = fs_pool_run(pool, threads, (s->m + strip - 1) / strip, end_rows_task,
                     l);
  if (st == FS_OK && w->end_columns.len)
    st = fs_pool_run(pool, threads, (s->n + strip - 1) / strip,
                     end_columns_task, l);
  return st;
}

static enum fs_status run_stages(const struct fs_walk *w, struct fs_pool *pool, int threads,
                                 char *scratch, char *work, void *const *slots,
                                 const struct fs_number *params) {
  struct launch l = {w, scratch, work, slots, params, FS_STAGE_BEFORE};
  bool alone = !w->cut.small && w->kernel->alone && !fs_pool_would_help(pool);
  if (w->cut.small || alone) threads = 1;
  int64_t lines = fs_walk_tasks(w, FS_STAGE_BEFORE);
  int64_t tasks = fs_walk_tasks(w, FS_STAGE_TASKS);
  int of_lines = w->cut.short_lines ? 1 : threads;
  int64_t vectors = (w->kernel->space.n + FS_WALK_VECTOR - 1) / FS_WALK_VECTOR;
  enum fs_status st = FS_OK;
  if (w->vectors.len) st = fs_pool_run(pool, threads, vectors, run_vectors, &l);
  if (st == FS_OK && w->before.len) st = fs_pool_run(pool, of_lines, lines, run_lines, &l);
  if (st == FS_OK) st = fs_pool_run(pool, threads, tasks, run_task, &l);
  l.stage = FS_STAGE_AFTER;
  if (st == FS_OK && w->after.len)
    st = fs_pool_run(pool, of_lines, lines, run_lines, &l);
  if (st == FS_OK) st = run_ends(&l, pool, threads);
  if (alone) fs_pool_was_alone(pool);
  return st;
}

enum fs_status fs_walk_run(const struct fs_walk *w, struct fs_pool *pool,
                           int threads, char *scratch, char *work,
                           void *const *slots,
                           const struct fs_number *params) {
  if (!w->bodies.len) return run_stages(w, pool, threads, scratch, work, slots, params);
  FS_EACH_AT(&w->bodies, b) fs_body_prepare(*b);
  double start = fs_now();
  enum fs_status st = run_stages(w, pool, threads, scratch, work, slots, params);
  double elements = (double)w->kernel->space.m * (double)w->kernel->space.n;
  double seconds = st == FS_OK ? fs_now() - start : 0;
  FS_EACH_AT(&w->bodies, b) fs_body_spent(*b, seconds, elements);
  return st;
}
