/* work.c - what a kernel does, as amounts of the model's terms (model/work.h). */
#include "core/model/calibration.h"
#include "core/plan/kernels/inside.h"

#include <math.h>
#include <stdio.h>

static int phase_of(const struct fs_step *s) {
  return s->phase == FS_END ? FS_WORK_PHASES - 1 : FS_MIN(s->phase, 2);
}

/* The type of the largest array, as it is stored. */
static enum fs_arith main_type(const struct fs_kernel *k) {
  double most = 0;
  enum fs_arith type = FS_AR_F32;
  FS_EACH_AT(&k->accesses, a) {
    double bytes = fs_kernel_elements(k, a->varies) * (double)fs_dtype_size(a->dtype);
    if (bytes <= most) continue;
    most = bytes;
    type = fs_arith_of(a->dtype);
  }
  return type;
}

/* What it is walked as, and so priced as: a tile kernel whose rows make tasks enough the CPU
 * target walks as a row kernel. What a tile kernel turns has a price of its own, unless
 * threads turn it in their registers, who walk rows. */
static enum fs_scheme walked_as(const struct fs_kernel *k, const struct fs_work *w,
                                const struct fs_cpu_schedule *c) {
  if (fs_kernel_turns(k)) return FS_ROW;
  bool row = c && fs_scheme_of(k)->ends_rows && c->column_chunks == 1;
  return row && !(w->bytes_strided > 0) ? FS_ROW : k->scheme;
}

/* Threads of the CPU that are at work, on average. */
static double cpu_workers(const struct fs_kernel *k, const struct fs_cpu_schedule *c,
                          const struct fs_device *d) {
  double units = FS_MAX(d->units, 1), tasks = k->alone || c->small ? 1 : (double)c->tasks;
  return FS_MAX(tasks / ceil(tasks / units), 1);
}

/* How much longer it takes than if all of the device had the same to do. */
static double imbalance(const struct fs_kernel *k, const struct fs_work *w,
                        const struct fs_cpu_schedule *c, const struct fs_device *d) {
  double units = FS_MAX(d->units, 1);
  if (c) return units / cpu_workers(k, c, d);
  return 1 / FS_MAX(FS_MIN(1.0, w->parallel / units), 1e-6);
}

/* Where lines of an access have several strides - rows that are padded, operands that
 * rows or columns share -, the CPU target copies them piece by piece (device/cpu/walk.c,
 * piece()), and each piece takes as long as so many elements. */
static double copied(const struct fs_kernel *k, const struct fs_access *a) {
  enum { A_PIECE = 256 };
  int first = a->varies & FS_VARIES_J ? k->space.n_outer : 0;
  int count = a->varies & FS_VARIES_J ? k->space.n_inner : k->space.n_outer;
  if (fs_run_of(&k->space, first, count, a->stride).linear) return 0;
  return fs_kernel_elements(k, a->varies) *
         (1 + A_PIECE / (double)FS_MAX(k->space.dim[first + count - 1], 1));
}

/* A flat kernel on the CPU that copies so much of what it reads or writes. */
static bool is_copied(const struct fs_kernel *k) {
  bool any = false;
  for (int x = 0; x < k->accesses.len && !fs_kernel_has_rows(k); x++)
    any |= copied(k, &k->accesses.data[x]) > 0;
  return any;
}

/* What a flat kernel of a GPU loads again and again lies in the first cache, which gives a warp 128
 * bytes at a time: four such are a vector, and each element of one that lies apart. */
static void count_again(const struct fs_kernel *k, struct fs_work *w) {
  int last = k->space.n_inner - 1, loads = 0;
  double all = 0;
  FS_EACH_AT(&k->accesses, a) {
    if (!fs_access_is_load(a) || !a->varies || fs_access_is_read_once(k, a)) continue;
    loads++, all += !a->stride[last] ? 1.0 / k->tune.vec : a->stride[last] == 1 ? 1 : 4;
  }
  if (loads > fs_number(FS_GPU_PASSING))
    fs_work_add(w, fs_term_map(FS_OP_MUL, FS_AR_F32), 0,
                fs_number(FS_PLAN_LOADED_AGAIN) * all * (double)k->space.n);
}

