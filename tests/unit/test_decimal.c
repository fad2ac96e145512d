/* test_decimal.c - numbers in text beside strtod(), bit for bit: written from all
 * kinds of doubles, cut and lengthened, and on the middle between two. */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/decimal.h"

static int passed, failed;

static uint64_t bits_of(double x) {
  uint64_t b;
  memcpy(&b, &x, sizeof b);
  return b;
}

static uint64_t next_random(void) {
  static uint64_t s = 88172645463325252u;
  s ^= s << 13, s ^= s >> 7, s ^= s << 17;
  return s;
}

static void same(const char *text) {
  char *rest;
  double want = strtod(text, &rest), got = 0;
  const char *end = fs_decimal_read(text, text + strlen(text), '.', &got);
  bool nan = want != want && got != got;
  if (end == rest && (nan || bits_of(want) == bits_of(got))) {
    passed++;
    return;
  }
  if (failed++ < 20)
    fprintf(stderr, "test_decimal.c: %s: %.17g, not %.17g\n", text, got, want);
}

static void test_random(int rounds) {
  char text[80];
  for (int k = 0; k < rounds; k++) {
    uint64_t r = next_random();
    double any, usual = (double)(int64_t)r / 1e12;
    memcpy(&any, &r, sizeof any);
    if (any - any != 0) any = usual;
    snprintf(text, sizeof text, "%.*g", (int)(r % 21) + 1, k % 2 ? any : usual);
    same(text);
    snprintf(text, sizeof text, "%.18e", usual);
    same(text);
    snprintf(text, sizeof text, "%.*f", (int)(r % 25), usual);
    same(text);
    snprintf(text, sizeof text, "%llue%d", (unsigned long long)r, (int)(r % 60) - 30);
    same(text);
  }
}

/* n + 1/2 beside the digits that are just below and above, where n is 2^53 and more:
 * the middle between two doubles, to be rounded to the even one. */
static void test_middles(int rounds) {
  char text[80];
  for (int k = 0; k < rounds; k++) {
    uint64_t odd = ((uint64_t)1 << 53) + (next_random() >> 11);
    odd = odd * 2 + 1; /* 55 bits, the last of them is half a place */
    for (int d = -1; d <= 1; d++) {
      snprintf(text, sizeof text, "%llu", (unsigned long long)(odd + (uint64_t)(int64_t)d));
      same(text);
      snprintf(text, sizeof text, "%llu.%de0", (unsigned long long)odd, d + 1);
      same(text);
    }
    /* m/2^k written out: 0.5, 0.25 ... of an odd number of 54 bits */
    snprintf(text, sizeof text, "%llu.5", (unsigned long long)(odd >> 2));
    same(text);
    snprintf(text, sizeof text, "%llu.50000000000000000001",
             (unsigned long long)(odd >> 2));
    same(text);
  }
}

static void test_forms(void) {
  static const char *const forms[] = {
    "0", "-0", "+1", "1.", ".5", "-.5e1", "1e5", "1E+5", "1e-5", "1e", "1e+", "1ex",
    "1.5abc", "inf", "-Infinity", "nan", "NaN", "-nan", "1e400", "1e-400", "0e999999",
    "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
    "1.7976931348623157e308", "1.7976931348623159e308", "9007199254740993",
    "9007199254740992", "9007199254740993.0", "9223372036854775807",
    "18446744073709551615", "18446744073709551616", "0000000000000000000000001",
    "0.0000000000000000000000000000001", "1.00000000000000011102230246251565404",
    "1.00000000000000011102230246251565405", "8.5e22", "1e23", "1e22", "1e27", "1e28",
    "123456789012345678e27", "123456789012345678e-27", "0.1", "0.3", "3.14159265358979"};
  for (size_t k = 0; k < FS_LEN(forms); k++) same(forms[k]);
  static const char *const none[] = {"", "-", ".", "+.", "e5", "x", "-e", "in", ",5"};
  double x;
  for (size_t k = 0; k < FS_LEN(none); k++)
    *(fs_decimal_read(none[k], none[k] + strlen(none[k]), '.', &x) ? &failed : &passed) += 1;
  const char *comma = "2,5";
  bool ok = fs_decimal_read(comma, comma + 3, ',', &x) == comma + 3 && x == 2.5 &&
            fs_decimal_read(comma, comma + 2, ',', &x) == comma + 2 && x == 2;
  *(ok ? &passed : &failed) += 1;
}

int main(void) {
  test_forms();
  test_random(100000);
  test_middles(50000);
  printf("%d passed, %d failed\n", passed, failed);
  return failed || !passed;
}
