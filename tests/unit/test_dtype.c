/* test_dtype.c - the tables of core/graph/dtypes.def: promotion is a lattice, and what it
 * says of a type is what elements of the type do. */
#include "core/graph/dtype.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/check.h"

#define EACH(dt) for (enum fs_dtype dt = 0; dt < FS_DTYPE_COUNT; dt++)

/* What two types make: of the same kind what NumPy says; an integer with a float gives that
 * float, which NumPy widens. */
static const struct {
  const char *a, *b, *both;
} promotions[] = {
    {"bool", "u8", "u8"},    {"u8", "i8", "i16"},     {"u8", "u16", "u16"},
    {"u8", "i16", "i16"},    {"i8", "u16", "i32"},    {"i8", "i16", "i16"},
    {"u16", "i16", "i32"},   {"u16", "u32", "u32"},   {"i8", "u32", "i64"},
    {"i32", "u32", "i64"},   {"u8", "u64", "u64"},    {"i8", "u64", "u64"},
    {"i64", "u64", "u64"},   {"u64", "f16", "f16"},   {"u64", "f64", "f64"},
    {"u32", "i64", "i64"},   {"u8", "f16", "f16"},
    {"u32", "bf16", "bf16"}, {"i8", "f64", "f64"},    {"i16", "i32", "i32"},
    {"bool", "i32", "i32"},  {"bool", "i64", "i64"},  {"bool", "f16", "f16"},
    {"bool", "bf16", "bf16"}, {"bool", "f32", "f32"}, {"bool", "f64", "f64"},
    {"i32", "i64", "i64"},   {"i32", "f16", "f16"},   {"i32", "bf16", "bf16"},
    {"i32", "f32", "f32"},   {"i32", "f64", "f64"},   {"i64", "f16", "f16"},
    {"i64", "bf16", "bf16"}, {"i64", "f32", "f32"},   {"i64", "f64", "f64"},
    {"f16", "bf16", "f32"},  {"f16", "f32", "f32"},   {"f16", "f64", "f64"},
    {"bf16", "f32", "f32"},  {"bf16", "f64", "f64"},  {"f32", "f64", "f64"}};

static void test_promotions(void) {
  for (size_t k = 0; k < FS_LEN(promotions); k++) {
    enum fs_dtype a, b, both;
    bool known = fs_dtype_from_name(promotions[k].a, &a) &&
                 fs_dtype_from_name(promotions[k].b, &b) &&
                 fs_dtype_from_name(promotions[k].both, &both);
    CHECK(known && fs_dtype_promote(a, b) == both, "%s with %s gives %s", promotions[k].a,
          promotions[k].b, fs_dtype_name(fs_dtype_promote(a, b)));
  }
}

static bool is_above(enum fs_dtype a, enum fs_dtype b) { return fs_dtype_promote(a, b) == a; }

/* The join of a lattice: the laws, and that it is the least of what is above both. */
static void test_lattice(void) {
  EACH(a) {
    CHECK(fs_dtype_promote(a, a) == a, "%s with itself", fs_dtype_name(a));
    EACH(b) {
      enum fs_dtype both = fs_dtype_promote(a, b);
      CHECK(both == fs_dtype_promote(b, a), "%s with %s, and the other way about",
            fs_dtype_name(a), fs_dtype_name(b));
      CHECK(is_above(both, a) && is_above(both, b), "%s is not above %s and %s",
            fs_dtype_name(both), fs_dtype_name(a), fs_dtype_name(b));
      EACH(c) {
        CHECK(fs_dtype_promote(both, c) == fs_dtype_promote(a, fs_dtype_promote(b, c)),
              "%s, %s and %s, in two orders", fs_dtype_name(a), fs_dtype_name(b),
              fs_dtype_name(c));
        CHECK(!is_above(c, a) || !is_above(c, b) || is_above(c, both),
              "%s is above %s and %s, not above %s", fs_dtype_name(c), fs_dtype_name(a),
              fs_dtype_name(b), fs_dtype_name(both));
      }
    }
  }
}

/* An element that held a number, as one. */
static double through(enum fs_dtype dt, double x) {
  char element[8];
  fs_element_put(dt, element, (struct fs_number){x, fs_dtype_integer(dt == FS_U64 ? dt : FS_I64, x)});
  return fs_element_get(dt, element).f;
}

static const char *name(enum fs_dtype dt) { return fs_dtype_name(dt); }

/* The columns against what the routines for elements do. */
static void test_columns(void) {
  static const size_t stored[] = {
#define FS_DTYPE_C(id, stored, ...) [FS_##id] = sizeof(stored),
#include "core/graph/dtypes.def"
  };
  EACH(dt) {
    const struct fs_dtype_info *t = &fs_dtypes[dt];
    enum fs_dtype compute = fs_dtype_compute(dt), found;
    CHECK(fs_dtype_from_name(t->name, &found) && found == dt, "%s is found", name(dt));
    CHECK(stored[dt] == fs_dtype_size(dt), "%s has %zu bytes", name(dt), stored[dt]);
    CHECK(fs_dtype_compute(compute) == compute, "what %s computes in", name(dt));
    CHECK(fs_dtype_holds(compute, dt), "%s holds %s", name(compute), name(dt));
    CHECK(is_above(fs_dtype_sum(dt), dt) && is_above(fs_dtype_real(dt), dt),
          "sums and quotients of %s", name(dt));
    CHECK(fs_dtype_is_float(fs_dtype_real(dt)), "quotients of %s", name(dt));
    CHECK(!*t->cuda_value == (compute != dt), "the value of %s in CUDA", name(dt));
    if (t->class == FS_DC_BOOL || dt == FS_I64 || dt == FS_U64) continue;
    double one_more = ldexp(1, t->digits) + 1, all = ldexp(1, t->digits) - 1;
    CHECK(through(dt, all) == all, "%s holds %g", name(dt), all);
    CHECK(t->digits == 53 || through(dt, one_more) != one_more, "%s holds %g", name(dt), one_more);
    CHECK(!fs_dtype_is_float(dt) || t->power == 1024 || isinf(through(dt, ldexp(1, t->power))),
          "%s ends below 2^%d", name(dt), t->power);
  }
}

