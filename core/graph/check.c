/* check.c - is a graph legal? docs/ir.md is the specification; the rules carry
 * its numbers. Gives the first thing that is wrong: a bug in Fusible. */
#include "core/graph/fourier.h"
#include "core/graph/internal.h"

/* What every kind must look like. n_src: exact, or -1 for "the op says". */
static const struct {
  const char *name;
  int n_src;
  bool scalar;     /* rank 0 always */
  bool may_lack;   /* src[0] may be 0 */
} kinds[] = {
    [FS_ND_INPUT] = {"input", 0, false, false},
    [FS_ND_PARAM] = {"param", 0, true, false},
    [FS_ND_IOTA] = {"iota", 2, false, false},
    [FS_ND_RAND] = {"rand", 2, false, false},
    [FS_ND_RANDN] = {"randn", 2, false, false},
    [FS_ND_MAP] = {"map", -1, false, false},
    [FS_ND_REDUCE] = {"reduce", 1, false, false},
    [FS_ND_VIEW] = {"view", 1, false, false},
    [FS_ND_UPDATE] = {"update", 2, false, true},
    [FS_ND_LIB] = {"lib", -1, false, false},
    [FS_ND_TABLE] = {"table", 1, true, false},
    [FS_ND_APPLY] = {"apply", -1, false, false},
    [FS_ND_EMPTY] = {"empty", 0, false, false},
};

static const char *check_shape(const struct fs_node *n) {
  if (n->shape.rank < 0 || n->shape.rank > FS_MAX_RANK)
    return "R2: a rank is out of range";
  for (int k = 0; k < n->shape.rank; k++)
    if (n->shape.dim[k] < 0 || n->shape.dim[k] == 1)
      return "R2: a shape is not squeezed";
  if (fs_shape_count(&n->shape) < 0) return "R2: a shape is too large";
  if ((fs_shape_count(&n->shape) == 0) != (n->kind == FS_ND_EMPTY))
    return "R2: an extent of 0";
  return NULL;
}

static const char *check_sources(const struct fs_graph *g, const struct fs_node *n, fs_id id) {
  int want = kinds[n->kind].n_src;
  if (n->kind == FS_ND_MAP) want = fs_map_ops[n->op].arity;
  if (n->user) want = n->user->n_args;
  if (n->kind == FS_ND_LIB && !n->user) want = FS_MIN(FS_MAX(n->n_src, 1), 2);
  if (n->n_src != want) return "R3: the number of operands is wrong";
  for (int k = 0; k < n->n_src; k++) {
    if (n->src[k] >= id) return "R1: an operand comes after its use";
    if (!n->src[k] && !(k == 0 && kinds[n->kind].may_lack))
      return "R3: an operand is missing";
    if (n->src[k] && fs_node(g, n->src[k])->kind == FS_ND_EMPTY)
      return "R2: an operand has no elements";
  }
  return NULL;
}

static const char *check_leaf(const struct fs_graph *g,
                              const struct fs_node *n) {
  if (n->kind == FS_ND_INPUT)
    return n->slot < 0 || n->slot >= g->inputs.len ? "R4: no such input" : NULL;
  if (n->kind == FS_ND_PARAM)
    return n->slot < 0 || n->slot >= g->params.len ? "R4: no such param" : NULL;
  enum fs_dtype want =
      n->kind == FS_ND_IOTA ? fs_dtype_compute(n->dtype) : FS_I64;
  for (int k = 0; k < 2; k++) {
    const struct fs_node *s = fs_node(g, n->src[k]);
    if (s->shape.rank != 0) return "R4: an operand of a generator has a shape";
    if (s->dtype != want) return "R4: an operand of a generator has the wrong type";
  }
  return n->kind != FS_ND_IOTA && !fs_dtype_is_float(n->dtype)
             ? "R4: random numbers are floats" : NULL;
}

