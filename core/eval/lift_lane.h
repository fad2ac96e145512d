/* lift_lane.h - the value that an expression has in every round of a nest; shared by the
 * files lift_*.c only.
 *
 * Axis l of a lane's shape is the loop at depth l, with as many places as that has rounds, or
 * one place where the value does not depend on it. */
#ifndef FS_LIFT_LANE_H
#define FS_LIFT_LANE_H

#include "core/eval/border.h"
#include "core/eval/lift_nest.h"
#include "core/eval/trace.h"

enum fs_lane_kind {
  FS_LANE_NUMBER, /* of the host, the same in all rounds: `number` */
  FS_LANE_COUNT,  /* of the host, made of counters: another in each round */
  FS_LANE_TENSOR, /* a scalar tensor in each round: `tv` */
  FS_LANE_EITHER, /* one of two, as a condition of the round says: `choice` */
  FS_LANE_NONE    /* what the name was in the round before, or before the loop */
};

struct fs_lane_choice;

struct fs_lane {
  enum fs_lane_kind kind;
  struct fs_val number;
  struct fs_tv tv;           /* COUNT: i64, f64 or bool, unless `affine` is known */
  struct fs_affine affine;   /* COUNT of whole numbers */
  struct fs_scalar last;     /* COUNT: in the last round, and of which kind it is */
  double least, most;        /* COUNT: between what it is */
  bool measured;             /* COUNT: it depends on elements: `last` says the kind alone */
  const struct fs_lane_choice *parts; /* COUNT that is one of two sums of counters, ... */
  fs_id parts_of;            /* ... as long as this is its node */
  bool loose;                /* TENSOR: of a sum of floats, whose last bits are not the rounds' */
  const struct fs_lane_choice *choice;
};

/* Where both would be one scalar tensor of the same type, they are one TENSOR instead; so a
 * value has the type in each round that it has when they run one by one. */
struct fs_lane_choice {
  struct fs_tv mask;         /* bool */
  struct fs_lane yes, no;
  bool same;                 /* where the mask is false, `yes` is `no` in its own type */
};

/* The array of a name, as the items traced so far leave it. */
struct fs_lift_array {
  const char *name;
  struct fs_tv tv;
  bool changed, loose;
};

/* What an expression, or a name, is while a region is traced (lift_region.c): its operand or
 * its variable. Numbers of the host that are no constants are f64 there. */
struct fs_lane_bound {
  const struct fs_expr *e;
  const char *name;
  struct fs_lane lane;
};

/* A comparison of counters, which holds where a sum of them is not less than 0. */
struct fs_lane_limit {
  fs_id node;
  struct fs_affine least_zero;
  const struct fs_lane_limit *next;
};

struct fs_lift_tracer {
  struct fs_lift_nest *n;
  struct fs_interp *in;
  struct fs_span stmt, span; /* the interpreter's, when it began */
  int at;                    /* the item being traced */
  enum fs_status st;         /* what the device said */
  const struct fs_func *inside; /* the function of the user that is called, or NULL, ... */
  const struct fs_lane *args;   /* ... and its arguments                                 */
  FS_VEC(struct fs_lift_array) arrays;
  bool in_region;
  struct fs_lift_maker *region; /* of lift_region.c, while one is made; what an element is then
                                    at a place that it computes, and what looks for bad ones */
  bool (*region_read)(struct fs_lift_tracer *t, const struct fs_expr *e, struct fs_lane *out);
  void (*region_look)(struct fs_lift_tracer *t, struct fs_tv bad);
  FS_VEC(struct fs_lane_bound) bound;
  struct fs_arena *arena;    /* choices */
  const struct fs_lane_limit *limits;
  int splits;                /* how often operations on them were done twice */
  struct fs_lane extra;      /* beside its conditions, where what is read is evaluated */
  struct fs_tv wrong;        /* true: a subscript is not good; node 0: none can be */
  struct fs_tv late;         /* ... or a count is too large */
  struct fs_lane lanes[FS_LIFT_ITEMS]; /* of locals and conditions, by item */
  struct fs_tv found[FS_LIFT_ITEMS];   /* of the condition of a search: the round that it finds */
};

/* The value of an expression of the item being traced. False, here and below: it has none
 * that is known to be what the rounds one by one give; nothing is said of it. */
bool fs_lane_of(struct fs_lift_tracer *t, const struct fs_expr *e, struct fs_lane *out);
/* An operator on two lanes. */
bool fs_lane_binary(struct fs_lift_tracer *t, enum fs_ast_op op, struct fs_span span,
                    const struct fs_lane *a, const struct fs_lane *b, struct fs_lane *out);
