/* covering.c - the best covers found so far, and whether kernels are one. */
#include "core/plan/cover/covering.h"

#include <math.h>

static bool same_columns(const struct fs_cover *x, const int *columns, int n) {
  return x->n == n && !memcmp(x->columns, columns, sizeof(int) * (size_t)n);
}

double fs_cover_limit(const struct fs_covering *c) {
  return c->found < c->k ? HUGE_VAL : c->best[c->k - 1].cost - 1e-7;
}

void fs_cover_keep(struct fs_covering *c, const int *columns, int n) {
  struct fs_cover mine = {.n = n};
  mine.columns = FS_NEW_N(c->p->arena, int, n + 1);
  memcpy(mine.columns, columns, sizeof(int) * (size_t)n);
  fs_sort_ids((uint32_t *)mine.columns, n);
  for (int x = 0; x < n; x++) mine.cost += c->columns[mine.columns[x]].cost;
  int at = c->found;
  for (int x = 0; x < c->found; x++)
    if (same_columns(&c->best[x], mine.columns, n)) return;
  while (at > 0 && c->best[at - 1].cost > mine.cost) at--;
  if (at == c->k) return;
  if (c->found < c->k) c->found++;
  memmove(c->best + at + 1, c->best + at,
          sizeof mine * (size_t)(c->found - 1 - at));
  c->best[at] = mine;
}

bool fs_plan_has_order(const struct fs_fusions *p, const int *kernels, int n) {
  struct fs_set done = {{0}}, needs[FS_MAX_SET];
  int left[FS_MAX_SET], before = n + 1;
  for (int k = 0; k < n; k++) {
    left[k] = k;
    needs[k] = fs_set_needs(p, &p->candidates.data[kernels[k]].set);
  }
  while (n < before) {
    before = n;
    n = 0;
    for (int x = 0; x < before; x++)
      if (fs_set_is_within(&needs[left[x]], &done))
        fs_set_join(&done, &p->candidates.data[kernels[left[x]]].set);
      else left[n++] = left[x];
  }
  return !n;
}
