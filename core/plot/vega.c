/* vega.c - a plot as a Vega-Lite 5 specification: one layer for each series, its
 * points as data in the specification. Gaps are empty. */
#include <math.h>
#include <stdio.h>

#include "core/plot/plot.h"

static json_t *text_json(const char *text) {
  struct fs_str safe = {0};
  fs_str_put_safe(&safe, text, strlen(text));
  json_t *s = json_stringn(fs_str_text(&safe), safe.len);
  fs_str_free(&safe);
  return s;
}

static void set(json_t *o, const char *key, json_t *value) {
  json_object_set_new(o, key, value);
}

/* -- encodings --------------------------------------------------------------- */

/* What the picture is made of, and its axes, which are those of the other forms. */
struct spec {
  const struct fs_plot *p;
  struct fs_scale x, y;
  bool any;                /* there is something to show: the axes are known */
};

/* The ends of the axis; NULL where a double does not hold them. */
static json_t *domain(const struct fs_scale *s) {
  double low = s->log ? pow(10, s->low) : s->low;
  double high = s->log ? pow(10, s->high) : s->high;
  if (!isfinite(low) || !isfinite(high) || (s->log && !(low > 0))) return NULL;
  return json_pack("[f,f]", low, high);
}

static json_t *channel(const char *field, const struct fs_axis *axis,
                       const struct fs_scale *s, bool any) {
  json_t *c = json_pack("{ss,ss}", "field", field, "type", "quantitative");
  json_t *scale = json_object(), *ends = any ? domain(s) : NULL;
  set(c, "title", axis->label ? text_json(axis->label) : json_null());
  if (axis->log) set(scale, "type", json_string("log"));
  set(scale, "zero", json_false());
  if (ends) set(scale, "domain", ends);
  if (ends) set(scale, "nice", json_false());
  set(c, "scale", scale);
  return c;
}

/* {"values": [1, 2], "labelExpr": "['a','b'][datum.value-1]"}: the names as string
 * literals of the expression, in ASCII. None is left out. */
static json_t *named_axis(const struct fs_scale *s) {
  json_t *names = json_array(), *values = json_array();
  struct fs_str code = {0};
  for (int k = 0; k < s->n_ticks; k++) {
    json_array_append_new(names, text_json(s->names[k]));
    json_array_append_new(values, json_integer(k + 1));
  }
  char *list = json_dumps(names, JSON_ENSURE_ASCII | JSON_COMPACT);
  fs_str_printf(&code, "%s[datum.value-1]", list);
  json_t *o = json_pack("{so,ss,sb,si}", "values", values, "labelExpr",
                        fs_str_text(&code), "labelOverlap", 0, "labelAngle",
                        fs_scale_slants(s, FS_PLOT_WIDTH) ? FS_NAMES_SLANT : 0);
  free(list);
  json_decref(names);
  fs_str_free(&code);
  return o;
}

/* Between two cells there is nothing to be marked: their ticks are the plot's. */
static json_t *whole_axis(const struct fs_scale *s) {
  json_t *values = json_array();
  for (int k = 0; k < s->n_ticks; k++)
    json_array_append_new(values, json_real(s->tick[k]));
  return json_pack("{so}", "values", values);
}

static json_t *x_channel(const struct spec *g) {
  json_t *c = channel("x", &g->p->x, &g->x, g->any);
  if (g->any && g->x.names) set(c, "axis", named_axis(&g->x));
  return c;
}

static json_t *y_channel(const struct spec *g) {
  return channel("y", &g->p->y, &g->y, g->any);
}

static json_t *series_name(const struct fs_series *s, int k) {
  char text[32];
  snprintf(text, sizeof text, "series %d", k + 1);
  return s->name ? text_json(s->name) : json_string(text);
}

/* -- data -------------------------------------------------------------------- */

/* Data are CSV texts in the specification, a tenth of the size of objects. */
static void put_csv(struct fs_str *out, double v, bool usable) {
  char text[32];
  snprintf(text, sizeof text, "%.9g", v);
  if (usable && isfinite(v)) fs_str_puts(out, text);
}

static void put_csv_text(struct fs_str *out, const char *text) {
  struct fs_str safe = {0};
  fs_str_put_safe(&safe, text, strlen(text));
  fs_str_puts(out, "\"");
  for (const char *p = fs_str_text(&safe); *p; p++)
    fs_str_printf(out, *p == '"' ? "\"%c" : "%c", *p);
  fs_str_puts(out, "\"");
  fs_str_free(&safe);
}

