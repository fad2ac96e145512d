/* show.h - how values look: `q = f32[4096]`, elided corners, aligned columns.
 *
 * Only what is shown is copied from the device, as at most a few small boxes.
 */
#ifndef FS_SHOW_H
#define FS_SHOW_H

#include "core/eval/value.h"

enum { FS_SHOW_DIGITS = 6 };

struct fs_show_options {
  int width;   /* characters to fit into; 0: 80                            */
  int digits;  /* significant digits of numbers with a fraction; 0: FS_SHOW_DIGITS */
  bool ascii;  /* x ... for the multiplication sign and the dots           */
  int screen;  /* lines that a value may fill, at a terminal; 0: no terminal */
  int rows;    /* of a matrix, shown whole at most; 0: what fills the screen, else 10 */
  int columns; /* 0: what fits into the width at a terminal, else 10       */
  bool whole;  /* all of it, with the numbers of rows and columns, however wide */
};

/* Copies the box first[k] .. first[k]+count[k]-1 as dense row-major data. */
typedef enum fs_status fs_show_fetch(void *user, const int64_t *first,
                                     const int64_t *count, void *out,
                                     struct fs_diags *d);

/* Appends "name = ..." without a newline at the end; `name` may be NULL.
 * A tensor must be stored: the caller computes lazy ones first. */
enum fs_status fs_show_value(const char *name, const struct fs_val *v,
                             const struct fs_show_options *o,
                             struct fs_str *out, struct fs_diags *d);

/* The same, and unless `html` (empty at first) is NULL also as HTML: an elided
 * table with the indexes of rows and columns, other values as <pre>. Only fixed
 * tags, without attributes; names and texts are escaped. */
enum fs_status fs_show_both(const char *name, const struct fs_val *v,
                            const struct fs_show_options *o, struct fs_str *out,
                            struct fs_str *html, struct fs_diags *d);

/* An array from any source of elements, of which a complex one has two: `user` is what
 * fetch() gets for real parts, `imaginary` for the others; NULL: it is real. */
struct fs_show_array {
  enum fs_dtype dtype;
  const struct fs_shape *shape;
  fs_show_fetch *fetch;
  void *user, *imaginary;
};
/* The array part of it; `html` may be NULL. */
enum fs_status fs_show_array(const char *name, const struct fs_show_array *a,
                             const struct fs_show_options *o,
                             struct fs_str *out, struct fs_str *html,
                             struct fs_diags *d);

/* "f32[4096x3]", "f64" for a rank-0 tensor; "number", "function", ... */
void fs_show_type(const struct fs_val *v, bool ascii, struct fs_str *out);
/* The shortest decimal text of one element in memory that reads back as the
 * same element: "0.1", "1e-09", "42", "true", "NaN". Gives its length. */
int fs_show_shortest(enum fs_dtype dt, const void *element, char out[40]);
/* A host number: "0.25", "8192", "1e-09", "NaN", "-Inf". */
void fs_show_number(double x, int digits, struct fs_str *out);
/* "2 + 3i" */
void fs_show_complex(double re, double im, int digits, struct fs_str *out);

#endif
