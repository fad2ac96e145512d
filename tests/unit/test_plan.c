/* test_plan.c - the level rule and the cover, on graphs built by hand: how many
 * kernels, of which scheme, with which steps. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "core/base/sums.h"
#include "core/model/calibration.h"
#include "core/plan/cover/cover.h"
#include "core/plan/plan.h"
#include "core/run/tensor.h"

static int passed, failed;
static bool small; /* the matrices at hand */

static void check(bool ok, const char *what) {
  if (ok) passed++;
  else failed++, printf("FAILED: %s\n", what);
}

static struct fs_device gpu = {
    .is_cuda = true, .name = "test", .arch = "sm_90a", .units = 132,
    .max_threads = 1024, .shared_bytes = 227 << 10, .regs = 65536,
    .cache_bytes = 50 << 20, .memory_bytes = (int64_t)140 << 30,
    .bandwidth = 4.2e12, .cache_bandwidth = 8e12, .launch = 3.5e-6,
    .flops = 50e12};
static struct fs_device cpu = {
    .name = "test", .arch = "avx2", .units = 2, .cache_bytes = 32 << 20,
    .memory_bytes = (int64_t)16 << 30, .bandwidth = 4e10,
    .cache_bandwidth = 1e11, .launch = 2e-6, .flops = 1e11};

/* Tensors without memory: a planner only asks which storage is which. */
static struct fs_tensor *tensor(int k) {
  static struct fs_storage storages[16];
  static struct fs_tensor tensors[16];
  storages[k].refs = tensors[k].refs = 1;
  tensors[k].storage = &storages[k];
  return &tensors[k];
}

static fs_id input(struct fs_graph *g, int k, int64_t m, int64_t n,
                   const char *name) {
  struct fs_shape s = {.rank = n > 0 ? 2 : m > 0 ? 1 : 0, .dim = {m, n}};
  int64_t count;
  struct fs_layout l = fs_layout_new(FS_F32, &s, &count);
  return fs_graph_input(g, &(struct fs_graph_source){tensor(k), tensor(k), {0}}, FS_F32, &s, &l,
                        name);
}

static fs_id along(struct fs_graph *g, fs_id v, int axis, int64_t m, int64_t n) {
  struct fs_view view = fs_view_axes(1, &axis);
  struct fs_shape s = {.rank = 2, .dim = {m, n}};
  return fs_graph_view(g, v, &view, &s);
}

static fs_id transposed(struct fs_graph *g, fs_id a) {
  struct fs_shape s = fs_node(g, a)->shape, t = {2, {s.dim[1], s.dim[0]}};
  struct fs_view view = fs_view_axes(2, (int[]){1, 0});
  return fs_graph_view(g, a, &view, &t);
}

static fs_id map2(struct fs_graph *g, enum fs_map_op op, fs_id a, fs_id b) {
  return fs_graph_map(g, op, 2, (fs_id[]){a, b}, 0);
}

static fs_id matvec(struct fs_graph *g, fs_id a, fs_id x) {
  struct fs_shape s = fs_node(g, a)->shape;
  fs_id p = map2(g, FS_OP_MUL, a, along(g, x, 1, s.dim[0], s.dim[1]));
  return fs_graph_reduce(g, FS_RD_SUM, p, 2);
}

static fs_id outer(struct fs_graph *g, fs_id u, fs_id v, int64_t m, int64_t n) {
  return map2(g, FS_OP_MUL, along(g, u, 0, m, n), along(g, v, 1, m, n));
}

static fs_id number(struct fs_graph *g, double v) {
  return fs_graph_param(g, FS_F32, (struct fs_number){v, (int64_t)v});
}

/* Plans and compares; prints the plan when it is not what was expected. */
static void expect(struct fs_graph *g, const struct fs_device *d, int kernels,
                   const char *schemes, const char *what) {
  const char *wrong = fs_graph_check(g);
  check(!wrong, wrong ? wrong : what);
  struct fs_plan *p = fs_plan_make(fs_graph_simplify(g), d,
                                   &(struct fs_plan_options){0});
  char got[64] = "";
  for (int k = 0; k < p->kernels.len && k < 60; k++)
    got[k] = fs_schemes[p->kernels.data[k].scheme].name[0];
  bool ok = p->kernels.len == kernels && (!schemes || !strcmp(got, schemes));
  /* With measured costs the count matters; while a matrix is small, what takes two
   * kernels may be faster as one that walks it twice. */
  if (d->calibration->measured)
    ok = p->kernels.len <= kernels && (small || p->kernels.len == kernels);
  check(ok, what);
  struct fs_diags diags;
  fs_diags_init(&diags);
  struct fs_str s = {0};
  fs_plan_dump(p, &diags, true, &s);
  if (!ok || getenv("DUMP")) printf("%s: %s", what, fs_str_text(&s));
  fs_str_free(&s);
  fs_diags_free(&diags);
  fs_plan_free(p);
  fs_graph_free(g);
}

