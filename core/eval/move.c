/* move.c - taking another target into use: every value goes there through host
 * memory, first all copies, then the switch, so that a failure changes nothing. */
#include "core/eval/interp.h"
#include "core/eval/list.h"

struct moved {
  struct fs_tensor *tensor;
  struct fs_tensor *copy;
};
struct moving {
  FS_VEC(struct moved) list;
  FS_VEC(const struct fs_func *) seen;
};

static enum fs_status copy_tensor(struct fs_interp *in, struct fs_target *to,
                                  struct fs_tensor *t, struct moving *m) {
  for (int i = 0; i < m->list.len; i++)
    if (m->list.data[i].tensor == t) return FS_OK;
  enum fs_status st = fs_force(in, t);
  if (st != FS_OK) return st;
  int64_t first[FS_MAX_RANK] = {0};
  size_t bytes = (size_t)fs_shape_count(&t->shape) * fs_dtype_size(t->dtype);
  char *raw = fs_malloc(bytes);
  struct fs_tensor *copy = NULL;
  st = fs_tensor_download(t, first, t->shape.dim, raw, in->diags);
  if (st == FS_OK)
    st = fs_tensor_upload(to, t->dtype, &t->shape, raw, &copy, in->diags);
  free(raw);
  if (st == FS_OK) *FS_PUSH(&m->list) = (struct moved){t, copy};
  return st;
}

static enum fs_status copy_value(struct fs_interp *in, struct fs_target *to,
                                 struct fs_val v, struct moving *m) {
  struct fs_tensor *t[2];
  enum fs_status st = FS_OK;
  int n = fs_val_tensors(&v, t);
  for (int k = 0; k < n && st == FS_OK; k++) st = copy_tensor(in, to, t[k], m);
  for (int64_t k = 0; fs_is_list(&v) && k < v.list->len && st == FS_OK; k++)
    st = copy_value(in, to, v.list->items[k], m);
  if (n || st != FS_OK) return st;
  if (v.kind != FS_V_FUNCTION) return FS_OK;
  for (int i = 0; i < m->seen.len; i++)
    if (m->seen.data[i] == v.func) return FS_OK;
  *FS_PUSH(&m->seen) = v.func;
  for (int i = 0; i < v.func->captures.len; i++) {
    st = copy_value(in, to, v.func->captures.data[i].value, m);
    if (st != FS_OK) return st;
  }
  return FS_OK;
}

static enum fs_status copy_scope(struct fs_interp *in, struct fs_target *to,
                                 struct fs_scope *s, struct moving *m) {
  for (int i = 0; i < s->vars.len; i++) {
    enum fs_status st = copy_value(in, to, s->vars.data[i].value, m);
    if (st != FS_OK) return st;
  }
  return FS_OK;
}

/* Handles stay the same objects: they trade storages with their copies. */
static void swap_all(struct moving *m) {
  for (int i = 0; i < m->list.len; i++) {
    struct fs_tensor *a = m->list.data[i].tensor, *b = m->list.data[i].copy;
    struct fs_storage *storage = a->storage;
    struct fs_layout layout = a->layout;
    a->storage = b->storage;
    a->layout = b->layout;
    b->storage = storage;
    b->layout = layout;
  }
}

enum fs_status fs_interp_retarget(struct fs_interp *in,
                                  struct fs_runner *runner,
                                  struct fs_target *target) {
  struct moving m = {0};
  enum fs_status st = fs_interp_flush(in);
  if (st == FS_OK) st = copy_scope(in, target, &in->globals, &m);
  if (st == FS_OK) st = copy_scope(in, target, &in->prelude, &m);
  if (st == FS_OK) {
    swap_all(&m);
    in->runner = runner;
    in->target = target;
  }
  for (int i = 0; i < m.list.len; i++) fs_tensor_unref(m.list.data[i].copy);
  FS_VEC_FREE(&m.list);
  FS_VEC_FREE(&m.seen);
  return st;
}
