/* scheme.c - what stands around the passes over a row, scheme by scheme. */
#include "core/emit/writer.h"

void em_declare_fulls(struct em *em) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = em_reduction(em, i, FS_REDUCED_ALL);
    if (s) em_declare_acc(em, s, false, false, fs_schedule_sweeps(em->k, em->how, s));
  }
}

void em_declare_columns(struct em *em) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = em_reduction(em, i, FS_REDUCED_COLUMN);
    if (s) em_declare_acc(em, s, false, true, true);
  }
}

/* -- flat -------------------------------------------------------------------------- */

void em_flat(struct em *em) {
  em_go(em, EM_BEFORE);
  em_uniforms(em);
  em_declare_fulls(em);
  em_declare_keeping(em);
  em_go(em, EM_ROW);
  em_sweep(em, 0);
  em_go(em, EM_AFTER);
  em_finish(em);
}

/* -- results of a row, in the block ---------------------------------------------------- */

static bool has_row_result(const struct em *em, int phase) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = em_reduction(em, i, FS_REDUCED_ROW);
    if (s && s->phase == phase) return true;
  }
  return false;
}

static const char *lanes_result(struct em *em, const struct fs_step *s) {
  const char *r = em_fmt(em, "r%d%s", s->out, em->how->rows > 1 ? "[b]" : "");
  if (em->how->lanes == 1) return r;
  return em_fmt(em, "fs_lanes<%s>(%s)", em_op_class(s->op), r);
}

static void row_result(struct em *em, const struct fs_step *s, const char *result) {
  struct em_value *x = &em->v[s->out];
  const char *type = em_value_type(em_val(em, s->out)->dtype);
  const char *done = em_finished(em, s->out, result);
  if (em->how->rows > 1) em_line(em, "v%d[b] = %s;", s->out, done);
  else em_line(em, "const %s v%d = %s;", type, s->out, done);
  x->b = true;
  x->c = x->e = false;
  if (em->how->made[s->out].saved)
    em_line(em, "if (%s) w%d[%s] = %s;", em_guard(em, EM_IF_SPEAKS | EM_IF_ROW, -1), s->out,
            em_val(em, s->out)->varies ? "i" : "0", em_ref(em, s->out));
}

/* -- the ring of rows ------------------------------------------------------------------ */

/* Bytes that this block takes of a row of elements of a size: a number, or an
 * expression. Whole units of a bulk copy, the last of which may reach behind the
 * row: an array ends with one, whatever its length. */
static const char *ring_part(struct em *em, int64_t size) {
  enum { UNIT = 16 };
  if (em->how->cluster == 1) return em_int(em, (em->how->n * size + UNIT - 1) / UNIT * UNIT);
  return em_fmt(em, em->how->n * size % UNIT ? "(width * %d + %d) / %d * %d"
                                        : "width * %d",
                (int)size, UNIT - 1, UNIT, UNIT);
}

/* Of the rows that one turn takes, those from `row` on that exist. */
static void ring_fetch(struct em *em, const char *row, const char *stage) {
  const char *bytes = "", *of = row, *rows = "";
  int64_t each = 0; /* bytes of a row, where a turn takes several */
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (s->kind == FS_SP_LOAD && s->phase == 0 && em_val(em, s->out)->varies == 3)
      bytes = em_fmt(
          em, "%s%s%s", bytes, *bytes ? " + " : "",
          ring_part(em, (int64_t)fs_dtype_size(em_access(em, s)->dtype)));
  }
  if (em->how->rows > 1) {
    rows = em->how->need_ok ? "rows" : "FS_ROWS";
    bytes = em_fmt(em, strchr(bytes, ' ') ? "%s * (%s)" : "%s * %s", rows, bytes);
    each = em->how->stage_bytes / em->how->rows;
    of = em_fmt(em, "(%s + b)", row);
  }
  if (em->how->rows > 1 && em->how->need_ok)
    em_say(em, FS_LP_LET, NULL, "const int rows = FS_M - %s < FS_ROWS ? FS_M - %s : FS_ROWS;", row,
           row);
  em_line(em, "fs_bulk_expect(&ready[%s], %s);", stage, bytes);
  if (em->how->rows > 1) em_loop(em, FS_LP_ROW, "int b = 0; b < %s; b++", rows);
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (s->kind != FS_SP_LOAD || s->phase != 0 || em_val(em, s->out)->varies != 3)
      continue;
    const struct fs_access *a = em_access(em, s);
    const char *policy = em_keeping(em, s, of);
    const char *to = em_at(em, FS_LP_AT({"ring", 1}, {stage, em->how->stage_bytes}, {"b", each},
                                        {NULL, em->how->made[s->out].work}));
    const char *from = em_at(em, FS_LP_AT({em_fmt(em, "a%d", s->access), 1}, {of, a->stride[0]},
                                          {"origin", em->how->cluster > 1}));
    em_say(em, FS_LP_COPY_ASYNC, s, "fs_bulk_copy(%s, %s, %s, &ready[%s]%s);", to, from,
           ring_part(em, (int64_t)fs_dtype_size(a->dtype)), stage,
           policy ? em_fmt(em, ", %s", policy) : "");
  }
  if (em->how->rows > 1) em_close(em);
}

