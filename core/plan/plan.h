/* plan.h - what a statement block becomes: kernels over index spaces.
 *
 * A kernel plan is plain data. Both targets run the same one: the CPU target
 * walks it (device/cpu), the CUDA target prints it (emit/) and compiles that.
 *
 * Index space. i counts rows 0..m-1, j counts columns 0..n-1. i runs over the
 * space's outer axes and j over its inner axes, both row-major; nearly always
 * there is one axis of each after fs_plan has collapsed what it could. A flat
 * kernel has no outer axis: m = 1.
 *
 * Values are the on-chip elements, in SSA form. What a value varies over says
 * what it is: I and J a matrix element, I a row's number, J a column's number,
 * nothing a scalar.
 *
 * Phases. A row kernel sweeps over its row once or more: phase 0, 1, ...; what
 * a reduction over j of phase p makes can be used from phase p+1 on (row scheme
 * only: the row is still on chip). Phase FS_END comes after every row of every
 * block: there reductions over i, over both, and (flat, tile) over j are
 * finished, in a fixed order, and steps of phase FS_END run once over the space
 * of their value (m, n or 1 elements), not over m x n.
 *
 * Which values outlive their phase: loads (the same element may be read again
 * later), values that vary over I only, scalars, and results of reductions. A
 * value that varies over J and was computed is used only in its own phase; where
 * a later phase needs it, it is computed again there, and `same_as` says of which
 * earlier value it is a copy. Phase FS_END uses no value of earlier phases but
 * results of reductions that are ready there.
 *
 * Scheme panel: as row, with two phases; the elements of a row lie across memory,
 * those of neighbouring rows i side by side.
 *
 * Scheme instance. The outer axes are the stack of instances. applied[] are the
 * APPLYs, each after those whose results it uses. Phase first + p < first + n of one
 * of n operands computes operand p, over the instances and the elements of that
 * operand; then the routine runs, with as many threads for each instance as it
 * wants; phase first + n computes, over the elements of the result, what follows on
 * it. These phases are the kernel's parts. part_value[p] is the value that an
 * operand's part puts on chip, and that of a result's part the one that the routine
 * gives, which later parts of the same shape may use. Where the user has a load for
 * an operand, it is that which puts it on chip, and it asks for the numbers of its
 * part; a store gives those of the result's part. Accesses have their
 * strides over the stack's axes and then over those of their part.
 *
 *   BiCGK, scheme row                       varies  phase
 *     v0 = load A                           IJ      0
 *     v1 = load p                           J       0
 *     v2 = reduce sum over J of v0*v1       I       0  -> usable in 1
 *     v3 = load r                           I       0
 *     v4 = reduce sum over I of v0*v3       J       0  -> usable in END
 *     store q = v2                                  1
 *     store s = v4                                  END
 */
#ifndef FS_PLAN_H
#define FS_PLAN_H

#include "core/model/learn.h"
#include "core/model/predict.h"

enum fs_scheme {
  FS_FLAT,    /* 1-D: j only, any block any part of it                        */
  FS_ROW,     /* a block owns whole rows, several sweeps over each            */
  FS_TILE,    /* the paper's: 2-D grid of 32 x 32 tiles, serial down the rows;
                 or fs_kernel_turns()                                        */
  FS_LIBRARY, /* one library call, node `lib_node`                            */
  FS_INSTANCE, /* a user's function over a stack of small elements: see below */
  FS_PANEL    /* rows that lie across memory: all blocks in step, see panel.c */
};
extern const char *const fs_scheme_names[]; /* "flat", "row", "tile", "library" ... */

enum { FS_VARIES_I = 1, FS_VARIES_J = 2 };
enum { FS_END = 255 };

struct fs_space {
  int n_outer, n_inner;          /* axes; outer ones first in dim[]      */
  int64_t dim[FS_MAX_RANK];
  int64_t m, n;                  /* products over outer and inner axes   */
};

/* Where a load or store of element (i, j) goes:
 *   slot base + offset + sum over axes k of index[k] * stride[k]  (elements)
 * A load may go by a list of indices from 1, all of them in range: what another access
 * has at (i, j) says where along one more axis the element lies,
 *   ... + (list at (i, j) - 1) * list_stride
 * That access has no step of its own. What it varies over, the load varies over. */
