/* double.c - the graph that computes in f64 what another computes in shorter floats.
 *
 * Where a node cannot be had in f64 (a body of a loop, functions and kernels of the user, random
 * numbers, whose draws depend on their type) it stays as it is, of operands rounded to their types.
 *
 * needs: a legal graph; keeps: slots of inputs and params, outputs and their order */
#include "core/graph/internal.h"

struct widen {
  const struct fs_graph *from;
  struct fs_graph *to;
  fs_id *wide;       /* by node of `from`: in f64, or as it is where it is no shorter float */
  fs_id *as_is;      /* ... of its own type; 0: not made yet                  */
};

static bool is_short(enum fs_dtype dt) { return fs_dtype_is_float(dt) && dt != FS_F64; }

static enum fs_dtype widened(enum fs_dtype dt) { return is_short(dt) ? FS_F64 : dt; }

static fs_id as_is(struct widen *w, fs_id id) {
  if (id && !w->as_is[id])
    w->as_is[id] = fs_graph_cast(w->to, w->wide[id], fs_node(w->from, id)->dtype);
  return w->as_is[id];
}

/* Inputs and params first, so that their slots stay. */
static void take_leaves(struct widen *w) {
  const struct fs_graph *g = w->from;
  fs_id *of_slot = fs_calloc((size_t)g->inputs.len + 1, sizeof *of_slot);
  for (int id = 1; id < g->nodes.len; id++)
    if (g->nodes.data[id].kind == FS_ND_INPUT) of_slot[g->nodes.data[id].slot] = (fs_id)id;
  for (int k = 0; k < g->inputs.len; k++) {
    const struct fs_node *n = fs_node(g, of_slot[k]);
    fs_graph_come_from(w->to, n);
    w->as_is[of_slot[k]] = fs_graph_input_like(w->to, &g->inputs.data[k], n->dtype, &n->shape);
  }
  for (int k = 0; k < g->params.len; k++) *FS_PUSH(&w->to->params) = g->params.data[k];
  for (int k = 0; k < g->literals.len; k++) *FS_PUSH(&w->to->literals) = g->literals.data[k];
  for (int k = 0; k < g->origins.len; k++) *FS_PUSH(&w->to->origins) = g->origins.data[k];
  free(of_slot);
}

/* A node of its own type, of operands of theirs. */
static fs_id keep(struct widen *w, const struct fs_node *n) {
  struct fs_node now = *n;
  for (int k = 0; k < n->n_src; k++) now.src[k] = as_is(w, n->src[k]);
  return fs_graph_intern(w->to, &now);
}

static bool stays(const struct fs_node *n) {
  if (n->kind == FS_ND_MAP || n->kind == FS_ND_APPLY) return n->user != NULL;
  if (n->kind == FS_ND_LIB) return n->op == FS_LIB_KERNEL;
  return n->kind != FS_ND_REDUCE && n->kind != FS_ND_VIEW && n->kind != FS_ND_UPDATE;
}

static fs_id widen_lib(struct widen *w, const struct fs_node *n, const fs_id *src) {
  unsigned flags = n->lib_flags;
  if (n->op != FS_LIB_COMBINE && !fs_lib_is_along(n->op)) flags &= ~(unsigned)FS_LIB_OF_HALVES;
  return fs_graph_lib(w->to, n->op, widened(n->dtype), &n->shape, src[0], &n->lib_shape[0],
                      src[1], &n->lib_shape[1], flags);
}

static fs_id widen_node(struct widen *w, const struct fs_node *n) {
  fs_id src[FS_MOST_SRC] = {0};
  for (int k = 0; k < n->n_src; k++) src[k] = w->wide[n->src[k]];
  switch (n->kind) {
    case FS_ND_MAP:
      if (n->op == FS_OP_CAST) return fs_graph_cast(w->to, src[0], widened(n->dtype));
      return fs_graph_map(w->to, n->op, n->n_src, src, widened(n->dtype));
    case FS_ND_REDUCE: return fs_graph_reduce(w->to, n->op, src[0], n->axes);
    case FS_ND_VIEW: return fs_graph_view(w->to, src[0], &n->view, &n->shape);
    case FS_ND_UPDATE:
      return fs_graph_update(w->to, src[0], widened(n->dtype), &n->shape, src[1],
                             &fs_node(w->from, n->src[1])->shape, &n->view);
    default: return widen_lib(w, n, src);
  }
}

struct fs_graph *fs_graph_in_double(const struct fs_graph *g) {
  struct widen w = {.from = g, .to = fs_graph_new()};
  w.wide = fs_calloc((size_t)g->nodes.len, sizeof *w.wide);
  w.as_is = fs_calloc((size_t)g->nodes.len, sizeof *w.as_is);
  take_leaves(&w);
  for (int id = 1; id < g->nodes.len; id++) {
    const struct fs_node *n = fs_node(g, (fs_id)id);
    fs_graph_come_from(w.to, n);
    if (w.as_is[id] || stays(n)) {
      if (!w.as_is[id]) w.as_is[id] = keep(&w, n);
      w.wide[id] = n->kind == FS_ND_TABLE
                       ? w.as_is[id]
                       : fs_graph_cast(w.to, w.as_is[id], widened(n->dtype));
    } else {
      w.wide[id] = widen_node(&w, n);
    }
  }
  for (int k = 0; k < g->outputs.len; k++)
    fs_graph_output(w.to, w.wide[g->outputs.data[k]], g->output_names.data[k]);
  free(w.wide);
  free(w.as_is);
  return w.to;
}
