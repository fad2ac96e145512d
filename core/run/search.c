/* search.c - see search.h. */
#include "core/run/search.h"
#include "core/run/memo.h"

#include <time.h>

#include "core/plan/plan.h"
#include "core/run/compile.h"

enum {
  AT_ONCE = 64, /* plans compiled together */
  USUAL_REPEATS = 15, MOST_FINALISTS = 8
};
/* Less than this is noise: then the prediction's order decides. And who is so
 * close to the best after the first rounds goes on to the last ones. */
static const double WORTH = 0.005, CLOSE = 0.05;

struct search {
  struct fs_runner *r;
  struct fs_target *t;
  const struct fs_block *block;
  const struct fs_search_options *o;
  const struct fs_diags *sources;
  struct fs_search *out;
  double **times;
  double **parts;               /* per candidate: times of each kernel, by turn */
  struct fs_storage **inputs;   /* per graph input                         */
  int best;                     /* index; -1: nothing ran yet              */
};

static void tell(const struct search *s, const char *what, double done) {
  if (s->o->progress) s->o->progress(s->o->user, what, done);
}

/* -- inputs --------------------------------------------------------------------- */

/* Fills `bytes` of a host buffer with numbers between 1 and 2. */
static void harmless(enum fs_dtype dt, char *to, size_t bytes) {
  size_t size = fs_dtype_size(dt);
  for (size_t k = 0; k + size <= bytes; k += size) {
    uint64_t mixed = (k / size + 1) * 0x9e3779b97f4a7c15u >> 44;
    struct fs_number v = {.i = dt == FS_BOOL ? (int64_t)(mixed & 1)
                                             : (int64_t)(1 + mixed % 7),
                          .f = 1 + (double)mixed / (1 << 20)};
    fs_element_put(dt, to + k, v);
  }
}

static enum fs_status stand_in(struct search *s, enum fs_dtype dt, size_t bytes,
                               struct fs_storage **out, struct fs_diags *d) {
  enum { PART = 1 << 20 };
  enum fs_status st = fs_storage_new(s->t, bytes, out, d);
  char *part = fs_malloc(PART);
  harmless(dt, part, PART);
  for (size_t at = 0; at < bytes && st == FS_OK; at += PART) {
    int64_t width = (int64_t)FS_MIN(bytes - at, (size_t)PART);
    st = s->t->ops->upload(s->t, (char *)(*out)->ptr + at, width, part, width,
                           width, 1, d);
  }
  free(part);
  s->out->stand_ins = true;
  return st;
}

/* Whether a call does not go with any numbers: the plan has the count of what a mask
 * chooses, lists are in range, factorisations exist. */
static bool needs_values(const struct fs_node *n, const bool *made_up) {
  if (n->kind != FS_ND_LIB) return false;
  enum fs_lib_op op = (enum fs_lib_op)n->op;
  if (op == FS_LIB_GATHER || op == FS_LIB_COMBINE) return made_up[n->src[1]];
  return op != FS_LIB_GEMM && op != FS_LIB_RESHAPE && !fs_lib_is_along(op) &&
         made_up[n->src[0]];
}

/* Refuses numbers made up for inputs that are gone where those numbers count. */
static enum fs_status check_stand_ins(const struct search *s, const bool *gone,
                                      struct fs_diags *d) {
  const struct fs_graph *g = s->block->plan->graph;
  bool *made_up = fs_calloc((size_t)g->nodes.len, sizeof *made_up);
  const struct fs_node *bad = NULL;
  for (int k = 1; k < g->nodes.len && !bad; k++) {
    const struct fs_node *n = &g->nodes.data[k];
    if (n->kind == FS_ND_INPUT) made_up[k] = gone[n->slot];
    for (int x = 0; x < n->n_src; x++) made_up[k] |= made_up[n->src[x]];
    if (needs_values(n, made_up)) bad = n;
  }
  free(made_up);
  if (!bad) return FS_OK;
  return fs_error(d, bad->span, "input-gone",
                  "the block can be timed where it leaves what it reads as it is: y = ... in "
                  "place of x = ...",
                  "%s depends on numbers that are no longer there",
                  fs_lib_op_names[bad->op]);
}

