/* plot_request.c - from values of the language to the points of a picture. */
#include "core/eval/plot_request.h"

#include <math.h>
#include <stdio.h>

#include "core/eval/files.h"

enum {
  POINTS_KEPT = 4000,   /* a curve of so many points is kept whole        */
  RUNS = 1000,          /* of a longer one the extremes of so many runs   */
  GRID_X = 160, GRID_Y = 100, /* cells in which one scattered point is kept */
  CELLS = 96,           /* rows and columns of a heat map at most         */
  BINS_MAX = 1000
};

/* -- life -------------------------------------------------------------------- */

struct fs_plot_request *fs_plot_request_new(enum fs_plot_kind kind,
                                            struct fs_span span) {
  struct fs_plot_request *r = fs_calloc(1, sizeof *r);
  r->kind = kind;
  r->span = span;
  return r;
}

void fs_plot_request_free(struct fs_plot_request *r) {
  if (!r) return;
  for (int k = 0; k < r->sources.len; k++) {
    fs_val_unref(r->sources.data[k].x);
    fs_val_unref(r->sources.data[k].y);
    free(r->sources.data[k].name);
  }
  FS_VEC_FREE(&r->sources);
  free(r->title);
  free(r->x_label);
  free(r->y_label);
  free(r->names);
  free(r);
}

static bool is_tensor(const struct fs_val *v, const struct fs_tensor *t) {
  return v->kind == FS_V_TENSOR && v->tensor == t;
}

bool fs_plot_request_shows(const struct fs_plot_request *r,
                           const struct fs_tensor *t) {
  for (int k = 0; r && k < r->sources.len; k++)
    if (is_tensor(&r->sources.data[k].x, t) ||
        is_tensor(&r->sources.data[k].y, t))
      return true;
  return false;
}

/* -- reading ----------------------------------------------------------------- */

/* Elements of a vector or of a column, as an array source of rank 1. */
struct vector {
  const struct fs_val *v;
  int64_t column;
};

static enum fs_status vector_box(void *user, const int64_t *first,
                                 const int64_t *count, void *out,
                                 struct fs_diags *d) {
  const struct vector *s = user;
  const struct fs_tensor *t = s->v->tensor;
  if (s->v->kind == FS_V_RANGE) {
    for (int64_t i = 0; i < count[0]; i++)
      ((double *)out)[i] = s->v->start + s->v->step * (double)(first[0] + i);
    return FS_OK;
  }
  int64_t at[FS_MAX_RANK] = {0}, n[FS_MAX_RANK] = {1, 1};
  bool row = t->shape.rank == 2 && t->shape.dim[0] == 1;
  int along = row ? 1 : 0;
  at[along] = first[0];
  n[along] = count[0];
  if (t->shape.rank == 2 && !row) at[1] = s->column;
  return fs_tensor_download(t, at, n, out, d);
}

static enum fs_dtype dtype_of(const struct fs_val *v) {
  return v->kind == FS_V_TENSOR ? v->tensor->dtype : FS_F64;
}

static double element(enum fs_dtype dt, const void *data, int64_t k) {
  return fs_element_get(dt, (const char *)data + (size_t)k * fs_dtype_size(dt)).f;
}

/* Hands (k, x, y) of one curve to take(), in order. */
struct walk {
  struct fs_interp *in;
  const struct fs_plot_source *s;
  int64_t at;
  void (*take)(void *user, int64_t k, double x, double y);
  void *user;
};

static enum fs_status walk_piece(void *user, const void *data, int64_t count) {
  struct walk *w = user;
  const struct fs_plot_source *s = w->s;
  enum fs_dtype dy = dtype_of(&s->y), dx = dtype_of(&s->x);
  char *x = NULL;
  if (s->x.kind != FS_V_NONE) {
    struct vector v = {&s->x, s->x_column};
    x = fs_malloc((size_t)count * fs_dtype_size(dx) + 1);
    enum fs_status st = vector_box(&v, &w->at, &count, x, w->in->diags);
    if (st) {
      free(x);
      return st;
    }
  }
  for (int64_t i = 0; i < count; i++)
    w->take(w->user, w->at + i,
            x ? element(dx, x, i) : (double)(w->at + i + 1),
            element(dy, data, i));
  w->at += count;
  free(x);
  return FS_OK;
}

