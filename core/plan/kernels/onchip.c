/* onchip.c - how long the values of a kernel live, and in what order its steps need
 * the least room.
 *
 * Filipovic's slides take the calling order with the lowest bound of on-chip memory.
 * Here the steps of a phase are ordered by branch and bound over what is alive at
 * once, always first with the step that leaves least alive; the order found first stays
 * unless another needs less. */
#include "core/plan/kernels/inside.h"

enum {
  MAX_ORDERED = 40,     /* steps of a phase that are ordered                   */
  MAX_NODES = 300       /* partial orders looked at                            */
};

/* -- lives ------------------------------------------------------------------------- */

/* Words that a thread keeps of an element: of 4 bytes, times its vector. */
static int words_of(const struct fs_kernel *k, int v) {
  const struct fs_value *val = &k->values.data[v];
  int words = fs_dtype_size(fs_dtype_compute(val->dtype)) > 4 ? 2 : 1;
  int lanes = val->varies & FS_VARIES_J ? FS_MAX(1, k->tune.vec) : 1;
  return words * lanes;
}

static void mark(struct fs_value *v, int step) {
  if (v->first < 0 || step < v->first) v->first = step;
  v->last = FS_MAX(v->last, step);
}

/* One behind the last step of the phase that begins with a step. */
static int phase_end(const struct fs_kernel *k, int from) {
  int end = from + 1;
  while (end < k->steps.len && k->steps.data[end].phase == k->steps.data[from].phase) end++;
  return end;
}

/* A sum is alive from its first to its last element: as long as its sweep. */
static void find_lives(struct fs_kernel *k) {
  for (int v = 0; v < k->values.len; v++)
    k->values.data[v].first = k->values.data[v].last = -1;
  for (int i = 0, begin = 0, end = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (i == end) begin = i, end = phase_end(k, i);
    FS_EACH_IN(s, x) mark(&k->values.data[s->in[x]], i);
    if (s->out < 0) continue;
    struct fs_value *out = &k->values.data[s->out];
    mark(out, i);
    if (s->kind != FS_SP_REDUCE) continue;
    mark(out, out->ready == FS_END ? 0 : begin);
    mark(out, end - 1);
  }
}

/* -- the order of the steps of a phase ----------------------------------------------- */

struct search {
  struct fs_kernel *k;
  int from, n;              /* the steps of the phase                      */
  uint64_t needs[MAX_ORDERED];  /* steps of the phase that come before     */
  uint64_t users[MAX_ORDERED];  /* ... that use what it makes              */
  int words[MAX_ORDERED];   /* that it makes; 0: kept beyond the phase     */
  int floor[MAX_ORDERED];   /* alive at least while it runs                */
  int order[MAX_ORDERED], best[MAX_ORDERED];
  int best_peak, nodes;
};

static void open_search(struct search *s) {
  for (int i = 0; i < s->n; i++) {
    const struct fs_step *a = &s->k->steps.data[s->from + i];
    for (int j = 0; j < s->n; j++) {
      const struct fs_step *b = &s->k->steps.data[s->from + j];
      FS_EACH_IN(a, x)
        if (a->in[x] == b->out) {
          s->needs[i] |= (uint64_t)1 << j;
          s->users[j] |= (uint64_t)1 << i;
        }
    }
    bool sum = a->kind == FS_SP_REDUCE;
    bool stays = a->out >= 0 && s->k->values.data[a->out].last >= s->from + s->n;
    if (a->out >= 0 && !sum && !stays) s->words[i] = words_of(s->k, a->out);
  }
  for (int i = 0; i < s->n; i++) {
    s->floor[i] = s->words[i];
    for (int j = 0; j < s->n; j++)
      if (s->needs[i] >> j & 1) s->floor[i] += s->words[j];
  }
}

/* Steps that have run, and what of theirs is still wanted. */
struct alive {
  uint64_t done, steps;
  int words;
};

