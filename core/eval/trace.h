/* trace.h - language-level operations on tensors: values to graph nodes.
 *
 * A traced value is a node and the shape as the user sees it; the node's own
 * shape is that shape squeezed (no extents of 1).
 *
 * Shapes: rank 1 is a column (n x 1), rows are 1 x n. Elementwise operations
 * align dimensions from the left; an extent of 1 is repeated.
 *
 * Types of an operation on values a and b (docs/language.md):
 *   tensor, tensor   fs_dtype_promote: the least that holds both (dtypes.def); f16 with
 *                    bf16 gives f32
 *   tensor, number   numbers are weak: a floating tensor keeps its type. An
 *                    integer tensor keeps it with a whole number (u8 becomes u16, i16 ...
 *                    if the number needs it) and becomes f32 (i64: f64) with a
 *                    number written with a fraction or an exponent. bool with a
 *                    whole number gives i32
 *   tensor, bool     a bool is a number of the lowest type
 *   number, number   on the host in double precision; whole numbers stay whole
 *                    under + - * and non-negative powers while exact
 *   /  ./  sqrt ...  integers give f32, i64 gives f64
 *   sum, prod        bool and integers give i64
 *   comparisons      give bool
 *   a range as a tensor is i64 when its parts are whole, else f32
 */
#ifndef FS_TRACE_H
#define FS_TRACE_H

#include "core/eval/interp.h"

struct fs_tv {
  fs_id node;
  enum fs_dtype dtype;
  struct fs_shape shape;
};

static inline bool fs_tv_is_one(const struct fs_tv *t) {
  return fs_shape_count(&t->shape) == 1;
}

/* A column of no elements, as `[]` is. */
static inline bool fs_tv_is_none(const struct fs_tv *t) {
  return t->shape.rank == 1 && t->shape.dim[0] == 0;
}

static inline struct fs_shape fs_squeezed(const struct fs_shape *s) {
  int axis_of[FS_MAX_RANK];
  return fs_squeeze(s, axis_of);
}
struct fs_shape fs_shape_of(int rank, const int64_t *dims);
struct fs_shape fs_shape_scalar(void);
/* Whether it is that of a column, a row or one element. */
static inline bool fs_is_vector(const struct fs_shape *s) {
  return s->rank <= 1 || (s->rank == 2 && (s->dim[0] == 1 || s->dim[1] == 1));
}
/* Extents with rank 0 and 1 filled up: rows x columns. */
static inline int64_t fs_rows(const struct fs_shape *s) {
  return fs_shape_dim(s, 0);
}
static inline int64_t fs_cols(const struct fs_shape *s) {
  return fs_shape_dim(s, 1);
}

/* A value as a node. Numbers get the type that goes with `like` (NULL: f32 for
 * numbers), see above. Strings and functions are an error at `span`. */
enum fs_status fs_tv_of(struct fs_interp *in, const struct fs_val *v,
                        struct fs_span span, const enum fs_dtype *like,
                        struct fs_tv *out);
/* The type of a number or truth value beside a tensor of type `like`. */
enum fs_dtype fs_number_type(const struct fs_val *v, enum fs_dtype like);
/* The elementwise operation that an operator is for single elements; false: it is none. */
bool fs_operator_map(enum fs_ast_op op, enum fs_map_op *out);
/* The operator that an elementwise operation has; false: it has none. */
bool fs_map_operator(enum fs_map_op op, enum fs_ast_op *out);
const char *fs_operator_text(enum fs_ast_op op);
/* A value as a node of type dt; a number is converted from double precision as the
 * elements of an array would be. */
enum fs_status fs_tv_as(struct fs_interp *in, const struct fs_val *v,
                        struct fs_span span, enum fs_dtype dt,
                        struct fs_tv *out);
struct fs_val fs_tv_value(struct fs_interp *in, const struct fs_tv *t);
fs_id fs_param(struct fs_interp *in, enum fs_dtype dt, double x);
/* Traces n operands that take part in one operation together. */
enum fs_status fs_tv_operands(struct fs_interp *in, int n,
                              const struct fs_val *v,
                              const struct fs_span *spans, struct fs_tv *out);

/* The node spread over `shape` (extents of 1 repeated); rank 0 stays rank 0. */
fs_id fs_tv_spread(struct fs_interp *in, const struct fs_tv *t,
                   const struct fs_shape *shape);
struct fs_tv fs_tv_cast(struct fs_interp *in, struct fs_tv t, enum fs_dtype dt);

