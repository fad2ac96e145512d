/* in_place.c - updates that happen where the old value lies, so that the copy of the base
 * is left out.
 *
 * run.c leaves it out where nobody wants the old value after the block, and whatever reads of
 * it once the update has begun lies elsewhere or is the element that is replaced:
 *
 *     A[k+1:end, k+1:end] -= u * A[k, k+1:end]      no copy, if A was A's only name
 *
 * Where something else is read, too, less than the base has to be copied: that, before the
 * update; or the new value is made beside, and put into its place when all have read. It is
 * what is less.
 *
 *     A[k, :] = A[k, :] / A[k, k]                   k1 copies A[k, k]
 *     A[k, 1] = sum(A)                              k1 adds, k2 copies the sum
 */
#include <math.h>

#include "core/plan/kernels/inside.h"

/* Where the base seems to outlive the block, as in the first round of a loop it may, what
 * is copied beside is at most this share of it. */
static const double MOST_BESIDE = 0.125;

/* -- what may be left out ------------------------------------------------------------ */

/* Where an update is stored. */
struct store {
  int kernel, step;
  const struct fs_access *to;
  const struct fs_node *update;
  struct fs_elements part;
  struct fs_range range;  /* of it */
};
typedef FS_VEC(struct store) store_list;

/* The elements of an access of kernel k from `anchor` on. */
static struct fs_elements elements_of(const struct fs_kernel *k, const struct fs_access *a,
                                      int64_t anchor) {
  struct fs_elements e = {.begin = anchor + a->offset,
                          .rank = k->space.n_outer + k->space.n_inner};
  memcpy(e.dim, k->space.dim, sizeof e.dim);
  memcpy(e.stride, a->stride, sizeof e.stride);
  return e;
}

static const struct fs_graph_input *input_of(const struct fs_plan *plan, int slot) {
  return &plan->graph->inputs.data[plan->slots.data[slot].index];
}

static struct fs_elements elements_of_slot(const struct fs_plan *plan, int slot) {
  const struct fs_slot *s = &plan->slots.data[slot];
  struct fs_elements e = {.begin = input_of(plan, slot)->anchor + s->layout.offset,
                          .rank = s->shape.rank};
  memcpy(e.dim, s->shape.dim, sizeof e.dim);
  memcpy(e.stride, s->layout.stride, sizeof e.stride);
  return e;
}

/* What a kernel reads of an input. */
struct read {
  int kernel, access;     /* -1: an operand of a library's call */
  int slot;
  struct fs_elements elements;
  struct fs_range range;  /* of them */
};
typedef FS_VEC(const struct read *) read_list;

/* Where updates may happen in place; all that is read of inputs, by kernels. */
struct places {
  struct fs_plan *plan;
  FS_VEC(struct read) reads;
};

static void add_read(struct places *p, int kernel, int access, int slot) {
  if (slot < 0 || p->plan->slots.data[slot].kind != FS_SLOT_INPUT) return;
  const struct fs_kernel *k = &p->plan->kernels.data[kernel];
  const struct fs_access *a = access < 0 ? NULL : &k->accesses.data[access];
  struct fs_elements e = !a || a->list_extent || k->n_applied || fs_access_is_list(k, access)
                             ? elements_of_slot(p->plan, slot)
                             : elements_of(k, a, input_of(p->plan, slot)->anchor);
  *FS_PUSH(&p->reads) = (struct read){kernel, access, slot, e, fs_elements_range(&e)};
}

static void find_reads(struct places *p) {
  p->reads.len = 0;
  for (int q = 0; q < p->plan->kernels.len; q++) {
    const struct fs_kernel *k = &p->plan->kernels.data[q];
    for (int l = 0; k->lib_node && l < FS_LIB_SLOTS; l++) add_read(p, q, -1, k->lib_slots[l]);
    for (int a = 0; a < k->accesses.len; a++) add_read(p, q, a, k->accesses.data[a].slot);
  }
}

/* What is stored to a slot that is the copy of a base: the update, and others that change the
 * result of that further. */
