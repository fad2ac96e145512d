/* lift_nest.h - a nest of loops over elements, as its statements say it; shared by the files
 * lift_*.c only.
 *
 * A loop at depth l counts its rounds t[l] = 0, 1, ...; a subscript that is a sum of numbers
 * times counters is a sum of numbers times these. Every statement of the nest is an item with
 * the loops around it. The items are traced one after the other, each for all of its rounds,
 * which keeps the order of any two accesses to an element that the rounds one by one have, or
 * the nest is not lifted. */
#ifndef FS_LIFT_NEST_H
#define FS_LIFT_NEST_H

#include "core/eval/lift.h"
#include "core/eval/lift_while.h"
#include "core/eval/scalar.h"
#include "core/graph/graph.h"

enum { FS_LIFT_DEPTH = 4, FS_LIFT_LOOPS = 16, FS_LIFT_ITEMS = 128,
       FS_LIFT_ACCESSES = 512, FS_LIFT_MOST = 1 << 30 };

/* c + sum of k[l]*t[l]; `known`: it is one. */
struct fs_affine {
  bool known;
  int64_t c, k[FS_LIFT_DEPTH];
};

struct fs_lift_loop {
  const struct fs_stmt *s;
  const char *name;          /* the counter */
  struct fs_affine begin;    /* its first value, a sum of the counters around */
  int64_t step, count;
  int depth;                 /* from 0 */
  int around[FS_LIFT_DEPTH]; /* the loops around it */
  int first;                 /* its first item: what it stands under, that does, too */
  bool window;               /* its rounds are items one by one (lift_window.c) */
  int ends;                  /* the CONDITION that a `break` ends it by; -1: none */
};

/* A CONDITION is that of an `if` or `elseif`: it has no name, and others stand under it. */
enum fs_lift_kind { FS_LIFT_ELEMENT, FS_LIFT_LOCAL, FS_LIFT_CONDITION };
enum { FS_LIFT_NO_REDUCE = -1 };

struct fs_lift_item {
  const struct fs_stmt *s;
  enum fs_lift_kind kind;
  const char *name;              /* the array, or the local name */
  int depth, loops[FS_LIFT_DEPTH];
  int guard;                     /* the CONDITION that it stands under; -1: none */
  bool otherwise;                /* ... and which must be false */
  bool of_range;                 /* CONDITION: that a counter is within its range, whose ends */
  bool surely;                   /* ... are of other counters; and it is in some round always */
  bool stop;                     /* CONDITION: under it the outermost loop ends */
  int ended;                     /* CONDITION: the round is the first in which that one holds, */
  bool before;                   /* ... or is before it; -1: it is not that                   */
  int search;                    /* the CONDITION x > m of a search, and what is set under it: */
                                 /* that condition, which reduces x; -1                        */
  int region;                    /* LOCAL that a `while` sets: the first item of it; -1 */
  const struct fs_expr *value;   /* of a reduction: what each round brings */
  int reduce;                    /* enum fs_reduce_op, or NO_REDUCE */
  enum fs_ast_op op;             /* ... of which this is the operator, unless */
  bool extreme;                  /* ... it is max or min                      */
  bool running;                  /* a reduction of which every round is wanted, ... */
  int along;                     /* ... by the loop at this depth                   */
  int level;                     /* how many of its loops its value still has as axes */
  int target;                    /* ELEMENT: the access that it writes */
  int init;                      /* reduction of a local: the item that it begins with;
                                    -1: what the name is outside. A running one of
                                    elements: the access to those of the round before */
  struct fs_affine affine;       /* LOCAL: if its value is one */
};

