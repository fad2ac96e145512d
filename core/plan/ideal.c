/* ideal.c - the best cover, by what has run.
 *
 * Kernels that do not wait for each other have an order in which each comes after what it
 * needs. What has run after each of them is an ideal of the clusters: a set that has
 * whatever its members need. So a cover is a way from the empty ideal to all of them, and
 * the best one is the shortest way. A* finds it: what is left costs at least what its rows
 * are worth in the relaxation (search.c), where no column costs less than its rows. Blocks
 * have few ideals that such a way may lead over; where there are too many, the search for
 * it ends. */
#include "core/plan/cover.h"

enum { MOST_IDEALS = 16384 };

/* A column beyond what its rows are worth. */
struct step {
  struct fs_set needs;  /* clusters that must have run */
  double more;
  int next;             /* another one of the same first row, + 1 */
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

struct ways {
  struct fs_covering *c;
  struct step *steps;   /* per column */
  int *first;           /* per row: the columns of which it is the first, + 1 */
  int words;            /* of a set */
  FS_VEC(struct ideal) ideals;
  int *table, cap;      /* hashed: index + 1 */
  FS_VEC(struct open) heap;
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

/* -- ideals --------------------------------------------------------------------------- */

static int *place_of(struct ways *w, const struct fs_set *s) {
  size_t bytes = sizeof *s->word * (size_t)w->words;
  int at = (int)(fs_hash(s->word, bytes, 0) & (uint64_t)(w->cap - 1));
  while (w->table[at] && memcmp(w->ideals.data[w->table[at] - 1].done.word, s->word, bytes))
    at = (at + 1) & (w->cap - 1);
  return &w->table[at];
}

/* Takes the column from an ideal, if no way as short leads there. */
static void reach(struct ways *w, int from, int column) {
  struct ideal next = {.done = w->ideals.data[from].done, .from = from, .column = column};
  next.more = w->ideals.data[from].more + w->steps[column].more;
  fs_set_join(&next.done, &w->c->columns[column].set);
  int *place = place_of(w, &next.done);
  if (!*place) {
    next.rows = count(w, &next.done);
    *FS_PUSH(&w->ideals) = next;
    *place = w->ideals.len;
  } else if (next.more < w->ideals.data[*place - 1].more) {
    next.rows = w->ideals.data[*place - 1].rows;
    w->ideals.data[*place - 1] = next;
  } else {
    return;
  }
  put(w, *place - 1);
}

/* Takes every column that can run next. The first row of each needs nothing of it. */
static void expand(struct ways *w, int at) {
  const struct fs_planner *p = w->c->p;
  struct fs_set done = w->ideals.data[at].done;
  for (int r = 0; r < w->c->rows; r++) {
    if (fs_set_has(&done, r) || !is_within(w, &p->needs[r], &done)) continue;
    for (int x = w->first[r]; x; x = w->steps[x - 1].next)
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

static void open_ways(struct ways *w, const double *worth) {
  const struct fs_covering *c = w->c;
  w->words = (c->rows + 63) / 64;
  w->steps = FS_NEW_N(c->p->arena, struct step, c->n + 1);
  w->first = FS_NEW_N(c->p->arena, int, c->rows + 1);
  w->cap = 4 * MOST_IDEALS;
  w->table = FS_NEW_N(c->p->arena, int, w->cap);
  for (int x = c->n - 1; x >= 0; x--) {
    const struct fs_set *set = &c->columns[x].set;
    struct step *s = &w->steps[x];
    int first = -1;
    s->more = c->columns[x].cost;
    for (int r = 0; r < c->rows; r++) {
      if (!fs_set_has(set, r)) continue;
      if (first < 0) first = r;
      s->more -= worth[r];
      fs_set_join(&s->needs, &c->p->needs[r]);
    }
    for (int y = 0; y < w->words; y++) s->needs.word[y] &= ~set->word[y];
    s->more = FS_MAX(s->more, 0); /* as it is, but for what sums are off */
    s->next = w->first[first];
    w->first[first] = x + 1;
  }
}

bool fs_cover_by_ideals(struct fs_covering *c, const double *worth) {
  struct ways w = {.c = c};
  bool found = false;
  open_ways(&w, worth);
  *FS_PUSH(&w.ideals) = (struct ideal){.from = -1};
  put(&w, 0);
  while (!found && w.heap.len && w.ideals.len < MOST_IDEALS) {
    struct open o = take(&w);
    struct ideal *i = &w.ideals.data[o.ideal];
    if (i->closed || o.more > i->more) continue;
    i->closed = true;
    c->p->space.steps++;
    found = o.rows == c->rows;
    if (found) keep_way(&w, o.ideal);
    else expand(&w, o.ideal);
  }
  FS_VEC_FREE(&w.ideals);
  FS_VEC_FREE(&w.heap);
  return found;
}
