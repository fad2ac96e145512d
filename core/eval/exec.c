/* exec.c - statements, and the interpreter's life: new, eval, run, explain. */
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>

#include "core/base/embed.h"
#include "core/eval/interp.h"
#include "core/lang/parse.h"

/* -- assignments, displays ------------------------------------------------- */

/* Shows a value in its turn; in a script that ends the block. */
enum fs_status fs_observe(struct fs_interp *in, const char *name,
                          struct fs_val v, struct fs_span span) {
  if (v.kind == FS_V_NONE || in->silent) return FS_OK;
  fs_block_show(in, name, v, span);
  bool ends = in->script && !in->begin_depth && !in->explain;
  return ends ? fs_interp_flush(in) : FS_OK;
}

/* `_` takes a result that nobody wants. */
static bool is_blank(const char *name) {
  return name[0] == '_' && !name[1];
}

/* `m, k = max(x)` wants the position as well. */
static const char *position_hint(struct fs_interp *in, const struct fs_expr *call) {
  const char *name = fs_in_text(in, call->args[0]->span);
  if (!strcmp(name, "max")) return "argmax(x) gives the position";
  return strcmp(name, "min") ? NULL : "argmin(x) gives the position";
}

/* `V, D = eig(A)`, by the names that others give the results. */
static void tell_order(struct fs_interp *in, const struct fs_stmt *s) {
  static const char vectors[] = " V v U Q P X vec vecs evec evecs ",
                    values[] = " D d W w L lambda vals evals values ";
  if (s->n_targets != 2 || in->lib_depth) return;
  if (strcmp(fs_in_text(in, s->expr->args[0]->span), "eig")) return;
  bool first = fs_has_word(vectors, s->targets[0].name);
  if (first && fs_has_word(values, s->targets[1].name))
    fs_tell_other(in->diags, FS_OTHER_EIG, s->span);
}

/* `a, b = b, a`: all of them are known before one is assigned. */
static enum fs_status eval_values(struct fs_interp *in, const struct fs_stmt *s,
                                  struct fs_val *out, int *got) {
  const struct fs_expr *e = s->expr;
  if (e->n_args != s->n_targets)
    return fs_in_error(in, e->span, "wrong-count", NULL, "%d values for %d names", e->n_args,
                       s->n_targets);
  for (int k = 0; k < e->n_args; k++) {
    enum fs_status st = fs_eval(in, e->args[k], &out[k]);
    if (st == FS_OK && out[k].kind == FS_V_NONE) st = fs_no_value(in, e->args[k]);
    if (st != FS_OK) return st;
    ++*got;
  }
  return FS_OK;
}

static enum fs_status exec_assign(struct fs_interp *in,
                                  const struct fs_stmt *s) {
  struct fs_val *v = fs_calloc((size_t)s->n_targets, sizeof(*v));
  int got = 0, want = s->n_targets;
  enum fs_status st;
  if (want == 1) {
    st = fs_eval(in, s->expr, &v[0]);
    got = st == FS_OK && v[0].kind != FS_V_NONE;
  } else if (s->expr->kind == FS_EX_CALL) {
    tell_order(in, s);
    st = fs_eval_call(in, s->expr, want, v, &got);
  } else if (s->expr->kind == FS_EX_VALUES) {
    st = eval_values(in, s, v, &got);
  } else {
    st = fs_in_error(in, s->expr->span, "wrong-count",
                     "elements are taken one by one: a = v[1]; b = v[2]",
                     "one value cannot be assigned to %d names", want);
  }
  if (st == FS_OK && got == 0) st = fs_no_value(in, s->expr);
  if (st == FS_OK && got < want)
    st = fs_in_error(in, s->span, "wrong-count", position_hint(in, s->expr),
                     "%s gives %d value%s, not %d",
                     fs_in_text(in, s->expr->span), got, got == 1 ? "" : "s",
                     want);
  bool shown = !s->silent && !in->call_depth;
  for (int k = 0; k < want && st == FS_OK && !in->call_depth; k++)
    st = fs_block_may_keep(in, &v[k], s->expr->span);
  if (st != FS_OK) {
    for (int k = 0; k < got; k++) fs_val_unref(v[k]);
  } else {
    for (int k = 0; k < want; k++)
      if (!is_blank(s->targets[k].name))
        fs_assign(in, s->targets[k].name, fs_val_ref(v[k]));
    for (int k = 0; k < want; k++) {
      if (shown && st == FS_OK && !is_blank(s->targets[k].name))
        st = fs_observe(in, s->targets[k].name, v[k], s->span);
      fs_val_unref(v[k]);
    }
  }
  free(v);
  return st;
}

