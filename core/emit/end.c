/* end.c - how partial results leave a block, are folded in a fixed order, and
 * what runs on them at FS_END.
 *
 * Every block writes its partial results to the workspace. If only scalars are
 * wanted, the block that finishes last folds them (a ticket counter tells). Else
 * a grid barrier stands between, as it does where other phases follow in the same
 * launch (grid.c), and all blocks fold: a block takes some columns
 * at a time, its threads lie across them as lanes and slices, each slice takes
 * every so-manieth partial result, and the slices are put together in order: those
 * of a warp by shuffles, then those of the warps.
 */
#include "core/emit/writer.h"

static const char *acc_type_of(struct em *em, const struct fs_step *s) {
  return em_acc_type(em, s->out);
}

static const char *scratch_of(struct em *em, const struct fs_step *s) {
  return em_fmt(em, "(%s *)scratch", acc_type_of(em, s));
}

/* -- column results of a block ------------------------------------------------------- */

static void put_columns(struct em *em, const struct fs_step *s, const char *from) {
  const char *at = em_at(em, FS_LP_AT({em_fmt(em, "w%d", s->out), 1},
                                      {"part", em->how->pitch_j}, em_column_slot(em)));
  const char *in = em_guard(em, EM_IF_VECTOR, -1);
  const char *put = em_fmt(em, em->how->lanes == 1 ? "*(%s) = %s;" : "fs_store(%s, %s);", at, from);
  em_line(em, *in ? "if (%s) %s" : "%s%s", in, put);
}

/* `width` vectors of each row of the block lie in scratch, the first one being
 * vector `from` of the threads: put together, row after row. */
static void fold_side(struct em *em, const struct fs_step *s, int from, int width) {
  const char *type = acc_type_of(em, s), *e = em->how->lanes > 1 ? "[e]" : "";
  em_loop(em, FS_LP_BLOCK_AXIS, "int v = threadIdx.x; v < %d; v += %d", width, em->how->threads);
  if (em->how->vectors > 1)
    em_say(em, FS_LP_LET, NULL, "const int c = %d + v / %d;", from, em->how->row_threads);
  em_say(em, FS_LP_LET, NULL, "const int t = v %% %d;", em->how->row_threads);
  em_vector_coords(em);
  if (em->how->lanes == 1) em_line(em, "%s x = side[v];", type);
  else em_line(em, "%s x[%d];", type, em->how->lanes);
  if (em->how->lanes > 1) em_line(em, "fs_load(x, side + v * %d);", em->how->lanes);
  em_unroll(em, FS_LP_UNROLL_ALL);
  em_loop(em, FS_LP_SERIAL, "int row = 1; row < %d; row++", em->how->sides);
  if (em->how->lanes > 1) {
    em_line(em, "%s y[%d];", type, em->how->lanes);
    em_line(em, "fs_load(y, side + (row * %d + v) * %d);", width, em->how->lanes);
  } else {
    em_line(em, "const %s y = side[row * %d + v];", type, width);
  }
  em_for(em, "e", em->how->lanes);
  const char *x = em_fmt(em, "x%s", e);
  em_line(em, "%s = %s;", x, em_combine(em, s->op, x, em_fmt(em, "y%s", e)));
  em_close_for(em, em->how->lanes);
  em_close(em);
  put_columns(em, s, "x");
  em_close(em);
}

/* The rows side by side in the block, some vectors of a thread at a time: all that
 * scratch has room for. Then every thread folds some columns. */
