/* cuda_c_tree.c - a kernel as statements of the language, for one kind of call.
 *
 * Types are C's, but those of arrays are the call's: `float` is what the arrays have that are
 * declared so. Numbers that are written, and scalar parameters, take the type of what they
 * meet. */
#include "core/lang/cuda_c_call.h"
#include "core/lang/node.h"

#include <math.h>
#include <stdio.h>

struct tree {
  struct fs_c_call *c;
  struct fs_stmt **tail;     /* where the next statement goes */
  enum fs_c_type real[FS_C_VOID]; /* what each type of C is in this call */
  int n_temporary;
  enum fs_status st;
};

/* A value: `host`: of written numbers, scalar parameters and counters alone. */
struct value {
  struct fs_expr *e;
  enum fs_c_type type;
  bool host, counts;         /* counts: counters are in it */
};

static bool is_float(enum fs_c_type t) { return t >= FS_C_F16 && t <= FS_C_F64; }

static bool FS_PRINTF(5, 6) fail(struct tree *t, struct fs_span span, const char *id,
                                 const char *hint, const char *fmt, ...) {
  char text[300];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  if (t->st == FS_OK) t->st = fs_error(t->c->diags, span, id, hint, "%s", text);
  return false;
}

/* -- nodes ---------------------------------------------------------------------------- */

static struct fs_expr *number(struct tree *t, struct fs_span span, double x, bool whole) {
  struct fs_expr *e = fs_ex_number(t->c->arena, span, fabs(x), whole);
  if (x >= 0) return e;
  struct fs_expr *minus = fs_ex_node(t->c->arena, FS_EX_UNARY, span, 1, &e);
  minus->op = FS_AO_NEG;
  return minus;
}

static struct fs_stmt *statement(struct tree *t, enum fs_stmt_kind kind, struct fs_span span) {
  struct fs_stmt *s = fs_st_node(t->c->arena, kind, span);
  *t->tail = s;
  t->tail = &s->next;
  return s;
}

static void assign(struct tree *t, struct fs_span span, const char *to, struct fs_expr *value) {
  struct fs_stmt *s = statement(t, FS_ST_ASSIGN, span);
  fs_st_target(t->c->arena, s, to, span);
  s->expr = value;
}

/* The statements of a list of its own. */
struct inside { struct fs_stmt **tail; };
static struct inside begin(struct tree *t, struct fs_stmt **first) {
  struct inside around = {t->tail};
  *first = NULL;
  t->tail = first;
  return around;
}
static void end(struct tree *t, struct inside around) { t->tail = around.tail; }

/* A sum of counters, plus a number. */
static struct fs_expr *sum(struct tree *t, const struct fs_c_poly *p, int64_t add,
                           struct fs_span span) {
  struct fs_c_poly q = fs_c_known(t->c, p);
  struct fs_expr *out = NULL;
  int64_t alone = add;
  for (int j = 0; j < q.n; j++) {
    int64_t k = q.term[j].k;
    if (!q.term[j].n) {
      alone += k;
      continue;
    }
    bool nought = false; /* the only thread is number 0 */
    for (int s = 0; s < q.term[j].n; s++) {
      const struct fs_c_sym *sym = &t->c->sym[q.term[j].sym[s]];
      nought |= sym->kind == FS_C_THREAD && sym->known && sym->value == 1;
    }
    if (nought) continue;
    struct fs_expr *x = llabs(k) == 1 ? NULL : number(t, span, (double)llabs(k), true);
    for (int s = 0; s < q.term[j].n; s++) {
      struct fs_expr *y = fs_ex_name(t->c->arena, span, t->c->sym[q.term[j].sym[s]].name);
      x = x ? fs_ex_binary(t->c->arena, FS_AO_MUL, x, y) : y;
    }
    if (!out && k < 0) out = number(t, span, 0, true);
    out = out ? fs_ex_binary(t->c->arena, k < 0 ? FS_AO_SUB : FS_AO_ADD, out, x) : x;
  }
  if (!out) return number(t, span, (double)alone, true);
  if (!alone) return out;
  struct fs_expr *y = number(t, span, (double)llabs(alone), true);
  return fs_ex_binary(t->c->arena, alone < 0 ? FS_AO_SUB : FS_AO_ADD, out, y);
}

/* -- types ---------------------------------------------------------------------------- */

static const char *const names[] = {"bool", "u8", "i8", "u16", "i16", "i32", "u32", "i64",
                                    "f16", "bf16", "f32", "f64"};

/* Of them C's arithmetic is another than that of whole numbers of the host. */
static bool wraps(enum fs_c_type t) {
  return t == FS_C_U32 || (t > FS_C_BOOL && t < FS_C_I32);
}

static struct value cast(struct tree *t, struct value v, enum fs_c_type type) {
  if (wraps(type) && v.host && !is_float(v.type)) /* a number of the host would be brought in */
    v.e = fs_ex_call(t->c->arena, names[FS_C_I64], v.e->span, 1, &v.e);
  v.e = fs_ex_call(t->c->arena, names[type], v.e->span, 1, &v.e);
  return (struct value){v.e, type, false, false};
}

/* As what C makes of it where this type is wanted. */
static struct value as_type(struct tree *t, struct value v, enum fs_c_type type) {
  if (v.type == type) return v;
  if (type == FS_C_BOOL) {
    v.e = fs_ex_binary(t->c->arena, FS_AO_NE, v.e, number(t, v.e->span, 0, true));
    v.type = type;
    return v;
  }
  bool plain = v.host && !v.counts && v.type != FS_C_BOOL;
  bool whole = !is_float(type) && !is_float(v.type) && v.type != FS_C_BOOL;
  whole = whole && (!wraps(type) || v.e->kind == FS_EX_NUMBER);
  if (is_float(type) ? plain : whole && v.host) {
    v.type = type;
    return v;
  }
  return cast(t, v, type);
}

