/* show.c - values as text. An array is shown as pages (matrices; one page up to
 * rank 2). What will be seen is fetched first, then one number format is chosen
 * for all of it, then the pages are printed in aligned columns. */
#include "core/eval/show.h"

#include <math.h>
#include <stdio.h>

#include "core/eval/func.h"

/* -- one number -------------------------------------------------------------- */

/* How the floats of one array are printed. */
struct number_format {
  bool scientific;
  int decimals;
};

static void element_text(enum fs_dtype dt, double v, int precision,
                         char out[40], double *back) {
  snprintf(out, 40, "%.*g", precision, v);
  *back = strtod(out, NULL);
  if (dt == FS_F32) *back = strtof(out, NULL);
  if (dt == FS_F16) *back = fs_half_to_float(fs_float_to_half((float)*back));
  if (dt == FS_BF16) *back = fs_bf16_to_float(fs_float_to_bf16((float)*back));
}

/* The text of a float with the fewest digits that reads back the same. */
static int shortest_float(enum fs_dtype dt, double v, char out[40]) {
  if (isnan(v)) return snprintf(out, 40, "NaN");
  if (isinf(v)) return snprintf(out, 40, v < 0 ? "-Inf" : "Inf");
  int first = dt == FS_F64 ? 15 : dt == FS_F32 ? 6 : dt == FS_F16 ? 3 : 2;
  double back = 0;
  for (int p = first; p <= 17; p++) {
    element_text(dt, v, p, out, &back);
    if (back == v) break;
  }
  return (int)strlen(out);
}

int fs_show_shortest(enum fs_dtype dt, const void *element, char out[40]) {
  struct fs_number n = fs_element_get(dt, element);
  if (dt == FS_BOOL) return snprintf(out, 40, n.i ? "true" : "false");
  if (!fs_dtype_is_float(dt)) return snprintf(out, 40, "%lld", (long long)n.i);
  return shortest_float(dt, n.f, out);
}

/* The double nearest to the shortest text: 0.1f becomes 0.1, so that more
 * decimals never show what is not in the number. */