static void find_stores(const struct fs_plan *plan, int slot, store_list *out) {
  for (int q = 0; q < plan->kernels.len; q++) {
    const struct fs_kernel *k = &plan->kernels.data[q];
    for (int x = 0; !fs_copies_base(k) && x < k->accesses.len; x++) {
      const struct fs_access *to = &k->accesses.data[x];
      if (!to->stored || fs_slot_whole(plan, to->slot) != slot) continue;
      const struct fs_node *n = fs_node(plan->graph, k->steps.data[to->step].node);
      struct fs_elements e = elements_of(k, to, n->anchor);
      *FS_PUSH(out) = (struct store){q, to->step, to, n, e, fs_elements_range(&e)};
    }
  }
}

/* Whether what is read shares no element with the part, wherever both lie the next time.
 * What has another anchor never shares any, and what has the part's stays as far from it; but
 * where one of them has none it stays where it is when the other moves. */
static bool are_apart(const struct fs_plan *plan, const struct store *s, const struct read *r) {
  const struct fs_graph_input *in = input_of(plan, r->slot);
  const struct fs_slot *whole = &plan->slots.data[s->to->slot];
  if (in->anchored != s->update->anchored) return in->anchored && s->update->anchored;
  if (r->range.last < s->range.first || s->range.last < r->range.first) return true; /* most */
  return fs_elements_apart(&r->elements, &s->part, &whole->layout, &whole->shape);
}

/* Whether all that hangs on a load varies as it does, and goes nowhere but to where the
 * place is: then what threads load that do not store it does not count. */
static bool is_for_its_place(const struct fs_kernel *k, const struct fs_access *a) {
  bool *uses = fs_calloc((size_t)k->values.len + 1, sizeof *uses), good = true;
  for (int i = 0; i < k->steps.len && good; i++) {
    const struct fs_step *s = &k->steps.data[i];
    bool user = false;
    FS_EACH_IN(s, x) user |= uses[s->in[x]];
    bool is_it = s->kind == FS_SP_LOAD && &k->accesses.data[s->access] == a;
    if (s->out >= 0) uses[s->out] = user || is_it;
    if (user && s->kind == FS_SP_REDUCE) good = false;
    else if (user && s->kind == FS_SP_STORE) good = k->accesses.data[s->access].varies == a->varies;
    else if (user) good = k->values.data[s->out].varies == a->varies;
  }
  free(uses);
  return good;
}

/* Whether a step behind one takes the value. */
static bool is_taken_behind(const struct fs_kernel *k, int value, int step) {
  for (int i = step + 1; i < k->steps.len; i++)
    if (fs_step_takes(&k->steps.data[i], value)) return true;
  return false;
}

/* Whether each thread that stores an element has loaded it there itself, and is done
 * with it, and no other has it to load. Along an axis on which the place does not hang, and
 * at the end of all, several may. */
static bool is_loaded_before(const struct fs_kernel *k, const struct fs_access *a,
                             const struct store *to) {
  if (a->offset != to->to->offset || a->varies != to->to->varies ||
      memcmp(a->stride, to->to->stride, sizeof a->stride))
    return false;
  bool all = k->steps.data[to->step].phase == FS_END;
  for (int axis = 0; axis < k->space.n_outer + k->space.n_inner; axis++)
    all |= k->space.dim[axis] > 1 && !a->stride[axis];
  if (all && !is_for_its_place(k, a)) return false;
  return !fs_access_is_load(a) ||
         (a->step < to->step && !is_taken_behind(k, k->steps.data[a->step].out, to->step));
}

/* A launch of its own in which an element is made and stored by one thread. */
static bool is_plain(const struct fs_plan *plan, const struct store *s) {
  const struct fs_kernel *k = &plan->kernels.data[s->kernel];
  bool alone = fs_launch_first(plan, s->kernel) == s->kernel &&
               fs_launch_end(plan, s->kernel) == s->kernel + 1;
  bool tiles = fs_scheme_of(k)->ends_rows && k->steps.data[s->step].phase == FS_END;
  if (!alone || (!fs_schemes[k->scheme].vectors && !tiles) || k->tune.cluster > 1)
    return false;
  return !k->has.user;
}

