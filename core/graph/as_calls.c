/* as_calls.c - products of matrices and vectors as calls of a library, as a program would
 * have them that calls a BLAS for one operation after the other. */
#include "core/graph/internal.h"

/* sum(M .* v, axis): a product, of which the library reads v as a vector. */
struct product {
  fs_id times;        /* the MAP */
  fs_id vector;       /* that has the vector's elements in each line */
  fs_id matrix;
  int axis;           /* that is summed */
};

/* Whether every line along the axis of a matrix is the same vector. */
static bool is_lines(const struct fs_graph *g, fs_id id, int axis) {
  const struct fs_node *n = fs_node(g, id);
  if (n->kind == FS_ND_INPUT) {
    const struct fs_layout *l = &g->inputs.data[n->slot].layout;
    return !l->reach && !l->stride[!axis] && l->stride[axis] > 0;
  }
  return n->kind == FS_ND_VIEW && n->view.src_rank == 1 && n->view.axis[0] == axis &&
         n->view.off[0] == 0 && n->view.step[0] == 1 &&
         fs_node(g, n->src[0])->shape.dim[0] == n->shape.dim[axis];
}

/* Whether a library reads it as a matrix. */
static bool is_matrix(const struct fs_graph *g, fs_id id) {
  const struct fs_node *n = fs_node(g, id);
  if (n->shape.rank != 2 || n->kind == FS_ND_VIEW) return false;
  if (n->kind != FS_ND_INPUT) return true;
  const struct fs_layout *l = &g->inputs.data[n->slot].layout;
  return !l->reach && l->stride[0] > 0 && l->stride[1] > 0;
}

static bool is_product(const struct fs_graph *g, const int *uses, fs_id id, struct product *p) {
  const struct fs_node *sum = fs_node(g, id);
  if (sum->kind != FS_ND_REDUCE || sum->op != FS_RD_SUM) return false;
  const struct fs_node *times = fs_node(g, sum->src[0]);
  bool real = times->dtype == FS_F32 || times->dtype == FS_F64;
  if (times->kind != FS_ND_MAP || times->op != FS_OP_MUL || times->shape.rank != 2 || !real ||
      times->dtype != sum->dtype || uses[sum->src[0]] != 1)
    return false;
  *p = (struct product){.times = sum->src[0], .axis = sum->axes == 2u};
  for (int k = 0; k < 2 && sum->axes != 3u; k++) {
    p->vector = times->src[k], p->matrix = times->src[!k];
    if (is_lines(g, p->vector, p->axis) && is_matrix(g, p->matrix)) return true;
  }
  return false;
}

/* The MAP, of which nobody else is in need, becomes the vector. */
static void make_vector(struct fs_graph *g, const struct product *p) {
  struct fs_node *to = fs_node(g, p->times);
  const struct fs_node *lines = fs_node(g, p->vector);
  struct fs_graph_input in = g->inputs.data[lines->slot];
  int64_t count = lines->shape.dim[p->axis];
  in.layout.stride[0] = in.layout.stride[p->axis];
  in.layout.stride[1] = 0;
  *to = (struct fs_node){.kind = FS_ND_INPUT, .dtype = lines->dtype, .slot = g->inputs.len,
                         .shape = {1, {count}}, .stmt = to->stmt, .span = to->span,
                         .inner = to->inner, .turn = to->turn};
  *FS_PUSH(&g->inputs) = in;
}

static void make_call(struct fs_graph *g, fs_id id, const struct product *p) {
  const struct fs_node *lines = fs_node(g, p->vector);
  fs_id vector = lines->kind == FS_ND_VIEW ? lines->src[0] : p->times;
  if (vector == p->times) make_vector(g, p);
  struct fs_node *call = fs_node(g, id);
  call->kind = FS_ND_LIB, call->op = FS_LIB_GEMM, call->axes = 0;
  call->lib_flags = p->axis ? 0 : FS_LIB_TRANS_A;
  call->n_src = 2, call->src[0] = p->matrix, call->src[1] = vector;
  call->lib_shape[0] = fs_node(g, p->matrix)->shape;
  call->lib_shape[1] = (struct fs_shape){2, {fs_node(g, vector)->shape.dim[0], 1}};
}

struct fs_graph *fs_graph_as_calls(const struct fs_graph *from) {
  struct fs_graph *g = fs_graph_copy(from), *out = NULL;
  int *uses = fs_calloc((size_t)g->nodes.len, sizeof *uses);
  bool any = false;
  for (int id = 1; id < g->nodes.len; id++)
    for (int k = 0; k < fs_node(g, (fs_id)id)->n_src; k++) uses[fs_node(g, (fs_id)id)->src[k]]++;
  for (int k = 0; k < g->outputs.len; k++) uses[g->outputs.data[k]]++;
  for (int id = 1; id < g->nodes.len; id++) {
    struct product p;
    if (!is_product(g, uses, (fs_id)id, &p)) continue;
    make_call(g, (fs_id)id, &p);
    any = true;
  }
  if (any) out = fs_graph_simplify(g); /* without what nobody is in need of now */
  fs_graph_free(g);
  free(uses);
  return out;
}