static enum fs_status walk(struct fs_interp *in,
                           const struct fs_plot_source *s,
                           struct fs_span span,
                           void (*take)(void *user, int64_t k, double x,
                                        double y),
                           void *user) {
  struct fs_file_ctx ctx = {in->diags, span, "the plot", false};
  struct vector y = {&s->y, s->y_column};
  struct fs_array_source source = {.dtype = dtype_of(&s->y),
                                   .shape = {1, {s->n}},
                                   .box = vector_box, .user = &y};
  struct walk w = {in, s, 0, take, user};
  return fs_source_each(&ctx, &source, walk_piece, &w);
}

/* -- lines ------------------------------------------------------------------- */

struct point {
  int64_t k;
  double x, y;
};

/* Keeps the points of a run that a picture can show. */
struct thinner {
  const struct fs_plot_request *r;
  int64_t n, run;           /* points; the run being filled */
  bool any;                 /* it has a point that is no gap */
  struct point first, last, low, high, left, right;
  FS_VEC(struct point) kept;
};

static bool is_gap(const struct fs_plot_request *r, double x, double y) {
  return !isfinite(x) || !isfinite(y) || (r->log_x && x <= 0) ||
         (r->log_y && y <= 0);
}

static int by_number(const void *a, const void *b) {
  const struct point *p = a, *q = b;
  return (p->k > q->k) - (p->k < q->k);
}

static void end_run(struct thinner *t) {
  struct point p[6] = {t->first, t->low, t->high, t->left, t->right, t->last};
  if (!t->any) {
    *FS_PUSH(&t->kept) = (struct point){t->run, NAN, NAN};
    return;
  }
  t->any = false;
  qsort(p, FS_LEN(p), sizeof p[0], by_number);
  for (size_t k = 0; k < FS_LEN(p); k++)
    if (!k || p[k].k != p[k - 1].k) *FS_PUSH(&t->kept) = p[k];
}

static void thin(void *user, int64_t k, double x, double y) {
  struct thinner *t = user;
  struct point p = {k, x, y};
  if (t->n <= POINTS_KEPT) {
    *FS_PUSH(&t->kept) = p;
    return;
  }
  int64_t run = (int64_t)((double)k / (double)t->n * RUNS);
  if (run != t->run) end_run(t);
  t->run = run;
  if (is_gap(t->r, x, y)) return;
  if (!t->any) t->first = t->low = t->high = t->left = t->right = p;
  t->any = true;
  t->last = p;
  if (y < t->low.y) t->low = p;
  if (y > t->high.y) t->high = p;
  if (x < t->left.x) t->left = p;
  if (x > t->right.x) t->right = p;
}

static void put_series(struct fs_plot *p, enum fs_mark mark,
                       const struct point *points, int n, const char *name) {
  struct fs_series *s = fs_plot_add(p, mark, n, name);
  for (int k = 0; k < n; k++) {
    s->x[k] = points[k].x;
    s->y[k] = points[k].y;
  }
}

static enum fs_status read_line(struct fs_interp *in,
                                const struct fs_plot_request *r,
                                const struct fs_plot_source *s,
                                struct fs_plot *p) {
  struct thinner t = {.r = r, .n = s->n};
  enum fs_status st = walk(in, s, r->span, thin, &t);
  if (!st && s->n > POINTS_KEPT) end_run(&t);
  if (!st) put_series(p, FS_MARK_LINE, t.kept.data, t.kept.len, s->name);
  FS_VEC_FREE(&t.kept);
  return st;
}

/* -- scattered points -------------------------------------------------------- */

struct sieve {
  const struct fs_plot_request *r;
  bool all, any;
  double x0, x1, y0, y1;    /* ranges, logarithms where the axis is so */
  unsigned char *taken;
  FS_VEC(struct point) kept;
};

static double on_axis(bool log, double v) { return log ? log10(v) : v; }

static void find_ranges(void *user, int64_t k, double x, double y) {
  struct sieve *s = user;
  (void)k;
  if (is_gap(s->r, x, y)) return;
  x = on_axis(s->r->log_x, x);
  y = on_axis(s->r->log_y, y);
  s->x0 = s->any ? fmin(s->x0, x) : x;
  s->x1 = s->any ? fmax(s->x1, x) : x;
  s->y0 = s->any ? fmin(s->y0, y) : y;
  s->y1 = s->any ? fmax(s->y1, y) : y;
  s->any = true;
}

