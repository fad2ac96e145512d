/* sweep.c - one pass over the columns of a row: loads, lanes, stores. All
 * schemes are made of such passes; they differ in what stands around them. */
#include "core/emit/writer.h"

/* CHUNK: a block's column sums wait in the workspace between two rows. */
static void chunk_columns(const struct fs_writer *w, fs_steps need, bool load) {
  if (w_mode(w)->columns) return;
  FS_EACH_OF(need, s) {
    if (w_left(w, s) != FS_REDUCED_COLUMN) continue;
    if (load) w_declare_acc(w, s, FS_LP_LANES);
    const char *moves = w_move_columns(w, s, "(fs_index)blockIdx.x", w_fmt(w, "r%d", s->out), load);
    w_add(w, FS_LP_FOLD, s, w_guarded(w, (load ? FS_LP_IF_NOT_FRESH : 0) | FS_LP_IF_VECTOR, moves));
  }
}

/* The vectors that are `left`: from memory once more, an element at a time. */
static void stragglers(const struct fs_writer *w, fs_steps need) {
  const char *j = w_last_axis(w);
  struct fs_schedule each = *w->how;
  const struct fs_writer one = w_as(w, &each);
  w_if(w, "left");
  if (w->how->vectors > 1) {
    w_unroll(w, 1);
    w_loop(w, FS_LP_VECTOR, "int c = 0; c < %d; c++", w->how->vectors);
    w_line(w, "if (!(left >> c & 1)) continue;");
  }
  w_vector_coords(w);
  w_let(w, "const fs_index from = %s;", j);
  w_unroll(w, 1);
  const char *lanes = w_lanes_left(w, FS_LP_IF_VECTOR);
  w_loop(w, FS_LP_LANE, strchr(lanes, ' ') ? "int e = 0; e < (%s); e++" : "int e = 0; e < %s; e++",
         lanes);
  w_line(w, "fs_anew();");
  w_line(w, "const fs_index %s = from + e;", j);
  each.pairs = each.tail = false;
  each.full = true;
  each.lanes = 1;
  FS_EACH_OF(need, s) {
    if (s->kind != FS_SP_LOAD) continue;
    w_declare(&one, s->out, FS_LP_LANES, false);
    w_load_vector(&one, s, w_row_ref(&one, s->out));
  }
  w_declare_made(&one, need, false);
  w_long_lanes(&one, need);
  w_stores(&one, need);
  w_spell_pass(&one);
  w_close(w);
  if (w->how->vectors > 1) w_close(w);
  w_close(w);
}

static void compute_loop(const struct fs_writer *w, fs_steps need, bool rows) {
  bool later = w->how->stragglers, peels = w_is_placed(w);
  if (!FS_ANY_OF(need, s, s->kind != FS_SP_LOAD)) return;
  if (later) w_line(w, "unsigned left = 0;");
  w_open_vectors(w);
  chunk_columns(w, need, true);
  if (rows) w_open_rows(w);
  else w_group(w);
  w_declare_made(w, need, false);
  if (later) w_short_lanes(w, need);
  else w_lane_loop(w, need);
  w_stores(w, need);
  if (later) {
    w_else(w, NULL);
    w_line(w, w->how->vectors > 1 ? "left |= 1u << c;" : "left = 1;");
    w_close(w);
  }
  w_close(w);
  if (!peels) w_spell_pass(w);
  chunk_columns(w, need, false);
  w_close(w);
  if (later) stragglers(w, need);
}

/* What a pass must do: roots and all that they need. */
static fs_steps find_needed(const struct fs_writer *w, int phase) {
  bool *need = w_marks(w);
  FS_EACH_STEP(w->how->kernel, s) {
    bool root;
    if (phase < 0) {
      root = s->out >= 0 && w->how->made[s->out].hoisted;
    } else {
      root = s->kind == FS_SP_STORE || s->kind == FS_SP_REDUCE ||
             (w->how->made[s->out].kept && w->how->made[s->out].alias == s->out);
      root = root && s->phase == phase && fs_schedule_sweeps(w->how->kernel, w->how, s);
    }
    if (!root) continue;
    need[w_number(w, s)] = true;
    FS_EACH_IN(s, a)
      fs_schedule_need(w->how->kernel, w->how, s->in[a], phase < 0 ? 0 : phase, need);
  }
  return w_marked(w, need);
}

