/* end.c - how partial results leave a block, are folded in a fixed order, and
 * what runs on them at FS_END.
 *
 * Every block writes its partial results to the workspace. If only scalars are wanted, or blocks
 * cannot wait for each other, the block that finishes last folds them (a ticket counter tells).
 * Else a grid barrier stands between, as where other phases follow in the same launch (grid.c),
 * and all blocks fold: a block takes some columns at a time, its threads lie across them as lanes
 * and slices, each slice takes every so-manieth partial result, and the slices are put together
 * in order: those of a warp by shuffles, then those of the warps. */
#include "core/emit/writer.h"

static const char *scratch_of(const struct fs_writer *w, const struct fs_step *s) {
  return w_fmt(w, "(`local %s *)scratch", w_acc_type(w, s->out));
}

/* -- column results of a block ------------------------------------------------------- */

static void put_columns(const struct fs_writer *w, const struct fs_step *s, const char *from) {
  w_line(w, "%s", w_guarded(w, FS_LP_IF_VECTOR, w_move_columns(w, s, "part", from, false)));
}

/* A call of a function of elemlib for sums in parts: "fs_slices<fs_add, 8>(...)". */
static const char *folded(const struct fs_writer *w, const struct fs_step *s, const char *name,
                          int n, int width, const char *arguments) {
  return w_fmt(w, "%s<%s, %d>`%s.%d.%s.%d(%s)", name, w_op_class(s->op), n, w_op_tag(s->op), n,
               w_acc_tag(w, s->out), width, arguments);
}

/* `width` vectors of each row of the block lie in scratch, the first one being
 * vector `from` of the threads: put together, row after row. */
static void fold_side(const struct fs_writer *w, const struct fs_step *s, int from, int width) {
  w_loop(w, FS_LP_BLOCK_AXIS, "int v = threadIdx.x; v < %d; v += %d", width, w->how->threads);
  if (w->how->vectors > 1) w_let(w, "const int c = %d + v / %d;", from, w->how->row_threads);
  w_let(w, "const int t = v %% %d;", w->how->row_threads);
  w_vector_coords(w);
  w_line(w, "%s x[%d];", w_acc_type(w, s->out), w->how->lanes);
  w_line(w, "%s;", folded(w, s, "fs_side", w->how->sides, w->how->lanes,
                          w_fmt(w, "x, side, v, %d", width)));
  put_columns(w, s, w->how->lanes > 1 ? "x" : "x[0]");
  w_close(w);
}

/* The rows side by side in the block, some vectors of a thread at a time: all that
 * scratch has room for. Then every thread folds some columns. */
static void fold_rows_of_block(const struct fs_writer *w, const struct fs_step *s) {
  const char *type = w_acc_type(w, s->out);
  int together = fs_schedule_side_vectors(w->how->kernel, w->how), V = w->how->lanes;
  w_block(w, NULL);
  w_line(w, "`local %s *const side = %s;", type, scratch_of(w, s));
  for (int from = 0; from < w->how->vectors; from += together) {
    int count = FS_MIN(together, w->how->vectors - from), width = w->how->row_threads * count;
    w_barrier(w);
    for (int c = from; c < from + count; c++) {
      const char *mine = w_fmt(w, w->how->vectors > 1 ? "r%d[%d]" : "r%d", s->out, c);
      const char *at = w_fmt(w, "sub * %d + %d + t", width, (c - from) * w->how->row_threads);
      if (V == 1) w_line(w, "side[%s] = %s;", at, mine);
      else
        w_line(w, "%s", w_move(w, s, "store`local.", V, w_fmt(w, "side + (%s) * %d", at, V), mine));
    }
    w_barrier(w);
    fold_side(w, s, from, width);
  }
  w_close(w);
}

void w_columns_out(const struct fs_writer *w) {
  if (!w->how->n_columns) return;
  if (w_mode(w)->holds) w_let(w, "const fs_index part = %s;", w_team(w));
  FS_EACH_OF(w_reductions(w, FS_REDUCED_COLUMN), s) {
    if (w->how->sides > 1) {
      fold_rows_of_block(w, s);
      continue;
    }
    w_for_in_braces(w, "c", w->how->vectors);
    w_vector_coords(w);
    put_columns(w, s, w_row_sum(w, s->out));
    w_close(w);
  }
}

/* -- scalars ---------------------------------------------------------------------------- */

