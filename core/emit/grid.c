/* grid.c - several kernels of a plan as the phases of one launch (plan/kernels/grid.c).
 *
 * Each phase is what the kernel alone would be, as a function in a namespace of its
 * own; the entry calls them in order, with a barrier over the grid where the plan
 * has one. Partial results are folded by every block behind the barrier that stands
 * where a kernel alone would find its last block. So no block has to wait for what
 * one of them computes: numbers pass on in registers.
 *
 *     float c4;                                      // alpha
 *     phase1::fs_kernel(s0, s1, s2, work, counters, c4);
 *     phase2::fs_kernel(s2, s3, s5, work + ..., counters, c4, c6);
 *     fs_grid_barrier(counters);
 *     phase3::fs_kernel(s5, s1, s7, c6);
 */
#include "core/emit/writer.h"
#include "core/plan/kernels/launches.h"

/* -- calls --------------------------------------------------------------------------- */

/* "(char *)work + 512 + 256LL * gridDim.x" */
static const char *work_of_phase(const struct fs_writer *w) {
  const struct w_grid *g = w->args->grid;
  const char *at = w_fmt(w, "(char *)work + %lld", (long long)g->base);
  if (!g->per_block) return at;
  return w_fmt(w, "%s + %lldLL * gridDim.x", at, (long long)g->per_block);
}

/* The call of a phase whose text is written. */
static void put_call(const struct fs_writer *w, int number) {
  struct w_grid *g = w->args->grid;
  struct fs_lp_writer calls = {.arena = w->lp->arena, .at = g->calls};
  const struct fs_writer entry = {.lp = &calls};
  struct fs_str s = {0};
  const struct fs_emitted *o = w->args->out;
  const char *before = "";
  fs_str_printf(&s, "phase%d::fs_kernel(", number);
  for (int k = 0; k < o->n_slots; k++, before = ", ")
    fs_str_printf(&s, "%ss%d", before,
                  w_slot_argument(w->args->plan, g->out, o->slots[k], o->slot_bytes[k]));
  for (int k = 0; k < o->n_params; k++, before = ", ")
    fs_str_printf(&s, "%sp%d", before, w_param_argument(g->out, o->params[k], o->param_type[k]));
  if (w_uses_work(w)) fs_str_printf(&s, "%s%s, counters", before, work_of_phase(w));
  for (int k = 0; k < g->n_carried; k++)
    if (g->carried[k].touched)
      fs_str_printf(&s, ", c%d", g->carried[k].slot), g->carried[k].touched = false;
  if (w->how->kernel->joint == FS_BARRIER)
    w_say(&entry, FS_LP_BARRIER, NULL, "fs_grid_barrier(counters);");
  w_line(&entry, "%s);", fs_str_text(&s));
  fs_str_free(&s);
}

/* -- the entry ------------------------------------------------------------------------ */

/* `phase` has its text; `launch`, at first zero, is all of it. Where blocks wait for each
 * other, all must be resident; else there may be as many as the longest phase wants. */
static void join_launch(struct fs_emitted *launch, const struct fs_emitted *phase, bool waits) {
  launch->threads = phase->threads;
  launch->cluster = 1;
  launch->per_unit = FS_MAX(launch->per_unit, phase->per_unit);
  launch->cooperative = waits;
  if (waits || !launch->waves) launch->waves = 1;
  if (!waits && phase->max_blocks > launch->max_blocks) {
    launch->waves = phase->waves;
    launch->pieces = phase->pieces;
    launch->one_wave_each = phase->one_wave_each;
  }
  launch->max_blocks = FS_MAX(launch->max_blocks, phase->max_blocks);
  launch->per_unit = FS_MAX(launch->per_unit, phase->per_unit);
  launch->shared_bytes = FS_MAX(launch->shared_bytes, phase->shared_bytes);
}

static void write_phase(const struct fs_writer *w, int number, const struct fs_diags *diags,
                        struct fs_str *body) {
  struct w_grid *g = w->args->grid;
  g->phase = number;
  fs_str_printf(body, "// phase %d of the launch", number);
  fs_str_puts(body, w->how->kernel->joint == FS_BARRIER ? ", behind a barrier\n" : "\n");
  w_head(w, diags, body);
  fs_str_printf(body, "namespace phase%d {\n", number);
  w_constants(w, body);
  w_body(w, body);
  fs_str_printf(body, "}  // namespace phase%d\n\n", number);
  put_call(w, number);
  if (w_uses_work(w)) {
    g->base += fs_round_up(w->args->out->work_base, W_COUNTER_BYTES);
    g->per_block += fs_round_up(w->args->out->work_per_block, W_COUNTER_BYTES);
  }
  join_launch(g->out, w->args->out, g->waits);
}

