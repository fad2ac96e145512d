/* eval.c - expressions to values. Host numbers are computed at once; operations
 * on tensors are traced into the block's graph. */
#include <math.h>
#include <stdio.h>

#include "core/eval/lift.h"
#include "core/eval/rewrite.h"
#include "core/eval/complex.h"
#include "core/eval/scalar.h"
#include "core/eval/list.h"
#include "core/lang/parse.h"

/* -- chains of binary operators -------------------------------------------- */

/* An operator chain a op b op c nests to the left; it is walked from the
 * innermost operator outwards. spine[0] is the outermost. */
typedef FS_VEC(const struct fs_expr *) expr_vec;

/* `a && b`, `a || b` with a host truth value on the left: b is evaluated only
 * when it decides. */
static bool short_circuit(const struct fs_expr *e, const struct fs_val *left,
                          struct fs_val *out) {
  if (e->op != FS_AO_AND && e->op != FS_AO_OR) return false;
  if (!fs_val_is_host(left)) return false;
  bool truth = left->number != 0;
  if (truth == (e->op == FS_AO_AND)) return false;
  *out = fs_val_bool(truth);
  return true;
}

static bool is_line(const struct fs_expr *e, const struct fs_val *v, bool row, int64_t *n) {
  if (e->kind != FS_EX_INDEX || !fs_val_like(v)) return false;
  const struct fs_shape *s = &fs_val_like(v)->shape;
  *n = fs_shape_count(s);
  return *n > 1 && (row ? s->rank == 2 && s->dim[0] == 1
                        : s->rank == 1 || (s->rank == 2 && s->dim[1] == 1));
}

/* A[i, :] .* A[:, j]: where parts are vectors of no direction it goes by element. */
static void tell_outer(struct fs_interp *in, const struct fs_expr *e,
                       const struct fs_val *a, const struct fs_val *b) {
  int64_t m = 0, n = 0;
  if (in->lib_depth || e->op == FS_AO_MUL || e->op == FS_AO_SOLVE || e->op == FS_AO_DIV) return;
  bool row = is_line(e->args[0], a, true, &m);
  if (!row && !is_line(e->args[0], a, false, &m)) return;
  if (is_line(e->args[1], b, !row, &n) && m == n)
    fs_tell_other(in->diags, FS_OTHER_OUTER, e->span);
}

static enum fs_status step(struct fs_interp *in, const struct fs_expr *e,
                           struct fs_val *acc) {
  struct fs_val right, out;
  if (short_circuit(e, acc, &out)) {
    *acc = out;
    return FS_OK;
  }
  enum fs_status st = fs_eval(in, e->args[1], &right);
  if (st != FS_OK) return st;
  st = fs_eval_binary(in, e->op, acc, e->args[0]->span, &right,
                      e->args[1]->span, e->span, &out);
  if (st == FS_OK) tell_outer(in, e, acc, &right);
  fs_val_unref(right);
  if (st != FS_OK) return st;
  fs_val_unref(*acc);
  *acc = out;
  return FS_OK;
}

/* A run of `*` from spine[from] outwards to spine[to]: evaluates the factors,
 * then multiplies them as one chain. */