/* What a load or a store takes beside its bytes; on the CPU the elements that a list chooses
 * are fetched one by one. */
static void count_access(const struct fs_kernel *k, const struct fs_step *s,
                         const struct fs_cpu_schedule *c, double busy, double done,
                         struct fs_work *w) {
  const struct fs_access *a = &k->accesses.data[s->access];
  double n = fs_kernel_elements(k, a->varies);
  int ph = phase_of(s);
  if (c && s->kind == FS_SP_LOAD && fs_cpu_is_listed(k, s))
    fs_work_add(w, FS_TM_GENERAL, ph, n * busy);
  if (fs_dtype_converts(a->dtype)) fs_work_add(w, FS_TM_CONVERT, ph, n * done);
  bool every = c || a->varies == (FS_VARIES_I | FS_VARIES_J);
  if (w->general_index && every) fs_work_add(w, FS_TM_GENERAL, ph, (c ? copied(k, a) : n) * busy);
}

void fs_work_user(struct fs_work *w, const struct fs_user *u,
                  const struct fs_device *d, int phase, double calls) {
  double each = fs_call_seconds(d, u->hash);
  w->unknown |= u->unknown;
  enum fs_term product = fs_term_map(FS_OP_MUL, fs_arith_of(u->compute));
  if (each >= 0) fs_work_add(w, FS_TM_USER, phase, calls * each);
  else fs_work_add(w, product, phase, calls * u->flops * FS_MAX(u->pace, 1)); /* as declared */
}

/* How often a step is done for each of its elements. The CPU target does it in each sweep that
 * wants it, but for what shares a pass; and of columns alone again for every group of rows,
 * while a GPU's blocks make that once before they go over their rows. */
static double times_done(const struct fs_kernel *k, const struct fs_cpu_schedule *c, int step) {
  const struct fs_step *s = &k->steps.data[step];
  if (!c) return s->out < 0 || k->values.data[s->out].same_as < 0;
  double sweeps = c->pass[step] == step ? c->times[step] : 0;
  bool strip = s->out >= 0 && s->phase != FS_END && s->kind != FS_SP_REDUCE &&
               k->values.data[s->out].varies == FS_VARIES_J && fs_kernel_has_rows(k);
  return strip && !c->once[s->out] ? sweeps * ceil((double)k->space.m / (double)c->rows) : sweeps;
}

/* Whether each row takes a step of its own. On a GPU all do in a row kernel. The CPU
 * target takes elements of narrow rows that lie one behind the other as one long row,
 * but a result for each row, or an operand that rows or columns share, by rows. */
static bool steps_by_rows(const struct fs_kernel *k, const struct fs_step *s,
                          const struct fs_cpu_schedule *c) {
  enum { BOTH = FS_VARIES_I | FS_VARIES_J };
  if (s->phase == FS_END) return false;
  if (!c) return fs_scheme_of(k)->rows;
  if (!fs_kernel_has_rows(k)) return false;
  if (s->kind == FS_SP_REDUCE)
    return s->over == FS_VARIES_J && k->values.data[s->out].varies;
  if (s->kind != FS_SP_MAP || k->values.data[s->out].varies != BOTH) return false;
  FS_EACH_IN(s, x) {
    unsigned varies = k->values.data[s->in[x]].varies;
    if (varies && varies != BOTH) return true;
  }
  return false;
}

/* The rows that take a step: where several share a warp of a GPU, it takes theirs at once, and what
 * its threads make of several rows, too. */
static double row_steps(const struct fs_kernel *k, const struct fs_step *s,
                        const struct fs_cpu_schedule *c) {
  enum { WARP = 32 };
  bool state = s->kind == FS_SP_REDUCE && fs_reduce_ops[s->op].words > 1;
  if (c) return (double)k->space.m * (state ? fs_number(FS_CPU_STATE_STEPS) : 1);
  double share = (double)FS_MIN(k->tune.row_threads, WARP) / WARP;
  bool own = s->kind == FS_SP_MAP && !(k->values.data[s->out].varies & FS_VARIES_J);
  if (own && fs_kernel_shares_rows(k)) share /= k->tune.iters;
  return (double)k->space.m * share;
}

