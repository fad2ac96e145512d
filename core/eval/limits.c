/* limits.c - what stops an input: Ctrl-C, the end of the stack, sizes that no memory
 * holds. */
#include "core/eval/interp.h"
#include "core/run/compile.h"

enum fs_status fs_poll(struct fs_interp *in, struct fs_span span) {
  if (fs_interrupted()) return FS_INTERRUPTED;
  char here;
  const char *at = &here;
  size_t used = at < in->stack_base ? (size_t)(in->stack_base - at)
                                    : (size_t)(at - in->stack_base);
  if (used > in->stack_limit)
    return fs_in_error(in, span, "too-deep", NULL,
                       "expressions and calls nest too deeply here");
  return FS_OK;
}

static enum fs_status check_size(struct fs_interp *in, enum fs_dtype dt,
                                 const struct fs_shape *shape, double free_elements,
                                 struct fs_span span) {
  double count = 1;
  for (int k = 0; k < shape->rank; k++) count *= (double)shape->dim[k];
  struct fs_device any = {.memory_bytes = INT64_MAX};
  const struct fs_device *d = in->target ? &in->target->device : &any;
  if (d->memory_bytes <= 0) d = &any;
  double bytes = count * (double)fs_dtype_size(dt);
  if (count <= free_elements || bytes <= (double)d->memory_bytes) return FS_OK;
  return fs_refuse_size(d, dt, shape, fs_in_span(in, span), in->diags);
}

enum fs_status fs_check_size(struct fs_interp *in, enum fs_dtype dt,
                             const struct fs_shape *shape,
                             struct fs_span span) {
  return check_size(in, dt, shape, 0, span);
}

/* Up to so many elements can be counted, and be gone over by a kernel within hours. */
static const double MOST_ELEMENTS = 0x1p40;

enum fs_status fs_check_extents(struct fs_interp *in, enum fs_dtype dt,
                                const struct fs_shape *shape,
                                struct fs_span span) {
  return check_size(in, dt, shape, MOST_ELEMENTS, span);
}
