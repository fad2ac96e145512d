/* walker.h - one thread on its way over a kernel, private to walk.c and reduce.c. */
#ifndef FS_CPU_WALKER_H
#define FS_CPU_WALKER_H

#include "core/device/cpu/element.h"
#include "core/device/cpu/walk.h"

/* One thread's view of the task at hand. */
struct fs_walker {
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

/* Where each row of the tile of a value lies. */
static inline char **fs_walker_rows(const struct fs_walker *x, int v) {
  return x->row + (int64_t)v * x->w->cut.rows;
}

static inline bool fs_ctype_is_float(enum fs_ctype ct) {
  return ct == FS_CT_F32 || ct == FS_CT_F64;
}

static inline const struct fs_access *fs_walker_access(const struct fs_walker *x, int k) {
  return &x->w->kernel->accesses.data[k];
}

/* Where the result of an operation on a cell or a line belongs. */
static inline char *fs_walker_place(const struct fs_walker *x, const struct fs_walk_op *op) {
  if (op->varies == 0) return x->cells_base + (int64_t)op->out * 16;
  int64_t first = op->varies & FS_VARIES_J ? x->j0 : x->i0;
  if (op->direct >= 0) { /* of unit stride: see find_direct() */
    const struct fs_access *a = fs_walker_access(x, op->direct);
    int64_t at = a->offset + first;
    return (char *)x->slots[a->slot] + at * (int64_t)fs_dtype_size(a->dtype);
  }
  if (op->line >= 0) return x->work + x->w->lines_at + op->line + first * op->size;
  return x->scratch + op->at;
}

/* Row r of a value over the columns of the tile; a value that does not vary
 * over J gives its element. */
static inline const char *fs_walker_operand(const struct fs_walker *x, int v, int64_t r) {
  uint8_t varies = x->w->varies[v];
  if (varies == FS_VARIES_BOTH) return fs_walker_rows(x, v)[r];
  return x->ptr[v] + (varies == FS_VARIES_I ? r * x->w->size[v] : 0);
}

/* Whether another tile does it: it does not run along all that the kernel does. */
static inline bool fs_walker_skips(const struct fs_walker *x, const struct fs_walk_op *op) {
  return (!(op->walks & FS_VARIES_I) && x->i0 != 0) ||
         (!(op->walks & FS_VARIES_J) && x->column_chunk != 0);
}

/* Whether the rows of a value, more than one, lie one behind the other. Where they are
 * not evenly spaced the first two do not tell, nor do the first and the last. */
static inline bool fs_walker_is_dense(const struct fs_walker *x, int v) {
  uint8_t varies = x->w->varies[v];
  if (varies == 0) return true;
  char **row = fs_walker_rows(x, v);
  return varies == FS_VARIES_BOTH && !x->w->uneven[v] &&
         row[1] - row[0] == x->columns * x->w->size[v];
}

/* -- reductions (reduce.c) -------------------------------------------------- */

/* Adds the present tile, or line, to the cells or the columns' accumulators. */
void fs_walk_reduce(struct fs_walker *x, const struct fs_walk_op *op);
/* What n states begin with. */
void fs_walk_begin_cells(const struct fs_walk_op *op, int64_t n, union fs_cell *cells);
/* What the accumulators of columns x->j0 and on begin with. */
void fs_walk_begin_columns(struct fs_walker *x, const struct fs_walk_op *op, int64_t n);
/* What the sweep of a phase made over rows becomes lines over I. */
void fs_walk_finish_rows(struct fs_walker *x, const struct fs_walk_op *op);
/* At the end: partial results of an ALL reduction, folded in the order of the tasks. */
void fs_walk_finish_all(struct fs_walker *x, const struct fs_walk_op *op);
/* At the end: a piece of the result of a COLUMN or ROW_END reduction. */
void fs_walk_fold_piece(struct fs_walker *x, const struct fs_walk_op *op);

#endif
