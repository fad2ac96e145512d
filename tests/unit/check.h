/* check.h - counts what holds, and says what does not. */
#ifndef FS_UNIT_CHECK_H
#define FS_UNIT_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/base/base.h"

static int passed, failed;

static inline bool check(bool ok, const char *fmt, ...) FS_PRINTF(2, 3);
static inline bool check(bool ok, const char *fmt, ...) {
  va_list args;
  if (ok) {
    passed++;
    return true;
  }
  failed++;
  va_start(args, fmt);
  printf("FAILED: ");
  vprintf(fmt, args);
  printf("\n");
  va_end(args);
  return false;
}

/* The same with the place. What it says is only made where it is said. */
static inline void fail_at(const char *file, int line, const char *fmt, ...) FS_PRINTF(3, 4);
static inline void fail_at(const char *file, int line, const char *fmt, ...) {
  va_list args;
  failed++;
  va_start(args, fmt);
  printf("FAILED: ");
  vprintf(fmt, args);
  printf("\n  %s:%d\n", file, line);
  va_end(args);
}
#define CHECK_SAID(cond, ...)                          \
  do {                                                 \
    if (cond) passed++;                                \
    else fail_at(__FILE__, __LINE__, __VA_ARGS__);     \
  } while (0)
/* At a line that a caller gives. */
#define check_at(line, ok, what)                       \
  do {                                                 \
    if (ok) passed++;                                  \
    else fail_at(__FILE__, line, "%s", what);          \
  } while (0)
#define CHECK_BARE(cond) check_at(__LINE__, cond, #cond)
/* CHECK(x), or with words: CHECK(x == 1, "x is %d", x). */
#define CHECK_OF(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, name, ...) name
#define CHECK_SAID_4 CHECK_SAID, CHECK_SAID, CHECK_SAID, CHECK_SAID
#define CHECK(...)                                                                  \
  CHECK_AS(__VA_ARGS__, CHECK_SAID_4, CHECK_SAID_4, CHECK_SAID_4, CHECK_SAID_4,     \
           CHECK_BARE, 0)(__VA_ARGS__)
#define CHECK_AS(...) CHECK_OF(__VA_ARGS__)

#endif
