/* plan.h - what a statement block becomes: kernels (kernel/kernel.h) and the slots that
 * they read and write.
 */
#ifndef FS_PLAN_H
#define FS_PLAN_H

#include "core/plan/calls/options.h"
#include "core/schedule/schedule.h"

enum fs_slot_kind {
  FS_SLOT_INPUT, FS_SLOT_RESULT, FS_SLOT_TEMP,
  FS_SLOT_PART   /* of another slot, from the anchor of the UPDATE `node` on */
};

struct fs_slot {
  enum fs_slot_kind kind;
  int index;                /* INPUT: fs_graph.inputs; RESULT: .outputs;
                               PART: the slot that it is a part of         */
  enum fs_dtype dtype;
  struct fs_shape shape;    /* squeezed */
  struct fs_layout layout;  /* RESULT, TEMP: as fs_layout_new() gave it    */
  int64_t count;            /* elements to allocate                        */
  int first, last;          /* kernels that touch it: its live range       */
  fs_id node;
};

/* calls.c: whether a node only reads by a list whose indices are all in range: it is a call
 * whose kernels load so, not one of a library. */
bool fs_plan_goes_by_list(const struct fs_graph *g, const struct fs_node *nd);

struct fs_plan;
/* How many bytes behind the start of its storage the pointer of a slot is, which accesses
 * count from: as far as the anchor of an INPUT, or of a PART, as the graph has it now. */
int64_t fs_slot_begin(const struct fs_plan *plan, int slot);
/* The slot that a slot is a part of; itself if it is none. */
int fs_slot_whole(const struct fs_plan *plan, int slot);

/* What forbids or discards a fusion, an implementation or a combination. */
enum fs_rule {
  FS_RULE_NONE,
  FS_RULE_LEVEL,      /* a value is used before the kernel has it ready      */
  FS_RULE_CONVEX,     /* something outside lies between two members          */
  FS_RULE_SHAPE,      /* the index spaces do not agree                       */
  FS_RULE_ON_CHIP,    /* more than the chip, or a kernel, can hold           */
  FS_RULE_LIBRARY,    /* a library call is a kernel of its own               */
  FS_RULE_ROUTINE,    /* a user's routine has a scheme of its own, which only
                         maps by element and such routines share             */
  FS_RULE_BARRIER,    /* a `barrier` statement lies between                  */
  FS_RULE_ORDER,      /* strategy noreorder: another statement lies between  */
  FS_RULE_PIN,        /* `:split`, or a `:fuse` elsewhere                    */
  FS_RULE_APART,      /* they share no data: nothing would be saved          */
  FS_RULE_DOMINATED,  /* another implementation does the same in less        */
  FS_RULE_PRICE,      /* legal, but predicted to take longer                 */
  FS_RULE_LIMIT,      /* beyond the size of the search                       */
  FS_RULE_OFF,        /* fusing is off                                       */
  FS_RULE_COUNT
};
extern const char *const fs_rule_names[FS_RULE_COUNT]; /* "level", "convex" ... */

