/* plot.c - plots as events, and the kernels that roofline() shows. */
#include "core/session/internal.h"

#include <math.h>
#include <sodium.h>
#include <stdio.h>

#include "core/base/filter.h"

/* -- events ------------------------------------------------------------------ */

/* A text as an array of its lines. */
static json_t *lines_array(const struct fs_str *text) {
  json_t *lines = json_array();
  for (const char *at = fs_str_text(text); *at;) {
    size_t n = strcspn(at, "\n");
    json_array_append_new(lines, json_stringn(at, n));
    at += n + (at[n] == '\n');
  }
  return lines;
}

/* Pixels by librsvg's program, twice as fine as they are shown. NULL: it is not
 * there, or it failed. */
static json_t *png_of(const struct fs_str *svg) {
  enum { MOST_BYTES = 4 << 20, SECONDS = 5 };
  char program[] = "rsvg-convert", zoom[] = "--zoom=2";
  char *const argv[] = {program, zoom, NULL};
  struct fs_str png = {0};
  json_t *o = NULL;
  if (fs_filter_run(argv, fs_str_text(svg), svg->len, MOST_BYTES, SECONDS, &png) ==
          FS_FILTER_OK && png.len) {
    size_t size = sodium_base64_ENCODED_LEN(png.len, sodium_base64_VARIANT_ORIGINAL);
    char *text = fs_malloc(size);
    sodium_bin2base64(text, size, (const unsigned char *)png.data, png.len,
                      sodium_base64_VARIANT_ORIGINAL);
    o = json_string(text);
    free(text);
  }
  fs_str_free(&png);
  return o;
}

/* A notebook gets one standing picture: pixels, which everything that reads notebooks
 * can use (LaTeX cannot use SVG, and JupyterLab shows none that it does not trust),
 * or without librsvg the SVG. A terminal gets the SVG. */
static void put_picture(struct fs_session *s, const struct fs_plot *p, json_t *data,
                        json_t *metadata) {
  struct fs_str svg = {0}, alt = {0};
  fs_plot_svg(p, &svg);
  fs_plot_alt(p, &alt);
  json_t *png = s->rich ? png_of(&svg) : NULL;
  const char *type = png ? "image/png" : "image/svg+xml";
  json_object_set_new(data, type,
                      png ? png : fs_json_text(fs_str_text(&svg), svg.len));
  if (s->rich)
    json_object_set_new(metadata, type,
                        json_pack("{so,si,si}", "alt",
                                  fs_json_text(fs_str_text(&alt), alt.len), "width",
                                  FS_SVG_WIDTH, "height", FS_SVG_HEIGHT));
  fs_str_free(&svg);
  fs_str_free(&alt);
}

static json_t *plot_bundle(struct fs_session *s, const struct fs_plot *p,
                           json_t *metadata, json_t **ink) {
  struct fs_plot_look look = {.width = s->show.width, .ascii = s->show.ascii};
  struct fs_str text = {0}, marks = {0};
  json_t *data = json_object();
  fs_plot_text(p, &look, &text, &marks);
  json_object_set_new(data, "text/plain",
                      fs_json_text(fs_str_text(&text), text.len));
  *ink = lines_array(&marks);
  if (s->rich || strcmp(s->shown_as, "braille"))
    put_picture(s, p, data, metadata);
  if (s->rich)
    json_object_set_new(data, "application/vnd.vegalite.v5+json",
                        fs_plot_vega(p));
  fs_str_free(&text);
  fs_str_free(&marks);
  return data;
}

void fs_session_show_plot(struct fs_session *s, const struct fs_plot *p) {
  json_t *e = json_object(), *metadata = json_object(), *ink = NULL;
  json_t *data = plot_bundle(s, p, metadata, &ink);
  json_object_set_new(e, "event", json_string("display"));
  json_object_set_new(e, "kind", json_string("plot"));
  json_object_set_new(e, "data", data);
  if (s->rich) json_object_set_new(e, "metadata", metadata);
  else json_decref(metadata);
  json_object_set_new(e, "ink", ink);
  if (strcmp(s->shown_as, "braille"))
    json_object_set_new(e, "pictures", json_string(s->shown_as));
  fs_session_emit(s, e);
}

