/* scheme.c - what stands around the passes over a row, scheme by scheme. */
#include "core/emit/writer.h"

static void declare_fulls(const struct fs_writer *w) {
  FS_EACH_OF(w_reductions(w, FS_REDUCED_ALL), s)
    w_declare_acc(w, s, fs_schedule_sweeps(w->how->kernel, w->how, s) ? FS_LP_LANES : 0);
}

static void declare_columns(const struct fs_writer *w) {
  FS_EACH_OF(w_reductions(w, FS_REDUCED_COLUMN), s)
    w_declare_acc(w, s, FS_LP_VECTORS | FS_LP_LANES);
}

/* -- results of a row, in the block ---------------------------------------------------- */

static void row_result(const struct fs_writer *w, const struct fs_step *s, const char *result) {
  const char *done = w_finished(w, s->out, result);
  if (w->how->rows > 1) w_say(w, FS_LP_FOLD, s, "v%d[b] = %s;", s->out, done);
  else w_define(w, FS_LP_FOLD, s, s->out, done);
  if (w->how->made[s->out].saved)
    w_line(w, "if (%s) w%d[%s] = %s;", w_guard(w, FS_LP_IF_SPEAKS | FS_LP_IF_ROW, -1), s->out,
           w_val(w, s->out)->varies ? "i" : "0", w_ref(w, s->out));
}

/* -- the ring of rows ------------------------------------------------------------------ */

/* Bytes that this block takes of a row of elements of a size: a number, or an
 * expression. Whole units of a bulk copy, the last of which may reach behind the
 * row: an array ends with one, whatever its length. */
static const char *ring_part(const struct fs_writer *w, int64_t size) {
  enum { UNIT = 16 };
  if (w->how->cluster == 1) return w_int(w, (w->how->n * size + UNIT - 1) / UNIT * UNIT);
  return w_fmt(w, w->how->n * size % UNIT ? "(width * %d + %d) / %d * %d" : "width * %d", (int)size,
               UNIT - 1, UNIT, UNIT);
}

/* Of the rows that one turn takes, those from `row` on that exist. */
static void ring_fetch(const struct fs_writer *w, const char *row, const char *stage) {
  const char *bytes = "", *of = row, *rows = "";
  int64_t each = 0; /* bytes of a row, where a turn takes several */
  FS_EACH_OF(w->how->brought, s)
    bytes = w_fmt(w, "%s%s%s", bytes, *bytes ? " + " : "",
                  ring_part(w, (int64_t)fs_dtype_size(w_access(w, s)->dtype)));
  if (w->how->rows > 1) {
    rows = w->how->need_ok ? "rows" : "FS_ROWS";
    bytes = w_fmt(w, strchr(bytes, ' ') ? "%s * (%s)" : "%s * %s", rows, bytes);
    each = w->how->stage_bytes / w->how->rows;
    of = w_fmt(w, "(%s + b)", row);
  }
  if (w->how->rows > 1 && w->how->need_ok)
    w_let(w, "const int rows = FS_M - %s < FS_ROWS ? FS_M - %s : FS_ROWS;", row, row);
  w_line(w, "fs_bulk_expect(&ready[%s], %s);", stage, bytes);
  if (w->how->rows > 1) w_loop(w, FS_LP_ROW, "int b = 0; b < %s; b++", rows);
  else w_group(w);
  FS_EACH_OF(w->how->brought, s) {
    const struct fs_access *a = w_access(w, s);
    const char *policy = w_keeping(w, s, of);
    const char *to = w_at(w, FS_LP_AT({"ring", 1}, {stage, w->how->stage_bytes}, {"b", each},
                                      {NULL, w->how->made[s->out].work}));
    const char *from = w_at(w, FS_LP_AT({w_fmt(w, "a%d", s->access), 1}, {of, a->stride[0]},
                                        {"origin", w->how->cluster > 1}));
    w_say(w, FS_LP_COPY_ASYNC, s, "fs_bulk_copy(%s, %s, %s, &ready[%s]%s);", to, from,
          ring_part(w, (int64_t)fs_dtype_size(a->dtype)), stage,
          policy ? w_fmt(w, ", %s", policy) : "");
  }
  w_close(w);
}

/* A number of turns in rows: "6 * (fs_index)gridDim.x". */
static const char *ring_rows(const struct fs_writer *w, const char *turns) {
  return w->how->rows > 1 ? w_fmt(w, "%s * %s * FS_ROWS", turns, w_teams(w))
                          : w_fmt(w, "%s * %s", turns, w_teams(w));
}

