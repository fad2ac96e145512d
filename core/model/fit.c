/* fit.c - costs of terms from measured kernels.
 *
 * A sample says: amounts . costs = seconds. Divided by its seconds, every sample
 * asks for 1, so that errors are relative. Which of moves and computing hides
 * behind the other depends on the costs, so the problem is solved a few times,
 * each time with what the last solution says; the overlap is the one that fits
 * best. */
#include "core/model/calibration.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum {
  COLUMNS = FS_TM_COUNT + FS_MOVES * FS_KNOTS,
  ROUNDS = 5, SWEEPS = 400, LEAST_SAMPLES = 8
};

/* How strongly, beside one sample, a cost is held to its estimate, and a knot to
 * its neighbour: what no sample shows gets its value from there. */
static const double HOLD = 1e-4, SMOOTH = 0.3;
/* ... where the working set fits into a GPU's cache for certain, or is far larger. */
static const double SMOOTH_APART = 3;
/* A row or tile kernel moves a byte at no less than this share of what a flat one
 * takes; what it takes beyond that is its own cost. */
static const double ROW_BASE = 0.94, TILE_BASE = 1.05;
/* What a row or tile kernel is thought to take beyond a flat one where nothing was
 * measured: so much that a plan does not bet on it. */
static const double UNSEEN = 0.3;
/* A byte that is reached against the grain costs so many more, at least: as without
 * a calibration (calibration.c). Plans that own columns row by row look good else, and
 * take many times what they should. */
static const double STRIDED_LEAST = 3;
/* A byte costs at least this share of what a fast cache would take. */
static const double LEAST = 0.3;
/* A GPU adds, multiplies, compares and sums at no more than these times what its
 * peak rate says: most kernels wait for memory and show little of it, and what they
 * have beyond all costs must not become the price of an operation. */
static const double PLAIN_MOST = 5, REDUCE_MOST = 4;
/* How strongly, beside one sample, such an operation is held to an addition. */
static const double PLAIN_TIE = 1;
/* With a mean error above this the most that plain operations may cost was wrong. */
static const double NO_FIT = 0.25;
/* Seconds: no thread takes longer to wake up. The fit begins here, where only samples
 * count that are longer still: whether others had come is known of those alone. */
static const double LATEST = 1e-4;
/* Relative errors above this weigh less. */
static const double OUTLIER = 0.08;

struct entry {
  int row, column;
  double value;
};

struct problem {
  const struct fs_sample *samples;
  int n;
  const struct fs_device *device;
  FS_VEC(struct entry) entries;  /* sorted by column when they are used */
  FS_VEC(double) target;         /* per row */
  double *weight;                /* per sample */
  double guess[COLUMNS];         /* from the attributes; 0: none */
  double least[COLUMNS];         /* no cost is below it */
  double most[COLUMNS];          /* ... or above it; 0: any */
  double x[COLUMNS];
  int start[COLUMNS + 1];
};

static int knot_column(int move, int knot) {
  return FS_TM_COUNT + move * FS_KNOTS + knot;
}

/* The move that this one is based on: the same direction of a flat kernel, than
 * which no kernel moves bytes faster by much. */
static int base_of(int move) {
  switch (move + FS_TM_SYNC_END) {
    case FS_TM_READ_ROW:
    case FS_TM_READ_TILE: return FS_TM_READ_FLAT - FS_TM_SYNC_END;
    case FS_TM_WRITE_ROW:
    case FS_TM_WRITE_TILE: return FS_TM_WRITE_FLAT - FS_TM_SYNC_END;
    default: return -1;
  }
}

/* -- first guesses ------------------------------------------------------------- */

static double arith_factor(const struct fs_device *d, unsigned arith) {
  if (arith == FS_AR_F64) return 2;
  return arith == FS_AR_HALF ? fs_device_class(d)->halves : 1;
}

static double base_share(int move) {
  int t = move + FS_TM_SYNC_END;
  return t == FS_TM_READ_TILE || t == FS_TM_WRITE_TILE ? TILE_BASE : ROW_BASE;
}

static bool has_term(const struct problem *p, unsigned term) {
  for (int k = 0; k < p->n; k++)
    for (int a = 0; a < p->samples[k].work.n_amounts; a++)
      if (p->samples[k].work.amounts[a].term == term) return true;
  return false;
}

