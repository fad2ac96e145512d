/* fuse.c - the fusions of a window of clusters.
 *
 * A fusion is a set of clusters that hangs together (one uses another's result,
 * or both read one array), is convex (no path leaves it and comes back), crosses
 * no barrier, and for which kernel.c finds a kernel (Filipovic et al., section
 * 4.2, "generation of fusions"). Sets grow by one cluster at a time, and a set
 * without a kernel is not grown further: what forbids it forbids its supersets.
 */
#include "core/plan/planner.h"

enum {
  MAX_FUSION = 12,        /* clusters that the full enumeration puts together */
  MAX_CALLS = 160,        /* calls of a fusion: bounds compile time           */
  MAX_CANDIDATES = 400,   /* of the full enumeration                          */
  MAX_WORK = 40000        /* calls in all sets for which a kernel is looked for */
};

/* A set that was looked at: where it is among the candidates, or why not. */
struct seen {
  struct fs_set set;
  int at;
  const char *why;
};

struct growth {
  struct fs_planner *p;
  FS_VEC(struct seen) seen;
  int *table, cap;        /* hashed: index + 1 into `seen`                    */
  int work;               /* calls in the sets that kernels were looked for   */
};

static struct fs_cluster *cluster(struct fs_planner *p, int i) {
  return &p->clusters.data[p->window + i];
}

static int window_size(const struct fs_planner *p) {
  return p->window_end - p->window;
}

/* -- sets ----------------------------------------------------------------------- */

static int set_size(const struct fs_set *s) {
  int n = 0;
  for (size_t w = 0; w < FS_LEN(s->word); w++)
    n += __builtin_popcountll(s->word[w]);
  return n;
}

static void add_all(struct fs_set *to, const struct fs_set *from) {
  for (size_t w = 0; w < FS_LEN(to->word); w++) to->word[w] |= from->word[w];
}

/* The first member at or after `from`; FS_MAX_SET if there is none. */
static int next_in(const struct fs_set *s, int from) {
  for (int w = from / 64; w < FS_MAX_SET / 64; w++) {
    uint64_t left = s->word[w];
    if (w == from / 64) left &= ~(uint64_t)0 << (from % 64);
    if (left) return w * 64 + __builtin_ctzll(left);
  }
  return FS_MAX_SET;
}

#define EACH(i, set) \
  (int i = next_in((set), 0); i < FS_MAX_SET; i = next_in((set), i + 1))

static int *slot_of(struct growth *g, const struct fs_set *s) {
  int at = (int)(fs_set_hash(s, FS_MAX_SET / 64) & (uint64_t)(g->cap - 1));
  while (g->table[at] &&
         memcmp(&g->seen.data[g->table[at] - 1].set, s, sizeof *s))
    at = (at + 1) & (g->cap - 1);
  return &g->table[at];
}

/* The entry of a set; *fresh: it was not there. */
static int look_up(struct growth *g, const struct fs_set *s, bool *fresh) {
  if (2 * g->seen.len >= g->cap) {
    g->cap = g->cap ? 2 * g->cap : 1024;
    g->table = fs_realloc(g->table, sizeof(int) * (size_t)g->cap);
    memset(g->table, 0, sizeof(int) * (size_t)g->cap);
    for (int k = 0; k < g->seen.len; k++)
      *slot_of(g, &g->seen.data[k].set) = k + 1;
  }
  int *slot = slot_of(g, s);
  *fresh = !*slot;
  if (*fresh) {
    *FS_PUSH(&g->seen) = (struct seen){.set = *s, .at = -1};
    *slot = g->seen.len;
  }
  return *slot - 1;
}

/* -- which sets may be fusions ----------------------------------------------------- */

static void compute_reach(struct fs_planner *p) {
  int n = window_size(p);
  p->reach = FS_NEW_N(p->arena, struct fs_set, n);
  for (int c = n - 1; c >= 0; c--) {
    const struct fs_cluster *cl = cluster(p, c);
    for (int k = 0; k < cl->after.len; k++) {
      int a = cl->after.data[k] - p->window;
      if (a < 0 || a >= n) continue;
      fs_set_add(&p->reach[c], a);
      add_all(&p->reach[c], &p->reach[a]);
    }
  }
}