struct fs_access {
  int slot;                      /* into fs_plan.slots                   */
  enum fs_dtype dtype;           /* as stored                            */
  int64_t offset;
  int64_t stride[FS_MAX_RANK];   /* per axis of the space                */
  int list;                      /* 1 + the access of the list; 0: none  */
  int64_t list_stride, list_extent; /* ... how far apart, and how many there are */
  uint8_t varies;
};

enum fs_step_kind {
  FS_SP_LOAD,    /* out = access                                           */
  FS_SP_PARAM,   /* out = the block's params[param], converted to its type */
  FS_SP_IOTA,    /* out = in[0] + in[1] * (affine index, see `affine`)     */
  FS_SP_RAND,    /* out = uniform number at linear index `affine`,
                    in[0] seed, in[1] stream; op != 0: normal instead      */
  FS_SP_MAP,     /* out = map_op(in...)                                    */
  FS_SP_REDUCE,  /* out = reduce_op over `over` of in[0], or of
                    in[0]*in[1] by fma when in[1] >= 0                     */
  FS_SP_STORE    /* access = in[0]                                         */
};

struct fs_affine { /* base + sum over axes of index * stride */
  int64_t base, stride[FS_MAX_RANK];
};

struct fs_step {
  enum fs_step_kind kind;
  uint8_t op;         /* fs_map_op or fs_reduce_op                         */
  const struct fs_user *user; /* MAP with FS_OP_USER                       */
  uint8_t phase;      /* 0, 1, ... or FS_END                               */
  uint8_t over;       /* REDUCE: FS_VARIES_I, FS_VARIES_J or both          */
  int out;            /* value, -1 for STORE                               */
  int in[FS_MOST_SRC]; /* values; -1 behind the last                       */
  int access;         /* LOAD, STORE                                       */
  int param;          /* PARAM                                             */
  struct fs_affine affine; /* IOTA, RAND */
  fs_id node;         /* of the simplified graph; 0 for loads of inputs    */
};

typedef FS_VEC(struct fs_step) fs_step_list;

/* The operands of a step. */
#define FS_NO_INPUTS {-1, -1, -1, -1, -1, -1, -1, -1}
_Static_assert(FS_MOST_SRC == 8, "FS_NO_INPUTS has one for each");
#define FS_EACH_IN(s, x) \
  for (int x = 0; x < FS_MOST_SRC && (s)->in[x] >= 0; x++)

struct fs_value {
  enum fs_dtype dtype;  /* language type; f16/bf16 live as rounded f32     */
  uint8_t varies;
  uint8_t ready;        /* first phase in which it may be used             */
  int same_as;          /* an equal value of an earlier phase, which a target
                           that kept it on chip may use instead; else -1   */
  uint8_t storage;      /* enum fs_on_chip                                 */
  int first, last;      /* steps that make it and last read it             */
  int offset;           /* registers: word of the thread; shared: byte of the
                           block; elements with disjoint lives share it    */
};

/* Where an on-chip element lies. The thread-to-data rule (Filipovic et al.,
 * section 3.2.3): in registers if the thread that makes a word is the one that
 * reads it, else in shared memory, with a local barrier in between. */
enum fs_on_chip { FS_ON_NOTHING, FS_ON_REGISTERS, FS_ON_SHARED };

/* How a target should walk the kernel; filled by fs_tune(). */
struct fs_tuning {
  int threads;          /* CUDA: threads of a block                        */
  int row_threads;      /* CUDA row: threads that share a row (<= threads) */
  int vec;              /* elements per access along j: 1, 2, 4, 8         */
  int cols;             /* CUDA row: vectors of a row each thread keeps    */
  int iters;            /* tile: serial 32-row iterations; flat: unroll;
                           row, and tiles that threads turn: rows that a
                           thread has at once                             */
  int blocks_per_sm;    /* CUDA: resident blocks asked of the compiler     */
  int cluster;          /* CUDA row: blocks that share a row; 0, 1: none   */
  int stages;           /* CUDA row: turns whose rows bulk copies bring to shared
                           memory ahead; 0: as many as there is room for, 1: none do:
                           threads load the next row ahead into registers    */
};

/* How a kernel follows on the one before it. Kernels that are joined share a launch:
 * they are its phases (grid.c), and the first of them starts it. */
enum fs_joint {
  FS_LAUNCH,            /* by a launch of its own                          */
  FS_BARRIER,           /* in the same launch, behind a barrier over all
                           blocks                                          */
  FS_BESIDE             /* in the same launch: it uses nothing that was
                           written since the last barrier                  */
};
extern const char *const fs_joint_names[]; /* "launch", "barrier", "beside" */

