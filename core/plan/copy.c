/* copy.c - kernels that give an UPDATE the base that it changes a part of.
 *
 * Where the base has other readers the update goes to new storage, and what it leaves of
 * the base is copied there. Where that is little, only that is: the slabs around the box
 * that is replaced, two that lie opposite by one kernel.
 *
 *     U[2:end-1, 2:end-1] = f(U)      k1 copies the first and the last row,
 *                                     k2 the rest of the first and the last column
 *
 * run.c leaves copies out where nobody wants the old value after the block, and what the
 * update reads of it lies elsewhere or is the element that it replaces:
 *
 *     A[k+1:end, k+1:end] -= u * A[k, k+1:end]      no copy, if A was A's only name
 */
#include "core/plan/place.h"
#include "core/plan/planner.h"

/* A copy of all but a box pays up to this share of the base, slabs of several kernels up
 * to the other. */
static const double MOST_OF_ONE = 0.5, MOST_OF_SEVERAL = 0.125;

bool fs_plan_needs_copy(const struct fs_planner *p, fs_id update) {
  const struct fs_node *nd = fs_node(p->g, update);
  if (!nd->src[0]) return false;
  const struct fs_node *base = fs_node(p->g, nd->src[0]);
  const struct fs_call_info *info = &p->info[nd->src[0]];
  bool ours = base->kind != FS_ND_INPUT && base->kind != FS_ND_VIEW;
  return !(ours && info->n_uses == 1 && !info->is_output);
}

/* -- what is copied ---------------------------------------------------------------- */

/* Elements of the base, and where they go. */
struct piece {
  int rank;
  int64_t dim[FS_MAX_RANK];
  int64_t from, from_stride[FS_MAX_RANK];
  int64_t to, to_stride[FS_MAX_RANK];
};

struct box {
  int64_t from[FS_MAX_RANK], count[FS_MAX_RANK];
};

static struct piece all_of(const struct fs_graph *g, fs_id update) {
  const struct fs_node *nd = fs_node(g, update);
  struct fs_layout from = fs_plan_layout(g, nd->src[0]);
  struct fs_layout to = fs_plan_layout(g, update);
  struct piece x = {.rank = nd->shape.rank, .from = from.offset, .to = to.offset};
  for (int a = 0; a < x.rank; a++) {
    x.dim[a] = nd->shape.dim[a];
    x.from_stride[a] = from.stride[a];
    x.to_stride[a] = to.stride[a];
  }
  return x;
}

/* The box that an update replaces; false if what it replaces has gaps. */
static bool box_of(const struct fs_graph *g, const struct fs_node *nd, struct box *b) {
  const struct fs_shape *part = &fs_node(g, nd->src[1])->shape;
  unsigned seen = 0;
  for (int s = 0; s < nd->shape.rank; s++) {
    int a = nd->view.axis[s];
    b->from[s] = nd->view.off[s];
    b->count[s] = a < 0 ? 1 : part->dim[a];
    if (a >= 0 && (nd->view.step[s] != 1 || seen >> a & 1)) return false;
    if (a >= 0) seen |= 1u << a;
  }
  return true;
}

/* Whether the block surely wants the base itself: another node reads it, or an input
 * that lies where it does. */
static bool is_read_beside(const struct fs_planner *p, fs_id update) {
  const struct fs_graph *g = p->g;
  fs_id base = fs_node(g, update)->src[0];
  const struct fs_node *in = fs_node(g, base);
  if (in->kind != FS_ND_INPUT) return true; /* else it would need no copy */
  for (int id = 1; id < g->nodes.len; id++) {
    const struct fs_node *n = fs_node(g, (fs_id)id);
    for (int k = 0; k < n->n_src; k++) {
      const struct fs_node *s = fs_node(g, n->src[k]);
      if (s->kind == FS_ND_INPUT && !((fs_id)id == update && k == 0) &&
          g->inputs.data[s->slot].storage == g->inputs.data[in->slot].storage)
        return true;
    }
  }
  return false;
}

/* `x` without axes of one element. */
static void squeeze(struct piece *x) {
  int rank = 0;
  for (int a = 0; a < x->rank; a++) {
    if (x->dim[a] == 1) continue;
    x->dim[rank] = x->dim[a];
    x->from_stride[rank] = x->from_stride[a];
    x->to_stride[rank++] = x->to_stride[a];
  }
  x->rank = rank;
}

/* The `count` elements from `from` on along an axis. */
static void cut(struct piece *x, int axis, int64_t from, int64_t count) {
  x->from += from * x->from_stride[axis];
  x->to += from * x->to_stride[axis];
  x->dim[axis] = count;
}

