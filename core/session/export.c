/* export.c - `:export-kernel`: a kernel of the last block as a text that compiles alone, with
 * all that its caller must know in the comment at its head.
 */
#include "core/emit/emit.h"
#include "core/plan/plan.h"
#include "core/run/compile.h"
#include "core/session/internal.h"

static bool ends_with(const char *name, const char *end) {
  size_t n = strlen(name), k = strlen(end);
  return n > k && !strcmp(name + n - k, end);
}

/* "k2" or "2", from 1; 0: neither. */
static long number_of(const char *word) {
  const char *digits = word + (*word == 'k');
  char *end;
  long k = strtol(digits, &end, 10);
  return *digits && !*end && k > 0 ? k : 0;
}

/* -- arguments -------------------------------------------------------------------- */

static const char *slot_name(const struct fs_plan *plan, int slot) {
  const struct fs_slot *s = &plan->slots.data[fs_slot_whole(plan, slot)];
  const char *name = NULL;
  if (s->kind == FS_SLOT_INPUT) name = plan->graph->inputs.data[s->index].name;
  if (s->kind == FS_SLOT_RESULT) name = plan->graph->output_names.data[s->index];
  return name ? name : "a temporary";
}

/* "reads", "writes" or "reads and writes". */
static const char *moves(const struct fs_kernel *k, int slot) {
  bool reads = fs_kernel_moves(k, slot, false), writes = fs_kernel_moves(k, slot, true);
  return reads && writes ? "reads and writes" : writes ? "writes" : "reads";
}

/* "A: f32 60x40, from its first element on; reads" */
static void put_slot(const struct fs_plan *plan, const struct fs_kernel *k,
                     const struct fs_emitted *e, int at, struct fs_str *out) {
  int slot = e->slots[at];
  const struct fs_slot *s = &plan->slots.data[slot];
  int64_t size = (int64_t)fs_dtype_size(s->dtype);
  fs_str_printf(out, "//   s%d      ", at);
  fs_str_put_safe(out, slot_name(plan, slot), strlen(slot_name(plan, slot)));
  fs_str_printf(out, ": %s ", fs_dtype_name(s->dtype));
  fs_shape_print(&s->shape, out);
  if (s->kind == FS_SLOT_RESULT || s->kind == FS_SLOT_TEMP)
    fs_str_printf(out, ", room for %lld", (long long)s->count);
  if (e->slot_bytes[at])
    fs_str_printf(out, ", from element %lld on", (long long)(e->slot_bytes[at] / size));
  fs_str_printf(out, "; %s\n", moves(k, slot));
}

static void put_arguments(const struct fs_plan *plan, const struct fs_kernel *k,
                          const struct fs_emitted *e, struct fs_str *out) {
  fs_str_puts(out, "// Arguments, in this order:\n");
  for (int at = 0; at < e->n_slots; at++) put_slot(plan, k, e, at, out);
  for (int at = 0; at < e->n_params; at++)
    fs_str_printf(out, "//   p%d      number %d of the statements, as %s\n", at, e->params[at] + 1,
                  fs_param_text(e->param_type[at]));
  for (int at = 0; at < e->n_sizes; at++)
    fs_str_printf(out, "//   size%d   %lld, of %d bits\n", at, (long long)e->sizes[at],
                  e->wide ? 64 : 32);
  if (e->work_base || e->work_per_block)
    fs_str_printf(out, "//   work    %lld bytes, and %lld for each block; the first %lld are zero "
                       "before the first launch\n",
                  (long long)e->work_base, (long long)e->work_per_block,
                  (long long)e->work_zeroed);
  for (int at = 0; at < e->n_maps; at++) {
    const struct fs_emitted_map *m = &e->maps[at];
    fs_str_printf(out, "//   m%d      a CUtensorMap of s%d: %lld x %lld of %s from element %lld on, "
                       "rows %lld apart, boxes of %d x %d\n",
                  at, m->slot, (long long)m->rows, (long long)m->columns, fs_dtype_name(m->dtype),
                  (long long)m->offset, (long long)m->stride, m->box_rows, m->box_columns);
  }
}

/* Vectors are loaded at places that are a multiple of their size from an array's beginning. */
static void put_launch(const struct fs_emitted *e, struct fs_str *out) {
  fs_str_printf(out, "// Launch: %d threads in a block; %lld block%s", e->threads,
                (long long)e->max_blocks, e->max_blocks == 1 ? "" : "s, or fewer");
  if (e->cluster > 1) fs_str_printf(out, ", a multiple of %d (clusters)", e->cluster);
  if (e->cooperative) fs_str_puts(out, ", all resident together (a cooperative launch)");
  if (e->shared_bytes)
    fs_str_printf(out, "; %lld bytes of dynamic shared memory", (long long)e->shared_bytes);
  fs_str_puts(out, "\n// Arrays begin at multiples of 16 bytes.\n");
}

/* -- the file ------------------------------------------------------------------------ */

/* The GPU in use if it speaks that, else a usual one. */
static struct fs_device device_for(struct fs_session *s, bool opencl) {
  const struct fs_target *t = fs_session_target(s);
  bool own = s->on_cuda && (t->device.dialect == FS_OPENCL_C) == opencl;
  return own ? t->device : opencl ? fs_usual_opencl() : fs_usual_gpu(90);
}

static void put_text(struct fs_session *s, const struct fs_plan *plan, const struct fs_kernel *k,
                     bool opencl, struct fs_str *out) {
  struct fs_kernel tuned = *k;
  struct fs_device device = device_for(s, opencl);
  struct fs_emitted e;
  fs_tune(&tuned, &device);
  fs_emit_cuda(plan, &tuned, &device, &s->diags, &e);
  fs_str_printf(out, "// fs_kernel, by Fusible " FS_VERSION ": %s for %s.\n",
                opencl ? "OpenCL C 1.2" : "CUDA C", opencl ? "any device" : device.arch);
  put_launch(&e, out);
  put_arguments(plan, &tuned, &e, out);
  fs_str_puts(out, "//\n");
  fs_str_puts(out, e.source);
  fs_emitted_free(&e);
}

enum fs_status fs_session_export(struct fs_session *s, struct fs_words *c) {
  if (c->n != 2 || !number_of(c->word[0])) return FS_ERR_USER;
  bool opencl = ends_with(c->word[1], ".cl");
  if (!opencl && !ends_with(c->word[1], ".cu")) {
    c->wrong = "the file's name ends in .cu, for CUDA C, or in .cl, for OpenCL C";
    return FS_ERR_USER;
  }
  const struct fs_block *block = fs_session_current_block(s, c->out);
  if (!block) return FS_OK;
  long number = number_of(c->word[0]);
  const struct fs_plan *plan = block->plan;
  const struct fs_kernel *k = number <= plan->kernels.len ? &plan->kernels.data[number - 1] : NULL;
  if (!k) c->wrong = "the last block has no such kernel";
  else if (k->lib_node) c->wrong = "this kernel is a library call: it has no text";
  else if (!fs_emit_has(k, opencl ? FS_OPENCL_C : FS_CUDA_C))
    c->wrong = "it calls a function of the user, which is in CUDA C: a .cu file can have it";
  if (c->wrong) return FS_ERR_USER;
  struct fs_str text = {0};
  put_text(s, plan, k, opencl, &text);
  enum fs_status st = fs_session_save_text(s, c, c->word[1], &text);
  fs_str_free(&text);
  return st;
}