/* A number of turns in rows: "6 * (fs_index)gridDim.x". */
static const char *ring_rows(struct em *em, const char *turns) {
  return em->how->rows > 1 ? em_fmt(em, "%s * %s * FS_ROWS", turns, em_teams(em))
                   : em_fmt(em, "%s * %s", turns, em_teams(em));
}

static void ring_begin(struct em *em) {
  em_line(em, "FS_RING(ring);");
  if (em->how->cluster > 1) {
    em_say(em, FS_LP_LET, NULL, "const int origin = rank * %lld;  // its columns of a row",
            (long long)fs_schedule_part(em->how));
    em_say(em, FS_LP_LET, NULL, "const int width = rank < %d ? %lld : %lld;", em->how->cluster - 1,
            (long long)fs_schedule_part(em->how),
            (long long)(em->how->n - (em->how->cluster - 1) * fs_schedule_part(em->how)));
  }
  em_line(em, "__shared__ unsigned long long ready[%d];", em->how->stages);
  em_line(em, "if (threadIdx.x == 0) fs_bulk_init(ready, %d);", em->how->stages);
  if (em_grid_phase(em) > 1) em_line(em, "if (threadIdx.x == 0) fs_bulk_fence();");
  em_say(em, FS_LP_BARRIER, NULL, "__syncthreads();");
  em_unroll(em, 1); /* runs once */
  em_loop(em, FS_LP_SERIAL, "int s = 0; s < %d; s++", em->how->stages);
  em_say(em, FS_LP_LET, NULL, "const fs_index row = %s%s + %s;", em_team(em),
          em->how->rows > 1 ? " * FS_ROWS" : "", ring_rows(em, "s"));
  em_if(em, "threadIdx.x == 0 && row < %s", em_int(em, em->how->m));
  ring_fetch(em, "row", "s");
  em_close(em);
  em_close(em);
  em_line(em, "int stage = 0;");
  em_line(em, "unsigned wave = 0;");
}

static void ring_wait(struct em *em) {
  em_line(em, "const unsigned char *const slot = ring + stage * %lld;",
          (long long)em->how->stage_bytes);
  em_say(em, FS_LP_WAIT, NULL, "fs_bulk_wait(&ready[stage], wave);");
}

/* The rows are in registers by now: their place takes later ones. */
static void ring_refill(struct em *em) {
  const char *first = em->how->rows > 1 ? "first" : "i";
  const char *later = ring_rows(em, em_int(em, em->how->stages));
  em_if(em, "threadIdx.x == 0 && %s + %s < %s", first, later, em_int(em, em->how->m));
  em_say(em, FS_LP_LET, NULL, "const fs_index row = %s + %s;", first, later);
  ring_fetch(em, "row", "stage");
  em_close(em);
}

static void ring_turn(struct em *em) {
  em_if(em, "++stage == %d", em->how->stages);
  em_line(em, "stage = 0;");
  em_line(em, "wave ^= 1;");
  em_close(em);
}

/* -- rows --------------------------------------------------------------------------------- */

static void within_warp(struct em *em, const struct fs_step *s) {
  row_result(em, s,
             em->how->row_threads == 1 ? lanes_result(em, s)
                         : em_fmt(em, "fs_warp<%s, %d>(%s)",
                                  em_op_class(s->op), em->how->row_threads,
                                  lanes_result(em, s)));
}

static void each_result(struct em *em, int phase,
                        void (*write)(struct em *, const struct fs_step *)) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = em_reduction(em, i, FS_REDUCED_ROW);
    if (!s || s->phase != phase) continue;
    em_for(em, "b", em->how->rows);
    if (em->how->rows > 1 && em->how->made[s->out].saved) em_row_coords(em);
    write(em, s);
    em_close_for(em, em->how->rows);
  }
}

static void declare_result(struct em *em, const struct fs_step *s, bool first_warp) {
  em_line(em, "%s v%d[%d]%s;", em_value_type(em_val(em, s->out)->dtype), s->out,
          em->how->rows, first_warp ? " = {}" : "");
}

static const char *part_of(struct em *em, const struct fs_step *s) {
  return em_fmt(em, "part%d[turn]%s", s->out, em->how->rows > 1 ? "[b]" : "");
}

static void to_shared(struct em *em, const struct fs_step *s) {
  if (em->how->rows == 1) em_block(em, NULL);
  em_line(em, "const %s x = fs_warp<%s, 32>(%s);",
          em_acc_type(em, s->out), em_op_class(s->op),
          lanes_result(em, s));
  if (em->how->cluster > 1) {
    const char *to = em_fmt(em, "%s + (rank * %d + threadIdx.x / 32)", part_of(em, s),
                            em->how->threads / 32);
    bool spot = em_val(em, s->out)->place;
    em_line(em, "if (threadIdx.x %% 32 < %d)%s", em->how->cluster, spot ? " {" : "");
    for (int k = 0; k < 2 && spot; k++)
      em_line(em, "  fs_cluster_put<%d>(&(%s)->%s, x.%s, threadIdx.x %% 32);",
              em->how->cluster, to, k ? "at" : "value", k ? "at" : "value");
    if (spot) em_line(em, "}");
    else em_line(em, "  fs_cluster_put<%d>(%s, x, threadIdx.x %% 32);", em->how->cluster, to);
  } else {
    em_line(em, "if (threadIdx.x %% 32 == 0) %s[threadIdx.x / 32] = x;", part_of(em, s));
  }
  if (em->how->rows == 1) em_close(em);
}

