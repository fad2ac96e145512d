/* launch.c - one run of a block: storage, updates that happen in place, kernels, results.
 *
 * Results replace the lazy handles only after every kernel was launched, so a
 * block that fails or is interrupted changes nothing; but see mark_overwritten().
 */
#include "core/run/launch.h"

#include "core/base/account.h"
#include "core/plan/plan.h"

enum fs_status fs_launch_slot(struct fs_launch *l, int slot,
                              struct fs_diags *d) {
  const struct fs_plan *plan = l->block->plan;
  const struct fs_slot *s = &plan->slots.data[slot];
  struct fs_storage **storage = &l->now->storages[slot];
  if (*storage) return FS_OK;
  if (s->kind == FS_SLOT_PART) { /* behind the slot that it is a part of */
    l->now->ptrs[slot] = (char *)l->now->ptrs[s->index] + fs_slot_begin(plan, slot);
    return FS_OK;
  }
  if (s->kind == FS_SLOT_INPUT) {
    *storage = fs_storage_ref(l->now->inputs[s->index]->storage);
  } else {
    int64_t bytes = fs_mul_size(s->count, (int64_t)fs_dtype_size(s->dtype));
    enum fs_status st = fs_storage_new(
        l->r->target, (size_t)FS_MAX(bytes, 1), storage, d);
    if (st != FS_OK) return st;
  }
  l->now->ptrs[slot] = (char *)(*storage)->ptr + fs_slot_begin(plan, slot);
  return FS_OK;
}

bool fs_launch_dies(const struct fs_launch *l, int input) {
  if (l->dying) return l->dying[input];
  for (int k = 0; k < l->traced->inputs.len; k++)
    if (l->traced->inputs.data[k].tensor == l->now->inputs[input])
      return l->traced->inputs.data[k].dying;
  return false;
}

/* Whether a result lies in the storage of an input: `w = -(-x)` is x, `w = -(-x')` another
 * view of it, whatever their handles. */
static bool is_result(const struct fs_launch *l, int input) {
  const struct fs_plan *plan = l->block->plan;
  const struct fs_storage *old = l->now->inputs[plan->slots.data[input].index]->storage;
  for (int k = 0; k < plan->graph->outputs.len; k++) {
    const struct fs_slot *s = &plan->slots.data[plan->result_slot[k]];
    if (s->kind == FS_SLOT_INPUT && l->now->inputs[s->index]->storage == old) return true;
  }
  return false;
}

/* Whether a library call behind kernel k may refuse what it is given: a singular
 * matrix, an index out of range. Then the block changes nothing, so old values stay. */
static bool may_stop_behind(const struct fs_plan *plan, int k) {
  for (int i = k + 1; i < plan->kernels.len; i++) {
    const struct fs_kernel *kn = &plan->kernels.data[i];
    if (!kn->lib_node) continue;
    const struct fs_node *call = fs_node(plan->graph, kn->lib_node);
    if (call->op != FS_LIB_GEMM && !(call->lib_flags & FS_LIB_IN_RANGE)) return true;
  }
  return false;
}

/* Whether kernel k, which makes `to` a copy of the input `from`, can be left out
 * because the update may write where the old value lies: nobody wants that value
 * after the block, no kernel reads what is overwritten, and the block will come to its
 * end. */
static bool may_take_over(const struct fs_launch *l, int k, int from, int to) {
  const struct fs_plan *plan = l->block->plan;
  const struct fs_slot *a = &plan->slots.data[from], *b = &plan->slots.data[to];
  if (!plan->kernels.data[k].in_place) return false;
  if (is_result(l, from) || may_stop_behind(plan, k)) return false;
  if (fs_slot_begin(plan, from)) return false;
  size_t bytes = (size_t)b->count * fs_dtype_size(b->dtype);
  return fs_launch_dies(l, a->index) && l->now->inputs[a->index]->storage->bytes >= bytes;
}

/* Whether the result of another update lies there already: of two of one value, the
 * other needs the copy, which is made before that result overwrites it. */
static bool is_taken(const struct fs_launch *l, int to, const struct fs_storage *s) {
  const struct fs_plan *plan = l->block->plan;
  for (int k = 0; k < plan->slots.len; k++)
    if (k != to && plan->slots.data[k].kind != FS_SLOT_INPUT && l->now->storages[k] == s)
      return true;
  return false;
}

bool fs_launch_takes_over(const struct fs_launch *l) {
  return l->left_out < l->block->plan->kernels.len;
}

