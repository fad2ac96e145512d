/* kernel.c - from a group of calls to the kernels that run them.
 *
 * For every way to divide the group's axes into outer ones (rows i) and inner
 * ones (columns j), and every scheme, the calls are placed by the level rule: a
 * call runs at or after the phase in which what it uses is ready (plan.h). What
 * cannot be placed is no kernel; what can is an implementation of the fusion
 * (Filipovic et al., section 4.2, "generation of fusion implementations"), and
 * stays one unless another needs no more of anything.
 */
#include "core/plan/axes.h"

#include <math.h>
#include <stdio.h>

enum { ON_CHIP_ROW = 256 << 10 }; /* CPU: bytes of a row that stay in a cache */

struct builder {
  struct fs_planner *p;
  struct fs_axes *ax;
  const fs_id *calls;
  int n_calls;
  unsigned inner;          /* classes that are inner axes                  */
  enum fs_scheme scheme;
  struct fs_kernel *k;
  int axis_of[FS_MAX_RANK]; /* class -> axis of the space                  */
  const char *why;
};

/* -- small helpers ------------------------------------------------------------- */

static uint8_t varies_of(const struct builder *b, unsigned mask) {
  return (uint8_t)((mask & ~b->inner ? FS_VARIES_I : 0) |
                   (mask & b->inner ? FS_VARIES_J : 0));
}

int fs_kernel_value(struct fs_kernel *k, enum fs_dtype dt, uint8_t varies,
                    int ready) {
  *FS_PUSH(&k->values) = (struct fs_value){
      .dtype = dt, .varies = varies, .ready = (uint8_t)ready, .same_as = -1};
  return k->values.len - 1;
}

struct fs_step *fs_kernel_step(struct fs_kernel *k, enum fs_step_kind kind,
                               int phase, int out, fs_id node) {
  struct fs_step *s = FS_PUSH(&k->steps);
  *s = (struct fs_step){.kind = kind, .phase = (uint8_t)phase, .out = out,
                        .in = FS_NO_INPUTS, .access = -1, .param = -1,
                        .node = node};
  return s;
}

static int context(int phase) { return phase == FS_END ? FS_CTX_END : phase; }

static int fail(struct builder *b, const char *why) {
  if (!b->why) b->why = why;
  return -1;
}

/* The strides of a layout over a holder's axes, by axis of the space. */
static int add_access(struct builder *b, const struct fs_holder *h,
                      const struct fs_layout *layout, int rank, fs_id slot_node,
                      enum fs_dtype dt) {
  struct fs_access a;
  memset(&a, 0, sizeof a); /* compared as bytes */
  a.slot = (int)slot_node;
  a.dtype = dt;
  a.offset = layout->offset;
  unsigned mask = 0;
  for (int k = 0; k < rank; k++) {
    a.stride[b->axis_of[h->cls[k]]] = layout->stride[k];
    if (layout->stride[k] != 0) mask |= 1u << h->cls[k];
  }
  a.varies = varies_of(b, mask);
  *FS_PUSH(&b->k->accesses) = a;
  return b->k->accesses.len - 1;
}

/* -- values --------------------------------------------------------------------- */

static int get_value(struct builder *b, int holder, int phase);

static struct fs_holder *holder(const struct builder *b, int h) {
  return &b->ax->holders.data[h];
}

/* The value of a step that computes just this in just this phase, or -1. */
static int find_same(const struct builder *b, const struct fs_step *like) {
  for (int s = 0; s < b->k->steps.len; s++) {
    const struct fs_step *st = &b->k->steps.data[s];
    if (st->kind == like->kind && st->op == like->op &&
        st->user == like->user && st->phase == like->phase && st->param == like->param &&
        !memcmp(st->in, like->in, sizeof st->in) &&
        !memcmp(&st->affine, &like->affine, sizeof st->affine))
      return st->out;
  }
  return -1;
}


/* What lies in a slot: the input's storage, or the node itself. */
static const void *stored_in(const struct builder *b, int slot_node) {
  const struct fs_node *nd = fs_node(b->p->g, (fs_id)slot_node);
  if (nd->kind == FS_ND_INPUT) return b->p->g->inputs.data[nd->slot].storage;
  return nd;
}

/* The step that loads the same elements already (A and A' are two nodes), or
 * NULL. Phase FS_END shares no loads with the phases before it. */
static struct fs_step *find_load(struct builder *b, const struct fs_access *a,
                                 bool end) {
  for (int s = 0; s < b->k->steps.len; s++) {
    struct fs_step *st = &b->k->steps.data[s];
    if (st->kind != FS_SP_LOAD || (st->phase == FS_END) != end) continue;
    struct fs_access other = b->k->accesses.data[st->access];
    if (stored_in(b, other.slot) != stored_in(b, a->slot)) continue;
    other.slot = a->slot;
    if (!memcmp(&other, a, sizeof other)) return st;
  }
  return NULL;
}

static int load(struct builder *b, struct fs_holder *h, int phase) {
  bool end = phase == FS_END;
  uint8_t varies = varies_of(b, h->mask);
  if (end && varies == (FS_VARIES_I | FS_VARIES_J)) return fail(b, "level");
  if (!end && varies == 0) phase = 0;
  const struct fs_node *nd = fs_node(b->p->g, h->node);
  int access = add_access(b, h, &h->layout, nd->shape.rank, h->slot_node,
                          nd->dtype);
  struct fs_step *same = find_load(b, &b->k->accesses.data[access], end);
  if (same) {
    b->k->accesses.len--;
    if (same->phase > phase) /* wanted earlier than it was loaded so far */
      same->phase = b->k->values.data[same->out].ready = (uint8_t)phase;
    return same->out;
  }
  int v = fs_kernel_value(b->k, nd->dtype, varies, phase);
  fs_kernel_step(b->k, FS_SP_LOAD, phase, v, h->node)->access = access;
  return v;
}

