/* library.c - the kernel that is one call of a library, and what it takes. */
#include "core/graph/fourier.h"
#include "core/plan/kernels/inside.h"
#include "core/schedule/scan.h"

#include <math.h>
#include <stdio.h>

static double library_flops(const struct fs_graph *g, const struct fs_node *nd, bool half) {
  struct fs_lib_sizes s = fs_lib_sizes(nd);
  double m = (double)s.rows, n = (double)s.columns, r = (double)s.right, least = FS_MIN(m, n);
  switch (nd->op) {
    case FS_LIB_GEMM: return (fs_lib_with_itself(nd) && half ? 1 : 2) * m * n * r;
    case FS_LIB_SOLVE:
      if (fs_graph_triangle(g, nd->src[0])) return n * n * r;
      return 2.0 / 3 * n * n * m + 2 * n * n * r;
    case FS_LIB_INV: return 2 * n * n * n;
    case FS_LIB_CHOL: return n * n * n / 3;
    case FS_LIB_EIGVALS: return 4.0 / 3 * n * n * n;
    case FS_LIB_EIG: case FS_LIB_EIG_VALUES: case FS_LIB_SCHUR:
      return (nd->op == FS_LIB_EIG_VALUES ? 10 : 25) * n * n * n * (nd->n_src == 2 ? 4 : 1);
    case FS_LIB_EIGVECS: return 9 * n * n * n;
    case FS_LIB_SVDVALS: return 8.0 / 3 * m * n * n;
    case FS_LIB_SVD: case FS_LIB_SVD_BOTH:
      return (nd->op == FS_LIB_SVD ? 1 : 4) * least * (6 * m * n + 20 * least * least);
    case FS_LIB_QR: return 4 * least * least * (FS_MAX(m, n) - least / 3);
    case FS_LIB_LU: return least * least * (FS_MAX(m, n) - least / 3);
    case FS_LIB_FFT: case FS_LIB_RFFT: case FS_LIB_IRFFT: return fs_fourier_flops(nd);
    case FS_LIB_QR_R: return 2 * least * least * (FS_MAX(m, n) - least / 3);
    default: return 0;
  }
}

/* How often running sums read what they take: long lines twice, first for the totals of
 * their parts. */
static int scan_reads(const struct fs_node *nd, const struct fs_layout *layout) {
  const struct fs_shape *s = &nd->lib_shape[0];
  int axis = nd->lib_flags & FS_LIB_AXIS, last = s->rank - 1 - (axis == s->rank - 1);
  int64_t n = fs_shape_dim(s, axis);
  bool lines_first = s->rank > 1 && llabs(layout->stride[last]) < llabs(layout->stride[axis]);
  return fs_scan_cut(n, fs_shape_count(s) / FS_MAX(n, 1), lines_first).parts > 1 ? 2 : 1;
}

/* What a sort moves that moves its values `times` in every pass, and where they were as
 * often, but for the first. */
static double sort_bytes(const struct fs_node *nd, enum fs_dtype dt, int times) {
  int64_t n = fs_shape_dim(&nd->lib_shape[0], nd->lib_flags & FS_LIB_AXIS);
  double count = (double)fs_shape_count(&nd->shape);
  int passes = fs_sort_passes(dt, n);
  if (n <= FS_SCAN_TILE) times = 1;
  double values = count * (double)fs_dtype_size(dt) * times * passes;
  return nd->op == FS_LIB_SORT ? values : values + count * (n > INT32_MAX ? 8 : 4) * (passes - 1);
}

/* Bytes of operand s that a library call reads. What a list chooses, of single elements by
 * sectors of memory, and of rows what they have. */
static double operand_bytes(const struct fs_maker *p, const struct fs_node *nd, int s) {
  enum { SECTOR = 32 };
  const struct fs_node *src = fs_node(p->g, nd->src[s]);
  double size = (double)fs_dtype_size(src->dtype);
  double all = (double)fs_shape_count(&src->shape) * size;
  if (fs_lib_is_scan(nd->op)) {
    struct fs_layout layout = fs_plan_layout(p->g, nd->src[s]);
    return all * scan_reads(nd, &layout);
  }
  if (fs_lib_is_sort(nd->op)) return sort_bytes(nd, src->dtype, 2);
  if (nd->op != FS_LIB_GATHER || s != 0) return all;
  double chosen = (double)fs_shape_count(&nd->shape);
  bool rows = nd->lib_flags & FS_LIB_OF_ROWS;
  return FS_MIN(all, chosen * (rows ? size : FS_MAX(size, SECTOR)));
}