/* A routine of an instance kernel. */
struct fs_applied {
  fs_id node;                       /* the APPLY                           */
  const struct fs_user *user;       /* the routine that it takes           */
  int first;                        /* its first part: operand 0           */
};
enum {
  FS_MOST_APPLIED = 4,              /* a longer chain is cut: each has all of
                                       its elements on chip                */
  FS_MOST_PARTS = FS_MOST_APPLIED * (FS_MOST_SRC + 1)
};

/* What a kernel copies that computes nothing, for an UPDATE (copy.c, in_place.c). Its two
 * accesses are from where, and to where. */
enum fs_copies {
  FS_COPIES_NOTHING,
  FS_COPIES_BASE,       /* all of its base to the slot of the UPDATE       */
  FS_COPIES_AROUND,     /* ... what it leaves of it: slabs around a box    */
  FS_COPIES_READ,       /* what is read of the base and may be replaced before, to a
                           temporary                                       */
  FS_COPIES_VALUE       /* the new value of the part, to its place         */
};

struct fs_kernel {
  enum fs_scheme scheme;
  bool any_size;                    /* its code should serve kernels of other sizes,
                                       too (fs_plan_options)               */
  enum fs_joint joint;
  bool everywhere;                  /* a flat phase of which each block does all,
                                       and stores its part: its sums need no
                                       barrier (grid.c)                    */
  struct fs_space space;
  struct fs_tuning tune;
  unsigned inner;                   /* classes of axes that are its columns, and which
                                       setting it has (kernel.c): what makes it again
                                       of a graph that is alike            */
  int classes;                      /* ... of how many                               */
  int variant;
  int n_phases;                     /* sweeps, FS_END not counted          */
  bool has_end;
  FS_VEC(struct fs_value) values;
  fs_step_list steps;               /* in legal order, sorted by phase     */
  FS_VEC(struct fs_access) accesses;
  fs_id lib_node;                   /* FS_LIBRARY                          */
  struct fs_applied applied[FS_MOST_APPLIED]; /* FS_INSTANCE: see above    */
  int n_applied;                    /* 0 in other schemes                  */
  int part_value[FS_MOST_PARTS];
  enum fs_copies copies;
  bool in_place;                    /* BASE, AROUND: it is left out where nobody wants
                                       the base after the block (run.c): the update may
                                       happen in place                     */
  int lib_slots[3];                 /* FS_LIBRARY: result, then operands;  */
  struct fs_layout lib_layout[3];   /* over the squeezed axes of each      */
  FS_VEC(fs_id) calls;              /* elementary calls, topological order */
  int registers;                    /* on-chip footprint: words of a thread */
  int shared_bytes;                 /* ... and bytes of a block            */
  int local_barriers;               /* of one walk through the steps       */
  double bytes_read, bytes_written; /* off-chip traffic                    */
  double flops;
  struct fs_work work;              /* the same for the model, in its terms */
  double first;                     /* seconds, as the model has it: what plans
                                       are chosen by                       */
  double predicted;                 /* corrected by what was learned from runs
                                       (model/learn.h); else the same      */
  double change;                    /* of both: what its launch takes longer since
                                       others are before it; 0: nothing    */
  double registers_factor;          /* what compilers taught of the estimate of
                                       its registers (model/learn.h); 0: not
                                       asked for                           */
  const char *bound;                /* "memory", "compute", "launch"       */
  bool mirrors;                     /* GPU, tiles that threads turn: it reads a square
                                       matrix as it lies and across, the same
                                       elements in tiles that mirror each other */
  bool alone;                       /* CPU: so little work that threads which
                                       sleep are left asleep               */
  const char *by_hand;              /* what the user pinned of how it runs:
                                       "threads 256, stages 3"; else NULL  */
};

/* Whether it gives an UPDATE the base that it changes a part of. */
static inline bool fs_copies_base(const struct fs_kernel *k) {
  return k->copies == FS_COPIES_BASE || k->copies == FS_COPIES_AROUND;
}

