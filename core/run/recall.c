/* recall.c - see recall.h. */
#include "core/run/recall.h"
#include "core/run/memo.h"

#include "core/plan/kernels/launches.h"

/* Beyond this, the whole part of a number and the number differ. */
static const double LARGEST_WHOLE = 9e18;

/* Four chains at once. It only finds a place: signatures are compared. */
static uint64_t hash_of(const fs_signature *s) {
  uint64_t h[4] = {1, 2, 3, 4};
  for (int k = 0; k < s->len; k++)
    h[k & 3] = (h[k & 3] ^ s->data[k]) * 0x9e3779b97f4a7c15u;
  return fs_hash(h, sizeof h, (uint64_t)s->len);
}

static bool same(const fs_signature *a, const fs_signature *b) {
  return a->len == b->len &&
         !memcmp(a->data, b->data, sizeof *a->data * (size_t)a->len);
}

static bool is_plain(struct fs_number n) {
  return n.f < LARGEST_WHOLE && n.f > -LARGEST_WHOLE;
}

const struct fs_recalled *fs_recall_find(struct fs_recall *r, const struct fs_graph *traced,
                                         struct fs_epoch here) {
  fs_graph_signature(traced, &r->now);
  *FS_PUSH(&r->now) = here.strategy;
  r->hash = hash_of(&r->now);
  const struct fs_recalled *p = &r->place[r->hash % FS_RECALLED];
  if (p->hash != r->hash || !fs_memo_block(&p->memo, here)) return NULL;
  if (!same(&p->words, &r->now)) return NULL;
  for (int k = 0; k < traced->params.len; k++)
    if (!is_plain(traced->params.data[k])) return NULL;
  return p;
}

static void clear(struct fs_recalled *p) {
  fs_memo_drop(&p->memo);
  FS_VEC_FREE(&p->words);
  FS_VEC_FREE(&p->updates);
  free(p->from);
  free(p->apart);
  *p = (struct fs_recalled){0};
}

static fs_id node_of(const struct fs_graph *g, int input) {
  int id = 1;
  while (fs_node(g, (fs_id)id)->kind != FS_ND_INPUT || fs_node(g, (fs_id)id)->slot != input)
    id++;
  return (fs_id)id;
}

/* Whether a node is more than what slices were made of: then its anchor goes by what it
 * shares elements with. */
static bool is_used(const struct fs_graph *g, fs_id id) {
  for (int n = 1; n < g->nodes.len; n++)
    for (int k = 0; k < g->nodes.data[n].n_src; k++)
      if (g->nodes.data[n].src[k] == id) return true;
  for (int k = 0; k < g->outputs.len; k++)
    if (g->outputs.data[k] == id) return true;
  return false;
}

/* Whether an input of the block is one of the traced graph; where it may lie elsewhere the
 * next time, the very slice, which moves as it does. */
static bool is_origin(const struct fs_graph *traced, int at,
                      const struct fs_graph *simplified, int input) {
  const struct fs_graph_input *a = &traced->inputs.data[at];
  const struct fs_graph_input *b = &simplified->inputs.data[input];
  if (a->tensor != b->tensor || !b->anchored) return a->tensor == b->tensor;
  fs_id x = node_of(traced, at), y = node_of(simplified, input);
  return a->anchored && !memcmp(&a->layout, &b->layout, sizeof a->layout) &&
         fs_shape_equal(&fs_node(traced, x)->shape, &fs_node(simplified, y)->shape) &&
         is_used(traced, x);
}

/* Fills from[], false if something of the block is not in the traced graph. */
static bool find_origins(const struct fs_graph *traced,
                         const struct fs_graph *simplified, int *from) {
  for (int k = 0; k < simplified->inputs.len; k++) {
    int at = 0;
    while (at < traced->inputs.len && !is_origin(traced, at, simplified, k)) at++;
    if (at == traced->inputs.len) return false;
    *from++ = at;
  }
  for (int k = 0; k < simplified->params.len; k++) {
    int at = simplified->origins.data[k];
    if (at >= traced->params.len) return false;
    if (memcmp(&simplified->params.data[k], &traced->params.data[at],
               sizeof(struct fs_number)))
      return false;
    *from++ = at;
  }
  return true;
}

