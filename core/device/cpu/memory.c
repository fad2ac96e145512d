/* memory.c - blocks from the C library (small) or from mmap (large).
 *
 * Fresh pages cost more than a pass over them (the kernel clears them), so freed
 * blocks are kept and handed out again to requests of the same (rounded) size.
 * Large blocks ask for huge pages: a row-wise walk over a matrix touches a new
 * 4 KiB page with every row otherwise.
 */
#include "core/device/cpu/memory.h"

#include "core/base/account.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  ALIGN = 256,
  HUGE_PAGE = 2 << 20,
  LARGE = 128 << 10,      /* from here on: mmap                              */
  CHECKED = 32 << 20,     /* from here on: asks the system what is left      */
  PIECE = 64 << 20,       /* touched at a time                               */
  KEPT = 32 << 10,        /* from here on: freed ones go to the free list    */
  MAX_CACHED = 1024,      /* blocks in the free list: a virtual machine gives what
                             is unmapped back to its host, and pages that come
                             again cost more than anything                   */
  RESERVE = 192 << 20     /* left to the rest of the system                  */
};

struct block {
  void *ptr;
  size_t bytes;
};

struct fs_memory {
  int64_t total, used, cached;
  int64_t *peak;          /* of used                                          */
  int64_t limit;          /* what this process may use altogether            */
  struct block list[MAX_CACHED];
  int n;
};

/* The number after `key` in a file of "key: number kB" lines, in bytes; with
 * key NULL the file's first number. -1 if there is none. */
static int64_t read_number(const char *path, const char *key) {
  char text[4096];
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  if (n <= 0) return -1;
  text[n] = 0;
  const char *at = text;
  if (key && !(at = strstr(text, key))) return -1;
  if (key) at += strlen(key);
  char *end;
  long long value = strtoll(at, &end, 10);
  if (end == at) return -1;
  return key ? value * 1024 : value;
}

/* What the system could still give, by its own estimate and by the limit of the
 * control group that the process is in. */
static int64_t system_left(void) {
  int64_t left = read_number("/proc/meminfo", "MemAvailable:");
  int64_t limit = read_number("/sys/fs/cgroup/memory.max", NULL);
  int64_t now = read_number("/sys/fs/cgroup/memory.current", NULL);
  if (left < 0) left = INT64_MAX / 2;
  if (limit >= 0 && now >= 0) left = FS_MIN(left, limit - now);
  return FS_MAX(left - RESERVE, 0);
}

static int64_t total_memory(void) {
  int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  int64_t total = pages > 0 && page > 0 ? pages * page : INT64_MAX / 2;
  int64_t limit = read_number("/sys/fs/cgroup/memory.max", NULL);
  return limit > 0 ? FS_MIN(total, limit) : total;
}

struct fs_memory *fs_memory_new(int64_t *peak) {
  struct fs_memory *m = fs_calloc(1, sizeof *m);
  m->peak = peak;
  m->total = total_memory();
  m->limit = system_left();
  return m;
}

int64_t fs_memory_total(const struct fs_memory *m) { return m->total; }

static size_t rounded(size_t bytes) {
  size_t unit = bytes >= HUGE_PAGE ? HUGE_PAGE : bytes >= LARGE ? 4096 : ALIGN;
  return (FS_MAX(bytes, 1) + unit - 1) / unit * unit;
}

static void give_back(struct block b) {
  if (b.bytes >= LARGE) munmap(b.ptr, b.bytes);
  else free(b.ptr);
}

void fs_memory_trim(struct fs_memory *m) {
  for (int k = 0; k < m->n; k++) give_back(m->list[k]);
  m->n = 0;
  m->cached = 0;
}

/* The cached block of this size that was freed last. */
static bool from_cache(struct fs_memory *m, size_t bytes, struct block *out) {
  int k = m->n - 1;
  while (k >= 0 && m->list[k].bytes != bytes) k--;
  if (k < 0) return false;
  *out = m->list[k];
  memmove(m->list + k, m->list + k + 1,
          sizeof(m->list[0]) * (size_t)(m->n - k - 1));
  m->n--;
  m->cached -= (int64_t)out->bytes;
  return true;
}

