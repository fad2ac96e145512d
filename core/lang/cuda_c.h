/* cuda_c.h - kernels in CUDA C and OpenCL C, read into the tree of the language.
 *
 *     __global__ void mv(const float *A, const float *x, float *y, int n) {
 *       int i = blockIdx.x*blockDim.x + threadIdx.x;
 *       float s = 0;
 *       for (int k = 0; k < n; k++) s += A[i*n + k]*x[k];
 *       y[i] = s;
 *     }
 *
 * A file is read once (cuda_c_lex.c, cuda_c_parse.c, cuda_c_stmt.c, cuda_c_file.c). What comes
 * of that are statements and expressions as the language has them, with the meaning of C:
 * subscripts count from 0, `/` of two integers cuts off. A call says of which shapes the arrays
 * are; for these the kernel is written as a function of the language (cuda_c_index.c,
 * cuda_c_tree.c): a `forall` over the threads, whose flat subscripts are again those of a
 * matrix. */
#ifndef FS_CUDA_C_H
#define FS_CUDA_C_H

#include "core/lang/ast.h"

enum { FS_C_RANK = 4, FS_C_OWN_DIMS = 3 };

/* In the order in which C takes them for both of an operation, small ones as I32. */
enum fs_c_type { FS_C_BOOL, FS_C_U8, FS_C_I8, FS_C_U16, FS_C_I16, FS_C_I32, FS_C_U32, FS_C_I64,
                 FS_C_F16, FS_C_BF16, FS_C_F32, FS_C_F64, FS_C_VOID };

struct fs_c_name {
  const char *name;
  struct fs_span span;
  enum fs_c_type type;
  struct fs_expr *once;      /* of a local: the value that it always has; NULL: several */
  bool counts;               /* it counts a loop */
  bool shared;               /* by the threads of a block */
  bool strided;              /* what a thread has of all that it strides over */
  int n_dims;                /* of an array of a thread's own, whose elements are [](a, i, j) */
  int64_t dim[FS_C_OWN_DIMS];
};

struct fs_c_param {
  const char *name;
  struct fs_span span;
  enum fs_c_type type;       /* of an element, if it is an array */
  bool array, reads, writes;
  int lanes;                 /* of the vectors that it points to, float4 *; 0: to numbers */
  int rank;                  /* as declared; 0: a pointer, whose subscripts are flat */
  struct fs_expr *dim[FS_C_RANK]; /* NULL: not said */
};

struct fs_c_own;
struct fs_c_kernel {
  const char *name;
  struct fs_span span, whole; /* of the name; of all of it */
  int n_params, n_locals;
  struct fs_c_param *params;
  struct fs_c_name *locals;
  struct fs_stmt *body;
  int64_t block[3];          /* threads of a block along each axis, where the text has them */
  int64_t part[3];           /* ... and of how many such a block does the work */
  bool bare[3];              /* idx, idy, idz stand in it, which no program declares */
  bool understood;           /* the body is read: always, but for one as it is written */
  const struct fs_c_own *own; /* as it is written: by parameter; NULL: it is only read */
  const char *text;          /* ... what a compiler takes */
  int axes;                  /* ... the last axis of threads that it names, from 1 */
  const char *why;           /* ... why the body is not read, with line and column */
};

/* What the text says of a parameter, for a call of the kernel as it is written. */
struct fs_c_own {
  char kind;                 /* 'f', 'i', 'u', 'b' (bool) */
  int bytes, lanes;          /* of a number; float4 has four lanes */
  bool is_const;             /* an array whose elements are */
};

/* Reads all kernels of a source into the arena; of those that are not called `only`, unless
 * that is NULL, no more than the names, so that one can be used beside others that are not
 * read. `block`: threads of a block along each axis, which the text leaves open; or NULL. */
enum fs_status fs_c_read(struct fs_diags *diags, struct fs_arena *arena, uint32_t source,
                         const char *only, const int64_t *block, int *n,
                         struct fs_c_kernel **out);

/* What a call gives for a parameter. */
struct fs_c_given {
  bool given;
  enum fs_c_type type;
  int rank;                  /* of an array */
  int64_t dim[FS_C_RANK];
  bool known;                /* a number of the host: `number` */
  double number;
};

/* The kernels of a source to be run as they are written (cuda_c_asis.c): their bodies are read as
 * well where that is possible, and that they are not is no error. `name`: of the file. */
enum fs_status fs_c_read_as_is(struct fs_diags *diags, struct fs_arena *arena, uint32_t source,
                               const char *name, const char *only, const int64_t *block,
                               int *n, struct fs_c_kernel **out);

/* Of a call of one kernel: how many threads there are, and what the call leaves open. */
struct fs_c_geometry {
  int64_t threads[3];        /* along each axis; 0: it is not asked for */
  int64_t blocks[3], of_block[3]; /* where blockIdx.x, threadIdx.x stand alone; else 0 */
  bool guarded[3];           /* a condition says how many of `threads` there are */
};
/* Fills the given[] that are not, as far as the kernel says: numbers, and shapes of arrays. */
enum fs_status fs_c_geometry(struct fs_diags *diags, struct fs_arena *arena,
                             const struct fs_c_kernel *k, struct fs_c_given *given,
                             struct fs_c_geometry *out);

/* A kernel for one kind of call: statements that use the given parameters by their names, and
 * return what the kernel writes. Its text and spans are the kernel's. */
enum fs_status fs_c_instance(struct fs_diags *diags, struct fs_arena *arena,
                             const struct fs_c_kernel *k, const struct fs_c_given *given,
                             struct fs_stmt **out);

#endif