static void fold_rows_of_block(struct em *em, const struct fs_step *s) {
  const char *type = acc_type_of(em, s);
  int together = fs_schedule_side_vectors(em->k, em->how), V = em->how->lanes;
  em_block(em, NULL);
  em_line(em, "%s *const side = %s;", type, scratch_of(em, s));
  for (int from = 0; from < em->how->vectors; from += together) {
    int count = FS_MIN(together, em->how->vectors - from), width = em->how->row_threads * count;
    em_say(em, FS_LP_BARRIER, NULL, "__syncthreads();");
    for (int c = from; c < from + count; c++) {
      const char *mine =
          em_fmt(em, em->how->vectors > 1 ? "r%d[%d]" : "r%d", s->out, c);
      const char *at =
          em_fmt(em, "sub * %d + %d + t", width, (c - from) * em->how->row_threads);
      if (V == 1) em_line(em, "side[%s] = %s;", at, mine);
      else em_line(em, "fs_store(side + (%s) * %d, %s);", at, V, mine);
    }
    em_say(em, FS_LP_BARRIER, NULL, "__syncthreads();");
    fold_side(em, s, from, width);
  }
  em_close(em);
}

void em_columns_out(struct em *em) {
  if (!em->how->n_columns) return;
  if (em->how->mode == FS_MODE_KEEP)
    em_say(em, FS_LP_LET, NULL, "const fs_index part = %s;", em_team(em));
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = em_reduction(em, i, FS_REDUCED_COLUMN);
    if (!s) continue;
    if (em->how->sides > 1) {
      fold_rows_of_block(em, s);
      continue;
    }
    em_for(em, "c", em->how->vectors);
    if (em->how->vectors == 1) em_block(em, NULL);
    em_vector_coords(em);
    put_columns(em, s, em_fmt(em, "r%d%s", s->out, em->how->vectors > 1 ? "[c]" : ""));
    em_close(em);
  }
}

/* -- scalars ---------------------------------------------------------------------------- */

static const char *result_of_thread(struct em *em, const struct fs_step *s) {
  if (em->how->lanes == 1 || !fs_schedule_sweeps(em->k, em->how, s))
    return em_fmt(em, "r%d", s->out);
  return em_fmt(em, "fs_lanes<%s>(r%d)", em_op_class(s->op), s->out);
}

static void fulls_out(struct em *em) {
  bool read =
      em->how->n_columns && em->how->sides > 1; /* some warps still read the block's columns */
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = em_reduction(em, i, FS_REDUCED_ALL);
    if (!s) continue;
    if (read) em_say(em, FS_LP_BARRIER, NULL, "__syncthreads();");
    read = false;
    em_block(em, NULL);
    em_line(em, "const %s x = fs_block<%s, %d>(%s, %s);", acc_type_of(em, s),
            em_op_class(s->op), em->how->threads / 32, result_of_thread(em, s), scratch_of(em, s));
    em_line(em, "if (threadIdx.x == 0) w%d[blockIdx.x] = x;", s->out);
    em_say(em, FS_LP_BARRIER, NULL, "__syncthreads();");
    em_close(em);
  }
}

/* As a phase of a launch, a flat kernel may have far less tiles than there are blocks:
 * what the others have is neutral. INT64_MAX of other kernels. */
static int64_t blocks_with_tiles(const struct em *em) {
  int64_t tile = (int64_t)em->how->threads * em->how->vectors;
  return em->grid && em->how->mode == FS_MODE_FLAT ? (em->how->row_vectors + tile - 1) / tile
                                                   : INT64_MAX;
}

/* Adds the blocks' results that are a thread's. Of those that there will be the
 * loads are under way together, before the first is added. */
