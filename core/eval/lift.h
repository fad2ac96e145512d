/* lift.h - loops over elements as one graph:
 *
 *     for i = 1:n; for j = 1:m; z[i,j] = x[i,j] + y[i,j]; end; end
 *
 * The nest is read (lift_nest.c), its rounds are compared (lift_depend.c), and where none
 * waits for another each of its statements is traced once for all rounds, with the counters
 * as axes (lift_lane.c, lift_trace.c). A nest that cannot be lifted runs round by round on
 * the host, which is what it means. */
#ifndef FS_LIFT_H
#define FS_LIFT_H

#include "core/eval/interp.h"

/* Traces a `for` over `range`, from its first round on, into the block, and gives how many of
 * its rounds that are: all, or those before the one that a `break` ends. 0: that cannot be
 * done; then nothing has changed, but that a note may say why. The values of names afterwards,
 * bounds and errors are those of the rounds one by one. */
int64_t fs_lift_try(struct fs_interp *in, const struct fs_stmt *s, const struct fs_val *range,
                    enum fs_status *st);
/* Why a loop that insists was not lifted, to be told as an error unless there is a mistake in the
 * first `look` rounds, which any loop would tell. NULL: nothing is to be told. */
struct fs_lift_said {
  struct fs_span span;
  const char *hint, *text;
  bool wait;                 /* they wait for each other */
  int64_t look;
};
const struct fs_lift_said *fs_lift_said(const struct fs_stmt *s);
/* How many rounds of its innermost loop one that was lifted the last time had; 0: it was not. */
int64_t fs_lift_rounds_of(const struct fs_stmt *s);
/* Keeps what `:why` says of the last input, once for a span. */
void fs_lift_keep_reason(struct fs_interp *in, struct fs_span span, const char *message);
/* Forgets why loops wait. */
void fs_lift_forget(struct fs_interp *in);

#endif
