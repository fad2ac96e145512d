/* graph.h - one statement block as a data-flow graph.
 *
 * Nodes are 32-bit ids into one array, hash-consed: building the same pure node
 * twice gives the same id. Shapes here have no extents of 1 ("squeezed"): a
 * column, a row and a 1 x n matrix are all rank-1 nodes, so transposing a vector
 * is nothing at all, and a 1 x 1 matrix is a scalar. What the user's value looks
 * like (n x 1 or 1 x n) is kept by the tensor handle, not by the graph.
 *
 * A matrix-vector product is two nodes, as in Filipovic et al., section 3.3:
 *   q = A*p    %3 = map mul %A, view(%p: axis 0 -> 1)     m x n
 *              %4 = reduce sum %3 over {1}                m
 *
 * docs/ir.md is the specification of legal graphs; fs_graph_check() checks it.
 */
#ifndef FS_GRAPH_H
#define FS_GRAPH_H

#include "core/base/diag.h"
#include "core/graph/dtype.h"
#include "core/graph/user.h"

typedef uint32_t fs_id; /* a node; 0 is none */

/* Operands of a node, and of the step that it becomes: a function of the user has
 * the most. */
enum { FS_MOST_SRC = FS_USER_ARGS };

enum fs_map_op {
#define FS_MAP_OP(id, ...) FS_OP_##id,
#include "core/graph/ops.def"
  FS_MAP_OP_COUNT,
  FS_OP_USER = FS_MAP_OP_COUNT /* node.user by element; not in ops.def   */
};
enum fs_reduce_op {
#define FS_REDUCE_OP(id, ...) FS_RD_##id,
#include "core/graph/reductions.def"
  FS_REDUCE_OP_COUNT
};

struct fs_map_op_info { /* see ops.def */
  const char *name;
  int arity;
  char types, result, whole;
  bool commutes;
  uint8_t cost, code;
  const char *infix, *cuda, *doc;
};
enum { FS_STATE_WORDS = 4 };
enum fs_first {
  FS_FIRST_ZERO, FS_FIRST_ONE, FS_FIRST_LOWEST, FS_FIRST_HIGHEST, FS_FIRST_LEAST
};
enum fs_reduce_cost { FS_COST_SUM, FS_COST_EXTREME };
struct fs_reduce_op_info { /* see reductions.def */
  const char *name;
  char types, result;
  enum fs_first first;
  const char *functor, *merge;
  enum fs_reduce_cost cost;
  const char *doc, *state; /* in CUDA texts; NULL: a number */
  int words;               /* of 8 bytes at most, of a state: up to FS_STATE_WORDS */
  enum fs_map_op also;     /* what an element costs beside; COPY: nothing */
};
extern const struct fs_map_op_info fs_map_ops[FS_MAP_OP_COUNT + 1];
/* Of some operands as doubles, by the table's expression; truth values are 0 and 1. */
double fs_map_number(enum fs_map_op op, const double *operands);
/* A function of a mathematical library, whose last bits are each target's. */
/* Whether floats are no operands of it: operations on bits. */
bool fs_map_takes_integers(enum fs_map_op op);
bool fs_map_is_library(enum fs_map_op op);
/* The type that operands of type `dt` are converted to for a class of ops.def. */
enum fs_dtype fs_class_dtype(char types, enum fs_dtype dt);
/* More than one instruction: quotients, roots, functions. */
static inline bool fs_map_is_special(unsigned op) { return fs_map_ops[op].cost > 1; }
extern const struct fs_reduce_op_info fs_reduce_ops[FS_REDUCE_OP_COUNT];
/* Whether its state is a value and where it is, and its result the place. */
static inline bool fs_reduces_to_place(int op) { return fs_reduce_ops[op].result == 'P'; }

/* Calls of dense libraries: scheduled, predicted and measured like kernels,
 * never fused, but for a GATHER in range, by which kernels load. Operands are matrices as handed over (never squeezed away:
 * the extents are in `lib`). */
