/* onchip.c - how long the values of a kernel live, and how many are alive at once. The order of
 * the steps is that in which they were placed: compilers find their own.
 */
#include "core/plan/kernels/inside.h"

static void mark(struct fs_value *v, int step) {
  if (v->first < 0 || step < v->first) v->first = step;
  v->last = FS_MAX(v->last, step);
}

/* One behind the last step of the phase that begins with a step. */
static int phase_end(const struct fs_kernel *k, int from) {
  int end = from + 1;
  while (end < k->steps.len && k->steps.data[end].phase == k->steps.data[from].phase) end++;
  return end;
}

/* A sum is alive from its first to its last element: as long as its sweep. */
void fs_kernel_find_lives(struct fs_kernel *k) {
  for (int v = 0; v < k->values.len; v++)
    k->values.data[v].first = k->values.data[v].last = -1;
  for (int i = 0, begin = 0, end = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (i == end) begin = i, end = phase_end(k, i);
    FS_EACH_IN(s, x) mark(&k->values.data[s->in[x]], i);
    if (s->out < 0) continue;
    struct fs_value *out = &k->values.data[s->out];
    mark(out, i);
    if (s->kind != FS_SP_REDUCE) continue;
    mark(out, out->ready == FS_END ? 0 : begin);
    mark(out, end - 1);
  }
}

int fs_kernel_footprint(struct fs_kernel *k) {
  fs_kernel_find_lives(k);
  enum { FEW = 254 };
  int n = k->steps.len, most = 0, now = 0, few[FEW + 2];
  int *change = n <= FEW ? few : fs_malloc(sizeof(int) * ((size_t)n + 2));
  memset(change, 0, sizeof(int) * ((size_t)n + 2));
  FS_EACH_AT(&k->values, val) {
    if (val->first < 0 || val->same_as >= 0) continue;
    int words = fs_dtype_size(fs_dtype_compute(val->dtype)) > 4 ? 2 : 1;
    change[val->first] += words;
    change[val->last + 1] -= words;
  }
  for (int i = 0; i < n; i++) {
    now += change[i];
    most = FS_MAX(most, now);
  }
  if (change != few) free(change);
  return most;
}