static void add_partials(struct em *em, const struct fs_step *s, const char *acc) {
  enum { MOST_TOGETHER = 8 };
  int64_t units = FS_MAX(1, em->how->units);
  int64_t blocks = units * em->how->resident;
  int64_t tiles = blocks_with_tiles(em);
  bool fewer = tiles < blocks;
  if (fewer) blocks = tiles;
  int together = (int)FS_MIN((blocks + em->how->threads - 1) / em->how->threads, MOST_TOGETHER);
  const char *count = "gridDim.x";
  if (fewer) {
    count = em_fmt(em, "blocks%d", s->out);
    em_line(em, "const unsigned %s = gridDim.x < %lld ? gridDim.x : %lld;", count,
            (long long)blocks, (long long)blocks);
  }
  if (together == 1) together = 0;
  for (int k = 0; k < together; k++) {
    const char *at = em_fmt(em, k ? "threadIdx.x + %d" : "threadIdx.x", k * em->how->threads);
    em_line(em, "const %s part%d_%d = %s < %s ? fs_fresh(w%d + %s) : %s;",
            acc_type_of(em, s), s->out, k, at, count, s->out, at,
            em_neutral(em, s));
  }
  for (int k = 0; k < together; k++)
    em_line(em, "%s = %s;", acc, em_combine(em, s->op, acc, em_fmt(em, "part%d_%d", s->out, k)));
  em_line(em, "for (unsigned b = threadIdx.x%s; b < %s; b += %d)",
          together ? em_fmt(em, " + %d", together * em->how->threads) : "", count,
          em->how->threads);
  em_line(em, "  %s = %s;", acc,
          em_combine(em, s->op, acc, em_fmt(em, "fs_fresh(w%d + b)", s->out)));
}

static void fulls_in(struct em *em) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = em_reduction(em, i, FS_REDUCED_ALL);
    if (!s) continue;
    const char *acc = em_fmt(em, "x%d", s->out);
    em_line(em, "%s %s = %s;", acc_type_of(em, s), acc, em_neutral(em, s));
    add_partials(em, s, acc);
    const char *all = em_fmt(em, "fs_block<%s, %d>(%s, %s)",
                             em_op_class(s->op), em->how->threads / 32, acc,
                             scratch_of(em, s));
    em_line(em, "const %s v%d = %s;",
            em_value_type(em_val(em, s->out)->dtype), s->out,
            em_finished(em, s->out, all));
    em_say(em, FS_LP_BARRIER, NULL, "__syncthreads();");
    em->v[s->out].b = em->v[s->out].c = em->v[s->out].e = false;
  }
}

static void scalar_steps(struct em *em, unsigned guard) {
  bool *need = fs_calloc((size_t)em->k->steps.len + 1, sizeof(bool));
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (s->phase != FS_END) continue;
    if (s->kind == FS_SP_STORE)
      need[i] = em_access(em, s)->varies == 0 && !em->how->made[s->in[0]].uniform;
    else
      need[i] = em_val(em, s->out)->varies == 0 && !em->how->made[s->out].uniform;
  }
  em_plain_steps(em, need, guard);
  free(need);
}

/* -- one result per column, or per row ------------------------------------------------------ */

struct axis {
  uint8_t varies;
  enum fs_reduced acc;
  const char *name;          /* index variable */
  int64_t count, slots, pitch;
  const char *parts;
};

static struct axis axis_of(struct em *em, uint8_t varies) {
  struct axis a = {.varies = varies};
  if (varies == FS_VARIES_I) {
    a.acc = FS_REDUCED_ROW_END;
    a.name = "i";
    a.count = a.slots = em->how->m;
    a.pitch = em->how->pitch_i;
    a.parts = em_int(em, em->how->strips);
    return a;
  }
  a.acc = FS_REDUCED_COLUMN;
  a.name = "j";
  a.count = em->how->n;
  a.slots = em->how->row_vectors * em->how->lanes;
  a.pitch = em->how->pitch_j;
  a.parts = em->how->mode == FS_MODE_TILE     ? em_int(em, em->how->parts)
            : em->how->mode == FS_MODE_STRIPS ? "parts"
            : em->how->cluster > 1 ? em_fmt(em, "((fs_index)gridDim.x / %d)", em->how->cluster)
                                   : "(fs_index)gridDim.x";
  return a;
}