static enum fs_status product_run(struct fs_interp *in, const expr_vec *spine,
                                  int from, int to, struct fs_val *acc) {
  int n = from - to + 2, have = 1;
  struct fs_val *v = fs_calloc((size_t)n, sizeof(*v));
  struct fs_span *s = fs_calloc((size_t)n, sizeof(*s));
  v[0] = *acc;
  s[0] = spine->data[from]->args[0]->span;
  enum fs_status st = FS_OK;
  for (int i = from; i >= to && st == FS_OK; i--) {
    const struct fs_expr *e = spine->data[i];
    s[have] = e->args[1]->span;
    st = fs_eval(in, e->args[1], &v[have]);
    have += st == FS_OK;
  }
  struct fs_span span = spine->data[to]->span;
  struct fs_val out = {FS_V_NONE};
  in->span = span;
  if (st == FS_OK)
    st = in->elementwise ? FS_INCOMPLETE
                         : fs_multiply_chain(in, n, v, s, span, &out);
  if (st == FS_INCOMPLETE) { /* nothing to reorder: left to right */
    st = FS_OK;
    out = fs_val_ref(v[0]);
    for (int k = 1; k < n && st == FS_OK; k++) {
      const struct fs_expr *e = spine->data[from - k + 1];
      struct fs_val next;
      st = fs_eval_binary(in, FS_AO_MUL, &out, e->args[0]->span, &v[k], s[k],
                          e->span, &next);
      fs_val_unref(out);
      out = st == FS_OK ? next : (struct fs_val){FS_V_NONE};
    }
  }
  for (int k = 1; k < have; k++) fs_val_unref(v[k]);
  free(v);
  free(s);
  if (st != FS_OK) return st;
  fs_val_unref(*acc);
  *acc = out;
  return FS_OK;
}

/* (a*b) as written: brackets fix the order of a product. */
static bool in_brackets(const struct fs_expr *e) {
  return e->span.begin < e->args[0]->span.begin;
}

/* `:why` tells it. */
static void tell(struct fs_interp *in, const char *rule, struct fs_span span) {
  struct fs_str text = {0};
  fs_str_printf(&text, "`%s` was applied to `%s`", rule, fs_in_text(in, span));
  fs_lift_keep_reason(in, span, fs_str_text(&text));
  fs_str_free(&text);
}

/* What a rule gives in place of *v: of the same type and shape, or an error. */
static enum fs_status replace(struct fs_interp *in, const struct fs_rewriting *r,
                              struct fs_span span, struct fs_val *v) {
  struct fs_val args[FS_REWRITE_NAMES], got = {FS_V_NONE};
  struct fs_span spans[FS_REWRITE_NAMES];
  const struct fs_tensor *old = v->tensor;
  struct fs_tv t;
  int n = 0;
  for (int k = 0; k < r->n; k++) args[k] = r->args[k], spans[k] = span;
  in->rewriting = true;
  enum fs_status st = fs_call_func(in, r->f, r->n, args, spans, span, 1, &got, &n);
  in->rewriting = false;
  bool array = got.kind == FS_V_TENSOR || fs_val_is_host(&got);
  if (st == FS_OK && array) st = fs_tv_of(in, &got, span, &old->dtype, &t);
  bool same = st == FS_OK && array && t.dtype == old->dtype && fs_shape_equal(&t.shape, &old->shape);
  if (st == FS_OK && !same)
    st = fs_in_error(in, span, "bad-rule", ":rules lists them, :rules drop 1 forgets the first",
                     "`%s` would make %s of %s", r->rule, fs_val_text(&got), fs_val_text(v));
  if (st == FS_OK) {
    tell(in, r->rule, span);
    fs_val_unref(*v);
    *v = fs_tv_value(in, &t);
  }
  fs_val_unref(got);
  return st;
}

/* What an expression has come to, as rules of the user have it. */
static enum fs_status rewritten(struct fs_interp *in, const struct fs_expr *e, enum fs_status st,
                                struct fs_val *out) {
  struct fs_rewriting r;
  if (st != FS_OK || !fs_rewrite_find(in, e, out, &r)) return st;
  r.f->refs++;
  st = replace(in, &r, e->span, out);
  fs_func_unref(r.f);
  for (int k = 0; k < r.n; k++) fs_val_unref(r.args[k]);
  if (st == FS_OK) return FS_OK;
  fs_val_unref(*out);
  *out = (struct fs_val){FS_V_NONE};
  return st;
}

