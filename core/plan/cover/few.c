/* few.c - the k best covers of few rows, exactly.
 *
 * Of what is covered, only which rows these are counts for what the others cost at least, if
 * columns may wait for each other: the first row that is not covered must be next. Of a dozen
 * rows there are so few sets that what is left costs is found for each that comes up. With
 * that as the bound, a search looks at what leads to covers that cost little more than the
 * least and at nothing else, in less time than a relaxation takes to be set up; if these are
 * too few, at those of four times as much. */
#include <math.h>

#include "core/plan/cover/covering.h"

enum { MOST_ROWS = 12, MOST_NODES = 4000, MOST_SETS = 1 << MOST_ROWS };

/* Costs that differ by less are alike: which of them comes first is search.c's to say. */
static const double ALIKE = 1e-6;

/* A column, as bits of rows. */
struct brief {
  double cost;
  unsigned set, reach, needs;
  int column;
};

struct few {
  struct fs_covering *c, more; /* one cover more is kept: is it alike? */
  unsigned full;
  struct brief *list;          /* by their first rows, of each the cheapest first */
  int from[MOST_ROWS + 1];     /* ... where those begin */
  double *rest;                /* per set of rows: what the others cost at least; 0: not known */
  double limit, beyond;        /* of covers that are looked at; the least that was more */
  const struct brief *chosen[MOST_ROWS];
  int depth, nodes;
};

static int by_row_and_cost(const void *a, const void *b) {
  const struct brief *x = a, *y = b;
  int p = __builtin_ctz(x->set), q = __builtin_ctz(y->set);
  if (p != q) return p - q;
  if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
  return x->column - y->column;
}

static void list_columns(struct few *f) {
  const struct fs_covering *c = f->c;
  f->list = FS_NEW_N(c->p->arena, struct brief, c->n + 1);
  for (int x = 0; x < c->n; x++) {
    const struct fs_column *col = &c->columns[x];
    struct brief *b = &f->list[x];
    *b = (struct brief){.cost = col->cost, .set = (unsigned)col->set.word[0],
                        .reach = (unsigned)col->reach.word[0], .column = x};
    for FS_EACH_MEMBER(r, &col->set) b->needs |= (unsigned)c->p->needs[r].word[0];
    b->needs &= ~b->set;
  }
  qsort(f->list, (size_t)c->n, sizeof *f->list, by_row_and_cost);
  for (int x = 0; x < c->n; x++) f->from[__builtin_ctz(f->list[x].set) + 1]++;
  for (int r = 0; r < c->rows; r++) f->from[r + 1] += f->from[r];
}

/* What the rows that are not covered cost at least; infinite if nothing covers them. */
static double rest_of(struct few *f, unsigned covered) {
  if (covered == f->full || f->rest[covered] > 0) return f->rest[covered];
  int row = __builtin_ctz(~covered);
  double least = HUGE_VAL;
  for (int x = f->from[row]; x < f->from[row + 1]; x++) {
    const struct brief *b = &f->list[x];
    if (b->cost >= least) break;
    if (!(b->set & covered)) least = FS_MIN(least, b->cost + rest_of(f, covered | b->set));
  }
  return f->rest[covered] = least;
}

static bool waits(const struct few *f, const struct brief *b) {
  for (int x = 0; x < f->depth; x++)
    if (b->reach & f->chosen[x]->set && f->chosen[x]->reach & b->set) return true;
  return false;
}

/* Keeps what was chosen, if it has an order. */
static void keep_chosen(struct few *f) {
  unsigned done = 0, before = 1;
  int columns[MOST_ROWS];
  while (done != before) {
    before = done;
    for (int x = 0; x < f->depth; x++)
      if (!(f->chosen[x]->needs & ~done)) done |= f->chosen[x]->set;
  }
  if (done != f->full) return;
  for (int x = 0; x < f->depth; x++) columns[x] = f->chosen[x]->column;
  fs_cover_keep(&f->more, columns, f->depth);
}

/* Goes on from what is covered, at that cost. */
static void go_on(struct few *f, unsigned covered, double cost) {
  if (covered == f->full) {
    keep_chosen(f);
    return;
  }
  if (++f->nodes > MOST_NODES) return;
  int row = __builtin_ctz(~covered);
  for (int x = f->from[row]; x < f->from[row + 1]; x++) {
    const struct brief *b = &f->list[x];
    if (b->set & covered) continue;
    double whole = cost + b->cost + rest_of(f, covered | b->set);
    if (whole > f->limit) f->beyond = FS_MIN(f->beyond, whole);
    if (whole > FS_MIN(f->limit, fs_cover_limit(&f->more)) || waits(f, b)) continue;
    f->chosen[f->depth++] = b;
    go_on(f, covered | b->set, cost + b->cost);
    f->depth--;
  }
}

/* Whether all that is wanted was found, and is what search.c would find. */
static bool is_certain(const struct few *f) {
  int n = FS_MIN(f->more.found, f->c->k);
  if (f->nodes > MOST_NODES || !n) return false;
  for (int x = 1; x < f->more.found; x++)
    if (f->more.best[x].cost - f->more.best[x - 1].cost < ALIKE) return false;
  return true;
}

bool fs_cover_few(struct fs_covering *c) {
  enum { FACTOR = 4, MOST_COVERS = 4 };
  static const double FIRST_SHARE = 0.01; /* of the least */
  if (c->rows > MOST_ROWS || c->k > MOST_COVERS) return false;
  struct few f = {.c = c, .more = *c, .full = (1u << c->rows) - 1};
  f.more.k = c->k + 1;
  f.more.best = FS_NEW_N(c->p->arena, struct fs_cover, c->k + 2);
  f.rest = FS_NEW_N(c->p->arena, double, f.full + 1);
  list_columns(&f);
  double least = rest_of(&f, 0), share = FIRST_SHARE;
  if (!(least < HUGE_VAL)) return false;
  do {
    f.limit = least * (1 + share);
    f.beyond = HUGE_VAL;
    f.more.found = 0;
    go_on(&f, 0, 0);
    share = FS_MAX(share * FACTOR, f.beyond / least - 1);
  } while (f.more.found < f.more.k && f.beyond < HUGE_VAL && f.nodes <= MOST_NODES);
  c->p->space.steps += f.nodes;
  if (!is_certain(&f)) return false;
  c->found = FS_MIN(f.more.found, c->k);
  memcpy(c->best, f.more.best, sizeof *c->best * (size_t)c->found);
  return true;
}
