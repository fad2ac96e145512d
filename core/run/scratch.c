/* scratch.c - see scratch.h. */
#include "core/run/scratch.h"

#include <time.h>

#include "core/plan/kernels/launches.h"
#include "core/ranks/ranks.h"

/* -- inputs --------------------------------------------------------------------- */

/* Fills `bytes` of a host buffer with numbers between 1 and 2. */
static void harmless(enum fs_dtype dt, char *to, size_t bytes) {
  size_t size = fs_dtype_size(dt);
  for (size_t k = 0; k + size <= bytes; k += size) {
    uint64_t mixed = (k / size + 1) * 0x9e3779b97f4a7c15u >> 44;
    struct fs_number v = {.i = dt == FS_BOOL ? (int64_t)(mixed & 1)
                                             : (int64_t)(1 + mixed % 7),
                          .f = 1 + (double)mixed / (1 << 20)};
    fs_element_put(dt, to + k, v);
  }
}

static enum fs_status stand_in(struct fs_scratch *s, enum fs_dtype dt, size_t bytes,
                               struct fs_storage **out, struct fs_diags *d) {
  enum { PART = 1 << 20 };
  enum fs_status st = fs_storage_new(s->target, bytes, out, d);
  char *part = fs_malloc(PART);
  harmless(dt, part, PART);
  for (size_t at = 0; at < bytes && st == FS_OK; at += PART) {
    int64_t width = (int64_t)FS_MIN(bytes - at, (size_t)PART);
    st = s->target->ops->upload(s->target, (char *)(*out)->ptr + at, width, part, width,
                           width, 1, d);
  }
  free(part);
  s->stand_ins = true;
  return st;
}

/* Whether a call does not go with any numbers: the plan has the count of what a mask
 * chooses, lists are in range, factorisations exist. */
static bool needs_values(const struct fs_node *n, const bool *made_up) {
  if (n->kind != FS_ND_LIB) return false;
  enum fs_lib_op op = (enum fs_lib_op)n->op;
  if (op == FS_LIB_GATHER || op == FS_LIB_COMBINE) return made_up[n->src[1]];
  return op != FS_LIB_GEMM && op != FS_LIB_RESHAPE && !fs_lib_is_along(op) &&
         made_up[n->src[0]];
}

/* Refuses numbers made up for inputs that are gone where those numbers count. */
static enum fs_status check_stand_ins(const struct fs_scratch *s, const bool *gone,
                                      struct fs_diags *d) {
  const struct fs_graph *g = s->block->plan->graph;
  bool *made_up = fs_calloc((size_t)g->nodes.len, sizeof *made_up);
  const struct fs_node *bad = NULL;
  for (int k = 1; k < g->nodes.len && !bad; k++) {
    const struct fs_node *n = &g->nodes.data[k];
    if (n->kind == FS_ND_INPUT) made_up[k] = gone[n->slot];
    for (int x = 0; x < n->n_src; x++) made_up[k] |= made_up[n->src[x]];
    if (needs_values(n, made_up)) bad = n;
  }
  free(made_up);
  if (!bad) return FS_OK;
  return fs_error(d, bad->span, "input-gone",
                  "the block can be timed where it leaves what it reads as it is: y = ... in "
                  "place of x = ...",
                  "%s depends on numbers that are no longer there",
                  fs_lib_op_names[bad->op]);
}