static enum fs_status eval_chain(struct fs_interp *in, const struct fs_expr *e,
                                 struct fs_val *out) {
  expr_vec spine = {0};
  for (; e->kind == FS_EX_BINARY; e = e->args[0]) *FS_PUSH(&spine) = e;
  struct fs_val acc;
  enum fs_status st = fs_eval(in, e, &acc);
  if (st != FS_OK) {
    FS_VEC_FREE(&spine);
    return st;
  }
  for (int i = spine.len - 1; i >= 0 && st == FS_OK;) {
    int to = i;
    while (spine.data[i]->op == FS_AO_MUL && to > 0 &&
           spine.data[to - 1]->op == FS_AO_MUL && !in_brackets(spine.data[to]))
      to--;
    if (to < i)
      st = product_run(in, &spine, i, to, &acc);
    else
      st = step(in, spine.data[i], &acc);
    st = rewritten(in, spine.data[to], st, &acc);
    i = to - 1;
  }
  FS_VEC_FREE(&spine);
  if (st == FS_OK)
    *out = acc;
  else
    fs_val_unref(acc);
  return st;
}

/* -- unary operators ------------------------------------------------------- */

static enum fs_status unary(struct fs_interp *in, const struct fs_expr *e,
                            const struct fs_val *a, struct fs_val *out) {
  if (fs_val_is_host(a)) {
    bool literal = a->literal;
    *out = fs_scalar_value(fs_scalar_unary(e->op, fs_scalar_of(a)));
    out->literal = literal && out->kind == FS_V_NUMBER;
    return FS_OK;
  }
  if (fs_val_is_complex(a)) {
    in->span = e->span;
    return fs_cx_unary(in, e->op, e->plain, a, e->span, out);
  }
  if (a->kind == FS_V_RANGE && e->op == FS_AO_NEG) {
    *out = *a;
    out->start = -a->start;
    out->step = -a->step;
    out->stop = -a->stop;
    return FS_OK;
  }
  struct fs_tv t;
  in->span = e->span;
  enum fs_status st = fs_tv_of(in, a, e->args[0]->span, NULL, &t);
  if (st != FS_OK) return st;
  if (e->op == FS_AO_TRANSPOSE) t = fs_tv_transpose(in, t);
  if (e->op == FS_AO_NEG) t = fs_tv_map1(in, FS_OP_NEG, t);
  if (e->op == FS_AO_NOT) t = fs_tv_map1(in, FS_OP_NOT, t);
  *out = fs_tv_value(in, &t);
  out->literal = a->literal && e->op != FS_AO_NOT;
  return FS_OK;
}

/* Unary operators stack up as well (x''''): from the inside outwards. */
static enum fs_status eval_unary(struct fs_interp *in, const struct fs_expr *e,
                                 const enum fs_dtype *as, struct fs_val *out) {
  expr_vec spine = {0};
  for (; e->kind == FS_EX_UNARY; e = e->args[0]) *FS_PUSH(&spine) = e;
  struct fs_val acc = {FS_V_NONE};
  enum fs_status st = fs_eval_as(in, e, as, &acc);
  for (int i = spine.len - 1; i >= 0 && st == FS_OK; i--) {
    struct fs_val next;
    bool turned = spine.data[i]->op == FS_AO_TRANSPOSE;
    if (in->elementwise && acc.of_element && turned && !fs_val_is_complex(&acc))
      continue; /* of one element */
    st = unary(in, spine.data[i], &acc, &next);
    if (st == FS_OK) next.of_element = acc.of_element;
    fs_val_unref(acc);
    acc = st == FS_OK ? next : (struct fs_val){FS_V_NONE};
    st = rewritten(in, spine.data[i], st, &acc);
  }
  FS_VEC_FREE(&spine);
  if (st == FS_OK) *out = acc;
  return st;
}

/* -- ranges, names --------------------------------------------------------- */

