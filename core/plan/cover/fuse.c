/* fuse.c - the fusions of a window of clusters.
 *
 * A fusion is a set of clusters that hangs together (one uses another's result,
 * or both read one array), is convex (no path leaves it and comes back), crosses
 * no barrier, and for which kernel.c finds a kernel (Filipovic et al., section
 * 4.2, "generation of fusions"). Sets grow by one cluster at a time, and a set
 * without a kernel is not grown further: what forbids it forbids its supersets.
 *
 * Of small windows all sets are looked at. Of others those that good covers are made of: what
 * clusters are worth in the relaxation of all that is known so far (search.c) tells which
 * sets gain by one cluster more; and from a cover that it leads to, clusters move from kernel
 * to kernel, and kernels join, as long as that makes it better. Of larger ones kernels join in
 * pairs and move, beginning with those of one step laid over all that come again. Nothing goes
 * by time: the same block always has the same fusions.
 */
#include "core/plan/cover/inside.h"

#include <math.h>

#include "core/base/repeat.h"
#include "core/base/table.h"

enum {
  MAX_FUSION = 12,        /* clusters of a fusion, and of a window, of which all is enumerated */
  MAX_CANDIDATES = 400    /* of the full enumeration                          */
};

/* Where windows have more than MAX_FUSION clusters: calls in all sets for which a kernel is
 * looked for, by the number of clusters, or that of pairs where this is more; and so many that
 * what is near to the best fusions is looked at, too, where all else took less. */
enum { WORK_OF_A_CLUSTER = 145, WORK_OF_A_PAIR = 3, WORK_NEARBY = 2000 };

/* Planning a block has a budget, in steps: calls in sets for which a kernel is looked for. One
 * takes 1 to 3 us of a core (recursive FFT, GRU, Strassen and pairs of calls, EPYC, 28
 * November 2026). Windows share it by their clusters. One is searched as above where all that
 * takes, the work above and as much again for relaxations, is at most MOST_EFFORT ms, or what
 * `:set plan-effort` says: blocks of up to some 90 calls, whose kernels took up to a quarter
 * longer by a first cover (dense, in unit/test_space). Else there are first good covers, more
 * of them within LEAST_EFFORT ms. Moves end when so many steps for each cluster gained nothing. */
enum { STEPS_OF_A_MS = 500, LEAST_EFFORT = 20, MOST_EFFORT = 100, MOVES_IN_VAIN = 2,
       STEPS_OF_WORK = 2 };

/* A set that was looked at: where it is among the candidates, or why it is not. */
enum { NOT_NOW = -1, NO_KERNEL = -2 }; /* nor has a larger set one, nearly always */
struct seen {
  struct fs_set set;
  int at;
};

struct growth {
  struct fs_fusions *p;
  FS_VEC(struct seen) seen;
  struct fs_table by_set;
  int work, most_work;    /* calls in the sets that kernels were looked for   */
  FS_VEC(double) costs;   /* of candidates, by p->as_phases; NAN: not yet known */
  double *worth;          /* per cluster: what it may cost in a kernel        */
  double least[2];        /* cost of the best cover that was sketched, by p->as_phases */
  int patience, gained;   /* work that moves may take in vain, 0: all there is; what
                             there was when one gained something              */
};

/* Whether no kernel more is to be looked for. */
static bool is_over(const struct growth *g) {
  bool in_vain = g->patience && g->work - g->gained >= g->patience;
  return in_vain || g->work >= g->most_work || fs_interrupted();
}

/* The work of a search. */
static int work_for(int clusters) {
  return FS_MAX(WORK_OF_A_CLUSTER, WORK_OF_A_PAIR * clusters) * clusters;
}

/* The window's steps of so many ms for the block, of which there are only so many. */
static double steps_of(const struct fs_fusions *p, double ms) {
  double most = p->options->effort ? p->options->effort : MOST_EFFORT;
  double share = (double)fs_window_size(p) / p->calls->clusters.len;
  return STEPS_OF_A_MS * FS_MIN(ms, most) * share;
}

/* -- sets ----------------------------------------------------------------------- */

static bool same_set(const void *growth, int index, const void *set) {
  const struct growth *g = growth;
  return !memcmp(&g->seen.data[index].set, set, sizeof(struct fs_set));
}

/* What is known of a set, or NULL. */
static const struct seen *find_seen(struct growth *g, const struct fs_set *s) {
  int at = fs_table_find(&g->by_set, fs_set_hash(s, FS_MAX_SET / 64), same_set, g, s);
  return at < 0 ? NULL : &g->seen.data[at];
}

/* The entry of a set; *fresh: it was not there. */
static int look_up(struct growth *g, const struct fs_set *s, bool *fresh) {
  uint64_t hash = fs_set_hash(s, FS_MAX_SET / 64);
  int at = fs_table_find(&g->by_set, hash, same_set, g, s);
  *fresh = at < 0;
  if (!*fresh) return at;
  *FS_PUSH(&g->seen) = (struct seen){.set = *s, .at = -1};
  fs_table_add(&g->by_set, hash, g->seen.len - 1);
  return g->seen.len - 1;
}

