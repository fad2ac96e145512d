/* session_calibrate.c - :calibrate: runs generated kernels of every kind on the
 * device and fits the model's costs to what they took.
 *
 * The kernels come the normal way: statements are evaluated by an interpreter of
 * their own, on the session's device, with a runner of their own. The cases are a
 * table: statements, the element types and sizes they are run with, and the
 * scheme that the planner is led to. What a case does beside what it is for does
 * not matter: the fit (model/fit.c) takes all of them together. */
#include "core/session_calibrate.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "core/base/datafile.h"
#include "core/run/search.h"

static const double TIME_LIMIT = 56, QUICK_LIMIT = 4; /* seconds of measuring */

/* -- the cases ------------------------------------------------------------------ */

/* What a case is run on. The values of one size and type are made once, for all
 * cases of the group. */
enum group { VECTORS, MATRICES, LIBRARY, SLOW_LIBRARY, GROUPS };

static const char *const setups[GROUPS] = {
  [VECTORS] = "x = $(rand(n)); y = $(rand(n)); u = $(rand(n)); v = $(rand(n)); "
              "h = f16(rand(n));",
  [MATRICES] = "A = $(rand(m, n)); C = $(rand(m, n)); D = $(rand(n, m)); "
               "p = $(rand(n)); v = $(rand(n)); r = $(rand(m)); u = $(rand(m));",
  [LIBRARY] = "A = $(rand(n, n)) + n*$(eye(n)); B = $(rand(n, n)); b = $(rand(n));",
  [SLOW_LIBRARY] = "A = $(rand(n, n)) + n*$(eye(n)); S = A + A';",
};

/* Which scheme: as planned, or led to flat, row or tile kernels, or to
 * row kernels that walk against the grain. */
enum lead { AS_PLANNED, FLATS, ROWS, TILES, STRIDES, LEADS };

enum { F32 = 1, F64 = 2, F16 = 4, BF16 = 8, I32 = 16, FLOATS = F32 | F64 | F16,
       ALL = 31 };

/* Which sizes: all; every other one and the largest; the same with few settings, since
 * the case is much like another; all, and on a GPU those of which rows begin off 16-byte
 * boundaries, too; few, and none on a GPU; as UNEVEN, and none on a CPU. */
enum { EVERY, FEW, BRIEF, UNEVEN, CPU_FEW, GPU_UNEVEN };

static const struct calibration_case {
  const char *what, *block;   /* $ is the type */
  unsigned types;
  enum group group;
  enum lead lead;
  int sizes;
} cases[] = {
  {"maps", "z = x + y;", ALL, VECTORS, 0, EVERY},
  {"maps", "z = x * 2;", F32 | F16, VECTORS, 0, EVERY},
  {"maps", "z = x + y - u + v;", F32, VECTORS, 0, FEW},
  {"maps", "z = x + y; w = x - y;", F32, VECTORS, 0, FEW},
  {"maps", "z = x + f32(h);", F32, VECTORS, 0, FEW},
  {"maps", "z = exp(x) .* log(y + 2) + sqrt(u);", F32, VECTORS, 0, FEW},
  {"neighbours", "z = x[1:n-2] + x[2:n-1] - x[3:n];", F32 | F16, VECTORS, 0, FEW},
  {"sums", "s = sum(x);", ALL, VECTORS, 0, EVERY},
  {"sums", "s = x'*y;", FLOATS, VECTORS, 0, FEW},
  {"sums", "s = max(x);", F32 | F64, VECTORS, 0, FEW},
  {"sums", "z = x - y; s = sum(z);", F32, VECTORS, 0, FEW},
  {"sums", "z = exp(x - y) + u; s = sum(z);", F32, VECTORS, 0, FEW},
  {"sums", "z = x - y + u - v; s = sum(z);", F32, VECTORS, 0, FEW},
  {"random numbers", "z = rand(n);", F32, VECTORS, 0, FEW},
  {"ranges", "z = f32(1:n) / 3;", F32, VECTORS, 0, FEW},
  {"maps", "z = sqrt(x) .* u + log(y + 1) - v; s = sum(z);", F32, VECTORS, 0,
   FEW},
  {"rows", "q = A*p;", F32, MATRICES, ROWS, UNEVEN},
  {"rows", "q = A*p;", F64, MATRICES, ROWS, FEW},
  {"rows", "q = A*p;", F16, MATRICES, ROWS, UNEVEN},
  {"rows", "q = sum(A, 2);", F32 | BF16 | I32, MATRICES, ROWS, BRIEF},
  {"rows", "q = rowmax(A);", F32 | F64 | I32, MATRICES, ROWS, BRIEF},
  {"rows", "q = rowsum(exp(A));", F32, MATRICES, ROWS, FEW},
  {"rows", "q = rowsum(A .* C);", F32, MATRICES, ROWS, UNEVEN},
  {"rows", "q = rowsum(u + v');", F32 | F64, MATRICES, 0, FEW},
  {"rows", "q = rowsum(u .* v' - v');", F32, MATRICES, 0, FEW},
  {"columns", "s = A'*r;", F32, MATRICES, ROWS, UNEVEN},
  {"columns", "s = A'*r;", F64 | F16, MATRICES, ROWS, CPU_FEW},
  {"columns", "s = A'*r;", F64 | F16, MATRICES, ROWS, GPU_UNEVEN},
  {"columns", "s = sum(A, 1);", F32 | I32, MATRICES, ROWS, BRIEF},
  {"columns", "s = colmax(A);", F32 | F64, MATRICES, ROWS, BRIEF},
  {"columns", "q = colsum(u + v');", F32, MATRICES, 0, BRIEF},
  {"columns", "s = colsum(A .* C);", F32, MATRICES, ROWS, CPU_FEW},
  {"rows and columns", "q = A*p; s = A'*r;", F32 | F64, MATRICES, ROWS, UNEVEN},
  {"rows and columns", "q = A*p; s = A'*r;", F16, MATRICES, ROWS, GPU_UNEVEN},
  {"rows and columns", "y = A'*(A*p);", F32, MATRICES, ROWS, UNEVEN},
  {"rows and columns", "y = A'*(A*p);", F64, MATRICES, ROWS, GPU_UNEVEN},
  {"rows and columns", "a = sum(A, 2); b = sum(A, 1);", F32, MATRICES, ROWS, FEW},
  {"rows and columns", "B = A + u*v'; s = B'*r;", F32, MATRICES, ROWS, UNEVEN},
  {"rows and a sum", "s = sum(A);", F32, MATRICES, ROWS, BRIEF},
  {"rows and a sum", "q = A*p; s = u'*q;", F32 | F64, MATRICES, ROWS, FEW},
  {"outer sums", "B = A + u*v';", F32 | F64, MATRICES, ROWS, EVERY},
  {"outer sums", "B = A + C;", F32 | I32, MATRICES, ROWS, EVERY},
  {"outer sums", "B = A + C;", BF16, MATRICES, ROWS, CPU_FEW},
  {"mixed types", "B = A - f32(u);", F16 | BF16, MATRICES, ROWS, CPU_FEW},
  {"outer sums", "B = A - u*v'; s = B*p;", F32, MATRICES, ROWS, FEW},
  {"outer sums", "B = A + u; s = sum(B, 2);", I32, MATRICES, ROWS, FEW},
  {"padded rows", "B = A + C;", F32 | F64, MATRICES, FLATS, FEW},
  {"padded rows", "B = A * 2;", F32 | F16, MATRICES, FLATS, BRIEF},
  {"padded rows", "B = A + u*v';", F32, MATRICES, FLATS, CPU_FEW},
  {"neighbours", "B = A[1:m-2, 2:n-1] + A[3:m, 2:n-1] + A[2:m-1, 1:n-2] + "
   "A[2:m-1, 3:n];", F32 | F64 | F16, MATRICES, ROWS, FEW},
  {"neighbours", "B = A[1:m-2, 2:n-1] + A[3:m, 2:n-1] + A[2:m-1, 1:n-2] + "
   "A[2:m-1, 3:n];", F32 | F64 | F16, MATRICES, FLATS, FEW},
  {"held rows", "B = A - rowmax(A);", F32 | F64, MATRICES, ROWS, EVERY},
  {"held rows", "B = exp(A); B = B ./ rowsum(B);", F32, MATRICES, ROWS, FEW},
  {"held rows", "B = A ./ sum(A, 2); c = sum(B, 1);", F32, MATRICES, ROWS, FEW},
  {"held rows", "B = exp(A - rowmax(A)); s = rowsum(B);", F32, MATRICES, ROWS, FEW},
  {"centred columns", "B = A - mean(A, 1);", F32, MATRICES, 0, FEW},
  {"panels", "s = A'*r; q = A*s;", F32, MATRICES, 0, UNEVEN},
  {"panels", "B = A + u*v'; s = B'*r; q = B*s;", F32, MATRICES, 0, UNEVEN},
  {"transposes", "B = D' + C;", F32 | F64, MATRICES, TILES, EVERY},
  {"transposes", "B = D' + C;", F32, MATRICES, ROWS, FEW},
  {"strided rows", "s = A'*r;", F32, MATRICES, STRIDES, EVERY},
  {"strided rows", "q = A*p; s = A'*r;", F32, MATRICES, STRIDES, FEW},
  {"tiles", "q = A*p; s = A'*r;", F32, MATRICES, TILES, UNEVEN},
  {"tiles", "q = A*p; s = A'*r;", F64, MATRICES, TILES, FEW},
  {"tiles", "s = sum(A, 1);", F32, MATRICES, TILES, UNEVEN},
  {"tiles", "q = A*p;", F32, MATRICES, TILES, FEW},
  {"tiles", "B = A + u*v'; s = B'*r;", F32, MATRICES, TILES, UNEVEN},
  {"tiles", "B = u*v' + 1; s = rowsum(B);", F32, MATRICES, TILES, FEW},
  {"tiles", "B = A - u;", F32, MATRICES, TILES, FEW},
  {"products", "P = A*B;", FLOATS, LIBRARY, 0, EVERY},
  {"solves", "s = A\\b;", F32 | F64, LIBRARY, 0, EVERY},
  {"inverses", "B = inv(A);", F32 | F64, SLOW_LIBRARY, 0, EVERY},
  {"factors", "R = chol(S);", F32 | F64, SLOW_LIBRARY, 0, EVERY},
  {"eigenvalues", "e = eigvals(S);", F32, SLOW_LIBRARY, 0, EVERY},
  {"eigenvectors", "V = eigvecs(S);", F32, SLOW_LIBRARY, 0, EVERY},
  {"singular values", "e = svdvals(A);", F32, SLOW_LIBRARY, 0, EVERY},
};

