/* random.c - is the chosen plan ever slower than no fusion at all?
 *
 *   build/bench-random [--target cpu|cuda] [--count 200] [--seed 1] [--from 0]
 *                      [--scale 1] [--json FILE]
 *
 * Random blocks over a grid of shapes: chains of elementwise operations, products
 * of matrix and vector both ways, outer products, sums over rows and columns,
 * scalars that come back, softmax, all with operands that earlier statements made.
 * The chosen plan and the one of a kernel for each call run in turns on the same
 * data; the medians' ratio is what counts. What others take of a shared machine changes
 * within seconds, and two hundred ratios of which each is off by a percent or two have
 * some beyond 3 %: blocks that seem to be slower by more are timed again when all others
 * are through, in three rounds over all of them some seconds apart, three times as often
 * in each, both plans alike. Then the round of the middle ratio counts, and the first look
 * does not. --scale makes the shapes larger; --from leaves out so many blocks. Exit status
 * 1 if any block is slower by more than 3 %. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness.h"
#include "bench/random_block.h"

static const double LIMIT = 1.03;

/* -- measuring --------------------------------------------------------------------- */

struct pair {
  double fused, unfused;
  int kernels, unfused_kernels;
};

static bool measure(struct harness *h, int repeats, struct pair *out) {
  const struct fs_graph *g = h->block->plan->graph;
  struct fs_plan_options smart = {.strategy = FS_SMART},
                         off = {.strategy = FS_FUSE_OFF};
  struct fs_plan *plans[] = {
      fs_plan_make(fs_graph_copy(g), &h->target->device, &smart),
      fs_plan_make(fs_graph_copy(g), &h->target->device, &off)};
  struct fs_search_options o = {.plans = plans, .n_plans = 2,
                                .repeats = repeats, .seconds = 20};
  struct fs_search r;
  bool ok = fs_search_block(h->runner, h->block, &o, &h->diags, &r,
                            &h->diags) == FS_OK;
  ok = ok && r.list.data[0].measured > 0 && r.list.data[1].measured > 0;
  for (int k = 0; k < r.list.len && !ok; k++)
    if (r.list.data[k].trouble)
      fprintf(stderr, "%s\n", r.list.data[k].trouble);
  if (ok)
    *out = (struct pair){r.list.data[0].measured, r.list.data[1].measured,
                         r.list.data[0].kernels, r.list.data[1].kernels};
  fs_search_free(&r);
  return ok;
}

enum { ROUNDS = 3 };

struct result {
  struct random_block block;
  struct pair seen, again[ROUNDS];
  bool ok;
};

static double ratio_of(const struct pair *p) { return p->fused / p->unfused; }

static int by_pair(const void *a, const void *b) {
  double x = ratio_of(a), y = ratio_of(b);
  return x < y ? -1 : x > y;
}

/* Makes the values and runs the block, before both plans are timed. */
static bool time_block(struct harness *h, const struct result *r, int repeats,
                       struct pair *out) {
  fs_interp_reset(h->in);
  return harness_run(h, r->block.setup) &&
         harness_run(h, fs_str_text(&r->block.text)) && h->block &&
         measure(h, repeats, out);
}

static void look_at(struct harness *h, unsigned number, double scale,
                    struct result *r) {
  bench_random_block(number, scale, &r->block);
  r->ok = time_block(h, r, 11, &r->seen);
  if (!r->ok)
    fprintf(stderr, "block %u did not run: %s\n", number, fs_str_text(&r->block.text));
}

