/* rule.c - the names of rules and of strategies. */
#include "core/plan/calls/rule.h"

#include "core/plan/calls/options.h"

const char *const fs_strategy_names[] = {
#define FS_STRATEGY(id, name, ...) name,
#include "core/plan/calls/words.def"
};

const char *const fs_rule_names[FS_RULE_COUNT] = {
#define FS_RULE(id, name, ...) name,
#include "core/plan/calls/words.def"
};
