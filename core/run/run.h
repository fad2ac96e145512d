/* run.h - running planned blocks; blocks seen before skip the planner. */
#ifndef FS_RUN_H
#define FS_RUN_H

#include "core/base/times.h"
#include "core/plan/calls/options.h"
#include "core/run/tensor.h"

enum { FS_ROUND_HOMES = 30 }; /* results of a block whose rounds follow at once */

/* What a run read: the storage (fs_storage.serial) that an input lay in. */
struct fs_block_input {
  uint64_t serial;
  size_t bytes;
};

/* A compiled block: what the block cache holds. */
struct fs_block {
  uint64_t hash;
  struct fs_block *next;     /* in the runner's table of blocks by hash */
  bool hidden;               /* it is not there, and not to be found */
  struct fs_life *life;      /* memo.h: what is remembered of it    */
  struct fs_plan *plan;
  struct fs_code **codes;    /* per kernel                                 */
  struct fs_timer **timers;  /* per kernel                                 */
  struct fs_replay *replay;  /* the target's, of all kernels together      */
  bool at_once;              /* all storage may be made before the first
                                kernel starts: no more than the plan says  */
  int *slot_at[2], *next_slot[2]; /* per kernel: a slot that it uses first, last, + 1;
                                per slot: the next such one                */
  double *measured;          /* per kernel: seconds of the last timed run;
                                FS_LEFT_OUT; else < 0                      */
  bool *left_out;            /* per kernel: a copy that this run did without; the runs
                                behind it, which are not timed, may need it */
  double compile_seconds;    /* 0 when nothing was compiled                */
  int64_t runs;
  double seconds;            /* of the last run, by the host's clock, where the host waits
                                for kernels; else < 0                       */
  int64_t in_a_row;          /* runs of the last call, more than one as rounds of a loop */
  struct fs_times row;       /* ... and the seconds of each, where the host waits        */
  bool cold;                 /* the last run was the first, or wrote to new memory */
  int number;                /* "block 2"                                  */
  uint64_t last_used;
  int timed_runs;            /* since the last fs_runner_sync(); whoever tells the
                                places apart where a block is written sets it
                                when it is launched                         */
  int timed_in_all;
  bool fresh;                /* `measured` is new: the caller clears it      */
  bool timed_cold;           /* ... and of a run that was cold              */
  bool quick;                /* ran last as code that was compiled quickly   */
  struct fs_block_input *inputs; /* per graph input, of the last run        */
  const struct fs_diags *sources; /* borrowed: where its texts are          */
  int rounds;                /* of a block of any size: how often it ran    */
  bool untimed;              /* one of many that are like each other but for their
                                sizes: few of them are measured            */
  struct fs_bound *bound;    /* what a run of it is made of, see launch.c   */
  void *described;           /* what core/view made of the plan ...         */
  uint64_t described_as;     /* ... in these words of the user's            */
  void (*drop_described)(void *described); /* NULL: there is nothing        */
};

/* In the place of a kernel's seconds: a copy that the run did without, as nobody else
 * has the value that it would have kept (an update in place). */
#define FS_LEFT_OUT (-2.0)

/* The storage of one run, by the plan's slots, and what is read. */
struct fs_bound {
  struct fs_storage **storages;
  void **ptrs;
  bool *skip;                /* per kernel: a copy made needless */
  struct fs_code **codes;    /* per kernel: the block's, NULL for those copies */
  struct fs_tensor **inputs; /* per graph input */
  struct fs_number *params;
};

/* The graph that it was planned from, the plan's; whether it has a kernel. */
const struct fs_graph *fs_planned_graph(const struct fs_block *b);
bool fs_block_computes(const struct fs_block *b);

struct fs_runner;            /* target, block cache, settings */

/* `:fuse q s`, `:split q s`: variables that a block assigns, or the numbers of
 * its statements. It holds for blocks that have both. */
struct fs_named_pin {
  const char *a, *b;
  bool together;
};

/* `:pin 1 threads=256`: how a kernel of one block runs, on one kind of target. */
struct fs_block_pin {
  uint64_t graph;            /* fs_graph_hash() of the simplified graph     */
  bool cuda;
  struct fs_kernel_pin pin;
};

/* Of a block: its graph gets other words, it gets other sizes or another plan, it goes. */
enum fs_change { FS_OTHER_WORDS, FS_OTHER_PLAN, FS_GONE };

struct fs_run_options {
  enum fs_strategy strategy;
  int effort;                /* as in fs_plan_options                        */
  const struct fs_named_pin *pins;  /* borrowed */
  int n_pins;
  const struct fs_block_pin *kernel_pins; /* borrowed */
  int n_kernel_pins;
  bool apart;                /* every kernel has its own launch, and time   */
  bool hasty;                /* kernels that are new first run as quickly compiled
                                code, and in full when that is there         */
  bool in_loop;              /* rounds of a loop: sizes may change with each */
  bool timed;                /* measure kernels (events)                    */
  bool heard;                /* somebody is told the times of every input: else
                                a block is measured in its first runs only   */
  /* A block is about to be launched whose caller will hear of it (`out`). */
  void (*launching)(void *user, struct fs_block *block);
  /* What is about to happen to a block of the cache. */
  void (*changing)(void *user, struct fs_block *block, enum fs_change change);
  void *user;
};