static enum fs_status eval_range(struct fs_interp *in, const struct fs_expr *e,
                                 struct fs_val *out) {
  double part[3] = {0, 1, 0};
  for (int k = 0; k < e->n_args; k++) {
    struct fs_val v;
    enum fs_status st = fs_eval(in, e->args[k], &v);
    if (st != FS_OK) return st;
    st = fs_read_number(in, &v, e->args[k]->span, "a part of a range",
                        &part[k]);
    fs_val_unref(v);
    if (st != FS_OK) return st;
  }
  *out = (struct fs_val){.kind = FS_V_RANGE, .start = part[0], .step = 1};
  out->stop = part[e->n_args - 1];
  if (e->n_args == 3) out->step = part[1];
  if (out->step == 0 || !isfinite(out->start) || !isfinite(out->stop) ||
      !isfinite(out->step))
    return fs_in_error(in, e->span, "bad-range", NULL,
                       "a range needs finite ends and a step that is not 0");
  return FS_OK;
}

static enum fs_status eval_end(struct fs_interp *in, const struct fs_expr *e,
                               struct fs_val *out) {
  if (!in->index_end.len)
    return fs_in_error(in, e->span, "bad-index", NULL,
                       "'end' has a meaning only inside an index");
  int64_t n = in->index_end.data[in->index_end.len - 1];
  *out = fs_val_number((double)n, true);
  return FS_OK;
}

static enum fs_status eval_one_call(struct fs_interp *in,
                                    const struct fs_expr *e,
                                    struct fs_val *out) {
  int got = 0;
  *out = (struct fs_val){FS_V_NONE};
  return fs_eval_call(in, e, 1, out, &got);
}

/* The list is on the stack alone: what ends its making frees it. */
static enum fs_status eval_list(struct fs_interp *in, const struct fs_expr *e,
                                struct fs_val *out) {
  struct fs_list *l = fs_list_new(e->n_args);
  enum fs_status st = FS_OK;
  for (int k = 0; k < e->n_args && st == FS_OK; k++) {
    struct fs_val v;
    st = fs_eval(in, e->args[k], &v);
    if (st == FS_OK && v.kind == FS_V_NONE) st = fs_no_value(in, e->args[k]);
    if (st == FS_OK) fs_list_add(l, e->n_params ? e->params[k].name : NULL, v);
  }
  if (st == FS_OK) st = fs_list_check_depth(in, l->depth, e->span);
  if (st != FS_OK) fs_list_unref(l);
  else *out = (struct fs_val){.kind = e->n_params ? FS_V_RECORD : FS_V_LIST, .list = l};
  return st;
}

static enum fs_status eval_field(struct fs_interp *in, const struct fs_expr *e,
                                 struct fs_val *out) {
  struct fs_val base;
  enum fs_status st = fs_eval(in, e->args[0], &base);
  if (st != FS_OK) return st;
  st = fs_list_field(in, &base, e->text, e->op_span, out);
  fs_val_unref(base);
  return st;
}

static enum fs_status eval_array(struct fs_interp *in, const struct fs_expr *e,
                                 const enum fs_dtype *as, struct fs_val *out);

static struct fs_val imaginary(double x) {
  struct fs_val re = fs_val_number(0, false), im = fs_val_number(x, false);
  re.literal = im.literal = true;
  return fs_val_complex(re, im);
}

static enum fs_status eval_kind(struct fs_interp *in, const struct fs_expr *e,
                                struct fs_val *out) {
  switch (e->kind) {
    case FS_EX_NUMBER:
      *out = fs_val_number(e->number, e->is_int);
      out->literal = true;
      return FS_OK;
    case FS_EX_IMAGINARY: *out = imaginary(e->number); return FS_OK;
    case FS_EX_BOOL: *out = fs_val_bool(e->number != 0); return FS_OK;
    case FS_EX_STRING: *out = fs_val_string(e->text, e->text_len); return FS_OK;
    case FS_EX_NAME:
      if (fs_lookup(in, e->text, out)) return FS_OK;
      return fs_unknown_name(in, e->text, e->span);
    case FS_EX_END: return eval_end(in, e, out);
    case FS_EX_COLON:
      return fs_in_error(in, e->span, "bad-index", NULL,
                         "':' alone has a meaning only inside an index");
    case FS_EX_UNARY: return eval_unary(in, e, NULL, out);
    case FS_EX_BINARY: return eval_chain(in, e, out);
    case FS_EX_RANGE: return eval_range(in, e, out);
    case FS_EX_CALL: return rewritten(in, e, eval_one_call(in, e, out), out);
    case FS_EX_INDEX: return fs_eval_index(in, e, out);
    case FS_EX_ARRAY: return eval_array(in, e, NULL, out);
    case FS_EX_LIST: return eval_list(in, e, out);
    case FS_EX_FIELD: return eval_field(in, e, out);
    case FS_EX_LAMBDA: *out = fs_make_lambda(in, e); return FS_OK;
    case FS_EX_VALUES: break; /* by its statement alone */
  }
  return fs_in_error(in, e->span, "wrong-type", NULL, "unknown expression");
}

