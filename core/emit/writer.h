/* writer.h - what the files of core/emit share. Private to the stage.
 *
 * Vocabulary of the generated text:
 *   s0 p0 work   arguments: slot pointers, block params, workspace
 *   a0           typed pointer of access 0
 *   v0           value 0;  r0: the running result of the reduction giving v0
 *   w0           partial results of v0 in the workspace
 *   i, j         row and column of an element (i0 i1, j0 j1: several axes)
 *   t, sub       this thread's place in its row, and its row in the block
 *   rank, team   this block's part of a row, and which cluster it is in
 *   b, c, e      rows at once, vectors of a row, lanes of a vector: a value is
 *                subscripted v0[b][c][e] by those of the three that it has
 *   n0           value 0 of the next row, loaded ahead
 *   g, k         number of a vector in the row, how many of its lanes exist
 */
#ifndef FS_EMIT_WRITER_H
#define FS_EMIT_WRITER_H

#include "core/emit/emit.h"
#include "core/lower/address.h"
#include "core/lower/program.h"
#include "core/model/occupancy.h"
#include "core/plan/kernels/launches.h"

/* The workspace begins with tickets and barrier counters. */
enum { EM_COUNTER_BYTES = 256 };

struct em_value {
  bool b, c, e;         /* the subscripts of what is in scope now           */
  bool stands;          /* an earlier phase of the row declared what it loads */
  bool own;             /* a thread has that of one row: own3 (row_by_lane) */
};

enum em_way { EM_AS_IT_IS, EM_SHORT, EM_LONG }; /* quick.c */

enum em_hook { /* places of a skeleton; hook_names[] of emit.c */
  EM_ARGUMENTS, EM_POINTERS, EM_BEFORE, EM_STRIP_BEGIN, EM_ROW, EM_STRIP_END, EM_AFTER,
  EM_FETCH, EM_SEND, EM_GATHER, EM_FINISH, EM_ROWS, EM_COLUMN_VALUES, EM_FIRST,
  EM_SECOND, EM_MOVE_ON, EM_HOOKS
};

struct em {
  const struct fs_plan *plan;
  const struct fs_kernel *k;
  struct fs_emitted *out;
  struct fs_lp *hook[EM_HOOKS];  /* its statements; NULL: none              */
  struct fs_lp_writer w;         /* where they are added                    */

  const struct fs_schedule *how; /* the piece is walked: the kernel, or a part of it that
                                    is written in a way of its own          */
  struct fs_lp_axes axes;        /* by which elements are counted           */
  bool row_by_lane;              /* b is a lane's own: rows in registers by fs_lane() */
  bool into_next;                /* names are those of the next row      */
  enum em_way way;               /* of the lanes at hand, which have a short one */
  bool one_by_one;               /* ... lane after lane, not all side by side */

  struct em_value *v;            /* per value  */
  bool quick;                    /* the text that is compiled quickly, where that is
                                    another: march.c                      */
  struct em_grid *grid;          /* it is a phase of that; NULL: a launch    */
};

/* Threads, blocks and shared memory of the launch (emit.c). */
void em_describe_launch(struct em *em, bool has_work);
/* A kernel's text in pieces (emit.c): what is known before a line is written, the
 * entry with everything in it (fills em->out but for the source), and what stands
 * before that: comment, constants, pieces of the library that `body` uses. */
void em_begin(struct em *em, const struct fs_device *device, const struct fs_schedule_how *how);
void em_body(struct em *em, struct fs_str *out);
void em_end(struct em *em);
void em_head(const struct em *em, const struct fs_diags *diags, struct fs_str *out);
void em_constants(struct em *em, struct fs_str *out);
void em_prelude(const struct fs_str *body, struct fs_str *out);
/* The argument that points so many bytes into a slot: k of `s3`. */
int em_slot_argument(struct em *em, int slot, int64_t bytes);

/* -- what stays in the cache (keep.c) ------------------------------------------- */
/* Declares the policies; that of a load of this row, NULL if it needs none:
 * "i < 1000 ? stays : passes". */
void em_declare_keeping(struct em *em);
const char *em_keeping(struct em *em, const struct fs_step *s, const char *row);

/* -- several kernels in one launch (grid.c) ----------------------------------- */
/* ", float &c12": the numbers that pass from phase to phase in registers. */
void em_grid_arguments(struct em *em, struct fs_str *list);
/* What a load of one number is instead, or NULL; what is written when step s has
 * stored one. */
/* The number of the phase that is written, from 1 on; 0: it is a launch. */
int em_grid_phase(const struct em *em);
const char *em_grid_load(struct em *em, const struct fs_step *s);
void em_grid_stored(struct em *em, const struct fs_step *s);

/* -- statements (text.c) ------------------------------------------------------ */
/* A statement; one that does something for a step; one so many steps further in. */
void em_line(struct em *em, const char *fmt, ...) FS_PRINTF(2, 3);
void em_say(struct em *em, enum fs_lp_kind kind, const struct fs_step *s, const char *fmt, ...)
    FS_PRINTF(4, 5);
