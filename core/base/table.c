/* table.c - hash tables of indices: open addressing, half full at most; see table.h. */
#include "core/base/table.h"

enum { FIRST = 256 };

int fs_table_find(const struct fs_table *t, uint64_t hash, fs_table_same *same, const void *list,
                  const void *key) {
  const uint64_t mask = (uint64_t)t->cap - 1;
  for (uint64_t at = hash & mask; t->cap; at = (at + 1) & mask) {
    const struct fs_table_place *p = &t->place[at];
    if (!p->index) break;
    if (p->hash == hash && same(list, p->index - 1, key)) return p->index - 1;
  }
  return -1;
}

static void put(struct fs_table *t, struct fs_table_place p) {
  const uint64_t mask = (uint64_t)t->cap - 1;
  uint64_t at = p.hash & mask;
  while (t->place[at].index) at = (at + 1) & mask;
  t->place[at] = p;
}

static void widen(struct fs_table *t) {
  struct fs_table wide = {.cap = t->cap ? 2 * t->cap : FIRST, .n = t->n};
  wide.place = fs_calloc((size_t)wide.cap, sizeof *wide.place);
  for (int k = 0; k < t->cap; k++)
    if (t->place[k].index) put(&wide, t->place[k]);
  free(t->place);
  *t = wide;
}

void fs_table_add(struct fs_table *t, uint64_t hash, int index) {
  if (2 * t->n >= t->cap) widen(t);
  t->n++;
  put(t, (struct fs_table_place){hash, index + 1});
}

void fs_table_free(struct fs_table *t) {
  free(t->place);
  *t = (struct fs_table){0};
}