/* `columns`: the names, all of numbers but "label" and "side". */
static json_t *csv_data(struct fs_str *rows, const char *columns) {
  struct fs_str all = {0};
  json_t *parse = json_object();
  fs_str_printf(&all, "%s\n", columns);
  fs_str_put(&all, fs_str_text(rows), rows->len);
  for (const char *at = columns; *at;) {
    char name[16];
    size_t n = strcspn(at, ",");
    snprintf(name, sizeof name, "%.*s", (int)n, at);
    if (strcmp(name, "label") && strcmp(name, "side")) set(parse, name, json_string("number"));
    at += n + (at[n] == ',');
  }
  json_t *o = json_pack("{ss%,s{ss,so}}", "values", fs_str_text(&all), all.len,
                        "format", "type", "csv", "parse", parse);
  fs_str_free(&all);
  fs_str_free(rows);
  return o;
}

static json_t *point_data(const struct fs_series *s, const struct fs_plot *p) {
  struct fs_str rows = {0};
  for (int64_t i = 0; i < s->n; i++) {
    fs_str_printf(&rows, "%lld,", (long long)i);
    put_csv(&rows, s->x[i], !p->x.log || s->x[i] > 0);
    fs_str_puts(&rows, ",");
    put_csv(&rows, s->y[i], !p->y.log || s->y[i] > 0);
    if (s->labels) fs_str_puts(&rows, ",");
    if (s->labels && s->labels[i]) put_csv_text(&rows, s->labels[i]);
    fs_str_puts(&rows, "\n");
  }
  return csv_data(&rows, s->labels ? "i,x,y,label" : "i,x,y");
}

/* The dots that have a label, with its text and its place. */
static json_t *label_data(const struct fs_series *s, const struct spec *g) {
  struct fs_label_place *place = fs_calloc((size_t)s->n + 1, sizeof *place);
  struct fs_str rows = {0};
  fs_plot_place_labels(s, &g->x, &g->y, FS_PLOT_WIDTH, FS_PLOT_HEIGHT, 0, place);
  for (int64_t i = 0; i < s->n; i++) {
    if (!s->labels[i] || isnan(fs_scale_at(&g->x, s->x[i])) ||
        isnan(fs_scale_at(&g->y, s->y[i])))
      continue;
    put_csv(&rows, s->x[i], true);
    fs_str_puts(&rows, ",");
    put_csv(&rows, s->y[i], true);
    fs_str_puts(&rows, ",");
    put_csv_text(&rows, s->labels[i]);
    fs_str_printf(&rows, ",%d,%g,%s\n",
                  place[i].left ? -FS_LABEL_GAP : FS_LABEL_GAP, place[i].lower,
                  place[i].left ? "right" : "left");
  }
  free(place);
  return csv_data(&rows, "x,y,label,dx,dy,side");
}

static json_t *bar_data(const struct fs_series *s) {
  struct fs_str rows = {0};
  for (int64_t i = 0; i < s->n; i++) {
    if (!isfinite(s->y[i])) continue;
    put_csv(&rows, s->x[i], true);
    fs_str_puts(&rows, ",");
    put_csv(&rows, s->x[i + 1], true);
    fs_str_puts(&rows, ",");
    put_csv(&rows, s->y[i], true);
    fs_str_puts(&rows, "\n");
  }
  return csv_data(&rows, "x,x2,y");
}

static json_t *cell_data(const struct fs_series *s) {
  struct fs_str rows = {0};
  for (int64_t k = 0; k < s->n; k++) {
    char text[32] = "";
    if (isfinite(s->y[k])) snprintf(text, sizeof text, "%.6g", s->y[k]);
    fs_str_printf(&rows, "%lld,%lld,%s\n", (long long)(k / s->columns),
                  (long long)(k % s->columns), text);
  }
  return csv_data(&rows, "r,c,v");
}

static json_t *calculate(const char *as, const char *from, int more,
                         double size) {
  char code[80];
  snprintf(code, sizeof code, "0.5 + %.9g*(datum.%s + %d)", size, from, more);
  return json_pack("{ss,ss}", "calculate", code, "as", as);
}

/* The edges of the cells, from their row and column. */
static json_t *cell_transform(const struct fs_series *s) {
  double w = (double)s->all_columns / (double)s->columns;
  double h = (double)s->all_rows / (double)s->rows;
  return json_pack("[o,o,o,o]", calculate("x", "c", 0, w),
                   calculate("x2", "c", 1, w), calculate("y", "r", 0, h),
                   calculate("y2", "r", 1, h));
}

