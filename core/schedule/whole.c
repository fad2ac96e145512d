/* whole.c - all of how a kernel runs on a GPU, by its scheme. */
#include "core/schedule/schedule.h"

static void set_launch(const struct fs_kernel *k, struct fs_schedule *s) {
  bool stay = s->stragglers || s->copies_words;
  s->each_once = s->streams && !stay;
  s->pieces = stay ? 4 : 8;
  s->waves = !fs_mode_of(s)->rows && !s->vector_end && k->has.early_stores ? 16 : 1;
}

static bool marches(const struct fs_kernel *k, const struct fs_device *d, struct fs_arena *arena,
                    struct fs_schedule *s) {
  struct fs_march *march = FS_NEW(arena, struct fs_march);
  if (!fs_march_of(k, d, march)) return false;
  fs_schedule_march(k, march, s);
  s->march = march;
  fs_schedule_march_values(k, march, arena, s);
  return true;
}

/* A march kernel as one of the row scheme. */
static const struct fs_kernel *as_rows(const struct fs_kernel *k, const struct fs_device *d,
                                       struct fs_arena *arena) {
  struct fs_kernel *rows = FS_NEW(arena, struct fs_kernel);
  *rows = *k;
  rows->scheme = FS_ROW;
  fs_tune(rows, d);
  return rows;
}

struct fs_schedule *fs_schedule_of(const struct fs_kernel *k, const struct fs_graph *g,
                                   const struct fs_device *d, const struct fs_schedule_how *how,
                                   struct fs_arena *arena) {
  struct fs_schedule *s = FS_NEW(arena, struct fs_schedule);
  bool march = fs_scheme_of(k)->in_step;
  if (k->n_applied) {
    fs_schedule_instance(k, g, s);
    s->made = FS_NEW_N(arena, struct fs_scheduled_value, k->values.len + 1);
    for (int v = 0; v < k->values.len; v++)
      s->made[v] = (struct fs_scheduled_value){.def = -1, .alias = v};
  } else if (!march || !marches(k, d, arena, s)) {
    if (march) k = as_rows(k, d, arena);
    fs_schedule_gpu(k, d, how, s);
    fs_schedule_values(k, arena, s);
    fs_schedule_cache(k, d, how, s);
    if (!d || d->short_ways) fs_schedule_short_ways(k, d, how, arena, s);
  }
  s->kernel = k;
  s->any_size = how->any_size;
  s->quick = how->quick;
  s->units = d ? d->units : 0;
  s->short_ways = !d || d->short_ways;
  s->last_ends = s->vector_end && d && !d->cooperative;
  set_launch(k, s);
  return s;
}
