/* places.c - what a walk takes of a processor: where each value of the kernel
 * lives, and how many tasks there are. */
#include "core/device/cpu/walk.h"

/* Elements of a result that a thread has at a time. */
static double held(const struct fs_walk *w, const struct fs_walk_op *op) {
  double rows = op->varies & FS_VARIES_I ? (double)w->cut.rows : 1;
  const struct fs_space *s = &w->kernel->space;
  if (op->line >= 0) return (double)(op->varies & FS_VARIES_J ? s->n : s->m);
  double columns = (double)w->cut.columns;
  if (op->kept) columns = (double)w->kernel->space.n;
  return rows * (op->varies & FS_VARIES_J ? columns : 1);
}

static void place_result(const struct fs_walk *w, const struct fs_walk_op *op,
                         struct fs_home *places) {
  if (op->out < 0) return;
  struct fs_home *p = &places[op->out];
  p->storage = op->varies ? "cache" : "register";
  p->bytes = held(w, op) * op->size;
  bool direct = op->direct >= 0 || (op->kind == FS_SP_LOAD &&
                                    op->mode == FS_LM_IN_PLACE);
  if (!direct) return;
  p->storage = "in place";
  p->bytes = 0;
}

static void place_list(const struct fs_walk *w, const fs_op_list *list,
                       struct fs_home *places) {
  for (int k = 0; k < list->len; k++) place_result(w, &list->data[k], places);
}

void fs_walk_footprint(const struct fs_walk *w, struct fs_footprint *out,
                       struct fs_home *places) {
  *out = (struct fs_footprint){.threads = 1, .scratch = w->scratch};
  out->blocks = FS_MAX(1, w->cut.row_chunks) * FS_MAX(1, w->cut.column_chunks);
  for (int v = 0; v < w->kernel->values.len; v++)
    places[v] = (struct fs_home){.storage = "none"};
  place_list(w, &w->start, places);
  place_list(w, &w->vectors, places);
  place_list(w, &w->before, places);
  place_list(w, &w->after, places);
  for (int p = 0; p < w->n_phases; p++) {
    place_list(w, &w->phase[p].group, places);
    place_list(w, &w->phase[p].strips, places);
    place_list(w, &w->phase[p].finish, places);
  }
  place_list(w, &w->all, places);
  place_list(w, &w->end_cells, places);
  place_list(w, &w->end_rows, places);
  place_list(w, &w->end_columns, places);
}
