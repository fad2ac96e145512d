/* rule.h - the rules that keep calls apart, and their names. */
#ifndef FS_RULE_H
#define FS_RULE_H

/* What forbids or discards a fusion, an implementation or a combination. */
enum fs_rule {
#define FS_RULE(id, ...) FS_RULE_##id,
#include "core/plan/calls/words.def"
  FS_RULE_COUNT
};
extern const char *const fs_rule_names[FS_RULE_COUNT]; /* "level", "convex" ... */

#endif
