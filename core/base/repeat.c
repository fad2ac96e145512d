/* repeat.c - what comes again in a sequence; see repeat.h. */
#include "core/base/repeat.h"

bool fs_find_repeat(const uint64_t *form, int from, int n, int most, int few,
                    struct fs_repeat *out) {
  uint64_t *sum = fs_calloc((size_t)n + 1, sizeof *sum);
  struct fs_repeat best = {0};
  for (int k = 0; k < n; k++) sum[k + 1] = sum[k] + form[k];
  for (int period = 1; period <= most; period++)
    for (int begin = from; begin + period * few <= n; begin++) {
      int end = begin + period;
      uint64_t one = sum[end] - sum[begin];
      while (end + period <= n && sum[end + period] - sum[end] == one) end += period;
      if (end - begin >= period * few && end - begin > best.period * best.count)
        best = (struct fs_repeat){begin, period, (end - begin) / period};
    }
  free(sum);
  *out = best;
  return best.count > 0;
}
