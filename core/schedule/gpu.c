/* gpu.c - how the blocks of a GPU go over a kernel, by its settings.
 *
 * The planner prices a kernel by this, and the emitter writes it: nothing here is decided
 * a second time. Planning asks it of thousands of candidates, so it looks at the steps of a
 * kernel once.
 */
#include "core/schedule/schedule.h"

enum { TILE_SIDE = 32, TILE_ROWS = 8, WARP = 32 };

static int power_of_two(int x, int lowest, int highest) {
  int p = lowest;
  while (p < highest && p * 2 <= x) p *= 2;
  return p;
}

/* -- what the steps say ------------------------------------------------------------ */

enum { MOST_BULK = 16 };

struct look {
  bool row_results;     /* sums and the like of a row, which it waits for      */
  int columns, rows;    /* reductions: of columns, of rows                     */
  int all;              /* bytes of the largest of all, or of one of 8 bytes   */
  int widest;           /* bytes of the largest sum of columns or rows         */
  int bulk[MOST_BULK], n_bulk; /* bytes of an element of the matrices of which bulk
                                  copies can bring rows                        */
  bool no_bulk;         /* there are others                                    */
};

enum fs_reduced fs_schedule_reduced(const struct fs_kernel *k, enum fs_mode mode,
                                  const struct fs_step *s) {
  if (!fs_modes[mode].rows) return FS_REDUCED_ALL;
  if (s->over == FS_VARIES_J)
    return fs_modes[mode].strips ? FS_REDUCED_ROW_END : FS_REDUCED_ROW;
  if (s->over == FS_VARIES_I && k->values.data[s->in[0]].varies & FS_VARIES_J)
    return FS_REDUCED_COLUMN;
  return FS_REDUCED_ALL;
}

/* Whether a bulk copy can bring a row of this load. */
static bool is_bulk(const struct fs_kernel *k, const struct fs_access *a) {
  int64_t size = (int64_t)fs_dtype_size(a->dtype);
  return !a->reach && a->stride[1] == 1 && a->stride[0] >= k->space.n &&
         a->stride[0] * size % 16 == 0 && a->offset * size % 16 == 0;
}

static void look_at_load(const struct fs_kernel *k, const struct fs_step *s, struct look *l) {
  const struct fs_access *a = &k->accesses.data[s->access];
  if (s->phase != 0 || k->values.data[s->out].varies != FS_VARIES_BOTH) return;
  if (!is_bulk(k, a) || l->n_bulk == MOST_BULK) l->no_bulk = true;
  else l->bulk[l->n_bulk++] = (int)fs_dtype_size(a->dtype);
}

static void look_at_result(const struct fs_kernel *k, const struct fs_step *s,
                           enum fs_mode mode, struct look *l) {
  enum fs_reduced kind = fs_schedule_reduced(k, mode, s);
  int bytes = fs_sum_bytes(&k->values.data[s->out]);
  if (kind == FS_REDUCED_ALL) l->all = FS_MAX(l->all, FS_MAX(bytes, 8));
  l->columns += kind == FS_REDUCED_COLUMN;
  l->rows += kind == FS_REDUCED_ROW_END;
  if (kind == FS_REDUCED_COLUMN || kind == FS_REDUCED_ROW_END)
    l->widest = FS_MAX(l->widest, bytes);
}

static struct look look_at(const struct fs_kernel *k, enum fs_mode mode) {
  struct look l = {.row_results = k->n_phases > 1 || k->has.row_results, .widest = 4};
  FS_EACH_STEP(k, s) {
    if (s->kind == FS_SP_LOAD) look_at_load(k, s, &l);
    if (s->kind == FS_SP_REDUCE) look_at_result(k, s, mode, &l);
  }
  return l;
}

/* -- blocks ----------------------------------------------------------------------------- */