static enum fs_status exec_expr(struct fs_interp *in, const struct fs_stmt *s) {
  struct fs_val v;
  enum fs_status st = fs_eval(in, s->expr, &v);
  if (st != FS_OK) return st;
  const char *name = s->expr->kind == FS_EX_NAME ? s->expr->text : NULL;
  if (!s->silent && !in->call_depth) st = fs_observe(in, name, v, s->span);
  fs_val_unref(v);
  return st;
}

/* -- control flow ---------------------------------------------------------- */

/* Ends the block where a loop begins and after every iteration. */
static enum fs_status loop_edge(struct fs_interp *in, struct fs_span span) {
  enum fs_status st = fs_poll(in, span);
  if (st == FS_OK) st = fs_interp_flush(in);
  return st;
}

static enum fs_status condition(struct fs_interp *in, const struct fs_expr *e,
                                bool *out) {
  struct fs_val v;
  in->stmt = e->span; /* not the whole loop */
  enum fs_status st = fs_eval(in, e, &v);
  if (st != FS_OK) return st;
  st = fs_read_bool(in, &v, e->span, out);
  fs_val_unref(v);
  return st;
}

static enum fs_status exec_if(struct fs_interp *in, const struct fs_stmt *s,
                              enum fs_flow *flow) {
  bool truth = false;
  enum fs_status st = condition(in, s->expr, &truth);
  if (st != FS_OK) return st;
  return fs_exec(in, truth ? s->body : s->orelse, flow);
}

/* Whether the loop goes on after what its body did. */
static bool goes_on(enum fs_flow *flow) {
  if (*flow == FS_FLOW_RETURN) return false;
  bool on = *flow != FS_FLOW_BREAK;
  *flow = FS_FLOW_NEXT;
  return on;
}

/* The body of a loop once, and the edge behind it. */
static enum fs_status exec_round(struct fs_interp *in, const struct fs_stmt *s,
                                 enum fs_flow *flow) {
  struct fs_run_options *options = fs_runner_options(in->runner);
  enum fs_status st = FS_OK;
  bool inner = options->in_loop;
  if (fs_again_try(in, s->body, false, &st))
    return st == FS_OK ? fs_poll(in, s->span) : st;
  fs_again_begin(in, s->body, false);
  options->in_loop = true;
  st = fs_exec(in, s->body, flow);
  in->passing = fs_again_passing(in, s->body);
  fs_again_end(in, s->body, false);
  if (st == FS_OK) st = loop_edge(in, s->span);
  in->passing = NULL;
  options->in_loop = inner;
  fs_again_stop(in);
  return st;
}

/* What a variable is may change from round to round, so the rest of a loop may be one of
 * numbers alone, where its beginning was none: asked before rounds 0, 1, 2, 4, 8 ... */
static bool run_rest(struct fs_interp *in, const struct fs_stmt *s, const struct fs_val *range,
                     int64_t round, enum fs_status *st) {
  return !(round & (round - 1)) && fs_loop_run(in, s, range, round, st);
}