/* The type of an operation of both. */
static enum fs_c_type common(const struct value *a, const struct value *b) {
  enum fs_c_type x = FS_MAX(a->type, FS_C_I32), y = FS_MAX(b->type, FS_C_I32);
  if (is_float(x) && is_float(y)) { /* a number that is written has the type of the other */
    if (a->host && !b->host) return y;
    if (b->host && !a->host) return x;
  }
  return FS_MAX(x, y);
}

/* -- what is known -------------------------------------------------------------------- */

/* 1: a condition always holds, 0: never, -1: that is not known. */
static int decided(struct tree *t, const struct fs_expr *e) {
  struct fs_c_poly a, b;
  int64_t low, high;
  if (e->kind == FS_EX_BOOL) return e->number != 0;
  if (e->kind == FS_EX_UNARY && e->op == FS_AO_NOT) {
    int x = decided(t, e->args[0]);
    return x < 0 ? x : !x;
  }
  if (e->kind != FS_EX_BINARY || e->op < FS_AO_EQ) return -1;
  if (e->op == FS_AO_AND || e->op == FS_AO_OR) {
    int x = decided(t, e->args[0]), y = decided(t, e->args[1]), ends = e->op == FS_AO_OR;
    return x == ends || y == ends ? ends : x >= 0 && y >= 0 ? !ends : -1;
  }
  if (e->op > FS_AO_GE || !fs_c_poly_of(t->c, e->args[0], &a) ||
      !fs_c_poly_of(t->c, e->args[1], &b))
    return -1;
  if (!fs_c_poly_add(&a, -1, &b) || !fs_c_range(t->c, &a, &low, &high)) return -1;
  switch (e->op) {
    case FS_AO_LT: return high < 0 ? 1 : low >= 0 ? 0 : -1;
    case FS_AO_LE: return high <= 0 ? 1 : low > 0 ? 0 : -1;
    case FS_AO_GT: return low > 0 ? 1 : high <= 0 ? 0 : -1;
    case FS_AO_GE: return low >= 0 ? 1 : high < 0 ? 0 : -1;
    case FS_AO_EQ: return !low && !high ? 1 : low > 0 || high < 0 ? 0 : -1;
    default: return !low && !high ? 0 : low > 0 || high < 0 ? 1 : -1;
  }
}

/* Whether all that an expression reads is inside of its arrays. */
static bool is_inside(struct tree *t, const struct fs_expr *e) {
  struct fs_c_poly sub[FS_C_RANK];
  int64_t low, high;
  if (e->kind == FS_EX_INDEX) {
    const struct fs_c_array *a = &t->c->array[fs_c_param(t->c->k, e)];
    if (!fs_c_subscripts(t->c, e, a, sub)) return false;
    for (int d = 0; d < a->rank; d++)
      if (!fs_c_range(t->c, &sub[d], &low, &high) || low < 0 || high >= a->dim[d]) return false;
  }
  for (int k = e->kind == FS_EX_INDEX || e->kind == FS_EX_CALL; k < e->n_args; k++)
    if (!is_inside(t, e->args[k])) return false;
  return true;
}

/* -- expressions ---------------------------------------------------------------------- */

static bool value_of(struct tree *t, const struct fs_expr *e, struct value *out);

static bool element(struct tree *t, const struct fs_expr *e, struct fs_expr **out,
                    enum fs_c_type *type) {
  int param = fs_c_param(t->c->k, e);
  const struct fs_c_array *a = &t->c->array[param];
  struct fs_c_poly sub[FS_C_RANK];
  struct fs_expr *all[FS_C_RANK + 1] = {fs_ex_name(t->c->arena, e->args[0]->span,
                                                   e->args[0]->text)};
  int n = 1;
  bool sums = fs_c_subscripts(t->c, e, a, sub);
  for (int d = 0; d < a->rank && sums; d++)
    all[n++] = sum(t, &sub[d], 1, e->args[FS_MIN(d + 1, e->n_args - 1)]->span);
  for (int k = 1; k < e->n_args && !sums; k++) {
    struct value v;
    if (!value_of(t, e->args[k], &v)) return false;
    if (is_float(v.type))
      return fail(t, e->args[k]->span, "kernel-syntax", NULL, "a subscript is a whole number");
    v = as_type(t, v, FS_MAX(v.type, FS_C_I32)); /* 255 + 1 is no u8 */
    all[n++] = fs_ex_binary(t->c->arena, FS_AO_ADD, v.e, number(t, v.e->span, 1, true));
  }
  *out = fs_ex_node(t->c->arena, FS_EX_INDEX, e->span, n, all);
  *type = t->c->given[param].given ? t->c->given[param].type : t->real[t->c->k->params[param].type];
  return true;
}

static bool name_value(struct tree *t, const struct fs_expr *e, struct value *out) {
  struct fs_c_poly p;
  int64_t low, high;
  *out = (struct value){.type = FS_C_I32, .host = true};
  for (int k = 0; k < t->c->k->n_locals; k++) {
    const struct fs_c_name *local = &t->c->k->locals[k];
    if (strcmp(local->name, e->text)) continue;
    out->type = t->real[local->type];
    out->host = out->counts = fs_c_poly_of(t->c, e, &p);
    if (out->host) {
      out->e = sum(t, &p, 0, e->span);
      out->counts = out->e->kind != FS_EX_NUMBER;
      return true;
    }
  }
  for (int k = 0; k < t->c->k->n_params; k++) {
    if (strcmp(t->c->k->params[k].name, e->text)) continue;
    bool whole = t->c->k->params[k].type <= FS_C_I64;
    out->type = t->real[t->c->k->params[k].type];
    out->host = !t->c->given[k].given || t->c->given[k].known;
    if (whole && fs_c_poly_of(t->c, e, &p) && fs_c_range(t->c, &p, &low, &high)) {
      out->e = number(t, e->span, (double)low, true);
      return true;
    }
  }
  out->counts |= fs_c_poly_of(t->c, e, &p);
  out->e = fs_ex_name(t->c->arena, e->span, e->text);
  return true;
}

