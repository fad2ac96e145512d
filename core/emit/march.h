/* march.h - what march.c and panel.c share of a kernel of the march scheme. */
#ifndef FS_EMIT_MARCH_H
#define FS_EMIT_MARCH_H

#include "core/emit/writer.h"

enum { W_MARCH_SHORT = 16 }; /* panels whose columns are summed one after the other */

/* Shared memory. */
struct w_march_room {
  int64_t kept, held, part, team, mail, end; /* where each begins */
  int64_t teams, mails; /* bytes of a panel's sums in a cluster, and finished */
};

struct w_march {
  const struct fs_writer *w;
  struct fs_march cut;
  struct w_march_room room;
  int64_t tile_row;      /* bytes of the loads of a row of a panel */
  fs_steps loads, column_sums, row_sums; /* of the matrix */
  fs_steps roots[2];     /* by phase: sums, and stores of it */
  fs_steps column_stores;
  bool *need;      /* per step: wanted in the part being written, */
  fs_steps needed; /* ... and which these are */
  fs_steps lanes;  /* those in the loop over the lanes */
  int made, again; /* of rows and columns: what the first look has made of the only
                         matrix and leaves in its place, and what the second calls
                         it; -1: the matrix itself is left */
  bool guard_i, guard_j;
  int phase;                     /* whose rows are written */
  bool short_ways;               /* quick.c: sums come after what the lanes make */
  const struct fs_writer *first; /* w, where the first look is written, which may compute on two
                                    neighbours at once (kernel/pairs.c) */
};

static inline uint8_t w_varies(const struct fs_writer *w, int v) { return w_val(w, v)->varies; }
static inline bool w_is_column_sum(const struct fs_step *s) {
  return s->kind == FS_SP_REDUCE && s->over == FS_VARIES_J;
}
static inline bool w_is_row_sum(const struct fs_step *s) {
  return s->kind == FS_SP_REDUCE && s->over == FS_VARIES_I;
}
/* Whether sums of W_MARCH_SHORT panels each are summed. */
static inline bool w_march_has_sums_of_sums(const struct w_march *c, const struct fs_step *s) {
  return w_is_row_sum(s) && s->op == FS_RD_SUM && c->cut.panels > W_MARCH_SHORT &&
         fs_dtype_is_float(w_val(c->w, s->out)->dtype);
}
static inline bool w_is_both_store(const struct fs_writer *w, const struct fs_step *s) {
  return s->kind == FS_SP_STORE && w_access(w, s)->varies == FS_VARIES_BOTH;
}
static inline bool w_is_matrix_load(const struct fs_writer *w, const struct fs_step *s) {
  return s->kind == FS_SP_LOAD && w_varies(w, s->out) == 3;
}

/* "j < 5000", "i < 12000": whether this row, this column is one of the matrix; ""
 * where all are. */
static inline const char *w_march_row_exists(const struct w_march *c) {
  const struct fs_writer *w = c->w;
  return c->guard_j ? w_fmt(w, "j < %s", w_int(w, w->how->n)) : "";
}
static inline const char *w_march_column_exists(const struct w_march *c, const char *name) {
  const struct fs_writer *w = c->w;
  return c->guard_i ? w_fmt(w, "%s < %s", name, w_int(w, w->how->m)) : "";
}

/* -- panel.c --------------------------------------------------------------------------- */

/* Marks what value v is made of, as far as it must be made here, in need[], which
 * w_march_forget() clears; the list of what is marked. */
void w_march_want(struct w_march *c, int value, bool finishing);
void w_march_forget(struct w_march *c);
void w_march_find_needed(struct w_march *c);
/* What the first look leaves for the second, and whether it computes on pairs. */
void w_march_find_made(struct w_march *c);
bool w_march_finds_pairs(struct w_march *c);
/* What they do before the panels; with the columns of a panel; with its rows, at the first
 * look and at the second; and with what waits in registers. */
void w_march_row_values(struct w_march *c);
void w_march_columns_early(struct w_march *c);
void w_march_panel(struct w_march *c, int phase);
void w_march_moves_on(struct w_march *c);
/* "const fs_index j = row + side;" */
const char *w_march_row_number(const struct fs_writer *w);
/* How many panels the loop over them is written for. */
int w_march_written(const struct w_march *c);

#endif
