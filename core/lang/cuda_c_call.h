/* cuda_c_call.h - private to cuda_c*.c: a kernel and one kind of call of it. */
#ifndef FS_CUDA_C_CALL_H
#define FS_CUDA_C_CALL_H

#include "core/lang/cuda_c.h"

enum { FS_C_TERMS = 16, FS_C_FACTORS = 4, FS_C_SYMS = 64 };

/* A sum of k*s*s*...: of numbers, scalar parameters, counters and threads. */
struct fs_c_term {
  int64_t k;
  int n, sym[FS_C_FACTORS];  /* in order */
};
struct fs_c_poly {
  int n;
  struct fs_c_term term[FS_C_TERMS];
};

enum fs_c_sym_kind { FS_C_SCALAR, FS_C_COUNTER, FS_C_THREAD };
struct fs_c_sym {
  enum fs_c_sym_kind kind;
  const char *name;
  struct fs_span span;       /* where it is seen first */
  bool known;                /* SCALAR: `value`; THREAD: how many there are */
  int64_t value;
  const struct fs_expr *range; /* COUNTER: first, step, last */
};

/* A thread of which a condition says: it is at most `last`. */
struct fs_c_guard { int sym; struct fs_c_poly last; };

struct fs_c_access {
  const struct fs_expr *e;
  int param;
  bool write, guarded;
};

struct fs_c_array {
  bool known, flat;          /* flat: its subscripts are those of a vector of all elements */
  int rank;
  int64_t dim[FS_C_RANK];
};

struct fs_c_call {
  struct fs_diags *diags;
  struct fs_arena *arena;
  const struct fs_c_kernel *k;
  struct fs_c_given *given;
  struct fs_c_array *array;  /* by parameter */
  int n_syms;
  struct fs_c_sym sym[FS_C_SYMS];
  int depth, steps, ranges;  /* of what is being looked at: it may be long and nested */
  FS_VEC(struct fs_c_access) accesses;
  FS_VEC(struct fs_c_guard) guards;
};

/* An expression of whole numbers as such a sum; false: it is none. */
bool fs_c_poly_of(struct fs_c_call *c, const struct fs_expr *e, struct fs_c_poly *out);
/* a + k*b; false: it has too many terms. */
bool fs_c_poly_add(struct fs_c_poly *a, int64_t k, const struct fs_c_poly *b);
/* Between which numbers it is; false: that is not known. */
bool fs_c_range(struct fs_c_call *c, const struct fs_c_poly *p, int64_t *low, int64_t *high);
/* The same with the known scalar parameters as numbers. */
struct fs_c_poly fs_c_known(const struct fs_c_call *c, const struct fs_c_poly *p);
/* The subscripts, from 0, of an access in the array as it is shaped: as many as its rank. */
bool fs_c_subscripts(struct fs_c_call *c, const struct fs_expr *e, const struct fs_c_array *a,
                     struct fs_c_poly *out);
/* The parameter that an element is of. */
int fs_c_param(const struct fs_c_kernel *k, const struct fs_expr *e);

/* Finds what the call leaves open: scalar parameters, how many threads there are, the shapes
 * of what is written. */
enum fs_status fs_c_solve(struct fs_c_call *c);

#endif
