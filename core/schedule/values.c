/* values.c - where the values of a kernel live as its blocks go over it: what is computed once
 * for all rows, kept for a later phase, loaded ahead, and left in the workspace.
 *
 * needs: a schedule of gpu.c; makes: its made[] and all that follows from it
 */
#include "core/schedule/schedule.h"

enum { WARP = 32 };

static const struct fs_value *value(const struct fs_kernel *k, int v) { return &k->values.data[v]; }
static bool is_j(const struct fs_kernel *k, int v) { return value(k, v)->varies & FS_VARIES_J; }
static const struct fs_access *access_of(const struct fs_kernel *k, const struct fs_step *st) {
  return &k->accesses.data[st->access];
}
/* The step that makes a value, or NULL. */
static const struct fs_step *maker(const struct fs_kernel *k, const struct fs_schedule *s, int v) {
  return s->made[v].def < 0 ? NULL : &k->steps.data[s->made[v].def];
}

/* -- lists ----------------------------------------------------------------------- */

/* The reductions that leave this; FS_REDUCED_NOT: the loads of elements. */
static fs_steps list(const struct fs_kernel *k, const struct fs_schedule *s, struct fs_arena *arena,
                     enum fs_reduced left) {
  const struct fs_step **all = FS_NEW_N(arena, const struct fs_step *, k->steps.len + 1);
  int n = 0;
  FS_EACH_STEP(k, st) {
    bool reduce = st->kind == FS_SP_REDUCE && s->made[st->out].reduced == left;
    bool load = !left && st->kind == FS_SP_LOAD && st->phase == 0 &&
                value(k, st->out)->varies == FS_VARIES_BOTH;
    if (reduce || load) all[n++] = st;
  }
  return all;
}

static void make_lists(const struct fs_kernel *k, struct fs_arena *arena, struct fs_schedule *s) {
  s->brought = list(k, s, arena, FS_REDUCED_NOT);
  for (enum fs_reduced left = FS_REDUCED_ROW; left <= FS_REDUCED_ALL; left++)
    s->reductions[left] = list(k, s, arena, left);
}

/* -- which step makes it ---------------------------------------------------------- */

static void define(const struct fs_kernel *k, struct fs_arena *arena, struct fs_schedule *s) {
  s->made = FS_NEW_N(arena, struct fs_scheduled_value, k->values.len + 1);
  for (int v = 0; v < k->values.len; v++)
    s->made[v] = (struct fs_scheduled_value){.def = -1, .alias = v};
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *st = &k->steps.data[i];
    if (st->out < 0) continue;
    struct fs_scheduled_value *x = &s->made[st->out];
    x->def = i;
    if (st->kind == FS_SP_REDUCE) {
      x->reduced = fs_schedule_reduced(k, s->mode, st);
      continue;
    }
    x->uniform = value(k, st->out)->varies == 0;
    FS_EACH_IN(st, a) x->uniform &= s->made[st->in[a]].uniform;
    x->of_column = value(k, st->out)->varies == FS_VARIES_J && st->phase != FS_END;
    FS_EACH_IN(st, a) x->of_column &= s->made[st->in[a]].of_column;
    x->of_column |= x->uniform;
  }
}

/* Equal values of an earlier phase that is still on chip. */
static void find_aliases(const struct fs_kernel *k, struct fs_schedule *s) {
  if (!fs_mode_of(s)->holds) return;
  for (int v = 0; v < k->values.len; v++) {
    int u = value(k, v)->same_as;
    if (u < 0 || !maker(k, s, v) || !maker(k, s, u) || !is_j(k, v)) continue;
    if (maker(k, s, u)->phase < maker(k, s, v)->phase) s->made[v].alias = s->made[u].alias;
  }
}

/* -- out of the loop over rows, and ahead of it --------------------------------------- */

/* 32-bit registers of a value held for all vectors of a thread. */
static int registers(const struct fs_kernel *k, const struct fs_schedule *s, int v) {
  return s->vectors * s->lanes * fs_sum_bytes(value(k, v)) / 4;
}

/* Registers that a row's elements and the column results take anyway. */
static int held_registers(const struct fs_kernel *k, const struct fs_schedule *s, int *loads) {
  int cost = 0;
  *loads = 0;
  FS_EACH_STEP(k, st) {
    if (st->kind == FS_SP_LOAD && value(k, st->out)->varies == FS_VARIES_BOTH)
      *loads += s->rows * registers(k, s, st->out);
    if (st->out >= 0 && s->made[st->out].reduced == FS_REDUCED_COLUMN)
      cost += registers(k, s, st->out);
  }
  return cost + *loads;
}

