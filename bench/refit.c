/* refit.c - the model without timing: fits a calibration to measurements that were
 * kept, and prices blocks that were measured then. For work on the model: what a
 * change of it does to all predictions is seen in seconds, on a machine that need not
 * be quiet nor be the one that was measured.
 *
 *   fusible --target cpu calibrate raw CAL.json         on the quiet machine
 *   build/bench-prediction --raw PRED.json              on the quiet machine
 *   build/bench-refit [--target cuda] [--samples] [--unseen] CAL.json PRED.json...
 *
 * For each block the first prediction, and of each file what was measured and how far
 * the prediction is off. The prediction is that of the settings which were measured,
 * where the planner still has them, else that of its first choice, and a star says so.
 * --samples: the fitted kernels, too, and what would be predicted without each.
 * --unseen: how far off kernels are of statements, and of sizes, that are left out of
 * the fit, an eighth at a time. --works FILE: what was priced, as JSON. --space FILE: of
 * what `bench-space --raw` wrote with the device's calibration file, which combination
 * would be the first choice now, and how it compares with the best. The blocks are run on
 * this machine, since plans need the layouts of their inputs; for a GPU the driver of
 * tests/fake has them without memory (FUSIBLE_FAKE_RUN=0), with the device's name in it.
 * The prices of barriers and of launches behind others are those of the device's
 * calibration file, if it has one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness.h"
#include "core/model/calibration.h"
#include "core/session/work_json.h"

enum { MOST_FILES = 16, MOST_ERRORS = 8192 };

struct errors {
  double of[MOST_ERRORS], below[MOST_ERRORS]; /* shares; seconds */
  int n, n_below;
};

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double number(const json_t *o, const char *key) {
  return json_number_value(json_object_get(o, key));
}

static const char *text(const json_t *o, const char *key) {
  const char *s = json_string_value(json_object_get(o, key));
  return s ? s : "";
}

/* -- errors ---------------------------------------------------------------------- */

static void note(struct errors *e, double predicted, double measured) {
  if (measured > 50e-6 && e->n < MOST_ERRORS)
    e->of[e->n++] = fabs(predicted / measured - 1);
  else if (measured <= 50e-6 && e->n_below < MOST_ERRORS)
    e->below[e->n_below++] = fabs(predicted - measured);
}

static void sum_up(const char *what, struct errors *e) {
  int over = 0;
  qsort(e->of, (size_t)e->n, sizeof *e->of, ascending);
  qsort(e->below, (size_t)e->n_below, sizeof *e->below, ascending);
  for (int k = 0; k < e->n_below; k++) over += e->below[k] > 2e-6;
  if (e->n)
    printf("%s, over 50 us: %d blocks, median error %.1f %%, 95th percentile "
           "%.1f %%\n", what, e->n, 100 * e->of[e->n / 2],
           100 * e->of[(int)(0.95 * e->n)]);
  if (e->n_below)
    printf("%s, below: %d blocks, median %.2f us, most %.2f us, %d of more than "
           "2 us\n", what, e->n_below, 1e6 * e->below[e->n_below / 2],
           1e6 * e->below[e->n_below - 1], over);
}

/* -- the fit -------------------------------------------------------------------- */

struct kept {
  struct fs_sample *of;
  int n;
};

static struct kept samples_of(const json_t *raw) {
  int all = (int)json_array_size(raw);
  struct kept s = {fs_calloc((size_t)all + 1, sizeof *s.of), 0};
  for (int k = 0; k < all; k++) {
    const json_t *o = json_array_get(raw, (size_t)k);
    s.of[s.n].seconds = number(o, "seconds");
    s.n += fs_work_read(o, &s.of[s.n].work);
  }
  if (s.n < all) s.n = 0;
  return s;
}

