/* calibration.c - predictions by measured costs. See calibration.h. */
#include "core/model/calibration.h"

#include <math.h>
#include <stdio.h>

#include "core/base/rules.h"

const double fs_knots[FS_KNOTS] = {
  16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 8 << 20, 16 << 20, 20 << 20,
  25 << 20, 32 << 20, 40 << 20, 50 << 20, 64 << 20, 80 << 20, 100 << 20, 128 << 20,
  160 << 20, 200 << 20, 256 << 20, 1 << 30};

/* -- moves and operations ---------------------------------------------------- */

struct fs_between fs_between_knots(double working_set) {
  if (working_set <= fs_knots[0]) return (struct fs_between){0, 0};
  for (int k = 1; k < FS_KNOTS; k++) {
    if (working_set > fs_knots[k]) continue;
    double low = fs_knots[k - 1];
    return (struct fs_between){k - 1, log(working_set / low) / log(fs_knots[k] / low)};
  }
  return (struct fs_between){FS_KNOTS - 1, 0};
}

static double cost_between(const double *curve, struct fs_between at) {
  double cost = curve[at.knot];
  return at.share > 0 ? cost + at.share * (curve[at.knot + 1] - cost) : cost;
}

double fs_move_cost(const double *curve, double working_set) {
  return cost_between(curve, fs_between_knots(working_set));
}

int fs_hiding_phase(const struct fs_work *w, int phase) {
  return w->spread.resident > 0 && phase < FS_WORK_PHASES - 1 ? 0 : phase;
}

/* The kernels of a block have few working sets: most have that of the last one. */
static struct fs_between known_knots(struct fs_kind_memo *memo, double working_set) {
  if (!memo) return fs_between_knots(working_set);
  if (memo->working_set != working_set) memo->at = fs_between_knots(working_set);
  memo->working_set = working_set;
  return memo->at;
}

struct fs_parts fs_predict_parts(struct fs_kind_memo *memo, const struct fs_work *w,
                                 const struct fs_calibration *c) {
  struct fs_parts p = {0};
  struct fs_between at = known_knots(memo, w->working_set);
  for (int k = 0; k < w->n_amounts; k++) {
    const struct fs_amount *a = &w->amounts[k];
    int phase = fs_hiding_phase(w, a->phase);
    double cost = c->cost[a->term];
    if (a->term < FS_TM_SWEEP) p.launch += a->amount * cost;
    else if (a->term == FS_TM_TRIP) p.trips += a->amount * cost;
    else if (a->term == FS_TM_LATE)
      p.late += a->amount * cost, p.theirs = a->amount;
    else if (a->term >= FS_TM_TURN && a->term <= FS_TM_MARCH)
      p.delay += a->amount * cost;
    else if (a->term < FS_TM_SYNC_END) p.sync += a->amount * cost;
    else if (a->term < FS_TM_MOVE_END)
      p.move[phase] += a->amount * cost_between(c->curve[a->term - FS_TM_SYNC_END], at);
    else p.compute[phase] += a->amount * cost;
  }
  return p;
}

/* -- library calls ------------------------------------------------------------- */

/* Beyond the largest call that was measured, as between it and the one before: 512 x 512 is so
 * little for a factorisation that eight times the flops take twice as long. Of 2048 x 2048 on an
 * H200, an inverse takes 7 ms, in proportion it would be 71, singular values 205 ms and 1.8 s. */
static double beyond_table(const struct fs_lib_table *t, double flops) {
  const struct fs_lib_point *b = &t->at[t->n - 1], *a = b - 1;
  double power = 1;
  if (t->n > 1 && a->flops < b->flops)
    power = log(b->seconds / a->seconds) / log(b->flops / a->flops);
  return b->seconds * pow(flops / b->flops, FS_MAX(FS_MIN(power, 1), 0));
}

