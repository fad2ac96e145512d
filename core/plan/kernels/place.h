/* place.h - the calls of a group as steps of one kernel. Private to plan/. */
#ifndef FS_PLACE_H
#define FS_PLACE_H

#include "core/plan/kernels/axes.h"

/* What a call walks, as classes of axes. */
struct fs_extent {
  bool reduces, stored;
  unsigned all, reduced; /* of what it reduces; of these those that it sums over */
  unsigned result;       /* of what it stores */
};

struct fs_group { /* of calls that are to share a kernel */
  struct fs_maker *p;
  struct fs_axes ax;     /* unified for them */
  const fs_id *calls;    /* ascending */
  int n;
  bool *stored;          /* per call: its result is wanted outside the kernel */
  struct fs_extent *extents; /* per call */
  int room;              /* for so many calls */
  const struct fs_kernel_pin *pin; /* of the kernel; or NULL */
  int64_t weight[FS_MAX_RANK];     /* of its axes: their strides in the largest array */
};

/* Weighs the axes, which are unified. */
void fs_place_weigh(struct fs_group *g);

/* Finds what each call walks; then whether a division with the classes of `inner` as
 * columns lets all reduce and store what they do: else its rule is "shape". */
void fs_place_measure(struct fs_group *g);
bool fs_place_fits(const struct fs_group *g, unsigned inner);

/* Places the calls in an empty kernel of a scheme, by a division that fits: space, values,
 * accesses and steps in order. FS_RULE_NONE, or the rule that forbids it; the kernel is of no use
 * then. */
enum fs_rule fs_place_calls(struct fs_group *g, unsigned inner, struct fs_kernel *k);

/* Makes one axis of neighbours that every access goes through as one, and counts the
 * rows and columns of the space. */
void fs_place_collapse(struct fs_kernel *k);

#endif