/* What is made of elements is one, too. */
enum fs_status fs_eval(struct fs_interp *in, const struct fs_expr *e,
                       struct fs_val *out) {
  enum fs_status st = fs_poll(in, e->span);
  if (st != FS_OK || !in->elementwise) return st == FS_OK ? eval_kind(in, e, out) : st;
  bool before = in->saw_element;
  in->saw_element = false;
  st = eval_kind(in, e, out);
  if (st == FS_OK) out->of_element = in->saw_element |= out->of_element;
  in->saw_element |= before;
  return st;
}

/* -- array literals -------------------------------------------------------- */

/* [1, 2; 3, 4] of host numbers: one upload. A single row of scalars is a vector:
 * [1, 2, 3] is a column of three, as is [1; 2; 3]; [1, 2, 3]' is a row. */
static enum fs_status upload_numbers(struct fs_interp *in,
                                     const struct fs_expr *e,
                                     const struct fs_val *v,
                                     const enum fs_dtype *as,
                                     struct fs_val *out) {
  int cols = e->n_args ? e->row_len[0] : 0;
  bool bools = e->n_args > 0, whole = true; /* whole: as f32, too */
  for (int k = 0; k < e->n_args; k++) {
    bools = bools && v[k].kind == FS_V_BOOL;
    whole = whole && v[k].number == floor(v[k].number) && fabs(v[k].number) <= 0x1p24;
  }
  enum fs_dtype dt = bools ? FS_BOOL : !as ? in->floats : *as != FS_F32 ? FS_F64 : FS_F32;
  bool vector = e->n_rows <= 1 || cols == 1;
  struct fs_shape shape =
      vector ? fs_shape_of(1, (int64_t[]){e->n_args})
             : fs_shape_of(2, (int64_t[]){e->n_rows, cols});
  size_t size = fs_dtype_size(dt);
  char *raw = fs_malloc((size_t)e->n_args * size);
  for (int k = 0; k < e->n_args; k++) /* integers are those of truth values */
    fs_element_put(dt, raw + (size_t)k * size,
                   (struct fs_number){v[k].number, bools && v[k].number != 0});
  struct fs_tensor *t = NULL;
  enum fs_status st =
      fs_tensor_upload(in->target, dt, &shape, raw, &t, in->diags);
  free(raw);
  if (st == FS_OK) *out = fs_val_tensor(t);
  if (st == FS_OK) out->literal = whole;
  return st;
}

/* The parts of an array; with `as`, numbers and ranges that would lose something beside
 * the others keep it until the whole is converted. */
static enum fs_status array_parts(struct fs_interp *in, const struct fs_expr *e,
                                  const struct fs_val *v, const enum fs_dtype *as,
                                  const struct fs_span *spans, struct fs_tv *part) {
  static const enum fs_dtype most = FS_F64;
  enum fs_status st = fs_tv_operands(in, e->n_args, v, spans, part);
  for (int k = 0; k < e->n_args && st == FS_OK && as; k++) {
    bool host = v[k].kind == FS_V_NUMBER || v[k].kind == FS_V_RANGE;
    if (host && fs_dtype_is_float(part[k].dtype) && part[k].dtype != *as)
      st = fs_tv_of(in, &v[k], spans[k], &most, &part[k]);
  }
  return st;
}

