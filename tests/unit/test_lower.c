/* test_lower.c - programs of loops: printed, dumped, and the rules that they keep. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lower/address.h"
#include "core/lower/program.h"

static int passed, failed;

static void check(bool ok, const char *what, const char *got) {
  if (ok) passed++;
  else if (failed++ < 20) fprintf(stderr, "test_lower.c: %s: %s\n", what, got ? got : "");
}

static const struct fs_step load = {.kind = FS_SP_LOAD, .out = 1, .access = 0},
                            map = {.kind = FS_SP_MAP, .out = 2, .access = -1},
                            store = {.kind = FS_SP_STORE, .out = -1, .access = 3},
                            sum = {.kind = FS_SP_REDUCE, .out = 4, .access = -1};

static struct fs_lp *loop(struct fs_lp_writer *w, enum fs_lp_axis axis, int64_t extent,
                          const char *text) {
  struct fs_lp *x = fs_lp_open(w, FS_LP_FOR, text);
  x->axis = axis;
  x->extent = extent;
  x->unroll = FS_LP_UNROLL_ALL;
  return x;
}

static void say(struct fs_lp_writer *w, enum fs_lp_kind kind, const struct fs_step *s,
                const char *text) {
  fs_lp_add(w, kind, text)->step = s;
}

/* Two vectors of four lanes, and a branch. */
static struct fs_lp *example(struct fs_arena *arena) {
  struct fs_lp_writer w = {arena, fs_lp_new(arena)};
  struct fs_lp *all = w.at;
  loop(&w, FS_LP_VECTOR, 2, "int c = 0; c < 2; c++");
  say(&w, FS_LP_LOAD, &load, "if (in) fs_load(v1[c], a0 + j);");
  loop(&w, FS_LP_LANE, 4, "int e = 0; e < 4; e++");
  say(&w, FS_LP_MAP, &map, "const float v2 = -v1[c][e];");
  fs_lp_close(&w);
  fs_lp_open(&w, FS_LP_IF, "rare");
  say(&w, FS_LP_STORE, &store, "fs_put(a3[j], v2);");
  fs_lp_else(&w, "as a rule");
  say(&w, FS_LP_STORE, &store, "fs_store(a3 + j, v2);");
  fs_lp_close(&w);
  fs_lp_close(&w);
  say(&w, FS_LP_BARRIER, NULL, "__syncthreads();");
  return all;
}

static void test_print(void) {
  struct fs_arena *arena = fs_arena_new();
  struct fs_str s = {0};
  fs_lp_print_cuda(example(arena), 1, &s);
  const char *want = "#pragma unroll\n"
                     "  for (int c = 0; c < 2; c++) {\n"
                     "    if (in) fs_load(v1[c], a0 + j);\n"
                     "#pragma unroll\n"
                     "    for (int e = 0; e < 4; e++) {\n"
                     "      const float v2 = -v1[c][e];\n"
                     "    }\n"
                     "    if (rare) {\n"
                     "      fs_put(a3[j], v2);\n"
                     "    } else {  // as a rule\n"
                     "      fs_store(a3 + j, v2);\n"
                     "    }\n"
                     "  }\n"
                     "  __syncthreads();\n";
  check(!strcmp(fs_str_text(&s), want), "the text", fs_str_text(&s));
  fs_str_clear(&s);
  fs_lp_dump(example(arena), 0, &s);
  check(!!strstr(fs_str_text(&s), "for vectors 2 unrolled: int c = 0; c < 2; c++\n"
                                  "  load v1: if (in) fs_load(v1[c], a0 + j);\n"
                                  "  for lanes 4 unrolled:"), "the dump", fs_str_text(&s));
  check(!!strstr(fs_str_text(&s), "  if: rare\n    store a3: fs_put(a3[j], v2);\n  else\n"),
        "the dump of a branch", fs_str_text(&s));
  fs_str_free(&s);
  fs_arena_free(arena);
}

/* A line of more than 80 columns is cut where brackets are least deep; a directive is not. */
static void test_long_lines(void) {
  struct fs_arena *arena = fs_arena_new();
  struct fs_lp_writer w = {arena, fs_lp_new(arena)};
  struct fs_str s = {0};
  fs_lp_add(&w, FS_LP_TEXT, "const float v3 = fmaf(v1[c][e] * v2[c][e], v2[c][e], v1[c][e]) + "
                            "fs_max(v1[c][e], v2[c][e]);");
  fs_lp_add(&w, FS_LP_TEXT, "#define FS_SET(k, x) aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbbbb "
                            "cccccccccccccccccc")->shift = FS_LP_MARGIN;
  fs_lp_print_cuda(w.at, 2, &s);
  check(!strncmp(fs_str_text(&s), "    const float v3 = fmaf(v1[c][e] * v2[c][e], v2[c][e], v1[c][e]) +\n"
                                  "        fs_max(v1[c][e], v2[c][e]);\n#define FS_SET(", 116),
        "long lines", fs_str_text(&s));
  fs_str_free(&s);
  fs_arena_free(arena);
}

static void breaks(const char *rule, void (*spoil)(struct fs_lp_writer *w)) {
  struct fs_arena *arena = fs_arena_new();
  struct fs_lp_writer w = {arena, fs_lp_new(arena)};
  struct fs_lp *all = w.at;
  const struct fs_lp *where = NULL;
  spoil(&w);
  const char *got = fs_lp_check(all, &where);
  check(got && !strcmp(got, rule) && where, rule, got);
  fs_arena_free(arena);
}