static void sequences(const struct fs_device *d, int64_t m, int64_t n) {
  struct fs_graph *g = fs_graph_new();
  fs_id A = input(g, 0, m, n, "A"), p = input(g, 1, n, 0, "p");
  fs_id r = input(g, 2, m, 0, "r");
  fs_graph_output(g, matvec(g, A, p), "q");
  fs_graph_output(g, matvec(g, transposed(g, A), r), "s");
  expect(g, d, 1, "r", "BiCGK");

  g = fs_graph_new();
  A = input(g, 0, m, n, "A"), p = input(g, 1, n, 0, "p");
  fs_graph_output(g, matvec(g, transposed(g, A), matvec(g, A, p)), "y");
  expect(g, d, 1, "r", "ATAX");

  g = fs_graph_new();
  A = input(g, 0, n, n, "A");
  fs_id y = input(g, 1, n, 0, "y"), z = input(g, 2, n, 0, "z");
  fs_id x = map2(g, FS_OP_ADD, map2(g, FS_OP_MUL, number(g, 2),
                                    matvec(g, transposed(g, A), y)), z);
  fs_graph_output(g, x, "x");
  fs_graph_output(g, map2(g, FS_OP_MUL, number(g, 3), matvec(g, A, x)), "w");
  /* One trip over a matrix that no cache holds. */
  bool marches = d->is_cuda && 4.0 * (double)m * (double)n > 2.0 * (double)d->cache_bytes;
  expect(g, d, marches ? 1 : 2, marches ? "m" : "rr", "SGEMVT");

  g = fs_graph_new();
  A = input(g, 0, n, n, "A");
  fs_id u1 = input(g, 1, n, 0, "u1"), v1 = input(g, 2, n, 0, "v1");
  fs_id u2 = input(g, 3, n, 0, "u2"), v2 = input(g, 4, n, 0, "v2");
  y = input(g, 5, n, 0, "y"), z = input(g, 6, n, 0, "z");
  fs_id B = map2(g, FS_OP_ADD, A, outer(g, u1, v1, n, n));
  B = map2(g, FS_OP_ADD, B, outer(g, u2, v2, n, n));
  x = map2(g, FS_OP_ADD, map2(g, FS_OP_MUL, number(g, 2),
                              matvec(g, transposed(g, B), y)), z);
  fs_graph_output(g, B, "B");
  fs_graph_output(g, x, "x");
  fs_graph_output(g, map2(g, FS_OP_MUL, number(g, 3), matvec(g, B, x)), "w");
  expect(g, d, marches ? 1 : 2, marches ? "m" : "rr", "GEMVER");

  g = fs_graph_new();
  fs_id w = input(g, 0, n, 0, "w"), v = input(g, 1, n, 0, "v");
  fs_id u = input(g, 2, n, 0, "u");
  z = map2(g, FS_OP_SUB, w, map2(g, FS_OP_MUL, number(g, 0.5), v));
  fs_graph_output(g, z, "z");
  fs_graph_output(g, fs_graph_reduce(g, FS_RD_SUM, map2(g, FS_OP_MUL, z, u), 1),
                  "r");
  expect(g, d, 1, "f", "AXPYDOT");

  g = fs_graph_new();
  A = input(g, 0, m, n, "A");
  B = input(g, 1, m, n, "B");
  fs_graph_output(g, map2(g, FS_OP_ADD, A, B), "C");
  expect(g, d, 1, NULL, "MADD");

  g = fs_graph_new();
  A = input(g, 0, m, n, "A");
  fs_id max = fs_graph_reduce(g, FS_RD_MAXR, A, 2);
  fs_id e = map2(g, FS_OP_SUB, A, along(g, max, 0, m, n));
  e = fs_graph_map(g, FS_OP_EXP, 1, &e, 0);
  fs_id sum = fs_graph_reduce(g, FS_RD_SUM, e, 2);
  fs_graph_output(g, map2(g, FS_OP_DIV, e, along(g, sum, 0, m, n)), "S");
  expect(g, d, 1, "r", "row softmax");

  g = fs_graph_new();
  A = input(g, 0, m, n, "A"), x = input(g, 1, n, 0, "x");
  B = input(g, 2, m, n, "B");
  fs_graph_output(g, map2(g, FS_OP_ADD,
                          map2(g, FS_OP_MUL, number(g, 2), matvec(g, A, x)),
                          map2(g, FS_OP_MUL, number(g, 3), matvec(g, B, x))),
                  "y");
  expect(g, d, 1, "r", "GESUMMV");
}

/* -- the k best, and why -------------------------------------------------------- */

static struct fs_graph *gemver(int64_t n) {
  struct fs_graph *g = fs_graph_new();
  fs_id A = input(g, 0, n, n, "A");
  fs_id u1 = input(g, 1, n, 0, "u1"), v1 = input(g, 2, n, 0, "v1");
  fs_id u2 = input(g, 3, n, 0, "u2"), v2 = input(g, 4, n, 0, "v2");
  fs_id y = input(g, 5, n, 0, "y"), z = input(g, 6, n, 0, "z");
  fs_id B = map2(g, FS_OP_ADD, A, outer(g, u1, v1, n, n));
  B = map2(g, FS_OP_ADD, B, outer(g, u2, v2, n, n));
  fs_id x = map2(g, FS_OP_ADD, map2(g, FS_OP_MUL, number(g, 2),
                                    matvec(g, transposed(g, B), y)), z);
  fs_graph_output(g, B, "B");
  fs_graph_output(g, x, "x");
  fs_graph_output(g, map2(g, FS_OP_MUL, number(g, 3), matvec(g, B, x)), "w");
  struct fs_graph *simple = fs_graph_simplify(g);
  fs_graph_free(g);
  return simple;
}