static int cell_of(double v, double low, double high, int cells) {
  double t = high > low ? (v - low) / (high - low) : 0;
  return FS_MIN((int)(t * cells), cells - 1);
}

static void keep_one(void *user, int64_t k, double x, double y) {
  struct sieve *s = user;
  struct point p = {k, x, y};
  if (is_gap(s->r, x, y)) return;
  int cx = cell_of(on_axis(s->r->log_x, x), s->x0, s->x1, GRID_X);
  int cy = cell_of(on_axis(s->r->log_y, y), s->y0, s->y1, GRID_Y);
  if (!s->all && s->taken[cy * GRID_X + cx]) return;
  s->taken[cy * GRID_X + cx] = 1;
  *FS_PUSH(&s->kept) = p;
}

static enum fs_status read_points(struct fs_interp *in,
                                  const struct fs_plot_request *r,
                                  const struct fs_plot_source *s,
                                  struct fs_plot *p) {
  struct sieve v = {.r = r, .all = s->n <= POINTS_KEPT};
  v.taken = fs_calloc(GRID_X * GRID_Y, 1);
  enum fs_status st = walk(in, s, r->span, find_ranges, &v);
  if (!st) st = walk(in, s, r->span, keep_one, &v);
  if (!st) put_series(p, FS_MARK_POINTS, v.kept.data, v.kept.len, s->name);
  free(v.taken);
  FS_VEC_FREE(&v.kept);
  return st;
}

/* -- histograms and heat maps ------------------------------------------------ */

static enum fs_status tensor_box(void *user, const int64_t *first,
                                 const int64_t *count, void *out,
                                 struct fs_diags *d) {
  return fs_tensor_download(user, first, count, out, d);
}

static enum fs_status each_element(struct fs_interp *in,
                                   const struct fs_plot_request *r,
                                   const struct fs_val *v, fs_piece_fn *sink,
                                   void *user) {
  struct fs_file_ctx ctx = {in->diags, r->span, "the plot", false};
  struct vector range = {v, 0};
  struct fs_array_source source = {.dtype = dtype_of(v)};
  if (v->kind == FS_V_TENSOR) {
    source.shape = v->tensor->shape;
    source.box = tensor_box;
    source.user = v->tensor;
  } else {
    source.shape = (struct fs_shape){1, {fs_range_count(v)}};
    source.box = vector_box;
    source.user = &range;
  }
  return fs_source_each(&ctx, &source, sink, user);
}

struct counter {
  const struct fs_plot_request *r;
  enum fs_dtype dtype;
  bool any, counting;
  double low, high;
  int64_t n;                /* finite values */
  int bins;
  double *count;
};

static enum fs_status count_piece(void *user, const void *data, int64_t n) {
  struct counter *c = user;
  for (int64_t k = 0; k < n; k++) {
    double v = element(c->dtype, data, k);
    if (!isfinite(v) || (c->r->log_x && v <= 0)) continue;
    v = on_axis(c->r->log_x, v);
    if (c->counting) {
      c->count[cell_of(v, c->low, c->high, c->bins)]++;
      continue;
    }
    c->low = c->any ? fmin(c->low, v) : v;
    c->high = c->any ? fmax(c->high, v) : v;
    c->any = true;
    c->n++;
  }
  return FS_OK;
}

/* The edges of the bins: evenly spaced on the axis. Their number is Rice's rule,
 * twice the cube root of the number of values, unless it was given. */
static enum fs_status read_histogram(struct fs_interp *in,
                                     const struct fs_plot_request *r,
                                     const struct fs_plot_source *s,
                                     struct fs_plot *p) {
  struct counter c = {.r = r, .dtype = dtype_of(&s->y), .counting = false};
  enum fs_status st = each_element(in, r, &s->y, count_piece, &c);
  if (st) return st;
  int64_t bins = r->bins;
  if (!bins) bins = (int64_t)fmin(fmax(ceil(2 * cbrt((double)c.n)), 5), 100);
  c.bins = (int)FS_MIN(bins, (int64_t)BINS_MAX);
  if (!(c.high > c.low)) c.low -= 0.5, c.high += 0.5;
  c.counting = true;
  struct fs_series *bars =
      fs_plot_add(p, FS_MARK_BARS, c.any ? c.bins : 0, s->name);
  c.count = bars->y;
  if (c.any) st = each_element(in, r, &s->y, count_piece, &c);
  for (int k = 0; c.any && k <= c.bins; k++) {
    double v = c.low + (c.high - c.low) * k / c.bins;
    bars->x[k] = r->log_x ? pow(10, v) : v;
  }
  return st;
}

