/* grid.c - kernels that follow on each other as the phases of one launch.
 *
 * The level rule puts an iteration of CG into three kernels, of which the later two take less
 * time than their launches. So kernels next to each other are joined, where a barrier over the
 * grid is predicted to cost less than a launch: all blocks stay, and go on to the next phase.
 *
 *     k1 row    q = A*p; alpha = rho/(p'*q)     launch
 *     k2 flat   r1 = r - alpha*q; s = r1'*r1    beside: k1 ends with a barrier
 *     k3 flat   p1 = r1 + (s/rho)*p             beside: so does k2
 *
 * A kernel that folds partial results has a barrier before the fold; what it wrote
 * until then, the next phase may read. Numbers that every thread has at the end of a
 * phase pass on in registers (fs_grid_carries). Where something was written since
 * the last barrier that the phase reads, or read that it writes, there is one more.
 *
 * A fold of numbers takes as long in a phase as alone. But more blocks than CROWD get in each
 * other's way at a barrier, where all look at one word that each must write: launches of 1056
 * blocks took 5 to 13 us too long (H200).
 *
 * What takes a block less time than a barrier, each does whole: it adds all elements
 * itself, in one order, so that all have the same sums, and stores those of its tiles.
 * A phase that then reads, at the places of its own tiles, what a flat one stored at the
 * same places needs no barrier either: the thread has stored them itself.
 *
 * Phases share block size and registers, those of the phase that takes longest, or of
 * the one whose setting the user chose; the others lose some of their speed by it, so
 * that large kernels stay alone.
 */
#include <math.h>

#include "core/plan/kernels/inside.h"

enum { MOST_PHASES = 16, MOST_ACCESSES = 128, MOST_CARRIED = 64 };

struct group {
  struct fs_maker *p;
  struct fs_plan *plan;
  const struct fs_pin_result *pins;
  int first, end;         /* kernels */
  bool *written, *read;   /* per slot, since the last barrier */
  bool *carried;          /* per slot: in a register */
  int *writer;            /* per slot that was written: the kernel */
  fs_id *update;          /* ... and the one UPDATE of which all that was written is a
                             part or what it leaves, which share no element; 0: none */
  bool in_step[MOST_PHASES]; /* of the group: threads have the same elements */
};

/* -- what a phase reads and writes ------------------------------------------------ */

static bool is_uniform(const struct fs_kernel *k, int value) {
  if (k->values.data[value].varies) return false;
  const struct fs_step *s = fs_kernel_maker(k, value);
  if (!s) return true; /* a routine's result */
  if (s->kind == FS_SP_REDUCE) return false;
  FS_EACH_IN(s, x)
    if (!is_uniform(k, s->in[x])) return false;
  return true;
}

bool fs_grid_carries(const struct fs_plan *plan, const struct fs_kernel *k,
                     const struct fs_step *s) {
  if (s->kind != FS_SP_STORE) return false;
  const struct fs_access *a = &k->accesses.data[s->access];
  /* One element of an array is not what a load of another one wants. */
  if (a->varies || fs_shape_count(&plan->slots.data[a->slot].shape) != 1) return false;
  return s->phase == FS_END || is_uniform(k, s->in[0]);
}

/* Whether it folds partial results of the blocks, and so has a barrier. */
static bool folds(const struct fs_kernel *k) {
  return k->has.folds || k->has.end_vectors;
}

bool fs_kernel_waits(const struct fs_kernel *k) {
  return k->joint == FS_BARRIER || folds(k);
}

/* A load of one number that an earlier phase left in a register. */
static bool from_register(const struct group *g, const struct fs_kernel *k,
                          const struct fs_step *s) {
  const struct fs_access *a = &k->accesses.data[s->access];
  return s->kind == FS_SP_LOAD && !a->varies && g->carried[a->slot];
}

/* Whether the user chose how the kernel runs. */
static bool is_pinned(const struct fs_maker *p, const struct fs_kernel *k) {
  return k->calls.len && fs_plan_kernel_pin(p, k->calls.data, k->calls.len);
}