/* The storages that the block's last run read, as far as they are still there. */
static enum fs_status take_inputs(struct fs_scratch *s, bool *gone, struct fs_diags *d) {
  const struct fs_graph *g = s->block->plan->graph;
  s->inputs = fs_calloc((size_t)g->inputs.len + 1, sizeof *s->inputs);
  for (int k = 1; k < g->nodes.len; k++) {
    const struct fs_node *n = &g->nodes.data[k];
    if (n->kind != FS_ND_INPUT || s->inputs[n->slot]) continue;
    const struct fs_block_input *in = &s->block->inputs[n->slot];
    s->inputs[n->slot] = fs_storage_find(in->serial);
    for (int j = 0; j < g->inputs.len && !s->inputs[n->slot]; j++)
      if (j != n->slot && s->inputs[j] &&
          s->block->inputs[j].serial == in->serial)
        s->inputs[n->slot] = fs_storage_ref(s->inputs[j]);
    if (s->inputs[n->slot]) continue;
    gone[n->slot] = true;
    enum fs_status st =
        stand_in(s, n->dtype, in->bytes, &s->inputs[n->slot], d);
    if (st != FS_OK) return st;
  }
  return FS_OK;
}

/* -- one run ----------------------------------------------------------------------- */

struct room {
  struct fs_storage **storages;
  void **ptrs;
};

/* The storage of an input, which another graph of the same block may have in another slot. */
static struct fs_storage *input_of(const struct fs_scratch *s, const struct fs_plan *plan,
                                   int input) {
  const struct fs_graph *own = s->block->plan->graph, *g = plan->graph;
  int k = input;
  if (g == own) return s->inputs[k];
  if (k >= own->inputs.len || own->inputs.data[k].storage != g->inputs.data[input].storage) k = 0;
  while (own->inputs.data[k].storage != g->inputs.data[input].storage) k++;
  return s->inputs[k];
}

static enum fs_status give_slot(struct fs_scratch *s, const struct fs_plan *plan,
                                int slot, struct room *to,
                                struct fs_diags *d) {
  const struct fs_slot *sl = &plan->slots.data[slot];
  if (to->storages[slot]) return FS_OK;
  if (sl->kind == FS_SLOT_PART) {
    to->ptrs[slot] = (char *)to->ptrs[sl->index] + fs_slot_begin(plan, slot);
    return FS_OK;
  }
  enum fs_status st = FS_OK;
  if (sl->kind == FS_SLOT_INPUT) {
    to->storages[slot] = fs_storage_ref(input_of(s, plan, sl->index));
  } else {
    int64_t bytes = fs_mul_size(sl->count, (int64_t)fs_dtype_size(sl->dtype));
    st = fs_storage_new(s->target, (size_t)FS_MAX(bytes, 1), &to->storages[slot], d);
  }
  if (st == FS_OK)
    to->ptrs[slot] = (char *)to->storages[slot]->ptr + fs_slot_begin(plan, slot);
  return st;
}

/* Of several ranks none launches what waits for others that have no memory. */
static enum fs_status begin_together(struct fs_scratch *s, const struct fs_plan *plan,
                                     struct room *to, struct fs_diags *d) {
  enum fs_status st = FS_OK;
  for (int i = 0; fs_ranks() > 1 && i < plan->slots.len && st == FS_OK; i++)
    st = give_slot(s, plan, i, to, d);
  return fs_ranks_agree(st, d);
}

static enum fs_status launch_all(struct fs_scratch *s, struct fs_block *b,
                                 struct room *to, struct fs_diags *d) {
  const struct fs_plan *plan = b->plan;
  for (int k = 0; k < plan->kernels.len; k++) {
    if (fs_interrupted()) return FS_INTERRUPTED;
    for (int i = 0; i < plan->slots.len; i++) {
      const struct fs_slot *sl = &plan->slots.data[i];
      if (sl->first > k || sl->last < k) continue;
      enum fs_status st = give_slot(s, plan, i, to, d);
      if (st != FS_OK) return st;
    }
    enum fs_status st = FS_OK;
    struct fs_timer *timer = s->counter && s->counted == k ? s->counter
                                                           : fs_block_timer(b, s->target, k);
    if (b->codes[k]) /* else it is a phase of the launch before */
      st = s->target->ops->launch(s->target, b->codes[k], to->ptrs, plan->graph->params.data,
                                  timer, d);
    if (st != FS_OK) return st;
    for (int i = 0; i < plan->slots.len; i++) {
      const struct fs_slot *sl = &plan->slots.data[i];
      if (sl->kind != FS_SLOT_TEMP || sl->last != k) continue;
      fs_storage_unref(to->storages[i]);
      to->storages[i] = NULL;
    }
  }
  return FS_OK;
}

