/* same.c - hash and equality of graphs as the block cache means them: structure,
 * shapes, types, layouts, which inputs share a storage and which params are one
 * literal; not anchors, the values of params, the tensors themselves, names or spans. */
#include "core/graph/internal.h"

/* The first input with the same storage: which inputs alias is structure. */
static int alias_of(const struct fs_graph *g, int input) {
  const void *me = g->inputs.data[input].storage;
  int k = 0;
  while (g->inputs.data[k].storage != me) k++;
  return k;
}

static bool same_anchors(const struct fs_graph *a, const struct fs_graph *b) {
  for (int k = 0; k < a->inputs.len; k++)
    if (a->inputs.data[k].anchored != b->inputs.data[k].anchored) return false;
  for (int k = 1; k < a->nodes.len; k++)
    if (a->nodes.data[k].anchored != b->nodes.data[k].anchored) return false;
  return true;
}

uint64_t fs_graph_hash(const struct fs_graph *g) {
  struct fs_words w;
  uint64_t h = fs_mix(0, (uint64_t)g->nodes.len);
  for (int k = 1; k < g->nodes.len; k++) {
    fs_node_words(g, &g->nodes.data[k], false, &w);
    h = fs_words_hash(&w, h);
  }
  for (int k = 0; k < g->inputs.len; k++) h = fs_mix(h, (uint64_t)alias_of(g, k));
  for (int k = 0; k < g->outputs.len; k++) h = fs_mix(h, g->outputs.data[k]);
  FS_EACH_AT(&g->output_axes, axis) h = fs_mix(h, (uint64_t)*axis);
  for (int k = 0; k < g->barriers.len; k++) h = fs_mix(h, g->barriers.data[k]);
  for (int k = 0; k < g->params.len; k++) h = fs_mix(h, (uint64_t)g->literals.data[k]);
  return h;
}

struct fs_graph_kind fs_graph_kind(const struct fs_graph *g) {
  uint64_t h = fs_mix(0, (uint64_t)g->nodes.len), sizes = 0;
  for (int k = 1; k < g->nodes.len; k++) {
    const struct fs_node *n = &g->nodes.data[k];
    h = fs_mix(fs_mix(h, fs_node_head(n)), (uint64_t)n->shape.rank);
    for (int s = 0; s < n->n_src; s++) h = fs_mix(h, n->src[s]);
    if (n->user) h = fs_mix(h, n->user->hash);
    for (int x = 0; x < n->shape.rank; x++) sizes = fs_mix(sizes, (uint64_t)n->shape.dim[x]);
  }
  for (int k = 0; k < g->inputs.len; k++) {
    const struct fs_graph_input *in = &g->inputs.data[k];
    h = fs_mix(h, (uint64_t)alias_of(g, k));
    for (int x = 0; x < FS_MAX_RANK; x++) sizes = fs_mix(sizes, (uint64_t)in->layout.stride[x]);
  }
  for (int k = 0; k < g->outputs.len; k++) h = fs_mix(h, g->outputs.data[k]);
  return (struct fs_graph_kind){h, sizes};
}

static bool same_ids(const fs_id *a, int n_a, const fs_id *b, int n_b) {
  return n_a == n_b && (n_a == 0 || !memcmp(a, b, sizeof *a * (size_t)n_a));
}

bool fs_graph_same(const struct fs_graph *a, const struct fs_graph *b) {
  if (a->nodes.len != b->nodes.len || a->inputs.len != b->inputs.len ||
      a->params.len != b->params.len)
    return false;
  if (!same_ids(a->outputs.data, a->outputs.len, b->outputs.data,
                b->outputs.len) ||
      !same_ids(a->barriers.data, a->barriers.len, b->barriers.data,
                b->barriers.len))
    return false;
  if (a->output_axes.len != b->output_axes.len) return false;
  for (int k = 0; k < a->output_axes.len; k++)
    if (a->output_axes.data[k] != b->output_axes.data[k]) return false;
  for (int k = 0; k < a->inputs.len; k++)
    if (alias_of(a, k) != alias_of(b, k)) return false;
  if (!same_anchors(a, b)) return false;
  if (a->params.len && memcmp(a->literals.data, b->literals.data,
                              sizeof *a->literals.data * (size_t)a->params.len))
    return false;
  for (int k = 1; k < a->nodes.len; k++) {
    struct fs_words x, y;
    fs_node_words(a, &a->nodes.data[k], false, &x);
    fs_node_words(b, &b->nodes.data[k], false, &y);
    if (x.n != y.n || memcmp(x.w, y.w, sizeof(uint64_t) * (size_t)x.n))
      return false;
  }
  return true;
}

static void put_span(fs_signature *out, struct fs_span s) {
  *FS_PUSH(out) = (uint64_t)s.source << 32 | s.begin;
  *FS_PUSH(out) = s.end;
}

static void put_name(fs_signature *out, const char *name) {
  *FS_PUSH(out) = name ? fs_hash(name, strlen(name), 1) : 0;
}

void fs_graph_signature(const struct fs_graph *g, fs_signature *out) {
  struct fs_words w;
  out->len = 0;
  *FS_PUSH(out) = (uint64_t)g->nodes.len;
  *FS_PUSH(out) = (uint64_t)g->inputs.len << 32 | (uint64_t)g->outputs.len;
  *FS_PUSH(out) = (uint64_t)g->params.len << 32 | (uint64_t)g->barriers.len;
  for (int k = 1; k < g->nodes.len; k++) {
    fs_node_words(g, &g->nodes.data[k], false, &w);
    *FS_PUSH(out) = (uint64_t)w.n | (uint64_t)(uint32_t)g->nodes.data[k].anchored << 32;
    for (int i = 0; i < w.n; i++) *FS_PUSH(out) = w.w[i];
    put_span(out, g->nodes.data[k].span);
    put_span(out, g->nodes.data[k].stmt);
  }
  for (int k = 0; k < g->inputs.len; k++) {
    *FS_PUSH(out) = (uint64_t)alias_of(g, k) | (uint64_t)g->inputs.data[k].anchored << 32;
    put_name(out, g->inputs.data[k].name);
  }
  for (int k = 0; k < g->outputs.len; k++) {
    *FS_PUSH(out) = g->outputs.data[k];
    put_name(out, g->output_names.data[k]);
  }
  for (int k = 0; k < g->barriers.len; k++) *FS_PUSH(out) = g->barriers.data[k];
  for (int k = 0; k < g->params.len; k++) *FS_PUSH(out) = (uint64_t)g->literals.data[k];
}
