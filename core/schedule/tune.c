/* tune.c - how a target should walk a kernel: threads, lanes, vectors kept.
 *
 * The rules aim at two things: enough bytes under way on a multiprocessor to keep memory busy (64
 * KiB and more on an H200: 4.2 TB/s over 132 of them at about 1 us), and rows that stay in
 * registers between their first and their last use. Nothing depends on more than kernel and device.
 */
#include "core/schedule/schedule.h"

enum { WARP = 32 };

/* What counts for the choice. */
struct shape {
  int64_t n, m, last;    /* columns, rows, extent of the last inner axis      */
  int size;              /* bytes of the largest element along j              */
  int loads;             /* accesses read along j, not those of a column only */
  int streams;           /* ... of which each element is read once            */
  int kept;              /* of matrix elements: held from phase to phase      */
  int columns;           /* accesses of a column only: better held, too       */
  int of_columns;        /* ... beyond the few that come and go               */
  int of_rows;           /* accesses of a row only, if they are more than a few */
  int matrix;            /* bytes of the largest element of a matrix read     */
  int column_sums;
  bool sums;             /* any reduction                                     */
  bool wide_sums;        /* of rows, in 64 bits                               */
  bool merges;           /* ... states, which are merged in many instructions */
  bool row_results;      /* sums over j that the row itself waits for         */
  bool outside;          /* sums that leave the rows                          */
  bool several;          /* it goes over the row more than once               */
  bool stencil;          /* it reads neighbours of an element                 */
  bool spaced;           /* it takes every second element                     */
  int shared;            /* loads of neighbours                               */
  int stencils;          /* arrays of which neighbours are read               */
  bool pairs;            /* half types, two in a register                     */
  bool bf16;             /* bf16 is computed                                  */
  bool half;             /* half types that are computed in f32               */
  bool table;            /* values are looked up, of few registers            */
  int stored;            /* bytes of the widest element that is written       */
  double work;           /* instructions for an element, about                */
  double code;           /* ... that the compiler makes of it                 */
  double bytes;          /* moved for an element                              */
};

static int power_up(int64_t x, int most) {
  int p = 1;
  while (p < most && p < x) p *= 2;
  return p;
}

/* Earlier loads of arrays of the same layout, at the same place: so many other arrays; or,
 * of the array's number among them, at another: surely a stencil, of which a thread's rows
 * share most vectors. */
static int loads_before(const struct fs_kernel *k, int step, bool same_place) {
  const struct fs_access *a = &k->accesses.data[k->steps.data[step].access];
  int n = 0, array = same_place ? 0 : loads_before(k, step, true);
  for (int i = 0; i < step; i++) {
    if (k->steps.data[i].kind != FS_SP_LOAD) continue;
    const struct fs_access *b = &k->accesses.data[k->steps.data[i].access];
    n += (a->offset == b->offset) == same_place && a->varies == b->varies &&
         a->list == b->list && !memcmp(a->stride, b->stride, sizeof a->stride) &&
         (same_place || loads_before(k, i, true) == array);
  }
  return n;
}

/* Bytes of a sum by which the lanes are counted. One of everything, or of a row, has an
 * accumulator for each lane, of which 64 bits may take two registers: norm() of f32 and
 * sums of i32 load 16 bytes. */
static int sum_size(const struct fs_kernel *k, int v) {
  int size = fs_sum_bytes(&k->values.data[v]);
  return FS_MIN(size, k->values.data[v].varies & FS_VARIES_J ? 16 : 4);
}

static void look_at_step(const struct fs_kernel *k, const struct fs_step *s, struct shape *sh) {
  bool flat = !fs_kernel_has_rows(k);
  if (s->access >= 0 && s->phase != FS_END) {
    const struct fs_access *a = &k->accesses.data[s->access];
    int last = k->space.n_outer + k->space.n_inner - 1;
    sh->spaced |= s->kind == FS_SP_LOAD && last >= 0 && a->stride[last] == 2;
    if (a->varies & FS_VARIES_J) {
      sh->size = FS_MAX(sh->size, (int)fs_dtype_size(a->dtype));
      sh->bytes += (double)fs_dtype_size(a->dtype);
      if (s->kind == FS_SP_STORE) sh->stored = FS_MAX(sh->stored, (int)fs_dtype_size(a->dtype));
    }
    if (s->kind == FS_SP_LOAD && !flat && a->varies == 3)
      sh->matrix = FS_MAX(sh->matrix, (int)fs_dtype_size(a->dtype));
    if (s->kind == FS_SP_LOAD && !flat && a->varies == FS_VARIES_J)
      sh->columns++;
    sh->of_rows += s->kind == FS_SP_LOAD && !flat && a->varies == FS_VARIES_I;
    if (s->kind == FS_SP_LOAD && (flat ? a->varies : a->varies == 3)) {
      int before = loads_before(k, (int)(s - k->steps.data), false);
      if (!before) sh->loads++, sh->streams += fs_access_is_read_once(k, a);
      else sh->stencil = true, sh->shared++, sh->stencils += before == 1;
    }
  }
  if (s->kind == FS_SP_MAP && k->values.data[s->out].varies & FS_VARIES_J) {
    sh->work += fs_map_ops[s->op].cost;
    sh->table |= s->op == FS_OP_ERF && k->values.data[s->out].dtype == FS_F64;
    sh->code += fs_map_ops[s->op].code;
    sh->bf16 |= k->values.data[s->out].dtype == FS_BF16;
  }
  if (s->kind == FS_SP_RAND && k->values.data[s->out].varies & FS_VARIES_J)
    sh->code += fs_share(FS_GPU_RANDOM_CODE);
  if (s->phase > 0 && s->phase != FS_END) sh->several |= fs_step_passes_row(k, s);
  if (s->kind != FS_SP_REDUCE) return;
  sh->sums = true;
  if (!sh->pairs) sh->size = FS_MAX(sh->size, sum_size(k, s->out));
  if (s->over != FS_VARIES_J) sh->outside = true;
  if (flat) return;
  if (s->over == FS_VARIES_J) {
    sh->row_results = true;
    sh->wide_sums |= fs_sum_bytes(&k->values.data[s->out]) == 8;
    sh->merges |= fs_reduce_ops[s->op].also != 0;
  }
  if (s->over == FS_VARIES_I && k->values.data[s->in[0]].varies & FS_VARIES_J)
    sh->column_sums++;
}

