/* test_base.c - core/base: tables of indices, the lesser and the greater of two numbers. */
#include "core/base/base.h"
#include "core/base/table.h"
#include "tests/unit/check.h"

/* -- tables ------------------------------------------------------------------ */

static bool same_number(const void *list, int index, const void *key) {
  return ((const int *)list)[index] == *(const int *)key;
}

/* Numbers of few hashes, so that many share one; each is found as long as it is there. */
static void test_table(void) {
  enum { MANY = 1000 };
  struct fs_table t = {0};
  int list[MANY];
  for (int k = 0; k < MANY; k++) {
    int x = 7 * k;
    uint64_t hash = (uint64_t)(k % 50) << 40 | 255;
    CHECK(fs_table_find(&t, hash, same_number, list, &x) < 0, "%d is not there yet", x);
    list[k] = x;
    fs_table_add(&t, hash, k);
  }
  for (int k = 0; k < MANY; k++) {
    int x = 7 * k, other = x + 1;
    uint64_t hash = (uint64_t)(k % 50) << 40 | 255;
    CHECK(fs_table_find(&t, hash, same_number, list, &x) == k, "%d is at %d", x, k);
    CHECK(fs_table_find(&t, hash, same_number, list, &other) < 0, "%d is not there", other);
    CHECK(fs_table_find(&t, hash + 1, same_number, list, &x) < 0, "another hash");
  }
  fs_table_free(&t);
  CHECK(fs_table_find(&t, 0, same_number, list, list) < 0, "an empty table");
}

/* -- numbers ----------------------------------------------------------------- */

static int asked;
static int next(void) { return ++asked; }

static void test_extremes(void) {
  CHECK(FS_MAX(next(), 0) == 1 && FS_MIN(next(), 9) == 2 && asked == 2, "evaluated once");
  CHECK(FS_MIN(-1, 2.5) == -1.0 && FS_MAX(2, 2.5) == 2.5, "of two types");
  CHECK(FS_MAX((int64_t)1 << 40, 3) == (int64_t)1 << 40, "of 64 bits");
  CHECK(sizeof FS_MIN((short)1, (char)2) == sizeof(int), "short ones as int");
  CHECK(FS_MAX(-1.0, FS_MIN(0.0, 5.0)) == 0.0 && FS_MAX(3u, (size_t)4) == 4, "nested");
}

int main(void) {
  test_table();
  test_extremes();
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
