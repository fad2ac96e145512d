/* transform.c - Fourier transforms of one length on host memory.
 *
 * Lengths up to 4096 of small primes are made in passes (elemlib/cpu/fourier.c). Of others FFTW is
 * asked, if it is there. If not, a length of small primes is made in passes, whatever it is, and
 * any other as a product with a chirp (Bluestein, A linear filtering approach to the computation
 * of the discrete Fourier transform, 1970) by three transforms of a length of small primes, in
 * f64. FFTW chooses its way by rules, not by timing (FFTW_ESTIMATE): the same each time.
 */
#include "core/device/cpu/transform.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/apart.h"

enum { OWN_MOST = 4096, RADIX_MOST = 31, PASSES = 64, KEPT = 8, LINES_MOST = 16,
       LONG = 1 << 22 /* numbers, which FFTW takes a tenth of a second for */ };

struct fs_transform {
  int64_t n;
  bool wide;
  fs_fourier_fn *const *pass;
  int64_t used;                  /* by the last of all calls that came for one */
  int passes, radix[PASSES];     /* none: by FFTW, or by a chirp            */
  void *roots[2];                /* both parts of exp(-2 pi i k/n), k < n   */
  bool by_fftw;
  struct { int64_t lines; void *plan; } plan[2];
  struct fs_transform *longer;   /* by a chirp: of m >= 2n - 1 numbers      */
  double *chirp[2], *factor[2];  /* exp(-pi i k^2/n); what the longer makes of its conjugate, / m */
};

/* -- FFTW ---------------------------------------------------------------------------------- */

struct fftw_iodim { int n, is, os; };
/* Of fftw3.h: measure nothing, and what is transformed may be overwritten. */
enum { FFTW_ESTIMATE = 1 << 6, FFTW_DESTROY_INPUT = 1 << 0 };

static struct {
  bool tried, there;
  const char *version;
  struct {
    void *(*plan)(int rank, const struct fftw_iodim *dims, int many, const struct fftw_iodim *each,
                  void *ri, void *ii, void *ro, void *io, unsigned flags);
    void (*execute)(const void *plan, void *ri, void *ii, void *ro, void *io);
    void (*destroy)(void *plan);
  } of[2]; /* [0] f32, [1] f64 */
} fftw;

static bool resolve(void *handle, const char *prefix, int wide) {
  static const char *const names[] = {"plan_guru_split_dft", "execute_split_dft", "destroy_plan"};
  void *slots[] = {&fftw.of[wide].plan, &fftw.of[wide].execute, &fftw.of[wide].destroy};
  for (int k = 0; k < 3; k++) {
    char name[64];
    snprintf(name, sizeof name, "%s%s", prefix, names[k]);
    void *fn = handle ? dlsym(handle, name) : NULL;
    if (!fn) return false;
    memcpy(slots[k], &fn, sizeof fn);
  }
  return true;
}

/* FUSIBLE_FFTW=off does without. */
static bool has_fftw(void) {
  if (fftw.tried) return fftw.there;
  const char *said = getenv("FUSIBLE_FFTW");
  fftw.tried = true;
  if (said && !strcmp(said, "off")) return false;
  void *wide = dlopen("libfftw3.so.3", RTLD_NOW | RTLD_LOCAL);
  void *narrow = dlopen("libfftw3f.so.3", RTLD_NOW | RTLD_LOCAL);
  fftw.there = resolve(narrow, "fftwf_", 0) && resolve(wide, "fftw_", 1);
  if (fftw.there) fftw.version = dlsym(wide, "fftw_version"); /* "fftw-3.3.10-sse2-avx" */
  return fftw.there;
}

void fs_transform_print(struct fs_str *out) {
  if (!has_fftw()) {
    fs_str_puts(out, "own transforms; FFTW (Debian's package libfftw3-3) was not found");
    return;
  }
  const char *version = fftw.version ? fftw.version : "fftw-3";
  const char *begin = strchr(version, '-'), *end = begin ? strchr(begin + 1, '-') : NULL;
  fs_str_puts(out, "FFTW ");
  if (begin) fs_str_put_safe(out, begin + 1, end ? (size_t)(end - begin - 1) : strlen(begin + 1));
}

