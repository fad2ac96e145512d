/* lift_lane.c - expressions of a nest, for all of its rounds at once: see lift_lane.h. */
#include "core/eval/lift_lane.h"

#include <math.h>

/* Whole numbers of the host are those that are exact in double precision. */
static const double LARGEST_INT = 0x1p53;

/* -- arrays ------------------------------------------------------------------- */

struct fs_lift_array *fs_lift_array(struct fs_lift_tracer *t, const char *name) {
  for (int k = 0; k < t->arrays.len; k++)
    if (!strcmp(t->arrays.data[k].name, name)) return &t->arrays.data[k];
  struct fs_val v;
  struct fs_lift_array a = {.name = name};
  if (!fs_lookup(t->in, name, &v)) return NULL;
  t->st = fs_tv_of(t->in, &v, t->in->span, NULL, &a.tv);
  fs_val_unref(v);
  if (t->st != FS_OK) return NULL;
  struct fs_lift_array *out = FS_PUSH(&t->arrays);
  *out = a;
  return out;
}

struct fs_view fs_lift_view(const struct fs_lift_nest *n, const struct fs_lift_access *a,
                            const struct fs_range *rounds, struct fs_shape *shape) {
  const struct fs_lift_item *it = &n->items.data[a->item];
  int place[FS_LIFT_DEPTH], rank = 0, s = 0;
  *shape = (struct fs_shape){.rank = FS_LIFT_DEPTH};
  for (int l = 0; l < FS_LIFT_DEPTH; l++) {
    bool used = false;
    for (int d = 0; d < a->shape.rank; d++) used |= a->sub[d].k[l] != 0;
    shape->dim[l] = used ? n->loops.data[it->loops[l]].count : 1;
    if (used && rounds) shape->dim[l] = rounds[l].last - rounds[l].first + 1;
    place[l] = shape->dim[l] > 1 ? rank++ : -1;
  }
  struct fs_view v = {0};
  for (int d = 0; d < a->shape.rank; d++) {
    if (a->shape.dim[d] == 1) continue;
    v.axis[s] = -1;
    v.off[s] = a->sub[d].c;
    for (int l = 0; l < FS_LIFT_DEPTH && rounds; l++)
      v.off[s] += a->sub[d].k[l] * rounds[l].first;
    for (int l = 0; l < FS_LIFT_DEPTH; l++)
      if (place[l] >= 0 && a->sub[d].k[l]) {
        v.axis[s] = (int8_t)place[l];
        v.step[s] = a->sub[d].k[l];
      }
    s++;
  }
  v.src_rank = s;
  return v;
}

/* -- numbers of the host as tensors ------------------------------------------------ */

static bool is_whole(const struct fs_lane *a) { return a->last.kind != FS_SC_REAL; }

struct fs_tv fs_lift_counted(struct fs_lift_tracer *t, const struct fs_affine *a) {
  const struct fs_lift_item *it = &t->n->items.data[t->at];
  struct fs_tv out = {0};
  bool any = false;
  for (int l = 0; l < it->depth; l++) {
    int64_t n = t->n->loops.data[it->loops[l]].count;
    if (!a->k[l] || n == 1) continue;
    struct fs_tv part = fs_tv_iota(t->in, FS_I64, n, any ? 0 : (double)a->c, (double)a->k[l]);
    part.shape = (struct fs_shape){FS_LIFT_DEPTH, {1, 1, 1, 1}};
    part.shape.dim[l] = n;
    out = any ? fs_tv_map2(t->in, FS_OP_ADD, out, part) : part;
    any = true;
  }
  return any ? out : fs_tv_number(t->in, (double)a->c, FS_I64);
}

/* -- numbers as tensors --------------------------------------------------------------- */

static struct fs_tv count_tv(struct fs_lift_tracer *t, const struct fs_lane *a) {
  return a->affine.known ? fs_lift_counted(t, &a->affine) : a->tv;
}

struct fs_tv fs_lane_tv(struct fs_lift_tracer *t, const struct fs_lane *a) {
  if (a->kind == FS_LANE_TENSOR) return a->tv;
  if (a->kind == FS_LANE_COUNT) return count_tv(t, a);
  bool whole = a->number.kind == FS_V_NUMBER && a->number.is_int;
  enum fs_dtype dt = a->number.kind == FS_V_BOOL ? FS_BOOL : whole ? FS_I64 : FS_F64;
  return fs_tv_number(t->in, a->number.number, dt);
}

