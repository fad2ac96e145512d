/* sort.c - values in order, or where they were, on host memory, along lines of an array.
 *
 * What is sorted are keys, whole numbers in the order of the values, with the places of
 * the values beside them: byte by byte from the last on, each pass keeping the order of
 * what is equal. Keys of four bytes lie in a word with their place; those of eight beside
 * it. Whole numbers that are equal cannot be told apart, and are made of their keys: where
 * only the values are asked for they need no places. Long lines are sorted by all threads, in
 * parts; of short ones each has its own. */
#include <stdlib.h>
#include <string.h>

#include "core/device/cpu/lapack.h"

enum { PART = 1 << 16, MOST_PARTS = 64, SHORT = 48, DIGITS = 256 };

struct job {
  const struct fs_lib_call *c;
  struct fs_lib_lines from, to;
  int words;                     /* of an entry: key and place in one, or each */
  bool alone;                    /* an entry is a key                          */
  int bytes;                     /* of a key                                   */
};

/* One line on its way. */
struct sorter {
  const struct job *j;
  int64_t line, from, to, parts, share;
  uint64_t *now, *next;          /* entries, and room for as many */
  int shift;                     /* where the pass finds its digit */
  int64_t (*counts)[DIGITS];     /* by part; then where its next one goes */
};

/* -- keys --------------------------------------------------------------------------- */

/* Unsigned, in the order of the elements. Of floats, whose sign is the first bit: NaN is
 * behind all, zeros are one. */
static uint64_t key_at(const struct fs_lib_array *a, int64_t e, bool down) {
  const struct fs_dtype_info *t = &fs_dtypes[a->dtype];
  const char *p = (const char *)a->ptr + e * (int64_t)t->bytes;
  uint64_t sign = (uint64_t)1 << (8 * t->bytes - 1), all = sign | (sign - 1);
  if (t->class == FS_DC_BOOL) return (*(const uint8_t *)p != 0) != down;
  uint64_t bits = t->bytes == 8   ? *(const uint64_t *)p
                  : t->bytes == 4 ? *(const uint32_t *)p
                  : t->bytes == 2 ? *(const uint16_t *)p
                                  : *(const uint8_t *)p;
  if (t->class == FS_DC_FLOAT) {
    uint64_t infinite = sign - ((uint64_t)1 << (t->digits - 1));
    if ((bits & ~sign) > infinite) return all;
    if (!(bits & ~sign)) bits = 0;
    bits = bits & sign ? ~bits & all : bits | sign;
  } else if (fs_dtype_is_signed(a->dtype)) {
    bits ^= sign;
  }
  return down ? ~bits & all : bits;
}

static int64_t first_of(const struct sorter *s, int64_t part) {
  return FS_MIN(part * s->share, s->j->from.n);
}

static void make_keys(struct sorter *s, int64_t part) {
  const struct fs_lib_call *c = s->j->c;
  for (int64_t e = first_of(s, part); e < first_of(s, part + 1); e++) {
    uint64_t key = key_at(&c->a, s->from + e * s->j->from.step, c->descending);
    if (s->j->alone) {
      s->now[e] = key;
    } else if (s->j->words == 1) {
      s->now[e] = key << 32 | (uint64_t)e;
    } else {
      s->now[2 * e] = key;
      s->now[2 * e + 1] = (uint64_t)e;
    }
  }
}

/* -- passes ---------------------------------------------------------------------------- */

static inline int digit(const struct sorter *s, int64_t e, int words) {
  return (int)(s->now[e * words] >> s->shift & (DIGITS - 1));
}

static inline __attribute__((always_inline)) void count(struct sorter *s, int64_t part,
                                                        int words) {
  memset(s->counts[part], 0, sizeof *s->counts);
  for (int64_t e = first_of(s, part); e < first_of(s, part + 1); e++)
    s->counts[part][digit(s, e, words)]++;
}

static inline __attribute__((always_inline)) void move(struct sorter *s, int64_t part,
                                                       int words) {
  for (int64_t e = first_of(s, part); e < first_of(s, part + 1); e++) {
    int64_t to = s->counts[part][digit(s, e, words)]++;
    for (int w = 0; w < words; w++) s->next[to * words + w] = s->now[e * words + w];
  }
}

