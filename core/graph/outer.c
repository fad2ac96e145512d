/* outer.c - the outermost expressions of statements: who has the calls of all of them has
 * what a statement is about, and not only a part of it on its way. */
#include <stdlib.h>

#include "core/graph/internal.h"

static int compare(const void *a, const void *b) {
  const struct fs_expression *x = a, *y = b;
  int order = fs_span_compare(x->stmt, y->stmt);
  return order ? order : fs_span_compare(x->span, y->span);
}

static bool computes(const struct fs_node *nd) {
  return nd->kind != FS_ND_NONE && nd->kind != FS_ND_INPUT && nd->kind != FS_ND_PARAM &&
         nd->kind != FS_ND_VIEW && nd->stmt.source != 0;
}

void fs_graph_find_outer(struct fs_graph *g) {
  g->outer.len = 0;
  for (int k = 1; k < g->nodes.len; k++) {
    const struct fs_node *nd = &g->nodes.data[k];
    if (computes(nd)) *FS_PUSH(&g->outer) = (struct fs_expression){nd->stmt, nd->span, {0}};
  }
  if (!g->outer.len) return;
  qsort(g->outer.data, (size_t)g->outer.len, sizeof *g->outer.data, compare);
  int kept = 1; /* each begins before or encloses what follows */
  for (int k = 1; k < g->outer.len; k++) {
    const struct fs_expression *x = &g->outer.data[k], *last = &g->outer.data[kept - 1];
    if (fs_span_compare(x->stmt, last->stmt) || !fs_span_holds(last->span, x->span))
      g->outer.data[kept++] = *x;
  }
  g->outer.len = kept;
}

static int first_of(const struct fs_graph *g, struct fs_span stmt) {
  int low = 0, high = g->outer.len;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (fs_span_compare(g->outer.data[middle].stmt, stmt) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

bool fs_graph_is_whole(const struct fs_graph *g, struct fs_span stmt,
                       const struct fs_expression *of, int n) {
  for (int k = first_of(g, stmt); k < g->outer.len; k++) {
    const struct fs_expression *x = &g->outer.data[k];
    if (fs_span_compare(x->stmt, stmt)) break;
    bool found = false;
    for (int s = 0; s < n && !found; s++) found = !fs_span_compare(of[s].span, x->span);
    if (!found) return false;
  }
  return true;
}