static const char *const type_names[] = {"f32", "f64", "f16", "bf16", "i32"};

struct extent {
  int64_t m, n;
};
struct extents {
  const struct extent *at;
  int n;
};

#define EXTENTS(list) ((struct extents){list, (int)FS_LEN(list)})

/* Denser where caches end: a GPU's at some 25 to 100 MB in use, within which a kernel
 * becomes half as fast. An element of a vector takes 4 bytes, if only it is summed, to 24,
 * if four are read and one is written. */
static struct extents gpu_extents(enum group group) {
  static const struct extent vectors[] = {
      {1, 100}, {1, 4096}, {1, 1 << 14}, {1, 1 << 16}, {1, 1 << 18},
      {1, 1 << 20}, {1, 1500000}, {1, 1 << 21}, {1, 2500000}, {1, 2900000},
      {1, 3300000}, {1, 3700000}, {1, 4200000}, {1, 4800000}, {1, 6200000},
      {1, 1 << 23}, {1, 10500000}, {1, 13000000}, {1, 16500000}, {1, 20000000},
      {1, 1 << 25}, {1, 1 << 27}};
  static const struct extent matrices[] = {
      {64, 64}, {200, 300}, {512, 512}, {1000, 1000}, {2048, 2048}, {4096, 4096},
      {100, 20000}, {20000, 100}, {3000, 3000}, {6000, 6000}, {1001, 1001},
      {1502, 1502}, {2501, 2501}, {5003, 5003}, {7501, 7501}, {12288, 12288},
      {1000, 65536}};
  static const struct extent library[] = {
      {1, 32}, {1, 64}, {1, 128}, {1, 256}, {1, 512}, {1, 1024}, {1, 2048},
      {1, 4096}};
  static const struct extent slow[] = {{1, 32}, {1, 128}, {1, 512}};
  switch (group) {
    case VECTORS: return EXTENTS(vectors);
    case MATRICES: return EXTENTS(matrices);
    case LIBRARY: return EXTENTS(library);
    default: return EXTENTS(slow);
  }
}

/* A CPU's at 1 to 100 MB, where other programs take their share. */
static struct extents cpu_extents(enum group group) {
  static const struct extent vectors[] = {
      {1, 100}, {1, 4096}, {1, 1 << 14}, {1, 1 << 16}, {1, 3 << 16},
      {1, 1 << 18}, {1, 1 << 19}, {1, 3 << 18}, {1, 1 << 20}, {1, 3 << 19},
      {1, 1 << 21}, {1, 3 << 20}, {1, 1 << 22}, {1, 3 << 21}, {1, 1 << 23},
      {1, 1 << 24}};
  static const struct extent matrices[] = {
      {64, 64}, {200, 300}, {512, 512}, {683, 719}, {1000, 1000}, {1400, 1500},
      {2048, 2048}, {2503, 2397}, {100, 20000}, {20000, 100}, {3000, 3000},
      {4096, 4096}, {1800, 1700}, {4000, 1900}, {2000, 24}, {1000, 64}};
  static const struct extent library[] = {
      {1, 32}, {1, 64}, {1, 128}, {1, 256}, {1, 512}, {1, 1024}};
  static const struct extent slow[] = {{1, 32}, {1, 128}};
  switch (group) {
    case VECTORS: return EXTENTS(vectors);
    case MATRICES: return EXTENTS(matrices);
    case LIBRARY: return EXTENTS(library);
    default: return EXTENTS(slow);
  }
}

