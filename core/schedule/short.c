/* short.c - what follows from short ways (kernel/short_ways.h): elements that wait, tables. */
#include "core/kernel/short_ways.h"
#include "core/schedule/schedule.h"

enum { LITTLE = 256, MUCH = 4096 }; /* lines; Black-Scholes has 70 for an element */

bool fs_schedule_has_short_way(const struct fs_kernel *k, const struct fs_step *st) {
  return st->kind == FS_SP_MAP && !st->user &&
         fs_short_way(st->op, k->values.data[st->in[0]].dtype);
}

/* Lines that the compiler makes of the maps for all elements of a thread, about. */
static double size_of_code(const struct fs_kernel *k, const struct fs_schedule *s,
                           fs_steps steps) {
  double lines = 0;
  FS_EACH_OF(steps, st) {
    if (st->kind != FS_SP_MAP) continue;
    bool call = fs_map_ops[st->op].types == 'F';
    lines += fs_schedule_has_short_way(k, st) ? 10 : call ? 1 : fs_map_ops[st->op].code;
  }
  return lines * s->lanes * s->rows * s->vectors;
}

bool fs_schedule_goes_one_by_one(const struct fs_kernel *k, const struct fs_schedule *s,
                                 fs_steps steps) {
  return size_of_code(k, s, steps) > MUCH;
}

static bool has_stragglers(const struct fs_kernel *k, const struct fs_schedule *s,
                           struct fs_arena *arena) {
  if (fs_mode_of(s)->rows || k->has.reductions) return false;
  const struct fs_step **maps = FS_NEW_N(arena, const struct fs_step *, k->steps.len + 1);
  int n = 0;
  FS_EACH_STEP(k, st)
    if (st->kind == FS_SP_MAP && !s->made[st->out].uniform) maps[n++] = st;
  return FS_ANY_OF(maps, st, fs_schedule_has_short_way(k, st)) && size_of_code(k, s, maps) > LITTLE;
}

bool fs_schedule_has_erf(const struct fs_kernel *k, enum fs_dtype dt) {
  return FS_ANY_STEP(k, st, st->kind == FS_SP_MAP && !st->user && st->op == FS_OP_ERF &&
                                k->values.data[st->in[0]].dtype == dt);
}

/* That of f64 has columns of which no two places share a bank in shared memory; that of pairs of
 * bf16 serves kernels that compute so much that they wait for it, not for memory. */
void fs_schedule_short_ways(const struct fs_kernel *k, const struct fs_device *d,
                            const struct fs_schedule_how *how, struct fs_arena *arena,
                            struct fs_schedule *s) {
  enum { TILES = 4096 };
  bool copies = !fs_mode_of(s)->rows && !how->is_phase && !k->everywhere &&
                s->row_vectors >= (int64_t)s->threads * s->vectors * TILES;
  s->stragglers = has_stragglers(k, s, arena);
  s->copies_words = copies && fs_schedule_has_erf(k, FS_F64);
  s->copies_values = copies && s->pairs && s->stragglers && d && d->clusters &&
                     fs_schedule_has_erf(k, FS_BF16);
}