/* The shape that the operands of an elementwise operation have together. */
enum fs_status fs_tv_common(struct fs_interp *in, int n,
                            const struct fs_tv *src,
                            const struct fs_span *spans, struct fs_span span,
                            const char *what, struct fs_shape *out);
/* Elementwise, with broadcasting. `what` is the operator or function for the
 * message about shapes that do not fit. */
enum fs_status fs_tv_map(struct fs_interp *in, enum fs_map_op op, int n,
                         const struct fs_tv *src, const struct fs_span *spans,
                         struct fs_span span, const char *what,
                         struct fs_tv *out);
/* The same for operands that are known to fit. */
struct fs_tv fs_tv_map1(struct fs_interp *in, enum fs_map_op op,
                        struct fs_tv a);
struct fs_tv fs_tv_map2(struct fs_interp *in, enum fs_map_op op, struct fs_tv a,
                        struct fs_tv b);
/* a where mask is true, else b. */
struct fs_tv fs_tv_choose(struct fs_interp *in, struct fs_tv mask, struct fs_tv a,
                          struct fs_tv b);
/* A number as a traced scalar of the type that suits `like`. */
struct fs_tv fs_tv_number(struct fs_interp *in, double x, enum fs_dtype like);
/* The same for one that never changes. */
struct fs_tv fs_tv_literal(struct fs_interp *in, double x, enum fs_dtype like);

/* start, start + step, ... as a vector of n. */
struct fs_tv fs_tv_iota(struct fs_interp *in, enum fs_dtype dt, int64_t n,
                        double start, double step);

/* The place 1, in every line of one element. */
struct fs_tv fs_tv_all_first(struct fs_interp *in, const struct fs_shape *shape);
/* dim 0: over everything (a scalar); else over dimension `dim` (from 1). What is left of a
 * dimension is an extent of 1, or nothing where no other follows. */
struct fs_tv fs_tv_reduce(struct fs_interp *in, enum fs_reduce_op op,
                          struct fs_tv a, int dim);
/* The same over several dimensions at once: bit k is dimension k + 1; 0: all. */
struct fs_tv fs_tv_reduce_over(struct fs_interp *in, enum fs_reduce_op op,
                               struct fs_tv a, unsigned dims);
/* `a` with its dimension order[k], from 0, as dimension k of n, which is its rank or more. */
struct fs_tv fs_tv_permute(struct fs_interp *in, struct fs_tv a, int n, const int *order);
struct fs_tv fs_tv_transpose(struct fs_interp *in, struct fs_tv a);
/* The same elements, row-major, under another shape of the same count; forces
 * the value to be stored when its layout does not allow it. */
enum fs_status fs_tv_reshape(struct fs_interp *in, struct fs_tv a,
                             const struct fs_shape *shape, struct fs_tv *out);

/* -- linalg.c -------------------------------------------------------------- */

enum fs_status fs_tv_multiply(struct fs_interp *in, struct fs_tv a,
                              struct fs_span a_span, struct fs_tv b,
                              struct fs_span b_span, struct fs_span span,
                              struct fs_tv *out);
enum fs_status fs_tv_solve(struct fs_interp *in, struct fs_tv a,
                           struct fs_span a_span, struct fs_tv b,
                           struct fs_span b_span, struct fs_span span,
                           struct fs_tv *out);
enum fs_status fs_tv_power(struct fs_interp *in, struct fs_tv a,
                           struct fs_span a_span, int64_t n,
                           struct fs_span span, struct fs_tv *out);
/* INV, CHOL, EIGVALS, EIGVECS, SVDVALS, QR_R of a matrix. */
enum fs_status fs_tv_factor(struct fs_interp *in, enum fs_lib_op op,
                            const char *what, struct fs_tv a,
                            struct fs_span span, struct fs_tv *out);
/* The first n results of a call that has several: SVD, QR, LU. */
enum fs_status fs_tv_factors(struct fs_interp *in, enum fs_lib_op op,
                             const char *what, struct fs_tv a,
                             struct fs_span span, int n, struct fs_tv *out);
/* A part of a matrix. */
struct fs_tv fs_tv_part(struct fs_interp *in, const struct fs_tv *whole,
                        const struct fs_lib_part *p);
/* The diagonal of a matrix that is k right of the main one. */
struct fs_tv fs_tv_diagonal(struct fs_interp *in, struct fs_tv a, int64_t k);
/* Extents of 1 in front of a matrix or vector are none. */
void fs_tv_drop_leading(struct fs_tv *a);
/* small.c: a solve of or product with `b`, or (NULL) a factorisation, of a batch of small matrices
 * as a routine by instance, of type `dt`; false: it is none, or the target has no such. */
