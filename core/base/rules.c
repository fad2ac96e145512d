/* rules.c - the table of the numbers that experiment decides (rules.def). */
#include "core/base/rules.h"

const struct fs_figure_row fs_figures[FS_FIGURES] = {
#define RULE(name, value, what, ...) {#name, value, what, __VA_ARGS__},
#include "core/base/rules.def"
#undef RULE
};

static double tried[FS_FIGURES];

double fs_share(enum fs_figure n) {
  return tried[n] > 0 ? tried[n] : fs_figures[n].value;
}

void fs_figure_try(enum fs_figure n, double value) { tried[n] = value; }
