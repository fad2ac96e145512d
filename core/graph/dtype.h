/* dtype.h - element types, shapes, strided layouts. */
#ifndef FS_DTYPE_H
#define FS_DTYPE_H

#include "core/base/base.h"

enum fs_dtype {
#define FS_DTYPE(id, ...) FS_##id,
#include "core/graph/dtypes.def"
  FS_DTYPE_COUNT
};

enum fs_dtype_class { FS_DC_BOOL, FS_DC_INTEGER, FS_DC_FLOAT };

/* A row of dtypes.def, which says what the columns mean. */
struct fs_dtype_info {
  const char *name;
  uint8_t class;       /* enum fs_dtype_class                              */
  uint8_t bytes;       /* of an element                                    */
  uint8_t compute, sum, real;
  uint8_t digits;
  uint16_t power;
  uint8_t code;
  const char *npy, *doc;
  const char *cuda_stored, *cuda_value, *cuda_lowest, *cuda_highest;
};
extern const struct fs_dtype_info fs_dtypes[FS_DTYPE_COUNT];

static inline const char *fs_dtype_name(enum fs_dtype dt) { return fs_dtypes[dt].name; }
static inline size_t fs_dtype_size(enum fs_dtype dt) { return fs_dtypes[dt].bytes; }
bool fs_dtype_from_name(const char *name, enum fs_dtype *dt);

static inline bool fs_dtype_is_float(enum fs_dtype dt) {
  return fs_dtypes[dt].class == FS_DC_FLOAT;
}
static inline bool fs_dtype_is_integer(enum fs_dtype dt) {
  return fs_dtypes[dt].class == FS_DC_INTEGER;
}
/* Whether there are numbers below 0. */
static inline bool fs_dtype_is_signed(enum fs_dtype dt) {
  return fs_dtype_is_float(dt) ||
         (fs_dtype_is_integer(dt) && fs_dtypes[dt].digits < 8 * fs_dtypes[dt].bytes);
}

/* What arithmetic on chip is done in: f16 and bf16 compute in f32 and are
 * rounded back after every operation, so fusing never changes a result. */
static inline enum fs_dtype fs_dtype_compute(enum fs_dtype dt) {
  return (enum fs_dtype)fs_dtypes[dt].compute;
}
/* Whether elements are stored in another type than they are computed in. */
static inline bool fs_dtype_converts(enum fs_dtype dt) { return fs_dtype_compute(dt) != dt; }
/* Floats of 16 bits, of which a GPU computes two at once. */
static inline bool fs_dtype_is_half(enum fs_dtype dt) {
  return fs_dtype_is_float(dt) && fs_dtypes[dt].bytes == 2;
}
/* f32 and f64: floats that are computed in themselves, which is what libraries take. */
static inline bool fs_dtype_is_full(enum fs_dtype dt) {
  return fs_dtype_is_float(dt) && fs_dtypes[dt].compute == dt;
}
/* The type of sums and products of many elements. */
static inline enum fs_dtype fs_dtype_sum(enum fs_dtype dt) {
  return (enum fs_dtype)fs_dtypes[dt].sum;
}
/* The type of quotients and roots: a float's own; f32 of integers, f64 of i64 and u64. */
static inline enum fs_dtype fs_dtype_real(enum fs_dtype dt) {
  return (enum fs_dtype)fs_dtypes[dt].real;
}
/* The type of numbers: i32 of bool. */
static inline enum fs_dtype fs_dtype_number(enum fs_dtype dt) {
  return fs_dtypes[dt].class == FS_DC_BOOL ? FS_I32 : dt;
}

/* Of a small integer with a sign the one of its width without; any other type itself. */
enum fs_dtype fs_dtype_unsigned(enum fs_dtype dt);

/* The type of an operation on two tensors: the least that is above both in the
 * lattice of dtypes.def. f16 with bf16 gives f32; i64 with a float gives that float
 * (f16/bf16 stay), as i32 does. u64 with an integer that has a sign gives u64: its last bits. */
enum fs_dtype fs_dtype_promote(enum fs_dtype a, enum fs_dtype b);

/* Whether they are integers that no integer type holds: u64, and one with a sign. */
bool fs_dtype_are_apart(enum fs_dtype a, enum fs_dtype b);

/* Whether every value of type `from` is one of type `to`. */
bool fs_dtype_holds(enum fs_dtype to, enum fs_dtype from);

/* The least and the largest value of an integer type, of u64 as its bits; of others those of
 * i64. */
int64_t fs_dtype_least(enum fs_dtype dt);
int64_t fs_dtype_most(enum fs_dtype dt);
/* A whole number of the type, of u64 its bits, to the nearest double. */
double fs_dtype_real_of(enum fs_dtype dt, int64_t i);
/* A number as an integer type holds it: towards zero, the nearest end of the type
 * where it is beyond, 0 for NaN; as the targets convert elements. Of u64 its bits, of other
 * types as i64. */
int64_t fs_dtype_integer(enum fs_dtype dt, double x);
/* The integer of the type that has the same last bits. */
int64_t fs_dtype_wrap(enum fs_dtype dt, int64_t i);

/* Elements of f16 and bf16 as numbers, and back: to the nearest, ties to even. */
float fs_half_to_float(uint16_t h);
uint16_t fs_float_to_half(float f);
float fs_bf16_to_float(uint16_t h);
uint16_t fs_float_to_bf16(float f);
uint16_t fs_double_to_half(double x);
uint16_t fs_double_to_bf16(double x);
/* A number as a float type holds it, rounded once; of other types the number itself. */
double fs_dtype_round(enum fs_dtype dt, double x);

enum { FS_MAX_RANK = 6 };

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
 *   offset + sum over k of index[k] * stride[k],   all in elements.
 * A loose one (reach > 0) may say a place that is none of low ... low + reach - 1: then it is
 * the nearest of these, where nobody wants the element. */
struct fs_layout {
  int64_t offset;
  int64_t stride[FS_MAX_RANK];
  int64_t low, reach;
  int64_t per_rank; /* of a graph's inputs: so far behind `offset` with each rank (cut.c) */
};

/* How a storage is cut over ranks: along one axis, `part` indices a rank, of `extent` that there
 * are; the last ranks may have fewer or none. Offsets and strides of a cut storage are those of
 * the whole one, in which index i of the axis, among what is around it, is element
 *   outer * block * ranks + i * stride + inner,   inner < stride, part * stride <= block.
 * Rank r has indices r*part to (r+1)*part - 1 of it, at outer*block + (i - r*part)*stride + inner
 * of its own memory. */
struct fs_cut {
  int64_t part;   /* 0: not cut, all ranks have all of it */
  int64_t extent, stride, block;
  int64_t outer;  /* how many of what is around it there are */
};

/* The layout of newly allocated storage: row-major; when a row (the last
 * dimension) has 1 KiB or more its pitch is a multiple of 128 bytes, otherwise
 * rows are dense, so tall thin matrices do not grow. *count is the number of
 * elements to allocate, padding included (-1 on overflow). */
struct fs_layout fs_layout_new(enum fs_dtype dt, const struct fs_shape *shape,
                               int64_t *count);

/* A host number in both forms; which one counts is the dtype's business. Of u64 `i` has the
 * bits. */
struct fs_number {
  double f;
  int64_t i;
};

/* A real number, and where it fits in 63 bits the whole one towards 0; else 0. */
struct fs_number fs_number_of_real(double x);

/* An element in host memory as a number, and back. */
struct fs_number fs_element_get(enum fs_dtype dt, const void *element);
void fs_element_put(enum fs_dtype dt, void *element, struct fs_number number);

#endif
