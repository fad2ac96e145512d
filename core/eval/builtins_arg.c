/* builtins_arg.c - how built-in functions read their arguments. */
#include <math.h>

#include "core/eval/builtins.h"

enum fs_status fs_give(struct fs_call *c, struct fs_tv t) {
  c->out[0] = fs_tv_value(c->in, &t);
  return FS_OK;
}

enum fs_status fs_arg_tv(struct fs_call *c, int k, struct fs_tv *out) {
  return fs_tv_of(c->in, &c->args[k], c->arg_spans[k], NULL, out);
}

enum fs_status fs_arg_int(struct fs_call *c, int k, const char *what,
                          int64_t *out) {
  return fs_read_int(c->in, &c->args[k], c->arg_spans[k], what, out);
}

enum fs_status fs_arg_string(struct fs_call *c, int k, const char *what,
                             const char **out) {
  if (c->args[k].kind != FS_V_STRING)
    return fs_in_error(c->in, c->arg_spans[k], "wrong-type", NULL,
                       "%s must be a string, not %s", what,
                       fs_val_text(&c->args[k]));
  *out = c->args[k].string->text;
  return FS_OK;
}

bool fs_is_left_out(const struct fs_val *v) {
  return v->kind == FS_V_TENSOR && v->tensor->shape.rank == 1 && !v->tensor->shape.dim[0];
}

static enum fs_status refuse_dims(struct fs_call *c, int k) {
  const char *hint = strcmp(c->builtin->name, "size") ? "one dimension after the other"
                                                      : "size(A) has all extents: m, n = size(A)";
  return fs_in_error(c->in, c->arg_spans[k], "not-a-number", hint,
                     "the dimension must be a number, not %s", fs_val_text(&c->args[k]));
}

/* A dimension of the argument before argument k: from 1, or from -1, the last, back. */
static enum fs_status dim_of(struct fs_call *c, int k, int64_t dim, int *out) {
  const struct fs_val *v = &c->args[k - 1];
  int rank = v->kind == FS_V_TENSOR ? v->tensor->shape.rank : v->kind == FS_V_RANGE;
  if (dim < 0 && dim >= -rank) dim += rank + 1;
  *out = (int)FS_MAX(FS_MIN(dim, FS_MAX_RANK), 1);
  if (dim >= 1 && dim <= FS_MAX_RANK) return FS_OK;
  return fs_in_error(c->in, c->arg_spans[k], "bad-dimension",
                     "1 goes down the columns, 2 along the rows, -1 along the last dimension",
                     "there is no dimension %lld", (long long)dim);
}

enum fs_status fs_arg_dims(struct fs_call *c, int k, unsigned *out) {
  const struct fs_val *v = k < c->n ? &c->args[k] : NULL;
  bool list = v && (v->kind == FS_V_RANGE || (v->kind == FS_V_TENSOR && v->tensor->shape.rank));
  struct fs_tv t;
  double *x = NULL;
  int64_t n = 0;
  int dim = 0;
  enum fs_status st = FS_OK;
  *out = 0;
  if (!list) {
    st = fs_arg_dim(c, k, &dim);
    if (dim) *out = 1u << (dim - 1);
    return st;
  }
  st = fs_tv_of(c->in, v, c->arg_spans[k], NULL, &t);
  if (st != FS_OK) return st;
  struct fs_val all = fs_tv_value(c->in, &t);
  st = fs_read_all(c->in, all.tensor, &x, &n);
  fs_val_unref(all);
  for (int64_t i = 0; i < n && st == FS_OK; i++) {
    bool whole = x[i] == floor(x[i]) && fabs(x[i]) < 1e9;
    st = dim_of(c, k, whole ? (int64_t)x[i] : 0, &dim);
    *out |= 1u << (dim - 1);
  }
  free(x);
  if (st == FS_OK && !n)
    st = fs_in_error(c->in, c->arg_spans[k], "bad-dimension", "without a list it is all of them",
                     "the list of dimensions is empty");
  return st;
}

enum fs_status fs_arg_dim(struct fs_call *c, int k, int *out) {
  int64_t dim = 0;
  *out = 0;
  if (k >= c->n) return FS_OK;
  if (c->args[k].kind == FS_V_TENSOR && fs_shape_count(&c->args[k].tensor->shape) > 1)
    return refuse_dims(c, k);
  enum fs_status st = fs_arg_int(c, k, "the dimension", &dim);
  return st == FS_OK ? dim_of(c, k, dim, out) : st;
}

static enum fs_status push_extent(struct fs_call *c, int k, double x,
                                  struct fs_shape *shape) {
  if (shape->rank == FS_MAX_RANK)
    return fs_in_error(c->in, c->arg_spans[k], "bad-shape", NULL,
                       "a tensor has at most %d dimensions", FS_MAX_RANK);
  bool rest = x == -1 && !strcmp(c->builtin->name, "reshape");
  if (!(x >= 0) || x != (double)(int64_t)FS_MIN(x, 9e15))
    return fs_in_error(c->in, c->arg_spans[k], "bad-shape",
                       rest ? "[] stands for the extent that is left" : NULL,
                       "an extent must be a whole number of at least 0, "
                       "not %s", fs_number_text(x));
  shape->dim[shape->rank++] = (int64_t)x;
  return FS_OK;
}

static enum fs_status push_extents(struct fs_call *c, int k,
                                   struct fs_shape *shape) {
  const struct fs_val *v = &c->args[k];
  double *x = NULL, one = 0;
  int64_t n = 0;
  enum fs_status st;
  if (v->kind == FS_V_TENSOR && v->tensor->shape.rank == 1 &&
      v->tensor->shape.dim[0] <= FS_MAX_RANK) {
    st = fs_read_all(c->in, v->tensor, &x, &n);
    for (int64_t i = 0; i < n && st == FS_OK; i++)
      st = push_extent(c, k, x[i], shape);
    free(x);
    return st;
  }
  enum fs_dtype dt;
  const char *text = fs_in_text(c->in, c->arg_spans[k]);
  if (v->kind == FS_V_FUNCTION && fs_dtype_from_name(text, &dt))
    return fs_in_error(c->in, c->arg_spans[k], "not-a-number",
                       "a type is given as a word: rand(3, \"f64\")",
                       "an extent must be a number, not the function %s", text);
  st = fs_read_number(c->in, v, c->arg_spans[k], "an extent", &one);
  return st == FS_OK ? push_extent(c, k, one, shape) : st;
}

static const char types_are[] = "types are"
#define FS_DTYPE(id, name, ...) " " name
#include "core/graph/dtypes.def"
    " c64 c128";

enum fs_status fs_arg_shape(struct fs_call *c, int from, struct fs_shape *shape,
                            enum fs_dtype *dt) {
  int n = c->n;
  *shape = (struct fs_shape){0};
  if (n > from && c->args[n - 1].kind == FS_V_STRING) {
    const char *name = c->args[--n].string->text;
    if (!fs_dtype_from_name(name, dt))
      return fs_in_error(c->in, c->arg_spans[n], "unknown-type",
                         types_are,
                         "there is no type '%.40s'", name);
  }
  for (int k = from; k < n; k++) {
    enum fs_status st = push_extents(c, k, shape);
    if (st != FS_OK) return st;
  }
  return fs_check_extents(c->in, *dt, shape, c->span);
}