enum fs_lib_op {
  FS_LIB_GEMM,   /* C = op(A)*op(B)              */
  FS_LIB_SOLVE,  /* X = A\B, LU or least squares */
  FS_LIB_INV,    /* A^-1                         */
  FS_LIB_CHOL,   /* upper R with R'*R = A        */
  FS_LIB_EIGVALS, FS_LIB_EIGVECS,  /* of a symmetric matrix, ascending */
  FS_LIB_SVDVALS,                  /* singular values, descending      */
  FS_LIB_GATHER, /* rows/elements of src[0] chosen by 1-based indices src[1] */
  FS_LIB_FIND,   /* positions, from 1, of the true elements of src[0]        */
  FS_LIB_RESHAPE, /* the elements of src[0], row by row, in the node's shape */
  FS_LIB_INVERT, /* for 1 .. n the last position in src[0] that has it, or 0 */
  FS_LIB_SVD,    /* U, s, V with A = U*diag(s)*V'                            */
  FS_LIB_QR,     /* Q, R with A = Q*R                                        */
  FS_LIB_QR_R,   /* R alone                                                  */
  FS_LIB_LU,     /* L, U, p and the sign of p, n times, with A[p, :] = L*U   */
  FS_LIB_EIG,    /* of any square src[0] + i*src[1]: both parts of eigenvalues and vectors */
  FS_LIB_EIG_VALUES, /* the first of these                                   */
  FS_LIB_CUMSUM, FS_LIB_CUMPROD, /* of the elements up to each, along an axis  */
  FS_LIB_CUMMAX, FS_LIB_CUMMIN,
  FS_LIB_SORT, FS_LIB_ARGSORT, /* along an axis: values, or where they were, from 1 */
  FS_LIB_FFT,    /* along an axis, of src[0] + i*src[1] or of src[0] alone: the real parts,
                    behind them the imaginary ones */
  FS_LIB_RFFT,   /* of src[0]: the first n/2 + 1 of these, both parts              */
  FS_LIB_IRFFT,  /* the n real numbers of which RFFT makes src[0] + i*src[1]       */
  FS_LIB_COMBINE, /* the first rows of src[0]; the others are put to them one after the
                     other, each to the one from 1 that src[1] names */
  FS_LIB_KERNEL, /* a kernel as the user has written it: node.user->foreign */
  FS_LIB_ALL_REDUCE, /* the sum over ranks of what each has as src[0] */
  FS_LIB_ALL_GATHER, /* what the ranks have as src[0], one below the other */
  FS_LIB_OWN_PART,   /* of the rows of src[0] those that this rank has when they are cut */
  FS_LIB_LAY,    /* src[0], cut along axis lib_flags - 1, or whole where that is -1; of what is
                    traced only: fs_graph_partition() */
  FS_LIB_SCHUR,  /* of what EIG takes: both parts of T and of U with A = U*T*U' */
  FS_LIB_SVD_BOTH, /* SVD of src[0] + i*src[1]: both parts of U and of V, and s */
  FS_LIB_OP_COUNT
};
extern const char *const fs_lib_op_names[FS_LIB_OP_COUNT];
/* Whether it takes both parts of a matrix, or one that is real, and gives both of its results: of
 * EIG and its like. */
bool fs_lib_has_both(enum fs_lib_op op);
/* Whether the operand must be square; whether the method iterates, which ends only on
 * finite numbers. */
bool fs_lib_wants_square(enum fs_lib_op op);
bool fs_lib_iterates(enum fs_lib_op op);
/* The unsqueezed result of a factorisation of an m x n matrix. */
struct fs_shape fs_lib_result(enum fs_lib_op op, int64_t m, int64_t n);
/* batch.c: whether it takes matrices, and then one after the other those of a batch. */
bool fs_lib_takes_batches(enum fs_lib_op op);
/* Of an array of matrices, which are its last two dimensions: the extents of one, which of
 * fewer dimensions is a column or one element; and the dimensions before them. */
struct fs_shape fs_matrix_of(const struct fs_shape *s);
struct fs_shape fs_batch_of(const struct fs_shape *s);
/* The shape batch ++ matrix. */
struct fs_shape fs_batched(const struct fs_shape *batch, const struct fs_shape *matrix);
/* Whether two batches go together, as NumPy has it: their dimensions are counted from the
 * right, and an extent of 1, or none, is repeated. Then *out is that of the results. */
bool fs_batches_fit(const struct fs_shape *a, const struct fs_shape *b, struct fs_shape *out);
/* A call that has several results gives one matrix of which they are parts, so that one
 * factorisation is enough for all of them: rows x cols of it from [row, col] on, counted
 * from 0, are result k, or its transpose; or, of one row or column, a vector. */
struct fs_lib_part {
  int64_t row, col, rows, cols;
  bool transposed, vector;
};
bool fs_lib_has_parts(enum fs_lib_op op);
/* How rows are put to others, by the number in FS_LIB_BY: whole numbers wrap around, and
 * only floats are divided. */
enum fs_lib_way { FS_LIB_ADD, FS_LIB_SUB, FS_LIB_MUL, FS_LIB_DIV, FS_LIB_MAX, FS_LIB_MIN,
                  FS_LIB_BYS };
extern const enum fs_map_op fs_lib_by[FS_LIB_BYS];
struct fs_lib_part fs_lib_part(enum fs_lib_op op, int k, int64_t m, int64_t n);
/* Whether operand k need not have the type of the result: a list, a mask, what is summed. */
bool fs_lib_takes_any(enum fs_lib_op op, int k);
static inline bool fs_lib_is_scan(enum fs_lib_op op) {
  return op >= FS_LIB_CUMSUM && op <= FS_LIB_CUMMIN;
}
static inline bool fs_lib_is_sort(enum fs_lib_op op) {
  return op == FS_LIB_SORT || op == FS_LIB_ARGSORT;
}
static inline bool fs_lib_is_fourier(enum fs_lib_op op) {
  return op >= FS_LIB_FFT && op <= FS_LIB_IRFFT;
}
/* Whether it goes along an axis of its operand, of whose shape its result is, but for the
 * extent of that axis where it is a Fourier transform. */
