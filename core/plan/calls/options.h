/* options.h - what is wanted of a plan: strategy, pins, how long to look. / */
#ifndef FS_PLAN_OPTIONS_H
#define FS_PLAN_OPTIONS_H

#include "core/graph/graph.h"
#include "core/kernel/tuning.h"
#include "core/plan/calls/rule.h"

enum fs_strategy {
#define FS_STRATEGY(id, ...) FS_##id,
#include "core/plan/calls/words.def"
};
extern const char *const fs_strategy_names[]; /* "smart", "minsync" ... */

struct fs_pin {             /* a pair of nodes that the user pinned        */
  fs_id a, b;               /* of the simplified graph                     */
  bool together;            /* `:fuse a b`; false: `:split a b`            */
  int tag;                  /* the caller's number of it                   */
};

/* What became of it. */
struct fs_pin_result {
  struct fs_pin pin;
  enum fs_rule rule;        /* FS_RULE_NONE: kept; else what forbids it    */
  fs_id a, b;               /* the pair of calls that decides              */
  fs_id between;            /* "convex": the call between that cannot be in
                               the kernel, and why; else 0                 */
  enum fs_rule between_rule;
};

/* What tells the ways to run a kernel from each other, as users are told of it: scheme, rows of the
 * index space, routine of a function of theirs, and what struct fs_tuning has. */
enum {
  FS_TRAIT_SCHEME = 0, FS_TRAIT_ROWS, FS_TRAIT_WALK, FS_TRAIT_ROUTINE, FS_TRAIT_TUNING,
  FS_TRAITS = FS_TRAIT_TUNING + FS_TUNING_ROWS
};
/* "scheme", "rows", "routine", "threads" ... */
const char *fs_trait_name(int trait);

/* `:pin`: the kernel of these calls, and what is to be of how it runs. */
struct fs_kernel_pin {
  const fs_id *calls;       /* ascending, of the simplified graph; borrowed */
  int n_calls;
  int64_t value[FS_TRAITS]; /* FS_TRAIT_SCHEME: an fs_scheme; -1: any       */
};
static inline bool fs_pin_has_call(const struct fs_kernel_pin *pin, fs_id id) {
  for (int c = 0; c < pin->n_calls; c++)
    if (pin->calls[c] == id) return true;
  return false;
}

struct fs_plan;
struct fs_plan_options {
  enum fs_strategy strategy;
  const struct fs_pin *pins;  /* borrowed */
  int n_pins;
  const struct fs_kernel_pin *kernel_pins; /* borrowed; at most one of a kernel */
  int n_kernel_pins;
  int effort;                 /* counted milliseconds that planning may take at most; 0: as
                                 long as pays, and 100 at most              */
  bool variants;              /* list other settings of threads and iterations
                                 as combinations of their own, each a little
                                 behind the first                           */
  bool apart;                 /* each kernel has a launch of its own, to be
                                 measured alone                             */
  bool any_size;              /* CUDA: of blocks whose sizes change from round to round
                                 of a loop. Kernels have settings that depend on sizes
                                 as little as can be, so that few texts, whose sizes
                                 are arguments, serve all                   */
  const struct fs_plan *like; /* borrowed; NULL, or a plan by the same options of a graph
                                 that differs in sizes alone: its kernels serve where
                                 they can, without a search                 */
  const char *choice;         /* borrowed; NULL, or the fs_plan.choice of a
                                 combination to take (from the tuning store);
                                 what does not fit the block is ignored     */
};

#endif
