/* words.c - the words of a graph: where in the user's texts its nodes were written, and
 * the names of its inputs and outputs. Graphs that are equal may differ in them. */
#include "core/graph/internal.h"

struct place {
  struct fs_span span, stmt, inner;
};

struct fs_graph_words {
  struct place *nodes;
  const char **names; /* of the inputs, then of the outputs; the graph's */
};

static bool same_name(const char *a, const char *b) {
  return a == b || (a && b && !strcmp(a, b));
}

static bool same_span(struct fs_span a, struct fs_span b) {
  return a.source == b.source && a.begin == b.begin && a.end == b.end;
}

bool fs_graph_same_words(const struct fs_graph *a, const struct fs_graph *b) {
  for (int k = 1; k < a->nodes.len; k++) {
    const struct fs_node *x = &a->nodes.data[k], *y = &b->nodes.data[k];
    if (!same_span(x->span, y->span) || !same_span(x->stmt, y->stmt)) return false;
  }
  for (int k = 0; k < a->inputs.len; k++)
    if (!same_name(a->inputs.data[k].name, b->inputs.data[k].name)) return false;
  for (int k = 0; k < a->outputs.len; k++)
    if (!same_name(a->output_names.data[k], b->output_names.data[k])) return false;
  return true;
}

static const char *adopted(struct fs_graph *to, const char *old, const char *new) {
  if (!new || same_name(old, new)) return new ? old : NULL;
  return fs_arena_strndup(to->arena, new, strlen(new));
}

void fs_graph_adopt_words(struct fs_graph *to, const struct fs_graph *from) {
  for (int k = 1; k < to->nodes.len; k++) {
    struct fs_node *x = &to->nodes.data[k];
    const struct fs_node *y = &from->nodes.data[k];
    x->span = y->span;
    x->stmt = y->stmt;
    x->inner = y->inner;
  }
  for (int k = 0; k < to->inputs.len; k++)
    to->inputs.data[k].name =
        adopted(to, to->inputs.data[k].name, from->inputs.data[k].name);
  for (int k = 0; k < to->outputs.len; k++)
    to->output_names.data[k] =
        adopted(to, to->output_names.data[k], from->output_names.data[k]);
  fs_graph_find_outer(to);
}

struct fs_graph_words *fs_graph_words(const struct fs_graph *g) {
  struct fs_graph_words *w = fs_malloc(sizeof *w);
  int inputs = g->inputs.len, outputs = g->outputs.len;
  *w = (struct fs_graph_words){
      .nodes = fs_malloc(((size_t)g->nodes.len + 1) * sizeof *w->nodes),
      .names = fs_malloc(((size_t)(inputs + outputs) + 1) * sizeof *w->names)};
  for (int k = 0; k < g->nodes.len; k++) {
    const struct fs_node *x = &g->nodes.data[k];
    w->nodes[k] = (struct place){x->span, x->stmt, x->inner};
  }
  for (int k = 0; k < inputs; k++) w->names[k] = g->inputs.data[k].name;
  for (int k = 0; k < outputs; k++) w->names[inputs + k] = g->output_names.data[k];
  return w;
}

void fs_graph_words_free(struct fs_graph_words *w) {
  if (!w) return;
  free(w->nodes);
  free(w->names);
  free(w);
}

static void exchange(const char **a, const char **b) {
  const char *old = *a;
  *a = *b;
  *b = old;
}

void fs_graph_exchange_words(struct fs_graph *g, struct fs_graph_words *w) {
  int inputs = g->inputs.len;
  for (int k = 0; k < g->nodes.len; k++) {
    struct fs_node *x = &g->nodes.data[k];
    struct place old = {x->span, x->stmt, x->inner};
    x->span = w->nodes[k].span;
    x->stmt = w->nodes[k].stmt;
    x->inner = w->nodes[k].inner;
    w->nodes[k] = old;
  }
  for (int k = 0; k < inputs; k++) exchange(&g->inputs.data[k].name, &w->names[k]);
  for (int k = 0; k < g->outputs.len; k++)
    exchange(&g->output_names.data[k], &w->names[inputs + k]);
  fs_graph_find_outer(g);
}
