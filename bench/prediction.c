/* prediction.c - how right the predictions are, on blocks that no calibration has
 * seen: the eleven sequences at five sizes, chains, reductions, softmax, outer
 * products, mixed types; stencils in two and three dimensions, filters, rank-1 updates
 * that products read, distances to few centres; and 150 random blocks.
 *
 *   build/bench-prediction [--target cpu|cuda] [--json FILE] [--raw FILE]
 *                          [--large N] [--rounds N] [--repeat R] [--threads N]
 *                          [--quick] [--only WORDS] [--without WORDS]
 *
 * All blocks (with --only those whose name has the words, with
 * --without those whose name has not) are run in N rounds, R times
 * in each (warm: after three runs at least, on a CPU for 8 ms; on values that the round
 * has made); measured is the median over the rounds of the median of the sums of a
 * block's kernels' times. Nobody has all of a shared machine all of the time: what others
 * take of its caches, memory and processors changes within seconds, and with rounds of
 * all blocks (by default 21 on a CPU; a GPU is not shared, and does with one), each in an
 * order of its own, it does not fall on a few of them. In one round the time of a block is
 * some 13 to 20 % off its median, so seven rounds leave 8 % to chance, and in one order
 * a slow spell met the same blocks in each of them. The calibration measures in much the
 * same way. first is the
 * model's prediction. fresh is what the session shows
 * before the block has ever run: corrected by other blocks of its kinds. corrected
 * is what it shows at the last run, when earlier runs of the same block have taught
 * as well. noise is how far the medians of the odd and the even rounds (of the runs, if
 * there is but one round) are apart: no prediction can be nearer than about that. --raw
 * also writes the plans, and the medians of the rounds. Without a calibration (`fusible
 * calibrate`) the program says so and measures the costs of a device of the kind. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/random_block.h"
#include "bench/sequences.h"
#include "core/base/base.h"
#include "core/session/session.h"

struct block {
  char name[64];
  char setup[512], text[1024];
};

enum { MAX_BLOCKS = 400, MAX_REPEAT = 200, MAX_ROUNDS = 32 };
static struct block blocks[MAX_BLOCKS];
static int n_blocks;

static void add(const char *name, const char *sizes, const char *setup,
                const char *text) {
  struct block *b = &blocks[n_blocks];
  if (n_blocks == MAX_BLOCKS) return;
  snprintf(b->name, sizeof b->name, "%s", name);
  snprintf(b->setup, sizeof b->setup, "%s %s", sizes, setup);
  snprintf(b->text, sizeof b->text, "%s", text);
  n_blocks++;
}

static void keep(const char *only, const char *without) {
  int kept = 0;
  for (int k = 0; k < n_blocks; k++) {
    const char *name = blocks[k].name;
    bool out = *without && strstr(name, without);
    if (strstr(name, only) && !out) blocks[kept++] = blocks[k];
  }
  n_blocks = kept;
}

/* -- the blocks ------------------------------------------------------------------ */

/* Matrices of 512 to `large`, vectors of 2^16 to large^2 / 2. */
static void add_sequences(long large) {
  for (int k = 0; k < BENCH_COUNT; k++)
    for (int size = 0; size < 5; size++) {
      const struct bench_sequence *q = &bench_sequences[k];
      double share = size / 4.0;
      long n = lround(512 * pow((double)large / 512, share));
      if (!q->matrices)
        n = lround(65536 * pow((double)large * (double)large / 2 / 65536, share));
      char name[64], sizes[64];
      snprintf(name, sizeof name, "%s n=%ld", q->name, n);
      snprintf(sizes, sizeof sizes, "n = %ld; len = n;", n);
      add(name, sizes, q->setup, q->block);
    }
}

static unsigned long state = 12345;
static unsigned pick(unsigned n) {
  state = state * 6364136223846793005UL + 1442695040888963407UL;
  return (unsigned)(state >> 33) % n;
}

/* Appends a term with the name in place of $. */
static void put_term(char *text, const char *term, const char *name) {
  for (char *to = text + strlen(text); *term; term++) {
    *to++ = *term == '$' ? *name : *term;
    *to = 0;
  }
}