static struct shape look(const struct fs_kernel *k, const struct fs_device *d) {
  struct shape sh = {.n = k->space.n, .m = k->space.m, .size = 1};
  sh.pairs = fs_kernel_pairs(k) && (!d || d->pairs);
  int axes = k->space.n_outer + k->space.n_inner;
  sh.last = k->space.n_inner ? k->space.dim[axes - 1] : 1;
  for (int i = 0; i < k->steps.len; i++)
    look_at_step(k, &k->steps.data[i], &sh);
  sh.half = sh.size == 2 && !sh.pairs;
  sh.of_columns = FS_MAX(0, sh.columns - fs_number(FS_GPU_PASSING));
  if (sh.of_rows <= fs_number(FS_GPU_PASSING)) sh.of_rows = 0;
  sh.kept = sh.several ? FS_MAX(1, sh.loads) : sh.loads;
  return sh;
}

/* Bytes that can be accessed `vec` elements at once, and all bytes, but for what threads load of
 * their columns before the rows. A load whose offset alone is odd takes two whole vectors, which
 * its neighbours share. */
static void aligned_bytes(const struct fs_kernel *k, int vec, double *aligned, double *all) {
  int last = k->space.n_outer + k->space.n_inner - 1;
  *aligned = *all = 0;
  FS_EACH_AT(&k->accesses, a) {
    bool once = fs_kernel_has_rows(k) && a->varies == FS_VARIES_J && !a->stored;
    if (!(a->varies & FS_VARIES_J) || a->stride[last] == 0 || once) continue;
    double bytes = (double)fs_dtype_size(a->dtype);
    for (int y = 0; y <= last; y++)
      if (fs_access_walks(k, a, y)) bytes *= (double)k->space.dim[y];
    bool ok = (a->stride[last] == 1 || (a->stride[last] == 2 && !a->stored)) &&
              a->list_stride % vec == 0 && (a->offset % vec == 0 || !a->stored);
    for (int y = 0; y < last; y++)
      if (k->space.dim[y] > 1 && a->stride[y] % vec) ok = false;
    *all += bytes;
    if (ok) *aligned += bytes;
  }
}

/* Whether rows are held: used again in later phases, or summed both ways. */
static bool is_held(const struct fs_kernel *k, const struct shape *sh) {
  return fs_scheme_of(k)->rows && (sh->row_results || sh->several) &&
         (sh->several || sh->column_sums);
}

/* The bytes that the lanes of a thread are counted by: of the widest element, and where sums of
 * half types are in f32, of their accumulators; but of the matrix for sums of rows, whose
 * accumulators are few, and for column sums of rows that fill a block without a ring (hold_sums()).
 * In bf16 on an H200, with 8 lanes and with 4: A*x of 4096 and 16384 8.6 and 9.3, 122 and 131 us;
 * both products at 8192 39.8 and 42.4, but at 4096 14.2 and 13.4, with a ring 144 and 131. */
static int lane_bytes(const struct fs_kernel *k, const struct shape *sh) {
  bool sums = sh->size == 4 && sh->matrix == 2 && sh->stored < 4 && fs_kernel_has_rows(k);
  if (!sums) return sh->size;
  if (!is_held(k, sh)) {
    double bytes = (double)sh->m * (double)sh->n * sh->matrix;
    bool ends = sh->last % 8; /* which have code of their own */
    double least = fs_number(ends ? FS_GPU_RING_ALONE_BYTES : FS_GPU_SMALL_BYTES);
    bool wide = bytes > least && bytes <= fs_number(FS_GPU_SOME_BYTES);
    return sh->row_results || wide ? sh->matrix : sh->size;
  }
  bool fills = sh->n >= fs_number(FS_GPU_SUMS_THREADS) * 2 * 8 &&
               sh->n * sh->matrix < fs_number(FS_GPU_RING_ROW_BYTES);
  return sh->column_sums && fills ? sh->matrix : sh->size;
}

/* Rows that are no whole vectors have an end with code of its own, which is slower by
 * sums in 64 bits the wider the vectors are: A*x of i32, 5003 x 5003, takes an H200
 * 35.7 us with four lanes and 29.3 with two; of 4096 x 4096 14.4 and 18.7. */
static int most_lanes(const struct fs_kernel *k, const struct shape *sh) {
  int vec = FS_MIN(8, 16 / lane_bytes(k, sh));
  double aligned, all;
  aligned_bytes(k, vec, &aligned, &all);
  bool whole = aligned == all && sh->last % vec == 0;
  return sh->wide_sums && !whole ? FS_MIN(vec, 2) : vec;
}

static int lanes(const struct fs_kernel *k, const struct shape *sh) {
  if (k->space.n_inner == 0) return 1;
  int vec = most_lanes(k, sh);
  for (; vec > 1; vec /= 2) {
    double aligned, all;
    aligned_bytes(k, vec, &aligned, &all);
    if (2 * aligned >= all && sh->last >= vec) break;
  }
  return vec;
}

static int resident(int threads, int regs) {
  return FS_MAX(1, FS_MIN(65536 / (threads * regs), FS_MIN(8, 2048 / threads)));
}

/* Whether computing takes as long as moving what is computed with, or nearly: an
 * H200 starts 7 instructions in the time in which it moves a byte. */
static bool computes(const struct shape *sh) {
  return sh->work > 3 * sh->bytes;
}

/* Pairs of bf16 that are stored. */
static bool is_plain_bf16(const struct shape *sh) {
  return sh->pairs && sh->bf16 && !sh->sums;
}