static void test_holds(void) {
  static const double probes[] = {-1, 0, 1, 2, 0.5, 257, 2049, 65505, 70000, 16777217, 1e5, 1e30,
                                  2147483647, 4294967295., 1e300, 0x1p-24, 0x1p-133, 0x1p-149};
  EACH(from) EACH(to) {
    if (!fs_dtype_holds(to, from)) continue;
    for (size_t k = 0; k < FS_LEN(probes); k++) {
      double x = through(from, probes[k]);
      CHECK(through(to, x) == x, "%s holds %g of %s", name(to), x, name(from));
    }
  }
  CHECK(!fs_dtype_holds(FS_F64, FS_I64) && !fs_dtype_holds(FS_F32, FS_I32) &&
        !fs_dtype_holds(FS_BF16, FS_F16) && !fs_dtype_holds(FS_F16, FS_BF16) &&
        !fs_dtype_holds(FS_I64, FS_F16) && !fs_dtype_holds(FS_U64, FS_I8) &&
        !fs_dtype_holds(FS_I64, FS_U64) && fs_dtype_holds(FS_U64, FS_U32) && !fs_dtype_holds(FS_BOOL, FS_I32), "what loses");
  CHECK(fs_dtype_holds(FS_F64, FS_I32) && fs_dtype_holds(FS_I64, FS_I32) &&
        fs_dtype_holds(FS_F32, FS_BF16) && fs_dtype_holds(FS_F16, FS_BOOL), "what does not");
}

static void test_integers(void) {
  CHECK(fs_dtype_least(FS_I32) == INT32_MIN && fs_dtype_most(FS_I32) == INT32_MAX, "i32");
  CHECK(fs_dtype_least(FS_I64) == INT64_MIN && fs_dtype_most(FS_I64) == INT64_MAX, "i64");
  CHECK(fs_dtype_integer(FS_I32, 2147483647.5) == INT32_MAX &&
        fs_dtype_integer(FS_I32, 2147483648.) == INT32_MAX &&
        fs_dtype_integer(FS_I32, -2147483648.9) == INT32_MIN &&
        fs_dtype_integer(FS_I32, -1.9) == -1 && fs_dtype_integer(FS_I32, NAN) == 0, "to i32");
  CHECK(fs_dtype_least(FS_U8) == 0 && fs_dtype_most(FS_U8) == 255 &&
        fs_dtype_least(FS_I8) == -128 && fs_dtype_most(FS_U32) == UINT32_MAX, "narrow ones");
  CHECK(fs_dtype_integer(FS_U8, 255.9) == 255 && fs_dtype_integer(FS_U8, 300) == 255 &&
        fs_dtype_integer(FS_U8, -0.9) == 0 && fs_dtype_integer(FS_I8, -200) == -128 &&
        fs_dtype_wrap(FS_U8, 300) == 44 && fs_dtype_wrap(FS_I8, 200) == -56 &&
        fs_dtype_wrap(FS_U32, -1) == UINT32_MAX, "to narrow ones");
  CHECK(fs_dtype_integer(FS_I64, 0x1p63) == INT64_MAX &&
        fs_dtype_integer(FS_I64, -INFINITY) == INT64_MIN &&
        fs_dtype_integer(FS_I64, 0x1p62) == (int64_t)1 << 62, "to i64");
  uint64_t large = UINT64_MAX - 1;
  CHECK(fs_dtype_least(FS_U64) == 0 && (uint64_t)fs_dtype_most(FS_U64) == UINT64_MAX &&
        fs_dtype_integer(FS_U64, -0.5) == 0 && fs_dtype_integer(FS_U64, -1e30) == 0 &&
        (uint64_t)fs_dtype_integer(FS_U64, 0x1p64) == UINT64_MAX &&
        (uint64_t)fs_dtype_integer(FS_U64, 0x1p63) == (uint64_t)1 << 63 &&
        fs_dtype_integer(FS_U64, NAN) == 0 && fs_dtype_wrap(FS_U64, -1) == -1 &&
        fs_dtype_real_of(FS_U64, -1) == 0x1p64 && fs_dtype_real_of(FS_I64, -1) == -1, "u64");
  CHECK(fs_element_get(FS_U64, &large).i == -2 && fs_element_get(FS_U64, &large).f == 0x1p64,
        "an element of u64");
  CHECK(fs_dtype_are_apart(FS_U64, FS_I8) && fs_dtype_are_apart(FS_I64, FS_U64) &&
        !fs_dtype_are_apart(FS_U64, FS_U32) && !fs_dtype_are_apart(FS_U64, FS_U64) &&
        !fs_dtype_are_apart(FS_U64, FS_F32) && !fs_dtype_are_apart(FS_I64, FS_U32), "apart");
  CHECK(fs_dtype_wrap(FS_I32, (int64_t)1 << 31) == INT32_MIN &&
        fs_dtype_wrap(FS_I32, -5) == -5 && fs_dtype_wrap(FS_I32, (int64_t)7 << 32 | 3) == 3 &&
        fs_dtype_wrap(FS_I64, INT64_MIN) == INT64_MIN, "wrapped");
}

int main(void) {
  test_promotions();
  test_lattice();
  test_columns();
  test_holds();
  test_integers();
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
