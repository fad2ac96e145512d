/* rules.h - the numbers that experiment decides, as a table (rules.def). */
#ifndef FS_BASE_RULES_H
#define FS_BASE_RULES_H

#include "core/base/base.h"

enum fs_figure {
#define RULE(name, ...) FS_##name,
#include "core/base/rules.def"
#undef RULE
  FS_FIGURES
};
struct fs_figure_row {
  const char *name;
  double value;
  const char *what;     /* ... it is a number of                               */
  const char *cases;    /* that decide it; "not measured"                      */
  const char *device, *date; /* of the measurement; "" where no one wrote it down */
};
extern const struct fs_figure_row fs_figures[FS_FIGURES];
double fs_share(enum fs_figure n);
static inline int64_t fs_number(enum fs_figure n) { return (int64_t)fs_share(n); }
/* For experiments (bench/rules.c), before anything is planned: another value from now on; 0:
 * that of the table again. */
void fs_figure_try(enum fs_figure n, double value);

#endif