static enum fs_status exec_while(struct fs_interp *in, const struct fs_stmt *s,
                                 enum fs_flow *flow) {
  enum fs_status st = loop_edge(in, s->span);
  bool on = true;
  for (int64_t k = 0; st == FS_OK && on; k++) {
    bool truth = false;
    if (run_rest(in, s, NULL, k, &st)) break;
    st = condition(in, s->expr, &truth);
    if (st != FS_OK || !truth) break;
    st = exec_round(in, s, flow);
    on = goes_on(flow);
  }
  return st;
}

/* The k-th value (from 0) that a `for` goes through: numbers of a range, the
 * elements of a vector, the columns of a matrix. */
static enum fs_status loop_value(struct fs_interp *in, const struct fs_val *v,
                                 int64_t k, struct fs_span span,
                                 struct fs_val *out) {
  if (v->kind == FS_V_RANGE) {
    bool ints = v->start == floor(v->start) && v->step == floor(v->step);
    *out = fs_val_number(v->start + (double)k * v->step, ints);
    return FS_OK;
  }
  if (v->kind != FS_V_TENSOR) {
    *out = fs_val_ref(*v);
    return FS_OK;
  }
  return fs_index_column(in, v, k, span, out);
}

static int64_t loop_count(const struct fs_val *v) {
  if (v->kind == FS_V_RANGE) return fs_range_count(v);
  if (v->kind != FS_V_TENSOR) return 1;
  const struct fs_shape *s = &v->tensor->shape;
  return s->rank == 1 ? s->dim[0] : fs_shape_dim(s, 1);
}

void fs_loop_progress(struct fs_interp *in, double begun, double *last, int64_t k, int64_t n) {
  double now = fs_now();
  if (in->call_depth || !in->host.progress || now - begun < 2 ||
      now - *last < 0.25)
    return;
  *last = now;
  in->host.progress(in->host.user, "for", (double)k / (double)n, now - begun);
}

static enum fs_status exec_for(struct fs_interp *in, const struct fs_stmt *s,
                               enum fs_flow *flow) {
  struct fs_val v, item;
  in->stmt = s->expr->span;
  enum fs_status st = fs_eval(in, s->expr, &v);
  if (st != FS_OK) return st;
  if (v.kind == FS_V_STRING || v.kind == FS_V_FUNCTION || v.kind == FS_V_NONE)
    st = fs_in_error(in, s->expr->span, "wrong-type",
                     "for instance: for k = 1:10",
                     "a loop goes through a range or a tensor, not %s",
                     fs_val_text(&v));
  if (st == FS_OK) st = loop_edge(in, s->span);
  double begun = fs_now(), last = 0;
  int64_t n = st == FS_OK ? loop_count(&v) : 0;
  for (int64_t k = 0; k < n && st == FS_OK; k++) {
    if (v.kind == FS_V_RANGE && run_rest(in, s, &v, k, &st)) break;
    st = loop_value(in, &v, k, s->expr->span, &item);
    if (st != FS_OK) break;
    fs_assign(in, s->targets[0].name, item);
    st = exec_round(in, s, flow);
    if (!goes_on(flow)) break;
    fs_loop_progress(in, begun, &last, k + 1, n);
  }
  fs_val_unref(v);
  return st;
}

static enum fs_status exec_begin(struct fs_interp *in, const struct fs_stmt *s,
                                 enum fs_flow *flow) {
  bool edge = in->script && !in->begin_depth && !in->call_depth && !in->explain;
  enum fs_status st = edge ? fs_interp_flush(in) : FS_OK;
  in->begin_depth++;
  if (st == FS_OK) st = fs_exec(in, s->body, flow);
  in->begin_depth--;
  if (st == FS_OK && edge) st = fs_interp_flush(in);
  return st;
}

/* -- return ---------------------------------------------------------------- */

static void clear_results(struct fs_interp *in) {
  for (int k = 0; k < in->results.len; k++) fs_val_unref(in->results.data[k]);
  in->results.len = 0;
}