static void wait_in_lanes(struct fs_lp_writer *w) {
  loop(w, FS_LP_LANE, 4, "int e = 0; e < 4; e++");
  fs_lp_open(w, FS_LP_IF, "any");
  say(w, FS_LP_BARRIER, NULL, "__syncthreads();");
}
static void load_of_store(struct fs_lp_writer *w) { say(w, FS_LP_LOAD, &store, "x"); }
static void store_of_sum(struct fs_lp_writer *w) { say(w, FS_LP_STORE, &sum, "x"); }
static void sum_of_map(struct fs_lp_writer *w) { say(w, FS_LP_ACC, &map, "x"); }
static void map_of_store(struct fs_lp_writer *w) { say(w, FS_LP_MAP, &store, "x"); }
static void body_of_text(struct fs_lp_writer *w) {
  fs_lp_open(w, FS_LP_TEXT, "x");
  say(w, FS_LP_TEXT, NULL, "y");
}
static void else_of_loop(struct fs_lp_writer *w) {
  loop(w, FS_LP_SERIAL, 0, "");
  fs_lp_else(w, NULL);
}
static void no_rounds(struct fs_lp_writer *w) { loop(w, FS_LP_SERIAL, -1, ""); }

static void test_rules(void) {
  struct fs_arena *arena = fs_arena_new();
  const struct fs_lp *where;
  const char *rule = fs_lp_check(example(arena), &where);
  check(!rule, "a legal program", rule);
  fs_arena_free(arena);
  breaks("a barrier among what one thread has", wait_in_lanes);
  breaks("a load of no load", load_of_store);
  breaks("a store of no store", store_of_sum);
  breaks("a sum of no reduction", sum_of_map);
  breaks("a map that makes no value", map_of_store);
  breaks("statements in one that has no body", body_of_text);
  breaks("an else of no if", else_of_loop);
  breaks("a loop without rounds", no_rounds);
}

/* Axes of one element and terms of 0 are left out; the order is that of adding. */
static void test_address(void) {
  const struct fs_space space = {.n_outer = 1, .n_inner = 2, .dim = {7, 1, 5}};
  struct fs_lp_axes axes = fs_lp_axes_of(&space);
  const int64_t stride[FS_MAX_RANK + 1] = {35, 9, 1};
  struct fs_lp_address a = {0};
  check(fs_lp_is_nothing(&a), "nothing", NULL);
  fs_lp_add_term(&a, "x", 0);
  check(fs_lp_is_nothing(&a), "0 times x", NULL);
  fs_lp_add_axes(&a, &axes, stride);
  fs_lp_add_term(&a, NULL, 3);
  check(!fs_lp_is_nothing(&a), "something", NULL);
  const char *const want[] = {"i", "j1", NULL};
  const int64_t times[] = {35, 1, 3, 0};
  for (int x = 0; x < 4; x++) check(a.term[x].times == times[x], "times", a.term[x].index);
  for (int x = 0; x < 2; x++) check(!strcmp(a.term[x].index, want[x]), "index", a.term[x].index);
  check(!a.term[2].index, "a number", a.term[2].index);
  const struct fs_space flat = {.n_outer = 2, .dim = {2, 3}};
  axes = fs_lp_axes_of(&flat);
  check(axes.n_inner == 1 && axes.dim[2] == 1, "an inner axis", NULL);
  a = (struct fs_lp_address){0};
  fs_lp_add_axes(&a, &axes, (const int64_t[FS_MAX_RANK + 1]){3, 1});
  check(a.term[1].times == 1 && !strcmp(a.term[1].index, "i1"), "names", a.term[1].index);
}

static void test_around(void) {
  struct fs_arena *arena = fs_arena_new();
  struct fs_lp_writer w = {arena, fs_lp_new(arena), 0};
  check(!fs_lp_in_loop(&w, FS_LP_VECTOR) && !fs_lp_has_name(&w, "j"), "nothing around", NULL);
  loop(&w, FS_LP_VECTOR, 2, "int c = 0; c < 2; c++");
  say(&w, FS_LP_LET, NULL, "const fs_index j = c * 4, g = j;");
  say(&w, FS_LP_TEXT, NULL, "n = 3;");
  fs_lp_open(&w, FS_LP_IF, "rare");
  say(&w, FS_LP_LET, NULL, "const int k = j;");
  check(fs_lp_has_name(&w, "j") && fs_lp_has_name(&w, "g") && fs_lp_has_name(&w, "k"), "names",
        NULL);
  check(!fs_lp_has_name(&w, "n") && !fs_lp_has_name(&w, "c"), "no names", NULL);
  check(fs_lp_in_loop(&w, FS_LP_VECTOR) && !fs_lp_in_loop(&w, FS_LP_ROW), "loops", NULL);
  fs_lp_else(&w, NULL);
  check(fs_lp_has_name(&w, "j") && !fs_lp_has_name(&w, "k"), "of the branch", NULL);
  fs_lp_close(&w);
  fs_lp_close(&w);
  check(!fs_lp_in_loop(&w, FS_LP_VECTOR) && !fs_lp_has_name(&w, "j"), "behind it", NULL);
  fs_arena_free(arena);
}

int main(void) {
  test_address();
  test_around();
  test_print();
  test_long_lines();
  test_rules();
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
