/* planner.h - what the files of core/plan share. Private to the stage. */
#ifndef FS_PLANNER_H
#define FS_PLANNER_H

#include "core/model/predict.h"
#include "core/plan/plan.h"

/* What a node is to the planner. */
enum fs_role {
  FS_RL_DEAD,
  FS_RL_LEAF,      /* INPUT, PARAM, IOTA, RAND: read or made where needed    */
  FS_RL_EDGE,      /* VIEW: an index map on the way from producer to user    */
  FS_RL_ABSORBED,  /* the product inside a dot: part of its reduction's call */
  FS_RL_INLINE,    /* a map so cheap that every user computes it for itself  */
  FS_RL_CALL,      /* an elementary call: in exactly one kernel              */
  FS_RL_LIBRARY    /* a kernel of its own                                    */
};

struct fs_call_info {
  enum fs_role role;
  int call;            /* CALL, LIBRARY: index into planner.calls; else -1   */
  int n_uses;          /* by live nodes                                      */
  bool is_output;      /* its value is wanted after the block                */
  bool must_store;     /* is_output, or a library call or UPDATE reads it    */
  bool viewed;         /* a view of it is used: random numbers repeated or transposed */
};

/* A set of clusters, counted from the beginning of a window: blocks of more
 * clusters than this are planned window by window. */
enum { FS_MAX_SET = 256 };
struct fs_set {
  uint64_t word[FS_MAX_SET / 64];
};
static inline bool fs_set_has(const struct fs_set *s, int i) {
  return s->word[i / 64] >> (i % 64) & 1;
}
static inline void fs_set_add(struct fs_set *s, int i) {
  s->word[i / 64] |= (uint64_t)1 << (i % 64);
}
static inline int fs_set_size(const struct fs_set *s) {
  int n = 0;
  for (size_t w = 0; w < FS_LEN(s->word); w++) n += __builtin_popcountll(s->word[w]);
  return n;
}
static inline bool fs_set_meets(const struct fs_set *a, const struct fs_set *b) {
  uint64_t any = 0;
  for (size_t w = 0; w < FS_LEN(a->word); w++) any |= a->word[w] & b->word[w];
  return any;
}
static inline void fs_set_join(struct fs_set *to, const struct fs_set *from) {
  for (size_t w = 0; w < FS_LEN(to->word); w++) to->word[w] |= from->word[w];
}
/* The first member at or after `from`; FS_MAX_SET if there is none. */
static inline int fs_set_next(const struct fs_set *s, int from) {
  for (int w = from / 64; w < FS_MAX_SET / 64; w++) {
    uint64_t left = s->word[w];
    if (w == from / 64) left &= ~(uint64_t)0 << (from % 64);
    if (left) return w * 64 + __builtin_ctzll(left);
  }
  return FS_MAX_SET;
}
#define FS_EACH_MEMBER(i, set) \
  (int i = fs_set_next((set), 0); i < FS_MAX_SET; i = fs_set_next((set), i + 1))
/* Of its first words, for tables of sets. */
static inline uint64_t fs_set_hash(const struct fs_set *s, int words) {
  uint64_t h = 0;
  for (int w = 0; w < words; w++) {
    h ^= s->word[w];
    h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u; /* tables go by the low bits */
    h ^= h >> 32;
  }
  return h;
}

/* Calls that always share a kernel: a map and the only user of its result. */
struct fs_cluster {
  FS_VEC(fs_id) nodes;        /* calls, ascending = topological              */
  FS_VEC(int) before, after;  /* clusters whose results it uses / that use its */
  FS_VEC(int) beside;         /* clusters that read an array it reads, too   */
  bool library;
};

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
  int on_chip, syncs;                     /* what dominates what             */
  unsigned barred;            /* variants that a pin does not want, as bits  */
};
typedef FS_VEC(struct fs_impl) fs_impl_list;

/* A fusion (or a cluster alone) with its implementations, best first. */
struct fs_candidate {
  struct fs_set set;
  int first, n;               /* in planner.impls                            */
  int ways;                   /* ... and how many with their variants        */
  double seconds;             /* of the best                                 */
  double temporary;           /* bytes that it stores which the block does not
                                 give                                        */
};

