/* analyse.c - decides how a kernel is written before a line of it is: the mode,
 * the blocking, and for every value where it lives.
 *
 * needs: a legal kernel plan with its tuning; keeps: the plan
 */
#include "core/emit/writer.h"

enum { TILE_SIDE = 32, TILE_ROWS = 8, WARP = 32 };

static int power_of_two(int x, int lowest, int highest) {
  int p = lowest;
  while (p < highest && p * 2 <= x) p *= 2;
  return p;
}

static int64_t up(int64_t x, int64_t unit) { return (x + unit - 1) / unit; }

/* -- the space and its blocking ------------------------------------------------ */

static void take_space(struct em *em) {
  const struct fs_space *s = &em->k->space;
  em->n_outer = s->n_outer;
  em->n_inner = FS_MAX(1, s->n_inner);
  for (int x = 0; x <= FS_MAX_RANK; x++) em->dim[x] = 1;
  for (int x = 0; x < s->n_outer + s->n_inner; x++) em->dim[x] = s->dim[x];
  em->m = em->n = 1;
  for (int x = 0; x < em->n_outer; x++) em->m *= em->dim[x];
  for (int x = 0; x < em->n_inner; x++) em->n *= em->dim[em->n_outer + x];
  em->last = em->dim[em->n_outer + em->n_inner - 1];
}

static bool has_row_results(const struct em *em) {
  if (em->k->n_phases > 1) return true;
  for (int k = 0; k < em->k->steps.len; k++) {
    const struct fs_step *s = &em->k->steps.data[k];
    if (s->kind == FS_SP_REDUCE && s->over == FS_VARIES_J) return true;
  }
  return false;
}

/* Blocks that share a row: where the device has clusters, and a row has results
 * that they must put together. */
static int cluster_of(const struct em *em) {
  const struct fs_tuning *t = &em->k->tune;
  bool able = em->variant == FS_EMIT_BEST && em->device &&
              em->device->cc >= 90 && em->RT == em->T && em->T > WARP &&
              has_row_results(em);
  return able ? power_of_two(t->cluster, 1, 8) : 1;
}

static void take_tuning(struct em *em) {
  const struct fs_tuning *t = &em->k->tune;
  int most = em->device && em->device->max_threads ? em->device->max_threads
                                                   : 1024;
  em->T = FS_MAX(WARP, FS_MIN(t->threads, most)) / WARP * WARP;
  em->V = power_of_two(t->vec, 1, 8);
  em->C = FS_MAX(1, FS_MIN(t->cols, 32));
  em->B = em->S = em->U = em->CL = 1;
  em->RT = em->T;
  switch (em->k->scheme) {
    case FS_TILE:
      em->turns = fs_kernel_turns(em->k);
      if (em->turns) {
        em->RT = power_of_two(t->row_threads, 1, em->T);
        em->S = em->T / em->RT;
        em->B = t->iters;
        em->C = 1;
        em->mode = EM_PANEL;
        em->mirrors = em->k->mirrors;
        break;
      }
      em->T = TILE_SIDE * TILE_ROWS;
      em->RT = TILE_SIDE;
      em->S = TILE_ROWS;
      em->B = TILE_SIDE / TILE_ROWS;
      em->V = em->C = 1;
      em->U = FS_MAX(1, t->iters);
      em->mode = EM_TILE;
      break;
    case FS_ROW:
      em->T = power_of_two(em->T, WARP, 1024);
      em->RT = power_of_two(t->row_threads, 1, em->T);
      em->S = em->T / em->RT;
      em->B = FS_MAX(1, FS_MIN(t->iters, 16));
      em->CL = cluster_of(em);
      break;
    default:
      em->C = FS_MAX(1, FS_MIN(t->iters, 16));
      em->mode = EM_FLAT;
  }
  em->gl = up(em->last, em->V);
  em->groups = em->n / em->last * em->gl;
  if (em->k->scheme == FS_ROW) {
    int64_t held = (int64_t)em->RT * em->C * em->CL;
    em->mode = em->groups <= held      ? EM_KEEP
               : !has_row_results(em) ? EM_PANEL
                                      : EM_CHUNK;
    /* A block that walks a long row has all its threads on it. */
    if (em->mode == EM_CHUNK && em->S > 1) em->RT = em->T, em->S = 1;
    if (em->mode != EM_KEEP) em->CL = 1;
  }
}

