/* tile.c - the tile scheme: 32 x 32 tiles, 32 x 8 threads, four elements of a
 * tile to a thread (rows sub + 8*b, column t).
 *
 * A local barrier stands only where the paper wants one (Filipovic et al.,
 * section 4.3.3): before shared memory is read that other threads wrote, and before it
 * is overwritten where it was read since the last barrier.
 */
#include "core/emit/writer.h"

/* -- operands across ------------------------------------------------------------- */

/* The steps of a kind that pass through shared memory. */
static fs_steps find_staged(const struct fs_writer *w, fs_steps need, enum fs_step_kind kind) {
  return W_THOSE(w, need, s, s->kind == kind && w_transposed(w, s));
}

/* The element that this thread moves, so that neighbours in a warp are
 * neighbours along i. */
static void open_across(const struct fs_writer *w) {
  w_for(w, "b", w->how->rows);
  w_let(w, "const fs_index i = first + t, j = strip * 32 + (b * 8 + sub);");
}

static const char *in_tile(const struct fs_writer *w) {
  return w_fmt(w, "i < %s && j < %s", w_int(w, w->how->m), w_int(w, w->how->n));
}

void w_tile_stage_loads(const struct fs_writer *w, fs_steps need) {
  fs_steps staged = find_staged(w, need, FS_SP_LOAD);
  if (!*staged) return;
  FS_EACH_OF(staged, s)
    w_line(w, "__shared__ %s tile%d[32][33];", w_value_type(w_val(w, s->out)->dtype), s->out);
  w_barrier(w);
  open_across(w);
  FS_EACH_OF(staged, s)
    w_say(w, FS_LP_LOAD, s, "if (%s) tile%d[b * 8 + sub][t] = fs_get`%s(a%d[%s]);", in_tile(w),
          s->out, w_stored_tag(w, s), s->access, w_address(w, w_access(w, s)));
  w_close(w);
  w_barrier(w);
  w_for(w, "b", w->how->rows);
  if (!w->how->full || w->how->need_ok) w_row_coords(w);
  if (!w->how->full) w_let(w, "const bool in = strip * 32 + t < %s;", w_int(w, w->how->n));
  FS_EACH_OF(staged, s)
    w_add(w, FS_LP_LOAD, s,
          w_guarded(w, FS_LP_IF_ROW | FS_LP_IF_VECTOR,
                    w_fmt(w, "v%d[b] = tile%d[t][b * 8 + sub];", s->out, s->out)));
  w_close(w);
}

void w_tile_stage_stores(const struct fs_writer *w, fs_steps need) {
  fs_steps staged = find_staged(w, need, FS_SP_STORE);
  if (!*staged) return;
  FS_EACH_OF(staged, s)
    w_line(w, "__shared__ %s out%d[32][33];", w_value_type(w_val(w, s->in[0])->dtype),
           w_number(w, s));
  if (!*find_staged(w, need, FS_SP_LOAD)) w_barrier(w);
  w_for(w, "b", w->how->rows);
  FS_EACH_OF(staged, s)
    w_line(w, "out%d[b * 8 + sub][t] = %s;", w_number(w, s), w_ref(w, s->in[0]));
  w_close(w);
  w_barrier(w);
  open_across(w);
  FS_EACH_OF(staged, s)
    w_say(w, FS_LP_STORE, s, "if (%s) fs_put`%s(a%d[%s], out%d[t][b * 8 + sub]);", in_tile(w),
          w_stored_tag(w, s), s->access, w_address(w, w_access(w, s)), w_number(w, s));
  w_close(w);
}

/* -- a tile --------------------------------------------------------------------------- */

/* The loop over the rows that a thread has of a tile. */
static void open_tile_rows(const struct fs_writer *w) {
  w_for(w, "b", w->how->rows);
  w_row_coords(w);
}

void w_tile_compute(const struct fs_writer *w, fs_steps need) {
  w_block(w, NULL);
  w_vector_coords(w);
  if (FS_ANY_OF(need, s, w_makes_lanes(w, s))) {
    open_tile_rows(w);
    FS_EACH_OF(need, s)
      if (w_makes_lanes(w, s)) w_lane_step(w, w->lp, s);
    w_spell_pass(w);
    w_close(w);
  }
  if (FS_ANY_OF(need, s, s->kind == FS_SP_STORE && !w_transposed(w, s))) {
    open_tile_rows(w);
    w_stores(w, need);
    w_close(w);
  }
  w_close(w);
}
