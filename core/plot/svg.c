/* svg.c - a plot as an SVG document, from numbers, fixed words and escaped labels.
 * The colours of series are those of Okabe and Ito, which the colour-blind tell
 * apart; the colours of cells follow viridis. */
#include <math.h>
#include <stdio.h>

#include "core/plot/plot.h"

enum {
  WIDTH = FS_SVG_WIDTH, HEIGHT = FS_SVG_HEIGHT, LEFT = 70, TOP = 34,
  RIGHT = WIDTH - LEFT - FS_PLOT_WIDTH, BOTTOM = HEIGHT - TOP - FS_PLOT_HEIGHT,
  SHADES = 32, LABEL_BYTES = 300
};

static const char *const colors[] = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
    "#56b4e9", "#000000", "#a0522d", "#6a3d9a", "#808000"};

static const char *color_of(int series) {
  return colors[series % (int)FS_LEN(colors)];
}

struct page {
  const struct fs_plot *p;
  struct fs_scale x, y;
  int right;               /* free columns at the right */
  struct fs_str *out;
};

/* -- pieces ------------------------------------------------------------------ */

static double page_x(const struct page *g, double v) {
  return LEFT + fs_scale_at(&g->x, v) * (WIDTH - LEFT - g->right);
}

static double page_y(const struct page *g, double v) {
  return HEIGHT - BOTTOM - fs_scale_at(&g->y, v) * (HEIGHT - TOP - BOTTOM);
}

/* A coordinate with one decimal, which is enough for a picture of this size. */
static void put_number(struct fs_str *out, double v) {
  char text[32];
  v = round(fmin(fmax(v, -9999), 9999) * 10) / 10;
  snprintf(text, sizeof text, "%g", v == 0 ? 0 : v);
  fs_str_puts(out, text);
}

static void put_point(struct fs_str *out, double x, double y) {
  put_number(out, x);
  fs_str_puts(out, ",");
  put_number(out, y);
}

static void put_label(struct fs_str *out, const char *text) {
  size_t len = strlen(text), cut = fs_utf8_cut(text, len, LABEL_BYTES);
  fs_str_put_html(out, text, cut);
  if (cut < len) fs_str_puts(out, "\u2026");
}

/* anchor: "start", "middle", "end" */
static void put_text(struct page *g, double x, double y, const char *anchor,
                     int turn, const char *text) {
  fs_str_puts(g->out, "<text x=\"");
  put_number(g->out, x);
  fs_str_puts(g->out, "\" y=\"");
  put_number(g->out, y);
  fs_str_printf(g->out, "\" text-anchor=\"%s\"", anchor);
  if (turn) {
    fs_str_printf(g->out, " transform=\"rotate(%d ", turn);
    put_point(g->out, x, y);
    fs_str_puts(g->out, ")\"");
  }
  fs_str_puts(g->out, ">");
  put_label(g->out, text);
  fs_str_puts(g->out, "</text>\n");
}

static void put_line(struct page *g, double x0, double y0, double x1, double y1,
                     const char *color) {
  fs_str_puts(g->out, "<path d=\"M");
  put_point(g->out, x0, y0);
  fs_str_puts(g->out, "L");
  put_point(g->out, x1, y1);
  fs_str_printf(g->out, "\" stroke=\"%s\" fill=\"none\"/>\n", color);
}

static void put_rect(struct page *g, double x, double y, double w, double h,
                     const char *fill) {
  fs_str_puts(g->out, "<rect x=\"");
  put_number(g->out, x);
  fs_str_puts(g->out, "\" y=\"");
  put_number(g->out, y);
  fs_str_puts(g->out, "\" width=\"");
  put_number(g->out, w);
  fs_str_puts(g->out, "\" height=\"");
  put_number(g->out, h);
  fs_str_printf(g->out, "\" fill=\"%s\"/>\n", fill);
}

/* -- axes -------------------------------------------------------------------- */

static void put_axes(struct page *g, bool grid) {
  char text[32];
  double bottom = HEIGHT - BOTTOM, right = WIDTH - g->right;
  bool slant = fs_scale_slants(&g->x, WIDTH - LEFT - g->right);
  for (int k = 0; k < g->x.n_ticks; k++) {
    double x = page_x(g, g->x.tick[k]);
    if (grid && !g->x.names) put_line(g, x, TOP, x, bottom, "#dddddd");
    put_line(g, x, bottom, x, bottom + 4, "#444444");
    put_text(g, x, bottom + (slant ? 12 : 17), slant ? "end" : "middle",
             slant ? FS_NAMES_SLANT : 0, fs_tick_text(&g->x, k, text));
  }
  for (int k = 0; k < g->y.n_ticks; k++) {
    double y = page_y(g, g->y.tick[k]);
    if (grid) put_line(g, LEFT, y, right, y, "#dddddd");
    put_line(g, LEFT - 4, y, LEFT, y, "#444444");
    put_text(g, LEFT - 7, y + 4, "end", 0, fs_tick_text(&g->y, k, text));
  }
}

