/* price.c - what a kernel moves and computes, and what the model says that it takes. */
#include "core/plan/kernels/place.h"

enum { ON_CHIP_ROW = 256 << 10 }; /* CPU: bytes of a row that stay in a cache */

static bool against_grain(const struct fs_kernel *k, const struct fs_access *a) {
  int last = k->space.n_outer + k->space.n_inner - 1;
  if (k->space.n_inner == 0 || !(a->varies & FS_VARIES_J)) return false;
  int64_t s = a->stride[last];
  return k->space.dim[last] > 1 && (s > 1 || s < -1);
}

/* Whether threads side by side read neighbours of rows that lie across memory (schedule/tune.c,
 * tune_short()), in whole sectors. */
static bool is_beside(const struct fs_kernel *k, const struct fs_access *a) {
  return k->has.row_results && a->varies == FS_VARIES_BOTH && k->space.n_outer &&
         fs_scheme_of(k)->rows && a->stride[k->space.n_outer - 1] == 1 &&
         k->tune.row_threads <= (int)fs_dtype_size(a->dtype);
}

/* A strided vector that is read once for all rows: the CPU target copies it (device/cpu/lines.c),
 * threads of a GPU that have all columns hold it; or what these write at the end. */
static bool is_copied_once(const struct fs_kernel *k, const struct fs_access *a,
                           const struct fs_step *s, bool cuda) {
  if (cuda && !(fs_scheme_of(k)->rows && fs_tune_holds(k))) return false;
  return (s->kind == FS_SP_LOAD || (cuda && s->phase == FS_END)) && fs_kernel_has_rows(k) &&
         a->varies == FS_VARIES_J;
}

/* Two loads of one array along the same strides: shifted slices, which overlap
 * but for their edges. */
static bool same_array(const struct fs_graph *g, const struct fs_access *x,
                       const struct fs_access *y) {
  return fs_graph_one_array(g, x->slot, y->slot) && x->list == y->list &&
         x->dtype == y->dtype && !memcmp(x->stride, y->stride, sizeof x->stride);
}

/* Whether two loads along the same strides have elements in common, if one lay `apart`
 * elements on: steps within the space, the longest first, lead from one to the other. */
static bool overlap(const struct fs_kernel *k, const struct fs_access *x,
                    const struct fs_access *y, int64_t apart) {
  int64_t rest = x->offset - y->offset - apart, before = INT64_MAX;
  for (;;) {
    int64_t step = 0, most = 0;
    for (int axis = 0; axis < k->space.n_outer + k->space.n_inner; axis++) {
      int64_t s = x->stride[axis] < 0 ? -x->stride[axis] : x->stride[axis];
      if (s < before && s > step) step = s, most = k->space.dim[axis];
    }
    if (!step) return rest == 0;
    int64_t times = (rest + (rest < 0 ? -step : step) / 2) / step; /* to the nearest */
    if (times >= most || times <= -most) return false;
    rest -= times * step;
    before = step;
  }
}

/* Whether two loads along the same strides, which overlap, are shifted along one row. */
static bool in_one_row(const struct fs_kernel *k, const struct fs_access *x,
                       const struct fs_access *y) {
  int64_t apart = x->offset > y->offset ? x->offset - y->offset : y->offset - x->offset;
  for (int axis = 0; axis < k->space.n_outer + k->space.n_inner; axis++)
    if (x->stride[axis] == 1 || x->stride[axis] == -1) return apart < k->space.dim[axis];
  return apart == 0;
}

/* Whether a load takes every second element of what lies in memory. */
static bool is_spaced(const struct fs_kernel *k, const struct fs_access *a) {
  bool spaced = false;
  for (int x = 0; x < k->space.n_outer + k->space.n_inner; x++) {
    if (k->space.dim[x] > 1 && (a->stride[x] == 1 || a->stride[x] == -1)) return false;
    spaced |= k->space.dim[x] > 1 && a->stride[x] == 2;
  }
  return spaced;
}

/* Whether it comes by whole vectors (emit/sweep.c). */
static bool comes_whole(const struct fs_kernel *k, const struct fs_access *a) {
  int last = k->space.n_outer + k->space.n_inner - 1;
  if (!fs_schemes[k->scheme].vectors || k->tune.vec == 1 || a->stride[last] != 2)
    return false;
  for (int x = 0; x < last; x++)
    if (k->space.dim[x] > 1 && a->stride[x] % k->tune.vec) return false;
  return true;
}

