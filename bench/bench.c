/* bench.c - Fusible's eleven sequences beside a BLAS library, interleaved in one
 * process, as a table and as JSON.
 *
 *   build/bench-cpu or build/bench-cuda [--n N] [--len LEN] [--repeat R] [--json FILE]
 *
 * Built once for each library: BENCH_PEER is bench_openblas or bench_cublas.
 *
 * kernel: the sum of the block's measured kernels (device events, or the
 * monotonic clock). wall: from submitting the statement to its end. The ratio is
 * Fusible's kernel time over the library's time for the same sequence, medians of
 * R interleaved runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/peers.h"
#include "core/session/session.h"

/* What the last block's events said. */
struct heard {
  double kernel, host, predicted;
  int kernels;
  char device[128];
  bool failed;
};

static void on_event(void *user, const json_t *e) {
  struct heard *h = user;
  const char *kind = json_string_value(json_object_get(e, "event"));
  if (kind && !strcmp(kind, "diagnostic")) {
    fprintf(stderr, "%s\n", json_string_value(json_object_get(e, "rendered")));
    h->failed = true;
  }
  if (!kind || strcmp(kind, "plan")) return;
  size_t k;
  json_t *kernel;
  h->kernel = h->predicted = 0;
  h->kernels = 0;
  json_array_foreach(json_object_get(e, "kernels"), k, kernel) {
    h->kernel += json_number_value(json_object_get(kernel, "measured"));
    h->predicted += json_number_value(json_object_get(kernel, "predicted"));
    h->kernels++;
  }
  const char *device = json_string_value(json_object_get(e, "device"));
  if (device) snprintf(h->device, sizeof h->device, "%s", device);
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

struct options {
  const char *target, *json;
  long n, len;
  int repeat;
};

static struct options parse(int argc, char **argv) {
  struct options o = {BENCH_TARGET, NULL, 4096, 1 << 24, 15};
  for (int k = 1; k + 1 < argc; k += 2) {
    if (!strcmp(argv[k], "--json")) o.json = argv[k + 1];
    else if (!strcmp(argv[k], "--n")) o.n = atol(argv[k + 1]);
    else if (!strcmp(argv[k], "--len")) o.len = atol(argv[k + 1]);
    else if (!strcmp(argv[k], "--repeat")) o.repeat = atoi(argv[k + 1]);
  }
  return o;
}

static bool evaluate(struct fs_session *s, const char *text) {
  return fs_session_eval(s, "bench", text, strlen(text), FS_EVAL_SILENT) ==
         FS_RESULT_OK;
}

static json_t *measure(struct fs_session *s, struct heard *h,
                       const struct bench_peer *peer, enum bench_case c,
                       const struct options *o) {
  const struct bench_sequence *q = &bench_sequences[c];
  char size[128];
  snprintf(size, sizeof size, "n = %ld; len = %ld;", o->n, o->len);
  evaluate(s, ":reset -f");
  if (!evaluate(s, size) || !evaluate(s, q->setup)) return NULL;
  const char *error = NULL;
  bool with_peer = peer && peer->prepare(c, o->n, o->n, o->len, &error) == 0;
  if (peer && !with_peer) fprintf(stderr, "%s: %s\n", peer->name, error);
  for (int k = 0; k < 3; k++) {
    if (!evaluate(s, q->block)) return NULL;
    if (with_peer) peer->run(c);
  }
  double *kernel = malloc(sizeof(double) * (size_t)o->repeat * 3);
  double *wall = kernel + o->repeat, *other = wall + o->repeat;
  for (int k = 0; k < o->repeat; k++) {
    double start = now();
    evaluate(s, q->block);
    wall[k] = now() - start;
    kernel[k] = h->kernel;
    other[k] = with_peer ? peer->run(c) : 0;
  }
  double km = median(kernel, o->repeat), wm = median(wall, o->repeat);
  double pm = median(other, o->repeat);
  double spread = (kernel[o->repeat * 3 / 4] - kernel[o->repeat / 4]) / km;
  double bytes = 4.0 * ((double)q->matrices * (double)o->n * (double)o->n +
                        (double)q->vectors * (q->matrices ? o->n : o->len));
  printf("%-8s %7d %11.3f %11.3f %11.3f %10.1f", q->name, h->kernels,
         km * 1e3, h->predicted * 1e3, wm * 1e3, bytes / km * 1e-9);
  if (with_peer) printf(" %11.3f %7.2f", pm * 1e3, km / pm);
  printf("\n");
  fflush(stdout);
  json_t *row = json_pack("{s:s, s:s, s:I, s:i, s:f, s:f, s:f, s:f, s:f}", "case",
                          q->name, "dtype", "f32", "size",
                          (json_int_t)(q->matrices ? o->n : o->len), "kernels",
                          h->kernels, "kernel_ms", km * 1e3, "predicted_ms",
                          h->predicted * 1e3, "wall_ms", wm * 1e3, "spread", spread,
                          "GBps", bytes / km * 1e-9);
  if (with_peer)
    json_object_set_new(row, "peers",
                        json_pack("{s:{s:f}}", peer->name, "kernel_ms", pm * 1e3));
  if (with_peer) peer->finish();
  free(kernel);
  return row;
}

int main(int argc, char **argv) {
  struct options o = parse(argc, argv);
  struct heard h = {0};
  const char *error = NULL;
  struct fs_session_config config = {.target = o.target, .on_event = on_event,
                                     .user = &h};
  struct fs_session *s = fs_session_new(&config, &error);
  if (!s) {
    fprintf(stderr, "%s\n", error);
    return 3;
  }
  evaluate(s, "x = ones(3) + 1;");
  const struct bench_peer *peer = &BENCH_PEER;
  printf("device %s, n = %ld, vectors of %ld, f32, medians of %d\n", h.device, o.n,
         o.len, o.repeat);
  printf("%-8s %7s %11s %11s %11s %10s %11s %7s\n", "case", "kernels", "kernel ms",
         "predicted", "wall ms", "GB/s", peer->name, "ratio");
  json_t *rows = json_array();
  for (int c = 0; c < BENCH_COUNT; c++) {
    json_t *row = measure(s, &h, peer, (enum bench_case)c, &o);
    if (row) json_array_append_new(rows, row);
    else h.failed = true;
  }
  if (o.json) {
    char command[256];
    snprintf(command, sizeof command,
             "build/bench-%s --n %ld --len %ld --repeat %d", o.target, o.n, o.len,
             o.repeat);
    json_t *out = json_pack("{s:s, s:s, s:o}", "device", h.device, "command",
                            command, "rows", rows);
    json_dump_file(out, o.json, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    json_decref(out);
  }
  fs_session_free(s);
  return h.failed;
}
