/* rule.c - see rule.h; the names of strategies, too. */
#include "core/plan/calls/rule.h"

#include "core/plan/calls/options.h"

const char *const fs_strategy_names[] = {
  [FS_SMART] = "smart", [FS_MIN_SYNC] = "minsync",
  [FS_MIN_MEMORY] = "minmemory", [FS_NO_REORDER] = "noreorder",
  [FS_MANUAL] = "manual", [FS_FUSE_OFF] = "off"};

const char *const fs_rule_names[FS_RULE_COUNT] = {
  [FS_RULE_NONE] = "", [FS_RULE_LEVEL] = "level",
  [FS_RULE_CONVEX] = "convex", [FS_RULE_SHAPE] = "shape",
  [FS_RULE_ON_CHIP] = "on-chip", [FS_RULE_LIBRARY] = "library",
  [FS_RULE_ROUTINE] = "routine",
  [FS_RULE_BARRIER] = "barrier", [FS_RULE_ORDER] = "order",
  [FS_RULE_PIN] = "pin", [FS_RULE_APART] = "apart",
  [FS_RULE_DOMINATED] = "dominated", [FS_RULE_PRICE] = "price",
  [FS_RULE_LIMIT] = "limit", [FS_RULE_OFF] = "off"};
