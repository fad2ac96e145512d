/* race.c - `:race mv(A, x)`: a kernel of a file as it is written beside what Fusible makes of
 * it. */
#include "core/session/internal.h"

#include <math.h>
#include <stdlib.h>

#include "core/plan/plan.h"
#include "core/run/search.h"

enum { TURNS = 5, RUNS = 7 };
static const double LONGEST = 0.3; /* seconds of a turn */
static const char *const names[2] = {"race_as_is", "race_as_read"};

struct racer {
  const struct fs_block *block;
  double seconds[TURNS], median;
};

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* A turn: the median of some runs, after one that warms up. */
static enum fs_status take_turn(struct fs_session *s, struct racer *r, int turn) {
  struct fs_search_options o = {.k = 1, .repeats = RUNS, .seconds = LONGEST};
  struct fs_search found;
  enum fs_status st =
      fs_search_block(fs_session_runner(s), r->block, &o, &s->diags, &found, &s->diags);
  if (st == FS_OK && found.interrupted) st = FS_INTERRUPTED;
  if (st == FS_OK) r->seconds[turn] = found.list.data[0].measured;
  fs_search_free(&found);
  return st;
}

static const struct fs_interp_var *variable(struct fs_session *s, const char *name,
                                            struct fs_interp_var *v) {
  for (int k = 0; fs_interp_var_at(s->in, k, v); k++)
    if (!strcmp(v->name, name)) return v;
  return NULL;
}

static enum fs_status compare(struct fs_session *s, double *differ, double *most) {
  struct fs_str line = {0};
  struct fs_interp_var v;
  double two[2] = {NAN, NAN};
  fs_str_printf(&line, "race_both = [max(vec(abs(f64(%s) - f64(%s)))), max(vec(abs(f64(%s))))];",
                names[0], names[1], names[1]);
  enum fs_status st = fs_interp_aside(s->in, "<race>", fs_str_text(&line));
  if (st == FS_OK && variable(s, "race_both", &v) && v.value.kind == FS_V_TENSOR) {
    st = fs_interp_force(s->in, v.value.tensor);
    const int64_t first[2] = {0, 0}, *count = v.value.tensor->shape.dim;
    bool good = v.value.tensor->dtype == FS_F64 && fs_shape_count(&v.value.tensor->shape) == 2;
    if (st == FS_OK && good)
      st = fs_tensor_download(v.value.tensor, first, count, two, &s->diags);
  }
  *differ = two[0];
  *most = two[1];
  fs_str_free(&line);
  return st;
}

static void tell(const struct racer *r, double differ, double most, struct fs_str *out) {
  static const char *const words[2] = {"as it is written  ", "as Fusible has it "};
  for (int k = 0; k < 2; k++) {
    int n = r[k].block ? r[k].block->plan->kernels.len : 0;
    fs_str_puts(out, words[k]);
    if (n) fs_str_put_seconds(out, r[k].median);
    else fs_str_puts(out, "no time");
    fs_str_printf(out, "  (%d kernel%s)\n", n, n == 1 ? "" : "s");
  }
  if (r[0].median > 0 && r[1].median > 0)
    fs_str_printf(out, "ratio              %.2f\n", r[0].median / r[1].median);
  fs_str_puts(out, "results            ");
  if (differ == 0) fs_str_puts(out, "the same\n");
  else fs_str_printf(out, "differ by %.2g, the largest being %.2g\n", differ, most);
}

static enum fs_status race(struct fs_session *s, const char *call, const char *how,
                           struct fs_span span, struct fs_str *out) {
  struct racer r[2] = {{NULL}};
  double differ = NAN, most = NAN;
  enum fs_status st = FS_OK;
  for (int k = 0; k < 2 && st == FS_OK; k++) {
    s->last_block = NULL;
    st = fs_interp_race(s->in, call, how, k == 0, names[k], span);
    r[k].block = st == FS_OK ? s->last_block : NULL;
    if (r[k].block && !r[k].block->plan->kernels.len) r[k].block = NULL;
  }
  if (st == FS_OK) st = fs_session_collect(s);
  for (int turn = 0; turn < TURNS && st == FS_OK; turn++)
    for (int k = 0; k < 2 && st == FS_OK; k++)
      if (r[k].block) st = take_turn(s, &r[k], turn);
  for (int k = 0; k < 2 && st == FS_OK; k++) {
    if (!r[k].block) continue;
    qsort(r[k].seconds, TURNS, sizeof *r[k].seconds, by_size);
    r[k].median = r[k].seconds[TURNS / 2];
  }
  if (st == FS_OK) st = compare(s, &differ, &most);
  if (st == FS_OK) tell(r, differ, most, out);
  return st;
}

enum fs_status fs_session_race(struct fs_session *s, const char *text, struct fs_span span,
                               struct fs_str *out) {
  const char *end = strrchr(text, ')');
  size_t len = end ? (size_t)(end + 1 - text) : strlen(text);
  char *call = fs_strndup(text, len);
  struct fs_str how = {0};
  fs_str_printf(&how, "asis%s", text + len);
  enum fs_status st =
      race(s, call, text[len] ? fs_str_text(&how) : NULL, span, out);
  fs_interp_remove(s->in, names[0]);
  fs_interp_remove(s->in, names[1]);
  fs_interp_remove(s->in, "race_both");
  fs_str_free(&how);
  free(call);
  return st;
}