/* -- which sets may be fusions ----------------------------------------------------- */

static void compute_reach(struct fs_fusions *p) {
  int n = fs_window_size(p);
  p->reach = FS_NEW_N(p->arena, struct fs_set, n);
  p->needs = FS_NEW_N(p->arena, struct fs_set, n);
  for (int c = n - 1; c >= 0; c--) {
    const struct fs_cluster *cl = fs_window_cluster(p, c);
    for (int k = 0; k < cl->after.len; k++) {
      int a = cl->after.data[k] - p->begin;
      if (a < 0 || a >= n) continue;
      fs_set_add(&p->reach[c], a);
      fs_set_join(&p->reach[c], &p->reach[a]);
    }
    for FS_EACH_MEMBER(later, &p->reach[c]) fs_set_add(&p->needs[later], c);
  }
}

static void connect(struct fs_fusions *p) {
  int n = fs_window_size(p);
  p->next_to = FS_NEW_N(p->arena, struct fs_set, n);
  for (int c = 0; c < n; c++) {
    const struct fs_cluster *cl = fs_window_cluster(p, c);
    const int *lists[] = {cl->before.data, cl->after.data, cl->beside.data};
    int lens[] = {cl->before.len, cl->after.len, cl->beside.len};
    for (int l = 0; l < 3; l++)
      for (int k = 0; k < lens[l]; k++) {
        int x = lists[l][k] - p->begin;
        if (x >= 0 && x < n && x != c) fs_set_add(&p->next_to[c], x);
      }
  }
}

/* -- candidates -------------------------------------------------------------------- */

static void note_rejection(struct fs_fusions *p, const struct fs_set *s, int c, enum fs_rule why) {
  fs_id a = 0, b = fs_window_last_call(p, c);
  for FS_EACH_MEMBER(m, s) a = fs_window_last_call(p, m);
  p->space.pruned[why]++;
  if (fs_set_size(s) == 1 || p->rejections.len < 64)
    fs_plan_reject(p, FS_MIN(a, b), FS_MAX(a, b), why);
}

/* A fusion that is legal and no faster than its clusters alone. It stays in the
 * space, for another combination may want it. */
static void compare_price(struct fs_fusions *p, const struct fs_set *s, int at, bool pair) {
  double apart = 0, together = p->candidates.data[at].seconds;
  fs_id calls[2] = {0};
  for FS_EACH_MEMBER(c, s) {
    apart += p->candidates.data[c].seconds;
    calls[0] = calls[1];
    calls[1] = fs_window_last_call(p, c);
  }
  if (together < apart) return;
  p->space.pruned[FS_RULE_PRICE]++;
  if (pair)
    fs_plan_reject(p, FS_MIN(calls[0], calls[1]), FS_MAX(calls[0], calls[1]), FS_RULE_PRICE);
}

/* The candidate of a set that was not looked at; else a negative number, and why. */
static int try_set(struct growth *g, const struct fs_set *s, enum fs_rule *why) {
  g->p->space.fusions++;
  *why = fs_plan_forbidden(g->p, s);
  if (!*why && is_over(g)) *why = FS_RULE_LIMIT;
  if (*why) return -1;
  g->work += fs_plan_calls_in(g->p, s);
  return fs_plan_try(g->p, s, why);
}

/* The set with cluster c: its candidate, or -1 if it cannot be a fusion. */
static int grow(struct growth *g, const struct fs_set *from, int c) {
  struct fs_fusions *p = g->p;
  struct fs_set s = *from;
  enum fs_rule why;
  bool fresh;
  fs_set_add(&s, c);
  int e = look_up(g, &s, &fresh);
  if (!fresh) return g->seen.data[e].at;
  int at = try_set(g, &s, &why);
  if (why) note_rejection(p, from, c, why);
  if (at >= 0) compare_price(p, &s, at, fs_set_size(from) == 1);
  g->seen.data[e].at = at;
  return at;
}

/* The clusters that may join a convex set: connected with it, and nothing outside
 * lies between. What does lie between may join first. */
static struct fs_set neighbours(struct fs_fusions *p, const struct fs_set *s, bool count) {
  struct fs_set out = {{0}}, from = {{0}}, to = {{0}};
  for FS_EACH_MEMBER(c, s) {
    fs_set_join(&out, &p->next_to[c]);
    fs_set_join(&from, &p->reach[c]);
    fs_set_join(&to, &p->needs[c]);
  }
  int words = (fs_window_size(p) + 63) / 64;
  for (int w = 0; w < words; w++) out.word[w] &= ~s->word[w];
  struct fs_set near = out;
  for FS_EACH_MEMBER(c, &near) {
    uint64_t between = 0;
    for (int w = 0; w < words; w++)
      between |= ((from.word[w] & p->needs[c].word[w]) |
                  (to.word[w] & p->reach[c].word[w])) & ~s->word[w];
    if (!between) continue;
    fs_set_drop(&out, c);
    if (!count) continue;
    p->space.fusions++;
    if (fs_set_size(s) == 1) note_rejection(p, s, c, FS_RULE_CONVEX);
    else p->space.pruned[FS_RULE_CONVEX]++;
  }
  return out;
}

