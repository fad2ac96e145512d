/* complex.h - complex values in the block's graph: two real nodes, and operations on them as
 * operations on those. Graph, planner and kernels see real tensors alone, so what is complex is
 * fused like all else.
 *
 * Types: c64 has parts of f32, c128 of f64. An operation is computed in the parts' type to which
 * fs_dtype_promote brings all operands. Numbers of the host are weak, complex ones too: beside
 * f64 and i64 they make a c128, beside all else a c64.
 */
#ifndef FS_COMPLEX_H
#define FS_COMPLEX_H

#include "core/eval/trace.h"

/* A traced value that may be complex. */
struct fs_cx {
  struct fs_tv re, im;
  bool real;           /* there is no im */
};

static inline bool fs_val_is_complex(const struct fs_val *v) {
  return v->kind == FS_V_COMPLEX;
}
/* A number of the host, complex or not. */
static inline bool fs_cx_is_number(const struct fs_val *v) {
  return fs_val_is_host(v) || fs_val_is_complex_number(v);
}

/* -- complex.c ------------------------------------------------------------- */

/* The type of the parts of what a real type becomes when it is made complex. */
enum fs_dtype fs_cx_part_type(enum fs_dtype dt);
/* Whether `name` is "c64" or "c128", and the type of its parts. */
bool fs_cx_type_from_name(const char *name, enum fs_dtype *part);

/* Traces a value as it is, which may be real; a number of the host in the type `dt`. */
enum fs_status fs_cx_of(struct fs_interp *in, const struct fs_val *v, struct fs_span span,
                        enum fs_dtype dt, struct fs_cx *out);
/* Traces n operands that take part in one operation together. */
enum fs_status fs_cx_operands(struct fs_interp *in, int n, const struct fs_val *v,
                              const struct fs_span *spans, struct fs_cx *out);
/* Both parts in the shape that they have together. */
struct fs_cx fs_cx_pair(struct fs_interp *in, struct fs_tv re, struct fs_tv im);
/* The imaginary part; of a real value zeros. */
struct fs_tv fs_cx_im(struct fs_interp *in, const struct fs_cx *z);
struct fs_val fs_cx_value(struct fs_interp *in, const struct fs_cx *z);
/* The same with the parts cast to dt, as a complex value also if it is real. */
struct fs_val fs_cx_value_as(struct fs_interp *in, const struct fs_cx *z, enum fs_dtype dt);
/* Where an element is not 0. */
struct fs_tv fs_cx_truth(struct fs_interp *in, const struct fs_cx *z);
/* Part k (0 real, 1 imaginary) of a value as a value; the imaginary one of what is real is 0. */
struct fs_val fs_cx_part(const struct fs_val *v, int k);

/* -- complex_math.c -------------------------------------------------------- */

/* Elementwise operations; the operands' shapes fit. */
struct fs_cx fs_cx_neg(struct fs_interp *in, struct fs_cx a);
struct fs_cx fs_cx_conj(struct fs_interp *in, struct fs_cx a);
struct fs_cx fs_cx_add(struct fs_interp *in, struct fs_cx a, struct fs_cx b);
struct fs_cx fs_cx_sub(struct fs_interp *in, struct fs_cx a, struct fs_cx b);
struct fs_cx fs_cx_mul(struct fs_interp *in, struct fs_cx a, struct fs_cx b);
struct fs_cx fs_cx_div(struct fs_interp *in, struct fs_cx a, struct fs_cx b);
/* a.^b; *whole: b is this number of the host, or NULL. */
struct fs_cx fs_cx_pow(struct fs_interp *in, struct fs_cx a, struct fs_cx b, const double *whole);
/* The function of an op that has one operand; false: there is none of complex numbers. */
bool fs_cx_function(struct fs_interp *in, enum fs_map_op op, struct fs_cx z, struct fs_cx *out);

/* -- complex_operate.c ------------------------------------------------------ */

enum fs_status fs_cx_no_order(struct fs_interp *in, struct fs_span span);

/* An operator of which an operand is complex. */
enum fs_status fs_cx_binary(struct fs_interp *in, enum fs_ast_op op, const struct fs_val *v,
                            const struct fs_span *spans, struct fs_span span,
                            struct fs_val *out);
/* Minus, not, the transpose; `plain`: that which does not conjugate. */
enum fs_status fs_cx_unary(struct fs_interp *in, enum fs_ast_op op, bool plain,
                           const struct fs_val *v, struct fs_span span, struct fs_val *out);
/* The transpose of a matrix or vector. */
struct fs_cx fs_cx_transpose(struct fs_interp *in, struct fs_cx z, bool conjugate);

/* -- complex_host.c -------------------------------------------------------- */

/* Numbers of the host, of which one is complex. False: there is no such operation. */
bool fs_cx_host_binary(enum fs_ast_op op, const struct fs_val *a, const struct fs_val *b,
                       struct fs_val *out);
bool fs_cx_host_function(enum fs_map_op op, const struct fs_val *a, struct fs_val *out);
/* L below the diagonal, whose own is 1, and U of m x n numbers, row by row, in their place; row[i],
 * from 1, is the row that came to row i, unless it is NULL; *odd: after an odd number of exchanges.
 * Not OK: interrupted. */
enum fs_status fs_cx_host_lu(int64_t m, int64_t n, double *re, double *im, int64_t *row, bool *odd);
/* The determinant of n x n numbers, row by row, which are overwritten; not OK: interrupted. */
enum fs_status fs_cx_host_det(int64_t n, double *re, double *im, double out[2]);
/* What re(), im(), conj() and arg() give; of real numbers, too. */
enum fs_cx_what { FS_CX_RE, FS_CX_IM, FS_CX_CONJ, FS_CX_ARG };
void fs_cx_host_of(enum fs_cx_what what, const struct fs_val *a, struct fs_val *out);

/* -- complex_call.c ---------------------------------------------------------- */

/* Whether a call is one for fs_cx_call(): an argument is complex and the function does not know
 * that, or the last one names a complex type. */
bool fs_takes_complex(const struct fs_call *c);
enum fs_status fs_cx_call(struct fs_call *c);

/* -- complex_linalg.c ------------------------------------------------------ */

/* As fs_tv_multiply and fs_tv_solve. */
enum fs_status fs_cx_multiply(struct fs_interp *in, struct fs_cx a, struct fs_span a_span,
                              struct fs_cx b, struct fs_span b_span, struct fs_span span,
                              struct fs_cx *out);
enum fs_status fs_cx_solve(struct fs_interp *in, struct fs_cx a, struct fs_span a_span,
                           struct fs_cx b, struct fs_span b_span, struct fs_span span,
                           struct fs_cx *out);
enum fs_status fs_cx_inverse(struct fs_interp *in, struct fs_cx a, const char *what,
                             struct fs_span span, struct fs_cx *out);
/* EIGVALS of a Hermitian matrix, SVDVALS. */
enum fs_status fs_cx_values(struct fs_interp *in, enum fs_lib_op op, const char *what,
                            struct fs_cx a, struct fs_span span, struct fs_tv *out);
/* The first n of U, s (which is real) and V with A = U*diag(s)*V' of a matrix, or each of a batch. */
enum fs_status fs_cx_svd(struct fs_interp *in, struct fs_cx a, int n, struct fs_cx *out);
/* A^n of a square matrix. */
enum fs_status fs_cx_power(struct fs_interp *in, struct fs_cx a, struct fs_span a_span, int64_t n,
                           struct fs_span span, struct fs_cx *out);

#endif