enum fs_status fs_launch_take_over(struct fs_launch *l, struct fs_diags *d) {
  const struct fs_plan *plan = l->block->plan;
  l->left_out = plan->kernels.len;
  for (int k = 0; k < plan->kernels.len; k++) {
    const struct fs_kernel *kn = &plan->kernels.data[k];
    if (!kn->in_place) continue;
    int from = kn->accesses.data[0].slot, to = kn->accesses.data[1].slot;
    if (!may_take_over(l, k, from, to)) continue;
    struct fs_tensor *t = l->now->inputs[plan->slots.data[from].index];
    if (is_taken(l, to, t->storage)) continue;
    if (!l->now->storages[to]) l->now->storages[to] = fs_storage_ref(t->storage);
    t->storage->list_to = 0;
    l->now->ptrs[to] = t->storage->ptr; /* several copies may be of one update */
    l->now->skip[k] = true;
    l->left_out = FS_MIN(l->left_out, k);
  }
  for (int s = 0; fs_launch_takes_over(l) && s < plan->slots.len; s++) {
    enum fs_status st = fs_launch_slot(l, s, d);
    if (st != FS_OK) return st;
  }
  if (fs_launch_takes_over(l) && fs_interrupted()) return FS_INTERRUPTED;
  return FS_OK;
}

struct fs_tensor *fs_launch_taken(const struct fs_launch *l, int k) {
  const struct fs_plan *plan = l->block->plan;
  if (!l->now->skip[k]) return NULL;
  return l->now->inputs[plan->slots.data[plan->kernels.data[k].accesses.data[0].slot].index];
}

static bool is_of(const struct fs_plan *plan, int slot, int whole) {
  const struct fs_slot *s = &plan->slots.data[slot];
  return slot == whole || (s->kind == FS_SLOT_PART && s->index == whole);
}

/* Whether the launch that begins with kernel `first` has to do with a slot. */
static bool uses(const struct fs_plan *plan, int first, int slot) {
  for (int k = first; k < fs_launch_end(plan, first); k++) {
    const struct fs_kernel *kn = &plan->kernels.data[k];
    if (kn->lib_node && is_of(plan, kn->lib_slots[0], slot)) return true;
    for (int a = 0; a < kn->accesses.len; a++)
      if (is_of(plan, kn->accesses.data[a].slot, slot)) return true;
  }
  return false;
}

/* Old values that the launch of kernel k overwrites are lost until all others were started,
 * too, for that may fail, or jump; then somebody has them still who would take them for
 * what they were. */
static void mark_overwritten(struct fs_launch *l, int k) {
  const struct fs_plan *plan = l->block->plan;
  for (int copy = l->left_out; copy < k; copy++) {
    struct fs_tensor *t = fs_launch_taken(l, copy);
    if (!t || !uses(plan, k, plan->kernels.data[copy].accesses.data[1].slot)) continue;
    t->state = FS_TS_LOST;
    l->overwrites = true;
  }
}

void fs_launch_end_overwriting(struct fs_launch *l, bool good) {
  for (int k = l->left_out; k < l->block->plan->kernels.len; k++) {
    struct fs_tensor *t = fs_launch_taken(l, k);
    if (!t || t->state != FS_TS_LOST) continue;
    if (good) t->state = FS_TS_STORED;
    else fs_storage_unref(t->storage);
    if (!good) t->storage = NULL;
  }
}

static void drop_dead_temps(struct fs_launch *l, int kernel) {
  const struct fs_block *b = l->block;
  for (int s = b->slot_at[1][kernel] - 1; s >= 0; s = b->next_slot[1][s] - 1) {
    if (b->plan->slots.data[s].kind != FS_SLOT_TEMP) continue;
    fs_storage_unref(l->now->storages[s]);
    l->now->storages[s] = NULL;
  }
}

static enum fs_status launch_all(struct fs_launch *l, bool timed,
                                 struct fs_diags *d) {
  const struct fs_plan *plan = l->block->plan;
  const struct fs_target_ops *ops = l->r->target->ops;
  for (int k = 0; k < plan->kernels.len; k++) {
    if (fs_interrupted()) return FS_INTERRUPTED;
    if (l->now->skip[k]) continue; /* fs_launch_take_over() made all storage */
    for (int s = l->block->slot_at[0][k] - 1; s >= 0; s = l->block->next_slot[0][s] - 1) {
      enum fs_status st = fs_launch_slot(l, s, d);
      if (st != FS_OK) return st;
    }
    enum fs_status st = FS_OK;
    if (l->block->codes[k]) /* else it is a phase of the launch before */
      st = ops->launch(l->r->target, l->block->codes[k], l->now->ptrs,
                       l->now->params,
                       timed ? fs_block_timer(l->block, l->r->target, k) : NULL, d);
    if (st != FS_OK) return st;
    if (fs_launch_takes_over(l)) mark_overwritten(l, k);
    drop_dead_temps(l, k);
  }
  return FS_OK;
}

