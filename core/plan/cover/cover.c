/* cover.c - which fusions to take: each cluster in exactly one kernel, at the least predicted time.
 * This is set partition, as in Filipovic's compiler ("combination of fusion implementations"):
 * search.c finds the best covers, those of kernels that do not wait for each other, in the order of
 * their best implementations; sums.c lists the implementations of each. The search has a limit;
 * where it has found nothing by then, a cover that was known before it is taken. */
#include <glpk.h>
#include <math.h>

#include "core/base/sums.h"
#include "core/model/calibration.h"
#include "core/plan/cover/covering.h"

enum {
  MOST_COVERS = 256,    /* of a list                                            */
  MAX_STATES = 4096,    /* of the count of combinations                         */
  MAX_JOINS = 50000,    /* ... and candidates that are tried there              */
  FEW_JOINS = 2000,     /* ... where nothing else looks at them                 */
  MAX_LISTED = 256      /* covers that are counted one by one                   */
};

/* -- what a candidate costs -------------------------------------------------------- */

/* More than all that a block can save in time: under the strategies that count
 * something else first. */
static double penalty(const struct fs_fusions *p) {
  double sum = 0;
  for (int r = 0; r < fs_window_size(p); r++) sum += p->candidates.data[r].seconds;
  return 2 * sum;
}

static double extra_cost(const struct fs_fusions *p, const struct fs_candidate *c) {
  switch (p->options->strategy) {
    case FS_MIN_SYNC: case FS_MANUAL: return penalty(p);
    case FS_MIN_MEMORY:
      return penalty(p) * c->temporary / FS_MAX(p->calls->working_set, 1.0);
    default: return 0;
  }
}

/* Costs of another device are rough: between plans that are about alike, that counts
 * what is sure to cost, the bytes that they move. */
static double doubt(const struct fs_fusions *p, const struct fs_impl *impl) {
  static const double SHARE = 0.1;
  const struct fs_calibration *c = p->maker->device->calibration;
  bool rough = !c->fits && c->n_kinds > 0;
  return rough ? SHARE * impl->bytes / p->maker->device->bandwidth : 0;
}

static double seconds_of(const struct fs_fusions *p, const struct fs_impl *impl, int variant) {
  double seconds = impl->each[variant] + doubt(p, impl);
  return p->as_phases ? fs_plan_phase_seconds(p->maker, impl->scheme, seconds) : seconds;
}

static double candidate_cost(const struct fs_fusions *p, const struct fs_candidate *c) {
  double least = c->seconds;
  if (c->n) least += doubt(p, &p->impls.data[c->first]); /* ways move much the same */
  for (int i = c->first; i < c->first + c->n && p->as_phases; i++)
    least = FS_MIN(least, seconds_of(p, &p->impls.data[i],
                                     p->impls.data[i].variant));
  return least + extra_cost(p, c);
}

double fs_plan_cost(const struct fs_fusions *p, int candidate) {
  return candidate_cost(p, &p->candidates.data[candidate]);
}

bool fs_plan_may_be_kernel(const struct fs_fusions *p, int candidate) {
  return !fs_plan_pin_forbids(p, &p->candidates.data[candidate].set, true);
}

/* -- columns ----------------------------------------------------------------------- */

/* In microseconds; the index breaks ties, so that the same block always gets the same plan. */
static void add_column(struct fs_covering *c, int candidate) {
  const struct fs_candidate *cand = &c->p->candidates.data[candidate];
  struct fs_column *col = &c->columns[c->n++];
  *col = (struct fs_column){.candidate = candidate, .set = cand->set};
  col->cost = candidate_cost(c->p, cand) * 1e6 + 1e-7 * candidate;
}

static double sum_over(const double *of_rows, const struct fs_set *set) {
  double sum = 0;
  for FS_EACH_MEMBER(r, set) sum += of_rows[r];
  return sum;
}

