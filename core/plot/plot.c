/* plot.c - plots as data, and their axes. */
#include "core/plot/plot.h"

#include <math.h>
#include <stdio.h>

enum { LETTER_WIDTH = 7, LETTER_HEIGHT = 12, MOST_PLACED = 200 /* pixels; labels */ };

/* -- life -------------------------------------------------------------------- */

struct fs_plot *fs_plot_new(void) { return fs_calloc(1, sizeof(struct fs_plot)); }

static void free_series(struct fs_series *s) {
  for (int64_t k = 0; s->labels && k < s->n; k++) free(s->labels[k]);
  free(s->labels);
  free(s->name);
  free(s->x);
  free(s->y);
}

void fs_plot_free(struct fs_plot *p) {
  if (!p) return;
  for (int k = 0; k < p->series.len; k++) free_series(&p->series.data[k]);
  FS_VEC_FREE(&p->series);
  for (int k = 0; k < p->x.names.len; k++) free(p->x.names.data[k]);
  FS_VEC_FREE(&p->x.names);
  free(p->title);
  free(p->x.label);
  free(p->y.label);
  free(p);
}

struct fs_series *fs_plot_add(struct fs_plot *p, enum fs_mark mark, int64_t n,
                              const char *name) {
  struct fs_series *s = FS_PUSH(&p->series);
  *s = (struct fs_series){.mark = mark};
  s->x = fs_calloc((size_t)n + 1, sizeof *s->x);
  s->y = fs_calloc((size_t)n + 1, sizeof *s->y);
  s->n = n;
  if (name) s->name = fs_strdup(name);
  return s;
}

void fs_axis_name(struct fs_axis *axis, const char *names) {
  for (const char *at = names; *at;) {
    size_t n = strcspn(at, ",");
    char *copy = fs_strndup(at, n);
    *FS_PUSH(&axis->names) = copy;
    at += n + (at[n] == ',');
  }
}

/* Between two bars of a series is one without height. */
void fs_plot_add_bars(struct fs_plot *p, int k, int n, const double *y,
                      int64_t m, const char *name) {
  struct fs_series *s = fs_plot_add(p, FS_MARK_BARS, 2 * m - 1, name);
  double width = 0.8 / n;
  for (int64_t i = 0; i < m; i++) {
    s->x[2 * i] = (double)i + 0.6 + width * k;
    s->x[2 * i + 1] = s->x[2 * i] + width;
    s->y[2 * i] = y[i];
    if (i + 1 < m) s->y[2 * i + 1] = NAN;
  }
}

bool fs_plot_has_legend(const struct fs_plot *p) {
  for (int k = 0; k < p->series.len; k++)
    if (p->series.data[k].name && p->series.data[k].mark != FS_MARK_CELLS)
      return true;
  return false;
}

/* -- ranges ------------------------------------------------------------------ */

struct range {
  double low, high;
  bool log, any;
  bool whole;              /* there is nothing between whole numbers */
};

static void take(struct range *r, double v) {
  if (!isfinite(v) || (r->log && v <= 0)) return;
  double t = r->log ? log10(v) : v;
  r->low = r->any ? fmin(r->low, t) : t;
  r->high = r->any ? fmax(r->high, t) : t;
  r->any = true;
}

static bool usable(double v, bool log) {
  return isfinite(v) && (!log || v > 0);
}

static void take_series(const struct fs_series *s, struct range *x,
                        struct range *y) {
  for (int64_t k = 0; k < s->n; k++) {
    if (s->mark == FS_MARK_BARS) {
      if (!usable(s->y[k], y->log)) continue;
      take(x, s->x[k]);
      take(x, s->x[k + 1]);
      take(y, s->y[k]);
      if (!y->log) take(y, 0);
    } else if (usable(s->x[k], x->log) && usable(s->y[k], y->log)) {
      take(x, s->x[k]);
      take(y, s->y[k]);
    }
  }
}

bool fs_cells_range(const struct fs_series *s, double *low, double *high) {
  struct range r = {.any = false};
  for (int64_t k = 0; k < s->n; k++) take(&r, s->y[k]);
  *low = r.low;
  *high = r.high;
  return r.any;
}

/* -- ticks ------------------------------------------------------------------- */

/* 1, 2 or 5 times a power of ten, not below x. */
static double nice_step(double x) {
  double power = pow(10, floor(log10(x))), f = x / power;
  return power * (f <= 1.0000001 ? 1 : f <= 2.0000001 ? 2
                                   : f <= 5.0000001 ? 5 : 10);
}

static void add_tick(struct fs_scale *s, double v, double at) {
  double slack = 1e-9 * (s->high - s->low);
  if (at < s->low - slack || at > s->high + slack) return;
  if (s->n_ticks < FS_TICKS_MAX) s->tick[s->n_ticks++] = v;
}