/* The storages that the block's last run read, as far as they are still there. */
static enum fs_status take_inputs(struct search *s, bool *gone, struct fs_diags *d) {
  const struct fs_graph *g = s->block->plan->graph;
  s->inputs = fs_calloc((size_t)g->inputs.len + 1, sizeof *s->inputs);
  for (int k = 1; k < g->nodes.len; k++) {
    const struct fs_node *n = &g->nodes.data[k];
    if (n->kind != FS_ND_INPUT || s->inputs[n->slot]) continue;
    const struct fs_block_input *in = &s->block->inputs[n->slot];
    s->inputs[n->slot] = fs_storage_find(in->serial);
    for (int j = 0; j < g->inputs.len && !s->inputs[n->slot]; j++)
      if (j != n->slot && s->inputs[j] &&
          s->block->inputs[j].serial == in->serial)
        s->inputs[n->slot] = fs_storage_ref(s->inputs[j]);
    if (s->inputs[n->slot]) continue;
    gone[n->slot] = true;
    enum fs_status st =
        stand_in(s, n->dtype, in->bytes, &s->inputs[n->slot], d);
    if (st != FS_OK) return st;
  }
  return FS_OK;
}

/* -- candidates ------------------------------------------------------------------ */

/* The ranks to time: the first half of k in a row, the others evenly spread over
 * the rest, the last one among them. Gives how many. */
static int choose_ranks(int k, int n, int *out) {
  int first = n > k ? (k + 1) / 2 : FS_MIN(k, n), rest = FS_MIN(k, n) - first;
  for (int i = 0; i < first; i++) out[i] = i;
  for (int i = 0; i < rest; i++)
    out[first + i] =
        first + (int)((int64_t)(i + 1) * (n - first) / rest) - 1;
  return first + rest;
}

static void take(struct search *s, struct fs_plan *plan, int rank) {
  *FS_PUSH(&s->out->list) = (struct fs_candidate){
      .plan = plan, .rank = rank, .kernels = plan->kernels.len,
      .predicted = plan->predicted, .measured = -1};
}

static void rank(struct search *s) {
  for (int k = 0; k < s->o->n_plans; k++) take(s, s->o->plans[k], k + 1);
  if (s->o->n_plans) return;
  int among = FS_MAX(FS_MAX(s->o->among, s->o->k), 1);
  double start = fs_now();
  struct fs_plan **plans = fs_calloc((size_t)among, sizeof *plans);
  int *ranks = fs_calloc((size_t)among, sizeof *ranks);
  struct fs_plan_request q =
      fs_plan_request(s->r, s->block->plan->graph, s->sources);
  q.options.variants = true;
  int n = fs_plan_ranked(s->block->plan->graph, &s->t->device, &q.options,
                         among, plans);
  fs_plan_request_free(&q);
  int taken = choose_ranks(FS_MAX(s->o->k, 1), n, ranks), next = 0;
  for (int k = 0; k < n; k++) {
    if (next == taken || ranks[next] != k) {
      fs_plan_free(plans[k]);
      continue;
    }
    next++;
    take(s, plans[k], k + 1);
  }
  s->out->rank_seconds = fs_now() - start;
  free(plans);
  free(ranks);
}

static char *last_words(const struct fs_diags *d) {
  return fs_strdup(d->list.len ? d->list.data[d->list.len - 1].message
                               : "it failed");
}

/* A candidate that does not compile is left out, with its reason. */
static enum fs_status compile_one(struct search *s, struct fs_candidate *c) {
  struct fs_diags words;
  fs_diags_init(&words);
  struct fs_plan *plan = c->plan;
  c->plan = NULL;
  enum fs_status st =
      fs_compile_plan(plan, s->t, s->sources, &c->block, &words);
  if (st != FS_OK) c->block = NULL, c->trouble = last_words(&words);
  fs_diags_free(&words);
  return st == FS_INTERRUPTED || s->t->lost ? st : FS_OK;
}

static enum fs_status compile_all(struct search *s) {
  int n = s->out->list.len;
  double start = fs_now();
  const struct fs_plan *plans[AT_ONCE];
  enum fs_status st = FS_OK;
  for (int at = 0; at < n && st == FS_OK; at += AT_ONCE) {
    int count = FS_MIN(n - at, AT_ONCE);
    tell(s, "compiling", (double)at / n);
    for (int k = 0; k < count; k++) plans[k] = s->out->list.data[at + k].plan;
    if (s->t->ops->warm) s->t->ops->warm(s->t, count, plans, s->sources);
    for (int k = 0; k < count && st == FS_OK; k++)
      st = fs_interrupted() ? FS_INTERRUPTED
                            : compile_one(s, &s->out->list.data[at + k]);
    if (s->t->ops->warm) s->t->ops->warm(s->t, 0, NULL, NULL);
  }
  s->out->compile_seconds = fs_now() - start;
  return st;
}

/* -- one run ----------------------------------------------------------------------- */

struct scratch {
  struct fs_storage **storages;
  void **ptrs;
};