bool fs_tv_small(struct fs_interp *in, enum fs_small_op op, enum fs_dtype dt, struct fs_tv a,
                 const struct fs_tv *b, struct fs_tv *out);
/* a .^ b, with the small exponents that are cheaper as products. */
/* x^e where that is a few operations; false: it is none of those. */
bool fs_tv_short_power(struct fs_interp *in, double e, struct fs_tv x, struct fs_tv *out);
enum fs_status fs_tv_epow(struct fs_interp *in, const struct fs_val *a,
                          struct fs_span a_span, const struct fs_val *b,
                          struct fs_span b_span, struct fs_span span,
                          struct fs_tv *out);
/* -- chain.c --------------------------------------------------------------- */

/* The product of a chain of factors: scalars are applied last, matrices and
 * vectors are multiplied in the cheapest order. */
enum fs_status fs_multiply_chain(struct fs_interp *in, int n,
                                 const struct fs_val *v,
                                 const struct fs_span *spans,
                                 struct fs_span span, struct fs_val *out);

/* -- construct.c ----------------------------------------------------------- */

/* A scalar node as every element of the shape. */
struct fs_tv fs_tv_repeat(struct fs_interp *in, fs_id node, const struct fs_shape *shape);
struct fs_tv fs_tv_fill(struct fs_interp *in, enum fs_dtype dt,
                        const struct fs_shape *shape, double x);
struct fs_tv fs_tv_rand(struct fs_interp *in, bool normal, enum fs_dtype dt,
                        const struct fs_shape *shape);
struct fs_tv fs_tv_eye(struct fs_interp *in, enum fs_dtype dt, int64_t m,
                       int64_t n);
/* Places blocks side by side (dim 2) or on top of each other (dim 1). */
enum fs_status fs_tv_concat(struct fs_interp *in, int dim, int n,
                            const struct fs_tv *parts,
                            const struct fs_span *spans, struct fs_span span,
                            struct fs_tv *out);

/* -- part.c ---------------------------------------------------------------- */

/* Warns once in a session that values lose digits, by the names of both types. */
void fs_tell_narrowed(struct fs_interp *in, struct fs_span span, const char *from, const char *to);
/* A value as the part of a tensor of type dt that it is to replace; what would lose a
 * fraction is refused. */
enum fs_status fs_tv_for_part(struct fs_interp *in, const struct fs_val *v, struct fs_span span,
                              enum fs_dtype dt, struct fs_tv *out);

/* -- combine.c ------------------------------------------------------------- */

/* `whole`, n x w or a vector of n, with `rows`, r x w or r, put to those that the list of r
 * names, one after the other; `by`: of enum fs_lib_way. Both have one
 * type. `of` is for messages, as in fs_tv_gather. */
enum fs_status fs_tv_combine(struct fs_interp *in, int by, struct fs_tv whole, struct fs_tv list,
                             unsigned of, struct fs_tv rows, struct fs_span span,
                             struct fs_tv *out);

/* -- index.c --------------------------------------------------------------- */

/* Rows (or elements of a vector) chosen by a vector of indices from 1. `of` is
 * FS_LIB_OF_ROWS or FS_LIB_OF_COLUMNS, for messages, or 0. A list of more dimensions
 * chooses elements of a vector, and must be known to be in range. */
enum fs_status fs_tv_gather(struct fs_interp *in, struct fs_tv a, struct fs_tv list,
                            unsigned of, struct fs_tv *out);

/* The elements, row by row, in a shape of as many: a copy, where it is no view; the block goes on. */
struct fs_tv fs_tv_in_rows(struct fs_interp *in, struct fs_tv a, const struct fs_shape *shape);

/* The places, from 1 and row by row, that elements have in a value of n dimensions whose
 * indices are v[0], v[1], ..., one beside the other. */
enum fs_status fs_tv_places(struct fs_interp *in, const struct fs_shape *whole, int n,
                            const struct fs_val *v, const struct fs_span *spans,
                            struct fs_span span, struct fs_tv *out);

/* The positions, from 1 and row by row, of the true elements of a tensor of truth
 * values, as a vector of i64; the value NONE where none is. Reads their number. */
enum fs_status fs_find_true(struct fs_interp *in, const struct fs_val *mask,
                            struct fs_span span, struct fs_val *out, int64_t *count);

#endif