/* Whether more is computed of several arrays of bf16, in pairs, than sums and products:
 * quotients, roots, logarithms, which want more registers than large blocks have. */
static bool divides_bf16(const struct shape *sh) {
  bool many = sh->streams >= 2 && sh->work > fs_number(FS_GPU_PLAIN_WORK);
  return is_plain_bf16(sh) && (computes(sh) || many);
}

/* Vectors of neighbours that a thread has beside those of its own elements: of halves, which
 * are widened, each; else those beyond the few that come and go. */
static int neighbours_held(const struct shape *sh) {
  return sh->half ? sh->shared : FS_MAX(0, sh->shared - fs_number(FS_GPU_PASSING));
}

/* Registers of a thread of a kernel over rows, about: for a vector of each of so many arrays
 * in each row, two of a stencil's, which its neighbours share, and the sums. Eight rows of seven
 * points (512^3, f32) with 80 registers spill 112 bytes on an H200 and take 51 % longer. */
static int registers_for(const struct fs_tuning *t, const struct shape *sh, int arrays) {
  int width = FS_MAX(1, t->vec * sh->size / 4);
  int around = FS_MAX(0, sh->shared - fs_number(FS_GPU_PASSING)) / 2;
  int vectors = (arrays + sh->stencils) * t->iters + around + sh->column_sums + sh->of_columns + 1;
  return width * t->cols * vectors + sh->of_rows * t->iters + fs_number(FS_GPU_OVERHEAD_REGS);
}
static int row_registers(const struct fs_tuning *t, const struct shape *sh) {
  return registers_for(t, sh, FS_MAX(1, sh->loads));
}

static int flat_blocks(const struct fs_tuning *t, const struct shape *sh) {
  int width = FS_MAX(1, t->vec * (sh->half ? 4 : sh->size) / 4); /* registers */
  int data = t->iters * width * (sh->loads + neighbours_held(sh) + 1);
  int wide = sh->table ? 48 : 100;
  int eight = sh->pairs ? 56 : 64; /* for as many elements side by side */
  if (divides_bf16(sh)) return FS_MAX(1, 65536 / (t->threads * (data + 40)));
  if (sh->sums) eight = sh->pairs ? 64 : 32;
  int others = !computes(sh) ? 24 : sh->size == 8 ? wide : eight;
  return resident(t->threads, data + others);
}

/* Measured on an H200: Black-Scholes in f32 with two vectors to a thread 0.2625 ms, with one some 5
 * % more, with four 0.2643; in bf16 with two blocks of 512 threads 0.176, with four of 256 0.168,
 * with eight of 128 0.164; in f64 with one vector and 1,024 threads, which hide the waits for the
 * table of the error function, 0.743; without the table 0.863, and 0.815 with 640 threads. Arrays
 * that are only walked: blocks of 1,024 threads that read two or more arrays are 0.3 % faster than
 * those of 256, that read one array 5 % slower, whatever they read of single rows and columns.
 * Where more than a few instructions are computed, two such blocks have no room: g .* x ./ (1 +
 * exp(-x)) of 2^26 in f32 takes 213 us with 1,024 threads, 185 with 256. */
static void tune_flat(struct fs_tuning *t, const struct shape *sh, int units) {
  int64_t vectors = fs_ceil_div(sh->n, t->vec);
  t->threads = 256;
  t->cols = 1;
  t->iters = FS_MAX(1, FS_MIN(4, 4 / FS_MAX(1, sh->loads)));
  if (sh->loads == 0 || !sh->sums) t->iters = 1; /* many blocks, each once */
  if (computes(sh) || divides_bf16(sh)) {
    int most = sh->sums ? 16 : 8; /* elements side by side */
    t->threads = sh->sums && sh->size == 4 ? 64 : 128;
    t->iters = sh->size == 8 ? 1 : FS_MAX(1, most / t->vec);
  }
  bool little = sh->pairs ? !computes(sh) && !divides_bf16(sh)
                          : sh->work <= FS_MIN(sh->bytes / 2, 8);
  if (little && !sh->sums && sh->streams >= 2) t->threads = 1024;
  if (!computes(sh) && sh->sums && sh->stored) t->threads = 512;
  while (t->iters > 1 && vectors < (int64_t)units * 4 * t->threads * t->iters)
    t->iters /= 2;
  while (t->threads > 256 && vectors < (int64_t)units * 16 * t->threads)
    t->threads /= 2;
  while (t->threads > 64 && vectors < (int64_t)units * t->threads)
    t->threads /= 2;
  t->row_threads = t->threads;
  t->blocks_per_sm = flat_blocks(t, sh);
}

/* No row waits for a result: columns may be cut into strips. Those of sums over a matrix that lies
 * about in the cache are narrow: more strips, so fewer partial sums of each column. Stencils hide
 * each other's waits better in small blocks (Jacobi, 8192 x 8192: bf16 72.7 us with 128 threads,
 * 75.9 with 256). Of every second element fewer rows at once are better: the mean of 2 x 2 elements
 * of 8192 x 8192 in f32 79.7 us with two rows, 121 with eight. Rows of which a warp has several
 * have few columns, so few partial sums: more of them are under way (1000000 x 32: 31.5 us with 512
 * threads, 32.9 with 256). */