/* x of all threads of the block put together. */
static const char *of_block(const struct fs_writer *w, const struct fs_step *s, const char *x) {
  return w_joined(w, s, "fs_block", w->how->threads / 32, w_fmt(w, "%s, %s", x, scratch_of(w, s)));
}

/* The sums of a tile's rows, or of a part of one, a strip's beside each other. */
void w_rows_out(const struct fs_writer *w) {
  bool tile = w_mode(w)->tiled;
  FS_EACH_OF(w_reductions(w, FS_REDUCED_ROW_END), s) {
    const char *x = w_lanes_sum(w, s);
    w_for_in_braces(w, "b", w->how->rows);
    if (tile) w_row_coords(w);
    w_say(w, FS_LP_FOLD, s, "const %s x = %s;", w_acc_type(w, s->out),
          tile ? w_joined(w, s, "fs_warp", 32, x) : of_block(w, s, x));
    w_line(w, "if (%s) w%d[%s] = x;", w_guard(w, FS_LP_IF_SPEAKS | FS_LP_IF_ROW, -1), s->out,
           w_at(w, FS_LP_AT({"strip", w->how->pitch_i}, {"i", 1})));
    if (!tile) w_barrier(w);
    w_close(w);
  }
}

static void define_full(const struct fs_writer *w, const struct fs_step *s, const char *x) {
  w_define_sum(w, s, of_block(w, s, x));
  w_barrier(w);
}

static void fulls_out(const struct fs_writer *w) {
  bool read =
      w->how->n_columns && w->how->sides > 1; /* some warps still read the block's columns */
  FS_EACH_OF(w_reductions(w, FS_REDUCED_ALL), s) {
    if (read) w_barrier(w);
    read = false;
    w_block(w, NULL);
    w_say(w, FS_LP_FOLD, s, "const %s x = %s;", w_acc_type(w, s->out),
          of_block(w, s, w_lanes_sum(w, s)));
    w_line(w, "if (threadIdx.x == 0) w%d[blockIdx.x] = x;", s->out);
    w_barrier(w);
    w_close(w);
  }
}

/* As a phase of a launch, a flat kernel may have far less tiles than there are blocks:
 * what the others have is neutral. INT64_MAX of other kernels. */
static int64_t blocks_with_tiles(const struct fs_writer *w) {
  int64_t tile = (int64_t)w->how->threads * w->how->vectors;
  return w->args->grid && !w_mode(w)->rows ? (w->how->row_vectors + tile - 1) / tile : INT64_MAX;
}

/* What the blocks left that is a thread's. Of those that there will be the loads are under way
 * together, before the first is added. */
static const char *gathered(const struct fs_writer *w, const struct fs_step *s) {
  enum { MOST_TOGETHER = 8 };
  int64_t blocks = (int64_t)FS_MAX(1, w->how->units) * w->how->resident;
  int64_t tiles = blocks_with_tiles(w);
  const char *count = tiles < blocks ? w_fmt(w, "fs_fewer(gridDim.x, %lld)", (long long)tiles)
                                     : "gridDim.x";
  int together = (int)FS_MIN(fs_ceil_div(FS_MIN(tiles, blocks), w->how->threads), MOST_TOGETHER);
  return w_joined(w, s, "fs_gather", together > 1 ? together : 0,
                  w_fmt(w, "w%d, %s, %d, %s", s->out, count, w->how->threads, w_neutral(w, s)));
}

static void fulls_in(const struct fs_writer *w) {
  FS_EACH_OF(w_reductions(w, FS_REDUCED_ALL), s) {
    const char *acc = w_fmt(w, "x%d", s->out);
    w_line(w, "%s %s = %s;", w_acc_type(w, s->out), acc, gathered(w, s));
    define_full(w, s, acc);
  }
}

static void scalar_steps(const struct fs_writer *w, unsigned guard) {
  w_plain_steps(w, W_STEPS(w, s, s->phase == FS_END && w_is_number(w, s) && !w_is_uniform(w, s)),
                guard);
}

/* -- one result per column, or per row ------------------------------------------------------ */

struct axis {
  uint8_t varies;
  enum fs_reduced acc;
  const char *name; /* index variable */
  int64_t count, slots, pitch;
  const char *parts;
};

