/* test_rules.c - where the numbers of core/base/rules.def decide. Each row of edges.def is
 * a block that is planned one way by a number as it is, and another way by a number beside it:
 * whoever changes the number sees a plan change. No device is needed.
 *
 *   test_rules              the rows, and that every number has one
 *   test_rules --find WORD  rows for the numbers whose names have this word
 */
#include <math.h>
#include <stdlib.h>

#include "core/schedule/schedule.h"
#include "tests/unit/devices.h"
#include "tests/unit/statements.h"
#include "tests/unit/check.h"

/* -- statements beside those of statements.h ------------------------------------------------ */

static void say_two_matrices(struct block *b) {
  fs_id a = two(b, FS_OP_ADD, matrix(b), matrix(b));
  fs_id x = two(b, FS_OP_ADD, by_columns(b, a, column(b)), row(b));
  give(b, by_rows(b, a, x));
}
static void say_columns(struct block *b) {
  fs_id a = matrix(b);
  give(b, by_columns(b, a, column(b)));
}

static void say_places(struct block *b) {
  give(b, fs_graph_reduce(b->g, FS_RD_ARGMAX, matrix(b), 2));
}

static void say_turned_places(struct block *b) {
  fs_id other = across(b, input_of(b, b->dt, b->n, b->m));
  give(b, fs_graph_reduce(b->g, FS_RD_ARGMAX, two(b, FS_OP_ADD, matrix(b), other), 2));
}

static void say_outers(struct block *b) { /* what is loaded again and again */
  fs_id a = matrix(b);
  for (int k = 0; k < 3; k++)
    a = two(b, FS_OP_ADD, a, two(b, FS_OP_MUL, spread(b, column(b), 0), spread(b, row(b), 1)));
  give(b, a);
}

static const struct statement more[] = {
    {"two matrices", say_two_matrices}, {"columns", say_columns}, {"places", say_places},
    {"outers", say_outers},          {"turned places", say_turned_places}};
enum { STATEMENTS = FS_LEN(statements) + FS_LEN(more) };

static const struct statement *statement_at(size_t k) {
  return k < FS_LEN(statements) ? &statements[k] : &more[k - FS_LEN(statements)];
}

/* -- a block and its plan, in a line ------------------------------------------------------- */

struct place {
  const char *statement;
  enum fs_dtype dtype;
  int64_t m, n;
  int device; /* of devices[] */
};

static void put_gpu(const struct fs_kernel *k, const struct fs_device *d, struct fs_str *out) {
  const struct fs_tuning *t = &k->tune;
  struct fs_march p;
  fs_str_printf(out, " %d/%d v%d c%d i%d x%d s%d b%d", t->threads, t->row_threads, t->vec, t->cols,
                t->iters, t->cluster, k->scheme == FS_ROW ? fs_ring_stages(k, d) : 0,
                t->blocks_per_sm);
  if (k->scheme == FS_MARCH && fs_march_of(k, d, &p))
    fs_str_printf(out, " h%d held%d lag%d r%d", p.height, p.held, p.lag, p.regs);
}

/* What stays in the second-level cache. */
static void put_kept(const struct fs_plan *plan, const struct fs_kernel *k,
                     const struct fs_device *d, struct fs_str *out) {
  struct fs_arena *arena = fs_arena_new();
  bool *given = FS_NEW_N(arena, bool, k->accesses.len + 1);
  for (int x = 0; x < k->accesses.len; x++)
    given[x] = plan->slots.data[k->accesses.data[x].slot].kind == FS_SLOT_INPUT;
  const struct fs_schedule_how how = {.given = given};
  const struct fs_schedule *s = fs_schedule_of(k, plan->graph, d, &how, arena);
  if (s->staying) fs_str_printf(out, " keeps %lld", (long long)s->staying);
  if (s->lasts) fs_str_puts(out, " lasts");
  fs_arena_free(arena);
}

static void put_cpu(const struct fs_kernel *k, const struct fs_device *d, struct fs_str *out) {
  struct fs_cpu_schedule c;
  fs_schedule_cpu(k, d, &c);
  fs_str_printf(out, " %lldx%lld of %lldx%lld e%lld%s%s", (long long)c.rows, (long long)c.columns,
                (long long)c.chunk_rows, (long long)c.chunk_columns, (long long)c.end_strip,
                c.small ? " small" : "", c.row_by_row ? " by row" : "");
  fs_cpu_schedule_free(&c);
}