static void tune_columns(struct fs_tuning *t, const struct shape *sh, int64_t vectors, int units) {
  bool narrow = sh->column_sums && !sh->stencil &&
                (double)sh->m * (double)sh->n * sh->matrix <= fs_number(FS_GPU_ABOUT_BYTES);
  int width = FS_MAX(1, t->vec * sh->size / 4);
  t->threads = sh->stencil ? 128 : 256;
  t->row_threads = power_up(vectors, narrow ? WARP : t->threads);
  t->cols = 1;
  bool few = narrow && t->row_threads < WARP;
  if (few) t->threads = fs_number(FS_GPU_SUMS_THREADS);
  int side = t->threads / t->row_threads;
  t->iters = FS_MAX(1, FS_MIN(8, 32 / (width * FS_MAX(1, sh->loads))));
  if (few)
    t->iters = FS_MAX(1, FS_MIN(t->iters, 16 / (width * FS_MAX(1, sh->loads))));
  else if (sh->stencil || narrow)
    t->iters = FS_MIN(t->iters, 4); /* with the rows beside them */
  if (sh->stencil && sh->half) t->iters = FS_MIN(t->iters, 2);
  if (sh->spaced) t->iters = FS_MIN(t->iters, sh->stencil ? 2 : 4); /* two vectors each */
  int64_t strips = fs_ceil_div(vectors, t->row_threads);
  while (t->iters > 1 && sh->m * strips < (int64_t)units * 8 * side * t->iters)
    t->iters /= 2;
  t->blocks_per_sm = FS_MIN(narrow ? 2 : 1024 / t->threads,
                            resident(t->threads, row_registers(t, sh)));
}

/* Only sums of rows, one phase: nothing is held but what is under way. Of states threads have more
 * of a row, so that fewer are merged: logsumexp(X, 2) of 262144 x 256 took an H200 164 us with a
 * warp on a row, where reading takes 62. */
static void tune_dots(struct fs_tuning *t, const struct shape *sh, int64_t vectors, int units) {
  int width = FS_MAX(1, t->vec * sh->size / 4);
  bool wide = vectors > 256;
  t->threads = 256;
  t->row_threads = wide ? power_up(fs_ceil_div(vectors, 4), 256) : power_up(vectors, WARP);
  if (sh->merges && !wide)
    t->row_threads = vectors <= 4 ? 1 : FS_MAX(2, power_up(fs_ceil_div(vectors, 8), WARP));
  t->cols = (int)FS_MIN(wide ? 4 : 8, fs_ceil_div(vectors, t->row_threads));
  t->iters = FS_MAX(1, FS_MIN(4, 32 / (width * t->cols * FS_MAX(1, sh->loads))));
  int side = t->threads / t->row_threads;
  while (t->iters > 1 && sh->m < (int64_t)units * 2 * side * t->iters)
    t->iters /= 2;
  t->blocks_per_sm = FS_MIN(4, resident(t->threads, row_registers(t, sh)));
}

/* Rows of one to two times what 256 threads take at once, of a matrix that the cache does not hold:
 * 512 have a row whole, out of a ring, where in two parts the second would be small and nothing be
 * under way behind it. On an H200 A*x of bf16 at 8200 and 14000 takes 35 and 90 us that way, in two
 * parts 83 and 125, with x in registers beside it; of f32 at 5003, where each part looks for the
 * row's end, 22.8 and 28.7. But 2 to 6 % more of f32 at 6000 to 8000, and of f64. */
static bool tune_whole_dots(struct fs_kernel *k, const struct shape *sh, int64_t vectors,
                            const struct fs_device *d) {
  enum { THREADS = 512, PART = 4 * 256, LITTLE = PART / 4 };
  struct fs_tuning *t = &k->tune;
  double bytes = (double)sh->m * (double)sh->n * sh->matrix * FS_MAX(1, sh->loads);
  bool wide = sh->matrix == 2 && sh->columns > 0;
  bool ends = sh->matrix <= 4 && sh->last % t->vec && vectors <= PART + LITTLE;
  if (!d || !d->bulk_copies || !fs_exceeds_cache(d, bytes) || sh->stored ||
      vectors <= PART || vectors >= 2 * PART || !(wide || ends))
    return false;
  *t = (struct fs_tuning){THREADS, THREADS, t->vec, (int)fs_ceil_div(vectors, THREADS), 1, 1, 1};
  t->blocks_per_sm = FS_MIN(4, resident(THREADS, row_registers(t, sh)));
  return fs_ring_stages(k, d) > 1;
}

/* Threads that hold so many vectors of a row, if the registers of a block do. */
static void hold(struct fs_tuning *t, int64_t vectors, int width, int arrays) {
  static const int threads[] = {128, 256, 512, 1024, 512};
  static const int most[] = {4, 8, 8, 8, 24};
  for (size_t x = 0; x < FS_LEN(threads) && !t->threads; x++) {
    int room = FS_MIN(255, 65536 / threads[x]) - 32;
    int cols = (int)FS_MIN(1000, fs_ceil_div(vectors, threads[x]));
    if (cols > most[x] || cols * width * arrays > room) continue;
    t->threads = t->row_threads = threads[x];
    t->cols = cols;
  }
}

/* Column sums leave the blocks: the fewer blocks, the shorter the end of the kernel. So one large
 * block on each multiprocessor, with several rows side by side and at once, two vectors of a row
 * for a thread and 128 bytes under way. A row that comes through a ring of its own (values.c) is
 * alone in its block: it must be long enough for the wait at its end. Of rows that share a warp as
 * many as make 64 bytes for a thread. */
static void hold_sums(struct fs_tuning *t, const struct shape *sh,
                      int64_t vectors, int units, bool rings) {
  int threads = fs_number(FS_GPU_SUMS_THREADS), under_way = fs_number(FS_GPU_SUMS_UNDER_WAY);
  int width = FS_MAX(1, t->vec * sh->size / 4), loads = FS_MAX(1, sh->loads);
  int row = power_up(fs_ceil_div(vectors, 2), threads);
  row = FS_MAX(row, (int)FS_MIN(WARP, power_up(vectors, WARP)));
  int64_t cols = fs_ceil_div(vectors, row);
  int fixed = sh->column_sums + sh->of_columns + 1, room = 65536 / threads - 32;
  if (cols > fs_number(FS_GPU_SUMS_VECTORS)) return;
  if (width * cols * (sh->kept + sh->column_sums) > room) return;
  int side = threads / row;
  int each = t->vec * FS_MAX(1, sh->matrix) * loads;
  int rows = side < 4 ? 4 : 2;
  if (row < WARP) rows = FS_MIN(row, FS_MAX(4, under_way / 2 / each)); /* several in a warp */
  int iters = (int)FS_MIN(rows, under_way / (cols * each));
  if (rings && sh->n * sh->matrix >= fs_number(FS_GPU_RING_ROW_BYTES)) iters = 1;
  while (iters > 1 && (width * cols * (sh->kept * iters + fixed) + sh->of_rows * iters > room ||
                       2 * sh->m < (int64_t)units * side * iters))
    iters /= 2;
  t->threads = threads;
  t->row_threads = row;
  t->cols = (int)cols;
  t->iters = FS_MAX(1, iters);
}