static double order_cost(const struct fs_plan *p) {
  double sum = 0;
  for (int k = 0; k < p->kernels.len; k++) sum += p->kernels.data[k].first;
  return sum;
}

/* Of this process: the machine may be busy. */
static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Every combination of GEMVER: in order, none twice, every call once, the first
 * what fs_plan_make() gives, and all in three seconds of a processor. */
static void ranked(const struct fs_device *d) {
  enum { MANY = 1 << 14 };
  struct fs_graph *g = gemver(4096);
  struct fs_plan_options o = {0};
  static struct fs_plan *plans[MANY];
  double start = processor_seconds();
  int n = fs_plan_ranked(g, d, &o, MANY, plans);
  double seconds = processor_seconds() - start;
  check(seconds < 3, "all combinations of GEMVER within three seconds");
  struct fs_plan *first = fs_plan_make(fs_graph_copy(g), d, &o);
  check(n > 20 && !strcmp(plans[0]->found->choice, first->found->choice),
        "the first of the list is the plan");
  check(n == (int)first->found->space.combinations || !first->found->space.combinations_exact ||
            first->found->space.combinations > n,
        "as many as were counted");
  bool ordered = true, complete = true, ranks = true;
  for (int k = 0; k < n; k++) {
    int calls = 0;
    for (int i = 0; i < plans[k]->kernels.len; i++)
      calls += plans[k]->kernels.data[i].calls.len;
    complete &= calls == plans[k]->found->n_calls && plans[k]->peak_bytes > 0;
    ranks &= plans[k]->found->rank == k + 1;
    if (k)
      ordered &= order_cost(plans[k]) >= order_cost(plans[k - 1]) * (1 - 1e-9);
  }
  check(ordered, "combinations come in the order of their predicted times");
  check(complete, "each combination has every call once");
  check(ranks, "ranks count from 1");
  if (getenv("DUMP"))
    printf("%d combinations of %.0f in %.1f ms\n", n, first->found->space.combinations,
           seconds * 1e3);
  for (int k = 0; k < n; k++) fs_plan_free(plans[k]);
  o.variants = true;
  start = processor_seconds();
  n = fs_plan_ranked(g, d, &o, MANY, plans);
  seconds = processor_seconds() - start;
  check(n == (int)first->found->space.combinations,
        "with all settings of threads as many as were counted");
  check(!strcmp(plans[0]->found->choice, first->found->choice), "and the first is the same plan");
  check(seconds < 3, "all implementations of GEMVER within three seconds");
  if (getenv("DUMP"))
    printf("%d with all settings in %.1f ms\n", n, seconds * 1e3);
  for (int k = 0; k < n; k++) fs_plan_free(plans[k]);
  fs_plan_free(first);
  fs_graph_free(g);
}

static fs_id output(const struct fs_graph *g, const char *name) {
  for (int k = 0; k < g->outputs.len; k++)
    if (!strcmp(g->output_names.data[k], name)) return g->outputs.data[k];
  return 0;
}

static void why(void) {
  struct fs_graph *g = gemver(4096);
  fs_id B = output(g, "B"), x = output(g, "x"), w = output(g, "w");
  struct fs_plan_options o = {0};
  struct fs_plan *p = fs_plan_make(g, &gpu, &o);
  struct fs_why y = fs_plan_why(p, &gpu, &o, B, x);
  check(y.same && y.together > 0 && y.apart >= y.together,
        "B and x share a kernel, and apart they take longer");
  y = fs_plan_why(p, &gpu, &o, x, w);
  check(!y.same && y.rule, "x and w do not share one");
  check(y.apart > 0 && y.chosen <= y.apart * (1 + 1e-9),
        "the chosen plan is the best with them apart");
  check(y.together < 0 || y.together >= y.chosen,
        "together is forbidden, or no faster");
  struct fs_pin pins[] = {{B, x, false, 0}};
  o = (struct fs_plan_options){.pins = pins, .n_pins = 1};
  struct fs_plan *split = fs_plan_make(fs_graph_copy(g), &gpu, &o);
  check(!split->found->pins.data[0].rule, "the pin is followed");
  y = fs_plan_why(split, &gpu, &o, B, x);
  check(!y.same && y.rule == FS_RULE_PIN && y.together > 0,
        "split by a pin, and what they would take without it");
  fs_plan_free(split);
  o = (struct fs_plan_options){.strategy = FS_FUSE_OFF};
  struct fs_plan *off = fs_plan_make(fs_graph_copy(g), &gpu, &o);
  y = fs_plan_why(off, &gpu, &o, B, x);
  check(!y.same && y.rule == FS_RULE_OFF, "fusing is off");
  fs_plan_free(off);
  fs_plan_free(p);
}