static int param(struct builder *b, struct fs_holder *h, int phase) {
  phase = phase == FS_END ? FS_END : 0;
  const struct fs_node *nd = fs_node(b->p->g, h->node);
  struct fs_step like = {.kind = FS_SP_PARAM, .phase = (uint8_t)phase,
                         .in = FS_NO_INPUTS, .param = nd->slot};
  int same = find_same(b, &like);
  if (same >= 0 && b->k->values.data[same].dtype == nd->dtype) return same;
  int v = fs_kernel_value(b->k, nd->dtype, 0, phase);
  fs_kernel_step(b->k, FS_SP_PARAM, phase, v, h->node)->param = nd->slot;
  return v;
}

/* IOTA, RAND, RANDN: made from the element's index. */
static int generate(struct builder *b, struct fs_holder *h, int phase) {
  const struct fs_node *nd = fs_node(b->p->g, h->node);
  bool iota = nd->kind == FS_ND_IOTA;
  struct fs_step like = {.kind = iota ? FS_SP_IOTA : FS_SP_RAND,
                         .op = nd->kind == FS_ND_RANDN,
                         .phase = (uint8_t)phase, .param = -1,
                         .in = FS_NO_INPUTS};
  for (int k = 0; k < 2; k++) like.in[k] = get_value(b, h->src[k], phase);
  like.affine.base = nd->rand_base;
  for (int k = 0; k < nd->shape.rank; k++)
    like.affine.stride[b->axis_of[h->cls[k]]] = nd->rand_stride[k];
  uint8_t varies = varies_of(b, h->mask);
  if (phase == FS_END && varies == (FS_VARIES_I | FS_VARIES_J))
    return fail(b, "level");
  int same = find_same(b, &like);
  if (same >= 0) return same;
  int v = fs_kernel_value(b->k, nd->dtype, varies, phase);
  struct fs_step *s = fs_kernel_step(b->k, like.kind, phase, v, h->node);
  s->op = like.op;
  s->affine = like.affine;
  memcpy(s->in, like.in, sizeof s->in);
  return v;
}

static int make_map(struct builder *b, struct fs_holder *h, int phase) {
  const struct fs_node *nd = fs_node(b->p->g, h->node);
  int in[FS_MOST_SRC] = FS_NO_INPUTS;
  uint8_t varies = 0;
  for (int s = 0; s < nd->n_src; s++) {
    in[s] = get_value(b, h->src[s], phase);
    if (in[s] < 0) return -1;
    varies |= b->k->values.data[in[s]].varies;
  }
  if (phase == FS_END) {
    if (varies == (FS_VARIES_I | FS_VARIES_J)) return fail(b, "level");
    if (varies == FS_VARIES_I && b->scheme != FS_TILE) return fail(b, "level");
    if (varies && b->scheme == FS_FLAT) return fail(b, "level");
  }
  struct fs_step like = {.kind = FS_SP_MAP, .op = nd->op,
                         .user = fs_user_cheapest(nd->user, b->p->device),
                         .phase = (uint8_t)phase, .param = -1};
  memcpy(like.in, in, sizeof in);
  int same = find_same(b, &like);
  if (same >= 0 && b->k->values.data[same].dtype == nd->dtype) {
    h->value[context(phase)] = same + 1;
    return same;
  }
  int earlier = -1;
  for (int c = 0; c < context(phase); c++)
    if (h->value[c]) earlier = h->value[c] - 1;
  int v = fs_kernel_value(b->k, nd->dtype, varies, phase);
  if (phase != FS_END) b->k->values.data[v].same_as = earlier;
  struct fs_step *st = fs_kernel_step(b->k, FS_SP_MAP, phase, v, h->node);
  st->op = nd->op;
  st->user = like.user;
  memcpy(st->in, in, sizeof in);
  h->value[context(phase)] = v + 1;
  return v;
}

static int map_value(struct builder *b, struct fs_holder *h, int phase) {
  if (h->value[context(phase)]) return h->value[context(phase)] - 1;
  if (phase != FS_END && h->home != FS_END && phase > h->home &&
      h->value[h->home]) {
    int v = h->value[h->home] - 1;
    if (!(b->k->values.data[v].varies & FS_VARIES_J)) return v;
  }
  return make_map(b, h, phase);
}

/* The value of a holder as it is in `phase`; -1 if it cannot be had there. */
static int get_value(struct builder *b, int at, int phase) {
  struct fs_holder *h = holder(b, at);
  if (!h->inside) return load(b, h, phase);
  switch (fs_node(b->p->g, h->node)->kind) {
    case FS_ND_VIEW: return get_value(b, h->src[0], phase);
    case FS_ND_PARAM: return param(b, h, phase);
    case FS_ND_IOTA: case FS_ND_RAND: case FS_ND_RANDN:
      return generate(b, h, phase);
    case FS_ND_MAP: return map_value(b, h, phase);
    case FS_ND_REDUCE: {
      if (!h->value[0]) return fail(b, "level");
      if (phase == FS_END ? h->ready != FS_END : h->ready > phase)
        return fail(b, "level");
      return h->value[0] - 1;
    }
    default: return fail(b, "level");
  }
}

/* -- placing calls ----------------------------------------------------------------- */

/* The first phase in which the value of a holder is ready. */
static int earliest(const struct builder *b, int at) {
  const struct fs_holder *h = holder(b, at);
  const struct fs_node *nd = fs_node(b->p->g, h->node);
  if (!h->inside) return 0;
  if (nd->kind == FS_ND_REDUCE) return h->ready;
  if (nd->kind == FS_ND_MAP && b->p->info[h->node].role == FS_RL_CALL)
    return h->home;
  int phase = 0;
  for (int s = 0; s < nd->n_src; s++)
    phase = FS_MAX(phase, earliest(b, h->src[s]));
  return phase;
}

/* Spreads a value over more axes: a reduction wants every element it counts. */
static int spread(struct builder *b, int v, uint8_t varies, int phase,
                  fs_id node) {
  struct fs_value from = b->k->values.data[v];
  if ((from.varies & varies) == varies) return v;
  int out = fs_kernel_value(b->k, from.dtype, from.varies | varies, phase);
  struct fs_step *s = fs_kernel_step(b->k, FS_SP_MAP, phase, out, node);
  s->op = FS_OP_COPY;
  s->in[0] = v;
  return out;
}