/* The access of the list that a load goes by, or NULL. */
static inline const struct fs_access *fs_access_list(const struct fs_kernel *k,
                                                     const struct fs_access *a) {
  return a->list ? &k->accesses.data[a->list - 1] : NULL;
}
/* Whether it is a list that some load goes by. */
static inline bool fs_access_is_list(const struct fs_kernel *k, int access) {
  for (int x = 0; x < k->accesses.len; x++)
    if (k->accesses.data[x].list == access + 1) return true;
  return false;
}
/* kernel.c: bytes that it reads or writes, each element once; of single elements that a list
 * chooses the sectors of memory, but no more than there is. */
double fs_access_bytes(const struct fs_kernel *k, const struct fs_access *a);
/* Whether another index along an axis is another element, by itself or by the list. */
static inline bool fs_access_walks(const struct fs_kernel *k, const struct fs_access *a,
                                   int axis) {
  return a->stride[axis] || (a->list && k->accesses.data[a->list - 1].stride[axis]);
}

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

struct fs_pin {             /* a pair of nodes that the user pinned        */
  fs_id a, b;               /* of the simplified graph                     */
  bool together;            /* `:fuse a b`; false: `:split a b`            */
  int tag;                  /* the caller's number of it                   */
};

/* What tells the ways to run a kernel from each other, as users are told of it:
 * scheme, rows of the index space, routine of a function of theirs, and what
 * struct fs_tuning has. */
struct fs_setting_name {
  const char *name;
  int value;
};
enum {
  FS_SETTING_NAMES = 8,
  FS_TRAIT_SCHEME = 0, FS_TRAIT_ROWS, FS_TRAIT_WALK, FS_TRAIT_ROUTINE, FS_TRAIT_TUNING,
  FS_TRAITS = FS_TRAIT_TUNING + FS_SETTING_NAMES
};
void fs_tuning_names(const struct fs_tuning *t,
                     struct fs_setting_name out[FS_SETTING_NAMES]);

/* `:pin`: the kernel of these calls, and what is to be of how it runs. */
struct fs_kernel_pin {
  const fs_id *calls;       /* ascending, of the simplified graph; borrowed */
  int n_calls;
  int64_t value[FS_TRAITS]; /* FS_TRAIT_SCHEME: an fs_scheme; -1: any       */
};

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
  const char *choice;       /* the combination as text: the same in
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

enum fs_strategy {
  FS_SMART,        /* the least predicted time                               */
  FS_MIN_SYNC,     /* the fewest kernels, then the least time                */
  FS_MIN_MEMORY,   /* the least peak memory, then the least time             */
  FS_NO_REORDER,   /* kernels keep the order of the statements               */
  FS_MANUAL,       /* only `barrier` statements split                        */
  FS_FUSE_OFF      /* a kernel for each call                                 */
};
extern const char *const fs_strategy_names[]; /* "smart", "minsync" ... */

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

struct fs_device;

/* Plans a simplified graph (keeps it: freed with the plan). Never fails on a
 * legal graph: every call at least has a kernel of its own. Reproducible: the
 * same graph, device and options give the same plan. While fs_interrupted(), the search
 * ends, and the plan is only good enough to be thrown away. */
struct fs_plan *fs_plan_make(struct fs_graph *simplified,
                             const struct fs_device *device,
                             const struct fs_plan_options *options);
void fs_plan_free(struct fs_plan *plan);
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
/* "scheme", "rows", "routine", "threads" ... of a trait; what a kernel has of each:
 * routine 0 where no function has a choice. */
const char *fs_trait_name(int trait);
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

/* FS_PANEL: how it is cut. A block has `height` of the j, all blocks walk together
 * over panels of `width` of the i (core/plan/panel.c). */
struct fs_panel {
  int height, width, blocks, cluster; /* blocks come in clusters              */
  int64_t panels;
  int lanes, side;      /* workers along i, and along j                       */
  int vec;              /* elements of a lane                                 */
  int held;             /* of `height`: wait for the sums in registers, the
                           others in shared memory                            */
  int slots, shorts;    /* tiles of those others; of the held rows            */
  int lag;              /* panels from the sums to their use                  */
  int parts, mails;     /* panels whose sums are on the way: of warps, of blocks */
  int threads, workers;
  int regs;             /* of a worker; 0: as many as any thread has          */
};
/* Whether the kernel can be run so on the device; and whether it should be: its
 * matrix is larger than the cache, its tiles are worth a round of messages. */
bool fs_panel_of(const struct fs_kernel *kernel, const struct fs_device *device,
                 struct fs_panel *out);
bool fs_panel_pays(const struct fs_kernel *kernel,
                   const struct fs_device *device);