static void put_titles(struct page *g) {
  double middle = (LEFT + WIDTH - g->right) / 2.0;
  if (g->p->title) put_text(g, middle, 20, "middle", 0, g->p->title);
  if (g->p->x.label)
    put_text(g, middle, HEIGHT - 12, "middle", 0, g->p->x.label);
  if (g->p->y.label)
    put_text(g, 16, (TOP + HEIGHT - BOTTOM) / 2.0, "middle", -90,
             g->p->y.label);
}

static void put_legend(struct page *g) {
  int line = 0;
  if (!fs_plot_has_legend(g->p)) return;
  fs_str_puts(g->out, "<g stroke=\"#ffffff\" stroke-width=\"3\" "
                      "paint-order=\"stroke\">\n");
  for (int k = 0; k < g->p->series.len; k++) {
    const struct fs_series *s = &g->p->series.data[k];
    double y = TOP + 14 + 16 * line, right = WIDTH - g->right - 8;
    if (!s->name || line > 19) continue;
    put_rect(g, right - 12, y - 9, 12, s->mark == FS_MARK_LINE ? 3 : 9,
             color_of(k));
    put_text(g, right - 18, y, "end", 0, s->name);
    line++;
  }
  fs_str_puts(g->out, "</g>\n");
}

/* -- marks ------------------------------------------------------------------- */

static void put_polyline(struct page *g, const struct fs_series *s, int k) {
  bool open = false;
  fs_str_puts(g->out, "<path d=\"");
  for (int64_t i = 0; i < s->n; i++) {
    double x = page_x(g, s->x[i]), y = page_y(g, s->y[i]);
    bool there = !isnan(x) && !isnan(y);
    if (there) {
      fs_str_puts(g->out, open ? "L" : "M");
      put_point(g->out, x, y);
    }
    open = there;
  }
  fs_str_printf(g->out, "\" stroke=\"%s\" stroke-width=\"1.6\" "
                        "stroke-linejoin=\"round\" fill=\"none\"/>\n",
                color_of(k));
}

static void put_dot_labels(struct page *g, const struct fs_series *s) {
  struct fs_label_place *place = fs_calloc((size_t)s->n + 1, sizeof *place);
  fs_plot_place_labels(s, &g->x, &g->y, WIDTH - LEFT - g->right, FS_PLOT_HEIGHT,
                       g->right, place);
  for (int64_t i = 0; i < s->n; i++) {
    double x = page_x(g, s->x[i]), y = page_y(g, s->y[i]) + place[i].lower + 4;
    if (isnan(x) || isnan(y) || !s->labels[i]) continue;
    if (place[i].left) put_text(g, x - FS_LABEL_GAP, y, "end", 0, s->labels[i]);
    else put_text(g, x + FS_LABEL_GAP, y, "start", 0, s->labels[i]);
  }
  free(place);
}

/* One path of dots: lines without length with round ends. */
static void put_dots(struct page *g, const struct fs_series *s, int k) {
  int size = s->n > 2000 ? 2 : s->n > 200 ? 4 : 6;
  fs_str_puts(g->out, "<path d=\"");
  for (int64_t i = 0; i < s->n; i++) {
    double x = page_x(g, s->x[i]), y = page_y(g, s->y[i]);
    if (isnan(x) || isnan(y)) continue;
    fs_str_puts(g->out, "M");
    put_point(g->out, x, y);
    fs_str_puts(g->out, "h0");
  }
  fs_str_printf(g->out, "\" stroke=\"%s\" stroke-width=\"%d\" "
                        "stroke-linecap=\"round\" fill=\"none\"/>\n",
                color_of(k), size);
  if (s->labels) put_dot_labels(g, s);
}

static void put_bars(struct page *g, const struct fs_series *s, int k) {
  double base = g->y.log ? pow(10, g->y.low) : fmax(g->y.low, 0);
  double floor = page_y(g, base);
  for (int64_t i = 0; i < s->n; i++) {
    double x0 = page_x(g, s->x[i]), x1 = page_x(g, s->x[i + 1]);
    double y = page_y(g, s->y[i]);
    if (isnan(x0) || isnan(x1) || isnan(y) || s->y[i] == 0) continue;
    double gap = x1 - x0 > 3 ? 0.5 : 0;
    put_rect(g, x0 + gap, fmin(y, floor), x1 - x0 - 2 * gap, fabs(floor - y),
             color_of(k));
  }
}

/* -- cells ------------------------------------------------------------------- */