/* Which axes a reduction runs over, or 0 if this division of axes forbids it. */
static uint8_t reduced_over(const struct builder *b, const struct fs_node *nd,
                            const struct fs_holder *src) {
  int rank = fs_node(b->p->g, nd->src[0])->shape.rank;
  unsigned all = 0, reduced = 0;
  for (int k = 0; k < rank; k++) {
    all |= 1u << src->cls[k];
    if (nd->axes >> k & 1) reduced |= 1u << src->cls[k];
  }
  unsigned every = (1u << b->ax->n_classes) - 1, outer = every & ~b->inner;
  if (all == every && reduced == every)
    return outer ? FS_VARIES_I | FS_VARIES_J : FS_VARIES_J;
  if (all == every && reduced == b->inner) return FS_VARIES_J;
  if ((all == every || all == outer) && reduced == outer) return FS_VARIES_I;
  return 0;
}

static void place_reduce(struct builder *b, fs_id id) {
  const struct fs_node *nd = fs_node(b->p->g, id);
  struct fs_holder *h = holder(b, fs_axes_member(b->ax, id));
  const struct fs_holder *sh = holder(b, h->src[0]);
  const struct fs_node *src = fs_node(b->p->g, nd->src[0]);
  uint8_t over = reduced_over(b, nd, sh);
  if (!over) {
    fail(b, "shape");
    return;
  }
  int x = h->src[0], y = -1;
  if (b->p->info[nd->src[0]].role == FS_RL_ABSORBED) {
    x = sh->src[0];
    y = src->op == FS_OP_SQUARE ? x : sh->src[1];
  }
  int phase = FS_MAX(earliest(b, x), y >= 0 ? earliest(b, y) : 0);
  if (phase == FS_END) {
    fail(b, "level");
    return;
  }
  int in0 = get_value(b, x, phase), in1 = y >= 0 ? get_value(b, y, phase) : -1;
  if (in0 < 0 || (y >= 0 && in1 < 0)) return;
  uint8_t whole = over;
  unsigned src_mask = 0;
  for (int k = 0; k < src->shape.rank; k++) src_mask |= 1u << sh->cls[k];
  whole |= varies_of(b, src_mask);
  /* in[0] is the operand that varies over the whole walk. */
  if (in1 >= 0 && (b->k->values.data[in0].varies & whole) != whole) {
    int t = in0;
    in0 = in1;
    in1 = t;
  }
  in0 = spread(b, in0, whole, phase, id);
  bool in_block = over == FS_VARIES_J &&
                  (b->scheme == FS_ROW || b->scheme == FS_PANEL);
  h->ready = in_block ? phase + 1 : FS_END;
  if (h->ready != FS_END && h->ready >= FS_MAX_PHASES) {
    fail(b, "on-chip");
    return;
  }
  int v = fs_kernel_value(b->k, nd->dtype, (uint8_t)(whole & ~over), h->ready);
  struct fs_step *s = fs_kernel_step(b->k, FS_SP_REDUCE, phase, v, id);
  s->op = nd->op;
  s->over = over;
  s->in[0] = in0;
  s->in[1] = in1;
  h->value[0] = v + 1;
  h->home = phase;
}

static void place_map(struct builder *b, fs_id id) {
  struct fs_holder *h = holder(b, fs_axes_member(b->ax, id));
  h->home = 0;
  for (int s = 0; s < fs_node(b->p->g, id)->n_src; s++)
    h->home = FS_MAX(h->home, earliest(b, h->src[s]));
  int v = map_value(b, h, h->home);
  if (v < 0) return;
  uint8_t varies = b->k->values.data[v].varies;
  if (h->home == FS_END && varies == (FS_VARIES_I | FS_VARIES_J))
    fail(b, "level");
}

/* Storing needs one writer per element: the axes of the result must be all axes
 * of the rows, or of the columns, or of both, or none. */
static bool one_writer(const struct builder *b, unsigned mask) {
  unsigned every = (1u << b->ax->n_classes) - 1, outer = every & ~b->inner;
  if (mask == every || mask == 0) return true;
  return mask == outer || (mask == b->inner && outer);
}

static void store(struct builder *b, fs_id id, int value,
                  const struct fs_layout *layout, int rank) {
  struct fs_holder *h = holder(b, fs_axes_member(b->ax, id));
  unsigned mask = 0;
  for (int k = 0; k < rank; k++) mask |= 1u << h->cls[k];
  if (!one_writer(b, mask)) {
    fail(b, "shape");
    return;
  }
  int phase = earliest(b, value);
  int v = get_value(b, value, phase);
  if (v < 0) return;
  uint8_t varies = varies_of(b, mask);
  v = spread(b, v, varies, phase, id);
  bool vector_end = phase == FS_END && varies != 0;
  if (vector_end && (varies == (FS_VARIES_I | FS_VARIES_J) ||
                     b->scheme == FS_FLAT ||
                     (varies == FS_VARIES_I && b->scheme != FS_TILE))) {
    fail(b, "level");
    return;
  }
  int access = add_access(b, h, layout, rank, id, fs_node(b->p->g, id)->dtype);
  b->k->accesses.data[access].varies = varies;
  struct fs_step *s = fs_kernel_step(b->k, FS_SP_STORE, phase, -1, id);
  s->in[0] = v;
  s->access = access;
}

static void place_update(struct builder *b, fs_id id) {
  const struct fs_node *nd = fs_node(b->p->g, id);
  struct fs_layout whole = fs_plan_layout(b->p->g, id), part = {0};
  part.offset = whole.offset;
  for (int s = 0; s < nd->view.src_rank; s++) {
    part.offset += nd->view.off[s] * whole.stride[s];
    int a = nd->view.axis[s];
    if (a >= 0) part.stride[a] += nd->view.step[s] * whole.stride[s];
  }
  int value = holder(b, fs_axes_member(b->ax, id))->src[1];
  store(b, id, value, &part, fs_update_part(b->p->g, nd).rank);
}