/* Steps of FS_END over this axis, and what they need. */
static bool end_steps(struct em *em, const struct axis *a, bool *need) {
  bool any = false;
  memset(need, 0, sizeof(bool) * (size_t)em->k->steps.len);
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (s->phase != FS_END || s->kind != FS_SP_STORE || em_access(em, s)->varies != a->varies)
      continue;
    any = need[i] = true;
    fs_schedule_need(em->k, em->how, s->in[0], FS_END, need);
  }
  return any;
}

/* Whether there is such a result to fold, in any step. */
static bool has_results(const struct em *em, enum fs_reduced acc) {
  for (int i = 0; i < em->k->steps.len; i++)
    if (em_reduction(em, i, acc)) return true;
  return false;
}

/* The axes' numbers from a slot x; opens the scope of an existing element. */
static void open_element(struct em *em, const struct axis *a) {
  bool rows = a->varies == FS_VARIES_I;
  int n = rows ? em->axes.n_outer : em->axes.n_inner, first = rows ? 0 : em->axes.n_outer;
  if (n == 1) {
    em_line(em, "const fs_index %s = x;", a->name);
    em_if(em, "%s < %s", a->name, em_int(em, a->count));
    return;
  }
  int64_t width = rows ? em->axes.dim[first + n - 1] : em->how->line_vectors * em->how->lanes;
  int64_t rest = a->slots;
  for (int x = 0; x < n; x++) {
    int64_t dim = x == n - 1 ? width : em->axes.dim[first + x];
    rest /= dim;
    const char *e = rest == 1 ? "x" : em_fmt(em, "x / %s", em_int(em, rest));
    if (x > 0) e = em_fmt(em, "(%s) %% %s", e, em_int(em, dim));
    em_line(em, "const fs_index %s%d = %s;", a->name, x, e);
  }
  em_if(em, "x < %s && %s%d < %s", em_int(em, a->slots), a->name,
          n - 1, em_int(em, em->axes.dim[first + n - 1]));
}

static void saved_values(struct em *em, const struct axis *a) {
  for (int v = 0; v < em->k->values.len; v++) {
    if (!em->how->made[v].saved) continue;
    bool many = em_val(em, v)->varies & FS_VARIES_I;
    if (many && a->varies != FS_VARIES_I) continue;
    em_line(em, "const %s v%d = fs_fresh(w%d%s);",
            em_value_type(em_val(em, v)->dtype), v, v, many ? " + i" : "");
    em->v[v].b = em->v[v].c = em->v[v].e = false;
  }
}

/* The threads' shape: lanes x slices. Units for all multiprocessors, and enough partial
 * results for a thread to have several loads under way. Where half of them had a unit, of
 * 128 columns, BiCG of 8192 x 8192 in bf16 with 256 threads, 17 results each, took an H200
 * 42.1 us in place of 40.1. */
static int lanes_for(const struct em *em, const struct axis *a) {
  int lanes = 8, most = em->how->threads / em->how->fold_lanes;
  int64_t units = em->how->units ? em->how->units : 64;
  while (lanes < 32 && 2 * lanes <= most && a->slots / (2 * lanes * em->how->fold_lanes) >= units)
    lanes *= 2;
  return lanes;
}

/* How many partial results a slice has, if that is known and they fit in registers: then
 * all their loads are under way at once, before what else is to be had behind the
 * barrier (BiCG of 8192 x 8192 in bf16 on an H200: the barrier, three trips for them,
 * one for alpha and one for the vectors took 6 of 47 us). There are no more blocks than
 * that (fs_emitted.per_unit). 0: a loop loads and adds. */
static int together(const struct em *em, const struct axis *a) {
  enum { MOST_TOGETHER = 12 };
  if (a->acc != FS_REDUCED_COLUMN || em->how->mode != FS_MODE_KEEP) return 0;
  int slices = em->how->threads / lanes_for(em, a);
  int64_t units = em->how->units;
  int64_t blocks = units * em->how->resident / em->how->cluster;
  int64_t each = (blocks + slices - 1) / slices;
  return each < 1 || each > MOST_TOGETHER ? 0 : (int)each;
}

