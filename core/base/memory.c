/* memory.c - host memory: allocation that never gives NULL, and arenas. */
#include "core/base/base.h"

#include <stdatomic.h>
#include <stdio.h>

/* -- allocation ------------------------------------------------------------ */

static _Thread_local jmp_buf *oom_handler;

jmp_buf *fs_oom_guard(jmp_buf *where) {
  jmp_buf *old = oom_handler;
  oom_handler = where;
  return old;
}

void fs_oom_raise(void) {
  if (oom_handler) longjmp(*oom_handler, 1);
  fputs("fusible: out of host memory\n", stderr);
  exit(4);
}

void *fs_malloc(size_t size) {
  void *p = malloc(size ? size : 1);
  if (!p) fs_oom_raise();
  return p;
}

/* Small pieces by malloc(): glibc keeps those that were freed last for the next one in a
 * thread, and calloc() does not look there. The compiler would make calloc() of it again. */
enum { SMALL = 1024 };
static void *(*volatile const small_new)(size_t size) = fs_malloc;

void *fs_calloc(size_t count, size_t size) {
  bool empty = count == 0 || size == 0;
  if (!empty && count <= SMALL / size) return memset(small_new(count * size), 0, count * size);
  void *p = calloc(empty ? 1 : count, empty ? 1 : size);
  if (!p) fs_oom_raise();
  return p;
}

void *fs_realloc(void *old, size_t size) {
  void *p = realloc(old, size ? size : 1);
  if (!p) fs_oom_raise(); /* `old` is still its owner's */
  return p;
}

char *fs_strdup(const char *text) {
  size_t size = strlen(text) + 1;
  return memcpy(fs_malloc(size), text, size);
}

char *fs_strndup(const char *text, size_t len) {
  len = strnlen(text, len);
  char *copy = fs_malloc(len + 1);
  memcpy(copy, text, len);
  copy[len] = '\0';
  return copy;
}

/* -- arenas ---------------------------------------------------------------- */

/* Chunks grow from FIRST to LARGEST; a request that does not fit well gets a
 * chunk of its own. Bytes at and after `used` are always zero. */
enum { ARENA_FIRST = 4 << 10, ARENA_LARGEST = 1 << 20, ARENA_ALIGN = 16 };

struct chunk {
  struct chunk *next;
  size_t size, used;
  _Alignas(ARENA_ALIGN) unsigned char data[];
};

struct fs_arena {
  struct chunk *head; /* the one that is being filled */
  size_t next_size;
};

struct fs_arena *fs_arena_new(void) {
  struct fs_arena *arena = fs_calloc(1, sizeof *arena);
  arena->next_size = ARENA_FIRST;
  return arena;
}

/* Most arenas are small and short-lived: their chunks go from one to the next, for only what
 * was used of one has to be cleared. Whoever finds another thread there does without. */
#ifdef __SANITIZE_ADDRESS__
enum { SPARE_CHUNKS = 0 };
#else
enum { SPARE_CHUNKS = 16 };
#endif
static atomic_flag spares_taken = ATOMIC_FLAG_INIT;
static struct chunk *spares;
static int n_spares;

static struct chunk *take_spare(size_t size) {
  struct chunk *chunk = NULL;
  if (size != ARENA_FIRST || atomic_flag_test_and_set(&spares_taken)) return NULL;
  if (spares) {
    chunk = spares;
    spares = chunk->next;
    chunk->next = NULL;
    n_spares--;
  }
  atomic_flag_clear(&spares_taken);
  return chunk;
}

static void chunk_free(struct chunk *chunk) {
  bool kept = false;
  if (chunk->size == ARENA_FIRST && !atomic_flag_test_and_set(&spares_taken)) {
    kept = n_spares < SPARE_CHUNKS;
    if (kept) {
      memset(chunk->data, 0, chunk->used);
      chunk->used = 0;
      chunk->next = spares;
      spares = chunk;
      n_spares++;
    }
    atomic_flag_clear(&spares_taken);
  }
  if (!kept) free(chunk);
}

static struct chunk *chunk_new(size_t size) {
  struct chunk *spare = take_spare(size);
  if (spare) return spare;
  if (size > SIZE_MAX - sizeof(struct chunk)) fs_oom_raise();
  struct chunk *chunk = fs_calloc(1, sizeof *chunk + size);
  chunk->size = size;
  return chunk;
}

void *fs_arena_alloc(struct fs_arena *arena, size_t size) {
  if (size > SIZE_MAX - ARENA_ALIGN) fs_oom_raise();
  size = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
  if (size == 0) size = ARENA_ALIGN;
  struct chunk *chunk = arena->head;
  if (!chunk || chunk->size - chunk->used < size) {
    bool big = size > arena->next_size / 4;
    chunk = chunk_new(big ? size : arena->next_size);
    if (big && arena->head) { /* behind the head, which has room left */
      chunk->next = arena->head->next;
      arena->head->next = chunk;
    } else {
      chunk->next = arena->head;
      arena->head = chunk;
    }
    if (!big) arena->next_size = FS_MIN(2 * arena->next_size, ARENA_LARGEST);
  }
  void *p = chunk->data + chunk->used;
  chunk->used += size;
  return p;
}

char *fs_arena_strndup(struct fs_arena *arena, const char *text, size_t len) {
  char *copy = fs_arena_alloc(arena, len + 1);
  if (len) memcpy(copy, text, len);
  return copy;
}

char *fs_arena_printf(struct fs_arena *arena, const char *fmt, ...) {
  va_list args, again;
  va_start(args, fmt);
  va_copy(again, args);
  int len = vsnprintf(NULL, 0, fmt, args);
  va_end(args);
  char *text = fs_arena_alloc(arena, (size_t)FS_MAX(len, 0) + 1);
  if (len > 0) vsnprintf(text, (size_t)len + 1, fmt, again);
  va_end(again);
  return text;
}

/* Keeps one chunk of the ordinary sizes, so that a statement arena that is
 * reset over and over does not go back to malloc each time. */
void fs_arena_reset(struct fs_arena *arena) {
  struct chunk *keep = NULL;
  for (struct chunk *chunk = arena->head, *next; chunk; chunk = next) {
    next = chunk->next;
    if (!keep && chunk->size <= ARENA_LARGEST) {
      keep = chunk;
      memset(keep->data, 0, keep->used);
      keep->used = 0;
      keep->next = NULL;
    } else {
      chunk_free(chunk);
    }
  }
  arena->head = keep;
}

void fs_arena_free(struct fs_arena *arena) {
  if (!arena) return;
  for (struct chunk *chunk = arena->head, *next; chunk; chunk = next) {
    next = chunk->next;
    chunk_free(chunk);
  }
  free(arena);
}
