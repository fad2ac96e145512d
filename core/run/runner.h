/* runner.h - what a runner is made of, private to the files that look blocks up and run them. */
#ifndef FS_RUNNER_H
#define FS_RUNNER_H

#include "core/run/blocks.h"
#include "core/run/products.h"
#include "core/run/recall.h"
#include "core/run/tunings.h"

enum { FS_MOST_BLOCKS = 1024 };

/* Blocks of one structure that loops had, and which of their sizes have code of their own,
 * by fs_graph_kind(). */
struct fs_family {
  uint64_t structure;
  FS_VEC(uint64_t) sizes;
  int last;                   /* number of the last block of another size; 0: none */
  bool claimed;               /* a loop has it for itself, and with it its size's plan */
  int alike;                  /* blocks that were planned like the one before */
  double searched;            /* bytes that the last one moves whose plan was searched for */
  enum fs_strategy strategy;  /* ... which was planned by this */
};

struct fs_runner {
  struct fs_target *target;
  struct fs_run_options options;
  FS_VEC(struct fs_block *) blocks;
  struct fs_block *by_hash[FS_MOST_BLOCKS]; /* the first one of a hash, modulo that */
  int64_t nodes;                     /* of their graphs */
  uint64_t chance;                   /* the state of random numbers, the same in every run */
  FS_VEC(struct fs_block *) timing;  /* ran with timers since the last sync */
  int64_t hits, misses;
  uint64_t clock;
  int numbered;
  struct fs_block *last;
  struct fs_recall *recall;
  struct fs_tunings *tunings;        /* NULL: not asked for yet */
  FS_VEC(struct fs_family) families;
  struct fs_products products;
  FS_VEC(struct fs_tensor *) wholes; /* of a run: of cut inputs that it wants whole */
};

/* -- the block cache (blocks.c) ------------------------------------------------- */

/* Finds or compiles the block of a simplified graph, and keeps the graph, but where a block
 * that was found has its own. */
enum fs_status fs_block_find(struct fs_runner *r, struct fs_graph *simplified,
                             const struct fs_diags *sources, struct fs_block **out,
                             struct fs_diags *d);
/* By which a block is found, together with its graph. */
uint64_t fs_block_hash(const struct fs_plan_options *o, const struct fs_graph *g);
/* The combination that `:tune` chose for a block, or NULL. A new file of those is said in d (or
 * NULL). */
const char *fs_block_tuned_choice(struct fs_runner *r, uint64_t hash, struct fs_diags *d);
/* Whether it is the plan of that choice (or NULL). */
void fs_plan_mark_tuned(struct fs_plan *plan, const char *choice);
/* A block of any size that comes again and again is planned anew for its own size, unless
 * it has sums: those would be in another order then. */
void fs_block_outlive(struct fs_runner *r, struct fs_block *b);

#endif
