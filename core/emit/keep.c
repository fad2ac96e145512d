/* keep.c - loads say to the second-level cache what schedule/cache.c decided. */
#include "core/emit/writer.h"

void w_declare_keeping(const struct fs_writer *w) {
  w->args->out->lasts |= w->how->lasts;
  if (w->how->lasts) w_line(w, "const unsigned long long lasts = fs_cache_lasts();");
  if (!w->how->staying) return;
  w_line(w, "const unsigned long long stays = fs_cache_stays();");
  w_line(w, "const unsigned long long passes = fs_cache_passes();");
}

const char *w_keeping(const struct fs_writer *w, const struct fs_step *s, const char *row) {
  if (w->how->lasts && fs_schedule_is_everywhere(w->how->kernel, w->how, w_access(w, s)))
    return "lasts";
  if (!w->how->staying) return NULL;
  if (!w_mode(w)->rows)
    return w_access(w, s)->varies & FS_VARIES_J
               ? w_fmt(w, "j < %s ? stays : passes", w_int(w, w->how->staying))
               : NULL;
  if (s->kind != FS_SP_LOAD || w_access(w, s)->varies != FS_VARIES_BOTH) return NULL;
  return w_fmt(w, "%s < %s ? stays : passes", row, w_int(w, w->how->staying));
}
