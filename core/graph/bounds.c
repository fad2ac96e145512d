/* bounds.c - between which numbers the elements of a value lie, as far as that follows
 * from how they are computed and from the params as they are now. An index list made of
 * ranges, as mod(8191*(1:256) + k, n) + 1, or of random numbers, as floor(n*rand(256)) + 1,
 * or clamped, as min(max(i, 1), n), needs no look at its elements: the host then never
 * waits for the device to be told that they are good. Nor does a stored list, or a part of
 * it, that was looked at before: a permutation, the columns of a sparse matrix.
 *
 * Interval arithmetic: every operation here is monotone in each operand, and so is
 * rounding, so that the bounds of a result are those of the corners, rounded as the device
 * rounds. (One operation on two floats in double, then rounded to float, is rounded
 * correctly: 53 bits are more than twice 24 and 2.)
 */
#include <math.h>

#include "core/graph/internal.h"

enum { MOST_LOOKS = 64 }; /* nodes; a list that needs more is looked at as any other */

static const double WHOLE_F32 = 0x1p24, WHOLE_F64 = 0x1p53; /* as far all are held */

struct bounds {
  bool known;    /* false: may be anything, NaN too         */
  bool whole;    /* nothing but whole numbers               */
  double lo, hi;
};

struct look {
  const struct fs_graph *g;
  int left;
  bool changes;  /* a param was looked at that may be another one the next time */
};

static struct bounds bounds_of(struct look *l, fs_id id);

static double of_most(enum fs_dtype dt) { return fs_dtype_real_of(dt, fs_dtype_most(dt)); }

/* What a value may be of which nothing is known but its type. */
static struct bounds of_type(enum fs_dtype dt) {
  if (fs_dtype_is_float(dt)) return (struct bounds){0};
  if (dt == FS_BOOL) return (struct bounds){true, true, 0, 1};
  return (struct bounds){true, true, (double)fs_dtype_least(dt), of_most(dt)};
}

static bool is_single(struct bounds b) {
  return b.known && b.lo == b.hi;
}

/* As the type holds them; nothing where they overflow, or a double does not hold them. */
static struct bounds rounded(enum fs_dtype dt, struct bounds b) {
  double most = fmax(fabs(b.lo), fabs(b.hi));
  bool wraps = b.lo < (double)fs_dtype_least(dt) || b.hi > of_most(dt);
  if (fs_dtype_is_integer(dt)) return most < WHOLE_F64 && !wraps ? b : of_type(dt);
  if (dt == FS_F64) return most <= WHOLE_F64 ? b : of_type(dt);
  if (dt != FS_F32) return of_type(dt);
  b.lo = (float)b.lo;
  b.hi = (float)b.hi;
  return isfinite(b.lo) && isfinite(b.hi) ? b : of_type(dt);
}

static struct bounds of_corners(enum fs_map_op op, struct bounds a, struct bounds b) {
  struct bounds out = {a.known && b.known, a.whole && b.whole, INFINITY, -INFINITY};
  for (int k = 0; k < 4 && out.known; k++) {
    double x = k & 1 ? a.hi : a.lo, y = k & 2 ? b.hi : b.lo;
    double z = op == FS_OP_ADD   ? x + y
               : op == FS_OP_SUB ? x - y
               : op == FS_OP_MUL ? x * y
               : op == FS_OP_DIV ? x / y
               : op == FS_OP_MIN ? fmin(x, y)
                                 : fmax(x, y);
    out.lo = fmin(out.lo, z);
    out.hi = fmax(out.hi, z);
  }
  return out;
}

/* x over something positive. */
static struct bounds of_quotient(enum fs_dtype dt, struct bounds x, struct bounds by) {
  if (!x.known || !by.known || !(by.lo > 0)) return of_type(dt);
  struct bounds out = of_corners(FS_OP_DIV, x, by);
  out.whole = false;
  return rounded(dt, out);
}

/* x modulo something positive. */
static struct bounds of_mod(enum fs_dtype dt, struct bounds x, struct bounds by) {
  bool exact = !fs_dtype_is_float(dt) || by.hi <= WHOLE_F32;
  if (!x.known || !by.known || !x.whole || !by.whole || by.lo < 1 || !exact)
    return of_type(dt);
  if (x.lo >= 0 && x.hi < by.lo) return x;
  return (struct bounds){true, true, 0, by.hi - 1};
}

static struct bounds of_cast(enum fs_dtype from, enum fs_dtype to, struct bounds x) {
  if (!x.known || to == FS_BOOL) return of_type(to);
  if (!fs_dtype_is_float(to) && fs_dtype_is_float(from)) {
    x.lo = trunc(x.lo);
    x.hi = trunc(x.hi);
    x.whole = true;
  }
  return rounded(to, x);
}

static struct bounds of_whole(enum fs_map_op op, struct bounds x) {
  double (*f)(double) = op == FS_OP_FLOOR   ? floor
                        : op == FS_OP_CEIL  ? ceil
                        : op == FS_OP_ROUND ? rint
                                            : trunc;
  return (struct bounds){x.known, true, f(x.lo), f(x.hi)};
}

