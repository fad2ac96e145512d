/* border.h - A[i; mirror]: what stands for places outside of an array. */
#ifndef FS_BORDER_H
#define FS_BORDER_H

#include "core/eval/trace.h"
#include "core/lang/ast.h"

/* The place, from 1 to n > 0, that stands for the place x; of ZEROS the nearest one, whose element
 * nobody takes. |x| is at most 2^53. */
int64_t fs_border_place(enum fs_border b, int64_t x, int64_t n);
/* The same of every element of a list of whole numbers, in i64; of floats, in f64, those stay
 * fractions and NaN that are. */
struct fs_tv fs_border_places(struct fs_interp *in, enum fs_border b, struct fs_tv list, int64_t n);
/* Where a list is inside: bool. */
struct fs_tv fs_border_inside(struct fs_interp *in, struct fs_tv list, int64_t n);

#endif