static void connect(struct fs_planner *p) {
  int n = window_size(p);
  p->next_to = FS_NEW_N(p->arena, struct fs_set, n);
  p->needs = FS_NEW_N(p->arena, struct fs_set, n);
  for (int c = 0; c < n; c++) {
    for EACH(later, &p->reach[c]) fs_set_add(&p->needs[later], c);
    const struct fs_cluster *cl = cluster(p, c);
    const int *lists[] = {cl->before.data, cl->after.data, cl->beside.data};
    int lens[] = {cl->before.len, cl->after.len, cl->beside.len};
    for (int l = 0; l < 3; l++)
      for (int k = 0; k < lens[l]; k++) {
        int x = lists[l][k] - p->window;
        if (x >= 0 && x < n && x != c) fs_set_add(&p->next_to[c], x);
      }
  }
}

static bool crosses_barrier(struct fs_planner *p, const struct fs_set *s) {
  if (!p->g->barriers.len) return false;
  fs_id low = UINT32_MAX, high = 0;
  for EACH(c, s) {
    const struct fs_cluster *cl = cluster(p, c);
    low = FS_MIN(low, cl->nodes.data[0]);
    high = FS_MAX(high, cl->nodes.data[cl->nodes.len - 1]);
  }
  for (int b = 0; b < p->g->barriers.len; b++)
    if (low < p->g->barriers.data[b] && high >= p->g->barriers.data[b])
      return true;
  return false;
}

/* The members are neighbours in the order of the statements. */
static bool contiguous(const struct fs_planner *p, const struct fs_set *s) {
  int low = INT32_MAX, high = -1;
  for EACH(c, s) {
    low = FS_MIN(low, p->turn[p->window + c]);
    high = FS_MAX(high, p->turn[p->window + c]);
  }
  return high - low + 1 == set_size(s);
}

static int calls_in(struct fs_planner *p, const struct fs_set *s) {
  int n = 0;
  for EACH(c, s) n += cluster(p, c)->nodes.len;
  return n;
}

/* -- candidates -------------------------------------------------------------------- */

static int compare_ids(const void *a, const void *b) {
  fs_id x = *(const fs_id *)a, y = *(const fs_id *)b;
  return x < y ? -1 : x > y;
}

int fs_plan_members(struct fs_planner *p, const struct fs_set *s, fs_id **out) {
  fs_id *calls = *out = FS_NEW_N(p->arena, fs_id, calls_in(p, s) + 1);
  int n = 0;
  for EACH(c, s) {
    const struct fs_cluster *cl = cluster(p, c);
    memcpy(calls + n, cl->nodes.data, sizeof(fs_id) * (size_t)cl->nodes.len);
    n += cl->nodes.len;
  }
  qsort(calls, (size_t)n, sizeof(fs_id), compare_ids);
  return n;
}

/* What the set stores for others: bytes that the block does not give. */
static double temporaries(struct fs_planner *p, const struct fs_set *s) {
  double bytes = 0;
  for EACH(c, s) {
    const struct fs_cluster *cl = cluster(p, c);
    bool wanted = false;
    for (int k = 0; k < cl->after.len; k++) {
      int a = cl->after.data[k] - p->window;
      wanted |= a < 0 || a >= window_size(p) || !fs_set_has(s, a);
    }
    if (!wanted) continue;
    const struct fs_node *nd =
        fs_node(p->g, cl->nodes.data[cl->nodes.len - 1]);
    if (p->info[cl->nodes.data[cl->nodes.len - 1]].is_output) continue;
    bytes += (double)fs_shape_count(&nd->shape) *
             (double)fs_dtype_size(nd->dtype);
  }
  return bytes;
}

static int add_candidate(struct fs_planner *p, const struct fs_set *s,
                         int first) {
  struct fs_candidate c = {.set = *s, .first = first,
                           .n = p->impls.len - first,
                           .seconds = p->impls.data[first].seconds,
                           .temporary = temporaries(p, s)};
  p->space.legal++;
  for (int k = 0; k < c.n; k++) c.ways += fs_impl_ways(&p->impls.data[first + k]);
  p->space.kept += c.ways;
  *FS_PUSH(&p->candidates) = c;
  return p->candidates.len - 1;
}

