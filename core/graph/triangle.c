/* triangle.c - matrices that are triangles by how they are computed: triu(A), tril(A),
 * diag(d), the factors of chol, lu and qr, their transposes, what is stored of such, and such
 * with parts replaced on their own side of the diagonal.
 * A solve looks at the elements and substitutes whatever its matrix came from; this tells
 * beforehand, so that it is priced as what will run.
 *
 * A mask compares two sums of row and column numbers, whose difference is the same at
 * every corner of the part beside the diagonal or changes its sign in it.
 */
#include <math.h>

#include "core/graph/internal.h"

enum { MOST_LOOKS = 16, MOST_DEEP = 5 };

static unsigned triangle_of(const struct fs_graph *g, fs_id id, int left);

/* The value at row i, column j of what is made of ranges and numbers; else NaN. */
static double value_at(const struct fs_graph *g, fs_id id, double i, double j, int left) {
  const struct fs_node *nd = fs_node(g, id);
  const double at[2] = {i, j};
  if (left <= 0 || nd->shape.rank > 2) return NAN;
  switch (nd->kind) {
    case FS_ND_PARAM: {
      const struct fs_number *v = &g->params.data[nd->slot];
      return fs_dtype_is_float(nd->dtype) ? v->f : (double)v->i;
    }
    case FS_ND_IOTA: {
      double e = (double)nd->rand_base;
      for (int k = 0; k < nd->shape.rank; k++) e += (double)nd->rand_stride[k] * at[k];
      return value_at(g, nd->src[0], i, j, left - 1) +
             value_at(g, nd->src[1], i, j, left - 1) * e;
    }
    case FS_ND_VIEW: {
      double from[2] = {0, 0};
      if (nd->view.src_rank > 2) return NAN;
      for (int s = 0; s < nd->view.src_rank; s++)
        from[s] = (double)nd->view.off[s] +
                  (nd->view.axis[s] < 0
                       ? 0 : (double)nd->view.step[s] * at[nd->view.axis[s]]);
      return value_at(g, nd->src[0], from[0], from[1], left - 1);
    }
    case FS_ND_MAP: {
      if (nd->op != FS_OP_ADD && nd->op != FS_OP_SUB) return NAN;
      double a = value_at(g, nd->src[0], i, j, left - 1);
      double b = value_at(g, nd->src[1], i, j, left - 1);
      return nd->op == FS_OP_ADD ? a + b : a - b;
    }
    default: return NAN;
  }
}

/* Whether a mask of n x n is `truth` everywhere below (else above) the diagonal. */
static bool mask_is(const struct fs_graph *g, const struct fs_node *mask, bool truth,
                    bool below, double n) {
  const double corner[3][2] = {{1, 0}, {n - 1, 0}, {n - 1, n - 2}};
  int less = 0, equal = 0, more = 0;
  if (mask->kind != FS_ND_MAP || mask->n_src != 2) return false;
  for (int k = 0; k < 3; k++) {
    double i = corner[k][!below], j = corner[k][below];
    double a = value_at(g, mask->src[0], i, j, MOST_LOOKS);
    double b = value_at(g, mask->src[1], i, j, MOST_LOOKS);
    less += a < b, equal += a == b, more += a > b;
  }
  if (less + equal + more < 3) return false;
  switch (mask->op) {
    case FS_OP_LT: return truth ? less == 3 : !less;
    case FS_OP_LE: return truth ? !more : more == 3;
    case FS_OP_GT: return truth ? more == 3 : !more;
    case FS_OP_GE: return truth ? !less : less == 3;
    case FS_OP_EQ: return truth ? equal == 3 : less == 3 || more == 3;
    case FS_OP_NE: return truth ? less == 3 || more == 3 : equal == 3;
    default: return false;
  }
}

static bool is_zero(const struct fs_graph *g, fs_id id) {
  const struct fs_node *nd = fs_node(g, id);
  const struct fs_number *v = &g->params.data[nd->kind == FS_ND_PARAM ? nd->slot : 0];
  return nd->kind == FS_ND_PARAM && (fs_dtype_is_float(nd->dtype) ? v->f == 0 : v->i == 0);
}

/* where(mask, A, 0) and where(mask, 0, A). */
static unsigned of_where(const struct fs_graph *g, const struct fs_node *nd) {
  unsigned out = 0;
  for (int other = 1; other <= 2; other++)
    for (int below = 0; below <= 1 && is_zero(g, nd->src[other]); below++)
      if (mask_is(g, fs_node(g, nd->src[0]), other == 1, below, (double)nd->shape.dim[0]))
        out |= below ? FS_UPPER : FS_LOWER;
  return out;
}

