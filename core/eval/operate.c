/* operate.c - what an operator gives for two values: numbers of the host are computed at
 * once, tensors are traced into the block's graph. */
#include <stdio.h>

#include "core/eval/complex.h"
#include "core/eval/list.h"
#include "core/eval/scalar.h"
#include "core/lang/parse.h"

/* -- inside map() ----------------------------------------------------------- */

enum fs_status fs_refuse_element(struct fs_interp *in, const struct fs_val *v,
                                 struct fs_span span, const char *what) {
  const struct fs_tensor *t = fs_val_like(v);
  bool array = v->kind == FS_V_RANGE || (t && t->shape.rank > 0);
  if (!in->elementwise || !v->of_element || !array) return FS_OK;
  return fs_in_error(in, span, "element",
                     "it is called with the array itself, outside of map",
                     "map gives the function single elements, and %s takes an array", what);
}

static bool is_array(const struct fs_val *v, struct fs_shape *shape) {
  const struct fs_tensor *t = fs_val_like(v);
  if (v->kind == FS_V_RANGE) *shape = (struct fs_shape){1, {fs_range_count(v)}};
  else if (t) *shape = t->shape;
  else return false;
  return fs_shape_count(shape) > 1;
}

enum fs_status fs_several_each(struct fs_interp *in, struct fs_span span,
                               const struct fs_shape *shape) {
  return fs_in_error(in, span, "element",
                     "rows and columns are taken all at once, as in A*w and sum(A, 2), or one "
                     "by one by a loop",
                     "map needs one number for each element, and %s is an array of %s",
                     fs_in_text(in, span), fs_shape_text(shape));
}

enum fs_status fs_refuse_mixture(struct fs_interp *in, int n, const struct fs_val *v,
                                 const struct fs_span *spans) {
  struct fs_shape shape, array = {0};
  int whole = -1, elements = 0;
  for (int k = 0; in->elementwise && k < n; k++) {
    elements += v[k].of_element;
    if (!v[k].of_element && is_array(&v[k], &shape)) {
      whole = k;
      array = shape;
    }
  }
  return whole < 0 || !elements ? FS_OK : fs_several_each(in, spans[whole], &array);
}

/* -- host arithmetic ------------------------------------------------------- */

static int compare_texts(const struct fs_string *a, const struct fs_string *b) {
  int order = memcmp(a->text, b->text, FS_MIN(a->len, b->len));
  return order ? order : (a->len > b->len) - (a->len < b->len);
}

static enum fs_status string_binary(struct fs_interp *in, enum fs_ast_op op,
                                    const struct fs_val *a,
                                    const struct fs_val *b,
                                    struct fs_span span, struct fs_val *out) {
  bool both = a->kind == FS_V_STRING && b->kind == FS_V_STRING;
  if (op == FS_AO_EQ || op == FS_AO_NE) {
    bool same = both && a->string->len == b->string->len &&
                memcmp(a->string->text, b->string->text, a->string->len) == 0;
    *out = fs_val_bool(same == (op == FS_AO_EQ));
    return FS_OK;
  }
  if (both && op >= FS_AO_LT && op <= FS_AO_GE) { /* as UTF-8 lies, so do code points */
    int order = compare_texts(a->string, b->string);
    *out = fs_val_bool(op == FS_AO_LT   ? order < 0
                       : op == FS_AO_LE ? order <= 0
                       : op == FS_AO_GT ? order > 0
                                        : order >= 0);
    return FS_OK;
  }
  if (op != FS_AO_ADD)
    return fs_in_error(in, span, "wrong-type",
                       "strings can be joined by + and compared",
                       "this operator does not work on %s and %s",
                       fs_val_text(a), fs_val_text(b));
  const struct fs_val *side[2] = {a, b};
  const char *part[2] = {NULL, NULL};
  size_t len[2] = {0, 0};
  struct fs_str text[2] = {{0}, {0}};
  enum fs_status st = FS_OK;
  for (int k = 0; k < 2 && st == FS_OK; k++) {
    if (side[k]->kind != FS_V_STRING) st = fs_val_print(in, side[k], &text[k]);
    bool is_text = side[k]->kind == FS_V_STRING;
    part[k] = is_text ? side[k]->string->text : fs_str_text(&text[k]);
    len[k] = is_text ? side[k]->string->len : text[k].len;
  }
  if (st == FS_OK) *out = fs_val_joined(part[0], len[0], part[1], len[1]);
  fs_str_free(&text[0]);
  fs_str_free(&text[1]);
  return st;
}