static bool same_places(const struct fs_access *a, const struct fs_access *b) {
  return a->offset == b->offset && a->varies == b->varies &&
         !memcmp(a->stride, b->stride, sizeof a->stride);
}

/* Whether flat kernels give the same elements to a thread, if they walk alike. Copies may
 * begin with the last blocks (elemlib/scheme/last.cuh). */
static bool alike(const struct group *g, const struct fs_kernel *a, const struct fs_kernel *b) {
  if (a->copies || b->copies || fs_kernel_has_rows(a) || fs_kernel_has_rows(b) ||
      is_pinned(g->p, a) || is_pinned(g->p, b) || a->space.n_inner != b->space.n_inner ||
      a->space.n_outer != b->space.n_outer)
    return false;
  for (int x = 0; x < a->space.n_outer + a->space.n_inner; x++)
    if (a->space.dim[x] != b->space.dim[x]) return false;
  return true;
}

/* Whether the load reads what its own thread has stored in the kernel that wrote it. */
static bool is_own(const struct group *g, const struct fs_kernel *k, const struct fs_step *s) {
  const struct fs_access *a = &k->accesses.data[s->access];
  const struct fs_kernel *w = &g->plan->kernels.data[g->writer[a->slot]];
  if (s->kind != FS_SP_LOAD || !a->varies || !fs_access_is_plain(a) || k->everywhere ||
      !alike(g, k, w))
    return false;
  FS_EACH_AT(&w->accesses, b) {
    if (!b->stored || b->slot != a->slot) continue;
    if (w->steps.data[b->step].phase == FS_END || !same_places(a, b)) return false;
  }
  return true;
}

/* Whether a step before the phase's own barrier, if it has one, meets what was
 * written or read since the last. */
static bool needs_barrier(const struct group *g, const struct fs_kernel *k) {
  bool own = folds(k) && !k->everywhere;
  FS_EACH_STEP(k, s) {
    if (s->access < 0 || (own && s->phase == FS_END)) continue;
    if (from_register(g, k, s)) continue;
    const struct fs_access *a = &k->accesses.data[s->access], *list = fs_access_list(k, a);
    int slot = a->slot;
    bool store = s->kind == FS_SP_STORE, beside = store && g->update[slot] == s->node;
    if (list && g->written[list->slot]) return true;
    for (int r = 0; store && r < g->plan->slots.len; r++)
      if (g->read[r] && r != slot && fs_plan_may_overwrite(g->plan, slot, r)) return true;
    if ((g->written[slot] && !beside && !is_own(g, k, s)) || (store && g->read[slot]))
      return true;
  }
  return false;
}

static void forget(struct group *g) {
  size_t n = (size_t)g->plan->slots.len * sizeof(bool);
  memset(g->written, 0, n);
  memset(g->read, 0, n);
}

static void note(struct group *g, const struct fs_kernel *k, bool at_end) {
  FS_EACH_STEP(k, s) {
    if (s->access < 0 || (s->phase == FS_END) != at_end) continue;
    const struct fs_access *a = &k->accesses.data[s->access], *list = fs_access_list(k, a);
    int slot = a->slot;
    if (list) g->read[list->slot] = true;
    if (s->kind == FS_SP_STORE) {
      bool is_update = fs_node(g->p->g, s->node)->kind == FS_ND_UPDATE;
      if (!g->written[slot]) g->update[slot] = is_update ? s->node : 0;
      else if (g->update[slot] != s->node) g->update[slot] = 0;
      g->written[slot] = true;
      g->writer[slot] = (int)(k - g->plan->kernels.data);
    } else {
      /* Threads that read what they stored themselves go on alike. */
      if (g->written[slot] && !from_register(g, k, s) && is_own(g, k, s)) {
        g->in_step[g->writer[slot] - g->first] = true;
        g->in_step[k - g->plan->kernels.data - g->first] = true;
      }
      g->read[slot] = true;
    }
    if (fs_grid_carries(g->plan, k, s)) g->carried[slot] = true;
  }
}