/* Whether elements of a line that a step makes of their index follow each other there. */
static bool is_consecutive(const struct fs_kernel *k, const struct fs_step *s) {
  unsigned varies = k->values.data[s->out].varies;
  int first = varies & FS_VARIES_J ? k->space.n_outer : 0;
  int last = first + (varies & FS_VARIES_J ? k->space.n_inner : k->space.n_outer) - 1;
  while (last > first && k->space.dim[last] == 1) last--;
  return last < first || s->affine.stride[last] == 1;
}

/* Random numbers on the CPU, by the words of 32 bits that are drawn for them: a counter
 * gives four, of which a number that does not follow the last one takes a whole one
 * (elemlib/cpu/index.c). Normal ones are made in pairs of uniform ones. */
static void count_random(const struct fs_kernel *k, const struct fs_step *s, double n,
                         struct fs_work *w) {
  enum { OF_A_COUNTER = 4 };
  static const enum fs_map_op of_pair[] = {FS_OP_LOG, FS_OP_SQRT, FS_OP_COS, FS_OP_SIN};
  bool is_double = k->values.data[s->out].dtype == FS_F64, normal = s->op;
  int ph = phase_of(s), next = is_consecutive(k, s);
  double words = !next ? OF_A_COUNTER : is_double || normal ? 2 : 1;
  fs_work_add(w, FS_TM_RANDOM, ph, n * words);
  for (size_t x = 0; x < FS_LEN(of_pair) && normal; x++)
    fs_work_add(w, fs_term_map(of_pair[x], is_double ? FS_AR_F64 : FS_AR_F32), ph, n / (1 + next));
}

static bool divides_by_one(const struct fs_kernel *k, const struct fs_step *s) {
  return s->op == FS_OP_DIV && s->in[1] >= 0 && !k->values.data[s->in[1]].varies;
}

/* What warps take for what each strip of tiles leaves of a row, in products. */
static double tile_rows(const struct fs_kernel *k, const struct fs_step *s, struct fs_work *w) {
  double strips = w->spread.tasks / FS_MAX(1, w->spread.parts), rows = strips * (double)k->space.m;
  return 32 * rows * (fs_reduce_ops[s->op].words - 1) * fs_number(FS_PLAN_TILE_ROW);
}

static void count_step(const struct fs_kernel *k, int step, const struct fs_cpu_schedule *c,
                       const struct fs_device *d, double busy, struct fs_work *w) {
  const struct fs_step *s = &k->steps.data[step];
  const struct fs_value *out = s->out >= 0 ? &k->values.data[s->out] : NULL;
  int ph = phase_of(s);
  double done = times_done(k, c, step) * busy;
  if (!(done > 0)) return;
  if (s->access >= 0) count_access(k, s, c, busy, done, w);
  if (s->kind == FS_SP_REDUCE) {
    const struct fs_value *in = &k->values.data[s->in[0]];
    double n = fs_kernel_elements(k, in->varies) * busy;
    enum fs_arith a = fs_arith_of(in->dtype);
    fs_work_add(w, fs_term_reduce(s->op, s->over, s->in[1] >= 0, a), ph, n);
    if (!c && w->tiled && s->over == FS_VARIES_J && fs_reduce_ops[s->op].words > 1)
      fs_work_add(w, fs_term_map(FS_OP_MUL, FS_AR_F32), ph, tile_rows(k, s, w));
    if (fs_reduce_ops[s->op].also) fs_work_add(w, fs_term_map(fs_reduce_ops[s->op].also, a), ph, n);
  } else if (s->kind == FS_SP_MAP) {
    bool compares = out->dtype == FS_BOOL && s->in[0] >= 0;
    enum fs_arith a = fs_arith_of(compares ? k->values.data[s->in[0]].dtype : out->dtype);
    double n = fs_kernel_elements(k, out->varies) * done;
    if (s->user) fs_work_user(w, s->user, d, ph, n);
    else if (!c && divides_by_one(k, s))
      fs_work_add(w, fs_term_map(FS_OP_MUL, a), ph, fs_share(FS_PLAN_QUOTIENT_BY_ONE) * n);
    else fs_work_add(w, fs_term_map(s->op, a), ph, n);
  } else if (s->kind == FS_SP_RAND) {
    double n = fs_kernel_elements(k, out->varies) * done;
    if (c) count_random(k, s, n, w);
    else fs_work_add(w, FS_TM_RANDOM, ph, n);
  } else if (s->kind == FS_SP_IOTA) {
    fs_work_add(w, FS_TM_IOTA, ph, fs_kernel_elements(k, out->varies) * done);
  }
  if (steps_by_rows(k, s, c))
    fs_work_add(w, FS_TM_ROW_STEP, ph, row_steps(k, s, c) * busy);
}

