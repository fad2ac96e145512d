/* kernel.h - a kernel as plain data: steps over an index space.
 *
 * Both targets run the same one: the CPU target walks it (device/cpu), the CUDA target prints it
 * (emit/) and compiles that.
 *
 * Index space. i counts rows 0..m-1, j counts columns 0..n-1. i runs over the space's outer axes
 * and j over its inner axes, both row-major; nearly always there is one axis of each after
 * fs_plan has collapsed what it could. A flat kernel has no outer axis: m = 1.
 *
 * Values are the on-chip elements, in SSA form. What a value varies over says what it is: I and J
 * a matrix element, I a row's number, J a column's number, nothing a scalar.
 *
 * Phases. A row kernel sweeps over its row once or more: phase 0, 1, ...; what a reduction over j
 * of phase p makes can be used from phase p+1 on (row scheme only: the row is still on chip).
 * Phase FS_END comes after every row of every block: there reductions over i, over both, and
 * (flat, tile) over j are finished, in a fixed order, and steps of phase FS_END run once over the
 * space of their value (m, n or 1 elements), not over m x n.
 *
 * Which values outlive their phase: loads (the same element may be read again later), values that
 * vary over I only, scalars, and results of reductions. A value that varies over J and was
 * computed is used only in its own phase; where a later phase needs it, it is computed again
 * there, and `same_as` says of which earlier value it is a copy. Phase FS_END uses no value of
 * earlier phases but results of reductions that are ready there.
 *
 * Scheme march: as row, with two phases; the elements of a row lie across memory, those of
 * neighbouring rows i side by side.
 *
 * Scheme instance. The outer axes are the stack of instances. applied[] are the APPLYs, each
 * after those whose results it uses. Phase first + p < first + n of one of n operands computes
 * operand p, over the instances and the elements of that operand; then the routine runs, with as
 * many threads for each instance as it wants; phase first + n computes, over the elements of the
 * result, what follows on it. These phases are the kernel's parts. part_value[p] is the value
 * that an operand's part puts on chip, and that of a result's part the one that the routine
 * gives, which later parts of the same shape may use. Where the user has a load for an operand,
 * it is that which puts it on chip, and it asks for the numbers of its part; a store gives those
 * of the result's part. Accesses have their strides over the stack's axes and then over those of
 * their part.
 *
 *   BiCGK, scheme row                       varies  phase
 *     v0 = load A                           IJ      0
 *     v1 = load p                           J       0
 *     v2 = reduce sum over J of v0*v1       I       0  -> usable in 1
 *     v3 = load r                           I       0
 *     v4 = reduce sum over I of v0*v3       J       0  -> usable in END
 *     store q = v2                                  1
 *     store s = v4                                  END
 */
#ifndef FS_KERNEL_H
#define FS_KERNEL_H

#include "core/graph/graph.h"
#include "core/kernel/tuning.h"
#include "core/model/learn.h"
#include "core/model/predict.h"

/* FLAT: 1-D, j only, any block any part of it. ROW: a block owns whole rows, and goes over each
 * once or more. TILE: the paper's 2-D grid of 32 x 32 tiles, serial down the rows, or
 * fs_kernel_turns(). LIBRARY: one library call, node `lib_node`. INSTANCE: a user's function over
 * a stack of small elements, see below. MARCH: rows that lie across memory, all blocks in step,
 * see schedule/march.c. */
enum fs_scheme {
#define FS_SCHEME(id, ...) FS_##id,
#include "core/kernel/scheme.def"
  FS_SCHEMES
};
/* A column of a table that is a list in brackets: FS_BARE (.rows = true) is .rows = true. */
#define FS_BARE(...) __VA_ARGS__
struct fs_scheme_row { /* of scheme.def, which has the words */
  const char *name;
  bool vectors, rows, rows_wait, ends_rows, in_step, fuses;
};
extern const struct fs_scheme_row fs_schemes[FS_SCHEMES];

enum { FS_VARIES_I = 1, FS_VARIES_J = 2, FS_VARIES_BOTH = 3 };
enum { FS_END = 255 };