static void take_edges(struct em *em) {
  int64_t held = (int64_t)em->RT * em->C * em->CL;
  em->tail = em->last % em->V != 0;
  em->full = !em->tail && em->groups % held == 0 && !em->any_size;
  int rows = em->S * em->B;
  em->need_ok = em->mode != EM_FLAT && rows > 1 && (em->m % rows != 0 || em->any_size);
  em->panels = 1;
  if (em->mode == EM_PANEL || em->mode == EM_TILE)
    em->panels = up(em->groups, held);
  em->parts = 0;
  if (em->mode == EM_TILE)
    em->parts = up(em->m, (int64_t)TILE_SIDE * em->U);
}

/* How far an index may run beyond the end of its axis, where nothing is accessed any more:
 * rows by those at once, the first axis of columns by a tile, the last by a vector. The
 * others are remainders. */
static int64_t beyond(const struct em *em, int axis) {
  int64_t held = (int64_t)em->RT * em->C * em->CL;
  int last = em->n_outer + em->n_inner - 1;
  if (axis < em->n_outer) return axis ? 0 : 1024;
  if (axis > em->n_outer) return axis == last ? em->V : 0;
  if (em->n_inner == 1) return FS_MAX(1024, held * em->V);
  return held / FS_MAX(1, em->groups / FS_MAX(1, em->dim[axis])) + 1;
}

/* Whether every index and offset fits in an int, with room for a step of the
 * whole grid beyond the end. */
bool em_is_wide(const struct em *em) {
  const int64_t limit = (int64_t)1 << 30;
  if (em->m >= limit || em->n >= limit || em->groups * em->V >= limit)
    return true;
  if (em->panels * FS_MAX(em->parts, 1) >= limit) return true;
  for (int k = 0; k < em->k->accesses.len; k++) {
    const struct fs_access *a = &em->k->accesses.data[k];
    int64_t reach = 0;
    for (int x = 0; x < em->n_outer + em->n_inner; x++) {
      int64_t s = a->stride[x] < 0 ? -a->stride[x] : a->stride[x];
      if (em->dim[x] == 1) continue;
      if (s >= limit) return true;
      reach += (em->dim[x] + beyond(em, x)) * s;
      if (reach >= 2 * limit - 1) return true;
    }
    int64_t apart = a->list_stride < 0 ? -a->list_stride : a->list_stride;
    if (a->list && (apart >= limit || a->list_extent >= limit ||
                    reach + apart * a->list_extent >= 2 * limit - 1))
      return true;
  }
  for (int k = 0; k < em->k->steps.len; k++) {
    const struct fs_step *s = &em->k->steps.data[k];
    if (s->kind != FS_SP_IOTA && s->kind != FS_SP_RAND) continue;
    int64_t reach = s->affine.base < 0 ? -s->affine.base : s->affine.base;
    for (int x = 0; x < em->n_outer + em->n_inner; x++) {
      int64_t st = s->affine.stride[x];
      if (st >= limit || st <= -limit) return true;
      reach += (em->dim[x] + beyond(em, x)) * (st < 0 ? -st : st);
      if (reach >= 2 * limit - 1) return true;
    }
  }
  return false;
}

/* -- values ---------------------------------------------------------------------- */

static const struct fs_step *def_of(const struct em *em, int v) {
  int d = em->v[v].def;
  return d < 0 ? NULL : &em->k->steps.data[d];
}

static enum em_acc kind_of_result(const struct em *em,
                                  const struct fs_step *s) {
  if (em->mode == EM_FLAT) return EM_ACC_FULL;
  if (s->over == FS_VARIES_J)
    return em->mode == EM_TILE ? EM_ACC_TROW : EM_ACC_ROW;
  if (s->over == FS_VARIES_I && (em_val(em, s->in[0])->varies & FS_VARIES_J))
    return EM_ACC_COL;
  return EM_ACC_FULL;
}

void em_define_values(struct em *em) {
  const struct fs_kernel *k = em->k;
  for (int v = 0; v < k->values.len; v++)
    em->v[v] = (struct em_value){.def = -1, .alias = v};
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->out < 0) continue;
    struct em_value *x = &em->v[s->out];
    x->def = i;
    if (s->kind == FS_SP_REDUCE) continue;
    x->uniform = em_val(em, s->out)->varies == 0;
    FS_EACH_IN(s, a)
      if (!em->v[s->in[a]].uniform) x->uniform = false;
  }
}

static void define_results(struct em *em) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (s->kind == FS_SP_REDUCE) em->v[s->out].acc = kind_of_result(em, s);
  }
}

