/* sums.h - the least sums of one from each list, without making all of them. */
#ifndef FS_BASE_SUMS_H
#define FS_BASE_SUMS_H

#include "core/base/base.h"

/* The k smallest sums of one cost of each of n lists (each ascending, of lens[] costs), in
 * order; ties in the order of the indices. index[] gets n indices for each. Gives how many. */
int fs_rank_sums(int n, const double *const *costs, const int *lens, int k,
                 double *sums, int *index);

#endif
