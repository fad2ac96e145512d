/* agree.c - see agree.h. */
#include "core/run/agree.h"

#include <math.h>

#include "core/plan/plan.h"
#include "core/ranks/ranks.h"
#include "core/run/compile.h"
#include "core/run/scratch.h"

enum { PART = 1 << 24 }; /* bytes of a result that are compared at once */

/* The results of a plan; all are NULL where it did not run. */
struct results {
  struct fs_tensor **of;
  int n;
};

static void drop(struct results *r) {
  for (int k = 0; k < r->n; k++) fs_tensor_unref(r->of[k]);
  free(r->of);
  *r = (struct results){0};
}

/* False: it did not run, for a reason that takes nothing but this comparison. */
static bool run(struct fs_scratch *s, struct fs_block *b, struct results *out,
                enum fs_status *st) {
  struct fs_diags words;
  fs_diags_init(&words);
  out->n = b->plan->graph->outputs.len;
  out->of = fs_calloc((size_t)out->n + 1, sizeof *out->of);
  enum fs_status got = fs_scratch_run(s, b, NULL, out->of, &words);
  if (got != FS_OK) drop(out);
  if (got == FS_INTERRUPTED || s->target->lost) *st = got;
  fs_diags_free(&words);
  return got == FS_OK;
}

/* -- elements ---------------------------------------------------------------------- */

static double as_double(enum fs_dtype dt, const char *x) {
  return fs_element_get(dt, x).f;
}

struct pair {
  const struct fs_tensor *a, *b;
  int axis;                 /* along which they are cut over ranks, -1: not */
  int64_t extent;           /* of it over all ranks */
};

typedef void (*look)(void *user, enum fs_dtype dt, const char *a, enum fs_dtype of_b,
                     const char *b);

/* Of what a rank has: the last ones have more room than elements. */
static struct fs_shape own_shape(struct pair p) {
  struct fs_shape s = p.a->shape;
  if (p.axis < 0) return s;
  int64_t left = p.extent - fs_rank() * s.dim[p.axis];
  s.dim[p.axis] = FS_MAX(0, FS_MIN(left, s.dim[p.axis]));
  return s;
}

/* Has elements of two results of one shape looked at, row by row. */
static enum fs_status each_element(struct pair p, look at, void *user, struct fs_diags *d) {
  const struct fs_shape own = own_shape(p), *shape = &own;
  size_t size = fs_dtype_size(p.a->dtype), other = fs_dtype_size(p.b->dtype);
  int64_t n = fs_shape_count(shape), rows = shape->rank ? shape->dim[0] : 1;
  int64_t row = n / FS_MAX(rows, 1);
  int64_t bytes = FS_MAX(row, 1) * (int64_t)FS_MAX(size, other);
  int64_t at_once = FS_MIN(FS_MAX(PART / bytes, 1), rows);
  char *a = fs_malloc((size_t)(at_once * row) * size);
  char *b = fs_malloc((size_t)(at_once * row) * other);
  enum fs_status st = FS_OK;
  for (int64_t from = 0; from < rows && n && st == FS_OK; from += at_once) {
    int64_t first[FS_MAX_RANK] = {from}, count[FS_MAX_RANK];
    memcpy(count, shape->dim, sizeof count);
    if (shape->rank) count[0] = FS_MIN(at_once, rows - from);
    st = fs_interrupted() ? FS_INTERRUPTED : fs_tensor_download(p.a, first, count, a, d);
    if (st == FS_OK) st = fs_tensor_download(p.b, first, count, b, d);
    int64_t there = st == FS_OK ? FS_MIN(at_once, rows - from) * row : 0;
    for (int64_t k = 0; k < there; k++)
      at(user, p.a->dtype, a + (size_t)k * size, p.b->dtype, b + (size_t)k * other);
  }
  free(a);
  free(b);
  return st;
}

static void count_bits(void *user, enum fs_dtype dt, const char *a, enum fs_dtype of_b,
                       const char *b) {
  struct fs_agreement *g = user;
  (void)of_b;
  bool same = !memcmp(a, b, fs_dtype_size(dt));
  if (!same && fs_dtype_is_float(dt)) same = isnan(as_double(dt, a)) && isnan(as_double(dt, b));
  g->elements++;
  g->differ += !same;
}

struct distance {
  double most, scale;
};

static void measure(void *user, enum fs_dtype dt, const char *a, enum fs_dtype of_b,
                    const char *b) {
  struct distance *far = user;
  double x = as_double(dt, a), y = as_double(of_b, b);
  if (isfinite(y)) far->scale = fmax(far->scale, fabs(y));
  if (x == y || (isnan(x) && isnan(y))) return;
  far->most = fmax(far->most, isfinite(x) && isfinite(y) ? fabs(x - y) : INFINITY);
}