/* a / b and a % b of whole numbers: what C cuts off. */
static bool whole_division(struct tree *t, const struct fs_expr *a, const struct fs_expr *b,
                           bool rest, struct fs_span span, struct value *x, struct value *y,
                           struct value *out) {
  struct fs_c_poly p, q;
  int64_t low, high, by, most;
  bool known = fs_c_poly_of(t->c, a, &p) && fs_c_poly_of(t->c, b, &q) &&
               fs_c_range(t->c, &p, &low, &high) && fs_c_range(t->c, &q, &by, &most);
  bool counts = x->counts || y->counts;
  *out = (struct value){.type = common(x, y), .host = x->host && y->host, .counts = counts};
  if (known && low >= 0 && by > 0 && rest) {
    struct fs_expr *args[] = {x->e, y->e};
    out->e = fs_ex_call(t->c->arena, "mod", span, 2, args);
    return true;
  }
  struct fs_expr *quotient;
  if (rest && !out->host) { /* it stands there twice */
    const char *temporary = fs_arena_printf(t->c->arena, "rest.%d", ++t->n_temporary);
    assign(t, x->e->span, temporary, x->e);
    x->e = fs_ex_name(t->c->arena, x->e->span, temporary);
  }
  if (out->host) {
    quotient = fs_ex_binary(t->c->arena, FS_AO_DIV, x->e, y->e);
    quotient = fs_ex_call(t->c->arena, "trunc", span, 1, &quotient);
  } else {
    struct value u = cast(t, *x, FS_C_F64), v = cast(t, *y, FS_C_F64);
    u.e = fs_ex_binary(t->c->arena, FS_AO_DIV, u.e, v.e);
    quotient = fs_ex_call(t->c->arena, names[out->type], span, 1, &u.e);
  }
  out->e = quotient;
  if (rest) {
    struct fs_expr *whole = fs_ex_binary(t->c->arena, FS_AO_MUL, y->e, quotient);
    out->e = fs_ex_binary(t->c->arena, FS_AO_SUB, x->e, whole);
  }
  return true;
}

static bool operation(struct tree *t, const struct fs_expr *e, struct value *out) {
  struct value a, b;
  if (!value_of(t, e->args[0], &a) || !value_of(t, e->args[1], &b)) return false;
  bool logic = e->op == FS_AO_AND || e->op == FS_AO_OR, compares = e->op >= FS_AO_EQ && !logic;
  enum fs_c_type type = logic ? FS_C_BOOL : common(&a, &b);
  if (e->op == FS_AO_POW && !is_float(type)) type = t->real[FS_C_F32];
  if (e->op == FS_AO_DIV && !is_float(type))
    return whole_division(t, e->args[0], e->args[1], false, e->span, &a, &b, out);
  a = as_type(t, a, type);
  b = as_type(t, b, type);
  *out = (struct value){fs_ex_binary(t->c->arena, e->op, a.e, b.e),
                        compares || logic ? FS_C_BOOL : type,
                        a.host && b.host, a.counts || b.counts};
  out->e->span = e->span;
  return true;
}

/* c ? a : b; where one of both might be read outside of its array, by an `if` before. */
static bool choice(struct tree *t, const struct fs_expr *e, struct value *out) {
  struct value c, a, b;
  int known = decided(t, e->args[1]);
  if (known >= 0) return value_of(t, e->args[known ? 2 : 3], out);
  if (!value_of(t, e->args[1], &c)) return false;
  c = as_type(t, c, FS_C_BOOL);
  if (is_inside(t, e->args[2]) && is_inside(t, e->args[3])) {
    if (!value_of(t, e->args[2], &a) || !value_of(t, e->args[3], &b)) return false;
    enum fs_c_type type = common(&a, &b);
    bool numbers = a.host && b.host && !c.host; /* whose type elements then decide */
    a = numbers ? cast(t, a, type) : as_type(t, a, type);
    b = as_type(t, b, type);
    struct fs_expr *args[] = {c.e, a.e, b.e};
    *out = (struct value){fs_ex_call(t->c->arena, "where", e->span, 3, args), type,
                          c.host && a.host && b.host, true};
    return true;
  }
  const char *temporary = fs_arena_printf(t->c->arena, "either.%d", ++t->n_temporary);
  struct fs_stmt *s = statement(t, FS_ST_IF, e->args[1]->span), *last[2];
  s->expr = c.e;
  struct value *v[2] = {&a, &b};
  for (int k = 0; k < 2; k++) {
    struct inside around = begin(t, k ? &s->orelse : &s->body);
    if (!value_of(t, e->args[2 + k], v[k])) return false;
    last[k] = statement(t, FS_ST_ASSIGN, e->args[2 + k]->span);
    fs_st_target(t->c->arena, last[k], temporary, e->args[2 + k]->span);
    end(t, around);
  }
  enum fs_c_type type = common(&a, &b);
  for (int k = 0; k < 2; k++) { /* also a number, so that both are of one type */
    *v[k] = v[k]->host && type != FS_C_BOOL ? cast(t, *v[k], type) : as_type(t, *v[k], type);
    last[k]->expr = v[k]->e;
  }
  *out = (struct value){fs_ex_name(t->c->arena, e->span, temporary), type, false, false};
  return true;
}