static void guess(struct problem *p) {
  const struct fs_device *d = p->device;
  bool one_rate = fs_device_class(d)->one_rate;
  double operation = 1 / FS_MAX(d->flops, 1e6);
  for (unsigned t = FS_TM_MOVE_END; t < FS_TM_COUNT; t++) {
    double cost = operation;
    unsigned arith = (t - FS_TM_MAP) % FS_AR_COUNT;
    if (t >= FS_TM_MAP && t < FS_TM_REDUCE) {
      unsigned op = (t - FS_TM_MAP) / FS_AR_COUNT;
      bool special = fs_map_ops[op].code > 1;
      cost *= (special ? 8 : 1) * arith_factor(d, arith);
      if (one_rate && !special && fs_map_ops[op].types != 'B')
        p->most[t] = PLAIN_MOST * cost;
    } else if (t >= FS_TM_REDUCE) {
      cost *= 2 * arith_factor(d, arith);
      if (one_rate) p->most[t] = REDUCE_MOST * cost;
    }
    p->guess[t] = cost;
  }
  p->guess[FS_TM_USER] = 1;
  p->guess[FS_TM_NEIGHBOUR] = 1 / FS_MAX(d->cache_bandwidth, 1e6);
  p->guess[FS_TM_LAUNCH] = d->launch;
  for (unsigned t = FS_TM_LAUNCH + 1; t < FS_TM_SYNC_END; t++)
    p->guess[t] = (t < FS_TM_TURN ? 0.2 : t == FS_TM_TRIP ? 0.1 : 0.02) * d->launch;
  p->guess[FS_TM_LATE] = has_term(p, FS_TM_LATE) ? LATEST : 0;
  p->least[FS_TM_TRIP] = 0.5 * p->guess[FS_TM_TRIP];
  for (int m = 0; m < FS_MOVES; m++)
    for (int k = 0; k < FS_KNOTS; k++) {
      bool cached = fs_knots[k] < 0.5 * (double)d->cache_bytes;
      int c = knot_column(m, k);
      p->guess[c] = 1 / FS_MAX(cached ? d->cache_bandwidth : d->bandwidth, 1e6);
      /* Else a plan could look free where nothing was measured. */
      p->least[c] = LEAST / FS_MAX(d->cache_bandwidth, 1e6);
      if (m + FS_TM_SYNC_END == FS_TM_STRIDED) {
        p->least[c] = STRIDED_LEAST * p->guess[c];
        p->guess[c] *= 2 * STRIDED_LEAST;
      }
      if (base_of(m) < 0) continue;
      p->guess[c] *= UNSEEN;
      p->least[c] = 0;
    }
}

/* -- rows ------------------------------------------------------------------------ */

static void put(struct problem *p, int row, int column, double value) {
  if (value != 0)
    *FS_PUSH(&p->entries) = (struct entry){row, column, value};
}

/* A move's amount is shared by the two knots beside the working set. */
static void put_move(struct problem *p, int row, int move, double amount, double working_set) {
  if (base_of(move) >= 0)
    put_move(p, row, base_of(move), base_share(move) * amount, working_set);
  struct fs_between at = fs_between_knots(working_set);
  put(p, row, knot_column(move, at.knot), amount * (1 - at.share));
  put(p, row, knot_column(move, at.knot + 1), amount * at.share);
}

static void costs_of(const struct problem *p, double overlap, struct fs_calibration *c) {
  c->overlap = overlap;
  memcpy(c->cost, p->x, sizeof c->cost);
  for (int m = 0; m < FS_MOVES; m++)
    for (int k = 0; k < FS_KNOTS; k++)
      c->curve[m][k] =
          p->x[knot_column(m, k)] +
          (base_of(m) < 0 ? 0 : base_share(m) * p->x[knot_column(base_of(m), k)]);
}

/* How much of its work a thread is alone with that nobody helped in the end: 1 where
 * others come in time, else their number, too (calibration.c). */
static double alone_with(const struct fs_parts *parts, double overlap) {
  double body = 0, helped = 1 - parts->theirs;
  for (int ph = 0; ph < FS_WORK_PHASES; ph++)
    body += fs_hidden_behind(parts->move[ph], parts->compute[ph], overlap);
  return parts->late * helped > body * parts->theirs ? 1 / helped : 1;
}

/* How much of moving, or of computing, is in what both take: of (m^p + c^p)^(1/p), so
 * that the parts are the whole. At least some, or it would never grow. */
static double seen_of(double part, double other, double overlap) {
  static const double LEAST_SEEN = 0.02;
  if (overlap <= 0 || !(other > 0)) return 1;
  if (overlap >= 1) return part > other ? 1 : LEAST_SEEN;
  double p = 1 / (1 - overlap), both = fs_hidden_behind(part, other, overlap);
  return FS_MAX(pow(part / both, p - 1), LEAST_SEEN);
}