/* A read or a write of an element. */
struct fs_lift_access {
  int item;
  const struct fs_expr *e;       /* the FS_EX_INDEX */
  const char *name;
  bool write;
  bool own;                      /* the read of a reduction of what it writes */
  bool guarded;                  /* outside of the array but for what a condition says, ... */
  const struct fs_expr *behind;  /* ... also this one, left of an && (an ||: that it is not); */
  bool behind_or;                /*     or NULL                                              */
  struct fs_shape shape;         /* of the array, with a dimension for every subscript */
  struct fs_affine sub[FS_MAX_RANK]; /* from 0 */
  const struct fs_expr *place[FS_MAX_RANK]; /* a subscript that is none such sum; or NULL */
  uint8_t border[FS_MAX_RANK];   /* enum fs_border of a subscript that may leave the array; */
  struct fs_affine counted[FS_MAX_RANK]; /* ... the sum, from 1, that it is before the border */
};

/* Two accesses whose order in the rounds one by one tracing would not keep. */
struct fs_lift_conflict {
  int first, second;             /* accesses: a write, and what meets it */
  int loop;                      /* whose rounds wait */
  int64_t distance;              /* in rounds; 0: it varies */
};

/* What a name of the nest is in all of it. */
enum fs_lift_name_kind { FS_LIFT_IS_LOCAL, FS_LIFT_IS_ARRAY, FS_LIFT_IS_COUNTER };
struct fs_lift_name {
  const char *name;
  enum fs_lift_name_kind kind;
};

/* Why a nest is not lifted: the first thing that cannot be, and what is wrong with it. */
struct fs_lift_refusal {
  struct fs_span span;
  const char *why;           /* "may be out of range"; NULL: nothing is */
  bool place;                /* ... which it says of an element */
};

struct fs_lift_nest {
  struct fs_interp *in;
  FS_VEC(struct fs_lift_name) names; /* that the nest gives values */
  FS_VEC(struct fs_lift_loop) loops;
  FS_VEC(struct fs_lift_item) items;
  FS_VEC(struct fs_lift_access) accesses;
  int n_path, path[FS_LIFT_DEPTH]; /* while it is read: the loops around */
  struct fs_lift_refusal refused;
  const struct fs_stmt *fresh;   /* while it is read: the first statement of a loop */
  bool wants_stored;             /* an array that the block has not computed yet */
  bool cut;                      /* the block was ended for that, or cannot be */
  bool stopped;                  /* it is read for the rounds before the one that ends it */
  bool whole;                    /* windows are loops like others; */
  bool windows;                  /* ... there is one, and it is none */
  bool serial;                   /* inner loops that set names alone go on in each round by
                                    themselves, as a `while` does; */
  bool may_be_serial;            /* ... there is one, */
  bool must_be_serial;           /* ... as often as its data say */
  struct fs_arena *arena;        /* expressions that are not in the text */
  const struct fs_expr *behind;  /* while it is read: left of which && or || */
  bool behind_or;
  const struct fs_expr *carried; /* a local name whose value comes from the round before */
  int carried_loop;
};

/* Reads the nest; false: it is not of elements alone, or may be wrong somewhere. */
bool fs_lift_read(struct fs_lift_nest *n, const struct fs_stmt *s, const struct fs_val *range);
void fs_lift_nest_free(struct fs_lift_nest *n);
/* Keeps why, if nothing was said before; false. */
bool fs_lift_refuse(struct fs_lift_nest *n, struct fs_span span, const char *why);
/* Whether an inner loop may be one that a round goes through by itself. */
bool fs_lift_is_serial(const struct fs_stmt *s);
/* Whether a subscript of an access is no sum of counters. */
bool fs_lift_is_computed(const struct fs_lift_access *a);
/* Whether the last statement of a list is of the kind. */
bool fs_lift_ends(const struct fs_stmt *list, enum fs_stmt_kind kind);
/* Where an item stands: a condition, that of a `while`, or a statement. */
static inline struct fs_span fs_lift_span(const struct fs_lift_item *it) {
  return it->kind == FS_LIFT_CONDITION || it->region >= 0 ? it->s->expr->span : it->s->span;
}
/* How many loops two items share. */
int fs_lift_common(const struct fs_lift_nest *n, int a, int b);
/* The item that a name has its value from where item `at` reads it; -1: none in the nest.
 * *carried: the loop, by depth, whose round before gives it; -1: none. */