/* Of values that were marked before a launch that failed, those that no kernel before
 * `begun` overwrites are as they were. */
static void spare_others(struct fs_launch *l, int begun) {
  for (int k = l->left_out; k < l->block->plan->kernels.len; k++)
    if (fs_launch_taken(l, k)) fs_launch_taken(l, k)->state = FS_TS_STORED;
  for (int k = l->left_out + 1; k < begun; k++)
    if (l->now->codes[k]) mark_overwritten(l, k);
}

/* The same in one call of the target, where no kernel is timed. As a rule it is always the
 * same kernels that are left out, if any: the target sees to others. */
static enum fs_status launch_at_once(struct fs_launch *l, struct fs_diags *d) {
  struct fs_block *b = l->block;
  int last = 0, begun = 0;
  if (fs_interrupted()) return FS_INTERRUPTED;
  for (int k = 0; k < b->plan->kernels.len; k++) {
    l->now->codes[k] = l->now->skip[k] ? NULL : b->codes[k];
    if (l->now->codes[k]) last = k;
  }
  for (int s = 0; s < b->plan->slots.len; s++) {
    enum fs_status st = fs_launch_slot(l, s, d);
    if (st != FS_OK) return st;
  }
  for (int k = l->left_out + 1; k < last; k++) /* a jump does not tell where it came from */
    if (l->now->codes[k]) mark_overwritten(l, k);
  enum fs_status st = l->r->target->ops->launch_all(
      l->r->target, &b->replay, b->plan->kernels.len, l->now->codes, l->now->ptrs,
      l->now->params, &begun, d);
  if (st != FS_OK) spare_others(l, begun);
  return st;
}

/* The storage of the list that a call has looked at, if it is an input and the first
 * *count elements of the storage; NULL: there is none. */
static struct fs_storage *list_of(const struct fs_launch *l, const struct fs_kernel *kn,
                                  int64_t *count, int64_t *extent) {
  const struct fs_graph *g = l->block->plan->graph;
  if (!kn->lib_node) return NULL;
  const struct fs_node *call = fs_node(g, kn->lib_node);
  bool gathers = call->op == FS_LIB_GATHER;
  bool combines = call->op == FS_LIB_COMBINE;
  if ((call->lib_flags & FS_LIB_IN_RANGE) ||
      !(gathers || combines || call->op == FS_LIB_INVERT))
    return NULL;
  const struct fs_node *list = fs_node(g, call->src[gathers || combines]);
  if (list->kind != FS_ND_INPUT || list->shape.rank != 1) return NULL;
  const struct fs_layout *layout = &g->inputs.data[list->slot].layout;
  struct fs_storage *s = l->now->inputs[list->slot]->storage;
  *count = list->shape.dim[0];
  *extent = gathers    ? fs_shape_dim(&call->lib_shape[0], 0)
            : combines ? fs_shape_dim(&call->lib_shape[0], 0) - *count
                       : fs_shape_count(&call->shape);
  return !layout->offset && layout->stride[0] == 1 ? s : NULL;
}

void fs_launch_remember_lists(struct fs_launch *l) {
  const struct fs_plan *plan = l->block->plan;
  int64_t count, extent;
  for (int k = 0; k < plan->kernels.len; k++) {
    struct fs_storage *s = list_of(l, &plan->kernels.data[k], &count, &extent);
    if (!s) continue;
    bool known = s->list_to && s->listed >= count;
    s->list_to = known ? FS_MIN(s->list_to, extent) : extent;
    s->listed = count;
  }
  for (int k = 0; k < plan->slots.len; k++)
    if (plan->slots.data[k].kind != FS_SLOT_INPUT && l->now->storages[k])
      l->now->storages[k]->list_to = 0;
}