/* Whether there is work for more than one thread of a CPU. */
static bool has_work_for_many(const struct fs_plan *plan) {
  enum { ONE_THREAD = 16384 }; /* elements */
  bool many = false;
  for (int k = 0; k < plan->kernels.len; k++)
    many |= plan->kernels.data[k].space.m * plan->kernels.data[k].space.n >= ONE_THREAD;
  return many;
}

/* The threads of a CPU fall asleep between two inputs, and a plan's first kernel calls
 * them; one that came right behind another plan would find them awake, or not. */
static void rest(const struct fs_scratch *s) {
  struct timespec pause = {.tv_nsec = 100000};
  if (fs_target_waits(s->target) && has_work_for_many(s->block->plan)) nanosleep(&pause, NULL);
}

/* The results of a run as tensors, which keep their storages. */
static enum fs_status take_results(struct fs_scratch *s, const struct fs_plan *plan,
                                   struct room *to, struct fs_tensor **results,
                                   struct fs_diags *d) {
  const struct fs_graph *g = plan->graph;
  for (int k = 0; k < g->outputs.len; k++) {
    int slot = plan->result_slot[k], whole = fs_slot_whole(plan, slot);
    const struct fs_node *n = fs_node(g, g->outputs.data[k]);
    enum fs_status st = give_slot(s, plan, slot, to, d);
    if (st != FS_OK) return st;
    struct fs_layout l = plan->result_layout[k];
    l.offset += fs_slot_begin(plan, slot) / (int64_t)fs_dtype_size(n->dtype);
    results[k] = fs_tensor_stored(fs_storage_ref(to->storages[whole]), n->dtype, &n->shape, &l);
  }
  return FS_OK;
}

enum fs_status fs_scratch_run(struct fs_scratch *s, struct fs_block *b, double *each,
                              struct fs_tensor **results, struct fs_diags *d) {
  size_t n = (size_t)b->plan->slots.len + 1;
  struct room to = {fs_calloc(n, sizeof *to.storages), fs_calloc(n, sizeof *to.ptrs)};
  rest(s);
  enum fs_status st = begin_together(s, b->plan, &to, d);
  if (st == FS_OK) st = launch_all(s, b, &to, d);
  if (st == FS_OK) st = s->target->ops->sync(s->target, d);
  for (int k = 0; each && k < b->plan->kernels.len && st == FS_OK; k++)
    each[k] = b->codes[k] ? s->target->ops->timer_seconds(s->target, b->timers[k]) : 0;
  if (each && st == FS_OK) /* by which all decide */
    st = fs_ranks_share(each, (size_t)b->plan->kernels.len * sizeof *each, d);
  if (st == FS_OK && results) st = take_results(s, b->plan, &to, results, d);
  for (size_t k = 0; k + 1 < n; k++) fs_storage_unref(to.storages[k]);
  free(to.storages);
  free(to.ptrs);
  return st;
}

/* -- from beginning to end ------------------------------------------------------- */

enum fs_status fs_scratch_open(struct fs_scratch *s, struct fs_target *target,
                               const struct fs_block *block, struct fs_diags *d) {
  *s = (struct fs_scratch){.target = target, .block = block};
  bool *gone = fs_calloc((size_t)block->plan->graph->inputs.len + 1, sizeof *gone);
  enum fs_status st = take_inputs(s, gone, d);
  if (st == FS_OK) st = check_stand_ins(s, gone, d);
  free(gone);
  return st;
}

void fs_scratch_close(struct fs_scratch *s) {
  for (int k = 0; s->inputs && k < s->block->plan->graph->inputs.len; k++)
    fs_storage_unref(s->inputs[k]);
  free(s->inputs);
  s->inputs = NULL;
}
