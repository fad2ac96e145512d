/* dump.c - the `graph` dump: deterministic text, one line per node.
 *
 *   > graph: 3 inputs, 0 params, 2 outputs
 *   %1 = input f32 4096x4096 @0 [4096 1] A
 *   %2 = input f32 4096x4096 @0 [0 1] p
 *   %3 = map mul f32 4096x4096 %1 %2          ; q = A*p
 *   %4 = reduce sum f32 4096 %3 over {1}      ; q = A*p
 *   out q = %4
 */
#include "core/graph/fourier.h"
#include "core/graph/internal.h"

static void put_src(const struct fs_node *n, struct fs_str *out) {
  for (int k = 0; k < n->n_src; k++)
    if (n->src[k]) fs_str_printf(out, " %%%u", n->src[k]);
    else fs_str_puts(out, " none");
}

static void put_int64s(const int64_t *v, int n, struct fs_str *out) {
  fs_str_puts(out, "[");
  for (int k = 0; k < n; k++)
    fs_str_printf(out, "%s%lld", k ? " " : "", (long long)v[k]);
  fs_str_puts(out, "]");
}

/* Source axis by source axis: "(1, 0)" a transpose, "(2+3*0)" a slice with
 * offset 2 and step 3 along result axis 0, "(=4)" a fixed subscript. */
static void put_view(const struct fs_view *v, struct fs_str *out) {
  fs_str_puts(out, " (");
  for (int s = 0; s < v->src_rank; s++) {
    if (s) fs_str_puts(out, ", ");
    if (v->axis[s] < 0) {
      fs_str_printf(out, "=%lld", (long long)v->off[s]);
      continue;
    }
    if (v->off[s] != 0) fs_str_printf(out, "%lld+", (long long)v->off[s]);
    if (v->step[s] != 1) fs_str_printf(out, "%lld*", (long long)v->step[s]);
    fs_str_printf(out, "%d", v->axis[s]);
  }
  fs_str_puts(out, ")");
}

static void put_head(const struct fs_node *n, const char *kind, const char *op,
                     struct fs_str *out) {
  fs_str_puts(out, kind);
  if (op) fs_str_printf(out, " %s", op);
  fs_str_printf(out, " %s ", fs_dtype_name(n->dtype));
  fs_shape_print(&n->shape, out);
}

static void put_axes(const struct fs_node *n, struct fs_str *out) {
  const char *sep = " over {";
  for (int k = 0; k < FS_MAX_RANK; k++)
    if (n->axes >> k & 1) {
      fs_str_printf(out, "%s%d", sep, k);
      sep = ",";
    }
  fs_str_puts(out, "}");
}

static void put_affine(const struct fs_node *n, struct fs_str *out) {
  put_src(n, out);
  fs_str_printf(out, " @%lld ", (long long)n->rand_base);
  put_int64s(n->rand_stride, n->shape.rank, out);
}

static void put_lib(const struct fs_node *n, struct fs_str *out) {
  if (n->op == FS_LIB_KERNEL) {
    put_src(n, out);
    return;
  }
  for (int k = 0; k < n->n_src; k++) {
    fs_str_printf(out, " %%%u:", n->src[k]);
    fs_shape_print(&n->lib_shape[k], out);
    if (n->op == FS_LIB_GEMM && n->lib_flags >> k & 1) fs_str_puts(out, "'");
  }
  if (fs_lib_is_along(n->op)) {
    fs_str_printf(out, " along %d", n->lib_flags & FS_LIB_AXIS);
    if (fs_lib_is_fourier(n->op)) {
      fs_str_printf(out, " length %lld", (long long)fs_fourier_length(n));
      if (n->lib_flags & FS_LIB_NTH) fs_str_puts(out, " divided");
      return;
    }
    if (n->lib_flags & FS_LIB_DESCENDING) fs_str_puts(out, " descending");
    return;
  }
  if (n->op == FS_LIB_COMBINE)
    fs_str_printf(out, " by %s", fs_map_ops[fs_lib_by[n->lib_flags & FS_LIB_BY]].name);
  else if (n->lib_flags & FS_LIB_OF_HALVES) fs_str_puts(out, " of halves");
  if (n->lib_flags & FS_LIB_IN_RANGE) fs_str_puts(out, " in range");
}

