/* describe.h - a plan as the JSON of its event, from which every view is drawn. */
#ifndef FS_DESCRIBE_H
#define FS_DESCRIBE_H

#include <jansson.h>

#include "core/base/times.h"
#include "core/run/run.h"

/* {"event":"plan",...} of a plan (docs/events.md), without "id", "block" and what
 * was measured. Given: the caller decrefs. */
json_t *fs_plan_event(const struct fs_plan *plan, const struct fs_diags *sources,
                      struct fs_target *target);

/* The same of a block that ran, which keeps the description for the next time.
 * predicted: seconds of each kernel as they were shown when it ran, of all, and of all
 * without fusion (not a number: as the plan has it). */
json_t *fs_block_event(struct fs_block *block, bool cached,
                       const double *predicted, double predicted_all, double unfused,
                       const struct fs_diags *sources,
                       struct fs_target *target);

/* What is known when a block has run, once or as often as an input had it run. */
struct fs_measured {
  const double *times;           /* seconds of each kernel in one run; < 0: not measured */
  const struct fs_times *series;/* of whole runs that were timed; NULL: one run's `times` */
  int64_t runs;
  bool quick;                    /* of quickly compiled code: no ratio follows */
  const char *loops;             /* how loops ran, struct fs_target_ops; "": none */
  const char *arithmetic;        /* fs_target_arithmetic(); NULL or "": as ever */
  bool cold;                     /* no run but cold ones: no ratio either      */
  double grain;                  /* fs_model_grain(): below it no ratio        */
};

/* Puts it into an event with all that follows from it. */
void fs_plan_event_measured(json_t *event, const struct fs_measured *m);

/* How a GPU walks a kernel, what `:tune` varies: {"threads": 256, ...}; null on the
 * CPU and for library calls (tune NULL). */
struct fs_tuning;
json_t *fs_setting_object(const struct fs_device *device, const struct fs_tuning *tune);

/* A JSON string of any bytes: control characters and bad UTF-8 as escapes. */
json_t *fs_json_text(const char *text, size_t len);
/* A number; null for what is not known (not finite, or negative). */
json_t *fs_json_known(double x);
/* [2, 3] */
json_t *fs_json_shape(const struct fs_shape *shape);
/* The same of bytes, which are whole: 480000, not 480000.0. */
json_t *fs_json_bytes(double x);

#endif
