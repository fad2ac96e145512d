/* builtins_arg.c - how built-in functions read their arguments. */
#include <stdio.h>

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

static enum fs_status refuse_dims(struct fs_call *c, int k) {
  const char *name = c->builtin->name, *x = fs_in_text(c->in, c->arg_spans[0]);
  char hint[200] = "one dimension after the other";
  if (!strcmp(name, "size"))
    snprintf(hint, sizeof hint, "size(A) has all extents: m, n = size(A)");
  else if (k == 1)
    snprintf(hint, sizeof hint, "one dimension after the other: %s(%s(%s, 1), 2)", name, name,
             strlen(x) < 40 ? x : "x");
  return fs_in_error(c->in, c->arg_spans[k], "not-a-number", hint,
                     "the dimension must be a number, not %s", fs_val_text(&c->args[k]));
}

enum fs_status fs_arg_dim(struct fs_call *c, int k, int *out) {
  int64_t dim = 0;
  *out = 0;
  if (k >= c->n) return FS_OK;
  if (c->args[k].kind == FS_V_TENSOR && fs_shape_count(&c->args[k].tensor->shape) > 1)
    return refuse_dims(c, k);
  enum fs_status st = fs_arg_int(c, k, "the dimension", &dim);
  if (st == FS_OK && (dim < 1 || dim > FS_MAX_RANK))
    st = fs_in_error(c->in, c->arg_spans[k], "bad-dimension",
                     "1 goes down the columns, 2 along the rows",
                     "there is no dimension %lld", (long long)dim);
  *out = (int)dim;
  return st;
}

static enum fs_status push_extent(struct fs_call *c, int k, double x,
                                  struct fs_shape *shape) {
  if (shape->rank == FS_MAX_RANK)
    return fs_in_error(c->in, c->arg_spans[k], "bad-shape", NULL,
                       "a tensor has at most %d dimensions", FS_MAX_RANK);
  if (!(x >= 0) || x != (double)(int64_t)FS_MIN(x, 9e15))
    return fs_in_error(c->in, c->arg_spans[k], "bad-shape", NULL,
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
