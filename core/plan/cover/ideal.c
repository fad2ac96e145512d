/* ideal.c - the best cover, by what has run.
 *
 * Kernels that do not wait for each other have an order in which each comes after what it
 * needs. What has run after each of them is an ideal of the clusters: a set that has
 * whatever its members need. So a cover is a way from the empty ideal to all of them, and
 * the best one is the shortest way. A* finds it: what is left costs at least what its rows
 * are worth in the relaxation (search.c), less what is paid there for each clique of which
 * a column can still come. No column costs less than its rows are worth, less what its
 * cliques take; and the others of a clique are gone with one of them, for they share rows
 * or would have to come before. Blocks have few ideals that such a way may lead over; where
 * there are too many, the search for it ends.
 *
 * Of an ideal, hundreds of columns lead on, nearly all to what no short way leads over. So ways
 * are looked for that cost little more than the bound, and if there is none, those of four times
 * as much. Nothing beyond that is kept, nor what costs as much as a cover that is known; where
 * that leaves no way, that cover is the best.
 *
 * A beam finds a good cover where the best one is too far: of the ideals of as many rows,
 * it only goes on from the nearest. */
#include <math.h>

#include "core/plan/cover/covering.h"

/* A column beyond what its rows are worth. */
struct step {
  struct fs_set needs;  /* clusters that must have run */
  double more;
  int next;             /* the next dearer one of the same first row, + 1 */
};

struct ideal {
  struct fs_set done;
  double more;          /* of the columns on the way here, in all */
  int from, column;     /* the last one, and where it starts */
  int rows;             /* that are done */
  bool closed;          /* no way here is shorter */
};

struct open {
  double more;
  int rows, ideal;
};

enum { MOST_ABREAST = 64 };

/* Ideals of as many rows, the nearest first. */
struct level {
  int n;
  struct open nearest[MOST_ABREAST];
};

struct ways {
  struct fs_covering *c;
  const struct fs_worth *worth;
  double limit, beyond; /* of a way beyond the bound; the least that was more */
  struct step *steps;   /* per column */
  int *first;           /* per row: the columns of which it is the first, + 1 */
  int words;            /* of a set */
  FS_VEC(struct ideal) ideals;
  int *table, cap;      /* hashed: index + 1 */
  FS_VEC(struct open) heap;
  struct level *levels; /* in a beam: per number of rows; else NULL */
  int width;
  /* where there are cliques: */
  int column_words;
  uint64_t **of_row;    /* per row: its columns, as bits */
  uint64_t **beside;    /* per column: those that share a row with it; or not yet known */
  uint64_t *gone;       /* of the ideal that is expanded: columns that cannot come */
  int *alive, n_alive;  /* ... and the cliques that have others, */
  int *from;            /* each of them from this word of its bits on */
};

static int count(const struct ways *w, const struct fs_set *s) {
  int n = 0;
  for (int x = 0; x < w->words; x++) n += __builtin_popcountll(s->word[x]);
  return n;
}

static bool is_within(const struct ways *w, const struct fs_set *part,
                      const struct fs_set *whole) {
  uint64_t out = 0;
  for (int x = 0; x < w->words; x++) out |= part->word[x] & ~whole->word[x];
  return !out;
}

static bool meets(const struct ways *w, const struct fs_set *a, const struct fs_set *b) {
  uint64_t any = 0;
  for (int x = 0; x < w->words; x++) any |= a->word[x] & b->word[x];
  return any;
}

/* -- the heap: the least first, of equal ones that of which most is done ----------------- */

static bool is_before(const struct open *a, const struct open *b) {
  if (a->more != b->more) return a->more < b->more;
  return a->rows != b->rows ? a->rows > b->rows : a->ideal < b->ideal;
}

static void put(struct ways *w, int ideal) {
  const struct ideal *i = &w->ideals.data[ideal];
  struct open mine = {i->more, i->rows, ideal};
  int at = w->heap.len;
  FS_PUSH(&w->heap);
  for (; at > 0 && is_before(&mine, &w->heap.data[(at - 1) / 2]); at = (at - 1) / 2)
    w->heap.data[at] = w->heap.data[(at - 1) / 2];
  w->heap.data[at] = mine;
}