/* Chains of 3 to 8 operations on four vectors; some end in a sum. */
static void add_chains(long large) {
  static const char *const terms[] = {
      " + $", " - $", " .* ($ + 0.5)", " + 0.25*$", " + exp(-$)",
      " + sqrt($ + 1)", " + min($, 0.5)", " + abs($ - 0.5)", " + $.^2",
      " + log($ + 1)"};
  static const char *const names[] = {"x", "y", "v", "w"};
  for (int k = 0; k < 24; k++) {
    double low = 16, high = log2((double)large * (double)large / 2);
    long n = lround(pow(2, low + (high - low) * pick(1000) / 1000.0));
    char text[512] = "z = x", name[64], sizes[64];
    int length = 3 + (int)pick(6);
    for (int t = 0; t < length; t++) {
      put_term(text, terms[pick(10)], names[pick(4)]);
    }
    strcat(text, pick(3) ? ";" : "; s = sum(z);");
    snprintf(name, sizeof name, "chain %d of %d, n=%ld", k + 1, length, n);
    snprintf(sizes, sizeof sizes, "n = %ld;", n);
    add(name, sizes, "x = rand(n); y = rand(n); v = rand(n); w = rand(n);", text);
  }
}

static void add_others(long large) {
  static const struct {
    const char *name, *setup, *text;
  } matrix[] = {
      {"softmax", "A = rand(m, n);", "P = softmax(A);"},
      {"outer", "u = rand(m); v = rand(n);", "B = u*v' + 1; s = rowsum(B);"},
      {"centre rows", "A = rand(m, n);", "B = A - mean(A, 2);"},
      {"row norms", "A = rand(m, n);", "q = sqrt(sum(A.^2, 2));"},
      {"column sums of squares", "A = rand(m, n);", "q = sum(A.^2, 1);"},
      {"mean of all", "A = rand(m, n);", "s = mean(A);"},
      {"scaled both ways", "A = rand(m, n); u = rand(m); v = rand(n);",
       "B = u .* A .* v';"},
      {"half matvec", "A = f16(rand(m, n)); p = f16(rand(n));", "q = A*p;"},
      {"half and single", "A = bf16(rand(m, n)); u = rand(m);", "B = A .* u;"},
      {"double rows and columns", "A = f64(rand(m, n)); u = f64(rand(m)); "
       "v = f64(rand(n));", "a = A*v; b = A'*u;"},
      {"integers", "A = i32(100*rand(m, n));", "B = 2*A + 1; s = sum(B, 2);"},
      {"transpose and add", "A = rand(n, m); B = rand(m, n);", "C = 2*A' - B;"},
  };
  long sizes[][2] = {{700, 900}, {large / 4, large / 4}, {large, large / 2}};
  for (size_t k = 0; k < sizeof matrix / sizeof *matrix; k++)
    for (int s = 0; s < 3; s++) {
      char name[64], text[64];
      long m = sizes[s][0], n = sizes[s][1];
      if (strstr(matrix[k].setup, "f64")) m = m / 2;
      snprintf(name, sizeof name, "%s %ldx%ld", matrix[k].name, m, n);
      snprintf(text, sizeof text, "m = %ld; n = %ld;", m, n);
      add(name, text, matrix[k].setup, matrix[k].text);
    }
}

