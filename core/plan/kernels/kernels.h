/* kernels.h - kernels made of calls: a function of calls and device.
 *
 *   calls -fs_kernel_survey()-> implementations -fs_kernel_make()-> a kernel
 *
 * Every division of the axes (axes.h) and every scheme in which the calls can be placed
 * (place.h) is an implementation, with its price. */
#ifndef FS_KERNELS_H
#define FS_KERNELS_H

#include "core/plan/calls/calls.h"
#include "core/plan/kernels/traits.h"

/* One way to make a fusion a kernel: fs_kernel_make() builds it. */
struct fs_impl {
  enum fs_scheme scheme;
  unsigned inner;             /* classes of axes that are inner ones, as bits;
                                 FS_INSTANCE: which of the routines          */
  int variant, variants;      /* of fs_tune_variants(), then of routines beside
                                 the cheapest (routine.c): the one of least time;
                                 how many there are                          */
  double each[FS_MAX_VARIANTS]; /* seconds of each                           */
  double seconds;             /* the least of them                           */
  double bytes, strided, flops, parallel; /* what it needs and offers, for    */
  int syncs;                              /* what dominates what             */
  unsigned barred;            /* variants that a pin does not want, as bits  */
};
typedef FS_VEC(struct fs_impl) fs_impl_list;

/* Makes the kernels of a block. What is below the options is its own business: counts,
 * memories and scratch. */
struct fs_maker {
  const struct fs_calls *calls;        /* borrowed, as the next three are    */
  const struct fs_graph *g;
  const struct fs_device *device;
  const struct fs_plan_options *options;
  bool keep_all;                       /* implementations that others dominate stay */
  int64_t implementations, dominated;  /* counted so far                     */
  struct fs_arena *arena;
  struct fs_kind_memo *memo;           /* of its predictions; NULL: none     */
  uint64_t *paths;                     /* axes.c: per cluster, those that a path leads
                                          from, as bits; NULL: nobody has asked yet */
  const struct fs_impl **alone;        /* per call that is a cluster: its best one, without
                                          pins; else NULL                    */
  FS_VEC(struct fs_made) made;         /* kernels, each but once             */
  int *made_of;                        /* per call: the last one that it is the first call of,
                                          + 1                                */
  /* per node; valid where *_stamp is the stamp */
  int *holder, *holder_stamp, *member_stamp;
  int stamp;
  /* per call: members of a group that use it, and the last such member, behind a base that
   * every group moves on; before it: none has yet */
  struct fs_inner_use { int64_t last; int count; } *inner;
  int64_t inner_base;
  struct fs_kernel scratch;            /* of fs_kernel_survey()              */
  struct fs_group *group;              /* ... and of fs_kernel_make(): place.h */
  struct fs_alike *alike;              /* alike.c                            */
  fs_step_list spare_steps;            /* place.c                            */
};

/* `many`: of so many kernels that predictions are worth a memory. Cannot fail. */
void fs_maker_open(struct fs_maker *p, const struct fs_calls *calls,
                   const struct fs_device *device, const struct fs_plan_options *options,
                   bool many);
void fs_maker_close(struct fs_maker *p);

/* All implementations of these calls (ascending) in one kernel. Appends those that no other one
 * dominates, best first. FS_RULE_NONE, or what forbids all: FS_RULE_LEVEL, SHAPE, "on-chip". */
enum fs_rule fs_kernel_survey(struct fs_maker *p, const fs_id *calls, int n, fs_impl_list *out);
/* The kernel itself, tuned. Accesses name graph nodes in `slot` until the slots
 * are numbered. Gives its parts: fs_kernel_free(). */
void fs_kernel_make(struct fs_maker *p, const fs_id *calls, int n,
                    const struct fs_impl *impl, struct fs_kernel *out);
/* The same, which makes each kernel but once. The calls stay where they are. */
void fs_kernel_get(struct fs_maker *p, const fs_id *calls, int n,
                   const struct fs_impl *impl, struct fs_kernel *out);
/* The same calls as a kernel of another plan, whose graph differs in sizes alone, in the
 * same way; false if these sizes do not let them, or it is of a user's routine. */