/* The results are put down when all are known: functions that they call return, too. */
static enum fs_status eval_results(struct fs_interp *in,
                                   const struct fs_stmt *s) {
  FS_VEC(struct fs_val) got = {0};
  enum fs_status st = FS_OK;
  for (int k = 0; k < s->n_exprs && st == FS_OK; k++) {
    struct fs_val v;
    st = fs_eval(in, s->exprs[k], &v);
    if (st == FS_OK && v.kind == FS_V_NONE) st = fs_no_value(in, s->exprs[k]);
    if (st == FS_OK) *FS_PUSH(&got) = v;
  }
  clear_results(in);
  for (int k = 0; k < got.len; k++) {
    if (st == FS_OK)
      *FS_PUSH(&in->results) = got.data[k];
    else
      fs_val_unref(got.data[k]);
  }
  FS_VEC_FREE(&got);
  return st;
}

static bool is_returned(const struct fs_stmt *s, const char *name) {
  for (int k = 0; k < s->n_exprs; k++)
    if (s->exprs[k]->kind == FS_EX_NAME &&
        strcmp(s->exprs[k]->text, name) == 0)
      return true;
  return false;
}

/* At the top level `return` names the results of a text: what else it assigned
 * is forgotten, and the results are shown. */
static enum fs_status return_top(struct fs_interp *in,
                                 const struct fs_stmt *s) {
  enum fs_status st = eval_results(in, s);
  if (st != FS_OK) {
    clear_results(in);
    return st;
  }
  for (int i = 0; i < in->assigned.len; i++) {
    const char *name = in->assigned.data[i];
    const struct fs_val *v = fs_scope_find(&in->globals, name);
    if (v && v->kind != FS_V_FUNCTION && !is_returned(s, name))
      fs_scope_remove(&in->globals, name);
  }
  for (int k = 0; k < s->n_exprs; k++) {
    const struct fs_expr *e = s->exprs[k];
    fs_block_show(in, e->kind == FS_EX_NAME ? e->text : NULL,
                  in->results.data[k], e->span);
  }
  clear_results(in);
  return FS_OK;
}

/* -- statements ------------------------------------------------------------ */

/* What is explained has no effect: a command of an imported file may have any. */
static enum fs_status pass_over(struct fs_interp *in, const struct fs_stmt *s) {
  fs_note(in->diags, s->span, "explain-command", NULL,
          "`%.*s` is not run: what is explained has no effect",
          (int)strcspn(s->text, " \t\r\n"), s->text);
  return FS_OK;
}

static enum fs_status exec_command(struct fs_interp *in,
                                   const struct fs_stmt *s) {
  if (in->explain) return pass_over(in, s);
  int before = in->n_blocks;
  enum fs_status st = fs_interp_flush(in);
  if (in->n_blocks > before) in->before_last = before;
  if (st == FS_OK && in->host.command)
    st = in->host.command(in->host.user, s->text, s->span);
  return st;
}

/* The first parameter of a short function that is the name of an array, too; NULL: none. */
static const char *array_among(struct fs_interp *in, const struct fs_stmt *s) {
  for (int k = 0; k < s->n_params; k++) {
    struct fs_val v;
    if (!fs_lookup(in, s->params[k].name, &v)) continue;
    bool array = v.kind == FS_V_TENSOR && v.tensor->shape.rank > 0;
    fs_val_unref(v);
    if (array) return s->params[k].name;
  }
  return NULL;
}

/* A(i, j) = x would make a function of an array, and diag(A) = x one that hides diag(). */
static enum fs_status exec_function(struct fs_interp *in, const struct fs_stmt *s) {
  const char *name = s->targets[0].name;
  struct fs_val v;
  if (s->expr && fs_lookup(in, name, &v)) {
    bool array = v.kind == FS_V_TENSOR && v.tensor->shape.rank > 0;
    const char *of = v.kind == FS_V_FUNCTION ? array_among(in, s) : NULL;
    const char *text = array ? fs_val_text(&v) : NULL;
    bool own = !of || fs_is_own_name(in, name);
    fs_val_unref(v);
    if (array)
      return fs_in_error(in, s->span, "assigned-call",
                         "elements have brackets, also on the left: A[i, j] = x",
                         "this would make a function of %s, which is %s", name, text);
    if (!own)
      return fs_in_error(in, s->span, "assigned-call",
                         "a function of your own may have another name, or be written "
                         "function f(x) ... end",
                         "this would define another %s(), and change nothing of %s", name, of);
  }
  fs_assign(in, name, fs_make_function(in, s));
  return FS_OK;
}