/* Which implementation of which candidate, for each kernel in launch order. */
struct fs_pick {
  int candidate, impl;        /* indices into planner.candidates and .impls  */
  int variant;
};

struct fs_combination {
  double cost;
  int n;
  struct fs_pick *picks;      /* in the planner's arena                      */
};

/* A kernel that was made: several plans of a block, and what it takes unfused, have many of
 * the same. */
struct fs_made {
  const fs_id *calls;
  int n;
  enum fs_scheme scheme;      /* what tells an implementation ... */
  unsigned inner;
  int variant;
  int next;                   /* of the same first call, + 1 */
  struct fs_kernel kernel;
};

/* How the elements of a node lie once it is stored. */
struct fs_stored {
  bool known;
  int64_t count;
  struct fs_layout layout;
};

struct fs_planner {
  const struct fs_graph *g;
  const struct fs_device *device;
  struct fs_kind_memo *memo;           /* of its predictions                 */
  double working_set;                  /* bytes of the block's inputs and results:
                                          what a cache would have to hold    */
  struct fs_arena *arena;
  struct fs_call_info *info;           /* per node                           */
  FS_VEC(fs_id) calls;                 /* ascending                          */
  FS_VEC(struct fs_cluster) clusters;
  int *cluster_of;                     /* per call                           */
  uint64_t *paths;                     /* per cluster: those that a path leads from, as
                                          bits; NULL: nobody has asked yet   */
  int *call_users;                     /* per call: how many calls use it    */
  int window, window_end;              /* clusters planned together          */
  struct fs_set *reach;                /* per cluster of the window: later ones
                                          that depend on it                  */
  struct fs_set *needs;                /* ... earlier ones that it depends on */
  struct fs_set *next_to;              /* ... those it shares data with      */
  FS_VEC(struct fs_candidate) candidates;
  fs_impl_list impls;
  const struct fs_plan_options *options;
  FS_VEC(struct fs_pin_result) pins;
  struct fs_set *held;                 /* per pin: what `:fuse` holds together */
  int pins_taken;                      /* so many of them count in the window:
                                          earlier ones forbid later ones     */
  FS_VEC(struct fs_rejection) rejections;
  struct fs_space_counts space;
  bool as_phases;                      /* kernels are priced as phases of a launch
                                          that others are in, too            */
  bool by_prices;                      /* ... and both ways plans are looked for */
  bool hurried;                        /* no effort is left to look for more than that */
  int *sketched[2], n_sketched[2];     /* a cover that fuse.c found, by as_phases:
                                          candidates                         */
  double *worth[2];                    /* ... per cluster of the window, what the last
                                          relaxation said that it is worth; or NULL */
  const struct fs_impl **alone;        /* per call that is a cluster: its best one, without
                                          pins; else NULL                    */
  FS_VEC(struct fs_made) made;
  int *made_of;                        /* per call: the last one that it is the first call of,
                                          + 1                                */
  double unfused_bytes;                /* without fusion                     */
  FS_VEC(struct fs_unfused) unfused;
  struct fs_plan *plan;                /* being put together                 */
  int *turn;                           /* per cluster: its place in the order of
                                          the statements                     */
  /* scratch of building a kernel, per node; valid where *_stamp is the stamp */
  int *holder, *holder_stamp, *member_stamp;
  int stamp;
  /* scratch of kernel.c, per call: members of a group that use it, and the last such
   * member, behind a base that every group moves on; before it: none has yet */
  struct fs_inner_use { int64_t last; int count; } *inner;
  int64_t inner_base;
  struct fs_kernel scratch;            /* of fs_kernel_survey()              */
  struct fs_group *group;              /* ... and of fs_kernel_make(): place.h */
  struct fs_alike *alike;              /* ... of alike.c                     */
  fs_step_list spare_steps;            /* of place.c                         */
  struct fs_stored *stored_as;         /* per node: see fs_plan_stored()     */
  struct fs_set *pinned;               /* per pinned kernel: its clusters, or none */
  bool keep_all;                       /* implementations that others dominate
                                          stay                               */
};

