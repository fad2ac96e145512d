/* carried.c - numbers that pass from phase to phase of a launch in registers. */
#include "core/emit/writer.h"
#include "core/plan/kernels/launches.h"

int w_grid_phase(const struct fs_writer *w) { return w->args->grid ? w->args->grid->phase : 0; }

static struct w_carried *find_carried(const struct fs_writer *w, const struct fs_step *s) {
  int slot = w_access(w, s)->slot;
  for (int k = 0; w->args->grid && k < w->args->grid->n_carried; k++)
    if (w->args->grid->carried[k].slot == slot) return &w->args->grid->carried[k];
  return NULL;
}

static bool is_written(const struct w_grid *g, int slot) {
  for (int k = 0; k < g->n_kernels; k++)
    if (fs_kernel_moves(&g->kernels[k], slot, true)) return true;
  return false;
}

/* A number that the launch begins with, and a later phase wants: loaded before the first
 * one, it is not a trip to the cache behind a barrier. */
static struct w_carried *load_early(const struct fs_writer *w, const struct fs_step *s) {
  struct w_grid *g = w->args->grid;
  const struct fs_access *a = w_access(w, s);
  if (g->phase < 2 || g->n_carried == W_MOST_CARRIED || is_written(g, a->slot) ||
      fs_shape_count(&w->args->plan->slots.data[a->slot].shape) != 1 || a->offset)
    return NULL;
  struct w_carried *c = &g->carried[g->n_carried++];
  *c = (struct w_carried){.slot = a->slot, .dtype = a->dtype};
  c->from = w_fmt(w, "fs_get(*(const %s *)s%d)", w_stored_type(a->dtype),
                  w_slot_argument(w->args->plan, g->out, a->slot, 0));
  return c;
}

const char *w_grid_load(const struct fs_writer *w, const struct fs_step *s) {
  if (!w->args->grid || w_access(w, s)->varies) return NULL;
  struct w_carried *c = find_carried(w, s);
  if (!c) c = load_early(w, s);
  if (!c) return NULL;
  c->touched = true;
  return w_fmt(w, "c%d", c->slot);
}

void w_grid_stored(const struct fs_writer *w, const struct fs_step *s) {
  if (!w->args->grid || !fs_grid_carries(w->args->plan, w->how->kernel, s)) return;
  struct w_carried *c = find_carried(w, s);
  if (!c && w->args->grid->n_carried == W_MOST_CARRIED) return; /* plan/kernels/grid.c: never */
  if (!c) {
    c = &w->args->grid->carried[w->args->grid->n_carried++];
    *c = (struct w_carried){w_access(w, s)->slot, w_access(w, s)->dtype, true};
  }
  c->touched = true;
  w_line(w, "c%d = %s;", c->slot, w_ref(w, s->in[0]));
}

void w_grid_arguments(const struct fs_writer *w, struct fs_str *list) {
  if (w_uses_work(w)) fs_str_puts(list, ", unsigned *counters");
  for (int k = 0; k < w->args->grid->n_carried; k++) {
    const struct w_carried *c = &w->args->grid->carried[k];
    if (c->touched)
      fs_str_printf(list, "%s%s &c%d", list->len ? ", " : "", w_value_type(c->dtype), c->slot);
  }
}
