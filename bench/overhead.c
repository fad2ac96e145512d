/* overhead.c - what a repeated statement costs beside its kernels.
 *
 *   build/bench-overhead [--target cuda|cpu] [--n 1024] [--len 65536]
 *                        [--repeat 2000] [--plan off|line] [--json FILE]
 *
 * For each sequence, in microseconds, medians:
 *   wall     from submitting the text to its end, results complete
 *   loop     one of 100 rounds of a loop over it, which run ahead of the device
 * On a device that does nothing (tests/fake with FUSIBLE_FAKE_RUN=0) that is the
 * host's work alone:
 *
 *   FUSIBLE_FAKE=1 FUSIBLE_FAKE_RUN=0 LD_LIBRARY_PATH=build/fake \
 *   FUSIBLE_NVRTC=build/fake/libnvrtc.so.13 build/bench-overhead --target cuda */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/sequences.h"
#include "core/session/session.h"

enum { ROUNDS = 100 };

/* The sequences, and one iteration of a solver. */
static const struct bench_sequence iteration = {
  "CG iteration",
  "A = rand(n, n); p = rand(n); r = rand(n); z = rand(n); rho = sum(r);",
  "q = A*p; alpha = rho/(p'*q); z1 = z + alpha*p; r1 = r - alpha*q; "
  "rho1 = r1'*r1; p1 = r1 + (rho1/rho)*p;", 1, 8};

static bool failed;

static void on_event(void *user, const json_t *e) {
  const char *text = json_string_value(json_object_get(e, "message"));
  (void)user;
  if (!text) return;
  fprintf(stderr, "%s\n", text);
  failed = true;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median(double *v, int n) {
  qsort(v, (size_t)n, sizeof *v, compare);
  return v[n / 2];
}

static bool evaluate(struct fs_session *s, const char *text) {
  return fs_session_eval(s, "bench", text, strlen(text), FS_EVAL_SILENT) ==
         FS_RESULT_OK;
}

/* The median of `repeat` runs of a text, in microseconds for each of `rounds`. */
static double measure(struct fs_session *s, const char *text, int repeat,
                      int rounds) {
  double *seconds = malloc(sizeof *seconds * (size_t)repeat);
  for (int k = 0; k < 8; k++) evaluate(s, text);
  for (int k = 0; k < repeat; k++) {
    double start = now();
    evaluate(s, text);
    seconds[k] = now() - start;
  }
  double middle = median(seconds, repeat);
  free(seconds);
  return 1e6 * middle / rounds;
}

static json_t *run(struct fs_session *s, const struct bench_sequence *q, long n,
                   long len, int repeat) {
  char setup[1024], loop[1024];
  snprintf(setup, sizeof setup, "n = %ld; len = %ld; %s", n, len,
           q->setup);
  snprintf(loop, sizeof loop, "for k_ = 1:%d\n%s\nend", ROUNDS,
           q->block);
  evaluate(s, ":reset -f");
  evaluate(s, setup);
  double wall = measure(s, q->block, repeat, 1);
  double round = measure(s, loop, repeat / 20 + 3, ROUNDS);
  printf("%-14s wall %8.2f us   in a loop %8.2f us\n", q->name, wall,
         round);
  fflush(stdout);
  return json_pack("{s:s, s:f, s:f}", "case", q->name, "wall_us",
                   wall, "loop_us", round);
}

int main(int argc, char **argv) {
  const char *target = "auto", *plan = "off", *json = NULL, *error = NULL;
  const char *only = NULL;
  long n = 1024, len = 1 << 16;
  int repeat = 2000;
  for (int k = 1; k + 1 < argc; k += 2) {
    if (!strcmp(argv[k], "--target")) target = argv[k + 1];
    else if (!strcmp(argv[k], "--plan")) plan = argv[k + 1];
    else if (!strcmp(argv[k], "--json")) json = argv[k + 1];
    else if (!strcmp(argv[k], "--case")) only = argv[k + 1];
    else if (!strcmp(argv[k], "--n")) n = atol(argv[k + 1]);
    else if (!strcmp(argv[k], "--len")) len = atol(argv[k + 1]);
    else if (!strcmp(argv[k], "--repeat")) repeat = atoi(argv[k + 1]);
  }
  struct fs_session_config config = {.target = target, .on_event = on_event};
  struct fs_session *s = fs_session_new(&config, &error);
  if (!s) {
    fprintf(stderr, "bench-overhead: %s\n", error);
    return 3;
  }
  fs_session_set(s, "plan", plan);
  json_t *rows = json_array();
  for (int k = 0; k <= BENCH_COUNT; k++) {
    const struct bench_sequence *q =
        k < BENCH_COUNT ? &bench_sequences[k] : &iteration;
    if (!only || !strcmp(only, q->name))
      json_array_append_new(rows, run(s, q, n, len, repeat));
  }
  json_t *all = json_pack("{s:s, s:s, s:I, s:I, s:o}", "target",
                          fs_session_setting(s, "target"), "plan", plan, "n",
                          (json_int_t)n, "len", (json_int_t)len, "rows", rows);
  if (json && json_dump_file(all, json, JSON_INDENT(1))) failed = true;
  json_decref(all);
  fs_session_free(s);
  return failed;
}
