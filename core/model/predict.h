/* predict.h - the predicted time of a kernel.
 *
 * Filipovic et al., section 4.2: the time of a kernel is the larger of its
 * transfers and its computation, each summed over its routines, plus launch and
 * synchronisation. Each term has its measured cost (device->calibration, never NULL
 * here): measured on this device, or on one of its kind and scaled by what is known
 * of both (fs_calibration_reference). */
#ifndef FS_PREDICT_H
#define FS_PREDICT_H

#include "core/model/device.h"
#include "core/model/work.h"

struct fs_prediction {
  double seconds;
  const char *bound;        /* "memory", "compute", "launch",
                               "synchronisation"                           */
};

/* Of a kernel that is launched behind another one. */
struct fs_prediction fs_predict(const struct fs_work *work,
                                const struct fs_device *device);

/* Where a working set lies: so much of the way from a knot of costs to the next one. */
struct fs_between {
  int knot;
  double share;
};

/* What was found of kinds of kernels and what corrects their costs: the thousands of
 * kernels that are priced for one block differ in little of that. Zeroed before its first
 * use; for one device, while its calibration stays as it is. */
struct fs_kind_memo {
  struct fs_known_kind {
    struct fs_kind kind;
    bool used;
    int exact, table;       /* tables + 1: its own, the one to take          */
  } kinds[256];
  struct fs_known_factor {
    float at[7];            /* FS_KIND_DIMS                                  */
    int table;              /* + 1; 0: nothing yet                           */
    double factor;
  } factors[1024];
  struct fs_near {          /* the points of a table that are near in two dimensions  */
    int table, n;           /* + 1; 0: nothing yet                           */
    float at[2];
    struct { float distance; int point; } points[384]; /* in those two       */
  } near[16];
  double working_set;       /* the last one, and where it lies             */
  struct fs_between at;
  struct fs_known_log {     /* of each dimension, the last one that was asked for */
    float of, log;
  } logs[7];
};
/* The same, the sooner for what is in the memo. */
struct fs_prediction fs_predict_by(struct fs_kind_memo *memo, const struct fs_work *work,
                                   const struct fs_device *device);
/* Whether kernels of its kind were measured on this device or another of its model, with
 * several settings. */
bool fs_predict_knows_by(struct fs_kind_memo *memo, const struct fs_work *work,
                         const struct fs_device *device);

/* Seconds of which it comes, before kinds of kernels correct them. No library call; memo or NULL */
struct fs_parts {
  double launch, sync, delay, trips, late, theirs; /* of all phases; of FS_TM_LATE, theirs: share */
  double move[FS_WORK_PHASES], compute[FS_WORK_PHASES];
};
struct fs_parts fs_predict_parts(struct fs_kind_memo *memo, const struct fs_work *work,
                                 const struct fs_calibration *calibration);

/* How much longer the first kernel of a block takes: the device has waited for it. */
double fs_predict_start(const struct fs_device *device);
/* What a launch behind another one takes before and after its work, and a barrier over
 * its blocks; seconds. */
double fs_predict_launch(const struct fs_device *device);
double fs_predict_barrier(const struct fs_device *device);

/* The least seconds for what limits such a kernel (`bound`, of its prediction): "memory", its bytes
 * at the peak rate of memory, or of the caches that hold the data; "compute", its operations,
 * with nothing in their way. 0: none, where launches and synchronisation are what takes long. */
double fs_predict_limit(const struct fs_work *work, const char *bound,
                        const struct fs_device *device);

/* How good that is: "uncalibrated", "calibrated 2026-01-31". Lives as long as
 * the device's calibration. */
const char *fs_model_quality(const struct fs_device *device);
/* Seconds: what takes less than that is mostly clock, and waking threads up. The ratio of
 * such a time to a prediction says nothing of the model. */
double fs_model_grain(const struct fs_device *device);

#endif