static void keep_those(struct fs_covering *c, const double *of_rows, double slack) {
  int kept = 0;
  for (int x = 0; x < c->n; x++)
    if (c->columns[x].cost <= sum_over(of_rows, &c->columns[x].set) + slack)
      c->columns[kept++] = c->columns[x];
  c->n = kept;
}

/* Of the last relaxation, made so little that no column costs less than its rows are worth,
 * in microseconds: then no cover costs less than all of them. Gives their sum. */
static double lower_worth(const struct fs_covering *c, double *worth) {
  double all = 0;
  for (int r = 0; r < c->rows; r++) worth[r] = c->p->worth[c->p->as_phases][r] * 1e6;
  for (int x = 0; x < c->n; x++) {
    const struct fs_column *col = &c->columns[x];
    double more = sum_over(worth, &col->set) - col->cost;
    if (more <= 0) continue;
    for FS_EACH_MEMBER(r, &col->set) worth[r] -= more / fs_set_size(&col->set);
  }
  for (int r = 0; r < c->rows; r++) all += worth[r];
  return all;
}

/* What the cover costs that fuse.c found, in microseconds. */
static double cost_of_sketch(const struct fs_fusions *p) {
  double cost = 0;
  for (int k = 0; k < p->n_sketched[p->as_phases]; k++) {
    int x = p->sketched[p->as_phases][k];
    cost += candidate_cost(p, &p->candidates.data[x]) * 1e6 + 1e-7 * x;
  }
  return cost;
}

/* Leaves out what no best cover has: a fusion that takes longer than its clusters alone, and
 * one that costs more beyond what its rows are worth than a cover which is known. */
static void drop_dear(struct fs_covering *c) {
  static const double ROUNDING = 1e-6;
  const struct fs_fusions *p = c->p;
  double *rows = FS_NEW_N(p->arena, double, c->rows + 1);
  for (int r = 0; r < c->rows; r++) rows[r] = c->columns[r].cost; /* they come first */
  keep_those(c, rows, ROUNDING);
  if (!p->worth[p->as_phases] || !p->n_sketched[p->as_phases]) return;
  double bound = lower_worth(c, rows);
  keep_those(c, rows, cost_of_sketch(p) - bound + ROUNDING);
}

/* Without those that no best cover has, where no others are listed. Pins forbid some
 * clusters alone: then nothing is too dear. */
static void add_columns(struct fs_covering *c) {
  struct fs_fusions *p = c->p;
  bool all = c->k > 1 || p->options->n_pins > 0 || p->options->n_kernel_pins > 0;
  c->columns = FS_NEW_N(p->arena, struct fs_column, p->candidates.len + 1);
  for (int x = 0; x < p->candidates.len; x++)
    if (!fs_plan_pin_forbids(p, &p->candidates.data[x].set, true)) add_column(c, x);
  if (!all) drop_dear(c);
  for (int x = 0; x < c->n; x++)
    for FS_EACH_MEMBER(r, &c->columns[x].set)
      fs_set_join(&c->columns[x].reach, &p->reach[r]);
}

/* -- launch order ------------------------------------------------------------------ */

/* A kernel that waits for its turn. */
struct waiting {
  int kernel;           /* its candidate */
  int level;            /* how many kernels come before it, of which each needs the last */
  struct fs_set needs;
};

static bool is_library(const struct fs_fusions *p, int candidate) {
  return fs_window_cluster(p, fs_set_next(&p->candidates.data[candidate].set, 0))->library;
}

/* Which of the kernels that may be next comes first: in the order of the statements for the
 * strategies that keep it; where launches are shared, by levels, for few barriers, and calls
 * of libraries, which end a launch, together; else as they were found. `library`: the last one
 * was a call of one. */
