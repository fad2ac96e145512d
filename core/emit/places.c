/* places.c - what an emitted kernel takes of a GPU: threads, blocks, registers,
 * shared memory, and where each value lives. By the same analysis as the text, so
 * that what is shown is what is written. */
#include "core/emit/writer.h"

/* Addresses, counters and what the compiler needs besides the values, more where a
 * row's sums are exchanged. With these the estimate is within a third of what
 * NVRTC 13.0 takes for sm_90a on the sequences, and mostly within a fifth; but for
 * sums of rows that are not held, of which it unrolls the loop over a row and has as
 * many loads under way as the launch bounds leave registers for (128, not 48). */
enum { OVERHEAD_REGS = 18, ROW_OVERHEAD_REGS = 30, MOST_REGS = 255,
       TILE_SIDE = 32, TILE_PITCH = 33 };

static double size_of(const struct em *em, int v) {
  return (double)fs_sum_bytes(em_val(em, v));
}

/* Elements of a value that one thread has at a time. */
static double per_thread(const struct em *em, int v) {
  const struct fs_scheduled_value *x = &em->how->made[v];
  uint8_t varies = em_val(em, v)->varies;
  double rows = varies & FS_VARIES_I ? em->how->rows : 1, columns = 1;
  if (varies & FS_VARIES_J) {
    bool whole = x->kept || x->hoisted || x->reduced != FS_REDUCED_NOT ||
                 em->how->mode == FS_MODE_FLAT || em->how->mode == FS_MODE_STRIPS;
    columns = (double)em->how->lanes * (whole ? em->how->vectors : 1);
  }
  return rows * columns;
}

static bool is_staged(const struct em *em, const struct fs_step *s) {
  return em->how->mode == FS_MODE_TILE && s->access >= 0 && em_transposed(em, s);
}

/* The rows of a turn are in the ring once for each stage. */
static bool is_in_ring(const struct em *em, const struct fs_step *s) {
  return em->how->stages && s->kind == FS_SP_LOAD && s->phase == 0 &&
         em_val(em, s->out)->varies == (FS_VARIES_I | FS_VARIES_J);
}

static void place_value(const struct em *em, int v, struct fs_home *p) {
  const struct fs_scheduled_value *x = &em->how->made[v];
  *p = (struct fs_home){.storage = "none"};
  if (x->def < 0 || x->alias != v) return;
  const struct fs_step *s = &em->k->steps.data[x->def];
  p->storage = "register";
  p->bytes = per_thread(em, v) * size_of(em, v) * em->how->threads;
  if (is_in_ring(em, s)) {
    p->storage = "shared";
    p->bytes = (double)em->how->n * (double)fs_dtype_size(em_access(em, s)->dtype) *
               em->how->stages * em->how->rows;
  } else if (is_staged(em, s)) {
    p->storage = "shared";
    p->bytes = (double)TILE_SIDE * TILE_PITCH * size_of(em, v);
  }
}

/* What is held at the same time: all that outlives a vector, and the widest of
 * the values that do not. */
static int registers(const struct em *em) {
  bool rows = em->how->mode == FS_MODE_KEEP || em->how->mode == FS_MODE_CHUNK;
  double held = rows ? ROW_OVERHEAD_REGS : OVERHEAD_REGS, passing = 0;
  for (int v = 0; v < em->k->values.len; v++) {
    const struct fs_scheduled_value *x = &em->how->made[v];
    if (x->def < 0 || x->alias != v) continue;
    const struct fs_step *s = &em->k->steps.data[x->def];
    double regs = per_thread(em, v) * size_of(em, v) / 4;
    bool stays = x->kept || x->hoisted || x->reduced != FS_REDUCED_NOT ||
                 s->kind == FS_SP_LOAD;
    if (em->how->ahead && s->kind == FS_SP_LOAD && em_val(em, v)->varies == 3)
      regs *= 2;
    if (stays) held += regs;
    else passing = FS_MAX(passing, regs);
  }
  int most = FS_MIN(MOST_REGS, 65536 / (em->how->threads * em->how->resident));
  return (int)FS_MIN(held + passing, (double)most);
}

void fs_emit_footprint(const struct fs_plan *plan,
                       const struct fs_kernel *kernel,
                       const struct fs_device *device, struct fs_footprint *out,
                       struct fs_home *places) {
  struct fs_emitted launch = {0};
  if (kernel->scheme == FS_INSTANCE) {
    em_instance_footprint(kernel, out, places);
    return;
  }
  struct em em = {.plan = plan, .k = kernel, .out = &launch};
  em_begin(&em, device, &(const struct fs_schedule_how){0});
  if (em.how->mode == FS_MODE_MARCH) em_march_footprint(&em);
  em_describe_launch(&em, em_uses_work(&em));
  *out = (struct fs_footprint){
      .threads = launch.threads, .registers = registers(&em),
      .shared = launch.shared_bytes + em.how->scratch, .blocks = launch.max_blocks};
  for (int v = 0; v < kernel->values.len; v++) {
    place_value(&em, v, &places[v]);
    if (em.how->mode == FS_MODE_TILE && !strcmp(places[v].storage, "shared"))
      out->shared += (int64_t)places[v].bytes;
  }
  fs_arena_free(em.w.arena);
}
