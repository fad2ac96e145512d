/* harness.h - what the programs of bench/ share that look into the planner: one
 * device, one interpreter, and the block that was run last. */
#ifndef FS_BENCH_HARNESS_H
#define FS_BENCH_HARNESS_H

#include <jansson.h>

#include "core/eval/eval.h"
#include "core/plan/plan.h"
#include "core/run/search.h"

struct harness {
  struct fs_diags diags;
  struct fs_target *target;
  struct fs_calibration *calibration; /* of `fusible :calibrate`, or NULL */
  struct fs_runner *runner;
  struct fs_interp *in;
  struct fs_block *block;   /* of the last evaluation, or NULL */
};

/* Opens "cpu" or "cuda" with its calibration, if there is one; false after a line
 * on stderr. Results of :tune are left out. */
bool harness_open(struct harness *h, const char *target);
void harness_close(struct harness *h);
/* Between rounds whose middle counts: what others take of a shared machine changes within
 * seconds, and rounds that follow at once are one. */
void harness_wait(void);

/* Runs a text as one block and waits; false after its messages on stderr. */
bool harness_run(struct harness *h, const char *text);
/* {"device", "quality", "command", "rows"} to a file; rows is borrowed. */
void harness_save(struct harness *h, const char *path, const char *command,
                  json_t *rows);

#endif
