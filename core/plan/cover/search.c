/* search.c - the best covers.
 *
 * Set partition without the demand that columns are taken whole is a linear program,
 * which GLPK solves. What its first solution says the clusters are worth leads ideal.c to
 * the best cover. For others, and where that is too much to look through, it goes on. The
 * solution is often whole, but takes kernels that wait for each other, or parts of them. Of
 * columns that overlap, or wait for each other, each with each, at most one is taken: where
 * the solution takes more than one of such a clique in all, that becomes a row, and the
 * next solution is nearer to a cover. Nearly always that leads ideal.c to the best one; else
 * to a good one, and the search branches. A row forbids what was found, or is in a longer cycle,
 * and the next best follows.
 */
#include <glpk.h>

#include "core/plan/cover/covering.h"

/* Steps of the simplex method, and for each cover of a list more: no time, so that a busy
 * machine finds the same plan. A step takes time with the number of columns: once there
 * are covers, fewer steps are left of a large block. */
enum { MOST_STEPS = 2000, STEPS_FOR_A_COVER = 100, MOST_WORK = 200000 };
/* Ideals that are looked at (ideal.c): before there are cliques, and then, and in a beam; of
 * those of as many rows there, for a sketch, before there are cliques, and then. */
enum { FEW_IDEALS = 512, MOST_IDEALS = 4096, IDEALS_OF_A_BEAM = 8192 };
enum { OF_A_SKETCH = 8, FEW_ABREAST = 16, MOST_ABREAST = 64 };

struct relaxation {
  struct fs_covering *c;
  glp_prob *lp;         /* its columns count from 1 */
  int most_steps;
  int *ind;             /* room for a row */
  double *val;
  double bound, *more;  /* no cover costs less; one with this column, by so much more */
  bool bounded;
  uint64_t *having, *reaching; /* per row: columns that have it, that reach it, as bits */
  uint64_t **apart;     /* per column that was asked for: those that no cover has with it,
                           as bits; NULL: none was yet */
};

/* What is so near to a whole is one. */
static const double WHOLE = 1e-6;

static void add_row(struct relaxation *r, int n, double most) {
  int row = glp_add_rows(r->lp, 1);
  glp_set_mat_row(r->lp, row, n, r->ind, r->val);
  glp_set_row_bnds(r->lp, row, GLP_UP, 0, most);
}

static void build(struct relaxation *r) {
  const struct fs_covering *c = r->c;
  r->lp = glp_create_prob();
  glp_set_obj_dir(r->lp, GLP_MIN);
  glp_add_rows(r->lp, c->rows);
  glp_add_cols(r->lp, c->n);
  for (int row = 1; row <= c->rows; row++)
    glp_set_row_bnds(r->lp, row, GLP_FX, 1, 1);
  for (int x = 0; x < c->n; x++) {
    int n = 0;
    for FS_EACH_MEMBER(row, &c->columns[x].set) r->ind[++n] = row + 1;
    glp_set_mat_col(r->lp, x + 1, n, r->ind, r->val);
    glp_set_col_bnds(r->lp, x + 1, GLP_LO, 0, 0);
    glp_set_obj_coef(r->lp, x + 1, c->columns[x].cost);
  }
}

/* A row more, and a column that is fixed, leave the last solution dual feasible. */
static bool solve(struct relaxation *r) {
  glp_smcp how;
  glp_init_smcp(&how);
  how.msg_lev = GLP_MSG_OFF;
  int most = r->most_steps;
  if (r->c->found == r->c->k) most = FS_MIN(most, MOST_WORK / (r->c->n + 1));
  how.it_lim = most - glp_get_it_cnt(r->lp);
  how.meth = GLP_DUALP;
  return how.it_lim > 0 && !fs_interrupted() && !glp_simplex(r->lp, &how) &&
         glp_get_status(r->lp) == GLP_OPT;
}

/* -- cliques ----------------------------------------------------------------------- */

/* How much of a column the solution takes; of those that it does not take, what they
 * cost beyond the bound. */
struct part {
  int column;
  double by;
};

struct parts {
  struct part *taken, *left; /* most first; cheapest first, once they are `sorted` */
  int n_taken, n_left;
  bool sorted;
};

static int most_first(const void *a, const void *b) {
  const struct part *x = a, *y = b;
  if (x->by != y->by) return x->by > y->by ? -1 : 1;
  return (x->column > y->column) - (x->column < y->column);
}

static int least_first(const void *a, const void *b) {
  const struct part *x = a, *y = b;
  if (x->by != y->by) return x->by < y->by ? -1 : 1;
  return (x->column > y->column) - (x->column < y->column);
}