static void put_input(const struct fs_graph *g, const struct fs_node *n,
                      struct fs_str *out) {
  const struct fs_graph_input *in = &g->inputs.data[n->slot];
  fs_str_printf(out, " in%d @%lld ", n->slot, (long long)in->layout.offset);
  put_int64s(in->layout.stride, n->shape.rank, out);
  if (in->layout.reach)
    fs_str_printf(out, " loose %lld..%lld", (long long)in->layout.low,
                  (long long)(in->layout.low + in->layout.reach - 1));
  if (!in->name) return;
  fs_str_puts(out, " ");
  fs_str_put_safe(out, in->name, strlen(in->name));
}

static void put_node(const struct fs_graph *g, const struct fs_node *n,
                     struct fs_str *out) {
  switch (n->kind) {
    case FS_ND_NONE: fs_str_puts(out, "none"); return;
    case FS_ND_INPUT:
      put_head(n, "input", NULL, out);
      put_input(g, n, out);
      return;
    case FS_ND_PARAM:
      put_head(n, "param", NULL, out);
      fs_str_printf(out, " p%d", n->slot);
      return;
    case FS_ND_EMPTY: put_head(n, "empty", NULL, out); return;
    case FS_ND_IOTA:
      put_head(n, "iota", NULL, out);
      put_affine(n, out);
      return;
    case FS_ND_RAND: case FS_ND_RANDN:
      put_head(n, n->kind == FS_ND_RAND ? "rand" : "randn", NULL, out);
      put_affine(n, out);
      return;
    case FS_ND_MAP:
      put_head(n, "map", n->user ? n->user->name : fs_map_ops[n->op].name, out);
      put_src(n, out);
      return;
    case FS_ND_REDUCE:
      put_head(n, "reduce", fs_reduce_ops[n->op].name, out);
      put_src(n, out);
      put_axes(n, out);
      return;
    case FS_ND_VIEW: case FS_ND_UPDATE:
      put_head(n, n->kind == FS_ND_VIEW ? "view" : "update", NULL, out);
      put_src(n, out);
      put_view(&n->view, out);
      return;
    case FS_ND_TABLE:
      put_head(n, "table", NULL, out);
      put_src(n, out);
      return;
    case FS_ND_APPLY:
      put_head(n, "apply", n->user->name, out);
      put_src(n, out);
      return;
    case FS_ND_LIB:
      put_head(n, "lib", n->user ? n->user->name : fs_lib_op_names[n->op], out);
      put_lib(n, out);
      return;
  }
}

static void put_stmt(const struct fs_diags *diags, struct fs_span span,
                     struct fs_str *out) {
  size_t len;
  if (!diags || !span.source) return;
  const char *text = fs_span_text(diags, span, &len);
  if (!text || !len) return;
  fs_str_puts(out, "  ; ");
  fs_str_put_safe(out, text, len);
}

void fs_graph_dump(const struct fs_graph *g, const struct fs_diags *diags,
                   struct fs_str *out) {
  int barrier = 0;
  fs_str_printf(out, "> graph: %d inputs, %d params, %d outputs\n",
                g->inputs.len, g->params.len, g->outputs.len);
  for (int k = 1; k < g->nodes.len; k++) {
    const struct fs_node *n = &g->nodes.data[k];
    for (; barrier < g->barriers.len; barrier++) {
      if (g->barriers.data[barrier] > (fs_id)k) break;
      fs_str_puts(out, "barrier\n");
    }
    fs_str_printf(out, "%%%d = ", k);
    put_node(g, n, out);
    put_stmt(diags, n->stmt, out);
    fs_str_puts(out, "\n");
  }
  for (int k = 0; k < g->outputs.len; k++) {
    const char *name = g->output_names.data[k];
    fs_str_puts(out, "out ");
    if (name) fs_str_put_safe(out, name, strlen(name));
    else fs_str_puts(out, "-");
    fs_str_printf(out, " = %%%u\n", g->outputs.data[k]);
  }
}
