/* cache.c - what the loads of a kernel tell the second-level cache. No result depends
 * on it, and all of it follows from the shapes alone.
 *
 * Rows that stay. What is read from end to end, again and again, and is larger than a
 * cache that evicts what was used longest ago, is never found in it. So most rows of a
 * large matrix say that they may go first, and the first rows, as many as the cache
 * holds beside what else passes, stay: the next iteration of a solver finds them there.
 * So with vectors: x'*y of 2^23 elements of f32 takes an H200 15.8 us, without 20.7.
 *
 * Reads that last. Where a kernel streams through memory and writes about as much as it
 * reads, what it reads is the last to go, though nobody reads it again: what it writes
 * then leaves the cache sooner, and memory, which loses time whenever it turns from
 * reading to writing, takes both faster. Such lines outlive the kernel, in the way of all others,
 * until device/cuda/lasting.c takes it back. */
#include "core/schedule/schedule.h"

/* What is decided for; `given`: by access, whether it is an input of the block. */
struct look {
  const struct fs_kernel *k;
  const struct fs_schedule *s;
  const bool *given;
};

static double size_of(const struct fs_access *a) { return (double)fs_dtype_size(a->dtype); }

/* Whether a load of the first phase goes by it. */
static bool comes_first(const struct fs_kernel *k, const struct fs_access *a) {
  return fs_access_is_load(a) && !k->steps.data[a->step].phase;
}

/* Whether it reads a large matrix that the block is given, row by row. */
static bool is_passing(const struct look *l, int access) {
  const struct fs_kernel *k = l->k;
  const struct fs_access *a = &k->accesses.data[access];
  return comes_first(k, a) && a->varies == FS_VARIES_BOTH && k->space.n_outer == 1 &&
         k->space.n_inner <= 1 && a->stride[1] == 1 && a->stride[0] >= l->s->n &&
         l->given[access];
}

/* ... or vectors that it is given, from end to end. */
static bool is_passing_element(const struct look *l, int access) {
  const struct fs_access *a = &l->k->accesses.data[access];
  return comes_first(l->k, a) && a->stride[l->k->space.n_outer] == 1 && !a->list &&
         l->given[access];
}

/* Rows that stay. */
static int64_t kept_rows(const struct look *l, double cache) {
  const struct fs_kernel *k = l->k;
  const struct fs_schedule *s = l->s;
  double row = 0, m = (double)s->m;
  if (!fs_mode_of(s)->rows || fs_mode_of(s)->strips || k->n_phases > 2) return 0;
  for (int x = 0; x < k->accesses.len; x++) {
    const struct fs_access *a = &k->accesses.data[x];
    if (is_passing(l, x)) row += (double)s->n * size_of(a);
    else if (a->step >= 0 && a->varies == FS_VARIES_BOTH)
      return 0; /* it passes anyway, or is read for another reason */
  }
  if (row * m <= cache) return 0;
  bool far = row * m > fs_share(FS_GPU_KEPT_FAR) * cache;
  double part = fs_share(!s->n_columns ? FS_GPU_KEPT : far ? FS_GPU_KEPT_SUMMED : FS_GPU_KEPT_NEAR);
  return (int64_t)(part * cache / row);
}

/* Vectors that a kernel only reads are kept in part, as the rows of a matrix are. */
static int64_t kept_elements(const struct look *l, double cache) {
  double each = 0;
  if (fs_mode_of(l->s)->rows || l->k->space.n_inner > 1 || l->s->m > 1) return 0;
  for (int x = 0; x < l->k->accesses.len; x++) {
    const struct fs_access *a = &l->k->accesses.data[x];
    if (a->step < 0 || !(a->varies & FS_VARIES_J)) continue;
    if (!is_passing_element(l, x)) return 0;
    each += size_of(a);
  }
  return each * (double)l->s->n > cache ? (int64_t)(fs_share(FS_GPU_KEPT) * cache / each) : 0;
}

bool fs_schedule_is_everywhere(const struct fs_kernel *k, const struct fs_schedule *s,
                               const struct fs_access *a) {
  unsigned all = (s->m > 1 ? FS_VARIES_I : 0) | (s->n > 1 ? FS_VARIES_J : 0);
  return (a->stored || comes_first(k, a)) && all && (a->varies & all) == all;
}

static bool lasts(const struct look *l, double cache) {
  double read = 0, written = 0;
  FS_EACH_AT(&l->k->accesses, a)
    if (fs_schedule_is_everywhere(l->k, l->s, a))
      *(a->stored ? &written : &read) += (double)l->s->m * (double)l->s->n * size_of(a);
  return read + written > cache && fs_share(FS_GPU_LASTS) * written >= read && read > 0;
}

void fs_schedule_cache(const struct fs_kernel *k, const struct fs_device *d,
                       const struct fs_schedule_how *how, struct fs_schedule *s) {
  struct look l = {k, s, how->given};
  if (!d || !d->policies || d->cache_bytes <= 0) return;
  double cache = (double)d->cache_bytes;
  s->staying = kept_rows(&l, cache);
  if (!s->staying && !how->is_phase) s->staying = kept_elements(&l, cache);
  if (!s->staying && !how->is_phase && s->lanes > 1) s->lasts = lasts(&l, cache);
}
