/* host_call.c - a library call of the CUDA target done by LAPACK on the host:
 * where cuBLAS or cuSOLVER is not installed, and for least squares. */
#include <inttypes.h>
#include <sched.h>

#include "core/device/cpu/lapack.h"
#include "core/device/cuda/library.h"

/* The range of elements that an array touches: from *first, *count of them. */
static void extent_of(const struct fs_lib_array *a, int64_t *first,
                      int64_t *count) {
  int64_t low = 0, high = 0;
  for (int k = 0; k < a->rank; k++) {
    int64_t reach = (a->dim[k] - 1) * a->stride[k];
    if (reach < 0) low += reach; else high += reach;
  }
  *first = low;
  *count = fs_lib_count(a) ? high - low + 1 : 0;
}

/* Whether dense rows of `a` can be copied with a pitch. */
static bool has_rows(const struct fs_lib_array *a) {
  return a->rank == 2 && (a->dim[1] == 1 || a->stride[1] == 1) &&
         (a->dim[0] == 1 || a->stride[0] >= a->dim[1]);
}

/* A host copy of an array: as dense rows, or else the whole range it touches.
 * *block is to be freed. */
static enum fs_status fetch(struct cuda *t, const struct fs_lib_array *a,
                            struct fs_lib_array *host, void **block,
                            bool copy, struct fs_diags *d) {
  int64_t size = (int64_t)fs_dtype_size(a->dtype), first = 0, count;
  bool rows = has_rows(a);
  *host = *a;
  if (rows) {
    count = a->dim[0] * a->dim[1];
    host->stride[0] = a->dim[0] == 1 ? 0 : a->dim[1];
  } else {
    extent_of(a, &first, &count);
  }
  *block = malloc((size_t)FS_MAX(count * size, 1));
  if (!*block)
    return fs_env_error(d, "out-of-memory", NULL,
                        "not enough host memory for a library call (%" PRId64
                        " bytes)", count * size);
  host->ptr = (char *)*block - first * size;
  if (!copy || !count) return FS_OK;
  if (rows)
    return fs_cuda_download(&t->base, *block, a->dim[1] * size, a->ptr,
                            a->stride[0] * size, a->dim[1] * size, a->dim[0],
                            d);
  return fs_cuda_download(&t->base, *block, 0, (char *)a->ptr + first * size, 0,
                          count * size, 1, d);
}

static enum fs_status send(struct cuda *t, const struct fs_lib_array *a,
                           const void *block, struct fs_diags *d) {
  int64_t size = (int64_t)fs_dtype_size(a->dtype), first, count;
  if (has_rows(a))
    return fs_cuda_upload(&t->base, a->ptr, a->stride[0] * size, block,
                          a->dim[1] * size, a->dim[1] * size, a->dim[0], d);
  extent_of(a, &first, &count);
  return fs_cuda_upload(&t->base, (char *)a->ptr + first * size, 0, block, 0,
                        count * size, 1, d);
}

static int processors(void) {
  cpu_set_t cpus;
  return sched_getaffinity(0, sizeof cpus, &cpus) ? 1 : CPU_COUNT(&cpus);
}

enum fs_status fs_cuda_host_call(struct cuda *t, const struct fs_lib_call *call,
                                 struct fs_diags *d) {
  struct fs_lib_call host = *call;
  void *a = NULL, *b = NULL, *out = NULL;
  enum fs_status status = fetch(t, &call->a, &host.a, &a, true, d);
  if (status == FS_OK && call->has_b)
    status = fetch(t, &call->b, &host.b, &b, true, d);
  if (status == FS_OK) /* what lies between strided results must come back */
    status = fetch(t, &call->out, &host.out, &out, !has_rows(&call->out), d);
  if (status == FS_OK) status = fs_lapack_call(&host, NULL, processors(), d);
  if (status == FS_OK) status = send(t, &call->out, out, d);
  free(a);
  free(b);
  free(out);
  return status;
}