/* Where the elements of each digit begin; false: all have the same, and stay. */
static bool add_up(struct sorter *s) {
  int64_t at = 0;
  for (int d = 0; d < DIGITS; d++) {
    int64_t before = at;
    for (int64_t p = 0; p < s->parts; p++) {
      int64_t n = s->counts[p][d];
      s->counts[p][d] = at;
      at += n;
    }
    if (at - before == s->j->from.n) return false;
  }
  return true;
}

static bool is_before(const uint64_t *a, const uint64_t *b) { return a[0] < b[0]; }

/* Few: each is put in its place among those before it. */
static void insert(struct sorter *s) {
  int words = s->j->words;
  for (int64_t e = 1; e < s->j->from.n; e++) {
    uint64_t x[2] = {s->now[e * words], s->now[e * words + words - 1]};
    int64_t to = e;
    for (; to > 0 && is_before(x, s->now + (to - 1) * words); to--)
      memcpy(s->now + to * words, s->now + (to - 1) * words, sizeof *x * (size_t)words);
    memcpy(s->now + to * words, x, sizeof *x * (size_t)words);
  }
}

/* What key_at() made it of. */
static void put_key(enum fs_dtype dt, uint64_t key, bool down, void *to) {
  uint64_t x = down ? ~key : key;
  if (fs_dtypes[dt].class == FS_DC_BOOL) {
    *(uint8_t *)to = x & 1;
    return;
  }
  x ^= fs_dtype_is_signed(dt) ? (uint64_t)1 << (8 * fs_dtypes[dt].bytes - 1) : 0;
  fs_element_put(dt, to, (struct fs_number){.i = (int64_t)x});
}

static void put_out(struct sorter *s, int64_t part) {
  const struct fs_lib_call *c = s->j->c;
  int64_t size = (int64_t)fs_dtype_size(c->out.dtype), words = s->j->words;
  for (int64_t e = first_of(s, part); e < first_of(s, part + 1); e++) {
    uint64_t at = words == 1 ? s->now[e] & UINT32_MAX : s->now[2 * e + 1];
    char *to = (char *)c->out.ptr + (s->to + e * s->j->to.step) * size;
    if (s->j->alone) {
      put_key(c->a.dtype, s->now[e], c->descending, to);
      continue;
    }
    const char *from =
        (const char *)c->a.ptr + (s->from + (int64_t)at * s->j->from.step) * size;
    if (c->op == FS_LIB_ARGSORT) *(int64_t *)to = (int64_t)at + 1;
    else if (size == 4) memcpy(to, from, 4);
    else if (size == 8) memcpy(to, from, 8);
    else memcpy(to, from, (size_t)size);
  }
}

/* -- lines ------------------------------------------------------------------------------ */

static void keys_task(void *user, int64_t part, int worker) {
  (void)worker;
  make_keys(user, part);
}
static void count_task(void *user, int64_t part, int worker) {
  struct sorter *s = user;
  (void)worker;
  if (s->j->words == 1) count(s, part, 1);
  else count(s, part, 2);
}
static void move_task(void *user, int64_t part, int worker) {
  struct sorter *s = user;
  (void)worker;
  if (s->j->words == 1) move(s, part, 1);
  else move(s, part, 2);
}
static void out_task(void *user, int64_t part, int worker) {
  (void)worker;
  put_out(user, part);
}

static enum fs_status each_part(struct sorter *s, struct fs_pool *pool, fs_task_fn *task) {
  if (pool) return fs_pool_run(pool, fs_pool_threads(pool), s->parts, task, s);
  for (int64_t k = 0; k < s->parts; k++) task(s, k, 0);
  return fs_interrupted() ? FS_INTERRUPTED : FS_OK;
}

