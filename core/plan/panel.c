/* panel.c - the panel scheme: which kernels it can run, and how it cuts them.
 *
 * A kernel of this scheme is a row kernel (plan.h) whose rows i are the columns of
 * a row-major matrix: `x = A'*y; w = A*x` sums over a column, then uses the sum on
 * the same column. Row by row that would read the matrix across memory. Here each
 * block owns some elements j of every row i (rows of the matrix), and all blocks go
 * over panels of neighbouring i in step: elemlib/scheme/columns.cuh.
 *
 * Measured on an H200 (f32, 16384 x 16384): both statements in 0.292 ms, where two
 * kernels take 0.488 ms and one trip over the matrix 0.25 ms.
 */
#include "core/model/device.h"
#include "core/plan/planner.h"

enum { WORKERS = 256, PARTS = 4, MAILS = 8, MOST_SLOTS = 16,
       MOST_HEIGHT = 256, GATES = 1024, /* bytes of shared memory for barriers */
       ON_THE_WAY = 60 << 10, /* what an SM reads in the time that a load takes */
       MOST_MATRICES = 3, MOST_SUMS = 4, MOST_ROW_VALUES = 8 };

static int64_t up(int64_t x, int64_t unit) { return (x + unit - 1) / unit * unit; }

static bool is_matrix(const struct fs_access *a) {
  return a->varies == (FS_VARIES_I | FS_VARIES_J);
}

/* What a copy by tensor map, or a 16 byte access, can reach. */
static bool is_regular(const struct fs_access *a) {
  int64_t size = (int64_t)fs_dtype_size(a->dtype);
  return size > 1 && a->stride[0] == 1 && a->stride[1] > 0 &&
         a->stride[1] * size % 16 == 0 && a->offset * size % 16 == 0 &&
         a->stride[1] * size < ((int64_t)1 << 40);
}

struct needs { /* of a kernel */
  int matrices, sums, sent, row_values;
  int size;       /* bytes of a matrix element */
};

/* What a step goes over: rows, columns, or both. */
static uint8_t goes_over(const struct fs_kernel *k, const struct fs_step *s) {
  if (s->kind == FS_SP_REDUCE) return k->values.data[s->in[0]].varies;
  return s->out >= 0 ? k->values.data[s->out].varies
                     : k->accesses.data[s->access].varies;
}

void fs_panel_sent(const struct fs_kernel *k, bool *sent) {
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

static int acc_size(const struct fs_kernel *k, int v) {
  enum fs_dtype dt = k->values.data[v].dtype;
  return dt == FS_I64 || dt == FS_F64 ? 8 : 4;
}

static bool look_at_reduction(const struct fs_kernel *k, const struct fs_step *s,
                              struct needs *n) {
  if (s->over == FS_VARIES_I) {
    n->row_values++;
    return is_matrix(&(struct fs_access){.varies = k->values.data[s->in[0]].varies});
  }
  n->sums++;
  return s->over == FS_VARIES_J && s->phase == 0 &&
         k->values.data[s->in[0]].varies == (FS_VARIES_I | FS_VARIES_J);
}

static bool look_at_access(const struct fs_kernel *k, const struct fs_step *s,
                           struct needs *n) {
  const struct fs_access *a = &k->accesses.data[s->access];
  if (!is_matrix(a)) return true;
  int size = (int)fs_dtype_size(a->dtype);
  if (s->kind == FS_SP_LOAD) {
    n->matrices++;
    if (n->size && n->size != size) return false;
    n->size = size;
  }
  return is_regular(a);
}

/* False: something has no place in the scheme. sent[]: as fs_panel_sent() has it. */
static bool look(const struct fs_kernel *k, const bool *sent, struct needs *n) {
  *n = (struct needs){0};
  if (k->space.n_outer != 1 || k->space.n_inner != 1 || k->n_phases != 2)
    return false;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
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

/* Slots for what stays on the chip, and rows of a tile that do. */
static bool cut(struct fs_panel *p, const struct needs *n, int64_t room,
                int kept) {
  int64_t row = (int64_t)p->width * n->size * n->matrices;
  p->kept = kept;
  int64_t rest = room - 2 * p->shorts * (p->height - kept) * row;
  p->slots = (int)FS_MIN(MOST_SLOTS, FS_MAX(rest, 0) / (kept * row));
  p->lag = p->slots - 2;
  return p->slots >= 4;
}

/* Bytes of the sums on their way: of 8 warps, or as many rows as lie side by side,
 * and of what comes back. */
static int64_t bytes_on_the_way(const struct fs_kernel *k, const bool *sent,
                                int width) {
  int64_t bytes = 0;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->kind == FS_SP_REDUCE && s->over == FS_VARIES_J)
      bytes += (int64_t)PARTS * 8 * width * acc_size(k, s->out);
  }
  for (int v = 0; v < k->values.len; v++)
    if (sent[v]) bytes += (int64_t)MAILS * width * acc_size(k, v);
  return bytes;
}

