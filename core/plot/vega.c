/* vega.c - a plot as a Vega-Lite 5 specification: one layer for each series, its
 * points as data in the specification. Gaps are null. */
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

static json_t *number(double v) {
  return isfinite(v) ? json_real(v) : json_null();
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

static json_t *point_values(const struct fs_series *s, const struct fs_plot *p) {
  json_t *values = json_array();
  for (int64_t i = 0; i < s->n; i++) {
    json_t *o = json_object();
    bool x = !p->x.log || s->x[i] > 0, y = !p->y.log || s->y[i] > 0;
    set(o, "i", json_integer(i));
    set(o, "x", x ? number(s->x[i]) : json_null());
    set(o, "y", y ? number(s->y[i]) : json_null());
    if (s->labels && s->labels[i]) set(o, "label", text_json(s->labels[i]));
    json_array_append_new(values, o);
  }
  return values;
}

static json_t *bar_values(const struct fs_series *s) {
  json_t *values = json_array();
  for (int64_t i = 0; i < s->n; i++)
    if (isfinite(s->y[i]))
      json_array_append_new(
          values, json_pack("{so,so,so}", "x", number(s->x[i]), "x2",
                            number(s->x[i + 1]), "y", number(s->y[i])));
  return values;
}

static json_t *cell_values(const struct fs_series *s) {
  json_t *values = json_array();
  double w = (double)s->all_columns / (double)s->columns;
  double h = (double)s->all_rows / (double)s->rows;
  for (int64_t r = 0; r < s->rows; r++)
    for (int64_t c = 0; c < s->columns; c++)
      json_array_append_new(
          values,
          json_pack("{sf,sf,sf,sf,so}", "x", 0.5 + w * (double)c, "x2",
                    0.5 + w * (double)(c + 1), "y", 0.5 + h * (double)r, "y2",
                    0.5 + h * (double)(r + 1), "v",
                    number(s->y[r * s->columns + c])));
  return values;
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
  json_t *o = json_object(), *e = json_object(), *values;
  if (s->mark == FS_MARK_CELLS) {
    json_decref(e);
    e = cell_encoding(p);
    values = cell_values(s);
  } else if (s->mark == FS_MARK_BARS) {
    set(e, "x", x_channel(p));
    set(e, "x2", json_pack("{ss}", "field", "x2"));
    set(e, "y", bar_channel(&p->y));
    values = bar_values(s);
  } else {
    set(e, "x", x_channel(p));
    set(e, "y", channel("y", &p->y));
    if (s->mark == FS_MARK_LINE)
      set(e, "order", json_pack("{ss,ss}", "field", "i", "type",
                                "quantitative"));
    values = point_values(s, p);
  }
  if (fs_plot_has_legend(p))
    set(e, "color", json_pack("{so}", "datum", series_name(s, k)));
  set(o, "data", json_pack("{so}", "values", values));
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