struct fs_space {
  int n_outer, n_inner;          /* axes; outer ones first in dim[]      */
  int64_t dim[FS_MAX_RANK];
  int64_t m, n;                  /* products over outer and inner axes   */
};

/* Where a load or store of element (i, j) goes:
 *   slot base + offset + sum over axes k of index[k] * stride[k]  (elements)
 * A load may go by a list of indices from 1, all of them in range: what another access
 * has at (i, j) says where along one more axis the element lies,
 *   ... + (list at (i, j) - 1) * list_stride
 * That access has no step of its own. What it varies over, the load varies over. A loose
 * load may go beyond the elements low ... low + reach - 1 of its slot: there it has the
 * nearest of them (struct fs_layout). Of a table (graph.h) the first element is loaded,
 * for where it lies: it has an extent without a list. */
struct fs_access {
  int slot;                      /* into fs_plan.slots                   */
  enum fs_dtype dtype;           /* as stored                            */
  int64_t offset;
  int64_t stride[FS_MAX_RANK];   /* per axis of the space                */
  int list;                      /* 1 + the access of the list; 0: none  */
  int64_t list_stride, list_extent; /* ... how far apart, and how many there are */
  int64_t low, reach;            /* loose: reach > 0 */
  uint8_t varies;
  bool stored;                   /* by a STORE; else it is loaded, or a list */
  int step;                      /* which does; -1: it is a list           */
};

enum fs_step_kind {
  FS_SP_LOAD,    /* out = access                                           */
  FS_SP_PARAM,   /* out = the block's params[param], converted to its type */
  FS_SP_IOTA,    /* out = in[0] + in[1] * (affine index, see `affine`)     */
  FS_SP_RAND,    /* out = uniform number at linear index `affine`,
                    in[0] seed, in[1] stream; op != 0: normal instead      */
  FS_SP_MAP,     /* out = map_op(in...)                                    */
  FS_SP_REDUCE,  /* out = reduce_op over `over` of in[0], or of
                    in[0]*in[1] by fma when in[1] >= 0                     */
  FS_SP_STORE    /* access = in[0]                                         */
};

struct fs_affine { /* base + sum over axes of index * stride */
  int64_t base, stride[FS_MAX_RANK];
};

struct fs_step {
  enum fs_step_kind kind;
  uint8_t op;         /* fs_map_op or fs_reduce_op                         */
  const struct fs_user *user; /* MAP with FS_OP_USER                       */
  uint8_t phase;      /* 0, 1, ... or FS_END                               */
  uint8_t over;       /* REDUCE: FS_VARIES_I, FS_VARIES_J or both          */
  int out;            /* value, -1 for STORE                               */
  int in[FS_MOST_SRC]; /* values; -1 behind the last                       */
  int access;         /* LOAD, STORE                                       */
  int param;          /* PARAM                                             */
  struct fs_affine affine; /* IOTA, RAND; REDUCE to a place: which it is   */
  fs_id node;         /* of the simplified graph; 0 for loads of inputs    */
};

typedef FS_VEC(struct fs_step) fs_step_list;

/* The operands of a step. */
#define FS_NO_INPUTS {-1, -1, -1, -1, -1, -1, -1, -1}
_Static_assert(FS_MOST_SRC == 8, "FS_NO_INPUTS has one for each");
#define FS_EACH_IN(s, x) \
  for (int x = 0; x < FS_MOST_SRC && (s)->in[x] >= 0; x++)

/* Whether a step takes a value. */
static inline bool fs_step_takes(const struct fs_step *s, int value) {
  FS_EACH_IN(s, x)
    if (s->in[x] == value) return true;
  return false;
}

struct fs_value {
  enum fs_dtype dtype;  /* language type; f16/bf16 live as rounded f32     */
  uint8_t varies;
  uint8_t ready;        /* first phase in which it may be used             */
  uint8_t words;        /* of a reduction's state; 0 or 1: it is a number  */
  int same_as;          /* an equal value of an earlier phase, which a target
                           that kept it on chip may use instead; else -1   */
};

/* How a kernel follows on the one before it. Kernels that are joined share a launch:
 * they are its phases (grid.c), and the first of them starts it. */
