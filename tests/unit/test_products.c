/* test_products.c - whether products of small matrices are routines or calls of a library: by what
 * both are predicted to take. */
#include <stdio.h>

#include "core/model/calibration.h"
#include "core/plan/plan.h"
#include "core/run/products.h"
#include "core/run/tensor.h"

static int passed, failed;

static void check(bool ok, const char *what) {
  if (ok) passed++;
  else failed++, printf("FAILED: %s\n", what);
}

static struct fs_device cpu = {
    .name = "test", .arch = "avx2", .units = 2, .cache_bytes = 32 << 20,
    .memory_bytes = (int64_t)16 << 30, .bandwidth = 4e10,
    .cache_bandwidth = 1e11, .launch = 2e-6, .flops = 1e11};

static struct fs_user_element matrix(const char *name, int rows, int columns) {
  return (struct fs_user_element){.type = FS_UT_SMALL, .name = name, .compute = FS_F32, .rank = 2,
                                  .dim = {rows, columns}, .count = rows * columns, .chip_rank = 2,
                                  .chip = {rows, columns}, .chip_count = rows * columns};
}

static struct fs_small small[2] = {{FS_SMALL_PRODUCT, 3, 3, 3, 0}, {FS_SMALL_PRODUCT, 4, 4, 4, 0}};
static struct fs_user user[2];

static void make_users(void) {
  for (int k = 0; k < 2; k++) {
    int n = small[k].n;
    user[k] = (struct fs_user){.name = "product", .hash = 77 + (uint64_t)k, .by_instance = true,
                               .compute = FS_F32, .n_args = 2, .threads = 1, .flops = 2.0 * n * n * n,
                               .impl = 1, .small = &small[k], .cuda = {"", "", 1}, .c = {"", "", 1}};
    user[k].arg[0] = matrix("A", n, n), user[k].arg[1] = matrix("B", n, n);
    user[k].result = matrix("", n, n);
  }
}

static fs_id input(struct fs_graph *g, int k, int rank, int64_t n) {
  static struct fs_storage storages[8];
  static struct fs_tensor tensors[8];
  storages[k].refs = tensors[k].refs = 1;
  tensors[k].storage = &storages[k];
  struct fs_shape s = {rank, {1000, n, n}};
  if (rank == 2) s = (struct fs_shape){2, {n, n}};
  int64_t count;
  struct fs_layout l = fs_layout_new(FS_F32, &s, &count);
  return fs_graph_input(g, &(struct fs_graph_source){&tensors[k], &tensors[k], {0}}, FS_F32, &s, &l,
                        "A");
}

/* Products of 3 x 3, the second of one matrix with each, and of 4 x 4. */
static struct fs_graph *graph(void) {
  struct fs_graph *g = fs_graph_new();
  struct fs_shape stack = {1, {1000}};
  fs_id a = input(g, 0, 3, 3), b = input(g, 1, 3, 3), m = input(g, 2, 2, 3), c = input(g, 3, 3, 4);
  fs_id one = fs_graph_user(g, &user[0], &stack, (fs_id[]){a, b}, FS_F32);
  fs_graph_output(g, fs_graph_user(g, &user[0], &stack, (fs_id[]){one, m}, FS_F32), "x");
  fs_graph_output(g, fs_graph_user(g, &user[1], &stack, (fs_id[]){c, c}, FS_F32), "y");
  struct fs_graph *simple = fs_graph_simplify(g);
  fs_graph_free(g);
  return simple;
}

/* How many products of n x n are calls of a library, of those that are legal. */
static int calls_of(const struct fs_graph *g, int64_t n) {
  int calls = 0;
  for (int id = 1; id < g->nodes.len; id++) {
    const struct fs_node *nd = fs_node(g, (fs_id)id);
    if (nd->kind != FS_ND_LIB || nd->op != FS_LIB_GEMM) continue;
    struct fs_lib_sizes s = fs_lib_sizes(nd);
    calls += s.rows == n && s.columns == n && s.right == n && s.batch.rank == 1;
  }
  check(!fs_graph_check(g), "the graph that is chosen is legal");
  return calls;
}

/* What each takes where a call of the routines takes so long; asked twice. */
static void choose(double of_three, double of_four, int threes, int fours, const char *what) {
  struct fs_device d = cpu;
  struct fs_calibration *c = fs_calibration_reference(&cpu);
  struct fs_products known = {0};
  struct fs_plan_options o = {.strategy = FS_SMART};
  d.calibration = c;
  fs_call_keep(c, user[0].hash, of_three, 0);
  fs_call_keep(c, user[1].hash, of_four, 0);
  for (int k = 0; k < 2; k++) {
    struct fs_graph *g = fs_products_choose(&known, graph(), &d, &o);
    check(calls_of(g, 3) == threes && calls_of(g, 4) == fours, what);
    fs_graph_free(g);
  }
  free(c);
}

int main(void) {
  make_users();
  choose(1e-9, 1e-9, 0, 0, "routines that take little stay");
  choose(1, 1, 2, 1, "routines that take long are calls of a library");
  choose(1e-9, 1, 0, 1, "each size is chosen for itself: 4 x 4");
  choose(1, 1e-9, 2, 0, "each size is chosen for itself: 3 x 3");
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