/* What would be predicted of the sample if it were not in the tables. */
static double without(const struct fs_work *w, double seconds, struct fs_calibration *c) {
  char name[FS_KIND_NAME];
  struct fs_kind kind = fs_kind_of(w);
  fs_kind_name(&kind, name);
  int kinds = c->n_kinds;
  c->n_kinds = 0;
  float ratio = (float)log(seconds / fs_calibrated(w, c).seconds);
  c->n_kinds = kinds;
  for (int t = 0; t < kinds; t++) {
    if (strcmp(c->kinds[t].name, name)) continue;
    for (int k = c->kinds[t].first; k < c->kinds[t].first + c->kinds[t].n; k++) {
      if (c->points[k].log_ratio != ratio) continue;
      float at = c->points[k].at[0];
      c->points[k].at[0] = 1e9F;
      double predicted = fs_calibrated(w, c).seconds;
      c->points[k].at[0] = at;
      return predicted;
    }
  }
  return 0;
}

static void show_samples(const json_t *raw, const struct kept *s,
                         struct fs_calibration *c) {
  for (int k = 0; k < s->n; k++) {
    const json_t *o = json_array_get(raw, (size_t)k);
    double fitted = fs_calibrated(&s->of[k].work, c).seconds;
    double left_out = without(&s->of[k].work, s->of[k].seconds, c);
    printf("%-44s %6.0f x %-8.0f %9.1f us fitted %9.1f  %+6.1f %% left out %+6.1f %%\n",
           text(o, "text"), number(o, "m"), number(o, "n"),
           s->of[k].seconds * 1e6, fitted * 1e6,
           100 * (fitted / s->of[k].seconds - 1),
           100 * (left_out / s->of[k].seconds - 1));
  }
}

/* The statements of a sample, or its size: what is left out together. */
static unsigned part_of(const json_t *o, bool size, unsigned parts) {
  char name[64];
  snprintf(name, sizeof name, "%.0f %.0f", number(o, "m"), number(o, "n"));
  const char *key = size ? name : text(o, "text");
  return (unsigned)(fs_hash(key, strlen(key), 7) % parts);
}

/* What is predicted of statements, or of sizes, that the fit has not seen. */
static void unseen(const json_t *raw, const struct kept *s,
                   const struct fs_device *device, bool size, bool show) {
  enum { PARTS = 8 };
  static struct errors e;
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  struct fs_sample *some = fs_calloc((size_t)s->n + 1, sizeof *some);
  e.n = e.n_below = 0;
  for (unsigned part = 0; part < PARTS; part++) {
    int taken = 0;
    for (int k = 0; k < s->n; k++)
      if (part_of(json_array_get(raw, (size_t)k), size, PARTS) != part)
        some[taken++] = s->of[k];
    if (!fs_calibration_fit(some, taken, device, c)) continue;
    for (int k = 0; k < s->n; k++) {
      const json_t *o = json_array_get(raw, (size_t)k);
      if (s->of[k].work.library || part_of(o, size, PARTS) != part) continue;
      double predicted = fs_calibrated(&s->of[k].work, c).seconds;
      note(&e, predicted, s->of[k].seconds);
      if (show)
        printf("%-44s %6.0f x %-8.0f %9.1f us unseen %9.1f  %+6.1f %%\n",
               text(o, "text"), number(o, "m"), number(o, "n"),
               s->of[k].seconds * 1e6, predicted * 1e6,
               100 * (predicted / s->of[k].seconds - 1));
    }
  }
  sum_up(size ? "unseen sizes" : "unseen statements", &e);
  free(some);
  free(c);
}

/* -- the blocks ------------------------------------------------------------------ */

struct pricing {
  const json_t *measured;  /* kernels, as prediction.c writes them */
  double seconds;
  int kernels;
  bool other;              /* what was measured is not planned any more */
  json_t *works;
};

static bool has_setting(const json_t *told, const struct fs_tuning *t) {
  bool same = true;
  for (int x = 0; x < FS_TUNING_ROWS; x++)
    same &= number(told, fs_tuning_rows[x].name) == fs_tuning_value(t, x);
  return same;
}

/* Whether the plan is of the same kernels with the same settings. */
static bool is_plan(const struct fs_plan *plan, const json_t *kernels) {
  bool same = plan->kernels.len == (int)json_array_size(kernels);
  for (int k = 0; same && k < plan->kernels.len; k++) {
    const json_t *o = json_array_get(kernels, (size_t)k);
    const json_t *t = json_object_get(o, "setting");
    same = !strcmp(text(o, "scheme"), fs_schemes[plan->kernels.data[k].scheme].name) &&
           (!t || has_setting(t, &plan->kernels.data[k].tune));
  }
  return same;
}