/* Between two points by the logarithms of both, and never less than the smallest call took. */
static double table_seconds(const struct fs_lib_table *t, double flops) {
  if (flops <= t->at[0].flops) return t->at[0].seconds;
  for (int k = 1; k < t->n; k++) {
    const struct fs_lib_point *a = &t->at[k - 1], *b = &t->at[k];
    if (flops > b->flops) continue;
    double x = log(flops / a->flops) / log(b->flops / a->flops);
    return a->seconds * pow(b->seconds / a->seconds, x);
  }
  return beyond_table(t, flops);
}

/* No call does more flops a second than the largest product that was measured. */
static double product_seconds(const struct fs_calibration *c, unsigned arith, double flops) {
  const struct fs_lib_table *t = &c->library[FS_LIB_GEMM][arith];
  if (!t->n) t = &c->library[FS_LIB_GEMM][FS_AR_F32];
  return t->n ? t->at[t->n - 1].seconds * flops / t->at[t->n - 1].flops : 0;
}

static struct fs_prediction library_call(const struct fs_work *w, const struct fs_calibration *c) {
  /* Calls that are as far from a product's rate, for files that were measured before
   * there was the call. */
  static const enum fs_lib_op like[FS_LIB_OP_COUNT] = {
      [FS_LIB_SVD] = FS_LIB_SVDVALS, [FS_LIB_QR] = FS_LIB_SOLVE, [FS_LIB_SCHUR] = FS_LIB_EIGVECS,
      [FS_LIB_QR_R] = FS_LIB_SOLVE,  [FS_LIB_LU] = FS_LIB_SOLVE, [FS_LIB_SVD_BOTH] = FS_LIB_SVDVALS,
      [FS_LIB_EIG] = FS_LIB_EIGVECS, [FS_LIB_EIG_VALUES] = FS_LIB_EIGVALS};
  struct fs_prediction p = {0, "compute"};
  const struct fs_lib_table *t = &c->library[w->lib_op][w->arith];
  if (!t->n) t = &c->library[w->lib_op][FS_AR_F32];
  if (!t->n) t = &c->library[like[w->lib_op]][FS_AR_F32];
  if (!t->n) t = &c->library[FS_LIB_GEMM][FS_AR_F32];
  double calls = FS_MAX(w->calls, 1); /* many products take no longer than one as large */
  bool product = calls > 1 && w->lib_op == FS_LIB_GEMM;
  if (t->n && w->lib_op < FS_LIB_KERNEL && !fs_lib_is_fourier(w->lib_op) && !product)
    p.seconds = calls * table_seconds(t, w->flops / calls);
  p.seconds = FS_MAX(p.seconds, product_seconds(c, w->arith, w->flops));
  const double *reads = c->curve[FS_TM_READ_ROW - FS_TM_SYNC_END];
  const double *writes = c->curve[FS_TM_WRITE_ROW - FS_TM_SYNC_END];
  double move = w->bytes_read * fs_move_cost(reads, w->working_set) +
                w->bytes_written * fs_move_cost(writes, w->working_set);
  move = (w->pace > 0 ? w->pace : 1) * move + calls * c->cost[FS_TM_LAUNCH] + w->links;
  if (move > p.seconds) p = (struct fs_prediction){move, "memory"};
  return p;
}

/* -- kinds ------------------------------------------------------------------------ */

/* How far a point reaches in each dimension, in factors of two. What points say that are COARSE
 * times as far away counts where none are near, and in between; the costs themselves weigh as much
 * as PRIOR of a point. Of threads at work it is the blocks that count, those of a block being a
 * dimension of their own: what a block waits for others hide, its own threads wait with it (up to
 * 20 %). Working sets reach less than a factor of two, within which a GPU becomes half
 * as fast where its cache ends, and shares of what is written little, since what only reads keeps a
 * part of it in the cache. */