static enum fs_status give_slot(struct search *s, const struct fs_plan *plan,
                                int slot, struct scratch *to,
                                struct fs_diags *d) {
  const struct fs_slot *sl = &plan->slots.data[slot];
  if (to->storages[slot]) return FS_OK;
  if (sl->kind == FS_SLOT_PART) {
    to->ptrs[slot] = (char *)to->ptrs[sl->index] + fs_slot_begin(plan, slot);
    return FS_OK;
  }
  enum fs_status st = FS_OK;
  if (sl->kind == FS_SLOT_INPUT) {
    to->storages[slot] = fs_storage_ref(s->inputs[sl->index]);
  } else {
    int64_t bytes = fs_mul_size(sl->count, (int64_t)fs_dtype_size(sl->dtype));
    st = fs_storage_new(s->t, (size_t)FS_MAX(bytes, 1), &to->storages[slot], d);
  }
  if (st == FS_OK)
    to->ptrs[slot] = (char *)to->storages[slot]->ptr + fs_slot_begin(plan, slot);
  return st;
}

static enum fs_status launch_all(struct search *s, struct fs_block *b,
                                 struct scratch *to, struct fs_diags *d) {
  const struct fs_plan *plan = b->plan;
  for (int k = 0; k < plan->kernels.len; k++) {
    if (fs_interrupted()) return FS_INTERRUPTED;
    for (int i = 0; i < plan->slots.len; i++) {
      const struct fs_slot *sl = &plan->slots.data[i];
      if (sl->first > k || sl->last < k) continue;
      enum fs_status st = give_slot(s, plan, i, to, d);
      if (st != FS_OK) return st;
    }
    enum fs_status st = FS_OK;
    if (b->codes[k]) /* else it is a phase of the launch before */
      st = s->t->ops->launch(s->t, b->codes[k], to->ptrs,
                             plan->graph->params.data, fs_block_timer(b, s->t, k), d);
    if (st != FS_OK) return st;
    for (int i = 0; i < plan->slots.len; i++) {
      const struct fs_slot *sl = &plan->slots.data[i];
      if (sl->kind != FS_SLOT_TEMP || sl->last != k) continue;
      fs_storage_unref(to->storages[i]);
      to->storages[i] = NULL;
    }
  }
  return FS_OK;
}

/* Whether there is work for more than one thread of a CPU. */
static bool has_work_for_many(const struct fs_plan *plan) {
  enum { ONE_THREAD = 16384 }; /* elements */
  bool many = false;
  for (int k = 0; k < plan->kernels.len; k++)
    many |= plan->kernels.data[k].space.m * plan->kernels.data[k].space.n >= ONE_THREAD;
  return many;
}

/* The threads of a CPU fall asleep between two inputs, and a plan's first kernel calls
 * them; one that came right behind another plan would find them awake, or not. */
static void rest(const struct search *s) {
  struct timespec pause = {.tv_nsec = 100000};
  if (fs_target_waits(s->t) && has_work_for_many(s->block->plan)) nanosleep(&pause, NULL);
}

/* Runs a plan once; each[] gets its kernels' times, as in a plan. */
static enum fs_status run_once(struct search *s, struct fs_block *b,
                               double *each, struct fs_diags *d) {
  size_t n = (size_t)b->plan->slots.len + 1;
  struct scratch to = {fs_calloc(n, sizeof *to.storages),
                       fs_calloc(n, sizeof *to.ptrs)};
  rest(s);
  enum fs_status st = launch_all(s, b, &to, d);
  if (st == FS_OK) st = s->t->ops->sync(s->t, d);
  for (int k = 0; k < b->plan->kernels.len && st == FS_OK; k++)
    each[k] = b->codes[k] ? s->t->ops->timer_seconds(s->t, b->timers[k]) : 0;
  for (size_t k = 0; k + 1 < n; k++) fs_storage_unref(to.storages[k]);
  free(to.storages);
  free(to.ptrs);
  return st;
}

/* -- rounds ------------------------------------------------------------------------ */

/* One candidate's turn; a failure of its own takes it out of the search. */
static enum fs_status take_turn(struct search *s, int k, bool counts) {
  struct fs_candidate *c = &s->out->list.data[k];
  if (!c->block) return FS_OK;
  struct fs_diags words;
  fs_diags_init(&words);
  double sum = 0, *each = s->parts[k] + c->n_times * c->kernels;
  enum fs_status st = run_once(s, c->block, each, &words);
  for (int x = 0; x < c->kernels; x++) sum += each[x];
  if (st == FS_OK && counts) s->times[k][c->n_times++] = sum;
  if (st != FS_OK && st != FS_INTERRUPTED) {
    c->trouble = last_words(&words);
    fs_block_free(c->block, s->t);
    c->block = NULL;
  }
  fs_diags_free(&words);
  return st == FS_INTERRUPTED || s->t->lost ? st : FS_OK;
}