static struct open take(struct ways *w) {
  struct open *heap = w->heap.data, least = heap[0], last = heap[--w->heap.len];
  int at = 0, n = w->heap.len;
  for (int below; (below = 2 * at + 1) < n; at = below) {
    if (below + 1 < n && is_before(&heap[below + 1], &heap[below])) below++;
    if (!is_before(&heap[below], &last)) break;
    heap[at] = heap[below];
  }
  heap[at] = last;
  return least;
}

/* -- levels, of a beam ------------------------------------------------------------------- */

/* Puts an ideal among the nearest of as many rows; false: they are all nearer. */
static bool put_in_level(struct ways *w, const struct ideal *i, int ideal) {
  struct level *l = &w->levels[i->rows];
  struct open mine = {i->more, i->rows, ideal};
  int at = 0;
  while (at < l->n && l->nearest[at].ideal != ideal) at++;
  if (at == l->n && l->n < w->width) l->n++;
  if (at == w->width && !is_before(&mine, &l->nearest[--at])) return false;
  for (; at > 0 && is_before(&mine, &l->nearest[at - 1]); at--)
    l->nearest[at] = l->nearest[at - 1];
  l->nearest[at] = mine;
  return true;
}

/* -- ideals --------------------------------------------------------------------------- */

static int *place_of(struct ways *w, const struct fs_set *s) {
  size_t bytes = sizeof *s->word * (size_t)w->words;
  int at = (int)(fs_set_hash(s, w->words) & (uint64_t)(w->cap - 1));
  while (w->table[at] && memcmp(w->ideals.data[w->table[at] - 1].done.word, s->word, bytes))
    at = (at + 1) & (w->cap - 1);
  return &w->table[at];
}

/* An empty table for so many ideals at first: most searches look at few of the many that they
 * may, and a table for those takes longer to clear than they do. */
enum { FIRST_TABLE = 256 };

static void clear_table(struct ways *w) {
  if (w->cap) memset(w->table, 0, sizeof *w->table * (size_t)w->cap);
  else w->table = FS_NEW_N(w->c->p->arena, int, w->cap = FIRST_TABLE);
}

/* Makes room for one more. */
static void widen_table(struct ways *w) {
  if (2 * w->ideals.len < w->cap) return;
  w->table = FS_NEW_N(w->c->p->arena, int, w->cap *= 4);
  for (int k = 0; k < w->ideals.len; k++) *place_of(w, &w->ideals.data[k].done) = k + 1;
}

/* -- cliques -------------------------------------------------------------------------- */

static void add_bits(uint64_t *to, const uint64_t *from, int words) {
  for (int x = 0; x < words; x++) to[x] |= from[x];
}

static const uint64_t *beside(struct ways *w, int column) {
  uint64_t *bits = w->beside[column];
  if (bits) return bits;
  bits = w->beside[column] = FS_NEW_N(w->c->p->arena, uint64_t, w->column_words);
  for FS_EACH_MEMBER(r, &w->c->columns[column].set)
    add_bits(bits, w->of_row[r], w->column_words);
  return bits;
}

/* Which cliques have a column that can come after an ideal. */
static void find_alive(struct ways *w, const struct fs_set *done) {
  w->n_alive = 0;
  if (!w->worth->n) return;
  memset(w->gone, 0, sizeof *w->gone * (size_t)w->column_words);
  for FS_EACH_MEMBER(r, done) add_bits(w->gone, w->of_row[r], w->column_words);
  for (int q = 0; q < w->worth->n; q++) {
    const uint64_t *columns = w->worth->cliques[q].columns;
    int x = 0;
    while (x < w->column_words && !(columns[x] & ~w->gone[x])) x++;
    if (x == w->column_words) continue;
    w->from[w->n_alive] = x;
    w->alive[w->n_alive++] = q;
  }
}

/* What is paid in vain for cliques that end with a column, which is none of theirs. */
static double vain(struct ways *w, int column) {
  const uint64_t *also = w->n_alive ? beside(w, column) : NULL;
  double sum = 0;
  for (int k = 0; k < w->n_alive; k++) {
    const struct fs_clique *q = &w->worth->cliques[w->alive[k]];
    uint64_t left = q->columns[column / 64] >> (column % 64) & 1;
    for (int x = w->from[k]; x < w->column_words && !left; x++)
      left = q->columns[x] & ~w->gone[x] & ~also[x];
    if (!left) sum += q->price;
  }
  return sum;
}

/* -- ways ------------------------------------------------------------------------------ */