static inline bool fs_lib_is_along(enum fs_lib_op op) {
  return fs_lib_is_scan(op) || fs_lib_is_sort(op) || fs_lib_is_fourier(op);
}

enum fs_node_kind {
  FS_ND_NONE,
  FS_ND_INPUT,   /* a tensor that exists: slot in fs_graph.inputs           */
  FS_ND_PARAM,   /* a host number, a kernel argument: slot in fs_graph.params */
  FS_ND_IOTA,    /* start + step*index, the index being rand_base + sum of
                    rand_stride[k]*o[k] as for RAND; src = 2 params         */
  FS_ND_RAND,    /* uniform [0,1) by Philox at the element's linear index;
                    src[0], src[1] = params (seed, stream)                  */
  FS_ND_RANDN,   /* standard normal, the same                               */
  FS_ND_MAP,     /* map_op over operands of the node's shape, or rank 0     */
  FS_ND_REDUCE,  /* reduce_op over the axes in `axes` of src[0]              */
  FS_ND_VIEW,    /* src[0] seen through `view`                               */
  FS_ND_UPDATE,  /* src[0] with the part under `view` replaced by src[1];
                    src[0] = 0: nothing there yet (concatenation). The view
                    maps an index of src[1]'s shape to one of the result  */
  FS_ND_LIB,     /* lib_op                                                   */
  FS_ND_TABLE,   /* src[0], a vector that is stored, for a region that reads it at
                    places which it computes: its operand, of rank 0         */
  FS_ND_APPLY,   /* node.user by instance: shape is batch ++ its element, and
                    so is that of every operand, but for those that are the
                    same for all instances                                   */
  FS_ND_EMPTY    /* an array of no elements: never an operand, never an output */
};

/* An index map: axis s of the source is read at off[s] + step[s]*o[axis[s]],
 * where o is the index in the result; axis[s] = -1 means at off[s] always. Axes
 * of the result that no source axis names are broadcast.
 * Transpose, slice, broadcast, diagonal and integer subscripts are all views. */
struct fs_view {
  int src_rank;
  int8_t axis[FS_MAX_RANK];
  int64_t off[FS_MAX_RANK], step[FS_MAX_RANK];
};

enum fs_lib_flag {
  FS_LIB_TRANS_A = 1,     /* GEMM: op(A) = A' */
  FS_LIB_TRANS_B = 2,     /* GEMM: op(B) = B' */
  FS_LIB_OF_HALVES = 4,   /* factorisations: the operand was f16 or bf16 before it
                             was made f32, and is rounded as they are */
  FS_LIB_OF_ROWS = 8,     /* GATHER, INVERT, COMBINE: what is chosen, for messages; */
  FS_LIB_OF_COLUMNS = 16, /* else elements                                 */
  FS_LIB_IN_RANGE = 32,   /* GATHER, INVERT, COMBINE: no index can be wrong */
  FS_LIB_AXIS = 7,        /* CUMSUM, FFT ...: the axis of lib_shape along which */
  FS_LIB_DESCENDING = 64, /* SORT, ARGSORT                                 */
  FS_LIB_NTH = 8,         /* FFT ...: divided by the length n              */
  FS_LIB_ODD = 16,        /* RFFT: n is odd                                */
  FS_LIB_BY = 7           /* COMBINE: how; see fs_lib_by                   */
};

struct fs_node {
  enum fs_node_kind kind;
  uint8_t op;             /* fs_map_op, fs_reduce_op or fs_lib_op */
  enum fs_dtype dtype;
  struct fs_shape shape;  /* squeezed */
  uint8_t n_src;
  fs_id src[FS_MOST_SRC];
  uint8_t axes;           /* REDUCE: bit k = axis k of src[0] */
  int slot;               /* INPUT, PARAM */
  struct fs_view view;    /* VIEW, UPDATE */
  struct fs_shape lib_shape[2]; /* LIB: the operands' unsqueezed shapes; of matrices perhaps
                             batches, whose dimensions stand before the last two */
  const struct fs_user *user; /* MAP with FS_OP_USER, APPLY                  */
  uint8_t lib_flags;      /* LIB: of enum fs_lib_flag                      */
  int64_t rand_base;      /* RAND, IOTA: index of element 0 ...           */
  int64_t rand_stride[FS_MAX_RANK]; /* ... and per axis, so slices commute */
  int64_t rand_per_rank;  /* ... and added to rand_base with each rank     */
  int anchored;           /* UPDATE: 0; or its part may lie elsewhere the next time:
                             with inputs of this number, or updates if < 0   */
  int64_t anchor;         /* as of a graph's inputs, in the result's new layout */
  struct fs_span span;    /* the expression that made it first */
  struct fs_span stmt;    /* the statement that made it first  */
  struct fs_span inner;   /* the statement of the prelude that this came to, or nowhere */
  uint32_t turn;          /* its place in the order in which the block was
                             written; not part of what makes graphs equal */
};