static const float REACH[FS_KIND_DIMS] = {0.35F, 1.0F, 0.3F, 0.35F, 0.7F, 0.6F, 0.15F};
enum { AT_WORK = 3, OF_A_BLOCK = 4 };
static const float COARSE = 3;
static const double PRIOR = 0.05;
static const float FARTHEST = 9; /* squared, of coarse ones: beyond weighs nothing */

static struct fs_kind_table *find_named(const struct fs_calibration *c, const char *name) {
  for (int k = 0; k < c->n_kinds; k++)
    if (!strcmp(c->kinds[k].name, name)) return (struct fs_kind_table *)&c->kinds[k];
  return NULL;
}

static const struct fs_kind_table *find_kind(const struct fs_calibration *c,
                                             const struct fs_kind *kind) {
  char name[FS_KIND_NAME];
  fs_kind_name(kind, name);
  return find_named(c, name);
}

/* That of the kind; else, of a GPU's stencils that compute much, that of those that compute
 * little: what they read again and again from the cache others that compute as much do not;
 * else of the same but for what sets it apart; else, on a GPU, of the same in f32: what a kind
 * waits for there is the same in all types. */
static const struct fs_kind_table *table_of(struct fs_kind kind, const struct fs_calibration *c) {
  const struct fs_kind_table *t = find_kind(c, &kind);
  bool layered = kind.apart == FS_APART_LAYERED;
  bool shifted = layered || (kind.apart == FS_APART_SHIFTED && !kind.tiled);
  struct fs_kind other = kind;
  other.load = FS_LOAD_LIGHT;
  if (!t && kind.blocks && shifted && kind.load == FS_LOAD_BUSY) t = find_kind(c, &other);
  other = kind, other.apart = FS_APART_SHIFTED;
  if (!t && layered) return table_of(other, c);
  other.apart = FS_APART_NOT;
  if (!t && (shifted || kind.apart == FS_APART_UNEVEN || kind.apart == FS_APART_PAST))
    t = find_kind(c, &other);
  if (t || kind.arith == FS_AR_F32 || !kind.blocks) return t;
  kind.arith = FS_AR_F32;
  return table_of(kind, c);
}