/* Equal values of an earlier phase that is still on chip. */
static void find_aliases(struct em *em) {
  if (em->mode != EM_KEEP) return;
  for (int v = 0; v < em->k->values.len; v++) {
    int u = em_val(em, v)->same_as;
    if (u < 0 || !def_of(em, v) || !def_of(em, u) || !em_is_j(em, v)) continue;
    if (def_of(em, u)->phase < def_of(em, v)->phase)
      em->v[v].alias = em->v[u].alias;
  }
}

/* Whether v is a function of the column alone that needs no reduction. */
static bool is_column_value(const struct em *em, int v) {
  const struct fs_step *s = def_of(em, v);
  if (em->v[v].uniform) return true;
  if (!s || s->kind == FS_SP_REDUCE || s->phase == FS_END) return false;
  if (em_val(em, v)->varies != FS_VARIES_J) return false;
  FS_EACH_IN(s, a)
    if (!is_column_value(em, s->in[a])) return false;
  return true;
}

/* 32-bit registers of a value held for all vectors of a thread. */
static int registers(const struct em *em, int v) {
  return em->C * em->V * em_acc_size(em_val(em, v)->dtype) / 4;
}

/* Registers that a row's elements and the column results take anyway. */
static int held_registers(const struct em *em, int *loads) {
  int cost = 0;
  *loads = 0;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (s->kind == FS_SP_LOAD && em_val(em, s->out)->varies == 3)
      *loads += em->B * registers(em, s->out);
    if (s->out >= 0 && em->v[s->out].acc == EM_ACC_COL)
      cost += registers(em, s->out);
  }
  return cost + *loads;
}

/* Column values that steps over the whole row use: out of the loop over rows,
 * if the registers suffice. Loading the next row ahead comes first. */
static void find_hoisted(struct em *em) {
  if (em->mode == EM_FLAT || em->mode == EM_CHUNK) return;
  int loads, cost = held_registers(em, &loads);
  int resident = FS_MAX(1, em->k->tune.blocks_per_sm);
  int room = FS_MIN(255, 65536 / (em->T * resident)) - 30;
  bool listed = false;
  for (int k = 0; k < em->k->accesses.len; k++) listed |= em->k->accesses.data[k].list != 0;
  em->ahead = em->mode == EM_KEEP && !em->ring && !em->streams && !listed &&
              em->S == 1 && em->B == 1 && em->T > WARP && loads &&
              cost + loads <= room;
  if (em->ahead) cost += loads;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    bool user = s->kind == FS_SP_REDUCE ||
                (s->out >= 0 && em_val(em, s->out)->varies == 3) ||
                (s->kind == FS_SP_STORE &&
                 em_access(em, s)->varies & FS_VARIES_J);
    if (!user) continue;
    FS_EACH_IN(s, a) {
      int v = em->v[s->in[a]].alias;
      if (em->v[v].uniform || !is_column_value(em, v)) continue;
      cost += em->v[v].hoisted ? 0 : registers(em, v);
      em->v[v].hoisted = true;
    }
  }
  if (em->mode != EM_KEEP || cost <= room) return;
  for (int v = 0; v < em->k->values.len; v++) em->v[v].hoisted = false;
}

bool em_is_sweep_step(const struct em *em, const struct fs_step *s) {
  if (s->kind == FS_SP_REDUCE)
    return em->mode == EM_FLAT || em_is_j(em, s->in[0]) ||
           (s->over & FS_VARIES_J);
  if (s->kind == FS_SP_STORE)
    return (em_access(em, s)->varies & FS_VARIES_J) || em_is_j(em, s->in[0]);
  return em_is_j(em, s->out);
}

/* At FS_END: values that only the rows knew must have been saved. */
static void need_end(const struct em *em, int v, bool *need) {
  const struct fs_step *s = def_of(em, v);
  if (em->v[v].uniform || !s || em->v[v].saved) return;
  if (s->kind == FS_SP_REDUCE) {
    if (em->v[v].acc == EM_ACC_ROW) em->v[v].saved = true;
    return;
  }
  if (em_val(em, v)->varies == 0 && s->phase == FS_END) return;
  need[em->v[v].def] = true;
  FS_EACH_IN(s, a) need_end(em, s->in[a], need);
}

void em_need(const struct em *em, int value, int phase, bool *need) {
  if (phase == FS_END) {
    need_end(em, value, need);
    return;
  }
  int v = em->v[value].alias;
  const struct fs_step *s = def_of(em, v);
  if (!em_is_j(em, v) || em->v[v].hoisted || !s) return;
  if (em->v[v].kept && s->phase < phase) return;
  if (s->kind == FS_SP_REDUCE) return;
  need[em->v[v].def] = true;
  FS_EACH_IN(s, a) em_need(em, s->in[a], phase, need);
}