/* calls.c: roles, calls and clusters. Without `join` every call is a cluster of
 * its own, without `repeat` no map is computed twice: together they leave only
 * calls that surely have kernels. */
void fs_plan_calls(struct fs_planner *p, bool join, bool repeat);
/* Visits the calls whose results a call uses, through views, absorbed products
 * and inlined maps (`whole`: element by element), and the arrays that it reads. */
struct fs_visit {
  struct fs_planner *p;
  void (*call)(struct fs_visit *v, fs_id id, bool whole);
  void (*array)(struct fs_visit *v, fs_id id);  /* may be NULL */
  int user;                                     /* for the callbacks */
};
void fs_visit_call(struct fs_visit *v, fs_id id);
/* The node behind views: what must be stored for `id` to be readable. */
fs_id fs_plan_base(const struct fs_graph *g, fs_id id);

/* kernel.c: all implementations of these calls (ascending) in one kernel: every
 * division of the axes, every scheme. Appends those that no other one dominates,
 * best first. NULL, or the rule that forbids all: "level", "shape", "on-chip". */
const char *fs_kernel_survey(struct fs_planner *p, const fs_id *calls, int n,
                             fs_impl_list *out);
/* The kernel itself, tuned. Accesses name graph nodes in `slot` until the slots
 * are numbered. Gives its parts: fs_kernel_free(). */
void fs_kernel_make(struct fs_planner *p, const fs_id *calls, int n,
                    const struct fs_impl *impl, struct fs_kernel *out);
/* The same calls as a kernel of another plan, whose graph differs in sizes alone, in the
 * same way; false if these sizes do not let them, or it is of a user's routine. */
bool fs_kernel_make_like(struct fs_planner *p, const struct fs_kernel *like,
                         struct fs_kernel *out);
struct fs_group;
/* What it has on the heap. May be NULL. */
void fs_group_free(struct fs_group *g);
/* alike.c: what fs_kernel_survey() found for these calls (ascending), or for others that are
 * the same but for which arrays and numbers they take; stored[]: which results others want.
 * Appends it, and *why; false: it was not asked for yet. Then fs_alike_keep() keeps what it
 * finds next, and what it adds to the counts of `before`. Gives its lists: fs_alike_free(),
 * which takes NULL, too. */
struct fs_alike;
bool fs_alike_find(struct fs_planner *p, const fs_id *calls, int n, const bool *stored,
                   fs_impl_list *out, const char **why);
void fs_alike_keep(struct fs_planner *p, const struct fs_space_counts *before,
                   const struct fs_impl *impls, int n, const char *why);
void fs_alike_free(struct fs_alike *a);
/* onchip.c: orders the steps of a tuned kernel so that least is alive at once, and
 * fills between which steps its values live. */
void fs_kernel_order(struct fs_kernel *k);
/* Words of a thread that are alive at once in the order as it is, one element of
 * each value. */
int fs_kernel_footprint(struct fs_kernel *k);
/* instance.c: the same where one of the calls is an APPLY, which kernel.c finds
 * out; stored[]: which results others want. `k` is empty, its lists may have
 * room. Rule "routine": the others are not maps. */
bool fs_is_instance(const struct fs_planner *p, const fs_id *calls, int n);
/* How many routines its function has to choose from; `way` is one of them. */
int fs_instance_ways(const struct fs_planner *p, const fs_id *calls, int n);
const char *fs_kernel_instance(struct fs_planner *p, const fs_id *calls, int n,
                               const bool *stored, int way,
                               struct fs_kernel *k, struct fs_work *work);
/* Counts what a tuned kernel moves and computes, and predicts its time. */
void fs_kernel_price(const struct fs_planner *p, struct fs_kernel *k);
/* copy.c: whether an UPDATE needs its base copied into its slot, and the kernels that do
 * so: one for all of it, or one for each pair of slabs around the part that it replaces.
 * Gives how many; the caller frees them. */
enum { FS_MOST_COPIES = 2 * FS_MAX_RANK };
bool fs_plan_needs_copy(const struct fs_planner *p, fs_id update);
int fs_kernel_copies(struct fs_planner *p, fs_id update,
                     struct fs_kernel out[FS_MOST_COPIES]);