static enum fs_status concat_all(struct fs_interp *in, const struct fs_expr *e,
                                 const struct fs_val *v, const enum fs_dtype *as,
                                 struct fs_val *out) {
  struct fs_tv *part = fs_calloc((size_t)e->n_args + 1, sizeof(*part));
  struct fs_tv *row = fs_calloc((size_t)e->n_rows + 1, sizeof(*row));
  struct fs_span *spans = fs_calloc((size_t)e->n_args + 1, sizeof(*spans));
  struct fs_span *rows = fs_calloc((size_t)e->n_rows + 1, sizeof(*rows));
  bool scalars = true;
  struct fs_tv whole;
  for (int k = 0; k < e->n_args; k++) spans[k] = e->args[k]->span;
  enum fs_status st = array_parts(in, e, v, as, spans, part);
  for (int k = 0; k < e->n_args && st == FS_OK; k++)
    scalars = scalars && (part[k].shape.rank == 0 || fs_tv_is_none(&part[k]));
  in->span = e->span;
  if (st == FS_OK && scalars && e->n_rows == 1) {
    st = fs_tv_concat(in, 1, e->n_args, part, spans, e->span, &whole);
  } else if (st == FS_OK) {
    int at = 0;
    for (int r = 0; r < e->n_rows && st == FS_OK; r++) {
      rows[r] = fs_span_join(spans[at], spans[at + e->row_len[r] - 1]);
      st = fs_tv_concat(in, 2, e->row_len[r], part + at, spans + at, e->span,
                        &row[r]);
      at += e->row_len[r];
    }
    if (st == FS_OK)
      st = fs_tv_concat(in, 1, e->n_rows, row, rows, e->span, &whole);
  }
  if (st == FS_OK && whole.shape.rank == 0) whole.shape = (struct fs_shape){1, {1}};
  if (st == FS_OK) *out = fs_tv_value(in, &whole);
  free(part);
  free(row);
  free(spans);
  free(rows);
  return st;
}

/* Whether NumPy has another shape for it: [[1, 2], [3, 4]], [[1], [2]], [[1, 2]]. */
static bool are_rows_elsewhere(const struct fs_expr *e, const struct fs_val *v) {
  bool other = e->n_args > 1 && e->n_rows == 1;
  for (int k = 0; k < e->n_args; k++) {
    const struct fs_expr *row = e->args[k];
    if (row->kind != FS_EX_ARRAY || row->n_rows != 1 || v[k].kind != FS_V_TENSOR ||
        v[k].tensor->shape.rank != 1)
      return false;
    other |= row->n_args > 1;
  }
  return other;
}

static enum fs_status check_elements(struct fs_interp *in,
                                     const struct fs_expr *e,
                                     const struct fs_val *v, bool *numbers) {
  *numbers = true;
  for (int k = 0; k < e->n_args; k++) {
    if (v[k].kind == FS_V_STRING || v[k].kind == FS_V_FUNCTION ||
        v[k].kind == FS_V_NONE)
      return fs_in_error(in, e->args[k]->span, "wrong-type", NULL,
                         "an array holds numbers, not %s", fs_val_text(&v[k]));
    *numbers = *numbers && (fs_val_is_host(&v[k]) || fs_val_is_complex_number(&v[k]));
  }
  if (!in->lib_depth && are_rows_elsewhere(e, v)) fs_tell_other(in->diags, FS_OTHER_ROWS, e->span);
  if (!*numbers) return FS_OK;
  for (int r = 1; r < e->n_rows; r++)
    if (e->row_len[r] != e->row_len[0])
      return fs_in_error(in, e->span, "shape-mismatch",
                         "all rows need the same number of elements",
                         "row 1 has %d elements, row %d has %d", e->row_len[0],
                         r + 1, e->row_len[r]);
  return FS_OK;
}