/* Whether two slots are inputs of one storage. */
static bool lie_together(const struct fs_plan *plan, int a, int b) {
  const struct fs_slot *x = &plan->slots.data[a], *y = &plan->slots.data[b];
  return a == b || (x->kind == FS_SLOT_INPUT && y->kind == FS_SLOT_INPUT &&
                    input_of(plan, a)->storage == input_of(plan, b)->storage);
}

/* Whether what shares elements with the part may be read of the array all the same. */
static bool stays_right(const struct fs_plan *plan, const struct store *s, const struct read *r) {
  const struct fs_kernel *k = &plan->kernels.data[r->kernel];
  if (fs_copies_base(k)) return true;
  if (r->access < 0) return false;
  const struct fs_access *a = &k->accesses.data[r->access];
  if (a->slot != r->slot) return true; /* it reads a copy */
  return r->kernel == s->kernel && fs_access_is_plain(a) && !fs_access_is_list(k, r->access) &&
         input_of(plan, r->slot)->anchored == s->update->anchored && is_plain(plan, s) &&
         is_loaded_before(k, a, s);
}

/* The first kernel that has not read all it reads when kernel s begins. */
static int first_beside(const struct fs_plan *plan, int s) {
  while (s > 0 && plan->kernels.data[s].joint == FS_BESIDE) s--;
  return s;
}

/* What reads of the base what the update replaces, and is not done with it before. */
static void find_readers(const struct places *p, const struct store *s, int base,
                         read_list *out) {
  int from = first_beside(p->plan, s->kernel);
  FS_EACH_AT(&p->reads, r)
    if (r->kernel >= from && lie_together(p->plan, r->slot, base) &&
        !are_apart(p->plan, s, r) && !stays_right(p->plan, s, r))
      *FS_PUSH(out) = r;
}

/* The update that a copy is made for. */
static fs_id update_of(const struct fs_kernel *copy) {
  return copy->steps.data[copy->steps.len - 1].node;
}

/* Whether a copy is made of the base once the first of the stores has begun. */
static bool is_copied_later(const struct fs_plan *plan, const store_list *stores, int base) {
  for (int q = first_beside(plan, stores->data[0].kernel); q < plan->kernels.len; q++)
    if (fs_copies_base(&plan->kernels.data[q]) &&
        lie_together(plan, plan->kernels.data[q].accesses.data[0].slot, base))
      return true;
  return false;
}

/* One number for all elements, or another order of them, is no storage for the result. */
static bool lie_alike(const struct fs_slot *a, const struct fs_slot *b) {
  bool same = a->dtype == b->dtype && a->layout.offset == b->layout.offset;
  for (int k = 0; k < a->shape.rank; k++)
    same &= a->layout.stride[k] == b->layout.stride[k];
  return same;
}

/* Finds the stores to the slot that a copy makes of an input; false if that cannot be the
 * input itself, whoever reads of it. */
static bool find_copied(const struct fs_plan *plan, const struct fs_kernel *copy,
                        store_list *stores) {
  int base = copy->accesses.data[0].slot;
  if (plan->slots.data[base].kind != FS_SLOT_INPUT) return false;
  if (!lie_alike(&plan->slots.data[base], &plan->slots.data[copy->accesses.data[1].slot]))
    return false;
  find_stores(plan, copy->accesses.data[1].slot, stores);
  return stores->len && !is_copied_later(plan, stores, base);
}

static bool may_be_left_out(const struct places *p, const struct fs_kernel *copy) {
  store_list stores = {0};
  read_list readers = {0};
  bool may = find_copied(p->plan, copy, &stores);
  for (int i = 0; i < stores.len && may; i++) {
    find_readers(p, &stores.data[i], copy->accesses.data[0].slot, &readers);
    may = readers.len == 0;
  }
  FS_VEC_FREE(&stores);
  FS_VEC_FREE(&readers);
  return may;
}

/* Whether nobody seems to want the base of a copy after the block. */
static bool base_dies(const struct fs_plan *plan, const struct fs_kernel *copy) {
  const struct fs_slot *base = &plan->slots.data[copy->accesses.data[0].slot];
  return base->kind == FS_SLOT_INPUT && plan->graph->inputs.data[base->index].dying;
}

