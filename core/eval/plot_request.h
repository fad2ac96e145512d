/* plot_request.h - a plot that waits for its block to run: which values it shows,
 * and how. The values stay where they are until then; read, they are points, so
 * many as a picture needs. */
#ifndef FS_PLOT_REQUEST_H
#define FS_PLOT_REQUEST_H

#include "core/eval/interp.h"
#include "core/plot/plot.h"

enum fs_plot_kind {
  FS_PLOT_LINES, FS_PLOT_POINTS, FS_PLOT_HISTOGRAM, FS_PLOT_HEATMAP,
  FS_PLOT_BARS,
  FS_PLOT_ROOFLINE, FS_PLOT_PREDICTIONS /* of kernels: the session fills them */
};

/* One curve: a vector, a range or a column of a matrix over another, or over
 * 1, 2, ... */
struct fs_plot_source {
  struct fs_val x, y;       /* one reference each; x may be FS_V_NONE */
  int64_t x_column, y_column; /* from 0 */
  int64_t n;                /* points */
  char *name;               /* or NULL */
};

struct fs_plot_request {
  enum fs_plot_kind kind;
  FS_VEC(struct fs_plot_source) sources;
  char *title, *x_label, *y_label, *names; /* names: "a,b,c" */
  bool log_x, log_y;
  int64_t bins;             /* HISTOGRAM; 0: by the number of values */
  struct fs_span span;
};

struct fs_plot_request *fs_plot_request_new(enum fs_plot_kind kind,
                                            struct fs_span span);
void fs_plot_request_free(struct fs_plot_request *r); /* NULL is allowed */
bool fs_plot_request_shows(const struct fs_plot_request *r,
                           const struct fs_tensor *t);

/* Computes what is not stored, reads the values in pieces and gives the plot.
 * Of more than a few thousand points those are kept that a picture shows:
 * of a line the first, last, lowest and highest of each of 1,000 runs of points
 * (Jugel and others, M4, VLDB 2014), of scattered points one for each cell of a
 * fine grid, of a matrix the means over blocks. What is about
 * kernels is left without series: the session knows them. */
enum fs_status fs_plot_read(struct fs_interp *in, struct fs_plot_request *r,
                            struct fs_plot **out);

#endif
