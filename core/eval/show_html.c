/* show_html.c - values as HTML for notebooks. The tags are fixed and have no
 * attributes; what comes from the user is put by fs_str_put_html(). */
#include "core/eval/show_excerpt.h"

enum { NAME_SHOWN = 255 };

static void put_heading(const struct fs_excerpt *v, const char *name,
                        struct fs_str *out) {
  fs_str_puts(out, "<p>");
  if (name) {
    size_t len = strlen(name), shown = FS_MIN(len, (size_t)NAME_SHOWN);
    fs_str_puts(out, "<b>");
    fs_str_put_html(out, name, shown);
    fs_str_puts(out, shown < len ? "\u2026</b> = " : "</b> = ");
  }
  fs_show_array_type(v->type, v->shape, false, out);
  fs_str_puts(out, "</p>\n");
}

/* The numbers of the columns, counted from 1 as in the language. */
static void put_head(const struct fs_excerpt *v, struct fs_str *out) {
  const struct fs_picks *p = &v->columns;
  fs_str_puts(out, v->line ? "<thead><tr>" : "<thead><tr><th></th>");
  for (int c = 0; c < p->n; c++) {
    if (c == p->head) fs_str_puts(out, "<th>\u22ef</th>");
    fs_str_printf(out, "<th>%lld</th>", (long long)p->index[c] + 1);
  }
  fs_str_puts(out, "</tr></thead>\n");
}

static void put_row(const struct fs_excerpt *v, int page, int row,
                    struct fs_str *out) {
  const struct fs_picks *p = &v->columns;
  fs_str_puts(out, "<tr>");
  if (!v->line)
    fs_str_printf(out, "<th>%lld</th>", (long long)v->rows.index[row] + 1);
  for (int c = 0; c < p->n; c++) {
    char text[FS_CELL];
    fs_excerpt_cell(v, &v->values[(page * v->rows.n + row) * p->n + c], text);
    if (c == p->head) fs_str_puts(out, "<td>\u22ef</td>");
    fs_str_printf(out, "<td>%s</td>", text);
  }
  fs_str_puts(out, "</tr>\n");
}

static void put_row_of_dots(const struct fs_excerpt *v, struct fs_str *out) {
  fs_str_puts(out, "<tr><th>\u22ee</th>");
  for (int c = 0; c < v->columns.n; c++) {
    if (c == v->columns.head) fs_str_puts(out, "<td>\u22f1</td>");
    fs_str_puts(out, "<td>\u22ee</td>");
  }
  fs_str_puts(out, "</tr>\n");
}

static void put_page(const struct fs_excerpt *v, int page, struct fs_str *out) {
  fs_str_puts(out, "<table>\n");
  put_head(v, out);
  fs_str_puts(out, "<tbody>\n");
  for (int r = 0; r < v->rows.n; r++) {
    if (r == v->rows.head) put_row_of_dots(v, out);
    put_row(v, page, r, out);
  }
  fs_str_puts(out, "</tbody></table>\n");
}

/* "[1, :, :]" over each page of a tensor of rank 3 or more. */
static void put_page_index(const struct fs_excerpt *v, int page,
                           struct fs_str *out) {
  int64_t index[FS_MAX_RANK] = {0};
  if (page == v->pages.head) fs_str_puts(out, "<p>\u22ee</p>\n");
  fs_excerpt_page(v->shape, v->pages.index[page], index);
  fs_str_puts(out, "<p>[");
  for (int k = 0; k + 2 < v->shape->rank; k++)
    fs_str_printf(out, "%lld, ", (long long)index[k] + 1);
  fs_str_puts(out, ":, :]</p>\n");
}

void fs_excerpt_html(const struct fs_excerpt *v, const char *name,
                  struct fs_str *out) {
  put_heading(v, name, out);
  for (int p = 0; p < v->pages.n; p++) {
    if (v->shape->rank > 2) put_page_index(v, p, out);
    put_page(v, p, out);
  }
}
