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
#include "core/schedule/schedule.h"

/* The workspace begins with tickets and barrier counters. */
enum { W_COUNTER_BYTES = 256 };

struct w_grid;
/* What the entry is called with: grows as the text names it. */
struct w_arguments {
  const struct fs_plan *plan;
  struct fs_emitted *out;
  struct w_grid *grid;           /* it is a phase of that; NULL: a launch   */
  enum fs_dialect dialect;
};

/* What the text of a kernel is written by: nothing here changes while it is. */
struct fs_writer {
  const struct fs_schedule *how; /* the piece is walked: the kernel, or a part of it that
                                    is written in a way of its own          */
  struct fs_lp_axes axes;        /* by which its elements are counted       */
  struct w_arguments *args;
  struct fs_lp_writer *lp;       /* the program so far                      */
};
/* What it is written in. */
static inline enum fs_dialect w_dialect(const struct fs_writer *w) { return w->args->dialect; }
/* The same, where the piece is walked in another way. */
static inline struct fs_writer w_as(const struct fs_writer *w, const struct fs_schedule *how) {
  return (struct fs_writer){how, w->axes, w->args, w->lp};
}

/* Threads, blocks and shared memory of the launch (emit.c). */
void w_describe_launch(const struct fs_writer *w, bool has_work);
/* A kernel's text in pieces (emit.c, head.c, prelude.c): what is known before a line is
 * written, the entry with everything in it (fills args->out but for the source), and what stands
 * before that: comment, constants, pieces of the library that `body` uses. */
struct fs_writer w_begin(struct w_arguments args, const struct fs_kernel *kernel,
                         const struct fs_device *device, const struct fs_schedule_how *how);
void w_body(const struct fs_writer *w, struct fs_str *out);
void w_end(const struct fs_writer *w);
void w_head(const struct fs_writer *w, const struct fs_diags *diags, struct fs_str *out);
void w_constants(const struct fs_writer *w, struct fs_str *out);
void w_prelude(const struct fs_str *body, struct fs_str *out);
/* The same of elemlib/opencl (pieces.c). */
void w_pieces(const struct fs_str *body, struct fs_str *out);

/* -- arguments (arguments.c) ----------------------------------------------------- */
/* The argument that points so many bytes into a slot: k of `s3`. */
int w_slot_argument(const struct fs_plan *plan, struct fs_emitted *out, int slot, int64_t bytes);
/* ... that is a param in this form: k of `p3`. */
int w_param_argument(struct fs_emitted *out, int param, enum fs_param_type type);
/* The input that a slot is, -1 if it is none. */
int w_input_of(const struct fs_plan *plan, int slot);
/* What is made of them: `a0` of each access, `w0` of what passes through the workspace. */
void w_access_pointers(const struct fs_writer *w);
void w_work_pointers(const struct fs_writer *w);

/* -- what stays in the cache (keep.c) ------------------------------------------- */
/* Declares the policies; that of a load of this row, NULL if it needs none:
 * "i < 1000 ? stays : passes". */
void w_declare_keeping(const struct fs_writer *w);
const char *w_keeping(const struct fs_writer *w, const struct fs_step *s, const char *row);

/* -- several kernels in one launch (carried.c, grid.c) ------------------------ */
enum { W_MOST_CARRIED = 64 };
struct w_carried {       /* a number in a register */
  int slot;
  enum fs_dtype dtype;
  bool touched;           /* by the phase that is being written */
  const char *from;       /* what the entry begins with; NULL: a phase makes it */
};
struct w_grid {
  int n_carried;
  struct w_carried carried[W_MOST_CARRIED];
  const struct fs_kernel *kernels;
  int n_kernels;
  struct fs_emitted *out; /* of the launch */
  int phase;              /* that is written, from 1 on */
  bool waits;             /* blocks wait for each other: barriers, or sums of all */
  int64_t base, per_block; /* workspace of the phases so far */
  struct fs_lp *calls;    /* its body */
};
/* ", float &c12": the numbers that pass from phase to phase in registers. */
void w_grid_arguments(const struct fs_writer *w, struct fs_str *list);
/* What a load of one number is instead, or NULL; what is written when step s has
 * stored one. */
