/* loop_take.c - what the variables of a loop are, in registers, and back: see loop.h. */
#include "core/eval/loop.h"
#include "core/eval/trace.h"

/* -- variables ------------------------------------------------------------------------ */

bool fs_loop_take_value(struct fs_interp *in, const struct fs_val *v,
                        struct fs_loop_register *out, enum fs_status *st) {
  int64_t first[FS_MAX_RANK] = {0}, count[FS_MAX_RANK] = {0}; /* of no dimension */
  char bytes[16];
  if (fs_val_is_host(v)) {
    struct fs_scalar x = fs_scalar_of(v);
    *out = (struct fs_loop_register){.x = x.x, .tag = (uint8_t)x.kind};
    return true;
  }
  bool one = v->kind == FS_V_TENSOR && !v->tensor->shape.rank &&
             !fs_dtype_is_half(v->tensor->dtype);
  if (!one || in->explain) return false;
  *st = fs_force(in, v->tensor);
  if (*st == FS_OK) *st = fs_tensor_download(v->tensor, first, count, bytes, in->diags);
  if (*st != FS_OK) return false;
  enum fs_dtype dt = v->tensor->dtype;
  struct fs_number x = fs_element_get(dt, bytes);
  *out = (struct fs_loop_register){.tag = (uint8_t)(FS_LT_TENSOR + dt)};
  if (fs_dtype_is_float(dt)) out->x = x.f;
  else out->i = x.i;
  return true;
}

/* A number that nobody has read yet is for who reads names. */
static bool take_variable(struct fs_interp *in, const struct fs_loop_variable *v,
                          struct fs_loop_register *out, enum fs_status *st) {
  struct fs_val now = {FS_V_NONE};
  if (fs_host_number(in, v->name, v->assigned, &now)) return fs_loop_take_value(in, &now, out, st);
  if (now.kind != FS_V_TENSOR || !fs_lookup(in, v->name, &now)) return false;
  bool taken = fs_loop_take_value(in, &now, out, st);
  fs_val_unref(now);
  return taken;
}

static bool take_variables(struct fs_interp *in, const struct fs_loop *l, enum fs_status *st) {
  for (int k = 0; k < l->n_functions; k++)
    if (!fs_is_builtin(in, l->functions[k])) return false;
  for (int k = 0; k < l->n_variables; k++) {
    const struct fs_loop_variable *v = &l->variables[k];
    struct fs_loop_register *r = &l->registers[v->at];
    *r = (struct fs_loop_register){.tag = FS_SC_NONE};
    if (v->needed && !take_variable(in, v, r, st)) return false;
    r->given = true;
  }
  return true;
}

/* -- arrays ---------------------------------------------------------------------------- */

static bool on_host(const struct fs_target *t) { return !fs_target_compiles(t); }

/* Whether nobody else has its elements, and each lies somewhere else. In a function a name that
 * is one of outside becomes one of its own. */
static bool is_own(struct fs_interp *in, const char *name, const struct fs_tensor *t) {
  int64_t count;
  const struct fs_val *v = fs_scope_find(in->scope, name);
  if (!v || v->kind != FS_V_TENSOR || v->tensor != t) return false;
  struct fs_layout all = fs_layout_new(t->dtype, &t->shape, &count);
  return on_host(t->storage->target) && t->refs == 2 && t->storage->refs == 1 &&
         !t->storage->cut.part && !t->layout.offset && !t->layout.reach &&
         !memcmp(all.stride, t->layout.stride, sizeof all.stride);
}

/* Where the elements of a tensor lie. */
static void set_places(struct fs_loop_array *a, const struct fs_tensor *t) {
  int64_t size = (int64_t)fs_dtype_size(t->dtype);
  a->base = (char *)t->storage->ptr + t->layout.offset * size;
  for (int k = 0; k < FS_MAX_RANK; k++) a->stride[k] = t->layout.stride[k] * size;
}

