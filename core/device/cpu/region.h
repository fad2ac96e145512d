/* region.h - regions (core/graph/region.h) on the CPU target: walked step by step over lanes,
 * each step by the routine of its operation, under a mask of the lanes that are there.
 *
 * Where few lanes of a strip are left in a loop, they are put side by side. */
#ifndef FS_CPU_REGION_H
#define FS_CPU_REGION_H

#include "core/graph/user.h"
#include "elemlib/cpu/routines.h"

enum { FS_BODY_RESULTS = 16 };

/* Operand k, in[k], is a strip of n numbers, or one where bit k of `one` is set; of a table
 * where its first element lies, and stride[k] how far apart they are. out[k]: the strip of the
 * k-th result. When fs_interrupted(), loops end, and the results mean nothing. */
struct fs_region_call {
  const struct fs_routines *routines;
  void *out[FS_BODY_RESULTS];
  const void *in[FS_USER_ARGS];
  int64_t stride[FS_USER_ARGS], n;
  unsigned one;
};
void fs_region_run(const struct fs_region *r, int n_results, const int *results,
                   const struct fs_region_call *c);
/* Whether there is a routine for each of its steps. */
bool fs_region_runs(const struct fs_region *r, const struct fs_routines *routines);

#endif
