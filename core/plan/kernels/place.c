/* place.c - the calls of a group as steps of one kernel.
 *
 * For a division of the group's axes into outer ones (rows i) and inner ones
 * (columns j), and a scheme, the calls are placed by the level rule: a call runs at
 * or after the phase in which what it uses is ready (kernel.h). What cannot be placed
 * is no kernel.
 */
#include "core/plan/kernels/place.h"

struct builder {
  struct fs_maker *p;
  struct fs_axes *ax;
  const fs_id *calls;
  const struct fs_extent *extents;
  int n_calls;
  unsigned inner;          /* classes that are inner axes                  */
  enum fs_scheme scheme;
  struct fs_kernel *k;
  int axis_of[FS_MAX_RANK]; /* class -> axis of the space                  */
  enum fs_rule why;
};

static uint8_t varies_of(const struct builder *b, unsigned mask) {
  return (uint8_t)((mask & ~b->inner ? FS_VARIES_I : 0) |
                   (mask & b->inner ? FS_VARIES_J : 0));
}

static unsigned every_class(const struct fs_axes *ax) { return (1u << ax->n_classes) - 1; }

static int context(int phase) { return phase == FS_END ? FS_CTX_END : phase; }

static int fail(struct builder *b, enum fs_rule why) {
  if (!b->why) b->why = why;
  return -1;
}

/* Whether FS_END has results for each column, or for each row. */
static bool ends(const struct builder *b, uint8_t varies) {
  return fs_kernel_has_rows(b->k) && (varies != FS_VARIES_I || fs_schemes[b->scheme].ends_rows);
}

/* The strides of a layout over a holder's axes, by axis of the space. */
static struct fs_access access_to(const struct builder *b, const struct fs_holder *h,
                                  const struct fs_layout *layout, int rank, fs_id slot_node,
                                  enum fs_dtype dt) {
  struct fs_access a;
  memset(&a, 0, sizeof a); /* compared as bytes */
  a.slot = (int)slot_node;
  a.dtype = dt;
  a.offset = layout->offset;
  a.low = layout->low;
  a.reach = layout->reach;
  unsigned mask = 0;
  for (int k = h->list != 0; k < rank; k++) {
    a.stride[b->axis_of[h->cls[k]]] = layout->stride[k];
    if (layout->stride[k] != 0) mask |= 1u << h->cls[k];
  }
  a.varies = varies_of(b, mask);
  return a;
}

static int add_access(struct builder *b, struct fs_access a) {
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
  FS_EACH_STEP(b->k, st) {
    if (st->in[0] != like->in[0]) continue; /* nearly all */
    if (st->kind == like->kind && st->op == like->op &&
        st->user == like->user && st->phase == like->phase && st->param == like->param &&
        !memcmp(st->in, like->in, sizeof st->in) &&
        !memcmp(&st->affine, &like->affine, sizeof st->affine))
      return st->out;
  }
  return -1;
}

/* The step that loads the same elements already (A and A' are two nodes), or
 * NULL. Phase FS_END shares no loads with the phases before it. */
static struct fs_step *find_load(struct builder *b, const struct fs_access *a, bool end) {
  for (int s = 0; s < b->k->steps.len && !fs_interrupted(); s++) {
    struct fs_step *st = &b->k->steps.data[s];
    if (st->kind != FS_SP_LOAD || (st->phase == FS_END) != end) continue;
    const struct fs_access *other = &b->k->accesses.data[st->access];
    if (other->offset == a->offset && other->dtype == a->dtype && other->varies == a->varies &&
        other->list == a->list && other->list_stride == a->list_stride &&
        other->list_extent == a->list_extent && other->low == a->low &&
        other->reach == a->reach &&
        !memcmp(other->stride, a->stride, sizeof a->stride) &&
        fs_graph_one_array(b->p->g, other->slot, a->slot))
      return st;
  }
  return NULL;
}

/* Where an array lies that the kernel reads. */
static struct fs_access access_of(struct builder *b, const struct fs_holder *h) {
  const struct fs_node *nd = fs_node(b->p->g, h->node);
  struct fs_access a = access_to(b, h, &h->layout, nd->shape.rank, h->slot_node, nd->dtype);
  a.list_stride = h->list ? h->layout.stride[0] : 0;
  a.list_extent = h->list ? nd->shape.dim[0] : 0;
  if (h->list <= 0) return a;
  struct fs_access list = access_of(b, holder(b, h->list - 1));
  int at = 0;
  while (at < b->k->accesses.len && memcmp(&b->k->accesses.data[at], &list, sizeof list)) at++;
  if (at == b->k->accesses.len) add_access(b, list);
  a.list = at + 1;
  a.varies |= list.varies;
  return a;
}