/* Whether a product is of a matrix and its own transpose: A'*A, A*A'. */
static inline bool fs_lib_with_itself(const struct fs_node *nd) {
  unsigned turned = nd->lib_flags & (FS_LIB_TRANS_A | FS_LIB_TRANS_B);
  return nd->kind == FS_ND_LIB && nd->op == FS_LIB_GEMM && nd->src[0] == nd->src[1] &&
         nd->lib_shape[0].rank <= 2 && (turned == FS_LIB_TRANS_A || turned == FS_LIB_TRANS_B);
}

/* What a call that takes matrices takes: how many pairs, and of what extents. */
struct fs_lib_sizes {
  struct fs_shape batch;        /* of rank 0: one                             */
  int64_t rows, columns, right; /* of op(A), and the columns of op(B), else 1 */
};
struct fs_lib_sizes fs_lib_sizes(const struct fs_node *call);
double fs_lib_count_of(const struct fs_node *call); /* how many matrices or pairs it takes */
double fs_lib_calls(const struct fs_node *call); /* how often a library is called, about */

struct fs_tensor;  /* run/tensor.h: opaque here */
enum { FS_UPPER = 1, FS_LOWER = 2 }; /* zeros below, above the diagonal */

/* What is known of the elements that a tensor has. */
struct fs_known {
  int64_t list_to;          /* if > 0, all are whole numbers from 1 to this */
  unsigned triangle;        /* of a square matrix: FS_UPPER, FS_LOWER, if all of it is
                               read as it lies or transposed                */
  struct fs_layout lies;    /* if a triangle: how it lies                   */
};
/* A tensor that is to be read, as fs_tensor_source() says. */
struct fs_graph_source {
  struct fs_tensor *tensor; /* borrowed: the block keeps it alive           */
  const void *storage;      /* equal for those whose elements lie in one storage; only to
                               be compared, for the tensor may be gone      */
  struct fs_known known;
  struct fs_cut cut;        /* of the storage                               */
};

struct fs_graph_input {
  struct fs_tensor *tensor; /* as of its source, when it was read */
  const void *storage;
  struct fs_known known;
  struct fs_layout layout;  /* over the squeezed axes             */
  struct fs_cut cut;        /* of its storage; nowhere in a graph of one rank's parts */
  const char *name;         /* the variable it was read by, or NULL */
  int anchored;             /* 0; or it may lie elsewhere the next time that the
                               block runs: those of one number stay as far
                               apart as they are (fs_graph_anchor())        */
  int64_t anchor;           /* from where it is so far as it then is as well,
                               in elements of the storage; else 0           */
  bool dying;               /* nobody refers to the tensor after the block: an
                               UPDATE of all of it may take its storage over */
};

/* An expression from which a node comes, of a statement. */
struct fs_expression {
  struct fs_span stmt, span, inner; /* as a node's */
};

struct fs_graph {
  struct fs_arena *arena;
  FS_VEC(struct fs_node) nodes;  /* nodes.data[0] is FS_ND_NONE */
  FS_VEC(struct fs_graph_input) inputs;
  FS_VEC(struct fs_number) params;
  FS_VEC(int) literals;          /* by param: the first that is the same number of
                                    the source, -1: it may change,
                                    FS_FROM_SHAPES: it follows from the nodes' shapes */
  FS_VEC(int) origins;           /* of a simplified graph, by param: its slot in
                                    the graph that was simplified, or one beyond
                                    those: a value computed from others        */
  FS_VEC(fs_id) outputs;         /* values wanted when the block has run  */
  FS_VEC(const char *) output_names;
  FS_VEC(int64_t) output_extents; /* of that axis over all ranks; 0: whole */
  FS_VEC(int) output_axes;       /* of a graph of one rank's parts, by output: the axis along
                                    which it is cut, -1: none. Else empty: none is */
  FS_VEC(fs_id) barriers;        /* `barrier`: nodes before / from this id
                                    on may not share a kernel             */
  FS_VEC(struct fs_expression) outer; /* of a simplified graph: those which no
                                    other encloses, by statement          */
  uint32_t *table;               /* hash-consing */
  uint32_t table_cap;
  struct fs_span stmt, span, inner; /* given to nodes built from now on   */
  uint32_t turn;                 /* ... as well                           */
  struct fs_graph *next_dying;   /* of fs_tensor_unref()                  */
};

/* Whether a barrier keeps these two nodes, the first one before the other, apart. */
static inline bool fs_graph_has_barrier(const struct fs_graph *g, fs_id first, fs_id last) {
  for (int b = 0; b < g->barriers.len; b++)
    if (first < g->barriers.data[b] && last >= g->barriers.data[b]) return true;
  return false;
}

