/* address.h - where an element lies, and by which axes elements are counted. */
#ifndef FS_LOWER_ADDRESS_H
#define FS_LOWER_ADDRESS_H

#include "core/kernel/kernel.h"

/* The axes by which elements are counted: i0, i1 ... and j0, j1 ..., outer ones first in
 * dim[]. There is an inner one at least; what is no axis has an extent of 1. */
struct fs_lp_axes {
  int n_outer, n_inner;
  int64_t dim[FS_MAX_RANK + 1];
};
struct fs_lp_axes fs_lp_axes_of(const struct fs_space *space);

#endif
