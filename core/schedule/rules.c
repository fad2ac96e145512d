/* rules.c - the table of the numbers that experiment decides (rules.def). */
#include "core/schedule/schedule.h"

const struct fs_schedule_rule fs_schedule_rules[FS_SCHEDULE_NUMBERS] = {
#define RULE(name, value, what, ...) {#name, value, what, __VA_ARGS__},
#include "core/schedule/rules.def"
#undef RULE
};
