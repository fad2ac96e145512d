/* test_model.c - the model with made-up measurements: the fit finds the costs
 * that made them, predictions grow with the work, the store keeps what it got and
 * refuses what cannot be, corrections are bounded and robust. No clock. */
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/datafile.h"
#include "core/model/calibration.h"
#include "core/model/learn.h"
#include "core/session/work_json.h"

#include "tests/unit/check.h"

static bool near(double a, double b, double share) {
  return fabs(a - b) <= share * fabs(b);
}

static struct fs_device device = {
  .name = "a device", .arch = "avx2", .driver = "none", .units = 4,
  .cache_bytes = 32 << 20, .bandwidth = 20e9, .cache_bandwidth = 100e9,
  .launch = 2e-6, .flops = 100e9};

static struct fs_work flat_work(double read, double written, double set,
                                unsigned op, double elements) {
  struct fs_work w = {.bytes_read = read, .bytes_written = written,
                      .working_set = set, .pattern = "map"};
  fs_work_add(&w, FS_TM_LAUNCH, 0, 1);
  fs_work_add(&w, FS_TM_READ_FLAT, 0, read);
  fs_work_add(&w, FS_TM_WRITE_FLAT, 0, written);
  fs_work_add(&w, fs_term_map(op, FS_AR_F32), 0, elements);
  return w;
}

/* -- terms ------------------------------------------------------------------- */

static void test_names(void) {
  char name[40];
  bool ok = true;
  for (unsigned t = 0; t < FS_TM_COUNT; t++) {
    fs_term_name((enum fs_term)t, name);
    ok &= fs_term_of_name(name) == (enum fs_term)t;
  }
  CHECK(ok);
  CHECK(fs_term_of_name("no such term") == FS_TM_COUNT);
}

static void test_amounts(void) {
  struct fs_work w = {0};
  fs_work_add(&w, FS_TM_LAUNCH, 0, 1);
  fs_work_add(&w, FS_TM_LAUNCH, 0, 2);
  fs_work_add(&w, FS_TM_READ_ROW, 0, 0);
  CHECK(w.n_amounts == 1 && w.amounts[0].amount == 3);
  for (unsigned op = 0; op < FS_MAP_OP_COUNT; op++)
    fs_work_add(&w, fs_term_map(op, FS_AR_F64), 0, 1);
  CHECK(w.n_amounts == FS_WORK_AMOUNTS);
  double sum = 0;
  for (int k = 1; k < w.n_amounts; k++) sum += w.amounts[k].amount;
  CHECK(sum == FS_MAP_OP_COUNT); /* none is lost */
}

static void test_json(void) {
  struct fs_work w = flat_work(1e6, 2e6, 3e6, FS_OP_EXP, 1e5), back;
  w.rows = 7, w.arith = FS_AR_F64, w.past = true, w.spread.tasks = 12;
  w.spread.parts = 3;
  json_t *o = fs_work_json(&w);
  CHECK(fs_work_read(o, &back));
  CHECK(back.bytes_written == 2e6 && back.working_set == 3e6 && back.rows == 7 &&
        back.arith == FS_AR_F64 && back.past && !back.uneven &&
        back.spread.tasks == 12 && back.spread.parts == 3);
  CHECK(back.n_amounts == w.n_amounts);
  for (int k = 0; k < w.n_amounts; k++)
    CHECK(back.amounts[k].term == w.amounts[k].term &&
          back.amounts[k].amount == w.amounts[k].amount);
  json_object_set_new(o, "terms", json_pack("[[s, i, f]]", "no such", 0, 1.0));
  CHECK(!fs_work_read(o, &back));
  json_decref(o);
}

/* -- the fit ------------------------------------------------------------------- */

enum { SAMPLES = 240 };
static struct fs_sample samples[SAMPLES];

/* A device whose truth is known: 3 us, reads and writes that cost more from
 * 32 MiB on, exp at 0.2 ns, add at 0.01 ns. */
static double truth(double read, double written, double set, double exps,
                    double adds, double overlap) {
  double r = set <= 16 << 20 ? 1e-11 : 5e-11, w = 2 * r;
  double move = read * r + written * w, compute = exps * 2e-10 + adds * 1e-11;
  return 3e-6 + fmax(move, compute) + (1 - overlap) * fmin(move, compute);
}

static void make_samples(double overlap, double noise) {
  unsigned state = 7;
  for (int k = 0; k < SAMPLES; k++) {
    state = state * 1664525u + 1013904223u;
    double n = pow(2, 8 + (state >> 16) % 18);
    if (k % 2 == 0 && n * 8 > 16 << 20) n /= 64;
    double read = 4 * n * (1 + k % 3), written = k % 5 ? 4 * n : 0;
    double set = read + written;
    if (set > 16 << 20 && set < 64 << 20) set *= 8, read *= 8, written *= 8, n *= 8;
    bool is_exp = k % 4 == 0;
    samples[k].work =
        flat_work(read, written, set, is_exp ? FS_OP_EXP : FS_OP_ADD, n);
    samples[k].seconds = truth(read, written, set, is_exp ? n : 0,
                               is_exp ? 0 : n, overlap);
    double shake = ((state >> 8 & 255) / 127.5 - 1) * noise;
    samples[k].seconds *= 1 + shake;
  }
}

