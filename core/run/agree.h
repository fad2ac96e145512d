/* agree.h - whether plans of one block give the same, and how far that is from f64. */
#ifndef FS_AGREE_H
#define FS_AGREE_H

#include "core/run/run.h"

struct fs_agreement {
  bool compared;           /* else there was no memory for it, or it did not run */
  int64_t elements;        /* of all results ... */
  int64_t differ;          /* ... those whose bits are not those of the first plan; NaN is NaN */
  bool has_error;          /* the block was computed in f64 as well, and it has floats */
  double error;            /* the largest |x - y| for y in f64, in shares of the largest finite
                              |y| of the same result; infinite where one alone is a number */
};

/* Whether the results may differ from those in f64: it has shorter floats. */
bool fs_agree_has_error(const struct fs_graph *g);

/* Runs n plans of a block that has run once more, in scratch storage, and compares their results
 * with those of the first, and with what the block gives without fusion in f64 (of the same
 * inputs, fs_graph_in_double()). Gives FS_OK also where some could not be compared. */
enum fs_status fs_agree(struct fs_runner *r, const struct fs_block *block,
                        struct fs_block *const *plans, int n, const struct fs_diags *sources,
                        struct fs_agreement *out, struct fs_diags *d);

#endif