struct inner_users {
  struct fs_visit v;
  int *count, *last; /* per call: members that use it; the last such member */
};

static void count_inner(struct fs_visit *v, fs_id id, bool whole) {
  (void)whole;
  struct inner_users *u = (struct inner_users *)v;
  int call = v->p->info[id].call;
  u->count[call] += u->last[call] != v->user;
  u->last[call] = v->user;
}

/* Which members' results are wanted outside the kernel. */
static void find_stored(struct fs_planner *p, const fs_id *calls, int n,
                        bool *stored) {
  struct inner_users u = {.v = {.p = p, .call = count_inner}};
  u.count = fs_calloc((size_t)p->calls.len * 2, sizeof(int));
  u.last = u.count + p->calls.len;
  for (int k = 0; k < n; k++) {
    u.v.user = k + 1;
    fs_visit_call(&u.v, calls[k]);
  }
  for (int k = 0; k < n; k++) {
    int call = p->info[calls[k]].call;
    stored[k] = p->info[calls[k]].must_store ||
                u.count[call] < p->call_users[call];
  }
  free(u.count);
}

static void place_all(struct builder *b, const bool *stored) {
  for (int k = 0; k < b->n_calls && !b->why; k++) {
    fs_id id = b->calls[k];
    const struct fs_node *nd = fs_node(b->p->g, id);
    switch (nd->kind) {
      case FS_ND_MAP: place_map(b, id); break;
      case FS_ND_REDUCE: place_reduce(b, id); break;
      case FS_ND_UPDATE: place_update(b, id); continue;
      default: break;
    }
    if (stored[k] && !b->why) {
      struct fs_layout layout = fs_plan_layout(b->p->g, id);
      store(b, id, fs_axes_member(b->ax, id), &layout, nd->shape.rank);
    }
  }
}

/* -- the space ------------------------------------------------------------------------ */

/* Orders the classes: outer axes first; within each part by falling stride of
 * the largest array, so that the last axis is the contiguous one. */
static void order_axes(struct builder *b) {
  const struct fs_axes *ax = b->ax;
  int64_t weight[FS_MAX_RANK] = {0};
  double best = -1;
  for (int h = 0; h < ax->holders.len; h++) {
    const struct fs_holder *ho = &ax->holders.data[h];
    const struct fs_node *nd = fs_node(b->p->g, ho->node);
    struct fs_layout l = ho->inside ? (struct fs_layout){0} : ho->layout;
    if (ho->inside) {
      int64_t count;
      if (nd->kind == FS_ND_VIEW || nd->kind == FS_ND_UPDATE) continue;
      l = fs_layout_new(nd->dtype, &nd->shape, &count);
    }
    double size = (double)fs_shape_count(&nd->shape) + (ho->inside ? 0 : 0.5);
    int bits = __builtin_popcount(ho->mask);
    size += 1e-3 * bits;
    if (size <= best) continue;
    best = size;
    memset(weight, 0, sizeof weight);
    for (int k = 0; k < nd->shape.rank; k++)
      weight[ho->cls[k]] = l.stride[k] < 0 ? -l.stride[k] : l.stride[k];
  }
  struct fs_space *s = &b->k->space;
  if (ax->n_classes == 0) { /* scalars only: one element */
    s->n_inner = 1;
    s->dim[0] = 1;
  }
  for (int pass = 0; pass < 2; pass++) {
    unsigned left = pass ? b->inner : ~b->inner & ((1u << ax->n_classes) - 1);
    while (left) {
      int pick = -1;
      for (int c = 0; c < ax->n_classes; c++)
        if (left >> c & 1 && (pick < 0 || weight[c] > weight[pick])) pick = c;
      left &= ~(1u << pick);
      b->axis_of[pick] = s->n_outer + s->n_inner;
      s->dim[b->axis_of[pick]] = ax->extent[pick];
      if (pass) s->n_inner++;
      else s->n_outer++;
    }
  }
}

static void drop_axis(struct fs_kernel *k, int a) {
  struct fs_space *s = &k->space;
  int n = s->n_outer + s->n_inner;
  for (int x = a; x + 1 < n; x++) s->dim[x] = s->dim[x + 1];
  for (int i = 0; i < k->accesses.len; i++)
    for (int x = a; x + 1 < n; x++)
      k->accesses.data[i].stride[x] = k->accesses.data[i].stride[x + 1];
  for (int i = 0; i < k->steps.len; i++)
    for (int x = a; x + 1 < n; x++)
      k->steps.data[i].affine.stride[x] = k->steps.data[i].affine.stride[x + 1];
  for (int i = 0; i < k->accesses.len; i++) k->accesses.data[i].stride[n - 1] = 0;
  for (int i = 0; i < k->steps.len; i++)
    k->steps.data[i].affine.stride[n - 1] = 0;
}

/* Axes a and a+1 are one when every access goes through them as one. */
static bool collapsible(const struct fs_kernel *k, int a) {
  int64_t d = k->space.dim[a + 1];
  for (int i = 0; i < k->accesses.len; i++) {
    const int64_t *s = k->accesses.data[i].stride;
    if (s[a] != s[a + 1] * d) return false;
  }
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *st = &k->steps.data[i];
    if (st->kind != FS_SP_IOTA && st->kind != FS_SP_RAND) continue;
    if (st->affine.stride[a] != st->affine.stride[a + 1] * d) return false;
  }
  return true;
}

static void collapse(struct fs_kernel *k) {
  struct fs_space *s = &k->space;
  for (int a = s->n_outer + s->n_inner - 2; a >= 0; a--) {
    bool same_part = a + 1 < s->n_outer || a >= s->n_outer;
    if (!same_part || !collapsible(k, a)) continue;
    s->dim[a + 1] *= s->dim[a];
    drop_axis(k, a);
    if (a < s->n_outer) s->n_outer--;
    else s->n_inner--;
  }
  s->m = s->n = 1;
  for (int a = 0; a < s->n_outer; a++) s->m *= s->dim[a];
  for (int a = 0; a < s->n_inner; a++) s->n *= s->dim[s->n_outer + a];
}