static void ring_begin(const struct fs_writer *w) {
  w_line(w, "FS_RING(ring);");
  if (w->how->cluster > 1) {
    w_let(w, "const int origin = rank * %lld;  // its columns of a row",
          (long long)fs_schedule_part(w->how));
    w_let(w, "const int width = rank < %d ? %lld : %lld;", w->how->cluster - 1,
          (long long)fs_schedule_part(w->how),
          (long long)(w->how->n - (w->how->cluster - 1) * fs_schedule_part(w->how)));
  }
  w_line(w, "__shared__ unsigned long long ready[%d];", w->how->stages);
  w_line(w, "if (threadIdx.x == 0) fs_bulk_init(ready, %d);", w->how->stages);
  if (w_grid_phase(w) > 1) w_line(w, "if (threadIdx.x == 0) fs_bulk_fence();");
  w_barrier(w);
  w_unroll(w, 1); /* runs once */
  w_loop(w, FS_LP_SERIAL, "int s = 0; s < %d; s++", w->how->stages);
  w_let(w, "const fs_index row = %s%s + %s;", w_team(w), w->how->rows > 1 ? " * FS_ROWS" : "",
        ring_rows(w, "s"));
  w_if(w, "threadIdx.x == 0 && row < %s", w_int(w, w->how->m));
  ring_fetch(w, "row", "s");
  w_close(w);
  w_close(w);
  w_line(w, "int stage = 0;");
  w_line(w, "unsigned wave = 0;");
}

static void ring_wait(const struct fs_writer *w) {
  w_line(w, "const unsigned char *const slot = ring + stage * %lld;",
         (long long)w->how->stage_bytes);
  w_say(w, FS_LP_WAIT, NULL, "fs_bulk_wait(&ready[stage], wave);");
}

/* The rows are in registers by now: their place takes later ones. */
static void ring_refill(const struct fs_writer *w) {
  const char *first = w->how->rows > 1 ? "first" : "i";
  const char *later = ring_rows(w, w_int(w, w->how->stages));
  w_if(w, "threadIdx.x == 0 && %s + %s < %s", first, later, w_int(w, w->how->m));
  w_let(w, "const fs_index row = %s + %s;", first, later);
  ring_fetch(w, "row", "stage");
  w_close(w);
}

static void ring_turn(const struct fs_writer *w) {
  w_if(w, "++stage == %d", w->how->stages);
  w_line(w, "stage = 0;");
  w_line(w, "wave ^= 1;");
  w_close(w);
}

/* -- rows --------------------------------------------------------------------------------- */

static void within_warp(const struct fs_writer *w, const struct fs_step *s) {
  row_result(w, s,
             w->how->row_threads == 1
                 ? w_lanes_sum(w, s)
                 : w_joined(w, s, "fs_warp", w->how->row_threads, w_lanes_sum(w, s)));
}

static void each_result(const struct fs_writer *w, fs_steps results,
                        void (*write)(const struct fs_writer *, const struct fs_step *)) {
  FS_EACH_OF(results, s) {
    w_for(w, "b", w->how->rows);
    if (w->how->rows > 1 && w->how->made[s->out].saved) w_row_coords(w);
    write(w, s);
    w_close(w);
  }
}

static const char *part_of(const struct fs_writer *w, const struct fs_step *s) {
  return w_fmt(w, "part%d[turn]%s", s->out, w->how->rows > 1 ? "[b]" : "");
}

static void to_shared(const struct fs_writer *w, const struct fs_step *s) {
  if (w->how->rows == 1) w_block(w, NULL);
  else w_group(w);
  w_say(w, FS_LP_FOLD, s, "const %s x = %s;", w_acc_type(w, s->out),
        w_joined(w, s, "fs_warp", 32, w_lanes_sum(w, s)));
  if (w->how->cluster > 1) {
    const char *to =
        w_fmt(w, "%s + (rank * %d + threadIdx.x / 32)", part_of(w, s), w->how->threads / 32);
    w_line(w, "if (threadIdx.x %% 32 < %d)", w->how->cluster);
    w_line(w, "  fs_cluster_put%s<%d>(%s, x, threadIdx.x %% 32);",
           w_val(w, s->out)->words > 1 ? "_words" : "", w->how->cluster, to);
  } else {
    w_line(w, "if (threadIdx.x %% 32 == 0) %s[threadIdx.x / 32] = x;", part_of(w, s));
  }
  w_close(w);
}