/* Neighbours along each axis of a cube, an image, and both passes of a filter. */
static void add_neighbours(long large) {
#define MID "2:n-1,2:n-1,2:n-1"
#define SIX \
  "A[1:n-2,2:n-1,2:n-1] + A[3:n,2:n-1,2:n-1] + A[2:n-1,1:n-2,2:n-1] + " \
  "A[2:n-1,3:n,2:n-1] + A[2:n-1,2:n-1,1:n-2] + A[2:n-1,2:n-1,3:n]"
  static const struct {
    const char *name, *setup, *text;
    int rank;
  } forms[] = {
      {"laplacian", "A = rand(n, n, n);", "L = " SIX " - 6*A[" MID "];", 3},
      {"heat", "A = rand(n, n, n); B = rand(n, n, n);",
       "B[" MID "] = A[" MID "] + 0.125*(" SIX " - 6*A[" MID "]);", 3},
      {"along three axes", "A = rand(n, n, n);",
       "x = A[2:n,:,:] - A[1:n-1,:,:]; y = A[:,2:n,:] - A[:,1:n-1,:]; "
       "z = A[:,:,2:n] - A[:,:,1:n-1];", 3},
      {"five points", "A = rand(n, n); B = rand(n, n);",
       "B[2:n-1,2:n-1] = 0.2*(A[2:n-1,2:n-1] + A[1:n-2,2:n-1] + A[3:n,2:n-1] + "
       "A[2:n-1,1:n-2] + A[2:n-1,3:n]);", 2},
      {"five points in double", "A = f64(rand(n, n)); B = f64(rand(n, n));",
       "B[2:n-1,2:n-1] = 0.2*(A[2:n-1,2:n-1] + A[1:n-2,2:n-1] + A[3:n,2:n-1] + "
       "A[2:n-1,1:n-2] + A[2:n-1,3:n]);", 2},
      {"sobel", "A = rand(n, n);",
       "X = A[1:n-2,3:n] + 2*A[2:n-1,3:n] + A[3:n,3:n] - A[1:n-2,1:n-2] - "
       "2*A[2:n-1,1:n-2] - A[3:n,1:n-2]; Y = A[3:n,1:n-2] + 2*A[3:n,2:n-1] + "
       "A[3:n,3:n] - A[1:n-2,1:n-2] - 2*A[1:n-2,2:n-1] - A[1:n-2,3:n]; "
       "G = sqrt(X.*X + Y.*Y);", 2},
      {"separable filter", "A = rand(n, n);",
       "H = (A[:,1:n-4] + 4*A[:,2:n-3] + 6*A[:,3:n-2] + 4*A[:,4:n-1] + A[:,5:n])/16; "
       "V = (H[1:n-4,:] + 4*H[2:n-3,:] + 6*H[3:n-2,:] + 4*H[4:n-1,:] + H[5:n,:])/16;",
       2},
  };
#undef SIX
#undef MID
  static const double shares[] = {0.5, 1.0 / 8, 1.0 / 64};
  for (size_t k = 0; k < FS_LEN(forms); k++)
    for (size_t s = 0; s < FS_LEN(shares); s++) {
      double elements = shares[s] * (double)large * (double)large;
      long n = lround(pow(elements, 1.0 / forms[k].rank));
      char name[64], size[64];
      snprintf(name, sizeof name, "neighbours: %s n=%ld", forms[k].name, n);
      snprintf(size, sizeof size, "n = %ld;", n);
      add(name, size, forms[k].setup, forms[k].text);
    }
}

/* A rank-1 update that products read, and distances to few centres. */
static void add_updates(long large) {
  static const char *const updates[] = {
      "B = A + u*v'; y = B*v; z = B'*u;", "B = A - 0.5*u*v'; y = B*v;",
      "B = A + u*v' + p*q'; z = B'*p;", "B = A + u*v'; s = sum(B, 2); t = sum(B, 1);"};
  static const long sides[] = {1, 2, 4};
  for (size_t k = 0; k < FS_LEN(updates); k++)
    for (size_t s = 0; s < FS_LEN(sides); s++) {
      char name[64], size[64];
      long n = large / sides[s];
      snprintf(name, sizeof name, "update %zu n=%ld", k + 1, n);
      snprintf(size, sizeof size, "n = %ld;", n);
      add(name, size, "A = rand(n, n); u = rand(n); v = rand(n); p = rand(n); q = rand(n);",
          updates[k]);
    }
  static const long centres[][3] = {{256, 8, 16}, {1024, 4, 8}, {512, 32, 32}};
  for (size_t k = 0; k < FS_LEN(centres); k++)
    for (long part = 1; part <= 4; part *= 4) {
      char name[64], size[96];
      long m = large * large / centres[k][0] / part, d = centres[k][1];
      snprintf(name, sizeof name, "centres %ldx%ld of %ld", centres[k][2], d, m);
      snprintf(size, sizeof size, "m = %ld; d = %ld; k = %ld;", m, d, centres[k][2]);
      add(name, size, "X = rand(m, d); c = rand(k, d);",
          "D = sum(X.*X, 2) - 2*X*c' + sum(c.*c, 2)'; g = rowargmin(D); s = sum(rowmin(D));");
    }
}

/* None of them is one that bench/random.c times. */
static void add_random(void) {
  static const double scales[] = {1, 2, 4};
  for (unsigned k = 0; k < 150; k++) {
    struct random_block b;
    char name[64];
    bench_random_block(7000001 + k, scales[k % 3], &b);
    snprintf(name, sizeof name, "random %u %ldx%ld", k + 1, b.m, b.n);
    add(name, "", b.setup, fs_str_text(&b.text));
    fs_str_free(&b.text);
  }
}

/* -- running ------------------------------------------------------------------------ */

