/* call.c - calling functions: users' own, lambdas, elementary functions and
 * builtins. Bodies are traced into the caller's block. */
#include <stdio.h>

#include "core/eval/complex.h"
#include "core/eval/elem.h"
#include "core/eval/kernel.h"
#include "core/lang/parse.h"

enum { MAX_CALLS = 200 };

/* -- making functions ------------------------------------------------------ */

static struct fs_func *user_function(struct fs_interp *in, const char *name) {
  struct fs_func *f = fs_func_new(FS_FN_USER, name);
  f->unit = fs_unit_ref(in->units.data[in->units.len - 1]);
  f->from_prelude = in->loading_prelude || in->scope->prelude;
  return f;
}

/* Whether every call gives the name a value before anything reads it: in f(x, k = k),
 * k is first what it is around. */
static bool is_given(const struct fs_func *f, const char *name) {
  for (int i = 0; i < f->n_params; i++)
    if (strcmp(f->params[i].name, name) == 0) return !f->params[i].value;
  return false;
}

static void capture(struct fs_interp *in, struct fs_func *f, const char *name) {
  if (is_given(f, name)) return;
  for (int i = 0; i < f->captures.len; i++)
    if (strcmp(f->captures.data[i].name, name) == 0) return;
  struct fs_val *v = fs_scope_find(in->scope, name);
  if (!v && !in->scope->sealed && !in->scope->prelude)
    v = fs_scope_find(&in->globals, name);
  if (v)
    *FS_PUSH(&f->captures) = (struct fs_capture){name, fs_val_ref(*v)};
}

/* Captures by value what the body mentions. */
static void capture_names(struct fs_interp *in, struct fs_func *f,
                          const struct fs_expr *e) {
  for (; e; e = e->n_args ? e->args[0] : NULL) {
    if (e->kind == FS_EX_NAME) capture(in, f, e->text);
    for (int k = 1; k < e->n_args; k++) capture_names(in, f, e->args[k]);
  }
}

struct fs_val fs_make_lambda(struct fs_interp *in, const struct fs_expr *e) {
  struct fs_func *f = user_function(in, NULL);
  f->n_params = e->n_params;
  f->params = e->params;
  f->expr = e->args[0];
  f->span = e->span;
  capture_names(in, f, e->args[0]);
  return fs_val_func(f);
}

/* A function defined inside a function keeps the values that it sees there. */
static void capture_scope(struct fs_interp *in, struct fs_func *f) {
  if (!in->call_depth) return;
  for (int i = 0; i < in->scope->vars.len; i++) {
    const char *name = in->scope->vars.data[i].name;
    if (is_given(f, name)) continue;
    char *kept = fs_arena_strndup(f->unit->arena, name, strlen(name));
    *FS_PUSH(&f->captures) =
        (struct fs_capture){kept, fs_val_ref(in->scope->vars.data[i].value)};
  }
}

struct fs_val fs_make_function(struct fs_interp *in, const struct fs_stmt *s) {
  struct fs_func *f = user_function(in, s->targets[0].name);
  f->n_params = s->n_params;
  f->params = s->params;
  f->body = s->body;
  f->expr = s->expr;
  f->span = s->span;
  capture_scope(in, f);
  return fs_val_func(f);
}

/* -- calls ----------------------------------------------------------------- */

static const char *func_name(const struct fs_func *f) {
  return f->name ? f->name : "this function";
}

/* "cg(A, b, tol, steps)"; nothing of a lambda, which has no name. */
static void put_signature(const struct fs_func *f, struct fs_str *out) {
  if (f->kind == FS_FN_BUILTIN) {
    fs_str_puts(out, f->builtin->signature ? f->builtin->signature : "");
    return;
  }
  if (!f->name) return;
  fs_str_puts(out, f->name);
  fs_func_put_params(f, out);
}

