/* table.h - finds the records of a list by what they hold.
 *
 *   int k = fs_table_find(&t, hash, same, list, key);
 *   if (k < 0) fs_table_add(&t, hash, k = list->len), *FS_PUSH(list) = record;
 */
#ifndef FS_BASE_TABLE_H
#define FS_BASE_TABLE_H

#include "core/base/base.h"

/* All zero: empty. Freed by fs_table_free(). */
struct fs_table {
  struct fs_table_place {
    uint64_t hash;
    int index;                 /* + 1; 0: free */
  } *place;
  int n, cap;
};

/* Whether record `index` is the one that is looked for. */
typedef bool fs_table_same(const void *list, int index, const void *key);

/* The index of the record of this hash that is `key`; -1: there is none. */
int fs_table_find(const struct fs_table *t, uint64_t hash, fs_table_same *same, const void *list,
                  const void *key);
/* Adds a record that is not there. */
void fs_table_add(struct fs_table *t, uint64_t hash, int index);
void fs_table_free(struct fs_table *t);

#endif
