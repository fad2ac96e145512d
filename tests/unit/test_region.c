/* test_region.c - regions on the CPU target, step by step: what no loop of the language says. */
#include "core/device/cpu/region.h"
#include "tests/unit/check.h"

enum { X, COUNT, BOUND, ONE, EIGHT, LESS, REGISTERS };

/* Lane x counts to x in a loop that another one, which begins anew after each eight steps, is
 * around, and leaves both at once: also when it was put side by side with others meanwhile. */
static const struct fs_region_register registers[REGISTERS] = {
    {FS_RR_OPERAND, FS_I32, {0}},          {FS_RR_VARIABLE, FS_I32, {0}},
    {FS_RR_VARIABLE, FS_I32, {0}},         {FS_RR_CONSTANT, FS_I32, {.f = 1, .i = 1}},
    {FS_RR_CONSTANT, FS_I32, {.f = 8, .i = 8}}, {FS_RR_TEMPORARY, FS_BOOL, {0}}};
#define MAP(to, op, a, b) {FS_RG_MAP, op, 2, to, {a, b}, 0}
#define UNLESS(reg, level) {FS_RG_UNLESS, 0, 1, 0, {reg}, level}
static const struct fs_region_step steps[] = {
    {.code = FS_RG_BLOCK},
    {.code = FS_RG_LOOP},
    MAP(BOUND, FS_OP_ADD, BOUND, EIGHT),
    {.code = FS_RG_BLOCK},
    {.code = FS_RG_LOOP},
    MAP(LESS, FS_OP_LT, COUNT, X),
    UNLESS(LESS, 0),
    MAP(LESS, FS_OP_LT, COUNT, BOUND),
    UNLESS(LESS, 2),
    MAP(COUNT, FS_OP_ADD, COUNT, ONE),
    {.code = FS_RG_END},
    {.code = FS_RG_END},
    MAP(COUNT, FS_OP_ADD, COUNT, ONE), /* what has left both does not come here */
    {.code = FS_RG_END},
    {.code = FS_RG_END}};

static void test_leaves_both(const char *isa) {
  enum { MANY = 700 };
  const struct fs_routines *routines = fs_cpu_routines(isa);
  const struct fs_region r = {1, REGISTERS, FS_LEN(steps), COUNT, registers, steps};
  int32_t x[MANY], out[MANY];
  for (int k = 0; k < MANY; k++) x[k] = k;
  const struct fs_region_call call = {routines, {out}, {x}, {0}, MANY, 0};
  CHECK(fs_region_runs(&r, routines));
  fs_region_run(&r, 1, &r.result, &call);
  for (int k = 0; k < MANY; k++) CHECK(out[k] == k, "%s: lane %d counts to %d", isa, k, out[k]);
}

/* A table is read in the lanes that are there alone: others may have any place. */
static void test_loads(const char *isa) {
  enum { PLACE, TABLE, SUM, GOOD, LEAST, FOUND, ALL, MANY = 300, ELEMENTS = 5 };
  static const struct fs_region_register table_registers[ALL] = {
      {FS_RR_OPERAND, FS_I64, {0}},  {FS_RR_TABLE, FS_F64, {0}},
      {FS_RR_VARIABLE, FS_F64, {0}}, {FS_RR_TEMPORARY, FS_BOOL, {0}},
      {FS_RR_CONSTANT, FS_I64, {.f = 1, .i = 1}}, {FS_RR_TEMPORARY, FS_F64, {0}}};
  static const struct fs_region_step load_steps[] = {
      {.code = FS_RG_BLOCK},
      MAP(GOOD, FS_OP_GE, PLACE, LEAST),
      UNLESS(GOOD, 0),
      {FS_RG_LOAD, 0, 2, FOUND, {TABLE, PLACE}, 0},
      MAP(SUM, FS_OP_ADD, SUM, FOUND),
      {.code = FS_RG_END}};
  const struct fs_routines *routines = fs_cpu_routines(isa);
  const struct fs_region r = {2, ALL, FS_LEN(load_steps), SUM, table_registers, load_steps};
  const double table[2 * ELEMENTS] = {10, -1, 20, -1, 30, -1, 40, -1, 50, -1};
  int64_t place[MANY];
  double out[MANY];
  for (int k = 0; k < MANY; k++) place[k] = k % 3 ? 1 + k % ELEMENTS : -(int64_t)1e15;
  const struct fs_region_call call = {routines, {out}, {place, table}, {0, 2}, MANY, 0};
  CHECK(fs_region_runs(&r, routines));
  fs_region_run(&r, 1, &r.result, &call);
  for (int k = 0; k < MANY; k++) {
    double want = k % 3 ? 10.0 * (1 + k % ELEMENTS) : 0;
    CHECK(out[k] == want, "%s: lane %d reads %g", isa, k, out[k]);
  }
}

