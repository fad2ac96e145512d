/* fake.h - making calls fail on purpose; for the fake driver and compiler.
 *
 *   FUSIBLE_FAKE_FAIL=cuMemAllocFromPoolAsync:3:2,cuLaunchKernel:1:700
 *
 * lets the third allocation give 2 and the first launch 700; "*" in place of the
 * number means every one. Codes that poison a real context poison this one. "m3" in place
 * of the code lets the third allocation on the host from then on fail, where
 * tests/fault/failmalloc.c is loaded. FUSIBLE_FAKE_COUNTS names a file to which each
 * call is written, with its number.
 */
#ifndef FAKE_H
#define FAKE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_count {
  const char *call;
  int n;
};

extern void failmalloc_soon(long n) __attribute__((weak));

static int fake_code(const char *text) {
  if (*text != 'm') return atoi(text);
  if (failmalloc_soon) failmalloc_soon(atol(text + 1));
  return 0;
}

/* The code to give for this call of `call`, or 0. */
static int fake_failure(const char *call) {
  static struct fake_count counts[96];
  const char *told = getenv("FUSIBLE_FAKE_COUNTS");
  if (!getenv("FUSIBLE_FAKE_FAIL") && !told) return 0;
  int k = 0;
  while (counts[k].call && strcmp(counts[k].call, call)) k++;
  counts[k].call = call;
  counts[k].n++;
  FILE *f = told ? fopen(told, "a") : NULL;
  if (f) fprintf(f, "%s %d\n", call, counts[k].n), fclose(f);
  const char *spec = getenv("FUSIBLE_FAKE_FAIL");
  size_t len = strlen(call);
  while (spec && *spec) {
    const char *end = spec + strcspn(spec, ",");
    if (!strncmp(spec, call, len) && spec[len] == ':') {
      const char *number = spec + len + 1, *code = strchr(number, ':');
      if (code && (*number == '*' || atoi(number) == counts[k].n))
        return fake_code(code + 1);
    }
    spec = *end ? end + 1 : end;
  }
  return 0;
}

/* A number from the environment. */
static inline long fake_number(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text && *text ? atol(text) : otherwise;
}

/* Whether kernels run: not on a device that only passes for a larger one (driver.c). */
static inline bool fake_runs(void) {
  return fake_number("FUSIBLE_FAKE_RUN", 1) && !getenv("FUSIBLE_FAKE_DEVICE");
}

#endif
