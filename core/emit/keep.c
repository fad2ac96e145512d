/* keep.c - rows of a large matrix that should still be in the second-level cache
 * when the matrix is read the next time.
 *
 * What is read from end to end, again and again, and is larger than a cache that
 * evicts what was used longest ago, is never found in it. So most rows say that they
 * may go first, and the first rows, as many as the cache holds beside what else
 * passes, stay: the next iteration of a solver finds them there. Which rows say so
 * follows from the shapes alone, and no result depends on it.
 */
#include "core/emit/writer.h"

/* The part of the cache that rows are kept in. On an H200 (50 MiB), A*p of 256 MiB
 * takes 59.7 us with none, with 0.3 57.6, with 0.4 56.9, with 0.6 56.3, with 0.8
 * 56.6. */
static const double KEPT_PART = 0.6;

bool em_is_passing(const struct em *em, const struct fs_step *s) {
  if (s->kind != FS_SP_LOAD || s->phase || em_val(em, s->out)->varies != 3)
    return false;
  const struct fs_access *a = em_access(em, s);
  return em->n_outer == 1 && em->n_inner == 1 && a->stride[1] == 1 &&
         a->stride[0] >= em->n && a->slot < em->plan->slots.len &&
         em->plan->slots.data[a->slot].kind == FS_SLOT_INPUT;
}

void em_find_kept_rows(struct em *em) {
  bool able = em->device && em->device->is_cuda && em->device->cc >= 80 &&
              em->variant == FS_EMIT_BEST && em->device->cache_bytes > 0;
  bool rows = em->mode == EM_KEEP || em->mode == EM_CHUNK;
  double row = 0, cache = able ? (double)em->device->cache_bytes : 0;
  em->kept_rows = 0;
  if (!able || !rows || em->k->n_phases > 2) return;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (em_is_passing(em, s))
      row += (double)em->n * (double)fs_dtype_size(em_access(em, s)->dtype);
    else if (s->access >= 0 && em_access(em, s)->varies == 3)
      return; /* it passes anyway, or is read for another reason */
  }
  if (row * (double)em->m > cache)
    em->kept_rows = (int64_t)(KEPT_PART * cache / row);
}

void em_declare_keeping(struct em *em) {
  if (!em->kept_rows) return;
  em_line(em, "const unsigned long long stays = fs_cache_stays();");
  em_line(em, "const unsigned long long passes = fs_cache_passes();");
}

const char *em_keeping(struct em *em, const char *row) {
  return em_fmt(em, "%s < %s ? stays : passes", row, em_int(em, em->kept_rows));
}