static void declare_row_results(const struct fs_writer *w, fs_steps need) {
  FS_EACH_OF(need, s)
    if (w_left(w, s) == FS_REDUCED_ROW || w_left(w, s) == FS_REDUCED_ROW_END)
      w_declare_acc(w, s, FS_LP_ROWS | FS_LP_LANES);
}

/* The row's own steps of the phase `apart` stand behind the loads, which are under way while
 * they wait for theirs; -1: they stand elsewhere. */
static void pass(const struct fs_writer *w, fs_steps need, bool rows, int apart) {
  w_declare_loads(w, need, rows);
  if (w_mode(w)->tiled) w_tile_stage_loads(w, need);
  w_loads(w, need, rows);
  if (!w_is_placed(w)) w_spell_pass(w);
  if (apart >= 0) w_row_steps_apart(w, apart);
  w_declare_made(w, need, true);
  if (w_mode(w)->tiled && rows) w_tile_compute(w, need);
  else compute_loop(w, need, rows);
}

/* Whether a pass over rows is written twice, for where all that shifted loads take is whole,
 * and for the edges: all of it must stand in one place. It pays in several rows (Jacobi of
 * 8192 x 8192 in bf16 on an H200: 68.3 us, not 72.3; but a flat moving average 75.4, not 67.9). */
static bool has_two_ways(const struct fs_writer *w, fs_steps need, bool rows) {
  if (!rows || !w_mode(w)->strips || w->how->vectors > 1 || w->how->rows == 1) return false;
  if (FS_ANY_OF(need, s, s->out >= 0 && w->how->made[s->out].kept)) return false;
  return FS_ANY_OF(need, s, w_is_shifted_load(w, s));
}

/* Whether up to three vectors from any place of a row lie in memory wherever there is a row
 * behind it: then only the last row has edges. */
static bool only_last_row_ends(const struct fs_writer *w, fs_steps need) {
  FS_EACH_OF(need, s)
    if (s->kind == FS_SP_LOAD &&
        (w_val(w, s->out)->varies != 3 || w_access(w, s)->stride[0] < 4 * w->how->lanes))
      return false;
  return w->axes.n_outer == 1 && w->axes.n_inner == 1;
}

/* The compiler shares what neighbouring slices and rows load only as far as it sees
 * them loaded as whole vectors: to the end of the branch. The other one, at the
 * edges, goes row by row, which takes less registers, and in a loop: what hardly ever
 * runs need not be long (Jacobi in bf16: NVRTC takes 122 ms, not 195). */
static void both_ways(const struct fs_writer *w, fs_steps need, bool rows) {
  struct fs_lp_peel peel = {.holds = FS_LP_IF_INSIDE, .rows = rows ? w->how->rows : 0};
  w_block(w, NULL);
  w_vector_coords(w);
  if (rows && only_last_row_ends(w, need)) {
    int all = w->how->rows * w->how->sides + 1;
    peel.whole = w_and(w, w_some(w), w_fmt(w, "first + %d <= %s", all, w_int(w, w->how->m)));
    peel.whole = w_and(w, peel.whole, w_all_within(w, need, rows));
    peel.holds = FS_LP_IF_ROW;
  } else {
    peel.whole = w_all_whole(w, need, rows);
  }
  w_group(w);
  pass(w, need, rows, -1);
  fs_lp_peel(w->lp, &peel);
  w_close(w);
  w_close(w);
}

void w_sweep(const struct fs_writer *w, int phase) {
  fs_steps need = find_needed(w, phase);
  bool rows = phase >= 0 && w_mode(w)->rows, two_ways = has_two_ways(w, need, rows);
  if (rows && (!*need || two_ways)) w_row_steps_apart(w, phase);
  if (!*need) return;
  bool chunks = w_mode(w)->rows && !w_mode(w)->columns;
  declare_row_results(w, need);
  if (chunks) {
    int64_t held = (int64_t)w->how->row_threads * w->how->vectors;
    const char *from = w_mode(w)->strips ? w_fmt(w, "strip * %d", w->how->tiles) : "0", *to = "";
    if (w_mode(w)->strips) to = w_fmt(w, "(strip + 1) * %d && h < ", w->how->tiles);
    w_loop(w, FS_LP_SERIAL, "fs_index h = %s; h < %s%s; h++", from, to,
           w_int(w, (w->how->row_vectors + held - 1) / held));
  }
  if (two_ways) both_ways(w, need, rows);
  else pass(w, need, rows, rows ? phase : -1);
  w_spell_pass(w);
  if (chunks) w_close(w);
  if (w_mode(w)->tiled && rows) w_tile_stage_stores(w, need);
}