/* Kernels with their settings, those of one launch in brackets. */
static void put_plan(const struct fs_plan *plan, const struct fs_device *d, struct fs_str *out) {
  for (int x = 0; x < plan->kernels.len; x++) {
    const struct fs_kernel *k = &plan->kernels.data[x];
    bool first = fs_launch_first(plan, x) == x, last = fs_launch_end(plan, x) == x + 1;
    fs_str_printf(out, "%s%s%s", x ? "; " : "", first && !last ? "[" : "",
                  fs_schemes[k->scheme].name);
    if (d->is_cuda) put_gpu(k, d, out);
    if (d->is_cuda && k->scheme != FS_LIBRARY) put_kept(plan, k, d, out);
    else if (k->scheme < FS_LIBRARY) put_cpu(k, d, out);
    if (last && !first) fs_str_puts(out, "]");
  }
}

static void describe(const struct place *at, struct fs_str *out) {
  struct block b = {.g = fs_graph_new(), .dt = at->dtype, .m = at->m, .n = at->n};
  const struct fs_device *d = &devices[at->device];
  for (size_t s = 0; s < STATEMENTS; s++)
    if (!strcmp(statement_at(s)->name, at->statement)) statement_at(s)->say(&b);
  struct fs_graph *g = fs_graph_simplify(b.g);
  struct fs_plan *plan = NULL;
  fs_str_clear(out);
  if (fs_plan_ranked(g, d, &(struct fs_plan_options){.effort = 5}, 1, &plan)) {
    put_plan(plan, d, out);
    fs_plan_free(plan);
  }
  fs_graph_free(g);
  fs_graph_free(b.g);
}

/* -- the rows --------------------------------------------------------------------------------- */

enum { H200, H100, A100, CPU };
static const struct edge {
  enum fs_figure number;
  double other; /* another value, by which the plan is another one */
  struct place at;
  const char *plan;
} edges[] = {
#define EDGE(number, other, statement, dtype, m, n, device, plan) \
  {FS_##number, other, {statement, FS_##dtype, m, n, device}, plan},
#include "tests/unit/edges.def"
};

/* No block of these on these devices is planned another way by half or twice of these:
 * a test elsewhere has to see them. The list may only become shorter. */
static const enum fs_figure without[] = {
    FS_GPU_PASSING, FS_GPU_LONG_ROW, FS_GPU_MOST_CODE, FS_GPU_RANDOM_CODE,
    FS_GPU_SIDE_BYTES, FS_MARCH_REGS_ALIKE, FS_PLAN_NOT_FIRST, FS_PLAN_NARROW_RATE,
    FS_PLAN_NARROW, FS_PLAN_DEEP, FS_PLAN_QUOTIENT_BY_ONE, FS_CPU_WORTH_CALLING, FS_HOST_ROUNDS,
    FS_PLAN_WRITTEN_OUT, FS_PLAN_WRITTEN_OUT_FEW, FS_PLAN_NARROW_DOWN};

static void test_edges(void) {
  struct fs_str plan = {0};
  bool has[FS_FIGURES] = {false};
  for (size_t k = 0; k < FS_LEN(edges); k++) {
    const struct edge *e = &edges[k];
    const char *name = fs_figures[e->number].name;
    has[e->number] = true;
    describe(&e->at, &plan);
    check(!strcmp(fs_str_text(&plan), e->plan), "%s: %s %s %lld x %lld:\n  %s\n  %s", name,
          e->at.statement, fs_dtype_name(e->at.dtype), (long long)e->at.m, (long long)e->at.n,
          fs_str_text(&plan), e->plan);
    fs_figure_try(e->number, e->other);
    describe(&e->at, &plan);
    check(strcmp(fs_str_text(&plan), e->plan), "%s: %s %lld x %lld is no edge of it", name,
          e->at.statement, (long long)e->at.m, (long long)e->at.n);
    fs_figure_try(e->number, 0);
  }
  for (size_t k = 0; k < FS_LEN(without); k++) {
    check(!has[without[k]], "%s has a row", fs_figures[without[k]].name);
    has[without[k]] = true;
  }
  for (int n = 0; n < FS_FIGURES; n++)
    check(has[n], "%s has no row", fs_figures[n].name);
  fs_str_free(&plan);
}

/* -- finding rows ------------------------------------------------------------------------------- */

enum { PLACES = 9000 };
static struct place places[PLACES];
static char *plans[PLACES];

static int64_t draw(uint64_t *state, int64_t most) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((*state >> 33) % (uint64_t)most);
}

