/* memory.c - device memory and copies.
 *
 * Storage comes from one explicit pool of plain device memory that never gives
 * back what it has (release threshold at its maximum), under a free list by size
 * class for blocks up to 32 MiB. Everything is on one stream, so a block freed
 * while kernels still use it can be handed out at once to later work.
 */
#include <sched.h>

#include "core/base/account.h"
#include "core/device/cuda/internal.h"

/* -- size classes -------------------------------------------------------------------- */

static const size_t largest_binned = (size_t)32 << 20;
static const int64_t most_cached = (int64_t)1 << 30;

/* Rounds up to one of eight steps per power of two, at least 256 bytes: at most
 * an eighth is lost. From 32 MiB on, to 2 MiB. */
static size_t size_class(size_t bytes) {
  if (bytes <= 2048) return FS_MAX((bytes + 255) / 256 * 256, 256);
  if (bytes > largest_binned) {
    size_t two = (size_t)2 << 20;
    return bytes > SIZE_MAX - two ? bytes : (bytes + two - 1) / two * two;
  }
  size_t step = (size_t)1 << (63 - __builtin_clzll(bytes - 1) - 3);
  return (bytes + step - 1) / step * step;
}

static int bin_of(size_t rounded) {
  if (rounded < 2048) return (int)(rounded / 256);
  int log = 63 - __builtin_clzll(rounded);
  return 8 + (log - 11) * 8 + (int)(rounded >> (log - 3) & 7);
}

/* -- the pool -------------------------------------------------------------------------- */

void fs_cuda_memory_open(struct cuda *t) {
  t->bins = fs_calloc(FS_BINS, sizeof *t->bins);
  int pools = 0;
  fs_cu.device_attribute(&pools, CU_DEV_POOLS, t->device);
  if (pools && fs_cu.pool_create && fs_cu.pool_set && fs_cu.pool_get &&
      fs_cu.pool_trim && fs_cu.pool_alloc && fs_cu.pool_free &&
      fs_cu.pool_destroy) {
    struct cu_pool_props props = {.alloc_type = 1,
                                  .location = {.type = 1, .id = t->device}};
    uint64_t keep_all = UINT64_MAX;
    if (fs_cu.pool_create(&t->pool, &props) != CU_OK)
      t->pool = NULL;
    else
      fs_cu.pool_set(t->pool, CU_POOL_RELEASE_THRESHOLD, &keep_all);
  }
  void *staging = NULL;
  if (fs_cu.host_alloc(&staging, FS_STAGING) == CU_OK) t->staging = staging;
}

static CUresult driver_alloc(struct cuda *t, size_t bytes, CUdeviceptr *out) {
  enum fs_part before = fs_account_to(FS_PART_TOUCH);
  CUresult r = t->pool ? fs_cu.pool_alloc(out, bytes, t->pool, fs_cuda_stream(t))
                       : fs_cu.memory_alloc(out, bytes);
  fs_account_to(before);
  return r;
}

/* Rounds that wait for others may still want it. */
static void driver_free(struct cuda *t, CUdeviceptr p) {
  CUstream stream = fs_cuda_stream(t);
  if (t->pool)
    fs_cu.pool_free(p, stream);
  else
    fs_cu.memory_free(p); /* waits for the device by itself */
}

static void empty_bins(struct cuda *t) {
  for (int k = 0; t->bins && k < FS_BINS; k++)
    while (t->bins[k].n) driver_free(t, t->bins[k].block[--t->bins[k].n]);
  t->cached = 0;
}

void fs_cuda_trim(struct fs_target *target) {
  struct cuda *t = fs_cuda_of(target);
  fs_cuda_enter(t);
  empty_bins(t);
  if (fs_cuda_settle(t) && t->pool) fs_cu.pool_trim(t->pool, 0);
}

void fs_cuda_make_room(struct cuda *t) {
  fs_cuda_trim(&t->base);
  t->queue.give_up(t);
}

bool fs_cuda_again(struct cuda *t, CUresult r) {
  if (r == CU_OUT_OF_MEMORY) fs_cuda_make_room(t);
  return r == CU_OUT_OF_MEMORY;
}

void fs_cuda_memory_close(struct cuda *t) {
  empty_bins(t);
  if (t->pool) fs_cu.pool_destroy(t->pool);
  if (t->staging) fs_cu.host_free(t->staging);
  free(t->bins);
}

static void count_used(struct cuda *t, size_t rounded) {
  t->used += (int64_t)rounded;
  t->base.peak = FS_MAX(t->base.peak, t->used);
}