/* viridis at 0, 1/8, ..., 1, straight in between. */
static void viridis(double t, char out[8]) {
  static const unsigned char at[9][3] = {
      {68, 1, 84},    {71, 44, 122},  {59, 81, 139},
      {44, 113, 142}, {33, 144, 141}, {39, 173, 129},
      {92, 200, 99},  {170, 220, 50}, {253, 231, 37}};
  double place = fmin(fmax(t, 0), 1) * 8;
  int k = FS_MIN((int)place, 7);
  int rgb[3];
  for (int i = 0; i < 3; i++)
    rgb[i] = (int)lround(at[k][i] + (place - k) * (at[k + 1][i] - at[k][i]));
  snprintf(out, 8, "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
}

static int shade_of(double v, double low, double high) {
  if (!isfinite(v)) return -1;
  double t = high > low ? (v - low) / (high - low) : 0.5;
  return FS_MIN((int)(t * SHADES), SHADES - 1);
}

/* Rows of cells of one shade are one rectangle of a path. */
static void put_shade(struct page *g, const struct fs_series *s, int shade,
                      double low, double high) {
  double w = (double)(WIDTH - LEFT - g->right) / (double)s->columns;
  double h = (double)(HEIGHT - TOP - BOTTOM) / (double)s->rows;
  char color[8] = "#cccccc";
  bool any = false;
  if (shade >= 0) viridis((shade + 0.5) / SHADES, color);
  for (int64_t r = 0; r < s->rows; r++)
    for (int64_t c = 0, run; c < s->columns; c += run) {
      const double *row = s->y + r * s->columns;
      for (run = 1; c + run < s->columns; run++)
        if (shade_of(row[c + run], low, high) != shade_of(row[c], low, high))
          break;
      if (shade_of(row[c], low, high) != shade) continue;
      fs_str_puts(g->out, any ? "M" : "<path d=\"M");
      any = true;
      put_point(g->out, LEFT + w * (double)c, TOP + h * (double)r);
      fs_str_puts(g->out, "h");
      put_number(g->out, w * (double)run);
      fs_str_puts(g->out, "v");
      put_number(g->out, h);
      fs_str_puts(g->out, "h");
      put_number(g->out, -w * (double)run);
      fs_str_puts(g->out, "z");
    }
  if (any)
    fs_str_printf(g->out, "\" fill=\"%s\" shape-rendering=\"crispEdges\"/>\n",
                  color);
}

static void put_cells(struct page *g, const struct fs_series *s) {
  double low, high, x = WIDTH - g->right + 12;
  double h = (double)(HEIGHT - TOP - BOTTOM) / SHADES;
  char text[32], color[8];
  fs_cells_range(s, &low, &high);
  for (int k = -1; k < SHADES; k++) put_shade(g, s, k, low, high);
  for (int k = 0; k < SHADES; k++) {
    viridis((k + 0.5) / SHADES, color);
    put_rect(g, x, HEIGHT - BOTTOM - (k + 1) * h, 12, h + 0.3, color);
  }
  snprintf(text, sizeof text, "%.5g", low);
  put_text(g, x + 16, HEIGHT - BOTTOM, "start", 0, text);
  snprintf(text, sizeof text, "%.5g", high);
  put_text(g, x + 16, TOP + 10, "start", 0, text);
}

/* -- the whole --------------------------------------------------------------- */

static void put_marks(struct page *g) {
  for (int k = 0; k < g->p->series.len; k++) {
    const struct fs_series *s = &g->p->series.data[k];
    switch (s->mark) {
      case FS_MARK_LINE: put_polyline(g, s, k); break;
      case FS_MARK_POINTS: put_dots(g, s, k); break;
      case FS_MARK_BARS: put_bars(g, s, k); break;
      case FS_MARK_CELLS: put_cells(g, s); break;
    }
  }
}

void fs_plot_svg(const struct fs_plot *p, struct fs_str *out) {
  struct page g = {.p = p, .out = out, .right = RIGHT};
  struct fs_str alt = {0};
  bool any = fs_plot_scales(p, &g.x, &g.y);
  bool cells = p->series.len && p->series.data[0].mark == FS_MARK_CELLS;
  if (cells) g.right = 100;
  fs_str_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
                "height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
                "font-size=\"12\" fill=\"#222222\">\n",
                WIDTH, HEIGHT, WIDTH, HEIGHT);
  fs_plot_alt(p, &alt);
  fs_str_puts(out, "<title>");
  fs_str_put_html(out, fs_str_text(&alt), alt.len);
  fs_str_puts(out, "</title>\n");
  fs_str_free(&alt);
  put_rect(&g, 0, 0, WIDTH, HEIGHT, "#ffffff");
  if (any) {
    put_axes(&g, !cells);
    put_marks(&g);
    put_line(&g, LEFT, TOP, LEFT, HEIGHT - BOTTOM, "#444444");
    put_line(&g, LEFT, HEIGHT - BOTTOM, WIDTH - g.right, HEIGHT - BOTTOM,
             "#444444");
    put_legend(&g);
  } else {
    put_text(&g, WIDTH / 2.0, HEIGHT / 2.0, "middle", 0, "no finite points");
  }
  put_titles(&g);
  fs_str_puts(out, "</svg>\n");
}