/* -- layers ------------------------------------------------------------------ */

static json_t *mark_of(const struct fs_series *s) {
  switch (s->mark) {
    case FS_MARK_LINE: return json_pack("{ss}", "type", "line");
    case FS_MARK_POINTS:
      return json_pack("{ss,sb,s{ss}}", "type", "point", "filled", 1,
                       "tooltip", "content", "data");
    case FS_MARK_BARS: /* from x to x2: else Vega-Lite takes them for horizontal */
      return json_pack("{ss,ss}", "type", "bar", "orient", "vertical");
    default: return json_pack("{ss}", "type", "rect");
  }
}

static json_t *cell_encoding(const struct spec *g) {
  json_t *e = json_object(), *x = x_channel(g), *y = y_channel(g);
  set(json_object_get(y, "scale"), "reverse", json_true());
  if (g->any && !g->x.names) set(x, "axis", whole_axis(&g->x));
  if (g->any) set(y, "axis", whole_axis(&g->y));
  set(e, "x", x);
  set(e, "x2", json_pack("{ss}", "field", "x2"));
  set(e, "y", y);
  set(e, "y2", json_pack("{ss}", "field", "y2"));
  set(e, "color",
      json_pack("{ss,ss,sn,s{ss}}", "field", "v", "type", "quantitative",
                "title", "scale", "scheme", "viridis"));
  return e;
}

static void set_color(const struct spec *g, int k, json_t *encoding) {
  if (fs_plot_has_legend(g->p))
    set(encoding, "color",
        json_pack("{so}", "datum", series_name(&g->p->series.data[k], k)));
}

static json_t *layer(const struct spec *g, int k) {
  const struct fs_series *s = &g->p->series.data[k];
  json_t *o = json_object(), *e = json_object(), *data;
  if (s->mark == FS_MARK_CELLS) {
    json_decref(e);
    e = cell_encoding(g);
    data = cell_data(s);
    set(o, "transform", cell_transform(s));
  } else if (s->mark == FS_MARK_BARS) {
    set(e, "x", x_channel(g));
    set(e, "x2", json_pack("{ss}", "field", "x2"));
    set(e, "y", y_channel(g));
    data = bar_data(s);
  } else {
    set(e, "x", x_channel(g));
    set(e, "y", y_channel(g));
    if (s->mark == FS_MARK_LINE)
      set(e, "order", json_pack("{ss,ss}", "field", "i", "type",
                                "quantitative"));
    data = point_data(s, g->p);
  }
  set_color(g, k, e);
  set(o, "data", data);
  set(o, "mark", mark_of(s));
  set(o, "encoding", e);
  return o;
}

/* The labels of the dots of a series, in its colour. */
static json_t *label_layer(const struct spec *g, int k) {
  json_t *o = json_object(), *e = json_object();
  set(e, "x", x_channel(g));
  set(e, "y", y_channel(g));
  set(e, "text", json_pack("{ss}", "field", "label"));
  set_color(g, k, e);
  set(o, "data", label_data(&g->p->series.data[k], g));
  set(o, "mark", json_pack("{ss,ss,s{ss},s{ss},s{ss}}", "type", "text", "baseline",
                           "middle", "dx", "expr", "datum.dx", "dy", "expr",
                           "datum.dy", "align", "expr", "datum.side"));
  set(o, "encoding", e);
  return o;
}

json_t *fs_plot_vega(const struct fs_plot *p) {
  json_t *o = json_object(), *layers = json_array();
  struct spec g = {.p = p};
  struct fs_str alt = {0};
  g.any = fs_plot_scales(p, &g.x, &g.y);
  fs_plot_alt(p, &alt);
  set(o, "$schema",
      json_string("https://vega.github.io/schema/vega-lite/v5.json"));
  set(o, "description", text_json(fs_str_text(&alt)));
  fs_str_free(&alt);
  set(o, "width", json_integer(FS_PLOT_WIDTH));
  set(o, "height", json_integer(FS_PLOT_HEIGHT));
  if (p->title) set(o, "title", text_json(p->title));
  for (int k = 0; k < p->series.len; k++) {
    json_array_append_new(layers, layer(&g, k));
    if (g.any && p->series.data[k].labels)
      json_array_append_new(layers, label_layer(&g, k));
  }
  set(o, "layer", layers);
  return o;
}