/* -- plans ------------------------------------------------------------------------- */

/* The bits of all ranks; of what is whole each has all. */
static enum fs_status compare_bits(struct pair p, struct fs_agreement *g, struct fs_diags *d) {
  struct fs_agreement all[FS_MOST_RANKS] = {0};
  enum fs_status st = each_element(p, count_bits, &all[fs_rank()], d);
  st = fs_ranks_agree(st, d);
  if (st == FS_OK) st = fs_ranks_gather(all, sizeof *all, d);
  for (int r = 0; r < (p.axis < 0 ? 1 : fs_ranks()) && st == FS_OK; r++)
    g->elements += all[r].elements, g->differ += all[r].differ;
  return st;
}

static enum fs_status compare_values(struct pair p, struct distance *far, struct fs_diags *d) {
  struct distance all[FS_MOST_RANKS] = {{0, 0}};
  enum fs_status st = each_element(p, measure, &all[fs_rank()], d);
  st = fs_ranks_agree(st, d);
  if (st == FS_OK) st = fs_ranks_gather(all, sizeof *all, d);
  for (int r = 0; r < fs_ranks() && st == FS_OK; r++) {
    far->most = fmax(far->most, all[r].most);
    far->scale = fmax(far->scale, all[r].scale);
  }
  return st;
}

static struct pair pair_of(const struct fs_graph *g, int k, const struct results *a,
                           const struct results *b) {
  bool parts = g->output_axes.len > 0;
  return (struct pair){a->of[k], b->of[k], parts ? g->output_axes.data[k] : -1,
                       parts ? g->output_extents.data[k] : 0};
}

static enum fs_status compare(const struct fs_graph *of, const struct results *mine,
                              const struct results *first, const struct results *exact,
                              struct fs_agreement *g, struct fs_diags *d) {
  enum fs_status st = FS_OK;
  for (int k = 0; k < mine->n && st == FS_OK; k++)
    st = compare_bits(pair_of(of, k, mine, first), g, d);
  for (int k = 0; k < exact->n && st == FS_OK; k++) {
    struct distance far = {0, 0};
    if (!fs_dtype_is_float(mine->of[k]->dtype)) continue;
    st = compare_values(pair_of(of, k, mine, exact), &far, d);
    g->has_error = true;
    if (far.most > 0) g->error = fmax(g->error, far.scale > 0 ? far.most / far.scale : INFINITY);
  }
  g->compared = st == FS_OK;
  return st;
}

bool fs_agree_has_error(const struct fs_graph *g) {
  for (int k = 1; k < g->nodes.len; k++)
    if (fs_dtype_is_float(g->nodes.data[k].dtype) && g->nodes.data[k].dtype != FS_F64) return true;
  return false;
}

/* What the block gives in f64; nothing where it cannot be had. */
static enum fs_status run_exact(struct fs_runner *r, struct fs_scratch *s,
                                const struct fs_diags *sources, struct results *out) {
  const struct fs_plan_options options = {.strategy = FS_FUSE_OFF};
  struct fs_diags words;
  struct fs_block *b = NULL;
  enum fs_status st = FS_OK;
  if (!fs_agree_has_error(s->block->plan->graph)) return FS_OK;
  fs_diags_init(&words);
  enum fs_status got = fs_compile(fs_graph_in_double(s->block->plan->graph),
                                  fs_runner_target(r), &options, sources, &b, &words);
  got = fs_ranks_agree(got, &words);
  if (got == FS_OK) run(s, b, out, &st);
  if (got == FS_INTERRUPTED) st = got;
  fs_block_free(b, fs_runner_target(r));
  fs_diags_free(&words);
  return st;
}

enum fs_status fs_agree(struct fs_runner *r, const struct fs_block *block,
                        struct fs_block *const *plans, int n, const struct fs_diags *sources,
                        struct fs_agreement *out, struct fs_diags *d) {
  struct fs_scratch s;
  struct results first = {0}, exact = {0};
  for (int k = 0; k < n; k++) out[k] = (struct fs_agreement){0};
  enum fs_status st = fs_scratch_open(&s, fs_runner_target(r), block, d);
  if (st == FS_OK && n && plans[0]) run(&s, plans[0], &first, &st);
  if (st == FS_OK && first.n) st = run_exact(r, &s, sources, &exact);
  const struct fs_graph *g = block->plan->graph;
  for (int k = 0; k < n && st == FS_OK && first.n; k++) {
    struct results mine = {0};
    if (!plans[k]) continue;
    if (k == 0) st = compare(g, &first, &first, &exact, &out[k], d);
    else if (run(&s, plans[k], &mine, &st)) st = compare(g, &mine, &first, &exact, &out[k], d);
    drop(&mine);
  }
  drop(&first);
  drop(&exact);
  fs_scratch_close(&s);
  return st;
}