/* With `pool` by all of its threads. */
static enum fs_status sort_line(struct sorter *s, struct fs_pool *pool) {
  const struct job *j = s->j;
  s->from = fs_lib_line(&j->from, s->line);
  s->to = fs_lib_line(&j->to, s->line);
  enum fs_status st = each_part(s, pool, keys_task);
  if (j->from.n <= SHORT) insert(s);
  for (int k = 0; k < j->bytes && j->from.n > SHORT && st == FS_OK; k++) {
    s->shift = 8 * k + (j->words == 1 && !j->alone ? 32 : 0);
    st = each_part(s, pool, count_task);
    if (st != FS_OK || !add_up(s)) continue;
    st = each_part(s, pool, move_task);
    uint64_t *had = s->now;
    s->now = s->next;
    s->next = had;
  }
  return st == FS_OK ? each_part(s, pool, out_task) : st;
}

/* Room for a line, kept in *room. */
static bool sorter_begin(const struct job *j, int64_t parts, struct sorter *s, void **room) {
  size_t entries = (size_t)(j->from.n * j->words) * sizeof(uint64_t);
  size_t counts = (size_t)parts * sizeof *s->counts;
  *room = malloc(2 * entries + counts);
  if (!*room) return false;
  *s = (struct sorter){.j = j, .parts = parts, .share = (j->from.n + parts - 1) / parts,
                       .now = *room};
  s->next = s->now + j->from.n * j->words;
  s->counts = (void *)(s->next + j->from.n * j->words);
  return true;
}

struct lines_job {
  const struct job *j;
  int64_t per_task;
  bool failed;                   /* for memory; set by any task */
};

/* Lines one after the other. */
static void lines_task(void *user, int64_t k, int worker) {
  struct lines_job *l = user;
  struct sorter s;
  void *room;
  (void)worker;
  if (!sorter_begin(l->j, 1, &s, &room)) {
    __atomic_store_n(&l->failed, true, __ATOMIC_RELAXED);
    return;
  }
  int64_t end = FS_MIN((k + 1) * l->per_task, l->j->from.count);
  enum fs_status st = FS_OK;
  for (s.line = k * l->per_task; s.line < end && st == FS_OK; s.line++)
    st = sort_line(&s, NULL);
  free(room);
}

static enum fs_status sort_lines(const struct job *j, struct fs_pool *pool, bool *failed) {
  struct lines_job l = {.j = j, .per_task = FS_MAX(PART / 4 / j->from.n, 1)};
  int64_t tasks = (j->from.count + l.per_task - 1) / l.per_task;
  enum fs_status st = FS_OK;
  if (pool) {
    st = fs_pool_run(pool, tasks > 1 ? fs_pool_threads(pool) : 1, tasks, lines_task, &l);
  } else {
    for (int64_t k = 0; k < tasks && !fs_interrupted(); k++) lines_task(&l, k, 0);
  }
  *failed = l.failed;
  return fs_interrupted() ? FS_INTERRUPTED : st;
}

/* A line after the other, by all threads. */
static enum fs_status sort_long(const struct job *j, struct fs_pool *pool, bool *failed) {
  struct sorter s;
  void *room;
  *failed = !sorter_begin(j, FS_MIN((j->from.n + PART - 1) / PART, MOST_PARTS), &s, &room);
  if (*failed) return FS_OK;
  enum fs_status st = FS_OK;
  for (s.line = 0; s.line < j->from.count && st == FS_OK; s.line++)
    st = sort_line(&s, pool);
  free(room);
  return st;
}

enum fs_status fs_sort_call(const struct fs_lib_call *c, struct fs_pool *pool,
                            struct fs_diags *d) {
  struct job j = {.c = c, .from = fs_lib_lines_of(&c->a, c->axis),
                  .to = fs_lib_lines_of(&c->out, c->axis),
                  .bytes = (int)fs_dtype_size(c->a.dtype)};
  if (!fs_lib_count(&c->a)) return FS_OK;
  j.alone = c->op == FS_LIB_SORT && !fs_dtype_is_float(c->a.dtype);
  j.words = j.alone || (j.bytes <= 4 && j.from.n <= UINT32_MAX) ? 1 : 2;
  int threads = pool ? fs_pool_threads(pool) : 1;
  bool failed = false, many = j.from.count >= 2 * threads || j.from.n <= 2 * PART;
  enum fs_status st = many ? sort_lines(&j, pool, &failed) : sort_long(&j, pool, &failed);
  if (!failed) return st;
  return fs_env_error(d, "out-of-memory", NULL, "not enough host memory to sort");
}