struct rounds {
  int n, *who;               /* candidates that take part               */
  int repeats, least;        /* rounds at most, and in any case         */
  double seconds;
  double from, to;           /* share of the whole that is told         */
};

/* Another order each round: who follows whom decides what a run finds in caches and
 * which storage it is given (Fisher and Yates). */
static void shuffle(int *who, int n, uint64_t *state) {
  for (int k = n - 1; k > 0; k--) {
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    int other = (int)((*state >> 33) % (uint64_t)(k + 1)), taken = who[k];
    who[k] = who[other];
    who[other] = taken;
  }
}

static enum fs_status play(struct search *s, const struct rounds *p) {
  uint64_t order = 1;
  double start = fs_now();
  enum fs_status st = FS_OK;
  for (int round = -1; round < p->repeats && st == FS_OK; round++) {
    if (round >= p->least && fs_now() - start > p->seconds) break;
    if (round >= 0) shuffle(p->who, p->n, &order);
    for (int k = 0; k < p->n && st == FS_OK; k++) {
      double done = ((double)(round + 1) + (double)k / p->n) / (p->repeats + 1);
      tell(s, "timing", p->from + done * (p->to - p->from));
      st = take_turn(s, p->who[k], round >= 0);
    }
  }
  return st;
}

static void put_median(struct search *s, int k) {
  struct fs_candidate *c = &s->out->list.data[k];
  int n = c->trouble ? 0 : c->n_times;
  c->measured = -1;
  if (!n) return;
  double *t = s->times[k];
  c->measured = fs_median(t, n);
}

static void put_kernel_medians(struct search *s, int k) {
  struct fs_candidate *c = &s->out->list.data[k];
  int n = c->trouble ? 0 : c->n_times;
  if (!n) return;
  double *t = fs_calloc((size_t)n, sizeof *t);
  c->each = fs_calloc((size_t)c->kernels + 1, sizeof *c->each);
  for (int x = 0; x < c->kernels; x++) {
    for (int turn = 0; turn < n; turn++) t[turn] = s->parts[k][turn * c->kernels + x];
    c->each[x] = fs_median(t, n);
  }
  free(t);
}

static double least_median(struct search *s) {
  double least = -1;
  for (int k = 0; k < s->out->list.len; k++) {
    put_median(s, k);
    double m = s->out->list.data[k].measured;
    if (m >= 0 && (least < 0 || m < least)) least = m;
  }
  return least;
}

/* The one of the least time, of those that count as equal the first of the list; -1 if
 * none has one. */
static int fastest(struct search *s) {
  double least = least_median(s);
  for (int k = 0; k < s->out->list.len; k++) {
    double m = s->out->list.data[k].measured;
    if (m >= 0 && m <= least * (1 + WORTH)) return k;
  }
  return -1;
}

/* These play among themselves; what they did before does not count any more, but where
 * they were stopped before they began. */
static enum fs_status play_again(struct search *s, struct rounds *p) {
  struct fs_candidate *list = s->out->list.data;
  int *before = fs_calloc((size_t)p->n + 1, sizeof *before);
  int *who = fs_calloc((size_t)p->n + 1, sizeof *who);
  for (int k = 0; k < p->n; k++) {
    who[k] = p->who[k]; /* the rounds shuffle them */
    before[k] = list[who[k]].n_times;
    list[who[k]].n_times = 0;
  }
  enum fs_status st = play(s, p);
  for (int k = 0; k < p->n; k++)
    if (st != FS_OK && !list[who[k]].n_times) list[who[k]].n_times = before[k];
  free(before);
  free(who);
  return st;
}

/* Everyone plays, then those that came close play once more among themselves, with the
 * first, whose time all are compared to. The fastest of many that are about as fast is
 * the one that was luckiest, too, so in the end it plays against the first alone. */
