/* builtins_plot.c - plot(), scatter(), bar(), hist(), heatmap(), roofline(),
 * predictions(), savefig().
 *
 *   bar([3, 5], "names=left,right")   predictions()
 *   plot(x, y, "exact", x, z, "computed", "title=Two curves", "log=y")
 *
 * Numbers come first, a text after a curve is its name, and texts of the form
 * option=value are options. A plot is shown in its turn like a value; the block
 * is not ended for it. */
#include <stdio.h>

#include "core/eval/builtins.h"
#include "core/eval/files.h"
#include "core/eval/plot_request.h"
#include "core/eval/witness.h"

enum { MAX_CURVES = 20, MAX_BINS = 1000 };

#define OPTIONS "options are title= xlabel= ylabel= log= bins= names="

/* -- options ----------------------------------------------------------------- */

static const char *value_of(const char *text, const char *option) {
  size_t n = strlen(option);
  return !strncmp(text, option, n) && text[n] == '=' ? text + n + 1 : NULL;
}

static void set_text(char **to, const char *text) {
  free(*to);
  *to = NULL;
  *to = fs_strdup(text);
}

static enum fs_status set_log(struct fs_call *c, int k, const char *axes,
                              struct fs_plot_request *r) {
  bool x = !strcmp(axes, "x"), y = !strcmp(axes, "y"), xy = !strcmp(axes, "xy");
  if (!x && !y && !xy)
    return fs_in_error(c->in, c->arg_spans[k], "bad-option", NULL,
                       "log can be x, y or xy");
  r->log_x = x || xy;
  r->log_y = y || xy;
  return FS_OK;
}

static enum fs_status set_bins(struct fs_call *c, int k, const char *text,
                               struct fs_plot_request *r) {
  char *end;
  long n = strtol(text, &end, 10);
  if (!*text || *end || n < 1 || n > MAX_BINS)
    return fs_in_error(c->in, c->arg_spans[k], "bad-option", NULL,
                       "bins must be a whole number from 1 to %d", MAX_BINS);
  r->bins = n;
  return FS_OK;
}

static const char *next_option(void *user) {
  static const char *const options[] = {"title", "xlabel", "ylabel", "log", "bins", "names"};
  size_t k = (*(size_t *)user)++;
  return k < FS_LEN(options) ? options[k] : NULL;
}

/* The option that a word is nearly, or most of: `titel`, `label`. */
static const char *nearest_option(const char *word) {
  size_t next = 0;
  const char *option = fs_near_miss(word, next_option, &next);
  if (option || strlen(word) < 4) return option;
  next = 0;
  while ((option = next_option(&next)))
    if (strstr(option, word)) return option;
  return NULL;
}

/* Options of other plots, which are hardly names of curves. */
static bool is_foreign_option(const char *word) {
  static const char *const words[] = {
      "color", "colour", "linewidth", "linestyle", "marker", "markersize",
      "xlim", "ylim", "axis", "legend", "figsize", "fontsize", "xscale", "yscale"};
  for (size_t k = 0; k < FS_LEN(words); k++)
    if (!strcmp(word, words[k])) return true;
  return false;
}

/* `titel=x` is hardly the name of a curve; `n=100` and `bin = 3` may. */
static enum fs_status near_option(struct fs_call *c, int k, bool *taken) {
  const char *text = c->args[k].string->text;
  size_t n = strcspn(text, "= ");
  *taken = false;
  if (text[n] != '=') return FS_OK;
  char *word = fs_strndup(text, n), hint[80] = OPTIONS;
  bool foreign = is_foreign_option(word);
  const char *near = foreign ? NULL : nearest_option(word);
  enum fs_status st = FS_OK;
  if (near || foreign) {
    if (near) snprintf(hint, sizeof hint, "did you mean '%s='?", near);
    st = fs_in_error(c->in, c->arg_spans[k], "bad-option", hint,
                     "there is no option '%s='", word);
  }
  free(word);
  return st;
}

/* An option of one kind of plot: of another one it would do nothing. */
static enum fs_status check_kind(struct fs_call *c, int k, const char *option,
                                 bool has, const char *which) {
  char hint[60];
  snprintf(hint, sizeof hint, "%s has it", which);
  if (has) return FS_OK;
  return fs_in_error(c->in, c->arg_spans[k], "bad-option", hint,
                     "%s has no option '%s='", c->builtin->name, option);
}

