/* cache.h - compiled kernels on disk, $XDG_CACHE_HOME/fusible/kernels.
 *
 * Loading machine code is running it, so the folder and every file must belong
 * to this user and be closed to others; what does not pass is neither loaded nor
 * deleted. FUSIBLE_CACHE=off switches the cache off, FUSIBLE_CACHE=512 lets it
 * take 512 MiB instead of 256; `:set cache` does the same. When it is full, those
 * used least recently go until four fifths are left.
 */
#ifndef FS_CUDA_CACHE_H
#define FS_CUDA_CACHE_H

#include "core/base/base.h"

struct fs_kernel_key {
  unsigned char bytes[32]; /* SHA-256 */
};

/* The key of texts[0..n), length-prefixed, with the version of the format. */
struct fs_kernel_key fs_kernel_key(int n, const char *const *texts);

/* The image stored under `key`, from malloc() with a NUL after it, or NULL. */
void *fs_kernel_cache_get(const struct fs_kernel_key *key, size_t *size);
/* Stores an image; failing to do so is no error, but a notice. */
void fs_kernel_cache_put(const struct fs_kernel_key *key, const void *image,
                         size_t size);
/* The same from any thread: the folder is measured at a later store. */
void fs_kernel_cache_add(const struct fs_kernel_key *key, const void *image,
                         size_t size);
/* Forgets an image that the driver refused. */
void fs_kernel_cache_drop(const struct fs_kernel_key *key);

/* What `:cache` shows. Counts are of this process, the rest is on disk. */
struct fs_kernel_cache_state {
  const char *path;     /* "" if there is none; kept            */
  const char *why;      /* a sentence why it is not used, or "" */
  int64_t hits, misses, stored;
  int64_t files, bytes; /* compiled kernels in the folder       */
  int64_t limit;        /* bytes                                */
};
struct fs_kernel_cache_state fs_kernel_cache_state(void);
/* Deletes all compiled kernels that are ours; gives how many. */
int64_t fs_kernel_cache_clear(void);
/* Bytes that the folder may take, from the next write on; 0: nothing is kept. */
void fs_kernel_cache_limit(int64_t bytes);

/* Once: a sentence why the cache is not used, or an image was not stored, or NULL. */
const char *fs_kernel_cache_notice(void);

/* Keeps `text` beside the cache under a name made of the key, for a report;
 * gives the path (the caller frees it) or NULL. */
char *fs_kernel_keep_source(const struct fs_kernel_key *key, const char *text);

#endif
