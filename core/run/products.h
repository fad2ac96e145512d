/* products.h - whether products of batches of small matrices are routines, which fuse, or calls of a
 * library: what the block takes by prediction decides. */
#ifndef FS_PRODUCTS_H
#define FS_PRODUCTS_H

#include "core/plan/calls/options.h"
#include "core/graph/graph.h"
#include "core/model/device.h"

/* What was found of graphs: which of their kinds of products are calls, as bits. */
enum { FS_PRODUCTS = 64 };
struct fs_products {
  struct { uint64_t hash; unsigned calls; } place[FS_PRODUCTS]; /* by hash; the last comer has it */
};

/* A simplified graph (kept), or in its place one whose products of some sizes are calls of a
 * library, if the plan of that is to take less. The first time that a graph comes it is planned
 * once for each size that it has products of, at most four, and once more. */
struct fs_graph *fs_products_choose(struct fs_products *known, struct fs_graph *simplified,
                                    const struct fs_device *device,
                                    const struct fs_plan_options *options);

#endif