/* Operations on bits of elements and computed numbers; of shifts the type is that of the left. */
static void bits_of_elements(struct tree *t, const struct fs_expr *e, struct value *v,
                             struct value *out) {
  static const struct { const char *c, *name; } all[] = {
      {"&", "bitand"}, {"|", "bitor"}, {"^", "bitxor"}, {"<<", "shl"}, {">>", "shr"}};
  const char *c = e->args[0]->text, *f = "";
  bool shift = c[0] == '<' || c[0] == '>';
  enum fs_c_type type = shift ? FS_MAX(v[0].type, FS_C_I32) : common(&v[0], &v[1]);
  struct value a = v[0].host ? cast(t, v[0], type) : as_type(t, v[0], type);
  struct fs_expr *args[] = {a.e, as_type(t, v[1], shift ? FS_C_I32 : type).e};
  if (shift && !v[1].host) args[1] = cast(t, v[1], type).e;
  for (size_t k = 0; k < FS_LEN(all); k++)
    if (!strcmp(all[k].c, c)) f = all[k].name;
  *out = (struct value){fs_ex_call(t->c->arena, f, e->span, 2, args), type, false, false};
}

/* a & 7, a >> 3 and a << 3 of what is not less than 0. */
static bool bits(struct tree *t, const struct fs_expr *e, struct value *v, struct value *out) {
  struct fs_c_poly p, q;
  int64_t low, high, by, most;
  char op = e->args[0]->text[0];
  bool known = fs_c_poly_of(t->c, e->args[2], &q) && fs_c_range(t->c, &q, &by, &most) && by == most;
  bool whole = !is_float(v[0].type) && fs_c_poly_of(t->c, e->args[1], &p) &&
               fs_c_range(t->c, &p, &low, &high) && low >= 0;
  bool mask = op == '&' && known && by > 0 && !(by & (by + 1));
  if (is_float(v[0].type) || is_float(v[1].type))
    return fail(t, e->span, "kernel-syntax", NULL, "`%s` is of whole numbers", e->args[0]->text);
  if (!whole || !known || (!mask && (strchr("|^&", op) || by < 0 || by > 30))) {
    bits_of_elements(t, e, v, out);
    return true;
  }
  int64_t k = mask ? by + 1 : (int64_t)1 << by;
  struct fs_expr *args[] = {v[0].e, number(t, e->span, (double)k, true)};
  *out = v[0];
  if (mask) out->e = fs_ex_call(t->c->arena, "mod", e->span, 2, args);
  if (op == '<') out->e = fs_ex_binary(t->c->arena, FS_AO_MUL, args[0], args[1]);
  if (op == '>') out->e = fs_ex_binary(t->c->arena, FS_AO_DIV, args[0], args[1]);
  if (op == '>') out->e = fs_ex_call(t->c->arena, "trunc", e->span, 1, &out->e);
  return true;
}

/* -- arrays of a thread's own --------------------------------------------------------- */

static const struct fs_c_name *own_array(const struct tree *t, const struct fs_expr *e) {
  for (int k = 0; k < t->c->k->n_locals; k++)
    if (!strcmp(t->c->k->locals[k].name, e->args[1]->text)) return &t->c->k->locals[k];
  return NULL; /* not reached: the reader has looked */
}

/* Each element is a name of its own. */
static struct fs_expr *own_name(struct tree *t, const struct fs_c_name *of, int64_t at,
                                struct fs_span span) {
  return fs_ex_name(t->c->arena, span, fs_arena_printf(t->c->arena, "%s.%lld", of->name,
                                                       (long long)at));
}

/* The place of an element that is the same in all threads and rounds; -1: it is not, -2: that
 * it is outside of the array is said. */
static int64_t own_place(struct tree *t, const struct fs_expr *e, const struct fs_c_name *of) {
  int64_t at = 0, low, high;
  struct fs_c_poly p;
  for (int d = 0; d < of->n_dims; d++) {
    if (!fs_c_poly_of(t->c, e->args[2 + d], &p) || !fs_c_range(t->c, &p, &low, &high) ||
        low != high)
      return -1;
    if (low < 0 || low >= of->dim[d]) {
      fail(t, e->span, "kernel-syntax", NULL, "`%.60s` has no such element", of->name);
      return -2;
    }
    at = at * of->dim[d] + low;
  }
  return at;
}

/* One that a thread computes is each of them where the place is its own. */
static bool own_computed(struct tree *t, const struct fs_expr *e, const struct fs_c_name *of,
                         struct value *out) {
  enum { MOST = 32 };
  struct value at;
  if (of->n_dims > 1 || of->dim[0] > MOST)
    return fail(t, e->span, "kernel-subset", "up to 32 elements in one dimension may be",
                "an element of `%.60s` at a computed place is not read", of->name);
  if (!value_of(t, e->args[2], &at)) return false;
  out->e = own_name(t, of, 0, e->span);
  for (int64_t k = 1; k < of->dim[0]; k++) {
    struct fs_expr *is =
        fs_ex_binary(t->c->arena, FS_AO_EQ, at.e, number(t, e->span, (double)k, true));
    struct fs_expr *args[] = {is, own_name(t, of, k, e->span), out->e};
    out->e = fs_ex_call(t->c->arena, "where", e->span, 3, args);
  }
  return true;
}

static bool own_value(struct tree *t, const struct fs_expr *e, struct value *out) {
  const struct fs_c_name *of = own_array(t, e);
  int64_t at = own_place(t, e, of);
  *out = (struct value){.type = t->real[of->type]};
  if (at == -2) return false;
  if (at < 0) return own_computed(t, e, of, out);
  out->e = own_name(t, of, at, e->span);
  return true;
}

