/* check.h - counts what holds, and says what does not. */
#ifndef FS_UNIT_CHECK_H
#define FS_UNIT_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/base/base.h"

static int passed, failed;

static bool check(bool ok, const char *fmt, ...) FS_PRINTF(2, 3);
static bool check(bool ok, const char *fmt, ...) {
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

/* The same with the place; what it says is only made where it is said. */
#define CHECK(cond, ...)                     \
  do {                                       \
    if (cond) {                              \
      passed++;                              \
    } else if (!check(false, __VA_ARGS__)) { \
      printf("  %s:%d\n", __FILE__, __LINE__); \
    }                                        \
  } while (0)

#endif
