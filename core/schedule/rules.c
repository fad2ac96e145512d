/* rules.c - the table of the numbers that experiment decides (rules.def). */
#include "core/schedule/schedule.h"

const struct fs_schedule_rule fs_schedule_rules[FS_SCHEDULE_NUMBERS] = {
#define RULE(name, value, what, ...) {#name, value, what, __VA_ARGS__},
#include "core/schedule/rules.def"
#undef RULE
};

static double tried[FS_SCHEDULE_NUMBERS];

double fs_schedule_share(enum fs_schedule_number n) {
  return tried[n] > 0 ? tried[n] : fs_schedule_rules[n].value;
}

void fs_schedule_try(enum fs_schedule_number n, double value) { tried[n] = value; }