/* Under minmemory the plan is not the one of least time; the graph is kept. */
static void memory(void) {
  struct fs_graph *g = gemver(4096);
  struct fs_plan_options smart = {0}, least = {.strategy = FS_MIN_MEMORY};
  struct fs_plan *a = fs_plan_make(fs_graph_copy(g), &gpu, &smart);
  struct fs_plan *b = fs_plan_make(g, &gpu, &least);
  check(b->graph == g, "the plan keeps the graph that it was given");
  check(b->peak_bytes <= a->peak_bytes, "minmemory takes no more memory");
  fs_plan_free(a);
  fs_plan_free(b);
}

/* A launch behind another takes longer when both move much, by less than a launch, and
 * less where they move far more than the cache holds. */
static void changes(void) {
  struct fs_device d = gpu;
  struct fs_plan_options o = {0};
  d.cooperative = true;
  fs_device_of_cc(&d, 80); /* has no scheme for all of it */
  struct fs_plan *p = fs_plan_make(gemver(16384), &d, &o);
  double most = fs_predict_launch(&d), sum = 0;
  int behind = 0;
  bool within = true;
  for (int k = 0; k < p->kernels.len; k++) {
    const struct fs_kernel *kernel = &p->kernels.data[k];
    sum += kernel->predicted;
    behind += k > 0 && kernel->joint == FS_LAUNCH;
    within &= (kernel->change > 0) == (k > 0 && kernel->joint == FS_LAUNCH) &&
              kernel->change < most;
  }
  check(within && behind > 0 && fabs(sum - p->predicted) < 1e-12,
        "kernels' prices hold what launches take behind each other");
  o.strategy = FS_FUSE_OFF;
  struct fs_plan *off = fs_plan_make(gemver(4096), &d, &o);
  fs_plan_price_unfused(off, &d);
  check(fabs(off->predicted / off->found->unfused_predicted - 1) < 1e-9,
        "a plan without fusions takes what no fusion takes");
  fs_plan_free(off);
  double brief = fs_plan_change(&d, 1e-6, 1e-5), held = fs_plan_change(&d, 1e-5, 1e-5);
  double far = fs_plan_change(&d, 1e-3, 1e-3);
  check(brief > 0 && brief < 0.2e-6 && held > 1e-6 && held < most && far > 0 &&
            far < brief && fs_plan_change(&cpu, 1e-5, 1e-5) == 0,
        "changes behind small kernels, such as the cache holds, and large ones");
  fs_plan_free(p);
}

/* A fold takes longer than a barrier and less than a launch: with a launch each, the
 * two products of BiCGK are best in one kernel, as phases of one launch in two. */
static void joined(void) {
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  c->cost[FS_TM_LAUNCH] = 5e-6;
  c->cost[FS_TM_FOLD] = 4e-6;
  c->barrier = 1e-6;
  for (int m = 0; m < FS_MOVES; m++)
    for (int k = 0; k < FS_KNOTS; k++) c->curve[m][k] = 1e-13;
  struct fs_graph *g = fs_graph_new();
  fs_id A = input(g, 0, 256, 256, "A"), p = input(g, 1, 256, 0, "p");
  fs_id r = input(g, 2, 256, 0, "r");
  fs_graph_output(g, matvec(g, A, p), "q");
  fs_graph_output(g, matvec(g, transposed(g, A), r), "s");
  struct fs_graph *simple = fs_graph_simplify(g);
  struct fs_device d = gpu;
  struct fs_plan_options o = {0};
  d.calibration = c;
  struct fs_plan *alone = fs_plan_make(fs_graph_copy(simple), &d, &o);
  d.cooperative = true;
  struct fs_plan *plans[16], *first = fs_plan_make(fs_graph_copy(simple), &d, &o);
  check(alone->kernels.len == 1 && alone->predicted > 9e-6,
        "apart: one kernel, with a fold");
  check(first->kernels.len == 2 && fs_plan_launches(first) == 1 &&
            first->predicted < 6.5e-6 &&
            first->kernels.data[1].joint == FS_BESIDE,
        "joined: two phases of one launch");
  int n = fs_plan_ranked(simple, &d, &o, 16, plans);
  bool ordered = n > 1 && !strcmp(plans[0]->found->choice, first->found->choice);
  for (int k = 1; k < n; k++)
    ordered &= order_cost(plans[k]) >= order_cost(plans[k - 1]);
  for (int k = 0; k < n; k++)
    for (int x = 0; x < k; x++)
      ordered &= strcmp(plans[k]->found->choice, plans[x]->found->choice) != 0;
  check(ordered, "the list is in the order of the joined prices, none twice");
  for (int k = 0; k < n; k++) fs_plan_free(plans[k]);
  o.apart = true;
  struct fs_plan *apart = fs_plan_make(fs_graph_copy(simple), &d, &o);
  check(!strcmp(apart->found->choice, alone->found->choice), "to be measured alone: as if apart");
  fs_plan_free(apart);
  fs_plan_free(first);
  fs_plan_free(alone);
  fs_graph_free(simple);
  fs_graph_free(g);
  free(c);
}