/* Partial results: each part of the rows has one for each column, and on the CPU each part of
 * the columns one for each row. Gives the stalls of what rows leave in each column of tiles: a
 * block puts those of some rows together, TOGETHER at once. */
static double count_folds(const struct fs_kernel *k, const struct fs_cpu_schedule *c,
                          const struct fs_device *d, struct fs_work *w) {
  enum { TOGETHER = 128 };
  double m = (double)k->space.m, n = (double)k->space.n, parts = 0, each = 0, rows = 0;
  bool vector = false, scalar = false, columns = false;
  if (fs_scheme_of(k)->in_step) { /* its blocks are in step all the time */
    struct fs_march p;
    fs_march_of(k, d, &p);
    fs_work_set(w, FS_TM_FOLD, 0, 1);
    fs_work_set(w, FS_TM_MARCH, 0, (double)p.panels);
    return 0;
  }
  FS_EACH_STEP(k, s) {
    if (s->kind != FS_SP_REDUCE || k->values.data[s->out].ready != FS_END) continue;
    unsigned left = k->values.data[s->out].varies;
    vector |= left != 0;
    columns |= left & FS_VARIES_J;
    scalar |= left == 0;
    if (left & FS_VARIES_J) each += n;
    else if (left & FS_VARIES_I) parts += m * (c ? (double)c->column_chunks : 1), rows++;
  }
  double chunks = !columns ? 0 : c ? (double)c->row_chunks : w->spread.parts;
  parts += chunks * each;
  if (!c) fs_work_set(w, FS_TM_FOLD_DEPTH, 0, chunks);
  if (vector) fs_work_set(w, FS_TM_FOLD, 0, 1);
  else if (scalar) fs_work_set(w, FS_TM_FOLD_SCALAR, 0, 1);
  fs_work_set(w, FS_TM_FOLD_PART, FS_WORK_PHASES - 1, parts);
  double strips = w->tiled && !c ? w->spread.tasks / FS_MAX(1, w->spread.parts) : 0;
  return rows * floor(strips / TOGETHER) * fs_number(FS_PLAN_FOLD_STALLS);
}

/* Turns in which a block waits for results of a row and nothing else is under way on its
 * multiprocessor. Of k tasks under way there the others hide what one waits for, and that all of
 * them wait at once grows rarer as k does: 1/k of the turns, for 1/k of the time (both products of
 * 3000 x 3000: 15.2 us on an H200 with one row at a time and no ring, with two 11.2). */
static double stalled_turns(const struct fs_work *w, double turns) {
  const struct fs_spread *s = &w->spread;
  if (!(s->waits > 0) || !(s->under_way > 0)) return 0;
  double ahead = s->under_way * s->tasks / FS_MAX(w->bytes_read, 1);
  return turns / FS_MAX(1, ahead * ahead);
}