/* An operand of a user's function: batch ++ element, or element. */
static bool fits_apply(const struct fs_node *n, const struct fs_node *s, int k) {
  struct fs_shape all = fs_apply_batch(n), own = fs_apply_element(n, k);
  bool scalar = n->user->arg[k].type == FS_UT_SCALAR;
  if (fs_shape_equal(&s->shape, &own)) return true;
  for (int a = 0; a < own.rank; a++) all.dim[all.rank++] = own.dim[a];
  return !scalar && fs_shape_equal(&s->shape, &all);
}

static const char *check_apply(const struct fs_graph *g,
                               const struct fs_node *n) {
  if (!n->user || !n->user->by_instance) return "R11: an apply of no function";
  if (fs_dtype_compute(n->dtype) != n->user->compute)
    return "R11: a user's function for another type";
  if (n->shape.rank < n->user->result.rank)
    return "R11: the result of an apply has the wrong shape";
  for (int a = 0; a < n->user->result.rank; a++)
    if (n->shape.dim[n->shape.rank - n->user->result.rank + a] !=
        n->user->result.dim[a])
      return "R11: the result of an apply has the wrong shape";
  for (int k = 0; k < n->n_src; k++) {
    const struct fs_node *s = fs_node(g, n->src[k]);
    if (s->dtype != n->dtype) return "R11: an operand has the wrong type";
    if (!fits_apply(n, s, k)) return "R11: an operand has the wrong shape";
  }
  return NULL;
}

static const char *check_table(const struct fs_graph *g, const struct fs_node *n) {
  const struct fs_node *s = fs_node(g, n->src[0]);
  if (s->dtype != n->dtype) return "R12: a table has another type than its array";
  return s->kind == FS_ND_INPUT && s->shape.rank == 1 ? NULL : "R12: a table of no stored vector";
}

static bool takes_table(const struct fs_node *n, int k) {
  return n->user && n->user->region && n->user->arg[k].type == FS_UT_TABLE;
}

static const char *check_map(const struct fs_graph *g,
                             const struct fs_node *n) {
  const struct fs_map_op_info *info = &fs_map_ops[n->op];
  int first = n->op == FS_OP_WHERE;
  enum fs_dtype dt = fs_node(g, n->src[first])->dtype;
  bool shaped = n->shape.rank == 0;
  for (int k = 0; k < n->n_src; k++) {
    const struct fs_node *s = fs_node(g, n->src[k]);
    if (n->user && n->user->region) dt = n->user->arg[k].compute;
    if ((s->kind == FS_ND_TABLE) != takes_table(n, k)) return "R12: a table is for regions alone";
    if (s->dtype != (k < first ? FS_BOOL : dt))
      return "R5: the operands of a map differ in type";
    if (s->shape.rank == 0) continue;
    if (fs_node_is_fill(s)) return "R5: a fill is operand of a map";
    if (!fs_shape_equal(&s->shape, &n->shape))
      return "R5: the operands of a map differ in shape";
    shaped = true;
  }
  if (!shaped) return "R5: a map of scalars has a shape";
  if (n->op == FS_OP_CAST)
    return n->dtype == dt ? "R5: a cast to the same type" : NULL;
  if (n->op == FS_OP_USER && (!n->user || n->user->by_instance))
    return "R11: a map of no function";
  if (n->user && n->user->region)
    return n->dtype == n->user->compute ? NULL : "R11: a region's result has the wrong type";
  if (n->user && fs_dtype_compute(dt) != n->user->compute)
    return "R11: a user's function for another type";
  if (fs_class_dtype(info->types, dt) != dt)
    return "R5: a map's operands have the wrong type for its op";
  return n->dtype == (info->result == 'B' ? FS_BOOL : dt)
             ? NULL : "R5: a map's result has the wrong type";
}

static const char *check_reduce(const struct fs_graph *g,
                                const struct fs_node *n) {
  const struct fs_node *s = fs_node(g, n->src[0]);
  struct fs_shape kept = {0};
  if (!n->axes || n->axes >> s->shape.rank)
    return "R6: a reduction over axes that are not there";
  for (int k = 0; k < s->shape.rank; k++)
    if (!(n->axes >> k & 1)) kept.dim[kept.rank++] = s->shape.dim[k];
  if (!fs_shape_equal(&kept, &n->shape))
    return "R6: a reduction's shape is not that of the kept axes";
  if (fs_reduce_source(n->op, s->dtype) != s->dtype ||
      fs_reduce_result(n->op, s->dtype) != n->dtype)
    return "R6: a reduction has the wrong type";
  return NULL;
}