static void draw_places(void) {
  struct fs_str plan = {0};
  uint64_t state = 1;
  for (int k = 0; k < PLACES; k++) {
    struct place *p = &places[k];
    p->statement = statement_at((size_t)draw(&state, STATEMENTS))->name;
    p->dtype = types[draw(&state, FS_LEN(types))];
    double least = k % 3 ? 4 : 24, most = k % 3 ? 28 : 31; /* of the elements' number, log2 */
    double bits = least + (most - least) * (double)draw(&state, 1000) / 1000;
    double part = (double)draw(&state, 1000) / 1000;
    p->m = FS_MAX(2, (int64_t)exp2(bits * part));
    p->n = FS_MAX(2, (int64_t)exp2(bits * (1 - part)));
    p->device = k % 3 == 1 ? CPU : (int)draw(&state, GPUS);
    describe(p, &plan);
    plans[k] = fs_strdup(fs_str_text(&plan));
  }
  fs_str_free(&plan);
}

static bool changes(int k, enum fs_figure n, double value, struct fs_str *plan) {
  fs_figure_try(n, value);
  describe(&places[k], plan);
  fs_figure_try(n, 0);
  return strcmp(fs_str_text(plan), plans[k]) != 0;
}

/* The value nearest to that of the table, on the way to `far`, that changes a plan: within a
 * hundredth. Gives the place, or -1. */
static int nearest(enum fs_figure n, double value, double *far) {
  struct fs_str plan = {0};
  int found = -1;
  bool whole = value == floor(value);
  for (int k = 0; k < PLACES; k++) {
    double next = value + (*far - value) * .99;
    if (whole) next = *far > value ? ceil(next) - (found >= 0) : floor(next) + (found >= 0);
    if (found >= 0 && fabs(*far - value) <= (whole ? 1 : value / 100)) break;
    if (strlen(plans[k]) > 80 || !changes(k, n, found < 0 ? *far : next, &plan)) continue;
    double near = value, there = found < 0 ? *far : next;
    while (fabs(there - near) > (whole ? 1 : value / 200)) {
      double middle = (near + there) / 2;
      if (whole) middle = floor(middle);
      if (changes(k, n, middle, &plan)) there = middle;
      else near = middle;
    }
    *far = there;
    found = k;
  }
  fs_str_free(&plan);
  return found;
}

static void find(const char *word) {
  static const char *const names[] = {"H200", "H100", "A100", "CPU"};
  static const char *const upper[] = {[FS_F32] = "F32", [FS_F64] = "F64", [FS_F16] = "F16",
                                      [FS_BF16] = "BF16"};
  draw_places();
  for (int n = 0; n < FS_FIGURES; n++) {
    double value = fs_figures[n].value;
    if (!strstr(fs_figures[n].name, word)) continue;
    for (int up = 0; up < 2; up++) {
      double far = up ? value * 2 : value / 2;
      int k = nearest((enum fs_figure)n, value, &far);
      const struct place *p = &places[FS_MAX(k, 0)];
      if (k < 0) printf("// %s: nothing %s\n", fs_figures[n].name, up ? "above" : "below");
      else printf("EDGE(%s, %.9g, \"%s\", %s, %lld, %lld, %s,\n     \"%s\")\n", fs_figures[n].name,
                  far, p->statement, upper[p->dtype], (long long)p->m, (long long)p->n,
                  names[p->device], plans[k]);
      fflush(stdout);
    }
  }
}

int main(int argc, char **argv) {
  take_devices();
  if (argc > 2 && !strcmp(argv[1], "--find")) return find(argv[2]), 0;
  test_edges();
  leave_devices();
  printf("%d passed, %d failed\n", passed, failed);
  return failed || !passed;
}