/* Takes in as well what lies `apart` behind it along an axis, if there is room for
 * the axis that leads there. */
static bool pair_up(struct piece *x, int axis, int64_t apart) {
  struct piece one = *x;
  int64_t from = apart * x->from_stride[axis], to = apart * x->to_stride[axis];
  squeeze(&one);
  if (one.rank == FS_MAX_RANK) return false;
  int at = FS_MIN(axis, one.rank); /* rows of a matrix stay behind it */
  for (int a = one.rank++; a > at; a--) {
    one.dim[a] = one.dim[a - 1];
    one.from_stride[a] = one.from_stride[a - 1];
    one.to_stride[a] = one.to_stride[a - 1];
  }
  one.dim[at] = 2;
  one.from_stride[at] = from;
  one.to_stride[at] = to;
  *x = one;
  return true;
}

/* The slabs around a box: of each axis, within the box along those before it. */
static int slabs_around(const struct piece *all, const struct box *b,
                        struct piece out[FS_MOST_COPIES]) {
  struct piece rest = *all;
  int n = 0;
  for (int s = 0; s < all->rank; s++) {
    int64_t low = b->from[s], high = all->dim[s] - low - b->count[s];
    struct piece x = rest, y = rest;
    cut(&x, s, 0, low);
    cut(&y, s, low + b->count[s], high);
    if (low == high && low > 0 && pair_up(&x, s, low + b->count[s])) high = 0;
    if (low > 0) out[n++] = x;
    if (high > 0) out[n++] = y;
    cut(&rest, s, low, b->count[s]);
  }
  return n;
}

/* What is copied for an update; *around: less than all. */
static int pieces_of(const struct fs_planner *p, fs_id update,
                     struct piece out[FS_MOST_COPIES], bool *around) {
  const struct fs_node *nd = fs_node(p->g, update);
  struct piece all = all_of(p->g, update);
  struct box b;
  double count = (double)fs_shape_count(&nd->shape), rest = count, part = 1;
  *around = all.rank > 0 && count > 0 && box_of(p->g, nd, &b) && is_read_beside(p, update);
  for (int s = 0; *around && s < all.rank; s++) part *= (double)b.count[s];
  if (*around) rest -= part;
  int n = *around && part > 0 ? slabs_around(&all, &b, out) : 0;
  *around = n > 0 && rest <= count * (n > 1 ? MOST_OF_SEVERAL : MOST_OF_ONE);
  if (*around) return n;
  out[0] = all;
  return 1;
}

/* -- its kernels --------------------------------------------------------------------- */

static void copy_kernel(struct fs_planner *p, fs_id update, const struct piece *x,
                        bool around, struct fs_kernel *k) {
  const struct fs_node *nd = fs_node(p->g, update);
  *k = (struct fs_kernel){.scheme = FS_FLAT, .is_copy = true, .around = around,
                          .n_phases = 1, .any_size = p->options->any_size};
  k->space.n_inner = FS_MAX(1, x->rank);
  k->space.dim[0] = 1;
  uint8_t varies = x->rank ? FS_VARIES_J : 0;
  struct fs_access *a = FS_PUSH(&k->accesses);
  *a = (struct fs_access){.slot = (int)fs_plan_base(p->g, nd->src[0]),
                          .dtype = nd->dtype, .offset = x->from, .varies = varies};
  struct fs_access *b = FS_PUSH(&k->accesses);
  *b = (struct fs_access){.slot = (int)update, .dtype = nd->dtype, .offset = x->to,
                          .varies = varies};
  a = &k->accesses.data[0];
  for (int s = 0; s < x->rank; s++) {
    k->space.dim[s] = x->dim[s];
    a->stride[s] = x->from_stride[s];
    b->stride[s] = x->to_stride[s];
  }
  int v = fs_kernel_value(k, nd->dtype, varies, 0);
  fs_kernel_step(k, FS_SP_LOAD, 0, v, nd->src[0])->access = 0;
  struct fs_step *s = fs_kernel_step(k, FS_SP_STORE, 0, -1, update);
  s->in[0] = v;
  s->access = 1;
  fs_place_collapse(k);
  fs_tune(k, p->device);
  fs_kernel_price(p, k);
  fs_kernel_place(k);
}

int fs_kernel_copies(struct fs_planner *p, fs_id update,
                     struct fs_kernel out[FS_MOST_COPIES]) {
  struct piece pieces[FS_MOST_COPIES];
  bool around;
  int n = pieces_of(p, update, pieces, &around);
  for (int k = 0; k < n; k++) {
    if (around) squeeze(&pieces[k]);
    copy_kernel(p, update, &pieces[k], around, &out[k]);
  }
  return n;
}

