/* foreign.c - kernels as the user wrote them (core/graph/foreign.h): compiles, loads and starts
 * one. What it writes is made ready before; that is not in its time. */
#include "core/device/cuda/foreign.h"

#include "core/device/cuda/build.h"
#include "core/plan/kernels/launches.h"

static const struct fs_node *call_of(const struct fs_code *c) {
  return fs_node(c->plan->graph, c->kernel->lib_node);
}

static enum fs_status refused(const struct fs_code *c, const char *log, struct fs_diags *d) {
  struct fs_str text = {0};
  fs_build_put_log(&text, log);
  enum fs_status st =
      fs_error(d, call_of(c)->span, "kernel-compile",
               "what the file includes, and what its host sets, is not there",
               "NVRTC does not compile `%.60s`: %.600s", call_of(c)->user->name,
               text.len ? text.data : "it gave no message");
  fs_str_free(&text);
  return st;
}

enum fs_status fs_cuda_foreign_prepare(struct cuda *t, struct fs_code *c, struct fs_diags *d) {
  struct fs_build b = {0};
  const char *text = c->foreign->text;
  enum fs_status st = FS_OK;
  b.key = fs_build_key(t, text, NULL);
  fs_build_begin(t, &b, text, NULL);
  b.job.as_it_is = true;
  if (!b.cached) {
    fs_nvrtc_compile(&b.job);
    if (b.job.image) fs_kernel_cache_put(&b.key, b.job.image, b.job.size);
    else st = b.job.cancelled ? FS_INTERRUPTED : refused(c, b.job.log, d);
  }
  if (st == FS_OK)
    st = fs_build_load(t, &b, call_of(c)->user->name, &c->module, &c->function, d);
  if (st == FS_OK && c->foreign->shared)
    fs_cu.function_set(c->function, CU_FN_MAX_DYNAMIC_SHARED, (int)c->foreign->shared);
  fs_build_free(&b);
  return st;
}

static bool is_dense(const struct fs_lib_array *a) {
  int64_t count = 1;
  for (int k = a->rank - 1; k >= 0; count *= a->dim[k--])
    if (a->dim[k] != 1 && a->stride[k] != count) return false;
  return true;
}

/* The elements of an array one behind the other, at `to`. */
static enum fs_status put_dense(struct cuda *t, const struct fs_lib_array *a, void *to,
                                struct fs_diags *d) {
  int64_t bytes = fs_lib_count(a) * (int64_t)fs_dtype_size(a->dtype), count = 1;
  struct cuda_own_call own = {.t = t, .own = fs_cuda_own(t), .d = d};
  struct fs_lib_call call = {.op = FS_LIB_RESHAPE, .a = *a, .out = *a};
  if (!bytes) return FS_OK;
  if (is_dense(a)) return t->base.ops->copy(&t->base, to, bytes, a->ptr, bytes, bytes, 1, d);
  call.out.ptr = to;
  for (int k = a->rank - 1; k >= 0; count *= a->dim[k--]) call.out.stride[k] = count;
  return fs_cuda_own_reshape(&own, &call);
}

static enum fs_status ready_operand(struct cuda *t, const struct fs_code *c, int operand,
                                    void *const *slots, struct cuda_foreign_run *run, int at,
                                    struct fs_diags *d) {
  struct fs_lib_array a = fs_lib_operand(c->plan, c->kernel, operand, slots);
  run->address[at] = a.ptr;
  if (is_dense(&a)) return FS_OK;
  int64_t bytes = fs_mul_size(fs_lib_count(&a), (int64_t)fs_dtype_size(a.dtype));
  if (bytes < 0) bytes = INT64_MAX / 2;
  enum fs_status st = fs_cuda_scratch(t, (size_t)bytes, &run->address[at], d);
  if (st != FS_OK) return st;
  run->room[run->n_rooms].p = run->address[at];
  run->room[run->n_rooms++].bytes = (size_t)bytes;
  return put_dense(t, &a, run->address[at], d);
}

static enum fs_status ready_result(struct cuda *t, const struct fs_code *c,
                                   const struct fs_foreign_param *p, void *const *slots,
                                   void **address, struct fs_diags *d) {
  struct fs_lib_array out = fs_lib_operand(c->plan, c->kernel, -1, slots);
  int64_t size = (int64_t)fs_dtype_size(out.dtype);
  char *to = *address = (char *)out.ptr + p->offset * size;
  if (!p->count) return FS_OK;
  if (p->operand < 0) return fs_cuda_zero(&t->base, to, (size_t)(p->count * size), d);
  struct fs_lib_array from = fs_lib_operand(c->plan, c->kernel, p->operand, slots);
  return put_dense(t, &from, to, d);
}

static void drop(struct cuda *t, struct cuda_foreign_run *run) {
  while (run->n_rooms) { /* in stream order: it may be read still */
    run->n_rooms--;
    fs_cuda_free(&t->base, run->room[run->n_rooms].p, run->room[run->n_rooms].bytes);
  }
}

enum fs_status fs_cuda_foreign_ready(struct cuda *t, const struct fs_code *c, void *const *slots,
                                     struct cuda_foreign_run *run, struct fs_diags *d) {
  const struct fs_foreign *f = c->foreign;
  enum fs_status st = FS_OK;
  fs_cuda_stream(t);
  run->n_rooms = 0;
  for (int k = 0; k < f->n_params && st == FS_OK; k++) {
    const struct fs_foreign_param *p = &f->param[k];
    if (p->kind == FS_FP_READ) st = ready_operand(t, c, p->operand, slots, run, k, d);
    if (p->kind == FS_FP_WRITE) st = ready_result(t, c, p, slots, &run->address[k], d);
  }
  if (st != FS_OK) drop(t, run);
  return st;
}

enum fs_status fs_cuda_foreign_start(struct cuda *t, const struct fs_code *c,
                                     struct cuda_foreign_run *run, struct fs_diags *d) {
  const struct fs_foreign *f = c->foreign;
  void *args[FS_FOREIGN_PARAMS];
  for (int k = 0; k < f->n_params; k++)
    args[k] = f->param[k].kind == FS_FP_NUMBER ? (void *)(uintptr_t)f->param[k].bytes
                                               : (void *)&run->address[k];
  CUresult r = CU_OK;
  if (f->grid[0])
    r = fs_cu.launch(c->function, f->grid[0], f->grid[1], f->grid[2], f->block[0], f->block[1],
                     f->block[2], f->shared, fs_cuda_stream(t), args, NULL);
  drop(t, run);
  return r == CU_OK ? FS_OK : fs_cuda_fail(t, r, "starting a kernel", d);
}
