/* failmalloc.c - loaded with LD_PRELOAD: lets one allocation fail, for
 * tests/test_oom.py; tests/unit/test_recover.c has it inside.
 *
 *   FAILMALLOC_AT=n      the n-th allocation (from 1) gives NULL; 0: none
 *   FAILMALLOC_TIMES=k   and the k - 1 after it, too; 1 if not set
 *   FAILMALLOC_OUT=path  at exit: "allocations failed", two numbers
 *
 * malloc, calloc, realloc and aligned forms of all libraries count, those of the
 * dynamic linker before this file is there do not.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t align, size_t size);

static atomic_long counted, refused;
static long first, times;

__attribute__((constructor)) static void begin(void) {
  const char *at = getenv("FAILMALLOC_AT"), *k = getenv("FAILMALLOC_TIMES");
  first = at ? atol(at) : 0;
  times = k ? atol(k) : 1;
  atomic_store(&counted, 0);
}

__attribute__((destructor)) static void end(void) {
  const char *path = getenv("FAILMALLOC_OUT");
  char text[64];
  int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
  int n = snprintf(text, sizeof text, "%ld %ld\n", atomic_load(&counted),
                   atomic_load(&refused));
  if (fd >= 0 && write(fd, text, (size_t)n) == n) close(fd);
}

/* For tests/fake: the n-th allocation from now on fails, and no other. */
void failmalloc_soon(long n);
void failmalloc_soon(long n) {
  times = 1;
  first = atomic_load(&counted) + n;
}

static int fails(void) {
  long n = atomic_fetch_add(&counted, 1) + 1;
  if (!first || n < first || n >= first + times) return 0;
  atomic_fetch_add(&refused, 1);
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) {
  return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  return fails() ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t align, size_t size);
void *memalign(size_t align, size_t size) {
  return fails() ? NULL : __libc_memalign(align, size);
}

void *aligned_alloc(size_t align, size_t size) { return memalign(align, size); }

int posix_memalign(void **out, size_t align, size_t size) {
  void *p = memalign(align, size);
  if (!p) return ENOMEM;
  *out = p;
  return 0;
}