/* The phase becomes the last one of the group. */
static void pass(struct group *g, const struct fs_kernel *k) {
  if (k->joint == FS_BARRIER) forget(g);
  note(g, k, false);
  if (folds(k) && !k->everywhere) forget(g);
  note(g, k, true);
}

/* -- what may be joined -------------------------------------------------------------- */

static bool can_be_phase(const struct fs_kernel *k) {
  if (k->copies ? k->copies != FS_COPIES_AROUND || k->in_place : !k->calls.len) return false;
  if (k->n_applied || k->tune.cluster > 1) return false;
  return fs_schemes[k->scheme].vectors && !k->has.user;
}

static bool has_call(const struct group *g, fs_id id) {
  for (int k = g->first; k < g->end; k++)
    if (fs_kernel_has_call(&g->plan->kernels.data[k], id)) return true;
  return false;
}

/* A kernel of the group whose setting the user chose: the others go by it. -1: none. */
static int pinned_kernel(const struct group *g) {
  for (int k = g->first; k < g->end; k++)
    if (is_pinned(g->p, &g->plan->kernels.data[k])) return k;
  return -1;
}

/* Whether a pin of this kind has one end in the group and the other in `k`. */
static bool pinned(const struct group *g, const struct fs_kernel *k, bool together) {
  for (int x = 0; x < g->p->options->n_pins; x++) {
    const struct fs_pin_result *r = &g->pins[x];
    if (r->pin.together != together || !r->a || !r->b) continue;
    if ((has_call(g, r->a) && fs_kernel_has_call(k, r->b)) ||
        (has_call(g, r->b) && fs_kernel_has_call(k, r->a)))
      return true;
  }
  return false;
}

static bool crosses_barrier(const struct group *g, const struct fs_kernel *k) {
  fs_id low = UINT32_MAX, high = 0;
  for (int x = g->first; x <= g->end; x++) {
    const struct fs_kernel *m = x < g->end ? &g->plan->kernels.data[x] : k;
    for (int c = 0; c < m->calls.len; c++) {
      low = FS_MIN(low, m->calls.data[c]);
      high = FS_MAX(high, m->calls.data[c]);
    }
  }
  return fs_graph_has_barrier(g->p->g, low, high);
}

/* Whether it writes anew, where only some threads know it, what is in a register. */
static bool spoils(const struct group *g, const struct fs_kernel *k) {
  FS_EACH_AT(&k->accesses, a)
    if (a->stored && g->carried[a->slot] && !fs_grid_carries(g->plan, k, &k->steps.data[a->step]))
      return true;
  return false;
}

static bool has_room(const struct group *g, const struct fs_kernel *k) {
  int accesses = k->accesses.len, carried = k->accesses.len;
  for (int x = g->first; x < g->end; x++)
    accesses += g->plan->kernels.data[x].accesses.len;
  for (int s = 0; s < g->plan->slots.len; s++) carried += g->carried[s];
  return g->end - g->first < MOST_PHASES && accesses <= MOST_ACCESSES && carried <= MOST_CARRIED;
}

/* -- what it costs --------------------------------------------------------------------- */

/* The predicted time of a kernel beyond its launch. */
static double body(const struct group *g, const struct fs_kernel *k) {
  return FS_MAX(k->first - fs_predict_launch(g->p->device), 0);
}

/* The kernel of the group, or `next` (NULL: none), that takes longest. */
static const struct fs_kernel *largest_of(const struct group *g, const struct fs_kernel *next) {
  const struct fs_kernel *list = g->plan->kernels.data, *largest = &list[g->first];
  for (int x = g->first; x < g->end; x++)
    if (body(g, &list[x]) > body(g, largest)) largest = &list[x];
  return next && body(g, next) > body(g, largest) ? next : largest;
}

/* As many threads as all; the work spread over the device. Rows that a block has to
 * itself stay so. */