/* Marks values that a later phase of the same row reads again. */
static void keep_for(struct em *em, int value, int phase) {
  int v = em->v[value].alias;
  const struct fs_step *s = def_of(em, v);
  if (!s || !em_is_j(em, v) || em->v[v].hoisted) return;
  if (s->phase < phase && em_val(em, v)->varies == 3) {
    em->v[v].kept = true;
    return;
  }
  FS_EACH_IN(s, a) keep_for(em, s->in[a], phase);
}

static void find_kept(struct em *em) {
  if (em->mode != EM_KEEP) return;
  for (int phase = em->k->n_phases - 1; phase > 0; phase--)
    for (int i = 0; i < em->k->steps.len; i++) {
      const struct fs_step *s = &em->k->steps.data[i];
      bool root = s->kind == FS_SP_STORE || s->kind == FS_SP_REDUCE ||
                  (s->out >= 0 && em->v[s->out].kept);
      if (s->phase != phase || !root) continue;
      FS_EACH_IN(s, a) keep_for(em, s->in[a], phase);
    }
}

/* -- results that leave the block ------------------------------------------------- */

static void find_end_work(struct em *em) {
  memset(em->step_done, 0, sizeof(bool) * (size_t)em->k->steps.len);
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (s->phase != FS_END) continue;
    FS_EACH_IN(s, a) need_end(em, s->in[a], em->step_done);
    if (s->kind == FS_SP_STORE && em_access(em, s)->varies)
      em->vector_end = true;
  }
}

static void place_work(struct em *em) {
  int biggest = 4;
  for (int v = 0; v < em->k->values.len; v++)
    if (em->v[v].acc == EM_ACC_COL || em->v[v].acc == EM_ACC_TROW)
      biggest = FS_MAX(biggest, em_acc_size(em_val(em, v)->dtype));
  em->fold_lanes = 16 / biggest;
  em->fold_pitch_j = up(em->groups * em->V, WARP) * WARP;
  em->fold_pitch_i = up(em->m, WARP) * WARP;
  int64_t base = 0, cols = 0;
  for (int v = 0; v < em->k->values.len; v++) {
    struct em_value *x = &em->v[v];
    int64_t size = em_acc_size(em_val(em, v)->dtype);
    if (x->acc == EM_ACC_COL && em->mode != EM_TILE) {
      x->work = cols;
      cols += em->fold_pitch_j * size / em->CL; /* one row for a cluster */
    } else if (x->acc == EM_ACC_COL || x->acc == EM_ACC_TROW) {
      x->work = base;
      base += x->acc == EM_ACC_COL ? em->parts * em->fold_pitch_j * size
                                   : em->panels * em->fold_pitch_i * size;
    } else if (x->saved) {
      bool many = em_val(em, v)->varies & FS_VARIES_I;
      x->work = base;
      base += many ? em->fold_pitch_i * size : WARP * 8;
    } else if (x->acc == EM_ACC_FULL) {
      x->work = em->n_full;
    }
    em->n_full += x->acc == EM_ACC_FULL;
    em->n_col += x->acc == EM_ACC_COL;
    em->n_trow += x->acc == EM_ACC_TROW;
  }
  em->work_base = base;
  em->work_cols = cols;
  em->work_fulls = 8 * (int64_t)em->n_full;
  if (em->n_col + em->n_trow) em->vector_end = true;
}

/* Vectors of each thread that lie in shared memory at once where rows side by side
 * are put together. */
int em_side_vectors(const struct em *em) {
  enum { MOST_BYTES = 32 << 10 };
  int64_t each = (int64_t)em->T * em->V * (16 / em->fold_lanes);
  int64_t room = MOST_BYTES / FS_MAX(1, em->k->tune.blocks_per_sm);
  return (int)FS_MAX(1, FS_MIN(em->C, room / each));
}

static void size_scratch(struct em *em) {
  int64_t size = 0;
  if (em->n_full) size = em->T / WARP * 8;
  if (em->n_col + em->n_trow) size = FS_MAX(size, (int64_t)em->T * 16);
  if (em->n_col && em->S > 1)
    size = FS_MAX(size, (int64_t)em->T * em->V * (16 / em->fold_lanes) *
                            em_side_vectors(em));
  em->scratch = size;
}

/* -- rows through shared memory --------------------------------------------------- */