static bool call_value(struct tree *t, const struct fs_expr *e, struct value *out) {
  const char *f = e->args[0]->text;
  struct value v[3];
  if (!strcmp(f, "?:")) return choice(t, e, out);
  if (!strcmp(f, "[]")) return own_value(t, e, out);
  for (int k = 1; k < e->n_args; k++)
    if (!value_of(t, e->args[k], &v[k - 1])) return false;
  for (int k = 0; k < FS_C_VOID; k++) {
    char word[12];
    snprintf(word, sizeof word, "(%s)", names[k]);
    if (strcmp(word, f)) continue;
    *out = as_type(t, v[0], t->real[k]);
    if (is_float(v[0].type) && !is_float(out->type) && out->host) *out = cast(t, v[0], out->type);
    return true;
  }
  if (!strcmp(f, "%"))
    return whole_division(t, e->args[1], e->args[2], true, e->span, &v[0], &v[1], out);
  if (strchr("<>&|^", *f)) return bits(t, e, v, out);
  bool same = !strcmp(f, "abs") || !strcmp(f, "min") || !strcmp(f, "max");
  enum fs_c_type type = v[0].type;
  for (int k = 1; k < e->n_args - 1; k++) type = common(&v[0], &v[k]);
  type = FS_MAX(type, FS_C_I32);
  if (!same && !is_float(type)) type = t->real[FS_C_F32];
  struct fs_expr *args[3];
  *out = (struct value){.type = type, .host = true};
  for (int k = 0; k < e->n_args - 1; k++) {
    v[k] = as_type(t, v[k], type);
    args[k] = v[k].e;
    out->host &= v[k].host;
    out->counts |= v[k].counts;
  }
  out->e = fs_ex_call(t->c->arena, f, e->span, e->n_args - 1, args);
  if (!strcmp(f, "isnan") || !strcmp(f, "isfinite")) out->type = FS_C_BOOL;
  return true;
}

static bool value_of(struct tree *t, const struct fs_expr *e, struct value *out) {
  struct fs_expr *x;
  switch (e->kind) {
    case FS_EX_NUMBER:
      *out = (struct value){number(t, e->span, e->number, e->is_int),
                            !e->is_int ? t->real[FS_C_F32]
                            : e->number <= INT32_MAX ? FS_C_I32
                            : e->number <= UINT32_MAX ? FS_C_U32 : FS_C_I64, true, false};
      return true;
    case FS_EX_BOOL:
      *out = (struct value){(struct fs_expr *)e, FS_C_BOOL, true, false};
      return true;
    case FS_EX_NAME: return name_value(t, e, out);
    case FS_EX_INDEX:
      *out = (struct value){.host = false};
      return element(t, e, &out->e, &out->type);
    case FS_EX_UNARY:
      if (!value_of(t, e->args[0], out)) return false;
      if (e->op == FS_AO_NOT) *out = as_type(t, *out, FS_C_BOOL);
      else if (out->type < FS_C_I32) *out = as_type(t, *out, FS_C_I32);
      x = fs_ex_node(t->c->arena, FS_EX_UNARY, e->span, 1, &out->e);
      x->op = e->op;
      out->e = x;
      return true;
    case FS_EX_BINARY: return operation(t, e, out);
    case FS_EX_CALL: return call_value(t, e, out);
    default: return fail(t, e->span, "kernel-subset", NULL, "this is no number");
  }
}

/* -- statements ----------------------------------------------------------------------- */

static bool put_list(struct tree *t, const struct fs_stmt *list);

/* x = x + e keeps its x as it is, which says that it is a sum of all rounds. A float that has
 * several values has its type from the first on. */
static bool put_value(struct tree *t, const struct fs_expr *e, struct fs_expr *left,
                      const struct fs_expr *old, enum fs_c_type type, bool typed, bool whole,
                      struct fs_expr **out) {
  struct value v;
  bool compound = e->kind == FS_EX_BINARY && e->args[0] == old && e->op <= FS_AO_MUL;
  if (compound) {
    if (!value_of(t, e->args[1], &v)) return false;
    if (is_float(type) || !is_float(v.type)) {
      *out = fs_ex_binary(t->c->arena, e->op, left, as_type(t, v, type).e);
      (*out)->span = e->span;
      return true;
    }
  }
  if (!value_of(t, e, &v)) return false;
  bool cuts = v.host && is_float(type) ? typed : v.host && (whole || is_float(v.type));
  *out = cuts ? cast(t, v, type).e : as_type(t, v, type).e;
  return true;
}

static bool put_own(struct tree *t, const struct fs_stmt *s) {
  const struct fs_c_name *of = own_array(t, s->expr2);
  int64_t at = own_place(t, s->expr2, of);
  struct fs_expr *value;
  if (at == -2) return false;
  if (at < 0)
    return fail(t, s->expr2->span, "kernel-subset",
                "numbers, and counters of loops from a number to a number, are",
                "an element of `%.60s` at a computed place is not written", of->name);
  struct fs_expr *left = own_name(t, of, at, s->expr2->span);
  if (!put_value(t, s->expr, left, s->expr2, t->real[of->type], true, false, &value)) return false;
  assign(t, s->span, left->text, value);
  (*t->tail) = NULL;
  return true;
}

/* Whether a `while` gives a name other values: these are of one type, as is the first. */
static bool in_while(const struct fs_stmt *list, const char *name, bool inside) {
  for (const struct fs_stmt *s = list; s; s = s->next) {
    if (inside && s->kind == FS_ST_ASSIGN && !s->expr2 && !strcmp(s->targets[0].name, name))
      return true;
    if (in_while(s->body, name, inside || s->kind == FS_ST_WHILE)) return true;
    if (in_while(s->orelse, name, inside)) return true;
  }
  return false;
}