static void fit(struct fs_kernel *k, const struct fs_tuning *like, int units) {
  struct fs_tuning *t = &k->tune;
  if (!fs_kernel_has_rows(k)) {
    t->row_threads = like->threads;
    int64_t blocks = (int64_t)units * like->blocks_per_sm;
    while (t->iters > 1 && k->space.n < blocks * like->threads * t->vec * t->iters)
      t->iters /= 2;
    while (t->vec > 1 && k->space.n < (int64_t)units * like->threads * t->vec)
      t->vec /= 2;
  } else {
    int64_t held = (int64_t)t->row_threads * t->cols;
    bool by_block = t->row_threads == t->threads && held % like->threads == 0;
    t->row_threads = by_block ? like->threads : FS_MIN(t->row_threads, like->threads);
    t->cols = (int)((held + t->row_threads - 1) / t->row_threads);
  }
  t->threads = like->threads;
  t->blocks_per_sm = like->blocks_per_sm;
}

/* How all kernels of the group (with `next` behind; NULL: as it is) walk when one leads:
 * as it does, with as many blocks side by side as the registers of every one allow. */
static struct fs_tuning walk_of(const struct group *g, const struct fs_kernel *leads,
                                const struct fs_kernel *next) {
  struct fs_tuning like = leads->tune;
  for (int x = g->first; x < g->end + (next != NULL); x++) {
    const struct fs_kernel *k = x < g->end ? &g->plan->kernels.data[x] : next;
    if (k == leads) continue;
    struct fs_kernel phase = *k;
    fit(&phase, &leads->tune, g->p->device->units);
    like.blocks_per_sm = FS_MIN(like.blocks_per_sm, fs_tune_resident(&phase));
  }
  return like;
}

/* The tasks of a kernel that walks as `like` does. */
static double tasks_of(const struct group *g, const struct fs_kernel *k,
                       const struct fs_tuning *like) {
  struct fs_kernel phase = *k;
  struct fs_work w = k->work;
  fit(&phase, like, g->p->device->units);
  fs_kernel_count_tuning(&phase, g->p->device, &w);
  return w.spread.tasks;
}

/* The stored array that it loads from as it lies, or NULL. */
static const void *loads_from(const struct group *g, const struct fs_access *a) {
  const struct fs_slot *s = &g->plan->slots.data[a->slot];
  bool input = fs_access_is_load(a) && s->kind == FS_SLOT_INPUT;
  for (int x = 1; x < FS_MAX_RANK; x++) input &= a->stride[x] <= a->stride[x - 1];
  return input ? g->p->g->inputs.data[s->index].storage : NULL;
}

/* Bytes, more than the cache holds, that an earlier phase reads in step: where no block waits,
 * and each phase has as many tasks, the later one finds them in the cache, and `w` says so.
 * Differences along three axes of a cube of 323 take 162 us, not 202 (f32, H200, 2026-11-29). */
static double read_near(const struct group *g, const struct fs_kernel *k,
                        const struct fs_tuning *like, bool waits, struct fs_work *w) {
  static const double IN_STEP = 0.02;
  double near = 0;
  if (!waits) FS_EACH_AT(&k->accesses, a) {
    const void *storage = loads_from(g, a);
    if (!storage || fs_access_bytes(k, a) < (double)g->p->device->cache_bytes) continue;
    bool found = false;
    for (const struct fs_kernel *x = &g->plan->kernels.data[g->first]; x < k; x++)
      if (fabs(tasks_of(g, x, like) / tasks_of(g, k, like) - 1) <= IN_STEP)
        FS_EACH_AT(&x->accesses, b) found |= loads_from(g, b) == storage;
    if (found) near += fs_access_bytes(k, a);
  }
  near = FS_MIN(near, w->bytes_read);
  w->bytes_read -= near;
  w->bytes_near += near;
  return near;
}

/* The predicted time beyond the launch when it walks as `like` does. */
static double body_like(const struct group *g, const struct fs_kernel *k,
                        const struct fs_tuning *like, bool waits) {
  const struct fs_device *d = g->p->device;
  struct fs_kernel phase = *k;
  struct fs_work w = k->work;
  double near = read_near(g, k, like, waits, &w);
  fit(&phase, like, d->units);
  if (!(near > 0) && !memcmp(&phase.tune, &k->tune, sizeof k->tune)) return body(g, k);
  fs_kernel_count(&phase, d, &w);
  return FS_MAX(fs_predict_by(g->p->memo, &w, d).seconds - fs_predict_launch(d), 0);
}