/* An elementwise function of as many lanes as it has operands. */
bool fs_lane_map(struct fs_lift_tracer *t, enum fs_map_op op, struct fs_span span,
                 const struct fs_lane *a, struct fs_lane *out);
/* A sum of counters of such, by an operation; not `known`: it is none. */
struct fs_affine fs_lane_affine(enum fs_map_op op, const struct fs_lane *a);
/* As a tensor: numbers of the host as i64, f64 or bool. */
struct fs_tv fs_lane_tv(struct fs_lift_tracer *t, const struct fs_lane *a);
/* A COUNT like `like` whose values are `tv`. */
struct fs_lane fs_lane_measured(const struct fs_lane *like, struct fs_tv tv);
/* As tensors beside one of type `like` (NULL: none). */
bool fs_lane_beside(struct fs_lift_tracer *t, const struct fs_lane *a, const enum fs_dtype *like,
                    struct fs_tv *out);
/* As it is in the last round of the loops from depth `from` to before `to`, of item t->at. */
bool fs_lane_last(struct fs_lift_tracer *t, struct fs_lane *a, int from, int to);
/* At one place of an axis. */
struct fs_tv fs_tv_at(struct fs_interp *in, struct fs_tv a, int axis, int64_t place);
/* The elements that an access reads or writes: the view of its array, and the shape as a
 * lane's. */
struct fs_view fs_lift_view(const struct fs_lift_nest *n, const struct fs_lift_access *a,
                            const struct fs_range *rounds, struct fs_shape *shape);
/* What a name is outside of the nest: a number of the host, or a scalar tensor. */
bool fs_lift_outside(struct fs_lift_tracer *t, const char *name, struct fs_span span,
                     struct fs_lane *out);
/* What the name of a local is where item `at` begins to give it a value: NONE, if that comes
 * from the round before. */
bool fs_lift_before(struct fs_lift_tracer *t, int at, struct fs_lane *out);

/* A sum of counters in the loops of item t->at. */
struct fs_lane fs_lane_count(const struct fs_lift_tracer *t, const struct fs_affine *a);
/* A sum of counters over its axes. */
struct fs_tv fs_lift_counted(struct fs_lift_tracer *t, const struct fs_affine *a);
/* lift_read.c: an element of an array. */
bool fs_lift_element(struct fs_lift_tracer *t, const struct fs_expr *e, struct fs_lane *out);

/* -- lift_choice.c -- */

typedef bool fs_lane_fn(struct fs_lift_tracer *t, const void *how, const struct fs_lane *a,
                        struct fs_lane *out);
/* fn() of up to three lanes, of which none is EITHER when it is called. False also where one
 * is NONE. */
bool fs_lane_each(struct fs_lift_tracer *t, int n, const struct fs_lane *a, fs_lane_fn *fn,
                  const void *how, struct fs_lane *out);
/* Where the mask is `truth`. */
struct fs_lane fs_lane_given(struct fs_lift_tracer *t, struct fs_lane a, struct fs_tv mask,
                             bool truth);
/* `yes` where a truth value is true, else `no`. */
struct fs_lane fs_lane_join(struct fs_lift_tracer *t, const struct fs_lane *mask,
                            const struct fs_lane *yes, const struct fs_lane *no);
/* As a truth value: a NUMBER, or a TENSOR of bool; so are the next ones' operands. */
bool fs_lane_truth(struct fs_lift_tracer *t, const struct fs_lane *a, struct fs_lane *out);
struct fs_lane fs_lane_both(struct fs_lift_tracer *t, const struct fs_lane *a,
                            const struct fs_lane *b);
struct fs_lane fs_lane_not(struct fs_lift_tracer *t, const struct fs_lane *a);
/* The host runs the rounds if `bad` is true in one of them, where it is evaluated. */
void fs_lift_look(struct fs_lift_tracer *t, struct fs_tv bad);
/* The same of what no other round's steps can go astray by. */
void fs_lift_look_late(struct fs_lift_tracer *t, struct fs_tv bad);
/* The place, from 1 and row by row, of the element that an access is to, in every round; the
 * rounds in which it would be outside have another one. */