/* -- by what clusters are worth ---------------------------------------------------- */

/* Where there are too many fusions to look at all of them, these are looked at: all pairs;
 * what grows from clusters and from good fusions while it takes less than what its clusters
 * are worth; and what comes of moves by which a good cover becomes a better one. */

static double cost_of(struct growth *g, int candidate) {
  while (g->costs.len <= candidate) *FS_PUSH(&g->costs) = NAN;
  double *cost = &g->costs.data[candidate];
  if (isnan(*cost)) *cost = fs_plan_cost(g->p, candidate);
  return *cost;
}

/* Whether a set was found to be no fusion that has all of it but one of the old members. What
 * forbids the one forbids the other nearly always: of 12,300 such sets of random blocks 420
 * had a kernel. */
static bool is_hopeless(struct growth *g, const struct fs_set *from, int c) {
  struct fs_set all = *from;
  fs_set_add(&all, c);
  if (fs_set_size(from) < 2) return false;
  for FS_EACH_MEMBER(m, from) {
    struct fs_set without = all;
    fs_set_drop(&without, m);
    const struct seen *s = find_seen(g, &without);
    if (s && s->at < 0) return true;
  }
  return false;
}

/* A cluster or a candidate, and what it costs, beyond what its clusters are worth. */
struct beyond {
  int which;
  double cost;
};

static int by_cost(const void *a, const void *b) {
  const struct beyond *x = a, *y = b;
  if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
  return x->which - y->which;
}

struct climb {
  struct growth *g;
  struct fs_set set;
  double cost;                  /* of the set */
  const struct fs_set *without; /* or NULL */
  double last[FS_MAX_SET];      /* what a cluster gained when fewer were in; NAN: not known */
  struct beyond list[FS_MAX_SET]; /* clusters that may join */
  int n;
};

/* What a cluster gains by a pair with one of the members. */
static double gain_of_pair(struct growth *g, const struct fs_set *s, int c) {
  double most = -HUGE_VAL;
  for FS_EACH_MEMBER(m, s) {
    struct fs_set pair = {{0}};
    if (!fs_set_has(&g->p->next_to[c], m)) continue;
    fs_set_add(&pair, m);
    fs_set_add(&pair, c);
    const struct seen *known = find_seen(g, &pair);
    if (!known || known->at < 0) continue;
    most = FS_MAX(most, cost_of(g, m) + g->worth[c] - cost_of(g, known->at));
  }
  return most;
}

static void list_guesses(struct climb *w) {
  struct fs_fusions *p = w->g->p;
  struct fs_set near = neighbours(p, &w->set, false);
  w->n = 0;
  for FS_EACH_MEMBER(c, &near) {
    if (fs_window_cluster(p, c)->library || (w->without && fs_set_has(w->without, c))) continue;
    double gain = isnan(w->last[c]) ? gain_of_pair(w->g, &w->set, c) : w->last[c];
    if (gain > -HUGE_VAL) w->list[w->n++] = (struct beyond){c, -gain};
  }
  qsort(w->list, (size_t)w->n, sizeof *w->list, by_cost);
}

/* The best of the few fusions with one cluster more that seem best, or -1. */
static int next_fusion(struct climb *w) {
  enum { FEW = 3 };
  struct growth *g = w->g;
  double most = 1e-12;
  int best = -1, priced = 0;
  for (int x = 0; x < w->n; x++) {
    int c = w->list[x].which;
    double hope = -w->list[x].cost;
    if (best >= 0 && (hope <= most || priced >= FEW)) break;
    if (hope <= 0 && (best >= 0 || priced > 0)) break;
    w->last[c] = -HUGE_VAL;
    if (is_hopeless(g, &w->set, c)) continue;
    int work = g->work, at = grow(g, &w->set, c);
    priced += g->work > work;
    if (at < 0) continue;
    double gain = w->last[c] = w->cost + g->worth[c] - cost_of(g, at);
    if (gain <= most) continue;
    most = gain;
    best = at;
  }
  return best;
}

/* From a candidate, always taking the neighbour that gains most, but for some. Gives the
 * set. */
static struct fs_set climb(struct growth *g, int from, const struct fs_set *without) {
  struct climb w = {.g = g, .without = without};
  for (int c = 0; c < fs_window_size(g->p); c++) w.last[c] = NAN;
  for (int at = from; at >= 0; at = next_fusion(&w)) {
    w.set = g->p->candidates.data[at].set;
    w.cost = cost_of(g, at);
    list_guesses(&w);
  }
  return w.set;
}

