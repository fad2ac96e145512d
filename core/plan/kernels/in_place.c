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
};
typedef FS_VEC(struct store) store_list;

/* What is stored to a slot that is the copy of a base: the update, and others that change the
 * result of that further. */
static void find_stores(const struct fs_plan *plan, int slot, store_list *out) {
  for (int q = 0; q < plan->kernels.len; q++) {
    const struct fs_kernel *k = &plan->kernels.data[q];
    for (int i = 0; !fs_copies_base(k) && i < k->steps.len; i++) {
      const struct fs_step *s = &k->steps.data[i];
      const struct fs_access *to = s->access < 0 ? NULL : &k->accesses.data[s->access];
      if (s->kind != FS_SP_STORE || to->slot != slot) continue;
      *FS_PUSH(out) = (struct store){q, i, to, fs_node(plan->graph, s->node)};
    }
  }
}

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

/* Whether elements of an input share none with the part, wherever both lie the next time.
 * What has another anchor never shares any, and what has the part's stays as far from it; but
 * where one of them has none it stays where it is when the other moves. */
static bool are_apart(const struct fs_plan *plan, const struct store *s, int slot,
                      const struct fs_elements *read) {
  const struct fs_graph_input *in = input_of(plan, slot);
  const struct fs_slot *whole = &plan->slots.data[s->to->slot];
  if (in->anchored != s->update->anchored) return in->anchored && s->update->anchored;
  struct fs_elements part =
      elements_of(&plan->kernels.data[s->kernel], s->to, s->update->anchor);
  return fs_elements_apart(read, &part, &whole->layout, &whole->shape);
}

/* Which values of a kernel hang on what an access loads. */
static void find_users(const struct fs_kernel *k, const struct fs_access *a, bool *uses) {
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->out < 0) continue;
    uses[s->out] |= s->kind == FS_SP_LOAD && &k->accesses.data[s->access] == a;
    FS_EACH_IN(s, x) uses[s->out] |= uses[s->in[x]];
  }
}

/* Whether all that hangs on a load varies as it does, and goes nowhere but to where the
 * place is: then what threads load that do not store it does not count. */
static bool is_for_its_place(const struct fs_kernel *k, const struct fs_access *a) {
  bool *uses = fs_calloc((size_t)k->values.len + 1, sizeof *uses), good = true;
  find_users(k, a, uses);
  for (int i = 0; i < k->steps.len && good; i++) {
    const struct fs_step *s = &k->steps.data[i];
    bool user = false;
    FS_EACH_IN(s, x) user |= uses[s->in[x]];
    if (user && s->kind == FS_SP_REDUCE) good = false;
    else if (user && s->kind == FS_SP_STORE) good = k->accesses.data[s->access].varies == a->varies;
    else if (user) good = k->values.data[s->out].varies == a->varies;
  }
  free(uses);
  return good;
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
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->kind != FS_SP_LOAD || &k->accesses.data[s->access] != a) continue;
    for (int u = to->step + 1; u < k->steps.len; u++)
      FS_EACH_IN(&k->steps.data[u], x)
        if (k->steps.data[u].in[x] == s->out) return false;
    if (i > to->step) return false;
  }
  return true;
}

/* A launch of its own in which an element is made and stored by one thread. */
static bool is_plain(const struct fs_plan *plan, const struct store *s) {
  const struct fs_kernel *k = &plan->kernels.data[s->kernel];
  bool alone = fs_launch_first(plan, s->kernel) == s->kernel &&
               fs_launch_end(plan, s->kernel) == s->kernel + 1;
  bool tiles = k->scheme == FS_TILE && k->steps.data[s->step].phase == FS_END;
  if (!alone || (k->scheme != FS_FLAT && k->scheme != FS_ROW && !tiles) || k->tune.cluster > 1)
    return false;
  for (int i = 0; i < k->steps.len; i++)
    if (k->steps.data[i].user) return false;
  return true;
}

/* Whether two slots are inputs of one storage. */
static bool lie_together(const struct fs_plan *plan, int a, int b) {
  const struct fs_slot *x = &plan->slots.data[a], *y = &plan->slots.data[b];
  return a == b || (x->kind == FS_SLOT_INPUT && y->kind == FS_SLOT_INPUT &&
                    input_of(plan, a)->storage == input_of(plan, b)->storage);
}