/* Whether a way of so much may be gone; else it is noted that there is one. */
static bool is_near(struct ways *w, double more) {
  if (more <= w->limit) return true;
  w->beyond = FS_MIN(w->beyond, more);
  return false;
}

/* Takes the column from an ideal, if no way as short leads there. */
static void reach(struct ways *w, int from, int column) {
  struct ideal next = {.done = w->ideals.data[from].done, .from = from, .column = column};
  next.more = w->ideals.data[from].more + w->steps[column].more;
  fs_set_join(&next.done, &w->c->columns[column].set);
  widen_table(w);
  int *place = place_of(w, &next.done);
  if (*place && next.more >= w->ideals.data[*place - 1].more) return;
  next.more += vain(w, column);
  if (!is_near(w, next.more)) return;
  if (*place && next.more >= w->ideals.data[*place - 1].more) return;
  next.rows = *place ? w->ideals.data[*place - 1].rows : count(w, &next.done);
  int at = *place ? *place - 1 : w->ideals.len;
  if (w->levels && !put_in_level(w, &next, at)) return;
  if (!*place) FS_PUSH(&w->ideals);
  w->ideals.data[at] = next;
  *place = at + 1;
  if (!w->levels) put(w, at);
}

/* Takes every column that can run next. The first row of each needs nothing of it. */
static void expand(struct ways *w, int at) {
  const struct fs_fusions *p = w->c->p;
  struct fs_set done = w->ideals.data[at].done;
  double more = w->ideals.data[at].more;
  find_alive(w, &done);
  for (int r = 0; r < w->c->rows; r++) {
    if (fs_set_has(&done, r) || !is_within(w, &p->needs[r], &done)) continue;
    for (int x = w->first[r]; x && is_near(w, more + w->steps[x - 1].more);
         x = w->steps[x - 1].next)
      if (!meets(w, &w->c->columns[x - 1].set, &done) &&
          is_within(w, &w->steps[x - 1].needs, &done))
        reach(w, at, x - 1);
  }
}

static void keep_way(struct ways *w, int at) {
  int *columns = FS_NEW_N(w->c->p->arena, int, w->c->rows + 1), n = 0;
  for (; w->ideals.data[at].rows; at = w->ideals.data[at].from)
    columns[n++] = w->ideals.data[at].column;
  fs_cover_keep(w->c, columns, n);
}

static void open_cliques(struct ways *w) {
  const struct fs_covering *c = w->c;
  struct fs_arena *arena = c->p->arena;
  if (!w->worth->n) return;
  w->column_words = c->n / 64 + 1;
  w->of_row = FS_NEW_N(arena, uint64_t *, c->rows + 1);
  w->beside = FS_NEW_N(arena, uint64_t *, c->n + 1);
  w->gone = FS_NEW_N(arena, uint64_t, w->column_words);
  w->alive = FS_NEW_N(arena, int, w->worth->n);
  w->from = FS_NEW_N(arena, int, w->worth->n);
  for (int r = 0; r < c->rows; r++) w->of_row[r] = FS_NEW_N(arena, uint64_t, w->column_words);
  for (int x = 0; x < c->n; x++)
    for FS_EACH_MEMBER(r, &c->columns[x].set) w->of_row[r][x / 64] |= (uint64_t)1 << (x % 64);
}

/* What a column costs beyond what its rows are worth, less what its cliques take. */
static double beyond(const struct ways *w, int column) {
  double more = w->c->columns[column].cost;
  for FS_EACH_MEMBER(r, &w->c->columns[column].set) more -= w->worth->rows[r];
  for (int q = 0; q < w->worth->n; q++)
    if (w->worth->cliques[q].columns[column / 64] >> (column % 64) & 1)
      more += w->worth->cliques[q].price;
  return FS_MAX(more, 0); /* as it is, but for what sums are off */
}

static int cheapest_first(const void *a, const void *b, void *ways) {
  const struct ways *w = ways;
  int x = *(const int *)a, y = *(const int *)b;
  double p = w->steps[x].more, q = w->steps[y].more;
  return p != q ? (p < q ? -1 : 1) : x - y;
}

