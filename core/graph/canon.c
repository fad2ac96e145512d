/* canon.c - gives a graph the order that its structure asks for: operands of
 * commutative ops sorted, nodes numbered in the order in which the outputs reach
 * them, inputs and params numbered by first use, dead nodes gone. Two programs
 * that say the same thing get the same graph, and fs_graph_same() sees it.
 *
 * needs: a legal graph; keeps: values; spoils: ids, slots */
#include "core/graph/internal.h"

/* What operands are sorted by. `rough` leaves extents out, so that the order
 * rarely depends on sizes. Neither depends on names or on the order of nodes. */
struct key {
  int class;
  uint64_t rough, full;
};

struct canon {
  const struct fs_graph *from;
  struct fs_graph *to;
  struct key *key;
  fs_id *map;
  int *param;      /* slot in `from` -> slot in `to` + 1 */
  int *literal;    /* the same, of the first of those that are one literal */
  FS_VEC(fs_id) stack;
};

/* Scalars, then matrices, then what is broadcast or made, then what is
 * computed: 2*A, A*p, A + u*v'. */
static int class_of(const struct fs_graph *g, const struct fs_node *n) {
  if (n->shape.rank == 0) return 0;
  if (n->kind == FS_ND_INPUT) {
    for (int k = 0; k < n->shape.rank; k++)
      if (g->inputs.data[n->slot].layout.stride[k] == 0) return 2;
    return 1;
  }
  return n->kind == FS_ND_MAP || n->kind == FS_ND_REDUCE ? 4 : 3;
}

static bool before(const struct key *a, const struct key *b) {
  if (a->class != b->class) return a->class < b->class;
  if (a->rough != b->rough) return a->rough < b->rough;
  return a->full < b->full;
}

static void swap(fs_id *a, fs_id *b) {
  fs_id t = *a;
  *a = *b;
  *b = t;
}

static bool commutes(const struct fs_node *n) {
  return n->kind == FS_ND_MAP && fs_map_ops[n->op].commutes;
}

/* Operands as ids of `from`, in canonical order. */
static void sorted_sources(const struct canon *c, const struct fs_node *n,
                           fs_id src[FS_MOST_SRC]) {
  memcpy(src, n->src, sizeof n->src);
  if (commutes(n) && before(&c->key[src[1]], &c->key[src[0]]))
    swap(&src[0], &src[1]);
}

static uint64_t rough_of(const struct canon *c, const struct fs_node *n) {
  uint64_t h = fs_mix((uint64_t)n->kind << 32 | (uint64_t)n->op << 16 |
                          (uint64_t)fs_dtypes[n->dtype].code << 8 | n->axes,
                      (uint64_t)n->shape.rank);
  if (n->kind == FS_ND_INPUT) {
    const int64_t *stride = c->from->inputs.data[n->slot].layout.stride;
    for (int k = 0; k < n->shape.rank; k++)
      h = fs_mix(h, stride[k] == 0 ? 1 : stride[k] == 1 ? 2 : 3);
  }
  if (n->kind == FS_ND_VIEW)
    for (int s = 0; s < n->view.src_rank; s++)
      h = fs_mix(h, (uint64_t)n->view.axis[s]);
  return h;
}

static void compute_key(struct canon *c, fs_id id) {
  struct fs_node n = *fs_node(c->from, id);
  struct key *key = &c->key[id];
  struct fs_words w;
  fs_id src[FS_MOST_SRC];
  sorted_sources(c, &n, src);
  memset(n.src, 0, sizeof n.src); /* the full key goes by keys, not by ids */
  fs_node_words(c->from, &n, false, &w);
  if (n.kind == FS_ND_INPUT || n.kind == FS_ND_PARAM)
    for (int k = 0; k < w.n; k++) /* nor by slots */
      if (k == n.shape.rank + 2) w.w[k] = 0;
  key->class = class_of(c->from, &n);
  key->rough = rough_of(c, &n);
  key->full = fs_words_hash(&w, 0);
  for (int k = 0; k < n.n_src; k++) {
    key->rough = fs_mix(key->rough, src[k] ? c->key[src[k]].rough : 0);
    key->full = fs_mix(key->full, src[k] ? c->key[src[k]].full : 0);
  }
}

static bool is_later(struct fs_span a, struct fs_span b) {
  if (b.source == 0) return false;
  if (a.source != b.source) return a.source == 0 || a.source > b.source;
  return a.begin > b.begin;
}

