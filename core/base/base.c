/* base.c - hash, clock, checked size arithmetic, interrupt flag. */
#include "core/base/base.h"

#include <stdatomic.h>
#include <time.h>

/* -- hash ------------------------------------------------------------------ */

static const uint64_t hash_p1 = 0x9e3779b185ebca87u;
static const uint64_t hash_p2 = 0xc2b2ae3d27d4eb4fu;

static uint64_t rotate(uint64_t x, int by) {
  return x << by | x >> (64 - by);
}

/* The finalizer of MurmurHash3: every input bit reaches every output bit. */
static uint64_t avalanche(uint64_t h) {
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdu;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53u;
  return h ^ h >> 33;
}

static uint64_t hash_step(uint64_t h, uint64_t word) {
  h ^= rotate(word * hash_p2, 31) * hash_p1;
  return rotate(h, 27) * hash_p1 + hash_p2;
}

/* Eight bytes a step, multiply and rotate. For tables and for noticing that
 * texts differ; not for anything that an attacker may try to collide. */
uint64_t fs_hash(const void *data, size_t len, uint64_t seed) {
  const unsigned char *p = data;
  uint64_t h = avalanche(seed + hash_p1) ^ (uint64_t)len * hash_p2;
  for (; len >= 8; len -= 8, p += 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    h = hash_step(h, word);
  }
  if (len) {
    uint64_t word = 0;
    memcpy(&word, p, len);
    h = hash_step(h, word);
  }
  return avalanche(h);
}

/* -- numbers --------------------------------------------------------------- */

double fs_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void fs_sort_numbers(double *values, int n) {
  qsort(values, (size_t)n, sizeof *values, ascending);
}

static int by_key(const void *a, const void *b, void *keys) {
  const uint64_t *key = keys;
  int x = *(const int *)a, y = *(const int *)b;
  return key[x] != key[y] ? (key[x] < key[y] ? -1 : 1) : (x > y) - (x < y);
}

void fs_sort_by(const uint64_t *key, int *indices, int n) {
  qsort_r(indices, (size_t)n, sizeof *indices, by_key, (void *)(uintptr_t)key);
}

void fs_rank_by(const uint64_t *key, int n, int *rank) {
  int *order = fs_malloc(sizeof *order * (size_t)(n + 1));
  for (int k = 0; k < n; k++) order[k] = k;
  fs_sort_by(key, order, n);
  for (int k = 0; k < n; k++) rank[order[k]] = k;
  free(order);
}

static int ids_ascending(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

void fs_sort_ids(uint32_t *ids, int n) {
  qsort(ids, (size_t)n, sizeof *ids, ids_ascending);
}

double fs_median(double *values, int n) {
  fs_sort_numbers(values, n);
  return 0.5 * (values[n / 2] + values[(n - 1) / 2]);
}

int64_t fs_mul_size(int64_t a, int64_t b) {
  int64_t product;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product)) return -1;
  return product;
}

/* -- interrupt ------------------------------------------------------------- */

static atomic_int interrupt_flag; /* lock-free, so fit for signal handlers */

void fs_interrupt_request(void) { atomic_store(&interrupt_flag, 1); }

static atomic_int interrupt_agreed; /* 0: by request alone; else 1: no, 2: yes */

void fs_interrupt_agreed(bool all) { atomic_store(&interrupt_agreed, all ? 2 : 1); }
bool fs_interrupt_asked(void) { return atomic_load(&interrupt_flag) != 0; }

void fs_interrupt_clear(void) {
  atomic_store(&interrupt_flag, 0);
  if (atomic_load(&interrupt_agreed)) atomic_store(&interrupt_agreed, 1);
}

static atomic_bool interrupt_held;

void fs_interrupt_hold(bool on) { atomic_store(&interrupt_held, on); }

bool fs_interrupted(void) {
  int agreed = atomic_load_explicit(&interrupt_agreed, memory_order_relaxed);
  bool flag = atomic_load_explicit(&interrupt_flag, memory_order_relaxed) != 0;
  return (agreed ? agreed == 2 : flag) &&
         !atomic_load_explicit(&interrupt_held, memory_order_relaxed);
}

/* -- checks ---------------------------------------------------------------- */

bool fs_checking(void) {
  static atomic_int known; /* 1: no, 2: yes */
  if (!atomic_load(&known)) {
    const char *set = getenv("FUSIBLE_CHECK");
    atomic_store(&known, set && *set && strcmp(set, "0") ? 2 : 1);
  }
  return atomic_load(&known) == 2;
}