struct fs_lane fs_lane_measured(const struct fs_lane *like, struct fs_tv tv) {
  struct fs_lane out = *like;
  out.kind = FS_LANE_COUNT;
  out.tv = tv;
  out.affine = (struct fs_affine){0};
  out.measured = true;
  return out;
}

/* The type of a number beside a tensor, where that is one type in all rounds. */
static bool type_beside(const struct fs_lane *a, enum fs_dtype like, enum fs_dtype *out) {
  struct fs_val low = fs_val_number(a->least, a->last.kind == FS_SC_INT);
  struct fs_val high = fs_val_number(a->most, a->last.kind == FS_SC_INT);
  if (a->last.kind == FS_SC_BOOL) low = high = fs_val_bool(true);
  *out = fs_number_type(&low, like);
  struct fs_val zero = fs_val_number(0, true);
  if (*out != fs_number_type(&high, like)) return false;
  if (a->least < 0 && a->most > 0 && a->last.kind == FS_SC_INT && *out != fs_number_type(&zero, like))
    return false;
  const double once = 0x1p24; /* up to here f32, through which halves are converted, is exact */
  return !fs_dtype_is_half(*out) ||
         (is_whole(a) && fabs(a->least) <= once && fabs(a->most) <= once);
}

bool fs_lane_beside(struct fs_lift_tracer *t, const struct fs_lane *a, const enum fs_dtype *like,
                    struct fs_tv *out) {
  enum fs_dtype dt;
  if (a->kind == FS_LANE_TENSOR) {
    *out = a->tv;
    return true;
  }
  if (a->kind == FS_LANE_NUMBER)
    return fs_tv_of(t->in, &a->number, t->in->span, like, out) == FS_OK;
  if (!type_beside(a, like ? *like : FS_F32, &dt)) return false;
  *out = fs_tv_cast(t->in, count_tv(t, a), dt);
  return true;
}

/* -- numbers of the host, computed on the device -------------------------------------- */

static struct fs_lane count_of(const struct fs_lane *a) {
  struct fs_lane out = *a;
  if (a->kind == FS_LANE_COUNT) return out;
  out.last = fs_scalar_of(&a->number);
  out.least = out.most = a->number.number;
  bool small = out.last.kind == FS_SC_INT && fabs(out.least) <= FS_LIFT_MOST;
  out.affine = small ? fs_lift_constant((int64_t)out.least) : (struct fs_affine){0};
  return out;
}

static void widen(double x, struct fs_lane *out) {
  out->least = fmin(out->least, x);
  out->most = fmax(out->most, x);
}

/* Between what the result is, as far as that is known. */
static void bound(enum fs_map_op op, const struct fs_lane *a, struct fs_lane *out) {
  out->least = INFINITY;
  out->most = -INFINITY;
  switch (op) {
    case FS_OP_ADD: widen(a[0].least + a[1].least, out); widen(a[0].most + a[1].most, out); break;
    case FS_OP_SUB: widen(a[0].least - a[1].most, out); widen(a[0].most - a[1].least, out); break;
    case FS_OP_MUL:
      widen(a[0].least * a[1].least, out); widen(a[0].least * a[1].most, out);
      widen(a[0].most * a[1].least, out); widen(a[0].most * a[1].most, out);
      break;
    case FS_OP_NEG: widen(-a[0].least, out); widen(-a[0].most, out); break;
    case FS_OP_ABS:
      widen(0, out); widen(fabs(a[0].least), out); widen(fabs(a[0].most), out);
      break;
    case FS_OP_DIV: /* by a number */
      if (a[1].least != a[1].most || a[1].least == 0) break;
      widen(a[0].least / a[1].least, out); widen(a[0].most / a[1].least, out);
      break;
    case FS_OP_MOD: /* of a number */
      if (a[1].least == a[1].most && a[1].least != 0) widen(0, out), widen(a[1].least, out);
      break;
    case FS_OP_MIN:
    case FS_OP_MAX:
      for (int k = 0; k < 2; k++) widen(a[k].least, out), widen(a[k].most, out);
      break;
    case FS_OP_WHERE:
      for (int k = 1; k < 3; k++) widen(a[k].least, out), widen(a[k].most, out);
      break;
    case FS_OP_FLOOR: case FS_OP_CEIL: case FS_OP_ROUND: case FS_OP_TRUNC:
      widen(floor(a[0].least), out); widen(ceil(a[0].most), out);
      break;
    default: break;
  }
  bool known = out->least <= out->most && isfinite(out->least) && isfinite(out->most);
  if (!known) out->least = -INFINITY, out->most = INFINITY;
}

