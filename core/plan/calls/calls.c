/* calls.c - from graph nodes to elementary calls, and from calls to clusters.
 *
 * A call is a map, a reduction (with the product inside it: gemv and dot are one
 * call each, as in Filipovic et al., section 3.3), a library call or an UPDATE.
 * Maps that cost nothing to repeat (an outer product, 1-beta) are no calls: every
 * kernel that needs one computes it.
 */
#include "core/plan/calls/calls.h"

/* A map over leaves with at most this many operations may be repeated ... */
enum { INLINE_NODES = 4 };
/* ... when its operands are at most this part of its result. */
static const double INLINE_SHARE = 0.25;
/* Blocks of more clusters are planned in parts, for which their order counts. */
enum { MANY_CLUSTERS = 90 };

/* Calls in a cluster: bounds the length of a kernel, and so its compile time. A few that
 * only make an operand of a full one go with it: alone, as the last term of a long sum,
 * they would be a kernel that stores what the next one reads. */
enum { MAX_CLUSTER = 128, A_FEW = 16 };

fs_id fs_plan_base(const struct fs_graph *g, fs_id id) {
  while (fs_node(g, id)->kind == FS_ND_VIEW) id = fs_node(g, id)->src[0];
  return id;
}

struct fs_layout fs_plan_layout(const struct fs_graph *g, fs_id id) {
  const struct fs_node *nd = fs_node(g, id);
  int64_t count;
  if (nd->kind == FS_ND_INPUT) return fs_graph_input_layout(g, nd->slot);
  if (nd->kind != FS_ND_VIEW) return fs_layout_new(nd->dtype, &nd->shape, &count);
  struct fs_layout l = fs_plan_layout(g, nd->src[0]);
  fs_view_layout(&nd->view, nd->shape.rank, &l);
  return l;
}

bool fs_plan_needs_copy(const struct fs_calls *p, fs_id update) {
  const struct fs_node *nd = fs_node(p->g, update);
  if (!nd->src[0]) return false;
  const struct fs_node *base = fs_node(p->g, nd->src[0]);
  const struct fs_call_info *info = &p->info[nd->src[0]];
  bool ours = base->kind != FS_ND_INPUT && base->kind != FS_ND_VIEW;
  return !(ours && info->n_uses == 1 && !info->is_output);
}

struct fs_shape fs_update_part(const struct fs_graph *g, const struct fs_node *nd) {
  return fs_node(g, nd->src[1])->shape;
}

bool fs_plan_goes_by_list(const struct fs_graph *g, const struct fs_node *nd) {
  if (nd->kind != FS_ND_LIB || nd->op != FS_LIB_GATHER || !(nd->lib_flags & FS_LIB_IN_RANGE))
    return false;
  const struct fs_node *from = fs_node(g, nd->src[0]), *list = fs_node(g, nd->src[1]);
  int axes = list->shape.rank, rest = from->shape.rank - 1;
  for (int s = 0; s < 2; s++) /* one number many times: kernels have it, not memory */
    if (fs_node(g, fs_plan_base(g, nd->src[s]))->kind == FS_ND_PARAM) return false;
  if (axes < 1 || rest < 0 || nd->shape.rank != axes + rest || list->dtype == FS_BOOL ||
      fs_shape_dim(&nd->lib_shape[0], 0) != from->shape.dim[0])
    return false;
  for (int k = 0; k < axes; k++)
    if (nd->shape.dim[k] != list->shape.dim[k]) return false;
  for (int k = 0; k < rest; k++)
    if (nd->shape.dim[axes + k] != from->shape.dim[1 + k]) return false;
  return true;
}

static void mark_live(struct fs_calls *p) {
  const struct fs_graph *g = p->g;
  bool *live = FS_NEW_N(p->arena, bool, g->nodes.len);
  for (int k = 0; k < g->outputs.len; k++) live[g->outputs.data[k]] = true;
  /* Sources come before users, so one backward pass finds everything. */
  for (int id = g->nodes.len - 1; id > 0; id--) {
    if (!live[id]) continue;
    const struct fs_node *nd = fs_node(g, (fs_id)id);
    p->info[id].role = FS_RL_CALL;
    for (int s = 0; s < nd->n_src; s++) {
      if (!nd->src[s]) continue;
      live[nd->src[s]] = true;
      p->info[nd->src[s]].n_uses++;
    }
    if (nd->kind == FS_ND_VIEW) p->info[nd->src[0]].viewed = true;
  }
}