/* What a phase's program breaks, the launch does. */
static void take_broken(struct fs_emitted *launch, struct fs_emitted *phase) {
  if (launch->broken || !phase->broken) return;
  launch->broken = phase->broken;
  phase->broken = NULL;
}

static void write_entry(const struct fs_writer *first, struct fs_str *body) {
  struct w_grid *g = first->args->grid;
  struct fs_lp *head = fs_lp_new(first->lp->arena), *start = fs_lp_new(first->lp->arena);
  struct fs_lp_writer lp = {.arena = first->lp->arena, .at = head};
  const struct fs_writer *w = &(const struct fs_writer){.lp = &lp};
  struct fs_str list = {0};
  w_line(w, "extern \"C\" __global__ void __launch_bounds__(%d, %d)", first->how->threads,
         first->how->resident);
  first->args->grid->out->bounds = first->how->resident;
  w_line(w, "fs_kernel(");
  for (int k = 0; k < g->out->n_slots; k++) fs_str_printf(&list, "%svoid *s%d", k ? ", " : "", k);
  for (int k = 0; k < g->out->n_params; k++)
    fs_str_printf(&list, ", %s p%d", fs_param_text(g->out->param_type[k]), k);
  fs_str_puts(&list, ", void *work");
  w_line_in(w, 2, "%s", fs_str_text(&list));
  w_line(w, ") {");
  fs_lp_print(head, FS_CUDA_C, 0, body);
  lp.at = start;
  if (g->out->waits) w_line(w, "fs_after_kernels();");
  w_line(w, "unsigned *const counters = (unsigned *)work;");
  for (int k = 0; k < g->n_carried; k++)
    w_line(w, "%s c%d = %s;", w_value_type(g->carried[k].dtype), g->carried[k].slot,
           g->carried[k].from ? g->carried[k].from : "0");
  fs_lp_print(start, FS_CUDA_C, 1, body);
  fs_lp_print(g->calls, FS_CUDA_C, 1, body);
  fs_str_puts(body, "}\n");
  fs_str_free(&list);
}

/* -- all of it ----------------------------------------------------------------------------- */

/* Shared memory that the phase has whatever the others do, besides a ring. */
static int64_t fixed_shared(const struct fs_writer *w) {
  int64_t parts = 0;
  for (int v = 0; v < w->how->kernel->values.len; v++)
    if (w->how->made[v].reduced == FS_REDUCED_ROW)
      parts += 2 * w->how->rows * (w->how->threads / 32) * fs_sum_bytes(w_val(w, v));
  return w->how->scratch + parts;
}

static void begin_phases(struct fs_writer *phases, struct fs_emitted *outs, int n,
                         struct w_arguments args, const struct fs_kernel *kernels,
                         const struct fs_device *device) {
  struct fs_schedule_how how = {.is_phase = true};
  int64_t shared = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < n; k++) {
      if (pass) {
        how.reserved = shared - fixed_shared(&phases[k]);
        w_end(&phases[k]);
      }
      args.out = &outs[k];
      phases[k] = w_begin(args, &kernels[k], device, &how);
      if (pass) continue;
      shared += fixed_shared(&phases[k]);
      how.wide |= phases[k].how->wide;
    }
}

void fs_emit_grid(const struct fs_plan *plan, const struct fs_kernel *kernels, int n,
                  const struct fs_device *device, const struct fs_diags *diags,
                  struct fs_emitted *out) {
  *out = (struct fs_emitted){0};
  struct w_grid g = {.kernels = kernels, .n_kernels = n, .out = out, .base = W_COUNTER_BYTES};
  struct fs_writer *phases = fs_calloc((size_t)n, sizeof *phases);
  struct fs_emitted *outs = fs_calloc((size_t)n, sizeof *outs);
  struct fs_str body = {0}, text = {0};
  out->waits = device->chains;
  for (int k = 0; k < n; k++) g.waits |= fs_kernel_waits(&kernels[k]);
  begin_phases(phases, outs, n, (struct w_arguments){plan, NULL, &g}, kernels, device);
  g.calls = fs_lp_new(phases[0].lp->arena);
  for (int k = 0; k < n; k++) write_phase(&phases[k], k + 1, diags, &body);
  write_entry(&phases[0], &body);
  fs_str_printf(&text, "typedef %s fs_index;\n\n", phases[0].how->wide ? "long long" : "int");
  w_prelude(&body, &text);
  fs_str_put(&text, fs_str_text(&body), body.len);
  out->source = text.data;
  out->work_zeroed = W_COUNTER_BYTES;
  out->work_base = g.base;
  out->work_per_block = g.per_block;
  for (int k = 0; k < n; k++) {
    take_broken(out, &outs[k]);
    w_end(&phases[k]);
    fs_emitted_free(&outs[k]);
  }
  fs_str_free(&body);
  free(phases);
  free(outs);
}
