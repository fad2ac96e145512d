/* times.c - see times.h. */
#include "core/base/times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void fs_times_add(struct fs_times *s, double seconds) {
  if (!s->step) s->step = 1;
  if (s->n % s->step == 0) {
    if (s->kept == FS_TIMES_KEPT) { /* every other one goes */
      for (int k = 0; k < FS_TIMES_KEPT / 2; k++) s->some[k] = s->some[2 * k];
      s->kept = FS_TIMES_KEPT / 2;
      s->step *= 2;
    }
    if (s->n % s->step == 0) s->some[s->kept++] = seconds;
  }
  s->n++;
  s->sum += seconds;
  s->last = seconds;
}

void fs_times_add_all(struct fs_times *s, const struct fs_times *other) {
  int64_t n = s->n + other->n;
  double sum = s->sum + other->sum;
  for (int k = 0; k < other->kept; k++) fs_times_add(s, other->some[k]);
  s->n = n;
  s->sum = sum;
  if (other->n) s->last = other->last;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double fs_times_quantile(const struct fs_times *s, double q) {
  double v[FS_TIMES_KEPT];
  if (!s->kept) return NAN;
  memcpy(v, s->some, sizeof *v * (size_t)s->kept);
  qsort(v, (size_t)s->kept, sizeof *v, compare);
  double at = q * (s->kept - 1);
  int low = (int)at, high = low + (at > low);
  return v[low] + (at - low) * (v[high] - v[low]);
}