/* Several results of one run, of one lane or of many. */
static void test_results(const char *isa) {
  enum { MANY = 70 };
  const struct fs_routines *routines = fs_cpu_routines(isa);
  const struct fs_region r = {1, REGISTERS, FS_LEN(steps), COUNT, registers, steps};
  const int results[] = {BOUND, COUNT};
  for (int n = 1; n <= MANY; n += 23) {
    int32_t x[MANY], counted[MANY], bound[MANY];
    for (int k = 0; k < n; k++) x[k] = 3 * k;
    const struct fs_region_call call = {routines, {bound, counted}, {x}, {0}, n, 0};
    fs_region_run(&r, 2, results, &call);
    for (int k = 0; k < n; k++) {
      int want = x[k] ? (x[k] + 7) / 8 * 8 : 8;
      CHECK(counted[k] == x[k] && bound[k] == want, "%s: %d, %d for %d", isa, counted[k],
            bound[k], x[k]);
    }
  }
}

/* In fewer steps: what is computed twice is computed once, but not across an END, where lanes come
 * together; what nobody reads is not. */
static void test_tidy(const char *isa) {
  enum { ALL = REGISTERS + 1, MORE = REGISTERS, MANY = 90 };
  struct fs_region_register in[ALL], registers_out[FS_REGION_REGISTERS];
  memcpy(in, registers, sizeof registers);
  in[MORE] = (struct fs_region_register){FS_RR_TEMPORARY, FS_BOOL, {0}};
  static const struct fs_region_step twice[] = {
      {.code = FS_RG_BLOCK},
      MAP(LESS, FS_OP_LT, EIGHT, X),
      UNLESS(LESS, 0),
      MAP(MORE, FS_OP_LT, EIGHT, X),   /* once more */
      UNLESS(MORE, 0),
      MAP(COUNT, FS_OP_ADD, X, ONE),
      MAP(BOUND, FS_OP_ADD, X, ONE),
      MAP(LESS, FS_OP_EQ, X, ONE),     /* nobody reads it */
      {.code = FS_RG_END},
      MAP(BOUND, FS_OP_ADD, X, ONE)};  /* of all lanes */
  struct fs_region_step steps_out[FS_LEN(twice)];
  const struct fs_region r = {1, ALL, FS_LEN(twice), COUNT, in, twice};
  struct fs_region fewer;
  const int results[] = {COUNT, BOUND};
  int renamed[] = {COUNT, BOUND};
  CHECK(fs_region_tidy(&r, &fewer, registers_out, steps_out, 2, renamed), "there is room");
  CHECK(fewer.n_steps == 7, "%d steps", fewer.n_steps);
  int32_t x[MANY], a[2][MANY], b[2][MANY];
  for (int k = 0; k < MANY; k++) x[k] = k % 20;
  const struct fs_routines *routines = fs_cpu_routines(isa);
  const struct fs_region_call plain = {routines, {a[0], a[1]}, {x}, {0}, MANY, 0};
  const struct fs_region_call tidy = {routines, {b[0], b[1]}, {x}, {0}, MANY, 0};
  fs_region_run(&r, 2, results, &plain);
  fs_region_run(&fewer, 2, renamed, &tidy);
  for (int k = 0; k < MANY; k++) {
    CHECK(a[0][k] == (x[k] > 8 ? x[k] + 1 : 0) && a[1][k] == x[k] + 1, "%s: as it stands", isa);
    CHECK(a[0][k] == b[0][k] && a[1][k] == b[1][k], "%s: lane %d is the same", isa, k);
  }
}

int main(void) {
  test_tidy("plain");
  test_tidy("avx2");
  test_results("plain");
  test_results("avx2");
  test_loads("plain");
  test_loads("avx2");
  test_leaves_both("plain");
  test_leaves_both("avx2");
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
