/* rules.c - times the numbers of core/base/rules.def at half, once and twice their value.
 *
 *   build/bench-rules [--target cpu|cuda] [--rounds 7] [--json FILE] [NAME ...]
 *
 * For each number, on the statements that it decides: the least time of each value in
 * microseconds, and what half and twice take of once. Values take turns within a round, so
 * that a machine that others use is the same for all three. A number whose plans are the
 * same at all three says so: the statements do not show it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness.h"
#include "core/schedule/schedule.h"

struct trial {
  enum fs_figure number;
  const char *setup, *text;
};

#define SQUARE(n) "A = f32(rand(" #n ", " #n ")); p = f32(rand(" #n ")); r = f32(rand(" #n "));"
#define HALVES(n) "A = bf16(rand(" #n ", " #n ")); p = bf16(rand(" #n ")); r = bf16(rand(" #n "));"
static const struct trial trials[] = {
  {FS_CPU_STRIP_BYTES, SQUARE(3000), "B = exp(A - p) .* r';"},
  {FS_CPU_LONG_STRIPS, SQUARE(6000), "q = A*p;"},
  {FS_CPU_GROUP_ROWS, SQUARE(6000), "q = A*p; s = A'*r;"},
  {FS_CPU_SUMMED_ROWS, SQUARE(4000), "s = sum(exp(A - p), 1);"},
  {FS_CPU_LINED_ROWS, SQUARE(4000), "B = A .* sqrt(p') + r;"},
  {FS_CPU_WHOLE_ROWS, "A = f32(rand(1000000, 10));", "s = sum(A, 2);"},
  {FS_CPU_MOST_ROWS, "A = f32(rand(1000000, 10));", "s = sum(A, 2);"},
  {FS_CPU_TURNED_BYTES, SQUARE(4000), "B = A' + A;"},
  {FS_CPU_TURNED_ROWS, "A = bf16(rand(4000, 4000));", "B = A' + A;"},
  {FS_CPU_TURNED_STRIP_BYTES, SQUARE(4000), "B = A' + A;"},
  {FS_CPU_FLAT_STRIP_BYTES, "x = f32(rand(10000000)); y = x;", "z = exp(x) .* y + x;"},
  {FS_CPU_FLAT_LEAST, "x = f32(rand(200000)); y = x;", "z = exp(x) .* y + x;"},
  {FS_CPU_FLAT_MOST, "x = f32(rand(10000000)); y = x;", "z = 0.5*x + y;"},
  {FS_CPU_TASKS, SQUARE(3000), "B = exp(A - p);"},
  {FS_CPU_TASK_LEAST, SQUARE(300), "B = exp(A - p);"},
  {FS_CPU_TASK_MOST, SQUARE(6000), "B = A - p;"},
  {FS_CPU_SUMMED_LEAST, SQUARE(1000), "s = A'*r;"},
  {FS_CPU_SUMMED_MOST, SQUARE(6000), "s = A'*r;"},
  {FS_CPU_TILE_TASKS, "A = f32(rand(200, 100000)); r = f32(rand(200));", "s = A'*r;"},
  {FS_CPU_END_STRIP, SQUARE(6000), "s = exp(A'*r);"},
  {FS_CPU_SMALL, "x = f32(rand(16000));", "y = exp(x);"},
  {FS_CPU_KEPT_SHARE, SQUARE(6000), "B = exp(A - rowmax(A)); B = B ./ rowsum(B);"},
  {FS_CPU_LONG_ROW, "A = f32(rand(40000, 300)); p = f32(rand(300));", "q = A*p;"},
  {FS_GPU_SUMS_THREADS, SQUARE(4096), "q = A*p; s = A'*r;"},
  {FS_GPU_SUMS_UNDER_WAY, "X = f32(rand(1000000, 32)); w = f32(rand(32)); y = f32(rand(1000000));",
   "p = 1 ./ (1 + exp(-(X*w))); g = X'*(p - y);"},
  {FS_GPU_RING_ROW_BYTES, HALVES(8192), "q = A*p; s = A'*r;"},
  {FS_GPU_RING_COLUMNS, SQUARE(4096), "s = A'*r;"},
  {FS_GPU_ABOUT_BYTES, SQUARE(4096), "s = A'*r;"},
  {FS_GPU_SOME_BYTES, SQUARE(8192), "s = A'*r;"},
  {FS_GPU_SMALL_BYTES, HALVES(3000), "s = A'*r;"},
  {FS_GPU_RING_ALONE_BYTES, HALVES(5003), "s = A'*r;"},
  {FS_GPU_PLAIN_WORK, HALVES(8192), "B = A ./ (A + 1);"},
  {FS_GPU_LONE_REGS, "A = rand(8192, 8192);", "B = exp(A - rowmax(A)); B = B ./ rowsum(B);"},
  {FS_GPU_MOST_CODE, SQUARE(4096), "q = erf(exp(A))*p; s = A'*r;"},
  {FS_GPU_STAGES, SQUARE(8192), "q = A*p; s = A'*r;"},
  {FS_GPU_KEPT, SQUARE(8192), "q = A*p;"},
  {FS_GPU_KEPT_SUMMED, SQUARE(8192), "q = A*p; s = A'*r;"},
  {FS_GPU_KEPT_NEAR, SQUARE(4096), "q = A*p; s = A'*r;"},
  {FS_GPU_KEPT_FAR, SQUARE(5120), "q = A*p; s = A'*r;"},
  {FS_GPU_LASTS, SQUARE(8192), "B = A .* A;"},
  {FS_MARCH_LAG_OF_HALVES, "A = bf16(rand(16384, 16384)); u = bf16(rand(16384)); v = u; y = u;",
   "B = A + u*v'; x = B'*y; w = B*x;"},
  {FS_MARCH_HEIGHT, SQUARE(16384), "s = A'*r; q = A*s;"},
  {FS_MODEL_UNSEEN_TILE, "A = bf16(rand(24, 694169));", "s = sum(A, 1);"},
  {FS_MODEL_UNSEEN_STRIDED, "A = bf16(rand(24, 694169));", "s = sum(A, 1);"},
  {FS_PLAN_WORTH_JOINING, SQUARE(4096), "q = A*(A'*r);"},
  {FS_PLAN_WORTH_A_RING, "A = f16(rand(16384, 8192)); p = f16(rand(8192));", "q = A*p;"},
};

enum { VALUES = 3, WARM = 2 };
static const double factors[VALUES] = {0.5, 1, 2};

/* Seconds of a run, once it is warm; < 0 if it cannot be. */
static double seconds_of(const char *target, const struct trial *t, int value, uint64_t *plan) {
  struct harness h;
  double least = -1;
  fs_figure_try(t->number, factors[value] * fs_figures[t->number].value);
  if (!harness_open(&h, target)) return -1;
  bool ok = harness_run(&h, t->setup);
  for (int k = 0; ok && k < WARM + 3; k++) {
    double start = fs_now();
    ok = harness_run(&h, t->text);
    double seconds = fs_now() - start;
    if (ok && k >= WARM && (least < 0 || seconds < least)) least = seconds;
  }
  if (ok && h.block) {
    const char *choice = fs_plan_choice(h.block->plan);
    struct fs_cpu_schedule cut;
    *plan = fs_hash(choice, strlen(choice), 1);
    for (int k = 0; k < h.block->plan->kernels.len && !h.target->device.is_cuda; k++) {
      fs_schedule_cpu(&h.block->plan->kernels.data[k], &h.target->device, &cut);
      int64_t sizes[] = {cut.rows, cut.columns, cut.chunk_rows, cut.chunk_columns, cut.end_strip,
                         cut.small, cut.row_by_row};
      *plan = fs_hash(sizes, sizeof sizes, *plan);
      fs_cpu_schedule_free(&cut);
    }
  }
  harness_close(&h);
  fs_figure_try(t->number, 0);
  return ok ? least : -1;
}