/* Those that seem to be slower, in rounds. */
static void look_again(struct harness *h, struct result *of, int n) {
  bool *suspect = fs_calloc((size_t)n + 1, sizeof *suspect), any = false;
  for (int k = 0; k < n; k++) {
    suspect[k] = of[k].ok && ratio_of(&of[k].seen) > LIMIT;
    any |= suspect[k];
  }
  for (int round = 0; round < ROUNDS && any; round++) {
    harness_wait();
    for (int k = 0; k < n; k++)
      if (suspect[k] && of[k].ok)
        of[k].ok = time_block(h, &of[k], 33, &of[k].again[round]);
  }
  for (int k = 0; k < n; k++) {
    if (!suspect[k] || !of[k].ok) continue;
    qsort(of[k].again, ROUNDS, sizeof of[k].again[0], by_pair);
    of[k].seen = of[k].again[ROUNDS / 2];
  }
  free(suspect);
}

struct totals {
  int blocks, slower;
  double worst;
};

static void tell(const struct result *r, json_t *rows, struct totals *t) {
  const struct pair *p = &r->seen;
  double ratio = ratio_of(p);
  t->blocks++;
  t->slower += ratio > LIMIT;
  t->worst = FS_MAX(t->worst, ratio);
  if (ratio > LIMIT)
    printf("slower: %.3f, %d kernels for %d, %ld x %ld: %s\n", ratio, p->kernels,
           p->unfused_kernels, r->block.m, r->block.n, fs_str_text(&r->block.text));
  json_array_append_new(
      rows, json_pack("{s:s, s:I, s:I, s:f, s:f, s:f, s:i, s:i}", "block",
                      fs_str_text(&r->block.text), "m", (json_int_t)r->block.m, "n",
                      (json_int_t)r->block.n, "fused_us", p->fused * 1e6, "unfused_us",
                      p->unfused * 1e6, "ratio", ratio, "kernels", p->kernels,
                      "unfused_kernels", p->unfused_kernels));
}

static int by_ratio(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median_ratio(const json_t *rows) {
  size_t n = json_array_size(rows);
  double *v = malloc(sizeof(double) * (n + 1)), out = 0;
  for (size_t k = 0; k < n; k++)
    v[k] = json_number_value(json_object_get(json_array_get(rows, k), "ratio"));
  qsort(v, n, sizeof *v, by_ratio);
  if (n) out = v[n / 2];
  free(v);
  return out;
}

int main(int argc, char **argv) {
  const char *target = "cpu", *json = NULL;
  int count = 200, seed = 1, from = 0;
  double scale = 1;
  for (int k = 1; k + 1 < argc; k += 2) {
    if (!strcmp(argv[k], "--target")) target = argv[k + 1];
    else if (!strcmp(argv[k], "--count")) count = atoi(argv[k + 1]);
    else if (!strcmp(argv[k], "--seed")) seed = atoi(argv[k + 1]);
    else if (!strcmp(argv[k], "--from")) from = atoi(argv[k + 1]);
    else if (!strcmp(argv[k], "--scale")) scale = atof(argv[k + 1]);
    else if (!strcmp(argv[k], "--json")) json = argv[k + 1];
  }
  struct harness h;
  if (!harness_open(&h, target)) return 3;
  json_t *rows = json_array();
  struct totals t = {0};
  bool ok = true;
  count = FS_MAX(count, 0);
  struct result *of = fs_calloc((size_t)count + 1, sizeof *of);
  for (int k = 0; k < count; k++)
    look_at(&h, (unsigned)(seed * 100003 + from + k), scale, &of[k]);
  look_again(&h, of, count);
  for (int k = 0; k < count; k++) {
    ok = ok && of[k].ok;
    if (of[k].ok) tell(&of[k], rows, &t);
    fs_str_free(&of[k].block.text);
  }
  free(of);
  printf("device %s: %d blocks, chosen plan to no fusion: median %.3f, at most "
         "%.3f; %d slower by more than 3 %%\n", h.target->device.name, t.blocks,
         median_ratio(rows), t.worst, t.slower);
  if (json) {
    char command[160];
    snprintf(command, sizeof command,
             "build/bench-random --target %s --count %d --seed %d --scale %g",
             target, count, seed, scale);
    harness_save(&h, json, command, rows);
  }
  json_decref(rows);
  harness_close(&h);
  return !ok || t.slower;
}
