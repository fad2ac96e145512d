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
 *   threads  32x8                     threads of one instance (block level)
 *   compute block cuda impl 1 {
 *     ...CUDA C on the access macros of elemlib/README.md...
 *   }
 *
 * Element types: tile (matrix tile), row (piece of a vector along the rows i),
 * col (piece along the columns j), vec (either), scalar.
 */
#ifndef FS_ELEM_H
#define FS_ELEM_H

#include "core/lang/ast.h"

struct fs_elem_param {
  const char *name, *type;
};
struct fs_elem_routine {
  const char *kind;    /* "load", "compute", "store" */
  const char *level;   /* "thread", "block"          */
  const char *target;  /* "cuda", "c"                */
  int impl;
  const char *text;
  struct fs_span span;
};
struct fs_elem {
  const char *name, *doc, *higher, *result, *threads;
  int nesting, flops;
  FS_VEC(const char *) aliases;
  FS_VEC(struct fs_elem_param) params;
  FS_VEC(struct fs_elem_routine) routines;
  struct fs_expr *define; /* parsed `define`; names are the params */
  struct fs_span span;
};

/* Parses one file into `arena` (which must outlive the element; the lists are
 * complete and live there too, so nobody pushes to them). `function`, `doc`,
 * `args`, `result` and `define` are required; `impl` is 1 when not given; lines
 * that begin with # are remarks; a routine ends at a line that is `}` alone,
 * without blanks before it. */
enum fs_status fs_elem_parse(struct fs_diags *diags, struct fs_arena *arena,
                             uint32_t source, struct fs_elem **out);

#endif