static void set_tile(const struct fs_kernel *k, bool clusters, const struct look *l,
                     struct fs_schedule *s) {
  (void)clusters;
  s->tiles = FS_MAX(1, k->tune.iters);
  if (fs_kernel_turns(k) && l->rows) {
    s->mode = FS_MODE_PARTS;
    return;
  }
  if (fs_kernel_turns(k)) {
    s->mode = FS_MODE_TURN;
    s->row_threads = power_of_two(k->tune.row_threads, 1, s->threads);
    s->sides = s->threads / s->row_threads;
    s->rows = k->tune.iters;
    s->vectors = s->tiles = 1;
    return;
  }
  s->mode = FS_MODE_TILE;
  s->threads = TILE_SIDE * TILE_ROWS;
  s->row_threads = TILE_SIDE;
  s->sides = TILE_ROWS;
  s->rows = TILE_SIDE / TILE_ROWS;
  s->lanes = s->vectors = 1;
}

/* Vectors of a row that its threads have at once. */
static int64_t held(const struct fs_schedule *s) {
  return (int64_t)s->row_threads * s->vectors * s->cluster;
}

/* Blocks share a row where the device has clusters, and a row has results that they must
 * put together. */
static void set_rows(const struct fs_kernel *k, bool clusters, const struct look *l,
                     struct fs_schedule *s) {
  s->threads = power_of_two(s->threads, WARP, 1024);
  s->row_threads = power_of_two(k->tune.row_threads, 1, s->threads);
  s->sides = s->threads / s->row_threads;
  s->rows = FS_MAX(1, FS_MIN(k->tune.iters, 16));
  if (clusters && s->sides == 1 && s->threads > WARP && l->row_results)
    s->cluster = power_of_two(k->tune.cluster, 1, 8);
}

/* Rows that registers do not hold. A block that walks such a row has all its threads on it. */
static void set_row_mode(const struct look *l, struct fs_schedule *s) {
  if (s->row_vectors <= held(s)) return;
  s->mode = l->row_results ? FS_MODE_CHUNK : FS_MODE_STRIPS;
  s->cluster = 1;
  if (!l->row_results) return;
  s->row_threads = s->threads;
  s->sides = 1;
}