static struct axis axis_of(const struct fs_writer *w, uint8_t varies) {
  struct axis a = {.varies = varies};
  if (varies == FS_VARIES_I) {
    a.acc = FS_REDUCED_ROW_END;
    a.name = "i";
    a.count = a.slots = w->how->m;
    a.pitch = w->how->pitch_i;
    a.parts = w_int(w, w->how->strips);
    return a;
  }
  a.acc = FS_REDUCED_COLUMN;
  a.name = "j";
  a.count = w->how->n;
  a.slots = w->how->row_vectors * w->how->lanes;
  a.pitch = w->how->pitch_j;
  a.parts = w_mode(w)->tiled      ? w_int(w, w->how->parts)
            : w_mode(w)->strips   ? "parts"
            : w->how->cluster > 1 ? w_fmt(w, "((fs_index)gridDim.x / %d)", w->how->cluster)
                                  : "(fs_index)gridDim.x";
  return a;
}

/* Steps of FS_END over this axis, and what they need. */
static fs_steps end_steps(const struct fs_writer *w, const struct axis *a) {
  bool *need = w_marks(w);
  FS_EACH_STEP(w->how->kernel, s) {
    if (s->phase != FS_END || s->kind != FS_SP_STORE || w_access(w, s)->varies != a->varies)
      continue;
    need[w_number(w, s)] = true;
    fs_schedule_need(w->how->kernel, w->how, s->in[0], FS_END, need);
  }
  return w_marked(w, need);
}

/* The axes' numbers from a slot x; opens the scope of an existing element. */
static void open_element(const struct fs_writer *w, const struct axis *a) {
  bool rows = a->varies == FS_VARIES_I;
  int n = rows ? w->axes.n_outer : w->axes.n_inner, first = rows ? 0 : w->axes.n_outer;
  if (n == 1) {
    w_line(w, "const fs_index %s = x;", a->name);
    w_if(w, "%s < %s", a->name, w_int(w, a->count));
    return;
  }
  int64_t width = rows ? w->axes.dim[first + n - 1] : w->how->line_vectors * w->how->lanes;
  int64_t rest = a->slots;
  for (int x = 0; x < n; x++) {
    int64_t dim = x == n - 1 ? width : w->axes.dim[first + x];
    rest /= dim;
    const char *e = rest == 1 ? "x" : w_fmt(w, "x / %s", w_int(w, rest));
    if (x > 0) e = w_fmt(w, "(%s) %% %s", e, w_int(w, dim));
    w_line(w, "const fs_index %s%d = %s;", a->name, x, e);
  }
  w_if(w, "x < %s && %s%d < %s", w_int(w, a->slots), a->name, n - 1,
       w_int(w, w->axes.dim[first + n - 1]));
}

static void saved_values(const struct fs_writer *w, const struct axis *a) {
  for (int v = 0; v < w->how->kernel->values.len; v++) {
    if (!w->how->made[v].saved) continue;
    bool many = w_val(w, v)->varies & FS_VARIES_I;
    if (many && a->varies != FS_VARIES_I) continue;
    w_define(w, FS_LP_LET, NULL, v, w_fmt(w, "fs_fresh`%s(w%d%s)", w_tag(w_val(w, v)->dtype), v,
                                               many ? " + i" : ""));
  }
}

/* The threads' shape: lanes x slices. Units for all multiprocessors, and enough partial results
 * for a thread to have several loads under way. Where half of them had a unit, BiCG of 8192 x 8192
 * in bf16 took an H200 42.1 us in place of 40.1. */
static int lanes_for(const struct fs_writer *w, const struct axis *a) {
  int lanes = 8, most = w->how->threads / w->how->fold_lanes;
  int64_t units = w->how->units ? w->how->units : 64;
  while (lanes < 32 && 2 * lanes <= most && a->slots / (2 * lanes * w->how->fold_lanes) >= units)
    lanes *= 2;
  return lanes;
}

/* How many partial results a slice has, if that is known and they fit in registers: then all
 * their loads are under way at once, before what else is to be had behind the barrier (six trips
 * took 6 of the 47 us of BiCG, 8192 x 8192 in bf16 on an H200). 0: a loop loads and adds. */
static int together(const struct fs_writer *w, const struct axis *a) {
  enum { MOST_TOGETHER = 12 };
  if (a->acc != FS_REDUCED_COLUMN || !w_mode(w)->holds || w->how->last_ends) return 0;
  int slices = w->how->threads / lanes_for(w, a);
  int64_t units = w->how->units;
  int64_t blocks = units * w->how->resident / w->how->cluster;
  int64_t each = (blocks + slices - 1) / slices;
  return each < 1 || each > MOST_TOGETHER ? 0 : (int)each;
}