/* The result as a sum of counters, if it is one. */
struct fs_affine fs_lane_affine(enum fs_map_op op, const struct fs_lane *a) {
  const struct fs_affine *x = &a[0].affine, *y = op == FS_OP_NEG ? x : &a[1].affine;
  struct fs_affine none = {0}, out;
  bool sum = op == FS_OP_ADD || op == FS_OP_SUB || op == FS_OP_NEG || op == FS_OP_MUL;
  if (!sum || !x->known || !y->known) return none;
  bool x_one = true, y_one = true;
  for (int l = 0; l < FS_LIFT_DEPTH; l++) x_one &= !x->k[l], y_one &= !y->k[l];
  if (op == FS_OP_MUL && !x_one && !y_one) return none;
  int64_t p = op == FS_OP_NEG ? -1 : 1, q = op == FS_OP_ADD ? 1 : op == FS_OP_SUB ? -1 : 0;
  if (op == FS_OP_MUL) p = x_one ? 0 : y->c, q = x_one ? x->c : 0;
  out = fs_lift_constant(p * x->c + q * y->c);
  for (int l = 0; l < FS_LIFT_DEPTH; l++) {
    out.k[l] = p * x->k[l] + q * y->k[l];
    out.known &= out.k[l] >= -FS_LIFT_MOST && out.k[l] <= FS_LIFT_MOST;
  }
  return out.known ? out : none;
}

/* Whether a comparison of sums of counters is the same in all rounds: *truth. */
static bool is_decided(const struct fs_lift_tracer *t, enum fs_map_op op, const struct fs_lane *a,
                       bool *truth) {
  if (op < FS_OP_EQ || op > FS_OP_GE) return false;
  struct fs_affine by = fs_lane_affine(FS_OP_SUB, a);
  if (!by.known) return false;
  struct fs_range r = fs_lift_bounds(t->n, t->at, &by);
  bool less = r.last < 0, more = r.first > 0, same = !r.first && !r.last;
  bool not_less = r.first >= 0, not_more = r.last <= 0;
  switch (op) {
    case FS_OP_LT: *truth = less; return less || not_less;
    case FS_OP_LE: *truth = not_more; return not_more || more;
    case FS_OP_GT: *truth = more; return more || not_more;
    case FS_OP_GE: *truth = not_less; return not_less || less;
    case FS_OP_EQ: *truth = same; return same || less || more;
    default: *truth = !same; return same || less || more;
  }
}