/* The number of the phase that is written, from 1 on; 0: it is a launch. */
int w_grid_phase(const struct fs_writer *w);
const char *w_grid_load(const struct fs_writer *w, const struct fs_step *s);
void w_grid_stored(const struct fs_writer *w, const struct fs_step *s);

/* -- statements (text.c) ------------------------------------------------------ */
const char *w_fmt(const struct fs_writer *w, const char *fmt, ...) FS_PRINTF(2, 3);
/* A statement; one that does something for a step; one so many steps further in; one that
 * defines a value, the same in all loops. */
struct fs_lp *w_add(const struct fs_writer *w, enum fs_lp_kind kind, const struct fs_step *s,
                    const char *text);
#define w_let(w, ...) w_say(w, FS_LP_LET, NULL, __VA_ARGS__)
#define w_barrier(w) w_say(w, FS_LP_BARRIER, NULL, "__syncthreads();")
#define w_line(w, ...) w_add(w, FS_LP_TEXT, NULL, w_fmt(w, __VA_ARGS__))
#define w_say(w, kind, s, ...) w_add(w, kind, s, w_fmt(w, __VA_ARGS__))
#define w_line_in(w, in, ...) (w_line(w, __VA_ARGS__)->shift = (in))
void w_define(const struct fs_writer *w, enum fs_lp_kind kind, const struct fs_step *s, int v,
              const char *rhs);
/* The result of a reduction, of its finished accumulator. */
void w_define_sum(const struct fs_writer *w, const struct fs_step *s, const char *acc);
/* What is added up to w_close() is in it: a block, `if (...)`, the same of one statement
 * without braces, `for (...)`, a function that is called later. */
struct fs_lp *w_open(const struct fs_writer *w, enum fs_lp_kind kind, enum fs_lp_axis axis,
                     const char *text);
#define w_block(w, text) (w_open(w, FS_LP_BLOCK, FS_LP_SERIAL, NULL)->note = (text))
#define w_if(w, ...) w_open(w, FS_LP_IF, FS_LP_SERIAL, w_fmt(w, __VA_ARGS__))
#define w_if_bare(w, ...) (w_if(w, __VA_ARGS__)->bare = true)
/* Only its body, where there is no test. */
#define w_when(w, test) (*(test) ? (void)w_if(w, "%s", test) : w_group(w))
#define w_when_bare(w, test) (*(test) ? (void)w_if_bare(w, "%s", test) : w_group(w))
#define w_group(w) ((void)(w_open(w, FS_LP_BLOCK, FS_LP_SERIAL, NULL)->bare = true))
#define w_else(w, note) fs_lp_else((w)->lp, note)
#define w_loop(w, axis, ...) w_open(w, FS_LP_FOR, axis, w_fmt(w, __VA_ARGS__))
#define w_function(w, ...) w_open(w, FS_LP_FUNCTION, FS_LP_SERIAL, w_fmt(w, __VA_ARGS__))
#define w_close(w) fs_lp_close((w)->lp)
/* Writing goes on at this place of the skeleton. */
#define w_go(w, place) fs_lp_go((w)->lp, place)
/* How the next statement, a loop, is unrolled: FS_LP_UNROLL_ALL, or so many rounds. */
void w_unroll(const struct fs_writer *w, int rounds);
/* An unrolled loop over rows (b), vectors (c), lanes (e) or others; of count 1 what is in it,
 * or that in braces. */
void w_for(const struct fs_writer *w, const char *var, int count);
void w_for_in_braces(const struct fs_writer *w, const char *var, int count);
const char *w_keep(const struct fs_writer *w, struct fs_str *s); /* frees it */
const char *w_int(const struct fs_writer *w, int64_t x);
/* The argument of a text for any sizes that has this one. */
const char *w_size(const struct fs_writer *w, int64_t x);
/* "a && b", leaving out empty parts; "" if all are. */
const char *w_and(const struct fs_writer *w, const char *a, const char *b);

/* -- expressions (expr.c, coords.c) ----------------------------------------------------- */
static inline const char *w_value_type(enum fs_dtype dt) {
  return fs_dtypes[fs_dtype_compute(dt)].cuda_value;
}
static inline const char *w_stored_type(enum fs_dtype dt) { return fs_dtypes[dt].cuda_stored; }
const char *w_acc_type(const struct fs_writer *w, int value); /* of a running result */
const char *w_op_class(int reduce_op);        /* "fs_add" */
/* What stands behind the sign of a name (core/lower/spellings.def): the type that a value is
 * computed in, that of a running result, "add". */