static void sample_row(struct problem *p, int row, const struct fs_calibration *c) {
  const struct fs_work *w = &p->samples[row].work;
  double scale = p->weight[row] / p->samples[row].seconds;
  struct fs_parts parts = fs_predict_parts(NULL, w, c);
  double moved = 0;
  for (int ph = 0; ph < FS_WORK_PHASES; ph++) moved += parts.move[ph];
  /* Of hypot(moved, trips) - moved; at least some, or it would never grow. */
  double trips = parts.trips, trip_share = trips > 0 ? (hypot(moved, trips) - moved) / trips : 0;
  trip_share = FS_MAX(trip_share, 0.05);
  double alone = alone_with(&parts, c->overlap), bare = fs_exposed(w);
  for (int k = 0; k < w->n_amounts; k++) {
    const struct fs_amount *a = &w->amounts[k];
    bool sync = a->term < FS_TM_SYNC_END, is_move = a->term < FS_TM_MOVE_END;
    int ph = fs_hiding_phase(w, a->phase);
    double mine = is_move ? parts.move[ph] : parts.compute[ph];
    double other = is_move ? parts.compute[ph] : parts.move[ph];
    double seen = sync ? 1 : bare + (1 - bare) * seen_of(mine, other, c->overlap);
    if (a->term == FS_TM_TRIP) seen = trip_share;
    else if (a->term == FS_TM_LATE) seen = alone > 1 ? 0 : 1;
    else if (!sync) seen *= alone;
    if (sync || !is_move)
      put(p, row, a->term, a->amount * scale * seen);
    else
      put_move(p, row, a->term - FS_TM_SYNC_END, a->amount * scale * seen, w->working_set);
  }
  *FS_PUSH(&p->target) = p->weight[row];
}

/* Two costs should not differ by much. */
static void add_tie(struct problem *p, int one, int other, double strength) {
  double scale = strength / FS_MAX(p->guess[one], FS_MAX(p->x[one], p->x[other]));
  put(p, p->target.len, one, scale);
  put(p, p->target.len, other, -scale);
  *FS_PUSH(&p->target) = 0;
}

/* That of knot k and the next: the further apart, the less. */
static double tie_strength(const struct problem *p, int k) {
  double cache = (double)p->device->cache_bytes;
  bool edge = fs_knots[k + 1] > 0.6 * cache && fs_knots[k] < 2 * cache;
  double strength = fs_device_class(p->device)->one_rate && !edge ? SMOOTH_APART : SMOOTH;
  return strength / sqrt(log2(fs_knots[k + 1] / fs_knots[k]));
}

/* A GPU has one rate for them all, or nearly: what tells one of them from another in
 * kernels that wait for memory is no cost of it. */
static void tie_plain(struct problem *p) {
  static const unsigned plain[] = {FS_OP_SUB, FS_OP_MUL, FS_OP_FMA, FS_OP_MIN, FS_OP_MAX,
                                   FS_OP_NEG, FS_OP_ABS};
  for (unsigned a = 0; a < FS_AR_COUNT; a++)
    for (size_t k = 0; k < FS_LEN(plain); k++)
      add_tie(p, (int)fs_term_map(FS_OP_ADD, (enum fs_arith)a),
              (int)fs_term_map(plain[k], (enum fs_arith)a), PLAIN_TIE);
}

static void add_holds(struct problem *p) {
  if (fs_device_class(p->device)->one_rate) tie_plain(p);
  for (int c = 0; c < COLUMNS; c++) {
    if (!(p->guess[c] > 0)) continue;
    put(p, p->target.len, c, HOLD / p->guess[c]);
    *FS_PUSH(&p->target) = HOLD;
  }
  for (int m = 0; m < FS_MOVES; m++)
    for (int k = 0; k + 1 < FS_KNOTS; k++)
      add_tie(p, knot_column(m, k), knot_column(m, k + 1), tie_strength(p, k));
}

/* -- solving ----------------------------------------------------------------------- */

static int by_column(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  return x->column != y->column ? (x->column < y->column ? -1 : 1)
                                : (x->row > y->row) - (x->row < y->row);
}

static void index_columns(struct problem *p) {
  qsort(p->entries.data, (size_t)p->entries.len, sizeof *p->entries.data, by_column);
  int e = 0;
  for (int c = 0; c <= COLUMNS; c++) {
    while (e < p->entries.len && p->entries.data[e].column < c) e++;
    p->start[c] = e;
  }
}