static uint64_t mixed(uint64_t h, uint64_t word) {
  h = (h ^ word) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

static int number_of(const struct fs_calibration *c, const struct fs_kind_table *t) {
  return t ? (int)(t - c->kinds) + 1 : 0;
}

static struct fs_known_kind known_kind(struct fs_kind_memo *memo, const struct fs_kind *kind,
                                       const struct fs_calibration *c) {
  uint64_t words[3] = {0}, h = 0;
  memcpy(words, kind, sizeof *kind);
  for (size_t x = 0; x < FS_LEN(words); x++) h = mixed(h, words[x]);
  struct fs_known_kind *k = &memo->kinds[h % FS_LEN(memo->kinds)];
  if (!k->used || memcmp(&k->kind, kind, sizeof *kind))
    *k = (struct fs_known_kind){.kind = *kind, .used = true,
                                .exact = number_of(c, find_kind(c, kind)),
                                .table = number_of(c, table_of(*kind, c))};
  return *k;
}

/* Bytes in use from which on no cache keeps any: what a kernel makes of them is the same
 * whatever their number. */
static const double STREAMS = 512 << 20;

static struct fs_kind_point point_of(const struct fs_work *w, struct fs_kind_memo *memo) {
  const struct fs_spread *s = &w->spread;
  const double at[FS_KIND_DIMS] = {
      FS_MIN(w->working_set, STREAMS), w->rows, s->under_way, s->resident * s->threads, s->threads,
      1 + s->tasks / FS_MAX(1, s->resident),
      1 + w->bytes_written / FS_MAX(1, w->bytes_read)};
  struct fs_kind_point p = {.log_ratio = 0};
  for (int d = 0; d < FS_KIND_DIMS; d++) {
    float of = FS_MAX((float)at[d], 1);
    struct fs_known_log fresh = {0}, *known = memo ? &memo->logs[d] : &fresh;
    if (known->of != of)
      *known = (struct fs_known_log){of, roundf(100 * log2f(of)) / 100}; /* as stored */
    p.at[d] = known->log;
  }
  return p;
}

/* In reaches, squared, of so many dimensions beyond what it is in those before `from`; more than
 * FARTHEST is not told apart. apart: what threads of a block wait for together others hide, so that
 * blocks count; of a flat kernel it is threads, of which none waits for another. */
static float distance_of(const struct fs_kind_point *p, const struct fs_kind_point *q,
                         bool apart, int from, int to, float distance) {
  for (int d = from; d < to && distance <= FARTHEST; d++) {
    float x = p->at[d] - q->at[d];
    if (d == AT_WORK && apart) x -= p->at[OF_A_BLOCK] - q->at[OF_A_BLOCK];
    x /= REACH[d] * COARSE;
    distance += x * x;
  }
  return distance;
}

/* The dimensions, working set and rows, in which hardly any two kernels of a block differ. */
enum { SHARED_DIMS = 2 };

/* The points of a table, in order, that are near in these dimensions; kept in the memo, as
 * planning prices thousands of kernels. NULL: there is no room for them. */
static const struct fs_near *near_points(struct fs_kind_memo *memo,
                                         const struct fs_calibration *c,
                                         const struct fs_kind_table *t,
                                         const struct fs_kind_point *here) {
  _Static_assert(sizeof memo->near[0].at == sizeof here->at[0] * SHARED_DIMS, "of these");
  int table = number_of(c, t);
  uint64_t word;
  memcpy(&word, here->at, sizeof word);
  struct fs_near *near = &memo->near[mixed((uint64_t)table, word) % FS_LEN(memo->near)];
  if (t->n > (int)FS_LEN(near->points)) return NULL;
  if (near->table == table && !memcmp(near->at, here->at, sizeof near->at)) return near;
  near->table = table;
  near->n = 0;
  memcpy(near->at, here->at, sizeof near->at);
  for (int k = t->first; k < t->first + t->n; k++) {
    float distance = distance_of(&c->points[k], here, false, 0, SHARED_DIMS, 0);
    near->points[near->n].point = k;
    near->points[near->n].distance = distance;
    near->n += distance <= FARTHEST;
  }
  return near;
}

/* What the points of a table say of a kernel there. */
static double factor_at(const struct fs_calibration *c, const struct fs_kind_table *t,
                        bool flat, const struct fs_kind_point *here, struct fs_kind_memo *memo) {
  const struct fs_near *some = memo ? near_points(memo, c, t, here) : NULL;
  double sum = 0, weight = 0, far_sum = 0, far_weight = PRIOR;
  for (int k = 0; k < (some ? some->n : t->n); k++) {
    const struct fs_kind_point *p = &c->points[some ? some->points[k].point : t->first + k];
    float distance = distance_of(p, here, !flat, some ? SHARED_DIMS : 0, FS_KIND_DIMS,
                                 some ? some->points[k].distance : 0);
    if (distance > FARTHEST) continue;
    double far = (double)expf(-0.5F * distance);
    far_sum += far * (double)p->log_ratio;
    far_weight += far;
    if (distance > 3) continue;
    double near = (double)expf(-0.5F * distance * COARSE * COARSE);
    sum += near * (double)p->log_ratio;
    weight += near;
  }
  return exp((sum + PRIOR * far_sum / far_weight) / (weight + PRIOR));
}

static double known_factor(struct fs_kind_memo *memo, const struct fs_calibration *c,
                           const struct fs_kind_table *t, bool flat,
                           const struct fs_kind_point *here) {
  _Static_assert(sizeof memo->factors[0].at == sizeof here->at, "of as many dimensions");
  int table = number_of(c, t);
  uint64_t words[4] = {0}, h = (uint64_t)table;
  memcpy(words, here->at, sizeof here->at);
  for (size_t x = 0; x < FS_LEN(words); x++) h = mixed(h, words[x]);
  struct fs_known_factor *k = &memo->factors[h % FS_LEN(memo->factors)];
  if (k->table != table || memcmp(k->at, here->at, sizeof here->at)) {
    *k = (struct fs_known_factor){.table = table, .factor = factor_at(c, t, flat, here, memo)};
    memcpy(k->at, here->at, sizeof here->at);
  }
  return k->factor;
}

static double kind_factor(const struct fs_work *w, const struct fs_calibration *c,
                          struct fs_kind_memo *memo) {
  if (!c->n_kinds) return 1;
  struct fs_kind kind = fs_kind_of(w);
  int known = memo ? known_kind(memo, &kind, c).table : number_of(c, table_of(kind, c));
  const struct fs_kind_table *t = known ? &c->kinds[known - 1] : NULL;
  if (!t && w->tiled && (w->shifted || strncmp(w->pattern, "map", 3)))
    return fs_share(FS_MODEL_UNSEEN_TILE);
  if (!t && !w->tiled && w->bytes_strided > 0) return fs_share(FS_MODEL_UNSEEN_STRIDED);
  if (!t) return 1;
  struct fs_kind_point here = point_of(w, memo);
  bool flat = !kind.scheme;
  return memo ? known_factor(memo, c, t, flat, &here) : factor_at(c, t, flat, &here, NULL);
}

bool fs_calibration_note(struct fs_calibration *c, const struct fs_work *w, double log_ratio) {
  char name[FS_KIND_NAME];
  if (c->n_points == FS_KIND_POINTS || !(fabs(log_ratio) <= (double)FS_MOST_LOG_RATIO))
    return false;
  struct fs_kind kind = fs_kind_of(w);
  fs_kind_name(&kind, name);
  struct fs_kind_table *t = find_named(c, name);
  if (!t) {
    if (c->n_kinds == FS_KINDS) return false;
    t = &c->kinds[c->n_kinds++];
    memcpy(t->name, name, sizeof name);
    t->first = c->n_points;
    t->n = 0;
  }
  int at = t->first + t->n;
  memmove(c->points + at + 1, c->points + at, sizeof *c->points * (size_t)(c->n_points - at));
  c->points[at] = point_of(w, NULL);
  c->points[at].log_ratio = (float)log_ratio;
  t->n++;
  c->n_points++;
  for (struct fs_kind_table *next = t + 1; next < c->kinds + c->n_kinds; next++)
    next->first++;
  return true;
}

/* -- both ------------------------------------------------------------------------ */

/* What trips cost beyond the moves that they make: sqrt(m^2 + t^2) - m. */
static double fs_rest_of_trips(double moved, double trips) {
  return trips > 0 ? hypot(moved, trips) - moved : 0;
}

/* With w threads a body of b seconds takes w*b alone. If the others come L seconds
 * late, all is done after b + L*(1 - 1/w), or after w*b if they come too late. */
static double fs_alone(double body, double late, double theirs) {
  return theirs > 0 ? FS_MIN(late, body * theirs / FS_MAX(1 - theirs, 1e-6)) : 0;
}

double fs_hidden_behind(double moves, double computes, double overlap) {
  double more = FS_MAX(moves, computes), less = FS_MIN(moves, computes);
  if (!(less > 0) || overlap >= 1) return more;
  double p = 1 / (1 - overlap);
  return more * pow(1 + pow(less / more, p), 1 / p);
}

double fs_exposed(const struct fs_work *w) {
  const struct fs_spread *s = &w->spread;
  return s->resident > 0 ? 1 / FS_MAX(1, ceil(s->tasks / s->resident)) : 0;
}

static struct fs_prediction calibrated(const struct fs_work *w, const struct fs_calibration *c,
                                       struct fs_kind_memo *memo) {
  if (w->library) return library_call(w, c);
  struct fs_parts p = fs_predict_parts(memo, w, c);
  double body = p.delay, moves = p.delay, computes = 0, moved = 0, bare = fs_exposed(w);
  for (int k = 0; k < FS_WORK_PHASES; k++) {
    double m = p.move[k], o = p.compute[k];
    body += bare < 1 ? bare * (m + o) + (1 - bare) * fs_hidden_behind(m, o, c->overlap) : m + o;
    moved += m;
    computes += o;
  }
  /* Memory is kept busy by what is under way, or waits for it: seldom both. */
  body += fs_rest_of_trips(moved, p.trips);
  body += fs_alone(body, p.late, p.theirs);
  moves += moved;
  double factor = kind_factor(w, c, memo);
  struct fs_prediction out = {(p.launch + p.sync + body) * factor, "launch"};
  if (body >= p.launch + p.sync) out.bound = moves >= computes ? "memory" : "compute";
  else if (p.sync > p.launch) out.bound = "synchronisation";
  return out;
}

struct fs_prediction fs_calibrated(const struct fs_work *w, const struct fs_calibration *c) {
  return calibrated(w, c, NULL);
}

struct fs_prediction fs_predict_by(struct fs_kind_memo *memo, const struct fs_work *w,
                                   const struct fs_device *d) {
  struct fs_prediction p = calibrated(w, d->calibration, memo);
  p.seconds = FS_MAX(p.seconds - fs_predict_start(d), 0.1 * p.seconds);
  return p;
}

struct fs_prediction fs_predict(const struct fs_work *w, const struct fs_device *d) {
  return fs_predict_by(NULL, w, d);
}

bool fs_predict_knows_by(struct fs_kind_memo *memo, const struct fs_work *w,
                         const struct fs_device *d) {
  enum { SETTINGS_ENOUGH = 8 };
  const struct fs_calibration *c = d->calibration;
  if (!c->fits) return false;
  struct fs_kind kind = fs_kind_of(w);
  int exact = known_kind(memo, &kind, c).exact;
  return exact && c->kinds[exact - 1].n >= SETTINGS_ENOUGH;
}

/* Between phases of one launch, without a fold, where it was not measured. On an H200
 * 0.7 us (atomics of 264 blocks on one word, seen by all), where a launch takes 2.9. */
static const double PHASE_BARRIER_LAUNCHES = 0.25;

double fs_predict_start(const struct fs_device *d) {
  const struct fs_calibration *c = d->calibration;
  return c->follow > 0 ? FS_MAX(c->cost[FS_TM_LAUNCH] - c->follow, 0) : 0;
}

double fs_predict_launch(const struct fs_device *d) {
  return d->calibration->cost[FS_TM_LAUNCH] - fs_predict_start(d);
}

double fs_predict_barrier(const struct fs_device *d) {
  if (d->calibration->barrier > 0) return d->calibration->barrier;
  return PHASE_BARRIER_LAUNCHES * fs_predict_launch(d);
}

/* -- limits ------------------------------------------------------------------------ */

/* The least that was measured of terms `from` and the two schemes behind it, a byte. */
static double least_cost(const struct fs_calibration *c, enum fs_term from, double working_set) {
  double least = 0;
  for (int scheme = 0; scheme < 3; scheme++) {
    int term = (int)from + scheme * (FS_TM_READ_ROW - FS_TM_READ_FLAT);
    double cost = fs_move_cost(c->curve[term - FS_TM_SYNC_END], working_set);
    if (cost > 0 && (!(least > 0) || cost < least)) least = cost;
  }
  return least;
}

/* A GPU's memory has a peak that is known; a CPU's rate, and that of caches, is as measured. */
static double memory_limit(const struct fs_work *w, const struct fs_device *d) {
  const struct fs_calibration *c = d->calibration;
  if (fs_device_class(d)->one_rate && fs_exceeds_cache(d, w->working_set))
    return d->peak_bandwidth > 0 ? (w->bytes_read + w->bytes_written) / d->peak_bandwidth : 0;
  double write = w->past ? fs_move_cost(c->curve[FS_TM_PAST - FS_TM_SYNC_END], w->working_set)
                         : least_cost(c, FS_TM_WRITE_FLAT, w->working_set);
  return w->bytes_read * least_cost(c, FS_TM_READ_FLAT, w->working_set) + w->bytes_written * write;
}

double fs_predict_limit(const struct fs_work *w, const char *bound, const struct fs_device *d) {
  if (bound && !strcmp(bound, "memory")) return memory_limit(w, d);
  if (!bound || strcmp(bound, "compute")) return 0;
  if (w->library) return FS_MAX(d->flops > 0 ? w->flops / d->flops : 0, memory_limit(w, d));
  struct fs_parts p = fs_predict_parts(NULL, w, d->calibration);
  double seconds = 0;
  for (int k = 0; k < FS_WORK_PHASES; k++) seconds += p.compute[k];
  return seconds;
}

double fs_model_grain(const struct fs_device *d) { return fs_device_class(d)->grain; }

const char *fs_model_quality(const struct fs_device *d) {
  return d->calibration->quality;
}

/* -- functions of the user ------------------------------------------------------- */

static double with_calls(const struct fs_work *work, double each, const struct fs_device *device) {
  struct fs_work w = *work;
  for (int k = 0; k < w.n_amounts; k++)
    if (w.amounts[k].term == FS_TM_USER) w.amounts[k].amount *= each;
  return fs_predict(&w, device).seconds + fs_predict_start(device);
}

/* By bisection: calls may hide behind the moves, as far as computing does. */
double fs_calibrate_call(const struct fs_work *work, double seconds,
                         const struct fs_device *device) {
  enum { STEPS = 60 };
  double calls = 0;
  for (int k = 0; k < work->n_amounts; k++)
    if (work->amounts[k].term == FS_TM_USER) calls += work->amounts[k].amount;
  if (!(calls > 0) || !(seconds > 0) || !isfinite(seconds)) return 0;
  double low = 0, high = 4 * seconds / calls; /* kinds differ by less */
  if (with_calls(work, 0, device) >= seconds) return 0;
  if (with_calls(work, high, device) < seconds) return 0; /* no calibration */
  for (int k = 0; k < STEPS; k++) {
    double middle = (low + high) / 2;
    if (with_calls(work, middle, device) < seconds) low = middle;
    else high = middle;
  }
  return high;
}

double fs_calibrate_delay(const struct fs_work *work, double seconds, double each,
                          const struct fs_device *device) {
  return FS_MAX(seconds - with_calls(work, each, device), 0);
}

static const struct fs_call_cost *call_of(const struct fs_device *device, uint64_t hash) {
  const struct fs_calibration *c = device->calibration;
  for (int k = 0; c && k < c->n_calls; k++)
    if (c->call[k].hash == hash) return &c->call[k];
  return NULL;
}

double fs_call_seconds(const struct fs_device *device, uint64_t hash) {
  const struct fs_call_cost *cost = call_of(device, hash);
  return cost ? cost->seconds : -1;
}

double fs_call_delay(const struct fs_device *device, uint64_t hash) {
  const struct fs_call_cost *cost = call_of(device, hash);
  return cost ? cost->delay : 0;
}

void fs_call_keep(struct fs_calibration *c, uint64_t hash, double seconds, double delay) {
  int to = 0;
  for (int k = 0; k < c->n_calls; k++)
    if (c->call[k].hash != hash) c->call[to++] = c->call[k];
  c->n_calls = to;
  if (!(seconds >= 0)) return;
  if (to == FS_CALLS) {
    c->n_calls--;
    memmove(c->call, c->call + 1, sizeof c->call[0] * (FS_CALLS - 1));
  }
  c->call[c->n_calls++] = (struct fs_call_cost){hash, seconds, delay};
}