bool fs_kernel_make_like(struct fs_maker *p, const struct fs_kernel *like, struct fs_kernel *out);
/* The best implementation of a call alone, which may have been kept before; false: there is
 * none. */
bool fs_kernel_alone(struct fs_maker *p, fs_id call, struct fs_impl *out);
void fs_kernel_keep_alone(struct fs_maker *p, fs_id call, const struct fs_impl *impl);
/* A library call. */
void fs_kernel_library(struct fs_maker *p, fs_id node, struct fs_kernel *out);
/* copy.c: the kernels that copy the base of an UPDATE into its slot: one for all of it, or one for
 * each pair of slabs around the part that it replaces. Gives how many; the caller frees them. */
enum { FS_MOST_COPIES = 2 * FS_MAX_RANK };
int fs_kernel_copies(struct fs_maker *p, fs_id update, struct fs_kernel out[FS_MOST_COPIES]);

/* -- one kernel -- */

/* What a tuned kernel moves and computes, as amounts of the model's terms, `w` has the
 * totals already; what of that depends on kernel->tune. (work.c) */
void fs_kernel_count(const struct fs_kernel *k, const struct fs_device *d, struct fs_work *w);
void fs_kernel_count_tuning(const struct fs_kernel *k,
                            const struct fs_device *d, struct fs_work *w);
/* CPU: the block's first kernel that has work for more than one thread finds the
 * others asleep, those after it find them awake; so no kernel counts it, and the
 * plan that is complete counts it once. False if it has no work for others, or is done
 * before they would help: then it is to run alone. */
bool fs_kernel_wakes(struct fs_kernel *k, const struct fs_device *d);
/* Whether it is the one that counts it. */
bool fs_kernel_is_caller(const struct fs_kernel *k);

/* -- which settings are wanted -- */

/* The pin of the kernel of these calls (ascending), or NULL. */
const struct fs_kernel_pin *fs_plan_kernel_pin(const struct fs_maker *p,
                                               const fs_id *calls, int n);
/* Bars the variants of an implementation that the pin does not want and takes the
 * best of the others; false if none is left. `k` is it, in its first setting. */
bool fs_pin_restrict(struct fs_maker *p, const struct fs_kernel_pin *pin,
                     struct fs_kernel *k, struct fs_impl *impl);
/* The variants that no pin bars. */
int fs_impl_ways(const struct fs_impl *impl);

/* routine.c: in how many ways a kernel of maps can take routines of the functions that
 * they call, and the one of that number; 0: those whose calls take the least. */
int fs_kernel_ways(const struct fs_graph *g, const struct fs_kernel *k);
void fs_kernel_take_way(const struct fs_graph *g, const struct fs_device *device,
                        struct fs_kernel *k, int way);

/* -- grid.c, in_place.c: kernels of a plan beside each other; slots are numbered -- */

/* Joins neighbouring kernels into one launch where that is predicted to pay. pins: of the
 * options, and what became of them. */
void fs_plan_join(struct fs_maker *p, struct fs_plan *plan, const struct fs_pin_result *pins);
/* What launches take longer behind others that move much, too: of each kernel, in what
 * it is predicted to take. Once, behind fs_plan_join(), and where that joins kernels: the
 * other plans come in the order of what their kernels take alone. */
void fs_plan_price_changes(const struct fs_maker *p, struct fs_plan *plan);
/* The same of a launch that takes so many seconds beyond it, behind one that takes
 * `before` beyond its own. */
double fs_plan_change(const struct fs_device *device, double before, double seconds);
/* Whether kernels of the block may share launches, and their price then decides. */
bool fs_plan_may_join(const struct fs_maker *p);
/* What a kernel of so many seconds takes as a phase behind a barrier, if that is
 * less: what a launch has but once is left out. */
double fs_plan_phase_seconds(const struct fs_maker *p, enum fs_scheme scheme, double seconds);
/* Finds out which copies of a plan, complete but for figures, may be left out:
 * those of slabs where the base seems to die, for they are no phases of a launch then. */
void fs_plan_find_in_place(struct fs_plan *plan);
/* Has others left out, too, by copying less: what is read of the base, or the new value.
 * Kernels have no launches yet. */
void fs_plan_copy_less(struct fs_maker *p, struct fs_plan *plan);

#endif