const struct fs_mode_row fs_modes[FS_MODES] = {
#define FS_MODE(id, name, traits, ...) \
  [FS_MODE_##id] = {name, FS_BARE traits},
#include "core/schedule/modes.def"
};

/* What the blocks of a scheme are, and the mode that they have first. Instances and marches are
 * cut elsewhere (instance.c, march.c). */
static const struct {
  enum fs_mode mode;
  void (*set)(const struct fs_kernel *k, bool clusters, const struct look *l,
              struct fs_schedule *s);
} blocks_of[FS_SCHEMES] = {
#define FS_SCHEME(id, name, traits, moves, fits, pieces, mode, blocks, ...) \
  [FS_##id] = {FS_MODE_##mode, blocks},
#include "core/kernel/scheme.def"
};

static void set_blocks(const struct fs_kernel *k, const struct fs_device *d,
                       const struct look *l, struct fs_schedule *s) {
  const struct fs_tuning *t = &k->tune;
  int axes = k->space.n_outer + FS_MAX(1, k->space.n_inner);
  int most = d && d->max_threads ? d->max_threads : 1024;
  s->threads = FS_MAX(WARP, FS_MIN(t->threads, most)) / WARP * WARP;
  s->row_threads = s->threads;
  s->lanes = power_of_two(t->vec, 1, 8);
  s->vectors = FS_MAX(1, FS_MIN(t->cols, 32));
  s->sides = s->rows = s->cluster = s->tiles = 1;
  s->mode = blocks_of[k->scheme].mode;
  if (blocks_of[k->scheme].set) blocks_of[k->scheme].set(k, d && d->clusters, l, s);
  else s->vectors = FS_MAX(1, FS_MIN(t->iters, 16));
  s->m = s->n = 1;
  for (int x = 0; x < axes; x++) {
    int64_t dim = x < k->space.n_outer + k->space.n_inner ? k->space.dim[x] : 1;
    *(x < k->space.n_outer ? &s->m : &s->n) *= dim;
    s->length = dim;
  }
  s->line_vectors = fs_ceil_div(s->length, s->lanes);
  s->row_vectors = s->n / s->length * s->line_vectors;
  if (fs_mode_of(s)->holds) set_row_mode(l, s);
}

static void set_edges(const struct fs_schedule_how *how, struct fs_schedule *s) {
  int rows = s->sides * s->rows;
  s->tail = s->length % s->lanes != 0;
  s->full = !s->tail && s->row_vectors % held(s) == 0 && !how->any_size;
  s->need_ok = fs_mode_of(s)->rows && rows > 1 && (s->m % rows != 0 || how->any_size);
  int64_t strip = held(s) * (fs_mode_of(s)->columns ? 1 : s->tiles);
  s->strips = fs_mode_of(s)->strips ? fs_ceil_div(s->row_vectors, strip) : 1;
  s->parts = fs_mode_of(s)->tiled ? fs_ceil_div(s->m, (int64_t)TILE_SIDE * s->tiles) : 0;
}

/* -- 64-bit indices ------------------------------------------------------------------------ */

/* How far an index may run beyond the end of its axis, where nothing is accessed any more:
 * rows by those at once, the first axis of columns by a tile, the last by a vector. The
 * others are remainders. */
static int64_t beyond(const struct fs_kernel *k, const struct fs_schedule *s, int axis) {
  int outer = k->space.n_outer, inner = FS_MAX(1, k->space.n_inner);
  if (axis < outer) return axis ? 0 : 1024;
  if (axis > outer) return axis == outer + inner - 1 ? s->lanes : 0;
  if (inner == 1) return FS_MAX(1024, held(s) * s->lanes);
  int64_t dim = FS_MAX(1, k->space.dim[axis]);
  return held(s) / FS_MAX(1, s->row_vectors / dim) + 1;
}

/* The largest index, from `base` on; a limit or more: some stride, or it, does not fit. */
static int64_t reach(const struct fs_kernel *k, const struct fs_schedule *s, int64_t base,
                     const int64_t *stride) {
  int64_t sum = llabs(base);
  for (int x = 0; x < k->space.n_outer + k->space.n_inner; x++) {
    int64_t each = llabs(stride[x]);
    if (k->space.dim[x] == 1) continue;
    if (each >= FS_NARROW_INDEX) return 2 * FS_NARROW_INDEX;
    sum += (k->space.dim[x] + beyond(k, s, x)) * each;
    if (sum >= 2 * FS_NARROW_INDEX - 1) return 2 * FS_NARROW_INDEX;
  }
  return sum;
}

static bool is_far(const struct fs_kernel *k, const struct fs_schedule *s,
                   const struct fs_access *a) {
  int64_t most = 2 * FS_NARROW_INDEX - 1, own = reach(k, s, 0, a->stride);
  int64_t apart = llabs(a->list_stride);
  if (own >= most || a->reach + llabs(a->offset - a->low) >= most) return true;
  return a->list && (apart >= FS_NARROW_INDEX || a->list_extent >= FS_NARROW_INDEX ||
                     own + apart * a->list_extent >= most);
}

static bool is_wide(const struct fs_kernel *k, const struct fs_schedule *s) {
  if (s->m >= FS_NARROW_INDEX || s->n >= FS_NARROW_INDEX ||
      s->row_vectors * s->lanes >= FS_NARROW_INDEX ||
      s->strips * FS_MAX(s->parts, 1) >= FS_NARROW_INDEX)
    return true;
  for (int x = 0; x < k->accesses.len; x++)
    if (is_far(k, s, &k->accesses.data[x])) return true;
  FS_EACH_STEP(k, st) {
    bool counts = st->kind == FS_SP_IOTA || st->kind == FS_SP_RAND ||
                  (st->kind == FS_SP_REDUCE && fs_reduces_to_place(st->op));
    if (counts && reach(k, s, st->affine.base, st->affine.stride) >= 2 * FS_NARROW_INDEX - 1)
      return true;
  }
  return false;
}

/* -- results that leave a block -------------------------------------------------------------- */

/* Vectors of each thread that lie in shared memory at once where rows side by side are put
 * together. */
int fs_schedule_side_vectors(const struct fs_kernel *k, const struct fs_schedule *s) {
  int64_t each = (int64_t)s->threads * s->lanes * s->fold_bytes;
  int64_t room = fs_number(FS_GPU_SIDE_BYTES) / FS_MAX(1, k->tune.blocks_per_sm);
  return (int)FS_MAX(1, FS_MIN(s->vectors, room / each));
}

static void set_scratch(const struct fs_kernel *k, const struct look *l, struct fs_schedule *s) {
  int64_t bytes = s->threads / WARP * l->all;
  s->fold_lanes = FS_MAX(1, 16 / l->widest), s->fold_bytes = l->widest;
  if (l->columns + l->rows) bytes = FS_MAX(bytes, (int64_t)s->threads * FS_MAX(16, l->widest));
  if (l->columns && s->sides > 1)
    bytes = FS_MAX(bytes, (int64_t)s->threads * s->lanes * s->fold_bytes *
                              fs_schedule_side_vectors(k, s));
  s->scratch = bytes;
}

/* -- rows through shared memory --------------------------------------------------------------- */

/* Whether rows only become rows (softmax): then each takes a block of its own, of which enough are
 * resident to hide each other's waits (8192 x 8192, H200: 0.135 ms, with a ring of rows 0.152). */
static bool streams(const struct fs_kernel *k, const struct look *l, const struct fs_schedule *s) {
  const struct fs_mode_row *mode = fs_mode_of(s);
  bool work = l->all || k->has.end_vectors || l->columns || l->rows;
  bool pieces = !mode->rows || (mode->strips && !mode->tiled);
  return !work && (pieces || (mode->holds && k->has.stores));
}

/* Several rows at once, of a matrix that the cache does not hold for sure and whose columns are
 * summed: a stage of the ring has as many. On an H200, with such a ring and without: q = A*p; s =
 * A'*r of bf16 at 6000 24.1 and 27.9 us, of f32 36.9 and 38.6; A'*(A*x) of f32 at 3600 (52 MB,
 * where the cache has 60) 19.4 and 21.0; but of smaller matrices, bf16 at 4096, 15.2 and 12.6. */
static bool takes_rows(const struct fs_device *d, const struct look *l,
                       const struct fs_schedule *s, double row) {
  return s->rows == 1 ||
         (l->columns && s->cluster == 1 && fs_exceeds_cache(d, row * (double)s->m));
}

int64_t fs_schedule_part(const struct fs_schedule *s) {
  return (int64_t)s->row_threads * s->vectors * s->lanes;
}

/* A ring of rows keeps loads under way while a block reduces and waits. It needs
 * the rows of one turn to be the block's, in registers when the slot is refilled. */
static void set_ring(const struct fs_kernel *k, const struct fs_device *d,
                     const struct fs_schedule_how *how, const struct look *l,
                     struct fs_schedule *s) {
  enum { RESERVED = 2048 };
  int64_t part = s->cluster > 1 ? fs_schedule_part(s) : s->n, bytes = 0;
  if (!d || !d->bulk_copies || !fs_mode_of(s)->holds || s->sides > 1 ||
      k->space.n_outer != 1 || k->space.n_inner > 1 || s->threads <= WARP || s->streams ||
      k->tune.stages == 1 || (s->cluster - 1) * part >= s->n || l->no_bulk)
    return;
  for (int x = 0; x < l->n_bulk; x++) bytes += fs_round_up(part * l->bulk[x], 128);
  if (!takes_rows(d, l, s, (double)bytes)) return;
  bytes *= s->rows;
  int64_t room = d->shared_bytes / FS_MAX(1, k->tune.blocks_per_sm) - s->scratch -
                 how->reserved - RESERVED;
  if (bytes < fs_number(FS_GPU_STAGE_BYTES) || room < 2 * bytes) return;
  s->stage_bytes = bytes;
  s->stages = (int)FS_MIN(fs_number(FS_GPU_STAGES), room / bytes);
  if (k->tune.stages > 1) s->stages = FS_MIN(s->stages, k->tune.stages);
}

/* -- the tasks --------------------------------------------------------------------------------- */

int64_t fs_schedule_square(const struct fs_schedule *s) {
  return FS_MAX((int64_t)s->row_threads * s->lanes, (int64_t)s->sides * s->rows);
}

static int64_t mirrored_tasks(const struct fs_schedule *s) {
  int64_t side = fs_schedule_square(s), squares = fs_ceil_div(s->n, side);
  return squares * squares * (side / ((int64_t)s->row_threads * s->lanes)) *
         (side / ((int64_t)s->sides * s->rows));
}

static int64_t tasks_of(const struct fs_kernel *k, const struct fs_schedule *s) {
  if (!fs_mode_of(s)->rows) return fs_ceil_div(s->row_vectors, (int64_t)s->threads * s->vectors);
  if (fs_mode_of(s)->tiled) return s->strips * s->parts;
  if (k->mirrors) return mirrored_tasks(s);
  return s->strips * fs_ceil_div(s->m, (int64_t)s->sides * s->rows);
}

/* Threads of a row that lie in a warp make what its rows have of their own. */
static bool shares_rows(const struct fs_kernel *k, const struct fs_schedule *s) {
  return s->rows > 1 && s->rows <= s->row_threads && s->row_threads <= WARP &&
         s->strips == 1 && fs_mode_of(s)->columns && fs_kernel_shares_rows(k);
}

static bool in_pairs(const struct fs_kernel *k, const struct fs_schedule *s) {
  const struct fs_mode_row *mode = fs_mode_of(s);
  bool walk = !mode->rows || mode->strips || (mode->holds && s->streams);
  return walk && s->lanes >= 4 && s->mode != FS_MODE_TURN && fs_kernel_pairs(k);
}

void fs_schedule_blocks(const struct fs_kernel *k, const struct fs_device *d,
                        const struct fs_schedule_how *how, struct fs_schedule *s) {
  struct look l = look_at(k, blocks_of[k->scheme].mode);
  *s = (struct fs_schedule){.row_results = l.row_results};
  set_blocks(k, d, &l, s);
  set_edges(how, s);
  set_scratch(k, &l, s);
  s->streams = streams(k, &l, s);
  set_ring(k, d, how, &l, s);
  s->tasks = tasks_of(k, s);
  s->resident = FS_MAX(1, k->tune.blocks_per_sm);
}

void fs_schedule_march(const struct fs_kernel *k, const struct fs_march *p, struct fs_schedule *s) {
  *s = (struct fs_schedule){
      .mode = FS_MODE_MARCH, .threads = p->threads, .row_threads = p->lanes,
      .sides = p->side, .rows = p->height / p->side, .lanes = p->vec, .vectors = 1,
      .tiles = 1, .cluster = FS_MAX(1, p->cluster), .strips = p->panels, .parts = p->blocks,
      .m = k->space.m, .n = k->space.n, .length = k->space.n, .line_vectors = k->space.n,
      .row_vectors = k->space.n, .tasks = p->blocks / FS_MAX(1, p->cluster),
      .resident = FS_MAX(1, k->tune.blocks_per_sm)};
  s->wide = is_wide(k, s);
}

void fs_schedule_gpu(const struct fs_kernel *k, const struct fs_device *d,
                     const struct fs_schedule_how *how, struct fs_schedule *s) {
  fs_schedule_blocks(k, d, how, s);
  s->wide = how->wide || is_wide(k, s);
  s->pairs = (!d || d->pairs) && in_pairs(k, s);
  s->shares_rows = (!d || d->shuffles) && shares_rows(k, s);
}