static int rank_of(const struct fs_fusions *p, const struct waiting *w, bool library) {
  enum { OF_OTHERS = 1 << 20 };
  int first = INT32_MAX;
  if ((p->hurried || p->calls->clusters.len > FS_MAX_SET) && fs_plan_may_join(p->maker))
    return w->level + (is_library(p, w->kernel) == library ? 0 : OF_OTHERS);
  if (!fs_plan_keeps_order(p)) return 0;
  for FS_EACH_MEMBER(r, &p->candidates.data[w->kernel].set)
    first = FS_MIN(first, p->calls->turn[p->begin + r]);
  return first;
}

/* Puts the chosen candidates into an order in which each comes after what it
 * depends on; false if two wait for each other. */
static bool order(const struct fs_fusions *p, int *kernels, int n) {
  struct waiting list[FS_MAX_SET];
  struct fs_set done = {{0}};
  bool library = false;
  for (int k = 0; k < n; k++)
    list[k] = (struct waiting){kernels[k], 0, fs_set_needs(p, &p->candidates.data[kernels[k]].set)};
  for (int at = 0; at < n; at++) {
    int next = -1, least = INT32_MAX;
    for (int k = 0; k < n - at && least; k++) {
      int rank = fs_set_is_within(&list[k].needs, &done) ? rank_of(p, &list[k], library) : least;
      if (rank < least) least = rank, next = k;
    }
    if (next < 0) return false;
    struct waiting taken = list[next];
    const struct fs_set *set = &p->candidates.data[kernels[at] = taken.kernel].set;
    memmove(list + next, list + next + 1, sizeof *list * (size_t)(n - at - next - 1));
    for (int k = 0; k < n - at - 1; k++)
      if (fs_set_meets(&list[k].needs, set)) list[k].level = FS_MAX(list[k].level, taken.level + 1);
    library = is_library(p, taken.kernel);
    fs_set_join(&done, set);
  }
  return true;
}

/* -- how many there are -------------------------------------------------------------- */

struct state {
  struct fs_set covered;
  double covers, combinations; /* of the rest */
};

struct counter {
  struct fs_fusions *p;
  int words;                   /* of a set */
  int **by_first, *n_by_first; /* candidates by their first row */
  uint64_t **words_of;         /* ... and what they have, set by set */
  FS_VEC(struct state) states;
  int *table;
  int joins;
  bool full;
  int chosen[FS_MAX_SET], depth;
  double listed, feasible;     /* combinations, one by one */
};

static int first_row(const struct fs_set *s, int rows, bool in) {
  for (int w = 0; 64 * w < rows; w++) {
    uint64_t left = in ? s->word[w] : ~s->word[w];
    if (left) return FS_MIN(rows, 64 * w + __builtin_ctzll(left));
  }
  return rows;
}

/* What is covered with the candidate of that number and first row more; false: some of it
 * is already. */
static bool join(const struct counter *c, const struct fs_set *covered, int row, int number,
                 struct fs_set *out) {
  const uint64_t *set = c->words_of[row] + (size_t)number * (size_t)c->words;
  for (int w = 0; w < c->words; w++) {
    if (set[w] & covered->word[w]) return false;
    out->word[w] = set[w] | covered->word[w];
  }
  return true;
}

static int *find_state(struct counter *c, const struct fs_set *s) {
  size_t bytes = sizeof *s->word * (size_t)c->words;
  int mask = 2 * MAX_STATES - 1, at = (int)(fs_set_hash(s, c->words) & (uint64_t)mask);
  while (c->table[at] && memcmp(&c->states.data[c->table[at] - 1].covered, s, bytes))
    at = (at + 1) & mask;
  return &c->table[at];
}

/* How many ways lead on from what is covered, by dynamic programming over sets:
 * the first row that is not covered must be next. */