void em_line_in(struct em *em, int shift, const char *fmt, ...) FS_PRINTF(3, 4);
/* What is added up to em_close() is in it: a block, `if (...)`, the same of one statement
 * without braces, `for (...)`, a function that is called later. */
void em_block(struct em *em, const char *note);
void em_if(struct em *em, const char *fmt, ...) FS_PRINTF(2, 3);
void em_if_bare(struct em *em, const char *fmt, ...) FS_PRINTF(2, 3);
void em_else(struct em *em, const char *note);
void em_loop(struct em *em, enum fs_lp_axis axis, const char *fmt, ...) FS_PRINTF(3, 4);
void em_function(struct em *em, const char *fmt, ...) FS_PRINTF(2, 3);
void em_close(struct em *em);
/* How the next statement, a loop, is unrolled: FS_LP_UNROLL_ALL, or so many rounds. */
void em_unroll(struct em *em, int rounds);
/* An unrolled loop over rows (b), vectors (c), lanes (e) or others; nothing for count 1,
 * which em_close_for() of the same count must know. */
void em_for(struct em *em, const char *var, int count);
void em_close_for(struct em *em, int count);
/* Writing goes on at this place of the skeleton. */
void em_go(struct em *em, enum em_hook hook);
const char *em_fmt(struct em *em, const char *fmt, ...) FS_PRINTF(2, 3);
const char *em_int(struct em *em, int64_t x);
/* The argument of a text for any sizes that has this one. */
const char *em_size(struct em *em, int64_t x);
/* "a && b", leaving out empty parts; "" if all are. */
const char *em_and(struct em *em, const char *a, const char *b);

/* -- expressions (expr.c) ----------------------------------------------------- */
const char *em_value_type(enum fs_dtype dt);
const char *em_stored_type(enum fs_dtype dt);
const char *em_acc_type(struct em *em, int value); /* of a running result */
const char *em_op_class(int reduce_op);        /* "fs_add" */
const char *em_neutral(struct em *em, const struct fs_step *s);
/* acc combined with x. */
const char *em_combine(struct em *em, int reduce_op, const char *acc, const char *x);
const char *em_ref(struct em *em, int value);  /* "v3[c][e]" */
const char *em_row_ref(struct em *em, int value); /* without the lane */
/* As em_ref(); of a lane that is a pair the element 0 or 1 for half 0 or 1, and the
 * pair itself for -1. EM_BOTH: the pair that something is computed with, of a param, too. */
enum { EM_BOTH = -2 };
const char *em_element(struct em *em, int value, int half);
/* The type of a value in the lanes, and how many of them a vector has. */
const char *em_lane_type(struct em *em, int value);
bool em_is_twice(const struct em *em, const struct fs_step *s); /* a param for pairs */
static inline int em_lanes(const struct em *em) {
  return em->how->pairs ? em->how->lanes / 2 : em->how->lanes;
}
const char *em_dims(struct em *em, bool b, bool c, bool e); /* "[2][4]" */
const char *em_acc_dims(struct em *em, bool b, bool c, bool e);
/* x rounded to a type that is computed in a wider one. */
const char *em_rounded(struct em *em, enum fs_dtype dt, const char *x);
/* The right-hand side of a MAP, PARAM, IOTA or RAND step. `lane` is "e" where
 * the index means the first of several lanes, else NULL. */
const char *em_rhs(struct em *em, const struct fs_step *s, const char *lane);
/* The text of an address; "i * 16384 + j": of an element within its array. */
const char *em_at(struct em *em, const struct fs_lp_address *a);
const char *em_address(struct em *em, const struct fs_access *a);
/* The statement that takes one more term into `acc`; half: as em_element(). */
const char *em_accumulate(struct em *em, const struct fs_step *s, const char *acc, int half);
/* A finished accumulator as the value's type, rounded. */
const char *em_finished(struct em *em, int value, const char *acc);

/* -- short ways (quick.c) ----------------------------------------------------- */
/* The CUDA text of a MAP step, as in core/graph/ops.def. */
const char *em_pattern(const struct em *em, const struct fs_step *s);
/* ... of two neighbours at once; NULL: their halves are computed. */
const char *em_pair_pattern(const struct em *em, const struct fs_step *s);
/* Whether a step of need[] has a short way: then the values that leave the loop
 * over the lanes stand before it. */
bool em_takes_short_ways(const struct em *em, const bool *need);
/* The loop over the lanes of a vector. */
void em_lane_loop(struct em *em, const bool *need);
/* Its parts: the short ways of the maps, gives the condition by which some element has
 * none; and the long ones, as one loop that is not unrolled or as it comes. */
const char *em_short_lanes(struct em *em, const bool *need);
void em_long_lanes(struct em *em, const bool *need, bool one_by_one);
/* Around a loop of another making that writes the short ways, and the same condition. */
void em_begin_short(struct em *em, const bool *need);
const char *em_end_short(struct em *em, const bool *need);
/* Declares the tables, or the copies of them, if a step looks something up. */
void em_tables(struct em *em);

