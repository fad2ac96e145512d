/* launches.h - what runs of a plan: kernels in launch order, and the slots that they read and
 * write. How it was found is fs_plan.found (plan.h). */
#ifndef FS_LAUNCHES_H
#define FS_LAUNCHES_H

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

struct fs_findings;

struct fs_plan {
  struct fs_arena *arena;   /* owns everything below, but for lists        */
  const struct fs_graph *graph; /* simplified; owned by the plan           */
  FS_VEC(struct fs_kernel) kernels;  /* in launch order                    */
  FS_VEC(struct fs_slot) slots;
  int *result_slot;         /* per graph output; slots may be shared       */
  struct fs_layout *result_layout; /* how the output lies in that slot     */
  bool any_size;            /* as in the options                           */
  double predicted;         /* sum over kernels */
  double bytes, peak_bytes; /* traffic; temporaries and results together   */
  struct fs_findings *found; /* for those that show it                     */
};

/* How many bytes behind the start of its storage the pointer of a slot is, which accesses
 * count from: as far as the anchor of an INPUT, or of a PART, as the graph has it now. */
int64_t fs_slot_begin(const struct fs_plan *plan, int slot);
/* The slot that a slot is a part of; itself if it is none. */
int fs_slot_whole(const struct fs_plan *plan, int slot);
/* The kernel that has a call; -1: none. */
int fs_plan_kernel_of(const struct fs_plan *plan, fs_id call);
/* Finds the live ranges of slots. */
void fs_plan_touch_slots(struct fs_plan *plan);

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

#endif