/* Sums of the columns of one matrix that is larger than the cache, but not by far: its rows
 * come whole and several at once, through a ring, as those do that are summed both ways, and no
 * block waits for what it computes. */
static bool tune_ring(struct fs_kernel *k, const struct shape *sh, int64_t vectors,
                      const struct fs_device *d) {
  double bytes = (double)sh->m * (double)sh->n * sh->matrix;
  struct fs_tuning before = k->tune;
  if (!d || !d->bulk_copies || sh->column_sums != 1 || sh->loads != 1 || sh->stencil ||
      sh->stored || sh->n < fs_number(FS_GPU_RING_COLUMNS) || bytes <= (double)d->cache_bytes ||
      bytes > fs_number(FS_GPU_SOME_BYTES))
    return false;
  k->tune.threads = 0;
  hold_sums(&k->tune, sh, vectors, d->units, true);
  if (k->tune.threads && fs_ring_stages(k, d)) return true;
  k->tune = before;
  return false;
}

/* Rows that only become rows, one on a multiprocessor at a time: nothing hides what
 * the block waits for. Two blocks of half the threads take as many registers. */
static void two_rows(struct fs_tuning *t, int regs) {
  int threads = fs_number(FS_GPU_LONE_THREADS);
  if (t->threads != threads || t->row_threads != threads || t->cluster > 1 ||
      t->blocks_per_sm > 1 || t->cols * regs > fs_number(FS_GPU_LONE_REGS))
    return;
  t->threads = t->row_threads = threads / 2;
  t->cols *= 2;
  t->blocks_per_sm = 2;
}

/* A row is used again, or feeds column sums: it should stay in registers, of
 * several blocks where it is too long for those of one. */
static void tune_held(struct fs_tuning *t, const struct shape *sh,
                      int64_t vectors, int units, bool sm90) {
  enum { MOST_BLOCKS = 8 };
  int width = FS_MAX(1, t->vec * sh->size / 4);
  int arrays = FS_MAX(1, sh->kept + sh->column_sums);
  t->threads = 0;
  if (sh->column_sums) hold_sums(t, sh, vectors, units, sm90);
  bool summed = t->threads;
  if (!summed && vectors <= WARP * 8) { /* a warp to a row, no barrier */
    t->threads = 128;
    t->row_threads = power_up(vectors, WARP);
    t->cols = (int)fs_ceil_div(vectors, t->row_threads);
  }
  if (!t->threads) hold(t, vectors, width, arrays);
  /* With the vectors that rows are multiplied by, if some number of blocks does. */
  for (int held = sh->columns ? 1 : 0; held >= 0 && sm90; held--)
    for (int n = 2; n <= MOST_BLOCKS && !t->threads; n *= 2) {
      hold(t, fs_ceil_div(vectors, n), width, arrays + held);
      t->cluster = n;
    }
  if (!t->threads) { /* too long: in chunks, several rows to share the sums */
    t->threads = t->row_threads = 512;
    t->cols = 2;
    t->iters = sh->column_sums ? FS_MAX(1, 4 / FS_MAX(1, sh->loads)) : 2;
    while (t->iters > 1 && sh->m < (int64_t)units * t->iters) t->iters /= 2;
    t->blocks_per_sm = t->cluster = 1;
    return;
  }
  int side = t->threads / t->row_threads;
  if (!summed)
    t->iters = FS_MAX(1, FS_MIN(4, 4 / (t->cols * FS_MAX(1, sh->loads))));
  while (!summed && t->iters > 1 && sh->m < (int64_t)units * 2 * side * t->iters)
    t->iters /= 2;
  int regs = registers_for(t, sh, sh->kept);
  if (!sh->outside) regs -= 20; /* rows that only become rows: more at a time */
  t->blocks_per_sm = FS_MIN(4, resident(t->threads, regs));
  if (!sh->outside) two_rows(t, width * sh->kept);
}

/* Whether a thread can turn `rows` x `vec` elements in its registers: all matrices are read
 * and written by whole vectors, along their rows or, where they lie across, along columns. */
static bool turns(const struct fs_kernel *k, int vec, int rows) {
  bool across = false;
  if (k->space.n % vec || k->space.m % rows || k->space.n_outer != 1 ||
      k->space.n_inner != 1 || k->has.reductions || k->n_phases > 1 || k->has_end)
    return false;
  FS_EACH_AT(&k->accesses, a) {
    bool turned = !a->stored && a->stride[0] == 1 && a->stride[1] % rows == 0 &&
                  a->offset % rows == 0;
    bool along = a->stride[1] == 1 && a->stride[0] % vec == 0 && a->offset % vec == 0;
    if (a->step < 0 || a->varies != 3) continue;
    if (!turned && !along) return false;
    across |= turned && !along;
  }
  return across;
}

static int turned_blocks(const struct fs_tuning *t, const struct shape *sh) {
  int data = FS_MAX(1, sh->size / 4) * t->vec * t->iters * FS_MAX(1, sh->loads);
  return resident(t->threads, data + fs_number(FS_GPU_OVERHEAD_REGS));
}

/* Tiles without sums: threads turn what they load, eight of them side by side. On an H200
 * A + C' of 8192 takes so, and by tiles in shared memory, in f32 194 us and 215, in bf16
 * 100 and 293; copy(A') + 1 138 and 154, 72 and 117; of f64 at 4096 70 and 74. */
