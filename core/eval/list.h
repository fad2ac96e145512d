/* list.h - lists and records: values in a row, a record's with names. They are values like all
 * others: who changes one that somebody else holds changes a copy. So none holds itself. */
#ifndef FS_LIST_H
#define FS_LIST_H

#include "core/eval/value.h"

struct fs_list {
  int refs;
  int logged;           /* of these the undo log has */
  int depth;            /* 1, and more than those in it, or than they were */
  int64_t len, cap;
  struct fs_val *items;
  char **names;         /* of a record; else NULL for all */
};

enum { FS_LIST_DEPTH = 100 };

/* One of no elements, with room for n. */
struct fs_list *fs_list_new(int64_t n);
void fs_list_ref(struct fs_list *l);
void fs_list_unref(struct fs_list *l);
/* Adds an element; keeps its reference. name: of a record, copied; else NULL. */
void fs_list_add(struct fs_list *l, const char *name, struct fs_val v);
/* Makes room for one more, which is not counted yet, and perhaps its name. */
void fs_list_grow(struct fs_list *l, bool named);
/* The place of a field, from 0, or -1. */
int64_t fs_list_find(const struct fs_list *l, const char *name);
/* How deep lists are inside of a value: 0 for others. */
int fs_list_depth(const struct fs_val *v);
static inline bool fs_is_list(const struct fs_val *v) {
  return v->kind == FS_V_LIST || v->kind == FS_V_RECORD;
}

#endif