/* Each cost in turn takes the best value that is not negative. */
static void descend(struct problem *p) {
  double *left = fs_malloc(sizeof *left * (size_t)FS_MAX(1, p->target.len));
  memcpy(left, p->target.data, sizeof *left * (size_t)p->target.len);
  for (int e = 0; e < p->entries.len; e++)
    left[p->entries.data[e].row] -= p->entries.data[e].value * p->x[p->entries.data[e].column];
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    for (int c = 0; c < COLUMNS; c++) {
      double square = 0, slope = 0;
      for (int e = p->start[c]; e < p->start[c + 1]; e++) {
        const struct entry *t = &p->entries.data[e];
        square += t->value * t->value;
        slope += t->value * left[t->row];
      }
      if (!(square > 0)) continue;
      double step = FS_MAX(slope / square, p->least[c] - p->x[c]);
      if (p->most[c] > 0) step = FS_MIN(step, p->most[c] - p->x[c]);
      p->x[c] += step;
      for (int e = p->start[c]; e < p->start[c + 1]; e++)
        left[p->entries.data[e].row] -= p->entries.data[e].value * step;
    }
  }
  free(left);
}

static double relative_error(const struct fs_sample *s, const struct fs_calibration *c) {
  return fs_calibrated(&s->work, c).seconds / s->seconds - 1;
}

/* The median of the errors' sizes. */
static double typical_error(const struct problem *p, const struct fs_calibration *c) {
  double *e = fs_malloc(sizeof *e * (size_t)p->n);
  for (int k = 0; k < p->n; k++) e[k] = fabs(relative_error(&p->samples[k], c));
  fs_sort_numbers(e, p->n);
  double median = e[p->n / 2];
  free(e);
  return median;
}

static double mean_error(const struct problem *p, const struct fs_calibration *c) {
  double sum = 0;
  for (int k = 0; k < p->n; k++)
    sum += FS_MIN(fabs(relative_error(&p->samples[k], c)), 0.5);
  return sum / p->n;
}

static void solve(struct problem *p, double overlap, struct fs_calibration *c) {
  memcpy(p->x, p->guess, sizeof p->x);
  for (int k = 0; k < p->n; k++) p->weight[k] = 1;
  for (int round = 0; round < ROUNDS; round++) {
    costs_of(p, overlap, c);
    p->entries.len = p->target.len = 0;
    for (int k = 0; k < p->n; k++) sample_row(p, k, c);
    add_holds(p);
    index_columns(p);
    descend(p);
    costs_of(p, overlap, c);
    for (int k = 0; k < p->n; k++) {
      double e = fabs(relative_error(&p->samples[k], c));
      p->weight[k] = e > OUTLIER ? sqrt(OUTLIER / e) : 1;
    }
  }
}

/* -- library calls ------------------------------------------------------------------- */

static void add_point(struct fs_lib_table *t, double flops, double seconds) {
  int at = t->n;
  if (t->n == FS_LIB_POINTS) return;
  while (at > 0 && t->at[at - 1].flops > flops) at--;
  if (at > 0 && t->at[at - 1].flops == flops) return;
  memmove(t->at + at + 1, t->at + at, sizeof *t->at * (size_t)(t->n - at));
  t->at[at] = (struct fs_lib_point){flops, seconds};
  t->n++;
}

/* More work never takes less time. */
static void make_monotone(struct fs_lib_table *t) {
  for (int k = t->n - 2; k >= 0; k--)
    t->at[k].seconds = FS_MIN(t->at[k].seconds, t->at[k + 1].seconds);
}

static void fit_library(const struct fs_sample *samples, int n, struct fs_calibration *c) {
  for (int k = 0; k < n; k++) {
    const struct fs_work *w = &samples[k].work;
    if (w->library && w->flops > 0)
      add_point(&c->library[w->lib_op][w->arith], w->flops, samples[k].seconds);
  }
  for (int op = 0; op < FS_LIB_OP_COUNT; op++)
    for (int a = 0; a < FS_AR_COUNT; a++) make_monotone(&c->library[op][a]);
}

/* -- kinds of kernels ------------------------------------------------------------------ */

static void fit_kinds(const struct problem *p, struct fs_calibration *c) {
  double *left = fs_malloc(sizeof *left * (size_t)FS_MAX(1, p->n));
  for (int k = 0; k < p->n; k++)
    left[k] = log(p->samples[k].seconds / fs_calibrated(&p->samples[k].work, c).seconds);
  for (int k = 0; k < p->n; k++)
    if (isfinite(left[k])) fs_calibration_note(c, &p->samples[k].work, left[k]);
  free(left);
}