static enum fs_status exec_one(struct fs_interp *in, const struct fs_stmt *s,
                               enum fs_flow *flow) {
  switch (s->kind) {
    case FS_ST_EXPR: return exec_expr(in, s);
    case FS_ST_ASSIGN: return exec_assign(in, s);
    case FS_ST_INDEXED: return fs_exec_indexed(in, s);
    case FS_ST_IF: return exec_if(in, s, flow);
    case FS_ST_WHILE: return exec_while(in, s, flow);
    case FS_ST_FOR: return exec_for(in, s, flow);
    case FS_ST_BREAK: *flow = FS_FLOW_BREAK; return FS_OK;
    case FS_ST_CONTINUE: *flow = FS_FLOW_CONTINUE; return FS_OK;
    case FS_ST_FUNCTION: return exec_function(in, s);
    case FS_ST_RETURN:
      *flow = FS_FLOW_RETURN;
      return in->call_depth ? eval_results(in, s) : return_top(in, s);
    case FS_ST_BEGIN: return exec_begin(in, s, flow);
    case FS_ST_BARRIER: fs_block_barrier(in); return FS_OK;
    case FS_ST_IMPORT: return fs_exec_import(in, s);
    case FS_ST_DECLARE: return fs_exec_declare(in, s);
    case FS_ST_INPUT: return fs_exec_input(in, s);
    case FS_ST_COMMAND: return exec_command(in, s);
  }
  return FS_OK;
}

/* A block that grew beyond this ends at the next statement: planning takes more
 * than linear time. */
enum { BLOCK_NODES = 2000 };

enum fs_status fs_exec(struct fs_interp *in, const struct fs_stmt *list,
                       enum fs_flow *flow) {
  int last = in->n_blocks;
  for (const struct fs_stmt *s = list; s; s = s->next) {
    enum fs_status st = fs_poll(in, s->span);
    if (st != FS_OK) return st;
    int before = in->n_blocks;
    bool open = in->graph != NULL; /* then the first block is not all its own */
    in->before_last = last;
    in->span = in->stmt = s->span;
    st = exec_one(in, s, flow);
    bool long_block = in->graph && in->graph->nodes.len > BLOCK_NODES;
    if (st == FS_OK && long_block) {
      fs_again_stop(in); /* more than one block */
      st = fs_interp_flush(in);
    }
    if (in->n_blocks > before)
      last = before + (open && in->n_blocks > before + 1);
    in->before_last = last;
    if (st != FS_OK || *flow != FS_FLOW_NEXT) return st;
  }
  return FS_OK;
}

/* -- running a text -------------------------------------------------------- */

static void clear_assigned(struct fs_interp *in) {
  for (int i = 0; i < in->assigned.len; i++) free(in->assigned.data[i]);
  in->assigned.len = 0;
}

static void set_stack_limit(struct fs_interp *in, const char *base) {
  struct rlimit rl;
  size_t limit = (size_t)4 << 20;
  if (getrlimit(RLIMIT_STACK, &rl) == 0 && rl.rlim_cur != RLIM_INFINITY)
    limit = FS_MIN(limit, (size_t)rl.rlim_cur / 2);
  in->stack_base = base;
  in->stack_limit = limit;
}

