/* random_block.h - random blocks over a grid of shapes: chains of elementwise operations,
 * products of matrix and vector both ways, outer products, sums over rows and columns,
 * scalars that come back, with operands that earlier statements made. */
#ifndef FS_BENCH_RANDOM_BLOCK_H
#define FS_BENCH_RANDOM_BLOCK_H

#include "core/base/base.h"

struct random_block {
  long m, n;            /* the matrices are m x n                         */
  char setup[256];      /* makes its operands                             */
  struct fs_str text;   /* two to eight statements; the caller's to free  */
};

/* Block `number`, the same each time; its sides are multiplied by `scale`. */
void bench_random_block(unsigned number, double scale, struct random_block *out);

#endif