/* Of all samples, relative to what they took. */
static double worst_error(const struct fs_calibration *c) {
  double worst = 0;
  for (int k = 0; k < SAMPLES; k++)
    worst = fmax(worst, fabs(fs_calibrated(&samples[k].work, c).seconds /
                                 samples[k].seconds - 1));
  return worst;
}

static void test_fit(double overlap) {
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  make_samples(overlap, 0);
  CHECK(fs_calibration_fit(samples, SAMPLES, &device, c));
  CHECK(c->error < 0.01);
  CHECK(near(c->cost[FS_TM_LAUNCH], 3e-6, 0.05));
  CHECK(near(c->cost[fs_term_map(FS_OP_EXP, FS_AR_F32)], 2e-10, 0.1));
  CHECK(c->samples == SAMPLES);
  CHECK(c->cost[FS_TM_LATE] == 0); /* no thread was waited for */
  CHECK(worst_error(c) < 0.1);
  free(c);
}

/* Of two threads one comes 40 us late: a kernel takes half of that longer, but never
 * longer than on one thread. */
static void test_late(void) {
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  make_samples(0, 0);
  for (int k = 0; k < SAMPLES; k++) {
    double body = samples[k].seconds - 3e-6;
    if (k % 3 == 0) continue;
    fs_work_add(&samples[k].work, FS_TM_THREADS, 0, 1);
    fs_work_add(&samples[k].work, FS_TM_LATE, 0, 0.5);
    samples[k].seconds += 6e-6 + fmin(body, 20e-6);
  }
  CHECK(fs_calibration_fit(samples, SAMPLES, &device, c));
  CHECK(near(c->cost[FS_TM_THREADS], 6e-6, 0.1));
  CHECK(near(c->cost[FS_TM_LATE], 40e-6, 0.05));
  CHECK(worst_error(c) < 0.1);
  free(c);
}

/* Against the grain costs no less than without a calibration, though no sample
 * says so. */
static void test_strided(void) {
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  make_samples(0, 0);
  CHECK(fs_calibration_fit(samples, SAMPLES, &device, c));
  bool ok = true;
  for (int k = 0; k < FS_KNOTS; k++)
    ok &= c->curve[FS_TM_STRIDED - FS_TM_SYNC_END][k] >=
          2.9 / device.cache_bandwidth;
  CHECK(ok);
  CHECK(c->curve[FS_TM_STRIDED - FS_TM_SYNC_END][FS_KNOTS - 1] >=
        2.9 / device.bandwidth);
  free(c);
}

/* Neighbours in space that a GPU goes over by rows have a table of their own, which says nothing
 * of those in a plane, nor of a space that a cache holds; where there is none, that of a plane
 * says it. */
static void test_layers(void) {
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  make_samples(0, 0);
  CHECK(fs_calibration_fit(samples, SAMPLES, &device, c));
  struct fs_work plane = flat_work(5e7, 5e7, 1e8, FS_OP_ADD, 1e6);
  plane.scheme = 1;
  plane.rows = 1000;
  plane.shifted = true;
  plane.spread = (struct fs_spread){.tasks = 1000, .resident = 100, .sharing = 1, .threads = 128};
  struct fs_work space = plane;
  fs_work_add(&space, FS_TM_GENERAL, 0, 1e6);
  double before = fs_calibrated(&plane, c).seconds, alone = fs_calibrated(&space, c).seconds;
  CHECK(fs_calibration_note(c, &plane, log(1.25)));
  CHECK(near(fs_calibrated(&plane, c).seconds, 1.25 * before, 0.03));
  CHECK(near(fs_calibrated(&space, c).seconds, 1.25 * alone, 0.03));
  CHECK(fs_calibration_note(c, &space, log(2)));
  CHECK(near(fs_calibrated(&plane, c).seconds, 1.25 * before, 0.03));
  CHECK(near(fs_calibrated(&space, c).seconds, 2 * alone, 0.03));
  char name[FS_KIND_NAME];
  struct fs_kind kind = fs_kind_of(&space);
  fs_kind_name(&kind, name);
  CHECK(strstr(name, " layered"));
  space.working_set = 3e7;
  kind = fs_kind_of(&space);
  fs_kind_name(&kind, name);
  CHECK(strstr(name, " shifted"));
  free(c);
}

/* Row kernels take 1.5 times what the costs say: their kind's table says so. It says
 * it near the sizes that were measured only, and of no other kind. A tile kernel
 * of which nothing is known looks worse than it may be. */
