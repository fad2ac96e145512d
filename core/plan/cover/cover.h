/* cover.h - which fusions to take: the search, by the cost of sets of clusters and by what
 * forbids them.
 *
 *   clusters -fs_plan_candidates()-> candidates -fs_plan_combine()-> combinations
 *
 * Costs are seconds. Nothing fails; while fs_interrupted() the search ends. */
#ifndef FS_COVER_H
#define FS_COVER_H

#include "core/plan/cover/counts.h"
#include "core/plan/cover/set.h"
#include "core/plan/kernels/kernels.h"

/* A fusion (or a cluster alone) with its implementations, best first. */
struct fs_candidate {
  struct fs_set set;
  int first, n;               /* in fs_fusions.impls                            */
  int ways;                   /* ... and how many with their variants        */
  double seconds;             /* of the best                                 */
  double temporary;           /* bytes that it stores which the block does not
                                 give                                        */
};
/* Which implementation of which candidate, for each kernel in launch order. */
struct fs_pick {
  int candidate, impl;        /* indices into fs_fusions.candidates and .impls */
  int variant;
};

struct fs_combination {
  double cost;
  int n;
  struct fs_pick *picks;      /* in the arena                                */
};

/* The fusions of a block, window by window. */
struct fs_fusions {
  const struct fs_calls *calls;        /* borrowed, as the next three are    */
  struct fs_maker *maker;
  const struct fs_graph *g;
  const struct fs_plan_options *options;
  struct fs_arena *arena;
  int begin, end;                      /* the window: clusters that are planned together */
  struct fs_set *reach;                /* per cluster of the window: later ones
                                          that depend on it                  */
  struct fs_set *needs;                /* ... earlier ones that it depends on */
  struct fs_set *next_to;              /* ... those it shares data with      */
  FS_VEC(struct fs_candidate) candidates; /* every cluster alone comes first */
  fs_impl_list impls;
  struct fs_pin_result *pins;          /* per pin of the options             */
  struct fs_set *held;                 /* ... what `:fuse` holds together    */
  int pins_taken;                      /* so many of them count in the window:
                                          earlier ones forbid later ones     */
  struct fs_set *pinned;               /* per pinned kernel: its clusters, or none */
  FS_VEC(struct fs_rejection) rejections;
  struct fs_space_counts space;        /* but for what the maker counts      */
  bool as_phases;                      /* kernels are priced as phases of a launch
                                          that others are in, too            */
  bool by_prices;                      /* ... and both ways plans are looked for */
  const struct fs_set *alone;          /* of a part of a window: fuse with none; or NULL */
  bool hurried;                        /* no effort is left to look for more than that */
  int *sketched[2], n_sketched[2];     /* a cover that fuse.c found, by as_phases:
                                          candidates                         */
  double *worth[2];                    /* ... per cluster of the window, what the last
                                          relaxation said that it is worth; or NULL */
};

/* Of all clusters; the window is the caller's to set. */
void fs_fusions_open(struct fs_fusions *p, struct fs_maker *maker);
void fs_fusions_close(struct fs_fusions *p);

/* The window's candidates: every cluster alone and the fusions of them that are looked at.
 * False if a cluster alone has no kernel (its axes conflict). */
bool fs_plan_candidates(struct fs_fusions *p);
/* How many combinations of them there are, into the counts. */
void fs_plan_count(struct fs_fusions *p);
/* Up to k combinations of the candidates that cover each cluster of the window once, cheapest
 * first, by as_phases; list[] is filled, how many is given (at least one, but for pins that
 * contradict each other). */
int fs_plan_combine(struct fs_fusions *p, int k, struct fs_combination *list);
/* The calls of a set, ascending, in the arena. Gives how many. */
int fs_plan_members(struct fs_fusions *p, const struct fs_set *s, fs_id **out);

#endif
