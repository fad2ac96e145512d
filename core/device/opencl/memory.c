/* memory.c - memory that host and device share, and what is copied to and from it. */
#include "core/device/opencl/internal.h"

enum { ALIGNED = 256 };

enum fs_status fs_opencl_alloc(struct fs_target *target, size_t bytes, void **out) {
  struct opencl *t = fs_opencl_of(target);
  /* kernels may load a vector's length behind an array */
  void *base = fs_cl.alloc(t->context, 1, bytes + 2 * ALIGNED, 0);
  *out = NULL;
  if (!base) return FS_ERR_ENV;
  uintptr_t at = ((uintptr_t)base + ALIGNED - 1) / ALIGNED * ALIGNED;
  *out = (void *)at;
  *FS_PUSH(&t->rooms) = (struct fs_cl_room){*out, base, bytes};
  t->used += (int64_t)bytes;
  target->peak = FS_MAX(target->peak, t->used);
  return FS_OK;
}

/* The room that an address lies in, or NULL. */
static struct fs_cl_room *find(struct opencl *t, const void *ptr) {
  for (int k = t->rooms.len - 1; k >= 0; k--) {
    struct fs_cl_room *r = &t->rooms.data[k];
    if ((const char *)ptr >= r->ptr && (const char *)ptr <= r->ptr + r->bytes) return r;
  }
  return NULL;
}

void fs_opencl_free(struct fs_target *target, void *ptr, size_t bytes) {
  struct opencl *t = fs_opencl_of(target);
  if (!ptr) return;
  for (int k = t->rooms.len - 1; k >= 0; k--) {
    if (t->rooms.data[k].ptr != ptr) continue;
    if (t->last) fs_cl.finish(t->queue); /* a kernel may still use it */
    fs_cl.free(t->context, t->rooms.data[k].base);
    t->rooms.data[k] = t->rooms.data[--t->rooms.len];
    t->used -= (int64_t)bytes;
    return;
  }
}

void fs_opencl_trim(struct fs_target *t) { (void)t; }

void fs_opencl_memory(struct fs_target *target, int64_t *used, int64_t *cached,
                      int64_t *available) {
  struct opencl *t = fs_opencl_of(target);
  *used = t->used;
  *cached = 0;
  *available = FS_MAX(0, target->device.memory_bytes - t->used);
}

/* Of the device: rows from `ptr` on, for the host, and back. */
static enum fs_status map(struct opencl *t, const void *ptr, int64_t bytes, cl_ulong how,
                          struct fs_diags *d) {
  enum fs_status st = fs_opencl_wait(t, d);
  if (st) return st;
  cl_int r = fs_cl.map(t->queue, 1, how, (void *)(uintptr_t)ptr, (size_t)bytes, 0, NULL, NULL);
  return r == CL_OK ? FS_OK : fs_opencl_fail(t, r, "reading and writing its memory", d);
}

static void unmap(struct opencl *t, const void *ptr) {
  fs_cl.unmap(t->queue, (void *)(uintptr_t)ptr, 0, NULL, NULL);
  fs_cl.finish(t->queue);
}

static void move(char *dst, int64_t dst_pitch, const char *src, int64_t src_pitch, int64_t width,
                 int64_t rows) {
  for (int64_t r = 0; r < rows; r++)
    memmove(dst + r * dst_pitch, src + r * src_pitch, (size_t)width);
}

enum fs_status fs_opencl_upload(struct fs_target *target, void *dst, int64_t dst_pitch,
                                const void *src, int64_t src_pitch, int64_t width, int64_t rows,
                                struct fs_diags *d) {
  struct opencl *t = fs_opencl_of(target);
  if (width <= 0 || rows <= 0) return FS_OK;
  enum fs_status st = map(t, dst, (rows - 1) * dst_pitch + width, CL_READ | CL_WRITE, d);
  if (st) return st;
  move(dst, dst_pitch, src, src_pitch, width, rows);
  unmap(t, dst);
  return FS_OK;
}

enum fs_status fs_opencl_download(struct fs_target *target, void *dst, int64_t dst_pitch,
                                  const void *src, int64_t src_pitch, int64_t width, int64_t rows,
                                  struct fs_diags *d) {
  struct opencl *t = fs_opencl_of(target);
  if (width <= 0 || rows <= 0) return FS_OK;
  enum fs_status st = map(t, src, (rows - 1) * src_pitch + width, CL_READ, d);
  if (st) return st;
  move(dst, dst_pitch, src, src_pitch, width, rows);
  unmap(t, src);
  return FS_OK;
}

enum fs_status fs_opencl_copy(struct fs_target *target, void *dst, int64_t dst_pitch,
                              const void *src, int64_t src_pitch, int64_t width, int64_t rows,
                              struct fs_diags *d) {
  struct opencl *t = fs_opencl_of(target);
  void *both[2] = {dst, (void *)(uintptr_t)src};
  if (width <= 0 || rows <= 0) return FS_OK;
  enum fs_status st = fs_opencl_lend(t, both, 2, d);
  if (st) return st;
  move(dst, dst_pitch, src, src_pitch, width, rows);
  fs_opencl_take(t, both, 2);
  return FS_OK;
}

/* Whether a slot before lies in the same room. */
static bool is_lent(struct opencl *t, void *const *slots, int k, const struct fs_cl_room *room) {
  for (int other = 0; other < k; other++)
    if (slots[other] && find(t, slots[other]) == room) return true;
  return false;
}

enum fs_status fs_opencl_lend(struct opencl *t, void *const *slots, int n, struct fs_diags *d) {
  enum fs_status st = fs_opencl_wait(t, d);
  for (int k = 0; k < n && !st; k++) {
    struct fs_cl_room *room = slots[k] ? find(t, slots[k]) : NULL;
    if (!room || is_lent(t, slots, k, room)) continue;
    cl_int r = fs_cl.map(t->queue, 1, CL_READ | CL_WRITE, room->ptr, room->bytes, 0, NULL, NULL);
    if (r != CL_OK) st = fs_opencl_fail(t, r, "giving its memory to the host", d);
  }
  return st;
}

void fs_opencl_take(struct opencl *t, void *const *slots, int n) {
  for (int k = 0; k < n; k++) {
    struct fs_cl_room *room = slots[k] ? find(t, slots[k]) : NULL;
    if (room && !is_lent(t, slots, k, room)) fs_cl.unmap(t->queue, room->ptr, 0, NULL, NULL);
  }
  fs_cl.finish(t->queue);
}
