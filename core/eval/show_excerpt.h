/* show_excerpt.h - inside the display of values: the part of an array that is seen.
 * show.c prints it as text, show_html.c as a table. */
#ifndef FS_SHOW_EXCERPT_H
#define FS_SHOW_EXCERPT_H

#include "core/eval/show.h"

/* How the floats of one array are printed. */
struct fs_number_format {
  bool scientific;
  int decimals;
};

enum {
  ALL_ROWS = 10,   /* a matrix of at most so many rows is shown whole    */
  ALL_COLUMNS = 10,
  EDGE = 3,        /* else so many at each end                           */
  ALL_LINE = 20,   /* a vector of at most so many elements is shown whole */
  EDGE_LINE = 5,
  ALL_PAGES = 4,   /* pages of a tensor of rank 3 or 4 */
  FS_CELL = 88,     /* bytes of a cell's text */
  MOST_SHOWN = 1000 /* rows or columns, whatever the screen or a setting allows */
};

/* The indexes shown along one axis: all, or some from both ends. */
struct fs_picks {
  int n;           /* shown */
  int head;        /* the first `head` are 0, 1, ...; n if all are shown */
  int64_t *index;
};

struct fs_excerpt {
  enum fs_dtype dtype;
  const struct fs_shape *shape;
  bool line;                /* a vector: one page, one row, wrapped */
  struct fs_picks pages, rows, columns;
  int64_t n_pages, n_rows, n_columns;
  struct fs_number *values; /* pages x rows x columns, as picked; then the imaginary parts */
  int count;                /* of those */
  const char *type;
  bool complex;
  struct fs_number_format format;
  int width, part[2];       /* of a cell, and of the parts of a complex one */
  int lines;                /* that a vector may take; 0: as many as it does */
};

/* Fetches what is seen of an array with at least one element and chooses its
 * number format. The caller frees it, also after a failure. */
enum fs_status fs_excerpt_make(struct fs_excerpt *v, const struct fs_show_array *a,
                            const struct fs_show_options *o, struct fs_diags *d);
void fs_excerpt_free(struct fs_excerpt *v);
void fs_excerpt_cell(const struct fs_excerpt *v, const struct fs_number *n,
                  char out[FS_CELL]);
/* The index along the leading axes of page number `page`. */
void fs_excerpt_page(const struct fs_shape *shape, int64_t page, int64_t *index);

/* The signs of the layout. */
struct fs_glyphs {
  const char *times, *dots, *down, *diagonal;
  int dots_width;
};
const struct fs_glyphs *fs_glyphs(bool only_ascii);
/* "f32[4096x3]", with the sign for times. */
void fs_show_array_type(const char *type, const struct fs_shape *shape,
                        bool only_ascii, struct fs_str *out);
/* The table of an array's view (show_html.c); the name may be NULL. */
void fs_excerpt_html(const struct fs_excerpt *v, const char *name,
                  struct fs_str *out);

#endif
