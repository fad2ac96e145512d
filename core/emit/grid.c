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

enum { MOST_CARRIED = 64 };

struct carried {
  int slot;
  enum fs_dtype dtype;
  bool touched;           /* by the phase that is being written */
  const char *from;       /* what the entry begins with; NULL: a phase makes it */
};

struct em_grid {
  int n_carried;
  struct carried carried[MOST_CARRIED];
  const struct fs_kernel *kernels;
  int n_kernels;
  struct fs_emitted *out; /* of the launch */
  int phase;              /* that is written, from 1 on */
  bool waits;             /* blocks wait for each other: barriers, or sums of all */
  int64_t base, per_block; /* workspace of the phases so far */
  struct fs_lp *calls;    /* its body */
};

bool em_grid_waits(const struct em *em) { return em->grid->waits; }
int em_grid_phase(const struct em *em) { return em->grid ? em->grid->phase : 0; }

/* -- numbers in registers ---------------------------------------------------------- */

static struct carried *find_carried(struct em *em, const struct fs_step *s) {
  int slot = em_access(em, s)->slot;
  for (int k = 0; em->grid && k < em->grid->n_carried; k++)
    if (em->grid->carried[k].slot == slot) return &em->grid->carried[k];
  return NULL;
}

static bool is_written(const struct em_grid *g, int slot) {
  for (int k = 0; k < g->n_kernels; k++)
    for (int i = 0; i < g->kernels[k].steps.len; i++) {
      const struct fs_step *s = &g->kernels[k].steps.data[i];
      if (s->kind == FS_SP_STORE && g->kernels[k].accesses.data[s->access].slot == slot)
        return true;
    }
  return false;
}

/* A number that the launch begins with, and a later phase wants: loaded before the first
 * one, it is not a trip to the cache behind a barrier. */
static struct carried *load_early(struct em *em, const struct fs_step *s) {
  struct em_grid *g = em->grid;
  const struct fs_access *a = em_access(em, s);
  if (g->phase < 2 || g->n_carried == MOST_CARRIED || is_written(g, a->slot) ||
      fs_shape_count(&em->plan->slots.data[a->slot].shape) != 1 || a->offset)
    return NULL;
  struct em entry = {.plan = em->plan, .out = g->out, .w = {.arena = em->w.arena}};
  struct carried *c = &g->carried[g->n_carried++];
  *c = (struct carried){.slot = a->slot, .dtype = a->dtype};
  c->from = em_fmt(em, "fs_get(*(const %s *)s%d)", em_stored_type(a->dtype),
                   em_slot_argument(&entry, a->slot, 0));
  return c;
}

const char *em_grid_load(struct em *em, const struct fs_step *s) {
  if (!em->grid || em_access(em, s)->varies) return NULL;
  struct carried *c = find_carried(em, s);
  if (!c) c = load_early(em, s);
  if (!c) return NULL;
  c->touched = true;
  return em_fmt(em, "c%d", c->slot);
}

void em_grid_stored(struct em *em, const struct fs_step *s) {
  if (!em->grid || !fs_grid_carries(em->plan, em->k, s)) return;
  struct carried *c = find_carried(em, s);
  if (!c && em->grid->n_carried == MOST_CARRIED) return; /* plan/kernels/grid.c: never */
  if (!c) {
    c = &em->grid->carried[em->grid->n_carried++];
    *c = (struct carried){em_access(em, s)->slot, em_access(em, s)->dtype, true};
  }
  c->touched = true;
  em_line(em, "c%d = %s;", c->slot, em_ref(em, s->in[0]));
}

void em_grid_arguments(struct em *em, struct fs_str *list) {
  if (em_uses_work(em)) fs_str_puts(list, ", unsigned *counters");
  for (int k = 0; k < em->grid->n_carried; k++) {
    const struct carried *c = &em->grid->carried[k];
    if (c->touched)
      fs_str_printf(list, "%s%s &c%d", list->len ? ", " : "", em_value_type(c->dtype), c->slot);
  }
}

/* -- calls --------------------------------------------------------------------------- */

