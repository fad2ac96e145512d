/* memory.h - storage for tensors on the host, with a free list. */
#ifndef FS_CPU_MEMORY_H
#define FS_CPU_MEMORY_H

#include "core/base/base.h"

struct fs_memory;

/* *peak is raised to the bytes that are handed out at once. */
struct fs_memory *fs_memory_new(int64_t *peak);
void fs_memory_free_all(struct fs_memory *m);
int64_t fs_memory_total(const struct fs_memory *m);

/* 256-byte aligned, contents undefined. FS_ERR_ENV, without a diagnostic, for
 * more than the system has left: such a request would be granted by the kernel
 * and end with the process being killed when the pages are touched. */
enum fs_status fs_memory_get(struct fs_memory *m, size_t bytes, void **out);
void fs_memory_put(struct fs_memory *m, void *ptr, size_t bytes);
void fs_memory_trim(struct fs_memory *m);
void fs_memory_stats(struct fs_memory *m, int64_t *used, int64_t *cached,
                     int64_t *available);

#endif
