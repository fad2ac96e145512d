/* region.h - regions (core/graph/region.h) on the CPU target: walked step by step over lanes,
 * each step by the routine of its operation, under a mask of the lanes that are there.
 *
 * Where few lanes of a strip are left in a loop, they are put side by side. */
#ifndef FS_CPU_REGION_H
#define FS_CPU_REGION_H

#include "core/graph/user.h"
#include "elemlib/cpu/routines.h"

/* Operand k, in[k], is a strip of n numbers, or one where bit k of `one` is set; of a table
 * where its first element lies, and stride[k] how far apart they are. When fs_interrupted(),
 * loops end, and the result means nothing. */
void fs_region_run(const struct fs_region *r, const struct fs_routines *routines, void *out,
                   const void *const *in, const int64_t *stride, unsigned one, int64_t n);
/* What a region came to for one lane: several functions that are results of the same region run
 * it once, as long as their operands are the same and nothing writes its tables. */
struct fs_region_lane {
  const struct fs_region *region; /* NULL: none yet */
  const void *table[FS_USER_ARGS];
  char in[FS_USER_ARGS][8], value[FS_REGION_REGISTERS][8];
};
void fs_region_run_lane(struct fs_region_lane *lane, const struct fs_region *r,
                        const struct fs_routines *routines, void *out, const void *const *in,
                        const int64_t *stride);
/* Whether there is a routine for each of its steps. */
bool fs_region_runs(const struct fs_region *r, const struct fs_routines *routines);

#endif
