/* kernel.c - kernels made, copied and looked at. */
#include "core/kernel/kernel.h"

const char *const fs_scheme_names[] = {"flat", "row", "tile", "library",
                                       "instance", "march"};
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
  return a->list ? listed_bytes(k, a, bytes) : bytes;
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
