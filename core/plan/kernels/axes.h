/* axes.h - the index space that a group of calls would share. Private to plan/.
 *
 * Every node has its own axes. Two axes of two nodes are the same axis of the
 * kernel when data flows from one to the other element by element, or when both
 * walk the same array the same way; and those of maps of one shape that share nothing
 * but numbers, if no path of results connects them. That is union-find over (node,
 * axis), by the graph alone: a kernel is united again when it is made. */
#ifndef FS_AXES_H
#define FS_AXES_H

#include "core/plan/kernels/inside.h"

enum { FS_MAX_PHASES = 5, FS_CTX = FS_MAX_PHASES + 1, FS_CTX_END = FS_MAX_PHASES };

/* A node that takes part: a member call (one holder, however often it is used),
 * or something that a member reads or repeats (one holder for each use, since
 * one array may be walked along different axes: r*p' + p*r'). */
struct fs_holder {
  fs_id node;
  int src[FS_MOST_SRC];           /* holders of its operands, if inside    */
  bool inside;                    /* computed in the kernel                */
  int cls[FS_MAX_RANK];           /* kernel axis of each of its axes       */
  unsigned mask;                  /* those of nonzero stride, as bits      */
  struct fs_layout layout;        /* !inside: where it lies                */
  fs_id slot_node;                /* !inside: what is stored there         */
  int list;                       /* !inside: 1 + the holder of a list, by which its
                                     first axis is read; 0: by the kernel's; -1:
                                     by a region (of a table)             */
  /* place.c */
  int home;                       /* phase in which it is computed         */
  int ready;                      /* REDUCE: first phase of use            */
  int value[FS_CTX];              /* value index + 1, by phase             */
};

struct fs_axes {
  struct fs_maker *p;
  FS_VEC(struct fs_holder) holders;
  FS_VEC(int) parent;             /* FS_MAX_RANK per holder                */
  int *room, room_for;            /* scratch                               */
  int *saved;                     /* ... `parent` before an attempt        */
  int *wide, n_wide;              /* ... holders of several axes           */
  int n_classes;
  int64_t extent[FS_MAX_RANK];
};

/* Unifies for the calls (ascending), in the room of the last ones. FS_RULE_NONE or the rule that
 * is broken. */
enum fs_rule fs_axes_unify(struct fs_axes *ax, struct fs_maker *p, const fs_id *calls, int n);
/* The holder of a member. */
int fs_axes_member(const struct fs_axes *ax, fs_id id);
void fs_axes_free(struct fs_axes *ax);
/* Whether no path of results leads from the one call to the other, which comes later. */
bool fs_axes_apart(struct fs_maker *p, fs_id a, fs_id b);

#endif