const char *w_tag(enum fs_dtype dt);
const char *w_acc_tag(const struct fs_writer *w, int value);
const char *w_op_tag(int reduce_op);
const char *w_neutral(const struct fs_writer *w, const struct fs_step *s);
/* acc combined with x. */
const char *w_combine(const struct fs_writer *w, const struct fs_step *s, const char *acc,
                      const char *x);
/* So many of them side by side go there: a "load`", or of what is on the chip "store`local.". */
const char *w_move(const struct fs_writer *w, const struct fs_step *s, const char *how, int n,
                   const char *to, const char *from);
/* x of so many threads, or warps, put together by a function of elemlib: "fs_warp". */
const char *w_joined(const struct fs_writer *w, const struct fs_step *s, const char *how, int n,
                     const char *x);
const char *w_ref(const struct fs_writer *w, int value);  /* "v3[c][e]" */
const char *w_row_ref(const struct fs_writer *w, int value); /* without the lane */
/* The running result of a reduction, "r3[b]", and its element for the lane at hand, "r3[b][e]";
 * half: as w_element(). */
const char *w_row_sum(const struct fs_writer *w, int value);
const char *w_sum(const struct fs_writer *w, int value, int half);
/* ... and what all lanes of it are together. */
const char *w_lanes_sum(const struct fs_writer *w, const struct fs_step *s);
/* Whether b is not the variable of a loop but a number that each thread has of its own: rows
 * in registers by fs_lane(). Whether the lanes are in a loop that is not unrolled. */
bool w_by_lane(const struct fs_writer *w);
bool w_one_by_one(const struct fs_writer *w);
/* As w_ref(); of a lane that is a pair the element 0 or 1 for half 0 or 1, and the
 * pair itself for -1. W_BOTH: the pair that something is computed with, of a param, too. */
enum { W_BOTH = -2 };
const char *w_element(const struct fs_writer *w, int value, int half);
/* The type of a value in the lanes, and how many of them a vector has. */
const char *w_lane_type(const struct fs_writer *w, int value);
bool w_is_twice(const struct fs_writer *w, const struct fs_step *s); /* a param for pairs */
static inline int w_lanes(const struct fs_writer *w) {
  return w->how->pairs ? w->how->lanes / 2 : w->how->lanes;
}
const char *w_dims(const struct fs_writer *w, unsigned over); /* "[2][4]" */
const char *w_acc_dims(const struct fs_writer *w, unsigned over);
/* x rounded to a type that is computed in a wider one. */
const char *w_rounded(const struct fs_writer *w, enum fs_dtype dt, const char *x);
/* The right-hand side of a step: of a load one element. `lane` is "e" where the index means
 * the first of several lanes, else NULL. Where the test, which may be "", does not hold nothing is
 * loaded, and no function of the user's called, which might not end there: that is 0. */
const char *w_rhs(const struct fs_writer *w, const struct fs_step *s, const char *lane,
                  enum fs_lp_way way, const char *test);
/* The text of an address; "i * 16384 + j": of an element within its array. */
const char *w_at(const struct fs_writer *w, const struct fs_lp_address *a);
const char *w_address(const struct fs_writer *w, const struct fs_access *a);
/* ... of a loose access before it is brought back; and between which places that is. */
const char *w_place(const struct fs_writer *w, const struct fs_access *a);
const char *w_edges(const struct fs_writer *w, const struct fs_access *a);
/* The statement that takes one more term into `acc`; half: as w_element(). */
const char *w_accumulate(const struct fs_writer *w, const struct fs_step *s, const char *acc,
                         int half);
/* A finished accumulator as the value's type, rounded. */
const char *w_finished(const struct fs_writer *w, int value, const char *acc);

/* -- short ways (quick.c) ----------------------------------------------------- */
/* The CUDA text of a MAP step, as in core/graph/ops.def. */
const char *w_pattern(const struct fs_writer *w, const struct fs_step *s, enum fs_lp_way way);
/* ... of two neighbours at once; NULL: their halves are computed. */
const char *w_pair_pattern(const struct fs_writer *w, const struct fs_step *s, enum fs_lp_way way);
/* Whether one of these steps has a short way: then the values that leave the loop
 * over the lanes stand before it. Whether these are of pairs: of all elements, or none. */