/* A function of numbers of the host, of which one is of counters. */
static bool map_counts(struct fs_lift_tracer *t, enum fs_map_op op, const struct fs_lane *given,
                       struct fs_lane *out) {
  struct fs_lane a[3];
  struct fs_scalar last[3];
  struct fs_tv src[3];
  struct fs_span spans[3];
  int n = fs_map_ops[op].arity, first = op == FS_OP_WHERE;
  bool whole = true, measured = false;
  for (int k = 0; k < n; k++) {
    a[k] = count_of(&given[k]);
    measured |= a[k].measured;
    last[k] = a[k].last;
    whole &= k < first || is_whole(&a[k]);
    spans[k] = t->in->span;
  }
  bool decided;
  if (!measured && is_decided(t, op, a, &decided)) {
    *out = (struct fs_lane){.number = fs_val_bool(decided)};
    return true;
  }
  if (first && whole && given[0].kind == FS_LANE_NUMBER) {
    *out = a[given[0].number.number != 0 ? 1 : 2];
    return true;
  }
  *out = (struct fs_lane){.kind = FS_LANE_COUNT, .last = fs_scalar_map(op, last)};
  out->measured = measured;
  bound(op, a, out);
  bool exact = fmax(fabs(out->least), fabs(out->most)) <= LARGEST_INT;
  if (out->last.kind == FS_SC_INT && !exact) return false;
  if (out->last.kind == FS_SC_REAL && whole && fs_map_ops[op].types != 'F') return false;
  if (first && !whole) return false; /* each round has the type of what it takes */
  if (out->last.kind == FS_SC_INT && whole) out->affine = fs_lane_affine(op, a);
  if (out->affine.known) return true;
  for (int k = 0; k < n; k++) {
    src[k] = a[k].affine.known ? fs_lift_counted(t, &a[k].affine) : a[k].tv;
    if (given[k].kind == FS_LANE_NUMBER) src[k] = fs_tv_number(t->in, a[k].least, FS_F64);
    src[k] = fs_tv_cast(t->in, src[k], k < first ? FS_BOOL : whole ? FS_I64 : FS_F64);
  }
  if (fs_tv_map(t->in, op, n, src, spans, t->in->span, "", &out->tv) != FS_OK) return false;
  bool truth = out->last.kind == FS_SC_BOOL, real = out->last.kind == FS_SC_REAL;
  out->tv = fs_tv_cast(t->in, out->tv, truth ? FS_BOOL : real ? FS_F64 : FS_I64);
  if (whole && !measured && truth) fs_lane_note_limit(t, op, a, out->tv.node);
  if (whole && !measured && out->last.kind == FS_SC_INT) fs_lane_find_parts(t, op, a, src, out);
  return true;
}

/* The same in a region, where numbers are as they are on the host: doubles, of which those that
 * are whole are known to be. A sum of such is one as long as nobody counts up to 2^53. */
static bool map_in_region(struct fs_lift_tracer *t, enum fs_map_op op, const struct fs_lane *given,
                          struct fs_lane *out) {
  struct fs_lane a[3];
  struct fs_scalar last[3];
  struct fs_tv src[3];
  struct fs_span spans[3] = {t->in->span, t->in->span, t->in->span};
  int n = fs_map_ops[op].arity;
  bool exact = op == FS_OP_DIV || op == FS_OP_SQRT || fs_map_ops[op].whole == 'I', sum = op == FS_OP_ADD || op == FS_OP_SUB;
  bool sure = true;
  if (fs_map_ops[op].types == 'F' && !exact)
    return fs_lift_refuse(t->n, t->in->span, "is a function of numbers of the host");
  for (int k = 0; k < n; k++) {
    a[k] = count_of(&given[k]);
    last[k] = a[k].last;
    sure &= isfinite(a[k].least) && isfinite(a[k].most);
    src[k] = given[k].kind == FS_LANE_NUMBER ? fs_tv_number(t->in, a[k].least, FS_F64) : a[k].tv;
    src[k] = fs_tv_cast(t->in, src[k], fs_map_ops[op].types == 'B' ? FS_BOOL : FS_F64);
  }
  *out = (struct fs_lane){.kind = FS_LANE_COUNT, .last = fs_scalar_map(op, last), .measured = true};
  if (fs_tv_map(t->in, op, n, src, spans, t->in->span, "", &out->tv) != FS_OK) return false;
  bound(op, a, out);
  if (out->last.kind == FS_SC_BOOL) out->tv = fs_tv_cast(t->in, out->tv, FS_BOOL);
  if (out->last.kind != FS_SC_INT) return true;
  if (sum && sure) {
    out->least = fmax(out->least, -LARGEST_INT);
    out->most = fmin(out->most, LARGEST_INT);
  }
  if (fmax(fabs(out->least), fabs(out->most)) > LARGEST_INT)
    out->least = -INFINITY, out->most = INFINITY;
  if (!sum) out->tv = fs_tv_map2(t->in, FS_OP_ADD, out->tv, fs_tv_number(t->in, 0, FS_F64));
  return true;
}

/* -- operators and functions ------------------------------------------------------------ */

struct map {
  enum fs_map_op op;
  struct fs_span span;
};

/* Operations on bits: the host tells who gives them anything else. Numbers of a region are
 * doubles. */
