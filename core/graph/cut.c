/* cut.c - where the elements of arrays lie that are cut over ranks (struct fs_cut). */
#include "core/graph/graph.h"

#include "core/ranks/ranks.h"

/* Two at least, so that no axis is squeezed away where it is cut. */
int64_t fs_cut_part(int64_t extent) {
  return FS_MAX(2, fs_ceil_div(extent, fs_ranks()));
}

/* The cut axis and all behind it as one, as A[:] has them, where all ranks have as much of it. */
static bool goes_over_parts(const struct fs_cut *cut, int64_t step, int64_t n) {
  return step > 0 && cut->stride % step == 0 && n * step == cut->extent * cut->stride &&
         cut->part * fs_ranks() == cut->extent && step < cut->stride;
}

int fs_cut_axis(const struct fs_cut *cut, const struct fs_shape *shape,
                const struct fs_layout *layout, struct fs_layout *own) {
  int64_t all = cut->block * fs_ranks(), rest = layout->offset % all;
  int64_t low = rest % cut->stride, high = low;
  int axis = -1;
  *own = (struct fs_layout){.offset = layout->offset / all * cut->block + low};
  if (layout->reach || rest / cut->stride) return -1;
  for (int k = 0; k < shape->rank; k++) {
    int64_t s = layout->stride[k], n = shape->dim[k];
    own->stride[k] = s;
    if (s % all == 0) {
      own->stride[k] = s / fs_ranks();
    } else if (goes_over_parts(cut, s, n)) {
      if (axis >= 0 || low) return -1;
      axis = k;
    } else if (s % cut->stride == 0) {
      if (axis >= 0 || s != cut->stride || n != cut->extent) return -1;
      axis = k;
    } else {
      *(s < 0 ? &low : &high) += s * (n - 1);
    }
  }
  return low >= 0 && high < cut->stride ? axis : -1;
}

bool fs_cut_view(const struct fs_cut *cut, const struct fs_shape *shape,
                 const struct fs_layout *layout, struct fs_cut_whole *out) {
  /* From one index to the next, in the whole and in a rank's memory; how many there are. */
  const int64_t unit[3] = {cut->block * fs_ranks(), cut->stride, 1};
  const int64_t own[3] = {cut->block, cut->stride, 1};
  const int64_t count[3] = {cut->outer, cut->extent, cut->stride};
  int64_t rest = layout->offset;
  *out = (struct fs_cut_whole){.axis = count[0] > 1};
  if (layout->reach) return false;
  for (int d = 0; d < 3; d++) {
    int s = out->shape.rank, along = -1;
    int64_t off = rest / unit[d], step = 0;
    for (int k = 0; k < shape->rank; k++) {
      int64_t t = layout->stride[k];
      bool here = t && t % unit[d] == 0 && (d == 0 || t % unit[d - 1]);
      if (here && along >= 0) return false;
      if (here) along = k, step = t / unit[d];
    }
    int64_t last = off + step * (along < 0 ? 0 : shape->dim[along] - 1);
    if (off >= count[d] || last < 0 || last >= count[d]) return false;
    rest -= off * unit[d];
    if (count[d] == 1) continue;
    out->view.axis[s] = (int8_t)along, out->view.off[s] = off, out->view.step[s] = step;
    out->own.stride[s] = own[d];
    out->shape.dim[out->shape.rank++] = count[d];
  }
  out->view.src_rank = out->shape.rank;
  return true;
}

struct fs_cut fs_cut_of(int axis, int64_t extent, const struct fs_layout *own,
                        const struct fs_shape *shape) {
  struct fs_cut cut = {.part = shape->dim[axis], .extent = extent, .stride = own->stride[axis]};
  int64_t outer = INT64_MAX; /* from one index of the next axis outside to the next */
  for (int k = 0; k < shape->rank; k++)
    if (k != axis && own->stride[k] >= cut.part * cut.stride)
      outer = FS_MIN(outer, own->stride[k]);
  cut.block = outer < INT64_MAX ? outer : cut.part * cut.stride;
  return cut;
}

void fs_cut_widen(const struct fs_cut *cut, struct fs_layout *layout, int rank) {
  int64_t inner = layout->offset % cut->block;
  layout->offset = (layout->offset - inner) * fs_ranks() + inner;
  for (int k = 0; k < rank; k++)
    if (layout->stride[k] % cut->block == 0) layout->stride[k] *= fs_ranks();
}

double fs_lib_links(const struct fs_node *call, double delay, double rate) {
  bool adds = call->op == FS_LIB_ALL_REDUCE;
  double bytes = (double)fs_shape_count(&call->shape) * (double)fs_dtype_size(call->dtype);
  if (!adds && call->op != FS_LIB_ALL_GATHER) return 0;
  return fs_ranks() * delay + (adds ? 2 : 1) * (1 - 1.0 / fs_ranks()) * bytes / rate;
}

double fs_lay_seconds(const struct fs_shape *shape, enum fs_dtype dt, int axis,
                      const struct fs_links *links) {
  double size = (double)fs_dtype_size(dt), bytes = (double)fs_shape_count(shape) * size;
  if (axis < 0 || fs_ranks() == 1) return bytes * links->memory;
  double along = (double)shape->dim[axis], share = (double)fs_cut_part(shape->dim[axis]) / along;
  double moved = (1 - 1.0 / fs_ranks()) * FS_MAX(along * size, 2 * bytes / along);
  return share * bytes * links->memory + fs_ranks() * links->delay + moved * links->link;
}

bool fs_lay_pays(const struct fs_shape *shape, enum fs_dtype dt, const struct fs_links *links) {
  return fs_ranks() > 1 && shape->rank > 1 && fs_shape_count(shape) &&
         fs_lay_seconds(shape, dt, 0, links) < fs_lay_seconds(shape, dt, -1, links);
}