/* The lanes of s = sum(A, 2) of i32, whose sums are i64. */
static int lanes_of(int64_t n) {
  struct fs_graph *g = fs_graph_new();
  struct fs_shape s = {.rank = 2, .dim = {n, n}};
  int64_t count;
  struct fs_layout l = fs_layout_new(FS_I32, &s, &count);
  struct fs_graph_source from = {tensor(0), tensor(0), {0}};
  fs_id A = fs_graph_input(g, &from, FS_I32, &s, &l, "A");
  fs_graph_output(g, fs_graph_reduce(g, FS_RD_SUM, A, 2), "s");
  struct fs_plan *plan = fs_plan_make(g, &gpu, &(struct fs_plan_options){0});
  int vec = plan->kernels.data[0].tune.vec;
  fs_plan_free(plan);
  return vec;
}

static void wide(void) {
  check(lanes_of(4096) == 4, "rows of i32 are read by 16 bytes where they are whole vectors");
  check(lanes_of(5003) == 2, "... and by 8, as by sums of i64, where they are not");
}

/* Of A*x, where x is a row of another matrix or a column of it. */
static struct fs_work product_with(int64_t m, int64_t n, bool column) {
  struct fs_graph *g = fs_graph_new();
  fs_id A = input(g, 0, m, n, "A"), B = input(g, 1, n, n, "B");
  struct fs_view part = {.src_rank = 2, .axis = {-1, 0}, .step = {0, 1}};
  if (column) part = (struct fs_view){.src_rank = 2, .axis = {0, -1}, .step = {1, 0}};
  fs_id x = fs_graph_view(g, B, &part, &(struct fs_shape){1, {n}});
  fs_graph_output(g, matvec(g, A, x), "q");
  struct fs_plan *plan = fs_plan_make(fs_graph_simplify(g), &cpu,
                                      &(struct fs_plan_options){0});
  struct fs_work w = plan->kernels.data[0].work;
  fs_plan_free(plan);
  fs_graph_free(g);
  return w;
}

/* The CPU target copies the column once. */
static void vectors(void) {
  struct fs_work row = product_with(4000, 4000, false);
  struct fs_work column = product_with(4000, 4000, true);
  check(column.bytes_strided == 0 && !strcmp(column.pattern, row.pattern),
        "a matrix is not read against the grain where the vector is");
}

/* Blocks of 128 threads that a multiprocessor holds, where a thread takes so many rows of
 * a stencil over `arrays` of n x n x ... at once; 0: it never does. `points` are where they
 * are read, so far from the middle along each axis. */
static int stencil_blocks(enum fs_dtype dtype, int rank, int64_t n, int arrays, int points,
                          int8_t (*from)[3], int rows) {
  struct fs_graph *g = fs_graph_new();
  struct fs_shape s = {.rank = rank, .dim = {n, n, rank > 2 ? n : 0}}, in = s;
  int64_t count;
  struct fs_layout l = fs_layout_new(dtype, &s, &count);
  int edge = points > 9 ? 2 : 1;
  for (int x = 0; x < rank; x++) in.dim[x] -= 2 * edge;
  fs_id sum[2] = {0};
  for (int a = 0; a < arrays; a++) {
    struct fs_graph_source array = {tensor(a), tensor(a), {0}};
    fs_id A = fs_graph_input(g, &array, dtype, &s, &l, "A");
    for (int k = 0; k < points; k++) {
      struct fs_view part = fs_view_axes(rank, (int[]){0, 1, 2});
      for (int x = 0; x < rank; x++) part.off[x] = edge + from[k][3 - rank + x];
      fs_id p = fs_graph_view(g, A, &part, &in);
      sum[a] = sum[a] ? map2(g, FS_OP_ADD, sum[a], p) : p;
    }
  }
  fs_graph_output(g, arrays > 1 ? map2(g, FS_OP_MUL, sum[0], sum[1]) : sum[0], "s");
  struct fs_graph *simple = fs_graph_simplify(g);
  struct fs_plan *plans[8];
  struct fs_device d = gpu;
  struct fs_calibration *c = fs_calibration_reference(&gpu);
  d.calibration = c;
  int blocks = 0, ranked = fs_plan_ranked(simple, &d, &(struct fs_plan_options){0}, 8, plans);
  for (int p = 0; p < ranked; p++) {
    struct fs_kernel k = plans[p]->kernels.data[0]; /* borrows the parts */
    struct fs_tuning list[FS_MAX_VARIANTS];
    int found = k.scheme == FS_ROW && plans[p]->kernels.len == 1
                    ? fs_tune_variants(&k, &d, list) : 0;
    for (int v = 0; v < found; v++)
      if (list[v].iters == rows && list[v].threads == 128 && k.space.n_outer == 1)
        blocks = FS_MAX(blocks, list[v].blocks_per_sm);
    fs_plan_free(plans[p]);
  }
  free(c);
  fs_graph_free(simple);
  fs_graph_free(g);
  return blocks;
}

