/* reference.c - costs of a device that nobody has measured yet.
 *
 * core/model/reference/ holds the calibrations of two GPUs, an H200 and an H100, and of one
 * CPU. A GPU of their models has theirs; another device gets the H200's or the CPU's by the
 * ratios of what is known of both: what a byte costs by bandwidth,
 * off the chip and in the cache, what an operation costs by the rate of operations; the
 * caches end where its own do. Launches, barriers and the like stay as they are: they
 * differ little between devices of a kind. */
#include <math.h>

#include "core/base/embed.h"
#include "core/model/calibration.h"

/* Attributes are rough, and partly timed in a moment: what differs by less is the same
 * class of device. */
static const double SAME_CLASS = 1.3;

/* How much longer something takes here than there, from a rate of both. */
static double ratio_of(double there, double here) {
  if (!(there > 0) || !(here > 0)) return 1;
  double r = there / here;
  return r < SAME_CLASS && r > 1 / SAME_CLASS ? 1 : r;
}

/* Between the ratios of the cache and of the memory around the cache's size. */
static double move_ratio(double working_set, double cache_bytes, double in_cache, double off_chip) {
  double x = log2(working_set / FS_MAX(cache_bytes, 1)) / 2 + 0.5;
  x = FS_MIN(FS_MAX(x, 0), 1);
  return exp((1 - x) * log(in_cache) + x * log(off_chip));
}

static void scale_moves(const struct fs_device *there, const struct fs_device *here,
                        struct fs_calibration *c) {
  double cache = ratio_of((double)there->cache_bytes, (double)here->cache_bytes);
  double in_cache = ratio_of(there->cache_bandwidth, here->cache_bandwidth);
  double off_chip = ratio_of(there->bandwidth, here->bandwidth);
  double old[FS_KNOTS];
  for (int m = 0; m < FS_MOVES; m++) {
    memcpy(old, c->curve[m], sizeof old);
    for (int k = 0; k < FS_KNOTS; k++)
      c->curve[m][k] = fs_move_cost(old, fs_knots[k] * cache) *
                       move_ratio(fs_knots[k], (double)here->cache_bytes, in_cache, off_chip);
  }
  double units = (double)here->units / FS_MAX(there->units, 1);
  for (int k = 0; k < c->n_points; k++) {
    float *at = c->points[k].at;
    at[0] = FS_MAX(0, at[0] - (float)log2(cache));
    at[2] = FS_MAX(0, at[2] + (float)log2(units));
    at[3] = FS_MAX(0, at[3] + (float)log2(units));
  }
}

static void scale_operations(double ratio, struct fs_calibration *c) {
  for (unsigned t = FS_TM_MOVE_END; t < FS_TM_COUNT; t++)
    if (t != FS_TM_USER) c->cost[t] *= ratio;
  for (int op = 0; op < FS_LIB_OP_COUNT; op++)
    for (int a = 0; a < FS_AR_COUNT; a++)
      for (int k = 0; k < c->library[op][a].n; k++)
        c->library[op][a].at[k].seconds *= ratio;
}

/* Whether the two are of one model. What is known of a processor was partly timed in a
 * moment, and says nothing of that. */
static bool same_model(const struct fs_device *there, const struct fs_device *here) {
  return here->units == there->units && here->cache_bytes == there->cache_bytes &&
         here->bandwidth == there->bandwidth &&
         here->cache_bandwidth == there->cache_bandwidth && here->flops == there->flops;
}

static const struct fs_embedded *file_named(const char *name) {
  const struct fs_embedded *file = fs_embedded;
  while (file->name && strcmp(file->name, name)) file++;
  return file;
}

/* The one to start from: of the same model, if there is one. */
static const struct fs_embedded *reference_for(const struct fs_device *device) {
  const struct fs_embedded *h100 = file_named("core/model/reference/cuda-h100.json");
  struct fs_device there;
  fs_calibration_reference_device(h100->text, h100->len, &there);
  return same_model(&there, device) ? h100 : file_named(fs_device_class(device)->reference);
}

struct fs_calibration *fs_calibration_reference(const struct fs_device *device) {
  const struct fs_embedded *file = reference_for(device);
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  struct fs_device there;
  fs_calibration_parse_reference(file->text, file->len, &there, c);
  scale_moves(&there, device, c);
  scale_operations(ratio_of(there.flops, device->flops), c);
  c->measured = false;
  c->fits = same_model(&there, device);
  snprintf(c->quality, sizeof c->quality, "uncalibrated");
  return c;
}

/* What moves cost, in bytes that are read in order. */
static const double by_the_book[] = {
#define FS_TERM(id, name, book, what) book,
#include "core/model/terms.def"
};

struct fs_calibration *fs_calibration_plain(const struct fs_device *device) {
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  c->cost[FS_TM_LAUNCH] = c->cost[FS_TM_FOLD] = device->launch;
  c->cost[FS_TM_TILE] = device->launch;
  c->cost[FS_TM_USER] = 1;
  for (unsigned t = FS_TM_MOVE_END; t < FS_TM_COUNT; t++)
    if (t != FS_TM_USER) c->cost[t] = 1 / device->flops;
  c->cost[FS_TM_GENERAL] = 8 / device->flops; /* a division */
  c->cost[FS_TM_NEIGHBOUR] = 1 / device->cache_bandwidth;
  for (unsigned m = 0; m < FS_MOVES; m++)
    for (int k = 0; k < FS_KNOTS; k++) {
      bool cached = fs_knots[k] < 0.5 * (double)device->cache_bytes;
      c->curve[m][k] = by_the_book[m + FS_TM_SYNC_END] /
                       (cached ? device->cache_bandwidth : device->bandwidth);
    }
  c->overlap = 0.9;
  snprintf(c->quality, sizeof c->quality, "uncalibrated");
  return c;
}
