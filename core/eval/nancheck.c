/* nancheck.c - `:set nancheck on`: results of blocks that are not finite.
 *
 * All that a block has stored is read back, in the order of its statements. That is slow, and meant
 * for finding out where a NaN comes from. */
#include "core/eval/nancheck.h"

#include <math.h>

enum { AT_ONCE = 1 << 20 }; /* elements that are read back together */

void fs_nancheck_keep(struct fs_interp *in, struct fs_tensor *t, fs_id node) {
  const struct fs_node *n = fs_node(in->graph, node);
  if (!in->nancheck || in->nan_told || !fs_dtype_is_float(t->dtype)) return;
  *FS_PUSH(&in->unchecked) = (struct fs_unchecked){fs_tensor_ref(t), n->stmt, n->turn};
}

static enum fs_status warn(struct fs_interp *in, const struct fs_unchecked *u, int64_t place,
                           double x) {
  struct fs_str at = {0};
  const struct fs_shape *s = &u->t->shape;
  int64_t inner = fs_shape_count(s);
  for (int d = 0; d < s->rank; d++) {
    inner /= s->dim[d];
    fs_str_printf(&at, "%s%lld", d ? ", " : " at [", (long long)(place / inner % s->dim[d] + 1));
  }
  fs_warn(in->diags, u->stmt, "not-finite", "what is behind it is not looked at; `:set nancheck off`",
          "this gives %s%s%s", isnan(x) ? "a NaN" : "an infinity", fs_str_text(&at), s->rank ? "]" : "");
  fs_str_free(&at);
  in->nan_told = true;
  return FS_OK;
}

/* Some rows, or where these are long a part of one, at a time. */
static enum fs_status look_at(struct fs_interp *in, const struct fs_unchecked *u) {
  const struct fs_tensor *t = u->t;
  size_t size = fs_dtype_size(t->dtype);
  int64_t first[FS_MAX_RANK] = {0}, count[FS_MAX_RANK], all = fs_shape_count(&t->shape), done = 0;
  int axis = 0;
  int64_t inner = all;
  if (t->state != FS_TS_STORED || !all) return FS_OK;
  for (int d = 0; d < FS_MAX_RANK; d++) count[d] = d < t->shape.rank ? t->shape.dim[d] : 1;
  while (axis < t->shape.rank && (inner /= t->shape.dim[axis]) > AT_ONCE) count[axis++] = 1;
  int64_t step = axis < t->shape.rank ? FS_MIN(FS_MAX(AT_ONCE / inner, 1), count[axis]) : 1;
  char *bytes = fs_malloc((size_t)(step * inner) * size);
  enum fs_status st = FS_OK;
  while (done < all && st == FS_OK && !in->nan_told) {
    int64_t rest = done;
    for (int d = t->shape.rank - 1; d >= 0; d--) first[d] = rest % t->shape.dim[d], rest /= t->shape.dim[d];
    if (axis < t->shape.rank) count[axis] = FS_MIN(step, t->shape.dim[axis] - first[axis]);
    int64_t n = axis < t->shape.rank ? count[axis] * inner : 1;
    st = fs_tensor_download(u->t, first, count, bytes, in->diags);
    for (int64_t k = 0; k < n && st == FS_OK && !in->nan_told; k++) {
      double x = fs_element_get(t->dtype, bytes + (size_t)k * size).f;
      if (!isfinite(x)) st = warn(in, u, done + k, x);
    }
    done += n;
    if (st == FS_OK && fs_interrupted()) st = FS_INTERRUPTED;
  }
  free(bytes);
  return st;
}

enum fs_status fs_nancheck_look(struct fs_interp *in) {
  enum fs_status st = FS_OK;
  while (in->unchecked.len) {
    int next = 0;
    for (int k = 1; k < in->unchecked.len; k++)
      if (in->unchecked.data[k].turn < in->unchecked.data[next].turn) next = k;
    struct fs_unchecked u = in->unchecked.data[next];
    in->unchecked.data[next] = in->unchecked.data[--in->unchecked.len];
    if (st == FS_OK && !in->nan_told) st = look_at(in, &u);
    fs_tensor_unref(u.t);
  }
  return st;
}