/* The imaginary part of an element of an array, in the shape and type that the real one has. */
static enum fs_status imaginary_part(struct fs_interp *in, const struct fs_val *v,
                                     struct fs_span span, struct fs_val *out) {
  struct fs_tv t, zero;
  *out = fs_cx_part(v, 1);
  if (fs_val_is_host(v) || fs_val_is_complex(v)) return FS_OK;
  enum fs_status st = fs_tv_of(in, v, span, NULL, &t);
  if (st != FS_OK) return st;
  zero = fs_tv_fill(in, t.dtype, &t.shape, 0);
  *out = fs_tv_value(in, &zero);
  return FS_OK;
}

typedef enum fs_status put_together(struct fs_interp *in, const struct fs_expr *e,
                                    const struct fs_val *v, const enum fs_dtype *as,
                                    struct fs_val *out);

/* An array of which some elements are complex: its real and its imaginary one. */
static enum fs_status complex_array(struct fs_interp *in, const struct fs_expr *e,
                                    const struct fs_val *v, put_together *put,
                                    const enum fs_dtype *as, struct fs_val *out) {
  struct fs_val *part = fs_calloc((size_t)e->n_args, sizeof *part), made[2] = {{0}, {0}};
  enum fs_status st = FS_OK;
  for (int p = 0; p < 2 && st == FS_OK; p++) {
    int have = 0;
    for (; have < e->n_args && st == FS_OK; have += st == FS_OK)
      st = p ? imaginary_part(in, &v[have], e->args[have]->span, &part[have])
             : (part[have] = fs_cx_part(&v[have], 0), FS_OK);
    if (st == FS_OK) st = put(in, e, part, as, &made[p]);
    for (int k = 0; k < have; k++) fs_val_unref(part[k]);
  }
  free(part);
  struct fs_cx z = {.real = false};
  if (st == FS_OK) st = fs_tv_of(in, &made[0], e->span, NULL, &z.re);
  if (st == FS_OK) st = fs_tv_of(in, &made[1], e->span, NULL, &z.im);
  if (st == FS_OK)
    *out = fs_cx_value_as(in, &z, fs_cx_part_type(fs_dtype_promote(z.re.dtype, z.im.dtype)));
  fs_val_unref(made[0]);
  fs_val_unref(made[1]);
  return st;
}

static enum fs_status eval_array(struct fs_interp *in, const struct fs_expr *e,
                                 const enum fs_dtype *as, struct fs_val *out) {
  struct fs_val *v = fs_calloc((size_t)e->n_args + 1, sizeof(*v));
  enum fs_status st = FS_OK;
  int have = 0;
  for (; have < e->n_args && st == FS_OK; have += st == FS_OK)
    st = fs_eval_as(in, e->args[have], as, &v[have]);
  for (int k = 0; k < have && st == FS_OK; k++)
    st = fs_refuse_element(in, &v[k], e->args[k]->span, "[ ]");
  bool numbers = false, complex = false;
  in->span = e->span;
  if (st == FS_OK) st = check_elements(in, e, v, &numbers);
  for (int k = 0; k < have; k++) complex = complex || fs_val_is_complex(&v[k]);
  put_together *put = numbers ? upload_numbers : concat_all;
  if (st == FS_OK)
    st = complex ? complex_array(in, e, v, put, as, out) : put(in, e, v, as, out);
  for (int k = 0; k < have; k++) fs_val_unref(v[k]);
  free(v);
  return st;
}

enum fs_status fs_eval_as(struct fs_interp *in, const struct fs_expr *e,
                          const enum fs_dtype *as, struct fs_val *out) {
  if (as && e->kind == FS_EX_ARRAY) return eval_array(in, e, as, out);
  if (as && e->kind == FS_EX_UNARY) return eval_unary(in, e, as, out);
  return fs_eval(in, e, out);
}