/* Where partial result b of the elements from `at` on lies. */
static const char *partial(struct em *em, const struct fs_step *s, const struct axis *a) {
  return em_at(em, FS_LP_AT({em_fmt(em, "w%d", s->out), 1}, {"b", a->pitch}, {"at", 1}));
}

/* The element at hand of so many that a lane has: a loop over one is none. */
static const char *lane_of(int width) { return width > 1 ? "e" : "0"; }

/* Declares their places, and the function that loads those of a unit of columns. */
static void declare_fetch(struct em *em, const struct fs_step *s, const struct axis *a) {
  int lanes = lanes_for(em, a), width = em->how->fold_lanes, n = together(em, a);
  em_line(em, "%s part%d[%d][%d];", acc_type_of(em, s), s->out, n, width);
  em_function(em, "const auto fetch%d = [&](fs_index unit)", s->out);
  em_say(em, FS_LP_LET, NULL, "const fs_index at = unit * %d + lane * %d;", lanes * width, width);
  em_unroll(em, FS_LP_UNROLL_ALL);
  em_loop(em, FS_LP_SERIAL, "int k = 0; k < %d; k++", n);
  em_say(em, FS_LP_LET, NULL, "const fs_index b = slice + k * %d;", em->how->threads / lanes);
  em_for(em, "e", width);
  em_line(em, "part%d[k][%s] = %s;", s->out, lane_of(width), em_neutral(em, s));
  em_close_for(em, width);
  em_line(em, "if (b < %s && at < %s) fs_load(part%d[k], %s);", a->parts, em_int(em, a->pitch),
          s->out, partial(em, s, a));
  em_close(em);
  em_close(em);
}

static void fetch_ahead(struct em *em, uint8_t varies) {
  struct axis a = axis_of(em, varies);
  if (!together(em, &a)) return;
  bool any = false;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = em_reduction(em, i, a.acc);
    if (!s) continue;
    if (!any) {
      em_say(em, FS_LP_LET, NULL, "const int lane = threadIdx.x %% %d;", lanes_for(em, &a));
      em_say(em, FS_LP_LET, NULL, "const int slice = threadIdx.x / %d;", lanes_for(em, &a));
    }
    any = true;
    declare_fetch(em, s, &a);
    em_line(em, "fetch%d(blockIdx.x);", s->out);
  }
}

static int64_t units_of(const struct em *em, const struct axis *a) {
  int64_t unit = (int64_t)lanes_for(em, a) * em->how->fold_lanes;
  return (a->slots + unit - 1) / unit;
}

/* Whether every block of the launch that is expected has one unit at most. */
static bool has_one_unit(const struct em *em, const struct axis *a) {
  return units_of(em, a) <= (int64_t)em->how->units * em->how->resident;
}

/* `unroll`: how many loads are under way at once. */
static void add_in_loop(struct em *em, const struct fs_step *s, const struct axis *a,
                        int slices, int unroll) {
  int width = em->how->fold_lanes;
  const char *acc = em_fmt(em, "sum%d[%s]", s->out, lane_of(width));
  em_unroll(em, unroll);
  em_loop(em, FS_LP_SERIAL, "fs_index b = slice; b < %s && at < %s; b += %d",
          a->parts, em_int(em, a->pitch), slices);
  em_line(em, "%s more[%d];", acc_type_of(em, s), width);
  em_line(em, "fs_load(more, %s);", partial(em, s, a));
  em_for(em, "e", width);
  em_line(em, "%s = %s;", acc, em_combine(em, s->op, acc, em_fmt(em, "more[%s]", lane_of(width))));
  em_close_for(em, width);
  em_close(em);
}

/* The slice's sum of what was fetched. What the next unit has comes in its place; where
 * no block has a next one, a loop that is short stands for it: the fetch, written twice,
 * is what such kernels take longest to compile. */