static bool takes_integers(const struct fs_lift_tracer *t, int n, const struct fs_lane *a) {
  for (int k = 0; k < n; k++) {
    if (a[k].kind == FS_LANE_TENSOR && fs_dtype_is_float(a[k].tv.dtype)) return false;
    if (a[k].kind == FS_LANE_COUNT && (t->in_region || !is_whole(&a[k]))) return false;
    if (a[k].kind == FS_LANE_NUMBER && fs_scalar_of(&a[k].number).kind == FS_SC_REAL) return false;
  }
  return true;
}

static bool map(struct fs_lift_tracer *t, const void *how, const struct fs_lane *a,
                struct fs_lane *out) {
  enum fs_map_op op = ((const struct map *)how)->op;
  struct fs_span span = ((const struct map *)how)->span;
  bool loose = false;
  int n = fs_map_ops[op].arity, first = op == FS_OP_WHERE, tensors = 0, counts = 0, typed = 0;
  enum fs_dtype like = FS_F32;
  struct fs_tv src[3];
  struct fs_span spans[3] = {span, span, span};
  t->in->span = span;
  for (int k = 0; k < n; k++) {
    tensors += a[k].kind == FS_LANE_TENSOR;
    counts += a[k].kind == FS_LANE_COUNT;
    loose |= a[k].loose;
    if (a[k].kind != FS_LANE_TENSOR || k < first) continue;
    like = typed++ ? fs_dtype_promote(like, a[k].tv.dtype) : a[k].tv.dtype;
  }
  if (fs_map_takes_integers(op) && !takes_integers(t, n, a)) return false;
  if (!tensors && counts)
    return t->in_region ? map_in_region(t, op, a, out) : map_counts(t, op, a, out);
  if (t->in_region && counts && typed && fs_map_ops[op].result == 'B' && fs_dtype_is_integer(like))
    like = FS_I64; /* compared, they need not have a type that the number decides */
  if (!tensors) {
    struct fs_scalar x[3];
    for (int k = 0; k < n; k++) x[k] = fs_scalar_of(&a[k].number);
    *out = (struct fs_lane){.number = fs_scalar_value(fs_scalar_map(op, x))};
    return true;
  }
  for (int k = 0; k < n; k++)
    if (!fs_lane_beside(t, &a[k], k >= first && typed ? &like : NULL, &src[k])) return false;
  *out = (struct fs_lane){.kind = FS_LANE_TENSOR, .loose = loose};
  return fs_tv_map(t->in, op, n, src, spans, span, "", &out->tv) == FS_OK;
}

bool fs_lane_map(struct fs_lift_tracer *t, enum fs_map_op op, struct fs_span span,
                 const struct fs_lane *a, struct fs_lane *out) {
  struct map how = {op, span};
  return fs_lane_each(t, fs_map_ops[op].arity, a, map, &how, out);
}

/* x^2 and the like; of an exponent that a counter has each round may mean other operations. */
static bool power(struct fs_lift_tracer *t, struct fs_span span, const struct fs_lane *a,
                  const struct fs_lane *b, struct fs_lane *out) {
  struct fs_tv x, y;
  if (b->kind == FS_LANE_COUNT) return false;
  bool count = a->kind == FS_LANE_COUNT;
  if (count && b->kind == FS_LANE_NUMBER) {
    struct fs_lane twice[2] = {*a, *a};
    return is_whole(a) && b->number.number == 2 && fs_lane_map(t, FS_OP_MUL, span, twice, out);
  }
  if (!fs_lane_beside(t, a, b->kind == FS_LANE_TENSOR ? &b->tv.dtype : NULL, &x)) return false;
  *out = (struct fs_lane){.kind = FS_LANE_TENSOR, .loose = a->loose || b->loose};
  bool number = b->kind == FS_LANE_NUMBER && b->number.kind == FS_V_NUMBER;
  if (number && fs_tv_short_power(t->in, b->number.number, x, &out->tv)) return true;
  if (!fs_lane_beside(t, b, &x.dtype, &y)) return false;
  struct fs_tv src[2] = {x, y};
  struct fs_span spans[2] = {span, span};
  return fs_tv_map(t->in, FS_OP_POW, 2, src, spans, span, ".^", &out->tv) == FS_OK;
}

struct operation {
  enum fs_ast_op op;
  struct fs_span span;
};