bool w_takes_short_ways(const struct fs_writer *w, fs_steps need);
bool w_takes_two(const struct fs_writer *w, fs_steps need);
/* The number f of a quotient x / (f * sqrt(y)) of pairs, or -1. A root is never tiny or
 * huge, so that such divisors need no look where f is neither. */
int w_factor_of_root(const struct fs_writer *w, const struct fs_step *s);
/* Declares the tables, or the copies of them, if a step looks something up. */
void w_tables(const struct fs_writer *w);

/* -- lanes (lanes.c) ------------------------------------------------------------ */
/* Room for what the lanes make and a store, or a later phase, takes. */
void w_declare_made(const struct fs_writer *w, fs_steps need, bool at_row);
/* What an element of a vector is given in the innermost loop: whether a step has a part there;
 * its statement, not yet spelled; an empty loop over the lanes. */
bool w_makes_lanes(const struct fs_writer *w, const struct fs_step *s);
void w_lane_step(const struct fs_writer *w, struct fs_lp_writer *to, const struct fs_step *s);
struct fs_lp_writer w_open_lanes(const struct fs_writer *w);
/* Gives statements of a block their text, as far as they have none: by a function; those of a
 * pass over a row. The text of a map. */
typedef const char *w_spelling(const void *of, const struct fs_writer *w, const struct fs_lp *x);
void w_spell(const struct fs_writer *w, struct fs_lp *block, w_spelling *text, const void *of);
void w_spell_pass(const struct fs_writer *w);
const char *w_lane_map(const struct fs_writer *w, const struct fs_lp *x, const char *lane,
                       const char *test);
/* The pass of core/lower/lanes.c, for these steps. */
struct fs_lp *w_short_ways(const struct fs_writer *w, const struct fs_lp *loop, fs_steps need);
/* The loop over the lanes of a vector; its short ways, with what is done where all elements
 * have one left open; and the long ones. */
void w_lane_loop(const struct fs_writer *w, fs_steps need);
void w_short_lanes(const struct fs_writer *w, fs_steps need);
void w_long_lanes(const struct fs_writer *w, fs_steps need);

/* -- the kernel ---------------------------------------------------------------- */
static inline const struct fs_mode_row *w_mode(const struct fs_writer *w) {
  return fs_mode_of(w->how);
}
static inline const struct fs_value *w_val(const struct fs_writer *w, int v) {
  return &w->how->kernel->values.data[v];
}
/* The loops that a value is subscripted by, as it is declared. */
static inline unsigned w_over(const struct fs_writer *w, int value) {
  return w->lp->value[w->how->made[value].alias]->over;
}
/* Whether blocks leave results for each other. */
static inline bool w_uses_work(const struct fs_writer *w) {
  return w->how->vector_end || (w->how->n_all && !w->how->kernel->everywhere);
}
/* What a reduction leaves; the reductions that leave this. */
static inline enum fs_reduced w_left(const struct fs_writer *w, const struct fs_step *s) {
  return s->kind == FS_SP_REDUCE ? w->how->made[s->out].reduced : FS_REDUCED_NOT;
}
static inline fs_steps w_reductions(const struct fs_writer *w, enum fs_reduced left) {
  return w->how->reductions[left];
}
/* What a statement that makes or stores its value does. */
static inline enum fs_lp_kind w_kind(const struct fs_step *s) {
  return s->kind == FS_SP_LOAD ? FS_LP_LOAD : s->kind == FS_SP_STORE ? FS_LP_STORE : FS_LP_MAP;
}
/* Its index among the steps; room for a mark of each; the steps that are marked. */
static inline int w_number(const struct fs_writer *w, const struct fs_step *s) {
  return (int)(s - w->how->kernel->steps.data);
}
static inline bool *w_marks(const struct fs_writer *w) {
  return FS_NEW_N(w->lp->arena, bool, w->how->kernel->steps.len + 1);
}
fs_steps w_marked(const struct fs_writer *w, const bool *marks);
/* Whether there is such a step; all of them; those of a list. */
#define W_ANY_STEP(w, s, ...) FS_ANY_STEP((w)->how->kernel, s, __VA_ARGS__)
#define W_STEPS(w, s, ...) W_LIST(w, FS_EACH_STEP((w)->how->kernel, s), s, __VA_ARGS__)
#define W_THOSE(w, steps, s, ...) W_LIST(w, FS_EACH_OF(steps, s), s, __VA_ARGS__)
#define W_LIST(w, loop, s, ...)                                                          \
  __extension__({                                                                        \
    const struct fs_step **s##_list =                                                    \
        FS_NEW_N((w)->lp->arena, const struct fs_step *, (w)->how->kernel->steps.len + 1); \
    int s##_n = 0;                                                                       \
    loop if (__VA_ARGS__) s##_list[s##_n++] = s;                                         \
    (fs_steps)s##_list;                                                                  \
  })