enum fs_status fs_cuda_alloc(struct fs_target *target, size_t bytes,
                             void **out) {
  struct cuda *t = fs_cuda_of(target);
  size_t rounded = size_class(bytes);
  *out = NULL;
  if (t->base.lost || rounded > (size_t)t->base.device.memory_bytes)
    return FS_ERR_ENV;
  struct cuda_bin *bin =
      rounded <= largest_binned ? &t->bins[bin_of(rounded)] : NULL;
  if (bin && bin->n) {
    *out = (void *)(uintptr_t)bin->block[--bin->n];
    t->cached -= (int64_t)rounded;
    count_used(t, rounded);
    return FS_OK;
  }
  fs_cuda_enter(t);
  CUdeviceptr p = 0;
  CUresult r = driver_alloc(t, rounded, &p);
  if (r == CU_OUT_OF_MEMORY) {
    fs_cuda_trim(target);
    r = driver_alloc(t, rounded, &p);
  }
  if (r == CU_OUT_OF_MEMORY && t->queue.give_up(t)) r = driver_alloc(t, rounded, &p);
  if (r != CU_OK) return fs_cuda_fail(t, r, "memory", NULL);
  *out = (void *)(uintptr_t)p;
  count_used(t, rounded);
  return FS_OK;
}

void fs_cuda_free(struct fs_target *target, void *ptr, size_t bytes) {
  struct cuda *t = fs_cuda_of(target);
  if (!ptr) return;
  size_t rounded = size_class(bytes);
  CUdeviceptr p = (CUdeviceptr)(uintptr_t)ptr;
  t->used -= (int64_t)rounded;
  struct cuda_bin *bin =
      rounded <= largest_binned ? &t->bins[bin_of(rounded)] : NULL;
  if (bin && bin->n < FS_BIN_DEPTH &&
      t->cached + (int64_t)rounded <= most_cached) {
    bin->block[bin->n++] = p;
    t->cached += (int64_t)rounded;
    return;
  }
  fs_cuda_enter(t);
  driver_free(t, p);
}

void fs_cuda_memory(struct fs_target *target, int64_t *used, int64_t *cached,
                    int64_t *available) {
  struct cuda *t = fs_cuda_of(target);
  fs_cuda_enter(t);
  uint64_t reserved = 0;
  if (!t->pool || fs_cu.pool_get(t->pool, CU_POOL_RESERVED, &reserved) != CU_OK)
    reserved = (uint64_t)(t->used + t->cached);
  size_t free_bytes = 0, total = 0;
  fs_cu.memory_info(&free_bytes, &total);
  *used = t->used;
  *cached = FS_MAX((int64_t)reserved - t->used, 0);
  *available = (int64_t)free_bytes + *cached;
}

enum fs_status fs_cuda_scratch(struct cuda *t, size_t bytes, void **out,
                               struct fs_diags *d) {
  enum fs_status status = fs_cuda_alloc(&t->base, bytes, out);
  if (status == FS_OK) return FS_OK;
  struct fs_str size = {0};
  if (t->base.lost) fs_str_puts(&size, "allocating ");
  fs_str_put_bytes(&size, (double)bytes);
  fs_str_puts(&size, " of scratch memory");
  status = fs_cuda_fail(t, CU_OUT_OF_MEMORY, size.data, d);
  fs_str_free(&size);
  return status;
}

/* -- copies ------------------------------------------------------------------------------ */

enum way { IN, OUT, INSIDE };

/* The driver takes pitches below 2^31 only; such rows go one by one. */
static const int64_t largest_pitch = INT32_MAX;

static CUresult copy_row(struct cuda *t, enum way way, char *dst,
                         const char *src, int64_t bytes) {
  size_t n = (size_t)bytes;
  if (way == IN)
    return fs_cu.copy_in((CUdeviceptr)(uintptr_t)dst, src, n, fs_cuda_stream(t));
  if (way == OUT)
    return fs_cu.copy_out(dst, (CUdeviceptr)(uintptr_t)src, n, fs_cuda_stream(t));
  return fs_cu.copy_inside((CUdeviceptr)(uintptr_t)dst,
                           (CUdeviceptr)(uintptr_t)src, n, fs_cuda_stream(t));
}

static CUresult copy_rect(struct cuda *t, enum way way, char *dst,
                          int64_t dst_pitch, const char *src,
                          int64_t src_pitch, int64_t width, int64_t rows) {
  struct cu_copy_2d c = {.width = (size_t)width, .height = (size_t)rows};
  c.src_type = way == IN ? CU_MEMORY_HOST : CU_MEMORY_DEVICE;
  c.dst_type = way == OUT ? CU_MEMORY_HOST : CU_MEMORY_DEVICE;
  c.src_host = src, c.src_device = (CUdeviceptr)(uintptr_t)src;
  c.dst_host = dst, c.dst_device = (CUdeviceptr)(uintptr_t)dst;
  c.src_pitch = (size_t)src_pitch, c.dst_pitch = (size_t)dst_pitch;
  return fs_cu.copy_2d(&c, fs_cuda_stream(t));
}

/* Starts a copy of rows x width bytes in the fewest calls. */
static CUresult start_copy(struct cuda *t, enum way way, char *dst,
                           int64_t dst_pitch, const char *src,
                           int64_t src_pitch, int64_t width, int64_t rows) {
  if (rows == 1 || (dst_pitch == width && src_pitch == width))
    return copy_row(t, way, dst, src, width * rows);
  bool rect = dst_pitch >= width && src_pitch >= width &&
              dst_pitch <= largest_pitch && src_pitch <= largest_pitch;
  if (rect)
    return copy_rect(t, way, dst, dst_pitch, src, src_pitch, width, rows);
  CUresult r = CU_OK;
  for (int64_t i = 0; i < rows && r == CU_OK; i++)
    r = copy_row(t, way, dst + i * dst_pitch, src + i * src_pitch, width);
  return r;
}