static struct extents extents_of(enum group group, bool cuda) {
  return cuda ? gpu_extents(group) : cpu_extents(group);
}

/* -- a run of measurements --------------------------------------------------------- */

/* A CPU's kernels are measured so many times at most, some ten seconds apart. */
enum { PASSES = 9 };

struct visits {
  int n;
  double seconds[PASSES];
};

struct calibrating {
  struct fs_session *s;
  struct fs_target *target;
  struct fs_runner *runner;
  struct fs_interp *in;
  struct fs_diags diags;
  struct fs_calibration lead[LEADS]; /* [0]: costs of a device of its kind */
  const struct fs_calibration *before;
  FS_VEC(struct fs_sample) samples;
  FS_VEC(uint64_t) names;       /* of the samples: block, type, sizes, kernel  */
  FS_VEC(struct fs_block *) ran;
  json_t *raw;                  /* or NULL */
  FS_VEC(struct visits) visits; /* of the samples, on a CPU                   */
  bool quick;
  int pass;                     /* the first is 0; later ones bring nothing new */
  const char *type;             /* of the values that cases are run on        */
  enum lead led;                /* where the runner's plans were led to */
  double start, limit, told, last; /* last: seconds of the last kernels */
  double compiling;             /* seconds of it, where it was done ahead */
  int done, all, left_out;
  struct fs_chain chain;        /* phases: 0 if it was not measured            */
  struct visits joined, apart, ahead; /* of the chain, each time that it ran   */
};

static void on_text(void *user, const char *text, size_t len) {
  (void)user, (void)text, (void)len;
}
static void on_show(void *user, const char *name, struct fs_val v,
                    struct fs_span span) {
  (void)user, (void)name, (void)v, (void)span;
}
static void on_progress(void *user, const char *what, double done,
                        double seconds) {
  (void)user, (void)what, (void)done, (void)seconds;
}
static enum fs_status on_command(void *user, const char *line,
                                 struct fs_span span) {
  (void)user, (void)line, (void)span;
  return FS_OK;
}
static void on_block(void *user, struct fs_block *block, int number) {
  struct calibrating *c = user;
  (void)number;
  *FS_PUSH(&c->ran) = block;
}

/* Costs that make one scheme the cheapest wherever it can be. */
static void lead_to(struct fs_calibration *c, enum fs_scheme scheme) {
  static const unsigned moves[] = {FS_TM_READ_FLAT, FS_TM_READ_ROW,
                                   FS_TM_READ_TILE};
  memset(c, 0, sizeof *c);
  c->cost[FS_TM_LAUNCH] = 1e-6;
  for (int k = 0; k < 3; k++)
    for (int side = 0; side < 2; side++)
      for (int x = 0; x < FS_KNOTS; x++)
        c->curve[moves[k] + (unsigned)side - FS_TM_SYNC_END][x] =
            k == (int)scheme ? 1e-12 : 1e-9;
  for (int x = 0; x < FS_KNOTS; x++)
    c->curve[FS_TM_STRIDED - FS_TM_SYNC_END][x] = 1e-10;
}

static void begin(struct calibrating *c, struct fs_session *s, bool quick) {
  struct fs_interp_host host = {.user = c, .text = on_text, .show = on_show,
                                .block = on_block, .progress = on_progress,
                                .command = on_command};
  *c = (struct calibrating){.s = s, .target = fs_session_target(s),
                            .type = "", .quick = quick, .start = fs_now()};
  c->limit = quick ? QUICK_LIMIT : TIME_LIMIT;
  c->before = c->target->device.calibration;
  fs_diags_init(&c->diags);
  c->runner = fs_runner_new(c->target);
  fs_runner_options(c->runner)->apart = true;
  c->in = fs_interp_new(&c->diags, c->runner, c->target, &host);
  struct fs_calibration *rough = fs_calibration_reference(&c->target->device);
  c->lead[0] = *rough;
  free(rough);
  lead_to(&c->lead[FLATS], FS_FLAT);
  lead_to(&c->lead[ROWS], FS_ROW);
  lead_to(&c->lead[TILES], FS_TILE);
  lead_to(&c->lead[STRIDES], FS_ROW);
  c->lead[STRIDES].cost[FS_TM_FOLD] = 1; /* rather than fold over rows */
}

static void end(struct calibrating *c) {
  c->target->device.calibration = c->before;
  fs_interp_free(c->in);
  fs_runner_free(c->runner);
  fs_diags_free(&c->diags);
  FS_VEC_FREE(&c->samples);
  FS_VEC_FREE(&c->names);
  FS_VEC_FREE(&c->visits);
  FS_VEC_FREE(&c->ran);
  json_decref(c->raw);
}

static void tell(struct calibrating *c, const char *what) {
  double now = fs_now(), spent = now - c->start;
  double share = (double)c->done / FS_MAX(c->all, 1);
  if (now - c->told < 0.2) return;
  c->told = now;
  double left = share > 0 ? spent * (1 - share) / share : c->limit;
  struct fs_str text = {0};
  fs_str_printf(&text, "calibrating: %s", what);
  json_t *e = json_object();
  json_object_set_new(e, "event", json_string("progress"));
  json_object_set_new(e, "what", json_string(fs_str_text(&text)));
  json_object_set_new(e, "done", json_real(share));
  json_object_set_new(e, "seconds",
                      json_real(FS_MIN(left, FS_MAX(c->limit - spent, 0))));
  fs_session_emit(c->s, e);
  fs_str_free(&text);
}

static enum fs_status eval(struct calibrating *c, const char *text) {
  return fs_interp_eval(c->in, "calibrate", text, strlen(text), 0);
}

/* -- one measurement ------------------------------------------------------------------ */

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The median. */
static double typical(double *times, int n) {
  qsort(times, (size_t)n, sizeof *times, ascending);
  return 0.5 * (times[n / 2] + times[(n - 1) / 2]);
}

static void keep_raw(struct calibrating *c, const char *text, int64_t m,
                     int64_t n, const struct fs_kernel *k, double seconds) {
  if (!c->raw) return;
  json_t *o = fs_work_json(&k->work);
  json_object_set_new(o, "text", json_string(text));
  json_object_set_new(o, "m", json_integer(m));
  json_object_set_new(o, "n", json_integer(n));
  json_object_set_new(o, "columns", json_integer(k->space.n));
  const struct fs_tuning *t = &k->tune;
  json_object_set_new(o, "tune", json_pack("[i, i, i, i, i, i]", t->threads,
                                           t->row_threads, t->vec, t->cols,
                                           t->iters, t->blocks_per_sm));
  json_object_set_new(o, "seconds", json_real(seconds));
  json_object_set_new(o, "passes", json_pack("[f]", seconds));
  json_object_set_new(o, "at", json_real(fs_now() - c->start));
  json_array_append_new(c->raw, o);
}

enum { MOST_RUNS = 20, MOST_KERNELS = 8, LEAST = 10 };