static void test_kinds(void) {
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  make_samples(0, 0);
  CHECK(fs_calibration_fit(samples, SAMPLES, &device, c));
  struct fs_work w = flat_work(1e7, 1e7, 2e7, FS_OP_ADD, 1e6);
  w.scheme = 1;
  w.rows = 1000;
  double before = fs_calibrated(&w, c).seconds;
  for (int k = 0; k < 3; k++) CHECK(fs_calibration_note(c, &w, log(1.5)));
  CHECK(!fs_calibration_note(c, &w, log(10)));
  CHECK(near(fs_calibrated(&w, c).seconds, 1.5 * before, 0.03));
  w.uneven = true; /* nothing is known of these: as the others */
  CHECK(near(fs_calibrated(&w, c).seconds, 1.5 * before, 0.03));
  CHECK(fs_calibration_note(c, &w, 0));
  CHECK(near(fs_calibrated(&w, c).seconds, before, 1e-9));
  w.uneven = false;
  w.working_set *= 1000;
  double far = fs_calibrated(&w, c).seconds;
  c->n_kinds = 0;
  CHECK(near(far, fs_calibrated(&w, c).seconds, 1e-6));
  c->n_kinds = 1;
  w.scheme = 2;
  snprintf(w.pattern, sizeof w.pattern, "cols");
  far = fs_calibrated(&w, c).seconds;
  w.tiled = true;
  CHECK(fs_calibrated(&w, c).seconds > 2 * far);
  free(c);
}

/* One measurement in twelve is ten times too long: the rest still fits. */
static void test_outliers(void) {
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  make_samples(0, 0.02);
  for (int k = 0; k < SAMPLES; k += 12) samples[k].seconds *= 10;
  CHECK(fs_calibration_fit(samples, SAMPLES, &device, c));
  CHECK(c->error < 0.05);
  CHECK(near(c->cost[FS_TM_LAUNCH], 3e-6, 0.15));
  free(c);
}

static void test_no_fit(void) {
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  CHECK(!fs_calibration_fit(NULL, 0, &device, c));
  make_samples(0, 0);
  CHECK(!fs_calibration_fit(samples, 3, &device, c));
  for (int k = 0; k < SAMPLES; k++)
    samples[k].seconds = k % 3 == 0 ? NAN : k % 3 == 1 ? -1 : INFINITY;
  CHECK(!fs_calibration_fit(samples, SAMPLES, &device, c));
  free(c);
}

/* More bytes, more operations, more of anything never take less time. */
static void test_monotone(const struct fs_calibration *c) {
  bool ok = true;
  double last = 0;
  for (double n = 1e3; n < 1e9; n *= 1.7) {
    struct fs_work w = flat_work(8 * n, 4 * n, 1 << 20, FS_OP_EXP, n);
    double seconds = fs_calibrated(&w, c).seconds;
    ok &= seconds >= last && isfinite(seconds);
    last = seconds;
  }
  CHECK(ok);
  struct fs_work lib = {.library = true, .lib_op = FS_LIB_GEMM,
                        .bytes_read = 1e3, .working_set = 1e3};
  for (last = 0, lib.flops = 1; lib.flops < 1e15; lib.flops *= 3) {
    double seconds = fs_calibrated(&lib, c).seconds;
    ok &= seconds >= last && isfinite(seconds);
    last = seconds;
  }
  CHECK(ok);
}

static void test_library(struct fs_calibration *c) {
  struct fs_sample s[12];
  make_samples(0, 0);
  for (int k = 0; k < 8; k++) s[k] = samples[k];
  for (int k = 0; k < 4; k++) {
    double flops = pow(10, 4 + 2 * k);
    s[8 + k] = (struct fs_sample){
        {.library = true, .lib_op = FS_LIB_GEMM, .arith = FS_AR_F64,
         .flops = flops}, 1e-6 + flops * 1e-11};
  }
  CHECK(fs_calibration_fit(s, 12, &device, c));
  const struct fs_lib_table *t = &c->library[FS_LIB_GEMM][FS_AR_F64];
  CHECK(t->n == 4 && near(t->at[3].seconds, 0.1, 0.01));
  struct fs_work w = s[11].work;
  CHECK(near(fs_calibrated(&w, c).seconds, 0.1, 0.02));
  w.flops *= 10;
  CHECK(near(fs_calibrated(&w, c).seconds, 1, 0.02));
  /* eight times the flops took twice as long, and do so again; never less than a product */
  c->library[FS_LIB_INV][FS_AR_F64] =
      (struct fs_lib_table){2, {{1e6, 1e-3}, {8e6, 2e-3}}};
  w.lib_op = FS_LIB_INV;
  w.flops = 64e6;
  CHECK(near(fs_calibrated(&w, c).seconds, 4e-3, 1e-6));
  w.flops = 1e12;
  CHECK(near(fs_calibrated(&w, c).seconds, 10, 0.02));
}

/* A user function's cost is what makes the prediction the measurement, hidden
 * behind the moves or not. */
static void test_call(struct fs_calibration *c) {
  struct fs_device d = device;
  d.calibration = c;
  c->n_kinds = c->n_points = 0;
  c->cost[FS_TM_USER] = 1;
  for (int hidden = 0; hidden < 2; hidden++) {
    c->overlap = hidden;
    struct fs_work w = flat_work(4e6, 4e6, 8e6, FS_OP_ADD, 1e6);
    double start = fs_predict_start(&d), known = fs_predict(&w, &d).seconds + start;
    CHECK(fs_calibrate_call(&w, 1, &d) == 0); /* no calls */
    fs_work_add(&w, FS_TM_USER, 0, 1e6);
    double each = fs_calibrate_call(&w, known + 5e-3, &d);
    CHECK(hidden ? each > 5e-9 : near(each, 5e-9, 1e-6));
    CHECK(fs_calibrate_call(&w, 0, &d) == 0);
    CHECK(fs_calibrate_call(&w, known / 2, &d) == 0);
    CHECK(fs_calibrate_call(&w, NAN, &d) == 0);
    w.amounts[w.n_amounts - 1].amount *= each; /* the last added */
    CHECK(near(fs_predict(&w, &d).seconds + start, known + 5e-3, 1e-6));
    CHECK(near(fs_calibrate_delay(&w, known + 5e-3 + 2e-6, 1, &d), 2e-6, 1e-3));
    CHECK(fs_calibrate_delay(&w, known, 1, &d) == 0);
  }
  c->overlap = 0;
}