static struct parts parts_of(const struct relaxation *r) {
  const struct fs_covering *c = r->c;
  struct parts p = {.taken = FS_NEW_N(c->p->arena, struct part, c->n + 1),
                    .left = FS_NEW_N(c->p->arena, struct part, c->n + 1)};
  for (int x = 0; x < c->n; x++) {
    double taken = glp_get_col_prim(r->lp, x + 1);
    if (taken > WHOLE)
      p.taken[p.n_taken++] = (struct part){x, taken};
    else if (c->columns[x].candidate >= c->rows) /* no cluster alone */
      p.left[p.n_left++] = (struct part){x, glp_get_col_dual(r->lp, x + 1)};
  }
  qsort(p.taken, (size_t)p.n_taken, sizeof *p.taken, most_first);
  return p;
}

static bool is_whole(const struct parts *p) {
  for (int x = 0; x < p->n_taken; x++)
    if (p->taken[x].by < 1 - WHOLE) return false;
  return true;
}

/* Which columns have each row, and which reach it. */
static void open_apart(struct relaxation *r) {
  const struct fs_covering *c = r->c;
  struct fs_arena *arena = c->p->arena;
  int words = c->n / 64 + 1;
  r->having = FS_NEW_N(arena, uint64_t, words * (c->rows + 1));
  r->reaching = FS_NEW_N(arena, uint64_t, words * (c->rows + 1));
  r->apart = FS_NEW_N(arena, uint64_t *, c->n + 1);
  for (int x = 0; x < c->n; x++) {
    uint64_t bit = (uint64_t)1 << (x % 64);
    for FS_EACH_MEMBER(row, &c->columns[x].set) r->having[row * words + x / 64] |= bit;
    for FS_EACH_MEMBER(row, &c->columns[x].reach) r->reaching[row * words + x / 64] |= bit;
  }
}

/* Those that have one of its rows, or that it reaches and that reach it. */
static const uint64_t *apart_from(struct relaxation *r, int column) {
  const struct fs_column *mine = &r->c->columns[column];
  int words = r->c->n / 64 + 1;
  if (!r->apart) open_apart(r);
  if (r->apart[column]) return r->apart[column];
  uint64_t *bits = r->apart[column] = FS_NEW_N(r->c->p->arena, uint64_t, 3 * words);
  uint64_t *before = bits + words, *behind = before + words;
  for (int row = 0; row < r->c->rows; row++) {
    bool in = fs_set_has(&mine->set, row), after = fs_set_has(&mine->reach, row);
    const uint64_t *having = r->having + row * words, *reaching = r->reaching + row * words;
    for (int w = 0; in && w < words; w++) {
      bits[w] |= having[w];
      before[w] |= reaching[w];
    }
    for (int w = 0; after && w < words; w++) behind[w] |= having[w];
  }
  for (int w = 0; w < words; w++) bits[w] |= before[w] & behind[w];
  return bits;
}

/* Columns of which a cover has one at most, and what can join them. */
struct clique {
  int n;                /* they are r->ind[1 ... n] */
  uint64_t *others;
};

static bool join(struct relaxation *r, struct clique *q, int column) {
  if (q->n && !(q->others[column / 64] >> (column % 64) & 1)) return false;
  const uint64_t *apart = apart_from(r, column);
  for (int w = 0; w <= r->c->n / 64; w++) q->others[w] &= q->n ? apart[w] : 0;
  if (!q->n) memcpy(q->others, apart, sizeof *apart * (size_t)(r->c->n / 64 + 1));
  r->ind[++q->n] = column + 1;
  return true;
}

/* The row of the clique around two parts that wait for each other, if the solution takes
 * more than one of it; `among` marks pairs that were in one. */
static bool cut_clique(struct relaxation *r, struct parts *p, int a, int b, bool *among) {
  struct fs_arena *arena = r->c->p->arena;
  struct clique q = {.others = FS_NEW_N(arena, uint64_t, r->c->n / 64 + 1)};
  int *at = FS_NEW_N(arena, int, p->n_taken + 1), n = 2;
  double sum = p->taken[a].by + p->taken[b].by;
  join(r, &q, p->taken[at[0] = a].column);
  join(r, &q, p->taken[at[1] = b].column);
  for (int x = 0; x < p->n_taken; x++) {
    if (x == a || x == b || !join(r, &q, p->taken[x].column)) continue;
    sum += p->taken[x].by;
    at[n++] = x;
  }
  if (sum < 1 + 1e-4) return false;
  for (int x = 0; x < n; x++)
    for (int y = 0; y < n; y++) among[at[x] * p->n_taken + at[y]] = true;
  if (!p->sorted)
    qsort(p->left, (size_t)p->n_left, sizeof *p->left, least_first);
  p->sorted = true;
  for (int x = 0; x < p->n_left; x++) join(r, &q, p->left[x].column);
  add_row(r, q.n, 1);
  return true;
}