static uint64_t name_of(const struct calibrating *c, const char *text, int64_t m,
                        int64_t n, int kernel) {
  char sizes[80];
  snprintf(sizes, sizeof sizes, "%s %lld %lld %d %d", c->type, (long long)m,
           (long long)n, (int)c->led, kernel);
  return fs_hash(sizes, strlen(sizes), fs_hash(text, strlen(text), 0));
}

/* What counts of a CPU's passes: a third of them took less. What others take of a machine
 * adds to a time and never shortens it, and errors are relative: by the median, what
 * comes while they are at rest was predicted up to half too long, and by the lower third,
 * what comes while they are at work a tenth too short. */
static double usual(double *times, int n) {
  qsort(times, (size_t)n, sizeof *times, ascending);
  int at = (n - 1) / 3, rest = (n - 1) % 3;
  return times[at] + (rest ? rest / 3.0 * (times[at + 1] - times[at]) : 0);
}

/* What was measured in an earlier pass, too. */
static bool measured_before(struct calibrating *c, uint64_t name, double seconds) {
  for (int k = 0; k < c->names.len && c->pass > 0; k++) {
    struct visits *v = &c->visits.data[k];
    double sorted[PASSES];
    if (c->names.data[k] != name || v->n == PASSES) continue;
    v->seconds[v->n++] = seconds;
    memcpy(sorted, v->seconds, sizeof sorted);
    if (c->raw) {
      json_t *o = json_array_get(c->raw, (size_t)k);
      json_array_append_new(json_object_get(o, "passes"), json_real(seconds));
      json_object_set_new(o, "seconds", json_real(usual(sorted, v->n)));
    }
    c->samples.data[k].seconds = usual(sorted, v->n);
    return true;
  }
  return false;
}

static void keep_sample(struct calibrating *c, uint64_t name,
                        const struct fs_work *work, double seconds) {
  *FS_PUSH(&c->names) = name;
  *FS_PUSH(&c->visits) = (struct visits){1, {seconds}};
  *FS_PUSH(&c->samples) = (struct fs_sample){*work, seconds};
}

/* Whether a GPU's cache held something else than the kernel leaves there for itself:
 * another one of the block has gone over more than it has room for, in an order of its
 * own. A*x of 4096 x 4096 takes an H200 14.3 us, and 19.4 behind A'*y. */
static bool is_crossed(const struct calibrating *c, const struct fs_plan *plan, int k) {
  static const double ROOM = 0.75; /* of it; 0.6 x 60 MB is still held */
  const struct fs_device *d = &c->target->device;
  return d->is_cuda && plan->kernels.len > 1 &&
         plan->kernels.data[k].work.working_set > ROOM * (double)d->cache_bytes;
}

static void keep_samples(struct calibrating *c, const char *text, int64_t m,
                         int64_t n, double times[MOST_KERNELS][MOST_RUNS],
                         int runs) {
  const struct fs_plan *plan = c->ran.data[0]->plan;
  for (int k = 0; k < plan->kernels.len && k < MOST_KERNELS; k++) {
    /* What a CPU's caches hold of a block settles in its first runs. */
    int early = c->target->device.is_cuda ? 0 : runs / 2;
    double seconds = typical(times[k] + early, runs - early);
    if (!(seconds > 0)) continue;
    if (k > 0) seconds += FS_MAX(c->chain.ahead, 0); /* as if it were alone */
    c->last = seconds;
    if (is_crossed(c, plan, k)) continue;
    uint64_t name = name_of(c, text, m, n, k);
    if (measured_before(c, name, seconds)) continue;
    keep_sample(c, name, &plan->kernels.data[k].work, seconds);
    keep_raw(c, text, m, n, &plan->kernels.data[k], seconds);
  }
}

/* The threads of the CPU target fall asleep, as they are when somebody types. */
static void rest(const struct calibrating *c) {
  struct timespec pause = {.tv_nsec = 100000};
  if (!c->target->device.is_cuda) nanosleep(&pause, NULL);
}

/* Runs it until its times can be told; one column of `times` for each run. No runs:
 * it was more blocks than one, which is no measurement. */
static enum fs_status time_block(struct calibrating *c, const char *text,
                                 double times[MOST_KERNELS][MOST_RUNS],
                                 int *runs) {
  bool cuda = c->target->device.is_cuda;
  /* A CPU has PASSES, so each visit can be short. With 12 ms on a GPU more kernels are
   * measured, and predictions are worse: 7 to 9 % at the 95th percentile, not 6. */
  double begun = fs_now(), visit = cuda ? 0.03 : 0.006;
  double budget = c->quick ? 0.005 : visit;
  int least = c->quick ? 2 : cuda ? 5 : 3;
  enum fs_status st = FS_OK;
  *runs = 0;
  for (int warm = c->quick ? 1 : 2; *runs < MOST_RUNS && !st;) {
    c->ran.len = 0;
    rest(c);
    st = eval(c, text);
    if (!st) st = fs_runner_sync(c->runner, &c->diags);
    if (st || c->ran.len != 1) return st;
    if (warm-- > 0) {
      begun = fs_now();
      continue;
    }
    const struct fs_block *b = c->ran.data[0];
    for (int k = 0; k < b->plan->kernels.len && k < MOST_KERNELS; k++)
      times[k][*runs] = b->measured[k];
    ++*runs;
    if (*runs >= least && fs_now() - begun > budget) break;
  }
  return st;
}

static enum fs_status measure(struct calibrating *c, const char *text, int64_t m,
                              int64_t n) {
  double times[MOST_KERNELS][MOST_RUNS];
  int runs;
  enum fs_status st = time_block(c, text, times, &runs);
  if (!st && runs) keep_samples(c, text, m, n, times, runs);
  return st;
}

/* -- settings of threads ---------------------------------------------------------- */

enum { MOST_LISTED = 24, MOST_SETTINGS = FS_MAX_VARIANTS + 1 };

/* Of a kernel's settings: only the plan's own, a few, some, all. */
enum settings { OWN, FEW_SETTINGS = 2, SOME = 3, ALL_SETTINGS = MOST_SETTINGS };

/* All where they matter most and time allows: for f32 matrices of some size, neither
 * thin nor flat, in kernels that are chosen: few tile kernels that sum are, and fewer
 * that walk against the grain. */
static enum settings settings_at(const struct calibration_case *of, unsigned t,
                                 struct extent e) {
  enum { SMALL = 500, LARGE = 10000, SMALLEST = 100000 };
  enum group group = of->group;
  if (group > MATRICES) return OWN;
  bool chosen = of->lead == TILES ? of->sizes == EVERY : of->lead != STRIDES;
  if (t > 0 || !chosen || of->sizes == BRIEF ||
      (group == MATRICES && e.m * e.n < SMALLEST))
    return FEW_SETTINGS;
  bool usual = FS_MIN(e.m, e.n) > SMALL && FS_MAX(e.m, e.n) < LARGE;
  return group == MATRICES && usual ? ALL_SETTINGS : SOME;
}