/* -- cost --------------------------------------------------------------------------------- */

static double access_bytes(const struct fs_kernel *k, const struct fs_access *a) {
  double count = 1;
  for (int x = 0; x < k->space.n_outer + k->space.n_inner; x++)
    if (a->stride[x] != 0) count *= (double)k->space.dim[x];
  return count * (double)fs_dtype_size(a->dtype);
}

static bool against_grain(const struct fs_kernel *k, const struct fs_access *a) {
  int last = k->space.n_outer + k->space.n_inner - 1;
  if (k->space.n_inner == 0 || !(a->varies & FS_VARIES_J)) return false;
  int64_t s = a->stride[last];
  return k->space.dim[last] > 1 && (s > 1 || s < -1);
}

/* Two loads of one array along the same strides: shifted slices, which overlap
 * but for their edges. */
static bool same_array(const struct builder *b, const struct fs_access *x,
                       const struct fs_access *y) {
  return stored_in(b, x->slot) == stored_in(b, y->slot) &&
         x->dtype == y->dtype && !memcmp(x->stride, y->stride, sizeof x->stride);
}

static void count_traffic(const struct builder *b, const struct fs_kernel *k,
                          struct fs_work *w) {
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->access < 0) continue;
    const struct fs_access *a = &k->accesses.data[s->access];
    bool seen = false; /* the same elements loaded by another step */
    for (int j = 0; j < i && s->kind == FS_SP_LOAD; j++) {
      const struct fs_step *t = &k->steps.data[j];
      seen |= t->kind == FS_SP_LOAD &&
              same_array(b, &k->accesses.data[t->access], a);
    }
    if (seen) continue;
    double bytes = access_bytes(k, a);
    if (s->kind == FS_SP_LOAD) w->bytes_read += bytes;
    else w->bytes_written += bytes;
    if (k->scheme != FS_PANEL && against_grain(k, a)) w->bytes_strided += bytes;
  }
}

static double elements(const struct fs_kernel *k, uint8_t varies) {
  double n = 1;
  if (varies & FS_VARIES_I) n *= (double)k->space.m;
  if (varies & FS_VARIES_J) n *= (double)k->space.n;
  return n;
}

static void count_operations(const struct fs_kernel *k, struct fs_work *w) {
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->out >= 0 && k->values.data[s->out].same_as >= 0) continue;
    if (s->kind == FS_SP_REDUCE) {
      w->flops += 2 * elements(k, k->values.data[s->in[0]].varies);
    } else if (s->kind == FS_SP_RAND) {
      w->special += 4 * elements(k, k->values.data[s->out].varies);
    } else if (s->kind == FS_SP_MAP) {
      double n = elements(k, k->values.data[s->out].varies);
      if (s->user) {
        w->flops += n * s->user->flops;
        continue;
      }
      bool special = fs_map_ops[s->op].types == 'F' && s->op != FS_OP_FMA;
      *(special ? &w->special : &w->flops) += n;
    }
  }
}

static double matrix_bytes(const struct fs_kernel *k) {
  double bytes = 0;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->kind == FS_SP_LOAD && k->accesses.data[s->access].varies == 3)
      bytes += access_bytes(k, &k->accesses.data[s->access]);
  }
  return bytes;
}

/* Rows read again in a later sweep that did not stay on chip, and column sums
 * that do not fit the registers of a block, or of those of a cluster: they lie in
 * the cache, and some rows at once add to them. */
static void count_extra(const struct fs_kernel *k, const struct fs_device *d,
                        struct fs_work *w) {
  if (k->scheme == FS_PANEL)
    w->bytes_extra += fs_panel_again(k, d) * matrix_bytes(k);
  if (k->scheme != FS_ROW) return;
  bool held = d->is_cuda && fs_tune_holds(k);
  double row = 0;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->kind != FS_SP_LOAD || k->accesses.data[s->access].varies != 3)
      continue;
    bool again = false;
    for (int j = 0; j < k->steps.len; j++)
      FS_EACH_IN(&k->steps.data[j], x)
        again |= k->steps.data[j].in[x] == s->out &&
                 k->steps.data[j].phase > s->phase;
    enum fs_dtype dt = k->accesses.data[s->access].dtype;
    if (again) row += (double)k->space.n * (double)fs_dtype_size(dt);
  }
  if (d->is_cuda ? !held : row > ON_CHIP_ROW)
    w->bytes_extra += row * (double)k->space.m;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    bool columns = s->kind == FS_SP_REDUCE && s->over == FS_VARIES_I &&
                   k->values.data[s->in[0]].varies == 3;
    if (columns && d->is_cuda && !held)
      w->bytes_extra +=
          2 * (double)fs_dtype_size(
                  fs_dtype_compute(k->values.data[s->out].dtype)) *
          (double)k->space.m * (double)k->space.n / k->tune.iters;
  }
}

static double parallel_pieces(const struct fs_kernel *k,
                              const struct fs_device *d) {
  double m = (double)k->space.m, n = (double)k->space.n;
  if (!d->is_cuda) {
    if (k->scheme == FS_FLAT) return n / 8192 + 1;
    return k->scheme == FS_ROW ? m / 16 + 0.5 : m * n / (16.0 * 8192) + 1;
  }
  if (k->scheme == FS_FLAT) return n / 1024 + 1;
  if (k->scheme == FS_PANEL) return d->units;
  if (k->scheme == FS_ROW) return n >= 512 ? m : m * n / 512 + 1;
  return (m / 256 + 1) * (n / 32 + 1);
}