/* -- what may be left out ------------------------------------------------------------ */

/* The elements of an access from `anchor` on, as a box of the storage that `l` lies over;
 * false if they make none. */
static bool box_in(const struct fs_kernel *k, const struct fs_access *a, int64_t anchor,
                   const struct fs_layout *l, const struct fs_shape *shape,
                   struct box *b) {
  int64_t rest = anchor + a->offset - l->offset;
  for (int x = 0; x < shape->rank; x++) { /* strides descend in what is stored whole */
    if (l->stride[x] <= 0 || rest < 0) return false;
    b->from[x] = rest / l->stride[x];
    b->count[x] = 1;
    rest %= l->stride[x];
  }
  if (rest) return false;
  for (int axis = 0; axis < k->space.n_outer + k->space.n_inner; axis++) {
    int64_t n = k->space.dim[axis], stride = a->stride[axis];
    int x = 0;
    if (n == 1 || !stride) continue;
    while (x < shape->rank && (stride < l->stride[x] || stride % l->stride[x])) x++;
    if (x == shape->rank) return false;
    b->count[x] += (n - 1) * (stride / l->stride[x]);
  }
  for (int x = 0; x < shape->rank; x++)
    if (b->from[x] + b->count[x] > shape->dim[x]) return false;
  return true;
}

static bool are_apart(const struct box *a, const struct box *b, int rank) {
  for (int x = 0; x < rank; x++)
    if (a->from[x] + a->count[x] <= b->from[x] || b->from[x] + b->count[x] <= a->from[x])
      return true;
  return false;
}

/* Whether each thread that stores an element has loaded it there itself, and is done
 * with it, and no other has it to load: along an axis on which the place does not hang
 * all threads load it. `store` is a step of the kernel. */
static bool is_loaded_before(const struct fs_kernel *k, const struct fs_access *a,
                             const struct fs_access *to, int store) {
  if (a->offset != to->offset || a->varies != to->varies ||
      memcmp(a->stride, to->stride, sizeof a->stride))
    return false;
  for (int axis = 0; axis < k->space.n_outer + k->space.n_inner; axis++)
    if (k->space.dim[axis] > 1 && !a->stride[axis]) return false;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->kind != FS_SP_LOAD || &k->accesses.data[s->access] != a) continue;
    for (int u = store + 1; u < k->steps.len; u++)
      FS_EACH_IN(&k->steps.data[u], x)
        if (k->steps.data[u].in[x] == s->out) return false;
    if (i > store) return false;
  }
  return true;
}

/* A launch of its own that goes once over its elements, each of them by one thread. */
static bool is_plain(const struct fs_plan *plan, int kernel) {
  const struct fs_kernel *k = &plan->kernels.data[kernel];
  bool alone = fs_launch_first(plan, kernel) == kernel &&
               fs_launch_end(plan, kernel) == kernel + 1;
  if (!alone || (k->scheme != FS_FLAT && k->scheme != FS_ROW) || k->n_phases != 1 ||
      k->has_end || k->tune.cluster > 1)
    return false;
  for (int i = 0; i < k->steps.len; i++)
    if (k->steps.data[i].kind == FS_SP_REDUCE || k->steps.data[i].user) return false;
  return true;
}

/* The kernel and the step that store an update. */
static bool find_store(const struct fs_plan *plan, fs_id update, int *kernel, int *step) {
  for (*kernel = 0; *kernel < plan->kernels.len; ++*kernel) {
    const struct fs_kernel *k = &plan->kernels.data[*kernel];
    for (*step = 0; !k->is_copy && *step < k->steps.len; ++*step)
      if (k->steps.data[*step].kind == FS_SP_STORE && k->steps.data[*step].node == update)
        return true;
  }
  return false;
}

/* Whether two slots are inputs of one storage. */
static bool lie_together(const struct fs_plan *plan, int a, int b) {
  const struct fs_slot *x = &plan->slots.data[a], *y = &plan->slots.data[b];
  return a == b || (x->kind == FS_SLOT_INPUT && y->kind == FS_SLOT_INPUT &&
                    plan->graph->inputs.data[x->index].storage ==
                        plan->graph->inputs.data[y->index].storage);
}

/* Whether an access of the kernel that stores the update may stay when that happens
 * in place. What shares elements with the part has its anchor, and stays as far from it; what
 * has another one never shares any. */
