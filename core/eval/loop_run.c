/* loop_run.c - the instructions of a loop: see loop.h. Numbers of the host, f32, f64 and integers
 * go a short way; what else there is, loop_value.c. */
#include <math.h>

#include "core/eval/border.h"
#include "core/eval/loop.h"

/* Beyond it not every whole number is a double. */
static const double LARGEST_INT = 0x1p53;

/* -- two operands ------------------------------------------------------------------- */

/* What two of them are computed as. */
enum pair { OTHER, HOST, WHOLE, PAIR_F64, PAIR_F32, PAIR_I32, PAIR_I64 };

#define HOST_WITH(other) \
  [FS_SC_REAL] = (other), [FS_SC_INT] = (other), [FS_SC_BOOL] = (other)
static const uint8_t pairs[FS_LT_COUNT][FS_LT_COUNT] = {
    [FS_SC_REAL] = {HOST_WITH(HOST), [FS_LT_F64] = PAIR_F64, [FS_LT_F32] = PAIR_F32},
    [FS_SC_BOOL] = {HOST_WITH(HOST), [FS_LT_F64] = PAIR_F64, [FS_LT_F32] = PAIR_F32},
    [FS_SC_INT] = {[FS_SC_REAL] = HOST, [FS_SC_INT] = WHOLE, [FS_SC_BOOL] = HOST,
                   [FS_LT_F64] = PAIR_F64, [FS_LT_F32] = PAIR_F32,
                   [FS_LT_I32] = PAIR_I32, [FS_LT_I64] = PAIR_I64},
    [FS_LT_F64] = {HOST_WITH(PAIR_F64), [FS_LT_F64] = PAIR_F64, [FS_LT_F32] = PAIR_F64},
    [FS_LT_F32] = {HOST_WITH(PAIR_F32), [FS_LT_F64] = PAIR_F64, [FS_LT_F32] = PAIR_F32},
    [FS_LT_I32] = {[FS_SC_INT] = PAIR_I32, [FS_LT_I32] = PAIR_I32, [FS_LT_I64] = PAIR_I64},
    [FS_LT_I64] = {[FS_SC_INT] = PAIR_I64, [FS_LT_I32] = PAIR_I64, [FS_LT_I64] = PAIR_I64}};

/* As an integer of a type that the number may not decide: then false. */
static inline bool integer(const struct fs_loop_register *a, bool small, int64_t *out) {
  *out = a->tag == FS_SC_INT ? (int64_t)a->x : a->i;
  return a->tag != FS_SC_INT || !small || *out == (int32_t)*out;
}

static inline void set(struct fs_loop_register *to, double x, uint8_t tag) {
  to->x = x;
  to->word = tag;
}

static inline void set_integer(struct fs_loop_register *to, int64_t i, uint8_t tag) {
  to->i = i;
  to->word = tag;
}

/* Of whole numbers there is no -0. */
static inline void set_host(struct fs_loop_register *to, double x, bool whole) {
  bool is_int = whole && fabs(x) <= LARGEST_INT;
  set(to, is_int ? x + 0 : x, is_int ? FS_SC_INT : FS_SC_REAL);
}