/* Rows' results that no later pass over their elements wants are put together by a row's
 * first warp, whose first thread does what follows: the other warps' instructions delay
 * the next turn. An iteration of BiCG in bf16, 8192 x 8192, takes an H200 42.9 us in place
 * of 45.0. */
static bool by_first_warp(const struct em *em, int phase) {
  if (em->how->rows == 1 || em->how->cluster > 1) return false;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (s->phase > phase && s->phase != FS_END && fs_schedule_sweeps(em->k, em->how, s))
      return false;
  }
  return true;
}

static void from_shared(struct em *em, const struct fs_step *s) {
  int warps = em->how->row_threads / 32 * em->how->cluster;
  const char *part = part_of(em, s);
  if (em->how->sides > 1) part = em_fmt(em, "%s + sub * %d", part, warps);
  row_result(em, s, em_fmt(em, "fs_fold<%s, %d>(%s)", em_op_class(s->op), warps, part));
}

static void row_results(struct em *em, int phase) {
  if (!has_row_result(em, phase)) {
    if (em->how->stages && phase == 0) {
      em_say(em, FS_LP_BARRIER, NULL, "__syncthreads();");
      ring_refill(em);
    }
    return;
  }
  bool first = em->how->row_threads > 32 && by_first_warp(em, phase);
  for (int i = 0; i < em->k->steps.len && em->how->rows > 1; i++) {
    const struct fs_step *s = em_reduction(em, i, FS_REDUCED_ROW);
    if (s && s->phase == phase) declare_result(em, s, first);
  }
  if (em->how->row_threads <= 32) {
    each_result(em, phase, within_warp);
    return;
  }
  each_result(em, phase, to_shared);
  if (em->how->cluster > 1)
    em_say(em, FS_LP_BARRIER, NULL, "fs_cluster_barrier<%d>();", em->how->cluster);
  else em_say(em, FS_LP_BARRIER, NULL, "__syncthreads();");
  if (em->how->stages && phase == 0) ring_refill(em);
  if (first) em_if(em, "t < 32");
  each_result(em, phase, from_shared);
  if (first) em_close(em);
  em_line(em, "turn ^= 1;  // the next sums go beside these");
}

static void declare_parts(struct em *em) {
  bool any = false;
  for (int i = 0; i < em->k->steps.len && em->how->row_threads > 32; i++) {
    const struct fs_step *s = em_reduction(em, i, FS_REDUCED_ROW);
    if (!s) continue;
    const char *rows = em->how->rows > 1 ? em_fmt(em, "[%d]", em->how->rows) : "";
    em_line(em, "__shared__ %s part%d[2]%s[%d];",
            em_acc_type(em, s->out), s->out, rows,
            em->how->threads / 32 * em->how->cluster);
    any = true;
  }
  if (any) em_line(em, "int turn = 0;");
}

/* -- row ------------------------------------------------------------------------------- */

static void row_body(struct em *em) {
  em_go(em, EM_ROW);
  if (em->how->mode == FS_MODE_CHUNK && em->how->n_columns)
    em_say(em, FS_LP_LET, NULL, "const bool fresh = first == (fs_index)blockIdx.x * %d;",
            em->how->sides * em->how->rows);
  if (em->how->rows == 1) em_row_coords(em);
  for (int v = 0; v < em->k->values.len; v++) em->v[v].stands = false;
  for (int phase = 0; phase < em->k->n_phases; phase++) {
    em_row_steps(em, phase);
    if (em->how->stages && phase == 0) ring_wait(em);
    em_sweep(em, phase);
    row_results(em, phase);
  }
  if (em->how->stages) ring_turn(em);
}

void em_row(struct em *em) {
  bool strip = em->how->mode == FS_MODE_STRIPS;
  em_go(em, EM_BEFORE);
  em_uniforms(em);
  em_declare_fulls(em);
  declare_parts(em);
  em_declare_keeping(em);
  if (em->how->stages) ring_begin(em);
  if (em->how->cluster > 1)
    em_say(em, FS_LP_BARRIER, NULL, "fs_cluster_barrier<%d>();  // all have begun",
           em->how->cluster);
  if (em->how->ahead) em_load_ahead(em, true);
  if (strip) em_go(em, EM_STRIP_BEGIN);
  if (em->how->mode != FS_MODE_CHUNK) {
    em_sweep(em, -1);
    em_declare_columns(em);
  }
  row_body(em);
  em_go(em, strip ? EM_STRIP_END : EM_AFTER);
  if (em->how->mode != FS_MODE_CHUNK) em_columns_out(em);
  em_go(em, EM_AFTER);
  em_finish(em);
}