/* The k-th plan of this input, or if it has run no block yet, of the last one that
 * did. */
static const json_t *last_plan(struct fs_session *s, int k) {
  int n = 0;
  for (int i = 0; i < s->records.len; i++)
    if (s->records.data[i]->runs && n++ == k)
      return fs_session_event_of(s, s->records.data[i]);
  return n || k >= s->last_plans.len
             ? NULL
             : fs_session_event_of(s, s->last_plans.data[k]);
}

/* -- roofline ---------------------------------------------------------------- */

/* After Williams, Waterman and Patterson, Roofline, CACM 52 (2009): operations
 * per second over operations per byte of traffic, under the two limits of the
 * device. */
struct roofline {
  struct fs_plot *plot;
  double bandwidth, peak;   /* bytes/s, operations/s */
  double low, high;         /* of the intensities that are shown */
  FS_VEC(const json_t *) kernels, fused; /* and blocks that fusion spares bytes */
};

static double key(const json_t *kernel, const char *name) {
  const json_t *v = json_object_get(kernel, name);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

static double intensity(const json_t *kernel) {
  return key(kernel, "flops") / key(kernel, "moves");
}

/* Kernels that compute and move something. */
static void take_kernels(struct roofline *r, const json_t *plan) {
  const json_t *kernel;
  size_t k;
  json_array_foreach(json_object_get(plan, "kernels"), k, kernel) {
    double x = intensity(kernel);
    if (!(x > 0) || !isfinite(x)) continue;
    r->low = fmin(r->low, x / 4);
    r->high = fmax(r->high, x * 4);
    *FS_PUSH(&r->kernels) = kernel;
  }
}

static double sum_of_flops(const json_t *plan) {
  const json_t *kernel;
  size_t k;
  double sum = 0;
  json_array_foreach(json_object_get(plan, "kernels"), k, kernel) {
    double flops = key(kernel, "flops");
    if (isfinite(flops)) sum += flops;
  }
  return sum;
}

/* Where a block stands with and without fusion, by predictions: bytes per operation and
 * operations per second. */
struct ends { double x[2], y[2]; };

static bool ends_of(const json_t *plan, struct ends *e) {
  const json_t *alone = json_object_get(plan, "unfused");
  double flops = sum_of_flops(plan), bytes = key(plan, "bytes"), more = key(alone, "bytes");
  *e = (struct ends){{flops / more, flops / bytes},
                     {flops / key(alone, "predicted") / 1e9, flops / key(plan, "predicted") / 1e9}};
  return flops > 0 && bytes > 0 && more > bytes && e->y[0] > 0 && e->y[1] > 0 &&
         isfinite(e->y[0]) && isfinite(e->y[1]);
}

static void take_fused(struct roofline *r, const json_t *plan) {
  struct ends e;
  if (!ends_of(plan, &e)) return;
  r->low = fmin(r->low, e.x[0] / 4);
  *FS_PUSH(&r->fused) = plan;
}

/* A point beside the way from one end to the other, both in logarithms. */
static void put_barb(struct fs_series *s, int at, const struct ends *e, double aside) {
  const double back = 0.2;
  double dx = log(e->x[1] / e->x[0]), dy = log(e->y[1] / e->y[0]);
  s->x[at] = e->x[1] * exp(-back * dx + aside * dy);
  s->y[at] = e->y[1] * exp(-back * dy - aside * dx);
}

/* An arrow from each block without fusion to the block as it is planned. */
static void put_arrows(struct roofline *r) {
  enum { POINTS = 6 };
  const double aside = 0.12;
  if (!r->fused.len) return;
  struct fs_series *s = fs_plot_add(r->plot, FS_MARK_LINE, POINTS * r->fused.len,
                                    "by fusion");
  for (int k = 0; k < r->fused.len; k++) {
    struct ends e;
    int at = POINTS * k;
    ends_of(r->fused.data[k], &e);
    for (int p = 0; p < POINTS - 1; p++) {
      s->x[at + p] = e.x[p > 0];
      s->y[at + p] = e.y[p > 0];
    }
    put_barb(s, at + 2, &e, aside);
    put_barb(s, at + 4, &e, -aside);
    s->x[at + 5] = s->y[at + 5] = NAN; /* the line ends */
  }
}

static char *kernel_label(const json_t *kernel) {
  enum { SHOWN = 28 };
  const char *id = json_string_value(json_object_get(kernel, "id"));
  const char *does = json_string_value(json_object_get(kernel, "does"));
  struct fs_str label = {0};
  size_t len = does ? strlen(does) : 0, cut = fs_utf8_cut(does, len, SHOWN);
  fs_str_printf(&label, "%s %.*s%s", id ? id : "", (int)cut, does ? does : "",
                cut < len ? "..." : "");
  return label.data;
}

/* Each kernel has its label once: where it was measured, else where predicted. */
static void put_times(struct roofline *r, const char *which) {
  struct fs_series *s = fs_plot_add(r->plot, FS_MARK_POINTS, r->kernels.len,
                                    which);
  bool measured = !strcmp(which, "measured");
  s->labels = fs_calloc((size_t)s->n + 1, sizeof *s->labels);
  for (int64_t k = 0; k < s->n; k++) {
    const json_t *kernel = r->kernels.data[k];
    s->x[k] = intensity(kernel);
    s->y[k] = key(kernel, "flops") / key(kernel, which) / 1e9;
    if (measured == isfinite(key(kernel, "measured")))
      s->labels[k] = kernel_label(kernel);
  }
}

static void put_roof(struct roofline *r) {
  double ridge = r->peak / r->bandwidth;
  struct fs_series *s = fs_plot_add(r->plot, FS_MARK_LINE, 3, "device limit");
  s->x[0] = fmin(r->low, ridge / 4);
  s->x[1] = ridge;
  s->x[2] = fmax(r->high, ridge * 4);
  for (int k = 0; k < 3; k++)
    s->y[k] = fmin(s->x[k] * r->bandwidth, r->peak) / 1e9;
}

static void label(char **to, const char *text) {
  if (!*to) *to = fs_strdup(text);
}

enum fs_status fs_session_roofline(struct fs_session *s, struct fs_plot *p) {
  const struct fs_device *device = &fs_session_target(s)->device;
  double peak = device->peak_bandwidth > 0 ? device->peak_bandwidth : device->bandwidth;
  struct roofline r = {p, peak, device->flops, INFINITY, 0, {NULL, 0, 0}, {NULL, 0, 0}};
  enum fs_status st = fs_session_collect(s);
  if (st) return st;
  const json_t *plan;
  for (int k = 0; (plan = last_plan(s, k)); k++) {
    take_kernels(&r, plan);
    take_fused(&r, plan);
  }
  p->x.log = p->y.log = true;
  label(&p->title, device->name);
  label(&p->x.label, "floating-point operations per byte");
  label(&p->y.label, "GFLOP/s");
  if (!r.kernels.len) r.low = 0.25, r.high = 4;
  if (r.bandwidth > 0 && r.peak > 0) put_roof(&r);
  put_times(&r, "measured");
  put_times(&r, "predicted");
  put_arrows(&r);
  FS_VEC_FREE(&r.kernels);
  FS_VEC_FREE(&r.fused);
  return FS_OK;
}

/* -- predictions ------------------------------------------------------------- */

enum { BLOCKS_SHOWN = 60 };

enum fs_status fs_session_predictions(struct fs_session *s, struct fs_plot *p) {
  double predicted[BLOCKS_SHOWN], measured[BLOCKS_SHOWN];
  enum fs_status st = fs_session_collect(s);
  const json_t *plan;
  int n = 0;
  bool named = p->x.names.len > 0;
  if (st) return st;
  for (; n < BLOCKS_SHOWN && (plan = last_plan(s, n)); n++) {
    struct fs_str name = {0};
    predicted[n] = key(plan, "predicted") * 1e6;
    measured[n] = key(plan, "measured") * 1e6;
    fs_str_printf(&name, "block %lld", (long long)json_integer_value(
                                           json_object_get(plan, "block")));
    if (named) fs_str_free(&name);
    else *FS_PUSH(&p->x.names) = name.data;
  }
  label(&p->y.label, "microseconds");
  if (!n) return FS_OK;
  fs_plot_add_bars(p, 0, 2, predicted, n, "predicted");
  fs_plot_add_bars(p, 1, 2, measured, n, "measured");
  return FS_OK;
}