bool fs_transform_stopped(int64_t k) { return k % (1 << 16) == 0 && fs_interrupted(); }

/* -- roots of one ---------------------------------------------------------------------------- */

/* From within an eighth of the circle, so that each is as near as its parts can be, and those
 * that lie opposite have the same parts. */
void fs_transform_root(int64_t k, int64_t n, double *re, double *im) {
  int64_t t = 8 * k;
  bool below = t > 4 * n, left, steep;
  if (below) t = 8 * n - t;
  left = t > 2 * n;
  if (left) t = 4 * n - t;
  steep = t > n;
  if (steep) t = 2 * n - t;
  double angle = 0.25 * M_PI * (double)t / (double)n;
  double c = t == n ? M_SQRT1_2 : cos(angle), s = t == n ? M_SQRT1_2 : sin(angle);
  double x = steep ? s : c, y = steep ? c : s;
  *re = left ? -x : x;
  *im = below ? y : -y;
}

static void put(void *to, bool wide, int64_t k, double x) {
  if (wide) ((double *)to)[k] = x;
  else ((float *)to)[k] = (float)x;
}

/* A quarter of them has the others. */
static bool make_roots(struct fs_transform *t) {
  int64_t n = t->n, quarter = n % 4 ? n : n / 4;
  for (int k = 0; k < 2; k++)
    if (!(t->roots[k] = malloc((size_t)n * (t->wide ? 8 : 4)))) return false;
  for (int64_t k = 0; k < quarter && !fs_transform_stopped(k); k++) {
    double re, im;
    fs_transform_root(k, n, &re, &im);
    for (int64_t at = k; at < n; at += quarter) {
      put(t->roots[0], t->wide, at, re);
      put(t->roots[1], t->wide, at, im);
      double was = re;
      re = im, im = -was;
    }
  }
  return true;
}

/* -- making one ------------------------------------------------------------------------------ */

/* Fours first, what is left of them a two; then threes, fives, sevens ... False: there is a
 * larger prime. */
static bool find_passes(struct fs_transform *t) {
  int64_t left = t->n;
  for (int r = 4; left > 1 && r <= RADIX_MOST; r = r == 4 ? 2 : r == 2 ? 3 : r + 2)
    for (; left % r == 0; left /= r) t->radix[t->passes++] = r;
  if (left > 1) t->passes = 0;
  return left == 1;
}

static bool is_smooth(int64_t n) {
  for (int p = 2; p <= 5; p++)
    while (n % p == 0) n /= p;
  return n == 1;
}

static void transform_free(struct fs_transform *t) {
  if (!t) return;
  for (int k = 0; k < 2; k++) {
    free(t->roots[k]);
    free(t->chirp[k]);
    free(t->factor[k]);
    if (t->plan[k].plan) fftw.of[t->wide].destroy(t->plan[k].plan);
  }
  transform_free(t->longer);
  free(t);
}

static struct fs_transform *transform_new(int64_t n, bool wide, fs_fourier_fn *const *pass);

static bool make_chirp(struct fs_transform *t) {
  int64_t n = t->n, m = 2 * n - 1, square = 0;
  while (!is_smooth(m)) m++;
  t->longer = transform_new(m, true, t->pass);
  void *x[4] = {0};
  int out = 0;
  bool ok = t->longer != NULL;
  for (int k = 0; k < 2; k++) {
    t->chirp[k] = malloc((size_t)n * sizeof(double));
    t->factor[k] = malloc((size_t)m * sizeof(double));
    ok = ok && t->chirp[k] && t->factor[k];
  }
  for (int k = 0; k < 4; k++) ok = (x[k] = calloc((size_t)m, sizeof(double))) && ok;
  for (int64_t k = 0; k < n && ok && !fs_transform_stopped(k); k++) { /* square = k*k mod 2n */
    fs_transform_root(square, 2 * n, &t->chirp[0][k], &t->chirp[1][k]);
    for (int p = 0; p < 2; p++) {
      double part = p ? -t->chirp[1][k] : t->chirp[0][k];
      ((double *)x[p])[k] = part;
      if (k) ((double *)x[p])[m - k] = part;
    }
    square = (square + 2 * k + 1) % (2 * n);
  }
  if (ok) fs_transform_run(t->longer, 1, x, &out);
  for (int64_t k = 0; k < m && ok && !fs_transform_stopped(k); k++)
    for (int p = 0; p < 2; p++) t->factor[p][k] = ((double *)x[out + p])[k] / (double)m;
  for (int k = 0; k < 4; k++) free(x[k]);
  return ok;
}

