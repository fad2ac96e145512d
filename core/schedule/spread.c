/* spread.c - how the blocks of a GPU kernel share its work, for the model: what settings
 * of threads differ in.
 */
#include "core/schedule/schedule.h"

#include <math.h>

enum { TILE = 32, TILE_ROWS = 8, WARP = 32 };

static double ceil_div(double x, double unit) { return ceil(x / FS_MAX(unit, 1)); }

bool fs_kernel_shares_rows(const struct fs_kernel *k) {
  enum { SIDE = 32 / TILE_ROWS };
  bool tile = fs_scheme_of(k)->ends_rows, any = false;
  int threads = tile ? TILE : k->tune.row_threads, rows = tile ? SIDE : k->tune.iters;
  if ((!tile && !fs_scheme_of(k)->rows) || fs_kernel_turns(k)) return false;
  if (rows == 1 || threads > WARP || rows > threads) return false;
  FS_EACH_STEP(k, s) {
    if (s->phase == FS_END || fs_step_passes_row(k, s)) continue;
    if (s->user || s->kind == FS_SP_RAND) return false;
    any |= s->kind == FS_SP_MAP && fs_map_is_special(s->op) && k->values.data[s->out].varies;
  }
  return any;
}

/* Bytes of matrix elements that stand at one place of the index space; of a flat kernel, of
 * all that it reads. */
static double loaded(const struct fs_kernel *k) {
  double bytes = 0;
  FS_EACH_AT(&k->accesses, a) {
    if (!fs_access_is_load(a) || k->steps.data[a->step].phase == FS_END) continue;
    if (fs_kernel_has_rows(k) ? a->varies == FS_VARIES_BOTH : a->varies)
      bytes += (double)fs_dtype_size(a->dtype);
  }
  return bytes;
}

/* Bytes that a block, or a cluster, has asked for at once. */
static double under_way(const struct fs_kernel *k, const struct fs_schedule *s) {
  double threads = (double)s->threads * s->lanes;
  if (s->stages) return (double)s->stage_bytes * s->stages;
  if (!fs_mode_of(s)->rows) return loaded(k) * threads * s->vectors;
  if (fs_mode_of(s)->tiled)
    return loaded(k) * TILE * (double)s->n / FS_MAX((double)s->strips, 1);
  double held = ceil_div((double)s->row_vectors, (double)s->row_threads * s->cluster);
  return loaded(k) * threads * s->rows * FS_MIN((double)s->vectors, held);
}

/* Results of rows for which a task waits. */
static double waits(const struct fs_kernel *k, const struct fs_schedule *s) {
  if (!s->row_results || !fs_mode_of(s)->rows) return 0;
  if (fs_mode_of(s)->tiled) return s->tiles;
  double piece = (double)s->row_threads * s->vectors * (double)s->strips;
  double turns = fs_mode_of(s)->columns ? 1 : ceil_div((double)s->row_vectors, piece);
  return FS_MAX(1, k->n_phases) * turns;
}

/* Blocks in step are priced as if they went over rows in chunks. */
static void schedule_march(const struct fs_kernel *k, struct fs_schedule *s) {
  const struct fs_tuning *t = &k->tune;
  *s = (struct fs_schedule){
      .mode = FS_MODE_CHUNK, .threads = t->threads, .row_threads = t->row_threads,
      .rows = t->iters, .lanes = t->vec, .vectors = t->cols, .cluster = FS_MAX(1, t->cluster),
      .m = k->space.m, .n = k->space.n, .strips = 1, .row_results = true};
  s->row_vectors = (k->space.n + t->vec - 1) / t->vec;
  s->tasks = (k->space.m + t->iters - 1) / FS_MAX(1, t->iters);
}

int fs_ring_stages(const struct fs_kernel *k, const struct fs_device *d) {
  struct fs_schedule s;
  if (!d->bulk_copies || !fs_scheme_of(k)->rows) return 0;
  fs_schedule_blocks(k, d, &(struct fs_schedule_how){0}, &s);
  return s.stages;
}

void fs_kernel_spread(const struct fs_kernel *k, const struct fs_device *d, struct fs_spread *out) {
  struct fs_schedule s;
  *out = (struct fs_spread){.sharing = 1};
  if (!fs_device_has_warps(d) || k->lib_node || k->n_applied) return;
  if (fs_scheme_of(k)->in_step) schedule_march(k, &s);
  else fs_schedule_blocks(k, d, &(struct fs_schedule_how){.any_size = k->any_size}, &s);
  double units = FS_MAX(d->units, 1);
  out->sharing = s.cluster;
  out->tasks = (double)s.tasks;
  out->waits = waits(k, &s);
  double resident = FS_MAX(1, k->tune.blocks_per_sm) * units / out->sharing;
  out->resident = FS_MIN(out->tasks, resident);
  out->under_way = under_way(k, &s) * FS_MAX(1, out->resident * out->sharing / units);
  out->threads = s.threads * out->sharing;
  if (k->has.folds)
    out->parts = fs_mode_of(&s)->tiled ? (double)s.parts : out->resident;
}