static struct state count_rest(struct counter *c, const struct fs_set *covered) {
  struct state sum = {.covered = *covered};
  int row = first_row(covered, fs_window_size(c->p), false);
  if (row == fs_window_size(c->p)) {
    sum.covers = sum.combinations = 1;
    return sum;
  }
  int *slot = find_state(c, covered);
  if (*slot) return c->states.data[*slot - 1];
  c->joins += c->n_by_first[row];
  if (c->states.len >= MAX_STATES || c->joins > (c->p->hurried ? FEW_JOINS : MAX_JOINS) ||
      fs_interrupted()) {
    c->full = true;
    return sum;
  }
  *FS_PUSH(&c->states) = sum;
  int mine = *slot = c->states.len;
  for (int k = 0; k < c->n_by_first[row]; k++) {
    int cand = c->by_first[row][k];
    struct fs_set next = {{0}};
    if (!join(c, covered, row, k, &next)) continue;
    struct state rest = count_rest(c, &next);
    sum.covers += rest.covers;
    sum.combinations += rest.combinations * c->p->candidates.data[cand].ways;
  }
  c->states.data[mine - 1] = sum;
  return sum;
}

/* Every cover, without those whose kernels wait for each other. */
static void count_each(struct counter *c, const struct fs_set *covered, double ways) {
  int row = first_row(covered, fs_window_size(c->p), false);
  if (row == fs_window_size(c->p)) {
    int chosen[FS_MAX_SET];
    memcpy(chosen, c->chosen, sizeof(int) * (size_t)c->depth);
    if (order(c->p, chosen, c->depth)) c->feasible += ways;
    return;
  }
  for (int k = 0; k < c->n_by_first[row]; k++) {
    int at = c->by_first[row][k];
    struct fs_set next = {{0}};
    if (!join(c, covered, row, k, &next)) continue;
    c->chosen[c->depth++] = at;
    count_each(c, &next, ways * c->p->candidates.data[at].ways);
    c->depth--;
  }
}

void fs_plan_count(struct fs_fusions *p) {
  int rows = fs_window_size(p);
  struct counter *c = FS_NEW(p->arena, struct counter);
  c->p = p;
  c->words = (rows + 63) / 64;
  c->by_first = FS_NEW_N(p->arena, int *, rows + 1);
  c->n_by_first = FS_NEW_N(p->arena, int, rows + 1);
  c->words_of = FS_NEW_N(p->arena, uint64_t *, rows + 1);
  c->table = FS_NEW_N(p->arena, int, 2 * MAX_STATES);
  for (int pass = 0; pass < 2; pass++) {
    for (int r = 0; pass && r < rows; r++) {
      c->by_first[r] = FS_NEW_N(p->arena, int, c->n_by_first[r] + 1);
      c->words_of[r] = FS_NEW_N(p->arena, uint64_t, c->n_by_first[r] * c->words + 1);
      c->n_by_first[r] = 0;
    }
    for (int k = 0; k < p->candidates.len; k++) {
      if (fs_plan_pin_forbids(p, &p->candidates.data[k].set, true)) continue;
      int r = first_row(&p->candidates.data[k].set, rows, true);
      if (pass) {
        c->by_first[r][c->n_by_first[r]] = k;
        memcpy(c->words_of[r] + (size_t)c->n_by_first[r] * (size_t)c->words,
               p->candidates.data[k].set.word, sizeof(uint64_t) * (size_t)c->words);
      }
      c->n_by_first[r]++;
    }
  }
  struct fs_set none = {{0}};
  struct state all = count_rest(c, &none);
  bool few = !c->full && all.covers <= MAX_LISTED;
  if (few) count_each(c, &none, 1);
  p->space.combinations = FS_MAX(p->space.combinations, 1) *
                          (few ? c->feasible : FS_MAX(all.combinations, 1));
  p->space.combinations_exact &= few;
  p->space.combinations_more |= c->full;
  FS_VEC_FREE(&c->states);
}

/* -- the k best ------------------------------------------------------------------------ */

/* A candidate's implementations as sums.c takes them. */
struct choices {
  int n;
  double *seconds;
  int *impl, *variant;
};