/* Elements that are copied, and where they go. */
struct fs_piece {
  int rank;
  int64_t dim[FS_MAX_RANK];
  int64_t from, from_stride[FS_MAX_RANK];
  int64_t to, to_stride[FS_MAX_RANK];
};
/* A kernel that copies them, from the base of an UPDATE to its slot: both as nodes. */
void fs_copy_kernel(struct fs_planner *p, fs_id update, const struct fs_piece *x,
                    enum fs_copies copies, struct fs_kernel *k);
/* Notes in a slot's live range that a kernel touches it. */
void fs_slot_touch(struct fs_plan *plan, int slot, int kernel);
/* in_place.c: finds out which copies of a plan, complete but for figures, may be left out:
 * those of slabs where the base seems to die, for they are no phases of a launch then. */
void fs_plan_find_in_place(struct fs_plan *plan);
/* Has others left out, too, by copying less: what is read of the base, or the new value.
 * Kernels have no launches yet. */
void fs_plan_copy_less(struct fs_planner *p);
/* work.c: adds calls of a function of the user: what one was measured to take on
 * the device, else the operations that it declares. */
void fs_work_user(struct fs_work *w, const struct fs_user *u,
                  const struct fs_device *d, int phase, double calls);
/* The amounts of the model's terms; `w` has the totals already. */
void fs_kernel_count(const struct fs_kernel *k, const struct fs_device *d,
                     struct fs_work *w);
/* CPU: the block's first kernel that has work for more than one thread finds the
 * others asleep, those after it find them awake; so no kernel counts it, and the
 * plan that is complete counts it once. False if it has no work for others, or is done
 * before they would help: then it is to run alone. */
bool fs_kernel_wakes(struct fs_kernel *k, const struct fs_device *d);
/* Whether it is the one that counts it. */
bool fs_kernel_is_caller(const struct fs_kernel *k);
/* routine.c: in how many ways a kernel of maps can take routines of the functions that
 * they call, and the one of that number; 0: those whose calls take the least. */
int fs_kernel_ways(const struct fs_graph *g, const struct fs_kernel *k);
void fs_kernel_take_way(const struct fs_graph *g, const struct fs_device *device,
                        struct fs_kernel *k, int way);
/* What of it depends on kernel->tune: all that differs between two settings of
 * threads. */
void fs_kernel_count_tuning(const struct fs_kernel *k,
                            const struct fs_device *d, struct fs_work *w);
/* A library call. */
void fs_kernel_library(struct fs_planner *p, fs_id node, struct fs_kernel *out);

/* Where a node's elements lie once it is stored: the layout over its own axes in
 * the slot of fs_plan_base(). */
struct fs_layout fs_plan_layout(const struct fs_graph *g, fs_id id);
/* The same, and its elements, found once for all groups of calls. */
const struct fs_stored *fs_plan_stored(struct fs_planner *p, fs_id id);

/* fuse.c: the window's candidates: every cluster alone and the fusions of them.
 * False if a cluster alone has no kernel (its axes conflict). */
bool fs_plan_candidates(struct fs_planner *p);
/* The candidate of a set, made if it is legal; -1 with the rule in *why. */
int fs_plan_try(struct fs_planner *p, const struct fs_set *s, const char **why);
/* What forbids a convex set before a kernel is looked for, or NULL. */
const char *fs_plan_forbidden(struct fs_planner *p, const struct fs_set *s);
/* The calls of a set, ascending, in the planner's arena. Gives how many. */
int fs_plan_members(struct fs_planner *p, const struct fs_set *s, fs_id **out);

/* pin.c: the calls that the pins of the options mean; then, of a window whose
 * clusters are candidates, the fusions that they want, or what forbids them. */
void fs_plan_read_pins(struct fs_planner *p);
void fs_plan_take_pins(struct fs_planner *p);
/* Whether a pin names the node: then it is a call, not made wherever it is used. */
bool fs_plan_is_pinned(const struct fs_planner *p, fs_id id);
/* Whether a `:split` forbids the set; if it is `complete`, also a `:fuse`. */
bool fs_plan_pin_forbids(const struct fs_planner *p, const struct fs_set *s,
                         bool complete);

