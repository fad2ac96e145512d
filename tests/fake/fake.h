/* fake.h - making calls fail on purpose; for the fake driver and compiler.
 *
 *   FUSIBLE_FAKE_FAIL=cuMemAllocFromPoolAsync:3:2,cuLaunchKernel:1:700
 *
 * lets the third allocation give 2 and the first launch 700; "*" in place of the
 * number means every one. "driver", "nvrtc", "cublas", "cusolver" and "cufft" in place of a name
 * count all calls of that library. Calls are counted from where the variable got its text. With
 * FUSIBLE_FAKE_ONCE a call fails only where that file is, which goes with it: later processes
 * are spared. Codes that poison a real context poison this one. "m3" in place of the code lets
 * the third allocation on the host from then on fail, where tests/fault/failmalloc.c is
 * loaded. FUSIBLE_FAKE_COUNTS names a file to which each call is written, with its number.
 */
#ifndef FAKE_H
#define FAKE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Whether a name of the list is `call`, its n-th, and the code behind it. */
static const char *fake_code_of(const char *spec, const char *call, int n) {
  size_t len = strlen(call);
  for (; spec && *spec; spec += strcspn(spec, ","), spec += *spec == ',')
    if (!strncmp(spec, call, len) && spec[len] == ':') {
      const char *number = spec + len + 1, *code = strchr(number, ':');
      if (code && (*number == '*' || atoi(number) == n)) return code + 1;
    }
  return NULL;
}

/* The code to give for this call of `call`, or 0. */
static int fake_failure(const char *call) {
  static struct fake_count counts[96];
  static char *counted;
  static int all;
  const char *told = getenv("FUSIBLE_FAKE_COUNTS"), *spec = getenv("FUSIBLE_FAKE_FAIL");
  if (!spec && !told) return 0;
  if (spec && counted && strcmp(counted, spec)) { /* another text in the same process */
    memset(counts, 0, sizeof counts);
    free(counted);
    counted = NULL, all = 0;
  }
  if (spec && !counted) counted = strdup(spec);
  int k = 0;
  while (counts[k].call && strcmp(counts[k].call, call)) k++;
  counts[k].call = call;
  counts[k].n++;
  all++;
  FILE *f = told ? fopen(told, "a") : NULL;
  if (f) fprintf(f, "%s %d\n", call, counts[k].n), fclose(f);
  const char *code = fake_code_of(spec, call, counts[k].n), *once = getenv("FUSIBLE_FAKE_ONCE");
  if (!code) code = fake_code_of(spec, FAKE_LIBRARY, all);
  return code && (!once || !unlink(once)) ? fake_code(code) : 0;
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
