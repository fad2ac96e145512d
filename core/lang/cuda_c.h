/* cuda_c.h - kernels in CUDA C and OpenCL C, read into the tree of the language.
 *
 *     __global__ void mv(const float *A, const float *x, float *y, int n) {
 *       int i = blockIdx.x*blockDim.x + threadIdx.x;
 *       float s = 0;
 *       for (int k = 0; k < n; k++) s += A[i*n + k]*x[k];
 *       y[i] = s;
 *     }
 *
 * A file is read once (cuda_c_lex.c, cuda_c_parse.c, cuda_c_stmt.c, cuda_c_file.c). What comes of that are statements and
 * expressions as the language has them, with the meaning of C: subscripts count from 0, `/` of
 * two integers cuts off. A call says of which shapes the arrays are; for these the kernel is
 * written as a function of the language (cuda_c_index.c, cuda_c_tree.c): a `forall` over the
 * threads, whose flat subscripts are again those of a matrix. */
#ifndef FS_CUDA_C_H
#define FS_CUDA_C_H

#include "core/lang/ast.h"

enum { FS_C_RANK = 4, FS_C_OWN_DIMS = 3 };

enum fs_c_type { FS_C_BOOL, FS_C_I32, FS_C_I64, FS_C_F16, FS_C_BF16, FS_C_F32, FS_C_F64,
                 FS_C_VOID };

struct fs_c_name {
  const char *name;
  struct fs_span span;
  enum fs_c_type type;
  struct fs_expr *once;      /* of a local: the value that it always has; NULL: several */
  bool counts;               /* it counts a loop */
  bool shared;               /* by the threads of a block */
  int n_dims;                /* of an array of a thread's own, whose elements are [](a, i, j) */
  int64_t dim[FS_C_OWN_DIMS];
};

struct fs_c_param {
  const char *name;
  struct fs_span span;
  enum fs_c_type type;       /* of an element, if it is an array */
  bool array, reads, writes;
  int rank;                  /* as declared; 0: a pointer, whose subscripts are flat */
  struct fs_expr *dim[FS_C_RANK]; /* NULL: not said */
};

struct fs_c_kernel {
  const char *name;
  struct fs_span span, whole; /* of the name; of all of it */
  int n_params, n_locals;
  struct fs_c_param *params;
  struct fs_c_name *locals;
  struct fs_stmt *body;
};

/* Reads all kernels of a source into the arena; of those that are not called `only`, unless
 * that is NULL, no more than the names, so that one can be used beside others that are not
 * read. */
enum fs_status fs_c_read(struct fs_diags *diags, struct fs_arena *arena, uint32_t source,
                         const char *only, int *n, struct fs_c_kernel **out);

/* What a call gives for a parameter. */
struct fs_c_given {
  bool given;
  enum fs_c_type type;
  int rank;                  /* of an array */
  int64_t dim[FS_C_RANK];
  bool known;                /* a number of the host: `number` */
  double number;
};

/* A kernel for one kind of call: statements that use the given parameters by their names, and
 * return what the kernel writes. Its text and spans are the kernel's. */
enum fs_status fs_c_instance(struct fs_diags *diags, struct fs_arena *arena,
                             const struct fs_c_kernel *k, const struct fs_c_given *given,
                             struct fs_stmt **out);

#endif