static void grow_pairs(struct growth *g) {
  struct fs_fusions *p = g->p;
  for (int c = 0; c < fs_window_size(p); c++) {
    struct fs_set s = p->candidates.data[c].set, near = neighbours(p, &s, true);
    for FS_EACH_MEMBER(other, &near)
      if (other > c && !fs_window_cluster(p, c)->library) grow(g, &s, other);
  }
}

/* From every cluster, as far as there is work; or `apart`, from what no fusion has yet. */
static void grow_each(struct growth *g, bool apart, int most) {
  struct fs_set have = {{0}};
  for (int c = 0; c < fs_window_size(g->p); c++) g->worth[c] = cost_of(g, c);
  for (int c = 0; c < fs_window_size(g->p) && g->work < most; c++) {
    if (fs_window_cluster(g->p, c)->library || fs_set_has(&have, c)) continue;
    struct fs_set s = climb(g, c, apart ? &have : NULL);
    if (apart) fs_set_join(&have, &s);
  }
}

/* The candidates by what they cost beyond what their clusters are worth. Gives how many. */
static int list_beyond(struct growth *g, struct beyond **out) {
  struct fs_fusions *p = g->p;
  int n = 0;
  struct beyond *list = *out = FS_NEW_N(p->arena, struct beyond, p->candidates.len);
  for (int k = 0; k < p->candidates.len; k++) {
    const struct fs_candidate *cand = &p->candidates.data[k];
    if (!fs_schemes[p->impls.data[cand->first].scheme].fuses) continue;
    list[n] = (struct beyond){k, cost_of(g, k)};
    for FS_EACH_MEMBER(c, &cand->set) list[n].cost -= g->worth[c];
    n++;
  }
  qsort(list, (size_t)n, sizeof *list, by_cost);
  return n;
}

/* From the candidates that cost least beyond what their clusters are worth: a fusion that
 * costs less than that makes the relaxation better. */
static void grow_best(struct growth *g) {
  enum { MOST = 40 };
  struct beyond *list;
  int n = list_beyond(g, &list);
  for (int k = 0; k < n && k < MOST; k++) climb(g, list[k].which, NULL);
}

/* The same with every neighbour, as far as there is work. */
static void grow_near(struct growth *g, int most) {
  struct beyond *list;
  int n = list_beyond(g, &list);
  for (int k = 0; k < n; k++) {
    struct fs_set s = g->p->candidates.data[list[k].which].set;
    struct fs_set near = neighbours(g->p, &s, false);
    for FS_EACH_MEMBER(c, &near) {
      if (g->work >= most) return;
      if (!is_hopeless(g, &s, c)) grow(g, &s, c);
    }
  }
}

/* -- moves ------------------------------------------------------------------------------ */

static bool is_convex(const struct fs_fusions *p, const struct fs_set *s) {
  struct fs_set all = *s;
  fs_set_add_between(p, &all);
  return !memcmp(&all, s, sizeof all);
}

static bool hangs_together(const struct fs_fusions *p, const struct fs_set *s) {
  struct fs_set have = {{0}}, more = {{0}};
  fs_set_add(&more, fs_set_next(s, 0));
  while (memcmp(&have, &more, sizeof have)) {
    have = more;
    for FS_EACH_MEMBER(c, &have) fs_set_join(&more, &p->next_to[c]);
    for (size_t w = 0; w < FS_LEN(s->word); w++) more.word[w] &= s->word[w];
  }
  return !memcmp(&have, s, sizeof have);
}

/* The candidate of any set of clusters, or a negative number. */
static int candidate_of(struct growth *g, const struct fs_set *s) {
  struct fs_fusions *p = g->p;
  bool fresh;
  if (fs_set_size(s) == 1) return fs_set_next(s, 0);
  int e = look_up(g, s, &fresh), at = NOT_NOW;
  if (!fresh) return g->seen.data[e].at;
  if (hangs_together(p, s) && is_convex(p, s) && !is_over(g)) {
    enum fs_rule why;
    at = try_set(g, s, &why);
    if (why) p->space.pruned[why]++;
    if (why && why != FS_RULE_SHAPE) at = NO_KERNEL; /* what joins two vectors may come */
  }
  g->seen.data[e].at = at;
  return at;
}

/* Kernels that have each cluster once. */
struct sketch {
  struct growth *g;
  int n;
  int kernels[FS_MAX_SET];  /* candidates */
  struct fs_set never[FS_MAX_SET]; /* per kernel: clusters that no kernel has with its own */
};

/* The candidate that has all of two kernels, or a negative number. */
static int joined(struct sketch *s, int a, int b) {
  const struct fs_candidate *list = s->g->p->candidates.data;
  struct fs_set x = list[s->kernels[a]].set, y = list[s->kernels[b]].set, both = x;
  if (fs_set_meets(&s->never[a], &y)) return NO_KERNEL;
  fs_set_join(&both, &y);
  int at = candidate_of(s->g, &both);
  if (at != NO_KERNEL) return at;
  fs_set_join(&s->never[a], &y);
  fs_set_join(&s->never[b], &x);
  return at;
}