void fs_plan_find_in_place(struct fs_plan *plan) {
  struct places p = {.plan = plan};
  FS_EACH_AT(&plan->kernels, kn) {
    bool may = fs_copies_base(kn) && (kn->copies == FS_COPIES_BASE || base_dies(plan, kn));
    if (may && !p.reads.len) find_reads(&p);
    kn->in_place = may && may_be_left_out(&p, kn);
  }
  FS_VEC_FREE(&p.reads);
}

bool fs_plan_may_overwrite(const struct fs_plan *plan, int stored, int loaded) {
  stored = fs_slot_whole(plan, stored);
  loaded = fs_slot_whole(plan, loaded);
  const struct fs_slot *s = &plan->slots.data[stored];
  if (stored == loaded) return true;
  if (s->kind == FS_SLOT_INPUT || !s->node ||
      fs_node(plan->graph, s->node)->kind != FS_ND_UPDATE)
    return false;
  FS_EACH_AT(&plan->kernels, c)
    if (c->in_place && c->accesses.data[1].slot == stored)
      return lie_together(plan, c->accesses.data[0].slot, loaded);
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
    e.first += kn->work.unknown ? NAN : kn->first;
    e.predicted += kn->work.unknown ? NAN : kn->predicted;
    e.bytes += kn->bytes_read + kn->bytes_written;
    e.launches += kn->joint == FS_LAUNCH;
  }
  return e;
}

/* -- copying less ---------------------------------------------------------------------- */

/* The elements of an access, and a temporary that has room for them: packed in the order
 * in which they lie, rows for whole vectors; the kernel's axes. */
static struct fs_piece pack(const struct fs_kernel *k, const struct fs_access *a,
                            int64_t *count) {
  enum { WIDEST = 16 };
  int64_t unit = FS_MAX(1, WIDEST / (int64_t)fs_dtype_size(a->dtype)), n = 1;
  struct fs_piece x = {.rank = k->space.n_outer + k->space.n_inner, .from = a->offset};
  bool done[FS_MAX_RANK] = {false};
  for (int s = 0; s < x.rank; s++) {
    bool walks = a->stride[s] && k->space.dim[s] > 1;
    x.dim[s] = walks ? k->space.dim[s] : 1;
    x.from_stride[s] = a->stride[s];
    done[s] = !walks;
  }
  for (int turn = 0; turn < x.rank; turn++) {
    int next = -1; /* the closest; of two the inner one */
    for (int s = x.rank - 1; s >= 0; s--)
      if (!done[s] && (next < 0 || llabs(a->stride[s]) < llabs(a->stride[next]))) next = s;
    if (next < 0) break;
    done[next] = true;
    x.to_stride[next] = n;
    n = fs_mul_size(n, x.dim[next]);
    if (n < 0) break;
    if (x.to_stride[next] == 1) n = (n + unit - 1) / unit * unit;
  }
  *count = n;
  return x;
}

static double bytes_of(const struct fs_kernel *k, const struct fs_access *a) {
  int64_t count;
  struct fs_piece x = pack(k, a, &count);
  double n = count < 0 ? INFINITY : (double)fs_dtype_size(a->dtype);
  for (int s = 0; s < x.rank; s++) n *= (double)x.dim[s];
  return n;
}

/* Whether a reader may read a copy of what it reads: its access is all that tells where. */
static bool may_read_copy(const struct fs_plan *plan, const struct read *r) {
  const struct fs_kernel *k = &plan->kernels.data[r->kernel];
  if (r->access < 0 || k->n_applied || k->mirrors || fs_scheme_of(k)->in_step) return false;
  const struct fs_access *a = &k->accesses.data[r->access];
  return fs_access_is_plain(a) && !fs_access_is_list(k, r->access);
}

static double bytes_read(const struct fs_plan *plan, const read_list *readers) {
  double bytes = 0;
  for (int i = 0; i < readers->len; i++) {
    const struct fs_kernel *k = &plan->kernels.data[readers->data[i]->kernel];
    if (!may_read_copy(plan, readers->data[i])) return INFINITY;
    bytes += bytes_of(k, &k->accesses.data[readers->data[i]->access]);
  }
  return bytes;
}

