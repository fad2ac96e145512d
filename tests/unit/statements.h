/* statements.h - statements of many kinds, types and shapes, and their best plans on a
 * device: for tests of what is true of every kernel. */
#ifndef FS_TEST_STATEMENTS_H
#define FS_TEST_STATEMENTS_H

#include <stdio.h>

#include "core/plan/plan.h"
#include "core/run/tensor.h"

struct block {
  struct fs_graph *g;
  enum fs_dtype dt;
  int64_t m, n;
  int inputs, outputs;
};

/* Tensors without memory: a planner only asks which storage is which. */
static fs_id input_of(struct block *b, enum fs_dtype dt, int64_t m, int64_t n) {
  static struct fs_storage storages[16];
  static struct fs_tensor tensors[16];
  int k = b->inputs++;
  storages[k].refs = tensors[k].refs = 1;
  tensors[k].storage = &storages[k];
  struct fs_shape s = {.rank = n > 0 ? 2 : 1, .dim = {m, n}};
  int64_t count;
  struct fs_layout l = fs_layout_new(dt, &s, &count);
  char name[] = {(char)('a' + k), 0};
  return fs_graph_input(b->g, &(struct fs_graph_source){&tensors[k], &tensors[k], {0}}, dt, &s,
                        &l, name);
}
static fs_id matrix(struct block *b) { return input_of(b, b->dt, b->m, b->n); }
static fs_id column(struct block *b) { return input_of(b, b->dt, b->m, 0); }
static fs_id row(struct block *b) { return input_of(b, b->dt, b->n, 0); }

static fs_id spread(struct block *b, fs_id v, int axis) {
  struct fs_view view = fs_view_axes(1, &axis);
  struct fs_shape s = {.rank = 2, .dim = {b->m, b->n}};
  return fs_graph_view(b->g, v, &view, &s);
}
static fs_id across(struct block *b, fs_id a) {
  struct fs_shape s = fs_node(b->g, a)->shape, t = {2, {s.dim[1], s.dim[0]}};
  struct fs_view view = fs_view_axes(2, (int[]){1, 0});
  return fs_graph_view(b->g, a, &view, &t);
}
static fs_id two(struct block *b, enum fs_map_op op, fs_id x, fs_id y) {
  return fs_graph_map(b->g, op, 2, (fs_id[]){x, y}, 0);
}
static fs_id one(struct block *b, enum fs_map_op op, fs_id x) {
  return fs_graph_map(b->g, op, 1, &x, 0);
}
static fs_id number(struct block *b, double v) {
  return fs_graph_param(b->g, b->dt, (struct fs_number){v, (int64_t)v});
}
static fs_id total(struct block *b, enum fs_reduce_op op, fs_id x, unsigned over) {
  return fs_graph_reduce(b->g, op, x, over);
}
static fs_id by_rows(struct block *b, fs_id a, fs_id x) { /* A*x */
  return total(b, FS_RD_SUM, two(b, FS_OP_MUL, a, spread(b, x, 1)), 2);
}
static fs_id by_columns(struct block *b, fs_id a, fs_id x) { /* A'*x */
  return total(b, FS_RD_SUM, two(b, FS_OP_MUL, a, spread(b, x, 0)), 1);
}
static void give(struct block *b, fs_id x) {
  char name[] = {(char)('p' + b->outputs++), 0};
  fs_graph_output(b->g, x, name);
}

