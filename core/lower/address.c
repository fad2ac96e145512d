/* address.c - axes and addresses as data; see address.h. */
#include "core/lower/address.h"

struct fs_lp_axes fs_lp_axes_of(const struct fs_space *s) {
  struct fs_lp_axes a = {.n_outer = s->n_outer, .n_inner = FS_MAX(1, s->n_inner)};
  for (int x = 0; x <= FS_MAX_RANK; x++)
    a.dim[x] = x < s->n_outer + s->n_inner ? s->dim[x] : 1;
  return a;
}