static void price(const struct builder *b, struct fs_kernel *k,
                  const struct fs_device *d, struct fs_work *work) {
  struct fs_work w = {0};
  fs_tune(k, d);
  count_traffic(b, k, &w);
  count_operations(k, &w);
  count_extra(k, d, &w);
  w.parallel = parallel_pieces(k, d);
  w.working_set = FS_MAX(b->p->working_set, w.bytes_read + w.bytes_written);
  w.tiled = k->scheme == FS_TILE;
  w.general_index = k->space.n_inner > 1 || k->space.n_outer > 1;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    w.grid_barrier |= s->phase == FS_END && k->scheme != FS_FLAT;
  }
  fs_kernel_count(k, d, &w);
  struct fs_prediction pr = fs_predict(&w, d);
  k->bytes_read = w.bytes_read;
  k->bytes_written = w.bytes_written;
  k->flops = w.flops + w.special;
  k->work = w;
  k->first = k->predicted = pr.seconds;
  k->bound = pr.bound;
  *work = w;
}

/* -- putting it together --------------------------------------------------------------------- */

void fs_kernel_free(struct fs_kernel *k) {
  FS_VEC_FREE(&k->values);
  FS_VEC_FREE(&k->steps);
  FS_VEC_FREE(&k->accesses);
  FS_VEC_FREE(&k->calls);
}

/* An empty kernel in the room of the last one. */
static void clear(struct fs_kernel *k, enum fs_scheme scheme) {
  struct fs_kernel old = *k;
  *k = (struct fs_kernel){.scheme = scheme};
  k->values = old.values;
  k->steps = old.steps;
  k->accesses = old.accesses;
  k->calls = old.calls;
  k->values.len = k->steps.len = k->accesses.len = k->calls.len = 0;
}

/* By phase, and within one as they were placed. */
static void sort_steps(struct fs_kernel *k) {
  struct fs_step *out =
      fs_malloc(sizeof *out * (size_t)FS_MAX(1, k->steps.len));
  int n = 0;
  k->n_phases = 1;
  for (int c = 0; c < FS_CTX; c++) {
    int phase = c == FS_CTX_END ? FS_END : c;
    for (int s = 0; s < k->steps.len; s++)
      if (k->steps.data[s].phase == phase) {
        out[n++] = k->steps.data[s];
        if (phase != FS_END) k->n_phases = FS_MAX(k->n_phases, phase + 1);
        else k->has_end = true;
      }
  }
  if (n) memcpy(k->steps.data, out, sizeof *out * (size_t)n);
  free(out);
}

/* The paper's 32 x 32 tiles want one outer and one inner axis of some length. */
static bool tile_fits(const struct fs_kernel *k) {
  return k->space.n_outer == 1 && k->space.n_inner == 1;
}

/* Whether something of the kernel is as large as its index space: else its calls
 * only meet in vectors, and would walk rows and columns that nobody wants. */
static bool fills_space(const struct fs_kernel *k) {
  if (k->space.m == 1 || k->space.n == 1) return true;
  for (int v = 0; v < k->values.len; v++)
    if (k->values.data[v].varies == (FS_VARIES_I | FS_VARIES_J)) return true;
  return false;
}

struct group { /* of calls that are to share a kernel */
  struct fs_planner *p;
  struct fs_axes ax;
  const fs_id *calls;
  int n;
  bool *stored;
};

static const char *build_one(struct group *g, unsigned inner,
                             enum fs_scheme scheme, struct fs_kernel *k,
                             struct fs_work *work) {
  struct builder b = {.p = g->p, .ax = &g->ax, .calls = g->calls,
                      .n_calls = g->n, .inner = inner, .scheme = scheme, .k = k};
  clear(k, scheme);
  for (int h = 0; h < g->ax.holders.len; h++)
    memset(g->ax.holders.data[h].value, 0,
           sizeof g->ax.holders.data[h].value);
  order_axes(&b);
  place_all(&b, g->stored);
  if (b.why) return b.why;
  sort_steps(k);
  collapse(k);
  if (scheme == FS_TILE && !tile_fits(k)) return "shape";
  if (scheme == FS_PANEL && !fs_panel_pays(k, g->p->device)) return "shape";
  if (!fills_space(k)) return "shape";
  for (int c = 0; c < g->n; c++) *FS_PUSH(&k->calls) = g->calls[c];
  price(&b, k, g->p->device, work);
  return NULL;
}

static const char *open_group(struct group *g, struct fs_planner *p,
                              const fs_id *calls, int n) {
  *g = (struct group){.p = p, .calls = calls, .n = n};
  const char *why = fs_axes_unify(&g->ax, p, calls, n);
  g->stored = fs_calloc((size_t)n, sizeof(bool));
  if (!why) find_stored(p, calls, n, g->stored);
  return why;
}

static void close_group(struct group *g) {
  free(g->stored);
  fs_axes_free(&g->ax);
}

/* -- all implementations ----------------------------------------------------------------------- */

/* "on-chip" says most about why: there all else was as it must be. Then "level",
 * then "shape". */
static int rule_rank(const char *why) {
  if (!why) return 0;
  return !strcmp(why, "on-chip") ? 3 : !strcmp(why, "level") ? 2 : 1;
}

/* Whether x needs no more than y of anything, and offers no less. */
static bool dominates(const struct fs_impl *x, const struct fs_impl *y) {
  return x->seconds <= y->seconds && x->bytes <= y->bytes &&
         x->strided <= y->strided && x->flops <= y->flops &&
         x->parallel >= y->parallel && x->on_chip <= y->on_chip &&
         x->syncs <= y->syncs;
}

/* Adds it behind those that are as fast; drops what it dominates, or it. */
static void add_impl(struct fs_planner *p, struct fs_impl impl, int from,
                     fs_impl_list *out) {
  p->space.implementations += impl.variants;
  for (int k = from; k < out->len; k++)
    if (dominates(&out->data[k], &impl)) {
      p->space.pruned[FS_RULE_DOMINATED] += impl.variants;
      return;
    }
  int kept = from;
  for (int k = from; k < out->len; k++)
    if (dominates(&impl, &out->data[k]))
      p->space.pruned[FS_RULE_DOMINATED] += out->data[k].variants;
    else
      out->data[kept++] = out->data[k];
  out->len = kept;
  int at = out->len;
  *FS_PUSH(out) = impl;
  for (; at > from && out->data[at - 1].seconds > impl.seconds; at--)
    out->data[at] = out->data[at - 1];
  out->data[at] = impl;
}

