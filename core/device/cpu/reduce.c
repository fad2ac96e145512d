/* reduce.c - reductions of a walk: a strip, a tile or a task into cells and accumulators, and
 * these, once all tasks are done, into results.
 */
#include "core/device/cpu/walker.h"

#include <float.h>

/* Row r of an operand as a strip: a value that does not vary along it is
 * repeated in a temporary one. */
static const char *strip(const struct fs_walker *x, int v, int64_t r, int temp,
                         bool along_j, int64_t n) {
  uint8_t along = along_j ? FS_VARIES_J : FS_VARIES_I;
  const char *p = along_j ? fs_walker_operand(x, v, r) : x->ptr[v];
  if (x->w->varies[v] & along) return p;
  char *out = x->scratch + x->w->temp_at[temp];
  x->r->fill[fs_element_log2(x->w->size[v])](out, p, n);
  return out;
}

/* Which of the elements that a reduction to a place goes over (i, j) is. */
static int64_t place_among(const struct fs_walker *x, const struct fs_walk_op *op, int64_t i,
                           int64_t j) {
  const struct fs_space *s = &x->w->kernel->space;
  const struct fs_affine *a = &op->step->affine;
  return a->base + fs_walk_offset(s, 0, s->n_outer, a->stride, i) +
         fs_walk_offset(s, s->n_outer, s->n_inner, a->stride, j);
}

/* The elements of a strip; where they have places that matter, pieces of those that are
 * evenly apart. */
