/* copy.c - kernels that give an UPDATE the base that it changes a part of.
 *
 * Where the base has other readers the update goes to new storage, and what it leaves of
 * the base is copied there. Where that is little, only that is: the slabs around the box
 * that is replaced, two that lie opposite by one kernel.
 *
 *     U[2:end-1, 2:end-1] = f(U)      k1 copies the first and the last row,
 *                                     k2 the rest of the first and the last column
 *
 * Most of them are left out (in_place.c). */
#include "core/plan/kernels/place.h"

/* A copy of all but a box pays up to this share of the base, slabs of several kernels up
 * to the other. */
static const double MOST_OF_ONE = 0.5, MOST_OF_SEVERAL = 0.125;

/* -- what is copied ---------------------------------------------------------------- */

struct box {
  int64_t from[FS_MAX_RANK], count[FS_MAX_RANK];
};

static struct fs_piece all_of(const struct fs_graph *g, fs_id update) {
  const struct fs_node *nd = fs_node(g, update);
  struct fs_layout from = fs_plan_layout(g, nd->src[0]);
  struct fs_layout to = fs_plan_layout(g, update);
  struct fs_piece x = {.rank = nd->shape.rank, .from = from.offset, .to = to.offset};
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
static bool is_read_beside(const struct fs_maker *p, fs_id update) {
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
static void squeeze(struct fs_piece *x) {
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
static void cut(struct fs_piece *x, int axis, int64_t from, int64_t count) {
  x->from += from * x->from_stride[axis];
  x->to += from * x->to_stride[axis];
  x->dim[axis] = count;
}

/* Takes in as well what lies `apart` behind it along an axis, if there is room for
 * the axis that leads there. */
static bool pair_up(struct fs_piece *x, int axis, int64_t apart) {
  struct fs_piece one = *x;
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
static int slabs_around(const struct fs_piece *all, const struct box *b,
                        struct fs_piece out[FS_MOST_COPIES]) {
  struct fs_piece rest = *all;
  int n = 0;
  for (int s = 0; s < all->rank; s++) {
    int64_t low = b->from[s], high = all->dim[s] - low - b->count[s];
    struct fs_piece x = rest, y = rest;
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
static int pieces_of(const struct fs_maker *p, fs_id update,
                     struct fs_piece out[FS_MOST_COPIES], bool *around) {
  const struct fs_node *nd = fs_node(p->g, update);
  struct fs_piece all = all_of(p->g, update);
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

void fs_copy_kernel(struct fs_maker *p, fs_id update, const struct fs_piece *piece,
                    enum fs_copies copies, struct fs_kernel *k) {
  struct fs_piece squeezed = *piece, *x = &squeezed;
  const struct fs_node *nd = fs_node(p->g, update);
  *k = (struct fs_kernel){.scheme = FS_FLAT, .copies = copies,
                          .n_phases = 1, .any_size = p->options->any_size};
  squeeze(x);
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
  fs_kernel_look(k);
  fs_tune(k, p->device);
  fs_kernel_price(p, k);
}

int fs_kernel_copies(struct fs_maker *p, fs_id update, struct fs_kernel out[FS_MOST_COPIES]) {
  struct fs_piece pieces[FS_MOST_COPIES];
  bool around;
  int n = pieces_of(p, update, pieces, &around);
  for (int k = 0; k < n; k++)
    fs_copy_kernel(p, update, &pieces[k], around ? FS_COPIES_AROUND : FS_COPIES_BASE, &out[k]);
  return n;
}