static int load(struct builder *b, struct fs_holder *h, int phase) {
  bool end = phase == FS_END;
  uint8_t varies = varies_of(b, h->mask);
  if (end && varies == (FS_VARIES_I | FS_VARIES_J)) return fail(b, FS_RULE_LEVEL);
  if (!end && varies == 0) phase = 0;
  const struct fs_node *nd = fs_node(b->p->g, h->node);
  struct fs_access a = access_of(b, h);
  struct fs_step *same = find_load(b, &a, end);
  if (same) {
    if (same->phase > phase) /* wanted earlier than it was loaded so far */
      same->phase = b->k->values.data[same->out].ready = (uint8_t)phase;
    return same->out;
  }
  int v = fs_kernel_value(b->k, nd->dtype, varies, phase);
  int access = add_access(b, a);
  fs_kernel_step(b->k, FS_SP_LOAD, phase, v, h->node)->access = access;
  return v;
}

static int param(struct builder *b, struct fs_holder *h, int phase) {
  phase = phase == FS_END ? FS_END : 0;
  const struct fs_node *nd = fs_node(b->p->g, h->node);
  struct fs_step like = {.kind = FS_SP_PARAM, .phase = (uint8_t)phase,
                         .in = FS_NO_INPUTS,
                         .param = fs_graph_param_slot(b->p->g, nd)};
  int same = find_same(b, &like);
  if (same >= 0 && b->k->values.data[same].dtype == nd->dtype) return same;
  int v = fs_kernel_value(b->k, nd->dtype, 0, phase);
  fs_kernel_step(b->k, FS_SP_PARAM, phase, v, h->node)->param = like.param;
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
  unsigned mask = 0; /* what is repeated varies as little as what it is the same as */
  for (int k = 0; k < nd->shape.rank; k++) {
    like.affine.stride[b->axis_of[h->cls[k]]] = nd->rand_stride[k];
    if (nd->rand_stride[k]) mask |= 1u << h->cls[k];
  }
  uint8_t varies = varies_of(b, mask);
  if (phase == FS_END && varies == (FS_VARIES_I | FS_VARIES_J))
    return fail(b, FS_RULE_LEVEL);
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
    if (varies == (FS_VARIES_I | FS_VARIES_J)) return fail(b, FS_RULE_LEVEL);
    if (varies && !ends(b, varies)) return fail(b, FS_RULE_LEVEL);
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
  if (phase != FS_END && h->home != FS_END && phase > h->home && h->value[h->home]) {
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
    case FS_ND_LIB: case FS_ND_TABLE: return load(b, holder(b, h->src[0]), phase);
    case FS_ND_REDUCE: {
      if (!h->value[0]) return fail(b, FS_RULE_LEVEL);
      if (phase == FS_END ? h->ready != FS_END : h->ready > phase)
        return fail(b, FS_RULE_LEVEL);
      return h->value[0] - 1;
    }
    default: return fail(b, FS_RULE_LEVEL);
  }
}

/* -- placing calls ----------------------------------------------------------------- */

/* The first phase in which the value of a holder is ready. */
static int earliest(const struct builder *b, int at) {
  const struct fs_holder *h = holder(b, at);
  const struct fs_node *nd = fs_node(b->p->g, h->node);
  if (!h->inside) return 0;
  if (nd->kind == FS_ND_REDUCE) return h->ready;
  if (nd->kind == FS_ND_MAP && b->p->calls->info[h->node].role == FS_RL_CALL)
    return h->home;
  int phase = 0;
  for (int s = 0; s < nd->n_src; s++)
    phase = FS_MAX(phase, earliest(b, h->src[s]));
  return phase;
}

/* Spreads a value over more axes: a reduction wants every element it counts. */
static int spread(struct builder *b, int v, uint8_t varies, int phase, fs_id node) {
  struct fs_value from = b->k->values.data[v];
  if ((from.varies & varies) == varies) return v;
  int out = fs_kernel_value(b->k, from.dtype, from.varies | varies, phase);
  struct fs_step *s = fs_kernel_step(b->k, FS_SP_MAP, phase, out, node);
  s->op = FS_OP_COPY;
  s->in[0] = v;
  return out;
}

/* Which axes a reduction runs over, or 0 if a division of so many classes forbids it. */
static uint8_t reduced_over(const struct fs_extent *e, unsigned every, unsigned inner) {
  unsigned outer = every & ~inner;
  if (e->all == every && e->reduced == every)
    return outer ? FS_VARIES_I | FS_VARIES_J : FS_VARIES_J;
  if (e->all == every && e->reduced == inner) return FS_VARIES_J;
  if ((e->all == every || e->all == outer) && e->reduced == outer) return FS_VARIES_I;
  return 0;
}