/* The plans of a graph that are one kernel of the scheme of the first one, which
 * is among them. Gives how many; they are given. */
static int settings_of(struct calibrating *c, const struct fs_plan *first,
                       enum settings most,
                       struct fs_plan *out[MOST_SETTINGS]) {
  struct fs_plan *list[MOST_LISTED];
  struct fs_plan_options options = {.strategy = FS_SMART, .variants = true};
  int n = 0, listed = 0;
  if (first->kernels.len == 1 && first->kernels.data[0].scheme != FS_LIBRARY)
    listed = fs_plan_ranked(first->graph, &c->target->device, &options,
                            MOST_LISTED, list);
  for (int k = 0; k < listed; k++) {
    const struct fs_kernel *mine = &list[k]->kernels.data[0];
    bool take = n < (int)most && list[k]->kernels.len == 1 &&
                mine->scheme == first->kernels.data[0].scheme &&
                !strcmp(mine->work.pattern, first->kernels.data[0].work.pattern);
    if (take) out[n++] = list[k];
    else fs_plan_free(list[k]);
  }
  return n;
}

static bool is_setting(const struct fs_kernel *k, const struct fs_tuning *t) {
  return !memcmp(&k->tune, t, sizeof *t);
}

/* The block that ran, with the other settings of its kernel. They run close after
 * each other, the block as somebody would run it: what is between the two for the
 * block's own setting counts for the others, too. */
static enum fs_status measure_settings(struct calibrating *c, const char *text,
                                       int64_t m, int64_t n,
                                       enum settings most) {
  struct fs_plan *plans[MOST_SETTINGS];
  if (!c->target->device.is_cuda || c->ran.len != 1 || c->quick) return FS_OK;
  const struct fs_plan *first = c->ran.data[0]->plan;
  struct fs_search_options o = {.plans = plans, .repeats = 7, .seconds = 0.02};
  o.n_plans = settings_of(c, first, most, plans);
  if (!o.n_plans) return FS_OK;
  struct fs_tuning own = first->kernels.data[0].tune;
  double between = 0, seconds = c->last;
  struct fs_search r;
  enum fs_status st = fs_search_block(c->runner, c->ran.data[0], &o, &c->diags,
                                      &r, &c->diags);
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < r.list.len; k++) {
      const struct fs_candidate *x = &r.list.data[k];
      if (!(x->measured > 0) || !x->block) continue;
      const struct fs_kernel *kernel = &x->block->plan->kernels.data[0];
      bool mine = is_setting(kernel, &own);
      if (pass == 0 && mine) between = seconds - x->measured;
      if (pass == 0 || mine) continue;
      double all = x->measured + FS_MIN(FS_MAX(between, -2e-6), 5e-6);
      keep_sample(c, 0, &kernel->work, all);
      keep_raw(c, text, m, n, kernel, all);
    }
  fs_search_free(&r);
  return st;
}

/* -- compiling ahead --------------------------------------------------------------- */

/* What will be run is compiled several texts at once: on a GPU compiling would take
 * most of the time. */
struct ahead {
  struct calibrating *c;
  enum settings settings;
  FS_VEC(struct fs_plan *) plans;
};

static void take_graph(void *user, struct fs_graph *g) {
  struct ahead *a = user;
  struct fs_plan *settings[MOST_SETTINGS];
  struct fs_plan *plan =
      fs_explain_graph(a->c->runner, g, &a->c->diags);
  int n = a->settings ? settings_of(a->c, plan, a->settings, settings) : 0;
  *FS_PUSH(&a->plans) = plan;
  for (int k = 0; k < n; k++) *FS_PUSH(&a->plans) = settings[k];
}

static void look_ahead(struct ahead *a, const char *text) {
  fs_interp_explain(a->c->in, "calibrate", text, strlen(text), take_graph, a);
  fs_diags_clear(&a->c->diags);
}

static void compile_ahead(struct ahead *a) {
  struct calibrating *c = a->c;
  double begun = fs_now();
  c->target->ops->warm(c->target, a->plans.len,
                       (const struct fs_plan *const *)a->plans.data, &c->diags);
  c->compiling += fs_now() - begun;
  for (int k = 0; k < a->plans.len; k++) fs_plan_free(a->plans.data[k]);
  FS_VEC_FREE(&a->plans);
}

static bool compiles_ahead(const struct calibrating *c) {
  return c->target->ops->warm != NULL;
}

/* "$(rand(n))" with the type's name. */
static char *with_type(const char *text, const char *type) {
  struct fs_str s = {0};
  for (; *text; text++) {
    if (*text == '$') fs_str_puts(&s, type);
    else fs_str_put(&s, text, 1);
  }
  return s.data ? s.data : fs_strdup("");
}

static bool fits(const struct calibrating *c, int64_t m, int64_t n) {
  int64_t used, cached, available;
  c->target->ops->memory(c->target, &used, &cached, &available);
  double bytes = 8.0 * (double)m * (double)n * 6;
  return bytes < 0.5 * (double)(available + cached);
}

/* Out of memory, or a library that is not there, costs this case and no more. */
static enum fs_status passed_over(struct calibrating *c, enum fs_status st) {
  fs_diags_clear(&c->diags);
  return st == FS_INTERRUPTED || c->target->lost ? st : FS_OK;
}

static enum fs_status set_sizes(struct calibrating *c, int64_t m, int64_t n) {
  char sizes[80];
  snprintf(sizes, sizeof sizes, "m = %lld; n = %lld;", (long long)m,
           (long long)n);
  c->target->device.calibration = &c->lead[0];
  fs_interp_reset(c->in);
  return eval(c, sizes);
}

static enum fs_status set_up(struct calibrating *c, const char *setup, int64_t m,
                             int64_t n) {
  enum fs_status st = set_sizes(c, m, n);
  return st ? st : eval(c, setup);
}

static enum fs_status run_block(struct calibrating *c, const char *block,
                                int64_t m, int64_t n, enum lead lead,
                                enum settings settings) {
  c->target->device.calibration = &c->lead[lead];
  if (lead != c->led) { /* else a plan for the same statements would be used */
    c->ran.len = 0;
    fs_runner_clear(c->runner);
  }
  c->led = lead;
  enum fs_status st = measure(c, block, m, n);
  if (!st && settings) st = measure_settings(c, block, m, n, settings);
  return passed_over(c, st);
}

static int types_in(unsigned mask) {
  int n = 0;
  for (; mask; mask >>= 1) n += mask & 1;
  return n;
}

/* The time is up: but for a device that is so slow that there is nothing to fit
 * by yet. */
static bool late(const struct calibrating *c) {
  double spent = fs_now() - c->start;
  return spent > (c->samples.len < LEAST ? 12 : 1) * c->limit;
}

/* The largest sizes are for f32; library calls end where one would take long. */
static bool too_much(const struct calibrating *c, enum group group, unsigned t,
                     int64_t m, int64_t n) {
  static const int bytes[] = {4, 8, 2, 2, 4};
  if (group == LIBRARY || group == SLOW_LIBRARY) return c->last > 0.01;
  if (!t) return false;
  return c->target->device.is_cuda ? m * n > (320 << 20) / bytes[t] : m * n > 8 << 20;
}

