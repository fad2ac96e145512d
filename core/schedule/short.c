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
                           const bool *need) {
  double lines = 0;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *st = &k->steps.data[i];
    if (!need[i] || st->kind != FS_SP_MAP) continue;
    lines += st->op == FS_OP_MOD ? 120 : fs_schedule_has_short_way(k, st) ? 10 : 1;
  }
  return lines * s->lanes * s->rows * s->vectors;
}

bool fs_schedule_goes_one_by_one(const struct fs_kernel *k, const struct fs_schedule *s,
                                 const bool *need) {
  return size_of_code(k, s, need) > MUCH;
}

static bool has_stragglers(const struct fs_kernel *k, const struct fs_schedule *s) {
  bool *all = fs_calloc((size_t)k->steps.len + 1, sizeof(bool)), sums = false, any = false;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *st = &k->steps.data[i];
    all[i] = st->kind == FS_SP_MAP && !s->made[st->out].uniform;
    any |= all[i] && fs_schedule_has_short_way(k, st);
    sums |= st->kind == FS_SP_REDUCE;
  }
  bool some = s->mode == FS_MODE_FLAT && !sums && any && size_of_code(k, s, all) > LITTLE;
  free(all);
  return some;
}

bool fs_schedule_has_erf(const struct fs_kernel *k, enum fs_dtype dt) {
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *st = &k->steps.data[i];
    if (st->kind == FS_SP_MAP && !st->user && st->op == FS_OP_ERF &&
        k->values.data[st->in[0]].dtype == dt)
      return true;
  }
  return false;
}

/* That of f64 has columns of which no two places share a bank in shared memory; that of pairs of
 * bf16 serves kernels that compute so much that they wait for it, not for memory. */
void fs_schedule_short_ways(const struct fs_kernel *k, const struct fs_device *d,
                            const struct fs_schedule_how *how, struct fs_schedule *s) {
  enum { TILES = 4096 };
  bool copies = s->mode == FS_MODE_FLAT && !how->is_phase && !k->everywhere &&
                s->row_vectors >= (int64_t)s->threads * s->vectors * TILES;
  s->stragglers = has_stragglers(k, s);
  s->copies_words = copies && fs_schedule_has_erf(k, FS_F64);
  s->copies_values = copies && s->pairs && s->stragglers && d && d->clusters &&
                     fs_schedule_has_erf(k, FS_BF16);
}