/* Chains the columns of each first row. */
static void chain_steps(struct ways *w, const int *first) {
  const struct fs_covering *c = w->c;
  int *order = FS_NEW_N(c->p->arena, int, c->n + 1);
  for (int x = 0; x < c->n; x++) order[x] = x;
  qsort_r(order, (size_t)c->n, sizeof *order, cheapest_first, w);
  for (int k = c->n - 1; k >= 0; k--) {
    int x = order[k];
    w->steps[x].next = w->first[first[x]];
    w->first[first[x]] = x + 1;
  }
}

static void open_ways(struct ways *w) {
  const struct fs_covering *c = w->c;
  int *first = FS_NEW_N(c->p->arena, int, c->n + 1);
  w->words = (c->rows + 63) / 64;
  w->steps = FS_NEW_N(c->p->arena, struct step, c->n + 1);
  w->first = FS_NEW_N(c->p->arena, int, c->rows + 1);
  open_cliques(w);
  for (int x = c->n - 1; x >= 0; x--) {
    const struct fs_set *set = &c->columns[x].set;
    struct step *s = &w->steps[x];
    first[x] = fs_set_next(set, 0);
    s->needs = fs_set_needs(c->p, set);
    s->more = beyond(w, x);
  }
  chain_steps(w, first);
}

/* What no cover costs less than. */
static double bound_of(const struct ways *w) {
  double sum = 0;
  for (int r = 0; r < w->c->rows; r++) sum += w->worth->rows[r];
  for (int q = 0; q < w->worth->n; q++) sum -= w->worth->cliques[q].price;
  return sum;
}

static void start(struct ways *w) {
  clear_table(w);
  w->ideals.len = w->heap.len = 0;
  w->beyond = HUGE_VAL;
  *FS_PUSH(&w->ideals) = (struct ideal){.from = -1};
}

/* A*, as far as the limit. */
static bool find_way(struct ways *w) {
  bool found = false;
  start(w);
  put(w, 0);
  while (!found && w->heap.len && w->ideals.len < w->worth->most && !fs_interrupted()) {
    struct open o = take(w);
    struct ideal *i = &w->ideals.data[o.ideal];
    if (i->closed || o.more > i->more) continue;
    i->closed = true;
    w->c->p->space.steps++;
    found = o.rows == w->c->rows;
    if (found) keep_way(w, o.ideal);
    else expand(w, o.ideal);
  }
  return found;
}

bool fs_cover_by_ideals(struct fs_covering *c, const struct fs_worth *worth) {
  static const double FIRST_SHARE = 1e-3; /* of the bound */
  enum { FACTOR = 4 };
  struct ways w = {.c = c, .worth = worth};
  open_ways(&w);
  double most = fs_cover_limit(c) - bound_of(&w);
  w.limit = FS_MIN(FIRST_SHARE * bound_of(&w), most);
  bool found = false;
  while (!(found = find_way(&w)) && w.heap.len == 0 && w.beyond < HUGE_VAL && w.limit < most)
    w.limit = FS_MIN(FS_MAX(FACTOR * w.limit, w.beyond), most);
  found |= w.heap.len == 0 && most < HUGE_VAL; /* what was kept is the best */
  FS_VEC_FREE(&w.ideals);
  FS_VEC_FREE(&w.heap);
  return found;
}

/* -- in a beam ------------------------------------------------------------------------- */

/* Of the ideals of so many rows each, the nearest alone are looked at. */
static bool find_in_beam(struct ways *w, int width) {
  start(w);
  w->width = width;
  for (int rows = 0; rows <= w->c->rows; rows++) w->levels[rows].n = 0;
  put_in_level(w, &w->ideals.data[0], 0);
  for (int rows = 0; rows < w->c->rows; rows++)
    for (int x = 0; x < w->levels[rows].n && w->ideals.len < w->worth->most &&
                    !fs_interrupted(); x++) {
      w->c->p->space.steps++;
      expand(w, w->levels[rows].nearest[x].ideal);
    }
  const struct level *last = &w->levels[w->c->rows];
  if (!last->n) return false;
  w->limit = last->nearest[0].more;
  keep_way(w, last->nearest[0].ideal);
  return true;
}

bool fs_cover_by_beam(struct fs_covering *c, const struct fs_worth *worth, int width) {
  struct ways w = {.c = c, .worth = worth};
  open_ways(&w);
  w.limit = fs_cover_limit(c) - bound_of(&w);
  w.levels = FS_NEW_N(c->p->arena, struct level, c->rows + 1);
  bool found = find_in_beam(&w, width);
  FS_VEC_FREE(&w.ideals);
  return found;
}