/* The element at hand of so many that a lane has: a loop over one is none. */
static const char *lane_of(int width) { return width > 1 ? "e" : "0"; }

/* Brings the partial results of a unit of columns to their places. */
static void fetch(const struct fs_writer *w, const struct fs_step *s, const struct axis *a,
                  const char *unit) {
  int lanes = lanes_for(w, a), width = w->how->fold_lanes;
  w_say(w, FS_LP_FOLD, s, "fs_fetch(part%d, w%d, %s * %d + lane * %d, slice, %d, %s, %s, %s);",
        s->out, s->out, unit, lanes * width, width, w->how->threads / lanes, a->parts,
        w_int(w, a->pitch), w_neutral(w, s));
}

static void fetch_ahead(const struct fs_writer *w, uint8_t varies) {
  struct axis a = axis_of(w, varies);
  if (!together(w, &a)) return;
  bool any = false;
  FS_EACH_OF(w_reductions(w, a.acc), s) {
    if (!any) {
      w_let(w, "const int lane = threadIdx.x %% %d;", lanes_for(w, &a));
      w_let(w, "const int slice = threadIdx.x / %d;", lanes_for(w, &a));
    }
    any = true;
    w_line(w, "%s part%d[%d][%d];", w_acc_type(w, s->out), s->out, together(w, &a),
           w->how->fold_lanes);
    fetch(w, s, &a, "(fs_index)blockIdx.x");
  }
}

static int64_t units_of(const struct fs_writer *w, const struct axis *a) {
  int64_t unit = (int64_t)lanes_for(w, a) * w->how->fold_lanes;
  return (a->slots + unit - 1) / unit;
}

/* Whether every block of the launch that is expected has one unit at most. */
static bool has_one_unit(const struct fs_writer *w, const struct axis *a) {
  return units_of(w, a) <= (int64_t)w->how->units * w->how->resident;
}

/* `unroll`: how many loads are under way at once. */
static void add_in_loop(const struct fs_writer *w, const struct fs_step *s, const struct axis *a,
                        int unroll) {
  w_say(w, FS_LP_FOLD, s, "%s;",
        folded(w, s, "fs_add_parts", unroll, w->how->fold_lanes,
               w_fmt(w, "sum%d, w%d, at, slice, %s, %d, %s", s->out, s->out, a->parts,
                     w->how->threads / lanes_for(w, a), w_int(w, a->pitch))));
}

/* The slice's sum of what was fetched. What the next unit has comes in its place; where no block
 * has a next one, a loop stands for it: it is compiled in less time than the fetch. */
static void add_fetched(const struct fs_writer *w, const struct fs_step *s, const struct axis *a) {
  int width = w->how->fold_lanes;
  bool one = has_one_unit(w, a);
  if (one) w_if(w, "unit == blockIdx.x");
  w_line(w, "fs_add_fetched<%s>(sum%d, part%d);", w_op_class(s->op), s->out, s->out);
  if (!one) {
    fetch(w, s, a, "(unit + gridDim.x)");
    return;
  }
  w_else(w, "of a launch of few blocks");
  w_let(w, "const fs_index at = unit * %d + lane * %d;", lanes_for(w, a) * width, width);
  add_in_loop(w, s, a, 1);
  w_close(w);
}

static void fold_one(const struct fs_writer *w, const struct fs_step *s, const struct axis *a) {
  int width = w->how->fold_lanes;
  w_line(w, "%s sum%d[%d];", w_acc_type(w, s->out), s->out, width);
  w_for(w, "e", width);
  w_line(w, "sum%d[%s] = %s;", s->out, lane_of(width), w_neutral(w, s));
  w_close(w);
  if (together(w, a)) add_fetched(w, s, a);
  else add_in_loop(w, s, a, 4);
  w_line(w, "%s x%d = %s;", w_acc_type(w, s->out), s->out, w_neutral(w, s));
  w_line(w, "x%d = %s;", s->out,
         folded(w, s, "fs_slices", lanes_for(w, a), width,
                w_fmt(w, "sum%d, %s, %d, x%d", s->out, scratch_of(w, s), w->how->threads, s->out)));
}

/* What elements load, before their sums are put together: the loads are under way
 * meanwhile. Where the axis is one of the space. */