static bool has_lists(const struct fs_kernel *k) {
  for (int x = 0; x < k->accesses.len; x++)
    if (k->accesses.data[x].list) return true;
  return false;
}

/* Whether a step over the whole row takes values of the columns. */
static bool takes_columns(const struct fs_kernel *k, const struct fs_step *st) {
  return st->kind == FS_SP_REDUCE ||
         (st->out >= 0 && value(k, st->out)->varies == FS_VARIES_BOTH) ||
         (st->kind == FS_SP_STORE && access_of(k, st)->varies & FS_VARIES_J);
}

/* Column values that steps over the whole row use: out of the loop over rows,
 * if the registers suffice. Loading the next row ahead comes first. */
static void find_hoisted(const struct fs_kernel *k, struct fs_schedule *s) {
  if (!fs_mode_of(s)->columns) return;
  int loads, cost = held_registers(k, s, &loads);
  int room = FS_MIN(255, 65536 / (s->threads * s->resident)) - 30;
  s->ahead = fs_mode_of(s)->holds && !s->stages && !s->streams && !has_lists(k) &&
             s->sides == 1 && s->rows == 1 && s->threads > WARP && loads && cost + loads <= room;
  if (s->ahead) cost += loads;
  FS_EACH_STEP(k, st) {
    if (!takes_columns(k, st)) continue;
    FS_EACH_IN(st, a) {
      int v = s->made[st->in[a]].alias;
      if (s->made[v].uniform || !s->made[v].of_column) continue;
      cost += s->made[v].hoisted ? 0 : registers(k, s, v);
      s->made[v].hoisted = true;
    }
  }
  if (!fs_mode_of(s)->holds || cost <= room) return;
  for (int v = 0; v < k->values.len; v++) s->made[v].hoisted = false;
}

/* -- from phase to phase ----------------------------------------------------------------- */

bool fs_schedule_sweeps(const struct fs_kernel *k, const struct fs_schedule *s,
                        const struct fs_step *st) {
  if (st->kind == FS_SP_REDUCE)
    return !fs_mode_of(s)->rows || is_j(k, st->in[0]) || (st->over & FS_VARIES_J);
  if (st->kind == FS_SP_STORE)
    return (access_of(k, st)->varies & FS_VARIES_J) || is_j(k, st->in[0]);
  return is_j(k, st->out);
}

/* At FS_END: values that only the rows knew must have been saved. */
static void need_end(const struct fs_kernel *k, const struct fs_schedule *s, int v, bool *need) {
  const struct fs_step *st = maker(k, s, v);
  if (s->made[v].uniform || !st || s->made[v].saved) return;
  if (st->kind == FS_SP_REDUCE) {
    if (s->made[v].reduced == FS_REDUCED_ROW) s->made[v].saved = true;
    return;
  }
  if ((value(k, v)->varies == 0 && st->phase == FS_END) || need[s->made[v].def]) return;
  need[s->made[v].def] = true;
  FS_EACH_IN(st, a) need_end(k, s, st->in[a], need);
}

void fs_schedule_need(const struct fs_kernel *k, const struct fs_schedule *s, int wanted, int phase,
                      bool *need) {
  if (phase == FS_END) {
    need_end(k, s, wanted, need);
    return;
  }
  int v = s->made[wanted].alias;
  const struct fs_step *st = maker(k, s, v);
  if (!is_j(k, v) || s->made[v].hoisted || !st) return;
  if (s->made[v].kept && st->phase < phase) return;
  if (st->kind == FS_SP_REDUCE || need[s->made[v].def]) return;
  need[s->made[v].def] = true;
  FS_EACH_IN(st, a) fs_schedule_need(k, s, st->in[a], phase, need);
}

/* Marks values that a later phase of the same row reads again. */
static void keep_for(const struct fs_kernel *k, struct fs_schedule *s, int wanted, int phase) {
  int v = s->made[wanted].alias;
  const struct fs_step *st = maker(k, s, v);
  if (!st || !is_j(k, v) || s->made[v].hoisted || s->made[v].asked == phase) return;
  s->made[v].asked = phase;
  if (st->phase < phase && value(k, v)->varies == FS_VARIES_BOTH) {
    s->made[v].kept = true;
    return;
  }
  FS_EACH_IN(st, a) keep_for(k, s, st->in[a], phase);
}

static void find_kept(const struct fs_kernel *k, struct fs_schedule *s) {
  if (!fs_mode_of(s)->holds) return;
  for (int phase = k->n_phases - 1; phase > 0; phase--)
    FS_EACH_IN_PHASE(k, st, phase) {
      bool root = st->kind == FS_SP_STORE || st->kind == FS_SP_REDUCE ||
                  (st->out >= 0 && s->made[st->out].kept);
      if (!root) continue;
      FS_EACH_IN(st, a) keep_for(k, s, st->in[a], phase);
    }
}

