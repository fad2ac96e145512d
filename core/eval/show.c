/* show.c - values as text. An array is shown as pages (matrices; one page up to
 * rank 2). What will be seen is fetched first, then one number format is chosen
 * for all of it, then the pages are printed in aligned columns. */
#include "core/eval/show_excerpt.h"

#include <stdio.h>

#include "core/eval/func.h"
#include "core/eval/list.h"

/* -- cells ------------------------------------------------------------------- */

static const struct fs_glyphs unicode = {"\u00d7", "\u22ef", "\u22ee", "\u22f1",
                                      1};
static const struct fs_glyphs ascii = {"x", "...", ":", "...", 3};

const struct fs_glyphs *fs_glyphs(bool only_ascii) {
  return only_ascii ? &ascii : &unicode;
}

static void put_right(struct fs_str *out, const char *text, int text_width,
                      int width) {
  fs_str_printf(out, "%*s%s", FS_MAX(width - text_width, 0), "", text);
}

static void put_cell(const struct fs_excerpt *v, int page, int row, int column,
                     struct fs_str *out) {
  char text[FS_CELL];
  fs_excerpt_cell(v,
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

static struct span_choice fit_columns(const struct fs_excerpt *v, int width,
                                      const struct fs_glyphs *g) {
  const struct fs_picks *p = &v->columns;
  struct span_choice s = {p->head, p->n - p->head, p->n < v->n_columns};
  int cell = v->width + 2;
  if (p->n * cell + (s.dots ? 2 + g->dots_width : 0) <= width) return s;
  int edge = FS_MAX(FS_MAX(s.head, s.tail), EDGE);
  if (!s.dots) edge = FS_MAX((p->n - 1) / 2, 1);
  while (edge > 1 && 2 * edge * cell + 2 + g->dots_width > width) edge--;
  s.dots = p->n > 2 * edge || s.dots;
  s.head = FS_MIN(edge, p->n);
  s.tail = FS_MIN(edge, p->n - s.head);
  return s;
}

static void put_row(const struct fs_excerpt *v, const struct span_choice *s,
                    int page, int row, const struct fs_glyphs *g,
                    struct fs_str *out) {
  fs_str_puts(out, "\n");
  for (int c = 0; c < s->head; c++) put_cell(v, page, row, c, out);
  if (s->dots) fs_str_printf(out, "  %s", g->dots);
  for (int c = v->columns.n - s->tail; c < v->columns.n; c++)
    put_cell(v, page, row, c, out);
}

static void put_row_of_dots(const struct fs_excerpt *v, const struct span_choice *s,
                            const struct fs_glyphs *g, struct fs_str *out) {
  fs_str_puts(out, "\n");
  for (int c = 0; c < s->head + s->tail; c++) {
    if (c == s->head && s->dots) fs_str_printf(out, "  %s", g->diagonal);
    fs_str_puts(out, "  ");
    put_right(out, g->down, 1, v->width);
  }
}

static void put_page(const struct fs_excerpt *v, const struct span_choice *s,
                     int page, const struct fs_glyphs *g, struct fs_str *out) {
  for (int r = 0; r < v->rows.n; r++) {
    if (r == v->rows.head) put_row_of_dots(v, s, g, out);
    put_row(v, s, page, r, g, out);
  }
}

/* A vector shown whole goes over as many lines as it takes. */
static void put_line(const struct fs_excerpt *v, int width, const struct fs_glyphs *g,
                     struct fs_str *out) {
  int n = v->columns.n, per_line = FS_MAX(width / (v->width + 2), 1);
  bool whole = n == v->n_columns && (!v->lines || (n - 1) / per_line < v->lines);
  if (!whole && !v->lines) {
    struct span_choice s = fit_columns(v, width, g);
    put_row(v, &s, 0, 0, g, out);
    return;
  }
  int edge = whole ? n : FS_MAX((v->lines - 1) / 2, 1) * per_line;
  edge = whole ? n : FS_MIN(edge, n / 2);
  for (int c = 0; c < n; c++) {
    int place = c < edge ? c : c - (n - edge);
    if (c == edge) fs_str_printf(out, "\n  %s", g->dots), c = n - edge, place = 0;
    if (place % per_line == 0) fs_str_puts(out, "\n");
    put_cell(v, 0, 0, c, out);
  }
}

/* "[2, :, :]" */
static void put_page_name(const struct fs_excerpt *v, int page, struct fs_str *out) {
  int64_t index[FS_MAX_RANK] = {0};
  fs_excerpt_page(v->shape, v->pages.index[page], index);
  fs_str_puts(out, "\n[");
  for (int k = 0; k + 2 < v->shape->rank; k++)
    fs_str_printf(out, "%lld, ", (long long)index[k] + 1);
  fs_str_puts(out, ":, :]");
}

static void put_pages(const struct fs_excerpt *v, int width, const struct fs_glyphs *g,
                      struct fs_str *out) {
  struct span_choice s = fit_columns(v, width, g);
  for (int p = 0; p < v->pages.n; p++) {
    if (p == v->pages.head) fs_str_printf(out, "\n%s", g->down);
    put_page_name(v, p, out);
    put_page(v, &s, p, g, out);
  }
}

/* -- all of an array ---------------------------------------------------------- */

static int digits_of(int64_t n) { return snprintf(NULL, 0, "%lld", (long long)n); }

/* Its number, and the edge between numbers and elements. */
static void put_label(struct fs_str *out, int width, int64_t row, bool ascii_only) {
  if (row) fs_str_printf(out, "\n%*lld", width, (long long)row);
  else fs_str_printf(out, "\n%*s", width, "");
  fs_str_puts(out, ascii_only ? " |" : " \u2502");
}

static void put_whole_page(struct fs_excerpt *v, int page, bool ascii_only, struct fs_str *out) {
  int label = digits_of(v->n_rows);
  v->width = FS_MAX(v->width, digits_of(v->n_columns));
  put_label(out, label, 0, ascii_only);
  for (int c = 0; c < v->columns.n; c++) fs_str_printf(out, "  %*d", v->width, c + 1);
  for (int r = 0; r < v->rows.n; r++) {
    put_label(out, label, r + 1, ascii_only);
    for (int c = 0; c < v->columns.n; c++) put_cell(v, page, r, c, out);
  }
}

/* Lines of elements, each behind the number of its first. */
static void put_whole_line(const struct fs_excerpt *v, int width, bool ascii_only,
                           struct fs_str *out) {
  int label = digits_of(v->n_columns);
  int per_line = FS_MAX((width - label - 2) / (v->width + 2), 1);
  for (int c = 0; c < v->columns.n; c++) {
    if (c % per_line == 0) put_label(out, label, c + 1, ascii_only);
    put_cell(v, 0, 0, c, out);
  }
}

static void put_whole(struct fs_excerpt *v, const struct fs_show_options *o, int width,
                      struct fs_str *out) {
  if (v->line) put_whole_line(v, width, o->ascii, out);
  for (int p = 0; p < v->pages.n && !v->line; p++) {
    if (v->shape->rank > 2) put_page_name(v, p, out);
    put_whole_page(v, p, o->ascii, out);
  }
}

static void put_view(struct fs_excerpt *v, const struct fs_show_options *o,
                     struct fs_str *out) {
  const struct fs_glyphs *g = fs_glyphs(o->ascii);
  int width = FS_MAX(o->width ? o->width : 80, 20);
  if (o->whole)
    put_whole(v, o, width, out);
  else if (v->line)
    put_line(v, width, g, out);
  else if (v->shape->rank > 2)
    put_pages(v, width, g, out);
  else {
    struct span_choice s = fit_columns(v, width, g);
    put_page(v, &s, 0, g, out);
  }
}

void fs_show_array_type(const char *type, const struct fs_shape *shape,
                           bool only_ascii, struct fs_str *out) {
  fs_str_puts(out, type);
  for (int k = 0; k < shape->rank; k++)
    fs_str_printf(out, "%s%lld", k ? fs_glyphs(only_ascii)->times : "[",
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

enum fs_status fs_show_array(const char *name, const struct fs_show_array *a,
                             const struct fs_show_options *o,
                             struct fs_str *out, struct fs_str *html,
                             struct fs_diags *d) {
  struct fs_excerpt v;
  const char *type = a->imaginary ? fs_complex_name(a->dtype) : fs_dtype_name(a->dtype);
  if (is_empty(a->shape)) {
    put_name(name, out);
    fs_show_array_type(type, a->shape, o->ascii, out);
    return FS_OK;
  }
  enum fs_status st = fs_excerpt_make(&v, a, o, d);
  if (!st) {
    put_name(name, out);
    if (a->shape->rank) {
      fs_show_array_type(type, a->shape, o->ascii, out);
      put_view(&v, o, out);
      if (html) fs_excerpt_html(&v, name, html);
    } else {
      char text[FS_CELL];
      fs_excerpt_cell(&v, v.values, text);
      fs_str_puts(out, text);
    }
  }
  fs_excerpt_free(&v);
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
  size_t len = fs_utf8_cut(s->text, s->len, SHOWN);
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
  fs_str_puts(out, f->kind == FS_FN_ELEM     ? "elementary function"
                   : f->kind == FS_FN_KERNEL ? "kernel"
                                             : "function");
  fs_func_put_params(f, out);
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

enum { LIST_SHOWN = 20, LIST_LEVELS = 4, VECTOR_SHOWN = 8 };

/* [1, 2.5, 3] of what was computed and is short, else the type. */
static enum fs_status put_small(const struct fs_val *v, const struct fs_show_options *o,
                                struct fs_str *out, struct fs_diags *d) {
  struct fs_tensor *t = v->tensor;
  int64_t first[FS_MAX_RANK] = {0}, n = fs_shape_count(&t->shape);
  double raw[VECTOR_SHOWN]; /* room for the widest element */
  bool stored = t->state == FS_TS_STORED && t->storage->target;
  if (!stored || t->shape.rank > 1 || n > VECTOR_SHOWN) {
    fs_show_array_type(fs_dtype_name(t->dtype), &t->shape, o->ascii, out);
    return FS_OK;
  }
  enum fs_status st = fs_tensor_download(t, first, t->shape.dim, raw, d);
  if (st) return st;
  if (t->shape.rank) fs_str_puts(out, "[");
  for (int64_t k = 0; k < n; k++) {
    struct fs_number x = fs_element_get(t->dtype, (char *)raw + (size_t)k * fs_dtype_size(t->dtype));
    if (k) fs_str_puts(out, ", ");
    if (t->dtype == FS_BOOL) fs_str_puts(out, x.i ? "true" : "false");
    else fs_show_number(x.f, o->digits, out);
  }
  if (t->shape.rank) fs_str_puts(out, "]");
  return FS_OK;
}

/* {1, "a", f32[2x2]}, as it would be written; of long ones the beginning. */
static enum fs_status put_list(const struct fs_val *v, int level, const struct fs_show_options *o,
                               struct fs_str *out, struct fs_diags *d) {
  const struct fs_list *l = v->list;
  enum fs_status st = FS_OK;
  int64_t shown = level == LIST_LEVELS ? 0 : FS_MIN(l->len, LIST_SHOWN);
  fs_str_puts(out, "{");
  for (int64_t k = 0; k < shown && st == FS_OK; k++) {
    const struct fs_val *item = &l->items[k];
    if (k) fs_str_puts(out, ", ");
    if (l->names) {
      fs_str_put_safe(out, l->names[k], strlen(l->names[k]));
      fs_str_puts(out, " = ");
    }
    st = fs_is_list(item)             ? put_list(item, level + 1, o, out, d)
         : item->kind == FS_V_TENSOR ? put_small(item, o, out, d)
         : fs_val_like(item)         ? (fs_show_type(item, o->ascii, out), FS_OK)
                                      : fs_show_value(NULL, item, o, out, d);
  }
  if (shown < l->len)
    fs_str_printf(out, "%s... (%lld more)", shown ? ", " : "", (long long)(l->len - shown));
  fs_str_puts(out, "}");
  return st;
}

static void put_host_value(const struct fs_val *v,
                           const struct fs_show_options *o,
                           struct fs_str *out) {
  switch (v->kind) {
    case FS_V_NUMBER: fs_show_number(v->number, o->digits, out); break;
    case FS_V_BOOL: fs_str_puts(out, v->number != 0 ? "true" : "false"); break;
    case FS_V_STRING: put_string(v->string, out); break;
    case FS_V_RANGE: put_range(v, o->digits, out); break;
    case FS_V_FUNCTION: put_function(v->func, out); break;
    case FS_V_COMPLEX:
      fs_show_complex(v->complex->part[0].number, v->complex->part[1].number, o->digits, out);
      break;
    default: fs_str_puts(out, "nothing"); break;
  }
}

enum fs_status fs_show_both(const char *name, const struct fs_val *v,
                            const struct fs_show_options *o, struct fs_str *out,
                            struct fs_str *html, struct fs_diags *d) {
  struct fs_tensor *t[2] = {NULL, NULL};
  if (fs_val_tensors(v, t)) {
    struct fs_show_array a = {t[0]->dtype, &t[0]->shape, fetch_tensor, t[0], t[1]};
    return fs_show_array(name, &a, o, out, html, d);
  }
  put_name(name, out);
  if (fs_is_list(v)) return put_list(v, 0, o, out, d);
  put_host_value(v, o, out);
  return FS_OK;
}

enum fs_status fs_show_value(const char *name, const struct fs_val *v,
                             const struct fs_show_options *o,
                             struct fs_str *out, struct fs_diags *d) {
  return fs_show_both(name, v, o, out, NULL, d);
}

void fs_show_type(const struct fs_val *v, bool only_ascii,
                  struct fs_str *out) {
  static const char *const kinds[] = {
      [FS_V_NONE] = "nothing",   [FS_V_NUMBER] = "number",
      [FS_V_BOOL] = "bool",      [FS_V_STRING] = "string",
      [FS_V_RANGE] = "range",    [FS_V_FUNCTION] = "function",
      [FS_V_LIST] = "list",      [FS_V_RECORD] = "record",
      [FS_V_COMPLEX] = "complex number"};
  const struct fs_tensor *t = fs_val_like(v);
  if (t)
    fs_show_array_type(fs_val_type_name(v), &t->shape, only_ascii, out);
  else
    fs_str_puts(out, kinds[v->kind]);
}