struct fs_runner *fs_runner_new(struct fs_target *borrows);
void fs_runner_free(struct fs_runner *r);
/* Forgets all blocks: they are planned anew. Nothing may be under way. */
void fs_runner_clear(struct fs_runner *r);
struct fs_run_options *fs_runner_options(struct fs_runner *r);
struct fs_target *fs_runner_target(const struct fs_runner *r);
/* What `:tune` found for this device; read when first asked for. */
struct fs_tunings *fs_runner_tunings(struct fs_runner *r);

/* The whole pipeline (see compile.c): simplifies, looks the block up, plans and
 * compiles it if new, allocates results, launches. `handles[k]` is the lazy
 * handle of g->outputs[k]; on FS_OK every one is stored. On failure nothing
 * has changed but the diagnostics; an old value that a kernel has overwritten by then,
 * in place, is lost (FS_TS_LOST). The kernels may still be running when this
 * returns (cuda). *out (may be NULL) is borrowed from the cache. */
enum fs_status fs_run_graph(struct fs_runner *r, struct fs_graph *g,
                            struct fs_tensor **handles,
                            const struct fs_diags *sources,
                            struct fs_block **out, struct fs_diags *d);

/* The block that ran last. Borrowed, until another one runs. */
struct fs_block *fs_runner_last(const struct fs_runner *r);
/* Whether the host waits for each kernel: then times are known when it returns. */
bool fs_runner_waits(const struct fs_runner *r);

/* What is remembered of a block: memo.h. */
struct fs_epoch {
  const struct fs_runner *runner;
  int64_t turn;              /* the block's */
  enum fs_strategy strategy;
  int64_t language;          /* a number that another meaning of the functions that
                                statements call changes, or 0 */
};
struct fs_memo {
  struct fs_life *life;      /* a reference; NULL: nothing */
  struct fs_epoch epoch;
};
/* Whether a block may run again without its graph: not where names or the order of
 * statements count. */
bool fs_run_may_recall(const struct fs_runner *r);
/* Rounds of a loop that may follow on a run at once, since they are the same kernels with
 * other numbers: where the host waits for them, no library is called, and results lie where
 * the values lie that they replace, or can change places with them. */
struct fs_rounds {
  int64_t left;              /* so many at most */
  enum fs_status (*next)(void *user, struct fs_diags *d); /* the numbers of one more */
  void *user;
  const struct fs_storage *home[FS_ROUND_HOMES]; /* of each result: what it replaces */
  int64_t done;              /* so many did */
  enum fs_status failed;     /* what ended them, else FS_OK: those before it stay done */
};
/* What counts now, for memo.h; turn: of any block. */
struct fs_epoch fs_run_epoch(const struct fs_runner *r, int64_t language);
/* Runs a block of a memo with these inputs, params and anchors, in the order of its graph;
 * dying[]: of each input, whether nobody wants it after the block (fs_graph_input.dying). handles
 * as for fs_run_graph(). more: what may follow at once, or NULL. */
enum fs_status fs_run_again(struct fs_runner *r, struct fs_block *b,
                            struct fs_tensor *const *inputs, const bool *dying,
                            const struct fs_number *params, const fs_anchor_list *anchors,
                            struct fs_tensor **handles, struct fs_rounds *more,
                            struct fs_diags *d);

/* Plans without running: for :explain and the dumps. Gives the plan; NULL where `seen` (or
 * NULL) knows the block already by what tells it from others. */
struct fs_plan *fs_explain_graph(struct fs_runner *r, struct fs_graph *g,
                                 const struct fs_diags *sources,
                                 bool (*seen)(void *user, uint64_t hash), void *user);

/* The timer of a kernel, the block's: made when it is first asked for. */
struct fs_timer *fs_block_timer(struct fs_block *b, struct fs_target *target, int k);
/* Whether the block's next run is measured, so that its timers will hold that run. */
bool fs_run_is_timed(const struct fs_runner *r, const struct fs_block *b);
/* Whether blocks were measured whose times were not read yet. */
bool fs_run_waits(const struct fs_runner *r);
/* Waits, and fills block->measured of blocks run since the last call. */
enum fs_status fs_runner_sync(struct fs_runner *r, struct fs_diags *d);

/* How often a block was found in the cache and how often not. */
void fs_runner_cache_stats(const struct fs_runner *r, int64_t *hits,
                           int64_t *misses);

#endif
