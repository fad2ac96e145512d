/* spread.c - how the blocks of a GPU kernel share its work, as the emitter writes
 * it and the launcher starts it: what settings of threads differ in for the model.
 */
#include "core/schedule/schedule.h"

#include <math.h>

enum { TILE = 32, TILE_ROWS = 8, WARP = 32 };

static double up(double x, double unit) { return ceil(x / FS_MAX(unit, 1)); }

struct sums {
  double loaded; /* bytes of matrix elements that stand at one place of the index space; of
                    a flat kernel, of all that it reads */
  bool rows;    /* results of a row, which it waits for */
  bool outside; /* results that blocks put together     */
  bool stores;  /* elements of a matrix                 */
  bool columns; /* sums of columns                      */
};

static struct sums sums_of(const struct fs_kernel *k) {
  struct sums s = {.rows = k->n_phases > 1};
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *st = &k->steps.data[i];
    if (st->kind == FS_SP_LOAD && st->phase != FS_END) {
      const struct fs_access *a = &k->accesses.data[st->access];
      if (k->scheme == FS_FLAT ? a->varies != 0 : a->varies == 3)
        s.loaded += (double)fs_dtype_size(a->dtype);
    }
    if (st->kind == FS_SP_STORE)
      s.stores |= k->accesses.data[st->access].varies == 3;
    if (st->kind != FS_SP_REDUCE) continue;
    if (st->over == FS_VARIES_J && k->scheme != FS_FLAT) s.rows = true;
    if (st->over == FS_VARIES_I && k->values.data[st->in[0]].varies & FS_VARIES_J)
      s.columns = true;
    if (k->values.data[st->out].ready == FS_END || k->scheme == FS_FLAT)
      s.outside = true;
  }
  return s;
}

struct ring {
  double bytes;  /* of a row, or of a block's part of it */
  int stages;    /* 0: there is no ring */
};

/* The rows that a block has under way in shared memory, as emit/analyse.c plans a
 * ring of them. */
static struct ring ring_of(const struct fs_kernel *k, const struct fs_device *d,
                           double sharing) {
  enum { MOST_STAGES = 8, LEAST_BYTES = 8192, RESERVED = 2048 };
  struct ring none = {0, 0}, r = none;
  if (d->cc < 90 || k->space.n_outer != 1 || k->space.n_inner != 1 ||
      k->tune.threads <= WARP || k->tune.stages == 1)
    return none;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->kind != FS_SP_LOAD || s->phase != 0) continue;
    const struct fs_access *a = &k->accesses.data[s->access];
    int64_t size = (int64_t)fs_dtype_size(a->dtype);
    if (a->varies != 3) continue;
    if (a->stride[1] != 1 || a->stride[0] * size % 16 || a->offset * size % 16 ||
        a->stride[0] < k->space.n)
      return none;
    r.bytes += up((double)k->space.n, sharing) * (double)size * k->tune.iters;
  }
  if (k->tune.iters > 1 &&
      !fs_exceeds_cache(d, r.bytes / k->tune.iters * (double)k->space.m))
    return none; /* emit/analyse.c: takes_rows() */
  double room = (double)d->shared_bytes / FS_MAX(1, k->tune.blocks_per_sm) - RESERVED;
  if (r.bytes < LEAST_BYTES || room < 2 * r.bytes) return none;
  r.stages = (int)FS_MIN(MOST_STAGES, floor(room / r.bytes));
  if (k->tune.stages > 1) r.stages = FS_MIN(r.stages, k->tune.stages);
  return r;
}

/* Whether a step goes over the elements of a row. */
static bool passes_row(const struct fs_kernel *k, const struct fs_step *s) {
  bool in = s->in[0] >= 0 && k->values.data[s->in[0]].varies & FS_VARIES_J;
  if (s->kind == FS_SP_STORE) return in || k->accesses.data[s->access].varies & FS_VARIES_J;
  if (s->kind == FS_SP_REDUCE) return in || s->over & FS_VARIES_J;
  return k->values.data[s->out].varies & FS_VARIES_J;
}

static bool is_long(const struct fs_step *s) {
  if (s->kind != FS_SP_MAP) return false;
  return s->op == FS_OP_DIV || (fs_map_ops[s->op].types == 'F' && s->op != FS_OP_FMA);
}

/* On an H200, of a million rows of 32 in f32, p = 1 ./ (1 + exp(-(X*w))); g = X'*(p - y)
 * takes 37 us so, where X'*(X*w - y) takes 33. */