static void must_store(struct fs_calls *p, fs_id id) {
  p->info[fs_plan_base(p->g, id)].must_store = true;
}

static void mark_stored(struct fs_calls *p) {
  const struct fs_graph *g = p->g;
  for (int k = 0; k < g->outputs.len; k++) {
    fs_id id = g->outputs.data[k];
    p->info[fs_plan_base(g, id)].is_output = true;
    must_store(p, id);
  }
  for (int id = 1; id < g->nodes.len; id++) {
    const struct fs_node *nd = fs_node(g, (fs_id)id);
    if (p->info[id].role == FS_RL_DEAD) continue;
    if (nd->kind == FS_ND_LIB)
      for (int s = 0; s < nd->n_src; s++) must_store(p, nd->src[s]);
    if (nd->kind == FS_ND_UPDATE && nd->src[0]) must_store(p, nd->src[0]);
  }
}

/* The product in sum(x.*y): one call with its sum, if nobody else wants it. */
static void absorb_products(struct fs_calls *p) {
  const struct fs_graph *g = p->g;
  for (int id = 1; id < g->nodes.len; id++) {
    const struct fs_node *nd = fs_node(g, (fs_id)id);
    if (p->info[id].role != FS_RL_CALL || nd->kind != FS_ND_REDUCE) continue;
    if (nd->op != FS_RD_SUM || !fs_dtype_is_float(nd->dtype)) continue;
    const struct fs_node *src = fs_node(g, nd->src[0]);
    struct fs_call_info *in = &p->info[nd->src[0]];
    bool product = src->kind == FS_ND_MAP && (src->op == FS_OP_MUL || src->op == FS_OP_SQUARE);
    if (product && in->n_uses == 1 && !in->must_store)
      in->role = FS_RL_ABSORBED;
  }
}

/* Counts the map nodes and operand bytes of a cone of maps over leaves; false
 * when it is none or too large. */
static bool leaf_cone(const struct fs_graph *g, fs_id id, int *nodes, double *bytes) {
  const struct fs_node *nd = fs_node(g, id);
  switch (nd->kind) {
    case FS_ND_VIEW: return leaf_cone(g, nd->src[0], nodes, bytes);
    case FS_ND_PARAM: case FS_ND_IOTA: return true;
    case FS_ND_INPUT:
      *bytes += fs_graph_input_bytes(g, nd);
      return true;
    case FS_ND_MAP:
      *nodes += nd->user ? 1 + (int)nd->user->flops / 2 : 1;
      if (*nodes > INLINE_NODES) return false;
      for (int s = 0; s < nd->n_src; s++)
        if (!leaf_cone(g, nd->src[s], nodes, bytes)) return false;
      return true;
    default: return false;
  }
}

static bool cheap_to_repeat(const struct fs_calls *p, fs_id id) {
  const struct fs_node *nd = fs_node(p->g, id);
  if (nd->kind != FS_ND_MAP || p->info[id].must_store) return false;
  int nodes = 0;
  double bytes = 0;
  if (!leaf_cone(p->g, id, &nodes, &bytes)) return false;
  double own = (double)fs_shape_count(&nd->shape) * (double)fs_dtype_size(nd->dtype);
  return nd->shape.rank == 0 || bytes <= INLINE_SHARE * own;
}

/* -- pins ------------------------------------------------------------------------ */

/* The call whose kernel has the node's value: a product inside a reduction is
 * the reduction's. 0: none, every user makes it for itself. */
static fs_id call_of(const struct fs_calls *p, fs_id id) {
  id = fs_plan_base(p->g, id);
  switch (p->info[id].role) {
    case FS_RL_CALL: case FS_RL_LIBRARY: return id;
    case FS_RL_ABSORBED:
      for (int k = (int)id + 1; k < p->g->nodes.len; k++) {
        const struct fs_node *nd = fs_node(p->g, (fs_id)k);
        if (nd->kind == FS_ND_REDUCE && nd->src[0] == id && p->info[k].role == FS_RL_CALL)
          return (fs_id)k;
      }
      return 0;
    default: return 0;
  }
}

