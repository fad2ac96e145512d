/* launch.h - one run of a block: storage for its slots, its kernels started, its results given to
 * their handles. Private to run.c, launch.c and rounds.c. */
#ifndef FS_LAUNCH_H
#define FS_LAUNCH_H

#include "core/run/runner.h"

struct fs_launch {
  struct fs_runner *r;
  struct fs_block *block;
  const struct fs_graph *traced;  /* this run's; or, where nothing was traced: */
  const bool *dying;              /* of each input, whether nobody wants it then */
  struct fs_bound *now;
  int left_out;                   /* the first copy that the run does without, or how many
                                     kernels there are */
  bool overwrites;                /* a kernel that overwrites an old value has been started,
                                     or may have been, and others are to come */
  struct fs_rounds *more;         /* that may follow, or NULL */
};

/* A run before may have ended in a jump: what it had bound is forgotten. */
void fs_launch_clear(const struct fs_launch *l);
/* Sees that a slot has storage; of an input it is a reference of the input's. */
enum fs_status fs_launch_slot(struct fs_launch *l, int slot, struct fs_diags *d);
/* Whether nobody wants an input after the block. */
bool fs_launch_dies(const struct fs_launch *l, int input);
/* Lets updates of values that die with this block happen in place. All storage
 * is made first and interrupts wait, so that hardly anything stops the block once an old
 * value is being overwritten. */
enum fs_status fs_launch_take_over(struct fs_launch *l, struct fs_diags *d);
/* Whether the run overwrites old values. */
bool fs_launch_takes_over(const struct fs_launch *l);
/* The value that is overwritten instead of what kernel k would copy; NULL: none. */
struct fs_tensor *fs_launch_taken(const struct fs_launch *l, int k);
/* Starts the kernels. Where the host waits for them, that is their time, but for what
 * new memory takes. */
enum fs_status fs_launch_start(struct fs_launch *l, bool timed, struct fs_diags *d);
/* Old values that were overwritten are values again, or, if the run failed, lost for good. */
void fs_launch_end_overwriting(struct fs_launch *l, bool good);
/* Each handle is stored. */
enum fs_status fs_launch_give_results(struct fs_launch *l, struct fs_tensor **handles,
                                      struct fs_diags *d);
/* Once the block has run: lists that were good, and what was written since. */
void fs_launch_remember_lists(struct fs_launch *l);
/* A layout over squeezed axes as one over the user's dimensions. */
struct fs_layout fs_unsqueeze(const struct fs_layout *squeezed, const struct fs_shape *shape);

/* Rounds after the first (rounds.c): places, numbers and the kernels. Should it jump, each name
 * has the value of the last round. */
void fs_launch_rounds(struct fs_launch *l, struct fs_diags *d);

#endif