static bool tune_turns(const struct fs_kernel *k, struct fs_tuning *t, const struct shape *sh) {
  int vec = FS_MIN(8, 16 / sh->size), rows = FS_MIN(4, 16 / sh->size);
  while (vec > 2 && k->space.n % vec) vec /= 2;
  if (!turns(k, vec, rows)) return false;
  *t = (struct fs_tuning){256, 8, vec, 1, rows, 1, 1};
  t->blocks_per_sm = turned_blocks(t, sh);
  return true;
}

static void tune_tile(struct fs_tuning *t, const struct shape *sh, int units) {
  int64_t tiles = fs_ceil_div(sh->m, WARP) * fs_ceil_div(sh->n, WARP);
  t->threads = 256;
  t->row_threads = WARP;
  t->vec = t->cols = 1;
  t->iters = (int)FS_MAX(1, FS_MIN(32, tiles / FS_MAX(1, (int64_t)units * 16)));
  t->blocks_per_sm = 4;
}

/* Sums of few long rows: as many parts of each as fill the device, of some pieces at least; or, of
 * more rows, several times. */
static bool tune_parts(const struct fs_kernel *k, struct fs_tuning *t, const struct shape *sh,
                       int units) {
  enum { PIECES = 4, TURNS = 4, EVEN = 8 };
  int last = k->space.n_outer + k->space.n_inner - 1;
  FS_EACH_AT(&k->accesses, a)
    if (a->varies == 3 && a->stride[last] != 1) return false;
  if (!sh->row_results || sh->outside) return false;
  *t = (struct fs_tuning){256, 256, lanes(k, sh), FS_MAX(1, 4 / FS_MAX(1, sh->loads)), 1, 1, 1};
  t->blocks_per_sm = FS_MIN(4, resident(t->threads, row_registers(t, sh)));
  int64_t blocks = (int64_t)units * t->blocks_per_sm * (sh->m * EVEN > (int64_t)units ? TURNS : 1);
  int64_t pieces = fs_ceil_div(fs_ceil_div(sh->n, t->vec), (int64_t)t->threads * t->cols);
  int64_t parts = FS_MIN(blocks / sh->m, pieces / PIECES);
  if (parts > 1) t->iters = (int)FS_MIN(1024, fs_ceil_div(pieces, parts));
  return parts > 1;
}

/* Many short rows that lie across memory: a thread or two have one, of 32 elements each at most, so
 * that neighbours in a warp read sectors of memory in full. 262,144 of 256 numbers of f64 by eight
 * threads each take an H200 .21 ms, by blocks that add to all .155. */
static bool tune_short(struct fs_tuning *t, const struct shape *sh, int units) {
  enum { MOST = 32, LEAST = 64, MOST_THREADS = 2 };
  int threads = power_up(fs_ceil_div(sh->n, MOST), WARP);
  int64_t block = sh->m * threads / (2 * (int64_t)units); /* two on each multiprocessor */
  if (block < LEAST || !sh->row_results || sh->column_sums || threads > MOST_THREADS)
    return false;
  int cols = (int)fs_ceil_div(sh->n, threads), loads = FS_MAX(1, sh->loads);
  *t = (struct fs_tuning){256, threads, 1, cols, 1, 1, 1};
  t->iters = FS_MAX(1, FS_MIN(8, MOST / (cols * loads)));
  while (t->iters > 1 && block < (int64_t)t->threads * t->iters) t->iters /= 2;
  while (block < t->threads) t->threads /= 2;
  t->blocks_per_sm = resident(t->threads, registers_for(t, sh, FS_MAX(loads, sh->kept)));
  return true;
}

/* Rows that lie across memory: neighbours along i share a sector of 32 bytes, so
 * a thread takes several rows at once. */
static void tune_across(const struct fs_kernel *k, struct fs_tuning *t, const struct shape *sh,
                        int units) {
  int last = k->space.n_outer + k->space.n_inner - 1, across = 0, along = 0;
  FS_EACH_AT(&k->accesses, a) {
    if (a->varies != 3) continue;
    if (a->stride[last] != 1 && k->space.n_outer > 0 && a->stride[k->space.n_outer - 1] == 1)
      across++;
    else along++;
  }
  int rows = FS_MIN(8, 32 / FS_MAX(1, sh->size * t->cols / 4));
  if (across && !along && tune_short(t, sh, units)) return;
  if (!across || t->row_threads < WARP || rows <= t->iters) return;
  t->iters = rows;
  t->blocks_per_sm = FS_MIN(t->blocks_per_sm, resident(t->threads, row_registers(t, sh)));
}

/* Whether all that is read and written along a row are whole vectors. */
static bool is_whole(const struct fs_kernel *k, const struct shape *sh, int vec) {
  double aligned, all;
  aligned_bytes(k, vec, &aligned, &all);
  bool whole = aligned == all && sh->last % vec == 0;
  for (int x = 0; x < k->accesses.len; x++)
    whole &= k->accesses.data[x].offset % vec == 0;
  return whole;
}

/* The same for all sizes but where vectors are whole: what the text of a kernel depends on
 * must not change with each round of a loop. Nothing is held: rows come again. */
static void tune_any_size(struct fs_kernel *k, const struct shape *sh) {
  struct fs_tuning *t = &k->tune;
  bool flat = !fs_kernel_has_rows(k);
  if (!is_whole(k, sh, t->vec)) t->vec = 1;
  t->row_threads = flat || sh->n > fs_number(FS_GPU_LONG_ROW) ? t->threads : WARP;
  t->iters = flat && sh->sums ? FS_MAX(1, 4 / FS_MAX(1, sh->loads)) : 1;
  t->blocks_per_sm = FS_MIN(4, fs_tune_resident(k));
}