/* -- the kernel ---------------------------------------------------------------- */
static inline const struct fs_value *em_val(const struct em *em, int v) {
  return &em->k->values.data[v];
}
/* Whether blocks leave results for each other. */
static inline bool em_uses_work(const struct em *em) {
  return em->how->vector_end || (em->how->n_all && !em->k->everywhere);
}
/* Step i, if it is a reduction that leaves this; else NULL. */
static inline const struct fs_step *em_reduction(const struct em *em, int i, enum fs_reduced left) {
  const struct fs_step *s = &em->k->steps.data[i];
  return s->kind == FS_SP_REDUCE && em->how->made[s->out].reduced == left ? s : NULL;
}
/* Whether a value has an element for each lane of a vector. */
static inline bool em_is_laned(const struct em *em, int v) {
  return em_val(em, v)->varies & (em->how->mode == FS_MODE_MARCH ? FS_VARIES_I : FS_VARIES_J);
}
static inline const struct fs_access *em_access(const struct em *em, const struct fs_step *s) {
  return &em->k->accesses.data[s->access];
}
/* -- pieces (sweep.c) ------------------------------------------------------------ */
/* One pass over the columns of a row (or over the J values alone: phase -1). */
void em_sweep(struct em *em, int phase);
/* Column index `j` and, unless all vectors are whole, which lanes exist. */
void em_vector_coords(struct em *em);
/* Where a vector's first column lies among a row of partial column results: the term. */
struct fs_lp_term em_column_slot(const struct em *em);
/* Who among those that share the rows this is, and how many they are: blocks, or
 * clusters of blocks. */
const char *em_team(const struct em *em);
const char *em_teams(const struct em *em);
/* What must hold for something to be loaded, stored or added: all of these that may not
 * hold, as it is walked. Gives "" for nothing; half: as em_element(). */
enum em_guard {
  EM_IF_NOT_FRESH = 1,  /* CHUNK: the block has had rows                       */
  EM_IF_FIRST_ROW = 2,
  EM_IF_OWN_TILE = 4,   /* of a phase that each block does whole: the tile that it stores */
  EM_IF_SPEAKS = 8,     /* the thread that speaks for a row                    */
  EM_IF_ROW = 16,       /* the row exists                                      */
  EM_IF_VECTOR = 32,    /* some of the vector does                             */
  EM_IF_LANE = 64,      /* the lane does                                       */
  EM_IF_FIRST_BLOCK = 128, EM_IF_FIRST_THREAD = 256,
  EM_IF_OWN = 512       /* end.c: the thread has an element                    */
};
const char *em_guard(struct em *em, unsigned guard, int half);
/* Row number `i` and whether it exists (`ok`). */
void em_row_coords(struct em *em);
/* The loads of the first row, and of the row after the one at hand. */
void em_load_ahead(struct em *em, bool first);
/* What is known once per row before the sweep of a phase. */
void em_row_steps(struct em *em, int phase);
/* Declares the running results of kind `acc`; "" for no subscripts. */
void em_declare_acc(struct em *em, const struct fs_step *s, bool b, bool c, bool e);
/* A step in the innermost loop; whether it has a part there; vector stores. */
void em_lane_step(struct em *em, const struct fs_step *s);
bool em_makes_lanes(const struct em *em, const struct fs_step *s);
void em_stores(struct em *em, const bool *need);
void em_plain_steps(struct em *em, const bool *need, unsigned guard);
/* A load of one element for each thread, 0 where the guard is false. */
void em_plain_load(struct em *em, const struct fs_step *s, unsigned guard);
void em_uniforms(struct em *em);

/* -- schemes ------------------------------------------------------------------------ */
/* The running results that outlive a row. */
void em_declare_fulls(struct em *em);
void em_declare_columns(struct em *em);
void em_flat(struct em *em);
void em_row(struct em *em);
void em_tile(struct em *em);
void em_columns_out(struct em *em); /* end.c: a block's column results */
void em_finish(struct em *em);      /* end.c: partial results, FS_END  */
/* tile.c: operands that lie across go through shared memory; and what a tile's
 * threads compute, by block routines of the library where there is one. */
void em_tile_stage_loads(struct em *em, const bool *need);
void em_tile_stage_stores(struct em *em, const bool *need);
void em_tile_compute(struct em *em, const bool *need);
bool em_transposed(const struct em *em, const struct fs_step *s);

/* -- the march scheme (march.c) -------------------------------------------------- */
void em_march(struct em *em);
/* Its shared memory and workspace, as em_march() has it. */
void em_march_footprint(struct em *em);
void em_march_constants(struct em *em, struct fs_str *out);
/* grid.c: whether blocks of the launch that em is a phase of wait for each other. */
bool em_grid_waits(const struct em *em);

/* -- user functions (instance.c) ------------------------------------------------- */
void em_instance(struct em *em);
void em_instance_footprint(const struct fs_kernel *k, struct fs_footprint *out,
                           struct fs_home *places);
/* The functions that the kernel calls, as CUDA C. */
void em_user_functions(struct em *em, struct fs_str *out);

#endif
