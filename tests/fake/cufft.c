/* cufft.c - Fourier transforms of the fake GPU, whose memory is the host's: by halves, thirds ...
 * of a line, in double. FUSIBLE_FAKE_FAIL works here too (fake.h).
 *
 *   FUSIBLE_FAKE_RUN=0  computes nothing, as the driver
 */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define FAKE_LIBRARY "cufft"
#include "tests/fake/fake.h"

#define EXPORT __attribute__((visibility("default")))
enum { PLANS = 64, INVALID_PLAN = 1, INVALID_VALUE = 4, C2C = 0x29, Z2Z = 0x69 };

static struct {
  int made, type;
  long long n, count;
  void *scratch;
} plans[PLANS];

EXPORT int cufftCreate(int *plan);
EXPORT int cufftCreate(int *plan) {
  int code = fake_failure("cufftCreate");
  if (code) return code;
  for (*plan = 0; *plan < PLANS && plans[*plan].made; ++*plan) continue;
  if (*plan == PLANS) return INVALID_PLAN;
  memset(&plans[*plan], 0, sizeof plans[*plan]);
  plans[*plan].made = 1;
  return 0;
}
EXPORT int cufftDestroy(int plan);
EXPORT int cufftDestroy(int plan) {
  plans[plan].made = 0;
  return 0;
}
EXPORT int cufftSetAutoAllocation(int plan, int yes);
EXPORT int cufftSetAutoAllocation(int plan, int yes) {
  return !plans[plan].made || yes ? INVALID_PLAN : fake_failure("cufftSetAutoAllocation");
}
EXPORT int cufftMakePlanMany64(int plan, int rank, long long *n, long long *in, long long in_step,
                               long long in_line, long long *out, long long out_step,
                               long long out_line, int type, long long count, size_t *bytes);
EXPORT int cufftMakePlanMany64(int plan, int rank, long long *n, long long *in, long long in_step,
                               long long in_line, long long *out, long long out_step,
                               long long out_line, int type, long long count, size_t *bytes) {
  int dense = *in == *n && *out == *n && in_step == 1 && out_step == 1 && in_line == *n &&
              out_line == *n;
  if (!plans[plan].made || rank != 1 || !dense || count < 1) return INVALID_VALUE;
  plans[plan].n = *n, plans[plan].count = count, plans[plan].type = type;
  *bytes = (size_t)*n * 16;
  return fake_failure("cufftMakePlanMany64");
}
EXPORT int cufftSetStream(int plan, void *stream);
EXPORT int cufftSetStream(int plan, void *stream) {
  (void)stream;
  return plans[plan].made ? 0 : INVALID_PLAN;
}
EXPORT int cufftSetWorkArea(int plan, void *scratch);
EXPORT int cufftSetWorkArea(int plan, void *scratch) {
  plans[plan].scratch = scratch;
  return fake_failure("cufftSetWorkArea");
}

/* n numbers that lie `step` apart in x, into y. */
static void transform(const double complex *x, long long n, long long step, double complex *y,
                      double complex *room) {
  long long r = 2;
  while (r * r <= n && n % r) r++;
  if (n % r) r = n;
  if (n == 1) {
    y[0] = x[0];
    return;
  }
  long long m = n / r;
  for (long long k = 0; k < r; k++) transform(x + k * step, m, step * r, y + k * m, room);
  for (long long p = 0; p < m; p++)
    for (long long j = 0; j < r; j++) {
      double complex sum = 0;
      for (long long k = 0; k < r; k++)
        sum += y[k * m + p] * cexp(-2 * I * M_PI * (double)((p + j * m) * k % n) / (double)n);
      room[p + j * m] = sum;
    }
  memcpy(y, room, (size_t)n * sizeof *y);
}

static int run(int plan, const void *in, void *out, int direction, int type) {
  if (!plans[plan].made || plans[plan].type != type || direction != -1 || !plans[plan].scratch)
    return INVALID_PLAN;
  if (!fake_number("FUSIBLE_FAKE_RUN", 1)) return 0;
  long long n = plans[plan].n;
  double complex *x = malloc(3 * (size_t)n * sizeof *x);
  for (long long line = 0; line < plans[plan].count; line++) {
    for (long long k = 0; k < n; k++)
      x[k] = type == Z2Z ? ((const double complex *)in)[line * n + k]
                         : (double complex)((const float complex *)in)[line * n + k];
    transform(x, n, 1, x + n, x + 2 * n);
    for (long long k = 0; k < n; k++)
      if (type == Z2Z) ((double complex *)out)[line * n + k] = x[n + k];
      else ((float complex *)out)[line * n + k] = (float complex)x[n + k];
  }
  free(x);
  return 0;
}

EXPORT int cufftExecC2C(int plan, void *in, void *out, int direction);
EXPORT int cufftExecC2C(int plan, void *in, void *out, int direction) {
  int code = fake_failure("cufftExecC2C");
  return code ? code : run(plan, in, out, direction, C2C);
}
EXPORT int cufftExecZ2Z(int plan, void *in, void *out, int direction);
EXPORT int cufftExecZ2Z(int plan, void *in, void *out, int direction) {
  int code = fake_failure("cufftExecZ2Z");
  return code ? code : run(plan, in, out, direction, Z2Z);
}