static bool put_assign(struct tree *t, const struct fs_stmt *s) {
  if (s->expr2) return put_own(t, s);
  const char *to = s->targets[0].name;
  enum fs_c_type type = FS_C_I32;
  struct fs_c_poly p;
  struct fs_expr *value;
  bool changes = false;
  for (int k = 0; k < t->c->k->n_locals; k++) {
    const struct fs_c_name *local = &t->c->k->locals[k];
    if (strcmp(local->name, to)) continue;
    type = t->real[local->type];
    changes = !local->once;
    struct fs_expr me = {.kind = FS_EX_NAME, .text = to, .span = s->span};
    if (local->once && fs_c_poly_of(t->c, &me, &p)) return true; /* written out where it is read */
  }
  const struct fs_expr *old = s->expr->kind == FS_EX_BINARY ? s->expr->args[0] : NULL;
  if (old && (old->kind != FS_EX_NAME || strcmp(old->text, to))) old = NULL;
  bool whole = changes && in_while(t->c->k->body, to, false);
  if (!put_value(t, s->expr, fs_ex_name(t->c->arena, s->targets[0].span, to), old, type,
                 changes, whole, &value))
    return false;
  assign(t, s->span, to, value);
  (*t->tail) = NULL;
  return true;
}

static bool put_element(struct tree *t, const struct fs_stmt *s) {
  struct fs_expr *left, *value;
  enum fs_c_type type;
  if (!element(t, s->expr2, &left, &type)) return false;
  if (!put_value(t, s->expr, left, s->expr2, type, false, false, &value)) return false;
  struct fs_stmt *to = statement(t, FS_ST_INDEXED, s->span);
  fs_st_target(t->c->arena, to, s->targets[0].name, s->targets[0].span);
  to->expr2 = left;
  to->expr = value;
  return true;
}

static bool put_if(struct tree *t, const struct fs_stmt *s) {
  struct value c;
  int known = decided(t, s->expr);
  if (known >= 0) return put_list(t, known ? s->body : s->orelse);
  if (!value_of(t, s->expr, &c)) return false;
  struct fs_stmt *to = statement(t, FS_ST_IF, s->span);
  to->expr = as_type(t, c, FS_C_BOOL).e;
  struct inside around = begin(t, &to->body);
  bool good = put_list(t, s->body);
  if (good) begin(t, &to->orelse), good = put_list(t, s->orelse);
  end(t, around);
  return good;
}

static bool put_range(struct tree *t, const struct fs_expr *range, struct fs_expr **out) {
  struct fs_expr *args[3];
  struct fs_c_poly p;
  struct value v;
  for (int k = 0; k < 3; k++) {
    if (fs_c_poly_of(t->c, range->args[k], &p)) {
      args[k] = sum(t, &p, 0, range->args[k]->span);
      continue;
    }
    if (!value_of(t, range->args[k], &v)) return false;
    args[k] = v.e;
  }
  bool one = args[1]->kind == FS_EX_NUMBER && args[1]->number == 1;
  struct fs_expr *ends[] = {args[0], args[2]};
  *out = fs_ex_node(t->c->arena, FS_EX_RANGE, range->span, one ? 2 : 3, one ? ends : args);
  return true;
}

static bool has_own(const struct fs_expr *e) {
  bool own = e->kind == FS_EX_CALL && !strcmp(e->args[0]->text, "[]");
  for (int k = 0; k < e->n_args && !own; k++) own = has_own(e->args[k]);
  return own;
}

static bool any_own(const struct fs_stmt *list) {
  for (const struct fs_stmt *s = list; s; s = s->next)
    if ((s->expr && has_own(s->expr)) || (s->expr2 && has_own(s->expr2)) || any_own(s->body) ||
        any_own(s->orelse))
      return true;
  return false;
}

/* A loop over elements of an array of the thread's own, from a number to a number: its rounds
 * one after the other, in which the counter is a number. */
static bool put_rounds(struct tree *t, const struct fs_stmt *s, bool *put) {
  enum { MOST = 256 };
  struct fs_c_poly p;
  int64_t end[3], high;
  int sym = 0;
  *put = false;
  if (s->kind != FS_ST_FOR || !any_own(s->body) || fs_st_has_jump(s->body)) return true;
  while (sym < t->c->n_syms && strcmp(t->c->sym[sym].name, s->targets[0].name)) sym++;
  for (int k = 0; k < 3; k++)
    if (!fs_c_poly_of(t->c, s->expr->args[k], &p) || !fs_c_range(t->c, &p, &end[k], &high) ||
        end[k] != high)
      return true;
  if (sym == t->c->n_syms || !end[1] || (end[2] - end[0]) / end[1] >= MOST) return true;
  struct fs_c_sym before = t->c->sym[sym];
  bool good = *put = true;
  for (int64_t x = end[0]; good && (end[1] > 0 ? x <= end[2] : x >= end[2]); x += end[1]) {
    t->c->sym[sym] = (struct fs_c_sym){.kind = FS_C_SCALAR, .name = before.name,
                                       .span = before.span, .known = true, .value = x};
    good = put_list(t, s->body);
  }
  t->c->sym[sym] = before;
  return good;
}

static bool put_loop(struct tree *t, const struct fs_stmt *s) {
  struct fs_expr *head = NULL;
  struct value c;
  bool put;
  if (!put_rounds(t, s, &put)) return false;
  if (put) return true;
  if (s->kind == FS_ST_FOR) {
    if (!put_range(t, s->expr, &head)) return false;
  } else {
    if (!value_of(t, s->expr, &c)) return false;
    head = as_type(t, c, FS_C_BOOL).e;
  }
  struct fs_stmt *to = statement(t, s->kind, s->span);
  to->targets = s->targets;
  to->n_targets = s->n_targets;
  to->expr = head;
  struct inside around = begin(t, &to->body);
  bool good = put_list(t, s->body);
  end(t, around);
  return good;
}

static bool put_one(struct tree *t, const struct fs_stmt *s) {
  switch (s->kind) {
    case FS_ST_ASSIGN: return put_assign(t, s);
    case FS_ST_INDEXED: return put_element(t, s);
    case FS_ST_IF: return put_if(t, s);
    case FS_ST_FOR:
    case FS_ST_WHILE: return put_loop(t, s);
    default: statement(t, s->kind, s->span); return true;
  }
}