static struct choices list_choices(struct fs_fusions *p, const struct fs_candidate *cand) {
  struct choices ch = {.seconds = FS_NEW_N(p->arena, double, cand->ways),
                       .impl = FS_NEW_N(p->arena, int, cand->ways),
                       .variant = FS_NEW_N(p->arena, int, cand->ways)};
  for (int i = cand->first; i < cand->first + cand->n; i++)
    for (int v = 0; v < p->impls.data[i].variants; v++) {
      const struct fs_impl *impl = &p->impls.data[i];
      double seconds = seconds_of(p, impl, v);
      int at = ch.n;
      if (v != impl->variant && !p->options->variants) continue;
      if (impl->barred >> v & 1) continue;
      for (; at > 0 && ch.seconds[at - 1] > seconds; at--) {
        ch.seconds[at] = ch.seconds[at - 1];
        ch.impl[at] = ch.impl[at - 1];
        ch.variant[at] = ch.variant[at - 1];
      }
      ch.seconds[at] = seconds;
      ch.impl[at] = i;
      ch.variant[at] = v;
      ch.n++;
    }
  return ch;
}

/* Merges the k best combinations of a cover, its candidates in launch order, into the list. */
static int merge(struct fs_fusions *p, const int *chosen, int size, int k,
                 struct fs_combination *list, int n) {
  double *sums = fs_malloc(sizeof(double) * (size_t)k), base = 0;
  int *index = fs_malloc(sizeof(int) * (size_t)k * (size_t)(size + 1));
  const double **costs = fs_malloc(sizeof *costs * (size_t)(size + 1));
  int *lens = fs_malloc(sizeof(int) * (size_t)(size + 1));
  struct choices *ch = FS_NEW_N(p->arena, struct choices, size + 1);
  for (int x = 0; x < size; x++) {
    const struct fs_candidate *cand = &p->candidates.data[chosen[x]];
    ch[x] = list_choices(p, cand);
    costs[x] = ch[x].seconds;
    lens[x] = ch[x].n;
    base += extra_cost(p, cand);
  }
  int found = fs_rank_sums(size, costs, lens, k, sums, index);
  for (int f = 0; f < found; f++) {
    double cost = sums[f] + base;
    int at = n;
    while (at > 0 && list[at - 1].cost > cost) at--;
    if (at >= k) break;
    if (n < k) n++;
    memmove(list + at + 1, list + at, sizeof *list * (size_t)(n - 1 - at));
    list[at] = (struct fs_combination){.cost = cost, .n = size};
    list[at].picks = FS_NEW_N(p->arena, struct fs_pick, size + 1);
    for (int x = 0; x < size; x++) {
      int i = index[(size_t)f * (size_t)size + (size_t)x];
      list[at].picks[x] =
          (struct fs_pick){chosen[x], ch[x].impl[i], ch[x].variant[i]};
    }
  }
  free(sums);
  free(index);
  free((void *)costs);
  free(lens);
  return n;
}

/* The cover that fuse.c found is what others must be better than. */
static void keep_sketched(struct fs_covering *c) {
  struct fs_fusions *p = c->p;
  int most = p->n_sketched[p->as_phases], n = 0;
  int *columns = FS_NEW_N(p->arena, int, most + 1);
  for (int k = 0; k < most; k++)
    for (int x = 0; x < c->n; x++)
      if (c->columns[x].candidate == p->sketched[p->as_phases][k]) columns[n++] = x;
  if (n && n == most) fs_cover_keep(c, columns, n);
}

static void open_covering(struct fs_covering *c, struct fs_fusions *p, int k) {
  *c = (struct fs_covering){.p = p, .rows = fs_window_size(p), .k = FS_MIN(k, MOST_COVERS)};
  c->best = FS_NEW_N(p->arena, struct fs_cover, c->k + 1);
  add_columns(c);
}