/* Whether a call only widens a half type, whose numbers are computed with in f32. */
static bool is_widening(const struct builder *b, fs_id id) {
  const struct fs_node *nd = fs_node(b->p->g, id);
  if (nd->kind != FS_ND_MAP || nd->op != FS_OP_CAST || nd->dtype != FS_F32) return false;
  return fs_dtype_is_half(fs_node(b->p->g, nd->src[0])->dtype);
}

/* What a reduction in f32 reads of a widened operand: the operand. A kernel all of whose
 * elements are of a half type computes on two at once (pairs.c). */
static int narrow(struct builder *b, int at, enum fs_dtype to) {
  const struct fs_holder *h = holder(b, at);
  return h->inside && to == FS_F32 && is_widening(b, h->node) ? h->src[0] : at;
}

/* Which of the elements that a reduction goes over each is, row by row and from 1. */
static struct fs_affine place_among(const struct builder *b, const struct fs_node *nd,
                                    const struct fs_holder *source) {
  const struct fs_shape *shape = &fs_node(b->p->g, nd->src[0])->shape;
  struct fs_affine a = {.base = 1};
  int64_t stride = 1;
  for (int x = shape->rank - 1; x >= 0; x--) {
    if (!(nd->axes >> x & 1)) continue;
    a.stride[b->axis_of[source->cls[x]]] = stride;
    stride *= shape->dim[x];
  }
  return a;
}

static void place_reduce(struct builder *b, int k) {
  fs_id id = b->calls[k];
  const struct fs_node *nd = fs_node(b->p->g, id);
  struct fs_holder *h = holder(b, fs_axes_member(b->ax, id));
  const struct fs_holder *sh = holder(b, h->src[0]);
  const struct fs_node *src = fs_node(b->p->g, nd->src[0]);
  uint8_t over = reduced_over(&b->extents[k], every_class(b->ax), b->inner);
  int x = h->src[0], y = -1;
  if (b->p->calls->info[nd->src[0]].role == FS_RL_ABSORBED) {
    x = sh->src[0];
    y = src->op == FS_OP_SQUARE ? x : sh->src[1];
  }
  x = narrow(b, x, nd->dtype);
  if (y >= 0) y = narrow(b, y, nd->dtype);
  int phase = FS_MAX(earliest(b, x), y >= 0 ? earliest(b, y) : 0);
  if (phase == FS_END) {
    fail(b, FS_RULE_LEVEL);
    return;
  }
  int in0 = get_value(b, x, phase), in1 = y >= 0 ? get_value(b, y, phase) : -1;
  if (in0 < 0 || (y >= 0 && in1 < 0)) return;
  uint8_t whole = over | varies_of(b, b->extents[k].all);
  /* in[0] is the operand that varies over the whole walk. */
  if (in1 >= 0 && (b->k->values.data[in0].varies & whole) != whole) {
    int t = in0;
    in0 = in1;
    in1 = t;
  }
  in0 = spread(b, in0, whole, phase, id);
  bool in_block = over == FS_VARIES_J && fs_schemes[b->scheme].rows_wait;
  h->ready = in_block ? phase + 1 : FS_END;
  if (h->ready != FS_END && h->ready >= FS_MAX_PHASES) {
    fail(b, FS_RULE_ON_CHIP);
    return;
  }
  int v = fs_kernel_value(b->k, nd->dtype, (uint8_t)(whole & ~over), h->ready);
  struct fs_step *s = fs_kernel_step(b->k, FS_SP_REDUCE, phase, v, id);
  s->op = nd->op;
  s->over = over;
  b->k->values.data[v].words = (uint8_t)fs_reduce_ops[nd->op].words;
  if (fs_reduces_to_place(nd->op)) s->affine = place_among(b, nd, sh);
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
  if (is_widening(b, id)) return; /* sums may not ask for it */
  int v = map_value(b, h, h->home);
  if (v < 0) return;
  uint8_t varies = b->k->values.data[v].varies;
  if (h->home == FS_END && varies == (FS_VARIES_I | FS_VARIES_J))
    fail(b, FS_RULE_LEVEL);
}

/* Storing needs one writer per element: the axes of the result must be all axes
 * of the rows, or of the columns, or of both, or none. */
static bool one_writer(unsigned mask, unsigned every, unsigned inner) {
  unsigned outer = every & ~inner;
  if (mask == every || mask == 0) return true;
  return mask == outer || (mask == inner && outer);
}