/* Takes kernels x and y in the place of a and b (b, y: -1 if there is none), if that is
 * better, and a cover. */
static bool replace(struct sketch *s, int a, int b, int x, int y) {
  struct growth *g = s->g;
  double was = cost_of(g, s->kernels[a]) + (b < 0 ? 0 : cost_of(g, s->kernels[b]));
  int kernels[FS_MAX_SET], n = s->n;
  if (!(cost_of(g, x) + (y < 0 ? 0 : cost_of(g, y)) < was - 1e-12)) return false;
  if (!fs_plan_may_be_kernel(g->p, x) || (y >= 0 && !fs_plan_may_be_kernel(g->p, y)))
    return false;
  memcpy(kernels, s->kernels, sizeof *kernels * (size_t)n);
  kernels[a] = x;
  if (b < 0) kernels[n++] = y;
  else if (y < 0) kernels[b] = kernels[--n];
  else kernels[b] = y;
  if (!fs_plan_has_order(g->p, kernels, n)) return false;
  memcpy(s->kernels, kernels, sizeof *kernels * (size_t)n);
  if (b >= 0 && y < 0) {
    fs_set_join(&s->never[a], &s->never[b]);
    s->never[b] = s->never[n];
  } else {
    memset(&s->never[a], 0, sizeof *s->never);
    memset(&s->never[b < 0 ? n - 1 : b], 0, sizeof *s->never);
  }
  s->n = n;
  g->gained = g->work;
  return true;
}

static struct fs_set next_to_set(const struct fs_fusions *p, const struct fs_set *s) {
  struct fs_set near = {{0}};
  for FS_EACH_MEMBER(c, s) fs_set_join(&near, &p->next_to[c]);
  return near;
}

/* Makes one kernel of two. */
static bool join_two(struct sketch *s, int a, int b) {
  int both = joined(s, a, b);
  return both >= 0 && replace(s, a, b, both, -1);
}

/* Makes one kernel of two, or moves a cluster from the first to the second. */
static bool move_between(struct sketch *s, int a, int b) {
  struct growth *g = s->g;
  struct fs_set from = g->p->candidates.data[s->kernels[a]].set;
  struct fs_set to = g->p->candidates.data[s->kernels[b]].set;
  struct fs_set near = next_to_set(g->p, &to);
  if (!fs_set_meets(&near, &from)) return false;
  if (a < b && join_two(s, a, b)) return true;
  if (fs_set_size(&from) == 1) return false;
  for FS_EACH_MEMBER(c, &from) {
    struct fs_set rest = from, more = to;
    if (!fs_set_has(&near, c) || is_hopeless(g, &to, c)) continue;
    fs_set_drop(&rest, c);
    fs_set_add(&more, c);
    int y = candidate_of(g, &more), x = y < 0 ? -1 : candidate_of(g, &rest);
    if (x >= 0 && replace(s, a, b, x, y)) return true;
  }
  return false;
}

/* Makes a kernel of one cluster. */
static bool move_out(struct sketch *s, int a) {
  struct fs_set from = s->g->p->candidates.data[s->kernels[a]].set;
  if (fs_set_size(&from) == 1) return false;
  for FS_EACH_MEMBER(c, &from) {
    struct fs_set rest = from;
    fs_set_drop(&rest, c);
    int x = candidate_of(s->g, &rest);
    if (x >= 0 && replace(s, a, -1, x, c)) return true;
  }
  return false;
}

/* Every pair of kernels once; false: no move makes it better. */
static bool move(struct sketch *s) {
  bool any = false;
  for (int a = 0; a < s->n; a++)
    for (int b = 0; b < s->n && a < s->n; b++)
      if (a != b) any |= move_between(s, a, b);
  for (int a = 0; a < s->n; a++) any |= move_out(s, a);
  return any;
}

/* -- a first good cover --------------------------------------------------------------- */

/* The kernels that share data with kernel a, those nearest in the order of clusters first, a
 * few on each side. `owner`: per cluster, its kernel. Gives how many. */
static int list_near(const struct sketch *s, int a, const int *owner, int *out) {
  enum { FEW = 3 };
  const struct fs_fusions *p = s->g->p;
  const struct fs_set *set = &p->candidates.data[s->kernels[a]].set;
  struct fs_set near = next_to_set(p, set);
  int n = 0, low = fs_set_next(set, 0);
  for (int way = 0; way < 2; way++) {
    int found = 0;
    for (int c = low; c >= 0 && c < fs_window_size(p) && found < FEW; c += way ? 1 : -1) {
      if (!fs_set_has(&near, c) || owner[c] == a) continue;
      bool known = fs_window_cluster(p, c)->library;
      for (int k = 0; k < n && !known; k++) known = out[k] == owner[c];
      if (known) continue;
      out[n++] = owner[c];
      found++;
    }
  }
  return n;
}