/* Runs statements and ends their block, whatever happened. */
static enum fs_status run_block_of(struct fs_interp *in, const struct fs_stmt *stmts,
                                   enum fs_flow *flow) {
  enum fs_status st = FS_OK;
  if (fs_again_try(in, stmts, true, &st)) {
    if (st != FS_OK) fs_block_abandon(in);
    return st;
  }
  fs_again_begin(in, stmts, true);
  st = fs_exec(in, stmts, flow);
  clear_results(in);
  if (st != FS_OK) fs_again_stop(in);
  fs_again_end(in, stmts, true);
  if (st == FS_OK && in->explain) fs_block_explain_end(in);
  else if (st == FS_OK || (st == FS_ERR_USER && !in->explain)) {
    int before = in->n_blocks;
    enum fs_status end = fs_interp_flush(in);
    if (in->n_blocks > before) in->before_last = before;
    return st == FS_OK ? end : st;
  }
  fs_block_abandon(in);
  return st;
}

/* Gives the reference to the unit back. */
static enum fs_status run_unit(struct fs_interp *in, struct fs_unit *unit,
                               struct fs_stmt *stmts, unsigned flags) {
  char base;
  bool nested = in->running, script = in->script, silent = in->silent;
  int begin_depth = in->begin_depth;
  struct fs_span stmt = in->stmt, span = in->span;
  if (!nested) {
    set_stack_limit(in, &base);
    clear_assigned(in);
  }
  *FS_PUSH(&in->units) = unit;
  in->running = true;
  in->script = flags & FS_EVAL_SCRIPT;
  in->silent = flags & FS_EVAL_SILENT;
  in->begin_depth = 0;
  fs_mention_inputs(in, stmts);
  enum fs_flow flow = FS_FLOW_NEXT;
  enum fs_status st = run_block_of(in, stmts, &flow);
  in->returned = flow == FS_FLOW_RETURN;
  in->units.len--;
  fs_unit_unref(unit);
  in->running = nested;
  in->script = script;
  in->silent = silent;
  in->begin_depth = begin_depth;
  in->stmt = stmt;
  in->span = span;
  return st;
}

enum fs_status fs_interp_eval(struct fs_interp *in, const char *name,
                              const char *text, size_t len, unsigned flags) {
  struct fs_unit *unit = NULL;
  struct fs_stmt *stmts = NULL;
  enum fs_status st = fs_parsed_get(in, name, text, len, (int)(flags / FS_EVAL_LINE),
                                    &unit, &stmts);
  return st == FS_OK ? run_unit(in, unit, stmts, flags) : st;
}

static struct fs_declared *copy_declared(const struct fs_interp *in) {
  size_t bytes = sizeof *in->declared.data * (size_t)in->declared.len;
  struct fs_declared *copy = fs_malloc(bytes + 1);
  if (bytes) memcpy(copy, in->declared.data, bytes);
  return copy;
}

static void restore_declared(struct fs_interp *in, struct fs_declared *copy, int n) {
  for (int k = n; k < in->declared.len; k++) free(in->declared.data[k].name);
  for (int k = 0; k < n; k++) in->declared.data[k] = copy[k];
  in->declared.len = n;
  free(copy);
}

enum fs_status fs_interp_explain(struct fs_interp *in, const char *name,
                                 const char *text, size_t len, fs_explain_fn *graph,
                                 void *user) {
  int64_t seed = in->seed, stream = in->stream;
  char **assigned = in->assigned.data; /* a `return` there is about that text */
  int n = in->assigned.len, cap = in->assigned.cap;
  in->assigned.data = NULL;
  in->assigned.len = in->assigned.cap = 0;
  struct fs_declared *declared = copy_declared(in);
  int n_declared = in->declared.len;
  in->explain = graph;
  in->explain_user = user;
  enum fs_status st = fs_interp_eval(in, name, text, len, FS_EVAL_BLOCK);
  in->explain = NULL;
  restore_declared(in, declared, n_declared);
  clear_assigned(in);
  free(in->assigned.data);
  in->assigned.data = assigned;
  in->assigned.len = n;
  in->assigned.cap = cap;
  in->seed = seed;
  in->stream = stream;
  return st;
}

/* -- life ------------------------------------------------------------------ */

