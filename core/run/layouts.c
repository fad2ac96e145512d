/* layouts.c - see layouts.h. */
#include "core/run/layouts.h"

#include "core/model/calibration.h"
#include "core/ranks/ranks.h"

struct fs_links fs_device_links(const struct fs_device *device) {
  enum { LARGE = 1 << 30 }; /* bytes: no cache has them */
  const struct fs_device_class *c = fs_device_class(device);
  if (fs_ranks() == 1 || !device->calibration) return (struct fs_links){0};
  const double *reads = device->calibration->curve[FS_TM_READ_ROW - FS_TM_SYNC_END];
  return (struct fs_links){fs_move_cost(reads, LARGE), c->link_delay, 1 / c->link_rate};
}

/* The last ranks have less than a part: then a copy of it, filled up with zeros. */
static enum fs_status upload_part(struct fs_target *t, enum fs_dtype dt,
                                  const struct fs_shape *part, int64_t extent, const char *data,
                                  struct fs_tensor **out, struct fs_diags *d) {
  int64_t rows = part->dim[0], row = fs_shape_count(part) / rows * (int64_t)fs_dtype_size(dt);
  int64_t first = FS_MIN(fs_rank() * rows, extent), own = FS_MIN(rows, extent - first);
  if (own == rows) return fs_tensor_upload(t, dt, part, data + first * row, out, d);
  char *copy = fs_calloc((size_t)rows, (size_t)row);
  memcpy(copy, data + first * row, (size_t)(own * row));
  enum fs_status st = fs_tensor_upload(t, dt, part, copy, out, d);
  free(copy);
  return st;
}

static enum fs_status upload_whole(struct fs_target *t, enum fs_dtype dt,
                                   const struct fs_shape *shape, const void *data,
                                   struct fs_tensor **out, struct fs_diags *d) {
  enum fs_status st = fs_tensor_upload(t, dt, shape, data, out, d);
  enum fs_status all = fs_ranks_are_together() ? fs_ranks_agree(st, d) : st;
  if (!st && all) fs_tensor_unref(*out);
  return all;
}

enum fs_status fs_tensor_upload_laid(struct fs_target *t, enum fs_dtype dt,
                                     const struct fs_shape *shape, const void *data,
                                     struct fs_tensor **out, struct fs_diags *d) {
  struct fs_links links = fs_device_links(&t->device);
  struct fs_shape part = *shape;
  struct fs_tensor *own = NULL;
  if (!fs_ranks_are_together() || shape->rank < 2 || shape->dim[0] < 2 ||
      !fs_lay_pays(shape, dt, &links))
    return upload_whole(t, dt, shape, data, out, d);
  part.dim[0] = fs_cut_part(shape->dim[0]);
  enum fs_status st = upload_part(t, dt, &part, shape->dim[0], data, &own, d);
  st = fs_ranks_agree(st, d);
  if (st != FS_OK) {
    fs_tensor_unref(own);
    return st;
  }
  struct fs_cut *cut = &own->storage->cut;
  *cut = fs_cut_of(0, shape->dim[0], &own->layout, &part);
  cut->outer = FS_MAX(1, (int64_t)(own->storage->bytes / fs_dtype_size(dt)) / cut->block);
  fs_cut_widen(cut, &own->layout, shape->rank);
  own->shape = *shape;
  *out = own;
  return FS_OK;
}
