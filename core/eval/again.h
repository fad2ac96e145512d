/* again.h - lists of statements that come again: what is remembered of one. record.c
 * writes it while a list is traced, again.c reads it when the list comes again. */
#ifndef FS_AGAIN_H
#define FS_AGAIN_H

#include "core/eval/interp.h"
#include "core/run/memo.h"

enum { FS_AGAIN_NAMES = 64, FS_AGAIN_INPUTS = 96, FS_AGAIN_OUTPUTS = 30, FS_AGAIN_EFFECTS = 64,
       FS_AGAIN_MISSES = 4 };

struct fs_moves; /* moving.c */

/* What a name was when the list was traced. */
struct fs_again_guard {
  char *name;
  bool local;                /* of the function that the list stands in; else global */
  bool beyond;               /* a function that the list calls reads it, too */
  enum fs_val_kind kind;     /* FS_V_NONE: there was no such variable */
  bool is_int;
  double number;
  struct fs_func *func;      /* a reference */
  enum fs_dtype dtype;
  struct fs_shape shape;
  struct fs_layout layout;
  int alias;                 /* the first guard of the same storage */
  int64_t list_to;           /* what was known of it as a list of indices */
  bool rebound;              /* the list gives the name another value */
  int moving;                /* 1 + which number of `moves` it is; 0: it must stay what it is */
  const struct fs_storage *seen;  /* only while it is recorded */
  const struct fs_tensor *now;    /* only while it is run */
  double next;                    /* ... a moving number, as it is now */
};

/* What a name is afterwards: an output of the block, a number, a part of what another
 * name was, or what a recipe can compute. */
struct fs_again_effect {
  char *name;
  int output;                /* -1: none */
  int guard;                 /* of a part: whose; -1: none */
  fs_id node;                /* in the recipe; 0: none */
  enum fs_dtype dtype;       /* of parts, and of what a recipe computes */
  struct fs_shape shape;
  struct fs_layout layout;   /* of a part */
  struct fs_val number;      /* else */
};

struct fs_again_output {
  enum fs_dtype dtype;
  struct fs_shape shape;
  const struct fs_tensor *seen;
};

struct fs_again_assigned {
  char *name;
  bool new;                  /* there was none */
};

struct fs_again {
  const struct fs_stmt *list;
  struct fs_unit *unit;      /* a reference, so that `list` stays what it is */
  bool top, script, silent, loops;
  int seen, misses;
  int64_t hits;
  bool refused, ready;
  FS_VEC(struct fs_again_guard) guards;
  FS_VEC(struct fs_again_effect) effects;
  FS_VEC(struct fs_again_output) outputs;
  struct fs_memo memo;
  int *from;                 /* per input of the block: which guard */
  struct fs_recipe *recipe;  /* a reference of the one of its effects, or NULL */
  int *recipe_from;          /* per input of the recipe: which guard */
  fs_name_list passing;      /* see fs_again_passing() */
  struct fs_number *params;
  fs_anchor_list anchors;
  int word;                  /* the output that is a status word (overflow.h), from 1; 0: none */
  FS_VEC(struct fs_kept_sum) sums; /* of which it tells */
  struct fs_moves *moves;    /* how the block goes with numbers; NULL: nothing was seen yet */
  /* While it is recorded: */
  bool failed, ended;
  const struct fs_scope *home;       /* what the list assigns to */
  FS_VEC(struct fs_again_assigned) assigned;
  int blocks, forced, told;
  int64_t stream;
};

/* Forgets what was recorded, not the list. */
void fs_again_empty(struct fs_again *a);
/* What a guard is of, as it is now; NULL: nothing. Borrowed. */
static inline struct fs_val *fs_again_now(struct fs_interp *in, const struct fs_again_guard *g) {
  return fs_scope_find(g->local ? in->scope : &in->globals, g->name);
}
/* The guard of what the list itself means by a name; NULL: it reads no such variable. */
const struct fs_again_guard *fs_again_guard_of(const struct fs_again *a, const char *name);

/* -- moving.c: rounds that differ in numbers which slices go by -- */

/* The list was recorded, and is ready: what that says of how its block goes with numbers. */
void fs_moves_learn(struct fs_interp *in, struct fs_again *a);
/* Makes what was recorded that of a round in which the moving numbers are g->next; false: it
 * is not known to be so, or `*st` says what failed. */
bool fs_moves_go(struct fs_interp *in, struct fs_again *a, enum fs_status *st);
/* The rounds that follow on that one, in each of which the counter is `step` more: how many are
 * known to differ from it in numbers alone, of `left` at most. fs_moves_next() makes what was
 * recorded that of the next one of them, but for what is shown of it, which fs_moves_end()
 * does when `done` of them were run. */
int64_t fs_moves_reach(struct fs_interp *in, struct fs_again *a, const struct fs_ahead *ahead);
enum fs_status fs_moves_next(struct fs_interp *in, struct fs_again *a, struct fs_diags *d);
void fs_moves_end(struct fs_interp *in, struct fs_again *a, const struct fs_ahead *ahead);
/* Whether a list that was not ready for its last round is still to be recorded again; whether
 * what is recorded is better than a recording of that round. */
bool fs_moves_learning(const struct fs_again *a);
bool fs_moves_stay(struct fs_again *a);
/* A round that is unlike what is recorded in more than numbers: the first one of a loop that
 * comes again, as a rule. */
void fs_moves_missed(struct fs_again *a);
/* What was recorded is to be forgotten. */
void fs_moves_forget(struct fs_again *a);
void fs_moves_free(struct fs_moves *m);

#endif
