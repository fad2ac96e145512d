/* search.h - the empirical search: what plans of one block really take.
 *
 * Filipovic et al., section 4.4: the prediction orders the combinations, and the
 * best few are compiled and run to find the fastest, as scratch.h says. */
#ifndef FS_SEARCH_H
#define FS_SEARCH_H

#include "core/run/run.h"

struct fs_candidate {
  struct fs_plan *plan;     /* owned by the search until it is compiled ... */
  struct fs_block *block;   /* ... and then by this; NULL: did not compile  */
  int kernels;
  int rank;                 /* of fs_plan_ranked(), from 1                 */
  double predicted;         /* seconds                                     */
  double measured;          /* median of its times, < 0: it did not run    */
  double low, high;         /* half of them lie between these              */
  double *each;             /* per kernel: its median; 0: a phase of the launch
                               before it; NULL: it did not run             */
  int n_times;
  bool in_use;              /* `block` is the one searched for, which stays its own */
  char *trouble;            /* why it did not run, or NULL                 */
};

struct fs_search {
  struct fs_target *target; /* borrowed                                    */
  FS_VEC(struct fs_candidate) list; /* by rank                             */
  int best;                 /* index, -1 if nothing ran                    */
  bool interrupted;         /* Ctrl-C: what was timed so far counts        */
  bool stand_ins;           /* some input was not there any more           */
  double rank_seconds, compile_seconds, time_seconds;
};

struct fs_search_options {
  int k;                    /* combinations to time                        */
  int among;                /* of how many ranked ones: the first k/2, and
                               the others evenly over the rest; 0: k       */
  struct fs_plan *const *plans; /* instead: these n plans of the block,    */
  int n_plans;              /* which the search keeps ...                  */
  struct fs_block *race;    /* or NULL: the block itself, which goes first; then all plans run
                               in all rounds, none is chosen among the closest    */
  int repeats;              /* most rounds; 0: 15                          */
  double seconds;           /* for the rounds; 0: 0.25 a candidate         */
  void (*progress)(void *user, const char *what, double done);
  void *user;
};

/* Ranks, compiles (several at a time) and times plans of a block that has run.
 * Rounds are interleaved, after one that warms up: each runs every candidate
 * once. Those that come within 5 % of the fastest, and the first, run again; then the
 * fastest of these and the first, which decides between the two. FS_OK if at least one was timed; FS_INTERRUPTED if Ctrl-C came before.
 * In any case *out must be freed. */
enum fs_status fs_search_block(struct fs_runner *r, const struct fs_block *block,
                               const struct fs_search_options *options,
                               const struct fs_diags *sources,
                               struct fs_search *out, struct fs_diags *d);
void fs_search_free(struct fs_search *s);

/* Makes the best candidate what the block runs as from now on; the list has in its place
 * what the block was. */
void fs_search_adopt(struct fs_search *s, struct fs_block *block);

#endif
