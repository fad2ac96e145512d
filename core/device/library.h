/* library.h - what an FS_LIBRARY kernel asks for, as plain matrices.
 *
 * Both targets read the call through this, so that shapes, transposed operands
 * and squeezed axes are worked out in one place.
 */
#ifndef FS_LIBRARY_H
#define FS_LIBRARY_H

#include "core/graph/graph.h"

struct fs_plan;
struct fs_kernel;

/* An operand or the result: element (i, j, ...) lies at
 *   (char *)ptr + size * (i*stride[0] + j*stride[1] + ...).
 * Never squeezed: a column of n is n x 1; extents of 1 have stride 0. */
struct fs_lib_array {
  void *ptr;
  enum fs_dtype dtype;
  int rank;                      /* at least 2 */
  int64_t dim[FS_MAX_RANK], stride[FS_MAX_RANK];
};

struct fs_lib_call {
  enum fs_lib_op op;
  struct fs_shape batch;         /* of rank 0: one call; else out, a and b are the first ones,
                                    and all are done, as far apart as `step` says */
  int64_t step[3][FS_MAX_RANK];  /* of out, a and b: to the next one along each axis of the
                                    batch, in elements; 0: the same          */
  int64_t nth;                   /* of a batch, from 1; 0: it is no part of one */
  struct fs_lib_array out, a, b; /* a is op(A), b is op(B): transposition is
                                    already in their strides              */
  bool has_b;
  bool with_itself;              /* GEMM: b is a transposed, the result symmetric */
  bool by_element;               /* GATHER: elements of `a`, not its rows  */
  const char *chosen;            /* GATHER, INVERT: "element", "row" or "column" */
  bool in_range;                 /* GATHER, INVERT: no index can be wrong  */
  bool of_halves;                /* `a` is rounded as f16 and bf16 are     */
  int axis;                      /* CUMSUM, FFT ...: along which axis of `a` */
  int64_t length;                /* FFT ...: n                             */
  bool divided;                  /* FFT ...: by n                          */
  bool descending;               /* SORT, ARGSORT                          */
  int by;                        /* COMBINE: of enum fs_lib_way            */
  struct fs_span span;           /* for messages */
};

/* slots[] are base pointers by plan slot; NULL entries are allowed where only
 * the shapes matter. */
void fs_lib_call_read(const struct fs_plan *plan, const struct fs_kernel *k,
                      void *const *slots, struct fs_lib_call *out);

/* Call k of those of a batch, from 0, row by row. */
struct fs_lib_call fs_lib_call_nth(const struct fs_lib_call *c, int64_t k);

/* Operand k of a call, k = -1 the result, over the squeezed axes. */
struct fs_lib_array fs_lib_operand(const struct fs_plan *plan, const struct fs_kernel *kernel,
                                   int k, void *const *slots);

/* The same matrix with rows as columns. */
struct fs_lib_array fs_lib_transposed(struct fs_lib_array a);

/* Where result k of a call that has several goes. */
struct fs_lib_array fs_lib_result_part(const struct fs_lib_call *c, int k);

/* The last two results of LU, as numbers: the order of m rows, from 1, that comes of k
 * exchanges (row i, from 0, with row pivots[i], from 1), and n times its sign. */
void fs_lib_order(const int *pivots, int64_t k, int64_t m, int64_t n, double *out);

int64_t fs_lib_count(const struct fs_lib_array *a); /* its elements */
/* From one element of a list to the next, in elements; a list is n x 1 or 1 x n. */
int64_t fs_lib_list_stride(const struct fs_lib_array *a);

/* An array as lines along one axis, numbered row by row: element e of line k lies at
 *   e*step + sum of at[i]*stride[i],  at[] being k in the extents dim[]. */
struct fs_lib_lines {
  int64_t n, count, step;
  int64_t dim[FS_MAX_RANK - 1], stride[FS_MAX_RANK - 1];
};
struct fs_lib_lines fs_lib_lines_of(const struct fs_lib_array *a, int axis);
/* Where line k begins, in elements. */
int64_t fs_lib_line(const struct fs_lib_lines *l, int64_t k);
/* Whether neighbouring lines lie closer together than the elements of one. */
bool fs_lib_lines_first(const struct fs_lib_lines *l);

/* Whether the call moves elements, finds their places or goes along lines: of any type
 * and size, without a library. */
bool fs_lib_moves(enum fs_lib_op op);
/* What ranks do together, or of one array by rank: whether a call is that; the call that copies
 * what this rank brings to its place in the result, or its part there, which is all that
 * OWN_PART is; elements of the result that one rank's place takes, all of them where they are
 * added up. */
bool fs_lib_is_of_ranks(enum fs_lib_op op);
struct fs_lib_call fs_lib_own_copy(const struct fs_lib_call *c);
int64_t fs_lib_place(const struct fs_lib_call *c);
/* The error for an index that GATHER or INVERT cannot use: `value` at position
 * `position` (1-based) of the list. Gives FS_ERR_USER. */
enum fs_status fs_lib_bad_index(const struct fs_lib_call *c, double value,
                                int64_t position, struct fs_diags *d);
/* The errors of the factorisations; `info` is LAPACK's (> 0). */
enum fs_status fs_lib_failed(const struct fs_lib_call *c, int64_t info,
                             struct fs_diags *d);
/* The same of an instance of a kernel over small matrices; `fault` is not 0. */
enum fs_status fs_lib_small_failed(const struct fs_plan *plan, const struct fs_kernel *k,
                                   uint64_t fault, struct fs_diags *d);
/* FS_OK, or the error that a square matrix is needed. */
enum fs_status fs_lib_check(const struct fs_lib_call *c, struct fs_diags *d);

/* What SOLVE asks of a square matrix before it chooses a method: one without a number on
 * a side of its diagonal needs no factorisation. */
struct fs_lib_form {
  bool above, below; /* something but zeros there                              */
  bool nan;          /* somewhere; not told where both sides have something     */
  int64_t zero;      /* the first 0 on the diagonal, from 1; 0: none, or not told */
};

/* Cholesky's and the eigenvalue routines read one triangle and take the other to be
 * the same: of another matrix they would be silently wrong.
 *
 * The most by which elements that lie opposite each other may differ in a matrix
 * whose largest magnitude is `most`; < 0: in this call they may differ as they like. */
double fs_lib_asymmetry_allowed(const struct fs_lib_call *c, double most);
/* FS_OK, or the error that they differ more. `a` lies in host memory and is f32 or
 * f64; NaN counts as no difference. */
enum fs_status fs_lib_check_symmetry(const struct fs_lib_call *c,
                                     struct fs_diags *d);

#endif