static void load_prelude(struct fs_interp *in) {
  const char *text = fs_embedded_text("prelude.fs");
  if (!text) return;
  in->loading_prelude = true;
  in->scope = &in->prelude;
  fs_interp_eval(in, "prelude.fs", text, strlen(text),
                 FS_EVAL_SCRIPT | FS_EVAL_SILENT);
  in->scope = &in->globals;
  in->loading_prelude = false;
}

struct fs_interp *fs_interp_new(struct fs_diags *diags,
                                struct fs_runner *runner,
                                struct fs_target *target,
                                const struct fs_interp_host *host) {
  struct fs_interp *in = fs_calloc(1, sizeof(*in));
  in->diags = diags;
  in->runner = runner;
  in->target = target;
  if (host) in->host = *host;
  in->prelude.prelude = true;
  in->scope = &in->globals;
  in->size = 1024;
  in->seed = 1;
  in->undo_round = 1;
  in->elem_arena = fs_arena_new();
  fs_load_elems(in);
  in->n_library = in->elems.len;
  load_prelude(in);
  return in;
}

static void clear_declared(struct fs_interp *in) {
  for (int i = 0; i < in->declared.len; i++) free(in->declared.data[i].name);
  in->declared.len = 0;
}

void fs_interp_reset(struct fs_interp *in) {
  fs_block_abandon(in);
  fs_again_clear(in);
  fs_scope_clear(&in->globals);
  clear_declared(in);
  in->globals.stamp++;
  in->elems.len = FS_MIN(in->elems.len, in->n_library);
  fs_interp_seed(in, 1);
}

void fs_interp_free(struct fs_interp *in) {
  if (!in) return;
  fs_interp_reset(in);
  fs_scope_clear(&in->prelude);
  clear_assigned(in);
  clear_results(in);
  FS_VEC_FREE(&in->declared);
  FS_VEC_FREE(&in->assigned);
  FS_VEC_FREE(&in->results);
  FS_VEC_FREE(&in->elems);
  FS_VEC_FREE(&in->users);
  FS_VEC_FREE(&in->choices);
  fs_graph_free(in->spare);
  FS_VEC_FREE(&in->units);
  fs_parsed_clear(in);
  FS_VEC_FREE(&in->handles);
  FS_VEC_FREE(&in->inputs);
  FS_VEC_FREE(&in->stand_ins);
  FS_VEC_FREE(&in->undo);
  FS_VEC_FREE(&in->pending);
  fs_plot_free(in->last_plot);
  FS_VEC_FREE(&in->index_end);
  FS_VEC_FREE(&in->importing);
  fs_str_free(&in->doc_text);
  fs_arena_free(in->elem_arena);
  free(in);
}

/* -- settings and parts ---------------------------------------------------- */

void fs_interp_set_size(struct fs_interp *in, int64_t n) {
  in->size = n;
}

void fs_interp_set_expand(struct fs_interp *in, int64_t bytes) {
  in->expand = bytes;
}

int64_t fs_interp_expand(const struct fs_interp *in) {
  return in->expand;
}

int64_t fs_interp_size(const struct fs_interp *in) {
  return in->size;
}

void fs_interp_seed(struct fs_interp *in, int64_t seed) {
  in->seed = seed;
  in->stream = 0;
}

void fs_interp_random(const struct fs_interp *in, int64_t *seed,
                      int64_t *stream) {
  *seed = in->seed;
  *stream = in->stream;
}

void fs_interp_set_random(struct fs_interp *in, int64_t seed, int64_t stream) {
  in->seed = seed;
  in->stream = stream;
}

uint64_t fs_interp_stamp(const struct fs_interp *in) {
  return in->globals.stamp;
}

bool fs_interp_returned(const struct fs_interp *in) {
  return in->returned;
}

int fs_interp_before_last(const struct fs_interp *in) {
  return in->before_last;
}

struct fs_diags *fs_interp_diags(struct fs_interp *in) {
  return in->diags;
}

struct fs_target *fs_interp_target(struct fs_interp *in) {
  return in->target;
}
