/* show_excerpt.c - what is seen of a value: numbers in the fewest digits, and of an
 * array the corners, fetched together and given one number format. */
#include "core/eval/show_excerpt.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

/* -- one number -------------------------------------------------------------- */

static void element_text(enum fs_dtype dt, double v, int precision,
                         char out[40], double *back) {
  snprintf(out, 40, "%.*g", precision, v);
  *back = strtod(out, NULL);
  if (dt == FS_F32) *back = strtof(out, NULL);
  else *back = fs_dtype_round(dt, *back);
}

/* The text of a float with the fewest digits that reads back the same. */
static int shortest_float(enum fs_dtype dt, double v, char out[40]) {
  if (isnan(v)) return snprintf(out, 40, "NaN");
  if (isinf(v)) return snprintf(out, 40, v < 0 ? "-Inf" : "Inf");
  int first = (int)((fs_dtypes[dt].digits - 1) * log10(2)); /* which every text of them keeps */
  double back = 0;
  for (int p = first; p <= 17; p++) {
    element_text(dt, v, p, out, &back);
    if (back == v) break;
  }
  return (int)strlen(out);
}

static int put_whole(enum fs_dtype dt, int64_t i, char *out, size_t size) {
  return dt == FS_U64 ? snprintf(out, size, "%llu", (unsigned long long)i)
                      : snprintf(out, size, "%lld", (long long)i);
}

int fs_show_shortest(enum fs_dtype dt, const void *element, char out[40]) {
  struct fs_number n = fs_element_get(dt, element);
  if (dt == FS_BOOL) return snprintf(out, 40, n.i ? "true" : "false");
  if (!fs_dtype_is_float(dt)) return put_whole(dt, n.i, out, 40);
  return shortest_float(dt, n.f, out);
}

/* The double nearest to the shortest text: 0.1f becomes 0.1, so that more
 * decimals never show what is not in the number. Whole numbers, of which all digits
 * are shown, stay what they are: 65504, not 65500. */
static double plain_value(enum fs_dtype dt, double v) {
  char text[40];
  if (dt == FS_F64 || !isfinite(v)) return v;
  if (v == rint(v) && fabs(v) < 1e10) return v;
  shortest_float(dt, v, text);
  return strtod(text, NULL);
}

/* Of v rounded to `digits` significant digits: its decimal exponent, and how
 * many decimals it needs (-2 for 1200, 3 for 0.125). */
static void measure(double v, int digits, int *exponent, int *needed) {
  char text[40];
  snprintf(text, sizeof text, "%.*e", digits - 1, v);
  char *e = strchr(text, 'e');
  *exponent = (int)strtol(e + 1, NULL, 10);
  int significant = digits;
  while (significant > 1 && e[-1] == '0') e--, significant--;
  *needed = significant - 1 - *exponent;
}

static int decimals_after_rounding(double v, int decimals) {
  char text[400];
  snprintf(text, sizeof text, "%.*f", decimals, v);
  size_t len = strlen(text);
  while (decimals > 0 && text[len - 1] == '0') len--, decimals--;
  return decimals;
}

/* Fixed notation with `digits` digits of the largest value (and three decimals
 * at least, so that mixed sizes stay readable), without zeros at the end; whole
 * numbers without decimals. Scientific where that would be long or would hide
 * the small ones. */
static struct fs_number_format choose_format(const double *v, int n, int digits) {
  struct fs_number_format f = {0};
  int max_exp = INT32_MIN, max_digits = 1;
  bool whole = true;
  int exponent, needed;
  for (int i = 0; i < n; i++) {
    if (!isfinite(v[i]) || v[i] == 0) continue;
    measure(v[i], digits, &exponent, &needed);
    max_exp = FS_MAX(max_exp, exponent);
    max_digits = FS_MAX(max_digits, needed + exponent + 1);
    whole = whole && v[i] == rint(v[i]);
  }
  if (max_exp == INT32_MIN || (whole && max_exp < 10)) return f;
  int cap = FS_MAX(digits - 1 - max_exp, max_exp < 5 ? 3 : 1);
  f.scientific = whole || max_exp >= 8 || max_exp < -4;
  for (int i = 0; i < n && !f.scientific; i++) {
    if (!isfinite(v[i]) || v[i] == 0) continue;
    measure(v[i], digits, &exponent, &needed);
    f.scientific = needed > cap && exponent + cap < 1;
  }
  if (f.scientific) {
    f.decimals = max_digits - 1;
    return f;
  }
  for (int i = 0; i < n; i++)
    if (isfinite(v[i]))
      f.decimals = FS_MAX(f.decimals, decimals_after_rounding(v[i], cap));
  return f;
}

static void print_float(const struct fs_number_format *f, double v,
                        char out[40]) {
  if (isnan(v))
    snprintf(out, 40, "NaN");
  else if (isinf(v))
    snprintf(out, 40, v < 0 ? "-Inf" : "Inf");
  else if (v == 0)
    snprintf(out, 40, "%s%.*f", signbit(v) ? "-" : "",
             f->scientific ? 0 : f->decimals, 0.0);
  else if (f->scientific)
    snprintf(out, 40, "%.*e", f->decimals, v);
  else
    snprintf(out, 40, "%.*f", f->decimals, v);
}