static struct fs_transform *transform_new(int64_t n, bool wide, fs_fourier_fn *const *pass) {
  struct fs_transform *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->n = n;
  t->wide = wide;
  t->pass = pass;
  bool small = find_passes(t), few = n <= OWN_MOST && small;
  t->by_fftw = !few && n <= INT32_MAX / LINES_MOST && has_fftw();
  bool chirp = !t->by_fftw && !small;
  if (chirp) t->wide = true;
  if (t->by_fftw || (chirp ? make_chirp(t) : make_roots(t))) return t;
  transform_free(t);
  return NULL;
}

/* The last few that are not large are kept, and the last one. */
const struct fs_transform *fs_transform_of(int64_t n, bool *wide,
                                            fs_fourier_fn *const *pass) {
  static struct fs_transform *kept[KEPT];
  static bool asked[KEPT];
  static int64_t calls;
  int oldest = 0;
  calls++;
  for (int k = 0; k < KEPT; k++) {
    struct fs_transform *t = kept[k];
    if (t && t->n == n && asked[k] == *wide) {
      t->used = calls;
      *wide = t->wide;
      return t;
    }
    if (!t || (kept[oldest] && t->used < kept[oldest]->used)) oldest = k;
  }
  for (int k = 0; k < KEPT; k++)
    if (kept[k] && kept[k]->n > 1 << 16) oldest = k;
  transform_free(kept[oldest]);
  asked[oldest] = *wide;
  kept[oldest] = transform_new(n, *wide, pass);
  if (fs_interrupted()) { /* in the middle of a chirp, perhaps */
    transform_free(kept[oldest]);
    kept[oldest] = NULL;
  }
  if (!kept[oldest]) return NULL;
  kept[oldest]->used = calls;
  *wide = kept[oldest]->wide;
  return kept[oldest];
}

/* -- runs -------------------------------------------------------------------------------------- */

static int64_t places(const struct fs_transform *t) { return t->longer ? t->longer->n : t->n; }

/* As many as a vector has, where they stay in the second-level cache. */
int64_t fs_transform_lines(const struct fs_transform *t, int64_t lines) {
  const int64_t cache = 512 << 10;
  int64_t fit = cache / fs_transform_bytes(t, 1) / 4;
  int64_t vector = t->wide ? LINES_MOST / 2 : LINES_MOST;
  return FS_MAX(FS_MIN(FS_MIN(fit, vector), lines), 1);
}

int64_t fs_transform_bytes(const struct fs_transform *t, int64_t b) {
  int64_t bytes = places(t) * b * (t->wide ? 8 : 4);
  return (bytes + 63) / 64 * 64;
}

void fs_transform_plan(const struct fs_transform *t, int64_t b, void *const x[4]) {
  struct fs_transform *own = (struct fs_transform *)t;
  if (!t->by_fftw) return;
  for (int k = 0; k < 2; k++)
    if (t->plan[k].plan && t->plan[k].lines == b) return;
  int k = t->plan[0].plan && !t->plan[1].plan;
  if (t->plan[k].plan) fftw.of[t->wide].destroy(t->plan[k].plan);
  struct fftw_iodim dim = {(int)t->n, (int)b, (int)b}, each = {(int)b, 1, 1};
  own->plan[k].lines = b;
  own->plan[k].plan = fftw.of[t->wide].plan(1, &dim, 1, &each, x[0], x[1], x[2], x[3],
                                            FFTW_ESTIMATE | FFTW_DESTROY_INPUT);
}