/* A number on the left that decides is the result. */
static bool operate(struct fs_lift_tracer *t, const void *how, const struct fs_lane *pair,
                    struct fs_lane *out) {
  enum fs_map_op map;
  enum fs_ast_op op = ((const struct operation *)how)->op;
  struct fs_span span = ((const struct operation *)how)->span;
  const struct fs_lane *a = &pair[0], *b = &pair[1];
  bool logic = op == FS_AO_AND || op == FS_AO_OR;
  bool truth = a->kind == FS_LANE_NUMBER && a->number.number != 0;
  if (logic && a->kind == FS_LANE_NUMBER && truth == (op == FS_AO_OR)) {
    *out = (struct fs_lane){.number = fs_val_bool(truth)};
    return true;
  }
  if (a->kind == FS_LANE_NUMBER && b->kind == FS_LANE_NUMBER) {
    struct fs_scalar x = fs_scalar_of(&a->number), y = fs_scalar_of(&b->number);
    *out = (struct fs_lane){.number = fs_scalar_value(fs_scalar_binary(op, x, y))};
    out->number.literal =
        a->number.literal && b->number.literal && out->number.kind == FS_V_NUMBER;
    return true;
  }
  if (op == FS_AO_POW || op == FS_AO_EPOW) return power(t, span, a, b, out);
  return fs_operator_map(op, &map) && fs_lane_map(t, map, span, pair, out);
}

bool fs_lane_binary(struct fs_lift_tracer *t, enum fs_ast_op op, struct fs_span span,
                    const struct fs_lane *a, const struct fs_lane *b, struct fs_lane *out) {
  struct fs_lane pair[2] = {*a, *b};
  struct operation how = {op, span};
  return fs_lane_each(t, 2, pair, operate, &how, out);
}

static bool sign(struct fs_lift_tracer *t, const void *how, const struct fs_lane *a,
                 struct fs_lane *out) {
  const struct fs_expr *e = how;
  *out = *a;
  if (a->kind == FS_LANE_NUMBER) {
    out->number = fs_scalar_value(fs_scalar_unary(e->op, fs_scalar_of(&a->number)));
    out->number.literal = a->number.literal && out->number.kind == FS_V_NUMBER;
    return true;
  }
  if (e->op == FS_AO_PLUS) return true;
  return fs_lane_map(t, e->op == FS_AO_NEG ? FS_OP_NEG : FS_OP_NOT, e->span, a, out);
}

static bool unary(struct fs_lift_tracer *t, const struct fs_expr *e, struct fs_lane *out) {
  struct fs_lane a;
  return fs_lane_of(t, e->args[0], &a) && fs_lane_each(t, 1, &a, sign, e, out);
}

/* What stands behind an && or || is not evaluated in the rounds in which a number of the host
 * decides. */
static bool binary(struct fs_lift_tracer *t, const struct fs_expr *e, struct fs_lane *out) {
  struct fs_lane a, b;
  if (!fs_lane_of(t, e->args[0], &a)) return false;
  bool logic = e->op == FS_AO_AND || e->op == FS_AO_OR;
  bool truth = a.kind == FS_LANE_NUMBER && a.number.number != 0;
  if (logic && a.kind == FS_LANE_NUMBER && truth == (e->op == FS_AO_OR)) {
    *out = (struct fs_lane){.number = fs_val_bool(truth)};
    return true;
  }
  struct fs_lane extra = t->extra, some;
  if (logic && a.kind == FS_LANE_COUNT) {
    if (!fs_lane_truth(t, &a, &some)) return false;
    if (e->op == FS_AO_OR) some = fs_lane_not(t, &some);
    t->extra = fs_lane_both(t, &t->extra, &some);
  }
  bool known = fs_lane_of(t, e->args[1], &b);
  t->extra = extra;
  return known && fs_lane_binary(t, e->op, e->span, &a, &b, out);
}

/* -- names ---------------------------------------------------------------------------------- */

struct fs_tv fs_tv_at(struct fs_interp *in, struct fs_tv a, int axis, int64_t at) {
  if (axis >= a.shape.rank || a.shape.dim[axis] == 1) return a;
  struct fs_view v = {0};
  struct fs_shape out = a.shape;
  out.dim[axis] = 1;
  for (int l = 0, place = 0; l < a.shape.rank; l++) {
    if (a.shape.dim[l] == 1) continue;
    v.axis[v.src_rank] = (int8_t)(l == axis ? -1 : place++);
    v.off[v.src_rank] = l == axis ? at : 0;
    v.step[v.src_rank++] = l != axis;
  }
  struct fs_shape sq = fs_squeezed(&out);
  return (struct fs_tv){fs_graph_view(fs_block_graph(in), a.node, &v, &sq), a.dtype, out};
}