/* A candidate of the set, if it has a kernel. */
int fs_plan_try(struct fs_planner *p, const struct fs_set *s,
                const char **why) {
  fs_id *calls;
  int n = fs_plan_members(p, s, &calls), first = p->impls.len;
  *why = fs_kernel_survey(p, calls, n, &p->impls);
  return *why ? -1 : add_candidate(p, s, first);
}

static bool add_single(struct fs_planner *p, int c) {
  struct fs_set s = {{0}};
  const char *why;
  fs_set_add(&s, c);
  const struct fs_cluster *cl = cluster(p, c);
  if (!cl->library) return fs_plan_try(p, &s, &why) >= 0;
  struct fs_kernel k;
  fs_kernel_library(p, cl->nodes.data[0], &k);
  int first = p->impls.len;
  *FS_PUSH(&p->impls) =
      (struct fs_impl){.scheme = FS_LIBRARY, .variants = 1,
                       .each = {k.first}, .seconds = k.first};
  p->space.implementations++;
  fs_kernel_free(&k);
  add_candidate(p, &s, first);
  return true;
}

static fs_id last_call(struct fs_planner *p, int c) {
  return cluster(p, c)->nodes.data[cluster(p, c)->nodes.len - 1];
}

static void note_rejection(struct fs_planner *p, const struct fs_set *s, int c,
                           const char *why) {
  fs_id a = 0, b = last_call(p, c);
  for EACH(m, s) a = last_call(p, m);
  p->space.pruned[fs_rule_of(why)]++;
  if (set_size(s) == 1 || p->rejections.len < 64)
    fs_plan_reject(p, FS_MIN(a, b), FS_MAX(a, b), why, 0, 0);
}

static bool keeps_order(const struct fs_planner *p) {
  return p->options->strategy == FS_NO_REORDER ||
         p->options->strategy == FS_MANUAL;
}

const char *fs_plan_forbidden(struct fs_planner *p, const struct fs_set *s) {
  for EACH(c, s)
    if (cluster(p, c)->library) return "library";
  if (fs_plan_pin_forbids(p, s, false)) return "pin";
  if (crosses_barrier(p, s)) return "barrier";
  if (calls_in(p, s) > MAX_CALLS) return "limit";
  if (keeps_order(p) && !contiguous(p, s)) return "order";
  return NULL;
}

/* A fusion that is legal and no faster than its clusters alone. It stays in the
 * space, for another combination may want it. */
static void compare_price(struct fs_planner *p, const struct fs_set *s, int at,
                          bool pair) {
  double apart = 0, together = p->candidates.data[at].seconds;
  fs_id calls[2] = {0};
  for EACH(c, s) {
    apart += p->candidates.data[c].seconds;
    calls[0] = calls[1];
    calls[1] = last_call(p, c);
  }
  if (together < apart) return;
  p->space.pruned[FS_RULE_PRICE]++;
  if (pair)
    fs_plan_reject(p, FS_MIN(calls[0], calls[1]), FS_MAX(calls[0], calls[1]),
                   "price", together, apart);
}

/* The set with cluster c: its candidate, or -1 if it cannot be a fusion. */
static int grow(struct growth *g, const struct fs_set *from, int c) {
  struct fs_planner *p = g->p;
  struct fs_set s = *from;
  bool fresh;
  fs_set_add(&s, c);
  int e = look_up(g, &s, &fresh);
  if (!fresh) return g->seen.data[e].at;
  p->space.fusions++;
  const char *why = fs_plan_forbidden(p, &s);
  int at = -1;
  if (!why && g->work >= MAX_WORK) why = "limit";
  if (!why) g->work += calls_in(p, &s);
  if (!why) at = fs_plan_try(p, &s, &why);
  if (why) note_rejection(p, from, c, why);
  if (at >= 0) compare_price(p, &s, at, set_size(from) == 1);
  g->seen.data[e].at = at;
  g->seen.data[e].why = why;
  return at;
}

/* The clusters that may join a convex set: connected with it, and nothing outside
 * lies between. What does lie between may join first. */