int fs_lift_source(const struct fs_lift_nest *n, const char *name, int at, int *carried);
/* A subscript or a number of the host as a sum of counters, for item `at`; `end` is what
 * that stands for, 0: nothing. */
struct fs_affine fs_lift_affine(const struct fs_lift_nest *n, const struct fs_expr *e, int at,
                                int64_t end);
struct fs_affine fs_lift_constant(int64_t c);
/* The loop of the item whose counter has the name, by depth; -1: none. */
int fs_lift_counter(const struct fs_lift_nest *n, int item, const char *name);
/* The least and the largest value over all rounds of an item. */
struct fs_range fs_lift_bounds(const struct fs_lift_nest *n, int item, const struct fs_affine *a);
/* What the nest gives the name; NULL: nothing, it is what it was before. */
const struct fs_lift_name *fs_lift_name(const struct fs_lift_nest *n, const char *name);
/* A number or truth value of the host that is the same in all rounds. */
bool fs_lift_number(const struct fs_lift_nest *n, const struct fs_expr *e, int64_t end,
                    struct fs_scalar *out);

/* The elementwise built-in function that is called with all of its arguments; NULL: it is none. */
const struct fs_builtin *fs_lift_map(const struct fs_lift_nest *n, const struct fs_expr *e);

/* The conversion of one number that is called; NULL: it is none. */
const struct fs_builtin *fs_lift_cast(const struct fs_lift_nest *n, const struct fs_expr *e);

/* The short function of the user that is called with all of its arguments, of nothing but
 * them, numbers, operators and elementwise functions; NULL: it is none. Borrowed. */
const struct fs_func *fs_lift_function(const struct fs_lift_nest *n, const struct fs_expr *e);

/* -- lift_window.c -- */

/* Whether a loop of few rounds reads neighbours, or writes them; `moves`: it begins at a sum of
 * other counters. What stands in it in one round: `round` in place of its counter, and `begin`
 * more, unless that is NULL. */
bool fs_lift_is_window(const struct fs_lift_nest *n, const struct fs_stmt *s, int64_t count,
                       bool moves);
struct fs_stmt *fs_lift_window_round(struct fs_lift_nest *n, const struct fs_stmt *s,
                                     struct fs_expr *begin, double round);

/* -- lift_guard.c -- */

/* Whether item `at` stands under (guard, otherwise), at any distance. */
bool fs_lift_stands_under(const struct fs_lift_nest *n, int at, int guard, bool otherwise);
/* Whether the comparisons of counters over the item hold in the round t of each loop. */
bool fs_lift_holds(const struct fs_lift_nest *n, int item, const int64_t *t);
/* Whether a subscript of an access, from 0, is inside of an extent where its conditions hold,
 * as far as they are comparisons of sums of counters. */
bool fs_lift_is_inside(const struct fs_lift_nest *n, const struct fs_lift_access *a,
                       const struct fs_affine *sub, int64_t extent);
/* Between which numbers a sum of counters is in those rounds of an item in which each of some
 * others is not less than 0; first > last: in none. */
struct fs_range fs_lift_range_where(const struct fs_lift_nest *n, int item,
                                    const struct fs_affine *a, int n_others,
                                    const struct fs_affine *others);
/* The rounds of the loop at a depth in which they may hold: first to last, from 0. */
struct fs_range fs_lift_guarded_rounds(const struct fs_lift_nest *n, int item, int depth);

/* lift_depend.c: false: there is a conflict. */
bool fs_lift_independent(const struct fs_lift_nest *n, struct fs_lift_conflict *out);

/* lift_trace.c: how many rounds of the outermost loop come before the one that a `break` ends,
 * which the host reads. False: that cannot be done. */
bool fs_lift_stop(struct fs_lift_nest *n, int64_t *rounds, enum fs_status *st);
/* lift_trace.c: traces the nest and gives names their values; false: it cannot be done,
 * and no name has another value. */
bool fs_lift_trace(struct fs_lift_nest *n, enum fs_status *st);

#endif
