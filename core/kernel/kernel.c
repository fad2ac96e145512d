/* kernel.c - kernels made, copied and looked at. */
#include "core/kernel/kernel.h"

const struct fs_scheme_row fs_schemes[FS_SCHEMES] = {
#define FS_SCHEME(id, name, traits, ...) \
  [FS_##id] = {name, FS_BARE traits},
#include "core/kernel/scheme.def"
};
const char *const fs_joint_names[] = {"launch", "barrier", "beside"};

int fs_kernel_value(struct fs_kernel *k, enum fs_dtype dt, uint8_t varies, int ready) {
  *FS_PUSH(&k->values) = (struct fs_value){
      .dtype = dt, .varies = varies, .ready = (uint8_t)ready, .same_as = -1};
  return k->values.len - 1;
}

struct fs_step *fs_kernel_step(struct fs_kernel *k, enum fs_step_kind kind,
                               int phase, int out, fs_id node) {
  struct fs_step *s = FS_PUSH(&k->steps);
  *s = (struct fs_step){.kind = kind, .phase = (uint8_t)phase, .out = out,
                        .in = FS_NO_INPUTS, .access = -1, .param = -1,
                        .node = node};
  return s;
}

void fs_kernel_look(struct fs_kernel *k) {
  struct fs_has h = {0};
  for (int x = 0; x < k->accesses.len; x++) k->accesses.data[x].step = -1;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    struct fs_access *a = s->access < 0 ? NULL : &k->accesses.data[s->access];
    h.user |= s->user != NULL;
    if (s->kind == FS_SP_REDUCE) {
      h.reductions = true;
      h.row_results |= s->over == FS_VARIES_J;
      h.folds |= k->values.data[s->out].ready == FS_END;
    }
    if (!a) continue;
    a->step = i;
    a->stored = s->kind == FS_SP_STORE;
    h.stores |= a->stored && a->varies == FS_VARIES_BOTH;
    if (a->stored && a->varies) *(s->phase == FS_END ? &h.end_vectors : &h.early_stores) = true;
  }
  k->has = h;
}

/* What a list chooses, of single elements by sectors of memory, but no more than there is. */
static double listed_bytes(const struct fs_kernel *k, const struct fs_access *a, double bytes) {
  enum { SECTOR = 32 };
  double size = (double)fs_dtype_size(a->dtype), all = (double)a->list_extent * size;
  bool rows = false;
  for (int x = 0; x < k->space.n_outer + k->space.n_inner; x++) {
    if (a->stride[x] != 0) all *= (double)k->space.dim[x];
    rows |= k->space.dim[x] > 1 && (a->stride[x] == 1 || a->stride[x] == -1);
  }
  return FS_MIN(all, rows ? bytes : bytes / size * FS_MAX(size, SECTOR));
}

double fs_access_bytes(const struct fs_kernel *k, const struct fs_access *a) {
  double count = 1;
  for (int x = 0; x < k->space.n_outer + k->space.n_inner; x++)
    if (fs_access_walks(k, a, x)) count *= (double)k->space.dim[x];
  double bytes = count * (double)fs_dtype_size(a->dtype);
  if (a->list_extent && !a->list) bytes *= (double)a->list_extent;
  return a->list ? listed_bytes(k, a, bytes) : bytes;
}

const struct fs_step *fs_kernel_maker(const struct fs_kernel *k, int value) {
  FS_EACH_STEP(k, s)
    if (s->out == value) return s;
  return NULL;
}

int fs_kernel_uses(const struct fs_kernel *k, int value, int after) {
  int n = 0;
  FS_EACH_STEP(k, s)
    FS_EACH_IN(s, x) n += s->in[x] == value && s->phase > after;
  return n;
}

const struct fs_user *fs_kernel_function(const struct fs_kernel *k, int n) {
  FS_EACH_STEP(k, s)
    if (s->user && n-- == 0) return s->user;
  return n < k->n_applied ? k->applied[n].user : NULL;
}

void fs_kernel_free(struct fs_kernel *k) {
  FS_VEC_FREE(&k->values);
  FS_VEC_FREE(&k->steps);
  FS_VEC_FREE(&k->accesses);
  FS_VEC_FREE(&k->calls);
}

static void *copy_of(const void *data, size_t bytes) {
  void *copy = fs_malloc(bytes);
  if (bytes) memcpy(copy, data, bytes);
  return copy;
}

#define COPY_LIST(list)                                                                    \
  ((list)->cap = (list)->len,                                                              \
   (list)->data = copy_of((list)->data, sizeof *(list)->data * (size_t)(list)->len))

void fs_kernel_copy(const struct fs_kernel *k, struct fs_kernel *out) {
  *out = *k;
  COPY_LIST(&out->values);
  COPY_LIST(&out->steps);
  COPY_LIST(&out->accesses);
  COPY_LIST(&out->calls);
}