/* Takes the text if it is an option. */
static enum fs_status take_option(struct fs_call *c, int k,
                                  struct fs_plot_request *r, bool *taken) {
  const char *text = c->args[k].string->text, *v;
  *taken = true;
  if ((v = value_of(text, "title"))) set_text(&r->title, v);
  else if ((v = value_of(text, "xlabel"))) set_text(&r->x_label, v);
  else if ((v = value_of(text, "ylabel"))) set_text(&r->y_label, v);
  else if ((v = value_of(text, "log"))) return set_log(c, k, v, r);
  else if ((v = value_of(text, "names"))) {
    bool bars = r->kind == FS_PLOT_BARS || r->kind == FS_PLOT_PREDICTIONS;
    set_text(&r->names, v);
    return check_kind(c, k, "names", bars, "bar");
  } else if ((v = value_of(text, "bins"))) {
    enum fs_status st = check_kind(c, k, "bins", r->kind == FS_PLOT_HISTOGRAM, "hist");
    return st ? st : set_bins(c, k, v, r);
  } else return near_option(c, k, taken);
  return FS_OK;
}

/* Elsewhere hist(x, 20) has 20 bins. */
static enum fs_status check_text(struct fs_call *c, int k) {
  if (c->args[k].kind == FS_V_STRING) return FS_OK;
  bool bins = !strcmp(c->builtin->name, "hist") && c->args[k].kind == FS_V_NUMBER;
  return fs_in_error(c->in, c->arg_spans[k], "wrong-type",
                     bins ? "how many bars there are says \"bins=20\"" : OPTIONS,
                     "an option must be a string, not %s", fs_val_text(&c->args[k]));
}

/* A name for the curve before it, or for the columns of that matrix. */
static enum fs_status take_name(struct fs_call *c, int k,
                                struct fs_plot_request *r, int *named) {
  if (*named >= r->sources.len)
    return fs_in_error(c->in, c->arg_spans[k], "bad-option",
                       OPTIONS,
                       "%s is neither an option nor the name of a curve before "
                       "it", fs_in_text(c->in, c->arg_spans[k]));
  set_text(&r->sources.data[(*named)++].name, c->args[k].string->text);
  return FS_OK;
}

/* -- curves ------------------------------------------------------------------ */

/* How many curves a value has, and of how many points. */
static bool measure(const struct fs_val *v, int64_t *curves, int64_t *points) {
  *curves = 1;
  if (v->kind == FS_V_RANGE) {
    *points = fs_range_count(v);
    return *points > 0;
  }
  if (v->kind != FS_V_TENSOR) return false;
  const struct fs_shape *s = &v->tensor->shape;
  bool columns = s->rank == 2 && s->dim[0] > 1;
  *points = fs_shape_count(s);
  if (columns) {
    *points = s->dim[0];
    *curves = s->dim[1];
  }
  return s->rank == 1 || s->rank == 2;
}

static enum fs_status wrong_data(struct fs_call *c, int k) {
  return fs_in_error(c->in, c->arg_spans[k], "wrong-type",
                     "a vector, a range, or a matrix with a curve in each "
                     "column",
                     "%s cannot plot %s", c->builtin->name,
                     fs_val_text(&c->args[k]));
}

/* Curves of argument k over argument x (-1: over 1, 2, ...). */
static enum fs_status add_curves(struct fs_call *c, int x, int k,
                                 struct fs_plot_request *r) {
  int64_t curves, points, x_curves = 1, x_points = 0;
  if (!measure(&c->args[k], &curves, &points)) return wrong_data(c, k);
  if (x >= 0 && !measure(&c->args[x], &x_curves, &x_points))
    return wrong_data(c, x);
  if (x >= 0 && (x_points != points || (x_curves > 1 && x_curves != curves)))
    return fs_in_error(c->in, c->span, "shape-mismatch",
                       "x and y need as many elements",
                       "the curve has %lld x for %lld y", (long long)x_points,
                       (long long)points);
  if (r->kind == FS_PLOT_BARS && points > MAX_BINS)
    return fs_in_error(c->in, c->arg_spans[k], "too-many-curves",
                       "plot(x) draws a curve, hist(x) how often values occur",
                       "at most %d bars are drawn", MAX_BINS);
  if (r->sources.len + curves > MAX_CURVES)
    return fs_in_error(c->in, c->arg_spans[k], "too-many-curves",
                       "every column of a matrix is a curve; heatmap(A) shows "
                       "a matrix",
                       "a plot has at most %d curves", MAX_CURVES);
  for (int64_t i = 0; i < curves; i++) {
    struct fs_plot_source *s = FS_PUSH(&r->sources);
    *s = (struct fs_plot_source){.y = fs_val_ref(c->args[k]), .y_column = i,
                                 .n = points};
    if (x < 0) continue;
    s->x = fs_val_ref(c->args[x]);
    s->x_column = x_curves > 1 ? i : 0;
  }
  return FS_OK;
}

static bool is_data(const struct fs_call *c, int k) {
  return k < c->n && c->args[k].kind != FS_V_STRING;
}