static enum fs_status arity_error(struct fs_interp *in, const struct fs_func *f,
                                  int min, int max, int n,
                                  struct fs_span span) {
  char hint[300], count[40];
  const char *other = f->name ? fs_elsewhere_arguments(f->name) : NULL;
  struct fs_str s = {0};
  put_signature(f, &s);
  snprintf(hint, sizeof(hint), "it is called as %.160s%s%s", fs_str_text(&s),
           other ? "; " : "", other ? other : "");
  const char *given = s.len ? hint : NULL;
  fs_str_free(&s);
  if (max < 0)
    snprintf(count, sizeof(count), "at least %d", min);
  else if (min == max)
    snprintf(count, sizeof(count), "%d", min);
  else
    snprintf(count, sizeof(count), "%d to %d", min, max);
  return fs_in_error(in, span, "wrong-count", given,
                     "%.100s takes %s argument%s, not %d", func_name(f), count,
                     min == 1 && max <= 1 ? "" : "s", n);
}

/* Whether a function takes its arguments element by element, or does not look at them. */
static bool is_for_elements(const struct fs_builtin *b, int n) {
  if (b->traits & FS_BT_WHOLE) return false;
  return !(b->traits & FS_BT_MAP) || n > 1 || (b->data != FS_OP_MAX && b->data != FS_OP_MIN);
}

/* What a built-in function leaves to the prelude: norm(x, p), of more arguments than it takes, is
 * norm_more(x, p); Q, R = qr(Z) of complex values qr_complex(Z), and qr(Z) qr_alone(Z). NULL:
 * nothing. */
static struct fs_func *with_more(struct fs_interp *in, const struct fs_func *f, int n,
                                 const struct fs_val *args, int want) {
  static const char *const endings[] = {"more", "alone", "complex"};
  if (f->kind != FS_FN_BUILTIN) return NULL;
  bool more = f->builtin->max_args >= 0 && n > f->builtin->max_args;
  bool complex = n == 1 && fs_val_is_complex(&args[0]);
  const struct fs_val *v = NULL;
  for (int k = 0; k < 3 && !v && (more || complex); k++) {
    if (k == 0 ? !more : more || (k == 1 && want > 1)) continue;
    struct fs_str name = {0};
    fs_str_printf(&name, "%s_%s", f->name, endings[k]);
    v = fs_scope_find(&in->prelude, fs_str_text(&name));
    fs_str_free(&name);
  }
  return v && n >= fs_func_needs(v->func) && n <= fs_func_takes(v->func) ? v->func : NULL;
}

static enum fs_status call_builtin(struct fs_interp *in, struct fs_func *f,
                                   int n, struct fs_val *args,
                                   const struct fs_span *spans,
                                   struct fs_span span, int want,
                                   struct fs_val *out, int *got) {
  const struct fs_builtin *b = f->builtin;
  if (n < b->min_args || (b->max_args >= 0 && n > b->max_args))
    return arity_error(in, f, b->min_args, b->max_args, n, span);
  for (int k = 0; k < want; k++) out[k] = (struct fs_val){FS_V_NONE};
  for (int k = 0; in->elementwise && k < n && !is_for_elements(b, n); k++) {
    enum fs_status bad = fs_refuse_element(in, &args[k], span, b->name);
    if (bad != FS_OK) return bad;
  }
  if (in->elementwise && (b->traits & FS_BT_MAP)) {
    enum fs_status bad = fs_refuse_mixture(in, n, args, spans);
    if (bad != FS_OK) return bad;
  }
  struct fs_call c = {in, b, n, args, span, spans, want, out};
  enum fs_status st = b->traits & FS_BT_LATE ? fs_block_alone(in) : FS_OK;
  in->span = span;
  if (st == FS_OK) st = fs_takes_complex(&c) ? fs_cx_call(&c) : b->fn(&c);
  if (st != FS_OK) return st;
  while (*got < want && out[*got].kind != FS_V_NONE) ++*got;
  return FS_OK;
}

/* Moves the results of `return` out; what is not wanted is dropped. */
static void take_results(struct fs_interp *in, int want, struct fs_val *out,
                         int *got) {
  *got = FS_MIN(want, in->results.len);
  for (int i = 0; i < in->results.len; i++) {
    if (i < want)
      out[i] = in->results.data[i];
    else
      fs_val_unref(in->results.data[i]);
  }
  in->results.len = 0;
}

