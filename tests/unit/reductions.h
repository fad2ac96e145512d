/* reductions.h - the table of reductions as an evaluator: what a state begins with, and how
 * two are merged, in double precision, and in integers that wrap. */
#ifndef FS_TESTS_REDUCTIONS_H
#define FS_TESTS_REDUCTIONS_H

#include <float.h>
#include <math.h>
#include <string.h>

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
#define FS_STATE_OP(...)
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
#define FS_STATE_OP(...)
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
#define FS_STATE_OP(...)
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
#define FS_STATE_OP(...)
static inline struct ref_spot_int ref_merge_spot_int(enum fs_reduce_op op, struct ref_spot_int a,
                                                     struct ref_spot_int b) {
  switch (op) {
#include "core/graph/reductions.def"
    default: return a;
  }
}
#undef fs_is_before

/* States with fields: what n elements give, joined one by one to two states that are merged. */
#define T double
#define fs_max(p, q) ((p) != (p) || (p) > (q) ? (p) : (q))
#define fs_finite(x) ((x) > DBL_MAX ? DBL_MAX : (x))
#define fs_power_of_e exp
#define fs_log_of log
#define FS_REDUCE_OP(...)
#define FS_SPOT_OP(...)
#define FS_STATE_OP(id, name, types, result, first_, functor, words, fields, join, merge, \
                    finish, ...)                                                          \
  static inline double ref_##functor(double begin, const double *of, int64_t n) {         \
    struct state { fields; } s = {0}, t = {0};                                            \
    memcpy(&s, &begin, sizeof begin);                                                     \
    t = s;                                                                                \
    for (int64_t k = 0; k < n / 2; k++) { double x = of[k]; join; }                       \
    { struct state swapped = s; s = t; t = swapped; }                                     \
    for (int64_t k = n / 2; k < n; k++) { double x = of[k]; join; }                       \
    merge;                                                                                \
    return finish;                                                                        \
  }
#include "core/graph/reductions.def"
#define FS_REDUCE_OP(...)
#define FS_SPOT_OP(...)
#define FS_STATE_OP(id, name, types, result, first, functor, ...) \
  case FS_RD_##id: return ref_##functor(begin, of, n);
static inline double ref_reduce_state(enum fs_reduce_op op, const double *of, int64_t n) {
  double begin = fs_reduce_ops[op].first == FS_FIRST_LEAST ? -DBL_MAX : 0;
  switch (op) {
#include "core/graph/reductions.def"
    default: return NAN;
  }
}
#undef T
#undef fs_max
#undef fs_finite
#undef fs_power_of_e
#undef fs_log_of

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
