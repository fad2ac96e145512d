/* keep.c - what the loads of a kernel tell the second-level cache. No result depends
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
#include "core/emit/writer.h"

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

/* Whether a load reads a large matrix that the block is given, row by row. */
static bool is_passing(const struct em *em, const struct fs_step *s) {
  if (s->kind != FS_SP_LOAD || s->phase || em_val(em, s->out)->varies != 3)
    return false;
  const struct fs_access *a = em_access(em, s);
  return em->axes.n_outer == 1 && em->axes.n_inner == 1 && a->stride[1] == 1 &&
         a->stride[0] >= em->how->n && a->slot < em->plan->slots.len &&
         em->plan->slots.data[a->slot].kind == FS_SLOT_INPUT;
}

/* ... or vectors that it is given, from end to end. */
static bool is_passing_element(const struct em *em, const struct fs_step *s) {
  if (s->kind != FS_SP_LOAD || s->phase) return false;
  const struct fs_access *a = em_access(em, s);
  return a->stride[em->axes.n_outer] == 1 && !a->list && a->slot < em->plan->slots.len &&
         em->plan->slots.data[a->slot].kind == FS_SLOT_INPUT;
}

static void find_kept_rows(struct em *em, double cache) {
  bool rows = em->how->mode == FS_MODE_KEEP || em->how->mode == FS_MODE_CHUNK;
  double row = 0;
  if (!rows || em->k->n_phases > 2) return;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (is_passing(em, s))
      row += (double)em->how->n * (double)fs_dtype_size(em_access(em, s)->dtype);
    else if (s->access >= 0 && em_access(em, s)->varies == 3)
      return; /* it passes anyway, or is read for another reason */
  }
  if (row * (double)em->how->m <= cache) return;
  bool far = row * (double)em->how->m > 2 * cache;
  double part = !em->n_col ? KEPT_PART : far ? SUMMED_PART : SUMMED_NEAR;
  em->staying = (int64_t)(part * cache / row);
}

/* Vectors that a kernel only reads are kept in part, as the rows of a matrix are. */
static void find_kept_elements(struct em *em, double cache) {
  double each = 0;
  if (em->how->mode != FS_MODE_FLAT || em->axes.n_inner != 1 || em->how->m > 1 || em->grid) return;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (s->access < 0 || !(em_access(em, s)->varies & FS_VARIES_J)) continue;
    if (!is_passing_element(em, s)) return;
    each += (double)fs_dtype_size(em_access(em, s)->dtype);
  }
  if (each * (double)em->how->n > cache) em->staying = (int64_t)(KEPT_PART * cache / each);
}

/* Whether a load or a store takes an element of its own at every place. What a later
 * phase of a row loads, an earlier one has had. */
static bool is_everywhere(const struct em *em, const struct fs_step *s) {
  unsigned all = (em->how->m > 1 ? FS_VARIES_I : 0) | (em->how->n > 1 ? FS_VARIES_J : 0);
  bool moves = s->kind == FS_SP_STORE || (s->kind == FS_SP_LOAD && !s->phase);
  return moves && all && (em_access(em, s)->varies & all) == all;
}

static void find_lasting(struct em *em, double cache) {
  double read = 0, written = 0;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!is_everywhere(em, s)) continue;
    *(s->kind == FS_SP_LOAD ? &read : &written) +=
        (double)em->how->m * (double)em->how->n * (double)fs_dtype_size(em_access(em, s)->dtype);
  }
  em->lasts = read + written > cache && 4 * written >= read && read > 0;
}

void em_find_keeping(struct em *em) {
  bool able = em->device && em->device->policies && em->device->cache_bytes > 0;
  em->staying = 0;
  em->lasts = false;
  if (!able) return;
  find_kept_rows(em, (double)em->device->cache_bytes);
  find_kept_elements(em, (double)em->device->cache_bytes);
  if (!em->staying && !em->grid && em->how->lanes > 1 && em->how->mode != FS_MODE_TILE)
    find_lasting(em, (double)em->device->cache_bytes);
}

void em_declare_keeping(struct em *em) {
  em->out->lasts |= em->lasts;
  if (em->lasts)
    em_line(em, "const unsigned long long lasts = fs_cache_lasts();");
  if (!em->staying) return;
  em_line(em, "const unsigned long long stays = fs_cache_stays();");
  em_line(em, "const unsigned long long passes = fs_cache_passes();");
}

const char *em_keeping(struct em *em, const struct fs_step *s, const char *row) {
  if (em->lasts && is_everywhere(em, s)) return "lasts";
  if (!em->staying) return NULL;
  if (em->how->mode == FS_MODE_FLAT)
    return em_access(em, s)->varies & FS_VARIES_J
               ? em_fmt(em, "j < %s ? stays : passes", em_int(em, em->staying)) : NULL;
  if (!is_passing(em, s)) return NULL;
  return em_fmt(em, "%s < %s ? stays : passes", row, em_int(em, em->staying));
}
