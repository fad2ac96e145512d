/* peel.c - a pass: statements stand once for where whole vectors, and all rows, exist, and once
 * for the edges of the array. */
#include "core/lower/program.h"

/* A copy for where these hold: it asks for none of them, its values need no zeros before, and
 * loads take whole vectors. What says whether one holds is not needed. */
static void put_whole(struct fs_lp_writer *to, const struct fs_lp *x, unsigned holds) {
  if (x->kind == FS_LP_LET && x->guard & holds && !x->makes) return;
  struct fs_lp *copy = fs_lp_open_copy(to, x);
  copy->guard &= x->makes ? 0 : ~holds;
  if (x->kind == FS_LP_LOAD && x->way == FS_LP_LONG) copy->way = FS_LP_SHORT;
  for (const struct fs_lp *y = x->body; y; y = y->next) put_whole(to, y, holds);
  if (x->other) fs_lp_else(to, x->other->note);
  for (const struct fs_lp *y = x->other ? x->other->body : NULL; y; y = y->next)
    put_whole(to, y, holds);
  fs_lp_close(to);
}

/* The coordinates of a row, as a loop over rows has them. */
static const struct fs_lp *find_rows(const struct fs_lp *list) {
  const struct fs_lp *found = NULL;
  for (const struct fs_lp *x = list; x && !found; x = x->next)
    found = x->kind == FS_LP_FOR && x->axis == FS_LP_ROW ? x : find_rows(x->body);
  return found;
}
static bool is_of_row(const struct fs_lp *x) {
  return x->kind == FS_LP_LET && x->axis == FS_LP_ROW;
}

/* A copy for one row: loops over rows are what is in them, values are of one. */
static void put_row(struct fs_lp_writer *to, const struct fs_lp *x) {
  bool rows = x->kind == FS_LP_FOR && x->axis == FS_LP_ROW;
  struct fs_lp *copy = rows ? NULL : fs_lp_open_copy(to, x);
  if (x->makes) fs_lp_declare(to, copy, x->makes->number, x->makes->over & ~(unsigned)FS_LP_ROWS);
  for (const struct fs_lp *y = x->body; y; y = y->next)
    if (!rows || !is_of_row(y)) put_row(to, y);
  if (x->other) fs_lp_else(to, x->other->note);
  for (const struct fs_lp *y = x->other ? x->other->body : NULL; y; y = y->next) put_row(to, y);
  if (!rows) fs_lp_close(to);
}

static void put_edges(struct fs_lp_writer *to, struct fs_lp *list, int rows) {
  const struct fs_lp *loop = find_rows(list);
  if (rows) {
    struct fs_lp *all = fs_lp_open(to, FS_LP_FOR, NULL);
    all->axis = FS_LP_ROW, all->extent = rows, all->unroll = 1;
  }
  for (const struct fs_lp *x = rows && loop ? loop->body : NULL; x; x = x->next)
    if (is_of_row(x)) put_row(to, x);
  for (struct fs_lp *x = list, *next; x; x = next) {
    next = x->next;
    if (rows) put_row(to, x);
    else fs_lp_link(to, x);
  }
  if (rows) fs_lp_close(to);
}

void fs_lp_peel(struct fs_lp_writer *w, const struct fs_lp_peel *peel) {
  struct fs_lp *list = w->at->body;
  w->at->body = w->at->last = NULL;
  fs_lp_open(w, FS_LP_IF, peel->whole);
  for (const struct fs_lp *x = list; x; x = x->next) put_whole(w, x, peel->holds);
  fs_lp_else(w, NULL);
  put_edges(w, list, peel->rows);
  fs_lp_close(w);
}