/* The same with the leader's number of rows at once, which may be better than what the kernel had
 * for threads of its own: w = A*x behind x = A'*y, 4096 x 4096 in f32 on an H200, 34.6 us with two
 * rows and 31.7 with four. Infinite: it has no such way, or `fewer` is not asked for where they do
 * not find room. */
static double with_rows_of(const struct group *g, const struct fs_kernel *k,
                           const struct fs_kernel *leads, const struct fs_tuning *like,
                           bool fewer, struct fs_tuning *tune) {
  const struct fs_device *d = g->p->device;
  struct fs_kernel other = *k;
  struct fs_work w = k->work;
  *tune = k->tune;
  if (k == leads || !fs_kernel_has_rows(k) || !fs_kernel_has_rows(leads) || is_pinned(g->p, k) ||
      k->tune.iters == like->iters || !fs_predict_knows_by(g->p->memo, &w, d))
    return INFINITY;
  fit(&other, like, d->units);
  for (other.tune.iters = like->iters; fs_tune_resident(&other) < like->blocks_per_sm;)
    if (!fewer || (other.tune.iters /= 2) <= k->tune.iters) return INFINITY;
  fs_kernel_count_tuning(&other, d, &w);
  *tune = other.tune;
  return FS_MAX(fs_predict_by(g->p->memo, &w, d).seconds - fs_predict_launch(d), 0);
}

/* A barrier of the launch's blocks (with `next` behind; NULL: as it is), as many as the
 * phase of the most tasks fills. */
static double barrier_of(const struct group *g, const struct fs_kernel *next,
                         const struct fs_tuning *like) {
  const struct fs_device *d = g->p->device;
  double tasks = next ? tasks_of(g, next, like) : 0;
  for (int k = g->first; k < g->end; k++)
    tasks = FS_MAX(tasks, tasks_of(g, &g->plan->kernels.data[k], like));
  double crowd = FS_MIN(tasks, (double)d->units * like->blocks_per_sm) / fs_share(FS_PLAN_CROWD);
  return fs_predict_barrier(d) * FS_MAX(1, crowd * sqrt(FS_MAX(crowd, 0)));
}

/* What a phase takes when each block reads all of it from the cache and computes all of
 * it: random numbers and ranges are not read at all. */
static double whole(const struct group *g, const struct fs_kernel *k,
                    const struct fs_tuning *like) {
  enum { SPECIAL = 16 }; /* additions in the time of an exponential */
  const struct fs_device *d = g->p->device;
  double bytes = 0, blocks = d->units * like->blocks_per_sm;
  double operations = k->work.flops + SPECIAL * k->work.special;
  for (int x = 0; x < k->accesses.len; x++)
    if (fs_access_is_load(&k->accesses.data[x]) && k->accesses.data[x].varies)
      bytes += (double)k->space.n * (double)fs_dtype_size(k->accesses.data[x].dtype);
  return blocks * FS_MAX(bytes / d->cache_bandwidth, operations / d->flops);
}

/* What a phase waits for, beyond its body, which has a barrier for its sums. */
static double waited(const struct group *g, const struct fs_kernel *k, bool barrier,
                    double each, const struct fs_tuning *like) {
  double fold = folds(k) ? each - fs_predict_barrier(g->p->device) : 0;
  if (k->everywhere)
    fold = whole(g, k, like) - fs_share(FS_PLAN_FOLD_BARRIERS) * fs_predict_barrier(g->p->device);
  return barrier * each + fold;
}

/* Whether each block can do all of a phase: it folds numbers, and stores nothing where
 * a slower block still reads. */
static bool can_be_everywhere(const struct group *g, const struct fs_kernel *k) {
  if (fs_kernel_has_rows(k) || !folds(k) || is_pinned(g->p, k)) return false;
  FS_EACH_AT(&k->accesses, a)
    if (a->stored && fs_kernel_moves(k, a->slot, false)) return false;
  return !k->has.end_vectors;
}