/* The step that makes a value, or NULL. */
static inline const struct fs_step *w_maker(const struct fs_writer *w, int v) {
  int def = w->how->made[v].def;
  return def < 0 ? NULL : &w->how->kernel->steps.data[def];
}
/* Whether a value has an element for each lane of a vector. */
static inline bool w_is_laned(const struct fs_writer *w, int v) {
  return w_val(w, v)->varies & (w->how->march ? FS_VARIES_I : FS_VARIES_J);
}
static inline const struct fs_access *w_access(const struct fs_writer *w, const struct fs_step *s) {
  return &w->how->kernel->accesses.data[s->access];
}
/* What stands behind the sign of a name for the type that it moves. */
static inline const char *w_stored_tag(const struct fs_writer *w, const struct fs_step *s) {
  return fs_dtype_name(w_access(w, s)->dtype);
}
/* -- coordinates (coords.c) -------------------------------------------------------- */
/* Row number `i` and whether it exists (`ok`); digits of a number by these axes, if they are
 * more than one: `i0 = i / 12; i1 = i % 12`. */
void w_row_coords(const struct fs_writer *w);
void w_put_axes(const struct fs_writer *w, const char *letter, const char *number, int first,
                int count);
/* Column index `j` and, unless all vectors are whole, which lanes exist; whether it stands
 * already; the last axis of it: "j", "j2". */
void w_vector_coords(const struct fs_writer *w);
const char *w_last_axis(const struct fs_writer *w);
bool w_is_placed(const struct fs_writer *w);
/* The loop over the vectors of a row, with them, unless they do. */
void w_open_vectors(const struct fs_writer *w);
/* The sums of a vector's columns come from the workspace, of this part of the rows, or go. */
const char *w_move_columns(const struct fs_writer *w, const struct fs_step *s, const char *part,
                           const char *sums, bool load);
/* Who among those that share the rows this is, and how many they are: blocks, or
 * clusters of blocks. */
const char *w_team(const struct fs_writer *w);
const char *w_teams(const struct fs_writer *w);
/* Whether a matrix lies across: neighbours along i are neighbours in memory. */
bool w_transposed(const struct fs_writer *w, const struct fs_step *s);
/* Whether it passes through a tile in shared memory, as what lies across does; whether the
 * rows of a turn are in the ring of rows, once for each stage. */
static inline bool w_is_staged(const struct fs_writer *w, const struct fs_step *s) {
  return w_mode(w)->tiled && s->access >= 0 && w_transposed(w, s);
}
static inline bool w_in_ring(const struct fs_writer *w, const struct fs_step *s) {
  return w->how->stages && s->kind == FS_SP_LOAD && s->phase == 0 &&
         w_val(w, s->out)->varies == FS_VARIES_BOTH;
}
/* A test of these guards, but for what always holds as the piece is walked: "ok && k > 0", ""
 * where nothing is left; half: as w_element(). */