static void test_kept_calls(struct fs_calibration *c) {
  struct fs_device d = device;
  CHECK(fs_call_seconds(&d, 7) < 0);
  d.calibration = c;
  CHECK(fs_call_seconds(&d, 7) < 0);
  for (uint64_t k = 0; k < FS_CALLS + 2; k++) fs_call_keep(c, k, 1e-9, 0);
  CHECK(c->n_calls == FS_CALLS && fs_call_seconds(&d, 1) < 0);
  CHECK(fs_call_seconds(&d, 2) == 1e-9);
  fs_call_keep(c, 2, 3e-9, 2e-6);
  CHECK(c->n_calls == FS_CALLS && fs_call_seconds(&d, 2) == 3e-9);
  for (uint64_t k = 3; k < FS_CALLS + 2; k++) fs_call_keep(c, k, -1, 0);
  CHECK(c->n_calls == 1 && fs_call_seconds(&d, 2) == 3e-9);
  CHECK(fs_call_delay(&d, 2) == 2e-6 && fs_call_delay(&d, 3) == 0);
}

/* -- the store -------------------------------------------------------------------- */

static char folder[] = "/tmp/fusible-model-XXXXXX";

static void put_file(const char *path, const char *text) {
  FILE *f = fopen(path, "we");
  if (!f) return;
  fputs(text, f);
  fclose(f);
}

static void check_refused(const char *path, const char *text) {
  struct fs_str notice = {0};
  put_file(path, text);
  struct fs_calibration *c = fs_calibration_load(&device, &notice);
  CHECK(!c);
  CHECK(notice.len > 20 && strstr(fs_str_text(&notice), "was not used"));
  CHECK(!strchr(fs_str_text(&notice), '\n'));
  free(c);
  fs_str_free(&notice);
}

/* The text with the first `from` replaced. */
static char *edited(const char *text, const char *from, const char *to) {
  struct fs_str s = {0};
  const char *at = strstr(text, from);
  CHECK(at != NULL);
  if (!at) return fs_strdup("");
  fs_str_put(&s, text, (size_t)(at - text));
  fs_str_puts(&s, to);
  fs_str_puts(&s, at + strlen(from));
  return s.data;
}

static void test_bad_files(const char *path, const char *good) {
  static const char *const edits[][2] = {
    {"\"version\": 13", "\"version\": 2"},
    {"\"version\": 13", "\"version\": 8"},
    {"\"version\": 13", "\"version\": 11"},
    {"\"version\": 13", "\"version\": -1e300"},
    {"\"follow\": ", "\"unfollowed\": "},
    {"\"follow\": ", "\"follow\": -"},
    {"\"barrier\": ", "\"unbarred\": "},
    {"\"barrier\": ", "\"barrier\": -"},
    {"a device", "another one"},
    {"\"units\": 4", "\"units\": 5"},
    {"\"launch\": ", "\"launch\": -"},
    {"\"launch\": ", "\"launch\": 1e99, \"unlaunch\": "},
    {"\"launch\": ", "\"launch\": null, \"unlaunch\": "},
    {"\"launch\": ", "\"launch\": NaN, \"unlaunch\": "},
    {"\"launch\": ", "\"launch\": 1e999, \"unlaunch\": "},
    {"\"launch\": ", "\"launch\": \"much\", \"unlaunch\": "},
    {"\"read.flat\": [", "\"read.flat\": [1,2,3,"},
    {"\"read.flat\": [", "\"read.flat\": [], \"unread\": ["},
    {"\"call\": \"gemm\"", "\"call\": \"germ\""},
    {"\"overlap\": ", "\"overlap\": 7, \"underlap\": "},
    {"\"date\": \"", "\"date\": \"\\u001b[31m"},
    {"fusible calibration", "shopping list"},
    {"\"kinds\": {", "\"kinds\": {\"x\": [[1, 2]], "},
    {"\"kinds\": {", "\"kinds\": {\"x\": [[1, 2, 7]], "},
    {"\"kinds\": {", "\"kinds\": {\"x\": [[1, -2, 0]], "},
    {"\"kinds\": {", "\"kinds\": {\"x\": {}, "},
    {"\"kinds\": {", "\"kinds\": [], \"unkind\": {"},
    {"\"function\": \"0", "\"function\": \"x"},
    {"\"delay\": ", "\"undelayed\": "},
    {"\"calls\": [", "\"calls\": [7, "},
  };
  for (size_t k = 0; k < FS_LEN(edits); k++) {
    char *bad = edited(good, edits[k][0], edits[k][1]);
    check_refused(path, bad);
    free(bad);
  }
  for (size_t cut = 0; cut < strlen(good); cut += strlen(good) / 9 + 1) {
    char *half = fs_strndup(good, cut);
    check_refused(path, half);
    free(half);
  }
  check_refused(path, "[1, 2, 3]");
  check_refused(path, "null");
  check_refused(path, "\x80\xff{}");
}