/* Of a mask itself, and of what keeps zeros: 2*U, -L, U .* A, L + D. */
static unsigned of_map(const struct fs_graph *g, const struct fs_node *nd, int left) {
  unsigned t = 0;
  switch (nd->op) {
    case FS_OP_WHERE: return of_where(g, nd);
    case FS_OP_CAST: case FS_OP_NEG: case FS_OP_DIV: return triangle_of(g, nd->src[0], left);
    case FS_OP_MUL: return triangle_of(g, nd->src[0], left) | triangle_of(g, nd->src[1], left);
    case FS_OP_ADD: case FS_OP_SUB:
      return triangle_of(g, nd->src[0], left) & triangle_of(g, nd->src[1], left);
    default: break;
  }
  for (int below = 0; below <= 1; below++)
    if (mask_is(g, nd, false, below, (double)nd->shape.dim[0])) t |= below ? FS_UPPER : FS_LOWER;
  return t;
}

static unsigned turned(unsigned t) {
  return (t & FS_UPPER ? FS_LOWER : 0) | (t & FS_LOWER ? FS_UPPER : 0);
}

static unsigned of_input(const struct fs_known *known, const struct fs_layout *read) {
  const int64_t *a = known->lies.stride, *b = read->stride;
  if (!known->triangle || known->lies.offset != read->offset) return 0;
  if (a[0] == b[0] && a[1] == b[1]) return known->triangle;
  return a[0] == b[1] && a[1] == b[0] ? turned(known->triangle) : 0;
}

/* A transpose, or a part of a factorisation. */
static unsigned of_view(const struct fs_graph *g, const struct fs_node *nd, int left) {
  const struct fs_view *v = &nd->view;
  const struct fs_node *src = fs_node(g, nd->src[0]);
  if (v->src_rank != 2 || v->axis[0] < 0 || v->axis[1] < 0 || v->step[0] != 1 || v->step[1] != 1)
    return 0;
  bool turns = v->axis[0] == 1, whole = fs_shape_count(&src->shape) == fs_shape_count(&nd->shape);
  unsigned t = 0;
  if (whole) t = triangle_of(g, nd->src[0], left);
  else if (src->kind == FS_ND_LIB && (src->op == FS_LIB_LU || src->op == FS_LIB_QR) &&
           src->lib_shape[0].rank <= 2)
    for (int k = 0; k <= 1; k++) {
      struct fs_lib_part p = fs_lib_part(src->op, k, src->lib_shape[0].dim[0],
                                         fs_shape_dim(&src->lib_shape[0], 1));
      if (p.row != v->off[0] || p.col != v->off[1]) continue;
      if (k == 1) t = p.transposed ? FS_LOWER : FS_UPPER; /* as it lies */
      else if (src->op == FS_LIB_LU) t = FS_LOWER;
    }
  return turns ? turned(t) : t;
}

/* A triangle of which a part on its own side is replaced: T[i, i] = 3, U[1, :] = x'. */
static unsigned of_update(const struct fs_graph *g, const struct fs_node *nd, int left) {
  const struct fs_shape *part = &fs_node(g, nd->src[1])->shape;
  int64_t least[2], most[2];
  if (!nd->src[0] || nd->view.src_rank != 2) return 0;
  for (int s = 0; s < 2; s++) {
    int axis = nd->view.axis[s];
    int64_t first = nd->view.off[s];
    int64_t last = first + (axis < 0 ? 0 : nd->view.step[s] * (part->dim[axis] - 1));
    least[s] = FS_MIN(first, last), most[s] = FS_MAX(first, last);
  }
  unsigned t = triangle_of(g, nd->src[0], left);
  if (most[0] > least[1]) t &= ~(unsigned)FS_UPPER;
  if (most[1] > least[0]) t &= ~(unsigned)FS_LOWER;
  return t;
}

static unsigned triangle_of(const struct fs_graph *g, fs_id id, int left) {
  const struct fs_node *nd = fs_node(g, id);
  if (nd->shape.rank != 2 || nd->shape.dim[0] != nd->shape.dim[1] || left <= 0) return 0;
  switch (nd->kind) {
    case FS_ND_INPUT:
      return of_input(&g->inputs.data[nd->slot].known, &g->inputs.data[nd->slot].layout);
    case FS_ND_VIEW: return of_view(g, nd, left - 1);
    case FS_ND_LIB: return nd->op == FS_LIB_CHOL || nd->op == FS_LIB_QR_R ? FS_UPPER : 0;
    case FS_ND_MAP: return of_map(g, nd, left - 1);
    case FS_ND_UPDATE: return of_update(g, nd, left - 1);
    default: return 0;
  }
}

unsigned fs_graph_triangle(const struct fs_graph *g, fs_id id) {
  return triangle_of(g, id, MOST_DEEP);
}

bool fs_graph_is_eye(const struct fs_graph *g, fs_id mask) {
  const struct fs_node *nd = fs_node(g, mask);
  double n = (double)nd->shape.dim[0];
  return nd->shape.rank == 2 && nd->shape.dim[0] == nd->shape.dim[1] &&
         mask_is(g, nd, false, true, n) && mask_is(g, nd, false, false, n);
}

bool fs_graph_is_zero(const struct fs_graph *g, fs_id id) { return is_zero(g, id); }
