/* keep.c - loads say to the second-level cache what schedule/cache.c decided. */
#include "core/emit/writer.h"

void em_declare_keeping(struct em *em) {
  em->out->lasts |= em->how->lasts;
  if (em->how->lasts) em_line(em, "const unsigned long long lasts = fs_cache_lasts();");
  if (!em->how->staying) return;
  em_line(em, "const unsigned long long stays = fs_cache_stays();");
  em_line(em, "const unsigned long long passes = fs_cache_passes();");
}

const char *em_keeping(struct em *em, const struct fs_step *s, const char *row) {
  if (em->how->lasts && fs_schedule_is_everywhere(em->k, em->how, s)) return "lasts";
  if (!em->how->staying) return NULL;
  if (em->how->mode == FS_MODE_FLAT)
    return em_access(em, s)->varies & FS_VARIES_J
               ? em_fmt(em, "j < %s ? stays : passes", em_int(em, em->how->staying)) : NULL;
  if (s->kind != FS_SP_LOAD || em_access(em, s)->varies != FS_VARIES_BOTH) return NULL;
  return em_fmt(em, "%s < %s ? stays : passes", row, em_int(em, em->how->staying));
}