static bool cut_cliques(struct relaxation *r, struct parts *p) {
  const struct fs_column *all = r->c->columns;
  bool *among = FS_NEW_N(r->c->p->arena, bool, p->n_taken * p->n_taken + 1), any = false;
  for (int a = 0; a < p->n_taken; a++)
    for (int b = a + 1; b < p->n_taken; b++)
      if (!among[a * p->n_taken + b] &&
          fs_columns_wait(&all[p->taken[a].column], &all[p->taken[b].column]))
        any |= cut_clique(r, p, a, b, among);
  return any;
}

/* -- to a cover ------------------------------------------------------------------------ */

/* Whether a whole solution is a cover: nothing in it waits for itself. */
static bool is_cover(const struct relaxation *r, const struct parts *p) {
  int kernels[FS_MAX_SET];
  for (int k = 0; k < p->n_taken; k++)
    kernels[k] = r->c->columns[p->taken[k].column].candidate;
  return fs_plan_has_order(r->c->p, kernels, p->n_taken);
}

/* Forbids a whole solution. */
static void forbid(struct relaxation *r, const struct parts *p) {
  for (int k = 0; k < p->n_taken; k++) r->ind[k + 1] = p->taken[k].column + 1;
  add_row(r, p->n_taken, p->n_taken - 1);
}

/* Adds the rows that the solution breaks. False: there are none, and a whole solution
 * is a cover. */
static bool tighten(struct relaxation *r, struct parts *p) {
  if (cut_cliques(r, p)) return true;
  bool waits = is_whole(p) && !is_cover(r, p);
  if (waits) forbid(r, p);
  return waits;
}

/* Solves it until the solution breaks no row that is known. False: there is none. */
static bool tighten_all(struct relaxation *r, struct parts *p) {
  do {
    if (!solve(r)) return false;
    *p = parts_of(r);
  } while (tighten(r, p));
  return true;
}

/* What covers with a column cost at least is known once the first solution is tight. */
static void put_bound(struct relaxation *r) {
  r->bounded = true;
  r->bound = glp_get_obj_val(r->lp);
  for (int x = 0; x < r->c->n; x++) r->more[x] = glp_get_col_dual(r->lp, x + 1);
}

/* A column that is not branched on: none of those that cost too much. */
static void release(struct relaxation *r, int x) {
  bool dear = r->bound + r->more[x] >= fs_cover_limit(r->c);
  glp_set_col_bnds(r->lp, x + 1, dear ? GLP_FX : GLP_LO, 0, 0);
}

/* The columns of a whole solution. */
static int *columns_of(const struct relaxation *r, const struct parts *p) {
  int *columns = FS_NEW_N(r->c->p->arena, int, p->n_taken + 1);
  for (int k = 0; k < p->n_taken; k++) columns[k] = p->taken[k].column;
  return columns;
}

/* Keeps the cover that the solution is, and forbids it. */
static void keep_whole(struct relaxation *r, const struct parts *p) {
  forbid(r, p);
  fs_cover_keep(r->c, columns_of(r, p), p->n_taken);
  for (int x = 0; x < r->c->n; x++)
    if (glp_get_col_type(r->lp, x + 1) == GLP_LO) release(r, x);
}

/* The cliques that the solution pays for. */
static int cliques_of(struct relaxation *r, struct fs_clique *out) {
  int n = 0, rows = glp_get_num_rows(r->lp);
  for (int row = r->c->rows + 1; row <= rows; row++) {
    double price = -glp_get_row_dual(r->lp, row);
    if (price <= 0) continue;
    uint64_t *bits = FS_NEW_N(r->c->p->arena, uint64_t, r->c->n / 64 + 1);
    for (int k = glp_get_mat_row(r->lp, row, r->ind, NULL); k > 0; k--)
      bits[(r->ind[k] - 1) / 64] |= (uint64_t)1 << ((r->ind[k] - 1) % 64);
    out[n++] = (struct fs_clique){price, bits};
  }
  return n;
}

/* What rows and cliques are worth in the solution. */
static struct fs_worth worth_of(struct relaxation *r, int most) {
  struct fs_covering *c = r->c;
  int extra = glp_get_num_rows(r->lp) - c->rows;
  double *rows = FS_NEW_N(c->p->arena, double, c->rows + 1);
  struct fs_clique *cliques = FS_NEW_N(c->p->arena, struct fs_clique, extra + 1);
  for (int row = 0; row < c->rows; row++) rows[row] = glp_get_row_dual(r->lp, row + 1);
  return (struct fs_worth){rows, cliques, cliques_of(r, cliques), most};
}