struct fs_graph *fs_graph_new(void);
void fs_graph_free(struct fs_graph *g);
/* Empties it for the next block; its memory stays, unless there is much of it. */
void fs_graph_reset(struct fs_graph *g);
/* The same nodes under the same ids. It can be planned and run, not built on:
 * new nodes would not find the old ones. */
struct fs_graph *fs_graph_copy(const struct fs_graph *g);
static inline struct fs_node *fs_node(const struct fs_graph *g, fs_id id) {
  return &g->nodes.data[id];
}
/* Nodes built from now on come from where this one does. */
static inline void fs_graph_come_from(struct fs_graph *g, const struct fs_node *n) {
  g->span = n->span;
  g->stmt = n->stmt;
  g->inner = n->inner;
  g->turn = n->turn;
}

/* -- building: all give the (possibly existing) node -------------------------
 * These take squeezed operands of fitting shapes; the checks that speak to the
 * user are in eval/. Views are simplified as they are built: a view of an INPUT
 * is an INPUT with another layout, a view of RAND or IOTA is one with another
 * affine index, a view of a view is one view. A scalar seen at every index of a
 * shape (fill) stays a VIEW with src_rank 0, except as operand of a map.
 * What has no elements is an EMPTY, whatever it is made of, and what is made of one and has
 * elements is so without it: a sum over nothing is a fill of 0. So nobody computes with an
 * extent of 0. */
fs_id fs_graph_input(struct fs_graph *g, const struct fs_graph_source *from, enum fs_dtype dt,
                     const struct fs_shape *squeezed,
                     const struct fs_layout *layout, const char *name);
/* The same as `in` is, which may be one of another graph; from where it may have been moved. */
fs_id fs_graph_input_like(struct fs_graph *g, const struct fs_graph_input *in,
                          enum fs_dtype dt, const struct fs_shape *shape);
fs_id fs_graph_param(struct fs_graph *g, enum fs_dtype dt, struct fs_number v);
/* A number as the source has it, which is the same whenever the block runs. A kernel takes
 * all that are alike as one, and computes 0.3*x once where it is written twice; here they
 * stay apart, for what one kernel each computes again is cheaper than an array of it. */
fs_id fs_graph_literal(struct fs_graph *g, enum fs_dtype dt, struct fs_number v);
/* A number that follows from the shapes of the graph's nodes. */
enum { FS_FROM_SHAPES = -2 };
fs_id fs_graph_extent(struct fs_graph *g, enum fs_dtype dt, double v);
/* The slot whose value a kernel takes for that of a PARAM. */
int fs_graph_param_slot(const struct fs_graph *g, const struct fs_node *param);
fs_id fs_graph_iota(struct fs_graph *g, enum fs_dtype dt, int64_t count,
                    fs_id start, fs_id step);
fs_id fs_graph_rand(struct fs_graph *g, bool normal, enum fs_dtype dt,
                    const struct fs_shape *shape, fs_id seed, fs_id stream);
/* Converts operands to the op's type first (see ops.def), so the result is a
 * MAP over equal shapes; rank-0 operands stay rank 0. `dt` only for CAST. */
fs_id fs_graph_map(struct fs_graph *g, enum fs_map_op op, int n,
                   const fs_id *src, enum fs_dtype dt);
fs_id fs_graph_cast(struct fs_graph *g, fs_id a, enum fs_dtype dt);
fs_id fs_graph_reduce(struct fs_graph *g, enum fs_reduce_op op, fs_id src,
                      unsigned axes);
fs_id fs_graph_view(struct fs_graph *g, fs_id src, const struct fs_view *view,
                    const struct fs_shape *shape);
/* Elements of the storage of an INPUT with a shape as a layout has them, perhaps in another order
 * of axes than a view can say. Where some would be outside of the INPUT it is loose: neighbours at
 * a border, which a condition keeps anybody from looking at (R4). */
fs_id fs_graph_loose(struct fs_graph *g, fs_id input, const struct fs_layout *layout,
                     const struct fs_shape *shape);
/* Whether it is an INPUT of which some elements are others' (struct fs_layout). Only maps and
 * reductions take such: what reads memory as it lies is given a copy. */
bool fs_graph_is_loose(const struct fs_graph *g, fs_id id);
/* A new version of `base` (or, with base 0, of nothing) of the given type and
 * shape; value may be rank 0. view: index of the part -> index of the whole, so
 * its src_rank is the rank of the whole; part_shape is the part's shape. */
fs_id fs_graph_update(struct fs_graph *g, fs_id base, enum fs_dtype dt,
                      const struct fs_shape *shape, fs_id value,
                      const struct fs_shape *part_shape,
                      const struct fs_view *view);
/* triangle.c: of FS_UPPER and FS_LOWER what a square matrix is by how it is computed. */
unsigned fs_graph_triangle(const struct fs_graph *g, fs_id id);
/* Whether a mask is of a square matrix and false beside its diagonal, with the params as they are
 * now; and whether a value is the number 0. */