/* -- all of it --------------------------------------------------------------------------- */

static void stamp(struct fs_calibration *c) {
  time_t now = time(NULL);
  struct tm tm;
  if (!gmtime_r(&now, &tm) || !strftime(c->date, sizeof c->date, "%Y-%m-%d", &tm))
    snprintf(c->date, sizeof c->date, "1970-01-01");
  snprintf(c->quality, sizeof c->quality, "calibrated %s", c->date);
  c->measured = c->fits = true;
}

static bool good(const struct fs_sample *s) {
  return isfinite(s->seconds) && s->seconds > 1e-9 && s->seconds < 1e4;
}

static double within(double x, double least, double most) {
  return FS_MAX(least, FS_MIN(most, x));
}

void fs_calibration_chain(struct fs_calibration *c, const struct fs_chain *chain) {
  static const double LEAST_FOLLOW = 0.25, LEAST_BARRIER = 0.2; /* of a launch */
  double launch = c->cost[FS_TM_LAUNCH];
  if (!(chain->joined > 0) || !(chain->apart > 0) || chain->barriers < 1 ||
      !isfinite(chain->joined + chain->apart + chain->ahead) || !(launch > 0))
    return;
  c->follow = within(launch - chain->ahead, LEAST_FOLLOW * launch, launch);
  double saved = chain->apart - chain->joined;
  double each = ((chain->phases - 1) * c->follow - saved) / chain->barriers;
  c->barrier = within(each, LEAST_BARRIER * launch, launch);
  double follow = (saved + chain->barriers * c->barrier) / (chain->phases - 1);
  if (each < c->barrier) c->follow = within(follow, c->follow, launch);
}

/* Beyond what was measured the curves go on as they end, in a cache perhaps. */
static void be_cautious(const struct problem *p, struct fs_calibration *c) {
  for (int k = 0; k < p->n; k++) c->reach = FS_MAX(c->reach, p->samples[k].work.working_set);
  for (int m = FS_TM_READ_FLAT; m <= FS_TM_PAST; m++)
    for (int k = 0; k < FS_KNOTS; k++)
      if (fs_knots[k] > c->reach)
        c->curve[m - FS_TM_SYNC_END][k] =
            FS_MAX(c->curve[m - FS_TM_SYNC_END][k], 1 / FS_MAX(p->device->bandwidth, 1e6));
}

bool fs_calibration_fit(const struct fs_sample *samples, int n,
                        const struct fs_device *device,
                        struct fs_calibration *out) {
  const double *of = fs_device_class(device)->overlap;
  static const double overlaps[] = {1, 0.75, 0.5, 0.3, 0.1, 0};
  struct fs_sample *own = fs_malloc(sizeof *own * (size_t)FS_MAX(1, n));
  struct problem *p = fs_calloc(1, sizeof *p);
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  double best = 1e9;
  memset(out, 0, sizeof *out);
  p->samples = own;
  p->device = device;
  for (int k = 0; k < n; k++)
    if (good(&samples[k]) && !samples[k].work.library && samples[k].work.n_amounts)
      own[p->n++] = samples[k];
  p->weight = fs_malloc(sizeof *p->weight * (size_t)FS_MAX(1, p->n));
  guess(p);
  for (int pass = 0; pass < 2 && !(best < NO_FIT); pass++) {
    /* Not what its peak rate says it is. */
    if (pass) memset(p->most, 0, sizeof p->most);
    for (size_t o = 0; o < FS_LEN(overlaps) && p->n >= LEAST_SAMPLES; o++) {
      if (overlaps[o] < of[0] || overlaps[o] > of[1]) continue;
      solve(p, overlaps[o], c);
      double error = mean_error(p, c);
      if (error >= best) continue;
      best = error;
      *out = *c;
      out->error = typical_error(p, c);
    }
  }
  bool ok = p->n >= LEAST_SAMPLES;
  out->samples = p->n;
  if (ok) be_cautious(p, out);
  if (ok) fit_library(samples, n, out);
  if (ok) fit_kinds(p, out);
  if (ok) out->error = typical_error(p, out);
  out->cost[FS_TM_USER] = 1; /* its amounts are seconds */
  stamp(out);
  FS_VEC_FREE(&p->entries);
  FS_VEC_FREE(&p->target);
  free(p->weight);
  free(p);
  free(own);
  free(c);
  return ok;
}
