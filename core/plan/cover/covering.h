/* covering.h - the search for the best covers. Private to cover/.
 *
 *   candidates -cover.c-> columns -search.c, ideal.c-> covers -cover.c, sums.c-> combinations
 */
#ifndef FS_COVERING_H
#define FS_COVERING_H

#include "core/plan/cover/inside.h"

/* A candidate that a cover may take. */
struct fs_column {
  int candidate;
  struct fs_set set;    /* its rows: clusters of the window                    */
  struct fs_set reach;  /* rows that wait for one of them                      */
  double cost;          /* in microseconds; the index breaks ties              */
};

/* Columns that have each row once, and of which none waits for itself. */
struct fs_cover {
  double cost;
  int n, *columns;      /* in no order                                         */
};

struct fs_covering {
  struct fs_fusions *p;
  struct fs_column *columns;
  int rows, n;
  int k, found;              /* covers that are wanted, that there are         */
  struct fs_cover *best;     /* the cheapest first                             */
};

/* Whether each of two columns waits for the other. */
static inline bool fs_columns_wait(const struct fs_column *a, const struct fs_column *b) {
  return fs_set_meets(&a->reach, &b->set) && fs_set_meets(&b->reach, &a->set);
}

/* What others must cost less than, by more than what sums are off. */
double fs_cover_limit(const struct fs_covering *c);
/* Keeps a cover if it is one of the k best, and new. */
void fs_cover_keep(struct fs_covering *c, const int *columns, int n);

/* few.c: the k best covers of few rows, as search.c finds them; false: it must. Then nothing
 * is kept. */
bool fs_cover_few(struct fs_covering *c);

/* search.c: the best cover, and the k best, nearly always; else some that are about as
 * good. None where there is none, or too much to look through. */
void fs_cover_search(struct fs_covering *c);
/* A cover that is soon found, and what its rows are worth in the relaxation. */
void fs_cover_sketch(struct fs_covering *c, double *rows);

/* Columns of which a cover has one at most, and what a relaxation pays for that. */
struct fs_clique {
  double price;
  const uint64_t *columns; /* as bits */
};

/* What no cover costs less than: what its rows are worth, less the price of each clique.
 * No column costs less than its rows are worth, less its cliques. */
struct fs_worth {
  const double *rows;
  const struct fs_clique *cliques;
  int n;                   /* of the cliques */
  int most;                /* ideals that are looked at */
};

/* ideal.c: keeps the best cover, or has it already. False: there is none, or too much to look
 * through. */
bool fs_cover_by_ideals(struct fs_covering *c, const struct fs_worth *worth);
/* Keeps a good cover, by the nearest so many ideals of as many rows; false: it found none that
 * is better than what was kept. */
bool fs_cover_by_beam(struct fs_covering *c, const struct fs_worth *worth, int width);

#endif