/* Types but f32 do with fewer sizes, and on a GPU with two that are uneven. Of f64 those
 * near a GPU's cache are others. */
static bool wanted(const struct calibrating *c, int sizes, enum group group,
                   unsigned t, int x, struct extent e) {
  enum { LARGE = 1 << 21 };
  bool cuda = c->target->device.is_cuda;
  bool doubles = t == 1 && group == MATRICES && e.m * e.n > LARGE;
  bool few = sizes == FEW || sizes == BRIEF || sizes == CPU_FEW ||
             (t > 0 && cuda && !doubles);
  if (sizes == (cuda ? CPU_FEW : GPU_UNEVEN)) return false;
  if (group == MATRICES && cuda && e.n > 512 && e.n % 4)
    return (sizes == UNEVEN || sizes == GPU_UNEVEN) &&
           (t == 0 || e.n == 1001 || e.n == 5003);
  return !few || x % 2 == 1 || (group == MATRICES && e.n >= 12288);
}

/* The CPU target walks a tile kernel as a row kernel where it neither turns anything nor
 * divides columns (plan/work.c), and a second time the same is not measured. */
static bool is_known(const struct calibrating *c, const struct calibration_case *of,
                     struct extent e) {
  enum { DIVIDED = 1 << 14 };
  return !c->target->device.is_cuda && of->lead == TILES && of->sizes != EVERY &&
         e.n < DIVIDED;
}

/* The plans of all cases of a group at one size and type, whose values are there. */
static void cases_ahead(struct ahead *a, enum group group, unsigned t, int x,
                        struct extent e) {
  struct calibrating *c = a->c;
  for (size_t k = 0; k < FS_LEN(cases); k++) {
    if (cases[k].group != group || !(cases[k].types >> t & 1) ||
        !wanted(c, cases[k].sizes, group, t, x, e))
      continue;
    char *block = with_type(cases[k].block, type_names[t]);
    c->target->device.calibration = &c->lead[cases[k].lead];
    a->settings = c->quick ? OWN : settings_at(&cases[k], t, e);
    look_ahead(a, block);
    free(block);
  }
}

static bool any_wanted(const struct calibrating *c, enum group group, unsigned t,
                       int x, struct extent e) {
  bool any = false;
  for (size_t k = 0; k < FS_LEN(cases); k++)
    any |= cases[k].group == group && cases[k].types >> t & 1 &&
           wanted(c, cases[k].sizes, group, t, x, e);
  return any;
}

/* What makes the values of all sizes of a group. */
static void look_at_setups(struct ahead *a, enum group group, unsigned t) {
  struct calibrating *c = a->c;
  struct extents e = extents_of(group, c->target->device.is_cuda);
  char *setup = with_type(setups[group], type_names[t]);
  for (int x = 0; x < e.n; x++) {
    int64_t m = e.at[x].m, n = e.at[x].n;
    bool skip = !fits(c, m, n) || too_much(c, group, t, m, n) ||
                !any_wanted(c, group, t, x, e.at[x]);
    if (!skip && set_sizes(c, m, n) == FS_OK) look_ahead(a, setup);
  }
  free(setup);
}

/* Of all groups and types: few kernels each, but a batch of some size together. */
static void setups_ahead(struct calibrating *c) {
  struct ahead a = {.c = c};
  if (!compiles_ahead(c) || c->quick) return;
  tell(c, "values");
  for (enum group group = 0; group < GROUPS; group++)
    for (unsigned t = 0; t < FS_LEN(type_names); t++) look_at_setups(&a, group, t);
  compile_ahead(&a);
}

static bool is_skipped(const struct calibrating *c, enum group group, unsigned t, int x,
                       struct extent e) {
  return !fits(c, e.m, e.n) || too_much(c, group, t, e.m, e.n) ||
         (c->quick && (x % 3 || e.m * e.n > 1 << 18));
}

/* Compiles what the sizes from `from` on take, and gives the one after them: of several
 * at once, since every time the threads wait for the one that has the longest text, and
 * have processes to start. */
static enum fs_status sizes_ahead(struct calibrating *c, enum group group, unsigned t,
                                  const struct extents *e, int from, int *to) {
  enum { TOGETHER = 300 }; /* some two seconds of compiling */
  struct ahead a = {.c = c};
  enum fs_status st = FS_OK;
  *to = e->n;
  if (!compiles_ahead(c) || group > MATRICES || late(c)) return FS_OK;
  char *setup = with_type(setups[group], type_names[t]);
  for (int x = from; x < e->n && !st && a.plans.len < TOGETHER; x++) {
    struct extent size = e->at[x];
    *to = x + 1;
    if (fs_interrupted()) st = FS_INTERRUPTED;
    if (st || is_skipped(c, group, t, x, size) || !any_wanted(c, group, t, x, size))
      continue;
    st = set_up(c, setup, size.m, size.n);
    if (!st) cases_ahead(&a, group, t, x, size);
    else st = passed_over(c, st);
  }
  fs_interp_reset(c->in);
  compile_ahead(&a);
  free(setup);
  return st;
}

/* All cases of a group at one size and type. */
static enum fs_status run_sized(struct calibrating *c, enum group group,
                                unsigned t, int x, struct extent e) {
  enum fs_status st = FS_OK;
  bool made = false, skip = is_skipped(c, group, t, x, e);
  char *setup = with_type(setups[group], type_names[t]);
  c->type = type_names[t];
  for (size_t k = 0; k < FS_LEN(cases) && !st; k++) {
    if (cases[k].group != group || !(cases[k].types >> t & 1)) continue;
    c->done++;
    tell(c, cases[k].what);
    if (fs_interrupted()) st = FS_INTERRUPTED;
    if (skip || st || is_known(c, &cases[k], e) ||
        !wanted(c, cases[k].sizes, group, t, x, e))
      continue;
    if (late(c)) {
      c->left_out += c->pass == 0;
      continue;
    }
    if (!made) st = passed_over(c, set_up(c, setup, e.m, e.n));
    made = true;
    char *block = with_type(cases[k].block, type_names[t]);
    if (!st) st = run_block(c, block, e.m, e.n, cases[k].lead,
                            settings_at(&cases[k], t, e));
    free(block);
  }
  fs_interp_reset(c->in);
  free(setup);
  return st;
}

static bool has_type(enum group group, unsigned t) {
  for (size_t k = 0; k < FS_LEN(cases); k++)
    if (cases[k].group == group && cases[k].types >> t & 1) return true;
  return false;
}

static enum fs_status run_group(struct calibrating *c, enum group group,
                                unsigned t) {
  int ahead = 0; /* sizes below are compiled */
  struct extents e = extents_of(group, c->target->device.is_cuda);
  enum fs_status st = FS_OK;
  c->last = 0;
  if (!has_type(group, t)) return FS_OK;
  for (int x = 0; x < e.n && !st; x++) {
    if (x == ahead) st = sizes_ahead(c, group, t, &e, x, &ahead);
    if (!st) st = run_sized(c, group, t, x, e.at[x]);
  }
  return st;
}