/* The entry's argument of a param in this form; added if it is new. */
static int entry_param(struct em_grid *g, int param, enum fs_param_type type) {
  struct fs_emitted *o = g->out;
  int at = 0;
  while (at < o->n_params && (o->params[at] != param || o->param_type[at] != type))
    at++;
  if (at < o->n_params) return at;
  o->params = fs_realloc(o->params, sizeof(int) * (size_t)(at + 1));
  o->param_type =
      fs_realloc(o->param_type, sizeof *o->param_type * (size_t)(at + 1));
  o->params[at] = param;
  o->param_type[at] = type;
  o->n_params++;
  return at;
}

/* "(char *)work + 512 + 256LL * gridDim.x" */
static const char *work_of_phase(struct em *em) {
  const struct em_grid *g = em->grid;
  const char *at = em_fmt(em, "(char *)work + %lld", (long long)g->base);
  if (!g->per_block) return at;
  return em_fmt(em, "%s + %lldLL * gridDim.x", at, (long long)g->per_block);
}

/* The call of a phase whose text is written. */
static void put_call(struct em *em, int number) {
  struct em_grid *g = em->grid;
  struct em entry = {.plan = em->plan, .out = g->out, .w = {em->w.arena, g->calls, 0}};
  struct fs_str s = {0};
  const struct fs_emitted *o = em->out;
  const char *before = "";
  fs_str_printf(&s, "phase%d::fs_kernel(", number);
  for (int k = 0; k < o->n_slots; k++, before = ", ")
    fs_str_printf(&s, "%ss%d", before, em_slot_argument(&entry, o->slots[k], o->slot_bytes[k]));
  for (int k = 0; k < o->n_params; k++, before = ", ")
    fs_str_printf(&s, "%sp%d", before, entry_param(g, o->params[k], o->param_type[k]));
  if (em_uses_work(em))
    fs_str_printf(&s, "%s%s, counters", before, work_of_phase(em));
  for (int k = 0; k < g->n_carried; k++)
    if (g->carried[k].touched)
      fs_str_printf(&s, ", c%d", g->carried[k].slot), g->carried[k].touched = false;
  if (em->k->joint == FS_BARRIER)
    em_say(&entry, FS_LP_BARRIER, NULL, "fs_grid_barrier(counters);");
  em_line(&entry, "%s);", fs_str_text(&s));
  fs_str_free(&s);
}

/* -- the entry ------------------------------------------------------------------------ */

/* `phase` has its text; `launch`, at first zero, is all of it. Where blocks wait for each
 * other, all must be resident; else there may be as many as the longest phase wants. */