/* The lesser or the greater of two: one of them, so that nothing is rounded. */
static struct bounds of_choice(enum fs_dtype dt, enum fs_map_op op, struct bounds a,
                               struct bounds b) {
  struct bounds x = of_corners(op, a, b);
  if (!x.known) return of_type(dt);
  return fs_dtype_is_float(dt) ? rounded(dt, x) : x;
}

static struct bounds of_map(struct look *l, const struct fs_node *nd) {
  struct bounds s[FS_MOST_SRC] = {{0}}, x;
  for (int k = 0; k < nd->n_src && k < 3; k++) s[k] = bounds_of(l, nd->src[k]);
  switch ((enum fs_map_op)nd->op) {
    case FS_OP_MIN: case FS_OP_MAX:
      return of_choice(nd->dtype, (enum fs_map_op)nd->op, s[0], s[1]);
    case FS_OP_CLAMP:
      x = of_choice(nd->dtype, FS_OP_MIN, s[0], s[2]);
      return of_choice(nd->dtype, FS_OP_MAX, s[1], x);
    case FS_OP_ADD: case FS_OP_SUB: case FS_OP_MUL:
      x = of_corners((enum fs_map_op)nd->op, s[0], s[1]);
      return x.known ? rounded(nd->dtype, x) : of_type(nd->dtype);
    case FS_OP_SQUARE: return rounded(nd->dtype, of_corners(FS_OP_MUL, s[0], s[0]));
    case FS_OP_DIV: return of_quotient(nd->dtype, s[0], s[1]);
    case FS_OP_MOD: return of_mod(nd->dtype, s[0], s[1]);
    case FS_OP_NEG: return rounded(nd->dtype, (struct bounds){s[0].known, s[0].whole,
                                                              -s[0].hi, -s[0].lo});
    case FS_OP_FLOOR: case FS_OP_CEIL: case FS_OP_ROUND: case FS_OP_TRUNC:
      return of_whole((enum fs_map_op)nd->op, s[0]);
    case FS_OP_CAST: return of_cast(fs_node(l->g, nd->src[0])->dtype, nd->dtype, s[0]);
    case FS_OP_WHERE:
      return (struct bounds){s[1].known && s[2].known, s[1].whole && s[2].whole,
                             fmin(s[1].lo, s[2].lo), fmax(s[1].hi, s[2].hi)};
    default: return of_type(nd->dtype);
  }
}

/* start + step*index; where all of it is whole, nothing is rounded. */
static struct bounds of_iota(struct look *l, const struct fs_node *nd) {
  struct bounds start = bounds_of(l, nd->src[0]), step = bounds_of(l, nd->src[1]), out;
  double first = (double)nd->rand_base, last = first;
  for (int k = 0; k < nd->shape.rank; k++) {
    double way = (double)nd->rand_stride[k] * (double)(nd->shape.dim[k] - 1);
    first += fmin(way, 0);
    last += fmax(way, 0);
  }
  if (!is_single(start) || !is_single(step) || !start.whole || !step.whole)
    return of_type(nd->dtype);
  out = of_corners(FS_OP_MUL, step, (struct bounds){true, true, first, last});
  out = of_corners(FS_OP_ADD, start, out);
  double most = fmax(fabs(out.lo), fabs(out.hi));
  if (most > (nd->dtype == FS_F64 ? WHOLE_F64 : WHOLE_F32) && fs_dtype_is_float(nd->dtype))
    return of_type(nd->dtype);
  return rounded(nd->dtype, out);
}

static struct bounds of_param(struct look *l, const struct fs_node *nd) {
  const struct fs_number *v = &l->g->params.data[nd->slot];
  double x = fs_dtype_is_float(nd->dtype) ? v->f : (double)v->i;
  l->changes |= l->g->literals.data[nd->slot] < 0;
  if (!isfinite(x)) return of_type(nd->dtype);
  return rounded(nd->dtype, (struct bounds){true, x == floor(x), x, x});
}

static struct bounds of_input(const struct fs_graph *g, const struct fs_node *nd) {
  int64_t to = g->inputs.data[nd->slot].known.list_to;
  return to > 0 ? (struct bounds){true, true, 1, (double)to} : of_type(nd->dtype);
}

/* Positions of what is true, and of where something stands in a list, if at all; what is
 * only moved is as it was. */
static struct bounds of_library(struct look *l, const struct fs_node *nd) {
  double n = nd->n_src ? (double)fs_shape_count(&fs_node(l->g, nd->src[0])->shape) : 0;
  switch (nd->op) {
    case FS_LIB_FIND: return rounded(nd->dtype, (struct bounds){true, true, 1, n});
    case FS_LIB_INVERT: return rounded(nd->dtype, (struct bounds){true, true, 0, n});
    case FS_LIB_ARGSORT:
      n = (double)fs_shape_dim(&nd->lib_shape[0], nd->lib_flags & FS_LIB_AXIS);
      return rounded(nd->dtype, (struct bounds){true, true, 1, n});
    case FS_LIB_GATHER: case FS_LIB_RESHAPE: case FS_LIB_CUMMAX: case FS_LIB_CUMMIN:
    case FS_LIB_SORT:
      return bounds_of(l, nd->src[0]);
    default: return of_type(nd->dtype);
  }
}

