/* list.c - lists and records, see list.h. */
#include "core/eval/interp.h"
#include "core/eval/list.h"

/* -- life ---------------------------------------------------------------------- */

struct fs_list *fs_list_new(int64_t n) {
  struct fs_list *l = fs_calloc(1, sizeof *l);
  l->refs = l->depth = 1;
  if (n) l->items = fs_calloc((size_t)n, sizeof *l->items);
  l->cap = n;
  return l;
}

void fs_list_ref(struct fs_list *l) { l->refs++; }

void fs_list_unref(struct fs_list *l) {
  if (--l->refs) return;
  for (int64_t k = 0; k < l->len; k++) fs_val_unref(l->items[k]);
  for (int64_t k = 0; k < l->len && l->names; k++) free(l->names[k]);
  free(l->names);
  free(l->items);
  free(l);
}

int fs_list_depth(const struct fs_val *v) { return fs_is_list(v) ? v->list->depth : 0; }

void fs_list_grow(struct fs_list *l, bool named) {
  int64_t cap = l->len < l->cap ? l->cap : 2 * l->cap + 4;
  if (named && (!l->names || cap > l->cap))
    l->names = fs_realloc(l->names, (size_t)cap * sizeof *l->names);
  if (cap > l->cap) l->items = fs_realloc(l->items, (size_t)cap * sizeof *l->items);
  l->cap = cap;
}

void fs_list_add(struct fs_list *l, const char *name, struct fs_val v) {
  fs_list_grow(l, name != NULL);
  if (name) l->names[l->len] = fs_strdup(name);
  v.literal = false;
  l->items[l->len++] = v;
  l->depth = FS_MAX(l->depth, 1 + fs_list_depth(&v));
}

int64_t fs_list_find(const struct fs_list *l, const char *name) {
  for (int64_t k = 0; k < l->len && l->names; k++)
    if (!strcmp(l->names[k], name)) return k;
  return -1;
}

void fs_list_undo(struct fs_undo *u) {
  struct fs_list *l = u->list;
  struct fs_val now = l->items[u->at];
  if (u->old.kind == FS_V_NONE) {
    l->len--;
    if (l->names) free(l->names[l->len]);
  } else {
    l->items[u->at] = u->old;
    u->old = (struct fs_val){FS_V_NONE};
  }
  fs_val_unref(now);
}