static bool load_elements(const struct fs_writer *w, const struct axis *a, fs_steps loads,
                          int64_t unit) {
  if (!together(w, a) || w->axes.n_inner != 1) return false;
  w_let(w, "const fs_index j = x;");
  w_let(w, "const bool own = threadIdx.x < %s && j < %s;", w_int(w, unit), w_int(w, a->count));
  FS_EACH_OF(loads, s) w_scalar(w, s, FS_LP_IF_OWN, false);
  return true;
}

static void element_steps(const struct fs_writer *w, const struct axis *a, fs_steps need,
                          bool open) {
  if (!open) open_element(w, a);
  FS_EACH_OF(w_reductions(w, a->acc), s)
    w_define_sum(w, s, w_fmt(w, "x%d", s->out));
  saved_values(w, a);
  w_plain_steps(w, need, 0);
  if (!open) w_close(w);
}

static void end_of_axis(const struct fs_writer *w, uint8_t varies) {
  struct axis a = axis_of(w, varies);
  fs_steps need = end_steps(w, &a);
  bool last = w->how->last_ends;
  const char *first = last ? "0" : "(fs_index)blockIdx.x";
  const char *all = last ? "1" : "(fs_index)gridDim.x";
  if (*need && !*w_reductions(w, a.acc)) {
    w_loop(w, FS_LP_GRID,
           "fs_index x = %s * %d + threadIdx.x; x < %s; x += %s * %d", first,
           w->how->threads, w_int(w, a.slots), all, w->how->threads);
    element_steps(w, &a, need, false);
    w_close(w);
  } else if (*need) {
    int lanes = lanes_for(w, &a), width = w->how->fold_lanes;
    int64_t unit = (int64_t)lanes * width;
    w_loop(w, FS_LP_GRID, last ? "fs_index unit = 0; unit < %s; unit++"
                               : "fs_index unit = blockIdx.x; unit < %s; unit += gridDim.x",
           w_int(w, units_of(w, &a)));
    if (!together(w, &a)) {
      w_let(w, "const int lane = threadIdx.x %% %d;", lanes);
      w_let(w, "const int slice = threadIdx.x / %d;", lanes);
      w_let(w, "const fs_index at = unit * %s + lane * %d;", w_int(w, unit), width);
    }
    w_let(w, "const fs_index x = unit * %s + threadIdx.x;", w_int(w, unit));
    bool open = load_elements(w, &a, W_THOSE(w, need, s, s->kind == FS_SP_LOAD), unit);
    if (open) need = W_THOSE(w, need, s, s->kind != FS_SP_LOAD);
    FS_EACH_OF(w_reductions(w, a.acc), s) fold_one(w, s, &a);
    if (open) w_if(w, "own");
    else w_if(w, "threadIdx.x < %s", w_int(w, unit));
    element_steps(w, &a, need, open);
    w_close(w);
    w_close(w);
  }
}

/* -- all of it --------------------------------------------------------------------------------- */

void w_finish(const struct fs_writer *w) {
  if (!w->how->vector_end && !w->how->n_all) return;
  if (w->how->kernel->everywhere) {
    /* each block has all elements, and so the sums */
    FS_EACH_OF(w_reductions(w, FS_REDUCED_ALL), s) define_full(w, s, w_lanes_sum(w, s));
    scalar_steps(w, FS_LP_IF_FIRST_BLOCK | FS_LP_IF_FIRST_THREAD);
    return;
  }
  fulls_out(w);
  if (w->how->last_ends) {
    w_if(w, "fs_last_block(counters)");
    fulls_in(w);
    scalar_steps(w, FS_LP_IF_FIRST_THREAD);
    if (w->how->n_all) w_barrier(w); /* without it PoCL 3.1 stores other numbers */
    end_of_axis(w, FS_VARIES_J);
    end_of_axis(w, FS_VARIES_I);
    w_close(w);
    return;
  }
  if (!w->how->vector_end && !w->args->grid) {
    w_line(w, "if (!fs_last_block(counters)) return;");
    fulls_in(w);
    scalar_steps(w, FS_LP_IF_FIRST_THREAD);
    return;
  }
  w_say(w, FS_LP_BARRIER, NULL, "fs_grid_barrier(counters);");
  fetch_ahead(w, FS_VARIES_J);
  fulls_in(w);
  scalar_steps(w, FS_LP_IF_FIRST_BLOCK | FS_LP_IF_FIRST_THREAD);
  end_of_axis(w, FS_VARIES_J);
  end_of_axis(w, FS_VARIES_I);
}