struct averager {
  enum fs_dtype dtype;
  int64_t at, rows, columns;  /* element; of the matrix */
  struct fs_series *s;
  double *count;
};

static enum fs_status average_piece(void *user, const void *data, int64_t n) {
  struct averager *a = user;
  for (int64_t k = 0; k < n; k++, a->at++) {
    int64_t row = a->at / a->columns * a->s->rows / a->rows;
    int64_t column = a->at % a->columns * a->s->columns / a->columns;
    double v = element(a->dtype, data, k);
    if (!isfinite(v)) continue;
    a->s->y[row * a->s->columns + column] += v;
    a->count[row * a->s->columns + column]++;
  }
  return FS_OK;
}

static enum fs_status read_heatmap(struct fs_interp *in,
                                   const struct fs_plot_request *r,
                                   const struct fs_plot_source *s,
                                   struct fs_plot *p) {
  const struct fs_shape *shape = &s->y.tensor->shape;
  struct averager a = {.dtype = s->y.tensor->dtype};
  a.rows = shape->dim[0];
  a.columns = shape->rank > 1 ? shape->dim[1] : 1;
  int64_t rows = FS_MIN(a.rows, (int64_t)CELLS);
  int64_t columns = FS_MIN(a.columns, (int64_t)CELLS);
  a.s = fs_plot_add(p, FS_MARK_CELLS, rows * columns, s->name);
  a.s->rows = rows;
  a.s->columns = columns;
  a.s->all_rows = a.rows;
  a.s->all_columns = a.columns;
  a.count = fs_calloc((size_t)(rows * columns), sizeof *a.count);
  enum fs_status st = each_element(in, r, &s->y, average_piece, &a);
  for (int64_t k = 0; k < a.s->n; k++)
    a.s->y[k] = a.count[k] > 0 ? a.s->y[k] / a.count[k] : NAN;
  free(a.count);
  return st;
}

/* -- bars -------------------------------------------------------------------- */

struct heights {
  double *y;
};

static void take_height(void *user, int64_t k, double x, double y) {
  (void)x;
  ((struct heights *)user)->y[k] = y;
}

static enum fs_status read_bars(struct fs_interp *in,
                                const struct fs_plot_request *r, int k,
                                struct fs_plot *p) {
  const struct fs_plot_source *s = &r->sources.data[k];
  struct heights h = {fs_calloc((size_t)s->n, sizeof *h.y)};
  enum fs_status st = walk(in, s, r->span, take_height, &h);
  if (!st) fs_plot_add_bars(p, k, r->sources.len, h.y, s->n, s->name);
  free(h.y);
  return st;
}

/* -- the whole --------------------------------------------------------------- */

static enum fs_status read_source(struct fs_interp *in,
                                  const struct fs_plot_request *r, int k,
                                  struct fs_plot *p) {
  const struct fs_plot_source *s = &r->sources.data[k];
  enum fs_status st = FS_OK;
  if (s->x.kind == FS_V_TENSOR) st = fs_force(in, s->x.tensor);
  if (!st && s->y.kind == FS_V_TENSOR) st = fs_force(in, s->y.tensor);
  if (st) return st;
  switch (r->kind) {
    case FS_PLOT_POINTS: return read_points(in, r, s, p);
    case FS_PLOT_HISTOGRAM: return read_histogram(in, r, s, p);
    case FS_PLOT_BARS: return read_bars(in, r, k, p);
    case FS_PLOT_HEATMAP: return read_heatmap(in, r, s, p);
    default: return read_line(in, r, s, p);
  }
}

static char *copy(const char *text) { return text ? fs_strdup(text) : NULL; }

enum fs_status fs_plot_read(struct fs_interp *in, struct fs_plot_request *r,
                            struct fs_plot **out) {
  struct fs_plot *p = fs_plot_new();
  p->title = copy(r->title);
  p->x.label = copy(r->x_label);
  p->y.label = copy(r->y_label);
  p->x.log = r->log_x;
  p->y.log = r->log_y;
  if (r->names) fs_axis_name(&p->x, r->names);
  enum fs_status st = FS_OK;
  for (int k = 0; k < r->sources.len && !st; k++)
    st = read_source(in, r, k, p);
  if (st) fs_plot_free(p);
  else *out = p;
  return st;
}
