/* packed.h - matrices of library calls as BLAS wants them: packed copies of arrays, of floats or
 * of doubles, and the memory that one call takes for them. */
#ifndef FS_CPU_PACKED_H
#define FS_CPU_PACKED_H

#include "core/device/library.h"

/* A packed matrix of floats (wide = 0) or doubles (wide = 1), element (i, j) at
 * i*si + j*sj. */
struct fs_packed {
  void *data;
  int wide;
  int64_t si, sj;
};

/* What one call holds on to, freed at its end. */
struct fs_lib_scratch {
  void *blocks[8];
  int n;
  bool failed;
};

/* Room for `count` elements of `size` bytes; NULL, from which on s->failed, without memory. */
void *fs_lib_take(struct fs_lib_scratch *s, int64_t count, size_t size);
void fs_lib_drop(struct fs_lib_scratch *s);
/* FS_ERR_ENV: there was none for this call. */
enum fs_status fs_lib_no_memory(const struct fs_lib_call *c, struct fs_diags *d);

enum { FS_PACKED_TILE = 32 }; /* a side of the tiles in which matrices are copied */

/* Copies between an array and a packed matrix of its extents. */
void fs_pack(const struct fs_lib_array *a, const struct fs_packed *p);
void fs_unpack(const struct fs_lib_array *a, const struct fs_packed *p);
/* Result k of a call that has several. */
void fs_unpack_part(const struct fs_lib_call *c, int k, const struct fs_packed *p);
/* A column-major copy of `a` with `rows` >= a->dim[0] rows. */
struct fs_packed fs_packed_columns(struct fs_lib_scratch *s, const struct fs_lib_array *a,
                                   int wide, int64_t rows);
/* Room for a column-major m x n matrix. */
struct fs_packed fs_packed_new(struct fs_lib_scratch *s, int wide, int64_t m, int64_t n);
/* Every element of an array becomes v. */
void fs_lib_fill(const struct fs_lib_array *a, double v);

/* How BLAS may read or write `a` as it lies: 'R' row-major with *ld, 'C'
 * column-major, 0 not at all. */
char fs_blas_order(const struct fs_lib_array *a, int64_t *ld);

struct fs_blas_operand {
  void *ptr;
  char order; /* as by fs_blas_order() */
  int64_t ld;
};

/* The array itself where BLAS can use it, else a block for it: column-major for an
 * operand whose columns lie in lines, else row-major. */
struct fs_blas_operand fs_blas_operand(struct fs_lib_scratch *s, const struct fs_lib_array *a,
                                       int wide, bool is_result);

/* -- elements --------------------------------------------------------------- */

static inline double fs_lib_get(enum fs_dtype dt, const char *p) {
  switch (dt) {
#define FS_DTYPE_C(id, stored, value, number, ...)      \
  case FS_##id: {                                       \
    stored x = *(const stored *)p;                      \
    return (double)(number);                            \
  }
#include "core/graph/dtypes.def"
    default: return 0;
  }
}

static inline void fs_lib_put(enum fs_dtype dt, char *p, double f) {
  int64_t i = fs_dtype_integer(FS_I64, f);
  switch (dt) {
#define FS_DTYPE_C(id, stored, value, number, element) \
  case FS_##id: *(stored *)p = element; break;
#include "core/graph/dtypes.def"
    default: break;
  }
}

static inline char *fs_lib_at(const struct fs_lib_array *a, int64_t i, int64_t j) {
  return (char *)a->ptr + (i * a->stride[0] + j * a->stride[1]) *
                              (int64_t)fs_dtype_size(a->dtype);
}

static inline double fs_packed_get(const struct fs_packed *p, int64_t e) {
  return p->wide ? ((double *)p->data)[e] : ((float *)p->data)[e];
}

static inline void fs_packed_put(const struct fs_packed *p, int64_t e, double v) {
  if (p->wide)
    ((double *)p->data)[e] = v;
  else
    ((float *)p->data)[e] = (float)v;
}

#endif
