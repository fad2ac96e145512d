/* account.h - where the time of an input goes: one clock that always runs for one part.
 *
 *   enum fs_part before = fs_account_to(FS_PART_COMPILING);
 *   ...
 *   fs_account_to(before);
 *
 * Each part has the time in which it was the part of this thread, so no time counts twice.
 * What runs outside of all parts is in FS_PART_NONE: it is missing in the account, and
 * tests see to it that it is nothing to speak of. A jump out of a part (no memory) leaves
 * it as it is until somebody names another one. */
#ifndef FS_ACCOUNT_H
#define FS_ACCOUNT_H

#include "core/base/base.h"

enum fs_part {
  FS_PART_NONE,
  FS_PART_HOST,      /* reading, tracing, binding, starting, showing            */
  FS_PART_PLANNING,
  FS_PART_COMPILING, /* and loading                                             */
  FS_PART_TOUCH,     /* memory that is new: the system clears it at first touch */
  FS_PART_LATE,      /* kernels of values that were computed only when read     */
  FS_PART_KERNELS,   /* all other kernels, as long as the host waits for them   */
  FS_PART_COPIES,    /* between host and device                                 */
  FS_PARTS
};

struct fs_account {
  double seconds[FS_PARTS];
  enum fs_part part;
  double since;      /* fs_now() when it became that part   */
  bool late;         /* kernels that start now compute a late value */
  int64_t touched;   /* bytes of new memory, ever           */
};

extern _Thread_local struct fs_account fs_account;

/* From now on time is that of `part`; gives the part before. */
static inline enum fs_part fs_account_to(enum fs_part part) {
  struct fs_account *a = &fs_account;
  enum fs_part before = a->part;
  double now = fs_now();
  a->seconds[before] += now - a->since;
  a->since = now;
  a->part = part;
  return before;
}

/* The part of kernels that start, or are waited for, now. */
static inline enum fs_part fs_account_kernels(void) {
  return fs_account.late ? FS_PART_LATE : FS_PART_KERNELS;
}

/* Begins an account: all is zero, and the clock runs for `part`. Gives fs_now(). */
double fs_account_begin(enum fs_part part);

#endif