/* False: no kernel over an index space of so many elements should. */
bool fs_panel_may_pay(double elements, const struct fs_device *device);
/* Which values (sent[] has room for all) are made of a column's sums and go back to
 * all blocks. */
void fs_panel_sent(const struct fs_kernel *kernel, bool *sent);

/* FS_INSTANCE: whose a part is; the element of a part; the stack of instances ++
 * that element. */
const struct fs_applied *fs_part_of(const struct fs_kernel *k, int part);
const struct fs_user_element *fs_part_element(const struct fs_kernel *k,
                                              int part);
struct fs_shape fs_part_shape(const struct fs_graph *g,
                              const struct fs_kernel *k, int part);
/* The part of the routine's result. */
int fs_result_part(const struct fs_applied *a);
/* The earlier result that an operand is, as it lies on chip, or -1: nothing is done
 * to it between the routines. */
int fs_part_alias(const struct fs_kernel *k, int part);
/* How far apart the elements of neighbouring instances lie in shared memory, in
 * numbers. */
int fs_instance_pitch(const struct fs_user_element *e);
/* Whether one thread makes and reads the scratch of an instance: then it lies in
 * registers (the thread-to-data rule), else in shared memory. */
bool fs_scratch_is_own(const struct fs_user *u);

/* Whether all elements of the kernel's rows are of one half type, so that a GPU keeps
 * two in a register; whether it has an instruction for two at once (pairs.c). */
bool fs_kernel_pairs(const struct fs_kernel *kernel);

/* Whether threads of a row that lie in a warp share what its rows have of their own: of
 * several rows at once, each thread makes what is long of one (spread.c). */
bool fs_kernel_shares_rows(const struct fs_kernel *kernel);
/* A GPU's tile kernel whose threads turn what lies across memory in their registers, some
 * vectors of some rows each: without sums, and where all matrices have whole vectors. */
static inline bool fs_kernel_turns(const struct fs_kernel *k) {
  return k->scheme == FS_TILE && k->tune.vec > 1;
}
bool fs_is_paired(int op);

/* Fills kernel->tune for the device; deterministic. */
void fs_tune(struct fs_kernel *kernel, const struct fs_device *device);
/* Whether a block, or a cluster of blocks, of a row kernel that is tuned holds all
 * vectors of a row; else it goes over rows, or over panels of columns, in parts. */
bool fs_tune_holds(const struct fs_kernel *kernel);
/* Blocks of a row or flat kernel that registers let a multiprocessor hold, about, when
 * it is walked as kernel->tune says. */
int fs_tune_resident(const struct fs_kernel *kernel);
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

/* The settings that are worth a try, what fs_tune() takes first: other block
 * sizes, serial iterations, vectors of a row in a thread, rows under way in shared
 * memory. Gives how many, at most
 * FS_MAX_VARIANTS; one on the CPU target, which has no such settings. */
enum { FS_MAX_VARIANTS = 15 };
int fs_tune_variants(const struct fs_kernel *kernel,
                     const struct fs_device *device,
                     struct fs_tuning out[FS_MAX_VARIANTS]);

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

/* How a GPU goes along lines of an array: tiles of FS_SCAN_TILE elements, 2^log_lines
 * lines of as many places each as that leaves; a block has the lines of a tile and of
 * their places one of `parts` shares, tile by tile. By shapes alone, so that the order of
 * sums is, too. */
enum { FS_SCAN_TILE = 2048 };
struct fs_scan_cut {
  int log_lines;
  int64_t groups, parts, share; /* of lines; shares of lines, and places in one */
};
/* `count` lines of n elements, which neighbours of other lines lie between if `lines_first`. */
struct fs_scan_cut fs_scan_cut(int64_t n, int64_t count, bool lines_first);

/* Lines of up to FS_SCAN_TILE elements are sorted in a tile; longer ones in passes, by
 * FS_SORT_BITS of their keys each. */
enum { FS_SORT_BITS = 8 };
static inline int fs_sort_passes(enum fs_dtype dt, int64_t n) {
  return n <= FS_SCAN_TILE ? 1 : (int)fs_dtype_size(dt) * 8 / FS_SORT_BITS;
}

/* Whether storing to one slot may overwrite what is loaded from the other: they are the
 * same, or an update in place makes them so. */
bool fs_plan_may_overwrite(const struct fs_plan *plan, int stored, int loaded);

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