/* A copy, row by row; on a CPU one that is an array already, for an upload may be interrupted. */
static enum fs_status copy_array(struct fs_interp *in, struct fs_loop_array *a,
                                 const struct fs_tensor *t) {
  int64_t first[FS_MAX_RANK] = {0}, size = (int64_t)fs_dtype_size(t->dtype);
  struct fs_tensor *own;
  a->copy = a->base = fs_malloc((size_t)(fs_shape_count(&t->shape) * size) + 1);
  for (int k = t->shape.rank - 1; k >= 0; size *= t->shape.dim[k--]) a->stride[k] = size;
  enum fs_status st = fs_tensor_download(t, first, t->shape.dim, a->copy, in->diags);
  if (st != FS_OK || !a->written || !on_host(in->target)) return st;
  st = fs_tensor_upload(in->target, a->dtype, &a->shape, a->copy, &own, in->diags);
  if (st != FS_OK) return st;
  free(a->copy);
  a->copy = NULL;
  set_places(a, own);
  a->storage = fs_storage_ref(own->storage);
  fs_tensor_unref(own);
  return FS_OK;
}

static bool take_array(struct fs_interp *in, struct fs_loop_array *a, enum fs_status *st) {
  struct fs_val v;
  if (!fs_lookup(in, a->name, &v)) return false;
  struct fs_tensor *t = v.kind == FS_V_TENSOR ? v.tensor : NULL;
  if (!t || !t->shape.rank || fs_dtype_is_half(t->dtype)) {
    fs_val_unref(v);
    return false;
  }
  *st = fs_force(in, t);
  a->shape = t->shape;
  a->dtype = t->dtype;
  bool own = *st == FS_OK && a->written && is_own(in, a->name, t);
  bool reads = *st == FS_OK && !a->written && on_host(t->storage->target) && !t->layout.reach &&
               !t->storage->cut.part;
  if (own || reads) set_places(a, t);
  if (own) a->storage = fs_storage_ref(t->storage);
  if (reads) a->tensor = fs_tensor_ref(t);
  if (*st == FS_OK && !own && !reads) *st = copy_array(in, a, t);
  fs_val_unref(v);
  return *st == FS_OK;
}

static void let_go(struct fs_loop *l) {
  for (int k = 0; k < l->n_arrays; k++) {
    struct fs_loop_array *a = &l->arrays[k];
    fs_tensor_unref(a->tensor);
    fs_storage_unref(a->storage);
    free(a->copy);
    a->tensor = NULL;
    a->storage = NULL;
    a->copy = NULL;
  }
}

/* What its subscripts are of; false: it has not so many. x[i] of a row is x[1, i]. */
static bool set_view(const struct fs_loop *l, struct fs_loop_view *v) {
  const struct fs_loop_array *a = &l->arrays[v->array];
  const struct fs_shape *s = &a->shape;
  bool row = v->n == 1 && s->rank == 2 && s->dim[0] == 1;
  bool column = s->rank == 1 || (s->rank == 2 && s->dim[1] == 1);
  v->base = a->base;
  v->tag = (uint8_t)(FS_LT_TENSOR + a->dtype);
  if (v->n == 1 ? !row && !column : v->n < s->rank) return false;
  for (int k = 0; k < v->n; k++) {
    v->dim[k] = fs_shape_dim(s, k + row);
    v->stride[k] = k + row < s->rank ? a->stride[k + row] : 0;
  }
  return true;
}

static void set_extent(const struct fs_loop *l, const struct fs_loop_extent *x) {
  int64_t n = 0;
  const struct fs_shape *s = x->kind == FS_LX_END ? NULL : &l->arrays[x->of].shape;
  if (x->kind == FS_LX_END) n = l->views[x->of].dim[x->dim];
  if (x->kind == FS_LX_SIZE) n = fs_shape_dim(s, x->dim);
  if (x->kind == FS_LX_NUMEL) n = fs_shape_count(s);
  for (int k = 0; x->kind == FS_LX_LENGTH && k < s->rank; k++) n = FS_MAX(n, s->dim[k]);
  l->registers[x->at] = (struct fs_loop_register){.x = (double)n, .tag = FS_SC_INT};
}

