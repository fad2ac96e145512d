/* plot.c - plots as data, and their axes. */
#include "core/plot/plot.h"

#include <math.h>
#include <stdio.h>

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

static void linear_ticks(struct fs_scale *s) {
  double step = nice_step((s->high - s->low) / 6);
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
  else linear_ticks(s);
}

static void cell_scales(const struct fs_series *s, struct fs_scale *x,
                        struct fs_scale *y) {
  struct range columns = {0.5, (double)s->all_columns + 0.5, false, true};
  struct range rows = {0.5, (double)s->all_rows + 0.5, false, true};
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
  make_scale(&ry, 0.05, bars, y);
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
