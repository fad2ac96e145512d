/* march.c - the march scheme: which kernels it can run, and how it cuts them.
 *
 * A kernel of this scheme is a row kernel (kernel.h) whose rows i are the columns of
 * a row-major matrix: `x = A'*y; w = A*x` sums over a column, then uses the sum on
 * the same column. Row by row that would read the matrix across memory. Here each
 * block owns some elements j of every row i (rows of the matrix), and all blocks go
 * over panels of neighbouring i in step: elemlib/scheme/march.cuh.
 *
 * Measured on an H200 (f32, 16384 x 16384): both statements in 0.272 ms, where two
 * kernels take 0.488 ms and one trip over the matrix 0.25 ms. */
#include "core/schedule/schedule.h"

enum { WORKERS = 256, PARTS = 4, MAILS = 8, CLUSTER = 8,
       GATES = 1024, /* bytes of shared memory for barriers */
       MOST_MATRICES = 3, MOST_SUMS = 4, MOST_ROW_VALUES = 8 };

static bool is_matrix(const struct fs_access *a) {
  return a->varies == (FS_VARIES_I | FS_VARIES_J);
}

/* What a copy by tensor map, or a 16 byte access, can reach. */
static bool is_regular(const struct fs_access *a) {
  int64_t size = (int64_t)fs_dtype_size(a->dtype);
  return size > 1 && !a->reach && a->stride[0] == 1 && a->stride[1] > 0 &&
         a->stride[1] * size % 16 == 0 && a->offset * size % 16 == 0 &&
         a->stride[1] * size < ((int64_t)1 << 40);
}

struct needs { /* of a kernel */
  int matrices, sums, sent, row_values;
  int size;       /* bytes of a matrix element */
  int sum_bytes;  /* ... of what is summed of a column */
  bool stores;    /* a matrix                  */
};

/* What a step goes over: rows, columns, or both. */
static uint8_t goes_over(const struct fs_kernel *k, const struct fs_step *s) {
  if (s->kind == FS_SP_REDUCE) return k->values.data[s->in[0]].varies;
  return s->out >= 0 ? k->values.data[s->out].varies
                     : k->accesses.data[s->access].varies;
}

void fs_march_sent(const struct fs_kernel *k, bool *sent) {
  bool *after = fs_calloc((size_t)k->values.len + 1, sizeof(bool)); /* a sum */
  memset(sent, 0, sizeof(bool) * (size_t)k->values.len);
  for (int i = 0; i < k->steps.len; i++) { /* in an order in which they can run */
    const struct fs_step *s = &k->steps.data[i];
    bool both = goes_over(k, s) == (FS_VARIES_I | FS_VARIES_J);
    bool is_after = s->kind == FS_SP_REDUCE;
    FS_EACH_IN(s, a) {
      int v = s->in[a];
      is_after |= after[v];
      sent[v] |= both && after[v] && k->values.data[v].varies == FS_VARIES_I;
    }
    if (s->out >= 0) after[s->out] = is_after;
  }
  free(after);
}

static bool look_at_reduction(const struct fs_kernel *k, const struct fs_step *s, struct needs *n) {
  if (fs_reduce_ops[s->op].words > 1) return false;
  if (s->over == FS_VARIES_I) {
    n->row_values++;
    return is_matrix(&(struct fs_access){.varies = k->values.data[s->in[0]].varies});
  }
  n->sums++;
  n->sum_bytes += fs_sum_bytes(&k->values.data[s->out]);
  return s->over == FS_VARIES_J && s->phase == 0 &&
         k->values.data[s->in[0]].varies == (FS_VARIES_I | FS_VARIES_J);
}

static bool look_at_access(const struct fs_kernel *k, const struct fs_step *s, struct needs *n) {
  const struct fs_access *a = &k->accesses.data[s->access];
  if (!is_matrix(a)) return true;
  int size = (int)fs_dtype_size(a->dtype);
  n->stores |= s->kind == FS_SP_STORE;
  if (s->kind == FS_SP_LOAD) {
    n->matrices++;
    if (n->size && n->size != size) return false;
    n->size = size;
  }
  return is_regular(a);
}

/* False: something has no place in the scheme. sent[]: as fs_march_sent() has it. */
static bool look(const struct fs_kernel *k, const bool *sent, struct needs *n) {
  *n = (struct needs){0};
  if (k->space.n_outer != 1 || k->space.n_inner != 1 || k->n_phases != 2)
    return false;
  FS_EACH_STEP(k, s) {
    if (s->kind == FS_SP_REDUCE && !look_at_reduction(k, s, n)) return false;
    if (s->access >= 0 && !look_at_access(k, s, n)) return false;
    if (s->out >= 0 && s->kind != FS_SP_REDUCE)
      n->row_values += k->values.data[s->out].varies == FS_VARIES_J;
  }
  for (int v = 0; v < k->values.len; v++) {
    if (!sent[v]) continue;
    if (k->values.data[v].dtype == FS_BOOL) return false;
    n->sent++;
  }
  return n->matrices >= 1 && n->matrices <= MOST_MATRICES && n->sums >= 1 &&
         n->sums <= MOST_SUMS && n->sent >= 1 &&
         n->row_values <= MOST_ROW_VALUES;
}

