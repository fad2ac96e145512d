/* region.h - a region (core/graph/region.h) as a function of CUDA C. */
#ifndef FS_EMIT_REGION_H
#define FS_EMIT_REGION_H

#include "core/graph/user.h"

/* Appends `T fs_user_<hash>(operands)` of a function that has a region. */
void fs_region_put_cuda(const struct fs_user *u, struct fs_str *out);

/* x, of one type, as another: floats outside of the integers' range saturate, NaN is 0 as an
 * int and the smallest long long. Halves are what they are computed in. */
void fs_cast_put_cuda(enum fs_dtype to, enum fs_dtype from, const char *x, struct fs_str *out);

#endif