bool fs_graph_is_eye(const struct fs_graph *g, fs_id mask);
bool fs_graph_is_zero(const struct fs_graph *g, fs_id id);
/* bounds.c: whether every element of a list is a whole number from 1 to `extent`, as far as
 * that follows from how it is computed, from the params as they are now, and from what is
 * known of the inputs. */
bool fs_graph_is_list(const struct fs_graph *g, fs_id list, int64_t extent);
/* bounds.c: whether a sum or product of integers holds its value, also with
 * params that are other places of slices. */
bool fs_graph_fits(const struct fs_graph *g, fs_id reduction);
/* bounds.c: whether the elements of a MAP of two integers multiplied fit in its type, likewise. */
bool fs_graph_product_fits(const struct fs_graph *g, fs_id product);
/* bounds.c: whether no element of a float, but NaN, has its sign set: none is -0 or less.
 * It follows from the operations and the literals alone, so it holds for any params. */
bool fs_graph_is_unsigned(const struct fs_graph *g, fs_id value);
fs_id fs_graph_lib(struct fs_graph *g, enum fs_lib_op op, enum fs_dtype dt,
                   const struct fs_shape *result, fs_id a,
                   const struct fs_shape *a_shape, fs_id b,
                   const struct fs_shape *b_shape, unsigned flags);
/* A call of a kernel as it is written; the operands are arrays of any types. */
fs_id fs_graph_foreign(struct fs_graph *g, const struct fs_user *user, enum fs_dtype dt,
                       const struct fs_shape *result, const fs_id *src);
/* A function of the user over operands of fitting shapes, converted to `dt`
 * first, which is the type of the result. By element: as fs_graph_map(). By
 * instance: `batch` is the squeezed shape of the stack of instances, and every
 * operand has the shape batch ++ element, or element. */
fs_id fs_graph_user(struct fs_graph *g, const struct fs_user *user,
                    const struct fs_shape *batch, const fs_id *src,
                    enum fs_dtype dt);
/* The same library call, which a routine of the program can do as well, by instance over its last
 * axis (core/run/products.c). */
fs_id fs_graph_lib_or(struct fs_graph *g, fs_id call, const struct fs_user *routine);
/* A vector of more than one element as a table; 0: it is no input of the block, or of a type that is
 * not computed with. */
fs_id fs_graph_table(struct fs_graph *g, fs_id src);
/* The map of a MAP node, of other operands: those of the same types. */
fs_id fs_graph_map_like(struct fs_graph *g, const struct fs_node *n,
                        const fs_id *src);
/* How many of the language's operations a MAP counts for where it is asked whether
 * to compute it again is cheap. */
int fs_map_weight(const struct fs_node *n);
/* The shape of operand k (k = n_src: of the result) of an instance of an APPLY. */
struct fs_shape fs_apply_element(const struct fs_node *n, int k);
/* The shape of its stack of instances. */
struct fs_shape fs_apply_batch(const struct fs_node *n);
void fs_graph_output(struct fs_graph *g, fs_id id, const char *name);

/* The identity view that places axis k of src at result axis axes[k]. */
struct fs_view fs_view_axes(int src_rank, const int *axes);

/* -- passes ------------------------------------------------------------------ */

/* Rebuilds the graph with the index laws applied (Barracuda: (map f xs)!i =
 * f(xs!i), slices compose): slices of maps become maps of slices where that
 * costs no second pass over memory; casts and copies that do nothing go; dead
 * nodes go; commutative operands, ids and slots get an order that depends on the
 * structure only. Never x*0 -> 0 and the like: wrong for NaN and Inf. The one
 * rule that changes a rounding is scalar-factor, see docs/ir.md:
 *   sum((s*M) .* v) -> s * sum(M .* v)
 * needs: a checked graph; keeps: outputs' values (but for that rule, bit for
 * bit), barriers; spoils: ids, slots. While fs_interrupted(): not all outputs are there. */
struct fs_graph *fs_graph_simplify(const struct fs_graph *g);
/* The same, once the nodes of which which[] is true, by id, are written out. NULL: none. Products
 * (GEMM), so that they fuse with what is around them: as sums of maps, A*B = A[:,1]*B[1,:] +
 * A[:,2]*B[2,:] + ..., or, of a longer inner extent, as sums along it for each of few columns or
 * rows; roundings are others than a library's. Sums of squares about a mean, so that they go over
 * what they sum together with the mean (centred.c). */
struct fs_graph *fs_graph_write_out(const struct fs_graph *g, const bool *which);
/* as_calls.c: the same with the products of matrices and vectors that it has as sums as calls of
 * GEMM, whose roundings are a library's; NULL: it has none. Inputs may have other slots. */
struct fs_graph *fs_graph_as_calls(const struct fs_graph *simplified);
/* Whether a node is a product that can be written out: of two matrices of f32 or f64, not of a
 * batch, with a short inner extent (rules.def, PLAN_WRITTEN_OUT), or with 8 columns or rows at
 * most. */