/* -- barriers ---------------------------------------------------------------------- */

/* The same kernels as phases of one launch and with a launch each: products of a
 * small matrix, each of which needs all of the one before. Not so small that the device
 * would wait for the host, which takes some 3.5 us for a kernel and its events. */
static const char *const chain = "b = A*a; c = A*b; d = A*c; e = A*d; f = A*e;";
enum { CHAIN_SIZE = 1024 };

/* One of the two. phases: 0 if they were not the kernels that were meant. */
static enum fs_status time_chain(struct calibrating *c, bool apart, double *seconds,
                                 double *ahead, int *phases) {
  double times[MOST_KERNELS][MOST_RUNS];
  int runs = 0;
  *phases = 0;
  fs_runner_clear(c->runner);
  fs_runner_options(c->runner)->apart = apart;
  enum fs_status st = time_block(c, chain, times, &runs);
  if (st || !runs) return st;
  const struct fs_plan *plan = c->ran.data[0]->plan;
  int n = plan->kernels.len, launches = fs_plan_launches(plan);
  if (n > MOST_KERNELS || launches != (apart ? n : 1)) return FS_OK;
  *phases = n;
  *seconds = 0;
  double first = typical(times[0], runs);
  for (int k = 0; k < n; k++) *seconds += typical(times[k], runs);
  *ahead = first - (*seconds - first) / FS_MAX(n - 1, 1);
  return FS_OK;
}

static double middle_of(struct visits *v, double seconds) {
  double sorted[PASSES];
  if (v->n < PASSES) v->seconds[v->n++] = seconds;
  memcpy(sorted, v->seconds, sizeof sorted);
  return typical(sorted, v->n);
}

/* What both took goes to `made` at the end: the medians of the visits, some seconds
 * apart, since it is differences of a tenth of a microsecond that count. */
static void keep_chain(struct calibrating *c, double joined, double apart, double ahead,
                       int phases) {
  c->chain = (struct fs_chain){.joined = middle_of(&c->joined, joined),
                               .apart = middle_of(&c->apart, apart),
                               .ahead = middle_of(&c->ahead, ahead),
                               .phases = phases, .barriers = phases - 1};
}

/* Both, where the device has such launches. */
static enum fs_status run_barriers(struct calibrating *c) {
  struct fs_run_options *o = fs_runner_options(c->runner);
  int phases = 0, kernels = 0;
  if (!c->target->device.cooperative || (c->chain.phases && late(c))) return FS_OK;
  tell(c, "barriers");
  enum fs_status st = set_up(c, "A = f32(rand(n, n)); a = f32(rand(n));", 1, CHAIN_SIZE);
  enum fs_strategy before = o->strategy;
  o->strategy = FS_MIN_SYNC; /* joins whatever it takes */
  double joined = 0, apart = 0, ahead = 0, none;
  if (!st) st = time_chain(c, false, &joined, &none, &phases);
  if (!st) st = time_chain(c, true, &apart, &ahead, &kernels);
  if (!st && kernels == phases && phases > 1)
    keep_chain(c, joined, apart, ahead, phases);
  o->strategy = before;
  o->apart = true;
  fs_runner_clear(c->runner);
  fs_interp_reset(c->in);
  return passed_over(c, st);
}

/* -- operations: all of the table ------------------------------------------------------ */

/* "fname(a, b)" or "a + b". */
static void put_call(struct fs_str *s, const struct fs_map_op_info *op,
                     const char *a, const char *b, const char *c) {
  if (*op->infix && op->arity == 2)
    fs_str_printf(s, "(%s %s %s)", a, op->infix, b);
  else if (*op->infix && op->arity == 1)
    fs_str_printf(s, "(%s%s)", op->infix, a);
  else if (op->arity == 1) fs_str_printf(s, "%s(%s)", op->name, a);
  else if (op->arity == 2) fs_str_printf(s, "%s(%s, %s)", op->name, a, b);
  else fs_str_printf(s, "%s(%s, %s, %s)", op->name, a, b, c);
}

/* Four calls of the operation in one statement; false where the language has no
 * word for it. */
static bool op_statement(int op, bool integer, struct fs_str *s) {
  const struct fs_map_op_info *info = &fs_map_ops[op];
  if (op == FS_OP_COPY || op == FS_OP_CAST || op == FS_OP_SQUARE) return false;
  if (info->types == 'F' && integer) return false;
  bool bits = info->types == 'B' || op == FS_OP_WHERE;
  fs_str_puts(s, "z = ");
  const char *args[] = {"x", "y", "v", "w", "x", "y"};
  for (int k = 0; k < 4; k++) {
    char first[24];
    snprintf(first, sizeof first, bits ? "(%s > 0)" : "%s", args[k]);
    bool both = info->types == 'B';
    char second[24];
    snprintf(second, sizeof second, both ? "(%s > 0)" : "%s", args[k + 1]);
    if (k) fs_str_puts(s, " + ");
    if (info->result == 'B') fs_str_puts(s, "f32");
    if (info->result == 'B') fs_str_puts(s, "(");
    put_call(s, info, first, second, args[k + 2]);
    if (info->result == 'B') fs_str_puts(s, ")");
  }
  fs_str_puts(s, ";");
  return true;
}

/* Whether the operation is measured with the type: all are with f32 and f64. */
static bool takes_operation(const struct calibrating *c, int op, int type) {
  return !(c->quick && op % 5) && !(type == 3 && op % 4) && !(type == 2 && op % 2);
}

static void operations_ahead(struct calibrating *c, int type) {
  struct ahead a = {.c = c};
  if (!compiles_ahead(c)) return;
  c->target->device.calibration = &c->lead[0];
  for (int op = 0; op < FS_MAP_OP_COUNT; op++) {
    struct fs_str text = {0};
    if (takes_operation(c, op, type) && op_statement(op, type == 2, &text))
      look_ahead(&a, text.data);
    fs_str_free(&text);
  }
  compile_ahead(&a);
}

static enum fs_status run_operations(struct calibrating *c) {
  static const char *const types[] = {"f32", "f64", "i32", "f16"};
  int64_t n = c->target->device.is_cuda ? 1 << 22 : 1 << 16;
  enum fs_status st = FS_OK;
  for (int t = 0; t < 4 && !st; t++) {
    char *setup = with_type("x = $(0.1 + rand(n)/2); y = $(0.1 + rand(n)/2); "
                            "v = $(0.1 + rand(n)/2); w = $(0.1 + rand(n)/2);",
                            types[t]);
    c->type = types[t];
    st = passed_over(c, set_up(c, setup, 1, n));
    if (!st && !late(c)) operations_ahead(c, t);
    for (int op = 0; op < FS_MAP_OP_COUNT && !st; op++, c->done++) {
      struct fs_str text = {0};
      tell(c, "operations");
      if (fs_interrupted()) st = FS_INTERRUPTED;
      else if (!takes_operation(c, op, t)) continue;
      else if (late(c)) c->left_out += c->pass == 0;
      else if (op_statement(op, t == 2, &text))
        st = run_block(c, text.data, 1, n, AS_PLANNED, OWN);
      fs_str_free(&text);
    }
    free(setup);
  }
  return st;
}