/* What an H200 spilled, and what it did not: core/schedule/tune.c has the figures. */
static void neighbours(void) {
  int8_t cross[][3] = {{0, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1},
                                    {-1, 0, 0}, {1, 0, 0}};
  int8_t points[25][3];
  for (int k = 0; k < 25; k++)
    points[k][0] = 0, points[k][1] = (int8_t)(k / 5 - 2), points[k][2] = (int8_t)(k % 5 - 2);
  check(stencil_blocks(FS_F32, 3, 512, 1, 7, cross, 8) == 4 &&
            stencil_blocks(FS_F32, 3, 512, 1, 7, cross, 4) == 6,
        "eight planes of seven points: as few blocks as have the registers; four as ever");
  check(stencil_blocks(FS_F64, 2, 11585, 1, 5, cross, 8) == 4 &&
            stencil_blocks(FS_F64, 2, 11585, 1, 5, cross, 4) == 6,
        "eight rows of five points of f64, and four");
  check(stencil_blocks(FS_F32, 2, 8192, 1, 25, points, 4) == 4,
        "25 points: the rows around a thread's own, too");
  check(stencil_blocks(FS_F32, 2, 8192, 2, 5, cross, 4) == 4,
        "five points of each of two arrays of one layout");
}

/* Rows of 64 KiB: three are under way in shared memory, or two, or none. */
static void stages(void) {
  struct fs_graph *g = fs_graph_new();
  fs_id A = input(g, 0, 4096, 16384, "A"), p = input(g, 1, 16384, 0, "p");
  fs_id r = input(g, 2, 4096, 0, "r");
  fs_graph_output(g, matvec(g, A, p), "q");
  fs_graph_output(g, matvec(g, transposed(g, A), r), "s");
  struct fs_plan *plan = fs_plan_make(fs_graph_simplify(g), &gpu,
                                      &(struct fs_plan_options){0});
  struct fs_kernel k = plan->kernels.data[0]; /* borrows the parts */
  struct fs_tuning list[FS_MAX_VARIANTS];
  int n = fs_tune_variants(&k, &gpu, list), seen[4] = {0};
  double under_way[4] = {0};
  for (int v = 0; v < n; v++) {
    struct fs_spread s;
    k.tune = list[v];
    if (list[v].stages > 3 || (v && !list[v].stages)) continue;
    fs_kernel_spread(&k, &gpu, &s);
    seen[list[v].stages]++;
    under_way[list[v].stages] = s.under_way;
  }
  check(seen[0] == 1 && seen[1] == 1 && seen[2] == 1 && !seen[3],
        "settings with a full ring, a shorter one and none");
  check(under_way[0] == 3 * 65536.0 && under_way[2] == 2 * 65536.0 &&
            under_way[1] == 65536.0,
        "what is under way follows from the ring");
  struct fs_device old = gpu;
  fs_device_of_cc(&old, 80);
  n = fs_tune_variants(&k, &old, list);
  for (int v = 0; v < n; v++) check(!list[v].stages, "no rings before sm_90");
  fs_plan_free(plan);
  fs_graph_free(g);
}

/* Sums of one of each list, in order, none twice. */
static void sums(void) {
  const double a[] = {1, 2, 4}, b[] = {1, 1.5}, c[] = {3};
  const double *lists[] = {a, b, c};
  double sum[10];
  int index[30], n = fs_rank_sums(3, lists, (int[]){3, 2, 1}, 10, sum, index);
  const double want[] = {5, 5.5, 6, 6.5, 8, 8.5};
  bool ok = n == 6;
  for (int k = 0; k < n && k < 6; k++) ok &= sum[k] == want[k];
  check(ok, "the k smallest sums");
}

/* -- with what an H200 measured --------------------------------------------------- */

/* One kernel of tests/data/h200-samples.json (tools/samples.py says what is in it);
 * *block gets the number of its block. */
static struct fs_sample sample_of(const json_t *o, int *block) {
  double v[14];
  for (size_t k = 0; k < 14; k++)
    v[k] = json_number_value(json_array_get(o, k));
  struct fs_sample s = {
      .work = {.scheme = (uint8_t)v[0], .tiled = v[0] == FS_TILE,
               .bytes_read = v[2], .bytes_written = v[3], .bytes_strided = v[4],
               .working_set = v[5], .rows = v[6], .flops = v[7],
               .special = v[8] / 8, .uneven = v[11] > 0},
      .seconds = v[9]};
  snprintf(s.work.pattern, sizeof s.work.pattern, "%s",
           json_string_value(json_array_get(o, 1)));
  size_t k;
  json_t *t;
  json_array_foreach(json_array_get(o, 10), k, t)
    fs_work_add(&s.work, fs_term_of_name(json_string_value(json_array_get(t, 0))),
                (int)json_integer_value(json_array_get(t, 1)),
                json_number_value(json_array_get(t, 2)));
  struct fs_spread *p = &s.work.spread;
  double *const to[] = {&p->tasks, &p->resident, &p->sharing, &p->threads,
                        &p->under_way, &p->waits, &p->parts};
  for (k = 0; k < FS_LEN(to); k++)
    *to[k] = json_number_value(json_array_get(json_array_get(o, 12), k));
  *block = (int)v[13];
  return s;
}

struct samples {
  int n;
  struct fs_sample *of;
  int *block;
};

