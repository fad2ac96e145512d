/* view.c - the algebra of index maps (struct fs_view): composition, splitting
 * into slice and rename, application to affine indices. */
#include "core/graph/internal.h"

struct fs_view fs_view_axes(int src_rank, const int *axes) {
  struct fs_view v = {.src_rank = src_rank};
  for (int s = 0; s < src_rank; s++) {
    v.axis[s] = (int8_t)axes[s];
    v.step[s] = axes[s] >= 0;
  }
  return v;
}

struct fs_view fs_view_compose(const struct fs_view *base,
                               const struct fs_view *view) {
  struct fs_view v = {.src_rank = base->src_rank};
  for (int s = 0; s < base->src_rank; s++) {
    int a = base->axis[s];
    v.off[s] = base->off[s];
    v.axis[s] = -1;
    if (a < 0) continue;
    v.off[s] += base->step[s] * view->off[a];
    v.axis[s] = view->axis[a];
    v.step[s] = v.axis[s] < 0 ? 0 : base->step[s] * view->step[a];
  }
  return v;
}

void fs_view_squeeze(struct fs_view *view, struct fs_shape *shape) {
  int to[FS_MAX_RANK], rank = 0;
  for (int k = 0; k < shape->rank; k++) {
    to[k] = shape->dim[k] == 1 ? -1 : rank;
    if (to[k] >= 0) shape->dim[rank++] = shape->dim[k];
  }
  shape->rank = rank;
  for (int k = rank; k < FS_MAX_RANK; k++) shape->dim[k] = 0;
  for (int s = 0; s < FS_MAX_RANK; s++) {
    if (s >= view->src_rank) {
      view->axis[s] = 0;
      view->off[s] = view->step[s] = 0;
      continue;
    }
    if (view->axis[s] >= 0) view->axis[s] = (int8_t)to[view->axis[s]];
    if (view->axis[s] < 0 || view->step[s] == 0) {
      view->axis[s] = -1;
      view->step[s] = 0;
    }
  }
}

bool fs_view_is_identity(const struct fs_view *view,
                         const struct fs_shape *src,
                         const struct fs_shape *shape) {
  if (!fs_shape_equal(src, shape)) return false;
  for (int s = 0; s < src->rank; s++)
    if (view->axis[s] != s || view->off[s] != 0 || view->step[s] != 1)
      return false;
  return true;
}

bool fs_view_split(const struct fs_view *view, const struct fs_shape *src,
                   const struct fs_shape *shape, struct fs_view *slice,
                   struct fs_shape *middle, struct fs_view *rename) {
  int middle_of[FS_MAX_RANK] = {-1, -1, -1, -1};
  *slice = *view;
  *middle = (struct fs_shape){0};
  *rename = (struct fs_view){0};
  for (int s = 0; s < view->src_rank; s++) {
    int a = view->axis[s];
    if (a < 0) continue;
    if (middle_of[a] < 0) {
      int m = middle_of[a] = middle->rank++;
      middle->dim[m] = shape->dim[a];
      rename->axis[m] = (int8_t)a;
      rename->step[m] = 1;
    }
    slice->axis[s] = (int8_t)middle_of[a];
  }
  rename->src_rank = middle->rank;
  return !fs_view_is_identity(slice, src, middle);
}

bool fs_view_is_permutation(const struct fs_view *view,
                            const struct fs_shape *src,
                            const struct fs_shape *shape) {
  struct fs_view slice, rename;
  struct fs_shape middle;
  return src->rank == shape->rank &&
         !fs_view_split(view, src, shape, &slice, &middle, &rename);
}

void fs_view_affine(const struct fs_view *view, int rank, int64_t *base,
                    int64_t stride[FS_MAX_RANK]) {
  int64_t out[FS_MAX_RANK] = {0};
  for (int s = 0; s < view->src_rank; s++) {
    *base += view->off[s] * stride[s];
    if (view->axis[s] >= 0 && view->axis[s] < rank)
      out[view->axis[s]] += view->step[s] * stride[s];
  }
  memcpy(stride, out, sizeof out);
}
