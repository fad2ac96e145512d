/* address.h - where an element lies, and by which axes elements are counted. */
#ifndef FS_LOWER_ADDRESS_H
#define FS_LOWER_ADDRESS_H

#include "core/kernel/kernel.h"

/* The axes by which elements are counted: i0, i1 ... and j0, j1 ..., outer ones first in
 * dim[]; an only one is i, or j. There is an inner one at least; what is no axis has an
 * extent of 1. */
struct fs_lp_axes {
  int n_outer, n_inner;
  int64_t dim[FS_MAX_RANK + 1];
};
struct fs_lp_axes fs_lp_axes_of(const struct fs_space *space);

/* A sum of numbers times indices, in this order. An index is what stands in the program: an
 * axis, the variable of a loop, what a list says, and with 1 the array itself. NULL is 1.
 * 0 times anything is left out.
 *   {{"a0", 1}, {"i", 96}, {"j", 1}, {NULL, 5}}      a0 + i * 96 + j + 5 */
enum { FS_LP_TERMS = FS_MAX_RANK + 4 };
struct fs_lp_term {
  const char *index;
  int64_t times;
};
struct fs_lp_address {
  struct fs_lp_term term[FS_LP_TERMS];
};
#define FS_LP_AT(...) (&(const struct fs_lp_address){{__VA_ARGS__}})
/* Adds a term behind the others. */
void fs_lp_add_term(struct fs_lp_address *a, const char *index, int64_t times);
/* ... and one for each axis that has more than one element. */
void fs_lp_add_axes(struct fs_lp_address *a, const struct fs_lp_axes *axes,
                    const int64_t *stride);
bool fs_lp_is_nothing(const struct fs_lp_address *a);

#endif