/* Behind which kernel all have read, if none needs the new value before; else -1. */
static int last_reader(const struct fs_plan *plan, const struct store *s,
                       const read_list *readers) {
  int last = s->kernel;
  for (int i = 0; i < readers->len; i++) last = FS_MAX(last, readers->data[i]->kernel);
  for (int q = s->kernel + 1; q <= last; q++) {
    const struct fs_kernel *k = &plan->kernels.data[q];
    for (int l = 0; k->lib_node && l < FS_LIB_SLOTS; l++)
      if (k->lib_slots[l] == s->to->slot) return -1;
    for (int a = 0; a < k->accesses.len; a++)
      if (k->accesses.data[a].slot == s->to->slot) return -1;
  }
  return last;
}

/* Copies to be put into a plan: in front of which of its kernels. */
struct insertion {
  int at;
  struct fs_kernel kernel;
};
typedef FS_VEC(struct insertion) insertion_list;

/* Behind those that are to go there. */
static void insert(insertion_list *list, int at, const struct fs_kernel *k) {
  (void)FS_PUSH(list);
  int to = list->len - 1;
  for (; to > 0 && list->data[to - 1].at > at; to--) list->data[to] = list->data[to - 1];
  list->data[to] = (struct insertion){at, *k};
}

static void put_in(struct fs_plan *plan, const insertion_list *list) {
  int left = list->len, from = plan->kernels.len;
  for (int i = 0; i < list->len; i++) *FS_PUSH(&plan->kernels) = (struct fs_kernel){0};
  for (int to = plan->kernels.len - 1; left; to--) {
    bool next = list->data[left - 1].at >= from;
    plan->kernels.data[to] = next ? list->data[--left].kernel : plan->kernels.data[--from];
  }
}

/* The access goes to a temporary of the plan instead, of which the slot is given. */
static int redirect(struct fs_plan *plan, const struct fs_kernel *k, struct fs_access *a,
                    fs_id node, struct fs_piece *x) {
  struct fs_slot slot = {.kind = FS_SLOT_TEMP, .index = -1, .dtype = a->dtype, .node = node,
                         .first = -1, .last = -1};
  *x = pack(k, a, &slot.count);
  slot.shape.rank = x->rank;
  memcpy(slot.shape.dim, x->dim, sizeof slot.shape.dim);
  memcpy(slot.layout.stride, x->to_stride, sizeof slot.layout.stride);
  *FS_PUSH(&plan->slots) = slot;
  a->slot = plan->slots.len - 1;
  a->offset = 0;
  memcpy(a->stride, x->to_stride, sizeof a->stride);
  return a->slot;
}

/* Copies what is read in front of the update: a reader reads the copy. */
static void copy_read(struct fs_maker *p, struct fs_plan *plan, fs_id update,
                      const struct read *r, int at, insertion_list *copies) {
  struct fs_kernel *k = &plan->kernels.data[r->kernel], copy;
  struct fs_access *a = &k->accesses.data[r->access];
  int from = a->slot;
  struct fs_piece x;
  int temp = redirect(plan, k, a, plan->slots.data[from].node, &x);
  fs_copy_kernel(p, update, &x, FS_COPIES_READ, &copy);
  copy.accesses.data[0].slot = from;
  copy.accesses.data[1].slot = temp;
  insert(copies, at, &copy);
}

/* The new value is stored beside; what copies it to its place comes behind kernel `last`. */
static void copy_value(struct fs_maker *p, struct fs_plan *plan, const struct store *s, int last,
                       insertion_list *copies) {
  struct fs_kernel *k = &plan->kernels.data[s->kernel], copy;
  struct fs_step *step = &k->steps.data[s->step];
  struct fs_access *a = &k->accesses.data[step->access];
  fs_id update = step->node;
  int to = a->slot;
  struct fs_piece x;
  int temp = redirect(plan, k, a, s->update->src[1], &x);
  struct fs_piece back = {.rank = x.rank, .to = x.from};
  memcpy(back.dim, x.dim, sizeof back.dim);
  memcpy(back.from_stride, x.to_stride, sizeof back.from_stride);
  memcpy(back.to_stride, x.from_stride, sizeof back.to_stride);
  step->node = 0;
  fs_copy_kernel(p, update, &back, FS_COPIES_VALUE, &copy);
  copy.accesses.data[0].slot = temp;
  copy.accesses.data[1].slot = to;
  insert(copies, last + 1, &copy);
}

