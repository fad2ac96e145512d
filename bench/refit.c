/* refit.c - the model without timing: fits a calibration to measurements that were
 * kept, and prices blocks that were measured then. For work on the model: what a
 * change of it does to all predictions is seen in seconds, on a machine that need not
 * be quiet nor be the one that was measured.
 *
 *   fusible --target cpu calibrate raw CAL.json         on the quiet machine
 *   build/bench-prediction --raw PRED.json              on the quiet machine
 *   build/bench-refit [--samples] CAL.json PRED.json...
 *
 * For each block the first prediction, and of each file what was measured and how far
 * the prediction is off. --samples: the fitted kernels, too. The blocks' inputs are
 * made on this machine, since plans need their layouts. CPU only. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness.h"
#include "core/model/calibration.h"

enum { MOST_FILES = 16, MOST_BLOCKS = 400 };

struct errors {
  double of[MOST_BLOCKS];
  int n;
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

/* -- the fit -------------------------------------------------------------------- */

static bool refit(const json_t *raw, const struct fs_device *device, bool show,
                  struct fs_calibration *c) {
  int n = 0, all = (int)json_array_size(raw);
  struct fs_sample *samples = fs_calloc((size_t)all + 1, sizeof *samples);
  for (int k = 0; k < all; k++) {
    const json_t *o = json_array_get(raw, (size_t)k);
    samples[n].seconds = number(o, "seconds");
    n += fs_work_read(o, &samples[n].work);
  }
  bool ok = n == all && fs_calibration_fit(samples, n, device, c);
  for (int k = 0; k < n && ok && show; k++) {
    const json_t *o = json_array_get(raw, (size_t)k);
    double fitted = fs_calibrated(&samples[k].work, c).seconds;
    printf("%-44s %6.0f x %-8.0f %9.1f us fitted %9.1f  %+6.1f %%\n",
           text(o, "text"), number(o, "m"), number(o, "n"),
           samples[k].seconds * 1e6, fitted * 1e6,
           100 * (fitted / samples[k].seconds - 1));
  }
  free(samples);
  return ok;
}

/* -- the blocks ------------------------------------------------------------------ */

struct pricing {
  struct harness *h;
  double seconds;
  int kernels;
};

static void price_graph(void *user, struct fs_graph *g) {
  struct pricing *p = user;
  struct fs_plan *plan = fs_explain_graph(p->h->runner, g, &p->h->diags);
  for (int k = 0; k < plan->kernels.len; k++)
    p->seconds += plan->kernels.data[k].first;
  p->kernels += plan->kernels.len;
  fs_plan_free(plan);
}

static struct pricing price(struct harness *h, const json_t *block) {
  struct pricing p = {.h = h};
  const char *statements = text(block, "text");
  fs_interp_reset(h->in);
  if (harness_run(h, text(block, "setup")))
    fs_interp_explain(h->in, "bench", statements, strlen(statements), price_graph,
                      &p);
  return p;
}

static void compare(struct harness *h, json_t *const *files, int n) {
  static struct errors errors[MOST_FILES];
  size_t k;
  json_t *block;
  json_array_foreach(files[0], k, block) {
    struct pricing p = price(h, block);
    printf("%-34s %d kernel%s first %9.1f us", text(block, "block"), p.kernels,
           p.kernels == 1 ? " " : "s", p.seconds * 1e6);
    for (int f = 0; f < n; f++) {
      double measured = number(json_array_get(files[f], k), "measured");
      double off = p.seconds / measured - 1;
      printf("  %9.1f %+6.1f %%", measured * 1e6, 100 * off);
      if (measured > 50e-6 && errors[f].n < MOST_BLOCKS)
        errors[f].of[errors[f].n++] = fabs(off);
    }
    printf("\n");
  }
  for (int f = 0; f < n; f++) {
    struct errors *e = &errors[f];
    if (!e->n) continue;
    qsort(e->of, (size_t)e->n, sizeof *e->of, ascending);
    printf("file %d, over 50 us: %d blocks, median error %.1f %%, 95th percentile "
           "%.1f %%\n", f + 1, e->n, 100 * e->of[e->n / 2],
           100 * e->of[(int)(0.95 * e->n)]);
  }
}

int main(int argc, char **argv) {
  struct harness h;
  json_t *files[MOST_FILES], *raw = NULL;
  int n = 0;
  bool show = false, bad = false;
  for (int k = 1; k < argc && !bad; k++) {
    json_t *list = NULL;
    if (!strcmp(argv[k], "--samples")) show = true;
    else if ((bad = !(list = json_load_file(argv[k], 0, NULL)) || n == MOST_FILES))
      fprintf(stderr, "%s cannot be read\n", argv[k]);
    else if (!raw) raw = list;
    else files[n++] = list;
  }
  if (bad || !raw || !harness_open(&h, "cpu")) return 3;
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  if (!refit(raw, &h.target->device, show, c)) {
    fprintf(stderr, "the measurements are not such as `calibrate raw` writes\n");
    return 3;
  }
  printf("%d kernels, typical error %.1f %%; calling threads %.1f us, late %.1f us\n",
         c->samples, 100 * c->error, c->cost[FS_TM_THREADS] * 1e6,
         c->cost[FS_TM_LATE] * 1e6);
  h.target->device.calibration = c;
  if (n) compare(&h, files, n);
  harness_close(&h);
  free(c);
  for (int f = 0; f < n; f++) json_decref(files[f]);
  json_decref(raw);
  return 0;
}