static void add_plan(struct pricing *p, const struct fs_plan *plan) {
  for (int k = 0; k < plan->kernels.len; k++) {
    const json_t *ran = json_array_get(p->measured, (size_t)k); /* copies may have been left out */
    if (!json_is_true(json_object_get(ran, "left_out")))
      p->seconds += plan->kernels.data[k].first;
    if (p->works)
      json_array_append_new(p->works, fs_work_json(&plan->kernels.data[k].work));
  }
  p->kernels += plan->kernels.len;
}

static struct pricing price(struct harness *h, const json_t *block, json_t *works) {
  enum { LISTED = 96 };
  struct pricing p = {.measured = json_object_get(block, "kernels")};
  struct fs_plan *list[LISTED];
  struct fs_plan_options options = {.strategy = FS_SMART, .variants = true};
  p.works = works ? json_array() : NULL;
  if (works) json_array_append_new(works, p.works);
  fs_interp_reset(h->in); /* it is run, or what stays virtual would be in the plan */
  if (!harness_run(h, text(block, "setup")) ||
      !harness_run(h, text(block, "text")) || !h->block)
    return p;
  const struct fs_plan *plan = h->block->plan;
  int n = 0, found = 0;
  if (!is_plan(plan, p.measured)) {
    n = fs_plan_ranked(plan->graph, &h->target->device, &options, LISTED, list);
    while (found < n && !is_plan(list[found], p.measured)) found++;
    p.other = found == n;
  }
  add_plan(&p, found < n ? list[found] : plan);
  for (int k = 0; k < n; k++) fs_plan_free(list[k]);
  return p;
}

static void compare(struct harness *h, json_t *const *files, int n, json_t *works) {
  static struct errors errors[MOST_FILES];
  size_t k;
  json_t *block;
  json_array_foreach(files[0], k, block) {
    struct pricing p = price(h, block, works);
    printf("%-34s %d kernel%s first %9.1f us%s", text(block, "block"), p.kernels,
           p.kernels == 1 ? " " : "s", p.seconds * 1e6, p.other ? "*" : " ");
    for (int f = 0; f < n; f++) {
      double measured = number(json_array_get(files[f], k), "measured");
      double off = p.seconds / measured - 1;
      printf("  %9.1f %+6.1f %%", measured * 1e6, 100 * off);
      if (measured <= 50e-6) printf(" %+5.1f us", 1e6 * (p.seconds - measured));
      note(&errors[f], p.seconds, measured);
    }
    printf("\n");
  }
  for (int f = 0; f < n; f++) {
    char name[24];
    snprintf(name, sizeof name, "file %d", f + 1);
    sum_up(name, &errors[f]);
  }
}

/* -- choices --------------------------------------------------------------------- */

/* What the combination would be predicted to take now. Of several kernels, of which some
 * may share a launch: before, and the difference that it makes for each of them alone. */
static double priced(struct harness *h, const struct fs_calibration *now,
                     const json_t *combination) {
  double seconds = 0;
  const json_t *kernels = json_object_get(combination, "kernels");
  size_t n = json_array_size(kernels);
  for (size_t k = 0; k < n; k++) {
    struct fs_work work;
    const json_t *o = json_array_get(kernels, k);
    if (n > 1) seconds += number(o, "first");
    if (!fs_work_read(o, &work)) continue;
    seconds += fs_predict(&work, &h->target->device).seconds;
    h->target->device.calibration = h->calibration;
    if (n > 1) seconds -= fs_predict(&work, &h->target->device).seconds;
    h->target->device.calibration = now;
  }
  return seconds;
}

