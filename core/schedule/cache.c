/* cache.c - what the loads of a kernel tell the second-level cache. No result depends
 * on it, and all of it follows from the shapes alone.
 *
 * Rows that stay. What is read from end to end, again and again, and is larger than a
 * cache that evicts what was used longest ago, is never found in it. So most rows of a
 * large matrix say that they may go first, and the first rows, as many as the cache
 * holds beside what else passes, stay: the next iteration of a solver finds them there.
 * So with vectors that a kernel only reads: x'*y of 2^23 elements of f32 takes 15.8 us on
 * an H200, 20.7 without, of 2^24 30.9 and 35.2, of 2^26 120 and 124.
 *
 * Reads that last. Where a kernel streams through memory and writes about as much as it
 * reads, what it reads is the last to go, though nobody reads it again: what it writes
 * then leaves the cache sooner, and memory, which loses time whenever it turns from
 * reading to writing, takes both faster. On an H200 (50 MiB of cache), f32, builds
 * without and with it in turns (bench/builds.py): a*x of 2^27 elements 255 and 250 us,
 * A + B of 16384 x 16384 730 and 722, softmax of 8192 x 8192 133 and 128. Such lines
 * outlive the kernel, in the way of all others, until device/cuda/lasting.c takes it back.
 */
#include "core/schedule/schedule.h"

/* The part of the cache that rows are kept in. On an H200 (50 MiB), A*p of 256 MiB
 * takes 59.7 us with none, with 0.3 57.6, with 0.4 56.9, with 0.6 56.3, with 0.8
 * 56.6. */
static const double KEPT_PART = 0.6;

/* Where columns are summed, their partial results and the vectors that are wanted then pass
 * through the cache, too: of a matrix that is far larger than it, and of one that is not. On
 * an H200 (60 MiB), with 0.6, 0.45, 0.3 and 0.2: an iteration of BiCG in bf16, 8192 x 8192,
 * 45.6, 42.2, 41.1 and 42.0 us, in f32 71.1, 71.1, 68.8 and 68.9; BiCGK in bf16 38.1, 37.9,
 * 36.5 and 36.8; but in f32 at 4096 BiCG 23.7, 22.9, 23.2 and 23.4, BiCGK 18.8, 18.9, 19.3
 * and 19.7. */
static const double SUMMED_PART = 0.3, SUMMED_NEAR = 0.45;

/* What is decided for; `given`: by access, whether it is an input of the block. */
struct look {
  const struct fs_kernel *k;
  const struct fs_schedule *s;
  const bool *given;
};

static const struct fs_access *access_of(const struct fs_kernel *k, const struct fs_step *st) {
  return &k->accesses.data[st->access];
}
static double size_of(const struct fs_access *a) { return (double)fs_dtype_size(a->dtype); }

/* Whether a load reads a large matrix that the block is given, row by row. */
static bool is_passing(const struct look *l, const struct fs_step *st) {
  const struct fs_kernel *k = l->k;
  if (st->kind != FS_SP_LOAD || st->phase || k->values.data[st->out].varies != FS_VARIES_BOTH)
    return false;
  const struct fs_access *a = access_of(k, st);
  return k->space.n_outer == 1 && k->space.n_inner <= 1 && a->stride[1] == 1 &&
         a->stride[0] >= l->s->n && l->given[st->access];
}

/* ... or vectors that it is given, from end to end. */
static bool is_passing_element(const struct look *l, const struct fs_step *st) {
  if (st->kind != FS_SP_LOAD || st->phase) return false;
  const struct fs_access *a = access_of(l->k, st);
  return a->stride[l->k->space.n_outer] == 1 && !a->list && l->given[st->access];
}

/* Rows that stay. */
static int64_t kept_rows(const struct look *l, double cache) {
  const struct fs_kernel *k = l->k;
  const struct fs_schedule *s = l->s;
  double row = 0, m = (double)s->m;
  if ((s->mode != FS_MODE_KEEP && s->mode != FS_MODE_CHUNK) || k->n_phases > 2) return 0;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *st = &k->steps.data[i];
    if (is_passing(l, st))
      row += (double)s->n * size_of(access_of(k, st));
    else if (st->access >= 0 && access_of(k, st)->varies == FS_VARIES_BOTH)
      return 0; /* it passes anyway, or is read for another reason */
  }
  if (row * m <= cache) return 0;
  bool far = row * m > 2 * cache;
  double part = !s->n_columns ? KEPT_PART : far ? SUMMED_PART : SUMMED_NEAR;
  return (int64_t)(part * cache / row);
}

/* Vectors that a kernel only reads are kept in part, as the rows of a matrix are. */
static int64_t kept_elements(const struct look *l, double cache) {
  double each = 0;
  if (l->s->mode != FS_MODE_FLAT || l->k->space.n_inner > 1 || l->s->m > 1) return 0;
  for (int i = 0; i < l->k->steps.len; i++) {
    const struct fs_step *st = &l->k->steps.data[i];
    if (st->access < 0 || !(access_of(l->k, st)->varies & FS_VARIES_J)) continue;
    if (!is_passing_element(l, st)) return 0;
    each += size_of(access_of(l->k, st));
  }
  return each * (double)l->s->n > cache ? (int64_t)(KEPT_PART * cache / each) : 0;
}

bool fs_schedule_is_everywhere(const struct fs_kernel *k, const struct fs_schedule *s,
                               const struct fs_step *st) {
  unsigned all = (s->m > 1 ? FS_VARIES_I : 0) | (s->n > 1 ? FS_VARIES_J : 0);
  bool moves = st->kind == FS_SP_STORE || (st->kind == FS_SP_LOAD && !st->phase);
  return moves && all && (access_of(k, st)->varies & all) == all;
}

static bool lasts(const struct look *l, double cache) {
  double read = 0, written = 0;
  for (int i = 0; i < l->k->steps.len; i++) {
    const struct fs_step *st = &l->k->steps.data[i];
    if (!fs_schedule_is_everywhere(l->k, l->s, st)) continue;
    *(st->kind == FS_SP_LOAD ? &read : &written) +=
        (double)l->s->m * (double)l->s->n * size_of(access_of(l->k, st));
  }
  return read + written > cache && 4 * written >= read && read > 0;
}

void fs_schedule_cache(const struct fs_kernel *k, const struct fs_device *d,
                       const struct fs_schedule_how *how, struct fs_schedule *s) {
  struct look l = {k, s, how->given};
  if (!d || !d->policies || d->cache_bytes <= 0) return;
  double cache = (double)d->cache_bytes;
  s->staying = kept_rows(&l, cache);
  if (!s->staying && !how->is_phase) s->staying = kept_elements(&l, cache);
  if (!s->staying && !how->is_phase && s->lanes > 1 && s->mode != FS_MODE_TILE)
    s->lasts = lasts(&l, cache);
}
