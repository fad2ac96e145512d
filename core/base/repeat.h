/* repeat.h - what comes again in a sequence. */
#ifndef FS_BASE_REPEAT_H
#define FS_BASE_REPEAT_H

#include "core/base/base.h"

/* So many groups of `period` members from `begin` on that are the same, each in some order. */
struct fs_repeat {
  int begin, period, count;
};

/* The groups at or behind `from` that have the most members of form[0..n), of as many the
 * smallest groups: at most `most` members each, and at least `few` groups. False: there are
 * none. Groups are told apart by the sums of their members' hashes. */
bool fs_find_repeat(const uint64_t *form, int from, int n, int most, int few,
                    struct fs_repeat *out);

#endif
