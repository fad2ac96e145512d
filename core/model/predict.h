/* predict.h - the predicted time of a kernel.
 *
 * Filipovic et al., section 4.2: the time of a kernel is the larger of its
 * transfers and its computation, each summed over its routines, plus launch and
 * synchronisation. Without a calibration the terms come from the attributes of
 * the device: bytes over bandwidth, operations over peak rate. */
#ifndef FS_PREDICT_H
#define FS_PREDICT_H

#include "core/model/device.h"

/* What a kernel does, in numbers; plan/ counts them. */
struct fs_work {
  double bytes_read, bytes_written; /* distinct bytes, each once           */
  double bytes_extra;       /* read again because the chip cannot hold them  */
  double bytes_strided;     /* of the above: reached against the grain       */
  double flops;             /* f32 additions, multiplications              */
  double special;           /* exp, log, sin, division ...                 */
  double parallel;          /* independent pieces of work                  */
  double working_set;       /* bytes touched: cached or not                */
  bool grid_barrier;        /* an FS_END phase over a vector               */
  bool general_index;       /* div and mod per access                      */
  bool tiled;               /* the tile scheme                             */
};

struct fs_prediction {
  double seconds;
  const char *bound;        /* "memory", "compute", "launch"               */
};

struct fs_prediction fs_predict(const struct fs_work *work,
                                const struct fs_device *device);

#endif
