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
  MAX_CANDIDATES = 400
};

struct growth {
  struct fs_planner *p;
  FS_VEC(struct fs_set) seen;
};

static struct fs_cluster *cluster(struct fs_planner *p, int i) {
  return &p->clusters.data[p->window + i];
}

static int window_size(const struct fs_planner *p) {
  return p->window_end - p->window;
}

static bool was_seen(struct growth *g, const struct fs_set *s) {
  for (int k = 0; k < g->seen.len; k++)
    if (!memcmp(&g->seen.data[k], s, sizeof *s)) return true;
  *FS_PUSH(&g->seen) = *s;
  return false;
}

static void compute_reach(struct fs_planner *p) {
  int n = window_size(p);
  p->reach = FS_NEW_N(p->arena, struct fs_set, n);
  for (int c = n - 1; c >= 0; c--) {
    const struct fs_cluster *cl = cluster(p, c);
    for (int k = 0; k < cl->after.len; k++) {
      int a = cl->after.data[k] - p->window;
      if (a < 0 || a >= n) continue;
      fs_set_add(&p->reach[c], a);
      for (size_t w = 0; w < FS_LEN(p->reach[c].word); w++)
        p->reach[c].word[w] |= p->reach[a].word[w];
    }
  }
}

/* No cluster outside depends on a member and has a member depend on it. */
static bool convex(const struct fs_planner *p, const struct fs_set *s) {
  int n = window_size(p);
  struct fs_set from = {{0}};
  for (int c = 0; c < n; c++)
    if (fs_set_has(s, c))
      for (size_t w = 0; w < FS_LEN(from.word); w++)
        from.word[w] |= p->reach[c].word[w];
  for (int c = 0; c < n; c++) {
    if (fs_set_has(s, c) || !fs_set_has(&from, c)) continue;
    for (size_t w = 0; w < FS_LEN(from.word); w++)
      if (p->reach[c].word[w] & s->word[w]) return false;
  }
  return true;
}

static bool crosses_barrier(struct fs_planner *p, const struct fs_set *s) {
  fs_id low = UINT32_MAX, high = 0;
  for (int c = 0; c < window_size(p); c++)
    if (fs_set_has(s, c)) {
      const struct fs_cluster *cl = cluster(p, c);
      low = FS_MIN(low, cl->nodes.data[0]);
      high = FS_MAX(high, cl->nodes.data[cl->nodes.len - 1]);
    }
  for (int b = 0; b < p->g->barriers.len; b++)
    if (low < p->g->barriers.data[b] && high >= p->g->barriers.data[b])
      return true;
  return false;
}

static int compare_ids(const void *a, const void *b) {
  fs_id x = *(const fs_id *)a, y = *(const fs_id *)b;
  return x < y ? -1 : x > y;
}

/* Adds the set as a candidate. Gives its index, or -1 with the rule in *why. */
static int try_set(struct fs_planner *p, const struct fs_set *s,
                   const char **why) {
  FS_VEC(fs_id) calls = {0};
  for (int c = 0; c < window_size(p); c++)
    if (fs_set_has(s, c))
      for (int k = 0; k < cluster(p, c)->nodes.len; k++)
        *FS_PUSH(&calls) = cluster(p, c)->nodes.data[k];
  qsort(calls.data, (size_t)calls.len, sizeof(fs_id), compare_ids);
  struct fs_kernel k;
  *why = fs_kernel_build(p, calls.data, calls.len, &k);
  FS_VEC_FREE(&calls);
  if (*why) return -1;
  *FS_PUSH(&p->candidates) = (struct fs_candidate){.set = *s, .kernel = k};
  return p->candidates.len - 1;
}

static bool add_single(struct fs_planner *p, int c) {
  struct fs_set s = {{0}};
  fs_set_add(&s, c);
  const struct fs_cluster *cl = cluster(p, c);
  if (cl->library) {
    struct fs_kernel k;
    fs_kernel_library(p, cl->nodes.data[0], &k);
    *FS_PUSH(&p->candidates) = (struct fs_candidate){.set = s, .kernel = k};
    return true;
  }
  const char *why;
  return try_set(p, &s, &why) >= 0;
}

static void note_rejection(struct fs_planner *p, const struct fs_set *s, int c,
                           const char *why) {
  fs_id a = 0, b = cluster(p, c)->nodes.data[cluster(p, c)->nodes.len - 1];
  for (int m = 0; m < window_size(p); m++)
    if (fs_set_has(s, m))
      a = cluster(p, m)->nodes.data[cluster(p, m)->nodes.len - 1];
  fs_plan_reject(p, FS_MIN(a, b), FS_MAX(a, b), why);
}

