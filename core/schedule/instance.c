/* instance.c - how many instances a block of an instance kernel has. */
#include "core/schedule/schedule.h"

int64_t fs_instance_bytes(const struct fs_kernel *k) {
  int64_t bytes = 0;
  for (int q = 0; q < k->n_applied; q++) {
    const struct fs_user *u = k->applied[q].user;
    int64_t numbers = !u->streams || q + 1 < k->n_applied ? fs_instance_pitch(&u->result) : 0;
    if (!fs_scratch_is_own(u) && (!u->streams || !q)) numbers += u->scratch;
    for (int a = 0; a < u->n_args && !u->streams; a++)
      numbers += fs_instance_pitch(&u->arg[a]);
    bytes += numbers * (int64_t)fs_dtype_size(u->compute);
  }
  return bytes;
}

int fs_instance_threads(const struct fs_kernel *k) {
  int most = 1;
  for (int q = 0; q < k->n_applied; q++)
    most = FS_MAX(most, k->applied[q].user->threads);
  return most;
}

/* Instances for so many threads, or fewer where shared memory ends. */
static struct fs_tuning instances_of(const struct fs_kernel *k, int threads) {
  enum { WARP = 32, ROOM = FS_USER_SHARED };
  int each = fs_instance_threads(k);
  int most = (int)FS_MAX(1, ROOM / FS_MAX(1, fs_instance_bytes(k)));
  int side = each > WARP ? 1 : threads / each;
  while (side > most) side /= 2;
  return (struct fs_tuning){.threads = FS_MAX(side * each, WARP),
                            .row_threads = each, .vec = 1, .cols = 1,
                            .iters = side, .blocks_per_sm = 1};
}

/* Small blocks wait least for each other: with one thread for a matrix of 3 x 3 in f32
 * blocks of 64, 128 and 256 threads take 79.6, 81.2 and 85.8 us for 4,194,304 inverses
 * on an H200. */
void fs_tune_instance(struct fs_kernel *k) {
  k->tune = instances_of(k, fs_instance_threads(k) == 1 ? 64 : 128);
}

int fs_instance_variants(const struct fs_kernel *k, struct fs_tuning out[FS_MAX_VARIANTS]) {
  static const int threads[] = {64, 128, 256};
  int n = 1;
  for (size_t x = 0; x < FS_LEN(threads); x++) {
    struct fs_tuning t = instances_of(k, threads[x]);
    bool seen = false;
    for (int v = 0; v < n; v++) seen |= out[v].threads == t.threads && out[v].iters == t.iters;
    if (!seen) out[n++] = t;
  }
  return n;
}

/* -- how blocks take the instances -------------------------------------------------- */

/* Whether the indices of a step, which is one of a part's elements, need 64 bits. */
static bool is_far(const struct fs_kernel *k, const struct fs_graph *g, const struct fs_step *s) {
  enum { BEYOND = 1024 };
  struct fs_shape d = fs_part_shape(g, k, s->phase);
  const int64_t *stride = s->access >= 0 ? k->accesses.data[s->access].stride : s->affine.stride;
  int64_t reach = s->access >= 0 ? 0 : llabs(s->affine.base);
  for (int x = 0; x < d.rank; x++) {
    int64_t one = llabs(stride[x]);
    if (one >= FS_NARROW_INDEX) return true;
    reach += (d.dim[x] + BEYOND) * one;
    if (reach >= FS_NARROW_INDEX) return true;
  }
  return false;
}

static bool is_wide(const struct fs_kernel *k, const struct fs_graph *g) {
  int64_t most = 1;
  for (int p = 0; p < k->n_phases; p++) most = FS_MAX(most, fs_part_element(k, p)->count);
  if (k->space.m * most >= FS_NARROW_INDEX) return true;
  return FS_ANY_STEP(k, s, is_far(k, g, s));
}

void fs_schedule_instance(const struct fs_kernel *k, const struct fs_graph *g,
                          struct fs_schedule *s) {
  int threads = FS_MAX(1, k->tune.threads), side = FS_MAX(1, k->tune.iters);
  *s = (struct fs_schedule){
      .mode = FS_MODE_INSTANCE, .threads = threads, .row_threads = threads, .sides = side,
      .rows = 1, .lanes = 1, .vectors = 1, .cluster = 1, .tiles = 1, .m = k->space.m,
      .n = k->space.n, .tasks = fs_ceil_div(k->space.m, side), .streams = true,
      .resident = FS_MAX(1, k->tune.blocks_per_sm),
      .wide = is_wide(k, g)};
}