static enum fs_status all_rounds(struct search *s) {
  int n = s->out->list.len;
  int repeats = s->o->repeats ? s->o->repeats : USUAL_REPEATS;
  double budget = s->o->seconds > 0 ? s->o->seconds : 0.25 * n;
  double start = fs_now();
  int *who = fs_calloc((size_t)n + 2, sizeof *who);
  for (int k = 0; k < n; k++) {
    who[k] = k;
    s->times[k] = fs_calloc(3 * (size_t)repeats, sizeof(double));
    size_t kernels = (size_t)s->out->list.data[k].kernels;
    s->parts[k] = fs_calloc(3 * (size_t)repeats * kernels + 1, sizeof(double));
  }
  struct rounds p = {n, who, repeats, FS_MIN(repeats, 2), budget, 0, 0.6};
  enum fs_status st = play(s, &p);
  double limit = least_median(s) * (1 + CLOSE);
  p = (struct rounds){0, who, 2 * repeats, FS_MIN(repeats, 5), budget / 2, 0.6, 0.8};
  for (int k = 0; k < n && p.n < MOST_FINALISTS; k++) {
    double m = s->out->list.data[k].measured;
    if (k == 0 ? m >= 0 : m >= 0 && m <= limit) who[p.n++] = k;
  }
  if (p.n > 1 && st == FS_OK) st = play_again(s, &p);
  s->best = fastest(s);
  if (s->best > 0 && s->out->list.data[0].measured >= 0 && st == FS_OK) {
    who[0] = 0, who[1] = s->best;
    p = (struct rounds){2, who, 2 * repeats, FS_MIN(repeats, 9), budget / 2, 0.8, 1};
    st = play_again(s, &p);
    least_median(s);
    if (s->out->list.data[0].measured <=
        s->out->list.data[s->best].measured * (1 + WORTH))
      s->best = 0;
  }
  free(who);
  s->out->time_seconds = fs_now() - start;
  return st;
}

static void conclude(struct search *s) {
  struct fs_search *out = s->out;
  least_median(s);
  out->best = s->best;
  if (out->best < 0 || out->list.data[out->best].measured < 0) out->best = fastest(s);
  for (int k = 0; k < out->list.len; k++) put_kernel_medians(s, k);
}

static void let_go(struct search *s) {
  int n = s->out->list.len;
  for (int k = 0; k < n && s->times; k++) free(s->times[k]);
  for (int k = 0; k < n && s->parts; k++) free(s->parts[k]);
  for (int k = 0; s->inputs && k < s->block->plan->graph->inputs.len; k++)
    fs_storage_unref(s->inputs[k]);
  free(s->times);
  free(s->parts);
  free(s->inputs);
}

enum fs_status fs_search_block(struct fs_runner *r, const struct fs_block *block,
                               const struct fs_search_options *options,
                               const struct fs_diags *sources,
                               struct fs_search *out, struct fs_diags *d) {
  *out = (struct fs_search){.target = fs_runner_target(r), .best = -1};
  out->target->hasty = false; /* what is compared is full code */
  struct search s = {.r = r, .t = out->target, .block = block,
                     .o = options, .sources = sources, .out = out, .best = -1};
  bool *gone = fs_calloc((size_t)block->plan->graph->inputs.len + 1, sizeof *gone);
  enum fs_status st = take_inputs(&s, gone, d);
  if (st == FS_OK) st = check_stand_ins(&s, gone, d);
  free(gone);
  if (st == FS_OK) {
    rank(&s);
    size_t n = (size_t)out->list.len + 1;
    s.times = fs_calloc(n, sizeof *s.times);
    s.parts = fs_calloc(n, sizeof *s.parts);
    st = compile_all(&s);
    if (st == FS_OK) st = all_rounds(&s);
    conclude(&s);
  }
  let_go(&s);
  out->interrupted = st == FS_INTERRUPTED;
  if (st == FS_INTERRUPTED && out->best >= 0) st = FS_OK;
  if (st == FS_OK && out->best < 0)
    st = fs_env_error(d, "tune", NULL, "no plan of the block could be timed: %s",
                      out->list.len && out->list.data[0].trouble
                          ? out->list.data[0].trouble : "there is none");
  return st;
}

void fs_search_free(struct fs_search *s) {
  for (int k = 0; k < s->list.len; k++) {
    fs_plan_free(s->list.data[k].plan);
    fs_block_free(s->list.data[k].block, s->target);
    free(s->list.data[k].trouble);
    free(s->list.data[k].each);
  }
  FS_VEC_FREE(&s->list);
}

void fs_search_adopt(struct fs_search *s, struct fs_block *block) {
  struct fs_block *winner = s->list.data[s->best].block, old = *block;
  *block = *winner;
  block->hash = old.hash;
  block->next = old.next;
  block->hidden = old.hidden;
  block->life = old.life;
  block->number = old.number;
  block->last_used = old.last_used;
  block->timed_runs = old.timed_runs;
  block->inputs = old.inputs;
  block->life->turn++;
  old.inputs = winner->inputs;
  old.life = winner->life;
  old.life->block = winner;
  *winner = old; /* freed with the search */
  block->plan->found->tuned = true;
  memcpy(block->plan->found->quality, "tuned", 6);
}
