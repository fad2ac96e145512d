/* places.c - what an emitted kernel takes of a GPU: threads, blocks, registers,
 * shared memory, and where each value lives. By the same analysis as the text, so
 * that what is shown is what is written. */
#include "core/emit/writer.h"

/* Addresses, counters and what the compiler needs besides the values, more where a
 * row's sums are exchanged. With these the estimate is within a third of what
 * NVRTC 13.0 takes for sm_90a on the sequences, and mostly within a fifth. */
enum {
  OVERHEAD_REGS = 18,
  ROW_OVERHEAD_REGS = 30,
  MOST_REGS = 255,
  TILE_SIDE = 32,
  TILE_PITCH = 33
};

/* Elements of a value that one thread has at a time. */
static double per_thread(const struct fs_writer *w, int v) {
  const struct fs_scheduled_value *x = &w->how->made[v];
  uint8_t varies = w_val(w, v)->varies;
  double rows = varies & FS_VARIES_I ? w->how->rows : 1, columns = 1;
  if (varies & FS_VARIES_J) {
    bool load = x->def >= 0 && w->how->kernel->steps.data[x->def].kind == FS_SP_LOAD;
    bool whole = load || x->kept || x->hoisted || x->reduced != FS_REDUCED_NOT ||
                 !w_mode(w)->rows || w_mode(w)->strips;
    columns = (double)w->how->lanes * (whole ? w->how->vectors : 1);
  }
  return rows * columns;
}

static void place_value(const struct fs_writer *w, int v, struct fs_home *p) {
  const struct fs_scheduled_value *x = &w->how->made[v];
  *p = (struct fs_home){.storage = "none"};
  if (x->def < 0 || x->alias != v) return;
  const struct fs_step *s = &w->how->kernel->steps.data[x->def];
  p->storage = "register";
  p->bytes = per_thread(w, v) * (double)fs_sum_bytes(w_val(w, v)) * w->how->threads;
  if (w_in_ring(w, s)) {
    p->storage = "shared";
    p->bytes = (double)w->how->n * (double)fs_dtype_size(w_access(w, s)->dtype) * w->how->stages *
               w->how->rows;
  } else if (w_is_staged(w, s)) {
    p->storage = "shared";
    p->bytes = (double)TILE_SIDE * TILE_PITCH * (double)fs_sum_bytes(w_val(w, v));
  }
}

/* What is held at the same time: all that outlives a vector, and the widest of
 * the values that do not. */
static int registers(const struct fs_writer *w) {
  bool rows = w_mode(w)->rows && !w_mode(w)->strips;
  double held = rows ? ROW_OVERHEAD_REGS : OVERHEAD_REGS, passing = 0;
  for (int v = 0; v < w->how->kernel->values.len; v++) {
    const struct fs_scheduled_value *x = &w->how->made[v];
    if (x->def < 0 || x->alias != v) continue;
    const struct fs_step *s = &w->how->kernel->steps.data[x->def];
    double regs = per_thread(w, v) * (double)fs_sum_bytes(w_val(w, v)) / 4;
    bool stays = x->kept || x->hoisted || x->reduced != FS_REDUCED_NOT || s->kind == FS_SP_LOAD;
    if (w->how->ahead && s->kind == FS_SP_LOAD && w_val(w, v)->varies == 3) regs *= 2;
    if (stays) held += regs;
    else passing = FS_MAX(passing, regs);
  }
  int most = FS_MIN(MOST_REGS, 65536 / (w->how->threads * w->how->resident));
  return (int)FS_MIN(held + passing, (double)most);
}

void fs_emit_footprint(const struct fs_plan *plan, const struct fs_kernel *kernel,
                       const struct fs_device *device, struct fs_footprint *out,
                       struct fs_home *places) {
  struct fs_emitted launch = {0};
  if (kernel->n_applied) {
    w_instance_footprint(kernel, out, places);
    return;
  }
  struct fs_writer w = w_begin((struct w_arguments){plan, &launch, NULL}, kernel, device,
                               &(const struct fs_schedule_how){0});
  if (w.how->march) w_march_footprint(&w);
  w_describe_launch(&w, w_uses_work(&w));
  *out = (struct fs_footprint){.threads = launch.threads,
                               .registers = registers(&w),
                               .shared = launch.shared_bytes + w.how->scratch,
                               .blocks = launch.max_blocks};
  for (int v = 0; v < kernel->values.len; v++) {
    place_value(&w, v, &places[v]);
    if (w_mode(&w)->tiled && !strcmp(places[v].storage, "shared"))
      out->shared += (int64_t)places[v].bytes;
  }
  w_end(&w);
}
