/* fourier.c - Fourier transforms along lines of an array on host memory.
 *
 * A task has some lines, whose parts it copies beside each other (transform.h), transforms and
 * puts where they go. n real numbers are n/2 complex ones, x[0] + i x[1], x[2] + i x[3], ..., of
 * whose transform that of x is made (Press et al., Numerical Recipes, 12.3); for an odd n their
 * imaginary parts are 0. Backwards is forwards with the parts exchanged.
 */
#include <stdlib.h>

#include "core/device/cpu/lapack.h"
#include "core/device/cpu/transform.h"

struct job {
  const struct fs_lib_call *c;
  struct fs_lib_lines from[2], to;
  const struct fs_transform *t;
  bool wide, halved;             /* n/2 complex numbers stand for n real ones */
  int64_t n, taken;              /* the length; elements of a line that there are of it */
  int64_t lines, tasks;          /* of a task, and how many tasks            */
  double *turn[2];               /* halved: exp(-2 pi i k/n), k <= n/2       */
  int64_t room;                  /* bytes of a worker                        */
  char *rooms;
};

/* A task's lines on their way. */
struct batch {
  const struct job *j;
  int64_t lines, from[2][16], to[16]; /* where each begins */
  void *x[4];
};

static inline double get(const void *x, bool wide, int64_t k) {
  return wide ? ((const double *)x)[k] : (double)((const float *)x)[k];
}
static inline void put(void *x, bool wide, int64_t k, double v) {
  if (wide) ((double *)x)[k] = v;
  else ((float *)x)[k] = (float)v;
}

/* -- what comes ------------------------------------------------------------------------------ */

/* Element e of each line into places at, at + 1, ... */
static inline __attribute__((always_inline)) void take_as(const struct batch *b, int part,
                                                          int64_t e, void *to, int64_t at,
                                                          bool from_wide, bool wide) {
  const struct fs_lib_array *a = part ? &b->j->c->b : &b->j->c->a;
  int64_t step = b->j->from[part].step;
  for (int64_t l = 0; l < b->lines; l++)
    put(to, wide, at + l, get(a->ptr, from_wide, b->from[part][l] + e * step));
}

static inline __attribute__((always_inline)) void take(const struct batch *b, int part,
                                                       int64_t e, void *to, int64_t at) {
  bool from_wide = b->j->c->a.dtype == FS_F64;
  if (e >= b->j->taken || (part && !b->j->c->has_b)) {
    for (int64_t l = 0; l < b->lines; l++) put(to, b->j->wide, at + l, 0);
  } else if (from_wide) {
    take_as(b, part, e, to, at, true, true);
  } else if (b->j->wide) {
    take_as(b, part, e, to, at, false, true);
  } else {
    take_as(b, part, e, to, at, false, false);
  }
}

/* Numbers as they are, or two neighbours as one. */
static void take_all(struct batch *b) {
  const struct job *j = b->j;
  int64_t n = b->lines;
  for (int64_t e = 0; e < j->n && !fs_transform_stopped(e); e++) {
    if (j->halved) {
      take(b, 0, e, b->x[e % 2], e / 2 * n);
      continue;
    }
    take(b, 0, e, b->x[0], e * n);
    take(b, 1, e, b->x[1], e * n);
  }
}

/* Element k of half a transform, whose first and (of an even length) last number are real. */
static void take_half(const struct batch *b, int64_t k, void *re, void *im) {
  take(b, 0, k, re, 0);
  take(b, 1, k, im, 0);
  for (int64_t l = 0; l < b->lines && (k == 0 || 2 * k == b->j->n); l++)
    put(im, b->j->wide, l, 0);
}

/* Of an odd length: the other half has the same real and opposite imaginary parts. Parts are
 * exchanged. */
static void take_mirrored(struct batch *b) {
  const struct job *j = b->j;
  int64_t n = b->lines;
  double re[16], im[16];
  for (int64_t k = 0; k <= j->n / 2 && !fs_transform_stopped(k); k++) {
    take_half(b, k, re, im);
    for (int64_t l = 0; l < n; l++) {
      double x = get(re, j->wide, l), y = get(im, j->wide, l);
      put(b->x[1], j->wide, k * n + l, x);
      put(b->x[0], j->wide, k * n + l, y);
      if (!k) continue;
      put(b->x[1], j->wide, (j->n - k) * n + l, x);
      put(b->x[0], j->wide, (j->n - k) * n + l, -y);
    }
  }
}