static bool put_list(struct tree *t, const struct fs_stmt *list) {
  for (const struct fs_stmt *s = list; s; s = s->next)
    if (!put_one(t, s)) return false;
  return true;
}

/* -- the function --------------------------------------------------------------------- */

static bool shape_call(struct tree *t, const char *f, struct fs_expr *first,
                       const struct fs_c_array *a, bool flat, const char *type, struct fs_span at,
                       struct fs_expr **out) {
  struct fs_expr *args[FS_C_RANK + 2];
  int n = 0;
  int64_t all = 1;
  if (first) args[n++] = first;
  for (int d = 0; d < a->rank; d++) all *= a->dim[d];
  for (int d = 0; d < a->rank && !flat; d++) args[n++] = number(t, at, (double)a->dim[d], true);
  if (flat) args[n++] = number(t, at, (double)all, true);
  if (type) {
    args[n] = fs_ex_node(t->c->arena, FS_EX_STRING, at, 0, NULL);
    args[n]->text = type;
    args[n++]->text_len = strlen(type);
  }
  struct fs_expr *of[FS_C_RANK + 3] = {fs_ex_name(t->c->arena, at, f)};
  for (int k = 0; k < n; k++) of[k + 1] = args[k];
  *out = fs_ex_node(t->c->arena, FS_EX_CALL, at, n + 1, of);
  return true;
}

/* Whether each of its subscripts is a sum, inside of the dimensions as far as that is known. */
static void flatten(struct tree *t, int param) {
  struct fs_c_array *a = &t->c->array[param];
  struct fs_c_poly sub[FS_C_RANK];
  int64_t low, high;
  for (int k = 0; k < t->c->accesses.len; k++) {
    const struct fs_c_access *x = &t->c->accesses.data[k];
    if (x->param != param || a->rank < 2 || t->c->k->params[param].rank > 1) continue;
    bool good = fs_c_subscripts(t->c, x->e, a, sub);
    for (int d = 0; d < a->rank && good && !x->guarded; d++)
      good = fs_c_range(t->c, &sub[d], &low, &high) && low >= 0 && high < a->dim[d];
    a->flat |= !good;
  }
}

/* Arrays as the kernel sees them: made where nothing is given, flat where it takes them so. */
static void put_arrays(struct tree *t, struct fs_c_array *before) {
  const struct fs_c_kernel *k = t->c->k;
  for (int p = 0; p < k->n_params; p++) {
    struct fs_c_array *a = &t->c->array[p];
    struct fs_expr *e = fs_ex_name(t->c->arena, k->params[p].span, k->params[p].name);
    enum fs_c_type want = t->real[k->params[p].type], has = t->c->given[p].type;
    if (!k->params[p].array || !a->known) continue;
    flatten(t, p);
    before[p] = *a;
    bool widen = t->c->given[p].given && !is_float(has) &&
                 (is_float(want) || (wraps(want) && has != want));
    if (widen) {
      e = fs_ex_call(t->c->arena, names[want], e->span, 1, &e);
      t->c->given[p].given = false;
    }
    if (!t->c->given[p].given && !widen)
      shape_call(t, "zeros", NULL, a, a->flat, names[want], e->span, &e);
    else if (a->flat)
      shape_call(t, "reshape", e, a, true, NULL, e->span, &e);
    if (a->flat) {
      int64_t all = 1;
      for (int d = 0; d < a->rank; d++) all *= a->dim[d];
      *a = (struct fs_c_array){.known = true, .rank = 1, .dim = {all}};
    }
    if (e->kind != FS_EX_NAME) assign(t, k->params[p].span, k->params[p].name, e);
  }
}

/* Whether rounds of a loop at the end of the kernel read what other threads wrote in rounds
 * before: then they come one after the other, each for all threads. What is before the loop
 * must be of the thread alone. */
static const struct fs_stmt *serial_loop(struct tree *t) {
  struct fs_c_poly p, a[FS_C_RANK], b[FS_C_RANK];
  const struct fs_stmt *s = t->c->k->body;
  for (; s && s->next; s = s->next) {
    struct fs_expr me = {.kind = FS_EX_NAME, .span = s->span};
    if (s->n_targets) me.text = s->targets[0].name;
    bool index = s->kind == FS_ST_ASSIGN && fs_c_poly_of(t->c, &me, &p);
    if (!index && (s->kind != FS_ST_IF || !s->body || s->body->kind != FS_ST_CONTINUE)) return NULL;
  }
  if (!s || s->kind != FS_ST_FOR) return NULL;
  for (int k = 0; k < 3; k += 2) {
    if (!fs_c_poly_of(t->c, s->expr->args[k], &p)) return NULL;
    for (int j = 0; j < p.n; j++)
      for (int f = 0; f < p.term[j].n; f++)
        if (t->c->sym[p.term[j].sym[f]].kind == FS_C_THREAD) return NULL;
  }
  for (int w = 0; w < t->c->accesses.len; w++)
    for (int r = 0; r < t->c->accesses.len; r++) {
      const struct fs_c_access *x = &t->c->accesses.data[w], *y = &t->c->accesses.data[r];
      const struct fs_c_array *of = &t->c->array[x->param];
      if (!x->write || y->write || x->param != y->param) continue;
      if (!fs_c_subscripts(t->c, x->e, of, a) || !fs_c_subscripts(t->c, y->e, of, b)) continue;
      for (int d = 0; d < of->rank; d++)
        if (!fs_c_poly_add(&a[d], -1, &b[d]) || a[d].n) return s;
    }
  return NULL;
}