/* What a phase takes longer than the kernel alone: nothing where blocks do not wait for
 * each other, so that there are as many as the largest one wants, and the largest itself
 * nothing unless it were better off with blocks that each do one part and go. */
static double shared_cost(const struct fs_kernel *k, const struct fs_kernel *largest, bool waits) {
  bool stream = !folds(largest) && (!fs_kernel_has_rows(largest) || largest->has.stores);
  return waits && (k != largest || stream) ? fs_share(FS_PLAN_SHARED_COST) : 0;
}

/* The launch of the group with `next` behind it (NULL: as it is). */
static double cost(const struct group *g, const struct fs_kernel *next, bool barrier) {
  const struct fs_kernel *list = g->plan->kernels.data, *largest = largest_of(g, next);
  double seconds = fs_predict_launch(g->p->device);
  if (g->end == g->first + 1 && !next) return seconds + body(g, largest);
  struct fs_tuning like = walk_of(g, largest, next);
  double wait = barrier_of(g, next, &like);
  bool waits = barrier || (next && folds(next));
  for (int x = g->first; x < g->end; x++) waits |= fs_kernel_waits(&list[x]);
  for (int x = g->first; x < g->end + (next != NULL); x++) {
    const struct fs_kernel *k = x < g->end ? &list[x] : next;
    struct fs_tuning tune;
    double mine = FS_MIN(body_like(g, k, &like, waits),
                         with_rows_of(g, k, largest, &like, false, &tune));
    seconds += (1 + shared_cost(k, largest, waits)) * mine;
    seconds += waited(g, k, x < g->end ? k->joint == FS_BARRIER : barrier, wait, &like);
  }
  return seconds;
}

bool fs_plan_may_join(const struct fs_maker *p) {
  return p->device->cooperative && p->options->strategy != FS_FUSE_OFF &&
         !p->options->apart && !p->options->any_size;
}

double fs_plan_phase_seconds(const struct fs_maker *p, enum fs_scheme scheme, double seconds) {
  if (!fs_schemes[scheme].vectors) return seconds;
  double work = FS_MAX(seconds - fs_predict_launch(p->device), 0);
  return FS_MIN(seconds, (1 + fs_share(FS_PLAN_SHARED_COST)) * work +
                             fs_predict_barrier(p->device));
}

double fs_plan_change(const struct fs_device *d, double before, double seconds) {
  double both = FS_MIN(before, seconds);
  double most = fs_share(FS_PLAN_CHANGE_LAUNCHES) * fs_predict_launch(d);
  double held = (double)d->cache_bytes / d->bandwidth; /* seconds to fill the cache */
  if (!fs_device_has_warps(d) || !(both > 0)) return 0;
  return FS_MIN(most, fs_share(FS_PLAN_CHANGE_SHARE) * both) * FS_MIN(1, held / both);
}

static bool worth_it(const struct group *g, const struct fs_kernel *k, bool barrier) {
  if (pinned(g, k, true)) return true;
  switch (g->p->options->strategy) {
    case FS_MIN_SYNC: return true;
    case FS_MIN_MEMORY: return false; /* its phases' temporaries live together */
    default: break;
  }
  const struct fs_device *d = g->p->device;
  double alone = cost(g, NULL, false), before = alone - fs_predict_launch(d);
  return cost(g, k, barrier) < alone + k->first + fs_plan_change(d, before, body(g, k));
}

/* -- one way to walk ------------------------------------------------------------------- */

static int count_loads(const struct fs_kernel *k) {
  int n = 0;
  for (int x = 0; x < k->accesses.len; x++)
    n += fs_access_is_load(&k->accesses.data[x]) && k->accesses.data[x].varies;
  return n;
}

/* Phases that each block does whole take all their vectors at once, as far as there are
 * registers; threads that go on with what they stored have vectors alike, one at a time,
 * as those vectors are numbered. `widths`: of vectors, before they were cut to fill the
 * device. */
