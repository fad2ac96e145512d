/* A CUPTI without a GPU: a range profiler that wants two passes, holds its callers to the order of
 * the calls and to the sizes of NVIDIA's headers (CUDA 13.0), and counts launches of the fake
 * driver: each is 2^20 bytes that were read. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FAKE_LIBRARY "cupti"
#include "tests/fake/fake.h"

#define EXPORT __attribute__((visibility("default")))
/* A function of CUPTI whose parameters have this size; its body follows. */
#define FN(name, bytes)                                                       \
  static int name##_body(struct params *p);                                   \
  EXPORT int name(struct params *p);                                          \
  EXPORT int name(struct params *p) {                                         \
    int failure = fake_failure(#name);                                        \
    if (failure) return failure;                                              \
    return p->size == (bytes) && !p->reserved ? name##_body(p) : BAD;         \
  }                                                                           \
  static int name##_body(__attribute__((unused)) struct params *p)

enum { BAD = 1, WRONG_TURN = 7, NO_METRIC = 17, PASSES = 2 };

/* The size, NULL, and the fields as words. */
struct params {
  size_t size;
  void *reserved;
  uint64_t word[8];
};

static enum { CLOSED, ENABLED, SIZED, READY, STARTED, PUSHED, POPPED } state;
static int host, profiler, metrics, passes, launches;
static long long before;

static long long launched(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  long long *n = driver ? (long long *)dlsym(driver, "fake_launches") : NULL;
  return n ? *n : 0;
}

static int turn(int from, int to) {
  if ((int)state != from) return WRONG_TURN;
  state = to;
  return 0;
}

FN(cuptiProfilerInitialize, 16) { return 0; }
FN(cuptiDeviceGetChipName, 32) {
  p->word[1] = (uint64_t)(uintptr_t)"GH100";
  return 0;
}
FN(cuptiProfilerHostInitialize, 48) {
  if (strcmp((const char *)(uintptr_t)p->word[1], "GH100")) return BAD;
  p->word[3] = (uint64_t)(uintptr_t)&host;
  metrics = 0;
  return host++ ? WRONG_TURN : 0;
}
FN(cuptiProfilerHostDeinitialize, 24) { return host-- == 1 ? 0 : WRONG_TURN; }
FN(cuptiProfilerHostConfigAddMetrics, 40) {
  const char *name = *(const char **)(uintptr_t)p->word[1];
  if (p->word[2] != 1) return BAD;
  if (strstr(name, "_no_instruction_")) return NO_METRIC; /* a GPU that lacks it */
  metrics++;
  return 0;
}
FN(cuptiProfilerHostGetConfigImageSize, 32) {
  p->word[1] = 32;
  return 0;
}
FN(cuptiProfilerHostGetConfigImage, 40) {
  memset((void *)(uintptr_t)p->word[2], 7, p->word[1]);
  return p->word[1] == 32 ? 0 : BAD;
}
FN(cuptiRangeProfilerEnable, 32) {
  p->word[1] = (uint64_t)(uintptr_t)&profiler;
  passes = launches = 0;
  return p->word[0] ? turn(CLOSED, ENABLED) : BAD;
}
FN(cuptiRangeProfilerDisable, 24) {
  state = CLOSED;
  return 0;
}
FN(cuptiRangeProfilerGetCounterDataSize, 64) {
  p->word[5] = 48;
  return p->word[2] == (uint64_t)metrics && p->word[3] == 1 ? turn(ENABLED, SIZED) : BAD;
}
FN(cuptiRangeProfilerCounterDataImageInitialize, 40) {
  if (p->word[1] != 48) return BAD;
  memset((void *)(uintptr_t)p->word[2], 9, 48);
  return 0;
}
FN(cuptiRangeProfilerSetConfig, 90) {
  const unsigned char *image = (const unsigned char *)(uintptr_t)p->word[2];
  const unsigned char *data = (const unsigned char *)(uintptr_t)p->word[4];
  const int *modes = (const int *)&p->word[5];
  bool good = p->word[1] == 32 && image[31] == 7 && p->word[3] == 48 && data[47] == 9;
  return good && modes[0] == 2 && modes[1] == 3 ? turn(SIZED, READY) : BAD;
}
FN(cuptiRangeProfilerStart, 24) { return turn(READY, STARTED); }
FN(cuptiRangeProfilerPushRange, 32) {
  before = launched();
  return turn(STARTED, PUSHED);
}
FN(cuptiRangeProfilerPopRange, 24) {
  launches = (int)(launched() - before);
  return turn(PUSHED, POPPED);
}
FN(cuptiRangeProfilerStop, 41) {
  unsigned char all = ++passes == PASSES;
  memcpy((char *)p + 40, &all, 1);
  return turn(POPPED, READY);
}
FN(cuptiRangeProfilerDecodeData, 32) { return passes == PASSES ? 0 : WRONG_TURN; }
FN(cuptiProfilerHostEvaluateToGpuValues, 72) {
  const char **names = (const char **)(uintptr_t)p->word[4];
  double *out = (double *)(uintptr_t)p->word[6];
  for (uint64_t k = 0; k < p->word[5]; k++)
    out[k] = strstr(names[k], "bytes_read") ? launches * 1048576.0
             : strstr(names[k], "bytes_write") ? 2048
             : strstr(names[k], "latency") ? 10
             : strstr(names[k], "long_scoreboard") ? 6
             : strstr(names[k], "barrier") ? 1
             : strstr(names[k], "pct") ? 40 : 0.1;
  return 0;
}
EXPORT int cuptiGetResultString(int status, const char **out);
EXPORT int cuptiGetResultString(int status, const char **out) {
  *out = status == WRONG_TURN ? "CUPTI_ERROR_INVALID_OPERATION" : "CUPTI_ERROR_UNKNOWN";
  return 0;
}