/* What the name of item t->at is before its loop at depth l begins. */
static bool before_loop(struct fs_lift_tracer *t, int l, struct fs_lane *out) {
  const struct fs_lift_nest *n = t->n;
  int from = -1, at = t->at;
  for (int k = 0; k < at; k++)
    if (!strcmp(n->items.data[k].name, n->items.data[at].name) && fs_lift_common(n, k, at) <= l)
      from = k;
  *out = (struct fs_lane){.kind = FS_LANE_NONE};
  if (from < 0 || fs_lift_common(n, from, at) < l) return true;
  *out = t->lanes[from];
  t->at = from;
  bool known = fs_lane_last(t, out, l, n->items.data[from].level);
  t->at = at;
  return known;
}

bool fs_lane_last(struct fs_lift_tracer *t, struct fs_lane *a, int from, int to) {
  struct fs_lane before;
  for (int l = to - 1; l >= from; l--)
    if (!before_loop(t, l, &before) || !fs_lane_settle(t, a, l, &before)) return false;
  return true;
}

static bool read_from(struct fs_lift_tracer *t, int from, struct fs_lane *out) {
  int at = t->at;
  *out = t->lanes[from];
  t->at = from; /* whose loops those are */
  bool known =
      fs_lane_last(t, out, fs_lift_common(t->n, from, at), t->n->items.data[from].level);
  t->at = at;
  return known;
}

bool fs_lift_outside(struct fs_lift_tracer *t, const char *name, struct fs_span span,
                     struct fs_lane *out) {
  struct fs_val v;
  if (!fs_lookup(t->in, name, &v)) return false;
  *out = (struct fs_lane){.number = v};
  bool one = fs_val_is_host(&v);
  if (v.kind == FS_V_TENSOR && !v.tensor->shape.rank) {
    *out = (struct fs_lane){.kind = FS_LANE_TENSOR};
    t->st = fs_tv_of(t->in, &v, span, NULL, &out->tv);
    one = t->st == FS_OK;
  }
  fs_val_unref(v);
  return one;
}

bool fs_lift_before(struct fs_lift_tracer *t, int at, struct fs_lane *out) {
  int carried, from = fs_lift_source(t->n, t->n->items.data[at].name, at, &carried);
  *out = (struct fs_lane){.kind = FS_LANE_NONE};
  return from < 0 || carried >= 0 || read_from(t, from, out);
}

/* What another item has made of the name. */
static bool read_local(struct fs_lift_tracer *t, const char *name, struct fs_lane *out) {
  int carried, from = fs_lift_source(t->n, name, t->at, &carried);
  if (from < 0 || carried >= 0 || !read_from(t, from, out)) return false;
  *out = fs_lift_given(t, t->at, *out);
  return true;
}

struct fs_lane fs_lane_count(const struct fs_lift_tracer *t, const struct fs_affine *a) {
  const struct fs_lift_item *it = &t->n->items.data[t->at];
  struct fs_lane out = {.kind = FS_LANE_COUNT, .affine = *a};
  int64_t last = a->c;
  for (int k = 0; k < it->depth; k++)
    last += a->k[k] * (t->n->loops.data[it->loops[k]].count - 1);
  struct fs_range r = fs_lift_bounds(t->n, t->at, a);
  out.last = (struct fs_scalar){.x = (double)last, .kind = FS_SC_INT};
  out.least = (double)r.first;
  out.most = (double)r.last;
  return out;
}

static bool counter(struct fs_lift_tracer *t, int l, struct fs_lane *out) {
  const struct fs_lift_loop *loop = &t->n->loops.data[t->n->items.data[t->at].loops[l]];
  struct fs_affine value = loop->begin;
  value.k[l] = loop->step;
  *out = fs_lane_count(t, &value);
  return true;
}