static int calls_in(struct fs_planner *p, const struct fs_set *s) {
  int n = 0;
  for (int c = 0; c < window_size(p); c++)
    if (fs_set_has(s, c)) n += cluster(p, c)->nodes.len;
  return n;
}

/* The set with cluster c, if that may be a fusion: its candidate, or -1. */
static int grow(struct growth *g, const struct fs_set *from, int c) {
  struct fs_planner *p = g->p;
  struct fs_set s = *from;
  if (c < 0 || c >= window_size(p) || fs_set_has(&s, c)) return -1;
  fs_set_add(&s, c);
  if (was_seen(g, &s)) return -1;
  const char *why = NULL;
  int at = -1;
  if (cluster(p, c)->library) why = "library";
  else if (calls_in(p, &s) > MAX_CALLS) why = "on-chip";
  else if (crosses_barrier(p, &s)) why = "barrier";
  else if (!convex(p, &s)) why = "convex";
  else at = try_set(p, &s, &why);
  if (why) note_rejection(p, from, c, why);
  return at;
}

static int neighbours(struct fs_planner *p, const struct fs_set *s, int *out) {
  int n = 0;
  struct fs_set seen = *s;
  for (int c = 0; c < window_size(p); c++) {
    if (!fs_set_has(s, c)) continue;
    const struct fs_cluster *cl = cluster(p, c);
    const int *lists[] = {cl->before.data, cl->after.data, cl->beside.data};
    int lens[] = {cl->before.len, cl->after.len, cl->beside.len};
    for (int l = 0; l < 3; l++)
      for (int k = 0; k < lens[l]; k++) {
        int x = lists[l][k] - p->window;
        if (x < 0 || x >= window_size(p) || fs_set_has(&seen, x)) continue;
        fs_set_add(&seen, x);
        out[n++] = x;
      }
  }
  return n;
}

/* From every cluster, always taking the neighbour that saves most: so that even
 * a block too large to enumerate has its good fusions among the candidates. */
static void grow_greedily(struct growth *g, int seed, const double *alone) {
  struct fs_planner *p = g->p;
  int list[FS_MAX_SET];
  struct fs_set s = {{0}};
  fs_set_add(&s, seed);
  double now = alone[seed];
  for (;;) {
    int n = neighbours(p, &s, list), best = -1;
    double best_gain = 0;
    for (int k = 0; k < n; k++) {
      int at = grow(g, &s, list[k]);
      if (at < 0) continue;
      double gain = now + alone[list[k]] - p->candidates.data[at].kernel.predicted;
      if (gain > best_gain) {
        best_gain = gain;
        best = at;
      }
    }
    if (best < 0 || p->candidates.len >= 4 * MAX_CANDIDATES) return;
    s = p->candidates.data[best].set;
    now = p->candidates.data[best].kernel.predicted;
  }
}

static int set_size(const struct fs_set *s) {
  int n = 0;
  for (size_t w = 0; w < FS_LEN(s->word); w++)
    n += __builtin_popcountll(s->word[w]);
  return n;
}

static void enumerate(struct growth *g) {
  struct fs_planner *p = g->p;
  int list[FS_MAX_SET];
  for (int k = 0; k < p->candidates.len; k++) {
    struct fs_set s = p->candidates.data[k].set;
    if (p->candidates.data[k].kernel.scheme == FS_LIBRARY) continue;
    if (set_size(&s) >= MAX_FUSION) continue;
    int n = neighbours(p, &s, list);
    for (int x = 0; x < n; x++) {
      if (p->candidates.len >= MAX_CANDIDATES) return;
      grow(g, &s, list[x]);
    }
  }
}

bool fs_plan_candidates(struct fs_planner *p, enum fs_strategy strategy) {
  int n = window_size(p);
  struct growth g = {.p = p};
  compute_reach(p);
  double *alone = FS_NEW_N(p->arena, double, n);
  for (int c = 0; c < n; c++) {
    if (!add_single(p, c)) return false;
    alone[c] = p->candidates.data[p->candidates.len - 1].kernel.predicted;
  }
  if (strategy != FS_FUSE_OFF) {
    if (n > MAX_FUSION)
      for (int c = 0; c < n; c++)
        if (!cluster(p, c)->library) grow_greedily(&g, c, alone);
    enumerate(&g);
  }
  FS_VEC_FREE(&g.seen);
  return true;
}
