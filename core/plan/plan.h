/* plan.h - what a statement block becomes: kernels (kernel/kernel.h) and the slots that
 * they read and write.
 */
#ifndef FS_PLAN_H
#define FS_PLAN_H

#include "core/plan/cover/counts.h"
#include "core/plan/kernels/traits.h"

/* What stands before the number of combinations: "more than " where the count has ended,
 * "~" where it has some that cannot be had, else "". */
const char *fs_space_about(const struct fs_space_counts *c);
/* "  pruned: " and how many by which rule; nothing if none were. */
void fs_space_put_pruned(const struct fs_space_counts *c, struct fs_str *out);

struct fs_kernel_pin_result {
  struct fs_kernel_pin pin; /* its calls are in the plan's arena           */
  int kernel;               /* the kernel that is so; -1: there is none    */
};

/* A kernel of the block without fusion: what runs teach corrects it, too. */
struct fs_unfused {
  double first;             /* seconds; not a number: unknown              */
  char name[FS_LEARNED_NAME];
};

/* How a plan was found, and what else is to be said of it. */
struct fs_findings {
  FS_VEC(struct fs_rejection) rejections;
  FS_VEC(struct fs_pin_result) pins; /* as in the options                  */
  FS_VEC(struct fs_kernel_pin_result) kernel_pins;
  struct fs_space_counts space;
  int rank;                 /* of fs_plan_ranked(): 1 is the best          */
  bool tuned;               /* chosen by measurement (run/search.h)        */
  bool joins, repeats;      /* maps are joined to calls; cheap ones computed again */
  bool like;                /* made of the kernels of options->like        */
  const char *choice;       /* the combination as text, of a plan like another one NULL
                               until fs_plan_choice() is asked: the same in
                               fs_plan_options.choice gives this plan again */
  int n_calls, n_candidates, n_combinations;
  double unfused_predicted, unfused_bytes;
  int unfused_kernels;
  struct fs_unfused *unfused; /* each of them; NULL: fs_plan_price_unfused() was not asked */
  enum fs_strategy strategy; /* by which it was planned                    */
  double plan_seconds;
  char quality[40];         /* "uncalibrated", "calibrated 2026-01-31"     */
};

struct fs_device;

/* Plans a simplified graph (keeps it: freed with the plan). Never fails on a
 * legal graph: every call at least has a kernel of its own. Reproducible: the
 * same graph, device and options give the same plan. While fs_interrupted(), the search
 * ends, and the plan is only good enough to be thrown away. */
struct fs_plan *fs_plan_make(struct fs_graph *simplified, const struct fs_device *device,
                             const struct fs_plan_options *options);
void fs_plan_free(struct fs_plan *plan);
/* fs_plan.choice of a plan, in its arena. */
const char *fs_plan_choice(const struct fs_plan *plan);
/* The plan of options->choice on a copy of the graph, or NULL if there is none of
 * that text among the first. */
struct fs_plan *fs_plan_chosen(const struct fs_graph *g, const struct fs_device *device,
                               const struct fs_plan_options *options);
/* What the block would take with a kernel for each call, and the copies before updates: the
 * plan that `:fuse off` gives. It is only shown, so it is priced when somebody asks. */
void fs_plan_price_unfused(struct fs_plan *plan, const struct fs_device *device);

/* The k combinations of least predicted time, best first, each a complete plan
 * on a copy of the simplified graph (borrowed). Gives how many there are, at
 * most k; out[] gets them, each to be freed. out[0] is what fs_plan_make()
 * gives with the same options (but for options->choice, which is ignored). */
int fs_plan_ranked(const struct fs_graph *simplified, const struct fs_device *device,
                   const struct fs_plan_options *options, int k, struct fs_plan **out);

/* Why two nodes share a kernel or do not (`:why a b`). */
struct fs_why {
  bool same;                /* they share a kernel in the plan             */
  int kernel_a, kernel_b;   /* indices into plan->kernels; -1: a node that
                               every kernel makes for itself               */
  enum fs_rule rule;        /* !same: what keeps them apart; same: _PIN, or
                               FS_RULE_NONE                                */
  fs_id a, b;               /* the pair of calls that decides: a's value
                               reaches b, or they walk data differently    */
  fs_id between;            /* FS_RULE_CONVEX: the call between the two that
                               cannot share their kernel, and the rule that
                               keeps it out; else 0                        */
  enum fs_rule between_rule;
  double chosen;            /* first prediction of the plan, seconds       */
  double together, apart;   /* ... of the best plan that forces them into one
                               kernel, or into two; < 0: there is none     */
  int together_kernels, apart_kernels;
};
struct fs_why fs_plan_why(const struct fs_plan *plan, const struct fs_device *device,
                          const struct fs_plan_options *options, fs_id a, fs_id b);
/* The same without what two kernels would take (`apart`): the block is planned once
 * again instead of twice. */
struct fs_why fs_plan_border(const struct fs_plan *plan, const struct fs_device *device,
                             const struct fs_plan_options *options, fs_id a, fs_id b);

/* A way to run a kernel that was considered. */
struct fs_setting {
  enum fs_scheme scheme;
  int64_t m, n;             /* its index space                             */
  struct fs_tuning tune;
  int64_t value[FS_TRAITS];
  const char *routines;     /* as fs_kernel_put_routines(); "" if there are none */
  const char *walk;         /* as fs_kernel_put_walk()                     */
  double first;             /* predicted seconds, of a launch of its own   */
  struct fs_work work;
};
typedef FS_VEC(struct fs_setting) fs_setting_list;
/* All of them of a kernel of the plan, in the order in which the planner prefers
 * them, also those that another one dominates; none for library calls. `routines`
 * lies in the plan's arena. Free the list with FS_VEC_FREE(). */
void fs_plan_settings(struct fs_plan *plan, const struct fs_device *device,
                      const struct fs_plan_options *options, int kernel, fs_setting_list *out);
/* In what the kernels of a plan differ from those of another, as far as the device has a
 * choice: "k1 threads 256, stages 4; k2 tile", "k1 rows 400"; nothing if they are the same.
 * False if it has others: they are told by what they do, "k1 row `q = A*p; s = A'*r`". */
bool fs_plan_put_settings(const struct fs_plan *plan, const struct fs_plan *other,
                          const struct fs_device *device, const struct fs_diags *sources,
                          struct fs_str *out);

/* check.c: the first rule that a plan breaks, which is a bug; NULL: none. */
const char *fs_plan_check(const struct fs_plan *plan);

/* The `plan` dump: stable text, no times unless with_times. */
void fs_plan_dump(const struct fs_plan *plan, const struct fs_diags *diags,
                  bool with_times, struct fs_str *out);

/* A statement as the user wrote it, on one line and without comments. */
void fs_statement_put(const struct fs_diags *diags, struct fs_span stmt, struct fs_str *out);
/* The `space` dump: counts, and the best combinations (plans them again). */
void fs_space_dump(const struct fs_plan *plan, const struct fs_device *device,
                   const struct fs_plan_options *options,
                   const struct fs_diags *diags, struct fs_str *out);

/* The statements of a kernel as the user wrote them: "q = A*p; s = A'*r". */
void fs_kernel_does(const struct fs_plan *plan, const struct fs_kernel *k,
                    const struct fs_diags *diags, struct fs_str *out);

#endif