/* Tiles for as long a lag as there is room for: of the rows of a worker, some wait
 * in its registers, for which no more are taken than must be. */
static bool cut(struct fs_march *p, const struct needs *n, int64_t room, int regs) {
  enum { AHEAD = 2 };
  int each = p->height / p->side, words = n->size > 4 ? 2 : 1;
  int64_t row = (int64_t)p->width * n->size * n->matrices * p->side;
  /* What registers hold of halves that are stored moves on with each panel (march.c), and
   * a panel has twice the traffic: GEMVER of 16384 x 16384 in bf16 takes 311 us with a lag
   * of 3 and none in registers, 293 of 4 with two rows of a worker there, 297 of 5 with
   * four (H200). */
  int longest = n->size < 4 && n->stores ? fs_number(FS_MARCH_LAG_OF_HALVES) : MAILS;
  regs -= fs_number(FS_MARCH_OVERHEAD_REGS) + n->row_values * each * words;
  for (int lag = longest; lag >= fs_number(FS_MARCH_LAG); lag--) {
    p->lag = lag;
    p->slots = lag + AHEAD;
    p->shorts = AHEAD + 1;
    for (int held = 0; held < each && held * lag * 4 * n->matrices <= regs; held++) {
      p->held = held * p->side;
      if (row * (p->slots * (each - held) + p->shorts * held) <= room) return true;
    }
  }
  return false;
}

/* Bytes of the sums on their way: of 8 warps, or as many rows as lie side by side,
 * of the blocks of a cluster, and of what comes back. */
static int64_t bytes_on_the_way(const struct fs_kernel *k, const struct needs *n,
                                const bool *sent, int width) {
  int64_t bytes = (int64_t)(PARTS * 8 + MAILS) * width * n->sum_bytes;
  for (int v = 0; v < k->values.len; v++)
    if (sent[v]) bytes += (int64_t)MAILS * width * fs_sum_bytes(&k->values.data[v]);
  return bytes;
}

/* Blocks in clusters that run at the same time, one on a multiprocessor: a cluster
 * lies in one group of them, and groups need not hold a whole number of clusters
 * (H200: 15 clusters of 8 on 132 multiprocessors). */
static int most_blocks(const struct fs_device *d) {
  return d->units * 10 / 11 / CLUSTER * CLUSTER;
}

static bool cut_for(const struct fs_kernel *k, const struct fs_device *d,
                    const bool *sent, struct fs_march *p) {
  struct needs n;
  int most = most_blocks(d);
  if (most < CLUSTER || !look(k, sent, &n)) return false;
  int64_t rows = k->space.n, columns = k->space.m;
  int64_t each = (rows + most - 1) / most;
  p->lanes = each > 160 ? 8 : each > 72 ? 16 : 32;
  p->side = WORKERS / p->lanes;
  p->height = (int)FS_MIN(fs_round_up(each, p->side), 1 << 20);
  p->vec = 16 / n.size;
  p->width = p->lanes * p->vec;
  p->cluster = CLUSTER;
  p->blocks = (int)fs_round_up((rows + p->height - 1) / p->height, CLUSTER);
  p->panels = (columns + p->width - 1) / p->width;
  p->threads = 2 * WORKERS;
  p->workers = WORKERS;
  p->parts = PARTS;
  p->mails = MAILS;
  p->regs = d->gives_registers ? fs_number(FS_MARCH_REGS) : 0;
  if (p->height > fs_number(FS_MARCH_HEIGHT)) return false;
  int64_t room = d->shared_bytes - GATES - bytes_on_the_way(k, &n, sent, p->width);
  return cut(p, &n, room, p->regs ? p->regs : fs_number(FS_MARCH_REGS_ALIKE));
}

bool fs_march_of(const struct fs_kernel *k, const struct fs_device *d, struct fs_march *p) {
  *p = (struct fs_march){0};
  if (!d || !d->clusters || !d->bulk_copies || d->units < 1) return false;
  bool *sent = fs_calloc((size_t)k->values.len + 1, sizeof(bool));
  fs_march_sent(k, sent);
  bool ok = cut_for(k, d, sent, p);
  free(sent);
  return ok;
}

/* What the cache holds is read a second time at little cost. */
static bool exceeds_cache(double bytes, const struct fs_device *d) {
  return bytes > 2 * (double)d->cache_bytes;
}

bool fs_march_may_pay(double elements, const struct fs_device *d) {
  enum { MOST_SIZE = 8 };
  return d && d->clusters && d->bulk_copies && exceeds_cache(elements * MOST_SIZE, d);
}

bool fs_march_pays(const struct fs_kernel *k, const struct fs_device *d) {
  struct fs_march p;
  if (!fs_march_of(k, d, &p)) return false;
  double tile = (double)p.height * p.width * (16.0 / p.vec);
  double matrix = (double)k->space.m * (double)k->space.n * (16.0 / p.vec);
  return tile >= fs_number(FS_MARCH_TILE_BYTES) && exceeds_cache(matrix, d);
}

int64_t fs_march_words(const struct fs_march *p) {
  return fs_round_up((int64_t)(p->blocks / p->cluster) * p->width / p->cluster, 32);
}