/* Does the view map every index of `shape` into `whole`? */
static const char *check_index(const struct fs_view *v,
                               const struct fs_shape *whole,
                               const struct fs_shape *shape) {
  if (v->src_rank != whole->rank) return "R7: a view of another rank";
  if (fs_shape_count(shape) == 0) return NULL;
  for (int s = 0; s < v->src_rank; s++) {
    int a = v->axis[s];
    int64_t dim = whole->dim[s], at = v->off[s];
    if (a < -1 || a >= shape->rank) return "R7: a view names an axis not there";
    if ((a < 0) != (v->step[s] == 0)) return "R7: a view's step is wrong";
    if (at < 0 || at >= dim) return "R7: a view begins outside its source";
    if (a < 0) continue;
    int64_t span;
    if (__builtin_mul_overflow(v->step[s], shape->dim[a] - 1, &span) ||
        span < -at || span >= dim - at)
      return "R7: a view ends outside its source";
  }
  return NULL;
}

/* Whether a view repeats or transposes, and skips nothing. */
static bool only_renames(const struct fs_view *v, const struct fs_shape *src,
                         const struct fs_shape *shape) {
  struct fs_view slice, rename;
  struct fs_shape middle;
  return !fs_view_split(v, src, shape, &slice, &middle, &rename);
}

static const char *check_view(const struct fs_graph *g,
                              const struct fs_node *n) {
  const struct fs_node *s = fs_node(g, n->src[0]);
  if (n->dtype != s->dtype) return "R7: a view changes the type";
  if (s->kind == FS_ND_VIEW && s->shape.rank > 0) return "R7: a view of a view";
  bool drawn = s->kind == FS_ND_RAND || s->kind == FS_ND_RANDN;
  bool leaf = s->kind == FS_ND_INPUT || s->kind == FS_ND_IOTA ||
              (drawn && !only_renames(&n->view, &s->shape, &n->shape));
  if (leaf && s->shape.rank > 0) return "R7: a view of a leaf";
  if (fs_view_is_identity(&n->view, &s->shape, &n->shape))
    return "R7: a view that does nothing";
  return check_index(&n->view, &s->shape, &n->shape);
}

static const char *check_update(const struct fs_graph *g,
                                const struct fs_node *n) {
  const struct fs_node *part = fs_node(g, n->src[1]);
  bool named[FS_MAX_RANK] = {false};
  if (n->src[0]) {
    const struct fs_node *base = fs_node(g, n->src[0]);
    if (base->dtype != n->dtype || !fs_shape_equal(&base->shape, &n->shape))
      return "R8: an update changes the shape or type of its base";
  }
  if (part->dtype != n->dtype) return "R8: an update's part has another type";
  for (int s = 0; s < n->view.src_rank; s++)
    if (n->view.axis[s] >= 0) named[n->view.axis[s]] = true;
  for (int k = 0; k < part->shape.rank; k++)
    if (!named[k] && part->shape.dim[k] > 1)
      return "R8: an update writes elements more than once";
  return check_index(&n->view, &n->shape, &part->shape);
}

static const char *check_gemm(const struct fs_node *n) {
  struct fs_lib_sizes s = fs_lib_sizes(n);
  struct fs_shape b = fs_matrix_of(&n->lib_shape[1]), c = {2, {s.rows, s.right}};
  if (s.columns != b.dim[n->lib_flags >> 1 & 1]) return "R9: the inner extents of gemm differ";
  c = fs_batched(&s.batch, &c);
  struct fs_view none = {0};
  fs_view_squeeze(&none, &c);
  return fs_shape_equal(&c, &n->shape) ? NULL : "R9: gemm has another shape";
}