enum fs_joint {
  FS_LAUNCH,            /* by a launch of its own                          */
  FS_BARRIER,           /* in the same launch, behind a barrier over all
                           blocks                                          */
  FS_BESIDE             /* in the same launch: it uses nothing that was
                           written since the last barrier                  */
};
extern const char *const fs_joint_names[]; /* "launch", "barrier", "beside" */

/* A routine of an instance kernel. */
struct fs_applied {
  fs_id node;                       /* the APPLY                           */
  const struct fs_user *user;       /* the routine that it takes           */
  int first;                        /* its first part: operand 0           */
};
enum {
  FS_MOST_APPLIED = 4,              /* a longer chain is cut: each has all of
                                       its elements on chip                */
  FS_LIB_SLOTS = FS_MOST_SRC + 1,
  FS_MOST_PARTS = FS_MOST_APPLIED * FS_LIB_SLOTS
};

/* What a kernel copies that computes nothing, for an UPDATE (copy.c, in_place.c). Its two
 * accesses are from where, and to where. */
enum fs_copies {
  FS_COPIES_NOTHING,
  FS_COPIES_BASE,       /* all of its base to the slot of the UPDATE       */
  FS_COPIES_AROUND,     /* ... what it leaves of it: slabs around a box    */
  FS_COPIES_READ,       /* what is read of the base and may be replaced before, to a
                           temporary                                       */
  FS_COPIES_VALUE       /* the new value of the part, to its place         */
};