/* -- the command ---------------------------------------------------------------------------- */

/* f32 first: time may run out. On a GPU f64 comes last, of which most is measured: what
 * is left out of a type there has the tables of f32. */
static enum fs_status run_kernels(struct calibrating *c) {
  static const unsigned orders[2][FS_LEN(type_names)] = {{0, 1, 2, 3, 4},
                                                         {0, 2, 4, 3, 1}};
  enum fs_status st = FS_OK;
  if (c->pass == 0) setups_ahead(c);
  for (size_t k = 0; k < FS_LEN(type_names) && !st; k++) {
    unsigned t = orders[c->target->device.is_cuda][k];
    st = run_group(c, VECTORS, t);
    if (!st && c->pass == 0) st = run_barriers(c);
    if (!st) st = run_group(c, MATRICES, t);
    if (t == 0 && !st) st = run_operations(c);
    if (!st && c->pass == 0) st = run_group(c, LIBRARY, t);
  }
  return st;
}

/* On a CPU all kernels are measured again and again, as far as there is time: caches,
 * memory and processors are shared with others, whose share changes within seconds.
 * What a block will meet is not the best that there ever is: see usual(). */
static enum fs_status run_all(struct calibrating *c) {
  bool cuda = c->target->device.is_cuda;
  for (size_t k = 0; k < FS_LEN(cases); k++)
    c->all += types_in(cases[k].types) * extents_of(cases[k].group, cuda).n;
  c->all += 4 * FS_MAP_OP_COUNT;
  if (!cuda) c->all *= PASSES;
  enum fs_status st = run_kernels(c);
  for (unsigned t = 0; t < FS_LEN(type_names) && !st; t++)
    st = run_group(c, SLOW_LIBRARY, t);
  for (c->pass = 1; c->pass < PASSES && !cuda && !c->quick && !st; c->pass++)
    st = run_kernels(c);
  return st;
}

static void put_cost(struct fs_str *out, const char *name, double seconds) {
  fs_str_printf(out, "  %-11s ", name);
  fs_str_put_seconds(out, seconds);
  fs_str_puts(out, "\n");
}

static void put_rates(struct fs_str *out, const char *name,
                      const struct fs_calibration *c, unsigned read,
                      unsigned write) {
  static const int knots[] = {2, 4, 6, 10};
  fs_str_printf(out, "  %-11s", name);
  for (size_t k = 0; k < FS_LEN(knots); k++) {
    double r = c->curve[read - FS_TM_SYNC_END][knots[k]];
    double w = c->curve[write - FS_TM_SYNC_END][knots[k]];
    fs_str_puts(out, k ? ",  " : " ");
    fs_str_put_bytes(out, r > 0 ? 1 / r : 0);
    fs_str_puts(out, "/s + ");
    fs_str_put_bytes(out, w > 0 ? 1 / w : 0);
    fs_str_puts(out, "/s");
  }
  fs_str_puts(out, "\n");
}

void fs_calibration_report(const struct fs_calibration *c,
                           struct fs_str *out) {
  fs_str_printf(out, "  %-11s on %s, %d kernels, typical error %.1f %%\n",
                "calibrated", c->date, c->samples, 100 * c->error);
  put_cost(out, "launch", c->cost[FS_TM_LAUNCH]);
  put_cost(out, "fold", c->cost[FS_TM_FOLD]);
  if (c->follow > 0) put_cost(out, "the next", c->follow);
  if (c->barrier > 0) put_cost(out, "barrier", c->barrier);
  fs_str_puts(out, "  reading and writing, with 256 KiB, 4 MiB, 16 MiB, 256 MiB "
                   "in use:\n");
  put_rates(out, "flat", c, FS_TM_READ_FLAT, FS_TM_WRITE_FLAT);
  put_rates(out, "row", c, FS_TM_READ_ROW, FS_TM_WRITE_ROW);
  put_rates(out, "tile", c, FS_TM_READ_TILE, FS_TM_WRITE_TILE);
  fs_str_printf(out, "  %-11s %.0f %% hides behind the moves\n", "computing",
                100 * c->overlap);
}

static void report(struct calibrating *c, const struct fs_calibration *made,
                   struct fs_str *out) {
  fs_str_printf(out, "calibrated %s in %.1f s", c->target->device.name,
                fs_now() - c->start);
  if (c->compiling > 0) fs_str_printf(out, ", %.1f s of them to compile", c->compiling);
  fs_str_puts(out, "\n");
  fs_calibration_report(made, out);
  if (c->left_out)
    fs_str_printf(out, "  %-11s %d of %d measurements, for want of time or "
                  "memory\n", "left out", c->left_out, c->all);
}

static const char *write_raw(struct calibrating *c, const char *path) {
  char *text = json_dumps(c->raw, JSON_COMPACT | JSON_REAL_PRECISION(7));
  const char *why = fs_data_write(path, text, strlen(text));
  free(text);
  return why;
}

enum fs_status fs_session_calibrate(struct fs_session *s, bool quick,
                                    const char *raw, struct fs_str *out) {
  struct calibrating *c = fs_calloc(1, sizeof *c);
  struct fs_calibration *made = fs_calloc(1, sizeof *made);
  begin(c, s, quick);
  if (raw) c->raw = json_array();
  enum fs_status st = run_all(c);
  c->target->device.calibration = c->before;
  const char *why = NULL;
  if (st == FS_ERR_ENV) {
    for (int k = 0; k < c->diags.list.len && !why; k++)
      why = c->diags.list.data[k].message;
    st = fs_env_error(&s->diags, "calibrate", NULL, "%s",
                      why ? why : "the device failed");
  }
  if (!st && !fs_calibration_fit(c->samples.data, c->samples.len,
                                 &c->target->device, made))
    st = fs_env_error(&s->diags, "calibrate", NULL,
                      "the device measured too few kernels to calibrate by");
  if (!st && c->chain.phases > 1) fs_calibration_chain(made, &c->chain);
  if (!st && (why = fs_calibration_save(made, &c->target->device)))
    fs_session_note(s, "not-stored", "the calibration holds for this session "
                    "only: it could not be stored: %s", why);
  for (int k = 0; raw && !st && k < c->samples.len; k++)
    json_object_set_new(
        json_array_get(c->raw, (size_t)k), "fitted",
        json_real(fs_calibrated(&c->samples.data[k].work, made).seconds));
  if (!st && raw && (why = write_raw(c, raw)))
    st = fs_env_error(&s->diags, "calibrate", NULL,
                      "the measurements could not be written to %s: %s", raw, why);
  if (!st) report(c, made, out);
  end(c);
  free(c);
  if (!st) fs_session_take_calibration(s, made);
  else free(made);
  return st;
}
