/* reason.h - why kernels end where they end, in the user's own statements. */
#ifndef FS_REASON_H
#define FS_REASON_H

#include "core/plan/plan.h"

/* One sentence, without its full stop, on a rule that keeps nodes a
 * and b of the plan's graph apart, a before b: their statements in backquotes, what
 * stands between them, and what they go over. */
void fs_reason_tell(const struct fs_plan *plan, enum fs_rule rule, fs_id a,
                    fs_id b, const struct fs_diags *sources,
                    struct fs_str *out);
/* The same where it is known which call c stands between them (0: none). */
void fs_reason_tell_between(const struct fs_plan *plan, enum fs_rule rule,
                            fs_id a, fs_id b, fs_id c,
                            const struct fs_diags *sources,
                            struct fs_str *out);
/* Whether the rule is the user's own wish, and not what kernels can do. */
bool fs_reason_is_wish(enum fs_rule rule);

/* What kernel `index` has its statements share: arrays that are read once, values
 * that never leave the chip. Half a sentence. */
void fs_reason_put_shared(const struct fs_plan *plan, int index,
                          const struct fs_diags *sources, struct fs_str *out);
/* What its scheme means for it. Half a sentence. */
void fs_reason_put_scheme(const struct fs_plan *plan, int index,
                          struct fs_str *out);

/* How often a kernel goes over the elements of its rows; 0 for library calls. */
int fs_kernel_sweeps(const struct fs_kernel *k);
/* What lies in a slot, to be compared only: an input may be read through several
 * slots (A and A'). */
const void *fs_slot_storage(const struct fs_plan *plan, int slot);

/* 2: the later kernel uses what the earlier one writes; 1: both read an array, or the
 * later one writes what the earlier one reads; 0: they have nothing in common. */
int fs_kernel_tie(const struct fs_plan *plan, const struct fs_kernel *earlier,
                  const struct fs_kernel *later);

/* Appends why kernel `index` does not share a kernel with an earlier one that it
 * reads from, or shares an array with. False, and nothing, if there is no such. */
bool fs_why_split(const struct fs_plan *plan, int index,
                  const struct fs_diags *sources, struct fs_str *out);

#endif