/* Whether an access of kernel q to the array may stay when the update happens in place. */
static bool stays_right(const struct fs_plan *plan, int q, const struct store *s,
                        const struct fs_access *a) {
  const struct fs_kernel *k = &plan->kernels.data[q];
  const struct fs_graph_input *in = input_of(plan, a->slot);
  struct fs_elements read = elements_of(k, a, in->anchor);
  bool list = a->list || fs_access_is_list(k, (int)(a - k->accesses.data));
  if (list || k->n_applied) read = elements_of_slot(plan, a->slot);
  if (are_apart(plan, s, a->slot, &read)) return true;
  return q == s->kernel && !list && in->anchored == s->update->anchored &&
         is_plain(plan, s) && is_loaded_before(k, a, s);
}

/* What reads of the base what the update replaces, and is not done with it before. */
struct reader {
  int kernel, access; /* -1: an operand of a library's call */
};
typedef FS_VEC(struct reader) reader_list;

/* Whether what kernel q reads it has read when kernel s begins. */
static bool has_ended(const struct fs_plan *plan, int q, int s) {
  for (int k = q + 1; k <= s; k++)
    if (plan->kernels.data[k].joint != FS_BESIDE) return true;
  return false;
}

static void find_readers(const struct fs_plan *plan, const struct store *s, int base,
                         reader_list *out) {
  for (int q = 0; q < plan->kernels.len; q++) {
    const struct fs_kernel *k = &plan->kernels.data[q];
    if (has_ended(plan, q, s->kernel) || fs_copies_base(k)) continue;
    for (int l = 0; k->scheme == FS_LIBRARY && l < 3; l++) {
      if (k->lib_slots[l] < 0 || !lie_together(plan, k->lib_slots[l], base)) continue;
      struct fs_elements read = elements_of_slot(plan, k->lib_slots[l]);
      if (!are_apart(plan, s, k->lib_slots[l], &read)) *FS_PUSH(out) = (struct reader){q, -1};
    }
    for (int a = 0; a < k->accesses.len; a++)
      if (lie_together(plan, k->accesses.data[a].slot, base) &&
          !stays_right(plan, q, s, &k->accesses.data[a]))
        *FS_PUSH(out) = (struct reader){q, a};
  }
}

/* The update that a copy is made for. */
static fs_id update_of(const struct fs_kernel *copy) {
  return copy->steps.data[copy->steps.len - 1].node;
}