/* Whether the elements between those of a spaced load are some other one's. */
static bool has_between(const struct fs_graph *g, const struct fs_kernel *k,
                        const struct fs_access *a) {
  bool found = false;
  FS_EACH_AT(&k->accesses, b)
    if (fs_access_is_load(b) && same_array(g, b, a))
      found |= overlap(k, b, a, 1) || overlap(k, b, a, -1);
  return found;
}

/* Whether a square matrix that is read across is read as it lies, too: then the cache has it
 * ((A + A') / 2 of 8192 in f32: 145 us on an H200, 188 were it not for the order of the tiles). */
static bool is_mirrored(const struct fs_graph *g, const struct fs_kernel *k,
                        const struct fs_access *a) {
  if (a->varies != 3 || a->stride[0] != 1 || a->stride[1] == 1) return false;
  FS_EACH_AT(&k->accesses, b)
    if (fs_access_is_load(b) && fs_graph_one_array(g, a->slot, b->slot) &&
        b->varies == 3 && a->offset == b->offset && a->stride[0] == b->stride[1] &&
        a->stride[1] == b->stride[0])
      return true;
  return false;
}

static bool mirrors(const struct fs_graph *g, const struct fs_kernel *k) {
  enum { MOST = 1 << 16 }; /* rows: the squares' numbers have exact roots in f32 */
  if (!fs_kernel_turns(k) || k->space.m != k->space.n || k->space.n > MOST) return false;
  for (int x = 0; x < k->accesses.len; x++)
    if (is_mirrored(g, k, &k->accesses.data[x])) return true;
  return false;
}

/* What a load costs a GPU's tile kernel, in bytes of one of words: a warp asks for 32 neighbours,
 * and a multiprocessor has so many requests under way, whatever they bring (A'*x of 6000: 43 us on
 * an H200, in bf16 as in f32; sum(X, 1) of 4 x 2^24, by tiles of which 4 rows of 32 are there, 745
 * us, not 79). Rows that are no whole vectors keep the lower price: kernels over rows, which would
 * be taken in their place, take longer there than they are predicted to. */
static double asked_bytes(const struct fs_kernel *k, const struct fs_access *a, double bytes) {
  enum { WORD = 4, VECTOR = 16, SIDE = 32 };
  double size = (double)fs_dtype_size(a->dtype);
  bool whole = k->space.n * (int64_t)fs_dtype_size(a->dtype) % VECTOR == 0;
  if (!fs_scheme_of(k)->ends_rows || fs_kernel_turns(k) || a->varies != 3) return bytes;
  double filled = (double)(FS_MIN(k->space.m, SIDE) * FS_MIN(k->space.n, SIDE)) / (SIDE * SIDE);
  return (size < WORD && whole ? bytes / size * WORD : bytes) / filled;
}

/* The lists that loads go by. */
static void count_lists(const struct fs_kernel *k, struct fs_work *w) {
  for (int x = 0; x < k->accesses.len; x++) {
    if (!fs_access_is_list(k, x)) continue;
    double bytes = fs_access_bytes(k, &k->accesses.data[x]);
    w->bytes_read += bytes;
    w->bytes_asked += bytes;
  }
}

static void count_traffic(const struct fs_graph *g, const struct fs_kernel *k,
                          bool cuda, struct fs_work *w) {
  count_lists(k, w);
  for (int i = 0; i < k->steps.len && !fs_interrupted(); i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->access < 0) continue;
    const struct fs_access *a = &k->accesses.data[s->access];
    bool seen = false; /* the same elements loaded by another step */
    bool row = false;  /* ... of the same row */
    for (int j = 0; j < i && s->kind == FS_SP_LOAD; j++) {
      const struct fs_step *t = &k->steps.data[j];
      if (t->kind != FS_SP_LOAD || !same_array(g, &k->accesses.data[t->access], a))
        continue;
      seen |= !cuda || overlap(k, &k->accesses.data[t->access], a, 0);
      row |= in_one_row(k, &k->accesses.data[t->access], a);
      w->shifted |= k->accesses.data[t->access].offset != a->offset;
    }
    if (seen && !row) w->bytes_near += fs_access_bytes(k, a);
    if (seen || (k->mirrors && is_mirrored(g, k, a))) continue;
    double bytes = fs_access_bytes(k, a);
    bool spaced = cuda && s->kind == FS_SP_LOAD && is_spaced(k, a);
    if (spaced && !has_between(g, k, a)) bytes *= 2;
    if (s->kind == FS_SP_LOAD) w->bytes_read += bytes;
    else w->bytes_written += bytes;
    if (s->kind == FS_SP_LOAD) w->bytes_asked += asked_bytes(k, a, bytes);
    bool turned = fs_kernel_turns(k) || (spaced && comes_whole(k, a));
    turned |= (cuda && is_beside(k, a)) || is_copied_once(k, a, s, cuda);
    if (!fs_scheme_of(k)->in_step && !turned && against_grain(k, a)) w->bytes_strided += bytes;
  }
}