static void keep_step(struct group *g, const int *widths) {
  enum { MOST_ITERS = 8, OTHER_REGS = 32 };
  int vec = 16;
  for (int k = g->first; k < g->end; k++)
    if (g->in_step[k - g->first]) vec = FS_MIN(vec, widths[k - g->first]);
  for (int k = g->first; k < g->end; k++) {
    struct fs_kernel *kn = &g->plan->kernels.data[k];
    struct fs_tuning *t = &kn->tune;
    bool in_step = g->in_step[k - g->first];
    if (!in_step && !kn->everywhere) continue;
    t->vec = in_step ? vec : widths[k - g->first];
    t->iters = 1;
    int64_t tile = (int64_t)t->threads * t->vec;
    int64_t room = g->p->device->regs / ((int64_t)t->threads * t->blocks_per_sm);
    int64_t held = (int64_t)t->vec * count_loads(kn);
    while (kn->everywhere && t->iters < MOST_ITERS && kn->space.n > tile * t->iters &&
           2 * t->iters * held <= room - OTHER_REGS)
      t->iters *= 2;
  }
}

/* Whether it reads, behind a barrier, a matrix that an earlier phase read or wrote and of
 * which the cache has a good part. */
static bool reads_again(const struct group *g, const struct fs_kernel *k) {
  double bytes = (double)k->space.m * (double)k->space.n;
  if (k->joint != FS_BARRIER) return false;
  FS_EACH_AT(&k->accesses, a) {
    double size = (double)fs_dtype_size(a->dtype);
    if (a->varies != 3 || bytes * size > 2 * (double)g->p->device->cache_bytes) continue;
    for (const struct fs_kernel *x = &g->plan->kernels.data[g->first]; x < k; x++)
      if (fs_kernel_moves(x, a->slot, false) || fs_kernel_moves(x, a->slot, true)) return true;
  }
  return false;
}

/* The leader's number of rows at once, if that is better; the kernel's time then is in `first`.
 * Of what the cache has in part more should be under way than prices say, which are those of
 * launches that come again: the second phase of GEMVER at 4096 with one, two and four rows takes
 * 59.5, 57.5 and 56.5 us. */
static void follow_rows(const struct group *g, struct fs_kernel *k,
                        const struct fs_kernel *leads, const struct fs_tuning *like) {
  static const double WORTH_IT = 0.01, AT_MOST = 0.05;
  struct fs_tuning tune;
  bool again = reads_again(g, k);
  double launch = fs_predict_launch(g->p->device);
  double seconds = with_rows_of(g, k, leads, like, again, &tune) + launch;
  double most = again && tune.iters > k->tune.iters ? 1 + AT_MOST : 1 - WORTH_IT;
  if (seconds >= (body_like(g, k, like, true) + launch) * most) return;
  k->tune = tune;
  k->first = seconds;
}

/* The group is complete: its kernels walk alike, and its prediction is that of a
 * launch, of which each phase has its part. */
static void close_group(struct group *g) {
  if (g->end == g->first + 1) return;
  const struct fs_device *d = g->p->device;
  struct fs_kernel *list = g->plan->kernels.data;
  const struct fs_kernel *largest = largest_of(g, NULL);
  bool waits = false;
  for (int k = g->first; k < g->end; k++) waits |= fs_kernel_waits(&list[k]);
  int leads = pinned_kernel(g) < 0 ? (int)(largest - list) : pinned_kernel(g);
  struct fs_tuning like = walk_of(g, &list[leads], NULL);
  for (int k = g->first; k < g->end; k++) follow_rows(g, &list[k], &list[leads], &like);
  double phases[MOST_PHASES], wait = barrier_of(g, NULL, &like);
  for (int k = g->first; k < g->end; k++) {
    struct fs_kernel *kn = &list[k];
    double seconds = (1 + shared_cost(kn, largest, waits)) * body_like(g, kn, &like, waits);
    if (kn->joint == FS_LAUNCH) seconds += fs_predict_launch(d);
    seconds += waited(g, kn, kn->joint == FS_BARRIER, wait, &like);
    phases[k - g->first] = FS_MAX(seconds, 0);
  }
  int widths[MOST_PHASES];
  for (int k = g->first; k < g->end; k++) {
    list[k].first = list[k].predicted = phases[k - g->first];
    widths[k - g->first] = list[k].tune.vec;
    if (k != leads) fit(&list[k], &like, d->units);
    list[k].tune.blocks_per_sm = like.blocks_per_sm;
  }
  keep_step(g, widths);
  for (int k = g->first; k < g->end; k++) {
    list[k].bytes_read -= read_near(g, &list[k], &like, waits, &list[k].work);
    fs_kernel_count(&list[k], d, &list[k].work);
  }
  FS_EACH_AT(&g->plan->slots, sl) {
    if (sl->first > g->first && sl->first < g->end) sl->first = g->first;
    if (sl->last >= g->first && sl->last < g->end) sl->last = g->end - 1;
  }
}