/* What the last block's events said. */
struct heard {
  double first, corrected, measured;
  char device[128], quality[48];
  bool failed;
  json_t *kernels;
};

static void on_event(void *user, const json_t *e) {
  struct heard *h = user;
  const char *kind = json_string_value(json_object_get(e, "event"));
  const char *severity = json_string_value(json_object_get(e, "severity"));
  if (severity && !strcmp(severity, "error")) {
    const char *text = json_string_value(json_object_get(e, "message"));
    fprintf(stderr, "%s\n", text ? text : "error");
    h->failed = true;
  }
  if (!kind || strcmp(kind, "plan")) return;
  size_t k;
  json_t *kernel;
  h->first = h->corrected = h->measured = 0;
  json_array_foreach(json_object_get(e, "kernels"), k, kernel) {
    if (json_is_true(json_object_get(kernel, "left_out"))) continue;
    h->first += json_number_value(json_object_get(kernel, "first"));
    h->corrected += json_number_value(json_object_get(kernel, "predicted"));
    h->measured += json_number_value(json_object_get(kernel, "measured"));
  }
  const char *device = json_string_value(json_object_get(e, "device"));
  const char *quality = json_string_value(json_object_get(e, "quality"));
  if (device) snprintf(h->device, sizeof h->device, "%s", device);
  if (quality) snprintf(h->quality, sizeof h->quality, "%s", quality);
  json_decref(h->kernels);
  h->kernels = json_incref(json_object_get(e, "kernels")); /* a copy takes longer than
                                                             some blocks */
}

static bool evaluate(struct fs_session *s, struct heard *h, const char *text) {
  h->failed = false;
  return fs_session_eval(s, "bench", text, strlen(text), FS_EVAL_SILENT) ==
             FS_RESULT_OK && !h->failed;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *v, int n) {
  qsort(v, (size_t)n, sizeof *v, ascending);
  return 0.5 * (v[n / 2] + v[(n - 1) / 2]);
}

/* A block in all rounds. Seconds. */
struct row {
  double first, fresh, corrected;
  double rounds[MAX_ROUNDS];         /* the medians                             */
  double halves;                     /* of the last round: its odd and even runs */
  int kernels, n;                    /* n: rounds in which it ran               */
  double measured, noise;
  json_t *plan;
};

/* Seconds: after blocks a hundred times its size a block of a CPU takes up to twice as
 * long at first, and some ten runs until its time is what it stays. */
static const double WARM = 0.008;

static bool run_once(struct fs_session *s, struct heard *h, const struct block *b,
                     bool cuda) {
  struct timespec pause = {.tv_nsec = 100000}; /* as if somebody typed: the */
  if (!cuda) nanosleep(&pause, NULL);          /* threads fall asleep       */
  return evaluate(s, h, b->text);
}

/* One round of a block; false if it did not run. */
static bool run_block(struct fs_session *s, struct heard *h, const struct block *b,
                      int repeat, bool cuda, struct row *r) {
  double times[MAX_REPEAT], halves[2][MAX_REPEAT];
  if (!evaluate(s, h, ":reset -f") || !evaluate(s, h, b->setup) ||
      !evaluate(s, h, b->text))
    return false;
  if (!r->n) r->fresh = h->corrected;
  if (!evaluate(s, h, b->text)) return false; /* the first run touched new memory */
  r->first = h->first;
  r->kernels = (int)json_array_size(h->kernels);
  double begun = fs_now();
  do {
    if (!run_once(s, h, b, cuda)) return false;
  } while (!cuda && fs_now() - begun < WARM);
  for (int k = 0; k < repeat; k++) {
    if (!run_once(s, h, b, cuda)) return false;
    times[k] = halves[k % 2][k / 2] = h->measured;
  }
  r->corrected = h->corrected;
  r->halves = repeat < 2 ? 0 : fabs(median(halves[0], (repeat + 1) / 2) -
                                    median(halves[1], repeat / 2));
  r->rounds[r->n++] = median(times, repeat);
  json_decref(r->plan);
  r->plan = json_incref(h->kernels);
  return true;
}

static void shuffle(int *order, int n) {
  for (int k = n - 1; k > 0; k--) {
    int other = (int)pick((unsigned)k + 1), was = order[k];
    order[k] = order[other];
    order[other] = was;
  }
}