static void say_sum(struct block *b) {
  give(b, two(b, FS_OP_ADD, two(b, FS_OP_MUL, number(b, 2), matrix(b)), matrix(b)));
}
static void say_product(struct block *b) {
  fs_id a = matrix(b);
  give(b, by_rows(b, a, row(b)));
  give(b, by_columns(b, a, column(b)));
}
static void say_column_sums(struct block *b) {
  fs_id a = matrix(b);
  give(b, total(b, FS_RD_SUM, one(b, FS_OP_SQRT, a), 1));
  give(b, total(b, FS_RD_MAXR, a, 1));
}
static void say_atax(struct block *b) {
  fs_id a = matrix(b);
  give(b, by_columns(b, a, by_rows(b, a, row(b))));
}
static void say_softmax(struct block *b) {
  fs_id a = matrix(b), max = total(b, FS_RD_MAXR, a, 2);
  fs_id e = one(b, FS_OP_EXP, two(b, FS_OP_SUB, a, spread(b, max, 0)));
  give(b, two(b, FS_OP_DIV, e, spread(b, total(b, FS_RD_SUM, e, 2), 0)));
}
static void say_column_softmax(struct block *b) {
  fs_id a = matrix(b), max = total(b, FS_RD_MAXR, a, 1);
  fs_id e = one(b, FS_OP_EXP, two(b, FS_OP_SUB, a, spread(b, max, 1)));
  give(b, two(b, FS_OP_DIV, e, spread(b, total(b, FS_RD_SUM, e, 1), 1)));
}
static void say_normalised(struct block *b) {
  fs_id a = two(b, FS_OP_ADD, matrix(b), spread(b, row(b), 1));
  fs_id mean = two(b, FS_OP_MUL, total(b, FS_RD_SUM, a, 2), number(b, .5));
  fs_id d = two(b, FS_OP_SUB, a, spread(b, mean, 0));
  fs_id s = one(b, FS_OP_SQRT, total(b, FS_RD_SUM, two(b, FS_OP_MUL, d, d), 2));
  give(b, two(b, FS_OP_MUL, d, spread(b, s, 0)));
}
static void say_turned(struct block *b) {
  fs_id a = matrix(b), c = input_of(b, b->dt, b->n, b->m);
  fs_id t = two(b, FS_OP_ADD, a, across(b, c));
  give(b, t);
  give(b, total(b, FS_RD_SUM, t, 2));
}
static void say_outer(struct block *b) {
  fs_id u = column(b), v = row(b);
  fs_id w = one(b, FS_OP_EXP, two(b, FS_OP_MUL, v, number(b, 3)));
  give(b, two(b, FS_OP_ADD, matrix(b), two(b, FS_OP_MUL, spread(b, u, 0), spread(b, w, 1))));
}
static void say_gemver(struct block *b) {
  fs_id a = matrix(b);
  for (int k = 0; k < 2; k++)
    a = two(b, FS_OP_ADD, a, two(b, FS_OP_MUL, spread(b, column(b), 0), spread(b, row(b), 1)));
  fs_id x = two(b, FS_OP_ADD, by_columns(b, a, column(b)), row(b));
  give(b, a);
  give(b, x);
  give(b, by_rows(b, a, x));
}
static void say_wide(struct block *b) {
  fs_id a = fs_graph_cast(b->g, matrix(b), FS_F64);
  fs_id x = fs_graph_cast(b->g, row(b), FS_F64);
  give(b, by_rows(b, a, x));
  give(b, total(b, FS_RD_SUM, two(b, FS_OP_MUL, a, a), 3));
}
static void say_scaled(struct block *b) { /* one pass for two products and their sum */
  fs_id a = matrix(b), c = matrix(b), s = column(b), t = column(b);
  fs_id x = two(b, FS_OP_MUL, spread(b, s, 0), a), y = two(b, FS_OP_MUL, c, spread(b, t, 0));
  fs_id z = two(b, FS_OP_ADD, x, y);
  give(b, two(b, FS_OP_SUB, a, two(b, FS_OP_MUL, z, z)));
}
static void say_flat(struct block *b) {
  fs_id w = column(b), v = column(b);
  fs_id z = two(b, FS_OP_SUB, w, two(b, FS_OP_MUL, number(b, .5), v));
  give(b, z);
  give(b, total(b, FS_RD_SUM, two(b, FS_OP_MUL, z, w), 1));
}
static void say_all(struct block *b) {
  fs_id a = matrix(b), c = matrix(b);
  give(b, total(b, FS_RD_SUM, two(b, FS_OP_MUL, a, c), 3));
  give(b, total(b, FS_RD_MAXR, two(b, FS_OP_SUB, a, c), 3));
}
static void say_chosen(struct block *b) {
  fs_id a = matrix(b), c = matrix(b), less = two(b, FS_OP_LT, a, c);
  give(b, fs_graph_map(b->g, FS_OP_WHERE, 3, (fs_id[]){less, a, one(b, FS_OP_ABS, c)}, 0));
  give(b, total(b, FS_RD_SUM, one(b, FS_OP_ABS, c), 1));
}
static void say_two_ways(struct block *b) {
  fs_id a = matrix(b), e = one(b, FS_OP_EXP, a);
  fs_id s = total(b, FS_RD_SUM, e, 2);
  give(b, two(b, FS_OP_MUL, e, spread(b, one(b, FS_OP_LOG, s), 0)));
  give(b, total(b, FS_RD_SUM, e, 1));
}

static const struct statement {
  const char *name;
  void (*say)(struct block *b);
} statements[] = {
    {"sum", say_sum}, {"product", say_product}, {"column sums", say_column_sums},
    {"atax", say_atax}, {"softmax", say_softmax}, {"column softmax", say_column_softmax},
    {"normalised", say_normalised}, {"turned", say_turned}, {"outer", say_outer},
    {"gemver", say_gemver}, {"wide", say_wide}, {"scaled", say_scaled}, {"flat", say_flat},
    {"all", say_all}, {"chosen", say_chosen}, {"two ways", say_two_ways}};

static const enum fs_dtype types[] = {FS_F32, FS_F64, FS_F16, FS_BF16};

static const int64_t shapes[][2] = {
    {64, 200000}, {200000, 64}, {1000, 1000}, {3001, 17}, {17, 3001}, {1 << 20, 3},
    {5, 1 << 20}, {4096, 4096}, {100, 100}, {2, 2}, {700, 30000}};

/* Calls `look` for the best plans of every statement in every type and shape. */
static inline void each_plan(const struct fs_device *device,
                             const struct fs_plan_options *options,
                             void (*look)(const char *name, const struct fs_plan *plan)) {
  enum { MOST = 24 };
  size_t n_types = FS_LEN(types), n_shapes = FS_LEN(shapes);
  for (size_t k = 0; k < FS_LEN(statements) * n_types * n_shapes; k++) {
    size_t s = k / n_shapes / n_types, x = k % n_shapes;
    struct block b = {.g = fs_graph_new(), .dt = types[k / n_shapes % n_types],
                      .m = shapes[x][0], .n = shapes[x][1]};
    char name[80];
    snprintf(name, sizeof name, "%s %s %lld x %lld", statements[s].name, fs_dtype_name(b.dt),
             (long long)b.m, (long long)b.n);
    statements[s].say(&b);
    struct fs_graph *g = fs_graph_simplify(b.g);
    struct fs_plan *plans[MOST];
    int n = fs_plan_ranked(g, device, options, MOST, plans);
    for (int p = 0; p < n; p++) {
      look(name, plans[p]);
      fs_plan_free(plans[p]);
    }
    fs_graph_free(g);
    fs_graph_free(b.g);
  }
}

#endif