/* Of numbers p and q, as doubles, floats, or integers that wrap around. */
#define ARITHMETIC(op, OP, HOSTS, FLOATS, INTEGERS)                                          \
  static inline bool op(const struct fs_loop_register *a, const struct fs_loop_register *b,  \
                        struct fs_loop_register *to) {                                       \
    int64_t i, j;                                                                            \
    double p = a->x, q = b->x;                                                               \
    switch ((enum pair)pairs[a->tag][b->tag]) {                                              \
      case WHOLE: set_host(to, FLOATS, true); return true;                                   \
      case HOST: set_host(to, HOSTS, a->tag != FS_SC_REAL && b->tag != FS_SC_REAL); return true; \
      case PAIR_F64: set(to, FLOATS, FS_LT_F64); return true;                                \
      case PAIR_F32: set(to, op##_f32((float)p, (float)q), FS_LT_F32); return true;          \
      case PAIR_I32:                                                                         \
        if (!integer(a, true, &i) || !integer(b, true, &j)) break;                           \
        set_integer(to, (int32_t)(INTEGERS), FS_LT_I32);                                     \
        return true;                                                                         \
      case PAIR_I64:                                                                         \
        integer(a, false, &i), integer(b, false, &j);                                        \
        set_integer(to, (int64_t)(INTEGERS), FS_LT_I64);                                     \
        return true;                                                                         \
      case OTHER: break;                                                                     \
    }                                                                                        \
    return map_pair(OP, a, b, to);                                                           \
  }
#define FLOATS_OF(op, FLOATS) \
  static inline double op##_f32(float p, float q) { return (double)(float)(FLOATS); }
#define SMALLER (p <= q) | (p != p) ? p : q
#define LARGER (p >= q) | (p != p) ? p : q
static __attribute__((noinline)) bool map_pair(enum fs_map_op op, const struct fs_loop_register *a,
                                               const struct fs_loop_register *b,
                                               struct fs_loop_register *to) {
  struct fs_loop_register pair[2] = {*a, *b};
  return fs_loop_map(op, 2, pair, to);
}
FLOATS_OF(add, p + q)
FLOATS_OF(subtract, p - q)
FLOATS_OF(multiply, p * q)
FLOATS_OF(smaller, SMALLER)
FLOATS_OF(larger, LARGER)
ARITHMETIC(add, FS_OP_ADD, p + q, p + q, (uint64_t)i + (uint64_t)j)
ARITHMETIC(subtract, FS_OP_SUB, p - q, p - q, (uint64_t)i - (uint64_t)j)
ARITHMETIC(multiply, FS_OP_MUL, p * q, p * q, (uint64_t)i * (uint64_t)j)
ARITHMETIC(smaller, FS_OP_MIN, isnan(p) || isnan(q) ? NAN : p < q ? p : q, SMALLER, i <= j ? i : j)
ARITHMETIC(larger, FS_OP_MAX, isnan(p) || isnan(q) ? NAN : p > q ? p : q, LARGER, i >= j ? i : j)

static inline bool divide(const struct fs_loop_register *a, const struct fs_loop_register *b,
                          struct fs_loop_register *to) {
  switch ((enum pair)pairs[a->tag][b->tag]) {
    case WHOLE:
    case HOST: set(to, a->x / b->x, FS_SC_REAL); return true;
    case PAIR_F64: set(to, a->x / b->x, FS_LT_F64); return true;
    case PAIR_F32: set(to, (double)((float)a->x / (float)b->x), FS_LT_F32); return true;
    default: return map_pair(FS_OP_DIV, a, b, to);
  }
}

#define COMPARISON(op, OP, SIGN)                                                               \
  static inline bool op(const struct fs_loop_register *a, const struct fs_loop_register *b,    \
                        struct fs_loop_register *to) {                                         \
    int64_t i, j;                                                                              \
    switch ((enum pair)pairs[a->tag][b->tag]) {                                                \
      case WHOLE:                                                                              \
      case HOST: set(to, a->x SIGN b->x, FS_SC_BOOL); return true;                             \
      case PAIR_F64: set_integer(to, a->x SIGN b->x, FS_LT_BOOL); return true;                 \
      case PAIR_F32: set_integer(to, (float)a->x SIGN(float) b->x, FS_LT_BOOL); return true;   \
      case PAIR_I32:                                                                           \
      case PAIR_I64:                                                                           \
        integer(a, false, &i), integer(b, false, &j);                                          \
        set_integer(to, i SIGN j, FS_LT_BOOL);                                                 \
        return true;                                                                           \
      case OTHER: break;                                                                       \
    }                                                                                          \
    return map_pair(OP, a, b, to);                                                             \
  }
COMPARISON(equal, FS_OP_EQ, ==)
COMPARISON(unequal, FS_OP_NE, !=)
COMPARISON(less, FS_OP_LT, <)
COMPARISON(at_most, FS_OP_LE, <=)
COMPARISON(greater, FS_OP_GT, >)
COMPARISON(at_least, FS_OP_GE, >=)

/* -- one operand ---------------------------------------------------------------------- */

static inline double floor_of(double x) {
  if (!(fabs(x) < LARGEST_INT)) return floor(x);
  double cut = (double)(int64_t)x;
  return cut > x ? cut - 1 : x == 0 ? x : cut;
}

static inline bool round_down(const struct fs_loop_register *a, struct fs_loop_register *to) {
  if (!fs_loop_is_host(a)) return fs_loop_map(FS_OP_FLOOR, 1, a, to);
  if (a->tag == FS_SC_INT) set(to, a->x, FS_SC_INT);
  else set_host(to, floor_of(a->x), true);
  return true;
}

/* The largest whole number that is not above the quotient as it is rounded. */
static inline bool quotient(const struct fs_loop_register *a, const struct fs_loop_register *b,
                            struct fs_loop_register *to) {
  struct fs_loop_register q;
  if (a->tag == FS_SC_INT && b->tag == FS_SC_INT && b->x >= 1) {
    int64_t x = (int64_t)a->x, y = (int64_t)b->x;
    if (!(y & (y - 1))) {
      set(to, (double)(x >> __builtin_ctzll((uint64_t)y)), FS_SC_INT);
      return true;
    }
  }
  if (!fs_loop_is_host(a) || !fs_loop_is_host(b))
    return map_pair(FS_OP_DIV, a, b, &q) && fs_loop_map(FS_OP_FLOOR, 1, &q, to);
  set_host(to, floor_of(a->x / b->x), true);
  return true;
}

/* Whole numbers have whole remainders. */
static inline bool remainder_of(const struct fs_loop_register *a, const struct fs_loop_register *b,
                                struct fs_loop_register *to) {
  if (a->tag != FS_SC_INT || b->tag != FS_SC_INT || b->x == 0)
    return map_pair(FS_OP_MOD, a, b, to);
  int64_t x = (int64_t)a->x, y = (int64_t)b->x;
  int64_t r = y > 0 && !(y & (y - 1)) ? x & (y - 1) : x % y;
  if (r && (r < 0) != (y < 0)) r += y;
  set(to, (double)r, FS_SC_INT);
  return true;
}

static inline bool is_true(const struct fs_loop_register *a) {
  return a->tag >= FS_LT_BOOL && a->tag <= FS_LT_I64 ? a->i != 0 : a->x != 0;
}

/* -- elements ------------------------------------------------------------------------- */

/* From 0; false: it is no whole number. */
static bool subscript(const struct fs_loop_register *r, int64_t *out) {
  double x = fs_loop_number(r);
  bool number = r->tag != FS_SC_BOOL && r->tag != FS_LT_BOOL;
  if (!number || !(x >= 1 && x <= LARGEST_INT) || x != floor(x)) return false;
  *out = (int64_t)x - 1;
  return true;
}

/* False: a place that is no whole number, or an array without elements. */
static bool keep_inside(const struct fs_loop *l, const struct fs_loop_instruction *i) {
  const struct fs_loop_register *sub = &l->registers[i->src[0]];
  double x = fs_loop_number(sub), n = l->registers[i->src[1]].x;
  bool number = sub->tag != FS_SC_BOOL && sub->tag != FS_LT_BOOL;
  if (!number || n < 1 || !(fabs(x) <= LARGEST_INT) || x != floor(x)) return false;
  int64_t place = fs_border_place((enum fs_border)i->op, (int64_t)x, (int64_t)n);
  set(&l->registers[i->to], (double)place, FS_SC_INT);
  return true;
}

/* Where the element lies; NULL: there is none. */
static inline char *place(const struct fs_loop *l, const struct fs_loop_instruction *i) {
  const struct fs_loop_view *v = &l->views[i->op];
  const struct fs_loop_register *r = i->a;
  char *at = v->base;
  for (int k = 0; k < i->n; k++, r = k == 1 ? i->b : &l->registers[i->src[k]]) {
    int64_t sub = (int64_t)r->x - 1;
    if (r->tag != FS_SC_INT && !subscript(r, &sub)) return NULL;
    if ((uint64_t)sub >= (uint64_t)v->dim[k]) return NULL;
    at += sub * v->stride[k];
  }
  return at;
}

static inline bool load(const struct fs_loop *l, const struct fs_loop_instruction *i) {
  const char *from = place(l, i);
  struct fs_loop_register *to = &l->registers[i->to];
  if (!from) return false;
  uint8_t tag = l->views[i->op].tag;
  to->word = tag;
  switch (tag) {
    case FS_LT_F64: memcpy(&to->x, from, sizeof to->x); break;
    case FS_LT_I64: memcpy(&to->i, from, sizeof to->i); break;
    case FS_LT_F32: {
      float x;
      memcpy(&x, from, sizeof x);
      to->x = (double)x;
      break;
    }
    case FS_LT_I32: {
      int32_t x;
      memcpy(&x, from, sizeof x);
      to->i = x;
      break;
    }
    case FS_LT_BOOL: to->i = *from != 0; break;
    default: to->i = fs_element_get((enum fs_dtype)(tag - FS_LT_TENSOR), from).i; break;
  }
  return true;
}

static inline bool store(const struct fs_loop *l, const struct fs_loop_instruction *i) {
  const struct fs_loop_register *a = &l->registers[i->src[FS_MAX_RANK]];
  uint8_t tag = l->views[i->op].tag;
  struct fs_number number;
  bool narrows = l->narrows;
  char *to = place(l, i);
  if (!to) return false;
  if (a->tag == tag || (tag == FS_LT_F64 && fs_loop_is_host(a)))
    number = (struct fs_number){.f = a->x, .i = a->i};
  else if (!fs_loop_put((enum fs_dtype)(tag - FS_LT_TENSOR), a, &narrows, &number))
    return false;
  switch (tag) {
    case FS_LT_F64: memcpy(to, &number.f, sizeof number.f); break;
    case FS_LT_I64: memcpy(to, &number.i, sizeof number.i); break;
    case FS_LT_F32: {
      float x = (float)number.f;
      memcpy(to, &x, sizeof x);
      break;
    }
    case FS_LT_I32: {
      int32_t x = (int32_t)number.i;
      memcpy(to, &x, sizeof x);
      break;
    }
    default: fs_element_put((enum fs_dtype)(tag - FS_LT_TENSOR), to, number); break;
  }
  return true;
}

/* -- ranges ------------------------------------------------------------------------------ */

void fs_loop_put_range(struct fs_loop_register *at, const struct fs_val *range, int64_t k) {
  at[FS_LR_START].x = range->start;
  at[FS_LR_STEP].x = range->step;
  at[FS_LR_COUNT].x = (double)fs_range_count(range);
  at[FS_LR_ROUND].x = (double)k;
}

/* False: it has no end, or no step. */
static bool make_range(struct fs_loop_register *r, const struct fs_loop_instruction *i) {
  struct fs_val v = {.kind = FS_V_RANGE, .start = fs_loop_number(&r[i->src[0]]),
                     .step = fs_loop_number(&r[i->src[1]]),
                     .stop = fs_loop_number(&r[i->src[2]])};
  fs_loop_put_range(&r[i->to], &v, 0);
  return v.step != 0 && isfinite(v.start) && isfinite(v.stop) && isfinite(v.step);
}

/* False: there are no more. */
static inline bool next_value(struct fs_loop_register *at, struct fs_loop_register *out) {
  double start = at[FS_LR_START].x, step = at[FS_LR_STEP].x, k = at[FS_LR_ROUND].x;
  if (k >= at[FS_LR_COUNT].x) return false;
  bool whole = start == floor_of(start) && step == floor_of(step);
  set(out, start + k * step, whole ? FS_SC_INT : FS_SC_REAL);
  at[FS_LR_ROUND].x = k + 1;
  return true;
}

/* -- rounds ------------------------------------------------------------------------------- */

void fs_loop_progress(struct fs_interp *in, double begun, double *last, int64_t k, int64_t n) {
  double now = fs_now();
  if (in->call_depth || !in->host.progress || now - begun < 2 ||
      now - *last < 0.25)
    return;
  *last = now;
  in->host.progress(in->host.user, "for", (double)k / (double)n, now - begun);
}

/* Now and then: Ctrl-C, and a word on how far it is. */
static bool looks_up(struct fs_loop_watch *w) {
  enum { SELDOM = 1 << 14 };
  if (fs_interrupted()) return false;
  if (w->range && w->rounds % SELDOM == 0)
    fs_loop_progress(w->in, w->begun, &w->last, (int64_t)w->range[FS_LR_ROUND].x,
                     (int64_t)w->range[FS_LR_COUNT].x);
  return true;
}

/* What follows on every round. */
static inline bool goes_on(struct fs_loop_watch *w, bool outermost) {
  enum { OFTEN = 1 << 7 };
  if (++w->rounds % OFTEN == 0 && !looks_up(w)) return false;
  if (!outermost) return true;
  w->heavy = w->rounds - w->mark > w->most;
  w->mark = w->rounds;
  return !w->heavy;
}

static bool map(const struct fs_loop *l, const struct fs_loop_instruction *i) {
  struct fs_loop_register x[3], *r = l->registers;
  for (int k = 0; k < i->n; k++) x[k] = r[i->src[k]];
  return fs_loop_map((enum fs_map_op)i->op, i->n, x, &r[i->to]);
}

/* The less usual ones. */
static bool operate(const struct fs_loop *l, const struct fs_loop_instruction *i) {
  struct fs_loop_register *r = l->registers, a = r[i->src[0]];
  switch (i->code) {
    case FS_LC_BINARY:
      return fs_loop_binary((enum fs_ast_op)i->op, &a, &r[i->src[1]], &r[i->to]);
    case FS_LC_UNARY: return fs_loop_unary((enum fs_ast_op)i->op, &a, &r[i->to]);
    case FS_LC_CAST: return fs_loop_cast((enum fs_dtype)i->op, &a, &r[i->to]);
    default: return map(l, i);
  }
}

/* a && b or a || b of which a number of the host on the left decides. */
static inline bool decides(const struct fs_loop_register *a, uint8_t op,
                           struct fs_loop_register *to) {
  if (!fs_loop_is_host(a)) return false;
  bool truth = a->x != 0;
  if (truth == (op == FS_AO_AND)) return false;
  set(to, truth, FS_SC_BOOL);
  return true;
}

const struct fs_loop_instruction *fs_loop_go(const struct fs_loop *l, int from,
                                             struct fs_loop_watch *w) {
  for (const struct fs_loop_instruction *i = &l->code[from];; i++) {
    const struct fs_loop_register *a = i->a, *b = i->b;
    struct fs_loop_register *to = i->to_it;
    bool done = true;
    switch ((enum fs_loop_code)i->code) {
      case FS_LC_ADD: done = add(a, b, to); break;
      case FS_LC_SUB: done = subtract(a, b, to); break;
      case FS_LC_MUL: done = multiply(a, b, to); break;
      case FS_LC_DIV: done = divide(a, b, to); break;
      case FS_LC_MIN: done = smaller(a, b, to); break;
      case FS_LC_MAX: done = larger(a, b, to); break;
      case FS_LC_MOD: done = remainder_of(a, b, to); break;
      case FS_LC_FLOOR: done = round_down(a, to); break;
      case FS_LC_QUOTIENT: done = quotient(a, b, to); break;
      case FS_LC_EQ: done = equal(a, b, to); break;
      case FS_LC_NE: done = unequal(a, b, to); break;
      case FS_LC_LT: done = less(a, b, to); break;
      case FS_LC_LE: done = at_most(a, b, to); break;
      case FS_LC_GT: done = greater(a, b, to); break;
      case FS_LC_GE: done = at_least(a, b, to); break;
      case FS_LC_LOAD: done = load(l, i); break;
      case FS_LC_STORE: done = store(l, i); break;
      case FS_LC_BORDER: done = keep_inside(l, i); break;
      case FS_LC_COPY: set_integer(to, a->i, a->tag); break;
      case FS_LC_DECIDE:
        if (decides(a, i->op, to)) i = i->on - 1;
        break;
      case FS_LC_UNLESS:
        if (!is_true(a)) i = i->on - 1;
        break;
      case FS_LC_NEXT:
        if (!next_value(to, i->a)) i = i->on - 1;
        break;
      case FS_LC_RANGE: done = make_range(l->registers, i); break;
      case FS_LC_ROUND:
        if (!goes_on(w, i->jump == l->body)) return i;
        i = i->on - 1;
        break;
      case FS_LC_JUMP: i = i->on - 1; break;
      case FS_LC_STOP: return i;
      case FS_LC_MAP:
      case FS_LC_BINARY:
      case FS_LC_UNARY:
      case FS_LC_CAST: done = operate(l, i); break;
    }
    if (!done) return i;
  }
}
