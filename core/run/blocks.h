/* blocks.h - the block cache: by what blocks are planned and found. */
#ifndef FS_BLOCKS_H
#define FS_BLOCKS_H

#include "core/run/run.h"

/* What the runner plans a simplified graph by: its strategy, and those of its
 * pins that are about the graph. Free it with fs_plan_request_free(). */
struct fs_plan_request {
  struct fs_plan_options options;
  FS_VEC(struct fs_pin) pins;
  FS_VEC(struct fs_kernel_pin) kernel_pins;
};
struct fs_plan_request fs_plan_request(const struct fs_runner *r,
                                       const struct fs_graph *simplified,
                                       const struct fs_diags *sources);
void fs_plan_request_free(struct fs_plan_request *q);

/* Whether the block is planned by the strategy and the pins of now. */
bool fs_runner_is_current(const struct fs_runner *r, const struct fs_block *b,
                          const struct fs_diags *sources);
/* Its plan has become one by those of now, by which it is found from here on. */
void fs_runner_rehash(struct fs_runner *r, struct fs_block *b, const struct fs_diags *sources);

/* Tuned blocks (one hash, or with 0 all) are planned anew when they come again. */
void fs_runner_forget_tuned(struct fs_runner *r, uint64_t hash);

/* Takes a block out of the cache, to be changed: nobody finds it any more, and what was
 * remembered of it is forgotten. */
void fs_run_claim(struct fs_runner *r, struct fs_block *b);
/* A block without a device, of which another one makes it again. */
struct fs_left;
struct fs_left *fs_block_leave(const struct fs_block *b);
void fs_left_free(struct fs_left *l);
/* Plans and compiles it for the runner's device, or finds it there; nothing runs. Numbers
 * that it read elsewhere are not there. */
enum fs_status fs_run_prepare(struct fs_runner *r, const struct fs_left *l,
                              const struct fs_diags *sources, struct fs_block **out,
                              struct fs_diags *d);

#endif
