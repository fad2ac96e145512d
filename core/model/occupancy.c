/* occupancy.c - see occupancy.h. */
#include "core/model/occupancy.h"

enum {
  WARP = 32, MOST_THREADS = 2048, MOST_BLOCKS = 32,
  REGISTER_UNIT = 256,     /* a warp's registers come in these   */
  SYSTEM_SHARED = 1 << 10  /* of every block                     */
};

static void hold(struct fs_occupancy *o, int64_t blocks, const char *limit) {
  if (blocks >= o->per_unit) return;
  o->per_unit = (int)FS_MAX(blocks, 0);
  o->limit = limit;
}

static struct fs_occupancy on_cpu(const struct fs_footprint *f, const struct fs_device *d) {
  struct fs_occupancy o = {.per_unit = 1, .share = 1};
  if (f->blocks < d->units) {
    o.share = (double)f->blocks / FS_MAX(1, d->units);
    o.limit = "work";
  }
  return o;
}

struct fs_occupancy fs_occupancy(const struct fs_footprint *f, const struct fs_device *d) {
  if (!d->is_cuda) return on_cpu(f, d);
  struct fs_occupancy o = {.per_unit = MOST_BLOCKS, .limit = "blocks"};
  int warps = FS_MAX(1, (f->threads + WARP - 1) / WARP);
  hold(&o, MOST_THREADS / (warps * WARP), "threads");
  if (f->registers > 0) {
    int64_t of_warp = ((int64_t)f->registers * WARP + REGISTER_UNIT - 1) /
                      REGISTER_UNIT * REGISTER_UNIT;
    int64_t regs = d->regs ? d->regs : 65536;
    hold(&o, regs / (of_warp * warps), "registers");
  }
  if (f->shared > 0 && d->shared_bytes > 0)
    hold(&o, (d->shared_bytes + SYSTEM_SHARED) / (f->shared + SYSTEM_SHARED), "shared");
  if (f->blocks > 0) {
    int64_t units = FS_MAX(1, d->units);
    hold(&o, (f->blocks + units - 1) / units, "work");
    double held = FS_MIN((double)f->blocks, (double)o.per_unit * (double)units);
    o.share = held * f->threads / ((double)MOST_THREADS * (double)units);
  }
  o.share = FS_MIN(o.share, 1.0);
  return o;
}