static bool run(const char *target, const struct trial *t, int rounds, json_t *rows) {
  const struct fs_figure_row *rule = &fs_figures[t->number];
  double best[VALUES] = {-1, -1, -1};
  uint64_t plan[VALUES] = {0};
  for (int round = 0; round < rounds; round++)
    for (int v = 0; v < VALUES; v++) {
      double s = seconds_of(target, t, v, &plan[v]);
      if (s < 0) return false;
      if (best[v] < 0 || s < best[v]) best[v] = s;
    }
  bool shown = plan[0] != plan[1] || plan[1] != plan[2];
  printf("%-24s %9g  %10.1f %10.1f %10.1f  %6.3f %6.3f  %s%s\n", rule->name, rule->value,
         1e6 * best[0], 1e6 * best[1], 1e6 * best[2], best[0] / best[1], best[2] / best[1],
         t->text, shown ? "" : "  (the same plan at all three)");
  fflush(stdout);
  json_array_append_new(rows, json_pack("{s:s, s:f, s:s, s:s, s:[f,f,f], s:b}", "rule", rule->name,
                                        "value", rule->value, "setup", t->setup, "text", t->text,
                                        "seconds", best[0], best[1], best[2], "differs", shown));
  return true;
}

static bool is_wanted(const char *name, char **names, int n) {
  bool wanted = !n;
  for (int k = 0; k < n; k++) wanted |= !strcmp(name, names[k]);
  return wanted;
}

int main(int argc, char **argv) {
  const char *target = "cpu", *file = NULL;
  int rounds = 7, n = 0, failed = 0, ran = 0;
  char **names = argv;
  for (int k = 1; k < argc; k++) {
    if (!strcmp(argv[k], "--target") && k + 1 < argc) target = argv[++k];
    else if (!strcmp(argv[k], "--rounds") && k + 1 < argc) rounds = atoi(argv[++k]);
    else if (!strcmp(argv[k], "--json") && k + 1 < argc) file = argv[++k];
    else names[n++] = argv[k];
  }
  json_t *rows = json_array();
  printf("%-24s %9s  %10s %10s %10s  %6s %6s  %s\n", "number", "value", "half us", "once us",
         "twice us", "half", "twice", "statements");
  for (size_t k = 0; k < FS_LEN(trials); k++) {
    const char *name = fs_figures[trials[k].number].name;
    bool cpu = !strncmp(name, "CPU_", 4), any = !strncmp(name, "MODEL_", 6);
    if ((!any && cpu != !strcmp(target, "cpu")) || !is_wanted(name, names, n)) continue;
    failed += !run(target, &trials[k], rounds, rows);
    ran++;
  }
  if (!ran) fprintf(stderr, "no statements are known for these numbers on %s\n", target);
  if (file) json_dump_file(rows, file, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
  json_decref(rows);
  return failed || !ran;
}
