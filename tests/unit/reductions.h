/* reductions.h - the table of reductions as an evaluator: what a state begins with, and how
 * two are merged, in double precision, and in integers that wrap. */
#ifndef FS_TESTS_REDUCTIONS_H
#define FS_TESTS_REDUCTIONS_H

#include <math.h>

#include "core/graph/graph.h"

#define REF_B(x) ((x) != 0) /* masks are merged as truths, numbers as what they are */
#define REF_N(x) (x)
#define FS_REDUCE_OP(id, name, types, result, first, functor, merge, ...) \
  case FS_RD_##id: {                                                      \
    __typeof__(REF_##types(x)) a = REF_##types(x), b = REF_##types(y);    \
    x = (__typeof__(x))(merge);                                           \
    break;                                                                \
  }

#define fs_max(p, q) ((p) != (p) || (p) > (q) ? (p) : (q))
#define fs_min(p, q) ((p) != (p) || (p) < (q) ? (p) : (q))
static inline double ref_merge(enum fs_reduce_op op, double x, double y) {
  switch (op) {
#define FS_SPOT_OP(...)
#include "core/graph/reductions.def"
    default: break;
  }
  return x;
}
#undef fs_max
#undef fs_min

#define fs_max(p, q) ((int64_t)(p) > (int64_t)(q) ? (p) : (q))
#define fs_min(p, q) ((int64_t)(p) < (int64_t)(q) ? (p) : (q))
#define FS_REDUCE_OP(id, name, types, result, first, functor, merge, ...) \
  case FS_RD_##id: {                                                      \
    __typeof__(REF_##types(x)) a = REF_##types(x), b = REF_##types(y);    \
    x = (__typeof__(x))(merge);                                           \
    break;                                                                \
  }
static inline uint64_t ref_merge_int(enum fs_reduce_op op, uint64_t x, uint64_t y) {
  switch (op) {
#define FS_SPOT_OP(...)
#include "core/graph/reductions.def"
    default: break;
  }
  return x;
}
#undef fs_max
#undef fs_min

/* Spots: a value and its place, in either arithmetic. */
struct ref_spot {
  double value;
  int64_t at;
};
struct ref_spot_int {
  int64_t value, at;
};
#define fs_is_before(p, q)                                            \
  ((q).value != (q).value ? (p).value == (p).value || (q).at < (p).at \
                          : (q).value == (p).value && (q).at < (p).at)
#define FS_REDUCE_OP(...)
#define FS_SPOT_OP(id, name, types, result, first, functor, merge, ...) \
  case FS_RD_##id: return merge;
static inline struct ref_spot ref_merge_spot(enum fs_reduce_op op, struct ref_spot a,
                                             struct ref_spot b) {
  switch (op) {
#include "core/graph/reductions.def"
    default: return a;
  }
}
#define FS_REDUCE_OP(...)
#define FS_SPOT_OP(id, name, types, result, first, functor, merge, ...) \
  case FS_RD_##id: return merge;
static inline struct ref_spot_int ref_merge_spot_int(enum fs_reduce_op op, struct ref_spot_int a,
                                                     struct ref_spot_int b) {
  switch (op) {
#include "core/graph/reductions.def"
    default: return a;
  }
}
#undef fs_is_before

/* What a state of type dt begins with. */
static inline double ref_first(enum fs_reduce_op op, enum fs_dtype dt) {
  enum fs_first first = fs_reduce_ops[op].first;
  bool high = first == FS_FIRST_HIGHEST;
  if (first <= FS_FIRST_ONE) return first == FS_FIRST_ONE;
  if (dt == FS_I32) return high ? INT32_MAX : INT32_MIN;
  if (dt == FS_I64) return (double)(high ? INT64_MAX : INT64_MIN);
  return high ? INFINITY : -INFINITY;
}

#endif