static struct alive alive_after(const struct search *s, uint64_t done) {
  struct alive a = {.done = done};
  for (uint64_t left = done; left; left &= left - 1) {
    int j = __builtin_ctzll(left);
    if (!(s->users[j] & ~done)) continue;
    a.steps |= (uint64_t)1 << j;
    a.words += s->words[j];
  }
  return a;
}

/* What is alive when step i runs then. Behind it, what it alone still wanted is not. */
static int alive_at(const struct search *s, const struct alive *a, int i, int *after) {
  uint64_t then = a->done | (uint64_t)1 << i;
  *after = a->words + (s->users[i] & ~then ? s->words[i] : 0);
  for (uint64_t left = s->needs[i] & a->steps; left; left &= left - 1) {
    int j = __builtin_ctzll(left);
    if (!(s->users[j] & ~then)) *after -= s->words[j];
  }
  return a->words + s->words[i];
}

static int peak_of(const struct search *s, const int *order) {
  uint64_t done = 0;
  int peak = 0, after;
  for (int i = 0; i < s->n; i++) {
    struct alive a = alive_after(s, done);
    peak = FS_MAX(peak, alive_at(s, &a, order[i], &after));
    done |= (uint64_t)1 << order[i];
  }
  return peak;
}

static void branch(struct search *s, uint64_t done, int depth, int peak) {
  if (depth == s->n) {
    s->best_peak = peak;
    memcpy(s->best, s->order, sizeof s->best);
    return;
  }
  if (++s->nodes > MAX_NODES) return;
  for (int i = 0; i < s->n; i++)
    if (!(done >> i & 1) && s->floor[i] >= s->best_peak) return; /* the bound */
  uint64_t tried = done;
  struct alive a = alive_after(s, done);
  for (;;) { /* the step that leaves least alive first */
    int best = -1, now = 0, best_after = 0, after;
    for (int i = 0; i < s->n; i++) {
      if (tried >> i & 1 || s->needs[i] & ~done) continue;
      int alive = alive_at(s, &a, i, &after);
      if (best >= 0 && after >= best_after) continue;
      best = i;
      best_after = after;
      now = FS_MAX(peak, alive);
    }
    if (best < 0) return;
    tried |= (uint64_t)1 << best;
    if (now >= s->best_peak) continue;
    s->order[depth] = best;
    branch(s, done | (uint64_t)1 << best, depth + 1, now);
  }
}

static void order_phase(struct fs_kernel *k, int from, int n) {
  struct search s = {.k = k, .from = from, .n = n};
  struct fs_step steps[MAX_ORDERED];
  if (n > MAX_ORDERED || n < 3) return;
  open_search(&s);
  for (int i = 0; i < n; i++) s.best[i] = i;
  s.best_peak = peak_of(&s, s.best);
  int before = s.best_peak;
  branch(&s, 0, 0, 0);
  if (s.best_peak >= before) return;
  memcpy(steps, k->steps.data + from, sizeof *steps * (size_t)n);
  for (int i = 0; i < n; i++) k->steps.data[from + i] = steps[s.best[i]];
}

void fs_kernel_order(struct fs_kernel *k) {
  find_lives(k);
  for (int from = 0, n; from < k->steps.len; from += n) {
    n = phase_end(k, from) - from;
    if (k->steps.data[from].phase != FS_END) order_phase(k, from, n);
  }
  find_lives(k);
  fs_kernel_look(k);
}

int fs_kernel_footprint(struct fs_kernel *k) {
  find_lives(k);
  enum { FEW = 254 };
  int n = k->steps.len, most = 0, now = 0, few[FEW + 2];
  int *change = n <= FEW ? few : fs_malloc(sizeof(int) * ((size_t)n + 2));
  memset(change, 0, sizeof(int) * ((size_t)n + 2));
  FS_EACH_AT(&k->values, val) {
    if (val->first < 0 || val->same_as >= 0) continue;
    int words = fs_dtype_size(fs_dtype_compute(val->dtype)) > 4 ? 2 : 1;
    change[val->first] += words;
    change[val->last + 1] -= words;
  }
  for (int i = 0; i < n; i++) {
    now += change[i];
    most = FS_MAX(most, now);
  }
  if (change != few) free(change);
  return most;
}