static enum fs_status read_curves(struct fs_call *c,
                                  struct fs_plot_request *r) {
  enum fs_status st = FS_OK;
  bool bars = r->kind == FS_PLOT_BARS;
  int named = 0;
  for (int k = 0; k < c->n && !st;) {
    bool option = false;
    if (is_data(c, k)) {
      bool pair = !bars && is_data(c, k + 1);
      named = r->sources.len;
      st = add_curves(c, pair ? k : -1, pair ? k + 1 : k, r);
      k += pair ? 2 : 1;
      continue;
    }
    st = take_option(c, k, r, &option);
    if (!st && !option) st = take_name(c, k, r, &named);
    k++;
  }
  if (!st && !r->sources.len)
    st = fs_in_error(c->in, c->span, "wrong-count", NULL,
                     "there is nothing to plot");
  return st;
}

/* hist(x), heatmap(A): one value, then options. */
static enum fs_status read_one(struct fs_call *c, struct fs_plot_request *r) {
  const struct fs_val *v = &c->args[0];
  bool heat = r->kind == FS_PLOT_HEATMAP;
  bool good = v->kind == FS_V_TENSOR && v->tensor->shape.rank > 0;
  if (heat) good = good && v->tensor->shape.rank <= 2;
  else good = good || (v->kind == FS_V_RANGE && fs_range_count(v) > 0);
  if (!good)
    return fs_in_error(c->in, c->arg_spans[0], "wrong-type", NULL,
                       "%s shows %s, not %s", c->builtin->name,
                       heat ? "a matrix" : "the elements of an array",
                       fs_val_text(v));
  *FS_PUSH(&r->sources) = (struct fs_plot_source){.y = fs_val_ref(*v)};
  enum fs_status st = FS_OK;
  int named = 0;
  for (int k = 1; k < c->n && !st; k++) {
    bool option = false;
    st = check_text(c, k);
    if (!st) st = take_option(c, k, r, &option);
    if (!st && !option) st = take_name(c, k, r, &named);
  }
  return st;
}

static enum fs_status read_options(struct fs_call *c,
                                   struct fs_plot_request *r) {
  enum fs_status st = FS_OK;
  for (int k = 0; k < c->n && !st; k++) {
    bool option = false;
    int none = 0;
    st = check_text(c, k);
    if (!st) st = take_option(c, k, r, &option);
    if (!st && !option) st = take_name(c, k, r, &none);
  }
  return st;
}

/* -- the functions ----------------------------------------------------------- */

enum fs_status fs_bi_plot(struct fs_call *c) {
  struct fs_plot_request *r =
      fs_plot_request_new((enum fs_plot_kind)c->builtin->data, c->span);
  enum fs_status st;
  switch (r->kind) {
    case FS_PLOT_ROOFLINE:
    case FS_PLOT_PREDICTIONS: st = read_options(c, r); break;
    case FS_PLOT_HISTOGRAM:
    case FS_PLOT_HEATMAP: st = read_one(c, r); break;
    default: st = read_curves(c, r); break;
  }
  if (st) fs_plot_request_free(r);
  else st = fs_block_plot(c->in, r);
  return st;
}

static bool ends_in(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n > m && !strcmp(text + n - m, end);
}

/* The picture in the form that the file's name asks for. */
static bool put_form(const struct fs_plot *p, const char *path,
                     struct fs_str *out) {
  struct fs_plot_look look = {.width = 80};
  if (ends_in(path, ".svg")) {
    fs_plot_svg(p, out);
  } else if (ends_in(path, ".txt")) {
    fs_plot_text(p, &look, out, NULL);
    fs_str_puts(out, "\n");
  } else if (ends_in(path, ".json")) {
    json_t *spec = fs_plot_vega(p);
    char *text = json_dumps(spec, JSON_INDENT(1));
    fs_str_puts(out, text);
    fs_str_puts(out, "\n");
    free(text);
    json_decref(spec);
  } else {
    return false;
  }
  return true;
}

/* What is still to be shown is shown first: it may be the plot that is meant. */
enum fs_status fs_bi_savefig(struct fs_call *c) {
  const char *path = NULL;
  enum fs_status st = fs_arg_string(c, 0, "the file name", &path);
  if (!st) st = fs_interp_flush(c->in);
  if (st || c->in->explain) return st;
  if (!c->in->last_plot)
    return fs_in_error(c->in, c->span, "no-plot", "plot(x, y) makes one",
                       "there is no plot to save");
  struct fs_str text = {0};
  struct fs_file_ctx ctx = {c->in->diags,
                            fs_in_span(c->in, c->arg_spans[0]), path, true};
  struct fs_writer w = {.fd = -1};
  if (!put_form(c->in->last_plot, path, &text))
    st = fs_file_error(&ctx, "the name must end in .svg, .json or .txt",
                       "there is no such kind of picture");
  bool write = !st && fs_witness_save(); /* not again when inputs run again */
  if (write) st = fs_writer_open(&ctx, &w);
  if (write && !st) {
    st = fs_writer_put(&w, fs_str_text(&text), text.len);
    if (!st) st = fs_writer_commit(&w);
    else fs_writer_drop(&w);
  }
  fs_str_free(&text);
  return st;
}
