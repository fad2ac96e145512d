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
  fs_lp_print(example(arena), FS_CUDA_C, 1, &s);
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

/* A line of more than 80 columns is cut where brackets are least deep. */
static void test_long_lines(void) {
  struct fs_arena *arena = fs_arena_new();
  struct fs_lp_writer w = {arena, fs_lp_new(arena)};
  struct fs_str s = {0};
  fs_lp_add(&w, FS_LP_TEXT, "const float v3 = fmaf(v1[c][e] * v2[c][e], v2[c][e], v1[c][e]) + "
                            "fs_max(v1[c][e], v2[c][e]);");
  fs_lp_print(w.at, FS_CUDA_C, 2, &s);
  check(!strncmp(fs_str_text(&s), "    const float v3 = fmaf(v1[c][e] * v2[c][e], v2[c][e], v1[c][e]) +\n"
                                  "        fs_max(v1[c][e], v2[c][e]);\n", 101),
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
  struct fs_lp_writer w;
  fs_lp_begin(&w, 4);
  fs_lp_go(&w, "row");
  check(!fs_lp_loop(&w, FS_LP_VECTOR) && !fs_lp_has_name(&w, "j"), "nothing around", NULL);
  loop(&w, FS_LP_VECTOR, 2, "int c = 0; c < 2; c++");
  say(&w, FS_LP_LET, NULL, "const fs_index j = c * 4, g = j;");
  say(&w, FS_LP_TEXT, NULL, "n = 3;");
  fs_lp_open(&w, FS_LP_IF, "rare");
  say(&w, FS_LP_LET, NULL, "const int k = j;");
  check(fs_lp_has_name(&w, "j") && fs_lp_has_name(&w, "g") && fs_lp_has_name(&w, "k"), "names",
        NULL);
  check(!fs_lp_has_name(&w, "n") && !fs_lp_has_name(&w, "c"), "no names", NULL);
  check(fs_lp_loop(&w, FS_LP_VECTOR) && !fs_lp_loop(&w, FS_LP_ROW), "loops", NULL);
  fs_lp_else(&w, NULL);
  check(fs_lp_has_name(&w, "j") && !fs_lp_has_name(&w, "k"), "of the branch", NULL);
  fs_lp_close(&w);
  fs_lp_close(&w);
  check(!fs_lp_loop(&w, FS_LP_VECTOR) && !fs_lp_has_name(&w, "j"), "behind it", NULL);
  fs_arena_free(w.arena);
}

/* A value is in scope where it was declared last, as it was; places are scopes. */
static void test_values(void) {
  struct fs_lp_writer w;
  fs_lp_begin(&w, 4);
  fs_lp_go(&w, "before");
  fs_lp_declare(&w, fs_lp_add(&w, FS_LP_LET, "float v3[4];"), 3, FS_LP_LANES);
  fs_lp_go(&w, "row");
  check(!fs_lp_has_value(&w, 3), "of another place", NULL);
  check(w.value[3]->over == FS_LP_LANES && !w.value[2]->over, "over lanes", NULL);
  fs_lp_open(&w, FS_LP_IF, "rare");
  fs_lp_declare(&w, fs_lp_add(&w, FS_LP_LET, "float v3;"), 3, 0);
  check(fs_lp_has_value(&w, 3) && !fs_lp_has_value(&w, 2), "of the branch", NULL);
  fs_lp_close(&w);
  check(!fs_lp_has_value(&w, 3), "behind it", NULL);
  fs_lp_go(&w, "before");
  check(!fs_lp_has_value(&w, 3), "hidden by the later one", NULL);
  struct fs_str out = {0};
  fs_lp_dump(w.all, 0, &out);
  check(!strcmp(fs_str_text(&out), "place: before\n  let v3 of lanes: float v3[4];\n"
                                   "place: row\n  if: rare\n    let v3: float v3;\n"),
        "dump", fs_str_text(&out));
  check(fs_lp_place(w.all, "row", 3) && !fs_lp_place(w.all, "rows", 4), "places", NULL);
  fs_str_free(&out);
  fs_arena_free(w.arena);
}

/* A loop over lanes of a map and a sum, which is guarded, in a block. */
static const struct fs_lp *lanes(struct fs_arena *arena, int64_t extent) {
  struct fs_lp_writer w = {.arena = arena, .at = fs_lp_new(arena)};
  struct fs_lp *all = loop(&w, FS_LP_LANE, extent, "int e = 0; e < 4; e++");
  say(&w, FS_LP_MAP, &map, NULL);
  fs_lp_open(&w, FS_LP_IF, "i < 9")->bare = true;
  say(&w, FS_LP_ACC, &sum, NULL);
  return all;
}

static void dumps(const char *what, const struct fs_lp *list, const char *want) {
  struct fs_str s = {0};
  fs_lp_dump(list, 0, &s);
  check(!strcmp(fs_str_text(&s), want), what, fs_str_text(&s));
  fs_str_free(&s);
}

static void test_short_ways(void) {
  static const char *const behind[] = {"rare |= !fs_is_factor(v1);"};
  struct fs_lp_rare rare = {"bool rare = false;", behind, 1, true};
  struct fs_lp_writer w;
  fs_lp_begin(&w, 8);
  const struct fs_lp *four = lanes(w.arena, 4), *one = lanes(w.arena, 1);
  struct fs_lp *list = fs_lp_short_ways(w.arena, four, &rare);
  dumps("short ways", list,
        "text: bool rare = false;\n"
        "for lanes 4 unrolled: int e = 0; e < 4; e++\n"
        "  map v2 short\n"
        "text: rare |= !fs_is_factor(v1);\n"
        "if: rare\n"
        "  for lanes 4 unroll 1: int e = 0; e < 4; e++\n"
        "    map v2 long\n"
        "for lanes 4 unrolled: int e = 0; e < 4; e++\n"
        "  if: i < 9\n"
        "    acc v4\n");
  dumps("it is left as it was", four->outer,
        "for lanes 4 unrolled: int e = 0; e < 4; e++\n  map v2\n  if: i < 9\n    acc v4\n");
  check(fs_lp_stragglers(list)->outer == list, "the test", NULL);
  dumps("long ways", fs_lp_long_ways(w.arena, four),
        "for lanes 4 unrolled: int e = 0; e < 4; e++\n  map v2 long\n");
  /* Of one lane: names of short ways are in braces, else there are none. */
  fs_lp_go(&w, "row");
  rare.n = 0;
  fs_lp_append(&w, fs_lp_short_ways(w.arena, one, &rare));
  dumps("one lane", w.all,
        "place: row\n"
        "  text: bool rare = false;\n"
        "  block\n"
        "    map v2 short\n"
        "  if: rare\n"
        "    map v2 long\n"
        "  if: i < 9\n"
        "    acc v4\n");
  const struct fs_lp *where = NULL;
  check(!fs_lp_check(w.all, &where), "a legal program", NULL);
  fs_arena_free(w.arena);
}

/* Half as many rounds; a sum, and what guards it, is there for both. */
static void test_pairs(void) {
  struct fs_arena *arena = fs_arena_new();
  struct fs_lp_writer w = {.arena = arena, .at = fs_lp_new(arena)};
  struct fs_lp *four = loop(&w, FS_LP_LANE, 4, NULL);
  say(&w, FS_LP_MAP, &map, NULL);
  fs_lp_open(&w, FS_LP_IF, "i < 9")->bare = true;
  say(&w, FS_LP_ACC, &sum, NULL);
  fs_lp_pairs(arena, four);
  dumps("pairs", four->outer,
        "for lanes 2 unrolled: int e = 0; e < 2; e++\n"
        "  map v2\n  if: i < 9\n    acc v4\n  if: i < 9\n    acc v4\n");
  const struct fs_lp *first = four->body->next, *second = first->next;
  check(four->body->half == -1 && first->body->half == 0 && second->body->half == 1 &&
            four->last == second && !second->next,
        "halves", NULL);
  fs_arena_free(arena);
}

/* A load of two rows, whose coordinates it has, and a sum of both. */
static void rows_of_load(struct fs_lp_writer *w) {
  struct fs_lp *x = fs_lp_add(w, FS_LP_LET, NULL);
  x->guard = FS_LP_IF_INSIDE;
  fs_lp_declare(w, x, 1, FS_LP_ROWS | FS_LP_LANES);
  loop(w, FS_LP_ROW, 2, NULL);
  fs_lp_add(w, FS_LP_LET, "const fs_index i = first + b;")->axis = FS_LP_ROW;
  x = fs_lp_add(w, FS_LP_LET, "const bool ok = i < 9;");
  x->axis = FS_LP_ROW, x->guard = FS_LP_IF_ROW;
  x = fs_lp_add(w, FS_LP_LOAD, NULL);
  x->step = &load, x->guard = FS_LP_IF_INSIDE, x->way = FS_LP_LONG;
  fs_lp_close(w);
  fs_lp_open(w, FS_LP_IF, "rare");
  x = fs_lp_add(w, FS_LP_ACC, NULL);
  x->step = &sum, x->guard = FS_LP_IF_ROW | FS_LP_IF_SPEAKS;
  fs_lp_else(w, "as a rule");
  say(w, FS_LP_TEXT, NULL, "seen = 1;");
  fs_lp_close(w);
}

static void test_peel(void) {
  struct fs_lp_writer w;
  fs_lp_begin(&w, 8);
  fs_lp_go(&w, "row");
  rows_of_load(&w);
  fs_lp_peel(&w, &(const struct fs_lp_peel){"j < 8", FS_LP_IF_INSIDE, 2});
  dumps("in rows", w.all,
        "place: row\n"
        "  if: j < 8\n"
        "    let v1 of rows of lanes\n"
        "    for rows 2 unrolled: int b = 0; b < 2; b++\n"
        "      let: const fs_index i = first + b;\n"
        "      load v1 short\n"
        "    if: rare\n      acc v4\n    else\n      text: seen = 1;\n"
        "  else\n"
        "    for rows 2 unroll 1: int b = 0; b < 2; b++\n"
        "      let: const fs_index i = first + b;\n"
        "      let: const bool ok = i < 9;\n"
        "      let v1 of lanes\n"
        "      load v1 long\n"
        "      if: rare\n        acc v4\n      else\n        text: seen = 1;\n");
  const struct fs_lp *test = w.at->body, *inside = test->body, *edges = test->other->body->body;
  check(!inside->guard && !inside->next->body->next->guard, "nothing to ask for", NULL);
  check(inside->next->next->body->guard == FS_LP_IF_SPEAKS, "but for what may not hold", NULL);
  check(edges->next->next->guard == FS_LP_IF_INSIDE, "at the edges all of it", NULL);
  fs_lp_go(&w, "after");
  rows_of_load(&w);
  fs_lp_peel(&w, &(const struct fs_lp_peel){.whole = "j < 8"});
  const struct fs_lp *again = w.at->body;
  check(again->body->next->body->next->guard == FS_LP_IF_ROW, "no guard holds", NULL);
  check(again->other->body->next->extent == 2, "rows as they were", NULL);
  check(again->other->body->next->outer == again->other, "moved", NULL);
  const struct fs_lp *where = NULL;
  check(!fs_lp_check(w.all, &where), "a legal program", NULL);
  fs_arena_free(w.arena);
}

/* A block that holds statements until it is closed leaves no trace. */
static void test_group(void) {
  struct fs_lp_writer w;
  fs_lp_begin(&w, 1);
  fs_lp_go(&w, "row");
  say(&w, FS_LP_TEXT, NULL, "a;");
  for (int n = 0; n < 3; n++) {
    fs_lp_open(&w, FS_LP_BLOCK, NULL)->bare = true;
    for (int k = 0; k < n; k++) say(&w, FS_LP_TEXT, NULL, "b;");
    fs_lp_close(&w);
  }
  say(&w, FS_LP_TEXT, NULL, "c;");
  dumps("groups", w.all, "place: row\n  text: a;\n  text: b;\n  text: b;\n  text: b;\n  text: c;\n");
  fs_arena_free(w.arena);
}

/* Rare elements wait: the long ways are not there, and what follows is in the test. */
static void test_stragglers(void) {
  const struct fs_lp_rare rare = {"bool rare = false;", NULL, 0, false};
  struct fs_lp_writer w;
  fs_lp_begin(&w, 8);
  fs_lp_go(&w, "row");
  struct fs_lp_writer lp = {.arena = w.arena, .at = fs_lp_new(w.arena)};
  const struct fs_lp *maps = loop(&lp, FS_LP_LANE, 2, "int e = 0; e < 2; e++");
  say(&lp, FS_LP_MAP, &map, NULL);
  struct fs_lp *list = fs_lp_short_ways(w.arena, maps, &rare);
  struct fs_lp *test = fs_lp_stragglers(list);
  fs_lp_append(&w, list);
  w.at = test;
  say(&w, FS_LP_STORE, &store, "fs_store(a3 + j, v2);");
  fs_lp_else(&w, NULL);
  say(&w, FS_LP_TEXT, NULL, "left = 1;");
  fs_lp_close(&w);
  dumps("stragglers", w.all,
        "place: row\n"
        "  text: bool rare = false;\n"
        "  for lanes 2 unrolled: int e = 0; e < 2; e++\n"
        "    map v2 short\n"
        "  if: !rare\n"
        "    store a3: fs_store(a3 + j, v2);\n"
        "  else\n"
        "    text: left = 1;\n");
  fs_arena_free(w.arena);
}

int main(void) {
  test_address();
  test_around();
  test_values();
  test_short_ways();
  test_pairs();
  test_peel();
  test_group();
  test_stragglers();
  test_print();
  test_long_lines();
  test_rules();
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