static struct samples read_samples(void) {
  json_t *list = json_load_file("tests/data/h200-samples.json", 0, NULL), *o;
  struct samples s = {.n = (int)json_array_size(list)};
  s.of = fs_calloc((size_t)s.n + 1, sizeof *s.of);
  s.block = fs_calloc((size_t)s.n + 1, sizeof *s.block);
  size_t k;
  json_array_foreach(list, k, o) s.of[k] = sample_of(o, &s.block[k]);
  json_decref(list);
  return s;
}

/* The plans with measured costs are those that measurements showed to be best:
 * one kernel where one pass is enough, whatever the size. */
static void calibrated(const struct samples *s) {
  static const int sizes[] = {512, 1218, 2896, 4096, 6889, 16384};
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  struct fs_device d = gpu;
  check(s->n > 500 && fs_calibration_fit(s->of, s->n, &d, c),
        "the samples fit");
  check(c->error < 0.04, "they fit within 4 %");
  d.calibration = c;
  for (size_t k = 0; k < FS_LEN(sizes) && s->n; k++) {
    small = sizes[k] < 1024;
    sequences(&d, sizes[k], sizes[k]);
  }
  small = false;
  free(c);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Of each kernel's settings the one of least predicted time takes, on average,
 * hardly longer than the fastest of them, and less than the first of them. */
static void choose(const struct samples *s, const double *predicted,
                   double *chosen, double *first) {
  int groups = 0;
  *chosen = *first = 0;
  for (int k = 0, end; k < s->n; k = end) {
    int best = k, least = k;
    for (end = k; end < s->n && s->block[end] == s->block[k] &&
                  s->of[end].work.scheme == s->of[k].work.scheme &&
                  !strcmp(s->of[end].work.pattern, s->of[k].work.pattern);
         end++) {
      if (predicted[end] < predicted[best]) best = end;
      if (s->of[end].seconds < s->of[least].seconds) least = end;
    }
    if (end - k < 3) continue;
    *chosen += s->of[best].seconds / s->of[least].seconds;
    *first += s->of[k].seconds / s->of[least].seconds;
    groups++;
  }
  *chosen /= FS_MAX(groups, 1);
  *first /= FS_MAX(groups, 1);
}

/* Blocks that the fit has not seen: each fifth is left out in turn. */
static void unseen(const struct samples *s) {
  enum { PARTS = 5 };
  size_t n = (size_t)s->n + 1;
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  struct fs_sample *some = fs_calloc(n, sizeof *some);
  double *predicted = fs_calloc(n, sizeof(double));
  double *error = fs_calloc(n, sizeof(double)), chosen, first;
  for (int part = 0; part < PARTS; part++) {
    int taken = 0;
    for (int k = 0; k < s->n; k++)
      if (s->block[k] % PARTS != part) some[taken++] = s->of[k];
    if (!fs_calibration_fit(some, taken, &gpu, c)) continue;
    for (int k = 0; k < s->n; k++)
      if (s->block[k] % PARTS == part)
        predicted[k] = fs_calibrated(&s->of[k].work, c).seconds;
  }
  for (int k = 0; k < s->n; k++)
    error[k] = fabs(predicted[k] / s->of[k].seconds - 1);
  choose(s, predicted, &chosen, &first);
  qsort(error, (size_t)s->n, sizeof *error, ascending);
  if (getenv("DUMP"))
    printf("unseen: median %.1f %%, 95th percentile %.1f %%; chosen %.3f of the "
           "fastest, first %.3f\n", 100 * error[s->n / 2],
           100 * error[s->n * 19 / 20], chosen, first);
  check(error[s->n / 2] < 0.07 && error[s->n * 19 / 20] < 0.35,
        "kernels of blocks that were left out are predicted");
  check(chosen < 1.06 && chosen < 1 + 0.7 * (first - 1),
        "the setting of least predicted time is nearly the fastest");
  free(c);
  free(some);
  free(predicted);
  free(error);
}

/* -- who holds a row ---------------------------------------------------------------- */

/* ATAX on rows of n as one kernel: whether it holds them, by how many blocks. */
static void holds(const struct fs_device *d, int64_t m, int64_t n, bool held,
                  int blocks, const char *what) {
  struct fs_graph *g = fs_graph_new();
  fs_id A = input(g, 0, m, n, "A"), p = input(g, 1, n, 0, "p");
  fs_graph_output(g, matvec(g, transposed(g, A), matvec(g, A, p)), "y");
  struct fs_graph *simple = fs_graph_simplify(g);
  struct fs_plan *plan = fs_plan_make(
      simple, d, &(struct fs_plan_options){.strategy = FS_MIN_SYNC});
  struct fs_kernel *k = &plan->kernels.data[0];
  fs_tune(k, d);
  bool ok = plan->kernels.len == 1 && k->scheme == FS_ROW &&
            fs_tune_holds(k) == held && FS_MAX(1, k->tune.cluster) == blocks;
  if (!ok)
    printf("%d kernels, %s, %d threads, %d vectors, clusters of %d\n",
           plan->kernels.len, fs_schemes[k->scheme].name, k->tune.threads,
           k->tune.cols, k->tune.cluster);
  check(ok, what);
  fs_plan_free(plan);
  fs_graph_free(g);
}

static void long_rows(void) {
  struct fs_device old = gpu;
  fs_device_of_cc(&old, 80);
  holds(&gpu, 1000, 1000, true, 1, "rows side by side in a block");
  holds(&gpu, 1000, 16384, true, 1, "a row to a block");
  holds(&gpu, 1000, 32768, true, 2, "a row to two blocks");
  holds(&gpu, 1000, 40001, true, 4, "a row to four blocks, of an odd length");
  holds(&gpu, 1000, 131072, true, 8, "a row to eight blocks");
  holds(&gpu, 1000, 200000, false, 1, "a row that is too long");
  holds(&old, 1000, 16384, true, 1, "a row to a block of sm_80");
  holds(&old, 1000, 40001, false, 1, "no clusters before sm_90");
}

/* Ctrl-C while a block of 20,000 calls is simplified, or planned: no kernel is looked for, and
 * none is made. */
static void interrupted(void) {
  struct fs_graph *g = fs_graph_new();
  fs_id A = input(g, 0, 30, 30, "A"), x = input(g, 1, 30, 0, "x");
  for (int k = 0; k < 20000; k++) fs_graph_output(g, x = matvec(g, A, x), "x");
  struct fs_graph *simple = fs_graph_simplify(g);
  fs_interrupt_request();
  struct fs_graph *cut = fs_graph_simplify(g);
  struct fs_plan *plan = fs_plan_make(simple, &cpu, &(struct fs_plan_options){0});
  fs_interrupt_clear();
  check(simple->outputs.len == 20000 && !cut->outputs.len, "an interrupt ends simplifying");
  fs_graph_free(cut);
  check(!plan->kernels.len && plan->found->space.fusions == 0 && plan->found->space.steps == 0,
        "an interrupt ends planning");
  fs_plan_free(plan);
  fs_graph_free(g);
}

/* Each rule of a plan, broken on purpose. */
static void rules(void) {
  struct fs_graph *g = fs_graph_new();
  fs_id A = input(g, 0, 300, 200, "A"), x = input(g, 1, 200, 0, "x");
  fs_id y = matvec(g, A, x);
  fs_graph_output(g, y, "y");
  fs_graph_output(g, map2(g, FS_OP_MUL, y, y), "z");
  struct fs_plan *plan = fs_plan_make(fs_graph_simplify(g), &gpu, &(struct fs_plan_options){0});
  struct fs_kernel *k = &plan->kernels.data[0];
  check(!fs_plan_check(plan), "a legal plan");
#define BREAKS(rule, field, value)                                        \
  do {                                                                    \
    __typeof__(field) old = (field);                                      \
    (field) = (value);                                                    \
    const char *got = fs_plan_check(plan);                                \
    check(got && !strncmp(got, rule, 2), rule);                           \
    (field) = old;                                                        \
  } while (0)
  BREAKS("P1", k->space.m, 301);
  BREAKS("P1", k->space.n_outer, FS_MAX_RANK + 1);
  int last = k->steps.len - 1;
  BREAKS("P2", k->steps.data[0].phase, FS_END);
  BREAKS("P2", k->steps.data[last].in[0], k->values.len);
  BREAKS("P2", k->steps.data[last].access, k->accesses.len);
  BREAKS("P2", k->values.data[k->steps.data[last].in[0]].ready, FS_END);
  BREAKS("P3", k->accesses.data[0].slot, plan->slots.len);
  BREAKS("P3", k->accesses.data[0].list, 1);
  BREAKS("P6", k->joint, FS_BARRIER);
  BREAKS("P7", k->tune.threads, 16);
  BREAKS("P7", k->tune.vec, 16);
  BREAKS("P7", k->scheme, FS_TILE); /* which has no ring of rows */
  for (int s = 0; s < plan->slots.len; s++)
    if (plan->slots.data[s].kind == FS_SLOT_INPUT)
      BREAKS("P5", plan->slots.data[s].kind, FS_SLOT_TEMP);
  int n = k->calls.len;
  fs_id first = k->calls.data[0];
  *FS_PUSH(&k->calls) = first;
  const char *got = fs_plan_check(plan);
  check(got && !strncmp(got, "P4", 2), "P4");
  k->calls.len = n;
  check(!fs_plan_check(plan), "the plan as it was");
  fs_plan_free(plan);
  fs_graph_free(g);
}

int main(void) {
  fs_device_of_cc(&gpu, 90);
  gpu.calibration = fs_calibration_plain(&gpu);
  cpu.calibration = fs_calibration_plain(&cpu);
  struct samples h200 = read_samples();
  calibrated(&h200);
  unseen(&h200);
  free(h200.of);
  free(h200.block);
  sequences(&gpu, 4096, 4096);
  sequences(&gpu, 5000, 4000);
  sequences(&cpu, 4096, 4096);
  sequences(&cpu, 1000, 1000);
  ranked(&gpu);
  ranked(&cpu);
  why();
  memory();
  changes();
  joined();
  wide();
  vectors();
  neighbours();
  stages();
  sums();
  long_rows();
  interrupted();
  rules();
  free((void *)(uintptr_t)gpu.calibration);
  free((void *)(uintptr_t)cpu.calibration);
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