/* Joins kernel a with the neighbour by which most is gained; false: none. Where nearly all gain
 * a launch, small ones come first (a recursive FFT has 4 % fewer kernels on a CPU then). */
static bool join_best(struct sketch *s, int a, int *owner) {
  static const double OF_A_CLUSTER = 0.006; /* of what is gained, less */
  struct growth *g = s->g;
  double less = fs_plan_may_join(g->p->maker) ? 0 : OF_A_CLUSTER;
  int near[8], n = list_near(s, a, owner, near), best = -1, both = -1;
  double most = 1e-12;
  for (int k = 0; k < n; k++) {
    int at = joined(s, a, near[k]);
    if (at < 0) continue;
    double gain = cost_of(g, s->kernels[a]) + cost_of(g, s->kernels[near[k]]) - cost_of(g, at);
    gain /= 1 + less * fs_set_size(&g->p->candidates.data[at].set);
    if (gain <= most) continue;
    most = gain;
    best = near[k];
    both = at;
  }
  if (best < 0) return false;
  int last = s->n - 1;
  if (!replace(s, a, best, both, -1)) return false; /* the last one takes its place */
  for FS_EACH_MEMBER(c, &g->p->candidates.data[both].set) owner[c] = a == last ? best : a;
  if (best != last && a != last)
    for FS_EACH_MEMBER(c, &g->p->candidates.data[s->kernels[best]].set) owner[c] = best;
  return true;
}

/* Kernels join in pairs, again and again: each is priced as often as it doubles, so this
 * takes little more than to price every cluster some times. */
static void coarsen(struct sketch *s) {
  struct fs_fusions *p = s->g->p;
  int owner[FS_MAX_SET];
  for (int k = 0; k < s->n; k++)
    for FS_EACH_MEMBER(c, &p->candidates.data[s->kernels[k]].set) owner[c] = k;
  for (bool any = true; any;) {
    int known = p->candidates.len; /* what is joined now waits for the next round */
    any = false;
    for (int a = 0; a < s->n; a++)
      if (s->kernels[a] < known) any |= join_best(s, a, owner);
  }
}

/* Joins every kernel with any other that shares data with it, where that gains. */
static void join_all(struct sketch *s) {
  const struct fs_fusions *p = s->g->p;
  for (bool any = true; any;) {
    any = false;
    for (int a = 0; a < s->n; a++) {
      struct fs_set near = next_to_set(p, &p->candidates.data[s->kernels[a]].set);
      for (int b = a + 1; b < s->n; b++)
        if (fs_set_meets(&near, &p->candidates.data[s->kernels[b]].set)) any |= join_two(s, a, b);
    }
  }
}

/* -- steps that come again ------------------------------------------------------------ */

/* Per cluster: what it takes alone, and what its users do; in all steps of a loop the same. */
static uint64_t *find_forms(const struct fs_fusions *p) {
  int n = fs_window_size(p);
  uint64_t *form = FS_NEW_N(p->arena, uint64_t, 2 * n), *alone = form + n;
  for (int c = 0; c < n; c++) {
    uint64_t calls = (uint64_t)fs_window_cluster(p, c)->nodes.len;
    alone[c] = fs_hash(&p->candidates.data[c].seconds, sizeof(double), calls);
  }
  for (int c = 0; c < n; c++) {
    const struct fs_cluster *cl = fs_window_cluster(p, c);
    for (int k = 0; k < cl->after.len; k++)
      if (cl->after.data[k] < p->end) form[c] += alone[cl->after.data[k] - p->begin];
    form[c] = fs_hash(&form[c], sizeof *form, alone[c] + (uint64_t)cl->before.len);
  }
  return form;
}

/* Searches for the best kernels of a few steps, as of a window of their own. What does not need
 * the first step is left out: others of its kind gain more by each other. Gives how many. */
static int search_steps(struct fs_fusions *p, const struct fs_repeat *st, int begin, int n,
                        struct fs_set *kernels) {
  struct fs_combination c = {0};
  struct fs_set given = {{0}};
  struct fs_fusions q = *p;
  for (int k = 0; k < n; k++)
    if (fs_set_next(&p->needs[begin + k], st->begin) >= st->begin + st->period)
      fs_set_add(&given, k);
  if (fs_set_size(&given) == n) return 0;
  q.end = (q.begin += begin) + n;
  q.alone = &given;
  q.by_prices = false;
  memset(&q.candidates, 0, sizeof q.candidates);
  memset(&q.impls, 0, sizeof q.impls);
  memset(&q.rejections, 0, sizeof q.rejections);
  if (!fs_plan_candidates(&q) || !fs_plan_combine(&q, 1, &c)) c.n = 0;
  for (int k = 0; k < c.n; k++) kernels[k] = q.candidates.data[c.picks[k].candidate].set;
  p->space = q.space;
  fs_fusions_close(&q);
  return c.n;
}

/* Lays the best kernels of a few steps over all; also over what lies around them, as the first
 * step and the last one are given and give other things. A step ends with what is used most. */