static void count_tuning(const struct fs_kernel *k, const struct fs_cpu_schedule *c,
                         const struct fs_device *d, struct fs_work *w) {
  struct fs_spread *s = &w->spread;
  double units = FS_MAX(d->units, 1), moved = w->bytes_read + w->bytes_written;
  fs_kernel_spread(k, d, s);
  double folds = count_folds(k, c, d, w);
  if (!(s->resident > 0)) return;
  double turns = s->tasks / s->resident, whole = ceil(turns);
  fs_work_set(w, FS_TM_TURN, 0, whole);
  fs_work_set(w, FS_TM_WAIT, 0, whole * s->waits);
  fs_work_set(w, FS_TM_STALL, 0, stalled_turns(w, whole) + folds);
  fs_work_set(w, FS_TM_TAIL, 0, moved * (whole / turns - 1));
  if (s->under_way > 0)
    fs_work_set(w, FS_TM_TRIP, 0, w->bytes_read / (units * s->under_way));
}

/* How a device without warps goes over it, in tasks; NULL: it is one of blocks. */
static struct fs_cpu_schedule *by_tasks(const struct fs_kernel *k, const struct fs_device *d,
                                        struct fs_cpu_schedule *room) {
  if (fs_device_has_warps(d)) return NULL;
  fs_schedule_cpu(k, d, room);
  return room;
}

void fs_kernel_count_tuning(const struct fs_kernel *k, const struct fs_device *d,
                            struct fs_work *w) {
  struct fs_cpu_schedule room, *c = by_tasks(k, d, &room);
  count_tuning(k, c, d, w);
  if (c) fs_cpu_schedule_free(c);
}

/* The axes that a reduction goes over; a sum of what rows gave is a sum of all, for it
 * has none of the work of column sums. */
static unsigned reduced_over(const struct fs_kernel *k, const struct fs_step *s) {
  bool of_rows = s->over == FS_VARIES_I && !(k->values.data[s->in[0]].varies & FS_VARIES_J);
  return of_rows ? FS_VARIES_I | FS_VARIES_J : s->over;
}

/* Phases that go through the columns; one that only stores a row's result does
 * not. *over: what is reduced, as bits. */
static int sweeps(const struct fs_kernel *k, unsigned *over) {
  unsigned seen = 0;
  FS_EACH_STEP(k, s) {
    if (s->phase < 32 && fs_step_passes_row(k, s)) seen |= 1u << s->phase;
    if (s->kind == FS_SP_REDUCE) *over |= 1u << reduced_over(k, s);
  }
  return __builtin_popcount(seen);
}

/* "map", "rows", "cols", "all": what is reduced; "+": several sweeps; "'": strided; "@": by
 * lists, and what that takes depends on what they say. */
static void name_pattern(const struct fs_kernel *k, unsigned over, int sweeps, struct fs_work *w) {
  char *at = w->pattern; /* room for all of them */
  at = stpcpy(at, !over ? "map" : over >> FS_VARIES_J & 1 ? "rows" : "");
  at = stpcpy(at, over >> FS_VARIES_I & 1 ? "cols" : over >> 3 & 1 ? "all" : "");
  at = stpcpy(at, sweeps > 1 ? "+" : "");
  at = stpcpy(at, w->bytes_strided > 0 ? "'" : "");
  bool listed = false;
  for (int x = 0; x < k->accesses.len; x++) listed |= k->accesses.data[x].list != 0;
  stpcpy(at, listed ? "@" : "");
}

