/* decimal.c - see decimal.h. A number is digits m and a power of ten. Where both
 * are exact in a double, one operation rounds once and is right (Clinger, 1990).
 * With the 64 bits of an x87 register the same goes further: the result is right
 * unless its last 11 bits are those of the middle between two doubles, where it
 * may have been rounded onto it. What is left goes to strtod(). */
#include "core/base/decimal.h"

#include <float.h>
#include <locale.h>
#include <pthread.h>
#include <strings.h>

enum { DOUBLE_POWER = 22, LONG_POWER = 27, DIGITS = 19, LONGEST = 1100 };

static const double powers[DOUBLE_POWER + 1] = {
  1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#if LDBL_MANT_DIG == 64
static const long double long_powers[LONG_POWER + 1] = {
  1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
  1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
  1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

static bool from_long(uint64_t m, int power, double *out) {
  if (power < -LONG_POWER || power > LONG_POWER) return false;
  long double x = (long double)m;
  x = power < 0 ? x / long_powers[-power] : x * long_powers[power];
  uint64_t bits; /* the mantissa is the first of an x87 number's bytes */
  memcpy(&bits, &x, sizeof bits);
  *out = (double)x;
  return (bits & 0x7FF) != 0x400;
}
#else
static bool from_long(uint64_t m, int power, double *out) {
  (void)m, (void)power, (void)out;
  return false;
}
#endif

static locale_t c_locale;
static void make_locale(void) {
  c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* The library's way, for text[0..len). */
static const char *read_slowly(const char *text, size_t len, char point,
                               double *out) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_locale);
  char copy[LONGEST];
  if (len >= sizeof copy || !c_locale) return NULL;
  for (size_t i = 0; i < len; i++) copy[i] = text[i] == point ? '.' : text[i];
  copy[len] = 0;
  char *end;
  *out = strtod_l(copy, &end, c_locale);
  return end == copy + len ? text + len : NULL;
}

static const char *read_word(const char *at, const char *end, bool negative,
                             double *out) {
  static const struct { const char *text; size_t len; double value; } words[] = {
    {"nan", 3, __builtin_nan("")}, {"infinity", 8, __builtin_inf()},
    {"inf", 3, __builtin_inf()}};
  for (size_t k = 0; k < FS_LEN(words); k++)
    if ((size_t)(end - at) >= words[k].len &&
        !strncasecmp(at, words[k].text, words[k].len)) {
      *out = negative ? -words[k].value : words[k].value;
      return at + words[k].len;
    }
  return NULL;
}

/* The exponent at *at, if there is one; it is bounded, not wrong, when it is huge. */
static int read_exponent(const char **at, const char *end) {
  const char *p = *at + 1;
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  if (p == end || *p < '0' || *p > '9') return 0;
  int e = 0;
  for (; p < end && *p >= '0' && *p <= '9'; p++)
    if (e < 100000) e = 10 * e + (*p - '0');
  *at = p;
  return negative ? -e : e;
}

const char *fs_decimal_read(const char *text, const char *end, char point,
                            double *out) {
  const char *p = text;
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  const char *first = p;
  uint64_t m = 0;
  for (; p < end && (unsigned char)(*p - '0') <= 9; p++)
    m = 10 * m + (uint64_t)(*p - '0');
  int64_t digits = p - first;
  int power = 0;
  if (p < end && *p == point) {
    const char *fraction = ++p;
    for (; p < end && (unsigned char)(*p - '0') <= 9; p++)
      m = 10 * m + (uint64_t)(*p - '0');
    digits += p - fraction;
    if (p - fraction > LONGEST) return NULL;
    power = -(int)(p - fraction);
  }
  if (!digits) return read_word(first, end, negative, out);
  if (p < end && (*p | 0x20) == 'e') power += read_exponent(&p, end);
  if (digits > DIGITS) return read_slowly(text, (size_t)(p - text), point, out);
  double x;
  if (m <= (uint64_t)1 << 53 && power >= -DOUBLE_POWER && power <= DOUBLE_POWER)
    x = power < 0 ? (double)m / powers[-power] : (double)m * powers[power];
  else if (!m)
    x = 0;
  else if (!from_long(m, power, &x))
    return read_slowly(text, (size_t)(p - text), point, out);
  *out = negative ? -x : x;
  return p;
}