struct fs_rejection {       /* why two calls do not share a kernel         */
  fs_id a, b;
  const char *rule;         /* of fs_rule_names                            */
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
/* What stands before the number of combinations: "more than " where the count has ended,
 * "~" where it has some that cannot be had, else "". */
const char *fs_space_about(const struct fs_space_counts *c);

struct fs_kernel_pin_result {
  struct fs_kernel_pin pin; /* its calls are in the plan's arena           */
  int kernel;               /* the kernel that is so; -1: there is none    */
};

struct fs_pin_result {
  struct fs_pin pin;
  const char *rule;         /* NULL: kept; else what forbids it            */
  fs_id a, b;               /* the pair of calls that decides              */
  fs_id between;            /* "convex": the call between that cannot be in
                               the kernel, and why; else 0                 */
  const char *between_rule;
};

/* A kernel of the block without fusion: what runs teach of its kind corrects it, too. */
struct fs_unfused {
  double first;             /* seconds; not a number: unknown              */
  char kind[FS_LEARNED_NAME];
};

struct fs_plan {
  struct fs_arena *arena;   /* owns everything below                       */
  const struct fs_graph *graph; /* simplified; owned by the plan           */
  FS_VEC(struct fs_kernel) kernels;  /* in launch order                    */
  FS_VEC(struct fs_slot) slots;
  FS_VEC(struct fs_rejection) rejections;
  FS_VEC(struct fs_pin_result) pins; /* as in the options                  */
  FS_VEC(struct fs_kernel_pin_result) kernel_pins;
  struct fs_space_counts space;
  int rank;                 /* of fs_plan_ranked(): 1 is the best          */
  bool tuned;               /* chosen by measurement (run/search.h)        */
  bool any_size;            /* as in the options                           */
  bool joins, repeats;      /* maps are joined to calls; cheap ones computed again */
  bool like;                /* made of the kernels of options->like        */
  const char *choice;       /* the combination as text, of a plan like another one NULL
                               until fs_plan_choice() is asked: the same in
                               fs_plan_options.choice gives this plan again */
  int *result_slot;         /* per graph output; slots may be shared       */
  struct fs_layout *result_layout; /* how the output lies in that slot     */
  int n_calls, n_candidates, n_combinations;
  double unfused_predicted, unfused_bytes;
  int unfused_kernels;
  struct fs_unfused *unfused; /* each of them; NULL: a plan like another one, not
                               priced yet (fs_plan_price_unfused)          */
  double predicted;         /* sum over kernels */
  double bytes, peak_bytes; /* traffic; temporaries and results together   */
  double plan_seconds;
  char quality[40];         /* "uncalibrated", "calibrated 2026-01-31"     */
};

struct fs_device;

/* Plans a simplified graph (keeps it: freed with the plan). Never fails on a
 * legal graph: every call at least has a kernel of its own. Reproducible: the
 * same graph, device and options give the same plan. While fs_interrupted(), the search
 * ends, and the plan is only good enough to be thrown away. */
struct fs_plan *fs_plan_make(struct fs_graph *simplified,
                             const struct fs_device *device,
                             const struct fs_plan_options *options);
void fs_plan_free(struct fs_plan *plan);
/* fs_plan.choice of a plan, in its arena. */
const char *fs_plan_choice(const struct fs_plan *plan);
/* Of a plan that is like another one: what the block would take unfused, which is only
 * shown. Others know it. */
void fs_plan_price_unfused(struct fs_plan *plan, const struct fs_device *device);

/* What a run of the plan is expected to be: all its kernels, but for copies that it
 * probably does without (x[1] = 0 in place). */
struct fs_expected {
  double first, predicted;  /* seconds; not a number: it depends on data   */
  double bytes;
  int launches;
};
struct fs_expected fs_plan_expects(const struct fs_plan *plan);
/* Whether a kernel of the plan is a copy that is likely to be left out: between plans its time
 * counts for nothing. */
bool fs_plan_leaves_out(const struct fs_plan *plan, int kernel);

/* The k combinations of least predicted time, best first, each a complete plan
 * on a copy of the simplified graph (borrowed). Gives how many there are, at
 * most k; out[] gets them, each to be freed. out[0] is what fs_plan_make()
 * gives with the same options (but for options->choice, which is ignored). */
int fs_plan_ranked(const struct fs_graph *simplified,
                   const struct fs_device *device,
                   const struct fs_plan_options *options, int k,
                   struct fs_plan **out);

/* Why two nodes share a kernel or do not (`:why a b`). */
struct fs_why {
  bool same;                /* they share a kernel in the plan             */
  int kernel_a, kernel_b;   /* indices into plan->kernels; -1: a node that
                               every kernel makes for itself               */
  const char *rule;         /* !same: of fs_rule_names ("level" ... "price",
                               "apart"); same: NULL, or "pin"              */
  fs_id a, b;               /* the pair of calls that decides: a's value
                               reaches b, or they walk data differently    */
  fs_id between;            /* rule "convex": the call between the two that
                               cannot share their kernel, and the rule that
                               keeps it out ("level", "library" ...); else 0 */
  const char *between_rule;
  double chosen;            /* first prediction of the plan, seconds       */
  double together, apart;   /* ... of the best plan that forces them into one
                               kernel, or into two; < 0: there is none     */
  int together_kernels, apart_kernels;
};
struct fs_why fs_plan_why(const struct fs_plan *plan,
                          const struct fs_device *device,
                          const struct fs_plan_options *options, fs_id a,
                          fs_id b);
/* The same without what two kernels would take (`apart`): the block is planned once
 * again instead of twice. */
struct fs_why fs_plan_border(const struct fs_plan *plan,
                             const struct fs_device *device,
                             const struct fs_plan_options *options, fs_id a,
                             fs_id b);

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
                      const struct fs_plan_options *options, int kernel,
                      fs_setting_list *out);
