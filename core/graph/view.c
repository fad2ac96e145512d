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
  int middle_of[FS_MAX_RANK];
  for (int k = 0; k < FS_MAX_RANK; k++) middle_of[k] = -1;
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

/* Along one axis: whether places off, off + step, ... are all among those of a part, or none
 * of them is. */
static void compare_axis(int64_t off, int64_t step, int64_t count, int64_t part_off,
                         int64_t part_step, int64_t part_count, bool *all, bool *none) {
  int64_t last = off + step * (count - 1), part_last = part_off + part_step * (part_count - 1);
  int64_t unit = part_step ? part_step : 1, first = off - part_off;
  int64_t begin = first / unit, end = (last - part_off) / unit;
  *all = first % unit == 0 && (count == 1 || step % unit == 0) && begin >= 0 && end >= 0 &&
         begin < part_count && end < part_count;
  *none = FS_MAX(off, last) < FS_MIN(part_off, part_last) ||
          FS_MIN(off, last) > FS_MAX(part_off, part_last);
}

enum fs_view_place fs_view_in_part(const struct fs_view *view, const struct fs_shape *shape,
                                   const struct fs_view *part,
                                   const struct fs_shape *part_shape, struct fs_view *within) {
  bool inside = true;
  *within = (struct fs_view){.src_rank = part_shape->rank};
  for (int s = 0; s < view->src_rank; s++) {
    int a = part->axis[s], b = view->axis[s];
    bool all, none;
    compare_axis(view->off[s], view->step[s], b < 0 ? 1 : shape->dim[b], part->off[s],
                 part->step[s], a < 0 ? 1 : part_shape->dim[a], &all, &none);
    if (none) return FS_VIEW_APART;
    inside &= all;
    if (a < 0 || !all) continue;
    within->off[a] = (view->off[s] - part->off[s]) / part->step[s];
    within->axis[a] = (int8_t)b;
    within->step[a] = b < 0 ? 0 : view->step[s] / part->step[s];
    for (int t = 0; t < s; t++) inside &= part->axis[t] != a; /* not of a diagonal */
  }
  return inside ? FS_VIEW_WITHIN : FS_VIEW_PARTLY;
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
