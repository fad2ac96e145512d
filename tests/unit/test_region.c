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
  const void *in[] = {x};
  CHECK(fs_region_runs(&r, routines));
  fs_region_run(&r, routines, out, in, 0, MANY);
  for (int k = 0; k < MANY; k++) CHECK(out[k] == k, "%s: lane %d counts to %d", isa, k, out[k]);
}

int main(void) {
  test_leaves_both("plain");
  test_leaves_both("avx2");
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