/* Whether a copy is made of the base once the first of the stores has begun. */
static bool is_copied_later(const struct fs_plan *plan, const store_list *stores, int base) {
  for (int q = 0; q < plan->kernels.len; q++)
    if (fs_copies_base(&plan->kernels.data[q]) &&
        !has_ended(plan, q, stores->data[0].kernel) &&
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

static bool may_be_left_out(const struct fs_plan *plan, const struct fs_kernel *copy) {
  store_list stores = {0};
  reader_list readers = {0};
  bool may = find_copied(plan, copy, &stores);
  for (int i = 0; i < stores.len && may; i++) {
    find_readers(plan, &stores.data[i], copy->accesses.data[0].slot, &readers);
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
  for (int k = 0; k < plan->kernels.len; k++) {
    struct fs_kernel *kn = &plan->kernels.data[k];
    bool may = fs_copies_base(kn) && (kn->copies == FS_COPIES_BASE || base_dies(plan, kn));
    kn->in_place = may && may_be_left_out(plan, kn);
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

static double bytes_of(const struct fs_piece *x, enum fs_dtype dt) {
  double n = (double)fs_dtype_size(dt);
  for (int s = 0; s < x->rank; s++) n *= (double)x->dim[s];
  return n;
}

/* Whether a reader may read a copy of what it reads: its access is all that tells where. */
static bool may_read_copy(const struct fs_plan *plan, const struct reader *r) {
  const struct fs_kernel *k = &plan->kernels.data[r->kernel];
  if (r->access < 0 || k->n_applied || k->mirrors || k->scheme == FS_MARCH) return false;
  const struct fs_access *a = &k->accesses.data[r->access];
  return !a->list && !fs_access_is_list(k, r->access);
}

static double bytes_read(const struct fs_plan *plan, const reader_list *readers) {
  double bytes = 0;
  int64_t count;
  for (int i = 0; i < readers->len; i++) {
    const struct reader *r = &readers->data[i];
    if (!may_read_copy(plan, r)) return INFINITY;
    const struct fs_kernel *k = &plan->kernels.data[r->kernel];
    struct fs_piece x = pack(k, &k->accesses.data[r->access], &count);
    bytes += count < 0 ? INFINITY : bytes_of(&x, k->accesses.data[r->access].dtype);
  }
  return bytes;
}

/* Behind which kernel all have read, if none needs the new value before; else -1. */
static int last_reader(const struct fs_plan *plan, const struct store *s,
                       const reader_list *readers) {
  int last = s->kernel;
  for (int i = 0; i < readers->len; i++) last = FS_MAX(last, readers->data[i].kernel);
  for (int q = s->kernel + 1; q <= last; q++) {
    const struct fs_kernel *k = &plan->kernels.data[q];
    for (int l = 0; k->scheme == FS_LIBRARY && l < 3; l++)
      if (k->lib_slots[l] == s->to->slot) return -1;
    for (int a = 0; a < k->accesses.len; a++)
      if (k->accesses.data[a].slot == s->to->slot) return -1;
  }
  return last;
}

static double bytes_stored(const struct fs_plan *plan, const struct store *s) {
  const struct fs_kernel *k = &plan->kernels.data[s->kernel];
  int64_t count;
  struct fs_piece x = pack(k, s->to, &count);
  return count < 0 || k->n_applied ? INFINITY : bytes_of(&x, s->to->dtype);
}

static void insert(struct fs_plan *plan, int at, const struct fs_kernel *k) {
  (void)FS_PUSH(&plan->kernels);
  struct fs_kernel *all = plan->kernels.data;
  memmove(all + at + 1, all + at, sizeof *all * (size_t)(plan->kernels.len - 1 - at));
  all[at] = *k;
}

static int add_temp(struct fs_plan *plan, enum fs_dtype dt, const struct fs_piece *x,
                    int64_t count, fs_id node) {
  struct fs_slot slot = {.kind = FS_SLOT_TEMP, .index = -1, .dtype = dt, .count = count,
                         .first = -1, .last = -1, .node = node};
  slot.shape.rank = x->rank;
  memcpy(slot.shape.dim, x->dim, sizeof slot.shape.dim);
  memcpy(slot.layout.stride, x->to_stride, sizeof slot.layout.stride);
  *FS_PUSH(&plan->slots) = slot;
  return plan->slots.len - 1;
}

/* The access goes to the temporary instead. */
static void redirect(struct fs_access *a, int slot, const struct fs_piece *x) {
  a->slot = slot;
  a->offset = 0;
  memcpy(a->stride, x->to_stride, sizeof a->stride);
}

static struct fs_piece squeezed(const struct fs_piece *x) {
  struct fs_piece out = {.from = x->from, .to = x->to};
  for (int s = 0; s < x->rank; s++) {
    if (x->dim[s] == 1) continue;
    out.dim[out.rank] = x->dim[s];
    out.from_stride[out.rank] = x->from_stride[s];
    out.to_stride[out.rank++] = x->to_stride[s];
  }
  return out;
}

/* Copies what is read before the update: a reader reads the copy. */
static void copy_read(struct fs_maker *p, struct fs_plan *plan, fs_id update,
                      const struct reader *r, int at) {
  struct fs_kernel *k = &plan->kernels.data[r->kernel], copy;
  struct fs_access *a = &k->accesses.data[r->access];
  int from = a->slot;
  int64_t count;
  struct fs_piece x = pack(k, a, &count), flat = squeezed(&x);
  int temp = add_temp(plan, a->dtype, &x, count, plan->slots.data[from].node);
  redirect(a, temp, &x);
  fs_copy_kernel(p, update, &flat, FS_COPIES_READ, &copy);
  copy.accesses.data[0].slot = from;
  copy.accesses.data[1].slot = temp;
  insert(plan, at, &copy);
}

/* The new value is stored beside; what copies it to its place comes behind kernel `last`. */
static void copy_value(struct fs_maker *p, struct fs_plan *plan, const struct store *s, int last) {
  struct fs_kernel *k = &plan->kernels.data[s->kernel], copy;
  struct fs_step *step = &k->steps.data[s->step];
  struct fs_access *a = &k->accesses.data[step->access];
  fs_id update = step->node;
  int to = a->slot;
  int64_t count;
  struct fs_piece x = pack(k, a, &count), flat = squeezed(&x), back = flat;
  back.from = 0;
  back.to = flat.from;
  memcpy(back.from_stride, flat.to_stride, sizeof back.from_stride);
  memcpy(back.to_stride, flat.from_stride, sizeof back.to_stride);
  int temp = add_temp(plan, a->dtype, &x, count, s->update->src[1]);
  redirect(a, temp, &x);
  step->node = 0;
  fs_copy_kernel(p, update, &back, FS_COPIES_VALUE, &copy);
  copy.accesses.data[0].slot = temp;
  copy.accesses.data[1].slot = to;
  insert(plan, last + 1, &copy);
}

/* What the copies for an update copy of its base. */
static double bytes_copied(const struct fs_plan *plan, fs_id update) {
  double bytes = 0;
  for (int k = 0; k < plan->kernels.len; k++) {
    const struct fs_kernel *kn = &plan->kernels.data[k];
    if (fs_copies_base(kn) && update_of(kn) == update)
      bytes += (double)kn->space.m * (double)kn->space.n *
               (double)fs_dtype_size(kn->accesses.data[0].dtype);
  }
  return bytes;
}

/* What is copied so that one store may happen in place, and how. */
struct remedy {
  reader_list readers;
  int last;               /* behind which kernel the value is put into its place */
  double read, stored;    /* bytes, if what is read is copied; if the value is */
};

static struct remedy remedy_of(const struct fs_plan *plan, const struct store *s, int base) {
  struct remedy r = {.last = -1};
  find_readers(plan, s, base, &r.readers);
  if (!r.readers.len) return r;
  r.last = last_reader(plan, s, &r.readers);
  r.read = bytes_read(plan, &r.readers);
  r.stored = r.last < 0 ? INFINITY : bytes_stored(plan, s);
  return r;
}

static void apply(struct fs_maker *p, struct fs_plan *plan, fs_id update, const struct store *s,
                  const struct remedy *how) {
  if (how->read > how->stored) {
    copy_value(p, plan, s, how->last);
    return;
  }
  for (int i = 0; i < how->readers.len; i++) {
    struct reader r = how->readers.data[i];
    r.kernel += i; /* copies were put before it */
    copy_read(p, plan, update, &r, s->kernel + i);
  }
}

/* Of all stores to the slot that the copy makes. */
static double bytes_beside(const struct fs_plan *plan, const store_list *stores, int base) {
  double bytes = 0;
  for (int i = 0; i < stores->len; i++) {
    struct remedy r = remedy_of(plan, &stores->data[i], base);
    bytes += FS_MIN(r.read, r.stored);
    FS_VEC_FREE(&r.readers);
  }
  return bytes;
}

/* Does the first store that needs it; false: none does. */
static bool mend_one(struct fs_maker *p, struct fs_plan *plan, fs_id update, int base, int slot) {
  store_list stores = {0};
  bool found = false;
  find_stores(plan, slot, &stores);
  for (int i = 0; i < stores.len && !found; i++) {
    struct remedy r = remedy_of(plan, &stores.data[i], base);
    found = r.readers.len && FS_MIN(r.read, r.stored) < INFINITY;
    if (found) apply(p, plan, update, &stores.data[i], &r);
    FS_VEC_FREE(&r.readers);
  }
  FS_VEC_FREE(&stores);
  return found;
}

static bool copy_less(struct fs_maker *p, struct fs_plan *plan, int kernel) {
  const struct fs_kernel *copy = &plan->kernels.data[kernel];
  int base = copy->accesses.data[0].slot, slot = copy->accesses.data[1].slot;
  fs_id update = update_of(copy);
  store_list stores = {0};
  double most = bytes_copied(plan, update);
  if (!base_dies(plan, copy)) most *= copy->copies == FS_COPIES_BASE ? MOST_BESIDE : 0;
  bool less = find_copied(plan, copy, &stores);
  double beside = less ? bytes_beside(plan, &stores, base) : 0;
  FS_VEC_FREE(&stores);
  if (beside <= 0 || beside >= most) return false;
  while (mend_one(p, plan, update, base, slot)) continue;
  return true;
}

static void touch_again(struct fs_plan *plan) {
  for (int s = 0; s < plan->slots.len; s++)
    plan->slots.data[s].first = plan->slots.data[s].last = -1;
  for (int k = 0; k < plan->kernels.len; k++) {
    const struct fs_kernel *kn = &plan->kernels.data[k];
    for (int a = 0; a < kn->accesses.len; a++)
      fs_slot_touch(plan, kn->accesses.data[a].slot, k);
    for (int l = 0; kn->scheme == FS_LIBRARY && l < 3; l++)
      if (kn->lib_slots[l] >= 0) fs_slot_touch(plan, kn->lib_slots[l], k);
  }
}

void fs_plan_copy_less(struct fs_maker *p, struct fs_plan *plan) {
  bool any = false;
  for (int k = 0; k < plan->kernels.len; k++) {
    const struct fs_kernel *kn = &plan->kernels.data[k];
    bool may = fs_copies_base(kn) && !kn->in_place;
    if (may && k && fs_copies_base(kn - 1) && update_of(kn - 1) == update_of(kn)) continue;
    any |= may && copy_less(p, plan, k);
  }
  if (!any) return;
  touch_again(plan);
  fs_plan_find_in_place(plan);
}