/* How often the time of its moves such a product takes; 0: it is none. */
static double narrow_pace(const struct fs_node *nd, const struct fs_device *d) {
  if (nd->op != FS_LIB_GEMM || nd->shape.rank != 2 || !(d->flops > 0)) return 0;
  double size = (double)fs_dtype_size(nd->dtype);
  double m = (double)fs_shape_dim(&nd->shape, 0), n = (double)fs_shape_dim(&nd->shape, 1);
  double inner = (double)fs_shape_count(&nd->lib_shape[0]) / FS_MAX(m, 1);
  double tall = FS_MAX(m, n), narrow = FS_MIN(m, n), tile = fs_share(FS_PLAN_NARROW);
  double deep = FS_MAX(inner, fs_share(FS_PLAN_DEEP));
  bool down = tall <= tile && inner >= 64 * tile; /* of two tall ones, along which it sums */
  if (!down && (narrow > tile || inner > tile || tall < 64 * tile)) return 0;
  double peak = fs_share(FS_PLAN_NARROW_RATE) * d->flops;
  double computes = 2 * FS_MAX(tall, tile) * tile * deep / peak;
  double bytes = size * (tall * (inner + narrow) + inner * narrow);
  double rate = fs_exceeds_cache(d, bytes) ? d->bandwidth : d->cache_bandwidth;
  return FS_MAX(1, computes * rate / bytes + (down ? fs_share(FS_PLAN_NARROW_DOWN) : 0));
}

/* How much longer than their moves such calls take. */
static double moves_pace(const struct fs_node *nd, const struct fs_device *d) {
  const struct fs_device_class *c = fs_device_class(d);
  double narrow = c->narrow ? narrow_pace(nd, d) : 0;
  if (narrow > 0) return narrow;
  if (fs_lib_is_sort(nd->op)) return c->sorts;
  if (fs_lib_is_scan(nd->op)) return c->scans;
  if (fs_lib_is_fourier(nd->op))
    return FS_MAX(1, c->fourier * log2((double)fs_fourier_length(nd) + 1));
  switch (nd->op) {
    case FS_LIB_GATHER: return nd->lib_flags & FS_LIB_OF_ROWS ? c->by_rows : c->by_element;
    case FS_LIB_FIND: case FS_LIB_RESHAPE: case FS_LIB_COMBINE: return c->by_element;
    case FS_LIB_INVERT: return c->inversion;
    default: return 1;
  }
}

void fs_kernel_library(struct fs_maker *p, fs_id id, struct fs_kernel *k) {
  const struct fs_node *nd = fs_node(p->g, id);
  *k = (struct fs_kernel){.scheme = FS_LIBRARY, .lib_node = id, .n_phases = 1};
  k->space.m = k->space.n = 1;
  k->lib_slots[0] = (int)id;
  k->lib_layout[0] = fs_plan_layout(p->g, id);
  k->bytes_written = (double)fs_shape_count(&nd->shape) * (double)fs_dtype_size(nd->dtype);
  for (int s = 0; s < nd->n_src; s++) {
    k->lib_slots[s + 1] = (int)fs_plan_base(p->g, nd->src[s]);
    k->lib_layout[s + 1] = fs_plan_layout(p->g, nd->src[s]);
    bool again = s && fs_lib_with_itself(nd) && fs_device_class(p->device)->symmetric;
    if (!again) k->bytes_read += operand_bytes(p, nd, s);
  }
  if (fs_lib_is_sort(nd->op)) /* the last pass writes one or the other */
    k->bytes_written += sort_bytes(nd, fs_node(p->g, nd->src[0])->dtype, 1) -
                        (double)fs_shape_count(&nd->shape) *
                            (double)fs_dtype_size(fs_node(p->g, nd->src[0])->dtype);
  bool packs = fs_lib_is_fourier(nd->op) && fs_device_has_warps(p->device);
  double packed = packs ? fs_fourier_around(nd) : 0;
  k->bytes_read += packed, k->bytes_written += packed;
  *FS_PUSH(&k->calls) = id;
  const struct fs_device_class *c = fs_device_class(p->device);
  struct fs_work w = {.bytes_read = k->bytes_read, .bytes_written = k->bytes_written,
                      .working_set = k->bytes_read + k->bytes_written,
                      .flops = fs_lib_count_of(nd) * library_flops(p->g, nd, c->symmetric),
                      .scheme = FS_LIBRARY, .library = true, .parallel = 1e9,
                      .lib_op = (uint8_t)nd->op, .calls = fs_lib_calls(nd),
                      .pace = moves_pace(nd, p->device),
                      .arith = (uint8_t)fs_arith_of(nd->dtype),
                      .links = fs_lib_links(nd, c->link_delay, c->link_rate)};
  const char *name = nd->user ? nd->user->name : fs_lib_op_names[nd->op];
  snprintf(w.pattern, sizeof w.pattern, "%s", name);
  struct fs_prediction pr = fs_predict(&w, p->device);
  k->work = w, k->flops = w.flops;
  k->first = k->predicted = pr.seconds;
  k->bound = pr.bound;
}