/* Of an even length: X[k] + conj X[h-k] + i exp(2 pi i k/n) (X[k] - conj X[h-k]), whose transform
 * backwards has the even places as real and the odd as imaginary parts. Parts are exchanged. */
static void take_joined(struct batch *b) {
  const struct job *j = b->j;
  int64_t n = b->lines, h = j->n / 2;
  double re[2][16], im[2][16];
  for (int64_t k = 0; k < h && !fs_transform_stopped(k); k++) {
    take_half(b, k, re[0], im[0]);
    take_half(b, h - k, re[1], im[1]);
    double c = j->turn[0][k], s = -j->turn[1][k];
    for (int64_t l = 0; l < n; l++) {
      double xr = get(re[0], j->wide, l), xi = get(im[0], j->wide, l);
      double yr = get(re[1], j->wide, l), yi = get(im[1], j->wide, l);
      double dr = xr - yr, di = xi + yi;
      put(b->x[1], j->wide, k * n + l, xr + yr - (dr * s + di * c));
      put(b->x[0], j->wide, k * n + l, xi - yi + (dr * c - di * s));
    }
  }
}

/* -- what goes ------------------------------------------------------------------------------- */

/* Element e of line l. */
static inline void give(const struct batch *b, int64_t l, int64_t e, double v) {
  const struct fs_lib_array *o = &b->j->c->out;
  if (b->j->c->divided) v /= (double)b->j->n;
  put(o->ptr, o->dtype == FS_F64, b->to[l] + e * b->j->to.step, v);
}

/* Number k and, of real numbers' whole transform, the one that mirrors it. */
static inline void give_both(const struct batch *b, int64_t l, int64_t k, double re, double im) {
  const struct job *j = b->j;
  bool half = j->c->op == FS_LIB_RFFT, mirrored = !half && !j->c->has_b;
  int64_t parts = half ? j->n / 2 + 1 : j->n;
  give(b, l, k, re);
  give(b, l, parts + k, im);
  if (!mirrored || k == 0 || 2 * k == j->n) return;
  give(b, l, j->n - k, re);
  give(b, l, parts + j->n - k, -im);
}

/* Whole transforms; of real numbers half of it is enough. */
static void give_all(const struct batch *b, const void *re, const void *im) {
  const struct job *j = b->j;
  int64_t end = j->c->has_b ? j->n : j->n / 2 + 1, n = b->lines;
  for (int64_t k = 0; k < end && !fs_transform_stopped(k); k++)
    for (int64_t l = 0; l < n; l++) {
      bool real = !j->c->has_b && (k == 0 || 2 * k == j->n);
      double y = real ? 0 : get(im, j->wide, k * n + l);
      give_both(b, l, k, get(re, j->wide, k * n + l), y);
    }
}

/* Z[k] and Z[h-k] are the transforms of the even and of the odd places, and theirs. */
static void give_joined(const struct batch *b, const void *re, const void *im) {
  const struct job *j = b->j;
  int64_t n = b->lines, h = j->n / 2;
  for (int64_t k = 0; k <= h && !fs_transform_stopped(k); k++) {
    double c = j->turn[0][k], s = j->turn[1][k];
    for (int64_t l = 0; l < n; l++) {
      int64_t p = k % h * n + l, q = (h - k) % h * n + l;
      double zr = get(re, j->wide, p), zi = get(im, j->wide, p);
      double yr = get(re, j->wide, q), yi = get(im, j->wide, q);
      double er = 0.5 * (zr + yr), ei = 0.5 * (zi - yi);
      double or = 0.5 * (zi + yi), oi = 0.5 * (yr - zr);
      double x = k == 0 ? zr + zi : k == h ? zr - zi : er + (or * c - oi * s);
      give_both(b, l, k, x, k == 0 || k == h ? 0 : ei + (or * s + oi * c));
    }
  }
}

/* Parts are exchanged. */
static void give_real(const struct batch *b, const void *re, const void *im) {
  const struct job *j = b->j;
  int64_t n = b->lines;
  for (int64_t e = 0; e < j->n && !fs_transform_stopped(e); e++)
    for (int64_t l = 0; l < n; l++) {
      const void *from = j->halved && e % 2 ? re : im;
      give(b, l, e, get(from, j->wide, (j->halved ? e / 2 : e) * n + l));
    }
}