/* Pairs the updates of one value that follow on each other. */
static bool pair_updates(const struct fs_graph *traced, const struct fs_graph *simplified,
                         int output, struct fs_recalled *p) {
  fs_id a = traced->outputs.data[output], b = simplified->outputs.data[output];
  for (;;) {
    const struct fs_node *x = fs_node(traced, a), *y = fs_node(simplified, b);
    bool known = false;
    if (y->kind != FS_ND_UPDATE) return true;
    if (x->kind != FS_ND_UPDATE || !x->anchored != !y->anchored) return false;
    for (int k = 0; k < p->updates.len; k++) known |= p->updates.data[k].own == b;
    if (y->anchored && !known)
      *FS_PUSH(&p->updates) = (struct fs_recalled_update){a, b, x->anchor - y->anchor};
    a = x->src[0], b = y->src[0];
  }
}

static bool find_updates(const struct fs_graph *traced, const struct fs_graph *simplified,
                         struct fs_recalled *p) {
  int n = 0;
  for (int k = 0; k < simplified->outputs.len; k++)
    if (!pair_updates(traced, simplified, k, p)) return false;
  for (int id = 1; id < simplified->nodes.len; id++)
    n += simplified->nodes.data[id].anchored != 0;
  return n == p->updates.len;
}

/* Whether what moves together in the block does so in the traced graph. */
static bool move_alike(const struct fs_graph *traced, const struct fs_graph *simplified,
                       const struct fs_recalled *p) {
  const struct fs_graph_input *own = simplified->inputs.data, *in = traced->inputs.data;
  for (int u = 0; u < p->updates.len; u++)
    for (int v = 0; v < u; v++) {
      const struct fs_recalled_update *x = &p->updates.data[u], *y = &p->updates.data[v];
      if (fs_node(simplified, x->own)->anchored == fs_node(simplified, y->own)->anchored &&
          fs_node(traced, x->traced)->anchored != fs_node(traced, y->traced)->anchored)
        return false;
    }
  for (int k = 0; k < simplified->inputs.len; k++) {
    int with = in[p->from[k]].anchored;
    for (int i = 0; i < k && own[k].anchored; i++)
      if (own[i].anchored == own[k].anchored && in[p->from[i]].anchored != with)
        return false;
    for (int u = 0; u < p->updates.len && own[k].anchored; u++)
      if (fs_node(simplified, p->updates.data[u].own)->anchored == own[k].anchored &&
          fs_node(traced, p->updates.data[u].traced)->anchored != with)
        return false;
  }
  return true;
}

/* Fills apart[] and the updates; false if what may move in the one graph may not in the
 * other. */
static bool find_anchors(const struct fs_graph *traced, const struct fs_graph *simplified,
                         struct fs_recalled *p) {
  if (!find_updates(traced, simplified, p) || !move_alike(traced, simplified, p)) return false;
  p->apart = fs_calloc((size_t)simplified->inputs.len + 1, sizeof *p->apart);
  for (int k = 0; k < simplified->inputs.len; k++)
    p->apart[k] = traced->inputs.data[p->from[k]].anchor - simplified->inputs.data[k].anchor;
  return true;
}

void fs_recall_move(const struct fs_recalled *p, const struct fs_graph *traced) {
  struct fs_graph *g = (struct fs_graph *)p->memo.life->block->plan->graph;
  for (int k = 0; k < g->inputs.len; k++)
    if (g->inputs.data[k].anchored)
      fs_graph_move_input(g, k, traced->inputs.data[p->from[k]].anchor - p->apart[k]);
  for (int k = 0; k < p->updates.len; k++) {
    const struct fs_recalled_update *u = &p->updates.data[k];
    const struct fs_node *n = fs_node(traced, u->traced);
    fs_graph_move_update(g, u->own, n->anchor - u->apart, &n->view);
  }
}

void fs_recall_put(struct fs_recall *r, const struct fs_graph *traced,
                   const struct fs_graph *simplified, struct fs_block *block,
                   struct fs_epoch here) {
  int n = simplified->inputs.len + simplified->params.len;
  struct fs_recalled *p = &r->place[r->hash % FS_RECALLED];
  clear(p);
  p->from = fs_calloc((size_t)n + 1, sizeof *p->from);
  if (!find_origins(traced, simplified, p->from) || !find_anchors(traced, simplified, p)) {
    clear(p);
    return;
  }
  p->hash = r->hash;
  p->words = r->now;
  fs_memo_take(&p->memo, block, here);
  r->now = (fs_signature){0}; /* the next one will be as long */
  r->now.data = fs_malloc(sizeof *r->now.data * (size_t)p->words.cap);
  r->now.cap = p->words.cap;
}

void fs_recall_clear(struct fs_recall *r) {
  for (int k = 0; k < FS_RECALLED; k++) clear(&r->place[k]);
  FS_VEC_FREE(&r->now);
}