static enum fs_status run_body(struct fs_interp *in, const struct fs_func *f,
                               int want, struct fs_val *out, int *got) {
  const struct fs_expr *e =
      f->kind == FS_FN_ELEM ? f->elem->define : f->expr;
  if (e) {
    enum fs_status st = fs_eval(in, e, &out[0]);
    *got = st == FS_OK;
    return st;
  }
  enum fs_flow flow = FS_FLOW_NEXT;
  enum fs_status st = fs_exec(in, f->body, &flow);
  if (st == FS_OK) take_results(in, want, out, got);
  for (int i = 0; i < in->results.len; i++) fs_val_unref(in->results.data[i]);
  in->results.len = 0;
  return st;
}

/* The parameters from n on, each of which may use those before it. */
static enum fs_status set_defaults(struct fs_interp *in, const struct fs_func *f, int n,
                                   struct fs_scope *local) {
  enum fs_status st = FS_OK;
  for (int k = n; k < fs_func_takes(f) && st == FS_OK; k++) {
    struct fs_val v = {FS_V_NONE};
    const struct fs_param *p = &f->params[k];
    st = fs_eval(in, p->value, &v);
    if (st == FS_OK && v.kind == FS_V_NONE) st = fs_no_value(in, p->value);
    if (st == FS_OK) fs_scope_set(local, p->name, v);
  }
  return st;
}

static enum fs_status call_defined(struct fs_interp *in, struct fs_func *f,
                                   int n, struct fs_val *args,
                                   struct fs_span span, int want,
                                   struct fs_val *out, int *got) {
  bool elem = f->kind == FS_FN_ELEM;
  int needs = fs_func_needs(f), takes = fs_func_takes(f);
  if (n < needs || n > takes) return arity_error(in, f, needs, takes, n, span);
  if (in->call_depth >= MAX_CALLS)
    return fs_in_error(in, span, "too-deep",
                       "an `if` ends it; where(c, a, b) computes both a and b",
                       "%.100s calls itself too often: more than %d calls are "
                       "open", func_name(f), MAX_CALLS);
  struct fs_scope local = {.up = in->scope, .sealed = elem,
                           .prelude = f->from_prelude};
  for (int i = 0; i < f->captures.len; i++)
    fs_scope_set(&local, f->captures.data[i].name,
                 fs_val_ref(f->captures.data[i].value));
  for (int i = 0; i < n; i++)
    fs_scope_set(&local, fs_func_param(f, i), fs_val_ref(args[i]));
  int lib_depth = in->lib_depth, index_ends = in->index_end.len;
  struct fs_span lib_span = in->lib_span, lib_stmt = in->lib_stmt, stmt = in->stmt;
  bool library = elem || f->from_prelude;
  if (library && !lib_depth) in->lib_span = span, in->lib_stmt = stmt;
  in->lib_depth = library ? lib_depth + 1 : 0;
  in->scope = &local;
  in->call_depth++;
  if (f->unit) *FS_PUSH(&in->units) = f->unit;
  enum fs_status st = set_defaults(in, f, n, &local);
  if (st == FS_OK) st = run_body(in, f, want, out, got);
  if (f->unit) in->units.len--;
  in->call_depth--;
  in->stmt = stmt;
  in->scope = local.up;
  in->lib_depth = lib_depth;
  in->lib_span = lib_span;
  in->lib_stmt = lib_stmt;
  in->index_end.len = index_ends;
  fs_undo_leave(in, &local);
  fs_scope_clear(&local);
  if (st == FS_ERR_USER && !library && !lib_depth)
    fs_note_call(in->diags, span, "called", "in %.100s, called here", func_name(f));
  return st;
}

