/* scratch.h - plans of a block that has run, run again beside it.
 *
 * They read the block's own inputs as they are now and write to scratch storage, so no value of
 * the user changes; random numbers are drawn again from the same counters, and an update is made
 * in a copy. An input that nobody holds any more is stood in for by storage of its size with
 * harmless numbers. */
#ifndef FS_SCRATCH_H
#define FS_SCRATCH_H

#include "core/run/run.h"

struct fs_scratch {
  struct fs_target *target;     /* borrowed */
  const struct fs_block *block; /* borrowed: its last run is the one whose inputs are read */
  struct fs_storage **inputs;   /* per graph input; references */
  bool stand_ins;               /* some input was not there any more */
  struct fs_timer *counter;     /* borrowed: of kernel `counted`; NULL: nothing is counted */
  int counted;
};

/* FS_ERR_USER where the block depends on numbers that are gone. In any case it must be
 * closed. */
enum fs_status fs_scratch_open(struct fs_scratch *s, struct fs_target *target,
                               const struct fs_block *block, struct fs_diags *d);
void fs_scratch_close(struct fs_scratch *s);

/* Runs a plan of the block, or of a graph with the same inputs in the same slots, once, and waits.
 * each[] (or NULL) gets the seconds of its kernels; 0: a phase of the launch before. results[]
 * (or NULL), a tensor for each output of its graph, over its squeezed shape: one reference each. */
enum fs_status fs_scratch_run(struct fs_scratch *s, struct fs_block *b, double *each,
                              struct fs_tensor **results, struct fs_diags *d);

#endif
