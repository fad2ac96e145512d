/* times.h - what is kept of many measured times: how many, their sum, and a few of them,
 * evenly spread, for the median and the spread. */
#ifndef FS_TIMES_H
#define FS_TIMES_H

#include <stdint.h>

enum { FS_TIMES_KEPT = 16 };

struct fs_times {
  int64_t n;
  double sum, last;
  int kept;
  int64_t step;                  /* every so many were kept; 0: none came yet */
  double some[FS_TIMES_KEPT];
};

void fs_times_add(struct fs_times *s, double seconds);
/* The times of another series, as well. */
void fs_times_add_all(struct fs_times *s, const struct fs_times *other);
/* Of those that were kept: q 0.5 is the median (of two in the middle their mean). Not a
 * number if there are none. */
double fs_times_quantile(const struct fs_times *s, double q);

#endif