/* Not more than numbers of the type can have. */
static int digits_of(enum fs_dtype dt, const struct fs_show_options *o) {
  int digits = o->digits ? o->digits : FS_SHOW_DIGITS;
  int most = fs_dtype_is_float(dt) ? (int)ceil(1 + fs_dtypes[dt].digits * log10(2)) : 17;
  return FS_MIN(FS_MAX(digits, 1), most);
}

void fs_show_number(double x, int digits, struct fs_str *out) {
  struct fs_show_options o = {.digits = digits};
  if (isfinite(x) && x == rint(x) && fabs(x) < 1e15) {
    fs_str_printf(out, "%.0f", x);
    return;
  }
  char text[40];
  struct fs_number_format f = choose_format(&x, 1, digits_of(FS_F64, &o));
  print_float(&f, x, text);
  fs_str_puts(out, text);
}

/* The sign of the imaginary part, a NaN has none, and its magnitude. */
static const char *sign_between(double im) {
  return signbit(im) && !isnan(im) ? " - " : " + ";
}

void fs_show_complex(double re, double im, int digits, struct fs_str *out) {
  fs_show_number(re, digits, out);
  fs_str_puts(out, sign_between(im));
  fs_show_number(fabs(im), digits, out);
  fs_str_puts(out, "i");
}

/* -- what is seen of an array ------------------------------------------------ */

static struct fs_picks pick(int64_t extent, int all, int head, int tail) {
  struct fs_picks p = {0};
  p.index = fs_malloc(sizeof *p.index * (size_t)FS_MAX(FS_MIN(extent, all), head + tail));
  if (extent <= all) head = (int)extent, tail = 0;
  p.head = head;
  for (int k = 0; k < head; k++) p.index[p.n++] = k;
  for (int k = tail; k > 0; k--) p.index[p.n++] = extent - k;
  return p;
}

/* How much is shown: all rows up to a number, else so many at each end. */
struct limits {
  int rows, columns, line, edge_rows, edge_columns, edge_line;
};

/* A screen is filled: the name, the plan and the next prompt take three of its lines. A
 * number with its gap takes three characters at least; what is wider is left out when the
 * width is known. */
static struct limits limits_of(const struct fs_show_options *o, int64_t pages) {
  if (o->whole) return (struct limits){INT_MAX, INT_MAX, INT_MAX, 0, 0, 0};
  struct limits l = {ALL_ROWS, ALL_COLUMNS, ALL_LINE, EDGE, EDGE, EDGE_LINE};
  int width = o->width ? o->width : 80, screen = o->screen - 3;
  if (pages > 1) screen = screen / (int)FS_MIN(pages, ALL_PAGES) - 1;
  int rows = o->rows ? o->rows : o->screen ? FS_MAX(screen, ALL_ROWS) : 0;
  int columns = o->columns ? o->columns : o->screen ? FS_MAX(width / 3, ALL_COLUMNS) : 0;
  if (rows) l.rows = FS_MIN(rows, MOST_SHOWN), l.edge_rows = FS_MAX((l.rows - 1) / 2, 1);
  if (columns) {
    l.columns = FS_MIN(columns, MOST_SHOWN);
    l.edge_columns = FS_MAX((l.columns - 1) / 2, 1);
  }
  if (rows || columns) {
    l.line = FS_MAX(l.rows * FS_MIN(l.columns, width / 3), ALL_LINE);
    l.edge_line = l.line / 2;
  }
  return l;
}

static void plan_view(struct fs_excerpt *v, const struct fs_show_array *a,
                      const struct fs_show_options *o) {
  const struct fs_shape *shape = a->shape;
  int rank = shape->rank;
  *v = (struct fs_excerpt){.dtype = a->dtype, .shape = shape, .n_pages = 1};
  v->complex = a->imaginary != NULL;
  v->type = v->complex ? fs_complex_name(a->dtype) : fs_dtype_name(a->dtype);
  v->line = rank <= 1 || (rank == 2 && shape->dim[0] == 1);
  v->n_columns = rank ? shape->dim[rank - 1] : 1;
  v->n_rows = rank > 1 ? shape->dim[rank - 2] : 1;
  for (int k = 0; k + 2 < rank; k++) v->n_pages *= shape->dim[k];
  v->pages = pick(v->n_pages, o->whole ? INT_MAX : ALL_PAGES, 2, 1);
  struct limits l = limits_of(o, v->n_pages);
  if (v->line && (o->rows || o->screen)) v->lines = l.rows;
  v->rows = pick(v->n_rows, l.rows, l.edge_rows, l.edge_rows);
  v->columns = v->line ? pick(v->n_columns, l.line, l.edge_line, l.edge_line)
                       : pick(v->n_columns, l.columns, l.edge_columns, l.edge_columns);
  v->count = v->pages.n * v->rows.n * v->columns.n;
}

void fs_excerpt_page(const struct fs_shape *shape, int64_t page,
                       int64_t *index) {
  for (int k = shape->rank - 3; k >= 0; k--) {
    index[k] = page % shape->dim[k];
    page /= shape->dim[k];
  }
}