/* Pages that were promised to earlier requests may still be untouched, and then
 * the system counts them as free: so its word is not enough. */
static bool fits(struct fs_memory *m, size_t bytes) {
  if (bytes < CHECKED) return true;
  if ((int64_t)bytes > m->limit - m->used - m->cached) return false;
  return (int64_t)bytes <= system_left();
}

/* Has the system give the pages now, not in the kernel that happens to touch them first
 * and is timed; where it cannot, the kernel pays, as ever. Many gigabytes take seconds, in
 * which no signal is heeded: so by pieces, and no more of them after Ctrl-C. */
static void populate(char *p, size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  for (size_t at = 0; at < bytes && !fs_interrupted(); at += PIECE)
    madvise(p + at, FS_MIN(bytes - at, (size_t)PIECE), MADV_POPULATE_WRITE);
#else
  (void)p, (void)bytes;
#endif
}

/* An aligned mapping: maps more and cuts off what sticks out. */
static void *map_large(size_t bytes) {
  size_t align = bytes >= HUGE_PAGE ? HUGE_PAGE : 4096;
  size_t span = bytes + align;
  if (span < bytes) return NULL;
  char *p = mmap(NULL, span, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return NULL;
  size_t head = (align - (uintptr_t)p % align) % align;
  if (head) munmap(p, head);
  if (align - head) munmap(p + head + bytes, align - head);
  p += head;
#ifdef MADV_HUGEPAGE
  if (bytes >= HUGE_PAGE) madvise(p, bytes, MADV_HUGEPAGE);
#endif
  populate(p, bytes);
  return p;
}

static void *map_touched(size_t bytes) {
  enum fs_part before = fs_account_to(FS_PART_TOUCH);
  void *p = map_large(bytes);
  fs_account.touched += (int64_t)bytes;
  fs_account_to(before);
  return p;
}

enum fs_status fs_memory_get(struct fs_memory *m, size_t bytes, void **out) {
  *out = NULL;
  if (bytes > (size_t)INT64_MAX / 2) return FS_ERR_ENV;
  struct block b = {.bytes = rounded(bytes)};
  if (!from_cache(m, b.bytes, &b)) {
    if (!fits(m, b.bytes)) {
      if (m->cached == 0) return FS_ERR_ENV;
      fs_memory_trim(m);
      if (!fits(m, b.bytes)) return FS_ERR_ENV;
    }
    if (b.bytes >= LARGE) b.ptr = map_touched(b.bytes);
    else if (posix_memalign(&b.ptr, ALIGN, b.bytes)) b.ptr = NULL;
    if (!b.ptr) return FS_ERR_ENV;
  }
  m->used += (int64_t)b.bytes;
  *m->peak = FS_MAX(*m->peak, m->used);
  *out = b.ptr;
  return FS_OK;
}

void fs_memory_put(struct fs_memory *m, void *ptr, size_t bytes) {
  if (!ptr) return;
  struct block b = {ptr, rounded(bytes)};
  m->used -= (int64_t)b.bytes;
  /* The C library would take fresh memory for the next aligned block of that
   * size, and every page of it costs a fault. */
  bool worth = b.bytes >= KEPT &&
               m->cached + (int64_t)b.bytes <= m->total / 4;
  if (!worth) {
    give_back(b);
    return;
  }
  if (m->n == MAX_CACHED) {
    m->cached -= (int64_t)m->list[0].bytes;
    give_back(m->list[0]);
    memmove(m->list, m->list + 1, sizeof(m->list[0]) * (size_t)--m->n);
  }
  m->list[m->n++] = b;
  m->cached += (int64_t)b.bytes;
}

void fs_memory_stats(struct fs_memory *m, int64_t *used, int64_t *cached,
                     int64_t *available) {
  *used = m->used;
  *cached = m->cached;
  *available = FS_MAX(
      0, FS_MIN(system_left(), m->limit - m->used - m->cached) + m->cached);
}

void fs_memory_free_all(struct fs_memory *m) {
  fs_memory_trim(m);
  free(m);
}