/* -- results that leave the block ------------------------------------------------- */

static void find_end(const struct fs_kernel *k, struct fs_arena *arena, struct fs_schedule *s) {
  bool *need = FS_NEW_N(arena, bool, k->steps.len + 1);
  FS_EACH_IN_PHASE(k, st, FS_END) {
    FS_EACH_IN(st, a) need_end(k, s, st->in[a], need);
    if (st->kind == FS_SP_STORE && access_of(k, st)->varies) s->vector_end = true;
  }
}

static void place_work(const struct fs_kernel *k, struct fs_schedule *s) {
  s->pitch_j = fs_round_up(s->row_vectors * s->lanes, WARP);
  s->pitch_i = fs_round_up(s->m, WARP);
  for (int v = 0; v < k->values.len; v++) {
    struct fs_scheduled_value *x = &s->made[v];
    int64_t size = fs_sum_bytes(value(k, v));
    if (x->reduced == FS_REDUCED_COLUMN && !fs_mode_of(s)->tiled) {
      x->work = s->work_columns;
      s->work_columns += s->pitch_j * size / s->cluster; /* one row for a cluster */
    } else if (x->reduced == FS_REDUCED_COLUMN || x->reduced == FS_REDUCED_ROW_END) {
      x->work = s->work_base;
      s->work_base += x->reduced == FS_REDUCED_COLUMN ? s->parts * s->pitch_j * size
                                                      : s->strips * s->pitch_i * size;
    } else if (x->saved) {
      bool many = value(k, v)->varies & FS_VARIES_I;
      x->work = s->work_base;
      s->work_base += many ? s->pitch_i * size : WARP * 8;
    } else if (x->reduced == FS_REDUCED_ALL) {
      x->work = s->n_all;
    }
    if (x->reduced == FS_REDUCED_ALL) s->n_all += FS_MAX(1, (int)size / 8);
    s->n_columns += x->reduced == FS_REDUCED_COLUMN;
    s->vector_end |= x->reduced == FS_REDUCED_COLUMN || x->reduced == FS_REDUCED_ROW_END;
  }
  s->work_all = 8 * (int64_t)s->n_all;
}

/* Where in a stage of the ring the rows of each matrix begin. */
static void place_ring(const struct fs_kernel *k, struct fs_schedule *s) {
  int64_t bytes = 0, part = s->cluster > 1 ? fs_schedule_part(s) : s->n;
  if (!s->stages) return;
  FS_EACH_OF(s->brought, st) {
    s->made[st->out].work = bytes;
    bytes += fs_round_up(part * (int64_t)fs_dtype_size(access_of(k, st)->dtype), 128);
  }
}

void fs_schedule_values(const struct fs_kernel *k, struct fs_arena *arena, struct fs_schedule *s) {
  define(k, arena, s);
  make_lists(k, arena, s);
  find_aliases(k, s);
  find_end(k, arena, s);
  place_work(k, s);
  place_ring(k, s);
  find_hoisted(k, s);
  find_kept(k, s);
}

/* -- panels of columns ------------------------------------------------------------------------ */

/* Where the messages about a sum begin, in words. */
static void place_messages(const struct fs_kernel *k, const struct fs_march *p,
                           struct fs_schedule *s) {
  int64_t at = 0;
  for (int v = 0; v < k->values.len; v++) {
    if (s->made[v].reduced != FS_REDUCED_ROW) continue;
    s->made[v].work = at;
    at += fs_march_words(p) * (fs_sum_bytes(value(k, v)) / 4) * p->cluster * FS_MARCH_ROUNDS;
  }
  s->work_base = at * 8;
}

void fs_schedule_march_values(const struct fs_kernel *k, const struct fs_march *p,
                              struct fs_arena *arena, struct fs_schedule *s) {
  define(k, arena, s);
  bool *sent = FS_NEW_N(arena, bool, k->values.len + 1);
  fs_march_sent(k, sent);
  for (int v = 0; v < k->values.len; v++) {
    const struct fs_step *st = maker(k, s, v);
    int same = value(k, v)->same_as;
    s->made[v].saved = sent[v];
    if (!st) continue;
    if (st->kind == FS_SP_REDUCE)
      s->made[v].reduced = st->over == FS_VARIES_J ? FS_REDUCED_ROW : FS_REDUCED_COLUMN;
    else if (same >= 0 && value(k, v)->varies == FS_VARIES_J)
      s->made[v].alias = s->made[same].alias;
  }
  make_lists(k, arena, s);
  s->lasts = k->has.stores;
  s->vector_end = true;
  place_messages(k, p, s);
}
