/* sizes.h - what of a block is a matter of sizes: so that a list of statements whose slices
 * move with a counter can run as the block of another round, once its numbers are those of
 * this one (eval/moving.c). */
#ifndef FS_SIZES_H
#define FS_SIZES_H

#include "core/run/run.h"

/* A number of a block that sizes and places of slices decide. */
struct fs_size {
  int64_t *at;        /* in the block's graph or plan                          */
  int kernel;         /* whose code goes by it; -1: none's                     */
  bool extent;        /* of an axis: below 2 the block would be another one    */
};
typedef FS_VEC(struct fs_size) fs_size_list;

struct fs_sizes {
  fs_signature fixed; /* all else that tells the block: blocks in which this is the same
                         differ in the numbers alone                           */
  fs_size_list numbers;
  FS_VEC(double *) amounts; /* what is shown of it: bytes, seconds             */
};

/* Adds what the block has; false: it goes by more than that, or its target makes code of
 * sizes. The places are the block's, for as long as it lives. */
bool fs_block_sizes(const struct fs_runner *r, struct fs_block *b, struct fs_sizes *out);
void fs_sizes_free(struct fs_sizes *s);

/* Once numbers of a claimed block were changed: what follows from them, and code for the
 * first n kernels where they are marked. What is read and replaced of an array must lie to
 * each other as before, along each axis: so what is apart, or happens in place, stays so. */
enum fs_status fs_run_resized(struct fs_runner *r, struct fs_block *b, const bool *kernels,
                              int n, struct fs_diags *d);

#endif