/* The threads as loops in each other, those along x innermost. */
static bool put_threads(struct tree *t) {
  static const char *const order[] = {"blockIdx.z", "threadIdx.z", "idz", "blockIdx.y",
                                      "threadIdx.y", "idy", "blockIdx.x", "threadIdx.x", "idx"};
  struct fs_span span = t->c->k->span;
  struct fs_stmt **after = NULL, **before = t->tail, **innermost;
  const struct fs_stmt *serial = serial_loop(t);
  bool any = false;
  if (serial) {
    struct fs_expr *range;
    if (!put_range(t, serial->expr, &range)) return false;
    struct fs_stmt *loop = statement(t, FS_ST_FOR, serial->span);
    loop->targets = serial->targets;
    loop->n_targets = 1;
    loop->expr = range;
    after = t->tail;
    begin(t, &loop->body);
  }
  for (size_t k = 0; k < FS_LEN(order); k++) {
    for (int s = 0; s < t->c->n_syms; s++) {
      const struct fs_c_sym *sym = &t->c->sym[s];
      if (sym->kind != FS_C_THREAD || strcmp(sym->name, order[k])) continue;
      struct fs_expr *last = number(t, span, (double)(sym->value - 1), true);
      struct fs_expr *range[] = {number(t, span, 0, true), last};
      struct fs_stmt *loop = statement(t, FS_ST_FOR, span);
      if (!any && !after) after = t->tail;
      loop->text = "kernel";
      fs_st_target(t->c->arena, loop, sym->name, span);
      loop->expr = fs_ex_node(t->c->arena, FS_EX_RANGE, span, 2, range);
      begin(t, &loop->body);
      any = true;
    }
  }
  if (!any) return fail(t, span, "kernel-subset", "idx is blockIdx.x*blockDim.x + threadIdx.x",
                        "no thread of the kernel knows which one it is");
  bool good = true;
  innermost = t->tail;
  for (const struct fs_stmt *s = t->c->k->body; s && good; s = s->next)
    good = s == serial ? put_list(t, s->body) : put_one(t, s);
  if (!*innermost) *before = NULL, after = before; /* no thread does anything */
  t->tail = after;
  return good;
}

static void put_results(struct tree *t, const struct fs_c_array *before) {
  const struct fs_c_kernel *k = t->c->k;
  struct fs_stmt *s = NULL;
  int n = 0;
  for (int p = 0; p < k->n_params; p++) {
    struct fs_expr *e = fs_ex_name(t->c->arena, k->params[p].span, k->params[p].name);
    if (!k->params[p].array || !k->params[p].writes) continue;
    if (!before[p].flat) continue;
    shape_call(t, "reshape", e, &before[p], false, NULL, e->span, &e);
    assign(t, k->params[p].span, k->params[p].name, e);
  }
  s = statement(t, FS_ST_RETURN, k->span);
  s->exprs = FS_NEW_N(t->c->arena, struct fs_expr *, k->n_params);
  for (int p = 0; p < k->n_params; p++)
    if (k->params[p].array && k->params[p].writes)
      s->exprs[n++] = fs_ex_name(t->c->arena, k->params[p].span, k->params[p].name);
  s->n_exprs = n;
}

/* What `float` and the like are in this call: what arrays have that are declared so. */
static bool find_types(struct tree *t) {
  bool said[FS_C_VOID] = {false};
  for (int k = 0; k < FS_C_VOID; k++) t->real[k] = (enum fs_c_type)k;
  for (int p = 0; p < t->c->k->n_params; p++) {
    const struct fs_c_param *of = &t->c->k->params[p];
    enum fs_c_type has = t->c->given[p].type;
    if (!of->array || !t->c->given[p].given) continue;
    if (is_float(has) && !is_float(of->type))
      return fail(t, of->span, "kernel-arguments",
                  fs_arena_printf(t->c->arena, "%s(x) converts it", names[of->type]),
                  "`%.60s` has whole numbers, and is given %s", of->name, names[has]);
    if (!is_float(of->type) || !is_float(has)) continue;
    t->real[of->type] = said[of->type] ? FS_MAX(t->real[of->type], has) : has;
    said[of->type] = true;
  }
  return true;
}

enum fs_status fs_c_instance(struct fs_diags *diags, struct fs_arena *arena,
                             const struct fs_c_kernel *k, const struct fs_c_given *given,
                             struct fs_stmt **out) {
  struct fs_c_call c = {.diags = diags, .arena = arena, .k = k};
  struct tree t = {.c = &c, .tail = out};
  struct fs_c_given *mine = FS_NEW_N(arena, struct fs_c_given, k->n_params ? k->n_params : 1);
  struct fs_c_array *before = FS_NEW_N(arena, struct fs_c_array, k->n_params ? k->n_params : 1);
  *out = NULL;
  c.given = mine;
  c.array = FS_NEW_N(arena, struct fs_c_array, k->n_params ? k->n_params : 1);
  for (int p = 0; p < k->n_params; p++) {
    mine[p] = given[p];
    c.array[p] = before[p] = (struct fs_c_array){.known = given[p].given, .rank = given[p].rank};
    memcpy(c.array[p].dim, given[p].dim, sizeof given[p].dim);
    if (k->params[p].rank > 1 && given[p].given && given[p].rank != k->params[p].rank)
      fail(&t, k->params[p].span, "kernel-arguments", NULL,
           "`%.60s` has %d dimensions, and is given an array of %d", k->params[p].name,
           k->params[p].rank, given[p].rank);
  }
  if (t.st == FS_OK && find_types(&t)) t.st = fs_c_solve(&c);
  if (t.st == FS_OK) {
    put_arrays(&t, before);
    if (put_threads(&t)) put_results(&t, before);
  }
  FS_VEC_FREE(&c.accesses);
  FS_VEC_FREE(&c.guards);
  return t.st;
}
