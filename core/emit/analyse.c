/* analyse.c - decides how a kernel is written before a line of it is: the mode,
 * the blocking, and for every value where it lives.
 *
 * needs: a legal kernel plan with its tuning; keeps: the plan
 */
#include "core/emit/writer.h"

enum { WARP = 32 };

/* -- values ---------------------------------------------------------------------- */

static const struct fs_step *def_of(const struct em *em, int v) {
  int d = em->v[v].def;
  return d < 0 ? NULL : &em->k->steps.data[d];
}

static enum em_acc kind_of_result(const struct em *em, const struct fs_step *s) {
  switch (fs_schedule_reduced(em->k, em->how->mode, s)) {
    case FS_REDUCED_ROW: return EM_ACC_ROW;
    case FS_REDUCED_ROW_END: return EM_ACC_TROW;
    case FS_REDUCED_COLUMN: return EM_ACC_COL;
    default: return EM_ACC_FULL;
  }
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
  if (em->how->mode != FS_MODE_KEEP) return;
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
  return em->how->vectors * em->how->lanes * fs_sum_bytes(em_val(em, v)) / 4;
}

/* Registers that a row's elements and the column results take anyway. */
static int held_registers(const struct em *em, int *loads) {
  int cost = 0;
  *loads = 0;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (s->kind == FS_SP_LOAD && em_val(em, s->out)->varies == 3)
      *loads += em->how->rows * registers(em, s->out);
    if (s->out >= 0 && em->v[s->out].acc == EM_ACC_COL)
      cost += registers(em, s->out);
  }
  return cost + *loads;
}

/* Column values that steps over the whole row use: out of the loop over rows,
 * if the registers suffice. Loading the next row ahead comes first. */
static void find_hoisted(struct em *em) {
  if (em->how->mode == FS_MODE_FLAT || em->how->mode == FS_MODE_CHUNK) return;
  int loads, cost = held_registers(em, &loads);
  int resident = FS_MAX(1, em->k->tune.blocks_per_sm);
  int room = FS_MIN(255, 65536 / (em->how->threads * resident)) - 30;
  bool listed = false;
  for (int k = 0; k < em->k->accesses.len; k++) listed |= em->k->accesses.data[k].list != 0;
  em->ahead = em->how->mode == FS_MODE_KEEP && !em->how->stages && !em->how->streams && !listed &&
              em->how->sides == 1 && em->how->rows == 1 && em->how->threads > WARP && loads &&
              cost + loads <= room;
  if (em->ahead) cost += loads;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    bool user = s->kind == FS_SP_REDUCE ||
                (s->out >= 0 && em_val(em, s->out)->varies == 3) ||
                (s->kind == FS_SP_STORE && em_access(em, s)->varies & FS_VARIES_J);
    if (!user) continue;
    FS_EACH_IN(s, a) {
      int v = em->v[s->in[a]].alias;
      if (em->v[v].uniform || !is_column_value(em, v)) continue;
      cost += em->v[v].hoisted ? 0 : registers(em, v);
      em->v[v].hoisted = true;
    }
  }
  if (em->how->mode != FS_MODE_KEEP || cost <= room) return;
  for (int v = 0; v < em->k->values.len; v++) em->v[v].hoisted = false;
}

bool em_is_sweep_step(const struct em *em, const struct fs_step *s) {
  if (s->kind == FS_SP_REDUCE)
    return em->how->mode == FS_MODE_FLAT || em_is_j(em, s->in[0]) ||
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
  if (em->how->mode != FS_MODE_KEEP) return;
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
  em->fold_pitch_j = fs_round_up(em->how->row_vectors * em->how->lanes, WARP);
  em->fold_pitch_i = fs_round_up(em->how->m, WARP);
  int64_t base = 0, cols = 0;
  for (int v = 0; v < em->k->values.len; v++) {
    struct em_value *x = &em->v[v];
    int64_t size = fs_sum_bytes(em_val(em, v));
    if (x->acc == EM_ACC_COL && em->how->mode != FS_MODE_TILE) {
      x->work = cols;
      cols += em->fold_pitch_j * size / em->how->cluster; /* one row for a cluster */
    } else if (x->acc == EM_ACC_COL || x->acc == EM_ACC_TROW) {
      x->work = base;
      base += x->acc == EM_ACC_COL ? em->how->parts * em->fold_pitch_j * size
                                   : em->how->strips * em->fold_pitch_i * size;
    } else if (x->saved) {
      bool many = em_val(em, v)->varies & FS_VARIES_I;
      x->work = base;
      base += many ? em->fold_pitch_i * size : WARP * 8;
    } else if (x->acc == EM_ACC_FULL) {
      x->work = em->n_full;
    }
    if (x->acc == EM_ACC_FULL) em->n_full += FS_MAX(1, (int)size / 8);
    em->n_col += x->acc == EM_ACC_COL;
    em->n_trow += x->acc == EM_ACC_TROW;
  }
  em->work_base = base;
  em->work_cols = cols;
  em->work_fulls = 8 * (int64_t)em->n_full;
  if (em->n_col + em->n_trow) em->vector_end = true;
}

/* Where in a stage of the ring the rows of each matrix begin. */
static void place_ring(struct em *em) {
  int64_t bytes = 0, part = em->how->cluster > 1 ? fs_schedule_part(em->how) : em->how->n;
  for (int i = 0; i < em->k->steps.len && em->how->stages; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (s->kind != FS_SP_LOAD || s->phase || em_val(em, s->out)->varies != 3) continue;
    em->v[s->out].work = bytes;
    bytes += fs_round_up(part * (int64_t)fs_dtype_size(em_access(em, s)->dtype), 128);
  }
}

void em_analyse(struct em *em) {
  struct fs_schedule_how how = {em->any_size, em->forced_wide,
                                em->reserved};
  struct fs_schedule *s = FS_NEW(em->arena, struct fs_schedule);
  fs_schedule_gpu(em->k, em->device, &how, s);
  em->how = s;
  em->axes = fs_lp_axes_of(&em->k->space);
  em_define_values(em);
  define_results(em);
  find_aliases(em);
  find_end_work(em);
  place_work(em);
  place_ring(em);
  em_find_keeping(em);
  find_hoisted(em);
  find_kept(em);
  em->stragglers = em_has_stragglers(em);
  em_find_tables(em);
}
