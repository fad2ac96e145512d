/* text.c - a plot as lines of text. A character of braille has 2 x 4 dots, so a
 * picture of 60 x 15 characters has 120 x 60. Where braille cannot be shown, a
 * character tells whether its upper half, its lower half or both have a dot. */
#include <math.h>
#include <stdio.h>

#include "core/plot/plot.h"

enum { LINES = 15, MAX_WIDTH = 100, MAX_LINES = 200, LABEL_MAX = 12 };

struct glyph {
  const char *text; /* of a label that stands here; NULL: none does */
  int bytes;
};

struct canvas {
  const struct fs_plot *p;
  const struct fs_plot_look *look;
  struct fs_scale x, y;
  int width, height;         /* characters of the picture proper */
  int margin;                /* columns left of its frame        */
  unsigned char *dots, *who; /* per character; who: series + 1   */
  struct glyph *glyphs;      /* per character, of labels         */
  struct fs_str *out, *ink;
};

/* -- dots -------------------------------------------------------------------- */

static void set_dot(struct canvas *c, int x, int y, int series) {
  static const unsigned char bit[4][2] = {
      {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  if (x < 0 || y < 0 || x >= 2 * c->width || y >= 4 * c->height) return;
  int at = y / 4 * c->width + x / 2;
  c->dots[at] |= bit[y % 4][x % 2];
  c->who[at] = (unsigned char)(1 + series % 10);
}

/* Bresenham's line, both ends included. */
static void draw_line(struct canvas *c, int x0, int y0, int x1, int y1,
                      int series) {
  int dx = abs(x1 - x0), dy = -abs(y1 - y0), error = dx + dy;
  int step_x = x0 < x1 ? 1 : -1, step_y = y0 < y1 ? 1 : -1;
  for (;;) {
    set_dot(c, x0, y0, series);
    if (x0 == x1 && y0 == y1) return;
    int twice = 2 * error;
    if (twice >= dy) error += dy, x0 += step_x;
    if (twice <= dx) error += dx, y0 += step_y;
  }
}

static bool place(const struct canvas *c, double vx, double vy, int *x,
                  int *y) {
  double tx = fs_scale_at(&c->x, vx), ty = fs_scale_at(&c->y, vy);
  if (isnan(tx) || isnan(ty)) return false;
  *x = (int)lround(tx * (2 * c->width - 1));
  *y = (int)lround((1 - ty) * (4 * c->height - 1));
  return true;
}

static void draw_points(struct canvas *c, const struct fs_series *s,
                        int number) {
  bool open = false; /* whether the last point can be gone on from */
  int x = 0, y = 0, last_x = 0, last_y = 0;
  for (int64_t k = 0; k < s->n; k++) {
    bool there = place(c, s->x[k], s->y[k], &x, &y);
    if (there && open && s->mark == FS_MARK_LINE)
      draw_line(c, last_x, last_y, x, y, number);
    else if (there)
      set_dot(c, x, y, number);
    open = there;
    last_x = x;
    last_y = y;
  }
}

static void draw_bars(struct canvas *c, const struct fs_series *s, int number) {
  int x0, x1, y, unused, floor = 4 * c->height - 1;
  double base = c->y.log ? pow(10, c->y.low) : fmax(c->y.low, 0);
  for (int64_t k = 0; k < s->n; k++) {
    if (!place(c, s->x[k], base, &x0, &floor)) continue;
    if (!place(c, s->x[k + 1], s->y[k], &x1, &y)) continue;
    if (s->y[k] == base || !place(c, s->x[k], s->y[k], &x0, &unused)) continue;
    for (int x = x0; x < FS_MAX(x1, x0 + 1); x++)
      draw_line(c, x, floor, x, y, number);
  }
}

/* -- lines of text ----------------------------------------------------------- */

static void blanks(struct fs_str *s, int n) {
  if (n > 0) fs_str_printf(s, "%*s", n, "");
}

/* At most `room` columns of a text, made safe; gives the columns. */
static int put_clipped(struct fs_str *out, const char *text, int room) {
  struct fs_str safe = {0};
  fs_str_put_safe(&safe, text, strlen(text));
  for (char *p = safe.data; p && *p; p++)
    if (*p == '\n' || *p == '\t') *p = ' ';
  size_t len = 0;
  int used = 0;
  while (len < safe.len) {
    uint32_t code;
    int n = fs_utf8_decode(safe.data + len, safe.len - len, &code);
    int w = fs_utf8_width(safe.data + len, (size_t)FS_MAX(n, 1));
    if (used + w > room) break;
    used += w;
    len += (size_t)FS_MAX(n, 1);
  }
  fs_str_put(out, fs_str_text(&safe), len);
  fs_str_free(&safe);
  return used;
}

static int text_width(const char *text) {
  struct fs_str unused = {0};
  int w = put_clipped(&unused, text, 1 << 20);
  fs_str_free(&unused);
  return w;
}

/* Ends a line without the blanks at its end. */
static void finish(struct fs_str *s) {
  while (s->len && s->data[s->len - 1] == ' ') s->data[--s->len] = 0;
  fs_str_puts(s, "\n");
}

static void end_line(struct canvas *c) {
  finish(c->out);
  if (c->ink) finish(c->ink);
}

static void put_centred(struct canvas *c, const char *text) {
  if (!text) return;
  int room = c->width, w = FS_MIN(text_width(text), room);
  blanks(c->out, c->margin + 1 + (room - w) / 2);
  put_clipped(c->out, text, room);
  end_line(c);
}

/* -- labels of points -------------------------------------------------------- */

enum { LABEL_SHOWN = 24 };

/* The character of a label at `*text`, as it is shown: one column, or a mark for it. */
static struct glyph next_glyph(const char **text, bool ascii) {
  uint32_t code;
  int n = FS_MAX(fs_utf8_decode(*text, strlen(*text), &code), 1);
  bool plain = (unsigned char)**text >= ' ' && fs_utf8_width(*text, (size_t)n) == 1 &&
               !(ascii && n > 1);
  struct glyph g = {plain ? *text : "?", plain ? n : 1};
  *text += n;
  return g;
}

/* Nothing stands in the columns from `first` on, nor beside them. */
static bool is_free(const struct canvas *c, int row, int first, int n) {
  if (row < 0 || row >= c->height || first < 0 || first + n > c->width) return false;
  for (int k = FS_MAX(first - 1, 0); k < FS_MIN(first + n + 1, c->width); k++)
    if (c->glyphs[row * c->width + k].text || (k >= first && k < first + n &&
                                               c->dots[row * c->width + k]))
      return false;
  return true;
}

static void write_label(struct canvas *c, int row, int first, int n, const char *text, int series) {
  for (int k = 0; k < n; k++) {
    c->glyphs[row * c->width + first + k] = next_glyph(&text, c->look->ascii);
    c->who[row * c->width + first + k] = (unsigned char)(1 + series % 10);
  }
}

/* Right of its point, left, or a line above or below; of long ones the beginning. */
static void label_point(struct canvas *c, int x, int y, const char *text, int series) {
  static const int rows[] = {0, -1, 1};
  int n = 0, column = x / 2, row = y / 4;
  for (const char *at = text; *at && n < LABEL_SHOWN; n++) next_glyph(&at, false);
  for (; n > 1; n = n > 8 ? 8 : n > 2 ? 2 : 1)
    for (size_t k = 0; k < FS_LEN(rows); k++) {
      int first = is_free(c, row + rows[k], column + 2, n) ? column + 2
                  : is_free(c, row + rows[k], column - 1 - n, n) ? column - 1 - n : -1;
      if (first < 0) continue;
      write_label(c, row + rows[k], first, n, text, series);
      return;
    }
}

static void put_labels(struct canvas *c, const struct fs_series *s, int series) {
  int x, y;
  for (int64_t k = 0; s->labels && k < s->n; k++)
    if (s->labels[k] && place(c, s->x[k], s->y[k], &x, &y))
      label_point(c, x, y, s->labels[k], series);
}

/* -- what a character shows ---------------------------------------------------- */

static void put_char(struct canvas *c, int at) {
  static const char *const marks = "*+ox#%@&$=";
  unsigned dots = c->dots[at];
  if (c->glyphs[at].text) {
    fs_str_put(c->out, c->glyphs[at].text, (size_t)c->glyphs[at].bytes);
  } else if (!dots) {
    fs_str_puts(c->out, " ");
  } else if (!c->look->ascii) {
    char text[4] = {(char)0xe2, (char)(0xa0 | dots >> 6),
                    (char)(0x80 | (dots & 0x3f)), 0};
    fs_str_puts(c->out, text);
  } else if (c->p->series.len > 1) {
    fs_str_printf(c->out, "%c", marks[c->who[at] - 1]);
  } else {
    bool top = dots & 0x1b, bottom = dots & 0xe4;
    fs_str_puts(c->out, top && bottom ? ":" : top ? "'" : ".");
  }
}

static void put_ink(struct canvas *c, int row) {
  if (!c->ink) return;
  blanks(c->ink, c->margin + 1);
  for (int k = 0; k < c->width; k++) {
    int who = c->who[row * c->width + k];
    fs_str_printf(c->ink, "%c", who ? '0' + who - 1 : ' ');
  }
}

/* -- axes -------------------------------------------------------------------- */

static int tick_row(const struct canvas *c, int k) {
  double t = fs_scale_at(&c->y, c->y.tick[k]);
  return (int)lround((1 - t) * (4 * c->height - 1)) / 4;
}

/* The tick of a row, or -1: one only, the first. */
static int tick_at(const struct canvas *c, int row) {
  for (int k = 0; k < c->y.n_ticks; k++)
    if (tick_row(c, k) == row) return k;
  return -1;
}

static int label_margin(const struct canvas *c) {
  int widest = 1;
  char text[32];
  for (int k = 0; k < c->y.n_ticks; k++) {
    widest = FS_MAX(widest, (int)strlen(fs_tick_text(&c->y, k, text)));
  }
  return FS_MIN(widest, LABEL_MAX) + 1;
}

static void put_frame_left(struct canvas *c, int row) {
  char text[32] = "";
  int k = tick_at(c, row);
  if (k >= 0) fs_tick_text(&c->y, k, text);
  fs_str_printf(c->out, "%*.*s ", c->margin - 1, c->margin - 1, text);
  fs_str_puts(c->out, c->look->ascii ? (k < 0 ? "|" : "+")
                                     : (k < 0 ? "\u2502" : "\u2524"));
}

static int tick_column(const struct canvas *c, int k) {
  return (int)lround(fs_scale_at(&c->x, c->x.tick[k]) * (2 * c->width - 1)) / 2;
}

static void put_frame_bottom(struct canvas *c) {
  blanks(c->out, c->margin);
  fs_str_puts(c->out, c->look->ascii ? "+" : "\u2514");
  for (int x = 0; x < c->width; x++) {
    bool tick = false;
    for (int k = 0; k < c->x.n_ticks; k++) tick |= tick_column(c, k) == x;
    fs_str_puts(c->out, c->look->ascii ? (tick ? "+" : "-")
                                       : (tick ? "\u252c" : "\u2500"));
  }
  end_line(c);
}

/* Columns that the words of one tick may take. */
static int tick_room(const struct canvas *c) {
  if (!c->x.names) return 32;
  return FS_MAX(c->width / FS_MAX(c->x.n_ticks, 1) - 1, 1);
}

/* What stands under the ticks, as much as finds room. */
static void put_numbers(struct canvas *c) {
  int used = -1, room = c->margin + 1 + c->width;
  for (int k = 0; k < c->x.n_ticks; k++) {
    char number[32];
    const char *text = fs_tick_text(&c->x, k, number);
    int w = FS_MIN(text_width(text), tick_room(c));
    int at = c->margin + 1 + tick_column(c, k) - w / 2;
    at = FS_MAX(FS_MIN(at, room - w), 0);
    if (at <= used) continue;
    blanks(c->out, at - FS_MAX(used, 0));
    put_clipped(c->out, text, w);
    used = at + w;
  }
  end_line(c);
}

static void begin_legend(struct canvas *c) {
  blanks(c->out, c->margin + 1);
  if (c->ink) blanks(c->ink, c->margin + 1);
}

static void put_legend(struct canvas *c) {
  static const char *const marks = "*+ox#%@&$=";
  int room = c->width, used = 0;
  if (!fs_plot_has_legend(c->p)) return;
  begin_legend(c);
  for (int k = 0; k < c->p->series.len; k++) {
    const char *name = c->p->series.data[k].name;
    if (!name) continue;
    if (used && used + 2 + FS_MIN(text_width(name), 40) > room) {
      end_line(c);
      begin_legend(c);
      used = 0;
    }
    if (c->look->ascii)
      fs_str_printf(c->out, "%c ", c->p->series.len > 1 ? marks[k % 10] : '*');
    else
      fs_str_puts(c->out, "\u28ff ");
    int w = 2 + put_clipped(c->out, name, FS_MIN(room - used - 2, 40));
    if (c->ink) fs_str_printf(c->ink, "%d", k % 10);
    int gap = used + w + 3 < room ? 3 : 0;
    blanks(c->out, gap);
    if (c->ink) blanks(c->ink, w - 1 + gap);
    used += w + gap;
  }
  end_line(c);
}

static void put_y_label(struct canvas *c) {
  if (!c->p->y.label) return;
  blanks(c->out, FS_MAX(c->margin - 2, 0));
  put_clipped(c->out, c->p->y.label, c->width);
  end_line(c);
}

/* -- cells ------------------------------------------------------------------- */

/* The mean of the cells that fall on a character; NaN if there is none. */
static double mean_cell(const struct fs_series *s, int64_t r0, int64_t r1,
                        int64_t c0, int64_t c1) {
  double sum = 0;
  int64_t n = 0;
  for (int64_t r = r0; r < FS_MAX(r1, r0 + 1); r++)
    for (int64_t c = c0; c < FS_MAX(c1, c0 + 1); c++) {
      double v = s->y[r * s->columns + c];
      if (isfinite(v)) sum += v, n++;
    }
  return n ? sum / (double)n : NAN;
}

static void put_shade(struct canvas *c, double t) {
  static const char *const shades[] = {"\u00b7", "\u2591", "\u2592", "\u2593",
                                       "\u2588"};
  static const char ascii[] = ".:-=+*#%@";
  int levels = c->look->ascii ? (int)sizeof ascii - 1 : (int)FS_LEN(shades);
  if (isnan(t)) {
    fs_str_puts(c->out, "?");
    return;
  }
  int level = FS_MIN((int)(t * levels), levels - 1);
  if (c->look->ascii) fs_str_printf(c->out, "%c", ascii[level]);
  else fs_str_puts(c->out, shades[level]);
}

static void put_cells(struct canvas *c, const struct fs_series *s) {
  double low, high;
  char text[2][32];
  fs_cells_range(s, &low, &high);
  double size = high > low ? high - low : 1;
  int wide = 2 * s->columns <= c->width ? 2 : 1;
  int columns = (int)FS_MIN(s->columns, c->width / wide);
  int rows = (int)FS_MIN(s->rows, c->height);
  for (int r = 0; r < rows; r++) {
    blanks(c->out, c->margin + 1);
    for (int k = 0; k < columns; k++) {
      double v = mean_cell(s, r * s->rows / rows, (r + 1) * s->rows / rows,
                           k * s->columns / columns,
                           (k + 1) * s->columns / columns);
      for (int i = 0; i < wide; i++) put_shade(c, (v - low) / size);
    }
    end_line(c);
  }
  snprintf(text[0], 32, "%.6g", low);
  snprintf(text[1], 32, "%.6g", high);
  blanks(c->out, c->margin + 1);
  fs_str_printf(c->out, "%lld%s%lld, ", (long long)s->all_rows,
                c->look->ascii ? "x" : "\u00d7", (long long)s->all_columns);
  for (int k = 0; k < 5; k++) put_shade(c, k / 4.0);
  fs_str_printf(c->out, " %s to %s", text[0], text[1]);
  end_line(c);
}

/* -- the whole --------------------------------------------------------------- */

static void put_picture(struct canvas *c) {
  if (c->p->series.data[0].mark == FS_MARK_CELLS) {
    put_cells(c, &c->p->series.data[0]);
    return;
  }
  for (int k = 0; k < c->p->series.len; k++) {
    const struct fs_series *s = &c->p->series.data[k];
    if (s->mark == FS_MARK_BARS) draw_bars(c, s, k);
    else draw_points(c, s, k);
  }
  for (int k = 0; k < c->p->series.len; k++) put_labels(c, &c->p->series.data[k], k);
  put_y_label(c);
  for (int row = 0; row < c->height; row++) {
    put_frame_left(c, row);
    for (int k = 0; k < c->width; k++) put_char(c, row * c->width + k);
    put_ink(c, row);
    end_line(c);
  }
  put_frame_bottom(c);
  put_numbers(c);
}

void fs_plot_text(const struct fs_plot *p, const struct fs_plot_look *look,
                  struct fs_str *out, struct fs_str *ink) {
  struct canvas c = {.p = p, .look = look, .out = out, .ink = ink};
  int total = FS_MIN(FS_MAX(look->width, 20), MAX_WIDTH);
  bool any = fs_plot_scales(p, &c.x, &c.y);
  bool cells = p->series.len && p->series.data[0].mark == FS_MARK_CELLS;
  c.margin = any && !cells ? label_margin(&c) : 1;
  c.width = FS_MAX(total - c.margin - 1, 4);
  c.height = FS_MIN(look->height ? look->height : LINES, MAX_LINES);
  size_t size = (size_t)c.width * (size_t)c.height;
  c.dots = fs_calloc(size, 1);
  c.who = fs_calloc(size, 1);
  c.glyphs = fs_calloc(size, sizeof *c.glyphs);
  put_centred(&c, p->title);
  if (any) put_picture(&c);
  else put_centred(&c, "(no finite points)");
  put_centred(&c, any ? p->x.label : NULL);
  if (any) put_legend(&c);
  if (out->len) out->data[--out->len] = 0; /* the last line's end */
  free(c.dots);
  free(c.who);
  free(c.glyphs);
}