static void count_moves(double busy, bool cuda, struct fs_work *w) {
  static const struct { enum fs_term read, write; } moves_of[FS_SCHEMES] = {
#define FS_SCHEME(id, name, traits, moves, ...) \
  [FS_##id] = {FS_TM_READ_##moves, FS_TM_WRITE_##moves},
#include "core/kernel/scheme.def"
  };
  double read = cuda && w->tiled ? w->bytes_asked : w->bytes_read;
  fs_work_add(w, moves_of[w->scheme].read, 0, read * busy);
  fs_work_add(w, w->past ? FS_TM_PAST : moves_of[w->scheme].write, 0, w->bytes_written * busy);
  fs_work_add(w, w->tiled ? FS_TM_STRIDED_TILE : FS_TM_STRIDED, 0, w->bytes_strided * busy);
  fs_work_add(w, FS_TM_AGAIN, 0, w->bytes_extra * busy);
  fs_work_add(w, FS_TM_NEIGHBOUR, 0, w->bytes_near * busy);
}

bool fs_kernel_wakes(struct fs_kernel *k, const struct fs_device *d) {
  if (k->scheme >= FS_LIBRARY) return false;
  struct fs_cpu_schedule room, *c = by_tasks(k, d, &room);
  if (!c) return false;
  double workers = cpu_workers(k, c, d);
  fs_cpu_schedule_free(c);
  if (workers <= 1) return false;
  fs_work_set(&k->work, FS_TM_THREADS, 0, 1);
  fs_work_set(&k->work, FS_TM_LATE, 0, 1 - 1 / workers);
  struct fs_work alone = k->work;
  k->alone = true;
  fs_kernel_count(k, d, &alone);
  struct fs_prediction pr = fs_predict(&k->work, d), by_one = fs_predict(&alone, d);
  k->alone = d->calibration->cost[FS_TM_THREADS] > 0 &&
             by_one.seconds < fs_share(FS_CPU_WORTH_CALLING) * pr.seconds;
  if (k->alone) {
    k->work = alone;
    pr = by_one;
  }
  k->first = k->predicted = pr.seconds;
  k->bound = pr.bound;
  return !k->alone;
}

bool fs_kernel_is_caller(const struct fs_kernel *k) {
  bool calls = false;
  for (int x = 0; x < k->work.n_amounts; x++)
    calls |= k->work.amounts[x].term == FS_TM_THREADS;
  return calls;
}

/* Whether rows of some matrix, as it is stored, begin off 16-byte boundaries. */
static bool is_uneven(const struct fs_kernel *k) {
  bool any = false;
  FS_EACH_AT(&k->accesses, a) {
    int64_t bytes = k->space.n % 16 * (int64_t)fs_dtype_size(a->dtype);
    any |= a->varies == (FS_VARIES_I | FS_VARIES_J) && bytes % 16 != 0;
  }
  return any && fs_kernel_has_rows(k);
}

static void count(const struct fs_kernel *k, const struct fs_cpu_schedule *c,
                  const struct fs_device *d, struct fs_work *w) {
  double busy = imbalance(k, w, c, d);
  unsigned over = 0;
  int n_sweeps = sweeps(k, &over);
  w->scheme = (uint8_t)walked_as(k, w, c);
  w->tiled = fs_schemes[w->scheme].ends_rows;
  w->past = c && c->past;
  if (c) w->parallel = (double)c->tasks;
  w->n_amounts = 0;
  fs_work_add(w, FS_TM_LAUNCH, 0, 1);
  if (fs_schemes[w->scheme].rows_wait) fs_work_add(w, FS_TM_ROW, 0, 1);
  if (w->tiled) fs_work_add(w, FS_TM_TILE, 0, 1);
  fs_work_add(w, FS_TM_SWEEP, 0, n_sweeps - 1);
  fs_work_add(w, FS_TM_ACCESS, 0, k->accesses.len);
  count_tuning(k, c, d, w);
  count_moves(busy, !c, w);
  if (!c && !fs_kernel_has_rows(k)) count_again(k, w);
  for (int i = 0; i < k->steps.len; i++)
    count_step(k, i, c, d, busy, w);
  name_pattern(k, over, n_sweeps, w);
  w->rows = (double)k->space.m;
  w->arith = (uint8_t)main_type(k);
  w->uneven = c ? is_copied(k) : is_uneven(k);
  /* neighbours lie off those boundaries in any rows */
  if (w->uneven && !w->shifted && fs_scheme_of(k)->rows)
    fs_work_set(w, FS_TM_APART, 0, w->bytes_read + w->bytes_written);
}

void fs_kernel_count(const struct fs_kernel *k, const struct fs_device *d, struct fs_work *w) {
  struct fs_cpu_schedule room, *c = by_tasks(k, d, &room);
  count(k, c, d, w);
  if (c) fs_cpu_schedule_free(c);
}