/* A device like the one that was measured has its costs; half the bandwidth doubles
 * what bytes from memory cost and leaves those in the cache; a cache of twice the size
 * holds twice as much. */
static void test_reference(bool is_cuda) {
  struct fs_device d = {.is_cuda = is_cuda, .units = is_cuda ? 132 : 2,
                        .cache_bytes = is_cuda ? 60 << 20 : 33 << 19,
                        .bandwidth = is_cuda ? 4.19e12 : 28e9,
                        .cache_bandwidth = is_cuda ? 6.27e12 : 155e9,
                        .flops = is_cuda ? 67e12 : 80e9};
  struct fs_calibration *like = fs_calibration_reference(&d);
  const int read = FS_TM_READ_FLAT - FS_TM_SYNC_END, last = FS_KNOTS - 1;
  unsigned add = fs_term_map(FS_OP_ADD, FS_AR_F32);
  CHECK(!like->measured && !strcmp(like->quality, "uncalibrated"));
  CHECK(like->samples > 500 && like->n_kinds > 10 && like->cost[FS_TM_LAUNCH] > 0);
  double rate = 1 / like->curve[read][last];
  CHECK(rate > 0.3 * d.bandwidth && rate < d.cache_bandwidth);
  d.bandwidth /= 2;
  struct fs_calibration *slow = fs_calibration_reference(&d);
  CHECK(near(slow->curve[read][last], 2 * like->curve[read][last], 0.01));
  CHECK(slow->curve[read][0] == like->curve[read][0]);
  CHECK(slow->cost[add] == like->cost[add]);
  d.bandwidth *= 2, d.cache_bytes *= 2, d.flops /= 4;
  struct fs_calibration *large = fs_calibration_reference(&d);
  CHECK(near(fs_move_cost(large->curve[read], 32 << 20),
             fs_move_cost(like->curve[read], 16 << 20), 1e-9));
  CHECK(near(large->cost[add], 4 * like->cost[add], 0.01));
  CHECK(large->cost[FS_TM_LAUNCH] == like->cost[FS_TM_LAUNCH]);
  free(like), free(slow), free(large);
}

/* Plans are careful about the costs of another device, not about those of the same model. */
static void test_same_model(void) {
  struct fs_device d = {.is_cuda = true, .units = 132, .cache_bytes = 60 << 20,
                        .bandwidth = 4.18844448e12, .cache_bandwidth = 6.27264e12,
                        .flops = 6.690816e13}; /* an NVIDIA H200 */
  struct fs_calibration *h200 = fs_calibration_reference(&d);
  d.bandwidth *= 0.8;
  struct fs_calibration *other = fs_calibration_reference(&d);
  d.bandwidth = 2.9165184e12, d.cache_bytes = 50 << 20; /* an NVIDIA H100 80GB HBM3 */
  struct fs_calibration *h100 = fs_calibration_reference(&d);
  CHECK(h200->fits && !h200->measured && h100->fits && !other->fits);
  const int read = FS_TM_READ_FLAT - FS_TM_SYNC_END, last = FS_KNOTS - 1;
  CHECK(near(h100->curve[read][last] / h200->curve[read][last], 4.19 / 2.92, 0.05));
  free(h200), free(other), free(h100);
}

static bool chain_is(struct fs_calibration *c, double joined, double apart,
                     double ahead, int phases, double follow, double barrier) {
  const struct fs_chain chain = {joined, apart, ahead, phases, phases - 1};
  fs_calibration_chain(c, &chain);
  return fabs(c->follow - follow) < 1e-12 && fabs(c->barrier - barrier) < 1e-12;
}

/* Five kernels apart, of which the first takes 1 us longer, take as much as in one
 * launch with four barriers and without four of the shorter launches. */
static void test_chain(void) {
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  struct fs_device d = device;
  c->cost[FS_TM_LAUNCH] = 4e-6;
  CHECK(chain_is(c, 18e-6, 25e-6, 1e-6, 5, 3e-6, 1.25e-6));
  d.calibration = c;
  CHECK(fs_predict_barrier(&d) == c->barrier);
  CHECK(near(fs_predict_launch(&d), 3e-6, 1e-9));
  CHECK(near(fs_predict_start(&d), 1e-6, 1e-9));
  struct fs_work w = flat_work(0, 0, 1, FS_OP_ADD, 0);
  CHECK(near(fs_predict(&w, &d).seconds, 3e-6, 1e-9)); /* behind another one */
  CHECK(chain_is(c, 0, 25e-6, 1e-6, 5, 3e-6, 1.25e-6));
  CHECK(chain_is(c, NAN, 25e-6, 1e-6, 5, 3e-6, 1.25e-6));
  CHECK(chain_is(c, 18e-6, 25e-6, NAN, 5, 3e-6, 1.25e-6));
  CHECK(chain_is(c, 14e-6, 25e-6, 1e-6, 1, 3e-6, 1.25e-6));
  CHECK(chain_is(c, 1e-6, 25e-6, 1e-6, 5, 4e-6, 0.2 * 4e-6));
  /* each barrier saved 2.7 us: 3.0 of a launch would leave it 0.3 */
  CHECK(chain_is(c, 14.2e-6, 25e-6, 1e-6, 5, 3.5e-6, 0.2 * 4e-6));
  CHECK(chain_is(c, 1, 25e-6, 9e-6, 5, 0.25 * 4e-6, 4e-6));
  CHECK(chain_is(c, 14e-6, 25e-6, -1e-6, 5, 4e-6, 1.25e-6));
  CHECK(fs_predict_start(&d) == 0);
  free(c);
}