static void lay_steps(struct sketch *s, const uint64_t *form, const struct fs_repeat *st,
                      struct fs_set *have) {
  struct fs_fusions *p = s->g->p;
  struct fs_set kernels[FS_MAX_SET];
  int each = st->period, end = st->begin + each * st->count, size = fs_window_size(p), most = 0;
  int n = FS_MAX(1, FS_MIN(MAX_FUSION / each, (st->count - 1) / 2)) * each;
  int middle = st->begin + st->count / 2 * each, begin = middle;
  for (int c = middle - each; c < middle; c++) {
    int users = fs_window_cluster(p, c)->after.len;
    if (users > most) begin = c + 1;
    most = FS_MAX(most, users);
  }
  int from[FS_MAX_SET], to[FS_MAX_SET], found = search_steps(p, st, begin, n, kernels);
  for (int k = 0; k < n; k++) from[k] = begin + k;
  for (int k = 0; k < n; k += each) fs_sort_by(form, from + k, each);
  for (int at = begin - (begin - st->begin + n) / n * n; found && at < end + n; at += n) {
    bool alike = at >= st->begin && at + n <= end;
    for (int k = 0; k < n; k++) to[k] = at + (alike ? k : from[k] - begin);
    for (int k = 0; k < n && alike; k += each) fs_sort_by(form, to + k, each);
    for (int k = 0; k < found; k++) {
      struct fs_set set = {{0}};
      for (int c = 0; c < n; c++)
        if (to[c] >= 0 && to[c] < size && fs_set_has(&kernels[k], from[c] - begin))
          fs_set_add(&set, to[c]);
      int x = fs_set_size(&set) < 2 || fs_set_meets(have, &set) ? -1 : candidate_of(s->g, &set);
      if (x < 0) continue;
      s->kernels[s->n++] = x;
      fs_set_join(have, &set);
    }
  }
}

/* Each cluster alone, but for steps that come again; false: none do. */
static bool start(struct sketch *s, bool by_steps) {
  enum { MOST_OF_A_STEP = 48, FEW_STEPS = 4 }; /* clusters; steps */
  const uint64_t *form = find_forms(s->g->p);
  int n = fs_window_size(s->g->p), from = 0;
  struct fs_set have = {{0}};
  struct fs_repeat st;
  memset(s->never, 0, sizeof s->never);
  s->n = 0;
  while (by_steps && fs_find_repeat(form, from, n, MOST_OF_A_STEP, FEW_STEPS, &st)) {
    lay_steps(s, form, &st, &have);
    from = st.begin + st.period * st.count;
  }
  memmove(s->kernels + n - fs_set_size(&have), s->kernels, sizeof *s->kernels * (size_t)s->n);
  s->n += n - fs_set_size(&have);
  for (int c = 0, k = 0; c < n; c++)
    if (!fs_set_has(&have, c)) s->kernels[k++] = c;
  return fs_set_size(&have) > 0;
}

/* -- both ------------------------------------------------------------------------------- */

/* Keeps the better one of it and what was sketched before; false: that is. */
static bool keep_sketch(const struct sketch *s) {
  struct growth *g = s->g;
  struct fs_fusions *p = g->p;
  double cost = 0;
  for (int k = 0; k < s->n; k++) cost += cost_of(g, s->kernels[k]);
  if (cost >= g->least[p->as_phases]) return false;
  g->least[p->as_phases] = cost;
  int *kept = p->sketched[p->as_phases] = FS_NEW_N(p->arena, int, s->n + 1);
  memcpy(kept, s->kernels, sizeof *kept * (size_t)s->n);
  p->n_sketched[p->as_phases] = s->n;
  return true;
}

/* A cover is moved as far as that makes it better. Gives what the relaxation says that no
 * cover of the candidates costs less than; 0: there is none. */
static double sketch(struct growth *g) {
  struct sketch *s = FS_NEW(g->p->arena, struct sketch);
  double bound = 0;
  s->g = g;
  s->n = fs_plan_sketch(g->p, g->worth, s->kernels);
  if (!s->n) return 0;
  while (move(s)) {}
  keep_sketch(s);
  for (int c = 0; c < fs_window_size(g->p); c++) bound += g->worth[c];
  return bound;
}

/* Fusions grow by what a sketch taught, and so on. What is left of the work nearby goes to
 * what is near to the best ones. */
static void improve(struct growth *g, int nearby) {
  enum { ROUNDS = 2 };
  double last = HUGE_VAL;
  for (int round = 0; !is_over(g); round++) {
    double bound = sketch(g);
    if (!(bound > 0)) return;
    if (round == ROUNDS || bound > last * 0.999) break;
    last = bound;
    grow_best(g);
  }
  if (g->work >= nearby || fs_interrupted()) return;
  grow_near(g, nearby);
  sketch(g);
}

/* The price that goes by: of launches, or of phases. */
static void price_as(struct growth *g, bool phases) {
  g->p->as_phases = phases;
  g->costs.len = 0;
}