static struct fs_set neighbours(struct fs_planner *p, const struct fs_set *s,
                                bool count) {
  struct fs_set out = {{0}}, from = {{0}}, to = {{0}};
  for EACH(c, s) {
    add_all(&out, &p->next_to[c]);
    add_all(&from, &p->reach[c]);
    add_all(&to, &p->needs[c]);
  }
  int words = (window_size(p) + 63) / 64;
  for (int w = 0; w < words; w++) out.word[w] &= ~s->word[w];
  struct fs_set near = out;
  for EACH(c, &near) {
    uint64_t between = 0;
    for (int w = 0; w < words; w++)
      between |= ((from.word[w] & p->needs[c].word[w]) |
                  (to.word[w] & p->reach[c].word[w])) & ~s->word[w];
    if (!between) continue;
    out.word[c / 64] &= ~((uint64_t)1 << (c % 64));
    if (!count) continue;
    p->space.fusions++;
    if (set_size(s) == 1) note_rejection(p, s, c, "convex");
    else p->space.pruned[FS_RULE_CONVEX]++;
  }
  return out;
}

/* From a cluster, always taking the neighbour that saves most, but for some. Gives
 * the set. */
static struct fs_set grow_from(struct growth *g, int seed,
                               const struct fs_set *without) {
  struct fs_planner *p = g->p;
  struct fs_set s = {{0}};
  fs_set_add(&s, seed);
  double now = p->candidates.data[seed].seconds;
  for (;;) {
    struct fs_set near = neighbours(p, &s, false);
    int best = -1;
    double best_gain = 0;
    for EACH(c, &near) {
      int at = without && fs_set_has(without, c) ? -1 : grow(g, &s, c);
      if (at < 0) continue;
      double gain =
          now + p->candidates.data[c].seconds - p->candidates.data[at].seconds;
      if (gain <= best_gain) continue;
      best_gain = gain;
      best = at;
    }
    if (best < 0) return s;
    s = p->candidates.data[best].set;
    now = p->candidates.data[best].seconds;
  }
}

/* So that even a block too large to enumerate has its good fusions among the
 * candidates: from what no good fusion has yet, then from every cluster. */
static void grow_greedily(struct growth *g) {
  struct fs_planner *p = g->p;
  struct fs_set have = {{0}};
  for (int pass = 0; pass < 2; pass++)
    for (int c = 0; c < window_size(p); c++) {
      if (pass && g->work >= MAX_WORK) return; /* nothing new can come of it */
      if (cluster(p, c)->library || (!pass && fs_set_has(&have, c))) continue;
      struct fs_set s = grow_from(g, c, pass ? NULL : &have);
      add_all(&have, &s);
    }
}

static void enumerate(struct growth *g) {
  struct fs_planner *p = g->p;
  for (int k = 0; k < p->candidates.len; k++) {
    struct fs_set s = p->candidates.data[k].set;
    int first = p->candidates.data[k].first;
    if (p->impls.data[first].scheme == FS_LIBRARY) continue;
    if (set_size(&s) >= MAX_FUSION && !keeps_order(p)) continue;
    struct fs_set near = neighbours(p, &s, true);
    for EACH(c, &near) {
      if (p->candidates.len >= MAX_CANDIDATES) {
        p->space.pruned[FS_RULE_LIMIT]++;
        return;
      }
      grow(g, &s, c);
    }
  }
}

bool fs_plan_candidates(struct fs_planner *p) {
  int n = window_size(p);
  struct growth g = {.p = p};
  p->pins_taken = 0;
  p->pinned = NULL;
  compute_reach(p);
  for (int c = 0; c < n; c++)
    if (!add_single(p, c)) return false;
  if (p->options->strategy != FS_FUSE_OFF) {
    connect(p);
    fs_plan_take_pins(p);
    fs_plan_take_kernel_pins(p);
    bool fresh;
    for (int k = n; k < p->candidates.len; k++) {
      int e = look_up(&g, &p->candidates.data[k].set, &fresh);
      g.seen.data[e].at = k;
    }
    if (n > MAX_FUSION) grow_greedily(&g);
    enumerate(&g);
  }
  FS_VEC_FREE(&g.seen);
  free(g.table);
  return true;
}
