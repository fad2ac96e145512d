/* reason.h - why kernels end where they end, in the user's own statements. */
#ifndef FS_REASON_H
#define FS_REASON_H

#include "core/plan/plan.h"

/* One sentence on a rule that keeps two pieces of work apart ("level", "convex",
 * ...), about statements a and b, which are quoted. */
void fs_reason_put(const char *rule, const char *a, const char *b,
                   struct fs_str *out);

/* What kernel `index` has its statements share: arrays that are read once, values
 * that never leave the chip. Half a sentence. */
void fs_reason_put_shared(const struct fs_plan *plan, int index,
                          const struct fs_diags *sources, struct fs_str *out);
/* What its scheme means for it. Half a sentence. */
void fs_reason_put_scheme(const struct fs_plan *plan, int index,
                          struct fs_str *out);

/* Appends why kernel `index` does not share a kernel with an earlier one that it
 * reads from, or shares an array with. False, and nothing, if there is no such. */
bool fs_why_split(const struct fs_plan *plan, int index,
                  const struct fs_diags *sources, struct fs_str *out);

#endif