static const char *check_parts(const struct fs_node *n) {
  struct fs_lib_sizes s = fs_lib_sizes(n);
  struct fs_shape whole = fs_lib_result(n->op, s.rows, s.columns);
  whole = fs_batched(&s.batch, &whole);
  struct fs_view none = {0};
  fs_view_squeeze(&none, &whole);
  return fs_shape_equal(&whole, &n->shape) ? NULL
                                           : "R9: the parts of a library call's result "
                                             "have another shape";
}

/* Two parts of whole lines, or, of IRFFT, lines; real numbers alone go with RFFT and FFT. */
static const char *check_fourier(const struct fs_node *n) {
  int64_t count = fs_shape_count(&n->lib_shape[0]);
  int64_t lines = count / fs_shape_dim(&n->lib_shape[0], n->lib_flags & FS_LIB_AXIS);
  int64_t parts = n->op == FS_LIB_IRFFT ? 1 : 2;
  if (n->n_src == 2 && !fs_shape_equal(&n->lib_shape[0], &n->lib_shape[1]))
    return "R9: the parts of a Fourier transform have different shapes";
  if (fs_shape_count(&n->shape) % (lines * parts) || fs_fourier_length(n) < 1)
    return "R9: a Fourier transform's result has no whole lines";
  bool full = n->dtype == FS_F32 || n->dtype == FS_F64;
  return full ? NULL : "R9: a Fourier transform is of f32 or f64";
}

/* What goes along an axis gives as many elements as it takes. */
static const char *check_along(const struct fs_node *n) {
  if ((n->lib_flags & FS_LIB_AXIS) >= FS_MAX(n->lib_shape[0].rank, 1))
    return "R9: a library call goes along an axis not there";
  if (fs_lib_is_fourier(n->op)) return check_fourier(n);
  return fs_shape_count(&n->lib_shape[0]) == fs_shape_count(&n->shape)
             ? NULL
             : "R9: a library call along an axis has another shape";
}

/* Rows, and below them those that are put to them. */
static const char *check_combine(const struct fs_node *n) {
  const struct fs_shape *a = &n->lib_shape[0], *list = &n->lib_shape[1];
  int64_t rows = fs_shape_dim(a, 0) - fs_shape_count(list);
  unsigned by = n->lib_flags & FS_LIB_BY;
  if (by >= FS_LIB_BYS) return "R9: no such way to put rows together";
  bool divides = fs_lib_by[by] == FS_OP_DIV;
  if (a->rank > 2 || rows < 1 ||
      rows * fs_shape_dim(a, 1) != fs_shape_count(&n->shape))
    return "R9: a library call's rows do not fit";
  return n->dtype == FS_BOOL || (divides && !fs_dtype_is_float(n->dtype))
             ? "R9: rows of this type are not put together"
             : NULL;
}