bool fs_graph_may_write_out(const struct fs_node *n);
/* centred.c: whether a reduction is such a sum, of f32; and what it is in one pass, once its source
 * is a node of g. */
bool fs_graph_is_centred(const struct fs_graph *g, const struct fs_node *reduce);
fs_id fs_graph_centred(struct fs_graph *g, const struct fs_node *reduce);

/* partition.c: whether something of it is cut over ranks, or an output is better cut by `links`
 * (NULL: none is): then fs_graph_partition() makes of a
 * simplified graph that of one rank's parts, in which what ranks do together are library calls,
 * and which is the same on all ranks until fs_graph_place() makes it that of this rank. *axes gets
 * what is output_axes once the graph is simplified. Given. */
struct fs_links;
bool fs_graph_is_cut(const struct fs_graph *g, const struct fs_links *links);
struct fs_graph *fs_graph_partition(const struct fs_graph *simplified,
                                    const struct fs_links *links);
void fs_graph_place(struct fs_graph *g);
/* Whether an input has to be made whole before, as no rank could read its part of it. */
bool fs_graph_wants_whole(const struct fs_graph *g, int input);

/* cut.c: the axis of a value along which it is cut as its storage is, and how a rank's part of it
 * lies in that rank's memory; -1: it is not cut so, as a slice of rows. */
int fs_cut_axis(const struct fs_cut *cut, const struct fs_shape *shape,
                const struct fs_layout *layout, struct fs_layout *own);
/* Elements that are not cut so as a view of all that the storage has, [outer, extent, inner]
 * without extents of 1: how a rank's part of that lies, and which axis is cut. False: they are no
 * view of it. */
struct fs_cut_whole {
  struct fs_shape shape;     /* of the whole */
  int axis;
  struct fs_layout own;      /* of a rank's part, whose shape has cut.part for the axis */
  struct fs_view view;
};
bool fs_cut_view(const struct fs_cut *cut, const struct fs_shape *shape,
                 const struct fs_layout *layout, struct fs_cut_whole *out);
/* The cut of a storage that has a rank's parts of a value, as they lie, of which one axis is cut,
 * of an extent in all. */
struct fs_cut fs_cut_of(int axis, int64_t extent, const struct fs_layout *own,
                        const struct fs_shape *shape);
/* How the whole lies of which a rank's part lies so. */
void fs_cut_widen(const struct fs_cut *cut, struct fs_layout *layout, int rank);
/* Seconds that ranks take to exchange what a call of all of them does; else 0. Each rank costs
 * `delay`, bytes go at `rate` a second: around a ring, to be added up twice. */
double fs_lib_links(const struct fs_node *call, double delay, double rate);
/* What an array costs a pass over it: seconds for a byte of memory, for each rank that is waited
 * for, and for a byte from rank to rank. */
struct fs_links {
  double memory, delay, link;
};
/* Seconds of reading a rank's part of an array that is cut along an axis, and of exchanging what a
 * product with a vector gives, from either side; axis -1: of reading all of it. */
double fs_lay_seconds(const struct fs_shape *shape, enum fs_dtype dt, int axis,
                      const struct fs_links *links);
/* Whether that is less where it lies by rows: never for vectors, as links are slower than memory. */
bool fs_lay_pays(const struct fs_shape *shape, enum fs_dtype dt, const struct fs_links *links);
/* How many indices of so many a rank has. */
int64_t fs_cut_part(int64_t extent);

/* double.c: the same with f64 in place of shorter floats, also in outputs; inputs and params are
 * the same, in their slots. Bodies of loops, functions and kernels of the user and random numbers
 * stay as they are, of operands rounded to their types. Barriers go. Given. */
struct fs_graph *fs_graph_in_double(const struct fs_graph *g);

/* Fills `outer`, which is of the words of the nodes: once more where these were changed. */
void fs_graph_find_outer(struct fs_graph *g);

/* The words of a graph: where its nodes were written, the names of inputs and outputs. The
 * graphs here have equal nodes, as fs_graph_same() says. Whether they have the same words; `to`
 * gets those of `from`. */
bool fs_graph_same_words(const struct fs_graph *a, const struct fs_graph *b);
void fs_graph_adopt_words(struct fs_graph *to, const struct fs_graph *from);
/* A copy of a graph's words, for as long as the graph is there. Given, to
 * fs_graph_words_free(); NULL may be freed. */
struct fs_graph_words;
struct fs_graph_words *fs_graph_words(const struct fs_graph *g);
void fs_graph_words_free(struct fs_graph_words *w);
/* The graph, whose words they once were, gets them back for its own, which they keep: once
 * more, and all is as before. */
void fs_graph_exchange_words(struct fs_graph *g, struct fs_graph_words *w);
/* The node that a user means by a word: the last value that a variable of that
 * name gets in the block ("q"), or the statement of that number in it ("2",
 * counted from 1 in the order of the text). 0 if there is none. `sources` has
 * the texts that the graph's spans point into. */