static int solve_all(struct fs_fusions *p, int k, struct fs_combination *list) {
  struct fs_covering in;
  int found = 0;
  open_covering(&in, p, k);
  keep_sketched(&in);
  if (!fs_cover_few(&in)) fs_cover_search(&in);
  int *chosen = FS_NEW_N(p->arena, int, in.rows + 1);
  for (int x = 0; x < in.found; x++) {
    int n = in.best[x].n;
    for (int y = 0; y < n; y++) chosen[y] = in.columns[in.best[x].columns[y]].candidate;
    if (!order(p, chosen, n)) continue;
    /* Later covers cost at least as much. */
    if (found == k && in.best[x].cost * 1e-6 > list[k - 1].cost) break;
    found = merge(p, chosen, n, k, list, found);
  }
  return found;
}

/* -- GLPK without memory ---------------------------------------------------- */

/* GLPK says so on the terminal and calls abort(), unless its hook jumps; then it
 * is in no state to go on, and all that it holds goes with its environment. */
static void glpk_failed(void *user) {
  (void)user;
  fs_oom_raise();
}

static int glpk_says(void *user, const char *text) {
  (void)user;
  (void)text;
  return 1; /* nothing is printed */
}

/* What GLPK is asked for. */
struct request {
  struct fs_fusions *p;
  int k;
  struct fs_combination *list;  /* the k best, or NULL: */
  double *worth;                /* a sketch */
  int *chosen;
};

static int sketch(const struct request *q) {
  struct fs_covering in;
  open_covering(&in, q->p, 1);
  fs_cover_sketch(&in, q->worth);
  for (int r = 0; r < in.rows; r++) q->worth[r] *= 1e-6;
  if (!in.found) return 0;
  for (int x = 0; x < in.best[0].n; x++)
    q->chosen[x] = in.columns[in.best[0].columns[x]].candidate;
  return in.best[0].n;
}

/* Gives how many it found. */
static int ask_glpk(const struct request *q) {
  jmp_buf out_of_memory;
  jmp_buf *volatile outer = fs_oom_guard(&out_of_memory);
  volatile int n = 0;
  if (setjmp(out_of_memory)) {
    glp_free_env();
    n = 0;
  } else if (glp_init_env() != 2) {
    glp_term_out(GLP_OFF);
    glp_term_hook(glpk_says, NULL);
    glp_error_hook(glpk_failed, NULL);
    n = q->list ? solve_all(q->p, q->k, q->list) : sketch(q);
  }
  fs_oom_guard(outer);
  return n;
}

int fs_plan_sketch(struct fs_fusions *p, double *worth, int *chosen) {
  int n = ask_glpk(&(struct request){.p = p, .worth = worth, .chosen = chosen});
  if (!n) return 0;
  double **kept = &p->worth[p->as_phases];
  *kept = FS_NEW_N(p->arena, double, fs_window_size(p));
  memcpy(*kept, worth, sizeof **kept * (size_t)fs_window_size(p));
  return n;
}

/* The combinations of a cover that is known: the one that fuse.c found, else each cluster alone. */
static int take_known(struct fs_fusions *p, int k, struct fs_combination *list) {
  int known = p->n_sketched[p->as_phases], n = known ? known : fs_window_size(p);
  int *chosen = FS_NEW_N(p->arena, int, n + 1);
  for (int x = 0; x < n; x++) chosen[x] = known ? p->sketched[p->as_phases][x] : x;
  return order(p, chosen, n) ? merge(p, chosen, n, k, list, 0) : 0;
}

int fs_plan_combine(struct fs_fusions *p, int k, struct fs_combination *list) {
  bool alone = p->candidates.len == fs_window_size(p);
  if (alone || fs_interrupted() || (p->hurried && k == 1)) return take_known(p, k, list);
  int n = ask_glpk(&(struct request){.p = p, .k = k, .list = list});
  return n ? n : take_known(p, k, list);
}