/* All elements that a thread has at once are written out; what its rows have lies in registers. */
static void limit_code(struct fs_tuning *t, const struct shape *sh) {
  enum { OF_ROWS = 32 };
  while (t->iters > 1 && sh->of_rows * t->iters > OF_ROWS) t->iters /= 2;
  while (t->iters > 1 && sh->code * t->vec * t->cols * t->iters > fs_number(FS_GPU_MOST_CODE))
    t->iters /= 2;
}

static int units_of(const struct fs_device *d) {
  return fs_device_has_warps(d) ? FS_MAX(1, d->units) : 128;
}

static void flat_first(struct fs_kernel *k, const struct shape *sh, const struct fs_device *d) {
  k->tune.vec = lanes(k, sh);
  if (k->any_size) tune_any_size(k, sh);
  else tune_flat(&k->tune, sh, units_of(d));
  limit_code(&k->tune, sh);
}

static void rows_first(struct fs_kernel *k, const struct shape *sh, const struct fs_device *d) {
  struct fs_tuning *t = &k->tune;
  bool held = is_held(k, sh);
  t->vec = lanes(k, sh);
  if (k->any_size && !held) {
    tune_any_size(k, sh);
    limit_code(t, sh);
    return;
  }
  int64_t vectors = sh->n / FS_MAX(1, sh->last) * fs_ceil_div(sh->last, t->vec);
  if (held) {
    tune_held(t, sh, vectors, units_of(d), d && d->clusters && !k->any_size);
  } else if (sh->row_results) {
    if (!tune_whole_dots(k, sh, vectors, d)) tune_dots(t, sh, vectors, units_of(d));
  } else if (!tune_ring(k, sh, vectors, d)) {
    tune_columns(t, sh, vectors, units_of(d));
  }
  if (k->any_size) t->stages = 1;
  tune_across(k, t, sh, units_of(d));
  limit_code(t, sh);
}

static void tiles_first(struct fs_kernel *k, const struct shape *sh, const struct fs_device *d) {
  if (!fs_device_has_warps(d) || !(tune_turns(k, &k->tune, sh) ||
                                   tune_parts(k, &k->tune, sh, units_of(d))))
    tune_tile(&k->tune, sh, units_of(d));
}

static void stacks_first(struct fs_kernel *k, const struct shape *sh, const struct fs_device *d) {
  (void)sh, (void)d, fs_tune_instance(k);
}

static void march_first(struct fs_kernel *k, const struct shape *sh, const struct fs_device *d) {
  struct fs_march p;
  (void)sh;
  fs_march_of(k, d, &p);
  k->tune = (struct fs_tuning){p.threads, p.lanes, p.vec, p.slots,
                               p.height / FS_MAX(1, p.side), 1, 1};
}

/* Vectors of a row that its threads do not hold at once cannot be held. */
static bool holds_row(const struct fs_tuning *t, int64_t vectors) {
  return (int64_t)t->row_threads * t->cols * FS_MAX(1, t->cluster) >= vectors;
}

bool fs_tune_holds(const struct fs_kernel *k) {
  int axes = k->space.n_outer + k->space.n_inner;
  int64_t last = FS_MAX(1, k->space.n_inner ? k->space.dim[axes - 1] : 1);
  int64_t vectors = k->space.n / last * fs_ceil_div(last, k->tune.vec);
  return !k->has.row_results || holds_row(&k->tune, vectors);
}

int fs_tune_resident(const struct fs_kernel *k) {
  struct shape sh = look(k, NULL);
  if (!fs_kernel_has_rows(k)) return flat_blocks(&k->tune, &sh);
  return resident(k->tune.threads, row_registers(&k->tune, &sh));
}

/* -- other settings worth a try ---------------------------------------------------- */

static bool is_possible(const struct fs_tuning *t, int most_iters) {
  return t->threads >= 64 && t->threads <= 1024 && t->row_threads >= 1 &&
         t->row_threads <= t->threads && t->iters >= 1 && t->iters <= most_iters;
}

static int add(const struct fs_tuning *t, struct fs_tuning *out, int n) {
  if (n >= FS_MAX_VARIANTS) return n;
  for (int i = 0; i < n; i++)
    if (!memcmp(&out[i], t, sizeof *t)) return n; /* of ints alone */
  out[n] = *t;
  return n + 1;
}

/* A setting derived from the first: as many rows or elements under way as registers allow. */
static int add_flat(const struct shape *sh, struct fs_tuning t, struct fs_tuning *out, int n) {
  if (!is_possible(&t, 8) || row_registers(&t, sh) * t.threads > 65536) return n;
  t.blocks_per_sm = flat_blocks(&t, sh);
  return add(&t, out, n);
}

static int add_rows(const struct shape *sh, struct fs_tuning t, struct fs_tuning *out, int n) {
  int regs = row_registers(&t, sh);
  int64_t vectors = fs_ceil_div(sh->last, t.vec) * (sh->n / FS_MAX(1, sh->last));
  bool held = (sh->several || sh->column_sums) && sh->row_results;
  if (!is_possible(&t, 8) || regs * t.threads > 65536) return n;
  if (held && holds_row(&out[0], vectors) != holds_row(&t, vectors)) return n;
  t.blocks_per_sm = FS_MIN(FS_MAX(1, out[0].blocks_per_sm), resident(t.threads, regs));
  return add(&t, out, n);
}

static int add_tile(struct fs_tuning t, struct fs_tuning *out, int n) {
  return is_possible(&t, 32) ? add(&t, out, n) : n;
}

/* Fewer and more blocks that each leave partial sums of all columns: less to put
 * together, or more under way. Of the first two settings. */
static int add_block_counts(const struct shape *sh, struct fs_tuning *out, int n) {
  int from = FS_MIN(n, 2);
  if (!sh->column_sums) return n;
  for (int v = 0; v < from; v++)
    for (int share = 2; share <= 4 && n < FS_MAX_VARIANTS; share *= 2) {
      struct fs_tuning t = out[v];
      if (t.blocks_per_sm < share) continue;
      t.blocks_per_sm /= share;
      out[n++] = t;
    }
  struct fs_tuning t = out[0];
  int regs = row_registers(&t, sh);
  t.blocks_per_sm *= 2;
  if (n < FS_MAX_VARIANTS && t.threads * t.blocks_per_sm <= 2048 &&
      t.threads * t.blocks_per_sm * regs <= 65536)
    out[n++] = t;
  return n;
}