/* Goes over the steps of a kernel. */
#define FS_EACH_STEP(k, s)                                                               \
  for (const struct fs_step *s = (k)->steps.data,                                        \
                            *const s##_end = (k)->steps.len ? s + (k)->steps.len : s;    \
       s < s##_end; s++)
/* ... of one phase, or part. */
#define FS_EACH_IN_PHASE(k, s, number) \
  FS_EACH_STEP(k, s)                   \
    if (s->phase == (number))
/* ... that map by a function of the user's, whose node says what routines there are. */
#define FS_EACH_CALL(k, s) \
  FS_EACH_STEP(k, s)       \
    if (s->kind == FS_SP_MAP && s->user && s->node)
/* Whether this holds for a step s. */
#define FS_ANY_STEP(k, s, ...)                     \
  __extension__({                                  \
    bool s##_any = false;                          \
    FS_EACH_STEP(k, s)                             \
      if (__VA_ARGS__) s##_any = true;             \
    s##_any;                                       \
  })

/* Some steps of a kernel, in its order; NULL behind the last. */
typedef const struct fs_step *const *fs_steps;
#define FS_EACH_OF(steps, s) \
  for (const struct fs_step *const *s##_at = (steps), *s; (s = *s##_at) != NULL; s##_at++)
/* Whether this holds for a step s of them. */
#define FS_ANY_OF(steps, s, ...)                   \
  __extension__({                                  \
    bool s##_any = false;                          \
    FS_EACH_OF(steps, s)                           \
      if (__VA_ARGS__) s##_any = true;             \
    s##_any;                                       \
  })

/* What there is among the steps. */
struct fs_has {
  bool reductions;
  bool row_results;                 /* ... over j alone                    */
  bool folds;                       /* ... of what blocks leave: ready in FS_END */
  bool user;                        /* functions of users                  */
  bool stores;                      /* elements (i, j) are stored          */
  bool early_stores;                /* elements or vectors are, before FS_END */
  bool end_vectors;                 /* vectors are, in FS_END              */
};

struct fs_kernel {
  FS_VEC(struct fs_value) values;
  fs_step_list steps;               /* in legal order, sorted by phase     */
  FS_VEC(struct fs_access) accesses;
  FS_VEC(fs_id) calls;              /* elementary calls, topological order */
  enum fs_scheme scheme;
  bool any_size;                    /* its code should serve kernels of other sizes,
                                       too (fs_plan_options)               */
  enum fs_joint joint;
  bool everywhere;                  /* a flat phase of which each block does all,
                                       and stores its part: its sums need no
                                       barrier (grid.c)                    */
  struct fs_space space;
  struct fs_tuning tune;
  unsigned inner;                   /* classes of axes that are its columns, and which
                                       setting it has (kernel.c): what makes it again
                                       of a graph that is alike            */
  int classes;                      /* ... of how many                               */
  int variant;
  int n_phases;                     /* sweeps, FS_END not counted          */
  bool has_end;
  struct fs_has has;
  fs_id lib_node;                   /* FS_LIBRARY                          */
  struct fs_applied applied[FS_MOST_APPLIED]; /* FS_INSTANCE: see above    */
  int n_applied;                    /* 0 in other schemes                  */
  int part_value[FS_MOST_PARTS];
  enum fs_copies copies;
  bool in_place;                    /* BASE, AROUND: it is left out where nobody wants
                                       the base after the block (run.c): the update may
                                       happen in place                     */
  int lib_slots[FS_LIB_SLOTS];      /* FS_LIBRARY: result, then operands;  */
  struct fs_layout lib_layout[FS_LIB_SLOTS]; /* over the squeezed axes of each */
  double bytes_read, bytes_written; /* off-chip traffic                    */
  double flops;
  struct fs_work work;              /* the same for the model, in its terms */
  double first;                     /* seconds, as the model has it: what plans
                                       are chosen by                       */
  double predicted;                 /* corrected by what was learned from runs
                                       (model/learn.h); else the same      */
  double change;                    /* of both: what its launch takes longer since
                                       others are before it; 0: nothing    */
  double registers_factor;          /* what compilers taught of the estimate of
                                       its registers (model/learn.h); 0: not
                                       asked for                           */
  const char *bound;                /* "memory", "compute", "launch"       */
  bool mirrors;                     /* GPU, tiles that threads turn: it reads a square
                                       matrix as it lies and across, the same
                                       elements in tiles that mirror each other */
  bool alone;                       /* CPU: so little work that threads which
                                       sleep are left asleep               */
  const char *by_hand;              /* what the user pinned of how it runs:
                                       "threads 256, stages 3"; else NULL  */
};

/* Whether it gives an UPDATE the base that it changes a part of. */
static inline bool fs_copies_base(const struct fs_kernel *k) {
  return k->copies == FS_COPIES_BASE || k->copies == FS_COPIES_AROUND;
}

/* The access of the list that a load goes by, or NULL. */
static inline const struct fs_access *fs_access_list(const struct fs_kernel *k,
                                                     const struct fs_access *a) {
  return a->list ? &k->accesses.data[a->list - 1] : NULL;
}
/* Whether the elements lie where its strides alone say. */
static inline bool fs_access_is_plain(const struct fs_access *a) {
  return !a->list_extent && !a->reach;
}
/* Whether it is a list that some load goes by. */
static inline bool fs_access_is_list(const struct fs_kernel *k, int access) {
  for (int x = 0; x < k->accesses.len; x++)
    if (k->accesses.data[x].list == access + 1) return true;
  return false;
}
/* Whether a step loads by it. */
static inline bool fs_access_is_load(const struct fs_access *a) {
  return a->step >= 0 && !a->stored;
}
/* Whether a step loads from a slot, or stores to it. */
static inline bool fs_kernel_moves(const struct fs_kernel *k, int slot, bool stores) {
  FS_EACH_AT(&k->accesses, a) {
    if (a->slot == slot && a->step >= 0 && a->stored == stores) return true;
  }
  return false;
}
static inline const struct fs_scheme_row *fs_scheme_of(const struct fs_kernel *k) {
  return &fs_schemes[k->scheme];
}
/* Whether it has rows: a flat kernel is all columns. */
static inline bool fs_kernel_has_rows(const struct fs_kernel *k) { return k->space.n_outer > 0; }
/* Elements of what varies over so much. */
static inline double fs_kernel_elements(const struct fs_kernel *k, unsigned varies) {
  return (varies & FS_VARIES_I ? (double)k->space.m : 1) *
         (varies & FS_VARIES_J ? (double)k->space.n : 1);
}
static inline bool fs_kernel_has_call(const struct fs_kernel *k, fs_id call) {
  for (int c = 0; c < k->calls.len; c++)
    if (k->calls.data[c] == call) return true;
  return false;
}
/* Whether a step goes over the elements of a row. */
static inline bool fs_step_passes_row(const struct fs_kernel *k, const struct fs_step *s) {
  if (s->kind == FS_SP_STORE) return k->accesses.data[s->access].varies & FS_VARIES_J;
  return k->values.data[s->kind == FS_SP_REDUCE ? s->in[0] : s->out].varies & FS_VARIES_J;
}
/* Bytes that it reads or writes, each element once; of single elements that a list
 * chooses the sectors of memory, but no more than there is. */
double fs_access_bytes(const struct fs_kernel *k, const struct fs_access *a);
/* Whether another index along an axis is another element, by itself or by the list. */
static inline bool fs_access_walks(const struct fs_kernel *k, const struct fs_access *a, int axis) {
  return a->stride[axis] || (a->list && k->accesses.data[a->list - 1].stride[axis]);
}
/* Whether it has no element for several of the space: not of a row or a column alone. */
static inline bool fs_access_is_read_once(const struct fs_kernel *k, const struct fs_access *a) {
  for (int y = 0; y < k->space.n_outer + k->space.n_inner; y++)
    if (k->space.dim[y] > 1 && !fs_access_walks(k, a, y)) return false;
  return true;
}

/* The step that makes a value, or NULL; how many operands of steps are that value, in phases
 * after one (-1: all). */
const struct fs_step *fs_kernel_maker(const struct fs_kernel *k, int value);
int fs_kernel_uses(const struct fs_kernel *k, int value, int after);
/* A user's function that it calls, number n of them; NULL behind the last. One that is called
 * twice is there twice. */
const struct fs_user *fs_kernel_function(const struct fs_kernel *k, int n);

/* Adds a value, or a step without operands, to a kernel; gives the value's index,
 * or the step, valid until the next is added. */
int fs_kernel_value(struct fs_kernel *k, enum fs_dtype dt, uint8_t varies, int ready);
struct fs_step *fs_kernel_step(struct fs_kernel *k, enum fs_step_kind kind,
                               int phase, int out, fs_id node);
/* Finds what it has, and the steps of its accesses: once its steps are in order. */
void fs_kernel_look(struct fs_kernel *k);
/* Its lists, too: to be freed like it. */
void fs_kernel_copy(const struct fs_kernel *k, struct fs_kernel *out);
void fs_kernel_free(struct fs_kernel *k);

/* FS_INSTANCE: whose a part is; the element of a part; the stack of instances ++
 * that element. */
const struct fs_applied *fs_part_of(const struct fs_kernel *k, int part);
const struct fs_user_element *fs_part_element(const struct fs_kernel *k, int part);
struct fs_shape fs_part_shape(const struct fs_graph *g, const struct fs_kernel *k, int part);
/* The part of the routine's result. */
int fs_result_part(const struct fs_applied *a);
/* Whether it is that of a result of pairs (graph/user.h), whose shape is that of one half, and
 * whose imaginary parts are the value after part_value[]. */
bool fs_part_pairs(const struct fs_kernel *k, int part);
/* The earlier result that an operand is, as it lies on chip, or -1: nothing is done
 * to it between the routines. */
int fs_part_alias(const struct fs_kernel *k, int part);
/* How far apart the elements of neighbouring instances lie in shared memory, in
 * numbers. */
int fs_instance_pitch(const struct fs_user_element *e);
/* Whether one thread makes and reads the scratch of an instance: then it lies in
 * registers (the thread-to-data rule), else in shared memory. */
bool fs_scratch_is_own(const struct fs_user *u);

/* Whether all elements of the kernel's rows are of one half type, so that a GPU keeps
 * two in a register; whether it has an instruction for two at once. */
bool fs_kernel_pairs(const struct fs_kernel *kernel);

/* A GPU's tile kernel whose threads go along rows: they turn what lies across memory in their
 * registers, some vectors of some rows each, where all matrices have whole vectors; or they sum
 * rows, of which each block has a part. */
static inline bool fs_kernel_turns(const struct fs_kernel *k) {
  return fs_scheme_of(k)->ends_rows && (k->tune.vec > 1 || k->tune.row_threads > 32);
}
bool fs_is_paired(int op);

#endif
