/* counts.h - what the search found, for those that show it. */
#ifndef FS_COVER_COUNTS_H
#define FS_COVER_COUNTS_H

#include "core/graph/graph.h"
#include "core/plan/calls/rule.h"

struct fs_rejection {       /* why two calls do not share a kernel         */
  fs_id a, b;
  enum fs_rule rule;
};

/* The space that was looked at. */
struct fs_space_counts {
  int64_t fusions;          /* sets of calls that were tried               */
  int64_t legal;            /* ... of which some kernel exists             */
  int64_t implementations;  /* kernels made of them: division of axes,
                               scheme, order, threads, iterations          */
  int64_t kept;             /* ... that no other one dominates             */
  double combinations;      /* ways to cover every call once by kept ones  */
  bool combinations_exact;  /* false: there are about so many              */
  bool combinations_more;   /* the count has ended: there are more         */
  int64_t priced;           /* calls in the sets that kernels were looked for: what planning
                               may take is counted by them (fuse.c)        */
  int listed;               /* combinations ranked by predicted time       */
  int64_t steps;            /* of the search for them (search.c, ideal.c)  */
  int64_t pruned[FS_RULE_COUNT]; /* fusions (level ... limit) and
                               implementations (dominated) left out        */
};

#endif
