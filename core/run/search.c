/* search.c - see search.h. */
#include "core/run/search.h"

#include "core/plan/plan.h"
#include "core/ranks/ranks.h"
#include "core/run/blocks.h"
#include "core/run/compile.h"
#include "core/run/memo.h"
#include "core/run/scratch.h"

enum {
  AT_ONCE = 64, /* plans compiled together */
  USUAL_REPEATS = 15, MOST_FINALISTS = 8
};
/* Less than this is noise: then the prediction's order decides. And who is so
 * close to the best after the first rounds goes on to the last ones. */
static const double WORTH = 0.005, CLOSE = 0.05;
/* Seconds. In a race a plan that takes less runs twice in its turn, and the second time counts: the
 * caches then hold what it leaves in them itself, as when it runs again and again. Of what takes
 * longer, the caches of a device hold less than one in a hundred of the bytes. */
static const double CACHES_TELL = 5e-3;

struct search {
  struct fs_runner *r;
  struct fs_target *t;
  const struct fs_block *block;
  const struct fs_search_options *o;
  const struct fs_diags *sources;
  struct fs_search *out;
  double **times;
  double **parts;               /* per candidate: times of each kernel, by turn */
  struct fs_scratch scratch;
  int best;                     /* index; -1: nothing ran yet              */
};

static void tell(const struct search *s, const char *what, double done) {
  if (s->o->progress) s->o->progress(s->o->user, what, done);
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
  struct fs_block *race = s->o->race;
  if (race)
    *FS_PUSH(&s->out->list) = (struct fs_candidate){
        .block = race, .in_use = true, .kernels = race->plan->kernels.len,
        .predicted = race->plan->predicted, .measured = -1};
  for (int k = 0; k < s->o->n_plans; k++) take(s, s->o->plans[k], k + 1);
  if (s->o->n_plans || race) return;
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
  if (c->in_use) return FS_OK;
  fs_diags_init(&words);
  struct fs_plan *plan = c->plan;
  c->plan = NULL;
  enum fs_status st =
      fs_ranks_agree(fs_compile_plan(plan, s->t, s->sources, &c->block, &words), &words);
  if (st != FS_OK) fs_block_free(c->block, s->t), c->block = NULL, c->trouble = last_words(&words);
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
    int new = 0;
    for (int k = 0; k < count; k++)
      if (s->out->list.data[at + k].plan) plans[new++] = s->out->list.data[at + k].plan;
    if (s->t->ops->warm) s->t->ops->warm(s->t, new, plans, s->sources);
    for (int k = 0; k < count && st == FS_OK; k++)
      st = fs_interrupted() ? FS_INTERRUPTED
                            : compile_one(s, &s->out->list.data[at + k]);
    if (s->t->ops->warm) s->t->ops->warm(s->t, 0, NULL, NULL);
  }
  s->out->compile_seconds = fs_now() - start;
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
  enum fs_status st = FS_OK;
  if (s->o->race && counts && c->predicted < CACHES_TELL)
    st = fs_scratch_run(&s->scratch, c->block, NULL, NULL, &words);
  if (st == FS_OK) st = fs_scratch_run(&s->scratch, c->block, each, NULL, &words);
  for (int x = 0; x < c->kernels; x++) sum += each[x];
  if (st == FS_OK && counts) s->times[k][c->n_times++] = sum;
  if (st != FS_OK && st != FS_INTERRUPTED) {
    c->trouble = last_words(&words);
    if (!c->in_use) fs_block_free(c->block, s->t);
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
    bool over = round >= p->least && fs_now() - start > p->seconds;
    if (fs_ranks_share(&over, sizeof over, NULL) || over) break;
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
  c->low = t[n / 4]; /* the median has sorted them */
  c->high = t[n - 1 - n / 4];
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

/* Those that came close play once more among themselves, with the
 * first, whose time all are compared to. The fastest of many that are about as fast is
 * the one that was luckiest, too, so in the end it plays against the first alone. */
static enum fs_status play_finals(struct search *s, int *who, int repeats, double budget) {
  int n = s->out->list.len;
  enum fs_status st = FS_OK;
  double limit = least_median(s) * (1 + CLOSE);
  struct rounds p = {0, who, 2 * repeats, FS_MIN(repeats, 5), budget / 2, 0.6, 0.8};
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
  return st;
}

/* Everyone plays; in a search the finals follow. */
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
  if (s->o->race) p.to = 1;
  enum fs_status st = play(s, &p);
  if (!s->o->race && st == FS_OK) st = play_finals(s, who, repeats, budget);
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
  free(s->times);
  free(s->parts);
  fs_scratch_close(&s->scratch);
}

enum fs_status fs_search_block(struct fs_runner *r, const struct fs_block *block,
                               const struct fs_search_options *options,
                               const struct fs_diags *sources,
                               struct fs_search *out, struct fs_diags *d) {
  *out = (struct fs_search){.target = fs_runner_target(r), .best = -1};
  out->target->hasty = false; /* what is compared is full code */
  struct search s = {.r = r, .t = out->target, .block = block,
                     .o = options, .sources = sources, .out = out, .best = -1};
  enum fs_status st = fs_scratch_open(&s.scratch, s.t, block, d);
  out->stand_ins = s.scratch.stand_ins;
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
    if (!s->list.data[k].in_use) fs_block_free(s->list.data[k].block, s->target);
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
}