static bool take_arrays(struct fs_interp *in, struct fs_loop *l, enum fs_status *st) {
  bool taken = true;
  for (int k = 0; k < l->n_arrays && taken; k++) taken = take_array(in, &l->arrays[k], st);
  for (int k = 0; k < l->n_views && taken; k++) taken = set_view(l, &l->views[k]);
  for (int k = 0; k < l->n_extents && taken; k++) set_extent(l, &l->extents[k]);
  if (!taken) let_go(l);
  return taken;
}

bool fs_loop_take(struct fs_interp *in, struct fs_loop *l, enum fs_status *st) {
  return take_variables(in, l, st) && take_arrays(in, l, st);
}

bool fs_loop_retake(struct fs_interp *in, struct fs_loop *l, const char *assigned,
                    enum fs_status *st) {
  for (int k = 0; k < l->n_variables; k++) {
    const struct fs_loop_variable *v = &l->variables[k];
    struct fs_loop_register *r = &l->registers[v->at];
    if (!assigned || strcmp(v->name, assigned)) continue;
    if (!take_variable(in, v, r, st)) return false;
    r->given = true;
  }
  return take_arrays(in, l, st);
}

/* -- afterwards ------------------------------------------------------------------------- */

static enum fs_status give_variable(struct fs_interp *in, const struct fs_loop_variable *v,
                                    const struct fs_loop_register *r) {
  struct fs_tensor *t;
  struct fs_shape one = fs_shape_scalar();
  char bytes[16];
  if (r->tag == FS_SC_NONE || r->given) return FS_OK;
  if (fs_loop_is_host(r)) {
    struct fs_scalar x = {.x = r->x, .kind = (enum fs_scalar_kind)r->tag};
    fs_assign(in, v->name, fs_scalar_value(x));
    return FS_OK;
  }
  enum fs_dtype dt = (enum fs_dtype)(r->tag - FS_LT_TENSOR);
  struct fs_number x = {.i = 0};
  if (fs_dtype_is_float(dt)) x.f = r->x;
  else x.i = r->i;
  fs_element_put(dt, bytes, x);
  struct fs_storage *storage;
  struct fs_layout layout = {.offset = 0};
  size_t size = fs_dtype_size(dt);
  enum fs_status st = fs_storage_new(in->target, size, &storage, in->diags);
  if (st != FS_OK) return st;
  t = fs_tensor_stored(storage, dt, &one, &layout);
  if (on_host(in->target)) memcpy(storage->ptr, bytes, size);
  else st = in->target->ops->upload(in->target, storage->ptr, (int64_t)size, bytes,
                                    (int64_t)size, (int64_t)size, 1, in->diags);
  if (st != FS_OK) fs_tensor_unref(t);
  else fs_assign(in, v->name, fs_val_tensor(t));
  return st;
}

static enum fs_status give_array(struct fs_interp *in, struct fs_loop_array *a) {
  struct fs_tensor *t = NULL;
  enum fs_status st = FS_OK;
  if (a->storage) {
    int64_t count;
    struct fs_layout all = fs_layout_new(a->dtype, &a->shape, &count);
    a->storage->list_to = 0;
    t = fs_tensor_stored(a->storage, a->dtype, &a->shape, &all);
    a->storage = NULL;
  } else if (a->copy && a->written) {
    st = fs_tensor_upload(in->target, a->dtype, &a->shape, a->copy, &t, in->diags);
  }
  if (t) fs_assign(in, a->name, fs_val_tensor(t));
  return st;
}

enum fs_status fs_loop_give(struct fs_interp *in, struct fs_loop *l) {
  enum fs_status st = FS_OK;
  for (int k = 0; k < l->n_variables && st == FS_OK; k++)
    st = give_variable(in, &l->variables[k], &l->registers[l->variables[k].at]);
  for (int k = 0; k < l->n_arrays && st == FS_OK; k++) st = give_array(in, &l->arrays[k]);
  let_go(l);
  return st;
}