static void linear_ticks(struct fs_scale *s, bool whole) {
  double step = nice_step((s->high - s->low) / 6);
  if (whole) step = fmax(step, 1);
  double first = ceil(s->low / step - 1e-9);
  double most = fmax(fabs(s->low), fabs(s->high));
  if (!(step > 0) || !isfinite(first)) return;
  s->digits = (int)fmin(fmax(ceil(log10(most / step)) + 1, 6), 17);
  for (int k = 0; k < 12; k++) {
    double v = (first + k) * step;
    add_tick(s, fabs(v) < step * 1e-9 ? 0 : v, v);
  }
}

/* Powers of ten, not more than 7; within less than two decades also 2 and 5. */
static void log_ticks(struct fs_scale *s) {
  int from = (int)floor(s->low), to = (int)ceil(s->high);
  int every = (to - from) / 7 + 1;
  bool between = s->high - s->low < 2;
  for (int e = from; e <= to; e++) {
    if ((e - from) % every) continue;
    add_tick(s, pow(10, e), e);
    if (between) add_tick(s, 2 * pow(10, e), e + log10(2));
    if (between) add_tick(s, 5 * pow(10, e), e + log10(5));
  }
  if (!s->n_ticks) add_tick(s, pow(10, s->low), s->low);
}

/* `pad`: the share of the range that is left free at both ends. */
static void make_scale(const struct range *r, double pad, bool from_zero,
                       struct fs_scale *s) {
  double low = r->low, high = r->high;
  *s = (struct fs_scale){.log = r->log, .digits = 6};
  if (!(high > low)) {
    double half = r->log ? 0.5 : fmax(fabs(low) / 10, 0.5);
    low -= half;
    high += half;
  }
  double size = high - low;
  if (!isfinite(size)) size = 0; /* beyond what a double holds: no padding */
  s->low = from_zero && low == 0 ? 0 : low - pad * size;
  s->high = high + pad * size;
  if (!isfinite(s->high - s->low)) {
    s->low /= 4;
    s->high /= 4;
  }
  if (r->log) log_ticks(s);
  else linear_ticks(s, r->whole);
}

static void cell_scales(const struct fs_series *s, struct fs_scale *x,
                        struct fs_scale *y) {
  struct range columns = {0.5, (double)s->all_columns + 0.5, false, true, true};
  struct range rows = {0.5, (double)s->all_rows + 0.5, false, true, true};
  make_scale(&columns, 0, false, x);
  make_scale(&rows, 0, false, y);
  y->reversed = true;
}

/* The named places instead of numbers, if there are not too many. */
static void name_ticks(const struct fs_axis *axis, struct fs_scale *s) {
  if (!axis->names.len || axis->names.len > FS_TICKS_MAX || s->log) return;
  s->low = fmin(s->low, 0.5);
  s->high = fmax(s->high, axis->names.len + 0.5);
  s->n_ticks = 0;
  s->names = axis->names.data;
  for (int k = 0; k < axis->names.len; k++) add_tick(s, k + 1, k + 1);
}

bool fs_plot_scales(const struct fs_plot *p, struct fs_scale *x,
                    struct fs_scale *y) {
  struct range rx = {.log = p->x.log}, ry = {.log = p->y.log};
  bool bars = false;
  if (p->series.len && p->series.data[0].mark == FS_MARK_CELLS) {
    double low, high;
    cell_scales(&p->series.data[0], x, y);
    return fs_cells_range(&p->series.data[0], &low, &high);
  }
  for (int k = 0; k < p->series.len; k++) {
    take_series(&p->series.data[k], &rx, &ry);
    bars |= p->series.data[k].mark == FS_MARK_BARS;
  }
  if (!rx.any || !ry.any) return false;
  make_scale(&rx, bars ? 0 : 0.03, false, x);
  make_scale(&ry, 0.05, bars && !p->y.log, y);
  name_ticks(&p->x, x);
  return true;
}

double fs_scale_at(const struct fs_scale *s, double v) {
  if (!usable(v, s->log)) return NAN;
  double t = ((s->log ? log10(v) : v) - s->low) / (s->high - s->low);
  return s->reversed ? 1 - t : t;
}

const char *fs_tick_text(const struct fs_scale *s, int k, char room[32]) {
  if (s->names) return s->names[k];
  snprintf(room, 32, "%.*g", s->digits, s->tick[k]);
  return room;
}

bool fs_scale_slants(const struct fs_scale *s, double pixels) {
  double each = pixels / (s->high - s->low);
  for (int k = 0; s->names && k < s->n_ticks; k++)
    if (LETTER_WIDTH * (1 + fs_utf8_width(s->names[k], strlen(s->names[k]))) > each)
      return true;
  return false;
}

/* -- labels at dots ------------------------------------------------------------ */