/* setting.c: the pin of the kernel of these calls (ascending), or NULL. */
const struct fs_kernel_pin *fs_plan_kernel_pin(const struct fs_planner *p,
                                               const fs_id *calls, int n);
/* Bars the variants of an implementation that the pin does not want and takes the
 * best of the others; false if none is left. `k` is it, in its first setting. */
bool fs_pin_restrict(struct fs_planner *p, const struct fs_kernel_pin *pin,
                     struct fs_kernel *k, struct fs_impl *impl);
/* Whether a pinned kernel has one of the two calls and not the other. */
bool fs_plan_pin_parts(const struct fs_planner *p, fs_id a, fs_id b);
/* Of a window whose clusters are candidates and whose other pins are taken: makes
 * the candidates of pinned kernels. Whether one of them forbids the set. */
void fs_plan_take_kernel_pins(struct fs_planner *p);
bool fs_plan_kernel_pin_forbids(const struct fs_planner *p, const struct fs_set *s);
/* Says in the plan which kernels are as pinned. */
void fs_plan_note_kernel_pins(const struct fs_planner *p, struct fs_plan *plan);
/* The variants that no pin bars. */
int fs_impl_ways(const struct fs_impl *impl);

/* cover.c: up to k combinations of the window's candidates that cover each of its
 * clusters once, cheapest first, by p->as_phases; list[] is filled, how many is given
 * (at least one, but for pins that contradict each other). fs_plan_count() counts
 * what there is. */
int fs_plan_combine(struct fs_planner *p, int k, struct fs_combination *list);
/* What a kernel of a candidate costs there, and whether pins let it be one. */
double fs_plan_cost(const struct fs_planner *p, int candidate);
bool fs_plan_may_be_kernel(const struct fs_planner *p, int candidate);
/* What the window's clusters are worth in the relaxation, and a cover of its candidates, soon
 * found: gives how many kernels, 0: none. */
int fs_plan_sketch(struct fs_planner *p, double *worth, int *chosen);
void fs_plan_count(struct fs_planner *p);
/* rank.c: the k smallest sums of one cost of each list (each ascending, of lens[]
 * costs), in order; ties in the order of the indices. index[] gets n indices for
 * each. Gives how many. */
int fs_rank_sums(int n, const double *const *costs, const int *lens, int k,
                 double *sums, int *index);

/* Whether a node is of the group that a kernel is being built of, and whether that
 * kernel computes the node itself. */
bool fs_plan_is_member(const struct fs_planner *p, fs_id id);
bool fs_plan_computed_here(const struct fs_planner *p, fs_id id);
/* Records why two calls do not share a kernel. */
void fs_plan_reject(struct fs_planner *p, fs_id a, fs_id b, const char *rule);
/* The number of a rule's name. */
enum fs_rule fs_rule_of(const char *name);

/* grid.c: joins neighbouring kernels of p->plan into one launch where that is
 * predicted to pay; slots are numbered. */
void fs_plan_join(struct fs_planner *p);
/* What launches take longer behind others that move much, too: of each kernel, in what
 * it is predicted to take. Once, behind fs_plan_join(), and where that joins kernels: the
 * other plans come in the order of what their kernels take alone. */
void fs_plan_price_changes(struct fs_planner *p);
/* The same of a launch that takes so many seconds beyond it, behind one that takes
 * `before` beyond its own. */
double fs_plan_change(const struct fs_device *device, double before, double seconds);
/* Whether kernels of the block may share launches, and their price then decides. */
bool fs_plan_may_join(const struct fs_planner *p);
/* What a kernel of so many seconds takes as a phase behind a barrier, if that is
 * less: what a launch has but once is left out. */
double fs_plan_phase_seconds(const struct fs_planner *p, enum fs_scheme scheme,
                             double seconds);

/* -- choice.c -- */

/* The plan of options->choice on a copy of the graph, or NULL if there is none of
 * that text among the first. */
struct fs_plan *fs_plan_chosen(const struct fs_graph *g,
                               const struct fs_device *device,
                               const struct fs_plan_options *options);

#endif