/* What a later phase of a row computes hides behind the loads of other blocks; what
 * follows on all of them, and one thread's, does not. */
static void test_phases(void) {
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  for (int k = 0; k < FS_KNOTS; k++)
    c->curve[FS_TM_READ_ROW - FS_TM_SYNC_END][k] = 1e-12;
  c->cost[fs_term_map(FS_OP_EXP, FS_AR_F32)] = 1e-12;
  c->overlap = 1;
  for (int gpu = 0; gpu < 2; gpu++)
    for (int phase = 0; phase < FS_WORK_PHASES; phase++) {
      struct fs_work w = {.working_set = 1e6, .spread.resident = gpu ? 132 : 0,
                          .spread.tasks = gpu ? 132e12 : 0};
      fs_work_add(&w, FS_TM_READ_ROW, 0, 1e6);
      fs_work_add(&w, fs_term_map(FS_OP_EXP, FS_AR_F32), phase, 1e6);
      bool hides = phase == 0 || (gpu && phase < FS_WORK_PHASES - 1);
      CHECK(near(fs_calibrated(&w, c).seconds, hides ? 1e-6 : 2e-6, 1e-9));
    }
  free(c);
}

/* Nothing hides while all blocks load their first task, or compute their last. */
static void test_few_tasks(void) {
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  for (int k = 0; k < FS_KNOTS; k++)
    c->curve[FS_TM_READ_FLAT - FS_TM_SYNC_END][k] = 1e-12;
  c->cost[fs_term_map(FS_OP_EXP, FS_AR_F32)] = 1e-12;
  c->overlap = 1;
  static const double tasks[] = {100, 132, 133, 264, 528}, micros[] = {2, 2, 1.5, 1.5, 1.25};
  for (size_t k = 0; k < FS_LEN(tasks); k++) {
    struct fs_work w = {.working_set = 1e6, .spread.resident = FS_MIN(tasks[k], 132),
                        .spread.tasks = tasks[k]};
    fs_work_add(&w, FS_TM_READ_FLAT, 0, 1e6);
    fs_work_add(&w, fs_term_map(FS_OP_EXP, FS_AR_F32), 0, 1e6);
    CHECK(near(fs_calibrated(&w, c).seconds, micros[k] * 1e-6, 1e-9));
  }
  free(c);
}

static void test_odd_paths(const char *path) {
  struct fs_str notice = {0};
  unlink(path);
  CHECK(!fs_calibration_load(&device, &notice) && !notice.len);
  CHECK(mkdir(path, 0700) == 0);
  CHECK(!fs_calibration_load(&device, &notice) && notice.len);
  CHECK(!rmdir(path));
  fs_str_clear(&notice);
  CHECK(symlink("/dev/zero", path) == 0);
  CHECK(!fs_calibration_load(&device, &notice) && notice.len);
  unlink(path);
  fs_str_clear(&notice);
  CHECK(mkfifo(path, 0600) == 0);
  CHECK(!fs_calibration_load(&device, &notice) && notice.len);
  unlink(path);
  fs_str_clear(&notice);
  put_file(path, "{}");
  CHECK(truncate(path, 1 << 30) == 0);
  CHECK(!fs_calibration_load(&device, &notice) && notice.len);
  unlink(path);
  fs_str_free(&notice);
}

static void test_store(struct fs_calibration *c) {
  struct fs_str path = {0}, notice = {0};
  CHECK(fs_calibration_path(&device, &path));
  CHECK(!strncmp(path.data, folder, strlen(folder)));
  fs_call_keep(c, 2, 3e-9, 2e-6);
  c->follow = 2.5e-6;
  c->barrier = 1.25e-6;
  CHECK(!fs_calibration_save(c, &device));
  struct fs_calibration *again = fs_calibration_load(&device, &notice);
  CHECK(again && !notice.len);
  if (again) {
    CHECK(!strcmp(again->quality, c->quality));
    CHECK(near(again->cost[FS_TM_LAUNCH], c->cost[FS_TM_LAUNCH], 1e-6));
    CHECK(again->library[FS_LIB_GEMM][FS_AR_F64].n == 4);
    CHECK(near(again->follow, 2.5e-6, 1e-6));
    CHECK(near(again->barrier, 1.25e-6, 1e-6));
    CHECK(again->n_calls == 1 && again->call[0].hash == 2 &&
          near(again->call[0].seconds, 3e-9, 1e-6) &&
          near(again->call[0].delay, 2e-6, 1e-6));
    struct fs_work w = flat_work(1e7, 1e7, 2e7, FS_OP_EXP, 1e6);
    CHECK(near(fs_calibrated(&w, again).seconds,
               fs_calibrated(&w, c).seconds, 1e-6));
  }
  free(again);
  char *good = fs_calibration_text(c, &device);
  test_bad_files(path.data, good);
  test_odd_paths(path.data);
  free(good);
  double error = c->error;
  c->error = NAN;
  CHECK(fs_calibration_save(c, &device));
  c->error = error;
  fs_str_free(&path);
  fs_str_free(&notice);
}