static fs_id build(struct canon *c, fs_id id) {
  struct fs_node n = *fs_node(c->from, id);
  fs_id src[FS_MOST_SRC];
  fs_graph_come_from(c->to, &n);
  if (n.kind == FS_ND_INPUT) {
    return fs_graph_input_like(c->to, &c->from->inputs.data[n.slot], n.dtype, &n.shape);
  }
  if (n.kind == FS_ND_PARAM) {
    int *slot = &c->param[n.slot];
    if (!*slot) {
      *FS_PUSH(&c->to->params) = c->from->params.data[n.slot];
      *FS_PUSH(&c->to->origins) = n.slot; /* rewriting keeps the slots */
      *slot = c->to->params.len;
      int first = c->from->literals.data[n.slot];
      if (first >= 0 && !c->literal[first]) c->literal[first] = *slot;
      *FS_PUSH(&c->to->literals) = first >= 0 ? c->literal[first] - 1 : first;
    }
    n.slot = *slot - 1;
  }
  sorted_sources(c, &n, src);
  for (int k = 0; k < n.n_src; k++) n.src[k] = c->map[src[k]];
  if (commutes(&n) && n.src[1] < n.src[0] &&
      !before(&c->key[src[0]], &c->key[src[1]]))
    swap(&n.src[0], &n.src[1]); /* equal keys: any fixed order will do */
  fs_id now = fs_graph_intern(c->to, &n);
  struct fs_node *made = fs_node(c->to, now);
  if (is_later(made->stmt, n.stmt)) {
    made->stmt = n.stmt;
    made->span = n.span;
    made->inner = n.inner;
    made->turn = n.turn;
  }
  return now;
}

/* Builds a node after its operands, depth first. */
static void reach(struct canon *c, fs_id root) {
  *FS_PUSH(&c->stack) = root;
  while (c->stack.len && !fs_interrupted()) {
    fs_id id = c->stack.data[c->stack.len - 1], src[FS_MOST_SRC];
    const struct fs_node *n = fs_node(c->from, id);
    int waiting = 0;
    if (!c->map[id]) {
      sorted_sources(c, n, src);
      for (int k = n->n_src - 1; k >= 0; k--)
        if (src[k] && !c->map[src[k]]) {
          *FS_PUSH(&c->stack) = src[k];
          waiting++;
        }
      if (!waiting) c->map[id] = build(c, id);
    }
    if (!waiting) c->stack.len--;
  }
}

/* Nodes before each barrier that something behind it, or the user, wants. */
static void reach_segments(struct canon *c) {
  const struct fs_graph *g = c->from;
  fs_id *last = fs_calloc((size_t)g->nodes.len, sizeof *last); /* last use */
  for (int k = 0; k < g->outputs.len; k++) last[g->outputs.data[k]] = UINT32_MAX;
  for (int id = g->nodes.len - 1; id > 0; id--)
    for (int k = 0; last[id] && k < g->nodes.data[id].n_src; k++) {
      fs_id *l = &last[g->nodes.data[id].src[k]];
      *l = FS_MAX(*l, (fs_id)id);
    }
  for (int b = 0; b < g->barriers.len; b++) {
    fs_id at = g->barriers.data[b];
    for (fs_id id = 1; id < at; id++)
      if (last[id] >= at && !c->map[id]) reach(c, id);
    int n = c->to->barriers.len;
    fs_id now = (fs_id)c->to->nodes.len;
    if (now > 1 && (!n || c->to->barriers.data[n - 1] != now))
      *FS_PUSH(&c->to->barriers) = now;
  }
  free(last);
}

struct fs_graph *fs_graph_canonical(const struct fs_graph *g) {
  struct canon c = {.from = g, .to = fs_graph_new()};
  c.key = fs_calloc((size_t)g->nodes.len, sizeof *c.key);
  c.map = fs_calloc((size_t)g->nodes.len, sizeof *c.map);
  c.param = fs_calloc((size_t)g->params.len + 1, sizeof *c.param);
  c.literal = fs_calloc((size_t)g->params.len + 1, sizeof *c.literal);
  for (int id = 1; id < g->nodes.len; id++) compute_key(&c, (fs_id)id);
  if (g->barriers.len) reach_segments(&c);
  for (int k = 0; k < g->outputs.len; k++) reach(&c, g->outputs.data[k]);
  for (int k = 0; k < g->outputs.len && !fs_interrupted(); k++)
    fs_graph_output(c.to, c.map[g->outputs.data[k]], g->output_names.data[k]);
  int n = c.to->barriers.len;
  if (n && c.to->barriers.data[n - 1] == (fs_id)c.to->nodes.len)
    c.to->barriers.len--; /* nothing behind it */
  free(c.key);
  free(c.map);
  free(c.param);
  free(c.literal);
  FS_VEC_FREE(&c.stack);
  return c.to;
}
