/* dtype.h - element types, shapes, strided layouts. */
#ifndef FS_DTYPE_H
#define FS_DTYPE_H

#include "core/base/base.h"

/*      id    name    bytes  numpy   CUDA C type        rank in promotion */
#define FS_DTYPES(X)                                     \
  X(BOOL, "bool", 1, "|b1", "unsigned char", 0)          \
  X(I32,  "i32",  4, "<i4", "int",           1)          \
  X(I64,  "i64",  8, "<i8", "long long",     2)          \
  X(F16,  "f16",  2, "<f2", "unsigned short", 3)         \
  X(BF16, "bf16", 2, "",    "unsigned short", 3)         \
  X(F32,  "f32",  4, "<f4", "float",         4)          \
  X(F64,  "f64",  8, "<f8", "double",        5)

enum fs_dtype {
#define X(id, name, bytes, npy, cuda, rank) FS_##id,
  FS_DTYPES(X)
#undef X
  FS_DTYPE_COUNT
};

const char *fs_dtype_name(enum fs_dtype dt);
static inline size_t fs_dtype_size(enum fs_dtype dt) {
  static const uint8_t sizes[] = {
#define X(id, name, bytes, npy, cuda, rank) bytes,
      FS_DTYPES(X)
#undef X
  };
  return sizes[dt];
}
bool fs_dtype_from_name(const char *name, enum fs_dtype *dt);
static inline bool fs_dtype_is_float(enum fs_dtype dt) { return dt >= FS_F16; }

/* What arithmetic on chip is done in: f16 and bf16 compute in f32 and are
 * rounded back after every operation, so fusing never changes a result. */
static inline enum fs_dtype fs_dtype_compute(enum fs_dtype dt) {
  return dt == FS_F16 || dt == FS_BF16 ? FS_F32 : dt;
}

/* The type of an operation on two tensors: the higher rank wins; f16 with bf16
 * gives f32; i64 with a float gives that float (f16/bf16 stay), as i32 does. */
enum fs_dtype fs_dtype_promote(enum fs_dtype a, enum fs_dtype b);

/* A number as i32 or i64 holds it: towards zero, the nearest end of the type where it
 * is beyond, 0 for NaN; as the targets convert elements. */
int64_t fs_dtype_integer(enum fs_dtype dt, double x);

/* Elements of f16 and bf16 as numbers, and back: to the nearest, ties to even. */
float fs_half_to_float(uint16_t h);
uint16_t fs_float_to_half(float f);
float fs_bf16_to_float(uint16_t h);
uint16_t fs_float_to_bf16(float f);
uint16_t fs_double_to_half(double x);
uint16_t fs_double_to_bf16(double x);
/* A number as a float type holds it, rounded once; of other types the number itself. */
double fs_dtype_round(enum fs_dtype dt, double x);

enum { FS_MAX_RANK = 4 };

/* Extents of a value. rank 0 is a scalar; rank 1 is a column (n x 1). */
struct fs_shape {
  int rank;
  int64_t dim[FS_MAX_RANK];
};

/* The number of elements, or -1 if it overflows int64. */
int64_t fs_shape_count(const struct fs_shape *s);
bool fs_shape_equal(const struct fs_shape *a, const struct fs_shape *b);
/* dim[k], or 1 beyond the rank. */
static inline int64_t fs_shape_dim(const struct fs_shape *s, int k) {
  return k < s->rank ? s->dim[k] : 1;
}
/* "3x4", "5", "scalar" */
void fs_shape_print(const struct fs_shape *s, struct fs_str *out);

/* Where the elements of a value lie in its storage: element index
 *   offset + sum over k of index[k] * stride[k],   all in elements. */
struct fs_layout {
  int64_t offset;
  int64_t stride[FS_MAX_RANK];
};

/* The layout of newly allocated storage: row-major; when a row (the last
 * dimension) has 1 KiB or more its pitch is a multiple of 128 bytes, otherwise
 * rows are dense, so tall thin matrices do not grow. *count is the number of
 * elements to allocate, padding included (-1 on overflow). */
struct fs_layout fs_layout_new(enum fs_dtype dt, const struct fs_shape *shape,
                               int64_t *count);

/* A host number in both forms; which one counts is the dtype's business. */
struct fs_number {
  double f;
  int64_t i;
};

#endif