static void store(struct builder *b, fs_id id, int value,
                  const struct fs_layout *layout, int rank) {
  struct fs_holder *h = holder(b, fs_axes_member(b->ax, id));
  unsigned mask = 0;
  for (int k = 0; k < rank; k++) mask |= 1u << h->cls[k];
  int phase = earliest(b, value);
  int v = get_value(b, value, phase);
  if (v < 0) return;
  uint8_t varies = varies_of(b, mask);
  v = spread(b, v, varies, phase, id);
  bool vector_end = phase == FS_END && varies != 0;
  if (vector_end && (varies == (FS_VARIES_I | FS_VARIES_J) || !ends(b, varies))) {
    fail(b, FS_RULE_LEVEL);
    return;
  }
  struct fs_access a = access_to(b, h, layout, rank, id, fs_node(b->p->g, id)->dtype);
  a.varies = varies;
  struct fs_step *s = fs_kernel_step(b->k, FS_SP_STORE, phase, -1, id);
  s->in[0] = v;
  s->access = add_access(b, a);
}

static void place_update(struct builder *b, fs_id id) {
  const struct fs_node *nd = fs_node(b->p->g, id);
  struct fs_layout part = fs_plan_layout(b->p->g, id);
  int rank = fs_update_part(b->p->g, nd).rank;
  part.offset -= nd->anchor;
  fs_view_layout(&nd->view, rank, &part);
  store(b, id, holder(b, fs_axes_member(b->ax, id))->src[1], &part, rank);
}

static void place_all(struct builder *b, const bool *stored) {
  for (int k = 0; k < b->n_calls && !b->why; k++) {
    fs_id id = b->calls[k];
    const struct fs_node *nd = fs_node(b->p->g, id);
    switch (nd->kind) {
      case FS_ND_MAP: place_map(b, id); break;
      case FS_ND_REDUCE: place_reduce(b, k); break;
      case FS_ND_UPDATE: place_update(b, id); continue;
      default: break;
    }
    if (stored[k] && !b->why) {
      store(b, id, fs_axes_member(b->ax, id), &b->p->calls->stored[id].layout, nd->shape.rank);
    }
  }
}

/* -- the space ------------------------------------------------------------------------ */

/* By the largest array: for it the axes of a kernel are put in order, whatever the
 * division and the scheme. */
void fs_place_weigh(struct fs_group *g) {
  const struct fs_holder *largest = NULL;
  double most = -1;
  FS_EACH_AT(&g->ax.holders, ho) {
    const struct fs_node *nd = fs_node(g->p->g, ho->node);
    if (ho->inside && (nd->kind == FS_ND_VIEW || nd->kind == FS_ND_UPDATE)) continue;
    if (ho->list) continue; /* what is read of it is as large as the result */
    double size = (double)g->p->calls->stored[ho->node].count + (ho->inside ? 0 : 0.5);
    for (int k = 0; k < nd->shape.rank && !ho->inside; k++) /* it may be repeated along axes */
      if (!ho->layout.stride[k]) size /= (double)nd->shape.dim[k];
    size += 1e-3 * __builtin_popcount(ho->mask);
    if (size <= most) continue;
    most = size;
    largest = ho;
  }
  memset(g->weight, 0, sizeof g->weight);
  if (!largest) return;
  const struct fs_node *nd = fs_node(g->p->g, largest->node);
  struct fs_layout l = largest->layout;
  int64_t count;
  if (largest->inside) l = fs_layout_new(nd->dtype, &nd->shape, &count);
  for (int k = 0; k < nd->shape.rank; k++)
    g->weight[largest->cls[k]] = l.stride[k] < 0 ? -l.stride[k] : l.stride[k];
}

static unsigned classes_of(const struct fs_holder *h, int rank) {
  unsigned mask = 0;
  for (int k = 0; k < rank; k++) mask |= 1u << h->cls[k];
  return mask;
}

void fs_place_measure(struct fs_group *g) {
  for (int c = 0; c < g->n; c++) {
    const struct fs_node *nd = fs_node(g->p->g, g->calls[c]);
    const struct fs_holder *h = &g->ax.holders.data[fs_axes_member(&g->ax, g->calls[c])];
    struct fs_extent *e = &g->extents[c];
    bool update = nd->kind == FS_ND_UPDATE;
    *e = (struct fs_extent){.stored = g->stored[c] || update};
    e->result = classes_of(h, update ? fs_update_part(g->p->g, nd).rank : nd->shape.rank);
    e->reduces = nd->kind == FS_ND_REDUCE;
    if (!e->reduces) continue;
    const struct fs_holder *src = &g->ax.holders.data[h->src[0]];
    e->all = classes_of(src, fs_node(g->p->g, nd->src[0])->shape.rank);
    for (int k = 0; k < FS_MAX_RANK; k++)
      if (nd->axes >> k & 1) e->reduced |= 1u << src->cls[k];
  }
}

