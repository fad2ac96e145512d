/* predict.c - first predictions from the attributes of a device. */
#include "core/model/calibration.h"

/* How much a byte costs that is reached against the grain (stride along the
 * fast axis): a 32-byte sector or a 64-byte line is fetched for 4 bytes, part
 * of which a cache gives back. */
static const double STRIDED_COST = 4.0;
/* A GPU's second cache gives whole sectors, too: of its higher rate nothing is left.
 * On an H200, B = A + u1*v1' + u2*v2'; x = B'*y + z; w = B*x by columns takes 29 to
 * 32 us at 1024 x 1024, where 4 would have it take 12. */
static const double STRIDED_COST_CACHED = 8.0;

/* An exp or a division takes about as long as this many additions. */
static const double SPECIAL_COST = 8.0;

/* A grid-wide barrier with its fold of partial sums, in launches. */
static const double BARRIER_LAUNCHES = 1.0;

static double transfer_seconds(const struct fs_work *w,
                               const struct fs_device *d) {
  double bytes = w->bytes_read + w->bytes_written;
  bool cached = w->working_set < 0.5 * (double)d->cache_bytes;
  double each = cached && d->is_cuda ? STRIDED_COST_CACHED : STRIDED_COST;
  double strided = w->bytes_strided * (w->tiled ? 0.1 : each - 1.0);
  double bandwidth = cached ? d->cache_bandwidth : d->bandwidth;
  double busy = FS_MIN(1.0, w->parallel / (double)d->units);
  double seconds = (bytes + strided) / bandwidth;
  seconds += w->bytes_extra / d->cache_bandwidth;
  return seconds / FS_MAX(busy, 1e-6);
}

struct fs_prediction fs_predict(const struct fs_work *w,
                                const struct fs_device *d) {
  struct fs_prediction p;
  if (d->calibration) {
    p = fs_calibrated(w, d->calibration);
    p.seconds = FS_MAX(p.seconds - fs_predict_start(d), 0.1 * p.seconds);
    return p;
  }
  double transfer = transfer_seconds(w, d);
  double busy = FS_MIN(1.0, w->parallel / (double)d->units);
  double compute =
      (w->flops + SPECIAL_COST * w->special) / d->flops / FS_MAX(busy, 1e-6);
  if (w->tiled) transfer *= 1.05;
  double sync = d->launch * (w->grid_barrier ? 1.0 + BARRIER_LAUNCHES : 1.0);
  double body = FS_MAX(transfer, compute) * (w->general_index ? 1.1 : 1.0);
  p.seconds = sync + body;
  p.bound = body < sync ? "launch" : transfer >= compute ? "memory" : "compute";
  return p;
}

/* Between phases of one launch, without a fold, where no calibration has measured
 * it. On an H200 1.3 us (atomics of 264 blocks on one word, seen by all), where a
 * launch takes 3.3. */
static const double PHASE_BARRIER_LAUNCHES = 0.4;

double fs_predict_start(const struct fs_device *d) {
  const struct fs_calibration *c = d->calibration;
  return c && c->follow > 0 ? FS_MAX(c->cost[FS_TM_LAUNCH] - c->follow, 0) : 0;
}

double fs_predict_launch(const struct fs_device *d) {
  return d->calibration ? d->calibration->cost[FS_TM_LAUNCH] - fs_predict_start(d)
                        : d->launch;
}

double fs_predict_barrier(const struct fs_device *d) {
  if (d->calibration && d->calibration->barrier > 0)
    return d->calibration->barrier;
  return PHASE_BARRIER_LAUNCHES * fs_predict_launch(d);
}

const char *fs_model_quality(const struct fs_device *d) {
  return d && d->calibration ? d->calibration->quality : "uncalibrated";
}