bool fs_lift_places(struct fs_lift_tracer *t, const struct fs_lift_access *a, struct fs_tv *out);
/* Whether an item is executed, by its conditions within the loops from depth `level` on. */
struct fs_lane fs_lift_mask(struct fs_lift_tracer *t, int at, int level);
/* Where it is. */
struct fs_lane fs_lift_given(struct fs_lift_tracer *t, int at, struct fs_lane a);
/* `value` where the conditions of an item outside of the loops from depth `level` on hold,
 * else what was `before`. */
struct fs_lane fs_lift_under(struct fs_lift_tracer *t, int at, int level, struct fs_lane value,
                             struct fs_lane before);
/* Of a value in the loops `over`, that of the one round of which `is` says so. */
struct fs_lane fs_lane_pick(struct fs_lift_tracer *t, struct fs_lane a, unsigned over,
                            const struct fs_tv *is);
/* As it is after the loop at depth l of item t->at: NONE becomes what was `before` it. */
bool fs_lane_settle(struct fs_lift_tracer *t, struct fs_lane *a, int l,
                    const struct fs_lane *before);

/* Numbers of the host that are one of two sums of counters. */

/* Finds the parts of a COUNT that is op of these, which are the nodes `src`: i - 1 and 2 of
 * where(i > 1, i - 1, 2). */
void fs_lane_find_parts(struct fs_lift_tracer *t, enum fs_map_op op, const struct fs_lane *a,
                        const struct fs_tv *src, struct fs_lane *out);
/* Notes what a comparison op of two sums of counters says, whose node is `is`. */
void fs_lane_note_limit(struct fs_lift_tracer *t, enum fs_map_op op, const struct fs_lane *a,
                        fs_id is);
/* Whether what fs_lane_sums() gave is from 0 to below an extent in all rounds. */
bool fs_lane_is_inside(const struct fs_lift_tracer *t, const struct fs_lane *a, int64_t extent);
/* A COUNT, or one of two, as a COUNT less `by`, with what it is parts of; *leaves: of how many
 * sums of counters. False: it is none of such. */
bool fs_lane_sums(struct fs_lift_tracer *t, const struct fs_lane *a, int64_t by,
                  struct fs_lane *out, int *leaves);

/* -- lift_scatter.c -- */

/* Replaces the elements of an array at computed places: by what the last round has for each. */
bool fs_lift_scatter(struct fs_lift_tracer *t, struct fs_lift_array *of,
                     const struct fs_lift_access *w, const struct fs_tv *value,
                     const struct fs_lane *mask);
/* Puts to them what each round brings, in the order of the rounds; `by`: of enum fs_lib_way. */
bool fs_lift_scatter_put(struct fs_lift_tracer *t, struct fs_lift_array *of,
                         const struct fs_lift_access *w, const struct fs_tv *value,
                         const struct fs_lane *mask, int by);

/* -- lift_fold.c -- */

/* The loops in `over` of item t->at reduced. */
struct fs_tv fs_lift_reduced(struct fs_lift_tracer *t, enum fs_reduce_op op, struct fs_tv value,
                             unsigned over);
/* What changes nothing in a reduction. */
struct fs_tv fs_lift_identity(struct fs_lift_tracer *t, enum fs_reduce_op op, enum fs_dtype dt);
/* The first round, from 1, of the loop that condition `at` ends; behind the last one: none. */
struct fs_tv fs_lift_first(struct fs_lift_tracer *t, int at);
/* The number of the round, from 1, of the loop at depth l of item t->at. */
struct fs_lane fs_lift_rounds(struct fs_lift_tracer *t, int l);

/* -- lift_region.c -- */

/* What the names are that the `while` of item t->at and those behind it sets. */
bool fs_lift_region(struct fs_lift_tracer *t);
/* A whole number from 1 to the extent, as i64 from 0, where a border has brought it inside;
 * *inside: it surely is one. Else it is looked at. */
bool fs_lift_place(struct fs_lift_tracer *t, const struct fs_expr *e, enum fs_border border,
                   int64_t extent, struct fs_tv *sub, bool *inside);
/* All elements of an array as a vector, row by row; one that is computed in this block would
 * have to be stored first. */
bool fs_lift_vector(struct fs_lift_tracer *t, const struct fs_lift_array *of, struct fs_tv *out);

/* lift_give.c: gives names their values; false: no name has another value, since a subscript
 * was wrong, or what the host would have to read cannot be read now. */
bool fs_lift_give(struct fs_lift_tracer *t);

/* The array of a name, borrowed until the next is asked for; NULL: the device failed. */
struct fs_lift_array *fs_lift_array(struct fs_lift_tracer *t, const char *name);

#endif