/* Keeps the best cover, if few ideals may be on the way to it. */
static bool find_best(struct relaxation *r, int most) {
  struct fs_worth worth = worth_of(r, most);
  return fs_cover_by_ideals(r->c, &worth);
}

/* Keeps a good cover. */
static void find_good(struct relaxation *r, int width) {
  struct fs_worth worth = worth_of(r, IDEALS_OF_A_BEAM);
  fs_cover_by_beam(r->c, &worth, width);
}

/* Leaves out the columns that no cover has which is wanted. */
static void drop_dear(struct relaxation *r) {
  double limit = fs_cover_limit(r->c), bound = glp_get_obj_val(r->lp);
  for (int x = 1; x <= r->c->n; x++)
    if (glp_get_col_type(r->lp, x) == GLP_LO && glp_get_col_stat(r->lp, x) != GLP_BS &&
        bound + glp_get_col_dual(r->lp, x) >= limit)
      glp_set_col_bnds(r->lp, x, GLP_FX, 0, 0);
}

/* By the first solution, which is had soon; then with cliques, by which less is to be
 * looked through, until they tell nearly nothing more. Where that is still too much, keeps
 * a good cover, beyond which the search need not look. */
static bool find_first(struct relaxation *r) {
  static const double LITTLE = 0.01, NOTHING = 0.001; /* of the bound */
  if (!solve(r)) return false;
  if (find_best(r, FEW_IDEALS)) return true;
  find_good(r, FEW_ABREAST);
  bool more = true;
  for (double last = 0, now; more; last = now) {
    if (!solve(r)) return false;
    struct parts p = parts_of(r);
    now = glp_get_obj_val(r->lp);
    drop_dear(r);
    more = now > last * (1 + NOTHING) && cut_cliques(r, &p);
    if (is_whole(&p) && is_cover(r, &p)) {
      fs_cover_keep(r->c, columns_of(r, &p), p.n_taken);
      return true;
    }
    if (now < last * (1 + LITTLE) && find_best(r, more ? FEW_IDEALS : MOST_IDEALS))
      return true;
  }
  find_good(r, MOST_ABREAST);
  return false;
}

/* The covers that cost less than those found before. Branches on the column of which
 * most is taken: with it, then without. */
static void search(struct relaxation *r) {
  struct parts p;
  double bound;
  for (;;) {
    if (!tighten_all(r, &p)) return;
    bound = glp_get_obj_val(r->lp);
    if (!r->bounded) put_bound(r);
    if (bound >= fs_cover_limit(r->c)) return;
    if (!is_whole(&p)) break;
    keep_whole(r, &p);
    if (bound >= fs_cover_limit(r->c)) return;
  }
  int x = 0;
  while (p.taken[x].by > 1 - WHOLE) x++;
  int column = p.taken[x].column;
  for (int way = 1; way >= 0 && bound < fs_cover_limit(r->c); way--) {
    glp_set_col_bnds(r->lp, column + 1, GLP_FX, way, way);
    search(r);
  }
  release(r, column);
}

static void open_relaxation(struct relaxation *r, struct fs_covering *c) {
  struct fs_arena *arena = c->p->arena;
  int most = FS_MAX(c->rows, c->n) + 1;
  *r = (struct relaxation){.c = c};
  r->most_steps = MOST_STEPS + STEPS_FOR_A_COVER * (c->k - 1);
  r->ind = FS_NEW_N(arena, int, most);
  r->val = FS_NEW_N(arena, double, most);
  r->more = FS_NEW_N(arena, double, most);
  for (int x = 0; x < most; x++) r->val[x] = 1;
  build(r);
}

void fs_cover_search(struct fs_covering *c) {
  struct relaxation r;
  open_relaxation(&r, c);
  if (!find_first(&r) || c->k > 1) search(&r);
  c->p->space.steps += glp_get_it_cnt(r.lp);
  glp_delete_prob(r.lp);
}

void fs_cover_sketch(struct fs_covering *c, double *rows) {
  struct relaxation r;
  open_relaxation(&r, c);
  bool solved = solve(&r);
  for (int row = 0; row < c->rows; row++)
    rows[row] = solved ? glp_get_row_dual(r.lp, row + 1) : c->columns[row].cost;
  if (solved) find_good(&r, OF_A_SKETCH);
  c->p->space.steps += glp_get_it_cnt(r.lp);
  glp_delete_prob(r.lp);
}