static void copy_host(char *dst, int64_t dst_pitch, const char *src,
                      int64_t src_pitch, int64_t width, int64_t rows) {
  for (int64_t i = 0; i < rows; i++)
    memcpy(dst + i * dst_pitch, src + i * src_pitch, (size_t)width);
}

/* A copy between host and device in pieces, so that Ctrl-C is seen between
 * them; a piece is always waited for, since its host memory may go after. */
static enum fs_status copy_pieces(struct cuda *t, enum way way, char *dst,
                                  int64_t dst_pitch, const char *src,
                                  int64_t src_pitch, int64_t width,
                                  int64_t rows, struct fs_diags *d) {
  const int64_t piece = 64 << 20;
  const char *doing = way == IN ? "copying to the GPU" : "copying from the GPU";
  if (rows == 1 && width > piece) { /* a long row is rows of its own */
    int64_t whole = width / piece;
    enum fs_status status = copy_pieces(t, way, dst, piece, src, piece, piece,
                                        whole, d);
    int64_t done = whole * piece;
    if (status != FS_OK || done == width) return status;
    return copy_pieces(t, way, dst + done, 0, src + done, 0, width - done, 1, d);
  }
  int64_t step = FS_MAX(piece / width, 1);
  for (int64_t i = 0; i < rows; i += step) {
    if (i && fs_interrupted()) return FS_INTERRUPTED;
    CUresult r = start_copy(t, way, dst + i * dst_pitch, dst_pitch,
                            src + i * src_pitch, src_pitch, width,
                            FS_MIN(step, rows - i));
    CUresult done = fs_cu.stream_sync(fs_cuda_stream(t));
    if (r == CU_OK) r = done;
    if (r != CU_OK) return fs_cuda_fail(t, r, doing, d);
  }
  return FS_OK;
}

static bool is_small(const struct cuda *t, int64_t width, int64_t rows) {
  return t->staging && width <= FS_STAGING && width * rows <= FS_STAGING;
}

enum fs_status fs_cuda_upload(struct fs_target *target, void *dst,
                              int64_t dst_pitch, const void *src,
                              int64_t src_pitch, int64_t width, int64_t rows,
                              struct fs_diags *d) {
  struct cuda *t = fs_cuda_of(target);
  if (width <= 0 || rows <= 0) return FS_OK;
  fs_cuda_enter(t);
  enum fs_status status = fs_cuda_wait(t, d);
  if (status != FS_OK) return status;
  if (is_small(t, width, rows)) {
    copy_host(t->staging, width, src, src_pitch, width, rows);
    src = t->staging, src_pitch = width;
  }
  return copy_pieces(t, IN, dst, dst_pitch, src, src_pitch, width, rows, d);
}

enum fs_status fs_cuda_download(struct fs_target *target, void *dst,
                                int64_t dst_pitch, const void *src,
                                int64_t src_pitch, int64_t width, int64_t rows,
                                struct fs_diags *d) {
  struct cuda *t = fs_cuda_of(target);
  if (width <= 0 || rows <= 0) return FS_OK;
  fs_cuda_enter(t);
  enum fs_status status = fs_cuda_wait(t, d);
  if (status != FS_OK) return status;
  if (!is_small(t, width, rows))
    return copy_pieces(t, OUT, dst, dst_pitch, src, src_pitch, width, rows, d);
  status = copy_pieces(t, OUT, t->staging, width, src, src_pitch, width, rows,
                       d);
  if (status == FS_OK)
    copy_host(dst, dst_pitch, t->staging, width, width, rows);
  return status;
}

enum fs_status fs_cuda_copy(struct fs_target *target, void *dst,
                            int64_t dst_pitch, const void *src,
                            int64_t src_pitch, int64_t width, int64_t rows,
                            struct fs_diags *d) {
  struct cuda *t = fs_cuda_of(target);
  if (width <= 0 || rows <= 0) return FS_OK;
  fs_cuda_enter(t);
  CUresult r = start_copy(t, INSIDE, dst, dst_pitch, src, src_pitch, width,
                          rows);
  return r == CU_OK ? FS_OK : fs_cuda_fail(t, r, "copying on the GPU", d);
}

enum fs_status fs_cuda_zero(struct fs_target *target, void *dst, size_t bytes,
                            struct fs_diags *d) {
  struct cuda *t = fs_cuda_of(target);
  if (!bytes) return FS_OK;
  fs_cuda_enter(t);
  CUresult r = fs_cu.set_bytes((CUdeviceptr)(uintptr_t)dst, 0, bytes,
                               fs_cuda_stream(t));
  return r == CU_OK ? FS_OK : fs_cuda_fail(t, r, "clearing GPU memory", d);
}