/* What a kernel has of each trait: routine 0 where no function has a choice. */
void fs_kernel_traits(const struct fs_graph *g, const struct fs_kernel *k,
                      int64_t out[FS_TRAITS]);
/* Appends which dimensions of its largest array are the kernel's columns, "dimension 2 of A":
 * what tells two ways to walk a square array apart. Nothing where there is but one. plan
 * NULL: the kernel is not part of a plan yet. */
void fs_kernel_put_walk(const struct fs_graph *g, const struct fs_plan *plan,
                        const struct fs_kernel *k, struct fs_str *out);
/* Appends "scheme row, threads 256": those that are not -1. */
void fs_traits_put(const int64_t value[FS_TRAITS], struct fs_str *out);
/* Whether what is wanted (not -1) is so. */
bool fs_traits_fit(const int64_t wanted[FS_TRAITS],
                   const int64_t value[FS_TRAITS]);

/* The node that a user means by a word: the last value that a variable of that
 * name gets in the block ("q"), or the statement of that number in it ("2",
 * counted from 1 in the order of the text). 0 if there is none. `sources` has
 * the texts that the graph's spans point into. */
fs_id fs_plan_statement(const struct fs_graph *simplified,
                        const struct fs_diags *sources, const char *word);

/* routine.c: the routines that a call of a user's function may take, at least one;
 * the one whose calls take the least on the device, as measured. */
int fs_user_ways(const struct fs_user *u);
const struct fs_user *fs_user_way(const struct fs_user *u, int k);
/* How many routines are among the ways: others are one on other numbers of threads. */
int fs_user_routines(const struct fs_user *u);
const struct fs_user *fs_user_cheapest(const struct fs_user *u,
                                       const struct fs_device *device);
/* "inv3 routine 2 of 3 with its own load of A", for the functions among whose routines
 * the plan chose, and those that bring elements on chip by a routine of their own. */
void fs_kernel_put_routines(const struct fs_plan *plan,
                            const struct fs_kernel *kernel, struct fs_str *out);

/* In what the kernels of a plan differ from those of another, as far as the device has a
 * choice: "k1 threads 256, stages 4; k2 tile", "k1 rows 400"; nothing if they are the same.
 * False if it has others: they are told by what they do, "k1 row `q = A*p; s = A'*r`". */
bool fs_plan_put_settings(const struct fs_plan *plan, const struct fs_plan *other,
                          const struct fs_device *device, const struct fs_diags *sources,
                          struct fs_str *out);

/* Whether all blocks of the launch that the kernel is a phase of must be resident because of
 * it: they wait for each other at a barrier or for sums, or each does all of the phase, so
 * that there should be no more blocks than find room at once. */
bool fs_kernel_waits(const struct fs_kernel *kernel);
/* One behind the last kernel of the launch that kernel `first` starts, and the first
 * kernel of the launch that `kernel` is in. */
int fs_launch_end(const struct fs_plan *plan, int first);
int fs_launch_first(const struct fs_plan *plan, int kernel);
/* Launches of a run, and barriers between phases. */
int fs_plan_launches(const struct fs_plan *plan);
/* Whether a STORE step stores a whole slot, one number, that every thread of the
 * launch has: the phases behind it take it from a register. */
bool fs_grid_carries(const struct fs_plan *plan, const struct fs_kernel *k,
                     const struct fs_step *s);

/* Whether storing to one slot may overwrite what is loaded from the other: they are the
 * same, or an update in place makes them so. */
bool fs_plan_may_overwrite(const struct fs_plan *plan, int stored, int loaded);

/* check.c: the first rule that a plan breaks, which is a bug; NULL: none. */
const char *fs_plan_check(const struct fs_plan *plan);

/* The `plan` dump: stable text, no times unless with_times. */
void fs_plan_dump(const struct fs_plan *plan, const struct fs_diags *diags,
                  bool with_times, struct fs_str *out);

/* A statement as the user wrote it, on one line and without comments. */
void fs_statement_put(const struct fs_diags *diags, struct fs_span stmt,
                      struct fs_str *out);
/* The `space` dump: counts, and the best combinations (plans them again). */
void fs_space_dump(const struct fs_plan *plan, const struct fs_device *device,
                   const struct fs_plan_options *options,
                   const struct fs_diags *diags, struct fs_str *out);

/* The statements of a kernel as the user wrote them: "q = A*p; s = A'*r". */
void fs_kernel_does(const struct fs_plan *plan, const struct fs_kernel *k,
                    const struct fs_diags *diags, struct fs_str *out);

#endif