static void run_passes(const struct fs_transform *t, int64_t b, void *const x[4], int *out) {
  struct fs_fourier_pass f = {.m = t->n, .run = b, .step = 1,
                              .roots_re = t->roots[0], .roots_im = t->roots[1]};
  int at = 0;
  for (int k = 0; k < t->passes && !fs_interrupted(); k++, at = 2 - at) {
    f.radix = t->radix[k];
    f.m /= f.radix;
    f.from_re = x[at], f.from_im = x[at + 1];
    f.to_re = x[2 - at], f.to_im = x[3 - at];
    t->pass[t->wide](&f, 0, f.m);
    f.run *= f.radix;
    f.step *= f.radix;
  }
  *out = at;
}

/* Numbers e of b lines, times w[e] or its conjugate. */
static void multiply(double *const x[2], double *const w[2], int64_t n, int64_t b) {
  for (int64_t e = 0; e < n && !fs_transform_stopped(e); e++)
    for (int64_t l = 0; l < b; l++) {
      double re = x[0][e * b + l], im = x[1][e * b + l];
      x[0][e * b + l] = re * w[0][e] - im * w[1][e];
      x[1][e * b + l] = re * w[1][e] + im * w[0][e];
    }
}

/* Parts change places before and after: the transform is then that backwards. */
static void run_chirp(const struct fs_transform *t, int64_t b, void *const x[4], int *out) {
  int64_t m = t->longer->n, n = t->n;
  int at, back;
  for (int p = 0; p < 2; p++)
    memset((double *)x[p] + n * b, 0, sizeof(double) * (size_t)((m - n) * b));
  multiply((double *[]){x[0], x[1]}, t->chirp, n, b);
  fs_transform_run(t->longer, b, x, &at);
  multiply((double *[]){x[at], x[at + 1]}, t->factor, m, b);
  void *turned[] = {x[at + 1], x[at], x[3 - at], x[2 - at]};
  fs_transform_run(t->longer, b, turned, &back);
  *out = back ? 2 - at : at;
  multiply((double *[]){x[*out], x[*out + 1]}, t->chirp, n, b);
}

struct execution {
  void (*execute)(const void *plan, void *ri, void *ii, void *ro, void *io);
  const void *plan;
  void *x[4];
};

static void execute(void *arg) {
  const struct execution *e = arg;
  e->execute(e->plan, e->x[0], e->x[1], e->x[2], e->x[3]);
}

/* A long call of FFTW cannot look for interrupts: a copy of the process makes it. Without that it
 * is made here. */
static void execute_apart(struct execution *e, size_t bytes) {
  size_t room = (bytes + 63) / 64 * 64;
  char *shared = fs_apart_take(2 * room);
  struct execution copy = *e;
  int signal = 0;
  copy.x[2] = shared, copy.x[3] = shared + room;
  enum fs_status st = shared ? fs_apart_run(execute, &copy, &signal) : FS_ERR_ENV;
  for (int k = 0; k < 2 && st == FS_OK; k++) memcpy(e->x[2 + k], copy.x[2 + k], bytes);
  if (st == FS_ERR_ENV) execute(e);
  if (shared) fs_apart_drop(shared, 2 * room);
}

static void run_fftw(const struct fs_transform *t, int64_t b, void *const x[4]) {
  int k = t->plan[1].plan && t->plan[1].lines == b;
  struct execution e = {fftw.of[t->wide].execute, t->plan[k].plan, {x[0], x[1], x[2], x[3]}};
  if (t->n * b < LONG) execute(&e);
  else execute_apart(&e, (size_t)(t->n * b) * (t->wide ? 8 : 4));
}

void fs_transform_run(const struct fs_transform *t, int64_t b, void *const x[4], int *out) {
  if (t->by_fftw) {
    run_fftw(t, b, x);
    *out = 2;
  } else if (t->longer) {
    run_chirp(t, b, x, out);
  } else {
    run_passes(t, b, x, out);
  }
}