static bool stays_right(const struct fs_plan *plan, const struct fs_kernel *k, int step,
                        const struct fs_access *a) {
  const struct fs_access *to = &k->accesses.data[k->steps.data[step].access];
  const struct fs_slot *slot = &plan->slots.data[to->slot];
  const struct fs_node *update = fs_node(plan->graph, k->steps.data[step].node);
  const struct fs_graph_input *in =
      &plan->graph->inputs.data[plan->slots.data[a->slot].index];
  struct box read, written;
  if (a->list || fs_access_is_list(k, (int)(a - k->accesses.data))) return false;
  if (in->anchored == update->anchored && is_loaded_before(k, a, to, step)) return true;
  return box_in(k, a, in->anchor, &slot->layout, &slot->shape, &read) &&
         box_in(k, to, update->anchor, &slot->layout, &slot->shape, &written) &&
         are_apart(&read, &written, slot->shape.rank);
}

/* One number for all elements, or another order of them, is no storage for the result. */
static bool lie_alike(const struct fs_slot *a, const struct fs_slot *b) {
  bool same = a->dtype == b->dtype && a->layout.offset == b->layout.offset;
  for (int k = 0; k < a->shape.rank; k++)
    same &= a->layout.stride[k] == b->layout.stride[k];
  return same;
}

/* What kernels before the update read, they have read. */
static bool may_be_left_out(const struct fs_plan *plan, int copy) {
  const struct fs_kernel *c = &plan->kernels.data[copy];
  int base = c->accesses.data[0].slot, at, step;
  if (plan->slots.data[base].kind != FS_SLOT_INPUT) return false;
  if (!lie_alike(&plan->slots.data[base], &plan->slots.data[c->accesses.data[1].slot]))
    return false;
  if (!find_store(plan, c->steps.data[c->steps.len - 1].node, &at, &step)) return false;
  bool plain = is_plain(plan, at);
  for (int q = 0; q < plan->kernels.len; q++) {
    const struct fs_kernel *k = &plan->kernels.data[q];
    if (q == copy || fs_launch_end(plan, q) <= fs_launch_first(plan, at)) continue;
    for (int l = 0; k->scheme == FS_LIBRARY && l < 3; l++)
      if (k->lib_slots[l] >= 0 && lie_together(plan, k->lib_slots[l], base)) return false;
    for (int a = 0; a < k->accesses.len; a++)
      if (lie_together(plan, k->accesses.data[a].slot, base) &&
          !(q == at && plain && stays_right(plan, k, step, &k->accesses.data[a])))
        return false;
  }
  return true;
}

/* Whether nobody seems to want the base of a copy after the block. */
static bool base_dies(const struct fs_plan *plan, const struct fs_kernel *copy) {
  const struct fs_slot *base = &plan->slots.data[copy->accesses.data[0].slot];
  return base->kind == FS_SLOT_INPUT && plan->graph->inputs.data[base->index].dying;
}

void fs_plan_find_in_place(struct fs_plan *plan) {
  for (int k = 0; k < plan->kernels.len; k++) {
    struct fs_kernel *kn = &plan->kernels.data[k];
    bool may = kn->is_copy && (!kn->around || base_dies(plan, kn));
    kn->in_place = may && may_be_left_out(plan, k);
  }
}

bool fs_plan_may_overwrite(const struct fs_plan *plan, int stored, int loaded) {
  stored = fs_slot_whole(plan, stored);
  loaded = fs_slot_whole(plan, loaded);
  const struct fs_slot *s = &plan->slots.data[stored];
  if (stored == loaded) return true;
  if (s->kind == FS_SLOT_INPUT || !s->node ||
      fs_node(plan->graph, s->node)->kind != FS_ND_UPDATE)
    return false;
  for (int k = 0; k < plan->kernels.len; k++) {
    const struct fs_kernel *c = &plan->kernels.data[k];
    if (c->in_place && c->accesses.data[1].slot == stored)
      return lie_together(plan, c->accesses.data[0].slot, loaded);
  }
  return false;
}

bool fs_plan_leaves_out(const struct fs_plan *plan, int kernel) {
  const struct fs_kernel *k = &plan->kernels.data[kernel];
  return k->in_place && base_dies(plan, k);
}

struct fs_expected fs_plan_expects(const struct fs_plan *plan) {
  struct fs_expected e = {0};
  for (int k = 0; k < plan->kernels.len; k++) {
    const struct fs_kernel *kn = &plan->kernels.data[k];
    if (fs_plan_leaves_out(plan, k)) continue;
    e.first += kn->first;
    e.predicted += kn->predicted;
    e.bytes += kn->bytes_read + kn->bytes_written;
    e.launches += kn->joint == FS_LAUNCH;
  }
  return e;
}
