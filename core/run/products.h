/* products.h - whether products are calls of a library or fuse with what is around them, and so
 * Fourier transforms of short lines: products of
 * batches of small matrices as routines, those with a short inner extent as sums of maps, those
 * with few columns or rows as sums for each; and whether squares about a mean are summed up in
 * the pass that makes the mean. What the block takes by prediction decides. */
#ifndef FS_PRODUCTS_H
#define FS_PRODUCTS_H

#include "core/plan/calls/options.h"
#include "core/graph/graph.h"
#include "core/model/device.h"

/* What was found of graphs: which of their kinds of small products are calls, and which of the
 * products that could be are maps, and which kinds of Fourier transforms are routines, as bits. */
enum { FS_PRODUCTS = 64 };
struct fs_product_choice {
  uint64_t hash;
  unsigned calls, maps, lines;
};
struct fs_products {
  struct fs_product_choice place[FS_PRODUCTS]; /* by hash; the last comer has it */
};

/* A simplified graph (kept), or in its place one whose products of some sizes are calls of a
 * library, or are no more, if the plan of that is to take less. The first time that a graph comes it
 * is planned once for each size that it has small products of, and for each product that could be
 * maps or sums, at most four of both, and once more. */
struct fs_graph *fs_products_choose(struct fs_products *known, struct fs_graph *simplified,
                                    const struct fs_device *device,
                                    const struct fs_plan_options *options);

#endif
