/* short_ways.h - operations that have a short way (elemlib/cuda/quick.cuh, quick_f64.cuh,
 * quick_bf16.cuh, quick_pairs.cuh): code for almost all operands, which says of the others that
 * they are rare. */
#ifndef FS_KERNEL_SHORT_WAYS_H
#define FS_KERNEL_SHORT_WAYS_H

#include "core/kernel/kernel.h"

/* How operands are computed: f16 as f32 is; two of bf16. */
enum fs_way { FS_WAY_F32, FS_WAY_BF16, FS_WAY_F64, FS_WAY_PAIR, FS_WAYS };

/* CUDA C patterns, as in core/graph/ops.def. NULL: as there, and of a pair as of its halves. */
struct fs_ways {
  int op;
  const char *quick[FS_WAYS]; /* the short way                                   */
  const char *any[FS_WAYS];   /* what stands where an operand may be any         */
};
/* NULL: the operation has none. */
const struct fs_ways *fs_ways_of(int op);
/* The operation's pattern; the short way, or NULL where there is none. */
const char *fs_long_way(int op, enum fs_dtype dtype);
const char *fs_short_way(int op, enum fs_dtype dtype);

#endif