static const char *check_lib(const struct fs_graph *g,
                             const struct fs_node *n) {
  static const int arity[FS_LIB_OP_COUNT] = {
      [FS_LIB_GEMM] = 2,    [FS_LIB_SOLVE] = 2,   [FS_LIB_INV] = 1,
      [FS_LIB_CHOL] = 1,    [FS_LIB_EIGVALS] = 1, [FS_LIB_EIGVECS] = 1,
      [FS_LIB_SVDVALS] = 1, [FS_LIB_GATHER] = 2,
      [FS_LIB_FIND] = 1,    [FS_LIB_INVERT] = 1,  [FS_LIB_RESHAPE] = 1,
      [FS_LIB_SVD] = 1,     [FS_LIB_QR] = 1,      [FS_LIB_QR_R] = 1,
      [FS_LIB_LU] = 1,      [FS_LIB_EIG] = 1,     [FS_LIB_EIG_VALUES] = 1,
      [FS_LIB_SCHUR] = 1,   [FS_LIB_SVD_BOTH] = 1,
      [FS_LIB_CUMSUM] = 1,  [FS_LIB_CUMPROD] = 1, [FS_LIB_CUMMAX] = 1,
      [FS_LIB_CUMMIN] = 1,  [FS_LIB_SORT] = 1,    [FS_LIB_ARGSORT] = 1,
      [FS_LIB_FFT] = 1,     [FS_LIB_RFFT] = 1,    [FS_LIB_IRFFT] = 1,
      [FS_LIB_COMBINE] = 2, [FS_LIB_ALL_REDUCE] = 1, [FS_LIB_ALL_GATHER] = 1,
      [FS_LIB_OWN_PART] = 1, [FS_LIB_LAY] = 1};
  bool takes_both = (n->op == FS_LIB_FFT || n->op == FS_LIB_IRFFT || fs_lib_has_both(n->op)) &&
                    n->n_src == 2;
  if (n->op == FS_LIB_KERNEL)
    return n->user && n->user->foreign ? NULL : "R9: a call of no kernel";
  if (n->n_src != arity[n->op] + takes_both) return "R9: a library call lacks an operand";
  for (int k = 0; k < n->n_src; k++) {
    const struct fs_node *s = fs_node(g, n->src[k]);
    if (!fs_lib_takes_any(n->op, k) && s->dtype != n->dtype)
      return "R9: a library call's operand has the wrong type";
    if (fs_shape_count(&n->lib_shape[k]) != fs_shape_count(&s->shape))
      return "R9: a library call's operand has the wrong shape";
  }
  struct fs_shape outer = fs_batch_of(&n->lib_shape[0]), inner = fs_batch_of(&n->lib_shape[1]);
  struct fs_shape both;
  if (fs_lib_takes_batches(n->op) && !fs_batches_fit(&outer, &inner, &both))
    return "R9: the batches of a library call do not go together";
  if (fs_lib_has_parts(n->op)) return check_parts(n);
  if (fs_lib_is_along(n->op)) return check_along(n);
  if (n->op == FS_LIB_COMBINE) return check_combine(n);
  return n->op == FS_LIB_GEMM ? check_gemm(n) : NULL;
}

static const char *check_node(const struct fs_graph *g, fs_id id) {
  const struct fs_node *n = fs_node(g, id);
  if (n->kind <= FS_ND_NONE || n->kind > FS_ND_EMPTY) return "R1: no such kind";
  if (n->kind == FS_ND_MAP && n->op > FS_OP_USER) return "R3: no such op";
  if (n->kind == FS_ND_REDUCE && n->op >= FS_REDUCE_OP_COUNT)
    return "R3: no such op";
  if (n->kind == FS_ND_LIB && n->op >= FS_LIB_OP_COUNT) return "R3: no such op";
  if (n->dtype >= FS_DTYPE_COUNT) return "R2: no such type";
  const char *wrong = check_shape(n);
  if (!wrong) wrong = check_sources(g, n, id);
  if (wrong) return wrong;
  if (kinds[n->kind].scalar && n->shape.rank) return "R4: a param has a shape";
  switch (n->kind) {
    case FS_ND_MAP: return check_map(g, n);
    case FS_ND_REDUCE: return check_reduce(g, n);
    case FS_ND_VIEW: return check_view(g, n);
    case FS_ND_UPDATE: return check_update(g, n);
    case FS_ND_LIB: return check_lib(g, n);
    case FS_ND_APPLY: return check_apply(g, n);
    case FS_ND_TABLE: return check_table(g, n);
    case FS_ND_EMPTY: return NULL;
    default: return check_leaf(g, n);
  }
}

const char *fs_graph_check(const struct fs_graph *g) {
  for (fs_id id = 1; id < (fs_id)g->nodes.len; id++) {
    const char *wrong = check_node(g, id);
    if (wrong) return wrong;
  }
  if (g->outputs.len != g->output_names.len) return "R10: outputs lack names";
  for (int k = 0; k < g->outputs.len; k++)
    if (!g->outputs.data[k] || g->outputs.data[k] >= (fs_id)g->nodes.len)
      return "R10: no such output";
    else if (fs_node(g, g->outputs.data[k])->kind == FS_ND_EMPTY)
      return "R2: an output has no elements";
  for (int k = 0; k < g->barriers.len; k++)
    if (g->barriers.data[k] > (fs_id)g->nodes.len ||
        (k && g->barriers.data[k] < g->barriers.data[k - 1]))
      return "R10: barriers are out of order";
  return NULL;
}