/* What the copies for an update copy of its base. */
static double bytes_copied(const struct fs_plan *plan, fs_id update) {
  double bytes = 0;
  FS_EACH_AT(&plan->kernels, kn)
    if (fs_copies_base(kn) && update_of(kn) == update)
      bytes += (double)kn->space.m * (double)kn->space.n *
               (double)fs_dtype_size(kn->accesses.data[0].dtype);
  return bytes;
}

/* What is copied so that one store may happen in place, and how. */
struct remedy {
  read_list readers;
  int last;               /* behind which kernel the value is put into its place */
  double read, stored;    /* bytes, if what is read is copied; if the value is */
};

static struct remedy remedy_of(const struct places *p, const struct store *s, int base) {
  struct remedy r = {.last = -1};
  find_readers(p, s, base, &r.readers);
  if (!r.readers.len) return r;
  r.last = last_reader(p->plan, s, &r.readers);
  r.read = bytes_read(p->plan, &r.readers);
  const struct fs_kernel *k = &p->plan->kernels.data[s->kernel];
  r.stored = r.last < 0 || k->n_applied ? INFINITY : bytes_of(k, s->to);
  return r;
}

/* One store after the other. A copy reads what its reader did, in front of all the stores
 * that are left: for them it is no reader. */
static void mend(struct fs_maker *m, struct places *p, fs_id update, const store_list *stores,
                 int base) {
  insertion_list copies = {0};
  FS_EACH_AT(stores, s) {
    struct remedy r = remedy_of(p, s, base);
    if (r.read > r.stored) copy_value(m, p->plan, s, r.last, &copies);
    for (int k = 0; k < r.readers.len && r.read <= r.stored && r.read < INFINITY; k++)
      copy_read(m, p->plan, update, r.readers.data[k], s->kernel, &copies);
    FS_VEC_FREE(&r.readers);
  }
  put_in(p->plan, &copies);
  FS_VEC_FREE(&copies);
  find_reads(p);
}

static bool copy_less(struct fs_maker *m, struct places *p, int kernel) {
  const struct fs_kernel *copy = &p->plan->kernels.data[kernel];
  int base = copy->accesses.data[0].slot;
  fs_id update = update_of(copy);
  store_list stores = {0};
  double most = bytes_copied(p->plan, update), beside = 0;
  if (!base_dies(p->plan, copy)) most *= copy->copies == FS_COPIES_BASE ? MOST_BESIDE : 0;
  bool less = find_copied(p->plan, copy, &stores);
  for (int i = 0; i < stores.len && less; i++) {
    struct remedy r = remedy_of(p, &stores.data[i], base);
    beside += FS_MIN(r.read, r.stored);
    FS_VEC_FREE(&r.readers);
  }
  less = less && beside > 0 && beside < most;
  if (less) mend(m, p, update, &stores, base);
  FS_VEC_FREE(&stores);
  return less;
}

void fs_plan_copy_less(struct fs_maker *m, struct fs_plan *plan) {
  struct places p = {.plan = plan};
  bool any = false;
  for (int k = 0; k < plan->kernels.len; k++) {
    const struct fs_kernel *kn = &plan->kernels.data[k];
    bool may = fs_copies_base(kn) && !kn->in_place;
    if (may && k && fs_copies_base(kn - 1) && update_of(kn - 1) == update_of(kn)) continue;
    if (may && !p.reads.len) find_reads(&p);
    any |= may && copy_less(m, &p, k);
  }
  FS_VEC_FREE(&p.reads);
  if (!any) return;
  fs_plan_touch_slots(plan);
  fs_plan_find_in_place(plan);
}