struct fs_layout fs_unsqueeze(const struct fs_layout *squeezed,
                              const struct fs_shape *shape) {
  struct fs_layout l = {.offset = squeezed->offset};
  int axis = 0;
  for (int k = 0; k < shape->rank; k++)
    if (shape->dim[k] != 1) l.stride[k] = squeezed->stride[axis++];
  return l;
}

/* What is known of the results goes by what is known of this run's inputs. */
static void know_inputs(const struct fs_launch *l) {
  struct fs_graph *g = (struct fs_graph *)l->block->plan->graph;
  for (int k = 0; k < g->inputs.len; k++)
    g->inputs.data[k].known = l->now->inputs[k]->storage->cut.part
                                  ? (struct fs_known){0}
                                  : fs_tensor_known(l->now->inputs[k]);
}

static int axis_of_output(const struct fs_graph *g, int output) {
  return g->output_axes.len ? g->output_axes.data[output] : -1;
}

/* How a result lies that this rank has a part of. */
static struct fs_layout lay_over_ranks(const struct fs_launch *l, int output,
                                       const struct fs_tensor *t, struct fs_layout own) {
  const struct fs_plan *plan = l->block->plan;
  const struct fs_shape *shape = &fs_node(plan->graph, plan->graph->outputs.data[output])->shape;
  int axis = plan->graph->output_axes.data[output], axis_of[FS_MAX_RANK];
  struct fs_shape all = fs_squeeze(&t->shape, axis_of);
  struct fs_cut *cut = &t->storage->cut;
  int64_t elements = (int64_t)(t->storage->bytes / fs_dtype_size(t->dtype));
  if (!cut->part) *cut = fs_cut_of(axis, all.dim[axis], &own, shape);
  cut->outer = FS_MAX(1, elements / cut->block);
  fs_cut_widen(cut, &own, shape->rank);
  return own;
}

static unsigned triangle_of(const struct fs_launch *l, int output) {
  const struct fs_graph *g = l->block->plan->graph;
  const struct fs_shape *s = &fs_node(g, g->outputs.data[output])->shape;
  if (s->rank != 2 || s->dim[0] != s->dim[1] || axis_of_output(g, output) >= 0) return 0;
  know_inputs(l);
  return fs_graph_triangle(g, g->outputs.data[output]);
}

enum fs_status fs_launch_give_results(struct fs_launch *l, struct fs_tensor **handles,
                                      struct fs_diags *d) {
  const struct fs_plan *plan = l->block->plan;
  int n = plan->graph->outputs.len;
  for (int k = 0; k < n; k++) {
    enum fs_status st = fs_launch_slot(l, plan->result_slot[k], d);
    if (st != FS_OK) return st;
  }
  for (int k = 0; k < n; k++) {
    struct fs_tensor *t = handles[k];
    t->state = FS_TS_STORED;
    t->storage = fs_storage_ref(l->now->storages[plan->result_slot[k]]);
    struct fs_layout layout = plan->result_layout[k];
    layout.offset += fs_slot_begin(plan, plan->result_slot[k]) / (int64_t)fs_dtype_size(t->dtype);
    int axis = axis_of_output(plan->graph, k); /* one element for all indices is as good whole */
    if (axis >= 0 && layout.stride[axis]) layout = lay_over_ranks(l, k, t, layout);
    t->layout = fs_unsqueeze(&layout, &t->shape);
    t->triangle = triangle_of(l, k);
    t->graph = NULL;
    t->node = 0;
  }
  return FS_OK;
}

void fs_launch_clear(const struct fs_launch *l) {
  size_t slots = (size_t)l->block->plan->slots.len;
  memset(l->now->storages, 0, slots * sizeof *l->now->storages);
  memset(l->now->skip, 0, (size_t)l->block->plan->kernels.len);
}

enum fs_status fs_launch_start(struct fs_launch *l, bool timed, struct fs_diags *d) {
  struct fs_block *b = l->block;
  enum fs_part part = fs_account_kernels(), before = fs_account.part;
  double *all = &fs_account.seconds[part], earlier = *all;
  b->seconds = -1;
  if (!fs_target_waits(l->r->target)) {
    bool at_once = !timed && b->at_once && l->r->target->ops->launch_all != NULL;
    return at_once ? launch_at_once(l, d) : launch_all(l, timed, d);
  }
  fs_account_to(part);
  enum fs_status st = launch_all(l, timed, d);
  fs_account_to(before);
  b->seconds = *all - earlier;
  b->row = (struct fs_times){0};
  fs_times_add(&b->row, b->seconds);
  return st;
}
