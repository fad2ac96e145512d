/* walk.c - runs the operations that compile.c made: tasks, groups, strips.
 *
 * Every thread has a scratch with two tables of pointers (where each value lies
 * at this moment: one pointer for cells and lines, one per row for tiles) and
 * the places that the operations were given.
 */
#include "core/device/cpu/walker.h"

struct launch {
  const struct fs_walk *w;
  char *scratch, *work;
  void *const *slots;
  const struct fs_number *params;
  enum fs_walk_stage stage;
};

enum direction { CELL, ALONG_I, ALONG_J };

static struct fs_walker walker_new(const struct launch *l, int thread) {
  const struct fs_walk *w = l->w;
  struct fs_walker x = {.w = w, .r = w->r, .slots = l->slots,
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

/* -- lines of memory ------------------------------------------------------ */

/* A line of an access: `base` is where element 0 of the direction lies. */
struct line {
  char *base;
  int size;                 /* bytes of a stored element */
  const struct fs_run *run;
  int first, count;         /* the direction's axes      */
  const int64_t *stride;
};

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

static const char *list_at(const struct fs_walker *x, const struct fs_access *list, int64_t i,
                           int64_t more) {
  const struct fs_space *s = &x->w->kernel->space;
  int64_t at = list->offset + fs_walk_offset(s, 0, s->n_outer, list->stride, i) + more;
  return (const char *)x->slots[list->slot] + at * (int64_t)fs_dtype_size(list->dtype);
}

/* How far a list moves all of row i, in elements. */
static int64_t moved_by_list(const struct fs_walker *x, const struct fs_access *a, int64_t i) {
  const struct fs_access *list = fs_access_list(x->w->kernel, a);
  int64_t place;
  read_places(list_at(x, list, i, 0), list->dtype, 0, 1, &place);
  return place * a->list_stride;
}

static struct line line_of(const struct fs_walker *x, const struct fs_walk_op *op,
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
static int64_t piece(const struct fs_walker *x, const struct line *l, int64_t k,
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

static void read_piece(const struct fs_walker *x, fs_convert_fn *convert,
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
static void read_loose(const struct fs_walker *x, const struct fs_walk_op *op,
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
static void read_by_list(const struct fs_walker *x, const struct fs_walk_op *op,
                         const struct line *l, int64_t i, int64_t begin, int64_t n,
                         char *out) {
  const struct fs_space *s = &x->w->kernel->space;
  const struct fs_access *a = fs_walker_access(x, op->step->access);
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
static bool is_one_list(const struct fs_walker *x, const struct fs_walk_op *op,
                        const struct fs_access *a) {
  const struct fs_space *s = &x->w->kernel->space;
  const struct fs_access *list = fs_access_list(x->w->kernel, a);
  return op->listed && s->n_outer == 1 && s->n_inner == 1 && x->columns == s->n &&
         !a->stride[0] && !a->stride[1] && list->stride[1] == 1 && list->stride[0] == s->n;
}

/* `i`: of a line along J of a value that varies over I. */
static void read_line(const struct fs_walker *x, const struct fs_walk_op *op,
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
    const struct fs_access *a = fs_walker_access(x, op->step->access);
    int64_t place = (at - (char *)x->slots[a->slot]) / l->size;
    if (a->reach && !is_within(a, place, stride, count))
      read_loose(x, op, a, place, stride, count, out + k * wide);
    else
      read_piece(x, op->convert, at, stride, l->size, out + k * wide, count);
    k += count;
  }
}

static void write_piece(const struct fs_walker *x, const struct fs_walk_op *op,
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

static void write_line(const struct fs_walker *x, const struct fs_walk_op *op,
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

static void load_line(struct fs_walker *x, const struct fs_walk_op *op,
                      enum direction d, int64_t begin, int64_t n) {
  if (op->mode == FS_LM_KEPT) {
    x->ptr[op->out] = fs_walker_place(x, op);
    return;
  }
  const struct fs_access *a = fs_walker_access(x, op->step->access);
  struct line l = line_of(x, op, a, d, 0);
  if (op->mode == FS_LM_IN_PLACE && d != CELL) {
    x->ptr[op->out] = l.base + begin * l.size;
    return;
  }
  char *out = x->ptr[op->out] = fs_walker_place(x, op);
  if (d == CELL && a->reach)
    read_loose(x, op, a, (l.base - (char *)x->slots[a->slot]) / l.size, 1, 1, out);
  else if (d == CELL)
    read_piece(x, op->convert, l.base, 1, l.size, out, 1);
  else
    read_line(x, op, &l, 0, begin, n, out);
}

static void set_param(struct fs_walker *x, const struct fs_walk_op *op) {
  char *out = x->ptr[op->out] = fs_walker_place(x, op);
  fs_element_set(x->w->kernel->values.data[op->out].dtype, x->params[op->step->param], out);
  if (op->round) op->round(out, out, 1);
}

static uint64_t word_of(const struct fs_walker *x, int v) {
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
static void generate(struct fs_walker *x, const struct fs_walk_op *op,
                     int64_t base, int64_t step, int64_t n, char *out) {
  enum fs_ctype ct = fs_ctype_of(x->w->kernel->values.data[op->out].dtype);
  if (op->kind == FS_SP_IOTA) {
    x->r->iota[ct](out, x->ptr[op->in[0]], x->ptr[op->in[1]], base, step, n);
  } else {
    uint64_t seed = word_of(x, op->in[0]), stream = word_of(x, op->in[1]);
    fs_random_fn *const *f = op->step->op ? x->r->normal : x->r->uniform;
    if (fs_ctype_is_float(ct)) {
      f[ct == FS_CT_F64](out, base, step, n, seed, stream);
    } else {
      float *temp = (float *)(x->scratch + x->w->temp_at[0]);
      f[0](temp, base, step, n, seed, stream);
      x->r->convert[FS_CT_F32][ct](out, temp, n);
    }
  }
  if (op->round) op->round(out, out, n);
}

static void generate_line(struct fs_walker *x, const struct fs_walk_op *op,
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
static void run_region(const struct fs_walker *x, const struct fs_walk_op *op, int64_t r,
                       const void *const *in, int64_t n) {
  struct fs_region_call c = {.routines = x->r, .one = op->one, .n = n};
  for (int k = 0; k <= op->others; k++) {
    int v = op[k].out;
    c.out[k] = x->w->varies[v] == FS_VARIES_BOTH ? fs_walker_rows(x, v)[r] : x->ptr[v];
  }
  const struct fs_region *region = fs_body_region(op->body);
  for (int k = 0; k < op->n_in; k++) {
    c.in[k] = in[k];
    if (region->registers[k].kind != FS_RR_TABLE) continue;
    int access = fs_kernel_maker(x->w->kernel, op->in[k])->access;
    const struct fs_access *a = fs_walker_access(x, access);
    c.in[k] = (const char *)x->slots[a->slot] + a->offset * (int64_t)fs_dtype_size(a->dtype);
    c.stride[k] = a->list_stride;
  }
  fs_body_run(op->body, &c);
}

/* One result for all n elements of a line. */
static void spread(const struct fs_walker *x, const struct fs_walk_op *op, char *out, int64_t n) {
  if (op->spread && n > 1) x->r->fill[fs_element_log2(op->size)](out + op->size, out, n - 1);
}

/* Calls the map's routine on n elements; spread: one result for all of them. */
static void call_map(const struct fs_walker *x, const struct fs_walk_op *op,
                     char *out, const void *const *in, int64_t n) {
  int64_t count = op->spread ? 1 : n;
  if (op->convert) op->convert(out, in[0], count);
  else if (op->user) op->user(out, in, op->one, (long)count);
  else op->map(out, in[0], in[1], in[2], count);
  if (op->round) op->round(out, out, count);
  spread(x, op, out, n);
}

/* The two factors of an axpby side by side, as its routine wants them. */
static const char *factors(const struct fs_walker *x, const struct fs_walk_op *op,
                           int64_t r, char pair[16]) {
  memcpy(pair, fs_walker_operand(x, op->in[2], r), (size_t)op->size);
  memcpy(pair + op->size, fs_walker_operand(x, op->in[3], r), (size_t)op->size);
  return pair;
}

static void map_line(struct fs_walker *x, const struct fs_walk_op *op, int64_t n) {
  const void *in[FS_MOST_SRC] = {NULL};
  if (op->follows) return;
  _Alignas(16) char pair[16];
  char *out = fs_walker_place(x, op);
  for (int k = 0; k < op->n_in; k++) in[k] = x->ptr[op->in[k]];
  if (op->axpby) in[2] = factors(x, op, 0, pair);
  x->ptr[op->out] = out;
  if (!op->body) {
    call_map(x, op, out, in, n);
    return;
  }
  for (int k = 1; k <= op->others; k++) x->ptr[op[k].out] = fs_walker_place(x, &op[k]);
  run_region(x, op, 0, in, op->spread ? 1 : n);
  for (int k = 0; k <= op->others; k++) spread(x, &op[k], x->ptr[op[k].out], n);
}

static void store_line(struct fs_walker *x, const struct fs_walk_op *op,
                       enum direction d, int64_t begin, int64_t n) {
  if (fs_walker_skips(x, op)) return;
  const struct fs_access *a = fs_walker_access(x, op->step->access);
  struct line l = line_of(x, op, a, d, 0);
  const char *in = x->ptr[op->in[0]];
  if (d == CELL) write_piece(x, op, l.base, 1, l.size, in, 1);
  else write_line(x, op, &l, begin, n, in, x->w->size[op->in[0]]);
}

/* An operation on a cell or a line of the present tile. */
static void run_line(struct fs_walker *x, const struct fs_walk_op *op) {
  if (op->once && x->i0 != 0) return;
  enum direction d = direction_of(op->varies);
  int64_t begin = d == ALONG_I ? x->i0 : d == ALONG_J ? x->j0 : 0;
  int64_t n = d == ALONG_I ? x->rows : d == ALONG_J ? x->columns : 1;
  switch (op->kind) {
    case FS_SP_LOAD: load_line(x, op, d, begin, n); break;
    case FS_SP_PARAM: set_param(x, op); break;
    case FS_SP_MAP: map_line(x, op, n); break;
    case FS_SP_STORE: store_line(x, op, d, begin, n); break;
    case FS_SP_REDUCE: fs_walk_reduce(x, op); break;
    case FS_SP_IOTA:
    case FS_SP_RAND:
      x->ptr[op->out] = fs_walker_place(x, op);
      generate_line(x, op, d, 0, begin, n, x->ptr[op->out]);
      break;
  }
}

/* -- tiles ---------------------------------------------------------------- */

/* Points the rows of a value at their places, so many bytes apart. */
static void point_rows(const struct fs_walker *x, char **row, char *base,
                       int64_t pitch) {
  for (int64_t r = 0; r < x->rows; r++) row[r] = base + r * pitch;
}

/* The same for what an access has of them, from column x->j0 on. */
static void point_at_access(const struct fs_walker *x, const struct fs_access *a,
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
static char **place_rows(struct fs_walker *x, const struct fs_walk_op *op) {
  char **row = fs_walker_rows(x, op->out);
  if (op->direct >= 0) {
    point_at_access(x, fs_walker_access(x, op->direct), &op->outer, 1, row);
    return row;
  }
  int64_t pitch = op->kept ? x->w->kernel->space.n : x->columns;
  char *base = x->scratch + op->at + (op->kept ? x->j0 * op->size : 0);
  point_rows(x, row, base, pitch * op->size);
  return row;
}

/* Whether the rows of an access lie one behind the other, as one long row. */
static bool is_whole(const struct fs_walker *x, const struct fs_walk_op *op) {
  return x->rows > 1 && op->outer.linear && op->inner.linear &&
         op->inner.stride == 1 && op->outer.stride == x->columns;
}

/* A row of a loose load that lies within what is read is not copied. */
static bool points_within(const struct fs_walker *x, const struct fs_walk_op *op,
                     const struct fs_access *a, const struct line *l, char **row) {
  if (!a->reach || op->convert || op->kept || !l->run->linear || l->run->stride != 1) return false;
  char *at = l->base + x->j0 * l->size;
  if (!is_within(a, (at - (char *)x->slots[a->slot]) / l->size, 1, x->columns)) return false;
  *row = at;
  return true;
}

static void load_tile(struct fs_walker *x, const struct fs_walk_op *op) {
  if (op->mode == FS_LM_KEPT) {
    place_rows(x, op);
    return;
  }
  const struct fs_access *a = fs_walker_access(x, op->step->access);
  char **row = fs_walker_rows(x, op->out);
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

/* Rows of a routine alone: what does not change from row to row is not asked for each,
 * since a narrow row takes no longer than the questions. */
static void map_rows(const struct fs_walker *x, const struct fs_walk_op *op, char **out,
                     int64_t rows, int64_t n) {
  char **in[3] = {NULL};
  static const char none[1]; /* of an operand that there is not */
  const char *at[3] = {none, none, none};
  int64_t step[3] = {0};
  for (int k = 0; k < op->n_in; k++) {
    int v = op->in[k];
    uint8_t varies = x->w->varies[v];
    if (varies == FS_VARIES_BOTH) in[k] = fs_walker_rows(x, v);
    else at[k] = x->ptr[v];
    if (varies == FS_VARIES_I) step[k] = x->w->size[v];
  }
  for (int64_t r = 0; r < rows; r++)
    op->map(out[r], in[0] ? in[0][r] : at[0] + r * step[0],
            in[1] ? in[1][r] : at[1] + r * step[1],
            in[2] ? in[2][r] : at[2] + r * step[2], n);
}

/* Rows of which all elements are one operand's are that operand's. */
static void pick_rows(struct fs_walker *x, const struct fs_walk_op *op) {
  char **row = place_rows(x, op);
  const uint8_t *varies = x->w->varies;
  for (int64_t r = 0; r < x->rows; r++) {
    const char *in[3];
    for (int k = 0; k < 3; k++) in[k] = fs_walker_operand(x, op->in[k], r);
    bool one = !(varies[op->in[0]] & FS_VARIES_J) || !memchr(in[0], !*in[0], (size_t)x->columns);
    int of = *in[0] ? 1 : 2;
    if (one && varies[op->in[of]] & FS_VARIES_J) row[r] = (char *)in[of];
    else op->map(row[r], in[0], in[1], in[2], x->columns);
  }
}

static void map_tile(struct fs_walker *x, const struct fs_walk_op *op) {
  char **row = fs_walker_rows(x, op->out);
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
  for (int k = 0; k <= op->others; k++) dense = dense && fs_walker_is_dense(x, op[k].out);
  for (int k = 0; k < op->n_in; k++) dense = dense && fs_walker_is_dense(x, op->in[k]);
  if (dense) n *= rows, rows = 1;
  if (op->map && !op->round && !op->spread && !op->axpby) {
    map_rows(x, op, row, rows, n);
    return;
  }
  for (int64_t r = 0; r < rows; r++) {
    const void *in[FS_MOST_SRC] = {NULL};
    _Alignas(16) char pair[16];
    for (int k = 0; k < op->n_in; k++) in[k] = fs_walker_operand(x, op->in[k], r);
    if (op->axpby) in[2] = factors(x, op, r, pair);
    if (!op->body) {
      call_map(x, op, row[r], in, n);
      continue;
    }
    run_region(x, op, r, in, op->spread ? 1 : n);
    for (int k = 0; k <= op->others; k++) spread(x, &op[k], fs_walker_rows(x, op[k].out)[r], n);
  }
}

/* A tile whose rows are columns of the result goes there in blocks: line by line
 * every element would touch another cache line, and rows that are a power of two
 * apart throw each other out of the caches. */
static bool store_transposed(struct fs_walker *x, const struct fs_walk_op *op,
                             const struct fs_access *a) {
  int v = op->in[0], size = x->w->size[v];
  if (op->convert || op->varies != FS_VARIES_BOTH || a->dtype == FS_BOOL ||
      x->w->varies[v] != FS_VARIES_BOTH || x->rows < 2 || !op->outer.linear ||
      op->outer.stride != 1 || !op->inner.linear || op->inner.stride == 1 ||
      size != (int)fs_dtype_size(a->dtype))
    return false;
  char **row = fs_walker_rows(x, v);
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

static void store_tile(struct fs_walker *x, const struct fs_walk_op *op) {
  const struct fs_access *a = fs_walker_access(x, op->step->access);
  int v = op->in[0];
  if (store_transposed(x, op, a)) return;
  if (is_whole(x, op) && x->w->varies[v] == FS_VARIES_BOTH && fs_walker_is_dense(x, v)) {
    struct line l = line_of(x, op, a, ALONG_J, x->i0);
    write_piece(x, op, l.base + x->j0 * l.size, 1, l.size, fs_walker_rows(x, v)[0],
                x->rows * x->columns);
    return;
  }
  for (int64_t r = 0; r < x->rows; r++) {
    struct line l = line_of(x, op, a, ALONG_J, x->i0 + r);
    write_line(x, op, &l, x->j0, x->columns, fs_walker_operand(x, v, r), x->w->size[v]);
  }
}

static void run_tile(struct fs_walker *x, const struct fs_walk_op *op) {
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

/* -- tasks ---------------------------------------------------------------- */

static void run_list(struct fs_walker *x, const fs_op_list *list) {
  FS_EACH_AT(list, op) {
    if (op->kind == FS_SP_REDUCE) fs_walk_reduce(x, op);
    else if (op->varies == FS_VARIES_BOTH) run_tile(x, op);
    else run_line(x, op);
  }
}

static void begin_reductions(struct fs_walker *x, const fs_op_list *list,
                             bool rows) {
  FS_EACH_AT(list, op) {
    if (op->kind != FS_SP_REDUCE || op->reduce == FS_RM_COLUMN) continue;
    if (rows != (op->reduce != FS_RM_ALL)) continue;
    fs_walk_begin_cells(op, rows ? x->rows : 1, x->cells + op->cell);
  }
}

/* All phases of rows x->i0 .. i0+rows-1 over columns from..to-1. */
static void run_group(struct fs_walker *x, int64_t from, int64_t to) {
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
    for (int k = 0; k < ph->finish.len; k++) fs_walk_finish_rows(x, &ph->finish.data[k]);
  }
}

static void begin_task(struct fs_walker *x, int64_t from, int64_t to) {
  const struct fs_walk *w = x->w;
  x->j0 = from;
  for (int p = 0; p < w->n_phases; p++) {
    begin_reductions(x, &w->phase[p].group, false);
    begin_reductions(x, &w->phase[p].strips, false);
    FS_EACH_AT(&w->phase[p].strips, op) {
      if (op->kind == FS_SP_REDUCE && op->reduce == FS_RM_COLUMN)
        fs_walk_begin_columns(x, op, to - from);
    }
  }
}

/* The cells that task k of a stage leaves to the end. */
static void keep_all(const struct fs_walker *x, enum fs_walk_stage stage, int64_t k) {
  FS_EACH_AT(&x->w->all, op) {
    union fs_cell *to = (union fs_cell *)(x->work + op->partial) + k * op->words;
    if (op->stage == stage)
      memcpy(to, x->cells + op->cell, sizeof *to * (size_t)op->words);
  }
}

static void run_task(void *user, int64_t k, int thread) {
  const struct launch *l = user;
  const struct fs_walk *w = l->w;
  struct fs_walker x = walker_new(l, thread);
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
  struct fs_walker x = walker_new(l, thread);
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
  struct fs_walker x = walker_new(l, thread);
  x.j0 = k * FS_WALK_VECTOR;
  x.columns = FS_MIN(FS_WALK_VECTOR, w->kernel->space.n - x.j0);
  run_list(&x, &w->start);
  run_list(&x, &w->vectors);
}

/* -- the end -------------------------------------------------------------- */

static struct fs_walker end_walker(const struct launch *l, int thread) {
  struct fs_walker x = walker_new(l, thread);
  x.cells_base = l->work;
  for (int v = 0; v < l->w->n_values; v++)
    if (l->w->varies[v] == 0) x.ptr[v] = x.cells_base + (int64_t)v * 16;
  return x;
}

static void run_end(struct fs_walker *x, const fs_op_list *list) {
  for (int k = 0; k < list->len; k++) {
    if (list->data[k].kind == FS_SP_REDUCE) fs_walk_fold_piece(x, &list->data[k]);
    else run_line(x, &list->data[k]);
  }
}

static void end_rows_task(void *user, int64_t k, int thread) {
  const struct launch *l = user;
  struct fs_walker x = end_walker(l, thread);
  x.i0 = k * l->w->cut.end_strip;
  x.rows = FS_MIN(l->w->cut.end_strip, l->w->kernel->space.m - x.i0);
  x.column_chunk = 0;
  run_end(&x, &l->w->end_rows);
}

static void end_columns_task(void *user, int64_t k, int thread) {
  const struct launch *l = user;
  struct fs_walker x = end_walker(l, thread);
  x.j0 = k * l->w->cut.end_strip;
  x.columns = FS_MIN(l->w->cut.end_strip, l->w->kernel->space.n - x.j0);
  run_end(&x, &l->w->end_columns);
}

static enum fs_status run_ends(struct launch *l, struct fs_pool *pool, int threads) {
  const struct fs_walk *w = l->w;
  const struct fs_space *s = &w->kernel->space;
  struct fs_walker x = end_walker(l, 0);
  for (int k = 0; k < w->all.len; k++) fs_walk_finish_all(&x, &w->all.data[k]);
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