static struct bounds bounds_of(struct look *l, fs_id id) {
  const struct fs_node *nd = fs_node(l->g, id);
  if (l->left-- <= 0) return of_type(nd->dtype);
  switch (nd->kind) {
    case FS_ND_INPUT: return of_input(l->g, nd);
    case FS_ND_PARAM: return of_param(l, nd);
    case FS_ND_IOTA: return of_iota(l, nd);
    case FS_ND_RAND: /* never 1 */
      if (!fs_dtype_is_full(nd->dtype)) return of_type(nd->dtype);
      return (struct bounds){true, false, 0, 1 - ldexp(1, -fs_dtypes[nd->dtype].digits)};
    case FS_ND_VIEW: return bounds_of(l, nd->src[0]);
    case FS_ND_MAP: return nd->user ? of_type(nd->dtype) : of_map(l, nd);
    case FS_ND_LIB: return of_library(l, nd);
    default: return of_type(nd->dtype);
  }
}

bool fs_graph_is_list(const struct fs_graph *g, fs_id list, int64_t extent) {
  struct look l = {g, MOST_LOOKS, false};
  struct bounds b = bounds_of(&l, list);
  return b.known && b.whole && b.lo >= 1 && b.hi <= (double)extent;
}

bool fs_graph_fits(const struct fs_graph *g, fs_id reduction) {
  const struct fs_node *nd = fs_node(g, reduction), *src = fs_node(g, nd->src[0]);
  struct look l = {g, MOST_LOOKS, false};
  struct bounds b = bounds_of(&l, nd->src[0]);
  const double room = 0x1p30; /* as far as numbers move that slices go by */
  double most = fmax(fabs(b.lo), fabs(b.hi)), count = 1;
  for (int k = 0; k < src->shape.rank; k++)
    if (nd->axes >> k & 1) count *= (double)src->shape.dim[k];
  double all = nd->op == FS_RD_PROD ? pow(most, count) : most * count;
  return b.known && all < 0x1p63 / (l.changes ? room : 1) && (b.lo >= 0 || nd->dtype != FS_U64);
}

bool fs_graph_product_fits(const struct fs_graph *g, fs_id product) {
  const struct fs_node *nd = fs_node(g, product);
  struct look l = {g, MOST_LOOKS, false};
  struct bounds a = bounds_of(&l, nd->src[0]), b = bounds_of(&l, nd->src[1]);
  struct bounds all = of_corners(FS_OP_MUL, a, b);
  return all.known && fmax(fabs(all.lo), fabs(all.hi)) < 0x1p63 &&
         (all.lo >= 0 || nd->dtype != FS_U64);
}

/* -- signs ------------------------------------------------------------------------ */

static bool is_unsigned(struct look *l, fs_id id);

static bool is_unsigned_map(struct look *l, const struct fs_node *nd) {
  const fs_id *s = nd->src;
  switch ((enum fs_map_op)nd->op) {
    case FS_OP_SQUARE: case FS_OP_ABS: case FS_OP_EXP: return true;
    case FS_OP_MUL:
      if (s[0] == s[1]) return true; /* fall through */
    case FS_OP_ADD: case FS_OP_DIV: case FS_OP_MAX: case FS_OP_MIN:
      return is_unsigned(l, s[0]) && is_unsigned(l, s[1]);
    case FS_OP_COPY: case FS_OP_SQRT: return is_unsigned(l, s[0]);
    case FS_OP_CAST:
      return fs_dtype_is_float(fs_node(l->g, s[0])->dtype) && is_unsigned(l, s[0]);
    case FS_OP_WHERE: return is_unsigned(l, s[1]) && is_unsigned(l, s[2]);
    default: return false;
  }
}

static bool is_unsigned(struct look *l, fs_id id) {
  const struct fs_node *nd = fs_node(l->g, id);
  if (l->left-- <= 0 || !fs_dtype_is_float(nd->dtype)) return false;
  switch (nd->kind) {
    case FS_ND_PARAM:
      return l->g->literals.data[nd->slot] >= 0 && !signbit(l->g->params.data[nd->slot].f);
    case FS_ND_RAND: return true;
    case FS_ND_VIEW: return is_unsigned(l, nd->src[0]);
    case FS_ND_REDUCE: return nd->op == FS_RD_SUM && is_unsigned(l, nd->src[0]);
    case FS_ND_MAP: return !nd->user && is_unsigned_map(l, nd);
    default: return false;
  }
}

bool fs_graph_is_unsigned(const struct fs_graph *g, fs_id value) {
  struct look l = {g, MOST_LOOKS, false};
  return is_unsigned(&l, value);
}