/* Whether two values are the same: numbers by value, arrays in shape and all elements. */
static enum fs_status same_value(struct fs_interp *in, const struct fs_val *a,
                                 const struct fs_val *b, struct fs_span span, bool *same) {
  struct fs_tv t[2], all;
  struct fs_span spans[2] = {span, span};
  bool lists = fs_is_list(a) && a->kind == b->kind && a->list->len == b->list->len;
  *same = false;
  if (a->kind == FS_V_STRING || b->kind == FS_V_STRING) {
    *same = a->kind == b->kind && !compare_texts(a->string, b->string);
    return FS_OK;
  }
  if (a->kind == FS_V_FUNCTION || b->kind == FS_V_FUNCTION || fs_is_list(a) || fs_is_list(b)) {
    *same = lists || (a->kind == b->kind && a->func && a->func == b->func);
    enum fs_status st = FS_OK;
    for (int64_t k = 0; lists && k < a->list->len && *same && st == FS_OK; k++) {
      int64_t other = a->list->names ? fs_list_find(b->list, a->list->names[k]) : k;
      *same = other >= 0;
      if (*same) st = same_value(in, &a->list->items[k], &b->list->items[other], span, same);
    }
    return st;
  }
  enum fs_status st = fs_tv_of(in, a, span, NULL, &t[0]);
  struct fs_val keep = {FS_V_NONE}; /* to read the other one may end the block */
  if (st == FS_OK) keep = fs_tv_value(in, &t[0]);
  if (st == FS_OK) st = fs_tv_of(in, b, span, NULL, &t[1]);
  if (st == FS_OK) st = fs_tv_of(in, &keep, span, NULL, &t[0]);
  fs_val_unref(keep);
  if (st != FS_OK || !fs_shape_equal(&t[0].shape, &t[1].shape)) return st;
  st = fs_tv_map(in, FS_OP_EQ, 2, t, spans, span, "==", &all);
  if (st != FS_OK) return st;
  all = fs_tv_reduce(in, FS_RD_ALL, all, 0);
  keep = fs_tv_value(in, &all);
  st = fs_read_bool(in, &keep, span, same);
  fs_val_unref(keep);
  return st;
}

/* Of lists and records: whether they are the same; lists one behind the other. */
static enum fs_status list_binary(struct fs_interp *in, enum fs_ast_op op, const struct fs_val *a,
                                  const struct fs_val *b, struct fs_span span,
                                  struct fs_val *out) {
  bool same = false;
  if (op == FS_AO_EQ || op == FS_AO_NE) {
    enum fs_status st = same_value(in, a, b, span, &same);
    if (st == FS_OK) *out = fs_val_bool(same == (op == FS_AO_EQ));
    return st;
  }
  if (op != FS_AO_ADD || a->kind != FS_V_LIST || b->kind != FS_V_LIST)
    return fs_in_error(in, span, "wrong-type",
                       op == FS_AO_ADD && fs_is_list(a) ? "l + {x} is a list with x at its end"
                                                        : "lists can be joined by + and compared by ==",
                       "this operator does not work on %s and %s", fs_val_text(a), fs_val_text(b));
  struct fs_list *l = fs_list_new(a->list->len + b->list->len);
  for (int64_t k = 0; k < a->list->len; k++) fs_list_add(l, NULL, fs_val_ref(a->list->items[k]));
  for (int64_t k = 0; k < b->list->len; k++) fs_list_add(l, NULL, fs_val_ref(b->list->items[k]));
  *out = (struct fs_val){.kind = FS_V_LIST, .list = l};
  return FS_OK;
}

/* -- traced operators ------------------------------------------------------ */