/* Whether a bulk copy can bring a row of this load. */
static bool is_bulk(const struct em *em, const struct fs_step *s) {
  if (s->kind != FS_SP_LOAD || s->phase != 0) return false;
  const struct fs_access *a = em_access(em, s);
  int64_t size = (int64_t)fs_dtype_size(a->dtype);
  return em_val(em, s->out)->varies == 3 && a->stride[1] == 1 &&
         a->stride[0] >= em->n && a->stride[0] * size % 16 == 0 &&
         a->offset * size % 16 == 0;
}

/* Whether rows only become rows (softmax): then each takes a block of its own, of
 * which enough are resident to hide each other's waits. Measured on an H200, 8192
 * rows of 8192: 0.135 ms; blocks that stay, with a ring of rows, 0.152. */
static void find_streaming(struct em *em) {
  bool work = em->n_full || em->vector_end, stores = false;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    stores |= s->kind == FS_SP_STORE && em_access(em, s)->varies == 3;
  }
  em->streams = !work && (em->mode == EM_FLAT || em->mode == EM_PANEL ||
                          (em->mode == EM_KEEP && stores));
}

/* Several rows at once, of a matrix that the cache does not hold for sure and whose
 * columns are summed: a stage of the ring has as many. On an H200, with such a ring and
 * without: q = A*p; s = A'*r of bf16 at 6000 24.1 us in place of 27.9, of f32 36.9 and
 * 38.6; A'*(A*x) of bf16 at 8192 39.3 and 41.6, of f32 at 3600 (52 MB, where the cache
 * has 60) 19.4 and 21.0; but of smaller matrices, bf16 at 4096, 15.2 and 12.6. */
static bool takes_rows(const struct em *em, double row) {
  bool large = fs_exceeds_cache(em->device, row * (double)em->m);
  return em->B == 1 || (em->n_col && em->CL == 1 && large);
}

/* A ring of rows keeps loads under way while a block reduces and waits. It needs
 * the rows of one turn to be the block's, in registers when the slot is refilled. */
static void plan_ring(struct em *em) {
  enum { MOST_STAGES = 8, LEAST_BYTES = 8192, RESERVED = 2048 };
  bool able = em->variant == FS_EMIT_BEST && em->device &&
              em->device->cc >= 90 && em->mode == EM_KEEP && em->S == 1 &&
              em->n_outer == 1 && em->n_inner == 1 &&
              em->T > WARP && !em->streams && em->k->tune.stages != 1 &&
              (em->CL - 1) * em_part(em) < em->n; /* each block has a part */
  if (!able) return;
  int64_t bytes = 0, part = em->CL > 1 ? em_part(em) : em->n;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (s->kind == FS_SP_LOAD && s->phase == 0 &&
        em_val(em, s->out)->varies == 3 && !is_bulk(em, s))
      return;
    if (!is_bulk(em, s)) continue;
    em->v[s->out].work = bytes;
    bytes += up(part * (int64_t)fs_dtype_size(em_access(em, s)->dtype), 128) *
             128;
  }
  if (!takes_rows(em, (double)bytes)) return;
  bytes *= em->B;
  int64_t blocks = FS_MAX(1, em->k->tune.blocks_per_sm);
  int64_t room = em->device->shared_bytes / blocks - em->scratch -
                 em->reserved - RESERVED;
  if (bytes < LEAST_BYTES || room < 2 * bytes) return;
  em->ring = true;
  em->ring_bytes = bytes;
  em->stages = (int)FS_MIN(MOST_STAGES, room / bytes);
  if (em->k->tune.stages > 1)
    em->stages = FS_MIN(em->stages, em->k->tune.stages);
}

void em_analyse(struct em *em) {
  take_space(em);
  take_tuning(em);
  take_edges(em);
  em->wide = em->forced_wide || em_is_wide(em);
  em_define_values(em);
  define_results(em);
  find_aliases(em);
  find_end_work(em);
  place_work(em);
  size_scratch(em);
  find_streaming(em);
  plan_ring(em);
  em_find_keeping(em);
  find_hoisted(em);
  find_kept(em);
  bool still = em->streams && !em->ring && !em->ahead;
  em->pairs = em->V >= 4 && !em->turns && fs_kernel_pairs(em->k) &&
              (em->mode == EM_FLAT || em->mode == EM_PANEL ||
               (em->mode == EM_KEEP && still));
  em->rows_by_lanes = fs_kernel_shares_rows(em->k) && em->B > 1 && em->B <= em->RT &&
                      em->RT <= WARP && em->panels == 1 &&
                      (em->mode == EM_KEEP || em->mode == EM_PANEL || em->mode == EM_TILE);
  em->stragglers = em_has_stragglers(em);
  em_find_tables(em);
}