static double plain_value(enum fs_dtype dt, double v) {
  char text[40];
  if (dt == FS_F64 || !isfinite(v)) return v;
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
static struct number_format choose_format(const double *v, int n, int digits) {
  struct number_format f = {0};
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

static void print_float(const struct number_format *f, double v,
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

static int digits_of(const struct fs_show_options *o) {
  int digits = o->digits ? o->digits : 6;
  return FS_MIN(FS_MAX(digits, 1), 17);
}

void fs_show_number(double x, int digits, struct fs_str *out) {
  struct fs_show_options o = {.digits = digits};
  if (isfinite(x) && x == rint(x) && fabs(x) < 1e15) {
    fs_str_printf(out, "%.0f", x);
    return;
  }
  char text[40];
  struct number_format f = choose_format(&x, 1, digits_of(&o));
  print_float(&f, x, text);
  fs_str_puts(out, text);
}

/* -- what is seen of an array ------------------------------------------------ */

enum {
  ALL_ROWS = 10,   /* a matrix of at most so many rows is shown whole    */
  ALL_COLUMNS = 10,
  EDGE = 3,        /* else so many at each end                           */
  ALL_LINE = 20,   /* a vector of at most so many elements is shown whole */
  EDGE_LINE = 5,
  ALL_PAGES = 4,   /* pages of a tensor of rank 3 or 4 */
  MAX_LINE = ALL_LINE,
  MAX_PAGE = ALL_ROWS * MAX_LINE
};

/* The indexes shown along one axis: all, or some from both ends. */
struct picks {
  int n;           /* shown */
  int head;        /* the first `head` are 0, 1, ...; n if all are shown */
  int64_t index[MAX_LINE];
};

static struct picks pick(int64_t extent, int all, int head, int tail) {
  struct picks p = {0};
  if (extent <= all) head = (int)extent, tail = 0;
  p.head = head;
  for (int k = 0; k < head; k++) p.index[p.n++] = k;
  for (int k = tail; k > 0; k--) p.index[p.n++] = extent - k;
  return p;
}

struct view {
  enum fs_dtype dtype;
  const struct fs_shape *shape;
  bool line;                /* a vector: one page, one row, wrapped */
  struct picks pages, rows, columns;
  int64_t n_pages, n_rows, n_columns;
  struct fs_number *values; /* pages x rows x columns, as picked */
  struct number_format format;
  int width;                /* of a cell */
};

static void plan_view(struct view *v, enum fs_dtype dt,
                      const struct fs_shape *shape) {
  int rank = shape->rank;
  *v = (struct view){.dtype = dt, .shape = shape, .n_pages = 1};
  v->line = rank <= 1 || (rank == 2 && shape->dim[0] == 1);
  v->n_columns = rank ? shape->dim[rank - 1] : 1;
  v->n_rows = rank > 1 ? shape->dim[rank - 2] : 1;
  for (int k = 0; k + 2 < rank; k++) v->n_pages *= shape->dim[k];
  v->pages = pick(v->n_pages, ALL_PAGES, 2, 1);
  v->rows = pick(v->n_rows, ALL_ROWS, EDGE, EDGE);
  v->columns = v->line
                   ? pick(v->n_columns, ALL_LINE, EDGE_LINE, EDGE_LINE)
                   : pick(v->n_columns, ALL_COLUMNS, EDGE, EDGE);
}

/* The index along the leading axes of page number `page`. */
static void page_index(const struct fs_shape *shape, int64_t page,
                       int64_t *index) {
  for (int k = shape->rank - 3; k >= 0; k--) {
    index[k] = page % shape->dim[k];
    page /= shape->dim[k];
  }
}

struct fetcher {
  fs_show_fetch *fetch;
  void *user;
  struct fs_diags *d;
};

/* One box of a page: picked rows r..r+nr, columns c..c+nc, which are
 * consecutive in the array. */
static enum fs_status fetch_box(struct view *v, const struct fetcher *f, int p,
                                int r, int nr, int c, int nc) {
  int rank = v->shape->rank;
  int64_t first[FS_MAX_RANK] = {0}, count[FS_MAX_RANK] = {1, 1, 1, 1};
  double raw[MAX_PAGE]; /* room for the widest element type */
  if (!nr || !nc) return FS_OK;
  page_index(v->shape, v->pages.index[p], first);
  if (rank > 1) first[rank - 2] = v->rows.index[r], count[rank - 2] = nr;
  if (rank > 0) first[rank - 1] = v->columns.index[c], count[rank - 1] = nc;
  enum fs_status st = f->fetch(f->user, first, count, raw, f->d);
  if (st) return st;
  size_t size = fs_dtype_size(v->dtype);
  struct fs_number *page = v->values + p * v->rows.n * v->columns.n;
  for (int i = 0; i < nr; i++)
    for (int j = 0; j < nc; j++)
      page[(r + i) * v->columns.n + c + j] = fs_element_get(
          v->dtype, (const char *)raw + (size_t)(i * nc + j) * size);
  return FS_OK;
}

static enum fs_status fetch_view(struct view *v, const struct fetcher *f) {
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

static void cell_text(const struct view *v, const struct fs_number *n,
                      char out[40]) {
  if (v->dtype == FS_BOOL)
    snprintf(out, 40, n->i ? "true" : "false");
  else if (!fs_dtype_is_float(v->dtype))
    snprintf(out, 40, "%lld", (long long)n->i);
  else
    print_float(&v->format, n->f, out);
}

/* Chooses the number format and the width of a cell. */
static void format_view(struct view *v, const struct fs_show_options *o) {
  int n = v->pages.n * v->rows.n * v->columns.n;
  char text[40];
  if (fs_dtype_is_float(v->dtype)) {
    double *plain = fs_malloc(sizeof(*plain) * (size_t)FS_MAX(n, 1));
    for (int i = 0; i < n; i++)
      plain[i] = v->values[i].f = plain_value(v->dtype, v->values[i].f);
    v->format = choose_format(plain, n, digits_of(o));
    free(plain);
  }
  for (int i = 0; i < n; i++) {
    cell_text(v, &v->values[i], text);
    v->width = FS_MAX(v->width, (int)strlen(text));
  }
}

struct glyphs {
  const char *times, *dots, *down, *diagonal;
  int dots_width, diagonal_width;
};
static const struct glyphs unicode = {"\u00d7", "\u22ef", "\u22ee", "\u22f1",
                                      1, 1};
static const struct glyphs ascii = {"x", "...", ":", "...", 3, 3};

static const struct glyphs *glyphs_of(bool only_ascii) {
  return only_ascii ? &ascii : &unicode;
}

static void put_right(struct fs_str *out, const char *text, int text_width,
                      int width) {
  fs_str_printf(out, "%*s%s", FS_MAX(width - text_width, 0), "", text);
}

static void put_cell(const struct view *v, int page, int row, int column,
                     struct fs_str *out) {
  char text[40];
  cell_text(v,
            &v->values[(page * v->rows.n + row) * v->columns.n + column],
            text);
  fs_str_puts(out, "  ");
  put_right(out, text, (int)strlen(text), v->width);
}

/* -- layout ------------------------------------------------------------------ */

/* Columns 0..head and the last `tail` are printed, dots between them if some
 * are left out. */
struct span_choice {
  int head, tail;
  bool dots;
};

static struct span_choice fit_columns(const struct view *v, int width,
                                      const struct glyphs *g) {
  const struct picks *p = &v->columns;
  struct span_choice s = {p->head, p->n - p->head, p->n < v->n_columns};
  int cell = v->width + 2;
  if (p->n * cell + (s.dots ? 2 + g->dots_width : 0) <= width) return s;
  int edge = s.dots ? FS_MAX(s.head, s.tail) : EDGE;
  while (edge > 1 && 2 * edge * cell + 2 + g->dots_width > width) edge--;
  s.dots = p->n > 2 * edge || s.dots;
  s.head = FS_MIN(edge, p->n);
  s.tail = FS_MIN(edge, p->n - s.head);
  return s;
}

static void put_row(const struct view *v, const struct span_choice *s,
                    int page, int row, const struct glyphs *g,
                    struct fs_str *out) {
  fs_str_puts(out, "\n");
  for (int c = 0; c < s->head; c++) put_cell(v, page, row, c, out);
  if (s->dots) fs_str_printf(out, "  %s", g->dots);
  for (int c = v->columns.n - s->tail; c < v->columns.n; c++)
    put_cell(v, page, row, c, out);
}

static void put_row_of_dots(const struct view *v, const struct span_choice *s,
                            const struct glyphs *g, struct fs_str *out) {
  fs_str_puts(out, "\n");
  for (int c = 0; c < s->head + s->tail; c++) {
    if (c == s->head && s->dots) fs_str_printf(out, "  %s", g->diagonal);
    fs_str_puts(out, "  ");
    put_right(out, g->down, 1, v->width);
  }
}

static void put_page(const struct view *v, const struct span_choice *s,
                     int page, const struct glyphs *g, struct fs_str *out) {
  for (int r = 0; r < v->rows.n; r++) {
    if (r == v->rows.head) put_row_of_dots(v, s, g, out);
    put_row(v, s, page, r, g, out);
  }
}

/* A vector shown whole goes over as many lines as it takes. */
static void put_line(const struct view *v, int width, const struct glyphs *g,
                     struct fs_str *out) {
  if (v->columns.n < v->n_columns) {
    struct span_choice s = fit_columns(v, width, g);
    put_row(v, &s, 0, 0, g, out);
    return;
  }
  int per_line = FS_MAX(width / (v->width + 2), 1);
  for (int c = 0; c < v->columns.n; c++) {
    if (c % per_line == 0) fs_str_puts(out, "\n");
    put_cell(v, 0, 0, c, out);
  }
}

static void put_pages(const struct view *v, int width, const struct glyphs *g,
                      struct fs_str *out) {
  struct span_choice s = fit_columns(v, width, g);
  for (int p = 0; p < v->pages.n; p++) {
    if (p == v->pages.head) fs_str_printf(out, "\n%s", g->down);
    int64_t index[FS_MAX_RANK] = {0};
    page_index(v->shape, v->pages.index[p], index);
    fs_str_puts(out, "\n[");
    for (int k = 0; k + 2 < v->shape->rank; k++)
      fs_str_printf(out, "%lld, ", (long long)index[k] + 1);
    fs_str_puts(out, ":, :]");
    put_page(v, &s, p, g, out);
  }
}

static void put_view(const struct view *v, const struct fs_show_options *o,
                     struct fs_str *out) {
  const struct glyphs *g = glyphs_of(o->ascii);
  int width = FS_MAX(o->width ? o->width : 80, 20);
  if (v->line)
    put_line(v, width, g, out);
  else if (v->shape->rank > 2)
    put_pages(v, width, g, out);
  else {
    struct span_choice s = fit_columns(v, width, g);
    put_page(v, &s, 0, g, out);
  }
}

static void put_array_type(enum fs_dtype dt, const struct fs_shape *shape,
                           bool only_ascii, struct fs_str *out) {
  fs_str_puts(out, fs_dtype_name(dt));
  for (int k = 0; k < shape->rank; k++)
    fs_str_printf(out, "%s%lld", k ? glyphs_of(only_ascii)->times : "[",
                  (long long)shape->dim[k]);
  if (shape->rank) fs_str_puts(out, "]");
}

static bool is_empty(const struct fs_shape *shape) {
  for (int k = 0; k < shape->rank; k++)
    if (!shape->dim[k]) return true;
  return false;
}

static void put_name(const char *name, struct fs_str *out) {
  if (!name) return;
  fs_str_put_safe(out, name, strlen(name));
  fs_str_puts(out, " = ");
}

enum fs_status fs_show_array(const char *name, enum fs_dtype dt,
                             const struct fs_shape *shape,
                             fs_show_fetch *fetch, void *user,
                             const struct fs_show_options *o,
                             struct fs_str *out, struct fs_diags *d) {
  struct view v;
  struct fetcher f = {fetch, user, d};
  if (is_empty(shape)) {
    put_name(name, out);
    put_array_type(dt, shape, o->ascii, out);
    return FS_OK;
  }
  plan_view(&v, dt, shape);
  size_t n = (size_t)v.pages.n * (size_t)v.rows.n * (size_t)v.columns.n;
  v.values = fs_calloc(n, sizeof(*v.values));
  enum fs_status st = fetch_view(&v, &f);
  if (!st) {
    format_view(&v, o);
    put_name(name, out);
    if (shape->rank) {
      put_array_type(dt, shape, o->ascii, out);
      put_view(&v, o, out);
    } else {
      char text[40];
      cell_text(&v, v.values, text);
      fs_str_puts(out, text);
    }
  }
  free(v.values);
  return st;
}

/* -- other values ------------------------------------------------------------ */

static enum fs_status fetch_tensor(void *user, const int64_t *first,
                                   const int64_t *count, void *out,
                                   struct fs_diags *d) {
  return fs_tensor_download(user, first, count, out, d);
}

static void put_string(const struct fs_string *s, struct fs_str *out) {
  enum { SHOWN = 2000 };
  size_t len = FS_MIN(s->len, (size_t)SHOWN);
  while (len < s->len && len > 0 && ((unsigned char)s->text[len] & 0xc0) == 0x80)
    len--; /* do not cut a character in two */
  fs_str_puts(out, "\"");
  for (size_t i = 0; i < len;) {
    size_t run = i;
    while (run < len && !strchr("\"\\\n\t", s->text[run])) run++;
    fs_str_put_safe(out, s->text + i, run - i);
    for (i = run; i < len && s->text[i] && strchr("\"\\\n\t", s->text[i]); i++)
      fs_str_puts(out, s->text[i] == '"'    ? "\\\""
                       : s->text[i] == '\\' ? "\\\\"
                       : s->text[i] == '\n' ? "\\n"
                                            : "\\t");
    if (i == run && i < len) fs_str_put_safe(out, s->text + i, 1), i++;
  }
  fs_str_puts(out, "\"");
  if (len < s->len)
    fs_str_printf(out, " (%zu more bytes)", s->len - len);
}

static void put_function(const struct fs_func *f, struct fs_str *out) {
  if (f->kind == FS_FN_BUILTIN) {
    fs_str_printf(out, "function %s", f->builtin->signature
                                          ? f->builtin->signature
                                          : f->builtin->name);
    return;
  }
  int n = f->kind == FS_FN_ELEM ? f->elem->params.len : f->n_params;
  fs_str_puts(out, f->kind == FS_FN_ELEM ? "elementary function(" : "function(");
  for (int k = 0; k < n; k++)
    fs_str_printf(out, "%s%s", k ? ", " : "",
                  f->kind == FS_FN_ELEM ? f->elem->params.data[k].name
                                        : f->params[k].name);
  fs_str_puts(out, ")");
}

static void put_range(const struct fs_val *v, int digits, struct fs_str *out) {
  fs_show_number(v->start, digits, out);
  fs_str_puts(out, ":");
  if (v->step != 1) {
    fs_show_number(v->step, digits, out);
    fs_str_puts(out, ":");
  }
  fs_show_number(v->stop, digits, out);
}

enum fs_status fs_show_value(const char *name, const struct fs_val *v,
                             const struct fs_show_options *o,
                             struct fs_str *out, struct fs_diags *d) {
  if (v->kind == FS_V_TENSOR)
    return fs_show_array(name, v->tensor->dtype, &v->tensor->shape,
                         fetch_tensor, v->tensor, o, out, d);
  put_name(name, out);
  switch (v->kind) {
    case FS_V_NUMBER: fs_show_number(v->number, o->digits, out); break;
    case FS_V_BOOL: fs_str_puts(out, v->number != 0 ? "true" : "false"); break;
    case FS_V_STRING: put_string(v->string, out); break;
    case FS_V_RANGE: put_range(v, o->digits, out); break;
    case FS_V_FUNCTION: put_function(v->func, out); break;
    default: fs_str_puts(out, "nothing"); break;
  }
  return FS_OK;
}

void fs_show_type(const struct fs_val *v, bool only_ascii,
                  struct fs_str *out) {
  static const char *const kinds[] = {
      [FS_V_NONE] = "nothing",   [FS_V_NUMBER] = "number",
      [FS_V_BOOL] = "bool",      [FS_V_STRING] = "string",
      [FS_V_RANGE] = "range",    [FS_V_FUNCTION] = "function"};
  if (v->kind == FS_V_TENSOR)
    put_array_type(v->tensor->dtype, &v->tensor->shape, only_ascii, out);
  else
    fs_str_puts(out, kinds[v->kind]);
}
