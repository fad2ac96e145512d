/* sums.c - the k least sums of one from each list; see sums.h.
 *
 * Best first search over index vectors: (0, ..., 0) is the best; from a vector
 * come those with one index more, at or behind the last place that was raised, so
 * that each vector is reached once. */
#include "core/base/sums.h"

struct node {
  double sum;
  int last;   /* the place that was raised last */
  int *index;
};

struct queue {
  FS_VEC(struct node) heap; /* smallest first */
  int n;
};

static bool before(const struct queue *q, const struct node *a, const struct node *b) {
  if (a->sum != b->sum) return a->sum < b->sum;
  for (int k = 0; k < q->n; k++)
    if (a->index[k] != b->index[k]) return a->index[k] < b->index[k];
  return false;
}

static void push(struct queue *q, struct node node) {
  int at = q->heap.len;
  *FS_PUSH(&q->heap) = node;
  while (at > 0 && before(q, &node, &q->heap.data[(at - 1) / 2])) {
    q->heap.data[at] = q->heap.data[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  q->heap.data[at] = node;
}

static struct node pop(struct queue *q) {
  struct node top = q->heap.data[0], node = q->heap.data[--q->heap.len];
  int at = 0, len = q->heap.len;
  for (int next = 1; next < len; next = 2 * at + 1) {
    if (next + 1 < len &&
        before(q, &q->heap.data[next + 1], &q->heap.data[next]))
      next++;
    if (!before(q, &q->heap.data[next], &node)) break;
    q->heap.data[at] = q->heap.data[next];
    at = next;
  }
  if (len) q->heap.data[at] = node;
  return top;
}

static double sum_of(int n, const double *const *costs, const int *index) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += costs[k][index[k]];
  return sum;
}

int fs_rank_sums(int n, const double *const *costs, const int *lens, int k,
                 double *sums, int *index) {
  struct fs_arena *arena = fs_arena_new();
  struct queue q = {.n = n};
  struct node first = {.index = FS_NEW_N(arena, int, n + 1)};
  first.sum = sum_of(n, costs, first.index);
  push(&q, first);
  int found = 0;
  while (found < k && q.heap.len) {
    struct node top = pop(&q);
    sums[found] = top.sum;
    if (n) memcpy(index + (size_t)found * (size_t)n, top.index,
                  sizeof(int) * (size_t)n);
    found++;
    for (int p = top.last; p < n; p++) {
      if (top.index[p] + 1 >= lens[p]) continue;
      struct node next = {.last = p, .index = FS_NEW_N(arena, int, n + 1)};
      memcpy(next.index, top.index, sizeof(int) * (size_t)n);
      next.index[p]++;
      next.sum = sum_of(n, costs, next.index);
      push(&q, next);
    }
  }
  FS_VEC_FREE(&q.heap);
  fs_arena_free(arena);
  return found;
}