enum fs_status fs_call_func(struct fs_interp *in, struct fs_func *f, int n,
                            struct fs_val *args, const struct fs_span *spans,
                            struct fs_span span, int want, struct fs_val *out,
                            int *got) {
  *got = 0;
  enum fs_status st = fs_poll(in, span);
  if (st != FS_OK) return st;
  struct fs_func *more = with_more(in, f, n, args, want);
  if (more) f = more;
  if (f->kind == FS_FN_BUILTIN)
    return call_builtin(in, f, n, args, spans, span, want, out, got);
  if (f->kind == FS_FN_ELEM && f->elem->native) {
    int takes = f->elem->params.len;
    if (n != takes) return arity_error(in, f, takes, takes, n, span);
    in->span = span;
    st = fs_elem_call(in, f->elem, n, args, spans, span, &out[0]);
    *got = st == FS_OK;
    return st;
  }
  struct fs_func *form = f;
  if (f->kind == FS_FN_KERNEL)
    st = fs_kernel_form(in, f, n, args, spans, span, &form, want, out, got);
  else fs_func_ref(f);
  if (st != FS_OK || !form) return st;
  st = call_defined(in, form, n, args, span, want, out, got);
  fs_func_unref(form);
  return st;
}

/* -- call expressions ------------------------------------------------------ */

static enum fs_status find_function(struct fs_interp *in,
                                    const struct fs_expr *e,
                                    struct fs_val *out) {
  enum fs_status st = fs_eval(in, e, out);
  if (st != FS_OK || out->kind == FS_V_FUNCTION) return st;
  const char *text = fs_in_text(in, e->span);
  const struct fs_tensor *t = fs_val_like(out);
  bool scalar = out->kind == FS_V_NUMBER || fs_val_is_complex_number(out) ||
                (t && !t->shape.rank);
  bool many = !scalar && (t || out->kind == FS_V_RANGE);
  bool hides = fs_builtin_find(in, text) || fs_scope_find(&in->prelude, text);
  char hint[160];
  snprintf(hint, sizeof(hint),
           hides && many ? "elements are written %s[...]; the variable hides the function"
           : hides       ? "the variable hides the function %s: give it another name"
           : scalar      ? "a product needs its sign: %s*(...)"
                         : "elements are written %s[...]", text);
  st = fs_in_error(in, e->span, "not-a-function", scalar || many || hides ? hint : NULL,
                   "%s is %s, not a function", text, fs_val_text(out));
  fs_val_unref(*out);
  return st;
}

/* An array that is written as the argument of a conversion has its numbers as they
 * were written, not as f32 has them: f64([0.1]), i64([123456789]). */
static enum fs_status eval_argument(struct fs_interp *in, const struct fs_func *f,
                                    const struct fs_expr *e, struct fs_val *out) {
  bool cast = f->kind == FS_FN_BUILTIN && f->builtin->traits & (FS_BT_CAST | FS_BT_TO_COMPLEX);
  if (!cast) return fs_eval(in, e, out);
  enum fs_dtype as = (enum fs_dtype)f->builtin->data;
  return fs_eval_as(in, e, &as, out);
}

enum fs_status fs_no_value(struct fs_interp *in, const struct fs_expr *e) {
  bool call = e->kind == FS_EX_CALL;
  bool builtin = call && fs_builtin_find(in, fs_in_text(in, e->args[0]->span));
  return fs_in_error(in, e->span, "no-value",
                     call && !builtin ? "`return` in a function gives its results" : NULL,
                     "%s gives no value", fs_in_text(in, e->span));
}

enum fs_status fs_eval_call(struct fs_interp *in, const struct fs_expr *e,
                            int want, struct fs_val *out, int *got) {
  struct fs_val f;
  enum fs_status st = find_function(in, e->args[0], &f);
  if (st != FS_OK) return st;
  int n = e->n_args - 1, have = 0;
  struct fs_val *args = fs_calloc((size_t)n + 1, sizeof(*args));
  struct fs_span *spans = fs_calloc((size_t)n + 1, sizeof(*spans));
  for (; have < n && st == FS_OK; have += st == FS_OK) {
    spans[have] = e->args[have + 1]->span;
    st = eval_argument(in, f.func, e->args[have + 1], &args[have]);
    if (st == FS_OK && args[have].kind == FS_V_NONE)
      st = fs_no_value(in, e->args[have + 1]);
  }
  if (st == FS_OK)
    st = fs_call_func(in, f.func, n, args, spans, e->span, want, out, got);
  for (int k = 0; k < have; k++) fs_val_unref(args[k]);
  free(args);
  free(spans);
  fs_val_unref(f);
  return st;
}