const char *w_guard(const struct fs_writer *w, unsigned guard, int half);
const char *w_some(const struct fs_writer *w); /* FS_LP_IF_VECTOR */
/* How many lanes of a vector exist: all of them, unless a guard asks for it. */
const char *w_lanes_left(const struct fs_writer *w, unsigned guard);
/* A statement behind a test, or behind these guards; one that stores an element. */
const char *w_behind(const struct fs_writer *w, const char *test, const char *statement);
const char *w_guarded(const struct fs_writer *w, unsigned guard, const char *statement);
const char *w_put_text(const struct fs_writer *w, const struct fs_step *s, unsigned guard);
#define w_put(w, s, guard) w_add(w, FS_LP_STORE, s, w_put_text(w, s, guard))
/* Declares a value, subscripted by these loops; the running result of a reduction. */
const char *w_declaration(const struct fs_writer *w, int v, unsigned over, bool zero);
void w_declare(const struct fs_writer *w, int v, unsigned over, bool zero);
void w_declare_acc(const struct fs_writer *w, const struct fs_step *s, unsigned over);

/* -- memory (loads.c) ---------------------------------------------------------------- */
/* Declares what a pass loads, and moves in what was loaded ahead; the loads. All that shifted
 * ones take lies in whole vectors where w_all_whole() holds. */
void w_declare_loads(const struct fs_writer *w, fs_steps need, bool rows);
void w_loads(const struct fs_writer *w, fs_steps need, bool rows);
const char *w_all_whole(const struct fs_writer *w, fs_steps need, bool rows);
/* What of it is about loose loads. */
const char *w_all_within(const struct fs_writer *w, fs_steps need, bool rows);
/* The loads of the first row, and of the row after the one at hand. */
void w_load_ahead(const struct fs_writer *w, bool first);
void w_load_vector(const struct fs_writer *w, const struct fs_step *s, const char *to);
/* The text of a load or store whose statement has none yet. */
const char *w_load_text(const struct fs_writer *w, const struct fs_lp *x);
const char *w_store_text(const struct fs_writer *w, const struct fs_lp *x);
/* Whether a load takes more from memory than it asks for. */
bool w_is_shifted_load(const struct fs_writer *w, const struct fs_step *s);
void w_stores(const struct fs_writer *w, fs_steps need);
/* The loop over the rows of a step, unless one stands around the whole pass. */
void w_open_rows(const struct fs_writer *w);

/* -- passes (sweep.c, steps.c) --------------------------------------------------------- */
/* One pass over the columns of a row (or over the J values alone: phase -1). */
void w_sweep(const struct fs_writer *w, int phase);
/* What is known once per row before the sweep of a phase. */
void w_row_steps(const struct fs_writer *w, int phase);
void w_row_steps_apart(const struct fs_writer *w, int phase);
void w_plain_steps(const struct fs_writer *w, fs_steps need, unsigned guard);
/* One element for each thread, of row b or alike; the guard as w_rhs() has a test. */
void w_scalar(const struct fs_writer *w, const struct fs_step *s, unsigned guard, bool b);
void w_uniforms(const struct fs_writer *w);
/* Whether a step makes or stores one number; one that is known at the start. */
bool w_is_number(const struct fs_writer *w, const struct fs_step *s);
bool w_is_uniform(const struct fs_writer *w, const struct fs_step *s);

/* -- schemes ------------------------------------------------------------------------ */
/* Rows, tiles, and elements that are one row. */
void w_rows(const struct fs_writer *w);
void w_columns_out(const struct fs_writer *w); /* end.c: a block's column results */
void w_rows_out(const struct fs_writer *w);    /* ... sums of rows that end later */
void w_finish(const struct fs_writer *w);      /* end.c: partial results, FS_END  */
/* tile.c: operands that lie across go through shared memory; and what a tile's
 * threads compute, by block routines of the library where there is one. */
void w_tile_stage_loads(const struct fs_writer *w, fs_steps need);
void w_tile_stage_stores(const struct fs_writer *w, fs_steps need);
void w_tile_compute(const struct fs_writer *w, fs_steps need);
/* -- the march scheme (march.c) -------------------------------------------------- */
void w_march(const struct fs_writer *w);
/* Its shared memory and workspace, as w_march() has it. */
void w_march_footprint(const struct fs_writer *w);
void w_march_constants(const struct fs_writer *w, struct fs_str *out);

/* -- user functions (instance.c) ------------------------------------------------- */
void w_instance(const struct fs_writer *w);
void w_instance_footprint(const struct fs_kernel *k, struct fs_footprint *out,
                          struct fs_home *places);
/* The functions that the kernel calls, as CUDA C. */
void w_functions(const struct fs_writer *w, bool regions, struct fs_str *out);

#endif