/* First good covers by both prices, with and without steps where that takes little. */
static void find_first(struct growth *g, struct sketch *best) {
  struct fs_fusions *p = g->p;
  struct sketch *s = FS_NEW(p->arena, struct sketch);
  s->g = g;
  for (int as = p->by_prices; as >= 0; as--)
    for (int steps = 1, more = 1; more && steps >= 0; steps--) {
      if ((as || !steps) && g->work >= steps_of(p, LEAST_EFFORT)) continue;
      price_as(g, as);
      more = start(s, steps);
      coarsen(s);
      join_all(s);
      if (keep_sketch(s)) *best = *s;
    }
}

/* A first good cover of a window, made better while that is worth it. Whether there is effort
 * left for a search. */
static bool grow_first(struct growth *g) {
  struct fs_fusions *p = g->p;
  struct sketch *s = FS_NEW(p->arena, struct sketch);
  int n = fs_window_size(p);
  find_first(g, s);
  g->gained = g->work;
  g->patience = MOVES_IN_VAIN * n;
  while (!is_over(g) && move(s)) {}
  g->patience = 0;
  for (int as = p->by_prices; as >= 0; as--) {
    price_as(g, as);
    keep_sketch(s);
  }
  return STEPS_OF_WORK * work_for(n) <= steps_of(p, HUGE_VAL) - g->work;
}

/* Whether the window is large, and the plan is free to be found in another way. */
static bool wants_first(const struct fs_fusions *p) {
  int n = fs_window_size(p), pins = p->options->n_pins + p->options->n_kernel_pins;
  return n > MAX_FUSION && !pins && !p->alone && !fs_plan_keeps_order(p) &&
         STEPS_OF_WORK * work_for(n) > steps_of(p, MOST_EFFORT);
}

static void grow_by_worth(struct growth *g) {
  struct fs_fusions *p = g->p;
  int n = fs_window_size(p), work = work_for(n);
  struct fs_set all = {{0}}; /* in one kernel, to which growth by one cluster may not come */
  for (int c = 0; c < n; c++) fs_set_add(&all, c);
  candidate_of(g, &all);
  if (p->by_prices) work = work * 2 / 3; /* the rest is for the other price */
  g->worth = FS_NEW_N(p->arena, double, n);
  g->most_work = g->work + work;
  grow_pairs(g);
  grow_each(g, true, INT32_MAX);
  sketch(g);
  grow_each(g, false, g->most_work - (work + 1) / 2);
  improve(g, WORK_NEARBY);
  if (p->by_prices) {
    g->most_work = FS_MAX(g->work, g->most_work) + work / 2;
    price_as(g, true);
    improve(g, 0);
    p->as_phases = false;
  }
  g->most_work = INT32_MAX;
}

static void enumerate(struct growth *g) {
  struct fs_fusions *p = g->p;
  for (int k = 0; k < p->candidates.len; k++) {
    struct fs_set s = p->candidates.data[k].set;
    int first = p->candidates.data[k].first;
    if (!fs_schemes[p->impls.data[first].scheme].fuses) continue;
    if (fs_set_size(&s) >= MAX_FUSION && !fs_plan_keeps_order(p)) continue;
    struct fs_set near = neighbours(p, &s, true);
    for FS_EACH_MEMBER(c, &near) {
      if (p->candidates.len >= MAX_CANDIDATES || fs_interrupted()) {
        p->space.pruned[FS_RULE_LIMIT]++;
        return;
      }
      grow(g, &s, c);
    }
  }
}

bool fs_plan_candidates(struct fs_fusions *p) {
  int n = fs_window_size(p);
  struct growth g = {.p = p, .most_work = INT32_MAX, .least = {HUGE_VAL, HUGE_VAL}};
  p->hurried = false;
  p->pins_taken = 0;
  p->n_sketched[0] = p->n_sketched[1] = 0;
  p->worth[0] = p->worth[1] = NULL;
  p->pinned = NULL;
  compute_reach(p);
  for (int c = 0; c < n; c++)
    if (!fs_plan_try_alone(p, c)) return false;
  if (p->options->strategy != FS_FUSE_OFF && !fs_interrupted()) {
    connect(p);
    fs_plan_take_pins(p);
    fs_plan_take_kernel_pins(p);
    bool fresh;
    for (int k = n; k < p->candidates.len; k++) {
      int e = look_up(&g, &p->candidates.data[k].set, &fresh);
      g.seen.data[e].at = k;
    }
    if (wants_first(p)) p->hurried = !grow_first(&g);
    if (n > MAX_FUSION && !p->hurried) grow_by_worth(&g);
    if (n <= MAX_FUSION || fs_plan_keeps_order(p)) enumerate(&g);
  }
  p->space.priced += g.work;
  FS_VEC_FREE(&g.seen);
  FS_VEC_FREE(&g.costs);
  fs_table_free(&g.by_set);
  return true;
}
