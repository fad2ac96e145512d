/* axes.c - unification of axes (see axes.h). */
#include "core/plan/kernels/axes.h"

static int find(struct fs_axes *ax, int i) {
  int *parent = ax->parent.data;
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static void unite(struct fs_axes *ax, int ha, int a, int hb, int b) {
  int x = find(ax, ha * FS_MAX_RANK + a), y = find(ax, hb * FS_MAX_RANK + b);
  if (x != y) ax->parent.data[FS_MAX(x, y)] = FS_MIN(x, y);
}

int fs_axes_member(const struct fs_axes *ax, fs_id id) {
  return ax->p->holder[id];
}

/* The axes a node walks: an UPDATE made here walks the part that it replaces. */
static const struct fs_shape *walked(const struct fs_graph *g, const struct fs_holder *h) {
  const struct fs_node *nd = fs_node(g, h->node);
  return h->inside && nd->kind == FS_ND_UPDATE ? &fs_node(g, nd->src[1])->shape : &nd->shape;
}

bool fs_plan_is_member(const struct fs_maker *p, fs_id id) {
  return p->member_stamp[id] == p->stamp;
}

bool fs_plan_computed_here(const struct fs_maker *p, fs_id id) {
  const struct fs_node *nd = fs_node(p->g, id);
  switch (p->calls->info[id].role) {
    case FS_RL_INLINE: case FS_RL_ABSORBED: return true;
    case FS_RL_LEAF: return nd->kind != FS_ND_INPUT;
    case FS_RL_CALL: return fs_plan_is_member(p, id) || nd->kind == FS_ND_PARAM;
    default: return false;
  }
}

static enum fs_rule add(struct fs_axes *ax, fs_id id, int *out);

/* Adds operand k of holder h. */
static enum fs_rule add_source(struct fs_axes *ax, const struct fs_node *nd,
                              int h, int k, int *out) {
  const struct fs_node *src = fs_node(ax->p->g, nd->src[k]);
  /* What an UPDATE makes here is in memory only when the kernel has ended. */
  if (src->kind == FS_ND_UPDATE && fs_plan_is_member(ax->p, nd->src[k])) return FS_RULE_LEVEL;
  enum fs_rule why = add(ax, nd->src[k], out);
  ax->holders.data[h].src[k] = *out;
  return why;
}

/* A view of something computed here must only rename axes. */
static enum fs_rule add_view(struct fs_axes *ax, const struct fs_node *nd, int h) {
  const struct fs_node *src = fs_node(ax->p->g, nd->src[0]);
  int hs;
  enum fs_rule why = add_source(ax, nd, h, 0, &hs);
  if (why) return why;
  for (int s = 0; s < src->shape.rank; s++) {
    int a = nd->view.axis[s];
    if (a < 0 || nd->view.off[s] != 0 || nd->view.step[s] != 1 ||
        src->shape.dim[s] != nd->shape.dim[a])
      return FS_RULE_SHAPE;
    unite(ax, hs, s, h, a);
  }
  return FS_RULE_NONE;
}

static enum fs_rule add_map(struct fs_axes *ax, const struct fs_node *nd, int h) {
  for (int s = 0; s < nd->n_src; s++) {
    int hs;
    enum fs_rule why = add_source(ax, nd, h, s, &hs);
    if (why) return why;
    int rank = fs_node(ax->p->g, nd->src[s])->shape.rank;
    for (int k = 0; k < rank; k++) unite(ax, hs, k, h, k);
  }
  return FS_RULE_NONE;
}

static enum fs_rule add_reduce(struct fs_axes *ax, const struct fs_node *nd, int h) {
  int hs, kept = 0;
  enum fs_rule why = add_source(ax, nd, h, 0, &hs);
  if (why) return why;
  int rank = fs_node(ax->p->g, nd->src[0])->shape.rank;
  for (int k = 0; k < rank; k++)
    if (!(nd->axes >> k & 1)) unite(ax, hs, k, h, kept++);
  return FS_RULE_NONE;
}

/* Whether the parts that are made here of what an UPDATE changes lie beside its own, and nobody
 * reads what was there before: then it does not matter which is written first. */
static bool is_beside(const struct fs_axes *ax, fs_id update) {
  const struct fs_graph *g = ax->p->g;
  struct fs_layout whole;
  const struct fs_node *nd = fs_node(g, update), *at = nd;
  struct fs_elements part = fs_update_elements(g, nd, &whole);
  while (at->src[0] && fs_plan_is_member(ax->p, fs_plan_base(g, at->src[0]))) {
    if (fs_plan_needs_copy(ax->p->calls, update)) return false;
    at = fs_node(g, update = at->src[0]);
    if (at->kind != FS_ND_UPDATE) return false;
    struct fs_elements other = fs_update_elements(g, at, &whole);
    if (!fs_elements_apart(&part, &other, &whole, &nd->shape)) return false;
  }
  return at == nd || !fs_plan_needs_copy(ax->p->calls, update);
}

static enum fs_rule add_update(struct fs_axes *ax, fs_id id, int h) {
  int hs;
  const struct fs_node *nd = fs_node(ax->p->g, id);
  if (!is_beside(ax, id)) return FS_RULE_LEVEL; /* what is there before must be there whole */
  enum fs_rule why = add_source(ax, nd, h, 1, &hs);
  if (why) return why;
  int rank = fs_node(ax->p->g, nd->src[1])->shape.rank;
  for (int k = 0; k < rank; k++) unite(ax, hs, k, h, k);
  return FS_RULE_NONE;
}

/* What is read by a list: both are in memory. The list's axes come first, then those of
 * the array but its first one, which nothing walks. */
static enum fs_rule add_by_list(struct fs_axes *ax, const struct fs_node *nd, int h) {
  int from, list;
  for (int s = 0; s < 2; s++)
    if (fs_plan_is_member(ax->p, fs_plan_base(ax->p->g, nd->src[s]))) return FS_RULE_LEVEL;
  enum fs_rule why = add_source(ax, nd, h, 1, &list);
  if (!why) why = add_source(ax, nd, h, 0, &from);
  if (why) return why;
  int axes = fs_node(ax->p->g, nd->src[1])->shape.rank;
  for (int k = 0; k < axes; k++) unite(ax, list, k, h, k);
  for (int k = axes; k < nd->shape.rank; k++) unite(ax, from, k - axes + 1, h, k);
  ax->holders.data[from].list = list + 1;
  return FS_RULE_NONE;
}

static enum fs_rule add_table(struct fs_axes *ax, const struct fs_node *nd, int h) {
  int from;
  enum fs_rule why = add_source(ax, nd, h, 0, &from);
  ax->holders.data[from].list = -1;
  return why;
}

/* IOTA, RAND: their operands are scalars. */
static enum fs_rule add_params(struct fs_axes *ax, const struct fs_node *nd, int h) {
  int hs;
  for (int s = 0; s < nd->n_src; s++) {
    enum fs_rule why = add_source(ax, nd, h, s, &hs);
    if (why) return why;
  }
  return FS_RULE_NONE;
}

/* A holder more, whose axes are its own. */
static int add_holder(struct fs_axes *ax, fs_id id) {
  int h = ax->holders.len, from = ax->parent.len;
  *FS_PUSH(&ax->holders) = (struct fs_holder){.node = id, .src = FS_NO_INPUTS};
  while (ax->parent.cap < from + FS_MAX_RANK) {
    ax->parent.len = ax->parent.cap;
    FS_PUSH(&ax->parent);
  }
  ax->parent.len = from + FS_MAX_RANK;
  for (int k = 0; k < FS_MAX_RANK; k++) ax->parent.data[from + k] = from + k;
  return h;
}

static enum fs_rule add(struct fs_axes *ax, fs_id id, int *out) {
  struct fs_maker *p = ax->p;
  bool once = fs_plan_is_member(ax->p, id) || p->calls->info[id].role == FS_RL_ABSORBED;
  if (once && p->holder_stamp[id] == p->stamp) {
    *out = p->holder[id];
    return FS_RULE_NONE;
  }
  const struct fs_node *nd = fs_node(p->g, id);
  int h = *out = add_holder(ax, id);
  p->holder[id] = h;
  p->holder_stamp[id] = p->stamp;
  bool inside = fs_plan_computed_here(ax->p, id);
  if (nd->kind == FS_ND_VIEW)
    inside = fs_plan_computed_here(ax->p, nd->src[0]);
  ax->holders.data[h].inside = inside;
  if (!inside) {
    ax->holders.data[h].layout = p->calls->stored[id].layout;
    ax->holders.data[h].slot_node = fs_plan_base(p->g, id);
    /* A slice of an UPDATE made here would see it half done. */
    return fs_plan_is_member(ax->p, fs_plan_base(p->g, id)) ? FS_RULE_LEVEL : FS_RULE_NONE;
  }
  switch (nd->kind) {
    case FS_ND_VIEW: return add_view(ax, nd, h);
    case FS_ND_IOTA: case FS_ND_RAND: case FS_ND_RANDN: /* scalars */
    case FS_ND_MAP: return add_map(ax, nd, h);
    case FS_ND_REDUCE: return add_reduce(ax, nd, h);
    case FS_ND_UPDATE: return add_update(ax, id, h);
    case FS_ND_LIB: return add_by_list(ax, nd, h);
    case FS_ND_TABLE: return add_table(ax, nd, h);
    default: return add_params(ax, nd, h);
  }
}

/* The holders of several axes. */
static void find_wide(struct fs_axes *ax) {
  ax->wide = ax->room + 3 * ax->parent.len;
  ax->n_wide = 0;
  for (int h = 0; h < ax->holders.len; h++)
    if (walked(ax->p->g, &ax->holders.data[h])->rank > 1) ax->wide[ax->n_wide++] = h;
}

/* No two axes of one node may be the same axis of the kernel. */
static bool conflict(struct fs_axes *ax) {
  for (int k = 0; k < ax->n_wide; k++) {
    int h = ax->wide[k], rank = walked(ax->p->g, &ax->holders.data[h])->rank;
    for (int a = 1; a < rank; a++)
      for (int b = 0; b < a; b++)
        if (find(ax, h * FS_MAX_RANK + a) == find(ax, h * FS_MAX_RANK + b))
          return true;
  }
  return false;
}

/* Two reads of one array, walked by axes of the same strides: the same axes, if
 * nothing speaks against it. This is what lets A*p and A'*r share A. */
static bool same_array(const struct fs_axes *ax, const struct fs_holder *a,
                       const struct fs_holder *b) {
  return a->layout.offset == b->layout.offset &&
         fs_graph_one_array(ax->p->g, (int)a->slot_node, (int)b->slot_node);
}

static bool unite_reads(struct fs_axes *ax, int ha, int hb) {
  const struct fs_holder *a = &ax->holders.data[ha], *b = &ax->holders.data[hb];
  const struct fs_shape *sa = &fs_node(ax->p->g, a->node)->shape;
  const struct fs_shape *sb = &fs_node(ax->p->g, b->node)->shape;
  bool used[FS_MAX_RANK] = {false}, changed = false;
  size_t bytes = sizeof(int) * (size_t)ax->parent.len;
  memcpy(ax->saved, ax->parent.data, bytes);
  for (int x = 0; x < sa->rank; x++) {
    if (a->layout.stride[x] == 0) continue;
    for (int y = 0; y < sb->rank; y++) {
      if (used[y] || sb->dim[y] != sa->dim[x] || b->layout.stride[y] != a->layout.stride[x])
        continue;
      used[y] = true;
      changed |= find(ax, ha * FS_MAX_RANK + x) != find(ax, hb * FS_MAX_RANK + y);
      unite(ax, ha, x, hb, y);
      break;
    }
  }
  if (!changed || !conflict(ax)) return true;
  memcpy(ax->parent.data, ax->saved, bytes);
  return false;
}

static int walked_axes(const struct fs_axes *ax, const struct fs_holder *h) {
  int dims = 0;
  for (int k = 0; k < fs_node(ax->p->g, h->node)->shape.rank; k++)
    dims += h->layout.stride[k] != 0;
  return dims;
}

/* Each read is united with the first read of the same array that it can be
 * united with; by that it is with all others. */
static void unite_shared(struct fs_axes *ax) {
  int *reads = ax->room + 2 * ax->parent.len, n = 0, most = 0;
  int *axes = reads + ax->holders.len;
  for (int h = 0; h < ax->holders.len; h++) {
    if (ax->holders.data[h].inside || ax->holders.data[h].list) continue;
    axes[n] = walked_axes(ax, &ax->holders.data[h]);
    most = FS_MAX(most, axes[n]);
    reads[n++] = h;
  }
  /* Matrices before vectors: they are what is worth reading once. */
  for (int rank = most; rank > 0; rank--)
    for (int a = 0; a < n && !fs_interrupted(); a++) {
      if (axes[a] != rank) continue;
      for (int b = 0; b < a; b++)
        if (same_array(ax, &ax->holders.data[reads[a]], &ax->holders.data[reads[b]]) &&
            unite_reads(ax, reads[a], reads[b]))
          break;
    }
}

/* Whether two holders have one of these axes in common. */
static bool meet(struct fs_axes *ax, int ha, int rank_a, int hb, int b, int end) {
  for (int x = 0; x < rank_a; x++)
    for (int y = b; y < end; y++)
      if (find(ax, ha * FS_MAX_RANK + x) == find(ax, hb * FS_MAX_RANK + y)) return true;
  return false;
}

/* Unites so many axes from these on, if nothing speaks against it. */
static void try_to_unite(struct fs_axes *ax, int ha, int a, int hb, int b, int n) {
  size_t bytes = sizeof(int) * (size_t)ax->parent.len;
  memcpy(ax->saved, ax->parent.data, bytes);
  for (int x = 0; x < n; x++) unite(ax, ha, a + x, hb, b + x);
  if (conflict(ax)) memcpy(ax->parent.data, ax->saved, bytes);
}

/* From which clusters a path of results leads to each. */
static void find_paths(struct fs_maker *p) {
  int n = p->calls->clusters.len, words = n / 64 + 1;
  p->paths = FS_NEW_N(p->arena, uint64_t, n * words);
  for (int c = 0; c < n; c++) {
    uint64_t *to = p->paths + c * words;
    const struct fs_cluster *cl = &p->calls->clusters.data[c];
    for (int k = 0; k < cl->before.len; k++) {
      int b = cl->before.data[k];
      to[b / 64] |= (uint64_t)1 << b % 64;
      for (int w = 0; w < words; w++) to[w] |= p->paths[b * words + w];
    }
  }
}

bool fs_axes_apart(struct fs_maker *p, fs_id a, fs_id b) {
  if (!p->calls->cluster_of) return false;
  if (!p->paths) find_paths(p);
  const struct fs_calls *c = p->calls;
  int from = c->cluster_of[c->info[a].call], to = c->cluster_of[c->info[b].call];
  const uint64_t *all = p->paths + to * (p->calls->clusters.len / 64 + 1);
  return !(all[from / 64] >> from % 64 & 1);
}

/* Maps of one shape that share nothing but numbers go along the same axes: x + a*p and
 * r - a*q. */
static void unite_alike(struct fs_axes *ax, const fs_id *calls, int n) {
  const struct fs_graph *g = ax->p->g;
  for (int k = 0; k < n; k++)
    if (fs_node(g, calls[k])->kind != FS_ND_MAP) return;
  int first = fs_axes_member(ax, calls[0]);
  const struct fs_shape *s = walked(g, &ax->holders.data[first]);
  for (int k = 1; k < n; k++) {
    int h = fs_axes_member(ax, calls[k]);
    const struct fs_shape *t = walked(g, &ax->holders.data[h]);
    if (s->rank && fs_shape_equal(s, t) && !meet(ax, first, s->rank, h, 0, t->rank) &&
        fs_axes_apart(ax->p, calls[0], calls[k]))
      try_to_unite(ax, first, 0, h, 0, s->rank);
  }
}

/* Whether what lies in memory is read along an axis. */
static bool is_read_along(struct fs_axes *ax, int h, int axis) {
  for (int x = 0; x < ax->holders.len; x++) {
    const struct fs_holder *o = &ax->holders.data[x];
    for (int k = 0; k < fs_node(ax->p->g, o->node)->shape.rank && !o->inside; k++)
      if (o->layout.stride[k] && find(ax, x * FS_MAX_RANK + k) == find(ax, h * FS_MAX_RANK + axis))
        return true;
  }
  return false;
}

/* What is repeated along an axis of the extent that was summed up goes along that axis again, where
 * nothing else says along which: k = rowargmin(D); O = k == (1:16)'. */
static void unite_repeated(struct fs_axes *ax, const fs_id *calls, int n) {
  const struct fs_graph *g = ax->p->g;
  for (int k = 0; k < n; k++) {
    const struct fs_node *nd = fs_node(g, calls[k]);
    if (nd->kind != FS_ND_REDUCE || !nd->shape.rank || nd->axes & (nd->axes - 1)) continue;
    int h = fs_axes_member(ax, calls[k]), from = ax->holders.data[h].src[0];
    int axis = __builtin_ctz(nd->axes);
    const struct fs_shape *s = &fs_node(g, nd->src[0])->shape;
    for (int x = 0; x < ax->n_wide; x++) {
      int w = ax->wide[x];
      const struct fs_shape *t = walked(g, &ax->holders.data[w]);
      if (!ax->holders.data[w].inside || !meet(ax, h, nd->shape.rank, w, 0, t->rank)) continue;
      for (int a = 0; a < t->rank; a++)
        if (t->dim[a] == s->dim[axis] && !is_read_along(ax, w, a) &&
            !meet(ax, from, s->rank, w, a, a + 1))
          try_to_unite(ax, from, axis, w, a, 1);
    }
  }
}

/* Numbers the classes that members walk. */
static enum fs_rule number(struct fs_axes *ax) {
  int *cls = ax->room + ax->parent.len;
  for (int k = 0; k < ax->parent.len; k++) cls[k] = -1;
  enum fs_rule why = FS_RULE_NONE;
  for (int h = 0; h < ax->holders.len && !why; h++) {
    struct fs_holder *ho = &ax->holders.data[h];
    const struct fs_shape *s = walked(ax->p->g, ho);
    for (int k = ho->list != 0; k < s->rank && !why; k++) {
      int root = find(ax, h * FS_MAX_RANK + k);
      if (cls[root] < 0) {
        if (ax->n_classes == FS_MAX_RANK) {
          why = FS_RULE_SHAPE;
          break;
        }
        ax->extent[ax->n_classes] = s->dim[k];
        cls[root] = ax->n_classes++;
      }
      ho->cls[k] = cls[root];
      if (ho->inside || ho->layout.stride[k] != 0) ho->mask |= 1u << cls[root];
    }
    /* The holder of the list came before it. */
    if (ho->list > 0) ho->mask |= ax->holders.data[ho->list - 1].mask;
  }
  return why;
}

/* Four times what is for each axis of a holder. */
static void take_room(struct fs_axes *ax) {
  if (ax->room_for < ax->parent.len) {
    ax->room = fs_realloc(ax->room, 4 * sizeof(int) * (size_t)ax->parent.cap);
    ax->room_for = ax->parent.cap;
  }
  ax->saved = ax->room;
}

enum fs_rule fs_axes_unify(struct fs_axes *ax, struct fs_maker *p, const fs_id *calls, int n) {
  ax->p = p;
  ax->holders.len = ax->parent.len = ax->n_classes = 0;
  p->stamp++;
  for (int k = 0; k < n; k++) p->member_stamp[calls[k]] = p->stamp;
  for (int k = 0; k < n; k++) {
    int h;
    enum fs_rule why = add(ax, calls[k], &h);
    if (why) return why;
  }
  take_room(ax);
  find_wide(ax);
  bool none = conflict(ax);
  if (!none) {
    unite_shared(ax);
    unite_alike(ax, calls, n);
    unite_repeated(ax, calls, n);
  }
  return none ? FS_RULE_SHAPE : number(ax);
}

void fs_axes_free(struct fs_axes *ax) {
  FS_VEC_FREE(&ax->holders);
  FS_VEC_FREE(&ax->parent);
  free(ax->room);
}
