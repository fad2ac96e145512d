/* covering.c - the best covers found so far. */
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