static void join_launch(struct fs_emitted *launch, const struct fs_emitted *phase, bool waits) {
  launch->threads = phase->threads;
  launch->grid_y = launch->cluster = 1;
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

static void write_phase(struct em *em, int number, const struct fs_diags *diags,
                        struct fs_str *body) {
  struct em_grid *g = em->grid;
  g->phase = number;
  fs_str_printf(body, "// phase %d of the launch", number);
  fs_str_puts(body, em->k->joint == FS_BARRIER ? ", behind a barrier\n" : "\n");
  em_head(em, diags, body);
  fs_str_printf(body, "namespace phase%d {\n", number);
  em_constants(em, body);
  em_body(em, body);
  fs_str_printf(body, "}  // namespace phase%d\n\n", number);
  put_call(em, number);
  if (em_uses_work(em)) {
    g->base += fs_round_up(em->out->work_base, EM_COUNTER_BYTES);
    g->per_block += fs_round_up(em->out->work_per_block, EM_COUNTER_BYTES);
  }
  join_launch(g->out, em->out, g->waits);
}

/* What a phase's program breaks, the launch does. */
static void take_broken(struct fs_emitted *launch, struct fs_emitted *phase) {
  if (launch->broken || !phase->broken) return;
  launch->broken = phase->broken;
  phase->broken = NULL;
}

static void write_entry(struct em *first, struct fs_str *body) {
  struct em_grid *g = first->grid;
  struct fs_lp *head = fs_lp_new(first->w.arena), *start = fs_lp_new(first->w.arena);
  struct em em = {.w = {first->w.arena, head, 0}};
  struct fs_str list = {0};
  em_line(&em, "extern \"C\" __global__ void __launch_bounds__(%d, %d)", first->how->threads,
          first->how->resident);
  first->grid->out->bounds = first->how->resident;
  em_line(&em, "fs_kernel(");
  for (int k = 0; k < g->out->n_slots; k++)
    fs_str_printf(&list, "%svoid *s%d", k ? ", " : "", k);
  for (int k = 0; k < g->out->n_params; k++)
    fs_str_printf(&list, ", %s p%d", fs_param_text(g->out->param_type[k]), k);
  fs_str_puts(&list, ", void *work");
  em_line_in(&em, 2, "%s", fs_str_text(&list));
  em_line(&em, ") {");
  fs_lp_print_cuda(head, 0, body);
  em.w.at = start;
  if (g->out->waits) em_line(&em, "fs_after_kernels();");
  em_line(&em, "unsigned *const counters = (unsigned *)work;");
  for (int k = 0; k < g->n_carried; k++)
    em_line(&em, "%s c%d = %s;", em_value_type(g->carried[k].dtype),
            g->carried[k].slot, g->carried[k].from ? g->carried[k].from : "0");
  fs_lp_print_cuda(start, 1, body);
  fs_lp_print_cuda(g->calls, 1, body);
  fs_str_puts(body, "}\n");
  fs_str_free(&list);
}

/* -- all of it ----------------------------------------------------------------------------- */

/* Shared memory that the phase has whatever the others do, besides a ring. */
static int64_t fixed_shared(const struct em *em) {
  int64_t parts = 0;
  for (int v = 0; v < em->k->values.len; v++)
    if (em->how->made[v].reduced == FS_REDUCED_ROW)
      parts += 2 * em->how->rows * (em->how->threads / 32) * fs_sum_bytes(em_val(em, v));
  return em->how->scratch + parts;
}

static void begin_phases(struct em *ems, struct fs_emitted *outs, int n, const struct em *like,
                         const struct fs_kernel *kernels, const struct fs_device *device) {
  struct fs_schedule_how how = {.is_phase = true};
  int64_t shared = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < n; k++) {
      if (pass) {
        how.reserved = shared - fixed_shared(&ems[k]);
        em_end(&ems[k]);
      }
      ems[k] = *like;
      ems[k].k = &kernels[k];
      ems[k].out = &outs[k];
      em_begin(&ems[k], device, &how);
      if (pass) continue;
      shared += fixed_shared(&ems[k]);
      how.wide |= ems[k].how->wide;
    }
}

void fs_emit_grid(const struct fs_plan *plan, const struct fs_kernel *kernels,
                  int n, const struct fs_device *device, const struct fs_diags *diags,
                  struct fs_emitted *out) {
  *out = (struct fs_emitted){0};
  struct em_grid g = {.kernels = kernels, .n_kernels = n, .out = out,
                      .base = EM_COUNTER_BYTES};
  struct em like = {.plan = plan, .grid = &g};
  struct em *ems = fs_calloc((size_t)n, sizeof *ems);
  struct fs_emitted *outs = fs_calloc((size_t)n, sizeof *outs);
  struct fs_str body = {0}, text = {0};
  out->waits = device->chains;
  for (int k = 0; k < n; k++) g.waits |= fs_kernel_waits(&kernels[k]);
  begin_phases(ems, outs, n, &like, kernels, device);
  g.calls = fs_lp_new(ems[0].w.arena);
  for (int k = 0; k < n; k++) write_phase(&ems[k], k + 1, diags, &body);
  write_entry(&ems[0], &body);
  fs_str_printf(&text, "typedef %s fs_index;\n\n", ems[0].how->wide ? "long long" : "int");
  em_prelude(&body, &text);
  fs_str_put(&text, fs_str_text(&body), body.len);
  out->source = text.data;
  out->work_zeroed = EM_COUNTER_BYTES;
  out->work_base = g.base;
  out->work_per_block = g.per_block;
  for (int k = 0; k < n; k++) {
    take_broken(out, &outs[k]);
    em_end(&ems[k]);
    fs_emitted_free(&outs[k]);
  }
  fs_str_free(&body);
  free(ems);
  free(outs);
}