/* Shorter rings of rows, and none: what is loaded ahead, and by whom, of the first
 * setting, which the kernel has. */
static int add_stages(const struct fs_kernel *k, const struct fs_device *device,
                      struct fs_tuning *out, int n) {
  int most = fs_ring_stages(k, device);
  while (most > 1 && n < FS_MAX_VARIANTS) {
    most = (most + 1) / 2;
    out[n] = out[0];
    out[n++].stages = most;
  }
  return n;
}

/* Others than the first, out[0]. Give how many there are with it. */
static int flat_others(const struct fs_kernel *k, const struct shape *sh, struct fs_tuning *out) {
  struct fs_tuning first = out[0], t = first;
  int n = ((void)k, 1);
  /* f64 computed for long: another vector takes registers and hides nothing. */
  t.iters *= computes(sh) && sh->size == 8 ? 1 : 2, n = add_flat(sh, t, out, n);
  t = first, t.iters /= 2, n = add_flat(sh, t, out, n);
  t = first, t.threads = t.row_threads = t.threads / 2, n = add_flat(sh, t, out, n);
  t = first, t.threads *= 2, t.row_threads *= 2, n = add_flat(sh, t, out, n);
  /* ... and as many elements in smaller blocks */
  t = first, t.threads = t.row_threads = t.threads / 2, t.iters *= 2;
  return add_flat(sh, t, out, n);
}

static int rows_others(const struct fs_kernel *k, const struct shape *sh, struct fs_tuning *out) {
  struct fs_tuning first = out[0], t = first;
  bool whole = first.row_threads == first.threads; /* the block is one row's */
  int n = ((void)k, 1);
  t.iters *= 2, n = add_rows(sh, t, out, n);
  t = first, t.iters /= 2, n = add_rows(sh, t, out, n);
  t = first, t.threads /= 2;
  if (whole) t.row_threads /= 2, t.cols = t.cols > 1 ? t.cols * 2 : t.cols;
  n = add_rows(sh, t, out, n);
  t = first, t.threads *= 2;
  if (whole) t.row_threads *= 2, t.cols = (t.cols + 1) / 2;
  n = add_rows(sh, t, out, n);
  if (first.row_threads > WARP && !whole)
    t = first, t.row_threads /= 2, t.cols *= 2, n = add_rows(sh, t, out, n);
  return add_block_counts(sh, out, n);
}

/* Threads that turn tiles in registers: fewer or more side by side, fewer rows. */
static int turns_others(const struct shape *sh, struct fs_tuning *out) {
  struct fs_tuning first = out[0], t;
  int n = 1;
  for (int v = 0; v < 3; v++) {
    t = first;
    if (v == 2) t.iters /= 2;
    else t.row_threads = v ? t.row_threads * 2 : t.row_threads / 2;
    t.blocks_per_sm = turned_blocks(&t, sh);
    if (t.iters > 1) out[n++] = t;
  }
  return n;
}

/* Each tile leaves partial sums of its columns. What it takes to add up thousands of them was
 * not measured: of 1000000 x 32, in 10,417 tiles, 0.12 ms on an H100. So none are shorter. */
static int tiles_others(const struct fs_kernel *k, const struct shape *sh, struct fs_tuning *out) {
  struct fs_tuning first = out[0], t = first;
  int n = 1;
  if (fs_kernel_turns(k) && !sh->sums) return turns_others(sh, out);
  for (int by = 2; by <= 4; by *= 2) {
    t.iters = first.iters * by, n = add_tile(t, out, n);
    t.iters = first.iters / by;
    if (!sh->column_sums) n = add_tile(t, out, n);
  }
  return n;
}

static int stacks_others(const struct fs_kernel *k, const struct shape *sh, struct fs_tuning *out) {
  return (void)sh, fs_instance_variants(k, out);
}

/* No other settings than the first: NULL. */
static const struct {
  void (*first)(struct fs_kernel *k, const struct shape *sh, const struct fs_device *d);
  int (*others)(const struct fs_kernel *k, const struct shape *sh, struct fs_tuning *out);
} ways[FS_SCHEMES] = {
#define FS_SCHEME(id, name, traits, moves, fits, pieces, mode, blocks, \
                  first, others, words) [FS_##id] = {first, others},
#include "core/kernel/scheme.def"
};

static void tune(struct fs_kernel *k, const struct shape *sh, const struct fs_device *d) {
  k->tune = (struct fs_tuning){256, 256, 1, 1, 1, 1, 1};
  if (ways[k->scheme].first) ways[k->scheme].first(k, sh, d);
}

void fs_tune(struct fs_kernel *k, const struct fs_device *device) {
  struct shape sh = look(k, device);
  tune(k, &sh, device);
}

static bool has_variants(const struct fs_kernel *k, const struct fs_device *device) {
  return fs_device_has_warps(device) && ways[k->scheme].others && !k->any_size;
}

int fs_tune_all(struct fs_kernel *k, const struct fs_device *device,
                struct fs_tuning out[FS_MAX_VARIANTS]) {
  struct shape sh = look(k, device);
  tune(k, &sh, device);
  out[0] = k->tune;
  if (!has_variants(k, device)) return 1;
  return add_stages(k, device, out, ways[k->scheme].others(k, &sh, out));
}

int fs_tune_variants(const struct fs_kernel *k, const struct fs_device *device,
                     struct fs_tuning out[FS_MAX_VARIANTS]) {
  struct fs_kernel tuned = *k; /* borrows the parts */
  out[0] = k->tune;
  return has_variants(k, device) ? fs_tune_all(&tuned, device, out) : 1;
}