/* Whether a pin names the node: then it is a call, not made wherever it is used. */
static bool is_pinned(const struct fs_calls *p, fs_id id) {
  for (int k = 0; k < p->options->n_pins; k++)
    if (fs_plan_base(p->g, p->options->pins[k].a) == id ||
        fs_plan_base(p->g, p->options->pins[k].b) == id)
      return true;
  return false;
}

static void read_pins(struct fs_calls *p) {
  p->pins = FS_NEW_N(p->arena, struct fs_pin_result, p->options->n_pins + 1);
  for (int k = 0; k < p->options->n_pins; k++) {
    struct fs_pin pin = p->options->pins[k];
    p->pins[k] = (struct fs_pin_result){
        .pin = pin, .a = call_of(p, pin.a), .b = call_of(p, pin.b)};
  }
}

/* Whether a pinned kernel has one of the two calls and not the other. */
static bool pin_parts(const struct fs_calls *p, fs_id a, fs_id b) {
  for (int k = 0; k < p->options->n_kernel_pins; k++)
    if (fs_pin_has_call(&p->options->kernel_pins[k], a) !=
        fs_pin_has_call(&p->options->kernel_pins[k], b))
      return true;
  return false;
}

/* -- roles ----------------------------------------------------------------------- */

static void set_roles(struct fs_calls *p, bool repeat) {
  const struct fs_graph *g = p->g;
  for (int id = 1; id < g->nodes.len; id++) {
    struct fs_call_info *in = &p->info[id];
    in->call = -1;
    if (in->role != FS_RL_CALL) continue;
    switch (fs_node(g, (fs_id)id)->kind) {
      case FS_ND_INPUT: case FS_ND_TABLE: in->role = FS_RL_LEAF; break;
      case FS_ND_PARAM: case FS_ND_IOTA:
        in->role = in->must_store ? FS_RL_CALL : FS_RL_LEAF;
        break;
      case FS_ND_RAND: case FS_ND_RANDN: /* too dear to be drawn twice */
        in->role = in->must_store || in->n_uses > 1 || in->viewed ? FS_RL_CALL : FS_RL_LEAF;
        break;
      case FS_ND_VIEW: in->role = FS_RL_EDGE; break;
      case FS_ND_LIB:
        if (!fs_plan_goes_by_list(g, fs_node(g, (fs_id)id))) in->role = FS_RL_LIBRARY;
        break;
      default:
        if (repeat && in->n_uses > 1 && cheap_to_repeat(p, (fs_id)id) && !is_pinned(p, (fs_id)id))
          in->role = FS_RL_INLINE;
    }
    if (in->role == FS_RL_CALL || in->role == FS_RL_LIBRARY) {
      in->call = p->list.len;
      *FS_PUSH(&p->list) = (fs_id)id;
    }
  }
}

/* -- clusters ---------------------------------------------------------------- */

static void visit_operand(struct fs_visit *v, fs_id id, bool whole) {
  const struct fs_node *nd = fs_node(v->c->g, id);
  switch (v->c->info[id].role) {
    case FS_RL_CALL: case FS_RL_LIBRARY: v->call(v, id, whole); break;
    case FS_RL_EDGE: visit_operand(v, nd->src[0], false); break;
    case FS_RL_LEAF:
      if (nd->kind == FS_ND_INPUT && v->array) v->array(v, id);
      break;
    default:
      for (int s = 0; s < nd->n_src; s++) visit_operand(v, nd->src[s], whole);
  }
}

void fs_visit_call(struct fs_visit *v, fs_id id) {
  const struct fs_node *nd = fs_node(v->c->g, id);
  for (int s = 0; s < nd->n_src; s++) {
    if (!nd->src[s]) continue;
    bool same_domain = nd->kind == FS_ND_MAP || nd->kind == FS_ND_REDUCE || nd->kind == FS_ND_APPLY;
    visit_operand(v, nd->src[s], same_domain);
  }
}

struct users {
  struct fs_visit v;
  int *n_users, *user;  /* per call: how many calls use it; one of them */
  bool *whole;          /* that one uses it element by element          */
};

static void count_user(struct fs_visit *v, fs_id id, bool whole) {
  struct users *u = (struct users *)v;
  int call = v->c->info[id].call;
  if (u->n_users[call] == 0 || u->user[call] != v->user) u->n_users[call]++;
  u->user[call] = v->user;
  u->whole[call] = whole;
}