static void add_fetched(struct em *em, const struct fs_step *s, const struct axis *a) {
  int width = em->how->fold_lanes, n = together(em, a);
  bool one = has_one_unit(em, a);
  if (one) em_if(em, "unit == blockIdx.x");
  em_for(em, "k", n);
  em_for(em, "e", width);
  const char *acc = em_fmt(em, "sum%d[%s]", s->out, lane_of(width));
  em_line(em, "%s = %s;", acc,
          em_combine(em, s->op, acc,
                     em_fmt(em, "part%d[%s][%s]", s->out, n > 1 ? "k" : "0", lane_of(width))));
  em_close_for(em, width);
  em_close_for(em, n);
  if (!one) {
    em_line(em, "fetch%d(unit + gridDim.x);", s->out);
    return;
  }
  em_else(em, "of a launch of few blocks");
  int lanes = lanes_for(em, a);
  em_say(em, FS_LP_LET, NULL, "const fs_index at = unit * %d + lane * %d;", lanes * width, width);
  add_in_loop(em, s, a, em->how->threads / lanes, 1);
  em_close(em);
}

static void fold_one(struct em *em, const struct fs_step *s, const struct axis *a, int lanes) {
  int width = em->how->fold_lanes, slices = em->how->threads / lanes;
  const char *type = acc_type_of(em, s);
  const char *acc = em_fmt(em, "sum%d[%s]", s->out, lane_of(width));
  em_line(em, "%s sum%d[%d];", type, s->out, width);
  em_for(em, "e", width);
  em_line(em, "%s = %s;", acc, em_neutral(em, s));
  em_close_for(em, width);
  if (together(em, a)) add_fetched(em, s, a);
  else add_in_loop(em, s, a, slices, 4);
  if (lanes < 32)
    em_line(em, "fs_across<%s, %d>(sum%d);", em_op_class(s->op), lanes, s->out);
  em_say(em, FS_LP_BARRIER, NULL, "__syncthreads();");
  em_line(em, "if (threadIdx.x %% 32 < %d)", lanes);
  em_line(em, "  fs_store(%s + (threadIdx.x / 32 * %d + lane) * %d, sum%d);",
          scratch_of(em, s), lanes, width, s->out);
  em_say(em, FS_LP_BARRIER, NULL, "__syncthreads();");
  em_line(em, "%s x%d = %s;", type, s->out, em_neutral(em, s));
  em_unroll(em, FS_LP_UNROLL_ALL);
  em_line(em, "for (int b = 0; b < %d && threadIdx.x < %d; b++)", em->how->threads / 32,
          lanes * width);
  const char *x = em_fmt(em, "x%d", s->out);
  em_line(em, "  %s = %s;", x,
          em_combine(em, s->op, x,
                     em_fmt(em, "(%s)[b * %d + threadIdx.x]",
                            scratch_of(em, s), lanes * width)));
}

/* What elements load, before their sums are put together: the loads are under way
 * meanwhile. Where the axis is one of the space; what was loaded is needed no more. */
static bool load_elements(struct em *em, const struct axis *a, bool *need, int64_t unit) {
  if (!together(em, a) || em->axes.n_inner != 1) return false;
  em_say(em, FS_LP_LET, NULL, "const fs_index j = x;");
  em_say(em, FS_LP_LET, NULL, "const bool own = threadIdx.x < %s && j < %s;", em_int(em, unit),
          em_int(em, a->count));
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!need[i] || s->kind != FS_SP_LOAD) continue;
    em_plain_load(em, s, EM_IF_OWN);
    need[i] = false;
  }
  return true;
}

static void element_steps(struct em *em, const struct axis *a, const bool *need, bool open) {
  if (!open) open_element(em, a);
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = em_reduction(em, i, a->acc);
    if (!s) continue;
    em_line(em, "const %s v%d = %s;",
            em_value_type(em_val(em, s->out)->dtype), s->out,
            em_finished(em, s->out, em_fmt(em, "x%d", s->out)));
    em->v[s->out].b = em->v[s->out].c = em->v[s->out].e = false;
  }
  saved_values(em, a);
  em_plain_steps(em, need, 0);
  if (!open) em_close(em);
}

