/* exec.c - statements. */
#include <math.h>
#include <stdio.h>

#include "core/base/datafile.h"
#include "core/eval/rewrite.h"
#include "core/eval/files.h"
#include "core/eval/lift.h"
#include "core/eval/list.h"
#include "core/eval/witness.h"
#include "core/lang/parse.h"

/* -- assignments, displays ------------------------------------------------- */

/* `_` takes a result that nobody wants. */
static bool is_blank(const char *name) {
  return name[0] == '_' && !name[1];
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
    st = fs_in_error(in, s->span, "wrong-count", NULL,
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

/* Displays what the names of places hold, each once. */
static enum fs_status show_places(struct fs_interp *in, const struct fs_stmt *parts) {
  enum fs_status st = FS_OK;
  for (const struct fs_stmt *s = parts; s && st == FS_OK; s = s->next) {
    const char *name = s->targets[0].name;
    bool shown = is_blank(name);
    for (const struct fs_stmt *k = parts; k != s; k = k->next)
      shown |= !strcmp(k->targets[0].name, name);
    struct fs_val v;
    if (shown || !fs_lookup(in, name, &v)) continue;
    st = fs_observe(in, name, v, s->span);
    fs_val_unref(v);
  }
  return st;
}

/* a[1], b = f(x): all values are known before one is put anywhere. */
static enum fs_status exec_several(struct fs_interp *in, const struct fs_stmt *s,
                                   enum fs_flow *flow) {
  enum fs_status st = fs_exec(in, s->body, flow);
  for (int k = 0; k < s->n_targets; k++) fs_scope_remove(in->scope, s->targets[k].name);
  if (st == FS_OK && !s->silent && !in->call_depth) st = show_places(in, s->body->next);
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

/* The body of a loop once, and the edge behind it; ahead: rounds that may follow at once. */
static enum fs_status exec_round(struct fs_interp *in, const struct fs_stmt *s,
                                 struct fs_ahead *ahead, enum fs_flow *flow) {
  struct fs_run_options *options = fs_runner_options(in->runner);
  enum fs_status st = FS_OK;
  bool inner = options->in_loop;
  if (fs_again_try(in, s->body, false, ahead, &st))
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
 * numbers and elements alone, where its beginning was none: asked before rounds 0, 1, 2, 4, 8 ...
 * Behind one with many inner rounds one is run the ordinary way, to see whether these can be
 * lifted; if not, twice as many follow at once. */
struct rest {
  struct fs_loop_rest at;
  int64_t ask;
  bool probed;
};

/* A part of a round of numbers and elements, which knows what is wrong with it. */
static enum fs_status do_part(struct fs_interp *in, const struct fs_loop_rest *at,
                              struct fs_val *out) {
  enum fs_flow flow = FS_FLOW_NEXT;
  bool truth = false;
  if (at->s) {
    struct fs_stmt one = *at->s;
    one.next = NULL;
    enum fs_status st = fs_exec(in, &one, &flow);
    return st == FS_OK ? fs_interp_flush(in) : st;
  }
  if (at->e->kind != FS_EX_RANGE) {
    enum fs_status st = condition(in, at->e, &truth);
    *out = fs_val_bool(truth);
    return st;
  }
  in->stmt = at->e->span; /* not the whole loop */
  return fs_eval(in, at->e, out);
}

static enum fs_status exec_part(struct fs_interp *in, struct fs_loop_rest *at,
                                struct fs_val *out) {
  const struct fs_round *around = in->round;
  for (int k = 0; k < at->n_rounds; k++)
    at->rounds[k].around = k + 1 < at->n_rounds ? &at->rounds[k + 1] : around;
  if (at->n_rounds) in->round = &at->rounds[0];
  enum fs_status st = do_part(in, at, out);
  in->round = around;
  return st;
}

static bool run_rest(struct fs_interp *in, const struct fs_stmt *s, const struct fs_val *range,
                     struct rest *r, int64_t *round, enum fs_status *st) {
  if (*round < r->ask) return false;
  r->at.round = *round;
  if (r->probed) r->at.free = 2 * *round;
  enum fs_loop_end end = fs_loop_run(in, s, range, &r->at, st);
  while (end == FS_LOOP_PART) {
    struct fs_val v = {FS_V_NONE};
    *st = exec_part(in, &r->at, &v);
    if (*st != FS_OK) return true;
    end = fs_loop_resume(in, s, &v, &r->at, st);
    fs_val_unref(v);
  }
  r->probed = end == FS_LOOP_STOPPED;
  if (range && r->probed) *round = r->at.round;
  r->ask = r->probed ? *round + 1 : FS_MAX(2 * *round, 1);
  return end == FS_LOOP_OVER;
}

static enum fs_status exec_while(struct fs_interp *in, const struct fs_stmt *s,
                                 enum fs_flow *flow) {
  enum fs_status st = loop_edge(in, s->span);
  bool on = true;
  struct rest rest = {.ask = 0};
  for (int64_t k = 0; st == FS_OK && on; k++) {
    bool truth = false;
    if (run_rest(in, s, NULL, &rest, &k, &st)) break;
    st = condition(in, s->expr, &truth);
    if (st != FS_OK || !truth) break;
    st = exec_round(in, s, NULL, flow);
    on = goes_on(flow);
  }
  return st;
}

/* The k-th value (from 0) that a `for` goes through: numbers of a range, the
 * elements of a vector, the columns of a matrix, the characters of a string. */
static enum fs_status loop_value(struct fs_interp *in, const struct fs_val *v,
                                 int64_t k, struct fs_span span,
                                 struct fs_val *out) {
  if (v->kind == FS_V_RANGE) {
    bool ints = v->start == floor(v->start) && v->step == floor(v->step);
    *out = fs_val_number(v->start + (double)k * v->step, ints);
    return FS_OK;
  }
  if (v->kind == FS_V_LIST) {
    *out = fs_val_ref(v->list->items[k]);
    return FS_OK;
  }
  if (v->kind == FS_V_STRING) {
    size_t at = fs_string_place(v->string, (size_t)k);
    size_t end = fs_string_place(v->string, (size_t)k + 1);
    *out = fs_val_string(v->string->text + at, end - at);
    return FS_OK;
  }
  if (!fs_val_like(v)) {
    *out = fs_val_ref(*v);
    return FS_OK;
  }
  return fs_index_column(in, v, k, span, out);
}

static int64_t loop_count(const struct fs_val *v) {
  if (v->kind == FS_V_RANGE) return fs_range_count(v);
  if (v->kind == FS_V_STRING || v->kind == FS_V_LIST) return fs_pick_extent(v);
  if (!fs_val_like(v)) return 1;
  const struct fs_shape *s = &fs_val_like(v)->shape;
  return s->rank == 1 ? s->dim[0] : fs_shape_dim(s, 1);
}

/* Between begin and end a loop is part of the block if its rounds are statements alone, and
 * all together no more than this: planning a block of 200 calls takes some 10 ms. */
enum { NODES_OF_LOOP = 256 };

static bool is_straight(const struct fs_stmt *list) {
  for (const struct fs_stmt *s = list; s; s = s->next)
    if (s->kind != FS_ST_ASSIGN && s->kind != FS_ST_INDEXED) return false;
  return true;
}

/* A round that is traced into the block; *open: so may be the `left` ones. */
static enum fs_status trace_round(struct fs_interp *in, const struct fs_stmt *s, int64_t left,
                                  enum fs_flow *flow, bool *open) {
  int before = in->graph ? in->graph->nodes.len : 0, blocks = in->n_blocks;
  enum fs_status st = fs_exec(in, s->body, flow);
  int nodes = (in->graph ? in->graph->nodes.len : 0) - before;
  *open = in->n_blocks == blocks && (double)nodes * (double)left <= NODES_OF_LOOP;
  if (st == FS_OK && !*open) st = loop_edge(in, s->span);
  return st;
}

/* The rounds of a `for` from one on, up to `to`, one by one. */
static enum fs_status run_rounds(struct fs_interp *in, const struct fs_stmt *s,
                                 const struct fs_val *v, int64_t from, int64_t to,
                                 enum fs_flow *flow) {
  bool open = in->begin_depth && is_straight(s->body), range = v->kind == FS_V_RANGE;
  struct fs_val item;
  struct fs_round round = {s->targets[0].name, 0, in->scope, in->round};
  enum fs_status st = open ? FS_OK : loop_edge(in, s->span);
  double begun = fs_now(), last = 0;
  struct rest rest = {.ask = from};
  for (int64_t k = from; k < to && st == FS_OK; k++) {
    rest.at.traced = open;
    if (range && run_rest(in, s, v, &rest, &k, &st)) break;
    if (k >= to) break;
    st = loop_value(in, v, k, s->expr->span, &item);
    if (st != FS_OK) break;
    round.value = item.number;
    in->round = range ? &round : round.around;
    fs_assign(in, s->targets[0].name, item);
    struct fs_ahead ahead = {.counter = s->targets[0].name, .step = v->step};
    if (range) ahead.left = to - 1 - k;
    st = open ? trace_round(in, s, to - 1 - k, flow, &open) : exec_round(in, s, &ahead, flow);
    in->round = round.around;
    if (!goes_on(flow)) break;
    k += ahead.done;
    fs_loop_progress(in, begun, &last, k + 1, to);
  }
  return st;
}

static enum fs_status check_rounds(struct fs_interp *in, const struct fs_stmt *s,
                                   const struct fs_val *v) {
  if (v->kind == FS_V_FUNCTION || v->kind == FS_V_NONE || v->kind == FS_V_RECORD)
    return fs_in_error(in, s->expr->span, "wrong-type", "for instance: for k = 1:10",
                       "a loop goes through a range, a tensor, a list or a string, not %s", fs_val_text(v));
  if (s->text && v->kind != FS_V_RANGE)
    return fs_in_error(in, s->expr->span, "wrong-type", "for instance: forall i = 1:m, j = 1:n",
                       "rounds that run at once go through a range, not %s", fs_val_text(v));
  return FS_OK;
}

/* -- rounds that are only tried ---------------------------------------------- */

static struct fs_scope copy_of(const struct fs_scope *s) {
  struct fs_scope copy = {0};
  for (int k = 0; k < s->vars.len; k++)
    fs_scope_set(&copy, s->vars.data[k].name, fs_val_ref(s->vars.data[k].value));
  return copy;
}

/* Gives the names of a scope the values that they had when it was copied. */
static void put_back(struct fs_interp *in, struct fs_scope *was) {
  for (int k = in->scope->vars.len - 1; k >= 0; k--)
    if (!fs_scope_var(was, in->scope->vars.data[k].name))
      fs_scope_remove(in->scope, in->scope->vars.data[k].name);
  for (int k = 0; k < was->vars.len; k++) {
    const struct fs_var *v = &was->vars.data[k];
    fs_scope_set(in->scope, v->name, fs_val_ref(v->value));
  }
  fs_scope_clear(was);
}

/* Runs the first rounds of a loop that is not to be run, one by one: the mistake that shows in
 * them is told. All names keep what they are, and nothing is displayed. */
static enum fs_status find_mistake(struct fs_interp *in, const struct fs_stmt *s,
                                   const struct fs_val *range, int64_t rounds) {
  enum fs_flow flow = FS_FLOW_NEXT;
  enum fs_status st = fs_interp_flush(in);
  if (st != FS_OK) return st;
  struct fs_scope was = copy_of(in->scope);
  bool silent = in->silent, no_loops = in->no_loops;
  in->silent = in->no_loops = true;
  st = run_rounds(in, s, range, 0, FS_MIN(rounds, fs_range_count(range)), &flow);
  in->silent = silent;
  in->no_loops = no_loops;
  fs_block_abandon(in);
  put_back(in, &was);
  return st;
}

/* What a loop that insists, and was not lifted, says instead. */
static enum fs_status refuse_rounds(struct fs_interp *in, const struct fs_stmt *s,
                                    const struct fs_val *range, const struct fs_lift_said *no) {
  enum fs_status st = no->look ? find_mistake(in, s, range, no->look) : FS_OK;
  if (st != FS_OK) return st;
  return fs_error(in->diags, no->span, no->wait ? "rounds-wait" : "not-at-once", no->hint, "%s",
                  no->text);
}

static enum fs_status exec_for(struct fs_interp *in, const struct fs_stmt *s,
                               enum fs_flow *flow) {
  struct fs_val v;
  in->stmt = s->expr->span;
  enum fs_status st = fs_eval(in, s->expr, &v);
  if (st != FS_OK) return st;
  st = check_rounds(in, s, &v);
  if (st == FS_OK) st = fs_block_alone(in); /* of elements that lie anywhere */
  int64_t lifted = st == FS_OK ? fs_lift_try(in, s, &v, &st) : 0;
  int64_t n = st == FS_OK ? loop_count(&v) : 0;
  const struct fs_lift_said *no = st == FS_OK && !lifted ? fs_lift_said(s) : NULL;
  if (no) st = refuse_rounds(in, s, &v, no);
  if (!lifted || lifted < n) fs_again_stop(in); /* rounds are remembered by themselves */
  if (st == FS_OK && (!lifted || lifted < n)) st = run_rounds(in, s, &v, lifted, n, flow);
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

/* -- try ------------------------------------------------------------------- */

/* The message of what went wrong, which is told no more: of the mistakes from `from` on in the
 * list the first. */
static struct fs_val take_message(struct fs_interp *in, int from) {
  const struct fs_diag *list = in->diags->list.data;
  int n = in->diags->list.len, first = 0;
  while (from < n && list[from].severity != FS_ERROR) from++;
  const char *text = from < n ? list[from].message : "";
  struct fs_val message = fs_val_string(text, strlen(text));
  while (first < n && list[first].severity != FS_ERROR) first++;
  fs_diags_cut(in->diags, first);
  return message;
}

/* Its body is of blocks of its own: the mistakes that show when one runs are its own, too. What
 * may be such a mistake is a block alone (fs_block_alone()), so what stands before it is done. */
static enum fs_status exec_body(struct fs_interp *in, const struct fs_stmt *s, enum fs_flow *flow,
                                struct fs_val *message) {
  struct fs_scope *scope = in->scope;
  enum fs_status st = fs_interp_flush(in);
  if (st != FS_OK) return st;
  scope->tries++;
  in->tries++;
  scope->logged = true;
  st = fs_exec(in, s->body, flow);
  int told = 0;
  bool done = st == FS_OK;
  if (done || (st == FS_ERR_USER && !in->explain)) { /* what was done before counts */
    int before = in->diags->list.len;
    enum fs_status end = fs_interp_flush(in);
    if (end != FS_OK) st = end, told = before;
  }
  scope->tries--;
  in->tries--;
  if (st != FS_ERR_USER || in->explain) return st;
  fs_again_stop(in);
  fs_clear_results(in);
  *flow = FS_FLOW_NEXT;
  *message = take_message(in, told);
  return FS_OK;
}

static enum fs_status exec_try(struct fs_interp *in, const struct fs_stmt *s,
                               enum fs_flow *flow) {
  struct fs_val message = {FS_V_NONE};
  fs_again_stop(in); /* more than one block */
  enum fs_status st = exec_body(in, s, flow, &message);
  if (st != FS_OK || message.kind == FS_V_NONE) return st;
  if (s->n_targets && !is_blank(s->targets[0].name)) fs_assign(in, s->targets[0].name, message);
  else fs_val_unref(message);
  return fs_exec(in, s->orelse, flow);
}

/* -- return ---------------------------------------------------------------- */

void fs_clear_results(struct fs_interp *in) {
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
  fs_clear_results(in);
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
    fs_clear_results(in);
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
  fs_clear_results(in);
  return FS_OK;
}

/* -- import ---------------------------------------------------------------- */

enum { IMPORT_DEPTH = 32 };

static enum fs_status read_text(struct fs_interp *in, const char *path,
                                struct fs_span span, struct fs_str *out) {
  const char *why = fs_text_read(path, FS_MAX_SOURCE, false, out);
  fs_witness_read_text(path, why ? NULL : out);
  return why ? fs_in_error(in, span, "no-file", NULL,
                           "cannot import '%.300s': %s", path, why)
             : FS_OK;
}

static enum fs_status run_import(struct fs_interp *in, const char *path,
                                 const struct fs_str *text) {
  uint32_t source = fs_source_add(in->diags, path, fs_str_text(text), text->len);
  struct fs_unit *unit = fs_unit_new(&in->all_units);
  struct fs_stmt *stmts = NULL;
  enum fs_status st = fs_parse(in->diags, unit->arena, source, &stmts);
  if (st == FS_INCOMPLETE) {
    struct fs_span end = {source, (uint32_t)text->len, (uint32_t)text->len};
    st = fs_error(in->diags, end, "incomplete", NULL,
                  "the file ends in the middle of a statement");
  }
  if (st != FS_OK) {
    fs_unit_unref(unit);
    return st;
  }
  *FS_PUSH(&in->units) = unit;
  char **assigned = in->assigned.data; /* a `return` there is about that file */
  int len = in->assigned.len, cap = in->assigned.cap;
  in->assigned.data = NULL;
  in->assigned.len = in->assigned.cap = 0;
  struct fs_span stmt = in->stmt;
  enum fs_flow flow = FS_FLOW_NEXT;
  st = fs_exec(in, stmts, &flow);
  in->stmt = stmt;
  for (int i = 0; i < in->assigned.len; i++) {
    if (len == cap) {
      cap = cap ? 2 * cap : 8;
      assigned = fs_realloc(assigned, sizeof(*assigned) * (size_t)cap);
    }
    assigned[len++] = in->assigned.data[i];
  }
  free(in->assigned.data);
  in->assigned.data = assigned;
  in->assigned.len = len;
  in->assigned.cap = cap;
  in->units.len--;
  fs_unit_unref(unit);
  return st;
}

static enum fs_status exec_import(struct fs_interp *in, const struct fs_stmt *s) {
  if (in->call_depth)
    return fs_in_error(in, s->span, "misplaced", NULL,
                       "import cannot stand inside a function");
  char *path = fs_path_from(in, s->span, s->text), *real = realpath(path, NULL);
  struct fs_str text = {0};
  enum fs_status st = read_text(in, path, s->span, &text);
  for (int i = 0; i < in->importing.len && st == FS_OK; i++)
    if (real && strcmp(in->importing.data[i], real) == 0)
      st = fs_in_error(in, s->span, "import-cycle", NULL,
                       "'%.300s' imports itself", path);
  if (st == FS_OK && in->importing.len >= IMPORT_DEPTH)
    st = fs_in_error(in, s->span, "too-deep", NULL,
                     "imports nest more than %d deep", IMPORT_DEPTH);
  if (st == FS_OK) {
    *FS_PUSH(&in->importing) = real ? real : path;
    st = run_import(in, path, &text);
    in->importing.len--;
  }
  fs_str_free(&text);
  free(real);
  free(path);
  return st;
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
    bool array = fs_val_like(&v) && fs_val_like(&v)->shape.rank > 0;
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
    bool array = fs_val_like(&v) && fs_val_like(&v)->shape.rank > 0;
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

static enum fs_status exec_rule(struct fs_interp *in, const struct fs_stmt *s) {
  if (in->explain) return FS_OK;
  if (in->call_depth)
    return fs_in_error(in, s->span, "bad-rule", "rules hold for all statements behind them",
                       "a rule stands in no function");
  return fs_rewrite_define(in, s, fs_make_lambda(in, s->expr2).func);
}

static enum fs_status exec_one(struct fs_interp *in, const struct fs_stmt *s,
                               enum fs_flow *flow) {
  switch (s->kind) {
    case FS_ST_EXPR: return exec_expr(in, s);
    case FS_ST_ASSIGN: return exec_assign(in, s);
    case FS_ST_INDEXED: return fs_exec_indexed(in, s);
    case FS_ST_PLACE: return fs_exec_place(in, s);
    case FS_ST_SEVERAL: return exec_several(in, s, flow);
    case FS_ST_IF: return exec_if(in, s, flow);
    case FS_ST_WHILE: return exec_while(in, s, flow);
    case FS_ST_FOR: return exec_for(in, s, flow);
    case FS_ST_BREAK: *flow = FS_FLOW_BREAK; return FS_OK;
    case FS_ST_CONTINUE: *flow = FS_FLOW_CONTINUE; return FS_OK;
    case FS_ST_FUNCTION: return exec_function(in, s);
    case FS_ST_RULE: return exec_rule(in, s);
    case FS_ST_RETURN:
      *flow = FS_FLOW_RETURN;
      return in->call_depth ? eval_results(in, s) : return_top(in, s);
    case FS_ST_BEGIN: return exec_begin(in, s, flow);
    case FS_ST_TRY: return exec_try(in, s, flow);
    case FS_ST_BARRIER: fs_block_barrier(in); return FS_OK;
    case FS_ST_IMPORT: return exec_import(in, s);
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
    if (st == FS_OK && (long_block || (in->tries && in->late))) {
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