/* Where a label lies: its left end, the middle of its height. */
struct place { double x, y, width; };

/* The labels that were placed, in a picture whose right end is at `right`. */
struct placed {
  struct place at[MOST_PLACED];
  int n;
  double right, height;
};

static bool is_free(const struct placed *all, const struct place *p) {
  if (p->x < 0 || p->x + p->width > all->right) return false;
  if (p->y < 0 || p->y > all->height) return false;
  for (int k = 0; k < all->n; k++) {
    const struct place *o = &all->at[k];
    if (fabs(o->y - p->y) < LETTER_HEIGHT && p->x < o->x + o->width &&
        o->x < p->x + p->width)
      return false;
  }
  return true;
}

/* Beside its dot, at the right or the left, a little higher or lower where other
 * labels are; over those if there is no room. */
static struct place place_label(const struct placed *all, double x, double y,
                                bool left, const char *label) {
  static const int lower[] = {0, -8, 8, -14, 14};
  double width = LETTER_WIDTH * fs_utf8_width(label, strlen(label));
  double at[2] = {x + FS_LABEL_GAP, x - FS_LABEL_GAP - width};
  for (size_t k = 0; k < 2 * FS_LEN(lower); k++) {
    struct place p = {at[(k % 2 == 1) != left], y + lower[k / 2], width};
    if (is_free(all, &p)) return p;
  }
  return (struct place){at[left], y, width};
}

void fs_plot_place_labels(const struct fs_series *s, const struct fs_scale *x,
                          const struct fs_scale *y, double width, double height,
                          double beyond, struct fs_label_place *out) {
  struct placed all = {.right = width + beyond, .height = height};
  for (int64_t i = 0; i < s->n; i++) {
    double at_x = width * fs_scale_at(x, s->x[i]);
    double at_y = height * (1 - fs_scale_at(y, s->y[i]));
    if (isnan(at_x) || isnan(at_y) || !s->labels[i]) continue;
    struct place p = place_label(&all, at_x, at_y, at_x > width - 120, s->labels[i]);
    out[i] = (struct fs_label_place){p.x < at_x, p.y - at_y};
    if (all.n < MOST_PLACED) all.at[all.n++] = p;
  }
}

/* -- in words ------------------------------------------------------------------ */

static void put_quoted(struct fs_str *out, const char *text) {
  enum { SHOWN = 60 };
  size_t len = strlen(text), cut = fs_utf8_cut(text, len, SHOWN);
  fs_str_puts(out, "\"");
  fs_str_put(out, text, cut);
  fs_str_puts(out, cut < len ? "\u2026\"" : "\"");
}

static void put_extent(struct fs_str *out, const struct range *r, const char *what) {
  fs_str_puts(out, "; ");
  fs_str_puts(out, what);
  if (r->log) fs_str_printf(out, " from %.4g to %.4g", pow(10, r->low), pow(10, r->high));
  else fs_str_printf(out, " from %.4g to %.4g", r->low, r->high);
}

static void put_names(struct fs_str *out, const struct fs_plot *p) {
  enum { NAMED = 8 };
  int n = 0;
  for (int k = 0; k < p->series.len; k++) {
    if (!p->series.data[k].name) continue;
    if (n < NAMED) {
      fs_str_puts(out, n ? ", " : " of ");
      put_quoted(out, p->series.data[k].name);
    }
    n++;
  }
  if (n > NAMED) fs_str_printf(out, " and %d more", n - NAMED);
}

void fs_plot_alt(const struct fs_plot *p, struct fs_str *out) {
  static const char *const nouns[] = {
      [FS_MARK_LINE] = "line plot", [FS_MARK_POINTS] = "scatter plot",
      [FS_MARK_BARS] = "bar chart", [FS_MARK_CELLS] = "heatmap"};
  const struct fs_series *first = p->series.len ? &p->series.data[0] : NULL;
  bool cells = first && first->mark == FS_MARK_CELLS;
  struct range x = {.log = p->x.log}, y = {.log = p->y.log};
  fs_str_puts(out, first ? nouns[first->mark] : "plot");
  if (p->title) fs_str_puts(out, " ");
  if (p->title) put_quoted(out, p->title);
  if (cells)
    fs_str_printf(out, " of %lld x %lld", (long long)first->all_rows,
                  (long long)first->all_columns);
  else put_names(out, p);
  for (int k = 0; k < p->series.len && !cells; k++)
    take_series(&p->series.data[k], &x, &y);
  if (cells) y.any = fs_cells_range(first, &y.low, &y.high);
  if (x.any) put_extent(out, &x, p->x.label ? p->x.label : "x");
  if (y.any) put_extent(out, &y, cells ? "values" : p->y.label ? p->y.label : "y");
  else fs_str_puts(out, "; no finite points");
}