/* measured and noise. */
static void sum_up(struct row *r) {
  double sorted[MAX_ROUNDS], halves[2][MAX_ROUNDS];
  for (int k = 0; k < r->n; k++) sorted[k] = halves[k % 2][k / 2] = r->rounds[k];
  r->measured = median(sorted, r->n);
  r->noise = r->n < 2 ? r->halves : fabs(median(halves[0], (r->n + 1) / 2) -
                                         median(halves[1], r->n / 2));
}

/* -- what comes of it ------------------------------------------------------------------ */

struct errors {
  double relative[MAX_BLOCKS], absolute[MAX_BLOCKS];
  int n_relative, n_absolute;
};

static void note(struct errors *e, double predicted, double measured) {
  if (measured > 50e-6)
    e->relative[e->n_relative++] = fabs(predicted / measured - 1);
  else
    e->absolute[e->n_absolute++] = fabs(predicted - measured);
}

static double quantile(double *v, int n, double q) {
  if (!n) return 0;
  qsort(v, (size_t)n, sizeof *v, ascending);
  return v[(int)fmin(q * n, n - 1)];
}

static json_t *summary(struct errors *e, const char *name,
                       const char *learned_from) {
  double median = quantile(e->relative, e->n_relative, 0.5);
  double high = quantile(e->relative, e->n_relative, 0.95);
  double us = 1e6 * quantile(e->absolute, e->n_absolute, 0.5);
  double most = 1e6 * quantile(e->absolute, e->n_absolute, 1);
  printf("%-9s over 50 us: %d blocks, median error %.1f %%, 95th percentile "
         "%.1f %%; below: %d blocks, median %.2f us, most %.2f us\n",
         name, e->n_relative, 100 * median, 100 * high, e->n_absolute, us, most);
  return json_pack("{s:s, s:i, s:f, s:f, s:i, s:f, s:f}", "learned_from",
                   learned_from, "over_50us", e->n_relative,
                   "median_error", median, "p95_error", high, "below_50us",
                   e->n_absolute, "median_error_us", us, "most_error_us", most);
}

struct options {
  const char *target, *json, *raw, *only, *without;
  long large;
  int rounds, repeat, every, threads;
};

static struct options parse(int argc, char **argv) {
  struct options o = {.target = "cpu", .only = "", .without = "", .every = 1};
  for (int k = 1; k < argc; k++) {
    const char *value = k + 1 < argc ? argv[k + 1] : "";
    if (!strcmp(argv[k], "--quick")) o.every = 6, o.repeat = 3, o.rounds = 1;
    else if (!strcmp(argv[k], "--target")) o.target = value, k++;
    else if (!strcmp(argv[k], "--json")) o.json = value, k++;
    else if (!strcmp(argv[k], "--raw")) o.raw = value, k++;
    else if (!strcmp(argv[k], "--only")) o.only = value, k++;
    else if (!strcmp(argv[k], "--without")) o.without = value, k++;
    else if (!strcmp(argv[k], "--large")) o.large = atol(value), k++;
    else if (!strcmp(argv[k], "--threads")) o.threads = atoi(value), k++;
    else if (!strcmp(argv[k], "--repeat")) o.repeat = atoi(value), k++;
    else if (!strcmp(argv[k], "--rounds")) o.rounds = atoi(value), k++;
  }
  bool cuda = !strncmp(o.target, "cuda", 4);
  if (o.repeat < 1 || o.repeat > MAX_REPEAT) o.repeat = cuda ? 15 : 5;
  if (o.rounds < 1 || o.rounds > MAX_ROUNDS) o.rounds = cuda ? 1 : 21;
  if (o.large < 1024) o.large = cuda ? 16384 : 4096;
  return o;
}

static void write_json(const struct options *o, const struct heard *h,
                       json_t *rows, json_t *const sums[4]) {
  char command[256];
  snprintf(command, sizeof command,
           "build/bench-prediction --target %s --large %ld --rounds %d --repeat %d%s%.80s%s%.80s",
           o->target, o->large, o->rounds, o->repeat, *o->only ? " --only " : "", o->only,
           *o->without ? " --without " : "", o->without);
  json_t *out = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "device",
                          h->device, "quality", h->quality, "command", command,
                          "first", sums[0], "fresh", sums[1], "corrected", sums[2],
                          "noise", sums[3], "rows", rows);
  if (o->json && json_dump_file(out, o->json,
                                JSON_INDENT(1) | JSON_REAL_PRECISION(5)))
    fprintf(stderr, "%s could not be written\n", o->json);
  json_decref(out);
}