/* A setting that is not the first one must be better by this share to be chosen:
 * less than what predictions can tell apart. */
static const double WORTH_A_CHANGE = 0.004;

/* Settings change a time by less than this factor: the others of what takes so much
 * longer than the best implementation so far need no price of their own. */
static const double SETTINGS_REACH = 2.5;

/* What a setting counts more than the one before it where none has a price of its
 * own, for the order only: lists of the best would be one plan many times. */
static const double NOT_FIRST = 0.02;

/* What the kernel takes with each of its settings, and which one is best. */
static void price_settings(const struct fs_kernel *k, const struct fs_work *w,
                           const struct fs_device *d, double best,
                           struct fs_impl *impl) {
  struct fs_tuning tunings[FS_MAX_VARIANTS];
  struct fs_kernel set = *k; /* borrows the parts */
  struct fs_work work = *w;
  impl->variants = fs_tune_variants(k, d, tunings);
  for (int v = 1; v < impl->variants; v++) {
    impl->each[v] = impl->each[0] * (1 + NOT_FIRST * v);
    if (!d->calibration || impl->each[0] > SETTINGS_REACH * best) continue;
    set.tune = tunings[v];
    fs_kernel_count_tuning(&set, d, &work);
    impl->each[v] = fs_predict(&work, d).seconds;
    if (impl->each[v] >= impl->seconds * (1 - WORTH_A_CHANGE)) continue;
    impl->seconds = impl->each[v];
    impl->variant = v;
  }
}

static struct fs_impl summary(struct fs_kernel *k, unsigned inner,
                              const struct fs_work *w,
                              const struct fs_device *d, double best) {
  struct fs_impl impl = {.scheme = k->scheme, .inner = inner,
                         .seconds = k->first,
                         .strided = w->bytes_strided,
                         .flops = w->flops + w->special,
                         .parallel = w->parallel, .syncs = w->grid_barrier};
  impl.bytes = w->bytes_read + w->bytes_written + w->bytes_extra;
  impl.on_chip = fs_kernel_footprint(k);
  impl.variants = 1;
  impl.each[0] = k->first;
  if (k->scheme != FS_INSTANCE) price_settings(k, w, d, best, &impl);
  return impl;
}

/* Users' functions have one scheme, in which each of their routines is a way. */
static const char *build_instance(struct fs_planner *p, const fs_id *calls,
                                  int n, int way, struct fs_kernel *k,
                                  struct fs_work *work) {
  bool *stored = fs_calloc((size_t)n, sizeof(bool));
  find_stored(p, calls, n, stored);
  clear(k, FS_INSTANCE);
  const char *why = fs_kernel_instance(p, calls, n, stored, way, k, work);
  free(stored);
  return why;
}

/* The least time of those found so far. */
static double best_of(const fs_impl_list *list, int from) {
  return list->len > from ? list->data[from].seconds : HUGE_VAL;
}

static void survey_one(struct group *g, unsigned inner, enum fs_scheme scheme,
                       int from, fs_impl_list *out, const char **worst) {
  struct fs_planner *p = g->p;
  struct fs_work w;
  const char *no = build_one(g, inner, scheme, &p->scratch, &w);
  if (!no)
    add_impl(p, summary(&p->scratch, inner, &w, p->device, best_of(out, from)),
             from, out);
  else if (rule_rank(no) > rule_rank(*worst))
    *worst = no;
}

/* All routines stay in the list: what each is good for, no price tells for sure. */
static const char *survey_instance(struct fs_planner *p, const fs_id *calls,
                                   int n, fs_impl_list *out) {
  int from = out->len;
  for (int way = 0; way < fs_instance_ways(p, calls, n); way++) {
    struct fs_work w;
    const char *no = build_instance(p, calls, n, way, &p->scratch, &w);
    if (no) return no;
    struct fs_impl impl =
        summary(&p->scratch, (unsigned)way, &w, p->device, 0);
    int at = out->len;
    *FS_PUSH(out) = impl;
    for (; at > from && out->data[at - 1].seconds > impl.seconds; at--)
      out->data[at] = out->data[at - 1];
    out->data[at] = impl;
    p->space.implementations++;
  }
  return NULL;
}

const char *fs_kernel_survey(struct fs_planner *p, const fs_id *calls, int n,
                             fs_impl_list *out) {
  if (fs_is_instance(p, calls, n)) return survey_instance(p, calls, n, out);
  struct group g;
  const char *why = open_group(&g, p, calls, n), *worst = why;
  int from = out->len;
  unsigned every = (1u << g.ax.n_classes) - 1;
  for (unsigned x = 0; !why && x <= every; x++) {
    unsigned inner = every - x; /* flat first: it wins where all cost the same */
    if (inner == 0 && every != 0) continue;
    enum fs_scheme first = inner == every ? FS_FLAT : FS_ROW;
    enum fs_scheme last = inner == every ? FS_FLAT : FS_TILE;
    for (enum fs_scheme s = first; s <= last; s++)
      survey_one(&g, inner, s, from, out, &worst);
    if (inner != every && p->device->is_cuda)
      survey_one(&g, inner, FS_PANEL, from, out, &worst);
  }
  close_group(&g);
  return out->len > from ? NULL : worst ? worst : "shape";
}