static void count_operations(const struct fs_kernel *k, struct fs_work *w) {
  FS_EACH_STEP(k, s) {
    if (s->out >= 0 && k->values.data[s->out].same_as >= 0) continue;
    if (s->kind == FS_SP_REDUCE) {
      w->flops += 2 * fs_kernel_elements(k, k->values.data[s->in[0]].varies);
    } else if (s->kind == FS_SP_RAND) {
      w->special += 4 * fs_kernel_elements(k, k->values.data[s->out].varies);
    } else if (s->kind == FS_SP_MAP) {
      double n = fs_kernel_elements(k, k->values.data[s->out].varies);
      if (s->user) {
        w->flops += n * s->user->flops;
        continue;
      }
      bool special = fs_map_is_special(s->op);
      *(special ? &w->special : &w->flops) += n;
    }
  }
}

/* Rows read again in a later sweep that did not stay on chip, and column sums
 * that do not fit the registers of a block, or of those of a cluster: they lie in
 * the cache, and some rows at once add to them. */
static void count_extra(const struct fs_kernel *k, const struct fs_device *d, struct fs_work *w) {
  bool warps = fs_device_has_warps(d);
  if (!fs_scheme_of(k)->rows || (warps && fs_tune_holds(k))) return;
  double row = 0, columns = 0, n = (double)k->space.n;
  FS_EACH_STEP(k, s) {
    const struct fs_access *a = s->kind == FS_SP_LOAD ? &k->accesses.data[s->access] : NULL;
    if (a && a->varies == 3 && fs_kernel_uses(k, s->out, s->phase))
      row += n * (double)fs_dtype_size(a->dtype);
    if (s->kind == FS_SP_REDUCE && s->over == FS_VARIES_I && k->values.data[s->in[0]].varies == 3)
      columns += 2 * (double)fs_dtype_size(fs_dtype_compute(k->values.data[s->out].dtype)) *
                 (double)k->space.m * n / k->tune.iters;
  }
  if (warps || row > ON_CHIP_ROW) w->bytes_extra += row * (double)k->space.m;
  if (warps) w->bytes_extra += columns;
}

/* On a GPU; how many tasks the CPU target has is known (work.c). */
static double parallel_pieces(const struct fs_kernel *k, const struct fs_device *d) {
  double m = (double)k->space.m, n = (double)k->space.n;
  switch (k->scheme) {
#define FS_SCHEME(id, name, traits, moves, fits, pieces, ...) \
    case FS_##id: return pieces;
#include "core/kernel/scheme.def"
    default: return 0;
  }
}

/* What a kernel does in its setting, and how long that takes. */
void fs_kernel_price_into(const struct fs_maker *p, struct fs_kernel *k, struct fs_work *w) {
  const struct fs_device *d = p->device;
  memset(w, 0, offsetof(struct fs_work, amounts)); /* of which there are none yet */
  k->mirrors = mirrors(p->g, k);
  count_traffic(p->g, k, fs_device_has_warps(d), w);
  count_operations(k, w);
  count_extra(k, d, w);
  w->parallel = parallel_pieces(k, d);
  w->working_set = FS_MAX(p->calls->working_set, w->bytes_read + w->bytes_written);
  w->general_index = k->space.n_inner > 1 || k->space.n_outer > 1;
  w->grid_barrier = k->has_end && fs_kernel_has_rows(k);
  fs_kernel_count(k, d, w);
  struct fs_prediction pr = fs_predict_by(p->memo, w, d);
  k->bytes_read = w->bytes_read;
  k->bytes_written = w->bytes_written;
  k->flops = w->flops + w->special;
  k->first = k->predicted = pr.seconds;
  k->bound = pr.bound;
}

void fs_kernel_price(const struct fs_maker *p, struct fs_kernel *k) {
  fs_kernel_price_into(p, k, &k->work);
}

struct fs_prediction fs_kernel_price_routines(const struct fs_kernel *k,
                                              const struct fs_device *d, struct fs_work *w) {
  w->flops = w->special = 0;
  count_operations(k, w);
  fs_kernel_count(k, d, w);
  return fs_predict(w, d);
}