/* -- all of them ------------------------------------------------------------------------ */

static void open_group(struct group *g, int first) {
  g->first = first;
  g->end = first + 1;
  forget(g);
  memset(g->in_step, 0, sizeof g->in_step);
  memset(g->carried, 0, (size_t)g->plan->slots.len * sizeof(bool));
  if (can_be_phase(&g->plan->kernels.data[first])) pass(g, &g->plan->kernels.data[first]);
}

static bool join(struct group *g, struct fs_kernel *k) {
  if (!can_be_phase(k) || !can_be_phase(&g->plan->kernels.data[g->first])) return false;
  if (!has_room(g, k) || spoils(g, k) || crosses_barrier(g, k) ||
      pinned(g, k, false) || (pinned_kernel(g) >= 0 && is_pinned(g->p, k)))
    return false;
  struct fs_tuning like = walk_of(g, largest_of(g, k), k);
  k->everywhere = can_be_everywhere(g, k) &&
                  whole(g, k, &like) < fs_share(FS_PLAN_FOLD_BARRIERS) * barrier_of(g, k, &like);
  bool barrier = needs_barrier(g, k);
  if (!worth_it(g, k, barrier)) {
    k->everywhere = false;
    return false;
  }
  k->joint = barrier ? FS_BARRIER : FS_BESIDE;
  pass(g, k);
  g->end++;
  return true;
}

void fs_plan_join(struct fs_maker *p, struct fs_plan *plan, const struct fs_pin_result *pins) {
  if (!fs_plan_may_join(p) || plan->kernels.len < 2) return;
  int n = plan->slots.len + 1;
  struct group g = {.p = p, .plan = plan, .pins = pins, .written = FS_NEW_N(p->arena, bool, n),
                    .read = FS_NEW_N(p->arena, bool, n), .carried = FS_NEW_N(p->arena, bool, n),
                    .writer = FS_NEW_N(p->arena, int, n), .update = FS_NEW_N(p->arena, fs_id, n)};
  open_group(&g, 0);
  for (int k = 1; k < plan->kernels.len; k++) {
    if (join(&g, &plan->kernels.data[k])) continue;
    close_group(&g);
    open_group(&g, k);
  }
  close_group(&g);
}

/* The seconds of the launch that begins with a kernel, beyond it; *end: the next one's. */
static double launch_body(const struct fs_maker *p, const struct fs_plan *plan, int first,
                          int *end) {
  double seconds = -fs_predict_launch(p->device);
  *end = fs_launch_end(plan, first);
  for (int k = first; k < *end; k++) seconds += plan->kernels.data[k].first;
  return FS_MAX(seconds, 0);
}

void fs_plan_price_changes(const struct fs_maker *p, struct fs_plan *plan) {
  struct fs_kernel *list = plan->kernels.data;
  double before = 0;
  if (!p->device->cooperative || p->options->apart || p->options->any_size) return;
  for (int k = 0, next; k < plan->kernels.len; k = next) {
    double seconds = launch_body(p, plan, k, &next);
    list[k].change = k > 0 ? fs_plan_change(p->device, before, seconds) : 0;
    list[k].first = list[k].predicted = list[k].first + list[k].change;
    before = seconds;
  }
}