bool fs_kernel_shares_rows(const struct fs_kernel *k) {
  enum { SIDE = 32 / TILE_ROWS };
  bool tile = k->scheme == FS_TILE, any = false;
  int threads = tile ? TILE : k->tune.row_threads, rows = tile ? SIDE : k->tune.iters;
  if ((!tile && k->scheme != FS_ROW) || fs_kernel_turns(k)) return false;
  if (rows == 1 || threads > WARP || rows > threads) return false;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->phase == FS_END || passes_row(k, s)) continue;
    if (s->user || s->kind == FS_SP_RAND) return false;
    any |= is_long(s) && k->values.data[s->out].varies;
  }
  return any;
}

static struct ring spread_rows(const struct fs_kernel *k,
                               const struct fs_device *d,
                               const struct sums *sums, struct fs_spread *s) {
  bool waits = sums->rows, streams = !sums->outside && sums->stores;
  const struct fs_tuning *t = &k->tune;
  int last = k->space.n_outer + FS_MAX(1, k->space.n_inner) - 1;
  double length = k->space.n_inner ? (double)k->space.dim[last] : 1;
  double vectors = (double)k->space.n / FS_MAX(length, 1) * up(length, t->vec);
  double held = (double)t->row_threads * t->cols * s->sharing, each = t->iters;
  bool keeps = vectors <= held, chunks = !keeps && waits;
  double sides = chunks ? 1 : (double)t->threads / FS_MAX(t->row_threads, 1);
  s->tasks = up((double)k->space.m, sides * each);
  if (!keeps && !waits) s->tasks *= up(vectors, held);
  s->waits = waits ? FS_MAX(1, k->n_phases) * (chunks ? up(vectors, held) : 1) : 0;
  s->under_way = sums->loaded * t->threads * t->vec * each *
                 FS_MIN((double)t->cols,
                        up(vectors, t->row_threads * s->sharing));
  bool rows = each == 1 || (sums->columns && t->cluster <= 1);
  if (!keeps || sides > 1 || !rows || streams) return (struct ring){0, 0};
  struct ring ring = ring_of(k, d, s->sharing);
  if (ring.stages) s->under_way = ring.bytes * ring.stages;
  return ring;
}

int fs_ring_stages(const struct fs_kernel *k, const struct fs_device *d) {
  struct fs_spread s = {.sharing = FS_MAX(1, k->tune.cluster)};
  if (!d->is_cuda || k->scheme != FS_ROW) return 0;
  struct sums sums = sums_of(k);
  return spread_rows(k, d, &sums, &s).stages;
}

void fs_kernel_spread(const struct fs_kernel *k, const struct fs_device *d,
                      struct fs_spread *s) {
  const struct fs_tuning *t = &k->tune;
  *s = (struct fs_spread){.sharing = FS_MAX(1, t->cluster)};
  if (!d->is_cuda || k->scheme == FS_LIBRARY || k->scheme == FS_INSTANCE) return;
  double units = FS_MAX(d->units, 1);
  struct sums sums = sums_of(k);
  if (k->scheme == FS_FLAT) {
    s->tasks = up((double)k->space.n, (double)t->threads * t->vec * t->iters);
    s->under_way = sums.loaded * t->threads * t->vec * t->iters;
  } else if (fs_kernel_turns(k)) {
    double rows = (double)t->threads / t->row_threads * t->iters;
    s->tasks = up((double)k->space.n, (double)t->row_threads * t->vec) *
               up((double)k->space.m, rows);
    s->under_way = sums.loaded * t->threads * t->vec * t->iters;
  } else if (k->scheme == FS_TILE) {
    s->tasks = up((double)k->space.n, TILE) *
               up((double)k->space.m, (double)TILE * t->iters);
    double panels = up((double)k->space.n, TILE);
    s->under_way = sums.loaded * TILE * (double)k->space.n / FS_MAX(panels, 1);
    s->waits = sums.rows ? t->iters : 0;
  } else {
    spread_rows(k, d, &sums, s);
  }
  double resident = FS_MAX(1, t->blocks_per_sm) * units / s->sharing;
  s->resident = FS_MIN(s->tasks, resident);
  s->under_way *= FS_MAX(1, s->resident * s->sharing / units);
  s->threads = t->threads * s->sharing;
  s->parts = !sums.outside ? 0
             : k->scheme == FS_TILE
                 ? up((double)k->space.m, (double)TILE * t->iters)
                 : s->resident;
}
