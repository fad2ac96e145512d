/* body.h - the body of a region (core/graph/region.h) with those of its results that a kernel
 * wants: interpreted (region.h), or as machine code. */
#ifndef FS_CPU_BODY_H
#define FS_CPU_BODY_H

#include "core/device/cpu/region.h"

struct fs_body {
  const struct fs_region *region;     /* a copy */
  int n_results, results[FS_BODY_RESULTS]; /* registers */
  int users;
};

/* The body of a region with these results; fs_body_drop() gives it back (NULL: nothing). */
struct fs_body *fs_body_get(const struct fs_region *r, int n_results, const int *results);
void fs_body_drop(struct fs_body *b);
/* Any number of threads. */
void fs_body_run(const struct fs_body *b, const struct fs_region_call *c);

#endif