static const struct {
  enum fs_ast_op ast;
  enum fs_map_op op;
  const char *text;
} elementwise[] = {
    {FS_AO_ADD, FS_OP_ADD, "+"},   {FS_AO_SUB, FS_OP_SUB, "-"},
    {FS_AO_EMUL, FS_OP_MUL, ".*"}, {FS_AO_EDIV, FS_OP_DIV, "./"},
    {FS_AO_EQ, FS_OP_EQ, "=="},    {FS_AO_NE, FS_OP_NE, "!="},
    {FS_AO_LT, FS_OP_LT, "<"},     {FS_AO_LE, FS_OP_LE, "<="},
    {FS_AO_GT, FS_OP_GT, ">"},     {FS_AO_GE, FS_OP_GE, ">="},
    {FS_AO_AND, FS_OP_AND, "&&"},  {FS_AO_OR, FS_OP_OR, "||"},
};

struct operands {
  struct fs_val v[2];
  struct fs_span s[2], span;
};

static bool is_matrix(const struct fs_shape *s) {
  return s->rank > 2 || (s->rank == 2 && s->dim[0] != 1 && s->dim[1] != 1);
}

static enum fs_status divide(struct fs_interp *in, const struct operands *o,
                             const struct fs_tv *src, struct fs_tv *out) {
  if (fs_tv_is_one(&src[1]))
    return fs_tv_map(in, FS_OP_DIV, 2, src, o->s, o->span, "/", out);
  struct fs_tv b_turned, x;
  struct fs_shape left = fs_matrix_of(&src[0].shape), right = fs_matrix_of(&src[1].shape);
  if (is_matrix(&src[1].shape) && left.dim[1] == right.dim[1] &&
      src[0].shape.rank >= 2) { /* x*A = b */
    b_turned = fs_tv_transpose(in, src[0]);
    enum fs_status st = fs_tv_solve(in, fs_tv_transpose(in, src[1]), o->s[1], b_turned, o->s[0],
                                    o->span, &x);
    if (st == FS_OK) *out = fs_tv_transpose(in, x);
    return st;
  }
  const char *b = fs_in_text(in, o->s[1]);
  char hint[200];
  int n = snprintf(hint, sizeof(hint), "elementwise division is %s./%s",
                   fs_in_operand(in, o->s[0]), fs_in_operand(in, o->s[1]));
  if (is_matrix(&src[1].shape) && n < (int)sizeof hint)
    snprintf(hint + n, sizeof hint - (size_t)n, "; b/A solves x*A = b for a b of %lld columns",
             (long long)right.dim[1]);
  return fs_in_error(in, o->span, "shape-mismatch", hint,
                     "/ divides by a scalar, or solves x*A = b: %s is %s", b,
                     fs_shape_text(&src[1].shape));
}

static enum fs_status power(struct fs_interp *in, const struct operands *o,
                            struct fs_tv *out) {
  bool a_one = o->v[0].kind != FS_V_TENSOR ||
               fs_shape_count(&o->v[0].tensor->shape) == 1;
  bool b_one = o->v[1].kind != FS_V_TENSOR ||
               fs_shape_count(&o->v[1].tensor->shape) == 1;
  if (a_one && b_one && o->v[0].kind != FS_V_RANGE)
    return fs_tv_epow(in, &o->v[0], o->s[0], &o->v[1], o->s[1], o->span, out);
  int64_t n = 0;
  enum fs_status st = FS_OK;
  if (!b_one || o->v[0].kind != FS_V_TENSOR)
    return fs_in_error(in, o->span, "wrong-type",
                       "for the power of every element write .^",
                       "^ takes a square matrix and a whole number");
  st = fs_read_int(in, &o->v[1], o->s[1], "the exponent of a matrix", &n);
  struct fs_tv a;
  if (st == FS_OK) st = fs_tv_of(in, &o->v[0], o->s[0], NULL, &a);
  if (st != FS_OK) return st;
  return fs_tv_power(in, a, o->s[0], n, o->span, out);
}