/* Rows lie together: those of one case and size. */
static void choose(struct harness *h, const struct fs_calibration *now,
                   const json_t *space, bool all) {
  size_t n = json_array_size(space), end;
  int good = 0, rows = 0;
  for (size_t from = 0; from < n; from = end) {
    const json_t *head = json_array_get(space, from), *first = NULL, *best = NULL;
    double least = INFINITY;
    for (end = from; end < n; end++) {
      const json_t *o = json_array_get(space, end);
      if (strcmp(text(o, "case"), text(head, "case")) ||
          number(o, "n") != number(head, "n"))
        break;
      double seconds = priced(h, now, o), took = number(o, "measured");
      if (all)
        printf("%-72s %9.2f us, measured %9.2f  %+6.1f %%\n", text(o, "choice"),
               seconds * 1e6, took * 1e6, 100 * (seconds / took - 1));
      if (seconds < least) least = seconds, first = o;
      if (!best || number(o, "measured") < number(best, "measured")) best = o;
    }
    double share = number(best, "measured") / number(first, "measured");
    printf("%-8s %6.0f first %9.2f us, measured %9.2f; best %9.2f, measured %9.2f  %.3f%s\n",
           text(head, "case"), number(head, "n"), least * 1e6,
           number(first, "measured") * 1e6, priced(h, now, best) * 1e6,
           number(best, "measured") * 1e6, share, share < 0.98 ? " *" : "");
    good += share >= 0.98;
    rows++;
  }
  printf("%d of %d first choices within 2 %% of the best\n", good, rows);
}

static void write_works(json_t *works, const char *path) {
  if (path && json_dump_file(works, path, JSON_COMPACT | JSON_REAL_PRECISION(7)))
    fprintf(stderr, "%s could not be written\n", path);
  json_decref(works);
}

/* -- the program ------------------------------------------------------------------- */

struct options {
  const char *target, *works;
  bool samples, unseen;
  json_t *raw, *space, *files[MOST_FILES];
  int n;
};

static bool read_file(const char *path, json_t **out) {
  *out = json_load_file(path, 0, NULL);
  if (!*out) fprintf(stderr, "%s cannot be read\n", path);
  return *out != NULL;
}

static bool parse(int argc, char **argv, struct options *o) {
  *o = (struct options){.target = "cpu"};
  for (int k = 1; k < argc; k++) {
    bool more = k + 1 < argc;
    if (!strcmp(argv[k], "--samples")) o->samples = true;
    else if (!strcmp(argv[k], "--unseen")) o->unseen = true;
    else if (!strcmp(argv[k], "--target") && more) o->target = argv[++k];
    else if (!strcmp(argv[k], "--works") && more) o->works = argv[++k];
    else if (!strcmp(argv[k], "--space") && more) {
      if (!read_file(argv[++k], &o->space)) return false;
    } else if (!o->raw) {
      if (!read_file(argv[k], &o->raw)) return false;
    } else if (o->n == MOST_FILES || !read_file(argv[k], &o->files[o->n++])) {
      return false;
    }
  }
  return o->raw != NULL;
}

static void show(struct harness *h, const struct options *o, const struct kept *s,
                 struct fs_calibration *c) {
  printf("%d kernels, typical error %.1f %%; calling threads %.1f us, late %.1f us\n",
         c->samples, 100 * c->error, c->cost[FS_TM_THREADS] * 1e6,
         c->cost[FS_TM_LATE] * 1e6);
  if (o->samples) show_samples(o->raw, s, c);
  for (int size = 0; size < 2 && o->unseen; size++)
    unseen(o->raw, s, &h->target->device, size, o->samples);
  if (h->calibration) { /* they are no kernel's times */
    c->follow = h->calibration->follow;
    c->barrier = h->calibration->barrier;
  }
  h->target->device.calibration = c;
  json_t *works = o->works ? json_array() : NULL;
  if (o->n) compare(h, o->files, o->n, works);
  if (o->space && h->calibration) choose(h, c, o->space, o->samples);
  write_works(works, o->works);
}

int main(int argc, char **argv) {
  struct harness h;
  struct options o;
  if (!parse(argc, argv, &o) || !harness_open(&h, o.target)) return 3;
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  struct kept s = samples_of(o.raw);
  bool ok = fs_calibration_fit(s.of, s.n, &h.target->device, c);
  if (ok) show(&h, &o, &s, c);
  else fprintf(stderr, "the measurements are not such as `calibrate raw` writes\n");
  harness_close(&h);
  free(c);
  free(s.of);
  for (int f = 0; f < o.n; f++) json_decref(o.files[f]);
  json_decref(o.space);
  json_decref(o.raw);
  return ok ? 0 : 3;
}
