/* test_base.c - core/base: tables of indices, the lesser and the greater of two numbers. */
#include "core/base/base.h"
#include "core/base/repeat.h"
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

static void test_orders(void) {
  const uint64_t key[] = {5, 2, 5, 0, 2};
  const int by_key[] = {3, 1, 4, 0, 2}, places[] = {3, 1, 4, 0, 2};
  int order[] = {4, 2, 0, 1, 3}, rank[5];
  uint32_t ids[] = {7, 0, 4000000000u, 7, 1};
  const uint32_t sorted[] = {0, 1, 7, 7, 4000000000u};
  fs_sort_by(key, order, 5);
  CHECK(!memcmp(order, by_key, sizeof order), "of one key the least index first");
  fs_rank_by(key, 5, rank);
  CHECK(!memcmp(rank, places, sizeof rank), "each index has its place");
  fs_sort_ids(ids, 5);
  CHECK(!memcmp(ids, sorted, sizeof ids), "ids have no sign");
}

/* What comes again in a text, letter by letter, behind its first `from`. */
static struct fs_repeat repeat_in(const char *text, int from, int most) {
  uint64_t form[64];
  struct fs_repeat r;
  int n = (int)strlen(text);
  for (int k = 0; k < n; k++) form[k] = fs_hash(&text[k], 1, 1);
  bool any = fs_find_repeat(form, from, n, most, 3, &r);
  CHECK(any == (r.count > 0), "says whether there is one");
  return r;
}

static void test_repeats(void) {
  const struct { const char *text; int from, most, begin, period, count; } want[] = {
    {"xyabcabcabcz", 0, 8, 2, 3, 3},
    {"xyabcbcacabz", 0, 8, 2, 3, 3}, /* in whatever order */
    {"xyabcabcabcz", 3, 8, 0, 0, 0}, /* two are too few */
    {"xyabcabcabcz", 0, 2, 0, 0, 0}, /* three are too many */
    {"aaaaaaaabcbcbc", 0, 8, 0, 1, 8},
    {"aaaaaaaabcbcbc", 8, 8, 8, 2, 3},
    {"abcdefg", 0, 8, 0, 0, 0},
    {"", 0, 8, 0, 0, 0},
  };
  for (size_t k = 0; k < FS_LEN(want); k++) {
    struct fs_repeat r = repeat_in(want[k].text, want[k].from, want[k].most);
    CHECK(r.begin == want[k].begin && r.period == want[k].period && r.count == want[k].count,
          "%s: %d times %d from %d", want[k].text, r.count, r.period, r.begin);
  }
}

static void test_words(void) {
  const char *text = "fs_T9[x]", *end = text + strlen(text);
  CHECK(fs_word_length(text, end) == 5 && fs_word_length(text, text + 2) == 2, "letters, digits");
  CHECK(fs_word_length(text + 5, end) == 0 && fs_word_length(end, end) == 0, "no word");
  CHECK(fs_word_length("\xe9", "\xe9" + 1) == 0, "ASCII alone");
}

int main(void) {
  test_table();
  test_extremes();
  test_orders();
  test_repeats();
  test_words();
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