/* -- what runs teach ---------------------------------------------------------------- */

static void test_learning(void) {
  struct fs_str notice = {0};
  struct fs_work w = flat_work(1e6, 1e6, 2e6, FS_OP_EXP, 1e6);
  struct fs_work other = flat_work(1e9, 1e9, 2e9, FS_OP_EXP, 1e9);
  struct fs_learned *l = fs_learned_open(&device, &notice);
  CHECK(fs_learned_factor(l, &w) == 1 && fs_learned_factor(NULL, &w) == 1);
  for (int k = 0; k < 30; k++) fs_learned_add(l, &w, 1e-3, 1.3e-3);
  CHECK(near(fs_learned_factor(l, &w), 1.3, 0.01));
  CHECK(fs_learned_factor(l, &other) == 1);
  /* Another kernel of its kind: one tells it little, many tell it what they have in common. */
  struct fs_work like = flat_work(1.01e6, 1e6, 2e6, FS_OP_EXP, 1e6);
  CHECK(near(fs_learned_factor(l, &like), 1.0155, 0.001));
  for (int k = 0; k < 47; k++) {
    struct fs_work one = flat_work(1e6 + 16*(k + 1), 1e6, 2e6, FS_OP_EXP, 1e6);
    fs_learned_add(l, &one, 1e-3, 1.3e-3);
  }
  CHECK(near(fs_learned_factor(l, &like), 1.217, 0.001) && fs_learned_count(l) == 1);
  for (int k = 0; k < 30; k++) fs_learned_add(l, &like, 1e-3, 0.9e-3);
  CHECK(near(fs_learned_factor(l, &like), 0.9, 0.01) && near(fs_learned_factor(l, &w), 1.3, 0.01));
  fs_learned_add(l, &w, 1e-3, 1); /* one run that was disturbed */
  CHECK(fs_learned_factor(l, &w) < 1.45);
  fs_learned_add(l, &w, 1e-3, NAN);
  fs_learned_add(l, &w, 0, 1);
  fs_learned_add(l, &w, 1, -1);
  fs_learned_add(l, &w, 1, INFINITY);
  CHECK(fs_learned_factor(l, &w) < 1.45);
  for (int k = 0; k < 300; k++) fs_learned_add(l, &w, 1e-3, 5);
  CHECK(near(fs_learned_factor(l, &w), 2, 1e-9));
  for (int k = 0; k < 300; k++) fs_learned_add(l, &w, 1e-3, 1e-5);
  CHECK(near(fs_learned_factor(l, &w), 0.5, 1e-9));
  fs_learned_close(l);

  l = fs_learned_open(&device, &notice); /* it was kept */
  CHECK(!notice.len && fs_learned_count(l) == 1);
  CHECK(near(fs_learned_factor(l, &w), 0.5, 1e-6));
  fs_learned_forget(l);
  CHECK(fs_learned_factor(l, &w) == 1);
  fs_learned_close(l);
  l = fs_learned_open(&device, &notice);
  CHECK(!notice.len && fs_learned_count(l) == 0);
  fs_learned_close(l);
  fs_str_free(&notice);
}

/* Estimates of registers are corrected for themselves. */
static void test_learned_registers(void) {
  struct fs_str notice = {0};
  struct fs_work flat = flat_work(1e6, 1e6, 2e6, FS_OP_EXP, 1e6), tile = flat;
  struct fs_work wide = flat;
  tile.scheme = 2;
  wide.arith = 1;
  struct fs_learned *l = fs_learned_open(&device, &notice);
  CHECK(fs_learned_registers(l, &flat) == 1 && fs_learned_registers(NULL, &flat) == 1);
  for (int k = 0; k < 30; k++) fs_learned_add_registers(l, &flat, 40, 32);
  for (int k = 0; k < 30; k++) fs_learned_add_registers(l, &tile, 30, 36);
  CHECK(near(fs_learned_registers(l, &flat), 0.8, 0.01));
  CHECK(near(fs_learned_registers(l, &tile), 1.2, 0.01));
  CHECK(fs_learned_registers(l, &wide) == 1 && fs_learned_factor(l, &flat) == 1);
  fs_learned_add_registers(l, &flat, 0, 32);
  fs_learned_add_registers(l, &flat, 32, 0);
  CHECK(near(fs_learned_registers(l, &flat), 0.8, 0.01));
  for (int k = 0; k < 100; k++) fs_learned_add_registers(l, &flat, 10, 200);
  CHECK(near(fs_learned_registers(l, &flat), 2, 1e-6));
  fs_learned_close(l);
  l = fs_learned_open(&device, &notice); /* it was kept */
  CHECK(!notice.len && near(fs_learned_registers(l, &tile), 1.2, 0.01));
  fs_learned_forget(l);
  CHECK(fs_learned_registers(l, &tile) == 1);
  fs_learned_close(l);
  fs_str_free(&notice);
}

