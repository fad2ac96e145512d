/* elem.h - the library of elementary functions (elemlib/NAME.elem).
 *
 * A file is a list of `key value` lines, then routines in braces on their own
 * lines. `define` says in the language what the function computes: it is what
 * calls trace to, so sgemv(A, p) and A*p give the same graph, and it is the
 * reference that the routines are checked against.
 *
 *   function gemv
 *   alias    sgemv
 *   doc      q = A*p: the dot product of every row of A with p
 *   args     A:tile, p:col
 *   result   row
 *   higher   map(i, reduce(+, j, A[i,j]*p[j]))
 *   nesting  2
 *   define   A*p
 *   flops    2
 *
 * Element types: tile (matrix tile), row (piece of a vector along the rows i),
 * col (piece along the columns j), vec (either), scalar. A function of the user
 * that is a routine (`:elem`, core/eval/elem_check.c) has others: each (one number of a tensor
 * of any shape), scalar, and small elements, 3x3 or 3:
 *
 *   function inv3
 *   doc      B = inv3(A): the inverse of every matrix of a stack
 *   args     A:3x3
 *   result   3x3
 *   types    f32, f64                 what it is compiled for
 *   threads  4                        of an instance
 *   scratch  9                        numbers that an instance has on chip
 *   flops    36                       of an instance
 *   compute block any {               `any`: for cuda and for c
 *     ...
 *   }
 *   load A block any as 6 {           how A comes on chip, and as what
 *     ...
 *   }
 *
 * The routines of one number, `impl N`, are one implementation: see
 * fs_elem_routine_of() in core/eval/elem.h.
 */
#ifndef FS_ELEM_H
#define FS_ELEM_H

#include "core/lang/ast.h"

struct fs_elem_param {
  const char *name, *type;
  int rank, dim[2];    /* of a small element: rank 1 or 2; else 0 */
  struct fs_span span; /* name and type                           */
};
struct fs_elem_routine {
  const char *kind;    /* "load", "compute", "store" */
  const char *arg;     /* load: the argument that it brings in, else NULL    */
  struct fs_elem_param chip; /* load, store: what the element is on chip where
                          `as` says it; else its type is NULL                */
  const char *level;   /* "thread", "block"          */
  const char *target;  /* "cuda", "c", "any"         */
  int impl;
  int threads;         /* of an instance; 0: as the function says */
  const char *text;
  int line;            /* of its first line          */
  struct fs_span span, head;
};

enum fs_elem_type {
  FS_ET_I32 = 1, FS_ET_I64 = 2, FS_ET_F32 = 4, FS_ET_F64 = 8
};

/* Keys whose values checks may have to point at. */
enum fs_elem_key {
  FS_EK_FUNCTION, FS_EK_ALIAS, FS_EK_DOC, FS_EK_ARGS, FS_EK_RESULT,
  FS_EK_HIGHER, FS_EK_NESTING, FS_EK_DEFINE, FS_EK_FLOPS, FS_EK_THREADS,
  FS_EK_TYPES, FS_EK_SCRATCH, FS_EK_NEUTRAL, FS_EK_COUNT
};
struct fs_elem {
  const char *name, *doc, *higher, *result, *threads;
  int nesting, flops;
  unsigned types;         /* of fs_elem_type: what routines are compiled for */
  int scratch;            /* numbers of an instance                          */
  const char *neutral;    /* of the operator of `higher reduce(op)`          */
  FS_VEC(const char *) aliases;
  FS_VEC(struct fs_span) alias_at; /* where each of them stands              */
  FS_VEC(struct fs_elem_param) params;
  FS_VEC(struct fs_elem_routine) routines;
  struct fs_elem_param result_type;
  struct fs_expr *define; /* parsed `define`; names are the params; or NULL  */
  struct fs_span span, key[FS_EK_COUNT];

  /* What fs_elem_check() of core/eval found out. */
  bool user;              /* defined in the session by :elem                 */
  bool native;            /* calls are calls of the routine                  */
  bool by_instance;       /* over small elements                             */
  int n_threads;          /* of an instance                                  */
  char reduce;            /* '+', '*', '<' min, '>' max, '|', '&', or 0: map */
};

/* Parses one file into `arena` (which must outlive the element; the lists are
 * complete and live there too, so nobody pushes to them). `function`, `doc`,
 * `args`, `result`, and `define` or a routine are required; `impl` is 1 when not given; lines
 * that begin with # are remarks; a routine ends at a line that is `}` alone,
 * without blanks before it. */
enum fs_status fs_elem_parse(struct fs_diags *diags, struct fs_arena *arena,
                             uint32_t source, struct fs_elem **out);

/* Whether how often a loop of a routine goes round may depend on its operands: it has
 * `while`, `do` or `goto`, a `for` that is left early, or one that does not count up to a
 * constant. */
bool fs_elem_goes_by_data(const struct fs_elem *elem, const char *routine);

#endif