fs_id fs_graph_statement(const struct fs_graph *simplified,
                        const struct fs_diags *sources, const char *word);

/* Whether every outermost expression of the statement is among these n of its
 * expressions: in z = exp(A*B)*C that is the last product, not A*B or exp(A*B). Of
 * simplified graphs. */
bool fs_graph_is_whole(const struct fs_graph *g, struct fs_span stmt,
                       const struct fs_expression *of, int n);

/* Finds what slices of inputs, and what parts that are replaced, may lie elsewhere the next
 * time (anchor.c): equality and hashes then leave out where. Simplified graphs have it. */
void fs_graph_anchor(struct fs_graph *g);
/* Whether two inputs are of one array and stay as far apart as they are. */
static inline bool fs_graph_same_array(const struct fs_graph *g, int a, int b) {
  const struct fs_graph_input *x = &g->inputs.data[a], *y = &g->inputs.data[b];
  return x->storage == y->storage && x->anchored == y->anchored;
}
/* The same of two nodes that are read. */
bool fs_graph_one_array(const struct fs_graph *g, int a, int b);
/* The layout of an input from its anchor on. */
struct fs_layout fs_graph_input_layout(const struct fs_graph *g, int input);
/* What there is in memory of an INPUT: axes along which it is repeated are free. */
double fs_graph_input_bytes(const struct fs_graph *g, const struct fs_node *nd);
/* An index map base + sum of index*stride, and the elements of a layout, seen through a view
 * of that rank. */
void fs_view_affine(const struct fs_view *view, int rank, int64_t *base,
                    int64_t stride[FS_MAX_RANK]);
static inline void fs_view_layout(const struct fs_view *view, int rank, struct fs_layout *l) {
  fs_view_affine(view, rank, &l->offset, l->stride);
}
/* Elements of a storage: those at begin + sum of index[k] * stride[k]. */
struct fs_elements {
  int64_t begin;
  int rank;
  int64_t dim[FS_MAX_RANK], stride[FS_MAX_RANK];
};
/* From the first to the last of them. */
struct fs_range {
  int64_t first, last;
};
struct fs_range fs_elements_range(const struct fs_elements *e);
/* Whether two lots of elements of an array that is stored `whole` surely share none. It goes
 * by how they lie to each other: it stays so wherever both move together (apart.c). */
bool fs_elements_apart(const struct fs_elements *a, const struct fs_elements *b,
                       const struct fs_layout *whole, const struct fs_shape *shape);
/* The part that an UPDATE replaces, in the new layout, which `whole` gets. */
struct fs_elements fs_update_elements(const struct fs_graph *g, const struct fs_node *update,
                                  struct fs_layout *whole);
/* The element of the new layout at which the part of an UPDATE begins. */
int64_t fs_update_begin(const struct fs_node *update);
/* Whether slices that have another anchor than a part that is replaced share no element with
 * it where all are now, and neither do parts of other anchors. Of graphs whose sizes were
 * changed in place; else it is so. */
bool fs_graph_anchors_hold(const struct fs_graph *g);
/* Has slices and parts lie elsewhere: in one input; in an anchored UPDATE, whose part is
 * under `view` then; as in an equal graph. */
void fs_graph_move_input(struct fs_graph *g, int input, int64_t anchor);
void fs_graph_move_update(struct fs_graph *g, fs_id update, int64_t anchor,
                          const struct fs_view *view);
void fs_graph_move(struct fs_graph *g, const struct fs_graph *like);
/* Where they are, replacing *out; and back. */
typedef FS_VEC(int64_t) fs_anchor_list;
void fs_graph_anchors(const struct fs_graph *g, fs_anchor_list *out);
void fs_graph_put_anchors(struct fs_graph *g, const fs_anchor_list *anchors);

/* NULL if the graph is legal, else what is wrong (a bug in Fusible). */
const char *fs_graph_check(const struct fs_graph *g);

/* Deterministic text, the `graph` dump. */
void fs_graph_dump(const struct fs_graph *g, const struct fs_diags *diags,
                   struct fs_str *out);

/* A hash of structure, shapes, types and layouts, without anchors, the values of
 * params, the identity of tensors, names and spans: equal hash and equal
 * fs_graph_same() means the plan and the compiled kernels can be used again. */
uint64_t fs_graph_hash(const struct fs_graph *g);
/* Hashes of what graphs have in common whose slices only have other sizes, and of the
 * sizes: extents and strides, but not where slices begin. */
struct fs_graph_kind {
  uint64_t structure, sizes;
};
struct fs_graph_kind fs_graph_kind(const struct fs_graph *g);
bool fs_graph_same(const struct fs_graph *a, const struct fs_graph *b);

/* All of that as words, spans and names as well: two traced graphs of equal
 * signatures simplify to the same graph in the same words. Replaces *out. */
typedef FS_VEC(uint64_t) fs_signature;
void fs_graph_signature(const struct fs_graph *g, fs_signature *out);

#endif