/* Rows' results that no later pass over their elements wants are put together by a row's first
 * warp: the other warps' instructions delay the next turn (BiCG of bf16, 8192 x 8192, an iteration
 * on an H200: 42.9 us in place of 45.0). */
static bool by_first_warp(const struct fs_writer *w, int phase) {
  if (w->how->rows == 1 || w->how->cluster > 1) return false;
  return !W_ANY_STEP(
      w, s,
      s->phase > phase && s->phase != FS_END && fs_schedule_sweeps(w->how->kernel, w->how, s));
}

static void from_shared(const struct fs_writer *w, const struct fs_step *s) {
  int warps = w->how->row_threads / 32 * w->how->cluster;
  const char *part = part_of(w, s);
  if (w->how->sides > 1) part = w_fmt(w, "%s + sub * %d", part, warps);
  row_result(w, s, w_joined(w, s, "fs_fold", warps, part));
}

static void row_results(const struct fs_writer *w, int phase) {
  fs_steps results = W_THOSE(w, w_reductions(w, FS_REDUCED_ROW), s, s->phase == phase);
  if (!*results) {
    if (w->how->stages && phase == 0) {
      w_barrier(w);
      ring_refill(w);
    }
    return;
  }
  bool first = w->how->row_threads > 32 && by_first_warp(w, phase);
  FS_EACH_OF(results, s)
    if (w->how->rows > 1) w_declare(w, s->out, FS_LP_ROWS, first);
  if (w->how->row_threads <= 32) {
    each_result(w, results, within_warp);
    return;
  }
  each_result(w, results, to_shared);
  if (w->how->cluster > 1)
    w_say(w, FS_LP_BARRIER, NULL, "fs_cluster_barrier<%d>();", w->how->cluster);
  else w_barrier(w);
  if (w->how->stages && phase == 0) ring_refill(w);
  w_when(w, first ? "t < 32" : "");
  each_result(w, results, from_shared);
  w_close(w);
  w_line(w, "turn ^= 1;  // the next sums go beside these");
}

static void declare_parts(const struct fs_writer *w) {
  fs_steps results = w_reductions(w, FS_REDUCED_ROW);
  if (w->how->row_threads <= 32 || !*results) return;
  const char *rows = w->how->rows > 1 ? w_fmt(w, "[%d]", w->how->rows) : "";
  FS_EACH_OF(results, s)
    w_line(w, "__shared__ %s part%d[2]%s[%d];", w_acc_type(w, s->out), s->out, rows,
           w->how->threads / 32 * w->how->cluster);
  w_line(w, "int turn = 0;");
}

/* -- row ------------------------------------------------------------------------------- */

static void row_body(const struct fs_writer *w) {
  w_go(w, "row");
  if (!w_mode(w)->columns && w->how->n_columns)
    w_let(w, "const bool fresh = first == (fs_index)blockIdx.x * %d;",
          w->how->sides * w->how->rows);
  if (w->how->rows == 1) w_row_coords(w);
  for (int phase = 0; phase < w->how->kernel->n_phases; phase++) {
    w_row_steps(w, phase);
    if (w->how->stages && phase == 0) ring_wait(w);
    w_sweep(w, phase);
    row_results(w, phase);
  }
  if (w->how->stages) ring_turn(w);
}

void w_rows(const struct fs_writer *w) {
  bool tile = w_mode(w)->tiled, strip = w_mode(w)->strips;
  w_go(w, "before");
  w_uniforms(w);
  declare_fulls(w);
  declare_parts(w);
  if (!tile) w_declare_keeping(w);
  if (w->how->stages) ring_begin(w);
  if (w->how->cluster > 1)
    w_say(w, FS_LP_BARRIER, NULL, "fs_cluster_barrier<%d>();  // all have begun", w->how->cluster);
  if (w->how->ahead) w_load_ahead(w, true);
  if (strip) w_go(w, "strip begin");
  if (w_mode(w)->columns) {
    w_sweep(w, -1);
    declare_columns(w);
  }
  row_body(w);
  w_rows_out(w);
  w_go(w, strip ? "strip end" : "after");
  if (w_mode(w)->columns) w_columns_out(w);
  w_go(w, "after");
  w_finish(w);
}