static void test_bad_learned(void) {
  static const char *const texts[] = {
    "", "{", "7", "{\"version\": 13}",
    "{\"version\":3,\"device\":\"a device\",\"program\":\"" FS_VERSION
    "\",\"kinds\":{\"x\":[9,1]}}",
    "{\"version\":3,\"device\":\"a device\",\"program\":\"" FS_VERSION
    "\",\"kinds\":{\"x\":[0.1,-1]}}",
    "{\"version\":3,\"device\":\"a device\",\"program\":\"" FS_VERSION
    "\",\"kinds\":{\"x\":7}}",
    "{\"version\":3,\"device\":\"b device\",\"program\":\"" FS_VERSION
    "\",\"kinds\":{}}"};
  struct fs_str path = {0};
  char name[64];
  snprintf(name, sizeof name, "learned-%016llx.json",
           (unsigned long long)fs_device_hash(&device));
  CHECK(fs_data_path(name, &path));
  for (size_t k = 0; k < FS_LEN(texts); k++) {
    struct fs_str notice = {0};
    put_file(path.data, texts[k]);
    struct fs_learned *l = fs_learned_open(&device, &notice);
    CHECK(notice.len && fs_learned_count(l) == 0);
    fs_learned_close(l);
    fs_str_free(&notice);
  }
  unlink(path.data);
  fs_str_free(&path);
}

/* What a kernel is held to: caches where the working set lies in them, computing where that
 * takes longest, nothing where launches do. */
static void test_limit(void) {
  struct fs_calibration *plain = fs_calibration_plain(&device);
  device.calibration = plain;
  struct fs_work w = flat_work(3e6, 1e6, 4e6, FS_OP_EXP, 1e6);
  CHECK(near(fs_predict_limit(&w, "memory", &device), 4e6 / 100e9, 1e-9));
  w.working_set = 1e9;
  CHECK(near(fs_predict_limit(&w, "memory", &device), 4e6 / 20e9, 1e-9));
  plain->cost[fs_term_map(FS_OP_EXP, FS_AR_F32)] = 20 / device.flops;
  CHECK(near(fs_predict_limit(&w, "compute", &device), 20e6 / 100e9, 1e-9));
  CHECK(fs_predict_limit(&w, "launch", &device) == 0);
  CHECK(fs_predict_limit(&w, "synchronisation", &device) == 0);
  CHECK(fs_predict_limit(&w, NULL, &device) == 0);
  struct fs_work call = {.library = true, .lib_op = FS_LIB_GEMM, .flops = 2e9};
  CHECK(near(fs_predict_limit(&call, "compute", &device), 2e9 / 100e9, 1e-9));
  /* A GPU's memory has the rate that its maker says: more than copies reach. */
  device.is_cuda = true;
  device.peak_bandwidth = 25e9;
  for (int k = 0; k < FS_KNOTS; k++) plain->curve[0][k] *= 2;
  CHECK(near(fs_predict_limit(&w, "memory", &device), 4e6 / 25e9, 1e-9));
  device.is_cuda = false;
  device.peak_bandwidth = 0;
  device.calibration = NULL;
  free(plain);
}

static void test_generations(void) {
  static const struct { int cc; const char *arch; int kib; bool together; } want[] = {
      {75, "sm_75", 99, false}, {80, "sm_80", 163, false}, {86, "sm_86", 99, false},
      {87, "sm_87", 163, false}, {89, "sm_89", 99, false}, {90, "sm_90a", 227, true},
      {100, "sm_100a", 227, true}};
  for (size_t k = 0; k < FS_LEN(want); k++) {
    struct fs_device d = {.cc = 0};
    fs_generation_arch(want[k].cc, d.arch, sizeof d.arch);
    fs_device_of_cc(&d, want[k].cc);
    CHECK(!strcmp(d.arch, want[k].arch));
    CHECK(d.clusters == want[k].together && d.gives_registers == want[k].together);
    CHECK(fs_generation_of(want[k].cc)->shared_bytes == want[k].kib << 10);
    struct fs_device plain = fs_device_plain(&d);
    CHECK(plain.cc == want[k].cc && !plain.clusters && !plain.gives_registers);
  }
  CHECK(fs_generation_known(50) && !fs_generation_known(40));
}

int main(void) {
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  if (!mkdtemp(folder)) return 1;
  setenv("XDG_DATA_HOME", folder, 1);
  test_names();
  test_generations();
  test_amounts();
  test_json();
  test_fit(0);
  device.is_cuda = true;
  test_fit(1);
  device.is_cuda = false;
  test_late();
  test_strided();
  test_kinds();
  test_layers();
  test_outliers();
  test_no_fit();
  test_library(c);
  test_monotone(c);
  test_store(c);
  test_call(c);
  test_kept_calls(c);
  test_chain();
  test_phases();
  test_few_tasks();
  test_limit();
  test_reference(false);
  test_reference(true);
  test_same_model();
  test_learning();
  test_learned_registers();
  test_bad_learned();
  char inside[64];
  snprintf(inside, sizeof inside, "%s/fusible", folder);
  rmdir(inside);
  rmdir(folder);
  free(c);
  printf("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}
