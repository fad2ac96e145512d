/* decl.c - declarations and `input` of the paper's scripts.
 *
 *   TILE32x32 A;  subvector32 p, q;  globalscalar alpha;   what names will hold
 *   input A, p, alpha;      takes variables that exist; makes up the others:
 *                           random matrices n x n, vectors of n, scalars
 */
#include "core/eval/trace.h"

/* -- declarations ---------------------------------------------------------- */

static const char *declared_kind(const char *word) {
  if (strstr(word, "scalar")) return "scalar";
  return strstr(word, "vector") ? "vector" : "matrix";
}

static struct fs_declared *find_declared(struct fs_interp *in,
                                         const char *name) {
  for (int i = 0; i < in->declared.len; i++)
    if (strcmp(in->declared.data[i].name, name) == 0)
      return &in->declared.data[i];
  return NULL;
}

enum fs_status fs_exec_declare(struct fs_interp *in, const struct fs_stmt *s) {
  for (int k = 0; k < s->n_targets; k++) {
    struct fs_declared *d = find_declared(in, s->targets[k].name);
    if (!d) {
      char *name = fs_strdup(s->targets[k].name);
      d = FS_PUSH(&in->declared);
      *d = (struct fs_declared){.name = name};
    }
    d->type = declared_kind(s->text);
    d->dtype = FS_F32;
    in->globals.stamp++;
  }
  return FS_OK;
}

/* -- input ----------------------------------------------------------------- */

static enum fs_status check_input(struct fs_interp *in,
                                  const struct fs_declared *d,
                                  const struct fs_val *v,
                                  struct fs_span span) {
  bool number = v->kind == FS_V_NUMBER || v->kind == FS_V_BOOL;
  if (number && strcmp(d->type, "scalar") == 0) return FS_OK;
  if (v->kind == FS_V_TENSOR) {
    const struct fs_shape *s = &v->tensor->shape;
    bool one = fs_shape_count(s) == 1;
    if (strcmp(d->type, "scalar") == 0 && one) return FS_OK;
    if (strcmp(d->type, "matrix") == 0 && (s->rank == 2 || one)) return FS_OK;
    if (strcmp(d->type, "vector") == 0 &&
        (s->rank == 1 || one || (s->rank == 2 && s->dim[1] == 1)))
      return FS_OK;
  }
  return fs_in_error(in, span, "wrong-type",
                     "assign another value, or use another name",
                     "'%.100s' is declared as a %s but is %s", d->name, d->type,
                     fs_val_text(v));
}

/* The size of made-up data: the variable n, or the extent that the inputs at
 * hand agree on, or the setting. */
static enum fs_status input_size(struct fs_interp *in, const struct fs_stmt *s,
                                 int64_t *out) {
  const struct fs_val *n = fs_scope_find(&in->globals, "n");
  if (n && (n->kind == FS_V_NUMBER || n->kind == FS_V_STRING ||
            (n->kind == FS_V_TENSOR && n->tensor->shape.rank == 0)))
    return fs_read_int(in, n, s->span, "n", out);
  int64_t extent = 0;
  for (int k = 0; k < s->n_targets; k++) {
    const struct fs_val *v = fs_scope_find(&in->globals, s->targets[k].name);
    if (!v || v->kind != FS_V_TENSOR) continue;
    for (int d = 0; d < v->tensor->shape.rank; d++) {
      int64_t x = v->tensor->shape.dim[d];
      if (x == 1) continue;
      if (extent && x != extent) extent = -1;
      if (!extent) extent = x;
    }
  }
  *out = extent > 0 ? extent : in->size;
  return FS_OK;
}

/* Made-up data is computed at once, in a block of its own: the statements that
 * follow are to read it as they would read real data. */
static enum fs_status make_up(struct fs_interp *in, const struct fs_declared *d,
                              int64_t n, struct fs_span span,
                              struct fs_val *out) {
  struct fs_shape shape = fs_shape_scalar();
  if (strcmp(d->type, "matrix") == 0) shape = fs_shape_of(2, (int64_t[]){n, n});
  if (strcmp(d->type, "vector") == 0) shape = fs_shape_of(1, &n);
  enum fs_status st = fs_check_size(in, d->dtype, &shape, span);
  if (st != FS_OK) return st;
  struct fs_graph *block = in->graph;
  in->graph = NULL;
  struct fs_tv rand = fs_tv_rand(in, false, d->dtype, &shape);
  struct fs_tensor *t = fs_tensor_lazy(in->graph, rand.node, &shape);
  t->state = FS_TS_VIRTUAL; /* takes the graph */
  in->graph = block;
  st = fs_force(in, t);
  if (st == FS_OK)
    *out = fs_val_tensor(t);
  else
    fs_tensor_unref(t);
  return st;
}

enum fs_status fs_exec_input(struct fs_interp *in, const struct fs_stmt *s) {
  int64_t n = 0;
  enum fs_status st = input_size(in, s, &n);
  for (int k = 0; k < s->n_targets && st == FS_OK; k++) {
    const char *name = s->targets[k].name;
    struct fs_span span = s->targets[k].span;
    const struct fs_declared *d = find_declared(in, name);
    const struct fs_val *v = fs_scope_find(&in->globals, name);
    if (v && v->kind != FS_V_FUNCTION) {
      if (d) st = check_input(in, d, v, span);
      continue;
    }
    if (!d)
      return fs_in_error(in, span, "unknown-name",
                         "declare it (matrix, vector or scalar), or define it "
                         "first", "input '%.100s' is neither declared nor "
                         "defined", name);
    struct fs_val made;
    st = make_up(in, d, n, span, &made);
    int assigned = in->assigned.len;
    if (st == FS_OK) fs_assign(in, name, made);
    /* An input is no result of the text: `return` leaves it alone. */
    while (in->assigned.len > assigned)
      free(in->assigned.data[--in->assigned.len]);
  }
  return st;
}
