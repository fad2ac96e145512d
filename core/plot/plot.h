/* plot.h - pictures of numbers: what plot(), scatter(), hist(), heatmap() and
 * roofline() show, as plain data, and the three forms in which it leaves.
 *
 *   data -> struct fs_plot -> fs_plot_text()   braille or ASCII for terminals
 *                          -> fs_plot_svg()    a standing picture
 *                          -> fs_plot_vega()   Vega-Lite, for notebooks
 *
 * All three are functions of the plot alone and give the same bytes for the same
 * plot. NaN and infinities are gaps; on a logarithmic axis so is what is not
 * positive.
 */
#ifndef FS_PLOT_H
#define FS_PLOT_H

#include <jansson.h>

#include "core/base/base.h"

enum fs_mark {
  FS_MARK_LINE,   /* x[k], y[k] in order, broken at gaps                     */
  FS_MARK_POINTS,
  FS_MARK_BARS,   /* x: n + 1 edges, y: n heights from 0, NaN for no bar     */
  FS_MARK_CELLS   /* y: rows x columns values, row 1 at the top              */
};

struct fs_series {
  enum fs_mark mark;
  char *name;              /* or NULL */
  int64_t n;               /* points; bars; cells */
  double *x, *y;
  int64_t rows, columns;   /* CELLS: of the picture */
  int64_t all_rows, all_columns; /* of the matrix that it is made of */
  char **labels;           /* POINTS: one for each point, or NULL */
};

struct fs_axis {
  char *label;             /* or NULL */
  bool log;
  FS_VEC(char *) names;    /* of the places 1, 2, ...; none: numbers */
};

struct fs_plot {
  char *title;             /* or NULL */
  struct fs_axis x, y;
  FS_VEC(struct fs_series) series;
};

/* A new plot without series; all of it is freed by fs_plot_free(). */
struct fs_plot *fs_plot_new(void);
void fs_plot_free(struct fs_plot *p); /* NULL is allowed */
/* A series with room for n points, or n bars with n + 1 edges, zeroed. `name`
 * is copied. Valid until the next one is added. */
struct fs_series *fs_plot_add(struct fs_plot *p, enum fs_mark mark, int64_t n,
                              const char *name);

/* -- axes (plot.c) ----------------------------------------------------------- */

enum { FS_TICKS_MAX = 24 };

/* What an axis shows, after taking logarithms where it is logarithmic. */
struct fs_scale {
  double low, high;        /* of the axis, log10 if `log`; low < high */
  bool log, reversed;
  int digits;              /* significant ones that tell the ticks apart */
  int n_ticks;
  double tick[FS_TICKS_MAX]; /* values as they are written */
  char *const *names;      /* of the ticks, or NULL: borrowed from the plot */
};

enum { FS_NAMES_SLANT = -40, FS_LABEL_GAP = 7 /* pixels from a dot to its label */ };

/* The scales that show every point of the plot. False if there is no finite
 * point. */
bool fs_plot_scales(const struct fs_plot *p, struct fs_scale *x,
                    struct fs_scale *y);
/* Where v lies on the axis: 0 at its low end, 1 at its high end; NaN for a gap. */
double fs_scale_at(const struct fs_scale *s, double v);
/* The words of tick k: "0.25", "1e-06", or a name, not made safe. Valid as long as
 * `room` and the plot. */
const char *fs_tick_text(const struct fs_scale *s, int k, char room[32]);
/* Whether the names do not fit beside each other on an axis of so many pixels: then
 * they slant by FS_NAMES_SLANT degrees, which keeps 24 of them apart. */
bool fs_scale_slants(const struct fs_scale *s, double pixels);
/* Takes the names a,b,c for the places of the axis. */
void fs_axis_name(struct fs_axis *axis, const char *names);
/* Bars k of n beside each other at every place 1, 2, ...: the heights y[0..m). */
void fs_plot_add_bars(struct fs_plot *p, int k, int n, const double *y,
                      int64_t m, const char *name);
/* Smallest and largest finite cell; false if there is none. */
bool fs_cells_range(const struct fs_series *s, double *low, double *high);
/* The series has a name and there is more than one, or it is no bars or cells. */
bool fs_plot_has_legend(const struct fs_plot *p);

/* Where the label of a dot stands: at its right or left, so many pixels lower. */
struct fs_label_place { bool left; double lower; };
/* Places the labels of a series of points in a picture of width x height pixels, with
 * `beyond` free ones at its right, so that as few as can be lie over each other.
 * `out` has room for s->n; dots without a label or a place are left as they are. */
void fs_plot_place_labels(const struct fs_series *s, const struct fs_scale *x,
                          const struct fs_scale *y, double width, double height,
                          double beyond, struct fs_label_place *out);

/* -- forms ------------------------------------------------------------------- */

struct fs_plot_look {
  int width;               /* columns; at least 20 */
  int height;              /* lines of the picture proper; 0: 15 */
  bool ascii;
};

/* Lines without control characters, none longer than the width, ended by '\n'
 * but for the last. `ink` (may be NULL) gets as many lines: for every column a
 * digit, which series it shows, or a blank. */
void fs_plot_text(const struct fs_plot *p, const struct fs_plot_look *look,
                  struct fs_str *out, struct fs_str *ink);
/* What the plot shows in one sentence, for those who do not see it:
 * `line plot "Decay" of "fast", "slow"; seconds from 0 to 10; y from 0.1 to 1`.
 * Labels are put as they are, cut to a few dozen bytes. */
void fs_plot_alt(const struct fs_plot *p, struct fs_str *out);
/* Pixels of the SVG document, and of the picture proper in it. */
enum { FS_SVG_WIDTH = 640, FS_SVG_HEIGHT = 400, FS_PLOT_WIDTH = 550,
       FS_PLOT_HEIGHT = 316 };
/* A whole SVG document without scripts, styles, links and ids. */
void fs_plot_svg(const struct fs_plot *p, struct fs_str *out);
/* A Vega-Lite 5 specification with its data. Given. */
json_t *fs_plot_vega(const struct fs_plot *p);

#endif