/* -- lines ----------------------------------------------------------------------------------- */

static void batch_task(void *user, int64_t k, int worker) {
  const struct job *j = user;
  int64_t first = k * j->lines;
  struct batch b = {.j = j, .lines = FS_MIN(j->lines, j->to.count - first)};
  int at;
  for (int64_t l = 0; l < b.lines; l++) {
    b.from[0][l] = fs_lib_line(&j->from[0], first + l);
    b.from[1][l] = j->c->has_b ? fs_lib_line(&j->from[1], first + l) : 0;
    b.to[l] = fs_lib_line(&j->to, first + l);
  }
  for (int p = 0; p < 4; p++) b.x[p] = j->rooms + worker * j->room + p * (j->room / 4);
  bool back = j->c->op == FS_LIB_IRFFT;
  if (!back) take_all(&b);
  else if (j->halved) take_joined(&b);
  else take_mirrored(&b);
  fs_transform_run(j->t, b.lines, b.x, &at);
  if (fs_interrupted()) return;
  if (back) give_real(&b, b.x[at], b.x[at + 1]);
  else if (j->halved) give_joined(&b, b.x[at], b.x[at + 1]);
  else give_all(&b, b.x[at], b.x[at + 1]);
}

static bool make_turns(struct job *j) {
  int64_t h = j->n / 2;
  for (int k = 0; k < 2; k++)
    if (!(j->turn[k] = malloc((size_t)(h + 1) * sizeof(double)))) return false;
  for (int64_t k = 0; k <= h && !fs_transform_stopped(k); k++)
    fs_transform_root(k, j->n, &j->turn[0][k], &j->turn[1][k]);
  return true;
}

static bool prepare(struct job *j, int workers, fs_fourier_fn *const *pass) {
  const struct fs_lib_call *c = j->c;
  j->from[0] = fs_lib_lines_of(&c->a, c->axis);
  if (c->has_b) j->from[1] = fs_lib_lines_of(&c->b, c->axis);
  j->to = fs_lib_lines_of(&c->out, c->axis);
  j->n = c->length;
  j->wide = c->out.dtype == FS_F64;
  j->halved = (c->op == FS_LIB_IRFFT || !c->has_b) && j->n % 2 == 0;
  j->taken = FS_MIN(c->a.dim[c->axis], c->op == FS_LIB_IRFFT ? j->n / 2 + 1 : j->n);
  if (j->halved && !make_turns(j)) return false;
  j->t = fs_transform_of(j->halved ? j->n / 2 : j->n, &j->wide, pass);
  if (!j->t) return false;
  j->lines = fs_transform_lines(j->t, j->to.count);
  j->tasks = (j->to.count + j->lines - 1) / j->lines;
  j->room = 4 * fs_transform_bytes(j->t, j->lines);
  if (posix_memalign((void **)&j->rooms, 64, (size_t)(j->room * workers))) return false;
  void *x[4];
  for (int p = 0; p < 4; p++) x[p] = j->rooms + p * (j->room / 4);
  fs_transform_plan(j->t, j->lines, x);
  int64_t rest = j->to.count % j->lines;
  if (rest) fs_transform_plan(j->t, rest, x);
  return true;
}

enum fs_status fs_fourier_call(const struct fs_lib_call *c, struct fs_pool *pool,
                               fs_fourier_fn *const *pass, struct fs_diags *d) {
  struct job j = {.c = c};
  int workers = pool ? fs_pool_threads(pool) : 1;
  enum fs_status st = FS_OK;
  bool ready = prepare(&j, workers, pass);
  if (ready && pool) st = fs_pool_run(pool, j.tasks > 1 ? workers : 1, j.tasks, batch_task, &j);
  for (int64_t k = 0; k < j.tasks && ready && !pool && !fs_interrupted(); k++)
    batch_task(&j, k, 0);
  free(j.turn[0]);
  free(j.turn[1]);
  free(j.rooms);
  if (fs_interrupted()) return FS_INTERRUPTED;
  if (ready) return st;
  return fs_env_error(d, "out-of-memory", NULL, "not enough host memory for a Fourier transform");
}