static void reduce_to_state(const struct fs_walker *x, const struct fs_walk_op *op, const char *a,
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
static void reduce_strip(const struct fs_walker *x, const struct fs_walk_op *op,
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

static void reduce_rows(struct fs_walker *x, const struct fs_walk_op *op) {
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
    const void *const *row = (const void *const *)fs_walker_rows(x, a);
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
static bool reduce_whole(const struct fs_walker *x, const struct fs_walk_op *op,
                         union fs_cell *cell) {
  enum { PIECE_BYTES = 32768 };
  if ((op->n_in == 2 && !op->product) || fs_reduces_to_place(op->step->op)) return false;
  for (int k = 0; k < op->n_in; k++)
    if (x->w->varies[op->in[k]] != FS_VARIES_BOTH || !fs_walker_is_dense(x, op->in[k]))
      return false;
  int size = x->w->size[op->in[0]];
  int64_t n = x->rows * x->columns, most = PIECE_BYTES / size;
  const char *a = fs_walker_rows(x, op->in[0])[0];
  const char *b = op->n_in == 2 ? fs_walker_rows(x, op->in[1])[0] : NULL;
  for (int64_t k = 0; k < n; k += most) {
    const void *row = a + k * size;
    int64_t count = FS_MIN(most, n - k);
    if (b) op->dot(&row, 1, b + k * size, count, cell);
    else if (op->words > 1) x->r->state_row[op->step->op][op->in_type](row, count, 0, 0, cell);
    else x->r->row[op->step->op][op->in_type](row, count, cell);
  }
  return true;
}

static void reduce_all(struct fs_walker *x, const struct fs_walk_op *op) {
  if (fs_walker_skips(x, op)) return;
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

static char *column_part(const struct fs_walker *x, const struct fs_walk_op *op,
                         int64_t chunk) {
  int size = fs_ctype_size(fs_col_type(op->step->op, op->in_type));
  return x->work + op->partial +
         (chunk * x->w->kernel->space.n + x->j0) * size;
}

/* The other words that belong to them, behind the first ones of all chunks. */
static union fs_cell *column_rest(const struct fs_walker *x, const struct fs_walk_op *op,
                                  int64_t chunk) {
  int64_t n = x->w->kernel->space.n, chunks = x->w->cut.row_chunks;
  int64_t heads = chunks * n * fs_ctype_size(fs_col_type(op->step->op, op->in_type));
  return (union fs_cell *)(x->work + op->partial + fs_round_up(heads, 8)) + chunk * n + x->j0;
}

static void columns_to_state(struct fs_walker *x, const struct fs_walk_op *op) {
  char *heads = column_part(x, op, x->row_chunk);
  union fs_cell *rest = column_rest(x, op, x->row_chunk);
  int64_t pitch = x->w->cut.row_chunks * x->w->kernel->space.n;
  fs_state_col_fn *reduce_rows_of = x->r->state_col[op->step->op][op->in_type];
  bool even = x->w->kernel->space.n_outer == 1 || !fs_reduces_to_place(op->step->op);
  if (even && x->w->varies[op->in[0]] == FS_VARIES_BOTH) {
    reduce_rows_of((const void *const *)fs_walker_rows(x, op->in[0]), (int)x->rows,
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

static void reduce_columns(struct fs_walker *x, const struct fs_walk_op *op) {
  if (op->words > 1) {
    columns_to_state(x, op);
    return;
  }
  char *acc = column_part(x, op, x->row_chunk);
  int a = op->in[0], b = op->in[1];
  int64_t n = x->columns;
  if (op->n_in < 2 && x->w->varies[a] == FS_VARIES_BOTH) {
    x->r->col[op->step->op][op->in_type](
        (const void *const *)fs_walker_rows(x, a), (int)x->rows, n, acc);
    return;
  }
  if (op->product && !(x->w->varies[a] & FS_VARIES_J)) {
    int t = a;
    a = b;
    b = t;
  }
  if (op->product && x->w->varies[a] == FS_VARIES_BOTH &&
      x->w->varies[b] == FS_VARIES_I) {
    x->r->coldot[op->in_type]((const void *const *)fs_walker_rows(x, a),
                              (int)x->rows, x->ptr[b], n, acc);
    return;
  }
  if (op->product && x->w->varies[a] == FS_VARIES_BOTH &&
      x->w->varies[b] == FS_VARIES_BOTH) {
    x->r->colmul[op->in_type]((const void *const *)fs_walker_rows(x, a),
                              (const void *const *)fs_walker_rows(x, b), (int)x->rows, n,
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
  if (!fs_ctype_is_float(ct))
    return (union fs_cell){.i = limit ? limits[ct][high] : first == FS_FIRST_ONE};
  if (limit) return (union fs_cell){.f = high ? __builtin_inf() : -__builtin_inf()};
  return (union fs_cell){.f = first == FS_FIRST_ONE};
}

/* Which other words begin as what. A place is behind all that there are. */
static int64_t rest_begins(const struct fs_walk_op *op) {
  return fs_reduces_to_place(op->step->op) ? INT64_MAX : 0;
}

void fs_walk_begin_cells(const struct fs_walk_op *op, int64_t n, union fs_cell *cells) {
  union fs_cell c = neutral(op->step->op, op->in_type);
  for (int64_t k = 0; k < n; k++) {
    cells[k * op->words] = c;
    for (int w = 1; w < op->words; w++) cells[k * op->words + w].i = rest_begins(op);
  }
}

void fs_walk_begin_columns(struct fs_walker *x, const struct fs_walk_op *op,
                          int64_t n) {
  enum fs_ctype acc = fs_col_type(op->step->op, op->in_type);
  union fs_cell c = neutral(op->step->op, op->in_type);
  char value[8];
  x->r->finish[acc](value, &c, 1, fs_ctype_is_float(op->in_type));
  x->r->fill[fs_element_log2(fs_ctype_size(acc))](
      column_part(x, op, x->row_chunk), value, n);
  union fs_cell *rest = column_rest(x, op, x->row_chunk);
  const struct fs_space *s = &x->w->kernel->space;
  int64_t pitch = x->w->cut.row_chunks * s->n, first = rest_begins(op);
  if (first && s->n_outer == 1 && s->m) first = place_among(x, op, x->i0, x->j0);
  for (int w = 1; w < op->words; w++)
    for (int64_t k = 0; k < n; k++) rest[(w - 1) * pitch + k].i = first;
}

static void finish_cells(const struct fs_walker *x, const struct fs_walk_op *op,
                         union fs_cell *cells, int64_t n, char *out) {
  if (op->words > 1) x->r->state_finish[op->step->op](cells, n, cells);
  x->r->finish[op->out_type](out, cells, n,
                             fs_ctype_is_float(op->words > 1 ? op->out_type : op->in_type));
  if (op->round) op->round(out, out, n);
}

void fs_walk_finish_rows(struct fs_walker *x, const struct fs_walk_op *op) {
  union fs_cell *cells = x->cells + op->cell;
  if (op->reduce == FS_RM_ROW_END) {
    int64_t m = x->w->kernel->space.m;
    union fs_cell *to = (union fs_cell *)(x->work + op->partial) +
                        op->words * (x->column_chunk * m + x->i0);
    memcpy(to, cells, sizeof *to * (size_t)(op->words * x->rows));
    return;
  }
  char *out = x->ptr[op->out] = fs_walker_place(x, op);
  finish_cells(x, op, cells, op->by_i ? x->rows : 1, out);
}

void fs_walk_reduce(struct fs_walker *x, const struct fs_walk_op *op) {
  switch (op->reduce) {
    case FS_RM_ROW:
    case FS_RM_ROW_END: reduce_rows(x, op); break;
    case FS_RM_COLUMN: reduce_columns(x, op); break;
    case FS_RM_ALL: reduce_all(x, op); break;
  }
}

/* The type of a cell. */
static enum fs_ctype wide_type(enum fs_ctype ct) {
  return fs_ctype_is_float(ct) ? FS_CT_F64 : ct == FS_CT_U64 ? ct : FS_CT_I64;
}

/* The states of a piece, of columns or of rows. */
static void fold_states(struct fs_walker *x, const struct fs_walk_op *op, int64_t n,
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
  finish_cells(x, op, cells, n, x->ptr[op->out] = fs_walker_place(x, op));
}

void fs_walk_finish_all(struct fs_walker *x, const struct fs_walk_op *op) {
  const union fs_cell *part = (const union fs_cell *)(x->work + op->partial);
  enum fs_reduce_op what = op->step->op;
  union fs_cell c[FS_STATE_WORDS];
  fs_walk_begin_cells(op, 1, c);
  enum fs_ctype wide = wide_type(op->in_type);
  for (int64_t k = 0, n = fs_walk_tasks(x->w, op->stage); k < n; k++) {
    uint8_t bit = (uint8_t)part[k * op->words].i;
    bool small = op->in_type == FS_CT_BOOL && x->r->fold[what][FS_CT_BOOL];
    if (op->words > 1) x->r->state_merge[what][op->in_type](part + op->words * k, 1, c);
    else if (small) x->r->fold[what][FS_CT_BOOL](&bit, 1, c);
    else x->r->fold[what][wide](&part[k], 1, c);
  }
  finish_cells(x, op, c, 1, x->ptr[op->out] = fs_walker_place(x, op));
}

void fs_walk_fold_piece(struct fs_walker *x, const struct fs_walk_op *op) {
  const struct fs_walk *w = x->w;
  bool columns = op->reduce == FS_RM_COLUMN;
  int64_t n = columns ? x->columns : x->rows;
  union fs_cell *cells = (union fs_cell *)(x->scratch + w->temp_at[0]);
  enum fs_ctype acc = fs_col_type(op->step->op, op->in_type);
  fs_walk_begin_cells(op, n, cells);
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
  finish_cells(x, op, cells, n, x->ptr[op->out] = fs_walker_place(x, op));
}