static void end_of_axis(struct em *em, uint8_t varies) {
  struct axis a = axis_of(em, varies);
  bool *need = fs_calloc((size_t)em->k->steps.len + 1, sizeof(bool));
  bool any = end_steps(em, &a, need);
  if (any && !has_results(em, a.acc)) {
    em_loop(em, FS_LP_GRID,
            "fs_index x = (fs_index)blockIdx.x * %d + threadIdx.x; x < %s; "
            "x += (fs_index)gridDim.x * %d",
            em->how->threads, em_int(em, a.slots), em->how->threads);
    element_steps(em, &a, need, false);
    em_close(em);
  } else if (any) {
    int lanes = lanes_for(em, &a), width = em->how->fold_lanes;
    int64_t unit = (int64_t)lanes * width;
    em_loop(em, FS_LP_GRID, "fs_index unit = blockIdx.x; unit < %s; unit += gridDim.x",
            em_int(em, units_of(em, &a)));
    if (!together(em, &a)) {
      em_say(em, FS_LP_LET, NULL, "const int lane = threadIdx.x %% %d;", lanes);
      em_say(em, FS_LP_LET, NULL, "const int slice = threadIdx.x / %d;", lanes);
      em_say(em, FS_LP_LET, NULL, "const fs_index at = unit * %s + lane * %d;",
              em_int(em, unit), width);
    }
    em_say(em, FS_LP_LET, NULL, "const fs_index x = unit * %s + threadIdx.x;", em_int(em, unit));
    bool open = load_elements(em, &a, need, unit);
    for (int i = 0; i < em->k->steps.len; i++) {
      const struct fs_step *s = em_reduction(em, i, a.acc);
      if (s) fold_one(em, s, &a, lanes);
    }
    if (open) em_if(em, "own");
    else em_if(em, "threadIdx.x < %s", em_int(em, unit));
    element_steps(em, &a, need, open);
    em_close(em);
    em_close(em);
  }
  free(need);
}

/* -- all of it --------------------------------------------------------------------------------- */

/* Each block has all elements, and so the sums. */
static void fulls_of_block(struct em *em) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = em_reduction(em, i, FS_REDUCED_ALL);
    if (!s) continue;
    const char *all = em_fmt(em, "fs_block<%s, %d>(%s, %s)", em_op_class(s->op),
                             em->how->threads / 32, result_of_thread(em, s), scratch_of(em, s));
    em_line(em, "const %s v%d = %s;", em_value_type(em_val(em, s->out)->dtype), s->out,
            em_finished(em, s->out, all));
    em_say(em, FS_LP_BARRIER, NULL, "__syncthreads();");
    em->v[s->out].b = em->v[s->out].c = em->v[s->out].e = false;
  }
}

void em_finish(struct em *em) {
  if (!em->how->vector_end && !em->how->n_all) return;
  if (em->k->everywhere) {
    fulls_of_block(em);
    scalar_steps(em, EM_IF_FIRST_BLOCK | EM_IF_FIRST_THREAD);
    return;
  }
  fulls_out(em);
  if (!em->how->vector_end && !em->grid) {
    em_line(em, "if (!fs_last_block(counters)) return;");
    fulls_in(em);
    scalar_steps(em, EM_IF_FIRST_THREAD);
    return;
  }
  em_say(em, FS_LP_BARRIER, NULL, "fs_grid_barrier(counters);");
  fetch_ahead(em, FS_VARIES_J);
  fulls_in(em);
  scalar_steps(em, EM_IF_FIRST_BLOCK | EM_IF_FIRST_THREAD);
  end_of_axis(em, FS_VARIES_J);
  end_of_axis(em, FS_VARIES_I);
}