bool fs_place_fits(const struct fs_group *g, unsigned inner) {
  unsigned every = every_class(&g->ax);
  for (int c = 0; c < g->n; c++) {
    const struct fs_extent *e = &g->extents[c];
    if (e->reduces && !reduced_over(e, every, inner)) return false;
    if (e->stored && !one_writer(e->result, every, inner)) return false;
  }
  return true;
}

/* Orders the classes: outer axes first; within each part by falling stride of
 * the largest array, so that the last axis is the contiguous one. */
static void order_axes(struct builder *b, const int64_t *weight) {
  const struct fs_axes *ax = b->ax;
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

static void drop_stride(int64_t *stride, int a, int n) {
  for (; a + 1 < n; a++) stride[a] = stride[a + 1];
  stride[n - 1] = 0;
}

static void drop_axis(struct fs_kernel *k, int a) {
  struct fs_space *s = &k->space;
  int n = s->n_outer + s->n_inner;
  for (int x = a; x + 1 < n; x++) s->dim[x] = s->dim[x + 1];
  for (int i = 0; i < k->accesses.len; i++) drop_stride(k->accesses.data[i].stride, a, n);
  for (int i = 0; i < k->steps.len; i++) drop_stride(k->steps.data[i].affine.stride, a, n);
}

/* Axes a and a+1 are one when every access goes through them as one. */
static bool collapsible(const struct fs_kernel *k, int a) {
  int64_t d = k->space.dim[a + 1];
  for (int i = 0; i < k->accesses.len; i++) {
    const int64_t *s = k->accesses.data[i].stride;
    if (s[a] != s[a + 1] * d) return false;
  }
  FS_EACH_STEP(k, st) {
    if (st->kind != FS_SP_IOTA && st->kind != FS_SP_RAND && st->kind != FS_SP_REDUCE) continue;
    if (st->affine.stride[a] != st->affine.stride[a + 1] * d) return false;
  }
  return true;
}

void fs_place_collapse(struct fs_kernel *k) {
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

/* -- all of it ---------------------------------------------------------------------- */

/* Whether no step is behind one of a later phase; what the kernel has of phases, too. */
static bool are_sorted(struct fs_kernel *k) {
  bool sorted = true;
  k->n_phases = 1;
  for (int s = 0; s < k->steps.len; s++) {
    uint8_t phase = k->steps.data[s].phase;
    sorted &= !s || k->steps.data[s - 1].phase <= phase;
    if (phase == FS_END) k->has_end = true;
    else k->n_phases = FS_MAX(k->n_phases, phase + 1);
  }
  return sorted;
}

/* By phase, and within one as they were placed: into the planner's spare room, which takes
 * that of the kernel in its place. */
static void sort_steps(struct fs_maker *p, struct fs_kernel *k) {
  int at[FS_CTX + 1] = {0}, n = k->steps.len;
  if (are_sorted(k)) return;
  for (int s = 0; s < n; s++) at[context(k->steps.data[s].phase) + 1]++;
  for (int c = 0; c < FS_CTX; c++) at[c + 1] += at[c];
  while (p->spare_steps.cap < n) {
    p->spare_steps.len = p->spare_steps.cap;
    FS_PUSH(&p->spare_steps);
  }
  for (int s = 0; s < n; s++)
    p->spare_steps.data[at[context(k->steps.data[s].phase)]++] = k->steps.data[s];
  fs_step_list sorted = p->spare_steps;
  p->spare_steps = k->steps;
  k->steps = sorted;
  k->steps.len = n;
}

enum fs_rule fs_place_calls(struct fs_group *g, unsigned inner, struct fs_kernel *k) {
  struct builder b = {.p = g->p, .ax = &g->ax, .calls = g->calls, .n_calls = g->n,
                      .extents = g->extents, .inner = inner, .scheme = k->scheme, .k = k};
  for (int h = 0; h < g->ax.holders.len; h++)
    memset(g->ax.holders.data[h].value, 0, sizeof g->ax.holders.data[h].value);
  order_axes(&b, g->weight);
  place_all(&b, g->stored);
  if (b.why) return b.why;
  sort_steps(g->p, k);
  fs_place_collapse(k);
  fs_kernel_look(k);
  return FS_RULE_NONE;
}