/* Prints a block, and notes how far off it was. */
static void tell(const struct block *b, const struct row *r, struct errors sums[4],
                 json_t *rows, json_t *raw) {
  note(&sums[0], r->first, r->measured);
  note(&sums[1], r->fresh, r->measured);
  note(&sums[2], r->corrected, r->measured);
  note(&sums[3], r->measured + r->noise, r->measured);
  printf("%-34s %d kernel%s %10.1f us first %10.1f corrected %10.1f  %+6.1f %%\n",
         b->name, r->kernels, r->kernels == 1 ? " " : "s", r->measured * 1e6,
         r->first * 1e6, r->corrected * 1e6, 100 * (r->first / r->measured - 1));
  json_array_append_new(
      rows, json_pack("{s:s, s:f, s:f, s:f, s:f, s:f}", "block", b->name, "first_us",
                      r->first * 1e6, "fresh_us", r->fresh * 1e6, "noise_us",
                      r->noise * 1e6, "corrected_us", r->corrected * 1e6,
                      "measured_us", r->measured * 1e6));
  json_t *rounds = json_array();
  for (int k = 0; k < r->n; k++)
    json_array_append_new(rounds, json_real(r->rounds[k]));
  json_array_append_new(
      raw, json_pack("{s:s, s:s, s:s, s:f, s:o, s:O}", "block", b->name, "setup",
                     b->setup, "text", b->text, "measured", r->measured, "rounds",
                     rounds, "kernels", r->plan));
}

/* Every block that ran in all rounds; gives how many did not. */
static int tell_all(struct row *of, const struct options *o, struct errors sums[4],
                    json_t *rows, json_t *raw) {
  int lost = 0;
  for (int k = 0; k < n_blocks; k += o->every) {
    if (of[k].n < o->rounds) {
      fprintf(stderr, "%s did not run\n", blocks[k].name);
      lost++;
    } else {
      sum_up(&of[k]);
      tell(&blocks[k], &of[k], sums, rows, raw);
    }
    json_decref(of[k].plan);
  }
  return lost;
}

/* The first round in the order of the list. A block that failed is left out of the rest. */
static void run_rounds(struct fs_session *s, struct heard *h, const struct options *o,
                       struct row *row) {
  bool cuda = !strncmp(o->target, "cuda", 4);
  int order[MAX_BLOCKS], n = 0;
  for (int k = 0; k < n_blocks; k += o->every) order[n++] = k;
  for (int round = 0; round < o->rounds; round++) {
    if (round) shuffle(order, n);
    for (int at = 0; at < n; at++) {
      struct row *r = &row[order[at]];
      if (r->n == round) run_block(s, h, &blocks[order[at]], o->repeat, cuda, r);
    }
  }
}

int main(int argc, char **argv) {
  struct options o = parse(argc, argv);
  struct heard h = {0};
  const char *error = NULL;
  static struct errors errors[4];
  static struct row row[MAX_BLOCKS];
  struct fs_session_config config = {.target = o.target, .threads = o.threads,
                                     .on_event = on_event,
                                     .user = &h};
  struct fs_session *s = fs_session_new(&config, &error);
  if (!s) {
    fprintf(stderr, "%s\n", error);
    return 3;
  }
  add_sequences(o.large);
  add_chains(o.large);
  add_others(o.large);
  add_neighbours(o.large);
  add_updates(o.large);
  add_random();
  keep(o.only, o.without);
  evaluate(s, &h, "x = ones(3) + 1;");
  printf("device %s, %s, %d blocks\n", h.device, h.quality, n_blocks / o.every);
  run_rounds(s, &h, &o, row);
  json_t *rows = json_array(), *raw = json_array();
  int lost = tell_all(row, &o, errors, rows, raw);
  json_t *const sums[4] = {
      summary(&errors[0], "first", "nothing"),
      summary(&errors[1], "fresh", "other blocks"),
      summary(&errors[2], "corrected", "earlier runs of the same block"),
      summary(&errors[3], "noise", "the measurements themselves")};
  if (o.raw) json_dump_file(raw, o.raw, JSON_COMPACT | JSON_REAL_PRECISION(7));
  write_json(&o, &h, rows, sums);
  json_decref(raw);
  json_decref(h.kernels);
  fs_session_free(s);
  return lost > 0;
}