static bool cut_for(const struct fs_kernel *k, const struct fs_device *d,
                    const bool *sent, struct fs_panel *p) {
  struct needs n;
  if (!look(k, sent, &n)) return false;
  int64_t rows = k->space.n, columns = k->space.m;
  int64_t each = (rows + d->units - 1) / d->units;
  p->lanes = each > 128 ? 8 : each > 64 ? 16 : 32;
  p->side = WORKERS / p->lanes;
  p->height = (int)FS_MIN(up(each, p->side), 1 << 20);
  p->vec = 16 / n.size;
  p->width = p->lanes * p->vec;
  p->blocks = (int)((rows + p->height - 1) / p->height);
  p->panels = (columns + p->width - 1) / p->width;
  p->threads = 2 * WORKERS;
  p->workers = WORKERS;
  p->parts = PARTS;
  p->mails = MAILS;
  if (p->height > MOST_HEIGHT) return false;
  /* Enough of the rows that do not stay for loads never to stop, and no more:
   * what waits in the queues of the memory makes the sums wait, too. */
  int64_t tile = (int64_t)p->height * p->width * n.size * n.matrices;
  p->shorts = (int)FS_MAX(2, FS_MIN(4, up(ON_THE_WAY, tile) / tile));
  int64_t room = d->shared_bytes - GATES - bytes_on_the_way(k, sent, p->width);
  int most = p->height / p->side, kept = FS_MAX(1, most * 3 / 4);
  return cut(p, &n, room, kept * p->side) || cut(p, &n, room, p->height);
}

bool fs_panel_of(const struct fs_kernel *k, const struct fs_device *d,
                 struct fs_panel *p) {
  *p = (struct fs_panel){0};
  if (!d || !d->is_cuda || d->cc < 90 || d->units < 1) return false;
  bool *sent = fs_calloc((size_t)k->values.len + 1, sizeof(bool));
  fs_panel_sent(k, sent);
  bool ok = cut_for(k, d, sent, p);
  free(sent);
  return ok;
}

bool fs_panel_pays(const struct fs_kernel *k, const struct fs_device *d) {
  enum { LEAST_TILE = 16 << 10 };
  struct fs_panel p;
  if (!fs_panel_of(k, d, &p)) return false;
  double tile = (double)p.height * p.width * (16.0 / p.vec);
  double matrix = (double)k->space.m * (double)k->space.n * (16.0 / p.vec);
  /* What the cache holds is read a second time at little cost. */
  return tile >= LEAST_TILE && matrix > 2 * (double)d->cache_bytes;
}

double fs_panel_again(const struct fs_kernel *k, const struct fs_device *d) {
  struct fs_panel p;
  if (!fs_panel_of(k, d, &p)) return 0;
  return (double)(p.height - p.kept) / p.height;
}
