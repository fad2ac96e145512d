/* construct.c - tensors out of nothing: fills, random numbers, identities,
 * ranges, and concatenation. */
#include <stdio.h>

#include "core/eval/trace.h"

/* A scalar node repeated over a shape. */
struct fs_tv fs_tv_repeat(struct fs_interp *in, fs_id node,
                                  const struct fs_shape *shape) {
  struct fs_graph *g = fs_block_graph(in);
  struct fs_shape squeezed = fs_squeezed(shape);
  struct fs_view none = {0};
  struct fs_tv out = {node, fs_node(g, node)->dtype, *shape};
  if (squeezed.rank) out.node = fs_graph_view(g, node, &none, &squeezed);
  return out;
}

struct fs_tv fs_tv_fill(struct fs_interp *in, enum fs_dtype dt,
                        const struct fs_shape *shape, double x) {
  return fs_tv_repeat(in, fs_tv_literal(in, x, dt).node, shape);
}

struct fs_tv fs_tv_rand(struct fs_interp *in, bool normal, enum fs_dtype dt,
                        const struct fs_shape *shape) {
  enum fs_dtype made = dt == FS_F64 ? FS_F64 : FS_F32;
  struct fs_shape squeezed = fs_squeezed(shape);
  fs_id seed = fs_param(in, FS_I64, (double)in->seed);
  fs_id stream = fs_param(in, FS_I64, (double)in->stream++);
  struct fs_tv out = {0, made, *shape};
  out.node = fs_graph_rand(fs_block_graph(in), normal, made, &squeezed, seed,
                           stream);
  return fs_tv_cast(in, out, dt);
}

struct fs_tv fs_tv_eye(struct fs_interp *in, enum fs_dtype dt, int64_t m,
                       int64_t n) {
  struct fs_tv i = fs_tv_iota(in, FS_I64, m, 0, 1);
  struct fs_tv j = fs_tv_iota(in, FS_I64, n, 0, 1);
  j.shape = fs_shape_of(2, (int64_t[]){1, n});
  struct fs_tv out = fs_tv_cast(in, fs_tv_map2(in, FS_OP_EQ, i, j), dt);
  out.shape = fs_shape_of(2, (int64_t[]){m, n});
  return out;
}

/* -- concatenation --------------------------------------------------------- */

/* Whether it is a row of several: `5, 6`, not f(5, 6). */
static bool is_row_text(const char *text) {
  int depth = 0;
  for (; *text && (*text != ',' || depth); text++)
    depth += (*text == '(' || *text == '[') - (*text == ')' || *text == ']');
  return *text;
}

/* Of two parts that do not fit: transposing the second, or `;` for `,`, may do. */
static enum fs_status concat_error(struct fs_interp *in, int dim,
                                   const struct fs_shape *a, struct fs_span a_span,
                                   const struct fs_shape *b, struct fs_span b_span) {
  const char *x = fs_in_text(in, a_span), *y = fs_in_text(in, b_span);
  bool plain = a->rank <= 2 && b->rank <= 2 && !is_row_text(y), beside = dim == 2;
  int64_t across = beside ? fs_rows(a) : fs_cols(a), turned = beside ? fs_cols(b) : fs_rows(b);
  char hint[160];
  snprintf(hint, sizeof hint, "%s", beside
           ? "values side by side need the same number of rows"
           : "values below each other need the same number of columns");
  if (plain && across == turned)
    snprintf(hint, sizeof hint, "transposed it would fit: %s",
             fs_in_transposed(in, b_span));
  else if (plain && beside && fs_cols(a) == fs_cols(b))
    snprintf(hint, sizeof hint, "`;` puts values below each other: [%s; %s]", x, y);
  return fs_in_error(in, b_span, "shape-mismatch", hint,
                     "shapes do not fit in [...]: %s is %s, %s is %s", x,
                     fs_shape_text(a), y, fs_shape_text(b));
}

static enum fs_status concat_shape(struct fs_interp *in, int dim, int n,
                                   const struct fs_tv *parts,
                                   const struct fs_span *spans,
                                   struct fs_shape *out) {
  int rank = dim;
  for (int k = 0; k < n; k++) rank = FS_MAX(rank, parts[k].shape.rank);
  *out = (struct fs_shape){.rank = rank};
  for (int d = 0; d < rank; d++) out->dim[d] = fs_shape_dim(&parts[0].shape, d);
  for (int k = 1; k < n; k++)
    for (int d = 0; d < rank; d++) {
      int64_t x = fs_shape_dim(&parts[k].shape, d);
      if (d == dim - 1) {
        out->dim[d] += x;
      } else if (x != out->dim[d]) {
        return concat_error(in, dim, &parts[0].shape, spans[0], &parts[k].shape,
                            spans[k]);
      }
    }
  return FS_OK;
}

/* Parts of one type whose shapes fit. */
static struct fs_tv join(struct fs_interp *in, int dim, int n, const struct fs_tv *parts,
                         enum fs_dtype dt, struct fs_shape shape) {
  struct fs_graph *g = fs_block_graph(in);
  int axis_of[FS_MAX_RANK];
  struct fs_shape squeezed = fs_squeeze(&shape, axis_of);
  fs_id node = 0;
  int64_t at = 0;
  for (int k = 0; k < n; k++) {
    struct fs_shape part = shape;
    part.dim[dim - 1] = fs_shape_dim(&parts[k].shape, dim - 1);
    int part_axis[FS_MAX_RANK];
    struct fs_shape part_sq = fs_squeeze(&part, part_axis);
    struct fs_view v = {.src_rank = squeezed.rank};
    for (int d = 0; d < shape.rank; d++) {
      int a = axis_of[d];
      if (a < 0) continue;
      v.axis[a] = (int8_t)part_axis[d];
      v.step[a] = part_axis[d] >= 0;
      v.off[a] = d == dim - 1 ? at : 0;
    }
    node = fs_graph_update(g, node, dt, &squeezed, parts[k].node, &part_sq, &v);
    at += part.dim[dim - 1];
  }
  return (struct fs_tv){node, dt, shape};
}

/* A column of no elements is left out beside others, whatever their shapes are. */
enum fs_status fs_tv_concat(struct fs_interp *in, int dim, int n,
                            const struct fs_tv *parts,
                            const struct fs_span *spans, struct fs_span span,
                            struct fs_tv *out) {
  struct fs_tv *some = fs_calloc((size_t)n, sizeof *some);
  struct fs_span *where = fs_calloc((size_t)n, sizeof *where);
  struct fs_shape shape = parts[0].shape;
  enum fs_dtype dt = parts[0].dtype;
  enum fs_status st = FS_OK;
  int have = 0;
  for (int k = 0; k < n; k++) {
    dt = fs_dtype_promote(dt, parts[k].dtype);
    if (fs_tv_is_none(&parts[k])) continue;
    some[have] = parts[k];
    where[have++] = spans[k];
  }
  if (!have) some[have++] = parts[0];
  if (have > 1) st = concat_shape(in, dim, have, some, where, &shape);
  if (have > 1 && st == FS_OK) st = fs_check_size(in, dt, &shape, span);
  if (st == FS_OK)
    *out = have > 1 ? join(in, dim, have, some, dt, shape) : fs_tv_cast(in, some[0], dt);
  free(some);
  free(where);
  return st;
}
