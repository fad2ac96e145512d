/* user.h - a function of the user as the graph means it: the signature of one
 * instance and the texts of its routine, for one element type.
 *
 * Two kinds (Filipovic et al., section 4.3: a first-order function, serial or
 * parallel, under a higher-order one):
 *
 *   by element   leaky(x, a)   one number of each operand gives one number: a
 *                              MAP node with op FS_OP_USER, fused as any map
 *   by instance  inv3(A:3x3)   operands are stacks of small matrices or vectors,
 *                              an instance of `threads` threads takes one of
 *                              each: an APPLY node. Shapes are batch ++ element:
 *                              A is N x 3 x 3, and so is the result
 *
 * A third kind is a kernel that runs as it is written (foreign.h), the call of which is a node
 * FS_LIB_KERNEL.
 *
 * A function by element may also be a region of statements (region.h), whose operands
 * have types of their own.
 *
 * The interpreter makes these (core/eval/elem.c, lift_region.c) and keeps them as long as the
 * session: nodes, plans and prepared kernels borrow them. Equal content has equal
 * `hash`; a node is told from another by it.
 */
#ifndef FS_USER_H
#define FS_USER_H

#include "core/graph/foreign.h"
#include "core/graph/region.h"

enum {
  FS_USER_ARGS = 8, /* an element of a finite element program takes up to six; a
                       kernel that reads eight arrays has its address registers
                       full, and nodes stay within six cache lines           */
  FS_USER_DIMS = 2,
  FS_USER_SHARED = 40 << 10 /* bytes of an instance: elements and scratch */
};

/* Where elements are small, a user may say how one comes on chip and how a result
 * leaves it (load and store routines of Filipovic et al., section 4.3). An element
 * then has two forms: in memory, dim[], and on chip, chip[]. */
enum fs_user_type {
  FS_UT_EACH,   /* a number of every instance                               */
  FS_UT_SCALAR, /* a number, the same for all instances                     */
  FS_UT_TABLE,  /* of a region: a vector that it reads at places which it computes */
  FS_UT_SMALL   /* dim[0..rank) numbers of every instance, or the same for all */
};

struct fs_user_element {
  enum fs_user_type type;
  const char *name;           /* of the parameter                           */
  enum fs_dtype compute;      /* its type in the routine                    */
  int rank;                   /* SMALL: 1 or 2                              */
  int64_t dim[FS_USER_DIMS];  /* each at least 2                            */
  int count;                  /* product of dim; 1 for a number             */
  int chip_rank;              /* the same on chip, where the routine sees it: */
  int64_t chip[FS_USER_DIMS]; /* as in memory, but where a load or a store of */
  int chip_count;             /* the user's own says otherwise              */
};

struct fs_user_text {
  const char *text;           /* NULL: there is no form for this target     */
  const char *file;           /* where it was written, for messages         */
  int line;                   /* of its first line                          */
};

/* A load or a store. */
struct fs_user_move {
  struct fs_user_text cuda, c; /* no texts: element by element, as the kernel does it */
  int threads;                /* of an instance, on a GPU                   */
};

/* Routines of the program itself by instance, over matrices of up to MOST x MOST, of which the CPU
 * target has its own forms (core/device/cpu/small.h). All but DET and PRODUCT may fail: the texts say
 * which instance did first by fs_small_fault(), 0 being none, of which the largest counts. */
enum fs_small_op { FS_SMALL_SOLVE, FS_SMALL_INV, FS_SMALL_DET, FS_SMALL_CHOL, FS_SMALL_PRODUCT,
                   FS_SMALL_OPS };
enum { FS_SMALL_MOST = 8, FS_SMALL_ASYMMETRIC = 255 };
struct fs_small {
  enum fs_small_op op;
  int n, inner, columns; /* rows of the first operand, and its columns; columns of the result */
  double near;           /* CHOL: share of the largest element by which a matrix may be asymmetric */
};
static inline bool fs_small_may_fail(const struct fs_small *s) {
  return s && s->op != FS_SMALL_DET && s->op != FS_SMALL_PRODUCT;
}
/* k: LAPACK's info, or FS_SMALL_ASYMMETRIC. */
static inline uint64_t fs_small_fault(enum fs_small_op op, int64_t instance, int k) {
  return ~((uint64_t)instance << 16 | (uint64_t)op << 8 | (uint64_t)k);
}

struct fs_user {
  const char *name;
  uint64_t hash;              /* of all below but names and files           */
  bool by_instance;
  enum fs_dtype compute;      /* FS_TYPE: i32, i64, f32 or f64; of a region the type of
                                 its result                                 */
  int n_args;
  struct fs_user_element arg[FS_USER_ARGS], result;
  int threads;                /* of an instance: divides 32 or multiple of it */
  int scratch;                /* numbers that an instance has for itself     */
  double flops;               /* of an instance                             */
  double pace;                /* their time, in that of as many products of a map; 0: once */
  bool unknown;               /* ... which nobody declared, of a routine whose loops go on
                                 as its data say                            */
  int impl;                   /* which of its alternatives this is          */
  /* Where the plan may choose (core/plan/kernels/routine.c): all that have a form for the
   * target, ascending. This one stands for them and is like the first but for the
   * hash; it is never emitted. */
  const struct fs_user *const *alternatives;
  int n_alternatives;         /* 0: only itself                             */
  const struct fs_region *region; /* by element: the body, in place of texts */
  const struct fs_foreign *foreign; /* a kernel as it is written */
  const struct fs_small *small;   /* a routine of the program itself */
  /* ... by instance, which asks for each number of its operands and gives away those of its result
   * as it makes them, FS_PUT(k, re, im): what is computed before and behind it happens on the
   * way. pairs: the result is real parts and behind them as many imaginary ones, of which
   * what follows sees both at once. */
  bool streams, pairs;
  const char *piece;              /* of elemlib/cuda, which it calls; or NULL */
  struct fs_user_text cuda, c;
  struct fs_user_move load[FS_USER_ARGS], store; /* by instance             */
};

#endif