static int find(int *parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* Whether the pin keeps two groups of calls apart. */
static bool pinned_apart(const struct fs_calls *p, const struct fs_pin_result *r, int *parent,
                         int from, int to) {
  if (r->pin.together || !r->a || !r->b) return false;
  int a = find(parent, p->info[r->a].call), b = find(parent, p->info[r->b].call);
  return (a == from && b == to) || (a == to && b == from);
}

/* A map whose value nobody but one call wants, element by element, shares that
 * call's kernel in every good plan: one less store and load. */
static void join_maps(struct fs_calls *p, int *parent, bool join) {
  int n = p->list.len, *size = FS_NEW_N(p->arena, int, p->list.len);
  struct users u = {.v = {.c = p, .call = count_user},
                    .n_users = FS_NEW_N(p->arena, int, n),
                    .user = FS_NEW_N(p->arena, int, n),
                    .whole = FS_NEW_N(p->arena, bool, n)};
  for (u.v.user = 0; u.v.user < n; u.v.user++)
    fs_visit_call(&u.v, p->list.data[u.v.user]);
  p->users = u.n_users;
  for (int c = 0; c < n && join; c++) {
    fs_id id = p->list.data[c];
    const struct fs_node *nd = fs_node(p->g, id);
    size[c]++;
    if (nd->kind != FS_ND_MAP || p->info[id].must_store) continue;
    if (u.n_users[c] != 1 || !u.whole[c]) continue;
    fs_id user = p->list.data[u.user[c]];
    const struct fs_node *un = fs_node(p->g, user);
    if (p->info[user].role != FS_RL_CALL) continue;
    if (un->kind == FS_ND_MAP && un->shape.rank != nd->shape.rank) continue;
    if (un->kind != FS_ND_MAP && un->kind != FS_ND_REDUCE && un->kind != FS_ND_APPLY)
      continue;
    if (un->kind == FS_ND_REDUCE && nd->shape.rank == 0) continue;
    bool split = fs_graph_has_barrier(p->g, id, user);
    int from = find(parent, c), to = find(parent, u.user[c]);
    for (int k = 0; k < p->options->n_pins; k++)
      split |= pinned_apart(p, &p->pins[k], parent, from, to);
    split |= pin_parts(p, id, user);
    int most = size[from] < A_FEW ? MAX_CLUSTER + A_FEW : MAX_CLUSTER;
    if (split || size[from] + size[to] >= most) continue;
    parent[from] = to;
    size[to] += size[from];
  }
}

/* The columns of a product that is written out (graph/simplify.c) go together to their places. */
static void join_columns(struct fs_calls *p, int *parent) {
  for (int c = 0; c < p->list.len; c++) {
    const struct fs_node *nd = fs_node(p->g, p->list.data[c]);
    if (nd->kind != FS_ND_UPDATE || p->info[nd->src[1]].role != FS_RL_CALL) continue;
    const struct fs_node *sum = fs_node(p->g, nd->src[1]);
    if (sum->kind != FS_ND_REDUCE || fs_span_compare(sum->span, nd->span)) continue;
    for (int k = 0; k < 2; k++)
      if (nd->src[k] && p->info[nd->src[k]].role == FS_RL_CALL)
        parent[find(parent, p->info[nd->src[k]].call)] = find(parent, c);
  }
}

struct reader {
  const void *array; /* storage of an input; NULL: of node */
  fs_id node;
  int cluster;
};

struct readers {
  struct fs_visit v;
  struct fs_calls *calls;
  FS_VEC(struct reader) list;
};

static void add_edge(struct fs_visit *v, fs_id id, bool whole) {
  (void)whole;
  struct fs_calls *p = ((struct readers *)v)->calls;
  int a = p->cluster_of[p->info[id].call], b = v->user;
  if (a == b) return;
  struct fs_cluster *from = &p->clusters.data[a], *to = &p->clusters.data[b];
  for (int k = 0; k < to->before.len; k++)
    if (to->before.data[k] == a) return;
  *FS_PUSH(&to->before) = a;
  *FS_PUSH(&from->after) = b;
}

static void add_reader(struct fs_visit *v, fs_id id) {
  struct readers *r = (struct readers *)v;
  const struct fs_node *nd = fs_node(v->c->g, id);
  struct reader *e = FS_PUSH(&r->list);
  e->array = v->c->g->inputs.data[nd->slot].storage;
  e->node = id;
  e->cluster = v->user;
}

static void add_edge_or_read(struct fs_visit *v, fs_id id, bool whole) {
  add_edge(v, id, whole);
  if (v->c->cluster_of[v->c->info[id].call] == v->user) return;
  struct reader *e = FS_PUSH(&((struct readers *)v)->list);
  e->array = NULL;
  e->node = id;
  e->cluster = v->user;
}

/* By what is read, then by cluster. */
static int compare_readers(const void *a, const void *b) {
  const struct reader *x = a, *y = b;
  if (x->array != y->array)
    return (uintptr_t)x->array < (uintptr_t)y->array ? -1 : 1;
  if (!x->array && x->node != y->node) return x->node < y->node ? -1 : 1;
  return (x->cluster > y->cluster) - (x->cluster < y->cluster);
}

/* Clusters that read the same are neighbours, as far as a window sees. */
static void connect_readers(struct fs_calls *p, struct reader *list, int n) {
  if (n) qsort(list, (size_t)n, sizeof *list, compare_readers);
  int kept = 0;
  for (int k = 0; k < n; k++)
    if (!kept || compare_readers(&list[kept - 1], &list[k])) list[kept++] = list[k];
  for (int a = 0; a < kept; a++)
    for (int b = a - 1; b >= 0; b--) {
      const struct reader *x = &list[a], *y = &list[b];
      bool same = x->array == y->array && (x->array || x->node == y->node);
      if (!same || x->cluster - y->cluster >= FS_MAX_SET) break;
      *FS_PUSH(&p->clusters.data[x->cluster].beside) = y->cluster;
      *FS_PUSH(&p->clusters.data[y->cluster].beside) = x->cluster;
    }
}

static void connect(struct fs_calls *p) {
  struct readers r = {.v = {.c = p, .call = add_edge_or_read, .array = add_reader},
                      .calls = p};
  for (int c = 0; c < p->clusters.len; c++) {
    r.v.user = c;
    struct fs_cluster *cl = &p->clusters.data[c];
    for (int k = 0; k < cl->nodes.len; k++) fs_visit_call(&r.v, cl->nodes.data[k]);
  }
  connect_readers(p, r.list.data, r.list.len);
  FS_VEC_FREE(&r.list);
}

/* Clusters in the order of their last calls, which is topological. */
static void number_clusters(struct fs_calls *p, int *parent) {
  int n = p->list.len, *number = FS_NEW_N(p->arena, int, n);
  p->cluster_of = FS_NEW_N(p->arena, int, n);
  for (int c = 0; c < n; c++) number[c] = -1;
  for (int c = 0; c < n; c++)
    if (find(parent, c) == c) {
      number[c] = p->clusters.len;
      *FS_PUSH(&p->clusters) = (struct fs_cluster){0};
    }
  for (int c = 0; c < n; c++) {
    int k = p->cluster_of[c] = number[find(parent, c)];
    struct fs_cluster *cl = &p->clusters.data[k];
    *FS_PUSH(&cl->nodes) = p->list.data[c];
    cl->library |= p->info[p->list.data[c]].role == FS_RL_LIBRARY;
  }
}

/* Clusters that need no other come right before the first that uses them: the steps of a loop
 * then lie one behind the other, whatever each is given. */
static void move_late(struct fs_calls *p) {
  int n = p->clusters.len, *rank = FS_NEW_N(p->arena, int, n);
  uint64_t *key = FS_NEW_N(p->arena, uint64_t, n);
  struct fs_cluster *all = FS_NEW_N(p->arena, struct fs_cluster, n);
  memcpy(all, p->clusters.data, sizeof *all * (size_t)n);
  for (int c = 0; c < n; c++) {
    bool moves = !all[c].before.len && all[c].after.len;
    key[c] = moves ? UINT64_MAX : (uint64_t)c;
    for (int k = 0; moves && k < all[c].after.len; k++)
      key[c] = FS_MIN(key[c], (uint64_t)all[c].after.data[k]);
  }
  fs_rank_by(key, n, rank);
  for (int c = 0; c < n; c++) {
    struct fs_cluster *cl = &p->clusters.data[rank[c]];
    *cl = all[c];
    int *lists[] = {cl->before.data, cl->after.data, cl->beside.data};
    int lens[] = {cl->before.len, cl->after.len, cl->beside.len};
    for (int l = 0; l < 3; l++)
      for (int x = 0; x < lens[l]; x++) lists[l][x] = rank[lists[l][x]];
  }
  for (int c = 0; c < p->list.len; c++) p->cluster_of[c] = rank[p->cluster_of[c]];
}

static double node_bytes(const struct fs_graph *g, fs_id id) {
  const struct fs_node *nd = fs_node(g, id);
  struct fs_layout l = fs_plan_layout(g, id);
  double bytes = (double)fs_dtype_size(nd->dtype);
  for (int k = 0; k < nd->shape.rank; k++)
    if (l.stride[k]) bytes *= (double)nd->shape.dim[k];
  return bytes;
}

/* Inputs once each, however many views of one storage there are, and outputs twice: a
 * result is made while the one of the run before is still there, so a block that is run
 * again writes to two places in turn, and caches hold both. */
static void measure_block(struct fs_calls *p) {
  const struct fs_graph *g = p->g;
  for (int id = 1; id < g->nodes.len; id++) {
    const struct fs_node *nd = fs_node(g, (fs_id)id);
    if (p->info[id].role == FS_RL_DEAD || nd->kind != FS_ND_INPUT) continue;
    const void *storage = g->inputs.data[nd->slot].storage;
    bool seen = false;
    for (int k = 0; k < nd->slot; k++)
      seen |= g->inputs.data[k].storage == storage;
    if (!seen) p->working_set += node_bytes(g, (fs_id)id);
  }
  for (int k = 0; k < g->outputs.len; k++)
    p->working_set += 2 * node_bytes(g, g->outputs.data[k]);
}

/* The clusters in the order in which the block was written. */
static void set_turns(struct fs_calls *p) {
  int n = p->clusters.len;
  uint64_t *turn = FS_NEW_N(p->arena, uint64_t, n + 1);
  FS_EACH_AT(&p->clusters, cl)
    turn[cl - p->clusters.data] = fs_node(p->g, cl->nodes.data[cl->nodes.len - 1])->turn;
  p->turn = FS_NEW_N(p->arena, int, n + 1);
  fs_rank_by(turn, n, p->turn);
}

static void find_stored(struct fs_calls *p) {
  p->stored = FS_NEW_N(p->arena, struct fs_stored, p->g->nodes.len);
  for (int id = 1; id < p->g->nodes.len; id++)
    p->stored[id] = (struct fs_stored){fs_shape_count(&fs_node(p->g, (fs_id)id)->shape),
                                       fs_plan_layout(p->g, (fs_id)id)};
}

void fs_calls_make(struct fs_calls *p, const struct fs_graph *g,
                   const struct fs_plan_options *options, bool join, bool repeat) {
  *p = (struct fs_calls){.g = g, .options = options, .arena = fs_arena_new()};
  p->info = FS_NEW_N(p->arena, struct fs_call_info, g->nodes.len);
  mark_live(p);
  mark_stored(p);
  absorb_products(p);
  set_roles(p, repeat);
  read_pins(p);
  int *parent = FS_NEW_N(p->arena, int, p->list.len);
  for (int c = 0; c < p->list.len; c++) parent[c] = c;
  join_maps(p, parent, join);
  if (join) join_columns(p, parent);
  number_clusters(p, parent);
  connect(p);
  if (p->clusters.len > MANY_CLUSTERS) move_late(p);
  measure_block(p);
  find_stored(p);
  if (p->options->strategy == FS_NO_REORDER || p->options->strategy == FS_MANUAL)
    set_turns(p);
}

void fs_calls_free(struct fs_calls *p) {
  FS_EACH_AT(&p->clusters, cl) {
    FS_VEC_FREE(&cl->nodes);
    FS_VEC_FREE(&cl->before);
    FS_VEC_FREE(&cl->after);
    FS_VEC_FREE(&cl->beside);
  }
  FS_VEC_FREE(&p->clusters);
  FS_VEC_FREE(&p->list);
  fs_arena_free(p->arena);
}
