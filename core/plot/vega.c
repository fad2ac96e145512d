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

static json_t *channel(const char *field, const struct fs_axis *axis) {
  json_t *c = json_pack("{ss,ss}", "field", field, "type", "quantitative");
  json_t *scale = json_object();
  set(c, "title", axis && axis->label ? text_json(axis->label) : json_null());
  if (axis && axis->log) set(scale, "type", json_string("log"));
  set(scale, "zero", json_false());
  set(c, "scale", scale);
  return c;
}

/* Bars stand on 0. */
static json_t *bar_channel(const struct fs_axis *axis) {
  json_t *c = channel("y", axis);
  if (!axis->log) json_object_del(c, "scale");
  return c;
}

/* {"values": [1, 2], "labelExpr": "['a','b'][datum.value-1]"}: the names as string
 * literals of the expression, in ASCII. */
static json_t *named_axis(const struct fs_axis *axis) {
  json_t *names = json_array(), *values = json_array();
  struct fs_str code = {0};
  for (int k = 0; k < axis->names.len; k++) {
    json_array_append_new(names, text_json(axis->names.data[k]));
    json_array_append_new(values, json_integer(k + 1));
  }
  char *list = json_dumps(names, JSON_ENSURE_ASCII | JSON_COMPACT);
  fs_str_printf(&code, "%s[datum.value-1]", list);
  json_t *o = json_pack("{so,ss,si}", "values", values, "labelExpr",
                        fs_str_text(&code), "labelAngle", -20);
  free(list);
  json_decref(names);
  fs_str_free(&code);
  return o;
}

static json_t *x_channel(const struct fs_plot *p) {
  json_t *c = channel("x", &p->x);
  if (p->x.names.len) set(c, "axis", named_axis(&p->x));
  return c;
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

/* `columns`: the names, all of numbers but "label". */
static json_t *csv_data(struct fs_str *rows, const char *columns) {
  struct fs_str all = {0};
  json_t *parse = json_object();
  fs_str_printf(&all, "%s\n", columns);
  fs_str_put(&all, fs_str_text(rows), rows->len);
  for (const char *at = columns; *at;) {
    char name[16];
    size_t n = strcspn(at, ",");
    snprintf(name, sizeof name, "%.*s", (int)n, at);
    if (strcmp(name, "label")) set(parse, name, json_string("number"));
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
    case FS_MARK_BARS: return json_pack("{ss}", "type", "bar");
    default: return json_pack("{ss}", "type", "rect");
  }
}

static json_t *cell_encoding(const struct fs_plot *p) {
  json_t *e = json_object(), *y = channel("y", &p->y);
  set(json_object_get(y, "scale"), "reverse", json_true());
  set(e, "x", x_channel(p));
  set(e, "x2", json_pack("{ss}", "field", "x2"));
  set(e, "y", y);
  set(e, "y2", json_pack("{ss}", "field", "y2"));
  set(e, "color",
      json_pack("{ss,ss,sn,s{ss}}", "field", "v", "type", "quantitative",
                "title", "scale", "scheme", "viridis"));
  return e;
}

static json_t *layer(const struct fs_plot *p, int k) {
  const struct fs_series *s = &p->series.data[k];
  json_t *o = json_object(), *e = json_object(), *data;
  if (s->mark == FS_MARK_CELLS) {
    json_decref(e);
    e = cell_encoding(p);
    data = cell_data(s);
    set(o, "transform", cell_transform(s));
  } else if (s->mark == FS_MARK_BARS) {
    set(e, "x", x_channel(p));
    set(e, "x2", json_pack("{ss}", "field", "x2"));
    set(e, "y", bar_channel(&p->y));
    data = bar_data(s);
  } else {
    set(e, "x", x_channel(p));
    set(e, "y", channel("y", &p->y));
    if (s->mark == FS_MARK_LINE)
      set(e, "order", json_pack("{ss,ss}", "field", "i", "type",
                                "quantitative"));
    data = point_data(s, p);
  }
  if (fs_plot_has_legend(p))
    set(e, "color", json_pack("{so}", "datum", series_name(s, k)));
  set(o, "data", data);
  set(o, "mark", mark_of(s));
  set(o, "encoding", e);
  return o;
}

json_t *fs_plot_vega(const struct fs_plot *p) {
  json_t *o = json_object(), *layers = json_array();
  set(o, "$schema",
      json_string("https://vega.github.io/schema/vega-lite/v5.json"));
  set(o, "width", json_integer(550));
  set(o, "height", json_integer(320));
  if (p->title) set(o, "title", text_json(p->title));
  for (int k = 0; k < p->series.len; k++)
    json_array_append_new(layers, layer(p, k));
  set(o, "layer", layers);
  return o;
}
