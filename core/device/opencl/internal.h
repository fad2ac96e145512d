/* internal.h - what the files of the OpenCL target share. */
#ifndef FS_OPENCL_INTERNAL_H
#define FS_OPENCL_INTERNAL_H

#include "core/device/opencl/driver.h"
#include "core/device/target.h"
#include "core/emit/emit.h"
#include "core/kernel/kernel.h"

/* Memory that host and device both see, each at its time (coarse-grained SVM). */
struct fs_cl_room {
  char *ptr;               /* what the caller has */
  void *base;              /* what OpenCL gave    */
  size_t bytes;
};

struct opencl {
  struct fs_target base;
  void *device, *context, *queue;
  FS_VEC(struct fs_cl_room) rooms;
  int64_t used;
  void *last;              /* the event of what was started last; NULL: all has ended */
  struct fs_target *host;  /* of library calls and the user's functions: opened when needed */
};
static inline struct opencl *fs_opencl_of(struct fs_target *t) { return (struct opencl *)t; }

struct fs_code {
  const struct fs_plan *plan;
  char *does;              /* the statements */
  struct fs_emitted emitted;
  void *program, *kernel;  /* of OpenCL */
  size_t groups;
  void *work;              /* its workspace */
  size_t work_bytes;
  struct fs_kernel tuned;  /* ... or of the host: as that goes over it */
  struct fs_code *host;
};

/* memory.c */
enum fs_status fs_opencl_alloc(struct fs_target *t, size_t bytes, void **out);
void fs_opencl_free(struct fs_target *t, void *ptr, size_t bytes);
void fs_opencl_trim(struct fs_target *t);
void fs_opencl_memory(struct fs_target *t, int64_t *used, int64_t *cached, int64_t *available);
enum fs_status fs_opencl_upload(struct fs_target *t, void *dst, int64_t dst_pitch, const void *src,
                                int64_t src_pitch, int64_t width, int64_t rows, struct fs_diags *d);
enum fs_status fs_opencl_download(struct fs_target *t, void *dst, int64_t dst_pitch,
                                  const void *src, int64_t src_pitch, int64_t width, int64_t rows,
                                  struct fs_diags *d);
enum fs_status fs_opencl_copy(struct fs_target *t, void *dst, int64_t dst_pitch, const void *src,
                              int64_t src_pitch, int64_t width, int64_t rows, struct fs_diags *d);
/* Gives the host what slots point to, and takes it back. Waits. */
enum fs_status fs_opencl_lend(struct opencl *t, void *const *slots, int n, struct fs_diags *d);
void fs_opencl_take(struct opencl *t, void *const *slots, int n);

/* code.c: prepare(), release(), launch(), code_text(). */
enum fs_status fs_opencl_prepare(struct fs_target *t, const struct fs_plan *plan,
                                 const struct fs_diags *sources, int n,
                                 const struct fs_kernel *const *kernels, struct fs_code **codes,
                                 struct fs_diags *d);
void fs_opencl_release(struct fs_target *t, struct fs_code *code);
enum fs_status fs_opencl_launch(struct fs_target *t, struct fs_code *code, void *const *slots,
                                const struct fs_number *params, struct fs_timer *timer,
                                struct fs_diags *d);
char *fs_opencl_code_text(struct fs_target *t, struct fs_code *code, const char *form,
                          const char **why);

/* wait.c: a call failed while `doing`; waits for all that was started. */
enum fs_status fs_opencl_fail(struct opencl *t, cl_int error, const char *doing,
                              struct fs_diags *d);
enum fs_status fs_opencl_wait(struct opencl *t, struct fs_diags *d);

struct fs_timer {
  double seconds;
};
/* Waits for the kernel that was started last, and reads how long it took. */
enum fs_status fs_opencl_wait_for(struct opencl *t, struct fs_timer *timer, struct fs_diags *d);

#endif
