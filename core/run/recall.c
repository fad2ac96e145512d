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

/* The nodes of a graph's inputs, and which of them are more than what slices were made of:
 * of those the anchor goes by what they share elements with. */
struct input_nodes {
  fs_id *node;
  bool *used;
};

static struct input_nodes nodes_of(const struct fs_graph *g) {
  size_t n = (size_t)g->inputs.len + 1;
  struct input_nodes x = {fs_calloc(n, sizeof *x.node), fs_calloc(n, sizeof *x.used)};
  for (int id = 1; id < g->nodes.len; id++) {
    const struct fs_node *nd = fs_node(g, (fs_id)id);
    if (nd->kind == FS_ND_INPUT) x.node[nd->slot] = (fs_id)id;
    for (int k = 0; k < nd->n_src; k++) {
      const struct fs_node *src = fs_node(g, nd->src[k]);
      if (src->kind == FS_ND_INPUT) x.used[src->slot] = true;
    }
  }
  for (int k = 0; k < g->outputs.len; k++) {
    const struct fs_node *out = fs_node(g, g->outputs.data[k]);
    if (out->kind == FS_ND_INPUT) x.used[out->slot] = true;
  }
  return x;
}

static void free_nodes(struct input_nodes *x) {
  free(x->node);
  free(x->used);
}

/* Whether an input of the block is one of the traced graph; where it may lie elsewhere the
 * next time, the very slice, which moves as it does. */
static bool is_origin(const struct fs_graph *traced, const struct input_nodes *x, int at,
                      const struct fs_graph *simplified, const struct input_nodes *y,
                      int input) {
  const struct fs_graph_input *a = &traced->inputs.data[at];
  const struct fs_graph_input *b = &simplified->inputs.data[input];
  if (a->tensor != b->tensor || !b->anchored) return a->tensor == b->tensor;
  return a->anchored && !memcmp(&a->layout, &b->layout, sizeof a->layout) && x->used[at] &&
         fs_shape_equal(&fs_node(traced, x->node[at])->shape,
                        &fs_node(simplified, y->node[input])->shape);
}

/* A slice that is gone was sliced again: what it became may be another one today, but not where
 * both lie elsewhere.
 * Those that need not be the very slice are the first of their tensor. They have about the
 * order of the traced ones: each is looked for from where the last one was. */
static bool find_inputs(const struct fs_graph *traced, const struct fs_graph *simplified,
                        int *from) {
  struct input_nodes x = nodes_of(traced), y = nodes_of(simplified);
  int n = traced->inputs.len, last = 0;
  bool all = true;
  for (int k = 0; k < simplified->inputs.len && all; k++) {
    int begin = simplified->inputs.data[k].anchored ? last : 0, tried = 0;
    while (tried < n &&
           !is_origin(traced, &x, (begin + tried) % n, simplified, &y, k))
      tried++;
    all = tried < n;
    if (all) last = from[k] = (begin + tried) % n;
  }
  for (int j = 0; j < n && all; j++) {
    bool there = !x.used[j] || !traced->inputs.data[j].anchored;
    for (int k = 0; k < simplified->inputs.len; k++) there |= from[k] == j;
    all = there;
  }
  free_nodes(&x);
  free_nodes(&y);
  return all;
}

/* Fills from[], false if something of the block is not in the traced graph. A number that follows
 * from shapes is the block's: -1. */
static bool find_origins(const struct fs_graph *traced,
                         const struct fs_graph *simplified, int *from) {
  if (!find_inputs(traced, simplified, from)) return false;
  from += simplified->inputs.len;
  for (int k = 0; k < simplified->params.len; k++) {
    int at = simplified->origins.data[k];
    if (simplified->literals.data[k] == FS_FROM_SHAPES) {
      *from++ = -1;
      continue;
    }
    if (at >= traced->params.len) return false;
    if (memcmp(&simplified->params.data[k], &traced->params.data[at],
               sizeof(struct fs_number)))
      return false;
    *from++ = at;
  }
  return true;
}

/* Pairs the updates of one value that follow on each other, but for those that are known.
 * Where one of them has gone, since the next one replaces all of its part, another time it
 * may not. */
static bool pair_updates(const struct fs_graph *traced, const struct fs_graph *simplified,
                         int output, bool *known, struct fs_recalled *p) {
  fs_id a = traced->outputs.data[output], b = simplified->outputs.data[output];
  for (;;) {
    const struct fs_node *x = fs_node(traced, a), *y = fs_node(simplified, b);
    if (y->kind != FS_ND_UPDATE) return x->kind != FS_ND_UPDATE;
    if (x->kind != FS_ND_UPDATE || !x->anchored != !y->anchored) return false;
    if (y->anchored && !known[b])
      *FS_PUSH(&p->updates) = (struct fs_recalled_update){a, b, x->anchor - y->anchor};
    known[b] = true;
    a = x->src[0], b = y->src[0];
  }
}

static bool find_updates(const struct fs_graph *traced, const struct fs_graph *simplified,
                         struct fs_recalled *p) {
  int n = 0;
  bool *known = fs_calloc((size_t)simplified->nodes.len, sizeof *known), good = true;
  for (int k = 0; k < simplified->outputs.len && good; k++)
    good = pair_updates(traced, simplified, k, known, p);
  free(known);
  for (int id = 1; id < simplified->nodes.len; id++)
    n += simplified->nodes.data[id].anchored != 0;
  return good && n == p->updates.len;
}

/* with[]: of what moves with a number in the block, the number of one of those in the traced
 * graph. False: this one's is another. */
static bool moves_with(int *with, const struct fs_graph *simplified, int number, int traced) {
  int *one = &with[number > 0 ? number : simplified->inputs.len - number];
  bool alike = !*one || *one == traced;
  *one = traced;
  return alike;
}

/* Whether what moves together in the block does so in the traced graph. */
static bool move_alike(const struct fs_graph *traced, const struct fs_graph *simplified,
                       const struct fs_recalled *p) {
  size_t most = (size_t)simplified->inputs.len + (size_t)simplified->nodes.len + 1;
  int *with = fs_calloc(most, sizeof *with);
  bool alike = true;
  for (int u = 0; u < p->updates.len && alike; u++) {
    const struct fs_recalled_update *x = &p->updates.data[u];
    alike = moves_with(with, simplified, fs_node(simplified, x->own)->anchored,
                       fs_node(traced, x->traced)->anchored);
  }
  for (int k = 0; k < simplified->inputs.len && alike; k++) {
    int own = simplified->inputs.data[k].anchored;
    if (own) alike = moves_with(with, simplified, own, traced->inputs.data[p->from[k]].anchored);
  }
  free(with);
  return alike;
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