static bool name_value(struct fs_lift_tracer *t, const struct fs_expr *e, struct fs_lane *out) {
  for (int k = 0; t->inside && k < t->inside->n_params; k++)
    if (!strcmp(t->inside->params[k].name, e->text)) {
      *out = t->args[k];
      return true;
    }
  for (int k = t->bound.len - 1; t->in_region && k >= 0; k--)
    if (t->bound.data[k].name && !strcmp(t->bound.data[k].name, e->text)) {
      *out = t->bound.data[k].lane;
      return true;
    }
  if (t->in_region) return false;
  int l = fs_lift_counter(t->n, t->at, e->text);
  if (l >= 0) return counter(t, l, out);
  if (fs_lift_name(t->n, e->text)) return read_local(t, e->text, out);
  return fs_lift_outside(t, e->text, e->span, out);
}

/* Of a function of the user, with its parameters as what it is given. */
static bool call_function(struct fs_lift_tracer *t, const struct fs_expr *e,
                          struct fs_lane *out) {
  enum { MOST_ARGS = 16 };
  const struct fs_func *f = t->inside ? NULL : fs_lift_function(t->n, e);
  struct fs_lane args[MOST_ARGS];
  if (!f || f->n_params > MOST_ARGS) return false;
  for (int k = 0; k < f->n_params; k++)
    if (!fs_lane_of(t, e->args[k + 1], &args[k])) return false;
  t->inside = f;
  t->args = args;
  bool known = fs_lane_of(t, f->expr, out);
  t->inside = NULL;
  return known;
}

/* f32(x) and the like; a number that another type could not hold is for the host. */
static bool convert(struct fs_lift_tracer *t, const void *how, const struct fs_lane *a,
                    struct fs_lane *out) {
  enum fs_dtype dt = *(const enum fs_dtype *)how;
  *out = (struct fs_lane){.kind = FS_LANE_TENSOR, .loose = a->loose};
  if (a->kind == FS_LANE_NUMBER) {
    t->st = fs_tv_as(t->in, &a->number, t->in->span, dt, &out->tv);
    return t->st == FS_OK;
  }
  double most = ldexp(1, fs_dtypes[dt].digits);
  bool exact = a->kind == FS_LANE_COUNT && !fs_dtype_is_float(dt);
  if (exact && (a->least < -most || a->most >= most)) return false;
  out->tv = fs_tv_cast(t->in, fs_lane_tv(t, a), dt);
  return true;
}

static bool call(struct fs_lift_tracer *t, const struct fs_expr *e, struct fs_lane *out) {
  struct fs_scalar number;
  if (!t->inside && fs_lift_number(t->n, e, 0, &number)) {
    *out = (struct fs_lane){.number = fs_scalar_value(number)};
    return true;
  }
  const struct fs_builtin *b = fs_lift_map(t->n, e), *cast = fs_lift_cast(t->n, e);
  struct fs_lane a[3];
  if (cast) {
    enum fs_dtype dt = (enum fs_dtype)cast->data;
    return fs_lane_of(t, e->args[1], &a[0]) && fs_lane_each(t, 1, a, convert, &dt, out);
  }
  if (!b) return call_function(t, e, out);
  for (int k = 1; k < e->n_args; k++)
    if (!fs_lane_of(t, e->args[k], &a[k - 1])) return false;
  return fs_lane_map(t, (enum fs_map_op)b->data, e->span, a, out);
}

bool fs_lane_of(struct fs_lift_tracer *t, const struct fs_expr *e, struct fs_lane *out) {
  for (int k = 0; t->in_region && !t->inside && k < t->bound.len; k++)
    if (t->bound.data[k].e == e) {
      *out = t->bound.data[k].lane;
      return true;
    }
  switch (e->kind) {
    case FS_EX_NUMBER:
      *out = (struct fs_lane){.number = fs_val_number(e->number, e->is_int)};
      out->number.literal = true;
      return true;
    case FS_EX_BOOL:
      *out = (struct fs_lane){.number = fs_val_bool(e->number != 0)};
      return true;
    case FS_EX_NAME: return name_value(t, e, out);
    case FS_EX_INDEX:
      return t->in_region ? t->region_read(t, e, out) : fs_lift_element(t, e, out);
    case FS_EX_UNARY: return unary(t, e, out);
    case FS_EX_BINARY: return binary(t, e, out);
    case FS_EX_CALL: return call(t, e, out);
    default: return false;
  }
}
