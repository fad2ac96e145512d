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

/* Whether kernels of its kind were measured on this device or another of its model, with
 * several settings. */
bool fs_predict_knows(const struct fs_work *work, const struct fs_device *device);

/* How much longer the first kernel of a block takes: the device has waited for it. */
double fs_predict_start(const struct fs_device *device);
/* What a launch behind another one takes before and after its work, and a barrier over
 * its blocks; seconds. */
double fs_predict_launch(const struct fs_device *device);
double fs_predict_barrier(const struct fs_device *device);

/* How good that is: "uncalibrated", "calibrated 2026-01-31". Lives as long as
 * the device's calibration. */
const char *fs_model_quality(const struct fs_device *device);

#endif