void fs_kernel_make(struct fs_planner *p, const fs_id *calls, int n,
                    const struct fs_impl *impl, struct fs_kernel *out) {
  struct group g;
  struct fs_work w;
  *out = (struct fs_kernel){0};
  if (impl->scheme == FS_LIBRARY) {
    fs_kernel_library(p, calls[0], out);
    return;
  }
  if (impl->scheme == FS_INSTANCE) {
    build_instance(p, calls, n, (int)impl->inner, out, &w);
    fs_tune(out, p->device);
    return;
  }
  open_group(&g, p, calls, n);
  build_one(&g, impl->inner, impl->scheme, out, &w);
  close_group(&g);
  if (impl->variant) {
    struct fs_tuning tunings[FS_MAX_VARIANTS];
    fs_tune_variants(out, p->device, tunings);
    out->tune = tunings[impl->variant];
    fs_kernel_count_tuning(out, p->device, &out->work);
    struct fs_prediction pr = fs_predict(&out->work, p->device);
    out->first = out->predicted = pr.seconds;
    out->bound = pr.bound;
  }
  fs_kernel_place(out);
}

/* -- copies and library calls -------------------------------------------------------------------- */

struct fs_layout fs_plan_layout(const struct fs_graph *g, fs_id id) {
  const struct fs_node *nd = fs_node(g, id);
  int64_t count;
  if (nd->kind == FS_ND_INPUT) return g->inputs.data[nd->slot].layout;
  if (nd->kind != FS_ND_VIEW) return fs_layout_new(nd->dtype, &nd->shape, &count);
  struct fs_layout base = fs_plan_layout(g, nd->src[0]), l = {0};
  l.offset = base.offset;
  for (int s = 0; s < nd->view.src_rank; s++) {
    l.offset += nd->view.off[s] * base.stride[s];
    int a = nd->view.axis[s];
    if (a >= 0) l.stride[a] += nd->view.step[s] * base.stride[s];
  }
  return l;
}

void fs_kernel_copy(struct fs_planner *p, fs_id update, struct fs_kernel *k) {
  const struct fs_node *nd = fs_node(p->g, update);
  struct fs_layout from = fs_plan_layout(p->g, nd->src[0]);
  struct fs_layout to = fs_plan_layout(p->g, update);
  *k = (struct fs_kernel){.scheme = FS_FLAT, .is_copy = true, .n_phases = 1};
  k->space.n_inner = FS_MAX(1, nd->shape.rank);
  k->space.dim[0] = 1;
  uint8_t varies = nd->shape.rank ? FS_VARIES_J : 0;
  struct fs_access *a = FS_PUSH(&k->accesses);
  *a = (struct fs_access){.slot = (int)fs_plan_base(p->g, nd->src[0]),
                          .dtype = nd->dtype, .offset = from.offset,
                          .varies = varies};
  struct fs_access *b = FS_PUSH(&k->accesses);
  *b = (struct fs_access){.slot = (int)update, .dtype = nd->dtype,
                          .offset = to.offset, .varies = varies};
  a = &k->accesses.data[0];
  for (int x = 0; x < nd->shape.rank; x++) {
    k->space.dim[x] = nd->shape.dim[x];
    a->stride[x] = from.stride[x];
    b->stride[x] = to.stride[x];
  }
  struct builder builder = {.p = p, .k = k};
  int v = fs_kernel_value(k, nd->dtype, varies, 0);
  fs_kernel_step(k, FS_SP_LOAD, 0, v, nd->src[0])->access = 0;
  struct fs_step *s = fs_kernel_step(k, FS_SP_STORE, 0, -1, update);
  s->in[0] = v;
  s->access = 1;
  collapse(k);
  struct fs_work w;
  price(&builder, k, p->device, &w);
  fs_kernel_place(k);
}

static double library_flops(const struct fs_node *nd) {
  double m = (double)fs_shape_dim(&nd->lib_shape[0], 0);
  double n = (double)fs_shape_dim(&nd->lib_shape[0], 1);
  double r = (double)fs_shape_dim(&nd->lib_shape[1], 1);
  switch (nd->op) {
    case FS_LIB_GEMM: {
      if (nd->lib_trans & 2) r = (double)fs_shape_dim(&nd->lib_shape[1], 0);
      return 2 * m * n * r;
    }
    case FS_LIB_SOLVE: return 2.0 / 3 * n * n * m + 2 * n * n * r;
    case FS_LIB_INV: return 2 * n * n * n;
    case FS_LIB_CHOL: return n * n * n / 3;
    case FS_LIB_EIGVALS: return 4.0 / 3 * n * n * n;
    case FS_LIB_EIGVECS: return 9 * n * n * n;
    case FS_LIB_SVDVALS: return 8.0 / 3 * m * n * n;
    default: return 0;
  }
}

void fs_kernel_library(struct fs_planner *p, fs_id id, struct fs_kernel *k) {
  const struct fs_node *nd = fs_node(p->g, id);
  *k = (struct fs_kernel){.scheme = FS_LIBRARY, .lib_node = id, .n_phases = 1};
  k->space.m = k->space.n = 1;
  k->lib_slots[0] = (int)id;
  k->lib_layout[0] = fs_plan_layout(p->g, id);
  k->bytes_written = (double)fs_shape_count(&nd->shape) *
                     (double)fs_dtype_size(nd->dtype);
  for (int s = 0; s < nd->n_src; s++) {
    const struct fs_node *src = fs_node(p->g, nd->src[s]);
    k->lib_slots[s + 1] = (int)fs_plan_base(p->g, nd->src[s]);
    k->lib_layout[s + 1] = fs_plan_layout(p->g, nd->src[s]);
    k->bytes_read += (double)fs_shape_count(&src->shape) *
                     (double)fs_dtype_size(src->dtype);
  }
  *FS_PUSH(&k->calls) = id;
  struct fs_work w = {.bytes_read = k->bytes_read,
                      .bytes_written = k->bytes_written,
                      .flops = library_flops(nd), .parallel = 1e9,
                      .scheme = FS_LIBRARY, .library = true,
                      .lib_op = (uint8_t)nd->op,
                      .arith = (uint8_t)fs_arith_of(nd->dtype)};
  snprintf(w.pattern, sizeof w.pattern, "%s", fs_lib_op_names[nd->op]);
  w.working_set = w.bytes_read + w.bytes_written;
  k->flops = w.flops;
  struct fs_prediction pr = fs_predict(&w, p->device);
  k->work = w;
  k->first = k->predicted = pr.seconds;
  k->bound = pr.bound;
}