struct fetcher {
  fs_show_fetch *fetch;
  void *user;
  struct fs_number *to;
  struct fs_diags *d;
};

/* One box of a page: picked rows r..r+nr, columns c..c+nc, which are
 * consecutive in the array. */
static enum fs_status fetch_box(struct fs_excerpt *v, const struct fetcher *f, int p,
                                int r, int nr, int c, int nc) {
  int rank = v->shape->rank;
  int64_t first[FS_MAX_RANK] = {0}, count[FS_MAX_RANK];
  for (int k = 0; k < FS_MAX_RANK; k++) count[k] = 1;
  if (!nr || !nc) return FS_OK;
  double *raw = fs_malloc(sizeof *raw * (size_t)nr * (size_t)nc); /* the widest type */
  fs_excerpt_page(v->shape, v->pages.index[p], first);
  if (rank > 1) first[rank - 2] = v->rows.index[r], count[rank - 2] = nr;
  if (rank > 0) first[rank - 1] = v->columns.index[c], count[rank - 1] = nc;
  enum fs_status st = f->fetch(f->user, first, count, raw, f->d);
  size_t size = fs_dtype_size(v->dtype);
  struct fs_number *page = f->to + p * v->rows.n * v->columns.n;
  for (int i = 0; i < nr && !st; i++)
    for (int j = 0; j < nc; j++)
      page[(r + i) * v->columns.n + c + j] = fs_element_get(
          v->dtype, (const char *)raw + (size_t)(i * nc + j) * size);
  free(raw);
  return st;
}

static enum fs_status fetch_view(struct fs_excerpt *v, const struct fetcher *f) {
  enum fs_status st = FS_OK;
  int rh = v->rows.head, rt = v->rows.n - rh;
  int ch = v->columns.head, ct = v->columns.n - ch;
  for (int p = 0; p < v->pages.n && !st; p++) {
    st = fetch_box(v, f, p, 0, rh, 0, ch);
    if (!st) st = fetch_box(v, f, p, 0, rh, ch, ct);
    if (!st) st = fetch_box(v, f, p, rh, rt, 0, ch);
    if (!st) st = fetch_box(v, f, p, rh, rt, ch, ct);
  }
  return st;
}

/* -- cells ------------------------------------------------------------------- */

/* Both parts are as wide as the widest. */
static void complex_cell(const struct fs_excerpt *v, double re, double im, char out[FS_CELL]) {
  char part[2][40];
  print_float(&v->format, re, part[0]);
  print_float(&v->format, fabs(im), part[1]);
  snprintf(out, FS_CELL, "%*s%s%*si", v->part[0], part[0], sign_between(im), v->part[1], part[1]);
}

void fs_excerpt_cell(const struct fs_excerpt *v, const struct fs_number *n,
                      char out[FS_CELL]) {
  if (v->complex)
    complex_cell(v, n->f, n[v->count].f, out);
  else if (v->dtype == FS_BOOL)
    snprintf(out, FS_CELL, n->i ? "true" : "false");
  else if (!fs_dtype_is_float(v->dtype))
    put_whole(v->dtype, n->i, out, FS_CELL);
  else
    print_float(&v->format, n->f, out);
}

/* Chooses the number format and the width of a cell. */
static void format_view(struct fs_excerpt *v, const struct fs_show_options *o) {
  int n = v->count << v->complex;
  char text[FS_CELL];
  if (fs_dtype_is_float(v->dtype)) {
    double *plain = fs_malloc(sizeof(*plain) * (size_t)FS_MAX(n, 1));
    for (int i = 0; i < n; i++)
      plain[i] = v->values[i].f = plain_value(v->dtype, v->values[i].f);
    v->format = choose_format(plain, n, digits_of(v->dtype, o));
    free(plain);
  }
  for (int i = 0; i < n && v->complex; i++) {
    print_float(&v->format, i < v->count ? v->values[i].f : fabs(v->values[i].f), text);
    int *width = &v->part[i >= v->count];
    *width = FS_MAX(*width, (int)strlen(text));
  }
  for (int i = 0; i < v->count; i++) {
    fs_excerpt_cell(v, &v->values[i], text);
    v->width = FS_MAX(v->width, (int)strlen(text));
  }
}

enum fs_status fs_excerpt_make(struct fs_excerpt *v, const struct fs_show_array *a,
                            const struct fs_show_options *o, struct fs_diags *d) {
  plan_view(v, a, o);
  v->values = fs_calloc((size_t)v->count << v->complex, sizeof(*v->values));
  struct fetcher f = {a->fetch, a->user, v->values, d};
  struct fetcher imaginary = {a->fetch, a->imaginary, v->values + v->count, d};
  enum fs_status st = fetch_view(v, &f);
  if (!st && v->complex) st = fetch_view(v, &imaginary);
  if (!st) format_view(v, o);
  return st;
}

void fs_excerpt_free(struct fs_excerpt *v) {
  free(v->values);
  free(v->pages.index);
  free(v->rows.index);
  free(v->columns.index);
}