static enum fs_status traced_binary(struct fs_interp *in, enum fs_ast_op op,
                                    const struct operands *o,
                                    struct fs_tv *out) {
  if (op == FS_AO_POW) return power(in, o, out);
  if (op == FS_AO_EPOW)
    return fs_tv_epow(in, &o->v[0], o->s[0], &o->v[1], o->s[1], o->span, out);
  struct fs_tv src[2];
  enum fs_status st = fs_tv_operands(in, 2, o->v, o->s, src);
  if (st != FS_OK) return st;
  if (op == FS_AO_MUL)
    return fs_tv_multiply(in, src[0], o->s[0], src[1], o->s[1], o->span, out);
  if (op == FS_AO_SOLVE)
    return fs_tv_solve(in, src[0], o->s[0], src[1], o->s[1], o->span, out);
  if (op == FS_AO_DIV) return divide(in, o, src, out);
  for (size_t k = 0; k < FS_LEN(elementwise); k++)
    if (elementwise[k].ast == op)
      return fs_tv_map(in, elementwise[k].op, 2, src, o->s, o->span,
                       elementwise[k].text, out);
  return fs_in_error(in, o->span, "wrong-type", NULL, "no such operator");
}

/* What an operator means for the elements that map() hands out one by one. */
static enum fs_ast_op elementwise_form(enum fs_ast_op op) {
  if (op == FS_AO_MUL) return FS_AO_EMUL;
  if (op == FS_AO_DIV) return FS_AO_EDIV;
  return op == FS_AO_POW ? FS_AO_EPOW : op;
}

bool fs_operator_map(enum fs_ast_op op, enum fs_map_op *out) {
  for (size_t k = 0; k < FS_LEN(elementwise); k++) {
    if (elementwise[k].ast != elementwise_form(op)) continue;
    *out = elementwise[k].op;
    return true;
  }
  return false;
}

bool fs_map_operator(enum fs_map_op op, enum fs_ast_op *out) {
  *out = FS_AO_EPOW;
  for (size_t k = 0; k < FS_LEN(elementwise); k++) {
    if (elementwise[k].op != op) continue;
    *out = elementwise[k].ast;
    return true;
  }
  return op == FS_OP_POW;
}

const char *fs_operator_text(enum fs_ast_op op) {
  for (size_t k = 0; k < FS_LEN(elementwise); k++)
    if (elementwise[k].ast == op) return elementwise[k].text;
  return ".^";
}

/* Of values of which one is complex. */
static enum fs_status complex_binary(struct fs_interp *in, enum fs_ast_op op,
                                     const struct operands *o, bool of_element,
                                     struct fs_val *out) {
  in->span = o->span;
  enum fs_status st = fs_refuse_mixture(in, 2, o->v, o->s);
  if (st == FS_OK && op == FS_AO_SOLVE) st = fs_block_alone(in);
  if (st == FS_OK) st = fs_cx_binary(in, op, o->v, o->s, o->span, out);
  if (st == FS_OK) out->of_element = of_element;
  return st;
}

enum fs_status fs_eval_binary(struct fs_interp *in, enum fs_ast_op op,
                              const struct fs_val *a, struct fs_span a_span,
                              const struct fs_val *b, struct fs_span b_span,
                              struct fs_span span, struct fs_val *out) {
  bool of_element = in->elementwise && (a->of_element || b->of_element);
  if (of_element) op = elementwise_form(op);
  if (fs_val_is_host(a) && fs_val_is_host(b)) {
    *out = fs_scalar_value(fs_scalar_binary(op, fs_scalar_of(a), fs_scalar_of(b)));
    out->literal = a->literal && b->literal && out->kind == FS_V_NUMBER;
    return FS_OK;
  }
  if (a->kind == FS_V_STRING || b->kind == FS_V_STRING)
    return string_binary(in, op, a, b, span, out);
  if (fs_is_list(a) || fs_is_list(b)) return list_binary(in, op, a, b, span, out);
  struct operands o = {{*a, *b}, {a_span, b_span}, span};
  struct fs_tv t;
  if (fs_val_is_complex(a) || fs_val_is_complex(b))
    return complex_binary(in, op, &o, of_element, out);
  in->span = span;
  enum fs_status st = fs_refuse_mixture(in, 2, o.v, o.s);
  bool solves = op == FS_AO_SOLVE || (op == FS_AO_DIV && b->kind == FS_V_TENSOR &&
                                      is_matrix(&b->tensor->shape));
  if (st == FS_OK && solves) st = fs_block_alone(in);
  if (st == FS_OK) st = traced_binary(in, op, &o, &t);
  if (st != FS_OK) return st;
  *out = fs_tv_value(in, &t);
  out->of_element = of_element;
  return FS_OK;
}
