/* address.c - axes and addresses as data; see address.h. */
#include "core/lower/address.h"

struct fs_lp_axes fs_lp_axes_of(const struct fs_space *s) {
  struct fs_lp_axes a = {.n_outer = s->n_outer, .n_inner = FS_MAX(1, s->n_inner)};
  for (int x = 0; x <= FS_MAX_RANK; x++)
    a.dim[x] = x < s->n_outer + s->n_inner ? s->dim[x] : 1;
  return a;
}

static const char *axis_name(const struct fs_lp_axes *a, int axis) {
  static const char outer[FS_MAX_RANK][3] = {"i0", "i1", "i2", "i3", "i4", "i5"},
                    inner[FS_MAX_RANK][3] = {"j0", "j1", "j2", "j3", "j4", "j5"};
  if (axis < a->n_outer) return a->n_outer == 1 ? "i" : outer[axis];
  return a->n_inner == 1 ? "j" : inner[axis - a->n_outer];
}

void fs_lp_add_term(struct fs_lp_address *a, const char *index, int64_t times) {
  int n = FS_LP_TERMS;
  while (n > 0 && !a->term[n - 1].times) n--;
  if (times) a->term[n] = (struct fs_lp_term){index, times};
}

void fs_lp_add_axes(struct fs_lp_address *a, const struct fs_lp_axes *axes, const int64_t *stride) {
  for (int x = 0; x < axes->n_outer + axes->n_inner; x++)
    if (axes->dim[x] != 1) fs_lp_add_term(a, axis_name(axes, x), stride[x]);
}

bool fs_lp_is_nothing(const struct fs_lp_address *a) {
  for (int x = 0; x < FS_LP_TERMS; x++)
    if (a->term[x].times) return false;
  return true;
}
